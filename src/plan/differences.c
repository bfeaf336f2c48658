// SPDX-License-Identifier: Apache-2.0
// Differences of a plan's loss (dc_difference), and the adjoint compared with them along random directions.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "plan/plan_cases.h"
#include "plan/gradient_check_internal.h"

// Agreement with the adjoint, relative to a typical slope, from which on no smaller steps are tried.
static const double CLOSE = 1e-7;
// Points at which a step takes more than MOST_TIMES times, plus MOST_MORE, the largest iteration count at the centre
// are rejected: they are too far from it to be of use for differences.
enum { MOST_TIMES = 20, MOST_MORE = 200 };
// When a step of at most this size cannot be used, smaller ones are not tried, because rounding dominates there.
static const double SMALLEST_STEP = 1e-9;

int dc_design_kind(void)
{
  int count = 0;
  while (dc_number_kinds[count])
    count++;
  return DC_KIND_NUMBERS + count;
}

bool dc_is_parameter(struct dc_coordinate c)
{
  return c.kind == DC_KIND_CONTROL || c.kind >= dc_design_kind();
}

const struct dc_number_kind *dc_number_of(struct dc_coordinate c)
{
  return dc_number_kinds[c.kind - DC_KIND_NUMBERS];
}

// Shifts a number of the input, which holds the start of the window before controls and design act on it.
static void shift_input(struct dc_checker *checker, struct dc_coordinate c, double step)
{
  const struct dc_model *model = checker->plan->model;
  struct dc_rollout_input *input = checker->plan->input;
  if (dc_is_parameter(c))
    return;
  if (dc_number_of(c) == &dc_number_position) {
    checker->tangent[c.index] = 1;
    dc_state_move(&model->bodies, input->q, step, checker->tangent, input->q);
    checker->tangent[c.index] = 0;
  } else {
    *dc_number_in_input(dc_number_of(c), model, input, c.index) += step;
  }
}

// The loss with the coordinate moved by step.  *alike becomes false when steps are divided differently than at
// parameters.  The rollout then ends where that can be known early, since a start from which bodies are thrown may take
// minutes.
static enum dc_status loss_at(struct dc_checker *checker, struct dc_coordinate c, double step, double *loss,
                              bool *alike, struct dc_error *error)
{
  struct dc_plan *plan = checker->plan;
  memcpy(checker->shifted, checker->parameters, (size_t)plan->parameter_count * sizeof *checker->shifted);
  for (int i = 0; c.direction && i < plan->parameter_count; i++)
    checker->shifted[i] += step * c.direction[i];
  if (!c.direction && dc_is_parameter(c))
    checker->shifted[c.index] += step;
  dc_plan_reset_input(plan);
  shift_input(checker, c, step);
  dc_task_apply(plan->task, plan->model, &plan->window, plan->state, checker->shifted, plan->input);
  dc_rollout_set_alike(plan->rollout, checker->centre);
  dc_rollout_set_most_iterations(plan->rollout, checker->most_iterations);
  enum dc_status status = dc_rollout_forward(plan->rollout, plan->input, plan->trajectory, error);
  dc_rollout_set_alike(plan->rollout, NULL);
  dc_rollout_set_most_iterations(plan->rollout, 0);
  *alike &= status != DC_STOPPED;
  if (status)
    return status == DC_STOPPED ? DC_OK : status;
  *loss = dc_plan_loss(plan, NULL);
  *alike &= dc_trajectory_divided_alike(plan->trajectory, checker->centre);
  return dc_plan_cases_add_losses(plan, dc_plan_evaluate, checker->shifted, loss, error);
}

enum { LEVELS = 13 };

// Differences at steps that shrink by a factor of 4.
struct sequence {
  int count;
  // central differences; extrapolated ones; bounds of their rounding
  double plain[LEVELS], refined[LEVELS], rounding[LEVELS];
  double least;  // least spread of three neighbours
  double kink;   // half of the difference of the one-sided slopes
};

static void start_sequence(struct sequence *sequence, struct dc_gradient_difference *entry)
{
  sequence->count = 0;
  sequence->least = INFINITY;
  sequence->kink = 0;
  entry->difference = entry->step = NAN;
}

// Adds the losses on both sides; the best difference so far becomes the entry's. kink = |f(x + h) - 2 f(x) + f(x -
// h)|/(2 h) is half of the difference of the slopes on both sides: it falls with h where the loss is smooth.
static void add_to_sequence(struct sequence *s, double step, double up, double middle, double down,
                            struct dc_gradient_difference *entry)
{
  int last = s->count++, k = last - 1;
  s->plain[last] = (up - down) / (2 * step);
  s->kink = fabs(up - 2 * middle + down) / (2 * step);
  s->rounding[last] = DBL_EPSILON * fmax(fabs(up), fabs(down)) / step;
  s->refined[last] = last ? s->plain[last] + (s->plain[last] - s->plain[k]) / 15 : s->plain[last];
  if (k < 2)
    return;
  double change =
      fmax(fabs(s->refined[k] - s->refined[k - 1]), fabs(s->refined[last] - s->refined[k])) + s->rounding[k];
  if (change < s->least || change < 0.01 * fabs(s->refined[k] - entry->difference)) {
    s->least = change;
    entry->difference = s->refined[k];
    entry->step = 4 * step;
  }
}

// Central differences at steps that shrink by 4, each extrapolated once (error of order 4).  Among three neighbours
// that agree best, rounding of the loss included, the middle one is taken: then neither coarse steps over a rugged loss
// nor rounding at fine ones decide.
//
// The sequence ends where rounding, which grows as steps shrink, exceeds the spread of the best three, if they agree
// with the adjoint to `close`.  Otherwise smaller steps are tried, too: a loss that bends within less than the coarse
// steps, such as with exactly aligned faces, is smooth for fine ones only.  Fine differences that agree with each other
// to a hundredth of their distance from coarse ones are taken instead.
//
// The loss is smooth only as long as time steps are divided alike.  Where an end is divided differently than the
// centre, the difference, and those with larger steps, which span the same change, are invalid: the sequence starts
// anew at a smaller step.  The same holds where a step makes bodies overlap or a time step fail.
enum dc_status dc_difference(struct dc_checker *checker, struct dc_coordinate c, double close,
                             struct dc_gradient_difference *entry, struct dc_error *error)
{
  struct sequence sequence;
  double step = 0.16;
  start_sequence(&sequence, entry);
  for (int attempt = 0; sequence.count < LEVELS && attempt < 2 * LEVELS; attempt++, step /= 4) {
    double up, down;
    bool alike = true;
    enum dc_status status = loss_at(checker, c, step, &up, &alike, error);
    if (!status && alike)
      status = loss_at(checker, c, -step, &down, &alike, error);
    if (status && !dc_point_has_no_value(status))
      return status;
    if (status || !alike) {
      entry->passed_over += !alike;
      start_sequence(&sequence, entry);
      if (step < SMALLEST_STEP)
        break;
      continue;
    }
    add_to_sequence(&sequence, step, up, checker->loss, down, entry);
    bool agrees = fabs(entry->difference - entry->adjoint) <= close;
    if (agrees && sequence.rounding[sequence.count - 1] > sequence.least)
      break;
  }
  entry->spread = fmax(sequence.least, sequence.kink);
  entry->straddles = isnan(entry->difference) && entry->passed_over > 0;
  return DC_OK;
}

// Unit vectors with equal chances for all directions: normal numbers over their norm.
void dc_draw_directions(double *drawn, int directions, int count, uint64_t seed)
{
  struct dc_random random;
  dc_random_seed(&random, seed);
  for (int d = 0; d < directions; d++) {
    double *direction = drawn + (size_t)d * (size_t)count, norm = 0;
    for (int i = 0; i < count; i++) {
      direction[i] = dc_random_normal(&random);
      norm = hypot(norm, direction[i]);
    }
    for (int i = 0; i < count; i++)
      direction[i] /= norm;
  }
}

// Requires that the plan has been evaluated at parameters.
enum dc_status dc_checkers_create(struct dc_plan *plan, const double *parameters, double loss,
                                  struct dc_checkers *checkers, struct dc_error *error)
{
  size_t parameter_count = (size_t)plan->parameter_count, nv = (size_t)plan->model->bodies.nv;
  enum dc_status status = dc_plan_team_create(plan, dc_threads(), &checkers->team, error);
  size_t count = (size_t)checkers->team.count;
  checkers->each = dc_alloc(count, sizeof *checkers->each);
  checkers->centre = dc_record_create(plan->model, plan->window.steps);
  checkers->shifted = dc_alloc(count * parameter_count, sizeof *checkers->shifted);
  checkers->tangents = dc_alloc(count * nv, sizeof *checkers->tangents);
  if (status || !checkers->each || !checkers->centre || !checkers->shifted || !checkers->tangents)
    return dc_out_of_memory_for(error, "differences");
  long most = 0;
  for (int t = 0; t < plan->window.steps; t++)
    most = plan->trajectory->newton_iterations[t] > most ? plan->trajectory->newton_iterations[t] : most;
  most = MOST_TIMES * most + MOST_MORE;
  for (size_t i = 0; i < count; i++) {
    checkers->each[i] = (struct dc_checker){.plan = checkers->team.plans[i],
                                            .parameters = parameters,
                                            .centre = checkers->centre,
                                            .loss = loss,
                                            .most_iterations = most,
                                            .shifted = checkers->shifted + i * parameter_count,
                                            .tangent = checkers->tangents + i * nv};
    dc_plan_set_tight(checkers->team.plans[i], true);
  }
  return dc_plan_record(plan, checkers->centre, error);
}

void dc_checkers_release(struct dc_checkers *checkers)
{
  dc_plan_team_release(&checkers->team);
  dc_trajectory_destroy(checkers->centre);
  free(checkers->each);
  free(checkers->shifted);
  free(checkers->tangents);
}

struct slopes {
  const struct dc_checkers *checkers;
  const double *directions;  // [count][parameter_count]
  struct dc_gradient_difference *entries;
  double close;
  enum dc_status *statuses;
};

// Each thread has a checker with a plan of its own.
static void slope_pass(void *context, int index, int thread)
{
  struct slopes *slopes = context;
  struct dc_checker *checker = &slopes->checkers->each[thread];
  size_t parameters = (size_t)checker->plan->parameter_count;
  struct dc_coordinate along = {.kind = DC_KIND_CONTROL, .direction = slopes->directions + (size_t)index * parameters};
  struct dc_error error = {0};
  slopes->statuses[index] = dc_difference(checker, along, slopes->close, &slopes->entries[index], &error);
}

// Computes slopes of the gradient along the directions, and those of differences.
static enum dc_status take_slopes(struct slopes *slopes, const double *gradient, int count, struct dc_error *error)
{
  const struct dc_plan *plan = slopes->checkers->each[0].plan;
  int parameters = plan->parameter_count;
  double norm = 0;
  for (int i = 0; i < parameters; i++)
    norm = hypot(norm, gradient[i]);
  double typical = norm / sqrt(parameters);
  slopes->close = CLOSE * typical;
  for (int d = 0; d < count; d++) {
    slopes->entries[d] = (struct dc_gradient_difference){0};
    for (int i = 0; i < parameters; i++)
      slopes->entries[d].adjoint += slopes->directions[(size_t)d * (size_t)parameters + (size_t)i] * gradient[i];
  }
  dc_loop_run(slope_pass, slopes, count, slopes->checkers->team.count, NULL);
  for (int d = 0; d < count; d++) {
    struct dc_gradient_difference *entry = &slopes->entries[d];
    double size = fmax(fabs(entry->adjoint), typical);
    if (slopes->statuses[d])
      return dc_fail(error, slopes->statuses[d], "a difference along a direction cannot be computed");
    entry->relative_error = fabs(entry->adjoint - entry->difference) / (size > 0 ? size : 1);
    entry->spread /= size > 0 ? size : 1;
  }
  return DC_OK;
}

// Directional derivatives by the adjoint against central differences, along random directions.
enum dc_status dc_gradient_check_directions(struct dc_plan *plan, const double *parameters, uint64_t seed, int count,
                                            struct dc_gradient_difference *entries, struct dc_error *error)
{
  struct dc_checkers checkers = {0};
  struct slopes slopes = {.checkers = &checkers, .entries = entries};
  size_t size = (size_t)plan->parameter_count;
  double *gradient = dc_alloc(size, sizeof *gradient), *directions = dc_alloc((size_t)count * size, sizeof *directions);
  double loss;
  slopes.statuses = dc_alloc((size_t)count, sizeof *slopes.statuses);
  slopes.directions = directions;
  enum dc_status status = gradient && directions && slopes.statuses ? DC_OK : dc_out_of_memory(error);
  dc_plan_set_tight(plan, true);
  if (!status)
    status = dc_plan_evaluate(plan, parameters, &loss, gradient, error);
  if (!status)
    status = dc_checkers_create(plan, parameters, loss, &checkers, error);
  if (!status) {
    dc_draw_directions(directions, count, plan->parameter_count, seed);
    status = take_slopes(&slopes, gradient, count, error);
  }
  dc_plan_set_tight(plan, false);
  dc_checkers_release(&checkers);
  free(gradient);
  free(directions);
  free(slopes.statuses);
  return status;
}
