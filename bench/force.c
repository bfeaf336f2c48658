// SPDX-License-Identifier: Apache-2.0
// Contact forces of the hierarchy compared with those of all triangle pairs, along random lines of approach, for
// several blends and both rules of weights.
#include "bench/force.h"

#include <math.h>

#include "base/random.h"
#include "bench/bodies.h"
#include "contact/contact.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { POINTS = 200, BISECTIONS = 50, WEIGHTS = 2 };

static const double blends[DC_FORCE_BLENDS] = {0.1, 0.2, 0.3, 0.5, 1};
static const double NEAREST = 1e-3, FARTHEST = 10;  // gaps, in sums of the radii

static const struct {
  const char *bodies;
  struct dc_bench_shape shapes[2];
} cases[] = {
    {"ball-ball",
     {{"sphere", {{"radius", 1, {0.2}}, {"level", 1, {1}}}}, {"sphere", {{"radius", 1, {0.2}}, {"level", 1, {1}}}}}},
    {"box-rod",
     {{"box", {{"size", 3, {0.4, 0.4, 0.4}}, {"divisions", 3, {2, 2, 2}}}},
      {"box", {{"size", 3, {0.1, 0.1, 0.6}}, {"divisions", 3, {1, 1, 6}}}}}},
};
enum { CASES = sizeof cases / sizeof *cases };

struct scene {
  struct dc_arena *arena;
  struct dc_shape shapes[2];
  struct dc_bodies bodies;
  struct dc_contact *exact[WEIGHTS], *bsh[WEIGHTS][DC_FORCE_BLENDS];
  struct dc_pose poses[2];
};

static enum dc_status build_contacts(struct scene *scene, struct dc_error *error)
{
  struct dc_contact_settings settings = {.stiffness = 1, .blend = 0.2, .length = 1, .reference_area = NAN};
  for (int w = 0; w < WEIGHTS; w++) {
    settings.weights = w ? DC_WEIGHTS_PAPER : DC_WEIGHTS_CONSISTENT;
    scene->exact[w] = dc_contact_create(dc_contact_model_find("exact"), &settings, &scene->bodies, error);
    if (!scene->exact[w])
      return error->status;
    for (int k = 0; k < DC_FORCE_BLENDS; k++) {
      settings.blend = blends[k];
      scene->bsh[w][k] = dc_contact_create(dc_contact_model_find("bsh"), &settings, &scene->bodies, error);
      if (!scene->bsh[w][k])
        return error->status;
    }
  }
  return DC_OK;
}

static enum dc_status build_scene(struct scene *scene, int c, struct dc_error *error)
{
  struct dc_body_definition definitions[2] = {{0}};
  scene->arena = dc_arena_create();
  if (!scene->arena)
    return dc_out_of_memory_for(error, "the force profiles");
  for (int side = 0; side < 2; side++) {
    enum dc_status status =
        dc_bench_shape_build(&cases[c].shapes[side], side ? "b" : "a", scene->arena, &scene->shapes[side], error);
    if (!status)
      status = dc_options_set_defaults(dc_body_options, &definitions[side], scene->arena, error);
    if (status)
      return status;
    definitions[side].name = scene->shapes[side].name;
    definitions[side].shape = side;
  }
  enum dc_status status = dc_bodies_create(&scene->bodies, 2, definitions, scene->shapes, scene->arena, error);
  return status ? status : build_contacts(scene, error);
}

static void destroy_scene(struct scene *scene)
{
  for (int w = 0; w < WEIGHTS; w++) {
    dc_contact_destroy(scene->exact[w]);
    for (int k = 0; k < DC_FORCE_BLENDS; k++)
      dc_contact_destroy(scene->bsh[w][k]);
  }
  dc_arena_destroy(scene->arena);
}

static void place_on_line(struct scene *scene, const double direction[3], double distance)
{
  dc_vec_scale(scene->poses[0].position, direction, distance);
}

// Draws orientations and a direction; returns the distance of the centres at which the convex bodies touch.
static double start_line(struct scene *scene, struct dc_random *random, double direction[3])
{
  double low = 0, high = scene->bodies.bodies[0].radius + scene->bodies.bodies[1].radius;
  for (int side = 0; side < 2; side++) {
    struct dc_pose *pose = &scene->poses[side];
    for (int i = 0; i < 4; i++)
      pose->quaternion[i] = dc_random_normal(random);
    dc_rotation_normalize(pose->quaternion);
    dc_rotation_matrix(pose->rotation, pose->quaternion);
  }
  for (int k = 0; k < 3; k++)
    direction[k] = dc_random_normal(random);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(direction));
  for (int i = 0; i < BISECTIONS; i++) {
    int pair;
    double middle = 0.5 * (low + high), depth;
    place_on_line(scene, direction, middle);
    if (dc_contact_overlap(scene->exact[0], scene->poses, &pair, &depth))
      low = middle;
    else
      high = middle;
  }
  return high;
}

// |F| at the scene's poses; NAN when it is not finite.
static double force(struct dc_contact *contact, const struct scene *scene)
{
  struct dc_pair_derivatives pair;
  double energy = dc_contact_evaluate(contact, scene->poses, 1, &pair);
  return isfinite(energy) ? dc_vec_norm(pair.gradient + 3) : NAN;
}

// Measures one line and adds to the rows of both weightings [DC_FORCE_BLENDS].
static enum dc_status measure_line(struct scene *scene, struct dc_random *random, struct dc_force_profile *rows,
                                   struct dc_error *error)
{
  double direction[3], touching = start_line(scene, random, direction), lowest[WEIGHTS][DC_FORCE_BLENDS];
  double size = scene->bodies.bodies[0].radius + scene->bodies.bodies[1].radius;
  for (int point = 0; point < POINTS; point++) {
    place_on_line(scene, direction, touching + size * NEAREST * pow(FARTHEST / NEAREST, point / (POINTS - 1.0)));
    for (int w = 0; w < WEIGHTS; w++) {
      double all = force(scene->exact[w], scene);
      for (int k = 0; k < DC_FORCE_BLENDS; k++) {
        struct dc_force_profile *row = &rows[w * DC_FORCE_BLENDS + k];
        double blended = force(scene->bsh[w][k], scene), ratio = blended / all, *low = &lowest[w][k];
        if (!isfinite(ratio))
          return dc_fail(error, DC_NUMERICAL, "force profile %s: a force that is not finite", row->bodies);
        row->least = fmin(row->least, ratio);
        row->most = fmax(row->most, ratio);
        *low = point ? fmin(*low, blended) : blended;
        row->rise = fmax(row->rise, blended / *low);
      }
    }
  }
  return DC_OK;
}

enum dc_status dc_bench_force_profiles(int lines, struct dc_force_profile *rows, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  int threads = dc_bench_set_threads(1);
  struct dc_random random;
  dc_random_seed(&random, 1);
  for (int c = 0; c < CASES && !status; c++) {
    struct scene scene = {.arena = NULL};
    struct dc_force_profile *own = &rows[c * WEIGHTS * DC_FORCE_BLENDS];
    status = build_scene(&scene, c, error);
    for (int i = 0; i < WEIGHTS * DC_FORCE_BLENDS && !status; i++)
      own[i] = (struct dc_force_profile){
          .bodies = cases[c].bodies,
          .weights = i < DC_FORCE_BLENDS ? "consistent" : "paper",
          .triangles = {scene.shapes[0].mesh.triangle_count, scene.shapes[1].mesh.triangle_count},
          .blend = blends[i % DC_FORCE_BLENDS],
          .least = INFINITY,
          .rise = 1};
    for (int line = 0; line < lines && !status; line++)
      status = measure_line(&scene, &random, own, error);
    destroy_scene(&scene);
  }
  dc_bench_set_threads(threads);
  return status;
}
