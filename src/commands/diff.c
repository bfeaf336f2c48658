// SPDX-License-Identifier: Apache-2.0
// dcsim_diff: two runs side by side.  Settings, provenance and results are compared member by member, trajectories
// frame by frame.
//
// Equal means the same bits: runs of one scene by one build do not depend on threads or machine load, so that the first
// difference in the bits is where two runs part, long before their losses do.  Times and places (run.json) are not
// compared.  Two runs are the same if rows, frames, contacts and settings are; another version or processor is told but
// is no difference.  The exit status is 1 where they differ.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "commands/run_scene.h"
#include "io/json/json_differences.h"
#include "io/run/run.h"
#include "io/run/run_files.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_BODIES_TOLD = 10, MOST_SETTINGS_TOLD = 40, MOST_VALUE_TOLD = 60, MOST_ROWS_BYTES = 1 << 30 };

// One of the two runs: its scene as it was resolved, its results, rows and trajectories.
// Everything of a side is owned by it and released by close_diff.  The scene is opened again from resolved.json, so
// that bodies and joints have names.
struct side {
  const char *directory;
  dcsim_scene *scene;
  struct dc_run_result result;
  struct dc_stored_trajectory best, first;
  char *rows;  // loss.csv
  size_t rows_size;
};

// How far a body ends from where it ends in the other run.
struct apart {
  const char *body;
  double position, rotation;  // m, rad
};

// Both runs and how they differ.  settings: members of the resolved scenes that differ, and meshes; origins: members of
// run.json that say where numbers come from.
struct diff {
  struct side sides[2];
  long row_counts[2], first_row;  // -1: same rows
  int first_frame;                // of the best trajectories, -1: same
  bool same_first_trajectory;
  struct apart *apart;  // [apart_count], the farthest first
  int apart_count;
  struct dc_arena *arena;
  struct dc_json_differences settings, origins;
};

// Opens the scene of a run and reads trajectories, results and rows.  Released by close_diff, also after a failure.
static enum dc_status read_side(struct side *side, dcsim_error *outside)
{
  struct dc_error error = {0};
  int opened = dc_api_open_run_scene(side->directory, "resolved.json", NULL, &side->scene, outside);
  if (opened)
    return (enum dc_status)opened;
  const struct dc_scene *scene = side->scene->scene;
  enum dc_status status = dc_run_read_trajectory(side->directory, scene, &side->best, &error);
  if (!status)
    status = dc_run_read_first_trajectory(side->directory, scene, &side->first, &error);
  if (!status)
    status = dc_run_read_result(side->directory, &side->result, &error);
  char *path = dc_path_join(side->directory, "loss.csv");
  if (!status)
    status = path ? dc_file_read(path, MOST_ROWS_BYTES, &side->rows, &side->rows_size, &error)
                  : dc_out_of_memory_in(&error, side->directory);
  free(path);
  if (status)
    dc_api_fail(outside, &error, status);
  return status;
}

// Releases what was read of both sides, also of a side that could be read only in part.
static void close_diff(struct diff *diff)
{
  for (int i = 0; i < 2; i++) {
    dc_arena_destroy(diff->sides[i].best.arena);
    dc_arena_destroy(diff->sides[i].first.arena);
    dcsim_scene_close(diff->sides[i].scene);
    free(diff->sides[i].rows);
  }
  free(diff->apart);
  free(diff->settings.items);
  free(diff->origins.items);
  dc_arena_destroy(diff->arena);
}

// Counts the rows behind the headers and finds the first that differs.  Lines are compared as texts: numbers are
// printed so that equal bits give equal texts.
static void compare_rows(struct diff *diff)
{
  const char *at[2] = {diff->sides[0].rows, diff->sides[1].rows};
  diff->first_row = -1;
  for (long line = 0; *at[0] || *at[1]; line++) {
    size_t lengths[2];
    for (int i = 0; i < 2; i++) {
      lengths[i] = strcspn(at[i], "\n");
      diff->row_counts[i] += *at[i] && line > 0;
    }
    bool same = *at[0] && *at[1] && lengths[0] == lengths[1] && memcmp(at[0], at[1], lengths[0]) == 0;
    if (!same && diff->first_row < 0)
      diff->first_row = line > 0 ? line - 1 : 0;
    for (int i = 0; i < 2; i++)
      at[i] += lengths[i] + (at[i][lengths[i]] == '\n');
  }
}

// Whether row `frame` of two arrays with `width` numbers a row has the same bits: NaN equals itself, 0 and -0 differ.
// Arrays that both runs lack are the same.
static bool same_numbers(const double *one, const double *other, size_t frame, size_t width)
{
  if (!one || !other)
    return one == other;
  return width == 0 || memcmp(one + frame * width, other + frame * width, width * sizeof *one) == 0;
}

// All that a frame holds: time, poses, least gap, nodes of soft bodies, motion, coordinates of joints.
static bool same_frame(const struct dc_bodies *of, const struct dc_stored_trajectory *one,
                       const struct dc_stored_trajectory *other, size_t frame)
{
  size_t bodies = (size_t)one->bodies;
  bool same = same_numbers(one->time, other->time, frame, 1) &&
              same_numbers(one->position, other->position, frame, 3 * bodies) &&
              same_numbers(one->quaternion, other->quaternion, frame, 4 * bodies) &&
              same_numbers(one->min_gap, other->min_gap, frame, 1) &&
              same_numbers(one->nodes, other->nodes, frame, 3 * (size_t)of->node_count);
  for (enum dc_motion m = 0; m < DC_MOTIONS && same; m++)
    same = same_numbers(one->motion[m], other->motion[m], frame, (size_t)dc_motion_columns(of, m, NULL));
  for (int j = 0; j < one->joint_count && same; j++)
    same = same_numbers(one->joints[j].values, other->joints[j].values, frame, (size_t)one->joints[j].width);
  return same;
}

// Walks both lists of contacts side by side and returns the first frame at which they differ; `frames` when
// they do not.  Lists are ordered by frame, so that the first difference is the earliest.
// A contact has five arrays: frame, bodies [2], gap, force [3] and friction [3].  Where only one list goes on, its
// next contact is the difference; where both go on with different frames, the earlier of the two frames is.
static int compare_contacts(const struct dc_stored_contacts *one, const struct dc_stored_contacts *other, int frames)
{
  for (int c = 0;; c++) {
    bool left = c < one->count, right = c < other->count;
    if (!left || !right)
      return left ? (int)one->frame[c] : right ? (int)other->frame[c] : frames;
    size_t row = (size_t)c;
    if (!same_numbers(one->frame, other->frame, row, 1))
      return (int)fmin(one->frame[c], other->frame[c]);
    if (!same_numbers(one->bodies, other->bodies, row, 2) || !same_numbers(one->gap, other->gap, row, 1) ||
        !same_numbers(one->force, other->force, row, 3) || !same_numbers(one->friction, other->friction, row, 3))
      return (int)one->frame[c];
  }
}

// Whether the numbers of a frame are of the same joints.
static bool same_columns(const struct dc_bodies *const bodies[2])
{
  for (enum dc_motion m = 0; m < DC_MOTIONS; m++)
    if (dc_motion_columns(bodies[0], m, NULL) != dc_motion_columns(bodies[1], m, NULL))
      return false;
  return true;
}

// Returns the first frame that differs, or -1.  Trajectories are comparable if bodies, joints and nodes are the
// same by name and number; others differ from their beginning.  Parameters that differ, with all frames equal,
// count as a difference behind the last frame.
// Contacts are compared first, for their list is walked once; the frame at which they differ then competes with the
// frames' own numbers for the earliest difference.
static int compare_trajectories(const struct dc_bodies *const bodies[2], const struct dc_stored_trajectory *one,
                                const struct dc_stored_trajectory *other)
{
  bool comparable = one->bodies == other->bodies && one->joint_count == other->joint_count;
  for (int b = 0; b < one->bodies && comparable; b++)
    comparable = strcmp(bodies[0]->bodies[b].name, bodies[1]->bodies[b].name) == 0;
  for (int j = 0; j < one->joint_count && comparable; j++)
    comparable = one->joints[j].body == other->joints[j].body && one->joints[j].width == other->joints[j].width;
  comparable &= bodies[0]->node_count == bodies[1]->node_count;
  if (!comparable || !same_columns(bodies))
    return 0;
  int frames = one->frames < other->frames ? one->frames : other->frames;
  int touching = compare_contacts(&one->contacts, &other->contacts, frames);
  for (int f = 0; f < frames; f++)
    if (f == touching || !same_frame(bodies[0], one, other, (size_t)f))
      return f;
  bool same_control = one->control_count == other->control_count &&
                      same_numbers(one->control, other->control, 0, (size_t)one->control_count);
  return one->frames != other->frames || !same_control ? frames : -1;
}

// Order of qsort: by distance, then by angle, then by name, so that a report never depends on the sort.
static int farther_first(const void *one, const void *other)
{
  const struct apart *a = one, *b = other;
  if (a->position != b->position)
    return a->position < b->position ? 1 : -1;
  if (a->rotation != b->rotation)
    return a->rotation < b->rotation ? 1 : -1;
  return strcmp(a->body, b->body);
}

// The last frame's numbers of a body in an array [frames][bodies][width].
static const double *last_pose(const struct dc_stored_trajectory *trajectory, const double *numbers, int body,
                               int width)
{
  size_t row = (size_t)(trajectory->frames - 1) * (size_t)trajectory->bodies + (size_t)body;
  return numbers + row * (size_t)width;
}

// The angle of the rotation that takes one unit quaternion to the other, rad.
// The angle is |log(q₁* q₂)|.  Equal bits return exactly 0, because the product of a quaternion with its conjugate is
// rounded and its logarithm need not be zero.
static double angle_between(const double *one, const double *other)
{
  double back[4], between[4], turn[3];
  if (memcmp(one, other, sizeof back) == 0)
    return 0;  // without rounding
  dc_rotation_conjugate(back, one);
  dc_rotation_multiply(between, back, other);
  dc_rotation_log(turn, between);
  return dc_vec_norm(turn);
}

// Index of a body by its name, -1 without; guess is where it stands in the other run, mostly its own place, too.
static int find_body(const struct dc_bodies *bodies, const char *name, int guess)
{
  if (guess < bodies->count && strcmp(bodies->bodies[guess].name, name) == 0)
    return guess;
  for (int b = 0; b < bodies->count; b++)
    if (strcmp(bodies->bodies[b].name, name) == 0)
      return b;
  return -1;
}

// Measures how far apart each body ends that both runs have, matched by name.
static enum dc_status compare_ends(struct diff *diff, const struct dc_bodies *const bodies[2], struct dc_error *error)
{
  const struct dc_stored_trajectory *one = &diff->sides[0].best, *other = &diff->sides[1].best;
  diff->apart = dc_alloc((size_t)bodies[0]->count, sizeof *diff->apart);
  if (!diff->apart)
    return dc_out_of_memory_for(error, "%d bodies", bodies[0]->count);
  for (int b = 0; b < bodies[0]->count; b++) {
    int twin = find_body(bodies[1], bodies[0]->bodies[b].name, b);
    if (twin < 0)
      continue;
    struct apart *apart = &diff->apart[diff->apart_count++];
    apart->body = bodies[0]->bodies[b].name;
    apart->position = dc_vec_distance(last_pose(one, one->position, b, 3), last_pose(other, other->position, twin, 3));
    apart->rotation =
        angle_between(last_pose(one, one->quaternion, b, 4), last_pose(other, other->quaternion, twin, 4));
  }
  qsort(diff->apart, (size_t)diff->apart_count, sizeof *diff->apart, farther_first);
  return DC_OK;
}

// Whether a member of run.json tells where numbers come from; the others are times, places and the result.
static bool tells_origin(const char *path)
{
  static const char *const names[] = {"version",    "vector_width", "blas_core", "libraries",
                                      "scene_hash", "seed",         "processor", NULL};
  for (int i = 0; names[i]; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(path, names[i], length) == 0 && (path[length] == '\0' || path[length] == '.'))
      return true;
  }
  return false;
}

// Members of one JSON file of both runs that differ.
static enum dc_status compare_files(struct diff *diff, const char *name, struct dc_json_differences *differences,
                                    struct dc_error *error)
{
  char *paths[2];
  for (int i = 0; i < 2; i++)
    paths[i] = dc_path_join(diff->sides[i].directory, name);
  enum dc_status status = paths[0] && paths[1]
                              ? dc_json_compare((const char *const *)paths, diff->arena, differences, error)
                              : dc_out_of_memory_for(error, "%s", name);
  free(paths[0]);
  free(paths[1]);
  return status;
}

// Compares resolved scenes and run.json member by member.  The latter's origins are kept, its results and times
// dropped; its mesh hash counts as a setting, as meshes are settings of which only the hash is known here.
// The arena holds paths and values of both lists until close_diff.  Origins are filtered in place.
static enum dc_status compare_settings(struct diff *diff, struct dc_error *error)
{
  diff->arena = dc_arena_create();
  if (!diff->arena)
    return dc_out_of_memory_for(error, "settings");
  enum dc_status status = compare_files(diff, "resolved.json", &diff->settings, error);
  if (!status)
    status = compare_files(diff, "run.json", &diff->origins, error);
  size_t kept = 0;
  for (size_t i = 0; i < diff->origins.count && !status; i++) {
    struct dc_json_difference difference = diff->origins.items[i];
    struct dc_json_differences *list = &diff->settings;
    if (tells_origin(difference.path)) {
      diff->origins.items[kept++] = difference;
    } else if (strcmp(difference.path, "mesh_hash") == 0) {
      if (dc_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items) != 0)
        return dc_out_of_memory_for(error, "settings");
      list->items[list->count++] = difference;
    }
  }
  diff->origins.count = kept;
  return status;
}

// Makes all comparisons: rows, best and first trajectories, where bodies end, settings.  Each is made whatever
// the others found.
// compare_rows, trajectories and ends need no memory but the list of bodies; settings come last, as they may fail.
static enum dc_status compare_runs(struct diff *diff, struct dc_error *error)
{
  const struct side *sides = diff->sides;
  const struct dc_bodies *const bodies[2] = {&sides[0].scene->scene->model.bodies,
                                             &sides[1].scene->scene->model.bodies};
  compare_rows(diff);
  diff->first_frame = compare_trajectories(bodies, &sides[0].best, &sides[1].best);
  diff->same_first_trajectory = compare_trajectories(bodies, &sides[0].first, &sides[1].first) < 0;
  enum dc_status status = compare_ends(diff, bodies, error);
  return status ? status : compare_settings(diff, error);
}

// Another version or processor alone is no difference.
static bool same_runs(const struct diff *diff)
{
  return diff->first_row < 0 && diff->first_frame < 0 && diff->same_first_trajectory && diff->settings.count == 0;
}

static void put_pair(struct dc_json_writer *json, const char *key, double one, double other)
{
  const double numbers[2] = {one, other};
  dc_json_put_numbers(json, key, numbers, 2);
}

// The first row or frame that differs; null: none.
static void put_first(struct dc_json_writer *json, long first)
{
  if (first < 0)
    dc_json_put_raw(json, "first_difference", "null");
  else
    dc_json_put_integer(json, "first_difference", first);
}

// Settings that differ, with both values as they stand in the files.
static void put_differences(struct dc_json_writer *json, const char *key, const struct dc_json_differences *differences)
{
  dc_json_begin(json, key, '[');
  for (size_t i = 0; i < differences->count; i++) {
    const struct dc_json_difference *difference = &differences->items[i];
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "path", difference->path);
    // A missing value is omitted, since null is a value.
    for (int k = 0; k < 2; k++)
      if (difference->values[k])
        dc_json_put_raw(json, k ? "second" : "first", difference->values[k]);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// Names of bodies that only one run has.
static void put_strangers(struct dc_json_writer *json, const char *key, const struct side *side,
                          const struct side *other)
{
  const struct dc_bodies *bodies = &side->scene->scene->model.bodies;
  dc_json_begin(json, key, '[');
  for (int b = 0; b < bodies->count; b++)
    if (find_body(&other->scene->scene->model.bodies, bodies->bodies[b].name, b) < 0)
      dc_json_put_string(json, NULL, bodies->bodies[b].name);
  dc_json_end(json, "]");
}

// Everything as JSON; pairs of numbers are [first run, second run].
static void put_json(const struct diff *diff, struct dc_json_writer *json)
{
  const struct side *one = &diff->sides[0], *other = &diff->sides[1];
  dc_json_begin(json, NULL, '{');
  dc_json_put_boolean(json, "same", same_runs(diff));
  dc_json_begin(json, "runs", '[');
  dc_json_put_string(json, NULL, one->directory);
  dc_json_put_string(json, NULL, other->directory);
  dc_json_end(json, "]");
  put_pair(json, "loss", one->result.loss, other->result.loss);
  put_pair(json, "initial_loss", one->result.initial_loss, other->result.initial_loss);
  put_pair(json, "min_gap", one->result.min_gap, other->result.min_gap);
  put_pair(json, "iterations", (double)one->result.iterations, (double)other->result.iterations);
  put_pair(json, "steps", (double)one->result.steps, (double)other->result.steps);
  dc_json_begin(json, "success", '[');
  dc_json_put_boolean(json, NULL, one->result.success);
  dc_json_put_boolean(json, NULL, other->result.success);
  dc_json_end(json, "]");
  dc_json_begin(json, "rows", '{');
  put_pair(json, "count", (double)diff->row_counts[0], (double)diff->row_counts[1]);
  put_first(json, diff->first_row);
  dc_json_end(json, "}");
  dc_json_begin(json, "trajectory", '{');
  put_pair(json, "frames", one->best.frames, other->best.frames);
  put_first(json, diff->first_frame);
  dc_json_put_boolean(json, "same_first_trajectory", diff->same_first_trajectory);
  dc_json_end(json, "}");
  dc_json_begin(json, "bodies", '[');
  for (int i = 0; i < diff->apart_count; i++) {
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "body", diff->apart[i].body);
    dc_json_put_number(json, "position", diff->apart[i].position);
    dc_json_put_number(json, "rotation", diff->apart[i].rotation);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
  put_strangers(json, "only_in_first", one, other);
  put_strangers(json, "only_in_second", other, one);
  put_differences(json, "settings", &diff->settings);
  put_differences(json, "origins", &diff->origins);
  dc_json_end(json, "}");
}

// The beginning of a value, no longer than a line of the terminal bears.
static void tell_value(struct dc_text *text, const char *value)
{
  size_t length = value ? strlen(value) : 0, shown = length;
  if (length > MOST_VALUE_TOLD)
    for (shown = MOST_VALUE_TOLD; shown && (value[shown] & 0xc0) == 0x80; shown--)  // whole characters
      ;
  dc_text_add(text, "%.*s%s", value ? (int)shown : 9, value ? value : "not there", shown < length ? "..." : "");
}

// A line for each member that differs: its path, and its value in either run.
static void tell_differences(struct dc_text *text, const char *title, const struct dc_json_differences *differences)
{
  if (!differences->count)
    return;
  dc_text_add(text, "%s:\n", title);
  for (size_t i = 0; i < differences->count && i < MOST_SETTINGS_TOLD; i++) {
    dc_text_add(text, "  %s: ", differences->items[i].path);
    tell_value(text, differences->items[i].values[0]);
    dc_text_add(text, " | ");
    tell_value(text, differences->items[i].values[1]);
    dc_text_add(text, "\n");
  }
  if (differences->count > MOST_SETTINGS_TOLD)
    dc_text_add(text, "  and %zu more\n", differences->count - MOST_SETTINGS_TOLD);
}

// Bodies that end elsewhere, the farthest first.
static void tell_bodies(const struct diff *diff, struct dc_text *text)
{
  int moved = 0;
  for (int i = 0; i < diff->apart_count; i++)
    moved += diff->apart[i].position > 0 || diff->apart[i].rotation > 0;
  if (!moved)
    return;
  dc_text_add(text, "bodies that end apart:\n");
  for (int i = 0, told = 0; i < diff->apart_count && told < MOST_BODIES_TOLD; i++) {
    const struct apart *apart = &diff->apart[i];
    if (!(apart->position > 0 || apart->rotation > 0))
      continue;
    dc_text_add(text, "  %s: %.3g m, %.3g rad\n", apart->body, apart->position, apart->rotation);
    told++;
  }
  if (moved > MOST_BODIES_TOLD)
    dc_text_add(text, "  and %d more\n", moved - MOST_BODIES_TOLD);
}

// The same in words, with the parts that differ only.
static void put_text(const struct diff *diff, struct dc_text *text)
{
  const struct side *sides = diff->sides;
  for (int i = 0; i < 2; i++) {
    dc_text_add(text, "%s: loss %.6g -> %.6g, %ld iteration%s, %ld step%s, ", sides[i].directory,
                sides[i].result.initial_loss, sides[i].result.loss, sides[i].result.iterations,
                dc_plural(sides[i].result.iterations), sides[i].result.steps, dc_plural(sides[i].result.steps));
    dc_api_add_gap(text, "gap", 3, sides[i].result.min_gap);
    dc_text_add(text, "%s\n", sides[i].result.success ? ", task reached" : "");
  }
  if (same_runs(diff))
    dc_text_add(text, "the runs are the same: %ld row%s, %d frame%s, settings\n", diff->row_counts[0],
                dc_plural(diff->row_counts[0]), sides[0].best.frames, dc_plural(sides[0].best.frames));
  if (diff->first_row >= 0)
    dc_text_add(text, "loss.csv: %ld and %ld rows, which differ from row %ld on\n", diff->row_counts[0],
                diff->row_counts[1], diff->first_row);
  if (diff->first_frame >= 0)
    dc_text_add(text, "trajectory: %d and %d frames, which differ from frame %d on\n", sides[0].best.frames,
                sides[1].best.frames, diff->first_frame);
  if (!diff->same_first_trajectory)
    dc_text_add(text, "first trajectory: differs\n");
  tell_bodies(diff, text);
  tell_differences(text, "settings", &diff->settings);
  tell_differences(text, "where they come from", &diff->origins);
}

// Reads, compares and reports.  DCSIM_UNMET if the runs differ; the report says how.
// A report that cannot be made leaves its own status; a difference alone leaves no message, since the report is one.
static int diff_runs(struct diff *diff, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  for (int i = 0; i < 2; i++) {
    enum dc_status read = read_side(&diff->sides[i], error);
    if (read)
      return (int)read;
  }
  enum dc_status status = compare_runs(diff, &local);
  if (status)
    return dc_api_fail(error, &local, status);
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  put_text(diff, &text);
  put_json(diff, &json);
  int outside = dc_api_report(report, &text, &json, error);
  if (outside || same_runs(diff))
    return outside;
  if (error)
    *error = (dcsim_error){.status = DCSIM_UNMET};  // the report says it
  return DCSIM_UNMET;
}

int dcsim_diff(const char *directory, const char *other, dcsim_report *report, dcsim_error *error)
{
  struct diff diff = {.sides = {{.directory = directory}, {.directory = other}}};
  int status = diff_runs(&diff, report, error);
  close_diff(&diff);
  return status;
}
