// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of air on the surfaces of soft bodies (docs/theory.md, "Cables and air"): resistance
// against the motion of the surface along its normal relative to the wind w, and pressure p behind it.  With the area
// vectors a of time t at places m of the surface it is the sum over the places of
//     c h/2 |a| u^2 - w p a.(m+ - m),   u = (a/|a|).((m+ - m)/h - w),
// c the resistance in Pa s/m, p the pressure of the scene and what controls add, less that in a chamber whose wall the
// surface is; w is 1, or as in terms_nodes.c.  It is convex in q+; area and normal are those of time t, as the force
// of friction is.
//
// Areas of t are right beside elastic forces of t (terms_past.c).  Beside those of t+1 alone (implicit Euler) the
// pressure on a closed surface is that of t+1, too, or a body under pressure would gain or lose spin: -p (V(q+) - V(q))
// with the volume V enclosed, whose gradient is the area vectors.  V is cubic in the nodes, so that Simpson's rule
// along the motion is exact:
//     V(q+) - V(q) = sum (a(q) + 4 a((q + q+)/2) + a(q+))/6.(m+ - m).
// The Hessian of each face is made symmetric, which changes nothing in the sum over a closed surface: with
// t_k = N_k,u x_v - N_k,v x_u its blocks are those of the cross product with s_kl = p W/2 (N_k t_l - N_l t_k).
//
// Places m = sum_k N_k x_k have a = W (sum_k N_k,u x_k) x (sum_k N_k,v x_k), with shape functions N and weight W.
// Triangles of three nodes have one, their middle.  Faces of quadratic elements have six nodes, and six places by the
// rule of degree 4 (Strang and Fix 1973; Dunavant 1985).  It is exact for the integrals of N_k x_u x x_v over the
// curved face, so that the forces are in equilibrium with a stress that is the same everywhere.
#include <math.h>
#include <string.h>

#include "dynamics/soft_drive.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/vector.h"

enum { FACE_NODES = 6, FACE_PLACES = 6 };

// Shape functions at a place: N, their derivatives along u and v, and W.
struct shape {
  double n[FACE_NODES], along[2][FACE_NODES], weight;
};

// The surface at a place: derivatives by u and v, and the area vector.
struct front {
  double tangents[2][3], a[3];
};

// A place of the surface in a step.
struct patch {
  const struct dc_soft *soft;
  const struct shape *shape;
  int place, place_count;     // of a face, which are visited one after the other
  int count, at[FACE_NODES];  // nodes, where they stand in the coordinates of the soft body
  struct front now, pressed;  // at t; where the pressure acts: at t, or at t+1 if the surface is closed
  bool closed;
  double size;                // of the area vector at t
  double d[3];                // m+ - m - h w
  double drag, pressure;      // c/h, w p
  int chamber;                // coordinate of the pressure of the chamber whose wall it is; -1: none
};

typedef void visitor_function(const struct dc_step_state *state, const struct patch *patch, void *context);

static const struct shape middle = {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {{-1, 1, 0}, {-1, 0, 1}}, 0.5};

// L_i (2 L_i - 1) and 4 L_i L_j of corners a, b, c and middles ab, bc, ca, with L = (1 - u - v, u, v).
static void set_shape(struct shape *shape, const double l[3], double weight)
{
  static const double slopes[2][3] = {{-1, 1, 0}, {-1, 0, 1}};
  shape->weight = weight;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    shape->n[i] = l[i] * (2 * l[i] - 1);
    shape->n[3 + i] = 4 * l[i] * l[j];
    for (int k = 0; k < 2; k++) {
      shape->along[k][i] = (4 * l[i] - 1) * slopes[k][i];
      shape->along[k][3 + i] = 4 * (l[i] * slopes[k][j] + slopes[k][i] * l[j]);
    }
  }
}

// Two orbits of three places: L = (1 - 2 b, b, b) and its turns, whose weights make 1 with all turns; the triangle of
// u and v has the area 1/2.
static void set_places(struct shape places[FACE_PLACES])
{
  for (int orbit = 0; orbit < 2; orbit++) {
    double sign = orbit ? -1 : 1, b = (8 - sqrt(10) + sign * sqrt(38 - 44 * sqrt(0.4))) / 18,
           weight = (620 + sign * sqrt(213125 - 53320 * sqrt(10))) / 3720;
    for (int i = 0; i < 3; i++) {
      double l[3] = {b, b, b};
      l[i] = 1 - 2 * b;
      set_shape(&places[3 * orbit + i], l, 0.5 * weight);
    }
  }
}

static int chamber_of(const struct dc_soft *soft, int triangle)
{
  const struct dc_soft_drives *drives = &soft->drives;
  int chamber = drives->chamber_of ? drives->chamber_of[triangle] : -1;
  return chamber < 0 ? -1 : dc_soft_first_chamber(drives) + chamber;
}

static void set_front(const struct patch *patch, const double *nodes, struct front *front)
{
  memset(front, 0, sizeof *front);
  for (int k = 0; k < patch->count; k++)
    for (int j = 0; j < 2; j++)
      dc_vec_add_scaled(front->tangents[j], front->tangents[j], patch->shape->along[j][k], nodes + patch->at[k]);
  dc_vec_cross(front->a, front->tangents[0], front->tangents[1]);
  dc_vec_scale(front->a, front->a, patch->shape->weight);
}

// Fills in where the place is and moves, from its nodes, shape and soft body.
static void place_patch(const struct dc_step_state *state, struct patch *patch)
{
  const double *now = state->q_now + patch->soft->q_offset, *next = state->q_next + patch->soft->q_offset;
  dc_vec_scale(patch->d, state->input->design.wind, -state->interval.length);
  for (int k = 0; k < patch->count; k++)
    for (int i = 0; i < 3; i++)
      patch->d[i] += patch->shape->n[k] * (next[patch->at[k] + i] - now[patch->at[k] + i]);
  set_front(patch, now, &patch->now);
  patch->size = dc_vec_norm(patch->now.a);
  if (patch->closed)
    set_front(patch, next, &patch->pressed);
  else
    patch->pressed = patch->now;
}

// Visits all places that air acts on; derived: also those without any, whose force has a derivative by the pressure.
static void visit(const struct dc_step_state *state, bool derived, visitor_function *visitor, void *context)
{
  const struct dc_design *design = &state->input->design;
  struct shape places[FACE_PLACES];
  set_places(places);
  DC_FOR_EACH_SOFT(soft, state)
  {
    if (soft->mesh.corners < 3)
      continue;
    double outside = design->pressure[soft->body] + dc_soft_drive(state, soft, 0),
           drag = soft->drag / state->interval.length;
    if (!derived && drag == 0 && outside == 0 && !soft->drives.chamber_count)
      continue;
    int quarters = soft->drives.faces ? DC_FACE_QUARTERS : 1;
    for (int t = 0; t < soft->mesh.triangle_count; t += quarters) {
      const int *nodes = soft->drives.faces ? soft->drives.faces[t / quarters] : soft->mesh.triangles[t];
      struct patch patch = {.soft = soft, .drag = drag, .pressure = outside, .chamber = chamber_of(soft, t)};
      patch.count = soft->drives.faces ? FACE_NODES : 3;
      patch.place_count = soft->drives.faces ? FACE_PLACES : 1;
      patch.closed = soft->drives.closed && !state->q_predicted;
      if (patch.chamber >= 0)
        patch.pressure -= dc_soft_drive(state, soft, patch.chamber);
      patch.pressure *= state->kick;
      for (int k = 0; k < patch.count; k++)
        patch.at[k] = 3 * nodes[k];
      for (patch.place = 0; patch.place < patch.place_count; patch.place++) {
        patch.shape = soft->drives.faces ? &places[patch.place] : &middle;
        place_patch(state, &patch);
        visitor(state, &patch, context);
      }
    }
  }
}

static void mean_of(const struct patch *patch, const double *numbers, double mean[3])
{
  mean[0] = mean[1] = mean[2] = 0;
  for (int k = 0; k < patch->count; k++)
    dc_vec_add_scaled(mean, mean, patch->shape->n[k], numbers + patch->at[k]);
}

static void add_to_nodes(const struct patch *patch, const double weights[FACE_NODES], const double force[3],
                         double *sum)
{
  for (int k = 0; k < patch->count; k++)
    dc_vec_add_scaled(sum + patch->at[k], sum + patch->at[k], weights[k], force);
}

// c/(h |a|), 0 of a place without area.
static double drag_of(const struct patch *patch)
{
  return patch->size > 0 ? patch->drag / patch->size : 0;
}

static void visit_value(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  double *sum = context, along = dc_vec_dot(patch->now.a, patch->d), move[3], middle_tangents[2][3], between[3], work;
  dc_vec_add_scaled(move, patch->d, state->interval.length, state->input->design.wind);
  work = dc_vec_dot(patch->now.a, move);
  if (patch->closed) {
    for (int j = 0; j < 2; j++) {
      dc_vec_add(middle_tangents[j], patch->now.tangents[j], patch->pressed.tangents[j]);
      dc_vec_scale(middle_tangents[j], middle_tangents[j], 0.5);
    }
    dc_vec_cross(between, middle_tangents[0], middle_tangents[1]);
    work += 4 * patch->shape->weight * dc_vec_dot(between, move) + dc_vec_dot(patch->pressed.a, move);
    work /= 6;
  }
  *sum += 0.5 * drag_of(patch) * along * along - patch->pressure * work;
}

static double value(const struct dc_step_state *state)
{
  double sum = 0;
  visit(state, false, visit_value, &sum);
  return sum;
}

// Resistance and pressure act along the area vector; nodes share them by their shape functions.
static void visit_gradient(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  double force[3];
  (void)state;
  dc_vec_scale(force, patch->now.a, drag_of(patch) * dc_vec_dot(patch->now.a, patch->d));
  dc_vec_add_scaled(force, force, -patch->pressure, patch->pressed.a);
  add_to_nodes(patch, patch->shape->n, force, (double *)context + patch->soft->v_offset);
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  visit(state, false, visit_gradient, forces->joints);
}

struct curvature {
  struct dc_step_hessian *hessian;
  bool exact;
  double s[FACE_NODES][FACE_NODES][3];  // s_kl of a face, k > l
};

static void add_node_block(const struct dc_step_state *state, const struct patch *patch, int k, int l, double factor,
                           const double block[9], struct dc_step_hessian *hessian)
{
  dc_symmetric_add_block(hessian->matrix, dc_node_block(&state->model->bodies, patch->soft, patch->at[k] / 3),
                         dc_node_block(&state->model->bodies, patch->soft, patch->at[l] / 3), factor, block, 3);
}

// c h/2 |a| u^2 is quadratic in the place, whose derivatives by nodes are their shape functions.
static void add_drag(const struct dc_step_state *state, const struct patch *patch, struct dc_step_hessian *hessian)
{
  const double *n = patch->shape->n;
  double block[9];
  for (int i = 0; i < 9; i++)
    block[i] = drag_of(patch) * patch->now.a[i / 3] * patch->now.a[i % 3];
  for (int k = 0; k < patch->count; k++)
    for (int l = 0; l <= k; l++)
      add_node_block(state, patch, k, l, n[k] * n[l], block, hessian);
}

static void add_curvature(const struct patch *patch, double s[FACE_NODES][FACE_NODES][3])
{
  const struct shape *shape = patch->shape;
  double t[FACE_NODES][3], factor = 0.5 * patch->pressure * shape->weight;
  for (int k = 0; k < patch->count; k++) {
    dc_vec_scale(t[k], patch->pressed.tangents[1], shape->along[0][k]);
    dc_vec_add_scaled(t[k], t[k], -shape->along[1][k], patch->pressed.tangents[0]);
  }
  for (int k = 0; k < patch->count; k++)
    for (int l = 0; l < k; l++) {
      dc_vec_add_scaled(s[k][l], s[k][l], factor * shape->n[k], t[l]);
      dc_vec_add_scaled(s[k][l], s[k][l], -factor * shape->n[l], t[k]);
    }
}

// The blocks of nodes k and l of a face.  The matrix (0, S; S^T, 0) with S v = s x v has the eigenvalues |s|, -|s| and
// 0; without the negative ones it is half of (|s| P, S; S^T, |s| P), P the projection across s.
static void add_face(const struct dc_step_state *state, const struct patch *patch, int k, int l, const double s[3],
                     const struct curvature *curvature)
{
  double size = dc_vec_norm(s), block[9], across[9];
  const double cross[9] = {0, -s[2], s[1], s[2], 0, -s[0], -s[1], s[0], 0};
  if (size == 0)
    return;
  for (int i = 0; i < 9; i++) {
    block[i] = (curvature->exact ? 1 : 0.5) * cross[i];
    across[i] = 0.5 * size * ((i % 4 == 0) - s[i / 3] * s[i % 3] / (size * size));
  }
  add_node_block(state, patch, k, l, 1, block, curvature->hessian);
  if (curvature->exact)
    return;
  add_node_block(state, patch, k, k, 1, across, curvature->hessian);
  add_node_block(state, patch, l, l, 1, across, curvature->hessian);
}

static void visit_hessian(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  struct curvature *curvature = context;
  if (patch->drag > 0)
    add_drag(state, patch, curvature->hessian);
  if (!patch->closed || patch->pressure == 0)
    return;
  if (patch->place == 0)
    memset(curvature->s, 0, sizeof curvature->s);
  add_curvature(patch, curvature->s);
  if (patch->place == patch->place_count - 1)
    for (int k = 0; k < patch->count; k++)
      for (int l = 0; l < k; l++)
        add_face(state, patch, k, l, curvature->s[k][l], curvature);
}

static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  struct curvature curvature = {.hessian = hessian, .exact = exact};
  visit(state, false, visit_hessian, &curvature);
}

// G = c/h (a.d) a/|a| - p a.  Along l, the mean of a direction of the nodes,
//     by a:  c/h (d (a.l) + (a.d) l - (a.d)(a.l) a/|a|^2)/|a| - p l,     by d:  c/h (a.l) a/|a|,
// without -p l where the pressure is that of t+1.
struct mixed {
  const struct dc_step_direction *direction;
  struct dc_step_cotangent *out;
};

// Mixed derivatives of one place by the nodes at t, pressure and wind.
static void visit_mixed(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  const struct mixed *mixed = context;
  struct dc_design *design = &mixed->out->input->design;
  const double *a = patch->now.a, *d = patch->d;
  double *now = mixed->out->now.joints + patch->soft->v_offset, l[3], by_a[3], by_d[3], by_tangent[3];
  mean_of(patch, mixed->direction->joints + patch->soft->v_offset, l);
  double ad = dc_vec_dot(a, d), al = dc_vec_dot(a, l), pl = state->kick * dc_vec_dot(patch->pressed.a, l),
         drag = drag_of(patch), along = drag > 0 ? ad * al / (patch->size * patch->size) : 0,
         pressure = patch->closed ? 0 : patch->pressure;
  for (int i = 0; i < 3; i++) {
    by_a[i] = drag * (d[i] * al + ad * l[i] - along * a[i]) - pressure * l[i];
    by_d[i] = -drag * al * a[i];  // by the place at t
  }
  add_to_nodes(patch, patch->shape->n, by_d, now);
  dc_vec_add_scaled(design->wind, design->wind, state->interval.length, by_d);
  design->pressure[patch->soft->body] -= pl;
  dc_soft_drive_pull_back(state, patch->soft, 0, -pl, mixed->out->input);
  if (patch->chamber >= 0)
    dc_soft_drive_pull_back(state, patch->soft, patch->chamber, pl, mixed->out->input);
  dc_vec_scale(by_a, by_a, patch->shape->weight);
  dc_vec_cross(by_tangent, patch->now.tangents[1], by_a);
  add_to_nodes(patch, patch->shape->along[0], by_tangent, now);
  dc_vec_cross(by_tangent, by_a, patch->now.tangents[0]);
  add_to_nodes(patch, patch->shape->along[1], by_tangent, now);
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

// Change of one place's forces along a change of nodes at t, pressure and wind.
static void visit_product(const struct dc_step_state *state, const struct patch *patch, void *context)
{
  const struct product *product = context;
  const struct dc_design *change = &product->variation->input->design;
  const double *moved = product->variation->now.joints + patch->soft->v_offset, *a = patch->now.a, *d = patch->d;
  double tangents[2][3] = {{0}}, one[3], other[3], da[3], dd[3], force[3];
  double pressure =
      change->pressure[patch->soft->body] + dc_soft_drive_change(state, patch->soft, 0, product->variation->input);
  if (patch->chamber >= 0)
    pressure -= dc_soft_drive_change(state, patch->soft, patch->chamber, product->variation->input);
  for (int k = 0; k < patch->count; k++)
    for (int j = 0; j < 2; j++)
      dc_vec_add_scaled(tangents[j], tangents[j], patch->shape->along[j][k], moved + patch->at[k]);
  dc_vec_cross(one, tangents[0], patch->now.tangents[1]);
  dc_vec_cross(other, patch->now.tangents[0], tangents[1]);
  mean_of(patch, moved, dd);
  for (int i = 0; i < 3; i++) {
    da[i] = patch->shape->weight * (one[i] + other[i]);
    dd[i] = -dd[i] - state->interval.length * change->wind[i];
  }
  double ad = dc_vec_dot(a, d), drag = drag_of(patch), pressed = patch->closed ? 0 : patch->pressure,
         along = dc_vec_dot(da, d) + dc_vec_dot(a, dd);
  if (drag > 0)
    along -= ad * dc_vec_dot(a, da) / (patch->size * patch->size);
  for (int i = 0; i < 3; i++)
    force[i] =
        drag * (along * a[i] + ad * da[i]) - state->kick * pressure * patch->pressed.a[i] - pressed * da[i];
  add_to_nodes(patch, patch->shape->n, force, product->forces->joints + patch->soft->v_offset);
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
