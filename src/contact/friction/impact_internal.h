// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: restitution of every model.
//
// A model reduces what it has listed for friction to forces at points; impact.c makes the dissipation of them.  The
// model pulls back what depends on time t: the derivative of D along twists at t+1 is
//     G = sum c F rho'(o) o',   o' = m . (p_a' - p_b'),   c = 1 - e^2.
#ifndef DC_CONTACT_IMPACT_INTERNAL_H
#define DC_CONTACT_IMPACT_INTERNAL_H

#include "contact/friction/friction_internal.h"

// One force; impacts are sorted by pair.
struct dc_impact {
  int pair, lane;  // lane, index: where the model finds it in its lists
  size_t index;
  double loss;       // c
  double strength;   // F, N
  double normal[3];  // m
  double arm[2][3];  // p_a - c_a, p_b - c_b at t, world axes, m
};

// Copies it to the end of the list; -1 when out of memory.
int dc_friction_add_impact(struct dc_friction *friction, const struct dc_impact *impact);

// rho and its two derivatives at opening o, w > 0.
static inline void dc_impact_profile(double o, double w, double rho[3])
{
  double t = o / w;
  if (t <= 0) {
    rho[0] = rho[1] = rho[2] = 0;
  } else if (t >= 1) {
    rho[0] = o - 0.5 * w;
    rho[1] = 1;
    rho[2] = 0;
  } else {
    rho[0] = w * t * t * t * t * (2.5 + t * (t - 3));
    rho[1] = t * t * t * (10 + t * (6 * t - 15));
    rho[2] = 30 * t * t * (1 - t) * (1 - t) / w;
  }
}

// The sums of one force over the vertices that it acts on: their forces f_v, and how far they move (and move along the
// twists) along m.  Side x: 0, 1.
struct dc_opening {
  double force[2], moved[2], varied[2];
};

static inline void dc_opening_add(struct dc_opening *opening, int x, double force, double moved, double varied)
{
  opening->force[x] += force;
  opening->moved[x] += force * moved;
  opening->varied[x] += force * varied;
}

// Factors in G and in its cotangents for one force: c rho', c rho'' o', o' and F_a/F_b on b; G itself.
struct dc_opening_slopes {
  double slope, bend, varied, part[2], moved_mean[2], varied_mean[2], value;
};

static inline struct dc_opening_slopes dc_opening_slopes(const struct dc_opening *opening, double loss, double width)
{
  struct dc_opening_slopes s = {.part = {1, 1}};
  double rho[3];
  for (int x = 0; x < 2 && opening->force[x] > 0; x++) {
    s.moved_mean[x] = opening->moved[x] / opening->force[x];
    s.varied_mean[x] = opening->varied[x] / opening->force[x];
    s.part[x] = opening->force[0] / opening->force[x];
  }
  s.varied = s.varied_mean[0] - s.varied_mean[1];
  dc_impact_profile(s.moved_mean[0] - s.moved_mean[1], width, rho);
  s.slope = loss * rho[1];
  s.bend = loss * rho[2] * s.varied;
  s.value = opening->force[0] * s.slope * s.varied;
  return s;
}

// The derivative of G by the logarithm of the force of one vertex.
static inline double dc_opening_share(const struct dc_opening_slopes *s, int x, double force, double moved,
                                      double varied)
{
  double sign = x ? -1 : 1;
  return force * ((x ? 0 : s->slope * s->varied) +
                  sign * s->part[x] * (s->slope * (varied - s->varied_mean[x]) + s->bend * (moved - s->moved_mean[x])));
}

#endif
