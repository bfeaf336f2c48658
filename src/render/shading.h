// SPDX-License-Identifier: Apache-2.0
// Light and surfaces: one soft key light from above, a white sky, one bounce.  Colours are linear RGB throughout;
// dc_tone_map converts them for the picture.
//
// Light rays determine two quantities at a point, which shading combines with its colour: the visible fraction of the
// key light's disc, and the radiance from sky, ground and other bodies.  Both may be averaged over many rays and over
// neighbouring points first.
#ifndef DC_RENDER_SHADING_H
#define DC_RENDER_SHADING_H

#include "render/camera.h"
#include "render/surfaces.h"

enum { DC_TONES = 4096 };

struct dc_lighting {
  double direction[3], side[2][3];  // towards the key light; two unit vectors across it
  double key[3], sky[3];            // irradiance of the key light at normal incidence, of the whole sky
  double per_open[3];               // one over the irradiance of unshadowed ground
  double per_half_height;           // one over half the height of the picture at the target, 1/m
  double floor_height;              // m; NAN: no ground
  float tones[DC_TONES + 2];        // 8-bit sRGB, not rounded, at squares of 0 .. 4 in even steps
};

// Tangent of the key light's half angle: width of penumbrae.
extern const double dc_key_radius;

// Creates the light, which stands over the viewer's left shoulder.
void dc_lighting_create(struct dc_lighting *lighting, const struct dc_view *view, double floor_height);

// Sets another view of the same light.
void dc_lighting_look(struct dc_lighting *lighting, const struct dc_view *view);

// Corners of a rectangle on the ground outside of which a convex thing with the given corners [count] casts no shadow.
void dc_lighting_shadow(const struct dc_lighting *lighting, int count, const double (*corners)[3],
                        double rectangle[4][3]);

// Up to DC_RAYS points that need light, and the result of a ray for each.
struct dc_light_batch {
  int count;
  double origin[DC_RAYS][3], normal[DC_RAYS][3];  // m; unit
  double key[DC_RAYS][2], sky[DC_RAYS][2];        // points of the unit disc, evenly spread
  // results
  bool visible[DC_RAYS];        // whether the point of the key light chosen by key is visible
  float blocker[DC_RAYS];       // distance of its occluder, m
  float radiance[DC_RAYS][3];   // from the sky's point, times the weight of its direction
  float sky_distance[DC_RAYS];  // distance of what was met there, m; INFINITY: the sky itself
};
// Point of the unit disc for u in [0, 1)^2.
void dc_disc_point(const double u[2], double disc[2]);
// Casts one ray towards the key light for each point; blockers: also determine the occluder's distance.
void dc_light_key(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, bool blockers,
                  struct dc_light_batch *batch);
// Casts one ray into the hemisphere above each point, with density cosine / pi; key is used for ground that it meets.
void dc_light_sky(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, struct dc_light_batch *batch);

// Colour of a body's surface seen along a unit direction.  decal [4]: paint over the body's colour and its opacity;
// visible: fraction of the key light; sky: mean radiance of dc_light_sky.
void dc_shade_body(const struct dc_lighting *lighting, const double body_color[3], const double normal[3],
                   const double direction[3], const double decal[4], double visible, const double sky[3],
                   double color[3]);
// Colour of the ground at position; background is the backdrop, into which it fades with the distance from the target.
void dc_shade_ground(const struct dc_lighting *lighting, const struct dc_view *view, const double position[3],
                     const double background[3], const double decal[4], double visible, const double sky[3],
                     double color[3]);
// Backdrop at height y of the picture, 0 at its top, 1 at its bottom, along a unit direction whose z is rise: white,
// and above ground the sky becomes blue above the horizon.
void dc_background(const struct dc_lighting *lighting, double y, double rise, double color[3]);

// Converts to 8-bit sRGB; dither in [0, 1) rounds values between two levels, so that gradients show no bands.
void dc_tone_map(const struct dc_lighting *lighting, const double color[3], double dither, unsigned char pixel[3]);

#endif
