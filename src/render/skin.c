// SPDX-License-Identifier: Apache-2.0
#include "render/skin.h"

#include <string.h>

#include "math/vector.h"

enum { SIDES = 8 };  // of a tube

static bool is_rod(const struct dc_soft *soft)
{
  return soft->mesh.corners == 2;
}

int dc_skin_vertex_count(const struct dc_soft *soft)
{
  return is_rod(soft) ? SIDES * soft->node_count : soft->node_count;
}

// Around every segment a ring of quads, at both ends a fan.
int dc_skin_triangle_count(const struct dc_soft *soft)
{
  return is_rod(soft) ? 2 * SIDES * soft->mesh.element_count + 2 * (SIDES - 2) : soft->mesh.triangle_count;
}

static void set_triangle(int *triangle, int a, int b, int c)
{
  triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

void dc_skin_triangles(const struct dc_soft *soft, int (*triangles)[3])
{
  int t = 0, last = SIDES * soft->mesh.element_count;
  if (!is_rod(soft)) {
    memcpy(triangles, soft->mesh.triangles, (size_t)soft->mesh.triangle_count * sizeof *triangles);
    return;
  }
  for (int e = 0; e < soft->mesh.element_count; e++)
    for (int k = 0; k < SIDES; k++) {
      int a = SIDES * e + k, b = SIDES * e + (k + 1) % SIDES;
      set_triangle(triangles[t++], a, b, b + SIDES);
      set_triangle(triangles[t++], a, b + SIDES, a + SIDES);
    }
  for (int k = 1; k + 1 < SIDES; k++) {
    set_triangle(triangles[t++], 0, k + 1, k);
    set_triangle(triangles[t++], last, last + k, last + k + 1);
  }
}

// The direction of a rod at a node, from its neighbour before to the one behind.
static void direction_at(const struct dc_soft *soft, const double *nodes, int node, double along[3])
{
  int before = node > 0 ? node - 1 : node, behind = node < soft->mesh.element_count ? node + 1 : node;
  dc_vec_sub(along, nodes + 3 * (size_t)behind, nodes + 3 * (size_t)before);
  double length = dc_vec_norm(along);
  dc_vec_scale(along, along, 1 / (length > 0 ? length : 1));
}

// Rings of which each turns as little as it can against the one before it.
void dc_skin_place(const struct dc_soft *soft, const double *nodes, double (*vertices)[3])
{
  double across[3] = {0, 0, 0}, along[3], other[3];
  if (!is_rod(soft)) {
    memcpy(vertices, nodes, 3 * (size_t)soft->node_count * sizeof *nodes);
    return;
  }
  double segment = dc_vec_distance(soft->mesh.nodes[0], soft->mesh.nodes[1]),
         radius = sqrt(soft->elastic.volumes[0] / (M_PI * segment));
  direction_at(soft, nodes, 0, along);
  across[fabs(along[0]) < fabs(along[2]) ? 0 : 2] = 1;
  for (int n = 0; n < soft->node_count; n++) {
    direction_at(soft, nodes, n, along);
    dc_vec_add_scaled(across, across, -dc_vec_dot(across, along), along);
    double length = dc_vec_norm(across);
    dc_vec_scale(across, across, 1 / (length > 0 ? length : 1));
    dc_vec_cross(other, along, across);
    for (int k = 0; k < SIDES; k++) {
      double angle = 2 * M_PI * k / SIDES, *vertex = vertices[SIDES * n + k];
      dc_vec_add_scaled(vertex, nodes + 3 * (size_t)n, radius * cos(angle), across);
      dc_vec_add_scaled(vertex, vertex, radius * sin(angle), other);
    }
  }
}
