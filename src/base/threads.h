// SPDX-License-Identifier: Apache-2.0
// Loops whose passes run side by side, on threads that cost nothing while the machine is busy elsewhere.
//
// The caller works through the passes itself; helpers that happen to run take passes too, each first those dealt to it.
// When none is left the caller waits for passes that a helper has begun, never for a helper that has not come to run.
// Waiting is sleeping, but for a fraction of a millisecond, most of it behind all others that want the core.  Beside
// other processes a team of OpenMP cannot do that: its barriers wait for every thread, begun or not (docs/theory.md,
// "Threads").  The number of threads is OpenMP's (OMP_NUM_THREADS, omp_set_num_threads), the one setting for all of
// dcsim.
#ifndef DC_BASE_THREADS_H
#define DC_BASE_THREADS_H

#include <stdbool.h>

// One pass.  thread: in [0, dc_threads()), the caller's 0; two passes at the same time have different ones.  Passes
// write to places of their own, so that results depend neither on their order nor on the number of threads.
typedef void dc_loop_pass(void *context, int index, int thread);

// What is known of a loop from its last runs, kept by whoever runs it again and again; zeros at the start.
struct dc_loop_history {
  double seconds;  // one thread's work on all passes, smoothed
};

// The threads that a loop begun here may have: OpenMP's number; 1 inside a pass or a parallel region.
int dc_threads(void);

// The same, but no more than there are cores that other programs leave free (cores.h): for work that may turn out
// needless.  1 to dc_threads().
int dc_threads_with_cores(void);

// Whether loops begun now may get help: more than one thread, and no pause because helpers did not pay.  Asked where
// work is cut into passes at some cost, which never may change a result.
bool dc_threads_pay(void);

// Runs pass 0 ... count - 1, each once, and returns when all are done.  At most most_threads at a time (0: any number).
// history: helpers are called only where measured times say that it pays; NULL: always (for passes of milliseconds and
// more).  Inside a pass, or while another thread of the program runs a loop, all passes run on the caller.
void dc_loop_run(dc_loop_pass *pass, void *context, int count, int most_threads, struct dc_loop_history *history);

// For tests.  always: helpers are called for every loop of two or more passes, whatever it costs, and the caller leaves
// them the first pass to take.
void dc_loops_always_shared(bool always);

struct dc_loop_counts {
  long shared;     // loops that helpers were called for
  long helped;     // of these, those in which one took a pass
  double helpers;  // processor time of helpers in passes, s
  double waited;   // time of callers waiting for passes begun by helpers, s
};
struct dc_loop_counts dc_loop_counts(void);  // of the program so far

#endif
