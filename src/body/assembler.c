// SPDX-License-Identifier: Apache-2.0
// Assembles Hessians in generalized coordinates from blocks of frames: J_a^T B J_b for pairs of bodies, and for single
// bodies the second derivative of the frames as well.
//
// The column of a degree of freedom is its twist (body/kinematics.h).  Products run over the chains of both bodies,
// from the column of one to B times the columns of the other.  A free body that is a mechanism of its own has J = I, so
// that its block is added as it is.
#include <string.h>

#include "body/kinematics.h"
#include "math/vector.h"

// A free body that is a mechanism of its own is a block of 6 in its frame's chart; other mechanisms are assembled in a
// buffer first.
struct dc_assembler {
  const struct dc_bodies *bodies;
  double *buffer;   // [largest nv][largest nv]
  double *product;  // [largest nv][6]
  int *places;      // [largest nv] the body's coordinates, counted within its mechanism
};

struct dc_assembler *dc_assembler_create(const struct dc_bodies *bodies, struct dc_arena *arena)
{
  struct dc_assembler *assembler = dc_arena_alloc(arena, 1, sizeof *assembler);
  size_t most = 6;  // its square also holds the three columns of a node
  for (int m = 0; m < bodies->mechanism_count; m++)
    if ((size_t)bodies->mechanisms[m].nv > most)
      most = (size_t)bodies->mechanisms[m].nv;
  if (!assembler)
    return NULL;
  assembler->bodies = bodies;
  assembler->buffer = dc_arena_alloc(arena, most * most, sizeof *assembler->buffer);
  assembler->product = dc_arena_alloc(arena, most * 6, sizeof *assembler->product);
  assembler->places = dc_arena_alloc(arena, most, sizeof *assembler->places);
  return assembler->buffer && assembler->product && assembler->places ? assembler : NULL;
}

// Whether a body is free and alone in its mechanism.
static bool alone(const struct dc_bodies *bodies, const struct dc_body *body)
{
  return body->free && bodies->mechanisms[body->mechanism].nv == 6;
}

// Column c of a body's Jacobian.  Free bodies have unit vectors, in the order of their chain.
static const double *column(const struct dc_kinematics *kinematics, const struct dc_body *body, int c)
{
  static const double unit[6][6] = {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0},
                                    {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}};
  return body->free ? unit[body->chain[c] - body->v_offset] : kinematics->columns[body->first_column + c];
}

// The product of two vectors [6], angular part first: of a twist and a wrench it is a power.
static double dot6(const double *a, const double *b)
{
  return dc_vec_dot(a, b) + dc_vec_dot(a + 3, b + 3);
}

// product [chain_count of a][6]: row c is column c of J_a, transposed, times block: sums of rows, which vectorize
static void multiply_columns(struct dc_assembler *assembler, const struct dc_kinematics *kinematics,
                             const struct dc_body *a, const double *block)
{
  for (int c = 0; c < a->chain_count; c++) {
    const double *j = column(kinematics, a, c);
    double sum[6];
    for (int k = 0; k < 6; k++)
      sum[k] = j[0] * block[k] + j[1] * block[6 + k] + j[2] * block[12 + k] + j[3] * block[18 + k] +
               j[4] * block[24 + k] + j[5] * block[30 + k];
    memcpy(assembler->product + 6 * c, sum, sizeof sum);
  }
}

// Adds J_a^T B J_b of two bodies, B a 6x6 block by their twists, to the block of their mechanisms.  Within one
// mechanism its transpose is added too.
void dc_assemble_pair(struct dc_assembler *assembler, const struct dc_kinematics *kinematics, int a, int b,
                      double scale, const double *block, struct dc_symmetric_matrix *matrix)
{
  const struct dc_bodies *bodies = assembler->bodies;
  const struct dc_body *first = &bodies->bodies[a], *second = &bodies->bodies[b];
  if (alone(bodies, first) && alone(bodies, second)) {
    dc_symmetric_add_block(matrix, first->mechanism, second->mechanism, scale, block, 6);
    return;
  }
  int rows = bodies->mechanisms[first->mechanism].v_offset, columns = bodies->mechanisms[second->mechanism].v_offset;
  multiply_columns(assembler, kinematics, first, block);
  for (int i = 0; i < first->chain_count; i++)
    for (int k = 0; k < second->chain_count; k++)
      assembler->buffer[i * second->chain_count + k] =
          scale * dot6(assembler->product + 6 * i, column(kinematics, second, k));
  for (int k = 0; k < second->chain_count; k++)
    assembler->places[k] = second->chain[k] - columns;
  for (int i = 0; i < first->chain_count; i++)
    dc_symmetric_add_row(matrix, first->mechanism, first->chain[i] - rows, second->mechanism, second->chain_count,
                         assembler->places, assembler->buffer + i * second->chain_count);
}

// The same for a block [3][3] that acts on translations of both frames only; its other 27 numbers are zero.
void dc_assemble_shifts(struct dc_assembler *assembler, const struct dc_kinematics *kinematics, int a, int b,
                        double scale, const double (*block)[3], struct dc_symmetric_matrix *matrix)
{
  const struct dc_body *first = &assembler->bodies->bodies[a], *second = &assembler->bodies->bodies[b];
  if (alone(assembler->bodies, first) && alone(assembler->bodies, second)) {
    dc_symmetric_add_corner(matrix, first->mechanism, second->mechanism, scale, block);
    return;
  }
  double whole[6][6] = {{0}};
  for (int i = 0; i < 3; i++)
    memcpy(whole[3 + i] + 3, block[i], sizeof block[i]);
  dc_assemble_pair(assembler, kinematics, a, b, scale, &whole[0][0], matrix);
}

// Adds J^T B between a body and a node, B [6][3]: rows by the body's twist, columns by the node's displacement.
void dc_assemble_node(struct dc_assembler *assembler, const struct dc_kinematics *kinematics, int body, int node,
                      const double (*block)[3], struct dc_symmetric_matrix *matrix)
{
  const struct dc_body *rigid = &assembler->bodies->bodies[body];
  const struct dc_mechanism *mechanism = &assembler->bodies->mechanisms[rigid->mechanism];
  memset(assembler->buffer, 0, 3 * (size_t)mechanism->nv * sizeof *assembler->buffer);
  for (int c = 0; c < rigid->chain_count; c++) {
    const double *j = column(kinematics, rigid, c);
    double *row = assembler->buffer + 3 * (size_t)(rigid->chain[c] - mechanism->v_offset);
    for (int k = 0; k < 6; k++)
      dc_vec_add_scaled(row, row, j[k], block[k]);
  }
  dc_symmetric_add_block(matrix, rigid->mechanism, node, 1, assembler->buffer, 3);
}

// Second derivative d2/(dk dl) of the frame, contracted with the wrench g = (g_w; g_t), for columns k = (a_k; v_k)
// and l.  For k outside of l in the chain, or k = l: g_w.(a_k x a_l)/2 + g_t.(a_k x v_l), as the outer rotation
// carries the inner column with it.  Within a ball, whose exponential is symmetric to second order: g_t.(a_k x v_l +
// a_l x v_k)/2.  Formulas: docs/theory.md, "Joints".
static double curvature(const double *k, const double *l, bool same_ball, const double *g)
{
  double w[3], t[3], u[3];
  dc_vec_cross(t, k, l + 3);
  if (same_ball) {
    dc_vec_cross(u, l, k + 3);
    dc_vec_add(t, t, u);
    return 0.5 * dc_vec_dot(g + 3, t);
  }
  dc_vec_cross(w, k, l);
  return 0.5 * dc_vec_dot(g, w) + dc_vec_dot(g + 3, t);
}

// Adds the part of a Hessian that comes from the curvature of the frames under wrenches, times a tangent.
void dc_add_curvature(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics,
                      const double (*wrenches)[6], const double *tangent, double *sum)
{
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    if (!dc_body_moves(body) || body->free)
      continue;
    for (int i = 0; i < body->chain_count; i++)
      for (int j = i; j < body->chain_count; j++) {
        int k = body->chain[i], l = body->chain[j];
        double value = curvature(column(kinematics, body, i), column(kinematics, body, j),
                                 bodies->part_of[k] == bodies->part_of[l], wrenches[b]);
        sum[k] += value * tangent[l];
        if (k != l)
          sum[l] += value * tangent[k];
      }
  }
}

// Fills buffer [chain_count][chain_count] with J^T block J and the second derivative, and places with its rows.
static void expand_body(struct dc_assembler *assembler, const struct dc_kinematics *kinematics,
                        const struct dc_body *body, const double *block, const double *wrench)
{
  const struct dc_bodies *bodies = assembler->bodies;
  int count = body->chain_count;
  multiply_columns(assembler, kinematics, body, block);
  for (int i = 0; i < count; i++) {
    const double *k = column(kinematics, body, i);
    assembler->places[i] = body->chain[i] - bodies->mechanisms[body->mechanism].v_offset;
    for (int j = i; j < count; j++) {
      const double *l = column(kinematics, body, j);
      double value = dot6(assembler->product + 6 * i, l);
      if (wrench && !body->free)
        value += curvature(k, l, bodies->part_of[body->chain[i]] == bodies->part_of[body->chain[j]], wrench);
      assembler->buffer[i * count + j] = assembler->buffer[j * count + i] = value;
    }
  }
}

// J^T B J and, with wrenches, the curvature of the frames.  A body alone in its mechanism has its frame's chart as
// coordinates: its block is added as it is, and its frame has no second derivative.
void dc_assemble_bodies(struct dc_assembler *assembler, const struct dc_kinematics *kinematics,
                        const double (*blocks)[36], const double (*wrenches)[6], struct dc_symmetric_matrix *matrix)
{
  const struct dc_bodies *bodies = assembler->bodies;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (!dc_body_moves(body))
      continue;
    if (alone(bodies, body)) {
      dc_symmetric_add_block(matrix, body->mechanism, body->mechanism, 1, blocks[i], 6);
      continue;
    }
    expand_body(assembler, kinematics, body, blocks[i], wrenches ? wrenches[i] : NULL);
    dc_symmetric_add_places(matrix, body->mechanism, body->chain_count, assembler->places, assembler->buffer);
  }
}

// The block is one in coordinates of the joint already, such as a spring's stiffness, so that no Jacobian is needed.
void dc_assemble_joint(struct dc_assembler *assembler, int body, int v, int n, const double *block,
                       struct dc_symmetric_matrix *matrix)
{
  const struct dc_bodies *bodies = assembler->bodies;
  int index = bodies->bodies[body].mechanism;
  for (int i = 0; i < n; i++)
    assembler->places[i] = v - bodies->mechanisms[index].v_offset + i;
  dc_symmetric_add_places(matrix, index, n, assembler->places, block);
}

// Adds one number at (v, w), and at (w, v) too, through a buffer of the whole block: couplings and drives are few.
void dc_assemble_coordinates(struct dc_assembler *assembler, int body, int v, int other, int w, double value,
                             struct dc_symmetric_matrix *matrix)
{
  const struct dc_bodies *bodies = assembler->bodies;
  int rows = bodies->bodies[body].mechanism, columns = bodies->bodies[other].mechanism;
  int height = bodies->mechanisms[rows].nv, stride = bodies->mechanisms[columns].nv;
  int row = v - bodies->mechanisms[rows].v_offset, column = w - bodies->mechanisms[columns].v_offset;
  memset(assembler->buffer, 0, (size_t)height * (size_t)stride * sizeof *assembler->buffer);
  assembler->buffer[row * stride + column] = value;
  if (rows == columns)
    assembler->buffer[column * stride + row] = value;
  dc_symmetric_add_block(matrix, rows, columns, 1, assembler->buffer, stride);
}
