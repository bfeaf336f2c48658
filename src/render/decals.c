// SPDX-License-Identifier: Apache-2.0
// Rings, discs, traces and grid lines painted on the ground, with edges softened over a pixel's footprint.
//
// Traces are many short segments; the nearest one is found by a point query in an Embree tree of their boxes, rebuilt
// for every picture.
#include "render/decals.h"

#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "render/constants.h"

static const double grid_color[3] = {0.22, 0.25, 0.30};

// Marks are copied and checked once; traces come with every picture (dc_decals_trace).
enum dc_status dc_decals_create(struct dc_decals *decals, RTCDevice device, int mark_count,
                                const struct dc_render_mark *marks, double grid, struct dc_error *error)
{
  memset(decals, 0, sizeof *decals);
  if (!(grid >= 0) || !(grid < 1e15))
    return dc_fail(error, DC_BAD_INPUT, "the grid's lines must be a finite distance >= 0 m apart (is %g)", grid);
  decals->grid = grid;
  decals->device = device;
  for (int m = 0; m < mark_count; m++) {
    double sum = marks[m].radius;
    for (int i = 0; i < 3; i++)
      sum += fabs(marks[m].center[i]) + fabs(marks[m].color[i]);
    if (!(marks[m].radius > 0) || !(sum < 1e15))
      return dc_fail(error, DC_BAD_INPUT, "marks[%d]: centre and colour must be finite and the radius > 0 m (is %g)", m,
                     marks[m].radius);
  }
  decals->mark_count = mark_count;
  decals->marks = dc_alloc((size_t)mark_count, sizeof *decals->marks);
  if (!decals->marks)
    return dc_out_of_memory_for(error, "%d marks", mark_count);
  if (mark_count)
    memcpy(decals->marks, marks, (size_t)mark_count * sizeof *marks);
  return DC_OK;
}

void dc_decals_destroy(struct dc_decals *decals)
{
  if (decals->scene)
    rtcReleaseScene(decals->scene);
  free(decals->marks);
  free(decals->segments);
  memset(decals, 0, sizeof *decals);
}

// Called by Embree while it builds the tree: the box of a segment in the plane of the ground, of height 0.
static void segment_bounds(const struct RTCBoundsFunctionArguments *arguments)
{
  const struct dc_trace_segment *segments = arguments->geometryUserPtr, *segment = &segments[arguments->primID];
  struct RTCBounds *bounds = arguments->bounds_o;
  bounds->lower_x = fminf(segment->start[0], segment->end[0]);
  bounds->lower_y = fminf(segment->start[1], segment->end[1]);
  bounds->upper_x = fmaxf(segment->start[0], segment->end[0]);
  bounds->upper_y = fmaxf(segment->start[1], segment->end[1]);
  bounds->lower_z = bounds->upper_z = 0;
}

// Appends a segment, unless it is too short or not finite.
static enum dc_status add_segment(struct dc_decals *decals, const double *start, const double *end, int body,
                                  double opacity, struct dc_error *error)
{
  struct dc_trace_segment segment = {
      {(float)start[0], (float)start[1]}, {(float)end[0], (float)end[1]}, body, (float)opacity};
  float length = hypotf(segment.end[0] - segment.start[0], segment.end[1] - segment.start[1]);
  if (!(length > 0) || !isfinite(length) || !(fabsf(segment.start[0]) + fabsf(segment.start[1]) < 1e15f))
    return DC_OK;
  if (dc_grow(&decals->segments, &decals->segment_capacity, decals->segment_count + 1, sizeof segment))
    return dc_out_of_memory_for(error, "%zu pieces of traces", decals->segment_count + 1);
  decals->segments[decals->segment_count++] = segment;
  return DC_OK;
}

// The tree is made anew for every picture, as the number of segments changes.
static enum dc_status build_tree(struct dc_decals *decals, struct dc_error *error)
{
  if (decals->scene)
    rtcReleaseScene(decals->scene);
  decals->scene = NULL;
  if (!decals->segment_count)
    return DC_OK;
  if (decals->segment_count > 1u << 30)
    return dc_fail(error, DC_MEMORY, "too many pieces of traces (%zu)", decals->segment_count);
  decals->scene = rtcNewScene(decals->device);
  RTCGeometry geometry = rtcNewGeometry(decals->device, RTC_GEOMETRY_TYPE_USER);
  if (decals->scene && geometry) {
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)decals->segment_count);
    rtcSetGeometryUserData(geometry, decals->segments);
    rtcSetGeometryBoundsFunction(geometry, (RTCBoundsFunction)segment_bounds, NULL);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(decals->scene, geometry, 0);
    rtcCommitScene(decals->scene);
  }
  if (geometry)
    rtcReleaseGeometry(geometry);
  return dc_surfaces_check(decals->device, "traces", error);
}

// The segments of the traces of all moving bodies, traces [trace_count][bodies][3], oldest first; older ones are
// paler.  The last segment ends at the body's present place.
enum dc_status dc_decals_trace(struct dc_decals *decals, const struct dc_surfaces *surfaces, int trace_count,
                               const double *traces, struct dc_error *error)
{
  decals->segment_count = 0;
  for (int t = 0; traces && t < trace_count; t++) {
    size_t length = 3 * (size_t)surfaces->body_count;
    const double *row = traces + (size_t)t * length, *next = row + length;
    double age = (double)(trace_count - 1 - t) / trace_count;  // 1 for the oldest
    double opacity = DC_NEWEST_OPACITY + age * (DC_OLDEST_OPACITY - DC_NEWEST_OPACITY);
    for (int b = 0; b < surfaces->body_count; b++) {
      const struct dc_surface_body *body = &surfaces->bodies[b];
      if (body->fixed)
        continue;
      const double *end = t + 1 < trace_count ? next + 3 * b : body->pose.position;
      enum dc_status status = add_segment(decals, row + 3 * b, end, b, opacity, error);
      if (status)
        return status;
    }
  }
  return build_tree(decals, error);
}

int dc_decals_count(const struct dc_decals *decals)
{
  return decals->mark_count + (int)decals->segment_count;
}

// Marks come first, then segments of traces; the ring's width lies outside of its radius.
void dc_decals_bounds(const struct dc_decals *decals, int index, double low[2], double high[2])
{
  const struct dc_render_mark *mark = &decals->marks[index < decals->mark_count ? index : 0];
  double reach = mark->radius * (1 + DC_RING_WIDTH);
  for (int i = 0; i < 2; i++) {
    if (index < decals->mark_count) {
      low[i] = mark->center[i] - reach, high[i] = mark->center[i] + reach;
      continue;
    }
    const struct dc_trace_segment *segment = &decals->segments[index - decals->mark_count];
    low[i] = (double)fminf(segment->start[i], segment->end[i]);
    high[i] = (double)fmaxf(segment->start[i], segment->end[i]);
  }
}

// Distance of a point from a segment in the plane, m, and the unit vector away from it.
static double segment_distance(const struct dc_trace_segment *segment, const double position[3], double away[3])
{
  double start[2], along[2], offset[2], square = 0, product = 0;
  for (int i = 0; i < 2; i++) {
    start[i] = (double)segment->start[i];
    along[i] = (double)segment->end[i] - start[i];
    offset[i] = position[i] - start[i];
    square += along[i] * along[i];
    product += along[i] * offset[i];
  }
  double s = square > 0 ? fmin(1, fmax(0, product / square)) : 0;
  away[0] = offset[0] - s * along[0], away[1] = offset[1] - s * along[1], away[2] = 0;
  double distance = dc_vec_norm(away);
  dc_vec_scale(away, away, distance > 0 ? 1 / distance : 0);
  return distance;
}

// The segment of a decal that is nearest to a place.
struct nearest {
  const struct dc_decals *decals;
  const double *position;    // [3], m
  double distance, away[3];  // m; unit vector from the segment to the place
  unsigned segment;          // its index
};

// Called by Embree for boxes within the radius of the query.
static bool nearest_segment(struct RTCPointQueryFunctionArguments *arguments)
{
  struct nearest *nearest = arguments->userPtr;
  double away[3];
  double distance = segment_distance(&nearest->decals->segments[arguments->primID], nearest->position, away);
  // The later of two segments that meet wins, whatever the order in which the tree is traversed.
  bool better = distance < nearest->distance || (distance == nearest->distance && arguments->primID > nearest->segment);
  if (better) {
    nearest->distance = distance;
    nearest->segment = arguments->primID;
    dc_vec_copy(nearest->away, away);
  }
  return false;  // the radius of the query stays: it is small already
}

// Length of a pixel's footprint along the unit vector, m.
static double footprint_along(const double footprint[2][3], const double along[3])
{
  double x = dc_vec_dot(footprint[0], along), y = dc_vec_dot(footprint[1], along);
  return sqrt(x * x + y * y) + 1e-30;
}

// Covered fraction of a pixel at the distance `inside` (negative: outside) from an edge softened over `width`.
static double coverage(double inside, double width)
{
  return fmin(1, fmax(0, inside / width + 0.5));
}

// The "over" operator (Porter and Duff 1984) on a colour with opacity, decal [r, g, b, opacity], not premultiplied.
static void paint_over(double decal[4], const double color[3], double opacity)
{
  if (opacity <= 0)
    return;
  double total = opacity + decal[3] * (1 - opacity);
  for (int i = 0; i < 3; i++)
    decal[i] += (color[i] - decal[i]) * opacity / total;
  decal[3] = total;
}

// Whether the mark may be seen at position; largest: upper bound of a pixel's footprint in any direction, m.
static bool mark_near(const struct dc_render_mark *mark, const double position[3], double largest, double softness)
{
  double x = position[0] - mark->center[0], y = position[1] - mark->center[1];
  double reach = mark->radius * (1 + DC_RING_WIDTH) + (DC_LEAST_RING_PIXELS + softness) * largest;
  return x * x + y * y <= reach * reach && position[2] <= mark->center[2] + mark->radius;
}

// A faint disc and a stronger ring around it, each softened over the footprint in the direction from the centre.
static void paint_mark(const struct dc_render_mark *mark, const double position[3], const double footprint[2][3],
                       double softness, double decal[4])
{
  double away[3] = {position[0] - mark->center[0], position[1] - mark->center[1], 0};
  double distance = dc_vec_norm(away);
  if (distance > 0)
    dc_vec_scale(away, away, 1 / distance);
  else
    away[0] = 1;
  // Along the direction away from the centre; a ring is as wide as its share of the radius, or as some pixels where
  // that is less than they are.
  double pixel = footprint_along(footprint, away), width = softness * pixel;
  double half = 0.5 * fmax(DC_RING_WIDTH * mark->radius, DC_LEAST_RING_PIXELS * pixel);
  double ring = coverage(half - fabs(distance - mark->radius), width), disc = coverage(mark->radius - distance, width);
  paint_over(decal, mark->color, DC_DISC_OPACITY * disc + (DC_RING_OPACITY - DC_DISC_OPACITY * disc) * ring);
}

// Paints the nearest piece of a trace, if any is within the line's width of the place.  Widths are in pixels; the
// query needs a radius in metres and takes the footprint's largest extent, a bound.
static void paint_trace(const struct dc_decals *decals, const struct dc_surfaces *surfaces, const double position[3],
                        const double footprint[2][3], double largest, double softness, double line_width,
                        double decal[4])
{
  double radius = (0.5 * line_width + softness) * largest;
  struct RTCPointQueryContext context;
  struct RTCPointQuery query = {.x = (float)position[0], .y = (float)position[1], .radius = (float)radius};
  struct nearest nearest = {decals, position, INFINITY, {0, 0, 0}, 0};
  rtcInitPointQueryContext(&context);
  rtcPointQuery(decals->scene, &query, &context, nearest_segment, &nearest);
  if (!(nearest.distance <= radius))
    return;
  const struct dc_trace_segment *segment = &decals->segments[nearest.segment];
  double pixel = nearest.distance > 0 ? footprint_along(footprint, nearest.away) : 1;
  double inside = coverage(0.5 * line_width - nearest.distance / pixel, softness);
  paint_over(decal, surfaces->bodies[segment->body].color, inside * (double)segment->opacity);
}

// Lines at multiples of the grid's distance along x and y, every tenth bold.  They fade with the distance from the
// target.  They also fade where they would be so close as to flicker, from an eighth of a step per pixel to a
// quarter.
static void paint_grid(const struct dc_decals *decals, const struct dc_view *view, const double position[3],
                       const double footprint[2][3], double softness, double decal[4])
{
  double half_height = 0.5 * view->pixel * view->height * dc_vec_distance(view->eye, view->target);
  double fade = 1 - dc_vec_distance(position, view->target) / (DC_GRID_REACH * half_height), opacity = 0;
  for (int i = 0; i < 2 && fade > 0; i++) {
    double pixel = hypot(footprint[0][i], footprint[1][i]);
    for (int bold = 0; bold < 2; bold++) {
      double step = decals->grid * (bold ? 10 : 1), offset = position[i] - step * nearbyint(position[i] / step);
      double line = coverage(0.5 * DC_GRID_PIXELS - fabs(offset) / pixel, softness);
      double sparse = fmin(1, fmax(0, 2 - 8 * pixel / step));
      opacity = fmax(opacity, line * sparse * fade * (bold ? DC_GRID_BOLD_OPACITY : DC_GRID_OPACITY));
    }
  }
  paint_over(decal, grid_color, opacity);
}

// Colour and opacity of grid, marks and traces at a place of a surface, softened over the pixel's footprint.
void dc_decals_evaluate(const struct dc_decals *decals, const struct dc_surfaces *surfaces, const struct dc_view *view,
                        const struct dc_decal_place *place, double softness, double line_width, double decal[4])
{
  for (int i = 0; i < 4; i++)
    decal[i] = 0;
  // A pixel's footprint is stretched along the view by the inverse sine of the angle at which the surface is seen.
  double incidence = fabs(dc_vec_dot(place->direction, place->normal));
  double largest = 1.5 * view->pixel * place->distance / fmax(incidence, 1e-6), footprint[2][3];
  bool known = false;
  if (decals->grid > 0 && place->position[2] <= place->ground + 1e-9) {
    dc_view_footprint(view, place->direction, place->distance, place->normal, footprint);
    known = true;
    paint_grid(decals, view, place->position, (const double(*)[3])footprint, softness, decal);
  }
  if (decals->scene) {
    dc_view_footprint(view, place->direction, place->distance, place->normal, footprint);
    known = true;
    paint_trace(decals, surfaces, place->position, (const double(*)[3])footprint, largest, softness, line_width, decal);
  }
  for (int m = 0; m < decals->mark_count; m++) {
    if (!mark_near(&decals->marks[m], place->position, largest, softness))
      continue;
    if (!known)
      dc_view_footprint(view, place->direction, place->distance, place->normal, footprint);
    known = true;
    paint_mark(&decals->marks[m], place->position, (const double(*)[3])footprint, softness, decal);
  }
  // Towards the horizon the footprint is much larger than anything painted.
  decal[3] *= fmin(1, incidence / DC_LEAST_INCIDENCE);
}
