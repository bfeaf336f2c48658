// SPDX-License-Identifier: Apache-2.0
// Formulas and limits: docs/theory.md, "Gradient estimators".
#include "plan/plan_cases.h"
#include "plan/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "plan/trajectory_plan.h"
#include "plan/worker.h"

enum { BATCH = 64 };  // samples that are held at a time

static const char *const type_choices[] = {"adjoint", "fd", "bundle", NULL};

const struct dc_option dc_gradient_options[] = {
    {.name = "type",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"adjoint\"",
     .choices = type_choices,
     .help = "adjoint; fd: central differences; bundle: mean over random perturbations; default of models without "
             "adjoint: fd",
     .offset = offsetof(struct dc_gradient_settings, type)},
    {.name = "step",
     .type = DC_REAL,
     .unit = "",
     .fallback = "1e-6",
     .minimum = 0,
     .maximum = 1e3,
     .minimum_excluded = true,
     .help = "of fd: change of a parameter to either side, in its unit",
     .offset = offsetof(struct dc_gradient_settings, step)},
    {.name = "samples",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "100",
     .minimum = 1,
     .maximum = 1e6,
     .help = "of bundle: number of perturbations",
     .offset = offsetof(struct dc_gradient_settings, samples)},
    {.name = "sigma",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.1",
     .minimum = 0,
     .maximum = 1e6,
     .minimum_excluded = true,
     .help = "of bundle: standard deviation of every parameter, in its unit",
     .offset = offsetof(struct dc_gradient_settings, sigma)},
    {.name = "order",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1,
     .help = "of bundle: 1: mean of adjoint gradients; 0: of differences of the loss, the default of models without "
             "adjoint",
     .offset = offsetof(struct dc_gradient_settings, order)},
    {.name = "seed",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 0,
     .maximum = 0x1p53,
     .help = "of bundle: seed of the perturbations",
     .offset = offsetof(struct dc_gradient_settings, seed)},
    DC_OPTIONS_END,
};

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

struct dc_gradient_estimator {
  int worker_count, worker_capacity;
  struct dc_plan **workers;  // one per thread; their parameters hold a perturbed point
  double *losses[2];         // [parameters or BATCH] at either side; NAN where it could not be rolled out
  double *points[2];         // [parameters] the coordinate that was moved
  double *gradients;         // [BATCH][parameters], of bundles
  enum dc_status *statuses;  // [BATCH]
};

void dc_gradient_estimator_destroy(struct dc_gradient_estimator *estimator)
{
  if (!estimator)
    return;
  for (int i = 0; i < estimator->worker_count; i++)
    dc_plan_destroy(estimator->workers[i]);
  free(estimator->workers);
  for (int side = 0; side < 2; side++) {
    free(estimator->losses[side]);
    free(estimator->points[side]);
  }
  free(estimator->gradients);
  free(estimator->statuses);
  free(estimator);
}

// One estimate under way.
struct estimate {
  struct dc_plan *plan;
  struct dc_gradient_estimator *estimator;
  const double *parameters;
  double loss;
  int threads;
  long first;  // sample that the batch begins with
};

static enum dc_status create_estimator(struct dc_plan *plan, struct dc_error *error)
{
  struct dc_gradient_estimator *estimator = dc_alloc(1, sizeof *estimator);
  if (!estimator)
    return dc_fail(error, DC_MEMORY, "out of memory for gradients");
  plan->estimator = estimator;
  bool bundle = plan->gradient.type == DC_GRADIENT_BUNDLE;
  size_t parameters = (size_t)plan->parameter_capacity;
  bool enough = true;
  for (int side = 0; side < 2; side++) {
    estimator->losses[side] = dc_alloc(bundle ? 0 : parameters, sizeof *estimator->losses[side]);
    estimator->points[side] = dc_alloc(bundle ? 0 : parameters, sizeof *estimator->points[side]);
    enough &= estimator->losses[side] && estimator->points[side];
  }
  estimator->gradients = dc_alloc(bundle ? BATCH * parameters : 0, sizeof *estimator->gradients);
  estimator->statuses = dc_alloc(BATCH, sizeof *estimator->statuses);
  return enough && estimator->gradients && estimator->statuses
             ? DC_OK
             : dc_fail(error, DC_MEMORY, "out of memory for gradients");
}

// As many workers as there are threads, or as memory allows: the results do not depend on it.
static enum dc_status hire(struct dc_plan *plan, int wanted, struct dc_error *error)
{
  struct dc_gradient_estimator *estimator = plan->estimator;
  if (wanted > estimator->worker_capacity) {
    struct dc_plan **workers = realloc(estimator->workers, (size_t)wanted * sizeof(struct dc_plan *));
    if (!workers)
      return dc_fail(error, DC_MEMORY, "out of memory for gradients");
    estimator->workers = workers;
    estimator->worker_capacity = wanted;
  }
  while (estimator->worker_count < wanted) {
    struct dc_error local = {0};
    struct dc_plan *worker = dc_plan_hire(plan, &local);
    if (!worker && estimator->worker_count)
      break;
    if (!worker)
      return dc_fail(error, local.status, "%s", local.text);
    dc_plan_set_tight(worker, plan->gradient.type == DC_GRADIENT_DIFFERENCES);
    dc_plan_set_gapless(worker, true);
    estimator->workers[estimator->worker_count++] = worker;
  }
  return DC_OK;
}

// Workers for jobs of the plan's present window.
static enum dc_status prepare(struct estimate *estimate, int jobs, struct dc_error *error)
{
  struct dc_plan *plan = estimate->plan;
  int wanted = dc_threads();
  if (wanted > jobs)
    wanted = jobs > 1 ? jobs : 1;
  enum dc_status status = plan->estimator ? DC_OK : create_estimator(plan, error);
  if (!status)
    status = hire(plan, wanted, error);
  if (status)
    return status;
  estimate->estimator = plan->estimator;
  estimate->threads = wanted < plan->estimator->worker_count ? wanted : plan->estimator->worker_count;
  for (int i = 0; i < plan->estimator->worker_count; i++)
    dc_plan_follow(plan->estimator->workers[i], plan);
  return DC_OK;
}

static void add_work(struct estimate *estimate)
{
  for (int i = 0; i < estimate->estimator->worker_count; i++)
    dc_plan_add_work(&estimate->plan->work, &estimate->estimator->workers[i]->work);
}

// A job that cannot be done for reasons other than the rollout; DC_OK otherwise.
typedef enum dc_status run_job(const struct estimate *estimate, struct dc_plan *worker, int index,
                               struct dc_error *error);

struct jobs {
  const struct estimate *estimate;
  run_job *run;
  struct dc_error *failures;  // [threads]
};

static void job_pass(void *context, int index, int thread)
{
  const struct jobs *jobs = context;
  struct dc_error local = {0};  // a job that succeeds may leave the message of a rollout that did not
  enum dc_status status = jobs->run(jobs->estimate, jobs->estimate->estimator->workers[thread], index, &local);
  if (status && !jobs->failures[thread].status)
    dc_fail(&jobs->failures[thread], status, "%s", local.text);
}

// Jobs are spread over the threads; each writes its own results.  Loops inside them have one thread.
static enum dc_status run_jobs(const struct estimate *estimate, run_job *job, int count, struct dc_error *error)
{
  struct jobs jobs = {estimate, job, dc_alloc((size_t)estimate->threads, sizeof *jobs.failures)};
  if (!jobs.failures)
    return dc_fail(error, DC_MEMORY, "out of memory for gradients");
  dc_loop_run(job_pass, &jobs, count, estimate->threads, NULL);
  enum dc_status status = DC_OK;
  for (int i = 0; i < estimate->threads && !status; i++)
    if (jobs.failures[i].status)
      status = dc_fail(error, jobs.failures[i].status, "%s", jobs.failures[i].text);
  free(jobs.failures);
  return status;
}

static bool is_a_gap(enum dc_status status)
{
  return status == DC_INFEASIBLE || status == DC_NUMERICAL;
}

// The loss at worker->parameters; NAN where nothing can be said.
static enum dc_status loss_at(struct dc_plan *worker, double *loss, struct dc_error *error)
{
  enum dc_status status = dc_plan_evaluate(worker, worker->parameters, loss, NULL, error);
  if (!is_a_gap(status))
    return status;
  *loss = NAN;
  return DC_OK;
}

static void set_point(const struct estimate *estimate, struct dc_plan *worker)
{
  memcpy(worker->parameters, estimate->parameters, (size_t)worker->parameter_count * sizeof *worker->parameters);
}

static enum dc_status move_parameter(const struct estimate *estimate, struct dc_plan *worker, int index,
                                     struct dc_error *error)
{
  struct dc_gradient_estimator *estimator = estimate->estimator;
  double step = estimate->plan->gradient.step;
  enum dc_status status = DC_OK;
  set_point(estimate, worker);
  for (int side = 0; side < 2 && !status; side++) {
    estimator->points[side][index] = worker->parameters[index] = estimate->parameters[index] + (side ? -step : step);
    status = loss_at(worker, &estimator->losses[side][index], error);
  }
  return status;
}

// (L(x + h) - L(x - h)) / 2h; with one side only, the difference to L(x), which is rolled out again as tightly.
static enum dc_status differences(struct estimate *estimate, double *gradient, struct dc_error *error)
{
  struct dc_plan *plan = estimate->plan;
  struct dc_gradient_estimator *estimator = estimate->estimator;
  int count = plan->parameter_count, known = 0, one_sided = 0;
  enum dc_status status = run_jobs(estimate, move_parameter, count, error);
  if (status)
    return status;
  for (int i = 0; i < count; i++)
    one_sided += isnan(estimator->losses[0][i]) != isnan(estimator->losses[1][i]);
  double middle = NAN;
  if (one_sided) {
    set_point(estimate, estimator->workers[0]);
    status = loss_at(estimator->workers[0], &middle, error);
  }
  if (status)
    return status;
  for (int i = 0; i < count; i++) {
    double up = estimator->losses[0][i], down = estimator->losses[1][i];
    double high = isnan(up) ? estimate->parameters[i] : estimator->points[0][i];
    double low = isnan(down) ? estimate->parameters[i] : estimator->points[1][i];
    double rise = (isnan(up) ? middle : up) - (isnan(down) ? middle : down);
    bool none = isnan(rise) || !(high > low);
    gradient[i] = none ? 0 : rise / (high - low);
    plan->gradient_counts.dropped += none;
    plan->gradient_counts.one_sided += !none && (isnan(up) || isnan(down));
    known += !none;
  }
  return known ? DC_OK
               : dc_fail(error, DC_NUMERICAL, "no difference of the loss to any of %d parameters can be had", count);
}

// Every sample has its own stream: any thread draws the same numbers.
static void seed_sample(struct dc_random *random, const struct dc_gradient_settings *settings, long estimate,
                        long sample)
{
  dc_random_seed(random, (uint64_t)settings->seed);
  dc_random_seed(random, dc_random_bits(random) + (uint64_t)estimate);
  dc_random_seed(random, dc_random_bits(random) + (uint64_t)sample);
}

// Leaves the gradient that a sample contributes in the batch.
static enum dc_status take_sample(const struct estimate *estimate, struct dc_plan *worker, int index,
                                  struct dc_error *error)
{
  const struct dc_plan *plan = estimate->plan;
  const struct dc_gradient_settings *settings = &plan->gradient;
  struct dc_gradient_estimator *estimator = estimate->estimator;
  int count = plan->parameter_count;
  double *row = estimator->gradients + (size_t)index * (size_t)plan->parameter_capacity, loss;
  struct dc_random random;
  seed_sample(&random, settings, plan->gradient_counts.estimates, estimate->first + index);
  for (int i = 0; i < count; i++) {
    row[i] = dc_random_normal(&random);
    worker->parameters[i] = estimate->parameters[i] + settings->sigma * row[i];
  }
  enum dc_status status = dc_plan_evaluate(worker, worker->parameters, &loss, settings->order ? row : NULL, error);
  for (int i = 0; i < count && !status && !settings->order; i++)
    row[i] *= (loss - estimate->loss) / settings->sigma;
  estimator->statuses[index] = status;
  return is_a_gap(status) ? DC_OK : status;
}

// The mean over the samples that could be rolled out, added up in their order.
static enum dc_status bundle(struct estimate *estimate, double *gradient, struct dc_error *error)
{
  struct dc_plan *plan = estimate->plan;
  const struct dc_gradient_estimator *estimator = estimate->estimator;
  long samples = plan->gradient.samples, used = 0;
  memset(gradient, 0, (size_t)plan->parameter_count * sizeof *gradient);
  for (; estimate->first < samples; estimate->first += BATCH) {
    long rest = samples - estimate->first;
    int count = rest < BATCH ? (int)rest : BATCH;
    enum dc_status status = run_jobs(estimate, take_sample, count, error);
    if (status)
      return status;
    for (int k = 0; k < count; k++) {
      const double *row = estimator->gradients + (size_t)k * (size_t)plan->parameter_capacity;
      for (int i = 0; i < plan->parameter_count && !estimator->statuses[k]; i++)
        gradient[i] += row[i];
      used += !estimator->statuses[k];
    }
  }
  plan->gradient_counts.dropped += samples - used;
  if (!used)
    return dc_fail(error, DC_NUMERICAL, "none of the %ld samples of a bundle of gradients could be rolled out",
                   samples);
  for (int i = 0; i < plan->parameter_count; i++)
    gradient[i] /= (double)used;
  return DC_OK;
}

enum dc_status dc_gradient_estimate(struct dc_plan *plan, const double *parameters, double loss, double *gradient,
                                    struct dc_error *error)
{
  struct estimate estimate = {.plan = plan, .parameters = parameters, .loss = loss};
  if (plan->parameter_count == 0)
    return DC_OK;
  bool differ = plan->gradient.type == DC_GRADIENT_DIFFERENCES;
  long jobs = differ ? plan->parameter_count : plan->gradient.samples;
  enum dc_status status = prepare(&estimate, jobs < BATCH ? (int)jobs : BATCH, error);
  if (status)
    return status;
  status = differ ? differences(&estimate, gradient, error) : bundle(&estimate, gradient, error);
  plan->gradient_counts.estimates++;
  add_work(&estimate);
  return status;
}
