// SPDX-License-Identifier: Apache-2.0
// Smooth signed distances: phi(x) < 0 inside a body, 0 on its surface, > 0 outside (paper 001, IV.B; docs/theory.md,
// "Contact manifolds").
//
// A signed distance is a tree of nodes.  A leaf has a formula of its own, `union` and `difference` blend those of their
// children, and every node has a place in the frame of its parent.  Of each kind two functions are enough: the value
// with its gradient g, and the derivative of
//     F = v phi(x) + u.g(x)
// by x, by the node's numbers and by its place, for any v and u.  From the latter come Hessians (u = e_k) and every
// derivative that contact points, distances and normals need.
#ifndef DC_GEOMETRY_SDF_H
#define DC_GEOMETRY_SDF_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"

struct dc_sdf;

// Derivatives of F by a node's numbers, then by its place (turn of its axes about its origin, its origin; both in the
// axes of its parent), then the same of its children, one after the other: dc_sdf_parameter_count of them.
struct dc_sdf_type {
  const char *name;
  bool twice_differentiable;
  // phi at x of the node's own frame, and its gradient.
  double (*value)(const struct dc_sdf *sdf, const double x[3], double gradient[3]);
  // Adds dF/dx, and to parameters (NULL: not wanted) those by numbers and by what belongs to the children.
  void (*pull_back)(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                    double *parameters);
  // Radius of a ball about the origin that contains the inside.
  double (*radius)(const struct dc_sdf *sdf);
};

extern const struct dc_sdf_type dc_sdf_superquadric, dc_sdf_polyhedron, dc_sdf_points, dc_sdf_capsule, dc_sdf_cone,
    dc_sdf_union, dc_sdf_difference;
extern const struct dc_sdf_type *const dc_sdf_types[];  // NULL-terminated

enum { DC_SDF_POINT = 7 };             // numbers of a point of a cloud
enum { DC_SDF_CHILDREN_MOST = 1024 };  // of a union or difference

struct dc_sdf {
  const struct dc_sdf_type *type;
  double position[3], rotation[9];  // of its frame in that of its parent, m
  // Numbers by kind.  Superquadric: half-axes a, b, c (m), exponents e1, e2.  Polyhedron: smoothing (m), then unit
  // normal and offset of each plane, n.x <= o.  Points: position (m), unit normal and range h (m) of each.  Capsule:
  // radius, half the length of its axis, along z (m).  Cone: radii below and above (0: a tip; equal: a cylinder), half
  // the height, along z (m).  Union, difference: smoothing (m).
  double *numbers;
  int number_count;
  int child_count;  // of a difference the first one loses what the others have
  struct dc_sdf *children;
  double reach;  // polyhedron: radius of the ball that holds it, m
};

double dc_sdf_value(const struct dc_sdf *sdf, const double x[3], double gradient[3]);
void dc_sdf_pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters);
// Second derivatives, row by row.  Where the type is not twice differentiable, those on one side.
void dc_sdf_hessian(const struct dc_sdf *sdf, const double x[3], double hessian[9]);
// Moves x onto the level set of this value (m) by eight Newton steps along the gradient.  Where a step meets a gradient
// of 0 x becomes no number.
void dc_sdf_project(const struct dc_sdf *sdf, double level, double x[3]);
// Where a point of that level set is moved to when the parameters change: adds to parameters the derivatives of by.x
// (docs/theory.md, "Contact manifolds", "Shapes").
void dc_sdf_project_pull_back(const struct dc_sdf *sdf, const double x[3], const double by[3], double *parameters);
// Radius of a ball about the origin of the parent's frame that holds the inside, m; INFINITY for a half-space.
double dc_sdf_radius(const struct dc_sdf *sdf);
int dc_sdf_parameter_count(const struct dc_sdf *sdf);
// Where parameter i of the numbers is kept, NULL for those of places.
double *dc_sdf_number(struct dc_sdf *sdf, int parameter);

// Unit normal from a gradient, g/sqrt(|g|^2 + DC_SDF_NORMAL), smooth where the gradient vanishes; and the derivative of
// c.n by g, added to by_gradient.
#define DC_SDF_NORMAL 1e-6
void dc_sdf_normal(const double gradient[3], double normal[3]);
void dc_sdf_normal_pull_back(const double gradient[3], const double c[3], double by_gradient[3]);

// Makers: nodes at the origin, their memory owned by arena; NULL when out of memory.
struct dc_sdf *dc_sdf_make(const struct dc_sdf_type *type, int number_count, int child_count, struct dc_arena *arena);
struct dc_sdf *dc_sdf_make_superquadric(const double axes[3], double e1, double e2, struct dc_arena *arena);
// Radius of the smallest ball about its centre that holds a superquadric of these numbers.
double dc_superquadric_radius(const double numbers[5]);
// A box of these half-lengths, blended over the smoothing.
struct dc_sdf *dc_sdf_make_box(const double half[3], double smoothing, struct dc_arena *arena);
// z <= 0, exact.
struct dc_sdf *dc_sdf_make_half_space(struct dc_arena *arena);
// From the faces of a convex mesh, those in one plane once; grown so that the mesh's corners lie on its level set where
// three planes meet.  DC_BAD_INPUT with the reason when the mesh is not convex.
struct dc_mesh;
enum dc_status dc_sdf_from_mesh(const struct dc_mesh *mesh, double smoothing, struct dc_arena *arena,
                                struct dc_sdf **sdf, struct dc_error *error);
// Signed distance of points [count][3] with unit normals [count][3]; ranges are 1.5 times the mean distance to the six
// nearest points.
struct dc_sdf *dc_sdf_make_points(int count, const double (*places)[3], const double (*normals)[3],
                                  struct dc_arena *arena);

// A closed mesh of the level set from a lattice of cells^3 cubes around it, simplified to at most so many triangles (0:
// all), whose vertices lie at -inset (m).  DC_BAD_INPUT: no inside, no end; DC_MEMORY.  Arrays are owned by arena.
enum dc_status dc_sdf_mesh(const struct dc_sdf *sdf, int cells, int triangle_count, double inset,
                           struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error);

// Smooth extremum of values y with softness t > 0 and its weights: sign 1 is the largest, t log sum exp(y/t), -1 the
// least.  weights [count] are its derivatives by y.
double dc_soft_extremum(int count, const double *y, double sign, double softness, double *weights);

#endif
