// SPDX-License-Identifier: Apache-2.0
// One thread polls the caller; an atomic flag carries a refusal to all other threads.
#include "base/stop_request.h"

void dc_stop_request_begin(struct dc_stop_request *request, bool (*proceed)(void *context), void *context)
{
  request->proceed = proceed;
  request->context = context;
  request->thread = pthread_self();
  atomic_store(&request->stopped, false);
}

// Only the thread that began may call back, because the caller's function need not be safe for threads.
bool dc_stop_request_goes_on(void *request)
{
  struct dc_stop_request *stop = request;
  bool asks = pthread_equal(stop->thread, pthread_self()) && !atomic_load(&stop->stopped);
  if (asks && !stop->proceed(stop->context))
    atomic_store(&stop->stopped, true);
  return !atomic_load(&stop->stopped);
}
