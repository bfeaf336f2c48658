// SPDX-License-Identifier: Apache-2.0
// Contact of rigid bodies: the term contact of the step potential, and what it, friction (terms_friction.c) and
// restitution (terms_impact.c) know of an interval (struct dc_rigid_contact).  All three ask one contact (contact/contact.h): at t
// what slides and what resists its parting, at t+1 energies and their derivatives for every pair of bodies.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dynamics/impact_late.h"
#include "dynamics/impact_pair.h"
#include "dynamics/lag.h"
#include "dynamics/shape_rates.h"
#include "math/vector.h"

static const double HALF_WAY = 0.5;       // of the safe fraction, when it is not the whole step
static const double FORCE_NOISE = 1e-13;  // of contact forces: error of the plane solve

// The members of struct dc_rigid_contact through an interval: begin, evaluate, accept, restore.

// The contact of the model and the arrays of its pairs.
enum dc_status dc_rigid_create(struct dc_rollout *rollout, const struct dc_contact *former, struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  struct dc_rigid_contact *rigid = &rollout->rigid;
  struct dc_arena *arena = rollout->arena;
  rigid->contact = dc_contact_create_following(
      model->definition.contact_model, &model->definition.contact, &model->bodies,
      rollout->base->shapes_change ? &rollout->base->bodies : NULL, rollout->base->vertices_move, former, error);
  if (!rigid->contact)
    return error ? error->status : DC_MEMORY;
  size_t pairs = (size_t)dc_contact_pair_count(rigid->contact), bodies = (size_t)model->bodies.count;
  rigid->pair_count = (int)pairs;
  rigid->pair_bodies = dc_contact_pairs(rigid->contact);
  // Every evaluation writes all pairs; none is read before.
  rigid->pairs = dc_arena_alloc_unset(arena, pairs, sizeof *rigid->pairs);
  rigid->spare = dc_arena_alloc_unset(arena, pairs, sizeof *rigid->spare);
  rigid->friction = dc_arena_alloc(arena, pairs, sizeof *rigid->friction);
  rigid->impact = dc_arena_alloc(arena, pairs, sizeof *rigid->impact);
  rigid->coefficients = dc_arena_alloc(arena, bodies, sizeof *rigid->coefficients);
  rigid->lag_factors = dc_arena_alloc_unset(arena, pairs, sizeof *rigid->lag_factors);
  rigid->lags = dc_arena_alloc_unset(arena, pairs, sizeof *rigid->lags);
  rigid->before = dc_arena_alloc_unset(arena, pairs, sizeof *rigid->before);
  bool complete = rigid->pairs && rigid->spare && rigid->friction && rigid->impact && rigid->coefficients &&
                  rigid->lag_factors && rigid->lags && rigid->before;
  if (dc_model_remembers(rollout->base)) {
    rigid->late = rollout->model->definition.contact.on_time ? dc_impact_late_place(rollout->base) : 0;
    rigid->left = dc_arena_alloc(arena, dc_model_memory_count(rollout->base), sizeof(double));
    rigid->sizes = dc_arena_alloc(arena, pairs, sizeof *rigid->sizes);
    rigid->normals = dc_arena_alloc(arena, pairs, sizeof *rigid->normals);
    rigid->slip = dc_arena_alloc(arena, pairs, sizeof *rigid->slip);
    complete &= rigid->left && rigid->sizes && rigid->normals && rigid->slip;
  }
  return complete ? DC_OK : dc_out_of_memory_for(error, "contact pairs");
}

void dc_rigid_destroy(struct dc_rigid_contact *rigid)
{
  dc_contact_destroy(rigid->contact);
  free(rigid->mixed.pairs);
}

static bool is_finite(const struct dc_pose *pose)
{
  return isfinite(pose->position[0] + pose->position[1] + pose->position[2] + pose->rotation[0]);
}

enum dc_status dc_rigid_evaluate(struct dc_rigid_contact *rigid, const struct dc_pose *poses, int order,
                                 struct dc_pair_derivatives *pairs, struct dc_error *error)
{
  rigid->energy = dc_contact_evaluate(rigid->contact, poses, order, pairs);
  if (!isnan(rigid->energy))
    return DC_OK;
  for (int i = 0; i < 2 * rigid->pair_count; i++)
    if (!is_finite(&poses[rigid->pair_bodies[i / 2][i % 2]]))
      return dc_fail(error, DC_NUMERICAL, "a body is beyond all numbers: forces or velocities are too large");
  return dc_out_of_memory_for(error, "contact pairs");
}

// Lists friction and restitution for the motion from `now`, where contact was evaluated last.  The law's coefficients
// are the rollout's.
static enum dc_status list_sliding(struct dc_rigid_contact *rigid, const struct dc_pose *now,
                                   const struct dc_friction_law *law, struct dc_error *error)
{
  enum dc_status status = dc_contact_friction_begin(rigid->contact, now, law, error);
  rigid->slides = dc_contact_slides(rigid->contact);
  return status;
}

// Friction and restitution at the next poses; their lists were made at the beginning of the interval.
static void evaluate_lagged(struct dc_rigid_contact *rigid, const struct dc_step_state *state, int order,
                            enum dc_friction_curvature curvature)
{
  rigid->friction_energy =
      rigid->slides ? dc_contact_friction_evaluate(rigid->contact, state->next, order, curvature, rigid->friction) : 0;
  dc_impact_evaluate(state, rigid->impact, &rigid->impact_energy);
}

// Contact forces at the poses before, which a part of a step compares with those of time t.
static enum dc_status keep_forces_before(struct dc_rollout *rollout, const struct dc_pose *before,
                                         struct dc_error *error)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  enum dc_status status = dc_rigid_evaluate(rigid, before, 1, rigid->spare, error);
  for (int p = 0; p < rigid->pair_count && !status; p++)
    dc_vec_copy(rigid->before[p], rigid->spare[p].gradient + 3);
  return status;
}

// Asked of the forces at t and t-1: by friction, or by contact as well.
struct asked {
  bool lagging, any;
};

static struct asked ask(const struct dc_rollout *rollout, const struct dc_step_interval *interval,
                        const struct dc_friction_law *law)
{
  bool lagging = dc_rigid_lags(rollout, interval, law);
  return (struct asked){.lagging = lagging, .any = lagging || dc_rigid_shares(rollout, interval)};
}

// Sets shares and lags by the pairs at t.
static void set_lags(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                     const struct dc_step_interval *interval, struct asked asked,
                     const struct dc_pair_derivatives *pairs, struct dc_friction_law *law)
{
  dc_rigid_set_shares(rollout, input, interval, asked.any ? pairs : NULL, law->stiffness);
  dc_rigid_set_lags(rollout, interval, asked.lagging ? pairs : NULL, law);
}

// Contact was evaluated last at t.
static enum dc_status begin(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  struct dc_friction_law law = dc_step_friction_law(rollout, state->input, state->interval.length, rigid->coefficients);
  struct asked asked = ask(rollout, &state->interval, &law);
  enum dc_status status = asked.any ? keep_forces_before(rollout, state->before, error) : DC_OK;
  if (asked.any && !status)
    status = dc_rigid_evaluate(rigid, state->now, 1, rigid->spare, error);
  if (status)
    return status;
  set_lags(rollout, state->input, &state->interval, asked, rigid->spare, &law);
  return list_sliding(rigid, state->now, &law, error);
}

// Contact at t+1 with gradient and Hessian at once, since most trials are accepted and their Hessian is needed next.
// Hessians of friction may follow where they are asked for (friction_add_hessian), as the solution needs none.
// Friction and restitution are skipped where bodies cross: the value is infinite anyway.
static enum dc_status evaluate(struct dc_rollout *rollout, const struct dc_step_state *state, bool careful,
                               struct dc_error *error)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  double start = dc_seconds();
  enum dc_status status = dc_rigid_evaluate(rigid, state->next, 2, rigid->pairs, error);
  if (!status && isfinite(rigid->energy))
    evaluate_lagged(rigid, state, rollout->newton.late ? 1 : 2, careful ? DC_FRICTION_MAJORANT : DC_FRICTION_HELD);
  rigid->seconds += dc_seconds() - start;
  return status;
}

static void accept(struct dc_rollout *rollout)
{
  dc_contact_friction_accept(rollout->rigid.contact);
}

static bool solved(const struct dc_rollout *rollout)
{
  const struct dc_rigid_contact *rigid = &rollout->rigid;
  return dc_contact_solved(rigid->contact) && (!rigid->slides || dc_contact_friction_solved(rigid->contact));
}

// The planes that friction acts on are solved to a tolerance, from those of the evaluation before.  Where both ways of
// a tight rollout are compared they start anew, so that the linearization does not depend on the order of evaluations.
static enum dc_status evaluate_again(struct dc_rollout *rollout, const struct dc_pose *poses, int order,
                                     struct dc_pair_derivatives *pairs, struct dc_error *error)
{
  if (rollout->asked.tight)
    dc_contact_reset(rollout->rigid.contact);
  rollout->rigid.evaluated = poses;
  return dc_rigid_evaluate(&rollout->rigid, poses, order, pairs, error);
}

enum dc_status dc_rigid_recompute(struct dc_rollout *rollout, const struct dc_pose *poses,
                                  struct dc_pair_derivatives *pairs, struct dc_error *error)
{
  enum dc_status status = evaluate_again(rollout, poses, 2, pairs, error);
  if (!status && (!isfinite(rollout->rigid.energy) || !dc_contact_solved(rollout->rigid.contact)))
    return dc_fail(error, DC_NUMERICAL, "the planes of the contact were not solved again: no gradient");
  return status;
}

// Contact at t: what friction acts on and, where the interval before needs them too, its derivatives.
static enum dc_status evaluate_now(struct dc_rollout *rollout, const struct dc_step_state *state, bool friction,
                                   int order, bool pairs, struct dc_error *error)
{
  struct dc_pair_derivatives *spare = rollout->rigid.spare;
  if (pairs)
    return dc_rigid_recompute(rollout, state->now, spare, error);
  return friction ? evaluate_again(rollout, state->now, order, spare, error) : DC_OK;
}

// Contact at t again, then friction and restitution at t+1, as they were when the interval was solved.
static enum dc_status restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                              struct dc_error *error)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  rigid->slides = false;
  struct dc_friction_law law = dc_step_friction_law(rollout, state->input, state->interval.length, rigid->coefficients);
  bool acts = dc_friction_law_acts(&law, &rollout->model->bodies);
  struct asked asked = ask(rollout, &state->interval, &law);
  enum dc_status status = asked.any ? keep_forces_before(rollout, state->before, error) : DC_OK;
  if (!status)
    status = evaluate_now(rollout, state, acts || asked.any, asked.any ? 1 : 0, pairs, error);
  dc_impact_begin(rigid, state->memory, state->pairs_now);
  set_lags(rollout, state->input, &state->interval, asked, rigid->spare, &law);
  if (acts && !status)
    status = list_sliding(rigid, state->now, &law, error);
  if (status || !(rigid->slides || rigid->resists))
    return status;
  evaluate_lagged(rigid, state, 2, DC_FRICTION_CONVEX);
  return solved(rollout)
             ? DC_OK
             : dc_fail(error, DC_NUMERICAL, "the planes that friction acts on were not solved: no gradient");
}

// Evaluates contact, friction and impact at the next poses.  Friction and impact use the forces at the step's start
// ("lagged"): these are evaluated and listed first, from poses now, in a part of a step also from before.
enum dc_status dc_rigid_forces(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                               const struct dc_step_interval *interval, const double (*memory)[DC_IMPACT_NUMBERS],
                               const struct dc_pose *next, struct dc_error *error)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  const struct dc_pose *now = rollout->now.poses;
  struct dc_friction_law law =
      dc_step_friction_law(rollout, input, interval ? interval->length : 0, rigid->coefficients);
  dc_friction_clear(rigid->friction, rigid->pair_count);
  dc_friction_clear(rigid->impact, rigid->pair_count);
  rigid->slides = false;
  if (interval && (memory || dc_friction_law_acts(&law, &rollout->model->bodies))) {
    struct dc_step_state state = dc_step_state_of(rollout, input, *interval, NULL, NULL, NULL);
    state.next = next;
    struct asked asked = ask(rollout, interval, &law);
    enum dc_status status = asked.any ? keep_forces_before(rollout, rollout->before.poses, error) : DC_OK;
    if (!status)
      status = dc_rigid_evaluate(rigid, now, asked.any || memory ? 1 : 0, rigid->pairs, error);
    dc_impact_begin(rigid, memory, rigid->pairs);
    set_lags(rollout, input, interval, asked, rigid->pairs, &law);
    if (!status)
      status = list_sliding(rigid, now, &law, error);
    if (status)
      return status;
    memset(rigid->friction, 0, (size_t)rigid->pair_count * sizeof *rigid->friction);
    evaluate_lagged(rigid, &state, 1, DC_FRICTION_CONVEX);
  }
  return dc_rigid_evaluate(rigid, next, 1, rigid->pairs, error);
}

// Checks against overlap and crossing.

// Errors name the bodies of a pair by their names in the scene.
static enum dc_status fail_pair(const struct dc_rollout *rollout, enum dc_status status, int pair, const char *does,
                                struct dc_error *error)
{
  const struct dc_body *bodies = rollout->model->bodies.bodies;
  const int *of = rollout->rigid.pair_bodies[pair];
  return dc_fail(error, status, "bodies %s and %s %s", bodies[of[0]].name, bodies[of[1]].name, does);
}

static enum dc_status check_start(struct dc_rollout *rollout, const struct dc_rollout_input *input, const double *q,
                                  struct dc_error *error)
{
  int pair;
  double depth;
  (void)input, (void)q;
  if (dc_contact_overlap(rollout->rigid.contact, rollout->now.poses, &pair, &depth))
    return fail_pair(rollout, DC_INFEASIBLE, pair, "overlap at the start", error);
  return DC_OK;
}

// A move that would nearly close a gap goes half way: iterates that hug the barrier only crawl along it.
static double safe_part(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                        const double *tangent)
{
  (void)design, (void)q, (void)tangent;
  double fraction = dc_contact_safe_fraction_within(rollout->rigid.contact, &rollout->path, rollout->nearest);
  return fraction < 1 ? HALF_WAY * fraction : 1;
}

static enum dc_status check_path(struct dc_rollout *rollout, struct dc_error *error)
{
  int pair;
  if (dc_contact_motion_clear(rollout->rigid.contact, &rollout->path, &pair))
    return DC_OK;
  return pair < 0 ? dc_fail(error, DC_NUMERICAL, "the motion is not finite")
                  : fail_pair(rollout, DC_NUMERICAL, pair, "would pass through each other", error);
}

static double gap(const struct dc_rollout *rollout, const double *q)
{
  (void)q;
  return dc_contact_near_distance(rollout->rigid.contact);
}

// Contact: mu P(poses at t+1).

// The stiffness of one pair holds the part of the interval that it pushes for.
static double pair_stiffness(const struct dc_step_state *state, int pair)
{
  return dc_step_stiffness(state) * (state->rigid->shared ? state->rigid->lags[pair].share : 1);
}

static double contact_value(const struct dc_step_state *state)
{
  bool whole = !state->rigid->shared || !isfinite(state->rigid->energy);
  double sum = whole ? dc_step_stiffness(state) * state->rigid->energy : 0;
  for (int p = 0; p < state->rigid->pair_count && !whole; p++)
    sum += pair_stiffness(state, p) * state->pairs[p].energy;
  return sum;
}

// Adds mu dP/d(twists) of all pairs, times `scale`.  P depends on the relative pose of a pair alone: six numbers are
// kept per pair and expanded to the twelve of both bodies here (paper 000, section 4).
static void add_contact_forces(const struct dc_step_state *state, double scale, struct dc_step_forces *forces)
{
  for (int p = 0; p < state->rigid->pair_count; p++) {
    double g[12], mu = scale * pair_stiffness(state, p);
    if (state->pairs[p].idle)
      continue;
    dc_contact_expand_gradient(&state->pairs[p], g);
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 6; k++)
        forces->wrenches[state->rigid->pair_bodies[p][side]][k] += mu * g[6 * side + k];
  }
}

static void contact_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  add_contact_forces(state, 1, forces);
}

static inline void add_scaled_block(double *restrict sum, const double block[restrict 6][6], double scale)
{
  for (int i = 0; i < 36; i++)
    sum[i] += scale * (&block[0][0])[i];
}

// Two balls: shifts alone.
static void add_central(const struct dc_step_state *state, int p, bool exact, double scale,
                        struct dc_step_hessian *hessian)
{
  const int *pair = state->rigid->pair_bodies[p];
  bool both = dc_body_moves(&state->model->bodies.bodies[pair[1]]);
  double h[3][3];
  dc_contact_central_hessian(&state->pairs[p], exact, h);
  for (int side = 0; side < 1 + both; side++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        hessian->blocks[pair[side]][6 * (3 + i) + 3 + k] += scale * h[i][k];
  if (both)
    dc_assemble_shifts(hessian->assembler, hessian->kinematics, pair[0], pair[1], -scale, (const double(*)[3])h,
                       hessian->matrix);
}

// Adds the Hessian of all pairs: 6x6 blocks of each body, and the block between them when both move.
static void contact_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  double h_aa[6][6], h_ab[6][6], h_bb[6][6];
  for (int p = 0; p < state->rigid->pair_count; p++) {
    const int *pair = state->rigid->pair_bodies[p];
    double scale = pair_stiffness(state, p);
    bool both = dc_body_moves(&state->model->bodies.bodies[pair[1]]);
    if (state->pairs[p].idle)
      continue;
    if (state->pairs[p].central) {
      add_central(state, p, exact, scale, hessian);
      continue;
    }
    dc_contact_expand_hessian(&state->pairs[p], exact, h_aa, both ? h_ab : NULL, both ? h_bb : NULL);
    add_scaled_block(hessian->blocks[pair[0]], h_aa, scale);
    if (!both)
      continue;
    add_scaled_block(hessian->blocks[pair[1]], h_bb, scale);
    dc_assemble_pair(hessian->assembler, hessian->kinematics, pair[0], pair[1], scale, &h_ab[0][0], hessian->matrix);
  }
}

// By the stiffness alone: contact depends on the state before through nothing else.
static void contact_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                              struct dc_step_cotangent *out)
{
  double along = 0;
  for (int p = 0; p < state->rigid->pair_count; p++) {
    double g[12], both[12];
    dc_contact_expand_gradient(&state->pairs[p], g);
    dc_impact_gather(state->rigid->pair_bodies[p], direction->twists, both);
    along += pair_stiffness(state, p) * dc_dot(both, g, 12);
  }
  out->input->design.stiffness_scale += along / state->input->design.stiffness_scale;
}

// Adds the derivatives by shapes: rates of bodies from the Hessian, then those by points of the parts.
static enum dc_status contact_add_shape_mixed(const struct dc_step_state *state,
                                              const struct dc_step_direction *direction, struct dc_step_shape *shape,
                                              struct dc_error *error)
{
  double mu = dc_step_stiffness(state), h_aa[6][6], h_ab[6][6], h_bb[6][6];
  for (int p = 0; p < state->rigid->pair_count; p++) {
    int a = state->rigid->pair_bodies[p][0], b = state->rigid->pair_bodies[p][1];
    bool both = dc_body_moves(&state->model->bodies.bodies[b]);
    if (state->pairs[p].idle)
      continue;
    dc_contact_expand_hessian(&state->pairs[p], true, h_aa, both ? h_ab : NULL, both ? h_bb : NULL);
    dc_shape_add_rate((const double(*)[6])h_aa, mu, direction->twists[a], shape->rates[a]);
    if (!both)
      continue;
    dc_shape_add_rate((const double(*)[6])h_ab, mu, direction->twists[b], shape->rates[a]);
    dc_shape_add_rate((const double(*)[6])h_bb, mu, direction->twists[b], shape->rates[b]);
    dc_shape_add_transposed_rate((const double(*)[6])h_ab, mu, direction->twists[a], shape->rates[b]);
  }
  return dc_shape_add_points(state, direction, mu, shape, error);
}

// The transposed of contact_add_mixed.
static void contact_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                struct dc_step_forces *forces)
{
  double scale = variation->input->design.stiffness_scale;
  if (scale != 0)
    add_contact_forces(state, scale / state->input->design.stiffness_scale, forces);
}

// The diagonal of a pair's 6 x 6 Hessian, turns first (entries 0, 2, 5), then shifts (9, 14, 20), is the stiffness
// that rounding of places is seen through.  The plane solve adds a relative error to the force itself.
static void contact_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  for (int p = 0; p < state->rigid->pair_count; p++) {
    double mu = pair_stiffness(state, p);
    const double *d = state->pairs[p].hessian;
    if (state->pairs[p].idle)
      continue;
    dc_rigid_add_floor(state, p, mu * (fabs(d[0]) + fabs(d[2]) + fabs(d[5])),
                       mu * (fabs(d[9]) + fabs(d[14]) + fabs(d[20])),
                       mu * FORCE_NOISE * dc_vec_norm(state->pairs[p].gradient + 3), floor);
  }
}

const struct dc_step_term dc_contact_term = {
    .name = "contact",
    .reference = "paper 000, Eq. 3 and 8",
    .value = contact_value,
    .add_gradient = contact_add_gradient,
    .add_hessian = contact_add_hessian,
    .add_mixed = contact_add_mixed,
    .add_shape_mixed = contact_add_shape_mixed,
    .add_product = contact_add_product,
    .add_floor = contact_add_floor,
    .begin = begin,
    .evaluate = evaluate,
    .accept = accept,
    .solved = solved,
    .restore = restore,
    .check_start = check_start,
    .safe_part = safe_part,
    .check_path = check_path,
    .gap = gap,
};
