// SPDX-License-Identifier: Apache-2.0
// Advice: the symptom of a run that did not come out, or of a scene that asks for trouble, and what to try next
// (docs/advice.md).  Private to src/commands.
#ifndef DC_COMMANDS_ADVICE_H
#define DC_COMMANDS_ADVICE_H

#include "commands/rebound.h"
#include "commands/session.h"

enum { DC_MOST_ADVICE = 12 };

// Changes of a command that is to be tried: contact model and run whose controls it begins with (NULL: those of the
// command that was given), and values of the scene, "path=value".
struct dc_attempt {
  const char *model, *control;
  int count;
  char changes[8][200];
};
struct dc_advice {
  const char *symptom;  // its name: "oscillating", ...
  char says[400];       // one sentence
  char attempt[4000];   // a command that can be pasted; empty: none
  struct dc_attempt changes;  // of that command
};

struct dc_advice_list {
  int count;
  struct dc_advice items[DC_MOST_ADVICE];
};

// Adds a change, as of printf; one too many is left out.
void dc_attempt_set(struct dc_attempt *attempt, const char *change, ...) __attribute__((format(printf, 2, 3)));
// Writes the command into advice->attempt: the one that opened the scene with all its options (without those that the
// attempt replaces), the controls and the output of the run's options (NULL: none), and the changes.  An output that
// exists gets a number behind its name, unless the run was to overwrite.  Nothing where that is too long.
void dc_advice_try(struct dc_advice *advice, const char *command, const dcsim_scene *scene,
                   const dcsim_run_options *options, const struct dc_attempt *attempt);

// Writes the command that goes on with the run in a directory.
void dc_advice_resume(struct dc_advice *advice, const char *command, const char *directory);

// Runs the optimization of a session with the changes of an attempt, for at most `seconds`, in the process and without
// files.  Returns whether it has a loss, with the lowest one and whether the task is reached.
bool dc_advice_run(const struct session *session, const struct dc_attempt *attempt, double seconds, double *loss,
                   bool *reached);

// Appends one, with an empty attempt; a full list loses its last one for it.  says as of printf.
struct dc_advice *dc_advice_add(struct dc_advice_list *list, const char *symptom, const char *says, ...)
    __attribute__((format(printf, 3, 4)));
// Writes "advice": [{"symptom", "says", "try"}] and two lines for each.
void dc_advice_put(const struct dc_advice_list *list, struct dc_text *text, struct dc_json_writer *json);

// How near a body came to others that move, along the frames of a trajectory.
struct dc_nearness {
  double gap;    // smallest, m; INFINITY: there is no body that it could meet
  int other;     // of which body, or -1
  bool touched;  // as near as contact is: 1 % of the smaller body's size, or what both move past each other in a step
};
// Measures how near the body, or one that joints connect it to, comes to others that move; it looks at as many frames
// as take about a second.  DC_MEMORY.
enum dc_status dc_advice_nearness(const struct dc_scene *scene, const struct dc_trajectory *trajectory, int body,
                                  struct dc_nearness *nearness, struct dc_error *error);
// Whether a control moves the body or one that joints connect it to (dc_task_drives), or there are gains.
bool dc_advice_is_held(const struct dc_scene *scene, int body);

// Adds advice on an optimization that has ended.  DC_MEMORY.
enum dc_status dc_advise_run(struct session *session, const struct outcome *outcome, const dcsim_result *result,
                             struct dc_advice_list *list);

// Adds advice on a task that makes no sense or cannot be reached, before it is tried (advise_task.c).  command: the one
// whose changes are to be tried; options as of dc_advice_try.  Returns whether one of them explains that the task is
// not reached.
bool dc_advise_task(const dcsim_scene *handle, const char *command, const dcsim_run_options *options,
                    struct dc_advice_list *list);

// Facts about a scene that a check has established.
struct dc_scene_facts {
  const double *far_force;  // [bodies] N, of the field of other bodies that move, at the start
  const bool *touched;      // [bodies] by a body that moves
  const struct dc_resting *resting;
};
void dc_advise_scene(const dcsim_scene *handle, const struct dc_scene_facts *facts, struct dc_advice_list *list);

// Distance of a point from the surface of a mesh, in its frame, m.
double dc_advice_surface_distance(const struct dc_mesh *mesh, const double point[3]);

#endif
