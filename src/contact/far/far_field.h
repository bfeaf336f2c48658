// SPDX-License-Identifier: Apache-2.0
// The far field of soft bodies: what the surface of a soft body feels of those of rigid and of other soft bodies at any
// distance (docs/theory.md, "The far field of soft bodies").
//
// The barrier of surfaces (contact/surface/surface.h) ends at its range, and with it the gradient.  The far field is
// the centred part of the potential of bounding-sphere hierarchies (paper 000, section 5, with consistent weights):
// between leaves C = w_i w_j (P_c(rho) - 12), rho^2 = r^2 + sigma_I^2 + sigma_J^2 + delta^2, and the blend (1 - phi)
// A + phi C above.  It is bounded, only pushes bodies apart, is twice differentiable in the nodes and never zero.
// Centres, radii and spreads of the tree of a soft body are smooth functions of its nodes; topology, descent, weights
// and delta are those at rest.
#ifndef DC_CONTACT_FAR_FIELD_H
#define DC_CONTACT_FAR_FIELD_H

#include "contact/contact.h"

struct dc_far_field;

// One body in it, and derivatives by its points: the nodes of a soft body, the centres of the nodes of a rigid one's
// tree.
struct dc_far_body {
  int body, point_count;
  const double (*arm)[3];  // of a rigid body: its points about the frame's origin, in its axes, m; NULL: soft
  double (*gradient)[3];   // [points] dE/dx at the last evaluation, N
  double (*velocity)[3];   // [points] for dc_far_field_multiply, to be set by the caller; zeros at first
  double (*product)[3];    // [points] of dc_far_field_multiply
};

// Between all soft bodies with a far field and what their surfaces meet.  settings: length, blend, reference_area;
// hierarchical: false for all pairs of triangles.  *field is NULL where there is none.  DC_MEMORY.
enum dc_status dc_far_field_create(const struct dc_bodies *bodies, const struct dc_contact_settings *settings,
                                   bool hierarchical, struct dc_far_field **field, struct dc_error *error);
void dc_far_field_destroy(struct dc_far_field *field);
// Later evaluations are of a field so many times as strong as the bodies say.
void dc_far_field_scale(struct dc_far_field *field, double factor);

// Energy, J (NULL: not wanted), and gradient at q, where frames are at poses; -1 when out of memory, else 0.
int dc_far_field_evaluate(struct dc_far_field *field, const double *q, const struct dc_pose *poses, double *energy);
// The bodies in it, the same ones at all times.
struct dc_far_body *dc_far_field_bodies(struct dc_far_field *field, int *count);
// Adds the force on every body of the last evaluation, N, to forces [bodies of the arrangement]; between: of pairs of
// bodies that both move alone.
void dc_far_field_add_forces(struct dc_far_field *field, bool between, double (*forces)[3]);
// The Hessian by the points at the last evaluation times their velocities; radii and spreads of rigid bodies do not
// change.
void dc_far_field_multiply(struct dc_far_field *field);

#endif
