// SPDX-License-Identifier: Apache-2.0
// Friction of touches: between rigid bodies too it is that of the places, normals and forces of time t (Li et al. 2020,
// section 5), so that it has a potential at t+1.  With F the coefficient times the normal force, w_v the weights of the
// closest points, n the normal, all of t, and the law of docs/theory.md, "Friction",
//     Delta = sum_v w_v (x_v+ - x_v),   u = (I - n n^T) Delta,   D = F (sqrt(|u|^2 + e^2) - e),   e = smoothing h,
//     force of vertex v  -w_v F phi u,   phi = 1/sqrt(|u|^2 + e^2),
//     Hessian  w_v w_u F (phi P - phi^3 u u^T),   P = I - n n^T, positive semidefinite.
// A point that slips far has next to no stiffness along u, and Newton's method on that takes it back beyond where it
// would come to rest.  So its iterates carry the direction y of the force as an unknown of its own, as those of nodes
// do (dynamics/terms_node_contact.c; Chan, Golub and Mulet 1999).  Of psi y = u, psi = 1/phi, a move du makes
//     y <- (u + du - y (u.du)/psi)/psi,   |y| <= 1,   and the Hessian   w_v w_u F (phi P - phi^2 (u y^T + y u^T)/2),
// positive semidefinite for every such y, and exact at the solution, where y = phi u, with which it begins.
// The derivative of G = F phi u.delta, delta = sum_v w_v delta_v, by the places of time t, on which F, n and w_v
// depend, is that of contact/friction/point_slip.h.
#include <math.h>
#include <string.h>

#include "contact/friction/point_slip.h"
#include "contact/surface/surface_internal.h"

// Lists the touches with friction: strength mu times the normal force, -d(barrier)/dd, with its derivatives by the
// distance and by how parallel edges are.
int dc_surface_friction_begin(struct dc_surface_contact *contact, const double *coefficients, double smoothing,
                              double time_step)
{
  contact->sliding_count = 0;
  for (size_t t = 0; t < contact->touch_count; t++) {
    const struct dc_touch *touch = &contact->touches[t];
    double p[3], m[3], d = sqrt(touch->closest.square);
    dc_touch_profile(touch, p);
    dc_touch_mollifier(touch, m);
    double coefficient = sqrt(coefficients[touch->body[0]] * coefficients[touch->body[1]]);
    double force = -touch->stiffness * m[0] * 2 * d * p[1], strength = coefficient * force;
    if (!(strength > 0))
      continue;
    if (dc_grow(&contact->sliding_contacts, &contact->sliding_capacity, contact->sliding_count + 1,
                sizeof *contact->sliding_contacts))
      return -1;
    struct dc_sliding_contact *sliding = &contact->sliding_contacts[contact->sliding_count++];
    *sliding = (struct dc_sliding_contact){.touch = *touch,
                                           .force = force,
                                           .strength = strength,
                                           .width = smoothing * time_step,
                                           .by_distance = 1 / d + 2 * d * p[2] / p[1],
                                           .by_parallel = m[1] / m[0]};
    dc_vec_scale(sliding->normal, touch->closest.r, 1 / d);
  }
  return 0;
}

// Copies the touches at hand, since an evaluation at t+1 lists new ones.
int dc_surface_hold(struct dc_surface_contact *contact)
{
  if (dc_grow(&contact->held, &contact->held_capacity, contact->touch_count, sizeof *contact->held))
    return -1;
  contact->held_count = contact->touch_count;
  if (contact->touch_count)
    memcpy(contact->held, contact->touches, contact->touch_count * sizeof *contact->held);
  return 0;
}

const struct dc_touch *dc_surface_held(const struct dc_surface_contact *contact, size_t *count)
{
  *count = contact->held_count;
  return contact->held;
}

// The normal force on the first side, N: minus the gradient of the barrier along r.
void dc_touch_force(const struct dc_touch *touch, double force[3])
{
  double p[3], m[3];
  dc_touch_profile(touch, p);
  dc_touch_mollifier(touch, m);
  dc_vec_scale(force, touch->closest.r, -2 * touch->stiffness * m[0] * p[1]);
}

void dc_surface_friction_scale(struct dc_surface_contact *contact, size_t k, double factor)
{
  contact->sliding_contacts[k].strength *= factor;
}

const struct dc_sliding_contact *dc_surface_sliding_contacts(const struct dc_surface_contact *contact, size_t *count)
{
  *count = contact->sliding_count;
  return contact->sliding_contacts;
}

// sum_v w_v y_v
static void weigh(const struct dc_sliding_contact *sliding, const double (*y)[3], double sum[3])
{
  memset(sum, 0, 3 * sizeof *sum);
  for (int v = 0; v < 4; v++)
    dc_vec_add_scaled(sum, sum, sliding->touch.closest.weight[v], y[v]);
}

// How far the points moved and slipped.
static void slip(const struct dc_sliding_contact *sliding, const double (*x)[3], double moved[4][3], double delta[3],
                 double u[3])
{
  for (int v = 0; v < 4; v++)
    dc_vec_sub(moved[v], x[v], sliding->touch.x[v]);
  weigh(sliding, (const double(*)[3])moved, delta);
  dc_vec_add_scaled(u, delta, -dc_vec_dot(sliding->normal, delta), sliding->normal);
}

// w_v w_u F (phi P - phi^2 (u y^T + y u^T)/2)
static void bend(const struct dc_sliding_contact *sliding, const double u[3], double phi, const double y[3],
                 double (*hessian)[12])
{
  double k[9];
  const double *w = sliding->touch.closest.weight, *n = sliding->normal;
  for (int i = 0; i < 9; i++)
    k[i] = sliding->strength * phi *
           ((i / 3 == i % 3) - n[i / 3] * n[i % 3] - 0.5 * phi * (u[i / 3] * y[i % 3] + y[i / 3] * u[i % 3]));
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      hessian[i][j] = w[i / 3] * w[j / 3] * k[3 * (i % 3) + j % 3];
}

// Smoothed Coulomb friction: energy strength (sqrt(|u|^2 + width^2) - width) of the slip u across the normal, gradient
// strength u/psi per weight. The Hessian takes the iterated direction y instead of u/psi where Newton follows one:
// both agree at the solution, and y keeps the first steps from sticking.
double dc_sliding_derivatives(const struct dc_sliding_contact *sliding, const double (*x)[3], bool iterate,
                              double (*gradient)[3], double (*hessian)[12])
{
  double moved[4][3], delta[3], u[3], y[3];
  const double *w = sliding->touch.closest.weight;
  slip(sliding, x, moved, delta, u);
  double square = dc_vec_dot(u, u), root = sqrt(square + sliding->width * sliding->width), phi = 1 / root;
  dc_vec_scale(y, u, phi);
  for (int v = 0; v < 4 && gradient; v++)
    dc_vec_scale(gradient[v], u, w[v] * sliding->strength * phi);
  if (hessian)
    bend(sliding, u, phi, iterate && sliding->followed ? sliding->direction : y, hessian);
  return sliding->strength * square / (root + sliding->width);
}

// One primal-dual step of the direction y of friction: the linearization of psi y = u along the change du of the slip,
// brought back into the unit ball.
void dc_surface_friction_move(struct dc_surface_contact *contact, size_t k, const double (*x)[3],
                              const double (*varied)[3])
{
  struct dc_sliding_contact *sliding = &contact->sliding_contacts[k];
  double moved[4][3], delta[3], u[3], du[3], next[3];
  slip(sliding, x, moved, delta, u);
  weigh(sliding, varied, du);
  dc_vec_add_scaled(du, du, -dc_vec_dot(sliding->normal, du), sliding->normal);
  double psi = sqrt(dc_vec_dot(u, u) + sliding->width * sliding->width);
  if (!sliding->followed)
    dc_vec_scale(sliding->direction, u, 1 / psi);
  sliding->followed = true;
  dc_vec_add(next, u, du);
  dc_vec_add_scaled(next, next, -dc_vec_dot(u, du) / psi, sliding->direction);
  dc_vec_scale(sliding->direction, next, 1 / fmax(psi, dc_vec_norm(next)));
}

// Derivatives by the touch that friction holds: normal, weights and strength depend on the places at the start of the
// interval. The slip law's cotangents of these are pulled back through the closest points.
double dc_sliding_pull_back(const struct dc_sliding_contact *sliding, const double (*x)[3], const double (*varied)[3],
                            double (*out)[3])
{
  const struct dc_sliding_point points = {.normal = {sliding->normal[0], sliding->normal[1], sliding->normal[2]},
                                          .strength = sliding->strength};
  double moved[4][3], delta[3], turned[3], u[3];
  struct dc_point_cotangents c;
  slip(sliding, x, moved, delta, u);
  weigh(sliding, varied, turned);
  dc_point_slip_cotangents(&points, dc_slip_root, sliding->width, delta, turned, &c);
  const struct dc_point_origin origin = {&sliding->touch.closest, sliding->by_distance,      sliding->by_parallel,
                                         sliding->touch.x,        (const double(*)[3])moved, varied};
  dc_point_pull_back(&origin, sliding->normal, &c, out);
  return c.total;
}

void dc_sliding_force_pull_back(const struct dc_sliding_contact *sliding, double weight, double (*out)[3])
{
  const double still[4][3] = {{0}};
  const struct dc_point_cotangents c = {.total = weight * sliding->force};
  const struct dc_point_origin origin = {
      &sliding->touch.closest, sliding->by_distance, sliding->by_parallel, sliding->touch.x, still, still};
  dc_point_pull_back(&origin, sliding->normal, &c, out);
}
