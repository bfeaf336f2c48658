// SPDX-License-Identifier: Apache-2.0
// Samples with all their own rays: the reference for pictures, and the way of drawing where neighbours' light cannot be
// used.
#include "math/vector.h"
#include "render/constants.h"
#include "render/renderer.h"

// Inverse distribution of the tent on [-1, 1]: sqrt(2 u) - 1 below one half, 1 - sqrt(2 - 2 u) above, without an
// unpredictable branch.
static double tent(double u)
{
  return copysign(1 - sqrt(1 - fabs(2 * u - 1)), 2 * u - 1);
}

// Each coordinate by itself: the product of two tents is the filter.
void dc_tent_offset(const double u[2], double offset[2])
{
  for (int i = 0; i < 2; i++)
    offset[i] = DC_FILTER_RADIUS * tent(u[i]);
}

// Finds what the eye rays meet and the points that need light; those that meet nothing have surface DC_ON_NOTHING.
static void meet(const struct dc_renderer *renderer, const struct dc_sample_batch *samples, double direction[][3],
                 struct dc_surface_hit hits[], struct dc_light_batch *light)
{
  const struct dc_view *view = &renderer->view;
  struct dc_ray_packet packet;
  dc_packet_clear(&packet);
  for (int k = 0; k < samples->count; k++) {
    dc_view_direction(view, samples->x[k], samples->y[k], direction[k]);
    dc_packet_set(&packet, k, view->eye, direction[k]);
  }
  dc_surfaces_intersect(&renderer->surfaces, &packet, true);
  light->count = samples->count;
  for (int k = 0; k < samples->count; k++) {
    double ground = dc_ground_distance(renderer, direction[k]);
    struct dc_surface_hit *hit = &hits[k];
    // Where a body's top coincides with the ground, the ground is drawn.
    if (dc_packet_body(&packet, k) >= 0 && dc_packet_distance(&packet, k) <= ground * (1 + 1e-5)) {
      dc_surfaces_locate(&renderer->surfaces, &packet, k, view->eye, direction[k], hit);
    } else {
      *hit = (struct dc_surface_hit){.body = ground < INFINITY ? DC_ON_GROUND : DC_ON_NOTHING, .normal = {0, 0, 1}};
      dc_vec_add_scaled(hit->position, view->eye, ground < INFINITY ? ground : 0, direction[k]);
      if (ground < INFINITY)
        hit->position[2] = renderer->lighting.floor_height;
      dc_vec_copy(hit->origin, hit->position);
    }
    dc_vec_copy(light->origin[k], hit->origin);
    dc_vec_copy(light->normal[k], hit->normal);
    double u[2];
    dc_sample(&renderer->sampler, samples->points[k], samples->sample[k], DC_PAIR_KEY, u);
    dc_disc_point(u, light->key[k]);
    dc_sample(&renderer->sampler, samples->points[k], samples->sample[k], DC_PAIR_SKY, u);
    dc_disc_point(u, light->sky[k]);
  }
}

// Shades a batch of samples: first hits, then rays to the sun, then the light of the sky.
void dc_shade_samples(const struct dc_renderer *renderer, struct dc_sample_batch *batch)
{
  double direction[DC_RAYS][3];
  struct dc_surface_hit hits[DC_RAYS];
  struct dc_light_batch light;
  meet(renderer, batch, direction, hits, &light);
  dc_light_key(&renderer->lighting, &renderer->surfaces, false, &light);
  dc_light_sky(&renderer->lighting, &renderer->surfaces, &light);
  for (int k = 0; k < batch->count; k++) {
    struct dc_seen seen = {.surface = hits[k].body,
                           .x = batch->x[k],
                           .y = batch->y[k],
                           .direction = direction[k],
                           .position = hits[k].position,
                           .normal = hits[k].normal,
                           .visible = light.visible[k]};
    for (int i = 0; i < 3; i++)
      seen.sky[i] = (double)light.radiance[k][i];
    dc_shade(renderer, &seen, batch->color[k]);
  }
}

// The colour of a pixel: the mean of its samples, drawn by a tent filter around its centre.
static void sample_pixel(struct dc_renderer *renderer, int column, int row)
{
  struct dc_pixel_points points = dc_sampler_pixel(&renderer->sampler, column, row);
  double sum[3] = {0, 0, 0};
  for (int first = 0; first < renderer->samples; first += DC_RAYS) {
    struct dc_sample_batch batch = {.count = renderer->samples - first};
    if (batch.count > DC_RAYS)
      batch.count = DC_RAYS;
    for (int k = 0; k < batch.count; k++) {
      double u[2], offset[2];
      dc_sample(&renderer->sampler, points, first + k, DC_PAIR_PIXEL, u);
      dc_tent_offset(u, offset);
      batch.x[k] = column + 0.5 + offset[0];
      batch.y[k] = row + 0.5 + offset[1];
      batch.points[k] = points;
      batch.sample[k] = first + k;
    }
    dc_shade_samples(renderer, &batch);
    for (int k = 0; k < batch.count; k++)
      dc_vec_add(sum, sum, batch.color[k]);
  }
  dc_vec_scale(sum, sum, 1.0 / renderer->samples);
  dc_put_pixel(renderer, column, row, sum);
}

// Every pixel on its own; neither patches nor neighbours are used.
void dc_stage_samples(struct dc_renderer *renderer, int column, int row)
{
  for (int y = row; y < row + DC_BLOCK && y < renderer->view.height; y++)
    for (int x = column; x < column + DC_BLOCK && x < renderer->view.width; x++)
      sample_pixel(renderer, x, y);
}
