// SPDX-License-Identifier: Apache-2.0
#include "render/shading.h"

#include "math/vector.h"

// The look of the pictures, in one place.  Key and sky make open ground receive about 1.
static const double key_color[3] = {0.86, 0.83, 0.79};
static const double sky_color[3] = {0.29, 0.31, 0.335};
static const double key_radius = 0.13;     // tangent of the key light's half angle: width of penumbrae
static const double ground_albedo = 0.50;  // for light that bodies get from below
static const double body_bounce = 0.45;    // light that a lit body passes on, as a part of its colour
static const double below_horizon = 0.75;  // the sky's brightness downwards where there is no ground
static const double gloss_reflectance = 0.04;
enum { GLOSS_EXPONENT = 120 };
static const double ground_color[3] = {0.875, 0.885, 0.90};
// A white, overexposed backdrop.
static const double top_color[3] = {1.36, 1.37, 1.38}, bottom_color[3] = {1.11, 1.12, 1.13};
static const double fade_start = 0.5, fade_end = 3.4;  // distance from the target in half heights of the picture there
static const double shoulder = 0.72;                   // tone curve: straight below, rolls off to 1 above

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
    lighting->per_open[i] = 1 / (key_color[i] * lighting->direction[2] + sky_color[i]);
  }
  lighting->per_half_height = 1 / (0.5 * view->pixel * view->height * dc_vec_distance(view->eye, view->target));
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

// A point at height z casts its shadow where the rays towards it begin, at -z (w_x, w_y) / w_z from below it for the
// directions w = d + key_radius (x a + y b), x^2 + y^2 <= 1, of the light's disc; (w_x / w_z - d_x / d_z) is bounded by
// the largest numerator over the least denominator.  The places below the corners count too: what reaches below the
// ground begins to cast its shadow there.
void dc_lighting_shadow(const struct dc_lighting *lighting, int count, const double (*corners)[3],
                        double rectangle[4][3])
{
  const double *d = lighting->direction, *a = lighting->side[0], *b = lighting->side[1];
  double least = d[2] - key_radius * hypot(a[2], b[2]), low[2], high[2];
  for (int i = 0; i < 2; i++) {
    double slope = d[i] / d[2], spread = key_radius * hypot(a[i] - slope * a[2], b[i] - slope * b[2]) / least;
    low[i] = INFINITY, high[i] = -INFINITY;
    for (int c = 0; c < count; c++) {
      double z = positive(corners[c][2] - lighting->floor_height);
      low[i] = fmin(low[i], corners[c][i] - positive(z * (slope + spread)));
      high[i] = fmax(high[i], corners[c][i] + positive(z * (spread - slope)));
    }
  }
  for (int c = 0; c < 4; c++) {
    rectangle[c][0] = c & 1 ? high[0] : low[0];
    rectangle[c][1] = c & 2 ? high[1] : low[1];
    rectangle[c][2] = lighting->floor_height;
  }
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

// Whether the light that the sky's last ray brought serves another sample on this surface; otherwise a new one is due.
static bool reuse(struct dc_sky_light *sky, int surface)
{
  if (sky->uses == 1 && sky->surface == surface) {
    sky->uses = 2;
    return true;
  }
  sky->uses = 1;
  sky->surface = surface;
  return false;
}

// Decal over color: color <- mix(color, decal, decal[3]).
static void paint(double color[3], const double decal[4])
{
  for (int i = 0; i < 3; i++)
    color[i] += decal[3] * (decal[i] - color[i]);
}

// x^GLOSS_EXPONENT by squaring.
static double gloss_power(double x)
{
  double power = 1;
  for (int exponent = GLOSS_EXPONENT; exponent; exponent /= 2, x *= x)
    power *= exponent % 2 ? x : 1;
  return power;
}

void dc_shade_body(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces,
                   const struct dc_surface_hit *hit, const double direction[3], const double decal[4],
                   const double light_u[2], const double sky_u[2], struct dc_sky_light *light, double color[3])
{
  double toward[3], sky_direction[3], half[3], albedo[3], *sky = light->radiance;
  dc_vec_copy(albedo, surfaces->bodies[hit->body].color);
  paint(albedo, decal);
  double incidence = positive(dc_vec_dot(hit->normal, lighting->direction));
  light_direction(lighting, light_u, toward);
  double visible = incidence > 0 && !dc_surfaces_occluded(surfaces, hit->origin, toward);
  if (!reuse(light, hit->body)) {
    hemisphere_direction(hit->normal, sky_u, sky_direction);
    sky_radiance(lighting, surfaces, hit->origin, sky_direction, light_u, sky);
  }
  // Blinn's highlight of the whole disc, and Schlick's reflectance of the sky, both dimmed by what stands in the way.
  dc_vec_add_scaled(half, toward, -dc_vec_norm(toward), direction);
  dc_vec_scale(half, half, 1 / fmax(dc_vec_norm(half), 1e-12));
  double grazing = 1 - positive(-dc_vec_dot(hit->normal, direction)), square = grazing * grazing;
  double highlight =
      visible * gloss_reflectance * (GLOSS_EXPONENT + 8) / 8 * gloss_power(positive(dc_vec_dot(hit->normal, half)));
  double reflectance = gloss_reflectance + 0.35 * square * square * grazing;
  for (int i = 0; i < 3; i++)
    color[i] = albedo[i] * (lighting->key[i] * incidence * visible + sky[i]) +
               highlight * incidence * lighting->key[i] + reflectance * sky[i];
}

void dc_shade_ground(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, const struct dc_view *view,
                     const double position[3], const double background[3], const double decal[4], bool lit,
                     const double light_u[2], const double sky_u[2], struct dc_sky_light *light, double color[3])
{
  double toward[3], sky_direction[3], albedo[3], *sky = light->radiance;
  double distance = dc_vec_distance(position, view->target) * lighting->per_half_height;
  double s = positive((distance - fade_start) * (1 / (fade_end - fade_start)));
  double fade = s < 1 ? s * s * (3 - 2 * s) : 1;
  for (int i = 0; i < 3; i++)
    albedo[i] = ground_color[i] + fade * (background[i] - ground_color[i]);
  paint(albedo, decal);
  if (!lit) {
    light_direction(lighting, light_u, toward);
    lit = !dc_surfaces_occluded(surfaces, position, toward);
  }
  double visible = lit;
  if (!reuse(light, -1)) {
    disc_point(sky_u, &sky_direction[0], &sky_direction[1]);  // density cosine / pi about the vertical
    sky_direction[2] = sqrt(1 - sky_u[0]);
    sky_radiance(lighting, surfaces, position, sky_direction, light_u, sky);
  }
  // Relative to open ground: where no body is near, the ground has its colour exactly and passes into the backdrop
  // without a seam.
  for (int i = 0; i < 3; i++)
    color[i] = albedo[i] * (lighting->key[i] * lighting->direction[2] * visible + sky[i]) * lighting->per_open[i];
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
