// SPDX-License-Identifier: Apache-2.0
// Volumes and inertias of solids in closed form, and their sums.  Private to src/io/robot.
#ifndef DC_IO_SOLIDS_H
#define DC_IO_SOLIDS_H

// A solid or a surface in its own axes, for a density of 1: volume or area, centre, inertia about it (xx, yy, zz, xy,
// xz, yz).
struct dc_solid {
  double volume, center[3], inertia[6];
};

// About their centres: half are half lengths along x, y and z; cylinder and capsule stand along z, and the capsule's
// half does not count its half balls.
void dc_solid_box(const double half[3], struct dc_solid *solid);
void dc_solid_ellipsoid(const double half[3], struct dc_solid *solid);
void dc_solid_cylinder(double radius, double half, struct dc_solid *solid);
void dc_solid_capsule(double radius, double half, struct dc_solid *solid);

// Mass, first moment and inertia about the origin of solids at their places.
struct dc_solid_sum {
  double mass, moment[3], about[6];
};

// Adds a mass that is spread over the solid, which stands at a position with a rotation (unit quaternion).
void dc_solid_add(struct dc_solid_sum *sum, const struct dc_solid *solid, double mass, const double position[3],
                  const double rotation[4]);
// Centre of mass and inertia about it, of a sum with a mass.
void dc_solid_finish(const struct dc_solid_sum *sum, double center[3], double inertia[6]);

#endif
