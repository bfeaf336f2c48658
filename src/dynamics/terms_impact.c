// SPDX-License-Identifier: Apache-2.0
// Restitution as a term of the step potential (docs/theory.md, "Restitution").  What an interval has left of a pair
// (impact_law.h) acts in the next one, along the direction n in which contact at t opens the pair (impact_pair.h):
//     D(T+) = (N/h) o + (L/h) w U(t),   o = n . displacement,   t = (r h - o)/w + 1/2,
//     w = 0.05 (r + 0.02 d + still) h.
// N is the impulse that is taken back, L the most impulse of the kick, r the speed of opening that it leads to, d the
// change to that speed, and U' the smooth step S.  The force along n is (L/h) S(t) - N/h.  D is convex in o, and o is
// linear in the poses at t+1.  Where bounces are on time D has also b . displacement, b = BACK/(h h-) - PUSH/h^2
// (impact_late.h).
//
// Derivatives.  With f = dD/do, f_o = (L/h) S'/w and z the derivative of o by twists at t+1, gradient f z and Hessian
// f_o z z^T; exactly, rotations of side s add f (sym([n_w]x D^T)/2 - (n_w . v) 1), D the turn of s and v its vector.
// In the term of b, b stands for f n.
#include <math.h>
#include <string.h>

#include "dynamics/impact_late.h"
#include "dynamics/impact_pair.h"
#include "dynamics/lag.h"
#include "dynamics/surface_lag.h"
#include "math/vector.h"

// Whether anything of a pair acts in the interval.
static bool acts(const struct dc_step_state *state, int pair)
{
  return state->rigid->resists &&
         (dc_impact_acts(state->rigid->memory[pair]) || dc_late_acts(state->rigid, state->rigid->memory, pair));
}

// D and its derivatives by o and by the numbers left, at a motion.
struct act {
  struct dc_impact_move move;
  double value, force, bend;         // D, f, f_o
  const double *late;                // of the pair (impact_late.h), NULL: none
  double back[12];                   // b; not set without those
  double slopes[DC_IMPACT_NUMBERS];  // of f
};

// The action of a motion by o over h.
static struct act act_along(const double left[DC_IMPACT_NUMBERS], double o, double h, double still)
{
  struct dc_impact_kick kick = dc_impact_kick(left, o, h, still);
  struct act act = {.value = (left[DC_IMPACT_HOLD] * o + kick.energy) / h,
                    .force = (left[DC_IMPACT_HOLD] - kick.impulse) / h,
                    .bend = -kick.by_opening / h};
  for (int k = 0; k < DC_IMPACT_NUMBERS; k++)
    act.slopes[k] = -kick.by_left[k] / h;
  act.slopes[DC_IMPACT_HOLD] += 1 / h;
  return act;
}

double dc_impact_force(const double left[DC_IMPACT_NUMBERS], double o, double h, double still, double *bend)
{
  struct act act = act_along(left, o, h, still);
  *bend = act.bend;
  return act.force;
}

// The action of a pair at the motion from t to t+1, with the term of b where bounces are on time.
static struct act act_of(const struct dc_step_state *state, int pair)
{
  struct dc_impact_move move = dc_impact_move(state, pair, state->now, state->next);
  const double *n = state->rigid->normals[pair].along, *late = dc_late_of(state->rigid, state->rigid->memory, pair);
  double h = state->interval.length, o = dc_dot(n, move.by, 12);
  struct act act = act_along(state->rigid->memory[pair], o, h, state->model->definition.contact.opening_speed);
  act.move = move;
  act.late = late;
  if (!late)
    return act;
  dc_late_force(state, late, act.back);
  act.value += dc_dot(act.back, move.by, 12);
  return act;
}

// z
static void opening_gradient(const struct dc_impact_move *move, const double n[12], double z[12])
{
  memset(z, 0, 12 * sizeof *z);
  dc_impact_pull_back_move(move, n, NULL, z);
}

// Adds the curvature of one side's rotation in n . displacement, as a lower triangle [6]: force times sym([n]x D^T)/2
// - (n . v) I.
static void add_turn(const double d[9], const double n[3], const double v[3], double force, double turn[6])
{
  double cross[9], product[9], along = dc_vec_dot(n, v);
  dc_mat_cross(cross, n);
  dc_mat_multiply_transposed(product, cross, d);
  for (int i = 0, e = 0; i < 3; i++)
    for (int k = 0; k <= i; k++, e++)
      turn[e] += force * (0.25 * (product[3 * i + k] + product[3 * k + i]) - (i == k ? along : 0));
}

// D is one-dimensional along o, so that its convex Hessian f_o z z^T has rank one; the part of the rotations stands
// apart in `turn`, as in friction.
void dc_impact_evaluate(const struct dc_step_state *state, struct dc_friction_derivatives *results, double *energy)
{
  *energy = 0;
  for (int p = 0; p < state->rigid->pair_count && state->rigid->resists; p++) {
    struct dc_friction_derivatives *r = &results[p];
    if (!acts(state, p))
      continue;
    const double *n = state->rigid->normals[p].along;
    struct act act = act_of(state, p);
    double z[12];
    opening_gradient(&act.move, n, z);
    memset(r, 0, sizeof *r);
    if (act.late)
      opening_gradient(&act.move, act.back, r->gradient);
    r->acts = true;
    *energy += r->energy = act.value;
    for (int i = 0; i < 12; i++)
      r->gradient[i] += act.force * z[i];
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 6; k++) {
        r->h_aa[i][k] = act.bend * z[i] * z[k];
        r->h_ab[i][k] = act.bend * z[i] * z[6 + k];
        r->h_bb[i][k] = act.bend * z[6 + i] * z[6 + k];
      }
    for (int x = 0; x < 2; x++) {
      add_turn(act.move.turn[x], n + 6 * x, act.move.by + 6 * x, act.force, r->turn[x]);
      if (act.late)
        add_turn(act.move.turn[x], act.back + 6 * x, act.move.by + 6 * x, 1, r->turn[x]);
    }
  }
}

static double impact_value(const struct dc_step_state *state)
{
  return state->rigid->resists ? state->rigid->impact_energy : 0;
}

static void impact_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int p = 0; p < state->rigid->pair_count; p++)
    for (int i = 0; i < 12 && acts(state, p); i++)
      forces->wrenches[state->rigid->pair_bodies[p][i / 6]][i % 6] += state->rigid->impact[p].gradient[i];
}

static void impact_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  for (int p = 0; p < state->rigid->pair_count; p++)
    if (acts(state, p))
      dc_rigid_add_lagged_hessian(state, p, &state->rigid->impact[p], exact, hessian);
}

// Derivatives of f (z . direction): how z . direction depends on n, and f on the turn of either frame at t through z,
// of which force times is added.
static double along_direction(const struct act *act, const double n[12], const double direction[12], double force,
                              double by_n[12], double by_now[12])
{
  for (int x = 0; x < 2; x++) {
    const double *d = act->move.turn[x], *v = act->move.by + 6 * x, *normal = n + 6 * x, *l = direction + 6 * x;
    double back[3], cross[3];
    dc_impact_turn(d, l, by_n + 6 * x);
    dc_vec_copy(by_n + 6 * x + 3, l + 3);
    dc_mat_apply_transposed(back, d, normal);
    dc_vec_cross(cross, l, back);
    for (int k = 0; k < 3; k++)
      by_now[6 * x + k] += force * (dc_vec_dot(normal, l) * v[k] + 0.5 * cross[k]);
  }
  return dc_dot(by_n, n, 12);
}

// lambda . dL/dq+ = f (z . lambda) depends on t three ways: f through o and through the memory, z through the turns of
// the frames at t, both through the direction n of the contact force at t.
static void impact_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                             struct dc_step_cotangent *out)
{
  for (int p = 0; p < state->rigid->pair_count; p++) {
    if (!acts(state, p))
      continue;
    const int *of = state->rigid->pair_bodies[p];
    const double *n = state->rigid->normals[p].along;
    struct act act = act_of(state, p);
    double both[12], by_n[12], by_back[12], now[12] = {0}, weights[12];
    dc_impact_gather(of, direction->twists, both);
    double along = along_direction(&act, n, both, act.force, by_n, now);
    if (act.late) {
      double *late = dc_late_in(state->rigid, out->memory, p);
      along_direction(&act, act.back, both, 1, by_back, now);
      dc_late_pull_back_force(state, by_back, late);
    }
    for (int k = 0; k < 12; k++) {
      by_n[k] = act.force * by_n[k] + act.bend * along * act.move.by[k];
      weights[k] = act.bend * along * n[k];
    }
    dc_impact_pull_back_move(&act.move, weights, now, NULL);
    dc_impact_pull_back_normal(&state->pairs_now[p], by_n, 0, now);
    for (int k = 0; k < 12; k++)
      out->now.wrenches[of[k / 6]][k % 6] += now[k];
    for (int k = 0; k < DC_IMPACT_NUMBERS; k++)
      out->memory[p][k] += along * act.slopes[k];
  }
}

// Adds how the gradient of n . displacement changes with turns of the frames at t.
static void turn_gradient(const struct dc_impact_move *move, const double n[12], const double now[12], double z[12])
{
  for (int x = 0; x < 2; x++) {
    double back[3], cross[3];
    dc_mat_apply_transposed(back, move->turn[x], n + 6 * x);
    dc_vec_cross(cross, now + 6 * x, back);
    dc_vec_add_scaled(z + 6 * x, z + 6 * x, dc_vec_dot(move->by + 6 * x, now + 6 * x), n + 6 * x);
    dc_vec_add_scaled(z + 6 * x, z + 6 * x, -0.5, cross);
  }
}

// The transposed of impact_add_mixed: df z + f dz along a variation, dz from n and from the turns at t.
static void impact_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                               struct dc_step_forces *forces)
{
  static const double none[12];
  for (int p = 0; p < state->rigid->pair_count; p++) {
    if (!acts(state, p))
      continue;
    const int *of = state->rigid->pair_bodies[p];
    const double *n = state->rigid->normals[p].along;
    struct act act = act_of(state, p);
    const double *late = dc_late_of(state->rigid, variation->memory, p);
    double z[12], now[12], by[12], turned_n[12], size, moved_z[12], back_z[12];
    dc_impact_gather(of, variation->now.twists, now);
    dc_impact_push_move(&act.move, now, none, by);
    dc_impact_push_normal(&state->pairs_now[p], now, turned_n, &size);
    opening_gradient(&act.move, n, z);
    opening_gradient(&act.move, turned_n, moved_z);
    double force = act.bend * (dc_dot(n, by, 12) + dc_dot(turned_n, act.move.by, 12));
    for (int k = 0; k < DC_IMPACT_NUMBERS; k++)
      force += act.slopes[k] * variation->memory[p][k];
    turn_gradient(&act.move, n, now, moved_z);
    if (late) {
      dc_late_force(state, late, by);
      opening_gradient(&act.move, by, back_z);
      turn_gradient(&act.move, act.back, now, back_z);
    }
    for (int k = 0; k < 12; k++)
      forces->wrenches[of[k / 6]][k % 6] += force * z[k] + act.force * moved_z[k] + (late ? back_z[k] : 0);
  }
}

// Where bodies part with nearly the speed that they are to have.
static void impact_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  for (int p = 0; p < state->rigid->pair_count; p++) {
    const double(*h_aa)[6] = state->rigid->impact[p].h_aa;
    if (acts(state, p))
      dc_rigid_add_floor(state, p, 0, h_aa[3][3] + h_aa[4][4] + h_aa[5][5], 0, floor);
  }
}

const struct dc_step_term dc_impact_term = {
    .name = "restitution",
    .reference = "docs/theory.md, \"Restitution\"",
    .value = impact_value,
    .add_gradient = impact_add_gradient,
    .add_hessian = impact_add_hessian,
    .add_mixed = impact_add_mixed,
    .add_product = impact_add_product,
    .add_floor = impact_add_floor,
};

// The memory between intervals.

// slip is relative to the impulse of the force at t: 1 for that itself, plus what friction left in the interval
// before.
void dc_impact_begin(struct dc_rigid_contact *rigid, const double (*memory)[DC_IMPACT_NUMBERS],
                     const struct dc_pair_derivatives *pairs)
{
  rigid->memory = memory;
  rigid->resists = false;
  for (int p = 0; p < rigid->pair_count && rigid->slip; p++)
    rigid->slip[p] = 1;
  for (int p = 0; p < rigid->pair_count && memory; p++) {
    bool acts = dc_impact_acts(memory[p]) || dc_late_acts(rigid, memory, p);
    rigid->slip[p] += memory[p][DC_IMPACT_BESIDE];
    rigid->resists |= acts;
    if (acts)
      rigid->normals[p] = dc_impact_normal(&pairs[p]);
  }
}

// Whether an interval leaves nothing of a pair without a restitution: friction has had all.
static bool leaves_nothing(const struct dc_step_state *state, int pair, const double *memory)
{
  double none[2];
  const struct dc_lag *lag = &state->rigid->lags[pair];
  return lag->kept == 0 && lag->share == 1 && (!memory || memory[DC_IMPACT_OWED] == 0) &&
         isnan(dc_impact_restitution(state, pair, none));
}

// The memory of one pair, and its derivatives (NULL: not wanted); memory NULL: nothing.
static void leave_pair(const struct dc_step_state *state, int pair, const double (*memory)[DC_IMPACT_NUMBERS],
                       double left[DC_IMPACT_LAW], double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN])
{
  double given[DC_IMPACT_GIVEN];
  bool near = dc_impact_given(state, pair, memory ? memory[pair] : NULL, given);
  const double *late = dc_late_of(state->rigid, memory, pair);
  given[DC_IMPACT_WENT] = late ? late[DC_LATE_WAY] : 0;
  if (!near)
    dc_impact_part(given, left, slopes);
  else if (isnan(given[DC_IMPACT_RESTITUTION]))
    dc_impact_lag(given, left, slopes);
  else
    dc_impact_law(given, state->model->definition.contact.opening_speed, left, slopes);
}

// The memory that an interval that began with `memory` (NULL: nothing) leaves [pair_count].
static void leave(const struct dc_step_state *state, const double (*memory)[DC_IMPACT_NUMBERS],
                     double (*left)[DC_IMPACT_NUMBERS])
{
  int pairs = state->rigid->pair_count;
  for (int p = 0; p < pairs; p++) {
    double law[DC_IMPACT_LAW] = {0}, *late = dc_late_in(state->rigid, left, p);
    if (!leaves_nothing(state, p, memory ? memory[p] : NULL))
      leave_pair(state, p, memory, law, NULL);
    if (late)
      dc_late_leave(state, p, memory, law, late);
    memcpy(left[p], law, sizeof left[p]);
  }
  dc_node_leave(state, (double *)(left + pairs));
  dc_surface_leave(state, left);
}

// Sizes of the contacts where the next interval begins.
static void keep_sizes(struct dc_rigid_contact *rigid)
{
  for (int p = 0; p < rigid->pair_count; p++)
    rigid->sizes[p] = dc_vec_norm(rigid->pairs[p].gradient + 3);
}

void dc_impact_start(struct dc_rollout *rollout, const double *given)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  bool wanted = rigid->left && !rollout->asked.conservative;
  if (wanted) {
    dc_trajectory_set_memory(&rigid->left[0][0], dc_model_memory_count(rollout->base), given);
    keep_sizes(rigid);
  }
  dc_impact_begin(rigid, wanted ? (const double(*)[DC_IMPACT_NUMBERS])rigid->left : NULL, rigid->pairs);
}

void dc_impact_go_on(struct dc_rollout *rollout, const struct dc_rollout_input *input, struct dc_step_interval interval,
                     const double *q, const double *q_next)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  struct dc_step_state state = dc_step_state_of(rollout, input, interval, rollout->q_before, q, q_next);
  leave(&state, rigid->memory, rigid->left);
  dc_impact_begin(rigid, rigid->memory, rigid->pairs);
  keep_sizes(rigid);
}

// The law maps what an interval gives (impulses, speeds, mass, restitution, memory) to what it leaves.  Weights on the
// latter are pulled through its slopes to the former, and from these to poses, design and the memory before.
void dc_impact_pull_back(const struct dc_step_state *state, const double (*memory)[DC_IMPACT_NUMBERS],
                         const double (*weights)[DC_IMPACT_NUMBERS], double (*next)[6], struct dc_step_cotangent *out)
{
  double left[DC_IMPACT_LAW], slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN], share[2];
  struct dc_design *design = &out->input->design;
  for (int p = 0; p < state->rigid->pair_count; p++) {
    const int *of = state->rigid->pair_bodies[p];
    const double *late = dc_late_of(state->rigid, weights, p);
    double sums[DC_IMPACT_GIVEN] = {0}, by_law[DC_IMPACT_LAW] = {0};
    struct dc_impact_slopes by;
    bool none = dc_all_zero(weights[p], DC_IMPACT_NUMBERS) && (!late || dc_all_zero(late, DC_LATE_NUMBERS));
    if (none || leaves_nothing(state, p, memory ? memory[p] : NULL))
      continue;
    memcpy(by_law, weights[p], sizeof weights[p]);
    dc_impact_restitution(state, p, share);
    leave_pair(state, p, memory, left, slopes);
    double turned[12] = {0}, *before = dc_late_in(state->rigid, out->memory, p);
    if (late)
      dc_late_pull_back(state, p, memory, left, late, by_law, turned, before);
    for (int i = 0; i < DC_IMPACT_LAW; i++)
      for (int k = 0; k < DC_IMPACT_GIVEN; k++)
        sums[k] += by_law[i] * slopes[i][k];
    dc_impact_given_slopes(state, p, memory ? memory[p] : NULL, sums, &by);
    if (late)
      before[DC_LATE_WAY] += sums[DC_IMPACT_WENT];
    for (int k = 0; k < 12; k++) {
      next[of[k / 6]][k % 6] += by.next[k] + turned[k];
      out->now.wrenches[of[k / 6]][k % 6] += by.now[k];
      out->before.wrenches[of[k / 6]][k % 6] += by.before[k];
    }
    design->stiffness_scale += by.stiffness / state->input->design.stiffness_scale;
    for (int x = 0; x < 2; x++) {
      design->body_mass_scale[of[x]] += by.mass[x];
      design->restitution_shift[of[x]] += sums[DC_IMPACT_RESTITUTION] * share[x];
    }
    dc_vec_add(design->gravity, design->gravity, by.gravity);
    for (int k = 0; k < DC_IMPACT_REMEMBERED; k++)
      out->memory[p][k] += sums[DC_IMPACT_MEMORY + k] + by.memory[k];
  }
  dc_node_pull_back_left(state, (const double *)(weights + state->rigid->pair_count), out);
  dc_surface_pull_back_left(state, weights, out);
}

// The transposed of dc_impact_pull_back, one given quantity after the other: its change along the variation times the
// slopes of the law.
void dc_impact_push(const struct dc_step_state *state, const double (*memory)[DC_IMPACT_NUMBERS],
                    const struct dc_step_variation *variation, const double (*next)[6],
                    double (*left)[DC_IMPACT_NUMBERS])
{
  double values[DC_IMPACT_LAW], slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN], share[2];
  const struct dc_design *change = &variation->input->design;
  for (int p = 0; p < state->rigid->pair_count; p++) {
    const int *of = state->rigid->pair_bodies[p];
    const double *before = dc_late_of(state->rigid, variation->memory, p);
    double moves[3][12], law[DC_IMPACT_LAW] = {0}, *late = dc_late_in(state->rigid, left, p);
    memset(left[p], 0, sizeof left[p]);
    if (late)
      memset(late, 0, DC_LATE_NUMBERS * sizeof *late);
    if (leaves_nothing(state, p, memory ? memory[p] : NULL))
      continue;
    dc_impact_restitution(state, p, share);
    leave_pair(state, p, memory, values, slopes);
    dc_impact_gather(of, next, moves[0]);
    dc_impact_gather(of, variation->now.twists, moves[1]);
    dc_impact_gather(of, variation->before.twists, moves[2]);
    for (int k = 0; k < DC_IMPACT_GIVEN; k++) {
      double weights[DC_IMPACT_GIVEN] = {0}, moved;
      struct dc_impact_slopes by;
      weights[k] = 1;
      if (k == DC_IMPACT_RESTITUTION) {
        moved = share[0] * change->restitution_shift[of[0]] + share[1] * change->restitution_shift[of[1]];
      } else if (k == DC_IMPACT_WENT) {
        moved = before ? before[DC_LATE_WAY] : 0;
      } else if (k >= DC_IMPACT_MEMORY) {
        moved = variation->memory[p][k - DC_IMPACT_MEMORY];
      } else {
        dc_impact_given_slopes(state, p, memory ? memory[p] : NULL, weights, &by);
        moved = dc_dot(by.memory, variation->memory[p], DC_IMPACT_REMEMBERED) + dc_dot(by.next, moves[0], 12) +
                dc_dot(by.now, moves[1], 12) + dc_dot(by.before, moves[2], 12) +
                by.stiffness * change->stiffness_scale / state->input->design.stiffness_scale +
                by.mass[0] * change->body_mass_scale[of[0]] + by.mass[1] * change->body_mass_scale[of[1]] +
                dc_vec_dot(by.gravity, change->gravity);
      }
      for (int i = 0; i < DC_IMPACT_LAW; i++)
        law[i] += slopes[i][k] * moved;
    }
    memcpy(left[p], law, sizeof left[p]);
    if (late)
      dc_late_push(state, p, memory, values, law, moves[0], before, late);
  }
  dc_node_push_left(state, variation, (double *)(left + state->rigid->pair_count));
  dc_surface_push_left(state, variation, left);
}
