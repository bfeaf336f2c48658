// SPDX-License-Identifier: Apache-2.0
// Mass properties of the geometry of MJCF models.  Private to src/io/robot.
#ifndef DC_IO_MJCF_MASS_H
#define DC_IO_MJCF_MASS_H

#include "io/robot/mjcf_model.h"
#include "io/robot/solids.h"

// The surface of a primitive, and of a mesh that was read.
void dc_mjcf_shell(const struct dc_mjcf_geom *geom, struct dc_solid *solid);
void dc_mjcf_mesh_shell(const struct dc_mjcf_mesh *mesh, struct dc_solid *solid);

#endif
