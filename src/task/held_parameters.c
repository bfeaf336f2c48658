// SPDX-License-Identifier: Apache-2.0
// Parameters that are held over blocks of `hold` steps: count, names, first guess, groups, and the move to the
// next window.  Parameter j * coordinates + c belongs to block j and coordinate c.
//
// Blocks are those of the whole run: in a receding horizon a window that begins inside a block shares it with
// the window before, so that targets change at the same times whatever the windows are.
#include "task/held_parameters.h"

#include <stdio.h>

static int block_count(const struct dc_held_options *options, int steps)
{
  return (int)((steps + options->hold - 1) / options->hold);
}

// The block of a step of the window; a window that reaches into one block more than it has parameters for uses
// its last one there.
int dc_held_block(const struct dc_held_options *options, const struct dc_window *window, int step)
{
  int last = block_count(options, window->steps) - 1;
  long block = (window->first % options->hold + step) / options->hold;
  return block < last ? (int)block : last;
}

int dc_held_count(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates, int steps)
{
  return block_count(options, steps) * coordinates->count;
}

// BODY.STEP.COORDINATE, with the first step of the block.
void dc_held_name(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates,
                  const struct dc_model *model, int i, char *text, size_t size)
{
  const struct dc_actuator_coordinate *coordinate = &coordinates->items[i % coordinates->count];
  char number[16];
  snprintf(text, size, "%s.%ld.%s", model->bodies.bodies[coordinate->body].name,
           i / coordinates->count * options->hold, dc_actuator_coordinate_name(coordinate, model, number));
}

void dc_held_guess(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates, int steps,
                   double *parameters)
{
  for (int i = 0; i < dc_held_count(options, coordinates, steps); i++)
    parameters[i] = dc_actuator_initial(&options->actuator, coordinates, i);
}

// Parameters of one block form a group.
int dc_held_group(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates, int steps,
                  int *group)
{
  for (int i = 0; i < dc_held_count(options, coordinates, steps); i++)
    group[i] = i / coordinates->count;
  return block_count(options, steps);
}

int dc_held_parameter_count(const void *options, const struct dc_model *model, int steps)
{
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  return dc_held_count(held, &coordinates, steps);
}

void dc_held_parameter_name(const void *options, const struct dc_model *model, int steps, int i, char *text,
                            size_t size)
{
  (void)steps;
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  dc_held_name(held, &coordinates, model, i, text, size);
}

void dc_held_initial(const void *options, const struct dc_model *model, int steps, double *parameters)
{
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  dc_held_guess(held, &coordinates, steps, parameters);
}

int dc_held_groups(const void *options, const struct dc_model *model, int steps, int *group)
{
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  return dc_held_group(held, &coordinates, steps, group);
}

// Block j takes the parameters of block j + moved.  A window that begins inside a block reaches into one block more
// than it has parameters for; the steps there use the last block, before and after the move.
void dc_held_advance(const struct dc_held_options *options, int coordinates, const struct dc_window *window,
                     int applied, bool repeat, double *parameters)
{
  int blocks = block_count(options, window->steps);
  long start = window->first % options->hold, moved = (start + applied) / options->hold;
  long reached = (start + window->steps - 1) / options->hold + 1;
  for (long j = 0; j < blocks; j++) {
    long from = j + moved;
    bool known = repeat || from < reached;
    if (from > blocks - 1)
      from = blocks - 1;
    for (int c = 0; c < coordinates; c++)
      parameters[j * coordinates + c] = known ? parameters[from * coordinates + c] : 0;
  }
}
