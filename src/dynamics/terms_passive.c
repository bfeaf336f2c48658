// SPDX-License-Identifier: Apache-2.0
// The term of what a joint does by itself: spring, damping, armature, dry friction, a constant force
// (docs/theory/bodies.md, "Joints").
//
// For a length or angle q at t+1, t and t-1 (q+, q, q-), with h the interval, r its ratio to the one before and
// v = (q+ - q)/h the energy is
//     k/2 (q+ - rest)^2 + c h/2 v^2 + a/(2 h^2) (q+ - q - r (q - q-))^2 + f h s(v) - F (q+ - q),
// less what of the spring's the interval begins with.  s is |v| with its corner rounded off below e = 1 mm/s or mrad/s,
//     s(v) = v^2/e - |v|^3/(3 e^2),   |v| < e;    |v| - e/3 beyond,
// convex and twice differentiable (the rounding of Li et al. 2020, Incremental Potential Contact, Eq. 14).
// With the integrator "second_order" a prediction q* has spring, damping, armature and F already, by halves of
// intervals; what is left of them here is how they give way to contact.
// A ball R with damping has c/(2h) (3 - tr(R+ R^T)), with a spring k/2 (3 - tr R+): see terms_actuator.c for the
// derivatives of -tr(A).  A free body's damping acts on its turning like a ball's and on the origin x of its shape's
// frame, c/(2h) |x+ - x|^2: with p = x+ - (centre of mass) and F = c/h (x+ - x)
//     gradient by (w, t): (p x F, F),   Hessian J^T J c/h + the curvature (F p^T + p F^T)/2 - (p.F) I of the turn.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

// Speed below which dry friction is rounded off, m/s or rad/s.
static const double SLOW = 1e-3;

// A part that does something, of body i.
struct passive {
  const struct dc_step_state *state;
  const struct dc_joint_part *part;
  int body;
};

static bool is_scalar(const struct dc_joint_part *part)
{
  return part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE;
}

// Calls visit for every part with passive forces.
static void visit_parts(const struct dc_step_state *state, void (*visit)(const struct passive *, void *context),
                        void *context)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++)
      if (bodies->bodies[i].parts[p].passive.given && (!state->half || is_scalar(&bodies->bodies[i].parts[p])))
        visit(&(struct passive){state, &bodies->bodies[i].parts[p], i}, context);
}

// Value, slope and curvature by q+, and the derivatives of the slope by q and q-, of a length or angle.
struct scalar_law {
  double value, slope, curvature, by_now, by_before, by_predicted;
};

// Spring, damping and constant force over half of an interval, there or back (prediction.c).
static struct scalar_law half_law(const struct passive *p)
{
  const struct dc_joint_passive *own = &p->part->passive;
  double next = p->state->q_next[p->part->q], now = p->state->q_now[p->part->q];
  double damping = own->damping / p->state->interval.length;
  return (struct scalar_law){.slope = own->stiffness * (next - own->rest) + damping * (next - now) - own->force,
                             .curvature = own->stiffness + damping,
                             .by_now = -damping};
}

// Beside a prediction q*: how spring and damping give way, as actuators do (terms_actuator.c), and the armature about
// it, (k/4 + c/(2h) + a/h^2)/2 (q+ - q*)^2.
static void add_way_given(const struct passive *p, struct scalar_law *law)
{
  const struct dc_joint_passive *own = &p->part->passive;
  double h = p->state->interval.length, level = 0.25 * own->stiffness + 0.5 * own->damping / h + own->armature / (h * h);
  double way = p->state->q_next[p->part->q] - p->state->q_predicted[p->part->q];
  law->value += 0.5 * level * way * way;
  law->slope += level * way;
  law->curvature += level;
  law->by_predicted = -level;
}

// Value and derivatives of the passive forces of a slide or hinge over a step: spring, damper, armature, dry friction
// (smooth below SLOW) and a constant force.
static struct scalar_law scalar_law(const struct passive *p)
{
  if (p->state->half)
    return half_law(p);
  const struct dc_step_state *state = p->state;
  const struct dc_joint_passive *own = &p->part->passive;
  double h = state->interval.length, r = state->interval.ratio;
  double next = state->q_next[p->part->q], now = state->q_now[p->part->q], before = state->q_before[p->part->q];
  double way = next - now, v = way / h, speed = fabs(v);
  double change = way - r * (now - before), heavy = own->armature / (h * h), c = own->damping / h;
  bool slow = speed < SLOW;
  double s = slow ? speed * speed * (1 - speed / (3 * SLOW)) / SLOW : speed - SLOW / 3;
  double rate = slow ? v * (2 - speed / SLOW) / SLOW : copysign(1, v), bend = slow ? 2 * (1 - speed / SLOW) / SLOW : 0;
  if (state->prediction) {
    double lost = own->dry_friction * bend / h;
    struct scalar_law law = {
        .value = own->dry_friction * h * s, .slope = own->dry_friction * rate, .curvature = lost, .by_now = -lost};
    add_way_given(p, &law);
    return law;
  }
  double lost = c + own->dry_friction * bend / h;
  return (struct scalar_law){.value = 0.5 * own->stiffness * way * (next + now - 2 * own->rest) + 0.5 * c * way * way +
                                      0.5 * heavy * change * change + own->dry_friction * h * s - own->force * way,
                             .slope = own->stiffness * (next - own->rest) + c * way + heavy * change +
                                      own->dry_friction * rate - own->force,
                             .curvature = own->stiffness + heavy + lost,
                             .by_now = -(1 + r) * heavy - lost,
                             .by_before = r * heavy};
}

// A = k/2 R+ and c/(2h) R+ R^T, summed: the gradients by q+ are those of -tr(A).
static void ball_products(const struct passive *p, double spring[9], double damping[9])
{
  double next[9], now[9];
  dc_rotation_matrix(next, p->state->q_next + p->part->q);
  dc_rotation_matrix(now, p->state->q_now + p->part->q);
  dc_mat_multiply_transposed(damping, next, now);
  for (int k = 0; k < 9; k++) {
    spring[k] = 0.5 * p->part->passive.stiffness * next[k];
    damping[k] *= 0.5 * p->part->passive.damping / p->state->interval.length;
  }
}

static void axial(const double a[9], double g[3])
{
  g[0] = a[7] - a[5];
  g[1] = a[2] - a[6];
  g[2] = a[3] - a[1];
}

// |R+ - R|^2/4 c/h + (3 - tr R+) k/2.
static double ball_value(const struct passive *p)
{
  double next[9], now[9], way = 0;
  dc_rotation_matrix(next, p->state->q_next + p->part->q);
  dc_rotation_matrix(now, p->state->q_now + p->part->q);
  for (int k = 0; k < 9; k++)
    way += (next[k] - now[k]) * (next[k] - now[k]);
  return 0.25 * p->part->passive.damping / p->state->interval.length * way +
         0.5 * p->part->passive.stiffness * (now[0] - next[0] + now[4] - next[4] + now[8] - next[8]);
}

// The origin of a free body's shape frame: its arms from the centre of mass at t+1 and t, and F.
struct origin {
  double next[3], now[3], force[3], gain;
};

// A translation is damped at the joint's origin, not at the centre of mass: the force there and the arms to the centre
// at both ends of the interval.
static struct origin origin_of(const struct passive *p)
{
  const struct dc_step_state *state = p->state;
  const double *center = state->model->bodies.bodies[p->body].center;
  struct origin o = {.gain = p->part->passive.damping / state->interval.length};
  dc_mat_apply(o.next, state->next[p->body].rotation, center);
  dc_mat_apply(o.now, state->now[p->body].rotation, center);
  for (int k = 0; k < 3; k++) {
    o.next[k] = -o.next[k];
    o.now[k] = -o.now[k];
    o.force[k] = o.gain * ((state->next[p->body].position[k] - state->now[p->body].position[k]) + o.next[k] - o.now[k]);
  }
  return o;
}

// Where the twist of a free body begins: its turn, then its move.
static int twist_at(const struct passive *p)
{
  return p->state->model->bodies.bodies[p->body].v_offset;
}

static void part_value(const struct passive *p, void *context)
{
  double *sum = context;
  if (p->part->kind == DC_PART_TRANSLATION) {
    struct origin o = origin_of(p);
    *sum += 0.5 * dc_vec_dot(o.force, o.force) / o.gain;
  } else {
    *sum += p->part->kind == DC_PART_BALL ? ball_value(p) : scalar_law(p).value;
  }
}

static double passive_value(const struct dc_step_state *state)
{
  double sum = 0;
  visit_parts(state, part_value, &sum);
  return sum;
}

// Adds the passive forces of one joint part: a spring of the origin, a ball by axial vectors, or a scalar law.
static void part_gradient(const struct passive *p, void *context)
{
  double *forces = context;
  if (p->part->kind == DC_PART_TRANSLATION) {
    struct origin o = origin_of(p);
    double turn[3], *twist = forces + twist_at(p);
    dc_vec_cross(turn, o.next, o.force);
    dc_vec_add(twist, twist, turn);
    dc_vec_add(twist + 3, twist + 3, o.force);
  } else if (p->part->kind == DC_PART_BALL) {
    double spring[9], damping[9], g[3], *force = forces + p->part->v;
    ball_products(p, spring, damping);
    axial(spring, g);
    dc_vec_add(force, force, g);
    axial(damping, g);
    dc_vec_add(force, force, g);
  } else {
    forces[p->part->v] += scalar_law(p).slope;
  }
}

static void passive_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  visit_parts(state, part_gradient, forces->joints);
}

struct hessian_context {
  struct dc_step_hessian *hessian;
  bool exact;
};

// The traces of terms_actuator.c; not exact: the level k + d/h that they have without any turn.
static void ball_hessian(const struct passive *p, bool exact, double block[9])
{
  double spring[9], damping[9],
      level = p->part->passive.stiffness + p->part->passive.damping / p->state->interval.length;
  ball_products(p, spring, damping);
  double trace = 0;
  for (int k = 0; k < 3; k++)
    trace += spring[4 * k] + damping[4 * k];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      block[3 * i + k] = !exact ? (i == k) * level
                                : (i == k ? trace : 0) - 0.5 * (spring[3 * i + k] + spring[3 * k + i] +
                                                                damping[3 * i + k] + damping[3 * k + i]);
}

// J = [-[p]x, I] for the velocity t + w x p.
static void origin_hessian(const struct passive *p, bool exact, double block[36])
{
  struct origin o = origin_of(p);
  double j[3][6] = {
      {0, o.next[2], -o.next[1], 1, 0, 0}, {-o.next[2], 0, o.next[0], 0, 1, 0}, {o.next[1], -o.next[0], 0, 0, 0, 1}};
  double along = dc_vec_dot(o.next, o.force);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) {
      block[6 * a + b] = o.gain * (j[0][a] * j[0][b] + j[1][a] * j[1][b] + j[2][a] * j[2][b]);
      if (exact && a < 3 && b < 3)
        block[6 * a + b] += 0.5 * (o.force[a] * o.next[b] + o.next[a] * o.force[b]) - (a == b ? along : 0);
    }
}

// Adds the Hessian of one joint part: 6x6 for an origin, 3x3 for a ball, 1x1 else.
static void part_hessian(const struct passive *p, void *context)
{
  const struct hessian_context *c = context;
  double block[36];
  int at = p->part->v, n = 1;
  if (p->part->kind == DC_PART_TRANSLATION) {
    at = twist_at(p);
    n = 6;
    origin_hessian(p, c->exact, block);
  } else if (p->part->kind == DC_PART_BALL) {
    n = 3;
    ball_hessian(p, c->exact, block);
  } else {
    block[0] = scalar_law(p).curvature;
  }
  dc_assemble_joint(c->hessian->assembler, p->body, at, n, block, c->hessian->matrix);
}

static void passive_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  struct hessian_context context = {hessian, exact};
  visit_parts(state, part_hessian, &context);
}

// Derivatives of (gradient by q+) . lambda by the states at t and t-1, or, transposed, the change of the gradient along
// moves of these.
struct mixed_context {
  const double *lambda;            // NULL: the product is wanted
  double *now, *before, *by_predicted;               // gain the derivatives
  const double *moved, *previous, *moved_predicted;  // moves at t and t-1, and of q*
  double *forces;                  // gain the change
};

// Both ways by the same products: transposed where a variation is pushed forward.
static void ball_mixed(const struct passive *p, const struct mixed_context *c)
{
  double spring[9], a[9], bent[3];
  int v = p->part->v;
  ball_products(p, spring, a);
  double trace = a[0] + a[4] + a[8];
  const double *from = c->lambda ? c->lambda + v : c->moved + v;
  double *to = c->lambda ? c->now + v : c->forces + v;
  if (c->lambda)
    dc_mat_apply(bent, a, from);
  else
    dc_mat_apply_transposed(bent, a, from);
  for (int k = 0; k < 3; k++)
    to[k] += bent[k] - trace * from[k];
}

// By a twist (w, t) at t the force changes by -c/h (t + w x p), p the arm at t.
static void origin_mixed(const struct passive *p, const struct mixed_context *c)
{
  struct origin o = origin_of(p);
  int at = twist_at(p);
  const double *from = c->lambda ? c->lambda + at : c->moved + at;
  const double *out_arm = c->lambda ? o.now : o.next, *in_arm = c->lambda ? o.next : o.now;
  double *to = c->lambda ? c->now + at : c->forces + at, velocity[3], turn[3];
  dc_vec_cross(velocity, from, in_arm);
  dc_vec_add(velocity, velocity, from + 3);
  dc_vec_scale(velocity, velocity, -o.gain);
  dc_vec_cross(turn, out_arm, velocity);
  dc_vec_add(to, to, turn);
  dc_vec_add(to + 3, to + 3, velocity);
}

// Adds mixed derivatives of one joint part: with lambda its adjoint, into now, before and predicted; without it the
// product with a variation, into forces.
static void part_mixed(const struct passive *p, void *context)
{
  const struct mixed_context *c = context;
  int v = p->part->v;
  if (p->part->kind == DC_PART_TRANSLATION) {
    origin_mixed(p, c);
  } else if (p->part->kind == DC_PART_BALL) {
    ball_mixed(p, c);
  } else {
    struct scalar_law law = scalar_law(p);
    if (c->lambda) {
      c->now[v] += law.by_now * c->lambda[v];
      c->before[v] += law.by_before * c->lambda[v];
      if (law.by_predicted != 0)
        c->by_predicted[v] += law.by_predicted * c->lambda[v];
    } else {
      c->forces[v] += law.by_now * c->moved[v] + law.by_before * c->previous[v];
      if (law.by_predicted != 0)
        c->forces[v] += law.by_predicted * c->moved_predicted[v];
    }
  }
}

static void passive_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                              struct dc_step_cotangent *out)
{
  struct mixed_context context = {.lambda = direction->joints,
                                  .now = out->now.joints,
                                  .before = out->before.joints,
                                  .by_predicted = out->predicted.joints};
  visit_parts(state, part_mixed, &context);
}

static void passive_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                struct dc_step_forces *forces)
{
  struct mixed_context context = {.moved = variation->now.joints,
                                  .previous = variation->before.joints,
                                  .moved_predicted = variation->predicted.joints,
                                  .forces = forces->joints};
  visit_parts(state, part_mixed, &context);
}

static void part_curvature(const struct passive *p, void *context)
{
  double *diagonal = context;
  diagonal[p->part->v] += scalar_law(p).curvature;
}

void dc_passive_add_curvature(const struct dc_step_state *state, double *diagonal)
{
  visit_parts(state, part_curvature, diagonal);
}

// Dry friction counts with its stiffness at rest, the largest it has.
static void part_floor(const struct passive *p, void *context)
{
  double *floor = context;
  const struct dc_joint_passive *own = &p->part->passive;
  double h = p->state->interval.length;
  double stiffness = own->stiffness + own->damping / h + own->armature / (h * h) + 2 * own->dry_friction / (SLOW * h);
  for (int k = 0; k < dc_part_nv(p->part); k++)
    floor[p->part->v + k] += DC_POSITION_NOISE * stiffness *
                             (1 + (p->part->kind == DC_PART_BALL ? 0 : fabs(p->state->q_next[p->part->q + k])));
}

static void passive_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  visit_parts(state, part_floor, floor->joints);
}

const struct dc_step_term dc_passive_term = {
    .name = "passive joints",
    .reference = "docs/theory/bodies.md, \"Joints\"",
    .value = passive_value,
    .add_gradient = passive_add_gradient,
    .add_hessian = passive_add_hessian,
    .add_mixed = passive_add_mixed,
    .add_product = passive_add_product,
    .add_floor = passive_add_floor,
};
