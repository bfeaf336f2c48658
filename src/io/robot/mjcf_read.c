// SPDX-License-Identifier: Apache-2.0
// Values of attributes and classes of defaults of an MJCF tree.
//
// Defaults are applied in turn, from the main class down to that of the element, then the element's own attributes:
// each time those that are given replace what is there.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/mesh_read.h"
#include "io/json/json_value.h"
#include "io/robot/mjcf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

static const char blanks[] = " \t\r\n";

// The first refusal counts, with the place of its element; reading goes on without effect, so that callers need not
// look each time.
void dc_mjcf_refuse(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, enum dc_status status,
                    const char *format, ...)
{
  char text[600];
  if (reader->status)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  reader->status = dc_mjcf_fail(node, reader->error, status, "%s", text);
}

// Asking for an attribute marks it as used.  An attribute that the list of known ones does not say to act is
// not handed out, even to code that asks for it: so the list cannot promise less than the reader does.
const char *dc_mjcf_text(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute)
{
  (void)reader;
  for (int i = 0; i < node->attribute_count; i++) {
    if (strcmp(node->attributes[i].name, attribute) != 0)
      continue;
    const struct dc_mjcf_known *known = dc_mjcf_find_known(node, attribute);
    if (!known || known->role != DC_MJCF_ACTS)
      return NULL;
    node->attributes[i].used = true;
    return node->attributes[i].value;
  }
  return NULL;
}

// NULL of NULL, and after a refusal for want of memory.
const char *dc_mjcf_copy(struct dc_mjcf_reader *reader, const char *text)
{
  const char *copy = text ? dc_arena_strdup(reader->arena, text) : NULL;
  if (text && !copy)
    dc_mjcf_refuse(reader, reader->model->root, DC_MEMORY, "out of memory");
  return copy;
}

// The next word as a finite number; *text moves behind it.  MuJoCo takes "inf" and "nan" as well.
static bool next_number(const char **text, double *number)
{
  size_t length = strcspn(*text, blanks);
  const char *word = *text;
  *text += length;
  return dc_mesh_parse_number(word, length, number);
}

// All words must be finite numbers within the limit, and as many as allowed.  A list that is not good is
// refused and counts as not given, so callers keep their defaults and only look at reader->status later.
// Returns how many numbers were read into numbers [most]; 0: none is given, or they are refused.
int dc_mjcf_numbers(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute, int least,
                    int most, double *numbers)
{
  char quoted[DC_JSON_QUOTED];
  const char *text = dc_mjcf_text(reader, node, attribute), *word = text;
  int count = 0;
  bool good = true;
  double number = 0;
  if (!text)
    return 0;
  for (word += strspn(word, blanks); *word && good; word += strspn(word, blanks)) {
    good = count < most && next_number(&word, &number) && fabs(number) <= DC_URDF_MOST_NUMBER;
    if (good)
      numbers[count++] = number;
  }
  if (good && count >= least)
    return count;
  char range[40];
  snprintf(range, sizeof range, least == most ? "%d" : "%d to %d", least, most);
  dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "%s must be %s finite number%s of at most %g (is %s)", attribute, range,
                 most > 1 ? "s" : "", DC_URDF_MOST_NUMBER, dc_json_quote(quoted, text));
  return 0;
}

// The number stays as it is where the attribute is not given.
void dc_mjcf_number(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                    double *number)
{
  dc_mjcf_numbers(reader, node, attribute, 1, 1, number);
}

// MJCF writes integers as any number: 3.0 is a whole one.
void dc_mjcf_integer(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute, int *number)
{
  double value = *number;
  if (!dc_mjcf_numbers(reader, node, attribute, 1, 1, &value))
    return;
  if (value != floor(value) || fabs(value) > 2147483647)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "%s must be a whole number (is %.10g)", attribute, value);
  else
    *number = (int)value;
}

// Counts the words first, so that the memory fits; too many are refused before it is asked for.
int dc_mjcf_list(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute, int most,
                 double **numbers)
{
  const char *text = dc_mjcf_text(reader, node, attribute), *word;
  int count = 0;
  *numbers = NULL;
  if (!text)
    return 0;
  for (word = text + strspn(text, blanks); *word && count <= most; word += strspn(word, blanks), count++)
    word += strcspn(word, blanks);
  if (count > most) {
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "%s must be at most %d numbers", attribute, most);
    return 0;
  }
  *numbers = dc_arena_alloc(reader->arena, (size_t)count + 1, sizeof **numbers);
  if (!*numbers) {
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
    return 0;
  }
  return dc_mjcf_numbers(reader, node, attribute, 0, count, *numbers);
}

// The message lists all words, as few know the format by heart.
void dc_mjcf_choose(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                    const char *const *words, int *choice)
{
  char quoted[DC_JSON_QUOTED], listed[DC_JSON_LISTED];
  const char *text = dc_mjcf_text(reader, node, attribute);
  int i = 0, count = 0;
  if (!text)
    return;
  while (words[i] && strcmp(words[i], text) != 0)
    i++;
  while (words[count])
    count++;
  if (words[i])
    *choice = i;
  else
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "%s must be one of %s (is %s)", attribute,
                   dc_json_list_names(listed, words, count), dc_json_quote(quoted, text));
}

// Rotations.

// The shortest turn.  Opposite directions have no single one; the half turn about x is taken, as in MuJoCo.
void dc_mjcf_z_to(const double direction[3], double rotation[4])
{
  static const double z[3] = {0, 0, 1};
  double axis[3], length = dc_vec_norm(direction), sine, angle;
  dc_vec_cross(axis, z, direction);
  sine = dc_vec_norm(axis);
  angle = atan2(sine, direction[2]);
  if (sine < 1e-14 * length) {
    memcpy(axis, (double[3]){1, 0, 0}, sizeof axis);
    sine = 1;
  }
  dc_vec_scale(axis, axis, angle / sine);
  dc_rotation_exp(rotation, axis);
}

// Letters in lower case turn about the axes that the turns before have moved, capitals about those that stay.
void dc_mjcf_euler(const struct dc_mjcf_reader *reader, const double angles[3], double rotation[4])
{
  memcpy(rotation, (double[4]){1, 0, 0, 0}, 4 * sizeof *rotation);
  for (int k = 0; k < 3; k++) {
    double turn[3] = {0, 0, 0}, step[4];
    char letter = reader->euler[k];
    bool moving = letter >= 'x';
    turn[letter - (moving ? 'x' : 'X')] = angles[k] * (reader->degrees ? M_PI / 180 : 1);
    dc_rotation_exp(step, turn);
    if (moving)
      dc_rotation_multiply(rotation, rotation, step);
    else
      dc_rotation_multiply(rotation, step, rotation);
  }
}

// False: refused, as the direction is zero (or, within xyaxes, parallel to the other).
static bool normalize(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                      double *vector)
{
  double length = dc_vec_norm(vector);
  if (!(length > 1e-14)) {
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "%s: its directions must not be zero or parallel", attribute);
    return false;
  }
  dc_vec_scale(vector, vector, 1 / length);
  return true;
}

// The rotation with these as its x and y axes, y made perpendicular; by the largest of the quaternion's components.
// The quaternion is found from the largest of its components (Shepperd's method), so that no small number is divided
// by.
void dc_mjcf_axes(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, double axes[6], double rotation[4])
{
  double *x = axes, *y = axes + 3, z[3];
  if (!normalize(reader, node, "xyaxes", x))
    return;
  dc_vec_add_scaled(y, y, -dc_vec_dot(x, y), x);
  if (!normalize(reader, node, "xyaxes", y))
    return;
  dc_vec_cross(z, x, y);
  const double m[3][3] = {{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}};
  double trace = m[0][0] + m[1][1] + m[2][2];
  int i = m[1][1] > m[0][0] ? 1 : 0;
  if (m[2][2] > m[i][i])
    i = 2;
  if (trace > m[i][i]) {
    rotation[0] = 1 + trace;
    rotation[1] = m[2][1] - m[1][2];
    rotation[2] = m[0][2] - m[2][0];
    rotation[3] = m[1][0] - m[0][1];
  } else {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    rotation[0] = m[k][j] - m[j][k];
    rotation[1 + i] = 1 + m[i][i] - m[j][j] - m[k][k];
    rotation[1 + j] = m[j][i] + m[i][j];
    rotation[1 + k] = m[k][i] + m[i][k];
  }
  dc_rotation_normalize(rotation);
}

// quat, axisangle, xyaxes, zaxis and euler; rotation is left as it is when none is given.  At most one of the five
// should be; of several the last one in this order counts.
static void read_rotation(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, double rotation[4])
{
  double numbers[6];
  if (dc_mjcf_numbers(reader, node, "quat", 4, 4, numbers)) {
    double length = sqrt(numbers[0] * numbers[0] + dc_vec_dot(numbers + 1, numbers + 1));
    if (!(length > 1e-14)) {
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "quat must not be zero");
      return;
    }
    memcpy(rotation, numbers, 4 * sizeof *rotation);
    dc_rotation_normalize(rotation);
  }
  if (dc_mjcf_numbers(reader, node, "axisangle", 4, 4, numbers) && normalize(reader, node, "axisangle", numbers)) {
    dc_vec_scale(numbers, numbers, numbers[3] * (reader->degrees ? M_PI / 180 : 1));
    dc_rotation_exp(rotation, numbers);
  }
  if (dc_mjcf_numbers(reader, node, "xyaxes", 6, 6, numbers))
    dc_mjcf_axes(reader, node, numbers, rotation);
  if (dc_mjcf_numbers(reader, node, "zaxis", 3, 3, numbers) && normalize(reader, node, "zaxis", numbers))
    dc_mjcf_z_to(numbers, rotation);
  if (dc_mjcf_numbers(reader, node, "euler", 3, 3, numbers))
    dc_mjcf_euler(reader, numbers, rotation);
}

// Position, m, and rotation keep what they had where the element says nothing, which is how defaults act.
void dc_mjcf_pose(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct dc_urdf_pose *pose)
{
  dc_mjcf_numbers(reader, node, "pos", 3, 3, pose->position);
  read_rotation(reader, node, pose->rotation);
}

// Classes.

// The first entry of a class; -1: no such class.
static int find_class(const struct dc_mjcf_reader *reader, const char *name)
{
  for (size_t c = 0; c < reader->class_count; c++)
    if (strcmp(reader->classes[c].name, name) == 0)
      return (int)c;
  return -1;
}

// Applies a class: the chain up to the main one is gathered first and then walked downwards, so that inner
// classes replace what outer ones say.
static void apply_class(struct dc_mjcf_reader *reader, int class, const struct dc_mjcf_node *node,
                        bool (*is_like)(const struct dc_mjcf_node *, const struct dc_mjcf_node *), dc_mjcf_apply *apply,
                        void *target)
{
  int chain[DC_MJCF_MOST_DEPTH], count = 0;
  for (; class >= 0 && count < DC_MJCF_MOST_DEPTH; class = reader->classes[class].parent)
    chain[count++] = class;
  while (count-- > 0) {
    // A class may be spread over several <default> elements of one name; classes[] has an entry for each, in the
    // order of the file.  A class that is nested copies the one around at its own beginning.  Therefore only entries
    // before it count of an outer class, and what the outer one gets later does not reach it.
    const char *name = reader->classes[chain[count]].name;
    size_t end = count > 0 ? (size_t)chain[count - 1] : reader->class_count;
    for (size_t c = 0; c < end; c++) {
      if (strcmp(reader->classes[c].name, name) != 0)
        continue;
      for (const struct dc_mjcf_node *child = reader->classes[c].node->first; child; child = child->next)
        if (is_like ? is_like(node, child) : strcmp(child->name, node->name) == 0)
          apply(reader, child, target);
    }
  }
}

// The class is the element's own, else the one in force by "childclass", else the main one.  "main" may be
// named even if no <default> makes it.
void dc_mjcf_apply_all(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *childclass,
                       bool (*is_like)(const struct dc_mjcf_node *node, const struct dc_mjcf_node *candidate),
                       dc_mjcf_apply *apply, void *target)
{
  char quoted[DC_JSON_QUOTED];
  const char *name = dc_mjcf_text(reader, node, "class");
  if (!name)
    name = childclass;
  int class = name ? find_class(reader, name) : reader->class_count ? 0 : -1;
  if (name && class < 0 && strcmp(name, "main") != 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "there is no class %s of defaults", dc_json_quote(quoted, name));
  if (class >= 0)
    apply_class(reader, class, node, is_like, apply, target);
  apply(reader, node, target);
}

// All lists of the model hold structs whose first member is the name, which makes one search do for all.
int dc_mjcf_find_named(const void *items, size_t count, size_t size, const char *name)
{
  for (size_t i = 0; i < count; i++) {
    const char *own = *(const char *const *)((const char *)items + i * size);
    if (own && strcmp(own, name) == 0)
      return (int)i;
  }
  return -1;
}

// Remembers an element that has no counterpart in a scene, for the notes.
void dc_mjcf_name_it(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  struct dc_mjcf *model = reader->model;
  if (dc_grow(&model->named, &model->room.named, model->named_count + 1, sizeof *model->named))
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  else
    model->named[model->named_count++] = node;
}
