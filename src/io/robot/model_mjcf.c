// SPDX-License-Identifier: Apache-2.0
// A model as MJCF.  Bodies are nested, their frames are those of shapes, and joints keep their coordinates: MuJoCo's
// have the same order and zero, except those of a free body, whose position is that of its frame.  MuJoCo takes the
// hull of every mesh, so that pieces are convex.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/model_export.h"
#include "io/run/run_files.h"
#include "math/rotation.h"
#include "math/vector.h"

// The sections of the file grow side by side and are joined at the end: one walk over the bodies writes to all
// of them, and keyframe and controls must have the order of the joints and actuators.
struct writer {
  const struct dc_model *model;
  struct dc_text assets, bodies, tendons, actuators, qpos, qvel, ctrl;
  int meshes, unmoved;  // meshes written; actuators of joints with more than one coordinate, which are left out
};

// MuJoCo's root body has the name "world", so that none of ours may.
static const char *name_of(const struct dc_body *body)
{
  return strcmp(body->name, "world") == 0 ? "world_body" : body->name;
}

// A place that is that of the parent is left out.
// pos in m, quat as (w, x, y, z), both relative to the parent body.
static void put_pose(struct dc_text *text, const double *position, const double *rotation)
{
  if (dc_vec_norm(position) != 0)
    dc_export_numbers(text, "pos", 3, position);
  if (rotation[0] != 1)
    dc_export_numbers(text, "quat", 4, rotation);
}

// A mesh as points only, of which MuJoCo takes the hull.
static void put_mesh(struct writer *writer, const struct dc_mesh *mesh)
{
  dc_text_add(&writer->assets, "    <mesh name=\"mesh%d\" vertex=\"", writer->meshes++);
  for (int v = 0; v < mesh->vertex_count; v++)
    dc_text_add(&writer->assets, "%.9g %.9g %.9g ", mesh->vertices[v][0], mesh->vertices[v][1], mesh->vertices[v][2]);
  dc_text_add(&writer->assets, "\"/>\n");
}

// Half edges; radius; radius and half height; a plane without end.
static void put_geometry(struct writer *writer, const struct dc_export_piece *piece)
{
  struct dc_text *text = &writer->bodies;
  double size[3] = {piece->size[0], 0.5 * piece->size[1], 1};
  if (!piece->primitive) {
    put_mesh(writer, piece->mesh);
    dc_text_add(text, " type=\"mesh\" mesh=\"mesh%d\"", writer->meshes - 1);
  } else {
    int count = strcmp(piece->primitive, "sphere") == 0 ? 1 : 2;
    if (strcmp(piece->primitive, "box") == 0)
      for (int k = 0; k < 3; k++)
        size[k] = 0.5 * piece->size[k];
    if (strcmp(piece->primitive, "box") == 0 || strcmp(piece->primitive, "plane") == 0)
      count = 3;
    dc_text_add(text, " type=\"%s\"", piece->primitive);
    dc_export_numbers(text, "size", count, size);
  }
  put_pose(text, piece->position, piece->rotation);
}

// The geometries of body i.  Where it has a visual of its own, those that collide go to group 3, which pictures do not
// show.
// MuJoCo takes the larger of two coefficients of sliding friction; torsional and rolling ones are its defaults.
// Bodies without friction get condim 1, which has no tangential force at all.
static bool put_geometries(struct writer *writer, int i)
{
  const struct dc_body *body = &writer->model->bodies.bodies[i];
  struct dc_text *text = &writer->bodies;
  for (int visual = 0; visual < 2; visual++) {
    struct dc_export_piece *pieces;
    const struct dc_shape *shape = visual ? body->appearance.visual : body->shape;
    int count = dc_export_pieces(writer->model, shape, &pieces);
    for (int k = 0; k < count; k++) {
      bool collides = !visual && writer->model->bodies.collide[i];
      double friction[3] = {dc_model_friction(writer->model, i), 0.005, 1e-4};
      dc_text_add(text, "<geom");
      put_geometry(writer, &pieces[k]);
      if (!collides)
        dc_text_add(text, " contype=\"0\" conaffinity=\"0\"");
      if (collides)
        dc_export_numbers(text, "friction", 3, friction);
      if (collides && friction[0] == 0)
        dc_text_add(text, " condim=\"1\"");
      if (!visual && body->appearance.visual)
        dc_text_add(text, " group=\"3\"");
      dc_export_numbers(
          text, "rgba", 4,
          (double[4]){body->appearance.color[0], body->appearance.color[1], body->appearance.color[2], 1});
      dc_text_add(text, "/>\n");
    }
    free(pieces);
    if (count < 0)
      return false;
  }
  return true;
}

// Adding 0.0 turns -0 into 0.
static void put_numbers(struct dc_text *text, const double *numbers, int count)
{
  for (int k = 0; k < count; k++) {
    dc_text_append(text, " ", 1);
    dc_text_short_real(text, numbers[k] + 0.0, "0");
  }
}

// Passive forces of a joint; a constant one is that of an actuator.
static void put_passive(struct writer *writer, const struct dc_joint_passive *own)
{
  const struct {
    const char *name;
    double number;
  } numbers[] = {{"damping", own->damping},
                 {"armature", own->armature},
                 {"frictionloss", own->dry_friction},
                 {"stiffness", own->stiffness},
                 {"springref", own->stiffness > 0 ? own->rest : 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (numbers[i].number != 0)
      dc_export_numbers(&writer->bodies, numbers[i].name, 1, &numbers[i].number);
}

// MuJoCo's start of a free body: the frame's origin x = c - R center, its velocity v - w x R center, and the turning
// R^T w in the body's axes.  The model has the centre of mass c, its velocity v, and w in the world's axes,
// velocities with w first.
static void put_free(struct writer *writer, const struct dc_body *body, const double *velocity)
{
  double rotation[9], arm[3], origin[3], turning[3], moving[3], more[3];
  dc_rotation_matrix(rotation, body->start.quaternion);
  dc_mat_apply(arm, rotation, body->center);
  dc_vec_sub(origin, body->start.position, arm);
  put_numbers(&writer->qpos, origin, 3);
  put_numbers(&writer->qpos, body->start.quaternion, 4);
  const double *w = velocity + body->v_offset;
  dc_vec_cross(more, w, arm);
  dc_vec_sub(moving, w + 3, more);
  dc_mat_apply_transposed(turning, rotation, w);
  put_numbers(&writer->qvel, moving, 3);
  put_numbers(&writer->qvel, turning, 3);
  bool damped = body->parts[0].passive.given;
  dc_text_add(&writer->bodies, damped ? "<joint type=\"free\"" : "<freejoint");
  dc_export_name(&writer->bodies, "name", body->name, "");
  if (damped)
    put_passive(writer, &body->parts[0].passive);
  dc_text_add(&writer->bodies, "/>\n");
}

// The name of part p of a body's joint.
static void put_joint_name(struct dc_text *text, const char *key, const struct dc_body *body, int p)
{
  char ending[24] = "";
  if (body->part_count > 1)
    snprintf(ending, sizeof ending, ":%d", p + 1);
  dc_export_name(text, key, body->name, ending);
}

// "pd" of a body as a general actuator on each scalar coordinate: force = kp u - kp q - kd v, its control being
// the target at the start.
// MuJoCo's affine bias is b₀ + b₁ q + b₂ v: b₁ = -kp, b₂ = -kd, and b₀ = kd v₀ for a target that moves at v₀.
static void put_actuator(struct writer *writer, const struct dc_body *body, int p)
{
  bool turns = body->parts[p].kind == DC_PART_HINGE;
  int index = body->parts[p].v - body->v_offset;
  double kp = dc_pd_kp(body->pd, index, turns), kd = dc_pd_kd(body->pd, index, turns);
  struct dc_text *text = &writer->actuators;
  dc_text_add(text, "    <general biastype=\"affine\"");
  put_joint_name(text, "joint", body, p);
  dc_export_numbers(text, "gainprm", 1, &kp);
  dc_export_numbers(text, "biasprm", 3, (double[3]){kd * body->parts[p].target_velocity, -kp, -kd});
  if (body->pd->effort > 0) {
    dc_text_add(text, " forcelimited=\"true\"");
    dc_export_numbers(text, "forcerange", 2, (double[2]){-body->pd->effort, body->pd->effort});
  }
  dc_text_add(text, "/>\n");
  double target = dc_target_origin(&writer->model->bodies, &body->parts[p], 0);
  put_numbers(&writer->ctrl, &target, 1);
}

// A constant force as an actuator whose gain is 0 and whose bias is the force; its control has no effect.
static void put_constant(struct writer *writer, const struct dc_body *body, int p)
{
  const double none = 0, bias[3] = {body->parts[p].passive.force, 0, 0};
  dc_text_add(&writer->actuators, "    <general biastype=\"affine\"");
  put_joint_name(&writer->actuators, "joint", body, p);
  dc_export_numbers(&writer->actuators, "gainprm", 1, &none);
  dc_export_numbers(&writer->actuators, "biasprm", 3, bias);
  dc_text_add(&writer->actuators, "/>\n");
  put_numbers(&writer->ctrl, &none, 1);
}

// The parts of a body's joint, outermost first.  Anchors are relative to the centre of mass in the model and to
// the body's origin in the file, hence the shift by the centre.  An actuator of a ball has no counterpart and
// is counted.
static void put_joints(struct writer *writer, int i, const double *velocity)
{
  static const char *const types[] = {[DC_PART_BALL] = "ball", [DC_PART_SLIDE] = "slide", [DC_PART_HINGE] = "hinge"};
  const struct dc_bodies *bodies = &writer->model->bodies;
  const struct dc_body *body = &bodies->bodies[i];
  struct dc_text *text = &writer->bodies;
  if (body->free) {
    put_free(writer, body, velocity);
    return;
  }
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    double anchor[3];
    dc_text_add(text, "<joint");
    put_joint_name(text, "name", body, p);
    dc_text_add(text, " type=\"%s\"", types[part->kind]);
    dc_vec_add(anchor, part->anchor, body->center);
    if (part->kind != DC_PART_SLIDE)
      dc_export_numbers(text, "pos", 3, anchor);
    if (part->kind != DC_PART_BALL)
      dc_export_numbers(text, "axis", 3, part->axis);
    if (part->kind != DC_PART_BALL && !isinf(part->range[0])) {
      dc_text_add(text, " limited=\"true\"");
      dc_export_numbers(text, "range", 2, part->range);
    }
    put_passive(writer, &part->passive);
    dc_text_add(text, "/>\n");
    put_numbers(&writer->qpos, bodies->initial_q + part->q, dc_part_nq(part));
    put_numbers(&writer->qvel, velocity + part->v, dc_part_nv(part));
    if (part->passive.force != 0)
      put_constant(writer, body, p);
    if (body->pd && part->kind != DC_PART_BALL)
      put_actuator(writer, body, p);
    else if (body->pd)
      writer->unmoved++;
  }
}

// The frame of a body's shape in that of its parent's shape, or the world.
static void put_place(struct writer *writer, const struct dc_body *body)
{
  const double *rest, *rotation;
  double matrix[9], arm[3], position[3];
  dc_export_rest(body, &rest, &rotation);
  dc_rotation_matrix(matrix, rotation);
  dc_mat_apply(arm, matrix, body->center);
  dc_vec_sub(position, rest, arm);
  if (body->parent >= 0)
    dc_vec_add(position, position, writer->model->bodies.bodies[body->parent].center);
  put_pose(&writer->bodies, position, rotation);
}

// Writes a body up to where its children stand: place, mass, joints, geometry.  False: out of memory.
static bool open_body(struct writer *writer, int i, const double *velocity)
{
  const struct dc_body *body = &writer->model->bodies.bodies[i];
  struct dc_text *text = &writer->bodies;
  dc_text_add(text, "<body");
  dc_export_name(text, "name", name_of(body), "");
  put_place(writer, body);
  if (body->buoyancy != 0)
    dc_export_numbers(text, "gravcomp", 1, &body->buoyancy);
  dc_text_add(text, ">\n");
  if (body->mass > 0) {
    double inertia[6];
    dc_export_inertia(body, inertia);
    dc_text_add(text, "<inertial");
    dc_export_numbers(text, "pos", 3, body->center);
    dc_export_numbers(text, "mass", 1, &body->mass);
    dc_export_numbers(text, "fullinertia", 6, inertia);
    dc_text_add(text, "/>\n");
  }
  if (dc_body_moves(body))
    put_joints(writer, i, velocity);
  return put_geometries(writer, i);
}

// Ties and couplings give tenths of a micrometre, MuJoCo's equalities by default a twentieth of what pulls at them.
static const char *const rigid = " solref=\".002 1\" solimp=\".9999 .9999 .001 .5 2\"/>\n";

// Pairs that do not touch, couplings as equalities of joints, and ties as connections.  A coupled body has a single
// scalar joint, which bears the body's name.  Frames of bodies stand where those of their shapes are.
static void put_exclusions(const struct dc_model *model, struct dc_text *text)
{
  const struct dc_bodies *bodies = &model->bodies;
  dc_text_add(text, "  <contact>\n");
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < a; b++)
      if (dc_export_is_excluded(bodies, a, b)) {
        dc_text_add(text, "    <exclude");
        dc_export_name(text, "body1", name_of(&bodies->bodies[b]), "");
        dc_export_name(text, "body2", name_of(&bodies->bodies[a]), "");
        dc_text_add(text, "/>\n");
      }
  dc_text_add(text, "  </contact>\n  <equality>\n");
  for (int k = 0; k < model->definition.coupling_count; k++) {
    const struct dc_coupling *coupling = &model->definition.couplings[k];
    dc_text_add(text, "    <joint");
    dc_export_name(text, "joint1", bodies->bodies[coupling->body].name, "");
    dc_export_name(text, "joint2", bodies->bodies[coupling->to].name, "");
    dc_export_numbers(text, "polycoef", 5,
                      (double[5]){coupling->offset, coupling->multiplier, coupling->powers[0], coupling->powers[1],
                                  coupling->powers[2]});
    dc_text_add(text, "%s", rigid);
  }
  for (int k = 0; k < model->definition.tie_count; k++) {
    const struct dc_tie *tie = &model->definition.ties[k];
    dc_text_add(text, "    <connect");
    dc_export_name(text, "body1", name_of(&bodies->bodies[tie->body]), "");
    dc_export_name(text, "body2", name_of(&bodies->bodies[tie->to]), "");
    dc_export_numbers(text, "anchor", 3, bodies->bodies[tie->body].center);
    dc_text_add(text, "%s", rigid);
  }
  dc_text_add(text, "  </equality>\n");
}

// Tendons as fixed ones, and springs and damping with a limit as general actuators on them, whose control does nothing.
// Springs that are slack at negative lengths have turned signs.
static void put_tendons(struct writer *writer)
{
  struct dc_text *text = &writer->tendons, *limited = &writer->actuators;
  const struct dc_model_definition *definition = &writer->model->definition;
  for (int k = 0; k < definition->tendon_count; k++) {
    const struct dc_tendon *tendon = &definition->tendons[k];
    const struct dc_tendon_joint *joints = tendon->joints.objects;
    bool apart = tendon->effort > 0;
    double rest[2], range[2], sign = dc_tendon_turned(tendon, rest, range);
    dc_text_add(text, "    <fixed name=\"tendon%d\"", k);
    if (!apart && tendon->stiffness > 0) {
      dc_export_numbers(text, "stiffness", 1, &tendon->stiffness);
      dc_export_numbers(text, "springlength", rest[0] == rest[1] ? 1 : 2, rest);
    }
    if (!apart && tendon->damping > 0)
      dc_export_numbers(text, "damping", 1, &tendon->damping);
    if (tendon->dry_friction > 0)
      dc_export_numbers(text, "frictionloss", 1, &tendon->dry_friction);
    if (!isnan(tendon->range[0])) {
      dc_text_add(text, " limited=\"true\"");
      dc_export_numbers(text, "range", 2, range);
    }
    dc_text_add(text, ">");
    for (int i = 0; i < tendon->joints.count; i++) {
      const struct dc_body *body = &writer->model->bodies.bodies[joints[i].body];
      double factor = sign * joints[i].factor;
      dc_text_add(text, "<joint");
      put_joint_name(text, "joint", body, (int)(dc_tendon_part(&writer->model->bodies, &joints[i]) - body->parts));
      dc_export_numbers(text, "coef", 1, &factor);
      dc_text_add(text, "/>");
    }
    dc_text_add(text, "</fixed>\n");
    if (!apart)
      continue;
    const double none = 0, bias[3] = {tendon->stiffness * rest[0], -tendon->stiffness, -tendon->damping};
    dc_text_add(limited, "    <general biastype=\"affine\" tendon=\"tendon%d\" forcelimited=\"true\"", k);
    dc_export_numbers(limited, "gainprm", 1, &none);
    dc_export_numbers(limited, "biasprm", 3, bias);
    dc_export_numbers(limited, "forcerange", 2, (double[2]){-tendon->effort, tendon->effort});
    dc_text_add(limited, "/>\n");
    put_numbers(&writer->ctrl, &none, 1);
  }
}

// A failure of any section makes the whole file fail.
static void append(struct dc_text *text, const struct dc_text *part)
{
  text->failed |= part->failed;
  if (part->length)
    dc_text_append(text, part->bytes, part->length);
}

// Joins the sections to the file.  Angles are in radians, and the keyframe "start" has the model's start.
static void put_all(const struct writer *writer, const char *name, struct dc_text *text)
{
  const struct dc_model_definition *definition = &writer->model->definition;
  dc_text_add(text, "<mujoco");
  dc_export_name(text, "model", name, "");
  dc_text_add(text, ">\n  <compiler angle=\"radian\"/>\n  <option");
  dc_export_numbers(text, "timestep", 1, &definition->time.step);
  dc_export_numbers(text, "gravity", 3, definition->gravity);
  dc_text_add(text, "/>\n  <asset>\n");
  append(text, &writer->assets);
  dc_text_add(text, "  </asset>\n  <worldbody>\n");
  append(text, &writer->bodies);
  dc_text_add(text, "  </worldbody>\n");
  put_exclusions(writer->model, text);
  dc_text_add(text, "  <tendon>\n");
  append(text, &writer->tendons);
  dc_text_add(text, "  </tendon>\n  <actuator>\n");
  append(text, &writer->actuators);
  dc_text_add(text, "  </actuator>\n  <keyframe>\n    <key name=\"start\" qpos=\"");
  append(text, &writer->qpos);
  dc_text_add(text, "\" qvel=\"");
  append(text, &writer->qvel);
  if (writer->ctrl.length) {
    dc_text_add(text, "\" ctrl=\"");
    append(text, &writer->ctrl);
  }
  dc_text_add(text, "\"/>\n  </keyframe>\n</mujoco>\n");
}

// Refuses joints that MuJoCo cannot have on one body: nothing that turns beside a ball, at most 6 degrees of freedom.
// DC_BAD_INPUT with the name of the first such body.
static enum dc_status check_joints(const struct dc_bodies *bodies, struct dc_error *error)
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    int turns = 0, balls = 0;
    for (int p = 0; p < body->part_count && !body->free; p++) {
      balls += body->parts[p].kind == DC_PART_BALL;
      turns += body->parts[p].kind == DC_PART_BALL || body->parts[p].kind == DC_PART_HINGE;
    }
    if ((balls && turns > 1) || body->nv > 6)
      return dc_fail(error, DC_BAD_INPUT, "MJCF has no body with the joints of \"%.200s\"", body->name);
  }
  return DC_OK;
}

// Bodies nested as MJCF wants them: each is opened, and as many ends follow as close behind it.
// order [bodies] lists parents before children; after [bodies] says how many elements end behind each.
static enum dc_status write_bodies(struct writer *writer, int *order, int *after, const double *velocity)
{
  const struct dc_bodies *bodies = &writer->model->bodies;
  if (dc_export_order(bodies, order, after))
    return DC_MEMORY;
  for (int k = 0; k < bodies->count; k++) {
    if (!open_body(writer, order[k], velocity))
      return DC_MEMORY;
    for (int e = 0; e < after[k]; e++)
      dc_text_add(&writer->bodies, "</body>\n");
  }
  return DC_OK;
}

// Pairs that touch and whose coefficient is not the greater of the two bodies', which MuJoCo takes.
static int unlike_pairs(const struct dc_model *model)
{
  const struct dc_bodies *bodies = &model->bodies;
  int count = 0;
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < a; b++) {
      double given[2] = {dc_model_friction(model, a), dc_model_friction(model, b)};
      double own = dc_bodies_pair_friction(bodies, a, b, given, NULL);
      count += dc_bodies_touch(bodies, a, b) && fabs(own - fmax(given[0], given[1])) > 1e-9 * (1 + own);
    }
  return count;
}

// Writes a rigid model as MJCF, or refuses what MJCF cannot hold: soft bodies, and joints that it has on no
// body.  The whole text is made in memory and written at once, so a failure leaves no half file.  Differences
// that remain are notes: actuators of balls, and pairs whose friction MuJoCo would combine otherwise.
enum dc_status dc_model_write_mjcf(const struct dc_model *model, const char *name, const char *path,
                                   struct dc_notes *notes, struct dc_error *error)
{
  const struct dc_bodies *bodies = &model->bodies;
  struct writer writer = {.model = model};
  struct dc_text text = {0};
  enum dc_status status = dc_bodies_check_rigid(bodies, "MJCF", error);
  if (!status)
    status = check_joints(bodies, error);
  if (status)
    return status;
  int *order = dc_alloc(2 * (size_t)bodies->count + 1, sizeof *order);
  double *velocity = dc_alloc((size_t)bodies->nv + 1, sizeof *velocity);
  status = order && velocity ? DC_OK : DC_MEMORY;
  if (!status) {
    dc_initial_velocity(bodies, velocity);
    status = write_bodies(&writer, order, order + bodies->count, velocity);
  }
  if (!status) {
    put_tendons(&writer);
    put_all(&writer, name, &text);
  }
  if (status || text.failed)
    status = dc_out_of_memory_in(error, path);
  else
    status = dc_file_write(path, text.bytes, text.length, error);
  if (!status && writer.unmoved)
    status = dc_notes_add(notes, "%d actuators of ball joints left out", writer.unmoved);
  if (!status && unlike_pairs(model))
    status = dc_notes_add(notes, "friction of %d pairs is the greater of the two bodies' there", unlike_pairs(model));
  struct dc_text *const parts[] = {&text,          &writer.assets, &writer.bodies, &writer.tendons, &writer.actuators,
                                   &writer.qpos, &writer.qvel,   &writer.ctrl};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    dc_text_free(parts[i]);
  free(order);
  free(velocity);
  return status;
}
