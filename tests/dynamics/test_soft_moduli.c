// SPDX-License-Identifier: Apache-2.0
// The modulus and the mass of a design are those that act, also in how stiff bodies are damped beside a prediction: a
// ball of another modulus or mass that factors make the same bounces as the ball itself does.
#include "geometry/mesh/tetrahedra.h"
#include "harness.h"

#include "scenes.h"

enum { STEPS = 40, NODES = 27 };

// A ball of this modulus and density that falls on the plane.  Its barrier there goes with the mass that is read.
static void fall(struct scene *scene, double young, double density, enum dc_integrator integrator)
{
  static double size[] = {0.1, 0.1, 0.1}, cells[] = {2, 2, 2};
  struct dc_soft_definition *soft;
  scene_begin(scene);
  scene->definition.time.step = 0.005;
  scene->definition.time.integrator = integrator;
  scene->definition.contact.friction = 0.3;
  scene_body(scene, "plane", scene_plane(scene), 0, 0, 0, 0);
  struct dc_body_definition *ball = scene_body(scene, "ball", -1, 1, 0, 0, 0.11);
  ball->soft = soft = dc_arena_alloc(scene->arena, 1, sizeof *soft);
  CHECK(!dc_options_set_defaults(dc_soft_options, soft, scene->arena, NULL), "soft");
  soft->size = (struct dc_real_list){3, size};
  soft->cells = (struct dc_real_list){3, cells};
  soft->form = DC_GRID_SPHERE;
  soft->young = young;
  soft->self_contact = false;
  soft->barrier = 1e-5 * sqrt(1000 / density);
  ball->mass = NAN;
  ball->density = density;
  ball->velocity[0] = 0.5;
  ball->velocity[2] = -2;
  scene_create(scene);
}

// The places of its nodes at the end, under factors on modulus, elements and mass.
static void places(double young, double density, enum dc_integrator integrator, const double factors[3],
                   double end[NODES][3])
{
  struct scene scene;
  fall(&scene, young, density, integrator);
  const struct dc_soft *soft = &scene.model.bodies.soft[0];
  CHECK(soft->node_count == NODES, "%d nodes", soft->node_count);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, STEPS);
  struct dc_trajectory *trajectory = dc_trajectory_create(&scene.model, STEPS);
  input->design.young_scale[soft->body] *= factors[0];
  for (int e = 0; e < soft->mesh.element_count; e++)
    input->design.young_element[e] *= factors[1];
  input->design.body_mass_scale[soft->body] *= factors[2];
  CHECK(!dc_rollout_forward(scene.rollout, input, trajectory, &scene.error), "%s", scene.error.text);
  memcpy(end, frame_of(trajectory, STEPS) + soft->q_offset, NODES * sizeof *end);
  dc_trajectory_destroy(trajectory);
  dc_rollout_input_destroy(input);
  scene_end(&scene);
}

static const struct {
  const char *name;
  double young, density, factors[3];
} balls[] = {{"a factor down", 1e8, 1000, {1e-2, 1, 1}},
             {"a factor up", 1e4, 1000, {1e2, 1, 1}},
             {"factors of elements", 1e8, 1000, {1, 1e-2, 1}},
             {"both", 1e7, 1000, {1e-2, 1e1, 1}},
             {"mass", 1e6, 10, {1, 1, 1e2}}};

static void test_same(void)
{
  const double none[3] = {1, 1, 1};
  for (int integrator = DC_EULER; integrator <= DC_SECOND_ORDER; integrator++) {
    double right[NODES][3], end[NODES][3];
    places(1e6, 1000, (enum dc_integrator)integrator, none, right);
    for (size_t b = 0; b < sizeof balls / sizeof *balls; b++) {
      double most = 0;
      places(balls[b].young, balls[b].density, (enum dc_integrator)integrator, balls[b].factors, end);
      for (int n = 0; n < NODES; n++)
        most = fmax(most, dc_vec_distance(end[n], right[n]));
      CHECK(most < 1e-7, "%s, integrator %d: %g m apart", balls[b].name, integrator, most);
    }
  }
}

RUN_TESTS({"same motion", test_same})