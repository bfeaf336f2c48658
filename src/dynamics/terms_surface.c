// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of the surfaces of soft bodies: barriers of what touches at t+1 and friction of what
// touched at t (contact/surface/surface.h).  Beside a prediction the forces g of barriers are those of the end during
// the whole of an interval, as half-spaces have them on nodes (terms_past.c).  So the share c is due of touches at t+1,
// and c- of those at t, whose vertices were at x,
//     c V(x+) + c- sum g(x).(x+ - x).
// Derivatives by the places of vertices become forces on nodes and wrenches
// on frames: with the arm r of a rigid vertex J = [-[r]x, I], its force g is the wrench J^T g, and H gives J^T H J, to
// which the turn of the arm adds (g r^T + r g^T)/2 - (g.r) I.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "dynamics/surface_lag.h"
#include "dynamics/touch_forces.h"
#include "math/project.h"
#include "math/vector.h"

// A touch at t+1: derivatives by its vertices, and arms of those of rigid bodies.
struct derivatives {
  const struct dc_touch *touch;
  double gradient[4][3], hessian[12][12];
  const double (*arm)[3];
};

// Touches of the last evaluation at t+1; none in scenes whose soft bodies have no surfaces.
// A touch is a pair of vertex and triangle or of edge and edge, four vertices either way (Li et al. 2020, section 4).
static const struct dc_touch *touches_of(const struct dc_step_state *state, size_t *count)
{
  *count = 0;
  return state->surface ? dc_surface_touches(state->surface, count) : NULL;
}

static const struct dc_sliding_contact *sliding_contacts_of(const struct dc_step_state *state, size_t *count)
{
  *count = 0;
  return state->surface ? dc_surface_sliding_contacts(state->surface, count) : NULL;
}

// c-, and the touches that it is about.
static double held_by(const struct dc_step_state *state, const struct dc_touch **held, size_t *count)
{
  struct dc_step_state now = *state;
  now.place = DC_AT_NOW;
  *count = 0;
  *held = NULL;
  if (state->surface && state->prediction && dc_contact_share(&now) > 0)
    *held = dc_surface_held(state->surface, count);
  return state->prediction ? dc_contact_share(&now) : 0;
}

// The gradient [4][3] of a touch, times a share, and where its vertices are at t+1, with arms.
static void held_forces(const struct dc_step_state *state, const struct dc_touch *touch, double share,
                        double (*gradient)[3], double (*x)[3], double (*arm)[3])
{
  dc_touch_derivatives(touch, gradient, NULL);
  dc_surface_places(state->surface, touch, x, arm);
  for (int v = 0; v < 4; v++)
    dc_vec_scale(gradient[v], gradient[v], share);
}

// sum g(x).(x+ - x) over the held touches, times c-.
static double held_value(const struct dc_step_state *state)
{
  const struct dc_touch *held;
  size_t count;
  double share = held_by(state, &held, &count), sum = 0, gradient[4][3], x[4][3], arm[4][3], way[3];
  for (size_t t = 0; t < count; t++) {
    held_forces(state, &held[t], share, gradient, x, arm);
    for (int v = 0; v < 4; v++) {
      dc_vec_sub(way, x[v], held[t].x[v]);
      sum += dc_vec_dot(gradient[v], way);
    }
  }
  return sum;
}

// c V(x+) + c- sum g(x).(x+ - x) + sum of friction's potentials over what slides.
static double value(const struct dc_step_state *state)
{
  size_t count;
  const struct dc_sliding_contact *sliding_contacts = sliding_contacts_of(state, &count);
  if (!state->surface)
    return 0;
  double x[4][3], arm[4][3], sum = dc_contact_share(state) * dc_surface_energy(state->surface) + held_value(state);
  for (size_t r = 0; r < count; r++) {
    dc_surface_places(state->surface, &sliding_contacts[r].touch, x, arm);
    sum += dc_sliding_derivatives(&sliding_contacts[r], (const double(*)[3])x, false, NULL, NULL);
  }
  return sum;
}

// Gradient and, unless NULL, Hessian of what is due of a touch at t+1.
static void share_touch(const struct dc_step_state *state, const struct dc_touch *touch, double (*gradient)[3],
                        double (*hessian)[12])
{
  double share = dc_contact_share(state);
  dc_touch_derivatives(touch, gradient, hessian);
  for (int i = 0; i < 12 && share != 1; i++) {
    gradient[i / 3][i % 3] *= share;
    for (int j = 0; j < 12 && hessian; j++)
      hessian[i][j] *= share;
  }
}

// Adds the forces of touching surfaces: barrier at touches of vertex with triangle or edge with edge, then friction of
// sliding ones.
static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  double gradient[4][3], x[4][3], arm[4][3];
  size_t count;
  const struct dc_touch *touches = touches_of(state, &count);
  for (size_t t = 0; t < count; t++) {
    share_touch(state, &touches[t], gradient, NULL);
    dc_touch_add_forces(bodies, &touches[t], (const double(*)[3])gradient, (const double(*)[3])touches[t].arm, forces);
  }
  const struct dc_touch *held;
  double share = held_by(state, &held, &count);
  for (size_t t = 0; t < count; t++) {
    held_forces(state, &held[t], share, gradient, x, arm);
    dc_touch_add_forces(bodies, &held[t], (const double(*)[3])gradient, (const double(*)[3])arm, forces);
  }
  const struct dc_sliding_contact *sliding_contacts = sliding_contacts_of(state, &count);
  for (size_t r = 0; r < count; r++) {
    dc_surface_places(state->surface, &sliding_contacts[r].touch, x, arm);
    dc_sliding_derivatives(&sliding_contacts[r], (const double(*)[3])x, false, gradient, NULL);
    dc_touch_add_forces(bodies, &sliding_contacts[r].touch, (const double(*)[3])gradient, (const double(*)[3])arm,
                        forces);
  }
}

// rows [6][3] += J^T H
static void add_turned(const double arm[3], const double block[9], double (*rows)[3])
{
  for (int j = 0; j < 3; j++) {
    double column[3] = {block[j], block[3 + j], block[6 + j]}, torque[3];
    dc_vec_cross(torque, arm, column);
    for (int i = 0; i < 3; i++) {
      rows[i][j] += torque[i];
      rows[3 + i][j] += column[i];
    }
  }
}

// The 3x3 block of vertices v and u in the Hessian of a touch.
static void block_of(const struct derivatives *d, int v, int u, double block[9])
{
  for (int i = 0; i < 9; i++)
    block[i] = d->hessian[3 * v + i / 3][3 * u + i % 3];
}

// The frame of a rigid body, whose vertices are those from `from` to `to` - 1, by itself: rows J^T H J, row by row.
static void add_frame(const struct derivatives *d, int from, int to, bool exact, double *sum)
{
  for (int v = from; v < to; v++) {
    const double *g = d->gradient[v], *r = d->arm[v];
    double along = dc_vec_dot(g, r);
    for (int i = 0; i < 9 && exact; i++)
      sum[6 * (i / 3) + i % 3] += 0.5 * (g[i / 3] * r[i % 3] + r[i / 3] * g[i % 3]) - (i / 3 == i % 3 ? along : 0);
    for (int u = from; u < to; u++) {
      double block[9], rows[6][3] = {{0}}, turned[3];
      block_of(d, v, u, block);
      add_turned(r, block, rows);
      for (int i = 0; i < 6; i++) {  // rows [-[r_u]x, I]
        dc_vec_cross(turned, d->arm[u], rows[i]);
        dc_vec_add(sum + 6 * i, sum + 6 * i, turned);
        dc_vec_add(sum + 6 * i + 3, sum + 6 * i + 3, rows[i]);
      }
    }
  }
}

// Blocks of nodes with nodes, lower triangle: where both vertices belong to soft bodies.
static void add_nodes(const struct dc_bodies *bodies, const struct derivatives *d, struct dc_step_hessian *hessian)
{
  double block[9];
  for (int v = 0; v < 4; v++)
    for (int u = 0; u <= v; u++) {
      const struct dc_soft *row = dc_soft_of(bodies, dc_touch_body(d->touch, v)),
                           *column = dc_soft_of(bodies, dc_touch_body(d->touch, u));
      if (!row || !column)
        continue;
      block_of(d, v, u, block);
      dc_symmetric_add_block(hessian->matrix, dc_node_block(bodies, row, d->touch->vertex[v]),
                             dc_node_block(bodies, column, d->touch->vertex[u]), 1, block, 3);
    }
}

// Adds the blocks of a rigid body with the nodes of the other side, and with itself.
static void add_rigid(const struct dc_bodies *bodies, const struct derivatives *d, int side, bool exact,
                      struct dc_step_hessian *hessian)
{
  int first = d->touch->first, body = d->touch->body[side], from = side ? first : 0, to = side ? 4 : first;
  const struct dc_soft *soft = dc_soft_of(bodies, d->touch->body[!side]);
  if (!dc_body_moves(&bodies->bodies[body]))
    return;
  add_frame(d, from, to, exact, hessian->blocks[body]);
  for (int u = side ? 0 : first; u < (side ? first : 4); u++) {
    double rows[6][3] = {{0}}, block[9];
    for (int v = from; v < to; v++) {
      block_of(d, v, u, block);
      add_turned(d->arm[v], block, rows);
    }
    dc_assemble_node(hessian->assembler, hessian->kinematics, body, dc_node_block(bodies, soft, d->touch->vertex[u]),
                     (const double(*)[3])rows, hessian->matrix);
  }
}

// H of a touch in the unknowns: nodes by themselves, frames of rigid bodies through J^T H J, and both together.
static void add_derivatives(const struct dc_bodies *bodies, const struct derivatives *d, bool exact,
                            struct dc_step_hessian *hessian)
{
  add_nodes(bodies, d, hessian);
  for (int side = 0; side < 2; side++)
    if (!dc_soft_of(bodies, d->touch->body[side]))
      add_rigid(bodies, d, side, exact, hessian);
}

// The forces of the touches at t do not change but with the turn of their arms.
static void add_held_turns(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  const struct dc_touch *held;
  size_t count;
  double share = held_by(state, &held, &count), x[4][3], arm[4][3];
  for (size_t t = 0; t < count && exact; t++) {
    struct derivatives d = {.touch = &held[t], .arm = (const double(*)[3])arm};
    held_forces(state, &held[t], share, d.gradient, x, arm);
    for (int side = 0; side < 2; side++)
      if (!dc_soft_of(bodies, held[t].body[side]) && dc_body_moves(&bodies->bodies[held[t].body[side]]))
        add_frame(&d, side ? held[t].first : 0, side ? 4 : held[t].first, true, hessian->blocks[held[t].body[side]]);
  }
}

// Adds their Hessians, 12x12 over four points; the barrier's is projected to be positive semidefinite unless exact.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  size_t count;
  const struct dc_touch *touches = touches_of(state, &count);
  for (size_t t = 0; t < count; t++) {
    struct derivatives d = {.touch = &touches[t], .arm = (const double(*)[3])touches[t].arm};
    share_touch(state, &touches[t], d.gradient, d.hessian);
    if (!exact)
      dc_project(12, &d.hessian[0][0]);
    add_derivatives(bodies, &d, exact, hessian);
  }
  add_held_turns(state, exact, hessian);
  const struct dc_sliding_contact *sliding_contacts = sliding_contacts_of(state, &count);
  for (size_t r = 0; r < count; r++) {
    double x[4][3], arm[4][3];
    struct derivatives d = {.touch = &sliding_contacts[r].touch, .arm = (const double(*)[3])arm};
    dc_surface_places(state->surface, d.touch, x, arm);
    dc_sliding_derivatives(&sliding_contacts[r], (const double(*)[3])x, state->duals != NULL, d.gradient, d.hessian);
    add_derivatives(bodies, &d, exact, hessian);
  }
}

void dc_surface_move_duals(const struct dc_step_state *state, const struct dc_step_direction *step,
                           struct dc_surface_contact *surface)
{
  size_t count;
  const struct dc_sliding_contact *sliding_contacts = sliding_contacts_of(state, &count);
  for (size_t r = 0; r < count; r++) {
    double x[4][3], arm[4][3], varied[4][3];
    dc_surface_places(surface, &sliding_contacts[r].touch, x, arm);
    dc_touch_vary(&state->model->bodies, &sliding_contacts[r].touch, step, (const double(*)[3])arm, varied);
    dc_surface_friction_move(surface, r, (const double(*)[3])x, (const double(*)[3])varied);
  }
}

// H [12][12] of a touch at t, times c- and moves of its vertices [4][3].
static void held_product(const struct dc_touch *touch, double share, const double (*move)[3], double (*change)[3])
{
  double gradient[4][3], hessian[12][12];
  dc_touch_derivatives(touch, gradient, hessian);
  for (int i = 0; i < 12; i++) {
    change[i / 3][i % 3] = 0;
    for (int j = 0; j < 12; j++)
      change[i / 3][i % 3] += share * hessian[i][j] * move[j / 3][j % 3];
  }
}

// From moves of the vertices at t+1 to forces at t, or from t to t+1: the same product.
static void add_held_product(const struct dc_step_state *state, const struct dc_step_direction *direction, bool back,
                             struct dc_step_forces *forces)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  const struct dc_touch *held;
  size_t count;
  double share = held_by(state, &held, &count), x[4][3], arm[4][3], move[4][3], change[4][3];
  for (size_t t = 0; t < count; t++) {
    const double(*now)[3] = (const double(*)[3])held[t].arm, (*next)[3] = (const double(*)[3])arm;
    dc_surface_places(state->surface, &held[t], x, arm);
    dc_touch_vary(bodies, &held[t], direction, back ? next : now, move);
    held_product(&held[t], share, (const double(*)[3])move, change);
    dc_touch_add_forces(bodies, &held[t], (const double(*)[3])change, back ? now : next, forces);
  }
}

// Mixed derivatives of the friction of a pair of surfaces by the state before, along `direction` of the solution.  The
// place at the start of the interval enters through the slip, and normal, weights and strength through the touch that
// is held.  The coefficient is the geometric mean of both bodies', so that each scale gets half of the total over its
// own value.  All touches share a factor.
static void add_friction_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction, int pair,
                               struct dc_step_cotangent *out)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  double *scales = out->input->design.friction_scale, sum = 0;
  const double *factors = state->input->design.friction_scale;
  size_t count;
  const struct dc_sliding_contact *sliding = dc_surface_sliding_of(state, pair, &count);
  for (size_t r = 0; r < count; r++) {
    const struct dc_touch *touch = &sliding[r].touch;
    double x[4][3], arm[4][3], varied[4][3], by[4][3] = {{0}};
    dc_surface_places(state->surface, touch, x, arm);
    dc_touch_vary(bodies, touch, direction, (const double(*)[3])arm, varied);
    double total = dc_sliding_pull_back(&sliding[r], (const double(*)[3])x, (const double(*)[3])varied, by);
    dc_touch_add_forces(bodies, touch, (const double(*)[3])by, (const double(*)[3])touch->arm, &out->now);
    for (int side = 0; side < 2; side++)
      scales[touch->body[side]] += 0.5 * total / factors[touch->body[side]];
    sum += total;
  }
  dc_surface_share_pull_back(state, pair, sum, out);
}

static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  add_held_product(state, direction, true, &out->now);
  for (int pair = 0; pair < dc_surface_pair_count(&state->model->bodies); pair++)
    add_friction_mixed(state, direction, pair, out);
}

// Rows of the mixed Hessian one by one: what pulls back a unit move of a vertex; shared: by how much friction of all
// touches changes, as a part of it.
static void add_friction_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                 const struct dc_sliding_contact *sliding, double shared, struct dc_step_forces *forces)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  const double *scales = variation->input->design.friction_scale, *factors = state->input->design.friction_scale;
  const struct dc_touch *touch = &sliding->touch;
  double x[4][3], arm[4][3], move[4][3], change[4][3], scale = shared;
  dc_surface_places(state->surface, touch, x, arm);
  dc_touch_vary(bodies, touch, &variation->now, (const double(*)[3])touch->arm, move);
  dc_sliding_derivatives(sliding, (const double(*)[3])x, false, change, NULL);
  for (int side = 0; side < 2; side++)
    scale += 0.5 * scales[touch->body[side]] / factors[touch->body[side]];
  for (int i = 0; i < 12; i++) {
    double unit[4][3] = {{0}}, row[4][3] = {{0}}, sum = scale * change[i / 3][i % 3];
    unit[i / 3][i % 3] = 1;
    dc_sliding_pull_back(sliding, (const double(*)[3])x, (const double(*)[3])unit, row);
    for (int v = 0; v < 4; v++)
      sum += dc_vec_dot(row[v], move[v]);
    change[i / 3][i % 3] = sum;
  }
  dc_touch_add_forces(bodies, touch, (const double(*)[3])change, (const double(*)[3])arm, forces);
}

static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  add_held_product(state, &variation->now, false, forces);
  for (int pair = 0; pair < dc_surface_pair_count(&state->model->bodies); pair++) {
    size_t count;
    const struct dc_sliding_contact *sliding = dc_surface_sliding_of(state, pair, &count);
    double shared = count ? dc_surface_share_push(state, pair, variation) : 0;
    for (size_t r = 0; r < count; r++)
      add_friction_product(state, variation, &sliding[r], shared, forces);
  }
}

// Rounding of places seen through the stiffness of a touch or of its friction.
// The Hessian's entries by absolute values, times the rounding of the farthest of the four places: N for nodes, and
// with the length of the arm N m for the turns of a rigid body.
static void add_touch_floor(const struct dc_step_state *state, const struct derivatives *d, const double (*x)[3],
                            struct dc_step_forces *floor)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  double size = 0;
  for (int v = 0; v < 4; v++)
    size = dc_vec_norm(x[v]) > size ? dc_vec_norm(x[v]) : size;
  for (int i = 0; i < 12; i++) {
    int body = dc_touch_body(d->touch, i / 3);
    const struct dc_soft *soft = dc_soft_of(bodies, body);
    double sum = 0;
    for (int j = 0; j < 12; j++)
      sum += DC_POSITION_NOISE * size * (d->hessian[i][j] < 0 ? -d->hessian[i][j] : d->hessian[i][j]);
    if (soft) {
      floor->joints[soft->v_offset + 3 * d->touch->vertex[i / 3] + i % 3] += sum;
      continue;
    }
    floor->wrenches[body][3 + i % 3] += sum;
    for (int k = 0; k < 3; k++)
      floor->wrenches[body][k] += sum * dc_vec_norm(d->arm[i / 3]);
  }
}

// Rounding of the forces of touches and of friction: what a relative error of positions makes of each, through the
// Hessian.
static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  double x[4][3], arm[4][3];
  size_t count;
  const struct dc_touch *touches = touches_of(state, &count);
  for (size_t t = 0; t < count; t++) {
    struct derivatives d = {.touch = &touches[t], .arm = (const double(*)[3])touches[t].arm};
    dc_touch_derivatives(&touches[t], d.gradient, d.hessian);
    add_touch_floor(state, &d, (const double(*)[3])touches[t].x, floor);
  }
  const struct dc_sliding_contact *sliding_contacts = sliding_contacts_of(state, &count);
  for (size_t r = 0; r < count; r++) {
    struct derivatives d = {.touch = &sliding_contacts[r].touch, .arm = (const double(*)[3])arm};
    dc_surface_places(state->surface, d.touch, x, arm);
    dc_sliding_derivatives(&sliding_contacts[r], (const double(*)[3])x, false, d.gradient, d.hessian);
    add_touch_floor(state, &d, (const double(*)[3])x, floor);
  }
}

// Evaluation of touching surfaces through an interval: begin, evaluate, restore.

// The one evaluation of surfaces: finds all touches at a state, with their distances and barriers.
static enum dc_status touch(struct dc_rollout *rollout, const double *q, const struct dc_pose *poses,
                            struct dc_error *error)
{
  if (rollout->surface && dc_surface_evaluate(rollout->surface, q, poses))
    return dc_out_of_memory_for(error, "touching surfaces");
  return DC_OK;
}

// Surfaces at t: touches whose share of force is held through the interval beside a prediction, and those that slide.
// The matrix may lose blocks of touches that ended, hence pattern.fresh.
static enum dc_status begin(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  double smoothing = state->model->definition.contact.friction_smoothing;
  enum dc_status status = touch(rollout, state->q_now, state->now, error);
  rollout->pattern.fresh = true;
  if (status || !rollout->surface)
    return status;
  if (state->prediction && dc_surface_hold(rollout->surface))
    return dc_out_of_memory_for(error, "touching surfaces");
  if (dc_surface_friction_begin(rollout->surface, state->rigid->coefficients, smoothing, state->interval.length))
    return dc_out_of_memory_for(error, "friction");
  return dc_surface_share_out(rollout, state, error);
}

static enum dc_status evaluate(struct dc_rollout *rollout, const struct dc_step_state *state, bool careful,
                               struct dc_error *error)
{
  (void)careful;
  return touch(rollout, state->q_next, state->next, error);
}

// Surfaces have no tape: both ends of the interval are evaluated again.
static enum dc_status restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                              struct dc_error *error)
{
  enum dc_status status = begin(rollout, state, error);
  return status ? status : evaluate(rollout, state, pairs, error);
}

// Checks against overlap and crossing.

static enum dc_status fail_bodies(const struct dc_rollout *rollout, enum dc_status status, const int pair[2],
                                  const char *of_one, const char *of_two, struct dc_error *error)
{
  const struct dc_body *bodies = rollout->model->bodies.bodies;
  if (pair[0] == pair[1])
    return dc_fail(error, status, "the surface of %s %s", bodies[pair[0]].name, of_one);
  return dc_fail(error, status, "bodies %s and %s %s", bodies[pair[0]].name, bodies[pair[1]].name, of_two);
}

// A soft body may also meet itself, so that the two of a pair can be the same body.
static enum dc_status check_start(struct dc_rollout *rollout, const struct dc_rollout_input *input, const double *q,
                                  struct dc_error *error)
{
  int pair[2];
  enum dc_status status = touch(rollout, q, rollout->now.poses, error);
  (void)input;
  if (!status && rollout->surface && dc_surface_overlap(rollout->surface, pair))
    return fail_bodies(rollout, DC_INFEASIBLE, pair, "crosses itself at the start", "overlap at the start", error);
  return status;
}

static double safe_part(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                        const double *tangent)
{
  (void)design, (void)q, (void)tangent;
  return rollout->surface ? dc_surface_safe_fraction(rollout->surface, &rollout->path) : 1;
}

static enum dc_status check_path(struct dc_rollout *rollout, struct dc_error *error)
{
  int pair[2];
  if (!rollout->surface || dc_surface_path_clear(rollout->surface, &rollout->path, pair))
    return DC_OK;
  return fail_bodies(rollout, DC_NUMERICAL, pair, "would pass through itself", "would pass through each other", error);
}

static double gap(const struct dc_rollout *rollout, const double *q)
{
  (void)q;
  return rollout->surface ? dc_surface_gap(rollout->surface) : INFINITY;
}

const struct dc_step_term dc_surface_term = {
    .name = "surfaces",
    .reference = "Li et al. 2020, Eq. 6 and 24, section 5; docs/theory.md, \"Soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
    .begin = begin,
    .evaluate = evaluate,
    .restore = restore,
    .check_start = check_start,
    .safe_part = safe_part,
    .check_path = check_path,
    .gap = gap,
};
