// SPDX-License-Identifier: Apache-2.0
// Inside the queries of witness points: the point of the surface of A - B nearest to the origin, which it holds.
#ifndef DC_GEOMETRY_WITNESS_EPA_H
#define DC_GEOMETRY_WITNESS_EPA_H

#include "geometry/convex/witness_gjk.h"

enum { DC_EPA_POINTS = 256, DC_EPA_FACES = 2 * DC_EPA_POINTS - 4 };

struct dc_epa_face {
  double normal[3];            // unit, outwards; 0 for a face without area
  double offset;               // of its plane from the origin, m; INFINITY: not to be looked at
  int corner[3], neighbor[3];  // neighbor[k] is behind the edge from corner k to the next
  bool used, seen;
};

// A polyhedron within A - B.
struct dc_epa {
  int point_count, face_count;  // faces in use and free
  struct dc_difference_point points[DC_EPA_POINTS];
  struct dc_epa_face faces[DC_EPA_FACES];
  int horizon[3 * DC_EPA_POINTS][2];  // edges around the faces that a point sees: face behind, and its edge
  int horizon_count, vacant_count;
  int vacant[DC_EPA_FACES];  // faces that are not used
};

struct dc_penetration {
  int face_count, face[3][2];  // 3 (0: none): the corners of the nearest face
  double normal[3], depth;     // unit, outwards; depth may be below 0 by rounding
  struct dc_simplex simplex;   // corners and weights of the nearest face's point at depth normal; w is of no use
};

// Van den Bergen 2001, from the points of simplex on, which hold the origin to rounding, and from those in guess [3],
// the face found before (NULL: none).  Adds the supports that it took to *supports.
void dc_epa(struct dc_epa *epa, struct dc_difference *difference, const struct dc_simplex *simplex,
            const struct dc_difference_point *guess, struct dc_penetration *penetration, long *supports);

#endif
