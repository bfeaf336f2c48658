// SPDX-License-Identifier: Apache-2.0
// Many tasks of witness points at once: the tables of paper 002 (docs/theory.md, "Refinement").
#ifndef BENCH_WITNESS_H
#define BENCH_WITNESS_H

#include "optimize/optimizer.h"
#include "bench/objects.h"
#include "plan/refine.h"

// The option table is dc_bench_witness_options; refine and the method of least squares come beside it.
struct dc_bench_witness_settings {
  int objects;  // enum dc_bench_set
  long tasks;
  long seed;  // of objects and tasks
  double slack, relative_slack;
  bool both;  // the first object moves, too
  const struct dc_refine_settings *refine;
};
extern const struct dc_option dc_bench_witness_options[];

// Statistics of the values with which tasks end (paper 002, section V-A).
struct dc_bench_witness_score {
  double accuracy;       // share below 1e-6 m^2
  double median, ninth;  // D5 and D9, m^2
};

struct dc_bench_witness_result {
  int tasks;
  struct dc_bench_witness_score best;  // of the lowest value of each task, whose point is the result
  struct dc_bench_witness_score last;  // of the value of the last iteration: the paper's rule
  bool last_counts;  // false: the method begins anew and tries steps that it does not take, its last value says nothing
  double queries;    // a task, in the mean
  double iterations;  // a task, in the mean
  double seconds;     // processor time of minimizing, of all threads together
};

// Minimizes every task; tasks are spread over threads, results do not depend on their number (seconds apart).  Statuses
// of the method; DC_MEMORY.
enum dc_status dc_bench_witness(const struct dc_bench_witness_settings *settings,
                                const struct dc_optimizer_type *method, const void *method_options,
                                struct dc_bench_witness_result *result, struct dc_error *error);

struct dc_bench_witness_times {
  int tasks;
  long poses;  // queries that were timed, along the ways that normalized descent takes
  // Processor time, s, of one query; of its derivative; of one evaluation with the direction of descent, which holds
  // both and the bodies' frames.  Of methods that difference queries, backward is iteration less forward.
  double forward, backward, iteration;
  // Parts of backward: drawing samples, smoothing them, passing one side's result through the other; and, not in it,
  // transport.  NAN where the method has no such part.
  double sampling, smoothing, passing, transport;
};

// One thread; the derivative is that of settings->refine->witness.
enum dc_status dc_bench_witness_time(const struct dc_bench_witness_settings *settings,
                                     struct dc_bench_witness_times *times, struct dc_error *error);

#endif
