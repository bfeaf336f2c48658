// SPDX-License-Identifier: Apache-2.0
// Methods of NLopt (Johnson, The NLopt nonlinear-optimization package) under their own names.
//
// NLopt calls the function itself, and a method's state between two calls cannot be saved.  But its methods are
// deterministic in the values they receive.  So the state is the log of evaluations: every iteration reruns the method
// from the start, answers from the log, evaluates the one new point that follows, and stops.  An interrupted run
// continues bit for bit; the price is the method's own arithmetic, which is small compared with a rollout.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef DC_NLOPT
#include <nlopt.h>
#endif

#include "base/memory.h"
#include "optimize/common_options.h"
#include "optimize/iteration.h"
#include "optimize/nlopt.h"

struct nlopt_options {
  struct dc_optimizer_common common;
  int method;
  double initial_step, tolerance;
};

// Methods that need neither a subsidiary method nor constraints.
static const char *const methods[] = {"LN_BOBYQA",
                                      "LN_COBYLA",
                                      "LN_NELDERMEAD",
                                      "LN_SBPLX",
                                      "LN_PRAXIS",
                                      "LD_LBFGS",
                                      "LD_SLSQP",
                                      "LD_MMA",
                                      "LD_CCSAQ",
                                      "LD_VAR2",
                                      "LD_TNEWTON_PRECOND_RESTART",
                                      "GN_DIRECT_L",
                                      "GN_CRS2_LM",
                                      "GN_ISRES",
                                      "GN_ESCH",
                                      NULL};

static const struct dc_option options_table[] = {
    DC_CHOICE_OPTION(struct nlopt_options, method, "\"LN_BOBYQA\"", methods,
                     "NLopt's name: LN without derivatives, LD with gradients, GN within bounds from anywhere"),
    ITERATIONS_AND_TARGET,
    DC_POSITIVE_OPTION(struct nlopt_options, initial_step, "", "0.1", 1e9,
                       "size of the first steps, in the parameters' units"),
    DC_REAL_OPTION(struct nlopt_options, tolerance, "", "1e-8", 0, 1,
                   "end when no parameter changes by more than this part of itself"),
    DC_OPTIONS_END,
};

// An entry of the log: number of points before it that had no value, then value, point [n], gradient [n].
enum { FAILURES, VALUE, POINT };
// Points without a value in a row after which the method is stopped: it has no way to know that they lie outside.
enum { MOST_FAILURES = 100 };

static size_t entry_size(const struct dc_problem *problem)
{
  return POINT + 2 * (size_t)problem->dimension;
}

static size_t state_size(const void *options, const struct dc_problem *problem, int number)
{
  (void)options;
  return ((size_t)number + 1) * entry_size(problem);
}

#ifdef DC_NLOPT

const char *dc_nlopt_version(void)
{
  static char text[32];
  int version[3];
  nlopt_version(&version[0], &version[1], &version[2]);
  snprintf(text, sizeof text, "%d.%d.%d", version[0], version[1], version[2]);
  return text;
}

static enum dc_status check(const void *options, const struct dc_problem *problem, struct dc_error *error)
{
  const struct nlopt_options *nlopt = options;
  bool global = methods[nlopt->method][0] == 'G';
  for (int i = 0; i < problem->dimension && global; i++)
    if (!problem->low || !problem->high || isinf(problem->low[i]) || isinf(problem->high[i]))
      return dc_fail(error, DC_BAD_INPUT, "nlopt: %s needs bounds of all parameters", methods[nlopt->method]);
  return DC_OK;
}

// A method that is being rerun.
struct replay {
  struct dc_iteration *iteration;
  nlopt_opt method;
  bool gradients;
  int next;      // entry of the log that answers next
  int failures;  // points without a value since the last entry
  double worst;  // largest value in the entries before it
  bool asked;    // the new point has been evaluated
  enum dc_status status;
  struct dc_error *error;
};

static double *entry(const struct replay *replay, int index)
{
  return replay->iteration->state + (size_t)index * entry_size(replay->iteration->problem);
}

// Evaluates the new point and appends it to the log; false when it has no value.  Then only its count is kept, since
// the same answer, a value worse than all, is given when the method runs again.
static bool ask(struct replay *replay, const double *x)
{
  struct dc_iteration *iteration = replay->iteration;
  size_t n = (size_t)iteration->problem->dimension;
  double *log = entry(replay, iteration->number), *gradient = log + POINT + n;
  enum dc_status status =
      dc_iteration_evaluate(iteration, x, &log[VALUE], replay->gradients ? gradient : NULL, replay->error);
  if (dc_point_has_no_value(status)) {
    log[FAILURES]++;
    return false;
  }
  replay->status = status;
  replay->asked = !status;
  memcpy(log + POINT, x, n * sizeof *x);
  return true;
}

// A point without a value gets one worse than all others so far, finite because methods interpolate; the gradient is
// zero.
static double refuse(struct replay *replay, double *gradient)
{
  if (gradient)
    memset(gradient, 0, (size_t)replay->iteration->problem->dimension * sizeof *gradient);
  return replay->worst + fabs(replay->worst) + 1e-300;
}

static double stop(struct replay *replay, double *gradient)
{
  nlopt_force_stop(replay->method);
  return refuse(replay, gradient);
}

// Answers an evaluation that a method of NLopt asks for.
// * At the first guess: from entry 0, whenever the method asks for it.
// * Earlier points, in their order: from the log; the method must ask for the same point, bit for bit, or else the
//   run ends.
// * The first point beyond the log: evaluated and logged, then the method is stopped.
// * Points without a value are counted, not logged: the entry that follows them says how many there were.
static double answer(unsigned dimension, const double *x, double *gradient, void *context)
{
  struct replay *replay = context;
  struct dc_iteration *iteration = replay->iteration;
  size_t bytes = dimension * sizeof *x;
  if (replay->asked || replay->status)
    return stop(replay, gradient);
  double *log = entry(replay, 0);
  bool first = memcmp(log + POINT, x, bytes) == 0;  // the first guess, with which some methods do not begin
  if (!first) {
    log = entry(replay, replay->next);
    bool fresh = replay->next == iteration->number;
    if (fresh && (replay->failures == MOST_FAILURES))
      return stop(replay, gradient);
    if (replay->failures < log[FAILURES] || (fresh && !ask(replay, x))) {
      replay->failures++;
      return refuse(replay, gradient);
    }
    if (replay->status)
      return stop(replay, gradient);
    if (memcmp(log + POINT, x, bytes) != 0) {
      replay->status = dc_fail(replay->error, DC_NUMERICAL, "nlopt: the method does not repeat itself");
      return stop(replay, gradient);
    }
    replay->next++;
    replay->failures = 0;
    replay->worst = fmax(replay->worst, log[VALUE]);
  }
  if (gradient)
    memcpy(gradient, log + POINT + dimension, bytes);
  if (replay->asked)
    nlopt_force_stop(replay->method);
  return log[VALUE];
}

static nlopt_opt create(const struct nlopt_options *options, const struct dc_problem *problem, struct replay *replay)
{
  nlopt_opt method = nlopt_create(nlopt_algorithm_from_string(methods[options->method]), (unsigned)problem->dimension);
  if (!method)
    return NULL;
  bool good = nlopt_set_min_objective(method, answer, replay) > 0 &&
              (!problem->low || nlopt_set_lower_bounds(method, problem->low) > 0) &&
              (!problem->high || nlopt_set_upper_bounds(method, problem->high) > 0) &&
              nlopt_set_xtol_rel(method, options->tolerance) > 0 &&
              nlopt_set_initial_step1(method, options->initial_step) > 0;
  if (good)
    return method;
  nlopt_destroy(method);
  return NULL;
}

// Runs the method from its start again, answered from the log up to its next new point: an NLopt method cannot be
// paused.
static enum dc_status run(const struct nlopt_options *options, struct dc_iteration *iteration, struct dc_error *error)
{
  const struct dc_problem *problem = iteration->problem;
  size_t n = (size_t)problem->dimension;
  struct replay replay = {.iteration = iteration,
                          .gradients = methods[options->method][1] == 'D',
                          .next = 1,
                          .worst = iteration->state[VALUE],
                          .error = error};
  double *x = dc_alloc(n, sizeof *x), value;
  replay.method = create(options, problem, &replay);
  if (!x || !replay.method) {
    free(x);
    nlopt_destroy(replay.method);
    return dc_out_of_memory_for(error, "nlopt");
  }
  memcpy(x, iteration->state + POINT, n * sizeof *x);
  nlopt_srand((unsigned long)problem->seed);
  nlopt_result result = nlopt_optimize(replay.method, x, &value);
  enum dc_status status = replay.status;
  if (!status && !replay.asked && result == NLOPT_INVALID_ARGS)
    status = dc_fail(error, DC_BAD_INPUT, "nlopt: %s cannot be used here", methods[options->method]);
  if (!status && !replay.asked && result == NLOPT_OUT_OF_MEMORY)
    status = dc_out_of_memory_for(error, "nlopt");
  iteration->finished = !replay.asked;
  nlopt_destroy(replay.method);
  free(x);
  return status;
}

static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  const struct nlopt_options *nlopt = options;
  size_t n = (size_t)iteration->problem->dimension;
  double *log = iteration->state + (size_t)iteration->number * entry_size(iteration->problem);
  bool gradients = methods[nlopt->method][1] == 'D';
  enum dc_status status = DC_OK;
  if (iteration->number == 0) {
    memcpy(log + POINT, iteration->x, n * sizeof *log);
    status = dc_iteration_evaluate(iteration, iteration->x, &log[VALUE], gradients ? log + POINT + n : NULL, error);
  } else {
    memset(log, 0, entry_size(iteration->problem) * sizeof *log);
    status = run(nlopt, iteration, error);
  }
  if (status || iteration->finished)
    return status;
  memcpy(iteration->x, log + POINT, n * sizeof *log);
  memcpy(iteration->gradient, log + POINT + n, n * sizeof *log);
  iteration->value = log[VALUE];
  dc_iteration_book(iteration, iteration->x, iteration->value);
  return DC_OK;
}

#else

const char *dc_nlopt_version(void)
{
  return NULL;
}

static enum dc_status check(const void *options, const struct dc_problem *problem, struct dc_error *error)
{
  (void)options, (void)problem;
  return dc_fail(error, DC_BAD_INPUT, "nlopt: this program was built without NLopt (configure --with-nlopt)");
}

static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  return check(options, iteration->problem, error);
}

#endif

const struct dc_optimizer_type dc_nlopt = {
    .name = "nlopt",
    .summary = "a method of NLopt, without derivatives, with gradients or global",
    .reference = "Johnson, The NLopt nonlinear-optimization package",
    .options = options_table,
    .options_size = sizeof(struct nlopt_options),
    .check = check,
    .state_size = state_size,
    .iterate = iterate,
};
