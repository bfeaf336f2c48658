// SPDX-License-Identifier: Apache-2.0
// Elastic energy of a mesh, its gradient and Hessian blocks, sample by sample: one of a linear element, four of a
// quadratic one.
//
// 1. Creation inverts the edges of every element at rest: gradients g_a of shape functions, volume, bending stencils;
//    those of quadratic elements are in quadratic.c.
// 2. An evaluation forms F = sum_a x_a g_a^T and asks the material for psi or P.  Neo-Hookean solids use the invariants
//    of F (invariants.c), sheets and rods their own (membrane.c), other solids the singular values (material.c).
// 3. Node a receives the force -V P g_a; blocks of the Hessian follow from the second derivative of psi along dF = dx_a
//    g_a^T.
//
// Sums run in the order of samples, so that the bits do not depend on threads.
#include "elastic/elastic.h"

#include "elastic/element.h"
#include "elastic/growth.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/svd3.h"

// The gradients of nodes b, c, d of a tetrahedron are the rows of the inverse of its edges from a; all four add up to
// zero.
double dc_elastic_tetrahedron_gradients(const double (*nodes)[3], const int element[4], double g[4][3])
{
  memset(g[0], 0, sizeof g[0]);
  double edges[3][3], six = dc_tetrahedron_volume6(nodes, element);
  for (int k = 0; k < 3; k++)
    dc_vec_sub(edges[k], nodes[element[k + 1]], nodes[element[0]]);
  for (int k = 0; k < 3; k++) {
    dc_vec_cross(g[k + 1], edges[(k + 1) % 3], edges[(k + 2) % 3]);
    dc_vec_scale(g[k + 1], g[k + 1], 1 / six);
    dc_vec_sub(g[0], g[0], g[k + 1]);
  }
  return six / 6;
}

// Uses axes in the plane of the triangle, the first along a b: b is at (l, 0), c at (x, y).
static double set_triangle(const double (*nodes)[3], const int *element, double (*g)[3])
{
  double b[3], c[3], normal[3];
  dc_vec_sub(b, nodes[element[1]], nodes[element[0]]);
  dc_vec_sub(c, nodes[element[2]], nodes[element[0]]);
  dc_vec_cross(normal, b, c);
  double l = dc_vec_norm(b), twice = dc_vec_norm(normal), x = dc_vec_dot(b, c) / l, y = twice / l;
  g[1][0] = 1 / l;
  g[1][1] = -x / (l * y);
  g[2][1] = 1 / y;
  g[0][0] = -g[1][0];
  g[0][1] = -g[1][1] - g[2][1];
  return 0.5 * twice;
}

static double set_segment(const double (*nodes)[3], const int *element, double (*g)[3])
{
  double length = dc_vec_distance(nodes[element[0]], nodes[element[1]]);
  g[1][0] = 1 / length;
  g[0][0] = -g[1][0];
  return length;
}

// The shape functions' gradients at rest, [corners][3] per element, from which F = sum x_a g_a^T for any placement;
// the volume, whose equal shares go to the corners; and the steepness, their mean square, which is large where
// elements are narrow.
static void set_element(struct dc_elastic *elastic, int e, double section)
{
  const double(*nodes)[3] = (const double(*)[3])elastic->mesh->nodes;
  const int *element = elastic->mesh->elements[e];
  int corners = elastic->corners;
  double(*g)[3] = elastic->gradients + (size_t)elastic->stride * (size_t)e;
  memset(g, 0, 4 * sizeof *g);
  double size = corners == 4   ? dc_elastic_tetrahedron_gradients(nodes, element, g)
                : corners == 3 ? set_triangle(nodes, element, g)
                               : set_segment(nodes, element, g);
  elastic->volumes[e] = section * size;
  elastic->volume += section * size;
  for (int a = 0; a < corners; a++) {
    elastic->node_volumes[element[a]] += section * size / corners;
    elastic->steepness += section * size / corners * dc_vec_dot(g[a], g[a]);
  }
}

enum dc_status dc_elastic_create(struct dc_elastic *elastic, const struct dc_simplices *mesh, double section,
                                 struct dc_arena *arena, struct dc_error *error)
{
  size_t elements = (size_t)mesh->element_count;
  *elastic = (struct dc_elastic){.mesh = mesh,
                                 .element_count = mesh->element_count,
                                 .corners = mesh->corners,
                                 .sample_count = mesh->element_count,
                                 .stride = 4};
  elastic->gradients = dc_arena_alloc(arena, 4 * elements, sizeof *elastic->gradients);
  elastic->volumes = dc_arena_alloc(arena, elements, sizeof *elastic->volumes);
  elastic->node_volumes = dc_arena_alloc(arena, (size_t)mesh->node_count, sizeof *elastic->node_volumes);
  if (!elastic->gradients || !elastic->volumes || !elastic->node_volumes)
    return dc_out_of_memory_for(error, "%d elements", mesh->element_count);
  for (int e = 0; e < mesh->element_count; e++)
    set_element(elastic, e, section);
  elastic->steepness /= elastic->volume;
  return mesh->corners < 4 ? dc_elastic_add_bends(elastic, arena, error) : DC_OK;
}

// Decomposes F = U diag(s) V^T and returns the material's response to s with the rotations U and V.
static void respond(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x, int e,
                    bool second_order, double u[9], double v[9], struct dc_material_response *response)
{
  double f[9], s[3];
  dc_element_gradient(elastic, e, x, f);
  dc_growth_apply(elasticity.growth, e, f);
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

// First Piola-Kirchhoff stress P = dW/dF of element e, [9] by columns. Sheets and rods have a membrane's. A
// neo-Hookean solid's is a closed form in F; the other materials work by the singular values of F (u, v). With growth
// G the material sees F G^-1, and the stress is pulled back through it.
static void stress(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x, int e,
                   double p[9])
{
  double u[9], v[9], f[9];
  struct dc_material_response response;
  if (elastic->corners < 4) {
    dc_element_gradient(elastic, e, x, f);
    dc_membrane_stress(elastic->corners, elasticity, f, p);
    return;
  }
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN) {
    dc_element_gradient(elastic, e, x, f);
    dc_growth_apply(elasticity.growth, e, f);
    dc_neo_hookean_stress(elasticity.lame, f, p);
  } else {
    respond(elastic, elasticity, x, e, false, u, v, &response);
    stress_of(u, v, &response, p);
  }
  dc_growth_pull_back(elasticity.growth, e, p);
}

// Energy density W of element e, J/m^3, by the same cases as stress.
static double density(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x, int e)
{
  double u[9], v[9], f[9];
  struct dc_material_response response;
  if (elastic->corners < 4) {
    dc_element_gradient(elastic, e, x, f);
    return dc_membrane_energy(elastic->corners, elasticity, f);
  }
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN) {
    dc_element_gradient(elastic, e, x, f);
    dc_growth_apply(elasticity.growth, e, f);
    return dc_neo_hookean_energy(elasticity.lame, f);
  }
  respond(elastic, elasticity, x, e, false, u, v, &response);
  return response.energy;
}

// Scales Lame's constants for one sample; all materials are linear in them.
static struct dc_elasticity of_sample(const struct dc_elastic *elastic, struct dc_elasticity elasticity, int e)
{
  if (elasticity.factors) {
    double factor = dc_sample_factor(elastic, elasticity.factors, e);
    elasticity.lame.mu *= factor;
    elasticity.lame.lambda *= factor;
  }
  return elasticity;
}

double dc_elastic_energy(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x)
{
  double sum = 0;
  for (int e = 0; e < elastic->sample_count; e++)
    sum += elastic->volumes[e] * density(elastic, of_sample(elastic, elasticity, e), x, e);
  if (elastic->bend_count)
    sum += elasticity.bending * dc_bend_energy(elastic, x);
  return sum;
}

void dc_elastic_add_gradient(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                             double scale, double *gradient)
{
  double p[9];
  for (int e = 0; e < elastic->sample_count; e++) {
    stress(elastic, of_sample(elastic, elasticity, e), x, e, p);
    dc_element_add_stress(elastic, e, p, scale, gradient);
  }
  if (elastic->bend_count)
    dc_bend_add_gradient(elastic, x, scale * elasticity.bending, gradient);
}

// Energy density and P at F.
static double density_and_stress(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double f[9],
                                 double p[9])
{
  double u[9], v[9], s[3];
  struct dc_material_response response;
  if (elastic->corners < 4) {
    dc_membrane_stress(elastic->corners, elasticity, f, p);
    return dc_membrane_energy(elastic->corners, elasticity, f);
  }
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN) {
    dc_neo_hookean_stress(elasticity.lame, f, p);
    return dc_neo_hookean_energy(elasticity.lame, f);
  }
  dc_svd3(f, u, s, v);
  dc_material_respond(elasticity.material, elasticity.lame, s, false, &response);
  stress_of(u, v, &response, p);
  return response.energy;
}

// sum over samples of V W(F) + viscosity + bending, with its gradient: dW/dx_a = V P g_a. F is of the placement y; x
// enters through the viscosity only, which resists the change of shape since then.
double dc_elastic_evaluate(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                           const double *y, double viscosity, double *gradient)
{
  double sum = 0, f[9], p[9];
  for (int e = 0; e < elastic->sample_count; e++) {
    double grown[9];
    dc_element_gradient(elastic, e, y, f);
    memcpy(grown, f, sizeof grown);
    dc_growth_apply(elasticity.growth, e, grown);
    double density = density_and_stress(elastic, of_sample(elastic, elasticity, e), grown, p);
    dc_growth_pull_back(elasticity.growth, e, p);
    if (viscosity > 0)
      density += dc_element_add_viscosity(elastic, e, x, f, viscosity, p);
    sum += elastic->volumes[e] * density;
    dc_element_add_stress(elastic, e, p, 1, gradient);
  }
  if (elastic->bend_count) {
    sum += elasticity.bending * dc_bend_energy(elastic, y);
    dc_bend_add_gradient(elastic, y, elasticity.bending, gradient);
  }
  return sum;
}

double dc_elastic_along(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                        const double *direction)
{
  double sum = 0, p[9], moved[9];
  for (int e = 0; e < elastic->sample_count; e++) {
    stress(elastic, of_sample(elastic, elasticity, e), x, e, p);
    dc_element_gradient(elastic, e, direction, moved);
    sum += elastic->volumes[e] * dc_dot(p, moved, 9);
  }
  if (elastic->bend_count)
    sum += elasticity.bending * dc_bend_along(elastic, x, direction);
  return sum;
}

// The derivative of every element's energy along a direction, V P : dF, without the elements' factors: it is the
// derivative by these. Samples between two elements give half to each.
void dc_elastic_along_each(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                           const double *direction, double *out)
{
  double p[9], moved[9];
  elasticity.factors = NULL;
  for (int e = 0; e < elastic->sample_count; e++) {
    stress(elastic, elasticity, x, e, p);
    dc_element_gradient(elastic, e, direction, moved);
    double part = elastic->volumes[e] * dc_dot(p, moved, 9);
    int of[2];
    dc_sample_elements(elastic, e, of);
    for (int k = 0; k <= (of[1] != of[0]); k++)
      out[of[k]] += of[1] != of[0] ? 0.5 * part : part;
  }
}

// The block of nodes a and b in the axes of U and V.  With h_a = V^T g_a, it has the entries
//
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

// Gradients of shape functions A^-T g_a in the grown rest shape: those at rest, or in `room`.
static const double (*grown_gradients(const struct dc_elastic *elastic, const struct dc_growth *growth, int sample,
                                      double room[DC_ELEMENT_NODES][3]))[3]
{
  const double(*gradients)[3] = dc_sample_gradients(elastic, sample);
  double inverse[9];
  if (!dc_growth_inverse(growth, sample, false, inverse))
    return gradients;
  for (int a = 0; a < elastic->corners; a++)
    dc_mat_apply(room[a], inverse, gradients[a]);
  return (const double(*)[3])room;
}

// Blocks of `count` nodes with such gradients at F, times a volume.
static void material_blocks(struct dc_elasticity elasticity, const double f[9], int count, const double (*gradients)[3],
                            double volume, bool projected, double blocks[DC_ELEMENT_BLOCKS][9])
{
  double u[9], v[9], s[3], h[DC_ELEMENT_NODES][3];
  struct dc_material_response response;
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN && !projected &&
      dc_neo_hookean_blocks(elasticity.lame, f, count, gradients, volume, blocks))
    return;
  dc_svd3(f, u, s, v);
  dc_material_respond(elasticity.material, elasticity.lame, s, true, &response);
  if (projected)
    dc_material_project(&response);
  for (int a = 0; a < count; a++)
    dc_mat_apply_transposed(h[a], v, gradients[a]);
  for (int i = 0; i < 9; i++)
    v[i] = volume * u[i];
  for (int a = 0; a < count; a++)
    for (int b = 0; b <= a; b++) {
      double k[9], turned[9];
      rotated_block(&response, h[a], h[b], k);
      dc_mat_multiply(turned, v, k);
      dc_mat_multiply_transposed(blocks[dc_element_block(a, b)], turned, u);
    }
}

static void sample_blocks(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                          int sample, bool projected, double blocks[DC_ELEMENT_BLOCKS][9])
{
  double f[9], grown[DC_ELEMENT_NODES][3];
  const double(*gradients)[3] = grown_gradients(elastic, elasticity.growth, sample, grown);
  dc_element_gradient(elastic, sample, x, f);
  dc_growth_apply(elasticity.growth, sample, f);
  material_blocks(of_sample(elastic, elasticity, sample), f, elastic->corners, gradients, elastic->volumes[sample],
                  projected, blocks);
}

// The derivative of P A^-T by the strain of a sample's part, with f = F A^-1 and B = d(A^-1)/dc:
//     Q = (C : F B) A^-T + P B^T,   C the second derivative of psi, whose columns come from blocks of unit gradients.
static bool growth_stress(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                          int sample, double q[9])
{
  static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double f[9], p[9], inverse[9], slope[9], moved[9], along[9] = {0}, blocks[DC_ELEMENT_BLOCKS][9];
  if (!dc_growth_inverse(elasticity.growth, sample, false, inverse))
    return false;
  dc_growth_inverse(elasticity.growth, sample, true, slope);
  elasticity = of_sample(elastic, elasticity, sample);
  dc_element_gradient(elastic, sample, x, f);
  dc_mat_multiply(moved, f, slope);
  dc_growth_apply(elasticity.growth, sample, f);
  density_and_stress(elastic, elasticity, f, p);
  material_blocks(elasticity, f, 3, units, 1, false, blocks);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          const double *block = blocks[a >= b ? dc_element_block(a, b) : dc_element_block(b, a)];
          along[3 * i + a] += (a >= b ? block[3 * i + j] : block[3 * j + i]) * moved[3 * j + b];
        }
  dc_mat_multiply(q, along, inverse);
  dc_mat_multiply(moved, p, slope);
  for (int i = 0; i < 9; i++)
    q[i] += moved[i];
  return true;
}

void dc_elastic_along_growth(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                             const double *direction, double *strains)
{
  double q[9], moved[9];
  for (int e = 0; e < elastic->sample_count; e++)
    if (growth_stress(elastic, elasticity, x, e, q)) {
      dc_element_gradient(elastic, e, direction, moved);
      strains[elasticity.growth->part_of[e]] += elastic->volumes[e] * dc_dot(q, moved, 9);
    }
}

void dc_elastic_add_growth_gradient(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                                    const double *change, double *gradient)
{
  double q[9];
  for (int e = 0; e < elastic->sample_count; e++)
    if (growth_stress(elastic, elasticity, x, e, q))
      dc_element_add_stress(elastic, e, q, change[elasticity.growth->part_of[e]], gradient);
}

// Blocks of a tetrahedron: those of its samples are summed.
static void solid_blocks(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                         int element, bool projected, double blocks[DC_ELEMENT_BLOCKS][9])
{
  double part[DC_ELEMENT_BLOCKS][9];
  if (!elastic->quadratic) {
    sample_blocks(elastic, elasticity, x, element, projected, blocks);
    return;
  }
  memset(blocks, 0, sizeof part);
  for (int s = 0; s < DC_QUADRATIC_SAMPLES; s++) {
    sample_blocks(elastic, elasticity, x, DC_QUADRATIC_SAMPLES * element + s, projected, part);
    for (int k = 0; k < DC_ELEMENT_BLOCKS; k++)
      for (int i = 0; i < 9; i++)
        blocks[k][i] += part[k][i];
  }
}

// Blocks of a bending stencil, or of an element of a sheet or rod.
static void stencil_blocks(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                           int stencil, bool projected, double blocks[DC_ELEMENT_BLOCKS][9])
{
  double f[9];
  int bend = stencil - elastic->element_count, corners = elastic->corners;
  if (bend >= 0) {
    dc_bend_blocks(&elastic->bends[bend], corners + 1, elasticity.bending, blocks);
    return;
  }
  dc_element_gradient(elastic, stencil, x, f);
  dc_membrane_blocks(corners, of_sample(elastic, elasticity, stencil), f, dc_sample_gradients(elastic, stencil),
                     elastic->volumes[stencil], projected, blocks);
}

void dc_elastic_element_hessian(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                                int stencil, bool projected, double blocks[DC_ELEMENT_BLOCKS][9])
{
  if (elastic->corners < 4)
    stencil_blocks(elastic, elasticity, x, stencil, projected, blocks);
  else
    solid_blocks(elastic, elasticity, x, stencil, projected, blocks);
}
