// SPDX-License-Identifier: Apache-2.0
// A translation that parts two bodies.
//
// Two convex parts A, B are apart along a unit vector n once A has moved by s n, s = max_B n.x - min_A n.x.  The
// candidates n are the normals of faces of both and the free axes: for polyhedra that meet face to vertex the best of
// them is the least translation.  A body that may move in the span of P = [axes] only needs s / |P^T n| along P P^T n.
// For a primitive n is the gradient of its gap.  A convex leaf is a part whose heights have its radius on top; the
// directions from leaf to leaf are candidates, too, which are those of balls, and the faces are those of the mesh.  Of all pairs of parts the one that needs most is parted; the caller goes
// on until nothing overlaps.
#include "contact/near/parting.h"
#include "contact/near/constants.h"

#include <math.h>
#include <stdlib.h>

#include "contact/common/contact_internal.h"
#include "math/vector.h"

// The connected part of the surface that each vertex and triangle belongs to, or its leaf.
struct parts {
  const struct dc_collider *collider;
  int count, *of_vertex;
};

struct search {
  struct parts side[2];  // a, b
  const double *rotation[2];
  double shift[3];  // from the origin of b to that of a
  int axis_count;
  const double (*axes)[3];
  double margin;
};

static int root_of(int *above, int i)
{
  while (above[i] != i)
    i = above[i] = above[above[i]];
  return i;
}

// Connected parts of a surface, numbered as they are met. Each convex leaf is one; triangles are joined by the corners
// that they share: a forest of vertices, whose roots stand for the parts.
static bool find_parts(const struct dc_collider *collider, struct parts *parts)
{
  int vertices = collider->vertex_count, *above = dc_alloc((size_t)vertices, sizeof *above);
  *parts = (struct parts){.collider = collider, .of_vertex = dc_alloc((size_t)vertices, sizeof *parts->of_vertex)};
  if (!above || !parts->of_vertex) {
    free(above);
    return false;
  }
  for (int i = 0; collider->leaf_first && i < collider->triangle_count; i++, parts->count++)
    for (int v = collider->leaf_first[i]; v < collider->leaf_first[i + 1]; v++)
      parts->of_vertex[v] = i;
  if (collider->leaf_first) {
    free(above);
    return true;
  }
  for (int v = 0; v < vertices; v++)
    above[v] = v;
  for (int t = 0; t < collider->triangle_count; t++)
    for (int k = 1; k < 3; k++)
      above[root_of(above, collider->triangles[t][k])] = root_of(above, collider->triangles[t][0]);
  for (int v = 0; v < vertices; v++)
    if (root_of(above, v) == v)
      parts->of_vertex[v] = parts->count++;
  for (int v = 0; v < vertices; v++)
    parts->of_vertex[v] = parts->of_vertex[root_of(above, v)];
  free(above);
  return true;
}

// How far the surface is from a vertex of a leaf, m.
static double radius_of(const struct dc_collider *collider, int vertex)
{
  return collider->leaf_first ? collider->vertex_radius[vertex] : 0;
}

// The greatest n.x of a part, about the origin of its own body.
static double support(const struct parts *parts, int part, const double normal[3], double sign)
{
  double most = -INFINITY;
  for (int v = 0; v < parts->collider->vertex_count; v++)
    if (parts->of_vertex[v] == part)
      most = fmax(most, sign * dc_vec_dot(normal, parts->collider->turned[v]) + radius_of(parts->collider, v));
  return most;
}

// The mean vertex of a part, about the origin of its own body.
static void middle_of(const struct parts *parts, int part, double middle[3])
{
  int count = 0;
  middle[0] = middle[1] = middle[2] = 0;
  for (int v = 0; v < parts->collider->vertex_count; v++)
    if (parts->of_vertex[v] == part) {
      dc_vec_add(middle, middle, parts->collider->turned[v]);
      count++;
    }
  dc_vec_scale(middle, middle, 1.0 / count);
}

// Keeps the translation that parts along a normal when it is the shortest so far; false: they are apart along it.
static bool try_normal(const struct search *s, const int part[2], const double normal[3], double move[3])
{
  double along[3] = {0, 0, 0};
  double depth = support(&s->side[1], part[1], normal, 1) + support(&s->side[0], part[0], normal, -1) -
                 dc_vec_dot(normal, s->shift);
  if (depth < 0)
    return false;
  for (int k = 0; k < s->axis_count; k++)
    dc_vec_add_scaled(along, along, dc_vec_dot(normal, s->axes[k]), s->axes[k]);
  double square = dc_vec_dot(along, along), way = (depth + s->margin) / sqrt(square);
  if (square > DC_NEAR_LEAST_COSINE * DC_NEAR_LEAST_COSINE && way < dc_vec_norm(move))
    dc_vec_scale(move, along, (depth + s->margin) / square);
  return true;
}

// Tries a direction of any length, which it makes a unit vector times the sign; one without length is left out.
static bool try_outward(const struct search *s, const int part[2], double sign, double direction[3], double move[3])
{
  double length = dc_vec_norm(direction);
  if (!(length > 0))
    return true;
  dc_vec_scale(direction, direction, sign / length);
  return try_normal(s, part, direction, move);
}

// Tries normals of faces of the mesh of a side whose parts are leaves.
static bool try_mesh_faces(const struct search *s, const int part[2], int side, double move[3])
{
  const struct dc_mesh *mesh = &s->side[side].collider->body->shape->mesh;
  int stride = mesh->triangle_count / DC_NEAR_MOST_NORMALS + 1;
  for (int t = 0; t < mesh->triangle_count; t += stride) {
    double local[3], normal[3];
    dc_mesh_normal(mesh, t, local);
    dc_mat_apply(normal, s->rotation[side], local);
    if (!try_outward(s, part, side ? 1 : -1, normal, move))
      return false;
  }
  return true;
}

// Tries the direction from one part to the other where one is a leaf.
static bool try_middles(const struct search *s, const int part[2], double move[3])
{
  double middle[2][3], normal[3];
  if (!s->side[0].collider->leaf_first && !s->side[1].collider->leaf_first)
    return true;
  for (int side = 0; side < 2; side++)
    middle_of(&s->side[side], part[side], middle[side]);
  dc_vec_sub(normal, middle[0], middle[1]);
  dc_vec_add(normal, normal, s->shift);
  return try_outward(s, part, 1, normal, move);
}

// Tries normals of faces of one side.
static bool try_faces(const struct search *s, const int part[2], int side, double move[3])
{
  const struct dc_collider *collider = s->side[side].collider;
  if (collider->leaf_first)
    return try_mesh_faces(s, part, side, move);
  int stride = collider->triangle_count / DC_NEAR_MOST_NORMALS + 1;
  for (int t = 0; t < collider->triangle_count; t += stride) {
    const int *triangle = collider->triangles[t];
    double u[3], v[3], normal[3];
    if (s->side[side].of_vertex[triangle[0]] != part[side])
      continue;
    dc_vec_sub(u, collider->turned[triangle[1]], collider->turned[triangle[0]]);
    dc_vec_sub(v, collider->turned[triangle[2]], collider->turned[triangle[0]]);
    dc_vec_cross(normal, u, v);
    if (!try_outward(s, part, side ? 1 : -1, normal, move))
      return false;
  }
  return true;
}

// The shortest translation found for two parts; false: they do not overlap.
static bool part_them(const struct search *s, const int part[2], double move[3])
{
  move[0] = move[1] = move[2] = INFINITY;
  for (int k = 0; k < s->axis_count; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double normal[3];
      dc_vec_scale(normal, s->axes[k], sign);
      if (!try_normal(s, part, normal, move))
        return false;
    }
  return try_middles(s, part, move) && try_faces(s, part, 0, move) && try_faces(s, part, 1, move);
}

// The pair of parts that needs the longest move is parted first; others may be apart then.
static enum dc_status part_meshes(struct search *s, double move[3])
{
  double longest = -1, tried[3];
  for (int i = 0; i < s->side[0].count; i++)
    for (int j = 0; j < s->side[1].count; j++)
      if (part_them(s, (int[]){i, j}, tried) && dc_vec_norm(tried) > longest) {
        longest = dc_vec_norm(tried);
        dc_vec_copy(move, tried);
      }
  return longest >= 0 && isfinite(longest) ? DC_OK : DC_INFEASIBLE;
}

// Moves along the primitive's normal at the deepest vertex, as far as the joints let the body move: the projection
// `along` opens the gap by its squared length per unit. A body that can hardly move that way is not parted.
static enum dc_status part_from_primitive(const struct search *s, const struct dc_primitive *seen, double move[3])
{
  const struct dc_collider *a = s->side[0].collider;
  double normal[3] = {0, 0, 0}, along[3] = {0, 0, 0}, least = INFINITY;
  for (int v = 0; v < a->vertex_count; v++) {
    double gradient[3], gap = dc_primitive_gap(seen, a->turned[v], gradient) - radius_of(a, v);
    if (gap < least) {
      least = gap;
      dc_vec_copy(normal, gradient);
    }
  }
  for (int k = 0; k < s->axis_count; k++)
    dc_vec_add_scaled(along, along, dc_vec_dot(normal, s->axes[k]), s->axes[k]);
  double square = dc_vec_dot(along, along);
  if (!(square > DC_NEAR_LEAST_COSINE * DC_NEAR_LEAST_COSINE))
    return DC_INFEASIBLE;
  dc_vec_scale(move, along, (s->margin - least) / square);
  return DC_OK;
}

// *move, m, is that of body a, in the world, within the span of axes [axis_count][3].
enum dc_status dc_contact_parting(const struct dc_contact *contact, const struct dc_pose *poses, int pair,
                                  int axis_count, const double (*axes)[3], double margin, double move[3])
{
  const struct dc_pair *own = &contact->pairs[pair];
  const struct dc_collider *a = &contact->colliders[own->a], *b = &contact->colliders[own->b];
  struct search search = {.axis_count = axis_count, .axes = axes, .margin = margin, .side[0].collider = a};
  if (b->primitive.type) {
    struct dc_primitive seen = dc_primitive_about(&b->primitive, &poses[own->a]);
    return part_from_primitive(&search, &seen, move);
  }
  dc_vec_sub(search.shift, poses[own->a].position, poses[own->b].position);
  search.rotation[0] = poses[own->a].rotation;
  search.rotation[1] = poses[own->b].rotation;
  bool complete = find_parts(a, &search.side[0]);
  complete = find_parts(b, &search.side[1]) && complete;
  enum dc_status status = complete ? part_meshes(&search, move) : DC_MEMORY;
  free(search.side[0].of_vertex);
  free(search.side[1].of_vertex);
  return status;
}
