// SPDX-License-Identifier: Apache-2.0
// Measures overhangs: for six directions that may be up, the area of faces that look down more steeply than 45 degrees,
// do not lie on the bed, and are not hidden in another part; the direction with the least area wins.
#include "geometry/shapes/shape_overhang.h"

#include <math.h>

#include "geometry/shapes/constants.h"
#include "math/vector.h"

enum { AXES = 3, WAYS = 6 };
// axis and sign of the upward direction
static const int order[WAYS][2] = {{2, 1}, {2, -1}, {0, 1}, {0, -1}, {1, 1}, {1, -1}};
static const char *const names[WAYS] = {"+z", "-z", "+x", "-x", "+y", "-y"};

// A point is in a convex part if it is on the inner side of every face's plane, or on it.
static bool is_in_part(const struct dc_mesh *part, const double point[3])
{
  bool inside = part->triangle_count > 0;
  for (int t = 0; t < part->triangle_count && inside; t++) {
    double normal[3], arm[3];
    dc_mesh_normal(part, t, normal);
    dc_vec_sub(arm, point, part->vertices[part->triangles[t][0]]);
    inside = dc_vec_dot(normal, arm) <= 0;
  }
  return inside;
}

// Whether another part covers a point, so that the face beneath it is inside of the print and needs no support.
static bool is_hidden(const struct dc_shape *shape, int own, const double point[3])
{
  for (int p = 0; p < shape->part_count; p++)
    if (p != own && is_in_part(&shape->parts[p], point))
      return true;
  return false;
}

// Lowest and highest corner along each axis.
static void find_box(const struct dc_shape *shape, double low[AXES], double high[AXES])
{
  for (int k = 0; k < AXES; k++)
    low[k] = INFINITY, high[k] = -INFINITY;
  for (int p = 0; p < shape->part_count; p++)
    for (int t = 0; t < shape->parts[p].triangle_count; t++)
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < AXES; k++) {
          double x = shape->parts[p].vertices[shape->parts[p].triangles[t][c]][k];
          low[k] = fmin(low[k], x);
          high[k] = fmax(high[k], x);
        }
}

// Running measurement; areas are twice those of the surface.
struct survey {
  const struct dc_shape *shape;
  double low[AXES], high[AXES], near;
  double whole, hanging[WAYS];
};

// Whether all corners of a face are on the lower side of the box.
static bool lies_on_bed(const struct survey *survey, const struct dc_mesh *part, int face, int way)
{
  int axis = order[way][0];
  bool lies = true;
  for (int c = 0; c < 3; c++) {
    double x = part->vertices[part->triangles[face][c]][axis];
    lies = lies && (order[way][1] > 0 ? x - survey->low[axis] : survey->high[axis] - x) <= survey->near;
  }
  return lies;
}

// Adds a face that looks down too steeply and is not hidden inside another part to the survey.
static void add_face(struct survey *survey, int own, int face)
{
  const struct dc_mesh *part = &survey->shape->parts[own];
  double normal[3], outside[3] = {0};
  dc_mesh_normal(part, face, normal);
  double area = dc_vec_norm(normal);
  if (area == 0)
    return;
  for (int c = 0; c < 3; c++)
    dc_vec_add_scaled(outside, outside, 1.0 / 3, part->vertices[part->triangles[face][c]]);
  dc_vec_add_scaled(outside, outside, survey->near / area, normal);
  if (is_hidden(survey->shape, own, outside))
    return;
  survey->whole += area;
  for (int way = 0; way < WAYS; way++)
    if (-order[way][1] * normal[order[way][0]] > (sqrt(0.5) + DC_BED_FLATTEST) * area &&
        !lies_on_bed(survey, part, face, way))
      survey->hanging[way] += area;
}

// Directions are tried in the order of `order`; a later one must be better by a margin, so that +z wins among equals.
struct dc_overhang dc_shape_overhang(const struct dc_shape *shape)
{
  struct survey survey = {.shape = shape, .near = DC_BED_NEAR * dc_mesh_size(&shape->mesh)};
  int best = 0;
  find_box(shape, survey.low, survey.high);
  for (int p = 0; p < shape->part_count; p++)
    for (int t = 0; t < shape->parts[p].triangle_count; t++)
      add_face(&survey, p, t);
  if (survey.whole == 0)
    return (struct dc_overhang){NAN, ""};
  for (int way = 1; way < WAYS; way++)
    if (survey.hanging[way] < survey.hanging[best] - DC_BED_BETTER * survey.whole)
      best = way;
  return (struct dc_overhang){survey.hanging[best] / survey.whole, names[best]};
}
