// SPDX-License-Identifier: Apache-2.0
// Trees of boxes along the axes, over things that move: the tree stays, the boxes are found anew.
#ifndef DC_GEOMETRY_BOX_TREE_H
#define DC_GEOMETRY_BOX_TREE_H

#include "base/memory.h"
#include "base/status.h"

struct dc_box {
  double low[3], high[3];  // m
};

// Nodes depth first, the root at 0, the left child of node i at i + 1.
struct dc_box_tree {
  int node_count;  // 2 items - 1
  struct dc_box *boxes;
  int *right;  // right child; -1 for leaves
  int *item;   // of a leaf; -1 for inner nodes
};

// Median splits of the centres [count >= 1] along the longest axis of their box, ties by number.  Boxes are left
// undefined.  Owned by arena.  DC_MEMORY.
enum dc_status dc_box_tree_create(struct dc_box_tree *tree, int count, const double (*centers)[3],
                                  struct dc_arena *arena, struct dc_error *error);
// Inner boxes from those of the leaves.
void dc_box_tree_refit(struct dc_box_tree *tree);

// Visits the leaves (items i of a and j of b) whose boxes are within `margin` of each other along every axis, in a
// fixed order; of a tree and itself every two different items once.  Ends with the first result that is not 0, and
// returns it.
typedef int dc_box_visit(void *context, int i, int j);
// Like dc_box_tree_pairs of a tree and itself, without the pairs of leaves whose union's box among `ways` [node_count],
// those of another tree of the same nodes, has a diagonal shorter than `least`.
int dc_box_tree_own_pairs(const struct dc_box_tree *tree, const struct dc_box *ways, double least, double margin,
                          dc_box_visit *visit, void *context);
int dc_box_tree_pairs(const struct dc_box_tree *a, const struct dc_box_tree *b, double margin, dc_box_visit *visit,
                      void *context);

#endif
