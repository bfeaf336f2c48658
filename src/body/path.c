// SPDX-License-Identifier: Apache-2.0
// Motion of frames along a straight line in the charts, and bounds of velocity and acceleration.
//
// Number the parts that carry a frame 1 .. n, outermost first.  Along the path part k rotates about an anchor at p_k
// with the angular velocity W_k, of constant size and constant in the frame outside of it, or slides with the velocity
// u_k, constant there too.  With c the frame's origin let v_k = W_k x (c - p_k) or v_k = u_k.  Then
//
//     w = sum_k W_k,   c' = sum_k v_k,   c'' = sum_k (2 sum_{i<k} W_i + W_k) x v_k,
//     (R(s) R(0)^T r)'' = sum_k (2 sum_{i<k} W_i + W_k) x (W_k x R(s) R(0)^T r)
//
// (docs/theory.md, "No tunnelling").  The bounds are the sums of the norms, with |c - p_k| bounded by the lengths
// between the anchors.
#include "body/path.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

// One path may not reach the end of a range, where barriers are infinite: the next iteration gets nine tenths of the
// rest again.  Sums of a few dozen bounds are rounded by less than 1e-12 of them.
static const double USABLE = 0.9;          // fraction of the way to the end of a range that one path may use
static const double ROUNDING = 1 + 1e-12;  // factor on sums of bounds

// Turns of a body on a helix, rad: below the first it is its chord, up to the second it leaves that by 1 - cos(1/2), an
// eighth, of its radius.
static const double LEAST_TURN = 1e-12, MOST_TURN = 1;

// A path is begun again for every motion that is to be bounded; its arrays are allocated here, once.
enum dc_status dc_path_create(const struct dc_bodies *bodies, struct dc_arena *arena, struct dc_path *path,
                              struct dc_error *error)
{
  *path = (struct dc_path){.bodies = bodies};
  path->frames = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *path->frames);
  path->twists = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *path->twists);
  if (!path->frames || !path->twists)
    return dc_out_of_memory_for(error, "the paths of %d bodies", bodies->count);
  return DC_OK;
}

// Balls and hinges turn about their anchor; translations and slides leave rotations as they are.
static bool part_turns(const struct dc_joint_part *part)
{
  return part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
}

// Angular velocity of a rotation or velocity of a translation per unit of s, in the frame outside of the part.
static void part_rate(const struct dc_joint_part *part, const double *tangent, double rate[3])
{
  if (dc_part_nv(part) == 3)
    dc_vec_copy(rate, tangent + part->v);
  else
    dc_vec_scale(rate, part->axis, tangent[part->v]);
}

// Rotation of a ball or hinge at s.
static void part_rotation(const struct dc_joint_part *part, const double *q, const double *tangent, double s,
                          double quaternion[4])
{
  double turn[3];
  if (part->kind == DC_PART_BALL) {
    dc_vec_scale(turn, tangent + part->v, s);
    dc_rotation_exp(quaternion, turn);
    dc_rotation_multiply(quaternion, quaternion, q + part->q);
  } else {
    dc_vec_scale(turn, part->axis, q[part->q] + s * tangent[part->v]);
    dc_rotation_exp(quaternion, turn);
  }
}

// Displacement of a translation or slide at s.
static void part_translation(const struct dc_joint_part *part, const double *q, const double *tangent, double s,
                             double displacement[3])
{
  if (part->kind == DC_PART_TRANSLATION)
    dc_vec_add_scaled(displacement, q + part->q, s, tangent + part->v);
  else
    dc_vec_scale(displacement, part->axis, q[part->q] + s * tangent[part->v]);
}

// A frame and its velocity, relative to a frame further out.
struct moving_frame {
  double x[3], quaternion[4], w[3], t[3];
};

// Rotates the frame about the point anchor of the outer frame.
static void turn_frame(struct moving_frame *frame, const double quaternion[4], const double anchor[3])
{
  double rotation[9], v[3];
  dc_rotation_matrix(rotation, quaternion);
  dc_vec_sub(v, frame->x, anchor);
  dc_mat_apply(frame->x, rotation, v);
  dc_vec_add(frame->x, frame->x, anchor);
  dc_vec_copy(v, frame->w);
  dc_mat_apply(frame->w, rotation, v);
  dc_vec_copy(v, frame->t);
  dc_mat_apply(frame->t, rotation, v);
  dc_rotation_multiply(frame->quaternion, quaternion, frame->quaternion);
}

// Transforms a moving frame from the inside of a part to its outside.
static void pass_part(const struct dc_path *path, const struct dc_joint_part *part, double s,
                      struct moving_frame *frame)
{
  double rate[3];
  part_rate(part, path->tangent, rate);
  if (part_turns(part)) {
    double quaternion[4], arm[3], velocity[3];
    part_rotation(part, path->q, path->tangent, s, quaternion);
    turn_frame(frame, quaternion, part->anchor);
    dc_vec_sub(arm, frame->x, part->anchor);
    dc_vec_cross(velocity, rate, arm);
    dc_vec_add(frame->t, frame->t, velocity);
    dc_vec_add(frame->w, frame->w, rate);
  } else {
    double displacement[3];
    part_translation(part, path->q, path->tangent, s, displacement);
    dc_vec_add(frame->x, frame->x, displacement);
    dc_vec_add(frame->t, frame->t, rate);
  }
}

static const double origin[3] = {0, 0, 0};

// Applies a constant displacement.
static void pass_constant(const double position[3], const double quaternion[4], struct moving_frame *frame)
{
  turn_frame(frame, quaternion, origin);
  dc_vec_add(frame->x, frame->x, position);
}

// Position of a free body on a helix and its velocity: the chord d from its beginning to its end has the part d1 along the
// axis w and d2 across it; with t = |w|/2 and Rot(a) the turn by a about w
//     c(s) - c(0) = s d1 + sin(s t)/sin(t) Rot((s - 1) t) d2,      c'(s) = d1 + t/sin(t) Rot((2 s - 1) t) d2.
// No form has differences of radii in it, which are large where the body hardly turns.
static void helix_at(const double w[3], const double chord[3], double s, double displacement[3], double velocity[3])
{
  double half = 0.5 * dc_vec_norm(w), axis[3], along[3], across[3], side[3];
  dc_vec_scale(axis, w, 0.5 / half);
  dc_vec_scale(along, axis, dc_vec_dot(axis, chord));
  dc_vec_sub(across, chord, along);
  dc_vec_cross(side, axis, across);
  double way = sin(s * half) / sin(half), speed = half / sin(half), turn = (s - 1) * half, turns = (2 * s - 1) * half;
  for (int k = 0; k < 3; k++) {
    displacement[k] = s * along[k] + way * (cos(turn) * across[k] + sin(turn) * side[k]);
    velocity[k] = along[k] + speed * (cos(turns) * across[k] + sin(turns) * side[k]);
  }
}

// A free body moves along its own chart: constant twist, position linear, rotation exp(s w) R; or along a helix.
static void free_path_at(const struct dc_path *path, const struct dc_body *body, double s, struct dc_pose *pose,
                         double twist[6])
{
  const double *from = path->q + body->q_offset, *tangent = path->tangent + body->v_offset;
  double turn[3], quaternion[4];
  dc_vec_scale(turn, tangent, s);
  dc_rotation_exp(quaternion, turn);
  dc_rotation_multiply(pose->quaternion, quaternion, from + 3);
  memcpy(twist, tangent, 6 * sizeof *twist);
  if (path->frames[body - path->bodies->bodies].helix) {
    helix_at(tangent, tangent + 3, s, pose->position, twist + 3);
    dc_vec_add(pose->position, pose->position, from);
  } else {
    dc_vec_add_scaled(pose->position, from, s, tangent + 3);
  }
}

// Pose and twist of a body at a part s of the path: from the body to the root, joint part by joint part, as the motion
// of each is known exactly.
void dc_path_at(const struct dc_path *path, int body, double s, struct dc_pose *pose, double twist[6])
{
  const struct dc_body *bodies = path->bodies->bodies, *carried = &bodies[body];
  if (!dc_body_moves(carried)) {
    *pose = path->poses[body];
    memset(twist, 0, 6 * sizeof *twist);
    return;
  }
  if (carried->free) {
    free_path_at(path, carried, s, pose, twist);
    dc_rotation_matrix(pose->rotation, pose->quaternion);
    return;
  }
  struct moving_frame frame = {.quaternion = {1, 0, 0, 0}};
  for (;;) {
    for (int k = carried->part_count - 1; k >= 0; k--)
      pass_part(path, &carried->parts[k], s, &frame);
    pass_constant(carried->rest_position, carried->rest_quaternion, &frame);
    if (carried->parent < 0)
      break;
    const struct dc_pose *outer = &path->poses[carried->parent];
    carried = &bodies[carried->parent];
    if (!dc_body_moves(carried)) {
      pass_constant(outer->position, outer->quaternion, &frame);
      break;
    }
  }
  dc_vec_copy(pose->position, frame.x);
  memcpy(pose->quaternion, frame.quaternion, sizeof pose->quaternion);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
  dc_vec_copy(twist, frame.w);
  dc_vec_copy(twist + 3, frame.t);
}

// Accumulates the bounds while walking outwards.  Consecutive slides with no rotation between them count as one.
struct bounds {
  double point[3];  // anchor of the last rotation passed (at first the frame's origin), at s = 0
  double slid[3];   // sum of the velocities of the slides passed since
  double length;    // bound of the length along the anchors, from there to the frame's origin
  double turn, shift, bend;
};

// Adds the slides passed to the bound of the origin's velocity.
static void pass_slides(struct bounds *bounds)
{
  bounds->shift += dc_vec_norm(bounds->slid);
  memset(bounds->slid, 0, sizeof bounds->slid);
}

// Passes a rotation about an anchor p.  |c - p| is bounded by the length along the anchors: rotations keep the
// distances between them; slides change the vector linearly, so that its norm is largest at an end of the path.  It
// also changes by no more than the parts inside move c.
static void pass_rotation(struct bounds *bounds, double rate, const double anchor[3], const double center[3])
{
  double d[3], start, end;
  dc_vec_sub(d, bounds->point, anchor);
  start = dc_vec_norm(d);
  dc_vec_add(d, d, bounds->slid);
  end = dc_vec_norm(d);
  bounds->length += fmax(start, end);
  pass_slides(bounds);
  double reach = fmin(bounds->length, dc_vec_distance(center, anchor) + bounds->shift), speed = rate * reach;
  bounds->bend += rate * (2 * bounds->shift + speed);
  bounds->shift += speed;
  bounds->turn += rate;
  dc_vec_copy(bounds->point, anchor);
}

// Bounds turn, shift and bend of a body on the path by the joints of its chain, from the body to the root.
static void bound_frame(const struct dc_path *path, const struct dc_kinematics *kinematics, int body,
                        struct dc_frame_path *frame)
{
  const double *center = path->poses[body].position;
  struct bounds bounds = {.length = 0};
  dc_vec_copy(bounds.point, center);
  for (int i = body; i >= 0 && dc_body_moves(&path->bodies->bodies[i]); i = path->bodies->bodies[i].parent)
    for (int k = path->bodies->bodies[i].part_count - 1; k >= 0; k--) {
      const struct dc_joint_part *part = &path->bodies->bodies[i].parts[k];
      const struct dc_axis *axes = &kinematics->axes[part->v];
      const double *rates = path->tangent + part->v;
      double rate = dc_part_nv(part) == 3 ? dc_vec_norm(rates) : fabs(*rates);
      if (rate == 0)
        continue;
      if (part_turns(part))
        pass_rotation(&bounds, rate, axes->anchor, center);
      else
        for (int direction = 0; direction < dc_part_nv(part); direction++)
          dc_vec_add_scaled(bounds.slid, bounds.slid, rates[direction], axes[direction].direction);
    }
  pass_slides(&bounds);
  frame->turn = bounds.turn * ROUNDING;
  frame->shift = bounds.shift * ROUNDING;
  frame->bend = bounds.bend * ROUNDING;
}

// Begins a path from q along a tangent: twists and bounds of all bodies; a free body moves steadily.
void dc_path_begin(struct dc_path *path, const double *q, const double *tangent, const struct dc_kinematics *kinematics)
{
  const struct dc_bodies *bodies = path->bodies;
  path->q = q;
  path->tangent = tangent;
  path->poses = kinematics->poses;
  dc_twists(bodies, kinematics, tangent, path->twists);
  for (int i = 0; i < bodies->count; i++) {
    struct dc_frame_path *frame = &path->frames[i];
    *frame = (struct dc_frame_path){.turn = 0};
    memcpy(frame->twist, path->twists[i], sizeof frame->twist);
    if (bodies->bodies[i].free) {
      frame->steady = true;
      frame->turn = dc_vec_norm(frame->twist);
      frame->shift = dc_vec_norm(frame->twist + 3);
    } else if (dc_body_moves(&bodies->bodies[i])) {
      bound_frame(path, kinematics, i, frame);
    }
  }
}

// A body that does not turn, or moves along its axis only, is on its helix already.  One that carries links keeps its
// path, as theirs would not follow it.
bool dc_path_wind(struct dc_path *path, int body, double reach)
{
  struct dc_frame_path *frame = &path->frames[body];
  double displacement[3], velocity[3], across[3];
  if (!path->bodies->bodies[body].free || !dc_body_is_alone(path->bodies, body) || frame->helix ||
      !(frame->turn > LEAST_TURN && frame->turn < MOST_TURN))
    return false;
  dc_vec_cross(across, frame->twist, frame->twist + 3);
  if (!(dc_vec_norm(across) > LEAST_TURN * frame->shift))
    return false;
  helix_at(frame->twist, frame->twist + 3, 0, displacement, velocity);
  dc_vec_cross(across, frame->twist, velocity);
  if (!(dc_vec_norm(across) <= frame->turn * frame->turn * reach))
    return false;
  dc_vec_copy(frame->twist + 3, velocity);
  frame->shift = dc_vec_norm(velocity) * ROUNDING;
  frame->bend = dc_vec_norm(across) * ROUNDING;
  frame->helix = true;
  return true;
}

// The part of a tangent that takes slides and hinges at most USABLE of the way to the ends of their ranges.
double dc_path_within_ranges(const struct dc_bodies *bodies, const double *lower, const double *upper, const double *q,
                             const double *tangent)
{
  double safe = 1;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    for (int k = 0; k < body->part_count; k++) {
      const struct dc_joint_part *part = &body->parts[k];
      if ((part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE) || tangent[part->v] == 0)
        continue;
      double move = tangent[part->v], low = part->range[0] + lower[part->v], high = part->range[1] + upper[part->v];
      double distance = move > 0 ? high - q[part->q] : q[part->q] - low;
      double fraction = USABLE * distance / fabs(move);
      safe = fmin(safe, fraction > 0 ? fraction : 0);  // also for NaN
    }
  }
  return safe;
}
