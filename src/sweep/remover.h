// SPDX-License-Identifier: Apache-2.0
// Removes directories in the background: file systems are slow, and rank 0 has others to serve.
#ifndef DC_SWEEP_REMOVER_H
#define DC_SWEEP_REMOVER_H

// NULL: out of memory.  Without remover or thread, the caller removes directories itself.
struct dc_remover *dc_remover_create(void);
// Removes a directory and its contents, now or soon; takes over its name, allocated by malloc.
void dc_remover_remove(struct dc_remover *remover, char *directory);
// Waits until all are removed; NULL is allowed.
void dc_remover_destroy(struct dc_remover *remover);

// Removes a directory and its contents now.
void dc_remove_directory(const char *path);

#endif
