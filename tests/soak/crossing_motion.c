// SPDX-License-Identifier: Apache-2.0
// Poses on the way from one state to the next, and bounds on how much that way bends.
#include <math.h>
#include <string.h>

#include "soak/crossing.h"

static double norm(const double *v)
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// exp([turn]x) by Rodrigues' formula; 1 - cos is taken from the half angle, which keeps its digits.
static void exponential(double *rotation, const double *turn)
{
  double angle = norm(turn), half = angle / 2;
  double a = angle > 0 ? sin(angle) / angle : 1, b = angle > 0 ? 0.5 * (sin(half) / half) * (sin(half) / half) : 0.5;
  double x = turn[0], y = turn[1], z = turn[2];
  const double skew[9] = {0, -z, y, z, 0, -x, -y, x, 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rotation[3 * i + j] = (i == j ? 1 - b * angle * angle : 0) + a * skew[3 * i + j] + b * turn[i] * turn[j];
}

static void multiply(double *product, const double *a, const double *b)
{
  double result[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      result[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  memcpy(product, result, sizeof result);
}

struct crossing_pose crossing_pose_of(const double *numbers)
{
  struct crossing_pose pose;
  memcpy(pose.position, numbers, sizeof pose.position);
  double length =
      sqrt(numbers[3] * numbers[3] + numbers[4] * numbers[4] + numbers[5] * numbers[5] + numbers[6] * numbers[6]);
  double w = numbers[3] / length, x = numbers[4] / length, y = numbers[5] / length, z = numbers[6] / length;
  const double rotation[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                              2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                              2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(pose.rotation, rotation, sizeof rotation);
  return pose;
}

// The rotation vector of b a^-1, at most pi long.
static void relative_turn(double *turn, const double *a, const double *b)
{
  double w = b[0] * a[0] + b[1] * a[1] + b[2] * a[2] + b[3] * a[3];
  double v[3] = {a[0] * b[1] - b[0] * a[1] - (b[2] * a[3] - b[3] * a[2]),
                 a[0] * b[2] - b[0] * a[2] - (b[3] * a[1] - b[1] * a[3]),
                 a[0] * b[3] - b[0] * a[3] - (b[1] * a[2] - b[2] * a[1])};
  double sine = norm(v), factor = sine > 0 ? 2 * atan2(sine, fabs(w)) / sine : 0;
  for (int k = 0; k < 3; k++)
    turn[k] = (w < 0 ? -factor : factor) * v[k];
}

struct crossing_motion crossing_free_motion(const double *a, const double *b)
{
  struct crossing_motion motion = {.start = crossing_pose_of(a)};
  for (int k = 0; k < 3; k++)
    motion.move[k] = b[k] - a[k];
  relative_turn(motion.turn, a + 3, b + 3);
  motion.rate = norm(motion.turn);
  return motion;
}

// The centre starts at the arm r = -(d + cot(w/2) e x d) / 2 from the axis, e its direction and d the chord across it.
bool crossing_wind(struct crossing_motion *motion, double radius)
{
  double e[3], along = 0, arm[3], reach;
  if (motion->chain || motion->helix || !(motion->rate > 0 && motion->rate <= 1))
    return false;
  for (int k = 0; k < 3; k++) {
    e[k] = motion->turn[k] / motion->rate;
    along += e[k] * motion->move[k];
  }
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double across = motion->move[k] - along * e[k], beside = e[i] * motion->move[j] - e[j] * motion->move[i];
    arm[k] = -0.5 * (across + beside / tan(motion->rate / 2));
    motion->axis[k] = motion->start.position[k] - arm[k];
  }
  reach = norm(arm);
  if (!(reach <= radius * (1 + 1e-9)))
    return false;
  for (int k = 0; k < 3; k++)
    motion->move[k] = along * e[k];
  motion->bend = motion->rate * motion->rate * reach;
  motion->helix = true;
  return true;
}

static double distance(const double *a, const double *b)
{
  const double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return norm(difference);
}

// With rates a_k of hinges and s_k of slides, k <= m outermost first, the second derivatives of the centre are W_k x
// (W_m x (c - p_m)), W_k x u_m, or zero where k is a slide.  No arm |c - p_m| is longer than the chain pulled straight
// with all its slides out.
struct crossing_motion crossing_chain_motion(const struct crossing_chain *chain, const double *from, const double *to)
{
  struct crossing_motion motion = {.start = chain->rest, .chain = chain, .from = from, .to = to};
  double slides = 0, reach = 0;
  const double *outside = NULL;
  for (int k = 0; k < chain->joint_count; k++) {
    const struct crossing_joint *joint = &chain->joints[k];
    if (joint->slide) {
      slides += fabs(to[k] - from[k]);
      reach += fmax(fabs(to[k]), fabs(from[k]));
      continue;
    }
    motion.rate += fabs(to[k] - from[k]);
    if (outside)
      reach += distance(outside, joint->anchor);
    outside = joint->anchor;
  }
  if (outside)
    reach += distance(outside, chain->rest.position);
  motion.bend = motion.rate * motion.rate * reach + 2 * motion.rate * slides;
  return motion;
}

// Joint after joint from the body outwards: what is inside of a joint moves with it about where it lies at rest.
static void chain_pose_at(const struct crossing_motion *motion, double s, struct crossing_pose *pose)
{
  *pose = motion->start;
  for (int k = motion->chain->joint_count - 1; k >= 0; k--) {
    const struct crossing_joint *joint = &motion->chain->joints[k];
    double q = motion->from[k] + s * (motion->to[k] - motion->from[k]), rotation[9], arm[3];
    const double turn[3] = {q * joint->axis[0], q * joint->axis[1], q * joint->axis[2]};
    if (joint->slide) {
      for (int i = 0; i < 3; i++)
        pose->position[i] += turn[i];
      continue;
    }
    exponential(rotation, turn);
    for (int i = 0; i < 3; i++)
      arm[i] = pose->position[i] - joint->anchor[i];
    for (int i = 0; i < 3; i++)
      pose->position[i] =
          joint->anchor[i] + rotation[3 * i] * arm[0] + rotation[3 * i + 1] * arm[1] + rotation[3 * i + 2] * arm[2];
    multiply(pose->rotation, rotation, pose->rotation);
  }
}

void crossing_pose_at(const struct crossing_motion *motion, double s, struct crossing_pose *pose)
{
  if (motion->chain) {
    chain_pose_at(motion, s, pose);
    return;
  }
  double rotation[9];
  const double turn[3] = {s * motion->turn[0], s * motion->turn[1], s * motion->turn[2]};
  exponential(rotation, turn);
  multiply(pose->rotation, rotation, motion->start.rotation);
  for (int k = 0; k < 3; k++) {
    pose->position[k] = motion->start.position[k] + s * motion->move[k];
    for (int i = 0; i < 3 && motion->helix; i++)
      pose->position[k] += (rotation[3 * k + i] - (i == k)) * (motion->start.position[i] - motion->axis[i]);
  }
}
