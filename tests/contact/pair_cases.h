// SPDX-License-Identifier: Apache-2.0
// Triangle pairs in named positions, for the tests of the pair kernels.
#ifndef DC_TESTS_PAIR_CASES_H
#define DC_TESTS_PAIR_CASES_H

#include "base/random.h"
#include "contact/kernels/lane_kernels.h"
#include "math/rotation.h"
#include "math/vector.h"

enum position {
  VERTEX_FACE,
  VERTEX_VERTEX,
  EDGE_EDGE,
  EDGE_FACE,
  PARALLEL_EDGES,
  NEARLY_PARALLEL_EDGES,
  PARALLEL_FACES,
  MIRRORED_FACES,
  COPLANAR,
  POSITIONS
};

static const char *const position_names[] = {"vertex-face",    "vertex-vertex",  "edge-edge",
                                             "edge-face",      "parallel edges", "nearly parallel edges",
                                             "parallel faces", "mirrored faces", "coplanar"};

struct pair_case {
  enum position position;
  double gap;     // relative to the size of a
  double aspect;  // of slivers, 1 for none
  double ratio;   // size of triangle b, a has about 1
  double scale;   // of everything, the potential's length included
  double arm;     // distance of the triangles from c_a, in sizes
  bool turned;    // by a random rotation; otherwise the parallel cases are exactly parallel
};

static inline double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

static inline void random_rotation(struct dc_random *random, double matrix[9])
{
  double q[4];
  for (int i = 0; i < 4; i++)
    q[i] = dc_random_normal(random);
  dc_rotation_normalize(q);
  dc_rotation_matrix(matrix, q);
}

static inline void set(double *x, double a, double b, double c)
{
  x[0] = a, x[1] = b, x[2] = c;
}

// The contact is at the origin, a above z = gap / 2, b below -gap / 2.
static inline void place(struct dc_random *random, enum position position, double gap, double aspect, double x[6][3])
{
  double h = 0.5 * gap, c = between(random, 0.2, 0.8), angle = between(random, 0.3, 1.5);
  double up[2] = {h + between(random, 0.3, 1), h + between(random, 0.3, 1)};
  double down[2] = {-h - between(random, 0.3, 1), -h - between(random, 0.3, 1)};
  double side = between(random, -0.5, 0.5), width = aspect * between(random, 0.4, 0.8);
  switch (position) {
  case VERTEX_FACE:
  case VERTEX_VERTEX:
    set(x[0], 0, 0, h);
    set(x[1], 0.5 + 0.3 * side, 0.4, up[0]);
    set(x[2], 0.5 + 0.3 * side - width * c, 0.4 + width * side, up[0] + width * (up[1] - h));
    break;
  case EDGE_EDGE:
  case EDGE_FACE:
  case PARALLEL_EDGES:
  case NEARLY_PARALLEL_EDGES:
    set(x[0], -c, 0, h);
    set(x[1], 1 - c, 0, h);
    set(x[2], side, width * (0.6 + side), h + width * (up[0] - h));
    break;
  default:
    set(x[0], -c, -0.3 * aspect, h);
    set(x[1], 1 - c, -0.2 * aspect, h);
    set(x[2], side, 0.4 * aspect + width, h);
  }
  if (position == VERTEX_VERTEX) {
    set(x[3], 0, 0, -h);
    set(x[4], -0.6, side, down[0]);
    set(x[5], -0.6 + width * c, side - width, down[0] + width * (down[1] + h));
  } else if (position == EDGE_EDGE || position == PARALLEL_EDGES || position == NEARLY_PARALLEL_EDGES) {
    double turn = position == EDGE_EDGE ? angle : position == PARALLEL_EDGES ? 0 : 1e-5 * angle;
    set(x[3], -0.5 * cos(turn), -0.5 * sin(turn), -h);
    set(x[4], 0.6 * cos(turn), 0.6 * sin(turn), -h);
    set(x[5], 0.2 * side, width * (side - 0.2), -h + width * (down[0] + h));
  } else if (position == MIRRORED_FACES) {
    for (int v = 0; v < 3; v++)
      set(x[3 + v], x[v][0], x[v][1], -h);
  } else {
    set(x[3], -0.6, -0.5 * aspect, -h);
    set(x[4], 0.7, -0.4 * aspect + 0.1 * side * aspect, -h);
    set(x[5], 0.3 * side, width, -h);
  }
  if (position == COPLANAR) {  // a's lower edge beside b's upper one, both along the first axis
    set(x[0], -c, 0, h), set(x[1], 1 - c, 0, h), set(x[2], side, 0, h + width);
    set(x[3], -0.6, 0, -h), set(x[4], 0.5, 0, -h), set(x[5], 0.3 * side, 0, -h - width);
  }
}

// Vertices relative to c_a.
static inline void make_case(struct dc_random *random, const struct pair_case *c, double vertices[6][3])
{
  double x[6][3], matrix[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, direction[3], offset[3];
  place(random, c->position, c->gap, c->aspect, x);
  for (int v = 3; v < 6; v++) {
    double z = x[v][2] + 0.5 * c->gap;
    set(x[v], x[v][0] * c->ratio, x[v][1] * c->ratio, z * c->ratio - 0.5 * c->gap);
  }
  if (c->turned)
    random_rotation(random, matrix);
  for (int k = 0; k < 3; k++)
    direction[k] = dc_random_normal(random);
  dc_vec_scale(offset, direction, c->arm / dc_vec_norm(direction));
  for (int v = 0; v < 6; v++) {
    dc_mat_apply(vertices[v], matrix, x[v]);
    for (int k = 0; k < 3; k++)
      vertices[v][k] = c->scale * (vertices[v][k] + offset[k]);
  }
}

// An empty batch whose body b has some pose, the same in every call.
static inline void start_batch(struct dc_triangle_batch *batch, double length)
{
  struct dc_random random;
  dc_random_seed(&random, 77);
  memset(batch, 0, sizeof *batch);
  random_rotation(&random, batch->rotation_b);
  set(batch->arm, 0.7 * length, -0.4 * length, 1.1 * length);
  batch->length = length;
}

static inline void set_lane(struct dc_triangle_batch *batch, int lane, const double x[6][3])
{
  for (int i = 0; i < 18; i++)
    batch->vertices[i][lane] = x[i / 3][i % 3];
  batch->weight[lane] = 1;
}

// Plane of a lane in world axes about c_a (the inverse of what the batch stores: n.(x + arm) + d in the axes of b).
static inline void world_plane(const struct dc_triangle_batch *batch, int lane, double plane[4])
{
  double n[3] = {batch->plane[0][lane], batch->plane[1][lane], batch->plane[2][lane]};
  dc_mat_apply(plane, batch->rotation_b, n);
  plane[3] = batch->plane[3][lane] + dc_vec_dot(plane, batch->arm);
}

static inline void remember_plane(struct dc_triangle_batch *batch, int lane, const double plane[4])
{
  double n[3];
  dc_mat_apply_transposed(n, batch->rotation_b, plane);
  for (int k = 0; k < 3; k++)
    batch->plane[k][lane] = n[k];
  batch->plane[3][lane] = plane[3] - dc_vec_dot(plane, batch->arm);
}

// Turns the whole scene by matrix about c_a: vertices, frame b and arm; remembered planes are in b's frame and stay.
static inline void turn_scene(struct dc_triangle_batch *batch, const double matrix[9])
{
  double turned[9], v[3];
  dc_mat_multiply(turned, matrix, batch->rotation_b);
  memcpy(batch->rotation_b, turned, sizeof turned);
  dc_mat_apply(v, matrix, batch->arm);
  dc_vec_copy(batch->arm, v);
  for (int lane = 0; lane < DC_BATCH; lane++)
    for (int i = 0; i < 18; i += 3) {
      double x[3] = {batch->vertices[i][lane], batch->vertices[i + 1][lane], batch->vertices[i + 2][lane]};
      dc_mat_apply(v, matrix, x);
      for (int k = 0; k < 3; k++)
        batch->vertices[i + k][lane] = v[k];
    }
}

#endif
