// SPDX-License-Identifier: Apache-2.0
// Lists of advice, and questions that advice on runs, tasks and scenes asks: whether a body is driven or held by
// something driven, how far it is from its target, and what came near it in a run.
#include "commands/advise_task.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "commands/constants.h"
#include "geometry/convex/distance.h"
#include "math/vector.h"
#include "plan/certify.h"
#include "task/drives.h"

// Adds a piece of advice with its symptom and returns it, so that a command to try can be put in.  A list that
// is full has its last entry written over: few scenes have more than one fault.
struct dc_advice *dc_advice_add(struct dc_advice_list *list, const char *symptom, const char *says, ...)
{
  list->count += list->count < DC_MOST_ADVICE;
  struct dc_advice *advice = &list->items[list->count - 1];
  va_list arguments;
  va_start(arguments, says);
  *advice = (struct dc_advice){.symptom = symptom};
  vsnprintf(advice->says, sizeof advice->says, says, arguments);
  va_end(arguments);
  return advice;
}

// Writes all advice, as lines behind a summary and as an array.
void dc_advice_put(const struct dc_advice_list *list, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "advice", '[');
  for (int i = 0; i < list->count; i++) {
    const struct dc_advice *advice = &list->items[i];
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "symptom", advice->symptom);
    dc_json_put_string(json, "says", advice->says);
    if (advice->attempt[0])
      dc_json_put_string(json, "try", advice->attempt);
    dc_json_end(json, "}");
    dc_text_add(text, "  advice: %s: %s\n", advice->symptom, advice->says);
    if (advice->attempt[0])
      dc_text_add(text, "    try: %s\n", advice->attempt);
  }
  dc_json_end(json, "]");
}

// Distance (m) of a point from the nearest triangle of a mesh.
double dc_advice_surface_distance(const struct dc_mesh *mesh, const double point[3])
{
  double least = INFINITY;
  for (int t = 0; t < mesh->triangle_count; t++) {
    double x[4][3];
    struct dc_closest closest;
    dc_vec_copy(x[0], point);
    for (int k = 0; k < 3; k++)
      dc_vec_copy(x[k + 1], mesh->vertices[mesh->triangles[t][k]]);
    dc_closest_point_triangle((const double(*)[3])x, &closest);
    if (closest.square < least)
      least = closest.square;
  }
  return sqrt(least);
}

// Whether an actuator or control holds the body, or one that it is joined to.
bool dc_advice_is_held(const struct dc_scene *scene, int body)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (int i = 0; i < bodies->count; i++)
    if (bodies->bodies[i].pd && dc_bodies_are_joined(bodies, i, body))
      return true;
  return dc_task_drives(&scene->task, &scene->model.bodies, body);
}

// Controls say which bodies they move in their options alone, so that the option tables are asked: any option of type
// body or list of bodies counts. A control added later is found without a change here.
bool dc_advice_is_driven(const struct dc_scene *scene, int body)
{
  for (int i = 0; i < scene->task.control_count; i++)
    for (const struct dc_option *option = scene->task.controls[i].type->options; option->name; option++) {
      const void *value = (const char *)scene->task.controls[i].options + option->offset;
      if (option->type == DC_BODY && *(const int *)value == body)
        return true;
      for (int k = 0; option->type == DC_BODY_LIST && k < ((const struct dc_index_list *)value)->count; k++)
        if (((const struct dc_index_list *)value)->indices[k] == body)
          return true;
    }
  return false;
}

// The axes that count for an objective, such as "xy".
static const char *axes_of(const struct dc_objective *objective)
{
  int option = dc_option_find(objective->type->options, "axes");
  return option < 0
             ? "xyz"
             : *(const char *const *)((const char *)objective->options + objective->type->options[option].offset);
}

// Sets the components of a vector to zero along axes that do not count for the objective.
void dc_advice_counted(const struct dc_objective *objective, double way[3])
{
  for (int k = 0; k < 3; k++)
    way[k] *= strchr(axes_of(objective), "xyz"[k]) != NULL;
}

// Distance over the axes that count.
double dc_advice_distance(const struct dc_objective *objective, const double a[3], const double b[3])
{
  double way[3];
  dc_vec_sub(way, a, b);
  dc_advice_counted(objective, way);
  return dc_vec_norm(way);
}

// Whether x, y and z all count.
bool dc_advice_has_all_axes(const struct dc_objective *objective)
{
  return strlen(axes_of(objective)) == 3;
}

// The radius of the largest ball about the centre of mass inside the body, m; 0 for half-spaces, bodies without
// triangles, and bodies whose centre of mass lies outside of them.
double dc_advice_inscribed(const struct dc_body *body)
{
  const struct dc_mesh *mesh = &body->shape->mesh;
  if (dc_advice_half_space(body) || mesh->triangle_count == 0 || !dc_mesh_contains(mesh, body->center))
    return 0;
  return dc_advice_surface_distance(mesh, body->center);
}

// How far two bodies have moved against each other since the frame before, m.
static double moved(const struct dc_trajectory *trajectory, int frame, const int pair[2])
{
  const struct dc_pose *now = trajectory->poses + (size_t)frame * (size_t)trajectory->bodies, *before = now;
  before -= frame > 0 ? trajectory->bodies : 0;
  double way[3];
  for (int k = 0; k < 3; k++)
    way[k] = (now[pair[0]].position[k] - before[pair[0]].position[k]) -
             (now[pair[1]].position[k] - before[pair[1]].position[k]);
  return dc_vec_norm(way);
}

// Looks at the pairs of the last evaluation, which was at this frame: the nearest body that moves and is not
// joined to the one asked for.  Bodies count as touching when their gap is below a small part of their size, or
// below what they moved since the frame before, as they may have touched in between.
static void look(const struct dc_scene *scene, const struct dc_contact *contact, const struct dc_trajectory *trajectory,
                 int frame, int body, struct dc_nearness *nearness)
{
  const struct dc_body *bodies = scene->model.bodies.bodies;
  for (int p = 0; p < dc_contact_pair_count(contact); p++) {
    const int *pair = dc_contact_pairs(contact)[p];
    bool first = dc_bodies_are_joined(&scene->model.bodies, pair[0], body),
         second = dc_bodies_are_joined(&scene->model.bodies, pair[1], body);
    if (first == second || !dc_body_moves(&bodies[pair[1]]) || !dc_body_moves(&bodies[pair[0]]))
      continue;
    double gap = dc_contact_pair_gap(contact, p), size = 2 * fmin(bodies[pair[0]].radius, bodies[pair[1]].radius);
    nearness->touched |= gap <= fmax(DC_PHANTOM_REACH * size, moved(trajectory, frame, pair));
    if (gap < nearness->gap) {
      nearness->gap = gap;
      nearness->other = first ? pair[1] : pair[0];
    }
  }
}

// Evaluates contact at frames of the trajectory until the body touches another one.  The model is bsh whatever
// the scene has, because its gaps are known at any distance.  Frames are skipped when the scene has many
// triangles, so that the work stays below DC_NEARNESS_MOST_WORK.
// The evaluation is of order 0: gaps need no derivatives.  DC_MEMORY, and the statuses of dc_contact_create.
enum dc_status dc_advice_nearness(const struct dc_scene *scene, const struct dc_trajectory *trajectory, int body,
                                  struct dc_nearness *nearness, struct dc_error *error)
{
  *nearness = (struct dc_nearness){.gap = INFINITY, .other = -1};
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_contact *contact =
      dc_contact_create(dc_contact_model_find("bsh"), &scene->definition.contact, bodies, error);
  if (!contact)
    return error->status;
  struct dc_arena *arena = dc_arena_create();
  struct dc_pair_derivatives *pairs =
      arena ? dc_arena_alloc(arena, (size_t)dc_contact_pair_count(contact), sizeof *pairs) : NULL;
  double triangles = 1;
  for (int i = 0; i < bodies->count; i++)
    triangles += bodies->bodies[i].shape->mesh.triangle_count;
  int stride = (int)ceil(fmin(1e9, trajectory->steps * triangles / DC_NEARNESS_MOST_WORK));
  for (int frame = 0; pairs && frame <= trajectory->steps && !nearness->touched; frame += stride > 1 ? stride : 1) {
    dc_contact_evaluate(contact, trajectory->poses + (size_t)frame * (size_t)trajectory->bodies, 0, pairs);
    look(scene, contact, trajectory, frame, body, nearness);
  }
  dc_contact_destroy(contact);
  if (arena)
    dc_arena_destroy(arena);
  return pairs ? DC_OK : dc_out_of_memory_for(error, "contact");
}
