// SPDX-License-Identifier: Apache-2.0
// Checks that several shapes share: numbers of divisions, and rotations of parts.
#include "geometry/shapes/shape_options.h"

#include <math.h>

#include "geometry/shapes/constants.h"

enum dc_status dc_shape_read_divisions(const double divisions[3], int n[3], struct dc_error *error)
{
  for (int axis = 0; axis < 3; axis++) {
    if (!(divisions[axis] >= 1 && divisions[axis] <= DC_DIVISIONS_MOST && divisions[axis] == floor(divisions[axis])))
      return dc_fail(error, DC_BAD_INPUT, "divisions[%d]: must be a whole number from 1 to %d (is %.10g)", axis,
                     DC_DIVISIONS_MOST, divisions[axis]);
    n[axis] = (int)divisions[axis];
  }
  return DC_OK;
}

enum dc_status dc_shape_check_rotation(const double rotation[4], int index, double *length, struct dc_error *error)
{
  double square = 0;
  for (int k = 0; k < 4; k++)
    square += rotation[k] * rotation[k];
  *length = sqrt(square);
  if (fabs(*length - 1) > DC_QUATERNION_TOLERANCE)
    return dc_fail(error, DC_BAD_INPUT, "parts[%d].rotation: must be of unit length within %g (its length is %.10g)",
                   index, DC_QUATERNION_TOLERANCE, *length);
  return DC_OK;
}
