// SPDX-License-Identifier: Apache-2.0
// Builds sphere trees over triangles: leaves are halved along the longest axis of their centroids, down to single
// triangles; then, bottom-up, each node gets its centre, radius, weight and second moment.
//
// Halves are found by selection instead of sorting, in linear time per level.
#include "geometry/bounding/sphere_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

struct leaf {
  double centroid[3];
  double key;  // coordinate by which leaves are divided
  int triangle;
};

struct builder {
  struct dc_sphere_tree *tree;
  const double (*vertices)[3];    // [vertex_count], m; NULL: leaves are given
  const int (*triangles)[3];      // [leaves] corners
  const double *weights, *radii;  // [leaves]; radii, m: of given leaves; NULL: leaves are triangles
  enum dc_sphere_center rule;
  struct leaf *leaves;  // in the order of the tree as far as it is built
  int *stamp;           // [vertex_count], last node that counted a vertex
};

// Ties of equal keys are broken by the triangle's index: the order is total, and so the tree is unique.
static bool comes_before(const struct leaf *a, const struct leaf *b)
{
  return a->key != b->key ? a->key < b->key : a->triangle < b->triangle;
}

static void exchange(struct leaf *a, struct leaf *b)
{
  struct leaf held = *a;
  *a = *b;
  *b = held;
}

// Moves the median of the first, middle and last leaf to the front, as pivot.
static void choose_pivot(struct leaf *leaves, int count)
{
  struct leaf *first = leaves, *middle = leaves + count / 2, *last = leaves + count - 1;
  if (comes_before(middle, first))
    exchange(middle, first);
  if (comes_before(last, middle))
    exchange(last, middle);
  if (comes_before(middle, first))
    exchange(middle, first);
  exchange(first, middle);
}

// Moves the `half` leaves that come first to the front, in any order (Hoare 1961, Find).  Which leaves these are does
// not depend on their previous order, and build_node divides every half again down to single leaves, so that the tree
// is the same as with sorted leaves.
static void part_leaves(struct leaf *leaves, int count, int half)
{
  while (count > 1 && half > 0) {
    choose_pivot(leaves, count);
    struct leaf pivot = leaves[0];
    int low = -1, high = count;
    for (;;) {
      do
        low++;
      while (comes_before(&leaves[low], &pivot));
      do
        high--;
      while (comes_before(&pivot, &leaves[high]));
      if (low >= high)
        break;
      exchange(&leaves[low], &leaves[high]);
    }
    int front = high + 1;  // none of these comes after one of the others
    if (half < front) {
      count = front;
    } else {
      leaves += front;
      count -= front;
      half -= front;
    }
  }
}

// Divides leaves along the longest axis; the half for the left child comes first.
static void part_along_longest_axis(struct leaf *leaves, int count, int half)
{
  double low[3], high[3];
  dc_vec_copy(low, leaves[0].centroid);
  dc_vec_copy(high, leaves[0].centroid);
  for (int i = 1; i < count; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], leaves[i].centroid[k]);
      high[k] = fmax(high[k], leaves[i].centroid[k]);
    }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (high[k] - low[k] > high[axis] - low[axis])
      axis = k;
  for (int i = 0; i < count; i++)
    leaves[i].key = leaves[i].centroid[axis];
  part_leaves(leaves, count, half);
}

// The mean of the different vertices under a node.  A stamp of the node's number marks those that are counted,
// so nothing needs to be cleared between nodes.
static void mean_of_vertices(const struct builder *builder, const struct leaf *leaves, int count, int node,
                             double *mean)
{
  int vertices = 0;
  mean[0] = mean[1] = mean[2] = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      int v = builder->triangles[leaves[i].triangle][k];
      if (builder->stamp[v] == node + 1)
        continue;
      builder->stamp[v] = node + 1;
      vertices++;
      dc_vec_add(mean, mean, builder->vertices[v]);
    }
  dc_vec_scale(mean, mean, 1.0 / vertices);
}

// The sphere of one triangle is centred at its centroid and reaches its farthest corner; leaves of another kind bring
// their radii along. Second moments are those of the leaves' centres, so that a single leaf has none.
static void make_leaf(const struct builder *builder, const struct leaf *leaf, int node)
{
  struct dc_sphere_tree *tree = builder->tree;
  dc_vec_copy(tree->center[node], leaf->centroid);
  tree->radius[node] = builder->radii ? builder->radii[leaf->triangle] : 0;
  for (int k = 0; k < 3 && !builder->radii; k++)
    tree->radius[node] = fmax(
        tree->radius[node], dc_vec_distance(leaf->centroid, builder->vertices[builder->triangles[leaf->triangle][k]]));
  tree->weight[node] = builder->rule == DC_CENTER_WEIGHTED ? builder->weights[leaf->triangle] : 1;
  tree->spread[node] = 0;
  tree->right[node] = -1;
  tree->triangle[node] = leaf->triangle;
}

// The node above two: centre and spread by the rule, and a radius that holds both spheres.
static void join_children(const struct builder *builder, int node, int left, int right)
{
  struct dc_sphere_tree *tree = builder->tree;
  double *center = tree->center[node];
  const double *l = tree->center[left], *r = tree->center[right];
  if (builder->rule == DC_CENTER_WEIGHTED) {
    double weight = tree->weight[left] + tree->weight[right], part = tree->weight[right] / weight, d[3];
    dc_vec_sub(d, r, l);
    dc_vec_add_scaled(center, l, part, d);
    tree->weight[node] = weight;
    // Parallel axes: sigma^2 = sum of W_c (sigma_c^2 + |x_c - x|^2) / W.
    tree->spread[node] =
        (1 - part) * tree->spread[left] + part * tree->spread[right] + part * (1 - part) * dc_vec_dot(d, d);
  } else {
    tree->weight[node] = 1;
    tree->spread[node] = 0;
  }
  tree->radius[node] =
      fmax(dc_vec_distance(center, l) + tree->radius[left], dc_vec_distance(center, r) + tree->radius[right]);
  tree->right[node] = right;
  tree->triangle[node] = -1;
}

// Builds the node over some leaves, and its children, in depth-first order: the left child has the next index.
static int build_node(struct builder *builder, struct leaf *leaves, int count)
{
  int node = builder->tree->node_count++;
  if (count == 1) {
    make_leaf(builder, leaves, node);
    return node;
  }
  int half = count / 2;
  part_along_longest_axis(leaves, count, half);
  int left = build_node(builder, leaves, half), right = build_node(builder, leaves + half, count - half);
  if (builder->rule == DC_CENTER_VERTICES)
    mean_of_vertices(builder, leaves, count, node, builder->tree->center[node]);
  join_children(builder, node, left, right);
  return node;
}

// Arrays of all nodes in the arena, unset: the build writes every node once.  False when out of memory.
static bool allocate(struct dc_sphere_tree *tree, size_t nodes, struct dc_arena *arena)
{
  *tree = (struct dc_sphere_tree){.center = dc_arena_alloc_unset(arena, nodes, sizeof *tree->center),
                                  .radius = dc_arena_alloc_unset(arena, nodes, sizeof *tree->radius),
                                  .weight = dc_arena_alloc_unset(arena, nodes, sizeof *tree->weight),
                                  .spread = dc_arena_alloc_unset(arena, nodes, sizeof *tree->spread),
                                  .right = dc_arena_alloc_unset(arena, nodes, sizeof *tree->right),
                                  .triangle = dc_arena_alloc_unset(arena, nodes, sizeof *tree->triangle)};
  return tree->center && tree->radius && tree->weight && tree->spread && tree->right && tree->triangle;
}

// A copy in another arena, which is faster than building the same tree again.
enum dc_status dc_sphere_tree_copy(struct dc_sphere_tree *tree, const struct dc_sphere_tree *from,
                                   struct dc_arena *arena, struct dc_error *error)
{
  size_t nodes = (size_t)from->node_count;
  if (!allocate(tree, nodes, arena))
    return dc_out_of_memory_for(error, "a sphere tree of %d nodes", from->node_count);
  tree->node_count = from->node_count;
  memcpy(tree->center, from->center, nodes * sizeof *tree->center);
  memcpy(tree->radius, from->radius, nodes * sizeof *tree->radius);
  memcpy(tree->weight, from->weight, nodes * sizeof *tree->weight);
  memcpy(tree->spread, from->spread, nodes * sizeof *tree->spread);
  memcpy(tree->right, from->right, nodes * sizeof *tree->right);
  memcpy(tree->triangle, from->triangle, nodes * sizeof *tree->triangle);
  return DC_OK;
}

// Builds a binary tree of spheres over triangles, with 2 n - 1 nodes in depth-first order.
enum dc_status dc_sphere_tree_build(struct dc_sphere_tree *tree, const double (*vertices)[3], int vertex_count,
                                    const int (*triangles)[3], int triangle_count, const double *weights,
                                    enum dc_sphere_center rule, struct dc_arena *arena, struct dc_error *error)
{
  size_t nodes = 2 * (size_t)triangle_count - 1;
  bool complete = allocate(tree, nodes, arena);
  struct builder builder = {
      .tree = tree, .vertices = vertices, .triangles = triangles, .weights = weights, .rule = rule};
  builder.leaves = dc_alloc((size_t)triangle_count, sizeof *builder.leaves);
  builder.stamp = dc_alloc((size_t)vertex_count, sizeof *builder.stamp);
  enum dc_status status = DC_OK;
  if (!complete || !builder.leaves || !builder.stamp) {
    status = dc_out_of_memory_for(error, "a sphere tree over %d triangles", triangle_count);
  } else {
    for (int i = 0; i < triangle_count; i++) {
      builder.leaves[i].triangle = i;
      for (int k = 0; k < 3; k++)
        builder.leaves[i].centroid[k] =
            (vertices[triangles[i][0]][k] + vertices[triangles[i][1]][k] + vertices[triangles[i][2]][k]) / 3;
    }
    build_node(&builder, builder.leaves, triangle_count);
  }
  free(builder.leaves);
  free(builder.stamp);
  return status;
}

// The same over given spheres with weights, each a leaf.
enum dc_status dc_sphere_tree_build_over(struct dc_sphere_tree *tree, const double (*centers)[3], const double *radii,
                                         int count, const double *weights, struct dc_arena *arena,
                                         struct dc_error *error)
{
  struct builder builder = {.tree = tree, .weights = weights, .radii = radii, .rule = DC_CENTER_WEIGHTED};
  builder.leaves = dc_alloc((size_t)count, sizeof *builder.leaves);
  if (!allocate(tree, 2 * (size_t)count - 1, arena) || !builder.leaves) {
    free(builder.leaves);
    return dc_out_of_memory_for(error, "a sphere tree over %d leaves", count);
  }
  for (int i = 0; i < count; i++) {
    builder.leaves[i].triangle = i;
    dc_vec_copy(builder.leaves[i].centroid, centers[i]);
  }
  build_node(&builder, builder.leaves, count);
  free(builder.leaves);
  return DC_OK;
}
