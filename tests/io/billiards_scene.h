// SPDX-License-Identifier: Apache-2.0
// A small scene with two models, as the text of a file, and how texts are read.
#ifndef DC_TESTS_IO_BILLIARDS_SCENE_H
#define DC_TESTS_IO_BILLIARDS_SCENE_H

#include "harness.h"
#include "io/scene/scene.h"
#include "scene_files.h"

#define TIME "'time': {'step': 0.01, 'steps': 2}"
#define BILLIARDS                                                                                                      \
  "{'name': 'billiards', " TIME ",\n"                                                                                  \
  "'contact': {'model': 'bsh', 'stiffness': 1e-6, 'blend': 0.3},\n"                                                    \
  "'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 1, 'base': 'octahedron'},\n"                          \
  "           'floor': {'type': 'box', 'size': [6, 6, 0.2]}},\n"                                                       \
  "'bodies': [{'name': 'floor', 'joint': 'fixed', 'shape': 'floor', 'position': [0, 0, -0.1]},\n"                      \
  "           {'name': 'cue', 'shape': 'ball', 'position': [-1, 0, 0.11], 'color': [0.8, 0.1, 0.1]},\n"                \
  "           {'name': '0', 'shape': 'ball', 'mass': 0.3, 'position': [1, 0.1, 0.11]}],\n"                             \
  "'control': [{'type': 'initial_state', 'body': 'cue', 'position': 'xy', 'velocity': 'xy'}],\n"                       \
  "'objective': [{'type': 'reach', 'body': '0', 'target': [1, 0.4, 0.11], 'tolerance': 0.05, 'when': 'every'},\n"      \
  "              {'shot': {'reference_seed': 7, 'balls': 2, 'minimum_distance': 0.4, 'weight': 2}}],\n"                \
  "'models': {'exact': {'contact': {'stiffness': 1e-3}, 'time': {'steps': 9}, 'camera': {'eye': [1, 2, 3]},\n"         \
  "                     'gravity': null}},\n"                                                                          \
  "'gravity': [0, 0, -1.62]}"

static inline enum dc_status read_text(const char *text, const struct dc_scene_settings *settings,
                                       struct dc_scene **scene, struct dc_error *error)
{
  write_scene("scene.json", text);
  *error = (struct dc_error){0};
  return dc_scene_read("scene.json", settings, scene, error);
}

#endif
