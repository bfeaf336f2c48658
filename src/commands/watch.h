// SPDX-License-Identifier: Apache-2.0
// A run directory that another process may be writing: what is new in it, and the signals that its writer obeys.
// Private to src/commands.
#ifndef DC_COMMANDS_WATCH_H
#define DC_COMMANDS_WATCH_H

#include "commands/live.h"

struct dc_watch;

// Watches directory for live.  NULL: out of memory.
struct dc_watch *dc_watch_create(const char *directory, const dcsim_scene *scene, struct dc_live *live);
void dc_watch_destroy(struct dc_watch *watch);
// Reads what was added since the last call, and rolls the best parameters out when they are new, but not so often that
// it takes more than a tenth of the time.
void dc_watch_look(struct dc_watch *watch);
// A button of the page, as of dc_live_wish: tells the process that writes the run.  False: there is none.
bool dc_watch_wish(struct dc_watch *watch, const char *name);

#endif
