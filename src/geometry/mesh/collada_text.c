// SPDX-License-Identifier: Apache-2.0
// COLLADA files have an axis and an angle in <rotate>.  Assimp takes the axis to be of unit length, and shears the mesh
// where it is not; it passes over <skew> and over the poses of skins without a word, and its <lookat> shears.  So each
// <rotate> of another length is written anew here, and the others are refused.
#include "geometry/mesh/collada_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double SAME = 1e-9;  // lengths of axes that are left as they are differ from 1 by no more

// Whether an element of this name begins at text.
static bool begins(const char *text, const char *name)
{
  size_t length = strlen(name);
  return text[0] == '<' && strncmp(text + 1, name, length) == 0 && strchr("> \t\r\n/", text[1 + length]) != NULL;
}

// The four numbers of an element: the first byte behind them, NULL for anything else.
static const char *read_numbers(const char *text, double numbers[4])
{
  const char *at = strchr(text, '>');
  for (int i = 0; i < 4 && at; i++) {
    char *end;
    numbers[i] = strtod(i == 0 ? at + 1 : at, &end);
    at = end != at && isfinite(numbers[i]) ? end : NULL;
  }
  return at;
}

// The length of the axis, which the first three of the four numbers are.
static double length_of(const double *v)
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The line is counted only for a message: text is where the file begins, at where it breaks the rule.
static enum dc_status refuse(const char *text, const char *at, struct dc_error *error, const char *what)
{
  long line = 1;
  for (const char *c = text; c < at; c++)
    line += *c == '\n';
  return dc_fail(error, DC_BAD_INPUT, "line %ld: %s", line, what);
}

// Elements whose meaning Assimp does not have.
static const char *refused_element(const char *at)
{
  static const char *const names[] = {"skew", "lookat", "instance_controller"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (begins(at, names[k]))
      return names[k];
  return NULL;
}

// 1. A first pass refuses elements and axes of length 0, and counts the axes that are not of unit length.
// 2. Without any the bytes stay those of the file, and nothing is copied.
// 3. A second pass copies the text up to each such <rotate>, writes its numbers anew, and goes on behind them.
enum dc_status dc_collada_prepare(const struct dc_mesh_file *file, char **bytes, size_t *size, struct dc_error *error)
{
  enum { LONGEST = 128 };  // four numbers written anew
  size_t axes = 0;
  *bytes = (char *)file->bytes;
  *size = file->size;
  char *text = dc_alloc(file->size + 1, 1);  // with a zero behind it
  if (!text)
    return dc_out_of_memory(error);
  memcpy(text, file->bytes, file->size);
  enum dc_status status = DC_OK;
  for (const char *at = text; (at = strchr(at, '<')) && !status; at++) {
    double numbers[4];
    const char *strange = refused_element(at);
    if (strange) {
      char what[80];
      snprintf(what, sizeof what, "<%s> is not read", strange);
      status = refuse(text, at, error, what);
    }
    if (!begins(at, "rotate") || !read_numbers(at, numbers))
      continue;
    double length = length_of(numbers);
    if (!(length > 0))
      status = refuse(text, at, error, "<rotate> must have an axis that is not zero");
    axes += fabs(length - 1) > SAME;
  }
  char *made = status || !axes ? NULL : dc_alloc(file->size + 1 + axes * LONGEST, 1);
  if (!status && axes && !made)
    status = dc_out_of_memory(error);
  size_t count = 0;
  const char *from = text;
  for (const char *at = text; made && (at = strchr(at, '<')); at++) {
    double n[4];
    const char *end = begins(at, "rotate") ? read_numbers(at, n) : NULL, *inner = end ? strchr(at, '>') + 1 : NULL;
    double length = end ? length_of(n) : 1;
    if (!end || fabs(length - 1) <= SAME)
      continue;
    memcpy(made + count, from, (size_t)(inner - from));
    count += (size_t)(inner - from);
    count += (size_t)snprintf(made + count, LONGEST, "%.17g %.17g %.17g %.17g", n[0] / length, n[1] / length,
                              n[2] / length, n[3]);
    from = end;
  }
  if (made) {
    memcpy(made + count, from, (size_t)(text + file->size - from));
    *bytes = made;
    *size = count + (size_t)(text + file->size - from);
  }
  free(text);
  return status;
}
