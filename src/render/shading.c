// SPDX-License-Identifier: Apache-2.0
#include "render/shading.h"

#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

enum { BLOCK = 16 };  // pixels, of the sampler

// The look of the pictures, in one place.  Key and sky make open ground receive about 1.
static const double key_color[3] = {0.86, 0.83, 0.79};
static const double sky_color[3] = {0.29, 0.31, 0.335};
static const double key_radius = 0.13;     // tangent of the key light's half angle: width of penumbrae
static const double ground_albedo = 0.50;  // for light that bodies get from below
static const double body_bounce = 0.45;    // light that a lit body passes on, as a part of its colour
static const double below_horizon = 0.75;  // the sky's brightness downwards where there is no ground
static const double gloss_exponent = 120, gloss_reflectance = 0.04;
static const double ground_color[3] = {0.875, 0.885, 0.90};
// A white, overexposed backdrop.
static const double top_color[3] = {1.36, 1.37, 1.38}, bottom_color[3] = {1.11, 1.12, 1.13};
static const double fade_start = 0.5, fade_end = 3.4;  // distance from the target in half heights of the picture there
static const double shoulder = 0.72;                   // tone curve: straight below, rolls off to 1 above

// Reverses the bits of both halves, which change places.
static uint64_t reverse_bits(uint64_t x)
{
  x = __builtin_bswap64(x);
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  return (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
}

// Finalizer of MurmurHash3 (Appleby): every bit of x reaches every bit of the result.
static uint32_t mix(uint32_t x)
{
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

// Owen scrambling of a number whose bits are reversed: every step moves information upwards only (Laine and Karras
// 2011; constants of Burley 2020, Practical Hash-based Owen Scrambling).
static uint32_t scramble(uint32_t x, uint32_t seed)
{
  x += seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  return x ^ x * 0x8d22f6e6u;
}

enum dc_status dc_sampler_create(struct dc_sampler *sampler, int count, struct dc_error *error)
{
  sampler->count = count;
  sampler->stride = 1;
  while (sampler->stride < (uint32_t)count)
    sampler->stride *= 2;
  uint32_t total = BLOCK * BLOCK * sampler->stride;
  sampler->reversed = dc_alloc(total, sizeof *sampler->reversed);
  if (!sampler->reversed)
    return dc_fail(error, DC_MEMORY, "out of memory for %d samples", count);
  // Second dimension of Sobol's sequence: direction numbers of the polynomial 1 + x.
  for (uint32_t index = 0; index < total; index++) {
    uint32_t result = 0, direction = 1u << 31;
    for (uint32_t bits = index; bits; bits >>= 1, direction ^= direction >> 1)
      result ^= bits & 1 ? direction : 0;
    sampler->reversed[index] = (uint32_t)(reverse_bits(result) >> 32);
  }
  return DC_OK;
}

void dc_sampler_destroy(struct dc_sampler *sampler)
{
  free(sampler->reversed);
  sampler->reversed = NULL;
}

struct dc_pixel_points dc_sampler_pixel(const struct dc_sampler *sampler, int column, int row)
{
  uint32_t x = (uint32_t)column, y = (uint32_t)row, place = 0;
  for (uint32_t bit = 1; bit < BLOCK; bit *= 2)
    place += bit * ((x & bit) + 2 * (y & bit));
  return (struct dc_pixel_points){mix(x / BLOCK + 0x9e3779b9u * (y / BLOCK)), place * sampler->stride};
}

void dc_sample(const struct dc_sampler *sampler, struct dc_pixel_points pixel, int sample, uint32_t pair, double u[2])
{
  uint32_t seed = pixel.seed + 0x9e3779b9u * (pair + 1), mask = BLOCK * BLOCK * sampler->stride - 1;
  seed = (seed ^ seed >> 16) * 0x85ebca6bu;
  // The order of the points is shuffled, so that the pairs of dimensions are independent of each other; aligned
  // pieces of the sequence stay together.
  uint32_t reversed = (uint32_t)(reverse_bits(pixel.first + (uint32_t)sample) >> 32);
  uint32_t index = (uint32_t)(reverse_bits(scramble(reversed, seed)) >> 32) & mask;
  // The first coordinate is the index with its bits reversed, so that reversing it gives the index itself.
  uint64_t first = scramble(index, seed ^ 0x68bc21ebu), second = scramble(sampler->reversed[index], seed ^ 0x02e5be93u);
  uint64_t both = reverse_bits(first << 32 | second);
  u[0] = (double)(int64_t)(both & 0xffffffffu) * 0x1p-32;
  u[1] = (double)(int64_t)(both >> 32) * 0x1p-32;
}

// Two unit vectors across the unit vector n (Duff et al. 2017, Building an Orthonormal Basis, Revisited).
static void across(const double n[3], double a[3], double b[3])
{
  double sign = copysign(1, n[2]), c = -1 / (sign + n[2]), d = n[0] * n[1] * c;
  a[0] = 1 + sign * n[0] * n[0] * c, a[1] = sign * d, a[2] = -sign * n[0];
  b[0] = d, b[1] = sign + n[1] * n[1] * c, b[2] = -n[1];
}

void dc_lighting_create(struct dc_lighting *lighting, const struct dc_view *view, double floor_height)
{
  const double vertical[3] = {0, 0, 1};
  double toward_viewer[3];
  dc_vec_cross(toward_viewer, view->right, vertical);
  for (int i = 0; i < 3; i++)
    lighting->direction[i] = 1.25 * vertical[i] - 0.65 * view->right[i] + 0.30 * toward_viewer[i];
  // A rolled camera must not put the light below the ground.
  lighting->direction[2] = fmax(lighting->direction[2], 0.6);
  dc_vec_scale(lighting->direction, lighting->direction, 1 / dc_vec_norm(lighting->direction));
  across(lighting->direction, lighting->side[0], lighting->side[1]);
  for (int i = 0; i < 3; i++) {
    lighting->key[i] = key_color[i];
    lighting->sky[i] = sky_color[i];
    lighting->open[i] = key_color[i] * lighting->direction[2] + sky_color[i];
  }
  lighting->floor_height = floor_height;
}

// Point of the unit disc at the given square of the radius and part of a turn.  Single precision is plenty for
// directions to sample.
static void disc_point(const double u[2], double *x, double *y)
{
  float angle = 6.28318531f * (float)u[1];
  double radius = sqrt(u[0]);
  *x = radius * (double)cosf(angle);
  *y = radius * (double)sinf(angle);
}

static double positive(double x)
{
  return x > 0 ? x : 0;
}

// Towards a point of the key light's disc, uniform over it; not of unit length.
static void light_direction(const struct dc_lighting *lighting, const double u[2], double direction[3])
{
  double x, y;
  disc_point(u, &x, &y);
  dc_vec_add_scaled(direction, lighting->direction, key_radius * x, lighting->side[0]);
  dc_vec_add_scaled(direction, direction, key_radius * y, lighting->side[1]);
}

// A direction about normal with density cosine / pi.
static void hemisphere_direction(const double normal[3], const double u[2], double direction[3])
{
  double a[3], b[3], x, y;
  across(normal, a, b);
  disc_point(u, &x, &y);
  dc_vec_scale(direction, normal, sqrt(1 - u[0]));
  dc_vec_add_scaled(direction, direction, x, a);
  dc_vec_add_scaled(direction, direction, y, b);
}

static bool above_ground(const struct dc_lighting *lighting, double z)
{
  return z >= lighting->floor_height;  // false without ground
}

// What the sky sample sees: sky, the ground (in the key light or in a body's shadow), or a body, whose own light is
// estimated.
static void sky_radiance(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, const double origin[3],
                         const double direction[3], const double light_u[2], double radiance[3])
{
  int body = dc_surfaces_first_body(surfaces, origin, direction);
  if (body >= 0) {
    const double *color = surfaces->bodies[body].color;
    for (int i = 0; i < 3; i++)
      radiance[i] = body_bounce * fmin(color[i], 1) * lighting->sky[i];
  } else if (direction[2] < 0 && above_ground(lighting, origin[2])) {
    double point[3], toward[3];
    dc_vec_add_scaled(point, origin, (lighting->floor_height - origin[2]) / direction[2], direction);
    light_direction(lighting, light_u, toward);
    double visible = !dc_surfaces_occluded(surfaces, point, toward);
    for (int i = 0; i < 3; i++)
      radiance[i] = ground_albedo * (visible * lighting->key[i] * lighting->direction[2] + 0.5 * lighting->sky[i]);
  } else {
    dc_vec_scale(radiance, lighting->sky, direction[2] < 0 ? below_horizon : 1);
  }
}

// Decal over color: color <- mix(color, decal, decal[3]).
static void paint(double color[3], const double decal[4])
{
  for (int i = 0; i < 3; i++)
    color[i] += decal[3] * (decal[i] - color[i]);
}

void dc_shade_body(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces,
                   const struct dc_surface_hit *hit, const double direction[3], const double decal[4],
                   const double light_u[2], const double sky_u[2], double color[3])
{
  double toward[3], sky_direction[3], sky[3], half[3], albedo[3];
  dc_vec_copy(albedo, surfaces->bodies[hit->body].color);
  paint(albedo, decal);
  double incidence = positive(dc_vec_dot(hit->normal, lighting->direction));
  light_direction(lighting, light_u, toward);
  double visible = incidence > 0 && !dc_surfaces_occluded(surfaces, hit->origin, toward);
  hemisphere_direction(hit->normal, sky_u, sky_direction);
  sky_radiance(lighting, surfaces, hit->origin, sky_direction, light_u, sky);
  // Blinn's highlight of the whole disc, and Schlick's reflectance of the sky, both dimmed by what stands in the way.
  dc_vec_add_scaled(half, toward, -dc_vec_norm(toward), direction);
  dc_vec_scale(half, half, 1 / fmax(dc_vec_norm(half), 1e-12));
  double grazing = 1 - positive(-dc_vec_dot(hit->normal, direction)), square = grazing * grazing;
  double highlight = visible * gloss_reflectance * (gloss_exponent + 8) / 8 *
                     (double)powf((float)positive(dc_vec_dot(hit->normal, half)), (float)gloss_exponent);
  double reflectance = gloss_reflectance + 0.35 * square * square * grazing;
  for (int i = 0; i < 3; i++)
    color[i] = albedo[i] * (lighting->key[i] * incidence * visible + sky[i]) +
               highlight * incidence * lighting->key[i] + reflectance * sky[i];
}

void dc_shade_ground(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, const struct dc_view *view,
                     const double position[3], const double background[3], const double decal[4],
                     const double light_u[2], const double sky_u[2], double color[3])
{
  double toward[3], sky_direction[3], sky[3], albedo[3];
  double unit = 0.5 * view->pixel * view->height * dc_vec_distance(view->eye, view->target);
  double s = positive((dc_vec_distance(position, view->target) / unit - fade_start) / (fade_end - fade_start));
  double fade = s < 1 ? s * s * (3 - 2 * s) : 1;
  for (int i = 0; i < 3; i++)
    albedo[i] = ground_color[i] + fade * (background[i] - ground_color[i]);
  paint(albedo, decal);
  light_direction(lighting, light_u, toward);
  double visible = !dc_surfaces_occluded(surfaces, position, toward);
  disc_point(sky_u, &sky_direction[0], &sky_direction[1]);  // density cosine / pi about the vertical
  sky_direction[2] = sqrt(1 - sky_u[0]);
  sky_radiance(lighting, surfaces, position, sky_direction, light_u, sky);
  // Relative to open ground: where no body is near, the ground has its colour exactly and passes into the backdrop
  // without a seam.
  for (int i = 0; i < 3; i++)
    color[i] = albedo[i] * (lighting->key[i] * lighting->direction[2] * visible + sky[i]) / lighting->open[i];
}

void dc_background(double y, double color[3])
{
  for (int i = 0; i < 3; i++)
    color[i] = top_color[i] + y * (bottom_color[i] - top_color[i]);
}

void dc_tone_map(const double color[3], double dither, unsigned char pixel[3])
{
  for (int i = 0; i < 3; i++) {
    float x = (float)positive(color[i]), knee = (float)shoulder;
    if (x > knee)
      x = knee + (1 - knee) * (1 - expf(-(x - knee) / (1 - knee)));
    // IEC 61966-2-1
    float encoded = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    float level = 255 * encoded + (float)dither;
    pixel[i] = (unsigned char)(level < 255 ? level : 255);
  }
}
