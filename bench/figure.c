// SPDX-License-Identifier: Apache-2.0
// A figure of superquadrics for benchmarks of contact manifolds: its signed distance and its mesh.
#include "bench/figure.h"

#include "math/rotation.h"
#include "math/vector.h"

enum { TRIANGLES = 606, CELLS = 48 };

static const struct part {
  double axes[3], exponents[2], position[3], rotation[4];
} parts_of_figure[DC_FIGURE_PARTS] = {
    {{0.16, 0.12, 0.17}, {0.6, 0.8}, {0.0, 0.0, 0.1}, {1.0, 0.0, 0.0, 0.0}},
    {{0.14, 0.11, 0.1}, {0.8, 0.9}, {0.0, 0.0, -0.08}, {1.0, 0.0, 0.0, 0.0}},
    {{0.1, 0.1, 0.11}, {1.0, 1.0}, {0.0, 0.0, 0.36}, {1.0, 0.0, 0.0, 0.0}},
    {{0.05, 0.08, 0.05}, {0.9, 0.9}, {0.0, -0.1, 0.33}, {1.0, 0.0, 0.0, 0.0}},
    {{0.025, 0.02, 0.06}, {0.8, 0.8}, {-0.08, 0.02, 0.47}, {0.976296007, -0.0, -0.216439614, -0.0}},
    {{0.025, 0.02, 0.06}, {0.8, 0.8}, {0.08, 0.02, 0.47}, {0.976296007, 0.0, 0.216439614, 0.0}},
    {{0.06, 0.055, 0.12}, {0.8, 1.0}, {-0.22, 0.0, 0.14}, {0.906307787, 0.0, 0.422618262, 0.0}},
    {{0.05, 0.045, 0.11}, {0.8, 1.0}, {-0.33, -0.03, 0.0}, {0.991444861, 0.0, 0.130526192, 0.0}},
    {{0.05, 0.06, 0.05}, {0.5, 0.6}, {-0.36, -0.05, -0.13}, {1.0, 0.0, 0.0, 0.0}},
    {{0.06, 0.055, 0.12}, {0.8, 1.0}, {0.22, 0.0, 0.14}, {0.906307787, -0.0, -0.422618262, -0.0}},
    {{0.05, 0.045, 0.11}, {0.8, 1.0}, {0.33, -0.03, 0.0}, {0.991444861, -0.0, -0.130526192, -0.0}},
    {{0.05, 0.06, 0.05}, {0.5, 0.6}, {0.36, -0.05, -0.13}, {1.0, 0.0, 0.0, 0.0}},
    {{0.08, 0.075, 0.13}, {0.8, 1.0}, {-0.1, 0.0, -0.22}, {0.991444861, 0.0, 0.130526192, 0.0}},
    {{0.06, 0.055, 0.12}, {0.8, 1.0}, {-0.14, 0.01, -0.4}, {1.0, 0.0, 0.0, 0.0}},
    {{0.06, 0.1, 0.04}, {0.3, 0.5}, {-0.15, -0.04, -0.52}, {1.0, 0.0, 0.0, 0.0}},
    {{0.08, 0.075, 0.13}, {0.8, 1.0}, {0.1, 0.0, -0.22}, {0.991444861, -0.0, -0.130526192, -0.0}},
    {{0.06, 0.055, 0.12}, {0.8, 1.0}, {0.14, 0.01, -0.4}, {1.0, 0.0, 0.0, 0.0}},
    {{0.06, 0.1, 0.04}, {0.3, 0.5}, {0.15, -0.04, -0.52}, {1.0, 0.0, 0.0, 0.0}},
};

enum dc_status dc_bench_figure(int parts, struct dc_arena *arena, struct dc_manifold_surface *surface,
                               struct dc_error *error)
{
  struct dc_sdf *sdf = dc_sdf_make(&dc_sdf_union, 1, parts, arena);
  struct dc_mesh mesh;
  if (!sdf)
    return dc_out_of_memory_for(error, "a figure");
  sdf->numbers[0] = 0.01;
  for (int i = 0; i < parts; i++) {
    const struct part *part = &parts_of_figure[i];
    const struct dc_sdf *made = dc_sdf_make_superquadric(part->axes, part->exponents[0], part->exponents[1], arena);
    if (!made)
      return dc_out_of_memory_for(error, "a figure");
    sdf->children[i] = *made;
    dc_rotation_matrix(sdf->children[i].rotation, part->rotation);
    dc_vec_copy(sdf->children[i].position, part->position);
  }
  enum dc_status status = dc_sdf_mesh(sdf, CELLS, TRIANGLES, 0, arena, &mesh, error);
  if (status)
    return status;
  int(*edges)[2] = dc_arena_alloc(arena, 3 * (size_t)mesh.triangle_count, sizeof *edges);
  if (!edges)
    return dc_out_of_memory_for(error, "a figure");
  *surface = (struct dc_manifold_surface){.sdf = sdf,
                                          .vertex_count = mesh.vertex_count,
                                          .edge_count = dc_manifold_edges_of(&mesh, edges),
                                          .vertices = (const double(*)[3])mesh.vertices,
                                          .edges = (const int(*)[2])edges};
  return DC_OK;
}
