// SPDX-License-Identifier: Apache-2.0
// The mass and the size that contact sees of a body that hangs on others.
#ifndef DC_DYNAMICS_LINK_SCALE_H
#define DC_DYNAMICS_LINK_SCALE_H

#include "dynamics/model.h"

// The size of a solid of a volume (m^3) and a surface (m^2): the cube root of its volume, but of thin ones at most six
// times the thickness (12 volumes over the surface), m; 0 without a volume.
double dc_solid_size(double volume, double area);

// size [bodies]: of each body that counts, m; 0 of the others.
enum dc_status dc_link_sizes(const struct dc_bodies *bodies, double *size, struct dc_error *error);

// mass [bodies]: the least mass that a force at the centre of mass moves, kg.  forces [bodies][3], N: what pushes the
// bodies at the start; acceleration [bodies]: of their centres of mass by these, m/s^2.
enum dc_status dc_link_masses(const struct dc_bodies *bodies, struct dc_arena *arena, const double (*forces)[3],
                              double *mass, double *acceleration, struct dc_error *error);

// Sets the masses of ties [count], and the stiffness of those that have none, for steps of that length, s.
enum dc_status dc_link_ties(const struct dc_bodies *bodies, double step, int count, struct dc_tie *ties,
                            struct dc_arena *arena, struct dc_error *error);

// The same for couplings, for their coordinates at the start.
enum dc_status dc_link_couplings(const struct dc_bodies *bodies, double step, int count, struct dc_coupling *couplings,
                                 struct dc_arena *arena, struct dc_error *error);

// The same for the ends of the ranges of tendons.
enum dc_status dc_link_tendons(const struct dc_bodies *bodies, double step, int count, struct dc_tendon *tendons,
                               struct dc_arena *arena, struct dc_error *error);

#endif
