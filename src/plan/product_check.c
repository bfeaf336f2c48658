// SPDX-License-Identifier: Apache-2.0
// Checks of products of derivatives: tangent against adjoint along random directions of the input; the Jacobian by
// columns against that by rows, against differences along a random direction, and 2 J^T W e against the gradient.
//
// All of these are equalities up to rounding, except for differences.  What rounding can do is measured in each
// check: by tangents of a third of the direction, or by the bounds of a row's entries.
#include "plan/product_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/linearize.h"

// Bounds of work: the more expensive way is compared only up to this number of rows or columns.  LEVELS: steps of
// differences, each a quarter of the one before.
enum { MOST_ROWS = 64, MOST_COLUMNS = 1024, LEVELS = 9 };

static enum dc_status no_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "products");
}

static void draw(struct dc_random *random, int count, double scale, double *numbers)
{
  for (int i = 0; i < count; i++)
    numbers[i] = scale * dc_random_normal(random);
}

// The numbers of a direction: state, targets and forces, then those of the design.
enum { OWN_SLICES = 5, SLICES = OWN_SLICES + DC_DESIGN_ARRAYS };

// The arrays of an input that derivatives are by, as one list: start, targets, forces and all of the design. A product
// is checked for each, so that one that is wrong is named.
static void list_slices(const struct dc_plan *plan, struct dc_rollout_cotangent *of,
                        struct dc_design_array slices[SLICES])
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  int targets = plan->window.steps * bodies->actuator_count;
  const struct dc_design_array own[OWN_SLICES] = {{of->q, bodies->nv},
                                                  {of->velocity, bodies->nv},
                                                  {of->target_position, targets},
                                                  {of->target_velocity, targets},
                                                  {of->force, of->force ? plan->window.steps * bodies->nv : 0}};
  memcpy(slices, own, sizeof own);
  dc_design_arrays(&of->design, bodies, slices + OWN_SLICES);
}

// Derivatives of the loss by the frames (plan->loss_cotangent) and the input, without and with the adjoint's part.
static enum dc_status pull_back(struct dc_plan *plan, struct dc_rollout_cotangent *direct,
                                struct dc_rollout_cotangent *whole, struct dc_error *error)
{
  struct dc_trajectory_cotangent *frames = &plan->loss_cotangent.frames;
  size_t count = (size_t)plan->window.steps + 1;
  struct dc_rollout_cotangent *of[2] = {direct, whole};
  for (int i = 0; i < 2; i++) {
    struct dc_loss_cotangent cotangent = {.frames = *frames, .input = of[i]};
    memset(frames->wrenches, 0, count * (size_t)plan->model->bodies.count * sizeof *frames->wrenches);
    memset(frames->forces, 0, count * (size_t)plan->model->bodies.nv * sizeof *frames->forces);
    dc_plan_loss(plan, &cotangent);
  }
  return dc_rollout_adjoint(plan->rollout, plan->input, plan->trajectory, frames, whole, error);
}

static void scale_directions(const struct dc_plan *plan, struct dc_rollout_cotangent **directions, double factor)
{
  struct dc_design_array along[SLICES];
  for (int d = 0; d < DC_PRODUCT_DIRECTIONS; d++) {
    list_slices(plan, directions[d], along);
    for (int s = 0; s < SLICES; s++)
      for (int i = 0; i < along[s].count; i++)
        along[s].numbers[i] *= factor;
  }
}

// Derivatives of the loss along directions, by tangents (workspace); direct: its derivatives by the input alone.
static enum dc_status push_forward(struct dc_plan *plan, struct dc_rollout_cotangent *direct,
                                   const struct dc_rollout_cotangent *const *directions, double *tangents,
                                   double products[DC_PRODUCT_DIRECTIONS], struct dc_error *error)
{
  struct dc_adjoint_row row = {.last = plan->window.steps, .frames = plan->loss_cotangent.frames, .input = direct};
  enum dc_status status = dc_rollout_tangent(plan->rollout, plan->input, plan->trajectory, DC_PRODUCT_DIRECTIONS,
                                             directions, tangents, error);
  if (!status)
    dc_rollout_contract(plan->rollout, plan->trajectory, &row, DC_PRODUCT_DIRECTIONS, directions, tangents, products,
                        NULL);
  return status;
}

// Compares adjoint and tangent along random directions: a . (S d) = (S^T a) . d.  Tangents of a third of the directions
// are the same but for rounding, which short intervals and the narrow ends of laws magnify: three times them say by how
// much.
static enum dc_status compare_directions(struct dc_plan *plan, struct dc_rollout_cotangent **all, double *tangents,
                                         uint64_t seed, struct dc_product_check *check, struct dc_error *error)
{
  struct dc_rollout_cotangent *direct = all[0], *whole = all[1], **directions = all + 2;
  const struct dc_rollout_cotangent *const *moved = (const struct dc_rollout_cotangent *const *)directions;
  struct dc_design_array by[SLICES], along[SLICES];
  double products[DC_PRODUCT_DIRECTIONS], thirds[DC_PRODUCT_DIRECTIONS];
  struct dc_random random;
  dc_random_seed(&random, seed + 2);
  enum dc_status status = pull_back(plan, direct, whole, error);
  for (int d = 0; d < DC_PRODUCT_DIRECTIONS; d++) {
    list_slices(plan, directions[d], along);
    for (int s = 0; s < SLICES; s++)
      draw(&random, along[s].count, 1, along[s].numbers);
  }
  if (!status)
    status = push_forward(plan, direct, moved, tangents, products, error);
  scale_directions(plan, directions, 1.0 / 3);
  if (!status)
    status = push_forward(plan, direct, moved, tangents, thirds, error);
  if (status)
    return status;
  scale_directions(plan, directions, 3);
  list_slices(plan, whole, by);
  for (int d = 0; d < DC_PRODUCT_DIRECTIONS; d++) {
    double sum = 0, magnitude = 0;
    list_slices(plan, directions[d], along);
    for (int s = 0; s < SLICES; s++)
      for (int i = 0; i < by[s].count; i++) {
        sum += by[s].numbers[i] * along[s].numbers[i];
        magnitude += fabs(by[s].numbers[i] * along[s].numbers[i]);
      }
    double unit = magnitude > 0 ? magnitude : 1;
    check->apart = fmax(check->apart, fabs(products[d] - sum) / unit);
    check->rounding = fmax(check->rounding, fabs(products[d] - 3 * thirds[d]) / unit);
  }
  return DC_OK;
}

// Compares tangent and adjoint at plan->trajectory.
static enum dc_status check_tangent(struct dc_plan *plan, uint64_t seed, struct dc_product_check *check,
                                    struct dc_error *error)
{
  struct dc_rollout_cotangent *all[2 + DC_PRODUCT_DIRECTIONS];
  size_t frames = (size_t)plan->window.steps + 1, nv = (size_t)plan->model->bodies.nv;
  double *tangents = dc_alloc(frames * DC_PRODUCT_DIRECTIONS * nv, sizeof *tangents);
  bool complete = tangents != NULL;
  for (int i = 0; i < 2 + DC_PRODUCT_DIRECTIONS; i++)
    complete &= (all[i] = dc_rollout_cotangent_create(plan->model, plan->window.steps)) != NULL;
  enum dc_status status = complete ? compare_directions(plan, all, tangents, seed, check, error) : no_memory(error);
  for (int i = 0; i < 2 + DC_PRODUCT_DIRECTIONS; i++)
    dc_rollout_cotangent_destroy(all[i]);
  free(tangents);
  return status;
}

// Largest difference between rows, relative to the largest entry of a row, or to the bound of its entries where that is
// known and larger.
static double rows_apart(const struct dc_residual_rows *a, const struct dc_residual_rows *b, const double *bounds)
{
  double worst = 0;
  for (int r = 0; r < a->row_count; r++) {
    const double *x = a->jacobian + (size_t)r * (size_t)a->dimension, *y = b->jacobian + (x - a->jacobian);
    double largest = bounds[r], off = 0;
    for (int i = 0; i < a->dimension; i++) {
      largest = fmax(largest, fabs(x[i]));
      off = fmax(off, fabs(x[i] - y[i]));
    }
    worst = fmax(worst, off > 0 ? off / largest : 0);
  }
  return worst;
}

// Largest difference between two vectors, relative to the largest entry or to the bound `largest`.
static double vectors_apart(const double *a, const double *b, int count, double largest)
{
  double off = 0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, fabs(a[i]));
    off = fmax(off, fabs(a[i] - b[i]));
  }
  return off > 0 ? off / largest : 0;
}

// d of all rows at x + step v; rows is workspace.
static enum dc_status rows_at(struct dc_plan *plan, const double *x, double step, const double *v, double *shifted,
                              struct dc_residual_rows *rows, double *d, struct dc_error *error)
{
  for (int i = 0; i < plan->parameter_count; i++)
    shifted[i] = x[i] + step * v[i];
  enum dc_status status = dc_plan_find_rows(plan, shifted, rows, error);
  for (int g = 0; g < rows->group_count && !status; g++)
    for (int k = 0; k < rows->groups[g].axes; k++)
      *d++ = rows->groups[g].d[k];
  return status;
}

// Workspace of differences: parameters, then rows.
struct differences {
  double *v, *shifted, *exact, *up, *down, *plain, *last_plain, *refined, *last_refined;
  struct dc_residual_rows rows;
  const struct dc_trajectory *centre;
};

// |a - b|, or |a| for b NULL, without overflow.
static double distance_of(const double *a, const double *b, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum = hypot(sum, a[i] - (b ? b[i] : 0));
  return sum;
}

// Makes the last extrapolated difference the one before, and the plain one the last.
static void age(struct differences *of, int count)
{
  memcpy(of->last_plain, of->plain, (size_t)count * sizeof *of->plain);
  memcpy(of->last_refined, of->refined, (size_t)count * sizeof *of->refined);
}

// Central differences at steps that shrink by 4, extrapolated once; of three neighbours that agree best the middle one
// is taken: two may agree by chance where rounding moves both.  Steps whose rollouts are divided differently, or fail,
// are skipped.
static enum dc_status take_differences(struct dc_plan *plan, const double *x, struct differences *of, int count,
                                       struct dc_product_check *check, struct dc_error *error)
{
  // An extrapolated difference D + (D - D_before)/15 has an error of order h^4, for steps in the ratio of 4.
  double size = distance_of(of->exact, NULL, count), step = 0.01, last_change = INFINITY, last_error = INFINITY;
  int known = 0;
  check->spread = INFINITY;
  for (int level = 0; level < LEVELS && size > 0; level++, step /= 4) {
    bool alike = true;
    enum dc_status status = DC_OK;
    for (int side = 0; side < 2 && !status; side++) {
      status = rows_at(plan, x, side ? -step : step, of->v, of->shifted, &of->rows, side ? of->down : of->up, error);
      alike &= !status && dc_trajectory_divided_alike(plan->trajectory, of->centre);
    }
    if (status == DC_MEMORY)
      return status;
    known = alike ? known + 1 : 0;
    if (!alike)
      continue;
    for (int i = 0; i < count; i++) {
      of->plain[i] = (of->up[i] - of->down[i]) / (2 * step);
      of->refined[i] = of->plain[i] + (of->plain[i] - of->last_plain[i]) / 15;
    }
    double change = known > 2 ? distance_of(of->refined, of->last_refined, count) / size : INFINITY;
    double spread = known > 3 ? fmax(change, last_change) : INFINITY;
    if (spread < check->spread) {
      check->spread = spread;
      check->difference_error = last_error;
      check->differences = true;
    }
    last_change = change;
    last_error = distance_of(of->refined, of->exact, count) / size;
    age(of, count);
  }
  return DC_OK;
}

// Compares the Jacobian's product with central differences of the residuals.
static enum dc_status check_differences(struct dc_plan *plan, const double *parameters, uint64_t seed,
                                        const struct dc_residual_rows *rows, struct dc_product_check *check,
                                        struct dc_error *error)
{
  size_t n = (size_t)plan->parameter_count, count = (size_t)rows->row_count;
  struct dc_random random;
  double *numbers = dc_alloc(2 * n + 7 * count, sizeof *numbers), *at = numbers;
  struct dc_trajectory *centre = dc_record_create(plan->model, plan->window.steps);
  if (!numbers || !centre || dc_trajectory_copy(centre, plan->trajectory)) {
    free(numbers);
    dc_trajectory_destroy(centre);
    return no_memory(error);
  }
  struct differences of = {.centre = centre, .v = at, .shifted = at + n};
  double **vectors[7] = {&of.exact, &of.up, &of.down, &of.plain, &of.last_plain, &of.refined, &of.last_refined};
  for (size_t i = 0; i < 7; i++)
    *vectors[i] = at + 2 * n + i * count;
  dc_random_seed(&random, seed + 3);
  draw(&random, (int)n, 1 / sqrt((double)n), of.v);
  for (size_t r = 0; r < count; r++)
    for (size_t i = 0; i < n; i++)
      of.exact[r] += rows->jacobian[r * n + i] * of.v[i];
  enum dc_status status = take_differences(plan, parameters, &of, (int)count, check, error);
  dc_residual_rows_release(&of.rows);
  free(numbers);
  dc_trajectory_destroy(centre);
  return status;
}

// Bound of the entries of the loss's gradient, from bounds of the entries of its rows.
static double gradient_bound(const struct dc_residual_rows *rows, const double *bounds)
{
  double sum = 0;
  for (int g = 0; g < rows->group_count; g++)
    for (int k = 0; k < rows->groups[g].axes; k++)
      sum += 2 * rows->groups[g].weight * fabs(rows->groups[g].e[k]) * bounds[rows->first[g] + k];
  return sum;
}

// Compares J^T r with the gradient, J by rows with J by columns where that is not too much work, and J with
// differences.
static enum dc_status check_jacobian(struct dc_plan *plan, const double *parameters, const double *gradient,
                                     uint64_t seed, struct dc_product_check *check, struct dc_error *error)
{
  struct dc_residual_rows rows = {0}, other = {0};
  bool shapes = plan->model->shapes_change;  // shapes have no forward products
  double *sum = dc_alloc((size_t)plan->parameter_count, sizeof *sum), *bounds = NULL;
  enum dc_status status = sum ? dc_plan_linearize(plan, parameters, DC_PRODUCTS_AUTO, &rows, error) : no_memory(error);
  if (!status && !(bounds = dc_alloc((size_t)rows.row_count, sizeof *bounds)))
    status = no_memory(error);
  if (!status && !shapes)
    status = dc_plan_row_bounds(plan, parameters, bounds, error);
  if (!status) {
    check->rows = true;
    check->row_count = rows.row_count;
    check->column_count = rows.dimension;
    check->forward = rows.forward;
    check->both = rows.forward ? rows.row_count <= MOST_ROWS : rows.dimension <= MOST_COLUMNS;
    check->both &= !shapes;
    dc_residual_gradient(&rows, sum);
    check->gradient_apart = vectors_apart(gradient, sum, plan->parameter_count, gradient_bound(&rows, bounds));
  }
  if (!status && check->both) {
    status =
        dc_plan_linearize(plan, parameters, rows.forward ? DC_PRODUCTS_REVERSE : DC_PRODUCTS_FORWARD, &other, error);
    check->ways_apart = status ? 0 : rows_apart(&rows, &other, bounds);
  }
  if (!status && plan->parameter_count)
    status = check_differences(plan, parameters, seed, &rows, check, error);
  dc_residual_rows_release(&rows);
  dc_residual_rows_release(&other);
  free(sum);
  free(bounds);
  return status;
}

enum dc_status dc_product_check(struct dc_plan *plan, const double *parameters, uint64_t seed,
                                struct dc_product_check *check, struct dc_error *error)
{
  double loss, *gradient = dc_alloc((size_t)plan->parameter_count, sizeof *gradient);
  *check = (struct dc_product_check){0};
  enum dc_status status = gradient ? dc_plan_evaluate(plan, parameters, &loss, gradient, error) : no_memory(error);
  if (!status)
    status = check_tangent(plan, seed, check, error);
  if (!status && dc_plan_row_count(plan) > 0)
    status = check_jacobian(plan, parameters, gradient, seed, check, error);
  free(gradient);
  return status;
}
