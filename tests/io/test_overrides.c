// SPDX-License-Identifier: Apache-2.0
// Overlays and overrides of scenes, and the resolved text.
#include "billiards_scene.h"

static void test_overlay(void)
{
  struct dc_scene *scene;
  struct dc_error error;
  struct dc_scene_settings settings = {.model = "exact"};
  CHECK(read_text(BILLIARDS, &settings, &scene, &error) == DC_OK, "%s", error.text);
  CHECK(scene && strcmp(scene->definition.contact_model->name, "exact") == 0, " ");
  CHECK(scene && scene->definition.contact.stiffness == 1e-3 && scene->definition.contact.blend == 0.3, " ");
  CHECK(scene && scene->definition.time.steps == 9 && scene->definition.time.step == 0.01, " ");
  CHECK(scene && scene->camera.given && scene->camera.eye[2] == 3 && scene->camera.fov_deg == 40, " ");
  CHECK(scene && scene->definition.gravity[2] == -9.81, "null removes");
  CHECK(scene && !strstr(scene->resolved, "models"), " ");
  dc_scene_destroy(scene);
  // chosen by an override; overrides win over the overlay and may change it
  const char *overrides[] = {"contact.model=exact", "contact.stiffness=0.5", "models.exact.time.steps=4"};
  settings = (struct dc_scene_settings){.override_count = 3, .overrides = overrides};
  CHECK(read_text(BILLIARDS, &settings, &scene, &error) == DC_OK, "%s", error.text);
  CHECK(scene && strcmp(scene->definition.contact_model->name, "exact") == 0, " ");
  CHECK(scene && scene->definition.contact.stiffness == 0.5 && scene->definition.time.steps == 4, " ");
  dc_scene_destroy(scene);
  settings = (struct dc_scene_settings){.model = "exakt"};
  CHECK(read_text(BILLIARDS, &settings, &scene, &error) == DC_USAGE && !scene, " ");
  CHECK(strcmp(error.text, "--model: no contact model is called \"exakt\" (did you mean \"exact\"?)") == 0, "%s",
        error.text);
}

struct override_case {
  const char *override;
  enum dc_status status;
  const char *message;
};

static const struct override_case overrides[] = {
    {"bodies.cue.mass=2", DC_OK, ""},
    {"bodies[1].mass=2", DC_OK, ""},
    {"bodies.1.mass=2", DC_OK, ""},
    {"optimizer.iterations=10", DC_OK, ""},
    {"shapes.ball={\"type\": \"sphere\", \"radius\": 0.2}", DC_OK, ""},
    {"shapes[\"ball\"].radius=0.05", DC_OK, ""},
    {"control[0].velocity=x", DC_OK, ""},
    {"name=", DC_BAD_INPUT,
     "--set name=: name: must be 1 to 255 bytes without '/' or control characters, not \".\" or \"..\""},
    {"bodies.cue.mass=-1", DC_BAD_INPUT, "--set bodies.cue.mass=-1: bodies[1].mass: must be >= 0 kg (is -1)"},
    {"bodies.cue.mass=heavy", DC_BAD_INPUT,
     "--set bodies.cue.mass=heavy: bodies[1].mass: must be a number (is a string)"},
    {"bodies.cue.velocity=[1,0,null]", DC_BAD_INPUT,
     "--set bodies.cue.velocity=[1,0,null]: bodies[1].velocity[2]: must be a number (is null)"},
    {"time.step=1e999", DC_BAD_INPUT, "--set time.step=1e999: number too large for double precision"},
    {"time.stp=1", DC_BAD_INPUT, "--set time.stp=1: time.stp: unknown key (did you mean \"step\"?)"},
    {"bodies.cu.mass=1", DC_BAD_INPUT,
     "--set bodies.cu.mass=1: scene.json:5:11: bodies: no element is called \"cu\" (did you mean \"cue\"?)"},
    {"bodies.7.mass=1", DC_BAD_INPUT, "--set bodies.7.mass=1: scene.json:5:11: bodies: no element 7 (has 3)"},
    {"bodies[99999999999999999999].mass=1", DC_BAD_INPUT, NULL},
    {"bodies.cue.pd.kp=1", DC_BAD_INPUT,
     "--set bodies.cue.pd.kp=1: scene.json:6:12: bodies[1]: no member is called \"pd\""},
    {"nothing.at.all=1", DC_BAD_INPUT, "--set nothing.at.all=1: scene.json:1:1: no member is called \"nothing\""},
    {"camera.lens.size=1", DC_BAD_INPUT, "--set camera.lens.size=1: camera: no member is called \"lens\""},
    {"time.step.x=1", DC_BAD_INPUT, "--set time.step.x=1: scene.json:1:40: time.step: is a number, it has no members"},
    {"time[0]=1", DC_BAD_INPUT, "--set time[0]=1: scene.json:1:31: time: is an object, it has no element 0"},
    {"time.step", DC_USAGE, "--set time.step: must have the form path=value, as --set time.steps=50"},
    {"=1", DC_USAGE, "--set =1: malformed path"},
    {"time..step=1", DC_USAGE, "--set time..step=1: malformed path"},
    {"time.step.=1", DC_USAGE, "--set time.step.=1: malformed path"},
    {"bodies[x].mass=1", DC_USAGE, "--set bodies[x].mass=1: malformed path"},
    {"bodies[1.mass=1", DC_USAGE, NULL},
    {"time=null", DC_BAD_INPUT, "scene.json:1:1: missing key \"time\" ({\"step\": s, \"steps\": count})"},
    {"name=\xff", DC_USAGE, NULL},
};

static void test_overrides(void)
{
  for (size_t i = 0; i < sizeof overrides / sizeof overrides[0]; i++) {
    const struct override_case *test = &overrides[i];
    struct dc_scene_settings settings = {.override_count = 1, .overrides = &test->override};
    struct dc_scene *scene;
    struct dc_error error;
    enum dc_status status = read_text(BILLIARDS, &settings, &scene, &error);
    CHECK(status == test->status, "%s: status %d, %s", test->override, status, error.text);
    CHECK(test->message ? strcmp(error.text, test->message) == 0 : strncmp(error.text, "--set ", 6) == 0, "%s:\n#   %s",
          test->override, error.text);
    dc_scene_destroy(scene);
  }
}

static void test_override_values(void)
{
  const char *list[] = {"bodies.cue.velocity=[1,0,0]", "bodies.0.mass=4",         "bodies[0].color=[0,1,0]",
                        "bodies.0.mass=null",          "optimizer.iterations=10", "objective.0.tolerance=0.25",
                        "bodies.cue.name=white",       "control.0.body=white",    "contact.weights=paper",
                        "camera.eye=[1,2,3]",          "camera.fov_deg=30"};
  struct dc_scene_settings settings = {.override_count = 11, .overrides = list};
  struct dc_scene *scene;
  struct dc_error error;
  CHECK(read_text(BILLIARDS, &settings, &scene, &error) == DC_OK, "%s", error.text);
  if (!scene)
    return;
  CHECK(scene->bodies[1].velocity[0] == 1 && strcmp(scene->bodies[1].name, "white") == 0, " ");
  CHECK(scene->bodies[0].color[1] == 1, "in brackets an index");
  CHECK(isnan(scene->bodies[2].mass), "a name comes before an index; null removes");
  CHECK(scene->definition.contact.weights == DC_WEIGHTS_PAPER, " ");
  CHECK(((const struct dc_optimizer_common *)scene->optimizer_options)->iterations == 10, " ");
  CHECK(((const struct dc_reach_options *)scene->task.objectives[0].options)->tolerance == 0.25, " ");
  CHECK(scene->camera.given && scene->camera.fov_deg == 30, "a section that the scene lacks");
  dc_scene_destroy(scene);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"applies overlays", test_overlay}, {"checks overrides", test_overrides},
                              {"applies overrides", test_override_values})
