// SPDX-License-Identifier: Apache-2.0
// Small models of the gradient benchmark, made in memory: bodies on slides and hinges.
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "bench/bodies.h"
#include "dynamics/rollout.h"

enum { DC_BENCH_BODIES = 3, DC_BENCH_JOINTS = 3 };

struct dc_bench_body {
  const char *name;  // NULL: none
  const struct dc_bench_shape *shape;
  const char *joints;  // a letter for every degree of freedom: x, y, z slides along, r a hinge about z; "": fixed
  double mass;         // kg
  double position[3];  // m
  double velocity[DC_BENCH_JOINTS];
  double kp, kd;  // of an actuator on every degree of freedom; kp 0: none
};

struct dc_bench_setting {
  double step;       // s
  double gravity;    // along z, m/s^2
  double stiffness;  // of the contact, before the factor of the model, J
  double friction;
  struct dc_bench_body bodies[DC_BENCH_BODIES];
};

struct dc_bench_scene {
  struct dc_arena *arena;
  struct dc_shape shapes[DC_BENCH_BODIES];
  struct dc_body_definition bodies[DC_BENCH_BODIES];
  struct dc_model_definition definition;
  struct dc_model model;
};

// Builds the model with the contact settings that the table in the source gives to this contact model.  Destroy it in
// any case.
enum dc_status dc_bench_scene_create(const struct dc_bench_setting *setting, const struct dc_contact_model *contact,
                                     struct dc_bench_scene *scene, struct dc_error *error);
void dc_bench_scene_destroy(struct dc_bench_scene *scene);

#endif
