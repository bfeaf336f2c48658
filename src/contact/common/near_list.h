// SPDX-License-Identifier: Apache-2.0
// The near list of a pair of bodies: which triangles are close, how far apart they are at least, which planes stand
// between them.
//
// A model of contact hands one over with every evaluation of a pair, for as long as the next evaluation leaves it.
// Collision detection, bounds on motions and the set-up of friction read this list and nothing else of a model.  A
// model that knows no triangles leaves it empty, and a model that knows only the closest two lists those.
#ifndef DC_CONTACT_NEAR_LIST_H
#define DC_CONTACT_NEAR_LIST_H

#include <stddef.h>
#include <stdint.h>

// Triangles i of the first body and j of the second, and the blend that they are weighted by (0: none).  code tells
// where the descent of two sphere trees finds them: the roots have 1, the node pairs below c have 2 c and 2 c + 1.
struct dc_term {
  uint64_t code;
  int i, j, blend;
};

// Nodes (i, j) of two sphere trees, and the blend that they are weighted by (0: none).
struct dc_node_term {
  int i, j, blend;
};

struct dc_near_list {
  size_t count;
  const struct dc_term *terms;  // [count] by rising code
  const double *gaps;           // [count] lower bounds of the distances of the triangles, m
  const double (*planes)[4];  // [count] separating planes in the axes of the second body's frame, (n, o) with |n| = 1;
                              // normal 0: none.  NULL: no term has one
  const double *energies;  // [count] potentials P of the terms by themselves, from which the gap at rest 12/S follows;
                           // NULL: the model has no such potential
  double beyond;           // lower bound of the distance of triangles that are not listed, m; 0: nothing is known of it
  int columns;             // all pairs of triangles are listed, row by row, so many in a row; 0: they are not
  size_t blend_count;      // of the arrays below; blend 0 is none and has weight 1
  const struct dc_node_term *blends;  // [blend_count] nodes of each blend, and the one above
  const double *weights;              // [blend_count] part in [0, 1] that terms below a blend count with
};

// Index of the first of `count` terms whose code is not below a given one.
static inline size_t dc_first_term(const struct dc_term *terms, size_t count, uint64_t code)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (terms[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The plane of triangles (i, j), which the descent of the trees finds at a code; NULL: they are not listed.
static inline const double *dc_near_plane(const struct dc_near_list *near, int i, int j, uint64_t code)
{
  if (!near->planes)
    return NULL;
  if (near->columns)
    return near->planes[(size_t)i * (size_t)near->columns + (size_t)j];
  size_t t = dc_first_term(near->terms, near->count, code);
  return t < near->count && near->terms[t].code == code ? near->planes[t] : NULL;
}

// The plane of term t; NULL: the model keeps none.
static inline const double *dc_near_plane_of(const struct dc_near_list *near, size_t t)
{
  return near->planes ? near->planes[t] : NULL;
}

#endif
