// SPDX-License-Identifier: Apache-2.0
// The baseline for smooth manifolds (paper 001, V-3): contacts of bodies made of convex hulls, computed pair by pair as
// in physics engines.  GJK and EPA (geometry/convex) yield the nearest points or the depth.  Of the two faces nearest
// to that direction, one is clipped by the sides of the other (Sutherland and Hodgman 1974); four corners of about the
// largest area are kept.  Nothing is smoothed or remembered.
#ifndef BENCH_HULL_MANIFOLD_H
#define BENCH_HULL_MANIFOLD_H

#include "body/kinematics.h"
#include "geometry/convex/witness_epa.h"
#include "geometry/implicit/sdf.h"

enum { DC_HULL_POINTS = 4, DC_HULL_VERTICES_OF_PAPER = 31 };  // MJX wants fewer than 32 vertices

// In the frame of its body, m.  Face f has the corners first[f] to first[f + 1] - 1, counter-clockwise seen from
// outside; triangles in one plane are one face.
struct dc_bench_hull {
  int vertex_count, face_count;
  const double (*vertices)[3];  // [vertex_count]
  const int *first, *corners;   // [face_count + 1], [first[face_count]] indices of vertices
  double (*normals)[3];         // [face_count] unit, outward
  double center[3], radius;     // of a ball around the hull
};

struct dc_hull_contact {
  double point[3];   // world, m, half way between the hulls
  double distance;   // m, negative: depth
  double normal[3];  // world, unit, from the first hull to the second
};

// Vertices and faces of the convex hull of points [count], m, which must have few enough corners to be clipped (64).
// Arrays are owned by arena.  Statuses of dc_hull; DC_BAD_INPUT: more corners.
enum dc_status dc_bench_make_hull(const double (*points)[3], int count, struct dc_arena *arena,
                                  struct dc_bench_hull *hull, struct dc_error *error);
// A hull for every child of a union, of a mesh of at most DC_HULL_VERTICES_OF_PAPER vertices: hulls [child_count], in
// the union's frame, owned by arena.  Statuses of dc_sdf_mesh and dc_bench_make_hull.
enum dc_status dc_bench_make_hulls(const struct dc_sdf *sdf, struct dc_arena *arena, struct dc_bench_hull *hulls,
                                   struct dc_error *error);

// epa is the memory that EPA works in; it holds nothing between calls.  Poses are those of the bodies.

// The distance of two hulls, m, negative: depth; the unit normal from the first to the second and the nearest points,
// world.
double dc_bench_hull_distance(struct dc_epa *epa, const struct dc_bench_hull *a, const struct dc_pose *pose_a,
                              const struct dc_bench_hull *b, const struct dc_pose *pose_b, double normal[3],
                              double points[2][3]);
// The contacts of two hulls, also of hulls that are apart.  Returns how many, 1 to DC_HULL_POINTS.
int dc_bench_hull_contacts(struct dc_epa *epa, const struct dc_bench_hull *a, const struct dc_pose *pose_a,
                           const struct dc_bench_hull *b, const struct dc_pose *pose_b,
                           struct dc_hull_contact contacts[DC_HULL_POINTS]);
// The contacts of two bodies, hulls a [count_a] and b [count_b]: of all pairs of hulls, or, with near, of those whose
// balls meet.  contacts has room for DC_HULL_POINTS of every pair.  Returns how many.
int dc_bench_hulls_contacts(struct dc_epa *epa, const struct dc_bench_hull *a, int count_a,
                            const struct dc_bench_hull *b, int count_b, const struct dc_pose poses[2], bool near,
                            struct dc_hull_contact *contacts);

#endif
