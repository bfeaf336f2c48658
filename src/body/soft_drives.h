// SPDX-License-Identifier: Apache-2.0
// Drives of soft bodies beside forces: the pressure on their surface, that in chambers, and muscles.  Each is one
// coordinate of the body's actuator, whose target is the quantity itself (Pa, or the logarithm of a stretch), added to
// what the scene gives.  Coordinates stand in this order: "pressure" (not of rods), chambers, muscles, by their names.
#ifndef DC_BODY_SOFT_DRIVES_H
#define DC_BODY_SOFT_DRIVES_H

#include "base/options.h"
#include "base/status.h"
#include "geometry/mesh/simplices.h"

struct dc_soft;
struct dc_soft_definition;

// "chambers" and "muscles" of a soft body; boxes are in the frame of the mesh, m.
struct dc_chamber_definition {
  const char *name;
  double low[3], high[3];
};
enum dc_muscle_kind { DC_MUSCLE_FIBRE, DC_MUSCLE_GROWTH };
struct dc_muscle_definition {
  const char *name;
  int kind;  // enum dc_muscle_kind
  double low[3], high[3];
  double direction[3];  // NAN: all
  double stiffness;     // Pa, of fibres; NAN: Young's modulus
};
extern const struct dc_option dc_chamber_options[], dc_muscle_options[];

// Fibres of a sample: w = sum_a f_a x_a is their stretched direction, a unit vector at rest.
struct dc_muscle {
  const char *name;
  enum dc_muscle_kind kind;
  double direction[3];           // in the world, at rest, a unit vector; 0: all directions
  double stiffness;              // Pa
  int sample_count, *samples;    // [sample_count] samples of the elastic energy
  double *factors;               // [sample_count * nodes of an element] f_a, 1/m; NULL of growth
};

struct dc_soft_drives {
  bool pressure;  // of the whole surface
  bool closed;    // the surface has no edge, and the wall of no chamber has one
  const int (*faces)[6];       // of quadratic elements: quarters of face f are triangles 4 f on; NULL: linear ones
  int chamber_count, muscle_count;
  const char **chamber_names;  // [chamber_count]
  int *chamber_of;             // [triangles] the chamber of a triangle of the surface, -1: none; NULL: no chambers
  struct dc_muscle *muscles;   // [muscle_count]
  int *growth_of;              // [samples] the muscle of kind growth, -1: none; NULL: there is no growth
};

enum { DC_DRIVES_MOST = 16 };  // chambers or muscles of a body

static inline int dc_soft_drive_count(const struct dc_soft_drives *drives)
{
  return drives->pressure + drives->chamber_count + drives->muscle_count;
}
// Coordinates of the first chamber and of the first muscle among those of the body.
static inline int dc_soft_first_chamber(const struct dc_soft_drives *drives)
{
  return drives->pressure;
}
static inline int dc_soft_first_muscle(const struct dc_soft_drives *drives)
{
  return drives->pressure + drives->chamber_count;
}
const char *dc_soft_drive_name(const struct dc_soft_drives *drives, int index);
// Pa of pressures, 1 of muscles.
const char *dc_soft_drive_unit(const struct dc_soft_drives *drives, int index);
const char *dc_soft_drive_rate_unit(const struct dc_soft_drives *drives, int index);

// Steps of building.  Rules of a definition.  Leaves the cells of a grid out whose middles lie in a chamber, before the
// nodes leave the mesh's frame; boxes [chambers][2][3] of what is left out, the chamber's own in meshes of files.  Then
// lists walls, in the mesh's frame; last, when the elastic energy of the rest shape is made, muscles, whose boxes and
// directions rotation [9] and origin [3] take to the world.
enum dc_status dc_soft_drives_check(const struct dc_soft_definition *definition, int index, struct dc_error *error);
enum dc_status dc_soft_drives_hollow(const struct dc_soft_definition *definition, struct dc_simplices *mesh,
                                     double (*boxes)[2][3], struct dc_arena *arena, struct dc_error *error);
enum dc_status dc_soft_drives_collect(const struct dc_soft_definition *definition, const double (*boxes)[2][3],
                                      struct dc_soft *soft, struct dc_arena *arena, struct dc_error *error);
enum dc_status dc_soft_drives_finish(const struct dc_soft_definition *definition, const double rotation[9],
                                     const double origin[3], struct dc_soft *soft, struct dc_arena *arena, struct dc_error *error);

#endif
