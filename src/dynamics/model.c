// SPDX-License-Identifier: Apache-2.0
#include "dynamics/model.h"

#include <math.h>
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

static const char *const tape_choices[] = {"auto", "stored", "recomputed", NULL};
static const char *const linear_choices[] = {"automatic", "direct", "conjugate_gradients", "gmres", NULL};
static const char *const preconditioner_choices[] = {"gauss_seidel", "jacobi", "woodbury", NULL};
static const double MOST_STORED = 1e9;  // bytes

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
     .help = "most Newton iterations of a step or of a part of a divided one",
     .offset = offsetof(struct dc_step_settings, max_iterations)},
    {.name = "divisions",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "30",
     .minimum = 0,
     .maximum = DC_MOST_DIVISIONS,
     .help = "how often a step may be halved where bodies would pass through each other or it does not converge",
     .offset = offsetof(struct dc_step_settings, divisions)},
    {.name = "accept_unconverged",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "go on after steps that do not converge, which is reported; false: the run fails there",
     .offset = offsetof(struct dc_step_settings, accept_unconverged)},
    {.name = "tape",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"auto\"",
     .choices = tape_choices,
     .help = "derivatives of contact for gradients: stored at every step, recomputed, or stored up to 1 GB (auto)",
     .offset = offsetof(struct dc_step_settings, tape)},
    {.name = "linear",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"automatic\"",
     .choices = linear_choices,
     .help = "how systems of scenes are solved in which only nodes of soft bodies move: automatic (conjugate gradients, or "
             "directly where they take long), always directly, or by an iterative method",
     .offset = offsetof(struct dc_step_settings, linear)},
    {.name = "preconditioner",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"gauss_seidel\"",
     .choices = preconditioner_choices,
     .help = "of iterative methods: symmetric sweeps, diagonal blocks, or the matrix of projective dynamics corrected by contact "
             "(woodbury)",
     .offset = offsetof(struct dc_step_settings, preconditioner)},
    DC_OPTIONS_END};

enum dc_status dc_model_create(struct dc_model *model, const struct dc_model_definition *definition,
                               struct dc_arena *arena, struct dc_error *error)
{
  model->definition = *definition;
  model->shapes_change = model->forced = false;
  model->vertices_move = NULL;
  enum dc_status status =
      dc_bodies_create_coupled(&model->bodies, definition->body_count, definition->bodies, definition->shapes,
                               definition->coupling_count, definition->couplings, arena, error);
  bool iterates = definition->solver.linear >= DC_LINEAR_CONJUGATE_GRADIENTS;
  if (!status && iterates && !dc_model_only_nodes(model))
    return dc_fail(error, DC_BAD_INPUT,
                   "solver.linear: %s is for scenes in which nodes of soft bodies move and nothing else does",
                   linear_choices[definition->solver.linear]);
  return status;
}

bool dc_model_only_nodes(const struct dc_model *model)
{
  return model->bodies.node_count && model->bodies.nv == 3 * model->bodies.node_count;
}

int dc_model_pair_count(const struct dc_model *model)
{
  int count = 0;
  for (int a = 0; a < model->bodies.count; a++)
    for (int b = 0; b < a; b++)
      count += dc_bodies_touch(&model->bodies, a, b);
  return count;
}

bool dc_model_has_adjoint(const struct dc_model *model)
{
  return !(model->definition.contact_model->flags & DC_CONTACT_FOREIGN);
}

bool dc_model_keeps_velocity(const struct dc_model *model)
{
  return model->definition.contact_model->flags & DC_CONTACT_FOREIGN;
}

bool dc_model_stores_tape(const struct dc_model *model, double steps)
{
  int tape = model->definition.solver.tape;
  if (!dc_model_has_adjoint(model))
    return false;
  double bytes = steps * dc_model_pair_count(model) * (double)sizeof(struct dc_pair_derivatives);
  return tape == DC_TAPE_AUTO ? bytes <= MOST_STORED : tape == DC_TAPE_STORED;
}

double dc_model_friction(const struct dc_model *model, int body)
{
  double own = model->bodies.bodies[body].friction;
  return isnan(own) ? model->definition.contact.friction : own;
}

double dc_model_restitution(const struct dc_model *model, int body)
{
  double own = model->bodies.bodies[body].restitution;
  return isnan(own) ? model->definition.contact.restitution : own;
}

double dc_design_restitution(const struct dc_model *model, const struct dc_design *design, int body)
{
  return dc_model_restitution(model, body) + design->restitution_shift[body];
}

double dc_design_pair_restitution(const struct dc_model *model, const struct dc_design *design, int a, int b)
{
  // fmin passes over NAN
  return fmin(dc_design_restitution(model, design, a), dc_design_restitution(model, design, b));
}

double dc_model_pair_restitution(const struct dc_model *model, int a, int b)
{
  return fmin(dc_model_restitution(model, a), dc_model_restitution(model, b));  // fmin passes over NAN
}
