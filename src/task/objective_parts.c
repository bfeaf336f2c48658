// SPDX-License-Identifier: Apache-2.0
#include "task/objective_parts.h"

const char *const dc_when_choices[] = {"end", "every", NULL};

enum dc_status dc_objective_check_axes(const char *axes, struct dc_error *error)
{
  bool valid = axes[0] != '\0';
  for (int i = 0; axes[i] && valid; i++)
    valid = strchr("xyz", axes[i]) && !strchr(axes + i + 1, axes[i]);
  if (!valid)
    return dc_fail(error, DC_BAD_INPUT, "axes: must be a non-empty subset of \"xyz\" (is \"%s\")", axes);
  return DC_OK;
}

enum dc_status dc_objective_check_bodies(const struct dc_index_list *bodies, const struct dc_model *model,
                                         struct dc_error *error)
{
  if (bodies->count == 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies: must name a body");
  for (int i = 0; i < bodies->count; i++) {
    int body = bodies->indices[i];
    if (body < 0 || body >= model->bodies.count)
      return dc_fail(error, DC_BAD_INPUT, "bodies: must name bodies");
    for (int k = 0; k < i; k++)
      if (bodies->indices[k] == body)
        return dc_fail(error, DC_BAD_INPUT, "bodies: must name each body once (\"%s\" twice)",
                       model->bodies.bodies[body].name);
  }
  return DC_OK;
}
