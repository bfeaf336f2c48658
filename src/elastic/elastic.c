// SPDX-License-Identifier: Apache-2.0
#include "elastic/elastic.h"

#include "elastic/element.h"
#include "math/svd3.h"

// Of the nodes b, c, d of an element g is a row of the inverse of its edges from a; those of all four add up to zero.
static void set_element(struct dc_elastic *elastic, int e)
{
  const double(*nodes)[3] = (const double(*)[3])elastic->mesh->nodes;
  const int *element = elastic->mesh->elements[e];
  double edges[3][3], six = dc_tetrahedron_volume6(nodes, element), (*g)[3] = elastic->gradients[e];
  for (int k = 0; k < 3; k++)
    dc_vec_sub(edges[k], nodes[element[k + 1]], nodes[element[0]]);
  memset(g[0], 0, sizeof g[0]);
  for (int k = 0; k < 3; k++) {
    dc_vec_cross(g[k + 1], edges[(k + 1) % 3], edges[(k + 2) % 3]);
    dc_vec_scale(g[k + 1], g[k + 1], 1 / six);
    dc_vec_sub(g[0], g[0], g[k + 1]);
  }
  elastic->volumes[e] = six / 6;
  elastic->volume += six / 6;
  for (int a = 0; a < 4; a++)
    elastic->node_volumes[element[a]] += six / 24;
}

enum dc_status dc_elastic_create(struct dc_elastic *elastic, const struct dc_tetrahedra *mesh, struct dc_arena *arena,
                                 struct dc_error *error)
{
  size_t elements = (size_t)mesh->element_count;
  *elastic = (struct dc_elastic){.mesh = mesh};
  elastic->gradients = dc_arena_alloc(arena, elements, sizeof *elastic->gradients);
  elastic->volumes = dc_arena_alloc(arena, elements, sizeof *elastic->volumes);
  elastic->node_volumes = dc_arena_alloc(arena, (size_t)mesh->node_count, sizeof *elastic->node_volumes);
  if (!elastic->gradients || !elastic->volumes || !elastic->node_volumes)
    return dc_fail(error, DC_MEMORY, "out of memory for %d elements", mesh->element_count);
  for (int e = 0; e < mesh->element_count; e++)
    set_element(elastic, e);
  return DC_OK;
}

// The response of the material to an element's deformation, with the rotations of its decomposition.
static void respond(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x, int e,
                    bool second_order, double u[9], double v[9], struct dc_material_response *response)
{
  double f[9], s[3];
  dc_element_gradient(elastic, e, x, f);
  dc_svd3(f, u, s, v);
  dc_material_respond(elasticity.material, elasticity.lame, s, second_order, response);
}

// P = U diag(psi_i) V^T
static void stress_of(const double u[9], const double v[9], const struct dc_material_response *response, double p[9])
{
  double scaled[9];
  for (int i = 0; i < 9; i++)
    scaled[i] = u[i] * response->first[i % 3];
  dc_mat_multiply_transposed(p, scaled, v);
}

static void stress(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x, int e,
                   double p[9])
{
  double u[9], v[9], f[9];
  struct dc_material_response response;
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN) {
    dc_element_gradient(elastic, e, x, f);
    dc_neo_hookean_stress(elasticity.lame, f, p);
    return;
  }
  respond(elastic, elasticity, x, e, false, u, v, &response);
  stress_of(u, v, &response, p);
}

static double density(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x, int e)
{
  double u[9], v[9], f[9];
  struct dc_material_response response;
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN) {
    dc_element_gradient(elastic, e, x, f);
    return dc_neo_hookean_energy(elasticity.lame, f);
  }
  respond(elastic, elasticity, x, e, false, u, v, &response);
  return response.energy;
}

double dc_elastic_energy(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x)
{
  double sum = 0;
  for (int e = 0; e < elastic->mesh->element_count; e++)
    sum += elastic->volumes[e] * density(elastic, elasticity, x, e);
  return sum;
}

void dc_elastic_add_gradient(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                             double scale, double *gradient)
{
  double p[9];
  for (int e = 0; e < elastic->mesh->element_count; e++) {
    stress(elastic, elasticity, x, e, p);
    dc_element_add_stress(elastic, e, p, scale, gradient);
  }
}

double dc_elastic_along(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                        const double *direction)
{
  double sum = 0, p[9], moved[9];
  for (int e = 0; e < elastic->mesh->element_count; e++) {
    stress(elastic, elasticity, x, e, p);
    dc_element_gradient(elastic, e, direction, moved);
    sum += elastic->volumes[e] * dc_dot(p, moved, 9);
  }
  return sum;
}

// In the axes of U and V an element with gradients h_a = V^T g_a has, of nodes a and b, the block K with
//     K_ii = psi_ii h_ai h_bi + sum over j != i of alpha_ij h_aj h_bj,
//     K_ij = psi_ij h_ai h_bj + beta_ij h_aj h_bi,     alpha, beta = (minus +- plus)/2.
static void rotated_block(const struct dc_material_response *response, const double *a, const double *b, double k[9])
{
  for (int i = 0; i < 3; i++)
    k[4 * i] = response->second[i][i] * a[i] * b[i];
  for (int n = 0; n < 3; n++) {
    int i = (n + 1) % 3, j = (n + 2) % 3;
    double alpha = 0.5 * (response->minus[n] + response->plus[n]),
           beta = 0.5 * (response->minus[n] - response->plus[n]);
    k[4 * i] += alpha * a[j] * b[j];
    k[4 * j] += alpha * a[i] * b[i];
    k[3 * i + j] = response->second[i][j] * a[i] * b[j] + beta * a[j] * b[i];
    k[3 * j + i] = response->second[j][i] * a[j] * b[i] + beta * a[i] * b[j];
  }
}

void dc_elastic_element_hessian(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                                int element, bool projected, double blocks[DC_ELEMENT_BLOCKS][9])
{
  double u[9], v[9], h[4][3];
  struct dc_material_response response;
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN && !projected) {
    dc_element_gradient(elastic, element, x, u);
    if (dc_neo_hookean_blocks(elasticity.lame, u, (const double(*)[3])elastic->gradients[element],
                              elastic->volumes[element], blocks))
      return;
  }
  respond(elastic, elasticity, x, element, true, u, v, &response);
  if (projected)
    dc_material_project(&response);
  for (int a = 0; a < 4; a++)
    dc_mat_apply_transposed(h[a], v, elastic->gradients[element][a]);
  for (int i = 0; i < 9; i++)
    v[i] = elastic->volumes[element] * u[i];
  for (int a = 0; a < 4; a++)
    for (int b = 0; b <= a; b++) {
      double k[9], turned[9];
      rotated_block(&response, h[a], h[b], k);
      dc_mat_multiply(turned, v, k);
      dc_mat_multiply_transposed(blocks[dc_element_block(a, b)], turned, u);
    }
}
