// SPDX-License-Identifier: Apache-2.0
#include "plan/gradient_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

// A kind of parameter whose gradient is this small beside the others does not matter to the loss: its error is
// measured against this part of the largest.
static const double NEGLIGIBLE = 1e-6;
// Differences that agree with the adjoint to this part of the gradient need no closer look.
static const double CLOSE = 1e-7;

// All that can be differentiated: the controls, the numbers of the design, the start.
enum kind {
  CONTROL,
  MASS,
  STIFFNESS,
  GRAVITY,
  FRICTION,
  PROPORTIONAL_GAIN,
  DERIVATIVE_GAIN,
  INITIAL_POSITION,
  INITIAL_VELOCITY,
  KINDS
};

struct coordinate {
  enum kind kind;
  int index;  // parameter, body, axis or entry of a tangent vector
  int body;   // that the entry belongs to
};

struct checker {
  struct dc_plan *plan;
  const double *parameters;
  double *shifted;  // [parameter_count]
  double *tangent;  // [nv], zero
  double loss;      // at parameters
};

static double *design_entry(struct dc_design *design, struct coordinate c)
{
  switch (c.kind) {
  case MASS: return &design->body_mass_scale[c.index];
  case STIFFNESS: return &design->stiffness_scale;
  case FRICTION: return &design->friction_scale[c.index];
  case PROPORTIONAL_GAIN: return &design->kp_scale[c.index];
  case DERIVATIVE_GAIN: return &design->kd_scale[c.index];
  default: return &design->gravity[c.index];
  }
}

// Moves a number of the input, which holds the start of the window before the controls act on it.
static void shift_input(struct checker *checker, struct coordinate c, double step)
{
  struct dc_rollout_input *input = checker->plan->input;
  switch (c.kind) {
  case CONTROL: break;
  case INITIAL_POSITION:
    checker->tangent[c.index] = 1;
    dc_state_move(&checker->plan->model->bodies, input->q, step, checker->tangent, input->q);
    checker->tangent[c.index] = 0;
    break;
  case INITIAL_VELOCITY: input->velocity[c.index] += step; break;
  default: *design_entry(&input->design, c) += step;
  }
}

// The loss with the coordinate moved by step.
static enum dc_status loss_at(struct checker *checker, struct coordinate c, double step, double *loss,
                              struct dc_error *error)
{
  struct dc_plan *plan = checker->plan;
  memcpy(checker->shifted, checker->parameters, (size_t)plan->parameter_count * sizeof *checker->shifted);
  if (c.kind == CONTROL)
    checker->shifted[c.index] += step;
  dc_plan_reset_input(plan);
  shift_input(checker, c, step);
  dc_task_apply(plan->task, plan->model, &plan->window, plan->state, checker->shifted, plan->input);
  enum dc_status status = dc_rollout_forward(plan->rollout, plan->input, plan->trajectory, error);
  if (!status)
    *loss = dc_task_loss(plan->task, plan->model, plan->input, plan->trajectory, NULL);
  return status;
}

// Central differences at steps that shrink by 4, each extrapolated once (error of order 4).  Of three neighbours that
// agree best, the rounding of the loss counted in, the middle one is taken, so that neither coarse steps over a rugged
// loss nor rounding at fine ones decide.  Where a step makes bodies overlap, or a time step fail, the sequence begins at
// a smaller one; it ends where rounding, which grows as steps shrink, is more than the best three differ by, if they
// agree with the adjoint to `close`.  If not, smaller steps are tried too: a loss that bends within less than the coarse
// steps, as when faces are exactly aligned, is smooth for fine ones only.  Fine ones that agree with each other to a
// hundredth of what they differ from coarse ones by are taken instead.
static enum dc_status difference(struct checker *checker, struct coordinate c, double close,
                                 struct dc_gradient_difference *entry, struct dc_error *error)
{
  enum { LEVELS = 13 };
  double plain[LEVELS], refined[LEVELS], rounding[LEVELS], step = 0.16, least = INFINITY, kink = 0;
  int count = 0;
  entry->difference = NAN;
  for (int attempt = 0; count < LEVELS && attempt < 2 * LEVELS; attempt++, step /= 4) {
    double up, down;
    enum dc_status status = loss_at(checker, c, step, &up, error);
    if (!status)
      status = loss_at(checker, c, -step, &down, error);
    if ((status == DC_INFEASIBLE || status == DC_NUMERICAL) && count == 0)
      continue;
    if (status)
      return status;
    plain[count] = (up - down) / (2 * step);
    kink = fabs(up - 2 * checker->loss + down) / (2 * step);  // half of what slopes on both sides differ by
    rounding[count] = DBL_EPSILON * fmax(fabs(up), fabs(down)) / step;
    refined[count] = count ? plain[count] + (plain[count] - plain[count - 1]) / 15 : plain[count];
    int k = count++ - 1;
    if (k < 2)
      continue;
    double change = fmax(fabs(refined[k] - refined[k - 1]), fabs(refined[k + 1] - refined[k])) + rounding[k];
    if (change < least || change < 0.01 * fabs(refined[k] - entry->difference)) {
      least = change;
      entry->difference = refined[k];
      entry->step = 4 * step;
    }
    if (rounding[count - 1] > least && fabs(entry->difference - entry->adjoint) <= close)
      break;
  }
  entry->spread = fmax(least, kink);
  return DC_OK;
}

static void coordinate_name(const struct checker *checker, struct coordinate c, char *text, size_t size)
{
  static const char axes[] = "xyz";
  const struct dc_plan *plan = checker->plan;
  const struct dc_body *body = plan->model->bodies.count ? &plan->model->bodies.bodies[c.body] : NULL;
  switch (c.kind) {
  case CONTROL: dc_task_parameter_name(plan->task, plan->model, plan->window.steps, c.index, text, size); break;
  case STIFFNESS: snprintf(text, size, "contact.stiffness"); break;
  case GRAVITY: snprintf(text, size, "gravity.%c", axes[c.index]); break;
  case MASS: snprintf(text, size, "bodies.%s.mass", body->name); break;
  case FRICTION: snprintf(text, size, "bodies.%s.friction", body->name); break;
  case PROPORTIONAL_GAIN: snprintf(text, size, "bodies.%s.kp", body->name); break;
  case DERIVATIVE_GAIN: snprintf(text, size, "bodies.%s.kd", body->name); break;
  case INITIAL_POSITION:
    snprintf(text, size, "bodies.%s.initial_position[%d]", body->name, c.index - body->v_offset);
    break;
  default: snprintf(text, size, "bodies.%s.initial_velocity[%d]", body->name, c.index - body->v_offset);
  }
}

static double adjoint_value(struct checker *checker, const double *gradient, struct coordinate c)
{
  const struct dc_rollout_cotangent *cotangent = checker->plan->cotangent;
  switch (c.kind) {
  case CONTROL: return gradient[c.index];
  case INITIAL_POSITION: return cotangent->q[c.index];
  case INITIAL_VELOCITY: return cotangent->velocity[c.index];
  default: return *design_entry(&checker->plan->cotangent->design, c);
  }
}

// Whether a body's friction can matter: it rubs, and it moves or something that moves may touch it.
static bool has_friction(const struct dc_model *model, int body)
{
  const struct dc_bodies *bodies = &model->bodies;
  if (!(dc_model_friction(model, body) > 0))
    return false;
  for (int other = 0; other < bodies->count; other++)
    if (other != body && dc_bodies_touch(bodies, body, other))
      return true;
  return false;
}

static int list_body(const struct dc_model *model, int index, struct coordinate *list)
{
  const struct dc_body *body = &model->bodies.bodies[index];
  int count = 0;
  if (dc_body_moves(body))
    list[count++] = (struct coordinate){MASS, index, index};
  if (has_friction(model, index))
    list[count++] = (struct coordinate){FRICTION, index, index};
  if (body->pd) {
    list[count++] = (struct coordinate){PROPORTIONAL_GAIN, index, index};
    list[count++] = (struct coordinate){DERIVATIVE_GAIN, index, index};
  }
  for (int k = 0; k < body->nv; k++) {
    list[count++] = (struct coordinate){INITIAL_POSITION, body->v_offset + k, index};
    list[count++] = (struct coordinate){INITIAL_VELOCITY, body->v_offset + k, index};
  }
  return count;
}

static size_t most_coordinates(const struct dc_plan *plan)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  return (size_t)plan->parameter_count + 4 * (size_t)bodies->count + 2 * (size_t)bodies->nv + 4;
}

static int list_coordinates(const struct dc_plan *plan, struct coordinate *list)
{
  int count = 0;
  for (int i = 0; i < plan->parameter_count; i++)
    list[count++] = (struct coordinate){CONTROL, i, 0};
  for (int i = 0; i < plan->model->bodies.count; i++)
    count += list_body(plan->model, i, list + count);
  if (plan->pair_count)
    list[count++] = (struct coordinate){STIFFNESS, 0, 0};
  for (int i = 0; i < 3; i++)
    list[count++] = (struct coordinate){GRAVITY, i, 0};
  return count;
}

// A seeded choice: a kind in turn, then one of its coordinates not yet chosen; few coordinates are all taken.
static int choose_coordinates(struct coordinate *list, int count, uint64_t seed)
{
  struct dc_random random;
  dc_random_seed(&random, seed);
  int chosen = 0;
  for (int turn = 0; chosen < DC_GRADIENT_CHECKS && chosen < count; turn++) {
    enum kind kind = (enum kind)(turn % KINDS);
    int candidates = 0;
    for (int i = chosen; i < count; i++)
      candidates += list[i].kind == kind;
    if (!candidates)
      continue;
    int pick = (int)(dc_random_uniform(&random) * candidates);
    for (int i = chosen; i < count; i++)
      if (list[i].kind == kind && pick-- == 0) {
        struct coordinate swap = list[chosen];
        list[chosen++] = list[i];
        list[i] = swap;
        break;
      }
  }
  return chosen;
}

static enum dc_status check_coordinates(struct checker *checker, const double *gradient, uint64_t seed,
                                        struct dc_gradient_check *check, struct dc_error *error)
{
  struct dc_plan *plan = checker->plan;
  struct coordinate *list = dc_alloc(most_coordinates(plan), sizeof *list);
  if (!list)
    return dc_fail(error, DC_MEMORY, "out of memory");
  int total = list_coordinates(plan, list);
  double norms[KINDS] = {0}, largest = 0;
  for (int i = 0; i < total; i++)
    norms[list[i].kind] = hypot(norms[list[i].kind], adjoint_value(checker, gradient, list[i]));
  for (int k = 0; k < KINDS; k++)
    largest = fmax(largest, norms[k]);
  check->count = choose_coordinates(list, total, seed);
  enum dc_status status = DC_OK;
  for (int i = 0; i < check->count && !status; i++) {
    struct dc_gradient_difference *entry = &check->checks[i];
    coordinate_name(checker, list[i], entry->parameter, sizeof entry->parameter);
    entry->adjoint = adjoint_value(checker, gradient, list[i]);
    double norm = fmax(norms[list[i].kind], NEGLIGIBLE * largest);
    norm = norm > 0 ? norm : 1;
    status = difference(checker, list[i], CLOSE * norm, entry, error);
    entry->relative_error = fabs(entry->adjoint - entry->difference) / norm;
    entry->spread /= norm;
    check->max_relative_error = fmax(check->max_relative_error, entry->relative_error);
  }
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

// Order of |L(x + h d) - L(x) - h g.d| in h, by least squares over the four smallest steps whose remainder stands well
// above rounding.
static enum dc_status taylor_order(struct checker *checker, const double *direction, double loss, double slope,
                                   double *order, struct dc_error *error)
{
  struct dc_plan *plan = checker->plan;
  double logs[TAYLOR_STEPS][2], largest = fabs(loss), step = 0.25;
  double *x = dc_alloc((size_t)plan->parameter_count, sizeof *x);
  int count = 0;
  enum dc_status status = x ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory");
  for (int k = 0; k < TAYLOR_STEPS && !status; k++, step *= 0.5) {
    double value;
    for (int i = 0; i < plan->parameter_count; i++)
      x[i] = checker->parameters[i] + step * direction[i];
    status = dc_plan_evaluate(plan, x, &value, NULL, error);
    if (status == DC_INFEASIBLE) {
      status = DC_OK;
      continue;
    }
    largest = fmax(largest, fabs(value));
    logs[count][0] = step;
    logs[count++][1] = fabs(value - loss - step * slope);
  }
  free(x);
  *order = NAN;
  if (status || count < TAYLOR_WINDOW)
    return status;
  double noise = fmax(median_of_last((const double(*)[2])logs, count), DBL_EPSILON * largest);
  int last = count - 1;
  while (last >= 0 && logs[last][1] < ABOVE_NOISE * noise)
    last--;
  if (last < TAYLOR_WINDOW - 1)
    return DC_OK;
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = last - TAYLOR_WINDOW + 1; k <= last; k++) {
    double a = log(logs[k][0]), b = log(logs[k][1]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  *order = (TAYLOR_WINDOW * sxy - sx * sy) / (TAYLOR_WINDOW * sxx - sx * sx);
  return DC_OK;
}

static enum dc_status check_taylor(struct checker *checker, const double *gradient, uint64_t seed,
                                   struct dc_gradient_check *check, struct dc_error *error)
{
  struct dc_plan *plan = checker->plan;
  struct dc_random random;
  dc_random_seed(&random, seed + 1);
  double *direction = dc_alloc((size_t)plan->parameter_count, sizeof *direction);
  if (!direction)
    return dc_fail(error, DC_MEMORY, "out of memory");
  enum dc_status status = DC_OK;
  for (int d = 0; d < DC_TAYLOR_DIRECTIONS && plan->parameter_count && !status; d++) {
    double norm = 0, slope = 0, order;
    for (int i = 0; i < plan->parameter_count; i++) {
      direction[i] = dc_random_normal(&random);
      norm = hypot(norm, direction[i]);
    }
    for (int i = 0; i < plan->parameter_count; i++) {
      direction[i] /= norm;
      slope += direction[i] * gradient[i];
    }
    status = taylor_order(checker, direction, check->loss, slope, &order, error);
    if (!status && !isnan(order))
      check->taylor_orders[check->taylor_count++] = order;
  }
  free(direction);
  return status;
}

enum dc_status dc_gradient_check(struct dc_plan *plan, const double *parameters, uint64_t seed,
                                 struct dc_gradient_check *check, struct dc_error *error)
{
  struct checker checker = {.plan = plan, .parameters = parameters};
  size_t count = (size_t)plan->parameter_count;
  double *gradient = dc_alloc(count, sizeof *gradient);
  checker.shifted = dc_alloc(count, sizeof *checker.shifted);
  checker.tangent = dc_alloc((size_t)plan->model->bodies.nv, sizeof *checker.tangent);
  *check = (struct dc_gradient_check){0};
  enum dc_status status =
      gradient && checker.shifted && checker.tangent ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory");
  dc_rollout_set_tight(plan->rollout, true);
  if (!status)
    status = dc_plan_evaluate(plan, parameters, &check->loss, gradient, error);
  if (!status)
    checker.loss = check->loss;
  if (!status)
    status = check_coordinates(&checker, gradient, seed, check, error);
  check->flat = true;
  for (int i = 0; i < check->count; i++)
    check->flat &= check->checks[i].adjoint == 0;
  if (!status)
    status = check_taylor(&checker, gradient, seed, check, error);
  dc_rollout_set_tight(plan->rollout, false);
  free(gradient);
  free(checker.shifted);
  free(checker.tangent);
  return status;
}
