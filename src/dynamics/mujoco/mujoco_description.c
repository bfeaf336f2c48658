// SPDX-License-Identifier: Apache-2.0
// A model is written as MJCF, body by body, depth first:
// * a body with several joint parts becomes a chain of <body> elements, where MuJoCo wants one part on each;
// * primitives become geometries, other shapes a mesh for each convex part;
// * contact is listed pair by pair, since MuJoCo's own filters are off;
// * couplings become equality constraints, and ties connections of the bodies' centres; tendons are fixed ones.
#include "dynamics/mujoco/mujoco_description.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

// MuJoCo packs the numbers of two bodies into 32 bits.
enum { MOST_BODIES = 32000 };
static const double MOST_PAIRS = 1e6;  // of geometries

// Between two parts of a joint that MuJoCo cannot put on one body stands a link of this part of its mass and inertia.
static const double LINK = 1e-9;

// A free body has at most 6 degrees of freedom in MuJoCo, and nothing that turns may follow a ball on one body.
enum { MOST_FREEDOMS = 6 };

struct writer {
  FILE *file;
  const struct dc_model *model;
  int *first_child, *next_sibling;  // [bodies]; -1: none
  int *links;                       // [bodies] elements <body> that the body is made of
};

static void put_numbers(FILE *file, const char *name, int count, const double *numbers)
{
  fprintf(file, " %s=\"", name);
  for (int i = 0; i < count; i++)
    fprintf(file, "%s%.17g", i ? " " : "", numbers[i]);
  fputc('"', file);
}

// Half edges; radius; radius and half height.
static void put_primitive(FILE *file, const char *type, const double dimensions[3])
{
  bool box = strcmp(type, "box") == 0, plane = strcmp(type, "plane") == 0;
  const double size[3] = {(box ? 0.5 : 1) * dimensions[0], 0.5 * dimensions[1], plane ? 1 : 0.5 * dimensions[2]};
  fprintf(file, " type=\"%s\"", type);
  put_numbers(file, "size", box || plane ? 3 : strcmp(type, "sphere") == 0 ? 1 : 2, size);
}

static int geometry_count(const struct dc_shape *shape)
{
  double size[3];
  const char *primitive = dc_shape_primitive(shape, size);
  if (!primitive && !dc_shape_has_surface(shape))
    return 0;
  return primitive || shape->part_count == 0 ? 1 : shape->part_count;
}

static void put_mesh(FILE *file, const struct dc_mesh *mesh, int shape, int part)
{
  fprintf(file, "<mesh name=\"m%d_%d\" vertex=\"", shape, part);
  for (int v = 0; v < mesh->vertex_count; v++)
    fprintf(file, "%.9g %.9g %.9g ", mesh->vertices[v][0], mesh->vertices[v][1], mesh->vertices[v][2]);
  fputs("\"/>\n", file);
}

static void put_assets(struct writer *writer)
{
  const struct dc_model_definition *definition = &writer->model->definition;
  fputs("<asset>\n", writer->file);
  for (int s = 0; s < definition->shape_count; s++) {
    const struct dc_shape *shape = &definition->shapes[s];
    double size[3];
    for (int k = 0; k < geometry_count(shape) && !dc_shape_primitive(shape, size); k++)
      put_mesh(writer->file, shape->part_count ? &shape->parts[k] : &shape->mesh, s, k);
  }
  fputs("</asset>\n", writer->file);
}

// A constant force is applied by the stepper.
static void put_passive(FILE *file, const struct dc_joint_passive *passive)
{
  if (passive->damping > 0)
    put_numbers(file, "damping", 1, &passive->damping);
  if (passive->armature > 0)
    put_numbers(file, "armature", 1, &passive->armature);
  if (passive->dry_friction > 0)
    put_numbers(file, "frictionloss", 1, &passive->dry_friction);
  if (passive->stiffness > 0) {
    put_numbers(file, "stiffness", 1, &passive->stiffness);
    put_numbers(file, "springref", 1, &passive->rest);
  }
}

// One joint's element. Axes and anchors are in the body's frame, as MJCF has them; a ball has no axis, a slide no
// anchor, and ranges of balls do not exist here.
static void put_joint(FILE *file, const struct dc_joint_part *part)
{
  static const char *const types[] = {[DC_PART_BALL] = "ball", [DC_PART_SLIDE] = "slide", [DC_PART_HINGE] = "hinge"};
  fprintf(file, "<joint name=\"j%d\" type=\"%s\"", part->v, types[part->kind]);
  if (part->kind != DC_PART_SLIDE)
    put_numbers(file, "pos", 3, part->anchor);
  if (part->kind != DC_PART_BALL)
    put_numbers(file, "axis", 3, part->axis);
  if (!isinf(part->range[0]) && part->kind != DC_PART_BALL) {
    fputs(" limited=\"true\"", file);
    put_numbers(file, "range", 2, part->range);
  }
  put_passive(file, &part->passive);
  fputs("/>\n", file);
}

// Inertia about the centre of mass, tr(S) 1 - S of the second moment S; scaled.
static void put_inertia(FILE *file, const struct dc_body *body, double scale)
{
  const double *s = body->second_moment;
  double trace = s[0] + s[4] + s[8], mass = scale * body->mass;
  double inertia[6] = {trace - s[0], trace - s[4], trace - s[8], -s[1], -s[2], -s[5]};
  for (int k = 0; k < 6; k++)
    inertia[k] *= scale;
  fputs("<inertial pos=\"0 0 0\"", file);
  put_numbers(file, "mass", 1, &mass);
  put_numbers(file, "fullinertia", 6, inertia);
  fputs("/>\n", file);
}

// The joint's parts, outermost first; opens another link where MuJoCo wants one.
static void put_parts(struct writer *writer, int i)
{
  const struct dc_body *body = &writer->model->bodies.bodies[i];
  int freedoms = 0;
  bool turned = false;
  if (body->free) {
    fprintf(writer->file, "<joint type=\"free\" name=\"j%d\"", body->v_offset);
    put_passive(writer->file, &body->parts[0].passive);  // damps the centre of mass, where its frame is here
    fputs("/>\n", writer->file);
    return;
  }
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
    if ((turned && turns) || freedoms + dc_part_nv(part) > MOST_FREEDOMS) {
      put_inertia(writer->file, body, LINK);
      fprintf(writer->file, "<body name=\"b%d_%d\">\n", i, ++writer->links[i]);
      freedoms = 0;
      turned = false;
    }
    put_joint(writer->file, part);
    freedoms += dc_part_nv(part);
    turned |= part->kind == DC_PART_BALL;
  }
}

// The geometries of body i about its centre of mass: a primitive, or the mesh of each convex part.
static void put_geometries(struct writer *writer, int i)
{
  const struct dc_body *body = &writer->model->bodies.bodies[i];
  const struct dc_shape *shape = body->shape;
  double position[3], size[3];
  const char *primitive = dc_shape_primitive(shape, size);
  dc_vec_scale(position, body->center, -1);
  if (geometry_count(shape) == 0)  // a mark at the centre of mass that nothing touches
    fprintf(writer->file, "<geom name=\"g%d_0\" contype=\"0\" conaffinity=\"0\" mass=\"0\" size=\"0.001\"/>\n", i);
  for (int k = 0; k < geometry_count(shape); k++) {
    fprintf(writer->file, "<geom name=\"g%d_%d\" contype=\"0\" conaffinity=\"0\"", i, k);
    if (primitive)
      put_primitive(writer->file, primitive, size);
    else
      fprintf(writer->file, " type=\"mesh\" mesh=\"m%d_%d\"", (int)(shape - writer->model->definition.shapes), k);
    put_numbers(writer->file, "pos", 3, position);
    fputs("/>\n", writer->file);
  }
}

// Everything of a body but its children and the ends of its elements.  Links share its place at rest, so that axes and
// anchors are the same numbers in all of them; mass and geometry belong to the innermost.
static void open_body(struct writer *writer, int i)
{
  const struct dc_body *body = &writer->model->bodies.bodies[i];
  writer->links[i] = 1;
  fprintf(writer->file, "<body name=\"b%d_1\"", i);
  put_numbers(writer->file, "pos", 3, body->free ? body->start.position : body->rest_position);
  put_numbers(writer->file, "quat", 4, body->free ? body->start.quaternion : body->rest_quaternion);
  fputs(">\n", writer->file);
  put_parts(writer, i);
  if (body->mass > 0)
    put_inertia(writer->file, body, 1);
  put_geometries(writer, i);
}

static void close_body(struct writer *writer, int i)
{
  for (int k = 0; k < writer->links[i]; k++)
    fputs("</body>\n", writer->file);
}

// Depth first, without recursion: chains may be long.
static void put_bodies(struct writer *writer, int first)
{
  const struct dc_bodies *bodies = &writer->model->bodies;
  fputs("<worldbody>\n", writer->file);
  for (int i = first; i >= 0;) {
    open_body(writer, i);
    if (writer->first_child[i] >= 0) {
      i = writer->first_child[i];
      continue;
    }
    for (;;) {
      close_body(writer, i);
      if (writer->next_sibling[i] >= 0) {
        i = writer->next_sibling[i];
        break;
      }
      i = bodies->bodies[i].parent;
      if (i < 0)
        break;
    }
  }
  fputs("</worldbody>\n", writer->file);
}

// Every pair of geometries that may touch, and no other: MuJoCo's own filters are off.
static void put_pairs(struct writer *writer)
{
  const struct dc_bodies *bodies = &writer->model->bodies;
  double patch = writer->model->definition.mujoco.patch;
  fputs("<contact>\n", writer->file);
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < a; b++) {
      if (!dc_bodies_touch(bodies, a, b))
        continue;
      double given[2] = {dc_model_friction(writer->model, a), dc_model_friction(writer->model, b)};
      double friction = dc_bodies_pair_friction(bodies, a, b, given, NULL);
      for (int k = 0; k < geometry_count(bodies->bodies[a].shape); k++)
        for (int m = 0; m < geometry_count(bodies->bodies[b].shape); m++)
          fprintf(writer->file, "<pair geom1=\"g%d_%d\" geom2=\"g%d_%d\" condim=\"%d\"/>\n", a, k, b, m,
                  friction > 0 ? 3 + (patch > 0) : 1);
    }
  fputs("</contact>\n", writer->file);
}

// One coordinate as a polynomial of the other, and centres of bodies at one place, whose frames are there; the
// stiffness is that of MuJoCo's constraints.  Of a body's links the innermost is meant.
static void put_equalities(struct writer *writer)
{
  const struct dc_model_definition *definition = &writer->model->definition;
  const struct dc_body *bodies = writer->model->bodies.bodies;
  fputs("<equality>\n", writer->file);
  for (int k = 0; k < definition->coupling_count; k++) {
    const struct dc_coupling *coupling = &definition->couplings[k];
    fprintf(writer->file, "<joint joint1=\"j%d\" joint2=\"j%d\"", bodies[coupling->body].parts[0].v,
            bodies[coupling->to].parts[0].v);
    put_numbers(writer->file, "polycoef", 5,
                (double[5]){coupling->offset, coupling->multiplier, coupling->powers[0], coupling->powers[1],
                            coupling->powers[2]});
    fputs("/>\n", writer->file);
  }
  for (int k = 0; k < definition->tie_count; k++) {
    int one = definition->ties[k].body, other = definition->ties[k].to;
    fprintf(writer->file, "<connect body1=\"b%d_%d\" body2=\"b%d_%d\" anchor=\"0 0 0\"/>\n", one, writer->links[one],
            other, writer->links[other]);
  }
  fputs("</equality>\n", writer->file);
}

// Tendons, those whose springs are slack at negative lengths with turned signs.
static void put_tendons(struct writer *writer)
{
  const struct dc_model_definition *definition = &writer->model->definition;
  if (definition->tendon_count)
    fputs("<tendon>\n", writer->file);
  for (int k = 0; k < definition->tendon_count; k++) {
    const struct dc_tendon *tendon = &definition->tendons[k];
    const struct dc_tendon_joint *joints = tendon->joints.objects;
    double rest[2], range[2], sign = dc_tendon_turned(tendon, rest, range);
    fputs("<fixed", writer->file);
    put_numbers(writer->file, "stiffness", 1, &tendon->stiffness);
    if (tendon->stiffness > 0)
      put_numbers(writer->file, "springlength", rest[0] == rest[1] ? 1 : 2, rest);  // two of MuJoCo 3 only
    put_numbers(writer->file, "damping", 1, &tendon->damping);
    put_numbers(writer->file, "frictionloss", 1, &tendon->dry_friction);
    if (!isnan(tendon->range[0])) {
      fputs(" limited=\"true\"", writer->file);
      put_numbers(writer->file, "range", 2, range);
    }
    fputs(">", writer->file);
    for (int i = 0; i < tendon->joints.count; i++) {
      double factor = sign * joints[i].factor;
      fprintf(writer->file, "<joint joint=\"j%d\"", dc_tendon_part(&writer->model->bodies, &joints[i])->v);
      put_numbers(writer->file, "coef", 1, &factor);
      fputs("/>", writer->file);
    }
    fputs("</fixed>\n", writer->file);
  }
  if (definition->tendon_count)
    fputs("</tendon>\n", writer->file);
}

// Refuses models that MuJoCo cannot hold: too many bodies or pairs of geometries, soft bodies, limits of tendons.
static enum dc_status check_size(const struct dc_model *model, struct dc_error *error)
{
  const struct dc_bodies *bodies = &model->bodies;
  double pairs = 0;
  if (bodies->count > MOST_BODIES)
    return dc_fail(error, DC_BAD_INPUT, "model mujoco: %d bodies (at most %d)", bodies->count, MOST_BODIES);
  enum dc_status status = dc_bodies_check_rigid(bodies, "model mujoco", error);
  if (status)
    return status;
  for (int k = 0; k < model->definition.tendon_count; k++)
    if (model->definition.tendons[k].effort > 0)
      return dc_fail(error, DC_BAD_INPUT, "model mujoco: tendons[%d].effort: tendons have no limit of their force there", k);
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < a; b++)
      if (dc_bodies_touch(bodies, a, b))
        pairs += (double)geometry_count(bodies->bodies[a].shape) * geometry_count(bodies->bodies[b].shape);
  if (pairs > MOST_PAIRS)
    return dc_fail(error, DC_MEMORY, "model mujoco: %.0f pairs of geometries (at most %.0f)", pairs, MOST_PAIRS);
  return DC_OK;
}

// Lists of children in the order of the scene; the first body without parent, or -1.
static int link_children(struct writer *writer)
{
  const struct dc_bodies *bodies = &writer->model->bodies;
  int first = -1;
  for (int i = 0; i < bodies->count; i++)
    writer->first_child[i] = -1;
  for (int i = bodies->count - 1; i >= 0; i--) {
    int parent = bodies->bodies[i].parent, *head = parent < 0 ? &first : &writer->first_child[parent];
    writer->next_sibling[i] = *head;
    *head = i;
  }
  return first;
}

static void put_model(struct writer *writer)
{
  int first = link_children(writer);
  fputs("<mujoco model=\"dcsim\">\n<compiler angle=\"radian\" coordinate=\"local\" inertiafromgeom=\"false\"/>\n"
        "<option collision=\"predefined\"/>\n",
        writer->file);
  put_assets(writer);
  put_bodies(writer, first);
  put_pairs(writer);
  put_equalities(writer);
  put_tendons(writer);
  fputs("</mujoco>\n", writer->file);
}

// Writes the model as MJCF, in the locale "C" of numbers; the caller frees it.
char *dc_mujoco_describe(const struct dc_model *model, size_t *length, struct dc_error *error)
{
  size_t count = (size_t)model->bodies.count;
  char *text = NULL;
  if (check_size(model, error))
    return NULL;
  struct writer writer = {.model = model,
                          .file = open_memstream(&text, length),
                          .first_child = dc_alloc(count, sizeof *writer.first_child),
                          .next_sibling = dc_alloc(count, sizeof *writer.next_sibling),
                          .links = dc_alloc(count, sizeof *writer.links)};
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);  // a decimal point is a point
  bool good = writer.file && writer.first_child && writer.next_sibling && writer.links && plain;
  if (good) {
    locale_t before = uselocale(plain);
    put_model(&writer);
    uselocale(before);
    good = !ferror(writer.file);
  }
  if (writer.file)
    good &= fclose(writer.file) == 0;
  if (plain)
    freelocale(plain);
  free(writer.first_child);
  free(writer.next_sibling);
  free(writer.links);
  if (good)
    return text;
  free(text);
  dc_out_of_memory_for(error, "the description of the model for MuJoCo");
  return NULL;
}
