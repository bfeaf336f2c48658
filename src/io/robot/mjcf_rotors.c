// SPDX-License-Identifier: Apache-2.0
// Armature of free joints and of balls on what stands still, which joints of a scene do not have.
//
// MuJoCo adds it to the inertia of each of a joint's velocities: of a ball those of turning, of a free joint those of
// its frame's origin, too.  A moment of inertia that is the same about all axes has no gyroscopic torque, so that a
// body's own may have the ball's; a free joint's is a body that is fixed at the frame's origin, of that mass and
// moment, without weight.
#include "io/robot/mjcf_build.h"

bool dc_mjcf_has_rotor(const struct dc_mjcf_builder *builder, const struct dc_mjcf_joint *joint)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const struct dc_mjcf_body *body = &mjcf->bodies[joint->body];
  bool alone = body->joints == 1 && !joint->held && !joint->gone && builder->links[joint->body].body >= 0 &&
               !builder->links[joint->body].above;
  return alone && joint->armature > 0 &&
         (joint->type == DC_MJCF_FREE || (joint->type == DC_MJCF_BALL && mjcf->bodies[body->parent].still));
}

double dc_mjcf_rotor_of_ball(const struct dc_mjcf_builder *builder, int i)
{
  const struct dc_mjcf_body *body = &builder->mjcf->bodies[i];
  const struct dc_mjcf_joint *joint = body->joints ? &builder->mjcf->joints[body->first_joint] : NULL;
  return joint && joint->type == DC_MJCF_BALL && dc_mjcf_has_rotor(builder, joint) ? joint->armature : 0;
}

// Armature of a free joint adds the same number to all six inertias of the body. A fixed child with that mass and
// inertia does the same; full buoyancy takes its weight away, as armature has none.
void dc_mjcf_put_rotors(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  struct dc_urdf_builder *base = &builder->base;
  for (size_t j = 0; j < mjcf->joint_count && !base->failed; j++) {
    const struct dc_mjcf_joint *joint = &mjcf->joints[j];
    if (joint->type != DC_MJCF_FREE || !dc_mjcf_has_rotor(builder, joint))
      continue;
    const char *owner = builder->links[joint->body].name;
    double a = joint->armature;
    int place = dc_mjcf_place(builder, joint->node);
    cJSON *body = dc_urdf_put(base, base->bodies, NULL, cJSON_CreateObject(), place);
    const char *given = mjcf->bodies[joint->body].name;
    const char *wanted = dc_arena_printf(builder->urdf.arena, "%s:rotor", given ? given : "body");
    const char *name = wanted ? dc_mjcf_take_name(builder, wanted) : NULL;
    dc_urdf_put_string(base, body, "name", name, place);
    dc_urdf_put_string(base, body, "parent", owner, place);
    dc_urdf_put_string(base, body, "frame", "parent", place);
    dc_urdf_put_string(base, body, "joint", "fixed", place);
    if (joint->aligned)
      dc_urdf_put_numbers(base, body, "position", mjcf->bodies[joint->body].center, 3, place);
    dc_urdf_put_number(base, body, "mass", a, place);
    dc_urdf_put_numbers(base, body, "inertia", (double[6]){a, a, a, 0, 0, 0}, 6, place);
    dc_urdf_put_number(base, body, "buoyancy", 1, place);
  }
}
