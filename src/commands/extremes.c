// SPDX-License-Identifier: Apache-2.0
// The extremes of a trajectory.  One pass over its steps compares forces of drives and mean velocities of all joint
// coordinates with the largest so far.  Contacts come from the list of contacts (dynamics/readout.h), which keeps the
// largest entry of each body.  The summary shows the joints and bodies nearest to their limits; JSON has all.
#include "commands/extremes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/vector.h"

enum { JOINT_LINES = 8, CONTACT_LINES = 4 };  // that a summary has

// Whether a column is of a slide or hinge: only those have limits.
static bool is_scalar(const struct dc_motion_column *column)
{
  return column->part && (column->part->kind == DC_PART_SLIDE || column->part->kind == DC_PART_HINGE);
}

// The limits of a body hold for each of its slides and hinges.
static void take_limits(struct dc_joint_extreme *joint, const struct dc_body *body)
{
  bool scalar = is_scalar(&joint->column);
  joint->force_limit = joint->speed_limit = INFINITY;
  if (scalar && body->pd && body->pd->effort > 0)
    joint->force_limit = body->pd->effort;
  if (scalar && body->limits.effort > 0)
    joint->force_limit = fmin(joint->force_limit, body->limits.effort);
  if (scalar && body->limits.velocity > 0)
    joint->speed_limit = body->limits.velocity;
}

// Compares the step that ends at a frame with the largest forces and speeds so far.  Force: that of controls
// plus that of the actuator, N or N m.  Speed: difference of the states over the step, m/s or rad/s.  workspace
// [2 nv + actuators].
// The speed is that of the implicit Euler step from frame - 1 to frame, (q₁ ⊖ q₀) / h, which needs no stored
// velocities.
static void compare_step(struct dc_extremes *extremes, const struct dc_model *model,
                         const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int frame,
                         double *workspace)
{
  const struct dc_bodies *bodies = &model->bodies;
  size_t nv = (size_t)bodies->nv, nq = (size_t)trajectory->nq;
  double *moved = workspace, *given = workspace + nv, *drives = workspace + 2 * nv;
  const double *q = trajectory->q + (size_t)frame * nq;
  memset(given, 0, nv * sizeof *given);
  if (input->force)
    memcpy(given, input->force + (size_t)(frame - 1) * nv, nv * sizeof *given);
  dc_state_difference(bodies, q - nq, q, moved);
  dc_rollout_actuator_forces(model, input, trajectory, frame - 1, drives);
  for (int j = 0; j < extremes->joint_count; j++) {
    struct dc_joint_extreme *joint = &extremes->joints[j];
    const struct dc_body *body = &bodies->bodies[joint->column.body];
    int at = joint->column.at;
    double force = fabs(given[at] + (body->pd ? drives[body->actuator + at - body->v_offset] : 0));
    double speed = fabs(moved[at]) / trajectory->time_step;
    if (force > joint->force)
      joint->force = force, joint->force_frame = frame;
    if (speed > joint->speed)
      joint->speed = speed, joint->speed_frame = frame;
    joint->driven |= given[at] != 0;
  }
}

// Walks the trajectory once, from the first step on, so that of equal extremes the earliest frame is told.  Frames
// that lie in a file are released as they have been read.
enum dc_status dc_extremes_find(struct dc_extremes *extremes, const struct dc_model *model,
                                const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                struct dc_error *error)
{
  const struct dc_bodies *bodies = &model->bodies;
  int count = dc_motion_columns(bodies, DC_MOTION_TORQUE, NULL);
  struct dc_motion_column *columns = dc_alloc((size_t)count, sizeof *columns);
  double *workspace = dc_alloc(2 * (size_t)bodies->nv + (size_t)bodies->actuator_count, sizeof *workspace);
  *extremes = (struct dc_extremes){.joint_count = count, .joints = dc_alloc((size_t)count, sizeof *extremes->joints)};
  bool allocated = columns && workspace && extremes->joints;
  if (allocated)
    dc_motion_columns(bodies, DC_MOTION_TORQUE, columns);
  for (int j = 0; j < count && allocated; j++) {
    const struct dc_body *body = &bodies->bodies[columns[j].body];
    extremes->joints[j] = (struct dc_joint_extreme){.column = columns[j], .driven = body->pd != NULL};
    take_limits(&extremes->joints[j], body);
  }
  for (int frame = 1; frame <= trajectory->steps && count && allocated; frame++) {
    compare_step(extremes, model, input, trajectory, frame, workspace);
    dc_trajectory_release(trajectory, frame);
  }
  free(columns);
  free(workspace);
  if (allocated)
    return DC_OK;
  dc_extremes_free(extremes);
  return dc_out_of_memory_for(error, "forces of joints");
}

// Leaves an empty list, which may be freed again.
void dc_extremes_free(struct dc_extremes *extremes)
{
  free(extremes->joints);
  *extremes = (struct dc_extremes){0};
}

// The unit of a speed follows from that of the force: N of lengths, N m of angles.
static const char *speed_unit(const struct dc_joint_extreme *joint)
{
  return strcmp(joint->column.unit, "N") == 0 ? "m/s" : "rad/s";
}

// Rounding leaves a force or speed at its limit within this part of it.
static bool exceeds(double value, double limit)
{
  return value > limit * (1 + 1e-9);
}

// The part of its limits that a coordinate uses, 0 without any.
static double load_of(const struct dc_joint_extreme *joint)
{
  return fmax(joint->force / joint->force_limit, joint->speed / joint->speed_limit);
}

// Lists joints that are faster than their limits, for those who look for these only, with what would keep a
// plan within them.
static void put_fast(const struct dc_extremes *extremes, const struct dc_bodies *bodies, struct dc_text *text,
                     struct dc_json_writer *json)
{
  int count = 0;
  dc_json_begin(json, "too_fast", '[');
  for (int j = 0; j < extremes->joint_count; j++) {
    const struct dc_joint_extreme *joint = &extremes->joints[j];
    const char *name = bodies->bodies[joint->column.body].name;
    if (!(joint->speed > joint->speed_limit))
      continue;
    dc_text_add(text, "  %s moves at up to %.3g %s (frame %d), its limit is %.3g\n", name, joint->speed,
                speed_unit(joint), joint->speed_frame, joint->speed_limit);
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "body", name);
    DC_JSON_NUMBERS(json, {"speed", joint->speed}, {"limit", joint->speed_limit}, {"frame", joint->speed_frame});
    dc_json_end(json, "}");
    count++;
  }
  dc_json_end(json, "]");
  if (count)
    dc_text_add(text, "  (the objective \"speed\" asks a plan to keep limits of speed)\n");
}

// A member with the limit, or null.
static void put_limit(struct dc_json_writer *json, const char *key, double limit)
{
  if (isfinite(limit))
    dc_json_put_number(json, key, limit);
  else
    dc_json_put_raw(json, key, "null");
}

// A coordinate with its largest effort and speed, the frames at which they occur, and limits; "exceeds" lists those
// broken.
static void put_joint(const struct dc_joint_extreme *joint, const struct dc_bodies *bodies, struct dc_json_writer *json)
{
  const struct dc_motion_column *column = &joint->column;
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "body", bodies->bodies[column->body].name);
  dc_json_put_integer(json, "number", column->number);
  dc_json_put_boolean(json, "driven", joint->driven);
  DC_JSON_NUMBERS(json, {"force", joint->force}, {"force_frame", joint->force_frame});
  put_limit(json, "force_limit", joint->force_limit);
  dc_json_put_string(json, "force_unit", column->unit);
  DC_JSON_NUMBERS(json, {"speed", joint->speed}, {"speed_frame", joint->speed_frame});
  put_limit(json, "speed_limit", joint->speed_limit);
  dc_json_put_string(json, "speed_unit", speed_unit(joint));
  dc_json_begin(json, "exceeds", '[');
  if (exceeds(joint->force, joint->force_limit))
    dc_json_put_string(json, NULL, "force");
  if (exceeds(joint->speed, joint->speed_limit))
    dc_json_put_string(json, NULL, "speed");
  dc_json_end(json, "]");
  dc_json_end(json, "}");
}

// "torque up to 3.1 N m of 5 at 0.12 s"
static void say_most(const char *name, double value, const char *unit, double limit, double time, struct dc_text *text)
{
  dc_text_add(text, "%s up to %.3g %s", name, value, unit);
  if (isfinite(limit))
    dc_text_add(text, " of %.3g", limit);
  dc_text_add(text, " at %.4g s%s", time, exceeds(value, limit) ? ", more than its limit" : "");
}

// One line: the largest force or torque of the drive and the largest speed of the joint, each beside its limit and
// with its time.
static void say_joint(const struct dc_joint_extreme *joint, const struct dc_bodies *bodies, double time_step,
                      struct dc_text *text)
{
  char name[320];
  dc_motion_column_name(bodies, &joint->column, name, sizeof name);
  dc_text_add(text, "  joint %s: ", name);
  if (joint->driven) {
    say_most(strcmp(joint->column.unit, "N") == 0 ? "force" : "torque", joint->force, joint->column.unit,
             joint->force_limit, joint->force_frame * time_step, text);
    dc_text_add(text, "; ");
  }
  say_most("speed", joint->speed, speed_unit(joint), joint->speed_limit, joint->speed_frame * time_step, text);
  dc_text_add(text, "\n");
}

// Order of qsort: the larger load first, equal ones by their place, so that a report never depends on the sort.
static int by_load(const void *one, const void *other)
{
  double a = load_of(one), b = load_of(other);
  int order = ((const struct dc_joint_extreme *)one)->column.at - ((const struct dc_joint_extreme *)other)->column.at;
  return a != b ? (a < b) - (a > b) : order;
}

// Lines of the joints that are driven or limited, the nearest to their limits first.  Sorts the joints.
static void say_joints(const struct dc_extremes *extremes, const struct dc_bodies *bodies, double time_step,
                       struct dc_text *text)
{
  int lines = 0, more = 0;
  if (extremes->joint_count)
    qsort(extremes->joints, (size_t)extremes->joint_count, sizeof *extremes->joints, by_load);
  for (int j = 0; j < extremes->joint_count; j++) {
    const struct dc_joint_extreme *joint = &extremes->joints[j];
    if (!joint->driven && !isfinite(joint->speed_limit))
      continue;
    if (lines++ < JOINT_LINES)
      say_joint(joint, bodies, time_step, text);
    else
      more++;
  }
  if (more)
    dc_text_add(text, "  and %d joint coordinates that are farther from their limits (--json has all)\n", more);
}

// Force and friction of a contact together, N.
static double size_of(const struct dc_contact_entry *entry)
{
  double sum[3];
  dc_vec_add(sum, entry->force, entry->friction);
  return dc_vec_norm(sum);
}

// Writes the largest contact force on each body.
static void put_contacts(const struct dc_contact_list *contacts, const struct dc_bodies *bodies,
                         struct dc_json_writer *json)
{
  dc_json_begin(json, "contact_forces", '[');
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_contact_entry *most = &contacts->largest[b];
    if (most->frame < 0)
      continue;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "body", bodies->bodies[b].name);
    dc_json_put_string(json, "other", bodies->bodies[most->bodies[1]].name);
    DC_JSON_NUMBERS(json, {"force", size_of(most)}, {"normal", dc_vec_norm(most->force)},
                    {"friction", dc_vec_norm(most->friction)}, {"gap", most->gap}, {"frame", most->frame});
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// The body that moves with the largest force below `limit`, or, of equal ones, the first behind `after`; -1:
// there is none.  A pair is listed once, for its first body.
// The lines are few (CONTACT_LINES), so that a search for each is cheaper than sorting all bodies.
static int next_largest(const struct dc_contact_list *contacts, const struct dc_bodies *bodies, double limit, int after)
{
  int best = -1;
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_contact_entry *most = &contacts->largest[b];
    if (most->frame < 0 || !dc_frame_moves(bodies, b))
      continue;
    int other = most->bodies[1];
    const struct dc_contact_entry *same = &contacts->largest[other];
    bool listed = other < b && dc_frame_moves(bodies, other) && same->frame == most->frame && same->bodies[1] == b;
    double size = size_of(most);
    bool below = size < limit || (size == limit && b > after);
    if (!listed && below && (best < 0 || size > size_of(&contacts->largest[best])))
      best = b;
  }
  return best;
}

// Writes one line with the largest contact forces on bodies that move.  Forces below a hundredth of the largest
// are far fields and are left out.
static void say_contacts(const struct dc_contact_list *contacts, const struct dc_bodies *bodies, double time_step,
                         struct dc_text *text)
{
  static const double far = 1e-2;
  double largest = 0, limit = INFINITY;
  for (int n = 0, b = -1; n < CONTACT_LINES && (b = next_largest(contacts, bodies, limit, b)) >= 0; n++) {
    const struct dc_contact_entry *most = &contacts->largest[b];
    limit = size_of(most);
    largest = fmax(largest, limit);
    if (limit < far * largest)
      break;
    dc_text_add(text, "%s%s on %s %.3g N at %.4g s",
                n ? "; " : "  largest contact forces: ", bodies->bodies[most->bodies[1]].name, bodies->bodies[b].name,
                limit, most->frame * time_step);
  }
  if (largest > 0)
    dc_text_add(text, "\n");
}

// contacts NULL: they were not recorded, which JSON tells as null.
void dc_extremes_put(const struct dc_extremes *extremes, const struct dc_contact_list *contacts,
                     const struct dc_model *model, const struct dc_trajectory *trajectory, struct dc_text *text,
                     struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = &model->bodies;
  put_fast(extremes, bodies, text, json);
  dc_json_begin(json, "joints", '[');
  for (int j = 0; j < extremes->joint_count; j++)
    put_joint(&extremes->joints[j], bodies, json);
  dc_json_end(json, "]");
  say_joints(extremes, bodies, trajectory->time_step, text);
  if (!contacts) {
    dc_json_put_raw(json, "contact_forces", "null");
    return;
  }
  put_contacts(contacts, bodies, json);
  say_contacts(contacts, bodies, trajectory->time_step, text);
}
