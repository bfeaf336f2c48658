// SPDX-License-Identifier: Apache-2.0
// Restitution as all models have it: forces at points and the dissipation of their parting (docs/theory.md,
// "Restitution").
//
// With r = R+ R^T (p - c) the arms at t+1 and z = (r_a x m; m; -r_b x m; -m) for the twists (w_a, t_a, w_b, t_b),
//     gradient c F rho' z,   Hessian c F rho'' z z^T,   turn of side s: s c F rho' ((m r^T + r m^T)/2 - (m.r) I).
#include "contact/friction/impact.h"

#include <math.h>
#include <string.h>

#include "contact/friction/impact_internal.h"
#include "math/vector.h"

int dc_friction_add_impact(struct dc_friction *friction, const struct dc_impact *impact)
{
  if (dc_grow(&friction->impacts, &friction->impact_capacity, friction->impact_count + 1, sizeof *friction->impacts))
    return -1;
  friction->impacts[friction->impact_count++] = *impact;
  return 0;
}

bool dc_contact_resists(const struct dc_contact *contact)
{
  return contact->friction && contact->friction->impact_count > 0;
}

static void displacements(const struct dc_contact *contact, int pair, const struct dc_pose *next,
                          struct dc_friction_motion *motion)
{
  dc_friction_motion_of(contact, pair, next, 1, motion);
  motion->time_step = 1;
}

// o
static double opening(const struct dc_impact *impact, const struct dc_friction_motion *motion)
{
  double moved[2][3];
  for (int x = 0; x < 2; x++) {
    dc_mat_apply(moved[x], motion->drift[x], impact->arm[x]);
    dc_vec_add(moved[x], moved[x], motion->velocity[x]);
  }
  dc_vec_sub(moved[0], moved[0], moved[1]);
  return dc_vec_dot(impact->normal, moved[0]);
}

static void add_hessian(const double z[12], double bend, struct dc_friction_derivatives *result)
{
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      result->h_aa[i][j] += bend * z[i] * z[j];
      result->h_ab[i][j] += bend * z[i] * z[6 + j];
      result->h_bb[i][j] += bend * z[6 + i] * z[6 + j];
    }
}

static void add_turn(const double n[3], const double r[3], double size, double turn[6])
{
  double along = dc_vec_dot(n, r);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      turn[e] += size * (0.5 * (n[i] * r[j] + r[i] * n[j]) - (i == j ? along : 0));
}

// Adds one force of restitution: its loss times the profile of the opening, gradient and Hessian.
static void add_impact(const struct dc_impact *impact, const struct dc_friction_motion *motion, double width, int order,
                       struct dc_friction_derivatives *result)
{
  double rho[3], size = impact->loss * impact->strength, z[12] = {0}, o = opening(impact, motion);
  if (!(o > 0))
    return;
  dc_impact_profile(o, width, rho);
  result->energy += size * rho[0];
  for (int x = 0; x < 1 + motion->both && order > 0; x++) {
    double r[3], m[3];
    dc_mat_apply(r, motion->turn[x], impact->arm[x]);
    dc_vec_scale(m, impact->normal, x ? -1 : 1);
    dc_vec_cross(z + 6 * x, r, m);
    dc_vec_copy(z + 6 * x + 3, m);
    if (order > 1)
      add_turn(m, r, size * rho[1], result->turn[x]);
  }
  for (int i = 0; i < 12 && order > 0; i++)
    result->gradient[i] += size * rho[1] * z[i];
  if (order > 1)
    add_hessian(z, size * rho[2], result);
}

// Energy of impacts at the next poses with derivatives by the pairs.
double dc_contact_impact_evaluate(struct dc_contact *contact, const struct dc_pose *next, int order, bool exact,
                                  struct dc_friction_derivatives *results)
{
  const struct dc_friction *friction = contact->friction;
  struct dc_friction_motion motion;
  double energy = 0;
  memset(results, 0, (size_t)contact->pair_count * sizeof *results);
  for (size_t k = 0; dc_contact_resists(contact) && k < friction->impact_count; k++) {
    const struct dc_impact *impact = &friction->impacts[k];
    if (k == 0 || impact->pair != impact[-1].pair)
      displacements(contact, impact->pair, next, &motion);
    add_impact(impact, &motion, friction->opening, order, &results[impact->pair]);
  }
  for (int p = 0; p < contact->pair_count; p++) {
    if (exact)
      dc_friction_add_turn(&results[p]);
    energy += results[p].energy;
  }
  return energy;
}

void dc_impact_loss_slopes(double a, double b, double slopes[2])
{
  double e = fmin(a, b), slope = -2 * e / (1 - e * e);
  slopes[0] = a < b ? slope : a > b ? 0 : slope / 2;
  slopes[1] = slope - slopes[0];
}

// The forces first ... end - 1, pair by pair; restitution may be NULL.
static void pull_back_impacts(struct dc_contact *contact, size_t first, size_t count, const struct dc_pose *next,
                              const double (*twists)[6], double (*wrenches)[6], double *stiffness, double *restitution)
{
  static const double none[6] = {0, 0, 0, 0, 0, 0};
  const struct dc_friction *friction = contact->friction;
  for (size_t end; first < count; first = end) {
    const struct dc_impact *impact = &friction->impacts[first];
    for (end = first + 1; end < count && friction->impacts[end].pair == impact->pair;)
      end++;
    int a = contact->pairs[impact->pair].a, b = contact->pairs[impact->pair].b;
    struct dc_friction_motion motion;
    displacements(contact, impact->pair, next, &motion);
    struct dc_friction_sides sides = {.twist = {twists[a], motion.both ? twists[b] : none}};
    double energy = contact->model->methods->friction->pull_back_impacts(contact, impact, end - first, &motion, &sides);
    double slopes[2];
    dc_impact_loss_slopes(friction->restitution[a], friction->restitution[b], slopes);
    *stiffness += energy / friction->stiffness;
    for (int k = 0; k < 2 && restitution; k++)
      restitution[k ? b : a] += slopes[k] * energy;
    for (int i = 0; i < 6; i++) {
      wrenches[a][i] += sides.wrench[0][i];
      wrenches[b][i] += motion.both ? sides.wrench[1][i] : 0;
    }
  }
}

void dc_contact_impact_pull_back(struct dc_contact *contact, const struct dc_pose *next, const double (*twists)[6],
                                 double (*wrenches)[6], double *stiffness, double *restitution)
{
  if (dc_contact_resists(contact))
    pull_back_impacts(contact, 0, contact->friction->impact_count, next, twists, wrenches, stiffness, restitution);
}

// The mixed derivatives of one pair's impacts, 12x12, row by row as adjoints of unit twists.
bool dc_contact_impact_mixed(struct dc_contact *contact, const struct dc_pose *next, int pair, double (*twists)[6],
                             double (*wrenches)[6], double mixed[12][12])
{
  if (!dc_contact_resists(contact))
    return false;
  const int *bodies = contact->pair_bodies[pair];
  const struct dc_friction *friction = contact->friction;
  size_t first = 0, end, row_bytes = sizeof *wrenches;
  double stiffness = 0;
  while (first < friction->impact_count && friction->impacts[first].pair < pair)
    first++;
  for (end = first; end < friction->impact_count && friction->impacts[end].pair == pair;)
    end++;
  for (int i = 0; i < 12; i++) {
    if (i >= 6 && !dc_body_moves(&contact->bodies->bodies[bodies[1]])) {
      memset(mixed[i], 0, 12 * sizeof(double));
      continue;
    }
    memset(wrenches[bodies[0]], 0, row_bytes);
    memset(wrenches[bodies[1]], 0, row_bytes);
    twists[bodies[i / 6]][i % 6] = 1;
    pull_back_impacts(contact, first, end, next, (const double(*)[6])twists, wrenches, &stiffness, NULL);
    twists[bodies[i / 6]][i % 6] = 0;
    memcpy(mixed[i], wrenches[bodies[0]], row_bytes);
    memcpy(mixed[i] + 6, wrenches[bodies[1]], row_bytes);
  }
  return true;
}
