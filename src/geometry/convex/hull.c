// SPDX-License-Identifier: Apache-2.0
// Convex hulls by Qhull (Barber, Dobkin, Huhdanpaa 1996, The quickhull algorithm for convex hulls).
//
// 1. Points are moved and scaled to a box of diagonal 1, so that tolerances are relative (normalize); points that
// span no volume are refused (check_spread).
// 2. Qhull finds triangles; corners of slivers are taken out and it runs again (find_facets).
// 3. The mesh gets the input's own coordinates and an order that does not depend on Qhull (write_mesh), and is
// checked: closed, and convex to rounding (check_hull).
#include "geometry/convex/hull.h"

#include <libqhull_r/libqhull_r.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "geometry/convex/constants.h"
#include "math/vector.h"

// Points that may be corners, in the order of the input.
struct candidates {
  int count;
  double (*points)[3];  // about the centre of the bounding box, divided by its diagonal
  int *source;          // index in the input
};

// Triangles between candidates.
struct facets {
  int count;
  size_t capacity;
  int (*triangles)[3];  // [count] indices of candidates, counter-clockwise seen from outside
};

const char *dc_qhull_version(void)
{
  return qh_version;
}

static enum dc_status fail_memory(int point_count, struct dc_error *error)
{
  return dc_out_of_memory_for(error, "the convex hull of %d points", point_count);
}

// Fills candidates (counts and arrays are set) with all points.
static enum dc_status normalize(const double (*points)[3], struct candidates *candidates, struct dc_error *error)
{
  double lower[3], upper[3], center[3];
  dc_vec_copy(lower, points[0]);
  dc_vec_copy(upper, points[0]);
  for (int i = 0; i < candidates->count; i++)
    for (int k = 0; k < 3; k++) {
      if (!(fabs(points[i][k]) <= DC_HULL_LARGEST_COORDINATE))  // true for NAN
        return dc_fail(error, DC_BAD_INPUT, "point %d of a convex hull is not finite or beyond %g m", i,
                       DC_HULL_LARGEST_COORDINATE);
      lower[k] = fmin(lower[k], points[i][k]);
      upper[k] = fmax(upper[k], points[i][k]);
    }
  double size = dc_vec_distance(upper, lower);
  dc_vec_add(center, lower, upper);
  dc_vec_scale(center, center, 0.5);
  for (int i = 0; i < candidates->count; i++) {
    for (int k = 0; k < 3; k++)
      candidates->points[i][k] = size > 0 ? (points[i][k] - center[k]) / size : 0;
    candidates->source[i] = i;
  }
  return DC_OK;
}

// Refuses points on a line or in a plane: the largest distances from a point, a line and a plane through the farthest
// points found before must not vanish.
static enum dc_status check_spread(const struct candidates *candidates, struct dc_error *error)
{
  const double(*points)[3] = (const double(*)[3])candidates->points;
  double line[3] = {0}, plane[3] = {0}, farthest[3] = {0};
  for (int dimension = 0; dimension < 3; dimension++) {
    double next[3] = {0};
    for (int i = 0; i < candidates->count; i++) {
      double offset[3], across[3] = {0}, distance = 0;
      dc_vec_sub(offset, points[i], points[0]);
      if (dimension == 0) {
        distance = dc_vec_norm(offset);
        dc_vec_copy(across, offset);
      } else if (dimension == 1) {
        dc_vec_cross(across, line, offset);
        distance = dc_vec_norm(across);
      } else {
        distance = fabs(dc_vec_dot(plane, offset));
      }
      if (distance > farthest[dimension]) {
        farthest[dimension] = distance;
        dc_vec_copy(next, across);
      }
    }
    if (farthest[dimension] <= DC_HULL_LEAST_THICKNESS)
      return dc_fail(error, DC_BAD_INPUT, "all %d points lie %s: they have no convex hull", candidates->count,
                     dimension == 0   ? "in one place"
                     : dimension == 1 ? "on a line"
                                      : "in a plane");
    if (dimension < 2)
      dc_vec_scale(dimension == 0 ? line : plane, next, 1 / farthest[dimension]);
  }
  return DC_OK;
}

// The triangles of a finished qhull.
static enum dc_status collect(qhT *qh, const struct candidates *candidates, struct facets *facets,
                              struct dc_error *error)
{
  facetT *facet;
  facets->count = 0;
  if (qh->num_vertices > DC_HULL_VERTICES_MAX)
    return dc_fail(error, DC_BAD_INPUT, "the convex hull of %d points has more than %d corners", candidates->count,
                   DC_HULL_VERTICES_MAX);
  if (dc_grow(&facets->triangles, &facets->capacity, (size_t)qh->num_facets, sizeof *facets->triangles))
    return fail_memory(candidates->count, error);
  FORALLfacets {
    int *triangle = facets->triangles[facets->count++], corner = 0;
    vertexT *vertex, **vertexp;
    FOREACHvertex_ (facet->vertices) {
      if (corner < 3)
        triangle[corner] = qh_pointid(qh, vertex->point);
      corner++;
    }
    if (corner != 3)
      return dc_fail(error, DC_BAD_INPUT, "a side of the convex hull of %d points has %d corners", candidates->count,
                     corner);
    if (facet->toporient ^ qh_ORIENTclock) {
      int first = triangle[0];
      triangle[0] = triangle[1], triangle[1] = first;
    }
  }
  return DC_OK;
}

// Its first message, without its end of line: "QH6214 qhull ... error: ...".
static int first_line(const char *messages)
{
  return messages ? (int)strcspn(messages, "\n") : 0;
}

// One run of qhull in this process.  It writes its errors to a file, which must be there: here it is memory.
static enum dc_status run_qhull_here(const struct candidates *candidates, struct facets *facets, struct dc_error *error)
{
  char command[64], *messages = NULL;
  size_t size;
  FILE *file = open_memstream(&messages, &size);
  qhT *qh = file ? dc_alloc(1, sizeof *qh) : NULL;
  enum dc_status status;
  if (qh) {
    // Qt: triangles only; Pp: no warnings; W: leave out points that close to a side, far above rounding, or Qt may turn
    // triangles of sides that are plane to rounding over; TA: stop after so many vertices.
    snprintf(command, sizeof command, "qhull Qt Pp W1e-11 TA%d", DC_HULL_VERTICES_MAX + 1);
    qh_zero(qh, file);
    int code = qh_new_qhull(qh, 3, candidates->count, candidates->points[0], False, command, NULL, file);
    fflush(file);
    if (code == qh_ERRnone)
      status = collect(qh, candidates, facets, error);
    else if (code == qh_ERRmem)
      status = fail_memory(candidates->count, error);
    else
      status =
          dc_fail(error, DC_BAD_INPUT, "the convex hull of %d points is undecided to rounding (%.*s)",
                  candidates->count, first_line(messages) < 200 ? first_line(messages) : 200, messages ? messages : "");
    int long_blocks, long_bytes;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_blocks, &long_bytes);
  } else {
    status = fail_memory(candidates->count, error);
  }
  if (file)
    fclose(file);
  free(messages);
  free(qh);
  return status;
}

// A run of qhull in a process of its own: the answer is the triangles.
static enum dc_status run_apart(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  struct facets facets = {0};
  enum dc_status status = run_qhull_here(context, &facets, error);
  *bytes = (char *)facets.triangles;
  *size = status ? 0 : (size_t)facets.count * sizeof *facets.triangles;
  return status;
}

// One run of qhull; of many points, which are some file's, in a process of its own with limits: a hull of 100,000
// points on a sphere takes a second and 200 MB, far below them.
static enum dc_status run_qhull(const struct candidates *candidates, struct facets *facets, struct dc_error *error)
{
  enum { MANY = 1000, SECONDS = 20, POINTS_PER_SECOND = 10000, MEGABYTES = 256, POINTS_PER_MEGABYTE = 200 };
  unsigned count = (unsigned)candidates->count;
  struct dc_error why = {0};
  char *bytes;
  size_t size;
  if (candidates->count < MANY)
    return run_qhull_here(candidates, facets, error);
  enum dc_status status =
      dc_child_run_wary(run_apart, (void *)(uintptr_t)candidates, SECONDS + count / POINTS_PER_SECOND,
                        MEGABYTES + count / POINTS_PER_MEGABYTE, &bytes, &size, &why);
  if (status)
    return dc_fail(error, status, "%s%s",
                   strstr(why.text, "convex hull") ? "" : "the convex hull of its points: ", why.text);
  facets->count = (int)(size / sizeof *facets->triangles);
  if (dc_grow(&facets->triangles, &facets->capacity, (size_t)facets->count, sizeof *facets->triangles))
    status = fail_memory(candidates->count, error);
  else
    memcpy(facets->triangles, bytes, (size_t)facets->count * sizeof *facets->triangles);
  free(bytes);
  for (int i = 0; !status && i < 3 * facets->count; i++)
    if (facets->triangles[i / 3][i % 3] < 0 || facets->triangles[i / 3][i % 3] >= candidates->count)
      status = dc_fail(error, DC_BAD_INPUT, "the convex hull of %d points has a corner that is none of them",
                       candidates->count);
  return status;
}

enum { REMOVED = 1, KEPT = 2, CORNER = 4 };  // marks of points

// Marks the middle corners of slivers as removed, but no corner that another sliver's removal relies on; the number
// marked.  A sliver is a triangle so thin that its plane is rounding.  marks [count], zeroed.
static int mark_slivers(const struct candidates *candidates, const struct facets *facets, unsigned char *marks)
{
  int removed = 0;
  for (int t = 0; t < facets->count; t++) {
    const int *triangle = facets->triangles[t];
    double edge[3][3], length[3], normal[3];
    int longest = 0;
    for (int k = 0; k < 3; k++) {
      marks[triangle[k]] |= CORNER;
      dc_vec_sub(edge[k], candidates->points[triangle[(k + 1) % 3]], candidates->points[triangle[k]]);
      length[k] = dc_vec_norm(edge[k]);
      longest = length[k] > length[longest] ? k : longest;
    }
    dc_vec_cross(normal, edge[(longest + 1) % 3], edge[(longest + 2) % 3]);
    double twice_area = dc_vec_norm(normal);
    if (twice_area > DC_HULL_SLIVER_HEIGHT * length[longest] && twice_area > 2 * DC_HULL_SLIVER_AREA)
      continue;
    int a = triangle[longest], b = triangle[(longest + 1) % 3], middle = triangle[(longest + 2) % 3];
    if (marks[middle] & (REMOVED | KEPT) || (marks[a] | marks[b]) & REMOVED)
      continue;
    marks[middle] |= REMOVED;
    marks[a] |= KEPT;
    marks[b] |= KEPT;
    removed++;
  }
  return removed;
}

// Makes the hull, and again without the corners of slivers until there are none.  A triangulated side with corners in
// the middle of its edges would hold triangles without area.
static enum dc_status find_facets(struct candidates *candidates, struct facets *facets, unsigned char *marks,
                                  struct dc_error *error)
{
  for (;;) {
    enum dc_status status = run_qhull(candidates, facets, error);
    if (status)
      return status;
    memset(marks, 0, (size_t)candidates->count);
    if (mark_slivers(candidates, facets, marks) == 0)
      return DC_OK;
    int kept = 0;
    for (int i = 0; i < candidates->count; i++) {
      if ((marks[i] & (CORNER | REMOVED)) != CORNER)
        continue;
      memmove(candidates->points[kept], candidates->points[i], sizeof candidates->points[i]);
      candidates->source[kept++] = candidates->source[i];
    }
    candidates->count = kept;
    if (kept < 4)
      return dc_fail(error, DC_BAD_INPUT, "the points lie in a plane to rounding: they have no convex hull");
  }
}

// Lexicographic by corner indices: the order of the mesh's triangles, the same on every run.
static int compare_triangles(const void *left, const void *right)
{
  const int *a = left, *b = right;
  for (int k = 0; k < 3; k++)
    if (a[k] != b[k])
      return a[k] < b[k] ? -1 : 1;
  return 0;
}

// Corners in the order of the input, every triangle from its first corner on, triangles sorted: whatever order qhull
// (which hashes addresses) lists them in.  number [count] is overwritten.
static enum dc_status write_mesh(const double (*points)[3], const struct candidates *candidates,
                                 const struct facets *facets, int *number, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error)
{
  memset(number, 0, (size_t)candidates->count * sizeof *number);
  for (int t = 0; t < facets->count; t++)
    for (int k = 0; k < 3; k++)
      number[facets->triangles[t][k]] = 1;
  int corners = 0;
  for (int i = 0; i < candidates->count; i++)
    corners += number[i];
  mesh->vertices = dc_arena_alloc(arena, (size_t)corners, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(arena, (size_t)facets->count, sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles)
    return fail_memory(candidates->count, error);
  for (int i = 0; i < candidates->count; i++) {
    if (!number[i])
      continue;
    dc_vec_copy(mesh->vertices[mesh->vertex_count], points[candidates->source[i]]);
    number[i] = mesh->vertex_count++;
  }
  for (int t = 0; t < facets->count; t++) {
    const int *triangle = facets->triangles[t];
    int first = 0;
    for (int k = 1; k < 3; k++)
      first = triangle[k] < triangle[first] ? k : first;
    for (int k = 0; k < 3; k++)
      mesh->triangles[t][k] = number[triangle[(first + k) % 3]];
  }
  mesh->triangle_count = facets->count;
  qsort(mesh->triangles, (size_t)mesh->triangle_count, sizeof *mesh->triangles, compare_triangles);
  return DC_OK;
}

// Checks that the hull, which qhull guarantees within its own tolerances, holds within ours.
static enum dc_status check_hull(const struct dc_mesh *mesh, struct dc_error *error)
{
  double excess;
  enum dc_status status = dc_mesh_validate(mesh, error);
  if (!status)
    status = dc_hull_excess(mesh, mesh, &excess, error);
  if (status)
    return status;
  if (excess > DC_HULL_LARGEST_EXCESS * dc_mesh_size(mesh))
    return dc_fail(error, DC_BAD_INPUT, "a convex hull of %d corners is not convex to rounding (by %.3g m)",
                   mesh->vertex_count, excess);
  return DC_OK;
}

// The convex hull of points: merge and normalize them, check that they span a volume, find facets, write the mesh of
// those used, and check that it is convex and closed.
enum dc_status dc_hull(const double (*points)[3], int point_count, struct dc_arena *arena, struct dc_mesh *mesh,
                       struct dc_error *error)
{
  *mesh = (struct dc_mesh){0};
  if (point_count < 4)
    return dc_fail(error, DC_BAD_INPUT, "a convex hull needs at least 4 points (has %d)", point_count);
  struct candidates candidates = {.count = point_count};
  struct facets facets = {0};
  candidates.points = dc_alloc((size_t)point_count, sizeof *candidates.points);
  candidates.source = dc_alloc((size_t)point_count, sizeof *candidates.source);
  unsigned char *marks = dc_alloc((size_t)point_count, 1);
  int *number = dc_alloc((size_t)point_count, sizeof *number);
  enum dc_status status = DC_OK;
  if (!candidates.points || !candidates.source || !marks || !number)
    status = fail_memory(point_count, error);
  if (!status)
    status = normalize(points, &candidates, error);
  if (!status)
    status = check_spread(&candidates, error);
  if (!status)
    status = find_facets(&candidates, &facets, marks, error);
  if (!status)
    status = write_mesh(points, &candidates, &facets, number, arena, mesh, error);
  if (!status)
    status = check_hull(mesh, error);
  if (status)
    *mesh = (struct dc_mesh){0};
  free(candidates.points);
  free(candidates.source);
  free(marks);
  free(number);
  free(facets.triangles);
  return status;
}
