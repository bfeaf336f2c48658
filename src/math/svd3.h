// SPDX-License-Identifier: Apache-2.0
// The singular value decomposition of 3x3 matrices, with rotations.
#ifndef DC_MATH_SVD3_H
#define DC_MATH_SVD3_H

// f = u diag(s) v^T (row by row) with rotations u and v: det u = det v = 1, so that where det f < 0 one of the s, the
// smallest in size, is negative.  The s are in no order.  One-sided Jacobi rotations (Hestenes 1958).  A matrix that is
// not finite gives what is not finite.
void dc_svd3(const double f[9], double u[9], double s[3], double v[9]);

#endif
