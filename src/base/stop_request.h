// SPDX-License-Identifier: Apache-2.0
// Stop requests for long computations.  The thread that began the computation polls the caller's function now and then;
// all other threads that share the request see its answer through an atomic flag.
#ifndef DC_BASE_STOP_REQUEST_H
#define DC_BASE_STOP_REQUEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

// The request must stay at its address, since threads refer to it.
struct dc_stop_request {
  bool (*proceed)(void *context);  // polled by one thread; false: stop
  void *context;
  pthread_t thread;     // the thread that polls
  atomic_bool stopped;  // proceed has returned false
};

// Starts a request: from now on the calling thread polls proceed.
void dc_stop_request_begin(struct dc_stop_request *request, bool (*proceed)(void *context), void *context);

// Whether to continue; may be called on any thread.  request: a struct dc_stop_request *, untyped for callbacks.
bool dc_stop_request_goes_on(void *request);

#endif
