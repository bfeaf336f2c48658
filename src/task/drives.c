// SPDX-License-Identifier: Apache-2.0
// Which bodies controls move and objectives name (drives.h).  Option tables say which options are bodies.
#include "task/drives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "body/kinematics.h"
#include "body/soft.h"
#include "math/vector.h"

// The soft body whose nodes carry the frame of a body, or -1.
static int carrier_of(const struct dc_bodies *bodies, int body)
{
  const struct dc_support *support = dc_support_of(bodies, body);
  for (int s = 0; support && s < bodies->soft_count; s++) {
    int first = bodies->soft[s].v_offset - bodies->first_node_v, place = support->count ? support->places[0] : -1;
    if (place >= first && place < first + 3 * bodies->soft[s].node_count)
      return s;
  }
  return -1;
}

// Whether two bodies are held together: by joints (the same mechanism) or by nodes of one soft body.
bool dc_bodies_are_joined(const struct dc_bodies *bodies, int a, int b)
{
  int mechanism = bodies->bodies[a].mechanism, carrier = carrier_of(bodies, a);
  return a == b || (mechanism >= 0 && mechanism == bodies->bodies[b].mechanism) ||
         (carrier >= 0 && carrier == carrier_of(bodies, b));
}

// The body number i that an option holds; -1: no more.
static int body_at(const struct dc_option *option, const void *options, int i)
{
  const void *value = (const char *)options + option->offset;
  const struct dc_index_list *list = value;
  if (option->type == DC_BODY)
    return i == 0 ? *(const int *)value : -1;
  return option->type == DC_BODY_LIST && i < list->count ? list->indices[i] : -1;
}

// Whether an option of the control names a body that is joined to this one.
static bool acts_on(const struct dc_control *control, const struct dc_bodies *bodies, int body)
{
  for (const struct dc_option *option = control->type->options; option->name; option++)
    for (int i = 0, other; (other = body_at(option, control->options, i)) >= 0; i++)
      if (dc_bodies_are_joined(bodies, other, body))
        return true;
  return false;
}

// Whether any control moves a body, directly or through what it is joined to.
bool dc_task_drives(const struct dc_task *task, const struct dc_bodies *bodies, int body)
{
  for (int i = 0; i < task->control_count; i++)
    if (acts_on(&task->controls[i], bodies, body))
      return true;
  return false;
}

// Whether an objective that can be reached names the body.
bool dc_task_has_goal(const struct dc_task *task, int body)
{
  for (int k = 0; k < task->objective_count; k++) {
    const struct dc_objective *objective = &task->objectives[k];
    for (const struct dc_option *option = objective->type->options; objective->type->report && option->name; option++)
      for (int i = 0, other; (other = body_at(option, objective->options, i)) >= 0; i++)
        if (other == body)
          return true;
  }
  return false;
}

// The option of an objective that is a point of the world; NULL: it has none.
static const struct dc_option *point_of(const struct dc_objective *objective)
{
  for (const struct dc_option *option = objective->type->options; option->name; option++)
    if (strcmp(option->name, "target") == 0 && option->type == DC_REALS && option->count == 3 &&
        strcmp(option->unit, "m") == 0)
      return option;
  return NULL;
}

// The largest distance of the places nearest to the starts of bodies that count as reached, of an objective without a
// target point, such as a region, from a place or, where it is NULL, from these starts; 0 without any.
static double nearest_places(const struct dc_objective *objective, const struct dc_bodies *bodies, const double *from)
{
  double most = 0, place[3], radius;
  bool any = objective->type->goal && !point_of(objective) && bodies->count > 0;
  struct dc_pose *poses = any ? dc_alloc((size_t)bodies->count, sizeof *poses) : NULL;
  if (poses)
    dc_poses(bodies, bodies->initial_q, poses);
  for (int i = 0, body; poses && objective->type->goal(objective->options, i, poses, &body, place, &radius); i++)
    most = fmax(most, dc_vec_distance(from ? from : bodies->bodies[body].start.position, place));
  free(poses);
  return most;
}

// The largest distance of a target point, or of the nearest place that counts, from the start of a body that the same
// objective names, m.
double dc_task_distance(const struct dc_task *task, const struct dc_bodies *bodies)
{
  double most = 0;
  for (int k = 0; k < task->objective_count; k++) {
    const struct dc_objective *objective = &task->objectives[k];
    const struct dc_option *point = point_of(objective);
    for (const struct dc_option *option = objective->type->options; point && option->name; option++)
      for (int i = 0, body; (body = body_at(option, objective->options, i)) >= 0; i++) {
        double distance = dc_vec_distance(bodies->bodies[body].start.position,
                                          (const double *)((const char *)objective->options + point->offset));
        most = isfinite(distance) ? fmax(most, distance) : most;
      }
    most = fmax(most, nearest_places(objective, bodies, NULL));
  }
  return most;
}

// The largest distance, m, of a target point or nearest place of any objective from a place; 0 without any.
double dc_task_goal_distance(const struct dc_task *task, const struct dc_bodies *bodies, const double from[3])
{
  double most = 0;
  for (int k = 0; k < task->objective_count; k++) {
    const struct dc_option *point = point_of(&task->objectives[k]);
    double distance =
        point ? dc_vec_distance(from, (const double *)((const char *)task->objectives[k].options + point->offset)) : 0;
    most = isfinite(distance) ? fmax(most, distance) : most;
    most = fmax(most, nearest_places(&task->objectives[k], bodies, from));
  }
  return most;
}

// Whether a control acts in the course of time: it has no parameters in a window of no steps.
bool dc_task_acts_in_time(const struct dc_task *task, const struct dc_model *model)
{
  for (int i = 0; i < task->control_count; i++)
    if (task->controls[i].type->parameter_count(task->controls[i].options, model, 0) == 0)
      return true;
  return false;
}
