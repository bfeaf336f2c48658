// SPDX-License-Identifier: Apache-2.0
// Bodies: rules of definitions, poses of centres of mass, moves and differences of states.
#include "harness.h"

#include "body/body.h"
#include "fixture.h"
#include "math/vector.h"

static struct dc_arena *arena;

static enum dc_status create(struct dc_bodies *bodies, int count, const struct dc_body_definition *definitions,
                             struct dc_error *error)
{
  return dc_bodies_create(bodies, count, definitions, fixture_shapes, arena, error);
}

// Expects that one definition is refused with a message that begins with start.
static void expect_refusal(int count, const struct dc_body_definition *definitions, const char *start)
{
  struct dc_bodies bodies;
  struct dc_error error = {0};
  CHECK(create(&bodies, count, definitions, &error) == DC_BAD_INPUT, "accepted what should fail with %s", start);
  CHECK(strncmp(error.text, start, strlen(start)) == 0, "\"%s\" instead of \"%s\"", error.text, start);
}

static void test_defaults(void)
{
  arena = dc_arena_create();
  struct dc_body_definition definition = {0};
  CHECK(dc_options_set_defaults(dc_body_options, &definition, arena, NULL) == DC_OK);
  CHECK(isnan(definition.density) && isnan(definition.mass));
  const struct dc_joint_definition *joint = definition.joint.objects;
  CHECK(definition.joint.count == 1 && dc_joint_types[joint->type] == &dc_joint_free, "free");
  CHECK(isnan(joint->axis[0]) && isnan(joint->axis2[0]) && isnan(joint->anchor[0]) && isnan(joint->range[0]), "absent");
  CHECK(isnan(definition.axis[0]) && isnan(definition.anchor[0]) && isnan(definition.range[0]), "absent");
  CHECK(definition.parent == -1 && definition.frame == DC_FRAME_WORLD && definition.filter.collide && !definition.pd,
        "alone");
  CHECK(isnan(definition.surface.friction) && definition.limit_stiffness == 1e-4 && definition.filter.except.count == 0,
        "others");
  CHECK(definition.rotation[0] == 1 && definition.rotation[3] == 0 && definition.color[2] == 0.7);
  int type = dc_option_find(dc_joint_options, "type");
  for (int i = 0; dc_joint_types[i]; i++)
    CHECK(strcmp(dc_joint_options[type].choices[i], dc_joint_types[i]->name) == 0);
  dc_arena_destroy(arena);
}

static void test_mass(void)
{
  arena = dc_arena_create();
  struct dc_body_definition definitions[4];
  definitions[0] = definition_of(arena, "plain", "free", TETRAHEDRON);
  definitions[1] = definition_of(arena, "dense", "free", TETRAHEDRON);
  definitions[1].density = 500;
  definitions[2] = definition_of(arena, "heavy", "free", TETRAHEDRON);
  definitions[2].mass = 2;
  definitions[3] = definition_of(arena, "wall", "fixed", TETRAHEDRON);
  struct dc_bodies bodies;
  CHECK(create(&bodies, 4, definitions, NULL) == DC_OK);
  const double masses[4] = {1000, 500, 2, 0};
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(bodies.bodies[i].mass, masses[i], 0);
    CHECK_NEAR(bodies.bodies[i].second_moment[5], masses[i] * -6.0 / 80, 1e-13 * masses[i]);  // exact
    // the apex (0, 0, 3) is farthest
    CHECK_NEAR(bodies.bodies[i].radius, sqrt(0.25 * 0.25 + 0.5 * 0.5 + 2.25 * 2.25), 1e-15);
  }
  CHECK(bodies.nq == 21 && bodies.nv == 18 && bodies.count == 4);
  CHECK(bodies.bodies[2].q_offset == 14 && bodies.bodies[2].v_offset == 12);
  CHECK(bodies.bodies[3].q_offset == -1 && bodies.bodies[3].v_offset == -1);
  dc_arena_destroy(arena);
}

static void test_rules(void)
{
  arena = dc_arena_create();
  struct dc_body_definition good = definition_of(arena, "a", "free", TETRAHEDRON), bad = good, two[2] = {good, good};
  expect_refusal(2, two, "bodies[1].name: \"a\" is the name of bodies[0] already");
  bad.name = "";
  expect_refusal(1, &bad, "bodies[0].name: must not be empty");
  bad = good, bad.mass = -1;
  expect_refusal(1, &bad, "bodies[0].mass: must be >= 0 kg (is -1)");
  bad = good, bad.mass = 1, bad.density = 1;
  expect_refusal(1, &bad, "bodies[0].mass: must not be given together with density");
  bad = good, bad.rotation[0] = 1.0011;
  expect_refusal(1, &bad, "bodies[0].rotation: must be of unit length");
  bad = good, bad.rotation[0] = NAN;
  expect_refusal(1, &bad, "bodies[0].rotation: must be finite");
  bad = good, bad.position[1] = INFINITY;
  expect_refusal(1, &bad, "bodies[0].position: must be finite");
  bad = good, bad.velocity[1] = 2e5;
  expect_refusal(1, &bad, "bodies[0].velocity: must be <= 100000 m/s");
  bad = definition_of(arena, "a", "free", HALF_SPACE);
  expect_refusal(1, &bad, "bodies[0].joint: must be \"fixed\"");
  bad = definition_of(arena, "a", "fixed", TETRAHEDRON), bad.velocity[2] = 1e-9;
  expect_refusal(1, &bad, "bodies[0].velocity: must be zero");
  bad = definition_of(arena, "a", "fixed", HALF_SPACE), bad.angular_velocity[0] = 1;
  expect_refusal(1, &bad, "bodies[0].angular_velocity: must be zero");

  struct dc_bodies bodies;
  bad = good, bad.rotation[0] = 1.0009;
  CHECK(create(&bodies, 1, &bad, NULL) == DC_OK);
  CHECK(bodies.bodies[0].start.quaternion[0] == 1, "a nearly unit quaternion is normalized");
  CHECK(create(&bodies, 0, NULL, NULL) == DC_OK && bodies.nq == 0 && bodies.count == 0);
  dc_arena_destroy(arena);
}

// The vertices of the shape, placed by the definition, and those of the frame about the centre of mass are the same
// points.
static void test_pose_of_center(void)
{
  arena = dc_arena_create();
  struct dc_random random;
  dc_random_seed(&random, 1);
  static const char *const joints[] = {"free", "fixed"};
  for (int k = 0; k < 2; k++) {
    struct dc_body_definition definition = definition_of(arena, "a", joints[k], TETRAHEDRON);
    random_vector(&random, 3, 2, definition.position);
    random_rotation(&random, definition.rotation);
    struct dc_bodies bodies;
    CHECK(create(&bodies, 1, &definition, NULL) == DC_OK);
    double q[7] = {0}, matrix[9], given[3], placed[3], arm[3];
    struct dc_pose pose;
    dc_initial_state(&bodies, q);
    dc_poses(&bodies, q, &pose);
    dc_rotation_matrix(matrix, definition.rotation);
    for (int v = 0; v < 4; v++) {
      dc_mat_apply(given, matrix, fixture_vertices[v]);
      dc_vec_add(given, given, definition.position);
      dc_vec_sub(arm, fixture_vertices[v], bodies.bodies[0].center);
      dc_mat_apply(placed, pose.rotation, arm);
      dc_vec_add(placed, placed, pose.position);
      CHECK_NEAR(dc_vec_distance(given, placed), 0, 1e-14);  // 5e-16 observed
    }
  }
  struct dc_body_definition ground = definition_of(arena, "ground", "fixed", HALF_SPACE);
  ground.position[2] = -1;
  struct dc_bodies bodies;
  struct dc_pose pose;
  CHECK(create(&bodies, 1, &ground, NULL) == DC_OK);
  dc_poses(&bodies, NULL, &pose);
  CHECK(pose.position[2] == -1 && bodies.bodies[0].radius == 0);
  dc_arena_destroy(arena);
}

static void test_move_and_difference(void)
{
  arena = dc_arena_create();
  struct dc_body_definition definitions[3] = {definition_of(arena, "a", "free", TETRAHEDRON),
                                              definition_of(arena, "wall", "fixed", TETRAHEDRON),
                                              definition_of(arena, "b", "free", TETRAHEDRON)};
  struct dc_bodies bodies;
  CHECK(create(&bodies, 3, definitions, NULL) == DC_OK);
  struct dc_random random;
  dc_random_seed(&random, 2);
  double worst = 0;
  const double sizes[] = {1e-12, 1e-6, 1e-2, 1, 1.8};  // rotations stay below pi
  for (int trial = 0; trial < 50; trial++) {
    double size = sizes[trial % 5], q[14], moved[14], tangent[12], back[12];
    for (int i = 0; i < 14; i += 7) {
      random_vector(&random, 3, 1, q + i);
      random_rotation(&random, q + i + 3);
    }
    random_vector(&random, 12, size, tangent);
    dc_state_move(&bodies, q, 1, tangent, moved);
    dc_state_difference(&bodies, q, moved, back);
    for (int i = 0; i < 12; i++)
      worst = larger(worst, fabs(back[i] - tangent[i]));
    // twice half way, in place, ends at the same state
    dc_state_move(&bodies, q, 0.5, tangent, q);
    dc_state_move(&bodies, q, 0.5, tangent, q);
    dc_state_difference(&bodies, q, moved, back);
    for (int i = 0; i < 12; i++)
      worst = larger(worst, fabs(back[i]));
  }
  CHECK_NEAR(worst, 0, 1e-14);  // 8.2e-16 observed

  // a turn about world z takes body x to world y, whatever the position
  double q[14], twist[12] = {0, 0, 1.5707963267948966}, axis[3];
  dc_initial_state(&bodies, q);
  dc_state_move(&bodies, q, 1, twist, q);
  struct dc_pose poses[3];
  dc_poses(&bodies, q, poses);
  dc_mat_apply(axis, poses[0].rotation, (const double[]){1, 0, 0});
  CHECK_NEAR(axis[1], 1, 1e-15);
  CHECK_NEAR(dc_vec_distance(poses[0].position, bodies.bodies[0].start.position), 0, 0);
  dc_arena_destroy(arena);
}

// Who touches what a joint hangs on, coefficients of pairs, parts of bodies without mass, starts of balls, targets.
static void test_new_options(void)
{
  arena = dc_arena_create();
  struct dc_body_definition d[4];
  struct dc_bodies bodies;
  double velocity[4] = {1, 2, 3, 4}, target[1] = {0.25};
  d[0] = definition_of(arena, "table", "fixed", TETRAHEDRON);
  d[1] = definition_of(arena, "arm", "slide", TETRAHEDRON);
  d[2] = definition_of(arena, "pad", "fixed", TETRAHEDRON);
  d[3] = definition_of(arena, "block", "free", TETRAHEDRON);
  d[1].parent = 0;
  d[2].parent = 1;
  d[2].mass = 0;
  struct dc_pd_definition pd = {.kp = 1, .kp_rotation = NAN, .kd_rotation = NAN, .target = {1, target}};
  d[1].pd = &pd;
  static struct dc_pair_friction other = {.body = 3, .friction = 0.9};
  d[1].surface.friction = 0.4, d[3].surface.friction = 0.1;
  d[1].surface.friction_with = (struct dc_object_list){1, &other};
  CHECK(create(&bodies, 4, d, NULL) == DC_OK, "built");
  CHECK(!dc_bodies_touch(&bodies, 0, 1) && !dc_bodies_touch(&bodies, 0, 2), "joined");
  CHECK(bodies.bodies[2].mass == 0 && bodies.bodies[1].mass == 1000, "a part without mass");
  CHECK(bodies.bodies[1].parts[0].target == 0.25, "target");
  CHECK(dc_bodies_friction_between(&bodies, 3, 1) == 0.9 && isnan(dc_bodies_friction_between(&bodies, 1, 2)), "pair");
  static const double of[2] = {1.6, 0.1}, scale[2] = {4, 1}, bare[2] = {0.4, 0};
  CHECK_NEAR(dc_bodies_pair_friction(&bodies, 1, 3, of, NULL), 0.9, 1e-15);
  CHECK_NEAR(dc_bodies_pair_friction(&bodies, 1, 3, of, scale), 1.8, 1e-15);
  CHECK_NEAR(dc_bodies_pair_friction(&bodies, 1, 3, bare, scale), 1.8, 1e-15);
  CHECK_NEAR(dc_bodies_pair_friction(&bodies, 0, 3, of, scale), 0.4, 1e-15);
  d[1].filter.parent = true;
  CHECK(create(&bodies, 4, d, NULL) == DC_OK, "built");
  CHECK(dc_bodies_touch(&bodies, 0, 1) && dc_bodies_touch(&bodies, 0, 2) && !dc_bodies_touch(&bodies, 1, 2), "touch");
  other.body = 1;
  expect_refusal(4, d, "bodies[1].friction_with: must not name the body itself");
  other.body = 3;
  d[1].mass = 0;
  expect_refusal(4, d, "bodies[1].mass: must be > 0 for a body that moves by itself");
  d[0] = definition_of(arena, "ball", "ball", TETRAHEDRON);
  d[0].joint_velocity = (struct dc_real_list){3, velocity};
  CHECK(create(&bodies, 1, d, NULL) == DC_OK && bodies.bodies[0].start.joint_velocity[2] == 3, "a ball turns");
  ((struct dc_joint_definition *)d[0].joint.objects)->armature = 1;
  expect_refusal(1, d, "bodies[0].joint[0].armature: must not be given for \"ball\"");
  dc_arena_destroy(arena);
}

RUN_TESTS({"pairs, parts, targets", test_new_options}, {"defaults of the option table", test_defaults}, {"mass, moments and layout", test_mass},
          {"rules of definitions", test_rules}, {"pose of the centre of mass", test_pose_of_center},
          {"move and difference are inverse", test_move_and_difference})
