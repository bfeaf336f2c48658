// SPDX-License-Identifier: Apache-2.0
// How far a hull rises above the triangles of a surface.
//
// Along the edges of a convex polytope a linear function climbs to its maximum without a detour, so the vertex that
// lies highest above a plane is found from any vertex by going up.  From a corner of a triangle that lies on the hull
// it is no long way: the test of a convex surface takes about as long as its number of triangles.
#include "geometry/convex/hull_excess.h"

#include <stdlib.h>

#include "geometry/convex/hull.h"
#include "math/vector.h"

// Lists the neighbours of every vertex: those of v are next[start[v]] .. next[start[v + 1] - 1].
enum dc_status dc_neighbors_find(const struct dc_mesh *mesh, struct dc_neighbors *neighbors, struct dc_error *error)
{
  neighbors->start = dc_alloc((size_t)mesh->vertex_count + 2, sizeof *neighbors->start);
  neighbors->next = dc_alloc(3 * (size_t)mesh->triangle_count, sizeof *neighbors->next);
  if (!neighbors->start || !neighbors->next)
    return dc_out_of_memory_for(error, "the edges of a mesh of %d triangles", mesh->triangle_count);
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

void dc_neighbors_free(struct dc_neighbors *neighbors)
{
  free(neighbors->start);
  free(neighbors->next);
}

// The vertex of a convex mesh that is farthest in direction, by going up from vertex.
static int climb(const struct dc_mesh *hull, const struct dc_neighbors *neighbors, const double direction[3],
                 int vertex)
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

// (b - a) x (c - a) over its length; a triangle without area has no normal, and gives NaN.
void dc_unit_normal(const struct dc_mesh *mesh, int triangle, double normal[3])
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

// n.(x - a): positive outside.
double dc_height_above(const struct dc_mesh *mesh, int triangle, const double normal[3], const double point[3])
{
  double above[3];
  dc_vec_sub(above, point, mesh->vertices[mesh->triangles[triangle][0]]);
  return dc_vec_dot(normal, above);
}

// The largest height of the hull above the plane of a triangle of the mesh.  The vertex highest above a triangle is
// found by climbing over the hull, from that of the triangle before or from a corner that the hull has.
enum dc_status dc_hull_excess(const struct dc_mesh *hull, const struct dc_mesh *mesh, double *excess,
                              struct dc_error *error)
{
  struct dc_neighbors neighbors = {0};
  enum dc_status status = dc_neighbors_find(hull, &neighbors, error);
  int *in_hull = dc_alloc((size_t)mesh->vertex_count, sizeof *in_hull), highest = 0;
  *excess = 0;
  if (!status && !in_hull)
    status = dc_out_of_memory_for(error, "a mesh of %d vertices", mesh->vertex_count);
  if (!status)
    match(hull, mesh, in_hull);
  for (int t = 0; !status && t < mesh->triangle_count; t++) {
    double normal[3];
    dc_unit_normal(mesh, t, normal);
    for (int k = 0; k < 3; k++)
      if (in_hull[mesh->triangles[t][k]] >= 0)
        highest = in_hull[mesh->triangles[t][k]];
    highest = climb(hull, &neighbors, normal, highest);
    *excess = fmax(*excess, dc_height_above(mesh, t, normal, hull->vertices[highest]));
  }
  dc_neighbors_free(&neighbors);
  free(in_hull);
  return status;
}
