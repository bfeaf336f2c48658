// SPDX-License-Identifier: Apache-2.0
// Private to the contact manifolds: fields (a signed distance at many points), selections, and pairs of edges.  Points
// are kept coordinate by coordinate, in world axes about the origin of body 0's frame, in numbers that are multiples of
// DC_BATCH; those beyond the last one repeat it.
#ifndef DC_CONTACT_MANIFOLD_INTERNAL_H
#define DC_CONTACT_MANIFOLD_INTERNAL_H

#include "contact/kernels/lane_kernels.h"
#include "contact/manifold/manifold.h"

// A signed distance at points: values and gradients, and their cotangents.
struct dc_field {
  int count, room;       // room: count in whole batches
  double *x[3];          // [room]
  double *value, *g[3];  // [room]
  double *v, *u[3];      // cotangents of value and gradient
  double *by_x[3];       // what they come to
};

// Selected candidates.  Weights of K rows over N candidates, as lists: row r is entries start[r] ... start[r + 1] - 1.
// Where all are selected each candidate is a row.  With shares each row is one candidate, and the number of rows
// changes.
struct dc_selection {
  int rows, candidates, wanted, most;  // most: rows there can be
  bool all, shares;
  size_t room;                 // of entries
  int sorted, *order;          // how many are in order; candidates by descending metric
  int *first, *start, *index;  // [most]: place in the order of a row's first entry; [most + 1]; [room]
  double *weight, *metric;     // of entries; of candidates
  double *excess, *by_excess;  // of candidates in order
  double *share, *by_share;    // [most]: how much of a row counts, 1 without shares
  double *rank;                // [most], with shares: how many candidates are before
};

// Sigmoids of a pair: for the signs, for what is inside of the other body and of its own, of both points; for clashing.
enum { DC_EDGE_SIGN = 0, DC_EDGE_INSIDE = 2, DC_EDGE_OWN = 4, DC_EDGE_CLASH = 6, DC_EDGE_SOFT };

struct dc_manifold_side {
  const struct dc_manifold_surface *surface;
  double position[3], rotation[9];  // about the origin of body 0's frame
  struct dc_quadric *quadrics;      // as the points are, when the body is a union of superquadrics
  struct dc_quadrics fast;
  struct dc_field vertices;  // where the other body's signed distance is taken
  struct dc_field chosen;    // of selected vertices; unused when all are
  struct dc_field witness;   // points of edges of both bodies, in this body's signed distance: all e_1, then all e_2
  struct dc_selection vertex_selection, edge_selection;
  double *ends[6], *by_ends[6];   // of selected edges
  double *by_vertex[3];           // cotangents of the vertices' places
  double *by_weight, *by_metric;  // of entries and candidates of a selection
};

struct dc_manifold {
  struct dc_manifold_settings settings;
  struct dc_manifold_surface surfaces[2];
  const struct dc_lane_kernels *kernels;
  struct dc_arena *arena;
  struct dc_manifold_side sides[2];
  double origin[3];
  int vertex_contacts, pairs, pair_room, most_pairs;
  double *pair_ends[DC_EDGE_ENDS], *by_pair_ends[DC_EDGE_ENDS], *results[DC_EDGE_RESULTS], *by_results[DC_EDGE_RESULTS];
  double *soft[DC_EDGE_SOFT], *near[2];  // [pair_room]: arguments of functions of the pairs, then their values
  struct dc_edge_contact *edges;         // [pairs]
};

// Numbers of a pair of edges that its pull back needs.
struct dc_edge_contact {
  double delta[3], length, inverse;  // e_1 - e_2; smoothed distance, 1/(distance + core)
  double normal[2][3];               // of the signed distances at their own points
  double sign[2], inside[2], own[2], clash, near[2];
  double own_power[2], power[2], powers[2];  // E^4, w^4, S of the nearness
  double by_length, by_near[2], by_delta[3];
};

// manifold_field.c
int dc_field_create(struct dc_field *field, int count, struct dc_arena *arena);
void dc_field_evaluate(struct dc_manifold_side *body, struct dc_field *field, const struct dc_lane_kernels *kernels);
void dc_field_clear(struct dc_field *field);
// Adds to the body's twist and parameters; by_x is set.  Cotangents of gradients that are all 0 cost nothing.
void dc_field_pull_back(struct dc_manifold_side *body, struct dc_field *field, const struct dc_lane_kernels *kernels,
                        double twist[6], double *parameters);
void dc_side_load_quadrics(struct dc_manifold_side *side);

// manifold_select.c
int dc_selection_create(struct dc_selection *selection, int candidates, int rows, bool shares, struct dc_arena *arena);
// From metrics: rows whose metrics are the largest, softened over this length.
void dc_selection_weigh(struct dc_selection *selection, double softness);
// by_weight [entries]: cotangents of the weights, with shares selection->by_share instead; adds those of the metrics.
void dc_selection_pull_back(const struct dc_selection *selection, double softness, const double *by_weight,
                            double *by_metric);

// manifold_edges.c
void dc_edges_evaluate(struct dc_manifold *manifold, struct dc_manifold_contact *contacts);
void dc_edges_pull_back(struct dc_manifold *manifold, const struct dc_manifold_cotangent *by, double twists[2][6],
                        double *const parameters[2]);

#endif
