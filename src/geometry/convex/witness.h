// SPDX-License-Identifier: Apache-2.0
// Witness points of two solids: their nearest points when apart, the ends of the shortest translation that separates
// them when they overlap (paper 002, section III; Gilbert, Johnson, Keerthi 1988; van den Bergen 2001).
#ifndef DC_GEOMETRY_WITNESS_H
#define DC_GEOMETRY_WITNESS_H

#include "geometry/convex/solid.h"

struct dc_witness {
  double point[2][3];  // world, m: on the first and on the second solid
  double normal[3];    // unit, from the first to the second: point[1] - point[0] = distance normal
  double distance;     // m; negative: depth
  int part[2];         // which convex parts they are on
};

// Workspace of queries about two solids (about 50 kB, and 150 bytes per pair of parts).  It remembers where the last
// query ended, which makes the next one faster; the answer is the same to rounding, except that of parallel faces any
// of the nearest points may be returned (docs/theory.md, "Witness points").  The same sequence of queries gives the
// same bits.  Solids are kept by reference.  One thread at a time.  NULL: out of memory.
struct dc_witness_search;
struct dc_witness_search *dc_witness_search_create(const struct dc_solid *first, const struct dc_solid *second);
// The same, sharing the 50 kB of `other` (NULL: its own), for many searches of one thread.  Only one of those that
// share may be asked at a time, and `other` must be destroyed last.
struct dc_witness_search *dc_witness_search_create_beside(const struct dc_solid *first, const struct dc_solid *second,
                                                          struct dc_witness_search *other);
void dc_witness_search_destroy(struct dc_witness_search *search);  // NULL is allowed
// Forgets what earlier queries left, so that results depend on nothing before.
void dc_witness_search_reset(struct dc_witness_search *search);
// Pairs of farthest vertices that queries have looked up so far: what bounds their work.
long dc_witness_search_supports(const struct dc_witness_search *search);

// Solids that are unions of convex parts: the answer is that of the pair of parts with the least signed distance, the
// first of several that are equal to rounding.  This is exact when the solids are apart; in overlap it is the deepest
// pair of parts (paper 002, section V-A).  Never fails: where EPA runs out of room or stops making progress, the best
// bound found is returned, a translation that separates, with points near the surfaces.  Rotations must be orthogonal
// to rounding, numbers finite.  No allocation.
void dc_witness_query(struct dc_witness_search *search, const struct dc_placement *first,
                      const struct dc_placement *second, struct dc_witness *witness);

#endif
