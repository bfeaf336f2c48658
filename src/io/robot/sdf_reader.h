// SPDX-License-Identifier: Apache-2.0
// The reader of SDF: its state and what its files share.  Private to src/io/robot.
#ifndef DC_IO_SDF_READER_H
#define DC_IO_SDF_READER_H

#include "io/robot/sdf.h"
#include "io/robot/xml_tree.h"

// A model: a scope of names, whose own frame is called "__model__". The frame of axes that name none: their joint's;
// below version 1.7 the model's where a flag says so, below 1.5 always.
enum dc_sdf_axes { DC_SDF_AXES_OF_JOINT, DC_SDF_AXES_BY_FLAG, DC_SDF_AXES_OF_MODEL };

struct dc_sdf_scope {
  const char *prefix;  // before its names: "" or "outer::inner::"
  struct dc_sdf_scope *parent;
  int frame;  // of the model; of the world: that of the world
  bool is_static, self_collide;
  const char *model;      // its name, for links: of a merged one that of the model around
  const char *folder;     // of its file
  enum dc_sdf_axes axes;  // by its file's version
  int first_link;         // frame of the canonical one, -1 without
  const char *canonical;  // its name where the model gives one
  bool flat;              // names of the only model inside get no prefix
  bool included;          // its file is another one than the reader's
  size_t offset;          // of the outermost include in the reader's file, then
};

enum dc_sdf_frame_kind { DC_SDF_WORLD, DC_SDF_MODEL, DC_SDF_LINK, DC_SDF_JOINT, DC_SDF_FRAME };

// A frame that poses may refer to: its pose in another one, by name at first.
struct dc_sdf_frame {
  const char *name;  // with the prefixes of its scopes
  enum dc_sdf_frame_kind kind;
  struct dc_xml_element *element;
  struct dc_sdf_scope *scope;  // in which it is named, and that of a model itself in inner
  struct dc_sdf_scope *inner;
  const char *base_name;  // NULL: base is known
  int base;               // frame that its pose is given in
  const char *placed;     // of a model: the frame inside whose pose is given; NULL: its own
  struct dc_urdf_pose pose;
  int link;   // of a link
  int state;  // of a walk: 0 new, 1 open, 2 done
  struct dc_urdf_pose world;
};

// The joint that is to lead to a link: its frame, -1 without, and the link above, -1 for the world.
struct dc_sdf_lead {
  int joint, parent;
  bool firm;  // points cannot hold together what it does
};

struct dc_sdf_reader {
  struct dc_urdf *urdf;
  const struct dc_sdf_options *options;
  struct dc_arena *arena;
  struct dc_error *error;
  struct dc_sdf_frame *frames;
  size_t frame_count, frame_capacity;
  struct dc_sdf_lead *leads;  // [links]
  const char *open[DC_SDF_MOST_INCLUDES];  // real paths of files that are being read, outermost first
  int open_count;
  struct dc_xml_file **files;  // all that were read, for what of them was not used
  size_t file_count, file_capacity;
  double gravity[3];
  size_t bytes;  // of all files
};

// The place in the reader's own file that messages about an element refer to.
size_t dc_sdf_offset(const struct dc_sdf_scope *scope, const struct dc_xml_element *element);
enum dc_status dc_sdf_no_memory(const struct dc_sdf_reader *reader);

// Words and numbers of elements (sdf_values.c); all mark what they read as used.
// The text of a child, or NULL.
const char *dc_sdf_text(struct dc_xml_element *element, const char *child);
// Numbers of an element's own text; exactly count.
enum dc_status dc_sdf_numbers(struct dc_sdf_reader *reader, struct dc_xml_element *element, int count, double *numbers);
// Numbers of the text of a child; without the child they stay as they are.
enum dc_status dc_sdf_child_numbers(struct dc_sdf_reader *reader, struct dc_xml_element *element, const char *child,
                                    int count, double *numbers);
bool dc_sdf_is_true(const char *text);
// The <pose> of an element: identity without; *base: the frame that it names, NULL without.
enum dc_status dc_sdf_pose(struct dc_sdf_reader *reader, struct dc_xml_element *element, struct dc_urdf_pose *pose,
                           const char **base);

// Frames (sdf_frames.c).
// Adds a frame called prefix + name; *index gets its number.
enum dc_status dc_sdf_add_frame(struct dc_sdf_reader *reader, const struct dc_sdf_frame *frame, int *index);
// Poses of models become those of the models themselves, whatever their placement_frame; once all frames are known.
enum dc_status dc_sdf_place_models(struct dc_sdf_reader *reader);
// The frame that name means in a scope, -1 without.
int dc_sdf_find_frame(const struct dc_sdf_reader *reader, const struct dc_sdf_scope *scope, const char *name);
// The pose of a frame in the world; frames that refer to each other in a circle are refused.
enum dc_status dc_sdf_world_pose(struct dc_sdf_reader *reader, int frame, struct dc_urdf_pose *pose);
// The link that a frame is attached to, -1 for the world.
enum dc_status dc_sdf_link_of(struct dc_sdf_reader *reader, int frame, int *link);
// The pose of an element that stands in a link: relative to a frame if it names one.
enum dc_status dc_sdf_pose_in_link(struct dc_sdf_reader *reader, struct dc_xml_element *element,
                                   const struct dc_sdf_scope *scope, int link_frame, struct dc_urdf_pose *pose);

// Links (sdf_links.c) and joints (sdf_joints.c), once all frames are known.
enum dc_status dc_sdf_read_link(struct dc_sdf_reader *reader, int frame);
// Which joints lead to links, where several do; before the joints are read.
enum dc_status dc_sdf_choose_joints(struct dc_sdf_reader *reader);
enum dc_status dc_sdf_read_joint(struct dc_sdf_reader *reader, int frame);
// Joints of what no joint holds to the world.
enum dc_status dc_sdf_hold_roots(struct dc_sdf_reader *reader);

// Tells of what does not act (sdf_attributes.c).
enum dc_status dc_sdf_tell_unused(struct dc_sdf_reader *reader);

#endif
