// SPDX-License-Identifier: Apache-2.0
// The registry of design parameters, and checks across entries: no number may be changed twice, and the vertices of a
// mirror image must follow one shape only.
#include "design/design.h"

#include <stdlib.h>
#include <string.h>

const struct dc_design_type *const dc_design_types[] = {
    &dc_design_number, &dc_design_size, &dc_design_link, &dc_design_anchor, &dc_design_vertices, &dc_design_cage, NULL};

// A number that an entry changes, by the name that values have.
struct named {
  char name[320];
  int entry;
};

// By name, then by entry, so that of two equal names the later entry stands behind and is the one refused.
static int compare(const void *a, const void *b)
{
  const struct named *one = a, *other = b;
  int order = strcmp(one->name, other->name);
  return order ? order : one->entry - other->entry;
}

// Lists the names of the numbers of all entries, or returns their count when names is NULL.  parameters: any vector as
// long as the longest entry's.
static size_t list_names(int count, const struct dc_design_entry *entries, const struct dc_model *model,
                         const double *parameters, struct named *names)
{
  size_t listed = 0;
  for (int e = 0; e < count; e++) {
    struct dc_design_value value;
    for (int i = 0; entries[e].type->value(entries[e].options, model, parameters, i, &value); i++, listed++)
      if (names) {
        memcpy(names[listed].name, value.name, sizeof value.name);
        names[listed].entry = e;
      }
  }
  return listed;
}

// The vertices of a mirror image follow those of one shape, so that no other entry may move them.
static enum dc_status check_mirrors(int count, const struct dc_design_entry *entries, const struct dc_model *model,
                                    struct dc_error *error)
{
  const struct dc_design_entry *last = &entries[count - 1];
  int own[2], other[2];
  if (!last->type->shapes_moved)
    return DC_OK;
  last->type->shapes_moved(last->options, own);
  for (int e = 0; e < count - 1; e++) {
    if (!entries[e].type->shapes_moved)
      continue;
    entries[e].type->shapes_moved(entries[e].options, other);
    if (own[1] >= 0 && (own[1] == other[0] || own[1] == other[1]))
      return dc_fail(error, DC_BAD_INPUT, "mirror: must not be \"%.255s\", whose vertices design[%d] moves",
                     model->definition.shapes[own[1]].name, e);
    if (own[0] == other[1])
      return dc_fail(error, DC_BAD_INPUT, "shape: must not be \"%.255s\", the mirror image of design[%d]",
                     model->definition.shapes[own[0]].name, e);
  }
  return DC_OK;
}

// Checks the last entry against all before it: mirror images must not be moved by two entries, and no number of the
// scene may be changed twice.  Numbers are compared by their names: all are listed, sorted, and neighbours compared.
enum dc_status dc_design_check_last(int count, const struct dc_design_entry *entries, const struct dc_model *model,
                                    struct dc_error *error)
{
  int most = 0;
  enum dc_status status = check_mirrors(count, entries, model, error);
  if (status)
    return status;
  for (int e = 0; e < count; e++) {
    int parameters = entries[e].type->parameter_count(entries[e].options, model);
    most = parameters > most ? parameters : most;
  }
  double *zeros = dc_alloc((size_t)most, sizeof *zeros);
  size_t total = zeros ? list_names(count, entries, model, zeros, NULL) : 0;
  struct named *names = dc_alloc(total, sizeof *names);
  status = zeros && names ? DC_OK : dc_out_of_memory_for(error, "design parameters");
  if (!status) {
    list_names(count, entries, model, zeros, names);
    qsort(names, total, sizeof *names, compare);
  }
  for (size_t i = 1; i < total && !status; i++)
    if (names[i].entry == count - 1 && strcmp(names[i].name, names[i - 1].name) == 0)
      status = names[i - 1].entry == count - 1
                   ? dc_fail(error, DC_BAD_INPUT, "must not change a number twice (\"%s\")", names[i].name)
                   : dc_fail(error, DC_BAD_INPUT, "must not change \"%s\", which design[%d] changes", names[i].name,
                             names[i - 1].entry);
  free(names);
  free(zeros);
  return status;
}
