// SPDX-License-Identifier: Apache-2.0
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "render/camera.h"
#include "render/decals.h"
#include "render/shading.h"
#include "render/surfaces.h"

enum { TILE = 16, BLOCK = 4, MOST_SAMPLES = 4096, DRAFT_SAMPLES = 4 };

// What a tile may show; rays are saved where it shows neither.
enum { TILE_BODY = 1, TILE_SHADOW = 2 };  // a body; the key light's shadow of one on the ground

// Pairs of random dimensions within a sample.
enum { PAIR_PIXEL, PAIR_LIGHT, PAIR_SKY, PAIR_DITHER };

static const double filter_radius = 0.85;  // of the tent over a pixel, pixels
static const double upward = 0.7;          // marks lie on fixed surfaces whose normal has at least this z
static const double trace_pixels_per_height = 1.9 / 720;  // width of traces, of the picture's height

struct dc_renderer {
  struct dc_view view;
  struct dc_lighting lighting;
  struct dc_sampler sampler;
  struct dc_surfaces surfaces;
  struct dc_decals decals;
  double softness, line_width;  // of decals, pixels
  int tile_columns, tile_rows;
  unsigned char *tiles;  // [tile_rows][tile_columns] sums of what the tile may show
};

static enum dc_status renderer_fill(struct dc_renderer *renderer, const struct dc_bodies *bodies, int mark_count,
                                    const struct dc_render_mark *marks, const struct dc_render_settings *settings,
                                    struct dc_error *error)
{
  enum dc_status status = dc_view_create(&renderer->view, settings, error);
  if (status)
    return status;
  if (settings->samples < 1 || settings->samples > MOST_SAMPLES)
    return dc_fail(error, DC_BAD_INPUT, "samples per pixel must be 1 .. %d (is %d)", MOST_SAMPLES, settings->samples);
  if (isinf(settings->floor_height))
    return dc_fail(error, DC_BAD_INPUT, "floor height must be finite, or NAN for no ground");
  dc_lighting_create(&renderer->lighting, &renderer->view, settings->floor_height);
  renderer->softness = fmax(1 / sqrt(settings->samples), 0.25);
  renderer->line_width = fmax(1, trace_pixels_per_height * settings->height);
  renderer->tile_columns = (settings->width + TILE - 1) / TILE;
  renderer->tile_rows = (settings->height + TILE - 1) / TILE;
  renderer->tiles = dc_alloc((size_t)renderer->tile_columns * (size_t)renderer->tile_rows, 1);
  if (!renderer->tiles)
    return dc_fail(error, DC_MEMORY, "out of memory for a picture of %d x %d", settings->width, settings->height);
  status = dc_sampler_create(&renderer->sampler, settings->samples, error);
  if (!status)
    status = dc_surfaces_create(&renderer->surfaces, bodies, error);
  if (!status)
    status = dc_decals_create(&renderer->decals, renderer->surfaces.device, mark_count, marks, error);
  return status;
}

struct dc_renderer *dc_renderer_create(const struct dc_bodies *bodies, int mark_count,
                                       const struct dc_render_mark *marks, const struct dc_render_settings *settings,
                                       struct dc_error *error)
{
  struct dc_renderer *renderer = dc_alloc(1, sizeof *renderer);
  if (!renderer) {
    dc_fail(error, DC_MEMORY, "out of memory for the renderer");
    return NULL;
  }
  if (renderer_fill(renderer, bodies, mark_count, marks, settings, error)) {
    dc_renderer_destroy(renderer);
    return NULL;
  }
  return renderer;
}

void dc_renderer_destroy(struct dc_renderer *renderer)
{
  if (!renderer)
    return;
  dc_decals_destroy(&renderer->decals);
  dc_surfaces_destroy(&renderer->surfaces);
  dc_sampler_destroy(&renderer->sampler);
  free(renderer->tiles);
  free(renderer);
}

// Tile that holds picture coordinate x, kept within -1 .. count.
static int tile_of(double x, int count)
{
  double tile = floor(x / TILE);
  return tile < -1 ? -1 : tile > count ? count : (int)tile;
}

// Marks the tiles in which a convex thing with these corners may be seen.
static void mark_tiles(struct dc_renderer *renderer, int count, const double (*corners)[3], unsigned char mark)
{
  const struct dc_view *view = &renderer->view;
  const double slack = 2;  // pixels: the filter's reach and rounding
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  bool in_front = true;
  for (int c = 0; c < count; c++) {
    double offset[3];
    dc_vec_sub(offset, corners[c], view->eye);
    double depth = dc_vec_dot(offset, view->forward);
    in_front = in_front && depth > 1e-3 * dc_vec_norm(offset);
    double x = 0.5 * view->width + dc_vec_dot(offset, view->right) / (depth * view->pixel);
    double y = 0.5 * view->height - dc_vec_dot(offset, view->up) / (depth * view->pixel);
    low[0] = fmin(low[0], x - slack), high[0] = fmax(high[0], x + slack);
    low[1] = fmin(low[1], y - slack), high[1] = fmax(high[1], y + slack);
  }
  int left = 0, top = 0, right = renderer->tile_columns - 1, bottom = renderer->tile_rows - 1;
  if (in_front) {  // else the picture of the thing is not the hull of its corners' pictures
    left = tile_of(low[0], right), right = tile_of(high[0], right);
    top = tile_of(low[1], bottom), bottom = tile_of(high[1], bottom);
  }
  for (int row = top < 0 ? 0 : top; row <= bottom; row++)
    for (int column = left < 0 ? 0 : left; column <= right; column++)
      renderer->tiles[row * renderer->tile_columns + column] |= mark;
}

// Most of a picture is open ground: tiles tell where bodies and their shadows may be.
static void mark_body(struct dc_renderer *renderer, int body)
{
  double corners[8][3], shadow[4][3];
  dc_surfaces_box(&renderer->surfaces, body, corners);
  mark_tiles(renderer, 8, (const double(*)[3])corners, TILE_BODY);
  if (isnan(renderer->lighting.floor_height))
    return;
  dc_lighting_shadow(&renderer->lighting, 8, (const double(*)[3])corners, shadow);
  mark_tiles(renderer, 4, (const double(*)[3])shadow, TILE_SHADOW);
}

// Inverse of the distribution of the tent on [-1, 1]: sqrt(2 u) - 1 below one half, 1 - sqrt(2 - 2 u) above, without a
// branch that nobody can predict.
static double tent(double u)
{
  return copysign(1 - sqrt(1 - fabs(2 * u - 1)), 2 * u - 1);
}

// Distance along the ray to the ground, seen from above; INFINITY without one.
static double ground_distance(const struct dc_renderer *renderer, const double direction[3])
{
  double height = renderer->view.eye[2] - renderer->lighting.floor_height;
  return height > 0 && direction[2] < -1e-9 ? height / -direction[2] : INFINITY;
}

static void decal_at(const struct dc_renderer *renderer, const double direction[3], double distance,
                     const double position[3], const double normal[3], double decal[4])
{
  struct dc_decal_place place = {position, normal, direction, distance};
  dc_decals_evaluate(&renderer->decals, &renderer->surfaces, &renderer->view, &place, renderer->softness,
                     renderer->line_width, decal);
}

static void shade_sample(const struct dc_renderer *renderer, struct dc_pixel_points points, int column, int row,
                         int sample, struct dc_sky_light *sky, double color[3])
{
  const struct dc_view *view = &renderer->view;
  double u[2], light_u[2] = {0, 0}, sky_u[2], direction[3], background[3];
  dc_sample(&renderer->sampler, points, sample, PAIR_PIXEL, u);
  double x = column + 0.5 + filter_radius * tent(u[0]), y = row + 0.5 + filter_radius * tent(u[1]);
  dc_view_direction(view, x, y, direction);
  struct dc_surface_hit hit;
  unsigned char tile = renderer->tiles[row / TILE * renderer->tile_columns + column / TILE];
  bool body = tile & TILE_BODY && dc_surfaces_intersect(&renderer->surfaces, view->eye, direction, true, &hit);
  double ground = ground_distance(renderer, direction);
  dc_background(y / view->height, background);
  if (!body && ground == INFINITY) {
    dc_vec_copy(color, background);
    return;
  }
  bool ground_seen = !body || hit.distance > ground * (1 + 1e-5);  // a floor whose top is there is drawn as the floor
  bool lit = ground_seen && !(tile & TILE_SHADOW);
  if (!lit)
    dc_sample(&renderer->sampler, points, sample, PAIR_LIGHT, light_u);
  // In drafts one ray into the sky serves two samples (struct dc_sky_light): half as many points, consecutive again.
  bool draft = renderer->sampler.count <= DRAFT_SAMPLES;
  struct dc_pixel_points sky_points = {points.seed, draft ? points.first / 2 : points.first};
  dc_sample(&renderer->sampler, sky_points, draft ? sample / 2 : sample, PAIR_SKY, sky_u);
  if (!draft)
    sky->uses = 0;
  double decal[4] = {0, 0, 0, 0};
  if (!ground_seen) {
    if (renderer->surfaces.bodies[hit.body].fixed && hit.normal[2] > upward)
      decal_at(renderer, direction, hit.distance, hit.position, hit.face_normal, decal);
    dc_shade_body(&renderer->lighting, &renderer->surfaces, &hit, direction, decal, light_u, sky_u, sky, color);
    return;
  }
  const double normal[3] = {0, 0, 1};
  double position[3];
  dc_vec_add_scaled(position, view->eye, ground, direction);
  position[2] = renderer->lighting.floor_height;
  decal_at(renderer, direction, ground, position, normal, decal);
  dc_shade_ground(&renderer->lighting, &renderer->surfaces, view, position, background, decal, lit, light_u, sky_u, sky,
                  color);
}

// Samples by need.  Most of a picture is open ground, where every sample says the same; edges, penumbrae and what is near
// bodies want many.  A block of pixels takes one sample each, then four, and so on up to the number asked for, until its
// samples agree: the first ones, which are one stratified set over the block, to `alike`; later ones in their mean
// variance within pixels, so that the error of a pixel's mean is below `error`.  Both are of square roots of light, about
// what the eye sees.  A block is a pure function of its place.
struct block {
  int columns, rows;
  double sum[BLOCK * BLOCK][3];                           // of light
  double root[BLOCK * BLOCK][3], squares[BLOCK * BLOCK];  // of square roots, of their squares over all channels
  double low[3], high[3];                                 // of square roots
  struct dc_sky_light sky[BLOCK * BLOCK];
};

static void add_sample(struct block *block, int pixel, const double color[3])
{
  dc_vec_add(block->sum[pixel], block->sum[pixel], color);
  for (int i = 0; i < 3; i++) {
    double root = sqrt(fmax(0, color[i]));
    block->root[pixel][i] += root;
    block->squares[pixel] += root * root;
    block->low[i] = fmin(block->low[i], root);
    block->high[i] = fmax(block->high[i], root);
  }
}

static bool is_settled(const struct block *block, int samples)
{
  static const double alike = 1.2 / 255, error = 2.0 / 255;
  int pixels = block->columns * block->rows;
  double variance = 0;
  if (samples == 1)
    return block->high[0] - block->low[0] < alike && block->high[1] - block->low[1] < alike &&
           block->high[2] - block->low[2] < alike;
  for (int p = 0; p < pixels; p++)
    variance += (block->squares[p] - dc_vec_dot(block->root[p], block->root[p]) / samples) / (samples - 1);
  return variance < 3 * pixels * samples * error * error;
}

static void draw_block(const struct dc_renderer *renderer, int left, int top, unsigned char *pixels)
{
  int width = renderer->view.width, height = renderer->view.height, count = renderer->sampler.count;
  struct block block = {.columns = width - left < BLOCK ? width - left : BLOCK,
                        .rows = height - top < BLOCK ? height - top : BLOCK,
                        .low = {INFINITY, INFINITY, INFINITY},
                        .high = {-INFINITY, -INFINITY, -INFINITY}};
  int done = 0, all = block.columns * block.rows;
  for (int wanted = 1; done<count; wanted = wanted> count / 4 ? count : 4 * wanted) {
    for (int p = 0; p < all; p++) {
      int column = left + p % block.columns, row = top + p / block.columns;
      struct dc_pixel_points points = dc_sampler_pixel(&renderer->sampler, column, row);
      for (int s = done; s < wanted; s++) {
        double color[3];
        shade_sample(renderer, points, column, row, s, &block.sky[p], color);
        add_sample(&block, p, color);
      }
    }
    done = wanted;
    if (is_settled(&block, done))
      break;
  }
  for (int p = 0; p < all; p++) {
    int column = left + p % block.columns, row = top + p / block.columns;
    double dither[2], color[3];
    dc_vec_scale(color, block.sum[p], 1.0 / done);
    dc_sample(&renderer->sampler, dc_sampler_pixel(&renderer->sampler, column, row), 0, PAIR_DITHER, dither);
    dc_tone_map(color, dither[0], pixels + 3 * ((size_t)row * (size_t)width + (size_t)column));
  }
}

enum dc_status dc_render_deform(struct dc_renderer *renderer, const double *nodes, struct dc_error *error)
{
  return dc_surfaces_deform(&renderer->surfaces, nodes, error);
}

enum dc_status dc_render_frame(struct dc_renderer *renderer, const struct dc_pose *poses, int trace_count,
                               const double *traces, unsigned char *pixels, struct dc_error *error)
{
  enum dc_status status = dc_surfaces_pose(&renderer->surfaces, poses, error);
  if (!status)
    status = dc_decals_trace(&renderer->decals, &renderer->surfaces, trace_count, traces, error);
  if (status)
    return status;
  int width = renderer->view.width, height = renderer->view.height;
  int columns = renderer->tile_columns, tiles = columns * renderer->tile_rows;
  memset(renderer->tiles, 0, (size_t)tiles);
  for (int b = 0; b < renderer->surfaces.body_count; b++)
    if (renderer->surfaces.bodies[b].mesh)
      mark_body(renderer, b);
      // Every pixel is a pure function of its place: tiles may go to threads in any order.
#pragma omp parallel for schedule(dynamic)
  for (int tile = 0; tile < tiles; tile++) {
    int left = tile % columns * TILE, top = tile / columns * TILE;
    for (int row = top; row < top + TILE && row < height; row += BLOCK)
      for (int column = left; column < left + TILE && column < width; column += BLOCK)
        draw_block(renderer, column, row, pixels);
  }
  return dc_surfaces_check(renderer->surfaces.device, "picture", error);
}
