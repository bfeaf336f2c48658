// SPDX-License-Identifier: Apache-2.0
// With U = -sum m_b g . x_b the force that holds a coordinate is c_v = dU/dq_v, and its derivatives are those of
// x_b: of the two degrees of freedom k and v of a chain the outer one, when it turns about a, carries the inner one's
// column along,
//     d2x_b / dq_k dq_v = a_outer x (dx_b/dq_inner),   0 when the outer one shifts.
// v is that of a slide or hinge, so that the same holds for k within a ball.
#include "dynamics/weight.h"

#include <string.h>

#include "math/vector.h"

enum { MOST_OWN = 40 };  // degrees of freedom of one joint

// The body that degree of freedom k belongs to, from one that it moves on.
static int owner_of(const struct dc_bodies *bodies, int body, int k)
{
  while (k < bodies->bodies[body].v_offset || k >= bodies->bodies[body].v_offset + bodies->bodies[body].nv)
    body = bodies->bodies[body].parent;
  return body;
}

static struct dc_axis axis_of(const struct dc_weight *weight, int body, int k)
{
  if (weight->axes)
    return weight->axes[k];
  const struct dc_bodies *bodies = &weight->model->bodies;
  int owner = owner_of(bodies, body, k);
  struct dc_axis axes[MOST_OWN];
  dc_joint_axes(&bodies->bodies[owner], weight->q, &weight->poses[owner], axes);
  return axes[k - bodies->bodies[owner].v_offset];
}

// dx/dq of a point.
static void column(const struct dc_axis *axis, const double *point, double dx[3])
{
  double arm[3];
  if (!axis->turns) {
    dc_vec_copy(dx, axis->direction);
    return;
  }
  dc_vec_sub(arm, point, axis->anchor);
  dc_vec_cross(dx, axis->direction, arm);
}

// Place of a degree of freedom in the chain of a body, -1: it does not move it.
static int place_in_chain(const struct dc_body *body, int v)
{
  for (int c = 0; c < body->chain_count && body->mass > 0; c++)
    if (body->chain[c] == v)
      return c;
  return -1;
}

double dc_weight_hold(const struct dc_weight *weight, int body, int v)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  struct dc_axis own = axis_of(weight, body, v);
  double sum = 0, dx[3];
  for (int b = 0; b < bodies->count; b++) {
    if (place_in_chain(&bodies->bodies[b], v) < 0)
      continue;
    column(&own, weight->poses[b].position, dx);
    sum -= weight->design->body_mass_scale[b] * dc_body_heavy(&bodies->bodies[b]) * dc_vec_dot(weight->design->gravity, dx);
  }
  return sum;
}

void dc_weight_hold_all(const struct dc_weight *weight, double *held)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  memset(held, 0, (size_t)bodies->nv * sizeof *held);
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    double heavy = weight->design->body_mass_scale[b] * dc_body_heavy(body), dx[3];
    for (int c = 0; c < body->chain_count && body->mass > 0; c++) {
      column(&weight->axes[body->chain[c]], weight->poses[b].position, dx);
      held[body->chain[c]] -= heavy * dc_vec_dot(weight->design->gravity, dx);
    }
  }
}

// The part of body b in the derivative of c: adds factor * (-m g . d2x/dq_k dq_v) to by_q (may be NULL) and returns the
// sum over k times moved (may be NULL).
static double second(const struct dc_weight *weight, int b, int place, const struct dc_axis *own, double factor,
                     double *by_q, const double *moved)
{
  const struct dc_body *body = &weight->model->bodies.bodies[b];
  double sum = 0, scale = -weight->design->body_mass_scale[b] * dc_body_heavy(body);
  for (int c = 0; c < body->chain_count; c++) {
    struct dc_axis axis = axis_of(weight, b, body->chain[c]);
    const struct dc_axis *outer = c < place ? &axis : own, *inner = c < place ? own : &axis;
    double dx[3], change[3];
    if (!outer->turns)
      continue;
    column(inner, weight->poses[b].position, dx);
    dc_vec_cross(change, outer->direction, dx);
    double derivative = scale * dc_vec_dot(weight->design->gravity, change);
    if (by_q)
      by_q[body->chain[c]] += factor * derivative;
    if (moved)
      sum += derivative * moved[body->chain[c]];
  }
  return sum;
}

// Adjoint of the force c_v that holds a coordinate, times a factor: by masses, gravity and the coordinates of its
// chain.
void dc_weight_pull_back(const struct dc_weight *weight, int body, int v, double factor, double *by_q,
                         struct dc_design *design)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  struct dc_axis own = axis_of(weight, body, v);
  double dx[3];
  for (int b = 0; b < bodies->count; b++) {
    int place = place_in_chain(&bodies->bodies[b], v);
    if (place < 0)
      continue;
    column(&own, weight->poses[b].position, dx);
    double mass = dc_body_heavy(&bodies->bodies[b]);
    design->body_mass_scale[b] -= factor * mass * dc_vec_dot(weight->design->gravity, dx);
    dc_vec_add_scaled(design->gravity, design->gravity, -factor * weight->design->body_mass_scale[b] * mass, dx);
    second(weight, b, place, &own, factor, by_q, NULL);
  }
}

// Its tangent, for a variation of the state and of the design.
double dc_weight_push_forward(const struct dc_weight *weight, int body, int v, const double *moved,
                              const struct dc_design *design)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  struct dc_axis own = axis_of(weight, body, v);
  double sum = 0, dx[3];
  for (int b = 0; b < bodies->count; b++) {
    int place = place_in_chain(&bodies->bodies[b], v);
    if (place < 0)
      continue;
    column(&own, weight->poses[b].position, dx);
    double mass = dc_body_heavy(&bodies->bodies[b]), scale = weight->design->body_mass_scale[b];
    sum -= mass * (design->body_mass_scale[b] * dc_vec_dot(weight->design->gravity, dx) +
                   scale * dc_vec_dot(design->gravity, dx));
    sum += second(weight, b, place, &own, 0, NULL, moved);
  }
  return sum;
}
