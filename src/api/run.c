// SPDX-License-Identifier: Apache-2.0
// Simulation and optimization with a run directory.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/clock.h"
#include "contact/lane_kernels.h"
#include "io/run.h"
#include "math/libraries.h"
#include "render/render.h"

// Everything a run holds; zero-initialized.
struct session {
  const dcsim_scene *scene;
  const dcsim_run_options *options;
  struct dc_plan *plan;
  struct dc_run *run;  // NULL: nothing is written
  double start, first_loss, best_loss;
  char started[32];
  bool optimizing;
  enum dc_status row_status;  // of writing loss.csv
  bool stopped, blocked;
  int stop_status;  // what the progress function returned; 0 when the time limit stopped the run
  struct dc_error error;
};

// The run directory: as asked for, or runs/<name>-<UTC time>.
static enum dc_status open_run(struct session *session, dcsim_result *result)
{
  const char *asked = session->options->directory;
  if (asked && strcmp(asked, "none") == 0)
    return DC_OK;
  char made[900];
  if (!asked) {
    char stamp[32];
    dc_utc_compact_stamp(stamp, sizeof stamp);
    snprintf(made, sizeof made, "runs/%.200s-%s", session->scene->scene->name, stamp);
    asked = made;
  }
  enum dc_status status = dc_run_create(asked, session->scene->scene, &session->run, &session->error);
  if (!status)
    snprintf(result->directory, sizeof result->directory, "%s", asked);
  return status;
}

// Initial parameters: the scene's, or those of an earlier run of the same controls.
static enum dc_status take_controls(struct session *session)
{
  const char *earlier = session->options->control_run;
  if (!earlier)
    return DC_OK;
  struct dc_stored_trajectory stored = {0};
  enum dc_status status = dc_run_read_trajectory(earlier, session->scene->scene, &stored, &session->error);
  if (!status && stored.control_count != session->plan->parameter_count)
    status = dc_fail(&session->error, DC_BAD_INPUT, "%s: holds %d control parameters, the scene has %d", earlier,
                     stored.control_count, session->plan->parameter_count);
  if (!status && stored.control_count)
    memcpy(session->plan->parameters, stored.control, (size_t)stored.control_count * sizeof(double));
  dc_arena_destroy(stored.arena);
  return status;
}

static bool observe(void *context, const struct dc_plan_iteration *iteration)
{
  struct session *session = context;
  double seconds = dc_seconds() - session->start;
  if (iteration->iteration == 0)
    session->first_loss = session->best_loss = iteration->loss;
  session->best_loss = fmin(session->best_loss, iteration->loss);
  if (session->run) {
    struct dc_run_row row = {.iteration = iteration->iteration,
                             .loss = iteration->loss,
                             .gradient_norm = iteration->gradient_norm,
                             .newton_iterations = iteration->newton_iterations,
                             .min_gap = iteration->min_gap,
                             .best = iteration->best,
                             .seconds = seconds,
                             .parameter_count = session->plan->parameter_count,
                             .parameters = iteration->parameters};
    session->row_status = dc_run_add_row(session->run, &row, &session->error);
    if (session->row_status)
      return false;
  }
  const dcsim_run_options *options = session->options;
  if (options->progress) {
    const struct dc_optimizer_common *common = session->scene->scene->optimizer_options;
    dcsim_progress progress = {.iteration = iteration->iteration,
                               .iterations = session->optimizing ? (int)common->iterations : 0,
                               .loss = iteration->loss,
                               .best_loss = session->best_loss,
                               .gradient_norm = iteration->gradient_norm,
                               .min_gap = iteration->min_gap,
                               .seconds = seconds,
                               .is_best = iteration->best,
                               .backed_off = iteration->backed_off};
    session->stop_status = options->progress(options->progress_context, &progress);
    session->stopped = session->stop_status != 0;
  }
  if (options->max_seconds > 0 && seconds >= options->max_seconds)
    session->stopped = true;
  return !session->stopped;
}

// One rollout with its loss, reported as iteration 0.
static enum dc_status simulate(struct session *session)
{
  struct dc_plan *plan = session->plan;
  double loss, gap = INFINITY;
  enum dc_status status = dc_plan_evaluate(plan, plan->parameters, &loss, NULL, &session->error);
  if (status)
    return status;
  size_t bytes = (size_t)plan->parameter_count * sizeof(double);
  memcpy(plan->first_parameters, plan->parameters, bytes);
  memcpy(plan->best_parameters, plan->parameters, bytes);
  dc_trajectory_copy(plan->first, plan->trajectory, plan->pair_count);
  dc_trajectory_copy(plan->best, plan->trajectory, plan->pair_count);
  for (int k = 0; k <= plan->steps; k++)
    gap = fmin(gap, plan->trajectory->min_gap[k]);
  struct dc_plan_iteration iteration = {.loss = loss,
                                        .gradient_norm = NAN,
                                        .min_gap = gap,
                                        .best = true,
                                        .newton_iterations = plan->newton_iterations,
                                        .parameters = plan->parameters};
  observe(session, &iteration);
  return session->row_status;
}

static void put_objectives(const struct session *session, struct dc_json_writer *json, struct dc_text *text)
{
  const struct dc_scene *scene = session->scene->scene;
  dc_json_begin(json, "objectives", '[');
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    int body;
    double distance;
    bool reached;
    struct dc_task single = {.objective_count = 1, .objectives = &scene->task.objectives[i]};
    objective->type->report(objective->options, &scene->model, session->plan->best, &body, &distance, &reached);
    const char *name = body >= 0 ? scene->model.bodies.bodies[body].name : NULL;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "type", objective->type->name);
    if (name)
      dc_json_put_string(json, "body", name);
    dc_json_put_number(json, "value", dc_task_loss(&single, &scene->model, session->plan->best, NULL));
    dc_json_put_number(json, "distance", distance);
    dc_json_end(json, '}');
    dc_text_add(text, "  %s %s: %.4g m from its target%s\n", objective->type->name, name ? name : "", distance,
                reached ? ", reached" : "");
  }
  dc_json_end(json, ']');
}

static void put_parameters(const struct session *session, struct dc_json_writer *json)
{
  dc_json_begin(json, "parameters", '{');
  for (int i = 0; i < session->plan->parameter_count; i++) {
    char name[128];
    dc_task_parameter_name(session->plan->task, session->plan->model, i, name, sizeof name);
    dc_json_put_number(json, name, session->plan->best_parameters[i]);
  }
  dc_json_end(json, '}');
}

static void fill_result(const struct session *session, const struct dc_optimizer_result *optimized,
                        dcsim_result *result)
{
  const struct dc_plan *plan = session->plan;
  const struct dc_scene *scene = session->scene->scene;
  result->success = dc_task_success(&scene->task, &scene->model, plan->best);
  result->loss = session->best_loss;
  result->initial_loss = session->first_loss;
  result->iterations = optimized->iterations;
  result->steps = plan->steps;
  result->unconverged_steps = plan->best->unconverged_steps;
  result->seconds = dc_seconds() - session->start;
  double steps = (double)plan->rollouts * plan->steps;
  result->seconds_per_step = steps > 0 ? plan->seconds / steps : 0;
  result->newton_iterations_per_step = steps > 0 ? (double)plan->newton_iterations / steps : 0;
  result->evaluations_per_step = steps > 0 ? (double)plan->evaluations / steps : 0;
  result->seconds_per_evaluation =
      plan->evaluations ? dc_rollout_contact_seconds(plan->rollout) / (double)plan->evaluations : 0;
  result->min_gap = INFINITY;
  for (int k = 0; k <= plan->steps; k++)
    result->min_gap = fmin(result->min_gap, plan->best->min_gap[k]);
}

static void describe_result(const struct session *session, const dcsim_result *result, struct dc_text *text,
                            struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  if (session->run)
    dc_json_put_string(json, "run", result->directory);
  else
    dc_json_put_raw(json, "run", "null");
  dc_json_put_boolean(json, "success", result->success != 0);
  dc_json_put_number(json, "loss", result->loss);
  dc_json_put_number(json, "initial_loss", result->initial_loss);
  dc_json_put_integer(json, "iterations", result->iterations);
  dc_json_put_integer(json, "steps", result->steps);
  dc_json_put_number(json, "seconds", result->seconds);
  dc_json_put_number(json, "seconds_per_step", result->seconds_per_step);
  dc_json_put_number(json, "newton_iterations_per_step", result->newton_iterations_per_step);
  dc_json_put_number(json, "evaluations_per_step", result->evaluations_per_step);
  dc_json_put_number(json, "seconds_per_evaluation", result->seconds_per_evaluation);
  dc_json_put_number(json, "min_gap", result->min_gap);
  dc_json_put_integer(json, "unconverged_steps", result->unconverged_steps);
  if (session->optimizing)
    dc_text_add(text, "%s: loss %.6g -> %.6g in %d iterations, %s\n", session->scene->scene->name, result->initial_loss,
                result->loss, result->iterations, result->success ? "task reached" : "task not reached");
  else
    dc_text_add(text, "%s: %d steps, loss %.6g%s\n", session->scene->scene->name, result->steps, result->loss,
                result->success ? ", task reached" : "");
  put_parameters(session, json);
  put_objectives(session, json, text);
  dc_json_end(json, '}');
  dc_text_add(text, "  %.3g s, %.3g ms per step, %.2f Newton iterations per step, smallest gap %.3g m\n",
              result->seconds, 1e3 * result->seconds_per_step, result->newton_iterations_per_step, result->min_gap);
  if (session->blocked)
    dc_text_add(text, "  note: ended against parameters with which bodies overlap at the start\n");
  if (result->unconverged_steps)
    dc_text_add(text, "  warning: %d steps did not converge\n", result->unconverged_steps);
  if (session->run)
    dc_text_add(text, "  run directory: %s\n", result->directory);
}

static enum dc_status write_summary(struct session *session, const dcsim_result *result, int exit_status,
                                    const char *json)
{
  const char *libraries[] = {"OpenBLAS", dc_blas_version(),   "CHOLMOD", dc_cholmod_version(),
                             "Embree",   dc_embree_version(), "libpng",  dc_png_version(),
                             NULL};
  struct dc_run_summary summary = {.version = dcsim_version(),
                                   .command = session->options->command_line,
                                   .seed = session->scene->seed,
                                   .threads = omp_get_max_threads(),
                                   .vector_width = dc_lane_kernels()->name,
                                   .started = session->started,
                                   .seconds = result->seconds,
                                   .exit_status = exit_status,
                                   .libraries = libraries,
                                   .result_json = json};
  return dc_run_write_summary(session->run, session->scene->scene, &summary, &session->error);
}

// Writes trajectory and summary, closes the run, hands over the report.
static int finish(struct session *session, enum dc_status status, dcsim_result *result, dcsim_report *report,
                  dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dcsim_report made = {0};
  struct dc_plan *plan = session->plan;
  describe_result(session, result, &text, &json);
  int outside = dc_api_report(&made, &text, &json, error);
  if (outside)
    return outside;
  enum dc_status written = DC_OK;
  if (session->run) {
    written = dc_run_write_trajectory(session->run, session->scene->scene, plan->best, plan->best_parameters,
                                      plan->first, plan->first_parameters, plan->parameter_count, &session->error);
    if (!written)
      written = write_summary(session, result, status == DC_STOPPED ? session->stop_status : (int)status, made.json);
    struct dc_error closing = {0};
    enum dc_status closed = dc_run_close(session->run, &closing);
    session->run = NULL;
    if (!written && closed) {
      written = closed;
      session->error = closing;
    }
  }
  if (report)
    *report = made;
  else
    dcsim_report_free(&made);
  if (written)
    return dc_api_fail(error, &session->error, written);
  return status ? dc_api_fail(error, &session->error, status) : DCSIM_OK;
}

static int run_scene(struct session *session, dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  const struct dc_scene *scene = session->scene->scene;
  struct dc_optimizer_result optimized = {0};
  session->start = dc_seconds();
  dc_utc_stamp(session->started, sizeof session->started);
  session->plan = dc_plan_create(&scene->model, &scene->task, (int)scene->definition.time.steps, &session->error);
  if (!session->plan)
    return dc_api_fail(error, &session->error, session->error.status);
  // Bodies that overlap are refused before anything is created.
  enum dc_status status = take_controls(session);
  if (!status)
    status = dc_api_check_start(session->plan, &session->error);
  if (!status)
    status = open_run(session, result);
  if (status)
    return dc_api_fail(error, &session->error, status);
  if (session->optimizing)
    status = dc_plan_optimize(session->plan, scene->optimizer, scene->optimizer_options, session->plan->parameters,
                              observe, session, &optimized, &session->error);
  else
    status = simulate(session);
  if (session->row_status)
    status = session->row_status;
  else if (status == DC_STOPPED)
    dc_fail(&session->error, DC_STOPPED, "stopped after %d iterations; the best so far is kept", optimized.iterations);
  bool something = !isnan(session->best_loss);
  if (status && !(something && (status == DC_STOPPED || status == DC_NUMERICAL)))
    return dc_api_fail(error, &session->error, status);
  session->blocked = optimized.blocked;
  fill_result(session, &optimized, result);
  return finish(session, status, result, report, error);
}

static int run(const dcsim_scene *scene, const dcsim_run_options *options, bool optimizing, dcsim_result *result,
               dcsim_report *report, dcsim_error *error)
{
  static const dcsim_run_options none = {0};
  dcsim_result local;
  struct session session = {.scene = scene,
                            .options = options ? options : &none,
                            .optimizing = optimizing,
                            .best_loss = NAN,
                            .first_loss = NAN};
  if (!result)
    result = &local;
  *result = (dcsim_result){0};
  if (session.options->gradient && strcmp(session.options->gradient, "adjoint") != 0)
    return dc_api_fail(error, &(struct dc_error){.text = "only the gradient \"adjoint\" is available in this version"},
                       DC_USAGE);
  int status = run_scene(&session, result, report, error);
  dc_run_close(session.run, NULL);
  dc_plan_destroy(session.plan);
  if (session.options->frames != 0 && result->directory[0] && (status == DCSIM_OK || status == DCSIM_STOPPED)) {
    int steps = result->steps, frames = session.options->frames;
    dcsim_render_options render = {.every = frames > 0 ? (steps + frames - 1) / frames : 0};
    int drawn = dcsim_render(result->directory, &render, NULL, error);
    if (drawn)
      return drawn;
  }
  return status;
}

int dcsim_simulate(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error)
{
  return run(scene, options, false, result, report, error);
}

int dcsim_optimize(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error)
{
  return run(scene, options, true, result, report, error);
}
