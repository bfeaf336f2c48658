// SPDX-License-Identifier: Apache-2.0
// A model is made of its definition's bodies, joints, soft bodies and couplings (body/); settings of contact, time and
// solver are taken as they are.  The options of "time" and "solver" are listed here.
#include "dynamics/model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "dynamics/link_scale.h"

static const char *const integrators[] = {"euler", "second_order", NULL};

const struct dc_option dc_time_options[] = {
    DC_POSITIVE_OPTION(struct dc_time_settings, step, "s", NULL, 10, "length of a time step"),
    DC_INTEGER_OPTION(struct dc_time_settings, steps, NULL, 0, 1e7, "number of time steps"),
    DC_CHOICE_OPTION(
        struct dc_time_settings, integrator, "\"euler\"", integrators,
        "euler damps spin and bounces of soft bodies; second_order keeps them, and the motion of bodies, chains "
        "and soft bodies without contact is of second order in the step"),
    DC_OPTIONS_END};

// Names of choices, in the order of their enumerations.
static const char *const tape_choices[] = {"auto", "stored", "recomputed", NULL};
const char *const dc_linear_names[] = {"automatic", "direct", "conjugate_gradients", "gmres", NULL};
const char *const dc_preconditioner_names[] = {"gauss_seidel", "jacobi", "woodbury", "two_level", NULL};
// The largest tape that solver.tape "auto" stores; beyond it contact is evaluated again backwards.
static const double MOST_STORED = 1e9;  // bytes

const struct dc_option dc_step_options[] = {
    DC_REAL_OPTION(struct dc_step_settings, tolerance, "", "1e-3", 1e-9, 1,
                   "largest remaining force of a step, relative to the smallest contact force between movable bodies"),
    DC_INTEGER_OPTION(struct dc_step_settings, max_iterations, "200", 1, 1e6,
                      "most Newton iterations of a step or of a part of a divided one"),
    DC_INTEGER_OPTION(
        struct dc_step_settings, divisions, "30", 0, DC_MOST_DIVISIONS,
        "how often a step may be halved where bodies would pass through each other or it does not converge"),
    DC_BOOLEAN_OPTION(struct dc_step_settings, accept_unconverged, "false",
                      "go on after steps that do not converge, which is reported; false: the run fails there"),
    DC_CHOICE_OPTION(
        struct dc_step_settings, tape, "\"auto\"", tape_choices,
        "derivatives of contact for gradients: stored at every step, recomputed, or stored up to 1 GB (auto)"),
    DC_CHOICE_OPTION(
        struct dc_step_settings, linear, "\"automatic\"", dc_linear_names,
        "how systems of scenes are solved in which only nodes of soft bodies move: automatic (conjugate gradients, or "
        "directly where they take long), always directly, or by an iterative method"),
    DC_CHOICE_OPTION(struct dc_step_settings, preconditioner, "\"gauss_seidel\"", dc_preconditioner_names,
                     "of iterative methods: symmetric sweeps, diagonal blocks, the matrix of projective dynamics "
                     "corrected by contact (woodbury), or sweeps over parts that move rigidly (two_level)"),
    DC_OPTIONS_END};

// It has the length, the blend and the reference area of bsh.
static enum dc_status check_far_field(const struct dc_model *model, struct dc_error *error)
{
  const unsigned flags = model->definition.contact_model->flags, needed = DC_CONTACT_LONG_RANGE | DC_CONTACT_SURFACES;
  bool fits = (flags & (needed | DC_CONTACT_LEVELS)) == needed;
  for (int s = 0; s < model->bodies.soft_count; s++)
    if (model->bodies.soft[s].far_field > 0 && !fits)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.far_field: needs contact model bsh or exact (is %s)",
                     model->bodies.soft[s].body, model->definition.contact_model->name);
  return DC_OK;
}

// A foreign stepper has an integrator of its own.
static enum dc_status check_integrator(const struct dc_model *model, struct dc_error *error)
{
  if (model->definition.time.integrator != DC_SECOND_ORDER)
    return DC_OK;
  if (model->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return dc_fail(error, DC_BAD_INPUT,
                   "time.integrator: second_order is not for contact model %s, which has its own (mujoco.integrator)",
                   model->definition.contact_model->name);
  return DC_OK;
}

// A copy of count items of so many bytes, which the model may complete; NULL: out of memory.
static void *own_copy(const void *given, int count, size_t bytes, struct dc_arena *arena)
{
  void *copy = dc_arena_alloc(arena, (size_t)count + 1, bytes);
  if (copy && count)
    memcpy(copy, given, (size_t)count * bytes);
  return copy;
}

// Ties of the model's own, with their masses and stiffness; a redesigned model has those of the first.
static enum dc_status make_ties(struct dc_model *model, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_model_definition *own = &model->definition;
  enum dc_status status = dc_ties_check(&model->bodies, own->tie_count, own->ties, error);
  if (status || !own->tie_count)
    return status;
  struct dc_tie *ties = own_copy(own->ties, own->tie_count, sizeof *ties, arena);
  if (!ties)
    return dc_out_of_memory_for(error, "%d ties", own->tie_count);
  own->ties = ties;
  return dc_link_ties(&model->bodies, own->time.step, own->tie_count, ties, arena, error);
}

// Tendons of the model's own, with the stiffness of the ends of their ranges.
static enum dc_status make_tendons(struct dc_model *model, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_model_definition *own = &model->definition;
  enum dc_status status = dc_tendons_check(&model->bodies, own->tendon_count, own->tendons, error);
  if (status || !own->tendon_count)
    return status;
  struct dc_tendon *tendons = own_copy(own->tendons, own->tendon_count, sizeof *tendons, arena);
  if (!tendons)
    return dc_out_of_memory_for(error, "%d tendons", own->tendon_count);
  own->tendons = tendons;
  return dc_link_tendons(&model->bodies, own->time.step, own->tendon_count, tendons, arena, error);
}

// Couplings of the model's own, likewise; those of a redesigned model have a stiffness.
static enum dc_status make_couplings(struct dc_model *model, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_model_definition *own = &model->definition;
  struct dc_coupling *couplings = own_copy(own->couplings, own->coupling_count, sizeof *couplings, arena);
  if (!couplings)
    return dc_out_of_memory_for(error, "%d couplings", own->coupling_count);
  own->couplings = couplings;
  return dc_link_couplings(&model->bodies, own->time.step, own->coupling_count, couplings, arena, error);
}

// Creates the model of a definition and checks what belongs together only as a whole: linear solver, integrator, far
// fields.
enum dc_status dc_model_create(struct dc_model *model, const struct dc_model_definition *definition,
                               struct dc_arena *arena, struct dc_error *error)
{
  model->definition = *definition;
  model->shapes_change = model->designed = model->forced = false;
  model->vertices_move = NULL;
  enum dc_status status =
      dc_bodies_create_coupled(&model->bodies, definition->body_count, definition->bodies, definition->shapes,
                               definition->coupling_count, definition->couplings, arena, error);
  if (!status)
    status = make_ties(model, arena, error);
  if (!status)
    status = make_couplings(model, arena, error);
  if (!status)
    status = make_tendons(model, arena, error);
  bool iterates = definition->solver.linear >= DC_LINEAR_CONJUGATE_GRADIENTS;
  if (!status && iterates && !dc_model_only_nodes(model))
    return dc_fail(error, DC_BAD_INPUT,
                   "solver.linear: %s is for scenes in which nodes of soft bodies move and nothing else does",
                   dc_linear_names[definition->solver.linear]);
  if (!status)
    status = check_integrator(model, error);
  if (!status && model->bodies.soft_count && !isnan(definition->contact.restitution))
    return dc_fail(error, DC_BAD_INPUT,
                   "contact.restitution: soft bodies have none (their viscosity takes energy); give it to the rigid "
                   "bodies instead, between which it acts");
  return status ? status : check_far_field(model, error);
}

// Nodes have three coordinates each: where these are all, iterative solvers and sweeps over nodes apply.
bool dc_model_only_nodes(const struct dc_model *model)
{
  return model->bodies.node_count && model->bodies.nv == 3 * model->bodies.node_count;
}

// Pairs of bodies that can touch, each counted once; contact lists the same (dc_contact_pairs).  One of both moves:
// scenes may have thousands of bodies that do not.
int dc_model_pair_count(const struct dc_model *model)
{
  const struct dc_bodies *bodies = &model->bodies;
  int count = 0;
  for (int a = 0; a < bodies->count; a++) {
    if (!dc_body_moves(&bodies->bodies[a]))
      continue;
    for (int b = 0; b < bodies->count; b++)
      if (b < a || !dc_body_moves(&bodies->bodies[b]))
        count += dc_bodies_touch(bodies, a, b);
  }
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

// NAN marks a body that sets no coefficient of its own and takes the scene's.
double dc_model_friction(const struct dc_model *model, int body)
{
  double own = model->bodies.bodies[body].friction;
  return isnan(own) ? model->definition.contact.friction : own;
}

bool dc_model_rubs(const struct dc_model *model)
{
  bool any = false;
  for (int i = 0; i < model->bodies.count; i++)
    any |= dc_model_friction(model, i) > 0;
  for (int p = 0; p < model->bodies.friction_pair_count; p++)
    any |= model->bodies.friction_pairs[p].friction > 0;
  return any;
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

// Restitution, and friction whose normal force acts over more than one interval, know of the interval before.  Designs
// of shapes go without the latter: their adjoint has no derivatives of it.
bool dc_model_remembers(const struct dc_model *model)
{
  bool any = !isnan(model->definition.contact.restitution);
  for (int i = 0; i < model->bodies.count; i++)
    any |= !isnan(model->bodies.bodies[i].restitution);
  any |= !model->shapes_change && !model->designed && dc_model_rubs(model);
  return any && dc_model_has_adjoint(model);  // a foreign stepper has laws of its own
}
