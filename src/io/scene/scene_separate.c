// SPDX-License-Identifier: Apache-2.0
// "overlaps": "separate": starts of included files that overlap with other things are moved apart.
//
// A tree of bodies moves as a whole: a free one anywhere, one whose outermost joints are slides along these.  As long
// as a pair overlaps, it gets the short translation that parts it (contact/near/parting.h), each of two free trees half
// of it.  Links of one robot that overlap are not parted so; they do not touch, as with "exclude".
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/near/parting.h"
#include "io/scene/constants.h"
#include "io/scene/scene_build.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_ROUNDS = 100 };

// A tree of bodies may be moved along these perpendicular axes.
struct base {
  int count;
  double axes[3][3];
};

struct separation {
  struct dc_scene_build *build;
  struct dc_contact *contact;
  struct dc_pose *poses, *first;
  bool *overlaps, *wanted;  // [pairs], [bodies]
};

// The axes along which the tree below `root` may be moved: three world axes for a free body; for others the
// leading slides of its joint in world axes, as long as they are perpendicular to each other.  None: the tree
// stands where the file says.
static struct base base_of(const struct separation *s, int root)
{
  const struct dc_body *body = &s->build->scene->model.bodies.bodies[root];
  struct base base = {0};
  if (body->free) {
    base.count = 3;
    base.axes[0][0] = base.axes[1][1] = base.axes[2][2] = 1;
    return base;
  }
  for (int p = 0; p < body->part_count && body->parts[p].kind == DC_PART_SLIDE && base.count < 3; p++) {
    double *axis = base.axes[base.count];
    double rotation[9];
    dc_rotation_matrix(rotation, body->rest_quaternion);
    dc_mat_apply(axis, rotation, body->parts[p].axis);
    for (int k = 0; k < base.count; k++)
      if (fabs(dc_vec_dot(axis, base.axes[k])) > 1e-9)
        return base;
    base.count++;
  }
  return base;
}

// Moves a tree by a translation in the span of its axes; DC_INFEASIBLE: beyond the range of a slide.
static enum dc_status move_tree(struct separation *s, int root, const struct base *base, const double move[3])
{
  struct dc_bodies *bodies = &s->build->scene->model.bodies;
  const struct dc_body *body = &bodies->bodies[root];
  for (int k = 0; k < base->count; k++) {
    const struct dc_joint_part *part = &body->parts[body->free ? 0 : k];
    double *q = &bodies->initial_q[part->q + (body->free ? k : 0)];
    double moved = *q + dc_vec_dot(move, base->axes[k]);
    if (!body->free && (moved < part->range[0] || moved > part->range[1]))
      return DC_INFEASIBLE;
    *q = moved;
  }
  return DC_OK;
}

// Radius (m) of a sphere about the root that holds the tree: the largest distance of a body's origin from the
// root plus that body's radius.  Half-spaces, whose radius is infinite, do not count.
static double reach_of(const struct separation *s, int root)
{
  const struct dc_bodies *bodies = &s->build->scene->model.bodies;
  double reach = 0;
  for (int i = 0; i < bodies->count; i++)
    if (dc_body_root(bodies->bodies, i) == root && isfinite(bodies->bodies[i].radius))
      reach = fmax(reach, dc_vec_distance(s->poses[i].position, s->poses[root].position) + bodies->bodies[i].radius);
  return reach;
}

// Parts a pair that overlaps.  The translation is asked for once with either body as the one that moves, along
// the axes of its tree, and the shorter one is taken.  Two free trees share it.
//
// DC_INFEASIBLE: neither tree can be moved, a slide would leave its range, or the translation is longer than
// DC_PARTING_FARTHEST times the reach of what moves, which means that the file is wrong rather than inaccurate.
static enum dc_status part_pair(struct separation *s, int pair)
{
  const struct dc_bodies *bodies = &s->build->scene->model.bodies;
  const int *own = dc_contact_pairs(s->contact)[pair];
  int roots[2] = {dc_body_root(bodies->bodies, own[0]), dc_body_root(bodies->bodies, own[1])};
  double radius = INFINITY, best[3] = {INFINITY, INFINITY, INFINITY};
  struct base bases[2];
  int mover = -1;
  for (int side = 0; side < 2; side++) {
    bases[side] = base_of(s, roots[side]);
    if (bodies->bodies[own[side]].radius > 0)
      radius = fmin(radius, bodies->bodies[own[side]].radius);
  }
  double gap = fmin(DC_PARTING_MOST_GAP, DC_PARTING_GAP * radius);
  for (int side = 0; side < 2; side++) {
    double move[3];
    if (bases[side].count == 0)
      continue;
    enum dc_status status = dc_contact_parting(s->contact, s->poses, pair, bases[side].count,
                                               (const double(*)[3])bases[side].axes, gap, move);
    if (status == DC_MEMORY)
      return status;
    if (!status && dc_vec_norm(move) < dc_vec_norm(best)) {
      dc_vec_scale(best, move, side ? -1 : 1);
      mover = side;
    }
  }
  if (mover < 0 || !(dc_vec_norm(best) <= DC_PARTING_FARTHEST * reach_of(s, roots[mover])))
    return DC_INFEASIBLE;
  if (bases[0].count == 3 && bases[1].count == 3) {
    dc_vec_scale(best, best, 0.5);
    enum dc_status status =
        move_tree(s, roots[1 - mover], &bases[1 - mover], (double[3]){-best[0], -best[1], -best[2]});
    if (status)
      return status;
  }
  return move_tree(s, roots[mover], &bases[mover], best);
}

// Goes over the pairs until none that is asked for overlaps.  After each translation all overlaps are found
// anew, as a tree that leaves one pair may enter another.  A pair that cannot be parted stays as it is: the
// check of starts reports it later.
static enum dc_status part_all(struct separation *s)
{
  const struct dc_bodies *bodies = &s->build->scene->model.bodies;
  const int(*pairs)[2] = dc_contact_pairs(s->contact);
  bool again = true;
  for (int round = 0; round < MOST_ROUNDS && again; round++) {
    again = false;
    dc_poses(bodies, bodies->initial_q, s->poses);
    dc_contact_overlaps(s->contact, s->poses, s->overlaps);
    for (int p = 0; p < dc_contact_pair_count(s->contact) && !again; p++) {
      int a = pairs[p][0], b = pairs[p][1];
      if (!s->overlaps[p] || !(s->wanted[a] || s->wanted[b]) ||
          dc_body_root(bodies->bodies, a) == dc_body_root(bodies->bodies, b))
        continue;
      enum dc_status status = part_pair(s, p);
      if (status == DC_MEMORY)
        return status;
      again = !status;
    }
  }
  return DC_OK;
}

// Writes the start of a tree into its definition, from which the model is made anew, and notes how far it was
// moved.  Free bodies move their position, others the coordinates of their joint, of which every scalar is
// written.
static enum dc_status keep(struct separation *s, int root)
{
  struct dc_scene *scene = s->build->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_body *body = &bodies->bodies[root];
  struct dc_body_definition *definition = &scene->bodies[root];
  double move[3];
  dc_vec_sub(move, s->poses[root].position, s->first[root].position);
  if (body->free) {
    dc_vec_add(definition->position, definition->position, move);
  } else {
    int count = 0;
    double *starts = dc_arena_alloc(scene->arena, (size_t)body->part_count, sizeof *starts);
    if (!starts)
      return DC_MEMORY;
    for (int p = 0; p < body->part_count; p++)
      if (body->parts[p].kind == DC_PART_SLIDE || body->parts[p].kind == DC_PART_HINGE)
        starts[count++] = bodies->initial_q[body->parts[p].q];
    definition->joint_position = (struct dc_real_list){count, starts};
  }
  return dc_notes_add(&scene->notes, "the start of \"%.200s\" is moved by (%.4g, %.4g, %.4g) m: something overlapped",
                      body->name, move[0], move[1], move[2]);
}

// Marks the bodies of robots that ask for it, parts what overlaps, and keeps the starts of all trees that have
// moved.
static enum dc_status separate(struct separation *s, bool *moved)
{
  struct dc_scene *scene = s->build->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (const struct dc_scene_robot *robot = s->build->robots; robot; robot = robot->next)
    for (int i = 0; i < robot->count && robot->overlaps == DC_OVERLAPS_SEPARATE; i++) {
      int body = dc_name_list_find(&s->build->reader.bodies, robot->bodies[i]);
      if (body >= 0)
        s->wanted[body] = true;
    }
  dc_poses(bodies, bodies->initial_q, s->first);
  enum dc_status status = part_all(s);
  dc_poses(bodies, bodies->initial_q, s->poses);
  for (int i = 0; i < bodies->count && !status; i++)
    if (bodies->bodies[i].parent < 0 && dc_vec_distance(s->poses[i].position, s->first[i].position) > 0) {
      *moved = true;
      status = keep(s, i);
    }
  return status;
}

// Parts starts where an include says "separate".  It needs the built model and contact without excluded pairs,
// and so runs after dc_scene_exclude_pairs.
enum dc_status dc_scene_separate(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  const struct dc_model_definition *definition = &scene->definition;
  bool wanted = false, moved = false;
  for (const struct dc_scene_robot *robot = build->robots; robot; robot = robot->next)
    wanted |= robot->overlaps == DC_OVERLAPS_SEPARATE;
  if (!wanted)
    return DC_OK;
  struct separation s = {.build = build};
  s.contact = dc_contact_create(definition->contact_model, &definition->contact, &scene->model.bodies, build->error);
  if (!s.contact)
    return build->error->status;
  size_t bodies = (size_t)scene->model.bodies.count + 1, pairs = (size_t)dc_contact_pair_count(s.contact) + 1;
  s.poses = dc_alloc(bodies, sizeof *s.poses);
  s.first = dc_alloc(bodies, sizeof *s.first);
  s.wanted = dc_alloc(bodies, sizeof *s.wanted);
  s.overlaps = dc_alloc(pairs, sizeof *s.overlaps);
  enum dc_status status = s.poses && s.first && s.wanted && s.overlaps ? separate(&s, &moved) : DC_MEMORY;
  dc_contact_destroy(s.contact);
  free(s.poses);
  free(s.first);
  free(s.wanted);
  free(s.overlaps);
  if (status)
    return dc_fail(build->error, status, "%s: out of memory", scene->path);
  if (moved && dc_model_create(&scene->model, definition, scene->arena, build->error))
    return dc_json_wrap(&build->root, build->error);
  return DC_OK;
}
