// SPDX-License-Identifier: Apache-2.0
// Paths of two bounding spheres.  Private to src/contact/near.
#ifndef DC_CONTACT_NODE_PATH_H
#define DC_CONTACT_NODE_PATH_H

#include "contact/common/contact_internal.h"

// Where both bodies of a pair are after `index` of DC_PATH_PARTS equal parts of a way; index -1: nothing.
struct dc_instants {
  int index;
  struct dc_instant at[2];
};

enum { DC_PATH_PARTS = 4096, DC_KEPT_INSTANTS = 64 };  // powers of two

// Two bodies on a path, and some of the instants of its fraction `limit` that were asked for.
struct dc_node_path {
  const struct dc_collider *collider[2];
  struct dc_motion *motion[2];
  double kept;   // m between spheres whose path is followed in parts
  double limit;  // -1: none asked for yet
  int tries;     // parts that may still be looked at
  struct dc_instants instants[DC_KEPT_INSTANTS];
};

// Keeps the pointers.
void dc_node_path_begin(struct dc_node_path *path, const struct dc_collider *a, struct dc_motion *motion_a,
                        const struct dc_collider *b, struct dc_motion *motion_b, double kept);

// Whether the spheres of nodes i of a and j of b stay apart up to the fraction limit > 0 of the path.
bool dc_nodes_apart(struct dc_node_path *path, int i, int j, double limit);

#endif
