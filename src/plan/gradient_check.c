// SPDX-License-Identifier: Apache-2.0
// `dcsim gradcheck`: the adjoint compared with differences, coordinate by coordinate and by the order of Taylor
// remainders, and both products of derivatives.
//
// 1. Evaluate the plan with tight tolerances; shapes are first shaken off the kinks of their hulls.
// 2. List all coordinates by kind, choose some of every kind in turn, and difference each (differences.c), side by
//    side.
// 3. Along random directions, compute the order of |L(x + h d) - L(x) - h g.d| in h by least squares.
// 4. Check products (product_check.c).
#include "plan/plan_cases.h"
#include "plan/gradient_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "design/number_kinds.h"
#include "plan/gradient_check_internal.h"

// A kind of parameter whose gradient is below this part of the largest has no influence on the loss; its error is
// measured against this part.
static const double NEGLIGIBLE = 1e-6;
// Relative agreement with the adjoint from which on no smaller steps are tried.
static const double CLOSE = 1e-7;

static const double SHAKE = 1e-3;  // random shift of shape parameters, relative to their bounds

// The name of a coordinate in reports, such as "bodies.cue.mass".
static void coordinate_name(const struct dc_checker *checker, struct dc_coordinate c, char *text, size_t size)
{
  const struct dc_plan *plan = checker->plan;
  if (dc_is_parameter(c)) {
    dc_task_parameter_name(plan->task, plan->model, plan->window.steps, c.index, text, size);
    return;
  }
  const struct dc_number_kind *number = dc_number_of(c);
  const struct dc_body *body = plan->model->bodies.count ? &plan->model->bodies.bodies[c.body] : NULL;
  if (number->index == DC_NUMBER_OF_BODY)
    snprintf(text, size, "bodies.%s.%s", body->name, number->name);
  else if (number->index == DC_NUMBER_OF_COORDINATE)
    snprintf(text, size, "bodies.%s.%s%s[%d]", body->name,
             number == &dc_number_position || number == &dc_number_velocity ? "initial_" : "", number->name,
             c.index - body->v_offset);
  else
    dc_number_name(number, plan->model, c.index, text, size);
}

static const char *coordinate_unit(const struct dc_checker *checker, struct dc_coordinate c, double *scale)
{
  const struct dc_plan *plan = checker->plan;
  *scale = 1;
  if (dc_is_parameter(c))
    return dc_task_parameter_unit(plan->task, plan->model, plan->window.steps, c.index, scale);
  return dc_number_of(c)->factor ? "1" : dc_number_unit(dc_number_of(c), plan->model, c.index);
}

// The adjoint of a coordinate: an entry of the gradient, or of the cotangent of the input.
static double adjoint_value(struct dc_checker *checker, const double *gradient, struct dc_coordinate c)
{
  if (dc_is_parameter(c))
    return gradient[c.index];
  return *dc_number_in_cotangent(dc_number_of(c), checker->plan->model, checker->plan->cotangent, c.index);
}

// Whether a coordinate is checked: those that a design may change, and all coordinates of the start.  The start of free
// bodies and of coupled coordinates is no design's, but the adjoint has its derivative.
static bool is_listed(const struct dc_number_kind *kind, const struct dc_model *model, int freedom)
{
  bool start = kind == &dc_number_position || kind == &dc_number_velocity;
  return kind->index == DC_NUMBER_OF_COORDINATE && (start || dc_number_is_present(kind, model, freedom));
}

// Numbers of one body: those of the body itself, such as its mass, then those of each of its freedoms.
static int list_body(const struct dc_model *model, int index, struct dc_coordinate *list)
{
  int count = 0, freedoms = dc_body_freedoms(&model->bodies, index),
      first = dc_body_first_freedom(&model->bodies, index);
  for (int k = 0; dc_number_kinds[k]; k++)
    if (dc_number_kinds[k]->index == DC_NUMBER_OF_BODY && dc_number_is_present(dc_number_kinds[k], model, index) &&
        (!dc_number_kinds[k]->checked || dc_number_kinds[k]->checked(model, index)))
      list[count++] = (struct dc_coordinate){DC_KIND_NUMBERS + k, index, index, NULL};
  for (int v = 0; v < freedoms; v++)
    for (int k = 0; dc_number_kinds[k]; k++)
      if (is_listed(dc_number_kinds[k], model, first + v))
        list[count++] = (struct dc_coordinate){DC_KIND_NUMBERS + k, first + v, index, NULL};
  return count;
}

// Numbers that belong to the whole model, such as gravity.
static int list_model(const struct dc_model *model, struct dc_coordinate *list)
{
  int count = 0;
  for (int k = 0; dc_number_kinds[k]; k++) {
    const struct dc_number_kind *kind = dc_number_kinds[k];
    if (kind->index == DC_NUMBER_OF_BODY || kind->index == DC_NUMBER_OF_COORDINATE)
      continue;
    for (int i = 0; i < dc_number_count(kind, model); i++)
      if (dc_number_is_present(kind, model, i))
        list[count++] = (struct dc_coordinate){DC_KIND_NUMBERS + k, i, 0, NULL};
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

// Parameters of design entries, each entry a kind of its own; if there are more than kinds, the last ones share one.
static int list_design(const struct dc_plan *plan, int first, struct dc_coordinate *list)
{
  int count = 0;
  for (int e = 0; e < plan->task->design_count; e++) {
    const struct dc_design_entry *entry = &plan->task->design[e];
    int kind = dc_design_kind() + e < DC_KINDS_MOST ? dc_design_kind() + e : DC_KINDS_MOST - 1;
    for (int i = 0; i < entry->type->parameter_count(entry->options, plan->model); i++, count++)
      list[count] = (struct dc_coordinate){kind, first + count, 0, NULL};
  }
  return count;
}

// Controls first, then numbers of every body, of the model, and designs.
static int list_coordinates(const struct dc_plan *plan, struct dc_coordinate *list)
{
  int controls = dc_task_control_parameter_count(plan->task, plan->model, plan->window.steps), count = 0;
  for (; count < controls; count++)
    list[count] = (struct dc_coordinate){DC_KIND_CONTROL, count, 0, NULL};
  for (int i = 0; i < plan->model->bodies.count; i++)
    count += list_body(plan->model, i, list + count);
  count += list_model(plan->model, list + count);
  return count + list_design(plan, controls, list + count);
}

// Chooses coordinates of the kinds first .. last - 1 by a seed and puts them behind those chosen before: one kind after
// the other, each with a random coordinate not chosen yet; if there are few, all are chosen.  Returns the number
// chosen.
static int choose_coordinates(struct dc_coordinate *list, int count, int first, int last, int chosen,
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
        struct dc_coordinate swap = list[chosen];
        list[chosen++] = list[i];
        list[i] = swap;
        left--;
        break;
      }
  }
  return chosen;
}

struct differences {
  const struct dc_checkers *checkers;
  const struct dc_coordinate *list;
  struct dc_gradient_difference *entries;
  double close[DC_GRADIENT_CHECKS_MOST];
  enum dc_status statuses[DC_GRADIENT_CHECKS_MOST];
  struct dc_error errors[DC_GRADIENT_CHECKS_MOST];
};

static void difference_pass(void *context, int index, int thread)
{
  struct differences *d = context;
  d->statuses[index] =
      dc_difference(&d->checkers->each[thread], d->list[index], d->close[index], &d->entries[index], &d->errors[index]);
}

// Computes differences of the first check->count coordinates of the list, whose adjoints are known; norms: of their
// kinds.
static enum dc_status take_differences(const struct dc_checkers *checkers, const struct dc_coordinate *list,
                                       const double *norms, struct dc_gradient_check *check, struct dc_error *error)
{
  struct differences *d = dc_alloc(1, sizeof *d);
  if (!d)
    return dc_out_of_memory(error);
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

// Compares coordinates of controls and of the design, chosen at random kind by kind, with differences.
static enum dc_status check_coordinates(const struct dc_checkers *checkers, const double *gradient, uint64_t seed,
                                        struct dc_gradient_check *check, struct dc_error *error)
{
  struct dc_checker *checker = &checkers->each[0];
  struct dc_coordinate *list = dc_alloc(most_coordinates(checker->plan), sizeof *list);
  if (!list)
    return dc_out_of_memory(error);
  int total = list_coordinates(checker->plan, list);
  double norms[DC_KINDS_MOST] = {0}, largest = 0;
  for (int i = 0; i < total; i++)
    norms[list[i].kind] = hypot(norms[list[i].kind], adjoint_value(checker, gradient, list[i]));
  for (int k = 0; k < DC_KINDS_MOST; k++)
    largest = fmax(largest, norms[k]);
  for (int k = 0; k < DC_KINDS_MOST; k++) {
    norms[k] = fmax(norms[k], NEGLIGIBLE * largest);
    norms[k] = norms[k] > 0 ? norms[k] : 1;
  }
  struct dc_random random;
  dc_random_seed(&random, seed);
  check->count = choose_coordinates(list, total, DC_KIND_CONTROL, dc_design_kind(), 0, &random);
  check->count = choose_coordinates(list, total, dc_design_kind(), DC_KINDS_MOST, check->count, &random);
  check->flat = true;
  for (int i = 0; i < check->count; i++) {
    struct dc_gradient_difference *entry = &check->checks[i];
    coordinate_name(checker, list[i], entry->parameter, sizeof entry->parameter);
    entry->unit = coordinate_unit(checker, list[i], &entry->scale);
    entry->adjoint = adjoint_value(checker, gradient, list[i]);
    check->flat &= entry->adjoint == 0;
  }
  enum dc_status status = take_differences(checkers, list, norms, check, error);
  free(list);
  return status;
}

// Steps h = 2^-2, 2^-3, ...; orders come from TAYLOR_WINDOW of them; the smallest NOISE_STEPS are rounding alone.  A
// remainder counts if it is ABOVE_NOISE times that.
enum { TAYLOR_STEPS = 24, TAYLOR_WINDOW = 4, NOISE_STEPS = 7 };
static const double ABOVE_NOISE = 300;

// Rounding level: the median remainder of the smallest steps.
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
  const struct dc_checkers *checkers;
  const double *directions;                           // [DC_TAYLOR_DIRECTIONS][parameter_count]
  double losses[DC_TAYLOR_DIRECTIONS][TAYLOR_STEPS];  // NAN where there is no loss
  bool alike[DC_TAYLOR_DIRECTIONS][TAYLOR_STEPS];     // steps are divided as at parameters
  enum dc_status statuses[DC_TAYLOR_DIRECTIONS * TAYLOR_STEPS];
};

static double taylor_step(int k)
{
  return ldexp(0.25, -k);
}

// One loss at a Taylor step along a direction.
static void taylor_pass(void *context, int index, int thread)
{
  struct taylor *taylor = context;
  struct dc_checker *checker = &taylor->checkers->each[thread];
  struct dc_plan *plan = checker->plan;
  int d = index / TAYLOR_STEPS, k = index % TAYLOR_STEPS, count = plan->parameter_count;
  struct dc_error error = {0};
  double loss;
  for (int i = 0; i < count; i++)
    checker->shifted[i] =
        checker->parameters[i] + taylor_step(k) * taylor->directions[(size_t)d * (size_t)count + (size_t)i];
  dc_rollout_set_alike(plan->rollout, checker->centre);
  enum dc_status status = dc_plan_evaluate(plan, checker->shifted, &loss, NULL, &error);
  dc_rollout_set_alike(plan->rollout, NULL);
  taylor->losses[d][k] = status ? NAN : loss;
  taylor->alike[d][k] = status ? status != DC_STOPPED : dc_trajectory_divided_alike(plan->trajectory, checker->centre);
  taylor->statuses[index] = dc_point_has_no_value(status) || status == DC_STOPPED ? DC_OK : status;
}

// Order of |L(x + h d) - L(x) - h g.d| in h, by least squares over the four smallest steps whose remainder is well
// above rounding; NAN when there are none.  Steps that span a change of division or have no loss are skipped.
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

// Taylor test: the remainder |L(x + h d) - L(x) - h L'(x) d| must fall as h^2.
static enum dc_status check_taylor(const struct dc_checkers *checkers, const double *gradient, uint64_t seed,
                                   struct dc_gradient_check *check, struct dc_error *error)
{
  int count = checkers->each[0].plan->parameter_count;
  if (count == 0)
    return DC_OK;
  struct taylor *taylor = dc_alloc(1, sizeof *taylor);
  double *directions = dc_alloc(DC_TAYLOR_DIRECTIONS * (size_t)count, sizeof *directions);
  enum dc_status status = taylor && directions ? DC_OK : dc_out_of_memory(error);
  if (!status) {
    dc_draw_directions(directions, DC_TAYLOR_DIRECTIONS, count, seed + 1);
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

// Shifts shape parameters a little at random, because a scene's boxes are exactly where their hulls have kinks; low,
// high: workspace for bounds.
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

// The gradient by the adjoint, with shapes slightly shaken where the design has any; then coordinates one by one, the
// Taylor test, and products.
enum dc_status dc_gradient_check(struct dc_plan *plan, const double *given, uint64_t seed,
                                 struct dc_gradient_check *check, struct dc_error *error)
{
  struct dc_checkers checkers = {0};
  size_t count = (size_t)plan->parameter_count;
  double *gradient = dc_alloc(count, sizeof *gradient), *parameters = dc_alloc(3 * count, sizeof *parameters);
  *check = (struct dc_gradient_check){0};
  enum dc_status status = gradient && parameters ? DC_OK : dc_out_of_memory(error);
  if (!status) {
    memcpy(parameters, given, count * sizeof *parameters);
    shake_shapes(plan, seed, parameters, parameters + count, parameters + 2 * count);
  }
  dc_plan_set_tight(plan, true);
  if (!status)
    status = dc_plan_evaluate(plan, parameters, &check->loss, gradient, error);
  if (!status)
    status = dc_checkers_create(plan, parameters, check->loss, &checkers, error);
  if (!status) {
    check->steps = checkers.centre->steps;
    check->divided_steps = dc_trajectory_divided_steps(checkers.centre);
    status = check_coordinates(&checkers, gradient, seed, check, error);
  }
  if (!status)
    status = check_taylor(&checkers, gradient, seed, check, error);
  if (!status)
    status = dc_product_check(plan, parameters, seed, &check->products, error);
  dc_plan_set_tight(plan, false);
  dc_checkers_release(&checkers);
  free(gradient);
  free(parameters);
  return status;
}
