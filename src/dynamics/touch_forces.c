// SPDX-License-Identifier: Apache-2.0
// Vertices of touching surfaces are nodes of soft bodies, or points of rigid ones at an arm r from the frame's origin:
// a force f on such a point is the wrench (r x f, f), and a twist (w, t) moves it by w x r + t.
#include "dynamics/touch_forces.h"

#include "math/vector.h"

void dc_touch_add_forces(const struct dc_bodies *bodies, const struct dc_touch *touch, const double (*force)[3],
                         const double (*arm)[3], struct dc_step_forces *forces)
{
  for (int v = 0; v < 4; v++) {
    int body = dc_touch_body(touch, v);
    const struct dc_soft *soft = dc_soft_of(bodies, body);
    double torque[3], *sum = soft ? forces->joints + soft->v_offset + 3 * touch->vertex[v] : forces->wrenches[body] + 3;
    if (!soft && !dc_body_moves(&bodies->bodies[body]))
      continue;
    dc_vec_add(sum, sum, force[v]);
    if (soft)
      continue;
    dc_vec_cross(torque, arm[v], force[v]);
    dc_vec_add(forces->wrenches[body], forces->wrenches[body], torque);
  }
}

// The transposed of dc_touch_add_forces: velocities [4][3] of the vertices along a direction.
void dc_touch_vary(const struct dc_bodies *bodies, const struct dc_touch *touch,
                   const struct dc_step_direction *direction, const double (*arm)[3], double (*varied)[3])
{
  for (int v = 0; v < 4; v++) {
    int body = dc_touch_body(touch, v);
    const struct dc_soft *soft = dc_soft_of(bodies, body);
    if (soft) {
      dc_vec_copy(varied[v], direction->joints + soft->v_offset + 3 * touch->vertex[v]);
      continue;
    }
    dc_vec_cross(varied[v], direction->twists[body], arm[v]);
    dc_vec_add(varied[v], varied[v], direction->twists[body] + 3);
  }
}
