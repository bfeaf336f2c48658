// SPDX-License-Identifier: Apache-2.0
// The parser of URDF texts: its state and what it reads of attributes.  Private to src/io/robot.
#ifndef DC_IO_URDF_PARSER_H
#define DC_IO_URDF_PARSER_H

#include <expat.h>

#include "io/robot/urdf.h"

// Elements that are read; everything else is skipped with all that is in it.
enum element {
  DOCUMENT,
  ROBOT,
  LINK,
  JOINT,
  MATERIAL,  // of the robot
  INERTIAL,
  VISUAL,
  COLLISION,
  GEOMETRY,
  SURFACE,  // box, sphere, ...
  LOOK,     // material of a visual
  DETAIL,   // without elements inside
  TRANSMISSION,
  ACTUATOR,  // of a transmission
  MUJOCO,    // MuJoCo's settings, whose attributes are told
  ELEMENTS
};

struct material {
  const char *name;
  double rgb[3];
};

// A joint that a transmission names, and the inertia of its rotor as seen at the joint, kg m^2 or kg.
struct driven {
  const char *joint;
  double armature;
};

struct dc_urdf_parser {
  XML_Parser expat;
  struct dc_urdf *urdf;
  struct dc_error *error;
  enum dc_status status;
  size_t begin;  // of what expat reads of the text
  enum element stack[DC_URDF_MOST_DEPTH];
  size_t offsets[DC_URDF_MOST_DEPTH];
  unsigned seen[DC_URDF_MOST_DEPTH];  // one bit for each detail that may stand once
  int depth, skipped;                 // elements that are read, and skipped ones inside
  bool gazebo;                        // the outermost skipped one is <gazebo>
  const char *item;                   // "link" or "joint" that is being read, with its name; NULL: neither
  const char *item_name;
  struct material *materials;
  size_t material_count, material_capacity;
  int robot_materials;   // elements at the top
  struct material look;  // of the visual or material that is being read
  // Names of joints that a transmission moves, and the rotor of the one that is being read.
  struct driven *driven;
  size_t driven_count, driven_capacity, first_driven;
  double rotor, ratio;
  const char *path[DC_URDF_MOST_DEPTH];  // names of open elements
  bool colored;
};

// The place of the element that begins or ends.
size_t dc_urdf_offset_now(const struct dc_urdf_parser *parser);
// The first failure ends the parsing and is kept; the message names the link or joint that is being read.
void dc_urdf_refuse(struct dc_urdf_parser *parser, size_t offset, enum dc_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void dc_urdf_refuse_here(struct dc_urdf_parser *parser, const char *rule);
// Remembers an element or "@attribute" inside of parent (kept) that is not read, unless it is harmless.
void dc_urdf_remember_unread(struct dc_urdf_parser *parser, const char *parent, const char *name);
// Remembers the attributes of an element (its name is kept) that are not read.
void dc_urdf_check_attributes(struct dc_urdf_parser *parser, const char *element, const XML_Char **attributes);
void dc_urdf_out_of_memory(struct dc_urdf_parser *parser);

// The value of an attribute, or NULL; where it is required its lack is refused.
const char *dc_urdf_attribute(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                              const char *name);
const char *dc_urdf_required(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                             const char *name);
// A copy in the robot's arena; NULL for NULL and, refused, without memory.
const char *dc_urdf_copy(struct dc_urdf_parser *parser, const char *text);
// An attribute of exactly count numbers between blanks; left as it is when it is missing.  True when it stands there.
bool dc_urdf_read_numbers(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                          const char *name, int count, double *numbers);
void dc_urdf_require_number(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                            const char *name, double *number);
// The attributes of an <origin>.
void dc_urdf_read_origin(struct dc_urdf_parser *parser, const XML_Char **attributes, struct dc_urdf_pose *origin);

// A <transmission> begins.
void dc_urdf_begin_transmission(struct dc_urdf_parser *parser);
// An element in it: what it is, and the joint that it names.
enum element dc_urdf_in_transmission(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes);
// The inertia of a rotor, or the ratio of its gear, in an <actuator>.
void dc_urdf_read_actuator(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes);
// It ends: its joints get its rotor.
void dc_urdf_end_transmission(struct dc_urdf_parser *parser);
// Once all joints are known: those that transmissions name have actuators, and where there are transmissions the others
// have none.
void dc_urdf_apply_transmissions(struct dc_urdf_parser *parser);

#endif
