// SPDX-License-Identifier: Apache-2.0
// `dcsim bench`: runs the benchmarks of this folder and prints their tables, as text and as JSON.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arguments.h"
#include "bench/force.h"
#include "bench/manifold.h"
#include "bench/manifold_cases.h"
#include "bench/manifold_jumps.h"
#include "bench/pairs.h"
#include "bench/properties.h"
#include "bench/gradients.h"
#include "bench/picture.h"
#include "bench/solvers.h"

static void put_rates(struct dc_json_writer *json, struct dc_text *text, const struct dc_pair_rate *rate)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "kernel", rate->name);
  dc_json_put_integer(json, "width", rate->width);
  dc_json_put_numbers(json, "cold", rate->cold, 3);
  dc_json_put_numbers(json, "warm", rate->warm, 3);
  dc_json_end(json, "}");
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
  dc_json_end(json, "]");
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
    DC_JSON_NUMBERS(json, {"blend", row->blend}, {"least", row->least}, {"most", row->most}, {"rise", row->rise});
    dc_json_end(json, "}");
    dc_text_add(text, "%-14s %-11s %6.2f %10.4g %10.4g %10.4g\n", row->bodies, row->weights, row->blend, row->least,
                row->most, row->rise);
  }
  dc_json_end(json, "]");
  return DC_OK;
}

enum { PROPERTY_LINES = 4 };

// A property of a model: whether it holds and is expected to, and the number that says so.
static void put_property(struct dc_json_writer *json, struct dc_text *text, const char *name, bool holds, bool expected,
                         const char *measured)
{
  dc_json_put_boolean(json, "holds", holds);
  dc_json_put_boolean(json, "expected", expected);
  dc_json_end(json, "}");
  dc_text_add(text, "  %-20s %-4s %s%s\n", name, holds ? "yes" : "no", measured,
              holds == expected ? ""
              : expected        ? "  (expected: yes)"
                                : "  (expected: no)");
}

static void put_barrier(struct dc_json_writer *json, struct dc_text *text,
                        const struct dc_contact_properties *properties)
{
  char measured[200];
  dc_json_begin(json, "barrier", '{');
  DC_JSON_NUMBERS(json, {"growth", properties->barrier.growth}, {"gain", properties->barrier.gain},
                  {"poses", properties->barrier.poses}, {"failures", properties->barrier.failures});
  snprintf(
      measured, sizeof measured,
      "energy times %.3g from gap 1e-2 to 1e-8, last decade adds %.3g times the one before; %ld of %ld poses wrong",
      properties->barrier.growth, properties->barrier.gain, properties->barrier.failures, properties->barrier.poses);
  put_property(json, text, "barrier", properties->barrier.holds, true, measured);
}

static void put_smooth(struct dc_json_writer *json, struct dc_text *text, const struct dc_contact_model *model,
                       const struct dc_contact_properties *properties)
{
  char measured[200];
  dc_json_begin(json, "twice_differentiable", '{');
  DC_JSON_NUMBERS(json, {"step", properties->smooth.step}, {"jump", properties->smooth.jump},
                  {"jump_tenth", properties->smooth.jump_tenth});
  dc_json_put_string(json, "path", properties->smooth.path);
  dc_json_put_integer(json, "paths", properties->smooth.paths);
  snprintf(measured, sizeof measured, "largest jump of second derivatives %.3g at step %.0e, %.3g at a tenth (%s)",
           properties->smooth.jump, properties->smooth.step, properties->smooth.jump_tenth, properties->smooth.path);
  put_property(json, text, "twice differentiable", properties->smooth.holds, dc_properties_expected_smooth(model),
               measured);
}

static void put_pushing(struct dc_json_writer *json, struct dc_text *text, const struct dc_contact_model *model,
                        const struct dc_contact_properties *properties)
{
  char measured[200];
  dc_json_begin(json, "non_prehensile", '{');
  dc_json_put_number(json, "angle", properties->pushing.angle);
  dc_json_put_integer(json, "poses", properties->pushing.poses);
  snprintf(measured, sizeof measured, "force leaves the cone between the bodies by %.2g rad at most, in %ld poses",
           properties->pushing.angle, properties->pushing.poses);
  put_property(json, text, "non-prehensile", properties->pushing.holds, dc_properties_expected_pushing(model),
               measured);
}

static void put_lasting(struct dc_json_writer *json, struct dc_text *text, const struct dc_contact_model *model,
                        const struct dc_contact_properties *properties)
{
  char measured[200];
  dc_json_begin(json, "non_vanishing", '{');
  DC_JSON_NUMBERS(json, {"least", properties->lasting.least}, {"vanishes", properties->lasting.vanishes},
                  {"lines", properties->lasting.lines});
  if (isfinite(properties->lasting.vanishes))
    snprintf(measured, sizeof measured, "force is exactly 0 from a gap of %.3g sizes on", properties->lasting.vanishes);
  else
    snprintf(measured, sizeof measured, "least force up to 1000 sizes %.3g of the one at one size",
             properties->lasting.least);
  put_property(json, text, "non-vanishing", properties->lasting.holds, dc_properties_expected_lasting(model), measured);
}

static enum dc_status bench_properties(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  dc_text_add(text, "properties of paper 000, section 3 (Table 1), as measured\n");
  dc_json_begin(json, "properties", '[');
  for (int i = 0; dc_contact_models[i] && !status; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    struct dc_contact_properties properties;
    if (model->flags & DC_CONTACT_FOREIGN) {
      dc_text_add(text, "%s\n  has no potential\n", model->name);
      continue;
    }
    status = dc_bench_properties(model, PROPERTY_LINES, &properties, error);
    if (status)
      break;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "model", model->name);
    dc_json_put_integer(json, "left_out", properties.left_out);
    dc_text_add(text, "%s\n", model->name);
    if (properties.left_out > 0)
      dc_text_add(text, "  refuses %d of the pairs of bodies, which are left out\n", properties.left_out);
    put_barrier(json, text, &properties);
    put_smooth(json, text, model, &properties);
    put_pushing(json, text, model, &properties);
    put_lasting(json, text, model, &properties);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
  return status;
}

static void put_gradient_entry(struct dc_json_writer *json, struct dc_text *text, const struct dc_gradient_entry *entry)
{
  static const char *const rules[] = {[DC_GRADIENT_EQUALS] = "=", [DC_GRADIENT_ABOVE] = ">", [DC_GRADIENT_BELOW] = "<"};
  double off = fabs(entry->computed - entry->expected), disagreement = fabs(entry->computed - entry->difference);
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "quantity", entry->quantity);
  dc_json_put_number(json, "computed", entry->computed);
  dc_json_put_string(json, "rule", rules[entry->rule]);
  DC_JSON_NUMBERS(json, {"expected", entry->expected}, {"tolerance", entry->tolerance},
                  {"difference", entry->difference});
  dc_json_put_boolean(json, "right", entry->right);
  dc_json_end(json, "}");
  dc_text_add(text, "    %-32s %12.5g  %s %-9.4g", entry->quantity, entry->computed, rules[entry->rule],
              entry->expected);
  if (entry->rule == DC_GRADIENT_EQUALS)
    dc_text_add(text, " off by %-8.2g", off);
  else
    dc_text_add(text, " %15s", "");
  if (!isnan(entry->difference))
    dc_text_add(text, " from differences %-8.2g", disagreement);
  dc_text_add(text, "%s\n", entry->right ? "" : "  WRONG");
}

static enum dc_status put_gradient_case(struct dc_json_writer *json, struct dc_text *text,
                                        const struct dc_contact_model *model, int which, bool *score,
                                        struct dc_error *error)
{
  struct dc_gradient_result result;
  enum dc_status status = dc_bench_gradient(model, which, &result, error);
  if (status)
    return status;
  *score = result.score;
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "case", result.name);
  dc_json_put_string(json, "summary", result.summary);
  dc_json_put_integer(json, "score", result.score);
  dc_json_put_number(json, "seconds", result.seconds);
  if (result.status)
    dc_json_put_string(json, "failure", result.message);
  dc_json_begin(json, "entries", '[');
  dc_text_add(text, "  %s: %s\n", result.name, result.summary);
  for (int i = 0; i < result.count; i++)
    put_gradient_entry(json, text, &result.entries[i]);
  if (result.status)
    dc_text_add(text, "    failed: %s\n", result.message);
  dc_json_end(json, "]}");
  return DC_OK;
}

static enum dc_status bench_gradients(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  struct dc_text scores = {0};
  int count = dc_bench_gradient_count();
  dc_text_add(text, "gradients with known answers: computed, expected, off by, off from central differences\n");
  dc_json_begin(json, "gradients", '[');
  for (int i = 0; dc_contact_models[i] && !status; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    int right = 0;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "model", model->name);
    dc_json_begin(json, "cases", '[');
    dc_text_add(text, "%s\n", model->name);
    for (int which = 0; which < count && !status; which++) {
      bool score = false;
      status = put_gradient_case(json, text, model, which, &score, error);
      right += score;
    }
    dc_json_end(json, "]");
    dc_json_put_integer(json, "score", right);
    dc_json_put_integer(json, "of", count);
    dc_json_end(json, "}");
    dc_text_add(&scores, "%-12s %d of %d\n", model->name, right, count);
  }
  dc_json_end(json, "]");
  if (scores.failed)
    text->failed = true;
  dc_text_append(text, scores.bytes ? scores.bytes : "", scores.length);
  dc_text_free(&scores);
  return status;
}

static enum dc_status bench_pictures(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  struct dc_picture_times times;
  enum dc_status status = dc_bench_picture(&times, error);
  if (status)
    return status;
  DC_JSON_NUMBERS(json, {"triangles", times.triangles}, {"width", times.width}, {"height", times.height},
                  {"samples", times.samples}, {"seconds", times.seconds}, {"processor_seconds", times.processor});
  dc_text_add(text, "%d x %d pixels, %d samples, %d triangles, soft shadows: %.3f s, %.3f s of processor time\n",
              times.width, times.height, times.samples, times.triangles, times.seconds, times.processor);
  return DC_OK;
}

// Prints the rows of one kind.
static void put_nearest(struct dc_json_writer *json, struct dc_text *text, const char *kind,
                        const struct dc_nearest_rate rates[DC_NEAREST_METHODS])
{
  dc_json_begin(json, kind, '[');
  for (const struct dc_nearest_rate *rate = rates; rate < rates + DC_NEAREST_METHODS; rate++) {
    if (strcmp(rate->kind, kind) != 0)
      continue;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "method", rate->name);
    dc_json_put_numbers(json, "nanoseconds", rate->nanoseconds, DC_NEAREST_COUNTS);
    DC_JSON_NUMBERS(json, {"iterations", rate->iterations}, {"failures", rate->failures});
    dc_json_end(json, "}");
    dc_text_add(text, "  %s: %-26s", kind, rate->name);
    for (int c = 0; c < DC_NEAREST_COUNTS; c++)
      dc_text_add(text, " %8.1f", rate->nanoseconds[c]);
    if (rate->iterations > 0)
      dc_text_add(text, "   %.1f iterations, %d of 10000 failed", rate->iterations, rate->failures);
    dc_text_add(text, "\n");
  }
  dc_json_end(json, "]");
}

static void put_figure_rate(struct dc_json_writer *json, struct dc_text *text, const struct dc_figure_rate *rate)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_integer(json, "superquadrics", rate->parts);
  dc_json_put_string(json, "options", rate->options);
  DC_JSON_NUMBERS(json, {"vertices", rate->vertices}, {"edges", rate->edges},
                  {"vertex_contacts", rate->vertex_contacts}, {"edge_contacts", rate->edge_contacts},
                  {"seconds", rate->forward}, {"seconds_with_gradient", rate->with_gradient});
  if (rate->hulls > 0)
    DC_JSON_NUMBERS(json, {"seconds_of_hulls", rate->hulls}, {"contacts_of_hulls", rate->hull_contacts},
                    {"seconds_of_near_hulls", rate->near_hulls}, {"contacts_of_near_hulls", rate->near_hull_contacts});
  dc_json_end(json, "}");
  dc_text_add(text,
              "  %2d superquadrics, %3d vertices, %4d edges: %3d + %3d contacts %8.3f ms, with gradient %8.3f ms  %s\n",
              rate->parts, rate->vertices, rate->edges, rate->vertex_contacts, rate->edge_contacts, 1e3 * rate->forward,
              1e3 * rate->with_gradient, rate->options);
  if (rate->hulls > 0)
    dc_text_add(text,
                "     as hulls, GJK and clipping: %4d contacts %8.3f ms; pairs of hulls that are near: %3d %8.3f ms\n",
                rate->hull_contacts, 1e3 * rate->hulls, rate->near_hull_contacts, 1e3 * rate->near_hulls);
}

static enum dc_status bench_manifold(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  struct dc_manifold_rates rates;
  enum dc_status status = dc_bench_manifold(&rates, error);
  if (status)
    return status;
  double counts[DC_NEAREST_COUNTS];
  for (int c = 0; c < DC_NEAREST_COUNTS; c++)
    counts[c] = dc_nearest_counts[c];
  dc_text_add(text, "nearest points of a pair, ns of processor time, 1, 100, 1e4, 1e6 and 1e7 pairs at a time\n");
  dc_json_put_numbers(json, "pairs", counts, DC_NEAREST_COUNTS);
  put_nearest(json, text, "edges", rates.nearest);
  put_nearest(json, text, "faces", rates.nearest);
  dc_text_add(text, "contact manifolds of two figures, processor time\n");
  dc_json_begin(json, "figures", '[');
  for (int i = 0; i < rates.figures; i++)
    put_figure_rate(json, text, &rates.figure[i]);
  dc_json_end(json, "]");
  return DC_OK;
}

static void put_box_edges(struct dc_json_writer *json, struct dc_text *text, const struct dc_box_edges *boxes)
{
  dc_json_begin(json, NULL, '{');
  DC_JSON_NUMBERS(json, {"softness", boxes->softness}, {"poses", boxes->poses}, {"crossings", boxes->crossings},
                  {"least_activity", boxes->least}, {"activity_of_99_percent", boxes->low},
                  {"other_activity", boxes->others}, {"missed", boxes->missed}, {"extra", boxes->extra},
                  {"same_poses", boxes->same}, {"median_angle", boxes->median}, {"angle_of_90_percent", boxes->p90},
                  {"largest_angle", boxes->most}, {"within_one_degree", boxes->within});
  dc_json_end(json, "}");
  dc_text_add(
      text,
      "  softness %-6g activity of crossings at least %.3g, of others %.3g (median); %d missed, %d extra; normals "
      "%.2g deg (median), %.2g (90 %%), %.2g (most)\n",
      boxes->softness, boxes->least, boxes->others, boxes->missed, boxes->extra, boxes->median, boxes->p90,
      boxes->most);
}

static void put_box_vertices(struct dc_json_writer *json, struct dc_text *text, const struct dc_box_vertices *boxes)
{
  dc_json_begin(json, "box_vertices", '{');
  DC_JSON_NUMBERS(json, {"poses", boxes->poses}, {"inside", boxes->inside}, {"active", boxes->active},
                  {"differ", boxes->differ}, {"differ_within", boxes->deepest}, {"away", boxes->away},
                  {"largest_angle_away", boxes->away_most}, {"largest_angle_near", boxes->near_most});
  dc_json_end(json, "}");
  dc_text_add(text,
              "vertices of boxes on boxes: %d inside, %d active, %d differ (within %.2g); normals %.2g deg (most, away "
              "from sides)\n",
              boxes->inside, boxes->active, boxes->differ, boxes->deepest, boxes->away_most);
}

static void put_parallel(struct dc_json_writer *json, struct dc_text *text, const struct dc_parallel_sweep *sweep)
{
  dc_json_begin(json, NULL, '{');
  DC_JSON_NUMBERS(json, {"softness", sweep->softness}, {"regularization", sweep->regularization},
                  {"largest_step", sweep->step}, {"derivative_error", sweep->slope_error});
  dc_json_end(json, "}");
  dc_text_add(text, "  softness %-6g lambda %-6g largest step %.3g, derivative within %.2g\n", sweep->softness,
              sweep->regularization, sweep->step, sweep->slope_error);
}

static enum dc_status bench_jumps(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  struct dc_manifold_jump jumps[DC_MANIFOLD_JUMPS];
  enum dc_status status = dc_bench_manifold_jumps(jumps, error);
  if (status)
    return status;
  dc_text_add(text, "largest change in one of %d and %d steps of a motion, medians\n", DC_JUMP_STEPS,
              4 * DC_JUMP_STEPS);
  dc_json_begin(json, "jumps", '[');
  for (const struct dc_manifold_jump *jump = jumps; jump < jumps + DC_MANIFOLD_JUMPS; jump++) {
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "bodies", jump->bodies);
    dc_json_put_string(json, "method", jump->method);
    DC_JSON_NUMBERS(json, {"paths", jump->paths}, {"steps", DC_JUMP_STEPS}, {"force", jump->force[0]},
                    {"force_of_quarter_steps", jump->force[1]}, {"centre", jump->centre[0]},
                    {"centre_of_quarter_steps", jump->centre[1]});
    dc_json_end(json, "}");
    dc_text_add(text, "  %-8s %-24s force %8.2g, %8.2g; centre %8.2g m, %8.2g m\n", jump->bodies, jump->method,
                jump->force[0], jump->force[1], jump->centre[0], jump->centre[1]);
  }
  dc_json_end(json, "]");
  return DC_OK;
}

static enum dc_status bench_manifold_cases(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  enum { POSES = 500, SEED = 21 };
  static const double softness[] = {0.1, 0.02, 0.005, 0.001},
                      edges[][2] = {{1e-11, 0}, {1e-11, 0.01}, {0.1, 0.01}, {0.02, 0.002}};
  struct dc_box_edges boxes;
  struct dc_box_vertices vertices;
  struct dc_parallel_sweep sweep;
  enum dc_status status = dc_bench_box_vertices(POSES, SEED, &vertices, error);
  dc_text_add(text, "edges of boxes on boxes, %d poses\n", POSES);
  dc_json_begin(json, "box_edges", '[');
  for (size_t i = 0; i < sizeof softness / sizeof *softness && !status; i++) {
    status = dc_bench_box_edges(softness[i], POSES, SEED, &boxes, error);
    if (!status)
      put_box_edges(json, text, &boxes);
  }
  dc_json_end(json, "]");
  if (status)
    return status;
  put_box_vertices(json, text, &vertices);
  dc_text_add(text, "an edge that turns past a parallel one\n");
  dc_json_begin(json, "parallel", '[');
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
    dc_bench_parallel(edges[i][0], edges[i][1], &sweep);
    put_parallel(json, text, &sweep);
  }
  dc_json_end(json, "]");
  return bench_jumps(json, text, error);
}

static void put_solver_row(struct dc_json_writer *json, struct dc_text *text, const struct dc_solver_row *row)
{
  static const char *const names[] = {
      [DC_PRECONDITION_GAUSS_SEIDEL] = "gauss_seidel", [DC_PRECONDITION_JACOBI] = "jacobi",
      [DC_PRECONDITION_PROJECTIVE] = "projective",     [DC_PRECONDITION_WOODBURY] = "woodbury",
      [DC_PRECONDITION_TWO_LEVEL] = "two_level",       [DC_PRECONDITION_NONE] = "none"};
  const char *name = names[row->method.preconditioner],
             *method = row->method.krylov == DC_GMRES ? "gmres" : "conjugate_gradients";
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "method", method);
  dc_json_put_string(json, "preconditioner", name);
  dc_json_put_integer(json, "iterations", row->done.count);
  dc_json_put_boolean(json, "converged", row->done.converged);
  dc_json_put_integer(json, "iterations_1e-4", row->loose[0]);
  dc_json_put_integer(json, "iterations_1e-6", row->loose[1]);
  dc_json_put_number(json, "seconds", row->first);
  dc_json_put_number(json, "seconds_again", row->again);
  dc_json_put_number(json, "residual", row->residual);
  dc_json_put_number(json, "apart", row->apart);
  dc_json_end(json, "}");
  dc_text_add(text, "  %-20s %-13s %5d iterations%s %9.1f ms, once more %8.1f ms; residual %.1e, from direct %.1e\n",
              method, name, row->done.count, row->done.converged ? " " : "!", 1e3 * row->first, 1e3 * row->again,
              row->residual, row->apart);
}

static enum dc_status bench_solvers(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  static const double cases[][4] = {{9, 2e2, 0.5, 0.01},  {9, 2e3, 0.5, 0.01},  {9, 2e4, 0, 0.01},
                                    {9, 2e4, 0.5, 0.01},  {9, 2e5, 0.5, 0.01},  {9, 2e6, 0.5, 0.01},
                                    {9, 2e4, 0.5, 0.001}, {9, 2e4, 0.5, 0.002}, {20, 2e4, 0.5, 0.01},
                                    {20, 2e5, 0.5, 0.01}, {20, 2e6, 0.5, 0.01}};
  enum dc_status status = DC_OK;
  dc_json_begin(json, "systems", '[');
  for (size_t i = 0; i < sizeof cases / sizeof *cases && !status; i++) {
    struct dc_solver_case found;
    status = dc_bench_solvers((long)cases[i][0], cases[i][1], cases[i][2], cases[i][3], &found, error);
    if (status)
      break;
    dc_text_add(
        text,
        "%d nodes, %d in contact, E = %g Pa, friction %g, step %g s, stiffness by mass %.3g: factorization %.1f ms, "
        "solution %.2f ms\n",
        found.nodes, found.contacts, found.young, found.friction, found.step, found.stiffness, 1e3 * found.factor,
        1e3 * found.solve);
    dc_json_begin(json, NULL, '{');
    dc_json_put_integer(json, "nodes", found.nodes);
    dc_json_put_integer(json, "contacts", found.contacts);
    dc_json_put_number(json, "young", found.young);
    dc_json_put_number(json, "friction", found.friction);
    dc_json_put_number(json, "step", found.step);
    dc_json_put_number(json, "stiffness", found.stiffness);
    dc_json_put_number(json, "factor_seconds", found.factor);
    dc_json_put_number(json, "solve_seconds", found.solve);
    dc_json_begin(json, "rows", '[');
    for (int r = 0; r < found.row_count; r++)
      put_solver_row(json, text, &found.rows[r]);
    dc_json_end(json, "]}");
  }
  dc_json_end(json, "]");
  return status;
}

static const struct benchmark {
  const char *name, *summary;
  enum dc_status (*run)(struct dc_json_writer *json, struct dc_text *text, struct dc_error *error);
  // or one that takes settings
  enum dc_status (*run_with)(const struct bench_options *options, struct dc_json_writer *json, struct dc_text *text,
                             struct dc_error *error);
} benchmarks[] = {
    {"pairs", "speed of the triangle-pair kernels beside the paper's formulation", bench_pairs, NULL},
    {"forces", "force of the hierarchy beside that of all triangle pairs", bench_forces, NULL},
    {"properties", "the four properties of contact models (paper 000, Table 1), measured", bench_properties, NULL},
    {"gradients", "gradients with known answers, by every contact model", bench_gradients, NULL},
    {"manifold", "contact manifolds and nearest points of edges beside iterative methods (paper 001)", bench_manifold,
     NULL},
    {"manifold-cases", "contact manifolds of boxes and of parallel edges beside geometry (paper 001)",
     bench_manifold_cases, NULL},
    {"pictures", "drawing a picture", bench_pictures, NULL},
    {"solvers", "iterative methods on systems of soft bodies in contact (paper 004, Fig. 11)", bench_solvers, NULL},
    {"witness", "tasks of witness points solved (paper 002, Tables 1 and 2)", NULL, dc_api_bench_witness},
    {"witness-time", "queries of witness points and their derivatives (paper 002, Tables 3 and 4)", NULL,
     dc_api_bench_witness_time},
    {"tasks", "tasks drawn at random, solved by several methods", NULL, dc_api_bench_tasks},
    {NULL, NULL, NULL, NULL}};

static enum dc_status run_benchmark(const struct benchmark *benchmark, const struct bench_options *options,
                                    struct dc_json_writer *json, struct dc_text *text, struct dc_error *error)
{
  bool tasks = options->task || options->draws || options->seed_given || options->method_count || options->limit > 0 ||
               options->output || options->write || options->scenes;
  if (tasks && benchmark->run_with != dc_api_bench_tasks)
    return dc_fail(error, DC_USAGE, "the benchmark \"%s\" has no tasks to be drawn", benchmark->name);
  if (benchmark->run_with)
    return benchmark->run_with(options, json, text, error);
  if (options->count)
    return dc_fail(error, DC_USAGE, "the benchmark \"%s\" has no settings", benchmark->name);
  return benchmark->run(json, text, error);
}

int bench_run(const char *name, const struct bench_options *options, dcsim_report *report, dcsim_error *error)
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
      status = run_benchmark(&benchmarks[i], options, &json, &text, &local);
    }
  }
  dc_json_end(&json, "}");
  return dc_api_answer(status, &local, report, &text, &json, error);
}
