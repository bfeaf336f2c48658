// SPDX-License-Identifier: Apache-2.0
// Targets laid on each other with their surfaces' normals opposed: least squares in the poses alone, without queries
// (docs/theory.md, "Refinement").  The normals' rows are multiplied by a length, so that everything is in metres,
// and count the less the farther the normals around the targets spread: on a smooth surface there is one normal at which a
// point is a witness point, at a corner there is a cone of them.
#include <math.h>
#include <string.h>

#include "math/linear_solver.h"
#include "math/vector.h"
#include "plan/refine_internal.h"

static const double ARM = 0.02;         // of the normals' rows, m: 0.1 rad off weighs as much as targets 2 mm off
static const double SOFT = 0.05;        // sine of the spread of normals at which it is half of that
static const double DAMPING = 1e-4;     // of steps, in the metric
static const double LONGEST = 0.1;      // m: of a step, in the metric
static const double NEGLIGIBLE = 1e-7;  // m: a step that ends it
enum { ROWS = 6, STEPS = 40 };          // rows of a pair; most steps

enum dc_status dc_refine_align_create(struct dc_refine *refine, struct dc_error *error)
{
  struct dc_refine_align *align = &refine->align;
  int n = refine->problem.dimension, rows = ROWS * refine->pair_count;
  size_t columns = (size_t)n, m = (size_t)rows;
  align->residual = dc_arena_alloc(refine->arena, m + 1, sizeof *align->residual);
  align->jacobian = dc_arena_alloc(refine->arena, m * columns + 1, sizeof *align->jacobian);
  align->normal = dc_arena_alloc(refine->arena, columns * columns + 1, sizeof *align->normal);
  align->step = dc_arena_alloc(refine->arena, 3 * columns + 1, sizeof *align->step);
  align->held = dc_arena_alloc(refine->arena, columns + 1, sizeof *align->held);
  align->matrix = n ? dc_symmetric_create(1, &n, 0, NULL, DC_SOLVER_DENSE) : NULL;
  if (!align->residual || !align->jacobian || !align->normal || !align->step || !align->held || (n && !align->matrix))
    return dc_fail(error, DC_MEMORY, "out of memory for a refinement");
  return DC_OK;
}

void dc_refine_align_destroy(struct dc_refine *refine)
{
  dc_symmetric_destroy(refine->align.matrix);
}

// t_2 - t_1 - margin n_1 and turn (n_1 + n_2 - tilt) of pair c, and their rows by both twists.
static void add_pair(struct dc_refine *refine, int c, double turn, const double tilt[3])
{
  const struct dc_refine_contact *pair = &refine->contacts[c];
  int n = refine->problem.dimension;
  double *residual = refine->align.residual + ROWS * c;
  double *jacobian = refine->align.jacobian + (size_t)(ROWS * c) * (size_t)n;
  for (int i = 0; i < 3; i++)
    residual[i] = 0, residual[3 + i] = -turn * tilt[i];
  for (int k = 0; k < 2; k++) {
    const struct dc_placement *place = &refine->placements[pair->body[k]];
    double target[3], normal[3], arm[3], rows[6 * ROWS] = {0}, sign = k == 0 ? -1 : 1;
    double margin = k == 0 ? -refine->settings.margin : 0;
    dc_mat_apply(target, place->rotation, pair->target[k]);
    dc_vec_add(target, target, place->position);
    dc_mat_apply(normal, place->rotation, pair->normal[k]);
    for (int i = 0; i < 3; i++) {
      residual[i] += sign * target[i] + margin * normal[i];
      residual[3 + i] += turn * normal[i];
    }
    dc_vec_sub(arm, target, refine->kinematics.poses[pair->body[k]].position);
    dc_refine_add_turn(rows, sign, arm);
    dc_refine_add_turn(rows, margin, normal);
    rows[3] = rows[10] = rows[17] = sign;
    dc_refine_add_turn(rows + 18, turn, normal);
    if (dc_body_moves(&refine->bodies->bodies[pair->body[k]]))
      dc_refine_add_columns(refine, pair->body[k], 1, ROWS, rows, jacobian);
  }
}

// gradient = J^T r without what is held against its bound; J^T J + DAMPING D, with ones where it is held.
static void square_up(struct dc_refine *refine, const double *q, double *gradient, double *twice)
{
  struct dc_refine_align *align = &refine->align;
  int n = refine->problem.dimension, rows = ROWS * refine->pair_count;
  memset(gradient, 0, (size_t)n * sizeof *gradient);
  memset(align->normal, 0, (size_t)n * (size_t)n * sizeof *align->normal);
  for (int r = 0; r < rows; r++) {
    const double *row = align->jacobian + (size_t)r * (size_t)n;
    for (int i = 0; i < n; i++) {
      gradient[i] += row[i] * align->residual[r];
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
    align->normal[i * n + i] += DAMPING * refine->metric[i];
  }
}

void dc_refine_align(struct dc_refine *refine, double tilt, struct dc_random *random, double *q)
{
  struct dc_refine_align *align = &refine->align;
  const struct dc_problem *problem = &refine->problem;
  int n = problem->dimension;
  double *step = align->step, *twice = step + n, *gradient = twice + n, length = INFINITY;
  uint64_t key = dc_random_bits(random);
  for (int iteration = 0; iteration < STEPS && length > NEGLIGIBLE; iteration++) {
    struct dc_random tilts;
    dc_random_seed(&tilts, key);  // the same in every step
    dc_refine_place(refine, q);
    memset(align->jacobian, 0, (size_t)(ROWS * refine->pair_count) * (size_t)n * sizeof *align->jacobian);
    for (int c = 0; c < refine->pair_count; c++) {
      double off[3], spread = refine->contacts[c].spread[0] + refine->contacts[c].spread[1];
      for (int i = 0; i < 3; i++)
        off[i] = tilt * spread * dc_random_normal(&tilts);
      add_pair(refine, c, ARM * SOFT / (SOFT + spread), off);
    }
    square_up(refine, q, gradient, twice);
    dc_symmetric_clear(align->matrix);
    dc_symmetric_add_block(align->matrix, 0, 0, 1, align->normal, n);
    if (dc_symmetric_factor_positive(align->matrix))
      return;
    dc_symmetric_solve(align->matrix, gradient, step, NULL);
    length = 0;
    for (int i = 0; i < n; i++)
      length = hypot(length, sqrt(refine->metric[i]) * step[i]);
    if (!isfinite(length))
      return;
    for (int i = 0; i < n; i++)
      step[i] *= -(length > LONGEST ? LONGEST / length : 1);
    problem->retract(refine, q, step, q);
  }
}
