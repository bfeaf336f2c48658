// SPDX-License-Identifier: Apache-2.0
// Refinements: problems without time (plan/refine.h), such as grasps: poses are sought at which given pairs of points
// touch.
//
// A refinement is a session as other runs are, with rows, limits, progress and a run directory, but it has no plan: an
// optimizer moves the state q itself, on the manifold of the joints.  Its trajectory is the way from the start to the
// best state, thinned (keep_frame).  It ends early once the best state is a success, unless the scene's target is 0,
// which asks for the exact minimum.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "commands/refine.h"
#include "commands/session.h"

enum { MOST_FRAMES = 200 };  // of the way that is kept; when there are more, every other one goes

// A refinement under way.  Its session has no plan.
struct refinement {
  struct session session;  // run directory, settings, times, error
  struct dc_refine *refine;
  struct dc_optimizer_result result;
  struct dc_refine_state before, after;
  struct dc_refine_contact_state *contacts;  // [contact_count] at the best state
  double *q;                                 // [nq] best state, once it is over
  double *best;                              // [nq] best state so far
  double *frames;                            // [MOST_FRAMES + 1][nq] the way there: every improvement, or every so many
  int frame_count, every;                    // every: improvements from one frame to the next
  long improvements;
  long restarts;  // that observe has seen
  bool enough;    // ended because the best state is a success
};

// Bytes of a state q.
static size_t state_bytes(const struct refinement *run)
{
  return (size_t)run->session.scene->scene->model.bodies.nq * sizeof(double);
}

// Keeps states of the way, every `every`-th improvement: when there is no room, every other one is dropped and `every`
// doubles.
static void keep_frame(struct refinement *run, const double *q)
{
  size_t bytes = state_bytes(run), nq = bytes / sizeof(double);
  if (run->improvements++ % run->every != 0 || bytes == 0)
    return;
  if (run->frame_count == MOST_FRAMES) {
    run->every *= 2;
    run->frame_count = MOST_FRAMES / 2;
    for (int f = 1; f < run->frame_count; f++)
      memcpy(run->frames + (size_t)f * nq, run->frames + 2 * (size_t)f * nq, bytes);
    if ((run->improvements - 1) % run->every != 0)
      return;
  }
  memcpy(run->frames + (size_t)run->frame_count++ * nq, q, bytes);
}

// Whether the refinement is done: a success is asked for once for each restart, as inspecting a state costs as
// much as an evaluation.  With a target of zero it continues to the exact minimum.
static bool is_enough(struct refinement *run)
{
  const struct dc_optimizer_common *common = run->session.scene->scene->refinement.method_options;
  struct dc_refine_state best;
  long restarts = dc_refine_counts(run->refine).restarts;
  if (restarts == run->restarts || common->target == 0)
    return false;
  run->restarts = restarts;
  dc_refine_inspect(run->refine, run->best, &best, run->contacts);
  return best.success;
}

// Called after every iteration: keeps the best state and a frame of the way, writes the row, reports progress, and says
// whether to go on.
// Returns false to end the minimization: a row could not be written, the caller or the limit of time stopped it, or
// the best state is a success.  Only the first of these is a failure.
static bool observe(void *context, const struct dc_iterate *iterate)
{
  struct refinement *run = context;
  struct session *session = &run->session;
  const dcsim_run_options *options = session->options;
  const struct dc_optimizer_common *common = session->scene->scene->refinement.method_options;
  if (iterate->iteration == 0)
    session->first_loss = iterate->value;
  session->best_loss = iterate->best_value;
  if (iterate->best) {
    keep_frame(run, iterate->x);
    memcpy(run->best, iterate->x, state_bytes(run));
  }
  double seconds = dc_seconds() - session->times.start;
  struct dc_plan_iteration row = {.iteration = iterate->iteration,
                                  .loss = iterate->value,
                                  .gradient_norm = iterate->gradient_norm,
                                  .min_gap = NAN,
                                  .best = iterate->best,
                                  .seconds = seconds};
  if (session->run)
    session->row_status = dc_run_add_row(session->run, &row, &session->error);
  dcsim_progress progress = {.iteration = iterate->iteration,
                             .iterations = (int)common->iterations,
                             .loss = iterate->value,
                             .best_loss = iterate->best_value,
                             .gradient_norm = iterate->gradient_norm,
                             .min_gap = NAN,
                             .is_best = iterate->best,
                             .seconds = seconds};
  int answer = options->progress ? options->progress(options->progress_context, &progress) : 0;
  if (answer != 0 && answer != DCSIM_PROGRESS_CHECKPOINT) {
    session->stop_status = answer == DCSIM_PROGRESS_STOP ? DCSIM_OK : answer;
    session->stopped = true;
  }
  if (options->max_seconds > 0 && seconds >= options->max_seconds)
    session->stopped = true;
  run->enough = !session->row_status && !session->stopped && is_enough(run);
  return !session->row_status && !session->stopped && !run->enough;
}

// Makes a trajectory of the states that were kept, from the start to the best one.  Its gaps are infinite:
// nothing is known of contact on the way.
// Times of its frames mean nothing.  A refinement without improvements has its start twice; NULL:
// memory is out.
static struct dc_trajectory *make_trajectory(const struct refinement *run)
{
  const struct dc_model *model = &run->session.scene->scene->model;
  size_t nq = (size_t)model->bodies.nq;
  int frames = run->frame_count ? run->frame_count : 1;
  struct dc_trajectory *trajectory = dc_record_create(model, frames);
  if (!trajectory)
    return NULL;
  trajectory->steps = frames;
  for (int f = 0; f <= frames; f++) {
    const double *q = f == frames || run->frame_count == 0 ? run->q : run->frames + (size_t)f * nq;
    if (nq)
      memcpy(trajectory->q + (size_t)f * nq, q, nq * sizeof *q);
    dc_poses(&model->bodies, q, trajectory->poses + (size_t)f * (size_t)model->bodies.count);
    trajectory->min_gap[f] = INFINITY;
  }
  return trajectory;
}

// The result: value, counts of queries, and each pair with its distance from its targets.
static void describe(const struct refinement *run, const dcsim_result *result, struct dc_text *text,
                     struct dc_json_writer *json)
{
  const struct dc_scene *scene = run->session.scene->scene;
  const struct dc_body *bodies = scene->model.bodies.bodies;
  const struct dc_refine_counts counts = dc_refine_counts(run->refine);
  int pairs = scene->refinement.pairs.count;
  dc_json_begin(json, NULL, '{');
  if (run->session.run)
    dc_json_put_string(json, "run", result->directory);
  else
    dc_json_put_raw(json, "run", "null");
  dc_json_put_boolean(json, "success", result->success != 0);
  DC_JSON_NUMBERS(json, {"loss", result->loss}, {"initial_loss", result->initial_loss},
                  {"iterations", result->iterations}, {"steps", 0}, {"seconds", result->seconds},
                  {"min_gap", result->min_gap}, {"largest_error", run->after.largest_error},
                  {"overlap", run->after.overlap}, {"queries", counts.queries}, {"derivatives", counts.derivatives},
                  {"restarts", run->result.restarts});
  dc_text_add(text, "%s: value %.6g -> %.6g in %d iteration%s, %d of %d pair%s reached\n", scene->name,
              result->initial_loss, result->loss, result->iterations, dc_plural(result->iterations), run->after.reached,
              pairs, dc_plural(pairs));
  dc_json_begin(json, "objectives", '[');
  for (int i = 0; i < pairs; i++) {
    const struct dc_refine_contact_state *pair = &run->contacts[i];
    bool reached = pair->error <= scene->refinement.settings.tolerance;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "type", "pair");
    dc_json_put_string(json, "body", bodies[pair->body[1]].name);
    dc_json_put_string(json, "object", bodies[pair->body[0]].name);
    DC_JSON_NUMBERS(json, {"value", pair->value}, {"distance", pair->error}, {"gap", pair->witness.distance});
    dc_json_put_boolean(json, "reached", reached);
    dc_json_end(json, "}");
    dc_text_add(text, "  %s on %s: off by %.3g m%s\n", bodies[pair->body[1]].name, bodies[pair->body[0]].name,
                pair->error, reached ? ", reached" : "");
  }
  dc_json_end(json, "]}");
  dc_text_add(text, "  %.3g s, %ld queries, %d restarts, deepest other overlap %.3g m\n", result->seconds,
              counts.queries, run->result.restarts, run->after.overlap);
  if (run->session.run)
    dc_text_add(text, "  run directory: %s\n", result->directory);
}

// Writes the way as trajectory.h5, and the summary; closes the run.
static enum dc_status write_run(struct refinement *run, dcsim_result *result, enum dc_status status, const char *json)
{
  struct session *session = &run->session;
  if (!session->run)
    return DC_OK;
  struct dc_trajectory *trajectory = make_trajectory(run);
  enum dc_status written = trajectory ? dc_run_write_trajectory(session->run, session->scene->scene, trajectory, NULL,
                                                                NULL, NULL, NULL, NULL, &session->error)
                                      : dc_out_of_memory_for(&session->error, "the trajectory");
  if (!written)
    written = dc_session_write_summary(session, result, status, json);
  written = dc_session_close_run(session, trajectory, NULL, result, written);
  dc_trajectory_destroy(trajectory);
  return written;
}

// Ends a refinement: contacts at the result, its report, the run directory.
// A success is judged at the best state, by distances of its pairs and overlaps of all others.
static int finish(struct refinement *run, enum dc_status status, dcsim_result *result, dcsim_report *report,
                  dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dcsim_report made = {0};
  struct session *session = &run->session;
  dc_refine_inspect(run->refine, run->q, &run->after, run->contacts);
  result->success = run->after.success;
  result->loss = run->after.value;
  result->initial_loss = run->before.value;
  result->iterations = run->result.iterations;
  result->seconds = dc_seconds() - session->times.start;
  result->min_gap = run->after.min_distance;
  describe(run, result, &text, &json);
  int outside = dc_api_report(&made, &text, &json, error);
  if (outside)
    return outside;
  enum dc_status written = write_run(run, result, status, made.json);
  if (report)
    *report = made;
  else
    dcsim_report_free(&made);
  if (written)
    return dc_api_fail(error, &session->error, written);
  return status ? dc_api_fail(error, &session->error, status) : DCSIM_OK;
}

// Runs a refinement:
// 1. makes its problem (dc_refine_create) and room for states;
// 2. opens the run directory;
// 3. inspects the start;
// 4. minimizes over q; observe writes the rows and keeps the best state;
// 5. finishes: report and run directory, also when it was stopped or stalled numerically.
// DCSIM_NUMERICAL keeps the best state, as a stop does: the way there is worth looking at.
static int refine(struct refinement *run, dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  struct session *session = &run->session;
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_refinement *settings = &scene->refinement;
  session->times.began = session->times.start = dc_seconds();
  dc_utc_stamp(session->times.started, sizeof session->times.started);
  run->refine = dc_refine_create(&scene->model, &settings->settings, settings->pairs.count, settings->pairs.objects,
                                 &session->error);
  if (!run->refine)
    return dc_api_fail(error, &session->error, session->error.status);
  size_t nq = (size_t)scene->model.bodies.nq;
  run->every = 1;
  run->q = dc_alloc(nq, sizeof *run->q);
  run->best = dc_alloc(nq, sizeof *run->best);
  run->frames = dc_alloc((MOST_FRAMES + 1) * nq, sizeof *run->frames);
  run->contacts = dc_alloc((size_t)dc_refine_contact_count(run->refine), sizeof *run->contacts);
  enum dc_status status = run->q && run->best && run->frames && run->contacts
                              ? DC_OK
                              : dc_out_of_memory_for(&session->error, "a refinement");
  if (!status)
    status = dc_session_open_run(session);
  if (status)
    return dc_api_fail(error, &session->error, status);
  if (session->run)
    snprintf(result->directory, sizeof result->directory, "%s", dc_run_directory(session->run));
  dc_initial_state(&scene->model.bodies, run->q);
  dc_refine_inspect(run->refine, run->q, &run->before, run->contacts);
  struct dc_error stopped = {0};  // a failed row has its message in session->error
  struct dc_problem problem = *dc_refine_problem(run->refine);
  problem.seed = (uint64_t)settings->settings.seed;
  status =
      dc_minimize(settings->method, settings->method_options, &problem, run->q, observe, run, &run->result, &stopped);
  if (session->row_status) {
    dc_session_forget_lost_directory(session, result);
    return dc_api_fail(error, &session->error, session->row_status);
  }
  if (run->enough && status == DC_STOPPED)
    status = DC_OK;
  if (status)
    session->error = stopped;
  if (status == DC_STOPPED)
    dc_fail(&session->error, DC_STOPPED, "stopped; the results so far are kept");
  else if (status && status != DC_NUMERICAL)
    return dc_api_fail(error, &session->error, status);
  return finish(run, status, result, report, error);
}

// Names a thing that was asked for and that a refinement cannot do; NULL: there is none.
static const char *misuse(const dcsim_run_options *options, bool optimizing)
{
  if (!optimizing)
    return "a refinement has no time to simulate: optimize it";
  if (options->resume)
    return "a refinement writes no checkpoints: it cannot be resumed";
  return options->control_run ? "a refinement has no controls that could be taken from a run" : NULL;
}

// A refinement has no time and no run of steps: it moves poses until contacts are where they were asked for.
// Everything it made is released here, whichever way it ended.
int dc_api_refine(const dcsim_scene *scene, const dcsim_run_options *options, bool optimizing, dcsim_result *result,
                  dcsim_report *report, dcsim_error *error)
{
  struct refinement run = {.session = {.scene = scene, .options = options, .best_loss = NAN, .first_loss = NAN}};
  const char *mistake = misuse(options, optimizing);
  if (mistake) {
    dc_fail(&run.session.error, DC_USAGE, "%s", mistake);
    return dc_api_fail(error, &run.session.error, DC_USAGE);
  }
  int status = refine(&run, result, report, error);
  dc_run_close(run.session.run, NULL);
  dc_refine_destroy(run.refine);
  free(run.q);
  free(run.best);
  free(run.frames);
  free(run.contacts);
  return status;
}

// Tells of the start of a refinement, without minimizing: for each pair the gap, normal and nearest points in
// the frames of both bodies.
int dc_api_probe_refinement(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error)
{
  const struct dc_scene *s = scene->scene;
  const struct dc_body *bodies = s->model.bodies.bodies;
  struct dc_error local = {0};
  struct dc_refine *refine = dc_refine_create(&s->model, &s->refinement.settings, s->refinement.pairs.count,
                                              s->refinement.pairs.objects, &local);
  if (!refine)
    return dc_api_fail(error, &local, local.status);
  int count = dc_refine_contact_count(refine);
  double *q = dc_alloc((size_t)s->model.bodies.nq, sizeof *q);
  struct dc_refine_contact_state *contacts = dc_alloc((size_t)count, sizeof *contacts);
  if (!q || !contacts) {
    free(q);
    free(contacts);
    dc_refine_destroy(refine);
    dc_out_of_memory_for(&local, "contacts");
    return dc_api_fail(error, &local, DC_MEMORY);
  }
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  struct dc_refine_state total;
  dc_initial_state(&s->model.bodies, q);
  dc_refine_inspect(refine, q, &total, contacts);
  dc_json_begin(&json, NULL, '{');
  DC_JSON_NUMBERS(&json, {"value", total.value}, {"min_gap", total.min_distance},
                  {"largest_error", total.largest_error}, {"overlap", total.overlap});
  dc_text_add(&text, "value %.6g, %d of %d pairs reached, deepest other overlap %.3g m\n", total.value, total.reached,
              s->refinement.pairs.count, total.overlap);
  dc_json_begin(&json, "pairs", '[');
  for (int i = 0; i < count; i++) {
    const struct dc_refine_contact_state *c = &contacts[i];
    const char *a = bodies[c->body[0]].name, *b = bodies[c->body[1]].name;
    dc_json_begin(&json, NULL, '{');
    dc_json_put_string(&json, "a", a);
    dc_json_put_string(&json, "b", b);
    dc_json_put_boolean(&json, "pair", c->pair);
    dc_json_put_number(&json, "gap", c->witness.distance);
    dc_json_put_numbers(&json, "normal", c->witness.normal, 3);
    dc_json_put_numbers(&json, "a_point", c->local[0], 3);
    dc_json_put_numbers(&json, "b_point", c->local[1], 3);
    if (c->pair)
      dc_json_put_number(&json, "error", c->error);
    dc_json_end(&json, "}");
    dc_text_add(&text, "  %-16s %-16s gap %11.4e m at (%.5g, %.5g, %.5g) and (%.5g, %.5g, %.5g) of their frames%s\n", a,
                b, c->witness.distance, c->local[0][0], c->local[0][1], c->local[0][2], c->local[1][0], c->local[1][1],
                c->local[1][2], c->pair ? ", a pair" : "");
  }
  dc_json_end(&json, "]}");
  free(q);
  free(contacts);
  dc_refine_destroy(refine);
  return dc_api_report(report, &text, &json, error);
}
