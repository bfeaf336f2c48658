// SPDX-License-Identifier: Apache-2.0
// A model filled in by hand: what controls and objectives read, and nothing else.
#ifndef DC_TESTS_TASK_HAND_MODEL_H
#define DC_TESTS_TASK_HAND_MODEL_H

#include "base/random.h"
#include "task/task.h"

enum { ROD, WALL, KNEE, HIP, SLEDGE, BOX, BODIES };
enum { NQ = 7 + 1 + 4 + 3 + 7, NV = 6 + 1 + 3 + 3 + 6, ACTUATORS = 13 };
#define TIME_STEP 0.04
#define RUN_STEPS 40

static const struct dc_joint_part rod_parts[] = {{.kind = DC_PART_TRANSLATION, .q = 0, .v = 3},
                                                 {.kind = DC_PART_BALL, .q = 3, .v = 0}};
static const struct dc_joint_part knee_parts[] = {
    {.kind = DC_PART_HINGE, .q = 7, .v = 6, .axis = {0, 1, 0}, .range = {-INFINITY, INFINITY}}};
static const struct dc_joint_part hip_parts[] = {{.kind = DC_PART_BALL, .q = 8, .v = 7}};
static const struct dc_joint_part sledge_parts[] = {
    {.kind = DC_PART_SLIDE, .q = 12, .v = 10, .axis = {1, 0, 0}, .range = {-INFINITY, INFINITY}},
    {.kind = DC_PART_SLIDE, .q = 13, .v = 11, .axis = {0, 1, 0}, .range = {-INFINITY, INFINITY}},
    {.kind = DC_PART_HINGE, .q = 14, .v = 12, .axis = {0, 0, 1}, .range = {-INFINITY, INFINITY}}};
static const struct dc_joint_part box_parts[] = {{.kind = DC_PART_TRANSLATION, .q = 15, .v = 16},
                                                 {.kind = DC_PART_BALL, .q = 18, .v = 13}};
static const struct dc_pd_definition hand_pd = {.kp = 30, .kd = 2, .kp_rotation = 20, .kd_rotation = 1};

// All bodies but the wall hang on the world, each a mechanism of its own; actuators but for wall and box.
static struct dc_mechanism hand_mechanisms[] = {{0, 6, 1}, {6, 1, 1}, {7, 3, 1}, {10, 3, 1}, {13, 6, 1}};
static struct dc_body hand_bodies[BODIES] = {
    [ROD] = {.name = "rod",
             .joint_name = "free",
             .part_count = 2,
             .parts = rod_parts,
             .free = true,
             .nq = 7,
             .nv = 6,
             .pd = &hand_pd,
             .actuator = 0},
    [WALL] = {.name = "wall", .joint_name = "fixed", .q_offset = -1, .v_offset = -1, .mechanism = -1, .actuator = -1},
    [KNEE] = {.name = "knee",
              .joint_name = "hinge",
              .part_count = 1,
              .parts = knee_parts,
              .nq = 1,
              .nv = 1,
              .q_offset = 7,
              .v_offset = 6,
              .mechanism = 1,
              .pd = &hand_pd,
              .actuator = 6},
    [HIP] = {.name = "hip",
             .joint_name = "ball",
             .part_count = 1,
             .parts = hip_parts,
             .nq = 4,
             .nv = 3,
             .q_offset = 8,
             .v_offset = 7,
             .mechanism = 2,
             .pd = &hand_pd,
             .actuator = 7},
    [SLEDGE] = {.name = "sledge",
                .joint_name = "planar",
                .part_count = 3,
                .parts = sledge_parts,
                .nq = 3,
                .nv = 3,
                .q_offset = 12,
                .v_offset = 10,
                .mechanism = 3,
                .pd = &hand_pd,
                .actuator = 10},
    [BOX] = {.name = "box",
             .joint_name = "free",
             .part_count = 2,
             .parts = box_parts,
             .free = true,
             .nq = 7,
             .nv = 6,
             .q_offset = 15,
             .v_offset = 13,
             .mechanism = 4,
             .actuator = -1},
};

static inline struct dc_model hand_model(void)
{
  static double initial_q[NQ], reach[NV];
  for (int i = 0; i < BODIES; i++)
    hand_bodies[i].parent = -1;
  for (int i = 0; i < NV; i++)
    reach[i] = 1;
  initial_q[0] = 0.3, initial_q[3] = initial_q[8] = 1, initial_q[15] = -0.4;
  initial_q[18] = 0.6, initial_q[19] = -0.8;
  struct dc_model model = {.definition = {.time = {.step = TIME_STEP, .steps = RUN_STEPS}},
                           .bodies = {.count = BODIES,
                                      .nq = NQ,
                                      .nv = NV,
                                      .bodies = hand_bodies,
                                      .mechanism_count = 5,
                                      .mechanisms = hand_mechanisms,
                                      .actuator_count = ACTUATORS,
                                      .initial_q = initial_q,
                                      .reach = reach}};
  return model;
}

static inline void random_vector(struct dc_random *random, int count, double size, double *vector)
{
  for (int i = 0; i < count; i++)
    vector[i] = size * (2 * dc_random_uniform(random) - 1);
}

static inline void expect_refusal(enum dc_status status, const struct dc_error *error, const char *start)
{
  CHECK(status == DC_BAD_INPUT && strncmp(error->text, start, strlen(start)) == 0, "%d \"%s\" instead of \"%s\"",
        (int)status, error->text, start);
}

#endif
