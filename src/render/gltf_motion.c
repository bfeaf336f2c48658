// SPDX-License-Identifier: Apache-2.0
// The animation: its frames, translations, rotations, and weights of morph targets.
#include "render/gltf_builder.h"

#include <math.h>

// glTF has quaternions as x, y, z, w; trajectories have w first.
void dc_gltf_rotation(const struct dc_gltf_run *run, int frame, int body, double rotation[4])
{
  const double *q = run->quaternion + 4 * ((size_t)frame * (size_t)run->bodies->count + (size_t)body);
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++)
    rotation[i] = q[(i + 1) % 4] / norm;
}

const double *dc_gltf_position(const struct dc_gltf_run *run, int frame, int body)
{
  return run->position + 3 * ((size_t)frame * (size_t)run->bodies->count + (size_t)body);
}

// Times of keys must increase strictly, and are stored in single precision: frames whose times become equal are left
// out.
void dc_gltf_find_keys(struct dc_gltf_builder *builder)
{
  const struct dc_gltf_run *run = builder->run;
  for (int f = 0; f < run->frames; f++)
    if (f == 0 || (float)run->time[f] > (float)run->time[builder->keys[builder->key_count - 1]])
      builder->keys[builder->key_count++] = f;
}

// Positions and rotations of a body at the keys; signs of quaternions follow the one before, so that players turn the
// short way.
static void add_motion(struct dc_gltf_builder *builder, int body)
{
  const struct dc_gltf_run *run = builder->run;
  builder->drawn[body].motion_array = dc_gltf_begin_array(builder, 3, false, false);
  for (int k = 0; k < builder->key_count && !builder->failed; k++)
    dc_gltf_add_vector(builder, dc_gltf_position(run, builder->keys[k], body));
  if (!builder->failed)
    dc_gltf_begin_array(builder, 4, false, false);
  double before[4] = {0, 0, 0, 0};
  for (int k = 0; k < builder->key_count && !builder->failed; k++) {
    double rotation[4], cosine = 0;
    dc_gltf_rotation(run, builder->keys[k], body, rotation);
    // q and -q are the same rotation, but players interpolate between numbers.
    for (int i = 0; i < 4; i++)
      cosine += before[i] * rotation[i];
    for (int i = 0; i < 4; i++)
      before[i] = cosine < 0 ? -rotation[i] : rotation[i];
    dc_gltf_add_vector(builder, before);
  }
}

// Weights of morph targets, [keys][targets]: target k at 1 in key k, the others at 0; in the first key none.  Players
// interpolate weights linearly, and so the nodes.
static void add_weights(struct dc_gltf_builder *builder, int body)
{
  int targets = dc_gltf_target_count(builder);
  builder->drawn[body].motion_array = dc_gltf_begin_array(builder, 1, false, false);
  for (int k = 0; k <= targets; k++)
    for (int t = 1; t <= targets && !builder->failed; t++)
      dc_gltf_add_vector(builder, &(double){k == t});
}

// Times of the keys once, then the motion of every body that moves: an array of positions, and behind it one of
// rotations, or one of weights. put_sampler relies on this order.
void dc_gltf_add_motions(struct dc_gltf_builder *builder)
{
  const struct dc_gltf_run *run = builder->run;
  builder->time_array = -1;
  for (int b = 0; b < run->bodies->count && !builder->failed; b++) {
    bool morphs = builder->drawn[b].skinned && dc_gltf_target_count(builder) > 0;
    if (!morphs && !dc_body_moves(&run->bodies->bodies[b]))
      continue;
    if (builder->time_array < 0) {
      builder->time_array = dc_gltf_begin_array(builder, 1, false, true);
      for (int k = 0; k < builder->key_count && !builder->failed; k++)
        dc_gltf_add_vector(builder, &run->time[builder->keys[k]]);
    }
    if (!builder->failed && morphs)
      add_weights(builder, b);
    else if (!builder->failed)
      add_motion(builder, b);
  }
}

// Times of all samplers are one array.
static void put_sampler(const struct dc_gltf_builder *builder, int output, struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  dc_gltf_put_index(json, "input", builder->time_array);
  dc_gltf_put_index(json, "output", output);
  dc_json_put_string(json, "interpolation", "LINEAR");
  dc_json_end(json, "}");
}

// Joins a sampler to the property of a node that it moves.
static void put_channel(int sampler, int node, const char *path, struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  dc_gltf_put_index(json, "sampler", sampler);
  dc_json_begin(json, "target", '{');
  dc_gltf_put_index(json, "node", node);
  dc_json_put_string(json, "path", path);
  dc_json_end(json, "}}");
}

// Writes the animation: samplers and channels of places and rotations, or of weights of deformed meshes.
void dc_gltf_put_animation(const struct dc_gltf_builder *builder, struct dc_json_writer *json)
{
  int count = builder->run->bodies->count, samplers = 0;
  if (builder->time_array < 0)
    return;
  dc_json_begin(json, "animations", '[');
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", builder->run->name);
  dc_json_begin(json, "samplers", '[');
  for (int b = 0; b < count; b++)
    for (int k = 0; k < (builder->drawn[b].skinned ? 1 : 2) && builder->drawn[b].motion_array >= 0; k++)
      put_sampler(builder, builder->drawn[b].motion_array + k, json);
  dc_json_end(json, "]");
  dc_json_begin(json, "channels", '[');
  for (int b = 0; b < count; b++)
    for (int k = 0; k < (builder->drawn[b].skinned ? 1 : 2) && builder->drawn[b].motion_array >= 0; k++)
      put_channel(samplers++, 1 + b, builder->drawn[b].skinned ? "weights" : k ? "rotation" : "translation", json);
  dc_json_end(json, "]}]");
}
