// SPDX-License-Identifier: Apache-2.0
// Friction of two hulls of any number of vertices on the plane between them: the formulas of friction_template.h, with
// the vertices of one pair side by side instead of pairs.  What is of the whole pair, its sums and the motion of the
// plane, is the same in all lanes.
//
// The plane's spin is held by a drag rho^2/e, so that it is known where all vertices are near one point:
//     D = min over z of  sum_v W_v (s_v - e + rho^2 omega^2 / (2 e)).
#include "contact/kernels/lane_kernels.h"
#include "contact/kernels/lanes.h"

// Newton's iterations on the motion of a plane of many vertices.
enum { HULL_SLIP_LIMIT = 80 };

// Vertices of one pair fill the lanes, so that a sum over vertices is one across lanes; all lanes get it.
static inline lanes sum_in_all(lanes a)
{
  return splat(sum_across(a));
}

// Vectors in the plane are stored component by component, [2][DC_BATCH].
static inline void load_two(const double (*from)[DC_BATCH], int lane, lanes to[2])
{
  to[0] = load(&from[0][lane]);
  to[1] = load(&from[1][lane]);
}

static inline void store_two(double (*to)[DC_BATCH], int lane, const lanes from[2])
{
  store(&to[0][lane], from[0]);
  store(&to[1][lane], from[1]);
}

// Velocities of all vertices; returns the largest square of them.
static inline double hull_velocities(const struct dc_slip_hulls *hulls, const lanes b[2][3],
                                     const struct dc_friction_motion *motion)
{
  lanes most = splat(0);
  for (int i = 0; i < hulls->count; i++) {
    struct dc_slip_batch *batch = &hulls->batches[i];
    for (int lane = 0; lane < batch->used; lane += DC_LANE_WIDTH) {
      lanes arm[1][3], v[1][2];
      for (int k = 0; k < 3; k++)
        arm[0][k] = load(&batch->arm[k][lane]);
      vertex_velocities(motion, i >= hulls->count_a, b, (const lanes(*)[3])arm, 1, v);
      store_two(batch->velocity, lane, v[0]);
      most = larger(most, v[0][0] * v[0][0] + v[0][1] * v[0][1]);
    }
  }
  double largest = most[0];
  for (int l = 1; l < DC_LANE_WIDTH; l++)
    largest = most[l] > largest ? most[l] : largest;
  return largest;
}

// Trial slips and sizes at motion z; sum of weight s, and what the plane's spin adds.
static inline double hull_slips_at(const struct dc_slip_hulls *hulls, const lanes z[3], double e2)
{
  lanes sum = splat(0);
  for (int i = 0; i < hulls->count; i++) {
    struct dc_slip_batch *batch = &hulls->batches[i];
    for (int lane = 0; lane < batch->used; lane += DC_LANE_WIDTH) {
      lanes r[2] = {load(&batch->velocity[0][lane]) - z[0] + z[2] * load(&batch->lever[1][lane]),
                    load(&batch->velocity[1][lane]) - z[1] - z[2] * load(&batch->lever[0][lane])};
      lanes s = square_root(r[0] * r[0] + (r[1] * r[1] + e2));
      store_two(batch->trial_slip, lane, r);
      store(&batch->trial_size[lane], s);
      sum += load(&batch->weight[lane]) * s;
    }
  }
  return sum_across(sum) + 0.5 * hulls->drag * z[2][0] * z[2][0];
}

// The trial becomes the present; move: pulls follow.
static inline void take_hull_trial(const struct dc_slip_hulls *hulls, bool move)
{
  for (int i = 0; i < hulls->count; i++) {
    struct dc_slip_batch *batch = &hulls->batches[i];
    for (int lane = 0; lane < batch->used; lane += DC_LANE_WIDTH) {
      lanes r[2], next[2], y[2];
      load_two((const double(*)[DC_BATCH])batch->trial_slip, lane, next);
      if (move) {
        load_two((const double(*)[DC_BATCH])batch->slip, lane, r);
        load_two((const double(*)[DC_BATCH])batch->pull, lane, y);
        lanes dr[2] = {next[0] - r[0], next[1] - r[1]};
        move_pull(r, dr, load(&batch->inverse[lane]), greater(splat(1), splat(0)), y);
        store_two(batch->pull, lane, y);
      }
      lanes s = load(&batch->trial_size[lane]);
      store_two(batch->slip, lane, next);
      store(&batch->size[lane], s);
      store(&batch->inverse[lane], 1.0 / s);
    }
  }
}

// Z and the gradient, without the drag: with all s alike and no pulls (cold), or of the present slips.
static inline void hull_motion_system(const struct dc_slip_hulls *hulls, bool cold, lanes matrix[6], lanes g[3])
{
  for (int i = 0; i < 6; i++)
    matrix[i] = splat(0);
  g[0] = g[1] = g[2] = splat(0);
  for (int i = 0; i < hulls->count; i++) {
    struct dc_slip_batch *batch = &hulls->batches[i];
    for (int lane = 0; lane < batch->used; lane += DC_LANE_WIDTH) {
      lanes lever[2], r[2], y[2] = {splat(0), splat(0)}, w = load(&batch->weight[lane]), inverse = splat(1);
      load_two((const double(*)[DC_BATCH])batch->lever, lane, lever);
      load_two((const double(*)[DC_BATCH])(cold ? batch->velocity : batch->slip), lane, r);
      if (cold) {
        store_two(batch->pull, lane, y);
      } else {
        inverse = load(&batch->inverse[lane]);
        load_two((const double(*)[DC_BATCH])batch->pull, lane, y);
      }
      w *= inverse;
      lanes w0 = w * r[0], w1 = w * r[1], q0 = w0 * inverse, q1 = w1 * inverse;
      lanes k[3] = {w - q0 * y[0], -0.5 * (q0 * y[1] + q1 * y[0]), w - q1 * y[1]};
      add_motion_matrix(k, lever, matrix);
      g[0] += w0;
      g[1] += w1;
      g[2] += w1 * lever[0] - w0 * lever[1];
    }
  }
  for (int i = 0; i < 6; i++)
    matrix[i] = sum_in_all(matrix[i]);
  for (int i = 0; i < 3; i++)
    g[i] = sum_in_all(g[i]);
}

// The same method as of solve_slips, for one plane: leaves slips and sizes at its motion z.  False: it did not
// converge.
static inline bool solve_hull_slips(const struct dc_slip_hulls *hulls, double smoothing, double fastest_square,
                                    lanes z[3], int64_t *iterations)
{
  double e2 = smoothing * smoothing, tolerance = FRICTION_DECREMENT + FRICTION_NOISE / e2 * fastest_square;
  double noise = FRICTION_SLIP_NOISE * sqrt(fastest_square);
  struct motion_factor factor;
  lanes matrix[6], g[3];
  if (!hulls->warm) {
    hull_motion_system(hulls, true, matrix, g);
    matrix[5] += hulls->drag * smoothing;
    factor_motion(matrix, &factor);
    solve_motion(&factor, g, z);
  }
  double value = hull_slips_at(hulls, z, e2);
  take_hull_trial(hulls, false);
  for (int iteration = 0; iteration < HULL_SLIP_LIMIT; iteration++) {
    lanes step[3], trial[3];
    hull_motion_system(hulls, false, matrix, g);
    matrix[5] += hulls->drag;
    g[2] -= hulls->drag * z[2];
    factor_motion(matrix, &factor);
    double decrement = solve_motion(&factor, g, step)[0], trial_value = INFINITY, alpha = 1;
    bool last = fabs(decrement) <= tolerance * value;
    for (int halving = 0; halving <= FRICTION_HALVINGS; halving++, alpha *= 0.5) {
      for (int i = 0; i < 3; i++)
        trial[i] = z[i] + alpha * step[i];
      trial_value = hull_slips_at(hulls, trial, e2);
      if (last || trial_value <= value * (1 + FRICTION_VALUE_NOISE) + noise - 1e-4 * alpha * decrement)
        break;
    }
    take_hull_trial(hulls, true);
    for (int i = 0; i < 3; i++)
      z[i] = trial[i];
    value = trial_value;
    ++*iterations;
    if (last)
      return true;
  }
  return false;
}

// K of the vertices of a group of lanes, W/h the given weights.
static inline void hull_curvature(struct dc_slip_batch *batch, const struct dc_friction_motion *motion, int lane,
                                  lanes weight, const lanes r[2], lanes k[3])
{
  lanes inverse = load(&batch->inverse[lane]), held[2];
  weight *= 1 / motion->time_step;
  if (!motion->hold) {
    curvature_of(weight, inverse, motion->smoothing * motion->smoothing, r, k);
    return;
  }
  int to = motion->to, from = 1 - to;
  hold_pull(motion, batch->slips[to], batch->held[to], (const double(*)[DC_BATCH])batch->slips[from],
            (const double(*)[DC_BATCH])batch->held[from], lane, r, inverse, held);
  held_curvature(weight, inverse, r, held, k);
}

// Adds gradients and Hessians; the vertices of a fixed body still hold the plane back.
static inline void store_hulls(const struct dc_slip_hulls *hulls, const lanes b[2][3],
                               const struct dc_friction_motion *motion, struct dc_friction_sums *sums)
{
  struct sliding_sums t[2];
  double force = hulls->strength / motion->time_step;
  lanes matrix[6];
  for (int i = 0; i < 6; i++)
    matrix[i] = splat(0);
  for (int x = 0; x < 2; x++)
    clear_sliding_sums(&t[x]);
  for (int i = 0; i < hulls->count; i++) {
    struct dc_slip_batch *batch = &hulls->batches[i];
    int x = i >= hulls->count_a;
    for (int lane = 0; lane < batch->used; lane += DC_LANE_WIDTH) {
      lanes arm[3], r[2], lever[2], k[3], weight = force * load(&batch->weight[lane]);
      lanes pull = weight * load(&batch->inverse[lane]);
      for (int c = 0; c < 3; c++)
        arm[c] = load(&batch->arm[c][lane]);
      load_two((const double(*)[DC_BATCH])batch->slip, lane, r);
      lanes gamma[2] = {pull * r[0], pull * r[1]};
      add_force(&t[x], arm, gamma);
      if (motion->order < 2)
        continue;
      load_two((const double(*)[DC_BATCH])batch->lever, lane, lever);
      hull_curvature(batch, motion, lane, weight, r, k);
      add_motion_matrix(k, lever, matrix);
      if (x == 0 || motion->both)
        add_curvature(&t[x], arm, motion->turn[x], b, k, lever);
    }
  }
  for (int x = 0; x < 1 + motion->both; x++) {
    lanes *all = (lanes *)&t[x];
    for (size_t i = 0; i < sizeof t[x] / sizeof *all; i++)
      all[i] = sum_in_all(all[i]);
    store_gradient(&t[x], motion->turn[x], b, sums->gradient + 6 * x, motion->order > 1 ? sums->turn + 6 * x : NULL, 0);
  }
  if (motion->order < 2)
    return;
  if (hulls->primitive) {
    store_curvature(&t[0], b, NULL, NULL, sums->h_aa, 0);
    return;
  }
  for (int i = 0; i < 6; i++)
    matrix[i] = sum_in_all(matrix[i]);
  matrix[5] += hulls->drag * force / motion->time_step;
  store_hessians(t, b, matrix, motion, sums, 0);
}

// sum w (s - e) as sum w |r|^2/(s + e), in which nothing cancels.
static inline lanes hull_dissipated(const struct dc_slip_hulls *hulls, double smoothing)
{
  lanes sum = splat(0);
  for (int i = 0; i < hulls->count; i++) {
    const struct dc_slip_batch *batch = &hulls->batches[i];
    for (int lane = 0; lane < batch->used; lane += DC_LANE_WIDTH) {
      lanes r[2];
      load_two(batch->slip, lane, r);
      sum += load(&batch->weight[lane]) * (r[0] * r[0] + r[1] * r[1]) / (load(&batch->size[lane]) + smoothing);
    }
  }
  return sum_in_all(sum);
}

// One pair of hulls: velocities of its vertices, the motion z of its plane (at rest on a primitive), then energy and,
// by the order asked for, gradients and Hessians.  The motion found is kept as the next initial guess.
static void hull_slips(const struct dc_slip_hulls *hulls, const struct dc_friction_motion *motion,
                       struct dc_friction_sums *sums)
{
  lanes b[2][3], z[3] = {splat(0), splat(0), splat(0)};
  double e = motion->smoothing;
  for (int i = 0; i < 6; i++)
    b[i / 3][i % 3] = splat(hulls->axes[i]);
  if (motion->solved) {
    store_hulls(hulls, (const lanes(*)[3])b, motion, sums);
    return;
  }
  double most = hull_velocities(hulls, (const lanes(*)[3])b, motion);
  if (hulls->primitive) {
    hull_slips_at(hulls, z, e * e);
    take_hull_trial(hulls, false);
  } else {
    for (int k = 0; k < 3 && hulls->warm; k++)
      z[k] = splat(hulls->motion[k]);
    sums->unconverged += !solve_hull_slips(hulls, e, most, z, &sums->iterations);
    for (int k = 0; k < 3; k++)
      hulls->motion[k] = z[k][0];
  }
  lanes spin = 0.5 * hulls->drag * z[2] * z[2];
  accumulate(&sums->energy[0], hulls->strength * (spin + hull_dissipated(hulls, e)));
  if (motion->order > 0)
    store_hulls(hulls, (const lanes(*)[3])b, motion, sums);
}
