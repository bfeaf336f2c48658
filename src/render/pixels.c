// SPDX-License-Identifier: Apache-2.0
// Eye rays (stage dc_stage_see): which surface every pixel of a block shows, patches of pixels on one smooth piece of
// a surface, and a few light rays for each patch.  Blocks of open ground, in which no body or shadow can be, skip
// tracing.
//
// 1. One eye ray for each pixel of a block, all in one packet.
// 2. Up to DC_LAYERS patches: pixels of one surface with similar normals; pixels beyond the last layer belong to
// none.
// 3. Light rays of a block, shared between its patches; their sums go to the patches, which the next stage smooths.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/vector.h"
#include "render/constants.h"
#include "render/renderer.h"

enum { BLOCK_PIXELS = DC_BLOCK * DC_BLOCK, BAND_PIXELS = 1 << 21 };

// Rows that are kept at once: whole tiles, within a bound of pixels, and never none.
int dc_band_rows(int width, int height)
{
  int rows = BAND_PIXELS / width / DC_TILE * DC_TILE;
  return rows >= height ? height : rows > DC_TILE ? rows : DC_TILE;
}

// Room for the pixels of one band, [rows][width] with margins, instead of the whole picture.
enum dc_status dc_pixels_create(struct dc_pixels *pixels, int width, int height, struct dc_error *error)
{
  int band = dc_band_rows(width, height), rows = band < height ? band + 2 * DC_SEE_MARGIN : height;
  pixels->width = width;
  pixels->rows = rows;
  pixels->block_columns = (width + DC_BLOCK - 1) / DC_BLOCK;
  size_t count = (size_t)width * (size_t)rows;
  pixels->surface = dc_alloc(count, sizeof *pixels->surface);
  pixels->layer = dc_alloc(count, sizeof *pixels->layer);
  pixels->origin = dc_alloc(count, sizeof *pixels->origin);
  pixels->normal = dc_alloc(count, sizeof *pixels->normal);
  pixels->key = dc_alloc(count, sizeof *pixels->key);
  pixels->sky = dc_alloc(count, sizeof *pixels->sky);
  pixels->color = dc_alloc(count, sizeof *pixels->color);
  pixels->patches = dc_alloc(DC_LAYERS * dc_block_count(pixels), sizeof *pixels->patches);
  if (pixels->surface && pixels->layer && pixels->origin && pixels->normal && pixels->key && pixels->sky &&
      pixels->color && pixels->patches)
    return DC_OK;
  return dc_out_of_memory_for(error, "a picture of %d x %d", width, height);
}

void dc_pixels_destroy(struct dc_pixels *pixels)
{
  free(pixels->surface);
  free(pixels->layer);
  free(pixels->origin);
  free(pixels->normal);
  free(pixels->key);
  free(pixels->sky);
  free(pixels->color);
  free(pixels->patches);
}

// A block during this stage.
struct block {
  int column, row, columns, rows;  // of the picture
  double direction[BLOCK_PIXELS][3], position[BLOCK_PIXELS][3], normal[BLOCK_PIXELS][3], distance[BLOCK_PIXELS];
  int surface[BLOCK_PIXELS];
};

// Pixels of a block are numbered row by row, also those that lie outside of the picture.
static size_t pixel_index(const struct dc_pixels *pixels, const struct block *block, int p)
{
  return dc_pixel_index(pixels, block->column + p % DC_BLOCK, block->row + p / DC_BLOCK);
}

// Blocks at the right and lower border may be cut.
static bool in_picture(const struct block *block, int p)
{
  return p % DC_BLOCK < block->columns && p / DC_BLOCK < block->rows;
}

// Notes that a pixel shows the ground, or nothing where the ray does not meet it.
static void see_ground(const struct dc_renderer *renderer, struct block *block, int p, double distance)
{
  block->surface[p] = distance < INFINITY ? DC_ON_GROUND : DC_ON_NOTHING;
  block->distance[p] = distance;
  if (distance < INFINITY) {
    dc_vec_add_scaled(block->position[p], renderer->view.eye, distance, block->direction[p]);
    block->position[p][2] = renderer->lighting.floor_height;
  }
  block->normal[p][0] = block->normal[p][1] = 0;
  block->normal[p][2] = 1;
}

// Direction through the centre of pixel p of a block.
static void aim(const struct dc_view *view, struct block *block, int p)
{
  int row = block->row + p / DC_BLOCK, column = block->column + p % DC_BLOCK;
  dc_view_direction(view, column + 0.5, row + 0.5, block->direction[p]);
}

// Traces the pixels of a block and notes the nearest surface of each.
static void see(struct dc_renderer *renderer, struct block *block)
{
  struct dc_pixels *pixels = &renderer->pixels;
  const struct dc_view *view = &renderer->view;
  bool bodies = dc_tile_at(renderer, block->column, block->row) & DC_TILE_BODY;
  struct dc_ray_packet packet;
  if (bodies)
    dc_packet_clear(&packet);
  for (int p = 0; p < BLOCK_PIXELS; p++) {
    block->surface[p] = DC_ON_NOTHING;
    if (!in_picture(block, p))
      continue;
    aim(view, block, p);
    if (bodies)
      dc_packet_set(&packet, p, view->eye, block->direction[p]);
  }
  if (bodies)
    dc_surfaces_intersect(&renderer->surfaces, &packet, true);
  for (int p = 0; p < BLOCK_PIXELS; p++) {
    if (!in_picture(block, p))
      continue;
    double ground = dc_ground_distance(renderer, block->direction[p]);
    // Where a body's top coincides with the ground, the ground is drawn.
    if (!bodies || dc_packet_body(&packet, p) < 0 || dc_packet_distance(&packet, p) > ground * (1 + 1e-5)) {
      see_ground(renderer, block, p, ground);
      continue;
    }
    struct dc_surface_hit hit;
    dc_surfaces_locate(&renderer->surfaces, &packet, p, view->eye, block->direction[p], &hit);
    size_t index = pixel_index(pixels, block, p);
    block->surface[p] = hit.body;
    block->distance[p] = hit.distance;
    dc_vec_copy(block->position[p], hit.origin);
    dc_vec_copy(block->normal[p], hit.normal);
    for (int i = 0; i < 3; i++) {
      pixels->origin[index][i] = (float)hit.origin[i];
      pixels->normal[index][i] = (float)hit.normal[i];
    }
  }
}

// Layer of the patch to which the pixel belongs; a new one when it fits none.  Normals are compared with that of the
// patch's first pixel, not with a mean, so that the order of pixels alone decides.
static int find_patch(const struct dc_pixels *pixels, const struct block *block, int p)
{
  for (int layer = 0; layer < DC_LAYERS; layer++) {
    struct dc_patch *patch = dc_patch_at(pixels, block->column, block->row, layer);
    if (!patch->pixels) {
      *patch = (struct dc_patch){.surface = block->surface[p], .blocker = INFINITY};
      for (int i = 0; i < 3; i++)
        patch->normal[i] = (float)block->normal[p][i];
      return layer;
    }
    double cosine = 0;
    for (int i = 0; i < 3; i++)
      cosine += (double)patch->normal[i] * block->normal[p][i];
    if (patch->surface == block->surface[p] && cosine > DC_SAME_PATCH)
      return layer;
  }
  return DC_NO_PATCH;
}

// Sorts the pixels of a block into patches of the same surface.
static void make_patches(const struct dc_renderer *renderer, struct block *block)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  for (int layer = 0; layer < DC_LAYERS; layer++)
    dc_patch_at(pixels, block->column, block->row, layer)->pixels = 0;
  for (int p = 0; p < BLOCK_PIXELS; p++) {
    if (!in_picture(block, p))
      continue;
    size_t index = pixel_index(pixels, block, p);
    int layer = block->surface[p] == DC_ON_NOTHING ? DC_NO_PATCH : find_patch(pixels, block, p);
    pixels->surface[index] = block->surface[p];
    pixels->layer[index] = (unsigned char)layer;
    if (layer == DC_NO_PATCH)
      continue;
    struct dc_patch *patch = dc_patch_at(pixels, block->column, block->row, layer);
    // A pixel covers more of a surface that is seen at a grazing angle; the widest pixel counts for the patch.
    double incidence = -dc_vec_dot(block->direction[p], block->normal[p]);
    double width = block->distance[p] * renderer->view.pixel / fmax(incidence, DC_LEAST_INCIDENCE);
    for (int i = 0; i < 3; i++)
      patch->position[i] += (float)block->position[p][i];
    patch->width = (float)width > patch->width ? (float)width : patch->width;
    patch->pixels++;
  }
  for (int layer = 0; layer < DC_LAYERS; layer++) {
    struct dc_patch *patch = dc_patch_at(pixels, block->column, block->row, layer);
    for (int i = 0; i < 3 && patch->pixels; i++)
      patch->position[i] /= (float)patch->pixels;
  }
}

// Adds light rays from pixels of the patch, evenly distributed over it, to the batch; layers tells their patches.
static void add_places(const struct dc_renderer *renderer, const struct block *block, int layer,
                       struct dc_light_batch *batch, int layers[DC_RAYS])
{
  const struct dc_pixels *pixels = &renderer->pixels;
  int members[BLOCK_PIXELS], count = 0, rays = renderer->block_rays.rays;
  for (int p = 0; p < BLOCK_PIXELS; p++)
    if (in_picture(block, p) && pixels->layer[pixel_index(pixels, block, p)] == layer)
      members[count++] = p;
  for (int r = 0; r < rays && count && batch->count < DC_RAYS; r++) {
    // One ray in every part of the pixels: ray r takes the member at (4 r + turn)/(4 rays) of the list. turn, 0 to 3,
    // is another one in neighbouring blocks, so that they sample other places.
    int turn = (5 * (block->column / DC_BLOCK) + 3 * (block->row / DC_BLOCK)) & 3;
    int p = members[(4 * r + turn) * count / (4 * rays)], k = batch->count++;
    dc_vec_copy(batch->origin[k], block->position[p]);
    dc_vec_copy(batch->normal[k], block->normal[p]);
    const float *point = dc_light_point(&renderer->block_rays, block->column / DC_BLOCK, block->row / DC_BLOCK, r);
    for (int i = 0; i < 2; i++) {
      batch->key[k][i] = (double)point[2 + i];
      batch->sky[k][i] = (double)point[4 + i];
    }
    layers[k] = layer;
  }
}

// If no body is seen and all four corners of a block show ground, the whole block does.
static bool is_open_ground(const struct dc_renderer *renderer, const struct block *block)
{
  if (dc_tile_at(renderer, block->column, block->row) & DC_TILE_BODY)
    return false;
  for (int corner = 0; corner < 4; corner++) {
    double direction[3];
    dc_view_direction(&renderer->view, block->column + (corner & 1 ? block->columns - 0.5 : 0.5),
                      block->row + (corner & 2 ? block->rows - 0.5 : 0.5), direction);
    if (!(dc_ground_distance(renderer, direction) < INFINITY))
      return false;
  }
  return true;
}

// A block that sees only the ground is one patch, without eye rays.  Places of its pixels are needed only where light
// rays start, under bodies and shadows.
static void see_open_ground(const struct dc_renderer *renderer, struct block *block)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  const struct dc_view *view = &renderer->view;
  bool dim = dc_tile_at(renderer, block->column, block->row) & (DC_TILE_DIM | DC_TILE_SHADOW);
  double direction[3];
  dc_view_direction(view, block->column + 0.5 * block->columns, block->row + 0.5 * block->rows, direction);
  for (int layer = 1; layer < DC_LAYERS; layer++)
    dc_patch_at(pixels, block->column, block->row, layer)->pixels = 0;
  *dc_patch_at(pixels, block->column, block->row, 0) = (struct dc_patch){
      .surface = DC_ON_GROUND,
      .pixels = block->columns * block->rows,
      .normal = {0, 0, 1},
      .width = (float)(dc_ground_distance(renderer, direction) * view->pixel / fmax(-direction[2], DC_LEAST_INCIDENCE)),
      .blocker = INFINITY};
  for (int p = 0; p < BLOCK_PIXELS; p++) {
    block->surface[p] = DC_ON_GROUND;
    if (!in_picture(block, p))
      continue;
    size_t index = pixel_index(pixels, block, p);
    pixels->surface[index] = DC_ON_GROUND;
    pixels->layer[index] = 0;
    if (!dim)
      continue;
    aim(view, block, p);
    see_ground(renderer, block, p, dc_ground_distance(renderer, block->direction[p]));
  }
}

// The light of ground that no body shades is known.
static void light_open_ground(const struct dc_renderer *renderer, struct dc_patch *patch)
{
  int rays = renderer->block_rays.rays;
  patch->key_rays = patch->key_visible = patch->sky_rays = rays;
  for (int i = 0; i < 3; i++)
    patch->sky[i] = (float)(rays * renderer->lighting.sky[i]);
}

// The first pass over a block: surfaces, patches, and rays of light from each patch.  Sums of a patch: key rays cast
// and free, distance of the nearest thing that blocks the key light, m, sky light, and inverse distances of what sky
// rays met, 1/m.  Open ground away from bodies needs no ray; where only the sky is dimmed the key light is known.
void dc_stage_see(struct dc_renderer *renderer, int column, int row)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  struct block block = {.column = column,
                        .row = row,
                        .columns = renderer->view.width - column < DC_BLOCK ? renderer->view.width - column : DC_BLOCK,
                        .rows = renderer->view.height - row < DC_BLOCK ? renderer->view.height - row : DC_BLOCK};
  struct dc_light_batch batch;
  batch.count = 0;
  int layers[DC_RAYS];
  bool open = is_open_ground(renderer, &block);
  unsigned char tile = dc_tile_at(renderer, column, row);
  if (open) {
    see_open_ground(renderer, &block);
    if (!(tile & (DC_TILE_DIM | DC_TILE_SHADOW))) {
      light_open_ground(renderer, dc_patch_at(pixels, column, row, 0));
      return;
    }
  } else {
    see(renderer, &block);
    make_patches(renderer, &block);
  }
  for (int layer = 0; layer < DC_LAYERS; layer++)
    add_places(renderer, &block, layer, &batch, layers);
  if (!batch.count)
    return;
  bool lit = open && !(tile & DC_TILE_SHADOW);
  if (!lit)
    dc_light_key(&renderer->lighting, &renderer->surfaces, true, &batch);
  dc_light_sky(&renderer->lighting, &renderer->surfaces, &batch);
  for (int k = 0; k < batch.count; k++) {
    struct dc_patch *patch = dc_patch_at(pixels, column, row, layers[k]);
    patch->key_rays++;
    patch->key_visible += lit || batch.visible[k];
    if (!lit && !batch.visible[k] && batch.blocker[k] > 0)
      patch->blocker = batch.blocker[k] < patch->blocker ? batch.blocker[k] : patch->blocker;
    patch->sky_rays++;
    for (int i = 0; i < 3; i++)
      patch->sky[i] += batch.radiance[k][i];
    patch->inverse += 1 / (batch.sky_distance[k] + 1e-9f);
  }
}
