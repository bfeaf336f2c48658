// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of nodes that springs hold on bodies that move.  A node at x, its place r in a frame
// of origin p and rotation R, and a = R r give
//     k/2 |d|^2,   d = x - p - a.
// With the twist (w, t) of the frame, R <- exp([w]x) R, d changes by dx - t - w x a - w x (w x a)/2, so that node and
// frame have the gradients k d and -k (a x d, d), the blocks k I of the node, -k ([a]x, I) between both, and of the
// frame
//     k (|a|^2 I - a a^T) + k ((d.a) I - (d a^T + a d^T)/2) of turns,   k [a]x of turns and shifts,   k I of shifts,
// the second part of turns only where the Hessian is to be exact.  Springs on the world are in terms_nodes.c.
#include "dynamics/step.h"
#include "math/vector.h"

// A pin in a step.
struct mount {
  const struct dc_soft *soft;
  const struct dc_pin *pin;
  double a[3], d[3];
};

// Sets the next pin on a body that moves; false: no more.  *s and *p begin at 0.
static bool next_mount(const struct dc_step_state *state, int *s, int *p, struct mount *mount)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  for (; *s < bodies->soft_count && bodies->mount_count; ++*s, *p = 0)
    while (*p < bodies->soft[*s].pin_count) {
      const struct dc_soft *soft = &bodies->soft[*s];
      const struct dc_pin *pin = &soft->pins[(*p)++];
      if (pin->body < 0)
        continue;
      const struct dc_pose *pose = &state->next[pin->body];
      *mount = (struct mount){.soft = soft, .pin = pin};
      dc_mat_apply(mount->a, pose->rotation, pin->place);
      dc_vec_sub(mount->d, state->q_next + soft->q_offset + 3 * (size_t)pin->node, pose->position);
      dc_vec_sub(mount->d, mount->d, mount->a);
      return true;
    }
  return false;
}

#define FOR_EACH_MOUNT(mount, state) for (int s_ = 0, p_ = 0; next_mount(state, &s_, &p_, mount);)

static double value(const struct dc_step_state *state)
{
  struct mount mount;
  double sum = 0;
  FOR_EACH_MOUNT(&mount, state)
  sum += 0.5 * mount.pin->stiffness * dc_vec_dot(mount.d, mount.d);
  return sum;
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  struct mount mount;
  FOR_EACH_MOUNT(&mount, state)
  {
    double *node = forces->joints + mount.soft->v_offset + 3 * (size_t)mount.pin->node,
           *wrench = forces->wrenches[mount.pin->body], torque[3];
    dc_vec_add_scaled(node, node, mount.pin->stiffness, mount.d);
    dc_vec_cross(torque, mount.a, mount.d);
    dc_vec_add_scaled(wrench, wrench, -mount.pin->stiffness, torque);
    dc_vec_add_scaled(wrench + 3, wrench + 3, -mount.pin->stiffness, mount.d);
  }
}

// Adds the block of the frame.
static void add_frame(const struct mount *mount, bool exact, double *block)
{
  double k = mount->pin->stiffness;
  const double *a = mount->a, *d = mount->d, cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  double square = dc_vec_dot(a, a) + (exact ? dc_vec_dot(d, a) : 0);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      block[6 * i + j] -= k * (a[i] * a[j] + (exact ? 0.5 * (d[i] * a[j] + a[i] * d[j]) : 0));
      block[6 * i + 3 + j] += k * cross[3 * i + j];
      block[6 * (3 + j) + i] += k * cross[3 * i + j];
    }
    block[7 * i] += k * square;
    block[7 * (3 + i)] += k;
  }
}

static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  struct mount mount;
  FOR_EACH_MOUNT(&mount, state)
  {
    double k = mount.pin->stiffness;
    const double *a = mount.a, own[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
    const double rows[6][3] = {{0, k * a[2], -k * a[1]},
                               {-k * a[2], 0, k * a[0]},
                               {k * a[1], -k * a[0], 0},
                               {-k, 0, 0},
                               {0, -k, 0},
                               {0, 0, -k}};
    int node = dc_node_block(bodies, mount.soft, mount.pin->node);
    dc_symmetric_add_block(hessian->matrix, node, node, 1, own, 3);
    dc_assemble_node(hessian->assembler, hessian->kinematics, mount.pin->body, node, rows, hessian->matrix);
    add_frame(&mount, exact, hessian->blocks[mount.pin->body]);
  }
}

// The springs depend on places at t+1 only.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  (void)state, (void)direction, (void)out;
}

static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  struct mount mount;
  FOR_EACH_MOUNT(&mount, state)
  {
    const double *x = state->q_next + mount.soft->q_offset + 3 * (size_t)mount.pin->node;
    double noise = DC_POSITION_NOISE * mount.pin->stiffness * (dc_vec_norm(x) + dc_vec_norm(mount.a)),
           *node = floor->joints + mount.soft->v_offset + 3 * (size_t)mount.pin->node,
           *wrench = floor->wrenches[mount.pin->body];
    for (int k = 0; k < 3; k++) {
      node[k] += noise;
      wrench[k] += noise * dc_vec_norm(mount.a);
      wrench[3 + k] += noise;
    }
  }
}

const struct dc_step_term dc_mount_term = {
    .name = "mounts",
    .reference = "docs/theory.md, \"Soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_floor = add_floor,
};
