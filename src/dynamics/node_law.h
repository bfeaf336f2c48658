// SPDX-License-Identifier: Apache-2.0
// The energy phi of one node at a half-space, barrier and friction, as a function of the node's move d from where the
// law was listed (struct dc_node_law, step.h).  Below n is the normal, t the way along the plane, and P = 1 - n n^T; k
// is friction's stiffness, k' its derivative by the square of the way.  Private to src/dynamics.
#ifndef DC_DYNAMICS_NODE_LAW_H
#define DC_DYNAMICS_NODE_LAW_H

#include "dynamics/step.h"

// slope [3] += scale (-e/(2 gap) n + k t).
void dc_node_law_add_slope(const struct dc_node_law *law, double scale, double *slope);
// block [3][3] += e/(2 gap^2) n n^T + k P + 2 k' t t^T.
void dc_node_law_add_curvature(const struct dc_node_law *law, double block[9]);
// Gap and way after a move d [3] of the node, which must leave a gap.
void dc_node_law_move(struct dc_node_law *law, const double *d);
// phi of `after`, which is law moved, minus phi of law; no large numbers cancel.
double dc_node_law_energy_change(const struct dc_node_law *law, const struct dc_node_law *after);
// The move along the plane to the way w that minimizes (w - way)^T A (w - way)/2 + g.(w - way) + D(|w|), with A [3][3]
// the stiffness of all else and g [3] its slope.
void dc_node_law_slide(const struct dc_node_law *law, const double a[9], const double g[3], double move[3]);
// The new gap y > 0 of  a (y - gap) + b = e/(2 y):  the minimum along the normal where all else has the slope b and the
// stiffness a > 0.
double dc_node_law_rest_gap(double a, double b, double gap, double e);

#endif
