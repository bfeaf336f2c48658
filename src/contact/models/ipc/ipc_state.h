// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: incremental potential contact and its global variant (docs/theory.md, "IPC").
#ifndef DC_CONTACT_IPC_STATE_H
#define DC_CONTACT_IPC_STATE_H

#include "contact/friction/point_slip.h"
#include "geometry/convex/distance.h"

// Ownership of vertices and edges, so that every point-triangle and every edge-edge pair of two meshes counts once.
// Each vertex and each edge belongs to one of its triangles, and a pair of triangles stands for the pairs of what they
// own.  Edge k of a triangle leads from its vertex k to the next.
struct dc_ipc_surface {
  unsigned char *owned;      // [triangles] bit k: vertex k; bit 3 + k: edge k
  double (*half_length)[3];  // [triangles] of the edges, m
  double *inverse_normal;    // [triangles] 1/|(x_1 - x_0) x (x_2 - x_0)|, 1/m^2
  double (*weight)[6];       // [triangles] thirds of the leaf weights around what is owned: vertices, then edges
};

enum dc_ipc_kind { DC_IPC_POINT_TRIANGLE, DC_IPC_TRIANGLE_POINT, DC_IPC_EDGES, DC_IPC_PRIMITIVE };

// A point of a and a triangle of b, a triangle of a and a point of b, an edge of either.
struct dc_ipc_primitive {
  enum dc_ipc_kind kind;
  int vertex[4];              // the point, then the triangle; or first edge, second edge
  double x[4][3];             // about c_a, world axes, m
  unsigned moving;            // which vertices are a's
  struct dc_closest closest;  // r from b to a
  double weight;              // of the global potential
  double threshold;           // edges: eps_x of the mollifier, m^4
};

// One walk through the pairs of triangles that may be within reach of each other.
struct dc_ipc_walk {
  const struct dc_ipc *ipc;
  const struct dc_collider *a, *b;
  const struct dc_ipc_surface *surface_a, *surface_b;
  const double *arm;  // c_a - c_b
  double reach;       // m; INFINITY: all pairs
  // Called for every pair closer than that; a result other than 0 ends the walk with it.
  int (*visit)(struct dc_ipc_walk *walk, const struct dc_ipc_primitive *primitive);
  void *context;
  // Results: a lower bound of the distance, the distance itself where it is below reach; whether surfaces cross; the
  // numbers of node pairs and of distances.
  double gap;
  bool crossing;
  int nearest[2];  // triangles at that distance; -1: none was measured
  long visited, measured;
};

int dc_ipc_walk(struct dc_ipc_walk *walk);
// Sets up the walk through pair p at the poses for which the colliders have been turned.
void dc_ipc_walk_of(const struct dc_contact *contact, int p, const double arm[3], struct dc_ipc_walk *walk);

// Value and two derivatives of the distance function in use, by the square of the distance.
void dc_ipc_profile(const struct dc_contact *contact, double square, double p[3]);
// c = |(x_1 - x_0) x (x_3 - x_2)|^2 of two edges, for the mollifier.
double dc_ipc_parallel(const struct dc_ipc_primitive *primitive);
// Adds weight * mollifier * profile and its derivatives by the twist of a.
void dc_ipc_add(const struct dc_contact *contact, const struct dc_ipc_primitive *primitive, int order,
                struct dc_pair_derivatives *sum);

// The part of a sliding contact that its derivative by time t needs besides struct dc_sliding_point
// (contact/friction/point_slip.h).
struct dc_ipc_lag {
  enum dc_ipc_kind kind;
  int vertex[4];
  unsigned moving;
  struct dc_closest closest;
  double by_distance, by_parallel;  // derivatives of ln f by the distance, 1/m, and by c, 1/m^4
};

// One unit for every body pair.
struct dc_ipc_friction {
  struct dc_sliding_point *sliding_points;
  struct dc_ipc_lag *lags;
  size_t count, sliding_capacity, lag_capacity;
};

// The triangles of two bodies that are closest, and their distance, m.
struct dc_ipc_nearest {
  struct dc_term term;
  double gap;
};

struct dc_ipc {
  bool global;
  struct dc_ipc_surface *surfaces;  // [bodies]
  struct dc_ipc_nearest *nearest;   // [pair_count] of the last evaluation
};

static inline struct dc_ipc *dc_ipc_of(const struct dc_contact *contact)
{
  return contact->own;
}

// ipc.c
// The barrier of a vertex above a primitive.
dc_primitive_barrier *dc_ipc_primitive_barrier(const struct dc_contact *contact);

// ipc_friction_pull_back.c
double dc_ipc_friction_pull_back(struct dc_contact *contact, const struct dc_friction_unit *unit, size_t count,
                                 const struct dc_friction_motion *motion, struct dc_friction_sides *sides);

#endif
