// SPDX-License-Identifier: Apache-2.0
// Checks of bodies and axes in the options of objectives, and the masses of bodies with their derivative.
#include "task/objective_parts.h"

#include <stdlib.h>
#include <string.h>

#include "dynamics/shape_design.h"

const char *const dc_when_choices[] = {"end", "every", NULL};

enum dc_status dc_objective_check_axes(const char *axes, struct dc_error *error)
{
  bool valid = axes[0] != '\0';
  for (int i = 0; axes[i] && valid; i++)
    valid = strchr("xyz", axes[i]) && !strchr(axes + i + 1, axes[i]);
  if (!valid)
    return dc_fail(error, DC_BAD_INPUT, "axes: must be a non-empty subset of \"xyz\" (is \"%s\")", axes);
  return DC_OK;
}

static int compare_indices(const void *left, const void *right)
{
  int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

// Neighbours of a sorted copy are compared: lists may name thousands of bodies, and a scene may have thousands of
// lists.
static enum dc_status check_named_once(const struct dc_index_list *bodies, const struct dc_model *model,
                                       struct dc_error *error)
{
  size_t count = (size_t)bodies->count;
  int *sorted = dc_alloc(count, sizeof *sorted), twice = -1;
  if (!sorted)
    return dc_out_of_memory_for(error, "an objective");
  memcpy(sorted, bodies->indices, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_indices);
  for (size_t i = 1; i < count && twice < 0; i++)
    if (sorted[i] == sorted[i - 1])
      twice = sorted[i];
  free(sorted);
  return twice < 0 ? DC_OK
                   : dc_fail(error, DC_BAD_INPUT, "bodies: must name each body once (\"%.255s\" twice)",
                             model->bodies.bodies[twice].name);
}

enum dc_status dc_objective_check_bodies(const struct dc_index_list *bodies, const struct dc_model *model,
                                         struct dc_error *error)
{
  if (bodies->count == 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies: must name a body");
  for (int i = 0; i < bodies->count; i++)
    if (bodies->indices[i] < 0 || bodies->indices[i] >= model->bodies.count)
      return dc_fail(error, DC_BAD_INPUT, "bodies: must name bodies");
  return bodies->count > 1 ? check_named_once(bodies, model, error) : DC_OK;
}

enum dc_status dc_objective_check_list(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_index_list *bodies = options;
  return bodies->count ? dc_objective_check_bodies(bodies, model, error) : DC_OK;
}

// Mass of a body as the model has it, kg: of a soft one density times volume; 0 where nothing moves.
double dc_objective_scene_mass(const struct dc_model *model, int body)
{
  const struct dc_soft *soft = dc_soft_of(&model->bodies, body);
  const struct dc_body *of = &model->bodies.bodies[body];
  return soft ? soft->density * soft->elastic.volume : dc_frame_moves(&model->bodies, body) ? of->mass : 0;
}

// The factor by which a control or design scales the mass of a body; input NULL: none does.
static double mass_scale(const struct dc_rollout_input *input, int body)
{
  return input ? input->design.body_mass_scale[body] : 1;
}

double dc_objective_mass_of(const struct dc_model *model, const struct dc_rollout_input *input, int body)
{
  return dc_objective_scene_mass(model, body) * mass_scale(input, body);
}

// Adds the derivative by a body's mass: to that by its factor m0 s -> s, and, where shapes are designed, to
// that by the mass of its shape.
void dc_objective_add_mass(struct dc_loss_cotangent *cotangent, const struct dc_model *model,
                           const struct dc_rollout_input *input, int body, double by_mass)
{
  struct dc_rollout_cotangent *by = cotangent ? cotangent->input : NULL;
  double mass = dc_objective_scene_mass(model, body);
  if (!by || mass == 0)
    return;
  by->design.body_mass_scale[body] += by_mass * mass;
  if (by->shape && dc_body_moves(&model->bodies.bodies[body]))
    by->shape->mass[body] += by_mass * mass_scale(input, body);
}

static enum dc_status check_listed(const struct dc_index_list *bodies, const struct dc_model *model,
                                   bool (*counts)(const struct dc_model *model, int body), const char *lacks,
                                   struct dc_error *error)
{
  enum dc_status status = dc_objective_check_bodies(bodies, model, error);
  for (int i = 0; i < bodies->count && !status; i++)
    if (!counts(model, bodies->indices[i]))
      status = dc_fail(error, DC_BAD_INPUT, "bodies[%d]: \"%.255s\" has no %s", i,
                       model->bodies.bodies[bodies->indices[i]].name, lacks);
  return status;
}

// Checks the bodies that are named, or, where none is, lists those whose vertices a design moves, or all that
// count where it moves none.
enum dc_status dc_objective_list_bodies(struct dc_index_list *bodies, const struct dc_model *model,
                                        bool (*counts)(const struct dc_model *model, int body), const char *lacks,
                                        struct dc_arena *arena, struct dc_error *error)
{
  if (bodies->count)
    return check_listed(bodies, model, counts, lacks, error);
  int *indices = dc_arena_alloc(arena, (size_t)model->bodies.count, sizeof *indices), count = 0;
  if (!indices)
    return dc_out_of_memory_for(error, "an objective");
  for (int all = 0; all < 2 && !count; all++)
    for (int i = 0; i < model->bodies.count; i++)
      if (counts(model, i) && (all || (model->vertices_move && model->vertices_move[i])))
        indices[count++] = i;
  *bodies = (struct dc_index_list){count, indices};
  return count ? DC_OK : dc_fail(error, DC_BAD_INPUT, "bodies: none has %s", lacks);
}
