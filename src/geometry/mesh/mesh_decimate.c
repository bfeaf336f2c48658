// SPDX-License-Identifier: Apache-2.0
// Every vertex v carries a quadric: the squared distances of a point x from the planes n.x + d = 0 of the triangles
// about v, weighted by a third of their areas a, and from v itself, weighted by a small share s of these,
//
//   q(x) = sum a/3 ((n.x + d)^2 + s |x - v|^2) = x.A x + 2 b.x + c,
//   A = sum a/3 (n n^T + s I),   b = sum a/3 (d n - s v),   c = sum a/3 (d^2 + s |v|^2).
//
// The edge u-v costs min over x of (q_u + q_v)(x); collapsing it moves both ends to that x, which inherits q_u + q_v.
// The share s makes A positive definite: where the surface is flat, points stay in the middle of those they stand for,
// and short edges go first.  Lengths are in units of the mesh's size, about the middle of its bounding box.
#include "geometry/mesh/mesh_decimate.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/constants.h"
#include "math/vector.h"

enum {
  MOST_CORNERS = 64,  // triangles about a vertex: no collapse makes more, so that its cost is bounded
  MOST_PASSES = 32
};

struct quadric {
  double a[6];  // xx, xy, xz, yy, yz, zz
  double b[3];
  double c;
};

// An edge that may go; heap order is by cost, then by the ends, so that equal costs leave no choice.
struct candidate {
  double cost;
  int low, high;
  unsigned version;  // sum of the ends' versions when the cost was computed
};

struct decimation {
  int vertex_count, slots;   // of vertices and triangles in the beginning
  int triangle_count;        // that are left
  double (*vertices)[3];     // [vertex_count]
  int (*triangles)[3];       // [slots]; the first corner is -1 when it is gone
  int *first, *next;         // corners 3 t + k at a vertex: first [vertex_count], next [3 slots], -1 ends the list.
                             // Corners of triangles that are gone stay in it until it is walked the next time.
  struct quadric *quadrics;  // [vertex_count]
  unsigned *version;         // [vertex_count], counts the changes of quadric and position
  int *mark, last_mark;      // [vertex_count]
  struct candidate *heap;    // [heap_count], the cheapest first
  size_t heap_count, heap_capacity;
};

static void add_quadric(struct quadric *sum, const struct quadric *other)
{
  for (int i = 0; i < 6; i++)
    sum->a[i] += other->a[i];
  dc_vec_add(sum->b, sum->b, other->b);
  sum->c += other->c;
}

// x.A x + 2 b.x + c, a squared length times an area; rounding must not make it negative.
static double quadric_at(const struct quadric *q, const double x[3])
{
  double ax[3] = {q->a[0] * x[0] + q->a[1] * x[1] + q->a[2] * x[2], q->a[1] * x[0] + q->a[3] * x[1] + q->a[4] * x[2],
                  q->a[2] * x[0] + q->a[4] * x[1] + q->a[5] * x[2]};
  return fmax(0, dc_vec_dot(x, ax) + 2 * dc_vec_dot(q->b, x) + q->c);
}

// Solves A x = -b by A = L D L^T.  False when rounding leaves a pivot that is not positive.
static bool minimize_quadric(const struct quadric *q, double x[3])
{
  const double *a = q->a;
  double d0 = a[0], l1 = a[1] / d0, l2 = a[2] / d0;
  double d1 = a[3] - l1 * a[1], l3 = (a[4] - l2 * a[1]) / d1;
  double d2 = a[5] - l2 * a[2] - l3 * l3 * d1;
  if (!(d0 > 0 && d1 > 0 && d2 > 0))
    return false;
  double y0 = -q->b[0], y1 = -q->b[1] - l1 * y0, y2 = -q->b[2] - l2 * y0 - l3 * y1;
  x[2] = y2 / d2;
  x[1] = y1 / d1 - l3 * x[2];
  x[0] = y0 / d0 - l1 * x[1] - l2 * x[2];
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

// Where the ends of an edge move to, and its cost.  A minimum far away is that of a surface that is nearly flat, or a
// straight crease: then the best of the middle and the ends has to do.
static double place(const struct decimation *d, int low, int high, double x[3])
{
  const double *u = d->vertices[low], *v = d->vertices[high];
  struct quadric sum = d->quadrics[low];
  double middle[3];
  add_quadric(&sum, &d->quadrics[high]);
  for (int i = 0; i < 3; i++)
    middle[i] = 0.5 * (u[i] + v[i]);
  if (minimize_quadric(&sum, x) && dc_vec_distance(x, middle) <= DC_COLLAPSE_FARTHEST * dc_vec_distance(u, v))
    return quadric_at(&sum, x);
  const double *choices[] = {middle, u, v};
  double least = INFINITY;
  dc_vec_copy(x, middle);
  for (int i = 0; i < 3; i++) {
    double cost = quadric_at(&sum, choices[i]);
    if (cost < least) {
      least = cost;
      dc_vec_copy(x, choices[i]);
    }
  }
  return least;
}

static bool before(const struct candidate *a, const struct candidate *b)
{
  if (a->cost != b->cost)
    return a->cost < b->cost;
  return a->low != b->low ? a->low < b->low : a->high < b->high;
}

// Adds an edge to the heap, cheapest on top, with the versions of its ends: an edge whose end has moved since is
// passed over when it comes up, which is cheaper than finding it in the heap.
static enum dc_status push_edge(struct decimation *d, int from, int to, struct dc_error *error)
{
  double x[3];
  struct candidate edge = {.low = from < to ? from : to, .high = from < to ? to : from};
  edge.cost = place(d, edge.low, edge.high, x);
  edge.version = d->version[from] + d->version[to];
  if (dc_grow(&d->heap, &d->heap_capacity, d->heap_count + 1, sizeof *d->heap))
    return dc_out_of_memory_for(error, "simplifying a mesh of %d triangles", d->slots);
  size_t at = d->heap_count++;
  for (; at > 0 && before(&edge, &d->heap[(at - 1) / 2]); at = (at - 1) / 2)
    d->heap[at] = d->heap[(at - 1) / 2];
  d->heap[at] = edge;
  return DC_OK;
}

// Takes the cheapest edge off the heap: the last one goes to the top and sinks below its cheaper children.
static struct candidate pop_edge(struct decimation *d)
{
  struct candidate top = d->heap[0], moved = d->heap[--d->heap_count];
  size_t at = 0;
  for (size_t child = 1; child < d->heap_count; child = 2 * at + 1) {
    child += child + 1 < d->heap_count && before(&d->heap[child + 1], &d->heap[child]);
    if (!before(&d->heap[child], &moved))
      break;
    d->heap[at] = d->heap[child];
    at = child;
  }
  d->heap[at] = moved;
  return top;
}

// The corners at a vertex, without those of triangles that are gone; MOST_CORNERS + 1 when there are more.
static int corners_of(struct decimation *d, int vertex, int corners[MOST_CORNERS + 1])
{
  int count = 0;
  for (int *link = &d->first[vertex]; *link >= 0 && count <= MOST_CORNERS;) {
    if (d->triangles[*link / 3][0] < 0) {
      *link = d->next[*link];
      continue;
    }
    corners[count++] = *link;
    link = &d->next[*link];
  }
  return count;
}

// The vertex `steps` corners after this one, around the same triangle; corner 3 t + k is corner k of triangle t.
static int corner_after(const struct decimation *d, int corner, int steps)
{
  return d->triangles[corner / 3][(corner % 3 + steps) % 3];
}

// The triangles around a vertex, each by the corner that lies at it.
struct star {
  int count, corners[MOST_CORNERS + 1];
};

// Whether the triangle of a corner also has a vertex, at one of its two other corners.
static bool has_corner(const struct decimation *d, int corner, int vertex)
{
  return corner_after(d, corner, 1) == vertex || corner_after(d, corner, 2) == vertex;
}

// The link condition (Dey, Edelsbrunner, Guha and Nekhayev 1999): the neighbours that u and v share are the two that
// lie opposite to the edge, and no edge between these closes a triangle with both u and v.  Without it a collapse
// would glue sheets of the surface together.
static bool keeps_topology(struct decimation *d, const struct star *at_u, const struct star *at_v)
{
  int near_u = ++d->last_mark, shared = ++d->last_mark, count = 0;
  for (int i = 0; i < at_u->count; i++)
    for (int k = 1; k < 3; k++)
      d->mark[corner_after(d, at_u->corners[i], k)] = near_u;
  for (int i = 0; i < at_v->count; i++)
    for (int k = 1; k < 3; k++) {
      int neighbour = corner_after(d, at_v->corners[i], k);
      count += d->mark[neighbour] == near_u;
      if (d->mark[neighbour] == near_u)
        d->mark[neighbour] = shared;
    }
  const struct star *stars[] = {at_u, at_v};
  int closing = 0;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < stars[s]->count; i++)
      closing += d->mark[corner_after(d, stars[s]->corners[i], 1)] == shared &&
                 d->mark[corner_after(d, stars[s]->corners[i], 2)] == shared;
  return count == 2 && closing < 2;
}

// 4 sqrt(3) area / (sum of squared sides): 1 for an equilateral triangle, 0 for a degenerate one.  normal has twice
// the area as its length.
static double quality(const double *p, const double *q, const double *r, double normal[3])
{
  double a[3], b[3], c[3];
  dc_vec_sub(a, q, p);
  dc_vec_sub(b, r, p);
  dc_vec_sub(c, r, q);
  dc_vec_cross(normal, a, b);
  return 2 * sqrt(3) * dc_vec_norm(normal) / (dc_vec_dot(a, a) + dc_vec_dot(b, b) + dc_vec_dot(c, c));
}

// Whether the triangles at one end of the edge survive its move to x: none turns over, none becomes a sliver.
static bool keeps_shape(const struct decimation *d, const struct star *star, int other_end, const double x[3])
{
  for (int i = 0; i < star->count; i++) {
    int corner = star->corners[i];
    if (has_corner(d, corner, other_end))
      continue;
    const double *p = d->vertices[corner_after(d, corner, 0)], *q = d->vertices[corner_after(d, corner, 1)],
                 *r = d->vertices[corner_after(d, corner, 2)];
    double old_normal[3], normal[3];
    double old_quality = quality(p, q, r, old_normal), new_quality = quality(x, q, r, normal);
    if (!(new_quality >= fmin(DC_COLLAPSE_LEAST_QUALITY, old_quality)) || !(new_quality > 0))
      return false;
    if (!(dc_vec_dot(normal, old_normal) >= DC_COLLAPSE_LEAST_COSINE * dc_vec_norm(normal) * dc_vec_norm(old_normal)))
      return false;
  }
  return true;
}

// Collapses an edge if the rules allow it.
static enum dc_status try_edge(struct decimation *d, const struct candidate *edge, struct dc_error *error)
{
  struct star low, high;
  double x[3];
  low.count = corners_of(d, edge->low, low.corners);
  high.count = corners_of(d, edge->high, high.corners);
  if (low.count > MOST_CORNERS || high.count > MOST_CORNERS || low.count + high.count - 4 > MOST_CORNERS ||
      !keeps_topology(d, &low, &high))
    return DC_OK;
  place(d, edge->low, edge->high, x);
  if (!keeps_shape(d, &low, edge->high, x) || !keeps_shape(d, &high, edge->low, x))
    return DC_OK;
  dc_vec_copy(d->vertices[edge->low], x);
  add_quadric(&d->quadrics[edge->low], &d->quadrics[edge->high]);
  d->version[edge->low]++;
  for (int i = 0; i < high.count; i++) {
    int corner = high.corners[i];
    if (has_corner(d, corner, edge->low)) {
      d->triangles[corner / 3][0] = -1;
      d->triangle_count--;
    } else {
      d->triangles[corner / 3][corner % 3] = edge->low;
      d->next[corner] = d->first[edge->low];
      d->first[edge->low] = corner;
    }
  }
  d->first[edge->high] = -1;
  // The surface is closed: every neighbour follows the vertex in exactly one triangle.
  enum dc_status status = DC_OK;
  low.count = corners_of(d, edge->low, low.corners);
  for (int i = 0; i < low.count && !status; i++)
    status = push_edge(d, edge->low, corner_after(d, low.corners[i], 1), error);
  return status;
}

// An entry of the heap counts only if both ends still exist and neither has changed since its cost was computed.
static bool is_current(const struct decimation *d, const struct candidate *edge)
{
  return d->first[edge->low] >= 0 && d->first[edge->high] >= 0 &&
         edge->version == d->version[edge->low] + d->version[edge->high];
}

// An edge that may not go now may be allowed to when its neighbours have gone: passes over all edges until the count
// is reached or a pass changes nothing.
static enum dc_status collapse_edges(struct decimation *d, int wanted, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (int pass = 0, left = d->triangle_count + 1; pass < MOST_PASSES && d->triangle_count < left; pass++) {
    left = d->triangle_count;
    d->heap_count = 0;
    for (int corner = 0; corner < 3 * d->slots && !status; corner++)
      if (d->triangles[corner / 3][0] >= 0 && corner_after(d, corner, 0) < corner_after(d, corner, 1))
        status = push_edge(d, corner_after(d, corner, 0), corner_after(d, corner, 1), error);
    while (!status && d->triangle_count > wanted && d->heap_count > 0) {
      struct candidate edge = pop_edge(d);
      if (is_current(d, &edge))
        status = try_edge(d, &edge, error);
    }
    if (status || d->triangle_count <= wanted)
      return status;
  }
  return dc_fail(error, DC_BAD_INPUT,
                 "the mesh of %d triangles cannot be simplified to %d (only to %d): no other edge can go without "
                 "changing connectivity or turning triangles over",
                 d->slots, wanted, d->triangle_count);
}

// The bounding box's middle and diagonal.
static void measure(const struct dc_mesh *mesh, double middle[3], double *size)
{
  double lower[3], upper[3];
  dc_vec_copy(lower, mesh->vertices[0]);
  dc_vec_copy(upper, mesh->vertices[0]);
  for (int v = 1; v < mesh->vertex_count; v++)
    for (int k = 0; k < 3; k++) {
      lower[k] = fmin(lower[k], mesh->vertices[v][k]);
      upper[k] = fmax(upper[k], mesh->vertices[v][k]);
    }
  for (int k = 0; k < 3; k++)
    middle[k] = 0.5 * (lower[k] + upper[k]);
  *size = dc_vec_distance(upper, lower);
}

// Adds the quadric of a triangle's plane, by its area, to its corners, with a small pull towards the corner itself
// (Garland and Heckbert 1997).
static void add_triangle_quadrics(struct decimation *d, const int *triangle)
{
  double normal[3];
  quality(d->vertices[triangle[0]], d->vertices[triangle[1]], d->vertices[triangle[2]], normal);
  double twice_area = dc_vec_norm(normal), weight = twice_area / 6;
  dc_vec_scale(normal, normal, 1 / twice_area);
  double distance = -dc_vec_dot(normal, d->vertices[triangle[0]]);
  for (int k = 0; k < 3; k++) {
    const double *v = d->vertices[triangle[k]];
    struct quadric plane = {.c = weight * (distance * distance + DC_POINT_SHARE * dc_vec_dot(v, v))};
    for (int i = 0, at = 0; i < 3; i++) {
      plane.b[i] = weight * (distance * normal[i] - DC_POINT_SHARE * v[i]);
      for (int j = i; j < 3; j++, at++)
        plane.a[at] = weight * (normal[i] * normal[j] + (i == j ? DC_POINT_SHARE : 0));
    }
    add_quadric(&d->quadrics[triangle[k]], &plane);
  }
}

// Copies the mesh in units of its size about the middle of its box, links triangles by corners, and sums quadrics up.
// Corners are linked from the last to the first, so that lists are walked in the order of the mesh.  The heap is left
// empty: every pass of collapse_edges fills it.
static enum dc_status begin(struct decimation *d, const struct dc_mesh *mesh, const double middle[3], double size,
                            struct dc_error *error)
{
  size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
  d->vertex_count = mesh->vertex_count;
  d->slots = d->triangle_count = mesh->triangle_count;
  d->vertices = dc_alloc(vertices, sizeof *d->vertices);
  d->triangles = dc_alloc(triangles, sizeof *d->triangles);
  d->first = dc_alloc(vertices, sizeof *d->first);
  d->next = dc_alloc(3 * triangles, sizeof *d->next);
  d->quadrics = dc_alloc(vertices, sizeof *d->quadrics);
  d->version = dc_alloc(vertices, sizeof *d->version);
  d->mark = dc_alloc(vertices, sizeof *d->mark);
  if (!d->vertices || !d->triangles || !d->first || !d->next || !d->quadrics || !d->version || !d->mark)
    return dc_out_of_memory_for(error, "simplifying a mesh of %d triangles", mesh->triangle_count);
  memcpy(d->triangles, mesh->triangles, triangles * sizeof *d->triangles);
  for (int v = 0; v < mesh->vertex_count; v++) {
    dc_vec_sub(d->vertices[v], mesh->vertices[v], middle);
    dc_vec_scale(d->vertices[v], d->vertices[v], 1 / size);
    d->first[v] = -1;
  }
  for (int corner = 3 * mesh->triangle_count - 1; corner >= 0; corner--) {
    int vertex = corner_after(d, corner, 0);
    d->next[corner] = d->first[vertex];
    d->first[vertex] = corner;
  }
  for (int t = 0; t < mesh->triangle_count; t++)
    add_triangle_quadrics(d, d->triangles[t]);
  return DC_OK;
}

// Collects the remaining triangles, in the order of the mesh.
static enum dc_status gather(const struct decimation *d, const double middle[3], double size, struct dc_arena *arena,
                             struct dc_mesh *mesh, struct dc_error *error)
{
  int *number = d->mark;  // of a vertex in the new mesh, plus 1
  int vertex_count = 0, triangle_count = 0;
  memset(number, 0, (size_t)d->vertex_count * sizeof *number);
  for (int t = 0; t < d->slots; t++)
    for (int k = 0; k < 3 && d->triangles[t][0] >= 0; k++)
      number[d->triangles[t][k]] = 1;
  for (int v = 0; v < d->vertex_count; v++)
    if (number[v])
      number[v] = ++vertex_count;
  double(*vertices)[3] = dc_arena_alloc(arena, (size_t)vertex_count, sizeof *vertices);
  int(*triangles)[3] = dc_arena_alloc(arena, (size_t)d->triangle_count, sizeof *triangles);
  if (!vertices || !triangles)
    return dc_out_of_memory_for(error, "a mesh of %d triangles", d->triangle_count);
  for (int v = 0; v < d->vertex_count; v++)
    if (number[v])
      dc_vec_add_scaled(vertices[number[v] - 1], middle, size, d->vertices[v]);
  for (int t = 0; t < d->slots; t++) {
    if (d->triangles[t][0] < 0)
      continue;
    for (int k = 0; k < 3; k++)
      triangles[triangle_count][k] = number[d->triangles[t][k]] - 1;
    triangle_count++;
  }
  *mesh = (struct dc_mesh){
      .vertex_count = vertex_count, .triangle_count = triangle_count, .vertices = vertices, .triangles = triangles};
  return DC_OK;
}

// Edges are collapsed in the order of their cost until the number of triangles is reached.
enum dc_status dc_mesh_decimate(const struct dc_mesh *mesh, int triangle_count, struct dc_arena *arena,
                                struct dc_mesh *simplified, struct dc_error *error)
{
  if (mesh->triangle_count <= triangle_count) {
    *simplified = *mesh;
    return DC_OK;
  }
  struct decimation d = {0};
  double middle[3], size;
  measure(mesh, middle, &size);
  enum dc_status status = begin(&d, mesh, middle, size, error);
  if (!status)
    status = collapse_edges(&d, triangle_count, error);
  if (!status)
    status = gather(&d, middle, size, arena, simplified, error);
  free(d.vertices);
  free(d.triangles);
  free(d.first);
  free(d.next);
  free(d.quadrics);
  free(d.version);
  free(d.mark);
  free(d.heap);
  return status;
}
