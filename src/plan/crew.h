// SPDX-License-Identifier: Apache-2.0
// Other processes that roll out for the plans of this one: ranks of MPI, or whatever a transport reaches.
//
// Every rank opens the same scene.  Rank 0 optimizes; where it has the losses of many points to find it deals these
// out, point i to rank i modulo their number, does its own share on its own threads and waits for the rest.  What a
// rank is sent holds all that a rollout depends on, so that ranks remember nothing, and a point has the same bits
// wherever it was rolled out: results depend neither on the number of ranks nor on which of them are fast.
#ifndef DC_PLAN_CREW_H
#define DC_PLAN_CREW_H

#include "base/buffer.h"
#include "base/transport.h"
#include "plan/worker.h"

// Rank 0's view of the others.
struct dc_plan_crew;

// Rank 0: waits for all others to say who they are.  DC_USAGE when one of them differs in its identity (a text of at
// most 200 bytes), the rank's own status when one could not begin, DC_MEMORY.  *crew is NULL then.
enum dc_status dc_plan_crew_gather(const struct dc_transport *transport, const char *identity,
                                   struct dc_plan_crew **crew, struct dc_error *error);
void dc_plan_crew_destroy(struct dc_plan_crew *crew);
// Ranks, this one included; 1 for NULL.
int dc_plan_crew_ranks(const struct dc_plan_crew *crew);

// Sends the samples of the others to them; how many ranks share the samples: those whose number is a multiple of that
// are the caller's.  What a rank is told of the plan is its window, start, state, stiffness, far field and the model's
// coarseness.
int dc_plan_crew_deal(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                      const struct dc_plan_sample *samples);
// Waits for what the others have found.
void dc_plan_crew_collect(struct dc_plan_crew *crew, const struct dc_plan *plan, int count,
                          struct dc_plan_sample *samples);

// Work of another kind: a message that the rank's helper answers.  Between a message to a rank and its answer there is
// none other to it.  DC_OK, DC_MEMORY; what cannot be sent in one piece is DC_MEMORY, too.
enum dc_status dc_plan_crew_send(struct dc_plan_crew *crew, int rank, const struct dc_buffer *message,
                                 struct dc_error *error);
// The next answer, from whom, and where it begins in *answer, which is valid until the next one; or how a helper
// failed.
enum dc_status dc_plan_crew_answer(struct dc_plan_crew *crew, int *rank, const struct dc_buffer **answer, size_t *at,
                                   struct dc_error *error);

// Answers a message, which begins at `at`: adds to *answer.
typedef enum dc_status dc_plan_crew_help(void *context, const struct dc_buffer *message, size_t at,
                                         struct dc_buffer *answer, struct dc_error *error);

// Another rank: says who it is, rolls out what it is sent and helps until rank 0 ends the work.
enum dc_status dc_plan_crew_serve(const struct dc_transport *transport, const char *identity,
                                  const struct dc_model *model, const struct dc_task *task, dc_plan_crew_help *helper,
                                  void *context, struct dc_error *error);

// The last messages.  Rank 0 ends the work of all others and waits until they have left; another rank leaves, unless it
// has served to the end it first says its status and why, which rank 0 then fails with, and waits for the end.
void dc_plan_crew_part(const struct dc_transport *transport, bool served, enum dc_status status, const char *why);

#endif
