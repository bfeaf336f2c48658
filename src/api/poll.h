// SPDX-License-Identifier: Apache-2.0
// The caller's wish to end a call of a problem or a simulation before it is done.  Private to src/api.
#ifndef DC_API_POLL_H
#define DC_API_POLL_H

#include <dcsim.h>

#include "base/stop_request.h"

// Must stay at its address.  Zeros: nobody is asked.
struct dc_api_poll {
  dcsim_poll_function *function;
  void *context;
  double asked;  // time when the function was called last, s
  struct dc_stop_request request;
};

// Begins a call of the handle: the request, to which its rollouts refer, asks the function on this thread.
void dc_api_poll_begin(struct dc_api_poll *poll);

#endif
