// SPDX-License-Identifier: Apache-2.0
// Trees whose vertices move.
#include <math.h>
#include <string.h>

#include "geometry/bounding/sphere_tree.h"
#include "math/vector.h"

static const double POWER = 32;

// (sum x_i^p)^(1/p) of numbers that are not negative; slopes [count] unless NULL: (x_i/R)^(p - 1).
static double smooth_largest(int count, const double *x, double *slopes)
{
  double largest = 0, sum = 0;
  for (int i = 0; i < count; i++)
    largest = fmax(largest, x[i]);
  for (int i = 0; i < count && largest > 0; i++)
    sum += pow(x[i] / largest, POWER);
  double result = largest > 0 ? largest * pow(sum, 1 / POWER) : 0;
  for (int i = 0; i < count && slopes; i++)
    slopes[i] = result > 0 ? pow(x[i] / result, POWER - 1) : 0;
  return result;
}

static void leaf_distances(const struct dc_sphere_tree *tree, int node, const double (*vertices)[3],
                           const int *triangle, double distances[3])
{
  for (int k = 0; k < 3; k++)
    distances[k] = dc_vec_distance(vertices[triangle[k]], tree->center[node]);
}

// d = c_r - c_l, the share of the right child, and how far the children's spheres reach.
struct children {
  int left, right;
  double d[3], distance, part, reach[2];
};

static struct children children_of(const struct dc_sphere_tree *tree, int node)
{
  struct children c = {.left = node + 1, .right = tree->right[node]};
  dc_vec_sub(c.d, tree->center[c.right], tree->center[c.left]);
  c.distance = dc_vec_norm(c.d);
  c.part = tree->weight[c.right] / tree->weight[node];
  c.reach[0] = c.part * c.distance + tree->radius[c.left];
  c.reach[1] = (1 - c.part) * c.distance + tree->radius[c.right];
  return c;
}

static void set_leaf(struct dc_sphere_tree *tree, int node, const double (*vertices)[3], const int *t)
{
  double distances[3];
  for (int k = 0; k < 3; k++)
    tree->center[node][k] = (vertices[t[0]][k] + vertices[t[1]][k] + vertices[t[2]][k]) / 3;
  leaf_distances(tree, node, vertices, t, distances);
  tree->radius[node] = smooth_largest(3, distances, NULL);
}

static void set_inner(struct dc_sphere_tree *tree, int node)
{
  struct children c = children_of(tree, node);
  dc_vec_add_scaled(tree->center[node], tree->center[c.left], c.part, c.d);
  tree->spread[node] = (1 - c.part) * tree->spread[c.left] + c.part * tree->spread[c.right] +
                       c.part * (1 - c.part) * dc_vec_dot(c.d, c.d);
  tree->radius[node] = smooth_largest(2, c.reach, NULL);
}

enum dc_status dc_sphere_tree_follow(struct dc_sphere_tree *tree, const double (*vertices)[3],
                                     const int (*triangles)[3], struct dc_arena *arena, struct dc_error *error)
{
  size_t nodes = (size_t)tree->node_count;
  tree->size = dc_arena_alloc(arena, nodes, sizeof *tree->size);
  if (!tree->size)
    return dc_fail(error, DC_MEMORY, "out of memory for a sphere tree of %d nodes", tree->node_count);
  memcpy(tree->size, tree->radius, nodes * sizeof *tree->size);
  for (int i = tree->node_count - 1; i >= 0; i--)
    if (tree->right[i] < 0)
      set_leaf(tree, i, vertices, triangles[tree->triangle[i]]);
    else
      set_inner(tree, i);
  return DC_OK;
}

static void pull_back_leaf(const struct dc_sphere_tree *tree, int node, const double (*vertices)[3], const int *t,
                           double scale, const struct dc_node_cotangent *by, double (*by_vertex)[3])
{
  double distances[3], slopes[3], center[3];
  leaf_distances(tree, node, vertices, t, distances);
  smooth_largest(3, distances, slopes);
  dc_vec_copy(center, by->center);
  for (int k = 0; k < 3; k++) {
    double size = distances[k] > 0 ? by->radius * slopes[k] / distances[k] : 0, out[3];
    dc_vec_sub(out, vertices[t[k]], tree->center[node]);
    dc_vec_add_scaled(by_vertex[t[k]], by_vertex[t[k]], scale * size, out);
    dc_vec_add_scaled(center, center, -size, out);
  }
  for (int k = 0; k < 3; k++)
    dc_vec_add_scaled(by_vertex[t[k]], by_vertex[t[k]], scale / 3, center);
}

static void pull_back_inner(const struct dc_sphere_tree *tree, int node, struct dc_node_cotangent *nodes)
{
  struct children c = children_of(tree, node);
  struct dc_node_cotangent *left = &nodes[c.left], *right = &nodes[c.right], by = nodes[node];
  double slopes[2], difference[3];
  smooth_largest(2, c.reach, slopes);
  left->radius += by.radius * slopes[0];
  right->radius += by.radius * slopes[1];
  left->spread += (1 - c.part) * by.spread;
  right->spread += c.part * by.spread;
  double by_distance = by.radius * (c.part * slopes[0] + (1 - c.part) * slopes[1]);
  double size = 2 * c.part * (1 - c.part) * by.spread + (c.distance > 0 ? by_distance / c.distance : 0);
  dc_vec_scale(difference, c.d, size);
  dc_vec_add_scaled(left->center, left->center, 1 - c.part, by.center);
  dc_vec_add_scaled(right->center, right->center, c.part, by.center);
  dc_vec_sub(left->center, left->center, difference);
  dc_vec_add(right->center, right->center, difference);
}

void dc_sphere_tree_pull_back(const struct dc_sphere_tree *tree, const double (*vertices)[3], const int (*triangles)[3],
                              double scale, struct dc_node_cotangent *nodes, double (*by_vertex)[3])
{
  for (int i = 0; i < tree->node_count; i++)
    if (tree->right[i] < 0)
      pull_back_leaf(tree, i, vertices, triangles[tree->triangle[i]], scale, &nodes[i], by_vertex);
    else
      pull_back_inner(tree, i, nodes);
  memset(nodes, 0, (size_t)tree->node_count * sizeof *nodes);
}
