// SPDX-License-Identifier: Apache-2.0
// Other processes that roll out for the plans of this one: MPI ranks, or whatever a transport reaches.
//
// Every rank opens the same scene.  Rank 0 optimizes; when it needs the losses of many points it deals them out, point
// i to rank i modulo their number, does its own share on its own threads, and waits for the rest.  A message contains
// everything on which a rollout depends, so that ranks need no memory of earlier ones.  A point has the same bits
// wherever it is rolled out: results depend neither on the number of ranks nor on their speed.
#ifndef DC_PLAN_CREW_H
#define DC_PLAN_CREW_H

#include "base/buffer.h"
#include "base/transport.h"
#include "plan/worker.h"

// Rank 0's view of the others.
struct dc_plan_crew;

// Rank 0: waits until all others have reported.  DC_USAGE when an identity (a text of at most 200 bytes) differs, the
// rank's own status when one could not start, DC_MEMORY.  *crew is NULL then.
enum dc_status dc_plan_crew_gather(const struct dc_transport *transport, const char *identity,
                                   struct dc_plan_crew **crew, struct dc_error *error);
void dc_plan_crew_destroy(struct dc_plan_crew *crew);
// Number of ranks, including this one; 1 for NULL.
int dc_plan_crew_ranks(const struct dc_plan_crew *crew);

// Sends other ranks their samples and returns the number of ranks that share them: samples whose number is a multiple
// of that are the caller's.  The message holds window, start, state, stiffness and far field of the plan, and the
// model's coarseness.
int dc_plan_crew_deal(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                      const struct dc_plan_sample *samples);
// Waits for the results of the others.
void dc_plan_crew_collect(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                          struct dc_plan_sample *samples);

// Sends work of another kind, which the rank's helper answers.  A rank gets no other message before it has answered.
// DC_OK, DC_MEMORY (also when the message is too large to be sent in one piece).
enum dc_status dc_plan_crew_send(struct dc_plan_crew *crew, int rank, const struct dc_buffer *message,
                                 struct dc_error *error);
// Returns the next answer, its sender, and where it begins in *answer, which is valid until the next call; or the
// failure of a helper.
enum dc_status dc_plan_crew_answer(struct dc_plan_crew *crew, int *rank, const struct dc_buffer **answer, size_t *at,
                                   struct dc_error *error);

// Answers a message that begins at `at`, by appending to *answer.
typedef enum dc_status dc_plan_crew_help(void *context, const struct dc_buffer *message, size_t at,
                                         struct dc_buffer *answer, struct dc_error *error);

// Runs another rank: reports its identity, then rolls out and helps until rank 0 ends the work.
enum dc_status dc_plan_crew_serve(const struct dc_transport *transport, const char *identity,
                                  const struct dc_model *model, const struct dc_task *task, dc_plan_crew_help *helper,
                                  void *context, struct dc_error *error);

// The last messages.  Rank 0 ends the work of all others and waits until they have left.  Another rank leaves; unless
// it has served to the end, it first sends its status and reason, with which rank 0 fails, and waits for the end.
void dc_plan_crew_part(const struct dc_transport *transport, bool served, enum dc_status status, const char *why);

#endif
