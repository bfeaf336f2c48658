// SPDX-License-Identifier: Apache-2.0
// Axes in the plane between two hulls that do not depend on how its frame was chosen.
#ifndef DC_CONTACT_PLANE_AXES_H
#define DC_CONTACT_PLANE_AXES_H

// Turns the first two axes (rows, world) about the third into the principal ones of the points local [count] (m, in the
// axes) with the weights [count], and the points with them.
void dc_plane_turn_to_principal(double axes[9], int count, double (*local)[3], const double *weights);

#endif
