// SPDX-License-Identifier: Apache-2.0
// A procedural figure of 18 superquadrics with its mesh: what the paper's armadillo is to us (paper 001, V-3).  The
// same as in scenes/figures.json.
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include "contact/manifold/manifold.h"
#include "geometry/mesh/mesh.h"

enum { DC_FIGURE_PARTS = 18 };

// Builds a figure of its first `parts` superquadrics, meshed with at most 606 triangles; owned by arena.
enum dc_status dc_bench_figure(int parts, struct dc_arena *arena, struct dc_manifold_surface *surface,
                               struct dc_error *error);

#endif
