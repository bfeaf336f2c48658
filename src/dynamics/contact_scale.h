// SPDX-License-Identifier: Apache-2.0
// Settings of contact that a scene leaves open, chosen by its masses, sizes and gravity (docs/theory/contact.md,
// "Scale").
#ifndef DC_DYNAMICS_CONTACT_SCALE_H
#define DC_DYNAMICS_CONTACT_SCALE_H

#include "dynamics/model.h"

// The bound that decides the stiffness: none that the bodies could tell (then it is the fixed default), the gap at
// which a body rests, or the acceleration by the far field at the start.
enum dc_contact_bound { DC_BOUND_NONE, DC_BOUND_REST, DC_BOUND_FAR_FIELD };

struct dc_contact_choice {
  bool automatic;           // the stiffness was left open and is chosen here
  int bound;                // enum dc_contact_bound
  int body, other;          // whose gap or acceleration bounds it, and on what it rests; -1: none
  double size, load, gap;   // of that body, m; the weight that presses it, N; where it rests, m
  double acceleration;      // m/s^2 that loads are made of: gravity or, without, what the motion is worth
  double far_acceleration;  // largest by the far field at the start with the stiffness chosen, m/s^2
  double least_size;        // of the bodies that move, m; NAN: there are none with a surface
};

// The size of a body's solid (dc_solid_size), or its radius, m.
double dc_contact_size(const struct dc_body *body);

// The acceleration that loads are made of, m/s^2: gravity.  Without it the one that stops within a size (m) the fastest
// start, but at least a speed of ten sizes in the duration.
double dc_contact_acceleration(const struct dc_model *model, double size);

// The lengths and speeds that are open (NAN): those which sizes alone decide.  Where the stiffness is given they are
// the fixed defaults.  The model must have its bodies; *choice is begun.  DC_MEMORY.
enum dc_status dc_contact_choose_lengths(struct dc_model *model, struct dc_contact_choice *choice,
                                         struct dc_error *error);
// The stiffness, if it is open; the lengths must have been chosen and filters be complete.  DC_MEMORY.
enum dc_status dc_contact_choose_stiffness(struct dc_model *model, struct dc_contact_choice *choice,
                                           struct dc_error *error);

#endif
