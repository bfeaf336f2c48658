// SPDX-License-Identifier: Apache-2.0
// How a picture is made.  Private to src/render.
//
// The eye's rays leave surfaces that are seen at the centres of pixels (pixels.c).  Light is smooth nearly everywhere:
// a few rays of every block of 4 x 4 pixels, averaged over neighbouring blocks on the same surface, are enough of it,
// and only in penumbrae and where surfaces meet pixels have rays of their own, which are averaged over their neighbours
// (gather.c).  Then colours are put together, and pixels at edges are drawn anew by many rays of the eye (compose.c).
// With many samples all this is left aside, and every sample of a pixel has its own rays (samples.c).
//
// Each stage is a pure function of the place in the picture and of the stages before: blocks may go to threads in any
// order.
#ifndef DC_RENDER_RENDERER_H
#define DC_RENDER_RENDERER_H

#include "render/decals.h"
#include "render/sampler.h"
#include "render/shading.h"

enum { DC_TILE = 16, DC_BLOCK = 4, DC_LAYERS = 3, DC_NO_PATCH = 255, DC_WIDE = 255 };

// What a tile may show; work is saved where it shows neither.
// a body; the key light's shadow of one on the ground; ground from which bodies take light of the sky; painted ground
enum { DC_TILE_BODY = 1, DC_TILE_SHADOW = 2, DC_TILE_DIM = 4, DC_TILE_DECAL = 8 };

// What a pixel sees: a body's number, or
enum { DC_ON_GROUND = -1, DC_ON_NOTHING = -2 };

// Whether a surface sees the key light at all places near by, at none, or is in a penumbra.
enum dc_key_state { DC_KEY_LIT, DC_KEY_DARK, DC_KEY_PARTLY };

// The pixels of a block that see one smooth piece of a surface.
struct dc_patch {
  int surface, pixels;           // their number, 0: no patch
  float position[3], normal[3];  // m, mean; of one of them
  float width;                   // of a pixel on the surface, its longer side, m
  int key_rays, key_visible, sky_rays;
  int own_rays, own_visible;  // towards the key light, of its pixels' own
  float blocker;              // least distance of what hides the key light from a ray, m; INFINITY
  float sky[3];               // sum over rays
  float inverse;              // sum of one over distances that rays into the sky met, 1/m
  float smooth[3];            // light of the sky, averaged over the blocks around
  enum dc_key_state key;
  bool fine_sky;        // its pixels have rays of their own
  unsigned char reach;  // pixels around over which their rays towards the key light are averaged; DC_WIDE: blocks
};

// What is known of the pixels in rows first_row .. first_row + rows of the picture, a band of it.
struct dc_pixels {
  int width, first_row, rows, block_columns;
  size_t capacity;  // pixels
  int *surface;
  unsigned char *layer;              // of its patch, DC_NO_PATCH
  float (*origin)[3], (*normal)[3];  // on bodies: where rays of light leave, m; the surface's
  float *key;                        // part of the key light that the pixel's own rays saw
  float (*sky)[3];                   // what its own rays into the sky brought
  float (*color)[3];                 // linear, at the pixel's centre
  struct dc_patch *patches;          // [DC_LAYERS][blocks]
};

// Where rays of light go: for every place in a square of blocks, or of pixels, that is repeated over the picture, and
// every ray, in consecutive pieces of one sequence (render/sampler.h).
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
  bool filtered;              // light is averaged over places near by
  struct dc_sampler sampler;  // of samples with all their rays
  struct dc_light_points block_rays, pixel_rays;
  double (*offsets)[2];  // [samples] rays of the eye from the middle of a pixel, pixels
  int tile_columns, tile_rows;
  unsigned char *tiles;  // [tile_rows][tile_columns] sums of what the tile may show
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

// Place of a pixel of the picture among those of the band.
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

// Offset from the middle of a pixel for u in [0, 1)^2: the picture is filtered by a tent.
void dc_tent_offset(const double u[2], double offset[2]);

// Distance along the ray from the eye to the ground, seen from above; INFINITY without one.
static inline double dc_ground_distance(const struct dc_renderer *renderer, const double direction[3])
{
  double height = renderer->view.eye[2] - renderer->lighting.floor_height;
  return height > 0 && direction[2] < -1e-9 ? height / -direction[2] : INFINITY;
}

// What a sample shows where it is known which surface it meets, where on it and in which light: color [3].
struct dc_seen {
  int surface;
  double x, y;                      // place in the picture
  const double *direction;          // [3] of the ray, unit
  const double *position, *normal;  // [3] on the surface, m; not of the sky
  double visible;                   // part of the key light
  double sky[3];                    // light
};
void dc_shade(const struct dc_renderer *renderer, const struct dc_seen *seen, double color[3]);

// Samples with their own rays: colours at places (x, y) of the picture, of point number `sample` of the pixel's points.
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
// Rows of the picture that are drawn in one go.
int dc_band_rows(int width, int height);

// The stages, for the block whose first pixel that is.
typedef void dc_block_stage(struct dc_renderer *renderer, int column, int row);
dc_block_stage dc_stage_see, dc_stage_gather, dc_stage_shade, dc_stage_finish, dc_stage_samples;
// Pixels beyond the rows to draw at which the stages up to the given one have to be done.
enum { DC_SEE_MARGIN = 16, DC_GATHER_MARGIN = 8, DC_SHADE_MARGIN = 4 };

#endif
