// SPDX-License-Identifier: Apache-2.0
// The geometry of impacts (impact_pair.h).
//
// With a turn v of R' by exp([v]x):  dD = [v]x D,  so that the displacement v_i = -1/2 eps_ijk D_jk gains
// (tr(D) - D) v/2;  a turn b of R gives dD = -D [b]x and -(tr(D) - D^T) b/2.
// The gradient g of the potential changes along twists by H twists + (turn x torque)/2 of either body: H is symmetric
// in charts exp(w), in which exp(w) exp(turn) = exp(w + turn + (w x turn)/2 ...).
#include "dynamics/impact_pair.h"

#include <math.h>
#include <string.h>

#include "dynamics/lag.h"
#include "math/vector.h"

static const double NEAR = 0.06;                      // contact lengths: forces of points that far apart
static const double FAR_FORCE = 0.1, NEAR_FORCE = 2;  // of that force

// Component i of the vector of the skew part of D: about the turn, for small ones.
static double vector_of(const double d[9], int i)
{
  return 0.5 * (d[3 * ((i + 2) % 3) + (i + 1) % 3] - d[3 * ((i + 1) % 3) + (i + 2) % 3]);
}

// How the turn of a move changes by a turn v of the later pose: (tr(D) - D) v/2; see the head.
void dc_impact_turn(const double d[9], const double v[3], double out[3])
{
  double dv[3], trace = d[0] + d[4] + d[8];
  dc_mat_apply(dv, d, v);
  for (int k = 0; k < 3; k++)
    out[k] = 0.5 * (trace * v[k] - dv[k]);
}

// The transposed of dc_impact_turn.
static void turn_back(const double d[9], const double v[3], double out[3])
{
  double dv[3], trace = d[0] + d[4] + d[8];
  dc_mat_apply_transposed(dv, d, v);
  for (int k = 0; k < 3; k++)
    out[k] = 0.5 * (trace * v[k] - dv[k]);
}

// The direction in which the potential pushes both bodies, with the size of the first one's force set to 1: rigid
// motions of the pair leave it, so that impulses along it keep momentum and angular momentum.
struct dc_impact_normal dc_impact_normal(const struct dc_pair_derivatives *pair)
{
  struct dc_impact_normal n = {.size = dc_vec_norm(pair->gradient + 3)};
  dc_contact_expand_gradient(pair, n.along);
  for (int k = 0; k < 12; k++)
    n.along[k] = n.size > 0 ? -n.along[k] / n.size : 0;
  return n;
}

void dc_impact_gather(const int pair[2], const double (*twists)[6], double both[12])
{
  for (int k = 0; k < 12; k++)
    both[k] = twists[pair[k / 6]][k % 6];
}

// Displacements of both bodies between two poses; those of a body that stands still are 0.
struct dc_impact_move dc_impact_move(const struct dc_step_state *state, int pair, const struct dc_pose *from,
                                     const struct dc_pose *to)
{
  struct dc_impact_move move = {0};
  for (int x = 0; x < 2; x++) {
    int body = state->rigid->pair_bodies[pair][x];
    dc_mat_multiply_transposed(move.turn[x], to[body].rotation, from[body].rotation);
    if (!dc_body_moves(&state->model->bodies.bodies[body]))
      continue;
    for (int k = 0; k < 3; k++)
      move.by[6 * x + k] = vector_of(move.turn[x], k);
    dc_vec_sub(move.by + 6 * x + 3, to[body].position, from[body].position);
  }
  return move;
}

// The displacement's rotation changes by (tr(D) - D)/2 times a turn, with D = R'^T R between both poses, so that the
// end pulls back by the transposed matrix and the beginning by minus the matrix itself; translations pull back by 1
// and -1.
void dc_impact_pull_back_move(const struct dc_impact_move *move, const double weights[12], double from[12],
                              double to[12])
{
  for (int x = 0; x < 2; x++) {
    const double *w = weights + 6 * x;
    double turned[3];
    if (to) {
      turn_back(move->turn[x], w, turned);
      dc_vec_add(to + 6 * x, to + 6 * x, turned);
      dc_vec_add(to + 6 * x + 3, to + 6 * x + 3, w + 3);
    }
    if (from) {
      dc_impact_turn(move->turn[x], w, turned);
      dc_vec_sub(from + 6 * x, from + 6 * x, turned);
      dc_vec_sub(from + 6 * x + 3, from + 6 * x + 3, w + 3);
    }
  }
}

void dc_impact_push_move(const struct dc_impact_move *move, const double from[12], const double to[12], double by[12])
{
  for (int x = 0; x < 2; x++) {
    double turned[3];
    dc_impact_turn(move->turn[x], to + 6 * x, by + 6 * x);
    turn_back(move->turn[x], from + 6 * x, turned);
    dc_vec_sub(by + 6 * x, by + 6 * x, turned);
    dc_vec_sub(by + 6 * x + 3, to + 6 * x + 3, from + 6 * x + 3);
  }
}

// How the gradient [12] changes along twists; back: the transposed.
static void move_gradient(const struct dc_pair_derivatives *pair, const double v[12], bool back, double out[12])
{
  double h[2][2][6][6], g[12];
  dc_contact_expand_gradient(pair, g);
  dc_contact_expand_hessian(pair, true, h[0][0], h[0][1], h[1][1]);
  for (int x = 0; x < 2; x++) {
    double turned[3];
    for (int i = 0; i < 6; i++)
      out[6 * x + i] = dc_dot(h[x][x][i], v + 6 * x, 6);
    dc_vec_cross(turned, v + 6 * x, g + 6 * x);
    dc_vec_add_scaled(out + 6 * x, out + 6 * x, back ? -0.5 : 0.5, turned);
  }
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      out[i] += h[0][1][i][k] * v[6 + k];
      out[6 + k] += h[0][1][i][k] * v[i];
    }
}

// With g the gradient of the pair, size = |g_t| of the first body and along = -g/size, so that
//    d along = -(dg + along d size)/size,    d size = -n . dg_t,    n = along of the first body's translation.
// Cotangents of both become one of g, which the pair's Hessian takes to twists.
void dc_impact_pull_back_normal(const struct dc_pair_derivatives *pair, const double along[12], double size,
                                double twists[12])
{
  struct dc_impact_normal n = dc_impact_normal(pair);
  double by_gradient[12], moved[12];
  if (!(n.size > 0))
    return;
  size -= dc_dot(along, n.along, 12) / n.size;
  for (int k = 0; k < 12; k++)
    by_gradient[k] = -along[k] / n.size;
  // The size is that of the first body's force, -n.along size.
  dc_vec_add_scaled(by_gradient + 3, by_gradient + 3, -size, n.along + 3);
  move_gradient(pair, by_gradient, true, moved);
  for (int k = 0; k < 12; k++)
    twists[k] += moved[k];
}

// Changes of n and of the size of the contact force along twists of both frames: those of the normalized gradient.
void dc_impact_push_normal(const struct dc_pair_derivatives *pair, const double twists[12], double along[12],
                           double *size)
{
  struct dc_impact_normal n = dc_impact_normal(pair);
  double moved[12];
  *size = 0;
  memset(along, 0, 12 * sizeof *along);
  if (!(n.size > 0))
    return;
  move_gradient(pair, twists, false, moved);
  *size = -dc_vec_dot(moved + 3, n.along + 3);
  for (int k = 0; k < 12; k++)
    along[k] = -(moved[k] + n.along[k] * *size) / n.size;
}

// y = I^-1 t of a body, world axes: I = tr(M) - M of its second moment, I^-1 = adj(I) / det(I) by cross products of
// the rows.
static void turn_easily(const struct dc_body *body, const double rotation[9], const double t[3], double y[3])
{
  double m[9], inertia[9], adjugate[9], local[3], solved[3];
  memcpy(m, body->second_moment, sizeof m);
  for (int k = 0; k < 9; k++)
    inertia[k] = (k % 4 ? 0 : m[0] + m[4] + m[8]) - m[k];
  for (int i = 0; i < 3; i++)
    dc_vec_cross(adjugate + 3 * i, inertia + 3 * ((i + 1) % 3), inertia + 3 * ((i + 2) % 3));
  dc_mat_apply_transposed(local, rotation, t);
  dc_mat_apply(solved, adjugate, local);  // symmetric
  dc_vec_scale(solved, solved, 1 / dc_vec_dot(inertia, adjugate));
  dc_mat_apply(y, rotation, solved);
}

// A free body that carries links counts as free.  Other links hide how far it is braked.  The change that J makes of a
// body alone is more than that of the mechanism, and keeps the mass from being taken for too large.  Taken as a link,
// three links that skid off in drawn motions had up to 1.2 times their coefficient, and 1.08 so.
static bool all_free(const struct dc_step_state *state, int pair)
{
  bool all = true;
  for (int x = 0; x < 2; x++) {
    const struct dc_body *body = &state->model->bodies.bodies[state->rigid->pair_bodies[pair][x]];
    all &= body->free || !dc_body_moves(body);
  }
  return all;
}

// Whether both bodies are alone, so that bounces may be on time.
static bool are_alone(const struct dc_step_state *state, int pair)
{
  const int *of = state->rigid->pair_bodies[pair];
  return dc_body_is_alone(&state->model->bodies, of[0]) && dc_body_is_alone(&state->model->bodies, of[1]);
}

// Which number their mobility without joints is.
static enum dc_impact_given which_mobility(const struct dc_step_state *state, int pair)
{
  return all_free(state, pair) ? DC_IMPACT_MOBILITY : DC_IMPACT_LIGHTEST;
}

// n^T M^-1 n of one body: how fast an impulse of 1 N s along n makes its contact point move along n, m/s.  y [3]: the
// turn that goes with it, rad/s.
static double mobility_of(const struct dc_step_state *state, int body, const double n[6], double y[3])
{
  const struct dc_body *b = &state->model->bodies.bodies[body];
  double scale = 1 / state->input->design.body_mass_scale[body];
  memset(y, 0, 3 * sizeof *y);
  if (!dc_body_moves(b))
    return 0;
  turn_easily(b, state->next[body].rotation, n, y);
  dc_vec_scale(y, y, scale);
  return scale * dc_vec_dot(n + 3, n + 3) / b->mass + dc_vec_dot(n, y);
}

// 0 for what is felt from afar, 1 for what touches; between these the law sets in smoothly, as derivatives need it.
double dc_impact_nearness(double strength)
{
  return dc_smooth_step((strength - FAR_FORCE) / (NEAR_FORCE - FAR_FORCE));
}

static double nearness_slope(double strength)
{
  return dc_smooth_step_slope((strength - FAR_FORCE) / (NEAR_FORCE - FAR_FORCE)) / (NEAR_FORCE - FAR_FORCE);
}

// Force per stiffness of two points NEAR contact lengths apart, 1/m; 0 where a model has no far field, so that whatever
// it pushes counts as near.
double dc_impact_near_force(const struct dc_model_definition *definition)
{
  double length = definition->contact.length, r = NEAR * length;
  if (!(definition->contact_model->flags & DC_CONTACT_LONG_RANGE))
    return 0;
  return 12 * (sqrt(length) / (r * sqrt(r)) + length / (r * r));
}

// How gravity closes the pair along its normal, m/s^2; buoyancy takes its part away.
static double pulled(const struct dc_step_state *state, int pair, const struct dc_impact_normal *n)
{
  double sum = 0;
  for (int x = 0; x < 2; x++) {
    const struct dc_body *body = &state->model->bodies.bodies[state->rigid->pair_bodies[pair][x]];
    if (dc_body_moves(body))
      sum -= (1 - body->buoyancy) * dc_vec_dot(n->along + 6 * x + 3, state->input->design.gravity);
  }
  return sum;
}

// Speeds of opening below this one, m/s, count as none to restitution.
static double still(const struct dc_step_state *state)
{
  return state->model->definition.contact.opening_speed;
}

// The kick's potential over the opening o, m: its force falls smoothly from `most` to 0 about the opening at which the
// pair has the speed that it shall part with, so that the step stays a minimization.
struct dc_impact_kick dc_impact_kick(const double left[DC_IMPACT_NUMBERS], double o, double h, double still)
{
  double target = left[DC_IMPACT_TARGET], most = left[DC_IMPACT_KICK];
  double width = DC_IMPACT_WIDTH * (target + DC_IMPACT_LEAST_WIDTH * left[DC_IMPACT_CHANGE] + still) * h;
  double t = (target * h - o) / width + 0.5, part = dc_smooth_step(t), slope = dc_smooth_step_slope(t);
  double by_width = -most * slope * (t - 0.5) / width * DC_IMPACT_WIDTH * h;
  return (struct dc_impact_kick){.impulse = most * part,
                                 .energy = most * width * dc_smooth_step_integral(t),
                                 .by_opening = -most * slope / width,
                                 .by_left = {[DC_IMPACT_TARGET] = most * slope * h / width + by_width,
                                             [DC_IMPACT_CHANGE] = DC_IMPACT_LEAST_WIDTH * by_width,
                                             [DC_IMPACT_KICK] = part}};
}

// Whether something of a memory acts in the interval, so that there is a direction at its beginning.
bool dc_impact_acts(const double *memory)
{
  return memory && (memory[DC_IMPACT_HOLD] != 0 || memory[DC_IMPACT_KICK] != 0);
}

// Over the interval, along the direction of its beginning; none where nothing acts.
static struct dc_impact_kick kick_of(const struct dc_step_state *state, int pair, const double *memory,
                                     const struct dc_impact_move *move)
{
  if (!dc_impact_acts(memory))
    return (struct dc_impact_kick){0};
  return dc_impact_kick(memory, dc_dot(state->rigid->normals[pair].along, move->by, 12), state->interval.length,
                        still(state));
}

// The part of the kick.
static void kick_slopes(const struct dc_step_state *state, int pair, const double *memory,
                        const struct dc_impact_move *move, double weight, struct dc_impact_slopes *slopes)
{
  struct dc_impact_kick kick = kick_of(state, pair, memory, move);
  double by_move[12], by_direction[12];
  if (weight == 0 || !dc_impact_acts(memory))
    return;
  for (int k = 0; k < 12; k++) {
    by_move[k] = weight * kick.by_opening * state->rigid->normals[pair].along[k];
    by_direction[k] = weight * kick.by_opening * move->by[k];
  }
  dc_impact_pull_back_move(move, by_move, slopes->now, slopes->next);
  dc_impact_pull_back_normal(&state->pairs_now[pair], by_direction, 0, slopes->now);
  for (int k = 0; k < DC_IMPACT_REMEMBERED; k++)
    slopes->memory[k] += weight * kick.by_left[k];
}

// The impulse of a contact of size 1 over an interval.
static double push_of(const struct dc_step_state *state, double length)
{
  return length * state->model->definition.contact.stiffness * state->input->design.stiffness_scale;
}

// The size of a contact at t: in a rollout forward it is known.
static double size_now(const struct dc_step_state *state, int pair)
{
  return state->pairs_now ? dc_vec_norm(state->pairs_now[pair].gradient + 3) : state->rigid->sizes[pair];
}

bool dc_impact_is_far(const struct dc_step_state *state, int pair)
{
  return dc_vec_norm(state->pairs[pair].gradient + 3) <= FAR_FORCE * dc_impact_near_force(&state->model->definition);
}

// Whether a body moves with others in a mechanism, of which it is one.
static bool hangs_together(const struct dc_step_state *state, int body)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  return dc_body_moves(&bodies->bodies[body]) && bodies->mechanisms[bodies->bodies[body].mechanism].members > 1;
}

// Whether both bodies move in the same mechanism.
static bool are_linked(const struct dc_step_state *state, int a, int b)
{
  const struct dc_body *bodies = state->model->bodies.bodies;
  return dc_body_moves(&bodies[a]) && dc_body_moves(&bodies[b]) && bodies[a].mechanism == bodies[b].mechanism;
}

// Whether no other contact than this one is near of all that hangs together with its bodies.
static bool touch_alone(const struct dc_step_state *state, int pair)
{
  const int(*of)[2] = state->rigid->pair_bodies;
  bool alone = !are_linked(state, of[pair][0], of[pair][1]);
  for (int x = 0; x < 2; x++)
    for (int p = 0; p < state->rigid->pair_count && alone && hangs_together(state, of[pair][x]); p++) {
      bool linked = are_linked(state, of[pair][x], of[p][0]) || are_linked(state, of[pair][x], of[p][1]);
      alone = p == pair || !linked || dc_impact_is_far(state, p);
    }
  return alone;
}

// Collects the numbers on which the law of a pair depends (impact_law.h lists them). These are opening speeds along
// the normal over the interval before and over this one, the impulse of contact, the load by other forces, the
// mobility, and the memory of the interval before. Speeds are displacements over interval lengths, as the step knows
// them. false: the pair is apart or only felt from afar, and no law acts.
bool dc_impact_given(const struct dc_step_state *state, int pair, const double *memory, double given[DC_IMPACT_GIVEN])
{
  struct dc_impact_normal n = dc_impact_normal(&state->pairs[pair]);
  double h = state->interval.length, h_before = h / state->interval.ratio, y[3];
  double strength = n.size / dc_impact_near_force(&state->model->definition);
  struct dc_impact_move first, last = dc_impact_move(state, pair, state->now, state->next);
  memset(given, 0, DC_IMPACT_GIVEN * sizeof *given);
  given[DC_IMPACT_KICKED] = kick_of(state, pair, memory, &last).impulse;
  given[DC_IMPACT_UNUSED] = state->rigid->lags[pair].kept;
  given[DC_IMPACT_PUSHED] = given[DC_IMPACT_UNUSED] == 0 ? 0 : push_of(state, h_before) * size_now(state, pair);
  if (memory)
    memcpy(given + DC_IMPACT_MEMORY, memory, DC_IMPACT_REMEMBERED * sizeof *given);
  if (!(n.size > 0) || !(strength > FAR_FORCE))
    return false;
  first = dc_impact_move(state, pair, state->before, state->now);
  const int *of = state->rigid->pair_bodies[pair];
  given[DC_IMPACT_BEFORE] = dc_dot(n.along, first.by, 12) / h_before;
  given[DC_IMPACT_OPENING] = dc_dot(n.along, last.by, 12) / h;
  given[DC_IMPACT_PUSH] = push_of(state, h) * n.size;
  given[DC_IMPACT_MORE] = state->rigid->lags[pair].share - 1;
  given[DC_IMPACT_NEARNESS] = dc_impact_nearness(strength);
  given[DC_IMPACT_LOAD] = still(state) * dc_smooth_step_integral(h * pulled(state, pair, &n) / still(state));
  given[DC_IMPACT_LENGTH] = state->rigid->late && are_alone(state, pair) ? h : 0;
  for (int x = 0; x < 2; x++)
    given[which_mobility(state, pair)] += mobility_of(state, of[x], n.along + 6 * x, y);
  // Other links that touch may have kicks, too, which then need not come here.  A body may have no inertia of its own
  // where its joint does not turn it.
  if (given[DC_IMPACT_LIGHTEST] > 0 && !touch_alone(state, pair))
    given[DC_IMPACT_LIGHTEST] = 0;
  if (!isfinite(given[DC_IMPACT_LIGHTEST]))
    given[DC_IMPACT_LIGHTEST] = 0;
  given[DC_IMPACT_RESTITUTION] = dc_impact_restitution(state, pair, y);
  return true;
}

// The part of what friction has kept: of the size of the contact at t, and of the memory.
static void kept_slopes(const struct dc_step_state *state, int pair, const double weights[DC_IMPACT_GIVEN],
                        struct dc_impact_slopes *slopes)
{
  static const double none[12];
  double push = push_of(state, state->interval.length / state->interval.ratio) * weights[DC_IMPACT_PUSHED];
  slopes->memory[DC_IMPACT_BESIDE] += weights[DC_IMPACT_UNUSED] * state->rigid->lags[pair].kept_by_slip;
  slopes->memory[DC_IMPACT_HELD] -= weights[DC_IMPACT_UNUSED] * state->rigid->lags[pair].kept_by_net;
  if (push == 0 || state->rigid->lags[pair].kept == 0)
    return;
  dc_impact_pull_back_normal(&state->pairs_now[pair], none, push, slopes->now);
  slopes->stiffness += push * size_now(state, pair);
}

// The part of the mobility.
static void mobility_slopes(const struct dc_step_state *state, int pair, const struct dc_impact_normal *n,
                            double weight, double along[12], struct dc_impact_slopes *slopes)
{
  for (int x = 0; x < 2 && weight != 0; x++) {
    int body = state->rigid->pair_bodies[pair][x];
    const double *normal = n->along + 6 * x;
    double y[3], turned[3], own = mobility_of(state, body, normal, y);
    if (own == 0)
      continue;
    dc_vec_add_scaled(along + 6 * x, along + 6 * x, 2 * weight, y);
    for (int k = 3; k < 6; k++)
      along[6 * x + k] += 2 * weight * normal[k] /
                          (state->model->bodies.bodies[body].mass * state->input->design.body_mass_scale[body]);
    dc_vec_cross(turned, y, normal);
    dc_vec_add_scaled(slopes->next + 6 * x, slopes->next + 6 * x, 2 * weight, turned);
    slopes->mass[x] -= weight * own / state->input->design.body_mass_scale[body];
  }
}

// Weights on what is given become derivatives by the poses of the interval, gravity, stiffness, masses and the memory:
// the transposed of what dc_impact_given computes.
void dc_impact_given_slopes(const struct dc_step_state *state, int pair, const double *memory,
                            const double weights[DC_IMPACT_GIVEN], struct dc_impact_slopes *slopes)
{
  struct dc_impact_normal n = dc_impact_normal(&state->pairs[pair]);
  double h = state->interval.length, h_before = h / state->interval.ratio, along[12], opening[12], before[12];
  struct dc_impact_move first = dc_impact_move(state, pair, state->before, state->now),
                        last = dc_impact_move(state, pair, state->now, state->next);
  double push = push_of(state, h), reference = dc_impact_near_force(&state->model->definition),
         strength = n.size / reference;
  memset(slopes, 0, sizeof *slopes);
  kick_slopes(state, pair, memory, &last, weights[DC_IMPACT_KICKED], slopes);
  kept_slopes(state, pair, weights, slopes);
  if (!(n.size > 0))
    return;
  for (int k = 0; k < 12; k++) {
    before[k] = weights[DC_IMPACT_BEFORE] * n.along[k] / h_before;
    opening[k] = weights[DC_IMPACT_OPENING] * n.along[k] / h;
    along[k] = weights[DC_IMPACT_BEFORE] * first.by[k] / h_before + weights[DC_IMPACT_OPENING] * last.by[k] / h;
  }
  dc_impact_pull_back_move(&first, before, slopes->before, slopes->now);
  dc_impact_pull_back_move(&last, opening, slopes->now, slopes->next);
  double pull = weights[DC_IMPACT_LOAD] * h * dc_smooth_step(h * pulled(state, pair, &n) / still(state));
  for (int x = 0; x < 2; x++) {
    const struct dc_body *body = &state->model->bodies.bodies[state->rigid->pair_bodies[pair][x]];
    double part = -pull * (1 - body->buoyancy);
    if (!dc_body_moves(body))
      continue;
    dc_vec_add_scaled(along + 6 * x + 3, along + 6 * x + 3, part, state->input->design.gravity);
    dc_vec_add_scaled(slopes->gravity, slopes->gravity, part, n.along + 6 * x + 3);
  }
  mobility_slopes(state, pair, &n, weights[which_mobility(state, pair)], along, slopes);
  double size = weights[DC_IMPACT_PUSH] * push;
  if (reference > 0)
    size += weights[DC_IMPACT_NEARNESS] * nearness_slope(strength) / reference;
  dc_impact_pull_back_normal(&state->pairs[pair], along, size, slopes->next);
  slopes->stiffness += weights[DC_IMPACT_PUSH] * push * n.size;
}

// The smaller of both bodies' numbers, at most 1; where both are equal each has half of the slope.
double dc_impact_restitution(const struct dc_step_state *state, int pair, double slopes[2])
{
  const struct dc_design *design = &state->input->design;
  const int *of = state->rigid->pair_bodies[pair];
  double a = dc_design_restitution(state->model, design, of[0]), b = dc_design_restitution(state->model, design, of[1]);
  double e = fmin(fmin(a, b), 1);  // fmin passes over NAN
  slopes[0] = a == e ? (b == e ? 0.5 : 1) : 0;
  slopes[1] = b == e ? (a == e ? 0.5 : 1) : 0;
  return isnan(a) && isnan(b) ? NAN : e;
}
