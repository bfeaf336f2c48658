// SPDX-License-Identifier: Apache-2.0
// What the live view keeps of a run: bounded, whatever the run does.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/live.h"
#include "harness.h"

enum { STEPS = 3000, ROWS = 10000 };

static char *state_of(struct dc_live *live, long since, long generation)
{
  struct dc_json_writer json = {0};
  dc_json_begin(&json, NULL, '{');
  dc_live_put_state(live, since, generation, &json);
  dc_json_end(&json, "}");
  return dc_json_finish(&json);
}

static long number_of(const char *state, const char *key)
{
  const char *place = strstr(state, key);
  return place ? strtol(place + strlen(key), NULL, 10) : -1;
}

// Rows in the state: each begins with a bracket within the list.
static int count_rows(const char *state)
{
  int rows = -1;  // the list itself
  for (const char *at = strstr(state, "\"rows\""), *end = strstr(state, "\"log\""); at && at < end; at++)
    rows += *at == '[';
  return rows;
}

static void test_rows(struct dc_live *live, const double *poses)
{
  for (int i = 0; i < ROWS; i++) {
    dcsim_trajectory best = {.steps = STEPS, .bodies = 1, .time_step = 0.01, .poses = poses};
    dcsim_progress progress = {.iteration = i,
                               .iterations = ROWS,
                               .loss = 1.0 / (i + 1),
                               .best_loss = 1.0 / (i + 1),
                               .gradient_norm = 1,
                               .min_gap = NAN,
                               .is_best = i % 100 == 0,
                               .best = &best};
    CHECK(dc_live_observe(live, &progress) == 0, "nothing was wished for");
  }
  char *state = state_of(live, 0, -1);
  int rows = count_rows(state);
  CHECK(rows >= 1024 && rows <= 2048, "%d rows", rows);
  CHECK(number_of(state, "\"generation\": ") == 3, "generation");
  CHECK(number_of(state, "\"iteration\": ") == ROWS - 1, "the last iteration");
  CHECK(number_of(state, "\"trajectory\": ") == 100, "the version of the trajectory");
  CHECK(strlen(state) < 600000, "%zu bytes", strlen(state));
  free(state);
  state = state_of(live, rows - 5, 3);
  CHECK(count_rows(state) == 5, "5 new rows");
  free(state);
  state = state_of(live, rows - 5, 2);  // of an earlier generation: all of them
  CHECK(count_rows(state) == rows, "all rows of another generation");
  free(state);
}

static void test_trajectory(struct dc_live *live, const double *poses)
{
  long version;
  const struct dc_stored_trajectory *taken = dc_live_take(live, &version);
  CHECK(version == 100, "version");
  CHECK(taken->frames == 2000 && taken->all_frames == STEPS + 1, "2000 of all frames");
  CHECK(taken->time[0] == 0 && taken->time[1999] == STEPS * 0.01, "times");
  CHECK(taken->position[3 * 1999 + 2] == poses[DCSIM_POSE * STEPS + 2], "the last frame");
  CHECK(taken->quaternion[4 * 1999] == 1, "rotations");
}

// What a run has left, of more frames than there is room for: the end is among those that are shown.
static void test_stored(struct dc_live *live, const double *poses)
{
  long version;
  double *numbers = dc_alloc(8 * (STEPS + 1), sizeof *numbers);
  struct dc_stored_trajectory stored = {.frames = STEPS + 1,
                                        .all_frames = 2 * STEPS,
                                        .bodies = 1,
                                        .time = numbers,
                                        .position = numbers + STEPS + 1,
                                        .quaternion = numbers + 4 * (STEPS + 1)};
  for (int i = 0; i <= STEPS; i++) {
    stored.time[i] = i;
    stored.position[3 * i + 2] = poses[DCSIM_POSE * i + 2];
    stored.quaternion[4 * i] = 1;
  }
  dc_live_set_stored(live, &stored);
  const struct dc_stored_trajectory *taken = dc_live_take(live, &version);
  CHECK(version == 101 && taken->frames == 2000 && taken->all_frames == 2 * STEPS, "2000 frames");
  CHECK(taken->time[1999] == STEPS && taken->position[3 * 1999 + 2] == STEPS, "the last one");
  free(numbers);
}

// A soft body of two nodes behind a free body's seven numbers.
static void test_nodes(void)
{
  enum { NODES = 2, NQ = 7 + 3 * NODES, LONG = 5 };
  struct dc_body body = {.start.quaternion = {1, 0, 0, 0}};
  double start[NQ] = {0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6}, q[(LONG + 1) * NQ], poses[(LONG + 1) * DCSIM_POSE] = {0};
  struct dc_bodies bodies = {
      .count = 1, .bodies = &body, .node_count = NODES, .first_node_q = 7, .nq = NQ, .initial_q = start};
  struct dc_live *live = dc_live_create(&bodies, LONG);
  long version;
  CHECK(dc_live_take(live, &version)->nodes[5] == 6, "at the start");
  for (int i = 0; i < (LONG + 1) * NQ; i++)
    q[i] = i;
  dc_live_set_trajectory(
      live, &(dcsim_trajectory){.steps = LONG, .bodies = 1, .nq = NQ, .time_step = 0.1, .poses = poses, .q = q});
  const struct dc_stored_trajectory *taken = dc_live_take(live, &version);
  CHECK(taken->frames == LONG + 1 && taken->nodes[0] == 7, "the first frame");
  CHECK(taken->nodes[3 * NODES * LONG + 5] == (LONG + 1) * NQ - 1, "the last number of the last frame");
  dc_live_destroy(live);
}

static void test_wishes(struct dc_live *live)
{
  CHECK(!dc_live_wish(live, "explode"), "a button of no name");
  CHECK(dc_live_wish(live, "pause") && dc_live_is_paused(live), "pause");
  CHECK(dc_live_wish(live, "resume") && !dc_live_is_paused(live), "going on");
  CHECK(dc_live_wish(live, "checkpoint"), "a checkpoint");
  CHECK(dc_live_observe(live, NULL) == DCSIM_PROGRESS_CHECKPOINT, "is wished for");
  CHECK(dc_live_observe(live, NULL) == 0, "once");
  CHECK(dc_live_wish(live, "pause"), "pause again");
  CHECK(dc_live_wish(live, "stop") && !dc_live_is_paused(live), "stop ends a pause");
  CHECK(dc_live_observe(live, NULL) == DCSIM_PROGRESS_STOP, "stop");
  CHECK(!dc_live_wish(live, "pause"), "too late");
  CHECK(!dc_live_is_told(live), "not told yet");
  dc_live_end(live, "over");
  free(state_of(live, 0, 0));
  CHECK(dc_live_is_told(live), "told");
}

static void test_all(void)
{
  struct dc_body body = {.start.quaternion = {1, 0, 0, 0}};
  struct dc_bodies bodies = {.count = 1, .bodies = &body};
  struct dc_live *live = dc_live_create(&bodies, STEPS);
  double *poses = dc_alloc((STEPS + 1) * DCSIM_POSE, sizeof *poses);
  for (int i = 0; i <= STEPS; i++) {
    poses[DCSIM_POSE * i + 2] = i;
    poses[DCSIM_POSE * i + 3] = 1;
  }
  test_rows(live, poses);
  test_trajectory(live, poses);
  test_stored(live, poses);
  test_wishes(live);
  dc_live_destroy(live);
  free(poses);
}

RUN_TESTS({"rows, trajectory and wishes", test_all}, {"nodes of soft bodies", test_nodes})
