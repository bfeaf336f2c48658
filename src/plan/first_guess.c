// SPDX-License-Identifier: Apache-2.0
// Initialization by sampling (first_guess.h): draws parameters until the gradient does not vanish.
//
// The gradient counts as vanished when |gradient| <= threshold loss, where for differences the rounding of the loss is
// subtracted.  Draws are evaluated side by side but judged in their order, and those behind the first good one are
// ignored, so that the result does not depend on threads or ranks.
#include "plan/first_guess.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "plan/crew.h"

static const char *const type_choices[] = {"given", "sample", "grasp", NULL};
static const char *const distribution_choices[] = {"normal", "uniform", NULL};

const struct dc_option dc_first_guess_options[] = {
    DC_CHOICE_OPTION(struct dc_first_guess_settings, type, "\"sample\"", type_choices,
                     "given: begin with the parameters as they are; sample: draw them while the gradient vanishes; grasp: hands take "
                     "the body that has a goal and carry it there, by inverse kinematics, or it goes itself over what "
                     "stands between"),
    DC_INTEGER_OPTION(struct dc_first_guess_settings, draws, "100", 1, 1e6, "most draws for one first guess"),
    DC_POSITIVE_OPTION(struct dc_first_guess_settings, sigma, "", "0.5", 1e6,
                       "standard deviation of every parameter about the first guess; of uniform: largest distance"),
    DC_CHOICE_OPTION(struct dc_first_guess_settings, distribution, "\"normal\"", distribution_choices,
                     "distribution of the draws"),
    DC_BOOLEAN_OPTION(
        struct dc_first_guess_settings, held, "false",
        "draw one number for every coordinate, the same in all steps, instead of one for every parameter"),
    DC_REAL_OPTION(struct dc_first_guess_settings, threshold, "", "1e-10", 0, 1e6,
                   "a gradient vanishes when its norm is at most this part of the loss"),
    DC_BOOLEAN_OPTION(struct dc_first_guess_settings, every_window, "true",
                      "look at the first guess of every window of a receding horizon, not of the first one only"),
    DC_SEED_OPTION(struct dc_first_guess_settings, "seed of the draws"),
    DC_REAL_OPTION(struct dc_first_guess_settings, squeeze, "", "0.3", 0, 10,
                   "grasp: how far closed hands aim beyond the surface of the body, in its radius"),
    DC_REAL_OPTION(struct dc_first_guess_settings, clearance, "", "0.7", 0, 100,
                   "grasp: height of the body above what it passes, in its radius"),
    DC_OPTIONS_END,
};

bool dc_first_guess_reads(int type, const char *option)
{
  bool grasps = strcmp(option, "squeeze") == 0 || strcmp(option, "clearance") == 0;
  return strcmp(option, "type") == 0 || grasps == (type == DC_FIRST_GUESS_GRASP);
}

// A loss differs by some units in its last place from one rollout to the next; differences divide that by the step.
static const double ROUNDING = 16 * DBL_EPSILON;

// Memory of one sample.
struct trial {
  double *parameters, *gradient;  // [parameter_count]
};

struct search {
  struct dc_plan *plan;
  const struct dc_first_guess_settings *settings;
  double *given, *best;            // [parameter_count]
  int trial_count;                 // draws that are rolled out side by side
  struct trial *trials;            // [trial_count]
  struct dc_plan_sample *samples;  // [trial_count]
  struct dc_plan_team team;
  double least;    // threshold for |gradient| / loss
  double largest;  // |gradient| / loss of best; -1: no draw could be rolled out yet
};

static double draw_number(const struct search *search, struct dc_random *random)
{
  double sigma = search->settings->sigma;
  return search->settings->distribution == DC_UNIFORM ? sigma * (2 * dc_random_uniform(random) - 1)
                                                      : sigma * dc_random_normal(random);
}

// A draw depends only on seed, window and its number, so that a run can be resumed.
static void draw(const struct search *search, long number, double *point)
{
  const struct dc_plan *plan = search->plan;
  struct dc_random random;
  dc_random_seed(&random, (uint64_t)search->settings->seed);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)plan->window.first);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)number);
  for (int c = 0, first = 0; c < plan->task->control_count; c++) {
    const struct dc_control *control = &plan->task->controls[c];
    int count = control->type->parameter_count(control->options, plan->model, plan->window.steps);
    int one = control->type->parameter_count(control->options, plan->model, 1);
    for (int p = 0; p < count; p++) {
      bool again = search->settings->held && p >= one;
      double number_added =
          again ? point[first + p - one] - search->given[first + p - one] : draw_number(search, &random);
      point[first + p] = search->given[first + p] + number_added;
    }
    first += count;
  }
  // The design stays the scene's.
  for (int i = dc_task_control_parameter_count(plan->task, plan->model, plan->window.steps); i < plan->parameter_count;
       i++)
    point[i] = search->given[i];
}

// |gradient| / loss; NAN where the draw could not be rolled out.
static double part_of(const struct dc_plan_sample *sample, int count)
{
  double norm = 0;
  if (sample->status)
    return NAN;
  for (int i = 0; i < count; i++)
    norm = hypot(norm, sample->gradient[i]);
  return sample->loss == 0 ? INFINITY : norm / fabs(sample->loss);
}

// Whether the gradient of a sample does not vanish; keeps the sample with the largest one so far.
static enum dc_status judge(struct search *search, const struct dc_plan_sample *sample, bool *good,
                            struct dc_error *error)
{
  int count = search->plan->parameter_count;
  double part = part_of(sample, count);
  *good = part > search->least;
  if (sample->status && !dc_point_has_no_value(sample->status))
    return dc_fail(error, sample->status, "%s", sample->error.text);
  dc_plan_add_work(&search->plan->work, &sample->work);
  if (part > search->largest) {
    search->largest = part;
    memcpy(search->best, sample->parameters, (size_t)count * sizeof *search->best);
  }
  return DC_OK;
}

static bool add_trial(struct search *search)
{
  size_t count = (size_t)search->plan->parameter_count;
  struct trial *trial = &search->trials[search->trial_count];
  trial->parameters = dc_alloc(count, sizeof *trial->parameters);
  trial->gradient = dc_alloc(count, sizeof *trial->gradient);
  if (!trial->parameters || !trial->gradient)
    return false;
  search->samples[search->trial_count++] =
      (struct dc_plan_sample){.parameters = trial->parameters, .gradient = trial->gradient};
  return true;
}

// Adds trials for evaluation side by side, as far as memory allows, where gradients are adjoints; estimators distribute
// their own rollouts.
static enum dc_status hire(struct search *search, int wanted, struct dc_error *error)
{
  int ranks = dc_plan_crew_ranks(search->plan->helpers.crew), threads = (wanted + ranks - 1) / ranks;
  dc_plan_team_release(&search->team);
  enum dc_status status = dc_plan_team_create(search->plan, threads, &search->team, error);
  int most = wanted < search->team.count * ranks ? wanted : search->team.count * ranks;
  while (!status && search->trial_count < most && add_trial(search))
    ;
  return status;
}

// Judges draws in their order, ignoring those behind the first good one, so that the result does not depend on how many
// are rolled out at a time.
static enum dc_status find(struct search *search, int most, struct dc_error *error)
{
  bool good;
  const struct dc_first_guess_observer *observer = &search->plan->guess.observer;
  size_t bytes = (size_t)search->plan->parameter_count * sizeof *search->given;
  long draws = search->settings->draws;
  memcpy(search->trials[0].parameters, search->given, bytes);
  memcpy(search->best, search->given, bytes);
  dc_plan_team_sample(&search->team, 1, search->samples, 0);
  enum dc_status status = judge(search, &search->samples[0], &good, error);
  if (!status && !good)
    status = hire(search, most < draws ? most : (int)draws, error);
  for (long first = 0; first < draws && !status && !good; first += search->trial_count) {
    int count = draws - first < search->trial_count ? (int)(draws - first) : search->trial_count;
    for (int i = 0; i < count; i++)
      draw(search, first + i, search->trials[i].parameters);
    dc_plan_team_sample(&search->team, count, search->samples, 0);
    for (int i = 0; i < count && !status && !good; i++) {
      search->plan->guess.counts.draws++;
      status = judge(search, &search->samples[i], &good, error);
      if (observer->drawn && !status && !good)
        observer->drawn(observer->context, first + i + 1, draws);
    }
  }
  search->plan->guess.counts.vanished += !status && !good;
  return status;
}

// Allocates what the given point needs; trials has room for one draw per thread of all ranks.
static enum dc_status allocate(struct search *search, int most, struct dc_error *error)
{
  search->best = dc_alloc((size_t)search->plan->parameter_count, sizeof *search->best);
  search->trials = dc_alloc((size_t)most, sizeof *search->trials);
  search->samples = dc_alloc((size_t)most, sizeof *search->samples);
  if (!search->best || !search->trials || !search->samples || !add_trial(search))
    return dc_out_of_memory_for(error, "a first guess");
  return dc_plan_team_create(search->plan, 1, &search->team, error);
}

static void release(struct search *search, int most)
{
  for (int i = 0; i < most && search->trials; i++) {
    free(search->trials[i].parameters);
    free(search->trials[i].gradient);
  }
  free(search->trials);
  free(search->samples);
  free(search->best);
  dc_plan_team_release(&search->team);
}

// Finds a first guess whose gradient is above the threshold, by draws where that of the given one vanishes; with
// finite differences the threshold is at least their rounding error, ROUNDING sqrt(n)/step.  If all vanish, the draw
// with the largest one is taken.
enum dc_status dc_first_guess_find(struct dc_plan *plan, double *parameters, struct dc_error *error)
{
  const struct dc_first_guess_settings *settings = &plan->guess.settings;
  size_t count = (size_t)plan->parameter_count;
  if (count == 0)
    return DC_OK;
  struct search search = {
      .plan = plan, .settings = settings, .given = parameters, .least = settings->threshold, .largest = -1};
  int most =
      plan->estimate.settings.type == DC_GRADIENT_ADJOINT ? dc_threads() * dc_plan_crew_ranks(plan->helpers.crew) : 1;
  if (plan->estimate.settings.type == DC_GRADIENT_DIFFERENCES)
    search.least = fmax(search.least, ROUNDING * sqrt((double)count) / plan->estimate.settings.step);
  enum dc_status status = allocate(&search, most, error);
  if (!status)
    status = find(&search, most, error);
  if (!status)
    memcpy(parameters, search.best, count * sizeof *parameters);
  release(&search, most);
  return status;
}
