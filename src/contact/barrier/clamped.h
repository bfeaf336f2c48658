// SPDX-License-Identifier: Apache-2.0
// The barrier of incremental potential contact (Li et al. 2020), which ends at a distance, and the mollifier of edges
// that are nearly parallel: the model ipc and the surfaces of soft bodies share them.
#ifndef DC_CONTACT_CLAMPED_H
#define DC_CONTACT_CLAMPED_H

// Value and two derivatives by the distance d of b(d) = -(d/range - 1)^2 ln(d/range), 0 from the range on (Li et al.
// 2020, Eq. 6, in units of stiffness/range^2).
void dc_clamped_barrier(double d, double range, double b[3]);
// The same value with its derivatives by the square of the distance.
void dc_clamped_profile(double square, double range, double p[3]);
// Value and two derivatives by c of the mollifier e(c) = c/t (2 - c/t), t the threshold and c the square of the cross
// product of two edges; 1 from the threshold on (Eq. 24).
void dc_clamped_mollifier(double c, double threshold, double m[3]);

#endif
