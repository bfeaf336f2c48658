// SPDX-License-Identifier: Apache-2.0
// Models drawn at random: masses, frames, kinetic energies and weights are MuJoCo's, and so is a second of motion; what
// is exported as MJCF or URDF and included again falls alike.  DCSIM_TREES=N draws N instead of a few;
// DCSIM_MJCF_FILES="A.xml B.xml" compares files that MuJoCo reads, too.
#include <config.h>

#include "harness.h"

#ifdef DC_MUJOCO

#include <png.h>

#include "dynamics/rollout.h"
#include "dynamics/trajectory.h"
#include "io/robot/model_export.h"
#include "mjcf_fixture.h"
#include "mjcf_kinds.h"
#include "mjcf_trees.h"

static int count_of(int usual)
{
  const char *given = getenv("DCSIM_TREES");
  return given ? atoi(given) : usual;
}

static bool open_tree(struct pair *pair, struct mjcf_tree *tree, unsigned long seed, double step, bool plain)
{
  draw_tree(tree, seed, step, plain);
  write_bytes("model.xml", tree->text, strlen(tree->text));
  open_files(pair, "model.xml", "model.xml", ", 'keyframe': 'k'");
  return pair->scene && pair->model;
}

static void test_frames(void)
{
  static struct mjcf_tree tree;
  for (int i = 0; i < count_of(12); i++) {
    struct pair pair;
    char name[40];
    snprintf(name, sizeof name, "tree %d", i);
    if (open_tree(&pair, &tree, (unsigned long)i + 1, 0.001, false))
      compare_models(&pair, name);
    close_pair(&pair);
  }
}

// Bodies that only slide along the axes of the world, one with several joints: MuJoCo keeps their masses ready.
static void test_sliders(void)
{
  static const char text[] =
      "<mujoco><default><joint armature='0.04' damping='1'/></default><worldbody>"
      "<body name='a' pos='0 0 1'><joint type='slide' axis='0 1 0'/><joint type='slide' axis='1 0 0'/>"
      "<geom size='.05' density='1'/></body>"
      "<body name='b' pos='1 0 1'><joint type='slide' axis='0 0 1'/><geom size='.1 .1 .1' type='box'/></body>"
      "<body name='c' pos='2 0 1'><joint axis='0 1 0'/><geom size='.1' fromto='0 0 0 .3 0 0' type='capsule'/></body>"
      "</worldbody></mujoco>";
  struct pair pair;
  write_bytes("model.xml", text, sizeof text - 1);
  open_files(&pair, "model.xml", "model.xml", "");
  compare_models(&pair, "sliders");
  close_pair(&pair);
}

// Runs a model of a scene and returns its trajectory.
static struct dc_trajectory *run(struct dc_model *model, int steps, double step, bool second_order)
{
  struct dc_error error = {0};
  model->definition.time.step = step;
  model->definition.time.integrator = second_order;
  struct dc_rollout *rollout = dc_rollout_create(model, &error);
  struct dc_rollout_input *input = dc_rollout_input_create(model, steps);
  struct dc_trajectory *trajectory = dc_trajectory_create(model, steps);
  CHECK(rollout && input && trajectory, "%s", error.text);
  if (rollout && !second_order)
    dc_rollout_set_tight(rollout, true);
  CHECK(dc_rollout_forward(rollout, input, trajectory, &error) == DC_OK, "%s", error.text);
  dc_rollout_input_destroy(input);
  dc_rollout_destroy(rollout);
  return trajectory;
}

static const struct dc_pose *last_poses(const struct dc_trajectory *trajectory, int steps)
{
  return trajectory->poses + (size_t)steps * (size_t)trajectory->bodies;
}

// Poses [bodies] after a second by steps of second order.  Forces of ties are those at the end of a step, so that what
// they do is of first order: their poses are extrapolated from those of two steps.
static void move_a_second(struct dc_model *model, struct dc_pose *poses)
{
  const int steps = model->definition.tie_count ? 1000 : 500;
  struct dc_trajectory *trajectory = run(model, steps, 1.0 / steps, true);
  memcpy(poses, last_poses(trajectory, steps), (size_t)model->bodies.count * sizeof *poses);
  dc_trajectory_destroy(trajectory);
  if (!model->definition.tie_count)
    return;
  trajectory = run(model, 2 * steps, 0.5 / steps, true);
  const struct dc_pose *finer = last_poses(trajectory, 2 * steps);
  for (int i = 0; i < model->bodies.count; i++) {
    for (int k = 0; k < 3; k++)
      poses[i].position[k] = 2 * finer[i].position[k] - poses[i].position[k];
    for (int k = 0; k < 9; k++)
      poses[i].rotation[k] = 2 * finer[i].rotation[k] - poses[i].rotation[k];
  }
  dc_trajectory_destroy(trajectory);
}

// A second: every body's centre of mass is within 1 % of its way, and of what it turns.
static void compare_motion(struct pair *pair, const char *name)
{
  const struct dc_bodies *bodies = &pair->scene->model.bodies;
  mjModel *model = pair->model;
  mjData *data = mj_makeData(model);
  struct dc_pose poses[MOST_BODIES];
  CHECK(bodies->count <= MOST_BODIES, "%d bodies", bodies->count);
  move_a_second(&pair->scene->model, poses);
  double way[MOST_BODIES] = {0}, spin[MOST_BODIES] = {0};
  mj_resetDataKeyframe(model, data, 0);
  for (long k = 0, count = (long)(1 / model->opt.timestep + 0.5); k < count; k++) {
    mj_step(model, data);
    for (int b = 0; b < model->nbody && b < MOST_BODIES; b++) {
      double velocity[6];
      mj_objectVelocity(model, data, mjOBJ_BODY, b, velocity, 0);
      way[b] += dc_vec_norm(velocity + 3) * model->opt.timestep;
      spin[b] += dc_vec_norm(velocity) * model->opt.timestep;
    }
  }
  mj_forward(model, data);
  for (int i = 0; i < bodies->count; i++) {
    int id = mj_name2id(model, mjOBJ_BODY, bodies->bodies[i].name);
    double off = dc_vec_distance(poses[i].position, data->xipos + 3 * id), turned = 0;
    if (id <= 0)
      continue;
    for (int k = 0; k < 9; k++)
      turned = larger(turned, fabs(poses[i].rotation[k] - data->xmat[9 * id + k]));
    CHECK(off <= 0.01 * way[id] + 1e-6, "%s: %s is off by %g of %g m", name, bodies->bodies[i].name, off, way[id]);
    CHECK(turned <= 0.01 * larger(spin[id], 0.1), "%s: %s is turned by %g of %g", name, bodies->bodies[i].name, turned,
          spin[id]);
  }
  mj_deleteData(data);
}

// Joints and actuators act together: springs with references, damping, rotors, constant and proportional bias,
// gears, controls and velocities of a keyframe, a tendon of one joint with a motor.
static void test_driven(void)
{
  static const char text[] =
      "<mujoco><option timestep='0.0005'/><default><joint armature='0.1' damping='0.3'/></default><worldbody>"
      "<body name='a' pos='0 0 1'><joint name='j' type='slide' axis='0 0 1' armature='2' springref='.2' "
      "stiffness='10'/>"
      "<geom size='.1' mass='1'/></body>"
      "<body name='b' pos='1 0 1'><joint name='k' axis='0 1 0' pos='0 0 .5' ref='.3' stiffness='2'/>"
      "<geom size='.05' mass='.2'/><body name='c' pos='.3 0 0'><joint name='l' axis='1 0 1' damping='.1'/>"
      "<geom type='capsule' fromto='0 0 0 .2 .1 0' size='.03' mass='.3'/></body></body>"
      "<body name='d' pos='3 0 1'><joint name='m' type='ball' armature='0' damping='.05' stiffness='.4'/>"
      "<geom type='box' pos='.1 0 0' size='.2 .1 .05' mass='1'/></body></worldbody>"
      "<tendon><fixed name='t'><joint joint='l' coef='-2'/></fixed></tendon>"
      "<actuator><general joint='j' gainprm='5' biastype='affine' biasprm='-2 -5 -1' gear='1.5'/>"
      "<position joint='k' kp='3' gear='.5'/><motor tendon='t' gear='.3'/></actuator>"
      "<keyframe><key name='k' qpos='.1 .5 -.2 1 0 0 0' qvel='.3 -1 2 .5 .4 -.3' ctrl='.5 -.4 "
      ".3'/></keyframe></mujoco>";
  struct pair pair;
  write_bytes("model.xml", text, sizeof text - 1);
  open_files(&pair, "model.xml", "model.xml", ", 'keyframe': 'k'");
  if (pair.scene && pair.model)
    compare_motion(&pair, "driven");
  close_pair(&pair);
}

// Springs by time constants on a hinge, a slide and a ball of one chain; primitives fitted to a mesh.
static void test_springs(void)
{
  static const char text[] =
      "<mujoco><option timestep='0.0005' gravity='1 2 -3'><flag contact='disable'/></option><asset><mesh name='m' "
      "vertex='0 0 0 .1 0 0 0 .2 0 0 0 .3 .1 .1 .1'/></asset><worldbody><body name='a' pos='0 0 1'>"
      "<joint springdamper='.1 .5' axis='0 1 0' armature='.01'/><geom type='capsule' fromto='0 0 0 .2 0 .1' "
      "size='.02'/>"
      "<body name='b' pos='.2 0 .1' euler='10 20 30'><joint type='slide' springdamper='.2 1' axis='1 1 0'/>"
      "<geom type='box' mesh='m' pos='1 2 3' euler='10 20 30' fitscale='.5'/><body name='c' pos='.1 0 .1'>"
      "<joint type='ball' springdamper='.2 1' pos='.01 .02 .03'/><geom type='box' size='.02 .03 .05' pos='.1 0 0'/>"
      "</body></body></body></worldbody><keyframe><key name='k' qvel='1 .5 -.3 .4 .2'/></keyframe></mujoco>";
  struct pair pair;
  write_bytes("model.xml", text, sizeof text - 1);
  open_files(&pair, "model.xml", "model.xml", ", 'keyframe': 'k'");
  if (pair.scene && pair.model)
    compare_motion(&pair, "springs");
  close_pair(&pair);
  static const char *const kinds[] = {"sphere", "box", "cylinder", "capsule", "ellipsoid"};
  for (int k = 0; k < 5; k++) {
    char fitted[700];
    snprintf(fitted, sizeof fitted,
             "<mujoco><asset><mesh name='m' vertex='0 0 0 .1 0 0 0 .2 0 0 0 .3 .1 .1 .1'/></asset><worldbody><body "
             "name='a' pos='0 0 1'><freejoint/><geom type='%s' mesh='m' pos='1 2 3' euler='10 20 30'/></body>"
             "</worldbody></mujoco>",
             kinds[k]);
    write_bytes("model.xml", fitted, strlen(fitted));
    open_files(&pair, "model.xml", "model.xml", "");
    CHECK(pair.scene && pair.model, "%s", kinds[k]);
    if (pair.scene && pair.model)
      CHECK_NEAR(pair.scene->model.bodies.bodies[0].mass, pair.model->body_mass[1], 1e-6 * pair.model->body_mass[1]);
    close_pair(&pair);
  }
}

// Heights of a binary file, of a gray image and of a coloured one are MuJoCo's, point for point.
static void test_fields(void)
{
  enum { ROWS = 3, COLUMNS = 4, COUNT = ROWS * COLUMNS };
  struct {
    int rows, columns;
    float values[COUNT];
  } file = {ROWS, COLUMNS, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}};
  unsigned char pixels[COUNT];
  for (int i = 0; i < COUNT; i++)
    pixels[i] = (unsigned char)(10 + 20 * ((7 * i) % COUNT));
  png_image image = {.version = PNG_IMAGE_VERSION, .width = COLUMNS, .height = ROWS, .format = PNG_FORMAT_GRAY};
  write_bytes("heights.bin", (const char *)&file, sizeof file);
  CHECK(png_image_write_to_file(&image, "heights.png", 0, pixels, 0, NULL), "%s", image.message);
  unsigned char colors[COUNT][4];
  for (int i = 0; i < COUNT; i++)
    memcpy(colors[i], (unsigned char[4]){pixels[i], (unsigned char)(3 * i), 200, (unsigned char)(90 + 5 * i)}, 4);
  image.format = PNG_FORMAT_RGBA;
  CHECK(png_image_write_to_file(&image, "colors.png", 0, colors, 0, NULL), "%s", image.message);
  static const char *const names[] = {"heights.bin", "heights.png", "colors.png"};
  for (int k = 0; k < 3; k++) {
    struct pair pair;
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><asset><hfield name='h' file='%s' size='2 3 .5 .25'/></asset><worldbody><geom name='g' "
             "type='hfield' hfield='h' pos='1 0 0'/><body name='b' pos='0 0 2'><freejoint/><geom size='.1'/></body>"
             "</worldbody></mujoco>",
             names[k]);
    write_bytes("model.xml", text, strlen(text));
    open_files(&pair, "model.xml", "model.xml", "");
    CHECK(pair.scene && pair.model, "%s", names[k]);
    int body = pair.scene ? body_called(&pair.scene->model.bodies, "g") : -1;
    CHECK(body >= 0, "%s", names[k]);
    const struct dc_shape *shape = body >= 0 ? pair.scene->model.bodies.bodies[body].shape : NULL;
    for (int i = 0; shape && pair.model && i < COUNT; i++) {
      const double *vertex = shape->mesh.vertices[i];
      CHECK_NEAR(vertex[2], 0.5 * (double)pair.model->hfield_data[i], 1e-7);
      CHECK_NEAR(vertex[0], -2 + 4.0 * (i % COLUMNS) / (COLUMNS - 1), 1e-15);
      CHECK_NEAR(vertex[1], -3 + 6.0 * (i / COLUMNS) / (ROWS - 1), 1e-15);
    }
    close_pair(&pair);
  }
}

// Meshes have vertices of single precision in MuJoCo.
static void compare_masses(const struct pair *pair, const char *name)
{
  const struct dc_bodies *bodies = &pair->scene->model.bodies;
  for (int i = 0; i < bodies->count; i++) {
    int id = mj_name2id(pair->model, mjOBJ_BODY, bodies->bodies[i].name);
    if (id > 0 && dc_body_moves(&bodies->bodies[i]))
      CHECK(fabs(bodies->bodies[i].mass / pair->model->body_mass[id] - 1) < 1e-6, "%s: %s has %g of %g kg", name,
            bodies->bodies[i].name, bodies->bodies[i].mass, pair->model->body_mass[id]);
  }
}

// Masses and a second of motion of models of every kind.
static void test_kinds(void)
{
  for (size_t i = 0; i < sizeof mjcf_kinds / sizeof mjcf_kinds[0]; i++) {
    const struct mjcf_kind *kind = &mjcf_kinds[i];
    const char *same = kind->same ? kind->same : kind->text;
    struct pair pair;
    write_bytes("model.xml", kind->text, strlen(kind->text));
    write_bytes("same.xml", same, strlen(same));
    open_files(&pair, "same.xml", "model.xml", strstr(kind->text, "<key ") ? ", 'keyframe': 'k'" : "");
    CHECK(pair.scene && pair.model, "%s", kind->name);
    if (pair.scene && pair.model) {
      compare_masses(&pair, kind->name);
      compare_motion(&pair, kind->name);
    }
    close_pair(&pair);
  }
}

static void test_motion(void)
{
  static struct mjcf_tree tree;
  for (int i = 0; i < count_of(6); i++) {
    struct pair pair;
    char name[40];
    snprintf(name, sizeof name, "tree %d", i);
    if (open_tree(&pair, &tree, (unsigned long)i + 1, 0.0005, false))
      compare_motion(&pair, name);
    close_pair(&pair);
  }
}

// Both scenes run for a fifth of a second; bodies go by their names.
static void compare_falls(struct dc_scene *first, struct dc_scene *second, double tolerance, const char *name)
{
  enum { STEPS = 100 };
  struct dc_trajectory *a = run(&first->model, STEPS, 0.002, false), *b = run(&second->model, STEPS, 0.002, false);
  const struct dc_pose *at = last_poses(a, STEPS), *also = last_poses(b, STEPS);
  for (int i = 0; i < first->model.bodies.count; i++) {
    const struct dc_body *body = &first->model.bodies.bodies[i];
    int same = body_called(&second->model.bodies, body->name);
    CHECK(same >= 0 || !dc_body_moves(body), "%s: %s", name, body->name);
    if (same < 0 || !dc_body_moves(body))
      continue;
    double off = dc_vec_distance(at[i].position, also[same].position);
    for (int k = 0; k < 9; k++)
      off = larger(off, fabs(at[i].rotation[k] - also[same].rotation[k]));
    CHECK(off <= tolerance, "%s: %s is %g off", name, body->name, off);
  }
  dc_trajectory_destroy(a);
  dc_trajectory_destroy(b);
}

static void test_again(void)
{
  static struct mjcf_tree tree;
  for (int i = 0; i < count_of(10); i++) {
    struct pair pair;
    struct dc_scene *again = NULL;
    struct dc_error error = {0};
    char name[40];
    snprintf(name, sizeof name, "tree %d", i);
    if (open_tree(&pair, &tree, (unsigned long)i + 1, 0.001, false)) {
      struct dc_notes notes = {.arena = pair.arena};
      CHECK(dc_model_write_mjcf(&pair.scene->model, "m", "again.xml", &notes, &error) == DC_OK, "%s", error.text);
      write_scene("again.json",
                  "{'contact': {'model': 'bsh'}, " TIME ", 'include': {'file': 'again.xml', 'keyframe': 'start'}}");
      CHECK(dc_scene_read("again.json", NULL, &again, &error) == DC_OK, "%s: %s", name, error.text);
      if (again)
        compare_falls(pair.scene, again, 1e-9, name);
      dc_scene_destroy(again);
    }
    close_pair(&pair);
  }
}

// URDF has no gravity, no velocities and no contact between none: the scene says the first, and nothing moves at first.
static void test_urdf_again(void)
{
  static struct mjcf_tree tree;
  for (int i = 0; i < count_of(10); i++) {
    struct pair pair;
    struct dc_scene *again = NULL;
    struct dc_error error = {0};
    char name[40];
    snprintf(name, sizeof name, "plain tree %d", i);
    memset(&tree, 0, sizeof tree);
    if (open_tree(&pair, &tree, (unsigned long)i + 1, 0.001, true)) {
      struct dc_notes notes = {.arena = pair.arena};
      const double *gravity = pair.scene->definition.gravity;
      CHECK(dc_model_write_urdf(&pair.scene->model, "m", "again.urdf", &notes, &error) == DC_OK, "%s", error.text);
      char text[1000];
      snprintf(text, sizeof text,
               "{'contact': {'model': 'bsh'}, " TIME ", 'gravity': [%.17g, %.17g, %.17g], 'include': {'file': "
               "'again.urdf', 'srdf': 'again.srdf', 'collide': false}}",
               gravity[0], gravity[1], gravity[2]);
      write_scene("again.json", text);
      CHECK(dc_scene_read("again.json", NULL, &again, &error) == DC_OK, "%s: %s", name, error.text);
      if (again)
        compare_falls(pair.scene, again, 1e-9, name);
      dc_scene_destroy(again);
    }
    close_pair(&pair);
  }
}

static void test_files(void)
{
  const char *given = getenv("DCSIM_MJCF_FILES");
  char *list = given ? strdup(given) : NULL, *rest = NULL;
  if (!list) {
    SKIP("no DCSIM_MJCF_FILES");
    return;
  }
  for (char *path = strtok_r(list, " \n", &rest); path; path = strtok_r(NULL, " \n", &rest)) {
    struct pair pair;
    char message[500];
    struct dc_error error = {0};
    char text[2000];
    pair.scene = NULL;
    pair.arena = dc_arena_create();
    pair.model = mj_loadXML(path, NULL, message, sizeof message);
    snprintf(text, sizeof text,
             "{'name': 's', 'contact': {'model': 'bsh', 'stiffness': 1e-6}, " TIME
             ", 'include': {'file': '%s', 'overlaps': 'separate', 'unsupported': 'skip'}}",
             path);
    write_scene("scene.json", text);
    char folder[1000];
    snprintf(folder, sizeof folder, "%s", path);
    const char *allowed[] = {"/"};
    struct dc_scene_settings settings = {.allowed_paths = allowed, .allowed_path_count = 1};
    enum dc_status status = pair.model ? dc_scene_read("scene.json", &settings, &pair.scene, &error) : DC_OK;
    printf("# %s: %s\n", path, !pair.model ? message : status ? error.text : "compared");
    if (pair.model && pair.scene && pair.model->nv <= MOST_STATE && pair.model->nbody <= MOST_BODIES)
      compare_models(&pair, path);
    dc_scene_destroy(pair.scene);
    if (pair.model)
      mj_deleteModel(pair.model);
    dc_arena_destroy(pair.arena);
  }
  free(list);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"frames and masses", test_frames}, {"bodies that slide", test_sliders},
                              {"a second of motion", test_motion}, {"driven joints", test_driven},
                              {"springs and fits", test_springs}, {"several of each kind", test_kinds},
                              {"height fields", test_fields}, {"exported and read again", test_again},
                              {"exported as URDF and read again", test_urdf_again}, {"files", test_files})

#else

static void test_nothing(void)
{
  SKIP("built without MuJoCo");
}

RUN_TESTS({"models of MuJoCo", test_nothing})

#endif
