// SPDX-License-Identifier: Apache-2.0
// Whether the connected parts of a mesh bound one solid: surfaces of different parts do not meet, and none bounds
// what another one bounds already.
//
// 1. Triangles are sorted by parts (find_parts).
// 2. A walk over pairs of nodes of a sphere tree tests triangles of different parts that may meet (find_crossing).
// 3. Parts that do not cross lie in each other or apart: one vertex of each tells which (find_nesting).
//
// Both searches have a limit of work; a mesh that exceeds one is refused, since nothing is known of it then.  Parts
// that face inwards outside all others have been refused before (mesh_check.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/bounding/sphere_tree.h"
#include "geometry/mesh/constants.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/triangle.h"
#include "math/vector.h"

// A connected part; its triangles are order[first] to order[first + count - 1].
struct part {
  int vertex;  // the least
  int first, count;
  double lower[3], upper[3], six_volume;
};

struct parts {
  const struct dc_mesh *mesh;
  struct dc_arena *arena;
  int count;
  struct part *parts;  // [count], by their least vertex
  int *of_triangle;    // [triangle_count]
  int *order;          // [triangle_count], triangles part by part
  double rounding;     // m
};

static const char out_of_memory[] = "out of memory for checking a mesh of %d triangles";

// Boxes and volumes of all connected parts.
static void measure(struct parts *all)
{
  const struct dc_mesh *mesh = all->mesh;
  for (int p = 0; p < all->count; p++) {
    struct part *part = &all->parts[p];
    const double *origin = mesh->vertices[part->vertex];
    dc_vec_copy(part->lower, origin);
    dc_vec_copy(part->upper, origin);
    for (int i = part->first; i < part->first + part->count; i++) {
      double x[3][3], normal[3];
      for (int v = 0; v < 3; v++) {
        const double *corner = mesh->vertices[mesh->triangles[all->order[i]][v]];
        dc_vec_sub(x[v], corner, origin);
        for (int k = 0; k < 3; k++) {
          part->lower[k] = fmin(part->lower[k], corner[k]);
          part->upper[k] = fmax(part->upper[k], corner[k]);
        }
      }
      dc_vec_cross(normal, x[1], x[2]);
      part->six_volume += dc_vec_dot(x[0], normal);
    }
  }
}

// False when out of memory.
// dc_mesh_parts gives each vertex the least vertex of its part.  Parts are numbered in the order of these, so that
// messages do not depend on the order of triangles.  A counting sort then puts triangles part by part: the first loop
// counts, the second adds starts up, the last fills, counting once more.  A mesh of one part needs none of this.
static bool find_parts(struct parts *all)
{
  const struct dc_mesh *mesh = all->mesh;
  size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
  int *least = dc_arena_alloc(all->arena, vertices, sizeof *least);
  int *number = dc_arena_alloc(all->arena, vertices, sizeof *number);
  all->of_triangle = dc_arena_alloc(all->arena, triangles, sizeof *all->of_triangle);
  all->order = dc_arena_alloc(all->arena, triangles, sizeof *all->order);
  if (!least || !number || !all->of_triangle || !all->order)
    return false;
  dc_mesh_parts(mesh, least);
  for (int v = 0; v < mesh->vertex_count; v++)
    number[v] = least[v] == v ? all->count++ : -1;
  if (all->count == 1)
    return true;
  all->parts = dc_arena_alloc(all->arena, (size_t)all->count, sizeof *all->parts);
  if (!all->parts)
    return false;
  for (int t = 0; t < mesh->triangle_count; t++) {
    int vertex = least[mesh->triangles[t][0]], p = all->of_triangle[t] = number[vertex];
    all->parts[p].vertex = vertex;
    all->parts[p].count++;
  }
  for (int p = 1; p < all->count; p++)
    all->parts[p].first = all->parts[p - 1].first + all->parts[p - 1].count;
  for (int p = 0; p < all->count; p++)
    all->parts[p].count = 0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    struct part *part = &all->parts[all->of_triangle[t]];
    all->order[part->first + part->count++] = t;
  }
  measure(all);
  return true;
}

// owner [node_count]: the part that all triangles below a node belong to, or -1.
static void find_owners(const struct parts *all, const struct dc_sphere_tree *tree, int *owner)
{
  for (int n = tree->node_count; n-- > 0;) {
    if (tree->right[n] < 0)
      owner[n] = all->of_triangle[tree->triangle[n]];
    else
      owner[n] = owner[n + 1] == owner[tree->right[n]] ? owner[n + 1] : -1;
  }
}

// Whether two triangles touch or cross: no axis separates them by more than rounding.
static bool meet(const struct parts *all, int t, int u)
{
  double x[3][3], y[3][3], normal[3];
  for (int v = 0; v < 3; v++) {
    dc_vec_copy(x[v], all->mesh->vertices[all->mesh->triangles[t][v]]);
    dc_vec_copy(y[v], all->mesh->vertices[all->mesh->triangles[u][v]]);
  }
  return dc_triangle_separation((const double(*)[3])x, (const double(*)[3])y, all->rounding, normal) <= all->rounding;
}

// The number of intersecting pairs of triangles of different parts, one of them, and the number of pairs tested.
struct crossing {
  long count, looked_at;
  int triangles[2];
};

// Whether the spheres of two nodes meet.
static bool reaches(const struct dc_sphere_tree *tree, int i, int j, double rounding)
{
  return dc_vec_distance(tree->center[i], tree->center[j]) <= tree->radius[i] + tree->radius[j] + rounding;
}

// Walks over pairs of nodes that hold triangles of different parts.  stack [2 * its depth] has room for the tree's.
// A pair is dropped where both nodes belong to one part, or where their spheres lie apart.  A node paired with itself
// stands for the pairs among its triangles: it makes two such nodes and the pair of its halves.  Of two nodes the one
// with the larger sphere is divided, until both are leaves and their triangles are tested.
static void cross(const struct parts *all, const struct dc_sphere_tree *tree, const int *owner, int (*stack)[2],
                  struct crossing *crossing)
{
  int top = 1;
  stack[0][0] = stack[0][1] = 0;
  while (top > 0 && crossing->looked_at < DC_APART_MOST_PAIRS) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    if ((owner[i] >= 0 && owner[i] == owner[j]) || !reaches(tree, i, j, all->rounding))
      continue;
    if (i == j) {  // not a leaf: those have an owner
      int left = i + 1, right = tree->right[i];
      const int pairs[3][2] = {{left, right}, {right, right}, {left, left}};
      for (int k = 0; k < 3; k++, top++)
        memcpy(stack[top], pairs[k], sizeof pairs[k]);
    } else if (tree->right[i] < 0 && tree->right[j] < 0) {
      int t = tree->triangle[i], u = tree->triangle[j];
      crossing->looked_at++;
      if (meet(all, t, u) && crossing->count++ == 0) {
        crossing->triangles[0] = t < u ? t : u;
        crossing->triangles[1] = t < u ? u : t;
      }
    } else {
      bool first = tree->right[j] < 0 || (tree->right[i] >= 0 && tree->radius[i] > tree->radius[j]);
      int split = first ? i : j, other = first ? j : i;
      const int children[2] = {split + 1, tree->right[split]};
      for (int k = 0; k < 2; k++, top++) {
        stack[top][0] = children[k];
        stack[top][1] = other;
      }
    }
  }
}

// Looks for triangles of different parts that meet, with a sphere tree over all of them.
static enum dc_status find_crossing(const struct parts *all, struct crossing *crossing, struct dc_error *error)
{
  enum { ROOM = 512 };  // three pairs a level and two levels at a time; the tree halves 4 million triangles 22 times
  const struct dc_mesh *mesh = all->mesh;
  struct dc_sphere_tree tree;
  double *weights = dc_arena_alloc(all->arena, (size_t)mesh->triangle_count, sizeof *weights);
  int(*stack)[2] = dc_arena_alloc(all->arena, ROOM, sizeof *stack);
  if (!weights || !stack)
    return dc_fail(error, DC_MEMORY, out_of_memory, mesh->triangle_count);
  for (int t = 0; t < mesh->triangle_count; t++)
    weights[t] = 1;
  enum dc_status status = dc_sphere_tree_build(&tree, (const double(*)[3])mesh->vertices, mesh->vertex_count,
                                               (const int(*)[3])mesh->triangles, mesh->triangle_count, weights,
                                               DC_CENTER_WEIGHTED, all->arena, error);
  if (status)
    return status;
  int *owner = dc_arena_alloc(all->arena, (size_t)tree.node_count, sizeof *owner);
  if (!owner)
    return dc_fail(error, DC_MEMORY, out_of_memory, mesh->triangle_count);
  find_owners(all, &tree, owner);
  cross(all, &tree, owner, stack, crossing);
  return DC_OK;
}

// Whether a point lies in the bounding box of a part: most pairs of parts are ruled out without a winding number.
static bool boxed(const struct part *part, const double point[3])
{
  for (int k = 0; k < 3; k++)
    if (point[k] < part->lower[k] || point[k] > part->upper[k])
      return false;
  return true;
}

// The mesh of one part, its triangles in memory [its count].
static struct dc_mesh mesh_of(const struct parts *all, const struct part *part, int (*memory)[3])
{
  for (int i = 0; i < part->count; i++)
    memcpy(memory[i], all->mesh->triangles[all->order[part->first + i]], sizeof *memory);
  return (struct dc_mesh){.vertex_count = all->mesh->vertex_count,
                          .triangle_count = part->count,
                          .vertices = all->mesh->vertices,
                          .triangles = memory};
}

// Parts that lie where they must not: how many, and the first of them.
struct nesting {
  long count;
  int inner, outer;  // least vertices of the first part and of one around it
  bool unknown;      // too much work
};

// A vertex of a part must lie in as many outward-facing parts as in inward-facing ones, not counting its own; if its
// own faces inwards, in one more of the former.
// The count begins at -1 for a part that faces inwards; every outward part around it adds one, every inward part takes
// one away.  Any other sum than 0 is a defect.  dc_mesh_contains wants normals outwards, so the copy of an inward part
// is turned first.
static enum dc_status find_nesting(const struct parts *all, struct nesting *nesting, struct dc_error *error)
{
  const double most_work = 1.5e7;  // triangles; a second or two
  double work = 0;
  int(*memory)[3] = dc_arena_alloc(all->arena, (size_t)all->mesh->triangle_count, sizeof *memory);
  if (!memory)
    return dc_fail(error, DC_MEMORY, out_of_memory, all->mesh->triangle_count);
  for (int p = 0; p < all->count; p++) {
    const double *point = all->mesh->vertices[all->parts[p].vertex];
    int covered = all->parts[p].six_volume < 0 ? -1 : 0, outer = -1;
    for (int o = 0; o < all->count; o++) {
      const struct part *other = &all->parts[o];
      if (o == p || !boxed(other, point))
        continue;
      work += other->count;
      if (work > most_work) {
        nesting->unknown = true;
        return DC_OK;
      }
      struct dc_mesh mesh = mesh_of(all, other, memory);
      bool inwards = other->six_volume < 0;
      for (int t = 0; inwards && t < mesh.triangle_count; t++) {
        int swapped = memory[t][1];
        memory[t][1] = memory[t][2];
        memory[t][2] = swapped;
      }
      if (!dc_mesh_contains(&mesh, point))
        continue;
      covered += inwards ? -1 : 1;
      outer = inwards ? outer : other->vertex;
    }
    if (covered != 0 && nesting->count++ == 0) {
      nesting->inner = all->parts[p].vertex;
      nesting->outer = outer;
    }
  }
  return DC_OK;
}

static const char remedy[] =
    "unite them in one surface, keep one, make each a shape of a \"compound\" or, where they are "
    "convex, a group of the file (\"g\"); or set \"convex\"";

// Refuses meshes whose closed parts cross or lie inside each other.
// Nesting is looked at only if nothing crosses: one vertex tells where a whole part lies only then.  A limit of work
// that was reached is told only if no defect was found before it.
static enum dc_status check(struct parts *all, struct dc_error *error)
{
  struct crossing crossing = {0};
  struct nesting nesting = {0};
  if (!find_parts(all))
    return dc_fail(error, DC_MEMORY, out_of_memory, all->mesh->triangle_count);
  if (all->count == 1)
    return DC_OK;
  enum dc_status status = find_crossing(all, &crossing, error);
  if (!status && crossing.count)
    return dc_fail(
        error, DC_BAD_INPUT,
        "closed surfaces overlap: %s%ld pair%s of triangles of the %d connected parts meet (first: %d and %d); %s",
        crossing.looked_at < DC_APART_MOST_PAIRS ? "" : "at least ", crossing.count, dc_plural(crossing.count),
        all->count, crossing.triangles[0], crossing.triangles[1], remedy);
  if (!status)
    status = find_nesting(all, &nesting, error);
  if (!status && nesting.count)
    return dc_fail(
        error, DC_BAD_INPUT,
        "closed surfaces are nested: %s%ld of the %d connected parts lie%s inside others (first: that of vertex "
        "%d inside that of vertex %d); %s",
        nesting.unknown ? "at least " : "", nesting.count, all->count, nesting.count == 1 ? "s" : "", nesting.inner,
        nesting.outer, remedy);
  if (!status && (nesting.unknown || crossing.looked_at >= DC_APART_MOST_PAIRS))
    return dc_fail(error, DC_BAD_INPUT, "too many of the %d connected parts lie around each other to be looked at; %s",
                   all->count, remedy);
  return status;
}

enum dc_status dc_mesh_check_apart(const struct dc_mesh *mesh, struct dc_error *error)
{
  struct parts all = {.mesh = mesh, .arena = dc_arena_create(), .rounding = 1e-12 * dc_mesh_size(mesh)};
  if (!all.arena)
    return dc_fail(error, DC_MEMORY, out_of_memory, mesh->triangle_count);
  enum dc_status status = check(&all, error);
  dc_arena_destroy(all.arena);
  return status;
}
