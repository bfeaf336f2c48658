// SPDX-License-Identifier: Apache-2.0
// Whether the bounding spheres of two nodes stay apart (docs/theory.md, "No tunnelling").
//
// Centres stay near their tangents by what grows with the square of the way.  Where a body turns far that is larger
// than its nodes, down to the last: every triangle of one body would be followed against every one of the other.  So
// the way is halved where spheres that are apart at its beginning could not be shown to stay so, and halves are
// followed from where they begin.  Parts of one way are the same for all nodes, so that poses are found once for each.
#include "contact/near/node_path.h"
#include "contact/near/constants.h"

#include <math.h>

#include "math/vector.h"

void dc_node_path_begin(struct dc_node_path *path, const struct dc_collider *a, struct dc_motion *motion_a,
                        const struct dc_collider *b, struct dc_motion *motion_b, double kept)
{
  path->collider[0] = a;
  path->collider[1] = b;
  path->motion[0] = motion_a;
  path->motion[1] = motion_b;
  path->kept = kept;
  path->limit = -1;
}

// Where the bodies are after k parts.
static const struct dc_instant *instants(struct dc_node_path *path, int k)
{
  struct dc_instants *kept = &path->instants[((uint32_t)k * UINT32_C(2654435769)) >> 26];
  if (kept->index != k)
    for (int side = 0; side < 2; side++)
      kept->at[side] = *dc_motion_at(path->motion[side], path->limit * k / DC_PATH_PARTS);
  kept->index = k;
  return kept->at;
}

// Arm of a node's centre after k parts.
static void node_arm(const struct dc_node_path *path, int side, int node, int k, const struct dc_instant *now,
                     double r[3])
{
  const struct dc_collider *collider = path->collider[side];
  if (k == 0 || !path->motion[side]->moves)
    dc_vec_copy(r, collider->spheres[node]);
  else
    dc_mat_apply(r, now->rotation, collider->tree.center[node]);
}

// Least |d + s v| for s in [0, limit].
static double nearest_approach(const double d[3], const double v[3], double limit)
{
  double square = dc_vec_dot(v, v), s = square > 0 ? fmin(limit, fmax(0, -dc_vec_dot(d, v) / square)) : 0, x[3];
  dc_vec_add_scaled(x, d, s, v);
  return dc_vec_norm(x);
}

// The same from after `from` parts on, for `count` of them, a power of two.
static bool apart_during(struct dc_node_path *path, int i, int j, int from, int count)
{
  const struct dc_instant *now = instants(path, from);
  double r_a[3], r_b[3], d[3], velocity[3], other[3], way = path->limit * count / DC_PATH_PARTS;
  node_arm(path, 0, i, from, &now[0], r_a);
  node_arm(path, 1, j, from, &now[1], r_b);
  dc_point_velocity(&now[0], r_a, velocity);
  dc_point_velocity(&now[1], r_b, other);
  double bend = 0.5 * (dc_point_bend(path->motion[0], r_a, velocity) + dc_point_bend(path->motion[1], r_b, other));
  dc_vec_sub(velocity, velocity, other);
  for (int k = 0; k < 3; k++)
    d[k] = (now[0].center[k] - now[1].center[k]) + (r_a[k] - r_b[k]);
  double radii = (path->collider[0]->tree.radius[i] + path->collider[1]->tree.radius[j]) * DC_NEAR_RADII;
  double least = radii + (count == DC_PATH_PARTS ? 0 : path->kept);
  if (nearest_approach(d, velocity, way) > least + bend * way * way)
    return true;
  if (count == 1 || --path->tries <= 0 || !(dc_vec_norm(d) > radii + path->kept))
    return false;
  // The end first: what comes nearer is nearest there.
  return apart_during(path, i, j, from + count / 2, count / 2) && apart_during(path, i, j, from, count / 2);
}

bool dc_nodes_apart(struct dc_node_path *path, int i, int j, double limit)
{
  for (int k = 0; k < DC_KEPT_INSTANTS && limit != path->limit; k++)
    path->instants[k].index = -1;
  path->limit = limit;
  path->tries = DC_NEAR_MOST_TRIES;
  return apart_during(path, i, j, 0, DC_PATH_PARTS);
}
