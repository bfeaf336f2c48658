// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of cables (docs/theory.md, "Cables and air").  A cable of length d(q+), let to be L +
// y long, y its target at t+1, pulls with the tension
//     T = k r(s),   s = d - L - y,   r = (s + sqrt(s^2 + e^2))/2 > 0,   energy k (s^2 + s R + e^2 asinh(s/e))/4,  R the root.
// With the unit vectors t_k along its stretches of lengths l_k, J_p = t_{p-1} - t_p is the derivative of d by point p,
// and the Hessian T' J J^T + T sum (I - t t^T)/l, positive semidefinite as T and T' are positive.  Points are origins
// of frames: a force there is a wrench without torque, a block of H stands among the shifts of twists, and what places
// of frames have for second derivatives by coordinates is the assembler's.
#include "dynamics/step.h"
#include "math/vector.h"

// A cable in a step.
struct pull {
  double along[DC_CABLE_POINTS][3], lengths[DC_CABLE_POINTS];
  double tension, slope, energy;  // T, T', J
};

static double target_of(const struct dc_step_state *state, const struct dc_cable *cable)
{
  size_t at = (size_t)state->interval.step * (size_t)state->model->bodies.actuator_count + (size_t)cable->actuator;
  return state->input->target_position[at] - state->interval.remaining * state->input->target_velocity[at];
}

// The root is taken so that nothing cancels: s + R for a stretched cable, e^2/(R - s) for a slack one.
static void set_pull(const struct dc_step_state *state, const struct dc_cable *cable, struct pull *pull)
{
  double e = cable->smoothing, length = dc_cable_stretches(cable, state->next, pull->along, pull->lengths),
         s = length - cable->length - target_of(state, cable), root = sqrt(s * s + e * e),
         sum = s > 0 ? s + root : e * e / (root - s);
  pull->tension = 0.5 * cable->stiffness * sum;
  pull->slope = 0.5 * cable->stiffness * sum / root;
  pull->energy = 0.25 * cable->stiffness * (s * sum + e * e * asinh(s / e));
}

// J_p
static void point_slope(const struct dc_cable *cable, const struct pull *pull, int p, double j[3])
{
  for (int i = 0; i < 3; i++)
    j[i] = (p > 0 ? pull->along[p - 1][i] : 0) - (p + 1 < cable->count ? pull->along[p][i] : 0);
}

#define FOR_EACH_CABLE(cable, state)                                                                                   \
  for (const struct dc_cable *cable = (state)->model->bodies.cables,                                                   \
                             *end_ = cable + (state)->model->bodies.cable_count;                                       \
       cable < end_; cable++)

// Every cable once; what it pulls depends on the frames at t+1 and on its target alone.
static double value(const struct dc_step_state *state)
{
  double sum = 0;
  struct pull pull;
  FOR_EACH_CABLE(cable, state)
  {
    set_pull(state, cable, &pull);
    sum += pull.energy;
  }
  return sum;
}

// `scale` times J on the frames that the cable goes through: the tension for gradients, its change for products.
static void add_forces(const struct dc_cable *cable, const struct pull *pull, double scale,
                       struct dc_step_forces *forces)
{
  for (int p = 0; p < cable->count; p++) {
    double j[3], *force = forces->wrenches[cable->through[p]] + 3;
    point_slope(cable, pull, p, j);
    dc_vec_add_scaled(force, force, scale, j);
  }
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  struct pull pull;
  FOR_EACH_CABLE(cable, state)
  {
    set_pull(state, cable, &pull);
    add_forces(cable, &pull, pull.tension, forces);
  }
}

// The block of points p and r.
static void point_block(const struct dc_cable *cable, const struct pull *pull, int p, int r, double block[9])
{
  double a[3], b[3];
  point_slope(cable, pull, p, a);
  point_slope(cable, pull, r, b);
  for (int i = 0; i < 9; i++)
    block[i] = pull->slope * a[i / 3] * b[i % 3];
  for (int k = 0; k + 1 < cable->count; k++) {
    if ((p != k && p != k + 1) || (r != k && r != k + 1))
      continue;
    double scale = (p == r ? 1 : -1) * pull->tension / pull->lengths[k];
    for (int i = 0; i < 9; i++)
      block[i] += scale * ((i % 4 == 0) - pull->along[k][i / 3] * pull->along[k][i % 3]);
  }
}

// Every ordered pair of nodes adds its block, in the lower triangle once and on the diagonal twice where two points
// share a node.
static void add_to_nodes(const struct dc_bodies *bodies, const struct dc_support *one, const struct dc_support *other,
                         const double block[9], struct dc_symmetric_matrix *matrix)
{
  for (int i = 0; i < one->count; i++)
    for (int j = 0; j < other->count; j++) {
      int row = bodies->mechanism_count + one->places[i] / 3, column = bodies->mechanism_count + other->places[j] / 3;
      if (row >= column)
        dc_symmetric_add_block(matrix, row, column, one->weights[i] * other->weights[j], block, 3);
    }
}

// A point of a rigid body, and nodes.
static void add_between(const struct dc_bodies *bodies, int body, const struct dc_support *support,
                        const double block[9], struct dc_step_hessian *hessian)
{
  for (int i = 0; i < support->count; i++) {
    double rows[6][3] = {{0}};
    for (int k = 0; k < 9; k++)
      rows[3 + k / 3][k % 3] = support->weights[i] * block[k];
    dc_assemble_node(hessian->assembler, hessian->kinematics, body, bodies->mechanism_count + support->places[i] / 3,
                     (const double(*)[3])rows, hessian->matrix);
  }
}

// Points p and r of rigid bodies: of one body every ordered pair adds, of two the assembler adds the mirror image.
static void add_to_frames(const struct dc_cable *cable, int p, int r, const double block[9],
                          struct dc_step_hessian *hessian)
{
  int body = cable->through[p], other = cable->through[r];
  double both[36] = {0}, *sum = body == other ? hessian->blocks[body] : both;
  if (body != other && p < r)
    return;
  for (int k = 0; k < 9; k++)
    sum[6 * (3 + k / 3) + 3 + k % 3] += block[k];
  if (body != other)
    dc_assemble_pair(hessian->assembler, hessian->kinematics, body, other, 1, both, hessian->matrix);
}

static bool moves(const struct dc_bodies *bodies, const struct dc_cable *cable, int p)
{
  return cable->supports[p] || dc_body_moves(&bodies->bodies[cable->through[p]]);
}

// The Hessian of every pair of points of a cable that move; it is positive semidefinite as it is.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  struct pull pull;
  (void)exact;
  FOR_EACH_CABLE(cable, state)
  {
    set_pull(state, cable, &pull);
    for (int p = 0; p < cable->count; p++)
      for (int r = 0; r < cable->count; r++) {
        double block[9];
        if (!moves(bodies, cable, p) || !moves(bodies, cable, r))
          continue;
        point_block(cable, &pull, p, r, block);
        if (cable->supports[p] && cable->supports[r])
          add_to_nodes(bodies, cable->supports[p], cable->supports[r], block, hessian->matrix);
        else if (cable->supports[r])
          add_between(bodies, cable->through[p], cable->supports[r], block, hessian);
        else if (!cable->supports[p])
          add_to_frames(cable, p, r, block, hessian);
      }
  }
}

// Only the targets, the cable's wanted length and its rate, are mixed with the points at t+1.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  struct pull pull;
  FOR_EACH_CABLE(cable, state)
  {
    size_t at = (size_t)state->interval.step * (size_t)state->model->bodies.actuator_count + (size_t)cable->actuator;
    double rate = 0;
    set_pull(state, cable, &pull);
    for (int p = 0; p < cable->count; p++) {
      double j[3];
      point_slope(cable, &pull, p, j);
      rate += dc_vec_dot(j, direction->twists[cable->through[p]] + 3);
    }
    out->input->target_position[at] -= pull.slope * rate;
    out->input->target_velocity[at] += state->interval.remaining * pull.slope * rate;
  }
}

// Rates of the forces on the frames' origins along the direction: rows of the Hessian times it.
static enum dc_status add_shape_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                                      struct dc_step_shape *shape, struct dc_error *error)
{
  struct pull pull;
  (void)error;
  FOR_EACH_CABLE(cable, state)
  {
    set_pull(state, cable, &pull);
    for (int p = 0; p < cable->count; p++)
      for (int r = 0; r < cable->count; r++) {
        double block[9], rate[3];
        point_block(cable, &pull, p, r, block);
        dc_mat_apply(rate, block, direction->twists[cable->through[r]] + 3);
        dc_vec_add(shape->rates[cable->through[p]], shape->rates[cable->through[p]], rate);
      }
  }
  return DC_OK;
}

// A target that grows by dy lengthens the cable at rest and takes T' dy from the tension.
static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  struct pull pull;
  FOR_EACH_CABLE(cable, state)
  {
    size_t at = (size_t)state->interval.step * (size_t)state->model->bodies.actuator_count + (size_t)cable->actuator;
    double change =
        variation->input->target_position[at] - state->interval.remaining * variation->input->target_velocity[at];
    set_pull(state, cable, &pull);
    add_forces(cable, &pull, -pull.slope * change, forces);
  }
}

// Adds the rounding error of cable forces: noise of positions times stiffness, at every body or node that a cable
// passes through.
static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  FOR_EACH_CABLE(cable, state)
  {
    double size = 0;
    for (int p = 0; p < cable->count; p++)
      size = fmax(size, dc_vec_norm(state->next[cable->through[p]].position));
    for (int p = 0; p < cable->count; p++) {
      const struct dc_support *support = cable->supports[p];
      for (int k = 0; k < 3 && !support; k++)
        floor->wrenches[cable->through[p]][3 + k] += DC_POSITION_NOISE * cable->stiffness * cable->count * size;
      for (int i = 0; support && i < support->count; i++)
        for (int k = 0; k < 3; k++)
          floor->joints[bodies->first_node_v + support->places[i] + k] +=
              DC_POSITION_NOISE * fabs(support->weights[i]) * cable->stiffness * cable->count * size;
    }
  }
}

const struct dc_step_term dc_cable_term = {
    .name = "cables",
    .reference = "paper 004, Eq. 3; docs/theory.md, \"Cables and air\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_shape_mixed = add_shape_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
};
