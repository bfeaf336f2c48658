// SPDX-License-Identifier: Apache-2.0
// Scenes without time, "problem": "refine": poses at which pairs of points touch.  Their sections are "refine" and
// "pairs"; those about motion are refused.  Pairs are read after the bodies that they name.
#include <math.h>
#include <string.h>

#include "geometry/convex/distance.h"
#include "io/scene/constants.h"
#include "io/scene/scene_build.h"
#include "math/vector.h"

// Reads "problem" and refuses the sections that belong to the other kind of problem: a section that is never
// read would look as if it counted.
enum dc_status dc_scene_read_problem(struct dc_scene_build *build)
{
  static const char *const of_trajectories[] = {
      "time", "gravity", "contact", "solver",       "mujoco", "control", "objective", "design",    "gradient",
      "init", "horizon", "models",  "continuation", "plant",  "certify", "portfolio", "automatic", NULL};
  static const char *const of_refinements[] = {"refine", "pairs", NULL};
  struct dc_json value = dc_json_member(&build->root, "problem");
  int problem = 0;
  enum dc_status status = value.node ? dc_read_option(&build->reader, &value, &dc_problem_options[0], &problem) : DC_OK;
  if (status)
    return status;
  build->scene->refinement.given = problem == 1;
  const char *const *others = problem == 1 ? of_trajectories : of_refinements;
  for (int i = 0; others[i]; i++) {
    struct dc_json other = dc_json_member(&build->root, others[i]);
    if (other.node)
      return dc_json_fail(&other, build->error, DC_BAD_INPUT, "%s",
                          problem == 1 ? "a refinement (\"problem\": \"refine\") has no time and no forces"
                                       : "belongs to a refinement (\"problem\": \"refine\")");
  }
  return DC_OK;
}

// Reads a refinement: its settings and its method of least squares, chosen by "optimizer" among those that work
// on poses.
enum dc_status dc_scene_read_refinement(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_refinement *refinement = &scene->refinement;
  struct dc_json optimizer = dc_json_member(&build->root, "optimizer");
  struct dc_allowed_keys allowed = {.tag = "type"};
  cJSON empty = {.type = cJSON_Object, .valueint = build->root.node->valueint};
  int index = 0;
  scene->definition.time.step = DC_REFINE_FRAME;
  enum dc_status status = dc_scene_read_section(build, "refine", dc_refine_options, NULL, &refinement->settings);
  if (status)
    return status;
  if (build->settings->seed_given)
    refinement->settings.seed = (long)build->settings->seed;
  if (!optimizer.node)
    optimizer.node = &empty;
  status = dc_scene_read_tag(build, &optimizer, "type", DC_LEAST_SQUARES_TYPES, DC_DEFAULT_LEAST_SQUARES, &index);
  if (status)
    return status;
  refinement->method = dc_family_optimizer(DC_LEAST_SQUARES_TYPES, index);
  refinement->method_options = dc_arena_alloc(scene->arena, 1, refinement->method->options_size);
  if (!refinement->method_options)
    return dc_out_of_memory_in(build->error, scene->path);
  return dc_read_options(&build->reader, &optimizer, refinement->method->options, &allowed, refinement->method_options);
}

// Distance of a point from the surface of a mesh, m, both in the mesh's frame; all triangles are visited.
static double distance_from(const struct dc_mesh *mesh, const double point[3])
{
  double least = INFINITY, x[4][3];
  dc_vec_copy(x[0], point);
  for (int t = 0; t < mesh->triangle_count; t++) {
    struct dc_closest closest;
    for (int k = 0; k < 3; k++)
      dc_vec_copy(x[1 + k], mesh->vertices[mesh->triangles[t][k]]);
    dc_closest_point_triangle((const double(*)[3])x, &closest);
    least = fmin(least, closest.square);
  }
  return sqrt(least);
}

// Notes targets of a pair that no witness point can come to: inside of a solid, or away from it.
static enum dc_status note_pair(struct dc_scene *scene, const struct dc_refine_pair *pairs, int i)
{
  enum dc_status status = DC_OK;
  double tolerance = scene->refinement.settings.tolerance;
  for (int k = 0; k < 2 && !status; k++) {
    const struct dc_body *body = &scene->model.bodies.bodies[pairs[i].body[k]];
    double apart = distance_from(&body->shape->mesh, pairs[i].point[k]);
    if (apart > tolerance)
      status = dc_notes_add(&scene->notes,
                            "pairs[%d]: the point on \"%.200s\" is %.3g m %s, farther from its surface "
                            "than the tolerance (%.3g m): the pair cannot be reached",
                            i, body->name, apart,
                            dc_mesh_contains(&body->shape->mesh, pairs[i].point[k]) ? "inside" : "outside", tolerance);
  }
  return status;
}

// A refinement has no forces, but ranges of tendons are about places, too.
static enum dc_status note_tendons(struct dc_scene *scene)
{
  enum dc_status status = DC_OK;
  for (int k = 0; k < scene->definition.tendon_count && !status; k++)
    if (!isnan(scene->definition.tendons[k].range[0]))
      status = dc_notes_add(&scene->notes, "tendons[%d].range: does not act in a refinement", k);
  return status;
}

// Reads "pairs", which points of which bodies should touch, and checks them against the built model.
enum dc_status dc_scene_read_pairs(struct dc_scene_build *build)
{
  struct dc_refinement *refinement = &build->scene->refinement;
  struct dc_json pairs = dc_json_member(&build->root, "pairs");
  if (!pairs.node)
    return dc_json_fail(&build->root, build->error, DC_BAD_INPUT, "missing key \"pairs\"");
  enum dc_status status = dc_read_option(&build->reader, &pairs, &dc_pairs_options[0], &refinement->pairs);
  if (status)
    return status;
  status = dc_refine_check(&build->scene->model, refinement->pairs.count, refinement->pairs.objects, build->error);
  if (status)
    return dc_json_wrap(&pairs, build->error);
  status = note_tendons(build->scene);
  for (int i = 0; i < refinement->pairs.count && !status; i++)
    status = note_pair(build->scene, refinement->pairs.objects, i);
  return status;
}
