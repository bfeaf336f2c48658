// SPDX-License-Identifier: Apache-2.0
// Steps of small scenes take microseconds and evaluate their potential several times, so that the caller's function is
// asked by the clock.
#include "api/poll.h"

#include "base/clock.h"

static const double PATIENCE = 0.05;  // s

// Whether to go on.  The caller's function is asked at most every PATIENCE seconds, counted from the end of its last
// call, so that a slow function does not take all the time.
static bool proceed(void *context)
{
  struct dc_api_poll *poll = context;
  if (!poll->function)
    return true;
  double now = dc_seconds();
  if (now - poll->asked < PATIENCE)
    return true;
  int answer = poll->function(poll->context);
  poll->asked = dc_seconds();
  return answer == 0;
}

// The calling thread becomes the one that polls; the function is first asked after PATIENCE.
void dc_api_poll_begin(struct dc_api_poll *poll)
{
  poll->asked = dc_seconds();
  dc_stop_request_begin(&poll->request, proceed, poll);
}
