// SPDX-License-Identifier: Apache-2.0
// Friction of triangle pairs on their planes and of vertices on half spaces, DC_LANE_WIDTH side by side (paper 003,
// IV.C; docs/theory.md, "Friction").
//
// With W_v = lambda h f_v, B = (b_1, b_2), velocities v_v = B^T (x_v+ - x_v)/h, levers (x, y) = B^T (x_v - o),
// E_v = [I | (-y, x)^T], z = (u, omega):
//     D   = min over z of  sum_v W_v (s_v - e),   r_v = v_v - E_v z,   s_v = sqrt(|r_v|^2 + e^2)
//     g_v = dD/dx_v+ = B W_v r_v / (h s_v)
//     K_v = W_v / (h^2 s_v^3) (e^2 I + r' r'^T),  r' = r turned by a right angle:  W_v/h^2 (I/s - r r^T/s^3) without
//           its cancellation
// For twists of frame X the rows of J_v = B^T [-[rho]x | I] are (rho x b_k; b_k), rho = D_X (x_v - c_X):
//     H_XY = [X = Y] sum_X J^T K J - C_X Z^-1 C_Y^T,   C_X = sum_X J^T K E,   Z = sum E^T K E,
// and, exactly, + [X = Y] sum_X (g rho^T + rho g^T)/2 - (g.rho) I for the rotations.
#include "contact/kernels/lane_kernels.h"
#include "contact/kernels/lanes.h"

// On g Z^-1 g relative to sum W s: the square of the change of r_v relative to s_v.  The second is the square of what
// rounding leaves of a velocity.
static const double FRICTION_DECREMENT = 1e-20, FRICTION_NOISE = 1e-31;
// Rounding of sum W s: of its terms, and of velocities, which may be far above the slips.
static const double FRICTION_VALUE_NOISE = 1e-14, FRICTION_SLIP_NOISE = 1e-15;
static const double LEAST_PIVOT = 1e-15;      // of the elimination of Z, relative to the diagonal
static const double LEAST_DIAGONAL = 1e-290;  // keeps pairs without weight finite
enum { FRICTION_LIMIT = 60, FRICTION_HALVINGS = 40 };

// Once an interval, from the planes of contact at t: the plane's frame, levers and heights of the six vertices, and
// their normal forces.  Those are f_v = P'(S)/h_v^2, kept as shares of their sum, and strength is that sum with its
// factors.
static void friction_setup(struct dc_friction_batch *batch, const struct dc_friction_place *place)
{
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH) {
    lanes x[6][3], stored[4], plane[4], local[6][3], u[6], r[6];
    struct local_frame frame;
    for (int i = 0; i < 18; i++)
      x[i / 3][i % 3] = load(&batch->arms[i][lane]) - (i < 9 ? 0 : place->arm[i % 3]);
    for (int k = 0; k < 4; k++)
      stored[k] = load(&batch->plane[k][lane]);
    const double *b = place->rotation_b;
    for (int k = 0; k < 3; k++)
      plane[k] = b[3 * k] * stored[0] + (b[3 * k + 1] * stored[1] + b[3 * k + 2] * stored[2]);
    plane[3] = stored[3] + (plane[0] * place->arm[0] + plane[1] * place->arm[1] + plane[2] * place->arm[2]);
    make_frame((const lanes(*)[3])x, plane, greater(splat(1), splat(0)), &frame, local);
    for (int v = 0; v < 6; v++)
      u[v] = v < 3 ? local[v][2] : -local[v][2];
    reciprocals(u, r);
    lanes s = sum_of_six(r), total = splat(0);
    for (int v = 0; v < 6; v++) {
      store(&batch->distances[v][lane], u[v]);
      store(&batch->levers[2 * v][lane], local[v][0]);
      store(&batch->levers[2 * v + 1][lane], local[v][1]);
      r[v] *= r[v];
      total += r[v];
    }
    lanes inverse = 1.0 / total, slope = place->length * (1.0 + DC_SQRT12 / square_root(place->length * s));
    for (int v = 0; v < 6; v++)
      store(&batch->weights[v][lane], r[v] * inverse);
    store(&batch->strength[lane], load(&batch->strength[lane]) * slope * total);
    for (int k = 0; k < 9; k++)
      store(&batch->axes[k][lane], frame.axes[k / 3][k % 3]);
  }
  batch->warm = false;
}

// Velocities, levers and weights of the six vertices of a pair.
struct sliding {
  lanes velocity[6][2], lever[6][2], weight[6];
};

// r_v, s_v and sum of weight s at motion z of the plane.
static inline lanes slips(const struct sliding *p, const lanes z[3], lanes e2, lanes r[6][2], lanes s[6])
{
  lanes sum = splat(0);
  for (int v = 0; v < 6; v++) {
    r[v][0] = p->velocity[v][0] - z[0] + z[2] * p->lever[v][1];
    r[v][1] = p->velocity[v][1] - z[1] - z[2] * p->lever[v][0];
    s[v] = square_root(r[v][0] * r[v][0] + (r[v][1] * r[v][1] + e2));
    sum += p->weight[v] * s[v];
  }
  return sum;
}

// Z += E^T K E, lower triangle (11, 21, 22, 31, 32, 33)
static inline void add_motion_matrix(const lanes k[3], const lanes lever[2], lanes z[6])
{
  lanes q0 = k[1] * lever[0] - k[0] * lever[1], q1 = k[2] * lever[0] - k[1] * lever[1];
  z[0] += k[0];
  z[1] += k[1];
  z[2] += k[2];
  z[3] += q0;
  z[4] += q1;
  z[5] += q1 * lever[0] - q0 * lever[1];
}

// L D L^T of Z.  When all the weight is near one point the spin is as good as free: its pivot is kept positive.
struct motion_factor {
  lanes inverse[3], l10, l20, l21;
};

// pivot: the least, relative to the diagonal.
static inline void factor_three(const lanes z[6], double pivot, struct motion_factor *f)
{
  f->inverse[0] = 1.0 / larger(z[0], splat(LEAST_DIAGONAL));
  f->l10 = z[1] * f->inverse[0];
  f->l20 = z[3] * f->inverse[0];
  lanes pivot1 = larger(z[2] - z[1] * f->l10, larger(pivot * z[2], splat(LEAST_DIAGONAL)));
  lanes b = z[4] - z[3] * f->l10;
  f->inverse[1] = 1.0 / pivot1;
  f->l21 = b * f->inverse[1];
  lanes pivot2 = z[5] - z[3] * f->l20 - b * f->l21;
  f->inverse[2] = 1.0 / larger(pivot2, larger(pivot * z[5], splat(LEAST_DIAGONAL)));
}

static inline void factor_motion(const lanes z[6], struct motion_factor *f)
{
  factor_three(z, LEAST_PIVOT, f);
}

static inline lanes solve_motion(const struct motion_factor *f, const lanes g[3], lanes x[3])
{
  lanes y1 = g[1] - f->l10 * g[0], y2 = g[2] - f->l20 * g[0] - f->l21 * y1;
  lanes z0 = g[0] * f->inverse[0], z1 = y1 * f->inverse[1], z2 = y2 * f->inverse[2];
  x[2] = z2;
  x[1] = z1 - f->l21 * z2;
  x[0] = z0 - f->l10 * x[1] - f->l20 * z2;
  return g[0] * z0 + (y1 * z1 + y2 * z2);
}

// y_v after a step that changes r_v by dr: s y = r to first order, no longer than 1.
static inline void move_pull(const lanes r[2], const lanes dr[2], lanes inverse, lane_mask live, lanes y[2])
{
  lanes along = inverse * (r[0] * dr[0] + r[1] * dr[1]);
  lanes y0 = inverse * (r[0] + dr[0] - y[0] * along), y1 = inverse * (r[1] + dr[1] - y[1] * along);
  lanes square = y0 * y0 + y1 * y1;
  if (any(greater(square, splat(1)))) {
    lanes scale = 1.0 / square_root(larger(square, splat(1)));
    y0 *= scale;
    y1 *= scale;
  }
  y[0] = choose(live, y0, y[0]);
  y[1] = choose(live, y1, y[1]);
}

// The largest |v_v|^2 of every lane.
static inline lanes fastest(const struct sliding *p)
{
  lanes most = splat(0);
  for (int v = 0; v < 6; v++)
    most = larger(most, p->velocity[v][0] * p->velocity[v][0] + p->velocity[v][1] * p->velocity[v][1]);
  return most;
}

// The motion z that dissipates least.  Newton's method on s_v y_v = r_v, sum W E^T y = 0 with y_v, |y_v| <= 1, as
// unknowns of their own: its matrix sum W/s E^T (I - (r y^T + y r^T)/(2 s)) E is positive definite and, unlike that of
// Newton on D, good far from the minimum too; at y = 0 it is a step of least squares with weights W/s.  Steps are
// halved until they decrease D, as far as rounding shows it.  Leaves r and s at z; returns the lanes that did not
// converge.
static inline lane_mask solve_slips(const struct sliding *p, double smoothing, lanes z[3], lanes y[6][2], lanes r[6][2],
                                    lanes s[6], int64_t *iterations)
{
  lanes e2 = splat(smoothing * smoothing), value = slips(p, z, e2, r, s), most = fastest(p);
  lanes tolerance = FRICTION_DECREMENT + (FRICTION_NOISE / (smoothing * smoothing)) * most;
  lanes noise = FRICTION_SLIP_NOISE * square_root(most);
  lane_mask live = greater(splat(1), splat(0));
  for (int iteration = 0; iteration < FRICTION_LIMIT && any(live); iteration++) {
    lanes matrix[6], g[3] = {splat(0), splat(0), splat(0)}, step[3], inverse[6];
    struct motion_factor factor;
    for (int i = 0; i < 6; i++)
      matrix[i] = splat(0);
    reciprocals(s, inverse);
    for (int v = 0; v < 6; v++) {
      lanes w = p->weight[v] * inverse[v], w0 = w * r[v][0], w1 = w * r[v][1];
      lanes q0 = w0 * inverse[v], q1 = w1 * inverse[v];
      lanes k[3] = {w - q0 * y[v][0], -0.5 * (q0 * y[v][1] + q1 * y[v][0]), w - q1 * y[v][1]};
      add_motion_matrix(k, p->lever[v], matrix);
      g[0] += w0;
      g[1] += w1;
      g[2] += w1 * p->lever[v][0] - w0 * p->lever[v][1];
    }
    factor_motion(matrix, &factor);
    lanes decrement = solve_motion(&factor, g, step);
    lane_mask last = at_most(absolute(decrement), tolerance * value);
    lanes alpha = choose(live, splat(1), splat(0)), trial[3], trial_r[6][2], trial_value;  // done lanes stand still
    for (int halving = 0;; halving++) {
      for (int i = 0; i < 3; i++)
        trial[i] = z[i] + alpha * step[i];
      trial_value = slips(p, trial, e2, trial_r, s);
      lanes allowed = value * (1 + FRICTION_VALUE_NOISE) + noise - 1e-4 * alpha * decrement;
      lane_mask bad = live & ~(last | at_most(trial_value, allowed));
      if (!any(bad) || halving == FRICTION_HALVINGS)
        break;
      alpha = choose(bad, 0.5 * alpha, alpha);
    }
    for (int v = 0; v < 6; v++) {
      lanes dr[2] = {trial_r[v][0] - r[v][0], trial_r[v][1] - r[v][1]};
      move_pull(r[v], dr, inverse[v], live, y[v]);
      r[v][0] = trial_r[v][0];
      r[v][1] = trial_r[v][1];
    }
    for (int i = 0; i < 3; i++)
      z[i] = trial[i];
    value = trial_value;
    live &= ~last;
    ++*iterations;
  }
  return live;
}

// Start without an earlier one: least squares, which is the first step from y = 0 with all s alike.
static inline void cold_start(const struct sliding *p, lanes z[3], lanes y[6][2])
{
  lanes matrix[6], g[3] = {splat(0), splat(0), splat(0)};
  struct motion_factor factor;
  for (int i = 0; i < 6; i++)
    matrix[i] = splat(0);
  for (int v = 0; v < 6; v++) {
    lanes w = p->weight[v], w0 = w * p->velocity[v][0], w1 = w * p->velocity[v][1], k[3] = {w, splat(0), w};
    add_motion_matrix(k, p->lever[v], matrix);
    g[0] += w0;
    g[1] += w1;
    g[2] += w1 * p->lever[v][0] - w0 * p->lever[v][1];
    y[v][0] = y[v][1] = splat(0);
  }
  factor_motion(matrix, &factor);
  solve_motion(&factor, g, z);
}

// Sums over the vertices of one body, without h in the force of a vertex but with it in K.
struct sliding_sums {
  lanes force[2], first[2][3];  // sum of gamma, of gamma_k times the arm of time t, with g = B gamma
  lanes ww[6], tt[3];           // sum K_kl a_k a_l^T, sum K, with a_k = rho x b_k
  lanes wt[2][3];               // sum (K a)_k
  lanes wz[3], tz[2];           // columns of omega in C: sum (K E)_k a_k, sum (K E)_k
};

static inline void clear_sliding_sums(struct sliding_sums *t)
{
  lanes *all = (lanes *)t;
  for (size_t i = 0; i < sizeof *t / sizeof *all; i++)
    all[i] = splat(0);
}

static inline void add_force(struct sliding_sums *t, const lanes arm[3], const lanes gamma[2])
{
  for (int k = 0; k < 2; k++) {
    t->force[k] += gamma[k];
    for (int i = 0; i < 3; i++)
      t->first[k][i] += gamma[k] * arm[i];
  }
}

static inline void turn_lanes(const double *turn, const lanes x[3], lanes r[3])
{
  for (int i = 0; i < 3; i++)
    r[i] = turn[3 * i] * x[0] + (turn[3 * i + 1] * x[1] + turn[3 * i + 2] * x[2]);
}

// K [3] lower triangle; lever may be NULL where no plane moves.
static inline void add_curvature(struct sliding_sums *t, const lanes arm[3], const double *turn, const lanes b[2][3],
                                 const lanes k[3], const lanes *lever)
{
  lanes rho[3], a[2][3], ka[2][3];
  turn_lanes(turn, arm, rho);
  lane_cross(a[0], rho, b[0]);
  lane_cross(a[1], rho, b[1]);
  for (int i = 0; i < 3; i++) {
    ka[0][i] = k[0] * a[0][i] + k[1] * a[1][i];
    ka[1][i] = k[1] * a[0][i] + k[2] * a[1][i];
    t->wt[0][i] += ka[0][i];
    t->wt[1][i] += ka[1][i];
    t->tt[i] += k[i];
  }
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      t->ww[e] += a[0][i] * ka[0][j] + a[1][i] * ka[1][j];
  if (!lever)
    return;
  for (int i = 0; i < 3; i++)
    t->wz[i] += lever[0] * ka[1][i] - lever[1] * ka[0][i];
  t->tz[0] += k[1] * lever[0] - k[0] * lever[1];
  t->tz[1] += k[2] * lever[0] - k[1] * lever[1];
}

static inline void accumulate(double *sum, lanes a)
{
  store(sum, load(sum) + a);
}

// Adds the gradient and, unless curvature is NULL, the curvature of the rotations.
static inline void store_gradient(const struct sliding_sums *t, const double *turn, const lanes b[2][3],
                                  double (*gradient)[DC_BATCH], double (*curvature)[DC_BATCH], int lane)
{
  lanes torque[3] = {splat(0), splat(0), splat(0)}, bent[6];
  for (int e = 0; e < 6; e++)
    bent[e] = splat(0);
  for (int k = 0; k < 2; k++) {
    lanes moment[3], cross[3];
    turn_lanes(turn, t->first[k], moment);
    lane_cross(cross, moment, b[k]);
    for (int i = 0; i < 3; i++)
      torque[i] += cross[i];
    if (!curvature)
      continue;
    lanes along = lane_dot(b[k], moment);
    for (int i = 0, e = 0; i < 3; i++)
      for (int j = 0; j <= i; j++, e++)
        bent[e] += 0.5 * (b[k][i] * moment[j] + b[k][j] * moment[i]) - (i == j ? along : splat(0));
  }
  for (int i = 0; i < 3; i++) {
    accumulate(&gradient[i][lane], torque[i]);
    accumulate(&gradient[3 + i][lane], t->force[0] * b[0][i] + t->force[1] * b[1][i]);
  }
  for (int e = 0; e < 6 && curvature; e++)
    accumulate(&curvature[e][lane], bent[e]);
}

// J^T K J of one body, lower triangle
static inline void store_curvature(const struct sliding_sums *t, const lanes b[2][3], const lanes (*schur)[3],
                                   const lanes (*scaled)[3], double (*hessian)[DC_BATCH], int lane)
{
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++) {
      lanes h;
      if (i < 3)
        h = t->ww[e];
      else if (j < 3)
        h = b[0][i - 3] * t->wt[0][j] + b[1][i - 3] * t->wt[1][j];
      else
        h = t->tt[0] * b[0][i - 3] * b[0][j - 3] + t->tt[2] * b[1][i - 3] * b[1][j - 3] +
            t->tt[1] * (b[0][i - 3] * b[1][j - 3] + b[1][i - 3] * b[0][j - 3]);
      if (schur)
        h -= schur[i][0] * scaled[j][0] + (schur[i][1] * scaled[j][1] + schur[i][2] * scaled[j][2]);
      accumulate(&hessian[e][lane], h);
    }
}

// Rows of C of one body forward through the factors of Z: y = C L^-T, scaled = y D^-1.
static inline void eliminate_motion(const struct sliding_sums *t, const lanes b[2][3], const struct motion_factor *f,
                                    lanes y[6][3], lanes scaled[6][3])
{
  for (int i = 0; i < 6; i++) {
    lanes c[3];
    if (i < 3) {
      c[0] = t->wt[0][i];
      c[1] = t->wt[1][i];
      c[2] = t->wz[i];
    } else {
      c[0] = t->tt[0] * b[0][i - 3] + t->tt[1] * b[1][i - 3];
      c[1] = t->tt[1] * b[0][i - 3] + t->tt[2] * b[1][i - 3];
      c[2] = t->tz[0] * b[0][i - 3] + t->tz[1] * b[1][i - 3];
    }
    y[i][0] = c[0];
    y[i][1] = c[1] - f->l10 * c[0];
    y[i][2] = c[2] - f->l20 * c[0] - f->l21 * y[i][1];
    for (int k = 0; k < 3; k++)
      scaled[i][k] = y[i][k] * f->inverse[k];
  }
}

static inline void curvature_of(lanes weight, lanes inverse, double e2, const lanes r[2], lanes k[3])
{
  lanes scale = weight * inverse * inverse * inverse;
  k[0] = scale * (e2 + r[1] * r[1]);
  k[1] = -scale * r[0] * r[1];
  k[2] = scale * (e2 + r[0] * r[0]);
}

// The same with a y of its own: W/s (I - (q y^T + y q^T)/2), q = r/s, positive semidefinite as long as |y| <= 1.
static inline void held_curvature(lanes weight, lanes inverse, const lanes r[2], const lanes y[2], lanes k[3])
{
  lanes scale = weight * inverse, q0 = r[0] * inverse, q1 = r[1] * inverse;
  k[0] = scale * (1.0 - q0 * y[0]);
  k[1] = -0.5 * scale * (q0 * y[1] + q1 * y[0]);
  k[2] = scale * (1.0 - q1 * y[1]);
}

// y of a vertex at a new iterate and slip r, kept with it for the next: from those of the iterate before, unless fresh.
static inline void hold_pull(const struct dc_friction_motion *motion, double (*slips)[DC_BATCH],
                             double (*held)[DC_BATCH], const double (*old_slips)[DC_BATCH],
                             const double (*old_held)[DC_BATCH], int lane, const lanes r[2], lanes inverse, lanes y[2])
{
  if (motion->fresh) {
    y[0] = motion->start * (r[0] * inverse);
    y[1] = motion->start * (r[1] * inverse);
  } else {
    lanes old[2] = {load(&old_slips[0][lane]), load(&old_slips[1][lane])}, dr[2] = {r[0] - old[0], r[1] - old[1]};
    double e2 = motion->smoothing * motion->smoothing;
    y[0] = load(&old_held[0][lane]);
    y[1] = load(&old_held[1][lane]);
    move_pull(old, dr, 1.0 / square_root(old[0] * old[0] + (old[1] * old[1] + e2)), greater(splat(1), splat(0)), y);
  }
  for (int k = 0; k < 2; k++) {
    store(&slips[k][lane], r[k]);
    store(&held[k][lane], y[k]);
  }
}

// Hessians of both bodies from the sums over their vertices and Z: what the plane's motion takes from them is left out.
static inline void store_hessians(const struct sliding_sums t[2], const lanes b[2][3], const lanes matrix[6],
                                  const struct dc_friction_motion *motion, struct dc_friction_sums *sums, int lane)
{
  struct motion_factor factor;
  lanes y[2][6][3], scaled[2][6][3];
  factor_motion(matrix, &factor);
  for (int x = 0; x < 1 + motion->both; x++) {
    eliminate_motion(&t[x], b, &factor, y[x], scaled[x]);
    store_curvature(&t[x], b, (const lanes(*)[3])y[x], (const lanes(*)[3])scaled[x], x ? sums->h_bb : sums->h_aa, lane);
  }
  for (int i = 0; i < 6 && motion->both; i++)
    for (int j = 0; j < 6; j++)
      accumulate(&sums->h_ab[6 * i + j][lane],
                 -(y[0][i][0] * scaled[1][j][0] + (y[0][i][1] * scaled[1][j][1] + y[0][i][2] * scaled[1][j][2])));
}

// Gradients and Hessians of a group from its slips: sums over the three vertices of either body, and Z of all six,
// which the plane's motion is eliminated with.  With hold, curvature is that between the last iterate and this one.
static inline void store_pair(struct dc_friction_batch *batch, const struct sliding *p, const lanes arm[6][3],
                              const lanes b[2][3], const lanes r[6][2], const lanes s[6], lanes strength,
                              const struct dc_friction_motion *motion, struct dc_friction_sums *sums, int lane)
{
  struct sliding_sums t[2];
  lanes inverse[6], matrix[6];
  double e2 = motion->smoothing * motion->smoothing;
  int bodies = motion->order > 1 ? 2 : 1 + motion->both;  // a fixed body's vertices still hold the plane back
  lanes force = strength * (1 / motion->time_step);
  reciprocals(s, inverse);
  for (int i = 0; i < 6; i++)
    matrix[i] = splat(0);
  for (int x = 0; x < bodies; x++) {
    clear_sliding_sums(&t[x]);
    for (int v = 3 * x; v < 3 * x + 3; v++) {
      lanes weight = force * p->weight[v], pull = weight * inverse[v], k[3];
      lanes gamma[2] = {pull * r[v][0], pull * r[v][1]};
      add_force(&t[x], arm[v], gamma);
      if (motion->order < 2)
        continue;
      if (motion->hold) {
        lanes held[2];
        int to = motion->to, from = 1 - to;
        hold_pull(motion, batch->slips[to] + 2 * v, batch->held[to] + 2 * v,
                  (const double(*)[DC_BATCH])batch->slips[from] + 2 * v,
                  (const double(*)[DC_BATCH])batch->held[from] + 2 * v, lane, r[v], inverse[v], held);
        held_curvature(weight * (1 / motion->time_step), inverse[v], r[v], held, k);
      } else {
        curvature_of(weight * (1 / motion->time_step), inverse[v], e2, r[v], k);
      }
      add_motion_matrix(k, p->lever[v], matrix);
      if (x == 0 || motion->both)
        add_curvature(&t[x], arm[v], motion->turn[x], b, k, p->lever[v]);
    }
    if (x == 0 || motion->both)
      store_gradient(&t[x], motion->turn[x], b, sums->gradient + 6 * x, motion->order > 1 ? sums->turn + 6 * x : NULL,
                     lane);
  }
  if (motion->order > 1)
    store_hessians(t, b, matrix, motion, sums, lane);
}

// B^T (x+ - x)/h = B^T velocity + (B^T drift) arm
static inline void vertex_velocities(const struct dc_friction_motion *motion, int body, const lanes b[2][3],
                                     const lanes (*arm)[3], int count, lanes (*velocity)[2])
{
  const double *drift = motion->drift[body], *shift = motion->velocity[body];
  for (int k = 0; k < 2; k++) {
    lanes row[3], base = b[k][0] * shift[0] + (b[k][1] * shift[1] + b[k][2] * shift[2]);
    for (int i = 0; i < 3; i++)
      row[i] = b[k][0] * drift[i] + (b[k][1] * drift[3 + i] + b[k][2] * drift[6 + i]);
    for (int v = 0; v < count; v++)
      velocity[v][k] = base + lane_dot(row, arm[v]);
  }
}

// sum w (s - e) with s = sqrt(|r|^2 + e^2), as sum w |r|^2/(s + e), in which nothing cancels.
static inline lanes dissipated(const lanes weight[6], const lanes r[6][2], const lanes s[6], double e)
{
  lanes both[6], inverse[6], sum = splat(0);
  for (int v = 0; v < 6; v++)
    both[v] = s[v] + e;
  reciprocals(both, inverse);
  for (int v = 0; v < 6; v++)
    sum += weight[v] * inverse[v] * (r[v][0] * r[v][0] + r[v][1] * r[v][1]);
  return sum;
}

// One batch at a motion of the frames: velocities, then the motion z of the planes from the last one (warm) or from
// weighted least squares (cold), then energy and, by the order asked for, derivatives.  Pairs without weight cannot
// fail.
static void friction_terms(struct dc_friction_batch *batch, const struct dc_friction_motion *motion,
                           struct dc_friction_sums *sums)
{
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH) {
    struct sliding p;
    lanes arm[6][3], b[2][3], z[3], y[6][2], r[6][2], s[6];
    for (int i = 0; i < 18; i++)
      arm[i / 3][i % 3] = load(&batch->arms[i][lane]);
    for (int i = 0; i < 6; i++)
      b[i / 3][i % 3] = load(&batch->axes[i][lane]);
    for (int i = 0; i < 12; i++)
      p.lever[i / 2][i % 2] = load(&batch->levers[i][lane]);
    for (int v = 0; v < 6; v++)
      p.weight[v] = load(&batch->weights[v][lane]);
    for (int x = 0; x < 2; x++)
      vertex_velocities(motion, x, (const lanes(*)[3])b, (const lanes(*)[3])(arm + 3 * x), 3, p.velocity + 3 * x);
    if (batch->warm) {
      for (int k = 0; k < 3; k++)
        z[k] = load(&batch->motion[k][lane]);
      for (int i = 0; i < 12; i++)
        y[i / 2][i % 2] = load(&batch->pulls[i][lane]);
    } else {
      cold_start(&p, z, y);
    }
    lane_mask failed = {0};
    if (motion->solved)
      slips(&p, z, splat(motion->smoothing * motion->smoothing), r, s);
    else
      failed = solve_slips(&p, motion->smoothing, z, y, r, s, &sums->iterations);
    for (int k = 0; k < 3; k++)
      store(&batch->motion[k][lane], z[k]);
    for (int i = 0; i < 12; i++)
      store(&batch->pulls[i][lane], y[i / 2][i % 2]);
    lanes strength = load(&batch->strength[lane]);
    failed &= greater(strength, splat(0));
    for (int l = 0; l < DC_LANE_WIDTH && any(failed); l++)
      sums->unconverged += failed[l] != 0;
    accumulate(&sums->energy[lane], strength * dissipated(p.weight, (const lanes(*)[2])r, s, motion->smoothing));
    if (motion->order > 0)
      store_pair(batch, &p, (const lanes(*)[3])arm, (const lanes(*)[3])b, (const lanes(*)[2])r, s, strength, motion,
                 sums, lane);
  }
  batch->warm = true;
}

// D = sum_v W_v (s_v - e): the half space does not move.
static void friction_floor(struct dc_floor_batch *batches, int count, const double axes[6],
                           const struct dc_friction_motion *motion, struct dc_friction_sums *sums)
{
  lanes b[2][3];
  double e = motion->smoothing, e2 = e * e, rate = 1 / motion->time_step;
  for (int i = 0; i < 6; i++)
    b[i / 3][i % 3] = splat(axes[i]);
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH) {
    struct sliding_sums t;
    lanes energy = splat(0);
    clear_sliding_sums(&t);
    for (int i = 0; i < count; i++) {
      lanes arm[1][3], r[1][2], k[3], weight = load(&batches[i].weight[lane]);
      for (int c = 0; c < 3; c++)
        arm[0][c] = load(&batches[i].arm[c][lane]);
      vertex_velocities(motion, 0, (const lanes(*)[3])b, (const lanes(*)[3])arm, 1, r);
      lanes square = r[0][0] * r[0][0] + r[0][1] * r[0][1], s = square_root(square + e2);
      lanes both = s + e, inverse_product = 1.0 / (s * both), inverse = both * inverse_product;
      energy += weight * square * (s * inverse_product);
      lanes pull = weight * rate * inverse, gamma[2] = {pull * r[0][0], pull * r[0][1]};
      add_force(&t, arm[0], gamma);
      if (motion->order < 2)
        continue;
      if (motion->hold) {
        lanes held[2];
        int to = motion->to, from = 1 - to;
        hold_pull(motion, batches[i].slips[to], batches[i].held[to], (const double(*)[DC_BATCH])batches[i].slips[from],
                  (const double(*)[DC_BATCH])batches[i].held[from], lane, r[0], inverse, held);
        held_curvature(weight * (rate * rate), inverse, r[0], held, k);
      } else {
        curvature_of(weight * (rate * rate), inverse, e2, r[0], k);
      }
      add_curvature(&t, arm[0], motion->turn[0], (const lanes(*)[3])b, k, NULL);
    }
    accumulate(&sums->energy[lane], energy);
    if (motion->order < 1)
      continue;
    store_gradient(&t, motion->turn[0], (const lanes(*)[3])b, sums->gradient, motion->order > 1 ? sums->turn : NULL,
                   lane);
    if (motion->order > 1)
      store_curvature(&t, (const lanes(*)[3])b, NULL, NULL, sums->h_aa, lane);
  }
}
