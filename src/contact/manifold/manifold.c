// SPDX-License-Identifier: Apache-2.0
// The whole manifold: vertices into the world, signed distances there, selections, contacts of vertices; and the way
// back.
#include "contact/manifold/manifold.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_pairs.h"
#include "contact/manifold/manifold_internal.h"
#include "geometry/mesh/mesh.h"
#include "math/vector.h"

enum { PAIRS_MOST = INT_MAX / 4 };  // of edges: contacts and points, two of each pair, are counted in int

// Diagonal of the box around the vertices, m; infinite for a surface without vertices.
static double diagonal_of(const struct dc_manifold_surface *surface)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = 0; v < surface->vertex_count; v++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], surface->vertices[v][k]);
      high[k] = fmax(high[k], surface->vertices[v][k]);
    }
  return surface->vertex_count > 0 ? dc_vec_distance(high, low) : INFINITY;
}

// Primitives that a level set unites; by default that many edges are selected.
static int primitives_of(const struct dc_sdf *sdf)
{
  return sdf->type == &dc_sdf_union ? sdf->child_count : 1;
}

// Settings by the size of the smaller body: softnesses without unit, the others in m.
void dc_manifold_defaults(const struct dc_manifold_surface surfaces[2], struct dc_manifold_settings *settings)
{
  double size = fmin(diagonal_of(&surfaces[0]), diagonal_of(&surfaces[1]));
  int edges = primitives_of(surfaces[0].sdf), other = primitives_of(surfaces[1].sdf);
  *settings = (struct dc_manifold_settings){.edge = {.softness = 0.02, .regularization = 0.002},
                                            .sign = 0.1,
                                            .clash = 0.05,
                                            .clash_limit = 0.25,
                                            .penetration = 1e-2 * size,
                                            .nearest = 2e-2 * size,
                                            .core = 1e-3 * size,
                                            .selection = 1e-3 * size,
                                            .edges = edges > other ? edges : other,
                                            .edge_edge = true,
                                            .own_surface = true};
}

// Selections, fields and workspace of one body.
static int create_side(struct dc_manifold *m, int s)
{
  struct dc_manifold_side *side = &m->sides[s];
  const struct dc_manifold_surface *surface = side->surface = &m->surfaces[s];
  struct dc_arena *arena = m->arena;
  if (dc_selection_create(&side->vertex_selection, surface->vertex_count, m->settings.vertices, false, arena) ||
      dc_selection_create(&side->edge_selection, surface->edge_count, m->settings.edges, m->settings.levels, arena) ||
      dc_field_create(&side->vertices, surface->vertex_count, arena) ||
      dc_field_create(&side->chosen, side->vertex_selection.rows, arena) ||
      !(side->quadrics = dc_arena_alloc(arena, DC_QUADRICS_MOST, sizeof *side->quadrics)))
    return -1;
  for (int k = 0; k < 6; k++) {
    size_t rows = (size_t)side->edge_selection.most + 1;
    if (!(side->ends[k] = dc_arena_alloc(arena, rows, sizeof(double))) ||
        !(side->by_ends[k] = dc_arena_alloc(arena, rows, sizeof(double))))
      return -1;
  }
  for (int k = 0; k < 3; k++)
    if (!(side->by_vertex[k] = dc_arena_alloc(arena, (size_t)surface->vertex_count, sizeof(double))))
      return -1;
  size_t entries =
      side->vertex_selection.room > side->edge_selection.room ? side->vertex_selection.room : side->edge_selection.room;
  size_t candidates =
      (size_t)(surface->vertex_count > surface->edge_count ? surface->vertex_count : surface->edge_count);
  side->by_weight = dc_arena_alloc(arena, entries, sizeof(double));
  side->by_metric = dc_arena_alloc(arena, candidates + 1, sizeof(double));
  return side->by_weight && side->by_metric ? 0 : -1;
}

// Arrays of the pairs of edges, in whole batches.
static int create_pairs(struct dc_manifold *m)
{
  long long pairs =
      m->settings.edge_edge ? (long long)m->sides[0].edge_selection.most * m->sides[1].edge_selection.most : 0;
  if (pairs > PAIRS_MOST)
    return -1;
  m->pairs = m->most_pairs = (int)pairs;
  m->pair_room = dc_whole_batches(m->pairs);
  size_t room = (size_t)m->pair_room + 1;
  for (int k = 0; k < DC_EDGE_ENDS; k++)
    if (!(m->pair_ends[k] = dc_arena_alloc(m->arena, room, sizeof(double))) ||
        !(m->by_pair_ends[k] = dc_arena_alloc(m->arena, room, sizeof(double))))
      return -1;
  for (int k = 0; k < DC_EDGE_RESULTS; k++)
    if (!(m->results[k] = dc_arena_alloc(m->arena, room, sizeof(double))) ||
        !(m->by_results[k] = dc_arena_alloc(m->arena, room, sizeof(double))))
      return -1;
  for (int k = 0; k < DC_EDGE_SOFT; k++)
    if (!(m->soft[k] = dc_arena_alloc(m->arena, room, sizeof(double))))
      return -1;
  for (int s = 0; s < 2; s++)
    if (dc_field_create(&m->sides[s].witness, 2 * m->pairs, m->arena) ||
        !(m->near[s] = dc_arena_alloc(m->arena, room, sizeof(double))))
      return -1;
  m->edges = dc_arena_alloc(m->arena, room, sizeof *m->edges);
  return m->edges ? 0 : -1;
}

// Creates the manifold of two surfaces: selections of vertices and edges on both sides, and room for their pairs.
struct dc_manifold *dc_manifold_create(const struct dc_manifold_surface surfaces[2],
                                       const struct dc_manifold_settings *settings, struct dc_error *error)
{
  for (int s = 0; s < 2; s++)
    if (((s == 0 || !settings->one_sided || settings->edge_edge) && surfaces[s].vertex_count < 1) ||
        (settings->edge_edge && surfaces[s].edge_count < 1)) {
      dc_fail(error, DC_BAD_INPUT, "a contact manifold needs vertices and edges of both bodies");
      return NULL;
    }
  struct dc_manifold *m = dc_alloc(1, sizeof *m);
  if (m && (m->arena = dc_arena_create())) {
    m->settings = *settings;
    m->kernels = dc_lane_kernels();
    memcpy(m->surfaces, surfaces, sizeof m->surfaces);
    if (!create_side(m, 0) && !create_side(m, 1) && !create_pairs(m)) {
      m->vertex_contacts = m->sides[0].vertex_selection.rows;
      if (!settings->one_sided)
        m->vertex_contacts += m->sides[1].vertex_selection.rows;
      return m;
    }
  }
  dc_manifold_destroy(m);
  dc_out_of_memory_for(error, "a contact manifold");
  return NULL;
}

void dc_manifold_destroy(struct dc_manifold *manifold)
{
  if (!manifold)
    return;
  dc_arena_destroy(manifold->arena);
  free(manifold);
}

int dc_manifold_vertex_contacts(const struct dc_manifold *manifold)
{
  return manifold->vertex_contacts;
}

// Each pair of edges makes two contacts, one at the witness point of either body.
int dc_manifold_count(const struct dc_manifold *manifold)
{
  return manifold->vertex_contacts + 2 * manifold->pairs;
}

int dc_manifold_most(const struct dc_manifold *manifold)
{
  return manifold->vertex_contacts + 2 * manifold->most_pairs;
}

// Vertices of one side in the world, relative to an origin at the first body: far from the world's origin differences
// of coordinates would lose digits.
static void place(struct dc_manifold *m, int s, const struct dc_pose *pose)
{
  struct dc_manifold_side *side = &m->sides[s];
  dc_vec_sub(side->position, pose->position, m->origin);
  memcpy(side->rotation, pose->rotation, sizeof side->rotation);
  dc_side_load_quadrics(side);
  for (int v = 0; v < side->surface->vertex_count; v++) {
    double x[3];
    dc_mat_apply(x, side->rotation, side->surface->vertices[v]);
    for (int k = 0; k < 3; k++)
      side->vertices.x[k][v] = x[k] + side->position[k];
  }
}

// Whether vertices of side s make contacts: of a one-sided manifold those of the first body only.
static bool vertices_count(const struct dc_manifold *m, int s)
{
  return s == 0 || !m->settings.one_sided;
}

// Whether the other body's signed distance is wanted at the vertices of side s.
static bool vertices_seen(const struct dc_manifold *m, int s)
{
  return vertices_count(m, s) || (m->settings.edge_edge && !m->sides[s].edge_selection.all);
}

// Selects the vertices nearest to the other body; a selected point is a weighted mean of vertices.
static void choose_vertices(struct dc_manifold *m, int s)
{
  struct dc_manifold_side *side = &m->sides[s];
  struct dc_selection *selection = &side->vertex_selection;
  for (int v = 0; v < side->surface->vertex_count; v++)
    selection->metric[v] = -side->vertices.value[v];
  dc_selection_weigh(selection, m->settings.selection);
  for (int row = 0; row < selection->rows; row++)
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int i = selection->start[row]; i < selection->start[row + 1]; i++)
        sum += selection->weight[i] * side->vertices.x[k][selection->index[i]];
      side->chosen.x[k][row] = sum;
    }
  dc_field_evaluate(&m->sides[1 - s], &side->chosen, m->kernels);
}

// Selects the edges whose ends are nearest to the other body, likewise.
static void choose_edges(struct dc_manifold *m, int s)
{
  struct dc_manifold_side *side = &m->sides[s];
  struct dc_selection *selection = &side->edge_selection;
  const int(*edges)[2] = side->surface->edges;
  if (!selection->all)
    for (int e = 0; e < selection->candidates; e++)
      selection->metric[e] = -0.5 * (side->vertices.value[edges[e][0]] + side->vertices.value[edges[e][1]]);
  dc_selection_weigh(selection, m->settings.selection);
  for (int row = 0; row < selection->rows; row++)
    for (int k = 0; k < 6; k++) {
      double sum = 0;
      if (selection->all)
        sum = side->vertices.x[k % 3][edges[row][k / 3]];
      else
        for (int i = selection->start[row]; i < selection->start[row + 1]; i++)
          sum += selection->weight[i] * side->vertices.x[k % 3][edges[selection->index[i]][k / 3]];
      side->ends[k][row] = sum;
    }
}

// Points of side s where the other body's distance is evaluated for contacts: all vertices, or the chosen means.
static struct dc_field *vertex_field(struct dc_manifold_side *side)
{
  return side->vertex_selection.all ? &side->vertices : &side->chosen;
}

// One contact at a vertex: the point, the other body's signed distance there, and its gradient as the normal.
static void put_vertex(const struct dc_manifold *m, int s, const struct dc_field *field, int i,
                       struct dc_manifold_contact *contact)
{
  double g[3] = {field->g[0][i], field->g[1][i], field->g[2][i]};
  *contact = (struct dc_manifold_contact){
      .body = s, .vertex = i, .edges = {-1, -1}, .distance = field->value[i], .activity = 1};
  for (int k = 0; k < 3; k++)
    contact->point[k] = field->x[k][i] + m->origin[k];
  dc_sdf_normal(g, contact->normal);
}

// Places both surfaces, evaluates each body's distance at the other's vertices, selects, and finds the pairs of edges.
void dc_manifold_evaluate(struct dc_manifold *m, const struct dc_pose poses[2], struct dc_manifold_contact *contacts)
{
  dc_vec_copy(m->origin, poses[0].position);
  for (int s = 0; s < 2; s++)
    place(m, s, &poses[s]);
  for (int s = 0; s < 2; s++) {
    struct dc_manifold_side *side = &m->sides[s];
    if (vertices_seen(m, s))
      dc_field_evaluate(&m->sides[1 - s], &side->vertices, m->kernels);
    if (vertices_count(m, s)) {
      if (!side->vertex_selection.all)
        choose_vertices(m, s);
      for (int i = 0; i < side->vertex_selection.rows; i++)
        put_vertex(m, s, vertex_field(side), i, contacts++);
    }
    if (m->settings.edge_edge)
      choose_edges(m, s);
  }
  if (m->settings.edge_edge)
    dc_edges_evaluate(m, contacts);
}

// Adds the cotangents of distance and normal at a vertex to those of the field.
static void take_vertex(struct dc_field *field, int i, const struct dc_manifold_cotangent *by)
{
  double g[3] = {field->g[0][i], field->g[1][i], field->g[2][i]}, by_g[3] = {0, 0, 0};
  if (by->normal[0] != 0 || by->normal[1] != 0 || by->normal[2] != 0)
    dc_sdf_normal_pull_back(g, by->normal, by_g);
  field->v[i] += by->distance;
  for (int k = 0; k < 3; k++)
    field->u[k][i] += by_g[k];
}

// Cotangents of selected points, numbers [width] for each, to those of candidates' numbers and metrics.  number(i, k)
// of candidate i is side->vertices.x[k % 3][vertex of i].
static void pull_selection(struct dc_manifold *m, struct dc_manifold_side *side, const struct dc_selection *selection,
                           int width, double *const *by, bool edges)
{
  const int(*list)[2] = side->surface->edges;
  memset(side->by_metric, 0, (size_t)selection->candidates * sizeof *side->by_metric);
  for (int row = 0; row < selection->rows; row++) {
    int first = selection->all ? row : selection->start[row],
        last = selection->all ? row + 1 : selection->start[row + 1];
    for (int i = first; i < last; i++) {
      int candidate = selection->all ? row : selection->index[i];
      double weight = selection->all ? 1 : selection->weight[i], sum = 0;
      for (int k = 0; k < width; k++) {
        int vertex = edges ? list[candidate][k / 3] : candidate;
        sum += by[k][row] * side->vertices.x[k % 3][vertex];
        side->by_vertex[k % 3][vertex] += weight * by[k][row];
      }
      if (!selection->all)
        side->by_weight[i] = sum;
    }
  }
  if (selection->all)
    return;
  dc_selection_pull_back(selection, m->settings.selection, side->by_weight, side->by_metric);
  for (int i = 0; i < selection->candidates; i++)
    for (int end = 0; end < 1 + edges; end++)
      side->vertices.v[edges ? list[i][end] : i] -= (edges ? 0.5 : 1) * side->by_metric[i];
}

// Cotangents of the contacts at vertices, through the selection, to the field and the vertices.
static void pull_vertices(struct dc_manifold *m, int s, const struct dc_manifold_cotangent *by, double twists[2][6],
                          double *const parameters[2])
{
  struct dc_manifold_side *side = &m->sides[s];
  struct dc_field *field = vertex_field(side);
  if (!side->vertex_selection.all)
    dc_field_clear(field);
  for (int i = 0; i < field->count; i++)
    take_vertex(field, i, &by[i]);
  if (side->vertex_selection.all) {
    for (int i = 0; i < field->count; i++)
      for (int k = 0; k < 3; k++)
        side->by_vertex[k][i] += by[i].point[k];
    return;
  }
  dc_field_pull_back(&m->sides[1 - s], field, m->kernels, twists[1 - s], parameters ? parameters[1 - s] : NULL);
  for (int i = 0; i < field->count; i++)
    for (int k = 0; k < 3; k++)
      field->by_x[k][i] += by[i].point[k];
  pull_selection(m, side, &side->vertex_selection, 3, field->by_x, false);
}

// Cotangents of places in the world to the twist of the body about its position: torque sum r x f, force sum f.
static void pull_places(struct dc_manifold *m, int s, double twist[6])
{
  const struct dc_manifold_side *side = &m->sides[s];
  for (int v = 0; v < side->surface->vertex_count; v++) {
    double arm[3], by[3], turn[3];
    for (int k = 0; k < 3; k++) {
      arm[k] = side->vertices.x[k][v] - side->position[k];
      by[k] = side->by_vertex[k][v];
    }
    dc_vec_cross(turn, arm, by);
    dc_vec_add(twist, twist, turn);
    dc_vec_add(twist + 3, twist + 3, by);
  }
}

// The way back of dc_manifold_evaluate: edges, their selection, vertices, their selection, then twists and parameters.
void dc_manifold_pull_back(struct dc_manifold *m, const struct dc_manifold_cotangent *by, double twists[2][6],
                           double *const parameters[2])
{
  for (int s = 0; s < 2; s++) {
    struct dc_manifold_side *side = &m->sides[s];
    dc_field_clear(&side->vertices);
    for (int k = 0; k < 3; k++)
      memset(side->by_vertex[k], 0, (size_t)side->surface->vertex_count * sizeof(double));
  }
  if (m->settings.edge_edge) {
    dc_edges_pull_back(m, by + m->vertex_contacts, twists, parameters);
    for (int s = 0; s < 2; s++)
      pull_selection(m, &m->sides[s], &m->sides[s].edge_selection, 6, m->sides[s].by_ends, true);
  }
  for (int s = 0; s < 2; s++) {
    struct dc_manifold_side *side = &m->sides[s];
    if (vertices_count(m, s)) {
      pull_vertices(m, s, by, twists, parameters);
      by += side->vertex_selection.rows;
    }
    if (!vertices_seen(m, s))
      continue;
    dc_field_pull_back(&m->sides[1 - s], &side->vertices, m->kernels, twists[1 - s],
                       parameters ? parameters[1 - s] : NULL);
    for (int k = 0; k < 3; k++)
      for (int v = 0; v < side->surface->vertex_count; v++)
        side->by_vertex[k][v] += side->vertices.by_x[k][v];
  }
  for (int s = 0; s < 2; s++)
    pull_places(m, s, twists[s]);
}

// The other body's distance at a vertex x has the derivative g by x: (x - c) x g, g for the twist of its own body about
// c, and the opposite about its centre for that of the other one.
bool dc_manifold_vertex_rate(const struct dc_manifold *m, int i, double twists[2][6])
{
  int s = i >= m->sides[0].vertex_selection.rows;
  const struct dc_manifold_side *side = &m->sides[s];
  if (i >= m->vertex_contacts || !side->vertex_selection.all)
    return false;
  int v = s ? i - m->sides[0].vertex_selection.rows : i;
  double g[3], arm[3];
  for (int k = 0; k < 3; k++)
    g[k] = side->vertices.g[k][v];
  for (int b = 0; b < 2; b++) {
    double sign = b == s ? 1 : -1;
    for (int k = 0; k < 3; k++)
      arm[k] = side->vertices.x[k][v] - m->sides[b].position[k];
    dc_vec_cross(twists[b], arm, g);
    dc_vec_scale(twists[b], twists[b], sign);
    dc_vec_scale(twists[b] + 3, g, sign);
  }
  return true;
}

// The cotangent of a vertex in the frame of its body.
void dc_manifold_by_vertex(const struct dc_manifold *m, int body, int vertex, double by[3])
{
  const struct dc_manifold_side *side = &m->sides[body];
  double world[3] = {side->by_vertex[0][vertex], side->by_vertex[1][vertex], side->by_vertex[2][vertex]};
  dc_mat_apply_transposed(by, side->rotation, world);
}

// Measures how well a mesh fits its level set: the farthest vertex, and the edge that stands out most, at STEPS + 1
// points of each.
void dc_manifold_check(const struct dc_manifold_surface *surface, struct dc_manifold_fit *fit)
{
  enum { STEPS = 16 };
  double g[3];
  *fit = (struct dc_manifold_fit){.vertices = 0, .edges = -INFINITY, .vertex = -1, .edge = -1};
  for (int v = 0; v < surface->vertex_count; v++) {
    double off = fabs(dc_sdf_value(surface->sdf, surface->vertices[v], g));
    if (off > fit->vertices || fit->vertex < 0) {
      fit->vertices = off;
      fit->vertex = v;
    }
  }
  for (int e = 0; e < surface->edge_count; e++)
    for (int i = 0; i <= STEPS; i++) {
      const double *a = surface->vertices[surface->edges[e][0]], *b = surface->vertices[surface->edges[e][1]];
      double x[3], part = i / (double)STEPS;
      for (int k = 0; k < 3; k++)
        x[k] = a[k] + part * (b[k] - a[k]);
      double out = dc_sdf_value(surface->sdf, x, g);
      if (out > fit->edges) {
        fit->edges = out;
        fit->edge = e;
      }
    }
}

// Edges of a mesh, each once, smaller vertex first; edges has room for three of each triangle.
int dc_manifold_edges_of(const struct dc_mesh *mesh, int (*edges)[2])
{
  int count = 0;
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      int i = mesh->triangles[t][k], j = mesh->triangles[t][(k + 1) % 3];
      edges[count][0] = i < j ? i : j;
      edges[count++][1] = i < j ? j : i;
    }
  return (int)dc_index_pairs_sort(edges, (size_t)count);
}
