// SPDX-License-Identifier: Apache-2.0
// Light and surfaces: one soft key light from above, a white sky with one bounce.  Colours are linear RGB throughout;
// the picture is made by dc_tone_map.
#ifndef DC_RENDER_SHADING_H
#define DC_RENDER_SHADING_H

#include "render/camera.h"
#include "render/sampler.h"
#include "render/surfaces.h"

struct dc_lighting {
  double direction[3], side[2][3];  // towards the key light; two unit vectors across it
  double key[3], sky[3];            // irradiance of the key light at normal incidence, of the whole sky
  double per_open[3];               // one over the irradiance of unshadowed ground
  double per_half_height;           // one over half the height of the picture at the target, 1/m
  double floor_height;              // m; NAN: no ground
};

// The key light stands over the viewer's left shoulder.
void dc_lighting_create(struct dc_lighting *lighting, const struct dc_view *view, double floor_height);

// Corners of a rectangle on the ground outside of which a convex thing with the given corners [count] takes no key
// light from the ground.
void dc_lighting_shadow(const struct dc_lighting *lighting, int count, const double (*corners)[3],
                        double rectangle[4][3]);

// What one ray into the sky brought, which serves two samples of a pixel on the same surface: light from all around changes
// little between them, and these rays are the dearest.
struct dc_sky_light {
  int surface;  // body, -1: the ground
  int uses;     // samples it has served; 0: there is none yet
  double radiance[3];
};

// Colour of a body's surface seen along the unit direction.  decal [4]: colour painted over the body's and how much
// of it.
void dc_shade_body(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces,
                   const struct dc_surface_hit *hit, const double direction[3], const double decal[4],
                   const double light_u[2], const double sky_u[2], struct dc_sky_light *sky, double color[3]);
// Colour of the ground at position; background is what stands behind it, into which it fades with the distance from
// the target.  lit: no body is between position and the key light.
void dc_shade_ground(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, const struct dc_view *view,
                     const double position[3], const double background[3], const double decal[4], bool lit,
                     const double light_u[2], const double sky_u[2], struct dc_sky_light *sky, double color[3]);
// Backdrop at height y of the picture, 0 at its top, 1 at its bottom.
void dc_background(double y, double color[3]);

// 8-bit sRGB; dither in [0, 1) decides which way values between two levels go, so that gradients show no bands.
void dc_tone_map(const double color[3], double dither, unsigned char pixel[3]);

#endif
