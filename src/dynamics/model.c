// SPDX-License-Identifier: Apache-2.0
#include "dynamics/model.h"

#include <stddef.h>

const struct dc_option dc_time_options[] = {{.name = "step",
                                             .type = DC_REAL,
                                             .unit = "s",
                                             .minimum = 0,
                                             .maximum = 10,
                                             .minimum_excluded = true,
                                             .help = "length of a time step",
                                             .offset = offsetof(struct dc_time_settings, step)},
                                            {.name = "steps",
                                             .type = DC_INTEGER,
                                             .unit = "",
                                             .minimum = 0,
                                             .maximum = 1e7,
                                             .help = "number of time steps",
                                             .offset = offsetof(struct dc_time_settings, steps)},
                                            DC_OPTIONS_END};

const struct dc_option dc_step_options[] = {
    {.name = "tolerance",
     .type = DC_REAL,
     .unit = "",
     .fallback = "1e-3",
     .minimum = 1e-9,
     .maximum = 1,
     .help = "largest remaining force of a step, relative to the smallest contact force between movable bodies",
     .offset = offsetof(struct dc_step_settings, tolerance)},
    {.name = "max_iterations",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "200",
     .minimum = 1,
     .maximum = 1e6,
     .help = "most Newton iterations of a step",
     .offset = offsetof(struct dc_step_settings, max_iterations)},
    DC_OPTIONS_END};

enum dc_status dc_model_create(struct dc_model *model, const struct dc_model_definition *definition,
                               struct dc_arena *arena, struct dc_error *error)
{
  model->definition = *definition;
  return dc_bodies_create(&model->bodies, definition->body_count, definition->bodies, definition->shapes, arena, error);
}

int dc_model_pair_count(const struct dc_model *model)
{
  int movable = 0;
  for (int i = 0; i < model->bodies.count; i++)
    movable += model->bodies.bodies[i].joint->nv > 0;
  return movable * (model->bodies.count - movable) + movable * (movable - 1) / 2;
}
