// SPDX-License-Identifier: Apache-2.0
// The patch that bodies turn to others, and the weights of what bears it (docs/theory/contact.md, "Scale").
//
// The patch is the mean triangle of the movable body with the smallest surface, or the mean projection of its leaves: a
// quarter of a convex body's area (Cauchy's formula), whose outline is that of a disc.  Fixed faces weigh by how many
// of them meet it.
#include "contact/common/collider_internal.h"
#include "math/vector.h"

static const double PI = 3.14159265358979323846;

double dc_triangle_perimeter(const double (*vertices)[3], const int *triangle)
{
  double sum = 0;
  for (int k = 0; k < 3; k++)
    sum += dc_vec_distance(vertices[triangle[k]], vertices[triangle[(k + 1) % 3]]);
  return sum;
}

void dc_leaf_projection(double area, double *projected, double *outline)
{
  *projected = area / 4;
  *outline = sqrt(PI * area);
}

// Area and perimeter of a typical element of the smallest movable surface: the projection of a leaf, or the mean
// triangle. Contact is that fine there, which is what lengths and stiffness are chosen by.
struct dc_contact_patch dc_contact_patch_of(const struct dc_bodies *bodies, bool leaves)
{
  const struct dc_shape *least = NULL;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_shape *shape = bodies->bodies[i].shape;
    if (dc_body_moves(&bodies->bodies[i]) && dc_shape_has_surface(shape) &&
        (!least || shape->properties.surface_area < least->properties.surface_area))
      least = shape;
  }
  struct dc_contact_patch patch = {0};
  if (!least)
    return patch;
  if (leaves && least->leaf_count > 0) {
    dc_leaf_projection(least->properties.surface_area / least->leaf_count, &patch.area, &patch.perimeter);
    return patch;
  }
  const struct dc_mesh *mesh = &least->mesh;
  for (int t = 0; t < mesh->triangle_count; t++)
    patch.perimeter +=
        dc_triangle_perimeter((const double(*)[3])mesh->vertices, mesh->triangles[t]) / mesh->triangle_count;
  patch.area = least->properties.surface_area / mesh->triangle_count;
  return patch;
}

// Weight of a triangle j of a fixed body: 1 for a large one; where smaller ones pave a face as many meet the patch p as
// make 1.  In the mean over places the patch meets A_p + A_j + L_p L_j/(2 pi) over A_j of them (Blaschke's formula of
// two convex sets, A areas and L perimeters).  PART: of those that it meets at the rim alone, as the separating plane
// tilts there.  FACES: a half-space with the weights of vertices holds a cube by 1/1.3 and a finely divided solid by 1
// times the force of a face; the factor lies between them.  Both numbers are measured (docs/theory/contact.md,
// "Scale").
double dc_bearing_weight(const struct dc_contact_patch *patch, double area, double perimeter)
{
  static const double FACES = 0.877, PART = 0.25, TURN = 6.283185307179586;
  return FACES * area / (patch->area + area + PART * patch->perimeter * perimeter / TURN);
}

double dc_bearing_weight_of_solid(const struct dc_contact_patch *patch, double area)
{
  enum { TRIANGLES = 12 };                                                // of a box
  double part = area / TRIANGLES, perimeter = sqrt(12 * sqrt(3) * part);  // of an equilateral one
  return TRIANGLES * dc_bearing_weight(patch, part, perimeter);
}
