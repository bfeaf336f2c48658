// SPDX-License-Identifier: Apache-2.0
// Attributes of URDF elements, and what is said where they are wrong.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh/mesh_read.h"
#include "io/robot/attribute_table.h"
#include "io/robot/urdf_parser.h"
#include "math/rotation.h"

// Bytes from the beginning of the file to the element that is being read.
size_t dc_urdf_offset_now(const struct dc_urdf_parser *parser)
{
  return parser->begin + (size_t)XML_GetCurrentByteIndex(parser->expat);
}

// The first failure ends the parsing.  The link or joint that is being read is named, as lines of generated
// files mean little.
void dc_urdf_refuse(struct dc_urdf_parser *parser, size_t offset, enum dc_status status, const char *format, ...)
{
  char text[500], quoted[DC_JSON_QUOTED];
  if (parser->status)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (parser->item && parser->item_name)
    dc_urdf_fail(parser->urdf, offset, parser->error, status, "%s %s: %s", parser->item,
                 dc_json_quote(quoted, parser->item_name), text);
  else
    dc_urdf_fail(parser->urdf, offset, parser->error, status, "%s", text);
  parser->status = status;
  XML_StopParser(parser->expat, XML_FALSE);
}

void dc_urdf_refuse_here(struct dc_urdf_parser *parser, const char *rule)
{
  dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "%s", rule);
}

void dc_urdf_out_of_memory(struct dc_urdf_parser *parser)
{
  dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_MEMORY, "out of memory");
}

// An expression of xacro shows that the file has not been expanded; without this check the message would be
// about a bad number.
const char *dc_urdf_attribute(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                              const char *name)
{
  for (int i = 0; attributes[i]; i += 2)
    if (strcmp(attributes[i], name) == 0) {
      const char *value = attributes[i + 1];
      if (strstr(value, "${") || strstr(value, "$("))
        dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT,
                       "<%.40s>: %s holds a xacro expression; run xacro on the file first", element, name);
      return value;
    }
  return NULL;
}

// The value; NULL after a refusal.
const char *dc_urdf_required(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                             const char *name)
{
  const char *value = dc_urdf_attribute(parser, element, attributes, name);
  if (!value)
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "<%.40s>: missing attribute \"%s\"", element,
                   name);
  return value;
}

const char *dc_urdf_copy(struct dc_urdf_parser *parser, const char *text)
{
  char *copied = text ? dc_arena_strdup(parser->urdf->arena, text) : NULL;
  if (text && !copied)
    dc_urdf_out_of_memory(parser);
  return copied;
}

// Refuses anything but exactly count finite numbers.  True: the attribute is there.
bool dc_urdf_read_numbers(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                          const char *name, int count, double *numbers)
{
  static const char blanks[] = " \t\r\n";
  char quoted[DC_JSON_QUOTED];
  const char *text = dc_urdf_attribute(parser, element, attributes, name), *word = text;
  if (!text)
    return false;
  int found = 0;
  bool good = true;
  for (word += strspn(word, blanks); *word && good; word += strspn(word, blanks)) {
    size_t length = strcspn(word, blanks);
    double number = 0;
    good = found < count && dc_mesh_parse_number(word, length, &number) && fabs(number) <= DC_URDF_MOST_NUMBER;
    if (good)
      numbers[found++] = number;
    word += length;
  }
  if (!good || found != count)
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT,
                   "<%.40s>: %s must be %d finite number%s of at most %g (is %s)", element, name, count,
                   count > 1 ? "s" : "", DC_URDF_MOST_NUMBER, dc_json_quote(quoted, text));
  return true;
}

// The number stays as it is if the attribute is missing or wrong, which the parser's status tells.
void dc_urdf_require_number(struct dc_urdf_parser *parser, const XML_Char *element, const XML_Char **attributes,
                            const char *name, double *number)
{
  if (dc_urdf_required(parser, element, attributes, name))
    dc_urdf_read_numbers(parser, element, attributes, name, 1, number);
}

// Rz(y) Ry(p) Rx(r) from half angles.
static void set_rotation(double *q, const double *rpy)
{
  double cr = cos(rpy[0] / 2), sr = sin(rpy[0] / 2), cp = cos(rpy[1] / 2), sp = sin(rpy[1] / 2);
  double cy = cos(rpy[2] / 2), sy = sin(rpy[2] / 2);
  q[0] = cr * cp * cy + sr * sp * sy;
  q[1] = sr * cp * cy - cr * sp * sy;
  q[2] = cr * sp * cy + sr * cp * sy;
  q[3] = cr * cp * sy - sr * sp * cy;
}

// xyz in m; rpy are roll, pitch and yaw, rad, about the fixed axes x, y, z in this order, as URDF defines them; in their
// place version 1.1 of the format has a quaternion, its scalar last.
void dc_urdf_read_origin(struct dc_urdf_parser *parser, const XML_Char **attributes, struct dc_urdf_pose *origin)
{
  double rpy[3] = {0, 0, 0}, q[4];
  dc_urdf_read_numbers(parser, "origin", attributes, "xyz", 3, origin->position);
  if (dc_urdf_read_numbers(parser, "origin", attributes, "rpy", 3, rpy))
    set_rotation(origin->rotation, rpy);
  if (parser->status || !dc_urdf_read_numbers(parser, "origin", attributes, "quat_xyzw", 4, q))
    return;
  if (dc_urdf_attribute(parser, "origin", attributes, "rpy"))
    dc_urdf_refuse_here(parser, "<origin>: has both rpy and quat_xyzw");
  else if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-20))
    dc_urdf_refuse_here(parser, "<origin>: quat_xyzw must not be zero");
  if (parser->status)
    return;
  memcpy(origin->rotation, (double[4]){q[3], q[0], q[1], q[2]}, sizeof origin->rotation);
  dc_rotation_normalize(origin->rotation);
}

// Counts an element or attribute ("@name") that has no effect here, once for each kind and parent.  Rows that
// act or are harmless are passed over.
void dc_urdf_remember_unread(struct dc_urdf_parser *parser, const char *parent, const char *name)
{
  struct dc_urdf *urdf = parser->urdf;
  const struct dc_attribute_row *row = dc_attribute_find(dc_urdf_rows, parent, name);
  bool known = row->parent || row->name;
  if (known && row->kind != DC_ATTRIBUTE_ABSENT)
    return;
  for (size_t i = 0; i < urdf->unread_count; i++)
    if (strcmp(urdf->unread[i].name, name) == 0 && strcmp(urdf->unread[i].parent, parent) == 0) {
      urdf->unread[i].count++;
      return;
    }
  if (dc_grow(&urdf->unread, &urdf->unread_capacity, urdf->unread_count + 1, sizeof *urdf->unread)) {
    dc_urdf_out_of_memory(parser);
    return;
  }
  urdf->unread[urdf->unread_count++] = (struct dc_urdf_unread){
      parent, dc_urdf_copy(parser, name), known ? row->effect : NULL, dc_urdf_offset_now(parser), 1};
}

// Notes all attributes of an element that have no effect here; names of XML name spaces are none of the robot's.
void dc_urdf_check_attributes(struct dc_urdf_parser *parser, const char *element, const XML_Char **attributes)
{
  char name[80];
  for (int i = 0; attributes[i] && !parser->status && element; i += 2) {
    snprintf(name, sizeof name, "@%.70s", attributes[i]);
    if (strncmp(name, "@xmlns", 6) != 0)
      dc_urdf_remember_unread(parser, element, name);
  }
}
