// SPDX-License-Identifier: Apache-2.0
// The four properties of paper 000, section 3, measured of any contact model (docs/theory.md, "Measured properties").
#ifndef BENCH_PROPERTIES_H
#define BENCH_PROPERTIES_H

#include "contact/contact.h"

// Distances are in sizes, the sum of the radii of two bodies.
struct dc_contact_properties {
  const char *model;
  int left_out;  // pairs of bodies that the model refuses
  // Barrier: energies on lines at gaps 1e-2, 1e-3 ... 1e-8, and inside.
  struct {
    bool holds;
    double growth;  // least energy at 1e-8 over that at 1e-2
    double gain;    // least ratio of what the last decade adds to what the one before it added; 0.1 of a bounded energy
    long poses, failures;  // negative, not finite though apart, or finite though surfaces cross
  } barrier;
  // Twice differentiable: jump of the difference quotient of the gradient, relative to its size nearby, at the place of
  // the worst path, from a step to one of a tenth.
  struct {
    bool holds;
    double step, jump, jump_tenth;  // step in parts of the path
    const char *path;
    long paths;
  } smooth;
  // Non-prehensile: largest angle by which the force on a body leaves the cone of paper 000, Eq. 2, rad.
  struct {
    bool holds;
    double angle;
    long poses;  // with a force
  } pushing;
  // Non-vanishing: gaps from 1e-3 to 1e3.
  struct {
    bool holds;
    double least;     // least force on a line, relative to the one at a gap of one size
    double vanishes;  // smallest gap at which it is exactly zero; INFINITY: none
    long lines;
  } lasting;
};

// Properties that a model's descriptor promises: a barrier always, the others by its flags.
bool dc_properties_expected_smooth(const struct dc_contact_model *model);
bool dc_properties_expected_pushing(const struct dc_contact_model *model);
bool dc_properties_expected_lasting(const struct dc_contact_model *model);

// Measures a model with a potential (not DC_CONTACT_FOREIGN) on `lines` random lines and as many random paths for every
// pair of bodies; 6 takes some seconds.  On the calling thread; fixed seeds.  DC_MEMORY and what dc_contact_create
// returns.
enum dc_status dc_bench_properties(const struct dc_contact_model *model, int lines,
                                   struct dc_contact_properties *properties, struct dc_error *error);

#endif
