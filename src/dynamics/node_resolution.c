// SPDX-License-Identifier: Apache-2.0
// Whether an interval of second order resolves how soft bodies hit half-spaces, rigid bodies and each other
// (docs/theory/steps.md, "Second order").  Elastic forces and those of contact are shares of what they are at the ends
// of an interval.  A body that lands in it or is thrown back meets them too early or too late, and a ball loses by it
// the larger a part of its speed, the larger a part of its contact the interval is.  With its length h, the normal
// forces F and F+ of nodes at both ends and the momenta p of nodes along the change of all forces, as sums of sizes,
//     sum |F+ - F| h > A (p + h sum F+)
// tells such an interval; p is the larger one of this interval and the one before, as a body that turns round has none
// before.  Only impacts count: p > B h sum F+ (what is pressed slowly is none) and p > C h sum m |g|
// (nor is what settles).  Nor is an interval asked to be shorter than the part 1/N of the time that a ball of the body's
// mass, of radius R, would touch a wall (Hertz 1881; Landau and Lifshitz, Theory of Elasticity, section 9),
//     T = 5.1 R/c (c/v)^(1/5),   c = sqrt(E/density),   v = p over the mass,
// as nodes land one by one and change the sum of forces in the shortest.
#include <math.h>

#include "dynamics/step.h"
#include "math/vector.h"

static const double CHANGE = 0.05;  // A: 0.1 leaves twice the error of a bounce, 0.025 gains nothing
static const double HITS = 0.2;     // B
static const double FALLS = 2;      // C
// N: of 12 drawn balls (scripts/paper/soft-impacts --draws 12 --seed 5) one is not within 5 % of its bounce at a fifth
// of the step with 24, none with 40.
static const double PARTS = 32;
static const double SHEET_PART = 0.25;  // of a step: cloth and rods, which are no balls

// Impulses of contact in an interval, N s: of the change of forces and of what they are at its end, as sums of sizes,
// and of the change as a vector.
struct impulses {
  double change, end, total[3];
};

static void add_node(const struct dc_step_state *state, const struct dc_soft *soft, int plane, int at,
                     struct impulses *sum)
{
  double normal[3], force = 0.5 * dc_node_barrier(state->model, soft) * state->interval.length,
                    begin = force / dc_node_gap(&state->now[plane], state->q_now + at, normal),
                    end = force / dc_node_gap(&state->next[plane], state->q_next + at, normal);
  sum->change += fabs(end - begin);
  dc_vec_add_scaled(sum->total, sum->total, end - begin, normal);
  sum->end += end;
}

static struct impulses impulses_of(const struct dc_step_state *state, const struct dc_soft *soft)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  struct impulses sum = {.change = 0};
  for (int plane = 0; plane < bodies->count; plane++)
    for (int n = 0; n < soft->node_count && dc_soft_touches(bodies, soft, plane); n++)
      add_node(state, soft, plane, soft->q_offset + 3 * n, &sum);
  return sum;
}

// The force of touches on a soft body, N: what they do within it has no sum.
static void add_touches(const struct dc_touch *touches, size_t count, int body, double force[3])
{
  double gradient[4][3];
  for (size_t t = 0; t < count; t++) {
    if (touches[t].body[0] != body && touches[t].body[1] != body)
      continue;
    dc_touch_derivatives(&touches[t], gradient, NULL);
    for (int v = 0; v < 4; v++)
      if (dc_touch_body(&touches[t], v) == body)
        dc_vec_sub(force, force, gradient[v]);
  }
}

// The same of the surfaces that a soft body touches.
static void add_surfaces(const struct dc_step_state *state, const struct dc_soft *soft, struct impulses *sum)
{
  double begin[3] = {0}, end[3] = {0}, change[3];
  size_t count;
  if (!state->surface)
    return;
  const struct dc_touch *touches = dc_surface_touches(state->surface, &count);
  add_touches(touches, count, soft->body, end);
  touches = dc_surface_held(state->surface, &count);
  add_touches(touches, count, soft->body, begin);
  dc_vec_sub(change, end, begin);
  sum->change += state->interval.length * dc_vec_norm(change);
  dc_vec_add_scaled(sum->total, sum->total, state->interval.length, change);
  sum->end += state->interval.length * dc_vec_norm(end);
}

// The longest interval in which an impact may be, s.
static double longest(const struct dc_step_state *state, const struct dc_soft *soft, double mass, double speed)
{
  double density = state->input->design.body_mass_scale[soft->body] * soft->density;
  double sound = sqrt(dc_mean_young(state, soft) / density), radius = cbrt(3 * mass / (4 * M_PI * density));
  if (soft->mesh.corners < 4)
    return SHEET_PART * state->model->definition.time.step;
  return 5.1 * radius / sound * pow(sound / speed, 0.2) / PARTS;
}

// |f.(x - y)|
static double along(const double force[3], const double *x, const double *y)
{
  double way[3];
  dc_vec_sub(way, x, y);
  return fabs(dc_vec_dot(way, force));
}

// Each soft body for itself; false where one of them has an impact that the interval does not resolve.
bool dc_nodes_resolved(const struct dc_step_state *state)
{
  const double h = state->interval.length, gravity = dc_vec_norm(state->input->design.gravity);
  DC_FOR_EACH_SOFT(soft, state)
  {
    struct impulses sum = impulses_of(state, soft);
    add_surfaces(state, soft, &sum);
    double momentum = 0, next = 0, mass = 0, size = dc_vec_norm(sum.total);
    double scale = state->input->design.body_mass_scale[soft->body];
    for (int n = 0; n < soft->node_count && size > CHANGE * sum.end; n++) {
      int at = soft->q_offset + 3 * n;
      double own = scale * dc_soft_node_mass(soft, n), part = own / (h * size);
      momentum += part * state->interval.ratio * along(sum.total, state->q_now + at, state->q_before + at);
      next += part * along(sum.total, state->q_next + at, state->q_now + at);
      mass += own;
    }
    momentum = fmax(momentum, next);
    if (sum.change > CHANGE * (momentum + sum.end) && momentum > HITS * sum.end &&
        momentum > FALLS * h * mass * gravity && h > longest(state, soft, mass, momentum / mass))
      return false;
  }
  return true;
}
