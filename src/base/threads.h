// SPDX-License-Identifier: Apache-2.0
// Parallel loops whose helper threads cost nothing while the machine is busy elsewhere.
//
// The caller runs passes itself; helpers that find a core run passes too, each first those dealt to it.  When none is
// left, the caller waits only for passes that a helper has begun, never for a helper that has not started.  Waiting
// helpers poll for a fraction of a millisecond, most of it by yielding the core, then sleep.
//
// A team of OpenMP threads cannot do that beside other processes: its barriers wait for every thread, begun or not
// (docs/theory.md, "Threads").  The number of threads is OpenMP's (OMP_NUM_THREADS, omp_set_num_threads), the one
// setting for all of dcsim.
#ifndef DC_BASE_THREADS_H
#define DC_BASE_THREADS_H

#include <stdbool.h>

// One pass.  thread is in [0, dc_threads()), 0 for the caller; two passes at the same time have different ones.  Passes
// write to separate places, so that results depend neither on their order nor on the number of threads.
typedef void dc_loop_pass(void *context, int index, int thread);

// Measured time of a loop, kept by whoever runs it repeatedly; zeros at the start.
struct dc_loop_history {
  double seconds;  // one thread's work on all passes, smoothed
};

// Number of threads for a loop begun here: OpenMP's number; 1 inside a pass or a parallel region.
int dc_threads(void);

// The same, but at most the number of cores that other programs leave free (cores.h), for speculative work.  1 to
// dc_threads().
int dc_threads_with_cores(void);

// Whether loops begun now may get help: there is more than one thread, and helpers are not paused because they did not
// pay.  Callers ask before they cut work into passes at some cost; the answer must never change a result.
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
