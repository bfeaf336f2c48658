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
  return dc_step_state_of(rollout, input, interval, before, now, next);
}

// What terms know of contact at the state: at t and at t+1.
static inline void evaluate_state(struct scene *scene, const struct dc_step_state *state)
{
  struct dc_rollout *rollout = scene->rollout;
  CHECK(dc_step_restore(rollout, state, false, &scene->error) == DC_OK, "%s", scene->error.text);
  CHECK(dc_rigid_evaluate(&rollout->rigid, state->next, 2, rollout->rigid.pairs, NULL) == DC_OK, "contact");
}

#endif
