// SPDX-License-Identifier: Apache-2.0
// Frames of SDF: models, links, joints and <frame> elements form one graph, in which every frame has a pose in another
// one.  The pose in the world is found from the world down, once for each frame; a walk that meets a frame that is
// still open has found a circle.  (SDF proposal "Pose Frame Semantics".)
#include <stdlib.h>
#include <string.h>

#include "io/robot/sdf_reader.h"

enum dc_status dc_sdf_add_frame(struct dc_sdf_reader *reader, const struct dc_sdf_frame *frame, int *index)
{
  if (reader->frame_count == DC_SDF_MOST_FRAMES)
    return dc_xml_fail(frame->element, reader->error, DC_BAD_INPUT, "more than %d models, links, joints and frames",
                       DC_SDF_MOST_FRAMES);
  if (dc_grow(&reader->frames, &reader->frame_capacity, reader->frame_count + 1, sizeof *reader->frames))
    return dc_sdf_no_memory(reader);
  *index = (int)reader->frame_count;
  reader->frames[reader->frame_count++] = *frame;
  return DC_OK;
}

// The frame of a scope's own names that has this one, -1 without.
static int find_within(const struct dc_sdf_reader *reader, const struct dc_sdf_scope *scope, const char *name)
{
  size_t length = strlen(scope->prefix);
  for (size_t i = 1; i < reader->frame_count; i++) {
    const char *full = reader->frames[i].name;
    if (strncmp(full, scope->prefix, length) == 0 && strcmp(full + length, name) == 0)
      return (int)i;
  }
  return -1;
}

// Where the names of the only model have no prefix, the world may give them one: "model::link", and "model" is itself.
static int find_in_only(const struct dc_sdf_reader *reader, const struct dc_sdf_scope *world, const char *name)
{
  for (size_t i = 1; i < reader->frame_count; i++) {
    const struct dc_sdf_frame *frame = &reader->frames[i];
    size_t length = strlen(frame->name);  // "model::"
    if (frame->kind != DC_SDF_MODEL || frame->scope != world)
      continue;
    if (strlen(name) + 2 == length && strncmp(name, frame->name, length - 2) == 0)
      return (int)i;
    if (strncmp(name, frame->name, length) == 0)
      return find_within(reader, frame->inner, name + length);
  }
  return -1;
}

// Names are looked for within a scope only, by its prefix.  "__model__" is the scope's own model,
// "inner::__model__" that of a model inside, and "world" the world from everywhere.
int dc_sdf_find_frame(const struct dc_sdf_reader *reader, const struct dc_sdf_scope *scope, const char *name)
{
  if (strcmp(name, "__model__") == 0)
    return scope->frame;
  if (strcmp(name, "world") == 0)
    return 0;
  size_t length = strlen(scope->prefix);
  int found = find_within(reader, scope, name);
  if (found < 0 && scope->flat)
    found = find_in_only(reader, scope, name);
  if (found >= 0)
    return found;
  // "inner::__model__"
  size_t tail = strlen("::__model__"), whole = strlen(name);
  if (whole > tail && strcmp(name + whole - tail, "::__model__") == 0)
    for (size_t i = 1; i < reader->frame_count; i++) {
      const char *full = reader->frames[i].name;
      if (reader->frames[i].kind == DC_SDF_MODEL && strncmp(full, scope->prefix, length) == 0 &&
          strlen(full + length) == whole - tail && strncmp(full + length, name, whole - tail) == 0)
        return (int)i;
    }
  return -1;
}

// Resolves the name of the frame that a pose is relative to, when it is first needed: names may stand before
// what they name.
static enum dc_status find_base(struct dc_sdf_reader *reader, struct dc_sdf_frame *frame)
{
  char quoted[DC_JSON_QUOTED];
  if (!frame->base_name)
    return DC_OK;
  frame->base = dc_sdf_find_frame(reader, frame->scope, frame->base_name);
  if (frame->base < 0)
    return dc_xml_fail(frame->element, reader->error, DC_BAD_INPUT, "there is no frame %s in its model",
                       dc_json_quote(quoted, frame->base_name));
  frame->base_name = NULL;
  return DC_OK;
}

// The pose of frame in that of stop, above it.
static enum dc_status pose_above(struct dc_sdf_reader *reader, int frame, int stop, struct dc_urdf_pose *pose)
{
  *pose = dc_urdf_identity;
  for (size_t hops = 0; frame != stop; hops++) {
    struct dc_sdf_frame *one = &reader->frames[frame];
    enum dc_status status = find_base(reader, one);
    if (status)
      return status;
    if (frame == 0 || one->placed || hops > reader->frame_count)
      return dc_xml_fail(reader->frames[stop].element, reader->error, DC_BAD_INPUT,
                         "its placement_frame does not hang on it");
    dc_urdf_pose_compose(pose, &one->pose, pose);
    frame = one->base;
  }
  return DC_OK;
}

// A placement_frame means that not the model itself but a frame in it is put there, so the pose of that frame in the
// model is taken back.  The way to it may lead through models inside, which stand behind theirs and are settled before.
enum dc_status dc_sdf_place_models(struct dc_sdf_reader *reader)
{
  char quoted[DC_JSON_QUOTED];
  for (int i = (int)reader->frame_count - 1; i > 0; i--) {
    struct dc_sdf_frame *frame = &reader->frames[i];
    struct dc_urdf_pose inside;
    if (!frame->placed)
      continue;
    int placed = dc_sdf_find_frame(reader, frame->inner, frame->placed);
    if (placed < 0)
      return dc_xml_fail(frame->element, reader->error, DC_BAD_INPUT, "placement_frame: there is no frame %s in it",
                         dc_json_quote(quoted, frame->placed));
    enum dc_status status = pose_above(reader, placed, i, &inside);
    if (status)
      return status;
    dc_urdf_pose_invert(&inside, &inside);
    dc_urdf_pose_compose(&frame->pose, &frame->pose, &inside);
    frame->placed = NULL;
  }
  return DC_OK;
}

// States: 0 not looked at, 1 on the way up, 2 done.  The way up ends at a frame that is done; then poses are
// composed on the way back.  No recursion, as files decide how long the way is.
enum dc_status dc_sdf_world_pose(struct dc_sdf_reader *reader, int frame, struct dc_urdf_pose *pose)
{
  // The way up is a list by base; state 1 marks what is on it.
  int at = frame, count = 0, *way = dc_alloc(reader->frame_count, sizeof *way);
  enum dc_status status = way ? DC_OK : dc_sdf_no_memory(reader);
  for (; !status && reader->frames[at].state != 2; at = reader->frames[at].base) {
    struct dc_sdf_frame *one = &reader->frames[at];
    if (one->state == 1)
      status = dc_xml_fail(one->element, reader->error, DC_BAD_INPUT, "poses refer to each other in a circle");
    else
      status = find_base(reader, one);
    if (status)
      break;
    one->state = 1;
    way[count++] = at;
  }
  while (!status && count > 0) {
    int next = way[--count];
    struct dc_sdf_frame *one = &reader->frames[next];
    dc_urdf_pose_compose(&one->world, &reader->frames[one->base].world, &one->pose);
    one->state = 2;
  }
  free(way);
  *pose = reader->frames[frame].world;
  return status;
}

// Follows what a frame is attached to until a link is found: a joint to its child, a model to its canonical
// link, a frame to what it names.  link stays -1 when the way ends at the world.
enum dc_status dc_sdf_link_of(struct dc_sdf_reader *reader, int frame, int *link)
{
  *link = -1;
  for (size_t hops = 0; frame > 0; hops++) {
    const struct dc_sdf_frame *one = &reader->frames[frame];
    if (hops > reader->frame_count)
      return dc_xml_fail(one->element, reader->error, DC_BAD_INPUT, "frames are attached to each other in a circle");
    char quoted[DC_JSON_QUOTED];
    const char *name = NULL;
    if (one->kind == DC_SDF_LINK) {
      *link = one->link;
      return DC_OK;
    }
    if (one->kind == DC_SDF_MODEL) {
      if (one->inner->first_link < 0)
        return dc_xml_fail(one->element, reader->error, DC_BAD_INPUT, "the model has no link");
      frame = one->inner->first_link;
      continue;
    }
    name =
        one->kind == DC_SDF_JOINT ? dc_sdf_text(one->element, "child") : dc_xml_attribute(one->element, "attached_to");
    int next = name && *name ? dc_sdf_find_frame(reader, one->scope, name) : one->scope->frame;
    if (next < 0)
      return dc_xml_fail(one->element, reader->error, DC_BAD_INPUT, "there is no frame %s in its model",
                         dc_json_quote(quoted, name));
    frame = next;
  }
  return DC_OK;
}

// A pose in the frame of a link.  Without "relative_to" it is relative to that link already; otherwise both
// frames are taken to the world and the difference is composed.
enum dc_status dc_sdf_pose_in_link(struct dc_sdf_reader *reader, struct dc_xml_element *element,
                                   const struct dc_sdf_scope *scope, int link_frame, struct dc_urdf_pose *pose)
{
  const char *base;
  char quoted[DC_JSON_QUOTED];
  struct dc_urdf_pose link, other;
  enum dc_status status = dc_sdf_pose(reader, element, pose, &base);
  if (status || !base)
    return status;
  int frame = dc_sdf_find_frame(reader, scope, base);
  if (frame < 0)
    return dc_xml_fail(element, reader->error, DC_BAD_INPUT, "there is no frame %s in its model",
                       dc_json_quote(quoted, base));
  if ((status = dc_sdf_world_pose(reader, link_frame, &link)) || (status = dc_sdf_world_pose(reader, frame, &other)))
    return status;
  dc_urdf_pose_invert(&link, &link);
  dc_urdf_pose_compose(&other, &link, &other);
  dc_urdf_pose_compose(pose, &other, pose);
  return DC_OK;
}
