// SPDX-License-Identifier: Apache-2.0
// Volume, centre of mass and second moment of a closed mesh by tetrahedra, and the rates of these when vertices move.
#include <string.h>

#include "geometry/mesh/mesh.h"
#include "math/vector.h"

// The mean of the vertices, m; any point near the solid would do.
static void vertex_mean(const struct dc_mesh *mesh, double mean[3])
{
  memset(mean, 0, 3 * sizeof *mean);
  for (int v = 0; v < mesh->vertex_count; v++)
    dc_vec_add(mean, mean, mesh->vertices[v]);
  if (mesh->vertex_count)
    dc_vec_scale(mean, mean, 1.0 / mesh->vertex_count);
}

// A sum with its rounding error carried along (Neumaier 1974): millions of like terms lose no digits.
struct sum {
  double value, carry;
};

static void add(struct sum *sum, double term)
{
  double larger = sum->value + term;
  sum->carry += fabs(sum->value) >= fabs(term) ? sum->value - larger + term : term - larger + sum->value;
  sum->value = larger;
}

static double total(const struct sum *sum)
{
  return sum->value + sum->carry;
}

// Every triangle (a, b, c) spans a tetrahedron with the vertex mean as origin, of signed volume d/6, d = a . (b x c).
// With s = a + b + c,
//     int dV = d/6,   int r dV = d/24 s,   int r r^T dV = d/120 (a a^T + b b^T + c c^T + s s^T).
// The origin near the solid keeps the digits of meshes far from the frame's origin.
void dc_mesh_mass_properties(const struct dc_mesh *mesh, struct dc_mass_properties *properties)
{
  double origin[3];
  struct sum area = {0}, six_volumes = {0}, first[3] = {0}, second[9] = {0};
  vertex_mean(mesh, origin);
  for (int t = 0; t < mesh->triangle_count; t++) {
    double corner[4][3], normal[3], u[3], v[3];
    for (int k = 0; k < 3; k++)
      dc_vec_sub(corner[k], mesh->vertices[mesh->triangles[t][k]], origin);
    dc_vec_add(corner[3], corner[0], corner[1]);
    dc_vec_add(corner[3], corner[3], corner[2]);
    dc_vec_sub(u, corner[1], corner[0]);
    dc_vec_sub(v, corner[2], corner[0]);
    dc_vec_cross(normal, u, v);
    add(&area, 0.5 * dc_vec_norm(normal));
    double d = dc_vec_dot(corner[0], normal);  // a . ((b - a) x (c - a)) = a . (b x c)
    add(&six_volumes, d);
    for (int i = 0; i < 3; i++) {
      add(&first[i], d / 24 * corner[3][i]);
      for (int j = 0; j <= i; j++) {
        double products = 0;
        for (int k = 0; k < 4; k++)
          products += corner[k][i] * corner[k][j];
        add(&second[3 * i + j], d / 120 * products);
      }
    }
  }
  double volume = total(&six_volumes) / 6, center[3];
  *properties = (struct dc_mass_properties){.volume = volume, .surface_area = total(&area)};
  for (int i = 0; i < 3; i++)
    center[i] = volume != 0 ? total(&first[i]) / volume : 0;
  dc_vec_add(properties->center, origin, center);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      properties->second_moment[3 * i + j] = properties->second_moment[3 * j + i] =
          total(&second[3 * i + j]) - volume * center[i] * center[j];
}

// With d and s of above, V' = sum d'/6, F' = sum (d' s + d s')/24 and, B = by_second,
//     <B, S'> = sum d'/120 (aBa + bBb + cBc + sBs) + d/60 (B(a + s).a' + B(b + s).b' + B(c + s).c'),
// and d' = (b x c).a' + (c x a).b' + (a x b).c'.
void dc_mesh_mass_pull_back(const struct dc_mesh *mesh, const double origin[3], double by_volume,
                            const double by_first[3], const double by_second[9], double (*gradient)[3])
{
  for (int t = 0; t < mesh->triangle_count; t++) {
    double corner[4][3], turned[4][3], area[3][3];
    for (int k = 0; k < 3; k++)
      dc_vec_sub(corner[k], mesh->vertices[mesh->triangles[t][k]], origin);
    dc_vec_add(corner[3], corner[0], corner[1]);
    dc_vec_add(corner[3], corner[3], corner[2]);
    for (int k = 0; k < 3; k++)
      dc_vec_cross(area[k], corner[(k + 1) % 3], corner[(k + 2) % 3]);
    double d = dc_vec_dot(corner[0], area[0]);
    double by_d = by_volume / 6 + dc_vec_dot(by_first, corner[3]) / 24;
    for (int k = 0; k < 4; k++) {
      dc_mat_apply(turned[k], by_second, corner[k]);
      by_d += dc_vec_dot(turned[k], corner[k]) / 120;
    }
    for (int k = 0; k < 3; k++) {
      double *g = gradient[mesh->triangles[t][k]];
      for (int i = 0; i < 3; i++)
        g[i] += by_d * area[k][i] + d / 24 * by_first[i] + d / 60 * (turned[k][i] + turned[3][i]);
    }
  }
}

// (b - a) x (c - a): outwards, with the length of twice the area, m^2.
void dc_mesh_normal(const struct dc_mesh *mesh, int triangle, double normal[3])
{
  const int *corners = mesh->triangles[triangle];
  double u[3], v[3];
  dc_vec_sub(u, mesh->vertices[corners[1]], mesh->vertices[corners[0]]);
  dc_vec_sub(v, mesh->vertices[corners[2]], mesh->vertices[corners[0]]);
  dc_vec_cross(normal, u, v);
}

// The diagonal of the bounding box, m: tolerances of a mesh are relative to it.
double dc_mesh_size(const struct dc_mesh *mesh)
{
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = 0; v < mesh->vertex_count; v++)
    for (int k = 0; k < 3; k++) {
      lower[k] = fmin(lower[k], mesh->vertices[v][k]);
      upper[k] = fmax(upper[k], mesh->vertices[v][k]);
    }
  return mesh->vertex_count ? dc_vec_distance(upper, lower) : 0;
}

// Solid angle of a triangle seen from point, Van Oosterom and Strackee (1983), Eq. 8; corners relative to point:
//     tan(omega / 2) = a . (b x c) / (|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|).
bool dc_mesh_contains(const struct dc_mesh *mesh, const double point[3])
{
  double half_angles = 0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    double corner[3][3], length[3], normal[3];
    for (int k = 0; k < 3; k++) {
      dc_vec_sub(corner[k], mesh->vertices[mesh->triangles[t][k]], point);
      length[k] = dc_vec_norm(corner[k]);
    }
    dc_vec_cross(normal, corner[1], corner[2]);
    double below = length[0] * length[1] * length[2];
    for (int k = 0; k < 3; k++)
      below += dc_vec_dot(corner[k], corner[(k + 1) % 3]) * length[(k + 2) % 3];
    half_angles += atan2(dc_vec_dot(corner[0], normal), below);
  }
  return half_angles > M_PI;  // winding number = sum of solid angles / (4 pi)
}
