// SPDX-License-Identifier: Apache-2.0
// Inertias of links, and what can be done about those that no body has.
#include <math.h>
#include <string.h>

#include "io/robot/urdf.h"
#include "math/eigen6.h"
#include "math/rotation.h"
#include "math/vector.h"

// I in the link's axes: R I R^T, with R the rotation of the frame that it is given in.
void dc_urdf_link_inertia(const struct dc_urdf_link *link, double inertia[6])
{
  const double *given = link->inertia;
  const double tensor[9] = {given[0], given[3], given[4], given[3], given[1], given[5], given[4], given[5], given[2]};
  double rotation[9], half[9], turned[9];
  dc_rotation_matrix(rotation, link->inertial.rotation);
  dc_mat_multiply(half, rotation, tensor);
  dc_mat_multiply_transposed(turned, half, rotation);
  const double result[6] = {turned[0], turned[4], turned[8], turned[1], turned[2], turned[5]};
  memcpy(inertia, result, sizeof result);
}

// The second moments S = tr(I)/2 1 - I, an integral of r r^T dm, have eigenvalues of zero at least: that no principal
// moment is negative or greater than the sum of the other two says the same.  The nearest such S in the Frobenius norm
// has the same axes and zeros instead of negative eigenvalues; a body that is not infinitely thin has a little more.
bool dc_urdf_repair_inertia(double inertia[6], double *change)
{
  static const int places[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const double thinnest = 1e-4, rounding = 1e-9;
  double trace = inertia[0] + inertia[1] + inertia[2], matrix[9], values[3], vectors[9];
  double most = 0, changed = 0, size = 0;
  *change = 0;
  for (int k = 0; k < 6; k++) {
    int i = places[k][0], j = places[k][1];
    matrix[3 * i + j] = matrix[3 * j + i] = k < 3 ? 0.5 * trace - inertia[k] : -inertia[k];
  }
  dc_eigen3(matrix, values, vectors);
  for (int e = 0; e < 3; e++)
    most = fmax(most, values[e]);
  if (!(most > 0))
    return false;
  double second[3][3] = {{0}};
  for (int e = 0; e < 3; e++) {
    double value = values[e] < -rounding * most ? thinnest * most : fmax(0, values[e]);
    if (values[e] < -rounding * most)
      changed += (value - values[e]) * (value - values[e]);
    size += value * value;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        second[i][j] += value * vectors[3 * i + e] * vectors[3 * j + e];
  }
  if (changed == 0)
    return true;
  trace = second[0][0] + second[1][1] + second[2][2];
  for (int k = 0; k < 6; k++)
    inertia[k] = (k < 3 ? trace : 0) - second[places[k][0]][places[k][1]];
  *change = sqrt(changed / size);
  return true;
}
