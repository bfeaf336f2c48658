// SPDX-License-Identifier: Apache-2.0
// Built-in benchmarks.
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "contact/bench_force.h"
#include "contact/bench_pairs.h"

static void put_rates(struct dc_json_writer *json, struct dc_text *text, const struct dc_pair_rate *rate)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "kernel", rate->name);
  dc_json_put_integer(json, "width", rate->width);
  dc_json_put_numbers(json, "cold", rate->cold, 3);
  dc_json_put_numbers(json, "warm", rate->warm, 3);
  dc_json_end(json, '}');
  dc_text_add(text, "%-10s %8.2f %8.2f %8.2f   %8.2f %8.2f %8.2f\n", rate->name, 1e-6 * rate->cold[0],
              1e-6 * rate->cold[1], 1e-6 * rate->cold[2], 1e-6 * rate->warm[0], 1e-6 * rate->warm[1],
              1e-6 * rate->warm[2]);
}

static enum dc_status bench_pairs(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  struct dc_pair_rates rates;
  enum dc_status status = dc_bench_pairs(&rates, error);
  if (status)
    return status;
  dc_text_add(text,
              "million triangle pairs per second on one core: energy, and gradient, and Hessian\n%-10s %26s   %26s\n",
              "kernel", "cold", "warm");
  dc_json_begin(json, "pairs", '[');
  for (int i = 0; i < rates.kernels; i++)
    put_rates(json, text, &rates.kernel[i]);
  put_rates(json, text, &rates.paper);
  dc_json_end(json, ']');
  return DC_OK;
}

enum { FORCE_LINES = 20 };

static enum dc_status bench_forces(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  struct dc_force_profile rows[DC_FORCE_PROFILES];
  enum dc_status status = dc_bench_force_profiles(FORCE_LINES, rows, error);
  if (status)
    return status;
  dc_text_add(text,
              "force of the hierarchy over that of all triangle pairs on %d random lines, from touching to ten sizes\n"
              "%-14s %-11s %6s %10s %10s %10s\n",
              FORCE_LINES, "bodies", "weights", "blend", "least", "most", "rise");
  dc_json_begin(json, "forces", '[');
  for (int i = 0; i < DC_FORCE_PROFILES; i++) {
    const struct dc_force_profile *row = &rows[i];
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "bodies", row->bodies);
    dc_json_put_string(json, "weights", row->weights);
    dc_json_put_number(json, "blend", row->blend);
    dc_json_put_number(json, "least", row->least);
    dc_json_put_number(json, "most", row->most);
    dc_json_put_number(json, "rise", row->rise);
    dc_json_end(json, '}');
    dc_text_add(text, "%-14s %-11s %6.2f %10.4g %10.4g %10.4g\n", row->bodies, row->weights, row->blend, row->least,
                row->most, row->rise);
  }
  dc_json_end(json, ']');
  return DC_OK;
}

static const struct benchmark {
  const char *name, *summary;
  enum dc_status (*run)(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error);
} benchmarks[] = {{"pairs", "speed of the triangle-pair kernels beside the paper's formulation", bench_pairs},
                  {"forces", "force of the hierarchy beside that of all triangle pairs", bench_forces},
                  {NULL, NULL, NULL}};

int dcsim_bench(const char *name, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  enum dc_status status = name ? dc_fail(&local, DC_USAGE, "no benchmark \"%s\"", name) : DC_OK;
  dc_json_begin(&json, NULL, '{');
  for (int i = 0; benchmarks[i].name; i++) {
    if (!name) {
      dc_json_put_string(&json, benchmarks[i].name, benchmarks[i].summary);
      dc_text_add(&text, "%-12s %s\n", benchmarks[i].name, benchmarks[i].summary);
    } else if (strcmp(name, benchmarks[i].name) == 0) {
      status = benchmarks[i].run(&json, &text, &local);
    }
  }
  dc_json_end(&json, '}');
  if (!status)
    return dc_api_report(report, &text, &json, error);
  free(dc_json_finish(&json));
  dc_text_free(&text);
  return dc_api_fail(error, &local, status);
}
