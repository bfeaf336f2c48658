// SPDX-License-Identifier: Apache-2.0
// Benchmarks with settings.  Private to bench.
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

#include "api/internal.h"
#include "bench/bench.h"

enum dc_status dc_api_bench_witness(const struct bench_options *arguments, struct dc_json_writer *json,
                                    struct dc_text *text, struct dc_error *error);
enum dc_status dc_api_bench_witness_time(const struct bench_options *arguments, struct dc_json_writer *json,
                                         struct dc_text *text, struct dc_error *error);
enum dc_status dc_api_bench_tasks(const struct bench_options *options, struct dc_json_writer *json,
                                  struct dc_text *text, struct dc_error *error);

#endif
