// SPDX-License-Identifier: Apache-2.0
// Requests to stop that are heard within what takes long.  One thread, that of the caller who may want to stop, asks it
// now and then whether to go on; the other threads that share the request hear what it said.
#ifndef DC_BASE_STOP_REQUEST_H
#define DC_BASE_STOP_REQUEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

// Stays where it is: threads refer to it.
struct dc_stop_request {
  bool (*proceed)(void *context);  // false: stop
  void *context;
  pthread_t thread;     // the one that asks
  atomic_bool stopped;  // it was told to stop
};

// From now on the calling thread asks proceed; nobody has said anything yet.
void dc_stop_request_begin(struct dc_stop_request *request, bool (*proceed)(void *context), void *context);

// Whether to go on, on any thread.  request: a struct dc_stop_request *, as functions are given it that are asked so.
bool dc_stop_request_goes_on(void *request);

#endif
