// SPDX-License-Identifier: Apache-2.0
// Ranks other than 0: they set up a plan for the points of a message, roll out on their threads, and answer with losses
// and gradients, until rank 0 ends the work.
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "plan/crew.h"
#include "plan/crew_messages.h"

// Workspace of such a rank.
struct service {
  const struct dc_model *model;
  const struct dc_task *task;
  dc_plan_crew_help *help;
  void *context;
  // Plans for losses alone and for gradients; recreated when capacity or coarseness change.
  struct bench {
    struct dc_model model;
    struct dc_plan *plan;
    struct dc_plan_team team;
  } benches[2];
  struct dc_buffer in, out;
};

static void clear_bench(struct bench *bench)
{
  dc_plan_team_release(&bench->team);
  dc_plan_destroy(bench->plan);
  *bench = (struct bench){0};
}

// A plan and its team for jobs of one coarseness: kept between jobs, since most jobs are like the one before.
static enum dc_status make_bench(struct service *service, const struct dc_crew_job *job, struct bench *bench,
                                 struct dc_error *error)
{
  clear_bench(bench);
  bench->model = dc_plan_coarser_model(service->model, (int)job->coarseness);
  bench->plan = job->gradient ? dc_plan_create(&bench->model, service->task, (int)job->capacity, error)
                              : dc_plan_create_forward(&bench->model, service->task, (int)job->capacity, false, error);
  if (!bench->plan)
    return error->status;
  bench->plan->scaled.coarseness = (int)job->coarseness;
  return (job->gradient ? dc_plan_team_create : dc_plan_team_create_forward)(bench->plan, dc_threads(), &bench->team,
                                                                             error);
}

// Sets the bench to window, start and state of a job; *points is behind them in the message.
static enum dc_status set_up(struct service *service, const struct dc_crew_job *job, long count, struct bench *bench,
                             size_t *at, const double **points, struct dc_error *error)
{
  struct dc_plan *plan = bench->plan;
  size_t nq = (size_t)service->model->bodies.nq, nv = (size_t)service->model->bodies.nv, real = sizeof(double);
  dc_plan_set_window(plan, (long)job->first, (int)job->steps);
  plan->descent.most_iterations = (long)job->most_iterations;
  plan->scaled.stiffness = job->stiffness;
  plan->scaled.far_field = job->far_field;
  // The arrays are used where they lie in the message, which stays until the next one is received.
  const double *state = dc_buffer_take(&service->in, at, (size_t)job->state * real);
  plan->start = (struct dc_plan_start){.before_length = job->before_length};
  if (job->starts) {
    plan->start.q = dc_buffer_take(&service->in, at, nq * real);
    plan->start.velocity = dc_buffer_take(&service->in, at, nv * real);
  }
  if (job->goes_on)
    plan->start.q_before = dc_buffer_take(&service->in, at, nq * real);
  if (job->impacts)
    plan->start.memory = dc_buffer_take(&service->in, at, (size_t)job->impacts * real);
  *points = dc_buffer_take(&service->in, at, (size_t)count * (size_t)job->parameters * real);
  if (!state || !*points || job->parameters != plan->parameter_count || job->state != plan->sizes.state)
    return dc_fail(error, DC_USAGE, "points of another scene");
  memcpy(plan->state, state, (size_t)job->state * real);
  for (int i = 0; i < bench->team.count; i++) {
    if (i)
      dc_plan_follow(bench->team.plans[i], plan);
    dc_rollout_set_tight(bench->team.plans[i]->rollout, job->tight != 0);
    dc_rollout_set_gapless(bench->team.plans[i]->rollout, true);
  }
  return DC_OK;
}

// Writes status, work, losses and gradients of the rollouts, and the message of the first error that is no property
// of a point.  Memory for all of it is reserved.
static void write_losses(struct service *service, const struct dc_crew_job *job, int count,
                         const struct dc_plan_sample *samples)
{
  struct dc_buffer *out = &service->out;
  const struct dc_crew_head head = {.kind = DC_CREW_LOSSES, .count = count};
  const char *text = "";
  out->size = 0;
  dc_buffer_add(out, &head, sizeof head);
  for (int i = 0; i < count; i++) {
    const struct dc_plan_work *work = &samples[i].work;
    const struct dc_crew_found found = {.status = samples[i].status,
                                        .rollouts = work->rollouts,
                                        .steps = work->steps,
                                        .newton_iterations = work->newton_iterations,
                                        .evaluations = work->evaluations,
                                        .loss = samples[i].loss,
                                        .contact_seconds = work->contact_seconds};
    dc_buffer_add(out, &found, sizeof found);
    bool fatal = found.status && !dc_point_has_no_value(found.status);
    if (fatal && !text[0])
      text = samples[i].error.text;
  }
  for (int i = 0; i < count && job->gradient; i++)
    dc_crew_add_reals(out, samples[i].gradient, (size_t)job->parameters);
  dc_buffer_add(out, text, strnlen(text, DC_CREW_TEXT - 1));
  dc_buffer_add(out, "", 1);
}

// Rolls out the points of a message from rank 0 and sends losses or gradients back.
static enum dc_status roll_out(struct service *service, const struct dc_crew_head *head, struct dc_error *error)
{
  struct dc_crew_job job;
  size_t at = sizeof *head;
  const double *points;
  const void *part = dc_buffer_take(&service->in, &at, sizeof job);
  if (!part || head->count < 0 || head->count > INT32_MAX)
    return dc_fail(error, DC_USAGE, "points that are cut off");
  memcpy(&job, part, sizeof job);
  int count = (int)head->count;
  size_t parameters = (size_t)job.parameters;
  struct bench *bench = &service->benches[job.gradient != 0];
  bool fits =
      bench->plan && bench->plan->sizes.steps == job.capacity && bench->plan->scaled.coarseness == job.coarseness;
  enum dc_status status = fits ? DC_OK : make_bench(service, &job, bench, error);
  if (!status)
    status = set_up(service, &job, count, bench, &at, &points, error);
  if (status)
    return status;
  struct dc_plan_sample *samples = dc_alloc((size_t)count, sizeof *samples);
  double *gradients = dc_alloc(job.gradient ? (size_t)count * parameters : 0, sizeof *gradients);
  if (!samples || !gradients ||
      !dc_buffer_reserve(&service->out,
                         sizeof *head + DC_CREW_TEXT +
                             (size_t)count * (sizeof(struct dc_crew_found) + parameters * sizeof(double))))
    status = dc_out_of_memory_for(error, "rollouts");
  for (int i = 0; i < count && !status; i++) {
    samples[i].parameters = points + (size_t)i * parameters;
    samples[i].gradient = job.gradient ? gradients + (size_t)i * parameters : NULL;
  }
  if (!status) {
    dc_plan_team_sample(&bench->team, count, samples, 0);
    write_losses(service, &job, count, samples);
  }
  free(gradients);
  free(samples);
  return status;
}

// Work of another kind, which the caller of the crew knows: search_ranks.c.
static enum dc_status help(struct service *service, struct dc_error *error)
{
  const struct dc_crew_head head = {.kind = DC_CREW_ANSWER};
  service->out.size = 0;
  if (!dc_buffer_append(&service->out, &head, sizeof head))
    return dc_out_of_memory_for(error, "an answer");
  enum dc_status status = service->help(service->context, &service->in, sizeof head, &service->out, error);
  return !status && service->out.size > INT32_MAX ? dc_fail(error, DC_MEMORY, "an answer of more than 2 GB") : status;
}

// The life of a rank other than 0: says hello, then answers messages until one says that the work is over.  A failure
// of one message is its answer, and the rank goes on.
enum dc_status dc_plan_crew_serve(const struct dc_transport *transport, const char *identity,
                                  const struct dc_model *model, const struct dc_task *task, dc_plan_crew_help *helper,
                                  void *context, struct dc_error *error)
{
  struct service service = {.model = model, .task = task, .help = helper, .context = context};
  struct dc_crew_head head = {.kind = DC_CREW_POINTS};
  enum dc_status status = DC_OK;
  dc_crew_send_text(transport, 0, DC_CREW_HELLO, DC_OK, identity);
  while (!status && (head.kind == DC_CREW_POINTS || head.kind == DC_CREW_ERRAND)) {
    struct dc_error local = {0};
    int from;
    if (!dc_crew_receive(transport, &service.in, &from, &head))
      status = dc_out_of_memory_for(error, "the points of rank 0");
    if (status || (head.kind != DC_CREW_POINTS && head.kind != DC_CREW_ERRAND))
      break;
    bool points = head.kind == DC_CREW_POINTS;
    enum dc_status done = points ? roll_out(&service, &head, &local) : help(&service, &local);
    if (done)
      dc_crew_send_text(transport, 0, points ? DC_CREW_LOSSES : DC_CREW_ANSWER, done, local.text);
    else
      transport->send(0, service.out.bytes, (int)service.out.size);
  }
  for (int i = 0; i < 2; i++)
    clear_bench(&service.benches[i]);
  dc_buffer_release(&service.in);
  dc_buffer_release(&service.out);
  return status;
}
