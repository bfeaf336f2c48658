// SPDX-License-Identifier: Apache-2.0
// Private to the contact model manifold: what it keeps of bodies and pairs, and its sums.
#ifndef DC_CONTACT_MANIFOLD_MODEL_H
#define DC_CONTACT_MANIFOLD_MODEL_H

#include "contact/contact_internal.h"
#include "contact/manifold/manifold.h"

struct dc_manifold_model_body {
  struct dc_sdf level;  // in the frame of the body; without a type: a primitive, or nothing
  double size;          // diagonal of the mesh's box, m
  int edge_count;
  int (*edges)[2];
};

struct dc_manifold_model_pair {
  struct dc_manifold *edges;  // NULL: vertices only
  struct dc_manifold_contact *contacts;
  struct dc_manifold_cotangent *by;
  double core;  // the least length over which the edges' terms vary, but for their distances, m
};

struct dc_manifold_model {
  struct dc_manifold_model_body *bodies;
  struct dc_manifold_model_pair *pairs;
};

static inline const struct dc_manifold_model *dc_manifold_model_of(const struct dc_contact *contact)
{
  return contact->own;
}

// Adds the terms of the vertices of side 0 (a) or 1 (b) of a pair at poses; false when one of them is not outside.
bool dc_manifold_add_vertices(const struct dc_contact *contact, int p, int side, const struct dc_pose *poses, int order,
                              struct dc_pair_derivatives *result);
// The same of the pairs of edges.
bool dc_manifold_add_edges(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *result);

#endif
