// SPDX-License-Identifier: Apache-2.0
// How a picture is made.  Private to src/render.
//
// Eye rays through the centres of pixels find the visible surfaces (pixels.c).  Light is smooth nearly everywhere: a
// few light rays per block of 4 x 4 pixels, averaged over neighbouring blocks on the same surface, suffice.  Only in
// penumbrae and where surfaces meet do pixels cast their own light rays, averaged over their neighbours (gather.c).
// Then colours are combined, and pixels at edges are drawn anew by many eye rays (compose.c).  With many samples all
// this is skipped, and every sample of a pixel has its own rays (samples.c).
//
// Each stage is a pure function of the position in the picture and of the stages before: threads may take blocks in any
// order.
#ifndef DC_RENDER_RENDERER_H
#define DC_RENDER_RENDERER_H

#include "render/decals.h"
#include "render/sampler.h"
#include "render/shading.h"

enum { DC_TILE = 16, DC_BLOCK = 4, DC_LAYERS = 3, DC_NO_PATCH = 255, DC_WIDE = 255 };

// Contents of a tile, as bits: a body; the key light's shadow of one on the ground; ground on which bodies block the
// sky; paint on the ground.  Work is skipped where a tile has none.
enum { DC_TILE_BODY = 1, DC_TILE_SHADOW = 2, DC_TILE_DIM = 4, DC_TILE_DECAL = 8 };

// The surface that a pixel shows: the number of a body, or one of these.
enum { DC_ON_GROUND = -1, DC_ON_NOTHING = -2 };

// How a surface sees the key light: everywhere, nowhere, or in a penumbra.
enum dc_key_state { DC_KEY_LIT, DC_KEY_DARK, DC_KEY_PARTLY };

// Pixels of a block that show one smooth piece of a surface.
struct dc_patch {
  int surface, pixels;           // their number, 0: no patch
  float position[3], normal[3];  // m, mean; of one of them
  float width;                   // of a pixel on the surface, its longer side, m
  int key_rays, key_visible, sky_rays;
  int own_rays, own_visible;  // of its pixels' own rays towards the key light
  float blocker;              // least distance of an occluder of the key light, m; INFINITY: none
  float sky[3];               // sum over rays
  float inverse;              // sum of inverse distances of what sky rays met, 1/m
  float smooth[3];            // sky light, averaged over the surrounding blocks
  enum dc_key_state key;
  bool fine_sky;        // its pixels cast their own sky rays
  unsigned char reach;  // pixels over which the key rays are averaged; DC_WIDE: over blocks
};

// Data of the pixels in rows first_row .. first_row + rows of the picture, a band.
struct dc_pixels {
  int width, first_row, rows, block_columns;
  int *surface;
  unsigned char *layer;              // of its patch, DC_NO_PATCH
  float (*origin)[3], (*normal)[3];  // on bodies: origin of light rays, m; normal of the surface
  float *key;                        // fraction of the key light that the pixel's own rays saw
  float (*sky)[3];                   // light brought by its own sky rays
  float (*color)[3];                 // linear, at the pixel's centre
  struct dc_patch *patches;          // [DC_LAYERS][blocks]
};

// Directions of light rays: for every position in a square of blocks, or of pixels, that is repeated over the picture,
// and every ray, in consecutive pieces of one sequence (render/sampler.h).
struct dc_light_points {
  int rays;
  float (*points)[6];  // [DC_SAMPLER_BLOCK^2][rays]: place in the pixel 0 .. 1, points of discs for key light and sky
};
static inline const float *dc_light_point(const struct dc_light_points *points, int column, int row, int ray)
{
  int place = row % DC_SAMPLER_BLOCK * DC_SAMPLER_BLOCK + column % DC_SAMPLER_BLOCK;
  return points->points[place * points->rays + ray];
}

struct dc_renderer {
  struct dc_view view;
  struct dc_lighting lighting;
  struct dc_surfaces surfaces;
  struct dc_decals decals;
  double softness, line_width;  // of decals, pixels
  int samples;
  bool filtered;              // light is averaged over neighbours
  struct dc_sampler sampler;  // for samples with all their rays
  struct dc_light_points block_rays, pixel_rays;
  double (*offsets)[2];  // [samples] offsets of eye rays from the centre of a pixel, pixels
  int tile_columns, tile_rows;
  unsigned char *tiles;  // [tile_rows][tile_columns] bits of what the tile may show
  double (*spheres)[4];  // [bodies] around drawn bodies in this frame: middle and radius, m; radius 0: not drawn
  struct dc_pixels pixels;
  unsigned char *picture;  // [height][width][3], of the frame being drawn, not owned
};

// Pairs of random dimensions within a sample.
enum { DC_PAIR_PIXEL, DC_PAIR_KEY, DC_PAIR_SKY };

static inline unsigned char dc_tile_at(const struct dc_renderer *renderer, int column, int row)
{
  return renderer->tiles[row / DC_TILE * renderer->tile_columns + column / DC_TILE];
}

// Index of a pixel of the picture within the band.
static inline size_t dc_pixel_index(const struct dc_pixels *pixels, int column, int row)
{
  return (size_t)(row - pixels->first_row) * (size_t)pixels->width + (size_t)column;
}
static inline size_t dc_block_count(const struct dc_pixels *pixels)
{
  return (size_t)pixels->block_columns * (size_t)((pixels->rows + DC_BLOCK - 1) / DC_BLOCK);
}
// Patch of a block, by a pixel in it.
static inline struct dc_patch *dc_patch_at(const struct dc_pixels *pixels, int column, int row, int layer)
{
  size_t block =
      (size_t)((row - pixels->first_row) / DC_BLOCK) * (size_t)pixels->block_columns + (size_t)(column / DC_BLOCK);
  return &pixels->patches[(size_t)layer * dc_block_count(pixels) + block];
}

// Offset from the centre of a pixel for u in [0, 1)^2: the picture is filtered by a tent.
void dc_tent_offset(const double u[2], double offset[2]);

// Distance along the eye ray to the ground, seen from above; INFINITY: none.
static inline double dc_ground_distance(const struct dc_renderer *renderer, const double direction[3])
{
  double height = renderer->view.eye[2] - renderer->lighting.floor_height;
  return height > 0 && direction[2] < -1e-9 ? height / -direction[2] : INFINITY;
}

// A sample whose surface, point and light are known, for dc_shade: color [3].
struct dc_seen {
  int surface;
  double x, y;                      // place in the picture
  const double *direction;          // [3] of the ray, unit
  const double *position, *normal;  // [3] on the surface, m; not of the sky
  double visible;                   // visible fraction of the key light
  double sky[3];                    // light
};
void dc_shade(const struct dc_renderer *renderer, const struct dc_seen *seen, double color[3]);

// Samples with their own rays: colours at positions (x, y) of the picture, for sample number `sample` of the pixel.
struct dc_sample_batch {
  int count;  // up to DC_RAYS
  double x[DC_RAYS], y[DC_RAYS];
  struct dc_pixel_points points[DC_RAYS];
  int sample[DC_RAYS];
  double color[DC_RAYS][3];
};
void dc_shade_samples(const struct dc_renderer *renderer, struct dc_sample_batch *batch);

// Writes a pixel of the picture.
void dc_put_pixel(struct dc_renderer *renderer, int column, int row, const double color[3]);

// DC_MEMORY.  To be released with dc_pixels_destroy in any case.
enum dc_status dc_pixels_create(struct dc_pixels *pixels, int width, int height, struct dc_error *error);
void dc_pixels_destroy(struct dc_pixels *pixels);
// Number of rows of the picture that are drawn at a time.
int dc_band_rows(int width, int height);

// The stages, each for the block with that first pixel.
typedef void dc_block_stage(struct dc_renderer *renderer, int column, int row);
dc_block_stage dc_stage_see, dc_stage_gather, dc_stage_shade, dc_stage_finish, dc_stage_samples;
// Margin of pixels around the rows to draw within which a stage must have run.
enum { DC_SEE_MARGIN = 16, DC_GATHER_MARGIN = 8, DC_SHADE_MARGIN = 4 };

#endif
