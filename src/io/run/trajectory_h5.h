// SPDX-License-Identifier: Apache-2.0
// Parts that writing and reading trajectory.h5 share.  Private to src/io.
#ifndef DC_IO_TRAJECTORY_H5_H
#define DC_IO_TRAJECTORY_H5_H

#include "io/run/h5_file.h"
#include "io/run/motion_columns.h"
#include "io/run/run.h"

#define DC_TRAJECTORY_FORMAT "dcsim trajectory 1"

// Bytes of the largest file that is made in memory; larger ones are made in place.  For tests to change.
extern size_t dc_run_most_in_memory;

enum { DC_H5_MOST_NAMES = 4000 };  // an attribute of the earliest format holds 64 KiB, 16 bytes for each string

// trajectory_datasets.c
hid_t dc_h5_make_group(struct writer *writer, hid_t parent, const char *name);
// Dataset [rows][columns] of values, or [rows] for 0 columns; unit may be NULL.  Returns it open.
hid_t dc_h5_put_reals(struct writer *writer, hid_t parent, const char *name, int rows, int columns,
                      const double *values, const char *unit);
// Rows of so many numbers that are written or read at once: at least 1, of at most 4 MB unless one row is more.
int dc_h5_block_rows(int rows, size_t width);
// The same, row by row as fill makes them.
typedef void dc_h5_fill(const void *context, int row, double *numbers);
hid_t dc_h5_put_computed(struct writer *writer, hid_t parent, const char *name, int rows, int columns, dc_h5_fill *fill,
                         const void *context);

// trajectory_motion_h5.c
// /coordinates and /contacts of a trajectory.
void dc_h5_put_motion(struct writer *writer, hid_t parent, const struct dc_trajectory *trajectory,
                      const struct dc_run_readout *readout);
// Bytes of their numbers.
double dc_h5_bound_motion(const struct dc_run_readout *readout, double frames);
// Datasets of /contacts, one row for each entry of the list.
enum { DC_H5_CONTACT_SETS = 5 };
struct dc_h5_contact_set {
  const char *name;
  int columns;  // 0: a row of numbers
  const char *unit;
  dc_h5_fill *fill;  // context: the entries
};
extern const struct dc_h5_contact_set dc_h5_contact_sets[DC_H5_CONTACT_SETS];

// The array of dataset dc_h5_contact_sets[set].
double **dc_h5_contact_array(struct dc_stored_contacts *contacts, int set);

// trajectory_pack.c
// The trajectory in one piece, released with free(), and made of it again, with memory of its arena; path is for
// messages.  DC_MEMORY, DC_IO.
enum dc_status dc_h5_pack(struct dc_stored_trajectory *trajectory, const struct dc_bodies *bodies, const char *path,
                          char **bytes, size_t *size, struct dc_error *error);
enum dc_status dc_h5_unpack(struct dc_stored_trajectory *trajectory, const struct dc_bodies *bodies, const char *path,
                            const char *bytes, size_t size, struct dc_error *error);

// trajectory_joints.c
// Lists the joints of the scene that a file has numbers of, without these.  DC_OK or DC_MEMORY.
enum dc_status dc_h5_describe_joints(const struct dc_bodies *bodies, struct dc_stored_trajectory *trajectory);
// Whether a dataset of its coordinates is stored: of joints that are neither free nor fixed.
bool dc_h5_has_joint_numbers(const struct dc_body *body);
// Units [nq] of a joint's numbers.
void dc_h5_joint_units(const struct dc_body *body, const char **units);

#endif
