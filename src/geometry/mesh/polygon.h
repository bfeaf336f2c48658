// SPDX-License-Identifier: Apache-2.0
// Polygons of mesh files as triangles.
#ifndef DC_GEOMETRY_POLYGON_H
#define DC_GEOMETRY_POLYGON_H

#include <stdbool.h>

enum dc_polygon_result { DC_POLYGON_CUT, DC_POLYGON_CROSSES, DC_POLYGON_NO_MEMORY };

// Cuts a polygon of points [count][3], count >= 3, into triangles [count - 2][3] of indices into points, which go round
// as the polygon does.  Convex polygons become fans from their first corner.  Together the triangles cover the polygon
// once, as seen along its normal, concave or not, with corners on straight edges or not.  DC_POLYGON_CROSSES: its
// border crosses itself there, and the triangles are a fan that does not cover it once.
enum dc_polygon_result dc_polygon_cut(const double (*points)[3], int count, int (*triangles)[3]);

#endif
