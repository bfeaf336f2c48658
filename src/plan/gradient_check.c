// SPDX-License-Identifier: Apache-2.0
#include "plan/gradient_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "design/number_kinds.h"
#include "plan/worker.h"

// A kind of parameter whose gradient is this small beside the others does not matter to the loss: its error is
// measured against this part of the largest.
static const double NEGLIGIBLE = 1e-6;
// Differences that agree with the adjoint to this part of the gradient need no closer look.
static const double CLOSE = 1e-7;
// A step that cannot be used although it is this small is the last one: rounding decides at smaller ones.
static const double SMALLEST_STEP = 1e-9;

// All that can be differentiated: the controls, the numbers that dc_number_kinds lists with all coordinates of the
// start, the design's parameters.  A kind is CONTROL, NUMBERS + an index into dc_number_kinds, or, behind these, one
// for each entry of the design (the last one for all further ones).
static const double SHAKE = 1e-3;  // of the bounds of parameters of shapes
enum { CONTROL, NUMBERS, KINDS_MOST = 64 };

struct coordinate {
  int kind;
  int index;  // parameter; body, axis or entry of a tangent vector
  int body;   // that the entry belongs to
};

// One thread's: rollouts, which are functions of their input alone, are spread over the threads.
struct checker {
  struct dc_plan *plan;
  const double *parameters;
  const struct dc_trajectory *centre;  // a record of the rollout at parameters
  double loss;                         // there
  double *shifted;                     // [parameter_count]
  double *tangent;                     // [nv], zero
};

struct checkers {
  struct dc_plan_team team;
  struct checker *each;  // [team.count]
  struct dc_trajectory *centre;
  double *shifted, *tangents;  // of all
};

static int design_kind(void)
{
  int count = 0;
  while (dc_number_kinds[count])
    count++;
  return NUMBERS + count;
}

static bool is_parameter(struct coordinate c)
{
  return c.kind == CONTROL || c.kind >= design_kind();
}

static const struct dc_number_kind *number_of(struct coordinate c)
{
  return dc_number_kinds[c.kind - NUMBERS];
}

// Moves a number of the input, which holds the start of the window before controls and design act on it.
static void shift_input(struct checker *checker, struct coordinate c, double step)
{
  const struct dc_model *model = checker->plan->model;
  struct dc_rollout_input *input = checker->plan->input;
  if (is_parameter(c))
    return;
  if (number_of(c) == &dc_number_position) {
    checker->tangent[c.index] = 1;
    dc_state_move(&model->bodies, input->q, step, checker->tangent, input->q);
    checker->tangent[c.index] = 0;
  } else {
    *number_of(c)->input(model, input, c.index) += step;
  }
}

static bool is_a_gap(enum dc_status status)
{
  return status == DC_INFEASIBLE || status == DC_NUMERICAL;
}

// The loss with the coordinate moved by step.  *alike becomes false when steps are divided otherwise than at
// parameters.
static enum dc_status loss_at(struct checker *checker, struct coordinate c, double step, double *loss, bool *alike,
                              struct dc_error *error)
{
  struct dc_plan *plan = checker->plan;
  memcpy(checker->shifted, checker->parameters, (size_t)plan->parameter_count * sizeof *checker->shifted);
  if (is_parameter(c))
    checker->shifted[c.index] += step;
  dc_plan_reset_input(plan);
  shift_input(checker, c, step);
  dc_task_apply(plan->task, plan->model, &plan->window, plan->state, checker->shifted, plan->input);
  enum dc_status status = dc_rollout_forward(plan->rollout, plan->input, plan->trajectory, error);
  if (status)
    return status;
  *loss = dc_task_loss(plan->task, plan->model, plan->input, plan->trajectory, NULL);
  *alike &= dc_trajectory_divided_alike(plan->trajectory, checker->centre);
  return DC_OK;
}

enum { LEVELS = 13 };

// Differences at steps that shrink by 4.
struct sequence {
  int count;
  double plain[LEVELS], refined[LEVELS], rounding[LEVELS];
  double least;  // that three neighbours differ by
  double kink;   // half of what slopes on both sides differ by
};

static void start_sequence(struct sequence *sequence, struct dc_gradient_difference *entry)
{
  sequence->count = 0;
  sequence->least = INFINITY;
  sequence->kink = 0;
  entry->difference = entry->step = NAN;
}

// Takes in the losses on both sides; the best difference so far becomes the entry's.
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

// Central differences at steps that shrink by 4, each extrapolated once (error of order 4).  Of three neighbours that
// agree best, the rounding of the loss counted in, the middle one is taken, so that neither coarse steps over a rugged
// loss nor rounding at fine ones decide.  It ends where rounding, which grows as steps shrink, is more than the best
// three differ by, if they agree with the adjoint to `close`.  If not, smaller steps are tried too: a loss that bends
// within less than the coarse steps, as when faces are exactly aligned, is smooth for fine ones only.  Fine ones that
// agree with each other to a hundredth of what they differ from coarse ones by are taken instead.
//
// The loss is a smooth function only as long as time steps are divided alike: where an end is divided otherwise than
// the centre the difference, and those with larger steps, which reach over the same change, say nothing, and the
// sequence begins anew at a smaller step.  So it does where a step makes bodies overlap, or a time step fail.
static enum dc_status difference(struct checker *checker, struct coordinate c, double close,
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
    if (status && !is_a_gap(status))
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

static void coordinate_name(const struct checker *checker, struct coordinate c, char *text, size_t size)
{
  const struct dc_plan *plan = checker->plan;
  if (is_parameter(c)) {
    dc_task_parameter_name(plan->task, plan->model, plan->window.steps, c.index, text, size);
    return;
  }
  const struct dc_number_kind *number = number_of(c);
  const struct dc_body *body = plan->model->bodies.count ? &plan->model->bodies.bodies[c.body] : NULL;
  if (number->index == DC_NUMBER_OF_BODY)
    snprintf(text, size, "bodies.%s.%s", body->name, number->name);
  else if (number->index == DC_NUMBER_OF_COORDINATE)
    snprintf(text, size, "bodies.%s.initial_%s[%d]", body->name, number->name, c.index - body->v_offset);
  else
    dc_number_name(number, plan->model, c.index, text, size);
}

static double adjoint_value(struct checker *checker, const double *gradient, struct coordinate c)
{
  if (is_parameter(c))
    return gradient[c.index];
  return *number_of(c)->cotangent(checker->plan->model, checker->plan->cotangent, c.index);
}

// Its numbers, and all coordinates of its start.
static int list_body(const struct dc_model *model, int index, struct coordinate *list)
{
  const struct dc_body *body = &model->bodies.bodies[index];
  int count = 0, freedoms = body->nv;
  for (int k = 0; dc_number_kinds[k]; k++)
    if (dc_number_kinds[k]->index == DC_NUMBER_OF_BODY && dc_number_kinds[k]->present(model, index))
      list[count++] = (struct coordinate){NUMBERS + k, index, index};
  for (int v = 0; v < freedoms; v++)
    for (int k = 0; dc_number_kinds[k]; k++)
      if (dc_number_kinds[k]->index == DC_NUMBER_OF_COORDINATE)
        list[count++] = (struct coordinate){NUMBERS + k, body->v_offset + v, index};
  return count;
}

static int list_model(const struct dc_model *model, struct coordinate *list)
{
  int count = 0;
  for (int k = 0; dc_number_kinds[k]; k++) {
    const struct dc_number_kind *kind = dc_number_kinds[k];
    if (kind->index == DC_NUMBER_OF_BODY || kind->index == DC_NUMBER_OF_COORDINATE)
      continue;
    for (int i = 0; i < dc_number_count(kind, model); i++)
      if (kind->present(model, i))
        list[count++] = (struct coordinate){NUMBERS + k, i, 0};
  }
  return count;
}

static size_t most_coordinates(const struct dc_plan *plan)
{
  size_t count = (size_t)plan->parameter_count;
  for (int k = 0; dc_number_kinds[k]; k++)
    count += (size_t)dc_number_count(dc_number_kinds[k], plan->model);
  return count;
}

static int list_design(const struct dc_plan *plan, int first, struct coordinate *list)
{
  int count = 0;
  for (int e = 0; e < plan->task->design_count; e++) {
    const struct dc_design_entry *entry = &plan->task->design[e];
    int kind = design_kind() + e < KINDS_MOST ? design_kind() + e : KINDS_MOST - 1;
    for (int i = 0; i < entry->type->parameter_count(entry->options, plan->model); i++, count++)
      list[count] = (struct coordinate){kind, first + count, 0};
  }
  return count;
}

static int list_coordinates(const struct dc_plan *plan, struct coordinate *list)
{
  int controls = dc_task_control_parameter_count(plan->task, plan->model, plan->window.steps), count = 0;
  for (; count < controls; count++)
    list[count] = (struct coordinate){CONTROL, count, 0};
  for (int i = 0; i < plan->model->bodies.count; i++)
    count += list_body(plan->model, i, list + count);
  count += list_model(plan->model, list + count);
  return count + list_design(plan, controls, list + count);
}

// A seeded choice among those of kinds first .. last - 1, behind the chosen ones: a kind in turn, then one of its
// coordinates not yet chosen; few coordinates are all taken.  How many are chosen then.
static int choose_coordinates(struct coordinate *list, int count, int first, int last, int chosen,
                              struct dc_random *random)
{
  int left = 0, most = chosen + DC_GRADIENT_CHECKS;
  for (int i = chosen; i < count; i++)
    left += list[i].kind >= first && list[i].kind < last;
  for (int turn = 0; chosen < most && left > 0; turn++) {
    int kind = first + turn % (last - first), candidates = 0;
    for (int i = chosen; i < count; i++)
      candidates += list[i].kind == kind;
    if (!candidates)
      continue;
    int pick = (int)(dc_random_uniform(random) * candidates);
    for (int i = chosen; i < count; i++)
      if (list[i].kind == kind && pick-- == 0) {
        struct coordinate swap = list[chosen];
        list[chosen++] = list[i];
        list[i] = swap;
        left--;
        break;
      }
  }
  return chosen;
}

struct differences {
  const struct checkers *checkers;
  const struct coordinate *list;
  struct dc_gradient_difference *entries;
  double close[DC_GRADIENT_CHECKS_MOST];
  enum dc_status statuses[DC_GRADIENT_CHECKS_MOST];
  struct dc_error errors[DC_GRADIENT_CHECKS_MOST];
};

static void difference_pass(void *context, int index, int thread)
{
  struct differences *d = context;
  d->statuses[index] =
      difference(&d->checkers->each[thread], d->list[index], d->close[index], &d->entries[index], &d->errors[index]);
}

// The differences of the first check->count of the list, whose adjoints are known; norms: of their kinds.
static enum dc_status take_differences(const struct checkers *checkers, const struct coordinate *list,
                                       const double *norms, struct dc_gradient_check *check, struct dc_error *error)
{
  struct differences *d = dc_alloc(1, sizeof *d);
  if (!d)
    return dc_fail(error, DC_MEMORY, "out of memory");
  d->checkers = checkers;
  d->list = list;
  d->entries = check->checks;
  for (int i = 0; i < check->count; i++)
    d->close[i] = CLOSE * norms[list[i].kind];
  dc_loop_run(difference_pass, d, check->count, checkers->team.count, NULL);
  enum dc_status status = DC_OK;
  for (int i = 0; i < check->count && !status; i++) {
    struct dc_gradient_difference *entry = &check->checks[i];
    if (d->statuses[i])
      status = dc_fail(error, d->statuses[i], "%s", d->errors[i].text);
    entry->relative_error = fabs(entry->adjoint - entry->difference) / norms[list[i].kind];
    entry->spread /= norms[list[i].kind];
    check->max_relative_error = fmax(check->max_relative_error, entry->relative_error);
    check->straddling += entry->straddles;
  }
  free(d);
  return status;
}

static enum dc_status check_coordinates(const struct checkers *checkers, const double *gradient, uint64_t seed,
                                        struct dc_gradient_check *check, struct dc_error *error)
{
  struct checker *checker = &checkers->each[0];
  struct coordinate *list = dc_alloc(most_coordinates(checker->plan), sizeof *list);
  if (!list)
    return dc_fail(error, DC_MEMORY, "out of memory");
  int total = list_coordinates(checker->plan, list);
  double norms[KINDS_MOST] = {0}, largest = 0;
  for (int i = 0; i < total; i++)
    norms[list[i].kind] = hypot(norms[list[i].kind], adjoint_value(checker, gradient, list[i]));
  for (int k = 0; k < KINDS_MOST; k++)
    largest = fmax(largest, norms[k]);
  for (int k = 0; k < KINDS_MOST; k++) {
    norms[k] = fmax(norms[k], NEGLIGIBLE * largest);
    norms[k] = norms[k] > 0 ? norms[k] : 1;
  }
  struct dc_random random;
  dc_random_seed(&random, seed);
  check->count = choose_coordinates(list, total, CONTROL, design_kind(), 0, &random);
  check->count = choose_coordinates(list, total, design_kind(), KINDS_MOST, check->count, &random);
  check->flat = true;
  for (int i = 0; i < check->count; i++) {
    struct dc_gradient_difference *entry = &check->checks[i];
    coordinate_name(checker, list[i], entry->parameter, sizeof entry->parameter);
    entry->adjoint = adjoint_value(checker, gradient, list[i]);
    check->flat &= entry->adjoint == 0;
  }
  enum dc_status status = take_differences(checkers, list, norms, check, error);
  free(list);
  return status;
}

enum { TAYLOR_STEPS = 24, TAYLOR_WINDOW = 4, NOISE_STEPS = 7 };
static const double ABOVE_NOISE = 300;

// The remainder at the smallest steps is rounding: the median of the last ones.
static double median_of_last(const double (*logs)[2], int count)
{
  double sorted[NOISE_STEPS];
  int used = count < NOISE_STEPS ? count : NOISE_STEPS;
  for (int k = 0; k < used; k++) {
    int at = k;
    for (; at > 0 && sorted[at - 1] > logs[count - used + k][1]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = logs[count - used + k][1];
  }
  return sorted[used / 2];
}

struct taylor {
  const struct checkers *checkers;
  const double *directions;                           // [DC_TAYLOR_DIRECTIONS][parameter_count]
  double losses[DC_TAYLOR_DIRECTIONS][TAYLOR_STEPS];  // NAN where the loss cannot be had
  bool alike[DC_TAYLOR_DIRECTIONS][TAYLOR_STEPS];     // divided as at parameters
  enum dc_status statuses[DC_TAYLOR_DIRECTIONS * TAYLOR_STEPS];
};

static double taylor_step(int k)
{
  return ldexp(0.25, -k);
}

static void taylor_pass(void *context, int index, int thread)
{
  struct taylor *taylor = context;
  struct checker *checker = &taylor->checkers->each[thread];
  struct dc_plan *plan = checker->plan;
  int d = index / TAYLOR_STEPS, k = index % TAYLOR_STEPS, count = plan->parameter_count;
  struct dc_error error = {0};
  double loss;
  for (int i = 0; i < count; i++)
    checker->shifted[i] =
        checker->parameters[i] + taylor_step(k) * taylor->directions[(size_t)d * (size_t)count + (size_t)i];
  enum dc_status status = dc_plan_evaluate(plan, checker->shifted, &loss, NULL, &error);
  taylor->losses[d][k] = status ? NAN : loss;
  taylor->alike[d][k] = status || dc_trajectory_divided_alike(plan->trajectory, checker->centre);
  taylor->statuses[index] = is_a_gap(status) ? DC_OK : status;
}

// Order of |L(x + h d) - L(x) - h g.d| in h, by least squares over the four smallest steps whose remainder stands well
// above rounding; NAN when there are none.  Steps that reach over a change of division or a gap are passed over.
static double taylor_order(const double losses[TAYLOR_STEPS], const bool alike[TAYLOR_STEPS], double loss, double slope)
{
  double logs[TAYLOR_STEPS][2], largest = fabs(loss);
  int count = 0;
  for (int k = 0; k < TAYLOR_STEPS; k++) {
    if (isnan(losses[k]) || !alike[k]) {
      count = 0;
      continue;
    }
    largest = fmax(largest, fabs(losses[k]));
    logs[count][0] = taylor_step(k);
    logs[count++][1] = fabs(losses[k] - loss - taylor_step(k) * slope);
  }
  if (count < TAYLOR_WINDOW)
    return NAN;
  double noise = fmax(median_of_last((const double(*)[2])logs, count), DBL_EPSILON * largest);
  int last = count - 1;
  while (last >= 0 && logs[last][1] < ABOVE_NOISE * noise)
    last--;
  if (last < TAYLOR_WINDOW - 1)
    return NAN;
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = last - TAYLOR_WINDOW + 1; k <= last; k++) {
    double a = log(logs[k][0]), b = log(logs[k][1]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (TAYLOR_WINDOW * sxy - sx * sy) / (TAYLOR_WINDOW * sxx - sx * sx);
}

// Seeded directions of length 1.
static void draw_directions(double *directions, int count, uint64_t seed)
{
  struct dc_random random;
  dc_random_seed(&random, seed + 1);
  for (int d = 0; d < DC_TAYLOR_DIRECTIONS; d++) {
    double *direction = directions + (size_t)d * (size_t)count, norm = 0;
    for (int i = 0; i < count; i++) {
      direction[i] = dc_random_normal(&random);
      norm = hypot(norm, direction[i]);
    }
    for (int i = 0; i < count; i++)
      direction[i] /= norm;
  }
}

static void add_order(const struct taylor *taylor, int d, double slope, struct dc_gradient_check *check)
{
  double order = taylor_order(taylor->losses[d], taylor->alike[d], check->loss, slope);
  bool straddles = false;
  for (int k = 0; k < TAYLOR_STEPS; k++)
    straddles |= !taylor->alike[d][k];
  if (!isnan(order))
    check->taylor_orders[check->taylor_count++] = order;
  else
    check->taylor_straddling += straddles;
}

static enum dc_status check_taylor(const struct checkers *checkers, const double *gradient, uint64_t seed,
                                   struct dc_gradient_check *check, struct dc_error *error)
{
  int count = checkers->each[0].plan->parameter_count;
  if (count == 0)
    return DC_OK;
  struct taylor *taylor = dc_alloc(1, sizeof *taylor);
  double *directions = dc_alloc(DC_TAYLOR_DIRECTIONS * (size_t)count, sizeof *directions);
  enum dc_status status = taylor && directions ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory");
  if (!status) {
    draw_directions(directions, count, seed);
    taylor->checkers = checkers;
    taylor->directions = directions;
    dc_loop_run(taylor_pass, taylor, DC_TAYLOR_DIRECTIONS * TAYLOR_STEPS, checkers->team.count, NULL);
  }
  for (int i = 0; i < DC_TAYLOR_DIRECTIONS * TAYLOR_STEPS && !status; i++)
    if (taylor->statuses[i])
      status = dc_fail(error, taylor->statuses[i], "out of memory for a rollout");
  for (int d = 0; d < DC_TAYLOR_DIRECTIONS && !status; d++) {
    double slope = 0;
    for (int i = 0; i < count; i++)
      slope += directions[(size_t)d * (size_t)count + (size_t)i] * gradient[i];
    add_order(taylor, d, slope, check);
  }
  free(directions);
  free(taylor);
  return status;
}

// After the plan was evaluated at parameters.
static enum dc_status create_checkers(struct dc_plan *plan, const double *parameters, double loss,
                                      struct checkers *checkers, struct dc_error *error)
{
  size_t parameter_count = (size_t)plan->parameter_count, nv = (size_t)plan->model->bodies.nv;
  enum dc_status status = dc_plan_team_create(plan, dc_threads(), &checkers->team, error);
  size_t count = (size_t)checkers->team.count;
  checkers->each = dc_alloc(count, sizeof *checkers->each);
  checkers->centre = dc_record_create(plan->model, plan->window.steps);
  checkers->shifted = dc_alloc(count * parameter_count, sizeof *checkers->shifted);
  checkers->tangents = dc_alloc(count * nv, sizeof *checkers->tangents);
  if (status || !checkers->each || !checkers->centre || !checkers->shifted || !checkers->tangents)
    return dc_fail(error, DC_MEMORY, "out of memory for differences");
  for (size_t i = 0; i < count; i++) {
    checkers->each[i] = (struct checker){.plan = checkers->team.plans[i],
                                         .parameters = parameters,
                                         .centre = checkers->centre,
                                         .loss = loss,
                                         .shifted = checkers->shifted + i * parameter_count,
                                         .tangent = checkers->tangents + i * nv};
    dc_rollout_set_tight(checkers->team.plans[i]->rollout, true);
  }
  return dc_plan_record(plan, checkers->centre, error);
}

static void release_checkers(struct checkers *checkers)
{
  dc_plan_team_release(&checkers->team);
  dc_trajectory_destroy(checkers->centre);
  free(checkers->each);
  free(checkers->shifted);
  free(checkers->tangents);
}

// Parameters of shapes a little off; low, high: workspace for their bounds.  A scene's boxes are where their hulls have kinks.
static void shake_shapes(const struct dc_plan *plan, uint64_t seed, double *parameters, double *low, double *high)
{
  const struct dc_task *task = plan->task;
  struct dc_random random;
  dc_random_seed(&random, seed + 4);
  dc_task_bounds(task, plan->model, plan->window.steps, low, high);
  int at = dc_task_control_parameter_count(task, plan->model, plan->window.steps);
  for (int e = 0; e < task->design_count; e++)
    for (int k = task->design[e].type->parameter_count(task->design[e].options, plan->model); k > 0; k--, at++) {
      double room = fmin(high[at] - parameters[at], parameters[at] - low[at]);
      if (task->design[e].type->shapes)
        parameters[at] += SHAKE * fmin(1, room) * (2 * dc_random_uniform(&random) - 1);
    }
}

enum dc_status dc_gradient_check(struct dc_plan *plan, const double *given, uint64_t seed,
                                 struct dc_gradient_check *check, struct dc_error *error)
{
  struct checkers checkers = {0};
  size_t count = (size_t)plan->parameter_count;
  double *gradient = dc_alloc(count, sizeof *gradient), *parameters = dc_alloc(3 * count, sizeof *parameters);
  *check = (struct dc_gradient_check){0};
  enum dc_status status = gradient && parameters ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory");
  if (!status) {
    memcpy(parameters, given, count * sizeof *parameters);
    shake_shapes(plan, seed, parameters, parameters + count, parameters + 2 * count);
  }
  dc_rollout_set_tight(plan->rollout, true);
  if (!status)
    status = dc_plan_evaluate(plan, parameters, &check->loss, gradient, error);
  if (!status)
    status = create_checkers(plan, parameters, check->loss, &checkers, error);
  if (!status) {
    check->steps = checkers.centre->steps;
    check->divided_steps = dc_trajectory_divided_steps(checkers.centre);
    status = check_coordinates(&checkers, gradient, seed, check, error);
  }
  if (!status)
    status = check_taylor(&checkers, gradient, seed, check, error);
  if (!status)
    status = dc_product_check(plan, parameters, seed, &check->products, error);
  dc_rollout_set_tight(plan->rollout, false);
  release_checkers(&checkers);
  free(gradient);
  free(parameters);
  return status;
}
