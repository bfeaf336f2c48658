// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of nodes against half-spaces: barrier and friction (docs/theory.md, "Soft bodies").
//
// The smoothed Fischer-Burmeister law phi_eps(gap, r force) = 0 (paper 004, Eq. 4 and 14) says 2 gap force = e with
// e = eps^2/r: the force of a logarithmic barrier.  Friction acts on the way t = P (x+ - x) along the plane, P = I - n
// n^T, with the normal force of time t, as friction does between rigid bodies.  With c = mu e/(2 gap(x)), times the
// factor of lag.c, and s = |t|
//     -(e/2) log gap(x+)  +  D(s),   force -k t,   |k t| < c always (slip.c).
// With k' = dk/d(s^2) the Hessian of D is k P + 2 k' t t^T, positive semidefinite.
#include "dynamics/lag.h"
#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

static const double GAP_USED = 0.95;   // by a move
static const double DUAL_LOST = 0.95;  // most of a normal force that an iteration takes away

// A node near a half-space.
struct touch {
  const struct dc_soft *soft;
  int plane;         // body of the half-space
  int at;            // of the node in the coordinates of its soft body
  double normal[3];  // out of the half-space
  double e, gap;     // due at t+1, J; m at t+1
  long index;        // among all
};

// The share that friction of a node gets of its force F = e/(2 gap) at t, and what it keeps, by F and by what it had
// kept before, S (lag.c): all that it may use is F h- + S, which is slip times F h-.
struct share {
  double force, by_force, by_kept;           // N
  double kept, kept_by_force, kept_by_kept;  // N s
};

// A law of friction at a slip: see above.
struct slip {
  struct dc_slip_law law;
  double mu, gap, force;  // at t: m, N
  struct share share;
  double way[3];
  struct dc_slip_stiffness at;
};

double dc_node_barrier(const struct dc_model *model, const struct dc_soft *soft)
{
  double h = model->definition.time.step;
  return soft->barrier_inertia / (h * h);
}

// The normal of a half-space is the third column of its rotation; gap and points are in m.
double dc_node_gap(const struct dc_pose *plane, const double *x, double normal[3])
{
  double offset[3];
  for (int k = 0; k < 3; k++)
    normal[k] = plane->rotation[3 * k + 2];
  dc_vec_sub(offset, x, plane->position);
  return dc_vec_dot(normal, offset);
}

typedef void visitor_function(const struct dc_step_state *state, const struct touch *touch, void *context);

// All nodes and half-spaces that feel each other.
static void visit(const struct dc_step_state *state, visitor_function *visitor, void *context)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  long index = 0;
  for (int s = 0; s < bodies->soft_count; s++) {
    struct touch touch = {.soft = &bodies->soft[s],
                          .e = dc_contact_share(state) * dc_node_barrier(state->model, &bodies->soft[s])};
    for (touch.plane = 0; touch.plane < bodies->count; touch.plane++) {
      if (!dc_soft_touches(bodies, touch.soft, touch.plane))
        continue;
      for (touch.at = 0; touch.at < 3 * touch.soft->node_count; touch.at += 3) {
        touch.gap =
            dc_node_gap(&state->next[touch.plane], state->q_next + touch.soft->q_offset + touch.at, touch.normal);
        touch.index = index++;
        visitor(state, &touch, context);
      }
    }
  }
}

// See struct share.
static struct share share_of(const struct dc_step_state *state, const struct touch *touch, double force)
{
  const struct dc_rigid_contact *rigid = state->rigid;
  double before = state->interval.length / state->interval.ratio;
  double kept = rigid->memory ? ((const double *)(rigid->memory + rigid->pair_count))[touch->index] : 0;
  if (!rigid->left)
    return (struct share){.force = force, .by_force = 1};
  double later = state->model->definition.time.step - state->interval.length;
  struct dc_lag lag = dc_lag_of(&state->interval, 1, later, 1 + kept / (force * before), 1, true);
  return (struct share){.force = lag.factor * force,
                        .by_force = lag.factor - lag.factor_by_slip * kept / (force * before),
                        .by_kept = lag.factor_by_slip / before,
                        .kept = lag.kept * force * before,
                        .kept_by_force = lag.kept * before - lag.kept_by_slip * kept / force,
                        .kept_by_kept = lag.kept_by_slip};
}

// The numbers of nodes behind those of pairs.
static double *node_memory(const struct dc_step_state *state, double (*memory)[DC_IMPACT_NUMBERS])
{
  return (double *)(memory + state->rigid->pair_count);
}

// False without friction, and of forces that are due from the states before: those are normal ones.
static bool find_slip(const struct dc_step_state *state, const struct touch *touch, struct slip *slip)
{
  const double *x = state->q_now + touch->soft->q_offset + touch->at,
               *y = state->q_next + touch->soft->q_offset + touch->at;
  double mu = sqrt(state->rigid->coefficients[touch->soft->body] * state->rigid->coefficients[touch->plane]), normal[3];
  if (!(mu > 0) || state->half)
    return false;
  slip->gap = dc_node_gap(&state->now[touch->plane], x, normal);
  slip->force = dc_node_barrier(state->model, touch->soft) / (2 * slip->gap);
  slip->mu = mu;
  slip->share = share_of(state, touch, slip->force);
  slip->law = (struct dc_slip_law){touch->soft->friction_law, touch->e, mu * slip->share.force};
  dc_vec_sub(slip->way, y, x);
  dc_vec_add_scaled(slip->way, slip->way, -dc_vec_dot(slip->way, touch->normal), touch->normal);
  slip->at = dc_slip_stiffness(&slip->law, dc_vec_dot(slip->way, slip->way));
  return true;
}

// product = (k P + 2 k' t t^T) v
static void slip_stiffness(const struct touch *touch, const struct slip *slip, const double *v, double product[3])
{
  double along = dc_vec_dot(slip->way, v);
  dc_vec_add_scaled(product, v, -dc_vec_dot(touch->normal, v), touch->normal);
  dc_vec_scale(product, product, slip->at.k);
  dc_vec_add_scaled(product, product, 2 * slip->at.by_square * along, slip->way);
}

// -(e/2) log(gap), and D(way) of the way along the plane since t.
static void visit_value(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  struct slip slip;
  double *sum = context, e = touch->e;
  *sum += touch->gap > 0 ? -0.5 * e * log(touch->gap) : INFINITY;
  if (!find_slip(state, touch, &slip))
    return;
  *sum += dc_slip_energy_change(&slip.law, (const double[3]){0}, slip.way);
}

static double value(const struct dc_step_state *state)
{
  double sum = 0;
  visit(state, visit_value, &sum);
  return sum;
}

// The normal force e/(2 gap) and the stiffness k of friction along the way.
static void visit_gradient(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  struct slip slip;
  double *sum = (double *)context + touch->soft->v_offset + touch->at;
  dc_vec_add_scaled(sum, sum, -0.5 * touch->e / touch->gap, touch->normal);
  if (find_slip(state, touch, &slip))
    dc_vec_add_scaled(sum, sum, slip.at.k, slip.way);
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  visit(state, visit_gradient, forces->joints);
}

// The multipliers of a node, which Newton's iterates (see below) know apart from places; NULL: forces follow from
// places.
static const struct dc_node_dual *dual_of(const struct dc_step_state *state, const struct touch *touch)
{
  return state->duals ? &state->duals[touch->index] : NULL;
}

// k P + (k'/k)(y t^T + t y^T); with y = k t this is the Hessian of D.
static void add_slip_block(const struct touch *touch, const struct slip *slip, const struct dc_node_dual *dual,
                           double block[9])
{
  const double *n = touch->normal, *t = slip->way;
  double y[3], ratio = slip->at.by_square / slip->at.k;
  dc_vec_scale(y, t, slip->at.k);
  if (dual)
    dc_vec_copy(y, dual->along);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      block[3 * i + j] += slip->at.k * ((i == j) - n[i] * n[j]) + ratio * (y[i] * t[j] + t[i] * y[j]);
}

static void visit_hessian(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  struct dc_step_hessian *hessian = context;
  const struct dc_node_dual *dual = dual_of(state, touch);
  struct slip slip;
  const double *n = touch->normal;
  double block[9], curvature = (dual ? dual->normal : 0.5 * touch->e / touch->gap) / touch->gap;
  for (int i = 0; i < 9; i++)
    block[i] = curvature * n[i / 3] * n[i % 3];
  if (find_slip(state, touch, &slip))
    add_slip_block(touch, &slip, dual, block);
  int index = dc_node_block(&state->model->bodies, touch->soft, touch->at / 3);
  dc_symmetric_add_block(hessian->matrix, index, index, 1, block, 3);
}

static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)exact;
  if (!state->laws_apart)
    visit(state, visit_hessian, hessian);
}

struct response {
  const double *direction;
  double *sum;
};

// e/(2 gap^2) n (n . l), with no friction: terms_past.c asks for the barrier alone.
static void visit_response(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  const struct response *response = context;
  int at = touch->soft->v_offset + touch->at;
  (void)state;
  dc_vec_add_scaled(response->sum + at, response->sum + at,
                    0.5 * touch->e / (touch->gap * touch->gap) * dc_vec_dot(touch->normal, response->direction + at),
                    touch->normal);
}

// The curvature e/(2 gap^2) n n^T of the barrier along a direction.
void dc_node_add_response(const struct dc_step_state *state, const double *direction, double *sum)
{
  struct response response = {direction, sum};
  visit(state, visit_response, &response);
}

// c = mu f, f the share of the force e/(2 gap(x)): by x  -mu df/dF F/gap n,  by what was kept  mu df/dS,  by the factor on
// the friction of either body  c/2 over the factor.
struct mixed {
  const struct dc_step_direction *direction;
  struct dc_step_cotangent *out;
};

// Adds lambda^T d(friction) of one node by the node now and by the friction of both bodies, whose geometric mean
// counts.
static void visit_mixed(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  const struct mixed *mixed = context;
  const double *l = mixed->direction->joints + touch->soft->v_offset + touch->at,
               *x = state->q_now + touch->soft->q_offset + touch->at;
  double *now = mixed->out->now.joints + touch->soft->v_offset + touch->at, product[3], normal[3];
  double *scales = mixed->out->input->design.friction_scale;
  const double *factors = state->input->design.friction_scale;
  struct slip slip;
  if (!find_slip(state, touch, &slip))
    return;
  slip_stiffness(touch, &slip, l, product);
  dc_vec_sub(now, now, product);
  double by_c = slip.at.by_c * dc_vec_dot(slip.way, l);
  dc_node_gap(&state->now[touch->plane], x, normal);
  dc_vec_add_scaled(now, now, -by_c * slip.mu * slip.share.by_force * slip.force / slip.gap, normal);
  if (state->rigid->memory)
    node_memory(state, mixed->out->memory)[touch->index] += by_c * slip.mu * slip.share.by_kept;
  scales[touch->soft->body] += 0.5 * by_c * slip.law.c / factors[touch->soft->body];
  scales[touch->plane] += 0.5 * by_c * slip.law.c / factors[touch->plane];
}

static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  struct mixed mixed = {direction, out};
  visit(state, visit_mixed, &mixed);
}

struct product {
  const struct dc_step_variation *variation;
  struct dc_step_forces *forces;
};

// Adds d(friction) of one node for a variation of the same.
static void visit_product(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  const struct product *product = context;
  const double *move = product->variation->now.joints + touch->soft->v_offset + touch->at,
               *x = state->q_now + touch->soft->q_offset + touch->at;
  const double *scales = product->variation->input->design.friction_scale;
  const double *factors = state->input->design.friction_scale;
  double *sum = product->forces->joints + touch->soft->v_offset + touch->at, moved[3], normal[3];
  struct slip slip;
  if (!find_slip(state, touch, &slip))
    return;
  slip_stiffness(touch, &slip, move, moved);
  dc_vec_sub(sum, sum, moved);
  dc_node_gap(&state->now[touch->plane], x, normal);
  double change =
      0.5 * slip.law.c *
          (scales[touch->soft->body] / factors[touch->soft->body] + scales[touch->plane] / factors[touch->plane]) -
      slip.mu * slip.share.by_force * slip.force / slip.gap * dc_vec_dot(normal, move);
  if (state->rigid->memory)
    change += slip.mu * slip.share.by_kept *
              ((const double *)(product->variation->memory + state->rigid->pair_count))[touch->index];
  dc_vec_add_scaled(sum, sum, slip.at.by_c * change, slip.way);
}

static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  struct product product = {variation, forces};
  visit(state, visit_product, &product);
}

// Impulses that friction keeps for the next interval.

static void leave(const struct dc_step_state *state, const struct touch *touch, void *left)
{
  struct slip slip;
  ((double *)left)[touch->index] = find_slip(state, touch, &slip) ? slip.share.kept : 0;
}

void dc_node_leave(const struct dc_step_state *state, double *left)
{
  visit(state, leave, left);
}

struct left_weights {
  const double *weights;
  struct dc_step_cotangent *out;
};

// The impulse that friction keeps depends on the force at t through the gap there, and on what was kept before.
static void pull_back_left(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  const struct left_weights *left = context;
  double weight = left->weights[touch->index], normal[3];
  double *now = left->out->now.joints + touch->soft->v_offset + touch->at;
  struct slip slip;
  if (weight == 0 || !find_slip(state, touch, &slip))
    return;
  dc_node_gap(&state->now[touch->plane], state->q_now + touch->soft->q_offset + touch->at, normal);
  dc_vec_add_scaled(now, now, -weight * slip.share.kept_by_force * slip.force / slip.gap, normal);
  node_memory(state, left->out->memory)[touch->index] += weight * slip.share.kept_by_kept;
}

void dc_node_pull_back_left(const struct dc_step_state *state, const double *weights, struct dc_step_cotangent *out)
{
  struct left_weights left = {weights, out};
  visit(state, pull_back_left, &left);
}

struct left_move {
  const struct dc_step_variation *variation;
  double *left;
};

// The transposed of pull_back_left; a node that is not touched keeps nothing.
static void push_left(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  const struct left_move *move = context;
  const double *now = move->variation->now.joints + touch->soft->v_offset + touch->at;
  double *left = &move->left[touch->index], normal[3];
  struct slip slip;
  *left = 0;
  if (!find_slip(state, touch, &slip))
    return;
  dc_node_gap(&state->now[touch->plane], state->q_now + touch->soft->q_offset + touch->at, normal);
  *left =
      slip.share.kept_by_kept * ((const double *)(move->variation->memory + state->rigid->pair_count))[touch->index] -
      slip.share.kept_by_force * slip.force / slip.gap * dc_vec_dot(normal, now);
}

void dc_node_push_left(const struct dc_step_state *state, const struct dc_step_variation *variation, double *left)
{
  struct left_move move = {variation, left};
  visit(state, push_left, &move);
}

// Bounds of moves.

// The pose of a half-space, which never moves.
static struct dc_pose pose_of(const struct dc_body *body)
{
  struct dc_pose pose = {.position = {body->start.position[0], body->start.position[1], body->start.position[2]}};
  dc_rotation_matrix(pose.rotation, body->start.quaternion);
  return pose;
}

struct bound {
  double part, least;
};
typedef void bounder_function(const double *x, const struct dc_pose *pose, double *way, struct bound *bound);

static void visit_ways(const struct dc_model *model, const double *q, double *tangent, bounder_function *bounder,
                       struct bound *bound)
{
  const struct dc_bodies *bodies = &model->bodies;
  for (int s = 0; s < bodies->soft_count; s++)
    for (int b = 0; b < bodies->count; b++) {
      const struct dc_soft *soft = &bodies->soft[s];
      if (!dc_soft_touches(bodies, soft, b))
        continue;
      struct dc_pose pose = pose_of(&bodies->bodies[b]);
      for (int k = 0; k < 3 * soft->node_count; k += 3)
        bounder(q + soft->q_offset + k, &pose, tangent ? tangent + soft->v_offset + k : NULL, bound);
    }
}

static double safe_fraction(const double *x, const struct dc_pose *pose, const double *way, double part)
{
  double normal[3], gap = dc_node_gap(pose, x, normal), closing = -dc_vec_dot(normal, way);
  return closing > part * gap ? part * gap / closing : 1;
}

static void bound_each(const double *x, const struct dc_pose *pose, double *way, struct bound *bound)
{
  dc_vec_scale(way, way, safe_fraction(x, pose, way, bound->part));
}

static void bound_all(const double *x, const struct dc_pose *pose, double *way, struct bound *bound)
{
  bound->least = fmin(bound->least, safe_fraction(x, pose, way, bound->part));
}

static void bound_gap(const double *x, const struct dc_pose *pose, double *way, struct bound *bound)
{
  double normal[3];
  (void)way;
  bound->least = fmin(bound->least, dc_node_gap(pose, x, normal));
}

void dc_node_bound_each(const struct dc_model *model, const double *q, double *tangent)
{
  struct bound bound = {.part = GAP_USED, .least = 1};
  visit_ways(model, q, tangent, bound_each, &bound);
}

// Steps that count contact exactly take no node through a plane.
static double safe_part(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                        const double *tangent)
{
  struct bound bound = {.part = GAP_USED, .least = 1};
  (void)design;
  if (!rollout->nodes.exactly)
    visit_ways(rollout->model, q, (double *)tangent, bound_all, &bound);
  return bound.least;
}

static double least_gap(const struct dc_rollout *rollout, const double *q)
{
  struct bound bound = {.least = INFINITY};
  visit_ways(rollout->model, q, NULL, bound_gap, &bound);
  return bound.least;
}

static enum dc_status check_start(struct dc_rollout *rollout, const struct dc_rollout_input *input, const double *q,
                                  struct dc_error *error)
{
  (void)input;
  return least_gap(rollout, q) > 0 ? DC_OK
                                   : dc_fail(error, DC_INFEASIBLE, "a soft body overlaps a half-space at the start");
}

// Every node of every soft body has a place for each half-space that it may touch, whether or not it is near.
long dc_node_touch_count(const struct dc_model *model)
{
  long count = 0;
  for (int s = 0; s < model->bodies.soft_count; s++)
    for (int b = 0; b < model->bodies.count; b++)
      if (dc_soft_touches(&model->bodies, &model->bodies.soft[s], b))
        count += model->bodies.soft[s].node_count;
  return count;
}

// Newton's iterates know forces by multipliers of their own, as primal-dual methods do.  At the solution they are those
// of the places.
//
// The barrier's (Waechter and Biegler 2006), l: its curvature is l/gap instead of e/(2 gap^2).  With the latter a
// contact that opens could at most double its gap in an iteration.  For a step d the linearized law gives
//     l <- e/(2 gap) - l/gap n.d,     but not below a part of what it was.
// Friction's (Chan, Golub and Mulet 1999, for total variation), y, of y/k = t:
//     y <- k (t + P d) + 2 (k'/k)(t.d) y,   but no longer than c.
// With 2 c |t| |k'| <= k^2 its Hessian, symmetrized, is positive semidefinite for every |y| <= c.  Where a node slides
// its own curvature, without y, is that of a cone, which Newton's method leaves in steps of any length but of the
// needed one.

// Multipliers as they follow from the places: exact where these solve the step.
static void set_dual(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  struct dc_node_dual *dual = (struct dc_node_dual *)context + touch->index;
  struct slip slip;
  *dual = (struct dc_node_dual){.normal = 0.5 * touch->e / touch->gap};
  if (find_slip(state, touch, &slip))
    dc_vec_scale(dual->along, slip.way, slip.at.k);
}

void dc_node_set_duals(const struct dc_step_state *state, struct dc_node_dual *duals)
{
  visit(state, set_dual, duals);
}

struct move {
  const double *step;
  struct dc_node_dual *duals;
};

// Moves the dual forces of one node along a step: the normal one stays above a share of what it was, the tangential one
// within the cone.
static void move_dual(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  const struct move *move = context;
  const double *d = move->step + touch->soft->v_offset + touch->at;
  struct dc_node_dual *dual = &move->duals[touch->index];
  double closing = dc_vec_dot(touch->normal, d), next = (0.5 * touch->e - dual->normal * closing) / touch->gap, to[3];
  struct slip slip;
  dual->normal = fmax(next, (1 - DUAL_LOST) * dual->normal);
  if (!find_slip(state, touch, &slip))
    return;
  dc_vec_add(to, slip.way, d);
  dc_vec_add_scaled(to, to, -closing, touch->normal);
  dc_vec_scale(to, to, slip.at.k);
  dc_vec_add_scaled(dual->along, to, 2 * slip.at.by_square / slip.at.k * dc_vec_dot(slip.way, d), dual->along);
  double size = dc_vec_norm(dual->along);
  if (size > slip.law.c)
    dc_vec_scale(dual->along, dual->along, slip.law.c / size);
}

void dc_node_move_duals(const struct dc_step_state *state, const double *step, struct dc_node_dual *duals)
{
  struct move move = {step, duals};
  visit(state, move_dual, &move);
}

static void list_law(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  struct dc_node_law *law = (struct dc_node_law *)context + touch->index;
  struct slip slip;
  *law = (struct dc_node_law){.at = touch->soft->v_offset + touch->at, .gap = touch->gap, .slip = {.e = touch->e}};
  dc_vec_copy(law->normal, touch->normal);
  if (!find_slip(state, touch, &slip))
    return;
  law->slip = slip.law;
  dc_vec_copy(law->way, slip.way);
}

void dc_node_list_laws(const struct dc_step_state *state, struct dc_node_law *laws)
{
  visit(state, list_law, laws);
}

// Positions are rounded, which planes see through their stiffness.
static void visit_floor(const struct dc_step_state *state, const struct touch *touch, void *context)
{
  struct slip slip;
  double *floor = (double *)context + touch->soft->v_offset + touch->at;
  double size = DC_POSITION_NOISE * (dc_vec_norm(state->q_next + touch->soft->q_offset + touch->at) +
                                     dc_vec_norm(state->next[touch->plane].position));
  double normal = 0.5 * touch->e / (touch->gap * touch->gap), along = find_slip(state, touch, &slip) ? slip.at.k : 0;
  for (int k = 0; k < 3; k++)
    floor[k] += size * (normal * fabs(touch->normal[k]) + along);
}

static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  visit(state, visit_floor, floor->joints);
}

const struct dc_step_term dc_node_contact_term = {
    .name = "node contact",
    .reference = "paper 004, Eq. 4, 13 and 14; docs/theory.md, \"Soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
    .check_start = check_start,
    .safe_part = safe_part,
    .gap = least_gap,
};
