// SPDX-License-Identifier: Apache-2.0
// For differences by all parameters of a signed distance.
#ifndef DC_TESTS_SDF_MOVE_H
#define DC_TESTS_SDF_MOVE_H

#include <string.h>

#include "geometry/implicit/sdf.h"
#include "math/rotation.h"
#include "math/vector.h"

// Moves parameter i of the tree by h: a number, a turn or a motion of a place.
static inline void sdf_move_parameter(struct dc_sdf *sdf, int i, double h)
{
  if (i < sdf->number_count) {
    sdf->numbers[i] += h;
    return;
  }
  i -= sdf->number_count;
  if (i < 3) {
    double w[3] = {0, 0, 0}, q[4], turn[9], turned[9];
    w[i] = h;
    dc_rotation_exp(q, w);
    dc_rotation_matrix(turn, q);
    dc_mat_multiply(turned, turn, sdf->rotation);
    memcpy(sdf->rotation, turned, sizeof turned);
    return;
  }
  if (i < 6) {
    sdf->position[i - 3] += h;
    return;
  }
  i -= 6;
  for (int c = 0; c < sdf->child_count; c++) {
    int count = dc_sdf_parameter_count(&sdf->children[c]);
    if (i < count) {
      sdf_move_parameter(&sdf->children[c], i, h);
      return;
    }
    i -= count;
  }
}

// Whether parameter i is a turn, which has no unit of length.
static inline bool sdf_parameter_turns(const struct dc_sdf *sdf, int i)
{
  i -= sdf->number_count;
  if (i < 6)
    return i >= 0 && i < 3;
  i -= 6;
  for (int c = 0; c < sdf->child_count; c++) {
    int count = dc_sdf_parameter_count(&sdf->children[c]);
    if (i < count)
      return sdf_parameter_turns(&sdf->children[c], i);
    i -= count;
  }
  return false;
}

#endif
