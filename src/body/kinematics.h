// SPDX-License-Identifier: Apache-2.0
// From tangent vectors to twists of frames and back: J, J^T and J^T H J plus the derivative of J.
//
// The chart of a frame at a pose is that of contact: x -> c + exp([w]x)(x - c) + t.  Column k of a body is the twist
// (a_k; v_k) of its frame per unit of degree of freedom k of its chain.  To second order, for k outside of l in the
// chain (or k = l),
//     d2w / dk dl = (a_k x a_l)/2,   d2t / dk dl = a_k x v_l,
// and within a ball, whose chart is exponential itself, d2w = 0 and d2t = (a_k x v_l + a_l x v_k)/2 (docs/theory.md,
// "Joints").  A free body's chart is its frame's: J = I, no second derivative.
#ifndef DC_BODY_KINEMATICS_H
#define DC_BODY_KINEMATICS_H

#include "body/body.h"
#include "math/linear_solver.h"

// One degree of freedom in the world: a rotation about the direction through the anchor, or a translation along it.
struct dc_axis {
  double direction[3], anchor[3];
  bool turns;
};

struct dc_kinematics {
  struct dc_pose *poses;  // [bodies]
  struct dc_axis *axes;   // [nv]
  double (*columns)[6];   // [column_count]; not used by free bodies
};

// Computes poses and columns at q.  dc_kinematics_create sizes the arrays, which arena owns.
enum dc_status dc_kinematics_create(const struct dc_bodies *bodies, struct dc_arena *arena,
                                    struct dc_kinematics *kinematics, struct dc_error *error);
void dc_kinematics_update(const struct dc_bodies *bodies, const double *q, struct dc_kinematics *kinematics);

// The axes [nv] of a body's own joint at q, from the body's pose there.
void dc_joint_axes(const struct dc_body *body, const double *q, const struct dc_pose *pose, struct dc_axis *axes);

// twists [bodies][6] = J tangent; zeros for bodies that never move.
void dc_twists(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, const double *tangent,
               double (*twists)[6]);
// gradient [nv] += J^T wrenches, wrenches [bodies][6] for the twists of the frames.
void dc_pull_back(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, const double (*wrenches)[6],
                  double *gradient);
// The same for a wrench on one body.
void dc_pull_back_body(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, int body,
                       const double wrench[6], double *gradient);
// bound += |J|^T magnitude, absolute values of all entries: bounds of rounding errors.
void dc_pull_back_magnitude(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, int body,
                            const double magnitude[6], double *bound);

// sum [nv] += the second derivative of the frames, contracted with wrenches [bodies][6], times a tangent [nv].
void dc_add_curvature(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics,
                      const double (*wrenches)[6], const double *tangent, double *sum);

// Assembles Hessians in the tangent space from blocks in the charts of the frames.  The blocks of the matrix are the
// mechanisms, in order.
struct dc_assembler;
struct dc_assembler *dc_assembler_create(const struct dc_bodies *bodies, struct dc_arena *arena);  // NULL: no memory
// matrix += scale * (J_a^T block J_b + transpose) for two different bodies that move; block [6][6], rows a.
void dc_assemble_pair(struct dc_assembler *assembler, const struct dc_kinematics *kinematics, int a, int b,
                      double scale, const double *block, struct dc_symmetric_matrix *matrix);
// The same of a symmetric block that shifts alone meet, [3][3].
void dc_assemble_shifts(struct dc_assembler *assembler, const struct dc_kinematics *kinematics, int a, int b,
                        double scale, const double (*block)[3], struct dc_symmetric_matrix *matrix);
// matrix += sum over bodies of J^T blocks J, and with wrenches (the total gradient by the frames) the second
// derivative of the frames contracted with them; wrenches NULL: without.  blocks [bodies][36].
void dc_assemble_bodies(struct dc_assembler *assembler, const struct dc_kinematics *kinematics,
                        const double (*blocks)[36], const double (*wrenches)[6], struct dc_symmetric_matrix *matrix);
// matrix += the 6x3 block [6][3] of a body's twist and a node, the block `node` of the matrix, and its mirror image.
void dc_assemble_node(struct dc_assembler *assembler, const struct dc_kinematics *kinematics, int body, int node,
                      const double (*block)[3], struct dc_symmetric_matrix *matrix);
// matrix += value at the degrees of freedom v of body and w of another, and at its mirror image.  Their mechanisms
// are the same or in the pattern of the matrix.
void dc_assemble_coordinates(struct dc_assembler *assembler, int body, int v, int other, int w, double value,
                             struct dc_symmetric_matrix *matrix);
// matrix += block [n][n] at n degrees of freedom of one joint, v the first.
void dc_assemble_joint(struct dc_assembler *assembler, int body, int v, int n, const double *block,
                       struct dc_symmetric_matrix *matrix);

#endif
