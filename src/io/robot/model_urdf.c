// SPDX-License-Identifier: Apache-2.0
// A model as URDF.  The frame of a link is at the anchor of the last part of its joint, or that of the shape where
// there is none; its axes are the shape's.  The format has no start: coordinates count from where joints start, and
// ranges and mimic joints are shifted by that.
//
// Bodies are written parents first.  Each gives a link, then the joints that lead to it, with links without mass
// between the parts of its joint.  Pairs that do not touch go to an SRDF file, surfaces to a folder of meshes.
// Whatever the format cannot say is counted on the way and told at the end (add_notes).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/model_export.h"
#include "io/run/run_files.h"
#include "math/rotation.h"
#include "math/vector.h"

static const double FAR = 1e6;  // range of a slide without one, which URDF must have, m

// The file while it is written, and counts of what the format cannot say, for the notes.
struct writer {
  const struct dc_model *model;
  struct dc_text text;
  const char *root;           // name of the link that carries all
  const char *folder, *path;  // of meshes: name in the file, and where it is
  int meshes, planes, balls;  // written; left out; taken apart
  int concave, shifted;       // surfaces that are not convex; coordinates that do not start at zero
  int rotors;                 // joints with armature, a spring or a constant force
  bool made;                  // the folder is there
  struct dc_error *error;
};

// A pose as xyz and roll, pitch, yaw.  Near a pitch of a quarter turn only a sum of roll and yaw is defined:
// roll is 0 then, and yaw takes all of it.
static void put_origin(struct dc_text *text, const double *position, const double *rotation)
{
  double r[9], angles[3];
  dc_rotation_matrix(r, rotation);
  double c = hypot(r[0], r[3]);  // cos(pitch): R = Rz(yaw) Ry(pitch) Rx(roll)
  angles[1] = atan2(-r[6], c);
  angles[0] = c > 1e-9 ? atan2(r[7], r[8]) : 0;
  angles[2] = c > 1e-9 ? atan2(r[3], r[0]) : atan2(-r[1], r[4]);
  dc_text_add(text, "<origin");
  dc_export_numbers(text, "xyz", 3, position);
  dc_export_numbers(text, "rpy", 3, angles);
  dc_text_add(text, "/>");
}

// Where part p of a body's joint turns, or the shape's frame: in the body's frame at the centre of mass.
static void anchor_of(const struct dc_body *body, int p, double anchor[3])
{
  if (p >= 0 && !body->free && (body->parts[p].kind == DC_PART_HINGE || body->parts[p].kind == DC_PART_BALL))
    dc_vec_copy(anchor, body->parts[p].anchor);
  else
    dc_vec_scale(anchor, body->center, -1);
}

// Writes one mesh as an OBJ file into the folder of meshes, which is made for the first one.  Numbers are as
// short as they read back exactly; OBJ counts vertices from 1.
static enum dc_status write_mesh(struct writer *writer, const struct dc_mesh *mesh)
{
  struct dc_text obj = {0};
  char name[1100];
  int created;
  enum dc_status status = writer->made ? DC_OK : dc_directory_create(writer->path, &created, writer->error);
  writer->made = true;
  for (int v = 0; v < mesh->vertex_count; v++) {
    dc_text_add(&obj, "v");
    for (int k = 0; k < 3; k++) {
      dc_text_append(&obj, " ", 1);
      dc_text_short_real(&obj, mesh->vertices[v][k], "0");
    }
    dc_text_append(&obj, "\n", 1);
  }
  for (int t = 0; t < mesh->triangle_count; t++)
    dc_text_add(&obj, "f %d %d %d\n", mesh->triangles[t][0] + 1, mesh->triangles[t][1] + 1, mesh->triangles[t][2] + 1);
  snprintf(name, sizeof name, "%.1000s/mesh%d.obj", writer->path, writer->meshes);
  if (!status && obj.failed)
    status = dc_out_of_memory_in(writer->error, name);
  if (!status)
    status = dc_file_write(name, obj.bytes, obj.length, writer->error);
  dc_text_free(&obj);
  return status;
}

// A <collision> or <visual>; shift: of the shape's frame in the link's.
static enum dc_status put_piece(struct writer *writer, const struct dc_export_piece *piece, const double *shift,
                                bool visual, const double *color)
{
  struct dc_text *text = &writer->text;
  double position[3];
  enum dc_status status = DC_OK;
  if (piece->primitive && strcmp(piece->primitive, "plane") == 0) {
    writer->planes++;
    return DC_OK;
  }
  dc_vec_add(position, piece->position, shift);
  dc_text_add(text, "    <%s>", visual ? "visual" : "collision");
  put_origin(text, position, piece->rotation);
  dc_text_add(text, "<geometry>");
  if (!piece->primitive) {
    status = write_mesh(writer, piece->mesh);
    dc_text_add(text, "<mesh");
    dc_export_name(text, "filename", writer->folder, "");
    text->length--;  // its quotation mark
    dc_text_add(text, "/mesh%d.obj\"/>", writer->meshes++);
  } else {
    dc_text_add(text, "<%s", piece->primitive);
    if (strcmp(piece->primitive, "box") == 0)
      dc_export_numbers(text, "size", 3, piece->size);
    else
      dc_export_numbers(text, "radius", 1, piece->size);
    if (strcmp(piece->primitive, "cylinder") == 0 || strcmp(piece->primitive, "capsule") == 0)
      dc_export_numbers(text, "length", 1, piece->size + 1);
    dc_text_add(text, "/>");
  }
  dc_text_add(text, "</geometry>");
  if (visual) {
    dc_text_add(text, "<material name=\"\"><color");
    dc_export_numbers(text, "rgba", 4, (double[4]){color[0], color[1], color[2], 1});
    dc_text_add(text, "/></material>");
  }
  dc_text_add(text, "</%s>\n", visual ? "visual" : "collision");
  return status;
}

// A link: inertia about its centre, in axes of the link, then its collisions and visuals.  shift is where the
// shape's frame lies in that of the link.
static enum dc_status put_link(struct writer *writer, int i)
{
  const struct dc_body *body = &writer->model->bodies.bodies[i];
  struct dc_text *text = &writer->text;
  double anchor[3], center[3], shift[3], inertia[6];
  enum dc_status status = DC_OK;
  anchor_of(body, body->part_count - 1, anchor);
  dc_vec_scale(center, anchor, -1);
  dc_vec_sub(shift, center, body->center);
  dc_text_add(text, "  <link");
  dc_export_name(text, "name", body->name, "");
  dc_text_add(text, ">\n");
  if (body->mass > 0) {
    dc_export_inertia(body, inertia);
    dc_text_add(text, "    <inertial>");
    put_origin(text, center, (double[4]){1, 0, 0, 0});
    dc_text_add(text, "<mass");
    dc_export_numbers(text, "value", 1, &body->mass);
    dc_text_add(text, "/><inertia");
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int k = 0; k < 6; k++)
      dc_export_numbers(text, names[k], 1, &inertia[k]);
    dc_text_add(text, "/></inertial>\n");
  }
  for (int visual = 0; visual < 2 && !status; visual++) {
    struct dc_export_piece *pieces;
    const struct dc_shape *shape = visual ? dc_body_look(body) : body->shape;
    int count = dc_export_pieces(writer->model, shape, &pieces);
    for (int k = 0; k < count && !status; k++)
      if (visual || writer->model->bodies.collide[i]) {
        writer->concave += !visual && pieces[k].mesh && !pieces[k].convex;
        status = put_piece(writer, &pieces[k], shift, visual, body->appearance.color);
      }
    free(pieces);
    if (count < 0)
      status = dc_out_of_memory(writer->error);
  }
  dc_text_add(text, "  </link>\n");
  return status;
}

// Names of joints are those of the links they lead to, with the same endings (put_ends).
static void begin_joint(struct writer *writer, const char *name, const char *ending, const char *type)
{
  dc_text_add(&writer->text, "  <joint");
  dc_export_name(&writer->text, "name", name, ending);
  dc_text_add(&writer->text, " type=\"%s\">", type);
}

// Names of links: a body's name, and an ending for the links without mass between its parts.
static void put_ends(struct writer *writer, const char *parent, const char *parent_ending, const char *child,
                     const char *child_ending)
{
  dc_text_add(&writer->text, "<parent");
  dc_export_name(&writer->text, "link", parent, parent_ending);
  dc_text_add(&writer->text, "/><child");
  dc_export_name(&writer->text, "link", child, child_ending);
  dc_text_add(&writer->text, "/>");
}

// Where a part of a joint starts; balls do at rest.
static double start_of(const struct writer *writer, const struct dc_body *body, int p)
{
  const struct dc_joint_part *part = &body->parts[p];
  bool scalar = part->kind == DC_PART_HINGE || part->kind == DC_PART_SLIDE;
  return scalar ? writer->model->bodies.initial_q[part->q] : 0;
}

// The pose of the part's frame, moved along or about its axis.
static void move_start(const struct dc_joint_part *part, double start, double *position, double *rotation)
{
  double vector[3], matrix[9], moved[3], turn[4];
  dc_vec_scale(vector, part->axis, start);
  if (part->kind == DC_PART_SLIDE) {
    dc_rotation_matrix(matrix, rotation);
    dc_mat_apply(moved, matrix, vector);
    dc_vec_add(position, position, moved);
  } else {
    dc_rotation_exp(turn, vector);
    dc_rotation_multiply(rotation, rotation, turn);
  }
}

// Damping and dry friction, which is all that URDF knows of a joint's own forces; joints with others are
// counted.
static void put_dynamics(struct writer *writer, const struct dc_body *body, int p)
{
  const struct dc_joint_part *part = &body->parts[p];
  const struct dc_joint_passive *own = &part->passive;
  writer->rotors += own->armature > 0 || own->stiffness > 0 || own->force != 0;
  if (!(own->damping > 0) && !(own->dry_friction > 0))
    return;
  dc_text_add(&writer->text, "<dynamics");
  dc_export_numbers(&writer->text, "damping", 1, &own->damping);
  dc_export_numbers(&writer->text, "friction", 1, &own->dry_friction);
  dc_text_add(&writer->text, "/>");
}

// Axis, range, effort and speed.  A prismatic joint must have a range in URDF; effort and velocity must stand
// in every <limit>, so that one without a value gets a huge one.
static void put_limit(struct writer *writer, const struct dc_body *body, const struct dc_joint_part *part)
{
  static const double none = 1e9;
  double effort = body->pd && body->pd->effort > 0 ? body->pd->effort
                  : body->limits.effort > 0        ? body->limits.effort
                                                   : none;
  double velocity = body->limits.velocity > 0 ? body->limits.velocity : none;
  bool slide = part->kind == DC_PART_SLIDE;
  double low = isinf(part->range[0]) ? -FAR : part->range[0], high = isinf(part->range[1]) ? FAR : part->range[1];
  dc_text_add(&writer->text, "<axis");
  dc_export_numbers(&writer->text, "xyz", 3, part->axis);
  dc_text_add(&writer->text, "/>");
  bool endless = !slide && isinf(part->range[0]);
  if (endless && effort == none && velocity == none)
    return;
  dc_text_add(&writer->text, "<limit");
  if (!endless) {
    dc_export_numbers(&writer->text, "lower", 1, &low);
    dc_export_numbers(&writer->text, "upper", 1, &high);
  }
  dc_export_numbers(&writer->text, "effort", 1, &effort);
  dc_export_numbers(&writer->text, "velocity", 1, &velocity);
  dc_text_add(&writer->text, "/>");
}

// A coupling.  Both coordinates count from their starts in the file, so the offset is moved by both.
// URDF knows lines alone, q = multiplier × q' + offset: a coupling with powers becomes its tangent at the start.
static void put_mimic(struct writer *writer, int i)
{
  const struct dc_model_definition *definition = &writer->model->definition;
  for (int k = 0; k < definition->coupling_count; k++) {
    const struct dc_coupling *coupling = &definition->couplings[k];
    if (coupling->body != i)
      continue;
    dc_text_add(&writer->text, "<mimic");
    dc_export_name(&writer->text, "joint", writer->model->bodies.bodies[coupling->to].name, "");
    const struct dc_bodies *bodies = &writer->model->bodies;
    const struct dc_body *self = &bodies->bodies[i], *leader = &bodies->bodies[coupling->to];
    double slope, curvature, x = start_of(writer, leader, 0),
                             offset = dc_coupling_value(coupling, x, &slope, &curvature) - start_of(writer, self, 0);
    dc_export_numbers(&writer->text, "multiplier", 1, &slope);
    dc_export_numbers(&writer->text, "offset", 1, &offset);
    dc_text_add(&writer->text, "/>");
  }
}

// How many joints of URDF a part is: a ball is three hinges.
static int width_of(const struct dc_joint_part *part)
{
  return part->kind == DC_PART_BALL ? 3 : 1;
}

static int count_joints(const struct dc_body *body)
{
  int count = 0;
  for (int p = 0; p < body->part_count; p++)
    count += width_of(&body->parts[p]);
  return count;
}

// Joint k of a body, outermost first, of a ball the hinge about one of the three axes; returns whose part it is.
static int take_joint(const struct dc_body *body, int k, struct dc_joint_part *part)
{
  int p = 0;
  for (; k >= width_of(&body->parts[p]); p++)
    k -= width_of(&body->parts[p]);
  *part = body->parts[p];
  if (part->kind == DC_PART_BALL) {
    part->kind = DC_PART_HINGE;
    part->range[0] = -INFINITY;
    part->range[1] = INFINITY;
    for (int c = 0; c < 3; c++)
      part->axis[c] = c == k;
  }
  return p;
}

// The joint that leads to a body.  A body without coordinates hangs by one fixed or floating joint.
//
// Every other part becomes a joint of its own, with links without mass between them, named after the body and
// the part's number.  The last joint has the body's name, so that couplings find it.  A joint's origin is
// relative to the anchor of the part before, and includes the move to the start.
// URDF frames have no centre of mass: the frame of a link is the anchor of its joint, and everything is moved by
// that.
static void put_joint(struct writer *writer, int i)
{
  const struct dc_body *bodies = writer->model->bodies.bodies, *body = &bodies[i];
  const double *rest, *rotation;
  double matrix[9], anchor[3], before[3] = {0}, position[3], above[3] = {0};
  struct dc_joint_part part;
  int count = body->free ? 0 : count_joints(body);
  const char *parent = body->parent < 0 ? writer->root : bodies[body->parent].name;
  char ending[24], parent_ending[24] = "";
  writer->balls += count ? (count - body->part_count) / 2 : 0;
  dc_export_rest(body, &rest, &rotation);
  dc_rotation_matrix(matrix, rotation);
  anchor_of(body, count ? 0 : -1, anchor);
  dc_mat_apply(position, matrix, anchor);
  dc_vec_add(position, position, rest);
  if (body->parent >= 0)
    anchor_of(&bodies[body->parent], bodies[body->parent].part_count - 1, above);
  dc_vec_sub(position, position, above);
  if (count == 0) {
    begin_joint(writer, body->name, "", body->free ? "floating" : "fixed");
    put_origin(&writer->text, position, rotation);
    put_ends(writer, parent, "", body->name, "");
    dc_text_add(&writer->text, "</joint>\n");
  }
  for (int p = 0; p < count; p++) {
    int source = take_joint(body, p, &part);
    bool last = p == count - 1, slide = part.kind == DC_PART_SLIDE;
    ending[0] = '\0';
    if (!last)
      snprintf(ending, sizeof ending, ":%d", p + 1);
    if (!last) {
      dc_text_add(&writer->text, "  <link");
      dc_export_name(&writer->text, "name", body->name, ending);
      dc_text_add(&writer->text, "/>\n");
    }
    begin_joint(writer, body->name, ending, slide ? "prismatic" : isinf(part.range[0]) ? "continuous" : "revolute");
    if (p > 0) {
      anchor_of(body, source, anchor);
      dc_vec_sub(position, anchor, before);
    }
    double start = start_of(writer, body, source), turn[4] = {1, 0, 0, 0};
    if (p == 0)
      memcpy(turn, rotation, sizeof turn);
    move_start(&part, start, position, turn);
    writer->shifted += start != 0;
    part.range[0] -= start;
    part.range[1] -= start;
    put_origin(&writer->text, position, turn);
    put_ends(writer, parent, parent_ending, body->name, ending);
    put_limit(writer, body, &part);
    put_dynamics(writer, body, source);
    if (count == 1)
      put_mimic(writer, i);
    dc_text_add(&writer->text, "</joint>\n");
    dc_vec_copy(before, anchor);
    parent = body->name;
    memcpy(parent_ending, ending, sizeof ending);
  }
}

// Pairs that do not touch, for which URDF has no place.
// Format: MoveIt's <disable_collisions>, which our own reader knows as well (srdf.c).
static enum dc_status write_srdf(const struct dc_model *model, const char *name, const char *path,
                                 struct dc_error *error)
{
  struct dc_text text = {0};
  dc_text_add(&text, "<robot");
  dc_export_name(&text, "name", name, "");
  dc_text_add(&text, ">\n");
  for (int a = 0; a < model->bodies.count; a++)
    for (int b = 0; b < a; b++)
      if (dc_export_is_excluded(&model->bodies, a, b)) {
        dc_text_add(&text, "  <disable_collisions");
        dc_export_name(&text, "link1", model->bodies.bodies[b].name, "");
        dc_export_name(&text, "link2", model->bodies.bodies[a].name, "");
        dc_text_add(&text, "/>\n");
      }
  dc_text_add(&text, "</robot>\n");
  enum dc_status status =
      text.failed ? dc_out_of_memory_in(error, path) : dc_file_write(path, text.bytes, text.length, error);
  dc_text_free(&text);
  return status;
}

// Gravity and velocities, which URDF does not have.
static enum dc_status note_world(const struct dc_model *model, struct dc_notes *notes)
{
  const double *g = model->definition.gravity;
  bool moves = false;
  enum dc_status status = DC_OK;
  for (int i = 0; i < model->bodies.count; i++) {
    const struct dc_body *body = &model->bodies.bodies[i];
    for (int k = 0; k < 3; k++)
      moves |= body->free && (body->start.velocity[k] != 0 || body->start.angular_velocity[k] != 0);
    for (int k = 0; k < body->nv && !body->free && body->start.joint_velocity; k++)
      moves |= body->start.joint_velocity[k] != 0;
  }
  if (g[0] != 0 || g[1] != 0 || g[2] != -9.81)
    status = dc_notes_add(notes,
                          "gravity is not in URDF: the scene that includes the file needs \"gravity\": "
                          "[%.17g, %.17g, %.17g]",
                          g[0], g[1], g[2]);
  return status || !moves ? status : dc_notes_add(notes, "velocities of the start are not in URDF");
}

// Bodies that weigh more or less than their mass.
static int count_lifted(const struct dc_bodies *bodies)
{
  int count = 0;
  for (int i = 0; i < bodies->count; i++)
    count += dc_body_moves(&bodies->bodies[i]) && bodies->bodies[i].buoyancy != 0;
  return count;
}

// Couplings that are no lines become the tangents at the start.
static int count_curves(const struct dc_model_definition *definition)
{
  int count = 0;
  for (int k = 0; k < definition->coupling_count; k++)
    count += !dc_coupling_is_linear(&definition->couplings[k]);
  return count;
}

// Everything of the model that URDF cannot say, so that nothing is lost without a word.
static enum dc_status add_notes(const struct writer *writer, struct dc_notes *notes)
{
  enum dc_status status = DC_OK;
  if (writer->planes)
    status = dc_notes_add(notes, "%d half-spaces left out, which URDF does not have", writer->planes);
  if (!status && writer->balls)
    status = dc_notes_add(notes, "%d ball joints are three hinges each", writer->balls);
  if (!status && writer->model->bodies.actuator_count)
    status = dc_notes_add(notes, "actuators left out, which URDF does not have");
  if (!status && writer->model->definition.tie_count)
    status = dc_notes_add(notes, "%d ties left out, which URDF does not have", writer->model->definition.tie_count);
  if (!status && writer->model->definition.tendon_count)
    status = dc_notes_add(notes, "%d tendons left out, which URDF does not have", writer->model->definition.tendon_count);
  int curves = count_curves(&writer->model->definition);
  if (!status && curves)
    status = dc_notes_add(notes, "%d couplings with powers are the lines that touch them at the start", curves);
  if (!status && writer->rotors)
    status = dc_notes_add(notes, "armature, springs or constant forces of %d joints left out, which URDF does not have",
                          writer->rotors);
  int lifted = count_lifted(&writer->model->bodies);
  if (!status && lifted)
    status = dc_notes_add(notes, "buoyancy of %d bodies left out, which URDF does not have: they weigh all of their mass",
                          lifted);
  if (!status && writer->shifted)
    status =
        dc_notes_add(notes, "URDF has no start: %d coordinates count from where their joints start", writer->shifted);
  if (!status)
    status = dc_export_note_concave(writer->concave, notes);
  return status ? status : note_world(writer->model, notes);
}

// Writes the URDF file, beside it the SRDF file, and a folder of meshes where there are any.  The link that
// carries everything is called "root", with as many underscores behind it as make the name unique.
enum dc_status dc_model_write_urdf(const struct dc_model *model, const char *name, const char *path,
                                   struct dc_notes *notes, struct dc_error *error)
{
  enum dc_status status = dc_bodies_check_rigid(&model->bodies, "URDF", error);
  if (status)
    return status;
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
  char *folder = dc_arena_printf(notes->arena, "%.*s_meshes", (int)stem, path),
       *srdf = dc_arena_printf(notes->arena, "%.*s.srdf", (int)stem, path);
  struct writer writer = {.model = model, .root = "root", .path = folder, .error = error};
  if (!folder || !srdf)
    return dc_out_of_memory_in(error, path);
  writer.folder = slash ? folder + (slash - path) + 1 : folder;
  for (int i = 0; i < model->bodies.count; i++)
    if (strcmp(model->bodies.bodies[i].name, writer.root) == 0) {
      writer.root = dc_arena_printf(notes->arena, "%s_", writer.root);
      i = -1;
    }
  dc_text_add(&writer.text, "<?xml version=\"1.0\"?>\n<robot");
  dc_export_name(&writer.text, "name", name, "");
  dc_text_add(&writer.text, ">\n  <link name=\"%s\"/>\n", writer.root);
  for (int k = 0; k < model->bodies.count && !status; k++) {
    status = put_link(&writer, model->bodies.order[k]);
    put_joint(&writer, model->bodies.order[k]);
  }
  dc_text_add(&writer.text, "</robot>\n");
  if (!status && writer.text.failed)
    status = dc_out_of_memory_in(error, path);
  if (!status && !(status = dc_file_write(path, writer.text.bytes, writer.text.length, error)) &&
      !(status = write_srdf(model, name, srdf, error)))
    status = add_notes(&writer, notes);
  dc_text_free(&writer.text);
  return status;
}
