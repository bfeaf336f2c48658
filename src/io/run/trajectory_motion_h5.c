// SPDX-License-Identifier: Apache-2.0
// Datasets of a trajectory that cannot be computed from poses alone: velocities, targets and torques of mechanisms, and
// the forces of contact.  Rows are computed frame by frame while they are written, so that long runs need no memory for
// them, and in the same way when a file is compared with a trajectory.
#include <stdlib.h>
#include <string.h>

#include "dynamics/readout.h"
#include "io/run/h5_file.h"
#include "io/run/motion_columns.h"
#include "io/run/trajectory_h5.h"

enum { LONGEST_NAME = 256 };

// The context of fill_row, for one kind of motion.
struct motion_rows {
  const struct dc_trajectory *trajectory;
  const struct dc_run_readout *readout;
  enum dc_motion motion;
  int count;
  struct dc_motion_column *columns;  // [count]
  double *numbers;                   // workspace: [nv], or [actuators] behind [nv]
};

// Generalized forces of a step in row [columns]: those of controls, plus those of actuators where a body has
// them, N or N m.
static void fill_torques(const struct motion_rows *rows, int step, double *row)
{
  const struct dc_rollout_input *input = rows->readout->input;
  const struct dc_bodies *bodies = &rows->readout->model->bodies;
  size_t nv = (size_t)bodies->nv;
  double *forces = rows->numbers, *drives = rows->numbers + nv;
  memset(forces, 0, nv * sizeof *forces);
  if (input->force)
    memcpy(forces, input->force + (size_t)step * nv, nv * sizeof *forces);
  dc_rollout_actuator_forces(rows->readout->model, input, rows->trajectory, step, drives);
  for (int c = 0; c < rows->count; c++) {
    const struct dc_body *body = &bodies->bodies[rows->columns[c].body];
    int at = rows->columns[c].at;
    row[c] = forces[at] + (body->pd ? drives[body->actuator + at - body->v_offset] : 0);
  }
}

// Computes a row of one kind of motion at a frame.  Targets and torques belong to the step that led to the
// frame; row 0 has those of step 0, as no step led there.  Targets are stored as coordinates: dc_target_origin
// is added to what the actuator counts from.
static void fill_row(const void *context, int frame, double *row)
{
  const struct motion_rows *rows = context;
  const struct dc_trajectory *trajectory = rows->trajectory;
  const struct dc_model *model = rows->readout->model;
  const struct dc_rollout_input *input = rows->readout->input;
  int step = frame > 0 ? frame - 1 : 0;
  if (rows->motion == DC_MOTION_QD)
    dc_trajectory_velocity(model, input, trajectory, frame, rows->numbers);
  if (rows->motion == DC_MOTION_TORQUE) {
    fill_torques(rows, step, row);
    return;
  }
  for (int c = 0; c < rows->count; c++) {
    const struct dc_motion_column *column = &rows->columns[c];
    if (rows->motion == DC_MOTION_Q)
      row[c] = trajectory->q[(size_t)frame * (size_t)trajectory->nq + (size_t)column->at];
    else if (rows->motion == DC_MOTION_QD)
      row[c] = rows->numbers[column->at];
    else
      row[c] = input->target_position[(size_t)step * (size_t)model->bodies.actuator_count + (size_t)column->at] +
               (column->part ? dc_target_origin(&model->bodies, column->part, column->component) : 0);
  }
}

// Adds names and units of the columns as attributes, up to DC_H5_MOST_NAMES.
static void describe_columns(struct writer *writer, hid_t dataset, const struct dc_bodies *bodies,
                             const struct motion_rows *rows)
{
  char(*texts)[LONGEST_NAME] = dc_alloc((size_t)rows->count, sizeof *texts);
  const char **names = dc_alloc((size_t)rows->count, sizeof *names);
  if (rows->count > DC_H5_MOST_NAMES || !texts || !names) {
    writer->failed |= !texts || !names;
  } else {
    for (int c = 0; c < rows->count; c++)
      names[c] = rows->columns[c].unit;
    dc_h5_put_strings(writer, dataset, "unit", rows->count, names);
    for (int c = 0; c < rows->count; c++) {
      dc_motion_column_name(bodies, &rows->columns[c], texts[c], LONGEST_NAME);
      names[c] = texts[c];
    }
    dc_h5_put_strings(writer, dataset, "names", rows->count, names);
  }
  free(texts);
  free(names);
}

// Whether anything pulls at the coordinates that are listed.
static bool is_driven(const struct dc_run_readout *readout)
{
  return readout->input->force || readout->model->bodies.actuator_count > 0;
}

// Whether there is a table of a kind of motion: torques and targets are there only where something drives the bodies.
static bool has_rows(const struct motion_rows *rows)
{
  bool of_steps = rows->motion == DC_MOTION_TORQUE || rows->motion == DC_MOTION_TARGET;
  return !of_steps || (rows->trajectory->steps > 0 && is_driven(rows->readout));
}

// Finds the columns of a kind of motion and makes the workspace of its rows; release with end_rows.
static enum dc_status begin_rows(struct motion_rows *rows)
{
  const struct dc_bodies *bodies = &rows->readout->model->bodies;
  rows->count = dc_motion_columns(bodies, rows->motion, NULL);
  rows->columns = dc_alloc((size_t)rows->count, sizeof *rows->columns);
  rows->numbers = dc_alloc((size_t)bodies->nv + (size_t)bodies->actuator_count, sizeof *rows->numbers);
  if (!rows->columns || !rows->numbers)
    return DC_MEMORY;
  dc_motion_columns(bodies, rows->motion, rows->columns);
  return DC_OK;
}

// Also after a failure of begin_rows.
static void end_rows(struct motion_rows *rows)
{
  free(rows->columns);
  free(rows->numbers);
}

// Writes one table of motion, [frames][columns], in the group "coordinates", which is made with the first one.
static void put_motion(struct writer *writer, hid_t *group, hid_t parent, struct motion_rows *rows)
{
  const struct dc_bodies *bodies = &rows->readout->model->bodies;
  if (!dc_motion_columns(bodies, rows->motion, NULL) || !has_rows(rows))
    return;
  if (*group < 0)
    *group = dc_h5_make_group(writer, parent, "coordinates");
  if (begin_rows(rows) == DC_OK) {
    hid_t dataset = dc_h5_put_computed(writer, *group, dc_motion_name(rows->motion), rows->trajectory->steps + 1,
                                       rows->count, fill_row, rows);
    describe_columns(writer, dataset, bodies, rows);
    close_object(dataset);
  } else {
    writer->failed = true;
  }
  end_rows(rows);
}

enum { CONTACT_NUMBERS = 10 };

// Copies `count` numbers of a contact, from number `first` on, in the order of dc_h5_contact_sets: frame, two
// bodies, gap, force [3], friction [3].
static void fill_contact(const void *context, int index, double *row, int first, int count)
{
  const struct dc_contact_entry *e = (const struct dc_contact_entry *)context + index;
  const double numbers[CONTACT_NUMBERS] = {e->frame,    e->bodies[0], e->bodies[1],   e->gap,         e->force[0],
                                           e->force[1], e->force[2],  e->friction[0], e->friction[1], e->friction[2]};
  memcpy(row, numbers + first, (size_t)count * sizeof *row);
}

#define FILL_CONTACT(name, first, count)                                                                               \
  static void name(const void *context, int index, double *row)                                                        \
  {                                                                                                                    \
    fill_contact(context, index, row, first, count);                                                                   \
  }
FILL_CONTACT(fill_frame, 0, 1)
FILL_CONTACT(fill_bodies, 1, 2)
FILL_CONTACT(fill_gap, 3, 1)
FILL_CONTACT(fill_force, 4, 3)
FILL_CONTACT(fill_friction, 7, 3)

const struct dc_h5_contact_set dc_h5_contact_sets[DC_H5_CONTACT_SETS] = {{"frame", 0, "1", fill_frame},
                                                                         {"bodies", 2, "1", fill_bodies},
                                                                         {"gap", 0, "m", fill_gap},
                                                                         {"force", 3, "N", fill_force},
                                                                         {"friction", 3, "N", fill_friction}};

double **dc_h5_contact_array(struct dc_stored_contacts *contacts, int set)
{
  double **arrays[DC_H5_CONTACT_SETS] = {&contacts->frame, &contacts->bodies, &contacts->gap, &contacts->force,
                                         &contacts->friction};
  return arrays[set];
}

// Writes the list of contacts, one data set per quantity with one row per contact, and the names of the bodies
// that its numbers count.
static void put_contacts(struct writer *writer, hid_t parent, const struct dc_bodies *bodies,
                         const struct dc_contact_list *list)
{
  const char **names = dc_alloc((size_t)bodies->count, sizeof *names);
  hid_t group = dc_h5_make_group(writer, parent, "contacts");
  for (int i = 0; i < DC_H5_CONTACT_SETS && !writer->failed; i++) {
    const struct dc_h5_contact_set *set = &dc_h5_contact_sets[i];
    hid_t dataset =
        dc_h5_put_computed(writer, group, set->name, (int)list->count, set->columns, set->fill, list->entries);
    dc_h5_put_strings(writer, dataset, "unit", 0, &set->unit);
    close_object(dataset);
  }
  for (int b = 0; names && b < bodies->count; b++)
    names[b] = bodies->bodies[b].name;
  if (names && bodies->count <= DC_H5_MOST_NAMES)
    dc_h5_put_strings(writer, group, "names", bodies->count, names);
  writer->failed |= !names;
  close_object(group);
  free(names);
}

// Writes the groups "coordinates" and "contacts"; failures are noted in writer->failed.
void dc_h5_put_motion(struct writer *writer, hid_t parent, const struct dc_trajectory *trajectory,
                      const struct dc_run_readout *readout)
{
  hid_t group = -1;
  for (enum dc_motion motion = 0; motion < DC_MOTIONS && !writer->failed; motion++)
    put_motion(writer, &group, parent,
               &(struct motion_rows){.trajectory = trajectory, .readout = readout, .motion = motion});
  close_object(group);
  if (readout->contacts && readout->contacts->count && !writer->failed)
    put_contacts(writer, parent, &readout->model->bodies, readout->contacts);
}

double dc_h5_bound_motion(const struct dc_run_readout *readout, double frames)
{
  double row = 0, contacts = readout->contacts ? (double)readout->contacts->count : 0;
  for (enum dc_motion motion = 0; motion < DC_MOTIONS; motion++)
    row += dc_motion_columns(&readout->model->bodies, motion, NULL);
  return (frames * row + contacts * CONTACT_NUMBERS) * (double)sizeof(double);
}

// Compares a table of motion with its rows [frames]; *frame: the first that differs, or it stays.  A table of what
// nothing drives differs from the beginning.
static enum dc_status compare_motion(struct motion_rows *rows, const double *stored, int frames, int *frame)
{
  enum dc_status status = begin_rows(rows);
  size_t width = (size_t)rows->count;
  double *row = dc_alloc(width, sizeof *row);
  if (!row)
    status = DC_MEMORY;
  for (int f = 0; f < frames && *frame < 0 && !status; f++) {
    if (has_rows(rows))
      fill_row(rows, f, row);
    if (!has_rows(rows) || memcmp(row, stored + (size_t)f * width, width * sizeof *row) != 0)
      *frame = f;
  }
  free(row);
  end_rows(rows);
  return status;
}

// Compares the stored contacts with a list; *frame as above.
static void compare_contacts(const struct dc_stored_contacts *stored, const struct dc_contact_list *list, int *frame)
{
  struct dc_stored_contacts compared = *stored;
  for (size_t c = 0; c < list->count && *frame < 0; c++) {
    bool same = c < (size_t)stored->count;
    for (int i = 0; i < DC_H5_CONTACT_SETS && same; i++) {
      const struct dc_h5_contact_set *set = &dc_h5_contact_sets[i];
      size_t width = set->columns ? (size_t)set->columns : 1;
      double row[3];
      set->fill(list->entries, (int)c, row);
      same = memcmp(row, *dc_h5_contact_array(&compared, i) + c * width, width * sizeof *row) == 0;
    }
    if (!same)
      *frame = list->entries[c].frame;
  }
  if (*frame < 0 && (size_t)stored->count > list->count)
    *frame = (int)stored->frame[list->count];
}

// Compares what a file holds of motion and contacts with what it would hold of a trajectory, bit for bit.
enum dc_status dc_run_compare_readout(const struct dc_stored_trajectory *stored, const struct dc_trajectory *trajectory,
                                      const struct dc_run_readout *readout, const char **name, int *frame)
{
  enum dc_status status = DC_OK;
  *frame = -1;
  for (enum dc_motion motion = 0; motion < DC_MOTIONS && *frame < 0 && !status; motion++) {
    struct motion_rows rows = {.trajectory = trajectory, .readout = readout, .motion = motion};
    *name = dc_motion_name(motion);
    if (stored->motion[motion])
      status = compare_motion(&rows, stored->motion[motion], stored->frames, frame);
    else if (dc_motion_columns(&readout->model->bodies, motion, NULL) && has_rows(&rows))
      *frame = 0;  // a table that is not there differs from the beginning
  }
  if (*frame < 0 && !status && readout->contacts && (stored->contacts.count || readout->contacts->count)) {
    *name = "contacts";
    compare_contacts(&stored->contacts, readout->contacts, frame);
  }
  return status;
}
