// SPDX-License-Identifier: Apache-2.0
// The term of tendons over joints (docs/theory/bodies.md, "Tendons").  With L = sum of a_i q_i at t+1 and t (L+, L),
// h the interval, v = (L+ - L)/h and e(L) how far L is outside of where the spring is slack, the energy is
//     k/2 (e(L+)^2 - e(L)^2) + d h/2 v^2 + f h s(v),
// s the |v| of terms_passive.c, rounded off below 1 mm/s or mrad/s.  With a limit E of what spring and damping do, in
// place of the first two, with u = -k e(L+) - d v and K = k + d/h,
//     S(u)/K,   force S'(u),
// S the saturation of dynamics/saturation.h.  Ends of a range are the same spring, slack within, of a stiffness R.
// A slope F by L+ is F a_i by q_i, a curvature C is C a_i a_j, and C is never negative.
#include <math.h>

#include "dynamics/saturation.h"
#include "dynamics/step.h"

// Speed below which dry friction is rounded off, m/s or rad/s.
static const double SLOW = 1e-3;

// Value, slope and curvature by L+, and the derivative of the slope by L.
struct law {
  double value, slope, curvature, by_now;
};

#define FOR_EACH_TENDON(tendon, state)                                                                                 \
  for (const struct dc_tendon *tendon = (state)->model->definition.tendons,                                            \
                              *end_ = tendon + (state)->model->definition.tendon_count;                                \
       tendon < end_; tendon++)

static const struct dc_tendon_joint *joint_of(const struct dc_tendon *tendon, int k)
{
  return (const struct dc_tendon_joint *)tendon->joints.objects + k;
}

static const struct dc_joint_part *part_of(const struct dc_step_state *state, const struct dc_tendon *tendon, int k)
{
  return dc_tendon_part(&state->model->bodies, joint_of(tendon, k));
}

// L+ - L, from differences of coordinates, and L+.
static double length_of(const struct dc_step_state *state, const struct dc_tendon *tendon, double *way)
{
  double length = 0;
  *way = 0;
  for (int k = 0; k < tendon->joints.count; k++) {
    int at = part_of(state, tendon, k)->q;
    length += joint_of(tendon, k)->factor * state->q_next[at];
    *way += joint_of(tendon, k)->factor * (state->q_next[at] - state->q_now[at]);
  }
  return length;
}

static double outside(double length, const double slack[2])
{
  return length > slack[1] ? length - slack[1] : length < slack[0] ? length - slack[0] : 0;
}

// A spring that is slack in between.
static void add_spring(double stiffness, const double slack[2], double length, double way, struct law *law)
{
  double next = outside(length, slack), now = outside(length - way, slack);
  law->value += 0.5 * stiffness * (next - now) * (next + now);
  law->slope += stiffness * next;
  law->curvature += next != 0 || slack[0] == slack[1] ? stiffness : 0;
}

// Spring and damping within a limit.
static void add_limited(const struct dc_tendon *tendon, double length, double way, double h, struct law *law)
{
  double damping = tendon->damping / h, all = tendon->stiffness + damping;
  double now = -tendon->stiffness * (length - way - tendon->rest[0]), asked = now - all * way;
  if (!(all > 0))
    return;
  struct dc_saturated at_next = dc_saturate(tendon->effort, asked), at_now = dc_saturate(tendon->effort, now);
  law->value += (at_next.value - at_now.value) / all;
  law->slope -= at_next.force;
  law->curvature += at_next.slope * all;
  law->by_now -= at_next.slope * damping;
}

static void add_friction(double friction, double way, double h, struct law *law)
{
  double v = way / h, speed = fabs(v);
  bool slow = speed < SLOW;
  double s = slow ? speed * speed * (1 - speed / (3 * SLOW)) / SLOW : speed - SLOW / 3;
  double bend = slow ? 2 * (1 - speed / SLOW) / SLOW : 0;
  law->value += friction * h * s;
  law->slope += friction * (slow ? v * (2 - speed / SLOW) / SLOW : copysign(1, v));
  law->curvature += friction * bend / h;
  law->by_now -= friction * bend / h;
}

static struct law law_of(const struct dc_step_state *state, const struct dc_tendon *tendon)
{
  struct law law = {0};
  double way, length = length_of(state, tendon, &way), h = state->interval.length, damping = tendon->damping / h;
  if (tendon->effort > 0) {
    add_limited(tendon, length, way, h, &law);
  } else {
    add_spring(tendon->stiffness, tendon->rest, length, way, &law);
    law.value += 0.5 * damping * way * way;
    law.slope += damping * way;
    law.curvature += damping;
    law.by_now -= damping;
  }
  if (!isnan(tendon->range[0]))
    add_spring(tendon->range_stiffness, tendon->range, length, way, &law);
  if (tendon->dry_friction > 0)
    add_friction(tendon->dry_friction, way, h, &law);
  return law;
}

static double tendon_value(const struct dc_step_state *state)
{
  double sum = 0;
  FOR_EACH_TENDON(tendon, state)
  sum += law_of(state, tendon).value;
  return sum;
}

// Adds a force by L to the coordinates.
static void spread(const struct dc_step_state *state, const struct dc_tendon *tendon, double force, double *forces)
{
  for (int k = 0; k < tendon->joints.count; k++)
    forces[part_of(state, tendon, k)->v] += joint_of(tendon, k)->factor * force;
}

// The change of L along a direction [nv].
static double along(const struct dc_step_state *state, const struct dc_tendon *tendon, const double *direction)
{
  double sum = 0;
  for (int k = 0; k < tendon->joints.count; k++)
    sum += joint_of(tendon, k)->factor * direction[part_of(state, tendon, k)->v];
  return sum;
}

static void tendon_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  FOR_EACH_TENDON(tendon, state)
  spread(state, tendon, law_of(state, tendon).slope, forces->joints);
}

static void tendon_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)exact;
  FOR_EACH_TENDON(tendon, state)
  {
    double curvature = law_of(state, tendon).curvature;
    for (int k = 0; k < tendon->joints.count && curvature > 0; k++) {
      const struct dc_tendon_joint *one = joint_of(tendon, k);
      int v = part_of(state, tendon, k)->v;
      double own = curvature * one->factor * one->factor;
      dc_assemble_joint(hessian->assembler, one->body, v, 1, &own, hessian->matrix);
      for (int i = 0; i < k; i++) {
        const struct dc_tendon_joint *other = joint_of(tendon, i);
        dc_assemble_coordinates(hessian->assembler, one->body, v, other->body, part_of(state, tendon, i)->v,
                                curvature * one->factor * other->factor, hessian->matrix);
      }
    }
  }
}

// The slope depends on L, symmetrically: both ways are the same products.
static void add_change(const struct dc_step_state *state, const double *direction, double *sum)
{
  FOR_EACH_TENDON(tendon, state)
  spread(state, tendon, law_of(state, tendon).by_now * along(state, tendon, direction), sum);
}

static void tendon_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                             struct dc_step_cotangent *out)
{
  add_change(state, direction->joints, out->now.joints);
}

static void tendon_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                               struct dc_step_forces *forces)
{
  add_change(state, variation->now.joints, forces->joints);
}

// Rounding of L makes a force of the largest stiffness that there may be.
static void tendon_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  FOR_EACH_TENDON(tendon, state)
  {
    double h = state->interval.length, size = 0;
    double stiffness = tendon->stiffness + tendon->damping / h + 2 * tendon->dry_friction / (SLOW * h) +
                       (isnan(tendon->range[0]) ? 0 : tendon->range_stiffness);
    for (int k = 0; k < tendon->joints.count; k++)
      size += fabs(joint_of(tendon, k)->factor) * (1 + fabs(state->q_next[part_of(state, tendon, k)->q]));
    for (int k = 0; k < tendon->joints.count; k++)
      floor->joints[part_of(state, tendon, k)->v] +=
          DC_POSITION_NOISE * stiffness * size * fabs(joint_of(tendon, k)->factor);
  }
}

const struct dc_step_term dc_tendon_term = {
    .name = "tendons",
    .reference = "docs/theory/bodies.md, \"Tendons\"",
    .value = tendon_value,
    .add_gradient = tendon_add_gradient,
    .add_hessian = tendon_add_hessian,
    .add_mixed = tendon_add_mixed,
    .add_product = tendon_add_product,
    .add_floor = tendon_add_floor,
};
