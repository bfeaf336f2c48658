// SPDX-License-Identifier: Apache-2.0
// dcsim_gradcheck: the adjoint's gradient against central differences, the order of Taylor remainders, and the products
// of the Jacobian against each other.
//
// Every parameter gets one of four verdicts:
//   it agrees within the tolerance;
//   it is off, whatever the step of the difference;
//   it is not conclusive: the differences' spread over steps is a tenth of the error or more;
//   it straddles: steps are divided differently at both ends, where the loss jumps.
// The command objects to a gradient that is off, and to one that no difference confirms.
#include <math.h>
#include <stdio.h>

#include "api/internal.h"
#include "plan/gradient_check.h"
#include "plan/plan_memory.h"

static const double DEFAULT_TOLERANCE = 1e-6;

// Results of the differences of a gradient.
struct verdicts {
  int off;         // by more than the tolerance, whatever the step
  int unclear;     // so are differences with other steps from this one
  int straddling;  // there is no difference of one smooth function
  bool products;   // tangent, adjoint and Jacobian do not agree
};

// Both ways are the same sums in another order: they may differ by this part of the tolerance of differences.
static const double PRODUCTS_TOLERANCE = 1e-3;
static const double ROUNDINGS = 10;  // times the rounding of a product that two ways to it may be apart

// The verdict about one parameter, by the head comment; the words stand behind the parameter's line.
static const char *judge_difference(const struct dc_gradient_difference *entry, double tolerance,
                                    struct verdicts *verdicts)
{
  if (entry->straddles) {
    verdicts->straddling++;
    return "  (straddles a change of division)";
  }
  if (entry->relative_error <= tolerance)
    return "";
  if (entry->spread < 0.1 * entry->relative_error) {
    verdicts->off++;
    return "";
  }
  verdicts->unclear++;
  return "  (not conclusive)";
}

// A line of the table and an object of "checks"; mark: the verdict in words behind the line.
static void describe_difference(const struct dc_gradient_difference *entry, const char *mark, struct dc_text *text,
                                struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  char name[200], unit[64];
  dc_unit_text(entry->unit, entry->scale, unit, sizeof unit);
  snprintf(name, sizeof name, unit[0] ? "%s [%s]" : "%s", entry->parameter, unit);
  dc_json_put_string(json, "parameter", entry->parameter);
  dc_json_put_string(json, "unit", entry->unit);
  DC_JSON_NUMBERS(json, {"scale", entry->scale}, {"adjoint", entry->adjoint}, {"finite_difference", entry->difference},
                  {"relative_error", entry->relative_error}, {"step", entry->step}, {"spread", entry->spread});
  dc_json_put_boolean(json, "straddles", entry->straddles);
  dc_json_put_integer(json, "steps_passed_over", entry->passed_over);
  dc_json_end(json, "}");
  if (entry->straddles)
    dc_text_add(text, "%-40s %14.6e %14s %10s%s\n", name, entry->adjoint, "-", "-", mark);
  else
    dc_text_add(text, "%-40s %14.6e %14.6e %10.1e%s\n", name, entry->adjoint, entry->difference, entry->relative_error,
                mark);
}

// Steps that were divided, and differences that divisions have spoiled.
static void describe_divisions(const struct dc_gradient_check *check, struct dc_text *text, struct dc_json_writer *json)
{
  int passed_over = 0;
  for (int i = 0; i < check->count; i++)
    passed_over += check->checks[i].passed_over;
  DC_JSON_NUMBERS(json, {"divided_steps", check->divided_steps}, {"straddling", check->straddling},
                  {"taylor_straddling", check->taylor_straddling});
  if (check->divided_steps)
    dc_text_add(text, "%d of %d steps are divided\n", check->divided_steps, check->steps);
  if (passed_over)
    dc_text_add(text, "note: %d difference%s passed over for smaller ones: steps are divided otherwise at an end\n",
                passed_over, passed_over == 1 ? " was" : "s were");
  if (check->straddling)
    dc_text_add(text, "note: %d of %d parameters have no difference that does not straddle a change of division\n",
                check->straddling, check->count);
  if (check->taylor_straddling)
    dc_text_add(text, "note: %d of %d directions have no Taylor order for changes of division\n",
                check->taylor_straddling, DC_TAYLOR_DIRECTIONS);
}

// Compares products of derivatives: tangent with adjoint, the Jacobian both ways and with differences, and 2 J^T W e
// with the gradient.
static void describe_products(const struct dc_product_check *check, double tolerance, struct verdicts *verdicts,
                              struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "products", '{');
  dc_json_put_number(json, "tangent_adjoint", check->apart);
  dc_json_put_number(json, "rounding", check->rounding);
  dc_text_add(text, "tangent and adjoint agree to %.1e, to rounding %.1e\n", check->apart, check->rounding);
  if (check->rows) {
    dc_json_put_integer(json, "rows", check->row_count);
    dc_json_put_integer(json, "columns", check->column_count);
    dc_json_put_string(json, "way", check->forward ? "forward" : "reverse");
    DC_JSON_NUMBERS(json, {"both_ways", check->both ? check->ways_apart : NAN}, {"gradient", check->gradient_apart},
                    {"differences", check->differences ? check->difference_error : NAN},
                    {"spread", check->differences ? check->spread : NAN});
    dc_text_add(text, "Jacobian of %d row%s and %d parameter%s (%s): 2 J^T W e agrees with the gradient to %.1e",
                check->row_count, dc_plural(check->row_count), check->column_count, dc_plural(check->column_count),
                check->forward ? "forward" : "reverse", check->gradient_apart);
    if (check->both)
      dc_text_add(text, ", the other way to %.1e", check->ways_apart);
    if (check->differences)
      dc_text_add(text, ", differences to %.1e%s", check->difference_error,
                  check->difference_error > tolerance && check->spread > 0.1 * check->difference_error
                      ? " (not conclusive)"
                      : "");
    dc_text_add(text, "\n");
  }
  dc_json_end(json, "}");
  double most = PRODUCTS_TOLERANCE * tolerance;
  verdicts->products =
      !(check->apart <= fmax(most, ROUNDINGS * check->rounding)) || !(check->ways_apart <= most) || !(check->gradient_apart <= most) ||
      (check->differences && check->difference_error > tolerance && check->spread < 0.1 * check->difference_error);
}

// NULL: those differences that there are agree with the gradient.
// The order is that of certainty: a gradient that is off, products that disagree, and only then differences that
// prove nothing.
static const char *objection(const struct verdicts *verdicts, int count)
{
  if (verdicts->off)
    return "the gradient is off by more than the tolerance";
  if (verdicts->products)
    return "products of derivatives do not agree";
  if (verdicts->unclear)
    return "the gradient cannot be confirmed: differences are not conclusive here";
  if (count > 0 && verdicts->straddling == count)
    return "the gradient cannot be confirmed: all differences straddle a change of division";
  return NULL;
}

// Returns the objection.
// The adjoint is not blamed where the contact model has kinks: the status says so, while the verdict stands. Taylor
// orders are those in h of |L(p + h d) - L(p) - h g.d| along random directions d, 2 for a gradient g that is right.
static const char *describe_check(const struct dc_contact_model *model, const struct dc_gradient_check *check,
                                  double tolerance, struct dc_text *text, struct dc_json_writer *json)
{
  struct verdicts counts = {0}, *verdicts = &counts;
  bool smooth = model->flags & DC_CONTACT_TWICE_DIFFERENTIABLE;
  dc_json_begin(json, NULL, '{');
  dc_json_put_number(json, "loss", check->loss);
  dc_json_begin(json, "checks", '[');
  dc_text_add(text, "%-40s %14s %14s %10s\n", "parameter", "adjoint", "difference", "error");
  for (int i = 0; i < check->count; i++)
    describe_difference(&check->checks[i], judge_difference(&check->checks[i], tolerance, verdicts), text, json);
  dc_json_end(json, "]");
  dc_json_put_number(json, "max_relative_error", check->max_relative_error);
  dc_json_put_numbers(json, "taylor_orders", check->taylor_orders, check->taylor_count);
  dc_text_add(text, "largest relative error %.2e (tolerance %.1e)\nTaylor orders:", check->max_relative_error,
              tolerance);
  for (int i = 0; i < check->taylor_count; i++)
    dc_text_add(text, " %.3f", check->taylor_orders[i]);
  dc_text_add(text, "%s\n", check->taylor_count ? "" : " none above rounding");
  describe_divisions(check, text, json);
  describe_products(&check->products, tolerance, verdicts, text, json);
  const char *verdict = objection(verdicts, check->count);
  const char *status = !smooth       ? "the contact model is not twice differentiable everywhere: the adjoint and "
                                       "differences need not agree"
                       : verdict     ? verdict
                       : check->flat ? "the gradient is exactly zero"
                       : check->taylor_count      ? "ok"
                       : check->taylor_straddling ? "the Taylor test straddles changes of division"
                                                  : "the Taylor remainder is below rounding";
  if (!smooth)
    dc_text_add(text, "note: %s\n", status);
  if (verdicts->unclear)
    dc_text_add(
        text,
        "note: %d difference%s not conclusive: other steps give other results, so the loss is not smooth at "
        "the scale of the steps (exactly aligned faces, a collision that may go either way)\n",
        verdicts->unclear, verdicts->unclear == 1 ? " is" : "s are");
  dc_json_put_integer(json, "not_conclusive", verdicts->unclear);
  dc_json_put_boolean(json, "confirmed", !verdict);
  dc_json_put_string(json, "status", status);
  dc_json_end(json, "}");
  return verdict;
}

// Order of the checks: a refinement and a model without adjoint are refused, since there is no gradient; then
// memory is estimated before anything is made; then the start is checked as a run would.  A gradient that fails
// is status 1 with a full report, not an error without one.
// steps <= 0, or more than the scene has: all of them. tolerance <= 0: DEFAULT_TOLERANCE, relative. seed: of the
// directions of the Taylor test and of the products.
int dcsim_gradcheck(const dcsim_scene *scene, int steps, uint64_t seed, double tolerance, dcsim_report *report,
                    dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  struct dc_gradient_check check;
  const struct dc_scene *s = scene->scene;
  int all = dc_api_optimized_steps(s);
  if (tolerance <= 0)
    tolerance = DEFAULT_TOLERANCE;
  if (s->refinement.given) {
    dc_fail(&local, DC_BAD_INPUT, "%.300s: the derivatives of a refinement are smoothed: they are no gradient to check",
            s->path);
    return dc_api_fail(error, &local, DC_BAD_INPUT);
  }
  if (!dc_model_has_adjoint(&s->model)) {
    dc_fail(&local, DC_BAD_INPUT, "%.300s: the contact model \"%s\" has no adjoint that could be checked", s->path,
            s->definition.contact_model->name);
    return dc_api_fail(error, &local, DC_BAD_INPUT);
  }
  if (steps <= 0 || steps > all)
    steps = all;
  enum dc_status status =
      dc_api_check_memory(s, dc_rollout_bytes(&s->model) + dc_plan_bytes(&s->model, &s->task, steps), &local);
  if (status)
    return dc_api_fail(error, &local, status);
  struct dc_plan *plan = dc_plan_create(&s->model, &s->task, steps, &local);
  if (!plan)
    return dc_api_fail(error, &local, local.status);
  status = dc_api_check_start(s, plan, &local);
  if (!status)
    status = dc_api_check_gradient(s, plan, &local);
  if (!status)
    status = dc_gradient_check(plan, plan->parameters, seed, &check, &local);
  dc_plan_destroy(plan);
  if (status)
    return dc_api_fail(error, &local, status);
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  const char *verdict = describe_check(s->definition.contact_model, &check, tolerance, &text, &json);
  int outside = dc_api_report(report, &text, &json, error);
  if (!outside && verdict) {
    dc_fail(&local, DC_UNMET, "%s", verdict);
    return dc_api_fail(error, &local, DC_UNMET);
  }
  return outside;
}
