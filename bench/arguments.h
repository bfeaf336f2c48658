// SPDX-License-Identifier: Apache-2.0
// Benchmarks with settings.  Private to bench.
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

#include "api/internal.h"

// "path=value" arguments, as of --set.
struct dc_bench_arguments {
  int count;
  const char *const *settings;
};

enum dc_status dc_api_bench_witness(const struct dc_bench_arguments *arguments, struct dc_json_writer *json,
                                    struct dc_text *text, struct dc_error *error);
enum dc_status dc_api_bench_witness_time(const struct dc_bench_arguments *arguments, struct dc_json_writer *json,
                                         struct dc_text *text, struct dc_error *error);

#endif
