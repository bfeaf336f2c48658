// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of air on the surfaces of soft bodies (docs/theory.md, "Cables and air"): resistance
// against the motion of a triangle along its normal relative to the wind w, and pressure p behind it.  With the area
// vector a of time t and the middle m of the triangle
//     c h/2 |a| u^2 - w p a.(m+ - m),   u = (a/|a|).((m+ - m)/h - w),
// c the resistance in Pa s/m, p the pressure of the scene and what controls add, less that in a chamber whose wall the
// triangle is; w is 1, or as in terms_nodes.c.  It is convex in q+; area and normal are those of time t, as the force
// of friction is.
#include "dynamics/soft_drive.h"
#include "math/vector.h"

// A triangle in a step.
struct patch {
  const struct dc_soft *soft;
  int at[3];              // of its nodes in the coordinates of the soft body
  double a[3], size;      // area vector at t, its length
  double edges[2][3];     // from the first node at t
  double d[3];            // m+ - m - h w
  double drag, pressure;  // c/h, w p
  int chamber;            // coordinate of the pressure of the chamber whose wall it is; -1: none
};

typedef void visitor_function(const struct dc_step_state *state, const struct patch *patch, void *context);

static int chamber_of(const struct dc_soft *soft, int triangle)
{
  const struct dc_soft_drives *drives = &soft->drives;
  int chamber = drives->chamber_of ? drives->chamber_of[triangle] : -1;
  return chamber < 0 ? -1 : dc_soft_first_chamber(drives) + chamber;
}

// Visits all triangles that air acts on; derived: also those without any, whose force has a derivative by the pressure.
static void visit(const struct dc_step_state *state, bool derived, visitor_function *visitor, void *context)
{
  const struct dc_design *design = &state->input->design;
  DC_FOR_EACH_SOFT(soft, state)
  {
    if (soft->mesh.corners < 3)
      continue;
    double outside = design->pressure[soft->body] + dc_soft_drive(state, soft, 0),
           drag = soft->drag / state->interval.length;
    if (!derived && drag == 0 && outside == 0 && !soft->drives.chamber_count)
      continue;
    for (int t = 0; t < soft->mesh.triangle_count; t++) {
      struct patch patch = {.soft = soft, .drag = drag, .pressure = outside, .chamber = chamber_of(soft, t)};
      if (patch.chamber >= 0)
        patch.pressure -= dc_soft_drive(state, soft, patch.chamber);
      patch.pressure *= state->kick;
      const double *x[3];
      dc_vec_scale(patch.d, design->wind, -state->interval.length);
      for (int k = 0; k < 3; k++) {
        patch.at[k] = 3 * soft->mesh.triangles[t][k];
        x[k] = state->q_now + soft->q_offset + patch.at[k];
        for (int i = 0; i < 3; i++)
          patch.d[i] += (state->q_next[soft->q_offset + patch.at[k] + i] - x[k][i]) / 3;
      }
      for (int k = 0; k < 2; k++)
        dc_vec_sub(patch.edges[k], x[k + 1], x[0]);
      dc_vec_cross(patch.a, patch.edges[0], patch.edges[1]);
      dc_vec_scale(patch.a, patch.a, 0.5);
      patch.size = dc_vec_norm(patch.a);
      if (patch.size > 0)
        visitor(state, &patch, context);
    }
  }
}

static void mean_of(const struct patch *patch, const double *numbers, double mean[3])
{
  for (int i = 0; i < 3; i++)
    mean[i] = (numbers[patch->at[0] + i] + numbers[patch->at[1] + i] + numbers[patch->at[2] + i]) / 3;
}

static void add_to_corners(const struct patch *patch, const double force[3], double *sum)
{
  for (int k = 0; k < 3; k++)
    dc_vec_add_scaled(sum + patch->at[k], sum + patch->at[k], 1.0 / 3, force);
}

static void visit_value(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  double *sum = context, along = dc_vec_dot(patch->a, patch->d), move[3];
  dc_vec_add_scaled(move, patch->d, state->interval.length, state->input->design.wind);
  *sum += 0.5 * patch->drag * along * along / patch->size - patch->pressure * dc_vec_dot(patch->a, move);
}

static double value(const struct dc_step_state *state)
{
  double sum = 0;
  visit(state, false, visit_value, &sum);
  return sum;
}

// Resistance and pressure act along the area vector; each corner gets a third.
static void visit_gradient(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  double force[3];
  (void)state;
  dc_vec_scale(force, patch->a, patch->drag * dc_vec_dot(patch->a, patch->d) / patch->size - patch->pressure);
  add_to_corners(patch, force, (double *)context + patch->soft->v_offset);
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  visit(state, false, visit_gradient, forces->joints);
}

// c h/2 |a| u^2 is quadratic in the middle of the triangle, whose derivative by each corner is a third.
static void visit_hessian(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  struct dc_step_hessian *hessian = context;
  double block[9];
  for (int i = 0; i < 9; i++)
    block[i] = patch->drag / (9 * patch->size) * patch->a[i / 3] * patch->a[i % 3];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l <= k; l++)
      dc_symmetric_add_block(hessian->matrix, dc_node_block(&state->model->bodies, patch->soft, patch->at[k] / 3),
                             dc_node_block(&state->model->bodies, patch->soft, patch->at[l] / 3), 1, block, 3);
}

static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)exact;
  visit(state, false, visit_hessian, hessian);
}

// G = c/h (a.d) a/|a| - p a.  Along l, the mean of a direction of the nodes,
//     by a:  c/h (d (a.l) + (a.d) l - (a.d)(a.l) a/|a|^2)/|a| - p l,     by d:  c/h (a.l) a/|a|.
struct mixed {
  const struct dc_step_direction *direction;
  struct dc_step_cotangent *out;
};

// Mixed derivatives of one triangle by the nodes at t, pressure and wind.
static void visit_mixed(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  const struct mixed *mixed = context;
  struct dc_design *design = &mixed->out->input->design;
  const double *a = patch->a, *d = patch->d;
  double *now = mixed->out->now.joints + patch->soft->v_offset, l[3], by_a[3], by_d[3], by_edge[3];
  mean_of(patch, mixed->direction->joints + patch->soft->v_offset, l);
  double ad = dc_vec_dot(a, d), al = dc_vec_dot(a, l), drag = patch->drag / patch->size;
  for (int i = 0; i < 3; i++) {
    by_a[i] = drag * (d[i] * al + ad * l[i] - ad * al * a[i] / (patch->size * patch->size)) - patch->pressure * l[i];
    by_d[i] = -drag * al * a[i];  // by the middle at t
  }
  add_to_corners(patch, by_d, now);
  dc_vec_add_scaled(design->wind, design->wind, state->interval.length, by_d);
  design->pressure[patch->soft->body] -= state->kick * al;
  dc_soft_drive_pull_back(state, patch->soft, 0, -state->kick * al, mixed->out->input);
  if (patch->chamber >= 0)
    dc_soft_drive_pull_back(state, patch->soft, patch->chamber, state->kick * al, mixed->out->input);
  dc_vec_cross(by_edge, patch->edges[1], by_a);
  dc_vec_add_scaled(now + patch->at[1], now + patch->at[1], 0.5, by_edge);
  dc_vec_add_scaled(now + patch->at[0], now + patch->at[0], -0.5, by_edge);
  dc_vec_cross(by_edge, by_a, patch->edges[0]);
  dc_vec_add_scaled(now + patch->at[2], now + patch->at[2], 0.5, by_edge);
  dc_vec_add_scaled(now + patch->at[0], now + patch->at[0], -0.5, by_edge);
}

static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  struct mixed mixed = {direction, out};
  visit(state, true, visit_mixed, &mixed);
}

struct product {
  const struct dc_step_variation *variation;
  struct dc_step_forces *forces;
};

// Change of one triangle's forces along a change of nodes at t, pressure and wind.
static void visit_product(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  const struct product *product = context;
  const struct dc_design *change = &product->variation->input->design;
  const double *moved = product->variation->now.joints + patch->soft->v_offset, *a = patch->a, *d = patch->d;
  double edges[2][3], one[3], other[3], da[3], dd[3], force[3];
  double pressure =
      change->pressure[patch->soft->body] + dc_soft_drive_change(state, patch->soft, 0, product->variation->input);
  if (patch->chamber >= 0)
    pressure -= dc_soft_drive_change(state, patch->soft, patch->chamber, product->variation->input);
  for (int k = 0; k < 2; k++)
    dc_vec_sub(edges[k], moved + patch->at[k + 1], moved + patch->at[0]);
  dc_vec_cross(one, edges[0], patch->edges[1]);
  dc_vec_cross(other, patch->edges[0], edges[1]);
  mean_of(patch, moved, dd);
  for (int i = 0; i < 3; i++) {
    da[i] = 0.5 * (one[i] + other[i]);
    dd[i] = -dd[i] - state->interval.length * change->wind[i];
  }
  double ad = dc_vec_dot(a, d), drag = patch->drag / patch->size,
         along = dc_vec_dot(da, d) + dc_vec_dot(a, dd) - ad * dc_vec_dot(a, da) / (patch->size * patch->size);
  for (int i = 0; i < 3; i++)
    force[i] = drag * (along * a[i] + ad * da[i]) - state->kick * pressure * a[i] - patch->pressure * da[i];
  add_to_corners(patch, force, product->forces->joints + patch->soft->v_offset);
}

static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  struct product product = {variation, forces};
  visit(state, true, visit_product, &product);
}

const struct dc_step_term dc_air_term = {
    .name = "air",
    .reference = "docs/theory.md, \"Cables and air\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
};
