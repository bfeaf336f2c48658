// SPDX-License-Identifier: Apache-2.0
// Advice: the symptom of a run that did not come out, or of a scene that asks for trouble, and what to try next
// (docs/advice.md).  Private to src/commands.
#ifndef DC_COMMANDS_ADVICE_H
#define DC_COMMANDS_ADVICE_H

#include "commands/session.h"

enum { DC_MOST_ADVICE = 8 };

struct dc_advice {
  const char *symptom;  // its name: "oscillating", ...
  char says[400];       // one sentence
  char attempt[600];    // a command or a change of the scene; empty: none
};

struct dc_advice_list {
  int count;
  struct dc_advice items[DC_MOST_ADVICE];
};

// Appends one, with an empty attempt; a last place that nobody reads when the list is full.  says as of printf.
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
// Measures how near bodies [count] come; it looks at as many frames as take about a second.  DC_MEMORY.
enum dc_status dc_advice_nearness(const struct dc_scene *scene, const struct dc_trajectory *trajectory, int body,
                                  struct dc_nearness *nearness, struct dc_error *error);
// Whether a control moves the body or what carries it.
bool dc_advice_is_driven(const struct dc_scene *scene, int body);

// Adds advice on an optimization that has ended.  DC_MEMORY.
enum dc_status dc_advise_run(struct session *session, const struct outcome *outcome, const dcsim_result *result,
                             struct dc_advice_list *list);

// Facts about a scene that a check has established.
struct dc_scene_facts {
  const double *far_force;  // [bodies] N, of the field of other bodies that move, at the start
  const bool *touched;      // [bodies] by a body that moves
  double resting_gap;       // largest part of its size by which a body floats at rest; NAN: none rests
  int floating;             // that body
};
void dc_advise_scene(const struct dc_scene *scene, const struct dc_scene_facts *facts, struct dc_advice_list *list);

#endif
