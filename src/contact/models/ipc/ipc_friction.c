// SPDX-License-Identifier: Apache-2.0
// Friction of incremental potential contact (Li et al. 2020, section 5): what was within dhat at time t slides at the
// points that were closest then, with the tangent plane and the normal force of then.
//
//     f0(y) = y^2/w - y^3/(3 w^2) below w = e h, y - w/3 above
// (Eq. 14 integrated, less a constant, so that what is at rest has no energy); contact/friction/point_slip.h.
#include <stdlib.h>
#include <string.h>

#include "contact/barrier/clamped.h"
#include "contact/models/ipc/ipc_state.h"
#include "math/vector.h"

static const double PAIR_COST = 75e-9;  // of an evaluation, for every two sliding points, s

static enum dc_status create(struct dc_contact *contact)
{
  contact->friction->own = dc_arena_alloc(contact->arena, 1, sizeof(struct dc_ipc_friction));
  return contact->friction->own ? DC_OK : DC_MEMORY;
}

static void destroy(struct dc_friction *friction)
{
  struct dc_ipc_friction *own = friction->own;
  free(own->sliding_points);
  free(own->lags);
}

static void clear(struct dc_contact *contact)
{
  ((struct dc_ipc_friction *)contact->friction->own)->count = 0;
}

// The list under way for one pair of bodies, and by which coefficient of friction.
struct listing {
  const struct dc_contact *contact;
  struct dc_ipc_friction *friction;
  double coefficient;
};

// Room for one more; -1 when out of memory.
static int grow(struct dc_ipc_friction *friction)
{
  size_t needed = friction->count + 1;
  return dc_grow(&friction->sliding_points, &friction->sliding_capacity, needed, sizeof *friction->sliding_points) ||
                 dc_grow(&friction->lags, &friction->lag_capacity, needed, sizeof *friction->lags)
             ? -1
             : 0;
}

// Normal force -mu w m 2 d B'(d^2) of a pair of primitives; its logarithm's derivatives.
static int list_primitive(struct dc_ipc_walk *walk, const struct dc_ipc_primitive *primitive)
{
  struct listing *listing = walk->context;
  struct dc_ipc_friction *friction = listing->friction;
  const struct dc_closest *closest = &primitive->closest;
  double p[3], m[3] = {1, 0, 0}, d = sqrt(closest->square);
  if (primitive->kind == DC_IPC_EDGES)
    dc_clamped_mollifier(dc_ipc_parallel(primitive), primitive->threshold, m);
  dc_ipc_profile(listing->contact, closest->square, p);
  double strength =
      -listing->coefficient * listing->contact->friction->stiffness * primitive->weight * m[0] * 2 * d * p[1];
  if (!(strength > 0))
    return 0;
  if (grow(friction))
    return -1;
  struct dc_sliding_point *sliding = &friction->sliding_points[friction->count];
  struct dc_ipc_lag *lag = &friction->lags[friction->count++];
  memset(sliding, 0, sizeof *sliding);
  sliding->strength = strength;
  dc_vec_scale(sliding->normal, closest->r, 1 / d);
  for (int v = 0; v < 4; v++) {
    int side = primitive->moving & 1u << v ? 0 : 1;
    double weight = side ? -closest->weight[v] : closest->weight[v];
    const double *arm = (side ? walk->b : walk->a)->turned[primitive->vertex[v]];
    dc_vec_add_scaled(sliding->arm[side], sliding->arm[side], weight, arm);
  }
  *lag = (struct dc_ipc_lag){.kind = primitive->kind,
                             .moving = primitive->moving,
                             .closest = *closest,
                             .by_distance = 1 / d + 2 * d * p[2] / p[1],
                             .by_parallel = m[1] / m[0]};
  memcpy(lag->vertex, primitive->vertex, sizeof lag->vertex);
  return 0;
}

// Lists the vertices above a primitive that are within the barrier's range.
static int list_vertices(const struct listing *listing, int p)
{
  const struct dc_contact *contact = listing->contact;
  struct dc_ipc_friction *friction = listing->friction;
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a];
  struct dc_primitive seen =
      dc_primitive_about(&contact->colliders[pair->b].primitive, &contact->friction->now[pair->a]);
  for (int v = 0; v < a->vertex_count; v++) {
    double n[3], b[3], height = dc_primitive_gap(&seen, a->turned[v], n);
    if (!(height < contact->settings.dhat))
      continue;
    dc_clamped_barrier(height, contact->settings.dhat, b);
    if (dc_ipc_of(contact)->global) {  // docs/theory.md, "Half spaces"
      b[1] = -12 * contact->settings.length * a->vertex_weight[v] / (height * height);
      b[2] = -2 * b[1] / height;
    }
    if (!(b[1] < 0))
      continue;
    if (grow(friction))
      return -1;
    struct dc_sliding_point *sliding = &friction->sliding_points[friction->count];
    struct dc_ipc_lag *lag = &friction->lags[friction->count++];
    *sliding = (struct dc_sliding_point){.strength = -listing->coefficient * contact->friction->stiffness * b[1]};
    dc_vec_copy(sliding->normal, n);
    dc_vec_copy(sliding->arm[0], a->turned[v]);
    *lag = (struct dc_ipc_lag){.kind = DC_IPC_PRIMITIVE,
                               .vertex = {v},
                               .moving = 1,
                               .closest = {.weight = {1, 0, 0, 0}},
                               .by_distance = b[2] / b[1]};
  }
  return 0;
}

// Lists the primitive pairs of a body pair within the barrier's range as one unit.
static int list(struct dc_contact *contact, int p, double coefficient)
{
  const struct dc_pair *pair = &contact->pairs[p];
  struct dc_friction *friction = contact->friction;
  struct dc_ipc_friction *own = friction->own;
  struct listing listing = {.contact = contact, .friction = own, .coefficient = coefficient};
  struct dc_friction_unit unit = {.pair = p, .group = p, .first = own->count};
  if (pair->gap >= contact->settings.dhat)
    return 0;
  if (contact->colliders[pair->b].primitive.type) {
    if (list_vertices(&listing, p))
      return -1;
  } else {
    struct dc_ipc_walk walk;
    double arm[3];
    dc_vec_sub(arm, friction->now[pair->a].position, friction->now[pair->b].position);
    dc_ipc_walk_of(contact, p, arm, &walk);
    walk.reach = contact->settings.dhat;
    walk.visit = list_primitive;
    walk.context = &listing;
    if (dc_ipc_walk(&walk))
      return -1;
  }
  unit.count = own->count - unit.first;
  friction->cost += PAIR_COST * (double)unit.count;
  return unit.count > 0 ? dc_friction_add_unit(friction, &unit) : 0;
}

// Sums energy and derivatives of the sliding points of one unit, whose smoothing is a displacement w = e h.
static void run(struct dc_contact *contact, struct dc_friction_unit *unit, const struct dc_friction_motion *motion)
{
  const struct dc_ipc_friction *own = contact->friction->own;
  dc_sliding_points_run(own->sliding_points, dc_slip_ipc, motion, unit);
}

const struct dc_friction_methods dc_ipc_friction_methods = {.create = create,
                                                            .destroy = destroy,
                                                            .clear = clear,
                                                            .list = list,
                                                            .run = run,
                                                            .pull_back = dc_ipc_friction_pull_back,
                                                            .displacements = true};
