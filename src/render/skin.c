// SPDX-License-Identifier: Apache-2.0
// Skins: surface meshes of soft bodies, and tubes of eight sides around rods and cables, whose rings rotate as little
// as possible from one point to the next.
#include "render/skin.h"

#include <string.h>

#include "math/vector.h"
#include "render/constants.h"

enum { SIDES = 8 };  // of a tube

// The radius of a rod of the volume of its first segment.
static double rod_radius(const struct dc_soft *soft)
{
  double segment = dc_vec_distance(soft->mesh.nodes[0], soft->mesh.nodes[1]);
  return sqrt(soft->elastic.volumes[0] / (M_PI * segment));
}

// The surface of a body without rigid shape: a soft body's own, or a tube around a rod or a cable; false: it has a
// rigid shape.
bool dc_skin_of(const struct dc_bodies *bodies, int body, struct dc_skin *skin)
{
  const struct dc_soft *soft = dc_soft_of(bodies, body);
  *skin = (struct dc_skin){.soft = soft};
  if (soft) {
    skin->first_node = (soft->q_offset - bodies->first_node_q) / 3;
    skin->point_count = soft->node_count;
    skin->radius = soft->mesh.corners == 2 ? rod_radius(soft) : 0;
    return true;
  }
  skin->cable = dc_cable_of(bodies, body);
  if (!skin->cable)
    return false;
  skin->point_count = skin->cable->count;
  skin->radius = DC_CABLE_THICKNESS * skin->cable->length;
  return true;
}

int dc_skin_vertex_count(const struct dc_skin *skin)
{
  return skin->radius > 0 ? SIDES * skin->point_count : skin->point_count;
}

// Two triangles per side of every segment, and a fan at both ends.
int dc_skin_triangle_count(const struct dc_skin *skin)
{
  return skin->radius > 0 ? 2 * SIDES * (skin->point_count - 1) + 2 * (SIDES - 2) : skin->soft->mesh.triangle_count;
}

static void set_triangle(int *triangle, int a, int b, int c)
{
  triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

// Triangles of the surface: the mesh's own, or bands of SIDES quadrilaterals along a tube, with fans at its ends.
void dc_skin_triangles(const struct dc_skin *skin, int (*triangles)[3])
{
  int t = 0, last = SIDES * (skin->point_count - 1);
  if (!(skin->radius > 0)) {
    memcpy(triangles, skin->soft->mesh.triangles, (size_t)skin->soft->mesh.triangle_count * sizeof *triangles);
    return;
  }
  for (int e = 0; e < skin->point_count - 1; e++)
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

// Points of a soft body are its nodes, at the start where none are given; those of a cable are the frames it runs
// through.
void dc_skin_points(const struct dc_skin *skin, const double *nodes, const double (*positions)[3], double (*points)[3])
{
  if (skin->soft)
    memcpy(points, nodes ? nodes + 3 * (size_t)skin->first_node : skin->soft->mesh.nodes[0],
           (size_t)skin->point_count * sizeof *points);
  for (int k = 0; k < skin->point_count && skin->cable; k++)
    dc_vec_copy(points[k], positions[skin->cable->through[k]]);
}

// Direction of a tube at a point, from the point before to the point after.
static void direction_at(const struct dc_skin *skin, const double (*points)[3], int point, double along[3])
{
  int before = point > 0 ? point - 1 : point, behind = point < skin->point_count - 1 ? point + 1 : point;
  dc_vec_sub(along, points[behind], points[before]);
  double length = dc_vec_norm(along);
  dc_vec_scale(along, along, 1 / (length > 0 ? length : 1));
}

// Places rings, each rotated as little as possible against the one before.
void dc_skin_place(const struct dc_skin *skin, const double (*points)[3], double (*vertices)[3])
{
  double across[3] = {0, 0, 0}, along[3], other[3];
  if (!(skin->radius > 0)) {
    memcpy(vertices, points, (size_t)skin->point_count * sizeof *vertices);
    return;
  }
  direction_at(skin, points, 0, along);
  across[fabs(along[0]) < fabs(along[2]) ? 0 : 2] = 1;
  for (int n = 0; n < skin->point_count; n++) {
    direction_at(skin, points, n, along);
    dc_vec_add_scaled(across, across, -dc_vec_dot(across, along), along);
    double length = dc_vec_norm(across);
    dc_vec_scale(across, across, 1 / (length > 0 ? length : 1));
    dc_vec_cross(other, along, across);
    for (int k = 0; k < SIDES; k++) {
      double angle = 2 * M_PI * k / SIDES, *vertex = vertices[SIDES * n + k];
      dc_vec_add_scaled(vertex, points[n], skin->radius * cos(angle), across);
      dc_vec_add_scaled(vertex, vertex, skin->radius * sin(angle), other);
    }
  }
}
