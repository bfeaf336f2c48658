// SPDX-License-Identifier: Apache-2.0
// Friction between bodies: paper 003, IV.C and VIII, with the local support of paper 000, A.3.
//
// Idea: two triangles that are close have a separating plane.  At time t it is taken as a sheet without mass between
// them.  In the step to t+1 the sheet moves within itself with a velocity u and a spin omega, and the vertices of both
// triangles slide on it.  The energy of friction is the least that they can dissipate,
//     D(q+; q) = min over (u, omega) of h sum_v lambda f_v (sqrt(|r_v|^2 + e^2) - e),
//     r_v = B^T (x_v+ - x_v)/h - u - omega B^T (n x (x_v - o)),        slip of vertex v, m/s,
// with
//     f_v     normal force on vertex v at time t, times the weights of the hierarchy
//     lambda  coefficient of the two bodies, times the factor of the lag (dynamics/lag.c)
//     e       smoothing velocity
//     B, n, o basis of the plane, its normal, any point of it, at time t.
// On a half space the plane does not move and every vertex of the mesh slides on it.  D depends on q+ through x_v+, and
// on q through x_v, n and f_v (docs/theory.md, "Friction").
#ifndef DC_CONTACT_FRICTION_H
#define DC_CONTACT_FRICTION_H

#include "contact/contact.h"

// All that friction depends on besides the poses.
struct dc_friction_law {
  double stiffness;           // mu of the contact potential with its scale, J
  double time_step;           // h, s
  double smoothing;           // e, m/s
  bool none;                  // nothing rubs, whatever the coefficients
  const double *coefficient;  // [bodies]; of a pair: the geometric mean of the two, or its own (dc_bodies_pair_friction)
  const double *scale;        // [bodies] factors that coefficients have of a design; NULL: 1
  const double *lag_factor;   // [pairs] on the normal forces that friction has of time t, >= 0; NULL: 1
};

// Whether any body, or any pair by a coefficient of its own, has friction.
bool dc_friction_law_acts(const struct dc_friction_law *law, const struct dc_bodies *bodies);

// The coefficient of two bodies by the law.
double dc_friction_law_coefficient(const struct dc_friction_law *law, const struct dc_contact *contact, int a, int b);

// Energy D of one body pair and its derivatives for the twists (w_a, t_a, w_b, t_b) of both frames at t+1, each about
// its own origin; those of a body that does not move are zero.
struct dc_friction_derivatives {
  bool acts;      // false: nothing slides, and all numbers are 0
  double energy;  // J
  double gradient[12];
  double h_aa[6][6], h_ab[6][6], h_bb[6][6];  // rows a, columns b in h_ab
  double turn[2]
             [6];  // lower triangles of what the rotations of a and of b add to h_aa and h_bb if they are to be exact
};

// Lists the sliding contacts, from the last evaluation of contact, which must have been at poses now [bodies].  There
// is none where the coefficient is 0. DC_OK or DC_MEMORY.
enum dc_status dc_contact_friction_begin(struct dc_contact *contact, const struct dc_pose *now,
                                         const struct dc_friction_law *law, struct dc_error *error);

// Which matrix stands for the Hessian:
// CONVEX  without the curvature of the rotations, which is left in turn: positive semidefinite;
// EXACT   the true one;
// HELD    as CONVEX, for the iterates of Newton's method: tends to that at the solution, but between sticking and
//         sliding, where the true one changes abruptly and its steps overshoot, changes no faster than a linear model
//         allows (docs/theory.md, "Friction").  Depends on the last iterate that was accepted.
// MAJORANT the least quadratic majorant, from which HELD ones start anew.
enum dc_friction_curvature { DC_FRICTION_CONVEX, DC_FRICTION_EXACT, DC_FRICTION_HELD, DC_FRICTION_MAJORANT };

// The sum of D over all pairs at poses next [bodies], with gradients (order 1) and Hessians (order 2) per pair into
// results [pair_count], which are zero at first and of another evaluation later.  May be called any number of times
// after begin, other evaluations of contact in between; the solution of one call starts the next.  Same bits for any
// number of threads.
double dc_contact_friction_evaluate(struct dc_contact *contact, const struct dc_pose *next, int order,
                                    enum dc_friction_curvature curvature, struct dc_friction_derivatives *results);

// Adds the Hessians that the last evaluation, of order 1, has left out, at the same poses; nothing where it made them.
void dc_contact_friction_complete(struct dc_contact *contact, const struct dc_pose *next,
                                  struct dc_friction_derivatives *results);

// Makes results [count] zero.
void dc_friction_clear(struct dc_friction_derivatives *results, int count);

// The poses of the last evaluation, of order 1 or 2 and HELD, are an iterate: the next HELD ones start from it.
void dc_contact_friction_accept(struct dc_contact *contact);

// Whether there is any sliding contact after the last begin.
bool dc_contact_slides(const struct dc_contact *contact);

// Whether the motion of every plane reached its tolerance in the last evaluation: no gradient may rest on one that did
// not.
bool dc_contact_friction_solved(const struct dc_contact *contact);

// The derivative of D along twists [bodies][6] of the frames at next (those of the last evaluation), pulled back:
// * by the poses at t, as wrenches for the twists of those frames: added to wrenches [bodies][6];
// * by the natural logarithms of the bodies' factors, which the pairs' own coefficients have, too: added to
//   coefficient [bodies];
// * by the stiffness: added to *stiffness;
// * by the places of contact's points (contact.h) in the axes of their frames, the same at t and t+1: added to points
//   [bodies][point_count], of models with DC_CONTACT_SHAPES.  NULL, or points[body] NULL: not wanted; with bsh and
//   exact only bodies that follow a design may want them.
//
// The derivative by sizes of nodes is noted for dc_contact_take_sizes.
void dc_contact_friction_pull_back(struct dc_contact *contact, const struct dc_pose *next, const double (*twists)[6],
                                   double (*wrenches)[6], double *coefficient, double *stiffness,
                                   double (*const *points)[3]);

// The mixed Hessian of D of one pair: rows for the twists (w_a, t_a, w_b, t_b) of the frames at next, columns for those
// at t; zero for a body that does not move.  Workspace [bodies]: twists, zero before and after, wrenches and
// coefficient.  false, and mixed as it was, when nothing slides at all.
bool dc_contact_friction_mixed(struct dc_contact *contact, const struct dc_pose *next, int pair, double (*twists)[6],
                               double (*wrenches)[6], double *coefficient, double mixed[12][12]);

#endif
