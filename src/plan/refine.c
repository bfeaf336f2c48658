// SPDX-License-Identifier: Apache-2.0
// Creates the problem of a refinement (refine.h): unknown coordinates, solids and contacts, moves within bounds, and
// restarts.
//
// 1. Solids with samples of their surfaces, one for each shape.
// 2. Unknowns: the tangents of all joints except followers of couplings, which move with their leaders.
// 3. Contacts: the given pairs with 9 residuals each, then every other two bodies that may overlap, with one.
// 4. Restarts alternate between poses near the best one and, for a single free body, poses anywhere with the first
//    pair's targets in contact.
#include "plan/refine.h"

#include <stdlib.h>
#include <string.h>

#include "body/coupling.h"
#include "geometry/convex/witness_flat.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "plan/constants.h"
#include "plan/refine_internal.h"

static enum dc_status no_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "a refinement");
}

// Restarts draw rotations, translations and joint angles with different deviations.
static int group_of(const struct dc_joint_part *part)
{
  switch (part->kind) {
  case DC_PART_BALL: return DC_REFINE_ROTATION;
  case DC_PART_HINGE: return DC_REFINE_JOINT;
  default: return DC_REFINE_TRANSLATION;
  }
}

// A follower's coordinate is a multiple of its leader's, plus an offset.
static bool follows(const struct dc_refine *refine, int body)
{
  for (int k = 0; k < refine->coupling_count; k++)
    if (refine->couplings[k].body == body)
      return true;
  return false;
}

// A follower moves with its leader, whose range is narrowed to what the follower's range allows.
static void set_follower(struct dc_refine *refine, int body)
{
  const struct dc_joint_part *part = &refine->bodies->bodies[body].parts[0];
  struct dc_coupling_relation relation = dc_coupling_resolve(refine->coupling_count, refine->couplings, body);
  int leader = refine->bodies->bodies[relation.leader].parts[0].v;
  int u = refine->unknown[leader];
  refine->unknown[part->v] = u;
  refine->factor[part->v] = relation.multiplier;
  if (relation.multiplier == 0)
    return;
  double ends[2] = {(part->range[0] - relation.offset) / relation.multiplier,
                    (part->range[1] - relation.offset) / relation.multiplier};
  refine->range[u][0] = fmax(refine->range[u][0], fmin(ends[0], ends[1]));
  refine->range[u][1] = fmin(refine->range[u][1], fmax(ends[0], ends[1]));
}

// metric: squared reach, so that an angle counts as the way of the farthest point. coordinate: place in q of a slide
// or hinge, whose range is a bound; -1 for others.
static void set_unknown(struct dc_refine *refine, const struct dc_joint_part *part, int k)
{
  int v = part->v + k, u = refine->unknown[v];
  bool scalar = part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE;
  refine->unknown[v] = u;
  refine->factor[v] = 1;
  refine->group[u] = group_of(part);
  refine->metric[u] = refine->bodies->reach[v] * refine->bodies->reach[v];
  refine->coordinate[u] = scalar ? part->q : -1;
  refine->range[u][0] = scalar ? part->range[0] : -INFINITY;
  refine->range[u][1] = scalar ? part->range[1] : INFINITY;
}

// Numbers the unknowns: joints with their ranges, free bodies, without what couplings determine.
static enum dc_status set_unknowns(struct dc_refine *refine, struct dc_error *error)
{
  const struct dc_bodies *bodies = refine->bodies;
  size_t nv = (size_t)bodies->nv;
  struct dc_arena *arena = refine->arena;
  refine->unknown = dc_arena_alloc(arena, nv, sizeof *refine->unknown);
  refine->factor = dc_arena_alloc(arena, nv, sizeof *refine->factor);
  refine->range = dc_arena_alloc(arena, nv, sizeof *refine->range);
  refine->coordinate = dc_arena_alloc(arena, nv, sizeof *refine->coordinate);
  refine->metric = dc_arena_alloc(arena, nv, sizeof *refine->metric);
  refine->group = dc_arena_alloc(arena, nv, sizeof *refine->group);
  refine->tangent = dc_arena_alloc(arena, nv, sizeof *refine->tangent);
  refine->pull = dc_arena_alloc(arena, nv, sizeof *refine->pull);
  if (nv && (!refine->unknown || !refine->factor || !refine->range || !refine->coordinate || !refine->metric ||
             !refine->group || !refine->tangent || !refine->pull))
    return no_memory(error);
  // Unknowns follow the order of tangents; followers have none of their own.
  for (int v = 0; v < bodies->nv; v++)
    refine->unknown[v] = 0;
  for (int i = 0; i < bodies->count; i++)
    if (follows(refine, i))
      refine->unknown[bodies->bodies[i].parts[0].v] = -1;
  for (int v = 0; v < bodies->nv; v++)
    if (refine->unknown[v] == 0)
      refine->unknown[v] = refine->problem.dimension++;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; !follows(refine, i) && p < bodies->bodies[i].part_count; p++)
      for (int k = 0; k < dc_part_nv(&bodies->bodies[i].parts[p]); k++)
        set_unknown(refine, &bodies->bodies[i].parts[p], k);
  for (int i = 0; i < bodies->count; i++)
    if (follows(refine, i))
      set_follower(refine, i);
  return DC_OK;
}

// Prepares solid and samples of a body; a shape used twice is prepared once.
static enum dc_status set_solid(struct dc_refine *refine, int i, struct dc_error *error)
{
  const struct dc_shape *shape = refine->bodies->bodies[i].shape;
  if (!shape || shape->part_count == 0)
    return DC_OK;
  for (int j = 0; j < i; j++)
    if (refine->bodies->bodies[j].shape == shape) {
      refine->solids[i] = refine->solids[j];
      return DC_OK;
    }
  struct dc_solid *solid = dc_arena_alloc(refine->arena, 1, sizeof *solid);
  struct dc_surface_samples *samples = dc_arena_alloc(refine->arena, 1, sizeof *samples);
  if (!solid || !samples)
    return no_memory(error);
  enum dc_status status = dc_solid_create(shape, refine->arena, solid, error);
  if (!status)
    status = dc_surface_samples_create(solid, (int)refine->settings.candidates, (uint64_t)refine->settings.seed,
                                       refine->arena, samples, error);
  refine->solids[i] = (struct dc_witness_solid){solid, samples};
  return status;
}

// The order of both bodies does not matter.
static bool is_pair(const struct dc_refine *refine, int a, int b)
{
  for (int i = 0; i < refine->pair_count; i++) {
    const int *body = refine->contacts[i].body;
    if ((body[0] == a && body[1] == b) || (body[0] == b && body[1] == a))
      return true;
  }
  return false;
}

// Whether an overlap of two bodies counts against a pose: contact sees them, both are solids, and they are no pair.
static bool may_overlap(const struct dc_refine *refine, int a, int b)
{
  return refine->solids[a].solid && refine->solids[b].solid && dc_bodies_touch(refine->bodies, a, b) &&
         !is_pair(refine, a, b);
}

// Whether a target is on a side, or on an edge of sides, that is no facet of a round one: sides of a convex part are
// all triangles of one normal.
static bool is_flat_at(const struct dc_refine *refine, const struct dc_refine_contact *contact, const int body[2],
                       int k)
{
  const struct dc_solid *solid = refine->solids[body[k]].solid;
  const struct dc_convex *part = &solid->parts[contact->part[k]];
  double flat = 0;
  if (contact->cone_count[k] > DC_REFINE_EDGE_NORMALS)
    return false;
  for (int t = 0; t < part->triangle_count; t++) {
    const int *corners = part->triangles[t];
    double first[3], second[3], area[3];
    dc_vec_sub(first, part->vertices[corners[1]], part->vertices[corners[0]]);
    dc_vec_sub(second, part->vertices[corners[2]], part->vertices[corners[0]]);
    dc_vec_cross(area, first, second);
    double size = dc_vec_norm(area);
    for (int n = 0; n < contact->cone_count[k]; n++)
      if (dc_vec_dot(area, contact->cone[k][n]) >= (1 - DC_REFINE_PARALLEL) * size) {
        flat += size / 2;
        break;
      }
  }
  return flat >= DC_REFINE_FLAT_SHARE * solid->surface_area;
}

// Normals of the surfaces around the targets of a pair.
static enum dc_status set_normals(struct dc_refine *refine, struct dc_refine_contact *contact, const int body[2])
{
  for (int k = 0; k < 2; k++) {
    const struct dc_solid *solid = refine->solids[body[k]].solid;
    double(*cone)[3] = dc_arena_alloc(refine->arena, DC_REFINE_CONE, sizeof *cone);
    if (!cone)
      return DC_MEMORY;
    contact->spread[k] = dc_solid_normal(solid, contact->target[k], contact->normal[k]);
    contact->cone_count[k] = dc_solid_normals(solid, contact->target[k],
                                              DC_REFINE_CONE_REACH * refine->settings.tolerance, DC_REFINE_CONE, cone);
    contact->cone[k] = (const double(*)[3])cone;
    contact->part[k] = dc_solid_part_at(solid, contact->target[k]);
  }
  contact->flat = is_flat_at(refine, contact, body, 0) && is_flat_at(refine, contact, body, 1);
  return DC_OK;
}

// A search for witness points of two bodies, which shares memory with the first one.
static enum dc_status add_contact(struct dc_refine *refine, int a, int b, struct dc_error *error)
{
  struct dc_refine_contact *contact = &refine->contacts[refine->contact_count];
  contact->body[0] = a;
  contact->body[1] = b;
  contact->search = dc_witness_search_create_beside(refine->solids[a].solid, refine->solids[b].solid,
                                                    refine->contact_count ? refine->contacts[0].search : NULL);
  if (!contact->search)
    return no_memory(error);
  refine->contact_count++;
  return DC_OK;
}

// Checks that two bodies of a pair have surfaces and that one of them can move.
static enum dc_status check_pair(const struct dc_bodies *all, const struct dc_refine_pair *pair, int index,
                                 struct dc_error *error)
{
  const struct dc_body *bodies = all->bodies;
  if (pair->body[0] == pair->body[1])
    return dc_fail(error, DC_BAD_INPUT, "pairs[%d]: object and link must differ (both are \"%s\")", index,
                   bodies[pair->body[0]].name);
  for (int k = 0; k < 2; k++) {
    const struct dc_body *body = &bodies[pair->body[k]];
    if (body->shape->type->half_space)
      return dc_fail(error, DC_BAD_INPUT, "pairs[%d]: \"%s\" is a half-space: take a box in its place", index,
                     body->name);
    if (!dc_shape_has_surface(body->shape))
      return dc_fail(error, DC_BAD_INPUT, "pairs[%d]: \"%s\" has no shape", index, body->name);
    if (body->shape->part_count == 0)
      return dc_fail(error, DC_BAD_INPUT,
                     "pairs[%d]: the shape of \"%s\" must be convex or a union of convex parts (\"convex\": true)",
                     index, body->name);
  }
  if (!dc_body_moves(&bodies[pair->body[0]]) && !dc_body_moves(&bodies[pair->body[1]]))
    return dc_fail(error, DC_BAD_INPUT, "pairs[%d]: neither \"%s\" nor \"%s\" moves", index, bodies[pair->body[0]].name,
                   bodies[pair->body[1]].name);
  const int *group = all->group;
  if (group && group[pair->body[0]] == group[pair->body[1]])
    return dc_fail(error, DC_BAD_INPUT, "pairs[%d]: \"%s\" and \"%s\" are fixed to each other", index,
                   bodies[pair->body[0]].name, bodies[pair->body[1]].name);
  return DC_OK;
}

// Refuses models beyond what a refinement can move: couplings must be linear, ties do not exist here.
enum dc_status dc_refine_check(const struct dc_model *model, int pair_count, const struct dc_refine_pair *pairs,
                               struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (int k = 0; k < model->definition.coupling_count; k++)
    if (!dc_coupling_is_linear(&model->definition.couplings[k]))
      return dc_fail(error, DC_BAD_INPUT, "problem: refine knows couplings without powers only (couplings[%d])", k);
  if (model->definition.tie_count)
    return dc_fail(error, DC_BAD_INPUT,
                   "problem: refine does not know ties: pairs of points at distance 0 hold their ends together");
  for (int i = 0; i < pair_count && !status; i++)
    status = check_pair(&model->bodies, &pairs[i], i, error);
  return status;
}

// Contacts: the given pairs first, then all pairs that may overlap.
static enum dc_status set_contacts(struct dc_refine *refine, int pair_count, const struct dc_refine_pair *pairs,
                                   struct dc_error *error)
{
  int count = refine->bodies->count;
  size_t most = (size_t)pair_count;
  enum dc_status status = DC_OK;
  for (int a = 0; a < count; a++)
    for (int b = a + 1; b < count; b++)
      most += may_overlap(refine, a, b);
  refine->contacts = dc_arena_alloc(refine->arena, most, sizeof *refine->contacts);
  if (most && !refine->contacts)
    return no_memory(error);
  for (int i = 0; i < pair_count; i++) {
    struct dc_refine_contact *contact = &refine->contacts[i];
    contact->pair = true;
    memcpy(contact->target, pairs[i].point, sizeof contact->target);
    if (set_normals(refine, contact, pairs[i].body))
      return no_memory(error);
    if ((status = add_contact(refine, pairs[i].body[0], pairs[i].body[1], error)))
      return status;
  }
  refine->pair_count = pair_count;
  for (int a = 0; a < count; a++)
    for (int b = a + 1; b < count; b++)
      if (may_overlap(refine, a, b) && (status = add_contact(refine, a, b, error)))
        return status;
  return DC_OK;
}

// tangent [nv] of a step by the unknowns: followers move by their multiplier.
static void expand(struct dc_refine *refine, const double *step)
{
  for (int v = 0; v < refine->bodies->nv; v++)
    refine->tangent[v] = refine->factor[v] * step[refine->unknown[v]];
}

// Moves a point along a step: free bodies on their group, joints within their ranges, coupled ones with them.
static void retract(void *context, const double *point, const double *step, double *result)
{
  struct dc_refine *refine = context;
  expand(refine, step);
  dc_state_move(refine->bodies, point, 1, refine->tangent, result);
  for (int u = 0; u < refine->problem.dimension; u++)
    if (refine->coordinate[u] >= 0) {
      double *q = &result[refine->coordinate[u]];
      *q = fmin(fmax(*q, refine->range[u][0]), refine->range[u][1]);
    }
  for (int k = 0; k < refine->coupling_count; k++) {
    int body = refine->couplings[k].body;
    struct dc_coupling_relation relation = dc_coupling_resolve(refine->coupling_count, refine->couplings, body);
    const struct dc_body *bodies = refine->bodies->bodies;
    result[bodies[body].q_offset] = relation.multiplier * result[bodies[relation.leader].q_offset] + relation.offset;
  }
}

// Unknowns at an end of their range that the gradient pushes outwards.
static void hold(void *context, const double *point, const double *gradient, bool *held)
{
  const struct dc_refine *refine = context;
  for (int u = 0; u < refine->problem.dimension; u++) {
    double q = refine->coordinate[u] < 0 ? 0 : point[refine->coordinate[u]];
    held[u] = (q <= refine->range[u][0] && gradient[u] > 0) || (q >= refine->range[u][1] && gradient[u] < 0);
  }
}

// The only moving body, if it is free, or -1.
static int only_mover(const struct dc_refine *refine)
{
  int mover = -1;
  for (int i = 0; i < refine->bodies->count; i++)
    if (dc_body_moves(&refine->bodies->bodies[i])) {
      if (mover >= 0 || !refine->bodies->bodies[i].free)
        return -1;
      mover = i;
    }
  return mover;
}

// The shortest rotation that takes one unit vector to another.
static void align(const double from[3], const double to[3], double quaternion[4])
{
  double axis[3], half[3];
  dc_vec_add(half, from, to);
  double length = dc_vec_norm(half);
  if (length < 1e-6) {
    // Opposite vectors: half a turn about any perpendicular axis.
    double other[3] = {fabs(from[0]) < 0.6, fabs(from[0]) >= 0.6, 0};
    dc_vec_cross(axis, from, other);
    quaternion[0] = 0;
    dc_vec_scale(quaternion + 1, axis, 1 / dc_vec_norm(axis));
    return;
  }
  dc_vec_scale(half, half, 1 / length);
  quaternion[0] = dc_vec_dot(from, half);
  dc_vec_cross(quaternion + 1, from, half);
}

// Draws a rotation of body k of a pair: any, or one that opposes the normals at the targets with a random angle about
// them.
static void draw_rotation(const struct dc_refine *refine, const struct dc_refine_contact *pair, int k,
                          struct dc_random *random, double quaternion[4])
{
  if (refine->settings.restart == DC_RESTART_TURNED) {
    for (int i = 0; i < 4; i++)
      quaternion[i] = dc_random_normal(random);
    dc_rotation_normalize(quaternion);
    return;
  }
  double facing[3], turn[3], spin[4];
  dc_mat_apply(facing, refine->placements[pair->body[1 - k]].rotation, pair->normal[1 - k]);
  dc_vec_scale(facing, facing, -1);
  align(pair->normal[k], facing, quaternion);
  dc_vec_scale(turn, facing, 2 * M_PI * dc_random_uniform(random));
  dc_rotation_exp(spin, turn);
  dc_rotation_multiply(quaternion, spin, quaternion);
}

// Rotates the mover and places the first pair's targets on each other, displaced by a part of its size.  Opposed
// normals leave the margin between the targets, since bodies would overlap otherwise.
static void restart_far(struct dc_refine *refine, int mover, const double *best, struct dc_random *random,
                        double *point)
{
  const struct dc_body *body = &refine->bodies->bodies[mover];
  const struct dc_refine_contact *pair = &refine->contacts[0];
  int k = pair->body[1] == mover, other = pair->body[1 - k];
  const struct dc_placement *place = &refine->placements[other];
  bool opposed = refine->settings.restart == DC_RESTART_OPPOSED;
  double quaternion[4], matrix[9], arm[3], turned[3], goal[3], normal[3];
  double spread = (opposed ? DC_REFINE_RESTART_OFFSET : DC_REFINE_RESTART_SHIFT) * refine->solids[mover].solid->size;
  memcpy(point, best, (size_t)refine->bodies->nq * sizeof *point);
  draw_rotation(refine, pair, k, random, quaternion);
  dc_rotation_matrix(matrix, quaternion);
  dc_mat_apply(goal, place->rotation, pair->target[1 - k]);
  dc_vec_add(goal, goal, place->position);
  dc_mat_apply(normal, place->rotation, pair->normal[1 - k]);
  dc_vec_add_scaled(goal, goal, opposed ? refine->settings.margin : 0, normal);
  dc_vec_sub(arm, pair->target[k], body->center);
  dc_mat_apply(turned, matrix, arm);
  double *q = point + body->q_offset;
  for (int i = 0; i < 3; i++)
    q[i] = goal[i] - turned[i] + spread * dc_random_normal(random);
  memcpy(q + 3, quaternion, sizeof quaternion);
}

// Draws a state around the best one, with a part of the usual standard deviation.
static void restart_near(struct dc_refine *refine, const double *best, double part, struct dc_random *random,
                         double *point)
{
  double *step = refine->pull;
  memset(step, 0, (size_t)refine->problem.dimension * sizeof *step);
  for (int i = 0; i < refine->bodies->count; i++) {
    const struct dc_body *body = &refine->bodies->bodies[i];
    double size = refine->solids[i].solid ? refine->solids[i].solid->size : 2 * body->radius;
    for (int k = 0; k < body->nv; k++) {
      int v = body->v_offset + k, u = refine->unknown[v];
      double spread[DC_REFINE_GROUPS] = {DC_REFINE_RESTART_TURN, DC_REFINE_RESTART_SHIFT * size,
                                         DC_REFINE_RESTART_JOINT};
      if (!follows(refine, i))
        step[u] = part * spread[refine->group[u]] * dc_random_normal(random);
    }
  }
  retract(refine, best, step, point);
}

// Whether targets of a pair are on sides or edges that may lie on each other: derivatives, which are smoothed over
// samples, tilt these, so that they are to be aligned.
static bool is_flat(const struct dc_refine *refine)
{
  for (int c = 0; c < refine->pair_count; c++)
    if (refine->contacts[c].flat)
      return true;
  return false;
}

// Another start for the optimizer: far from the best by turns, else near it.
static void restart(void *context, const double *best, int attempt, struct dc_random *random, double *point)
{
  struct dc_refine *refine = context;
  int mover = only_mover(refine);
  bool opposed = refine->settings.restart == DC_RESTART_OPPOSED;
  // The first restart is far where that is a good guess.
  bool far = opposed ? attempt % DC_REFINE_OPPOSED_EVERY == 1 : attempt % DC_REFINE_TURNED_EVERY == 0;
  far = far && refine->pair_count > 0;
  refine->counts.restarts++;
  if (mover >= 0 && far) {
    restart_far(refine, mover, best, random, point);
    if (opposed && is_flat(refine))
      dc_refine_align(refine, 0, random, point);
  } else if (far && opposed) {
    // In the best state fingers have often passed each other, which is not so near the start.
    restart_near(refine, refine->start, attempt == 1 ? 0 : DC_REFINE_ALIGN_SPREAD, random, point);
    dc_refine_align(refine, attempt == 1 ? 0 : DC_REFINE_ALIGN_TILT, random, point);
  } else {
    restart_near(refine, best, 1, random, point);
  }
}

// The problem of the optimizer: dimension, residuals, groups of unknowns and functions.
static void set_problem(struct dc_refine *refine)
{
  static const struct dc_coordinate_group groups[DC_REFINE_GROUPS] = {[DC_REFINE_ROTATION] = {"rotation", "rad"},
                                                                      [DC_REFINE_TRANSLATION] = {"translation", "m"},
                                                                      [DC_REFINE_JOINT] = {"joint", "rad"}};
  struct dc_problem *problem = &refine->problem;
  int others = refine->contact_count - refine->pair_count;
  problem->point_size = refine->bodies->nq;
  problem->row_count = DC_PAIR_RESIDUALS * refine->pair_count + others;
  problem->context = refine;
  problem->metric = refine->metric;
  problem->group = refine->group;
  problem->group_count = DC_REFINE_GROUPS;
  problem->groups = groups;
  problem->linearize = dc_refine_linearize;
  problem->descend = dc_refine_descend;
  problem->retract = retract;
  problem->hold = hold;
  problem->restart = restart;
}

// Room for two answers, that of the point and that of the trial.
static enum dc_status set_answers(struct dc_refine *refine, struct dc_error *error)
{
  size_t nq = (size_t)refine->bodies->nq, contacts = (size_t)refine->contact_count;
  refine->start = dc_arena_alloc(refine->arena, nq, sizeof *refine->start);
  if (nq && !refine->start)
    return no_memory(error);
  dc_initial_state(refine->bodies, refine->start);
  for (int i = 0; i < 2; i++) {
    struct dc_refine_answer *answer = &refine->answers[i];
    answer->q = dc_arena_alloc(refine->arena, nq, sizeof *answer->q);
    answer->witnesses = dc_arena_alloc(refine->arena, contacts, sizeof *answer->witnesses);
    answer->apart = dc_arena_alloc(refine->arena, contacts, sizeof *answer->apart);
    if (!answer->q || !answer->witnesses || !answer->apart)
      return no_memory(error);
  }
  return DC_OK;
}

// Solids, unknowns, contacts and problem, in this order.
static enum dc_status create(struct dc_refine *refine, int pair_count, const struct dc_refine_pair *pairs,
                             struct dc_error *error)
{
  int count = refine->bodies->count;
  refine->placements = dc_arena_alloc(refine->arena, (size_t)count, sizeof *refine->placements);
  refine->solids = dc_arena_alloc(refine->arena, (size_t)count, sizeof *refine->solids);
  if (count && (!refine->placements || !refine->solids))
    return no_memory(error);
  enum dc_status status = dc_kinematics_create(refine->bodies, refine->arena, &refine->kinematics, error);
  for (int i = 0; !status && i < count; i++)
    status = set_solid(refine, i, error);
  if (!status)
    status = set_unknowns(refine, error);
  if (!status)
    status = set_contacts(refine, pair_count, pairs, error);
  if (!status)
    status = set_answers(refine, error);
  if (!status)
    status = dc_refine_align_create(refine, error);
  if (!status)
    set_problem(refine);
  return status;
}

// Creates the problem of a refinement: unknowns are the coordinates that move, residuals those of pairs and of
// overlaps.
struct dc_refine *dc_refine_create(const struct dc_model *model, const struct dc_refine_settings *settings,
                                   int pair_count, const struct dc_refine_pair *pairs, struct dc_error *error)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_refine *refine = arena ? dc_arena_alloc(arena, 1, sizeof *refine) : NULL;
  if (!refine) {
    dc_arena_destroy(arena);
    no_memory(error);
    return NULL;
  }
  refine->arena = arena;
  refine->bodies = &model->bodies;
  refine->coupling_count = model->definition.coupling_count;
  refine->couplings = model->definition.couplings;
  refine->settings = *settings;
  refine->witness = *settings->witness;
  refine->settings.witness = &refine->witness;
  if (dc_refine_check(model, pair_count, pairs, error) || create(refine, pair_count, pairs, error)) {
    dc_refine_destroy(refine);
    return NULL;
  }
  return refine;
}

void dc_refine_destroy(struct dc_refine *refine)
{
  if (!refine)
    return;
  dc_refine_align_destroy(refine);
  for (int i = refine->contact_count; i-- > 0;)  // the first one owns the shared workspace
    dc_witness_search_destroy(refine->contacts[i].search);
  dc_arena_destroy(refine->arena);
}

const struct dc_problem *dc_refine_problem(struct dc_refine *refine)
{
  return &refine->problem;
}

struct dc_refine_counts dc_refine_counts(const struct dc_refine *refine)
{
  return refine->counts;
}
