// SPDX-License-Identifier: Apache-2.0
// Motions that a roll-out does not give: quaternions that change sign, times that single precision cannot tell apart.
#include "render/gltf.h"

#include <stdint.h>

#include "harness.h"
#include "math/rotation.h"

enum { FRAMES = 5 };

static double vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
static const struct dc_shape_type mesh_type = {.name = "mesh"};

static uint32_t word(const char *bytes)
{
  const unsigned char *b = (const unsigned char *)bytes;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// Builds the file of one body.  Its binary chunk holds 36 + 36 numbers of corners and normals, then times, translations
// and rotations.
static char *build(int frames, const double *time, const double *quaternion, enum dc_status expected)
{
  static const double position[3 * FRAMES];
  struct dc_shape shape = {
      .name = "tetrahedron",
      .type = &mesh_type,
      .mesh = {.vertex_count = 4, .triangle_count = 4, .vertices = vertices, .triangles = triangles}};
  struct dc_body body = {.name = "body", .shape = &shape, .appearance.color = {0.5, 0.25, 0.125}};
  struct dc_bodies bodies = {.count = 1, .bodies = &body};
  struct dc_render_settings view = {
      .width = 16, .height = 9, .eye = {3, 3, 3}, .up = {0, 0, 1}, .fov_deg = expected ? 0 : 40};
  struct dc_gltf_run run = {.name = "run",
                            .generator = "test",
                            .bodies = &bodies,
                            .frames = frames,
                            .time = time,
                            .position = position,
                            .quaternion = quaternion,
                            .view = &view};
  char *bytes;
  size_t size;
  struct dc_error error = {0};
  enum dc_status status = dc_gltf_build(&run, &bytes, &size, &error);
  CHECK(status == expected, "%s", error.text);
  if (!status)
    CHECK(size == word(bytes + 8) && size % 4 == 0);
  else
    CHECK(!bytes && !size);
  return bytes;
}

static const char *binary_chunk(const char *bytes, uint32_t *size)
{
  const char *chunk = bytes + 20 + word(bytes + 12);
  CHECK(memcmp(chunk + 4, "BIN", 4) == 0);
  *size = word(chunk);
  return chunk + 8;
}

static float number(const char *chunk, uint32_t index)
{
  uint32_t bits = word(chunk + 4 * index);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void test_signs_are_chosen(void)
{
  double time[FRAMES], quaternion[4 * FRAMES];
  for (int f = 0; f < FRAMES; f++) {
    const double turn[3] = {0, 0, 1.5 * f};
    time[f] = 0.1 * f;
    dc_rotation_exp(quaternion + 4 * f, turn);
    for (int i = 0; i < 4; i++)
      quaternion[4 * f + i] *= f % 2 ? -1 : 1;
  }
  char *bytes = build(FRAMES, time, quaternion, DC_OK);
  uint32_t size, first = 72 + FRAMES + 3 * FRAMES;
  const char *chunk = binary_chunk(bytes, &size);
  CHECK(size == 4 * (first + 4 * FRAMES), "%u", size);
  for (uint32_t f = 0; f < FRAMES; f++) {
    CHECK_NEAR((double)number(chunk, first + 4 * f + 2), sin(0.75 * f), 1e-7);  // observed: 3e-8
    CHECK_NEAR((double)number(chunk, first + 4 * f + 3), cos(0.75 * f), 1e-7);
  }
  free(bytes);
}

static void test_times_increase(void)
{
  const double time[FRAMES] = {0, 1e6, 1e6 + 1e-3, 1e6 + 1, 1e6 + 1 + 1e-3};
  double quaternion[4 * FRAMES] = {0};
  for (int f = 0; f < FRAMES; f++)
    quaternion[4 * f] = 1;
  char *bytes = build(FRAMES, time, quaternion, DC_OK);
  uint32_t size;
  const char *chunk = binary_chunk(bytes, &size);
  CHECK(size == 4 * (72 + 3 + 9 + 12), "%u", size);
  for (uint32_t k = 0; k < 2; k++)
    CHECK(number(chunk, 72 + k) < number(chunk, 73 + k));
  free(bytes);
}

static void test_camera_is_checked(void)
{
  const double time[1] = {0}, quaternion[4] = {1, 0, 0, 0};
  free(build(1, time, quaternion, DC_BAD_INPUT));
}

RUN_TESTS({"neighbouring quaternions lie on the same side", test_signs_are_chosen},
          {"times increase in single precision", test_times_increase},
          {"a camera that sees nothing is refused", test_camera_is_checked})
