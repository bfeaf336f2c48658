// SPDX-License-Identifier: Apache-2.0
// Contact manifolds: points, signed distances, normals and activities between two bodies that are smooth functions of
// their poses and shapes (paper 001; docs/theory.md, "Contact manifolds").
//
// A body is a mesh together with a smooth signed distance of the same surface.  Vertices of one meet the signed
// distance of the other; of the edges nearest to the other body each meets every such edge of the other.  Nothing is
// remembered between evaluations.
#ifndef DC_CONTACT_MANIFOLD_H
#define DC_CONTACT_MANIFOLD_H

#include <stdbool.h>

#include "body/kinematics.h"
#include "contact/kernels/manifold_kernels.h"
#include "geometry/implicit/sdf.h"

// In the body's frame.  Vertices should lie on the level set 0 and edges inside it (dc_manifold_check).
struct dc_manifold_surface {
  const struct dc_sdf *sdf;
  int vertex_count, edge_count;
  const double (*vertices)[3];
  const int (*edges)[2];
};

struct dc_manifold_settings {
  struct dc_edge_smoothing edge;  // of the nearest points of edges
  double sign, clash;             // of the signs of distances and of opposed normals, without unit
  double clash_limit;             // normals are opposed when their product is below it
  double penetration, nearest;    // of what is inside and what is nearest, m
  double core;                    // of the distance of two edges at their crossing, m
  double selection;               // of the metrics that select, m
  int vertices, edges;            // how many are selected of each body; 0: all
  bool edge_edge, one_sided;      // one_sided: vertices of the first body only
  bool own_surface;               // edges outside of their own body do not count
  // Whether distance and normal of edges are the other body's signed distance at the point and its gradient, which need
  // not be of length 1.  Activities then have no factor of that distance, but one of the share of each edge: selected
  // edges are not mixed.  A pair is near by its own length, wherever other pairs are.
  bool levels;
};

// A contact point.  body: 0 or 1, the one that the point belongs to; the normal points out of the other one.  edges:
// their indices in the lists of selected edges of both bodies, with `levels` numbers of the surfaces' edges.  They are
// -1 for vertices, whose index in the selection is `vertex`.
struct dc_manifold_contact {
  int body, vertex, edges[2];
  double point[3], distance, normal[3], activity;  // m, m, 1, in [0, 1]
};

// Derivatives of a number by what a contact has.
struct dc_manifold_cotangent {
  double point[3], distance, normal[3], activity;
};

struct dc_manifold;

// Lengths from the smaller diagonal of the bodies' boxes; edges: as many as the larger number of primitives of either.
void dc_manifold_defaults(const struct dc_manifold_surface surfaces[2], struct dc_manifold_settings *settings);

// Surfaces must live as long as the manifold.  NULL and *error: DC_MEMORY (also for more pairs of edges than int
// counts), DC_BAD_INPUT (empty surfaces).
struct dc_manifold *dc_manifold_create(const struct dc_manifold_surface surfaces[2],
                                       const struct dc_manifold_settings *settings, struct dc_error *error);
void dc_manifold_destroy(struct dc_manifold *manifold);

// Vertices of body 0, of body 1, then pairs of edges (k, l), k slow: the point of body 0, the point of body 1.
// With levels and selected edges the number is that of the last evaluation, at most dc_manifold_most.
int dc_manifold_count(const struct dc_manifold *manifold);
int dc_manifold_most(const struct dc_manifold *manifold);
int dc_manifold_vertex_contacts(const struct dc_manifold *manifold);  // how many of them come from vertices

// Contacts [count, of room for most] of bodies at these poses, in world axes.
void dc_manifold_evaluate(struct dc_manifold *manifold, const struct dc_pose poses[2],
                          struct dc_manifold_contact *contacts);
// At the poses of the last evaluation: adds the derivatives by twists of the bodies' frames (turn about the origin,
// motion of it; world axes) and, unless NULL, by the parameters of their signed distances (geometry/implicit/sdf.h).
// Vertices keep their places in the bodies' frames.
void dc_manifold_pull_back(struct dc_manifold *manifold, const struct dc_manifold_cotangent *by, double twists[2][6],
                           double *const parameters[2]);
// The derivative of the distance of contact i by the twists of both bodies, as the pull back of 1 gives it.  It is
// known where the contact is one vertex of its body; false: it depends on others, and the pull back is to be asked.
bool dc_manifold_vertex_rate(const struct dc_manifold *manifold, int i, double twists[2][6]);
// Derivatives of the last pull back by the place of a body's vertex, in the body's frame.
void dc_manifold_by_vertex(const struct dc_manifold *manifold, int body, int vertex, double by[3]);

// How far vertices are off the level set, at most, and how far points of edges (17 on each) stand out of it, m.
struct dc_manifold_fit {
  double vertices, edges;
  int vertex, edge;  // where
};
void dc_manifold_check(const struct dc_manifold_surface *surface, struct dc_manifold_fit *fit);

// The edges of a mesh, each once; their number.  edges must have room for 3 triangle_count of them.
struct dc_mesh;
int dc_manifold_edges_of(const struct dc_mesh *mesh, int (*edges)[2]);

#endif
