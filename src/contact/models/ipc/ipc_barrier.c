// SPDX-License-Identifier: Apache-2.0
// Distance functions of incremental potential contact, and the energy of one pair of primitives.
//
// With D the squared distance, c = |e x f|^2 of two edges, w the weight, E = w m(c) B(D):
//     E_xi = w (m B' D_xi + m' B c_xi),
//     E_xixi = w (m (B' D_xixi + B'' D_xi D_xi^T) + m' B' (c_xi D_xi^T + D_xi c_xi^T)
//                 + B (m' c_xixi + m'' c_xi c_xi^T)).
// As e turns with a, q = e.f has q_w = e x f and q_ww = (e f^T + f e^T)/2 - q I; c = |e|^2 |f|^2 - q^2.
#include "contact/barrier/clamped.h"
#include "contact/models/ipc/ipc_state.h"
#include "math/vector.h"

// 12 l/d + 24 sqrt(l/d): the centred potential of two triangles without its constant (docs/theory.md, "Centred terms").
static void global_profile(double length, double square, double p[3])
{
  double near = length / sqrt(square), root = sqrt(near);
  p[0] = 12 * near + 24 * root;
  p[1] = -(6 * near + 6 * root) / square;
  p[2] = (9 * near + 7.5 * root) / (square * square);
}

void dc_ipc_profile(const struct dc_contact *contact, double square, double p[3])
{
  if (dc_ipc_of(contact)->global) {
    global_profile(contact->settings.length, square, p);
    return;
  }
  dc_clamped_profile(square, contact->settings.dhat, p);
}

static void edge_vectors(const struct dc_ipc_primitive *primitive, double e[3], double f[3], double n[3])
{
  dc_vec_sub(e, primitive->x[1], primitive->x[0]);
  dc_vec_sub(f, primitive->x[3], primitive->x[2]);
  dc_vec_cross(n, e, f);
}

double dc_ipc_parallel(const struct dc_ipc_primitive *primitive)
{
  double e[3], f[3], n[3];
  edge_vectors(primitive, e, f, n);
  return dc_vec_dot(n, n);
}

// Adds the derivatives that the mollifier brings to those of a pair of edges; gradient and hessian are those of D.
static void add_mollified(const struct dc_ipc_primitive *primitive, const double m[3], const double p[3],
                          const double gradient[6], int order, struct dc_pair_derivatives *sum)
{
  double e[3], f[3], n[3], by_w[3], w = primitive->weight;
  edge_vectors(primitive, e, f, n);
  double q = dc_vec_dot(e, f);
  dc_vec_scale(by_w, n, -2 * q);
  dc_vec_add_scaled(sum->gradient, sum->gradient, w * m[1] * p[0], by_w);
  if (order < 2)
    return;
  for (int i = 0, k = 0; i < 6; i++)
    for (int j = 0; j <= i && j < 3; j++) {
      double cross = i < 3 ? by_w[i] * gradient[j] + gradient[i] * by_w[j] : gradient[i] * by_w[j];
      double value = m[1] * p[1] * cross;
      if (i < 3) {
        double turned = -2 * n[i] * n[j] - q * (e[i] * f[j] + f[i] * e[j]) + (i == j ? 2 * q * q : 0);
        value += p[0] * (m[1] * turned + m[2] * by_w[i] * by_w[j]);
      }
      k = i * (i + 1) / 2 + j;
      sum->hessian[k] += w * value;
    }
}

// Adds one pair of primitives: weight m(c) b(d^2), b the barrier's profile over the squared distance, m the mollifier
// of nearly parallel edges.
void dc_ipc_add(const struct dc_contact *contact, const struct dc_ipc_primitive *primitive, int order,
                struct dc_pair_derivatives *sum)
{
  double p[3], m[3] = {1, 0, 0}, gradient[6], hessian[21];
  if (primitive->kind == DC_IPC_EDGES)
    dc_clamped_mollifier(dc_ipc_parallel(primitive), primitive->threshold, m);
  if (m[0] == 0)
    return;
  dc_ipc_profile(contact, primitive->closest.square, p);
  double scale = primitive->weight * m[0];
  sum->energy += scale * p[0];
  if (order < 1)
    return;
  dc_closest_twist(&primitive->closest, (const double(*)[3])primitive->x, primitive->moving, order, gradient, hessian);
  for (int i = 0; i < 6; i++)
    sum->gradient[i] += scale * p[1] * gradient[i];
  if (order > 1) {
    double first = scale * p[1], second = scale * p[2];
    for (int i = 0, k = 0; i < 6; i++)
      for (int j = 0; j <= i; j++, k++)
        sum->hessian[k] += first * hessian[k] + second * gradient[i] * gradient[j];
  }
  if (m[1] != 0)
    add_mollified(primitive, m, p, gradient, order, sum);
}

static void local_barrier(const struct dc_primitive_points *points, int first, int count, const double *gaps,
                          double (*values)[3])
{
  double dhat = points->contact->settings.dhat;
  (void)first;  // all weigh the same
  for (int v = 0; v < count; v++) {
    memset(values[v], 0, sizeof values[v]);
    if (gaps[v] < dhat && gaps[v] > 0)
      dc_clamped_barrier(gaps[v], dhat, values[v]);
  }
}

dc_primitive_barrier *dc_ipc_primitive_barrier(const struct dc_contact *contact)
{
  return dc_ipc_of(contact)->global ? dc_primitive_far_barrier : local_barrier;
}
