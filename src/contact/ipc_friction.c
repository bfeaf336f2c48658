// SPDX-License-Identifier: Apache-2.0
// Friction of incremental potential contact (Li et al. 2020, section 5): what was within dhat at time t rubs at the
// points that were closest then, with the tangent plane and the normal force of then.
//
//     D = sum_k F_k f0(|u_k|),   F = lambda f,   u = (I - n n^T) (x_a+ - x_a - x_b+ + x_b),
//     f0(y) = y^2/w - y^3/(3 w^2) below w = e h, y - w/3 above
// (Eq. 14 integrated, less a constant, so that what is at rest has no energy).  With g = F f0'/y u, the force, and K =
// F (f0'/y (I - n n^T) + (f0'' - f0'/y) u u^T/y^2), arms r+ at t+1, J = [-[r+]x, I], side s = 1 for a and -1 for b:
//     gradient s J^T g,   h_XY = s_X s_Y J_X^T K J_Y,   turn s ((g r+^T + r+ g^T)/2 - (g.r+) I).
// K is positive semidefinite, so is the whole without turn.
#include <string.h>

#include "contact/friction_internal.h"
#include "contact/ipc_internal.h"
#include "math/vector.h"

void dc_ipc_motion_of(const struct dc_contact *contact, int body, const struct dc_pose *next,
                      struct dc_ipc_motion *motion)
{
  motion->moves = dc_friction_body_motion(&contact->bodies->bodies[body], &dc_ipc_of(contact)->friction.now[body],
                                          &next[body], 1, motion->turn, motion->drift, motion->shift);
}

// ---- What rubs.

struct listing {
  const struct dc_contact *contact;
  struct dc_ipc_friction *friction;
  double coefficient;
};

// Room for one more; -1 when out of memory.
static int grow(struct dc_ipc_friction *friction)
{
  size_t needed = friction->count + 1;
  return dc_grow(&friction->rubs, &friction->rub_capacity, needed, sizeof *friction->rubs) ||
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
    dc_ipc_mollifier(dc_ipc_parallel(primitive), primitive->threshold, m);
  dc_ipc_profile(listing->contact, closest->square, p);
  double strength = -listing->coefficient * friction->stiffness * primitive->weight * m[0] * 2 * d * p[1];
  if (!(strength > 0))
    return 0;
  if (grow(friction))
    return -1;
  struct dc_ipc_rub *rub = &friction->rubs[friction->count];
  struct dc_ipc_lag *lag = &friction->lags[friction->count++];
  memset(rub, 0, sizeof *rub);
  rub->strength = strength;
  dc_vec_scale(rub->normal, closest->r, 1 / d);
  for (int v = 0; v < 4; v++) {
    int side = primitive->moving & 1u << v ? 0 : 1;
    double weight = side ? -closest->weight[v] : closest->weight[v];
    const double *arm = (side ? walk->b : walk->a)->turned[primitive->vertex[v]];
    dc_vec_add_scaled(rub->arm[side], rub->arm[side], weight, arm);
  }
  *lag = (struct dc_ipc_lag){.kind = primitive->kind,
                             .moving = primitive->moving,
                             .closest = *closest,
                             .by_distance = 1 / d + 2 * d * p[2] / p[1],
                             .by_parallel = m[1] / m[0]};
  memcpy(lag->vertex, primitive->vertex, sizeof lag->vertex);
  return 0;
}

static int list_vertices(const struct listing *listing, int p)
{
  const struct dc_contact *contact = listing->contact;
  struct dc_ipc_friction *friction = listing->friction;
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a];
  const double *n = contact->colliders[pair->b].normal;
  double base = dc_vec_dot(n, friction->now[pair->a].position) - contact->colliders[pair->b].height;
  for (int v = 0; v < a->vertex_count; v++) {
    double height = base + dc_vec_dot(n, a->turned[v]), b[3];
    if (!(height < contact->settings.dhat))
      continue;
    dc_ipc_barrier(height, contact->settings.dhat, b);
    if (dc_ipc_of(contact)->global) {  // docs/theory.md, "Half spaces"
      b[1] = -12 * contact->settings.length * a->vertex_weight[v] / (height * height);
      b[2] = -2 * b[1] / height;
    }
    if (!(b[1] < 0))
      continue;
    if (grow(friction))
      return -1;
    struct dc_ipc_rub *rub = &friction->rubs[friction->count];
    struct dc_ipc_lag *lag = &friction->lags[friction->count++];
    *rub = (struct dc_ipc_rub){.strength = -listing->coefficient * friction->stiffness * b[1]};
    dc_vec_copy(rub->normal, n);
    dc_vec_copy(rub->arm[0], a->turned[v]);
    *lag = (struct dc_ipc_lag){.kind = DC_IPC_HALF_SPACE,
                               .vertex = {v},
                               .moving = 1,
                               .closest = {.weight = {1, 0, 0, 0}},
                               .by_distance = b[2] / b[1]};
  }
  return 0;
}

static int list_pair(struct dc_contact *contact, int p, struct listing *listing)
{
  const struct dc_pair *pair = &contact->pairs[p];
  if (!(listing->coefficient > 0) || pair->crossing || pair->failed || pair->gap >= contact->settings.dhat)
    return 0;
  if (contact->colliders[pair->b].half_space)
    return list_vertices(listing, p);
  struct dc_ipc_walk walk;
  double arm[3];
  dc_vec_sub(arm, listing->friction->now[pair->a].position, listing->friction->now[pair->b].position);
  dc_ipc_walk_of(contact, p, arm, &walk);
  walk.reach = contact->settings.dhat;
  walk.visit = list_primitive;
  walk.context = listing;
  return dc_ipc_walk(&walk);
}

static enum dc_status begin(struct dc_contact *contact, const struct dc_pose *now, const struct dc_friction_law *law,
                            struct dc_error *error)
{
  struct dc_ipc_friction *friction = &dc_ipc_of(contact)->friction;
  size_t bodies = (size_t)contact->bodies->count;
  friction->count = 0;
  if (!dc_friction_anything_rubs(contact, law->coefficient))
    return DC_OK;
  friction->stiffness = law->stiffness;
  friction->time_step = law->time_step;
  friction->smoothing = law->smoothing;
  memcpy(friction->coefficient, law->coefficient, bodies * sizeof *law->coefficient);
  memcpy(friction->now, now, bodies * sizeof *now);
  struct listing listing = {.contact = contact, .friction = friction};
  for (int p = 0; p < contact->pair_count; p++) {
    friction->first[p] = friction->count;
    listing.coefficient = dc_friction_pair_coefficient(law->coefficient, &contact->pairs[p]);
    if (list_pair(contact, p, &listing)) {
      friction->count = 0;
      return dc_fail(error, DC_MEMORY, "out of memory for friction");
    }
  }
  friction->first[contact->pair_count] = friction->count;
  return DC_OK;
}

static bool rubs(const struct dc_contact *contact)
{
  return dc_ipc_of(contact)->friction.count > 0;
}

// ---- Energy and derivatives.

// rows = [r]x K, K symmetric: H_wt of a force whose change is K.
static void turn_rows(const double r[3], const double k[3][3], double rows[3][3])
{
  double column[3];
  for (int j = 0; j < 3; j++) {
    dc_vec_cross(column, r, k[j]);
    for (int i = 0; i < 3; i++)
      rows[i][j] = column[i];
  }
}

// block += sign J_X^T K J_Y of the arms r of X and s of Y
static void add_block(const double rows[3][3], const double s[3], const double columns[3][3], const double k[3][3],
                      double sign, double block[6][6])
{
  double turned[3];
  for (int i = 0; i < 3; i++) {
    dc_vec_cross(turned, s, rows[i]);  // row of [r]x K times [s]x^T
    for (int j = 0; j < 3; j++) {
      block[i][j] += sign * turned[j];
      block[i][3 + j] += sign * rows[i][j];
      block[3 + i][j] += sign * columns[j][i];
      block[3 + i][3 + j] += sign * k[i][j];
    }
  }
}

static void add_turn(const double g[3], const double r[3], double sign, double turn[6])
{
  double along = dc_vec_dot(g, r);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      turn[e] += sign * (0.5 * (g[i] * r[j] + r[i] * g[j]) - (i == j ? along : 0));
}

struct rubbing {
  const struct dc_ipc_motion *motion;  // [2]
  double width;                        // e h
  int order;
  bool majorant;
};

static void add_rub(const struct rubbing *rubbing, const struct dc_ipc_rub *rub, struct dc_friction_derivatives *sum)
{
  const struct dc_ipc_motion *motion = rubbing->motion;
  double moved[2][3], arm[2][3], u[3], g[3], k[3][3], rows[2][3][3], part, along, width = rubbing->width;
  for (int side = 0; side < 2; side++) {
    dc_mat_apply(moved[side], motion[side].drift, rub->arm[side]);
    dc_vec_add(moved[side], moved[side], motion[side].shift);
  }
  dc_vec_sub(u, moved[0], moved[1]);
  dc_vec_add_scaled(u, u, -dc_vec_dot(rub->normal, u), rub->normal);
  double y = dc_vec_norm(u);
  sum->energy += rub->strength * (y < width ? y * y / width * (1 - y / (3 * width)) : y - width / 3);
  if (rubbing->order < 1)
    return;
  dc_ipc_slip(y, width, &part, &along);
  dc_vec_scale(g, u, rub->strength * part);
  for (int side = 0; side < 1 + motion[1].moves; side++) {
    double torque[3], sign = side ? -1 : 1;
    dc_mat_apply(arm[side], motion[side].turn, rub->arm[side]);
    dc_vec_cross(torque, arm[side], g);
    dc_vec_add_scaled(sum->gradient + 6 * side, sum->gradient + 6 * side, sign, torque);
    dc_vec_add_scaled(sum->gradient + 6 * side + 3, sum->gradient + 6 * side + 3, sign, g);
    if (rubbing->order > 1)
      add_turn(g, arm[side], sign, sum->turn[side]);
  }
  if (rubbing->order < 2)
    return;
  double slope = y > 0 && !rubbing->majorant ? rub->strength * along / (y * y) : 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      k[i][j] = rub->strength * part * ((i == j) - rub->normal[i] * rub->normal[j]) + slope * u[i] * u[j];
  turn_rows(arm[0], (const double(*)[3])k, rows[0]);
  add_block((const double(*)[3])rows[0], arm[0], (const double(*)[3])rows[0], (const double(*)[3])k, 1, sum->h_aa);
  if (!motion[1].moves)
    return;
  turn_rows(arm[1], (const double(*)[3])k, rows[1]);
  add_block((const double(*)[3])rows[0], arm[1], (const double(*)[3])rows[1], (const double(*)[3])k, -1, sum->h_ab);
  add_block((const double(*)[3])rows[1], arm[1], (const double(*)[3])rows[1], (const double(*)[3])k, 1, sum->h_bb);
}

// The blocks of one body are symmetric up to rounding of the products.
static void finish_block(double block[6][6], double turn[6], bool exact)
{
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      block[j][i] = block[i][j];
  if (!exact)
    return;
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++) {
      block[i][j] += turn[e];
      block[j][i] = block[i][j];
      turn[e] = 0;
    }
}

static void evaluate_pair(const struct dc_contact *contact, int p, const struct dc_pose *next, int order,
                          enum dc_friction_curvature curvature, struct dc_friction_derivatives *result)
{
  const struct dc_ipc_friction *friction = &dc_ipc_of(contact)->friction;
  const struct dc_pair *pair = &contact->pairs[p];
  struct dc_ipc_motion motion[2];
  if (friction->first[p] == friction->first[p + 1])
    return;
  dc_ipc_motion_of(contact, pair->a, next, &motion[0]);
  dc_ipc_motion_of(contact, pair->b, next, &motion[1]);
  struct rubbing rubbing = {.motion = motion,
                            .width = friction->smoothing * friction->time_step,
                            .order = order,
                            .majorant = curvature == DC_FRICTION_MAJORANT};
  for (size_t k = friction->first[p]; k < friction->first[p + 1]; k++)
    add_rub(&rubbing, &friction->rubs[k], result);
  if (order < 2)
    return;
  finish_block(result->h_aa, result->turn[0], curvature == DC_FRICTION_EXACT);
  finish_block(result->h_bb, result->turn[1], curvature == DC_FRICTION_EXACT);
}

struct evaluation {
  struct dc_contact *contact;
  const struct dc_pose *next;
  int order;
  enum dc_friction_curvature curvature;
  struct dc_friction_derivatives *results;
};

static void pair_pass(void *context, int p, int thread)
{
  (void)thread;
  const struct evaluation *e = context;
  evaluate_pair(e->contact, p, e->next, e->order, e->curvature, &e->results[p]);
}

static double evaluate(struct dc_contact *contact, const struct dc_pose *next, int order,
                       enum dc_friction_curvature curvature, struct dc_friction_derivatives *results)
{
  double energy = 0;
  struct dc_ipc_friction *friction = &dc_ipc_of(contact)->friction;
  struct evaluation e = {.contact = contact, .next = next, .order = order, .curvature = curvature, .results = results};
  dc_loop_run(pair_pass, &e, contact->pair_count, dc_ipc_worth_threads(friction) ? 0 : 1, &friction->loop);
  for (int p = 0; p < contact->pair_count; p++)
    energy += results[p].energy;
  return energy;
}

const struct dc_friction_methods dc_ipc_friction_methods = {
    .begin = begin, .rubs = rubs, .evaluate = evaluate, .pull_back = dc_ipc_friction_pull_back};
