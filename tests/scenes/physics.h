// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of known answers: scenes from text, rollouts, and where the energy of each step goes.
#ifndef DC_TESTS_SCENES_PHYSICS_H
#define DC_TESTS_SCENES_PHYSICS_H

#include <omp.h>
#include <stdarg.h>

#include "contact/friction/friction.h"
#include "dynamics/rollout.h"
#include "harness.h"
#include "io/scene/scene.h"
#include "io/scene_files.h"
#include "math/rotation.h"
#include "math/vector.h"

static const double GRAVITY = 9.81;  // m/s^2

struct experiment {
  struct dc_scene *scene;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;
  struct dc_trajectory *trajectory;
};

// Reads a scene given as a format, with ' for ", and makes what a rollout of it needs; false when a check failed.
__attribute__((format(printf, 2, 3))) static inline bool set_up(struct experiment *experiment, const char *format, ...)
{
  static int number;
  char *text = NULL, path[32];
  struct dc_error error = {0};
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  memset(experiment, 0, sizeof *experiment);
  if (length < 0)
    return false;
  omp_set_num_threads(1);  // too small to gain from more
  snprintf(path, sizeof path, "scene%d.json", number++);
  write_scene(path, text);
  free(text);
  CHECK(dc_scene_read(path, NULL, &experiment->scene, &error) == DC_OK, "%s", error.text);
  if (!experiment->scene)
    return false;
  const struct dc_model *model = &experiment->scene->model;
  int steps = (int)model->definition.time.steps;
  experiment->rollout = dc_rollout_create(model, &error);
  experiment->input = dc_rollout_input_create(model, steps);
  experiment->trajectory = dc_trajectory_create(model, steps);
  CHECK(experiment->rollout && experiment->input && experiment->trajectory, "%s", error.text);
  return experiment->rollout && experiment->input && experiment->trajectory;
}

// Rolls the scene out; every step must converge.
static inline bool roll(struct experiment *experiment)
{
  struct dc_error error = {0};
  enum dc_status status = dc_rollout_forward(experiment->rollout, experiment->input, experiment->trajectory, &error);
  CHECK(status == DC_OK, "%s", error.text);
  CHECK(experiment->trajectory->unconverged_steps == 0, "%d", experiment->trajectory->unconverged_steps);
  return status == DC_OK;
}

static inline void tear_down(struct experiment *experiment)
{
  dc_trajectory_destroy(experiment->trajectory);
  dc_rollout_input_destroy(experiment->input);
  dc_rollout_destroy(experiment->rollout);
  dc_scene_destroy(experiment->scene);
}

static inline const struct dc_pose *poses_at(const struct experiment *experiment, int frame)
{
  return experiment->trajectory->poses + (size_t)frame * (size_t)experiment->trajectory->bodies;
}

// Velocity of the centre of mass in the step that ends at frame.
static inline void velocity_at(const struct experiment *experiment, int frame, int body, double velocity[3])
{
  dc_vec_sub(velocity, poses_at(experiment, frame)[body].position, poses_at(experiment, frame - 1)[body].position);
  dc_vec_scale(velocity, velocity, 1 / experiment->trajectory->time_step);
}

// |(T - T-)/h|^2_M / 2 between poses h apart in time, over all bodies.
static inline double kinetic_energy_between(const struct experiment *experiment, const struct dc_pose *from,
                                            const struct dc_pose *to, double h)
{
  const struct dc_bodies *bodies = &experiment->scene->model.bodies;
  double sum = 0;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double distance = dc_vec_distance(to[i].position, from[i].position), change[9], moved[9];
    if (!dc_body_moves(body))
      continue;
    for (int k = 0; k < 9; k++)
      change[k] = to[i].rotation[k] - from[i].rotation[k];
    dc_mat_multiply(moved, change, body->second_moment);
    sum += 0.5 * body->mass * distance * distance;
    for (int k = 0; k < 9; k++)
      sum += 0.5 * change[k] * moved[k];
  }
  return sum / (h * h);
}

// The same in the step that ends at frame.
static inline double kinetic_energy(const struct experiment *experiment, int frame)
{
  return kinetic_energy_between(experiment, poses_at(experiment, frame - 1), poses_at(experiment, frame),
                                experiment->trajectory->time_step);
}

// Where the energy goes in a passive system.  With xi the displacement of a step, or of a part of a divided one, in the
// coordinates of the joints,
//     E+ - E = [V+ - V - V'+ xi] - D' xi + [K+ - K - I'+ xi]:
// curvature of gravity and contact, dissipation by friction, inertia (docs/theory.md, "Energy").
struct ledger {
  double start;  // E after the first step or part, J
  double end;
  double rise;        // largest E+ - E
  double curvature;   // largest first bracket
  double excess;      // largest E+ - E - [first bracket] + D' xi, which inertia makes negative
  double dissipated;  // sum of D' xi
  double worked;      // least D' xi + sum lambda f |w|^2 R / 2, the chord's part of which is never negative
};

// What keeping a ledger needs; everything belongs to the arena.
struct ledger_space {
  struct dc_arena *arena;
  struct dc_kinematics kinematics;
  struct dc_pose *poses;  // at the beginning
  struct dc_friction_law law;
  struct dc_pair_derivatives *pairs;
  struct dc_friction_derivatives *friction;
  double (*wrenches)[6], *slope, *xi;
};

static inline void ledger_begin(const struct experiment *experiment, struct ledger_space *space)
{
  const struct dc_model *model = &experiment->scene->model;
  const struct dc_contact_settings *contact = &model->definition.contact;
  size_t bodies = (size_t)model->bodies.count, nv = (size_t)model->bodies.nv + 1;
  size_t pairs = (size_t)dc_contact_pair_count(dc_rollout_contact(experiment->rollout)) + 1;
  space->arena = dc_arena_create();
  double *coefficients = dc_arena_alloc(space->arena, bodies, sizeof *coefficients);
  space->poses = dc_arena_alloc(space->arena, bodies, sizeof *space->poses);
  space->pairs = dc_arena_alloc(space->arena, pairs, sizeof *space->pairs);
  space->friction = dc_arena_alloc(space->arena, pairs, sizeof *space->friction);
  space->wrenches = dc_arena_alloc(space->arena, bodies, sizeof *space->wrenches);
  space->slope = dc_arena_alloc(space->arena, nv, sizeof *space->slope);
  space->xi = dc_arena_alloc(space->arena, nv, sizeof *space->xi);
  CHECK(!dc_kinematics_create(&model->bodies, space->arena, &space->kinematics, NULL), "memory");
  for (int i = 0; i < model->bodies.count; i++)
    coefficients[i] = dc_model_friction(model, i);
  space->law = (struct dc_friction_law){.stiffness = contact->stiffness,
                                        .time_step = experiment->trajectory->time_step,
                                        .smoothing = contact->friction_smoothing,
                                        .coefficient = coefficients};
}

// Gravity and contact; leaves the pairs' derivatives.
static inline double ledger_potential(struct experiment *experiment, const struct dc_pose *poses,
                                      struct ledger_space *space)
{
  const struct dc_model *model = &experiment->scene->model;
  double sum = 0;
  for (int i = 0; i < model->bodies.count; i++)
    if (dc_body_moves(&model->bodies.bodies[i]))
      sum -= model->bodies.bodies[i].mass * dc_vec_dot(model->definition.gravity, poses[i].position);
  return sum + model->definition.contact.stiffness *
                   dc_contact_evaluate(dc_rollout_contact(experiment->rollout), poses, 1, space->pairs);
}

// Adds the wrenches of one pair's gradient [12] to both bodies.
static inline void ledger_add(double (*wrenches)[6], const int pair[2], double scale, const double gradient[12])
{
  for (int k = 0; k < 12; k++)
    wrenches[pair[k / 6]][k % 6] += scale * gradient[k];
}

// The wrenches, pulled back to the coordinates, along xi; clears them.
static inline double ledger_along(const struct dc_bodies *bodies, struct ledger_space *space)
{
  double sum = 0;
  memset(space->slope, 0, (size_t)bodies->nv * sizeof *space->slope);
  dc_pull_back(bodies, &space->kinematics, (const double(*)[6])space->wrenches, space->slope);
  memset(space->wrenches, 0, (size_t)bodies->count * sizeof *space->wrenches);
  for (int v = 0; v < bodies->nv; v++)
    sum += space->slope[v] * space->xi[v];
  return sum;
}

// What D' xi along the arc may fall below D' along the chord: sum lambda f |w|^2 R / 2, f the normal forces and w the
// turns of free bodies of radius R (docs/theory.md, "Energy").  The pairs are those of the beginning.
static inline double ledger_arc(const struct experiment *experiment, const struct ledger_space *space)
{
  const struct dc_bodies *bodies = &experiment->scene->model.bodies;
  const struct dc_contact *contact = dc_rollout_contact(experiment->rollout);
  double sum = 0;
  for (int p = 0; p < dc_contact_pair_count(contact); p++) {
    const int *pair = dc_contact_pairs(contact)[p];
    double force = space->law.stiffness * dc_vec_norm(space->pairs[p].gradient + 3),
           limit = sqrt(space->law.coefficient[pair[0]] * space->law.coefficient[pair[1]]) * force;
    for (int side = 0; side < 2; side++) {
      const struct dc_body *body = &bodies->bodies[pair[side]];
      const double *turn = space->xi + body->v_offset;
      if (body->free)
        sum += 0.5 * limit * dc_vec_dot(turn, turn) * body->radius;
    }
  }
  return sum;
}

// The motion from a state to another one h later: E+, the bracket of gravity and contact, D' xi, what the arc may take
// from it.
static inline void ledger_step(struct experiment *experiment, const double *q, const double *next, double h,
                               struct ledger_space *space, double result[4])
{
  const struct dc_model *model = &experiment->scene->model;
  const struct dc_bodies *bodies = &model->bodies;
  struct dc_contact *contact = dc_rollout_contact(experiment->rollout);
  const int(*pair_bodies)[2] = dc_contact_pairs(contact);
  int pair_count = dc_contact_pair_count(contact);
  dc_poses(bodies, q, space->poses);
  space->law.time_step = h;
  double before = ledger_potential(experiment, space->poses, space);
  dc_state_difference(bodies, q, next, space->xi);
  result[3] = ledger_arc(experiment, space);
  dc_kinematics_update(bodies, next, &space->kinematics);
  CHECK(!dc_contact_friction_begin(contact, space->poses, &space->law, NULL), "memory");
  memset(space->wrenches, 0, (size_t)bodies->count * sizeof *space->wrenches);
  if (dc_contact_slides(contact)) {
    dc_contact_friction_evaluate(contact, space->kinematics.poses, 1, false, space->friction);
    for (int p = 0; p < pair_count; p++)
      ledger_add(space->wrenches, pair_bodies[p], 1, space->friction[p].gradient);
  }
  result[2] = ledger_along(bodies, space);
  double after = ledger_potential(experiment, space->kinematics.poses, space);
  for (int p = 0; p < pair_count; p++) {
    double gradient[12];
    dc_contact_expand_gradient(&space->pairs[p], gradient);
    ledger_add(space->wrenches, pair_bodies[p], model->definition.contact.stiffness, gradient);
  }
  for (int i = 0; i < bodies->count; i++)
    dc_vec_add_scaled(space->wrenches[i] + 3, space->wrenches[i] + 3, -bodies->bodies[i].mass,
                      model->definition.gravity);
  result[0] = kinetic_energy_between(experiment, space->poses, space->kinematics.poses, h) + after;
  result[1] = after - before - ledger_along(bodies, space);
}

static inline struct ledger keep_ledger(struct experiment *experiment)
{
  struct ledger ledger = {.rise = -INFINITY, .curvature = -INFINITY, .excess = -INFINITY, .worked = INFINITY};
  struct ledger_space space;
  double step[4];
  const struct dc_trajectory *trajectory = experiment->trajectory;
  ledger_begin(experiment, &space);
  for (int t = 0; t < trajectory->steps; t++)
    for (int k = 0; k < dc_trajectory_substeps(trajectory, t); k++) {
      double at, end;
      const double *q = dc_trajectory_state(trajectory, t, k, &at),
                   *next = dc_trajectory_state(trajectory, t, k + 1, &end);
      ledger_step(experiment, q, next, trajectory->time_step * (end - at), &space, step);
      if (t > 0 || k > 0) {
        double rise = step[0] - ledger.end;
        ledger.rise = larger(ledger.rise, rise);
        ledger.curvature = larger(ledger.curvature, step[1]);
        ledger.excess = larger(ledger.excess, rise - step[1] + step[2]);
        ledger.worked = fmin(ledger.worked, step[2] + step[3]);
      } else {
        ledger.start = step[0];
      }
      ledger.end = step[0];
      ledger.dissipated += step[2];
    }
  dc_arena_destroy(space.arena);
  return ledger;
}

#endif
