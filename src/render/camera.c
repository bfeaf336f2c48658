// SPDX-License-Identifier: Apache-2.0
// The pinhole camera: axes from eye, target and upward hint, footprints of pixels, and a view that frames given points.
//
// Framing: for every border of the picture, the condition that all points are inside is linear in the camera's position
// along one axis and in depth; the nearest position at which both borders hold is where their lines meet.
#include "render/camera.h"

#include <string.h>

#include "math/vector.h"
#include "render/constants.h"

const char *const dc_render_side_names[] = {"corner", "front", "back", "left", "right", "top", NULL};
// Directions from which a side is seen, degrees: azimuth from the front to the left, elevation above the horizon.
static const struct {
  double azimuth, elevation;
} sides[DC_RENDER_SIDES] = {{28, 36}, {0, 0}, {180, 0}, {90, 0}, {-90, 0}, {0, 90}};

// Angles of view that a pinhole camera can have, with a margin to 0 and 180 degrees, where pictures degenerate.
static bool fov_valid(double fov)
{
  return fov >= 1 && fov <= 170;
}

// forward, right and up from the direction of view and the upward hint; false when they are parallel or not finite.
static bool view_axes(struct dc_view *view, const double toward[3], const double hint[3])
{
  double length = dc_vec_norm(toward), hint_length = dc_vec_norm(hint);
  if (!(length > 0) || !isfinite(length) || !(hint_length > 0) || !isfinite(hint_length))
    return false;
  dc_vec_scale(view->forward, toward, 1 / length);
  dc_vec_cross(view->right, view->forward, hint);
  double sine = dc_vec_norm(view->right) / hint_length;
  if (!(sine > 1e-9))
    return false;
  dc_vec_scale(view->right, view->right, 1 / (sine * hint_length));
  dc_vec_cross(view->up, view->right, view->forward);
  return true;
}

// Checks a camera and finds its axes and the size of a pixel at distance 1.
enum dc_status dc_view_create(struct dc_view *view, const struct dc_render_settings *settings, struct dc_error *error)
{
  if (settings->width < 1 || settings->width > DC_LARGEST_SIDE || settings->height < 1 ||
      settings->height > DC_LARGEST_SIDE)
    return dc_fail(error, DC_BAD_INPUT, "picture size must be 1 .. %d pixels each way (is %d x %d)", DC_LARGEST_SIDE,
                   settings->width, settings->height);
  if (!fov_valid(settings->fov_deg))
    return dc_fail(error, DC_BAD_INPUT, "camera.fov_deg must be 1 .. 170 degrees (is %g)", settings->fov_deg);
  double toward[3], sum = 0;
  for (int i = 0; i < 3; i++)
    sum += fabs(settings->eye[i]) + fabs(settings->target[i]) + fabs(settings->up[i]);
  if (!(sum < 1e15))
    return dc_fail(error, DC_BAD_INPUT, "camera: eye, target and up must be finite and below 1e15");
  dc_vec_sub(toward, settings->target, settings->eye);
  if (!view_axes(view, toward, settings->up))
    return dc_fail(error, DC_BAD_INPUT, "camera: eye and target must differ and up must not point along the view");
  dc_vec_copy(view->eye, settings->eye);
  dc_vec_copy(view->target, settings->target);
  view->width = settings->width;
  view->height = settings->height;
  view->pixel = 2 * tan(0.5 * DC_DEGREE * settings->fov_deg) / settings->height;
  return DC_OK;
}

// The two vectors, m, by which the place on a plane moves when the pixel moves by one to the right and one up.
void dc_view_footprint(const struct dc_view *view, const double direction[3], double distance, const double normal[3],
                       double footprint[2][3])
{
  // With D = direction / (direction . forward) and P = eye + t D on the plane, a change a of D moves P by t (a - D
  // (n.a) / (n.D)).
  double along = dc_vec_dot(direction, view->forward), incidence = dc_vec_dot(direction, normal);
  if (fabs(incidence) < 1e-6)
    incidence = incidence < 0 ? -1e-6 : 1e-6;
  for (int k = 0; k < 2; k++) {
    const double *axis = k == 0 ? view->right : view->up;
    dc_vec_add_scaled(footprint[k], axis, -dc_vec_dot(normal, axis) / incidence, direction);
    dc_vec_scale(footprint[k], footprint[k], view->pixel * distance * along);
  }
}

// Points that are not finite, as of a run that failed, must not decide where the camera stands.
static bool finite_point(const double point[3])
{
  return isfinite(point[0] + point[1] + point[2]) && fabs(point[0]) + fabs(point[1]) + fabs(point[2]) < 1e14;
}

// Position of the camera along one axis of the picture (coordinate side) and in depth, nearest to the points, such that
// |side_i - side| <= slope (depth_i - depth) for all of them: where the lines through the extreme points of both
// borders meet.
struct border {
  double low, high;  // least depth_i - side_i / slope and depth_i + side_i / slope
};

// Lines through a point with the slopes of both borders cut the axis of depth at depth -+ side/slope; the least counts.
static void border_add(struct border *border, double side, double depth, double slope)
{
  border->low = fmin(border->low, depth - side / slope);
  border->high = fmin(border->high, depth + side / slope);
}

// Stands the camera on a side of the points so that they fill the picture; direction, distance and target are set.
//
// 1. Axes of the view from azimuth and elevation of the side.
// 2. Extreme border lines of all points, across and upright; a lone point is padded by a metre.
// 3. Depth: the nearer the better, but before all points and where both pairs of borders hold.
// 4. The target in the middle of the points' depths, along the line of sight.
void dc_render_frame_camera(int count, const double (*points)[3], enum dc_render_side side,
                            struct dc_render_settings *settings)
{
  if (!fov_valid(settings->fov_deg))
    settings->fov_deg = DC_DEFAULT_FOV;
  double aspect = settings->width > 0 && settings->height > 0 ? (double)settings->width / settings->height : 16.0 / 9;
  double slope_up = DC_VIEW_MARGIN * tan(0.5 * DC_DEGREE * settings->fov_deg), slope_right = slope_up * aspect;
  const double hint[3] = {0, side == DC_FROM_TOP, side != DC_FROM_TOP};
  double azimuth = sides[side].azimuth * DC_DEGREE, elevation = sides[side].elevation * DC_DEGREE,
         level = cos(elevation);
  const double toward[3] = {sin(azimuth) * level, cos(azimuth) * level, -sin(elevation)};
  struct dc_view view;
  view_axes(&view, toward, hint);

  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int p = 0; p < count; p++)
    if (finite_point(points[p]))
      for (int i = 0; i < 3; i++) {
        low[i] = fmin(low[i], points[p][i]);
        high[i] = fmax(high[i], points[p][i]);
      }
  bool empty = !(low[0] <= high[0]);
  if (empty)
    memset(low, 0, sizeof low), memset(high, 0, sizeof high);
  // A single point is shown with a metre around it.
  double extent = dc_vec_distance(low, high), pad = extent > 1e-9 ? 0 : 1;

  struct border across = {INFINITY, INFINITY}, upright = {INFINITY, INFINITY};
  double near = INFINITY, far = -INFINITY;
  for (int p = empty ? -1 : 0; p < (empty ? 0 : count); p++) {
    const double *point = empty ? low : points[p];
    if (!finite_point(point))
      continue;
    double depth = dc_vec_dot(point, view.forward);
    for (int sign = -1; sign <= 1; sign += 2) {
      border_add(&across, dc_vec_dot(point, view.right) + sign * pad, depth, slope_right);
      border_add(&upright, dc_vec_dot(point, view.up) + sign * pad, depth, slope_up);
    }
    near = fmin(near, depth);
    far = fmax(far, depth);
  }
  // Points on one line of sight still need some distance.
  double depth = fmin(0.5 * (across.low + across.high), 0.5 * (upright.low + upright.high));
  depth = fmin(depth, near - 0.5 * (extent + pad));
  double right = 0.5 * slope_right * (across.high - across.low), up = 0.5 * slope_up * (upright.high - upright.low);
  dc_vec_scale(settings->eye, view.forward, depth);
  dc_vec_add_scaled(settings->eye, settings->eye, right, view.right);
  dc_vec_add_scaled(settings->eye, settings->eye, up, view.up);
  dc_vec_add_scaled(settings->target, settings->eye, 0.5 * (near + far) - depth, view.forward);
  dc_vec_copy(settings->up, hint);
}
