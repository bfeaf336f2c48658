// SPDX-License-Identifier: Apache-2.0
// Writes a GLB file: JSON document and binary chunk (Khronos, glTF 2.0 Specification, ISO/IEC 12113:2022).
//
// 1. Key frames, those whose times differ in single precision (gltf_motion.c).
// 2. Arrays of shapes and skins, then of motions, into the binary chunk; each body remembers the indices of its
// arrays.
// 3. The JSON document that refers to these arrays, with the camera of the run.
// 4. Header and both chunks, padded to multiples of four bytes.
#include "render/gltf.h"

#include <stdlib.h>

#include "math/vector.h"
#include "render/camera.h"
#include "render/constants.h"
#include "render/gltf_builder.h"

// Application data of a body: its name, the name of its shape, whether it moves, and its mass.
static void put_extras(const struct dc_body *body, bool skinned, struct dc_json_writer *json)
{
  dc_json_begin(json, "extras", '{');
  dc_json_put_string(json, "body", body->name);
  if (dc_body_look(body) != &dc_shape_nothing)
    dc_json_put_string(json, "shape", dc_body_look(body)->name);
  dc_json_put_boolean(json, "moves", skinned || dc_body_moves(body));
  if (dc_body_moves(body))
    dc_json_put_number(json, "mass_kg", body->mass);
  dc_json_end(json, "}");
}

// The node of a body: its mesh, and its place and rotation at the first frame.
static void put_body_node(const struct dc_gltf_builder *builder, int b, struct dc_json_writer *json)
{
  const struct dc_body *body = &builder->run->bodies->bodies[b];
  double rotation[4];
  dc_gltf_rotation(builder->run, 0, b, rotation);
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", body->name);
  if (builder->drawn[b].mesh >= 0)
    dc_gltf_put_index(json, "mesh", builder->drawn[b].mesh);
  if (!builder->drawn[b].skinned) {
    dc_json_put_numbers(json, "translation", dc_gltf_position(builder->run, 0, b), 3);
    dc_json_put_numbers(json, "rotation", rotation, 4);
  }
  put_extras(body, builder->drawn[b].skinned, json);
  dc_json_end(json, "}");
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
  dc_gltf_put_index(json, "camera", 0);
  dc_json_put_numbers(json, "matrix", matrix, 16);
  dc_json_end(json, "}");
}

// Node 0 is the root, node 1 + b is body b, the last one is the camera.  Scenes have z up and glTF has y up: the root
// rotates all of it once, so that numbers below it are those of the trajectory.
static void put_nodes(const struct dc_gltf_builder *builder, const struct dc_view *view, struct dc_json_writer *json)
{
  int count = builder->run->bodies->count;
  const double z_to_y[4] = {-sqrt(0.5), 0, 0, sqrt(0.5)};  // a quarter turn about -x
  dc_json_begin(json, "nodes", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", builder->run->name);
  dc_json_put_numbers(json, "rotation", z_to_y, 4);
  dc_json_begin(json, "children", '[');
  for (int i = 1; i <= count + 1; i++)
    dc_gltf_put_index(json, NULL, i);
  dc_json_end(json, "]}");
  for (int b = 0; b < count; b++)
    put_body_node(builder, b, json);
  put_camera_node(view, json);
  dc_json_end(json, "]");
}

// One perspective camera.  There is no far plane, so that no half-space is cut off.
static void put_cameras(const struct dc_gltf_run *run, const struct dc_view *view, struct dc_json_writer *json)
{
  dc_json_begin(json, "cameras", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "type", "perspective");
  dc_json_begin(json, "perspective", '{');
  dc_json_put_number(json, "yfov", DC_DEGREE * run->view->fov_deg);
  dc_json_put_number(json, "aspectRatio", (double)view->width / view->height);
  dc_json_put_number(json, "znear", DC_NEAR_PLANE * dc_vec_distance(view->eye, view->target));
  dc_json_end(json, "}}]");
}

// glTF forbids empty arrays, so that unused ones are omitted.
static void put_document(const struct dc_gltf_builder *builder, const struct dc_view *view, struct dc_json_writer *json)
{
  const struct dc_gltf_run *run = builder->run;
  dc_json_begin(json, NULL, '{');
  dc_json_begin(json, "asset", '{');
  dc_json_put_string(json, "version", "2.0");
  dc_json_put_string(json, "generator", run->generator);
  dc_json_begin(json, "extras", '{');
  dc_json_put_string(json, "scene", run->name);
  dc_json_put_integer(json, "frames", run->frames);
  dc_json_end(json, "}}");
  dc_gltf_put_index(json, "scene", 0);
  dc_json_begin(json, "scenes", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", run->name);
  dc_json_put_raw(json, "nodes", "[0]");
  dc_json_end(json, "}]");
  put_nodes(builder, view, json);
  put_cameras(run, view, json);
  if (run->bodies->count) {
    dc_gltf_put_meshes(builder, json);
    dc_gltf_put_materials(builder, json);
    dc_gltf_put_animation(builder, json);
    dc_gltf_put_arrays(builder, json);
  }
  dc_json_end(json, "}");
}

// Chunks must end at a multiple of four bytes.
static void pad(struct dc_text *text, char with)
{
  while (text->length % 4 && !text->failed)
    dc_text_append(text, &with, 1);
}

// Header, JSON chunk, binary chunk (glTF 2.0, section 4.4).  Sizes are 32-bit numbers, which bounds the file to 4
// GiB.  JSON is padded by spaces, binary data by zeros, as the specification asks.
static enum dc_status assemble(struct dc_gltf_builder *builder, struct dc_text *json, struct dc_text *file,
                               struct dc_error *error)
{
  struct dc_text *binary = &builder->binary;
  pad(json, ' ');
  pad(binary, '\0');
  size_t size = 12 + 8 + json->length + (binary->length ? 8 + binary->length : 0);
  if (size > UINT32_MAX)
    return dc_fail(error, DC_MEMORY, "a GLB file has at most 4 GiB (would have %zu bytes)", size);
  dc_gltf_put_u32(file, 0x46546c67);  // "glTF"
  dc_gltf_put_u32(file, 2);
  dc_gltf_put_u32(file, (uint32_t)size);
  dc_gltf_put_u32(file, (uint32_t)json->length);
  dc_gltf_put_u32(file, 0x4e4f534a);  // "JSON"
  dc_text_append(file, json->bytes, json->length);
  if (binary->length) {
    dc_gltf_put_u32(file, (uint32_t)binary->length);
    dc_gltf_put_u32(file, 0x004e4942);  // "BIN"
    dc_text_append(file, binary->bytes, binary->length);
  }
  return DC_OK;
}

// Collects arrays of shapes and motions, then writes JSON and arrays as one file.
static enum dc_status build(struct dc_gltf_builder *builder, struct dc_text *file, struct dc_error *error)
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
    dc_gltf_find_keys(builder);
    dc_gltf_add_shapes(builder);
  }
  if (!builder->failed)
    dc_gltf_add_motions(builder);
  struct dc_json_writer json = {0};
  if (!builder->failed)
    put_document(builder, &view, &json);
  builder->failed = builder->failed || json.text.failed || builder->binary.failed;
  if (!builder->failed)
    status = assemble(builder, &json.text, file, error);
  if (!status && (builder->failed || file->failed))
    status = dc_out_of_memory_for(error, "%d frames of %d bodies as glTF", run->frames, run->bodies->count);
  dc_text_free(&json.text);
  return status;
}

// All arrays of the builder end here; the bytes of the file are the caller's to free.
enum dc_status dc_gltf_build(const struct dc_gltf_run *run, char **bytes, size_t *size, struct dc_error *error)
{
  struct dc_gltf_builder builder = {.run = run};
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
