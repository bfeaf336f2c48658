// SPDX-License-Identifier: Apache-2.0
// Trees whose vertices move, as shapes do that are designed: refitting, its adjoint and its tangent.
//
// The tree's topology stays.  Centres, weights and second moments follow the vertices by the formulas of sphere_tree.c,
// with d = c_r - c_l and f = W_r / W the right child's share of the weight:
//     c       = c_l + f d
//     sigma^2 = (1 - f) sigma_l^2 + f sigma_r^2 + f (1 - f) |d|^2
//     R       = S(f |d| + R_l, (1 - f) |d| + R_r).
// The largest of two reaches has a kink, so radii use the p-norm S(x) = (sum x_i^p)^(1/p), p = POWER.  It is never
// smaller than the largest, so that spheres still hold their vertices, and larger by a factor of at most n^(1/p) of n
// numbers.
#include <math.h>
#include <string.h>

#include "geometry/bounding/sphere_tree.h"
#include "math/vector.h"

static const double POWER = 32;  // p: an inner node becomes larger by up to 2^(1/32), 2.2 %, on top of its children

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

// Distances of a triangle's vertices from the centre of its leaf, m.
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

// The two reaches are the arguments of the smooth maximum that is the parent's radius; the refit and both of its
// derivatives begin here.
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

// Centre and radius of a leaf from its vertices.
static void set_leaf(struct dc_sphere_tree *tree, int node, const double (*vertices)[3], const int *t)
{
  double distances[3];
  for (int k = 0; k < 3; k++)
    tree->center[node][k] = (vertices[t[0]][k] + vertices[t[1]][k] + vertices[t[2]][k]) / 3;
  leaf_distances(tree, node, vertices, t, distances);
  tree->radius[node] = smooth_largest(3, distances, NULL);
}

// Centre, second moment and radius of an inner node from its children.
static void set_inner(struct dc_sphere_tree *tree, int node)
{
  struct children c = children_of(tree, node);
  dc_vec_add_scaled(tree->center[node], tree->center[c.left], c.part, c.d);
  tree->spread[node] = (1 - c.part) * tree->spread[c.left] + c.part * tree->spread[c.right] +
                       c.part * (1 - c.part) * dc_vec_dot(c.d, c.d);
  tree->radius[node] = smooth_largest(2, c.reach, NULL);
}

// Prepares a tree to follow its vertices: the radii that it was built with are kept as sizes, and everything is
// computed by the smooth formulas from then on.
enum dc_status dc_sphere_tree_follow(struct dc_sphere_tree *tree, const double (*vertices)[3],
                                     const int (*triangles)[3], struct dc_arena *arena, struct dc_error *error)
{
  size_t nodes = (size_t)tree->node_count;
  tree->size = dc_arena_alloc(arena, nodes, sizeof *tree->size);
  if (!tree->size)
    return dc_out_of_memory_for(error, "a sphere tree of %d nodes", tree->node_count);
  memcpy(tree->size, tree->radius, nodes * sizeof *tree->size);
  dc_sphere_tree_refit(tree, vertices, triangles);
  return DC_OK;
}

// Children come behind their parent: from the last node to the first, every child is ready before its parent.
void dc_sphere_tree_refit(struct dc_sphere_tree *tree, const double (*vertices)[3], const int (*triangles)[3])
{
  for (int i = tree->node_count - 1; i >= 0; i--)
    if (tree->right[i] < 0)
      set_leaf(tree, i, vertices, triangles[tree->triangle[i]]);
    else
      set_inner(tree, i);
}

// Derivatives by a leaf on to those by its three vertices: R depends on the distances |x_k - c|, whose unit vectors
// pull on vertex and centre in opposite ways, and c is the mean of the vertices.
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

// Derivatives by a node on to those by its two children.
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

// The reverse of dc_sphere_tree_refit, from the root to the leaves; leaves `nodes` zeroed for the next call.
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

// Rates, along velocities of the vertices, of the numbers of nodes and of what is pulled back from them.

// Rates of smooth_largest and of its slopes along rates of x: R' = sum g_i x_i', g_i' = (p - 1) g_i (x_i'/x_i - R'/R).
static double smooth_largest_rate(int count, const double *x, const double *rates, double *slopes, double *slope_rates)
{
  double result = smooth_largest(count, x, slopes), rate = 0;
  for (int i = 0; i < count; i++)
    rate += slopes[i] * rates[i];
  for (int i = 0; i < count; i++)
    slope_rates[i] = slopes[i] > 0 ? (POWER - 1) * slopes[i] * (rates[i] / x[i] - rate / result) : 0;
  return rate;
}

// The corners of a leaf: arms, lengths and slopes, with their rates.
struct moving_leaf {
  double arm[3][3], arm_rate[3][3], distance[3], distance_rate[3], slope[3], slope_rate[3], radius_rate;
};

// A leaf's sphere under motion of its corners: arms from the centroid, lengths d_k and their rates, and the smooth
// largest length that stands for the radius, as the largest itself has kinks.
static struct moving_leaf moving_leaf_of(const struct dc_sphere_tree *tree, int node, const double (*vertices)[3],
                                         const int *t, const double (*velocities)[3], const double center_rate[3])
{
  struct moving_leaf leaf;
  for (int k = 0; k < 3; k++) {
    dc_vec_sub(leaf.arm[k], vertices[t[k]], tree->center[node]);
    dc_vec_sub(leaf.arm_rate[k], velocities[t[k]], center_rate);
    leaf.distance[k] = dc_vec_norm(leaf.arm[k]);
    leaf.distance_rate[k] = leaf.distance[k] > 0 ? dc_vec_dot(leaf.arm[k], leaf.arm_rate[k]) / leaf.distance[k] : 0;
  }
  leaf.radius_rate = smooth_largest_rate(3, leaf.distance, leaf.distance_rate, leaf.slope, leaf.slope_rate);
  return leaf;
}

// The children of a node as above, and rates of their distance, of their reaches, and of the slopes of the
// radius.
struct moving_children {
  struct children at;
  double d_rate[3], distance_rate, slope[2], slope_rate[2], radius_rate;
};

// Rates follow from d' = c_r' - c_l' and |d|' = d.d'/|d|; weights are constant, hence so is the share f.
static struct moving_children moving_children_of(const struct dc_sphere_tree *tree, int node,
                                                 const struct dc_node_cotangent *rates)
{
  struct moving_children c = {.at = children_of(tree, node)};
  const struct dc_node_cotangent *left = &rates[c.at.left], *right = &rates[c.at.right];
  dc_vec_sub(c.d_rate, right->center, left->center);
  c.distance_rate = c.at.distance > 0 ? dc_vec_dot(c.at.d, c.d_rate) / c.at.distance : 0;
  const double reach_rate[2] = {c.at.part * c.distance_rate + left->radius,
                                (1 - c.at.part) * c.distance_rate + right->radius};
  c.radius_rate = smooth_largest_rate(2, c.at.reach, reach_rate, c.slope, c.slope_rate);
  return c;
}

// Rates of centres, radii and spreads along velocities of the vertices, from the leaves to the root.
void dc_sphere_tree_rates(const struct dc_sphere_tree *tree, const double (*vertices)[3], const int (*triangles)[3],
                          const double (*velocities)[3], struct dc_node_cotangent *rates)
{
  for (int i = tree->node_count - 1; i >= 0; i--) {
    struct dc_node_cotangent *rate = &rates[i];
    if (tree->right[i] < 0) {
      const int *t = triangles[tree->triangle[i]];
      for (int k = 0; k < 3; k++)
        rate->center[k] = (velocities[t[0]][k] + velocities[t[1]][k] + velocities[t[2]][k]) / 3;
      rate->spread = 0;
      rate->radius = moving_leaf_of(tree, i, vertices, t, velocities, rate->center).radius_rate;
      continue;
    }
    struct moving_children c = moving_children_of(tree, i, rates);
    double part = c.at.part;
    dc_vec_add_scaled(rate->center, rates[c.at.left].center, part, c.d_rate);
    rate->spread = (1 - part) * rates[c.at.left].spread + part * rates[c.at.right].spread +
                   2 * part * (1 - part) * dc_vec_dot(c.at.d, c.d_rate);
    rate->radius = c.radius_rate;
  }
}

// The rates of what pull_back_leaf adds, line by line.
static void pull_back_leaf_rate(const struct moving_leaf *leaf, const int *t, const struct dc_node_cotangent *by,
                                const struct dc_node_cotangent *by_rate, double (*by_vertex)[3])
{
  double center[3];
  dc_vec_copy(center, by_rate->center);
  for (int k = 0; k < 3; k++) {
    double d = leaf->distance[k], add[3];
    if (d > 0) {
      double size = by->radius * leaf->slope[k] / d;
      double rate =
          (by_rate->radius * leaf->slope[k] + by->radius * leaf->slope_rate[k] - size * leaf->distance_rate[k]) / d;
      dc_vec_scale(add, leaf->arm[k], rate);
      dc_vec_add_scaled(add, add, size, leaf->arm_rate[k]);
      dc_vec_add(by_vertex[t[k]], by_vertex[t[k]], add);
      dc_vec_sub(center, center, add);
    }
  }
  for (int k = 0; k < 3; k++)
    dc_vec_add_scaled(by_vertex[t[k]], by_vertex[t[k]], 1.0 / 3, center);
}

// The rates of what pull_back_inner adds.
static void pull_back_inner_rate(const struct moving_children *c, const struct dc_node_cotangent *by,
                                 const struct dc_node_cotangent *by_rate, struct dc_node_cotangent *node_rates)
{
  struct dc_node_cotangent *left = &node_rates[c->at.left], *right = &node_rates[c->at.right];
  double part = c->at.part, mean = part * c->slope[0] + (1 - part) * c->slope[1], difference[3];
  left->radius += by_rate->radius * c->slope[0] + by->radius * c->slope_rate[0];
  right->radius += by_rate->radius * c->slope[1] + by->radius * c->slope_rate[1];
  left->spread += (1 - part) * by_rate->spread;
  right->spread += part * by_rate->spread;
  double size = 2 * part * (1 - part) * by->spread, rate = 2 * part * (1 - part) * by_rate->spread;
  if (c->at.distance > 0) {
    double tension = by->radius * mean / c->at.distance;
    double mean_rate = part * c->slope_rate[0] + (1 - part) * c->slope_rate[1];
    size += tension;
    rate += (by_rate->radius * mean + by->radius * mean_rate - tension * c->distance_rate) / c->at.distance;
  }
  dc_vec_scale(difference, c->at.d, rate);
  dc_vec_add_scaled(difference, difference, size, c->d_rate);
  dc_vec_add_scaled(left->center, left->center, 1 - part, by_rate->center);
  dc_vec_add_scaled(right->center, right->center, part, by_rate->center);
  dc_vec_sub(left->center, left->center, difference);
  dc_vec_add(right->center, right->center, difference);
}

// The tangent of dc_sphere_tree_pull_back().  nodes is both read and passed on to the children, since the rate
// of a product needs both factors; both arrays are left zeroed.
void dc_sphere_tree_pull_back_rate(const struct dc_sphere_tree *tree, const double (*vertices)[3],
                                   const int (*triangles)[3], const double (*velocities)[3],
                                   const struct dc_node_cotangent *rates, struct dc_node_cotangent *nodes,
                                   struct dc_node_cotangent *node_rates, double (*by_vertex)[3])
{
  for (int i = 0; i < tree->node_count; i++)
    if (tree->right[i] < 0) {
      const int *t = triangles[tree->triangle[i]];
      struct moving_leaf leaf = moving_leaf_of(tree, i, vertices, t, velocities, rates[i].center);
      pull_back_leaf_rate(&leaf, t, &nodes[i], &node_rates[i], by_vertex);
    } else {
      struct moving_children children = moving_children_of(tree, i, rates);
      pull_back_inner_rate(&children, &nodes[i], &node_rates[i], node_rates);
      pull_back_inner(tree, i, nodes);
    }
  memset(nodes, 0, (size_t)tree->node_count * sizeof *nodes);
  memset(node_rates, 0, (size_t)tree->node_count * sizeof *node_rates);
}
