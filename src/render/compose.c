// SPDX-License-Identifier: Apache-2.0
// Colours of pixels from surfaces and light, and anti-aliasing of edges by many eye rays (stages dc_stage_shade and
// dc_stage_finish).
//
// Light is interpolated between patches of blocks: only from patches on the same surface with a similar normal.  Blocks
// of open ground are shaded at their corners only.  A pixel at an edge casts up to `samples` eye rays; each takes its
// light from the most similar neighbour, or, where there is none, casts light rays of its own.
#include <stdlib.h>

#include "math/vector.h"
#include "render/constants.h"
#include "render/renderer.h"

// Cosine of the angle between unit vectors in single precision, as pixels store them.
static float cosine_of(const float a[3], const float b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Whether a pixel is among the rows that are kept now (dc_band_rows).
static bool in_band(const struct dc_pixels *pixels, int column, int row)
{
  return column >= 0 && column < pixels->width && row >= pixels->first_row && row < pixels->first_row + pixels->rows;
}

// Normal at a pixel; the ground stores none.
static const float *normal_of(const struct dc_pixels *pixels, size_t index)
{
  static const float vertical[3] = {0, 0, 1};
  return pixels->surface[index] < 0 ? vertical : pixels->normal[index];
}

// The patch that a pixel belongs to, or NULL.
static const struct dc_patch *patch_of(const struct dc_pixels *pixels, int column, int row)
{
  int layer = pixels->layer[dc_pixel_index(pixels, column, row)];
  return layer == DC_NO_PATCH ? NULL : dc_patch_at(pixels, column, row, layer);
}

// Mean over the (2 reach + 1)^2 surrounding pixels on the same surface, weighted by a tent and left out beyond an
// edge.  Key light: what their own rays saw, or the state of their patch; sky: what their own rays brought, if any.
// The pixel itself always counts, so that the weight is positive.
static void average(const struct dc_pixels *pixels, int column, int row, int reach, bool key, float *result)
{
  size_t here = dc_pixel_index(pixels, column, row);
  const float *normal = normal_of(pixels, here);
  float sum[3] = {0, 0, 0}, weight = 0;
  for (int y = row - reach; y <= row + reach; y++)
    for (int x = column - reach; x <= column + reach; x++) {
      if (!in_band(pixels, x, y))
        continue;
      size_t index = dc_pixel_index(pixels, x, y);
      if (pixels->surface[index] != pixels->surface[here] ||
          cosine_of(normal, normal_of(pixels, index)) < DC_EDGE_COSINE)
        continue;
      const struct dc_patch *patch = patch_of(pixels, x, y);
      float tent = (float)((reach + 1 - abs(x - column)) * (reach + 1 - abs(y - row)));
      if (key) {
        bool own = !patch || patch->key == DC_KEY_PARTLY;
        sum[0] += tent * (own ? pixels->key[index] : patch->key == DC_KEY_LIT);
      } else if (!patch || patch->fine_sky) {
        for (int i = 0; i < 3; i++)
          sum[i] += tent * pixels->sky[index][i];
      } else {
        continue;
      }
      weight += tent;
    }
  for (int i = 0; i < (key ? 1 : 3); i++)
    result[i] = sum[i] / weight;
}

// Fraction of the key light in a wide penumbra: a quadratic B-spline over the centres of the nine surrounding blocks.
// t in (-0.5, 0.5) is the place within the block, and weights are (1/2 - t)^2/2, 3/4 - t^2, (1/2 + t)^2/2.  Unlike
// linear interpolation it shows no kinks at the borders of blocks.  Patches count by their pixels.
static float wide_key(const struct dc_pixels *pixels, int column, int row, int surface)
{
  const float *normal = normal_of(pixels, dc_pixel_index(pixels, column, row));
  float weights[2][3], sum = 0, weight = 0;
  for (int axis = 0; axis < 2; axis++) {
    int place = axis ? row - pixels->first_row : column;
    float t = ((float)(place % DC_BLOCK) + 0.5f) / DC_BLOCK - 0.5f;
    weights[axis][0] = 0.5f * (0.5f - t) * (0.5f - t);
    weights[axis][1] = 0.75f - t * t;
    weights[axis][2] = 0.5f * (0.5f + t) * (0.5f + t);
  }
  for (int b = 0; b < 9; b++) {
    int x = column + (b % 3 - 1) * DC_BLOCK, y = row + (b / 3 - 1) * DC_BLOCK;
    if (!in_band(pixels, x, y))
      continue;
    for (int layer = 0; layer < DC_LAYERS; layer++) {
      const struct dc_patch *patch = dc_patch_at(pixels, x, y, layer);
      if (!patch->pixels)
        break;
      if (patch->surface != surface || cosine_of(normal, patch->normal) < DC_EDGE_COSINE)
        continue;
      float w = weights[0][b % 3] * weights[1][b / 3] * (float)patch->pixels;
      bool own = patch->key == DC_KEY_PARTLY;
      sum += w * (own ? (float)patch->own_visible / (float)patch->own_rays : patch->key == DC_KEY_LIT);
      weight += w;
    }
  }
  return sum / weight;
}

// Sky light, interpolated linearly between the centres of the four nearest blocks.  Patches on a curved body lose
// weight as their normals turn away.  Where nothing remains, the pixel's own patch decides.
static void interpolate(const struct dc_pixels *pixels, int column, int row, const struct dc_patch *own, float sky[3])
{
  size_t here = dc_pixel_index(pixels, column, row);
  const float *normal = normal_of(pixels, here);
  float x = ((float)(column % DC_BLOCK) + 0.5f) / DC_BLOCK - 0.5f,
        y = ((float)((row - pixels->first_row) % DC_BLOCK) + 0.5f) / DC_BLOCK - 0.5f;
  int right = x > 0 ? 1 : -1, down = y > 0 ? 1 : -1;
  float weight = 0, sum[3] = {0, 0, 0};
  for (int b = 0; b < 4; b++) {
    int other_column = column + (b & 1) * right * DC_BLOCK, other_row = row + (b >> 1) * down * DC_BLOCK;
    if (!in_band(pixels, other_column, other_row))
      continue;
    float share = (b & 1 ? fabsf(x) : 1 - fabsf(x)) * (b >> 1 ? fabsf(y) : 1 - fabsf(y));
    for (int layer = 0; layer < DC_LAYERS; layer++) {
      const struct dc_patch *patch = dc_patch_at(pixels, other_column, other_row, layer);
      if (!patch->pixels)
        break;
      if (patch->surface != own->surface)
        continue;
      float cosine = cosine_of(normal, patch->normal);
      float w = own->surface == DC_ON_GROUND
                    ? share
                    : share * (cosine - DC_COMPOSE_LEAST_COSINE) / (1 - DC_COMPOSE_LEAST_COSINE);
      if (w <= 0)
        continue;
      for (int i = 0; i < 3; i++)
        sum[i] += w * patch->smooth[i];
      weight += w;
    }
  }
  for (int i = 0; i < 3; i++)
    sky[i] = weight > 1e-3f ? sum[i] / weight : own->smooth[i];
}

// The colour of a pixel by its own surface and the smoothed light of its patch.  Key light: all or nothing away from
// shadow edges, block means in wide penumbras, means of pixels in narrow ones.  Sky: interpolated between blocks, or
// means of pixels where light varies fast.
static void shade_pixel(struct dc_renderer *renderer, int column, int row)
{
  struct dc_pixels *pixels = &renderer->pixels;
  size_t index = dc_pixel_index(pixels, column, row);
  const struct dc_patch *patch = patch_of(pixels, column, row);
  double direction[3], position[3] = {0, 0, 0}, normal[3], color[3];
  float key = 0, sky[3] = {0, 0, 0};
  dc_view_direction(&renderer->view, column + 0.5, row + 0.5, direction);
  int surface = pixels->surface[index];
  if (surface == DC_ON_GROUND) {
    dc_vec_add_scaled(position, renderer->view.eye, dc_ground_distance(renderer, direction), direction);
    position[2] = renderer->lighting.floor_height;
  }
  for (int i = 0; i < 3; i++) {
    normal[i] = (double)normal_of(pixels, index)[i];
    if (surface >= 0)
      position[i] = (double)pixels->origin[index][i];
  }
  if (surface != DC_ON_NOTHING) {
    if (patch && patch->key == DC_KEY_PARTLY && patch->reach == DC_WIDE)
      key = wide_key(pixels, column, row, surface);
    else if (!patch || patch->key == DC_KEY_PARTLY)
      average(pixels, column, row, patch ? patch->reach : 1, true, &key);
    else
      key = patch->key == DC_KEY_LIT;
    if (!patch || patch->fine_sky)
      average(pixels, column, row, 2, false, sky);
    else
      interpolate(pixels, column, row, patch, sky);
  }
  struct dc_seen seen = {surface,  column + 0.5, row + 0.5,   direction,
                         position, normal,       (double)key, {(double)sky[0], (double)sky[1], (double)sky[2]}};
  dc_shade(renderer, &seen, color);
  for (int i = 0; i < 3; i++)
    pixels->color[index][i] = (float)color[i];
}

// Whether the block and those around it show only ground, over which nothing but the sky's light varies.  Paint on
// the ground and shadow edges need every pixel.
static bool is_smooth(const struct dc_renderer *renderer, int column, int row)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  const struct dc_patch *own = dc_patch_at(pixels, column, row, 0);
  if (own->pixels < DC_BLOCK * DC_BLOCK || own->surface != DC_ON_GROUND || own->key == DC_KEY_PARTLY || own->fine_sky ||
      dc_tile_at(renderer, column, row) & DC_TILE_DECAL)
    return false;
  for (int b = 0; b < 9; b++) {
    int x = column + (b % 3 - 1) * DC_BLOCK, y = row + (b / 3 - 1) * DC_BLOCK;
    if (!in_band(pixels, x, y))
      continue;
    const struct dc_patch *patch = dc_patch_at(pixels, x, y, 0);
    if (patch->pixels && patch->surface != DC_ON_GROUND)
      return false;
  }
  return true;
}

// Interpolates the colours of a smooth block between its corners.
static void shade_smooth(struct dc_renderer *renderer, int column, int row)
{
  struct dc_pixels *pixels = &renderer->pixels;
  const int last = DC_BLOCK - 1;
  for (int corner = 0; corner < 4; corner++)
    shade_pixel(renderer, column + (corner & 1) * last, row + (corner >> 1) * last);
  size_t top = dc_pixel_index(pixels, column, row), bottom = dc_pixel_index(pixels, column, row + last);
  for (int i = 0; i < 3; i++)
    for (int x = 0; x < DC_BLOCK; x++) {
      float s = (float)x / (float)last;
      float above = pixels->color[top][i] + s * (pixels->color[top + (size_t)last][i] - pixels->color[top][i]);
      float below = pixels->color[bottom][i] + s * (pixels->color[bottom + (size_t)last][i] - pixels->color[bottom][i]);
      for (int y = x == 0 || x == last ? 1 : 0; y < DC_BLOCK - (x == 0 || x == last ? 1 : 0); y++)
        pixels->color[top + (size_t)y * (size_t)pixels->width + (size_t)x][i] =
            above + (float)y / (float)last * (below - above);
    }
}

// Smooth blocks of ground are interpolated from their corners; all others are shaded pixel by pixel.
void dc_stage_shade(struct dc_renderer *renderer, int column, int row)
{
  if (is_smooth(renderer, column, row)) {
    shade_smooth(renderer, column, row);
    return;
  }
  for (int y = row; y < row + DC_BLOCK && y < renderer->view.height; y++)
    for (int x = column; x < column + DC_BLOCK && x < renderer->view.width; x++)
      shade_pixel(renderer, x, y);
}

// Whether the block and all pixels around it show one thing, the ground or nothing.
static bool is_plain(const struct dc_pixels *pixels, int column, int row)
{
  int surface = pixels->surface[dc_pixel_index(pixels, column, row)];
  if (surface >= 0)
    return false;
  for (int y = row - 1; y <= row + DC_BLOCK; y++)
    for (int x = column - 1; x <= column + DC_BLOCK; x++)
      if (in_band(pixels, x, y) && pixels->surface[dc_pixel_index(pixels, x, y)] != surface)
        return false;
  return true;
}

// Whether two neighbours show different surfaces, or different sides of one: their normals differ, or one stands off
// the other's tangent plane as behind a fold.  Distances of less than a few pixels' widths at this depth are noise of
// single precision.
static bool is_edge(const struct dc_renderer *renderer, size_t here, size_t there)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  if (pixels->surface[here] != pixels->surface[there])
    return true;
  if (pixels->surface[here] < 0)
    return false;
  const float *normal = pixels->normal[here];
  if (cosine_of(normal, pixels->normal[there]) < DC_EDGE_COSINE)
    return true;
  float height = 0, square = 0, depth = 0;
  for (int i = 0; i < 3; i++) {
    float way = pixels->origin[there][i] - pixels->origin[here][i];
    height += way * normal[i];
    square += way * way;
    depth += (float)renderer->view.forward[i] * (pixels->origin[here][i] - (float)renderer->view.eye[i]);
  }
  float width = DC_EDGE_WIDTH * depth * (float)renderer->view.pixel;
  return height * height > DC_EDGE_SLOPE * DC_EDGE_SLOPE * square && square > width * width;
}

// Whether any of the eight neighbours is across an edge.
static bool at_edge(const struct dc_renderer *renderer, int column, int row)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  size_t here = dc_pixel_index(pixels, column, row);
  for (int y = row - 1; y <= row + 1; y++)
    for (int x = column - 1; x <= column + 1; x++)
      if (in_band(pixels, x, y) && is_edge(renderer, here, dc_pixel_index(pixels, x, y)))
        return true;
  return false;
}

// Finds the surrounding pixel whose light an eye ray through (x, y) takes: of those on the same surface the nearest
// in position and normal. false: there is none.  Normals count as 20 square pixels per unit of 1 - cosine, and those
// that differ by more than 45 degrees are other sides.
static bool find_like(const struct dc_renderer *renderer, int column, int row, double x, double y, int surface,
                      const double normal[3], size_t *found)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  double best = INFINITY;
  for (int v = row - 1; v <= row + 1; v++)
    for (int u = column - 1; u <= column + 1; u++) {
      if (!in_band(pixels, u, v))
        continue;
      size_t index = dc_pixel_index(pixels, u, v);
      if (pixels->surface[index] != surface)
        continue;
      double dx = x - u - 0.5, dy = y - v - 0.5, distance = dx * dx + dy * dy;
      const float *other = normal_of(pixels, index);
      if (surface >= 0) {
        double cosine = normal[0] * (double)other[0] + normal[1] * (double)other[1] + normal[2] * (double)other[2];
        if (cosine < 0.7)
          continue;
        distance += 20 * (1 - cosine);
      }
      if (distance < best) {
        best = distance;
        *found = index;
      }
    }
  return best < INFINITY;
}

// Adds the colours of up to DC_RAYS eye rays through a pixel, starting with the given one.  A ray only asks which
// surface it meets; light comes from a neighbour that shows the same one.  Lonely rays have no such neighbour, as on
// thin cables, and are shaded with rays of their own.
static void add_rays(const struct dc_renderer *renderer, int column, int row, int first, double sum[3])
{
  const struct dc_view *view = &renderer->view;
  int count = renderer->samples - first < DC_RAYS ? renderer->samples - first : DC_RAYS;
  bool bodies = dc_tile_at(renderer, column, row) & DC_TILE_BODY;
  double x[DC_RAYS], y[DC_RAYS], direction[DC_RAYS][3];
  struct dc_ray_packet packet;
  struct dc_sample_batch lonely;
  lonely.count = 0;
  dc_packet_clear(&packet);
  for (int k = 0; k < count; k++) {
    x[k] = column + 0.5 + renderer->offsets[first + k][0];
    y[k] = row + 0.5 + renderer->offsets[first + k][1];
    dc_view_direction(view, x[k], y[k], direction[k]);
    dc_packet_set(&packet, k, view->eye, direction[k]);
  }
  if (bodies)
    dc_surfaces_intersect(&renderer->surfaces, &packet, true);
  for (int k = 0; k < count; k++) {
    double normal[3] = {0, 0, 1}, color[3], ground = dc_ground_distance(renderer, direction[k]);
    int surface = dc_packet_body(&packet, k);
    size_t like = 0;
    if (surface < 0 || dc_packet_distance(&packet, k) > ground * (1 + 1e-5))
      surface = ground < INFINITY ? DC_ON_GROUND : DC_ON_NOTHING;
    else
      dc_surfaces_face(&renderer->surfaces, &packet, k, direction[k], normal);
    if (surface == DC_ON_NOTHING) {
      dc_background(&renderer->lighting, y[k] / view->height, direction[k][2], color);
      dc_vec_add(sum, sum, color);
    } else if (find_like(renderer, column, row, x[k], y[k], surface, normal, &like)) {
      for (int i = 0; i < 3; i++)
        sum[i] += (double)renderer->pixels.color[like][i];
    } else {
      int n = lonely.count++;
      lonely.x[n] = x[k], lonely.y[n] = y[k];
      lonely.points[n] = dc_sampler_pixel(&renderer->sampler, column, row);
      lonely.sample[n] = first + k;
    }
  }
  if (!lonely.count)
    return;
  dc_shade_samples(renderer, &lonely);
  for (int n = 0; n < lonely.count; n++)
    dc_vec_add(sum, sum, lonely.color[n]);
}

// The last pass over a block: pixels at edges are traced with all rays, the others keep the colour of one.
void dc_stage_finish(struct dc_renderer *renderer, int column, int row)
{
  const struct dc_pixels *pixels = &renderer->pixels;
  bool plain = is_plain(pixels, column, row);
  for (int y = row; y < row + DC_BLOCK && y < renderer->view.height; y++)
    for (int x = column; x < column + DC_BLOCK && x < renderer->view.width; x++) {
      double color[3] = {0, 0, 0};
      size_t index = dc_pixel_index(pixels, x, y);
      if (!plain && at_edge(renderer, x, y)) {
        for (int first = 0; first < renderer->samples; first += DC_RAYS)
          add_rays(renderer, x, y, first, color);
        dc_vec_scale(color, color, 1.0 / renderer->samples);
      } else {
        for (int i = 0; i < 3; i++)
          color[i] = (double)pixels->color[index][i];
      }
      dc_put_pixel(renderer, x, y, color);
    }
}
