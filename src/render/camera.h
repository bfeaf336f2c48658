// SPDX-License-Identifier: Apache-2.0
// The pinhole camera of a picture: pixels to rays.
#ifndef DC_RENDER_CAMERA_H
#define DC_RENDER_CAMERA_H

#include "math/vector.h"
#include "render/render.h"

#define DC_DEGREE 0.01745329251994329577  // rad

struct dc_view {
  double eye[3], target[3];            // m
  double forward[3], right[3], up[3];  // orthonormal
  double pixel;                        // side of a pixel in the plane at unit distance
  int width, height;
};

// DC_BAD_INPUT when size, field of view or axes make no camera.
enum dc_status dc_view_create(struct dc_view *view, const struct dc_render_settings *settings, struct dc_error *error);

// Unit direction through picture coordinates x in 0 .. width, y in 0 .. height (downwards).
static inline void dc_view_direction(const struct dc_view *view, double x, double y, double direction[3])
{
  double right = (x - 0.5 * view->width) * view->pixel, up = (0.5 * view->height - y) * view->pixel;
  double scale = 1 / sqrt(1 + right * right + up * up);
  for (int i = 0; i < 3; i++)
    direction[i] = scale * (view->forward[i] + right * view->right[i] + up * view->up[i]);
}

// Picture coordinates of a point; false when it is not in front of the eye (they are then of no use).
static inline bool dc_view_project(const struct dc_view *view, const double point[3], double place[2])
{
  double offset[3];
  dc_vec_sub(offset, point, view->eye);
  double depth = dc_vec_dot(offset, view->forward);
  place[0] = 0.5 * view->width + dc_vec_dot(offset, view->right) / (depth * view->pixel);
  place[1] = 0.5 * view->height - dc_vec_dot(offset, view->up) / (depth * view->pixel);
  return depth > 1e-3 * dc_vec_norm(offset);
}

// How a point seen along the unit direction at the given distance moves, in m, on the plane with that normal, when
// the ray moves by one pixel to the right and up: the footprint of a pixel.
void dc_view_footprint(const struct dc_view *view, const double direction[3], double distance, const double normal[3],
                       double footprint[2][3]);

#endif
