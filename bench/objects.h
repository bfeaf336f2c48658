// SPDX-License-Identifier: Apache-2.0
// Objects made at random and tasks of witness points between pairs of them: what the refinement is measured with, in
// place of the scanned objects of paper 002, section V-A (docs/theory.md, "Refinement").
#ifndef BENCH_OBJECTS_H
#define BENCH_OBJECTS_H

#include <stdint.h>

#include "geometry/convex/solid.h"

enum dc_bench_set {
  DC_BENCH_CONVEX,   // hulls of 30 to 210 vertices: dented ellipsoids, superquadrics, groups of cylinders and boxes
  DC_BENCH_HARD,     // boxes, prisms, pyramids, plates, hulls of 8 to 40 points
  DC_BENCH_CONCAVE,  // unions: rings, cups, groups of boxes, clusters of superquadrics
  DC_BENCH_SETS
};
const char *dc_bench_set_name(int set);  // "convex", "hard", "concave"

// Makes the object of that seed, as dc_shape_build would: a union of convex parts, its bounding box about the origin
// with a diagonal of clip(0.2 u, 0.01, 0.2) m, u uniform in [0, 1).  The same seed gives the same bits.  Owned by
// arena.  DC_MEMORY; DC_NUMERICAL when no object of the set came of many draws.
enum dc_status dc_bench_object(int set, uint64_t seed, struct dc_arena *arena, struct dc_shape *shape,
                               struct dc_error *error);

enum dc_witness_task_type { DC_TASK_FACE_VERTEX, DC_TASK_VERTEX_FACE, DC_TASK_VERTEX_VERTEX, DC_TASK_TYPES };

// The first object stays at the identity, the second begins at a pose; their witness points should come to the targets.
struct dc_witness_task {
  int type;                           // enum dc_witness_task_type: what the targets are on
  int object[2];                      // two different ones
  double target[2][3];                // each in its object's frame, m
  double normal[2][3];                // outward at the targets: a face's, or the area-weighted mean around a vertex
  double position[3], quaternion[4];  // where the second begins: N(0, 0.1^2) m, uniform rotation
  struct dc_placement touching;       // of the second: the targets face each other with opposed normals
  double off;                         // m: how far off the witness points are there, sum of both
};

enum { DC_BENCH_OBJECTS = 256 };

struct dc_witness_tasks_settings {
  int set, count;
  uint64_t seed;
  double gap;             // m: between the targets where they face each other
  double slack;           // a pair of targets is taken when off is at most this, m,
  double relative_slack;  // and, unless this is 0, at most this times the smaller object's size
};
// 1000 convex tasks of seed 1; gap 0, slack 1e-2 and relative slack 0: paper 002, section V-A.  A slack of centimetres
// lets targets through that small concave objects cannot reach; one of a thousandth of their size does not.
void dc_witness_tasks_settings_default(struct dc_witness_tasks_settings *settings);

struct dc_witness_tasks {
  const struct dc_shape *shapes;  // [DC_BENCH_OBJECTS]
  const struct dc_solid *solids;  // [DC_BENCH_OBJECTS]
  int count;
  const struct dc_witness_task *tasks;  // [count]: the first of a longer set with the same settings
  long drawn;                           // pairs of targets drawn for them
};

// Owned by arena.  DC_MEMORY; DC_NUMERICAL when no pair of targets was taken for a task after very many draws.
enum dc_status dc_witness_tasks_create(const struct dc_witness_tasks_settings *settings, struct dc_arena *arena,
                                       struct dc_witness_tasks *tasks, struct dc_error *error);

#endif
