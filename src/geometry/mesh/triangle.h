// SPDX-License-Identifier: Apache-2.0
// Two triangles.
#ifndef DC_GEOMETRY_TRIANGLE_H
#define DC_GEOMETRY_TRIANGLE_H

// The largest gap between triangles a and b [3 vertices][3] along a unit axis of the separating-axis test (2
// normals, 9 edge crosses, 6 in-plane edge normals, centroids), m; normal [3] is that axis, from b to a.  Positive
// exactly when the triangles are disjoint, then at most their distance; negative: by how much they overlap.  The search
// ends at the first axis whose gap is more than `enough`, m, which is often the first one tried, and returns that gap;
// INFINITY: all axes are tried.
double dc_triangle_separation(const double (*a)[3], const double (*b)[3], double enough, double normal[3]);

#endif
