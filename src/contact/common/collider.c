// SPDX-License-Identifier: Apache-2.0
// Colliders: the vertices and triangles of a body about its centre of mass, the weights of its triangles, a vertex of
// each connected part, and a sphere tree.  Trees are copied where an earlier body or a former contact has the same one.
// Bodies whose vertices move keep the topology of the tree at the start; its centres and radii follow the vertices.
#include <stdlib.h>
#include <string.h>

#include "contact/common/collider_internal.h"
#include "geometry/mesh/mesh.h"
#include "math/vector.h"

// m^2, of a triangle given by indices.
static double triangle_area(const double (*vertices)[3], const int *triangle)
{
  return dc_triangle_area(vertices[triangle[0]], vertices[triangle[1]], vertices[triangle[2]]);
}

// The area that weighs 1 on fixed bodies: as set, else the mean surface of the movable bodies with a mesh.
static double reference_area(const struct dc_contact *contact, const struct dc_bodies *bodies)
{
  if (!isnan(contact->settings.reference_area))
    return contact->settings.reference_area;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (!dc_body_moves(body) || !dc_shape_has_surface(body->shape))
      continue;
    sum += body->shape->properties.surface_area;
    count++;
  }
  return count ? sum / count : 1;
}

// Why contact takes the triangles of a shape that has leaves, as the end of a sentence; NULL: it takes the leaves.
// Leaves are for the models that have their kernel; nothing follows a design there yet.
static const char *why_no_leaves(const struct dc_contact *contact, bool follows)
{
  if (!contact->model->methods->takes_leaves)
    return "which are for the contact models bsh and exact";
  if (contact->settings.weights == DC_WEIGHTS_PAPER)
    return "which have no \"weights\": \"paper\"";
  return follows ? "beside which shapes cannot be designed yet" : NULL;
}

// fixed: the patch that a fixed body bears where weights are by contact, or NULL.
static void set_weights(struct dc_collider *collider, enum dc_contact_weights weights, double unit_area,
                        const struct dc_contact_patch *fixed)
{
  const double(*vertices)[3] = (const double(*)[3])collider->vertices;
  double total = 0, least;
  for (int i = 0; i < collider->triangle_count; i++)
    total += triangle_area(vertices, collider->triangles[i]);
  least = DC_LEAST_RELATIVE_AREA * total / collider->triangle_count;
  for (int i = 0; i < collider->triangle_count; i++) {
    double area = fmax(least, triangle_area(vertices, collider->triangles[i]));
    double bears = fixed ? dc_bearing_weight(fixed, area, dc_triangle_perimeter(vertices, collider->triangles[i])) : 0;
    collider->leaf_weight[i] = weights == DC_WEIGHTS_PAPER ? 1 : fixed ? bears : area / unit_area;
    for (int k = 0; k < 3; k++)
      collider->vertex_weight[collider->triangles[i][k]] += area / (3 * total);
  }
}

// Vertices that no triangle uses are no part.
static bool list_parts(struct dc_collider *collider, const struct dc_mesh *mesh, struct dc_arena *arena)
{
  int *part = dc_alloc((size_t)mesh->vertex_count, sizeof *part), count = 0;
  if (part) {
    dc_mesh_parts(mesh, part);
    // The least vertex of a part stands for it.
    for (int t = 0; t < mesh->triangle_count; t++)
      for (int k = 0; k < 3; k++) {
        int vertex = mesh->triangles[t][k];
        if (part[vertex] != vertex)
          continue;
        part[vertex] = -1;
        count++;
      }
    collider->parts = dc_arena_alloc(arena, (size_t)count, sizeof *collider->parts);
    for (int v = 0; v < mesh->vertex_count && collider->parts; v++)
      if (part[v] < 0)
        collider->parts[collider->part_count++] = v;
  }
  bool complete = part && collider->parts;
  free(part);
  return complete;
}

// Vertices about the centre of mass, m, where frames of bodies have their origin.
static void set_vertices(const struct dc_body *body, double (*vertices)[3])
{
  for (int i = 0; i < body->shape->mesh.vertex_count; i++)
    dc_vec_sub(vertices[i], body->shape->mesh.vertices[i], body->center);
}

// Whether two colliders had the same tree before its nodes followed moving vertices.  b has a tree; start: the trees
// are those over the vertices at the start, which are the same for both.
static bool has_same_tree(const struct dc_collider *a, const struct dc_collider *b, bool start)
{
  size_t vertices = (size_t)a->vertex_count, triangles = (size_t)a->triangle_count;
  return b->tree.node_count > 0 && !b->leaf_first && (!start || b->tree.size) && a->vertex_count == b->vertex_count &&
         a->triangle_count == b->triangle_count &&
         memcmp(a->triangles, b->triangles, triangles * sizeof *a->triangles) == 0 &&
         memcmp(a->leaf_weight, b->leaf_weight, triangles * sizeof *a->leaf_weight) == 0 &&
         (start || memcmp(a->vertices, b->vertices, vertices * sizeof *a->vertices) == 0);
}

// A collider whose tree can be copied: the same body's in the former contact, or an earlier body's with the same shape
// in this one.  NULL: none.
static const struct dc_collider *find_tree(const struct dc_contact *contact, const struct dc_contact *former,
                                           const struct dc_collider *collider, bool start)
{
  long body = collider - contact->colliders;
  if (former && has_same_tree(collider, &former->colliders[body], start))
    return &former->colliders[body];
  const struct dc_body *bodies = contact->bodies->bodies;
  for (long i = 0; i < body && !start; i++)
    if (bodies[i].shape == bodies[body].shape && has_same_tree(collider, &contact->colliders[i], false))
      return &contact->colliders[i];
  return NULL;
}

// Equal meshes share one tree: it is copied from a collider of this contact or of the former one, where a design moves
// vertices and the tree's shape has to stay. At the start of such a design radii are those at rest.
static enum dc_status build_tree(struct dc_contact *contact, const struct dc_contact *former, bool start,
                                 struct dc_collider *collider, struct dc_error *error)
{
  const struct dc_collider *known = find_tree(contact, former, collider, start);
  if (known) {
    enum dc_status status = dc_sphere_tree_copy(&collider->tree, &known->tree, contact->arena, error);
    if (!status && start)  // the radii that it had then
      memcpy(collider->tree.radius, known->tree.size, (size_t)known->tree.node_count * sizeof *known->tree.size);
    return status;
  }
  bool consistent = contact->settings.weights != DC_WEIGHTS_PAPER;
  return dc_sphere_tree_build(&collider->tree, (const double(*)[3])collider->vertices, collider->vertex_count,
                              collider->triangles, collider->triangle_count, collider->leaf_weight,
                              consistent ? DC_CENTER_WEIGHTED : DC_CENTER_VERTICES, contact->arena, error);
}

// The tree has been built over the vertices of the start.
static enum dc_status follow(struct dc_contact *contact, const struct dc_body *body, struct dc_collider *collider,
                             struct dc_error *error)
{
  set_vertices(body, collider->vertices);
  size_t nodes = (size_t)collider->tree.node_count, vertices = (size_t)collider->vertex_count;
  collider->by_node = dc_arena_alloc(contact->arena, 2 * nodes, sizeof *collider->by_node);
  collider->vertex_sums = dc_arena_alloc(contact->arena, vertices, sizeof *collider->vertex_sums);
  if (!collider->by_node || !collider->vertex_sums)
    return dc_out_of_memory_for(error, "the collider of %s", body->name);
  collider->node_sums = collider->by_node + nodes;
  return dc_sphere_tree_follow(&collider->tree, (const double(*)[3])collider->vertices, collider->triangles,
                               contact->arena, error);
}

// start: NULL, or the body as it is before its vertices move.  former: NULL, or the contact that may have its tree.
static enum dc_status create_collider(struct dc_contact *contact, const struct dc_body *body,
                                      const struct dc_body *start, bool follows, double fixed_area,
                                      const struct dc_contact_patch *patch, const struct dc_contact *former,
                                      struct dc_collider *collider, struct dc_error *error)
{
  struct dc_arena *arena = contact->arena;
  const struct dc_mesh *mesh = &body->shape->mesh;
  collider->primitive.type = dc_primitive_type_of(body->shape);
  if (collider->primitive.type || !dc_shape_has_surface(body->shape))
    return DC_OK;
  const char *why = why_no_leaves(contact, start != NULL);
  if (body->shape->leaves_required && why)
    return dc_fail(
        error, DC_BAD_INPUT,
        "%s: the surface of its shape \"%s\" is \"leaves\", %s (here %s): set \"surface\": \"mesh\" or \"auto\"",
        body->name, body->shape->name, why, contact->model->name);
  const struct dc_contact_patch *bears =
      patch->area > 0 && contact->settings.weights == DC_WEIGHTS_CONTACT && !dc_body_moves(body) ? patch : NULL;
  if (body->shape->leaf_count > 0 && !why)
    return dc_collider_create_leaves(contact, body, dc_body_moves(body) ? NAN : fixed_area, patch, collider, error);
  size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
  collider->vertex_count = mesh->vertex_count;
  collider->triangle_count = mesh->triangle_count;
  collider->triangles = (const int(*)[3])mesh->triangles;
  collider->radius = body->radius;
  collider->vertices = dc_arena_alloc(arena, vertices, sizeof *collider->vertices);
  collider->turned = dc_arena_alloc(arena, vertices, sizeof *collider->turned);
  collider->spheres = dc_arena_alloc(arena, 2 * triangles, sizeof *collider->spheres);
  collider->vertex_weight = dc_arena_alloc(arena, vertices, sizeof *collider->vertex_weight);
  collider->leaf_weight = dc_arena_alloc(arena, triangles, sizeof *collider->leaf_weight);
  if (!collider->vertices || !collider->turned || !collider->spheres || !collider->vertex_weight ||
      !collider->leaf_weight || !list_parts(collider, mesh, arena))
    return dc_out_of_memory_for(error, "the collider of %s", body->name);
  const struct dc_body *weighed = start ? start : body;
  set_vertices(weighed, collider->vertices);
  set_weights(collider, (enum dc_contact_weights)contact->settings.weights,
              dc_body_moves(body) ? weighed->shape->properties.surface_area : fixed_area, bears);
  enum dc_status status = build_tree(contact, former, start != NULL, collider, error);
  if (status || !start)
    return status;
  if (follows)
    return follow(contact, body, collider, error);
  collider->tree.size = collider->tree.radius;  // in a contact either all trees have sizes or none
  return DC_OK;
}

// Creates the colliders of all bodies, with areas relative to those of the fixed ones.
enum dc_status dc_colliders_create(struct dc_contact *contact, const struct dc_contact *former, struct dc_error *error)
{
  const struct dc_bodies *start = contact->start;
  contact->colliders = dc_arena_alloc(contact->arena, (size_t)contact->bodies->count, sizeof *contact->colliders);
  if (!contact->colliders)
    return dc_out_of_memory_for(error, "%d colliders", contact->bodies->count);
  double fixed_area = reference_area(contact, start ? start : contact->bodies);
  struct dc_contact_patch patch =
      dc_contact_patch_of(start ? start : contact->bodies, !why_no_leaves(contact, start != NULL));
  for (int i = 0; i < contact->bodies->count; i++) {
    enum dc_status status =
        create_collider(contact, &contact->bodies->bodies[i], start ? &start->bodies[i] : NULL,
                        dc_contact_follows(contact, i), fixed_area, &patch, former, &contact->colliders[i], error);
    if (status)
      return status;
  }
  return DC_OK;
}

// by_node holds derivatives by centres, radii and spreads of nodes, which the trees hand down to vertices.  Where
// nobody wants them they are dropped, lest the next call adds them.
void dc_colliders_pull_back_nodes(struct dc_contact *contact, double (*const *points)[3])
{
  for (int i = 0; i < contact->bodies->count; i++) {
    struct dc_collider *collider = &contact->colliders[i];
    if (collider->by_node && points && points[i])
      dc_sphere_tree_pull_back(&collider->tree, (const double(*)[3])collider->vertices, collider->triangles, 1,
                               collider->by_node, points[i]);
    else if (collider->by_node)
      memset(collider->by_node, 0, (size_t)collider->tree.node_count * sizeof *collider->by_node);
  }
}

// World axes, about the origin of the frame: positions are not added, so that digits are not lost far from the origin.
void dc_collider_turn(struct dc_collider *collider, const struct dc_pose *pose)
{
  if (collider->primitive.type) {
    collider->primitive.type->place(&collider->primitive, pose);
    return;
  }
  dc_vec_copy(collider->position, pose->position);
  for (int i = 0; i < collider->vertex_count; i++)
    dc_mat_apply(collider->turned[i], pose->rotation, collider->vertices[i]);
  for (int i = 0; i < collider->tree.node_count; i++) {
    dc_mat_apply(collider->spheres[i], pose->rotation, collider->tree.center[i]);
    collider->spheres[i][3] = collider->tree.radius[i];
  }
}
