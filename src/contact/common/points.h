// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: the potential by the points of the bodies, as a model gives it (see contact.h, "Points beside
// twists").
#ifndef DC_CONTACT_POINTS_H
#define DC_CONTACT_POINTS_H

#include <math.h>

#include "contact/common/contact_internal.h"

// One evaluation over all pairs: of forces, which are minus the gradient, of products with velocities, or of both.
struct dc_points {
  const struct dc_contact *contact;
  const struct dc_pose *poses;
  const double (*const *velocities)[3];               // NULL: those of twists, or forces only
  const double (*twists)[6];                          // [bodies]; NULL: velocities, or forces only
  double (*const *forces)[3], (*const *products)[3];  // NULL: not wanted
  const double *reaches;      // [pair_count], m: terms whose gap is larger are left out; NULL: none is
  double (**node_forces)[3];  // [bodies][nodes] of models with sphere trees
  // The pair at hand, c_a - c_b, its reach.
  const struct dc_pair *pair;
  double arm[3], reach;
};

struct dc_point_methods {
  bool (*offers)(const struct dc_contact *contact);  // NULL: with all settings
  bool rates_only;                                   // no forces and no products with any velocities
  int (*count)(const struct dc_contact *contact, int body);
  // Positions of the points about the origin of the body's frame, in its axes; owned by contact.
  const double (*(*places)(const struct dc_contact *contact, int body))[3];
  // Before all pairs, with memory from the arena; -1 when out of memory; NULL: nothing.
  int (*begin)(struct dc_points *points, struct dc_arena *arena);
  // Adds what the pair at hand has; -1 when out of memory.
  int (*add_pair)(struct dc_points *points);
  void (*end)(struct dc_points *points);  // NULL: nothing
  // dc_contact_point_rates, -1 when out of memory; NULL: they are made from the products of add_pair with velocities.
  int (*rates)(struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6], double scale,
               double (*const *by_point)[3]);
};

extern const struct dc_point_methods dc_sdrs_points, dc_ipc_points, dc_manifold_points;

// Adds forces, products or both of all pairs to what points has of them, with memory of its own.  Forces are -dP/dx_v,
// 1/m; products d2P/dx dx times the velocities, 1/m per unit, of sdrs and the ipc models only.  DC_OK, DC_MEMORY, or
// DC_NUMERICAL when something crosses.
enum dc_status dc_points_add(struct dc_points *points, struct dc_error *error);

// dc_contact_point_rates of what add_pair has, from its products with the velocities of the twists.
enum dc_status dc_points_rates_of_products(struct dc_contact *contact, const struct dc_pose *poses,
                                           const double (*twists)[6], double scale, double (*const *by_point)[3],
                                           struct dc_error *error);

// Velocity of a point, world axes: the given one, or that of its body's twist.
void dc_points_velocity(const struct dc_points *points, int body, int index, double velocity[3]);

// The vertices of a body's mesh.
int dc_points_of_mesh(const struct dc_contact *contact, int body);
const double (*dc_places_of_mesh(const struct dc_contact *contact, int body))[3];

// Force of a barrier on one point of body a above its primitive, and product: seen about c_a, arm from there, world
// axes; value: b, b', b''.
void dc_points_add_primitive(const struct dc_points *points, const struct dc_primitive *seen, const double arm[3],
                             int index, const double value[3]);
// The same for all vertices of body a.
void dc_points_add_primitive_pair(const struct dc_points *points, dc_primitive_barrier *barrier);

#endif
