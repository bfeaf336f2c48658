// SPDX-License-Identifier: Apache-2.0
// The parameter vector is the concatenation of the controls' parameters, in the order of the scene, and the design's;
// the state is the concatenation of the controls' states.
//
// Every function walks over the entries with a running offset.  apply goes through controls, then design; pull_back
// runs in reverse, so that each entry turns the derivative by its output into that by its input.
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

// Numbers of parameters that one entry owns: of a control they may depend on the number of steps, of a design not.
static int count_of(const struct dc_control *control, const struct dc_model *model, int steps)
{
  return control->type->parameter_count(control->options, model, steps);
}

static int design_count_of(const struct dc_design_entry *entry, const struct dc_model *model)
{
  return entry->type->parameter_count(entry->options, model);
}

// Numbers that a control keeps from window to window; most keep none.
static int state_of(const struct dc_control *control, const struct dc_model *model)
{
  return control->type->state_size ? control->type->state_size(control->options, model) : 0;
}

// Pointer behind the next count numbers; without numbers there need not be an array.
static double *past(double *numbers, int count)
{
  return count ? numbers + count : numbers;
}

static const double *past_const(const double *numbers, int count)
{
  return count ? numbers + count : numbers;
}

// Parameters of controls stand first in the vector and depend on the number of steps; those of designs follow.
int dc_task_control_parameter_count(const struct dc_task *task, const struct dc_model *model, int steps)
{
  int count = 0;
  for (int i = 0; i < task->control_count; i++)
    count += count_of(&task->controls[i], model, steps);
  return count;
}

int dc_task_parameter_count(const struct dc_task *task, const struct dc_model *model, int steps)
{
  int count = dc_task_control_parameter_count(task, model, steps);
  for (int i = 0; i < task->design_count; i++)
    count += design_count_of(&task->design[i], model);
  return count;
}

// Draws one control's parameters about a guess: normal numbers for each of its coordinates at some moments, with
// straight lines between them; one knot is a constant offset, which moves the whole motion.  Independent numbers in
// each step would cancel over it.
static void draw_about(const struct dc_control *control, const struct dc_model *model, int steps, const double *guess,
                       const struct dc_spread *spread, struct dc_random *random, double *parameters)
{
  int count = count_of(control, model, steps), one = count_of(control, model, 1);
  if (count == 0)
    return;
  one = one < 1 || one > count ? count : one;
  int blocks = (count + one - 1) / one, spans = spread->knots < blocks ? spread->knots - 1 : blocks - 1;
  for (int c = 0; c < one; c++) {
    double from = spread->deviation * dc_random_normal(random), to = from;
    int span = 0;
    for (int block = 0; block * one + c < count; block++) {
      double at = blocks > 1 ? (double)block * spans / (blocks - 1) : 0;
      for (; span < spans && at >= span; span++)
        from = to, to = spread->deviation * dc_random_normal(random);
      double part = span ? at - (span - 1) : 0;
      parameters[block * one + c] = guess[block * one + c] + from + part * (to - from);
    }
  }
}

// Designs are not drawn: they keep the guess.
void dc_task_draw_parameters(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                             const double *guess, const struct dc_spread *spread, struct dc_random *random,
                             double *parameters)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    int count = count_of(control, model, window->steps);
    if (control->type->draw)
      control->type->draw(control->options, model, window, guess, spread, random, parameters);
    else
      draw_about(control, model, window->steps, guess, spread, random, parameters);
    guess = past_const(guess, count);
    parameters = past(parameters, count);
  }
  for (int i = 0; i < task->design_count; i++)
    for (int k = design_count_of(&task->design[i], model); k > 0; k--)
      *parameters++ = *guess++;
}

// Parameters for another number of steps.  A control has blocks of as many numbers as one step owns; block k of the
// result is that block of the source in whose interval its centre (k + 1/2)/blocks lies.  Designs are copied.
void dc_task_resample(const struct dc_task *task, const struct dc_model *model, int from_steps, const double *from,
                      int to_steps, double *to)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    int from_count = count_of(control, model, from_steps), to_count = count_of(control, model, to_steps);
    int one = from_count == to_count ? from_count : count_of(control, model, 1);
    int from_blocks = one ? from_count / one : 0, to_blocks = one ? to_count / one : 0;
    for (int k = 0; k < to_count; k++) {
      int own = k / one, block = (int)((own + 0.5) * from_blocks / to_blocks);
      to[k] = from[block * one + k % one];
    }
    from = past_const(from, from_count);
    to = past(to, to_count);
  }
  for (int i = 0; i < task->design_count; i++)
    for (int k = design_count_of(&task->design[i], model); k > 0; k--)
      *to++ = *from++;
}

// Finds the entry that owns parameter i by taking off the counts of the entries before it; dc_task_parameter_unit does
// the same.
void dc_task_parameter_name(const struct dc_task *task, const struct dc_model *model, int steps, int i, char *text,
                            size_t size)
{
  for (int k = 0; k < task->control_count; k++) {
    const struct dc_control *control = &task->controls[k];
    int count = count_of(control, model, steps);
    if (i < count) {
      control->type->parameter_name(control->options, model, steps, i, text, size);
      return;
    }
    i -= count;
  }
  for (int k = 0; k < task->design_count; k++) {
    const struct dc_design_entry *entry = &task->design[k];
    int count = design_count_of(entry, model);
    if (i < count) {
      entry->type->parameter_name(entry->options, model, i, text, size);
      return;
    }
    i -= count;
  }
  snprintf(text, size, "parameter %d", i);
}

// Units are for people: an optimizer sees pure numbers, of which 1 changes the quantity by *scale units.
const char *dc_task_parameter_unit(const struct dc_task *task, const struct dc_model *model, int steps, int i,
                                   double *scale)
{
  double unused;
  scale = scale ? scale : &unused;
  *scale = 1;
  for (int k = 0; k < task->control_count; k++) {
    const struct dc_control *control = &task->controls[k];
    int count = count_of(control, model, steps);
    if (i < count)
      return control->type->parameter_unit(control->options, model, steps, i, scale);
    i -= count;
  }
  for (int k = 0; k < task->design_count; k++) {
    const struct dc_design_entry *entry = &task->design[k];
    int count = design_count_of(entry, model);
    if (i < count)
      return entry->type->parameter_unit(entry->options, model, i, scale);
    i -= count;
  }
  return "1";
}

const char *dc_pure_unit(const void *options, const struct dc_model *model, int steps, int i, double *scale)
{
  (void)options, (void)model, (void)steps, (void)i;
  *scale = 1;
  return "1";
}

// "2 rad" for a scale of 2, "rad" for 1, and nothing for a pure number that stands for itself.
void dc_unit_text(const char *unit, double scale, char *text, size_t size)
{
  bool number = strcmp(unit, "1") == 0;
  if (scale == 1)
    snprintf(text, size, "%s", number ? "" : unit);
  else
    snprintf(text, size, "%g%s%s", scale, number ? "" : " ", number ? "" : unit);
}

// First guesses of the controls one behind the other, then zeros: a design begins as the scene has it.
void dc_task_initial(const struct dc_task *task, const struct dc_model *model, int steps, double *parameters)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    control->type->initial(control->options, model, steps, parameters);
    parameters = past(parameters, count_of(control, model, steps));
  }
  for (int i = 0; i < task->design_count; i++)
    for (int k = design_count_of(&task->design[i], model); k > 0; k--)
      *parameters++ = 0;
}

// Controls are without bounds; those of designs are their ranges.
bool dc_task_bounds(const struct dc_task *task, const struct dc_model *model, int steps, double *low, double *high)
{
  int count = dc_task_parameter_count(task, model, steps), i = dc_task_control_parameter_count(task, model, steps);
  bool any = false;
  for (int k = 0; k < i; k++)
    low[k] = -INFINITY, high[k] = INFINITY;
  for (int k = 0, at = i; k < task->design_count; k++) {
    const struct dc_design_entry *entry = &task->design[k];
    entry->type->bounds(entry->options, model, low + at, high + at);
    at += design_count_of(entry, model);
  }
  for (; i < count; i++)
    any |= !isinf(low[i]) || !isinf(high[i]);
  return any;
}

// Entries list their values by a number of their own, which grows until the entry says that there are no more; i counts
// through all of them.
bool dc_task_design_value(const struct dc_task *task, const struct dc_model *model, int steps, const double *parameters,
                          int i, struct dc_design_value *value)
{
  parameters = past_const(parameters, dc_task_control_parameter_count(task, model, steps));
  for (int k = 0; k < task->design_count; k++) {
    const struct dc_design_entry *entry = &task->design[k];
    if (entry->type->value(entry->options, model, parameters, i, value))
      return true;
    for (int own = 0; entry->type->value(entry->options, model, parameters, own, value); own++)
      i--;
    parameters += design_count_of(entry, model);
  }
  return false;
}

// Parameters of one group are scaled alike.  An entry that tells no groups has each parameter in one of its own;
// numbers of groups follow each other over the entries.
int dc_task_groups(const struct dc_task *task, const struct dc_model *model, int steps, int *group)
{
  int groups = 0;
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    int count = count_of(control, model, steps), own = count;
    for (int k = 0; k < count; k++)
      group[k] = k;
    if (control->type->groups)
      own = control->type->groups(control->options, model, steps, group);
    for (int k = 0; k < count; k++)
      group[k] += groups;
    groups += own;
    group += count;
  }
  for (int i = 0; i < task->design_count; i++) {
    const struct dc_design_entry *entry = &task->design[i];
    int count = design_count_of(entry, model), own = count;
    for (int k = 0; k < count; k++)
      group[k] = k;
    if (entry->type->groups)
      own = entry->type->groups(entry->options, model, group);
    for (int k = 0; k < count; k++)
      group[k] += groups;
    groups += own;
    group += count;
  }
  return groups;
}

// States are numbers that controls carry from window to window of a receding horizon, one control behind the other.
int dc_task_state_size(const struct dc_task *task, const struct dc_model *model)
{
  int size = 0;
  for (int i = 0; i < task->control_count; i++)
    size += state_of(&task->controls[i], model);
  return size;
}

// States of all controls at the beginning of a run.
void dc_task_start(const struct dc_task *task, const struct dc_model *model, double *state)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    if (control->type->start)
      control->type->start(control->options, model, state);
    state = past(state, state_of(control, model));
  }
}

// Hands a window over to the next one: each control moves its state on by the steps that were applied, and its
// parameters become a first guess for what follows.
void dc_task_advance(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                     int applied, double *state, double *parameters)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    if (control->type->advance)
      control->type->advance(control->options, model, window, applied, state, parameters);
    state = past(state, state_of(control, model));
    parameters = past(parameters, count_of(control, model, window->steps));
  }
}

// The first control that cannot go on from window to window, -1 if all can.
int dc_task_start_control(const struct dc_task *task)
{
  for (int i = 0; i < task->control_count; i++)
    if (!task->controls[i].type->advance)
      return i;
  return -1;
}

// Controls first, then the design, each taking its parameters from the front of what is left: this is the order of the
// parameter vector everywhere.
void dc_task_apply(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                   const double *state, const double *parameters, struct dc_rollout_input *input)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    control->type->apply(control->options, model, window, state, parameters, input);
    state = past_const(state, state_of(control, model));
    parameters = past_const(parameters, count_of(control, model, window->steps));
  }
  for (int i = 0; i < task->design_count; i++) {
    const struct dc_design_entry *entry = &task->design[i];
    entry->type->apply(entry->options, model, parameters, input);
    parameters = past_const(parameters, design_count_of(entry, model));
  }
}

// An input without steps to which the designs alone are applied: controls of the task are left out.
struct dc_rollout_input *dc_task_design_input(const struct dc_task *task, const struct dc_model *model, int steps,
                                              const double *parameters)
{
  struct dc_task design = *task;
  struct dc_window window = {.time_step = model->definition.time.step};
  struct dc_rollout_input *input = dc_rollout_input_create(model, 0);
  design.control_count = 0;
  if (input)
    dc_task_apply(&design, model, &window, NULL,
                  past_const(parameters, dc_task_control_parameter_count(task, model, steps)), input);
  return input;
}

// Pushes the direction (1, ..., 1) of one entry's parameters forward to vertices: those that move are designed.
static enum dc_status move_shapes(const struct dc_design_entry *entry, const struct dc_model *model,
                                  struct dc_rollout_cotangent *moved)
{
  size_t count = (size_t)design_count_of(entry, model);
  double *start = dc_alloc(2 * count, sizeof *start), *ones = start + count;
  if (!start)
    return DC_MEMORY;
  for (size_t i = 0; i < count; i++)
    ones[i] = 1;
  entry->type->push_forward(entry->options, model, start, ones, moved);
  free(start);
  return DC_OK;
}

// Moves all parameters of one entry at a time, so that the effects of several entries on a vertex cannot cancel.
enum dc_status dc_task_find_designed(const struct dc_task *task, const struct dc_model *model, bool *designed)
{
  struct dc_rollout_cotangent *moved = dc_rollout_cotangent_create(model, 0);
  enum dc_status status = moved ? DC_OK : DC_MEMORY;
  memset(designed, 0, (size_t)model->bodies.count * sizeof *designed);
  for (int k = 0; k < task->design_count && !status; k++) {
    if (!task->design[k].type->shapes)
      continue;
    dc_rollout_cotangent_clear(model, moved);
    status = move_shapes(&task->design[k], model, moved);
    const struct dc_shape_design *shape = moved->shape;
    for (int i = 0; i < shape->bodies && !status; i++)
      for (int v = shape->first[i]; v < shape->first[i + 1]; v++)
        designed[i] |= dc_vec_dot(shape->vertices[v], shape->vertices[v]) > 0;
  }
  dc_rollout_cotangent_destroy(moved);
  return status;
}

// The model that the parameters' design makes, in the arena; the given one where no design changes shapes.
enum dc_status dc_task_design_model(const struct dc_task *task, const struct dc_model *model, int steps,
                                    const double *parameters, struct dc_arena *arena, const struct dc_model **designed,
                                    struct dc_error *error)
{
  *designed = model;
  if (!model->shapes_change)
    return DC_OK;
  struct dc_rollout_input *input = dc_task_design_input(task, model, steps, parameters);
  struct dc_model *made = dc_arena_alloc(arena, 1, sizeof *made);
  enum dc_status status = input && made ? dc_model_redesign(model, input->shape, arena, made, error)
                                        : dc_out_of_memory_for(error, "a design");
  dc_rollout_input_destroy(input);
  if (!status)
    *designed = made;
  return status;
}

// The chain rule runs through design and controls in reverse order.
void dc_task_pull_back(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                       const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                       double *gradient)
{
  int offset = dc_task_parameter_count(task, model, window->steps), state_offset = dc_task_state_size(task, model);
  for (int i = task->design_count - 1; i >= 0; i--) {
    const struct dc_design_entry *entry = &task->design[i];
    offset -= design_count_of(entry, model);
    entry->type->pull_back(entry->options, model, parameters + offset, cotangent, gradient + offset);
  }
  for (int i = task->control_count - 1; i >= 0; i--) {
    const struct dc_control *control = &task->controls[i];
    offset -= count_of(control, model, window->steps);
    state_offset -= state_of(control, model);
    control->type->pull_back(control->options, model, window, past_const(state, state_offset), parameters + offset,
                             cotangent, gradient + offset);
  }
}

// The chain rule forward: a direction of the parameters becomes one of the rollout's input, added to moved by each
// entry in the order of dc_task_apply.
void dc_task_push_forward(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                          const double *state, const double *parameters, const double *direction,
                          struct dc_rollout_cotangent *moved)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    int count = count_of(control, model, window->steps);
    control->type->push_forward(control->options, model, window, state, parameters, direction, moved);
    state = past_const(state, state_of(control, model));
    parameters = past_const(parameters, count);
    direction = past_const(direction, count);
  }
  for (int i = 0; i < task->design_count; i++) {
    const struct dc_design_entry *entry = &task->design[i];
    int count = design_count_of(entry, model);
    entry->type->push_forward(entry->options, model, parameters, direction, moved);
    parameters = past_const(parameters, count);
    direction = past_const(direction, count);
  }
}

// Methods of least squares need rows of every objective: the first that has none, or -1.
int dc_task_rowless_objective(const struct dc_task *task)
{
  for (int i = 0; i < task->objective_count; i++)
    if (!task->objectives[i].type->rows)
      return i;
  return -1;
}

// Groups of residuals are numbered through all objectives, in the order of the scene.
int dc_task_group_count(const struct dc_task *task, const struct dc_model *model,
                        const struct dc_trajectory *trajectory)
{
  int count = 0;
  for (int i = 0; i < task->objective_count; i++)
    count += task->objectives[i].type->rows->count(task->objectives[i].options, model, trajectory);
  return count;
}

// The objective that a group belongs to; *index becomes the group's number within it.
static const struct dc_objective *objective_of(const struct dc_task *task, const struct dc_model *model,
                                               const struct dc_trajectory *trajectory, int *index)
{
  const struct dc_objective *objective = task->objectives;
  for (;; objective++) {
    int count = objective->type->rows->count(objective->options, model, trajectory);
    if (*index < count)
      return objective;
    *index -= count;
  }
}

// Fills a group of rows, and the first and last frame on which it depends.
void dc_task_group(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                   int *last)
{
  const struct dc_objective *objective = objective_of(task, model, trajectory, &index);
  *group = (struct dc_residual_group){0};
  objective->type->rows->group(objective->options, model, input, trajectory, index, group, first, last);
}

bool dc_task_group_sees_input(const struct dc_task *task, const struct dc_model *model,
                              const struct dc_trajectory *trajectory, int index)
{
  return objective_of(task, model, trajectory, &index)->type->rows->by_input;
}

// Adds the derivative of weights [axes] times the rows d of one group: a row of the Jacobian, transposed.
void dc_task_group_pull_back(const struct dc_task *task, const struct dc_model *model,
                             const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int index,
                             const double *weights, struct dc_loss_cotangent *cotangent)
{
  const struct dc_objective *objective = objective_of(task, model, trajectory, &index);
  objective->type->rows->pull_back(objective->options, model, input, trajectory, index, weights, cotangent);
}

// Terms of the loss, one for each objective, with their weights.
void dc_task_terms(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, double *terms)
{
  for (int i = 0; i < task->objective_count; i++) {
    const struct dc_objective *objective = &task->objectives[i];
    terms[i] = objective->type->evaluate(objective->options, model, input, trajectory, NULL);
  }
}

// Their sum, in the order of the scene; the cotangent collects derivatives by trajectory and input.
double dc_task_loss(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                    const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  double loss = 0;
  for (int i = 0; i < task->objective_count; i++) {
    const struct dc_objective *objective = &task->objectives[i];
    loss += objective->type->evaluate(objective->options, model, input, trajectory, cotangent);
  }
  return loss;
}

// A distance is measured in the unit of its tolerance; objectives without a tolerance measure lengths.
const char *dc_task_distance_unit(const struct dc_objective_type *type)
{
  int tolerance = dc_option_find(type->options, "tolerance");
  return tolerance >= 0 ? type->options[tolerance].unit : "m";
}

// Lets objectives that have the option "inside" aim into their tolerance by that part, unless the scene says
// otherwise.
void dc_task_aim_inside(struct dc_task *task, double part)
{
  for (int i = 0; i < task->objective_count; i++) {
    const struct dc_option *table = task->objectives[i].type->options;
    int row = dc_option_find(table, "inside");
    double *inside = row < 0 ? NULL : (double *)((char *)task->objectives[i].options + table[row].offset);
    if (inside && isnan(*inside))
      *inside = part;
  }
}

// Costs such as effort have no report: they never stand in the way of success.
bool dc_task_reachable(const struct dc_objective *objective)
{
  const struct dc_objective_type *type = objective->type;
  return type->report && (!type->can_be_reached || type->can_be_reached(objective->options));
}

// A length of unit "m" is that of a position, and so on.
static const char *condition_name(const char *unit)
{
  return strcmp(unit, "m") == 0          ? "position"
         : strcmp(unit, "rad") == 0      ? "angle"
         : strcmp(unit, "m or rad") == 0 ? "coordinate"
         : strcmp(unit, "kg") == 0       ? "mass"
         : strncmp(unit, "m/s", 3) == 0  ? "velocity"
                                         : "difference";
}

// Conditions that an objective sets for being reached: its own list, or the one distance that it reports, which may be
// as large as its option "tolerance" says.
int dc_task_conditions(const struct dc_objective *objective, const struct dc_model *model,
                       const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int frame,
                       struct dc_condition conditions[DC_CONDITIONS_MOST])
{
  const struct dc_objective_type *type = objective->type;
  if (!dc_task_reachable(objective))
    return 0;
  if (type->conditions)
    return type->conditions(objective->options, model, input, trajectory, frame, conditions);
  const char *unit = dc_task_distance_unit(type);
  int tolerance = dc_option_find(type->options, "tolerance");
  conditions[0] = (struct dc_condition){.name = condition_name(unit), .unit = unit, .frame = frame, .allowed = NAN};
  if (tolerance >= 0)
    conditions[0].allowed = *(const double *)((const char *)objective->options + type->options[tolerance].offset);
  type->report(objective->options, model, input, trajectory, frame, &conditions[0].body, &conditions[0].value,
               &conditions[0].holds);
  return 1;
}

// Whether every objective that can be reached is reached at a frame, and there is one at all.
bool dc_task_success(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                     const struct dc_trajectory *trajectory, int frame)
{
  bool any = false, all = true;
  for (int i = 0; i < task->objective_count; i++) {
    const struct dc_objective *objective = &task->objectives[i];
    if (!dc_task_reachable(objective))
      continue;
    int body;
    double distance;
    bool reached;
    objective->type->report(objective->options, model, input, trajectory, frame, &body, &distance, &reached);
    any = true;
    all = all && reached;
  }
  return any && all;
}
