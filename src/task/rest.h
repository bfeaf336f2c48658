// SPDX-License-Identifier: Apache-2.0
// Rest: an objective about positions may also require that a body no longer moves when it counts as reached.
//
// A loss of positions alone rewards shooting a body through its target.  With v the velocity of the centre of mass, r
// the part "inside" of the largest speed that counts as rest, and t the settling time, a body adds
//
//     t^2 g(u) p(|v|^2),   p(w) = r^2 z^3 / (1 + z)^2  where  z = w / r^2 - 1 > 0, else 0,
//
// to the squared distance; far above r^2 this is t^2 |v|^2, so that t converts speed to distance.  Where only the last
// frame counts, p is the mean over the steps of the settling time before it, and u is that of the last frame.  The loss
// is then zero exactly where the target is reached at rest.  Where all frames count, each uses its own step.
//
// u >= 0 measures how far outside a body is, 0 within and 1 at twice the tolerance, and
//
//     g(u) = 1 - u^3 (10 - 15 u + 6 u^2),
//
// is 1 within and 0 beyond.  p is twice differentiable in w, as is g in u, with g'(0) = g''(0) = 0, where u itself has
// a kink.
#ifndef DC_TASK_REST_H
#define DC_TASK_REST_H

#include "task/objective_parts.h"

#define DC_REST_OPTIONS(structure, member)                                                                             \
  {.name = "rest",                                                                                                     \
   .type = DC_REAL,                                                                                                    \
   .unit = "m/s",                                                                                                      \
   .fallback = "null",                                                                                                 \
   .minimum = 0,                                                                                                       \
   .minimum_excluded = true,                                                                                           \
   .maximum = 1e6,                                                                                                     \
   .help = "largest speed of a body that counts as reached; default: any",                                             \
   .offset = offsetof(structure, member.speed)},                                                                       \
  {                                                                                                                    \
    .name = "settle", .type = DC_REAL, .unit = "s", .fallback = "0.2", .minimum = 0, .maximum = 1e6,                   \
    .help = "with rest: time at rest that counts as reached; times it a speed near the goal counts as a distance",     \
    .offset = offsetof(structure, member.settle)                                                                       \
  }

// Whether rest is requested.
static inline bool dc_rest_asked(const struct dc_rest_options *rest)
{
  return rest->speed > 0;
}

// Whether the body has been at rest for the settling time, as far back as there are frames; true when rest is not
// requested.
bool dc_rest_holds(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int body,
                   const char *axes);

// The largest speed of the body over those steps, and its frame, in *worst when it is above what is there.
void dc_rest_condition(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int body,
                       const char *axes, struct dc_condition *worst);

// Number of steps that count with a position: 0 when rest is not requested; 1 where all frames count; else the steps of
// the settling time before the last frame, as far back as there are frames (1 for a single frame).
int dc_rest_motions(const struct dc_rest_options *rest, int when, const struct dc_trajectory *trajectory);

// The term of a body whose position is u outside, m^2, with du/dx = by_place [3].  Adds derivatives times scale to
// cotangent (may be NULL).  0 when rest is not requested.
double dc_rest_value(const struct dc_rest_options *rest, const struct dc_model *model,
                     const struct dc_trajectory *trajectory, int frame, int motions, int body, const char *axes,
                     double u, const double *by_place, double scale, struct dc_loss_cotangent *cotangent);

// Number of groups of residual rows of an objective with one position per body and frame: those of the positions,
// followed by `motions` times as many for the steps before.
static inline int dc_rest_groups(const struct dc_frame_range *frames, int motions, int bodies)
{
  return (frames->last - frames->first + 1) * bodies * (1 + motions);
}

// Splits the index of such a group into frame and body (one of `bodies`); returns the number of its step, the last
// step's first, or 0 for a position.
static inline int dc_rest_place(const struct dc_frame_range *frames, int bodies, int index, int *frame, int *body)
{
  int places = (frames->last - frames->first + 1) * bodies;
  *body = dc_objective_place(frames, bodies, index % places, frame);
  return index / places;
}

// The frames on which such a group depends.
static inline void dc_rest_span(int motion, int frame, int *first, int *last)
{
  *last = motion ? frame - (motion - 1) : frame;
  *first = motion && *last > 0 ? *last - 1 : *last;
}

// The term as residual rows.  Those of step 1 ... motions have the weight g / motions, d = t v, e = t p' v, and a disc
// of radius t r about 0.  The gradient through g is a part of e in the rows of the position, so that 2 J^T W e over all
// rows is the gradient.  share is that of the frame times the weight of the objective.
void dc_rest_group(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int motion,
                   int motions, int body, const char *axes, double u, double share, struct dc_residual_group *group);
// Adds that part to e [3] of the position; zero when rest is not requested.
void dc_rest_add_to_place(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame,
                          int motions, int body, const char *axes, double u, const double *by_place, double *e);
// Adds the derivative of the sum of weights [axes] times d, of a step or (0) of the position itself.
void dc_rest_group_pull_back(const struct dc_rest_options *rest, const struct dc_model *model,
                             const struct dc_trajectory *trajectory, int motion, int frame, int body, const char *axes,
                             const double *weights, struct dc_loss_cotangent *cotangent);

#endif
