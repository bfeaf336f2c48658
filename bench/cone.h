// SPDX-License-Identifier: Apache-2.0
// Whether a force pushes two point sets apart.
#ifndef BENCH_CONE_H
#define BENCH_CONE_H

// The angle (rad, at most pi/2) between a force and the cone { alpha (x - y) : alpha >= 0, x in hull(a), y in hull(b) }
// of paper 000, Eq. 2; 0 inside.  force must not be zero.  Good to 1e-9 while the hulls are at most some ten sizes
// apart.
double dc_cone_angle(const double force[3], int a_count, const double (*a)[3], int b_count, const double (*b)[3]);

#endif
