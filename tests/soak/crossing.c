// SPDX-License-Identifier: Apache-2.0
// The search for a crossing: a stretch of time and two spheres of triangles at a time.
//
// A function f of s with |f''| <= B lies above the straight line between its values at the ends of a stretch of length
// d, less B d^2/8.  Two spheres whose centres keep apart by their radii and that remainder hold no crossing.  Two
// triangles hold none if along one fixed axis all vertices of one lie behind those of the other at both ends by more
// than the remainder.  Where neither shows it the spheres or the stretch are halved.  Two triangles that overlap along
// all of the axes that can separate them, in the middle of a stretch, are a crossing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "soak/crossing.h"

// Two triangles are looked at so often for one pair of bodies and one step before they are left undecided.
static const long MOST_LOOKS = 20 * 1000 * 1000;
// Rounding of a world coordinate, relative to its size.
static const double ROUNDING = 1e-15;

struct span {
  double begin, end;
  struct crossing_pose a[2], b[2];  // at the begin and the end
};

struct search {
  const struct crossing_mesh *a, *b;
  const struct crossing_motion *move_a, *move_b;
  double tolerance;
  long looks;
  struct crossing_result result;
};

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(double *difference, const double *a, const double *b)
{
  for (int k = 0; k < 3; k++)
    difference[k] = a[k] - b[k];
}

static void cross(double *product, const double *a, const double *b)
{
  product[0] = a[1] * b[2] - a[2] * b[1];
  product[1] = a[2] * b[0] - a[0] * b[2];
  product[2] = a[0] * b[1] - a[1] * b[0];
}

static double norm(const double *v)
{
  return sqrt(dot(v, v));
}

static void place(double *point, const struct crossing_pose *pose, const double *local)
{
  for (int i = 0; i < 3; i++)
    point[i] = pose->position[i] + dot(&pose->rotation[3 * i], local);
}

struct split {
  struct crossing_mesh *mesh;
  int *order;
  int axis, node_count;
};

static double centroid(const struct crossing_mesh *mesh, int triangle, int axis)
{
  const int *corner = mesh->triangles[triangle];
  return mesh->vertices[corner[0]][axis] + mesh->vertices[corner[1]][axis] + mesh->vertices[corner[2]][axis];
}

static int by_centroid(const void *left, const void *right, void *context)
{
  const struct split *split = context;
  int i = *(const int *)left, j = *(const int *)right;
  double a = centroid(split->mesh, i, split->axis), b = centroid(split->mesh, j, split->axis);
  return a < b ? -1 : a > b ? 1 : (i > j) - (i < j);
}

static void bound(const struct split *split, struct crossing_node *node, int begin, int end, double *size)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int t = begin; t < end; t++)
    for (int corner = 0; corner < 3; corner++)
      for (int k = 0; k < 3; k++) {
        double x = split->mesh->vertices[split->mesh->triangles[split->order[t]][corner]][k];
        low[k] = fmin(low[k], x);
        high[k] = fmax(high[k], x);
      }
  for (int k = 0; k < 3; k++) {
    node->centre[k] = (low[k] + high[k]) / 2;
    size[k] = high[k] - low[k];
  }
  node->radius = 0;
  for (int t = begin; t < end; t++)
    for (int corner = 0; corner < 3; corner++) {
      double arm[3];
      subtract(arm, split->mesh->vertices[split->mesh->triangles[split->order[t]][corner]], node->centre);
      node->radius = fmax(node->radius, norm(arm) * (1 + ROUNDING));
    }
}

static void build(struct split *split, int index, int begin, int end)
{
  struct crossing_node *node = &split->mesh->nodes[index];
  double size[3];
  bound(split, node, begin, end, size);
  node->child = -1;
  node->triangle = split->order[begin];
  if (end - begin == 1)
    return;
  split->axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  qsort_r(split->order + begin, (size_t)(end - begin), sizeof(int), by_centroid, split);
  node->child = split->node_count;
  split->node_count += 2;
  int child = node->child, middle = (begin + end) / 2;
  build(split, child, begin, middle);
  build(split, child + 1, middle, end);
}

bool crossing_mesh_prepare(struct crossing_mesh *mesh)
{
  mesh->nodes = NULL;
  if (mesh->half_space || mesh->from)
    return true;
  struct split split = {.mesh = mesh, .order = malloc((size_t)mesh->triangle_count * sizeof(int)), .node_count = 1};
  mesh->nodes = malloc(2 * (size_t)mesh->triangle_count * sizeof *mesh->nodes);
  bool done = split.order && mesh->nodes;
  for (int t = 0; done && t < mesh->triangle_count; t++)
    split.order[t] = t;
  if (done)
    build(&split, 0, 0, mesh->triangle_count);
  free(split.order);
  return done;
}

static void halve(const struct search *search, const struct span *span, struct span *first, struct span *second)
{
  *first = *second = *span;
  first->end = second->begin = (span->begin + span->end) / 2;
  crossing_pose_at(search->move_a, first->end, &first->a[1]);
  crossing_pose_at(search->move_b, first->end, &first->b[1]);
  second->a[0] = first->a[1];
  second->b[0] = first->b[1];
}

// How far a point at an arm of a body may be from the straight line between its places at the ends.
static double remainder_of(const struct crossing_motion *motion, const struct span *span, double arm)
{
  double stretch = span->end - span->begin;
  return stretch * stretch / 8 * (motion->bend + motion->rate * motion->rate * arm);
}

static void record(struct search *search, enum crossing_verdict verdict, double at, double depth)
{
  if (verdict > search->result.verdict)
    search->result = (struct crossing_result){verdict, at, depth};
}

struct triangles {
  double a[3][3], b[3][3];
};

static void place_vertex(double *point, const struct crossing_mesh *mesh, int vertex, const struct crossing_pose *pose,
                         double s)
{
  if (!mesh->from) {
    place(point, pose, mesh->vertices[vertex]);
    return;
  }
  for (int k = 0; k < 3; k++)
    point[k] = (1 - s) * mesh->from[vertex][k] + s * mesh->to[vertex][k];
}

static void place_triangles(const struct search *search, int t, int u, const struct crossing_pose *a,
                            const struct crossing_pose *b, double s, struct triangles *points)
{
  for (int corner = 0; corner < 3; corner++) {
    place_vertex(points->a[corner], search->a, search->a->triangles[t][corner], a, s);
    place_vertex(points->b[corner], search->b, search->b->triangles[u][corner], b, s);
  }
}

// By how much a lies in front of b along an axis.
static double gap_along(const struct triangles *points, const double *axis)
{
  double low = INFINITY, high = -INFINITY;
  for (int corner = 0; corner < 3; corner++) {
    low = fmin(low, dot(axis, points->a[corner]));
    high = fmax(high, dot(axis, points->b[corner]));
  }
  return low - high;
}

// The unit axes one of which separates two triangles that do not meet: normals, products of edges, and, for triangles
// in one plane, normals of edges in it; their number.
enum { MOST_AXES = 17 };
static int separating_axes(const struct triangles *points, double (*axes)[3])
{
  double edges[2][3][3], normals[2][3];
  int count = 0;
  for (int side = 0; side < 2; side++) {
    const double(*p)[3] = side ? points->b : points->a;
    for (int k = 0; k < 3; k++)
      subtract(edges[side][k], p[(k + 1) % 3], p[k]);
    cross(normals[side], edges[side][0], edges[side][1]);
    memcpy(axes[count++], normals[side], sizeof normals[side]);
    for (int k = 0; k < 3; k++)
      cross(axes[count++], normals[side], edges[side][k]);
  }
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++)
      cross(axes[count++], edges[0][j], edges[1][k]);
  int kept = 0;
  for (int k = 0; k < count; k++) {
    double length = norm(axes[k]);
    if (!(length > 1e-100))
      continue;
    for (int i = 0; i < 3; i++)
      axes[kept][i] = axes[k][i] / length;
    kept++;
  }
  return kept;
}

static double largest_coordinate(const struct triangles *points)
{
  double largest = 0;
  for (int corner = 0; corner < 3; corner++)
    for (int k = 0; k < 3; k++)
      largest = fmax(largest, fmax(fabs(points->a[corner][k]), fabs(points->b[corner][k])));
  return largest;
}

// The longest way that a vertex of one moves relative to one of the other between the ends, without the remainder.
static double relative_way(const struct triangles *begin, const struct triangles *end)
{
  double longest = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double way[3];
      for (int k = 0; k < 3; k++)
        way[k] = (end->a[i][k] - begin->a[i][k]) - (end->b[j][k] - begin->b[j][k]);
      longest = fmax(longest, norm(way));
    }
  return longest;
}

static double longest_arm(const struct crossing_mesh *mesh, int triangle)
{
  double arm = 0;
  if (mesh->from)
    return 0;
  for (int corner = 0; corner < 3; corner++)
    arm = fmax(arm, norm(mesh->vertices[mesh->triangles[triangle][corner]]));
  return arm;
}

static void look_at_triangles(struct search *search, int t, int u, const struct span *span)
{
  if (search->result.verdict == CROSSING_FOUND)
    return;
  if (++search->looks > MOST_LOOKS) {
    record(search, CROSSING_UNDECIDED, span->begin, NAN);
    return;
  }
  struct span first, second;
  struct triangles begin, middle, end;
  double axes[MOST_AXES][3], deepest = -INFINITY;
  halve(search, span, &first, &second);
  place_triangles(search, t, u, &span->a[0], &span->b[0], span->begin, &begin);
  place_triangles(search, t, u, &first.a[1], &first.b[1], first.end, &middle);
  place_triangles(search, t, u, &span->a[1], &span->b[1], span->end, &end);
  double bend = remainder_of(search->move_a, span, longest_arm(search->a, t)) +
                remainder_of(search->move_b, span, longest_arm(search->b, u));
  double noise = 8 * ROUNDING * fmax(largest_coordinate(&begin), largest_coordinate(&end));
  int count = separating_axes(&middle, axes);
  for (int k = 0; k < count; k++) {
    const double reversed[3] = {-axes[k][0], -axes[k][1], -axes[k][2]};
    const double front = gap_along(&middle, axes[k]), back = gap_along(&middle, reversed);
    const double *axis = front > back ? axes[k] : reversed;
    deepest = fmax(deepest, fmax(front, back));
    if (fmin(gap_along(&begin, axis), gap_along(&end, axis)) > bend + noise)
      return;
  }
  if (deepest < -noise) {
    record(search, CROSSING_FOUND, first.end, -deepest);
  } else if (relative_way(&begin, &end) + 2 * bend < search->tolerance) {
    record(search, CROSSING_UNDECIDED, first.end, -deepest);
  } else {
    look_at_triangles(search, t, u, &first);
    look_at_triangles(search, t, u, &second);
  }
}

// The smallest distance of 0 from the line between two points.
static double line_distance(const double *from, const double *to)
{
  double way[3], nearest[3];
  subtract(way, to, from);
  double square = dot(way, way), s = square > 0 ? fmin(1, fmax(0, -dot(from, way) / square)) : 0;
  for (int k = 0; k < 3; k++)
    nearest[k] = from[k] + s * way[k];
  return norm(nearest);
}

static void look_at_nodes(struct search *search, int i, int j, const struct span *span)
{
  if (search->result.verdict == CROSSING_FOUND || search->looks > MOST_LOOKS)
    return;
  const struct crossing_node *a = &search->a->nodes[i], *b = &search->b->nodes[j];
  double apart[2][3], way[3];
  for (int k = 0; k < 2; k++) {
    double p[3], q[3];
    place(p, &span->a[k], a->centre);
    place(q, &span->b[k], b->centre);
    subtract(apart[k], p, q);
  }
  double radii = a->radius + b->radius;
  double bend =
      remainder_of(search->move_a, span, norm(a->centre)) + remainder_of(search->move_b, span, norm(b->centre));
  double noise =
      8 * ROUNDING * (norm(span->a[0].position) + norm(span->b[0].position) + norm(apart[0]) + norm(apart[1]));
  if (line_distance(apart[0], apart[1]) > radii + bend + noise)
    return;
  subtract(way, apart[1], apart[0]);
  if (norm(way) > radii || bend > radii / 4) {
    struct span first, second;
    halve(search, span, &first, &second);
    look_at_nodes(search, i, j, &first);
    look_at_nodes(search, i, j, &second);
  } else if (a->child < 0 && b->child < 0) {
    look_at_triangles(search, a->triangle, b->triangle, span);
  } else if (b->child < 0 || (a->child >= 0 && a->radius >= b->radius)) {
    look_at_nodes(search, a->child, j, span);
    look_at_nodes(search, a->child + 1, j, span);
  } else {
    look_at_nodes(search, i, b->child, span);
    look_at_nodes(search, i, b->child + 1, span);
  }
}

static double height(const struct search *search, const struct crossing_pose *pose, const double *vertex)
{
  const struct crossing_pose *ground = &search->move_b->start;
  const double normal[3] = {ground->rotation[2], ground->rotation[5], ground->rotation[8]};
  double point[3], arm[3];
  place(point, pose, vertex);
  subtract(arm, point, ground->position);
  return dot(normal, arm);
}

static void look_at_vertex(struct search *search, const double *vertex, const struct span *span)
{
  if (search->result.verdict == CROSSING_FOUND)
    return;
  double low = fmin(height(search, &span->a[0], vertex), height(search, &span->a[1], vertex));
  double bend = remainder_of(search->move_a, span, norm(vertex));
  double noise = 8 * ROUNDING * (norm(span->a[0].position) + norm(span->a[1].position) + norm(vertex));
  if (low > bend + noise)
    return;
  if (low < -noise) {
    record(search, CROSSING_FOUND, height(search, &span->a[0], vertex) < -noise ? span->begin : span->end, -low);
  } else if (bend < search->tolerance * 1e-3) {
    record(search, CROSSING_UNDECIDED, span->begin, -low);
  } else {
    struct span first, second;
    halve(search, span, &first, &second);
    look_at_vertex(search, vertex, &first);
    look_at_vertex(search, vertex, &second);
  }
}

static bool share(const int *t, const int *u)
{
  for (int k = 0; k < 9; k++)
    if (t[k / 3] == u[k % 3])
      return true;
  return false;
}

// Whether the boxes around two triangles' vertices at both ends of a motion, with what bends them, are apart.
static bool boxes_apart(const struct triangles *begin, const struct triangles *end, double margin)
{
  for (int k = 0; k < 3; k++) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 3; corner++)
      for (int side = 0; side < 2; side++) {
        double x = side ? begin->b[corner][k] : begin->a[corner][k], y = side ? end->b[corner][k] : end->a[corner][k];
        low[side] = fmin(low[side], fmin(x, y));
        high[side] = fmax(high[side], fmax(x, y));
      }
    if (low[0] - high[1] > margin || low[1] - high[0] > margin)
      return true;
  }
  return false;
}

// Where a soft body is one of two every triangle is held against every other.
static void look_at_all(struct search *search, const struct span *span)
{
  for (int t = 0; t < search->a->triangle_count; t++)
    for (int u = search->a == search->b ? t + 1 : 0; u < search->b->triangle_count; u++) {
      struct triangles begin, end;
      if (search->a == search->b && share(search->a->triangles[t], search->b->triangles[u]))
        continue;
      place_triangles(search, t, u, &span->a[0], &span->b[0], 0, &begin);
      place_triangles(search, t, u, &span->a[1], &span->b[1], 1, &end);
      double bend = remainder_of(search->move_a, span, longest_arm(search->a, t)) +
                    remainder_of(search->move_b, span, longest_arm(search->b, u));
      if (!boxes_apart(&begin, &end, bend))
        look_at_triangles(search, t, u, span);
    }
}

struct crossing_result crossing_between(const struct crossing_mesh *a, const struct crossing_motion *move_a,
                                        const struct crossing_mesh *b, const struct crossing_motion *move_b,
                                        double tolerance)
{
  if (a->half_space)
    return b->half_space ? (struct crossing_result){CROSSING_CLEAR, 0, 0}
                         : crossing_between(b, move_b, a, move_a, tolerance);
  struct search search = {.a = a, .b = b, .move_a = move_a, .move_b = move_b, .tolerance = tolerance};
  struct span span = {.begin = 0, .end = 1};
  for (int k = 0; k < 2; k++) {
    crossing_pose_at(move_a, k, &span.a[k]);
    crossing_pose_at(move_b, k, &span.b[k]);
  }
  if (b->half_space && a->from) {
    for (int v = 0; v < 2 * a->vertex_count; v++) {
      const double *vertex = v % 2 ? a->to[v / 2] : a->from[v / 2];
      struct crossing_pose at = {.position = {vertex[0], vertex[1], vertex[2]},
                                 .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
      double depth = -height(&search, &at, (const double[3]){0, 0, 0});
      if (depth > 0)
        record(&search, CROSSING_FOUND, v % 2, depth);
    }
  } else if (b->half_space) {
    for (int v = 0; v < a->vertex_count; v++)
      look_at_vertex(&search, a->vertices[v], &span);
  } else if (a->from || b->from) {
    look_at_all(&search, &span);
  } else {
    look_at_nodes(&search, 0, 0, &span);
  }
  return search.result;
}
