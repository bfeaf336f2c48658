// SPDX-License-Identifier: Apache-2.0
// Layered bounding-sphere trees over the triangles of a mesh (paper 000, Definition 5.3).
//
// The tree is part of the definition of the contact potential: a fixed builder (median split of the triangle
// centroids along the longest axis of their box, ties by triangle index) in the frame of the body, built once.
// Version: DC_SPHERE_TREE_VERSION.
#ifndef DC_GEOMETRY_SPHERE_TREE_H
#define DC_GEOMETRY_SPHERE_TREE_H

#include "base/memory.h"
#include "base/status.h"

enum { DC_SPHERE_TREE_VERSION = 1 };

enum dc_sphere_center {
  DC_CENTER_WEIGHTED,  // weighted mean of the triangle centroids, spread their weighted mean square distance from it
  DC_CENTER_VERTICES   // paper 000: mean of the node's distinct vertices; weight 1, spread 0 for every node
};

// Nodes depth first, the root at 0, the left child of node i at i + 1.  A leaf holds one triangle: its centre is the
// centroid, its radius reaches the farthest vertex. Inner radii are the smallest that enclose both children's
// spheres about the node's centre.
struct dc_sphere_tree {
  int node_count;
  double (*center)[3];  // m
  double *radius;       // m
  double *weight;       // W: sum of the leaf weights
  double *spread;       // sigma^2, m^2
  int *right;           // right child; -1 for leaves
  int *triangle;        // of a leaf; -1 for inner nodes
  double *size;         // radius that the descent goes by where it is not the present one; else NULL
};

// Builds the tree over triangles [triangle_count] of vertices; weights [triangle_count] > 0 (ignored for
// DC_CENTER_VERTICES).
enum dc_status dc_sphere_tree_build(struct dc_sphere_tree *tree, const double (*vertices)[3], int vertex_count,
                                    const int (*triangles)[3], int triangle_count, const double *weights,
                                    enum dc_sphere_center rule, struct dc_arena *arena, struct dc_error *error);

// Builds the tree over spheres [count] of given centres, radii and weights > 0 instead of triangles, with the rule
// DC_CENTER_WEIGHTED.
enum dc_status dc_sphere_tree_build_over(struct dc_sphere_tree *tree, const double (*centers)[3], const double *radii,
                                         int count, const double *weights, struct dc_arena *arena,
                                         struct dc_error *error);

// A copy in arena of all arrays of a tree but size, which is NULL.  DC_MEMORY.
enum dc_status dc_sphere_tree_copy(struct dc_sphere_tree *tree, const struct dc_sphere_tree *from,
                                   struct dc_arena *arena, struct dc_error *error);

// Trees whose vertices move keep topology, weights and sizes, so that sums over them are smooth functions of the
// vertices (docs/theory.md, "Shapes as parameters").  With p = 32 and the distances d_v of a leaf's vertices, and D_c
// of the centres of a node's children, from its centre,
//
//     R = (sum_v d_v^p)^(1/p) for leaves,   R = (sum_c (D_c + R_c)^p)^(1/p) else.
//
// This is a smooth maximum, at most 2^(1/p) or 3^(1/p) times the largest of them.  Converts a tree of
// DC_CENTER_WEIGHTED to vertices that may differ from those over which it was built; sizes become the radii that it had
// then.  DC_MEMORY.
enum dc_status dc_sphere_tree_follow(struct dc_sphere_tree *tree, const double (*vertices)[3],
                                     const int (*triangles)[3], struct dc_arena *arena, struct dc_error *error);
// The numbers of such a tree for vertices that have moved on; sizes stay.
void dc_sphere_tree_refit(struct dc_sphere_tree *tree, const double (*vertices)[3], const int (*triangles)[3]);
// Derivatives by the numbers of a node, or rates of these numbers.
struct dc_node_cotangent {
  double center[3], radius, spread;
};
// From derivatives by all nodes [node_count], which become zeros, to those by the vertices of a tree that follows them,
// times scale, added to by_vertex.
void dc_sphere_tree_pull_back(const struct dc_sphere_tree *tree, const double (*vertices)[3], const int (*triangles)[3],
                              double scale, struct dc_node_cotangent *nodes, double (*by_vertex)[3]);
// Along velocities of the vertices, of a tree that follows them: the rates of the numbers of all nodes, rates
// [node_count].
void dc_sphere_tree_rates(const struct dc_sphere_tree *tree, const double (*vertices)[3], const int (*triangles)[3],
                          const double (*velocities)[3], struct dc_node_cotangent *rates);
// The rate of what dc_sphere_tree_pull_back gives: from derivatives by all nodes and their rates along the same
// velocities, both [node_count], which become zeros, to those by the vertices, added to by_vertex.
void dc_sphere_tree_pull_back_rate(const struct dc_sphere_tree *tree, const double (*vertices)[3],
                                   const int (*triangles)[3], const double (*velocities)[3],
                                   const struct dc_node_cotangent *rates, struct dc_node_cotangent *nodes,
                                   struct dc_node_cotangent *node_rates, double (*by_vertex)[3]);

#endif
