// SPDX-License-Identifier: Apache-2.0
// One sample of an element: its deformation gradient and the functions of its materials.  Private to src/elastic.
#ifndef DC_ELASTIC_ELEMENT_H
#define DC_ELASTIC_ELEMENT_H

#include <string.h>

#include "elastic/sample.h"
#include "math/vector.h"

// f = sum_a x_a g_a^T: the deformation gradient of a sample, or how it moves along a direction x.
static inline void dc_element_gradient(const struct dc_elastic *elastic, int sample, const double *x, double f[9])
{
  const int *nodes = dc_sample_nodes(elastic, sample);
  const double(*g)[3] = dc_sample_gradients(elastic, sample);
  if (elastic->corners == 4) {  // all at once, for speed
    const double *p = x + 3 * (size_t)nodes[0], *q = x + 3 * (size_t)nodes[1], *r = x + 3 * (size_t)nodes[2],
                 *s = x + 3 * (size_t)nodes[3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        f[3 * i + j] = p[i] * g[0][j] + q[i] * g[1][j] + r[i] * g[2][j] + s[i] * g[3][j];
    return;
  }
  memset(f, 0, 9 * sizeof *f);
  for (int a = 0; a < elastic->corners; a++) {
    const double *p = x + 3 * (size_t)nodes[a];
    for (int i = 0; i < 9; i++)
      f[i] += p[i / 3] * g[a][i % 3];
  }
}

// Adds scale V P g_a to the nodes a.
static inline void dc_element_add_stress(const struct dc_elastic *elastic, int sample, const double stress[9],
                                         double scale, double *gradient)
{
  const int *nodes = dc_sample_nodes(elastic, sample);
  const double(*g)[3] = dc_sample_gradients(elastic, sample);
  for (int a = 0; a < elastic->corners; a++) {
    double force[3], *at = gradient + 3 * (size_t)nodes[a];
    dc_mat_apply(force, stress, g[a]);
    dc_vec_add_scaled(at, at, scale * elastic->volumes[sample], force);
  }
}

// Gradients of the shape functions of a linear tetrahedron; returns its volume, m^3 (elastic.c).
double dc_elastic_tetrahedron_gradients(const double (*nodes)[3], const int element[4], double g[4][3]);

// Adds scale F S to P, with the change S of Green's strain from places x to those that have F; returns scale |S|^2/2.
double dc_element_add_viscosity(const struct dc_elastic *elastic, int sample, const double *x, const double f[9],
                                double scale, double p[9]);

// The Neo-Hookean solid at F (invariants.c): energy density, J/m^3, INFINITY when det F <= 0; P; blocks of the Hessian
// of `count` nodes with the gradients [count] at rest, false when det F <= 0.
double dc_neo_hookean_energy(struct dc_lame lame, const double f[9]);
void dc_neo_hookean_stress(struct dc_lame lame, const double f[9], double p[9]);
bool dc_neo_hookean_blocks(struct dc_lame lame, const double f[9], int count, const double (*gradients)[3],
                           double volume, double blocks[DC_ELEMENT_BLOCKS][9]);

// Sheets and rods at F (membrane.c), `corners` 3 or 2: energy density; P; blocks for the gradients [corners].
double dc_membrane_energy(int corners, struct dc_elasticity elasticity, const double f[9]);
void dc_membrane_stress(int corners, struct dc_elasticity elasticity, const double f[9], double p[9]);
void dc_membrane_blocks(int corners, struct dc_elasticity elasticity, const double f[9], const double (*gradients)[3],
                        double volume, bool projected, double blocks[DC_ELEMENT_BLOCKS][9]);

// Bending (bending.c), for a bending stiffness of 1.
double dc_bend_energy(const struct dc_elastic *elastic, const double *x);
void dc_bend_add_gradient(const struct dc_elastic *elastic, const double *x, double scale, double *gradient);
double dc_bend_along(const struct dc_elastic *elastic, const double *x, const double *direction);
void dc_bend_blocks(const struct dc_bend *bend, int count, double scale, double blocks[DC_ELEMENT_BLOCKS][9]);

#endif
