// SPDX-License-Identifier: Apache-2.0
// Incremental potential contact (Li et al. 2020) and its variant without end (paper 000, A.6.3): what their meshes own,
// the evaluation of a body pair, descriptors.
#include <math.h>
#include <stdlib.h>

#include "contact/friction/friction_internal.h"
#include "contact/models/ipc/ipc_state.h"
#include "contact/common/points.h"
#include "geometry/mesh/surface_owners.h"
#include "math/vector.h"

// Marks the vertices and edges that each triangle owns, and sums up for each the thirds of the triangles around it.
static void set_owned(const struct dc_collider *collider, const int *vertex_owner, const int *edge_owner,
                      struct dc_ipc_surface *surface)
{
  for (int t = 0; t < collider->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      int vertex = vertex_owner[collider->triangles[t][k]], edge = edge_owner[3 * t + k];
      surface->owned[t] |= (unsigned char)((vertex == 3 * t + k ? 1u << k : 0) | (edge == 3 * t + k ? 8u << k : 0));
      surface->weight[vertex / 3][vertex % 3] += collider->leaf_weight[t] / 3;
      surface->weight[edge / 3][3 + edge % 3] += collider->leaf_weight[t] / 3;
    }
}

// Lengths and areas at rest.  Rigid bodies keep them, so that walks need no square roots for them.
static void measure_triangles(const struct dc_collider *collider, struct dc_ipc_surface *surface)
{
  for (int t = 0; t < collider->triangle_count; t++) {
    const int *v = collider->triangles[t];
    double e[3], f[3], n[3];
    dc_vec_sub(e, collider->vertices[v[1]], collider->vertices[v[0]]);
    dc_vec_sub(f, collider->vertices[v[2]], collider->vertices[v[0]]);
    dc_vec_cross(n, e, f);
    surface->inverse_normal[t] = 1 / dc_vec_norm(n);
    for (int k = 0; k < 3; k++)
      surface->half_length[t][k] = 0.5 * dc_vec_distance(collider->vertices[v[k]], collider->vertices[v[(k + 1) % 3]]);
  }
}

// The owners of vertices and edges, half lengths and normals of one mesh.
static enum dc_status create_surface(struct dc_contact *contact, const struct dc_collider *collider,
                                     struct dc_ipc_surface *surface)
{
  size_t triangles = (size_t)collider->triangle_count, vertices = (size_t)collider->vertex_count;
  surface->owned = dc_arena_alloc(contact->arena, triangles, sizeof *surface->owned);
  surface->half_length = dc_arena_alloc(contact->arena, triangles, sizeof *surface->half_length);
  surface->inverse_normal = dc_arena_alloc(contact->arena, triangles, sizeof *surface->inverse_normal);
  surface->weight = dc_arena_alloc(contact->arena, triangles, sizeof *surface->weight);
  int *vertex_owner = dc_alloc(vertices, sizeof *vertex_owner),
      *edge_owner = dc_alloc(3 * triangles, sizeof *edge_owner);
  bool complete = surface->owned && surface->half_length && surface->inverse_normal && surface->weight &&
                  vertex_owner && edge_owner &&
                  !dc_surface_owners(collider->triangle_count, collider->triangles, collider->vertex_count,
                                     vertex_owner, edge_owner);
  if (complete) {
    set_owned(collider, vertex_owner, edge_owner, surface);
    measure_triangles(collider, surface);
  }
  free(vertex_owner);
  free(edge_owner);
  return complete ? DC_OK : DC_MEMORY;
}

// Makes surfaces with edges for all bodies that have triangles.
static enum dc_status create(struct dc_contact *contact, struct dc_error *error)
{
  size_t bodies = (size_t)contact->bodies->count;
  struct dc_ipc *ipc = dc_arena_alloc(contact->arena, 1, sizeof *ipc);
  if (!ipc)
    return dc_out_of_memory_for(error, "contact");
  contact->own = ipc;
  ipc->global = contact->model->flags & DC_CONTACT_LONG_RANGE;
  ipc->surfaces = dc_arena_alloc(contact->arena, bodies, sizeof *ipc->surfaces);
  ipc->nearest = dc_arena_alloc(contact->arena, (size_t)contact->pair_count, sizeof *ipc->nearest);
  if (!ipc->surfaces || !ipc->nearest)
    return dc_out_of_memory_for(error, "contact");
  for (size_t i = 0; i < bodies; i++)
    if (contact->colliders[i].triangle_count > 0 && create_surface(contact, &contact->colliders[i], &ipc->surfaces[i]))
      return dc_out_of_memory_for(error, "the edges of %s", contact->bodies->bodies[i].name);
  return DC_OK;
}

// The sum of all pairs of primitives of one body pair, as the walk visits them.
struct summation {
  const struct dc_contact *contact;
  int order;
  struct dc_pair_derivatives *sum;
};

static int add_primitive(struct dc_ipc_walk *walk, const struct dc_ipc_primitive *primitive)
{
  const struct summation *summation = walk->context;
  dc_ipc_add(summation->contact, primitive, summation->order, summation->sum);
  return 0;
}

// The near list of a pair: the two triangles that are closest.
static void list_nearest(struct dc_ipc_nearest *nearest, const int triangles[2], double gap, struct dc_near_list *near)
{
  *nearest = (struct dc_ipc_nearest){.term = {.i = triangles[0], .j = triangles[1]}, .gap = gap};
  *near = (struct dc_near_list){.count = 1, .terms = &nearest->term, .gaps = &nearest->gap};
}

// Sums the barrier over all primitive pairs within reach, and takes gap, crossing and the nearest triangles from the
// walk.
static void evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                          struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  const struct dc_ipc *ipc = dc_ipc_of(contact);
  struct summation summation = {contact, order, result};
  struct dc_ipc_walk walk;
  dc_ipc_walk_of(contact, p, result->arm, &walk);
  walk.reach = ipc->global ? INFINITY : contact->settings.dhat;
  walk.visit = add_primitive;
  walk.context = &summation;
  dc_ipc_walk(&walk);
  pair->gap = walk.gap;
  pair->crossing = walk.crossing;
  if (walk.nearest[0] >= 0 && !walk.crossing)
    list_nearest(&ipc->nearest[p], walk.nearest, walk.gap, &pair->near);
  pair->counts.visited = walk.visited;
  pair->counts.exact = walk.measured;
  if (!walk.crossing)
    return;
  *result = (struct dc_pair_derivatives){.energy = INFINITY};
  dc_vec_sub(result->arm, poses[pair->a].position, poses[pair->b].position);
}

// Vertices above a half-space or another primitive, one barrier each.
static void evaluate_primitive(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                               struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_primitive_pair(contact, pair, &poses[pair->a], order, dc_ipc_primitive_barrier(contact), result);
}

static const struct dc_contact_methods methods = {.create = create,
                                                  .evaluate_pair = evaluate_pair,
                                                  .evaluate_primitive = evaluate_primitive,
                                                  .friction = &dc_ipc_friction_methods,
                                                  .points = &dc_ipc_points};

const struct dc_contact_model dc_contact_ipc = {
    .name = "ipc",
    .summary = "incremental potential contact: barrier of point-triangle and edge-edge distances below dhat",
    .reference = "Li et al. 2020, Eq. 6 and 24",
    .options = dc_ipc_options,
    .flags = DC_CONTACT_FRICTION,
    .methods = &methods,
};

const struct dc_contact_model dc_contact_ipc_global = {
    .name = "ipc-global",
    .summary =
        "the same distances of all pairs under the barrier of bsh, which never ends (not smooth; quadratic cost)",
    .reference = "paper 000, A.6.3",
    .options = dc_ipc_global_options,
    .flags = DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION,
    .methods = &methods,
};
