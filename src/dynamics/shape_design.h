// SPDX-License-Identifier: Apache-2.0
// Shapes and places as parameters (docs/theory.md, "Shapes as parameters"; paper 003, VI).
//
// Frames stay at the centres of mass and the forward code stays as it is: other shapes mean another model, of the same
// topology.  A rollout makes it when its input asks for it.  What may change: the vertices of the convex parts of the
// bodies' shapes, each body for itself, and where bodies are attached.  Mass, inertia, centre of mass, anchors and
// places at rest follow.
#ifndef DC_DYNAMICS_SHAPE_DESIGN_H
#define DC_DYNAMICS_SHAPE_DESIGN_H

#include "dynamics/model.h"

// Part of the input of a rollout; in its cotangent the derivatives by the same numbers.
struct dc_shape_design {
  int bodies;
  const int *first;       // [bodies + 1]: vertices of body i are first[i] ... first[i + 1] - 1
  double (*vertices)[3];  // [first[bodies]] those of the parts of a body's shape, part after part, in its frame, m
  // [bodies] m, by which a body's shape frame at rest and the anchors of its joint, with all that hangs on it, are
  // shifted from the model's place: in the axes of the parent's frame, without parent in those of the world
  double (*offsets)[3];
  // Derivatives by body, in cotangents only and while an adjoint is under way; zeros otherwise.
  double *mass;         // by the mass
  double (*moment)[9];  // by the second moment about the centre, symmetric
  double (*center)[3];  // by the centre of mass in the shape's frame, vertices about it and children in their places
};

// Zeros; NULL: out of memory.
struct dc_shape_design *dc_shape_design_create(const struct dc_model *model);
void dc_shape_design_destroy(struct dc_shape_design *design);
// The model's own vertices, offsets zero.
void dc_shape_design_reset(const struct dc_model *model, struct dc_shape_design *design);
void dc_shape_design_clear(struct dc_shape_design *design);
// Vertices and offsets, between designs of one model.
void dc_shape_design_copy(struct dc_shape_design *to, const struct dc_shape_design *from);
bool dc_shape_design_is_zero(const struct dc_shape_design *design);
bool dc_shape_design_equal(const struct dc_shape_design *a, const struct dc_shape_design *b);

// The model with other shapes and places; what does not change is shared.  Shapes without a change keep their bits.
// Owned by arena.  Statuses of dc_shape_with_vertices and dc_model_create.
enum dc_status dc_model_redesign(const struct dc_model *base, const struct dc_shape_design *design,
                                 struct dc_arena *arena, struct dc_model *model, struct dc_error *error);

// From derivatives by mass, moment and centre of the bodies of a model, which become zeros, to those by its vertices.
void dc_shape_pull_back_mass(const struct dc_model *model, struct dc_shape_design *cotangent);

#endif
