// SPDX-License-Identifier: Apache-2.0
// Measures the four properties of contact models of paper 000, section 3: barrier, smoothness, no attraction, and force
// at any distance.
#include "bench/properties.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "bench/bodies.h"
#include "bench/cone.h"
#include "bench/paths.h"
#include "math/rotation.h"
#include "math/vector.h"

// Settings by model; NULL: of all others.  Local models reach far enough to feel the paths, at gaps of 0.04 m.
static const struct {
  const char *model;
  double length, dhat, support;
  int hulls;
} settings_table[] = {{"sdrs", 1, 0, 0.1, DC_HULLS_PARTS}, {NULL, 1, 0.1, 0.1, DC_HULLS_PARTS}};

static const struct dc_bench_shape ball = {"sphere", {{"radius", 1, {0.2}}, {"level", 1, {0}}}},
                                   cube = {"box", {{"size", 3, {0.4, 0.4, 0.4}}, {"divisions", 3, {1, 1, 1}}}},
                                   rod = {"box", {{"size", 3, {0.1, 0.1, 0.6}}, {"divisions", 3, {1, 1, 3}}}},
                                   angle = {"angle", {{"size", 1, {0.4}}}};
static const struct dc_bench_shape *const cases[][2] = {{&cube, &cube}, {&ball, &ball}, {&cube, &rod}, {&ball, &angle}};
enum { CASES = sizeof cases / sizeof *cases, EDGES_CASE = 0 };

enum { MARCH = 100, BISECTIONS = 60, DECADES = 7, INSIDE_POSES = 4, PUSH_POSES = 12, RANGE_POINTS = 49 };
static const double LEAST_GAIN = 0.5;  // of a barrier: a logarithm has 1, a bounded energy 0.1
static const double MOST_ANGLE = 1e-6;
// A jump that keeps this fraction when the step shrinks to a tenth is persistent, unless it is rounding.
static const double PERSISTENT = 0.3, ROUNDING = 1e-5;

// Two bodies and their contact; a is on a random line from b.
struct setup {
  struct dc_arena *arena;
  struct dc_shape shapes[2];
  struct dc_bodies bodies;
  struct dc_contact *contact;
  struct dc_pose poses[2];
  double size, direction[3], touching;
  double (*corners[2])[3];  // of the meshes about the frames' origins, in world axes
};

bool dc_properties_expected_smooth(const struct dc_contact_model *model)
{
  return model->flags & DC_CONTACT_TWICE_DIFFERENTIABLE;
}

bool dc_properties_expected_pushing(const struct dc_contact_model *model)
{
  return !(model->flags & DC_CONTACT_LEANING);
}

bool dc_properties_expected_lasting(const struct dc_contact_model *model)
{
  return (model->flags & DC_CONTACT_LONG_RANGE) && !model->local;
}

static enum dc_status choose_settings(const struct dc_contact_model *model, struct dc_arena *arena,
                                      struct dc_contact_settings *settings, struct dc_error *error)
{
  enum dc_status status = dc_options_set_defaults(dc_contact_options, settings, arena, error);
  int i = 0;
  while (settings_table[i].model && strcmp(settings_table[i].model, model->name) != 0)
    i++;
  settings->length = settings_table[i].length;
  settings->support = settings_table[i].support;
  settings->dhat = settings_table[i].dhat;
  settings->hulls = settings_table[i].hulls;
  return status;
}

static enum dc_status begin(struct setup *setup, int c, const struct dc_contact_model *model, struct dc_error *error)
{
  struct dc_body_definition definitions[2] = {{0}};
  struct dc_contact_settings settings;
  *setup = (struct setup){.arena = dc_arena_create()};
  if (!setup->arena)
    return dc_out_of_memory_for(error, "the properties");
  for (int side = 0; side < 2; side++) {
    const char *name = side ? "b" : "a";
    enum dc_status status = dc_bench_shape_build(cases[c][side], name, setup->arena, &setup->shapes[side], error);
    if (!status)
      status = dc_options_set_defaults(dc_body_options, &definitions[side], setup->arena, error);
    if (status)
      return status;
    definitions[side].name = name;
    definitions[side].shape = side;
    setup->corners[side] =
        dc_arena_alloc(setup->arena, (size_t)setup->shapes[side].mesh.vertex_count, sizeof *setup->corners[side]);
    if (!setup->corners[side])
      return dc_out_of_memory_for(error, "the properties");
  }
  enum dc_status status = dc_bodies_create(&setup->bodies, 2, definitions, setup->shapes, setup->arena, error);
  if (!status)
    status = choose_settings(model, setup->arena, &settings, error);
  if (status)
    return status;
  setup->contact = dc_contact_create(model, &settings, &setup->bodies, error);
  setup->size = setup->bodies.bodies[0].radius + setup->bodies.bodies[1].radius;
  return setup->contact ? DC_OK : error->status;
}

static void end(struct setup *setup)
{
  dc_contact_destroy(setup->contact);
  dc_arena_destroy(setup->arena);
}

static void turn_at_random(struct dc_random *random, struct dc_pose *pose)
{
  for (int i = 0; i < 4; i++)
    pose->quaternion[i] = dc_random_normal(random);
  dc_rotation_normalize(pose->quaternion);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

static void random_direction(struct dc_random *random, double *direction)
{
  for (int k = 0; k < 3; k++)
    direction[k] = dc_random_normal(random);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(direction));
}

static void place(struct setup *setup, double distance)
{
  dc_vec_scale(setup->poses[0].position, setup->direction, distance);
}

static bool overlaps(struct setup *setup, double distance)
{
  int pair;
  double depth;
  place(setup, distance);
  return dc_contact_overlap(setup->contact, setup->poses, &pair, &depth);
}

// Draws orientations and a direction, and finds where the bodies first touch as a approaches along it.
static void draw_line(struct setup *setup, struct dc_random *random)
{
  for (int side = 0; side < 2; side++)
    turn_at_random(random, &setup->poses[side]);
  random_direction(random, setup->direction);
  double high = setup->size, low = high;
  for (int i = MARCH - 1; i >= 0 && low == high; i--) {
    double next = setup->size * i / MARCH;
    if (overlaps(setup, next))
      low = next;
    else
      high = low = next;
  }
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = 0.5 * (low + high);
    if (overlaps(setup, middle))
      low = middle;
    else
      high = middle;
  }
  setup->touching = high;
}

static double evaluate(struct setup *setup, double gap, struct dc_pair_derivatives *pair)
{
  place(setup, setup->touching + setup->size * gap);
  return dc_contact_evaluate(setup->contact, setup->poses, 1, pair);
}

// Norm of the force on a at a gap.
static double force(struct setup *setup, double gap)
{
  struct dc_pair_derivatives pair;
  evaluate(setup, gap, &pair);
  return dc_vec_norm(pair.gradient + 3);
}

static void check_energy(struct dc_contact_properties *properties, bool right)
{
  properties->barrier.poses++;
  properties->barrier.failures += !right;
}

static void measure_barrier(struct setup *setup, struct dc_random *random, struct dc_contact_properties *properties)
{
  double energies[DECADES];
  struct dc_pair_derivatives pair;
  for (int k = 0; k < DECADES; k++) {
    energies[k] = evaluate(setup, pow(10, -2 - k), &pair);
    check_energy(properties, energies[k] >= 0 && isfinite(energies[k]) && isfinite(dc_vec_norm(pair.gradient + 3)));
  }
  double last = energies[DECADES - 1] - energies[DECADES - 2], before = energies[DECADES - 2] - energies[DECADES - 3];
  properties->barrier.gain = fmin(properties->barrier.gain, before > 0 ? last / before : 0);
  if (energies[0] > 0)
    properties->barrier.growth = fmin(properties->barrier.growth, energies[DECADES - 1] / energies[0]);
  for (int k = 0; k < INSIDE_POSES; k++) {
    double inside = setup->touching * (1 - 0.3 * dc_random_uniform(random));
    if (overlaps(setup, inside))
      check_energy(properties, dc_contact_evaluate(setup->contact, setup->poses, 0, &pair) == INFINITY);
  }
}

static void turn_corners(struct setup *setup)
{
  for (int side = 0; side < 2; side++) {
    const struct dc_mesh *mesh = &setup->shapes[side].mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
      double arm[3];
      dc_vec_sub(arm, mesh->vertices[v], setup->bodies.bodies[side].center);
      dc_mat_apply(setup->corners[side][v], setup->poses[side].rotation, arm);
      dc_vec_add(setup->corners[side][v], setup->corners[side][v], setup->poses[side].position);
    }
  }
}

static void measure_push(struct setup *setup, struct dc_random *random, struct dc_contact_properties *properties)
{
  for (int k = 0; k < PUSH_POSES; k++) {
    struct dc_pair_derivatives pair;
    double push[3];
    if (!isfinite(evaluate(setup, pow(10, -4 + 5 * dc_random_uniform(random)), &pair)))
      continue;
    dc_vec_scale(push, pair.gradient + 3, -1);
    if (dc_vec_norm(push) == 0)
      continue;
    turn_corners(setup);
    double leaves = dc_cone_angle(push, setup->shapes[0].mesh.vertex_count, (const double(*)[3])setup->corners[0],
                                  setup->shapes[1].mesh.vertex_count, (const double(*)[3])setup->corners[1]);
    properties->pushing.angle = isfinite(leaves) ? fmax(properties->pushing.angle, leaves) : INFINITY;
    properties->pushing.poses++;
  }
}

static void measure_range(struct setup *setup, struct dc_contact_properties *properties)
{
  double at_one = force(setup, 1);
  for (int k = 0; k < RANGE_POINTS; k++) {
    double gap = pow(10, -3 + 6 * k / (RANGE_POINTS - 1.0)), here = force(setup, gap);
    bool pushes = here > 0;  // a force that is not a number does not
    properties->lasting.least = fmin(properties->lasting.least, pushes && at_one > 0 ? here / at_one : 0);
    if (!pushes)
      properties->lasting.vanishes = fmin(properties->lasting.vanishes, gap);
  }
  properties->lasting.lines++;
}

static void measure_path(struct setup *setup, const struct dc_bench_path *path,
                         struct dc_contact_properties *properties)
{
  struct dc_path_jump jump;
  if (!dc_bench_path_jump(setup->contact, path, setup->size, &jump))
    return;
  properties->smooth.paths++;
  // Persistent jumps come before shrinking ones; of equals the larger first.
  bool persists = isinf(jump.fine) || (jump.fine > PERSISTENT * jump.coarse && jump.fine > ROUNDING);
  bool held = properties->smooth.holds;
  if (persists ? held || jump.fine > properties->smooth.jump_tenth
               : held && jump.fine > properties->smooth.jump_tenth) {
    properties->smooth.jump = jump.coarse;
    properties->smooth.jump_tenth = jump.fine;
    properties->smooth.path = path->name;
  }
  properties->smooth.step = jump.step;
  properties->smooth.holds = held && !persists;
}

// Approaches along the line through shells and limits of support, and a slide and turn at a small gap.
static void measure_random_paths(struct setup *setup, struct dc_random *random,
                                 struct dc_contact_properties *properties)
{
  struct dc_bench_path path = {.name = "approach", .near = 0.01 * setup->size, .far = 3 * setup->size};
  evaluate(setup, 0, &(struct dc_pair_derivatives){0});
  memcpy(path.poses, setup->poses, sizeof path.poses);
  dc_vec_copy(path.direction, setup->direction);
  measure_path(setup, &path, properties);
  double along = 0, at[3];
  path = (struct dc_bench_path){.name = "slide and turn"};
  random_direction(random, path.twist + 3);
  along = dc_vec_dot(path.twist + 3, setup->direction);
  dc_vec_add_scaled(path.twist + 3, path.twist + 3, -along, setup->direction);
  dc_vec_scale(path.twist + 3, path.twist + 3, 0.25 * setup->size / dc_vec_norm(path.twist + 3));
  random_direction(random, path.twist);
  dc_vec_scale(path.twist, path.twist, 0.3);
  memcpy(path.poses, setup->poses, sizeof path.poses);
  dc_vec_scale(at, setup->direction, setup->touching + 0.07 * setup->size);
  dc_vec_add_scaled(path.poses[0].position, at, -0.5, path.twist + 3);
  measure_path(setup, &path, properties);
}

static enum dc_status measure_case(const struct dc_contact_model *model, int c, int lines, struct dc_random *random,
                                   struct dc_contact_properties *properties, struct dc_error *error)
{
  struct setup setup;
  enum dc_status status = begin(&setup, c, model, error);
  if (status == DC_BAD_INPUT) {
    properties->left_out++;
    end(&setup);
    return DC_OK;
  }
  for (int line = 0; line < lines && !status; line++) {
    draw_line(&setup, random);
    measure_barrier(&setup, random, properties);
    measure_push(&setup, random, properties);
    measure_range(&setup, properties);
    measure_random_paths(&setup, random, properties);
  }
  if (!status && c == EDGES_CASE)
    for (int k = 0; k < DC_EDGE_PATHS; k++) {
      struct dc_bench_path path = dc_bench_edge_path(k);
      measure_path(&setup, &path, properties);
    }
  end(&setup);
  return status;
}

enum dc_status dc_bench_properties(const struct dc_contact_model *model, int lines,
                                   struct dc_contact_properties *properties, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  int threads = dc_bench_set_threads(1);
  struct dc_random random;
  dc_random_seed(&random, 1);
  *properties = (struct dc_contact_properties){.model = model->name,
                                               .barrier = {.growth = INFINITY, .gain = INFINITY},
                                               .smooth = {.holds = true, .path = ""},
                                               .lasting = {.least = INFINITY, .vanishes = INFINITY}};
  for (int c = 0; c < CASES && !status; c++)
    status = measure_case(model, c, lines, &random, properties, error);
  dc_bench_set_threads(threads);
  properties->barrier.holds = properties->barrier.failures == 0 && properties->barrier.gain > LEAST_GAIN;
  properties->smooth.holds = properties->smooth.holds && properties->smooth.paths > 0;
  properties->pushing.holds = properties->pushing.poses > 0 && properties->pushing.angle < MOST_ANGLE;
  properties->lasting.holds = properties->lasting.least > 0;
  return status;
}
