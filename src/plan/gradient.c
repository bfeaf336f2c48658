// SPDX-License-Identifier: Apache-2.0
// Gradients by estimates from rollouts: central differences, and bundles, i.e. means of gradients (order 1) or of
// differences (order 0) at normally distributed points.  Formulas and limits: docs/theory.md, "Gradient estimators".
//
// 1. Points are made in batches of `room`: both sides of each parameter, or draws around the parameters.
// 2. A team of plans, and other ranks, roll them out side by side.
// 3. Losses or gradients are combined in the order of the points, so that sums have the same bits for any number of
// threads.
#include "plan/plan_cases.h"
#include "plan/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "plan/crew.h"

enum { BATCH = 64 };  // samples that are held at a time, for each rank

static const char *const type_choices[] = {"adjoint", "fd", "bundle", NULL};

const struct dc_option dc_gradient_options[] = {
    DC_CHOICE_OPTION(
        struct dc_gradient_settings, type, "\"adjoint\"", type_choices,
        "adjoint; fd: central differences; bundle: mean over random perturbations; default of models without "
        "adjoint: fd"),
    DC_POSITIVE_OPTION(struct dc_gradient_settings, step, "", "1e-6", 1e3,
                       "fd: change of a parameter to either side, in its unit"),
    DC_INTEGER_OPTION(struct dc_gradient_settings, samples, "100", 1, 1e6, "bundle: number of perturbations"),
    DC_POSITIVE_OPTION(struct dc_gradient_settings, sigma, "", "0.1", 1e6,
                       "bundle: standard deviation of every parameter, in its unit"),
    DC_INTEGER_OPTION(
        struct dc_gradient_settings, order, "1", 0, 1,
        "bundle: 1: mean of adjoint gradients; 0: of differences of the loss, the default of models without "
        "adjoint"),
    DC_SEED_OPTION(struct dc_gradient_settings, "bundle: seed of the perturbations"),
    DC_OPTIONS_END,
};

// Contact models of other programs have no derivatives: unless asked otherwise, gradients are differences there.
void dc_gradient_complete(struct dc_gradient_settings *settings, bool type_given, bool order_given,
                          const struct dc_contact_model *model)
{
  if (!(model->flags & DC_CONTACT_FOREIGN))
    return;
  if (!type_given)
    settings->type = DC_GRADIENT_DIFFERENCES;
  if (!order_given)
    settings->order = 0;
}

// A simulator without an adjoint has differences alone.
enum dc_status dc_gradient_check_model(const struct dc_gradient_settings *settings,
                                       const struct dc_contact_model *model, struct dc_error *error)
{
  if (!(model->flags & DC_CONTACT_FOREIGN))
    return DC_OK;
  if (settings->type == DC_GRADIENT_ADJOINT)
    return dc_fail(error, DC_BAD_INPUT,
                   "gradient.type: the contact model \"%s\" has no adjoint: must be \"fd\" or \"bundle\" "
                   "(is \"adjoint\")",
                   model->name);
  if (settings->type == DC_GRADIENT_BUNDLE && settings->order > 0)
    return dc_fail(error, DC_BAD_INPUT, "gradient.order: the contact model \"%s\" has no adjoint: must be 0 (is %ld)",
                   model->name, settings->order);
  return DC_OK;
}

// Workspace that a plan keeps from one estimate to the next, until its settings change.
struct estimator {
  struct dc_plan *first;  // rolls out on the caller's thread
  struct dc_plan_team team;
  int room;                        // number of samples held at a time
  struct dc_plan_sample *samples;  // [room]
  double *points;                  // [room][parameters]
  double *gradients;               // [room][parameters], for bundles
  double *losses[2];               // [parameters] losses on either side; NAN where the point could not be rolled out
};

static void destroy_estimator(void *object)
{
  struct estimator *estimator = object;
  dc_plan_team_release(&estimator->team);
  dc_plan_destroy(estimator->first);
  free(estimator->samples);
  free(estimator->points);
  free(estimator->gradients);
  for (int side = 0; side < 2; side++)
    free(estimator->losses[side]);
  free(estimator);
}

// One estimate.
struct estimate {
  struct dc_plan *plan;
  struct estimator *estimator;
  const double *parameters;
  double loss;
};

// Workspace for samples, in batches for all ranks.
static enum dc_status create_estimator(struct dc_plan *plan, struct dc_error *error)
{
  struct estimator *estimator = dc_alloc(1, sizeof *estimator);
  if (!estimator)
    return dc_out_of_memory_for(error, "gradients");
  plan->estimate.memory = (struct dc_plan_property){estimator, destroy_estimator};
  bool bundle = plan->estimate.settings.type == DC_GRADIENT_BUNDLE;
  size_t parameters = (size_t)plan->sizes.parameters;
  estimator->room = BATCH * dc_plan_crew_ranks(plan->helpers.crew);
  size_t room = (size_t)estimator->room;
  estimator->samples = dc_alloc(room, sizeof *estimator->samples);
  estimator->points = dc_alloc(room * parameters, sizeof *estimator->points);
  estimator->gradients = dc_alloc(bundle ? room * parameters : 0, sizeof *estimator->gradients);
  bool enough = estimator->samples && estimator->points && estimator->gradients;
  for (int side = 0; side < 2; side++) {
    estimator->losses[side] = dc_alloc(bundle ? 0 : parameters, sizeof *estimator->losses[side]);
    enough &= estimator->losses[side] != NULL;
  }
  return enough ? DC_OK : dc_out_of_memory_for(error, "gradients");
}

// Creates as many workers as there are threads, or memory; results do not depend on their number.
static enum dc_status hire(struct dc_plan *plan, int wanted, struct dc_error *error)
{
  struct estimator *estimator = plan->estimate.memory.object;
  if (estimator->team.count >= wanted)
    return DC_OK;
  dc_plan_team_release(&estimator->team);
  if (!estimator->first && !(estimator->first = dc_plan_hire(plan, error)))
    return error ? error->status : DC_MEMORY;
  enum dc_status status = dc_plan_team_create(estimator->first, wanted, &estimator->team, error);
  for (int i = 0; i < estimator->team.count; i++) {
    dc_plan_set_tight(estimator->team.plans[i], plan->estimate.settings.type == DC_GRADIENT_DIFFERENCES);
    dc_plan_set_gapless(estimator->team.plans[i], true);
  }
  return status;
}

// Prepares workers for so many samples in the plan's present window.
static enum dc_status prepare(struct estimate *estimate, long samples, struct dc_error *error)
{
  struct dc_plan *plan = estimate->plan;
  int wanted = dc_threads();
  if (wanted > samples)
    wanted = (int)samples;
  enum dc_status status = plan->estimate.memory.object ? DC_OK : create_estimator(plan, error);
  if (!status)
    status = hire(plan, wanted, error);
  if (status)
    return status;
  struct estimator *estimator = estimate->estimator = plan->estimate.memory.object;
  estimator->first->helpers.crew = plan->helpers.crew;
  estimator->first->scaled.coarseness = plan->scaled.coarseness;
  for (int i = 0; i < estimator->team.count; i++)
    dc_plan_follow(estimator->team.plans[i], plan);
  return DC_OK;
}

static double *point_of(const struct estimate *estimate, int index)
{
  return estimate->estimator->points + (size_t)index * (size_t)estimate->plan->sizes.parameters;
}

// Row `index` of gradients; NULL when only losses are needed.
static double *gradient_of(const struct estimate *estimate, int index, bool wanted)
{
  return wanted ? estimate->estimator->gradients + (size_t)index * (size_t)estimate->plan->sizes.parameters : NULL;
}

// Rolls out the first `count` points.  Returns the status of one that failed for other reasons than the rollout.
static enum dc_status roll_out(struct estimate *estimate, int count, bool gradients, struct dc_error *error)
{
  struct estimator *estimator = estimate->estimator;
  for (int k = 0; k < count; k++)
    estimator->samples[k] =
        (struct dc_plan_sample){.parameters = point_of(estimate, k), .gradient = gradient_of(estimate, k, gradients)};
  dc_plan_team_sample(&estimator->team, count, estimator->samples, 0);
  for (int k = 0; k < count; k++) {
    const struct dc_plan_sample *sample = &estimator->samples[k];
    if (sample->status && !dc_point_has_no_value(sample->status))
      return dc_fail(error, sample->status, "%s", sample->error.text);
    dc_plan_add_work(&estimate->plan->work, &sample->work);
  }
  return DC_OK;
}

// Sets point `index` to the plan's parameters and returns it.
static double *set_point(const struct estimate *estimate, int index)
{
  size_t bytes = (size_t)estimate->plan->parameter_count * sizeof(double);
  return memcpy(point_of(estimate, index), estimate->parameters, bytes);
}

static double loss_of(const struct estimate *estimate, int index)
{
  const struct dc_plan_sample *sample = &estimate->estimator->samples[index];
  return sample->status ? NAN : sample->loss;
}

// Rolls out with every parameter moved to either side: even points are x + h e_i, odd ones x - h e_i. losses[0] are
// those of x + h e_i.
static enum dc_status roll_out_sides(struct estimate *estimate, struct dc_error *error)
{
  struct estimator *estimator = estimate->estimator;
  double step = estimate->plan->estimate.settings.step;
  int count = estimate->plan->parameter_count, half = estimator->room / 2;
  for (int first = 0; first < count; first += half) {
    int here = count - first < half ? count - first : half;
    for (int k = 0; k < 2 * here; k++)
      set_point(estimate, k)[first + k / 2] += k % 2 ? -step : step;
    enum dc_status status = roll_out(estimate, 2 * here, false, error);
    if (status)
      return status;
    for (int k = 0; k < 2 * here; k++)
      estimator->losses[k % 2][first + k / 2] = loss_of(estimate, k);
  }
  return DC_OK;
}

// (L(x + h) - L(x - h)) / 2h; where one side fails, the difference to L(x), which is rolled out again with the same
// tolerance.
static enum dc_status differences(struct estimate *estimate, double *gradient, struct dc_error *error)
{
  struct dc_plan *plan = estimate->plan;
  struct estimator *estimator = estimate->estimator;
  double step = plan->estimate.settings.step, middle = NAN;
  int count = plan->parameter_count, known = 0, one_sided = 0;
  enum dc_status status = roll_out_sides(estimate, error);
  if (status)
    return status;
  for (int i = 0; i < count; i++)
    one_sided += isnan(estimator->losses[0][i]) != isnan(estimator->losses[1][i]);
  if (one_sided) {
    set_point(estimate, 0);
    status = roll_out(estimate, 1, false, error);
    middle = status ? NAN : loss_of(estimate, 0);
  }
  if (status)
    return status;
  for (int i = 0; i < count; i++) {
    double up = estimator->losses[0][i], down = estimator->losses[1][i], x = estimate->parameters[i];
    double high = isnan(up) ? x : x + step, low = isnan(down) ? x : x - step;
    double rise = (isnan(up) ? middle : up) - (isnan(down) ? middle : down);
    bool none = isnan(rise) || !(high > low);
    gradient[i] = none ? 0 : rise / (high - low);
    plan->estimate.counts.dropped += none;
    plan->estimate.counts.one_sided += !none && (isnan(up) || isnan(down));
    known += !none;
  }
  return known ? DC_OK
               : dc_fail(error, DC_NUMERICAL, "no difference of the loss to any of %d parameters can be had", count);
}

// Every sample has its own random stream, so that any worker draws the same numbers.
static void draw_sample(const struct estimate *estimate, long sample, double *numbers)
{
  const struct dc_plan *plan = estimate->plan;
  struct dc_random random;
  dc_random_seed(&random, (uint64_t)plan->estimate.settings.seed);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)plan->estimate.counts.estimates);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)sample);
  for (int i = 0; i < plan->parameter_count; i++)
    numbers[i] = dc_random_normal(&random);
}

// Rolls out a batch of samples x + sigma n.  For order 0 their gradients become differences along the draws, n (L(x +
// sigma n) - L(x)) / sigma.  The rows of gradients hold the draws n meanwhile.
static enum dc_status roll_out_batch(struct estimate *estimate, long first, int count, struct dc_error *error)
{
  const struct dc_plan *plan = estimate->plan;
  const struct dc_gradient_settings *settings = &plan->estimate.settings;
  for (int k = 0; k < count; k++) {
    double *row = gradient_of(estimate, k, true), *point = point_of(estimate, k);
    draw_sample(estimate, first + k, row);
    for (int i = 0; i < plan->parameter_count; i++)
      point[i] = estimate->parameters[i] + settings->sigma * row[i];
  }
  enum dc_status status = roll_out(estimate, count, settings->order > 0, error);
  for (int k = 0; k < count && !status && !settings->order; k++)
    for (int i = 0; i < plan->parameter_count; i++)
      gradient_of(estimate, k, true)[i] *= (estimate->estimator->samples[k].loss - estimate->loss) / settings->sigma;
  return status;
}

// Mean over the samples that could be rolled out, added in their order.
static enum dc_status bundle(struct estimate *estimate, double *gradient, struct dc_error *error)
{
  struct dc_plan *plan = estimate->plan;
  const struct estimator *estimator = estimate->estimator;
  long samples = plan->estimate.settings.samples, used = 0;
  memset(gradient, 0, (size_t)plan->parameter_count * sizeof *gradient);
  for (long first = 0; first < samples; first += estimator->room) {
    int count = samples - first < estimator->room ? (int)(samples - first) : estimator->room;
    enum dc_status status = roll_out_batch(estimate, first, count, error);
    if (status)
      return status;
    for (int k = 0; k < count; k++) {
      const double *row = gradient_of(estimate, k, true);
      for (int i = 0; i < plan->parameter_count && !estimator->samples[k].status; i++)
        gradient[i] += row[i];
      used += !estimator->samples[k].status;
    }
  }
  plan->estimate.counts.dropped += samples - used;
  if (!used)
    return dc_fail(error, DC_NUMERICAL, "none of the %ld samples of a bundle of gradients could be rolled out",
                   samples);
  for (int i = 0; i < plan->parameter_count; i++)
    gradient[i] /= (double)used;
  return DC_OK;
}

// Gradients of plans without an adjoint: central differences take two rollouts a parameter, bundles as many as the
// scene gives samples, whatever the number of parameters.
static enum dc_status estimate_gradient(struct dc_plan *plan, const double *parameters, double loss, double *gradient,
                                        struct dc_error *error)
{
  struct estimate estimate = {.plan = plan, .parameters = parameters, .loss = loss};
  if (plan->parameter_count == 0)
    return DC_OK;
  bool differ = plan->estimate.settings.type == DC_GRADIENT_DIFFERENCES;
  enum dc_status status =
      prepare(&estimate, differ ? 2L * plan->parameter_count : plan->estimate.settings.samples, error);
  if (status)
    return status;
  status = differ ? differences(&estimate, gradient, error) : bundle(&estimate, gradient, error);
  plan->estimate.counts.estimates++;
  return status;
}

void dc_plan_set_gradient(struct dc_plan *plan, const struct dc_gradient_settings *settings)
{
  dc_plan_drop(&plan->estimate.memory);
  plan->estimate.settings = *settings;
  plan->estimate.function = estimate_gradient;
}
