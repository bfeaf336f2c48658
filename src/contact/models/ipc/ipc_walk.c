// SPDX-License-Identifier: Apache-2.0
// The pairs of primitives of two meshes within reach of each other: two sphere trees against each other, what is left
// against the planes of the triangles, then distances.  Every test that leaves a pair out also bounds its distance
// from below, so that walk->gap ends as the least distance, or as a bound on it where that is beyond reach.
#include "contact/models/ipc/ipc_state.h"
#include "geometry/mesh/triangle.h"
#include "math/vector.h"

enum { STACK = 256 };

// Vertices of a leaf's triangle about c_a, its centre and radius.
struct leaf {
  int triangle;
  const int *vertices;
  double x[3][3], center[3], radius;
};

// shift moves body b into the coordinates of a: places about c_a in world axes, which keep their digits far from the
// origin.
static void load_leaf(const struct dc_collider *collider, int node, const double shift[3], struct leaf *leaf)
{
  leaf->triangle = collider->tree.triangle[node];
  leaf->vertices = collider->triangles[leaf->triangle];
  leaf->radius = collider->tree.radius[node];
  dc_vec_sub(leaf->center, collider->spheres[node], shift);
  for (int v = 0; v < 3; v++)
    dc_vec_sub(leaf->x[v], collider->turned[leaf->vertices[v]], shift);
}

// inverse: one over twice the area, which turning does not change.
static void leaf_normal(const double (*x)[3], double inverse, double n[3])
{
  double e[3], f[3];
  dc_vec_sub(e, x[1], x[0]);
  dc_vec_sub(f, x[2], x[0]);
  dc_vec_cross(n, e, f);
  dc_vec_scale(n, n, inverse);
}

// How far the other triangle keeps from the plane of a triangle; not positive: it meets it.
static double triangle_clearance(const struct leaf *leaf, double inverse, const struct leaf *other)
{
  double n[3], d[3], low = INFINITY, high = -INFINITY;
  leaf_normal(leaf->x, inverse, n);
  for (int v = 0; v < 3; v++) {
    dc_vec_sub(d, other->x[v], leaf->x[0]);
    double height = dc_vec_dot(n, d);
    low = height < low ? height : low;
    high = height > high ? height : high;
  }
  return low > -high ? low : -high;
}

// Whether spheres of that sum of radii, d apart, are beyond reach; lowers the bound of the distance.
static bool beyond(struct dc_ipc_walk *walk, const double d[3], double radii)
{
  double square = dc_vec_dot(d, d), limit = radii + walk->reach;
  if (square <= limit * limit)
    return false;
  limit = radii + walk->gap;
  if (square < limit * limit)
    walk->gap = sqrt(square) - radii;
  return true;
}

// Visits a primitive pair within reach.  A distance of zero is a crossing, which ends the walk.
static int measure(struct dc_ipc_walk *walk, struct dc_ipc_primitive *primitive)
{
  walk->measured++;
  if (!(primitive->closest.square > 0)) {
    walk->crossing = true;
    return 0;
  }
  if (primitive->closest.square < walk->gap * walk->gap)
    walk->gap = sqrt(primitive->closest.square);
  return primitive->closest.square < walk->reach * walk->reach ? walk->visit(walk, primitive) : 0;
}

// A point of one leaf against the triangle of the other.
static int measure_point(struct dc_ipc_walk *walk, const struct leaf *points, int k, double weight,
                         const struct leaf *triangle, double triangle_weight, enum dc_ipc_kind kind)
{
  double d[3];
  dc_vec_sub(d, points->x[k], triangle->center);
  if (beyond(walk, d, triangle->radius))
    return 0;
  struct dc_ipc_primitive primitive = {
      .kind = kind,
      .moving = kind == DC_IPC_POINT_TRIANGLE ? 1 : 14,
      .weight = weight * triangle_weight,
      .vertex = {points->vertices[k], triangle->vertices[0], triangle->vertices[1], triangle->vertices[2]}};
  dc_vec_copy(primitive.x[0], points->x[k]);
  for (int v = 0; v < 3; v++)
    dc_vec_copy(primitive.x[1 + v], triangle->x[v]);
  dc_closest_point_triangle((const double(*)[3])primitive.x, &primitive.closest);
  if (kind == DC_IPC_TRIANGLE_POINT)
    dc_closest_flip(&primitive.closest);
  return measure(walk, &primitive);
}

// eps_x = 1e-3 |e|^2 |f|^2 of the edges at rest (Li et al. 2020, Eq. 24)
static const double MOLLIFIED = 1e-3;

// Measures the distance of two edges unless spheres around their middles show that they are out of reach.
static int measure_edges(struct dc_ipc_walk *walk, const struct leaf *s, int k, double half_k, const struct leaf *t,
                         int l, double half_l, double weight)
{
  int k1 = (k + 1) % 3, l1 = (l + 1) % 3;
  double d[3];
  for (int i = 0; i < 3; i++)
    d[i] = 0.5 * ((s->x[k][i] + s->x[k1][i]) - (t->x[l][i] + t->x[l1][i]));
  if (beyond(walk, d, half_k + half_l))
    return 0;
  double square = 4 * half_k * half_l;
  struct dc_ipc_primitive primitive = {.kind = DC_IPC_EDGES,
                                       .moving = 3,
                                       .weight = weight,
                                       .threshold = MOLLIFIED * square * square,
                                       .vertex = {s->vertices[k], s->vertices[k1], t->vertices[l], t->vertices[l1]}};
  dc_vec_copy(primitive.x[0], s->x[k]);
  dc_vec_copy(primitive.x[1], s->x[k1]);
  dc_vec_copy(primitive.x[2], t->x[l]);
  dc_vec_copy(primitive.x[3], t->x[l1]);
  dc_closest_edges((const double(*)[3])primitive.x, &primitive.closest);
  return measure(walk, &primitive);
}

// Everything two triangles own.
static int measure_owned(struct dc_ipc_walk *walk, const struct leaf *s, const struct leaf *t)
{
  const struct dc_ipc_surface *a = walk->surface_a, *b = walk->surface_b;
  unsigned owned_s = a->owned[s->triangle], owned_t = b->owned[t->triangle];
  const double *weight_s = a->weight[s->triangle], *weight_t = b->weight[t->triangle];
  bool global = walk->ipc->global;
  double third = 1.0 / 3, gap = walk->gap;
  int status = 0;
  for (int k = 0; k < 3 && !status; k++)
    if (owned_s & 1u << k)
      status = measure_point(walk, s, k, global ? third * weight_s[k] : 1, t,
                             global ? walk->b->leaf_weight[t->triangle] : 1, DC_IPC_POINT_TRIANGLE);
  for (int k = 0; k < 3 && !status; k++)
    if (owned_t & 1u << k)
      status = measure_point(walk, t, k, global ? third * weight_t[k] : 1, s,
                             global ? walk->a->leaf_weight[s->triangle] : 1, DC_IPC_TRIANGLE_POINT);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3 && owned_s & 8u << k && !status; l++)
      if (owned_t & 8u << l)
        status = measure_edges(walk, s, k, a->half_length[s->triangle][k], t, l, b->half_length[t->triangle][l],
                               global ? third * weight_s[3 + k] * weight_t[3 + l] : 1);
  if (walk->gap < gap) {
    walk->nearest[0] = s->triangle;
    walk->nearest[1] = t->triangle;
  }
  return status;
}

// Two leaves whose spheres are within reach; overlap: they meet.
static int visit_leaves(struct dc_ipc_walk *walk, int i, int j, bool overlap)
{
  static const double none[3] = {0, 0, 0};
  struct leaf s, t;
  load_leaf(walk->a, i, none, &s);
  load_leaf(walk->b, j, walk->arm, &t);
  double clearance = INFINITY;
  if (overlap || walk->reach < INFINITY)
    clearance = fmax(triangle_clearance(&s, walk->surface_a->inverse_normal[s.triangle], &t),
                     triangle_clearance(&t, walk->surface_b->inverse_normal[t.triangle], &s));
  if (clearance > walk->reach) {
    walk->gap = fmin(walk->gap, clearance);
    return 0;
  }
  double normal[3];
  if (overlap && !(clearance > 0) &&
      !(dc_triangle_separation((const double(*)[3])s.x, (const double(*)[3])t.x, 0, normal) > 0)) {
    walk->crossing = true;
    return 0;
  }
  return measure_owned(walk, &s, &t);
}

// Whether a node keeps away from the plane of the leaf that it is compared with; side 1: the leaf is b's, -1: a's.
static bool off_plane(struct dc_ipc_walk *walk, const struct dc_collider *of, const struct dc_ipc_surface *surface,
                      int leaf, const struct dc_collider *other, int node, double side)
{
  if (!(walk->reach < INFINITY))
    return false;
  int triangle = of->tree.triangle[leaf];
  const int *v = of->triangles[triangle];
  const double *x = of->turned[v[0]], *center = other->spheres[node];
  double e[3], f[3], n[3], d[3];
  dc_vec_sub(e, of->turned[v[1]], x);
  dc_vec_sub(f, of->turned[v[2]], x);
  dc_vec_cross(n, e, f);
  for (int k = 0; k < 3; k++)
    d[k] = center[k] - x[k] + side * walk->arm[k];
  double clearance = fabs(dc_vec_dot(n, d)) * surface->inverse_normal[triangle] - other->tree.radius[node];
  if (!(clearance > walk->reach))
    return false;
  walk->gap = clearance < walk->gap ? clearance : walk->gap;
  return true;
}

// Descends both trees together with a stack, leaving out node pairs whose spheres are out of reach.
int dc_ipc_walk(struct dc_ipc_walk *walk)
{
  const struct dc_collider *a = walk->a, *b = walk->b;
  int stack[STACK][2], top = 0, status = 0;
  walk->gap = INFINITY;
  walk->crossing = false;
  walk->nearest[0] = walk->nearest[1] = -1;
  walk->visited = walk->measured = 0;
  stack[top][0] = stack[top][1] = 0;
  top++;
  while (top && !status && !walk->crossing) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    double d[3], radii = a->tree.radius[i] + b->tree.radius[j];
    walk->visited++;
    for (int k = 0; k < 3; k++)
      d[k] = a->spheres[i][k] - b->spheres[j][k] + walk->arm[k];
    if (beyond(walk, d, radii))
      continue;
    bool leaf_a = a->tree.right[i] < 0, leaf_b = b->tree.right[j] < 0;
    if (leaf_a && leaf_b)
      status = visit_leaves(walk, i, j, dc_vec_dot(d, d) <= radii * radii);
    else if (!(leaf_b && off_plane(walk, b, walk->surface_b, j, a, i, 1)) &&
             !(leaf_a && off_plane(walk, a, walk->surface_a, i, b, j, -1)))
      top = dc_push_children(&a->tree, i, &b->tree, j, stack, top);
  }
  return status;
}

// A walk over body pair p, with nothing asked for yet: reach, visit and context are the caller's.
void dc_ipc_walk_of(const struct dc_contact *contact, int p, const double arm[3], struct dc_ipc_walk *walk)
{
  const struct dc_ipc *ipc = dc_ipc_of(contact);
  const struct dc_pair *pair = &contact->pairs[p];
  *walk = (struct dc_ipc_walk){.ipc = ipc,
                               .a = &contact->colliders[pair->a],
                               .b = &contact->colliders[pair->b],
                               .surface_a = &ipc->surfaces[pair->a],
                               .surface_b = &ipc->surfaces[pair->b],
                               .arm = arm};
}
