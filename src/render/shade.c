// SPDX-License-Identifier: Apache-2.0
// Colour at a visible point, and colours as pixels of the picture.
#include <math.h>

#include "math/vector.h"
#include "render/constants.h"
#include "render/renderer.h"

// Colour of the paint on the ground or on a fixed body.
static void decal_at(const struct dc_renderer *renderer, const struct dc_decal_place *place, double decal[4])
{
  dc_decals_evaluate(&renderer->decals, &renderer->surfaces, &renderer->view, place, renderer->softness,
                     renderer->line_width, decal);
}

// The colour of one sample: background, or ground or body with decals and light.
void dc_shade(const struct dc_renderer *renderer, const struct dc_seen *seen, double color[3])
{
  double background[3], decal[4] = {0, 0, 0, 0};
  const struct dc_surface_body *body = &renderer->surfaces.bodies[seen->surface < 0 ? 0 : seen->surface];
  if (seen->surface < 0)
    dc_background(&renderer->lighting, seen->y / renderer->view.height, seen->direction[2], background);
  if (seen->surface == DC_ON_NOTHING) {
    dc_vec_copy(color, background);
    return;
  }
  bool painted = seen->surface == DC_ON_GROUND ? dc_tile_at(renderer, (int)seen->x, (int)seen->y) & DC_TILE_DECAL
                                               : body->fixed && seen->normal[2] > DC_MARK_UPWARD;
  if (painted) {
    struct dc_decal_place place = {seen->position, seen->normal, seen->direction,
                                   dc_vec_distance(seen->position, renderer->view.eye),
                                   renderer->lighting.floor_height};
    decal_at(renderer, &place, decal);
  }
  if (seen->surface == DC_ON_GROUND)
    dc_shade_ground(&renderer->lighting, &renderer->view, seen->position, background, decal, seen->visible, seen->sky,
                    color);
  else
    dc_shade_body(&renderer->lighting, body->color, seen->normal, seen->direction, decal, seen->visible, seen->sky,
                  color);
}

// Tone curve and dither turn light into three bytes of the picture.
void dc_put_pixel(struct dc_renderer *renderer, int column, int row, const double color[3])
{
  // Dither thresholds that differ much between neighbours: the additive sequence of the plastic number in two
  // dimensions.
  double dither = 0.7548776662466927 * column + 0.5698402909980532 * row;
  dc_tone_map(&renderer->lighting, color, dither - floor(dither),
              renderer->picture + 3 * ((size_t)row * (size_t)renderer->view.width + (size_t)column));
}
