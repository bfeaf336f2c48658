// SPDX-License-Identifier: Apache-2.0
// Small scenes whose derivatives are known: the Jacobian of outputs by parameters is computed by adjoint and by
// differences, and compared with rules such as equal, zero, or a sign.
#include "bench/gradients.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/push.h"
#include "bench/scene.h"

enum { COORDINATES = 3 };

enum kind { POSITION, VELOCITY };

// A coordinate of a body at the start (of an output: at the end) or its velocity (the last difference quotient).
struct coordinate {
  enum kind kind;
  int body, joint;
};

// d(sum of the outputs in the mask) / d(parameter)
struct expectation {
  const char *quantity;
  unsigned outputs;
  int parameter;
  enum dc_gradient_rule rule;
  double expected, tolerance;
};

static const struct dc_bench_shape block = {"box", {{"size", 3, {0.2, 0.2, 0.2}}, {"divisions", 3, {1, 1, 1}}}};
static const struct dc_bench_shape ball = {"sphere", {{"radius", 1, {0.1}}, {"level", 1, {0}}}};
static const struct dc_bench_shape plane = {"plane", {{.name = NULL}}};

static const struct gradient_case {
  const char *name, *summary;
  int settle;  // steps from rest before the start, to come to the height of rest
  int steps;
  struct dc_bench_setting setting;
  int parameter_count, output_count;
  struct coordinate parameters[COORDINATES], outputs[COORDINATES];
  struct expectation entries[DC_GRADIENT_ENTRIES];
} cases[] = {
    {.name = "head-on, resolved",
     .summary = "equal blocks meet on a line, steps short against the collision: they swap velocities",
     .steps = 1500,
     .setting =
         {.step = 2e-5,
          .stiffness = 1e-3,
          .bodies = {{.name = "a", .shape = &block, .joints = "x", .mass = 1, .velocity = {1}},
                     {.name = "b", .shape = &block, .joints = "x", .mass = 1, .position = {0.22}, .velocity = {-1}}}},
     .parameter_count = 2,
     .output_count = 2,
     .parameters = {{VELOCITY, 0, 0}, {VELOCITY, 1, 0}},
     .outputs = {{VELOCITY, 0, 0}, {VELOCITY, 1, 0}},
     .entries = {{"dva'/dva", 1, 0, DC_GRADIENT_EQUALS, 0, 0.1},
                 {"dva'/dvb", 1, 1, DC_GRADIENT_EQUALS, 1, 0.1},
                 {"dvb'/dva", 2, 0, DC_GRADIENT_EQUALS, 1, 0.1},
                 {"dvb'/dvb", 2, 1, DC_GRADIENT_EQUALS, 0, 0.1},
                 {"d(va' + vb')/dva (momentum)", 3, 0, DC_GRADIENT_EQUALS, 1, 1e-5},
                 {"d(va' + vb')/dvb (momentum)", 3, 1, DC_GRADIENT_EQUALS, 1, 1e-5}}},
    // The barrier stops what would meet within the step; what it gives back is in the numbers beyond 1/2.
    {.name = "head-on, one step",
     .summary = "the same within one implicit step of a stiff barrier: perfectly inelastic",
     .steps = 10,
     .setting =
         {.step = 0.01,
          .stiffness = 1e-9,
          .bodies = {{.name = "a", .shape = &block, .joints = "x", .mass = 1, .velocity = {1}},
                     {.name = "b", .shape = &block, .joints = "x", .mass = 1, .position = {0.25}, .velocity = {-1}}}},
     .parameter_count = 2,
     .output_count = 2,
     .parameters = {{VELOCITY, 0, 0}, {VELOCITY, 1, 0}},
     .outputs = {{VELOCITY, 0, 0}, {VELOCITY, 1, 0}},
     .entries = {{"dva'/dva", 1, 0, DC_GRADIENT_EQUALS, 0.5, 0.05},
                 {"dva'/dvb", 1, 1, DC_GRADIENT_EQUALS, 0.5, 0.05},
                 {"dvb'/dva", 2, 0, DC_GRADIENT_EQUALS, 0.5, 0.05},
                 {"dvb'/dvb", 2, 1, DC_GRADIENT_EQUALS, 0.5, 0.05},
                 {"d(va' + vb')/dva (momentum)", 3, 0, DC_GRADIENT_EQUALS, 1, 1e-5},
                 {"d(va' + vb')/dvb (momentum)", 3, 1, DC_GRADIENT_EQUALS, 1, 1e-5}}},
    {.name = "bounce, resolved",
     .summary = "a block meets a wall, steps short against the collision: what it had turns around",
     .steps = 1500,
     .setting =
         {.step = 2e-5,
          .stiffness = 3e-5,
          .bodies =
              {{.name = "block", .shape = &block, .joints = "z", .mass = 1, .position = {0, 0, 0.12}, .velocity = {-1}},
               {.name = "wall", .shape = &plane, .joints = ""}}},
     .parameter_count = 2,
     .output_count = 2,
     .parameters = {{POSITION, 0, 0}, {VELOCITY, 0, 0}},
     .outputs = {{POSITION, 0, 0}, {VELOCITY, 0, 0}},
     .entries = {{"dz'/dz", 1, 0, DC_GRADIENT_EQUALS, -1, 0.1},
                 {"dz'/dv (time)", 1, 1, DC_GRADIENT_EQUALS, -0.03, 0.006},
                 {"dv'/dv", 2, 1, DC_GRADIENT_EQUALS, -1, 0.1}}},
    {.name = "flight",
     .summary = "a ball falls and does not land: it keeps what it had",
     .steps = 20,
     .setting = {.step = 0.01,
                 .gravity = -9.81,
                 .stiffness = 1e-6,
                 .bodies = {{.name = "ball", .shape = &ball, .joints = "z", .mass = 1, .position = {0, 0, 1}},
                            {.name = "floor", .shape = &plane, .joints = ""}}},
     .parameter_count = 2,
     .output_count = 2,
     .parameters = {{POSITION, 0, 0}, {VELOCITY, 0, 0}},
     .outputs = {{POSITION, 0, 0}, {VELOCITY, 0, 0}},
     .entries = {{"dz'/dz", 1, 0, DC_GRADIENT_EQUALS, 1, 1e-3},
                 {"dz'/dv (time)", 1, 1, DC_GRADIENT_EQUALS, 0.2, 1e-3},
                 {"dv'/dz", 2, 0, DC_GRADIENT_EQUALS, 0, 1e-3},
                 {"dv'/dv", 2, 1, DC_GRADIENT_EQUALS, 1, 1e-3}}},
    {.name = "rest",
     .summary = "a ball lands and settles: where it came from is forgotten",
     .steps = 200,
     .setting = {.step = 0.01,
                 .gravity = -9.81,
                 .stiffness = 1e-4,
                 .bodies = {{.name = "ball", .shape = &ball, .joints = "z", .mass = 1, .position = {0, 0, 0.13}},
                            {.name = "floor", .shape = &plane, .joints = ""}}},
     .parameter_count = 2,
     .output_count = 1,
     .parameters = {{POSITION, 0, 0}, {VELOCITY, 0, 0}},
     .outputs = {{POSITION, 0, 0}},
     .entries = {{"dz'/dz", 1, 0, DC_GRADIENT_EQUALS, 0, 1e-3}, {"dz'/dv", 1, 1, DC_GRADIENT_EQUALS, 0, 1e-3}}},
    {.name = "miss",
     .summary = "a cue passes a ball 0.15 m away: aimed nearer it drives the ball off more",
     .steps = 40,
     .setting = {.step = 0.02,
                 .stiffness = 1e-4,
                 .bodies =
                     {{.name = "cue", .shape = &ball, .joints = "xy", .mass = 1, .position = {-0.5}, .velocity = {2}},
                      {.name = "ball", .shape = &ball, .joints = "xy", .mass = 1, .position = {0.3, 0.35}}}},
     .parameter_count = 1,
     .output_count = 1,
     .parameters = {{VELOCITY, 0, 1}},
     .outputs = {{POSITION, 1, 1}},
     .entries = {{"dy' of the ball/dvy of the cue", 1, 0, DC_GRADIENT_ABOVE, 1e-6, 0}}},
    // The corners carry the weight: torque 0.1 m g a/sqrt 2, inertia m a^2/6; the angle grows as omega^2/2 over the
    // deceleration, its derivative is omega over it.
    {.name = "spinning block",
     .summary = "a block turns on a floor with friction until it stops: d angle/d spin is the time to stop",
     .settle = 400,
     .steps = 150,
     .setting = {.step = 0.002,
                 .gravity = -9.81,
                 .stiffness = 1e-6,
                 .friction = 0.1,
                 .bodies = {{.name = "block",
                             .shape = &block,
                             .joints = "zr",
                             .mass = 1,
                             .position = {0, 0, 0.1008},
                             .velocity = {0, 3}},
                            {.name = "floor", .shape = &plane, .joints = ""}}},
     .parameter_count = 1,
     .output_count = 2,
     .parameters = {{VELOCITY, 0, 1}},
     .outputs = {{POSITION, 0, 1}, {VELOCITY, 0, 1}},
     .entries = {{"d angle/d spin (s)", 1, 0, DC_GRADIENT_EQUALS, 3 * 0.2 * M_SQRT2 / (6 * 0.1 * 9.81), 0.01},
                 {"d spin'/d spin", 2, 0, DC_GRADIENT_EQUALS, 0, 1e-2}}},
};
enum { CASES = sizeof cases / sizeof *cases };

// Relative agreement of adjoint and differences, to the largest derivative.
static const double AGREEMENT = 1e-4;

struct run {
  const struct gradient_case *c;
  const struct dc_model *model;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;
  struct dc_trajectory *trajectory;
  struct dc_rollout_cotangent *cotangent;
  struct dc_trajectory_cotangent frames;
  double jacobian[COORDINATES][COORDINATES], differences[COORDINATES][COORDINATES];
};

static int entry_of(const struct run *run, const struct coordinate *coordinate)
{
  // Slides and hinges have one number each, in states and tangents alike.
  return run->model->bodies.bodies[coordinate->body].v_offset + coordinate->joint;
}

static enum dc_status roll(struct run *run, struct dc_error *error)
{
  enum dc_status status = dc_rollout_forward(run->rollout, run->input, run->trajectory, error);
  if (!status && run->trajectory->unconverged_steps)
    return dc_fail(error, DC_NUMERICAL, "%d steps did not converge", run->trajectory->unconverged_steps);
  return status;
}

static double output(const struct run *run, const struct coordinate *coordinate)
{
  int steps = run->trajectory->steps, nq = run->trajectory->nq, entry = entry_of(run, coordinate);
  const double *last = run->trajectory->q + (size_t)steps * (size_t)nq + entry;
  return coordinate->kind == POSITION ? *last : (*last - *(last - nq)) / run->trajectory->time_step;
}

static bool has_adjoint(const struct run *run)
{
  return dc_model_has_adjoint(run->model);
}

// The start: that of the definitions or, with settle, the state that bodies without velocities come to.  Soft contacts
// rest overlapping, which is no start: models that bring their own land first.
static enum dc_status settle(struct run *run, struct dc_error *error)
{
  size_t nq = (size_t)run->model->bodies.nq, nv = (size_t)run->model->bodies.nv;
  int steps = run->trajectory->steps;
  if (!run->c->settle || !has_adjoint(run))
    return DC_OK;
  memset(run->input->velocity, 0, nv * sizeof *run->input->velocity);
  run->input->steps = run->trajectory->steps = run->c->settle;
  enum dc_status status = roll(run, error);
  memcpy(run->input->q, run->trajectory->q + (size_t)run->c->settle * nq, nq * sizeof *run->input->q);
  dc_initial_velocity(&run->model->bodies, run->input->velocity);
  run->input->steps = run->trajectory->steps = steps;
  return status;
}

// A row of the Jacobian: the adjoint of one output.
static enum dc_status pull_back(struct run *run, int row, struct dc_error *error)
{
  const struct coordinate *coordinate = &run->c->outputs[row];
  size_t nv = (size_t)run->model->bodies.nv, bodies = (size_t)run->model->bodies.count;
  size_t steps = (size_t)run->trajectory->steps;
  memset(run->frames.wrenches, 0, (steps + 1) * bodies * sizeof *run->frames.wrenches);
  memset(run->frames.forces, 0, (steps + 1) * nv * sizeof *run->frames.forces);
  double *last = run->frames.forces + steps * nv + entry_of(run, coordinate);
  double h = run->trajectory->time_step;
  *last = coordinate->kind == POSITION ? 1 : 1 / h;
  if (coordinate->kind == VELOCITY)
    *(last - nv) = -1 / h;
  dc_rollout_cotangent_clear(run->model, run->cotangent);
  enum dc_status status =
      dc_rollout_adjoint(run->rollout, run->input, run->trajectory, &run->frames, run->cotangent, error);
  for (int p = 0; p < run->c->parameter_count; p++) {
    const struct coordinate *parameter = &run->c->parameters[p];
    const double *by = parameter->kind == POSITION ? run->cotangent->q : run->cotangent->velocity;
    run->jacobian[row][p] = by[entry_of(run, parameter)];
  }
  return status;
}

// Central differences of all outputs by one parameter, extrapolated once: (4 D(h) - D(2h))/3.
static enum dc_status difference(struct run *run, int p, struct dc_error *error)
{
  double step = has_adjoint(run) ? 1e-5 : 5e-3;  // soft contacts in substeps: a wide step serves MuJoCo best
  static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
  const struct coordinate *parameter = &run->c->parameters[p];
  double *number = (parameter->kind == POSITION ? run->input->q : run->input->velocity) + entry_of(run, parameter);
  double start = *number;
  enum dc_status status = DC_OK;
  for (int row = 0; row < run->c->output_count; row++)
    run->differences[row][p] = 0;
  for (int k = 0; k < 4 && !status; k++) {
    *number = start + at[k] * step;
    status = roll(run, error);
    for (int row = 0; row < run->c->output_count && !status; row++)
      run->differences[row][p] += weights[k] / step * output(run, &run->c->outputs[row]);
  }
  *number = start;
  return status;
}

static enum dc_status create(struct run *run, struct dc_error *error)
{
  int steps = run->c->steps > run->c->settle ? run->c->steps : run->c->settle;
  size_t frames = (size_t)steps + 1;
  run->rollout = dc_rollout_create(run->model, error);
  if (!run->rollout)
    return error->status;
  run->input = dc_rollout_input_create(run->model, steps);
  run->trajectory = dc_trajectory_create(run->model, steps);
  run->cotangent = dc_rollout_cotangent_create(run->model, steps);
  run->frames.wrenches = dc_alloc(frames * (size_t)run->model->bodies.count, sizeof *run->frames.wrenches);
  run->frames.forces = dc_alloc(frames * (size_t)run->model->bodies.nv, sizeof *run->frames.forces);
  if (!run->input || !run->trajectory || !run->cotangent || !run->frames.wrenches || !run->frames.forces)
    return dc_out_of_memory_for(error, "a benchmark");
  run->input->steps = run->trajectory->steps = run->cotangent->steps = run->c->steps;
  dc_rollout_set_tight(run->rollout, true);
  return DC_OK;
}

static void destroy(struct run *run)
{
  dc_rollout_destroy(run->rollout);
  dc_rollout_input_destroy(run->input);
  dc_rollout_cotangent_destroy(run->cotangent);
  dc_trajectory_destroy(run->trajectory);
  free(run->frames.wrenches);
  free(run->frames.forces);
}

static enum dc_status measure(struct run *run, struct dc_error *error)
{
  bool adjoint = has_adjoint(run);
  enum dc_status status = create(run, error);
  if (!status)
    status = settle(run, error);
  if (!status)
    status = roll(run, error);
  for (int row = 0; row < run->c->output_count && adjoint && !status; row++)
    status = pull_back(run, row, error);
  for (int p = 0; p < run->c->parameter_count && !status; p++)
    status = difference(run, p, error);
  if (!adjoint)
    memcpy(run->jacobian, run->differences, sizeof run->jacobian);
  return status;
}

static bool as_expected(const struct dc_gradient_entry *entry)
{
  switch (entry->rule) {
  case DC_GRADIENT_ABOVE: return entry->computed > entry->expected;
  case DC_GRADIENT_BELOW: return entry->computed < entry->expected;
  default: return fabs(entry->computed - entry->expected) <= entry->tolerance;
  }
}

static void judge(const struct run *run, struct dc_gradient_result *result)
{
  double largest = 0;
  for (int row = 0; row < run->c->output_count; row++)
    for (int p = 0; p < run->c->parameter_count; p++)
      largest = fmax(largest, fabs(run->differences[row][p]));
  for (; result->count < DC_GRADIENT_ENTRIES && run->c->entries[result->count].quantity; result->count++) {
    const struct expectation *expectation = &run->c->entries[result->count];
    struct dc_gradient_entry *entry = &result->entries[result->count];
    *entry = (struct dc_gradient_entry){.quantity = expectation->quantity,
                                        .rule = expectation->rule,
                                        .expected = expectation->expected,
                                        .tolerance = expectation->tolerance};
    for (int row = 0; row < run->c->output_count; row++)
      if (expectation->outputs >> row & 1) {
        entry->computed += run->jacobian[row][expectation->parameter];
        entry->difference += run->differences[row][expectation->parameter];
      }
    entry->right = as_expected(entry) && fabs(entry->computed - entry->difference) <= AGREEMENT * fmax(largest, 1e-3);
  }
}

// The part of the cost that is left of pushing a box from a bad first guess.  From the wrong side the pusher would have
// to go around the box; it is enough that it finds something to gain.
static enum dc_status push(const struct dc_contact_model *model, struct dc_gradient_result *result,
                           struct dc_error *error)
{
  static const struct dc_gradient_entry entries[DC_PUSH_STARTS] = {
      [DC_PUSH_BESIDE] = {"cost left, from beside", DC_GRADIENT_BELOW, .expected = 0.1},
      [DC_PUSH_WRONG_SIDE] = {"cost left, from the wrong side", DC_GRADIENT_BELOW, .expected = 0.95}};
  enum dc_status status = DC_OK;
  result->summary = "60 iterations of Adam move a pusher that touches nothing: the part of the cost that is left";
  for (int start = 0; start < DC_PUSH_STARTS && !status; start++) {
    struct dc_gradient_entry *entry = &result->entries[start];
    *entry = entries[start];
    entry->difference = NAN;
    status = dc_bench_push(model, (enum dc_push_start)start, &entry->computed, error);
    entry->right = as_expected(entry);
  }
  result->count = status ? 0 : DC_PUSH_STARTS;
  return status;
}

static enum dc_status run_case(const struct dc_contact_model *model, const struct gradient_case *c,
                               struct dc_gradient_result *result, struct dc_error *error)
{
  struct dc_bench_scene scene;
  struct run run = {.c = c, .model = &scene.model};
  result->summary = c->summary;
  enum dc_status status = dc_bench_scene_create(&c->setting, model, &scene, error);
  if (!status)
    status = measure(&run, error);
  if (!status)
    judge(&run, result);
  destroy(&run);
  dc_bench_scene_destroy(&scene);
  return status;
}

int dc_bench_gradient_count(void)
{
  return CASES + 1;
}

const char *dc_bench_gradient_name(int which)
{
  return which < CASES ? cases[which].name : "push";
}

enum dc_status dc_bench_gradient(const struct dc_contact_model *model, int which, struct dc_gradient_result *result,
                                 struct dc_error *error)
{
  struct dc_error local = {0};
  double start = dc_seconds();
  int threads = dc_bench_set_threads(1);
  *result = (struct dc_gradient_result){.name = dc_bench_gradient_name(which)};
  result->status = which < CASES ? run_case(model, &cases[which], result, &local) : push(model, result, &local);
  dc_bench_set_threads(threads);
  result->seconds = dc_seconds() - start;
  result->score = result->count > 0;
  for (int i = 0; i < result->count; i++)
    result->score = result->score && result->entries[i].right;
  if (result->status)
    snprintf(result->message, sizeof result->message, "%.*s", (int)sizeof result->message - 1, local.text);
  if (result->status == DC_MEMORY)
    return dc_fail(error, DC_MEMORY, "%s", local.text);
  return DC_OK;
}
