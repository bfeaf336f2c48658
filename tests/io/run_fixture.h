// SPDX-License-Identifier: Apache-2.0
// A scene, a trajectory and a folder for the tests of run directories.
#ifndef DC_TESTS_IO_RUN_FIXTURE_H
#define DC_TESTS_IO_RUN_FIXTURE_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "harness.h"
#include "io/run/run.h"
#include "io/run/run_files.h"

enum { STEPS = 6, PARAMETERS = 3, PATH_SIZE = 600 };

// A control that only has names.
static inline int named_count(const void *options, const struct dc_model *model, int steps)
{
  (void)options, (void)model, (void)steps;
  return PARAMETERS;
}

static inline void named_name(const void *options, const struct dc_model *model, int steps, int i, char *text,
                              size_t size)
{
  (void)options, (void)model, (void)steps;
  snprintf(text, size, "cue.velocity.%c", "xyz"[i]);
}

static inline const char *named_unit(const void *options, const struct dc_model *model, int steps, int i, double *scale)
{
  (void)options, (void)model, (void)steps, (void)i;
  *scale = 1;
  return "m/s";
}

static const struct dc_control_type named_control = {
    .name = "named", .parameter_count = named_count, .parameter_name = named_name, .parameter_unit = named_unit};

// A scene of a fixed body and a free one, made by hand, and a trajectory of it.
struct fixture {
  char folder[64];
  struct dc_shape_type mesh_type;
  struct dc_mesh_shape_options meshes[3];
  char mesh_paths[3][PATH_SIZE];
  struct dc_shape shapes[4];
  struct dc_body bodies[2];
  struct dc_control control;
  struct dc_scene scene;
  double q[(STEPS + 1) * 7];
  struct dc_pose poses[(STEPS + 1) * 2];
  double min_gap[STEPS + 1], parameters[PARAMETERS];
  struct dc_trajectory trajectory;
};

static inline void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
    printf("Bail out! cannot write %s\n", path);
    exit(1);
  }
}

static const char resolved_text[] =
    "{\n  \"name\": \"two \\\"bodies\\\"\",\n  \"time\": { \"step\": 0.10000000000000001, \"file\": \"time\" },\n"
    "  \"shapes\": {\n"
    "    \"b\\u0061ll\": {\"type\": \"mesh\", \"note\": [{\"file\": \"}\\\"\"}], \"file\": \"../one/bunny.obj\", "
    "\"scale\": 1},\n"
    "    \"box\": {\"type\": \"box\", \"size\": [1, 2, 3]},\n"
    "    \"other\": {\"file\":\"../two/Bunny.OBJ\"  },\n"
    "    \"again\": {\"scale\": 2, \"file\": \"../one/bunny.obj\"}\n"
    "  },\n  \"bodies\": [{\"shape\": \"other\", \"file\": 3e-5}]\n}\n";
static const char resolved_expected[] =
    "{\n  \"name\": \"two \\\"bodies\\\"\",\n  \"time\": { \"step\": 0.10000000000000001, \"file\": \"time\" },\n"
    "  \"shapes\": {\n"
    "    \"b\\u0061ll\": {\"type\": \"mesh\", \"note\": [{\"file\": \"}\\\"\"}], \"file\": \"meshes/bunny.obj\", "
    "\"scale\": 1},\n"
    "    \"box\": {\"type\": \"box\", \"size\": [1, 2, 3]},\n"
    "    \"other\": {\"file\":\"meshes/Bunny-2.OBJ\"  },\n"
    "    \"again\": {\"scale\": 2, \"file\": \"meshes/bunny.obj\"}\n"
    "  },\n  \"bodies\": [{\"shape\": \"other\", \"file\": 3e-5}]\n}\n";

static inline const char *in(const struct fixture *fixture, const char *name)
{
  static char paths[4][PATH_SIZE];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_SIZE, "%s/%s", fixture->folder, name);
  return path;
}

static inline void make_shapes(struct fixture *fixture)
{
  static const char *const names[] = {"ball", "other", "again"}, *const files[] = {"one/bunny.obj", "two/Bunny.OBJ",
                                                                                   "one/bunny.obj"};
  mkdir(in(fixture, "one"), 0777);
  mkdir(in(fixture, "two"), 0777);
  fixture->mesh_type.name = "mesh";
  for (int i = 0; i < 3; i++) {
    strcpy(fixture->mesh_paths[i], in(fixture, files[i]));
    write_text(fixture->mesh_paths[i], i == 1 ? "# second\n" : "# first\n");
    fixture->meshes[i].file = fixture->mesh_paths[i];
    fixture->shapes[i] =
        (struct dc_shape){.name = names[i], .type = &fixture->mesh_type, .options = &fixture->meshes[i]};
  }
  static const struct dc_shape_type box = {.name = "box"};
  fixture->shapes[3] = (struct dc_shape){.name = "box", .type = &box};
  fixture->scene.definition.shape_count = 4;
  fixture->scene.definition.shapes = fixture->shapes;
}

static inline void make_trajectory(struct fixture *fixture)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  for (int f = 0; f <= STEPS; f++) {
    double *q = fixture->q + 7 * f, square = 0;
    for (int i = 0; i < 7; i++)
      q[i] = dc_random_normal(&random);
    for (int i = 3; i < 7; i++)
      square += q[i] * q[i];
    for (int i = 3; i < 7; i++)
      q[i] /= sqrt(square);
    fixture->min_gap[f] = dc_random_uniform(&random);
  }
  fixture->q[0] = -0.0;
  fixture->q[1] = 5e-324;
  for (int f = 0; f <= STEPS; f++) {
    const struct dc_body *floor = &fixture->bodies[0];
    struct dc_pose *poses = fixture->poses + 2 * f;
    memcpy(poses[0].position, floor->start.position, sizeof poses[0].position);
    memcpy(poses[0].quaternion, floor->start.quaternion, sizeof poses[0].quaternion);
    memcpy(poses[1].position, fixture->q + 7 * f, sizeof poses[1].position);
    memcpy(poses[1].quaternion, fixture->q + 7 * f + 3, sizeof poses[1].quaternion);
  }
  for (int i = 0; i < PARAMETERS; i++)
    fixture->parameters[i] = dc_random_normal(&random);
  fixture->trajectory = (struct dc_trajectory){
      .steps = STEPS,
      .nq = 7,
      .nv = 6,
      .time_step = 0.1,
      .bodies = 2,
      .q = fixture->q,
      .poses = fixture->poses,
      .min_gap = fixture->min_gap,
  };
}

static inline void setup(struct fixture *fixture)
{
  memset(fixture, 0, sizeof *fixture);
  strcpy(fixture->folder, "/tmp/dcsim-test-run-XXXXXX");
  if (!mkdtemp(fixture->folder)) {
    printf("Bail out! cannot make a folder in /tmp\n");
    exit(1);
  }
  fixture->bodies[0] = (struct dc_body){.name = "floor/50%.x",
                                        .joint_name = "fixed",
                                        .mechanism = -1,
                                        .q_offset = -1,
                                        .v_offset = -1,
                                        .start.position = {0, 1, -0.1},
                                        .start.quaternion = {1, 0, 0, 0}};
  fixture->bodies[1] = (struct dc_body){
      .name = "cue", .joint_name = "free", .free = true, .nq = 7, .nv = 6, .start.quaternion = {1, 0, 0, 0}};
  fixture->control.type = &named_control;
  struct dc_scene *scene = &fixture->scene;
  scene->name = "two \"bodies\"";
  scene->path = "scenes/two.json";
  scene->source.text = "// as read\n{}\n";
  scene->resolved = (char *)resolved_text;
  scene->source.scene_hash = UINT64_C(0x00000000deadbeef);
  scene->source.mesh_hash = UINT64_C(0xffffffffffffffff);
  scene->model.bodies = (struct dc_bodies){.count = 2, .nq = 7, .nv = 6, .bodies = fixture->bodies};
  scene->task.control_count = 1;
  scene->task.controls = &fixture->control;
  make_shapes(fixture);
  make_trajectory(fixture);
}

static inline int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
  (void)info, (void)type, (void)walk;
  return remove(path);
}

static inline void teardown(struct fixture *fixture)
{
  nftw(fixture->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline bool exists(const struct fixture *fixture, const char *name)
{
  struct stat info;
  return lstat(in(fixture, name), &info) == 0;
}

// The file's bytes and a zero, released with free(); empty with size 0 when it cannot be read.
static inline char *slurp(const char *path, size_t *size)
{
  char *bytes;
  if (dc_file_read(path, (size_t)1 << 24, &bytes, size, NULL) != DC_OK)
    return calloc(1, 1);
  return bytes;
}

static inline bool file_is(const char *path, const char *expected)
{
  size_t size;
  char *bytes = slurp(path, &size);
  bool same = size == strlen(expected) && memcmp(bytes, expected, size) == 0;
  if (!same)
    printf("# %s holds:\n%s\n", path, bytes);
  free(bytes);
  return same;
}

static inline bool same_bits(const void *a, const void *b, size_t size)
{
  return memcmp(a, b, size) == 0;
}

static inline struct dc_run *create(struct fixture *fixture, const char *name)
{
  struct dc_error error = {0};
  struct dc_run *run;
  enum dc_status status = dc_run_create(in(fixture, name), &fixture->scene, false, &run, &error);
  CHECK(status == DC_OK && run, "%s", error.text);
  if (!run) {
    printf("Bail out! no run directory\n");
    exit(1);
  }
  return run;
}

static inline void close_run(struct dc_run *run)
{
  struct dc_error error = {0};
  CHECK(dc_run_close(run, &error) == DC_OK, "%s", error.text);
}

static inline enum dc_status write_best(struct dc_run *run, struct fixture *fixture, struct dc_error *error)
{
  return dc_run_write_trajectory(run, &fixture->scene, &fixture->trajectory, fixture->parameters, NULL, NULL, NULL,
                                 NULL, error);
}

#endif
