// SPDX-License-Identifier: Apache-2.0
// Restitution: what bodies lose while they part.
//
// Idea: the contact potential alone gives back all the work that it took.  Where bodies part, the near-field normal
// force shall give back e^2 of it, so that they leave with e times the speed.  Like friction it is a dissipation that
// is convex in the poses at t+1, with the forces of time t:
//     D(q+; q) = sum_k (1 - e^2) F_k rho(o_k),     o_k = m_k . ((p_a+ - p_a) - (p_b+ - p_b)),
//     F_k, m_k  near-field force between two triangles, hulls or points and its direction, from b to a, as friction has
//               them, without its coefficient
//     p_a, p_b  where the force acts on either body, fixed to it
//     e         the smaller restitution of the two bodies
//     rho'      0 while points approach, 1 from an opening of w = h times the opening speed on, twice continuously
//               differentiable between.
// docs/theory.md, "Restitution".
#ifndef DC_CONTACT_IMPACT_H
#define DC_CONTACT_IMPACT_H

#include "contact/friction/friction.h"

// All of the last dc_contact_friction_begin.

// Whether anything resists its parting at all.
bool dc_contact_resists(const struct dc_contact *contact);

// The same as dc_contact_friction_evaluate; exact: Hessians have the curvature of the rotations, else it is left in
// turn.
double dc_contact_impact_evaluate(struct dc_contact *contact, const struct dc_pose *next, int order, bool exact,
                                  struct dc_friction_derivatives *results);

// Derivatives of ln(1 - e^2), in proportion to which a pair resists, by the restitutions of its two bodies; equal ones
// share.
void dc_impact_loss_slopes(double a, double b, double slopes[2]);

// The same as dc_contact_friction_pull_back and dc_contact_friction_mixed; restitution [bodies] gains the derivatives
// by that of each body.
void dc_contact_impact_pull_back(struct dc_contact *contact, const struct dc_pose *next, const double (*twists)[6],
                                 double (*wrenches)[6], double *stiffness, double *restitution);
bool dc_contact_impact_mixed(struct dc_contact *contact, const struct dc_pose *next, int pair, double (*twists)[6],
                             double (*wrenches)[6], double mixed[12][12]);

#endif
