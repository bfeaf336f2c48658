// SPDX-License-Identifier: Apache-2.0
// Words, numbers and poses of SDF elements.  Whatever is read here is marked as used, so that it is not told as left
// out at the end.  Elements that are missing leave numbers as the caller set them.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "geometry/mesh/mesh_read.h"
#include "io/robot/sdf_reader.h"
#include "math/rotation.h"

// In included files that of their <include>: messages and places are about the model's own file.
size_t dc_sdf_offset(const struct dc_sdf_scope *scope, const struct dc_xml_element *element)
{
  return scope->included ? scope->offset : element->offset;
}

enum dc_status dc_sdf_no_memory(const struct dc_sdf_reader *reader)
{
  return dc_out_of_memory_in(reader->error, reader->urdf->name);
}

// The text of a child element; NULL where there is none.
const char *dc_sdf_text(struct dc_xml_element *element, const char *child)
{
  struct dc_xml_element *found = dc_xml_child(element, child);
  return found ? found->text : NULL;
}

// SDF writes booleans as true, false, 1 or 0.
bool dc_sdf_is_true(const char *text)
{
  return text && (strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

// Exactly count numbers between blanks; infinity is allowed by the word, and by values beyond the limit, since
// files write both for "no limit".
enum dc_status dc_sdf_numbers(struct dc_sdf_reader *reader, struct dc_xml_element *element, int count, double *numbers)
{
  static const char blanks[] = " \t\r\n";
  char quoted[DC_JSON_QUOTED];
  const char *word = element->text;
  bool good = true;
  int found = 0;
  for (word += strspn(word, blanks); *word && good; word += strspn(word, blanks)) {
    size_t length = strcspn(word, blanks);
    double number = 0;
    char *end;
    good = found < count && dc_mesh_parse_number(word, length, &number);
    if (!good && found < count) {  // "inf" of limits
      number = strtod(word, &end);
      good = end == word + length && isinf(number);
    }
    if (good && fabs(number) > DC_URDF_MOST_NUMBER)
      number = copysign(INFINITY, number);
    if (good)
      numbers[found++] = number;
    word += length;
  }
  if (!good || found != count)
    return dc_xml_fail(element, reader->error, DC_BAD_INPUT, "must be %d number%s (is %s)", count, count > 1 ? "s" : "",
                       dc_json_quote(quoted, element->text));
  return DC_OK;
}

// Numbers stay as the caller set them where there is no such child.
enum dc_status dc_sdf_child_numbers(struct dc_sdf_reader *reader, struct dc_xml_element *element, const char *child,
                                    int count, double *numbers)
{
  struct dc_xml_element *found = dc_xml_child(element, child);
  return found ? dc_sdf_numbers(reader, found, count, numbers) : DC_OK;
}

// q = Rz(yaw) Ry(pitch) Rx(roll) as a quaternion, angles in rad: turns about the fixed axes x, y, z in this order.
static void set_rotation(double *q, const double *rpy)
{
  double x[4] = {cos(rpy[0] / 2), sin(rpy[0] / 2), 0, 0}, y[4] = {cos(rpy[1] / 2), 0, sin(rpy[1] / 2), 0},
         z[4] = {cos(rpy[2] / 2), 0, 0, sin(rpy[2] / 2)};
  dc_rotation_multiply(q, y, x);
  dc_rotation_multiply(q, z, q);
}

static enum dc_status refuse_infinite(struct dc_sdf_reader *reader, const struct dc_xml_element *element)
{
  return dc_xml_fail(element, reader->error, DC_BAD_INPUT, "must be finite numbers of at most %g", DC_URDF_MOST_NUMBER);
}

// x y z, then roll, pitch, yaw (in degrees if asked for) or a quaternion with its real part last.  A quaternion
// that is off unit length by a percent is rather a mistake than rounding, and is refused.
enum dc_status dc_sdf_pose(struct dc_sdf_reader *reader, struct dc_xml_element *element, struct dc_urdf_pose *pose,
                           const char **base)
{
  struct dc_xml_element *given = dc_xml_child(element, "pose");
  const char *format, *degrees;
  double n[7] = {0};
  *pose = dc_urdf_identity;
  *base = NULL;
  if (!given)
    return DC_OK;
  *base = dc_xml_attribute(given, "relative_to");
  if (!*base)  // below version 1.7
    *base = dc_xml_attribute(given, "frame");
  if (*base && !**base)
    *base = NULL;
  format = dc_xml_attribute(given, "rotation_format");
  degrees = dc_xml_attribute(given, "degrees");
  if (!*given->text)
    return DC_OK;
  bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
  int count = quaternion ? 7 : 6;
  enum dc_status status = dc_sdf_numbers(reader, given, count, n);
  for (int i = 0; i < count && !status; i++)
    status = isfinite(n[i]) ? DC_OK : refuse_infinite(reader, given);
  if (status)
    return status;
  memcpy(pose->position, n, sizeof pose->position);
  if (quaternion) {
    const double q[4] = {n[6], n[3], n[4], n[5]};
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(square - 1) < 1e-2))
      return dc_xml_fail(given, reader->error, DC_BAD_INPUT, "its quaternion must be of unit length");
    memcpy(pose->rotation, q, sizeof q);
    dc_rotation_normalize(pose->rotation);
  } else {
    for (int i = 3; i < 6 && dc_sdf_is_true(degrees); i++)
      n[i] *= acos(-1) / 180;
    set_rotation(pose->rotation, n + 3);
  }
  return DC_OK;
}
