// SPDX-License-Identifier: Apache-2.0
// Which bodies touch each other: the bits, pairs and exclusions of MuJoCo become lists of bodies.
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_build.h"

// A body of the scene that has geometry of the model: name, and which geometries.
struct side {
  const char *name;
  int carrier, plane;  // body of MuJoCo; or the geometry, -1 without
  cJSON *node;
};

static bool belongs(const struct dc_mjcf_builder *builder, const struct side *side, int geom)
{
  const mjModel *model = builder->model;
  bool plane = model->geom_type[geom] == mjGEOM_PLANE;
  if (side->plane >= 0 || plane)
    return side->plane == geom;
  return builder->links[model->geom_bodyid[geom]].carrier == side->carrier;
}

static bool are_excluded(const mjModel *model, int a, int b)
{
  int first = ((a + 1) << 16) + b + 1, second = ((b + 1) << 16) + a + 1;
  for (int e = 0; e < model->nexclude; e++)
    if (model->exclude_signature[e] == first || model->exclude_signature[e] == second)
      return true;
  return false;
}

static bool are_paired(const mjModel *model, int a, int b)
{
  for (int p = 0; p < model->npair; p++)
    if ((model->pair_geom1[p] == a && model->pair_geom2[p] == b) ||
        (model->pair_geom1[p] == b && model->pair_geom2[p] == a))
      return true;
  return false;
}

static bool geoms_touch(const struct dc_mjcf_builder *builder, int a, int b)
{
  const mjModel *model = builder->model;
  if (are_paired(model, a, b))
    return true;
  if (!(model->geom_contype[a] & model->geom_conaffinity[b]) && !(model->geom_contype[b] & model->geom_conaffinity[a]))
    return false;
  return model->opt.collision != mjCOL_PAIR && !are_excluded(model, model->geom_bodyid[a], model->geom_bodyid[b]);
}

static bool sides_touch(const struct dc_mjcf_builder *builder, const struct side *a, const struct side *b)
{
  for (int g = 0; g < builder->model->ngeom; g++)
    for (int h = 0; belongs(builder, a, g) && h < builder->model->ngeom; h++)
      if (belongs(builder, b, h) && geoms_touch(builder, g, h))
        return true;
  return false;
}

static bool is_still(const struct dc_mjcf_builder *builder, const struct side *side)
{
  return side->plane >= 0 || builder->model->body_weldid[side->carrier] == 0;
}

// Bodies with shapes that this model has added, in the order of the scene.
static int list_sides(struct dc_mjcf_builder *builder, struct side *sides)
{
  const mjModel *model = builder->model;
  int count = 0;
  cJSON *node;
  for (int i = 0; i < model->nbody; i++)
    if (builder->links[i].body >= 0)
      sides[count++] = (struct side){.name = dc_mjcf_name(builder, mjOBJ_BODY, i), .carrier = i, .plane = -1};
  for (int g = 0; g < model->ngeom; g++)
    if (model->geom_type[g] == mjGEOM_PLANE)
      sides[count++] = (struct side){.name = dc_mjcf_plane_name(builder, g), .plane = g};
  int kept = 0;
  for (int k = 0; k < count; k++) {
    sides[k].name = dc_urdf_named(&builder->base, sides[k].name, "");
    cJSON_ArrayForEach (node, builder->base.bodies)
      if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(node, "name")), sides[k].name) == 0)
        sides[k].node = node;
    if (sides[k].node && cJSON_GetObjectItem(sides[k].node, "shape"))
      sides[kept++] = sides[k];
  }
  return kept;
}

enum dc_status dc_mjcf_put_filters(struct dc_mjcf_builder *builder)
{
  const mjModel *model = builder->model;
  struct side *sides = dc_arena_alloc(builder->urdf.arena, (size_t)model->nbody + (size_t)model->ngeom, sizeof *sides);
  if (!sides)
    return dc_fail(builder->base.error, DC_MEMORY, "out of memory");
  int count = list_sides(builder, sides);
  for (int a = 0; a < count && builder->use->common.collide; a++) {
    cJSON *list = NULL;
    for (int b = 0; b < a; b++) {
      if ((is_still(builder, &sides[a]) && is_still(builder, &sides[b])) || sides_touch(builder, &sides[a], &sides[b]))
        continue;
      if (!list)
        list =
            dc_urdf_put(&builder->base, sides[a].node, "collide_except", cJSON_CreateArray(), sides[a].node->valueint);
      dc_urdf_put_string(&builder->base, list, NULL, sides[b].name, sides[a].node->valueint);
    }
  }
  return DC_OK;
}
