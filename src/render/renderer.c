// SPDX-License-Identifier: Apache-2.0
// Creates renderers and draws frames (dc_render_frame).
//
// 1. Set poses and traces; find the tiles of the picture in which bodies, shadows, sky shading or paint can occur.
// 2. For bands of rows run the stages: see, gather, shade, finish (renderer.h), each over the margin that the next
//    needs.
// 3. Blocks run in parallel, since each stage is a pure function of position and of the stages before.
#include "render/renderer.h"

#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "render/constants.h"

// From UNFILTERED_SAMPLES on every pixel has all of its own rays: noise is low then, and such pictures are the
// reference for filtered ones.
enum { MOST_SAMPLES = 4096, UNFILTERED_SAMPLES = 64 };

// Light rays per block, and of a pixel with its own rays as a fraction of its samples.
enum { BLOCK_RAYS = 8, PIXEL_RAYS_PART = 4 };

// Offsets [samples][2] of eye rays within a pixel, pixels, the same for all: edges of neighbours then meet.
static enum dc_status fill_offsets(struct dc_renderer *renderer, struct dc_error *error)
{
  struct dc_pixel_points first = dc_sampler_pixel(&renderer->sampler, 0, 0);
  renderer->offsets = dc_alloc((size_t)renderer->samples, sizeof *renderer->offsets);
  if (!renderer->offsets)
    return dc_out_of_memory_for(error, "%d samples", renderer->samples);
  for (int s = 0; s < renderer->samples; s++) {
    double u[2];
    dc_sample(&renderer->sampler, first, s, DC_PAIR_PIXEL, u);
    dc_tent_offset(u, renderer->offsets[s]);
  }
  return DC_OK;
}

// Fills a table of points [places of a block][rays][6]: two coordinates each within the pixel, on the sun's disc and
// for the sky.
static enum dc_status fill_light_points(struct dc_light_points *points, int rays, struct dc_error *error)
{
  struct dc_sampler sampler;
  size_t places = DC_SAMPLER_BLOCK * DC_SAMPLER_BLOCK;
  points->rays = rays;
  points->points = dc_alloc(places * (size_t)rays, sizeof *points->points);
  enum dc_status status = dc_sampler_create(&sampler, rays, error);
  if (!status && !points->points)
    status = dc_out_of_memory_for(error, "rays of light");
  for (int p = 0; p < (int)places * rays && !status; p++) {
    int place = p / rays;
    struct dc_pixel_points at = dc_sampler_pixel(&sampler, place % DC_SAMPLER_BLOCK, place / DC_SAMPLER_BLOCK);
    double u[3][2];
    dc_sample(&sampler, at, p % rays, DC_PAIR_PIXEL, u[0]);
    dc_sample(&sampler, at, p % rays, DC_PAIR_KEY, u[1]);
    dc_sample(&sampler, at, p % rays, DC_PAIR_SKY, u[2]);
    dc_disc_point(u[1], u[1]);
    dc_disc_point(u[2], u[2]);
    for (int i = 0; i < 6; i++)
      points->points[p][i] = (float)u[i / 2][i % 2];
  }
  dc_sampler_destroy(&sampler);
  return status;
}

// Patterns of samples: filtered pictures use few rays and smooth them, others many for each pixel.
static enum dc_status prepare_samples(struct dc_renderer *renderer, struct dc_error *error)
{
  int samples = renderer->samples;
  if (samples < 1 || samples > MOST_SAMPLES)
    return dc_fail(error, DC_BAD_INPUT, "samples per pixel must be 1 .. %d (is %d)", MOST_SAMPLES, samples);
  renderer->filtered = samples < UNFILTERED_SAMPLES;
  enum dc_status status = dc_sampler_create(&renderer->sampler, samples, error);
  if (status || !renderer->filtered)
    return status;
  status = fill_offsets(renderer, error);
  if (!status)
    status = fill_light_points(&renderer->block_rays, BLOCK_RAYS, error);
  if (!status)
    status = fill_light_points(&renderer->pixel_rays, samples < PIXEL_RAYS_PART ? 1 : samples / PIXEL_RAYS_PART, error);
  if (!status)
    status = dc_pixels_create(&renderer->pixels, renderer->view.width, renderer->view.height, error);
  return status;
}

// Makes all parts of a renderer: view, lights, tiles, samples, surfaces, decals.
static enum dc_status renderer_fill(struct dc_renderer *renderer, const struct dc_bodies *bodies, int mark_count,
                                    const struct dc_render_mark *marks, const struct dc_render_settings *settings,
                                    struct dc_error *error)
{
  enum dc_status status = dc_view_create(&renderer->view, settings, error);
  if (status)
    return status;
  if (isinf(settings->floor_height))
    return dc_fail(error, DC_BAD_INPUT, "floor height must be finite, or NAN for no ground");
  dc_lighting_create(&renderer->lighting, &renderer->view, settings->floor_height);
  renderer->samples = settings->samples;
  renderer->line_width = fmax(1, DC_TRACE_PIXELS * settings->height);
  renderer->tile_columns = (settings->width + DC_TILE - 1) / DC_TILE;
  renderer->tile_rows = (settings->height + DC_TILE - 1) / DC_TILE;
  renderer->tiles = dc_alloc((size_t)renderer->tile_columns * (size_t)renderer->tile_rows, 1);
  if (!renderer->tiles)
    return dc_out_of_memory_for(error, "a picture of %d x %d", settings->width, settings->height);
  renderer->spheres = dc_alloc((size_t)bodies->count, sizeof *renderer->spheres);
  if (!renderer->spheres)
    return dc_out_of_memory_for(error, "%d bodies", bodies->count);
  status = prepare_samples(renderer, error);
  // Paint is evaluated once per pixel, or by all of its samples.
  renderer->softness = renderer->filtered ? 1 : 0.25;
  if (!status)
    status = dc_surfaces_create(&renderer->surfaces, bodies, error);
  if (!status)
    status = dc_decals_create(&renderer->decals, renderer->surfaces.device, mark_count, marks, settings->grid, error);
  return status;
}

struct dc_renderer *dc_renderer_create(const struct dc_bodies *bodies, int mark_count,
                                       const struct dc_render_mark *marks, const struct dc_render_settings *settings,
                                       struct dc_error *error)
{
  struct dc_renderer *renderer = dc_alloc(1, sizeof *renderer);
  if (!renderer) {
    dc_out_of_memory_for(error, "the renderer");
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
  free(renderer->block_rays.points);
  free(renderer->pixel_rays.points);
  dc_pixels_destroy(&renderer->pixels);
  free(renderer->offsets);
  free(renderer->tiles);
  free(renderer->spheres);
  free(renderer);
}

// The tile that contains picture coordinate x, kept within -1 .. count.
static int tile_of(double x, int count)
{
  double tile = floor(x / DC_TILE);
  return tile < -1 ? -1 : tile > count ? count : (int)tile;
}

// Marks the tiles in which a convex thing with these corners, or anything within slack pixels of it, may be seen: the
// box around the corners' pictures.  Behind the camera a corner has no picture, and all tiles are marked.
static void mark_tiles(struct dc_renderer *renderer, int count, const double (*corners)[3], double slack,
                       unsigned char mark)
{
  const struct dc_view *view = &renderer->view;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  bool in_front = true;
  for (int c = 0; c < count; c++) {
    double place[2];
    in_front = dc_view_project(view, corners[c], place) && in_front;
    for (int i = 0; i < 2; i++) {
      low[i] = fmin(low[i], place[i] - slack);
      high[i] = fmax(high[i], place[i] + slack);
    }
  }
  int left = 0, top = 0, right = renderer->tile_columns - 1, bottom = renderer->tile_rows - 1;
  if (in_front) {  // otherwise its picture is not the hull of its corners' pictures
    left = tile_of(low[0], right), right = tile_of(high[0], right);
    top = tile_of(low[1], bottom), bottom = tile_of(high[1], bottom);
  }
  for (int row = top < 0 ? 0 : top; row <= bottom; row++)
    for (int column = left < 0 ? 0 : left; column <= right; column++)
      renderer->tiles[row * renderer->tile_columns + column] |= mark;
}

// Marks the tiles of a body and of its shadow, because most of a picture is open ground that needs no rays. spheres
// [bodies][4] get centre and radius, m, of a sphere around the body's box, for mark_dim_tiles.
static void mark_body(struct dc_renderer *renderer, int body)
{
  double corners[8][3], shadow[4][3], *sphere = renderer->spheres[body];
  dc_surfaces_box(&renderer->surfaces, body, corners);
  dc_vec_add(sphere, corners[0], corners[7]);
  dc_vec_scale(sphere, sphere, 0.5);
  sphere[3] = 0.5 * dc_vec_distance(corners[0], corners[7]);
  mark_tiles(renderer, 8, (const double(*)[3])corners, DC_FILTER_SLACK, DC_TILE_BODY);
  if (isnan(renderer->lighting.floor_height))
    return;
  dc_lighting_shadow(&renderer->lighting, 8, (const double(*)[3])corners, shadow);
  mark_tiles(renderer, 4, (const double(*)[3])shadow, DC_FILTER_SLACK, DC_TILE_SHADOW);
}

// Marks tiles with paint on the ground.
static void mark_decals(struct dc_renderer *renderer)
{
  int count = dc_decals_count(&renderer->decals);
  if (renderer->decals.grid > 0)
    for (int tile = 0; tile < renderer->tile_columns * renderer->tile_rows; tile++)
      renderer->tiles[tile] |= DC_TILE_DECAL;
  for (int d = 0; d < count && !isnan(renderer->lighting.floor_height); d++) {
    double low[2], high[2], corners[4][3];
    dc_decals_bounds(&renderer->decals, d, low, high);
    for (int c = 0; c < 4; c++) {
      corners[c][0] = c & 1 ? high[0] : low[0];
      corners[c][1] = c & 2 ? high[1] : low[1];
      corners[c][2] = renderer->lighting.floor_height;
    }
    mark_tiles(renderer, 4, (const double(*)[3])corners, DC_FILTER_SLACK + renderer->line_width, DC_TILE_DECAL);
  }
}

// Marks ground on which bodies block the sky's light.  A sphere seen whole blocks the fraction (radius / distance)^2
// times the cosine of its centre to the vertical; that of its top is larger, also where the ground cuts the sphere.
static void mark_dim_tiles(struct dc_renderer *renderer)
{
  const double *eye = renderer->view.eye;
  for (int tile = 0; tile < renderer->tile_columns * renderer->tile_rows; tile++) {
    int row = tile / renderer->tile_columns, column = tile % renderer->tile_columns;
    double direction[3], place[3], taken = 0;
    dc_view_direction(&renderer->view, (column + 0.5) * DC_TILE, (row + 0.5) * DC_TILE, direction);
    double ground = dc_ground_distance(renderer, direction);
    dc_vec_add_scaled(place, eye, ground < INFINITY ? ground : 0, direction);
    for (int b = 0; b < renderer->surfaces.body_count && taken <= DC_LEAST_SKY_TAKEN; b++) {
      const double *sphere = renderer->spheres[b];
      double distance = dc_vec_distance(place, sphere), part = sphere[3] / fmax(distance, 1e-30);
      taken += part * part * fmin(1, (fmax(sphere[2] - place[2], 0) + sphere[3]) / fmax(distance, 1e-30));
    }
    if (taken > DC_LEAST_SKY_TAKEN || !(ground < INFINITY))
      renderer->tiles[tile] |= DC_TILE_DIM;
  }
}

// Runs a stage for all blocks in some rows, which start with a tile.
static void run_stage(struct dc_renderer *renderer, dc_block_stage *stage, int first, int end)
{
  int columns = renderer->tile_columns, rows = (end - first + DC_TILE - 1) / DC_TILE;
#pragma omp parallel for schedule(dynamic)
  for (int tile = 0; tile < columns * rows; tile++) {
    int left = tile % columns * DC_TILE, top = first + tile / columns * DC_TILE;
    for (int row = top; row < top + DC_TILE && row < end; row += DC_BLOCK)
      for (int column = left; column < left + DC_TILE && column < renderer->view.width; column += DC_BLOCK)
        stage(renderer, column, row);
  }
}

// Runs all stages for the rows of a band, each with the margin that the next one needs.  Margins are computed twice,
// by both bands that they belong to, with the same result.
static void draw_band(struct dc_renderer *renderer, int first, int end)
{
  static const struct {
    dc_block_stage *stage;
    int margin;
  } stages[] = {{dc_stage_see, DC_SEE_MARGIN},
                {dc_stage_gather, DC_GATHER_MARGIN},
                {dc_stage_shade, DC_SHADE_MARGIN},
                {dc_stage_finish, 0}};
  int height = renderer->view.height;
  struct dc_pixels *pixels = &renderer->pixels;
  pixels->first_row = first > DC_SEE_MARGIN ? first - DC_SEE_MARGIN : 0;
  pixels->rows = (end + DC_SEE_MARGIN < height ? end + DC_SEE_MARGIN : height) - pixels->first_row;
  for (int s = 0; s < (int)(sizeof stages / sizeof *stages); s++) {
    int from = first > stages[s].margin ? first - stages[s].margin : 0;
    int to = end + stages[s].margin < height ? end + stages[s].margin : height;
    run_stage(renderer, stages[s].stage, from, to);
  }
}

// Moves the camera between frames; the size of the picture stays, since all arrays have it.
enum dc_status dc_render_look(struct dc_renderer *renderer, const struct dc_render_settings *settings,
                              struct dc_error *error)
{
  struct dc_render_settings look = *settings;
  look.width = renderer->view.width, look.height = renderer->view.height;
  enum dc_status status = dc_view_create(&renderer->view, &look, error);
  if (!status)
    dc_lighting_look(&renderer->lighting, &renderer->view);
  return status;
}

// Whether a point is in front of the camera, where it is in the picture, and whether something hides it.
bool dc_render_project(const struct dc_renderer *renderer, const double point[3], bool *hidden, double place[2])
{
  double toward[3];
  const struct dc_view *view = &renderer->view;
  if (!dc_view_project(view, point, place))
    return false;
  dc_vec_sub(toward, point, view->eye);
  double distance = dc_vec_norm(toward);
  dc_vec_scale(toward, toward, 1 / distance);
  struct dc_ray_packet packet;
  dc_packet_clear(&packet);
  dc_packet_set(&packet, 0, view->eye, toward);
  dc_surfaces_intersect(&renderer->surfaces, &packet, true);
  *hidden = dc_packet_body(&packet, 0) >= 0 && dc_packet_distance(&packet, 0) < distance;
  return true;
}

enum dc_status dc_render_deform(struct dc_renderer *renderer, const double *nodes, struct dc_error *error)
{
  return dc_surfaces_deform(&renderer->surfaces, nodes, error);
}

// Places the bodies, marks tiles, then runs the passes over all blocks, in bands where the picture is filtered.
// pixels [height][width][3] are sRGB.
enum dc_status dc_render_frame(struct dc_renderer *renderer, const struct dc_pose *poses, int trace_count,
                               const double *traces, unsigned char *pixels, struct dc_error *error)
{
  enum dc_status status = dc_surfaces_pose(&renderer->surfaces, poses, error);
  if (!status)
    status = dc_decals_trace(&renderer->decals, &renderer->surfaces, trace_count, traces, error);
  if (status)
    return status;
  int height = renderer->view.height, band = renderer->filtered ? dc_band_rows(renderer->view.width, height) : height;
  renderer->picture = pixels;
  memset(renderer->tiles, 0, (size_t)renderer->tile_columns * (size_t)renderer->tile_rows);
  for (int b = 0; b < renderer->surfaces.body_count; b++)
    if (renderer->surfaces.bodies[b].mesh)
      mark_body(renderer, b);
  mark_decals(renderer);
  mark_dim_tiles(renderer);
  if (!renderer->filtered)
    run_stage(renderer, dc_stage_samples, 0, height);
  for (int first = 0; renderer->filtered && first < height; first += band)
    draw_band(renderer, first, first + band < height ? first + band : height);
  return dc_surfaces_check(renderer->surfaces.device, "picture", error);
}
