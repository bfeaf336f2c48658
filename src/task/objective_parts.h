// SPDX-License-Identifier: Apache-2.0
// Common parts of objectives: option rows, bodies, axes, masses, and the frames that count.
#ifndef DC_TASK_OBJECTIVE_PARTS_H
#define DC_TASK_OBJECTIVE_PARTS_H

#include <string.h>

#include "math/vector.h"
#include "task/task.h"

enum { DC_OBJECTIVE_BODIES_MOST = 10000 };

extern const char *const dc_when_choices[];  // enum dc_when, NULL-terminated

#define DC_TARGET_OPTION(structure, target_help) DC_VECTOR_OPTION(structure, target, "m", NULL, 1e6, target_help)

#define DC_TOLERANCE_OPTION(structure, member, tolerance_unit, tolerance_fallback, tolerance_help)                     \
  {                                                                                                                    \
    .name = "tolerance", .type = DC_REAL, .unit = (tolerance_unit), .fallback = (tolerance_fallback), .minimum = 0,    \
    .maximum = 1e6, .help = (tolerance_help), .offset = offsetof(structure, member)                                    \
  }

// Rows for the frames from `from` to `until`, long.
#define DC_FROM_OPTION(structure, meaning) DC_INTEGER_OPTION(structure, from, "0", 0, 1e9, meaning)
#define DC_UNTIL_OPTION(structure, meaning) DC_INTEGER_OPTION(structure, until, "-1", -1, 1e9, meaning)

#define DC_WEIGHT_OPTION(structure, member, weight_unit, weight_help)                                                  \
  {                                                                                                                    \
    .name = "weight", .type = DC_REAL, .unit = (weight_unit), .fallback = "1", .minimum = 0, .maximum = 1e30,          \
    .help = (weight_help), .offset = offsetof(structure, member)                                                       \
  }

#define DC_BODIES_OPTION(structure, meaning)                                                                           \
  DC_BODY_LIST_OPTION(structure, bodies, "null", DC_OBJECTIVE_BODIES_MOST, meaning)

#define DC_INSIDE_OPTION(structure, member)                                                                            \
  {                                                                                                                    \
    .name = "inside", .type = DC_REAL, .unit = "", .fallback = "null", .absent = "1, 0.8 without an optimizer",        \
    .minimum = 0, .maximum = 1,                                                                                        \
    .help = "part of what is allowed that the loss asks for: below 1 a plan ends inside, not at the rim",              \
    .offset = offsetof(structure, member)                                                                              \
  }

// The part "inside" (NAN, as a table leaves it: all) of what is allowed, for which the loss asks.
static inline double dc_objective_rim(double inside, double allowed)
{
  return isnan(inside) ? allowed : inside * allowed;
}

#define DC_AXES_OPTION(structure, default_text)                                                                        \
  DC_STRING_OPTION(structure, axes, default_text, "axes that count, a subset of \"xyz\" such as \"xy\"")

#define DC_WHEN_FRAMES "end: the last frame counts; every: the mean over all frames after the first"
#define DC_WHEN_OPTION(structure, member, when_fallback, when_help)                                                    \
  {                                                                                                                    \
    .name = "when", .type = DC_CHOICE, .unit = "", .fallback = (when_fallback), .choices = dc_when_choices,            \
    .help = (when_help), .offset = offsetof(structure, member)                                                         \
  }

enum dc_status dc_objective_check_axes(const char *axes, struct dc_error *error);
// Checks that every entry names a body, and only once; the message begins with "bodies".
enum dc_status dc_objective_check_bodies(const struct dc_index_list *bodies, const struct dc_model *model,
                                         struct dc_error *error);
// The same as the check of an objective whose options begin with such a list, which may be empty.
enum dc_status dc_objective_check_list(const void *options, const struct dc_model *model, struct dc_error *error);
// Completes an empty list of bodies: those for which `counts` is true and whose shapes the design changes, or, if the
// design changes none of these, all for which it is true; owned by arena.  DC_BAD_INPUT, naming bodies, when there is
// none, or when a listed body does not count (lacks: what it is missing, such as "mass"); DC_MEMORY.
enum dc_status dc_objective_list_bodies(struct dc_index_list *bodies, const struct dc_model *model,
                                        bool (*counts)(const struct dc_model *model, int body), const char *lacks,
                                        struct dc_arena *arena, struct dc_error *error);

// Mass of a rigid body that moves, of a soft body or of what is fixed to one, kg; 0 for others, such as cables.
// scene_mass is the model's; mass_of is multiplied by the factor of the input (NULL: 1).
double dc_objective_scene_mass(const struct dc_model *model, int body);
double dc_objective_mass_of(const struct dc_model *model, const struct dc_rollout_input *input, int body);
// Adds a derivative by that mass; does nothing where the cotangent has no input.
void dc_objective_add_mass(struct dc_loss_cotangent *cotangent, const struct dc_model *model,
                           const struct dc_rollout_input *input, int body, double by_mass);

// The frames that count: the last, or all after the first (only frame 0 of a trajectory without steps).
struct dc_frame_range {
  int first, last;
  double share;  // weight of each frame in the mean
};

static inline struct dc_frame_range dc_objective_frames(int when, const struct dc_trajectory *trajectory)
{
  int last = trajectory->steps, first = when == DC_WHEN_EVERY && last > 0 ? 1 : last;
  return (struct dc_frame_range){first, last, 1.0 / (last - first + 1)};
}

static inline const double *dc_objective_center(const struct dc_trajectory *trajectory, int frame, int body)
{
  return trajectory->poses[(size_t)frame * (size_t)trajectory->bodies + (size_t)body].position;
}

// Adds scale * direction to the derivative by the centre of mass of a body, unless it never moves.
static inline void dc_objective_add(struct dc_loss_cotangent *cotangent, const struct dc_model *model,
                                    const struct dc_trajectory *trajectory, int frame, int body, double scale,
                                    const double *direction)
{
  if (!cotangent || !dc_frame_moves(&model->bodies, body))
    return;
  size_t slice = (size_t)(frame - cotangent->first);
  double *wrench = cotangent->frames.wrenches[slice * (size_t)trajectory->bodies + (size_t)body];
  dc_vec_add_scaled(wrench + 3, wrench + 3, scale, direction);
}

// r = a - b along the axes, zero along the others.
static inline void dc_objective_offset(double *r, const double *a, const double *b, const char *axes)
{
  for (int i = 0; i < 3; i++)
    r[i] = strchr(axes, "xyz"[i]) ? a[i] - b[i] : 0;
}

// Lists the chosen axes as numbers in rising order; returns their number.
static inline int dc_objective_axes(const char *axes, int index[3])
{
  int count = 0;
  for (int i = 0; i < 3; i++)
    if (strchr(axes, "xyz"[i]))
      index[count++] = i;
  return count;
}

// Fills a group of rows from vectors d and e, restricted to the chosen axes.
static inline void dc_objective_group(struct dc_residual_group *group, const char *axes, const double *d,
                                      const double *e)
{
  int index[3];
  group->axes = dc_objective_axes(axes, index);
  for (int k = 0; k < group->axes; k++) {
    group->d[k] = d[index[k]];
    group->e[k] = e[index[k]];
  }
}

// The same for weight |d|^2, whose target set is 0.
static inline void dc_objective_squares(struct dc_residual_group *group, const char *axes, const double *d,
                                        double weight)
{
  dc_objective_group(group, axes, d, d);
  group->weight = weight;
  group->value = weight * dc_vec_dot(d, d);
  group->radius = 0;
}

// Expands weights [axes] to a vector.
static inline void dc_objective_scatter(const char *axes, const double *weights, double vector[3])
{
  int index[3], count = dc_objective_axes(axes, index);
  vector[0] = vector[1] = vector[2] = 0;
  for (int k = 0; k < count; k++)
    vector[index[k]] = weights[k];
}

// Splits a group's index into frame and body, for objectives with `bodies` groups per frame; returns the body.
static inline int dc_objective_place(const struct dc_frame_range *frames, int bodies, int index, int *frame)
{
  *frame = frames->first + index / bodies;
  return index % bodies;
}

#endif
