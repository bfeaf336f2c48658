// SPDX-License-Identifier: Apache-2.0
// Bending energies that are quadratic in the positions of nodes (docs/theory.md, "Sheets and rods").
//
// Sheets (Bergou et al. 2006; Wardetzky et al. 2007): the edge a b has two triangles, with opposite corners c and d and
// areas A and A'.  With the angles of the triangles at a and b, the vector
//
//     k.x = (cot_b + cot_b') a + (cot_a + cot_a') b - (cot_a + cot_b) c - (cot_a' + cot_b') d
//
// is zero where the sheet is flat, and has the length |a - b| times the angle between the triangles.  Its energy is
// (B/2) |k.x|^2/(A + A').
//
// For bending with one curvature c, as of sheets that do not stretch, the sum over a mesh tends to (B/2) c^2 per area
// on equilateral triangles and halved squares.  Bending along the diagonals of squares costs 1.5 times as much
// (tests/elastic/test_sheet.c).
//
// Rods: (E I/2) |t' - t|^2/l, with t the segments divided by their lengths at rest, and l the mean of both lengths.
// Sheets and rods are flat and straight at rest.
#include "elastic/element.h"

// Cotangent of the angle at a between b and c.
static double cotangent(const double *a, const double *b, const double *c)
{
  double u[3], v[3], cross[3];
  dc_vec_sub(u, b, a);
  dc_vec_sub(v, c, a);
  dc_vec_cross(cross, u, v);
  return dc_vec_dot(u, v) / dc_vec_norm(cross);
}

// Sets nodes, factors k and weight of the stencil of an inner edge, from the mesh at rest.
static void set_sheet_bend(const struct dc_simplices *mesh, const struct dc_sheet_edge *edge, struct dc_bend *bend)
{
  const int *v = mesh->elements[edge->t[0]];
  bend->nodes[0] = v[(edge->k[0] + 1) % 3];
  bend->nodes[1] = v[(edge->k[0] + 2) % 3];
  const double *a = mesh->nodes[bend->nodes[0]], *b = mesh->nodes[bend->nodes[1]];
  double areas = 0;
  for (int side = 0; side < 2; side++) {
    bend->nodes[2 + side] = mesh->elements[edge->t[side]][edge->k[side]];
    const double *c = mesh->nodes[bend->nodes[2 + side]];
    double at_a = cotangent(a, b, c), at_b = cotangent(b, a, c);
    bend->factors[0] += at_b;
    bend->factors[1] += at_a;
    bend->factors[2 + side] = -at_a - at_b;
    areas += dc_triangle_area(a, b, c);
  }
  bend->weight = 1 / areas;
}

static void set_rod_bend(const struct dc_simplices *mesh, int node, struct dc_bend *bend)
{
  double before = dc_vec_distance(mesh->nodes[node], mesh->nodes[node - 1]),
         after = dc_vec_distance(mesh->nodes[node], mesh->nodes[node + 1]);
  *bend = (struct dc_bend){.nodes = {node - 1, node, node + 1, -1},
                           .factors = {1 / before, -1 / before - 1 / after, 1 / after, 0},
                           .weight = 2 / (before + after)};
}

enum dc_status dc_elastic_add_bends(struct dc_elastic *elastic, struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_simplices *mesh = elastic->mesh;
  bool sheet = mesh->corners == 3;
  int count = sheet ? dc_sheet_edges(mesh, NULL) : mesh->node_count - 2;
  struct dc_sheet_edge *edges = sheet && count > 0 ? dc_arena_alloc(arena, (size_t)count, sizeof *edges) : NULL;
  if (count > 0)
    elastic->bends = dc_arena_alloc(arena, (size_t)count, sizeof *elastic->bends);
  if (count < 0 || (count && (!elastic->bends || (sheet && !edges))) || (edges && dc_sheet_edges(mesh, edges) < 0))
    return dc_out_of_memory_for(error, "bending");
  for (int i = 0; i < count; i++)
    if (sheet)
      set_sheet_bend(mesh, &edges[i], &elastic->bends[i]);
    else
      set_rod_bend(mesh, i + 1, &elastic->bends[i]);
  elastic->bend_count = count;
  return DC_OK;
}

// sum = k.x, with differences to the first node, so that large coordinates do not cancel.
static void bent(const struct dc_bend *bend, int count, const double *x, double sum[3])
{
  double d[3];
  sum[0] = sum[1] = sum[2] = 0;
  for (int a = 1; a < count; a++) {
    dc_vec_sub(d, x + 3 * (size_t)bend->nodes[a], x + 3 * (size_t)bend->nodes[0]);
    dc_vec_add_scaled(sum, sum, bend->factors[a], d);
  }
}

double dc_bend_energy(const struct dc_elastic *elastic, const double *x)
{
  double sum = 0, d[3];
  for (int i = 0; i < elastic->bend_count; i++) {
    bent(&elastic->bends[i], elastic->mesh->corners + 1, x, d);
    sum += 0.5 * elastic->bends[i].weight * dc_vec_dot(d, d);
  }
  return sum;
}

void dc_bend_add_gradient(const struct dc_elastic *elastic, const double *x, double scale, double *gradient)
{
  double d[3];
  int count = elastic->mesh->corners + 1;
  for (int i = 0; i < elastic->bend_count; i++) {
    const struct dc_bend *bend = &elastic->bends[i];
    bent(bend, count, x, d);
    for (int a = 0; a < count; a++) {
      double *at = gradient + 3 * (size_t)bend->nodes[a];
      dc_vec_add_scaled(at, at, scale * bend->weight * bend->factors[a], d);
    }
  }
}

double dc_bend_along(const struct dc_elastic *elastic, const double *x, const double *direction)
{
  double sum = 0, d[3], moved[3];
  for (int i = 0; i < elastic->bend_count; i++) {
    const struct dc_bend *bend = &elastic->bends[i];
    bent(bend, elastic->mesh->corners + 1, x, d);
    bent(bend, elastic->mesh->corners + 1, direction, moved);
    sum += bend->weight * dc_vec_dot(d, moved);
  }
  return sum;
}

void dc_bend_blocks(const struct dc_bend *bend, int count, double scale, double blocks[DC_ELEMENT_BLOCKS][9])
{
  for (int a = 0; a < count; a++)
    for (int b = 0; b <= a; b++)
      for (int i = 0; i < 9; i++)
        blocks[dc_element_block(a, b)][i] = i % 4 == 0 ? scale * bend->weight * bend->factors[a] * bend->factors[b] : 0;
}
