// SPDX-License-Identifier: Apache-2.0
// Kinds of numbers of a model: mass, stiffness of contact, gravity, friction, restitution, gains; the list of all
// kinds, and access to a number in an input or cotangent.
//
// A kind is a descriptor (number_kinds.h): which numbers there are, their values in the model, and where their changes
// stand in struct dc_design.  A model is never changed; a rollout reads model value times factor (`factor`) or model
// value plus shift, and the adjoint leaves derivatives by factor or shift at the same place of a second dc_design.
#include "design/number_kinds.h"

#include <math.h>
#include <stdio.h>

static const struct dc_body *body_at(const struct dc_model *model, int index)
{
  return &model->bodies.bodies[index];
}

// Mass; the second moment is scaled with it.

// A soft body has no mass of its own in struct dc_body: its density and its volume at rest stand for it, and the factor
// scales the density.
static bool mass_present(const struct dc_model *model, int index)
{
  return body_at(model, index)->mass > 0 || dc_soft_of(&model->bodies, index);
}

static double mass_value(const struct dc_model *model, int index)
{
  const struct dc_soft *soft = dc_soft_of(&model->bodies, index);
  return soft ? soft->density * soft->elastic.volume : body_at(model, index)->mass;
}

static const struct dc_number_kind mass = {.name = "mass",
                                           .summary = "mass of a body, its inertia in proportion",
                                           .index = DC_NUMBER_OF_BODY,
                                           .factor = true,
                                           .present = mass_present,
                                           .value = mass_value,
                                           .unit = "kg",
                                           .offset = offsetof(struct dc_design, body_mass_scale),
                                           .array = true};

// Stiffness of contact.

// A scene in which no two bodies can meet has no contact whose stiffness could matter.
static bool stiffness_present(const struct dc_model *model, int index)
{
  (void)index;
  return dc_model_pair_count(model) > 0;
}

static double stiffness_value(const struct dc_model *model, int index)
{
  (void)index;
  return model->definition.contact.stiffness;
}

// Contact models have units of their own for it, which their option tells.
static const char *stiffness_unit(const struct dc_model *model, int index)
{
  (void)index;
  const struct dc_option *table = model->definition.contact_model->options;
  int option = dc_option_find(table, "stiffness");
  return option >= 0 ? table[option].unit : "";
}

static const struct dc_number_kind stiffness = {.name = "stiffness",
                                                .summary = "stiffness of contact",
                                                .index = DC_NUMBER_OF_MODEL,
                                                .factor = true,
                                                .present = stiffness_present,
                                                .value = stiffness_value,
                                                .unit_of = stiffness_unit,
                                                .offset = offsetof(struct dc_design, stiffness_scale)};

// Gravity.

static double gravity_value(const struct dc_model *model, int index)
{
  return model->definition.gravity[index];
}

static const struct dc_number_kind gravity = {.name = "gravity",
                                              .summary = "acceleration of free fall along an axis",
                                              .index = DC_NUMBER_OF_AXIS,
                                              .value = gravity_value,
                                              .unit = "m/s^2",
                                              .offset = offsetof(struct dc_design, gravity)};

// Friction, of a body that has some and may touch another.

// A coefficient counts when it is positive and the body may touch another one, or lies between a soft body and a plane
// that both have friction.
static bool friction_present(const struct dc_model *model, int index)
{
  if (!(dc_model_friction(model, index) > 0))
    return false;
  for (int other = 0; other < model->bodies.count; other++)
    if (other != index && dc_bodies_touch(&model->bodies, index, other))
      return true;
  for (int s = 0; s < model->bodies.soft_count; s++)
    for (int plane = 0; plane < model->bodies.count; plane++) {
      const struct dc_soft *soft = &model->bodies.soft[s];
      if ((index == soft->body || index == plane) && dc_model_friction(model, soft->body) > 0 &&
          dc_model_friction(model, plane) > 0 &&
          (dc_soft_touches(&model->bodies, soft, plane) || dc_soft_meets(&model->bodies, soft, plane)))
        return true;
    }
  return false;
}

static double friction_value(const struct dc_model *model, int index)
{
  return dc_model_friction(model, index);
}

static const struct dc_number_kind friction = {.name = "friction",
                                               .summary = "coefficient of friction of a body",
                                               .index = DC_NUMBER_OF_BODY,
                                               .factor = true,
                                               .present = friction_present,
                                               .value = friction_value,
                                               .unit = "1",
                                               .offset = offsetof(struct dc_design, friction_scale),
                                               .array = true};

// Restitution, of a body that is the less elastic one of a pair, or as elastic as the other.  At 1 nothing is lost, and
// the loss starts with a slope there, so that 1 itself cannot be changed.  For two equally elastic bodies the loss has
// a kink: it depends on each of them on one side only, and is smooth only along their sum.

static const double MOST_RESTITUTION = 0.999;

// Whether the restitution of a body matters where it meets a more elastic one, or (equal) one as elastic.
static bool restitution_counts(const struct dc_model *model, int index, bool equal)
{
  double own = dc_model_restitution(model, index);
  for (int other = 0; other < model->bodies.count; other++) {
    double its = fmin(dc_model_restitution(model, other), 1);  // fmin ignores NAN
    if (other != index && dc_bodies_touch(&model->bodies, index, other) && (equal ? its == own : its > own))
      return true;
  }
  return false;
}

static bool restitution_present(const struct dc_model *model, int index)
{
  return dc_model_restitution(model, index) <= MOST_RESTITUTION &&
         (restitution_counts(model, index, false) || restitution_counts(model, index, true));
}

// False: differences about the scene's value would cross the kink, so that gradcheck leaves the number out.
static bool restitution_smooth(const struct dc_model *model, int index)
{
  return !restitution_counts(model, index, true);
}

static double restitution_value(const struct dc_model *model, int index)
{
  return dc_model_restitution(model, index);
}

// From nothing that comes back to just short of all: at 1 the loss begins with a slope (above).
static void restitution_limits(const struct dc_model *model, int index, double limits[2])
{
  (void)model, (void)index;
  limits[0] = 0, limits[1] = MOST_RESTITUTION;
}

static const struct dc_number_kind restitution = {.name = "restitution",
                                                  .summary = "restitution of a body; of two the smaller one counts",
                                                  .index = DC_NUMBER_OF_BODY,
                                                  .present = restitution_present,
                                                  .limits = restitution_limits,
                                                  .checked = restitution_smooth,
                                                  .value = restitution_value,
                                                  .unit = "1",
                                                  .offset = offsetof(struct dc_design, restitution_shift),
                                                  .array = true};

// Gains: one factor for lengths and angles.  The value shown is that of lengths where a joint has both.

static bool gain_present(const struct dc_model *model, int index)
{
  return body_at(model, index)->pd != NULL;
}

// Whether the joint has a coordinate that is a length, whose gain is then the one to be shown.
static bool has_length(const struct dc_body *body)
{
  for (int p = 0; p < body->part_count; p++)
    if (body->parts[p].kind == DC_PART_TRANSLATION || body->parts[p].kind == DC_PART_SLIDE)
      return true;
  return false;
}

static double kp_value(const struct dc_model *model, int index)
{
  const struct dc_body *body = body_at(model, index);
  return has_length(body) ? body->pd->kp : body->pd->kp_rotation;
}

static double kd_value(const struct dc_model *model, int index)
{
  const struct dc_body *body = body_at(model, index);
  return has_length(body) ? body->pd->kd : body->pd->kd_rotation;
}

// A gain of 0 has no factor that changes it, and is left out.
static bool kp_present(const struct dc_model *model, int index)
{
  return gain_present(model, index) &&
         (body_at(model, index)->pd->kp > 0 || body_at(model, index)->pd->kp_rotation > 0);
}

static bool kd_present(const struct dc_model *model, int index)
{
  return gain_present(model, index) &&
         (body_at(model, index)->pd->kd > 0 || body_at(model, index)->pd->kd_rotation > 0);
}

static const char *kp_unit(const struct dc_model *model, int index)
{
  return has_length(body_at(model, index)) ? "N/m" : "N m/rad";
}

static const char *kd_unit(const struct dc_model *model, int index)
{
  return has_length(body_at(model, index)) ? "N s/m" : "N m s/rad";
}

static const struct dc_number_kind proportional_gain = {.name = "kp",
                                                        .summary = "proportional gain of a body's actuator",
                                                        .index = DC_NUMBER_OF_BODY,
                                                        .factor = true,
                                                        .present = kp_present,
                                                        .value = kp_value,
                                                        .unit_of = kp_unit,
                                                        .offset = offsetof(struct dc_design, kp_scale),
                                                        .array = true};

static const struct dc_number_kind derivative_gain = {.name = "kd",
                                                      .summary = "derivative gain of a body's actuator",
                                                      .index = DC_NUMBER_OF_BODY,
                                                      .factor = true,
                                                      .present = kd_present,
                                                      .value = kd_value,
                                                      .unit_of = kd_unit,
                                                      .offset = offsetof(struct dc_design, kd_scale),
                                                      .array = true};

const struct dc_number_kind *const dc_number_kinds[] = {&mass,
                                                        &stiffness,
                                                        &gravity,
                                                        &friction,
                                                        &proportional_gain,
                                                        &derivative_gain,
                                                        &dc_number_position,
                                                        &dc_number_velocity,
                                                        &dc_number_limit_stiffness,
                                                        &dc_number_young,
                                                        &dc_number_poisson,
                                                        &restitution,
                                                        &dc_number_lower_limit,
                                                        &dc_number_upper_limit,
                                                        &dc_number_bending,
                                                        &dc_number_pressure,
                                                        &dc_number_wind,
                                                        &dc_number_young_element,
                                                        NULL};
const char *const dc_number_names[] = {
    "mass",     "stiffness",       "gravity", "friction",      "kp",          "kd",          "position",
    "velocity", "limit_stiffness", "young",   "poisson",       "restitution", "lower_limit", "upper_limit",
    "bending",  "pressure",        "wind",    "young_element", NULL};

// Kinds without a rule have all their numbers in every model.
bool dc_number_is_present(const struct dc_number_kind *kind, const struct dc_model *model, int index)
{
  return !kind->present || kind->present(model, index);
}

int dc_number_count(const struct dc_number_kind *kind, const struct dc_model *model)
{
  // Indices run over all that could have the number; dc_number_is_present tells those that do.
  switch (kind->index) {
  case DC_NUMBER_OF_BODY: return model->bodies.count;
  case DC_NUMBER_OF_AXIS: return 3;
  case DC_NUMBER_OF_MODEL: return 1;
  case DC_NUMBER_OF_ELEMENT: return model->bodies.element_count;
  default: return model->bodies.nv;
  }
}

// A unit that depends on the model or the joint is asked for.
const char *dc_number_unit(const struct dc_number_kind *kind, const struct dc_model *model, int index)
{
  return kind->unit ? kind->unit : kind->unit_of(model, index);
}

// The factor or shift of a number in a design, or the derivative by it in a cotangent, which has the same form.
static double *in_design(const struct dc_number_kind *kind, struct dc_design *design, int index)
{
  void *member = (char *)design + kind->offset;
  return (kind->array ? *(double **)member : (double *)member) + index;
}

// Starts are numbers of the state, all others members of struct dc_design.
double *dc_number_in_input(const struct dc_number_kind *kind, const struct dc_model *model,
                           struct dc_rollout_input *input, int index)
{
  return kind->input ? kind->input(model, input, index) : in_design(kind, &input->design, index);
}

double *dc_number_in_cotangent(const struct dc_number_kind *kind, const struct dc_model *model,
                               struct dc_rollout_cotangent *cotangent, int index)
{
  return kind->cotangent ? kind->cotangent(model, cotangent, index) : in_design(kind, &cotangent->design, index);
}

int dc_number_body(const struct dc_number_kind *kind, const struct dc_model *model, int index)
{
  // Elements are numbered through all soft bodies, one after the other: theirs is the last that begins before the
  // index.
  int body = kind->index == DC_NUMBER_OF_BODY ? index : -1;
  for (int s = 0; s < model->bodies.soft_count && kind->index == DC_NUMBER_OF_ELEMENT; s++)
    if (index >= model->bodies.soft[s].first_element)
      body = model->bodies.soft[s].body;
  return kind->index == DC_NUMBER_OF_COORDINATE ? dc_number_coordinate_body(model, index) : body;
}

// The name of a number of the design, by what it belongs to: a body, an axis, contact, an element of a soft body, or a
// degree of freedom.
void dc_number_name(const struct dc_number_kind *kind, const struct dc_model *model, int index, char *text, size_t size)
{
  // Summaries and run.json call numbers by these names; those of coordinates and elements end with their number within
  // the body.
  int body = dc_number_body(kind, model, index);
  switch (kind->index) {
  case DC_NUMBER_OF_BODY: snprintf(text, size, "%s.%s", body_at(model, index)->name, kind->name); break;
  case DC_NUMBER_OF_AXIS: snprintf(text, size, "%s.%c", kind->name, "xyz"[index]); break;
  case DC_NUMBER_OF_MODEL: snprintf(text, size, "contact.%s", kind->name); break;
  case DC_NUMBER_OF_ELEMENT:
    snprintf(text, size, "%s.%s.%d", body_at(model, body)->name, kind->name,
             index - dc_soft_of(&model->bodies, body)->first_element);
    break;
  default:
    snprintf(text, size, "%s.%s.%d", body_at(model, body)->name, kind->name,
             index - dc_body_first_freedom(&model->bodies, body));
  }
}
