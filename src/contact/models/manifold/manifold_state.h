// SPDX-License-Identifier: Apache-2.0
// Private to the contact model manifold: what it keeps of bodies and pairs, its sums and its friction.
#ifndef DC_CONTACT_MANIFOLD_STATE_H
#define DC_CONTACT_MANIFOLD_STATE_H

#include "contact/friction/point_slip.h"
#include "contact/manifold/manifold.h"
#include "contact/leaf/walls.h"
#include "geometry/shapes/shape_follow.h"

struct dc_manifold_model_body {
  struct dc_sdf level;  // in the frame of the body; without a type: a primitive, or nothing
  double size;          // diagonal of the mesh's box, m; of a design that at the start
  double softness;      // of the potential about this level set, m
  int edge_count;
  int (*edges)[2];
  // For a body whose vertices a design moves, else NULL: the follower of its level set, and derivatives by its
  // parameters, workspace that is zero between evaluations.
  struct dc_shape_follower *follower;
  double *by_level;
};

struct dc_manifold_model_pair {
  struct dc_manifold *edges;  // NULL: vertices only
  struct dc_manifold_contact *contacts;
  struct dc_manifold_cotangent *by;
  struct dc_manifold_cotangent *by_friction;  // zero but while a friction is pulled back
  double *by_parameters[2];                   // of the level sets that follow vertices: workspace, zeros
  double core, softness[2];                   // the least length over which the edges' terms vary, m; of the two bodies
};

struct dc_manifold_model {
  struct dc_sdrs walls;  // first: what the functions of sdrs take contact->own for
  struct dc_manifold_model_body *bodies;
  struct dc_manifold_model_pair *pairs;
};

static inline const struct dc_manifold_model *dc_manifold_model_of(const struct dc_contact *contact)
{
  return contact->own;
}

// psi = 1/(t log(1 + exp(d/t))) and its first and second derivatives: 1/d outside, finite everywhere.
static inline void dc_manifold_potential(double distance, double softness, double p[3])
{
  double x = distance / softness, e = exp(-fabs(x));
  double step = x > 0 ? 1 / (1 + e) : e / (1 + e), r = 1 / (softness * (fmax(x, 0) + log1p(e)));
  p[0] = r;
  p[1] = -step * r * r;
  p[2] = r * r * (2 * step * step * r - e / ((1 + e) * (1 + e)) / softness);
}

// A signed distance at a point, its gradient and Hessian, world axes.
struct dc_level {
  double distance, g[3], h[9];
};
// At an arm from the origin of the frame that has this rotation; order 2: with the Hessian, else h stays as it is.
void dc_level_at(const struct dc_sdf *sdf, const double rotation[9], const double arm[3], int order,
                 struct dc_level *level);

// manifold_terms.c
// Adds the terms of the vertices of side 0 (a) or 1 (b) of a pair at poses.
void dc_manifold_add_vertices(const struct dc_contact *contact, int p, int side, const struct dc_pose *poses, int order,
                              struct dc_pair_derivatives *result);
// Contacts of the pairs of edges at poses, number *first to count - 1 of the manifold, with levels
// (contact/manifold/manifold.h) and about the centre of a; *arm: from the centre of b to that of a.  The count is 0
// where there are none.
int dc_manifold_edges_at(const struct dc_contact *contact, int p, const struct dc_pose *poses, double arm[3],
                         int *first);
// The rate of the same pairs' energy along twists of both bodies: adds its derivatives by the parameters of the level
// sets and by the vertices in the bodies' axes, times scale; NULL: not wanted.
struct dc_manifold_rates_by {
  double *level[2], (*vertices[2])[3];
};
void dc_manifold_edge_rates(const struct dc_contact *contact, int p, const struct dc_pose *poses,
                            const double (*twists)[6], double scale, const struct dc_manifold_rates_by *by);
// Energy of one, of activity 1, over psi.
double dc_manifold_edge_strength(const struct dc_contact *contact);
// The same of the pairs of edges as of vertices.
void dc_manifold_add_edges(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *result);

// manifold_points.c
// What a body's level set has left in by_level goes on to its vertices, points [vertices] in its axes; NULL: is
// dropped.
void dc_manifold_take_level(const struct dc_contact *contact, int body, double (*points)[3]);

// manifold_friction.c
extern const struct dc_friction_methods dc_manifold_friction_methods;

#endif
