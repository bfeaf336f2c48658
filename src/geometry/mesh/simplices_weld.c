// SPDX-License-Identifier: Apache-2.0
// Joins the pieces of a mesh of simplices: nodes at the same place become one, by their order along the axes, and of
// elements with the same corners, which pieces repeat of their neighbours, one is kept.
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/simplices_read.h"

// A node by its place, with its index in the order of the file.
struct placed {
  double place[3];
  size_t index;
};

// Lexicographic by place; of equal places the node that comes first in the file stands first.
static int compare_placed(const void *p, const void *q)
{
  const struct placed *a = p, *b = q;
  for (int k = 0; k < 3; k++)
    if (a->place[k] != b->place[k])
      return a->place[k] < b->place[k] ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

// An element by its corners, which are sorted, with its index.
struct cornered {
  int64_t corners[4];
  size_t index;
};

// By corners in rising order: the same element may be written from another corner on.
static int compare_corners(const struct cornered *a, const struct cornered *b)
{
  for (int k = 0; k < 4; k++)
    if (a->corners[k] != b->corners[k])
      return a->corners[k] < b->corners[k] ? -1 : 1;
  return 0;
}

// Equal elements keep the order of the file; the first of them is the one that stays.
static int compare_cornered(const void *p, const void *q)
{
  const struct cornered *a = p, *b = q;
  int order = compare_corners(a, b);
  return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

// Insertion of four numbers; -1 of corners that an element has not comes first.
static void sort_corners(int64_t corners[4])
{
  for (int i = 1; i < 4; i++)
    for (int j = i; j > 0 && corners[j] < corners[j - 1]; j--) {
      int64_t swapped = corners[j];
      corners[j] = corners[j - 1];
      corners[j - 1] = swapped;
    }
}

// first [nodes]: the index of the first node at each node's place.
static void find_first(const struct dc_simplices_parts *parts, struct placed *sorted, size_t *first)
{
  for (size_t i = 0; i < parts->node_count; i++) {
    memcpy(sorted[i].place, parts->nodes[i], sizeof sorted[i].place);
    sorted[i].index = i;
  }
  qsort(sorted, parts->node_count, sizeof *sorted, compare_placed);
  for (size_t i = 0; i < parts->node_count; i++) {
    bool same = i > 0;
    for (int k = 0; k < 3 && same; k++)
      same = sorted[i].place[k] == sorted[i - 1].place[k];
    first[sorted[i].index] = same ? first[sorted[i - 1].index] : sorted[i].index;
  }
}

// Elements with first nodes; those that are the same as one before are marked in `again`.
static void find_again(struct dc_simplices_parts *parts, const size_t *first, struct cornered *sorted, bool *again)
{
  for (size_t e = 0; e < parts->element_count; e++) {
    for (int k = 0; k < parts->corners; k++)
      parts->elements[e][k] = (int64_t)first[parts->elements[e][k]];
    memcpy(sorted[e].corners, parts->elements[e], sizeof sorted[e].corners);
    sort_corners(sorted[e].corners);
    sorted[e].index = e;
  }
  qsort(sorted, parts->element_count, sizeof *sorted, compare_cornered);
  for (size_t e = 1; e < parts->element_count; e++)
    again[sorted[e].index] = compare_corners(&sorted[e], &sorted[e - 1]) == 0;
}

// Numbers of nodes must be their indices.
enum dc_status dc_parts_weld(struct dc_simplices_parts *parts)
{
  struct placed *places = dc_alloc(parts->node_count, sizeof *places);
  struct cornered *corners = dc_alloc(parts->element_count, sizeof *corners);
  size_t *first = dc_alloc(parts->node_count, sizeof *first), nodes = 0, elements = 0;
  bool *again = dc_alloc(parts->element_count, sizeof *again);
  enum dc_status status = places && corners && first && again ? DC_OK : DC_MEMORY;
  if (!status) {
    find_first(parts, places, first);
    find_again(parts, first, corners, again);
    for (size_t i = 0; i < parts->node_count; i++)
      if (first[i] == i) {
        memmove(parts->nodes[nodes], parts->nodes[i], sizeof *parts->nodes);
        parts->numbers[nodes++] = parts->numbers[i];
      }
    for (size_t e = 0; e < parts->element_count; e++)
      if (!again[e])
        memmove(parts->elements[elements++], parts->elements[e], sizeof *parts->elements);
    parts->node_count = nodes;
    parts->element_count = elements;
  }
  free(places);
  free(corners);
  free(first);
  free(again);
  return status;
}
