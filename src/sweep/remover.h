// SPDX-License-Identifier: Apache-2.0
// Removes directories beside the sweep: file systems take their time, and rank 0 has others to serve.
#ifndef DC_SWEEP_REMOVER_H
#define DC_SWEEP_REMOVER_H

// NULL: out of memory; then, as with a thread that cannot be had, directories are removed by whoever asks.
struct dc_remover *dc_remover_create(void);
// Removes a directory with all it holds, now or soon; takes its name, made by malloc.
void dc_remover_remove(struct dc_remover *remover, char *directory);
// Waits until all are removed; NULL is allowed.
void dc_remover_destroy(struct dc_remover *remover);

// Removes a directory with all it holds, now.
void dc_remove_directory(const char *path);

#endif
