// SPDX-License-Identifier: Apache-2.0
// Looking into a scene: gradient check, probe, check.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "api/refine.h"
#include "base/memory_limit.h"
#include "math/vector.h"
#include "plan/gradient_check.h"
#include "plan/plan_memory.h"

static const double DEFAULT_TOLERANCE = 1e-6;

// Steps that an optimizer sees at a time.
static int optimized_steps(const struct dc_scene *scene)
{
  long all = scene->definition.time.steps;
  return (int)(scene->horizon_given && scene->horizon.length < all ? scene->horizon.length : all);
}

// ---- gradcheck

// What differences say about a gradient.
struct verdicts {
  int off;         // by more than the tolerance, whatever the step
  int unclear;     // so are differences with other steps from this one
  int straddling;  // there is no difference of one smooth function
  bool products;   // tangent, adjoint and Jacobian do not agree
};

// Both ways are the same sums in another order: they may differ by this part of the tolerance of differences.
static const double PRODUCTS_TOLERANCE = 1e-3;

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

static void describe_difference(const struct dc_gradient_difference *entry, const char *mark, struct dc_text *text,
                                struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "parameter", entry->parameter);
  dc_json_put_number(json, "adjoint", entry->adjoint);
  dc_json_put_number(json, "finite_difference", entry->difference);
  dc_json_put_number(json, "relative_error", entry->relative_error);
  dc_json_put_number(json, "step", entry->step);
  dc_json_put_number(json, "spread", entry->spread);
  dc_json_put_boolean(json, "straddles", entry->straddles);
  dc_json_put_integer(json, "steps_passed_over", entry->passed_over);
  dc_json_end(json, '}');
  if (entry->straddles)
    dc_text_add(text, "%-32s %14.6e %14s %10s%s\n", entry->parameter, entry->adjoint, "-", "-", mark);
  else
    dc_text_add(text, "%-32s %14.6e %14.6e %10.1e%s\n", entry->parameter, entry->adjoint, entry->difference,
                entry->relative_error, mark);
}

static void describe_divisions(const struct dc_gradient_check *check, struct dc_text *text, struct dc_json_writer *json)
{
  int passed_over = 0;
  for (int i = 0; i < check->count; i++)
    passed_over += check->checks[i].passed_over;
  dc_json_put_integer(json, "divided_steps", check->divided_steps);
  dc_json_put_integer(json, "straddling", check->straddling);
  dc_json_put_integer(json, "taylor_straddling", check->taylor_straddling);
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

static void describe_products(const struct dc_product_check *check, double tolerance, struct verdicts *verdicts,
                              struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "products", '{');
  dc_json_put_number(json, "tangent_adjoint", check->apart);
  dc_text_add(text, "tangent and adjoint agree to %.1e\n", check->apart);
  if (check->rows) {
    dc_json_put_integer(json, "rows", check->row_count);
    dc_json_put_integer(json, "columns", check->column_count);
    dc_json_put_string(json, "way", check->forward ? "forward" : "reverse");
    dc_json_put_number(json, "both_ways", check->both ? check->ways_apart : NAN);
    dc_json_put_number(json, "gradient", check->gradient_apart);
    dc_json_put_number(json, "differences", check->differences ? check->difference_error : NAN);
    dc_json_put_number(json, "spread", check->differences ? check->spread : NAN);
    dc_text_add(text, "Jacobian of %d rows and %d parameters (%s): 2 J^T W e agrees with the gradient to %.1e",
                check->row_count, check->column_count, check->forward ? "forward" : "reverse", check->gradient_apart);
    if (check->both)
      dc_text_add(text, ", the other way to %.1e", check->ways_apart);
    if (check->differences)
      dc_text_add(text, ", differences to %.1e%s", check->difference_error,
                  check->difference_error > tolerance && check->spread > 0.1 * check->difference_error
                      ? " (not conclusive)"
                      : "");
    dc_text_add(text, "\n");
  }
  dc_json_end(json, '}');
  double most = PRODUCTS_TOLERANCE * tolerance;
  verdicts->products =
      !(check->apart <= most) || !(check->ways_apart <= most) || !(check->gradient_apart <= most) ||
      (check->differences && check->difference_error > tolerance && check->spread < 0.1 * check->difference_error);
}

static void describe_check(const struct dc_contact_model *model, const struct dc_gradient_check *check,
                           double tolerance, struct verdicts *verdicts, struct dc_text *text,
                           struct dc_json_writer *json)
{
  bool smooth = model->flags & DC_CONTACT_TWICE_DIFFERENTIABLE;
  dc_json_begin(json, NULL, '{');
  dc_json_put_number(json, "loss", check->loss);
  dc_json_begin(json, "checks", '[');
  dc_text_add(text, "%-32s %14s %14s %10s\n", "parameter", "adjoint", "difference", "error");
  for (int i = 0; i < check->count; i++)
    describe_difference(&check->checks[i], judge_difference(&check->checks[i], tolerance, verdicts), text, json);
  dc_json_end(json, ']');
  dc_json_put_number(json, "max_relative_error", check->max_relative_error);
  dc_json_put_numbers(json, "taylor_orders", check->taylor_orders, check->taylor_count);
  dc_text_add(text, "largest relative error %.2e (tolerance %.1e)\nTaylor orders:", check->max_relative_error,
              tolerance);
  for (int i = 0; i < check->taylor_count; i++)
    dc_text_add(text, " %.3f", check->taylor_orders[i]);
  const char *status = !smooth       ? "the contact model is not twice differentiable everywhere: the adjoint and "
                                       "differences need not agree"
                       : check->flat ? "the gradient is exactly zero"
                       : check->taylor_count      ? "ok"
                       : check->taylor_straddling ? "the Taylor test straddles changes of division"
                                                  : "the Taylor remainder is below rounding";
  dc_text_add(text, "%s\n", check->taylor_count ? "" : " none above rounding");
  describe_divisions(check, text, json);
  describe_products(&check->products, tolerance, verdicts, text, json);
  if (!smooth)
    dc_text_add(text, "note: %s\n", status);
  if (verdicts->unclear)
    dc_text_add(
        text,
        "note: %d difference%s not conclusive: with other steps it comes out otherwise, so the loss is not smooth at "
        "the scale of the steps (exactly aligned faces, a collision that may go either way)\n",
        verdicts->unclear, verdicts->unclear == 1 ? " is" : "s are");
  dc_json_put_integer(json, "not_conclusive", verdicts->unclear);
  dc_json_put_string(json, "status", status);
  dc_json_end(json, '}');
}

// NULL: those differences that there are agree with the gradient.
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

int dcsim_gradcheck(const dcsim_scene *scene, int steps, uint64_t seed, double tolerance, dcsim_report *report,
                    dcsim_error *error)
{
  struct dc_error local = {0};
  struct dc_gradient_check check;
  const struct dc_scene *s = scene->scene;
  int all = optimized_steps(s);
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
    status = dc_gradient_check(plan, plan->parameters, seed, &check, &local);
  dc_plan_destroy(plan);
  if (status)
    return dc_api_fail(error, &local, status);
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  struct verdicts verdicts = {0};
  describe_check(s->definition.contact_model, &check, tolerance, &verdicts, &text, &json);
  const char *verdict = objection(&verdicts, check.count);
  int outside = dc_api_report(report, &text, &json, error);
  if (!outside && verdict) {
    dc_fail(&local, DC_UNMET, "%s", verdict);
    return dc_api_fail(error, &local, DC_UNMET);
  }
  return outside;
}

void dc_api_add_gap(struct dc_text *text, const char *what, int digits, double gap)
{
  if (isfinite(gap))
    dc_text_add(text, "smallest %s %.*g m", what, digits, gap);
  else
    dc_text_add(text, "no two bodies can meet");
}

// ---- probe and check share one evaluation of the contact at the initial state.

struct start {
  struct dc_plan *plan;
  struct dc_contact *contact;
  struct dc_pose *poses;
  struct dc_pair_derivatives *pairs;
  double energy;
  double (*wrenches)[6];  // force N and torque N m about the centre of mass, minus the gradient of stiffness * P
  double *far;            // force from movable bodies only, N [bodies]
  double gap;             // smallest, m
};

static void close_start(struct start *start)
{
  dc_plan_destroy(start->plan);
  free(start->poses);
  free(start->pairs);
  free(start->wrenches);
  free(start->far);
}

static void sum_wrenches(const struct dc_scene *scene, struct start *start)
{
  if (scene->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return;  // no field between distant bodies
  const struct dc_bodies *bodies = &scene->model.bodies;
  double mu = scene->definition.contact.stiffness;
  double(*far)[3] = dc_alloc((size_t)bodies->count, sizeof *far);
  for (int p = 0; p < start->plan->pair_count; p++) {
    const int *pair = dc_contact_pairs(start->contact)[p];
    bool movable = dc_body_moves(&bodies->bodies[pair[1]]);
    double gradient[12];
    dc_contact_expand_gradient(&start->pairs[p], gradient);
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 3; k++) {
        double *wrench = start->wrenches[pair[side]];
        wrench[k] -= mu * gradient[6 * side + 3 + k];
        wrench[3 + k] -= mu * gradient[6 * side + k];
        if (movable && far)
          far[pair[side]][k] -= mu * gradient[6 * side + 3 + k];
      }
  }
  for (int i = 0; i < bodies->count && far; i++)
    start->far[i] = dc_vec_norm(far[i]);
  free(far);
}

static enum dc_status open_start(const struct dc_scene *scene, struct start *start, struct dc_error *error)
{
  size_t bodies = (size_t)scene->model.bodies.count;
  start->plan = dc_plan_create(&scene->model, &scene->task, 0, error);
  if (!start->plan)
    return error->status;
  start->contact = dc_rollout_contact(start->plan->rollout);
  start->poses = dc_alloc(bodies, sizeof *start->poses);
  start->pairs = dc_alloc((size_t)start->plan->pair_count, sizeof *start->pairs);
  start->wrenches = dc_alloc(bodies, sizeof *start->wrenches);
  start->far = dc_alloc(bodies, sizeof *start->far);
  if (!start->poses || !start->pairs || !start->wrenches || !start->far)
    return dc_fail(error, DC_MEMORY, "out of memory for contact");
  start->gap = INFINITY;
  if (scene->refinement.given)
    return DC_OK;  // no forces, and bodies may overlap
  enum dc_status status = dc_api_check_start(scene, start->plan, error);
  if (status)
    return status;
  dc_poses(&scene->model.bodies, start->plan->input->q, start->poses);
  start->energy = dc_contact_evaluate(start->contact, start->poses, 1, start->pairs);
  if (isnan(start->energy))
    return dc_fail(error, DC_MEMORY, "out of memory for contact pairs");
  start->gap = dc_contact_min_gap(start->contact);
  sum_wrenches(scene, start);
  return DC_OK;
}

static void describe_probe(const struct dc_scene *scene, const struct start *start, struct dc_text *text,
                           struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double mu = scene->definition.contact.stiffness, gap = start->gap;
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "model", scene->definition.contact_model->name);
  dc_json_put_number(json, "energy", mu * start->energy);
  dc_json_put_number(json, "min_gap", gap);
  dc_text_add(text, "model %s: energy %.6g J, ", scene->definition.contact_model->name, mu * start->energy);
  dc_api_add_gap(text, "gap", 4, gap);
  dc_text_add(text, "\n");
  dc_json_begin(json, "bodies", '{');
  for (int i = 0; i < bodies->count; i++) {
    const double *w = start->wrenches[i];
    dc_json_begin(json, bodies->bodies[i].name, '{');
    dc_json_put_numbers(json, "force", w, 3);
    dc_json_put_numbers(json, "torque", w + 3, 3);
    dc_json_end(json, '}');
    dc_text_add(text, "  %-16s force %11.4e %11.4e %11.4e N   torque %11.4e %11.4e %11.4e N m\n",
                bodies->bodies[i].name, w[0], w[1], w[2], w[3], w[4], w[5]);
  }
  dc_json_end(json, '}');
  dc_json_begin(json, "pairs", '[');
  for (int p = 0; p < start->plan->pair_count; p++) {
    const int *pair = dc_contact_pairs(start->contact)[p];
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "a", bodies->bodies[pair[0]].name);
    dc_json_put_string(json, "b", bodies->bodies[pair[1]].name);
    dc_json_put_number(json, "gap", dc_contact_pair_gap(start->contact, p));
    dc_json_put_number(json, "energy", mu * start->pairs[p].energy);
    dc_json_end(json, '}');
  }
  dc_json_end(json, ']');
  struct dc_contact_counts counts = dc_contact_last_counts(start->contact);
  dc_json_begin(json, "counts", '{');
  dc_json_put_integer(json, "exact", counts.exact);
  dc_json_put_integer(json, "centred", counts.centred);
  dc_json_put_integer(json, "visited", counts.visited);
  dc_json_end(json, '}');
  dc_json_end(json, '}');
  dc_text_add(text, "  %d body pairs: %ld exact triangle pairs, %ld centred terms, %ld node pairs visited\n",
              start->plan->pair_count, counts.exact, counts.centred, counts.visited);
}

static void describe_shapes(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "shapes", '{');
  for (int i = 0; i < scene->definition.shape_count; i++) {
    const struct dc_shape *shape = &scene->shapes[i];
    dc_json_begin(json, shape->name, '{');
    dc_json_put_string(json, "type", shape->type->name);
    dc_json_put_integer(json, "vertices", shape->mesh.vertex_count);
    dc_json_put_integer(json, "triangles", shape->mesh.triangle_count);
    dc_json_put_number(json, "volume", shape->properties.volume);
    dc_json_put_number(json, "surface_area", shape->properties.surface_area);
    dc_json_end(json, '}');
    dc_text_add(text, "  shape %-14s %-9s %6d triangles, volume %.4g m^3, surface %.4g m^2\n", shape->name,
                shape->type->name, shape->mesh.triangle_count, shape->properties.volume,
                shape->properties.surface_area);
  }
  dc_json_end(json, '}');
}

// How many convex hulls the body is made of, and of how many vertices.
static void describe_hulls(const struct dc_shape *shape, struct dc_text *text, struct dc_json_writer *json)
{
  int least = 0, most = 0;
  dc_json_begin(json, "hulls", '[');
  for (int i = 0; i < shape->part_count; i++) {
    int count = shape->parts[i].vertex_count;
    dc_json_put_integer(json, NULL, count);
    least = i == 0 || count < least ? count : least;
    most = count > most ? count : most;
  }
  dc_json_end(json, ']');
  if (!dc_shape_has_surface(shape))
    dc_text_add(text, "\n");
  else if (shape->part_count == 0)
    dc_text_add(text, ", not convex\n");
  else if (least == most)
    dc_text_add(text, ", %d convex hull%s of %d vertices\n", shape->part_count, shape->part_count == 1 ? "" : "s",
                most);
  else
    dc_text_add(text, ", %d convex hulls of %d to %d vertices\n", shape->part_count, least, most);
}

// What a refinement lets others pass through: bodies that are no unions of convex parts, half-spaces among them.
static void note_passed_through(const struct dc_scene *scene, struct dc_text *text)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (int i = 0; i < bodies->count && scene->refinement.settings.penetration > 0; i++)
    if (bodies->collide[i] && bodies->bodies[i].shape->part_count == 0)
      dc_text_add(text, "  note: overlaps with \"%s\" do not count, as it is no union of convex parts\n",
                  bodies->bodies[i].name);
}

// What a run of the scene needs; nothing for a refinement, whose memory is that of its bodies.
static void describe_memory(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json)
{
  struct dc_memory_limit limit = dc_memory_limit();
  double simulate = dc_api_run_bytes(scene, false, false), optimize = dc_api_run_bytes(scene, true, false);
  dc_json_begin(json, "memory", '{');
  dc_json_put_number(json, "simulate", simulate);
  dc_json_put_number(json, "optimize", optimize);
  dc_json_put_number(json, "limit", limit.bytes);
  dc_json_put_string(json, "limited_by", limit.name);
  dc_json_end(json, '}');
  char one[32], other[32];
  dc_text_add(text, "  memory for a run: about %s to simulate, %s to optimize\n", dc_api_format_bytes(simulate, one),
              dc_api_format_bytes(optimize, other));
}

static void describe_scene(const struct dc_scene *scene, const struct start *start, struct dc_text *text,
                           struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double gap = start->gap, largest = 0;
  int parameters = dc_task_parameter_count(&scene->task, &scene->model, optimized_steps(scene));
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", scene->name);
  dc_text_add(text, "%s: %d bodies, %d degrees of freedom, ", scene->name, bodies->count, bodies->nv);
  if (scene->refinement.given)
    dc_text_add(text, "a refinement of %d pairs\n", scene->refinement.pairs.count);
  else
    dc_text_add(text, "%ld steps of %g s, model %s\n", scene->definition.time.steps, scene->definition.time.step,
                scene->definition.contact_model->name);
  describe_shapes(scene, text, json);
  dc_json_begin(json, "bodies", '{');
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    bool movable = dc_body_moves(body);
    double acceleration = movable ? start->far[i] / body->mass : 0;
    largest = fmax(largest, acceleration);
    dc_json_begin(json, body->name, '{');
    dc_json_put_string(json, "joint", body->joint_name);
    dc_json_put_number(json, "mass", body->mass);
    dc_json_put_number(json, "far_field_acceleration", acceleration);
    if (movable)
      dc_text_add(text,
                  "  body  %-14s %-9s mass %.4g kg, radius %.4g m, acceleration by the other bodies' field %.2e m/s^2",
                  body->name, body->shape->name, body->mass, body->radius, acceleration);
    else
      dc_text_add(text, "  body  %-14s %-9s fixed", body->name, body->shape->name);
    describe_hulls(body->shape, text, json);
    dc_json_end(json, '}');
  }
  dc_json_end(json, '}');
  dc_json_put_number(json, "min_gap", gap);
  dc_json_put_number(json, "far_field_acceleration", largest);
  dc_json_put_integer(json, "parameters", parameters);
  dc_json_put_integer(json, "objectives", scene->task.objective_count);
  if (scene->refinement.given) {
    note_passed_through(scene, text);
  } else {
    dc_text_add(text, "  ");
    dc_api_add_gap(text, "initial gap", 4, gap);
    dc_text_add(text, "; largest acceleration by distant bodies %.2e m/s^2\n  %d control parameters, %d objectives\n",
                largest, parameters, scene->task.objective_count);
    describe_memory(scene, text, json);
  }
  dc_json_end(json, '}');
  if (scene->skipped_visuals)
    dc_text_add(text, "  note: %d <visual> of included robots left out (no closed OBJ or STL surface, or on no body)\n",
                scene->skipped_visuals);
  if (bodies->nv == 0)
    dc_text_add(text, "  note: nothing in this scene can move\n");
}

typedef void describe(const struct dc_scene *scene, const struct start *start, struct dc_text *text,
                      struct dc_json_writer *json);

static int inspect(const dcsim_scene *scene, describe *describe_it, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  struct start start = {0};
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  enum dc_status status = open_start(scene->scene, &start, &local);
  if (!status)
    describe_it(scene->scene, &start, &text, &json);
  close_start(&start);
  return status ? dc_api_fail(error, &local, status) : dc_api_report(report, &text, &json, error);
}

int dcsim_probe(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error)
{
  const struct dc_contact_model *model = scene->scene->definition.contact_model;
  struct dc_error local = {0};
  if (scene->scene->refinement.given)
    return dc_api_probe_refinement(scene, report, error);
  if (model->flags & DC_CONTACT_FOREIGN) {
    dc_fail(&local, DC_BAD_INPUT, "model %s has no contact potential to probe", model->name);
    return dc_api_fail(error, &local, DC_BAD_INPUT);
  }
  return inspect(scene, describe_probe, report, error);
}

int dcsim_check(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  int outside = inspect(scene, describe_scene, report, error);
  if (outside || scene->scene->refinement.given)
    return outside;
  double bytes = fmin(dc_api_run_bytes(scene->scene, false, false), dc_api_run_bytes(scene->scene, true, false));
  enum dc_status status = dc_api_check_memory(scene->scene, bytes, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}
