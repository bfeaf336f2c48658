// SPDX-License-Identifier: Apache-2.0
// Friction of the contact model manifold: vertices on signed distances, with the normal force of their potential, and
// hulls on the planes of the walls as in sdrs (docs/theory.md, "Contact manifolds", "As a contact model").
//
// A vertex of body s (arm r_s) at the signed distance d of the other body o (arm r_o of the same place, gradient g and
// Hessian H there) slides on the point of o beneath it (contact/friction/point_slip.h) with
//     n = sigma g/|g|,   F = lambda mu (-E'(d)) |g| W(d),   E = 6 l w psi,   sigma = 1 where s is a, else -1,
// W a smooth end of the range of friction.  By time t the point of o changes by R_o+ R_o^T dy, dy the motion of the
// vertex against o, and with the cotangents of point_slip.h, V_o the twist of o at t+1 and e = g/|g|
//     by dy   -sigma (R_o+ R_o^T)^T (by Delta + (by delta) x w_o) + sigma H (I - e e^T) (by n)/|g|
//             + G ((ln -E' W)' g + H e/|g|),
//     by the turn of o   n x (by n) besides.
//
// A witness point e of a pair of edges, of body s in the field of o, slides the same way, with E = A E_0 psi for its
// activity A.
// It belongs to neither body: with signs s_x (1 for a, -1 for b), y_x = s_x (R_x+ R_x^T)^T (by Delta + (by delta) x
// w_x) and arms r_x = e - c_x a twist (w, m) of body x at time t adds -y_x.(m + w x r_x), and
//     by e  y_a + y_b,   by A  G/A,   by d  G (ln -psi' W)',   by g  sigma (I - e e^T) (by n)/|g| + G e/|g|
// go back through the manifold (contact/manifold/manifold.h).
//
// With a design, a vertex y of s in its axes gains R_s^T times the force by dy above and, as x_s+ moves, too,
//     sigma R_s+^T (by Delta + (by delta) x w_s).
// The level set of o gains by d  G (ln -E' W)' and by g  (sigma (I - e e^T)(by n) + G e)/|g|.  The cotangents that
// edges leave in the manifold go on to vertices and level sets.
#include <stdlib.h>
#include <string.h>

#include "contact/friction/plane_slip.h"
#include "contact/models/manifold/manifold_state.h"
#include "math/vector.h"

static const double RANGE = 2.5;          // of the walls' reach: where friction of vertices begins to end
static const double VERTEX_COST = 60e-9;  // of an evaluation, s
enum { NO_EDGE = -1 };

// The part of a sliding contact that its derivative by time t needs.
struct lag {
  int edge, side;   // number of the contact in the manifold, NO_EDGE: a vertex
  int vertex;       // of body `side`, or -1
  double activity;  // of edges
  double rate;      // of ln(-E' W) by the distance, 1/m
  struct dc_level level;
};

struct manifold_friction {
  struct dc_hull_slips hulls;  // first: what the functions of sdrs take friction->own for
  struct dc_sliding_point *sliding_points;
  struct lag *lags;
  size_t count, sliding_capacity, lag_capacity;
};

static enum dc_status create(struct dc_contact *contact)
{
  contact->friction->own = dc_arena_alloc(contact->arena, 1, sizeof(struct manifold_friction));
  return contact->friction->own ? DC_OK : DC_MEMORY;
}

static void destroy(struct dc_friction *friction)
{
  struct manifold_friction *own = friction->own;
  dc_sdrs_friction_methods.destroy(friction);
  free(own->sliding_points);
  free(own->lags);
}

static void clear(struct dc_contact *contact)
{
  dc_sdrs_friction_methods.clear(contact);
  ((struct manifold_friction *)contact->friction->own)->count = 0;
}

// Where W begins to end, m; it has ended at twice that.
static double range_of(const struct dc_contact *contact)
{
  double s = contact->settings.support;
  return RANGE * 2 * s / (1 - s) * contact->settings.length;
}

// arm, other: of the vertex about the centres of its own and of the other body; potential: E and its derivatives by the
// distance over the stiffness.  -1 when out of memory.
static int add_sliding(struct dc_contact *contact, const struct lag *found, const double arm[3], const double other[3],
                       const double potential[3], double scale)
{
  struct manifold_friction *own = contact->friction->own;
  double rate, within, size = dc_vec_norm(found->level.g), range = range_of(contact);
  within = dc_friction_support(found->level.distance, range, range, &rate);
  if (!(-potential[1] * within * size > 0))
    return 0;
  if (dc_grow(&own->sliding_points, &own->sliding_capacity, own->count + 1, sizeof *own->sliding_points) ||
      dc_grow(&own->lags, &own->lag_capacity, own->count + 1, sizeof *own->lags))
    return -1;
  struct dc_sliding_point *sliding = &own->sliding_points[own->count];
  struct lag *lag = &own->lags[own->count++];
  *lag = *found;
  lag->rate = potential[2] / potential[1] - rate;
  sliding->strength = -scale * potential[1] * within * size;
  dc_vec_scale(sliding->normal, found->level.g, (found->side ? -1 : 1) / size);
  dc_vec_copy(sliding->arm[found->side], arm);
  dc_vec_copy(sliding->arm[1 - found->side], other);
  return 0;
}

// Lists the vertices of one body in the field of the other that are within range.
static int list_side(struct dc_contact *contact, int p, int side, double scale)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_pose *now = contact->friction->now;
  int own = side ? pair->b : pair->a, other = side ? pair->a : pair->b;
  const struct dc_collider *collider = &contact->colliders[own];
  const struct dc_manifold_model_body *body = &dc_manifold_model_of(contact)->bodies[other];
  double away[3], reach = 2 * range_of(contact);
  dc_vec_sub(away, now[own].position, now[other].position);
  for (int v = 0; v < collider->vertex_count; v++) {
    struct lag lag = {.edge = NO_EDGE, .side = side, .vertex = v};
    double potential[3], about_other[3], r[3];
    dc_mat_apply(r, now[own].rotation, collider->vertices[v]);
    dc_vec_add(about_other, r, away);
    if (!(collider->vertex_weight[v] > 0))
      continue;
    dc_level_at(&body->level, now[other].rotation, about_other, 0, &lag.level);
    if (!(lag.level.distance < reach))
      continue;
    dc_level_at(&body->level, now[other].rotation, about_other, 2, &lag.level);
    dc_manifold_potential(lag.level.distance, body->softness, potential);
    dc_vec_scale(potential, potential, 6 * contact->settings.length * collider->vertex_weight[v]);
    if (add_sliding(contact, &lag, r, about_other, potential, scale))
      return -1;
  }
  return 0;
}

// Lists the active witness points of edges within range.
static int list_edges(struct dc_contact *contact, int p, double scale)
{
  const struct dc_manifold_model_pair *pair = &dc_manifold_model_of(contact)->pairs[p];
  double reach = 2 * range_of(contact), apart[3];
  int first, count = dc_manifold_edges_at(contact, p, contact->friction->now, apart, &first);
  for (int i = first; i < count; i++) {
    const struct dc_manifold_contact *at = &pair->contacts[i];
    struct lag lag = {
        .edge = i, .side = at->body, .vertex = -1, .activity = at->activity, .level = {.distance = at->distance}};
    double potential[3], about_b[3];
    if (!(at->distance < reach && at->activity > 0))
      continue;
    dc_vec_copy(lag.level.g, at->normal);
    dc_vec_add(about_b, at->point, apart);
    dc_manifold_potential(at->distance, pair->softness[1 - at->body], potential);
    dc_vec_scale(potential, potential, dc_manifold_edge_strength(contact) * at->activity);
    if (add_sliding(contact, &lag, at->body ? about_b : at->point, at->body ? at->point : about_b, potential, scale))
      return -1;
  }
  return 0;
}

// Lists the vertices above a primitive.
static int list_primitive(struct dc_contact *contact, int p, double scale)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a];
  const struct dc_pose *now = &contact->friction->now[pair->a];
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[pair->b].primitive, now);
  static const double none[3] = {0, 0, 0};
  for (int v = 0; v < a->vertex_count; v++) {
    struct lag lag = {.edge = NO_EDGE, .vertex = v};
    double r[3], energy = 12 * contact->settings.length * a->vertex_weight[v];
    dc_mat_apply(r, now->rotation, a->vertices[v]);
    double d = lag.level.distance = dc_primitive_gap(&seen, r, lag.level.g);
    if (add_sliding(contact, &lag, r, none, (const double[3]){energy / d, -energy / (d * d), 2 * energy / (d * d * d)},
                    scale))
      return -1;
  }
  return 0;
}

// Lists vertices and edges as one unit, the walls' hulls as units of sdrs.
static int list(struct dc_contact *contact, int p, double coefficient)
{
  struct dc_friction *friction = contact->friction;
  struct manifold_friction *own = friction->own;
  bool primitive = contact->colliders[contact->pairs[p].b].primitive.type;
  double scale = coefficient * friction->stiffness;
  size_t first = own->count;
  if (!(scale > 0))
    return 0;
  if (!primitive && dc_sdrs_friction_methods.list(contact, p, coefficient))
    return -1;
  if (primitive ? list_primitive(contact, p, scale)
                : list_side(contact, p, 0, scale) || list_side(contact, p, 1, scale) || list_edges(contact, p, scale))
    return -1;
  struct dc_friction_unit unit = {
      .pair = p, .group = (int)friction->unit_count, .first = first, .count = own->count - first, .levels = true};
  friction->cost += VERTEX_COST * (double)unit.count;
  return unit.count > 0 ? dc_friction_add_unit(friction, &unit) : 0;
}

static void run(struct dc_contact *contact, struct dc_friction_unit *unit, const struct dc_friction_motion *motion)
{
  const struct manifold_friction *own = contact->friction->own;
  if (!unit->levels) {
    dc_sdrs_friction_methods.run(contact, unit, motion);
    return;
  }
  const struct dc_friction_motion displaced = dc_point_displacements(motion);
  dc_sliding_points_run(own->sliding_points, dc_slip_root, &displaced, unit);
}

// Delta and delta at the displacements of the motion.
static void motions_of(const struct dc_sliding_point *sliding, const struct dc_friction_motion *motion,
                       const struct dc_friction_sides *sides, double moved[3], double varied[3])
{
  for (int x = 0; x < 2; x++) {
    double part[3], after[3], sign = x ? -1 : 1;
    dc_mat_apply(part, motion->drift[x], sliding->arm[x]);
    dc_vec_add(part, part, motion->velocity[x]);
    dc_mat_apply(after, motion->turn[x], sliding->arm[x]);
    for (int k = 0; k < 3; k++)
      moved[k] = (x ? moved[k] : 0) + sign * part[k];
    dc_vec_cross(part, sides->twist[x], after);
    dc_vec_add(part, part, sides->twist[x] + 3);
    for (int k = 0; k < 3; k++)
      varied[k] = (x ? varied[k] : 0) + sign * part[k];
  }
}

static void add_wrench(const double arm[3], const double force[3], double sign, double wrench[6])
{
  double torque[3];
  dc_vec_cross(torque, arm, force);
  dc_vec_add_scaled(wrench, wrench, sign, torque);
  dc_vec_add_scaled(wrench + 3, wrench + 3, sign, force);
}

// Passes the cotangents of distance and gradient at a vertex, in world axes, on to the level set of the other body, for
// a design.
static void through_level(const struct dc_contact *contact, int other, const struct lag *lag, double by_distance,
                          const double by_gradient[3], const double arm[3], const double *rotation)
{
  const struct dc_manifold_model_body *body = &dc_manifold_model_of(contact)->bodies[other];
  double x[3], u[3], dropped[3] = {0, 0, 0};
  if (!body->by_level || lag->vertex < 0)
    return;
  dc_mat_apply_transposed(x, rotation, arm);
  dc_mat_apply_transposed(u, rotation, by_gradient);
  dc_sdf_pull_back(&body->level, x, by_distance, u, dropped, body->by_level);
}

// The formula at the head of this file.
static void through_vertex(const struct dc_contact *contact, int p, const struct dc_sliding_point *sliding,
                           const struct lag *lag, const struct dc_point_cotangents *c,
                           const struct dc_friction_motion *motion, struct dc_friction_sides *sides)
{
  int s = lag->side, o = 1 - s;
  double sigma = s ? -1 : 1, size = dc_vec_norm(lag->level.g), e[3], beneath[3], by_e[3], bent[3], force[3], turn[3];
  dc_vec_scale(e, lag->level.g, 1 / size);
  dc_vec_cross(beneath, c->by_varied, sides->twist[o]);
  dc_vec_add(beneath, beneath, c->by_moved);
  dc_mat_apply_transposed(force, motion->turn[o], beneath);
  double along = dc_vec_dot(e, c->by_normal);
  for (int k = 0; k < 3; k++)
    by_e[k] = sigma * (c->by_normal[k] - along * e[k]) + c->total * e[k];
  dc_mat_apply(bent, lag->level.h, by_e);
  for (int k = 0; k < 3; k++)
    force[k] = -sigma * force[k] + bent[k] / size + c->total * lag->rate * lag->level.g[k];
  add_wrench(sliding->arm[s], force, 1, sides->wrench[s]);
  add_wrench(sliding->arm[o], force, -1, sides->wrench[o]);
  dc_vec_cross(turn, sliding->normal, c->by_normal);
  dc_vec_add(sides->wrench[o], sides->wrench[o], turn);
  if (sides->points[s]) {
    double moved[3], varied[3];
    dc_vec_scale(moved, c->by_moved, sigma);
    dc_vec_scale(varied, c->by_varied, sigma);
    dc_friction_add_point(sides, s, lag->vertex, 1, force, moved, varied);
  }
  if (sides->points[o]) {
    dc_vec_scale(by_e, by_e, 1 / size);
    through_level(contact, o ? contact->pairs[p].b : contact->pairs[p].a, lag, c->total * lag->rate, by_e,
                  sliding->arm[o], sides->now[o]);
  }
}

// Leaves the cotangents of a contact of edges in `by`.
static void through_edge(const struct dc_sliding_point *sliding, const struct lag *lag,
                         const struct dc_point_cotangents *c, const struct dc_friction_motion *motion,
                         struct dc_friction_sides *sides, struct dc_manifold_cotangent *by)
{
  double sigma = lag->side ? -1 : 1, size = dc_vec_norm(lag->level.g), e[3];
  dc_vec_scale(e, lag->level.g, 1 / size);
  double along = dc_vec_dot(e, c->by_normal);
  for (int k = 0; k < 3; k++)
    by->normal[k] += (sigma * (c->by_normal[k] - along * e[k]) + c->total * e[k]) / size;
  by->activity += c->total / lag->activity;
  by->distance += c->total * lag->rate;
  for (int x = 0; x < 2; x++) {
    double moved[3], y[3];
    dc_vec_cross(moved, c->by_varied, sides->twist[x]);
    dc_vec_add(moved, moved, c->by_moved);
    dc_mat_apply_transposed(y, motion->turn[x], moved);
    dc_vec_scale(y, y, x ? -1 : 1);
    dc_vec_add(by->point, by->point, y);
    add_wrench(sliding->arm[x], y, -1, sides->wrench[x]);
  }
}

// Pulls the cotangents noted for the edges of a pair back through its manifold, and clears them.
static void through_manifold(struct dc_contact *contact, int p, struct dc_friction_sides *sides)
{
  const struct dc_manifold_model_pair *pair = &dc_manifold_model_of(contact)->pairs[p];
  const int bodies[2] = {contact->pairs[p].a, contact->pairs[p].b};
  double twists[2][6] = {{0}}, apart[3], *parameters[2];
  int first, count = dc_manifold_edges_at(contact, p, contact->friction->now, apart, &first);
  for (int x = 0; x < 2; x++)
    parameters[x] = sides->points[x] ? dc_manifold_model_of(contact)->bodies[bodies[x]].by_level : NULL;
  dc_manifold_pull_back(pair->edges, pair->by_friction, twists, parameters);
  for (int x = 0; x < 2; x++)
    for (int v = 0; sides->points[x] && v < contact->colliders[bodies[x]].vertex_count; v++) {
      double by[3];
      dc_manifold_by_vertex(pair->edges, x, v, by);
      dc_vec_add(sides->points[x][v], sides->points[x][v], by);
    }
  memset(pair->by_friction, 0, (size_t)count * sizeof *pair->by_friction);
  for (int x = 0; x < 2; x++)
    for (int k = 0; k < 6; k++)
      sides->wrench[x][k] += twists[x][k];
}

// Through the sliding point `index`; returns whether it left something for through_manifold.
static bool through_sliding(struct dc_contact *contact, int p, size_t index, const struct dc_point_cotangents *c,
                            const struct dc_friction_motion *motion, struct dc_friction_sides *sides)
{
  const struct manifold_friction *own = contact->friction->own;
  const struct lag *lag = &own->lags[index];
  if (lag->edge == NO_EDGE)
    through_vertex(contact, p, &own->sliding_points[index], lag, c, motion, sides);
  else
    through_edge(&own->sliding_points[index], lag, c, motion, sides,
                 &dc_manifold_model_of(contact)->pairs[p].by_friction[lag->edge]);
  return lag->edge != NO_EDGE;
}

// Adjoint of the friction of one unit: sliding points give cotangents of their places, normals and forces, which go
// back through the manifold once for the pair.
static double pull_back(struct dc_contact *contact, const struct dc_friction_unit *unit, size_t count,
                        const struct dc_friction_motion *motion, struct dc_friction_sides *sides)
{
  const struct manifold_friction *own = contact->friction->own;
  if (!unit->levels)
    return dc_sdrs_friction_methods.pull_back(contact, unit, count, motion, sides);
  const struct dc_friction_motion displaced = dc_point_displacements(motion);
  double total = 0;
  bool edges = false;
  for (size_t k = unit->first; k < unit->first + unit->count; k++) {
    struct dc_point_cotangents c;
    double moved[3], varied[3];
    motions_of(&own->sliding_points[k], &displaced, sides, moved, varied);
    dc_point_slip_cotangents(&own->sliding_points[k], dc_slip_root, motion->smoothing * motion->time_step, moved,
                             varied, &c);
    edges |= through_sliding(contact, unit->pair, k, &c, motion, sides);
    total += c.total;
  }
  if (edges)
    through_manifold(contact, unit->pair, sides);
  dc_manifold_take_level(contact, contact->pairs[unit->pair].a, sides->points[0]);
  dc_manifold_take_level(contact, contact->pairs[unit->pair].b, sides->points[1]);
  return total;
}

const struct dc_friction_methods dc_manifold_friction_methods = {
    .create = create, .destroy = destroy, .clear = clear, .list = list, .run = run, .pull_back = pull_back};
