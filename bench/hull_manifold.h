// SPDX-License-Identifier: Apache-2.0
// What smooth manifolds are measured against (paper 001, V-3): contact points of two bodies made of convex hulls as engines
// find them, pair of hulls by pair of hulls: the nearest points or the depth by GJK and EPA (geometry/convex), the faces that
// are nearest to that direction, one clipped by the sides of the other (Sutherland and Hodgman 1974), and of the polygon that
// is left four corners of about the largest area.  Nothing is smoothed, nothing remembered.
#ifndef BENCH_HULL_MANIFOLD_H
#define BENCH_HULL_MANIFOLD_H

#include "body/kinematics.h"
#include "geometry/convex/witness_epa.h"
#include "geometry/implicit/sdf.h"

enum { DC_HULL_POINTS = 4, DC_HULL_VERTICES_OF_PAPER = 31 };  // MJX wants fewer than 32 vertices

struct dc_bench_hull {
  int vertex_count, face_count;
  const double (*vertices)[3];  // in the body's frame, m
  const int *first,
      *corners;  // [face_count + 1]; of each face counter-clockwise from outside; coplanar triangles are one
  double (*normals)[3], center[3], radius;  // of faces; of a ball that holds it
};

struct dc_hull_contact {
  double point[3], distance, normal[3];  // world, m; half way between the hulls; unit, from the first to the second
};

// Faces of the convex hull of points [count].  Arrays are owned by arena.  Statuses of dc_hull.
enum dc_status dc_bench_make_hull(const double (*points)[3], int count, struct dc_arena *arena,
                                  struct dc_bench_hull *hull, struct dc_error *error);
// Of every child of a union, hulls of their meshes: hulls [children].
enum dc_status dc_bench_make_hulls(const struct dc_sdf *sdf, struct dc_arena *arena, struct dc_bench_hull *hulls,
                                   struct dc_error *error);
// Distance of two hulls (negative: depth), unit normal from the first to the second and nearest points, world.
double dc_bench_hull_distance(struct dc_epa *epa, const struct dc_bench_hull *a, const struct dc_pose *pose_a,
                              const struct dc_bench_hull *b, const struct dc_pose *pose_b, double normal[3],
                              double points[2][3]);
// One to four contacts; their number.
int dc_bench_hull_contacts(struct dc_epa *epa, const struct dc_bench_hull *a, const struct dc_pose *pose_a,
                           const struct dc_bench_hull *b, const struct dc_pose *pose_b,
                           struct dc_hull_contact contacts[DC_HULL_POINTS]);
// Of all pairs of hulls of two bodies, or, near, of those whose balls meet: contacts [4 count_a count_b]; their number.
int dc_bench_hulls_contacts(struct dc_epa *epa, const struct dc_bench_hull *a, int count_a,
                            const struct dc_bench_hull *b, int count_b, const struct dc_pose poses[2], bool near,
                            struct dc_hull_contact *contacts);

#endif
