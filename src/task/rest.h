// SPDX-License-Identifier: Apache-2.0
// What comes to rest: an objective that a place is reached may ask that the body is no longer moving when it counts.
//
// Without it a loss of places alone pays haste: a body is shot through its target.  With v the velocity of the centre
// of mass, r the largest speed at rest and t the settling time, for which a body must have been at rest and which says
// how much of a way a speed is worth, a body adds
//     t^2 g(u) p(|v|^2),   p(w) = r^2 z^3 / (1 + z)^2  where  z = w / r^2 - 1 > 0, else 0,
// to the squared distance: |v|^2 far above r^2.  Where the last frame alone counts, p is the mean over the steps of the
// settling time before it, as far back as there are frames, u that of the last frame: so the loss is zero exactly where
// the place is reached at rest.  Where all frames count, each has its own step.  u >= 0 is how far outside the body is,
// 0 within and 1 at twice the size of what counts as reached, and
//     g(u) = 1 - u^3 (10 - 15 u + 6 u^2),
// 1 within and 0 beyond.  p is twice differentiable in w as g is in u, with g'(0) = g''(0) = 0, where u itself has a
// kink.
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

// Whether rest is asked for.
static inline bool dc_rest_asked(const struct dc_rest_options *rest)
{
  return rest->speed > 0;
}

// Whether the body has been at rest for the settling time, as far back as there are frames; true when rest is not asked
// for.
bool dc_rest_holds(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int body,
                   const char *axes);

// Steps whose motion counts with a place: 0 when rest is not asked for, 1 of each frame where all count, else those of
// the settling time before the last frame, as far back as there are frames (1 of a frame alone).
int dc_rest_motions(const struct dc_rest_options *rest, int when, const struct dc_trajectory *trajectory);

// What a body adds, m^2, when its place is u outside, du/dx = by_place [3].  Derivatives times scale are added to
// cotangent (may be NULL).  0 when rest is not asked for.
double dc_rest_value(const struct dc_rest_options *rest, const struct dc_model *model,
                     const struct dc_trajectory *trajectory, int frame, int motions, int body, const char *axes,
                     double u, const double *by_place, double scale, struct dc_loss_cotangent *cotangent);

// Groups of residual rows of an objective with a place of every body at each frame that counts: those of the places
// and behind them, so often as there are motions, those of the steps before.
static inline int dc_rest_groups(const struct dc_frame_range *frames, int motions, int bodies)
{
  return (frames->last - frames->first + 1) * bodies * (1 + motions);
}

// Frame and body (one of the objective's so many) of such a group; the number of its motion, the last step's first, or
// 0 of a place.
static inline int dc_rest_place(const struct dc_frame_range *frames, int bodies, int index, int *frame, int *body)
{
  int places = (frames->last - frames->first + 1) * bodies;
  *body = dc_objective_place(frames, bodies, index % places, frame);
  return index / places;
}

// The frames that such a group sees.
static inline void dc_rest_span(int motion, int frame, int *first, int *last)
{
  *last = motion ? frame - (motion - 1) : frame;
  *first = motion && *last > 0 ? *last - 1 : *last;
}

// As residual rows: those of motion 1 ... motions have the weight g / motions, d = t v, e = t p' v and a disc of radius
// t r about 0.  What the gradient of g adds is a part of e in the rows of the place: 2 J^T W e of all is the gradient.
// share is the frame's times the objective's weight.
void dc_rest_group(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int motion,
                   int motions, int body, const char *axes, double u, double share, struct dc_residual_group *group);
// Adds that part to e [3]; zero when rest is not asked for.
void dc_rest_add_to_place(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame,
                          int motions, int body, const char *axes, double u, const double *by_place, double *e);
// The derivative of the sum of weights [axes] times d, of a motion or (0) of the place itself.
void dc_rest_group_pull_back(const struct dc_rest_options *rest, const struct dc_model *model,
                             const struct dc_trajectory *trajectory, int motion, int frame, int body, const char *axes,
                             const double *weights, struct dc_loss_cotangent *cotangent);

#endif
