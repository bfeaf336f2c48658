// SPDX-License-Identifier: Apache-2.0
// Binary trees of axis-aligned boxes: built once over centres by medians along the longest axis, refitted when items
// move, and walked in pairs by a stack of nodes.
//
// A walk descends the larger of two nodes and passes pairs of items to a visitor, in an order that depends on the trees
// only.
#include "geometry/bounding/box_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STACK = 256 };  // trees have a depth of at most 31

// An item with its centre's coordinate along the axis of the current split, m.
struct keyed {
  double key;
  int item;
};

// Ties go by the item's number, so that the tree does not depend on how qsort() treats equal keys.
static int compare(const void *p, const void *q)
{
  const struct keyed *a = p, *b = q;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->item < b->item ? -1 : a->item > b->item;
}

// The axis along which centres are spread widest: halves along it overlap least.
static int longest_axis(const struct keyed *items, int count, const double (*centers)[3])
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  int axis = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], centers[items[i].item][k]);
      high[k] = fmax(high[k], centers[items[i].item][k]);
    }
  for (int k = 1; k < 3; k++)
    if (high[k] - low[k] > high[axis] - low[axis])
      axis = k;
  return axis;
}

// Builds the node over items [count] at index `node`; returns the index behind its nodes.
static int build(struct dc_box_tree *tree, struct keyed *items, int count, const double (*centers)[3], int node)
{
  tree->right[node] = tree->item[node] = -1;
  if (count == 1) {
    tree->item[node] = items[0].item;
    return node + 1;
  }
  int axis = longest_axis(items, count, centers), half = count / 2;
  for (int i = 0; i < count; i++)
    items[i].key = centers[items[i].item][axis];
  qsort(items, (size_t)count, sizeof *items, compare);
  tree->right[node] = build(tree, items, half, centers, node + 1);
  return build(tree, items + half, count - half, centers, tree->right[node]);
}

// Builds a binary tree over items by their centres, stored in depth-first order: the left child follows its parent.
enum dc_status dc_box_tree_create(struct dc_box_tree *tree, int count, const double (*centers)[3],
                                  struct dc_arena *arena, struct dc_error *error)
{
  size_t nodes = 2 * (size_t)count - 1;
  struct keyed *items = dc_alloc((size_t)count, sizeof *items);
  tree->node_count = (int)nodes;
  tree->boxes = dc_arena_alloc(arena, nodes, sizeof *tree->boxes);
  tree->right = dc_arena_alloc(arena, nodes, sizeof *tree->right);
  tree->item = dc_arena_alloc(arena, nodes, sizeof *tree->item);
  bool complete = items && tree->boxes && tree->right && tree->item;
  for (int i = 0; i < count && complete; i++)
    items[i].item = i;
  if (complete)
    build(tree, items, count, centers, 0);
  free(items);
  return complete ? DC_OK : dc_out_of_memory_for(error, "a tree of boxes");
}

// Boxes of leaves are set by the caller; from the last node to the first, children come before their parents.
void dc_box_tree_refit(struct dc_box_tree *tree)
{
  for (int i = tree->node_count - 1; i >= 0; i--) {
    if (tree->right[i] < 0)
      continue;
    const struct dc_box *left = &tree->boxes[i + 1], *right = &tree->boxes[tree->right[i]];
    for (int k = 0; k < 3; k++) {
      tree->boxes[i].low[k] = left->low[k] < right->low[k] ? left->low[k] : right->low[k];
      tree->boxes[i].high[k] = left->high[k] > right->high[k] ? left->high[k] : right->high[k];
    }
  }
}

// Whether two boxes, one of them grown by the margin (m) on all sides, overlap.  Comparisons are written so that a
// coordinate that is not a number yields false.
static bool within(const struct dc_box *a, const struct dc_box *b, double margin)
{
  for (int k = 0; k < 3; k++)
    if (!(a->low[k] <= b->high[k] + margin && b->low[k] <= a->high[k] + margin))
      return false;
  return true;
}

// The longest side, m: the node of the larger box is divided first, so that both boxes of a pair shrink alike.
static double size(const struct dc_box *box)
{
  double most = 0;
  for (int k = 0; k < 3; k++)
    most = fmax(most, box->high[k] - box->low[k]);
  return most;
}

// Replaces the larger of two nodes, or a node paired with itself by its two halves and their pair, by children; returns
// the new top of the stack.
static int push_children(const struct dc_box_tree *a, int i, const struct dc_box_tree *b, int j, int (*stack)[2],
                         int top)
{
  if (a == b && i == j) {
    const int pairs[3][2] = {{a->right[i], a->right[i]}, {i + 1, i + 1}, {i + 1, a->right[i]}};
    for (int k = 0; k < 3; k++, top++)
      stack[top][0] = pairs[k][0], stack[top][1] = pairs[k][1];
    return top;
  }
  bool first = b->right[j] < 0 || (a->right[i] >= 0 && size(&a->boxes[i]) >= size(&b->boxes[j]));
  stack[top][0] = first ? a->right[i] : i;
  stack[top][1] = first ? j : b->right[j];
  stack[top + 1][0] = first ? i + 1 : i;
  stack[top + 1][1] = first ? j : j + 1;
  return top + 2;
}

// Squared diagonal of the box around two boxes.
static double squared_extent(const struct dc_box *a, const struct dc_box *b)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double low = a->low[k] < b->low[k] ? a->low[k] : b->low[k],
           high = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    sum += (high - low) * (high - low);
  }
  return sum;
}

// Walks pairs of nodes within the margin.  Pairs that have moved by less than `least` relative to each other are left
// out, unless ways is NULL.
static int walk(const struct dc_box_tree *a, const struct dc_box_tree *b, double margin, const struct dc_box *ways,
                double least, dc_box_visit *visit, void *context)
{
  int stack[STACK][2] = {{0, 0}}, top = 1, status = 0;
  while (top && !status) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    bool leaf = a->right[i] < 0 && b->right[j] < 0;
    if ((leaf && a == b && i == j) || !within(&a->boxes[i], &b->boxes[j], margin) ||
        (ways && squared_extent(&ways[i], &ways[j]) < least * least))
      continue;
    if (leaf)
      status = visit(context, a->item[i], b->item[j]);
    else
      top = push_children(a, i, b, j, stack, top);
  }
  return status;
}

// All pairs of items of two trees whose boxes are within the margin.
int dc_box_tree_pairs(const struct dc_box_tree *a, const struct dc_box_tree *b, double margin, dc_box_visit *visit,
                      void *context)
{
  return walk(a, b, margin, NULL, 0, visit, context);
}

// Without a least length the ways are not looked at.
int dc_box_tree_own_pairs(const struct dc_box_tree *tree, const struct dc_box *ways, double least, double margin,
                          dc_box_visit *visit, void *context)
{
  return walk(tree, tree, margin, least > 0 ? ways : NULL, least, visit, context);
}
