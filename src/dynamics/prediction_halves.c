// SPDX-License-Identifier: Apache-2.0
// Forces on lengths and angles in a prediction: the force F of the middle of an interval, half of it at its beginning
// and half at its end (prediction.c).
//     G gains -h/2 (h F(q, q*) + h- F(q-, q)).
// F(q, q*) is the force of the implicit step of length h/2 from q to the middle (q + q*)/2, and F(q-, q) that of the
// step of length -h-/2 back to the middle (q- + q)/2.  Both have the targets of the interval that is solved.  So the
// terms have both forces and their derivatives.
#include <string.h>

#include "dynamics/prediction_parts.h"

// The terms that are asked for halves of intervals, and for the curvature of their energies.
static const struct {
  const struct dc_step_term *term;
  void (*add_curvature)(const struct dc_step_state *state, double *diagonal);
} pushers[] = {{&dc_actuator_term, dc_actuator_add_curvature}, {&dc_passive_term, dc_passive_add_curvature}};
enum { PUSHERS = sizeof pushers / sizeof *pushers };

// middle [nq], curvature [nv] and scaled [nv] are in the arena; false when out of memory.
bool dc_halves_create(const struct dc_bodies *bodies, struct dc_arena *arena, struct dc_halves *halves)
{
  halves->scaled = dc_arena_alloc(arena, (size_t)bodies->nv, sizeof *halves->scaled);
  bool complete = halves->scaled != NULL;
  for (int k = 0; k < DC_HALVES; k++) {
    halves->half[k].middle = dc_arena_alloc(arena, (size_t)bodies->nq, sizeof(double));
    halves->half[k].curvature = dc_arena_alloc(arena, (size_t)bodies->nv, sizeof(double));
    complete &= halves->half[k].middle && halves->half[k].curvature;
  }
  return complete;
}

// The half towards the end q of the interval weighs h^2/2, the half back to q_before h h-/2, by which forces become
// displacements times mass.  At a start there is nothing behind.  The time that remains to the end of the step, to
// which targets refer, is larger at the middles by the time from them to the end of the interval.
void dc_halves_begin(const struct dc_step_state *state, const double *q, struct dc_halves *halves)
{
  double h = state->interval.length, before = h / state->interval.ratio;
  for (int k = 0; k < DC_HALVES; k++) {
    struct dc_half *half = &halves->half[k];
    half->end = k == DC_HALF_THERE ? q : state->q_before;
    half->weight = k == DC_HALF_THERE ? 0.5 * h * h : state->interval.starts ? 0 : 0.5 * h * before;
    half->state = *state;
    half->state.half = true;
    half->state.q_next = half->middle;
    half->state.interval.length = k == DC_HALF_THERE ? 0.5 * h : -0.5 * before;
    half->state.interval.remaining += k == DC_HALF_THERE ? 0.5 * h : h + 0.5 * before;
  }
}

// The middles belong to the present q; curvature [nv] is the diagonal d2E/dq2 there, N/m or N m.
void dc_halves_find(const struct dc_step_state *state, struct dc_halves *halves)
{
  size_t bytes = (size_t)state->model->bodies.nv * sizeof(double);
  for (int k = 0; k < DC_HALVES; k++) {
    struct dc_half *half = &halves->half[k];
    for (int i = 0; i < state->model->bodies.nq; i++)
      half->middle[i] = 0.5 * (state->q_now[i] + half->end[i]);
    memset(half->curvature, 0, bytes);
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].add_curvature(&half->state, half->curvature);
  }
}

// Forces of 0 on the coordinates [nv], in `scaled`.
static struct dc_step_forces no_forces(struct dc_halves *halves, int nv)
{
  memset(halves->scaled, 0, (size_t)nv * sizeof *halves->scaled);
  return (struct dc_step_forces){.joints = halves->scaled};
}

// sum [nv] += weight times the gradient of the energies at each middle: the negative of the forces of the head.
void dc_halves_add_kicks(const struct dc_step_state *state, struct dc_halves *halves, double *sum)
{
  int nv = state->model->bodies.nv;
  for (int k = 0; k < DC_HALVES; k++) {
    struct dc_half *half = &halves->half[k];
    struct dc_step_forces forces = no_forces(halves, nv);
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].term->add_gradient(&half->state, &forces);
    for (int v = 0; v < nv; v++)
      sum[v] += half->weight * halves->scaled[v];
  }
}

// Adds mu^T times the derivatives of the kicks.  The middle (q + end)/2 moves by half with q, and by half with
// q_before in the half behind; the end q* of the other half is the prediction itself, which its own equation takes
// care of.
void dc_halves_add_mixed(const struct dc_step_state *state, struct dc_halves *halves, const double *mu,
                         struct dc_step_cotangent *out)
{
  int nv = state->model->bodies.nv;
  for (int k = 0; k < DC_HALVES; k++) {
    struct dc_half *half = &halves->half[k];
    if (half->weight == 0)
      continue;
    struct dc_step_direction direction = {.joints = halves->scaled};
    for (int v = 0; v < nv; v++) {
      halves->scaled[v] = half->weight * mu[v];
      double by_middle = half->curvature[v] * halves->scaled[v];
      out->now.joints[v] += 0.5 * by_middle;
      if (k == DC_HALF_BACK)
        out->before.joints[v] += 0.5 * by_middle;
    }
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].term->add_mixed(&half->state, &direction, out);
  }
}

// The transposed of dc_halves_add_mixed.
void dc_halves_add_product(const struct dc_step_state *state, struct dc_halves *halves,
                           const struct dc_step_variation *variation, double *sum)
{
  int nv = state->model->bodies.nv;
  for (int k = 0; k < DC_HALVES; k++) {
    struct dc_half *half = &halves->half[k];
    struct dc_step_forces forces = no_forces(halves, nv);
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].term->add_product(&half->state, variation, &forces);
    for (int v = 0; v < nv; v++) {
      double middle = 0.5 * (variation->now.joints[v] + (k == DC_HALF_BACK ? variation->before.joints[v] : 0));
      sum[v] += half->weight * (halves->scaled[v] + half->curvature[v] * middle);
    }
  }
}
