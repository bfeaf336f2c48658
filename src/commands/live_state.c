// SPDX-License-Identifier: Apache-2.0
// The state of a live view, shared by the run, which writes, and the server, which reads (live.h).  The lock is
// held for copies only, never while a page is made.
//
// Rows are kept at a stride: when there is no room every other one is dropped, the stride doubles and a new
// generation begins, which pages take as a whole.  A long run thereby keeps between 1,024 and 2,048
// rows, evenly spread.
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "commands/live.h"
#include "commands/page.h"
#include "math/vector.h"

enum { MOST_ROWS = 2048, LOG_LINES = 120, LOG_LENGTH = 160, UNIT = 16 };
enum { MOST_NODE_NUMBERS = 1 << 22 };  // of a trajectory of soft bodies

// Members are read and written under the lock, but `bodies` and `capacity`, which stay, and `taken`, which is the
// server's own.
// The log is a ring of LOG_LINES lines; log_count counts all lines ever written.  `offered` counts rows that were
// reported, of which every `stride`th is kept; `generation` counts how often the rows were thinned.
struct dc_live {
  pthread_mutex_t lock;
  const struct dc_bodies *bodies;
  enum dc_live_phase phase;
  bool stop, checkpoint, told;
  double asked;  // when a page asked last; negative: never
  char unit[UNIT];
  dcsim_progress last;               // the last report, without what it points to; iteration counts `unit`
  long offered, stride, generation;  // of rows
  int row_count;
  dcsim_progress rows[MOST_ROWS];
  long log_count;
  char log[LOG_LINES][LOG_LENGTH];
  long version;  // of the trajectory; 0: none yet
  int capacity;  // frames
  struct dc_stored_trajectory best, taken;
};

// Arrays of a trajectory for `capacity` frames; false where memory is out, and then those that were made are freed by
// dc_live_destroy.
static bool make_room(const struct dc_live *live, struct dc_stored_trajectory *stored)
{
  size_t rows = (size_t)live->capacity * (size_t)live->bodies->count;
  size_t nodes = (size_t)live->capacity * (size_t)live->bodies->node_count;
  stored->bodies = live->bodies->count;
  stored->time = dc_alloc((size_t)live->capacity, sizeof *stored->time);
  stored->position = dc_alloc(rows, 3 * sizeof *stored->position);
  stored->quaternion = dc_alloc(rows, 4 * sizeof *stored->quaternion);
  stored->nodes = nodes ? dc_alloc(nodes, 3 * sizeof *stored->nodes) : NULL;
  return stored->time && stored->position && stored->quaternion && (!nodes || stored->nodes);
}

static void free_room(struct dc_stored_trajectory *stored)
{
  free(stored->time);
  free(stored->position);
  free(stored->quaternion);
  free(stored->nodes);
}

// Places of nodes, which begin at first among these numbers; NULL: they are not known and stay.
// Node positions of one frame, m, [nodes][3].
static void copy_nodes(const struct dc_live *live, struct dc_stored_trajectory *to, int frame, const double *numbers,
                       size_t first)
{
  size_t count = 3 * (size_t)live->bodies->node_count;
  if (count && numbers)
    memcpy(to->nodes + (size_t)frame * count, numbers + first, count * sizeof *numbers);
}

// Before anything is known the bodies stand at the start.
static void set_start(struct dc_live *live)
{
  live->best.frames = live->best.all_frames = 1;
  live->best.time[0] = 0;
  for (int i = 0; i < live->bodies->count; i++) {
    dc_vec_copy(live->best.position + 3 * i, live->bodies->bodies[i].start.position);
    memcpy(live->best.quaternion + 4 * i, live->bodies->bodies[i].start.quaternion, 4 * sizeof(double));
  }
  copy_nodes(live, &live->best, 0, live->bodies->initial_q, (size_t)live->bodies->first_node_q);
}

// Frames that there is room for: all, or DC_PAGE_FRAMES, or, with many nodes, as many as keep the trajectory
// within MOST_NODE_NUMBERS numbers.
static int find_capacity(const struct dc_bodies *bodies, long steps)
{
  long most = DC_PAGE_FRAMES;
  if (bodies->node_count && MOST_NODE_NUMBERS / (3L * bodies->node_count) < most)
    most = MOST_NODE_NUMBERS / (3L * bodies->node_count) > 2 ? MOST_NODE_NUMBERS / (3L * bodies->node_count) : 2;
  return (int)(steps < most ? steps + 1 : most);
}

// Makes room for the trajectory shown, twice: `best`, which the optimizer writes, and `taken`, the copy that
// the server reads without the lock.
struct dc_live *dc_live_create(const struct dc_bodies *bodies, long steps)
{
  struct dc_live *live = dc_alloc(1, sizeof *live);
  if (!live)
    return NULL;
  pthread_mutex_init(&live->lock, NULL);
  live->bodies = bodies;
  live->capacity = find_capacity(bodies, steps);
  live->stride = 1;
  live->asked = -1;
  live->last = (dcsim_progress){.loss = NAN, .best_loss = NAN, .gradient_norm = NAN, .min_gap = NAN, .fraction = -1};
  if (!make_room(live, &live->best) || !make_room(live, &live->taken)) {
    dc_live_destroy(live);
    return NULL;
  }
  set_start(live);
  return live;
}

// The server that reads this state must have stopped before.
void dc_live_destroy(struct dc_live *live)
{
  if (!live)
    return;
  free_room(&live->best);
  free_room(&live->taken);
  pthread_mutex_destroy(&live->lock);
  free(live);
}

// The oldest line is overwritten; longer lines are cut off at LOG_LENGTH.
static void add_line(struct dc_live *live, const char *format, va_list arguments)
{
  vsnprintf(live->log[live->log_count++ % LOG_LINES], LOG_LENGTH, format, arguments);
}

// With the lock held.
__attribute__((format(printf, 2, 3))) static void note(struct dc_live *live, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  add_line(live, format, arguments);
  va_end(arguments);
}

// Lines come from the thread that optimizes and are read by that of the server: one lock guards both.
void dc_live_log(struct dc_live *live, const char *format, ...)
{
  va_list arguments;
  pthread_mutex_lock(&live->lock);
  va_start(arguments, format);
  add_line(live, format, arguments);
  va_end(arguments);
  pthread_mutex_unlock(&live->lock);
}

// Keeps the last report as a row if its number is a multiple of the stride; where there is no room, rows are
// thinned first.
// Row k of the list has the number k × stride among those offered, before and after thinning: thinning keeps the even
// places.  A row that is no multiple of the doubled stride is then dropped.
static void add_row(struct dc_live *live)
{
  if (live->offered++ % live->stride)
    return;
  if (live->row_count == MOST_ROWS) {
    for (int i = 0; i < MOST_ROWS / 2; i++)
      live->rows[i] = live->rows[2 * i];
    live->row_count = MOST_ROWS / 2;
    live->stride *= 2;
    live->generation++;
    if ((live->offered - 1) % live->stride)
      return;
  }
  live->rows[live->row_count++] = live->last;
}

// Copies a trajectory at as many evenly spread frames as there is room for.  The lock is held.
static void copy_trajectory(struct dc_live *live, const dcsim_trajectory *trajectory)
{
  struct dc_stored_trajectory *best = &live->best;
  int bodies = live->bodies->count, frames = trajectory->steps + 1;
  best->all_frames = frames;
  best->frames = frames < live->capacity ? frames : live->capacity;
  for (int k = 0; k < best->frames; k++) {
    size_t frame = (size_t)dc_evenly_spaced(k, best->frames, frames);
    best->time[k] = (double)frame * trajectory->time_step;
    for (int i = 0; i < bodies; i++) {
      const double *pose = trajectory->poses + (frame * (size_t)bodies + (size_t)i) * DCSIM_POSE;
      size_t row = (size_t)k * (size_t)bodies + (size_t)i;
      dc_vec_copy(best->position + 3 * row, pose);
      memcpy(best->quaternion + 4 * row, pose + 3, 4 * sizeof *pose);
    }
    copy_nodes(live, best, k, trajectory->q, frame * (size_t)trajectory->nq + (size_t)live->bodies->first_node_q);
  }
  live->version++;
}

void dc_live_set_trajectory(struct dc_live *live, const dcsim_trajectory *trajectory)
{
  pthread_mutex_lock(&live->lock);
  copy_trajectory(live, trajectory);
  pthread_mutex_unlock(&live->lock);
}

// Frames evenly spread, as many as there is room for.
static void copy_stored(const struct dc_live *live, struct dc_stored_trajectory *to,
                        const struct dc_stored_trajectory *from)
{
  size_t bodies = (size_t)from->bodies, nodes = 3 * (size_t)live->bodies->node_count;
  to->frames = from->frames < live->capacity ? from->frames : live->capacity;
  to->all_frames = from->all_frames;
  for (int k = 0; k < to->frames; k++) {
    size_t row = (size_t)k * bodies, frame = (size_t)dc_evenly_spaced(k, to->frames, from->frames);
    to->time[k] = from->time[frame];
    memcpy(to->position + 3 * row, from->position + 3 * frame * bodies, 3 * bodies * sizeof *to->position);
    memcpy(to->quaternion + 4 * row, from->quaternion + 4 * frame * bodies, 4 * bodies * sizeof *to->quaternion);
    copy_nodes(live, to, k, from->nodes, frame * nodes);
  }
}

void dc_live_set_stored(struct dc_live *live, const struct dc_stored_trajectory *stored)
{
  pthread_mutex_lock(&live->lock);
  copy_stored(live, &live->best, stored);
  live->version++;
  pthread_mutex_unlock(&live->lock);
}

// Copies the row of progress. Pointers in it are the caller's and do not outlive the call, so that the unit is copied
// and others are dropped.
static void take_numbers(struct dc_live *live, const dcsim_progress *progress)
{
  const char *unit = progress->unit ? progress->unit : "iteration";
  snprintf(live->unit, sizeof live->unit, "%s", unit);
  live->last = *progress;
  live->last.unit = NULL;
  live->last.parameters = NULL;
  live->last.best = NULL;
}

// Takes a report: its numbers, a row unless it is a draw of a first guess, and the best trajectory when it is a
// new one or has grown.  The lock is held.
static void take_progress(struct dc_live *live, const dcsim_progress *progress)
{
  const struct dcsim_trajectory *best = progress->best;
  bool draw = progress->unit && strcmp(progress->unit, "draw") == 0;
  double before = live->last.best_loss;
  take_numbers(live, progress);
  if (!draw && isfinite(progress->loss))
    add_row(live);
  if (best && (progress->is_best || best->steps + 1 != live->best.all_frames))  // a horizon grows
    copy_trajectory(live, best);
  if (progress->is_best && progress->best_loss < before)
    note(live, "%s %d: loss %.6g, the best so far", live->unit, progress->iteration, progress->best_loss);
  if (progress->backed_off)
    note(live, "%s %d: a shorter step was taken", live->unit, progress->iteration);
}

// Takes a report (NULL: none) and returns what the page wishes: to stop, a checkpoint, or 0.  A wish for a
// checkpoint is fulfilled once, one to stop stays.
int dc_live_observe(struct dc_live *live, const dcsim_progress *progress)
{
  pthread_mutex_lock(&live->lock);
  if (progress)
    take_progress(live, progress);
  int wish = live->stop ? DCSIM_PROGRESS_STOP : live->checkpoint ? DCSIM_PROGRESS_CHECKPOINT : 0;
  if (wish == DCSIM_PROGRESS_CHECKPOINT)
    note(live, "%s %d: checkpoint", live->unit, live->last.iteration);
  live->checkpoint = false;
  pthread_mutex_unlock(&live->lock);
  return wish;
}

// The last phase: the page shows the words, and wishes are refused from now on.
void dc_live_end(struct dc_live *live, const char *words)
{
  pthread_mutex_lock(&live->lock);
  live->phase = DC_LIVE_ENDED;
  note(live, "%s", words);
  pthread_mutex_unlock(&live->lock);
}

bool dc_live_is_paused(struct dc_live *live)
{
  pthread_mutex_lock(&live->lock);
  bool paused = live->phase == DC_LIVE_PAUSED;
  pthread_mutex_unlock(&live->lock);
  return paused;
}

bool dc_live_has_ended(struct dc_live *live)
{
  pthread_mutex_lock(&live->lock);
  bool ended = live->phase == DC_LIVE_ENDED;
  pthread_mutex_unlock(&live->lock);
  return ended;
}

// A page asks twice a second (viewer/src/live.js), so that a long silence means that nobody looks.
double dc_live_idle(struct dc_live *live)
{
  pthread_mutex_lock(&live->lock);
  double idle = live->asked < 0 ? INFINITY : dc_seconds() - live->asked;
  pthread_mutex_unlock(&live->lock);
  return idle;
}

bool dc_live_is_told(struct dc_live *live)
{
  pthread_mutex_lock(&live->lock);
  bool told = live->told;
  pthread_mutex_unlock(&live->lock);
  return told;
}

// Takes the wish of a button.  Once the run is stopping or has ended no wish is known any more.
bool dc_live_wish(struct dc_live *live, const char *name)
{
  bool known = true;
  pthread_mutex_lock(&live->lock);
  bool late = live->phase >= DC_LIVE_STOPPING;
  if (late) {
    known = false;
  } else if (strcmp(name, "pause") == 0) {
    live->phase = DC_LIVE_PAUSED;
    note(live, "paused from the page");
  } else if (strcmp(name, "resume") == 0) {
    live->phase = DC_LIVE_RUNNING;
    note(live, "going on");
  } else if (strcmp(name, "stop") == 0) {
    live->phase = DC_LIVE_STOPPING;
    live->stop = true;
    note(live, "stopping after this iteration");
  } else if (strcmp(name, "checkpoint") == 0) {
    live->checkpoint = true;
  } else {
    known = false;
  }
  pthread_mutex_unlock(&live->lock);
  return known;
}

// Rows from number `since` on.  The lock is held.
static void put_rows(const struct dc_live *live, long since, struct dc_json_writer *json)
{
  dc_json_begin(json, "rows", '[');
  for (long i = since; i < live->row_count; i++) {
    const dcsim_progress *row = &live->rows[i];
    dc_json_begin(json, NULL, '[');
    dc_json_put_integer(json, NULL, row->iteration);
    dc_json_put_number(json, NULL, row->loss);
    dc_json_put_number(json, NULL, row->best_loss);
    dc_json_put_number(json, NULL, row->gradient_norm);
    dc_json_put_number(json, NULL, row->min_gap);
    dc_json_put_number(json, NULL, row->seconds);
    dc_json_end(json, "]");
  }
  dc_json_end(json, "]");
}

// Writes the state for a page that has `since` rows of this generation; of another generation, it gets all
// rows.
// A page asks with the number of rows that it has; the answer has only newer ones, which keeps polling cheap.  The
// log is short and sent as a whole.  A page that asks in the last phase has been told of the end.
void dc_live_put_state(struct dc_live *live, long since, long generation, struct dc_json_writer *json)
{
  static const char *const phases[] = {"running", "paused", "stopping", "ended"};
  pthread_mutex_lock(&live->lock);
  live->asked = dc_seconds();
  live->told = live->told || live->phase == DC_LIVE_ENDED;
  dc_json_put_string(json, "phase", phases[live->phase]);
  dc_json_put_string(json, "unit", live->unit);
  DC_JSON_NUMBERS(json, {"iteration", live->last.iteration}, {"iterations", live->last.iterations},
                  {"fraction", live->last.fraction}, {"loss", live->last.loss}, {"best", live->last.best_loss},
                  {"min_gap", live->last.min_gap}, {"seconds", live->last.seconds}, {"trajectory", live->version},
                  {"generation", live->generation});
  long first = generation == live->generation && since >= 0 && since <= live->row_count ? since : 0;
  dc_json_put_integer(json, "from", first);
  put_rows(live, first, json);
  dc_json_begin(json, "log", '[');
  long oldest = live->log_count > LOG_LINES ? live->log_count - LOG_LINES : 0;
  for (long i = oldest; i < live->log_count; i++)
    dc_json_put_string(json, NULL, live->log[i % LOG_LINES]);
  dc_json_end(json, "]");
  pthread_mutex_unlock(&live->lock);
}

// The copy is the caller's until the next call; only the server's thread calls this.
const struct dc_stored_trajectory *dc_live_take(struct dc_live *live, long *version)
{
  pthread_mutex_lock(&live->lock);
  copy_stored(live, &live->taken, &live->best);
  *version = live->version;
  pthread_mutex_unlock(&live->lock);
  return &live->taken;
}
