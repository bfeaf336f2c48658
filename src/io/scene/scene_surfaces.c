// SPDX-License-Identifier: Apache-2.0
// Starts at which a round body overlaps and its mesh does not.
//
// The mesh of a sphere or a capsule is inscribed: a ball of radius r that stands at a height a little below r is free
// as a polyhedron and overlaps as a ball.  Where its surface was left to "auto", contact takes its triangles, so that
// such a scene opens:
//
// 1. Pairs that overlap as leaves name the round shapes of theirs that were not asked for.
// 2. Their leaves are taken away, and shapes of pairs that are free now keep their mesh; the others get leaves back.
// 3. The model is made anew, as the masses of a mesh are those of the polyhedron.  A note names each body.
#include <stdlib.h>

#include "contact/contact.h"
#include "geometry/shapes/shape_types.h"
#include "io/scene/scene_build.h"

// The workspace of the three steps; everything but the scene is freed by dc_scene_keep_meshes.
struct surfaces {
  struct dc_scene_build *build;
  struct dc_contact *round;  // sees all leaves
  struct dc_pose *poses;     // [bodies]
  bool *before, *after;      // [pairs] overlap with leaves, with triangles instead of those in question
  struct shape_choice {
    int leaves;                // of the shape as it was built
    bool in_question, chosen;  // its pairs overlap as leaves; not as triangles
  } * shapes;                  // [shapes]
};

// Whether contact would see round leaves (spheres or capsules with a radius) that the scene did not ask for.
static bool is_round(const struct dc_shape *shape)
{
  bool round = false;
  for (int i = 0; i < shape->leaf_count; i++)
    round |= shape->leaves[i].radius > 0;
  return round && !shape->leaves_required;
}

// Most scenes end here, before contact is built a second time.
static bool has_round_shapes(const struct dc_scene *scene)
{
  for (int i = 0; i < scene->definition.shape_count; i++)
    if (is_round(&scene->shapes[i]))
      return true;
  return false;
}

// The choice for the shape of one body of a pair; NULL: it is none of the scene's, or not round.
static struct shape_choice *choice_of(const struct surfaces *s, int pair, int side)
{
  const struct dc_scene *scene = s->build->scene;
  int body = dc_contact_pairs(s->round)[pair][side];
  const struct dc_shape *shape = scene->model.bodies.bodies[body].shape;
  for (int i = 0; i < scene->definition.shape_count; i++)
    if (shape == &scene->shapes[i])
      return s->shapes[i].leaves > 0 && dc_contact_leaves(s->round, body) > 0 ? &s->shapes[i] : NULL;
  return NULL;
}

// Finds the pairs that overlap at the start while all leaves are in place, and puts the round shapes of these
// pairs in question.  False: there are none, and nothing has to be done.
static bool find_overlaps(struct surfaces *s)
{
  bool any = false;
  dc_poses(&s->build->scene->model.bodies, s->build->scene->model.bodies.initial_q, s->poses);
  dc_contact_overlaps(s->round, s->poses, s->before);
  for (int p = 0; p < dc_contact_pair_count(s->round); p++)
    for (int side = 0; side < 2 && s->before[p]; side++) {
      struct shape_choice *choice = choice_of(s, p, side);
      if (choice)
        any = choice->in_question = true;
    }
  return any;
}

// Makes contact once more with the leaves of the shapes in question taken away, and asks for overlaps again.  A
// shape is chosen to keep its mesh if that frees one of its pairs.  All leaves are given back before anything
// else happens; the shapes that were chosen are built anew later.
static enum dc_status try_meshes(struct surfaces *s)
{
  struct dc_scene *scene = s->build->scene;
  const struct dc_model_definition *definition = &scene->definition;
  for (int i = 0; i < definition->shape_count; i++)
    if (s->shapes[i].in_question)
      scene->shapes[i].leaf_count = 0;
  struct dc_contact *contact =
      dc_contact_create(definition->contact_model, &definition->contact, &scene->model.bodies, s->build->error);
  if (contact)
    dc_contact_overlaps(contact, s->poses, s->after);
  for (int i = 0; i < definition->shape_count; i++)
    if (s->shapes[i].in_question)
      scene->shapes[i].leaf_count = s->shapes[i].leaves;
  for (int p = 0; p < dc_contact_pair_count(s->round) && contact; p++)
    for (int side = 0; side < 2; side++) {
      struct shape_choice *choice = s->before[p] && !s->after[p] ? choice_of(s, p, side) : NULL;
      if (choice)
        choice->chosen = true;
    }
  dc_contact_destroy(contact);
  return contact ? DC_OK : s->build->error->status;
}

// The depth is that of the round bodies, m.
static enum dc_status note_pair(const struct surfaces *s, int pair, int side)
{
  const struct dc_body *bodies = s->build->scene->model.bodies.bodies;
  const int *own = dc_contact_pairs(s->round)[pair];
  return dc_notes_add(
      &s->build->scene->notes,
      "contact sees the mesh of \"%.200s\": as a round body it overlaps with \"%.200s\" at the start, by "
      "%.3g m; \"surface\": \"mesh\" of its shape says so, and a start farther away makes it round",
      bodies[own[side]].name, bodies[own[1 - side]].name, dc_contact_overlap_depth(s->round, s->poses, pair));
}

// A note for every body whose shape keeps its mesh because of a pair of its own, at the first such pair.
static enum dc_status note_bodies(const struct surfaces *s)
{
  enum dc_status status = DC_OK;
  for (int p = 0; p < dc_contact_pair_count(s->round) && !status; p++)
    for (int side = 0; side < 2 && !status; side++) {
      struct shape_choice *choice = s->before[p] && !s->after[p] ? choice_of(s, p, side) : NULL;
      if (choice && choice->in_question)
        status = note_pair(s, p, side);
      if (choice)
        choice->in_question = false;
    }
  return status;
}

// A compound has no surface of its own: it loses the leaves of its members.
static enum dc_status keep_mesh(struct surfaces *s, struct dc_shape *shape)
{
  if (shape->type == &dc_shape_compound) {
    shape->leaf_count = 0;
    return DC_OK;
  }
  dc_shape_keep_mesh(shape->type, (void *)shape->options);
  return dc_scene_build_shape(s->build, shape, s->build->error);
}

// The three steps of the head.  Notes are written before shapes change, because they tell by how much the round
// bodies overlap.
static enum dc_status choose(struct surfaces *s)
{
  struct dc_scene *scene = s->build->scene;
  if (!find_overlaps(s))
    return DC_OK;
  enum dc_status status = try_meshes(s);
  if (!status && (status = note_bodies(s)))
    dc_fail(s->build->error, status, "%s: out of memory", scene->path);
  bool changed = false;
  for (int i = 0; i < scene->definition.shape_count && !status; i++)
    if (s->shapes[i].chosen) {
      status = keep_mesh(s, &scene->shapes[i]);
      changed = true;
    }
  if (!status && changed && dc_model_create(&scene->model, &scene->definition, scene->arena, s->build->error))
    status = dc_json_wrap(&s->build->root, s->build->error);
  return status;
}

// Looks for such starts where the scene has round shapes at all, as a contact problem is built for it.
enum dc_status dc_scene_keep_meshes(struct dc_scene_build *build)
{
  const struct dc_scene *scene = build->scene;
  const struct dc_model_definition *definition = &scene->definition;
  if (!has_round_shapes(scene))
    return DC_OK;
  struct surfaces s = {.build = build};
  s.round = dc_contact_create(definition->contact_model, &definition->contact, &scene->model.bodies, build->error);
  if (!s.round)
    return build->error->status;
  size_t bodies = (size_t)scene->model.bodies.count + 1, pairs = (size_t)dc_contact_pair_count(s.round) + 1;
  s.poses = dc_alloc(bodies, sizeof *s.poses);
  s.before = dc_alloc(pairs, sizeof *s.before);
  s.after = dc_alloc(pairs, sizeof *s.after);
  s.shapes = dc_alloc((size_t)definition->shape_count, sizeof *s.shapes);
  enum dc_status status = DC_OK;
  for (int i = 0; i < definition->shape_count && s.shapes; i++)
    s.shapes[i].leaves = is_round(&scene->shapes[i]) ? scene->shapes[i].leaf_count : 0;
  if (s.poses && s.before && s.after && s.shapes)
    status = choose(&s);
  else
    status = dc_fail(build->error, DC_MEMORY, "%s: out of memory", scene->path);
  dc_contact_destroy(s.round);
  free(s.poses);
  free(s.before);
  free(s.after);
  free(s.shapes);
  return status;
}
