// SPDX-License-Identifier: Apache-2.0
// Paint on the ground: rings and discs of marks, traces, grid; edges are softened over a sample's footprint.
#ifndef DC_RENDER_DECALS_H
#define DC_RENDER_DECALS_H

#include "render/camera.h"
#include "render/surfaces.h"

struct dc_trace_segment {
  float start[2], end[2];  // m
  int body;
  float opacity;
};

struct dc_decals {
  double grid;  // distance of lines on the ground, m; 0: none
  int mark_count;
  struct dc_render_mark *marks;
  RTCDevice device;  // of the surfaces, not owned
  RTCScene scene;    // boxes of the segments, for nearest-segment queries
  size_t segment_count, segment_capacity;
  struct dc_trace_segment *segments;
};

// To be released with dc_decals_destroy, also after a failure.  Marks are copied.
enum dc_status dc_decals_create(struct dc_decals *decals, RTCDevice device, int mark_count,
                                const struct dc_render_mark *marks, double grid, struct dc_error *error);
void dc_decals_destroy(struct dc_decals *decals);

// Sets the traces of all movable bodies: earlier positions [trace_count][bodies][3], then the present one.  traces
// NULL: none.
enum dc_status dc_decals_trace(struct dc_decals *decals, const struct dc_surfaces *surfaces, int trace_count,
                               const double *traces, struct dc_error *error);

// Number of painted things, and the rectangle on the ground around the centre line of one.
int dc_decals_count(const struct dc_decals *decals);
void dc_decals_bounds(const struct dc_decals *decals, int index, double low[2], double high[2]);

// A point on the ground as the camera sees it.
struct dc_decal_place {
  const double *position, *normal;  // [3], m
  const double *direction;          // [3], unit, of the ray that met it
  double distance;                  // along the ray, m
  double ground;                    // z of the ground, m, which the grid is painted on
};

// Colour (0 .. 2) and opacity (3) at a point; softness: width of edges, line_width: of traces, both in pixels.
void dc_decals_evaluate(const struct dc_decals *decals, const struct dc_surfaces *surfaces, const struct dc_view *view,
                        const struct dc_decal_place *place, double softness, double line_width, double decal[4]);

#endif
