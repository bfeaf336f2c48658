// SPDX-License-Identifier: Apache-2.0
// Pins of soft bodies in a prediction (prediction.c).  Nodes are no part of it, but frames that hold them have in G the
// force k d of the pins at t (terms_pin.c) as they have gravity,
//     -h (h + h-)/2 k (a x d, d),
// along their directions at t, in the middle of three states, without which links that hold soft bodies would be of
// first order.  It is the gradient of h (h + h-)/2 k |d|^2/2 by the frame, whose second derivative is symmetric.
#include "dynamics/pins.h"
#include "dynamics/prediction_parts.h"
#include "math/vector.h"

// h (h + h-)/2 k
static double level_of(const struct dc_step_state *state, const struct dc_pinned *pinned)
{
  double h = state->interval.length;
  return h * h * state->kick * pinned->pin->stiffness;
}

#define FOR_EACH_HELD(pinned, state)                                                                                   \
  for (struct dc_pinned all_ = {0}, *pinned = &all_;                                                                   \
       dc_next_pin(&(state)->model->bodies, (state)->now, (state)->q_now, pinned);)                                    \
    if (pinned->pin->body >= 0)

void dc_prediction_add_pins(const struct dc_step_state *state, double (*wrenches)[6])
{
  FOR_EACH_HELD(pinned, state)
  dc_pin_add_wrench(pinned, -level_of(state, pinned), pinned->d, wrenches);
}

// The block of terms_pin.c with the level of the prediction, exact since the force is not small.
void dc_prediction_add_pin_block(const struct dc_step_state *state, const double (*twists)[6], const double *nodes,
                                 double (*wrenches)[6], double *joints)
{
  FOR_EACH_HELD(pinned, state)
  {
    double level = level_of(state, pinned), block[36] = {0}, y[3], rate[3];
    int v = pinned->soft->v_offset + 3 * pinned->pin->node;
    const double *twist = twists[pinned->pin->body];
    double *wrench = wrenches[pinned->pin->body];
    dc_vec_scale(y, pinned->d, level);
    dc_pin_add_block(pinned, level, y, block);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        wrench[i] += block[6 * i + j] * twist[j];
    if (nodes)
      dc_pin_add_wrench(pinned, -level, nodes + v, wrenches);
    dc_pin_rate(pinned, twists, rate);
    if (joints)
      dc_vec_add_scaled(joints + v, joints + v, -level, rate);
  }
}
