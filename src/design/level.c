// SPDX-License-Identifier: Apache-2.0
// Checks that level sets can follow a design entry's changes of shapes made from a signed distance
// (geometry/shapes/shape_follow.h).  Before anything runs, each parameter alone is moved off its start, and the
// followers are asked.
#include <string.h>

#include "design/design.h"
#include "dynamics/shape_design.h"
#include "geometry/shapes/shape_follow.h"

static const double PROBE = 0.1;  // change of a parameter, relative to 1

// Whether the shape was made from a signed distance, which then has to follow the vertices.
static bool has_level(const struct dc_model *model, int body)
{
  return model->bodies.bodies[body].shape->sdf != NULL;
}

// Creates followers [bodies]; NULL where no level set is to follow.
static enum dc_status make_followers(const struct dc_design_entry *entry, const struct dc_model *model,
                                     struct dc_arena *arena, struct dc_shape_follower **followers, bool *any,
                                     struct dc_error *error)
{
  bool *moves = dc_arena_alloc(arena, (size_t)model->bodies.count, sizeof *moves);
  enum dc_status status = moves && followers ? DC_OK : dc_out_of_memory_for(error, "design parameters");
  if (!status)
    entry->type->moves(entry->options, model, moves);
  for (int i = 0; i < model->bodies.count && !status; i++)
    if (moves[i] && has_level(model, i)) {
      *any = true;
      status = dc_shape_follower_create(model->bodies.bodies[i].shape, 0, arena, &followers[i], error);
    }
  return status;
}

// Changes every parameter alone by PROBE and lets the level sets follow the vertices, so that a shape that cannot be
// followed is refused before a run.
static enum dc_status probe(const struct dc_design_entry *entry, const struct dc_model *model,
                            struct dc_shape_follower *const *followers, double *parameters,
                            struct dc_shape_design *design, struct dc_error *error)
{
  struct dc_rollout_input input = {.shape = design};  // entries that move vertices read nothing else
  int count = entry->type->parameter_count(entry->options, model);
  enum dc_status status = DC_OK;
  for (int i = 0; i < count && !status; i++) {
    dc_shape_design_reset(model, design);
    parameters[i] = PROBE;
    entry->type->apply(entry->options, model, parameters, &input);
    parameters[i] = 0;
    for (int b = 0; b < model->bodies.count && !status; b++) {
      const struct dc_sdf *sdf;
      if (followers[b])
        status = dc_shape_follow(followers[b], (const double(*)[3])(design->vertices + design->first[b]), &sdf, error);
    }
  }
  return status;
}

// Checks an entry that moves vertices of shapes with a level set, if the contact model reads level sets at all.
enum dc_status dc_design_check_levels(const struct dc_design_entry *entry, const struct dc_model *model,
                                      struct dc_error *error)
{
  if (!(model->definition.contact_model->flags & DC_CONTACT_LEVELS) || !entry->type->moves)
    return DC_OK;
  bool any = false;
  struct dc_arena *arena = dc_arena_create();
  if (!arena)
    return dc_out_of_memory_for(error, "design parameters");
  struct dc_shape_follower **followers = dc_arena_alloc(arena, (size_t)model->bodies.count, sizeof(void *));
  enum dc_status status = make_followers(entry, model, arena, followers, &any, error);
  if (!status && any) {
    size_t count = (size_t)entry->type->parameter_count(entry->options, model);
    double *parameters = dc_arena_alloc(arena, count, sizeof *parameters);
    struct dc_shape_design *design = dc_shape_design_create(model);
    status = parameters && design ? probe(entry, model, followers, parameters, design, error)
                                  : dc_out_of_memory_for(error, "design parameters");
    dc_shape_design_destroy(design);
  }
  dc_arena_destroy(arena);
  if (status)
    dc_error_prefix(error, "contact model %s", model->definition.contact_model->name);
  return status;
}
