// SPDX-License-Identifier: Apache-2.0
// Friction's mixed derivative for sdrs: how its gradient at t+1 depends on the poses at t, coefficients and stiffness
// (docs/theory.md, "SDRS", "Derivatives at t").
//
// Slips on a plane and their spins are those of hull_pull.h.  Everything is in the frame of a plane: b_1, b_2, m about
// o.
#include <math.h>
#include <string.h>

#include "contact/friction/hull_pull.h"
#include "contact/leaf/walls.h"

// G's derivative by what belongs to the plane at t: (o, n_1, n_2, n_3) in units of length, o for the offset.
struct plane_cotangent {
  double p[4];
};

// Arguments of the sums over a pair's vertices.
struct pull {
  struct dc_hull_pull slips;
  bool primitive;
  double length, support;
};

// Adds the wrench of a force given in the axes of the plane at a vertex; a, b: as of dc_friction_add_slip.
static void add_force(const struct pull *pull, int v, const double local_force[3], const double *a, const double *b)
{
  int x = dc_hull_pull_side(&pull->slips, v);
  const struct dc_sliding_vertex *vertex = &pull->slips.vertices[v];
  double force[3];
  dc_mat_apply_transposed(force, pull->slips.sliding->axes, local_force);
  dc_add_wrench(vertex->arm, force, pull->slips.sides->wrench[x]);
  if (pull->slips.sides->points[x])
    dc_friction_add_slip(pull->slips.sides, x, vertex->index, pull->slips.sliding->axes, pull->slips.motion->time_step, force, a, b);
}

static void plane_hessian(const struct pull *pull, double h[4][4])
{
  double p[3], unit = 1 / pull->length;
  memset(h, 0, 16 * sizeof **h);
  for (int v = 0; v < pull->slips.sliding->count; v++) {
    const double *x = pull->slips.vertices[v].local;
    dc_sdrs_barrier(pull->support, pull->slips.vertices[v].distance, p);
    dc_sdrs_add_to_plane(p[2], (const double[3]){unit * x[0], unit * x[1], unit * x[2]}, h);
  }
  dc_sdrs_add_slack_to_plane(pull->support, pull->slips.sliding->slack, h);
}

// H eta = cotangent of (o, n); as P'(u_v) y_v sum to minus the gradient of P_s(1 - |n|), a vertex gains
//     -s_v (P'' (y_v.eta) n + P' eta_n) / l.
// A plane that one hull alone feels is none: rounding left vertices just inside the support, with forces far below it,
// and H is singular.
static void through_plane(const struct pull *pull, const struct plane_cotangent *cotangent)
{
  double h[4][4], eta[4], size = 1 - pull->slips.sliding->slack, unit = 1 / pull->length;
  plane_hessian(pull, h);
  if (!(dc_sdrs_factor_plane(h) < INFINITY))
    return;
  dc_sdrs_solve_plane((const double(*)[4])h, cotangent->p, eta);
  for (int v = 0; v < pull->slips.sliding->count; v++) {
    const double *x = pull->slips.vertices[v].local;
    double p[3], sign = dc_hull_pull_side(&pull->slips, v) ? -1 : 1, force[3];
    dc_sdrs_barrier(pull->support, pull->slips.vertices[v].distance, p);
    double along = sign * (eta[0] + unit * (x[0] * eta[1] + x[1] * eta[2] + x[2] * eta[3]));
    for (int k = 0; k < 3; k++)
      force[k] = -sign * unit * p[1] * eta[1 + k];
    force[2] -= sign * unit * p[2] * along * size;
    add_force(pull, v, force, NULL, NULL);
  }
}

// Returns G of the vertices first ... end - 1.  f_v = -mu |n| P_s'(u_v)/l, u_v = s_v (n.x_v + o)/l: the vertices' parts
// of G times d log f_v.
static double pull_back_vertices(struct pull *pull, int first, int end)
{
  struct plane_cotangent plane = {{0, 0, 0, 0}};
  double total = 0, size = 1 - pull->slips.sliding->slack, unit = 1 / pull->length;
  for (int v = first; v < end; v++) {
    const double *place = pull->slips.vertices[v].local;
    double x[3] = {0, 0, 0}, m[2], a[2], b[2], p[3], sign = dc_hull_pull_side(&pull->slips, v) ? -1 : 1;
    double share = dc_hull_pull_slip(&pull->slips, v, x, m, a, b);
    dc_sdrs_barrier(pull->support, pull->slips.vertices[v].distance, p);
    double by_distance = sign * share * p[2] / p[1];
    x[2] += by_distance * unit * (pull->primitive ? 1 : size);
    add_force(pull, v, x, a, b);
    total += share;
    plane.p[0] += by_distance;
    plane.p[1] += by_distance * unit * place[0] + m[0] / size;
    plane.p[2] += by_distance * unit * place[1] + m[1] / size;
    plane.p[3] += by_distance * unit * place[2] + share / size;
  }
  if (!pull->primitive)
    through_plane(pull, &plane);
  return total;
}

double dc_sdrs_pull_back(struct dc_contact *contact, const struct dc_friction_unit *unit, size_t count,
                         const struct dc_friction_motion *motion, struct dc_friction_sides *sides)
{
  struct pull pull = {.slips = dc_hull_pull_of(contact->friction->own, unit->first, motion, sides),
                      .primitive = unit->primitive,
                      .length = contact->settings.length,
                      .support = contact->settings.support};
  (void)count;  // one
  if (!pull.primitive)
    dc_hull_pull_answer(&pull.slips);
  return pull_back_vertices(&pull, 0, pull.slips.sliding->count);
}
