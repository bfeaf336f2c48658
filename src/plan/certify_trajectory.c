// SPDX-License-Identifier: Apache-2.0
// Certificates of one trajectory: its geometry, and the origin of its impulses.
//
// Geometry: an own contact workspace with sphere trees and separating planes checks every state, then the motion
// between neighbours by continuous collision detection.  Impulses: for every interval the forces of all contact terms
// are evaluated, and those of near terms are subtracted to obtain the far part.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/kinematics.h"
#include "dynamics/soft_forces.h"
#include "math/vector.h"
#include "plan/certify.h"

// Workspace of the geometry check; its sphere trees and planes are independent of the run's contact model.
struct judge {
  const struct dc_bodies *bodies;
  struct dc_arena *arena;
  struct dc_contact *contact;
  struct dc_pair_derivatives *pairs;
  struct dc_kinematics kinematics;
  struct dc_path path;
  double *tangent;
  struct dc_geometry_check *check;
};

// A contact problem of the model bsh, whose gaps and overlaps are those of the meshes, and workspace.
static enum dc_status create_judge(const struct dc_model *model, struct judge *judge, struct dc_error *error)
{
  judge->bodies = &model->bodies;
  judge->arena = dc_arena_create();
  if (!judge->arena)
    return dc_out_of_memory(error);
  judge->contact = dc_contact_create(dc_contact_model_find("bsh"), &model->definition.contact, judge->bodies, error);
  if (!judge->contact)
    return error->status;
  size_t pairs = (size_t)dc_contact_pair_count(judge->contact);
  judge->pairs = dc_arena_alloc(judge->arena, pairs, sizeof *judge->pairs);
  judge->tangent = dc_arena_alloc(judge->arena, (size_t)judge->bodies->nv, sizeof *judge->tangent);
  if (!judge->pairs || !judge->tangent ||
      dc_kinematics_create(judge->bodies, judge->arena, &judge->kinematics, error) ||
      dc_path_create(judge->bodies, judge->arena, &judge->path, error))
    return dc_out_of_memory(error);
  return DC_OK;
}

// Keeps the first violation: the step, the bodies of the pair, and how far they are apart, m; NAN: not known.  Counts
// are the caller's.
static void object(struct judge *judge, int step, int pair, double separation)
{
  struct dc_geometry_check *check = judge->check;
  if (check->step >= 0)
    return;
  check->step = step;
  check->a = pair < 0 ? -1 : dc_contact_pairs(judge->contact)[pair][0];
  check->b = pair < 0 ? -1 : dc_contact_pairs(judge->contact)[pair][1];
  check->separation = separation;
}

// Checks that all pairs are certainly apart at a state.  Overlapping: a gap is known to be 0 or less; undecided:
// rounding does not let either be shown.
static void judge_state(struct judge *judge, const double *q, int step)
{
  int pair;
  double separation;
  dc_kinematics_update(judge->bodies, q, &judge->kinematics);
  judge->check->states++;
  if (dc_contact_certainly_apart(judge->contact, judge->kinematics.poses, &pair, &separation))
    return;
  *(separation <= 0 ? &judge->check->overlapping : &judge->check->undecided) += 1;
  object(judge, step, pair, separation);
}

// Checks the motion backwards, from the present state to the one before, as the step was certified: gaps open on the
// way back, and the motion is checked most finely where they are smallest.
static enum dc_status judge_motion(struct judge *judge, const double *from, const double *to, int step,
                                   struct dc_error *error)
{
  int pair;
  double energy = dc_contact_evaluate(judge->contact, judge->kinematics.poses, 0, judge->pairs);
  if (isnan(energy))
    return dc_out_of_memory_for(error, "contact pairs");
  judge->check->intervals++;
  dc_state_difference(judge->bodies, to, from, judge->tangent);
  dc_path_begin(&judge->path, to, judge->tangent, &judge->kinematics);
  if (isfinite(energy) && dc_contact_motion_clear(judge->contact, &judge->path, &pair))
    return DC_OK;
  if (!isfinite(energy))  // an overlap has been recorded at its state already
    pair = -1;
  judge->check->uncertain++;
  object(judge, step, pair, NAN);
  return DC_OK;
}

// Judges every state for crossings and the motions between two states for passing through.
enum dc_status dc_check_geometry(const struct dc_model *model, const struct dc_trajectory *trajectory,
                                 struct dc_geometry_check *check, struct dc_error *error)
{
  struct judge judge = {.check = check};
  *check = (struct dc_geometry_check){.step = -1, .a = -1, .b = -1, .separation = NAN};
  enum dc_status status = create_judge(model, &judge, error);
  if (!status)
    judge_state(&judge, trajectory->q, 0);
  for (int t = 0; t < trajectory->steps && !status; t++)
    for (int k = 1; k <= dc_trajectory_substeps(trajectory, t) && !status; k++) {
      const double *to = dc_trajectory_state(trajectory, t, k, NULL);
      judge_state(&judge, to, t + 1);
      status = judge_motion(&judge, dc_trajectory_state(trajectory, t, k - 1, NULL), to, t + 1, error);
    }
  dc_contact_destroy(judge.contact);
  if (judge.arena)
    dc_arena_destroy(judge.arena);
  return status;
}

// Forces that act over a distance at which bodies do not touch, and of the others.
struct phantom {
  const struct dc_bodies *bodies;
  struct dc_contact *contact;
  struct dc_arena *arena;
  bool between;                       // leave out pairs with bodies that never move
  double *reaches;                    // [pairs], m
  struct dc_pair_derivatives *pairs;  // [pairs]
  struct dc_pose *poses;              // [bodies]
  // [bodies][point count] forces of near terms on points of rigid bodies, divided by the stiffness
  double (**points)[3];
  double (*near)[3], (*far)[3];  // [bodies] sums, N
  double stiffness;              // contact stiffness of rigid bodies, J
  struct dc_rollout *rollout;
};

// Whether both bodies of a pair move: those of a pair stand in such an order that the first one does.
static bool is_between(const struct phantom *phantom, int pair)
{
  return dc_body_moves(&phantom->bodies->bodies[dc_contact_pairs(phantom->contact)[pair][1]]);
}

static bool left_out(const struct phantom *phantom, int pair)
{
  return phantom->between && !is_between(phantom, pair);
}

// Size of the smaller moving body of a pair, m.
static double size_of_pair(const struct phantom *phantom, int pair)
{
  const int *bodies = dc_contact_pairs(phantom->contact)[pair];
  double radius = phantom->bodies->bodies[bodies[0]].radius;
  if (is_between(phantom, pair))
    radius = fmin(radius, phantom->bodies->bodies[bodies[1]].radius);
  return 2 * radius;
}

// Workspace for the forces at points.
static enum dc_status create_phantom(struct phantom *phantom, struct dc_error *error)
{
  size_t pairs = (size_t)dc_contact_pair_count(phantom->contact), bodies = (size_t)phantom->bodies->count;
  phantom->arena = dc_arena_create();
  if (!phantom->arena)
    return dc_out_of_memory(error);
  phantom->reaches = dc_arena_alloc(phantom->arena, pairs, sizeof *phantom->reaches);
  phantom->pairs = dc_arena_alloc(phantom->arena, pairs, sizeof *phantom->pairs);
  phantom->poses = dc_arena_alloc(phantom->arena, bodies, sizeof *phantom->poses);
  phantom->points = dc_arena_alloc(phantom->arena, bodies, sizeof *phantom->points);
  phantom->near = dc_arena_alloc(phantom->arena, bodies, sizeof *phantom->near);
  phantom->far = dc_arena_alloc(phantom->arena, bodies, sizeof *phantom->far);
  bool complete =
      phantom->reaches && phantom->pairs && phantom->poses && phantom->points && phantom->near && phantom->far;
  for (size_t i = 0; i < bodies && complete; i++) {
    size_t points = (size_t)dc_contact_point_count(phantom->contact, (int)i);
    phantom->points[i] = dc_arena_alloc(phantom->arena, points, sizeof **phantom->points);
    complete = phantom->points[i] != NULL;
  }
  if (!complete)
    return dc_out_of_memory_for(error, "the points of contact");
  for (int p = 0; p < (int)pairs; p++)  // no gap is below zero, so that a reach of -1 leaves a pair out
    phantom->reaches[p] = left_out(phantom, p) ? -1 : DC_PHANTOM_REACH * size_of_pair(phantom, p);
  return DC_OK;
}

// Rigid bodies: adds forces of all terms to far, then moves those of near terms, summed over points, to near.  A term
// is near if its gap is below the pair's reach.  The contact problem is scaled to a stiffness of 1, and so are its
// forces.
static enum dc_status add_rigid(struct phantom *phantom, const double *q, struct dc_error *error)
{
  size_t count = (size_t)phantom->bodies->count;
  dc_poses(phantom->bodies, q, phantom->poses);
  double energy = dc_contact_evaluate(phantom->contact, phantom->poses, 1, phantom->pairs);
  if (isnan(energy))
    return dc_out_of_memory_for(error, "contact pairs");
  if (!isfinite(energy))
    return dc_fail(error, DC_NUMERICAL, "bodies meet");
  for (int p = 0; p < dc_contact_pair_count(phantom->contact); p++) {
    double gradient[12];
    if (left_out(phantom, p))
      continue;
    dc_contact_expand_gradient(&phantom->pairs[p], gradient);
    for (int side = 0; side < 2; side++) {
      double *force = phantom->far[dc_contact_pairs(phantom->contact)[p][side]];
      dc_vec_add_scaled(force, force, -phantom->stiffness, gradient + 6 * side + 3);
    }
  }
  for (size_t i = 0; i < count; i++)
    memset(phantom->points[i], 0, (size_t)dc_contact_point_count(phantom->contact, (int)i) * sizeof **phantom->points);
  enum dc_status status = dc_contact_near_forces(phantom->contact, phantom->poses, phantom->reaches,
                                                 (double(*const *)[3])phantom->points, error);
  for (size_t i = 0; i < count && !status; i++) {
    double sum[3] = {0, 0, 0};
    for (int v = 0; v < dc_contact_point_count(phantom->contact, (int)i); v++)
      dc_vec_add(sum, sum, phantom->points[i][v]);
    dc_vec_add_scaled(phantom->near[i], phantom->near[i], phantom->stiffness, sum);
    dc_vec_add_scaled(phantom->far[i], phantom->far[i], -phantom->stiffness, sum);
  }
  return status;
}

// Forces of the interval from one state to the next.
static enum dc_status evaluate_phantom(struct phantom *phantom, const double *from, const double *to,
                                       struct dc_error *error)
{
  size_t bytes = (size_t)phantom->bodies->count * sizeof *phantom->near;
  memset(phantom->near, 0, bytes);
  memset(phantom->far, 0, bytes);
  enum dc_status status = dc_contact_pair_count(phantom->contact) ? add_rigid(phantom, to, error) : DC_OK;
  if (!status &&
      (dc_soft_far_forces(phantom->rollout, from, phantom->between, phantom->far) ||
       dc_soft_contact_forces(phantom->rollout, to, DC_PHANTOM_REACH, phantom->between, phantom->near, phantom->far)))
    return dc_out_of_memory_for(error, "the contact of soft bodies");
  return status;
}

// Sums |near| h and |far| h over all intervals of the trajectory, N s: h is the interval's length, which is shorter
// than a step where steps were divided.
static enum dc_status sum_up(struct phantom *phantom, const struct dc_trajectory *trajectory, double *near, double *far,
                             struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (int t = 0; t < trajectory->steps && !status; t++)
    for (int k = 1; k <= dc_trajectory_substeps(trajectory, t) && !status; k++) {
      double begin, end;
      const double *from = dc_trajectory_state(trajectory, t, k - 1, &begin);
      status = evaluate_phantom(phantom, from, dc_trajectory_state(trajectory, t, k, &end), error);
      for (int i = 0; i < phantom->bodies->count && !status; i++) {
        double length = trajectory->time_step * (end - begin);
        near[i] += length * dc_vec_norm(phantom->near[i]);
        far[i] += length * dc_vec_norm(phantom->far[i]);
      }
    }
  return status;
}

// Adds up force times time over the trajectory, near and far forces apart.
enum dc_status dc_check_phantom(struct dc_rollout *rollout, const struct dc_model *model,
                                const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                bool between, double *near, double *far, struct dc_error *error)
{
  struct phantom phantom = {
      .bodies = &model->bodies,
      .contact = dc_rollout_contact(rollout),
      .between = between,
      .stiffness = model->definition.contact.stiffness * input->design.stiffness_scale,
      .rollout = rollout,
  };
  size_t bytes = (size_t)model->bodies.count * sizeof *near;
  if ((model->definition.contact_model->flags & DC_CONTACT_FOREIGN) ||
      (dc_contact_pair_count(phantom.contact) && !dc_contact_has_points(phantom.contact)))
    return dc_fail(error, DC_BAD_INPUT, "the contact model \"%s\" does not offer the forces of its terms",
                   model->definition.contact_model->name);
  memset(near, 0, bytes);
  memset(far, 0, bytes);
  enum dc_status status = create_phantom(&phantom, error);
  dc_contact_reset(phantom.contact);
  if (!status)
    status = sum_up(&phantom, trajectory, near, far, error);
  if (phantom.arena)
    dc_arena_destroy(phantom.arena);
  return status;
}

bool dc_gains_impulses(const struct dc_bodies *bodies, int body)
{
  return dc_body_moves(&bodies->bodies[body]) || dc_soft_of(bodies, body);
}
