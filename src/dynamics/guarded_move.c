// SPDX-License-Identifier: Apache-2.0
#include "dynamics/guarded_move.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

static const double KEPT_GAP = 0.3;  // part of a gap that a move leaves
static const double TIGHT = 1e-3;    // of the room of a bound: multipliers are left alone when they change it less
enum { ROUNDS = 4, MOST_GUARDS = 256, SWEEPS = 200 };

// The bounds room + row . d >= 0 and the dual problem: multipliers l >= 0 that minimize l^T W l / 2 + b^T l with
// W = A M^-1 A^T, b = room + A m.
struct dc_guarded_move {
  const struct dc_bodies *bodies;
  int capacity, count;
  struct dc_guard *guards;     // [capacity]
  double *rows, *responses;    // [capacity][nv]: A, A M^-1
  double *coupling;            // [capacity][capacity] W
  double *slack, *multiplier;  // [capacity]: b + W l, l
  double *given;               // [nv] m
};

struct dc_guarded_move *dc_guarded_move_create(const struct dc_bodies *bodies, int pair_count, struct dc_arena *arena)
{
  struct dc_guarded_move *guarded = dc_arena_alloc(arena, 1, sizeof *guarded);
  if (!guarded)
    return NULL;
  size_t capacity = (size_t)(pair_count < MOST_GUARDS / ROUNDS ? ROUNDS * pair_count : MOST_GUARDS);
  size_t nv = (size_t)bodies->nv;
  guarded->bodies = bodies;
  guarded->capacity = (int)capacity;
  guarded->guards = dc_arena_alloc(arena, capacity, sizeof *guarded->guards);
  guarded->rows = dc_arena_alloc(arena, capacity * nv, sizeof *guarded->rows);
  guarded->responses = dc_arena_alloc(arena, capacity * nv, sizeof *guarded->responses);
  guarded->coupling = dc_arena_alloc(arena, capacity * capacity, sizeof *guarded->coupling);
  guarded->slack = dc_arena_alloc(arena, capacity, sizeof *guarded->slack);
  guarded->multiplier = dc_arena_alloc(arena, capacity, sizeof *guarded->multiplier);
  guarded->given = dc_arena_alloc(arena, nv, sizeof *guarded->given);
  return guarded->guards && guarded->rows && guarded->responses && guarded->coupling && guarded->slack &&
                 guarded->multiplier && guarded->given
             ? guarded
             : NULL;
}

// The wrench of a force of 1 along the normal at an arm, times sign, seen by the coordinates.
static void add_to_row(const struct dc_guarded_move *guarded, const struct dc_kinematics *kinematics, int body,
                       const double arm[3], const double normal[3], double sign, double *row)
{
  double wrench[6];
  if (!dc_body_moves(&guarded->bodies->bodies[body]))
    return;
  dc_vec_cross(wrench, arm, normal);
  dc_vec_copy(wrench + 3, normal);
  for (int k = 0; k < 6; k++)
    wrench[k] *= sign;
  dc_pull_back_body(guarded->bodies, kinematics, body, wrench, row);
}

// Row, response and couplings of the bounds from first on.
static void add_rows(struct dc_guarded_move *guarded, const struct dc_move_start *start, int first)
{
  int nv = guarded->bodies->nv;
  size_t width = (size_t)nv, capacity = (size_t)guarded->capacity;
  for (int k = first; k < guarded->count; k++) {
    const struct dc_guard *guard = &guarded->guards[k];
    double *row = guarded->rows + (size_t)k * width, *response = guarded->responses + (size_t)k * width;
    memset(row, 0, width * sizeof *row);
    add_to_row(guarded, start->kinematics, guard->a, guard->arm_a, guard->normal, 1, row);
    add_to_row(guarded, start->kinematics, guard->b, guard->arm_b, guard->normal, -1, row);
    dc_symmetric_solve(start->metric, row, response, NULL);
    for (int l = 0; l <= k; l++) {
      double *coupling = guarded->coupling;
      coupling[(size_t)k * capacity + (size_t)l] = coupling[(size_t)l * capacity + (size_t)k] =
          dc_dot(guarded->rows + (size_t)l * width, response, nv);
    }
    guarded->multiplier[k] = 0;
    guarded->slack[k] = guard->room + dc_dot(row, guarded->given, nv);
    for (int l = 0; l < first; l++)
      guarded->slack[k] += guarded->coupling[(size_t)k * capacity + (size_t)l] * guarded->multiplier[l];
  }
}

// Projected Gauss-Seidel on the dual problem.
static void solve(struct dc_guarded_move *guarded)
{
  int count = guarded->count;
  size_t capacity = (size_t)guarded->capacity;
  double change = INFINITY;
  for (int sweep = 0; sweep < SWEEPS && change > TIGHT; sweep++) {
    change = 0;
    for (int k = 0; k < count; k++) {
      const double *coupling = guarded->coupling + (size_t)k * capacity;
      if (!(coupling[k] > 0))  // moves nothing
        continue;
      double next = fmax(0, guarded->multiplier[k] - guarded->slack[k] / coupling[k]);
      double more = next - guarded->multiplier[k];
      if (more == 0)
        continue;
      change = fmax(change, fabs(more) * coupling[k] / guarded->guards[k].room);
      guarded->multiplier[k] = next;
      for (int l = 0; l < count; l++)
        guarded->slack[l] += coupling[l] * more;
    }
  }
}

// l^T W l
static double square_of_change(const struct dc_guarded_move *guarded)
{
  double sum = 0;
  for (int k = 0; k < guarded->count; k++)
    sum += guarded->multiplier[k] *
           dc_dot(guarded->coupling + (size_t)k * (size_t)guarded->capacity, guarded->multiplier, guarded->count);
  return sum;
}

// Bounds are added where the move, changed by those found before, still misses some: each round finds one of every pair.
double dc_guard_move(struct dc_guarded_move *guarded, const struct dc_move_start *start, struct dc_path *path,
                     double *move)
{
  int nv = guarded->bodies->nv;
  guarded->count = 0;
  memcpy(guarded->given, move, (size_t)nv * sizeof *move);
  for (int round = 0; round < ROUNDS; round++) {
    int first = guarded->count;
    dc_path_begin(path, start->q, move, start->kinematics);
    int room = guarded->capacity * (round + 1) / ROUNDS - first;  // so that every round has a share
    guarded->count += dc_contact_guards(start->contact, path, KEPT_GAP, guarded->guards + first, room);
    if (guarded->count == first)
      break;
    add_rows(guarded, start, first);
    solve(guarded);
    memcpy(move, guarded->given, (size_t)nv * sizeof *move);
    for (int k = 0; k < guarded->count; k++)
      for (int v = 0; v < nv; v++)
        move[v] += guarded->multiplier[k] * guarded->responses[(size_t)k * (size_t)nv + (size_t)v];
  }
  return square_of_change(guarded);
}
