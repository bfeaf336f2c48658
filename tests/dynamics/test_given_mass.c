// SPDX-License-Identifier: Apache-2.0
// Bodies whose mass, centre of mass and inertia are given, and bodies without a shape.
#include "harness.h"

#include "mechanisms.h"

static void set_inertia(struct dc_body_definition *body, double xx, double yy, double zz, double xy, double xz,
                        double yz)
{
  const double inertia[6] = {xx, yy, zz, xy, xz, yz};
  memcpy(body->inertia, inertia, sizeof inertia);
}

// The tensor of a body, tr(S) 1 - S.
static void tensor_of(const struct dc_body *body, double tensor[9])
{
  const double *s = body->second_moment;
  for (int k = 0; k < 9; k++)
    tensor[k] = (k % 4 ? 0 : s[0] + s[4] + s[8]) - s[k];
}

static void test_given_inertia(void)
{
  struct scene scene;
  scene_begin(&scene);
  int shape = scene_box(&scene, 0.1, 0.2, 0.3, 1, 1, 1);
  struct dc_body_definition *body = scene_body(&scene, "a", shape, 2, 1, 2, 3);
  set_inertia(body, 0.05, 0.04, 0.03, 0.002, -0.003, 0.004);
  mechanism_vector(body->center_of_mass, 0.01, -0.02, 0.05);
  body = scene_body(&scene, "b", shape, 2, 5, 2, 3);  // the moments of the solid about a given centre
  mechanism_vector(body->center_of_mass, 0.01, -0.02, 0.05);
  struct dc_body_definition *wall = scene_body(&scene, "wall", shape, 0, 9, 0, 0);
  wall->mass = 3;
  set_inertia(wall, 1, 1, 1, 0, 0, 0);
  mechanism_vector(wall->center_of_mass, 0.5, 0, 0);
  scene_create(&scene);
  const struct dc_body *a = &scene.model.bodies.bodies[0], *b = a + 1, *fixed = a + 2;
  const double expected[9] = {0.05, 0.002, -0.003, 0.002, 0.04, 0.004, -0.003, 0.004, 0.03};
  double tensor[9];
  tensor_of(a, tensor);
  for (int k = 0; k < 9; k++)
    CHECK_NEAR(tensor[k], expected[k], 1e-16);  // 6.9e-18 observed
  tensor_of(b, tensor);
  CHECK_NEAR(tensor[0], 2.0 / 12 * (0.2 * 0.2 + 0.3 * 0.3), 1e-16);
  CHECK_NEAR(a->start.position[0], 1.01, 1e-15);
  CHECK_NEAR(b->start.position[2], 3.05, 1e-15);
  CHECK_NEAR(fixed->start.position[0], 9.5, 1e-15);
  CHECK(fixed->mass == 0 && fixed->second_moment[0] == 0, "what never moves has no mass");
  CHECK_NEAR(a->radius, sqrt(0.06 * 0.06 + 0.12 * 0.12 + 0.2 * 0.2), 1e-15);
  scene_end(&scene);
}

// A box, its inertia given, and two halves with the same inertia tumble alike: poses of the shapes' frames.
static void test_same_body(void)
{
  struct scene scene;
  double ends[3][12];
  for (int k = 0; k < 3; k++) {
    scene_begin(&scene);
    int box = scene_box(&scene, 0.2, 0.1, 0.06, 1, 1, 1), half = scene_box(&scene, 0.1, 0.1, 0.06, 1, 1, 1);
    struct dc_shape *both = scene_add_shape(&scene, "compound");
    struct dc_compound_part parts[2] = {{half, {0.05, 0, 0}, {1, 0, 0, 0}}, {half, {-0.05, 0, 0}, {1, 0, 0, 0}}};
    *(struct dc_object_list *)scene_option(both, "parts") = (struct dc_object_list){2, parts};
    CHECK(dc_shape_unite(both, scene.definition.shape_count, scene.shapes, scene.arena, &scene.error) == DC_OK, "%s",
          scene.error.text);
    mechanism_vector(scene.definition.gravity, 0, 0, -9.8);
    scene_body(&scene, "ground", scene_plane(&scene), 0, 0, 0, 0);
    struct dc_body_definition *body = scene_body(&scene, "a", k < 2 ? box : 2, 1.2, 0, 0, 0.16);
    mechanism_vector(body->angular_velocity, 3, -2, 1);
    if (k > 0) {
      set_inertia(body, 0.1 * (0.01 + 0.0036), 0.1 * (0.04 + 0.0036), 0.1 * (0.04 + 0.01), 0, 0, 0);
      mechanism_vector(body->center_of_mass, 0, 0, 0);
    }
    scene.definition.contact.stiffness = 1e-5;
    scene.definition.contact_model = dc_contact_model_find("exact");
    scene_create(&scene);
    dc_rollout_set_tight(scene.rollout, true);
    struct dc_trajectory *trajectory = scene_roll(&scene, 30);
    CHECK(frame_of(trajectory, 30)[2] > 0.02, "it does not fall through");
    memcpy(ends[k], frame_of(trajectory, 30), 7 * sizeof(double));
    dc_trajectory_destroy(trajectory);
    scene_end(&scene);
  }
  for (int i = 0; i < 7; i++) {
    CHECK_NEAR(ends[1][i], ends[0][i], 1e-12);  // 1e-15 observed
    CHECK_NEAR(ends[2][i], ends[0][i], 0.01);   // 1.4e-3 observed: other triangles, other weights of the same barrier
  }
}

// I (a+ - 2a + a-)/h^2 + m g l a+ = 0 for small angles, whose roots are z = exp(+-i phi)/sqrt(1 + h^2 w^2),
// tan phi = h w, w^2 = m g l/I; nothing but numbers hangs on the hinge, or a box that is beside its centre of mass.
static void test_pendulum(void)
{
  const double angle = 1e-5, h = 0.01, g = 9.8, mass = 0.7, length = 0.25, about_center = 0.004;
  for (int shaped = 0; shaped < 2; shaped++) {
    struct scene scene;
    scene_begin(&scene);
    mechanism_vector(scene.definition.gravity, 0, 0, -g);
    scene.definition.time.step = h;
    int shape = shaped ? scene_box(&scene, 0.1, 0.1, 0.1, 1, 1, 1) : -1;
    struct dc_body_definition *body = mechanism_link(&scene, "pendulum", "hinge", -1, shape, mass);
    mechanism_vector(body->position, 0, 0, 1);
    mechanism_vector(body->axis, 0, 1, 0);
    mechanism_vector(body->center_of_mass, 0, 0, -length);
    set_inertia(body, 0.003, about_center, 0.002, 0.0005, 0.0002, -0.0004);
    mechanism_numbers(&scene, &body->joint_position, 1, &angle);
    scene_create(&scene);
    dc_rollout_set_tight(scene.rollout, true);
    struct dc_trajectory *trajectory = scene_roll(&scene, 300);
    double w = sqrt(mass * g * length / (about_center + mass * length * length)), phi = atan(h * w),
           decay = 1 / sqrt(1 + h * h * w * w), worst = 0;
    double c = angle * (cos(phi) - decay) / sin(phi);  // a_0 = a_-1 = angle
    for (int n = 0; n <= 300; n++) {
      double expected = pow(decay, n) * (angle * cos(n * phi) + c * sin(n * phi));
      worst = larger(worst, fabs(frame_of(trajectory, n)[0] - expected));
    }
    CHECK_NEAR(worst / angle, 0, 1e-9);  // 4.6e-11 observed: angle^2 and rounding
    dc_trajectory_destroy(trajectory);
    scene_end(&scene);
  }
}

static void test_without_shape(void)
{
  static const char *const models[] = {"bsh", "exact", "ipc", "ipc-global", "sdrs"};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    struct scene scene;
    scene_begin(&scene);
    mechanism_vector(scene.definition.gravity, 0, 0, -9.8);
    scene.definition.contact_model = dc_contact_model_find(models[k]);
    scene.definition.contact.friction = 0.3;
    scene_body(&scene, "ground", scene_plane(&scene), 0, 0, 0, 0);
    struct dc_body_definition *ghost = scene_body(&scene, "ghost", -1, 1, 0, 0, 0.1);
    set_inertia(ghost, 0.1, 0.2, 0.15, 0, 0, 0);
    scene_body(&scene, "frame", -1, 0, 0, 0, 0.1);
    scene_body(&scene, "ball", scene_sphere(&scene, 0.1, 1, "icosahedron"), 0.3, 0, 0, 0.2);
    scene_create(&scene);
    const struct dc_body *body = &scene.model.bodies.bodies[1];
    CHECK(body->shape == &dc_shape_nothing && dc_body_look(body) == body->shape, "nothing");
    CHECK_NEAR(body->radius, sqrt(0.225), 1e-15);  // of gyration: tr(I)/2 over the mass
    CHECK(scene.model.bodies.bodies[2].radius == 0, "a frame has no size");
    CHECK(dc_model_pair_count(&scene.model) == 1, "only the ball touches the ground");
    struct dc_trajectory *trajectory = scene_roll(&scene, 20);
    // through the ball, the frame and the ground
    CHECK_NEAR(frame_of(trajectory, 20)[2], 0.1 - 0.5 * 9.8 * 0.04 * 0.04 * 20 * 21, 1e-12);  // 1.8e-15 observed
    CHECK(frame_of(trajectory, 20)[9] > 0.05, "the ball lies on the ground");
    dc_trajectory_destroy(trajectory);
    scene_end(&scene);
  }
}

static struct dc_body_definition *one(struct scene *scene, int shape, double mass)
{
  scene_begin(scene);
  scene_box(scene, 0.1, 0.2, 0.3, 1, 1, 1);
  scene_plane(scene);
  return scene_body(scene, "a", shape, mass, 0, 0, 1);
}

static void test_refusals(void)
{
  struct scene scene;
  static const struct {
    double inertia[6];
    const char *message;
  } cases[] = {
      {{0, 0, 0, 0, 0, 0}, "bodies[0].inertia: must not be zero or negative"},
      {{-1, 1, 0, 0, 0, 0}, "bodies[0].inertia: must not be zero or negative"},
      {{1, 1, -1, 0, 0, 0}, "bodies[0].inertia: must be positive semidefinite"},
      {{1, 1, 1, 1.1, 0, 0}, "bodies[0].inertia: must be positive semidefinite"},
      {{1, 1, 1, 0, 0, -1.1}, "bodies[0].inertia: must be positive semidefinite"},
      {{1, 1, 2.1, 0, 0, 0}, "bodies[0].inertia: no principal moment may be greater than the sum of the other two"},
      {{2.00002, 1, 1, 0, 0, 0}, "bodies[0].inertia: no principal moment may be greater"},
      {{1, 1, 1, 0, 0.7, 0}, "bodies[0].inertia: no principal moment may be greater"},  // 1.7 > 0.3 + 1
      {{NAN, 1, 1, 0, 0, 0}, "bodies[0].inertia: must be finite"},
      {{1, 1, 1e16, 0, 0, 0}, "bodies[0].inertia: must be <= 1e+15 kg m^2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memcpy(one(&scene, 0, 1)->inertia, cases[i].inertia, sizeof cases[i].inertia);
    scene_refuse(&scene, cases[i].message);
  }
  // rounded numbers of a flat plate, and a rod
  static const double good[][6] = {{2.000001, 1, 1, 0, 0, 0}, {0, 1, 1, 0, 0, 0}, {1, 1, 1, 0.2, 0.2, -0.2}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    memcpy(one(&scene, 0, 1)->inertia, good[i], sizeof good[i]);
    scene_create(&scene);
    scene_end(&scene);
  }
  struct dc_body_definition *body = one(&scene, 0, 1);
  set_inertia(body, 1, 1, 1, 0, 0, 0), body->mass = NAN;
  scene_refuse(&scene, "bodies[0].inertia: must be given together with mass");
  body = one(&scene, 0, 1);
  mechanism_vector(body->center_of_mass, 0, 0, 0), body->mass = NAN, body->density = 1;
  scene_refuse(&scene, "bodies[0].center_of_mass: must be given together with mass");
  body = one(&scene, 0, 1);
  set_inertia(body, 1, 1, 1, 0, 0, 0), body->density = 1;
  scene_refuse(&scene, "bodies[0].mass: must not be given together with density");
  body = one(&scene, 1, 0);
  mechanism_vector(body->center_of_mass, 0, 0, 0), body->mass = 1;
  scene_refuse(&scene, "bodies[0].center_of_mass: must not be given for the half-space \"plane\"");
  one(&scene, -1, 1);
  scene_refuse(&scene, "bodies[0].inertia: must be given, with mass, for a body that moves and has no shape");
  one(&scene, -1, 1)->density = 1;
  scene_refuse(&scene, "bodies[0].mass: must not be given together with density");
  body = one(&scene, 0, 1);
  body->visual = 1;
  scene_refuse(&scene, "bodies[0].visual: must not be the half-space \"plane\"");
}

RUN_TESTS({"given inertia and centre of mass", test_given_inertia}, {"the same body in three ways", test_same_body},
          {"pendulum of numbers", test_pendulum}, {"without shape", test_without_shape}, {"refusals", test_refusals})
