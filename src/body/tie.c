// SPDX-License-Identifier: Apache-2.0
// Ties of bodies: options and rules.
#include "body/tie.h"

#include "body/body.h"

const struct dc_option dc_tie_options[] = {
    DC_BODY_OPTION(struct dc_tie, body, NULL, "name of a body, or of a frame on one"),
    DC_BODY_OPTION(struct dc_tie, to, NULL, "name of the one whose centre is to be where that of \"body\" is"),
    DC_POSITIVE_OPTION(struct dc_tie, stiffness, "J/m^2", "null", 1e12,
                       "stiffness of the spring that holds both together; a force f parts them by f/stiffness; by "
                       "default by the masses that it holds and the step, so that it gives by micrometres"),
    DC_OPTIONS_END,
};

// A rigid body or a frame on one: neither soft, nor a cable, nor a point of what is.
static enum dc_status check_end(const struct dc_bodies *bodies, int index, const char *key, int body,
                                struct dc_error *error)
{
  if (body < 0 || body >= bodies->count)
    return dc_fail(error, DC_BAD_INPUT, "ties[%d].%s: must name a body", index, key);
  for (int above = body; above >= 0; above = bodies->bodies[above].parent)
    if (dc_soft_of(bodies, above) || dc_cable_of(bodies, above))
      return dc_fail(error, DC_BAD_INPUT, "ties[%d].%s: must be a rigid body or a frame on one (is \"%.255s\")", index,
                     key, bodies->bodies[body].name);
  return DC_OK;
}

// One end at least must move: a tie between two bodies that never move would only add a constant energy.
enum dc_status dc_ties_check(const struct dc_bodies *bodies, int count, const struct dc_tie *ties,
                             struct dc_error *error)
{
  for (int k = 0; k < count; k++) {
    enum dc_status status = check_end(bodies, k, "body", ties[k].body, error);
    if (status || (status = check_end(bodies, k, "to", ties[k].to, error)))
      return status;
    const struct dc_body *body = &bodies->bodies[ties[k].body], *to = &bodies->bodies[ties[k].to];
    if (ties[k].body == ties[k].to || (!dc_body_moves(body) && !dc_body_moves(to)))
      return dc_fail(error, DC_BAD_INPUT,
                     "ties[%d].to: must be another body than \"%.255s\", and one of them must move", k, body->name);
  }
  return DC_OK;
}
