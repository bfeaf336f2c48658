// SPDX-License-Identifier: Apache-2.0
// Light and surfaces: one soft key light from above, a white sky with one bounce, and the sample points that
// integrate them. Colours are linear RGB throughout; the picture is made by dc_tone_map.
#ifndef DC_RENDER_SHADING_H
#define DC_RENDER_SHADING_H

#include <stdint.h>

#include "render/camera.h"
#include "render/surfaces.h"

// Sample points: in every block of 16 x 16 pixels, walked along Morton's curve, consecutive pixels take consecutive
// pieces of one scrambled (0, 2)-sequence.  A pixel's points are stratified, and so are those of 2 x 2, 4 x 4, ...
// pixels together, which makes what error remains fine-grained (Ahmed and Wonka 2020, Screen-Space Blue-Noise
// Diffusion of Monte Carlo Sampling Error via Hierarchical Ordering of Pixels).
struct dc_sampler {
  int count;           // per pixel
  uint32_t stride;     // least power of two >= count
  uint32_t *reversed;  // [256 stride]: second coordinate of the sequence, bits reversed
};

struct dc_pixel_points {
  uint32_t seed;   // of the block
  uint32_t first;  // place in the block's sequence
};

enum dc_status dc_sampler_create(struct dc_sampler *sampler, int count, struct dc_error *error);
void dc_sampler_destroy(struct dc_sampler *sampler);
struct dc_pixel_points dc_sampler_pixel(const struct dc_sampler *sampler, int column, int row);
// Point u in [0, 1)^2 of the given sample; pair tells uses within a sample apart.  A pure function.
void dc_sample(const struct dc_sampler *sampler, struct dc_pixel_points pixel, int sample, uint32_t pair, double u[2]);

struct dc_lighting {
  double direction[3], side[2][3];  // towards the key light; two unit vectors across it
  double key[3], sky[3];            // irradiance of the key light at normal incidence, of the whole sky
  double open[3];                   // irradiance of unshadowed ground
  double floor_height;              // m; NAN: no ground
};

// The key light stands over the viewer's left shoulder.
void dc_lighting_create(struct dc_lighting *lighting, const struct dc_view *view, double floor_height);

// Colour of a body's surface seen along the unit direction.  decal [4]: colour painted over the body's and how much
// of it.
void dc_shade_body(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces,
                   const struct dc_surface_hit *hit, const double direction[3], const double decal[4],
                   const double light_u[2], const double sky_u[2], double color[3]);
// Colour of the ground at position; background is what stands behind it, into which it fades with the distance from
// the target.
void dc_shade_ground(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, const struct dc_view *view,
                     const double position[3], const double background[3], const double decal[4],
                     const double light_u[2], const double sky_u[2], double color[3]);
// Backdrop at height y of the picture, 0 at its top, 1 at its bottom.
void dc_background(double y, double color[3]);

// 8-bit sRGB; dither in [0, 1) decides which way values between two levels go, so that gradients show no bands.
void dc_tone_map(const double color[3], double dither, unsigned char pixel[3]);

#endif
