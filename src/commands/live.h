// SPDX-License-Identifier: Apache-2.0
// The state of a run for the live view: rows, log, the best trajectory so far, and requests of the viewer.  Its memory
// is allocated at the start and does not grow with the run.  All functions may be called by any thread.  Private to
// src/commands.
#ifndef DC_COMMANDS_LIVE_H
#define DC_COMMANDS_LIVE_H

#include <stdbool.h>

#include "api/internal.h"
#include "io/json/json_write.h"
#include "io/run/run.h"

enum dc_live_phase { DC_LIVE_RUNNING, DC_LIVE_PAUSED, DC_LIVE_STOPPING, DC_LIVE_ENDED };

struct dc_live;

// Room for trajectories of so many steps, thinned to what pages show.  NULL: out of memory.
struct dc_live *dc_live_create(const struct dc_bodies *bodies, long steps);
void dc_live_destroy(struct dc_live *live);

// A report of the run's progress, with a row for the curves if it is one of an iteration.  The trajectory is copied
// when it is a new best one.  Returns what was wished for since the last call: 0, DCSIM_PROGRESS_CHECKPOINT or
// DCSIM_PROGRESS_STOP.  progress NULL: nothing new.
int dc_live_observe(struct dc_live *live, const dcsim_progress *progress);
// Another best trajectory; of more frames than there is room for some, evenly spread.
void dc_live_set_trajectory(struct dc_live *live, const dcsim_trajectory *trajectory);
void dc_live_set_stored(struct dc_live *live, const struct dc_stored_trajectory *stored);
void dc_live_log(struct dc_live *live, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dc_live_end(struct dc_live *live, const char *words);

bool dc_live_is_paused(struct dc_live *live);
bool dc_live_has_ended(struct dc_live *live);
// Seconds since a page has asked, INFINITY: never; whether one has been told of the end.
double dc_live_idle(struct dc_live *live);
bool dc_live_is_told(struct dc_live *live);

// A button of the page: "pause", "resume", "stop", "checkpoint".  False: there is none of that name, or it is too late.
bool dc_live_wish(struct dc_live *live, const char *name);
// Puts the state as members of an object: rows from number `since` on, all of them when the generation is another.
void dc_live_put_state(struct dc_live *live, long since, long generation, struct dc_json_writer *json);
// Copies the trajectory, which then is in memory of live until the next call (of one thread), and its version.
const struct dc_stored_trajectory *dc_live_take(struct dc_live *live, long *version);

#endif
