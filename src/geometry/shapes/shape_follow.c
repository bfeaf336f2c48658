// SPDX-License-Identifier: Apache-2.0
// A side of triangles (a, b, c), their number n, has with A = sum (a x b + b x c + c x a)/2 and m = sum (a + b + c)/(3
// n)
//     normal N = A/|A|,   offset o = N.m + t log 3,
// and a derivative (u by N, v by o) comes to
//     by A  (I - N N^T)(u + v m)/|A| =: B,   by a  (b - c) x B/2 + v N/(3 n).
//
// A superquadric with vertices z_v about their mean at the start, its centre at p from there, half-axes a_j along the
// axis k(j) of the shape: for vertices y_v of mean m
//     s_k = sum_v z_vk y_vk / sum_v z_vk^2,   half-axes s_k(j) a_j,   centre m + s p (by components).
// One that is turned otherwise has one factor for all axes, the mean of the s_k.
#include "geometry/shapes/shape_follow.h"

#include <math.h>
#include <string.h>

#include "geometry/shapes/constants.h"
#include "math/vector.h"

enum { PLACE = 6, PLANE = 4, FIRST_PLANE = 1, AXES = 3, TURN = 3 };

struct dc_shape_follower {
  const struct dc_shape *start;
  struct dc_sdf *sdf;
  double size;  // at the start, m
  double (*places)[3];
  int **faces;   // [part_count][triangles]: number of the plane; NULL: a superquadric
  double *sums;  // [planes of the largest part][AREA] workspace
  // superquadric
  double (*spread)[3], square[3];  // z_v; sum of their squares
  double half[AXES], arm[3];       // a_j; p
  int along[AXES];                 // k(j); -1: turned
};

// The planes' sums: A, m, n.
enum { OF_AREA = 0, OF_MEAN = 3, OF_COUNT = 6, SUMS = 7 };

// Numbers are the smoothing first, then normal and offset of each plane (sdf_polyhedron.c).
static int plane_count(const struct dc_sdf *polyhedron)
{
  return (polyhedron->number_count - FIRST_PLANE) / PLANE;
}

// A shape of one part is its polyhedron itself; several parts are the children of a union.
static struct dc_sdf *polyhedron_of(const struct dc_shape_follower *f, int part)
{
  return f->start->part_count == 1 ? f->sdf : &f->sdf->children[part];
}

// Adds a triangle to the sums of its side.
static void add_triangle(const double (*x)[3], const int *corners, double *sums)
{
  for (int k = 0; k < 3; k++) {
    double cross[3];
    dc_vec_cross(cross, x[corners[k]], x[corners[(k + 1) % 3]]);
    dc_vec_add_scaled(sums + OF_AREA, sums + OF_AREA, 0.5, cross);
    dc_vec_add_scaled(sums + OF_MEAN, sums + OF_MEAN, 1.0 / 3, x[corners[k]]);
  }
  sums[OF_COUNT] += 1;
}

// Area vectors, sums of means and counts of all sides of a part, at places x [vertices of the part], into f->sums.
static void sum_sides(const struct dc_shape_follower *f, int part, const double (*x)[3])
{
  const struct dc_mesh *mesh = &f->start->parts[part];
  memset(f->sums, 0, SUMS * (size_t)plane_count(polyhedron_of(f, part)) * sizeof *f->sums);
  for (int t = 0; t < mesh->triangle_count; t++)
    add_triangle(x, mesh->triangles[t], f->sums + SUMS * f->faces[part][t]);
}

// The plane of a triangle of the start that the polyhedron has.
static int find_plane(const struct dc_sdf *polyhedron, const struct dc_mesh *mesh, const int *corners, double size)
{
  double sums[SUMS] = {0}, normal[3], least = INFINITY, raised = log(3) * polyhedron->numbers[0];
  int found = 0;
  add_triangle((const double(*)[3])mesh->vertices, corners, sums);
  dc_vec_scale(normal, sums + OF_AREA, 1 / dc_vec_norm(sums + OF_AREA));
  double offset = dc_vec_dot(normal, sums + OF_MEAN) + raised;
  for (int i = 0; i < plane_count(polyhedron); i++) {
    const double *plane = polyhedron->numbers + FIRST_PLANE + PLANE * i;
    double off = fmax(dc_vec_distance(plane, normal), fabs(plane[3] - offset) / size);
    if (off < least) {
      least = off;
      found = i;
    }
  }
  return found;
}

// Finds for each triangle of a convex part the plane that it lies in.
static enum dc_status follow_parts(struct dc_shape_follower *f, struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_shape *start = f->start;
  int most = 0;
  f->faces = dc_arena_alloc(arena, (size_t)start->part_count, sizeof *f->faces);
  for (int p = 0; f->faces && p < start->part_count; p++) {
    const struct dc_mesh *mesh = &start->parts[p];
    const struct dc_sdf *polyhedron = polyhedron_of(f, p);
    most = plane_count(polyhedron) > most ? plane_count(polyhedron) : most;
    f->faces[p] = dc_arena_alloc(arena, (size_t)mesh->triangle_count, sizeof **f->faces);
    for (int t = 0; f->faces[p] && t < mesh->triangle_count; t++)
      f->faces[p][t] = find_plane(polyhedron, mesh, mesh->triangles[t], f->size);
    if (!f->faces[p])
      return dc_out_of_memory_for(error, "the sides of a shape");
  }
  f->sums = dc_arena_alloc(arena, SUMS * (size_t)most, sizeof *f->sums);
  return f->faces && f->sums ? DC_OK : dc_out_of_memory_for(error, "the sides of a shape");
}

// Which axis of the shape each half-axis lies along, or -1 for a turned one, which can only be scaled by one factor.
static void find_axes(struct dc_shape_follower *f, const double rotation[9])
{
  for (int j = 0; j < AXES; j++) {
    f->along[j] = -1;
    for (int k = 0; k < 3; k++)
      if (fabs(rotation[3 * k + j]) > 1 - DC_FOLLOW_ALIGNED)
        f->along[j] = k;
  }
}

// Prepares a superquadric, which follows the mean of its vertices and their spread along its axes.
static enum dc_status follow_superquadric(struct dc_shape_follower *f, struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_shape *start = f->start;
  const struct dc_mesh *mesh = &start->mesh;
  double mean[3] = {0, 0, 0};
  const struct dc_sdf *given = f->sdf->child_count == 1 ? &f->sdf->children[0] : NULL;
  if (f->sdf->type != &dc_sdf_union || !given || given->type != &dc_sdf_superquadric)
    return dc_fail(error, DC_BAD_INPUT,
                   "shape \"%s\": of signed distances only single superquadrics and convex parts can follow vertices "
                   "that move",
                   start->name);
  f->spread = dc_arena_alloc(arena, (size_t)mesh->vertex_count, sizeof *f->spread);
  if (!f->spread)
    return dc_out_of_memory_for(error, "shape \"%s\"", start->name);
  for (int v = 0; v < mesh->vertex_count; v++)
    dc_vec_add_scaled(mean, mean, 1.0 / mesh->vertex_count, mesh->vertices[v]);
  for (int v = 0; v < mesh->vertex_count; v++)
    for (int k = 0; k < 3; k++) {
      f->spread[v][k] = mesh->vertices[v][k] - mean[k];
      f->square[k] += f->spread[v][k] * f->spread[v][k];
    }
  memcpy(f->half, given->numbers, sizeof f->half);
  dc_vec_sub(f->arm, given->position, mean);
  find_axes(f, given->rotation);
  return DC_OK;
}

// A copy whose numbers may change.
static enum dc_status copy_sdf(const struct dc_sdf *from, struct dc_sdf *to, struct dc_arena *arena,
                               struct dc_error *error)
{
  *to = *from;
  to->numbers = dc_arena_alloc(arena, (size_t)from->number_count, sizeof *to->numbers);
  to->children = dc_arena_alloc(arena, (size_t)from->child_count, sizeof *to->children);
  if (!to->numbers || (from->child_count && !to->children))
    return dc_out_of_memory_for(error, "a signed distance");
  memcpy(to->numbers, from->numbers, (size_t)from->number_count * sizeof *to->numbers);
  enum dc_status status = DC_OK;
  for (int i = 0; i < from->child_count && !status; i++)
    status = copy_sdf(&from->children[i], &to->children[i], arena, error);
  return status;
}

// Prepares a signed distance that follows the vertices of the surface: a copy of it, and what ties its numbers to
// vertices (planes of parts, or the axes of a superquadric).
enum dc_status dc_shape_follower_create(const struct dc_shape *start, double smoothing, struct dc_arena *arena,
                                        struct dc_shape_follower **follower, struct dc_error *error)
{
  struct dc_shape_follower *f = dc_arena_alloc(arena, 1, sizeof *f);
  const struct dc_sdf *sdf;
  enum dc_status status = dc_shape_sdf(start, smoothing, arena, &sdf, error);
  if (status)
    return status;
  if (!f || !(f->sdf = dc_arena_alloc(arena, 1, sizeof *f->sdf)) ||
      !(f->places = dc_arena_alloc(arena, (size_t)start->mesh.vertex_count, sizeof *f->places)))
    return dc_out_of_memory_for(error, "shape \"%s\"", start->name);
  if (dc_shape_vertex_count(start) != start->mesh.vertex_count)
    return dc_fail(
        error, DC_BAD_INPUT,
        "shape \"%s\": its convex parts have %d vertices, its surface %d: a signed distance follows vertices "
        "of the surface only",
        start->name, dc_shape_vertex_count(start), start->mesh.vertex_count);
  f->start = start;
  f->size = dc_mesh_size(&start->mesh);
  status = copy_sdf(sdf, f->sdf, arena, error);
  if (!status)
    status = start->sdf ? follow_superquadric(f, arena, error) : follow_parts(f, arena, error);
  *follower = f;
  return status;
}

// Sets the planes of all parts: the mean normal of a plane's triangles, by area, and the mean of their corners.
static enum dc_status set_parts(struct dc_shape_follower *f, struct dc_error *error)
{
  const double(*x)[3] = (const double(*)[3])f->places;
  for (int p = 0; p < f->start->part_count; x += f->start->parts[p++].vertex_count) {
    struct dc_sdf *polyhedron = polyhedron_of(f, p);
    double raised = log(3) * polyhedron->numbers[0], reach = 0, out = 0;
    bool convex = true;
    sum_sides(f, p, x);
    for (int i = 0; i < plane_count(polyhedron); i++) {
      const double *sums = f->sums + SUMS * i;
      double *plane = polyhedron->numbers + FIRST_PLANE + PLANE * i;
      dc_vec_scale(plane, sums + OF_AREA, 1 / dc_vec_norm(sums + OF_AREA));
      double offset = dc_vec_dot(plane, sums + OF_MEAN) / sums[OF_COUNT];
      plane[3] = offset + raised;
      for (int v = 0; v < f->start->parts[p].vertex_count; v++) {
        double stands = dc_vec_dot(plane, x[v]) - offset;
        convex = convex && stands <= DC_FOLLOW_MOST_STANDING * f->size;  // false where it is not a number, too
        out = fmax(out, stands);
      }
    }
    if (!convex)
      return dc_fail(
          error, DC_INFEASIBLE,
          "shape \"%s\", part %d: a vertex stands out of a side by %.3g m (at most %.3g): it must stay convex",
          f->start->name, p + 1, out, DC_FOLLOW_MOST_STANDING * f->size);
    for (int v = 0; v < f->start->parts[p].vertex_count; v++)
      reach = fmax(reach, dc_vec_norm(x[v]));
    polyhedron->reach = reach + raised;
  }
  return DC_OK;
}

// Sets centre and half-axes of the superquadric from mean and spread of the vertices.
static enum dc_status set_superquadric(struct dc_shape_follower *f, struct dc_error *error)
{
  int count = f->start->mesh.vertex_count;
  double mean[3] = {0, 0, 0}, s[3] = {0, 0, 0}, off = 0;
  struct dc_sdf *quadric = &f->sdf->children[0];
  for (int v = 0; v < count; v++)
    for (int k = 0; k < 3; k++) {
      mean[k] += f->places[v][k] / count;
      s[k] += f->spread[v][k] * f->places[v][k] / f->square[k];
    }
  if (f->along[0] < 0 || f->along[1] < 0 || f->along[2] < 0)
    s[0] = s[1] = s[2] = (s[0] + s[1] + s[2]) / 3;
  for (int v = 0; v < count; v++)
    for (int k = 0; k < 3; k++)
      off = fmax(off, fabs(f->places[v][k] - mean[k] - s[k] * f->spread[v][k]));
  if (!(off <= DC_FOLLOW_MOST_OFF * f->size) || !(s[0] > 0 && s[1] > 0 && s[2] > 0))
    return dc_fail(
        error, DC_BAD_INPUT,
        "shape \"%s\": a superquadric's vertices move by factors along the axes of its frame only, by one for "
        "all where it is turned (design parameter \"size\"); they are off by %.3g m",
        f->start->name, off);
  for (int j = 0; j < AXES; j++)
    quadric->numbers[j] = f->half[j] * s[f->along[j] < 0 ? 0 : f->along[j]];
  for (int k = 0; k < 3; k++)
    quadric->position[k] = mean[k] + s[k] * f->arm[k];
  return DC_OK;
}

// The places are copied, since the derivative is taken at them later.
enum dc_status dc_shape_follow(struct dc_shape_follower *f, const double (*places)[3], const struct dc_sdf **sdf,
                               struct dc_error *error)
{
  memcpy(f->places, places, (size_t)f->start->mesh.vertex_count * sizeof *places);
  *sdf = f->sdf;
  return f->faces ? set_parts(f, error) : set_superquadric(f, error);
}

// by: derivatives by the numbers of a part's planes.
static void pull_part(const struct dc_shape_follower *f, int part, const double (*x)[3], const double *by,
                      double (*by_places)[3])
{
  const struct dc_mesh *mesh = &f->start->parts[part];
  const struct dc_sdf *polyhedron = polyhedron_of(f, part);
  sum_sides(f, part, x);
  for (int t = 0; t < mesh->triangle_count; t++) {
    int side = f->faces[part][t];
    const double *sums = f->sums + SUMS * side, *plane = polyhedron->numbers + FIRST_PLANE + PLANE * side,
                 *by_plane = by + FIRST_PLANE + PLANE * side;
    double by_normal[3], by_area[3], size = dc_vec_norm(sums + OF_AREA);
    dc_vec_scale(by_normal, sums + OF_MEAN, by_plane[3] / sums[OF_COUNT]);
    dc_vec_add(by_normal, by_normal, by_plane);
    dc_vec_add_scaled(by_area, by_normal, -dc_vec_dot(plane, by_normal), plane);
    dc_vec_scale(by_area, by_area, 1 / size);
    for (int k = 0; k < 3; k++) {
      int a = mesh->triangles[t][k], b = mesh->triangles[t][(k + 1) % 3], c = mesh->triangles[t][(k + 2) % 3];
      double edge[3], turned[3];
      dc_vec_sub(edge, x[b], x[c]);
      dc_vec_cross(turned, edge, by_area);
      dc_vec_add_scaled(by_places[a], by_places[a], 0.5, turned);
      dc_vec_add_scaled(by_places[a], by_places[a], by_plane[3] / (3 * sums[OF_COUNT]), plane);
    }
  }
}

// Derivatives by the superquadric's numbers on to the vertices.
static void pull_superquadric(const struct dc_shape_follower *f, const double *by, double (*by_places)[3])
{
  const double *by_half = by + f->sdf->number_count + PLACE;
  const double *by_centre = by_half + f->sdf->children[0].number_count + TURN;
  bool turned = f->along[0] < 0 || f->along[1] < 0 || f->along[2] < 0;
  int count = f->start->mesh.vertex_count;
  double by_factor[3];
  for (int k = 0; k < 3; k++)
    by_factor[k] = by_centre[k] * f->arm[k];
  for (int j = 0; j < AXES; j++)
    by_factor[turned ? j : f->along[j]] += by_half[j] * f->half[j];
  if (turned)
    by_factor[0] = by_factor[1] = by_factor[2] = (by_factor[0] + by_factor[1] + by_factor[2]) / 3;
  for (int v = 0; v < count; v++)
    for (int k = 0; k < 3; k++)
      by_places[v][k] += by_factor[k] * f->spread[v][k] / f->square[k] + by_centre[k] / count;
}

// Vertices and parameters of the parts stand one after the other, in the order of the shape's parts.  The union's own
// smoothing and place come before them and do not depend on vertices.
void dc_shape_follower_pull_back(const struct dc_shape_follower *f, const double *by_parameters, double (*by_places)[3])
{
  if (!f->faces) {
    pull_superquadric(f, by_parameters, by_places);
    return;
  }
  const double(*x)[3] = (const double(*)[3])f->places;
  const double *by = f->start->part_count == 1 ? by_parameters : by_parameters + f->sdf->number_count + PLACE;
  for (int p = 0; p < f->start->part_count; p++) {
    pull_part(f, p, x, by, by_places);
    x += f->start->parts[p].vertex_count;
    by_places += f->start->parts[p].vertex_count;
    by += dc_sdf_parameter_count(polyhedron_of(f, p));
  }
}
