// SPDX-License-Identifier: Apache-2.0
// Shared by the files that advise on tasks: what was probably meant (advise_task.c), numbers of another unit
// (advise_units.c) and of wrong size (advise_amounts.c), targets that cannot be reached (advise_targets.c,
// advise_axes.c).  Private to them.
#ifndef DC_COMMANDS_ADVISE_TASK_H
#define DC_COMMANDS_ADVISE_TASK_H

#include "commands/advice.h"

// A task that is looked at, and the command whose changes are to be tried.
struct dc_task_site {
  const dcsim_scene *handle;
  const struct dc_scene *scene;
  const char *command;
  const dcsim_run_options *options;  // NULL: the command has none
  struct dc_advice_list *list;
  bool decided;  // something here explains that the task is not reached
};

static inline bool dc_advice_half_space(const struct dc_body *body)
{
  return body->shape->type && body->shape->type->half_space;
}

// Time of the whole run, s.
static inline double dc_advice_duration(const struct dc_scene *scene)
{
  return scene->definition.time.step * (double)scene->definition.time.steps;
}

// Whether an angle of a joint (rad) may have been meant in degrees: it is beyond a turn and no multiple of a twelfth of
// one, as turns of a crank are.  One that is no whole number is beyond two turns, and not near a quarter of a turn or,
// beyond ten turns, near a whole one.
bool dc_advice_may_be_degrees(double angle);
// Distance of two points over the axes that count for the objective, m.
double dc_advice_distance(const struct dc_objective *objective, const double a[3], const double b[3]);
// Sets the part of a way along axes that do not count to 0.
void dc_advice_counted(const struct dc_objective *objective, double way[3]);

// Whether a control acts on this body itself.
bool dc_advice_is_driven(const struct dc_scene *scene, int body);
// Whether a coupling, tendon or tie leads to what the body is joined to, so that it may move without being touched.
bool dc_advice_is_linked(const struct dc_scene *scene, int body);
// Whether all three axes of the objective count.
bool dc_advice_has_all_axes(const struct dc_objective *objective);
// Radius of the ball about the centre of mass that the body certainly contains, m.
double dc_advice_inscribed(const struct dc_body *body);
// Adds advice on numbers of the task that are probably mistakes (advise_amounts.c).
void dc_advise_amounts(struct dc_task_site *site);
// Adds advice on numbers that are probably in another unit (advise_units.c).
void dc_advise_units(struct dc_task_site *site);
// A system of units other than the SI: its names, and how many of its lengths are a metre, and what its mass is in kg.
struct dc_unit_system {
  const char *length, *mass, *force;
  double lengths, masses;  // lengths in a metre; kg in a mass
};
// The one that lengths, masses and gravity of a scene fit together; NULL: none, or the SI.
const struct dc_unit_system *dc_advice_unit_system(const struct dc_scene *scene);
// Adds advice on an objective whose target no joint of its body leads to, poses [bodies] at the start (advise_axes.c).
void dc_advise_axes(struct dc_task_site *site, const struct dc_objective *objective, const struct dc_pose *poses);

// The farthest that a chain on a fixed base brings a body's centre of mass from there, m: the sum of the
// distances from joint to joint, which no turn changes, and the largest travel of its slides.  INFINITY where
// something is free.  base [3]: anchor of the first joint.
double dc_advice_chain_length(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, double base[3]);

// Adds advice on a body with a goal that no control brings anything near to (advise_travel.c).
void dc_advise_travel(struct dc_task_site *site, const struct dc_pose *poses, int body);

// Adds advice on places that bodies are to reach.  Ends with the first advice that explains why the task is not
// reached (site->decided).
void dc_advise_targets(struct dc_task_site *site);

#endif
