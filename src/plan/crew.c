// SPDX-License-Identifier: Apache-2.0
// Rank 0 of a crew: hands out samples, collects losses, forwards other work; and the last messages of all ranks.
//
// Samples are dealt like cards: rank r of s gets r, r + s, r + 2 s, ..., and rank 0 rolls out its own share in
// between.  Where a sample is rolled out changes none of its bits.  An answer has, for all samples of a rank, first
// the losses and counts, then the gradients, then the text of the first error.
#include "plan/crew.h"

#include <stdlib.h>
#include <string.h>

#include "plan/crew_messages.h"

struct dc_plan_crew {
  struct dc_transport transport;
  struct dc_buffer out, in;
  int shared;  // number of ranks that share the present samples
};

// Checks the first message of one rank: its identity, or why it could not begin.
static enum dc_status greet(const struct dc_transport *transport, struct dc_buffer *in, const char *identity,
                            struct dc_error *error)
{
  struct dc_crew_head head;
  int from;
  if (!dc_crew_receive(transport, in, &from, &head))
    return dc_out_of_memory_for(error, "the ranks");
  const char *text = dc_crew_text(in, sizeof head);
  if (head.kind != DC_CREW_HELLO)
    return dc_fail(error, head.status ? (enum dc_status)head.status : DC_USAGE, "rank %d could not begin: %.900s", from,
                   text);
  if (strcmp(text, identity) != 0)
    return dc_fail(error, DC_USAGE, "rank %d has another version, scene or machine: %.300s; rank 0 has %.300s", from,
                   text, identity);
  return DC_OK;
}

// *crew is owned by the caller; every rank must have greeted with the same identity, that is the same build and scene.
enum dc_status dc_plan_crew_gather(const struct dc_transport *transport, const char *identity,
                                   struct dc_plan_crew **crew, struct dc_error *error)
{
  struct dc_plan_crew *made = dc_alloc(1, sizeof *made);
  enum dc_status status = made ? DC_OK : dc_out_of_memory_for(error, "the ranks");
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

// Number of the count samples that a rank gets; ranks beyond `shared` get none.
static int share_of(int rank, int shared, int count)
{
  return rank < shared ? (count - rank - 1) / shared + 1 : 0;
}

// Writes a message with the points rank, rank + shared, ...; false: out of memory, or more bytes than a message can
// have.  After the head and the job: state, then start q, velocity, q before and memory as far as the job says they
// are there, then the points [share][parameters]. crew_serve.c reads them in this order.
static bool write_points(struct dc_plan_crew *crew, const struct dc_plan *plan, int rank, int count,
                         const struct dc_plan_sample *samples)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  const struct dc_plan_start *start = &plan->start;
  size_t parameters = (size_t)plan->parameter_count, nq = (size_t)bodies->nq, nv = (size_t)bodies->nv;
  int share = share_of(rank, crew->shared, count);
  struct dc_buffer *out = &crew->out;
  const struct dc_crew_head head = {.kind = DC_CREW_POINTS, .count = share};
  const struct dc_crew_job job = {.first = plan->window.first,
                                  .steps = plan->window.steps,
                                  .capacity = plan->sizes.steps,
                                  .coarseness = plan->scaled.coarseness,
                                  .parameters = plan->parameter_count,
                                  .state = plan->sizes.state,
                                  .tight = dc_rollout_is_tight(plan->rollout),
                                  .gradient = samples[rank].gradient != NULL,
                                  .starts = start->q != NULL,
                                  .goes_on = start->q && start->q_before,
                                  .impacts =
                                      start->q && start->memory ? (int64_t)dc_model_memory_count(plan->model) : 0,
                                  .most_iterations = plan->descent.most_iterations,
                                  .stiffness = plan->scaled.stiffness,
                                  .far_field = plan->scaled.far_field,
                                  .before_length = start->before_length};
  size_t reals = (size_t)plan->sizes.state + 2 * nq + nv + (size_t)job.impacts + (size_t)share * parameters;
  out->size = 0;
  if (!dc_buffer_reserve(out, sizeof head + sizeof job + reals * sizeof(double)))
    return false;
  dc_buffer_add(out, &head, sizeof head);
  dc_buffer_add(out, &job, sizeof job);
  dc_crew_add_reals(out, plan->state, (size_t)plan->sizes.state);
  dc_crew_add_reals(out, start->q, job.starts ? nq : 0);
  dc_crew_add_reals(out, start->velocity, job.starts ? nv : 0);
  dc_crew_add_reals(out, start->q_before, job.goes_on ? nq : 0);
  dc_crew_add_reals(out, start->memory, (size_t)job.impacts);
  for (int i = rank; i < count; i += crew->shared)
    dc_crew_add_reals(out, samples[i].parameters, parameters);
  return out->size < INT32_MAX;
}

// Sends every other rank its share of the points and returns how many ranks share, this one included. Room for the
// largest answer is reserved before anything is sent: from then on nothing here can fail while others wait.
int dc_plan_crew_deal(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                      const struct dc_plan_sample *samples)
{
  crew->shared = count < crew->transport.ranks ? count : crew->transport.ranks;
  for (int rank = 1; rank < crew->shared; rank++) {
    // The largest share comes first: if there is memory for it, there is for all.
    if (!write_points(crew, plan, rank, count, samples) ||
        !dc_buffer_reserve(&crew->in,
                           (size_t)share_of(rank, crew->shared, count) *
                                   (sizeof(struct dc_crew_found) + (size_t)plan->parameter_count * sizeof(double)) +
                               2 * sizeof(struct dc_crew_head) + DC_CREW_TEXT + 1))
      return crew->shared = 1;
    crew->transport.send(rank, crew->out.bytes, (int)crew->out.size);
  }
  return crew->shared > 0 ? crew->shared : 1;
}

// Gives all samples of a rank the same failure.
static void fail_share(const struct dc_plan_crew *crew, int rank, int count, struct dc_plan_sample *samples,
                       enum dc_status status, const char *text)
{
  for (int i = rank; i < count; i += crew->shared)
    samples[i].status = dc_fail(&samples[i].error, status, "rank %d: %.900s", rank, text);
}

// Fills in the samples of a rank; false: the message is malformed.
static bool read_losses(const struct dc_plan_crew *crew, int rank, int count, size_t parameters,
                        struct dc_plan_sample *samples)
{
  size_t at = sizeof(struct dc_crew_head);
  for (int i = rank; i < count; i += crew->shared) {
    struct dc_crew_found found;
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
      dc_fail(&samples[i].error, samples[i].status, "rank %d: %.900s", rank, dc_crew_text(&crew->in, at));
  return true;
}

// Takes the answers in the order in which they come; each knows its own places, so that results do not depend on that
// order. A rank that failed fails its share alone.
void dc_plan_crew_collect(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                          struct dc_plan_sample *samples)
{
  for (int missing = crew->shared - 1; missing > 0; missing--) {
    struct dc_crew_head head;
    int from = 0;
    if (!dc_crew_receive(&crew->transport, &crew->in, &from, &head))
      abort();  // room for every answer was reserved when the points were dealt
    const char *text = dc_crew_text(&crew->in, sizeof head);
    if (head.kind != DC_CREW_LOSSES || head.status)
      fail_share(crew, from, count, samples, head.status ? (enum dc_status)head.status : DC_USAGE, text);
    else if (!read_losses(crew, from, count, (size_t)plan->parameter_count, samples))
      fail_share(crew, from, count, samples, DC_USAGE, "an answer that is cut off");
  }
}

enum dc_status dc_plan_crew_send(struct dc_plan_crew *crew, int rank, const struct dc_buffer *message,
                                 struct dc_error *error)
{
  const struct dc_crew_head head = {.kind = DC_CREW_ERRAND};
  crew->out.size = 0;
  if (message->size > INT32_MAX - sizeof head || !dc_buffer_append(&crew->out, &head, sizeof head) ||
      !dc_buffer_append(&crew->out, message->bytes, message->size))
    return dc_out_of_memory_for(error, "a message to rank %d", rank);
  crew->transport.send(rank, crew->out.bytes, (int)crew->out.size);
  return DC_OK;
}

enum dc_status dc_plan_crew_answer(struct dc_plan_crew *crew, int *rank, const struct dc_buffer **answer, size_t *at,
                                   struct dc_error *error)
{
  struct dc_crew_head head;
  if (!dc_crew_receive(&crew->transport, &crew->in, rank, &head))
    return dc_out_of_memory_for(error, "an answer of a rank");
  *answer = &crew->in;
  *at = sizeof head;
  if (head.kind == DC_CREW_ANSWER && !head.status)
    return DC_OK;
  return dc_fail(error, head.status ? (enum dc_status)head.status : DC_USAGE, "rank %d: %.900s", *rank,
                 dc_crew_text(&crew->in, sizeof head));
}

// Waits for messages of one kind from so many ranks.
static void await(const struct dc_transport *transport, enum dc_crew_kind kind, int ranks)
{
  struct dc_buffer in = {0};
  struct dc_crew_head head;
  for (int from; ranks > 0 && dc_crew_receive(transport, &in, &from, &head);)
    ranks -= head.kind == kind;
  dc_buffer_release(&in);
}

// The end of the work of a crew. Rank 0 tells all others and waits until they have left; the others say why, if they
// fail before they were told, and leave. Nobody is gone while somebody else may still send to it.
void dc_plan_crew_part(const struct dc_transport *transport, bool served, enum dc_status status, const char *why)
{
  if (transport->rank > 0) {
    if (!served) {
      dc_crew_send_text(transport, 0, DC_CREW_FAILED, status, why);
      await(transport, DC_CREW_END, 1);
    }
    dc_crew_send_text(transport, 0, DC_CREW_LEFT, DC_OK, NULL);
    return;
  }
  for (int rank = 1; rank < transport->ranks; rank++)
    dc_crew_send_text(transport, rank, DC_CREW_END, DC_OK, NULL);
  await(transport, DC_CREW_LEFT, transport->ranks - 1);
}
