// SPDX-License-Identifier: Apache-2.0
// The scene reader: rules, messages, overrides, overlays, path policy, resolved text, schema.
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <time.h>

#include "billiards_scene.h"

#define BALL "'shapes': {'ball': {'type': 'sphere', 'radius': 0.1}}"
#define CUE "{'name': 'cue', 'shape': 'ball'}"

#define SLIDER(name) "{'name': '" name "', 'shape': 'ball', 'joint': 'slide', 'collide': false}"

struct scene_case {
  const char *text;  // ' stands for "
  enum dc_status status;
  const char *message;
};

static const struct scene_case cases[] = {
    {"{" TIME "}", DC_OK, ""},
    {"{" TIME ", 'comment': 'a', 'description': ['b', 'c']}", DC_OK, ""},
    {"{" TIME ", 'bodies': [], 'shapes': {}, 'control': [], 'objective': [], 'models': {}}", DC_OK, ""},
    {"{" TIME ",\n" BALL ",\n'bodies': [" CUE "]}", DC_OK, ""},
    // the top
    {"[]", DC_BAD_INPUT, "scene.json:1:1: must be an object (is an array)"},
    {"{}", DC_BAD_INPUT, "scene.json:1:1: missing key \"time\""},
    {"{" TIME ",\n  'Gravity': [0, 0, 0]}", DC_BAD_INPUT,
     "scene.json:2:3: Gravity: unknown key (did you mean \"gravity\"?)"},
    {"{" TIME ",\n 'bodys': []}", DC_BAD_INPUT, "scene.json:2:2: bodys: unknown key (did you mean \"bodies\"?)"},
    {"{" TIME ",\n 'horizon': {}}", DC_BAD_INPUT, "scene.json:2:13: horizon: missing key \"length\""},
    {"{" TIME ",\n 'problem': 'refine'}", DC_BAD_INPUT,
     "scene.json:1:10: time: a refinement (\"problem\": \"refine\") has no time and no forces"},
    {"{" TIME ",\n 'problem': 'search'}", DC_BAD_INPUT,
     "scene.json:2:13: problem: must be one of \"trajectory\", \"refine\" (is \"search\")"},
    {"{" TIME ",\n 'include': 'robot.urdf'}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'models': {'ipc': {'include': 'robot.urdf'}}}", DC_BAD_INPUT,
     "scene.json:2:21: models.ipc.include: must stand in the scene itself"},
    {"{" TIME ",\n 'a b\\u001b': 1}", DC_BAD_INPUT, "scene.json:2:2: [\"a b?\"]: unknown key"},
    {"{" TIME ",\n 'name': 7}", DC_BAD_INPUT, "scene.json:2:10: name: must be a string (is a number)"},
    {"{" TIME ",\n 'name': 'a/b'}", DC_BAD_INPUT,
     "scene.json:2:10: name: must be 1 to 255 bytes without '/' or control characters, not \".\" or \"..\""},
    {"{" TIME ",\n 'comment': 7}", DC_BAD_INPUT,
     "scene.json:2:13: comment: must be a string or an array of strings (is a number)"},
    {"{" TIME ",\n 'description': ['a', null]}", DC_BAD_INPUT,
     "scene.json:2:23: description[1]: must be a string (is null)"},
    {"{" TIME ",\n 'gravity': 9.81}", DC_BAD_INPUT,
     "scene.json:2:13: gravity: must be an array of 3 numbers (is a number; "
     "they stand in [ ] with commas between them)"},
    {"{" TIME ",\n 'gravity': [0, 0]}", DC_BAD_INPUT,
     "scene.json:2:13: gravity: must be an array of 3 numbers (has 2)"},
    {"{" TIME ",\n 'gravity': [0, 'x', 0]}", DC_BAD_INPUT,
     "scene.json:2:17: gravity[1]: must be a number (is a string)"},
    // time
    {"{'time': 1}", DC_BAD_INPUT, "scene.json:1:10: time: must be an object (is a number)"},
    {"{'time': {'step': 0.01}}", DC_BAD_INPUT, "scene.json:1:10: time: missing key \"steps\""},
    {"{'time': {'step': 0, 'steps': 1}}", DC_BAD_INPUT, "scene.json:1:19: time.step: must be > 0 s (is 0)"},
    {"{'time': {'step': 11, 'steps': 1}}", DC_BAD_INPUT, "scene.json:1:19: time.step: must be <= 10 s (is 11)"},
    {"{'time': {'step': 1e999, 'steps': 1}}", DC_BAD_INPUT,
     "scene.json:1:19: time.step: number too large for double precision"},
    {"{'time': {'step': true, 'steps': 1}}", DC_BAD_INPUT, "scene.json:1:19: time.step: must be a number (is true)"},
    {"{'time': {'step': 0.01, 'steps': 2.5}}", DC_BAD_INPUT,
     "scene.json:1:34: time.steps: must be a whole number (is 2.5)"},
    {"{'time': {'step': 0.01, 'steps': -1}}", DC_BAD_INPUT, "scene.json:1:34: time.steps: must be >= 0 (is -1)"},
    {"{'time': {'step': 0.01, 'steps': 1000000000}}", DC_BAD_INPUT,
     "scene.json:1:34: time.steps: must be <= 10000000 (is 1000000000)"},
    {"{'time': {'step': 0.01, 'steps': 1, 'dt': 1}}", DC_BAD_INPUT,
     "scene.json:1:37: time.dt: unknown key (did you mean \"step\"?)"},
    {"{'time': {'step': 0.01, 'steps': 1, 'step': 1}}", DC_BAD_INPUT, "scene.json:1:37: time.step: duplicate key"},
    // contact, solver, optimizer
    {"{" TIME ",\n 'contact': {'model': 'ipx'}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'contact': {'model': 'exakt'}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'contact': {'stiffness': -1}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'contact': {'stifness': 1}}", DC_BAD_INPUT,
     "scene.json:2:14: contact.stifness: unknown key (did you mean \"stiffness\"?)"},
    {"{" TIME ",\n 'contact': {'weights': 'papr'}}", DC_BAD_INPUT,
     "scene.json:2:25: contact.weights: must be one of \"consistent\", \"paper\", \"contact\", \"automatic\" (is "
     "\"papr\"; did you mean "
     "\"paper\"?)"},
    {"{" TIME ",\n 'contact': {'offset': 1}}", DC_BAD_INPUT,
     "scene.json:2:24: contact.offset: must be true or false (is a number)"},
    {"{" TIME ",\n 'contact': {'friction': 0.3, 'friction_smoothing': 1e-3}}", DC_OK, ""},
    {"{" TIME ",\n 'contact': {'friction': -0.1}}", DC_BAD_INPUT,
     "scene.json:2:26: contact.friction: must be >= 0 (is -0.1)"},
    {"{" TIME ",\n 'contact': {'friction_smoothing': 0}}", DC_BAD_INPUT,
     "scene.json:2:36: contact.friction_smoothing: must be > 0 m/s (is 0)"},
    {"{" TIME ",\n 'contact': []}", DC_BAD_INPUT, "scene.json:2:13: contact: must be an object (is an array)"},
    {"{" TIME ",\n 'solver': {'max_iterations': 1000000000}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'optimizer': {'type': 'Adam'}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'optimizer': {'iterations': 0.5}}", DC_BAD_INPUT,
     "scene.json:2:30: optimizer.iterations: must be a whole number (is 0.5)"},
    {"{" TIME ",\n 'optimizer': {'betas': [0.9]}}", DC_BAD_INPUT,
     "scene.json:2:25: optimizer.betas: must be an array of 2 numbers (has 1)"},
    {"{" TIME ",\n 'optimizer': {'type': 'gradient_descent', 'betas': [0.3, 0.5]}}", DC_BAD_INPUT,
     "scene.json:2:44: optimizer.betas: unknown key"},
    // shapes
    {"{" TIME ",\n 'shapes': []}", DC_BAD_INPUT, "scene.json:2:12: shapes: must be an object (is an array)"},
    {"{" TIME ",\n 'shapes': {'ball': 3}}", DC_BAD_INPUT,
     "scene.json:2:21: shapes.ball: must be an object (is a number)"},
    {"{" TIME ",\n 'shapes': {'ball': {'radius': 1}}}", DC_BAD_INPUT,
     "scene.json:2:21: shapes.ball: missing key \"type\""},
    {"{" TIME ",\n 'shapes': {'ball': {'type': 7}}}", DC_BAD_INPUT,
     "scene.json:2:30: shapes.ball.type: must be one of \"sphere\", \"box\", \"cylinder\", \"capsule\", \"mesh\", "
     "\"plane\", \"compound\", \"hulls\", \"blocks\", \"superquadrics\", \"points\", \"heights\" (is a number)"},
    {"{" TIME ",\n 'shapes': {'ball': {'type': 'sphere', 'radius': 0}}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'shapes': {'ball': {'type': 'sphere', 'radius': 1, 'level': 1000000000}}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'shapes': {'b': {'type': 'box', 'size': [1, 1, 1], 'divisions': [1, 1000000000, 1]}}}", DC_BAD_INPUT,
     NULL},
    {"{" TIME ",\n 'shapes': {'m': {'type': 'mesh'}}}", DC_BAD_INPUT,
     "scene.json:2:18: shapes.m: missing key \"file\""},
    // bodies
    {"{" TIME ",\n 'bodies': {}}", DC_BAD_INPUT,
     "scene.json:2:12: bodies: must be an array (is an object; [ ] around it make it one)"},
    {"{" TIME ",\n 'bodies': [1]}", DC_BAD_INPUT, "scene.json:2:13: bodies[0]: must be an object (is a number)"},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE ",\n  {'name': 'b', 'shape': 'bal'}]}", DC_BAD_INPUT,
     "scene.json:3:26: bodies[1].shape: no shape is called \"bal\" (did you mean \"ball\"?)"},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 3}]}", DC_BAD_INPUT,
     "scene.json:2:36: bodies[0].shape: must be the name of a shape (is a number)"},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 'ball', 'mass': -1}]}", DC_BAD_INPUT,
     "scene.json:2:52: bodies[0].mass: must be >= 0 kg (is -1)"},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 'ball', 'masss': 1}]}", DC_BAD_INPUT,
     "scene.json:2:44: bodies[0].masss: unknown key (did you mean \"mass\"?)"},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 'ball', 'pd': {}}]}", DC_BAD_INPUT,
     "scene.json:2:50: bodies[0].pd: missing key \"kp\""},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 'ball',\n 'rotation': [1, 0, 0, 0.1]}]}", DC_BAD_INPUT,
     "scene.json:3:14: bodies[0].rotation: must be of unit length within 0.001 (its length is 1.004987562); it is a "
     "quaternion (w, x, y, z): divide it by its length"},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE ",\n " CUE "]}", DC_BAD_INPUT, NULL},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'a/b', 'shape': 'ball'}]}", DC_BAD_INPUT,
     "scene.json:2:22: bodies[0].name: must be 1 to 255 bytes without '/' or control characters, not \".\" or \"..\""},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'a\\u009b', 'shape': 'ball'}]}", DC_BAD_INPUT,
     "scene.json:2:22: bodies[0].name: must be 1 to 255 bytes without '/' or control characters, not \".\" or \"..\""},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'a\xe2\x80\xae', 'shape': 'ball'}]}", DC_BAD_INPUT,
     "scene.json:2:22: bodies[0].name: must be 1 to 255 bytes without '/' or control characters, not \".\" or \"..\""},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 'ball', 'mass': 1, 'inertia': [1, 1, 3, 0, 0, 0]}]}",
     DC_BAD_INPUT,
     "scene.json:2:66: bodies[0].inertia: no principal moment may be greater than the sum of the other two"},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 'ball', 'center_of_mass': [0, 0, 0]}]}", DC_BAD_INPUT,
     "scene.json:2:62: bodies[0].center_of_mass: must be given together with mass"},
    {"{" TIME ",\n 'bodies': [{'name': 'b', 'joint': 'fixed'}]}", DC_OK, ""},
    {"{" TIME ",\n 'bodies': [{'name': 'b', 'mass': 1}]}", DC_BAD_INPUT, NULL},
    {"{" TIME "," BALL ",\n 'bodies': [{'name': 'b', 'shape': 'ball', 'visual': 'bal'}]}", DC_BAD_INPUT,
     "scene.json:2:54: bodies[0].visual: no shape is called \"bal\" (did you mean \"ball\"?)"},
    // compounds
    {"{" TIME ",\n 'shapes': {'c': {'type': 'compound'}}}", DC_BAD_INPUT,
     "scene.json:2:18: shapes.c: missing key \"parts\""},
    {"{" TIME ",\n 'shapes': {'c': {'type': 'compound', 'parts': []}}}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'shapes': {'c': {'type': 'compound', 'parts': [{'shape': 'd'}]},\n"
     "'d': {'type': 'compound', 'parts': [{'shape': 'c'}]}}}",
     DC_BAD_INPUT, "scene.json:2:18: shapes.c: shape \"c\": parts[0].shape: must not be a compound (\"d\" is one)"},
    {"{" TIME ",\n 'shapes': {'c': {'type': 'compound', 'parts': [{'shape': 'd'}]}, 'd': {'type': 'plane'}}}",
     DC_BAD_INPUT, "scene.json:2:18: shapes.c: shape \"c\": parts[0].shape: must not be a half-space (\"d\" is one)"},
    {"{" TIME ",\n 'shapes': {'c': {'type': 'compound', 'parts': [{'shape': 'boxx'}]},\n"
     "'box': {'type': 'box', 'size': [1, 1, 1]}}}",
     DC_BAD_INPUT, "scene.json:2:59: shapes.c.parts[0].shape: no shape is called \"boxx\" (did you mean \"box\"?)"},
    // couplings
    {"{" TIME ",\n 'couplings': {}}", DC_BAD_INPUT,
     "scene.json:2:15: couplings: must be an array (is an object; [ ] around it make it one)"},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE "],\n 'couplings': [{'body': 'cue'}]}", DC_BAD_INPUT,
     "scene.json:3:16: couplings[0]: missing key \"to\""},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE "],\n 'couplings': [{'body': 'cue', 'to': 'cue'}]}", DC_BAD_INPUT,
     "scene.json:3:25: couplings[0].body: must be on one slide or hinge (\"cue\" is free)"},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE "],\n 'couplings': [{'body': 'cue', 'to': 'queue'}]}", DC_BAD_INPUT, NULL},
    {"{" TIME "," BALL ",\n 'bodies': [" SLIDER("a") "," SLIDER("b") "],\n 'couplings': [{'body': 'a', 'to': 'b'},\n"
                                                                     " {'body': 'b', 'to': 'a'}]}",
     DC_BAD_INPUT, "scene.json:3:36: couplings[0].to: must not lead back to \"a\""},
    // controls and objectives
    {"{" TIME ",\n 'control': {}}", DC_BAD_INPUT,
     "scene.json:2:13: control: must be an array (is an object; [ ] around it make it one)"},
    {"{" TIME ",\n 'control': [{'type': 'initial_stat'}]}", DC_BAD_INPUT, NULL},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE "],\n 'control': [{'type': 'initial_state', 'body': 'cu'}]}", DC_BAD_INPUT,
     "scene.json:3:48: control[0].body: no body is called \"cu\" (did you mean \"cue\"?)"},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE "],\n 'control': [{'type': 'initial_state', 'body': 'cue',\n"
     " 'position': 'q'}]}",
     DC_BAD_INPUT, NULL},
    {"{" TIME "," BALL ",\n 'bodies': [" CUE "],\n 'objective': [{'type': 'reach', 'body': 'cue'}]}", DC_BAD_INPUT,
     "scene.json:3:16: objective[0]: missing key \"target\""},
    {"{" TIME ",\n 'objective': [{'shot': {'reference_seed': 7}}]}", DC_OK, ""},
    {"{" TIME ",\n 'objective': [{'shot': {}}]}", DC_BAD_INPUT,
     "scene.json:2:25: objective[0].shot: missing key \"reference_seed\""},
    {"{" TIME ",\n 'objective': [{'shot': {'reference_seed': -1}}]}", DC_BAD_INPUT,
     "scene.json:2:44: objective[0].shot.reference_seed: must be >= 0 (is -1)"},
    {"{" TIME ",\n 'objective': [{'shot': {'reference_seed': 7, 'balls': 0}}]}", DC_BAD_INPUT,
     "scene.json:2:56: objective[0].shot.balls: must be >= 1 (is 0)"},
    {"{" TIME ",\n 'objective': [{'shot': {'reference_seed': 7, 'body': 'cue'}}]}", DC_BAD_INPUT, NULL},
    {"{" TIME ",\n 'objective': [{'shot': {'reference_seed': 7}, 'type': 'reach'}]}", DC_BAD_INPUT,
     "scene.json:2:48: objective[0].type: unknown key"},
    {"{" TIME ",\n 'objective': [{'shot': {'reference_seed': 7}}, {'shot': {'reference_seed': 8}}]}", DC_BAD_INPUT,
     "scene.json:2:58: objective[1].shot: at most one objective may be a shot"},
    // camera
    {"{" TIME ",\n 'camera': {'eye': [1, 1, 1]}}", DC_OK, ""},
    {"{" TIME ",\n 'camera': {}}", DC_BAD_INPUT, "scene.json:2:12: camera: missing key \"eye\""},
    {"{" TIME ",\n 'camera': {'eye': [0, 0, 0]}}", DC_BAD_INPUT, "scene.json:2:12: camera: eye and target must differ"},
    {"{" TIME ",\n 'camera': {'eye': [0, 0, 5]}}", DC_BAD_INPUT,
     "scene.json:2:12: camera: up must not be zero or along the line of sight"},
    {"{" TIME ",\n 'camera': {'eye': [1, 1, 1], 'fov_deg': 180}}", DC_BAD_INPUT,
     "scene.json:2:42: camera.fov_deg: must be <= 175 degrees (is 180)"},
    // overlays
    {"{" TIME ",\n 'models': {'exact': {'contact': {'blend': -1}}}}", DC_OK, ""},
    {"{" TIME ",\n 'models': []}", DC_BAD_INPUT, "scene.json:2:12: models: must be an object (is an array)"},
    {"{" TIME ",\n 'models': {'exakt': {}}}", DC_BAD_INPUT,
     "scene.json:2:13: models.exakt: unknown key (did you mean \"exact\"?)"},
    {"{" TIME ",\n 'models': {'exact': 1}}", DC_BAD_INPUT,
     "scene.json:2:22: models.exact: must be an object (is a number)"},
    {"{" TIME ",\n 'models': {'exact': {'contac': {}}}}", DC_BAD_INPUT,
     "scene.json:2:23: models.exact.contac: unknown key (did you mean \"contact\"?)"},
    {"{" TIME ",\n 'models': {'exact': {'contact': {'model': 'bsh'}}}}", DC_BAD_INPUT,
     "scene.json:2:44: models.exact.contact.model: must be \"exact\", the model of the overlay"},
    {"{" TIME ",\n 'models': {'bsh': {'contact': {'blend': -1}}}}", DC_BAD_INPUT, NULL},
    // whether the model is built or not
    {"{" TIME ",\n 'models': {'mujoco': {'mujoco': {'substeps': 4}, 'gradient': {'type': 'fd'}}}}", DC_OK, ""},
    {"{" TIME ",\n 'models': {'mujoco': {'mujocu': {}}}}", DC_BAD_INPUT,
     "scene.json:2:24: models.mujoco.mujocu: unknown key (did you mean \"mujoco\"?)"},
    {"{" TIME ",\n 'models': {'mujoco': {'contact': {'model': 'ipc'}}}}", DC_BAD_INPUT,
     "scene.json:2:45: models.mujoco.contact.model: must be \"mujoco\", the model of the overlay"},
};

// Where no message is given, it depends on tables elsewhere: the place must be in the second line or later, and a
// path must follow.
static bool message_fits(const char *expected, const char *message)
{
  int line, column, end = 0;
  size_t length = expected ? strlen(expected) : 0, rule = strlen("unknown key");
  if (length > rule && strcmp(expected + length - rule, "unknown key") == 0)  // the keys that there are follow
    return strncmp(expected, message, length) == 0 && strncmp(message + length, " (there are \"", 13) == 0;
  const char *missing = expected ? strstr(expected, "missing key \"") : NULL;
  if (missing)  // what the key means follows, as its table says
    return strncmp(expected, message, length) == 0 && (!message[length] || strncmp(message + length, " (", 2) == 0);
  if (expected)
    return strcmp(expected, message) == 0;
  return sscanf(message, "scene.json:%d:%d: %*[^:]: %n", &line, &column, &end) == 2 && end > 0 && line >= 2;
}

static void test_rules(void)
{
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct scene_case *test = &cases[i];
    struct dc_scene *scene;
    struct dc_error error;
    enum dc_status status = read_text(test->text, NULL, &scene, &error);
    CHECK(status == test->status, "%s: status %d, %s", test->text, status, error.text);
    CHECK(message_fits(test->message, error.text), "%s:\n#   %s", test->text, error.text);
    CHECK((status == DC_OK) == (scene != NULL), "%s", test->text);
    dc_scene_destroy(scene);
  }
}

static void test_values(void)
{
  struct dc_scene *scene;
  struct dc_error error;
  CHECK(read_text(BILLIARDS, NULL, &scene, &error) == DC_OK, "%s", error.text);
  if (!scene)
    return;
  const struct dc_model_definition *definition = &scene->definition;
  CHECK(strcmp(scene->name, "billiards") == 0 && strcmp(scene->path, "scene.json") == 0, " ");
  CHECK(definition->time.step == 0.01 && definition->time.steps == 2, " ");
  CHECK(definition->gravity[2] == -1.62, " ");
  CHECK(strcmp(definition->contact_model->name, "bsh") == 0 && definition->contact.stiffness == 1e-6, " ");
  CHECK(definition->shape_count == 2 && definition->body_count == 3 && scene->model.bodies.count == 3, " ");
  CHECK(scene->shapes[0].mesh.triangle_count == 32, "%d", scene->shapes[0].mesh.triangle_count);
  CHECK(scene->bodies[0].shape == 1 && scene->bodies[1].shape == 0, " ");
  CHECK(isnan(scene->bodies[1].mass) && scene->bodies[2].mass == 0.3 && isnan(scene->bodies[2].density), " ");
  CHECK(scene->bodies[1].rotation[0] == 1 && scene->bodies[1].color[0] == 0.8, " ");
  CHECK(scene->task.control_count == 1 && scene->task.objective_count == 1, " ");
  const struct dc_initial_state_options *control = scene->task.controls[0].options;
  CHECK(control->body == 1 && strcmp(control->velocity, "xy") == 0 && control->initial.count == 0, " ");
  const struct dc_reach_options *reach = scene->task.objectives[0].options;
  CHECK(reach->body == 2 && reach->target[1] == 0.4 && reach->when == DC_WHEN_EVERY && reach->weight == 1, " ");
  CHECK(scene->shot.given && scene->shot.reference_seed == 7 && scene->shot.balls == 2, " ");
  CHECK(scene->shot.minimum_distance == 0.4 && scene->shot.velocity == 6 && scene->shot.position == 0.5, " ");
  CHECK(scene->shot.weight == 2 && scene->shot.tolerance == 0.05, " ");
  CHECK(strcmp(scene->optimizer->name, "adam") == 0 && scene->optimizer_options, " ");
  CHECK(!scene->camera.given, " ");
  dc_scene_destroy(scene);
  write_scene("a.b.json", "{" TIME "}");
  CHECK(dc_scene_read("./a.b.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
  CHECK(scene && strcmp(scene->name, "a.b") == 0, " ");
  CHECK(scene && scene->definition.gravity[2] == -9.81, " ");
  CHECK(scene && strcmp(scene->definition.contact_model->name, "bsh") == 0, " ");
  dc_scene_destroy(scene);
}

static void test_resolved(void)
{
  const char *list[] = {"contact.stiffness=1.2345678901234567e-7", "time.step=0.1", "contact.reference_area=0.3",
                        "camera.eye=[1,2,3]"};
  struct dc_scene_settings settings = {.override_count = 4, .overrides = list};
  struct dc_scene *first, *second;
  struct dc_error error;
  CHECK(read_text(BILLIARDS, &settings, &first, &error) == DC_OK, "%s", error.text);
  if (!first)
    return;
  write_bytes("resolved.json", first->resolved, strlen(first->resolved));
  CHECK(dc_scene_read("resolved.json", NULL, &second, &error) == DC_OK, "%s", error.text);
  CHECK(second && strcmp(first->resolved, second->resolved) == 0, "%s", first->resolved);
  CHECK(second && first->source.scene_hash == second->source.scene_hash &&
            first->source.mesh_hash == second->source.mesh_hash,
        " ");
  CHECK(second && second->definition.contact.stiffness == 1.2345678901234567e-7, " ");
  CHECK(strstr(first->resolved, "\"step\": 0.10000000000000001,"), "%s", first->resolved);
  CHECK(strstr(first->resolved, "\"rotation\": [1, 0, 0, 0]"), "%s", first->resolved);
  CHECK(!strstr(first->resolved, "null") && !strstr(first->resolved, "nan"), " ");
  dc_scene_destroy(second);
  // another number, another hash
  settings.override_count = 1;
  CHECK(read_text(BILLIARDS, &settings, &second, &error) == DC_OK, "%s", error.text);
  CHECK(second && second->source.scene_hash != first->source.scene_hash &&
            second->source.mesh_hash == first->source.mesh_hash,
        " ");
  dc_scene_destroy(second);
  list[0] = "shapes.ball.radius=0.2";
  CHECK(read_text(BILLIARDS, &settings, &second, &error) == DC_OK, "%s", error.text);
  CHECK(second && second->source.mesh_hash != first->source.mesh_hash, " ");
  dc_scene_destroy(second);
  dc_scene_destroy(first);
}

// A gripper as a robot's file has it: what is given comes back, from the resolved text, too.
static void test_robot(void)
{
  static const char text[] =
      "{" TIME ", 'shapes': {'hull': {'type': 'compound', 'parts': [{'shape': 'box'},\n"
      "  {'shape': 'box', 'position': [0, 0, 0.3], 'rotation': [0, 1, 0, 0]}]},\n"
      " 'box': {'type': 'box', 'size': [0.1, 0.1, 0.3]}, 'm': {'type': 'mesh', 'file': 't.obj', 'scales': [-1, 2, "
      "1]}},\n"
      " 'bodies': [{'name': 'base', 'joint': 'fixed', 'visual': 'm'},\n"
      "  {'name': 'finger_1', 'parent': 'base', 'joint': 'slide', 'range': [0, 0.04], 'shape': 'hull', 'visual': 'm',\n"
      "   'mass': 0.5, 'inertia': [1e-3, 2e-3, 2.5e-3, 1e-4, 0, 0], 'center_of_mass': [0, 0.01, 0]},\n"
      "  {'name': 'finger_2', 'parent': 'base', 'joint': 'slide', 'mass': 0.5, 'inertia': [1, 1, 1, 0, 0, 0]}],\n"
      " 'couplings': [{'body': 'finger_2', 'to': 'finger_1', 'multiplier': -1, 'offset': 0.1}]}";
  struct dc_scene *first, *second;
  struct dc_error error;
  write_scene("t.obj", TETRAHEDRON);
  CHECK(read_text(text, NULL, &first, &error) == DC_OK, "%s", error.text);
  if (!first)
    return;
  const struct dc_model *model = &first->model;
  const struct dc_body *bodies = model->bodies.bodies;
  CHECK(bodies[0].shape == &dc_shape_nothing && bodies[0].appearance.visual == &first->shapes[2], " ");
  CHECK(bodies[1].shape->part_count == 2 && bodies[1].shape->mesh.group_count == 2, " ");
  CHECK(bodies[1].mass == 0.5 && bodies[1].center[1] == 0.01 && bodies[1].second_moment[1] == -1e-4, " ");
  CHECK(model->definition.coupling_count == 1 && model->definition.couplings[0].body == 2, " ");
  CHECK(model->definition.couplings[0].to == 1 && model->definition.couplings[0].stiffness > 1e5, " ");
  CHECK(fabs(model->bodies.initial_q[1] - 0.0996) < 1e-15, "%.17g", model->bodies.initial_q[1]);
  write_bytes("resolved.json", first->resolved, strlen(first->resolved));
  CHECK(dc_scene_read("resolved.json", NULL, &second, &error) == DC_OK, "%s", error.text);
  CHECK(second && strcmp(first->resolved, second->resolved) == 0, "%s", first->resolved);
  CHECK(second && first->source.scene_hash == second->source.scene_hash &&
            first->source.mesh_hash == second->source.mesh_hash,
        " ");
  dc_scene_destroy(second);
  dc_scene_destroy(first);
}

// What is made of one file with the same options is made once.
static void test_shared_meshes(void)
{
  struct dc_scene *scene;
  struct dc_error error;
  write_scene("t.obj", TETRAHEDRON);
  const char *text =
      "{" TIME ",\n 'shapes': {'a': {'type': 'mesh', 'file': 't.obj'}, 'b': {'type': 'mesh', 'file': "
      "'./t.obj', 'scale': 1}, 'c': {'type': 'mesh', 'file': 't.obj', 'scale': 2}, 'd': {'type': 'mesh', "
      "'file': 't.obj', 'scales': [1, 1, 3]}, 'e': {'type': 'mesh', 'file': 't.obj', 'convex': true}}}";
  CHECK(read_text(text, NULL, &scene, &error) == DC_OK, "%s", error.text);
  const struct dc_shape *shapes = scene ? scene->shapes : NULL;
  for (int i = 0; i < 5 && scene; i++) {
    double scale = i == 2 ? 8 : i == 3 ? 3 : 1;
    CHECK((shapes[i].mesh.vertices == shapes[0].mesh.vertices) == (i < 2), "shape %d", i);
    CHECK(strcmp(shapes[i].name, (const char[2]){(char)('a' + i), '\0'}) == 0 && shapes[i].part_count == 1, "%d", i);
    CHECK(fabs(shapes[i].properties.volume - scale * shapes[0].properties.volume) < 1e-12 * scale, "shape %d", i);
  }
  CHECK(scene && shapes[4].mesh.hulls && !shapes[0].mesh.hulls, " ");
  dc_scene_destroy(scene);
}

// Reads sub/scene.json with a mesh file; true when it is accepted.
static bool read_mesh(const char *file, int allowed_count, const char *const *allowed, struct dc_error *error)
{
  char text[600];
  snprintf(text, sizeof text, "{" TIME ",\n 'shapes': {'m': {'type': 'mesh', 'file': '%s'}}}", file);
  write_scene("sub/scene.json", text);
  struct dc_scene_settings settings = {.allowed_path_count = allowed_count, .allowed_paths = allowed};
  struct dc_scene *scene;
  *error = (struct dc_error){0};
  enum dc_status status = dc_scene_read("sub/scene.json", &settings, &scene, error);
  CHECK(status == DC_OK || status == DC_BAD_INPUT, "%s: status %d", file, status);
  if (scene) {
    char resolved[PATH_MAX];
    CHECK(scene->source.mesh_file_count == 1 && realpath(scene->source.mesh_files[0], resolved) &&
              strcmp(resolved, scene->source.mesh_files[0]) == 0,
          "%s", file);
    CHECK(!strstr(scene->resolved, "dcsim-test"), "no folders in the resolved text");
  }
  dc_scene_destroy(scene);
  return status == DC_OK;
}

static void check_refused(const char *file, const char *rule)
{
  struct dc_error error;
  CHECK(!read_mesh(file, 0, NULL, &error), "%s", file);
  CHECK(strncmp(error.text, "sub/scene.json:2:", 17) == 0 && strstr(error.text, ": shapes.m"), "%s", error.text);
  CHECK(strstr(error.text, rule), "%s", error.text);
}

static void test_path_policy(void)
{
  struct dc_error error;
  char folder[PATH_MAX], text[PATH_MAX + 100];
  const char *allowed[] = {"elsewhere", "other"};
  unsetenv("DCSIM_DATADIR");
  CHECK(realpath(".", folder) != NULL, " ");
  CHECK(!mkdir("sub", 0700) && !mkdir("sub/in", 0700) && !mkdir("sub2", 0700) && !mkdir("other", 0700), " ");
  write_scene("sub/in/t.obj", TETRAHEDRON);
  write_scene("sub2/t.obj", TETRAHEDRON);
  write_scene("other/t.obj", TETRAHEDRON);
  CHECK(!symlink("../other/t.obj", "sub/out.obj") && !symlink("in/t.obj", "sub/link.obj"), " ");
  CHECK(!symlink("../other", "sub/folder") && !symlink("loop.obj", "sub/loop.obj"), " ");
  CHECK(!mkfifo("sub/fifo.obj", 0600), " ");
  CHECK(read_mesh("in/t.obj", 0, NULL, &error), "%s", error.text);
  CHECK(read_mesh("./in/../in/t.obj", 0, NULL, &error), "%s", error.text);
  CHECK(read_mesh("link.obj", 0, NULL, &error), "%s", error.text);
  snprintf(text, sizeof text, "%s/sub/in/t.obj", folder);
  CHECK(read_mesh(text, 0, NULL, &error), "%s", error.text);
  check_refused("../other/t.obj", "/other/t.obj: lies outside the scene's folder, the data directory");
  check_refused("../sub2/t.obj", "/sub2/t.obj: lies outside");  // begins like the scene's folder
  check_refused("out.obj", "/other/t.obj: lies outside");
  check_refused("folder/t.obj", "/other/t.obj: lies outside");
  check_refused("/etc/passwd", "/etc/passwd: lies outside");
  check_refused("loop.obj", "/sub/loop.obj: Too many levels of symbolic links");
  check_refused("", "must not be empty");
  snprintf(text, sizeof text, "shapes.m.file: %s/sub/missing.obj: No such file or directory", folder);
  check_refused("missing.obj", text);
  check_refused("in", "/sub/in");
  check_refused("fifo.obj", "/sub/fifo.obj");  // must not block
  CHECK(read_mesh("../other/t.obj", 2, allowed, &error), "%s", error.text);
  CHECK(read_mesh("out.obj", 2, allowed, &error), "%s", error.text);
  CHECK(!read_mesh("../sub2/t.obj", 2, allowed, &error), " ");
  setenv("DCSIM_DATADIR", "other", 1);
  CHECK(read_mesh("../other/t.obj", 0, NULL, &error), "%s", error.text);
  unsetenv("DCSIM_DATADIR");
}

// Counts that would take memory without bound are refused at once.
static void test_memory(void)
{
  struct dc_scene *scene;
  struct dc_error error;
#define LONG "{'time': {'step': 0.01, 'steps': 10000000}," BALL ",\n 'bodies': [" CUE ",\n"
  static const char few[] = LONG "{'name': 'b', 'shape': 'ball', 'joint': 'fixed'}]}";
#define MANY                                                                                                           \
  LONG "{'name': 'b', 'shape': 'ball'}, {'name': 'c', 'shape': 'ball'}, {'name': 'd', 'shape': 'ball'},"               \
       "{'name': 'e', 'shape': 'ball'}, {'name': 'f', 'shape': 'ball'}]"
  static const char many[] = MANY ", 'solver': {'tape': 'stored'}}", recomputed[] = MANY "}";
  CHECK(read_text(few, NULL, &scene, &error) == DC_OK, "%s", error.text);  // 6.1 GB
  dc_scene_destroy(scene);
  CHECK(read_text(recomputed, NULL, &scene, &error) == DC_OK, "%s", error.text);  // 11 GB, 54 GB with its tape
  dc_scene_destroy(scene);
  CHECK(read_text(many, NULL, &scene, &error) == DC_MEMORY, "%s", error.text);
  char expected[200];
  snprintf(expected, sizeof expected,
           "scene.json:1:10: time: 10000000 steps of 6 bodies (15 pairs) would need %.0f bytes (at most 17179869184)",
           10000001.0 * (6 * (7 * sizeof(double) + sizeof(struct dc_pose)) + 15 * sizeof(struct dc_pair_derivatives)));
  CHECK(strcmp(error.text, expected) == 0, "%s", error.text);
  size_t size = 8000000, length = 0;
  char *text = malloc(size);
  length += (size_t)sprintf(text, "{" TIME "," BALL ", 'bodies': [");
  for (int i = 0; i <= 100000; i++)
    length += (size_t)sprintf(text + length, "%s{'name':'b%d','shape':'ball','joint':'fixed'}", i ? "," : "", i);
  sprintf(text + length, "]}");
  clock_t start = clock();
  CHECK(read_text(text, NULL, &scene, &error) == DC_BAD_INPUT, "%s", error.text);
  CHECK(strstr(error.text, ": bodies: must hold at most 100000 bodies (holds 100001)"), "%s", error.text);
  // observed 0.06 s, 0.2 s under sanitizers
  CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 5, " ");
  free(text);
}

// Every name that may stand in a scene is in the schema, which is JSON itself.
static void test_schema(void)
{
  char *schema = dc_scene_schema();
  CHECK(schema != NULL, " ");
  if (!schema)
    return;
  static const char *const parts[] = {"\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"",
                                      "\"additionalProperties\": false",
                                      "\"exclusiveMinimum\": 0",
                                      "\"const\": \"initial_state\"",
                                      "\"const\": \"reach\"",
                                      "\"const\": \"adam\"",
                                      "\"const\": \"plane\"",
                                      "\"reference_seed\"",
                                      "[kg]",
                                      "\"Learning rate\"",
                                      "\"fov_deg\"",
                                      "\"description\": \"robots from URDF files",
                                      "\"prefix\"",
                                      "\"default\": [0, 0, -9.81]"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    CHECK(strstr(schema, parts[i]), "%s", parts[i]);
  // as a scene it is a well-formed text with the wrong keys
  write_bytes("schema.json", schema, strlen(schema));
  struct dc_scene *scene;
  struct dc_error error;
  CHECK(dc_scene_read("schema.json", NULL, &scene, &error) == DC_BAD_INPUT, " ");
  // that it names a schema itself is no mistake
  CHECK(strncmp(error.text, "schema.json:3:3: title: unknown key", 35) == 0, "%s", error.text);
  free(schema);
}

// The decimal point of the surrounding program does not matter.
static void test_locale(void)
{
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  const char *set = NULL;
  for (int i = 0; i < 5 && !set; i++)
    set = setlocale(LC_ALL, names[i]);
  if (!set)
    SKIP("no locale with a decimal comma installed");
  struct dc_scene *scene;
  struct dc_error error;
  enum dc_status status = read_text(BILLIARDS, NULL, &scene, &error);
  setlocale(LC_ALL, "C");
  CHECK(status == DC_OK, "%s", error.text);
  CHECK(scene && scene->definition.time.step == 0.01 && strstr(scene->resolved, "0.01"), " ");
  dc_scene_destroy(scene);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"every rule has its message, place and path", test_rules},
                              {"reads values and defaults", test_values},
                              {"resolved text reads back the same", test_resolved}, {"a gripper", test_robot},
                              {"makes the shapes of a file once", test_shared_meshes},
                              {"opens files in allowed folders only", test_path_policy},
                              {"refuses what memory cannot hold", test_memory}, {"makes a schema", test_schema},
                              {"does not depend on the locale", test_locale})
