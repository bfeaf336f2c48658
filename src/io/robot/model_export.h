// SPDX-License-Identifier: Apache-2.0
// A model for other programs: MJCF and URDF.  Private to src/io and src/commands.
//
// Every body is a body or link of its name, with its mass, joints, ranges and start; its geometry is made of the
// primitives that both formats have, of meshes otherwise.  Reading the file back gives the same poses, masses and free
// fall.
#ifndef DC_IO_MODEL_EXPORT_H
#define DC_IO_MODEL_EXPORT_H

#include "base/notes.h"
#include "dynamics/model.h"
#include "io/json/json_text.h"

// Writes the model at its start as MJCF to path, with its meshes inside: frames are those of the shapes, the start is
// the keyframe "start", PD actuators are general ones, pairs that do not touch are excluded.  What the format cannot
// say is noted.  DC_BAD_INPUT for joints that MuJoCo cannot have on one body, soft bodies and cables, DC_IO, DC_MEMORY.
enum dc_status dc_model_write_mjcf(const struct dc_model *model, const char *name, const char *path,
                                   struct dc_notes *notes, struct dc_error *error);
// The same as URDF: meshes go to OBJ files in the folder of path's name less its ending and "_meshes" instead, pairs
// that do not touch to an SRDF file with the ending .srdf.  Links without mass stand between the joints of one body, a
// ball is three hinges, and a root link without mass carries all.  Half-spaces and actuators are left out, with a note.
// DC_BAD_INPUT for soft bodies and cables.
enum dc_status dc_model_write_urdf(const struct dc_model *model, const char *name, const char *path,
                                   struct dc_notes *notes, struct dc_error *error);

// Parts of both formats (model_export.c).

// A primitive, or a mesh, in the frame of a shape.
struct dc_export_piece {
  const char *primitive;  // sphere, box, cylinder, capsule, plane; NULL: a mesh
  double size[3];         // box: edges; otherwise radius and height, m
  const struct dc_mesh *mesh;
  bool convex;  // the mesh is that of a convex part
  double position[3], rotation[4];
};
// The pieces of a shape (NULL: none); their number, -1 when out of memory; *pieces is to be released with free().
int dc_export_pieces(const struct dc_model *model, const struct dc_shape *shape, struct dc_export_piece **pieces);
// Tells that surfaces that are not convex come back as hulls.
enum dc_status dc_export_note_concave(int count, struct dc_notes *notes);
// Where the frame at the centre of mass is in that of the parent (or the world) where coordinates are zero, or where a
// free body starts.
void dc_export_rest(const struct dc_body *body, const double **position, const double **rotation);
// tr(S) 1 - S of the second moment S: xx, yy, zz, xy, xz, yz, kg m^2.
void dc_export_inertia(const struct dc_body *body, double inertia[6]);
// name="..." of count numbers that read back bit for bit, after a blank.
void dc_export_numbers(struct dc_text *text, const char *name, int count, const double *numbers);
// name="VALUE ENDING" with what XML wants escaped.
void dc_export_name(struct dc_text *text, const char *name, const char *value, const char *ending);
// Indices of bodies, depth first, children in the order of the scene; after[k]: how many elements end behind the k-th.
// Both [bodies].
enum dc_status dc_export_order(const struct dc_bodies *bodies, int *order, int *after);
// Whether the bodies a and b have surfaces that never touch although one of them moves.
bool dc_export_is_excluded(const struct dc_bodies *bodies, int a, int b);

#endif
