// SPDX-License-Identifier: Apache-2.0
// Messages between ranks (crew.h): a head, then data by kind, all of it numbers of 8 bytes, with a text at the end.
//
//     HELLO   to rank 0: who a rank is                  text: the identity
//     POINTS  from rank 0                               struct dc_crew_job, state, start, points
//     LOSSES  to rank 0: the answer                     struct dc_crew_found [count], gradients; text: what went wrong
//     ERRAND  from rank 0                               what the helper reads
//     ANSWER  to rank 0                                 what the helper has written; text: what went wrong
//     FAILED  to rank 0: a rank cannot go on            text: why
//     END     from rank 0: there is no more work
//     LEFT    to rank 0: the last message of a rank
#ifndef DC_PLAN_CREW_MESSAGES_H
#define DC_PLAN_CREW_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "base/transport.h"

enum dc_crew_kind {
  DC_CREW_HELLO = 1,
  DC_CREW_POINTS,
  DC_CREW_LOSSES,
  DC_CREW_ERRAND,
  DC_CREW_ANSWER,
  DC_CREW_FAILED,
  DC_CREW_END,
  DC_CREW_LEFT
};
enum { DC_CREW_TEXT = 1024 };

struct dc_crew_head {
  int64_t kind, status, count;
};

// Data that all points of a message share.
struct dc_crew_job {
  int64_t first, steps, capacity, coarseness, parameters, state, tight, gradient, starts, goes_on, impacts,
      most_iterations;
  double stiffness, far_field, before_length;
};

// Result of each point, after LOSSES.
struct dc_crew_found {
  int64_t status, rollouts, steps, newton_iterations, evaluations;
  double loss, contact_seconds;
};

void dc_crew_add_reals(struct dc_buffer *buffer, const double *reals, size_t count);
// Sends a message that consists of a text; NULL: an empty one.
void dc_crew_send_text(const struct dc_transport *transport, int to, enum dc_crew_kind kind, enum dc_status status,
                       const char *text);
// Waits for the next message; returns sender and head; false: out of memory.
bool dc_crew_receive(const struct dc_transport *transport, struct dc_buffer *in, int *from, struct dc_crew_head *head);
// Returns the text that begins at `at`, "" where there is none.
const char *dc_crew_text(const struct dc_buffer *in, size_t at);

#endif
