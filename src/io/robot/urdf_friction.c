// SPDX-License-Identifier: Apache-2.0
// Friction of two links of an SDF file: Gazebo takes the smaller of their coefficients, Drake 2 a b / (a + b) of two of
// its own.  The scene takes the geometric mean, so that pairs of which the coefficients differ say theirs:
// "friction_with" of one of the two.  Of links with coefficients of the same value, of no friction, and of links with
// bodies of other files, nothing is said.
#include <math.h>

#include "io/robot/urdf_build.h"

enum { MOST_PAIRS = 200000 };
static const double MOST_FRICTION = 100;  // which a body may have

// The coefficient of a pair by the rule of the file's program, for coefficients up to MOST_FRICTION.
static double friction_of(const struct dc_urdf_link *one, const struct dc_urdf_link *other)
{
  double a = fmin(one->friction, MOST_FRICTION), b = fmin(other->friction, MOST_FRICTION);
  return one->drakes_friction && other->drakes_friction ? 2 * a * b / (a + b) : fmin(a, b);
}

// Whether a pair needs a coefficient of its own: both are bodies of this file, rub, may touch, and one of them moves.
static bool differ(const struct dc_urdf_builder *builder, const int *body_of, size_t a, size_t b)
{
  const struct dc_urdf_link *one = &builder->urdf->links[a], *other = &builder->urdf->links[b];
  bool rub = body_of[a] >= 0 && body_of[b] >= 0 && one->model && other->model && one->friction > 0 &&
             other->friction > 0 && !(one->still && other->still);
  return rub && fmin(one->friction, MOST_FRICTION) != fmin(other->friction, MOST_FRICTION) &&
         (!builder->use->by_file || dc_urdf_touch_by_file(one, other));
}

// Links of different coefficients get those of their pairs by name ("friction_with"), with the file's rule for two
// coefficients. Beyond MOST_PAIRS the scene would be longer than the robot: then a note names the links instead.
void dc_urdf_put_frictions(struct dc_urdf_builder *builder, const int *body_of)
{
  const struct dc_urdf *urdf = builder->urdf;
  int pairs = 0;
  for (size_t a = 0; a < urdf->link_count && builder->use->collide; a++)
    for (size_t b = 0; b < a && pairs <= MOST_PAIRS; b++)
      pairs += differ(builder, body_of, a, b);
  for (size_t a = 0; a < urdf->link_count && pairs > MOST_PAIRS; a++)
    if (urdf->links[a].model && urdf->links[a].friction > 0)
      dc_urdf_remember(builder, &builder->remarks.rubbing, urdf->links[a].name);
  for (size_t a = 0; a < urdf->link_count && pairs > 0 && pairs <= MOST_PAIRS && !builder->failed; a++) {
    cJSON *body = body_of[a] < 0 ? NULL : cJSON_GetArrayItem(builder->bodies, body_of[a]), *list = NULL;
    for (size_t b = 0; b < a && body; b++) {
      if (!differ(builder, body_of, a, b))
        continue;
      if (!list)
        list = dc_urdf_put(builder, body, "friction_with", cJSON_CreateArray(), body->valueint);
      cJSON *entry = dc_urdf_put(builder, list, NULL, cJSON_CreateObject(), body->valueint);
      dc_urdf_put_string(builder, entry, "body", dc_urdf_named(builder, urdf->links[b].name, ""), body->valueint);
      dc_urdf_put_number(builder, entry, "friction", friction_of(&urdf->links[a], &urdf->links[b]), body->valueint);
    }
  }
}
