// SPDX-License-Identifier: Apache-2.0
// Messages: a head, then what its kind has behind it; all of it numbers of 8 bytes, and a text at the end.
//
//     HELLO   to rank 0: who a rank is                  text: the identity
//     POINTS  from rank 0                               struct job, state, start, points
//     LOSSES  to rank 0: the answer                     struct found [count], gradients; text: what went wrong
//     ERRAND  from rank 0                               what the helper reads
//     ANSWER  to rank 0                                 what the helper has written; text: what went wrong
//     FAILED  to rank 0: a rank cannot go on            text: why
//     END     from rank 0: there is no more work
//     LEFT    to rank 0: the last message of a rank
#include "plan/crew.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/threads.h"

enum kind { HELLO = 1, POINTS, LOSSES, ERRAND, ANSWER, FAILED, END, LEFT };
enum { TEXT = 1024 };

struct head {
  int64_t kind, status, count;
};

// What rollouts of some points have in common.
struct job {
  int64_t first, steps, capacity, coarseness, parameters, state, tight, gradient, starts, goes_on;
  double stiffness, before_length;
};

struct found {
  int64_t status, rollouts, steps, newton_iterations, evaluations;
  double loss, contact_seconds;
};

struct dc_plan_crew {
  struct dc_transport transport;
  struct dc_buffer out, in;
  int shared;  // ranks that the samples under way are dealt to
};

static void add_reals(struct dc_buffer *buffer, const double *reals, size_t count)
{
  dc_buffer_add(buffer, reals, count * sizeof *reals);
}

static void send_text(const struct dc_transport *transport, int to, enum kind kind, enum dc_status status,
                      const char *text)
{
  char bytes[sizeof(struct head) + TEXT];
  struct head head = {.kind = kind, .status = status};
  size_t length = text ? strnlen(text, TEXT - 1) : 0;
  memcpy(bytes, &head, sizeof head);
  memcpy(bytes + sizeof head, text ? text : "", length);
  bytes[sizeof head + length] = '\0';
  transport->send(to, bytes, (int)(sizeof head + length + 1));
}

// Waiting gives the core away, the longer the more: a rank that is alone on it loses some tens of microseconds.
static void rest(double since)
{
  double waited = dc_seconds() - since;
  long pause = (long)(1e9 * waited / 50);
  nanosleep(&(struct timespec){.tv_nsec = pause < 20000 ? 20000 : pause > 2000000 ? 2000000 : pause}, NULL);
}

// The next message, from whom and its head; false: out of memory.
static bool receive(const struct dc_transport *transport, struct dc_buffer *in, int *from, struct head *head)
{
  double since = dc_seconds();
  int size;
  while ((size = transport->look(from)) < 0)
    rest(since);
  if (!dc_buffer_reserve(in, (size_t)size + sizeof *head + 1))
    return false;
  in->size = (size_t)transport->receive(*from, in->bytes, size);
  in->bytes[in->size] = '\0';
  *head = (struct head){0};
  if (in->size >= sizeof *head)
    memcpy(head, in->bytes, sizeof *head);
  return true;
}

static const char *text_of(const struct dc_buffer *in, size_t at)
{
  return at < in->size ? in->bytes + at : "";
}

static enum dc_status greet(const struct dc_transport *transport, struct dc_buffer *in, const char *identity,
                            struct dc_error *error)
{
  struct head head;
  int from;
  if (!receive(transport, in, &from, &head))
    return dc_fail(error, DC_MEMORY, "out of memory for the ranks");
  const char *text = text_of(in, sizeof head);
  if (head.kind != HELLO)
    return dc_fail(error, head.status ? (enum dc_status)head.status : DC_USAGE, "rank %d could not begin: %.900s", from,
                   text);
  if (strcmp(text, identity) != 0)
    return dc_fail(error, DC_USAGE, "rank %d has another version, scene or machine: %.300s; rank 0 has %.300s", from,
                   text, identity);
  return DC_OK;
}

enum dc_status dc_plan_crew_gather(const struct dc_transport *transport, const char *identity,
                                   struct dc_plan_crew **crew, struct dc_error *error)
{
  struct dc_plan_crew *made = dc_alloc(1, sizeof *made);
  enum dc_status status = made ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory for the ranks");
  *crew = NULL;
  if (!status)
    made->transport = *transport;
  for (int i = 1; i < transport->ranks && !status; i++)
    status = greet(transport, &made->in, identity, error);
  if (status)
    dc_plan_crew_destroy(made);
  else
    *crew = made;
  return status;
}

void dc_plan_crew_destroy(struct dc_plan_crew *crew)
{
  if (!crew)
    return;
  dc_buffer_release(&crew->out);
  dc_buffer_release(&crew->in);
  free(crew);
}

int dc_plan_crew_ranks(const struct dc_plan_crew *crew)
{
  return crew ? crew->transport.ranks : 1;
}

static int share_of(int rank, int shared, int count)
{
  return rank < shared ? (count - rank - 1) / shared + 1 : 0;
}

// A message with the points rank, rank + shared, ...; false: out of memory.
static bool write_points(struct dc_plan_crew *crew, const struct dc_plan *plan, int rank, int count,
                         const struct dc_plan_sample *samples)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  const struct dc_plan_start *start = &plan->start;
  size_t parameters = (size_t)plan->parameter_count, nq = (size_t)bodies->nq, nv = (size_t)bodies->nv;
  int share = share_of(rank, crew->shared, count);
  struct dc_buffer *out = &crew->out;
  const struct head head = {.kind = POINTS, .count = share};
  const struct job job = {.first = plan->window.first,
                          .steps = plan->window.steps,
                          .capacity = plan->capacity,
                          .coarseness = plan->coarseness,
                          .parameters = plan->parameter_count,
                          .state = plan->state_size,
                          .tight = dc_rollout_is_tight(plan->rollout),
                          .gradient = samples[rank].gradient != NULL,
                          .starts = start->q != NULL,
                          .goes_on = start->q && start->q_before,
                          .stiffness = plan->stiffness,
                          .before_length = start->before_length};
  size_t reals = (size_t)plan->state_size + 2 * nq + nv + (size_t)share * parameters;
  out->size = 0;
  if (!dc_buffer_reserve(out, sizeof head + sizeof job + reals * sizeof(double)))
    return false;
  dc_buffer_add(out, &head, sizeof head);
  dc_buffer_add(out, &job, sizeof job);
  add_reals(out, plan->state, (size_t)plan->state_size);
  add_reals(out, start->q, job.starts ? nq : 0);
  add_reals(out, start->velocity, job.starts ? nv : 0);
  add_reals(out, start->q_before, job.goes_on ? nq : 0);
  for (int i = rank; i < count; i += crew->shared)
    add_reals(out, samples[i].parameters, parameters);
  return out->size < INT32_MAX;
}

int dc_plan_crew_deal(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                      const struct dc_plan_sample *samples)
{
  crew->shared = count < crew->transport.ranks ? count : crew->transport.ranks;
  for (int rank = 1; rank < crew->shared; rank++) {
    // the largest share comes first: what there is memory for now there is for all
    if (!write_points(crew, plan, rank, count, samples) ||
        !dc_buffer_reserve(&crew->in, (size_t)share_of(rank, crew->shared, count) *
                                              (sizeof(struct found) + (size_t)plan->parameter_count * sizeof(double)) +
                                          2 * sizeof(struct head) + TEXT + 1))
      return crew->shared = 1;
    crew->transport.send(rank, crew->out.bytes, (int)crew->out.size);
  }
  return crew->shared > 0 ? crew->shared : 1;
}

static void fail_share(const struct dc_plan_crew *crew, int rank, int count, struct dc_plan_sample *samples,
                       enum dc_status status, const char *text)
{
  for (int i = rank; i < count; i += crew->shared)
    samples[i].status = dc_fail(&samples[i].error, status, "rank %d: %.900s", rank, text);
}

// Fills in the samples of a rank; false: the message is none.
static bool read_losses(const struct dc_plan_crew *crew, int rank, int count, size_t parameters,
                        struct dc_plan_sample *samples)
{
  size_t at = sizeof(struct head);
  for (int i = rank; i < count; i += crew->shared) {
    struct found found;
    const void *part = dc_buffer_take(&crew->in, &at, sizeof found);
    if (!part)
      return false;
    memcpy(&found, part, sizeof found);
    struct dc_plan_sample *sample = &samples[i];
    sample->status = (enum dc_status)found.status;
    sample->loss = found.loss;
    sample->work = (struct dc_plan_work){.rollouts = found.rollouts,
                                         .steps = found.steps,
                                         .newton_iterations = found.newton_iterations,
                                         .evaluations = found.evaluations,
                                         .contact_seconds = found.contact_seconds};
  }
  for (int i = rank; i < count; i += crew->shared) {
    if (!samples[i].gradient)
      continue;
    const void *part = dc_buffer_take(&crew->in, &at, parameters * sizeof(double));
    if (!part)
      return false;
    memcpy(samples[i].gradient, part, parameters * sizeof(double));
  }
  for (int i = rank; i < count; i += crew->shared)
    if (samples[i].status)
      dc_fail(&samples[i].error, samples[i].status, "rank %d: %.900s", rank, text_of(&crew->in, at));
  return true;
}

void dc_plan_crew_collect(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                          struct dc_plan_sample *samples)
{
  for (int missing = crew->shared - 1; missing > 0; missing--) {
    struct head head;
    int from = 0;
    if (!receive(&crew->transport, &crew->in, &from, &head))
      abort();  // there is room for every answer since the points were dealt
    const char *text = text_of(&crew->in, sizeof head);
    if (head.kind != LOSSES || head.status)
      fail_share(crew, from, count, samples, head.status ? (enum dc_status)head.status : DC_USAGE, text);
    else if (!read_losses(crew, from, count, (size_t)plan->parameter_count, samples))
      fail_share(crew, from, count, samples, DC_USAGE, "an answer that is cut off");
  }
}

enum dc_status dc_plan_crew_send(struct dc_plan_crew *crew, int rank, const struct dc_buffer *message,
                                 struct dc_error *error)
{
  const struct head head = {.kind = ERRAND};
  crew->out.size = 0;
  if (message->size > INT32_MAX - sizeof head || !dc_buffer_append(&crew->out, &head, sizeof head) ||
      !dc_buffer_append(&crew->out, message->bytes, message->size))
    return dc_fail(error, DC_MEMORY, "out of memory for a message to rank %d", rank);
  crew->transport.send(rank, crew->out.bytes, (int)crew->out.size);
  return DC_OK;
}

enum dc_status dc_plan_crew_answer(struct dc_plan_crew *crew, int *rank, const struct dc_buffer **answer, size_t *at,
                                   struct dc_error *error)
{
  struct head head;
  if (!receive(&crew->transport, &crew->in, rank, &head))
    return dc_fail(error, DC_MEMORY, "out of memory for an answer of a rank");
  *answer = &crew->in;
  *at = sizeof head;
  if (head.kind == ANSWER && !head.status)
    return DC_OK;
  return dc_fail(error, head.status ? (enum dc_status)head.status : DC_USAGE, "rank %d: %.900s", *rank,
                 text_of(&crew->in, sizeof head));
}

// What another rank rolls out with.
struct service {
  const struct dc_model *model;
  const struct dc_task *task;
  dc_plan_crew_help *help;
  void *context;
  // For losses alone and with gradients: made anew when capacity or coarseness are others.
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

static enum dc_status make_bench(struct service *service, const struct job *job, struct bench *bench,
                                 struct dc_error *error)
{
  clear_bench(bench);
  bench->model = dc_plan_coarser_model(service->model, (int)job->coarseness);
  bench->plan = job->gradient ? dc_plan_create(&bench->model, service->task, (int)job->capacity, error)
                              : dc_plan_create_forward(&bench->model, service->task, (int)job->capacity, false, error);
  if (!bench->plan)
    return error->status;
  bench->plan->coarseness = (int)job->coarseness;
  return (job->gradient ? dc_plan_team_create : dc_plan_team_create_forward)(bench->plan, dc_threads(), &bench->team,
                                                                             error);
}

// The bench in the window, start and state of a job; *points behind them in the message.
static enum dc_status set_up(struct service *service, const struct job *job, long count, struct bench *bench,
                             size_t *at, const double **points, struct dc_error *error)
{
  struct dc_plan *plan = bench->plan;
  size_t nq = (size_t)service->model->bodies.nq, nv = (size_t)service->model->bodies.nv, real = sizeof(double);
  dc_plan_set_window(plan, (long)job->first, (int)job->steps);
  plan->stiffness = job->stiffness;
  const double *state = dc_buffer_take(&service->in, at, (size_t)job->state * real);
  plan->start = (struct dc_plan_start){.before_length = job->before_length};
  if (job->starts) {
    plan->start.q = dc_buffer_take(&service->in, at, nq * real);
    plan->start.velocity = dc_buffer_take(&service->in, at, nv * real);
  }
  if (job->goes_on)
    plan->start.q_before = dc_buffer_take(&service->in, at, nq * real);
  *points = dc_buffer_take(&service->in, at, (size_t)count * (size_t)job->parameters * real);
  if (!state || !*points || job->parameters != plan->parameter_count || job->state != plan->state_size)
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

// Status, work, losses and gradients of what was rolled out, and the first message.
static void write_losses(struct service *service, const struct job *job, int count,
                         const struct dc_plan_sample *samples)
{
  struct dc_buffer *out = &service->out;
  const struct head head = {.kind = LOSSES, .count = count};
  const char *text = "";
  out->size = 0;
  dc_buffer_add(out, &head, sizeof head);
  for (int i = 0; i < count; i++) {
    const struct dc_plan_work *work = &samples[i].work;
    const struct found found = {.status = samples[i].status,
                                .rollouts = work->rollouts,
                                .steps = work->steps,
                                .newton_iterations = work->newton_iterations,
                                .evaluations = work->evaluations,
                                .loss = samples[i].loss,
                                .contact_seconds = work->contact_seconds};
    dc_buffer_add(out, &found, sizeof found);
    bool fatal = found.status && found.status != DC_INFEASIBLE && found.status != DC_NUMERICAL;
    if (fatal && !text[0])
      text = samples[i].error.text;
  }
  for (int i = 0; i < count && job->gradient; i++)
    add_reals(out, samples[i].gradient, (size_t)job->parameters);
  dc_buffer_add(out, text, strnlen(text, TEXT - 1));
  dc_buffer_add(out, "", 1);
}

static enum dc_status roll_out(struct service *service, const struct head *head, struct dc_error *error)
{
  struct job job;
  size_t at = sizeof *head;
  const double *points;
  const void *part = dc_buffer_take(&service->in, &at, sizeof job);
  if (!part || head->count < 0 || head->count > INT32_MAX)
    return dc_fail(error, DC_USAGE, "points that are cut off");
  memcpy(&job, part, sizeof job);
  int count = (int)head->count;
  size_t parameters = (size_t)job.parameters;
  struct bench *bench = &service->benches[job.gradient != 0];
  bool fits = bench->plan && bench->plan->capacity == job.capacity && bench->plan->coarseness == job.coarseness;
  enum dc_status status = fits ? DC_OK : make_bench(service, &job, bench, error);
  if (!status)
    status = set_up(service, &job, count, bench, &at, &points, error);
  if (status)
    return status;
  struct dc_plan_sample *samples = dc_alloc((size_t)count, sizeof *samples);
  double *gradients = dc_alloc(job.gradient ? (size_t)count * parameters : 0, sizeof *gradients);
  if (!samples || !gradients ||
      !dc_buffer_reserve(&service->out,
                         sizeof *head + TEXT + (size_t)count * (sizeof(struct found) + parameters * sizeof(double))))
    status = dc_fail(error, DC_MEMORY, "out of memory for rollouts");
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

static enum dc_status help(struct service *service, struct dc_error *error)
{
  const struct head head = {.kind = ANSWER};
  service->out.size = 0;
  if (!dc_buffer_append(&service->out, &head, sizeof head))
    return dc_fail(error, DC_MEMORY, "out of memory for an answer");
  enum dc_status status = service->help(service->context, &service->in, sizeof head, &service->out, error);
  return !status && service->out.size > INT32_MAX ? dc_fail(error, DC_MEMORY, "an answer of more than 2 GB") : status;
}

enum dc_status dc_plan_crew_serve(const struct dc_transport *transport, const char *identity,
                                  const struct dc_model *model, const struct dc_task *task, dc_plan_crew_help *helper,
                                  void *context, struct dc_error *error)
{
  struct service service = {.model = model, .task = task, .help = helper, .context = context};
  struct head head = {.kind = POINTS};
  enum dc_status status = DC_OK;
  send_text(transport, 0, HELLO, DC_OK, identity);
  while (!status && (head.kind == POINTS || head.kind == ERRAND)) {
    struct dc_error local = {0};
    int from;
    if (!receive(transport, &service.in, &from, &head))
      status = dc_fail(error, DC_MEMORY, "out of memory for the points of rank 0");
    if (status || (head.kind != POINTS && head.kind != ERRAND))
      break;
    bool points = head.kind == POINTS;
    enum dc_status done = points ? roll_out(&service, &head, &local) : help(&service, &local);
    if (done)
      send_text(transport, 0, points ? LOSSES : ANSWER, done, local.text);
    else
      transport->send(0, service.out.bytes, (int)service.out.size);
  }
  for (int i = 0; i < 2; i++)
    clear_bench(&service.benches[i]);
  dc_buffer_release(&service.in);
  dc_buffer_release(&service.out);
  return status;
}

// Until one of a kind has come from so many ranks.
static void await(const struct dc_transport *transport, enum kind kind, int ranks)
{
  struct dc_buffer in = {0};
  struct head head;
  for (int from; ranks > 0 && receive(transport, &in, &from, &head);)
    ranks -= head.kind == kind;
  dc_buffer_release(&in);
}

void dc_plan_crew_part(const struct dc_transport *transport, bool served, enum dc_status status, const char *why)
{
  if (transport->rank > 0) {
    if (!served) {
      send_text(transport, 0, FAILED, status, why);
      await(transport, END, 1);
    }
    send_text(transport, 0, LEFT, DC_OK, NULL);
    return;
  }
  for (int rank = 1; rank < transport->ranks; rank++)
    send_text(transport, rank, END, DC_OK, NULL);
  await(transport, LEFT, transport->ranks - 1);
}
