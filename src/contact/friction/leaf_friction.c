// SPDX-License-Identifier: Apache-2.0
// Friction of convex leaves on the planes between them (docs/theory/contact.md, "Convex leaves"; paper 003, IV.C).
//
// A leaf slides with the points y_v = x_v - s_v p_v n of its surface that are nearest to the plane beside its vertices
// x_v, p_v its radius: a ball that rolls does not slide.  Normal forces are f_v = mu w_i w_j P'(S) w_v / h_v^2 with the
// factors w_v of the pair's potential.  The motion of the plane, energies and derivatives at t+1 are those of
// hull_slip.c.
//
// The derivative by time t follows friction_pull_back.c with what radii add.  With the cotangent Y_v of y_v's place in
// its body (in world axes at t), and n about which body X turns by w while n gains dn,
//     dy_v = w x (y_v - c) + t - s_v p_v (dn - w x n),
// so that a vertex adds -s_v p_v Y_v to n's cotangent and s_v p_v n x Y_v to the torque.  The plane's Hessian gains
// sum_v w_v p_v / h_v^2 for both directions of n.
#include "contact/friction/leaf_friction.h"

#include <stdlib.h>
#include <string.h>

#include "contact/common/leaf_pair.h"
#include "contact/friction/hull_pull.h"

static const double SPIN_RADIUS = 1e-6;  // rho of hull_slip.c, in units of contact.length

void dc_leaf_friction_clear(struct dc_contact *contact, struct dc_leaf_friction *own)
{
  double radius = SPIN_RADIUS * contact->settings.length;
  own->slips.drag = radius * radius / contact->friction->smoothing;
  dc_hull_slips_clear(&own->slips);
}

void dc_leaf_friction_release(struct dc_leaf_friction *own)
{
  dc_hull_slips_release(&own->slips);
  free(own->leaves);
}

// Lists one pair of leaves as a sliding pair of hulls: its plane's axes, and for each vertex its lever, its height and
// its share of the normal force.  -1 when out of memory.
int dc_leaf_friction_add(struct dc_contact *contact, struct dc_leaf_friction *own, int p, size_t t, double strength,
                         int blend)
{
  struct dc_friction *friction = contact->friction;
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_term *term = &pair->near.terms[t];
  struct dc_leaf_places places;
  struct dc_sliding_hulls *sliding = dc_hull_slips_add(&own->slips);
  dc_leaf_places_of(contact, pair, term, pair->near.planes[t], friction->now, &places);
  if (!sliding || dc_hull_slips_reserve(&own->slips, (size_t)places.count) ||
      dc_grow(&own->leaves, &own->capacity, own->slips.sliding_count, sizeof *own->leaves))
    return -1;
  double slope = contact->settings.length * (1 + DC_SQRT12 / sqrt(contact->settings.length * places.sum));
  strength *= a->leaf_weight[term->i] * b->leaf_weight[term->j] * slope;
  struct dc_sliding_leaves *leaves = &own->leaves[own->slips.sliding_count - 1];
  *leaves = (struct dc_sliding_leaves){.blend = blend};
  for (int side = 0; side < 2; side++) {
    leaves->share[side] = places.share[side];
    leaves->radius[side] = places.radius[side];
  }
  memcpy(sliding->axes, places.axes, sizeof sliding->axes);
  sliding->count_a = places.count_a;
  for (int v = 0; v < places.count; v++) {
    double h = places.distance[v];
    dc_hull_slips_add_vertex(&own->slips, sliding, places.index[v], places.arm[v], places.local[v], h,
                             strength * places.share[v >= places.count_a] / (h * h));
  }
  struct dc_friction_unit like = {.pair = p, .group = p, .leaves = true};
  return dc_hull_slips_finish(&own->slips, friction, &like);
}

// One pair of leaves that is pulled back: cotangents n (two components) and d of its plane.
struct pull {
  struct dc_hull_pull slips;
  const struct dc_sliding_leaves *leaves;
  double n[2], d;
};

static int side_of(const struct pull *pull, int v)
{
  return dc_hull_pull_side(&pull->slips, v);
}

static double sign_of(const struct pull *pull, int v)
{
  return side_of(pull, v) ? -1 : 1;
}

// Through r and r' of a vertex; returns its part of G.
static double through_slip(struct pull *pull, int v)
{
  const struct dc_hull_pull *slips = &pull->slips;
  const double *axes = slips->sliding->axes, *arm = slips->vertices[v].arm;
  int side = side_of(pull, v);
  double x[3] = {0, 0, 0}, n[2], a[2], b[2], force[3], place[3];
  double round = sign_of(pull, v) * pull->leaves->radius[side], share = dc_hull_pull_slip(slips, v, x, n, a, b);
  dc_mat_apply_transposed(force, axes, x);
  dc_add_wrench(arm, force, slips->sides->wrench[side]);
  dc_plane_material_place(slips->motion, side, axes, slips->sides->twist[side], force, a, b, place);
  dc_add_rolling_torque(axes + 6, round, place, slips->sides->wrench[side]);
  for (int k = 0; k < 2; k++)
    pull->n[k] += n[k] - round * dc_vec_dot(axes + 3 * k, place);
  return share;
}

// f_v = mu w_i w_j (1 - phi) c(S) P'(S) w_v / h_v^2, c the factor of the range, with the vertices' parts of G.
static void through_forces(struct pull *pull, const struct dc_contact_settings *settings, const double *parts,
                           double total)
{
  double sum = 0;
  for (int v = 0; v < pull->slips.sliding->count; v++)
    sum += pull->leaves->share[side_of(pull, v)] / pull->slips.vertices[v].distance;
  double root = DC_SQRT12 / sqrt(settings->length * sum), by_sum = -0.5 * root / (sum * (1 + root)) * total, rate;
  dc_friction_within_range(sum, settings->friction_range, &rate);
  by_sum += rate * total;
  for (int v = 0; v < pull->slips.sliding->count; v++) {
    double h = pull->slips.vertices[v].distance, share = pull->leaves->share[side_of(pull, v)], force[3];
    double by_height = sign_of(pull, v) * (-2 * parts[v] / h - by_sum * share / (h * h));
    dc_vec_scale(force, pull->slips.sliding->axes + 6, by_height);
    dc_add_wrench(pull->slips.vertices[v].arm, force, pull->slips.sides->wrench[side_of(pull, v)]);
    pull->n[0] += by_height * pull->slips.vertices[v].local[0];
    pull->n[1] += by_height * pull->slips.vertices[v].local[1];
    pull->d += by_height;
  }
}

// (eta_d, eta_1, eta_2) = M^-1 (d, n) times scale^-3, M the Hessian of S by the plane, offset first; returns scale, the
// least distance.
static double solve_plane(const struct pull *pull, double eta[3])
{
  double m[3][3] = {{0}}, scale = INFINITY, cotangent[3] = {pull->d, pull->n[0], pull->n[1]};
  for (int v = 0; v < pull->slips.sliding->count; v++)
    scale = fmin(scale, pull->slips.vertices[v].distance);
  for (int v = 0; v < pull->slips.sliding->count; v++) {
    int side = side_of(pull, v);
    double ratio = scale / pull->slips.vertices[v].distance, share = pull->leaves->share[side];
    double cube = 2 * share * ratio * ratio * ratio;
    double round = share * ratio * scale * (scale + ratio * pull->leaves->radius[side]);
    const double y[3] = {1, pull->slips.vertices[v].local[0], pull->slips.vertices[v].local[1]};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j <= i; j++)
        m[i][j] += cube * y[i] * y[j] + (i == j && i > 0 ? round : 0);
  }
  dc_hull_factor_motion(m);
  dc_hull_solve_motion((const double(*)[3])m, cotangent, eta);
  return scale;
}

// The plane at t follows the vertices.  Its cotangents act on the vertices themselves, not on the surface points.
static void through_plane(const struct pull *pull)
{
  double eta[3], scale = solve_plane(pull, eta);
  for (int v = 0; v < pull->slips.sliding->count; v++) {
    int side = side_of(pull, v);
    const double *place = pull->slips.vertices[v].local;
    double ratio = scale / pull->slips.vertices[v].distance, share = pull->leaves->share[side];
    double square = sign_of(pull, v) * share * ratio * ratio * scale, local[3], force[3], arm[3];
    local[0] = square * eta[1];
    local[1] = square * eta[2];
    local[2] = -2 * share * ratio * ratio * ratio * (eta[0] + place[0] * eta[1] + place[1] * eta[2]);
    dc_mat_apply_transposed(force, pull->slips.sliding->axes, local);
    dc_vec_add_scaled(arm, pull->slips.vertices[v].arm, sign_of(pull, v) * pull->leaves->radius[side],
                      pull->slips.sliding->axes + 6);
    dc_add_wrench(arm, force, pull->slips.sides->wrench[side]);
  }
}

// Returns the derivative of D along the twists; the three ways of the head add to the wrenches of both sides.
double dc_leaf_friction_pull_back(const struct dc_contact *contact, const struct dc_leaf_friction *own,
                                  const struct dc_friction_unit *unit, const struct dc_friction_motion *motion,
                                  struct dc_friction_sides *sides)
{
  struct pull pull = {.slips = dc_hull_pull_of(&own->slips, unit->first, motion, sides),
                      .leaves = &own->leaves[unit->first]};
  double parts[2 * DC_LEAF_CORNERS], total = 0;
  dc_hull_pull_answer(&pull.slips);
  for (int v = 0; v < pull.slips.sliding->count; v++)
    total += parts[v] = through_slip(&pull, v);
  through_forces(&pull, &contact->settings, parts, total);
  through_plane(&pull);
  return total;
}
