// SPDX-License-Identifier: Apache-2.0
// Aligns targets on each other with opposed surface normals: least squares in the poses, with distances as the only
// queries (docs/theory.md, "Refinement").
//
// Rows of normals are multiplied by a length, so that all rows are in metres.  On a smooth surface a witness point has
// one normal, at a corner a cone of normals; the gap between both cones is minimized.  Where only mean normals are
// known, their rows weigh less the more the normals spread.  Bodies that overlap anywhere are moved apart; rows of
// overlaps count if they are violated, or would be by the step.
//
// Each step solves damped normal equations, repeated while it would violate further overlaps, and is kept if the sum of
// squares falls.
#include <math.h>
#include <string.h>

#include "geometry/convex/hull_distance.h"
#include "math/linear_solver.h"
#include "math/vector.h"
#include "plan/constants.h"
#include "plan/refine_internal.h"

enum { ROWS = 6 };  // of a pair

static int row_count(const struct dc_refine *refine)
{
  return ROWS * refine->pair_count + refine->contact_count;
}

static enum dc_status create_rows(struct dc_refine *refine, struct dc_refine_align_rows *rows)
{
  size_t m = (size_t)row_count(refine), n = (size_t)refine->problem.dimension;
  rows->residual = dc_arena_alloc(refine->arena, m + 1, sizeof *rows->residual);
  rows->jacobian = dc_arena_alloc(refine->arena, m * n + 1, sizeof *rows->jacobian);
  return rows->residual && rows->jacobian ? DC_OK : DC_MEMORY;
}

// Room for the alignment of normals, with n unknowns: normal equations [n][n], steps [3][n], and the dense solver.
enum dc_status dc_refine_align_create(struct dc_refine *refine, struct dc_error *error)
{
  struct dc_refine_align *align = &refine->align;
  int n = refine->problem.dimension;
  size_t columns = (size_t)n;
  align->normal = dc_arena_alloc(refine->arena, columns * columns + 1, sizeof *align->normal);
  align->step = dc_arena_alloc(refine->arena, 3 * columns + 1, sizeof *align->step);
  align->held = dc_arena_alloc(refine->arena, columns + 1, sizeof *align->held);
  align->counts = dc_arena_alloc(refine->arena, (size_t)refine->contact_count + 1, sizeof *align->counts);
  align->trial = dc_arena_alloc(refine->arena, (size_t)refine->bodies->nq + 1, sizeof *align->trial);
  align->matrix = n ? dc_symmetric_create(1, &n, 0, NULL, DC_SOLVER_DENSE) : NULL;
  if (create_rows(refine, &align->found) || create_rows(refine, &align->asked) || !align->normal || !align->step ||
      !align->held || !align->counts || !align->trial || (n && !align->matrix))
    return dc_out_of_memory_for(error, "a refinement");
  return DC_OK;
}

void dc_refine_align_destroy(struct dc_refine *refine)
{
  dc_symmetric_destroy(refine->align.matrix);
}

// Directions of a pair's normals in the world, those of the second body reversed: seen [2][DC_REFINE_CONE], and in c
// the unit vector halfway between the nearest two; false where these are too far apart.
static bool see_cones(const struct dc_refine *refine, const struct dc_refine_contact *pair,
                      double seen[2][DC_REFINE_CONE][3], double c[3])
{
  double most = DC_ALIGN_FARTHEST_COSINE;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < pair->cone_count[k]; i++) {
      dc_mat_apply(seen[k][i], refine->placements[pair->body[k]].rotation, pair->cone[k][i]);
      dc_vec_scale(seen[k][i], seen[k][i], k == 0 ? 1 : -1);
    }
  for (int i = 0; i < pair->cone_count[0]; i++)
    for (int j = 0; j < pair->cone_count[1]; j++) {
      double cosine = dc_vec_dot(seen[0][i], seen[1][j]);
      if (!(cosine > most))
        continue;
      most = cosine;
      dc_vec_add(c, seen[0][i], seen[1][j]);
      dc_vec_scale(c, c, 1 / dc_vec_norm(c));
    }
  return most > DC_ALIGN_FARTHEST_COSINE;
}

// Gap between the two cones on the plane c.x = 1, where they are convex polygons, each shrunk about its middle.
// Directions far from c are left out, which shrinks them, too.
// The first row is the derivative of the gap by a rotation of the first body, minus that of the second.  The second row
// is that of the component across the gap, which is zero.  For discs whose radii sum to s, half the squared gap g has
// the curvature 1 along it and g/(g + s) across, which is the squared weight of the second row.  Without it steps would
// rotate the gap instead of closing it.  False: too far apart.
static bool cone_gap(const struct dc_refine *refine, const struct dc_refine_contact *pair, double *gap,
                     double rows[2][3])
{
  double seen[2][DC_REFINE_CONE][3], c[3] = {0, 0, 0}, away[3], across[3], extent = 0;
  int count[2] = {0, 0};
  if (!see_cones(refine, pair, seen, c))
    return false;
  for (int k = 0; k < 2; k++) {
    double middle[3] = {0}, widest = 0;
    for (int i = 0; i < pair->cone_count[k]; i++) {
      double height = dc_vec_dot(seen[k][i], c);
      if (height > DC_ALIGN_LEAST_COSINE)
        dc_vec_scale(seen[k][count[k]++], seen[k][i], 1 / height);
    }
    for (int i = 0; i < count[k]; i++)
      dc_vec_add_scaled(middle, middle, 1.0 / count[k], seen[k][i]);
    for (int i = 0; i < count[k]; i++) {
      for (int axis = 0; axis < 3; axis++)
        seen[k][i][axis] = (1 - DC_ALIGN_NARROWED) * middle[axis] + DC_ALIGN_NARROWED * seen[k][i][axis];
      widest = fmax(widest, dc_vec_distance(seen[k][i], middle));
    }
    extent += widest;
  }
  *gap = dc_hull_distance((const double(*)[3])seen[0], count[0], (const double(*)[3])seen[1], count[1], away);
  dc_vec_cross(rows[0], c, away);
  dc_vec_cross(across, c, away);
  dc_vec_cross(rows[1], c, across);
  dc_vec_scale(rows[1], rows[1], *gap > 0 ? sqrt(*gap / (*gap + extent)) : 0);
  return true;
}

// Residual of the normals of pair c, with three rows by the rotations of both bodies: the gap of their cones or, where
// these are far apart, weight (n_1 + n_2 - tilt).
static void face(const struct dc_refine *refine, int c, const double tilt[3], double residual[3], double rows[2][9])
{
  const struct dc_refine_contact *pair = &refine->contacts[c];
  double close[2][3], gap, turn = DC_ALIGN_ARM * DC_ALIGN_SOFT / (DC_ALIGN_SOFT + pair->spread[0] + pair->spread[1]);
  bool cones = cone_gap(refine, pair, &gap, close);
  memset(rows, 0, 2 * sizeof *rows);
  for (int i = 0; i < 3; i++)
    residual[i] = cones ? 0 : -turn * tilt[i];
  if (cones)
    residual[0] = DC_ALIGN_ARM * gap;
  for (int k = 0; k < 2 && cones; k++)
    for (int i = 0; i < 2; i++)
      dc_vec_scale(rows[k] + 3 * i, close[i], k == 0 ? DC_ALIGN_ARM : -DC_ALIGN_ARM);
  for (int k = 0; k < 2 && !cones; k++) {
    double normal[3], turned[18] = {0};
    dc_mat_apply(normal, refine->placements[pair->body[k]].rotation, pair->normal[k]);
    dc_vec_add_scaled(residual, residual, turn, normal);
    dc_refine_add_turn(turned, turn, normal);
    for (int i = 0; i < 9; i++)
      rows[k][i] = turned[6 * (i / 3) + i % 3];
  }
}

// Residual t_2 - t_1 - margin n_1 and normals of pair c, with rows by both twists.
static void add_pair(struct dc_refine *refine, int c, const double tilt[3])
{
  const struct dc_refine_contact *pair = &refine->contacts[c];
  int n = refine->problem.dimension;
  double *residual = refine->align.asked.residual + ROWS * c, facing[2][9];
  double *jacobian = refine->align.asked.jacobian + (size_t)(ROWS * c) * (size_t)n;
  face(refine, c, tilt, residual + 3, facing);
  for (int i = 0; i < 3; i++)
    residual[i] = 0;
  for (int k = 0; k < 2; k++) {
    const struct dc_placement *place = &refine->placements[pair->body[k]];
    double target[3], normal[3], arm[3], rows[6 * ROWS] = {0}, sign = k == 0 ? -1 : 1;
    double margin = k == 0 ? -refine->settings.margin : 0;
    dc_mat_apply(target, place->rotation, pair->target[k]);
    dc_vec_add(target, target, place->position);
    dc_mat_apply(normal, place->rotation, pair->normal[k]);
    for (int i = 0; i < 3; i++)
      residual[i] += sign * target[i] + margin * normal[i];
    dc_vec_sub(arm, target, refine->kinematics.poses[pair->body[k]].position);
    dc_refine_add_turn(rows, sign, arm);
    dc_refine_add_turn(rows, margin, normal);
    rows[3] = rows[10] = rows[17] = sign;
    for (int i = 0; i < 9; i++)
      rows[18 + 6 * (i / 3) + i % 3] = facing[k][i];
    if (dc_body_moves(&refine->bodies->bodies[pair->body[k]]))
      dc_refine_add_columns(refine, pair->body[k], 1, ROWS, rows, jacobian);
  }
}

// Violation of the clearance of a contact (negative: beyond it), with its row n . (V_1 - V_2), which is exact.
// -INFINITY for bodies too far apart to be queried.
static void add_overlap(struct dc_refine *refine, const struct dc_refine_answer *answer, int c)
{
  const struct dc_refine_contact *contact = &refine->contacts[c];
  const struct dc_witness *witness = &answer->witnesses[c];
  struct dc_refine_align_rows *rows = &refine->align.asked;
  int row = ROWS * refine->pair_count + c;
  rows->residual[row] = -INFINITY;
  if (answer->apart[c])
    return;
  rows->residual[row] = (contact->pair ? refine->settings.margin : refine->settings.clearance) - witness->distance;
  for (int k = 0; k < 2; k++) {
    double arm[3], turned[6];
    if (!dc_body_moves(&refine->bodies->bodies[contact->body[k]]))
      continue;
    dc_vec_sub(arm, witness->point[k], refine->kinematics.poses[contact->body[k]].position);
    dc_vec_cross(turned, arm, witness->normal);
    dc_vec_copy(turned + 3, witness->normal);
    dc_refine_add_columns(refine, contact->body[k], k == 0 ? 1 : -1, 1, turned,
                          rows->jacobian + (size_t)row * (size_t)refine->problem.dimension);
  }
}

// gradient = J^T r over the rows that count, and J^T J, with zeros for coordinates held at their bounds.
static void square_up(struct dc_refine *refine, const double *q, double *gradient, double *twice)
{
  struct dc_refine_align *align = &refine->align;
  int n = refine->problem.dimension, own = ROWS * refine->pair_count, rows = row_count(refine);
  memset(gradient, 0, (size_t)n * sizeof *gradient);
  memset(align->normal, 0, (size_t)n * (size_t)n * sizeof *align->normal);
  for (int r = 0; r < rows; r++) {
    const double *row = align->found.jacobian + (size_t)r * (size_t)n;
    for (int i = 0; i < n && (r < own || align->counts[r - own]); i++) {
      gradient[i] += row[i] * align->found.residual[r];
      for (int j = 0; j < n && row[i] != 0; j++)
        align->normal[i * n + j] += row[i] * row[j];
    }
  }
  for (int i = 0; i < n; i++)
    twice[i] = 2 * gradient[i];
  refine->problem.hold(refine, q, twice, align->held);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n && align->held[i]; j++)
      align->normal[i * n + j] = align->normal[j * n + i] = 0;
    gradient[i] = align->held[i] ? 0 : gradient[i];
  }
}

// Computes the rows at q; returns the sum of squares of those that count.
static double look(struct dc_refine *refine, double tilt, uint64_t key, const double *q)
{
  struct dc_refine_align_rows *rows = &refine->align.asked;
  int own = ROWS * refine->pair_count, count = row_count(refine);
  double sum = 0;
  struct dc_random tilts;
  dc_random_seed(&tilts, key);  // the same in every step
  const struct dc_refine_answer *answer = dc_refine_ask(refine, q);
  memset(rows->jacobian, 0, (size_t)count * (size_t)refine->problem.dimension * sizeof *rows->jacobian);
  for (int c = 0; c < refine->pair_count; c++) {
    double off[3], spread = refine->contacts[c].spread[0] + refine->contacts[c].spread[1];
    for (int i = 0; i < 3; i++)
      off[i] = tilt * spread * dc_random_normal(&tilts);
    add_pair(refine, c, off);
  }
  for (int c = 0; c < refine->contact_count; c++)
    add_overlap(refine, answer, c);
  for (int r = 0; r < count; r++) {
    double residual = r < own ? rows->residual[r] : fmax(0, rows->residual[r]);
    sum += residual * residual;
  }
  return sum;
}

// Solves for the step from the last square_up; returns its length in the metric, NAN: there is none.
static double solve(struct dc_refine *refine, double damping, const double *gradient, double *step)
{
  struct dc_refine_align *align = &refine->align;
  int n = refine->problem.dimension;
  double length = 0;
  for (int i = 0; i < n; i++)
    align->normal[i * n + i] += damping * refine->metric[i];
  dc_symmetric_clear(align->matrix);
  dc_symmetric_add_block(align->matrix, 0, 0, 1, align->normal, n);
  for (int i = 0; i < n; i++)
    align->normal[i * n + i] -= damping * refine->metric[i];
  if (dc_symmetric_factor_positive(align->matrix))
    return NAN;
  dc_symmetric_solve(align->matrix, gradient, step, NULL);
  for (int i = 0; i < n; i++)
    length = hypot(length, sqrt(refine->metric[i]) * step[i]);
  for (int i = 0; i < n && isfinite(length); i++)
    step[i] *= -(length > DC_ALIGN_LONGEST ? DC_ALIGN_LONGEST / length : 1);
  return isfinite(length) ? length : NAN;
}

// Accepts the rows just computed as those of the best state; violated overlaps count.
static void keep(struct dc_refine *refine)
{
  struct dc_refine_align *align = &refine->align;
  struct dc_refine_align_rows asked = align->asked;
  align->asked = align->found;
  align->found = asked;
  for (int c = 0; c < refine->contact_count; c++)
    align->counts[c] = asked.residual[ROWS * refine->pair_count + c] > 0;
}

// Makes overlaps count that the step would violate; returns whether there are any.
static bool look_ahead(struct dc_refine *refine, const double *step)
{
  struct dc_refine_align *align = &refine->align;
  int n = refine->problem.dimension, own = ROWS * refine->pair_count;
  bool more = false;
  for (int c = 0; c < refine->contact_count; c++) {
    double ahead = align->found.residual[own + c];
    for (int i = 0; i < n; i++)
      ahead += align->found.jacobian[(size_t)(own + c) * (size_t)n + (size_t)i] * step[i];
    more |= !align->counts[c] && ahead > 0;
    align->counts[c] |= ahead > 0;
  }
  return more;
}

// Computes the step from the best state q; returns its length in the metric, NAN: there is none.
static double choose_step(struct dc_refine *refine, const double *q, double damping)
{
  int n = refine->problem.dimension;
  double *step = refine->align.step, *twice = step + n, *gradient = twice + n, length;
  for (int pass = 0;; pass++) {
    square_up(refine, q, gradient, twice);
    length = solve(refine, damping, gradient, step);
    if (isnan(length) || pass == DC_ALIGN_PASSES || !look_ahead(refine, step))
      return length;
  }
}

// Damped Gauss-Newton steps on the distance of random samples, from a few to the nearest; the best point is kept.
void dc_refine_align(struct dc_refine *refine, double tilt, struct dc_random *random, double *q)
{
  struct dc_refine_align *align = &refine->align;
  size_t bytes = (size_t)refine->bodies->nq * sizeof *q;
  double damping = DC_ALIGN_DAMPING, value = INFINITY, before = INFINITY;
  uint64_t key = dc_random_bits(random);
  memcpy(align->trial, q, bytes);
  for (int iteration = 0; iteration < DC_ALIGN_STEPS; iteration++) {
    double there = look(refine, tilt, key, align->trial);
    if (there < value) {
      damping *= iteration ? DC_ALIGN_FINER : 1;
      value = there;
      memcpy(q, align->trial, bytes);
      keep(refine);
    } else {
      damping *= DC_ALIGN_COARSER;
    }
    if (iteration % DC_ALIGN_PATIENCE == 0) {
      if (value > DC_ALIGN_STALLED * before)
        return;
      before = value;
    }
    if (!(value > DC_ALIGN_DONE) || !(choose_step(refine, q, damping) > DC_ALIGN_NEGLIGIBLE))
      return;
    refine->problem.retract(refine, q, align->step, align->trial);
  }
}
