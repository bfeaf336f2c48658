// SPDX-License-Identifier: Apache-2.0
// Notes about bodies once the model is made: masses that no file gives, and sizes that look like another unit.
//
// The radius of gyration of a body, r^2 = tr(I) / (2 m), is about a third of its size.  Geometry that reaches many
// times as far was drawn in another unit than the inertia was given in.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "geometry/shapes/shape_types.h"
#include "io/scene/constants.h"
#include "io/scene/scene_build.h"
#include "math/vector.h"

enum { DC_MOST_LISTED = 6 };  // names in one note; others are counted

// Radius r = sqrt(tr(I) / (2 m)), m, for inertia I (Ixx, Iyy, Izz first) about the centre of mass.
static double gyration(const struct dc_body_definition *body)
{
  return sqrt((body->inertia[0] + body->inertia[1] + body->inertia[2]) / (2 * body->mass));
}

// Notes what looks wrong with a link of a robot file: no mass, so that density decides; or an inertia far too small for
// its geometry, which mostly means that the mesh is in mm or cm.
static enum dc_status note_body(struct dc_scene_build *build, int index, double density)
{
  const struct dc_body_definition *given = &build->scene->bodies[index];
  const struct dc_body *body = &build->scene->model.bodies.bodies[index];
  struct dc_notes *notes = &build->scene->notes;
  if (!dc_body_moves(body) || !(body->mass > 0) || given->soft)
    return DC_OK;
  if (isnan(given->mass))
    return dc_notes_add(notes,
                        "\"%s\": the file gives no mass: it has %.4g kg, those of its collision geometry at %g kg/m^3 "
                        "(\"density\" of the include)",
                        given->name, body->mass, density);
  if (isnan(given->inertia[0]) || !(body->radius > DC_MOST_REACH * gyration(given)))
    return DC_OK;
  double times = body->radius / (2 * gyration(given));
  return dc_notes_add(
      notes,
      "\"%s\": its geometry reaches %.3g m from its centre of mass, while its inertia is that of a body "
      "about %.2g times smaller: if the unit of its mesh is the %s, give the mesh a scale of %s",
      given->name, body->radius, times, times > 200 ? "millimetre" : "centimetre", times > 200 ? "0.001" : "0.01");
}

// Notes a mesh that is larger than any part one would simulate: its file was most likely written in
// millimetres.
static enum dc_status note_mesh(struct dc_scene_build *build, const struct dc_shape *shape)
{
  double size = shape->type == &dc_shape_mesh ? dc_mesh_size(&shape->mesh) : 0;
  if (!(size > DC_LARGE_MESH))
    return DC_OK;
  return dc_notes_add(&build->scene->notes,
                      "shape \"%s\" is %.4g m in size: if the unit of its file is the millimetre, \"scale\": 0.001",
                      shape->name, size);
}

// Starts of a robot that are at ends of ranges and have been moved inside (DC_START_MARGIN), in text of size bytes; most
// of them are counted only.  Followers start where their leaders put them, and leaders may be moved for their followers.  False: there are none.
static bool list_moved(const struct dc_scene_build *build, const struct dc_scene_robot *robot, char *text, size_t size)
{
  const struct dc_scene *scene = build->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  int moved = 0, used = 0;
  for (int i = 0; i < robot->count; i++) {
    int index = dc_name_list_find(&build->reader.bodies, robot->bodies[i]), scalar = 0;
    bool follows = false, leads = false;
    for (int c = 0; c < scene->definition.coupling_count; c++) {
      follows |= scene->definition.couplings[c].body == index;
      leads |= scene->definition.couplings[c].to == index;
    }
    for (int p = 0; index >= 0 && !follows && p < bodies->bodies[index].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[index].parts[p];
      const struct dc_real_list *given = &scene->bodies[index].joint_position;
      if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
        continue;
      double wanted = scalar < given->count ? given->values[scalar] : 0, start = bodies->initial_q[part->q];
      double low = part->range[0], high = part->range[1], margin = DC_START_MARGIN * (high - low);
      scalar++;
      bool at_end = !isinf(low) && (wanted < low + 0.999 * margin || wanted > high - 0.999 * margin);
      if (!at_end && !(leads && fabs(start - wanted) > 1e-9))
        continue;
      if (moved++ < DC_MOST_LISTED)
        used += snprintf(text + used, size - (size_t)used, "%s\"%.40s\" from %.6g to %.6g", moved > 1 ? ", " : "",
                         scene->bodies[index].name, wanted, start);
    }
  }
  if (moved > DC_MOST_LISTED)
    snprintf(text + used, size - (size_t)used, " and %d more", moved - DC_MOST_LISTED);
  return moved > 0;
}

// Ties that the start leaves open by more than a millimetre: where a file holds bodies together softly, they come
// together over some time there, and at once here.  Ties of a given stiffness may be soft, and are not told.
static enum dc_status note_ties(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_model_definition *definition = &scene->definition;
  char text[DC_MOST_LISTED * 130 + 100];
  int open = 0, used = 0;
  struct dc_pose *poses = definition->tie_count ? dc_alloc((size_t)bodies->count, sizeof *poses) : NULL;
  if (definition->tie_count && !poses)
    return DC_MEMORY;
  if (poses)
    dc_poses(bodies, bodies->initial_q, poses);
  for (int k = 0; k < definition->tie_count; k++) {
    const struct dc_tie *tie = &definition->ties[k];
    double gap = dc_vec_distance(poses[tie->body].position, poses[tie->to].position);
    if (isnan(tie->stiffness) && gap > 1e-3 && open++ < DC_MOST_LISTED)
      used += snprintf(text + used, sizeof text - (size_t)used, "%s\"%.40s\" and \"%.40s\" by %.3g m",
                       open > 1 ? ", " : "", scene->bodies[tie->body].name, scene->bodies[tie->to].name, gap);
  }
  free(poses);
  if (open > DC_MOST_LISTED)
    snprintf(text + used, sizeof text - (size_t)used, " and %d more", open - DC_MOST_LISTED);
  return open ? dc_notes_add(&scene->notes, "ties that the start leaves open close with a jolt: %s", text) : DC_OK;
}

enum dc_status dc_scene_note_bodies(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  enum dc_status status = DC_OK;
  for (const struct dc_scene_robot *robot = build->robots; robot && !status; robot = robot->next)
    for (int i = 0; i < robot->count && !status; i++) {
      int body = dc_name_list_find(&build->reader.bodies, robot->bodies[i]);
      if (body >= 0)
        status = note_body(build, body, isnan(scene->bodies[body].density) ? 1000 : scene->bodies[body].density);
    }
  for (const struct dc_scene_robot *robot = build->robots; robot && !status; robot = robot->next) {
    char text[DC_MOST_LISTED * 100 + 100];
    if (list_moved(build, robot, text, sizeof text))
      status =
          dc_notes_add(&scene->notes, "starts at ends of ranges keep a hundredth of the range from them: %s", text);
  }
  if (!status && build->robots)
    status = note_ties(build);
  for (int i = 0; i < scene->definition.shape_count && !status; i++)
    status = note_mesh(build, &scene->shapes[i]);
  return status ? dc_fail(build->error, status, "%s: out of memory", scene->path) : DC_OK;
}
