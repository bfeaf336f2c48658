// SPDX-License-Identifier: Apache-2.0
// Newton's method with linear bounds on gaps.  The Newton step m ignores contacts that are not felt yet.  If it were
// only shortened where it hits the first of them, every body would have to wait for that one.  Instead it is replaced
// by the nearest step d, measured by the Hessian M, that keeps part of every gap:
//
//     minimize (d - m)^T M (d - m) / 2   subject to   room + A d >= 0.
//
// Bounds are found one round at a time.  Those that the present d violates are added, and the rooms of all become those
// of the path of d, which bends.  The dual problem, a box problem in the multipliers, is solved by projected
// Gauss-Seidel (docs/theory.md, "Bounded moves").
#include "dynamics/barrier_step.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

// Part of a gap that a move leaves, and one that was bent by barriers, which knows where they rise.
static const double KEPT_GAP = 0.3, KEPT_BENT = 0.15;
static const double TIGHT = 1e-3;   // of the room of a bound: multipliers are left alone when they change it less
static const double MISSED = 0.02;  // likewise: of bounds that are solved for again
enum { ROUNDS = 8, SHARES = 4, MOST_BOUNDS = 256, SWEEPS = 200 };

// The bounds room + row . d >= 0 and the dual problem: multipliers l >= 0 that minimize l^T W l / 2 + b^T l with
// W = A M^-1 A^T, b = room + A m.
struct dc_bounded_move {
  const struct dc_bodies *bodies;
  int capacity, count;
  struct dc_gap_bound *bounds;  // [capacity]
  double *rows, *responses;     // [capacity][nv]: A, A M^-1
  double *coupling;             // [capacity][capacity] W
  double *slack, *multiplier;   // [capacity]: b + W l, l
  double *given;                // [nv] m
};

// At most SHARES bounds for each pair of bodies, MOST_BOUNDS in all.
struct dc_bounded_move *dc_bounded_move_create(const struct dc_bodies *bodies, int pair_count, struct dc_arena *arena)
{
  struct dc_bounded_move *bounded = dc_arena_alloc(arena, 1, sizeof *bounded);
  if (!bounded)
    return NULL;
  size_t capacity = (size_t)(pair_count < MOST_BOUNDS / SHARES ? SHARES * pair_count : MOST_BOUNDS);
  size_t nv = (size_t)bodies->nv;
  bounded->bodies = bodies;
  bounded->capacity = (int)capacity;
  bounded->bounds = dc_arena_alloc_unset(arena, capacity, sizeof *bounded->bounds);
  bounded->rows = dc_arena_alloc_unset(arena, capacity * nv, sizeof *bounded->rows);
  bounded->responses = dc_arena_alloc_unset(arena, capacity * nv, sizeof *bounded->responses);
  bounded->coupling = dc_arena_alloc_unset(arena, capacity * capacity, sizeof *bounded->coupling);
  bounded->slack = dc_arena_alloc_unset(arena, capacity, sizeof *bounded->slack);
  bounded->multiplier = dc_arena_alloc_unset(arena, capacity, sizeof *bounded->multiplier);
  bounded->given = dc_arena_alloc_unset(arena, nv, sizeof *bounded->given);
  return bounded->bounds && bounded->rows && bounded->responses && bounded->coupling && bounded->slack &&
                 bounded->multiplier && bounded->given
             ? bounded
             : NULL;
}

// The wrench of a force of 1 along the normal at an arm, times sign, seen by the coordinates.
static void add_to_row(const struct dc_bounded_move *bounded, const struct dc_kinematics *kinematics, int body,
                       const double arm[3], const double normal[3], double sign, double *row)
{
  double wrench[6];
  if (!dc_body_moves(&bounded->bodies->bodies[body]))
    return;
  dc_vec_cross(wrench, arm, normal);
  dc_vec_copy(wrench + 3, normal);
  for (int k = 0; k < 6; k++)
    wrench[k] *= sign;
  dc_pull_back_body(bounded->bodies, kinematics, body, wrench, row);
}

// Row, response and couplings of the bounds from first on.
static void add_rows(struct dc_bounded_move *bounded, const struct dc_move_start *start, int first)
{
  int nv = bounded->bodies->nv;
  size_t width = (size_t)nv, capacity = (size_t)bounded->capacity;
  for (int k = first; k < bounded->count; k++) {
    const struct dc_gap_bound *bound = &bounded->bounds[k];
    double *row = bounded->rows + (size_t)k * width, *response = bounded->responses + (size_t)k * width;
    memset(row, 0, width * sizeof *row);
    add_to_row(bounded, start->kinematics, bound->a, bound->arm_a, bound->normal, 1, row);
    add_to_row(bounded, start->kinematics, bound->b, bound->arm_b, bound->normal, -1, row);
    dc_symmetric_solve(start->metric, row, response, NULL);
    if (start->barrier)
      dc_barrier_step_solve(start->barrier, row, response);
    for (int l = 0; l <= k; l++) {
      double *coupling = bounded->coupling;
      coupling[(size_t)k * capacity + (size_t)l] = coupling[(size_t)l * capacity + (size_t)k] =
          dc_dot(bounded->rows + (size_t)l * width, response, nv);
    }
    bounded->multiplier[k] = 0;
    bounded->slack[k] = bound->room + dc_dot(row, bounded->given, nv);
    for (int l = 0; l < first; l++)
      bounded->slack[k] += bounded->coupling[(size_t)k * capacity + (size_t)l] * bounded->multiplier[l];
  }
}

// Projected Gauss-Seidel on the dual problem.
static void solve(struct dc_bounded_move *bounded)
{
  int count = bounded->count;
  size_t capacity = (size_t)bounded->capacity;
  double change = INFINITY;
  for (int sweep = 0; sweep < SWEEPS && change > TIGHT; sweep++) {
    change = 0;
    for (int k = 0; k < count; k++) {
      const double *coupling = bounded->coupling + (size_t)k * capacity;
      if (!(coupling[k] > 0))  // moves nothing
        continue;
      double next = fmax(0, bounded->multiplier[k] - bounded->slack[k] / coupling[k]);
      double more = next - bounded->multiplier[k];
      if (more == 0)
        continue;
      change = fmax(change, fabs(more) * coupling[k] / bounded->bounds[k].straight);
      bounded->multiplier[k] = next;
      for (int l = 0; l < count; l++)
        bounded->slack[l] += coupling[l] * more;
    }
  }
}

// Rooms of the first `count` bounds for the present move, which path follows; whether it misses any of them.
static bool bend_bounds(struct dc_bounded_move *bounded, const struct dc_path *path, const double *move, int count)
{
  int nv = bounded->bodies->nv;
  bool missed = false;
  for (int k = 0; k < count; k++) {
    struct dc_gap_bound *bound = &bounded->bounds[k];
    double room = bound->room;
    dc_gap_bound_bend(bound, path);
    bounded->slack[k] += bound->room - room;
    missed |= bound->room + dc_dot(bounded->rows + (size_t)k * (size_t)nv, move, nv) < -MISSED * bound->straight;
  }
  return missed;
}

// l^T W l
static double square_of_change(const struct dc_bounded_move *bounded)
{
  double sum = 0;
  for (int k = 0; k < bounded->count; k++)
    sum += bounded->multiplier[k] *
           dc_dot(bounded->coupling + (size_t)k * (size_t)bounded->capacity, bounded->multiplier, bounded->count);
  return sum;
}

bool dc_move_meets_bound(const struct dc_move_start *start, struct dc_path *path, const double *move)
{
  struct dc_gap_bound bound;
  dc_path_begin(path, start->q, move, start->kinematics);
  return dc_contact_gap_bounds(start->contact, path, KEPT_GAP, &bound, 1) > 0;
}

// Bounds are added where the move, changed by those found before, still misses some: each round finds one of every
// pair.  Rounds end when nothing is missed.
double dc_bound_move(struct dc_bounded_move *bounded, const struct dc_move_start *start, struct dc_path *path,
                     double *move)
{
  int nv = bounded->bodies->nv;
  double keep = start->barrier && dc_barrier_step_count(start->barrier) > 0 ? KEPT_BENT : KEPT_GAP;
  bounded->count = 0;
  memcpy(bounded->given, move, (size_t)nv * sizeof *move);
  for (int round = 0; round < ROUNDS; round++) {
    int first = bounded->count;
    dc_path_begin(path, start->q, move, start->kinematics);
    // So that each of the first rounds has a share.
    int room = bounded->capacity * (round < SHARES ? round + 1 : SHARES) / SHARES - first;
    bool missed = bend_bounds(bounded, path, move, first);
    bounded->count += dc_contact_gap_bounds(start->contact, path, keep, bounded->bounds + first, room);
    if (bounded->count == first && !missed)
      break;
    add_rows(bounded, start, first);
    solve(bounded);
    memcpy(move, bounded->given, (size_t)nv * sizeof *move);
    for (int k = 0; k < bounded->count; k++)
      for (int v = 0; v < nv; v++)
        move[v] += bounded->multiplier[k] * bounded->responses[(size_t)k * (size_t)nv + (size_t)v];
  }
  return square_of_change(bounded);
}
