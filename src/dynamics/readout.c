// SPDX-License-Identifier: Apache-2.0
// Velocity at a frame: the difference of the two states of the last interval before it, over its length.  Forces at a
// frame: contact is evaluated at the start of this interval, which fixes friction and restitution, and at its end.  The
// list of all contacts that matter drops entries as it goes, as its largest force so far only grows.
#include "dynamics/readout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/lag.h"
#include "dynamics/linearization.h"
#include "math/vector.h"

// The last interval that led to a frame (>= 1): the state it began with, its length in s.
static const double *last_interval(const struct dc_trajectory *trajectory, int frame, double *length)
{
  double at;
  const double *q = dc_trajectory_state(trajectory, frame - 1, dc_trajectory_substeps(trajectory, frame - 1) - 1, &at);
  *length = trajectory->time_step * (1 - at);
  return q;
}

// Trajectories of plants bring velocities along; without one, frame 0 has the start's, or those of the window before.
void dc_trajectory_velocity(const struct dc_model *model, const struct dc_rollout_input *input,
                            const struct dc_trajectory *trajectory, int frame, double *velocity)
{
  size_t nv = (size_t)model->bodies.nv, nq = (size_t)model->bodies.nq;
  const double *before = input->q_before;
  double length = input->before_length;
  if (trajectory->velocity) {
    memcpy(velocity, trajectory->velocity + (size_t)frame * nv, nv * sizeof *velocity);
    return;
  }
  if (frame == 0 && !before) {
    memcpy(velocity, input->velocity, nv * sizeof *velocity);
    return;
  }
  if (frame > 0)
    before = last_interval(trajectory, frame, &length);
  dc_state_difference(&model->bodies, before, trajectory->q + (size_t)frame * nq, velocity);
  for (size_t v = 0; v < nv; v++)
    velocity[v] /= length;
}

// Wrenches of contact and of friction on both bodies of every pair at a frame, N m and N.  The interval that led to the
// frame is set up again, since friction and impacts depend on where it began and on its memory; frame 0 has none.
enum dc_status dc_trajectory_contact(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                     const struct dc_trajectory *trajectory, int frame, double *gaps,
                                     double (*contact)[12], double (*friction)[12], struct dc_error *error)
{
  const struct dc_model_definition *definition = &rollout->model->definition;
  const struct dc_pose *poses = trajectory->poses + (size_t)frame * (size_t)trajectory->bodies;
  if (definition->contact_model->flags & DC_CONTACT_FOREIGN)
    return dc_fail(error, DC_BAD_INPUT, "the contact model \"%s\" has no forces to be read",
                   definition->contact_model->name);
  double stiffness = definition->contact.stiffness * input->design.stiffness_scale;
  dc_contact_reset(rollout->rigid.contact);
  struct dc_step_interval interval;
  const double *memory = NULL;
  if (frame > 0) {
    struct dc_state_place end = {frame - 1, dc_trajectory_substeps(trajectory, frame - 1)},
                          now = dc_place_before(trajectory, end);
    interval = dc_interval_to(input, trajectory, end);
    memory = now.inside > 0 ? dc_trajectory_memory(trajectory, now.step, now.inside) : input->memory;
    dc_rollout_state_before(rollout, input, rollout->q_before);
    dc_poses(&rollout->model->bodies, dc_place_state(rollout, trajectory, dc_place_before(trajectory, now)),
             rollout->before.poses);
    // with the columns of joints, by which given forces are asked for their part (contact_share.c)
    dc_kinematics_update(&rollout->model->bodies, dc_place_state(rollout, trajectory, now), &rollout->now);
  }
  enum dc_status status = dc_rigid_forces(rollout, input, frame > 0 ? &interval : NULL,
                                          (const double(*)[DC_IMPACT_NUMBERS])memory, poses, error);
  if (status)
    return status;
  for (int p = 0; p < rollout->rigid.pair_count; p++) {
    double gradient[12], rubs = frame > 0 && rollout->rigid.shared ? rollout->rigid.lags[p].rubs : 1;
    gaps[p] = dc_contact_pair_near_distance(rollout->rigid.contact, p);
    dc_contact_expand_gradient(&rollout->rigid.pairs[p], gradient);
    for (int k = 0; k < 12; k++) {
      contact[p][k] = -stiffness * gradient[k] - rollout->rigid.impact[p].gradient[k];
      friction[p][k] = -rollout->rigid.friction[p].gradient[k] / rubs;  // beside the force, for as long as that acts
    }
  }
  return DC_OK;
}

// The list of a trajectory.  The largest force so far is never above the largest of all: what is too small beside it is
// too small in the end, and needs no room.

static double size_of(const struct dc_contact_entry *entry)
{
  double sum[3];
  dc_vec_add(sum, entry->force, entry->friction);
  return dc_vec_norm(sum);
}

// Keeps the entry for both bodies where it is the largest so far.
static void note_largest(struct dc_contact_list *list, const struct dc_contact_entry *entry)
{
  for (int side = 0; side < 2; side++) {
    struct dc_contact_entry *most = &list->largest[entry->bodies[side]];
    if (most->frame >= 0 && size_of(most) >= size_of(entry))
      continue;
    *most = *entry;
    if (side == 0)
      continue;
    most->bodies[0] = entry->bodies[1], most->bodies[1] = entry->bodies[0];
    dc_vec_scale(most->force, entry->force, -1);
    dc_vec_scale(most->friction, entry->friction, -1);
  }
}

// Drops the entries below list->least; the others keep their order.
static void drop_small(struct dc_contact_list *list)
{
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++)
    if (size_of(&list->entries[i]) >= list->least)
      list->entries[kept++] = list->entries[i];
  list->count = kept;
}

// Adds the pairs of a frame whose force is not too small, and drops small entries when there are too many.
static enum dc_status add_frame(struct dc_contact_list *list, const struct dc_rollout *rollout, int frame, size_t most,
                                const double *gaps, double (*contact)[12], double (*friction)[12],
                                struct dc_error *error)
{
  static const double smallest_part = 1e-3;  // of the largest force; what is below are far fields
  const int(*pairs)[2] = dc_contact_pairs(rollout->rigid.contact);
  for (int p = 0; p < rollout->rigid.pair_count; p++) {
    struct dc_contact_entry entry = {.frame = frame, .bodies = {pairs[p][0], pairs[p][1]}, .gap = gaps[p]};
    dc_vec_copy(entry.force, contact[p] + 3);
    dc_vec_copy(entry.friction, friction[p] + 3);
    double size = size_of(&entry);
    if (!isfinite(size))
      return dc_fail(error, DC_NUMERICAL, "a contact force at frame %d is not finite", frame);
    if (!(size > 0) || isinf(gaps[p]))
      continue;
    note_largest(list, &entry);
    if (size < list->least)
      continue;
    list->least = fmax(list->least, smallest_part * size);
    if (dc_grow(&list->entries, &list->capacity, list->count + 1, sizeof *list->entries) != 0)
      return dc_out_of_memory_for(error, "contacts");
    list->entries[list->count++] = entry;
  }
  while (list->count > 2 * most) {
    drop_small(list);
    if (list->count > most)
      list->least *= 2;
  }
  return DC_OK;
}

// Frame by frame; in the end the threshold is doubled until at most `most` entries are left.
enum dc_status dc_trajectory_list_contacts(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                           const struct dc_trajectory *trajectory, size_t most,
                                           struct dc_contact_list *list, struct dc_error *error)
{
  size_t pairs = (size_t)rollout->rigid.pair_count;
  double *gaps = dc_alloc(pairs, sizeof *gaps);
  double(*contact)[12] = dc_alloc(pairs, sizeof *contact), (*friction)[12] = dc_alloc(pairs, sizeof *friction);
  *list = (struct dc_contact_list){.largest = dc_alloc((size_t)trajectory->bodies, sizeof *list->largest)};
  bool allocated = gaps && contact && friction && list->largest;
  enum dc_status status = allocated ? DC_OK : dc_out_of_memory_for(error, "contacts");
  for (int b = 0; b < trajectory->bodies && allocated; b++)
    list->largest[b].frame = -1;
  for (int f = 0; f <= trajectory->steps && pairs && !status; f++) {
    status = dc_trajectory_contact(rollout, input, trajectory, f, gaps, contact, friction, error);
    if (!status)
      status = add_frame(list, rollout, f, most, gaps, contact, friction, error);
    dc_trajectory_release(trajectory, f);
  }
  drop_small(list);
  while (list->count > most) {
    list->least *= 2;
    drop_small(list);
  }
  free(gaps);
  free(contact);
  free(friction);
  if (status)
    dc_contact_list_free(list);
  return status;
}

// Releases what a list owns; an empty list stays, which may be freed again.
void dc_contact_list_free(struct dc_contact_list *list)
{
  free(list->entries);
  free(list->largest);
  *list = (struct dc_contact_list){0};
}
