// SPDX-License-Identifier: Apache-2.0
// Whether two moving surfaces meet anywhere on the way between recorded poses: a judge of what dcsim promises, which
// shares no code with it.
//
// Between two states a free body's centre of mass moves linearly and its axes turn at a constant rate, the shorter way;
// the coordinates of joints move linearly.  Where that crosses something a free body that turns by at most 1 rad may
// have turned about an axis that stands still, at most its radius away, and gone along it instead.  SI units; rotations
// are row-major 3x3 matrices from the body's axes to the world's.
#ifndef DC_TESTS_SOAK_CROSSING_H
#define DC_TESTS_SOAK_CROSSING_H

#include <stdbool.h>

// A sphere around some triangles of a surface.
struct crossing_node {
  double centre[3], radius;
  int child;  // of two that follow each other; -1: a leaf
  int triangle;
};

// A closed surface about the centre of mass of its body.  The caller owns vertices and triangles, crossing_mesh_prepare
// makes the nodes.
struct crossing_mesh {
  int vertex_count, triangle_count;
  double (*vertices)[3];
  int (*triangles)[3];
  struct crossing_node *nodes;
  bool half_space;  // z <= 0 of its frame instead of a surface
  // Of a soft body, at the beginning and the end of a motion [vertex_count]: vertices go on straight lines; NULL:
  // rigid.
  const double (*from)[3], (*to)[3];
};

struct crossing_pose {
  double position[3], rotation[9];
};

struct crossing_joint {
  bool slide;                 // else a hinge
  double axis[3], anchor[3];  // in the world, where all coordinates are zero
};

// Joints that carry a body, the outermost first.
struct crossing_chain {
  int joint_count;
  const struct crossing_joint *joints;
  struct crossing_pose rest;  // where all coordinates are zero
};

// The motion from one state (s = 0) to the next (s = 1).  For a point at arm r |x''(s)| <= bend + rate^2 |r|.
struct crossing_motion {
  struct crossing_pose start;
  double move[3], turn[3];
  const struct crossing_chain *chain;  // NULL: free
  const double *from, *to;             // [joint_count] of the chain
  bool helix;
  double axis[3];  // of a helix: the place on it that is nearest to the start
  double bend, rate;
};

enum crossing_verdict { CROSSING_CLEAR, CROSSING_UNDECIDED, CROSSING_FOUND };

struct crossing_result {
  enum crossing_verdict verdict;
  double at;     // s of what was found
  double depth;  // m, of the two triangles at that moment
};

// Makes the tree of spheres; false when memory is out.  Free mesh->nodes with free().
bool crossing_mesh_prepare(struct crossing_mesh *mesh);

// The motion of a free body from pose a to pose b given by position and quaternion (w, x, y, z), [7] each.
struct crossing_motion crossing_free_motion(const double *a, const double *b);
// Makes a free body of that radius go to the same end about an axis; false where it does already or may not.
bool crossing_wind(struct crossing_motion *motion, double radius);
struct crossing_motion crossing_chain_motion(const struct crossing_chain *chain, const double *from, const double *to);
void crossing_pose_at(const struct crossing_motion *motion, double s, struct crossing_pose *pose);
// The pose that position and quaternion say, [7].
struct crossing_pose crossing_pose_of(const double *numbers);

// Triangles of one mesh that share a vertex may touch: a and b may be the same soft mesh.
// Surfaces that move less than the tolerance, m, in a stretch of time in which they are neither surely apart nor surely
// crossing leave the pair undecided.
struct crossing_result crossing_between(const struct crossing_mesh *a, const struct crossing_motion *move_a,
                                        const struct crossing_mesh *b, const struct crossing_motion *move_b,
                                        double tolerance);

#endif
