// SPDX-License-Identifier: Apache-2.0
// The mixed derivative of the friction of incremental potential contact: how its gradient at t+1 depends on time t.
//
// With vertex motions delta_v at t+1 and G = D_x+ delta, of one pair of primitives
//     G = F phi(|u|) u.delta,   u = (I - n n^T) Delta,   Delta = sum_v w_v (x_v+ - x_v),   delta = sum_v w_v delta_v,
// phi = f0'/y.  The sliding points are fixed to the bodies at the weights of the vertices, so that x_v+ does not depend
// on time t.  F, n = r/d and w_v do, functions of the vertices x_v, and so does x_v itself
// (contact/friction/point_slip.h; docs/theory.md, "IPC"; the closest points' own dependence in
// geometry/convex/distance.c).
#include <string.h>

#include "contact/models/ipc/ipc_state.h"
#include "math/vector.h"

struct sides {
  const struct dc_friction_motion *motion;
  struct dc_friction_sides *pair;
  const struct dc_collider *collider[2];
  const double *rotation[2];  // at t
  double shift[3];            // c_b - c_a
  double width;
};

// The vertices of a pair of primitives: arms at t, motions to t+1 and along the twists.
struct vertices {
  int side[4], count;
  double arm[4][3], x[4][3], moved[4][3], varied[4][3];
};

// Arms, motions and variations of the four vertices, or of one above a primitive.
static void place_vertices(const struct sides *sides, const struct dc_ipc_lag *lag, struct vertices *vertices)
{
  vertices->count = lag->kind == DC_IPC_PRIMITIVE ? 1 : 4;
  for (int v = 0; v < vertices->count; v++) {
    int side = vertices->side[v] = lag->moving & 1u << v ? 0 : 1;
    const struct dc_friction_motion *motion = sides->motion;
    double after[3];
    dc_mat_apply(vertices->arm[v], sides->rotation[side], sides->collider[side]->vertices[lag->vertex[v]]);
    dc_vec_add_scaled(vertices->x[v], vertices->arm[v], side, sides->shift);
    dc_mat_apply(vertices->moved[v], motion->drift[side], vertices->arm[v]);
    dc_vec_add(vertices->moved[v], vertices->moved[v], motion->velocity[side]);
    dc_mat_apply(after, motion->turn[side], vertices->arm[v]);
    dc_vec_cross(vertices->varied[v], sides->pair->twist[side], after);
    dc_vec_add(vertices->varied[v], vertices->varied[v], sides->pair->twist[side] + 3);
  }
}

// Delta and delta.
static void sum_motions(const struct dc_ipc_lag *lag, const struct vertices *vertices, double moved[3],
                        double varied[3])
{
  memset(moved, 0, 3 * sizeof *moved);
  memset(varied, 0, 3 * sizeof *varied);
  for (int v = 0; v < vertices->count; v++) {
    dc_vec_add_scaled(moved, moved, lag->closest.weight[v], vertices->moved[v]);
    dc_vec_add_scaled(varied, varied, lag->closest.weight[v], vertices->varied[v]);
  }
}

// One sliding point: cotangents of its motions and normal, on to the vertices and from there to the bodies.
static double pull_back(const struct dc_sliding_point *sliding, const struct dc_ipc_lag *lag, struct sides *sides)
{
  struct vertices vertices;
  struct dc_point_cotangents c;
  double out[4][3] = {{0}}, moved[3], varied[3];
  place_vertices(sides, lag, &vertices);
  sum_motions(lag, &vertices, moved, varied);
  dc_point_slip_cotangents(sliding, dc_slip_ipc, sides->width, moved, varied, &c);
  if (lag->kind == DC_IPC_PRIMITIVE) {  // its normal stands still
    dc_vec_scale(out[0], c.by_moved, -lag->closest.weight[0]);
    dc_vec_add_scaled(out[0], out[0], c.total * lag->by_distance, sliding->normal);
  } else {
    const struct dc_point_origin origin = {&lag->closest,
                                           lag->by_distance,
                                           lag->by_parallel,
                                           (const double(*)[3])vertices.x,
                                           (const double(*)[3])vertices.moved,
                                           (const double(*)[3])vertices.varied};
    dc_point_pull_back(&origin, sliding->normal, &c, out);
  }
  for (int v = 0; v < vertices.count; v++) {
    double torque[3], *wrench = sides->pair->wrench[vertices.side[v]];
    dc_vec_cross(torque, vertices.arm[v], out[v]);
    dc_vec_add(wrench, wrench, torque);
    dc_vec_add(wrench + 3, wrench + 3, out[v]);
  }
  return c.total;
}

static struct sides sides_of(const struct dc_contact *contact, int p, const struct dc_friction_motion *motion,
                             struct dc_friction_sides *pair)
{
  const struct dc_friction *friction = contact->friction;
  int a = contact->pairs[p].a, b = contact->pairs[p].b;
  struct sides sides = {.motion = motion,
                        .pair = pair,
                        .collider = {&contact->colliders[a], &contact->colliders[b]},
                        .rotation = {friction->now[a].rotation, friction->now[b].rotation},
                        .width = friction->smoothing * friction->time_step};
  dc_vec_sub(sides.shift, friction->now[b].position, friction->now[a].position);
  return sides;
}

double dc_ipc_friction_pull_back(struct dc_contact *contact, const struct dc_friction_unit *unit, size_t count,
                                 const struct dc_friction_motion *motion, struct dc_friction_sides *pair)
{
  const struct dc_ipc_friction *own = contact->friction->own;
  struct sides sides = sides_of(contact, unit->pair, motion, pair);
  double total = 0;
  (void)count;  // one
  for (size_t k = unit->first; k < unit->first + unit->count; k++)
    total += pull_back(&own->sliding_points[k], &own->lags[k], &sides);
  return total;
}
