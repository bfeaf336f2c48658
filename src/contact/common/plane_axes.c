// SPDX-License-Identifier: Apache-2.0
// Principal axes in a plane: half the angle of the weighted second moments [a11 a12; a12 a22] of the points about the
// origin, tan(2 angle) = 2 a12 / (a11 - a22).
#include "contact/common/plane_axes.h"

#include <math.h>

// Turns two axes of a plane by the angle at which the weighted second moments about them have no mixed part: tan 2
// angle = 2 a12/(a11 - a22).
void dc_plane_turn_to_principal(double axes[9], int count, double (*local)[3], const double *weights)
{
  double a11 = 0, a12 = 0, a22 = 0;
  for (int v = 0; v < count; v++) {
    const double *x = local[v];
    a11 += weights[v] * x[0] * x[0];
    a12 += weights[v] * x[0] * x[1];
    a22 += weights[v] * x[1] * x[1];
  }
  double angle = 0.5 * atan2(2 * a12, a11 - a22), c = cos(angle), s = sin(angle);
  for (int k = 0; k < 3; k++) {
    double first = axes[k], second = axes[3 + k];
    axes[k] = c * first + s * second;
    axes[3 + k] = c * second - s * first;
  }
  for (int v = 0; v < count; v++) {
    double first = local[v][0], second = local[v][1];
    local[v][0] = c * first + s * second;
    local[v][1] = c * second - s * first;
  }
}
