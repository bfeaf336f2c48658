// SPDX-License-Identifier: Apache-2.0
// With U = -sum m_b g . x_b the force that holds a coordinate is c_v = dU/dq_v, and its derivatives are those of
// x_b: of the two degrees of freedom k and v of a chain the outer one, when it turns about a, carries the inner one's
// column along,
//     d2x_b / dq_k dq_v = a_outer x (dx_b/dq_inner),   0 when the outer one shifts.
// v is that of a slide or hinge, so that the same holds for k within a ball.
//
// A soft body that pins hold on bodies that move hangs on these, and what is fixed to it too: each pin bears its part
// of the stiffness of all of them.  Such a centre of mass x has nodes for coordinates and none of the chain, so that
// with the axis a and the anchor o of v only outer degrees of freedom k carry its column a x (x - o),
//     d2x / dq_k dq_v = (a_k x a) x (x - o) - a x (do/dq_k),
// and x itself does by the nodes.
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
  for (int c = 0; c < body->chain_count; c++)
    if (body->chain[c] == v)
      return c;
  return -1;
}

// The same, -1 also of a body without mass.
static int place_of_weight(const struct dc_body *body, int v)
{
  return body->mass > 0 ? place_in_chain(body, v) : -1;
}

// The part of a weight at nodes that one pin bears.
struct hung {
  const struct dc_support *support;  // of the weight's frame
  const struct dc_body *holder;
  double mass;  // that part of the mass, before the scale of the design, kg
};

static const struct dc_soft *soft_under(const struct dc_bodies *bodies, const struct dc_support *support)
{
  int s = 0;
  while (support->places[0] >= bodies->soft[s].v_offset - bodies->first_node_v + 3 * bodies->soft[s].node_count)
    s++;
  return &bodies->soft[s];
}

static double stiffness_of_pins(const struct dc_soft *soft)
{
  double sum = 0;
  for (int p = 0; p < soft->pin_count; p++)
    sum += soft->pins[p].stiffness;
  return sum;
}

// Sets the next part of a weight; false: no more.  *s and *p begin at 0.
static bool next_hung(const struct dc_bodies *bodies, int *s, int *p, struct hung *hung)
{
  for (; bodies->mount_count && *s < bodies->support_count; ++*s, *p = 0) {
    const struct dc_support *support = &bodies->supports[*s];
    const struct dc_soft *soft = soft_under(bodies, support);
    while (*p < soft->pin_count) {
      const struct dc_pin *pin = &soft->pins[(*p)++];
      if (pin->body < 0)
        continue;
      double heavy = support->body == soft->body ? soft->density * soft->elastic.volume
                                                 : dc_body_heavy(&bodies->bodies[support->body]);
      *hung = (struct hung){support, &bodies->bodies[pin->body], heavy * pin->stiffness / stiffness_of_pins(soft)};
      return true;
    }
  }
  return false;
}

#define FOR_EACH_HUNG(hung, bodies) for (int s_ = 0, p_ = 0; next_hung(bodies, &s_, &p_, hung);)

// The generalized force on coordinate v that keeps everything above it in the chain from falling: -sum m g . dx/dv,
// with dx/dv the motion of a centre of mass by v. Bodies count with their own mass, and holders with that of soft
// bodies that hang on them.
double dc_weight_hold(const struct dc_weight *weight, int body, int v)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  struct dc_axis own = axis_of(weight, body, v);
  double sum = 0, dx[3];
  for (int b = 0; b < bodies->count; b++) {
    if (place_of_weight(&bodies->bodies[b], v) < 0)
      continue;
    column(&own, weight->poses[b].position, dx);
    sum -= weight->design->body_mass_scale[b] * dc_body_heavy(&bodies->bodies[b]) * dc_vec_dot(weight->design->gravity, dx);
  }
  struct hung hung;
  FOR_EACH_HUNG(&hung, bodies)
  {
    if (place_in_chain(hung.holder, v) < 0)
      continue;
    column(&own, weight->poses[hung.support->body].position, dx);
    sum -= weight->design->body_mass_scale[hung.support->body] * hung.mass * dc_vec_dot(weight->design->gravity, dx);
  }
  return sum;
}

// The same for all coordinates at once, body by body along its chain, so that the cost is that of the chains and not
// of their square.
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
  struct hung hung;
  FOR_EACH_HUNG(&hung, bodies)
  {
    double heavy = weight->design->body_mass_scale[hung.support->body] * hung.mass, dx[3];
    for (int c = 0; c < hung.holder->chain_count; c++) {
      int v = hung.holder->chain[c];
      column(&weight->axes[v], weight->poses[hung.support->body].position, dx);
      held[v] -= heavy * dc_vec_dot(weight->design->gravity, dx);
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

// The same of a weight at nodes, whose place in the chain of its holder is given.
static double second_of_hung(const struct dc_weight *weight, const struct hung *hung, int place,
                             const struct dc_axis *own, double factor, double *by_q, const double *moved)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  const double *gravity = weight->design->gravity, *x = weight->poses[hung->support->body].position;
  double sum = 0, scale = -weight->design->body_mass_scale[hung->support->body] * hung->mass;
  for (int c = 0; c < place; c++) {
    struct dc_axis outer = axis_of(weight, (int)(hung->holder - bodies->bodies), hung->holder->chain[c]);
    double change[3] = {0, 0, 0}, part[3], anchor[3];
    if (own->turns) {
      column(&outer, own->anchor, anchor);
      dc_vec_cross(part, own->direction, anchor);
      dc_vec_sub(change, change, part);
    }
    if (outer.turns) {
      double turned[3], arm[3];
      dc_vec_cross(turned, outer.direction, own->direction);
      dc_vec_sub(arm, x, own->anchor);
      if (own->turns)
        dc_vec_cross(part, turned, arm);
      dc_vec_add(change, change, own->turns ? part : turned);
    }
    double derivative = scale * dc_vec_dot(gravity, change);
    if (by_q)
      by_q[hung->holder->chain[c]] += factor * derivative;
    if (moved)
      sum += derivative * moved[hung->holder->chain[c]];
  }
  if (!own->turns)
    return sum;
  double by_place[3];  // g . (a x dx) = (g x a) . dx
  dc_vec_cross(by_place, gravity, own->direction);
  for (int k = 0; k < hung->support->count; k++)
    for (int i = 0, at = bodies->first_node_v + hung->support->places[k]; i < 3; i++, at++) {
      double derivative = scale * hung->support->weights[k] * by_place[i];
      if (by_q)
        by_q[at] += factor * derivative;
      if (moved)
        sum += derivative * moved[at];
    }
  return sum;
}

// Adjoint of the part of a mass in a force c_v, with the column of its place: by the mass of body b and by gravity.
static void pull_back_share(const struct dc_weight *weight, int b, double mass, const double dx[3], double factor,
                            struct dc_design *design)
{
  design->body_mass_scale[b] -= factor * mass * dc_vec_dot(weight->design->gravity, dx);
  dc_vec_add_scaled(design->gravity, design->gravity, -factor * weight->design->body_mass_scale[b] * mass, dx);
}

// The change of that part.
static double change_of_share(const struct dc_weight *weight, int b, double mass, const double dx[3],
                              const struct dc_design *design)
{
  return -mass * (design->body_mass_scale[b] * dc_vec_dot(weight->design->gravity, dx) +
                  weight->design->body_mass_scale[b] * dc_vec_dot(design->gravity, dx));
}

// Adjoint of the force c_v that holds a coordinate, times a factor: by masses, gravity, the coordinates of its chain
// and the nodes that hang on it.
void dc_weight_pull_back(const struct dc_weight *weight, int body, int v, double factor, double *by_q,
                         struct dc_design *design)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  struct dc_axis own = axis_of(weight, body, v);
  struct hung hung;
  double dx[3];
  for (int b = 0; b < bodies->count; b++) {
    int place = place_of_weight(&bodies->bodies[b], v);
    if (place < 0)
      continue;
    column(&own, weight->poses[b].position, dx);
    pull_back_share(weight, b, dc_body_heavy(&bodies->bodies[b]), dx, factor, design);
    second(weight, b, place, &own, factor, by_q, NULL);
  }
  FOR_EACH_HUNG(&hung, bodies)
  {
    int place = place_in_chain(hung.holder, v), at = hung.support->body;
    if (place < 0)
      continue;
    column(&own, weight->poses[at].position, dx);
    pull_back_share(weight, at, hung.mass, dx, factor, design);
    second_of_hung(weight, &hung, place, &own, factor, by_q, NULL);
  }
}

// Its tangent, for a variation of the state and of the design.
double dc_weight_push_forward(const struct dc_weight *weight, int body, int v, const double *moved,
                              const struct dc_design *design)
{
  const struct dc_bodies *bodies = &weight->model->bodies;
  struct dc_axis own = axis_of(weight, body, v);
  struct hung hung;
  double sum = 0, dx[3];
  for (int b = 0; b < bodies->count; b++) {
    int place = place_of_weight(&bodies->bodies[b], v);
    if (place < 0)
      continue;
    column(&own, weight->poses[b].position, dx);
    sum += change_of_share(weight, b, dc_body_heavy(&bodies->bodies[b]), dx, design);
    sum += second(weight, b, place, &own, 0, NULL, moved);
  }
  FOR_EACH_HUNG(&hung, bodies)
  if (place_in_chain(hung.holder, v) >= 0) {
    column(&own, weight->poses[hung.support->body].position, dx);
    sum += change_of_share(weight, hung.support->body, hung.mass, dx, design) +
           second_of_hung(weight, &hung, place_in_chain(hung.holder, v), &own, 0, NULL, moved);
  }
  return sum;
}
