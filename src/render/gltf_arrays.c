// SPDX-License-Identifier: Apache-2.0
// Arrays of vectors in the binary chunk, little-endian, and the accessors, views and buffer that describe them.
#include "render/gltf_builder.h"

#include <math.h>
#include <string.h>

// Numbers of OpenGL that glTF uses for types of components and targets of buffer views (glTF 2.0, sections 3.6.2 and
// 5.11).
enum { FLOAT_COMPONENT = 5126, INTEGER_COMPONENT = 5125, VERTEX_DATA = 34962, INDEX_DATA = 34963 };

// Byte by byte, so that the order does not depend on the machine.
void dc_gltf_put_u32(struct dc_text *text, uint32_t value)
{
  const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                  (unsigned char)(value >> 24)};
  dc_text_append(text, (const char *)bytes, sizeof bytes);
}

// Begins an array of vectors of that width at the end of the binary chunk; its index, -1: out of memory.
// vertices: a renderer needs them as such; bounded: readers want the least and the largest.
int dc_gltf_begin_array(struct dc_gltf_builder *builder, int width, bool vertices, bool bounded)
{
  if (dc_grow(&builder->arrays, &builder->array_capacity, builder->array_count + 1, sizeof *builder->arrays) != 0) {
    builder->failed = true;
    return -1;
  }
  struct dc_gltf_array *array = &builder->arrays[builder->array_count];
  *array = (struct dc_gltf_array){
      .offset = builder->binary.length, .width = width, .vertices = vertices, .bounded = bounded};
  for (int i = 0; i < 4; i++)
    array->least[i] = INFINITY, array->largest[i] = -INFINITY;
  return (int)builder->array_count++;
}

// Appends to the array begun last, as floats, and keeps the bounds of what was written, not of the doubles.
void dc_gltf_add_vector(struct dc_gltf_builder *builder, const double *vector)
{
  struct dc_gltf_array *array = &builder->arrays[builder->array_count - 1];
  for (int i = 0; i < array->width; i++) {
    float value = (float)vector[i];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    dc_gltf_put_u32(&builder->binary, bits);
    array->least[i] = fminf(array->least[i], value);
    array->largest[i] = fmaxf(array->largest[i], value);
  }
  array->count++;
}

void dc_gltf_put_index(struct dc_json_writer *json, const char *key, int index)
{
  dc_json_put_integer(json, key, index);
}

// Floats become doubles exactly, so that JSON has the bounds of the numbers that are stored.
static void put_vector(struct dc_json_writer *json, const char *key, const float *vector, int width)
{
  double numbers[4];
  for (int i = 0; i < width; i++)
    numbers[i] = (double)vector[i];
  dc_json_put_numbers(json, key, numbers, width);
}

// The accessors: for each array its view, type, count and, where wanted, bounds.
void dc_gltf_put_arrays(const struct dc_gltf_builder *builder, struct dc_json_writer *json)
{
  static const char *const types[] = {NULL, "SCALAR", "VEC2", "VEC3", "VEC4"};
  dc_json_begin(json, "accessors", '[');
  for (size_t i = 0; i < builder->array_count; i++) {
    const struct dc_gltf_array *array = &builder->arrays[i];
    dc_json_begin(json, NULL, '{');
    dc_gltf_put_index(json, "bufferView", (int)i);
    dc_gltf_put_index(json, "componentType", array->indices ? INTEGER_COMPONENT : FLOAT_COMPONENT);
    dc_json_put_integer(json, "count", (long)array->count);
    dc_json_put_string(json, "type", types[array->width]);
    if (array->bounded) {
      put_vector(json, "min", array->least, array->width);
      put_vector(json, "max", array->largest, array->width);
    }
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
  dc_json_begin(json, "bufferViews", '[');
  for (size_t i = 0; i < builder->array_count; i++) {
    const struct dc_gltf_array *array = &builder->arrays[i];
    dc_json_begin(json, NULL, '{');
    dc_gltf_put_index(json, "buffer", 0);
    dc_json_put_integer(json, "byteOffset", (long)array->offset);
    dc_json_put_integer(json, "byteLength", (long)(array->count * (size_t)array->width * sizeof(float)));
    if (array->vertices || array->indices)
      dc_gltf_put_index(json, "target", array->indices ? INDEX_DATA : VERTEX_DATA);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
  dc_json_begin(json, "buffers", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_integer(json, "byteLength", (long)builder->binary.length);
  dc_json_end(json, "}]");
}
