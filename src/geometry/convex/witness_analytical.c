// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of witness points on convex polyhedra: how the witness point of a solid follows the point nearest
// to it.
#include "geometry/convex/constants.h"
#include "geometry/convex/witness_local.h"
#include "math/vector.h"

// A convex polyhedron meets the plane of a face only in this face, so that the faces at a point are those on whose
// planes it lies.  Their normals span a line on a face (also one of several triangles), a plane on an edge, and space
// at a vertex.  For a point whose normal cone is that of the feature,
//
//     dx/dy = 1 - n n^T on a face with normal n,   t t^T on an edge along t,   0 at a vertex.
void dc_witness_follow_exactly(const struct dc_solid *solid, const struct dc_witness_local *local, double follow[9])
{
  const struct dc_convex *part = &solid->parts[local->part];
  double tolerance = DC_FACE_TOUCHING * solid->size, highest = -INFINITY, first[3] = {0}, top[3] = {0}, edge[3] = {0};
  int rank = 0;
  for (int t = 0; t < part->triangle_count && rank < 3; t++) {
    const double *a = part->vertices[part->triangles[t][0]];
    double ab[3], ac[3], ap[3], n[3], turned[3];
    dc_vec_sub(ab, part->vertices[part->triangles[t][1]], a);
    dc_vec_sub(ac, part->vertices[part->triangles[t][2]], a);
    dc_vec_sub(ap, local->own, a);
    dc_vec_cross(n, ab, ac);
    double product = dc_vec_dot(n, ap), square = dc_vec_dot(n, n);
    if (rank > 0 && product < 0 && product * product > tolerance * tolerance * square)
      continue;
    double length = sqrt(square), height = product / length;
    dc_vec_scale(n, n, 1 / length);
    if (height > highest) {
      highest = height;
      dc_vec_copy(top, n);
    }
    if (height < -tolerance)
      continue;
    if (rank == 0) {
      dc_vec_copy(first, n);
      rank = 1;
    } else if (rank == 1) {
      dc_vec_cross(turned, first, n);
      double sine = dc_vec_norm(turned);
      if (sine > DC_FACES_COPLANAR) {
        dc_vec_scale(edge, turned, 1 / sine);
        rank = 2;
      }
    } else if (fabs(dc_vec_dot(edge, n)) > DC_FACES_COPLANAR) {
      rank = 3;
    }
  }
  if (rank == 0) {  // below all planes by more than rounding: the part is convex only to its tolerance
    dc_vec_copy(first, top);
    rank = 1;
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      double identity = r == c;
      follow[3 * r + c] = rank == 1 ? identity - first[r] * first[c] : rank == 2 ? edge[r] * edge[c] : 0;
    }
}
