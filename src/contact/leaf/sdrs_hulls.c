// SPDX-License-Identifier: Apache-2.0
// The hulls of sdrs: those of the parts of a shape with a tree over them, those of a pair in world axes, and the plane
// that is remembered between two.
#include <stdlib.h>
#include <string.h>

#include "contact/leaf/walls.h"
#include "math/vector.h"

// Smallest sphere about the mean of the vertices.
static void hull_sphere(const struct dc_sdrs_body *body, int hull, double center[3], double *radius)
{
  int count = dc_sdrs_hull_size(body, hull);
  memset(center, 0, 3 * sizeof *center);
  for (int v = 0; v < count; v++)
    dc_vec_add_scaled(center, center, 1.0 / count, dc_sdrs_hull_vertex(body, hull, v));
  *radius = 0;
  for (int v = 0; v < count; v++)
    *radius = fmax(*radius, dc_vec_distance(center, dc_sdrs_hull_vertex(body, hull, v)));
}

// Sorts hulls [count] by the centre's coordinate, of equal ones by index.
static void sort_along(int *hulls, int count, const double (*center)[3], int axis)
{
  for (int i = 1; i < count; i++) {
    int hull = hulls[i], k = i;
    for (; k > 0 && center[hulls[k - 1]][axis] > center[hull][axis]; k--)
      hulls[k] = hulls[k - 1];
    hulls[k] = hull;
  }
}

// Appends the tree over hulls [count] by median splits along the longest axis of their centres, depth first.
static void grow_tree(struct dc_sphere_tree *tree, int *hulls, int count, const double (*center)[3],
                      const double *radius)
{
  int node = tree->node_count++, axis = 0;
  double low[3], high[3];
  if (count == 1) {
    dc_vec_copy(tree->center[node], center[hulls[0]]);
    tree->radius[node] = radius[hulls[0]];
    tree->right[node] = -1;
    tree->triangle[node] = hulls[0];
    return;
  }
  dc_vec_copy(low, center[hulls[0]]);
  dc_vec_copy(high, center[hulls[0]]);
  for (int i = 1; i < count; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], center[hulls[i]][k]);
      high[k] = fmax(high[k], center[hulls[i]][k]);
    }
  for (int k = 1; k < 3; k++)
    axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
  sort_along(hulls, count, center, axis);
  for (int k = 0; k < 3; k++)
    tree->center[node][k] = 0.5 * (low[k] + high[k]);
  tree->radius[node] = 0;
  for (int i = 0; i < count; i++)
    tree->radius[node] =
        fmax(tree->radius[node], dc_vec_distance(tree->center[node], center[hulls[i]]) + radius[hulls[i]]);
  tree->triangle[node] = -1;
  grow_tree(tree, hulls, count / 2, center, radius);
  tree->right[node] = tree->node_count;
  grow_tree(tree, hulls + count / 2, count - count / 2, center, radius);
}

// A tree of spheres over the hulls.
static enum dc_status make_tree(struct dc_sdrs_body *body, struct dc_arena *arena)
{
  size_t count = (size_t)body->hull_count, nodes = 2 * count - 1;
  struct dc_sphere_tree *tree = &body->tree;
  double(*center)[3] = dc_arena_alloc(arena, count, sizeof *center),
  *radius = dc_arena_alloc(arena, count, sizeof *radius);
  int *hulls = dc_arena_alloc(arena, count, sizeof *hulls);
  tree->center = dc_arena_alloc(arena, nodes, sizeof *tree->center);
  tree->radius = dc_arena_alloc(arena, nodes, sizeof *tree->radius);
  tree->right = dc_arena_alloc(arena, nodes, sizeof *tree->right);
  tree->triangle = dc_arena_alloc(arena, nodes, sizeof *tree->triangle);
  if (!center || !radius || !hulls || !tree->center || !tree->radius || !tree->right || !tree->triangle)
    return DC_MEMORY;
  for (int i = 0; i < body->hull_count; i++) {
    hulls[i] = i;
    hull_sphere(body, i, center[i], &radius[i]);
  }
  grow_tree(tree, hulls, body->hull_count, (const double(*)[3])center, radius);
  return DC_OK;
}

// The convex parts of a body as hulls, with vertices about the centre of mass and a tree over the parts.
enum dc_status dc_sdrs_parts_of(const struct dc_body *body, struct dc_sdrs_body *hulls, struct dc_arena *arena)
{
  const struct dc_shape *shape = body->shape;
  int count = 0;
  for (int i = 0; i < shape->part_count; i++)
    count += shape->parts[i].vertex_count;
  double(*vertices)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *vertices);
  int *first = dc_arena_alloc(arena, (size_t)shape->part_count + 1, sizeof *first);
  if (!vertices || !first)
    return DC_MEMORY;
  count = 0;
  for (int i = 0; i < shape->part_count; i++) {
    for (int v = 0; v < shape->parts[i].vertex_count; v++)
      dc_vec_sub(vertices[count++], shape->parts[i].vertices[v], body->center);
    first[i + 1] = count;
  }
  *hulls =
      (struct dc_sdrs_body){.hull_count = shape->part_count, .vertices = (const double(*)[3])vertices, .first = first};
  return make_tree(hulls, arena);
}

void dc_sdrs_free_workspace(struct dc_sdrs_hulls *hulls)
{
  free(hulls->x);
  free(hulls->local);
  free(hulls->distance);
  free(hulls->trial);
  free(hulls->change);
}

// Makes room for the vertices of two hulls.
// The arrays of a pair only grow.  They hold no more than one pair of hulls at a time, so that nothing is copied.
static int reserve(struct dc_sdrs_hulls *hulls, size_t count)
{
  if (count <= hulls->capacity)
    return 0;
  dc_sdrs_free_workspace(hulls);
  hulls->capacity = 0;
  hulls->x = dc_alloc(count, sizeof *hulls->x);
  hulls->local = dc_alloc(count, sizeof *hulls->local);
  hulls->distance = dc_alloc(count, sizeof *hulls->distance);
  hulls->trial = dc_alloc(count, sizeof *hulls->trial);
  hulls->change = dc_alloc(count, sizeof *hulls->change);
  if (!hulls->x || !hulls->local || !hulls->distance || !hulls->trial || !hulls->change)
    return -1;
  hulls->capacity = count;
  return 0;
}

// Loads two hulls into the pair's workspace, in units of the length, with axes of the world and the origin at body a.
int dc_sdrs_load(const struct dc_contact *contact, int pair, int i, int j, const struct dc_pose *poses)
{
  const struct dc_sdrs *own = contact->own;
  int a = contact->pairs[pair].a, b = contact->pairs[pair].b;
  struct dc_sdrs_hulls *hulls = &own->pairs[pair].hulls;
  const struct dc_sdrs_body *body_a = &own->bodies[a], *body_b = &own->bodies[b];
  int count_a = dc_sdrs_hull_size(body_a, i), count_b = dc_sdrs_hull_size(body_b, j);
  double unit = 1 / contact->settings.length, arm[3];
  if (reserve(hulls, (size_t)(count_a + count_b)))
    return -1;
  dc_vec_sub(arm, poses[a].position, poses[b].position);
  hulls->support = contact->settings.support;
  hulls->count_a = count_a;
  hulls->count = count_a + count_b;
  for (int v = 0; v < count_a; v++) {
    dc_mat_apply(hulls->x[v], poses[a].rotation, dc_sdrs_hull_vertex(body_a, i, v));
    dc_vec_scale(hulls->x[v], hulls->x[v], unit);
  }
  for (int v = 0; v < count_b; v++) {
    double *x = hulls->x[count_a + v];
    dc_mat_apply(x, poses[b].rotation, dc_sdrs_hull_vertex(body_b, j, v));
    dc_vec_sub(x, x, arm);
    dc_vec_scale(x, x, unit);
  }
  return 0;
}

// A plane is stored in the axes of body b, as (1 - slack) (n, offset): the length of the normal tells the slack.  It
// moves with b, which is a good initial guess after a common motion of both bodies.
void dc_sdrs_plane_at(const double stored[4], const double rotation_b[9], const double arm[3], double length,
                      struct dc_sdrs_plane *plane)
{
  double n[3], size = dc_vec_norm(stored);
  dc_mat_apply(n, rotation_b, stored);
  dc_vec_scale(plane->normal, n, 1 / size);
  plane->slack = 1 - size;
  plane->offset = stored[3] / size + dc_vec_dot(plane->normal, arm) / length;
}
