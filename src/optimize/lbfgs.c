// SPDX-License-Identifier: Apache-2.0
// Limited-memory BFGS (Nocedal 1980; Nocedal and Wright 2006, Algorithm 7.4), with bounds by projection.
//
// The direction is -H g by the two-loop recursion over the last pairs s = x' - x, y = g' - g; coordinates that the
// gradient pushes against a bound are held.  The step t is found by bracketing (Lewis and Overton 2013), which does not
// need a smooth function: with x(t) = x + t d projected to the bounds,
//
//     f(x(t)) <= f + c1 g . (x(t) - x)     or t was too long,
//     g(x(t)) . d >= c2 g . d              or t was too short.
//
// Every trial point is an iterate.  After a line search without success the pairs are dropped and the gradient's
// direction is searched; when that fails, too, the minimization ends.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/vector.h"
#include "optimize/common_options.h"
#include "optimize/iteration.h"
#include "optimize/norm.h"

// c1 and c2 of the conditions above, and the number of trials of one line search.
static const double ARMIJO = 1e-4, WOLFE = 0.9;
enum { MOST_TRIALS = 20 };

struct lbfgs_options {
  struct dc_optimizer_common common;
  long memory;
  double first_step;
};

static const struct dc_option options_table[] = {
    ITERATIONS_AND_TARGET,
    DC_INTEGER_OPTION(struct lbfgs_options, memory, "10", 1, 1000, "last steps from which the curvature is known"),
    DC_POSITIVE_OPTION(
        struct lbfgs_options, first_step, "", "0.1", 1e9,
        "length of steps along the gradient, while nothing is known of the curvature, in the parameters' units"),
    DC_OPTIONS_END,
};

// Layout of the state: numbers; then [n] each the point, its gradient, the direction, the lower end of the bracket and
// its gradient; then the pairs s [memory][n], y [memory][n].
enum { STEP, LOW, HIGH, TRIALS, VALUE, LOW_VALUE, PAIRS, NEXT, NUMBERS };
enum { VECTORS = 5 };

struct search {
  const struct lbfgs_options *options;
  struct dc_iteration *iteration;
  int n;
  double *state, *x, *gradient, *direction, *low_x, *low_gradient, *s, *y;
  double *step, *alpha;  // [n], [memory]
  bool *held;            // [n]
  void *memory;
};

static size_t state_size(const void *options, const struct dc_problem *problem, int number)
{
  const struct lbfgs_options *lbfgs = options;
  (void)number;
  return NUMBERS + (size_t)problem->dimension * (VECTORS + 2 * (size_t)lbfgs->memory);
}

// Views of the state: five vectors [n], then memory pairs s and y [memory][n].
static enum dc_status open_search(struct search *search, const struct lbfgs_options *options,
                                  struct dc_iteration *iteration, struct dc_error *error)
{
  size_t n = (size_t)iteration->problem->dimension, memory = (size_t)options->memory;
  double *next = iteration->state + NUMBERS;
  *search = (struct search){.options = options, .iteration = iteration, .n = (int)n, .state = iteration->state};
  double **vectors[VECTORS] = {&search->x, &search->gradient, &search->direction, &search->low_x,
                               &search->low_gradient};
  for (int i = 0; i < VECTORS; i++, next += n)
    *vectors[i] = next;
  search->s = next;
  search->y = next + memory * n;
  search->memory = search->step = dc_alloc(2 * n + memory + 1, sizeof *search->step);
  if (!search->memory)
    return dc_out_of_memory_for(error, "an optimizer");
  search->alpha = search->step + n;
  search->held = (bool *)(search->alpha + memory);
  return DC_OK;
}

// Sets entries of held coordinates to zero.
static void drop_held(const struct search *search, double *vector)
{
  for (int i = 0; i < search->n; i++)
    if (search->held[i])
      vector[i] = 0;
}

// Index of the pair that is `back` steps old; 0: the last one.
static size_t pair(const struct search *search, int back)
{
  long memory = search->options->memory, next = (long)search->state[NEXT];
  return (size_t)((next - 1 - back + 2 * memory) % memory) * (size_t)search->n;
}

// direction = -H g by the two-loop recursion, or -g where that does not descend; sets up the line search along it.
// The first step of -g has the length first_step, later directions have their own scale.  H_0 = (s.y / y.y) I of the
// newest pair (Nocedal and Wright 2006, Eq. 7.20).
static void set_direction(struct search *search)
{
  int n = search->n, pairs = (int)search->state[PAIRS];
  double *d = search->direction;
  dc_problem_hold(search->iteration->problem, search->x, search->gradient, search->held);
  for (int i = 0; i < n; i++)
    d[i] = search->held[i] ? 0 : -search->gradient[i];
  double steepest = norm_euclidean(d, n);
  for (int k = 0; k < pairs; k++) {
    const double *s = search->s + pair(search, k), *y = search->y + pair(search, k);
    search->alpha[k] = dc_dot(s, d, n) / dc_dot(s, y, n);
    for (int i = 0; i < n; i++)
      d[i] -= search->alpha[k] * y[i];
  }
  if (pairs) {
    const double *s = search->s + pair(search, 0), *y = search->y + pair(search, 0);
    double scale = dc_dot(s, y, n) / dc_dot(y, y, n);
    for (int i = 0; i < n; i++)
      d[i] *= scale;
  }
  for (int k = pairs; k-- > 0;) {
    const double *s = search->s + pair(search, k), *y = search->y + pair(search, k);
    double beta = dc_dot(y, d, n) / dc_dot(s, y, n);
    for (int i = 0; i < n; i++)
      d[i] += (search->alpha[k] - beta) * s[i];
  }
  drop_held(search, d);
  if (pairs && !(dc_dot(search->gradient, d, n) < 0 && isfinite(norm_largest(d, n)))) {
    search->state[PAIRS] = 0;
    set_direction(search);
    return;
  }
  search->state[STEP] = pairs || !(steepest > 0) ? 1 : search->options->first_step / steepest;
  search->state[LOW] = search->state[TRIALS] = 0;
  search->state[HIGH] = INFINITY;
}

// Moves to a point with its value and gradient, and stores the pair s, y.  A pair whose curvature s.y is not clearly
// positive is written over by the next: NEXT moves on only for good pairs.  Where all places are taken it stands in
// that of the oldest pair, which is gone.
static void move_to(struct search *search, const double *x, double value, const double *gradient)
{
  size_t n = (size_t)search->n, bytes = n * sizeof *x;
  double *s = search->s + (size_t)search->state[NEXT] * n, *y = search->y + (size_t)search->state[NEXT] * n;
  for (size_t i = 0; i < n; i++) {
    s[i] = x[i] - search->x[i];
    y[i] = gradient[i] - search->gradient[i];
  }
  double curvature = dc_dot(s, y, (int)n);
  if (curvature > DBL_EPSILON * norm_euclidean(s, (int)n) * norm_euclidean(y, (int)n) && isfinite(1 / curvature) &&
      isfinite(dc_dot(y, y, (int)n))) {
    long memory = search->options->memory;
    search->state[NEXT] = (double)(((long)search->state[NEXT] + 1) % memory);
    search->state[PAIRS] = fmin(search->state[PAIRS] + 1, (double)memory);
  } else {
    search->state[PAIRS] = fmin(search->state[PAIRS], (double)search->options->memory - 1);
  }
  memcpy(search->x, x, bytes);
  memcpy(search->gradient, gradient, bytes);
  search->state[VALUE] = value;
  set_direction(search);
}

// Ends an unsuccessful line search after MOST_TRIALS.  The best lower end of the bracket is taken if there is one;
// else the pairs are dropped and -g is searched.  Returns false when there are no pairs to drop: nothing along -g
// helped.
static bool give_up(struct search *search)
{
  if (search->state[LOW] > 0) {
    move_to(search, search->low_x, search->state[LOW_VALUE], search->low_gradient);
  } else if (search->state[PAIRS] > 0) {
    search->state[PAIRS] = 0;
    set_direction(search);
  } else {
    return false;
  }
  return true;
}

// Halves the bracket from above, or the step where nothing shorter was good.
static void shorten(struct search *search)
{
  search->state[HIGH] = search->state[STEP];
  search->state[STEP] = 0.5 * (search->state[LOW] + search->state[HIGH]);
}

// Decides from the trial point: accept it, or try a longer or a shorter step. `change` is g.(x(t) - x) of the
// projected point.  Where bounds cut the step, its slope along d says nothing, and the second condition is left out.
static void judge(struct search *search)
{
  struct dc_iteration *iteration = search->iteration;
  int n = search->n;
  double change = 0, slope = dc_dot(search->gradient, search->direction, n);
  bool projected = false;
  for (int i = 0; i < n; i++) {
    change += search->gradient[i] * (iteration->x[i] - search->x[i]);
    projected = projected || iteration->x[i] != search->x[i] + search->step[i];
  }
  iteration->accepted = false;
  if (!(iteration->value <= search->state[VALUE] + ARMIJO * change) || !(change < 0)) {
    shorten(search);
  } else if (!projected && dc_dot(iteration->gradient, search->direction, n) < WOLFE * slope) {
    search->state[LOW] = search->state[STEP];
    search->state[LOW_VALUE] = iteration->value;
    memcpy(search->low_x, iteration->x, (size_t)n * sizeof *search->low_x);
    memcpy(search->low_gradient, iteration->gradient, (size_t)n * sizeof *search->low_gradient);
    search->state[STEP] =
        isinf(search->state[HIGH]) ? 2 * search->state[LOW] : 0.5 * (search->state[LOW] + search->state[HIGH]);
  } else {
    iteration->accepted = true;
    move_to(search, iteration->x, iteration->value, iteration->gradient);
  }
}

// Evaluates steps along the direction until one has a value; steps without one are shortened.
static enum dc_status try_steps(struct search *search, struct dc_error *error)
{
  struct dc_iteration *iteration = search->iteration;
  for (;;) {
    bool stuck = search->state[TRIALS]++ >= MOST_TRIALS && !give_up(search);
    if (stuck || !(norm_largest(search->direction, search->n) > 0)) {
      iteration->finished = true;
      return DC_OK;
    }
    for (int i = 0; i < search->n; i++)
      search->step[i] = search->state[STEP] * search->direction[i];
    dc_problem_move(iteration->problem, search->x, search->step, iteration->x);
    enum dc_status status =
        dc_iteration_evaluate(iteration, iteration->x, &iteration->value, iteration->gradient, error);
    if (!status)
      return DC_OK;
    if (!dc_point_has_no_value(status))
      return status;
    shorten(search);
  }
}

// One iteration: evaluate a step, then judge it: a good one gives a new direction, others a shorter or longer step.
static enum dc_status run(struct search *search, struct dc_error *error)
{
  struct dc_iteration *iteration = search->iteration;
  bool first = iteration->number == 0;
  enum dc_status status =
      first ? dc_iteration_evaluate(iteration, iteration->x, &iteration->value, iteration->gradient, error)
            : try_steps(search, error);
  if (status || iteration->finished)
    return status;
  dc_iteration_book(iteration, iteration->x, iteration->value);
  if (!first) {
    judge(search);
    return DC_OK;
  }
  memcpy(search->x, iteration->x, (size_t)search->n * sizeof *search->x);
  memcpy(search->gradient, iteration->gradient, (size_t)search->n * sizeof *search->gradient);
  search->state[VALUE] = iteration->value;
  set_direction(search);
  return DC_OK;
}

static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  struct search search;
  enum dc_status status = open_search(&search, options, iteration, error);
  if (!status)
    status = run(&search, error);
  free(search.memory);
  return status;
}

const struct dc_optimizer_type dc_lbfgs = {
    .name = "lbfgs",
    .summary = "limited-memory BFGS with a line search: quick where the loss is smooth",
    .reference = "Nocedal and Wright 2006, Algorithm 7.4; Lewis and Overton 2013",
    .options = options_table,
    .options_size = sizeof(struct lbfgs_options),
    .state_size = state_size,
    .iterate = iterate,
};
