// SPDX-License-Identifier: Apache-2.0
// Another design of shapes makes another model (dc_model_redesign): attachments are shifted, shapes with moved vertices
// are made, masses follow volumes, and the model is built from the changed definition.  Backwards,
// dc_shape_pull_back_mass passes derivatives by mass, centre and second moment on to the vertices through the integrals
// of a solid or of points.
#include "dynamics/shape_design.h"

#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

// first [bodies + 1]: number of each body's first vertex among those of all; NULL: out of memory.
static int *list_first(const struct dc_model *model)
{
  int *first = dc_alloc((size_t)model->bodies.count + 1, sizeof *first);
  for (int i = 0; first && i < model->bodies.count; i++)
    first[i + 1] = first[i] + dc_shape_vertex_count(model->bodies.bodies[i].shape);
  return first;
}

// All arrays are zero: vertices [first[bodies]][3] in the axes of their shapes and offsets [bodies][3], both in m, are
// the design; mass, moment and center [bodies] are used by cotangents alone.
struct dc_shape_design *dc_shape_design_create(const struct dc_model *model)
{
  size_t bodies = (size_t)model->bodies.count;
  struct dc_shape_design *design = dc_alloc(1, sizeof *design);
  if (!design)
    return NULL;
  design->bodies = model->bodies.count;
  design->first = list_first(model);
  if (design->first)
    design->vertices = dc_alloc((size_t)design->first[bodies], sizeof *design->vertices);
  design->offsets = dc_alloc(bodies, sizeof *design->offsets);
  design->mass = dc_alloc(bodies, sizeof *design->mass);
  design->moment = dc_alloc(bodies, sizeof *design->moment);
  design->center = dc_alloc(bodies, sizeof *design->center);
  if (!design->vertices || !design->offsets || !design->mass || !design->moment || !design->center) {
    dc_shape_design_destroy(design);
    return NULL;
  }
  return design;
}

void dc_shape_design_destroy(struct dc_shape_design *design)
{
  if (!design)
    return;
  free((void *)design->first);
  free(design->vertices);
  free(design->offsets);
  free(design->mass);
  free(design->moment);
  free(design->center);
  free(design);
}

void dc_shape_design_clear(struct dc_shape_design *design)
{
  size_t bodies = (size_t)design->bodies;
  memset(design->vertices, 0, (size_t)design->first[bodies] * sizeof *design->vertices);
  memset(design->offsets, 0, bodies * sizeof *design->offsets);
  memset(design->mass, 0, bodies * sizeof *design->mass);
  memset(design->moment, 0, bodies * sizeof *design->moment);
  memset(design->center, 0, bodies * sizeof *design->center);
}

// The identical design: vertices where the model has them, no offset.
void dc_shape_design_reset(const struct dc_model *model, struct dc_shape_design *design)
{
  dc_shape_design_clear(design);
  for (int i = 0; i < design->bodies; i++)
    dc_shape_vertices(model->bodies.bodies[i].shape, design->vertices + design->first[i]);
}

void dc_shape_design_copy(struct dc_shape_design *to, const struct dc_shape_design *from)
{
  memcpy(to->vertices, from->vertices, (size_t)from->first[from->bodies] * sizeof *to->vertices);
  memcpy(to->offsets, from->offsets, (size_t)from->bodies * sizeof *to->offsets);
}

bool dc_shape_design_is_zero(const struct dc_shape_design *design)
{
  for (int v = 0; v < design->first[design->bodies]; v++)
    if (design->vertices[v][0] != 0 || design->vertices[v][1] != 0 || design->vertices[v][2] != 0)
      return false;
  for (int i = 0; i < design->bodies; i++)
    if (design->offsets[i][0] != 0 || design->offsets[i][1] != 0 || design->offsets[i][2] != 0)
      return false;
  return true;
}

// To the last bit: a design that differs by rounding still makes another model, so that results never depend on what
// was rolled out before.
bool dc_shape_design_equal(const struct dc_shape_design *a, const struct dc_shape_design *b)
{
  return memcmp(a->vertices, b->vertices, (size_t)a->first[a->bodies] * sizeof *a->vertices) == 0 &&
         memcmp(a->offsets, b->offsets, (size_t)a->bodies * sizeof *a->offsets) == 0;
}

// All that a redesign builds up before the model is made from it; all arrays are in the arena of the new model.
struct redesign {
  const struct dc_model *base;
  const struct dc_shape_design *design;
  struct dc_shape *shapes;  // the base's, then one for every body that has another
  int shape_count;
  struct dc_body_definition *definitions;
  double (*shifts)[3];  // [bodies] of the shape's frame at rest, in the world
};

static const double (*vertices_of(const struct redesign *r, int body))[3]
{
  return (const double(*)[3])(r->design->vertices + r->design->first[body]);
}

static size_t vertex_bytes(const struct redesign *r, int body)
{
  return (size_t)(r->design->first[body + 1] - r->design->first[body]) * sizeof *r->design->vertices;
}

// Whether no vertex has moved, to the last bit: such a body shares the base's shape.
static bool keeps_shape(const struct redesign *r, int body)
{
  const struct dc_shape *shape = r->base->bodies.bodies[body].shape;
  const double(*at)[3] = vertices_of(r, body);
  bool same = true;
  for (int p = 0; p < shape->part_count && same; p++) {
    same = memcmp(at, shape->parts[p].vertices, (size_t)shape->parts[p].vertex_count * sizeof *at) == 0;
    at += shape->parts[p].vertex_count;
  }
  return same;
}

// The shape of a body: that of an earlier body with the same shape and the same vertices, else one of its own, which
// pictures show.
static enum dc_status set_shape(struct redesign *r, int body, struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_body_definition *given = r->base->definition.bodies;
  if (given[body].shape < 0 || keeps_shape(r, body))
    return DC_OK;
  r->definitions[body].visual = -1;
  for (int i = 0; i < body; i++)
    if (given[i].shape == given[body].shape && r->definitions[i].shape != given[i].shape &&
        memcmp(vertices_of(r, i), vertices_of(r, body), vertex_bytes(r, body)) == 0) {
      r->definitions[body].shape = r->definitions[i].shape;
      return DC_OK;
    }
  r->definitions[body].shape = r->shape_count;
  bool surfaces = r->base->definition.contact_model->flags & DC_CONTACT_SURFACES;
  return (surfaces ? dc_shape_move_surface : dc_shape_with_vertices)(
      r->base->bodies.bodies[body].shape, vertices_of(r, body), arena, &r->shapes[r->shape_count++], error);
}

// Centre or inertia that a scene gives do not follow a shape either.
static bool mass_is_given(const struct dc_body_definition *definition)
{
  return definition->mass_model == DC_MASS_GIVEN || !isnan(definition->inertia[0]) ||
         !isnan(definition->center_of_mass[0]);
}

// The mass of a solid follows its volume; a given one stays with centre and inertia of the start.
static void set_mass(const struct redesign *r, int i)
{
  struct dc_body_definition *definition = &r->definitions[i];
  const struct dc_body *body = &r->base->bodies.bodies[i];
  if (definition->shape == r->base->definition.bodies[i].shape || !dc_body_moves(body))
    return;
  if (mass_is_given(definition)) {
    const double *s = body->second_moment, trace = s[0] + s[4] + s[8];
    const double inertia[6] = {trace - s[0], trace - s[4], trace - s[8], -s[1], -s[2], -s[5]};
    definition->density = NAN;
    definition->mass = body->mass;
    dc_vec_copy(definition->center_of_mass, body->center);
    memcpy(definition->inertia, inertia, sizeof inertia);
  } else if (definition->mass_model == DC_MASS_HULL && !isnan(definition->mass)) {
    definition->density = body->mass / body->shape->properties.volume;
    definition->mass = NAN;
  }
}

// The body stands shift (m) from where its scene puts it, with the anchors of its joints.
static enum dc_status shift_anchors(struct dc_body_definition *definition, const double shift[3],
                                    struct dc_arena *arena)
{
  size_t count = (size_t)definition->joint.count;
  struct dc_joint_definition *joints = dc_arena_alloc(arena, count, sizeof *joints);
  if (!joints)
    return DC_MEMORY;
  memcpy(joints, definition->joint.objects, count * sizeof *joints);
  for (size_t k = 0; k < count; k++)
    dc_vec_add(joints[k].anchor, joints[k].anchor, shift);  // NAN stays
  definition->joint.objects = joints;
  dc_vec_add(definition->position, definition->position, shift);
  dc_vec_add(definition->anchor, definition->anchor, shift);
  return DC_OK;
}

// Rotation of a body's frame at rest in the world.
static void rest_rotation(const struct dc_bodies *bodies, int body, double rotation[9])
{
  double quaternion[4] = {1, 0, 0, 0};
  for (; body >= 0; body = bodies->bodies[body].parent) {
    const struct dc_body *at = &bodies->bodies[body];
    dc_rotation_multiply(quaternion, at->free ? at->start.quaternion : at->rest_quaternion, quaternion);
  }
  dc_rotation_matrix(rotation, quaternion);
}

// Places that are given in the world move with all that is above them, those in the parent's frame by their own offset.
static enum dc_status set_place(struct redesign *r, int i, struct dc_arena *arena)
{
  struct dc_body_definition *definition = &r->definitions[i];
  int parent = definition->parent;
  double rotation[9], *shift = r->shifts[i];
  const double *offset = r->design->offsets[i];
  dc_vec_copy(shift, offset);
  if (parent >= 0) {
    rest_rotation(&r->base->bodies, parent, rotation);
    dc_mat_apply(shift, rotation, offset);
    dc_vec_add(shift, shift, r->shifts[parent]);
  }
  const double *by = definition->frame == DC_FRAME_PARENT ? offset : shift;
  bool none = by[0] == 0 && by[1] == 0 && by[2] == 0;
  return none ? DC_OK : shift_anchors(definition, by, arena);
}

// Cables that give no length keep that of the start without design.
static enum dc_status keep_lengths(struct redesign *r, struct dc_arena *arena)
{
  for (int c = 0; c < r->base->bodies.cable_count; c++) {
    const struct dc_cable *cable = &r->base->bodies.cables[c];
    struct dc_cable_definition *copy = dc_arena_alloc(arena, 1, sizeof *copy);
    if (!copy)
      return DC_MEMORY;
    *copy = *r->definitions[cable->body].cable;
    copy->length = cable->length;
    r->definitions[cable->body].cable = copy;
  }
  return DC_OK;
}

// Targets of a free body's actuator are displacements from where the scene puts it.
static void keep_targets(const struct dc_model *base, struct dc_model *model)
{
  for (int i = 0; i < base->bodies.count; i++)
    if (base->bodies.bodies[i].free)
      dc_vec_copy(model->bodies.initial_q + base->bodies.bodies[i].q_offset,
                  base->bodies.initial_q + base->bodies.bodies[i].q_offset);
}

// Makes the model of a design: places of joints and anchors first, in the order of the tree, then shapes and masses,
// then the model from the new definition.  Targets of actuators stay where they were.
enum dc_status dc_model_redesign(const struct dc_model *base, const struct dc_shape_design *design,
                                 struct dc_arena *arena, struct dc_model *model, struct dc_error *error)
{
  size_t bodies = (size_t)base->bodies.count, shapes = (size_t)base->definition.shape_count;
  struct dc_model_definition definition = base->definition;
  struct redesign r = {.base = base,
                       .design = design,
                       .shape_count = base->definition.shape_count,
                       .shapes = dc_arena_alloc(arena, shapes + bodies, sizeof *r.shapes),
                       .definitions = dc_arena_alloc(arena, bodies, sizeof *r.definitions),
                       .shifts = dc_arena_alloc(arena, bodies, sizeof *r.shifts)};
  enum dc_status status = r.shapes && r.definitions && r.shifts ? DC_OK : DC_MEMORY;
  if (!status && shapes)
    memcpy(r.shapes, base->definition.shapes, shapes * sizeof *r.shapes);
  if (!status && bodies)
    memcpy(r.definitions, base->definition.bodies, bodies * sizeof *r.definitions);
  for (int k = 0; k < base->bodies.count && !status; k++) {
    int i = base->bodies.order[k];
    status = set_place(&r, i, arena);
  }
  if (!status)
    status = keep_lengths(&r, arena);
  if (status)
    return dc_out_of_memory_for(error, "a design");
  for (int i = 0; i < base->bodies.count && !status; i++) {
    status = set_shape(&r, i, arena, error);
    set_mass(&r, i);
  }
  definition.shapes = r.shapes;
  definition.shape_count = r.shape_count;
  definition.bodies = r.definitions;
  if (!status)
    status = dc_model_create(model, &definition, arena, error);
  if (!status)
    keep_targets(base, model);
  model->designed = true;
  return status;
}

// The part of the solid: with the origin at the centre F = 0, so that only V, F' = V c' and S' remain.
static void pull_back_solid(const struct dc_body *body, double mass, const double center[3], const double moment[9],
                            double (*vertices)[3])
{
  const struct dc_shape *shape = body->shape;
  double volume = shape->properties.volume, density = body->mass / volume, first[3], second[9];
  dc_vec_scale(first, center, 1 / volume);
  for (int k = 0; k < 9; k++)
    second[k] = density * moment[k];
  for (int p = 0; p < shape->part_count; p++) {
    dc_mesh_mass_pull_back(&shape->parts[p], shape->properties.center, density * mass, first, second, vertices);
    vertices += shape->parts[p].vertex_count;
  }
}

// The part of lumped masses: c = sum x_v / n, S = m sum r_v r_v^T / n, r about the centre.  Each vertex gains cbar /
// n + 2 m Sbar r / n.
static void pull_back_points(const struct dc_body *body, const double center[3], const double moment[9],
                             double (*vertices)[3])
{
  const struct dc_shape *shape = body->shape;
  int count = dc_shape_vertex_count(shape);
  for (int p = 0; p < shape->part_count; p++)
    for (int v = 0; v < shape->parts[p].vertex_count; v++, vertices++) {
      double r[3], turned[3];
      dc_vec_sub(r, shape->parts[p].vertices[v], body->center);
      dc_mat_apply(turned, moment, r);
      dc_vec_add_scaled(*vertices, *vertices, 1.0 / count, center);
      dc_vec_add_scaled(*vertices, *vertices, 2 * body->mass / count, turned);
    }
}

// Pulls the cotangents of mass, second moment and centre back to the vertices that they follow from, and clears them;
// given masses follow from no vertex.
void dc_shape_pull_back_mass(const struct dc_model *model, struct dc_shape_design *by)
{
  for (int i = 0; i < by->bodies; i++) {
    const struct dc_body *body = &model->bodies.bodies[i];
    const struct dc_body_definition *definition = &model->definition.bodies[i];
    double(*vertices)[3] = by->vertices + by->first[i];
    if (!dc_body_moves(body) || body->shape->part_count == 0 || mass_is_given(definition))
      continue;
    if (definition->mass_model == DC_MASS_LUMPED)
      pull_back_points(body, by->center[i], by->moment[i], vertices);
    else
      pull_back_solid(body, by->mass[i], by->center[i], by->moment[i], vertices);
  }
  size_t bodies = (size_t)by->bodies;
  memset(by->mass, 0, bodies * sizeof *by->mass);
  memset(by->moment, 0, bodies * sizeof *by->moment);
  memset(by->center, 0, bodies * sizeof *by->center);
}
