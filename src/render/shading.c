// SPDX-License-Identifier: Apache-2.0
// Light, materials, backdrop and tone curve: the look of the pictures, in one place.
#include "render/shading.h"

#include "math/vector.h"
#include "render/constants.h"

// Colours and intensities of key light and sky; together, open ground receives about 1.
static const double key_color[3] = {0.86, 0.83, 0.79};
static const double sky_color[3] = {0.29, 0.31, 0.335};
// Radius of the key light's disc at distance 1, about 7 degrees: penumbras are wide enough to show heights.
const double dc_key_radius = 0.13;
enum { GLOSS_EXPONENT = 106 };  // 120, and the width of the key light's disc
static const double ground_color[3] = {0.875, 0.885, 0.90};
// A white, overexposed backdrop.
static const double top_color[3] = {1.36, 1.37, 1.38}, bottom_color[3] = {1.11, 1.12, 1.13};
// The sky above ground: from the horizon's colour to the other one at this sine of elevation.
static const double low_sky[3] = {1.04, 1.08, 1.15}, high_sky[3] = {0.48, 0.64, 0.88}, high_rise = 0.5;
// distances from the target at which ground fades, in half heights of the picture there
static const double fade_start = 0.5, fade_end = 3.4;

// Two unit vectors across the unit vector n (Duff et al. 2017, Building an Orthonormal Basis, Revisited).
static void across(const double n[3], double a[3], double b[3])
{
  double sign = copysign(1, n[2]), c = -1 / (sign + n[2]), d = n[0] * n[1] * c;
  a[0] = 1 + sign * n[0] * n[0] * c, a[1] = sign * d, a[2] = -sign * n[0];
  b[0] = d, b[1] = sign + n[1] * n[1] * c, b[2] = -n[1];
}

// sRGB value, 0 to 255, of light root^2 after the tone curve: straight up to the shoulder, then x = knee + (1 -
// knee)(1 - exp(-(x - knee)/(1 - knee))), which continues value and slope and approaches 1.
static float tone(float root)
{
  float x = root * root, knee = (float)DC_TONE_SHOULDER;
  if (x > knee)
    x = knee + (1 - knee) * (1 - expf(-(x - knee) / (1 - knee)));
  // IEC 61966-2-1
  float encoded = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
  return 255 * encoded;
}

// Heights of the picture at the target are the unit in which the ground fades.
void dc_lighting_look(struct dc_lighting *lighting, const struct dc_view *view)
{
  lighting->per_half_height = 1 / (0.5 * view->pixel * view->height * dc_vec_distance(view->eye, view->target));
}

// The light comes from above, over the viewer's left shoulder. toward_viewer is horizontal, so that a rolled or steep
// camera keeps the light above. per_open makes open ground in full light exactly 1.  The table tones has DC_TONES
// steps in the square root of light, finer where it is dark, and one more entry for interpolation.
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
  dc_lighting_look(lighting, view);
  lighting->floor_height = floor_height;
  for (int t = 0; t < DC_TONES + 2; t++)
    lighting->tones[t] = tone((float)t * (DC_TONE_RANGE / DC_TONES));
}

// A uniform point of the unit disc from u in [0, 1)^2: u[0] is the square of the radius, u[1] a fraction of a turn.
// Single precision suffices for sampling directions.
void dc_disc_point(const double u[2], double disc[2])
{
  float angle = 6.28318531f * (float)u[1];
  double radius = sqrt(u[0]);
  disc[0] = radius * (double)cosf(angle);
  disc[1] = radius * (double)sinf(angle);
}

// Light from behind a surface does not count.
static double positive(double x)
{
  return x > 0 ? x : 0;
}

// Direction towards a point of the key light's disc, uniform over it; not of unit length.
static void light_direction(const struct dc_lighting *lighting, const double disc[2], double direction[3])
{
  dc_vec_add_scaled(direction, lighting->direction, dc_key_radius * disc[0], lighting->side[0]);
  dc_vec_add_scaled(direction, direction, dc_key_radius * disc[1], lighting->side[1]);
}

// A point at height z casts its shadow at -z (w_x, w_y) / w_z from below it, for directions w = d + dc_key_radius (x a
// + y b), x^2 + y^2 <= 1, to the light's disc.  (w_x / w_z - d_x / d_z) is bounded by the largest numerator over the
// least denominator.  The points below the corners count, too: a thing that reaches below the ground casts its shadow
// from there on.
void dc_lighting_shadow(const struct dc_lighting *lighting, int count, const double (*corners)[3],
                        double rectangle[4][3])
{
  const double *d = lighting->direction, *a = lighting->side[0], *b = lighting->side[1];
  double least = d[2] - dc_key_radius * hypot(a[2], b[2]), low[2], high[2];
  for (int i = 0; i < 2; i++) {
    double slope = d[i] / d[2], spread = dc_key_radius * hypot(a[i] - slope * a[2], b[i] - slope * b[2]) / least;
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

// Direction about normal above a point of the unit disc: density cosine / pi (Malley's method), so that the mean over
// rays is the light received.
static void hemisphere_direction(const double normal[3], const double disc[2], double direction[3])
{
  double a[3], b[3];
  across(normal, a, b);
  dc_vec_scale(direction, normal, sqrt(positive(1 - disc[0] * disc[0] - disc[1] * disc[1])));
  dc_vec_add_scaled(direction, direction, disc[0], a);
  dc_vec_add_scaled(direction, direction, disc[1], b);
}

// One ray for each place towards a point of the sun's disc: whether it is free, and how near its blocker is.
void dc_light_key(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, bool blockers,
                  struct dc_light_batch *batch)
{
  struct dc_ray_packet packet;
  bool any = false;
  dc_packet_clear(&packet);
  for (int k = 0; k < batch->count; k++) {
    double toward[3];
    batch->visible[k] = false;
    batch->blocker[k] = 0;
    if (dc_vec_dot(batch->normal[k], lighting->direction) <= 0)
      continue;
    light_direction(lighting, batch->key[k], toward);
    dc_vec_scale(toward, toward, 1 / dc_vec_norm(toward));
    dc_packet_set(&packet, k, batch->origin[k], toward);
    any = true;
  }
  if (any && blockers)
    dc_surfaces_intersect(surfaces, &packet, true);
  else if (any)
    dc_surfaces_occlude(surfaces, &packet);
  for (int k = 0; k < batch->count; k++) {
    if (!packet.valid[k])
      continue;
    batch->visible[k] = blockers ? dc_packet_body(&packet, k) < 0 : !dc_packet_blocked(&packet, k);
    if (blockers && !batch->visible[k])
      batch->blocker[k] = (float)dc_packet_distance(&packet, k);
  }
}

// Evaluates what sky rays meet: the sky, the ground (in key light or in a body's shadow), or a body, whose light is
// estimated.  One more ray goes from each place on the ground to the key light.  Light is not followed further:
// bodies are taken as half lit.
void dc_light_sky(const struct dc_lighting *lighting, const struct dc_surfaces *surfaces, struct dc_light_batch *batch)
{
  struct dc_ray_packet packet, ground;
  bool any = false;
  dc_packet_clear(&packet);
  dc_packet_clear(&ground);
  double direction[DC_RAYS][3];
  for (int k = 0; k < batch->count; k++) {
    hemisphere_direction(batch->normal[k], batch->sky[k], direction[k]);
    dc_packet_set(&packet, k, batch->origin[k], direction[k]);
  }
  dc_surfaces_intersect(surfaces, &packet, false);
  for (int k = 0; k < batch->count; k++) {
    int body = dc_packet_body(&packet, k);
    double down = direction[k][2], height = batch->origin[k][2] - lighting->floor_height;
    bool on_ground = body < 0 && down < 0 && height >= 0;  // false without ground
    double distance = on_ground ? -height / down : body < 0 ? INFINITY : dc_packet_distance(&packet, k);
    batch->sky_distance[k] = (float)distance;
    for (int i = 0; i < 3; i++)
      batch->radiance[k][i] =
          (float)(lighting->sky[i] * (body >= 0   ? DC_BODY_BOUNCE * fmin(surfaces->bodies[body].color[i], 1)
                                      : on_ground ? 0.5 * DC_GROUND_ALBEDO
                                      : down < 0  ? DC_BELOW_HORIZON
                                                  : 1));
    if (!on_ground)
      continue;
    double point[3], toward[3];
    dc_vec_add_scaled(point, batch->origin[k], distance, direction[k]);
    light_direction(lighting, batch->key[k], toward);
    dc_packet_set(&ground, k, point, toward);
    any = true;
  }
  if (any)
    dc_surfaces_occlude(surfaces, &ground);
  for (int k = 0; k < batch->count && any; k++)
    for (int i = 0; i < 3 && ground.valid[k] && !dc_packet_blocked(&ground, k); i++)
      batch->radiance[k][i] += (float)(DC_GROUND_ALBEDO * lighting->key[i] * lighting->direction[2]);
}

// Blends a decal over color: color <- mix(color, decal, decal[3]).
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

// The colour of a body: diffuse light of sun and sky, a highlight (Blinn) and the sky's reflection (Schlick).
void dc_shade_body(const struct dc_lighting *lighting, const double body_color[3], const double normal[3],
                   const double direction[3], const double decal[4], double visible, const double sky[3],
                   double color[3])
{
  double half[3], albedo[3];
  dc_vec_copy(albedo, body_color);
  paint(albedo, decal);
  double incidence = positive(dc_vec_dot(normal, lighting->direction));
  // Blinn's highlight of the whole disc, and Schlick's reflectance of the sky, both reduced by visibility.
  dc_vec_sub(half, lighting->direction, direction);
  dc_vec_scale(half, half, 1 / fmax(dc_vec_norm(half), 1e-12));
  double grazing = 1 - positive(-dc_vec_dot(normal, direction)), square = grazing * grazing;
  double highlight =
      visible * DC_GLOSS_REFLECTANCE * (GLOSS_EXPONENT + 8) / 8 * gloss_power(positive(dc_vec_dot(normal, half)));
  double reflectance = DC_GLOSS_REFLECTANCE + 0.35 * square * square * grazing;
  for (int i = 0; i < 3; i++)
    color[i] = albedo[i] * (lighting->key[i] * incidence * visible + sky[i]) +
               highlight * incidence * lighting->key[i] + reflectance * sky[i];
}

// The ground's colour fades smoothly (3 s^2 - 2 s^3) to the backdrop away from the target.
void dc_shade_ground(const struct dc_lighting *lighting, const struct dc_view *view, const double position[3],
                     const double background[3], const double decal[4], double visible, const double sky[3],
                     double color[3])
{
  double albedo[3];
  double distance = dc_vec_distance(position, view->target) * lighting->per_half_height;
  double s = positive((distance - fade_start) * (1 / (fade_end - fade_start)));
  double fade = s < 1 ? s * s * (3 - 2 * s) : 1;
  for (int i = 0; i < 3; i++)
    albedo[i] = ground_color[i] + fade * (background[i] - ground_color[i]);
  paint(albedo, decal);
  // Light is relative to open ground: far from bodies the ground has exactly its colour and merges with the backdrop.
  for (int i = 0; i < 3; i++)
    color[i] = albedo[i] * (lighting->key[i] * lighting->direction[2] * visible + sky[i]) * lighting->per_open[i];
}

// The colour behind everything: a sky by the sine of elevation above ground, else a backdrop by the height y in the
// picture, 0 at the top, 1 at the bottom.
void dc_background(const struct dc_lighting *lighting, double y, double rise, double color[3])
{
  bool sky = rise > 0 && !isnan(lighting->floor_height);
  double s = fmin(1, rise / high_rise), part = s * (2 - s);
  for (int i = 0; i < 3; i++)
    color[i] =
        sky ? low_sky[i] + part * (high_sky[i] - low_sky[i]) : top_color[i] + y * (bottom_color[i] - top_color[i]);
}

// Light to bytes by the table, linear between its entries.  The dither, below one step, breaks bands of equal
// colours.
void dc_tone_map(const struct dc_lighting *lighting, const double color[3], double dither, unsigned char pixel[3])
{
  for (int i = 0; i < 3; i++) {
    float place = sqrtf((float)positive(color[i])) * (DC_TONES / DC_TONE_RANGE);
    if (!(place < DC_TONES))
      place = DC_TONES;
    int t = (int)place;
    float level =
        lighting->tones[t] + (place - (float)t) * (lighting->tones[t + 1] - lighting->tones[t]) + (float)dither;
    pixel[i] = (unsigned char)(level < 255 ? level : 255);
  }
}
