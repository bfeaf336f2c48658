// SPDX-License-Identifier: Apache-2.0
// A glTF file under construction: first the binary chunk is filled (shapes, then motions), then the document describes
// it.  Private to gltf*.c.
#ifndef DC_RENDER_GLTF_BUILDER_H
#define DC_RENDER_GLTF_BUILDER_H

#include <stdint.h>

#include "io/json/json_write.h"
#include "render/gltf.h"
#include "render/skin.h"

// A sequence of vectors of floats, or of indices, in the binary chunk: a buffer view and its accessor.
struct dc_gltf_array {
  size_t offset, count;
  int width;
  bool vertices, bounded;  // vertex data; with least and largest values
  bool indices;            // whole numbers
  float least[4], largest[4];
};

struct dc_gltf_body {
  bool skinned;  // its shape is the skin, in the world
  struct dc_skin skin;
  int shape_array;  // its positions; normals follow, for a skin indices and the displacements of its targets
  int material;     // numbers in the order of first use
  int mesh;
  bool new_shape, new_material, new_mesh;
  int motion_array;  // translations; rotations follow; for a skin weights; -1: does not move
};

struct dc_gltf_builder {
  const struct dc_gltf_run *run;
  struct dc_text binary;
  struct dc_gltf_array *arrays;
  size_t array_count, array_capacity;
  struct dc_gltf_body *drawn;  // [bodies]
  int *keys;                   // [key_count] frames that the animation has
  int key_count;
  int time_array;  // -1: nothing moves
  bool failed;
};

// Little-endian.
void dc_gltf_put_u32(struct dc_text *text, uint32_t value);
// Begins an array of vectors of that width; returns its number, or -1, with failed set, when out of memory.
int dc_gltf_begin_array(struct dc_gltf_builder *builder, int width, bool vertices, bool bounded);
// Adds a vector to the array begun last.
void dc_gltf_add_vector(struct dc_gltf_builder *builder, const double *vector);
// Accessors, views and the one buffer of all arrays.
void dc_gltf_put_arrays(const struct dc_gltf_builder *builder, struct dc_json_writer *json);
void dc_gltf_put_index(struct dc_json_writer *json, const char *key, int index);

// Adds the arrays of shapes, and finds for every body whether its shape, colour or their combination is new.
void dc_gltf_add_shapes(struct dc_gltf_builder *builder);
void dc_gltf_put_meshes(const struct dc_gltf_builder *builder, struct dc_json_writer *json);
// Colours of bodies and baseColorFactor are both linear RGB (glTF 2.0, 3.9.2), so that no sRGB conversion is needed.
void dc_gltf_put_materials(const struct dc_gltf_builder *builder, struct dc_json_writer *json);
// Number of targets of a skin: displacements of its vertices from the first frame to every later one.
int dc_gltf_target_count(const struct dc_gltf_builder *builder);

// Position of a body's centre of mass in a frame [3], m; its unit quaternion in glTF's order (x, y, z, w).
const double *dc_gltf_position(const struct dc_gltf_run *run, int frame, int body);
void dc_gltf_rotation(const struct dc_gltf_run *run, int frame, int body, double rotation[4]);
// Lists the frames whose times differ in single precision; keys has room for all frames.
void dc_gltf_find_keys(struct dc_gltf_builder *builder);
// Arrays of times, translations, rotations and weights.
void dc_gltf_add_motions(struct dc_gltf_builder *builder);
void dc_gltf_put_animation(const struct dc_gltf_builder *builder, struct dc_json_writer *json);

#endif
