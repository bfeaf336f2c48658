// SPDX-License-Identifier: Apache-2.0
// Meshes and materials of bodies: shapes, colours, and soft bodies and cables as morph targets.
//
// Rigid bodies keep their shape and get moving nodes elsewhere (gltf_motion.c); every triangle has corners and a normal
// of its own, so that edges look sharp.  Soft bodies have the surface of the first frame with shared corners, no
// normals, and for every other key frame the displacements from it: viewers blend two of these targets at a time.
// Bodies with the same shape share arrays, those with the same colour share a material, and those with both share the
// mesh.
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "render/constants.h"
#include "render/gltf_builder.h"

// Half the side of the square that stands for a half-space, m: twice the diagonal of the box around all positions of
// bodies, plus the largest radius.
static double half_side(const struct dc_gltf_run *run)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, radius = 0;
  size_t count = (size_t)run->bodies->count;
  for (size_t i = 0; i < (size_t)run->frames * count; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], run->position[3 * i + (size_t)k]);
      high[k] = fmax(high[k], run->position[3 * i + (size_t)k]);
    }
  for (size_t b = 0; b < count; b++)
    radius = fmax(radius, run->bodies->bodies[b].radius);
  return fmax(DC_LEAST_HALF_SIDE, 2 * (count ? dc_vec_distance(low, high) + radius : 0));
}

// Corners and normals of triangles about the body's centre, two arrays behind each other; every triangle has corners
// of its own.
static void add_triangles(struct dc_gltf_builder *builder, const struct dc_body *body, const double (*vertices)[3],
                          const int (*triangles)[3], int count)
{
  dc_gltf_begin_array(builder, 3, true, true);
  for (int c = 0; c < 3 * count && !builder->failed; c++) {
    double local[3];
    dc_vec_sub(local, vertices[triangles[c / 3][c % 3]], body->center);
    dc_gltf_add_vector(builder, local);
  }
  if (!builder->failed)
    dc_gltf_begin_array(builder, 3, true, false);
  for (int t = 0; t < count && !builder->failed; t++) {
    double one[3], other[3], normal[3];
    dc_vec_sub(one, vertices[triangles[t][1]], vertices[triangles[t][0]]);
    dc_vec_sub(other, vertices[triangles[t][2]], vertices[triangles[t][0]]);
    dc_vec_cross(normal, one, other);
    dc_vec_scale(normal, normal, 1 / dc_vec_norm(normal));
    for (int k = 0; k < 3; k++)
      dc_gltf_add_vector(builder, normal);
  }
}

// The triangles of a rigid body, or a square for a half-space, which has no end.
static void add_shape(struct dc_gltf_builder *builder, const struct dc_body *body)
{
  const struct dc_mesh *mesh = &dc_body_look(body)->mesh;
  if (!dc_body_look(body)->type->half_space) {
    add_triangles(builder, body, (const double(*)[3])mesh->vertices, (const int(*)[3])mesh->triangles,
                  mesh->triangle_count);
    return;
  }
  double half = half_side(builder->run);
  const double corners[4][3] = {{-half, -half, 0}, {half, -half, 0}, {half, half, 0}, {-half, half, 0}};
  static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
  add_triangles(builder, body, corners, halves, 2);
}

// Vertices of a skin in a frame of the animation; points: workspace.
static void place_skin(const struct dc_gltf_builder *builder, const struct dc_skin *skin, int key, double (*points)[3],
                       double (*vertices)[3])
{
  const struct dc_gltf_run *run = builder->run;
  size_t frame = (size_t)builder->keys[key], bodies = (size_t)run->bodies->count;
  dc_skin_points(skin, run->nodes ? run->nodes + 3 * (size_t)run->bodies->node_count * frame : NULL,
                 (const double(*)[3])(run->position + 3 * bodies * frame), points);
  dc_skin_place(skin, (const double(*)[3])points, vertices);
}

// Morph targets of every skin: one for each key frame but the first, where the run has frames of nodes or cables alone.
int dc_gltf_target_count(const struct dc_gltf_builder *builder)
{
  const struct dc_gltf_run *run = builder->run;
  return run->nodes || (!run->bodies->soft_count && run->bodies->cable_count) ? builder->key_count - 1 : 0;
}

// The surface of a soft body or cable at the first frame, and its displacements at the others as morph targets:
// arrays of places, of indices, then one of displacements for each key. put_targets relies on this order.
static void add_skin(struct dc_gltf_builder *builder, const struct dc_skin *skin)
{
  int count = dc_skin_vertex_count(skin), triangle_count = dc_skin_triangle_count(skin);
  double(*points)[3] = dc_alloc((size_t)skin->point_count, sizeof *points);
  double(*start)[3] = dc_alloc((size_t)count, sizeof *start), (*moved)[3] = dc_alloc((size_t)count, sizeof *moved);
  int(*triangles)[3] = dc_alloc((size_t)triangle_count, sizeof *triangles);
  builder->failed |= !points || !start || !moved || !triangles;
  if (!builder->failed) {
    place_skin(builder, skin, 0, points, start);
    dc_skin_triangles(skin, triangles);
  }
  dc_gltf_begin_array(builder, 3, true, true);
  for (int n = 0; n < count && !builder->failed; n++)
    dc_gltf_add_vector(builder, start[n]);
  if (!builder->failed)
    builder->arrays[dc_gltf_begin_array(builder, 1, false, false)].indices = true;
  for (int i = 0; i < 3 * triangle_count && !builder->failed; i++) {
    dc_gltf_put_u32(&builder->binary, (uint32_t)triangles[i / 3][i % 3]);
    builder->arrays[builder->array_count - 1].count++;
  }
  for (int k = 1; k <= dc_gltf_target_count(builder) && !builder->failed; k++) {
    dc_gltf_begin_array(builder, 3, true, true);
    place_skin(builder, skin, k, points, moved);
    for (int n = 0; n < count && !builder->failed; n++) {
      double move[3];
      dc_vec_sub(move, moved[n], start[n]);
      dc_gltf_add_vector(builder, move);
    }
  }
  free(points);
  free(start);
  free(moved);
  free(triangles);
}

// Meshes of all bodies; bodies with the same shape share its arrays if their centres of mass agree, because corners
// are relative to it.  Earlier bodies are searched for the same shape and colour: few scenes have many bodies.
void dc_gltf_add_shapes(struct dc_gltf_builder *builder)
{
  const struct dc_bodies *bodies = builder->run->bodies;
  int materials = 0, meshes = 0;
  for (int b = 0; b < bodies->count && !builder->failed; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    struct dc_gltf_body *drawn = &builder->drawn[b];
    *drawn = (struct dc_gltf_body){.shape_array = -1, .material = -1, .mesh = -1, .motion_array = -1};
    drawn->skinned = dc_skin_of(bodies, b, &drawn->skin);
    if (dc_body_look(body) == &dc_shape_nothing && !drawn->skinned)
      continue;
    for (int i = 0; i < b; i++) {
      bool same_shape = !drawn->skinned && !builder->drawn[i].skinned &&
                        dc_body_look(&bodies->bodies[i]) == dc_body_look(body) &&
                        memcmp(bodies->bodies[i].center, body->center, sizeof body->center) == 0;
      bool same_color =
          memcmp(bodies->bodies[i].appearance.color, body->appearance.color, sizeof body->appearance.color) == 0;
      if (same_shape)
        drawn->shape_array = builder->drawn[i].shape_array;
      if (same_color)
        drawn->material = builder->drawn[i].material;
      if (same_shape && same_color)
        drawn->mesh = builder->drawn[i].mesh;
    }
    drawn->new_shape = drawn->shape_array < 0;
    drawn->new_material = drawn->material < 0;
    drawn->new_mesh = drawn->mesh < 0;
    if (drawn->new_shape) {
      drawn->shape_array = (int)builder->array_count;
      if (drawn->skinned)
        add_skin(builder, &drawn->skin);
      else
        add_shape(builder, body);
    }
    if (drawn->new_material)
      drawn->material = materials++;
    if (drawn->new_mesh)
      drawn->mesh = meshes++;
  }
}

// Indices and targets of a skin, whose arrays stand behind each other: places, indices, displacements of each key.
static void put_targets(const struct dc_gltf_builder *builder, const struct dc_gltf_body *drawn,
                        struct dc_json_writer *json)
{
  dc_gltf_put_index(json, "indices", drawn->shape_array + 1);
  if (!dc_gltf_target_count(builder))
    return;
  dc_json_begin(json, "targets", '[');
  for (int k = 1; k <= dc_gltf_target_count(builder); k++) {
    dc_json_begin(json, NULL, '{');
    dc_gltf_put_index(json, "POSITION", drawn->shape_array + 1 + k);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// Only bodies that were the first with their shape and colour write a mesh; later ones refer to it.
void dc_gltf_put_meshes(const struct dc_gltf_builder *builder, struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = builder->run->bodies;
  dc_json_begin(json, "meshes", '[');
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_gltf_body *drawn = &builder->drawn[b];
    if (!drawn->new_mesh)
      continue;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", drawn->skinned ? bodies->bodies[b].name : dc_body_look(&bodies->bodies[b])->name);
    dc_json_begin(json, "primitives", '[');
    dc_json_begin(json, NULL, '{');
    dc_json_begin(json, "attributes", '{');
    dc_gltf_put_index(json, "POSITION", drawn->shape_array);
    if (!drawn->skinned)
      dc_gltf_put_index(json, "NORMAL", drawn->shape_array + 1);
    dc_json_end(json, "}");
    if (drawn->skinned)
      put_targets(builder, drawn, json);
    dc_gltf_put_index(json, "material", drawn->material);
    dc_json_end(json, "}]}");
  }
  dc_json_end(json, "]");
}

// Cloth is visible from both sides.
static bool is_cloth(const struct dc_soft *soft)
{
  return soft && soft->mesh.corners == 3;
}

// One material for each colour: a base colour, no metal, one roughness for all.
void dc_gltf_put_materials(const struct dc_gltf_builder *builder, struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = builder->run->bodies;
  dc_json_begin(json, "materials", '[');
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    double color[4] = {body->appearance.color[0], body->appearance.color[1], body->appearance.color[2], 1};
    if (!builder->drawn[b].new_material)
      continue;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", body->name);
    dc_json_begin(json, "pbrMetallicRoughness", '{');
    dc_json_put_numbers(json, "baseColorFactor", color, 4);
    dc_json_put_number(json, "metallicFactor", 0);
    dc_json_put_number(json, "roughnessFactor", DC_ROUGHNESS);
    dc_json_end(json, "}");
    for (int other = b; other < bodies->count; other++)
      if (builder->drawn[other].material == builder->drawn[b].material && is_cloth(builder->drawn[other].skin.soft)) {
        dc_json_put_boolean(json, "doubleSided", true);
        break;
      }
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}
