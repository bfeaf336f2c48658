// SPDX-License-Identifier: Apache-2.0
// Mass on surfaces of MJCF geometry ("shellinertia" of geometry, inertia="shell" of meshes): areas, and second moments
// S = integral of x x^T over the surface, from which the inertia about the centre is tr(S) 1 - S.
//
// A rectangle of half sides a, b and area A has A a^2/3 and A b^2/3 within its plane.  A triangle of area A has
//     A/12 (sum of v v^T over its corners + (sum of v)(sum of v)^T).
// Half a sphere of area A = 2 pi r^2 has A r^2/3 along every axis and its centre r/2 off the sphere's.  The area element
// of an ellipsoid at x_k = a_k n_k is a b c |n_k/a_k| times that of the unit sphere, summed by the midpoint rule.
#include <math.h>
#include <string.h>

#include "io/robot/mjcf_mass.h"
#include "math/vector.h"

// Adds an area with its diagonal second moment (x, y, z) to the inertia: each moment is the sum of the other
// two.
static void add(struct dc_solid *solid, double area, double x, double y, double z)
{
  solid->volume += area;
  solid->inertia[0] += y + z;
  solid->inertia[1] += x + z;
  solid->inertia[2] += x + y;
}

static void add_box(struct dc_solid *solid, const double half[3])
{
  for (int k = 0; k < 3; k++) {
    double second[3], area = 8 * half[(k + 1) % 3] * half[(k + 2) % 3];
    for (int i = 0; i < 3; i++)
      second[i] = area * half[i] * half[i] / (i == k ? 1 : 3);
    add(solid, area, second[0], second[1], second[2]);
  }
}

// The side of a cylinder, without its ends.
static void add_tube(struct dc_solid *solid, double r, double half)
{
  double area = 4 * M_PI * r * half;
  add(solid, area, area * r * r / 2, area * r * r / 2, area * half * half / 3);
}

// Two flat ends, `half` off the middle.
static void add_discs(struct dc_solid *solid, double r, double half)
{
  double area = 2 * M_PI * r * r;
  add(solid, area, area * r * r / 4, area * r * r / 4, area * half * half);
}

// Two half spheres, `half` off the middle.
static void add_caps(struct dc_solid *solid, double r, double half)
{
  double area = 4 * M_PI * r * r;
  add(solid, area, area * r * r / 3, area * r * r / 3, area * (r * r / 3 + half * r + half * half));
}

// Parts of the unit sphere in rings of equal angles, mapped to the ellipsoid.  Its surface has no closed form.
static void add_ellipsoid(struct dc_solid *solid, const double a[3])
{
  enum { RINGS = 400, TURNS = 64 };
  for (int i = 0; i < RINGS; i++)
    for (int j = 0; j < TURNS; j++) {
      // rings of equal angles: their width is the sine's integral over the ring
      double low = M_PI * i / RINGS, high = M_PI * (i + 1) / RINGS, middle = 0.5 * (low + high);
      double turn = 2 * M_PI * (j + 0.5) / TURNS, part = (cos(low) - cos(high)) * 2 * M_PI / TURNS;
      const double n[3] = {sin(middle) * cos(turn), sin(middle) * sin(turn), cos(middle)};
      double area = part * a[0] * a[1] * a[2] *
                    sqrt(n[0] * n[0] / (a[0] * a[0]) + n[1] * n[1] / (a[1] * a[1]) + n[2] * n[2] / (a[2] * a[2]));
      add(solid, area, area * a[0] * a[0] * n[0] * n[0], area * a[1] * a[1] * n[1] * n[1],
          area * a[2] * a[2] * n[2] * n[2]);
    }
}

// Mass properties of density 1 kg/m^2; solid->volume holds the area.  All primitives are centred on their own
// origin.
void dc_mjcf_shell(const struct dc_mjcf_geom *geom, struct dc_solid *solid)
{
  const double *size = geom->size;
  memset(solid, 0, sizeof *solid);
  switch (geom->type) {
  case DC_MJCF_SPHERE: add_caps(solid, size[0], 0); break;
  case DC_MJCF_CAPSULE:
    add_tube(solid, size[0], size[1]);
    add_caps(solid, size[0], size[1]);
    break;
  case DC_MJCF_CYLINDER:
    add_tube(solid, size[0], size[1]);
    add_discs(solid, size[0], size[1]);
    break;
  case DC_MJCF_ELLIPSOID: add_ellipsoid(solid, size); break;
  case DC_MJCF_BOX: add_box(solid, size); break;
  default: break;
  }
}

// Corners of a triangle relative to a point, and its area.
static double triangle(const struct dc_mjcf_mesh *mesh, int t, const double from[3], double v[3][3])
{
  double a[3], b[3], cross[3];
  for (int k = 0; k < 3; k++)
    dc_vec_sub(v[k], mesh->vertices[mesh->triangles[t][k]], from);
  dc_vec_sub(a, v[1], v[0]);
  dc_vec_sub(b, v[2], v[0]);
  dc_vec_cross(cross, a, b);
  return 0.5 * dc_vec_norm(cross);
}

// The same for a mesh: first area and centre, then second moments about this centre.
void dc_mjcf_mesh_shell(const struct dc_mjcf_mesh *mesh, struct dc_solid *solid)
{
  static const double origin[3] = {0, 0, 0};
  double v[3][3], second[3][3] = {{0}};
  memset(solid, 0, sizeof *solid);
  for (int t = 0; t < mesh->triangle_count; t++) {
    double area = triangle(mesh, t, origin, v);
    solid->volume += area;
    for (int k = 0; k < 3; k++)
      dc_vec_add_scaled(solid->center, solid->center, area / 3, v[k]);
  }
  if (!(solid->volume > 0))
    return;
  dc_vec_scale(solid->center, solid->center, 1 / solid->volume);
  for (int t = 0; t < mesh->triangle_count; t++) {
    double area = triangle(mesh, t, solid->center, v);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        second[i][k] += area / 12 *
                        (v[0][i] * v[0][k] + v[1][i] * v[1][k] + v[2][i] * v[2][k] +
                         (v[0][i] + v[1][i] + v[2][i]) * (v[0][k] + v[1][k] + v[2][k]));
  }
  double trace = second[0][0] + second[1][1] + second[2][2];
  for (int k = 0; k < 3; k++)
    solid->inertia[k] = trace - second[k][k];
  solid->inertia[3] = -second[0][1];
  solid->inertia[4] = -second[0][2];
  solid->inertia[5] = -second[1][2];
}
