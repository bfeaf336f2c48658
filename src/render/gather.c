// SPDX-License-Identifier: Apache-2.0
// Light of patches from the surrounding blocks, and separate light rays for pixels where light changes fast (stage
// dc_stage_gather).
//
// Incident light may be averaged over distances that are short compared with those to what sends or blocks it (Ward et
// al. 1988, A Ray Tracing Solution for Diffuse Interreflection; for the sky, the harmonic mean distance of what its
// rays meet), and only on the same side of edges.  Weights are those of a joint bilateral filter in position, normal
// and distance from the tangent plane.
#include <stdlib.h>

#include "math/vector.h"
#include "render/constants.h"
#include "render/renderer.h"

// Sky light varies slowly and is averaged over 7 x 7 blocks; whether the key light is seen, over 5 x 5; the distance
// of what is near, over 3 x 3, since a mean over more hides corners.
enum { SKY_REACH = 3, KEY_REACH = 2, DISTANCE_REACH = 1 };  // blocks

// How much the surface at one place says about that at another, 0 to 1: falls with the angle between normals, and is
// 0 across a step off the tangent plane.
static float likeness(int surface, const float position[3], const float normal[3], const float other_position[3],
                      const float other_normal[3])
{
  if (surface == DC_ON_GROUND)
    return 1;
  float cosine = 0, height = 0, square = 0;
  for (int i = 0; i < 3; i++) {
    float way = other_position[i] - position[i];
    cosine += normal[i] * other_normal[i];
    height += way * normal[i];
    square += way * way;
  }
  if (cosine <= DC_GATHER_LEAST_COSINE || height * height > DC_GATHER_PLANE_SLOPE * DC_GATHER_PLANE_SLOPE * square)
    return 0;
  return (cosine - DC_GATHER_LEAST_COSINE) / (1 - DC_GATHER_LEAST_COSINE);
}

// Sums over surrounding patches: how they see the key light, and their mean sky light.
struct around {
  int key_rays, key_visible;
  float blocker;
  float sky[3], weight;  // sums over rays, weighted
  float inverse, inverse_weight;
};

// Adds the light of a patch nearby to the sums, as far as it is alike in surface, place and normal.
static void add_patch(struct around *around, const struct dc_patch *patch, const struct dc_patch *other, int dx, int dy)
{
  float like = likeness(patch->surface, patch->position, patch->normal, other->position, other->normal);
  if (like <= 0)
    return;
  if (abs(dx) <= KEY_REACH && abs(dy) <= KEY_REACH) {
    around->key_rays += other->key_rays;
    around->key_visible += other->key_visible;
    around->blocker = other->blocker < around->blocker ? other->blocker : around->blocker;
  }
  if (abs(dx) <= DISTANCE_REACH && abs(dy) <= DISTANCE_REACH) {
    around->inverse += other->inverse;
    around->inverse_weight += (float)other->sky_rays;
  }
  float tent = (float)((SKY_REACH + 1 - abs(dx)) * (SKY_REACH + 1 - abs(dy))) / ((SKY_REACH + 1) * (SKY_REACH + 1));
  for (int i = 0; i < 3; i++)
    around->sky[i] += tent * like * other->sky[i];
  around->weight += tent * like * (float)other->sky_rays;
}

// Sums up the patches around one, each kind of light within its own reach.
static void look_around(const struct dc_renderer *renderer, int column, int row, const struct dc_patch *patch,
                        struct around *around)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  *around = (struct around){.blocker = INFINITY};
  for (int dy = -SKY_REACH; dy <= SKY_REACH; dy++)
    for (int dx = -SKY_REACH; dx <= SKY_REACH; dx++) {
      int x = column + dx * DC_BLOCK, y = row + dy * DC_BLOCK;
      if (x < 0 || x >= pixels->width || y < pixels->first_row || y >= pixels->first_row + pixels->rows)
        continue;
      for (int layer = 0; layer < DC_LAYERS; layer++) {
        const struct dc_patch *other = dc_patch_at(pixels, x, y, layer);
        if (!other->pixels)
          break;
        if (other->surface == patch->surface)
          add_patch(around, patch, other, dx, dy);
      }
    }
}

// Concludes from the sums around a patch.  Key light: all rays free, none, or some.  Penumbra in pixels: the light's
// disc (radius dc_key_radius at distance 1) seen over the distance to the blocker, by the width of a pixel.  Pixels
// get sky rays of their own where too few rays were alike, or something is near: its harmonic mean distance, weight /
// inverse, is below DC_WIDE_SKY pixels.
static void settle_patch(struct dc_patch *patch, const struct around *around)
{
  patch->key = around->key_visible == around->key_rays ? DC_KEY_LIT
               : around->key_visible == 0              ? DC_KEY_DARK
                                                       : DC_KEY_PARTLY;
  double penumbra = 2 * dc_key_radius * (double)around->blocker / (double)patch->width;
  patch->reach = penumbra < DC_NARROW_PENUMBRA ? 1 : penumbra < DC_WIDE_PENUMBRA ? 2 : DC_WIDE;
  for (int i = 0; i < 3; i++)
    patch->smooth[i] = around->sky[i] / (around->weight + 1e-9f);
  patch->fine_sky =
      around->weight < DC_LEAST_SKY_RAYS || around->inverse * DC_WIDE_SKY * patch->width > around->inverse_weight;
}

// A random point within the pixel, so that shadow edges are softened over at least one pixel.
static void jitter(const struct dc_renderer *renderer, int column, int row, const double origin[3],
                   const double normal[3], const float within[2], double place[3])
{
  double direction[3], footprint[2][3];
  dc_view_direction(&renderer->view, column + 0.5, row + 0.5, direction);
  dc_view_footprint(&renderer->view, direction, dc_vec_distance(origin, renderer->view.eye), normal, footprint);
  dc_vec_add_scaled(place, origin, (double)within[0] - 0.5, footprint[0]);
  dc_vec_add_scaled(place, place, (double)within[1] - 0.5, footprint[1]);
}

// Where the ray through the middle of a pixel meets the ground; the height is set, free of rounding.
static void ground_place(const struct dc_renderer *renderer, int column, int row, double origin[3], double normal[3])
{
  double direction[3];
  dc_view_direction(&renderer->view, column + 0.5, row + 0.5, direction);
  dc_vec_add_scaled(origin, renderer->view.eye, dc_ground_distance(renderer, direction), direction);
  origin[2] = renderer->lighting.floor_height;
  normal[0] = normal[1] = 0, normal[2] = 1;
}

// Whether a pixel needs its own light rays of one kind.
static bool wants(const struct dc_pixels *pixels, int column, int row, bool key)
{
  size_t index = dc_pixel_index(pixels, column, row);
  int layer = pixels->layer[index];
  if (layer == DC_NO_PATCH)
    return pixels->surface[index] != DC_ON_NOTHING;
  const struct dc_patch *patch = dc_patch_at(pixels, column, row, layer);
  return key ? patch->key == DC_KEY_PARTLY : patch->fine_sky;
}

// Casts the pixels' own rays of one kind, one per pixel at a time, so that a packet holds rays of neighbouring
// pixels.  Sums go to the pixels, and for key light to their patch too, whose mean wide penumbras use.
// 1. Pixels of the block that want rays are listed with their places and normals, and their sums begin at 0.
// 2. Sample after sample, each sends one ray: key rays from a random point within the pixel, sky rays from its place.
// 3. Each ray adds its share, 1 / count, to the sum of its pixel.
static void send_rays(struct dc_renderer *renderer, int column, int row, bool key)
{
  struct dc_pixels *pixels = &renderer->pixels;
  struct dc_light_batch batch;
  double origin[DC_RAYS][3], normal[DC_RAYS][3];
  size_t index[DC_RAYS];
  int x[DC_RAYS], y[DC_RAYS], count = renderer->pixel_rays.rays;
  batch.count = 0;
  for (int r = row; r < row + DC_BLOCK && r < renderer->view.height; r++)
    for (int c = column; c < column + DC_BLOCK && c < renderer->view.width; c++) {
      if (!wants(pixels, c, r, key))
        continue;
      int k = batch.count++;
      x[k] = c, y[k] = r;
      index[k] = dc_pixel_index(pixels, c, r);
      if (pixels->surface[index[k]] == DC_ON_GROUND)
        ground_place(renderer, c, r, origin[k], normal[k]);
      for (int i = 0; i < 3 && pixels->surface[index[k]] >= 0; i++) {
        origin[k][i] = (double)pixels->origin[index[k]][i];
        normal[k][i] = (double)pixels->normal[index[k]][i];
      }
      dc_vec_copy(batch.normal[k], normal[k]);
      dc_vec_copy(batch.origin[k], origin[k]);
      pixels->key[index[k]] = key ? 0 : pixels->key[index[k]];
      for (int i = 0; i < 3 && !key; i++)
        pixels->sky[index[k]][i] = 0;
    }
  for (int sample = 0; sample < count && batch.count; sample++) {
    for (int k = 0; k < batch.count; k++) {
      const float *point = dc_light_point(&renderer->pixel_rays, x[k], y[k], sample);
      for (int i = 0; i < 2; i++) {
        batch.key[k][i] = (double)point[2 + i];
        batch.sky[k][i] = (double)point[4 + i];
      }
      if (key)
        jitter(renderer, x[k], y[k], origin[k], normal[k], point, batch.origin[k]);
    }
    if (key)
      dc_light_key(&renderer->lighting, &renderer->surfaces, false, &batch);
    else
      dc_light_sky(&renderer->lighting, &renderer->surfaces, &batch);
    for (int k = 0; k < batch.count; k++) {
      pixels->key[index[k]] += key && batch.visible[k] ? 1.0f / (float)count : 0;
      if (key && pixels->layer[index[k]] != DC_NO_PATCH) {
        struct dc_patch *patch = dc_patch_at(pixels, x[k], y[k], pixels->layer[index[k]]);
        patch->own_rays++;
        patch->own_visible += batch.visible[k];
      }
      for (int i = 0; i < 3 && !key; i++)
        pixels->sky[index[k]][i] += batch.radiance[k][i] / (float)count;
    }
  }
}

// Smooths the light of the patches of a block: sums over blocks around, conclusions for each patch, then rays of
// single pixels.  Tiles of open ground have the whole sky and key light.
void dc_stage_gather(struct dc_renderer *renderer, int column, int row)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  if (!(dc_tile_at(renderer, column, row) & (DC_TILE_BODY | DC_TILE_SHADOW | DC_TILE_DIM))) {
    struct dc_patch *open = dc_patch_at(pixels, column, row, 0);
    for (int i = 0; i < 3 && open->pixels; i++)
      open->smooth[i] = (float)renderer->lighting.sky[i];
    open->key = DC_KEY_LIT;
    return;
  }
  for (int layer = 0; layer < DC_LAYERS; layer++) {
    struct dc_patch *patch = dc_patch_at(pixels, column, row, layer);
    struct around around;
    if (!patch->pixels)
      break;
    look_around(renderer, column, row, patch, &around);
    settle_patch(patch, &around);
  }
  send_rays(renderer, column, row, true);
  send_rays(renderer, column, row, false);
}
