// SPDX-License-Identifier: Apache-2.0
// Gradients of a plan's loss: the adjoint, or estimates from rollouts at perturbed parameters.
#ifndef DC_PLAN_GRADIENT_H
#define DC_PLAN_GRADIENT_H

#include <stdbool.h>

#include "base/options.h"
#include "contact/contact.h"

struct dc_plan;

enum dc_gradient_type { DC_GRADIENT_ADJOINT, DC_GRADIENT_DIFFERENCES, DC_GRADIENT_BUNDLE };

// "gradient" of a scene; the option table is dc_gradient_options, its choices "adjoint", "fd" and "bundle".  step and
// sigma are in the units of the parameters, whatever these are.
struct dc_gradient_settings {
  int type;      // enum dc_gradient_type
  double step;   // of the differences
  long samples;  // of a bundle
  double sigma;  // of a bundle: standard deviation of every parameter
  long order;    // of a bundle: 1 the mean of gradients by the adjoint, 0 of differences of the loss
  long seed;     // of a bundle
};
extern const struct dc_option dc_gradient_options[];

// Statistics of a plan's estimates since its creation.
struct dc_gradient_counts {
  // started, including failed ones: the random numbers of a bundle follow from the seed and this number
  long estimates;
  long one_sided;  // components from a one-sided difference, because the other side could not be rolled out
  long dropped;    // components set to zero and samples left out, because no rollout succeeded
};

// Completes settings that the scene leaves open: models without our adjoint (DC_CONTACT_FOREIGN) use differences, and
// bundles of order 0.
void dc_gradient_complete(struct dc_gradient_settings *settings, bool type_given, bool order_given,
                          const struct dc_contact_model *model);
// DC_BAD_INPUT when the gradient needs an adjoint that the model does not have.
enum dc_status dc_gradient_check_model(const struct dc_gradient_settings *settings,
                                       const struct dc_contact_model *model, struct dc_error *error);

// Estimates the gradient [parameter_count] of the loss, whose value at parameters is loss, by the method of
// plan->estimate.settings (not DC_GRADIENT_ADJOINT).  plan->trajectory and plan->input are not changed; the work is
// counted in plan.  The bits do not depend on the number of threads.  Without parameters nothing is done or counted.
// DC_NUMERICAL when no point could be rolled out; DC_MEMORY.
typedef enum dc_status dc_gradient_function(struct dc_plan *plan, const double *parameters, double loss,
                                            double *gradient, struct dc_error *error);

// Selects how later evaluations of a plan compute gradients; dc_gradient_check_model must hold.
void dc_plan_set_gradient(struct dc_plan *plan, const struct dc_gradient_settings *settings);

#endif
