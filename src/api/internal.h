// SPDX-License-Identifier: Apache-2.0
// Private to src/api.
#ifndef DC_API_INTERNAL_H
#define DC_API_INTERNAL_H

#include <dcsim.h>

#include "io/json/json_text.h"
#include "io/json/json_write.h"
#include "io/scene/scene.h"
#include "plan/trajectory_plan.h"

struct dcsim_scene {
  struct dc_scene *scene;
  uint64_t seed;
  // The words by which a command opens it again: its file, then option and value in turn ("--set", "a.b=1"), each
  // ending in a zero, the last followed by an empty word.  NULL of a text.
  char *words;
};

// Copies *local into *error and returns its status.
int dc_api_fail(dcsim_error *error, const struct dc_error *local, enum dc_status status);
// DCSIM_USAGE, with a message, for a handle or a place that is NULL.
int dc_api_need(const void *pointer, const char *name, dcsim_error *error);

// DC_USAGE where numbers [count] of the caller are not there or not finite; name is for the message.
enum dc_status dc_api_check_finite(const char *name, const double *numbers, int count, struct dc_error *error);

// Structs of the public interface that begin with their size.  Read: fills own, which holds the defaults, from what the
// caller gave (NULL: nothing); DC_USAGE when its size is none or it sets what this library does not know.  Write:
// copies as much of own as the caller's struct holds and leaves its size alone; DC_USAGE when it has none.
enum dc_status dc_api_read_sized(void *own, size_t size, const void *given, struct dc_error *error);
enum dc_status dc_api_write_sized(const void *own, size_t size, void *given, struct dc_error *error);

// dc_api_fail for calls that tell DC_INFEASIBLE from other failures.
int dc_api_fail_in_process(dcsim_error *error, const struct dc_error *local, enum dc_status status);

// Hands over text and JSON; report may be NULL.  DCSIM_MEMORY when either could not be built.
int dc_api_report(dcsim_report *report, struct dc_text *text, struct dc_json_writer *json, dcsim_error *error);
// The same where status is DC_OK; else releases text and JSON and fails with it.
int dc_api_answer(enum dc_status status, const struct dc_error *local, dcsim_report *report, struct dc_text *text,
                  struct dc_json_writer *json, dcsim_error *error);
// The notes of a scene: lines, and the array "notes".
void dc_api_describe_notes(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json);

// Adds one indented line per option to text and their array "options" to json; nested options follow theirs, indented
// deeper and as "options" of their own.  options may be NULL.
void dc_api_describe_options(const struct dc_option *options, int indentation, struct dc_text *text,
                             struct dc_json_writer *json);

// "smallest WHAT 0.012 m" with so many digits, or, when it is not finite, that no two bodies can meet.
void dc_api_add_gap(struct dc_text *text, const char *what, int digits, double gap);

// Steps that an optimizer sees at a time: those of the scene or of a window of its horizon.
int dc_api_optimized_steps(const struct dc_scene *scene);

// "1.2 MB" or "3.4 GB" into text; returns it.
const char *dc_api_format_bytes(double bytes, char text[32]);
// Whether the frames of a simulation with a run directory are kept in a file there instead of in memory.
bool dc_api_frames_in_file(const struct dc_scene *scene);
// About how many bytes a simulation or an optimization of the scene takes, without its files; in_memory: frames
// included wherever they are kept.
double dc_api_run_bytes(const struct dc_scene *scene, bool optimizing, bool in_memory);
// The same of evaluations in memory over so many steps.
double dc_api_problem_bytes(const struct dc_scene *scene, double steps);
// DC_MEMORY with both numbers when that is more than this machine has or the process may have.
enum dc_status dc_api_check_memory(const struct dc_scene *scene, double bytes, struct dc_error *error);

// Radius, m, of a moving body above which `check` asks whether that is meant.
#define DC_HUGE_RADIUS 20
// Applies the plan's parameters to its input; DC_BAD_INPUT when bodies then overlap: where the body or the control that
// put it there stands in the scene's file, names, place and depth.
enum dc_status dc_api_check_start(const struct dc_scene *scene, struct dc_plan *plan, struct dc_error *error);
// DC_BAD_INPUT, with the place of the design, when the scene's gradients are by the adjoint, which has no derivatives
// by the shapes that it changes.
enum dc_status dc_api_check_gradient(const struct dc_scene *scene, const struct dc_plan *plan, struct dc_error *error);

#endif
