// SPDX-License-Identifier: Apache-2.0
// Couplings of joints of an MJCF model, from equalities of joints and of fixed tendons, and ties of its bodies.
//
// An equality says q - ref = a0 + a1 x + ... + a4 x^4 with x = q' - ref' of the other joint, all in the file's
// coordinates.  Couplings say the same of the scene's, which count from the references.
#include <math.h>
#include <string.h>

#include "io/robot/mjcf_build.h"
#include "math/vector.h"

// The name of the body that has a joint: that below, where its own has no mass.
static const char *owner_of(const struct dc_mjcf_builder *builder, int joint)
{
  int owner = builder->mjcf->joints[joint].body;
  for (int i = owner; i < (int)builder->mjcf->body_count; i++)
    for (int body = i; body > 0 && builder->links[i].body >= 0; body = builder->links[body].above)
      if (body == owner)
        return builder->links[i].name;
  return "";
}

// A follower starts where what it follows has it, at rest where that is: a start that says otherwise is named.
static void check_start(struct dc_mjcf_builder *builder, const struct dc_mjcf_coupling *own)
{
  const struct dc_mjcf_key *key = builder->key;
  const struct dc_mjcf_joint *joints = builder->mjcf->joints;
  double place[2] = {0}, speed[2] = {0};
  for (int k = 0; k < 2; k++) {
    const struct dc_mjcf_joint *joint = &joints[own->joints[k]];
    double given = builder->use->common.start[own->joints[k]];
    if (key && key->qpos)
      place[k] = key->qpos[joint->qpos] - joint->ref;
    place[k] = isnan(given) ? place[k] : given;
    if (key && key->qvel)
      speed[k] = key->qvel[joint->dof];
  }
  const double *a = own->polynomial;
  double x = place[1], line = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
  double led = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
  const struct dc_mjcf_joint *follower = &joints[own->joints[0]];
  const char *name = dc_mjcf_called(builder, follower->name, follower->node);
  if (fabs(place[0] - led) > 1e-6)
    dc_mjcf_remember(builder, &builder->dropped, "start, which an equality sets, of joint", name, follower->node);
  if (fabs(speed[0] - line * speed[1]) > 1e-6)
    dc_mjcf_remember(builder, &builder->dropped, "starting speed, which an equality sets, of joint", name,
                     follower->node);
}

// One on a joint that is gone is remembered as refused.  "body" and "to" are the bodies that have the joints, and
// coordinates here are the file's less their references, which is what the polynomial relates too.
enum dc_status dc_mjcf_put_couplings(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  cJSON *couplings = NULL, *root = builder->base.document->root;
  for (size_t e = 0; e < mjcf->coupling_count; e++) {
    const struct dc_mjcf_coupling *own = &mjcf->couplings[e];
    const double *data = own->polynomial;
    bool held = mjcf->joints[own->joints[0]].held || (own->joints[1] >= 0 && mjcf->joints[own->joints[1]].held);
    if (own->joints[1] < 0 || held) {
      dc_mjcf_remember(builder, &builder->refused, "equality of joints", "", own->node);
      continue;
    }
    if (!couplings && !(couplings = cJSON_GetObjectItemCaseSensitive(root, "couplings")))
      couplings = dc_urdf_put(&builder->base, root, "couplings", cJSON_CreateArray(), builder->base.at->valueint);
    int place = dc_mjcf_place(builder, own->node);
    cJSON *coupling = dc_urdf_put(&builder->base, couplings, NULL, cJSON_CreateObject(), place);
    for (int side = 0; side < 2; side++)
      dc_urdf_put_string(&builder->base, coupling, side ? "to" : "body", owner_of(builder, own->joints[side]), place);
    dc_urdf_put_number(&builder->base, coupling, "multiplier", data[1], place);
    dc_urdf_put_number(&builder->base, coupling, "offset", data[0], place);
    if (data[2] != 0 || data[3] != 0 || data[4] != 0)
      dc_urdf_put_numbers(&builder->base, coupling, "powers", data + 2, 3, place);
    check_start(builder, own);
  }
  return DC_OK;
}

// A frame at a point of body b for a tie, as a body of the scene; its name, or NULL where no body of the scene moves as
// b does.
static const char *add_frame(struct dc_mjcf_builder *builder, int b, const double point[3], int place)
{
  const struct dc_mjcf_link *link = &builder->links[b];
  const struct dc_mjcf_link *carrier = &builder->links[link->carrier];
  struct dc_urdf_pose pose = dc_urdf_identity;
  dc_vec_copy(pose.position, point);
  if (link->pending)
    return NULL;
  if (link->body < 0 || b == 0)
    dc_urdf_pose_compose(&pose, &link->pose, &pose);
  const char *name = dc_mjcf_take_name(builder, "tie");
  cJSON *frame = dc_urdf_put(&builder->base, builder->base.bodies, NULL, cJSON_CreateObject(), place);
  dc_urdf_put_string(&builder->base, frame, "name", name, place);
  dc_urdf_put_string(&builder->base, frame, "joint", "fixed", place);
  if (link->carrier > 0) {
    dc_urdf_put_string(&builder->base, frame, "parent", carrier->name, place);
    dc_urdf_put_string(&builder->base, frame, "frame", "parent", place);
  }
  dc_urdf_put_pose(&builder->base, frame, &pose, place);
  return name;
}

// Every tie holds two frames together.
enum dc_status dc_mjcf_put_ties(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  cJSON *ties = NULL, *root = builder->base.document->root;
  for (size_t t = 0; t < mjcf->ties.count; t++) {
    const struct dc_mjcf_tie *own = &mjcf->ties.list[t];
    int place = dc_mjcf_place(builder, own->node);
    const char *names[2];
    for (int side = 0; side < 2; side++)
      if (!(names[side] = add_frame(builder, own->bodies[side], own->points[side], place)))
        return dc_mjcf_fail(own->node, builder->base.error, DC_BAD_INPUT, "holds a body without mass between joints");
    if (!ties && !(ties = cJSON_GetObjectItemCaseSensitive(root, "ties")))
      ties = dc_urdf_put(&builder->base, root, "ties", cJSON_CreateArray(), builder->base.at->valueint);
    cJSON *tie = dc_urdf_put(&builder->base, ties, NULL, cJSON_CreateObject(), place);
    for (int side = 0; side < 2; side++)
      dc_urdf_put_string(&builder->base, tie, side ? "to" : "body", names[side], place);
  }
  return DC_OK;
}
