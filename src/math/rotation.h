// SPDX-License-Identifier: Apache-2.0
// Rotations: unit quaternions (w, x, y, z), matrices and the exponential map.
#ifndef DC_MATH_ROTATION_H
#define DC_MATH_ROTATION_H

// Matrix [9], row by row, of the unit quaternion q [4].
void dc_rotation_matrix(double *matrix, const double *q);
// Quaternion of exp([w]x), w [3] in rad; exact to rounding for any |w|, by Taylor series below |w|^2 = 1e-8.
void dc_rotation_exp(double *q, const double *w);
// Rotation vector w [3], |w| <= pi, of the unit quaternion q.
void dc_rotation_log(double *w, const double *q);
// r = a b (first b, then a), normalized; r may be a or b.
void dc_rotation_multiply(double *r, const double *a, const double *b);
void dc_rotation_conjugate(double *r, const double *q);
void dc_rotation_normalize(double *q);
// Left Jacobian J [9] of the exponential: exp(w + dw) = exp(J dw) exp(w) + O(dw^2).
void dc_rotation_left_jacobian(double *jacobian, const double *w);
// Its inverse [9], |w| < 2 pi.
void dc_rotation_left_jacobian_inverse(double *inverse, const double *w);

#endif
