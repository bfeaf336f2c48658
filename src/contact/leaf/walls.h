// SPDX-License-Identifier: Apache-2.0
// Walls of convex hulls, for the models sdrs and manifold: one barrier per pair of convex hulls on its optimal plane
// (paper 003, IV.B and VII; docs/theory.md, "SDRS").  Lengths are in units of contact.length where it says so.
#ifndef DC_CONTACT_WALLS_H
#define DC_CONTACT_WALLS_H

#include "contact/friction/hull_slip.h"
#include "contact/leaf/plane_cache.h"

// P_s(x) = (s - x)^4 / x^5 for 0 < x < s, 0 beyond, and its first and second derivatives.
static inline void dc_sdrs_barrier(double support, double x, double p[3])
{
  double c = support - x;
  if (!(c > 0)) {
    p[0] = p[1] = p[2] = 0;
    return;
  }
  double r = 1 / x, r2 = r * r, r5 = r2 * r2 * r, c2 = c * c;
  p[0] = c2 * c2 * r5;
  p[1] = -c2 * c * (5 * support - x) * r5 * r;
  p[2] = 2 * c2 * (x * (x - 10 * support) + 15 * support * support) * r5 * r2;
}

// The convex hulls of a body: vertices about the body's centre, m, and a sphere tree whose leaves are hulls.
struct dc_sdrs_body {
  int hull_count;
  const double (*vertices)[3];
  const int *corners;          // vertices of triangle hulls, three each; NULL: hull i has first[i] ... first[i + 1] - 1
  const int *first;            // [hull_count + 1]
  struct dc_sphere_tree tree;  // tree.triangle: hull of a leaf
};

static inline int dc_sdrs_hull_size(const struct dc_sdrs_body *body, int hull)
{
  return body->corners ? 3 : body->first[hull + 1] - body->first[hull];
}

// Index of vertex v of a hull among the body's points.
static inline int dc_sdrs_hull_index(const struct dc_sdrs_body *body, int hull, int v)
{
  return body->corners ? body->corners[3 * hull + v] : body->first[hull] + v;
}

static inline const double *dc_sdrs_hull_vertex(const struct dc_sdrs_body *body, int hull, int v)
{
  return body->vertices[dc_sdrs_hull_index(body, hull, v)];
}

// A plane n.x + o = 0 with |n| = 1 - slack: unit normal, offset of the unit plane, slack in (0, 1) of its own, as 1 -
// |n| has no digits at small gaps.
struct dc_sdrs_plane {
  double normal[3], offset, slack;
};

// Origin and rows of axes: two in the plane, its normal.
struct dc_sdrs_frame {
  double axes[9], origin[3];
};

// Vertices of two hulls, those of a first: x in world axes about c_a, local in the frame of a plane; units of length.
struct dc_sdrs_hulls {
  double support;
  int count_a, count;
  double (*x)[3], (*local)[3];
  double *distance, *trial, *change;  // u_v = s_v (n.x_v + o), of a trial, along a step
  size_t capacity;
};

enum dc_sdrs_outcome { DC_SDRS_APART, DC_SDRS_SOLVED, DC_SDRS_UNSOLVED };

// Energy and derivatives for a twist of body a about c_a, in units of length; gap along the plane's normal.
struct dc_sdrs_solution {
  double energy, gap, gradient[6], hessian[DC_HESSIAN];
  struct dc_sdrs_plane plane;
  int iterations;
};

// sdrs_pair.c
// Solves for the optimal plane from start, which separates the hulls with some vertex on either side and its slack
// below the support.  APART: the energy is 0 and solution->plane shows it.
enum dc_sdrs_outcome dc_sdrs_solve(struct dc_sdrs_hulls *hulls, const struct dc_sdrs_plane *start, int order, int limit,
                                   struct dc_sdrs_solution *solution);
// Any two axes orthogonal to the unit vector n, and n.
void dc_sdrs_complete_axes(const double n[3], double axes[9]);
// Frame of a separating plane about the vertices weighted by the derivative-th derivative of P_s at them, its first
// axis their principal one; fills local and distance.  False when no vertex is within the support or when the hulls are
// not apart.
bool dc_sdrs_make_frame(struct dc_sdrs_hulls *hulls, const struct dc_sdrs_plane *plane, int derivative,
                        struct dc_sdrs_frame *frame);

// L D L^T of the plane's Hessian (lower triangle) in place, for the offset, the best conditioned pivot, and n.  Returns
// the largest factor by which a diagonal entry shrank, by which rounding errors of what remains grow; INFINITY when the
// matrix is not positive definite.
double dc_sdrs_factor_plane(double h[4][4]);
// x = H^-1 g; returns g^T H^-1 g.
double dc_sdrs_solve_plane(const double h[4][4], const double g[4], double x[4]);

// The plane's Hessian for (o, n_1, n_2, n_3), all in units of length, in its own frame, n = (0, 0, 1 - slack) (lower
// triangle; sdrs_pair.c): what a vertex at x adds, with P_s'' of its distance, and what the length of n adds.
static inline void dc_sdrs_add_to_plane(double curvature, const double x[3], double h[4][4])
{
  const double y[4] = {1, x[0], x[1], x[2]};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j <= i; j++)
      h[i][j] += curvature * y[i] * y[j];
}

static inline void dc_sdrs_add_slack_to_plane(double support, double slack, double h[4][4])
{
  double p[3], size = 1 - slack;
  dc_sdrs_barrier(support, slack, p);
  h[1][1] -= p[1] / size;
  h[2][2] -= p[1] / size;
  h[3][3] += p[2];
}

// A hull pair within reach at the last evaluation.
struct dc_sdrs_contact {
  int i, j;
};

// The state that a body pair keeps between evaluations.
struct dc_sdrs_pair {
  struct dc_plane_cache planes;  // n and o in b's frame, units of length
  struct dc_sdrs_hulls hulls;    // workspace
  struct dc_sdrs_contact *contacts;
  size_t contact_count, contact_capacity;
};

struct dc_sdrs {
  struct dc_sdrs_body *bodies;  // [bodies], empty for half spaces
  struct dc_sdrs_pair *pairs;   // [pair_count]
};

// sdrs_walls.c
// The hulls of all bodies and what pairs keep, into *own, which a model that has more than these begins with:
// contact->own is a struct dc_sdrs to all functions here.  DC_OK, DC_MEMORY.
enum dc_status dc_sdrs_make_hulls(const struct dc_contact *contact, struct dc_sdrs *own, struct dc_error *error);
// The barrier between the hulls of two bodies, as the members of struct dc_contact_methods.
void dc_sdrs_destroy(struct dc_contact *contact);
void dc_sdrs_reset(struct dc_contact *contact);
void dc_sdrs_evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *result);
// Makes a pair begin anew: nothing within reach, no gap known.
void dc_sdrs_begin_pair(struct dc_contact *contact, int p);
// The result of a pair whose surfaces meet.
void dc_sdrs_finish_pair(struct dc_pair *pair, struct dc_pair_derivatives *result);

// sdrs_hulls.c
// The convex parts of the body's shape about its centre, and a sphere tree over them; owned by arena.  DC_OK,
// DC_MEMORY.
enum dc_status dc_sdrs_parts_of(const struct dc_body *body, struct dc_sdrs_body *hulls, struct dc_arena *arena);
void dc_sdrs_free_workspace(struct dc_sdrs_hulls *hulls);
// Vertices of two hulls at the poses, into the pair's workspace; -1 when out of memory.
int dc_sdrs_load(const struct dc_contact *contact, int pair, int i, int j, const struct dc_pose *poses);
// The plane remembered in b's frame, about c_a and in world axes; arm = c_a - c_b, m.
void dc_sdrs_plane_at(const double stored[4], const double rotation_b[9], const double arm[3], double length,
                      struct dc_sdrs_plane *plane);

// sdrs_pull_back.c
double dc_sdrs_pull_back(struct dc_contact *contact, const struct dc_friction_unit *unit, size_t count,
                         const struct dc_friction_motion *motion, struct dc_friction_sides *sides);

#endif
