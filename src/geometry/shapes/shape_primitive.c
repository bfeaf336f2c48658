// SPDX-License-Identifier: Apache-2.0
// Shapes that other formats know too, by name and sizes: numbers are read from the options by the names that these
// have.
#include <string.h>

#include "geometry/shapes/shape.h"
#include "geometry/shapes/shape_types.h"

// Options keep integers as long and all other numbers as double.
double dc_shape_option_number(const struct dc_option *option, const void *value, int component)
{
  switch (option->type) {
  case DC_INTEGER: return (double)*(const long *)value;
  case DC_REALS: return ((const double *)value)[component];
  default: return *(const double *)value;
  }
}

// Name and sizes of a shape that other formats know too, such as MJCF and URDF; NULL: it is none of them.
const char *dc_shape_primitive(const struct dc_shape *shape, double size[3])
{
  static const char *const names[][4] = {{"box", "size", "size", "size"},
                                         {"cylinder", "radius", "height"},
                                         {"capsule", "radius", "height"},
                                         {"sphere", "radius"},
                                         {"plane"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(shape->type->name, names[i][0]) == 0) {
      for (int k = 0; k < 3; k++) {
        const char *name = names[i][k + 1];
        const struct dc_option *option =
            name ? &shape->type->options[dc_option_find(shape->type->options, name)] : NULL;
        size[k] = option ? dc_shape_option_number(option, (const char *)shape->options + option->offset, k) : 0;
      }
      return names[i][0];
    }
  return NULL;
}
