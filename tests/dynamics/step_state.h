// SPDX-License-Identifier: Apache-2.0
// What the terms of a step see at three given states of a scene.
#ifndef DC_TESTS_DYNAMICS_STEP_STATE_H
#define DC_TESTS_DYNAMICS_STEP_STATE_H

#include "dynamics/step.h"
#include "scenes.h"

static inline struct dc_step_interval whole_step(const struct scene *scene, int step)
{
  return (struct dc_step_interval){.step = step, .length = scene->definition.time.step, .ratio = 1};
}

// States [nq] at t-1, t and t+1; the kinematics of the scene's rollout are brought up to date.
static inline struct dc_step_state step_state_at(struct scene *scene, const struct dc_rollout_input *input,
                                                 struct dc_step_interval interval, const double *before,
                                                 const double *now, const double *next)
{
  struct dc_rollout *rollout = scene->rollout;
  const struct dc_bodies *bodies = &scene->model.bodies;
  dc_kinematics_update(bodies, before, &rollout->before);
  dc_kinematics_update(bodies, now, &rollout->now);
  dc_kinematics_update(bodies, next, &rollout->next);
  return (struct dc_step_state){.model = &scene->model,
                                .input = input,
                                .interval = interval,
                                .hardening = 1,
                                .q_before = before,
                                .q_now = now,
                                .q_next = next,
                                .before = rollout->before.poses,
                                .now = rollout->now.poses,
                                .next = rollout->next.poses,
                                .pair_count = rollout->pair_count,
                                .pair_bodies = rollout->pair_bodies,
                                .pairs = rollout->pairs,
                                .contact = rollout->contact,
                                .friction = rollout->friction};
}

// Lists what rubs at time t.
static inline void begin_friction(struct scene *scene, const struct dc_rollout_input *input,
                                  struct dc_step_state *state)
{
  struct dc_rollout *rollout = scene->rollout;
  struct dc_friction_law law = dc_step_friction_law(rollout, input, state->interval.length, rollout->coefficients);
  dc_contact_evaluate(rollout->contact, state->now, 0, rollout->trial_pairs);
  CHECK(dc_contact_friction_begin(rollout->contact, state->now, &law, NULL) == DC_OK, "friction");
  state->rubs = dc_contact_rubs(rollout->contact);
}

#endif
