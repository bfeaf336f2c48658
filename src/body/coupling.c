// SPDX-License-Identifier: Apache-2.0
// Couplings of coordinates: options, rules, and the start of followers.
//
// A follower's coordinate is a function of its leader's, found by walking along the couplings.  Where it is linear, the
// leaders' starts are narrowed so that no follower starts outside of its range; followers are set from them.
#include "body/coupling.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "body/body_build.h"

#define LARGEST 1e6  // bound on starts, as for given ones
// tolerance between a given start of a follower and the derived one, relative and in m, rad, m/s, rad/s
#define AGREEMENT 1e-6

const struct dc_option dc_coupling_options[] = {
    DC_BODY_OPTION(struct dc_coupling, body, NULL, "name of the body that follows; its joint is one slide or hinge"),
    DC_BODY_OPTION(struct dc_coupling, to, NULL, "name of the body that it follows; its joint is one slide or hinge"),
    DC_REAL_OPTION(struct dc_coupling, multiplier, "", "1", -1e6, 1e6,
                   "factor from the coordinate that is followed to that of the follower"),
    DC_REAL_OPTION(struct dc_coupling, offset, "m or rad", "0", -1e6, 1e6,
                   "coordinate of the follower where the other is 0"),
    DC_REALS_OPTION(
        struct dc_coupling, powers, "", "[0, 0, 0]", DC_COUPLING_POWERS, -1e6, 1e6,
        "factors of the square, the cube and the fourth power of the coordinate that is followed, which are "
        "added"),
    DC_POSITIVE_OPTION(struct dc_coupling, stiffness, "J/m^2 or J/rad^2", "null", 1e12,
                       "stiffness of the spring that holds the follower; a force f moves it by f/stiffness; by default "
                       "by the inertia that it holds and the step"),
    DC_OPTIONS_END,
};

// A coupling relates two numbers, and therefore joints that have one: a single slide or hinge.
static enum dc_status check_body(const struct dc_bodies *bodies, int index, const char *key, int body,
                                 struct dc_error *error)
{
  if (body < 0 || body >= bodies->count)
    return dc_fail(error, DC_BAD_INPUT, "couplings[%d].%s: must name a body", index, key);
  const struct dc_body *joined = &bodies->bodies[body];
  if (joined->part_count != 1 || (joined->parts[0].kind != DC_PART_SLIDE && joined->parts[0].kind != DC_PART_HINGE))
    return dc_fail(error, DC_BAD_INPUT, "couplings[%d].%s: must be on one slide or hinge (\"%s\" is %s)", index, key,
                   joined->name, joined->joint_name);
  return DC_OK;
}

// Checks numbers against their options, since callers of the library fill the struct themselves; a stiffness that is
// not given is NAN.
static enum dc_status check_numbers(const struct dc_coupling *coupling, int index, struct dc_error *error)
{
  char text[128];
  for (int k = 0; k < DC_COUPLING_POWERS; k++)
    if (!isfinite(coupling->powers[k]))
      return dc_fail(error, DC_BAD_INPUT, "couplings[%d].powers: must be finite", index);
  for (const struct dc_option *option = dc_coupling_options; option->name; option++) {
    bool absent = option->offset == offsetof(struct dc_coupling, stiffness) && isnan(coupling->stiffness);
    const char *rule =
        option->type == DC_REAL && !absent
            ? dc_option_check(option, *(const double *)((const char *)coupling + option->offset), text, sizeof text)
            : NULL;
    if (rule)
      return dc_fail(error, DC_BAD_INPUT, "couplings[%d].%s: %s", index, option->name, rule);
  }
  return DC_OK;
}

// Maps bodies to couplings: [bodies] index of the coupling that a body follows, -1 for none.  Released with free();
// NULL when out of memory.
static int *by_follower(const struct dc_bodies *bodies, int count, const struct dc_coupling *couplings)
{
  int *coupling_of = dc_alloc((size_t)bodies->count, sizeof *coupling_of);
  for (int i = 0; i < bodies->count && coupling_of; i++)
    coupling_of[i] = -1;
  for (int k = 0; k < count && coupling_of; k++)
    if (coupling_of[couplings[k].body] < 0)
      coupling_of[couplings[k].body] = k;
  return coupling_of;
}

static enum dc_status fail_memory(int count, struct dc_error *error)
{
  return dc_out_of_memory_for(error, "%d couplings", count);
}

// Checks the couplings: bodies with one coordinate, no follower twice, no circle.
enum dc_status dc_couplings_check(const struct dc_bodies *bodies, int count, const struct dc_coupling *couplings,
                                  struct dc_error *error)
{
  if (count == 0)
    return DC_OK;
  for (int k = 0; k < count; k++) {
    const struct dc_coupling *coupling = &couplings[k];
    enum dc_status status = check_body(bodies, k, "body", coupling->body, error);
    if (status || (status = check_body(bodies, k, "to", coupling->to, error)) ||
        (status = check_numbers(coupling, k, error)))
      return status;
  }
  int *coupling_of = by_follower(bodies, count, couplings);
  if (!coupling_of)
    return fail_memory(count, error);
  enum dc_status status = DC_OK;
  for (int k = 0; k < count && !status; k++) {
    // Follows the leaders from this coupling.  A walk of more than count steps cannot end, and is in a circle that
    // another coupling of the circle reports.
    const char *name = bodies->bodies[couplings[k].body].name;
    int body = couplings[k].to;
    if (coupling_of[couplings[k].body] != k)
      status = dc_fail(error, DC_BAD_INPUT, "couplings[%d].body: \"%s\" follows by couplings[%d] already", k, name,
                       coupling_of[couplings[k].body]);
    for (int passed = 0; passed < count && coupling_of[body] >= 0 && body != couplings[k].body; passed++)
      body = couplings[coupling_of[body]].to;
    if (!status && body == couplings[k].body)
      status = dc_fail(error, DC_BAD_INPUT, "couplings[%d].to: must not lead back to \"%s\"", k, name);
  }
  free(coupling_of);
  return status;
}

// Multiplier and offset from the first leader, which follows nobody, to the coordinate of a body: x = m1 (m2 y + o2)
// + o1 step by step.  With powers in between, only the leader is meant, and linear is false.
struct dc_coupling_relation dc_coupling_resolve(int count, const struct dc_coupling *couplings, int body)
{
  struct dc_coupling_relation relation = {.leader = body, .multiplier = 1, .linear = true};
  for (int k = 0; k < count; k++) {
    if (couplings[k].body != relation.leader)
      continue;
    relation.linear &= dc_coupling_is_linear(&couplings[k]);
    relation.offset += relation.multiplier * couplings[k].offset;
    relation.multiplier *= couplings[k].multiplier;
    relation.leader = couplings[k].to;
    k = -1;  // scan again from the first: the coupling may be listed before this one
  }
  return relation;
}

// Exact zeros are the default and mean that no power was given.
bool dc_coupling_is_linear(const struct dc_coupling *coupling)
{
  return coupling->powers[0] == 0 && coupling->powers[1] == 0 && coupling->powers[2] == 0;
}

// x_follower = offset + multiplier x + a0 x^2 + a1 x^3 + a2 x^4 by Horner's rule, with the first and second
// derivative.
double dc_coupling_value(const struct dc_coupling *coupling, double x, double *slope, double *curvature)
{
  const double *a = coupling->powers;
  *slope = coupling->multiplier + x * (2 * a[0] + x * (3 * a[1] + x * 4 * a[2]));
  *curvature = 2 * a[0] + x * (6 * a[1] + x * 12 * a[2]);
  return coupling->multiplier * x + coupling->offset + x * x * (a[0] + x * (a[1] + x * a[2]));
}

// Recursion goes to the first leader and applies polynomials on its way back; the slope is the product of theirs
// (chain rule).  It ends because couplings have no circle.
double dc_coupling_follow(int count, const struct dc_coupling *couplings, int body, double x, double *slope)
{
  double own, curvature;
  *slope = 1;
  for (int k = 0; k < count; k++)
    if (couplings[k].body == body) {
      x = dc_coupling_value(&couplings[k], dc_coupling_follow(count, couplings, couplings[k].to, x, slope), &own,
                            &curvature);
      *slope *= own;
      return x;
    }
  return x;
}

// The start of a slide or hinge, which is 0 where none is given.
static double first_of(const struct dc_real_list *list)
{
  return list->count ? list->values[0] : 0;
}

// A start that is given although the coupling says it must be the same.
static enum dc_status check_agreement(const struct dc_real_list *given, double derived, int body, const char *key,
                                      int coupling, struct dc_error *error)
{
  if (!given->count || fabs(given->values[0] - derived) <= AGREEMENT * (1 + fabs(derived)))
    return DC_OK;
  return dc_fail(error, DC_BAD_INPUT, "bodies[%d].%s: must be %.10g, as couplings[%d] says, or not be given (is %.10g)",
                 body, key, derived, coupling, given->values[0]);
}

// Narrows the leader's starts, low to high, so that its follower stays inside of its range by the margin.  For x = m
// y + o that is the interval between (low - o)/m and (high - o)/m, which a negative m swaps.  Through powers an
// interval has no such image: there the start must be inside as it is.
static enum dc_status narrow(const struct dc_bodies *bodies, const struct dc_coupling *coupling, int index,
                             const struct dc_coupling_relation *relation, double start, double *low, double *high,
                             struct dc_error *error)
{
  const struct dc_body *follower = &bodies->bodies[coupling->body];
  const double *range = follower->parts[0].range;
  double margin = DC_START_MARGIN * (range[1] - range[0]), m = relation->linear ? relation->multiplier : 0;
  if (isinf(range[0]))
    return DC_OK;
  if (!(start >= range[0] && start <= range[1]) || (m == 0 && !(start > range[0] && start < range[1])))
    return dc_fail(error, DC_BAD_INPUT,
                   "couplings[%d]: \"%s\" would start at %.10g, not inside of its range [%.10g, %.10g]", index,
                   follower->name, start, range[0], range[1]);
  if (m == 0)
    return DC_OK;
  double ends[2] = {(range[0] + margin - relation->offset) / m, (range[1] - margin - relation->offset) / m};
  low[relation->leader] = fmax(low[relation->leader], fmin(ends[0], ends[1]));
  high[relation->leader] = fmin(high[relation->leader], fmax(ends[0], ends[1]));
  return DC_OK;
}

// Initial bounds of the leaders: their own ranges, as for any start.
static void bound_leaders(const struct dc_bodies *bodies, double *low, double *high)
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    low[i] = -INFINITY, high[i] = INFINITY;
    if (body->part_count != 1 || isinf(body->parts[0].range[0]))
      continue;
    double margin = DC_START_MARGIN * (body->parts[0].range[1] - body->parts[0].range[0]);
    low[i] = body->parts[0].range[0] + margin;
    high[i] = body->parts[0].range[1] - margin;
  }
}

// The follower's coordinate and velocity, from those of its leader.
static enum dc_status start_follower(struct dc_bodies *bodies, const struct dc_body_definition *definitions, int count,
                                     const struct dc_coupling *couplings, const struct dc_coupling *coupling,
                                     const struct dc_coupling_relation *relation, struct dc_arena *arena,
                                     struct dc_error *error)
{
  struct dc_body *body = &bodies->bodies[coupling->body];
  double *velocity = dc_arena_alloc(arena, 1, sizeof *velocity);
  if (!velocity)
    return fail_memory(1, error);
  double slope, leader = bodies->initial_q[bodies->bodies[relation->leader].parts[0].q];
  bodies->initial_q[body->parts[0].q] = dc_coupling_follow(count, couplings, coupling->body, leader, &slope);
  *velocity = slope * first_of(&definitions[relation->leader].joint_velocity);
  body->start.joint_velocity = velocity;
  return DC_OK;
}

// Starts followers where their leaders put them, and leaders where the ranges of all followers hold.  The first loop
// only checks and narrows; followers are set in the second, because a leader may still be moved by a follower that
// comes later in the list.
static enum dc_status start_all(struct dc_bodies *bodies, const struct dc_body_definition *definitions, int count,
                                const struct dc_coupling *couplings, double *low, double *high, struct dc_arena *arena,
                                struct dc_error *error)
{
  bound_leaders(bodies, low, high);
  for (int k = 0; k < count; k++) {
    int body = couplings[k].body;
    struct dc_coupling_relation relation = dc_coupling_resolve(count, couplings, body);
    const struct dc_body_definition *leader = &definitions[relation.leader];
    double slope, start = dc_coupling_follow(count, couplings, body, first_of(&leader->joint_position), &slope);
    double velocity = slope * first_of(&leader->joint_velocity);
    if (!(fabs(start) <= LARGEST && fabs(velocity) <= LARGEST))
      return dc_fail(error, DC_BAD_INPUT, "couplings[%d]: \"%s\" would start at %.10g with %.10g/s (at most %g)", k,
                     bodies->bodies[body].name, start, velocity, LARGEST);
    enum dc_status status = check_agreement(&definitions[body].joint_position, start, body, "joint_position", k, error);
    if (!status)
      status = check_agreement(&definitions[body].joint_velocity, velocity, body, "joint_velocity", k, error);
    if (!status)
      status = narrow(bodies, &couplings[k], k, &relation, start, low, high, error);
    if (status)
      return status;
  }
  for (int k = 0; k < count; k++) {
    struct dc_coupling_relation relation = dc_coupling_resolve(count, couplings, couplings[k].body);
    double *q = &bodies->initial_q[bodies->bodies[relation.leader].parts[0].q];
    if (low[relation.leader] > high[relation.leader])
      return dc_fail(error, DC_BAD_INPUT,
                     "couplings[%d]: the ranges of \"%s\" and of its followers have no start in common", k,
                     bodies->bodies[relation.leader].name);
    *q = fmin(fmax(*q, low[relation.leader]), high[relation.leader]);
    enum dc_status status =
        start_follower(bodies, definitions, count, couplings, &couplings[k], &relation, arena, error);
    if (status)
      return status;
  }
  return DC_OK;
}

// low and high [bodies] hold, for every leader, the starts at which all its followers are within their ranges.
enum dc_status dc_couplings_start(struct dc_bodies *bodies, const struct dc_body_definition *definitions, int count,
                                  const struct dc_coupling *couplings, struct dc_arena *arena, struct dc_error *error)
{
  if (count == 0)
    return DC_OK;
  double *low = dc_alloc((size_t)bodies->count, sizeof *low), *high = dc_alloc((size_t)bodies->count, sizeof *high);
  enum dc_status status = low && high ? start_all(bodies, definitions, count, couplings, low, high, arena, error)
                                      : fail_memory(count, error);
  free(low);
  free(high);
  return status;
}
