// SPDX-License-Identifier: Apache-2.0
// The points of contact in an adjoint by shapes: what terms add to them, and their vertices (docs/theory.md, "Shapes as
// parameters").
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/vector.h"

// The points are the vertices of the parts, or those of the surface.  Of bodies whose vertices no design moves nothing
// is wanted.
static bool list_vertices(const struct dc_rollout *rollout, struct dc_shape_workspace *work, struct dc_arena *arena)
{
  bool surfaces = rollout->base->definition.contact_model->flags & DC_CONTACT_SURFACES;
  work->vertices = dc_arena_alloc(arena, (size_t)rollout->model->bodies.count, sizeof *work->vertices);
  for (int i = 0; i < rollout->model->bodies.count && work->vertices; i++) {
    const struct dc_shape *shape = rollout->base->bodies.bodies[i].shape;
    int count = dc_contact_point_count(rollout->rigid.contact, i);
    if (rollout->base->vertices_move && !rollout->base->vertices_move[i])
      continue;
    int *vertices = dc_arena_alloc(arena, (size_t)count, sizeof *vertices);
    if (!vertices)
      return false;
    for (int v = 0; v < count; v++)
      vertices[v] = v;
    if (surfaces ? count && dc_shape_mesh_vertices(shape, vertices) : count == dc_shape_vertex_count(shape))
      work->vertices[i] = vertices;
  }
  return work->vertices != NULL;
}

// by_point [bodies] points into one array of all points; NULL for bodies that no design moves.
static bool make_points(const struct dc_rollout *rollout, struct dc_shape_workspace *work, struct dc_arena *arena)
{
  int bodies = rollout->model->bodies.count;
  for (int i = 0; i < bodies; i++)
    work->point_count += work->vertices[i] ? dc_contact_point_count(rollout->rigid.contact, i) : 0;
  work->by_point = dc_arena_alloc(arena, (size_t)bodies, sizeof *work->by_point);
  double(*points)[3] = work->points = dc_arena_alloc(arena, (size_t)work->point_count, sizeof *work->points);
  for (int i = 0; i < bodies && points && work->by_point; i++) {
    if (!work->vertices[i])
      continue;
    work->by_point[i] = points;
    points += dc_contact_point_count(rollout->rigid.contact, i);
  }
  return work->by_point && points;
}

// Contact models without derivatives by shapes get an empty workspace: they roll out designs and refuse the adjoint.
struct dc_shape_workspace *dc_shape_workspace_create(const struct dc_rollout *rollout, struct dc_arena *arena)
{
  struct dc_shape_workspace *work = dc_arena_alloc(arena, 1, sizeof *work);
  if (!work)
    return NULL;
  if (!(rollout->base->definition.contact_model->flags & DC_CONTACT_SHAPES))
    return work;  // for forward runs
  work->rates = dc_arena_alloc(arena, (size_t)rollout->model->bodies.count, sizeof *work->rates);
  work->pairs = dc_arena_alloc(arena, (size_t)rollout->rigid.pair_count, sizeof *work->pairs);
  bool complete =
      work->rates && work->pairs && list_vertices(rollout, work, arena) && make_points(rollout, work, arena);
  return complete ? work : NULL;
}

void dc_shape_workspace_destroy(struct dc_shape_workspace *work)
{
  if (work)
    dc_contact_destroy(work->contact);
}

// Makes the second contact when it is first needed, and clears all that an earlier adjoint may have left.
enum dc_status dc_shape_begin(struct dc_rollout *rollout, struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  struct dc_shape_workspace *work = rollout->shape_workspace;
  if (!work->contact)
    work->contact = dc_contact_create_following(model->definition.contact_model, &model->definition.contact,
                                                &model->bodies, &rollout->base->bodies, rollout->base->vertices_move,
                                                rollout->rigid.contact, error);
  if (!work->contact)
    return error ? error->status : DC_MEMORY;
  dc_contact_reset(work->contact);
  dc_contact_take_sizes(work->contact, NULL);  // what an adjoint that failed has left
  dc_contact_take_sizes(rollout->rigid.contact, NULL);
  memset(work->points, 0, (size_t)work->point_count * sizeof *work->points);
  work->evaluated = rollout->rigid.evaluated = NULL;
  return DC_OK;
}

// An adjoint goes backwards: contact at t of this interval is contact at t+1 of the next one it visits.  Swapping two
// contacts saves evaluating it again.
void dc_shape_swap_contact(struct dc_rollout *rollout)
{
  struct dc_shape_workspace *work = rollout->shape_workspace;
  struct dc_contact *contact = work->contact;
  work->contact = rollout->rigid.contact;
  work->evaluated = rollout->rigid.evaluated;
  work->swapped = !work->swapped;
  rollout->rigid.contact = contact;
  rollout->rigid.evaluated = NULL;
}

void dc_shape_end(struct dc_rollout *rollout)
{
  struct dc_shape_workspace *work = rollout->shape_workspace;
  struct dc_contact *contact = rollout->rigid.contact;
  if (!work->swapped)
    return;
  rollout->rigid.contact = work->contact;
  work->contact = contact;
  work->swapped = false;
}

// Contact at t+1, unless it is known from the interval after this one.
static enum dc_status evaluate_points(const struct dc_step_state *state, struct dc_shape_workspace *work,
                                      struct dc_error *error)
{
  if (work->evaluated != state->next) {
    double energy = dc_contact_evaluate(work->contact, state->next, 0, work->pairs);
    if (!isfinite(energy))
      return isnan(energy) ? dc_out_of_memory_for(error, "contact pairs")
                           : dc_fail(error, DC_NUMERICAL, "the contact has no forces: no gradient");
    work->evaluated = state->next;
  }
  if (!dc_contact_solved(work->contact))
    return dc_fail(error, DC_NUMERICAL, "the planes of the contact were not solved again: no gradient");
  return DC_OK;
}

// Whether no pair has a force: then points have no derivatives, and contact need not be evaluated again.
static bool nothing_acts(const struct dc_step_state *state)
{
  for (int p = 0; p < state->rigid->pair_count; p++)
    if (!state->pairs[p].idle)
      return false;
  return true;
}

// lambda . dL/dq+ is mu times the rate of P along the twists of lambda; its derivatives by points come from contact.
enum dc_status dc_shape_add_points(const struct dc_step_state *state, const struct dc_step_direction *direction,
                                   double mu, struct dc_step_shape *shape, struct dc_error *error)
{
  struct dc_shape_workspace *work = shape->work;
  if (nothing_acts(state))
    return DC_OK;
  enum dc_status status = evaluate_points(state, work, error);
  if (!status)
    status = dc_contact_point_rates(work->contact, state->next, direction->twists, mu, shape->by_point, error);
  return status;
}

// The centre that vertices are about loses what they gain.
void dc_shape_take_points(struct dc_rollout *rollout, struct dc_shape_design *by)
{
  struct dc_shape_workspace *work = rollout->shape_workspace;
  dc_contact_take_sizes(work->contact, work->by_point);
  dc_contact_take_sizes(rollout->rigid.contact, work->by_point);
  for (int i = 0; i < rollout->model->bodies.count; i++) {
    const int *vertices = work->vertices[i];
    int count = vertices ? dc_contact_point_count(rollout->rigid.contact, i) : 0;
    for (int v = 0; v < count; v++) {
      double *vertex = by->vertices[by->first[i] + vertices[v]];
      dc_vec_add(vertex, vertex, work->by_point[i][v]);
      dc_vec_sub(by->center[i], by->center[i], work->by_point[i][v]);
    }
  }
  memset(work->points, 0, (size_t)work->point_count * sizeof *work->points);
}
