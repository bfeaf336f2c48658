// SPDX-License-Identifier: Apache-2.0
// The gradients of the same terms that a step minimizes: nodes at half-spaces (add_plane), touching surfaces
// (add_touches) and the far field.  A force is the negative gradient by the place of a point; friction is left out.
#include "dynamics/soft_forces.h"

#include <math.h>

#include "dynamics/step.h"
#include "math/vector.h"

static bool moves(const struct dc_bodies *bodies, int body)
{
  return dc_body_moves(&bodies->bodies[body]) || dc_soft_of(bodies, body);
}

// The size of a body that limits others; none that stands still does.
static double size_of(const struct dc_bodies *bodies, int body)
{
  const struct dc_soft *soft = dc_soft_of(bodies, body);
  return moves(bodies, body) ? 2 * (soft ? soft->radius : bodies->bodies[body].radius) : INFINITY;
}

// Normal forces of a half-space on nodes, N, by whether their gap is within `reach` of the body's size.
static void add_plane(const struct dc_model *model, const struct dc_soft *soft, const struct dc_pose *pose, int plane,
                      const double *q, double reach, double (*near)[3], double (*far)[3])
{
  double e = dc_node_barrier(model, soft), least = reach * size_of(&model->bodies, soft->body);
  for (int at = 0; at < 3 * soft->node_count; at += 3) {
    double normal[3], gap = dc_node_gap(pose, q + soft->q_offset + at, normal);
    double(*sums)[3] = gap <= least ? near : far;
    dc_vec_add_scaled(sums[soft->body], sums[soft->body], 0.5 * e / gap, normal);
    dc_vec_add_scaled(sums[plane], sums[plane], -0.5 * e / gap, normal);
  }
}

// The mean of two soft bodies, as of the ranges of their barriers.
static double skin_of(const struct dc_bodies *bodies, const int body[2])
{
  const struct dc_soft *a = dc_soft_of(bodies, body[0]), *b = dc_soft_of(bodies, body[1]);
  return a && b ? 0.5 * (a->skin + b->skin) : a ? a->skin : b->skin;
}

// Adds minus the gradients of all touches to near or far, by the distance of the touch.
static void add_touches(const struct dc_rollout *rollout, double reach, bool between, double (*near)[3],
                        double (*far)[3])
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t count;
  const struct dc_touch *touches = dc_surface_touches(rollout->surface, &count);
  for (size_t t = 0; t < count; t++) {
    const int *body = touches[t].body;
    if (body[0] == body[1] || (between && !(moves(bodies, body[0]) && moves(bodies, body[1]))))
      continue;
    double gradient[4][3], size = fmin(size_of(bodies, body[0]), size_of(bodies, body[1])),
                           least = fmax(reach * size, skin_of(bodies, body));
    double(*sums)[3] = dc_vec_norm(touches[t].closest.r) <= least ? near : far;
    dc_touch_derivatives(&touches[t], gradient, NULL);
    for (int v = 0; v < 4; v++) {
      double *sum = sums[dc_touch_body(&touches[t], v)];
      dc_vec_sub(sum, sum, gradient[v]);
    }
  }
}

// Sums the contact forces on soft bodies at q, those within `reach` of a surface apart from those from afar; -1: out of
// memory.
int dc_soft_contact_forces(struct dc_rollout *rollout, const double *q, double reach, bool between, double (*near)[3],
                           double (*far)[3])
{
  const struct dc_model *model = rollout->model;
  const struct dc_bodies *bodies = &model->bodies;
  struct dc_pose *poses = rollout->now.poses;
  dc_poses(bodies, q, poses);
  for (int s = 0; s < bodies->soft_count; s++)
    for (int plane = 0; plane < bodies->count; plane++)
      if (dc_soft_touches(bodies, &bodies->soft[s], plane) && !(between && !moves(bodies, plane)))
        add_plane(model, &bodies->soft[s], &poses[plane], plane, q, reach, near, far);
  if (!rollout->surface)
    return 0;
  if (dc_surface_evaluate(rollout->surface, q, poses))
    return -1;
  add_touches(rollout, reach, between, near, far);
  return 0;
}

int dc_soft_far_forces(struct dc_rollout *rollout, const double *q, bool between, double (*far)[3])
{
  if (!rollout->far)
    return 0;
  dc_poses(&rollout->model->bodies, q, rollout->now.poses);
  if (dc_far_field_evaluate(rollout->far, q, rollout->now.poses, NULL))
    return -1;
  dc_far_field_add_forces(rollout->far, between, far);
  return 0;
}
