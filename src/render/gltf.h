// SPDX-License-Identifier: Apache-2.0
// A run as an animated glTF 2.0 binary (GLB), for viewers and modelling programs.
#ifndef DC_RENDER_GLTF_H
#define DC_RENDER_GLTF_H

#include "render/render.h"

struct dc_gltf_run {
  const char *name;       // of the scene
  const char *generator;  // the program with its version
  const struct dc_bodies *bodies;
  int frames;                             // at least 1
  const double *time;                     // [frames], s, increasing
  const double *position, *quaternion;    // [frames][bodies][3] of the centres of mass, m; [frames][bodies][4]
  const double *nodes;                    // [frames][3 node_count] of soft bodies, m; NULL: not known
  const struct dc_render_settings *view;  // camera and aspect
};

// Builds the file in memory; *bytes is released with free().  A root node turns z up into glTF's y up; below it are a
// node for every body, in order and with its name, and the camera.  Shapes have flat normals and are stored once;
// bodies of the same shape and colour share a mesh; half-spaces are large squares.  Moving bodies have a translation
// and a rotation per frame, interpolated linearly; a frame whose time equals the previous one in single precision is
// left out.  Soft bodies are meshes in the world, with a morph target for every such frame.  Colours are linear in the
// scene and in the file.  The same run gives the same bytes.
// DC_BAD_INPUT (camera), DC_MEMORY (also above 4 GiB, which the format cannot hold).
enum dc_status dc_gltf_build(const struct dc_gltf_run *run, char **bytes, size_t *size, struct dc_error *error);

#endif
