// SPDX-License-Identifier: Apache-2.0
// Residuals of a refinement, their Jacobian, and directions of descent (docs/theory.md, "Refinement").
//
// A pair of bodies with witness points x_1, x_2 at distance d along n, targets t_1, t_2 and margin m has the residual
// ((d - m) n, x_1 - t_1, x_2 - t_2), 9 numbers in m, divided by the root of the number of pairs.  Two other bodies
// have sqrt(penetration) max(0, clearance - d).  The value is the sum of squares.
#include <string.h>

#include "base/random.h"
#include "geometry/convex/witness_flat.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "plan/constants.h"
#include "plan/refine_internal.h"

// A contact at its present placement: witness points, targets in the world, and derivatives by the twists of both
// bodies about their frames' origins.
struct contact_state {
  struct dc_witness witness;
  double target[2][3], center[2][3];
  double jacobian[2][2][18];  // [i][k]: d x_i / d twist_k, 3 rows of 6
};

// Placement of the shape's frame, in which solids are given, from the pose of the frame at the centre of mass.
static void place(const struct dc_body *body, const struct dc_pose *pose, struct dc_placement *placement)
{
  double arm[3];
  memcpy(placement->rotation, pose->rotation, sizeof placement->rotation);
  dc_mat_apply(arm, pose->rotation, body->center);
  dc_vec_sub(placement->position, pose->position, arm);
}

// Places the bodies at q: kinematics and placements of refine.
static void place_bodies(struct dc_refine *refine, const double *q)
{
  dc_kinematics_update(refine->bodies, q, &refine->kinematics);
  for (int i = 0; i < refine->bodies->count; i++)
    place(&refine->bodies->bodies[i], &refine->kinematics.poses[i], &refine->placements[i]);
}

// Asks for the witness points of a contact; of those that parallel sides and edges have, the ones nearest to the
// targets.
static void query_at(struct dc_refine *refine, const struct dc_refine_contact *contact,
                     const struct dc_placement *first, const struct dc_placement *second, struct dc_witness *witness)
{
  const struct dc_placement *placements[2] = {first, second};
  struct dc_flat_side sides[2];
  refine->counts.queries++;
  dc_witness_query(contact->search, first, second, witness);
  if (!contact->pair || !contact->flat)
    return;
  for (int k = 0; k < 2; k++) {
    const struct dc_placement *placement = placements[k];
    sides[k] = (struct dc_flat_side){refine->solids[contact->body[k]].solid, placement, contact->part[k], {0}, {0}};
    dc_mat_apply(sides[k].target, placement->rotation, contact->target[k]);
    dc_vec_add(sides[k].target, sides[k].target, placement->position);
    dc_mat_apply(sides[k].normal, placement->rotation, contact->normal[k]);
  }
  dc_witness_settle(sides, DC_REFINE_FLAT_PART * refine->settings.tolerance, witness);
}

static void query(struct dc_refine *refine, const struct dc_refine_contact *contact, struct dc_witness *witness)
{
  query_at(refine, contact, &refine->placements[contact->body[0]], &refine->placements[contact->body[1]], witness);
}

// Whether overlaps of two bodies count and their bounding spheres are within the clearance.
static bool near(const struct dc_refine *refine, const struct dc_refine_contact *contact)
{
  double center[2][3], reach = refine->settings.clearance;
  if (!(refine->settings.penetration > 0))
    return false;
  for (int k = 0; k < 2; k++) {
    const struct dc_placement *placement = &refine->placements[contact->body[k]];
    const struct dc_solid *solid = refine->solids[contact->body[k]].solid;
    dc_mat_apply(center[k], placement->rotation, solid->center);
    dc_vec_add(center[k], center[k], placement->position);
    reach += solid->radius;
  }
  return dc_vec_distance(center[0], center[1]) < reach;
}

// The witnesses at q, from the last two answers when it is one of their points: optimizers go back from a trial to
// the point before. answers[0] is the newest; the older one's memory is used for a new answer.
const struct dc_refine_answer *dc_refine_ask(struct dc_refine *refine, const double *q)
{
  struct dc_refine_answer *answers = refine->answers;
  size_t bytes = (size_t)refine->bodies->nq * sizeof *q;
  place_bodies(refine, q);
  if (answers[0].known && memcmp(answers[0].q, q, bytes) == 0)
    return &answers[0];
  struct dc_refine_answer newest = answers[1];
  answers[1] = answers[0];
  answers[0] = newest;
  if (newest.known && memcmp(newest.q, q, bytes) == 0)
    return &answers[0];
  answers[0].known = true;
  memcpy(newest.q, q, bytes);
  for (int c = 0; c < refine->contact_count; c++) {
    const struct dc_refine_contact *contact = &refine->contacts[c];
    newest.apart[c] = !contact->pair && !near(refine, contact);
    if (!newest.apart[c])
      query(refine, contact, &newest.witnesses[c]);
  }
  return &answers[0];
}

// Sets the data of a contact from its witness points.
static void locate(const struct dc_refine *refine, const struct dc_refine_contact *contact,
                   const struct dc_witness *witness, struct contact_state *state)
{
  state->witness = *witness;
  for (int k = 0; k < 2; k++) {
    const struct dc_placement *placement = &refine->placements[contact->body[k]];
    dc_mat_apply(state->target[k], placement->rotation, contact->target[k]);
    dc_vec_add(state->target[k], state->target[k], placement->position);
    dc_vec_copy(state->center[k], refine->kinematics.poses[contact->body[k]].position);
  }
}

// Witness points with body k moved by a twist about its frame's origin.
static void query_moved(struct dc_refine *refine, const struct dc_refine_contact *contact,
                        const struct contact_state *state, int k, const double twist[6], struct dc_witness *witness)
{
  struct dc_placement moved[2] = {refine->placements[contact->body[0]], refine->placements[contact->body[1]]};
  double quaternion[4], turn[9], arm[3], turned[3];
  dc_rotation_exp(quaternion, twist);
  dc_rotation_matrix(turn, quaternion);
  dc_mat_multiply(moved[k].rotation, turn, refine->placements[contact->body[k]].rotation);
  dc_vec_sub(arm, moved[k].position, state->center[k]);
  dc_mat_apply(turned, turn, arm);
  for (int i = 0; i < 3; i++)
    moved[k].position[i] = state->center[k][i] + turned[i] + twist[3 + i];
  query_at(refine, contact, &moved[0], &moved[1], witness);
}

// jacobian[.][k] += (x(twist) - x(-twist)) weight^T
static void add_difference(struct dc_refine *refine, const struct dc_refine_contact *contact,
                           struct contact_state *state, int k, const double twist[6], const double weight[6])
{
  struct dc_witness ahead, behind;
  double back[6];
  for (int c = 0; c < 6; c++)
    back[c] = -twist[c];
  query_moved(refine, contact, state, k, twist, &ahead);
  query_moved(refine, contact, state, k, back, &behind);
  for (int i = 0; i < 2; i++)
    for (int row = 0; row < 3; row++)
      for (int c = 0; c < 6; c++)
        state->jacobian[i][k][6 * row + c] += (ahead.point[i][row] - behind.point[i][row]) * weight[c];
}

// Central differences of the query (baseline "finite-difference").
static void difference(struct dc_refine *refine, const struct dc_refine_contact *contact, struct contact_state *state,
                       int k)
{
  for (int c = 0; c < 6; c++) {
    double step = c < 3 ? DC_REFINE_DIFFERENCE_TURN : DC_REFINE_DIFFERENCE_SHIFT, twist[6] = {0}, weight[6] = {0};
    twist[c] = step;
    weight[c] = 0.5 / step;
    add_difference(refine, contact, state, k, twist, weight);
  }
}

// Derivative of the query smoothed by a Gaussian of the same widths: E[x(s z) z^T] / s, with antithetic pairs z, -z
// (baseline "rs0"; Montaut et al. 2022).
static void difference_at_random(struct dc_refine *refine, const struct dc_refine_contact *contact,
                                 struct contact_state *state, int k, uint64_t key)
{
  struct dc_random random;
  dc_random_seed(&random, key + (uint64_t)k);
  long samples = refine->witness.samples;
  for (long sample = 0; sample < samples; sample++) {
    double twist[6], weight[6];
    for (int c = 0; c < 6; c++) {
      double step = c < 3 ? DC_REFINE_DIFFERENCE_TURN : DC_REFINE_DIFFERENCE_SHIFT, normal = dc_random_normal(&random);
      twist[c] = step * normal;
      weight[c] = 0.5 * normal / (step * (double)samples);
    }
    add_difference(refine, contact, state, k, twist, weight);
  }
}

static uint64_t draw_key(const struct dc_refine *refine, int contact, const struct dc_draw *draw)
{
  // Odd factors spread the three numbers over all bits; the generator mixes them.
  return (uint64_t)refine->settings.seed * 0x9e3779b97f4a7c15u + (uint64_t)contact * 0xbf58476d1ce4e5b9u +
         draw->number * 0x94d049bb133111ebu;
}

// Derivatives of the witness points of contact c by both twists.
static void differentiate(struct dc_refine *refine, int c, const struct dc_draw *draw, struct contact_state *state)
{
  const struct dc_refine_contact *contact = &refine->contacts[c];
  int method = refine->witness.method;
  uint64_t key = draw_key(refine, c, draw);
  refine->counts.derivatives++;
  if (method == DC_WITNESS_FINITE_DIFFERENCE || method == DC_WITNESS_RS0) {
    memset(state->jacobian, 0, sizeof state->jacobian);
    for (int k = 0; k < 2; k++) {
      if (!refine->settings.transport && !dc_body_moves(&refine->bodies->bodies[contact->body[k]]))
        continue;
      if (method == DC_WITNESS_RS0)
        difference_at_random(refine, contact, state, k, key);
      else
        difference(refine, contact, state, k);
    }
    return;
  }
  struct dc_witness_solid solids[2] = {refine->solids[contact->body[0]], refine->solids[contact->body[1]]};
  struct dc_placement placements[2] = {refine->placements[contact->body[0]], refine->placements[contact->body[1]]};
  struct dc_witness_draw witness_draw = {.key = key, .radius_scale = draw->trust};
  struct dc_witness_side sides[2];
  dc_witness_derivative(&refine->witness, solids, placements, &state->witness, (const double(*)[3])state->target,
                        &witness_draw, sides);
  dc_witness_jacobian(&refine->witness, &state->witness, sides, (const double(*)[3])state->center, state->jacobian);
}

void dc_refine_add_turn(double *block, double scale, const double arm[3])
{
  // w x a = -[a]x w
  block[1] += scale * arm[2], block[2] -= scale * arm[1];
  block[6] -= scale * arm[2], block[8] += scale * arm[0];
  block[12] += scale * arm[1], block[13] -= scale * arm[0];
}

// block [3][6] += sign times the velocity t + w x (point - center) of a point on a body with twist (w, t) about center
static void add_velocity(double *block, double sign, const double *point, const double *center)
{
  double arm[3];
  dc_vec_sub(arm, point, center);
  dc_refine_add_turn(block, sign, arm);
  block[3] += sign, block[10] += sign, block[17] += sign;
}

// Rows [9][6] of a pair's residual by the twist of body k.
static void pair_rows(const struct contact_state *state, int k, double rows[54])
{
  double velocity[18] = {0};
  add_velocity(velocity, 1, state->target[k], state->center[k]);
  for (int i = 0; i < 18; i++) {
    rows[i] = state->jacobian[1][k][i] - state->jacobian[0][k][i];
    rows[18 + i] = state->jacobian[0][k][i] - (k == 0 ? velocity[i] : 0);
    rows[36 + i] = state->jacobian[1][k][i] - (k == 1 ? velocity[i] : 0);
  }
}

// The derivative of d by the twist of body k, n . (velocity of x_2 on body 2 - velocity of x_1 on body 1), which is
// exact.
static void distance_row(const struct contact_state *state, int k, double row[6])
{
  double arm[3];
  const double *normal = state->witness.normal;
  dc_vec_sub(arm, state->witness.point[k], state->center[k]);
  dc_vec_cross(row, arm, normal);
  dc_vec_copy(row + 3, normal);
  for (int c = 0; k == 0 && c < 6; c++)
    row[c] = -row[c];
}

// The residual above, without the share.
static void pair_residual(const struct dc_refine *refine, const struct contact_state *state, double residual[9])
{
  const struct dc_witness *witness = &state->witness;
  for (int i = 0; i < 3; i++) {
    residual[i] = (witness->distance - refine->settings.margin) * witness->normal[i];
    residual[3 + i] = witness->point[0][i] - state->target[0][i];
    residual[6 + i] = witness->point[1][i] - state->target[1][i];
  }
}

// Adds derivatives by twists of one body, rows [count][6], to the Jacobian by the unknowns: directly for a free body,
// by the columns of its chain otherwise.
void dc_refine_add_columns(const struct dc_refine *refine, int body, double scale, int count, const double *rows,
                           double *jacobian)
{
  const struct dc_body *b = &refine->bodies->bodies[body];
  int n = refine->problem.dimension;
  if (b->free) {
    for (int row = 0; row < count; row++)
      for (int c = 0; c < 6; c++)
        jacobian[row * n + refine->unknown[b->v_offset + c]] += scale * rows[6 * row + c];
    return;
  }
  for (int c = 0; c < b->chain_count; c++) {
    const double *column = refine->kinematics.columns[b->first_column + c];
    int v = b->chain[c];
    double factor = scale * refine->factor[v];
    for (int row = 0; row < count; row++)
      jacobian[row * n + refine->unknown[v]] +=
          factor * (dc_vec_dot(rows + 6 * row, column) + dc_vec_dot(rows + 6 * row + 3, column + 3));
  }
}

// Violation of the clearance by two bodies that are no pair, m.
static double intrusion(const struct dc_refine *refine, const struct dc_refine_answer *answer, int c,
                        struct contact_state *state)
{
  if (answer->apart[c])
    return 0;
  locate(refine, &refine->contacts[c], &answer->witnesses[c], state);
  return fmax(0, refine->settings.clearance - state->witness.distance);
}

// Residuals of the pairs and of overlaps, and their Jacobian.
enum dc_status dc_refine_linearize(void *context, const double *q, const struct dc_draw *draw, struct dc_rows *rows,
                                   struct dc_error *error)
{
  (void)error;
  struct dc_refine *refine = context;
  double *residual = rows->residual, *jacobian = rows->jacobian;
  const struct dc_body *bodies = refine->bodies->bodies;
  int n = refine->problem.dimension, row = 0;
  double share = refine->pair_count ? sqrt(1.0 / refine->pair_count) : 1, weight = sqrt(refine->settings.penetration);
  if (jacobian)
    memset(jacobian, 0, (size_t)n * (size_t)refine->problem.row_count * sizeof *jacobian);
  const struct dc_refine_answer *answer = dc_refine_ask(refine, q);
  for (int c = 0; c < refine->contact_count; c++) {
    const struct dc_refine_contact *contact = &refine->contacts[c];
    struct contact_state state;
    int count = contact->pair ? DC_PAIR_RESIDUALS : 1;
    double block[54], scale = contact->pair ? share : -weight, depth = 0;
    if (contact->pair) {
      locate(refine, contact, &answer->witnesses[c], &state);
      pair_residual(refine, &state, residual + row);
      for (int i = 0; i < DC_PAIR_RESIDUALS; i++)
        residual[row + i] *= share;
      if (jacobian)
        differentiate(refine, c, draw, &state);
    } else {
      depth = intrusion(refine, answer, c, &state);
      residual[row] = weight * depth;
    }
    for (int k = 0; k < 2 && jacobian && (contact->pair || depth > 0); k++) {
      if (!dc_body_moves(&bodies[contact->body[k]]))
        continue;
      if (contact->pair)
        pair_rows(&state, k, block);
      else
        distance_row(&state, k, block);
      dc_refine_add_columns(refine, contact->body[k], scale, count, block, jacobian + row * n);
    }
    row += count;
  }
  rows->value = 0;
  for (int r = 0; r < row; r++)
    rows->value += residual[r] * residual[r];
  return DC_OK;
}

// Gradient of L by the twist of body k.  Equivalent gradient transport adds the gradient of the other body: for the
// relative pose, its update -S g_o is the opposite update of this body about its own origin (paper 002, section IV-E;
// it holds for updates, hence the step sizes S).
static void pair_gradient(const struct contact_state *state, int k, const double residual[9], double gradient[6])
{
  double rows[54];
  pair_rows(state, k, rows);
  for (int c = 0; c < 6; c++) {
    gradient[c] = 0;
    for (int i = 0; i < DC_PAIR_RESIDUALS; i++)
      gradient[c] += 2 * residual[i] * rows[6 * i + c];
  }
}

// Adds to the gradient of body k that of the other one, as the opposite relative motion: the equivalent gradient of
// paper 002.  Step sizes make turns and shifts comparable.
static void transport(const struct contact_state *state, int k, const double *step_size, const double other[6],
                      double gradient[6])
{
  double turn = step_size[DC_REFINE_ROTATION], shift = step_size[DC_REFINE_TRANSLATION], w[3], t[3], arm[3], lever[3];
  if (!(turn > 0) || !(shift > 0))
    return;
  dc_vec_scale(w, other, turn);
  dc_vec_scale(t, other + 3, shift);
  dc_vec_sub(arm, state->center[k], state->center[1 - k]);
  dc_vec_cross(lever, w, arm);
  for (int i = 0; i < 3; i++) {
    gradient[i] -= w[i] / turn;
    gradient[3 + i] -= (t[i] + lever[i]) / shift;
  }
}

// Value and direction of descent by the derivatives of each contact.
enum dc_status dc_refine_descend(void *context, const double *q, const struct dc_draw *draw, const double *step_size,
                                 double *value, double *direction, struct dc_error *error)
{
  (void)error;
  struct dc_refine *refine = context;
  const struct dc_body *bodies = refine->bodies->bodies;
  double share = refine->pair_count ? 1.0 / refine->pair_count : 1;
  memset(direction, 0, (size_t)refine->problem.dimension * sizeof *direction);
  *value = 0;
  const struct dc_refine_answer *answer = dc_refine_ask(refine, q);
  for (int c = 0; c < refine->contact_count; c++) {
    const struct dc_refine_contact *contact = &refine->contacts[c];
    struct contact_state state;
    double residual[DC_PAIR_RESIDUALS], gradients[2][6], depth = 0;
    if (contact->pair) {
      locate(refine, contact, &answer->witnesses[c], &state);
      differentiate(refine, c, draw, &state);
      pair_residual(refine, &state, residual);
      for (int i = 0; i < DC_PAIR_RESIDUALS; i++)
        *value += share * residual[i] * residual[i];
      for (int k = 0; k < 2; k++)
        pair_gradient(&state, k, residual, gradients[k]);
    } else if ((depth = intrusion(refine, answer, c, &state)) > 0) {
      *value += refine->settings.penetration * depth * depth;
    }
    for (int k = 0; k < 2 && (contact->pair || depth > 0); k++) {
      double total[6];
      if (!dc_body_moves(&bodies[contact->body[k]]))
        continue;
      if (contact->pair) {
        memcpy(total, gradients[k], sizeof total);
        if (refine->settings.transport && !dc_body_moves(&bodies[contact->body[1 - k]]))
          transport(&state, k, step_size, gradients[1 - k], total);
      } else {
        distance_row(&state, k, total);
      }
      dc_refine_add_columns(refine, contact->body[k], contact->pair ? -share : 2 * refine->settings.penetration * depth,
                            1, total, direction);
    }
  }
  return DC_OK;
}

int dc_refine_contact_count(const struct dc_refine *refine)
{
  return refine->contact_count;
}

// Evaluates all contacts at q without derivatives: value, error and witness points of each pair, overlaps of others,
// success.
void dc_refine_inspect(struct dc_refine *refine, const double *q, struct dc_refine_state *total,
                       struct dc_refine_contact_state *contacts)
{
  *total = (struct dc_refine_state){.min_distance = INFINITY};
  place_bodies(refine, q);
  for (int c = 0; c < refine->contact_count; c++) {
    const struct dc_refine_contact *contact = &refine->contacts[c];
    struct dc_refine_contact_state *result = &contacts[c];
    struct contact_state state;
    double residual[DC_PAIR_RESIDUALS];
    struct dc_witness witness;
    // Between parallel faces the points depend on earlier queries, which must have no influence here.
    dc_witness_search_reset(contact->search);
    query(refine, contact, &witness);
    locate(refine, contact, &witness, &state);
    *result = (struct dc_refine_contact_state){
        .body = {contact->body[0], contact->body[1]}, .pair = contact->pair, .witness = state.witness};
    for (int k = 0; k < 2; k++) {
      const struct dc_placement *placement = &refine->placements[contact->body[k]];
      double arm[3];
      dc_vec_sub(arm, state.witness.point[k], placement->position);
      dc_mat_apply_transposed(result->local[k], placement->rotation, arm);
    }
    total->min_distance = fmin(total->min_distance, state.witness.distance);
    if (!contact->pair) {
      double depth = fmax(0, refine->settings.clearance - state.witness.distance);
      total->value += refine->settings.penetration * depth * depth;
      total->overlap = fmax(total->overlap, -state.witness.distance);
      continue;
    }
    pair_residual(refine, &state, residual);
    memcpy(result->target, state.target, sizeof result->target);
    for (int i = 0; i < DC_PAIR_RESIDUALS; i++)
      result->value += residual[i] * residual[i];
    for (int i = 0; i < 3; i++)
      result->error = fmax(result->error, dc_vec_norm(residual + 3 * i));
    total->value += result->value / refine->pair_count;
    total->largest_error = fmax(total->largest_error, result->error);
    total->reached += result->error <= refine->settings.tolerance;
  }
  total->success = total->reached == refine->pair_count &&
                   (!(refine->settings.penetration > 0) || total->overlap <= refine->settings.tolerance);
}
