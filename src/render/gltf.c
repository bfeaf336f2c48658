// SPDX-License-Identifier: Apache-2.0
// The format: Khronos, glTF 2.0 Specification, ISO/IEC 12113:2022.
#include "render/gltf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_write.h"
#include "math/vector.h"
#include "render/camera.h"
#include "render/skin.h"

enum { FLOAT_COMPONENT = 5126, INTEGER_COMPONENT = 5125, VERTEX_DATA = 34962, INDEX_DATA = 34963 };
static const double degree = 0.01745329251994329577;  // rad
static const double roughness = 0.7;
static const double near_plane = 1e-3;      // of the distance from eye to target
static const double least_half_side = 1.0;  // m, of the squares that stand for half spaces

// A run of vectors of floats, or of indices, in the binary chunk; a buffer view and its accessor.
struct array {
  size_t offset, count;
  int width;
  bool vertices, bounded;  // vertex data; least and largest are asked for
  bool indices;            // whole numbers
  float least[4], largest[4];
};

struct drawn_body {
  const struct dc_soft *soft;  // NULL: rigid
  int shape_array;             // its positions; normals follow, of a soft body indices and the moves of its targets
  int material;                // numbers in the order of first use
  int mesh;
  bool new_shape, new_material, new_mesh;
  int motion_array;  // translations; rotations follow; of a soft body weights; -1: does not move
};

struct builder {
  const struct dc_gltf_run *run;
  struct dc_text binary;
  struct array *arrays;
  size_t array_count, array_capacity;
  struct drawn_body *drawn;  // [bodies]
  int *keys;                 // [key_count] frames that the animation has
  int key_count;
  int time_array;  // -1: nothing moves
  bool failed;
};

static void put_u32(struct dc_text *text, uint32_t value)
{
  const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                  (unsigned char)(value >> 24)};
  dc_text_append(text, (const char *)bytes, sizeof bytes);
}

// Begins an array; its number.
static int begin_array(struct builder *builder, int width, bool vertices, bool bounded)
{
  if (dc_grow(&builder->arrays, &builder->array_capacity, builder->array_count + 1, sizeof *builder->arrays) != 0) {
    builder->failed = true;
    return -1;
  }
  struct array *array = &builder->arrays[builder->array_count];
  *array = (struct array){.offset = builder->binary.length, .width = width, .vertices = vertices, .bounded = bounded};
  for (int i = 0; i < 4; i++)
    array->least[i] = INFINITY, array->largest[i] = -INFINITY;
  return (int)builder->array_count++;
}

// Adds a vector to the array begun last.
static void add_vector(struct builder *builder, const double *vector)
{
  struct array *array = &builder->arrays[builder->array_count - 1];
  for (int i = 0; i < array->width; i++) {
    float value = (float)vector[i];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(&builder->binary, bits);
    array->least[i] = fminf(array->least[i], value);
    array->largest[i] = fmaxf(array->largest[i], value);
  }
  array->count++;
}

// Half the side of the squares: twice as far as anything comes from anything else.
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
  return fmax(least_half_side, 2 * (count ? dc_vec_distance(low, high) + radius : 0));
}

static void add_triangles(struct builder *builder, const struct dc_body *body, const double (*vertices)[3],
                          const int (*triangles)[3], int count)
{
  begin_array(builder, 3, true, true);
  for (int c = 0; c < 3 * count && !builder->failed; c++) {
    double local[3];
    dc_vec_sub(local, vertices[triangles[c / 3][c % 3]], body->center);
    add_vector(builder, local);
  }
  if (!builder->failed)
    begin_array(builder, 3, true, false);
  for (int t = 0; t < count && !builder->failed; t++) {
    double one[3], other[3], normal[3];
    dc_vec_sub(one, vertices[triangles[t][1]], vertices[triangles[t][0]]);
    dc_vec_sub(other, vertices[triangles[t][2]], vertices[triangles[t][0]]);
    dc_vec_cross(normal, one, other);
    dc_vec_scale(normal, normal, 1 / dc_vec_norm(normal));
    for (int k = 0; k < 3; k++)
      add_vector(builder, normal);
  }
}

static void add_shape(struct builder *builder, const struct dc_body *body)
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

static const double *nodes_at(const struct builder *builder, const struct dc_soft *soft, int key)
{
  const struct dc_bodies *bodies = builder->run->bodies;
  return builder->run->nodes + 3 * (size_t)bodies->node_count * (size_t)builder->keys[key] + soft->q_offset -
         bodies->first_node_q;
}

// Targets of a soft body: what moves its nodes from the first frame to every later one.
static int target_count(const struct builder *builder)
{
  return builder->run->nodes ? builder->key_count - 1 : 0;
}

static void add_soft(struct builder *builder, const struct dc_soft *soft)
{
  int count = dc_skin_vertex_count(soft), triangle_count = dc_skin_triangle_count(soft);
  double(*start)[3] = dc_alloc((size_t)count, sizeof *start), (*moved)[3] = dc_alloc((size_t)count, sizeof *moved);
  int(*triangles)[3] = dc_alloc((size_t)triangle_count, sizeof *triangles);
  builder->failed |= !start || !moved || !triangles;
  if (!builder->failed) {
    dc_skin_place(soft, builder->run->nodes ? nodes_at(builder, soft, 0) : soft->mesh.nodes[0], start);
    dc_skin_triangles(soft, triangles);
  }
  begin_array(builder, 3, true, true);
  for (int n = 0; n < count && !builder->failed; n++)
    add_vector(builder, start[n]);
  if (!builder->failed)
    builder->arrays[begin_array(builder, 1, false, false)].indices = true;
  for (int i = 0; i < 3 * triangle_count && !builder->failed; i++) {
    put_u32(&builder->binary, (uint32_t)triangles[i / 3][i % 3]);
    builder->arrays[builder->array_count - 1].count++;
  }
  for (int k = 1; k <= target_count(builder) && !builder->failed; k++) {
    begin_array(builder, 3, true, true);
    dc_skin_place(soft, nodes_at(builder, soft, k), moved);
    for (int n = 0; n < count && !builder->failed; n++) {
      double move[3];
      dc_vec_sub(move, moved[n], start[n]);
      add_vector(builder, move);
    }
  }
  free(start);
  free(moved);
  free(triangles);
}

// Of every frame one target in full, of the first none.
static void add_weights(struct builder *builder, int body)
{
  int targets = target_count(builder);
  builder->drawn[body].motion_array = begin_array(builder, 1, false, false);
  for (int k = 0; k <= targets; k++)
    for (int t = 1; t <= targets && !builder->failed; t++)
      add_vector(builder, &(double){k == t});
}

// Which shapes, colours and both together are met for the first time at which body.
static void add_shapes(struct builder *builder)
{
  const struct dc_bodies *bodies = builder->run->bodies;
  int materials = 0, meshes = 0;
  for (int b = 0; b < bodies->count && !builder->failed; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    struct drawn_body *drawn = &builder->drawn[b];
    *drawn = (struct drawn_body){
        .soft = dc_soft_of(bodies, b), .shape_array = -1, .material = -1, .mesh = -1, .motion_array = -1};
    if (dc_body_look(body) == &dc_shape_nothing && !drawn->soft)
      continue;
    for (int i = 0; i < b; i++) {
      bool same_shape = !drawn->soft && !builder->drawn[i].soft &&
                        dc_body_look(&bodies->bodies[i]) == dc_body_look(body) &&
                        memcmp(bodies->bodies[i].center, body->center, sizeof body->center) == 0;
      bool same_color = memcmp(bodies->bodies[i].color, body->color, sizeof body->color) == 0;
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
      if (drawn->soft)
        add_soft(builder, drawn->soft);
      else
        add_shape(builder, body);
    }
    if (drawn->new_material)
      drawn->material = materials++;
    if (drawn->new_mesh)
      drawn->mesh = meshes++;
  }
}

// Unit quaternion in glTF's order (x, y, z, w) of a body in a frame.
static void get_rotation(const struct dc_gltf_run *run, int frame, int body, double rotation[4])
{
  const double *q = run->quaternion + 4 * ((size_t)frame * (size_t)run->bodies->count + (size_t)body);
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++)
    rotation[i] = q[(i + 1) % 4] / norm;
}

static const double *get_position(const struct dc_gltf_run *run, int frame, int body)
{
  return run->position + 3 * ((size_t)frame * (size_t)run->bodies->count + (size_t)body);
}

static void add_motion(struct builder *builder, int body)
{
  const struct dc_gltf_run *run = builder->run;
  builder->drawn[body].motion_array = begin_array(builder, 3, false, false);
  for (int k = 0; k < builder->key_count && !builder->failed; k++)
    add_vector(builder, get_position(run, builder->keys[k], body));
  if (!builder->failed)
    begin_array(builder, 4, false, false);
  double before[4] = {0, 0, 0, 0};
  for (int k = 0; k < builder->key_count && !builder->failed; k++) {
    double rotation[4], cosine = 0;
    get_rotation(run, builder->keys[k], body, rotation);
    // q and -q are the same rotation, but players interpolate between numbers.
    for (int i = 0; i < 4; i++)
      cosine += before[i] * rotation[i];
    for (int i = 0; i < 4; i++)
      before[i] = cosine < 0 ? -rotation[i] : rotation[i];
    add_vector(builder, before);
  }
}

static void find_keys(struct builder *builder)
{
  const struct dc_gltf_run *run = builder->run;
  for (int f = 0; f < run->frames; f++)
    if (f == 0 || (float)run->time[f] > (float)run->time[builder->keys[builder->key_count - 1]])
      builder->keys[builder->key_count++] = f;
}

static void add_motions(struct builder *builder)
{
  const struct dc_gltf_run *run = builder->run;
  builder->time_array = -1;
  for (int b = 0; b < run->bodies->count && !builder->failed; b++) {
    bool morphs = builder->drawn[b].soft && target_count(builder) > 0;
    if (!morphs && !dc_body_moves(&run->bodies->bodies[b]))
      continue;
    if (builder->time_array < 0) {
      builder->time_array = begin_array(builder, 1, false, true);
      for (int k = 0; k < builder->key_count && !builder->failed; k++)
        add_vector(builder, &run->time[builder->keys[k]]);
    }
    if (!builder->failed && morphs)
      add_weights(builder, b);
    else if (!builder->failed)
      add_motion(builder, b);
  }
}

static void put_vector(struct dc_json_writer *json, const char *key, const float *vector, int width)
{
  double numbers[4];
  for (int i = 0; i < width; i++)
    numbers[i] = (double)vector[i];
  dc_json_put_numbers(json, key, numbers, width);
}

static void put_index(struct dc_json_writer *json, const char *key, int index)
{
  dc_json_put_integer(json, key, index);
}

// What the file is about, where programs look for their own data.
static void put_extras(const struct dc_body *body, const struct dc_soft *soft, struct dc_json_writer *json)
{
  dc_json_begin(json, "extras", '{');
  dc_json_put_string(json, "body", body->name);
  if (dc_body_look(body) != &dc_shape_nothing)
    dc_json_put_string(json, "shape", dc_body_look(body)->name);
  dc_json_put_boolean(json, "moves", soft || dc_body_moves(body));
  if (dc_body_moves(body))
    dc_json_put_number(json, "mass_kg", body->mass);
  dc_json_end(json, '}');
}

static void put_body_node(const struct builder *builder, int b, struct dc_json_writer *json)
{
  const struct dc_body *body = &builder->run->bodies->bodies[b];
  double rotation[4];
  get_rotation(builder->run, 0, b, rotation);
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", body->name);
  if (builder->drawn[b].mesh >= 0)
    put_index(json, "mesh", builder->drawn[b].mesh);
  if (!builder->drawn[b].soft) {
    dc_json_put_numbers(json, "translation", get_position(builder->run, 0, b), 3);
    dc_json_put_numbers(json, "rotation", rotation, 4);
  }
  put_extras(body, builder->drawn[b].soft, json);
  dc_json_end(json, '}');
}

// glTF's cameras look along -z with y up.
static void put_camera_node(const struct dc_view *view, struct dc_json_writer *json)
{
  double matrix[16] = {[15] = 1};  // column by column
  for (int i = 0; i < 3; i++) {
    matrix[i] = view->right[i];
    matrix[4 + i] = view->up[i];
    matrix[8 + i] = -view->forward[i];
    matrix[12 + i] = view->eye[i];
  }
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", "camera");
  put_index(json, "camera", 0);
  dc_json_put_numbers(json, "matrix", matrix, 16);
  dc_json_end(json, '}');
}

// Node 0 is the root, 1 + b body b, the last one the camera.
static void put_nodes(const struct builder *builder, const struct dc_view *view, struct dc_json_writer *json)
{
  int count = builder->run->bodies->count;
  const double z_to_y[4] = {-sqrt(0.5), 0, 0, sqrt(0.5)};  // a quarter turn about -x
  dc_json_begin(json, "nodes", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", builder->run->name);
  dc_json_put_numbers(json, "rotation", z_to_y, 4);
  dc_json_begin(json, "children", '[');
  for (int i = 1; i <= count + 1; i++)
    put_index(json, NULL, i);
  dc_json_end(json, ']');
  dc_json_end(json, '}');
  for (int b = 0; b < count; b++)
    put_body_node(builder, b, json);
  put_camera_node(view, json);
  dc_json_end(json, ']');
}

static void put_cameras(const struct dc_gltf_run *run, const struct dc_view *view, struct dc_json_writer *json)
{
  dc_json_begin(json, "cameras", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "type", "perspective");
  dc_json_begin(json, "perspective", '{');
  dc_json_put_number(json, "yfov", degree * run->view->fov_deg);
  dc_json_put_number(json, "aspectRatio", (double)view->width / view->height);
  dc_json_put_number(json, "znear", near_plane * dc_vec_distance(view->eye, view->target));
  dc_json_end(json, '}');
  dc_json_end(json, '}');
  dc_json_end(json, ']');
}

static void put_targets(const struct builder *builder, const struct drawn_body *drawn, struct dc_json_writer *json)
{
  put_index(json, "indices", drawn->shape_array + 1);
  if (!target_count(builder))
    return;
  dc_json_begin(json, "targets", '[');
  for (int k = 1; k <= target_count(builder); k++) {
    dc_json_begin(json, NULL, '{');
    put_index(json, "POSITION", drawn->shape_array + 1 + k);
    dc_json_end(json, '}');
  }
  dc_json_end(json, ']');
}

static void put_meshes(const struct builder *builder, struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = builder->run->bodies;
  dc_json_begin(json, "meshes", '[');
  for (int b = 0; b < bodies->count; b++) {
    const struct drawn_body *drawn = &builder->drawn[b];
    if (!drawn->new_mesh)
      continue;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", drawn->soft ? bodies->bodies[b].name : dc_body_look(&bodies->bodies[b])->name);
    dc_json_begin(json, "primitives", '[');
    dc_json_begin(json, NULL, '{');
    dc_json_begin(json, "attributes", '{');
    put_index(json, "POSITION", drawn->shape_array);
    if (!drawn->soft)
      put_index(json, "NORMAL", drawn->shape_array + 1);
    dc_json_end(json, '}');
    if (drawn->soft)
      put_targets(builder, drawn, json);
    put_index(json, "material", drawn->material);
    dc_json_end(json, '}');
    dc_json_end(json, ']');
    dc_json_end(json, '}');
  }
  dc_json_end(json, ']');
}

// Cloth is seen from both sides.
static bool is_cloth(const struct dc_soft *soft)
{
  return soft && soft->mesh.corners == 3;
}

// Colours of bodies are linear RGB, and so is baseColorFactor (glTF 2.0, 3.9.2): no sRGB anywhere.
static void put_materials(const struct builder *builder, struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = builder->run->bodies;
  dc_json_begin(json, "materials", '[');
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    double color[4] = {body->color[0], body->color[1], body->color[2], 1};
    if (!builder->drawn[b].new_material)
      continue;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", body->name);
    dc_json_begin(json, "pbrMetallicRoughness", '{');
    dc_json_put_numbers(json, "baseColorFactor", color, 4);
    dc_json_put_number(json, "metallicFactor", 0);
    dc_json_put_number(json, "roughnessFactor", roughness);
    dc_json_end(json, '}');
    for (int other = b; other < bodies->count; other++)
      if (builder->drawn[other].material == builder->drawn[b].material && is_cloth(builder->drawn[other].soft)) {
        dc_json_put_boolean(json, "doubleSided", true);
        break;
      }
    dc_json_end(json, '}');
  }
  dc_json_end(json, ']');
}

static void put_sampler(const struct builder *builder, int output, struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  put_index(json, "input", builder->time_array);
  put_index(json, "output", output);
  dc_json_put_string(json, "interpolation", "LINEAR");
  dc_json_end(json, '}');
}

static void put_channel(int sampler, int node, const char *path, struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  put_index(json, "sampler", sampler);
  dc_json_begin(json, "target", '{');
  put_index(json, "node", node);
  dc_json_put_string(json, "path", path);
  dc_json_end(json, '}');
  dc_json_end(json, '}');
}

static void put_animation(const struct builder *builder, struct dc_json_writer *json)
{
  int count = builder->run->bodies->count, samplers = 0;
  if (builder->time_array < 0)
    return;
  dc_json_begin(json, "animations", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", builder->run->name);
  dc_json_begin(json, "samplers", '[');
  for (int b = 0; b < count; b++)
    for (int k = 0; k < (builder->drawn[b].soft ? 1 : 2) && builder->drawn[b].motion_array >= 0; k++)
      put_sampler(builder, builder->drawn[b].motion_array + k, json);
  dc_json_end(json, ']');
  dc_json_begin(json, "channels", '[');
  for (int b = 0; b < count; b++)
    for (int k = 0; k < (builder->drawn[b].soft ? 1 : 2) && builder->drawn[b].motion_array >= 0; k++)
      put_channel(samplers++, 1 + b, builder->drawn[b].soft ? "weights" : k ? "rotation" : "translation", json);
  dc_json_end(json, ']');
  dc_json_end(json, '}');
  dc_json_end(json, ']');
}

static void put_arrays(const struct builder *builder, struct dc_json_writer *json)
{
  static const char *const types[] = {NULL, "SCALAR", "VEC2", "VEC3", "VEC4"};
  dc_json_begin(json, "accessors", '[');
  for (size_t i = 0; i < builder->array_count; i++) {
    const struct array *array = &builder->arrays[i];
    dc_json_begin(json, NULL, '{');
    put_index(json, "bufferView", (int)i);
    put_index(json, "componentType", array->indices ? INTEGER_COMPONENT : FLOAT_COMPONENT);
    dc_json_put_integer(json, "count", (long)array->count);
    dc_json_put_string(json, "type", types[array->width]);
    if (array->bounded) {
      put_vector(json, "min", array->least, array->width);
      put_vector(json, "max", array->largest, array->width);
    }
    dc_json_end(json, '}');
  }
  dc_json_end(json, ']');
  dc_json_begin(json, "bufferViews", '[');
  for (size_t i = 0; i < builder->array_count; i++) {
    const struct array *array = &builder->arrays[i];
    dc_json_begin(json, NULL, '{');
    put_index(json, "buffer", 0);
    dc_json_put_integer(json, "byteOffset", (long)array->offset);
    dc_json_put_integer(json, "byteLength", (long)(array->count * (size_t)array->width * sizeof(float)));
    if (array->vertices || array->indices)
      put_index(json, "target", array->indices ? INDEX_DATA : VERTEX_DATA);
    dc_json_end(json, '}');
  }
  dc_json_end(json, ']');
  dc_json_begin(json, "buffers", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_integer(json, "byteLength", (long)builder->binary.length);
  dc_json_end(json, '}');
  dc_json_end(json, ']');
}

// Arrays must not be empty, so what no body asks for is left out.
static void put_document(const struct builder *builder, const struct dc_view *view, struct dc_json_writer *json)
{
  const struct dc_gltf_run *run = builder->run;
  dc_json_begin(json, NULL, '{');
  dc_json_begin(json, "asset", '{');
  dc_json_put_string(json, "version", "2.0");
  dc_json_put_string(json, "generator", run->generator);
  dc_json_begin(json, "extras", '{');
  dc_json_put_string(json, "scene", run->name);
  dc_json_put_integer(json, "frames", run->frames);
  dc_json_end(json, '}');
  dc_json_end(json, '}');
  put_index(json, "scene", 0);
  dc_json_begin(json, "scenes", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", run->name);
  dc_json_put_raw(json, "nodes", "[0]");
  dc_json_end(json, '}');
  dc_json_end(json, ']');
  put_nodes(builder, view, json);
  put_cameras(run, view, json);
  if (run->bodies->count) {
    put_meshes(builder, json);
    put_materials(builder, json);
    put_animation(builder, json);
    put_arrays(builder, json);
  }
  dc_json_end(json, '}');
}

static void pad(struct dc_text *text, char with)
{
  while (text->length % 4 && !text->failed)
    dc_text_append(text, &with, 1);
}

// Header, JSON chunk, binary chunk (glTF 2.0, 4.4).
static enum dc_status assemble(struct builder *builder, struct dc_text *json, struct dc_text *file,
                               struct dc_error *error)
{
  struct dc_text *binary = &builder->binary;
  pad(json, ' ');
  pad(binary, '\0');
  size_t size = 12 + 8 + json->length + (binary->length ? 8 + binary->length : 0);
  if (size > UINT32_MAX)
    return dc_fail(error, DC_MEMORY, "a GLB file has at most 4 GiB (would have %zu bytes)", size);
  put_u32(file, 0x46546c67);  // "glTF"
  put_u32(file, 2);
  put_u32(file, (uint32_t)size);
  put_u32(file, (uint32_t)json->length);
  put_u32(file, 0x4e4f534a);  // "JSON"
  dc_text_append(file, json->bytes, json->length);
  if (binary->length) {
    put_u32(file, (uint32_t)binary->length);
    put_u32(file, 0x004e4942);  // "BIN"
    dc_text_append(file, binary->bytes, binary->length);
  }
  return DC_OK;
}

static enum dc_status build(struct builder *builder, struct dc_text *file, struct dc_error *error)
{
  const struct dc_gltf_run *run = builder->run;
  struct dc_view view;
  enum dc_status status = dc_view_create(&view, run->view, error);
  if (status)
    return status;
  builder->drawn = dc_alloc((size_t)run->bodies->count, sizeof *builder->drawn);
  builder->keys = dc_alloc((size_t)run->frames, sizeof *builder->keys);
  builder->failed = !builder->drawn || !builder->keys;
  if (!builder->failed) {
    find_keys(builder);
    add_shapes(builder);
  }
  if (!builder->failed)
    add_motions(builder);
  struct dc_json_writer json = {0};
  if (!builder->failed)
    put_document(builder, &view, &json);
  builder->failed = builder->failed || json.text.failed || builder->binary.failed;
  if (!builder->failed)
    status = assemble(builder, &json.text, file, error);
  if (!status && (builder->failed || file->failed))
    status =
        dc_fail(error, DC_MEMORY, "out of memory for %d frames of %d bodies as glTF", run->frames, run->bodies->count);
  dc_text_free(&json.text);
  return status;
}

enum dc_status dc_gltf_build(const struct dc_gltf_run *run, char **bytes, size_t *size, struct dc_error *error)
{
  struct builder builder = {.run = run};
  struct dc_text file = {0};
  enum dc_status status = build(&builder, &file, error);
  free(builder.arrays);
  free(builder.drawn);
  free(builder.keys);
  dc_text_free(&builder.binary);
  if (status)
    dc_text_free(&file);
  *bytes = file.bytes;
  *size = file.length;
  return status;
}
