// SPDX-License-Identifier: Apache-2.0
// Witness points of two solids: their nearest points when apart, the ends of the shortest translation that separates
// them when they overlap (paper 002, section III; Gilbert, Johnson, Keerthi 1988; van den Bergen 2001).
#ifndef DC_GEOMETRY_WITNESS_H
#define DC_GEOMETRY_WITNESS_H

#include "geometry/solid.h"

struct dc_witness {
  double point[2][3];  // world, m: on the first and on the second solid
  double normal[3];    // unit, from the first to the second: point[1] - point[0] = distance normal
  double distance;     // m; negative: depth
  int part[2];         // which convex parts they are on
};

// What a query remembers for the next one of the same two solids, and room to work in (about 50 kB, and 150 bytes per
// pair of parts).  Where it starts changes the time only: what is unique of an answer is the same to rounding
// (docs/theory.md, "Witness points": of parallel sides any of the nearest points is returned), and the same history
// gives the same bits.  Solids are kept by reference; NULL when out of memory.  For one thread at a time.
struct dc_witness_search;
struct dc_witness_search *dc_witness_search_create(const struct dc_solid *first, const struct dc_solid *second);
// The same with the 50 kB of other that it works in, where there are many: other is destroyed later, and only one of all
// that share them is asked at a time.  NULL: its own.
struct dc_witness_search *dc_witness_search_create_beside(const struct dc_solid *first, const struct dc_solid *second,
                                                          struct dc_witness_search *other);
void dc_witness_search_destroy(struct dc_witness_search *search);  // NULL is allowed
// Forgets what earlier queries left, so that results depend on nothing before.
void dc_witness_search_reset(struct dc_witness_search *search);
// Pairs of farthest vertices that queries have looked up so far: what bounds their work.
long dc_witness_search_supports(const struct dc_witness_search *search);

// Of two unions the pair of parts with the least signed distance counts, the earliest of those equal to rounding: exact
// when they are apart, in overlap the deepest pair of parts (paper 002, section V-A).  Never fails: where EPA runs out
// of room or of progress the best bound found is returned, a translation that separates, with points near the surfaces.
// Rotations are orthogonal to rounding, numbers finite.  No allocation.
void dc_witness_query(struct dc_witness_search *search, const struct dc_placement *first,
                      const struct dc_placement *second, struct dc_witness *witness);

#endif
