// SPDX-License-Identifier: Apache-2.0
// Small scenes as texts for tests of the public interface.
#ifndef DC_TESTS_API_SCENES_H
#define DC_TESTS_API_SCENES_H

#include <dcsim.h>

#include "harness.h"

// A ball pushed along the floor against another one, with friction: nv 12.
static const char two_balls[] =
    "{\"time\": {\"step\": 0.02, \"steps\": 30}, \"contact\": {\"model\": \"bsh\", \"stiffness\": 1e-5, \"friction\": "
    "0.3},"
    " \"solver\": {\"tolerance\": 1e-9}, \"shapes\": {\"ball\": {\"type\": \"sphere\", \"surface\": \"mesh\", "
    "\"radius\": 0.1, \"level\": 1}, "
    "\"ground\": {\"type\": \"plane\"}},"
    " \"bodies\": [{\"name\": \"ground\", \"joint\": \"fixed\", \"shape\": \"ground\"},"
    "  {\"name\": \"cue\", \"shape\": \"ball\", \"mass\": 0.05, \"position\": [-0.4, 0.01, 0.11],"
    "   \"velocity\": [1.5, 0, 0], \"angular_velocity\": [0.5, 1, -2]},"
    "  {\"name\": \"ball\", \"shape\": \"ball\", \"mass\": 0.05, \"position\": [0, 0, 0.11]}],"
    " \"control\": [{\"type\": \"initial_state\", \"body\": \"cue\", \"position\": \"y\", \"velocity\": \"xy\"}],"
    " \"objective\": [{\"type\": \"reach\", \"body\": \"ball\", \"target\": [0.5, 0.1, 0.1], \"tolerance\": 0.01, \"inside\": 1}]}";

// One ball that would pass through another one within a step.
static const char fast_ball[] =
    "{\"time\": {\"step\": 0.02, \"steps\": 4}, \"gravity\": [0, 0, 0], \"solver\": {\"tolerance\": 1e-9},"
    " \"contact\": {\"model\": \"exact\", \"stiffness\": 1e-6},"
    " \"shapes\": {\"ball\": {\"type\": \"sphere\", \"surface\": \"mesh\", \"radius\": 0.1, \"level\": 0}},"
    " \"bodies\": [{\"name\": \"cue\", \"shape\": \"ball\", \"mass\": 0.05, \"position\": [-0.5, 0.02, 0.01],"
    "   \"velocity\": [20, 0, 0], \"angular_velocity\": [3, 1, -2]},"
    "  {\"name\": \"ball\", \"shape\": \"ball\", \"mass\": 0.05, \"position\": [0, 0, 0]}],"
    " \"control\": [{\"type\": \"initial_state\", \"body\": \"cue\", \"velocity\": \"xy\"}],"
    " \"objective\": [{\"type\": \"reach\", \"body\": \"ball\", \"target\": [0.5, 0, 0]}]}";

// An actuated arm of a ball joint and a hinge that swings against a free box in the air: nv 10, 4 actuated coordinates.
static const char arm_and_box[] =
    "{\"time\": {\"step\": 0.02, \"steps\": 12}, \"gravity\": [0, 0, 0],"
    " \"contact\": {\"model\": \"exact\", \"stiffness\": 1e-4},"
    " \"solver\": {\"tolerance\": 1e-9}, \"shapes\": {\"rod\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, "
    "\"box\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}},"
    " \"bodies\": [{\"name\": \"upper\", \"shape\": \"rod\", \"mass\": 1, \"position\": [0.2, 0, 0], \"joint\": "
    "{\"type\": \"ball\","
    "   \"anchor\": [0, 0, 0]}, \"pd\": {\"kp\": 20, \"kd\": 1}},"
    "  {\"name\": \"lower\", \"parent\": \"upper\", \"shape\": \"rod\", \"mass\": 0.5, \"position\": [0.65, 0, 0],"
    "   \"joint\": {\"type\": \"hinge\", \"axis\": [0, 0, 1], \"anchor\": [0.42, 0, 0]}, \"pd\": {\"kp\": 10, \"kd\": "
    "0.5}},"
    "  {\"name\": \"box\", \"shape\": \"box\", \"mass\": 0.3, \"position\": [0.7, 0.18, 0.02],"
    "   \"angular_velocity\": [1, -2, 0.5]}],"
    " \"control\": [{\"type\": \"pd_targets\", \"body\": \"lower\"}],"
    " \"objective\": [{\"type\": \"reach\", \"body\": \"box\", \"target\": [1, 0.5, 0], \"tolerance\": 0.01}]}";

static inline dcsim_scene *open_text(const char *text)
{
  dcsim_scene *scene;
  dcsim_error error = {0};
  CHECK(dcsim_scene_open_text(text, NULL, NULL, &scene, &error) == DCSIM_OK, "%s", error.text);
  if (!scene)
    exit(1);
  return scene;
}

#endif
