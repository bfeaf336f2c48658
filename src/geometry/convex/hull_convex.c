// SPDX-License-Identifier: Apache-2.0
// Whether a surface is convex, asked of its hull.
//
// Along the edges of a convex polytope a linear function climbs to its maximum without a detour, so the vertex that
// lies highest above a plane is found from any vertex by going up.  From a corner of a triangle that lies on the hull
// it is no long way: the test of a convex surface takes about as long as its number of triangles.
#include "geometry/convex/hull.h"

#include <stdlib.h>

#include "math/vector.h"

// The neighbours of vertex v are next[start[v]] to next[start[v + 1] - 1]: of a closed surface every edge runs out of
// each of its ends once.
struct neighbors {
  int *start, *next;  // [vertex_count + 2], [3 * triangle_count]
};

static enum dc_status find_neighbors(const struct dc_mesh *mesh, struct neighbors *neighbors, struct dc_error *error)
{
  neighbors->start = dc_alloc((size_t)mesh->vertex_count + 2, sizeof *neighbors->start);
  neighbors->next = dc_alloc(3 * (size_t)mesh->triangle_count, sizeof *neighbors->next);
  if (!neighbors->start || !neighbors->next)
    return dc_fail(error, DC_MEMORY, "out of memory for the edges of a mesh of %d triangles", mesh->triangle_count);
  int *start = neighbors->start;
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      start[mesh->triangles[t][k] + 2]++;
  for (int v = 0; v < mesh->vertex_count; v++)
    start[v + 2] += start[v + 1];
  // start[v + 1] is where the next neighbour of v goes; in the end it is where those of v + 1 begin.
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      neighbors->next[start[mesh->triangles[t][k] + 1]++] = mesh->triangles[t][(k + 1) % 3];
  return DC_OK;
}

static void free_neighbors(struct neighbors *neighbors)
{
  free(neighbors->start);
  free(neighbors->next);
}

// The vertex of a convex mesh that is farthest in direction, by going up from vertex.
static int climb(const struct dc_mesh *hull, const struct neighbors *neighbors, const double direction[3], int vertex)
{
  double height = dc_vec_dot(direction, hull->vertices[vertex]);
  for (int highest = vertex;; vertex = highest) {
    for (int i = neighbors->start[vertex]; i < neighbors->start[vertex + 1]; i++) {
      double other = dc_vec_dot(direction, hull->vertices[neighbors->next[i]]);
      if (other > height)
        height = other, highest = neighbors->next[i];
    }
    if (highest == vertex)
      return vertex;
  }
}

// The vertices of the hull are some of those of the mesh, in the same order: where each is in the hull, or -1.
static void match(const struct dc_mesh *hull, const struct dc_mesh *mesh, int *in_hull)
{
  int next = 0;
  for (int v = 0; v < mesh->vertex_count; v++) {
    bool same = next < hull->vertex_count;
    for (int k = 0; same && k < 3; k++)
      same = mesh->vertices[v][k] == hull->vertices[next][k];
    in_hull[v] = same ? next++ : -1;
  }
}

static void unit_normal(const struct dc_mesh *mesh, int triangle, double normal[3])
{
  const double *corner[3];
  double u[3], v[3];
  for (int k = 0; k < 3; k++)
    corner[k] = mesh->vertices[mesh->triangles[triangle][k]];
  dc_vec_sub(u, corner[1], corner[0]);
  dc_vec_sub(v, corner[2], corner[0]);
  dc_vec_cross(normal, u, v);
  dc_vec_scale(normal, normal, 1 / dc_vec_norm(normal));
}

// Height of point above the plane of a triangle with that normal.
static double height_above(const struct dc_mesh *mesh, int triangle, const double normal[3], const double point[3])
{
  double above[3];
  dc_vec_sub(above, point, mesh->vertices[mesh->triangles[triangle][0]]);
  return dc_vec_dot(normal, above);
}

enum dc_status dc_hull_excess(const struct dc_mesh *hull, const struct dc_mesh *mesh, double *excess,
                              struct dc_error *error)
{
  struct neighbors neighbors = {0};
  enum dc_status status = find_neighbors(hull, &neighbors, error);
  int *in_hull = dc_alloc((size_t)mesh->vertex_count, sizeof *in_hull), highest = 0;
  *excess = 0;
  if (!status && !in_hull)
    status = dc_fail(error, DC_MEMORY, "out of memory for a mesh of %d vertices", mesh->vertex_count);
  if (!status)
    match(hull, mesh, in_hull);
  for (int t = 0; !status && t < mesh->triangle_count; t++) {
    double normal[3];
    unit_normal(mesh, t, normal);
    for (int k = 0; k < 3; k++)
      if (in_hull[mesh->triangles[t][k]] >= 0)
        highest = in_hull[mesh->triangles[t][k]];
    highest = climb(hull, &neighbors, normal, highest);
    *excess = fmax(*excess, height_above(mesh, t, normal, hull->vertices[highest]));
  }
  free_neighbors(&neighbors);
  free(in_hull);
  return status;
}

// False when a neighbour of a triangle's corner is higher above its plane than most: the answer for nearly all surfaces
// that are not convex, without their hull.  A vertex may have any number of neighbours: some are enough.
static bool may_be_convex(const struct dc_mesh *mesh, const struct neighbors *neighbors, double most)
{
  enum { SOME = 8 };
  for (int t = 0; t < mesh->triangle_count; t++) {
    double normal[3];
    unit_normal(mesh, t, normal);
    for (int k = 0; k < 3; k++) {
      int vertex = mesh->triangles[t][k], end = neighbors->start[vertex + 1];
      for (int i = neighbors->start[vertex]; i < end && i < neighbors->start[vertex] + SOME; i++)
        if (height_above(mesh, t, normal, mesh->vertices[neighbors->next[i]]) > most)
          return false;
    }
  }
  return true;
}

static enum dc_status find_connected(const struct dc_mesh *mesh, bool *connected, struct dc_error *error)
{
  int *parts = dc_alloc((size_t)mesh->vertex_count, sizeof *parts);
  if (!parts)
    return dc_fail(error, DC_MEMORY, "out of memory for the parts of a mesh of %d vertices", mesh->vertex_count);
  dc_mesh_parts(mesh, parts);
  *connected = true;
  for (int v = 0; v < mesh->vertex_count; v++)
    *connected &= parts[v] == 0;
  free(parts);
  return DC_OK;
}

// A closed surface whose triangles all lie on the sides of its hull goes around it once or several times.
static bool winds_once(const struct dc_mesh *mesh, const struct dc_mesh *hull)
{
  struct dc_mass_properties inside, whole;
  dc_mesh_mass_properties(mesh, &inside);
  dc_mesh_mass_properties(hull, &whole);
  return inside.volume < 1.5 * whole.volume;
}

// The same question, asked of the hull of a connected surface.
static enum dc_status compare_with_hull(const struct dc_mesh *mesh, double most, bool *convex, struct dc_error *error)
{
  struct dc_error reason = {0};
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh hull;
  double excess = 0;
  if (!arena)
    return dc_fail(error, DC_MEMORY, "out of memory for a convex hull");
  enum dc_status status = dc_hull((const double(*)[3])mesh->vertices, mesh->vertex_count, arena, &hull, &reason);
  if (!status)
    status = dc_hull_excess(&hull, mesh, &excess, &reason);
  *convex = !status && excess <= most && winds_once(mesh, &hull);
  dc_arena_destroy(arena);
  return status == DC_MEMORY ? dc_fail(error, DC_MEMORY, "%s", reason.text) : DC_OK;
}

enum dc_status dc_mesh_is_convex(const struct dc_mesh *mesh, double tolerance, bool *convex, struct dc_error *error)
{
  struct neighbors neighbors = {0};
  double most = tolerance * dc_mesh_size(mesh);
  *convex = false;
  enum dc_status status = find_neighbors(mesh, &neighbors, error);
  if (!status)
    status = find_connected(mesh, convex, error);
  if (!status && *convex)
    *convex = may_be_convex(mesh, &neighbors, most);
  if (!status && *convex)
    status = compare_with_hull(mesh, most, convex, error);
  free_neighbors(&neighbors);
  return status;
}
