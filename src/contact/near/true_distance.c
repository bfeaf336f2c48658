// SPDX-License-Identifier: Apache-2.0
// The distance of two bodies' surfaces, at the poses of the last evaluation.
//
// Branch and bound over both sphere trees.  Two nodes whose spheres are farther apart than the nearest triangles so far
// hold nothing nearer.  Otherwise the larger node is replaced by its children, the nearer of which is looked at first.
// Two triangles that do not cross are as far apart as a corner of one from the other or an edge from an edge: the least
// of 6 and 9 distances (geometry/convex/distance.h).  They are not looked at where boxes about them are beyond the
// least distance, or the plane of one of them has the other one beyond it.  So most pairs of parallel faces, all as
// near as the nearest, cost one plane. Two hulls of few vertices are as far apart as Gilbert, Johnson and Keerthi's
// algorithm says.
#include <math.h>
#include <stdlib.h>

#include "contact/common/contact_internal.h"
#include "contact/common/leaf_pair.h"
#include "geometry/convex/distance.h"
#include "geometry/convex/hull_distance.h"
#include "math/vector.h"

enum { MOST_LEAF_PAIRS = 256, MOST_HULL_VERTICES = 256 };

// Two bodies, places about the origin of the second.
struct search {
  const struct dc_collider *a, *b;
  double offset[3];  // from the origin of b to that of a
  double square;     // of the least distance so far
};

// A lower bound of the distance of all below two nodes; negative where their spheres meet.
static double sphere_distance(const struct search *s, int i, int j)
{
  const double *p = s->a->spheres[i], *q = s->b->spheres[j];
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = p[k] + s->offset[k] - q[k];
  return dc_vec_norm(d) - p[3] - q[3];
}

static void corners_of(const struct dc_collider *collider, int node, const double *offset, double x[3][3])
{
  const int *triangle = collider->triangles[collider->tree.triangle[node]];
  for (int v = 0; v < 3; v++)
    for (int k = 0; k < 3; k++)
      x[v][k] = collider->turned[triangle[v]][k] + (offset ? offset[k] : 0);
}

static double smallest(double a, double b, double c)
{
  double least = a < b ? a : b;
  return least < c ? least : c;
}

static double largest(double a, double b, double c)
{
  return -smallest(-a, -b, -c);
}

// Whether all corners of a triangle lie on one side of the plane of another one, and no nearer to it than the least
// distance so far.
static bool beyond_plane(const struct search *s, const double face[3][3], const double x[3][3])
{
  double e[3], f[3], normal[3], low = INFINITY, high = -INFINITY;
  dc_vec_sub(e, face[1], face[0]);
  dc_vec_sub(f, face[2], face[0]);
  dc_vec_cross(normal, e, f);
  for (int v = 0; v < 3; v++) {
    dc_vec_sub(e, x[v], face[0]);
    double height = dc_vec_dot(normal, e);
    low = fmin(low, height);
    high = fmax(high, height);
  }
  double least = fmax(low, -high);
  return least > 0 && least * least >= s->square * dc_vec_dot(normal, normal);
}

// Whether the boxes about the corners of two triangles, along the axes of the world, are no nearer to each other than
// the least distance.
static bool beyond_boxes(const struct search *s, const double p[3][3], const double q[3][3])
{
  double square = 0;
  for (int k = 0; k < 3; k++) {
    double below = smallest(q[0][k], q[1][k], q[2][k]) - largest(p[0][k], p[1][k], p[2][k]);
    double above = smallest(p[0][k], p[1][k], p[2][k]) - largest(q[0][k], q[1][k], q[2][k]);
    double apart = below > above ? below : above;
    square += apart > 0 ? apart * apart : 0;
  }
  return square >= s->square;
}

// The vertices of a convex leaf, or of a triangle beside one.
static struct dc_leaf place_leaf(const struct dc_collider *collider, int node, const double *offset, double (*x)[3])
{
  struct dc_leaf leaf = dc_leaf_of(collider, collider->tree.triangle[node]);
  for (int v = 0; v < leaf.count; v++)
    for (int k = 0; k < 3; k++)
      x[v][k] = collider->turned[dc_leaf_vertex(&leaf, v)][k] + (offset ? offset[k] : 0);
  return leaf;
}

static void visit_leaves(struct search *s, int i, int j)
{
  double p[DC_LEAF_CORNERS][3], q[DC_LEAF_CORNERS][3], normal[3];
  struct dc_leaf a = place_leaf(s->a, i, s->offset, p), b = place_leaf(s->b, j, NULL, q);
  double gap =
      dc_leaf_separation((const double(*)[3])p, a.count, a.radius, (const double(*)[3])q, b.count, b.radius, normal);
  s->square = fmin(s->square, fmax(gap, 0) * fmax(gap, 0));
}

// The squared distance of two triangles that do not cross: the least over 6 pairs of vertex and triangle and 9 pairs of
// edges.
static void visit_triangles(struct search *s, int i, int j)
{
  double p[3][3], q[3][3], x[4][3];
  struct dc_closest closest;
  corners_of(s->a, i, s->offset, p);
  corners_of(s->b, j, NULL, q);
  if (beyond_boxes(s, (const double(*)[3])p, (const double(*)[3])q) ||
      beyond_plane(s, (const double(*)[3])q, (const double(*)[3])p) ||
      beyond_plane(s, (const double(*)[3])p, (const double(*)[3])q))
    return;
  for (int side = 0; side < 2; side++)
    for (int v = 0; v < 3; v++) {
      const double(*point)[3] = (const double(*)[3])(side ? q : p), (*face)[3] = (const double(*)[3])(side ? p : q);
      dc_vec_copy(x[0], point[v]);
      for (int k = 0; k < 3; k++)
        dc_vec_copy(x[1 + k], face[k]);
      dc_closest_point_triangle((const double(*)[3])x, &closest);
      s->square = fmin(s->square, closest.square);
    }
  for (int u = 0; u < 3; u++)
    for (int v = 0; v < 3; v++) {
      dc_vec_copy(x[0], p[u]);
      dc_vec_copy(x[1], p[(u + 1) % 3]);
      dc_vec_copy(x[2], q[v]);
      dc_vec_copy(x[3], q[(v + 1) % 3]);
      dc_closest_edges((const double(*)[3])x, &closest);
      s->square = fmin(s->square, closest.square);
    }
}

// Walks two sphere trees, the nearer children first; subtrees whose spheres are farther apart than the least distance
// found are passed over.
static void visit(struct search *s, int i, int j, double bound)
{
  const struct dc_sphere_tree *a = &s->a->tree, *b = &s->b->tree;
  if (bound > 0 && bound * bound >= s->square)
    return;
  if (a->right[i] < 0 && b->right[j] < 0) {
    (dc_has_leaves(s->a, s->b) ? visit_leaves : visit_triangles)(s, i, j);
    return;
  }
  int below[2][2];
  dc_push_children(a, i, b, j, below, 0);
  double first = sphere_distance(s, below[0][0], below[0][1]), second = sphere_distance(s, below[1][0], below[1][1]);
  int nearer = second < first;
  visit(s, below[nearer][0], below[nearer][1], nearer ? second : first);
  visit(s, below[1 - nearer][0], below[1 - nearer][1], nearer ? first : second);
}

// Whether the vertices of a collider are those of a convex body, few enough to be asked one by one.
static bool is_small_hull(const struct dc_contact *contact, int body)
{
  const struct dc_collider *collider = &contact->colliders[body];
  return !collider->leaf_first && contact->bodies->bodies[body].shape->part_count == 1 &&
         collider->vertex_count <= MOST_HULL_VERTICES;
}

// The distance of two hulls by their vertices.
static double hull_distance(const struct search *s)
{
  double moved[MOST_HULL_VERTICES][3], normal[3];
  for (int v = 0; v < s->a->vertex_count; v++)
    dc_vec_add(moved[v], s->a->turned[v], s->offset);
  return dc_hull_distance((const double(*)[3])moved, s->a->vertex_count, (const double(*)[3])s->b->turned,
                          s->b->vertex_count, normal);
}

// The distance of a pair, or something above the limit where it is.
static double distance_within(const struct dc_contact *contact, int p, double limit)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  if (pair->crossing)
    return 0;
  // Gaps of primitives, and of models whose surfaces are level sets, are distances already.
  if (b->primitive.type || a->primitive.type || !a->tree.node_count || !b->tree.node_count ||
      (contact->model->flags & DC_CONTACT_LEVELS))
    return pair->gap;
  struct search search = {.a = a, .b = b, .square = limit * limit};
  dc_vec_sub(search.offset, a->position, b->position);
  double apart = sphere_distance(&search, 0, 0);
  if (apart > limit)
    return apart;
  if (is_small_hull(contact, pair->a) && is_small_hull(contact, pair->b))
    return fmax(hull_distance(&search), pair->gap);
  visit(&search, 0, 0, apart);
  return fmax(sqrt(search.square), pair->gap);
}

double dc_contact_pair_distance(const struct dc_contact *contact, int p)
{
  return distance_within(contact, p, INFINITY);
}

// Whether the distance of a pair costs no more than a few vertices do: hulls, primitives, few leaves.
static bool is_cheap(const struct dc_contact *contact, int p)
{
  const struct dc_collider *a = &contact->colliders[contact->pairs[p].a], *b = &contact->colliders[contact->pairs[p].b];
  if (dc_has_leaves(a, b))
    return (long)a->triangle_count * b->triangle_count <= MOST_LEAF_PAIRS;
  return is_small_hull(contact, contact->pairs[p].a) && is_small_hull(contact, contact->pairs[p].b);
}

// The least distance of all pairs.  The pair with the lowest bound is measured first, then those whose bound is below
// the least distance so far.  every: otherwise the bound counts of pairs that are not cheap.
static double least_distance(const struct dc_contact *contact, bool every)
{
  double bound = INFINITY, least = INFINITY;
  int nearest = -1;
  for (int p = 0; p < contact->pair_count; p++)
    if (dc_contact_pair_gap(contact, p) < bound) {
      bound = dc_contact_pair_gap(contact, p);
      nearest = p;
    }
  for (int n = -1; n < contact->pair_count; n++) {
    int p = n < 0 ? nearest : n;
    if (p >= 0 && (n < 0 || p != nearest) && dc_contact_pair_gap(contact, p) < least)
      least = fmin(least, every ? distance_within(contact, p, least) : dc_contact_pair_near_distance(contact, p));
  }
  return least;
}

double dc_contact_pair_near_distance(const struct dc_contact *contact, int p)
{
  return is_cheap(contact, p) ? distance_within(contact, p, INFINITY) : dc_contact_pair_gap(contact, p);
}

double dc_contact_distance(const struct dc_contact *contact)
{
  return least_distance(contact, true);
}

double dc_contact_near_distance(const struct dc_contact *contact)
{
  return least_distance(contact, false);
}
