// SPDX-License-Identifier: Apache-2.0
// Objective "mass": bodies together stay within a budget,
//     f = weight * max(M - most, 0)^2,   M = sum m_i,   m_i gains 2 weight max(M - most, 0).
// The masses are those of the present model, with its design, times the factors of the input; frames do not matter.
#include <math.h>

#include "task/objective_parts.h"

static const double SHARE = 0.01;  // default tolerance, relative to the budget

static const struct dc_option options_table[] = {
    DC_BODIES_OPTION(struct dc_mass_options,
                     "names of the bodies whose mass counts; when absent those whose shapes the design changes, or all "
                     "that move where it changes none"),
    DC_POSITIVE_OPTION(struct dc_mass_options, most, "kg", NULL, 1e9, "budget: mass of the bodies together at most"),
    DC_TOLERANCE_OPTION(struct dc_mass_options, tolerance, "kg", "null",
                        "excess that counts as reached; 0.01 of the budget when absent"),
    DC_WEIGHT_OPTION(struct dc_mass_options, weight, "1/kg^2", "factor on the squared excess"),
    DC_OPTIONS_END,
};

// Fixed bodies and cables count without a mass, whatever their volume.
static bool has_mass(const struct dc_model *model, int body)
{
  return dc_objective_scene_mass(model, body) > 0;
}

// Bodies are listed once the effects of the design are known: by default those whose shapes it changes.
static enum dc_status prepare(void *options, const struct dc_model *model, struct dc_arena *arena,
                              struct dc_error *error)
{
  struct dc_mass_options *mass = options;
  return dc_objective_list_bodies(&mass->bodies, model, has_mass, "mass", arena, error);
}

// max(M - most, 0) in kg; NaN stays NaN.
static double excess_of(const struct dc_mass_options *mass, const struct dc_model *model,
                        const struct dc_rollout_input *input)
{
  double excess = -mass->most;
  for (int i = 0; i < mass->bodies.count; i++)
    excess += dc_objective_mass_of(model, input, mass->bodies.indices[i]);
  return excess <= 0 ? 0 : excess;
}

// The excess is the sum of the masses, so that each of them has the derivative by the excess.
static void pull_back(const struct dc_mass_options *mass, const struct dc_model *model,
                      const struct dc_rollout_input *input, double by_excess, struct dc_loss_cotangent *cotangent)
{
  for (int i = 0; i < mass->bodies.count; i++)
    dc_objective_add_mass(cotangent, model, input, mass->bodies.indices[i], by_excess);
}

// The same at all frames: the trajectory is not looked at.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)trajectory;
  const struct dc_mass_options *mass = options;
  double excess = excess_of(mass, model, input);
  pull_back(mass, model, input, 2 * mass->weight * excess, cotangent);
  return mass->weight * excess * excess;
}

// A single group: the budget is one number for the whole run.
static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)options, (void)model, (void)trajectory;
  return 1;
}

// One row: the excess.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)index;
  const struct dc_mass_options *mass = options;
  *first = *last = trajectory->steps;
  group->axes = 1;
  group->d[0] = group->e[0] = excess_of(mass, model, input);
  group->weight = mass->weight;
  group->value = mass->weight * group->d[0] * group->d[0];
}

// Below the budget the row is 0 and has no derivative.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)trajectory, (void)index;
  if (excess_of(options, model, input) != 0)
    pull_back(options, model, input, weights[0], cotangent);
}

static const struct dc_objective_rows rows = {
    .by_input = true, .count = row_groups, .group = row_group, .pull_back = row_pull_back};

// By default an excess of SHARE of the budget counts as reached, since a penalty ends slightly above its bound.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  (void)trajectory, (void)frame;
  const struct dc_mass_options *mass = options;
  *body = -1;
  *distance = excess_of(mass, model, input);
  *reached = *distance <= (isnan(mass->tolerance) ? SHARE * mass->most : mass->tolerance);
}

const struct dc_objective_type dc_objective_mass = {
    .name = "mass",
    .summary = "weight * max(M - most, 0)^2 of the mass M of bodies together",
    .reference = "the quadratic penalty of an inequality constraint",
    .options = options_table,
    .options_size = sizeof(struct dc_mass_options),
    .check = dc_objective_check_list,
    .prepare = prepare,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
};
