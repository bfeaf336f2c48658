// SPDX-License-Identifier: Apache-2.0
// Joints: definitions, poses against products of 4x4 matrices, layout, moves and differences, starts, what touches.
#include "harness.h"

#include "body/trees.h"

enum { SEEDS = 40 };

static void test_poses(void)
{
  double worst = 0, rotations = 0, start = 0;
  for (int seed = 0; seed < SEEDS; seed++) {
    struct tree tree;
    struct dc_random random;
    tree_begin(&tree, seed);
    dc_random_seed(&random, 100 + (uint64_t)seed);
    for (int trial = 0; trial < 4; trial++) {
      double q[TREE_NUMBERS], center[3], rotation[9];
      struct dc_pose poses[TREE_BODIES];
      if (trial == 0)
        dc_initial_state(&tree.bodies, q);
      else
        tree_random_state(&tree, &random, q);
      dc_poses(&tree.bodies, q, poses);
      for (int i = 0; i < tree.count; i++) {
        tree_pose(&tree, i, q, center, rotation);
        worst = larger(worst, dc_vec_distance(center, poses[i].position));
        for (int k = 0; k < 9; k++)
          rotations = larger(rotations, fabs(rotation[k] - poses[i].rotation[k]));
        if (trial == 0)
          start = larger(start, dc_vec_distance(tree.bodies.bodies[i].start.position, poses[i].position));
      }
    }
    tree_end(&tree);
  }
  CHECK_NEAR(worst, 0, 1e-13);      // 9.7e-15 observed
  CHECK_NEAR(rotations, 0, 1e-13);  // 4.2e-15 observed
  CHECK_NEAR(start, 0, 0);
}

// The coordinate axis after the one nearest to axis, made perpendicular.
static void test_default_axis2(void)
{
  const double axes[4][3] = {{0, 0, 2}, {-3, 1, 0}, {1, 4, 2}, {0.1, 0, -5}};
  const int expected[4] = {0, 1, 2, 0};
  for (int k = 0; k < 4; k++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_body_definition definition = definition_of(arena, "a", "universal", TETRAHEDRON);
    struct dc_joint_definition *joint = definition.joint.objects;
    struct dc_bodies bodies;
    double axis[3], axis2[3] = {0, 0, 0};
    dc_vec_copy(joint->axis, axes[k]);
    CHECK(dc_bodies_create(&bodies, 1, &definition, fixture_shapes, arena, NULL) == DC_OK);
    dc_vec_scale(axis, axes[k], 1 / dc_vec_norm(axes[k]));
    axis2[expected[k]] = 1;
    dc_vec_add_scaled(axis2, axis2, -axis[expected[k]], axis);
    dc_vec_scale(axis2, axis2, 1 / dc_vec_norm(axis2));
    const struct dc_joint_part *parts = bodies.bodies[0].parts;
    CHECK(bodies.bodies[0].part_count == 2 && parts[0].kind == DC_PART_HINGE && parts[1].kind == DC_PART_HINGE);
    CHECK_NEAR(dc_vec_distance(parts[0].axis, axis), 0, 1e-15);
    CHECK_NEAR(dc_vec_distance(parts[1].axis, axis2), 0, 1e-15);
    dc_arena_destroy(arena);
  }
}

// Degrees of freedom are numbered mechanism by mechanism; a body's chain is its parent's and its own.
static void check_layout(const struct tree *tree)
{
  const struct dc_bodies *bodies = &tree->bodies;
  bool q_used[TREE_NUMBERS] = {false}, v_used[TREE_NUMBERS] = {false};
  int next = 0, columns = 0;
  for (int m = 0; m < bodies->mechanism_count; m++) {
    CHECK(bodies->mechanisms[m].v_offset == next && bodies->mechanisms[m].nv > 0, "mechanism %d", m);
    next += bodies->mechanisms[m].nv;
  }
  CHECK(next == bodies->nv, "%d of %d", next, bodies->nv);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    int parent = body->parent, inherited = parent >= 0 ? bodies->bodies[parent].chain_count : 0;
    bool moves = body->nv > 0 || (parent >= 0 && dc_body_moves(&bodies->bodies[parent]));
    CHECK(dc_body_moves(body) == moves, "body %d", i);
    CHECK(moves == (body->mass > 0), "body %d", i);
    CHECK(body->first_column >= 0 && body->chain_count == inherited + body->nv, "body %d", i);
    columns += body->chain_count;
    if (parent >= 0 && dc_body_moves(&bodies->bodies[parent]))
      CHECK(body->mechanism == bodies->bodies[parent].mechanism, "body %d", i);
    for (int k = 0; k < inherited; k++)
      CHECK(body->chain[k] == bodies->bodies[parent].chain[k], "body %d", i);
    if (body->nv == 0) {
      CHECK(body->q_offset == -1 && body->v_offset == -1, "body %d", i);
      continue;
    }
    const struct dc_mechanism *mechanism = &bodies->mechanisms[body->mechanism];
    CHECK(body->v_offset >= mechanism->v_offset && body->v_offset + body->nv <= mechanism->v_offset + mechanism->nv,
          "body %d", i);
    for (int k = 0; k < body->nq; k++) {
      CHECK(!q_used[body->q_offset + k], "q %d", k);
      q_used[body->q_offset + k] = true;
    }
    for (int k = 0; k < body->nv; k++) {
      CHECK(!v_used[body->v_offset + k], "v %d", k);
      v_used[body->v_offset + k] = true;
    }
    for (int p = 0; p < body->part_count; p++)
      for (int k = 0; k < dc_part_nv(&body->parts[p]); k++) {
        int v = body->parts[p].v + k;
        CHECK(v >= body->v_offset && v < body->v_offset + body->nv, "body %d", i);
        CHECK(bodies->part_of[v] == bodies->part_of[body->parts[p].v], "body %d", i);
        CHECK(p == 0 || bodies->part_of[v] != bodies->part_of[body->parts[p - 1].v], "body %d", i);
      }
  }
  CHECK(columns == bodies->column_count, "%d columns", columns);
  for (int k = 0; k < bodies->nq; k++)
    CHECK(q_used[k], "q %d", k);
  for (int k = 0; k < bodies->nv; k++)
    CHECK(v_used[k] && bodies->reach[k] > 0, "v %d", k);
}

static void test_layout(void)
{
  for (int seed = 0; seed < SEEDS; seed++) {
    struct tree tree;
    tree_begin(&tree, seed);
    check_layout(&tree);
    tree_end(&tree);
  }
}

static void test_move_and_difference(void)
{
  double worst = 0;
  for (int seed = 0; seed < SEEDS; seed++) {
    struct tree tree;
    struct dc_random random;
    double q[TREE_NUMBERS], moved[TREE_NUMBERS], tangent[TREE_NUMBERS], back[TREE_NUMBERS];
    tree_begin(&tree, seed);
    int nv = tree.bodies.nv;
    dc_random_seed(&random, 300 + (uint64_t)seed);
    tree_random_state(&tree, &random, q);
    random_vector(&random, nv, 1.7, tangent);
    dc_state_move(&tree.bodies, q, 1, tangent, moved);
    dc_state_difference(&tree.bodies, q, moved, back);
    for (int k = 0; k < nv; k++)
      worst = larger(worst, fabs(back[k] - tangent[k]));
    dc_state_move(&tree.bodies, q, 0.5, tangent, q);  // twice half way, in place
    dc_state_move(&tree.bodies, q, 0.5, tangent, q);
    dc_state_difference(&tree.bodies, q, moved, back);
    for (int k = 0; k < nv; k++)
      worst = larger(worst, fabs(back[k]));
    tree_end(&tree);
  }
  CHECK_NEAR(worst, 0, 1e-14);  // 5.6e-16 observed
}

static enum dc_status create(struct dc_arena *arena, struct dc_bodies *bodies, int count,
                             const struct dc_body_definition *definitions, struct dc_error *error)
{
  return dc_bodies_create(bodies, count, definitions, fixture_shapes, arena, error);
}

static struct dc_real_list numbers(struct dc_arena *arena, int count, const double *values)
{
  struct dc_real_list list = {count, dc_arena_alloc(arena, (size_t)count, sizeof *values)};
  memcpy(list.values, values, (size_t)count * sizeof *values);
  return list;
}

// Coordinates and velocities of slides and hinges in their order; a start at an end of its range is moved inside by a
// hundredth of it.
static void test_start(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_body_definition definitions[2] = {definition_of(arena, "a", "slide ball universal", TETRAHEDRON),
                                              definition_of(arena, "b", "hinge", TETRAHEDRON)};
  struct dc_joint_definition *joints = definitions[0].joint.objects;
  double q[9], velocity[7];
  struct dc_bodies bodies;
  definitions[1].parent = 0;
  joints[0].range[0] = -2, joints[0].range[1] = 3;
  definitions[0].joint_position = numbers(arena, 3, (const double[]){3, 0.4, -0.7});
  definitions[0].joint_velocity = numbers(arena, 3, (const double[]){0.1, 0.2, 0.3});
  definitions[1].range[0] = 0.5, definitions[1].range[1] = 1.5;
  definitions[1].joint_position = numbers(arena, 1, (const double[]){0.505});
  CHECK(create(arena, &bodies, 2, definitions, NULL) == DC_OK);
  CHECK(bodies.nq == 8 && bodies.nv == 7, "%d, %d", bodies.nq, bodies.nv);
  CHECK(strcmp(bodies.bodies[0].joint_name, "composite") == 0 && strcmp(bodies.bodies[1].joint_name, "hinge") == 0);
  dc_initial_state(&bodies, q);
  dc_initial_velocity(&bodies, velocity);
  const double expected_q[8] = {3 - 0.05, 1, 0, 0, 0, 0.4, -0.7, 0.51},
               expected_velocity[7] = {0.1, 0, 0, 0, 0.2, 0.3, 0};
  for (int k = 0; k < 8; k++)
    CHECK_NEAR(q[k], expected_q[k], 1e-15);
  for (int k = 0; k < 7; k++)
    CHECK_NEAR(velocity[k], expected_velocity[k], 0);
  CHECK(isinf(bodies.bodies[0].parts[1].range[1]) && isinf(bodies.bodies[0].parts[2].range[0]), "only the slide's");
  struct dc_pose poses[2];
  dc_poses(&bodies, q, poses);  // the places that bodies report are those at the start
  for (int i = 0; i < 2; i++)
    CHECK_NEAR(dc_vec_distance(poses[i].position, bodies.bodies[i].start.position), 0, 0);
  definitions[0] = definition_of(arena, "a", "free", TETRAHEDRON);
  definitions[0].velocity[1] = 4, definitions[0].angular_velocity[2] = 5;
  CHECK(create(arena, &bodies, 2, definitions, NULL) == DC_OK);
  dc_initial_velocity(&bodies, velocity);
  CHECK(velocity[4] == 4 && velocity[2] == 5 && velocity[0] == 0 && velocity[6] == 0, "free");
  dc_arena_destroy(arena);
}

static void test_actuators(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_pd_definition pd;
  CHECK(dc_options_set_defaults(dc_pd_options, &pd, arena, NULL) == DC_OK);
  CHECK(pd.kd == 0 && isnan(pd.kp_rotation) && isnan(pd.kd_rotation), "defaults");
  pd.kp = 10, pd.kd = 2, pd.kd_rotation = 0.5;
  struct dc_body_definition definitions[3] = {definition_of(arena, "a", "slide ball", TETRAHEDRON),
                                              definition_of(arena, "b", "hinge", TETRAHEDRON),
                                              definition_of(arena, "c", "planar", TETRAHEDRON)};
  definitions[0].pd = definitions[2].pd = &pd;
  struct dc_bodies bodies;
  CHECK(create(arena, &bodies, 3, definitions, NULL) == DC_OK);
  CHECK(bodies.actuator_count == 7 && bodies.bodies[0].actuator == 0 && bodies.bodies[1].actuator == -1 &&
            bodies.bodies[2].actuator == 4,
        "%d", bodies.actuator_count);
  CHECK(!bodies.bodies[1].pd && bodies.bodies[2].pd->kp_rotation == 10 && bodies.bodies[2].pd->kd_rotation == 0.5,
        "gains of angles");
  dc_arena_destroy(arena);
}

// A damper of moves and turns slows both alike; gains of angles that are given, springs and hinges keep theirs.
static void test_dampers(void)
{
  struct dc_body body = {.mass = 2, .second_moment = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}};
  const struct dc_joint_part both[] = {{.kind = DC_PART_TRANSLATION}, {.kind = DC_PART_BALL}};
  struct dc_pd_definition free = {.kd = 3, .kp_rotation = NAN, .kd_rotation = NAN}, spring = free, given = free,
                          hinge = free;
  body.parts = both, body.part_count = 2;
  dc_pd_settle(&free, &body);
  CHECK_NEAR(free.kd_rotation, 3 * 0.2 / 2, 1e-15);  // I = 0.2 about every axis
  spring.kp = 1;
  dc_pd_settle(&spring, &body);
  CHECK(spring.kp_rotation == 1 && spring.kd_rotation == 3, "a spring: %g", spring.kd_rotation);
  given.kd_rotation = 0.7;
  dc_pd_settle(&given, &body);
  CHECK(given.kd_rotation == 0.7, "given: %g", given.kd_rotation);
  body.parts = both + 1, body.part_count = 1;
  dc_pd_settle(&hinge, &body);
  CHECK(hinge.kd_rotation == 3, "nothing but turns: %g", hinge.kd_rotation);
}

static void test_touching(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_bodies bodies;
  enum { TOOL, BASE, LOWER, FREE, HAND, UPPER, WALL, COUNT };  // parents before and after
  struct dc_body_definition definitions[COUNT] = {[BASE] = definition_of(arena, "base", "fixed", TETRAHEDRON),
                                                  [WALL] = definition_of(arena, "wall", "fixed", HALF_SPACE),
                                                  [UPPER] = definition_of(arena, "upper", "hinge", TETRAHEDRON),
                                                  [LOWER] = definition_of(arena, "lower", "hinge", TETRAHEDRON),
                                                  [HAND] = definition_of(arena, "hand", "fixed", TETRAHEDRON),
                                                  [TOOL] = definition_of(arena, "tool", "slide", TETRAHEDRON),
                                                  [FREE] = definition_of(arena, "free", "free", TETRAHEDRON)};
  definitions[WALL].parent = BASE;
  definitions[UPPER].parent = BASE;
  definitions[LOWER].parent = UPPER;
  definitions[HAND].parent = LOWER;
  definitions[TOOL].parent = HAND;
  const bool touch[COUNT][COUNT] = {[BASE] = {[LOWER] = true, [HAND] = true, [TOOL] = true, [FREE] = true},
                                    [WALL] = {[LOWER] = true, [HAND] = true, [TOOL] = true, [FREE] = true},
                                    [UPPER] = {[TOOL] = true, [FREE] = true},
                                    [LOWER] = {[FREE] = true},
                                    [HAND] = {[FREE] = true},
                                    [TOOL] = {[FREE] = true}};
  CHECK(create(arena, &bodies, COUNT, definitions, NULL) == DC_OK);
  for (int a = 0; a < COUNT; a++)
    for (int b = 0; b < COUNT; b++)
      CHECK(dc_bodies_touch(&bodies, a, b) == (touch[a][b] || touch[b][a]), "%s and %s", definitions[a].name,
            definitions[b].name);
  int except = FREE;
  definitions[TOOL].filter.except = (struct dc_index_list){1, &except};
  definitions[LOWER].filter.collide = false;
  CHECK(create(arena, &bodies, COUNT, definitions, NULL) == DC_OK);
  for (int a = 0; a < COUNT; a++)
    for (int b = 0; b < COUNT; b++) {
      bool filtered = a == LOWER || b == LOWER || (a == TOOL && b == FREE) || (a == FREE && b == TOOL);
      CHECK(dc_bodies_touch(&bodies, a, b) == ((touch[a][b] || touch[b][a]) && !filtered), "%s and %s",
            definitions[a].name, definitions[b].name);
    }
  dc_arena_destroy(arena);
}

// A rigid chain whose children come before their parents takes memory and time in proportion to its length.
static void test_long_chain(void)
{
  enum { LENGTH = 100000 };
  struct dc_arena *arena = dc_arena_create();
  struct dc_body_definition *definitions = dc_arena_alloc(arena, LENGTH, sizeof *definitions);
  struct dc_body_definition link = definition_of(arena, "", "fixed", TETRAHEDRON);
  struct dc_bodies bodies;
  struct dc_error error = {0};
  for (int i = 0; i < LENGTH; i++) {
    definitions[i] = link;
    definitions[i].name = dc_arena_printf(arena, "link%d", i);
    definitions[i].parent = i + 1 < LENGTH ? i + 1 : -1;
  }
  CHECK(create(arena, &bodies, LENGTH, definitions, &error) == DC_OK, "%s", error.text);
  for (int i = 0; i < LENGTH; i++)
    if (bodies.order[i] != LENGTH - 1 - i) {
      CHECK(false, "body %d in place %d", bodies.order[i], i);
      break;
    }
  CHECK(!dc_bodies_touch(&bodies, 0, LENGTH - 1), "nothing moves");
  dc_arena_destroy(arena);
}

static struct dc_arena *rules;

// Expects that the definitions are refused with a message that begins with start.
static void refused(int count, const struct dc_body_definition *definitions, const char *start)
{
  struct dc_bodies bodies;
  struct dc_error error = {0};
  CHECK(create(rules, &bodies, count, definitions, &error) == DC_BAD_INPUT, "accepted what should fail with %s", start);
  CHECK(strncmp(error.text, start, strlen(start)) == 0, "\"%s\" instead of \"%s\"", error.text, start);
}

static struct dc_body_definition body_on(const char *joints)
{
  return definition_of(rules, "a", joints, TETRAHEDRON);
}

static struct dc_joint_definition *joint_of(struct dc_body_definition *definition, int k)
{
  return (struct dc_joint_definition *)definition->joint.objects + k;
}

static void test_rules_of_trees(void)
{
  rules = dc_arena_create();
  struct dc_body_definition three[3] = {body_on("hinge"), body_on("hinge"), body_on("hinge")};
  three[1].name = "b", three[2].name = "c";
  three[0].parent = 0;
  refused(1, three, "bodies[0].parent: must be another body");
  three[0].parent = 3;
  refused(3, three, "bodies[0].parent: must be another body");
  three[0].parent = -1, three[1].parent = 2, three[2].parent = 1;
  refused(3, three, "bodies[1].parent: must not lead back to the body itself");
  three[0].parent = 2, three[1].parent = 2, three[2].parent = 1;  // the first only leads to the loop
  refused(3, three, "bodies[2].parent: must not lead back to the body itself");
  three[0].parent = -1;
  three[1] = body_on("free"), three[1].name = "b", three[1].parent = 0, three[2].parent = -1;
  refused(3, three, "bodies[1].joint: a body with a parent must not be \"free\"");
  three[1] = body_on("hinge"), three[1].name = "b", three[1].frame = DC_FRAME_PARENT;
  refused(3, three, "bodies[1].frame: must be \"world\" for a body without parent");
  three[1] = body_on("hinge"), three[1].name = "b", three[1].velocity[0] = 1;
  refused(3, three, "bodies[1].velocity: must be zero for a body that is not free");
  three[1] = body_on("hinge"), three[1].name = "b", three[1].angular_velocity[0] = 1;
  refused(3, three, "bodies[1].angular_velocity: must be zero for a body that is not free");
  three[1] = definition_of(rules, "b", "fixed", HALF_SPACE), three[1].parent = 0;
  refused(3, three, "bodies[1].joint: must be \"fixed\" for the half-space");
  dc_arena_destroy(rules);
}

static void test_rules_of_joints(void)
{
  rules = dc_arena_create();
  struct dc_body_definition bad = body_on("hinge");
  bad.joint.count = 0;
  refused(1, &bad, "bodies[0].joint: must hold at least one joint");
  bad = body_on("slide free");
  refused(1, &bad, "bodies[0].joint[1]: a \"free\" joint must stand alone");
  bad = body_on("fixed hinge");
  refused(1, &bad, "bodies[0].joint[0]: a \"fixed\" joint must stand alone");
  bad = body_on("hinge"), joint_of(&bad, 0)->type = 7;
  refused(1, &bad, "bodies[0].joint[0].type: must be");
  bad = body_on("hinge"), memset(joint_of(&bad, 0)->axis, 0, sizeof(double[3]));
  refused(1, &bad, "bodies[0].joint[0].axis: must not be zero");
  bad = body_on("hinge"), memset(bad.axis, 0, sizeof bad.axis);
  refused(1, &bad, "bodies[0].axis: must not be zero");
  bad = body_on("slide hinge"), memset(joint_of(&bad, 1)->axis, 0, sizeof(double[3])), joint_of(&bad, 1)->axis[1] = NAN;
  refused(1, &bad, "bodies[0].joint[1].axis: must be finite");
  bad = body_on("ball"), bad.axis[0] = bad.axis[1] = bad.axis[2] = 1;
  refused(1, &bad, "bodies[0].axis: must not be given without a joint that has one");
  bad = body_on("ball"), memset(joint_of(&bad, 0)->axis, 0, sizeof(double[3]));
  refused(1, &bad, "bodies[0].joint[0].axis: must not be given for \"ball\"");
  bad = body_on("hinge"), memset(joint_of(&bad, 0)->axis2, 0, sizeof(double[3]));
  refused(1, &bad, "bodies[0].joint[0].axis2: must not be given for \"hinge\"");
  bad = body_on("universal"), memset(joint_of(&bad, 0)->axis2, 0, sizeof(double[3])), joint_of(&bad, 0)->axis2[2] = -2;
  refused(1, &bad, "bodies[0].joint: axis2 must not be parallel to axis");
  bad = body_on("free"), memset(joint_of(&bad, 0)->anchor, 0, sizeof(double[3]));
  refused(1, &bad, "bodies[0].joint[0].anchor: must not be given for \"free\"");
  bad = body_on("fixed"), memset(bad.anchor, 0, sizeof bad.anchor);
  refused(1, &bad, "bodies[0].anchor: must not be given for \"fixed\"");
  dc_arena_destroy(rules);
}

static void test_rules_of_coordinates(void)
{
  rules = dc_arena_create();
  struct dc_body_definition bad = body_on("hinge");
  bad.range[0] = 1, bad.range[1] = 1;
  refused(1, &bad, "bodies[0].joint[0].range: must be [low, high] with low < high");
  bad = body_on("slide hinge"), joint_of(&bad, 1)->range[0] = 1, joint_of(&bad, 1)->range[1] = -1;
  refused(1, &bad, "bodies[0].joint[1].range: must be [low, high] with low < high");
  bad = body_on("hinge"), bad.range[0] = -1, bad.range[1] = NAN;
  refused(1, &bad, "bodies[0].range: must be finite");
  bad = body_on("universal"), joint_of(&bad, 0)->range[0] = -1, joint_of(&bad, 0)->range[1] = 1;
  refused(1, &bad, "bodies[0].joint[0].range: must not be given for \"universal\"");
  bad = body_on("ball"), bad.range[0] = -1, bad.range[1] = 1;
  refused(1, &bad, "bodies[0].range: must not be given without a hinge or slide");
  bad = body_on("hinge"), bad.range[0] = 0.25, bad.range[1] = 1;
  refused(1, &bad, "bodies[0].joint_position: 0 is outside of the range [0.25, 1]");
  bad.joint_position = numbers(rules, 1, (const double[]){1.5});
  refused(1, &bad, "bodies[0].joint_position: 1.5 is outside of the range [0.25, 1]");
  bad = body_on("hinge ball slide"), bad.joint_position = numbers(rules, 1, (const double[]){1.5});
  refused(1, &bad, "bodies[0].joint_position: must hold 2 numbers, one per slide and hinge (holds 1)");
  bad = body_on("free"), bad.joint_velocity = numbers(rules, 1, (const double[]){1.5});
  refused(1, &bad, "bodies[0].joint_velocity: must hold 0 numbers, one per slide and hinge (holds 1)");
  bad = body_on("hinge"), bad.joint_velocity = numbers(rules, 1, (const double[]){INFINITY});
  refused(1, &bad, "bodies[0].joint_velocity: must be finite");
  struct dc_pd_definition pd = {.kp = 1, .kp_rotation = NAN, .kd_rotation = NAN};
  bad = body_on("fixed"), bad.pd = &pd;
  refused(1, &bad, "bodies[0].pd: must not be given for a fixed joint");
  bad = body_on("hinge"), bad.pd = &pd, pd.kp = -1;
  refused(1, &bad, "bodies[0].pd.kp: must be >= 0");
  dc_arena_destroy(rules);
}

RUN_TESTS({"poses of random trees", test_poses}, {"default second axis", test_default_axis2},
          {"layout of random trees", test_layout}, {"move and difference are inverse", test_move_and_difference},
          {"starts", test_start}, {"actuators", test_actuators}, {"dampers", test_dampers},
          {"what touches", test_touching}, {"long chain", test_long_chain}, {"rules of trees", test_rules_of_trees},
          {"rules of joints", test_rules_of_joints}, {"rules of coordinates", test_rules_of_coordinates})
