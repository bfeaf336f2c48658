// SPDX-License-Identifier: Apache-2.0
// Vertices that a design moves as one.
#ifndef DC_DESIGN_CONNECT_H
#define DC_DESIGN_CONNECT_H

#include "base/memory.h"
#include "geometry/shapes/shape.h"

// Which vertices of different parts in one place are connected: none; all; or only those that are no corners of their
// parts, such as the common vertices of linked parts (shape "hulls", "link").
enum dc_connect { DC_CONNECT_NONE, DC_CONNECT_WELD, DC_CONNECT_LINK };

// Lists groups of vertices of a shape's parts that move as one, without those whose first vertex is held.  Group g is
// members[first[g]] ... members[first[g + 1] - 1], in rising order; owned by arena.  DC_BAD_INPUT, naming connect, when
// nothing is linked; DC_MEMORY.
enum dc_status dc_connect_vertices(const struct dc_shape *shape, const double (*vertices)[3], enum dc_connect connect,
                                   double tolerance, const bool *held, struct dc_arena *arena, int *group_count,
                                   const int **first, const int **members, struct dc_error *error);

// Number of pieces of a shape when only those parts hold together that have at least `least` vertices in common.  -1:
// out of memory.
int dc_connect_pieces(const struct dc_shape *shape, int group_count, const int *first, const int *members, int least);

#endif
