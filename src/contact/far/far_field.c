// SPDX-License-Identifier: Apache-2.0
// The far field of the surfaces of soft bodies.  Creation gives each surface a sphere tree over its triangles at rest
// and weights that sum to the area relative to the reference area; each pair gets the stiffness and the softening
// delta.  An evaluation moves the trees with their bodies and lists for each pair the terms and blends of the descent
// (far_pair.c).  It sums up energy and derivatives by the numbers of nodes, and pulls these back to the nodes of soft
// bodies and to the centres of rigid ones.
#include "contact/far/far_field.h"

#include <stdlib.h>
#include <string.h>

#include "contact/far/far_internal.h"
#include "math/vector.h"

static const double LEAST_RELATIVE_AREA = 1e-3;  // of the mean: weights of triangles stay positive

// Surfaces and bodies have the same index; pairs refer to it.  All but the lists of pairs is in the arena.
struct dc_far_field {
  const struct dc_bodies *arrangement;
  struct dc_arena *arena;
  struct dc_far_rule rule;
  int body_count, pair_count;
  struct dc_far_surface *surfaces;  // [body_count]
  struct dc_far_body *bodies;       // [body_count]
  struct dc_far_pair *pairs;
};

// Creation.

// The triangles of a surface, or of a rod: a segment (a, b) is the triangles (a, a, b) and (a, b, b), the mean
// of whose centroids is its middle.
static enum dc_status list_triangles(struct dc_far_surface *surface, int element_count, const int (*elements)[3],
                                     struct dc_arena *arena, struct dc_error *error)
{
  surface->triangle_count = element_count;
  surface->triangles = elements;
  if (elements[0][2] >= 0)
    return DC_OK;
  int(*doubled)[3] = dc_arena_alloc(arena, 2 * (size_t)element_count, sizeof *doubled);
  if (!doubled)
    return dc_out_of_memory_for(error, "a far field");
  for (int e = 0; e < element_count; e++)
    for (int k = 0; k < 2; k++) {
      doubled[2 * e + k][0] = elements[e][0];
      doubled[2 * e + k][1] = elements[e][k];
      doubled[2 * e + k][2] = elements[e][1];
    }
  surface->triangle_count = 2 * element_count;
  surface->triangles = (const int(*)[3])doubled;
  return DC_OK;
}

// The extent that a triangle is weighed by: its area, or, of a rod, half the length of a segment, of which there are
// two.
static double extent_of(const struct dc_far_surface *surface, const double (*vertices)[3], int triangle)
{
  const int *t = surface->triangles[triangle];
  if (t[0] == t[1] || t[1] == t[2])
    return 0.5 * dc_vec_distance(vertices[t[0]], vertices[t[2]]);
  return dc_triangle_area(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
}

// The spread of a triangle about its centroid: the sum of the squares of its edges over 36.
static double spread_of(const struct dc_far_surface *surface, const double (*vertices)[3], int triangle)
{
  const int *t = surface->triangles[triangle];
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double edge = dc_vec_distance(vertices[t[k]], vertices[t[(k + 1) % 3]]);
    sum += edge * edge;
  }
  return sum / 36;
}

// Weights [triangles] that sum to `total`.
static void weigh(struct dc_far_surface *surface, const double (*vertices)[3], double total, double *weights)
{
  double sum = 0, kept = 0;
  for (int t = 0; t < surface->triangle_count; t++)
    sum += extent_of(surface, vertices, t);
  for (int t = 0; t < surface->triangle_count; t++) {
    weights[t] = fmax(extent_of(surface, vertices, t), LEAST_RELATIVE_AREA * sum / surface->triangle_count);
    kept += weights[t];
  }
  for (int t = 0; t < surface->triangle_count; t++) {
    surface->spread += weights[t] / kept * spread_of(surface, vertices, t);
    weights[t] *= total / kept;
  }
}

// The surface area of a body; of a rod of length L and volume V that of a cylinder, sqrt(4 pi V L).
static double area_of(const struct dc_bodies *bodies, int body)
{
  const struct dc_soft *soft = dc_soft_of(bodies, body);
  double sum = 0;
  if (!soft)
    return bodies->bodies[body].shape->properties.surface_area;
  const double(*nodes)[3] = (const double(*)[3])soft->mesh.nodes;
  for (int t = 0; t < soft->mesh.triangle_count; t++) {
    const int *v = soft->mesh.triangles[t];
    sum +=
        v[2] < 0 ? dc_vec_distance(nodes[v[0]], nodes[v[1]]) : dc_triangle_area(nodes[v[0]], nodes[v[1]], nodes[v[2]]);
  }
  return soft->mesh.corners == 2 ? sqrt(4 * M_PI * soft->elastic.volume * sum) : sum;
}

// Whether a soft body and one that comes behind it, or a rigid one, are a pair.
static bool is_pair(const struct dc_bodies *bodies, const struct dc_soft *soft, int body)
{
  const struct dc_soft *other = dc_soft_of(bodies, body);
  return soft->far_field > 0 && other != soft && (!other || other->far_field > 0) && dc_soft_meets(bodies, soft, body);
}

// Soft bodies always move.
static bool is_fixed(const struct dc_bodies *bodies, int body)
{
  return !dc_soft_of(bodies, body) && !dc_body_moves(&bodies->bodies[body]);
}

// The area that weighs 1 on fixed bodies: as set, else the mean surface of those in the field that move.
static double reference_area(const struct dc_bodies *bodies, double given, const bool *member)
{
  double sum = 0;
  int count = 0;
  for (int b = 0; b < bodies->count; b++)
    if (member[b] && !is_fixed(bodies, b)) {
      sum += area_of(bodies, b);
      count++;
    }
  return isnan(given) ? sum / count : given;
}

// Allocates the workspace of evaluations for one body.
static bool allocate(struct dc_far_surface *surface, struct dc_far_body *body, struct dc_arena *arena)
{
  size_t nodes = (size_t)surface->tree.node_count, vertices = (size_t)surface->vertex_count;
  body->point_count = surface->soft ? surface->vertex_count : surface->tree.node_count;
  size_t points = (size_t)body->point_count;
  surface->rates = dc_arena_alloc(arena, nodes, sizeof *surface->rates);
  surface->by = dc_arena_alloc(arena, nodes, sizeof *surface->by);
  surface->by_rates = dc_arena_alloc(arena, nodes, sizeof *surface->by_rates);
  body->gradient = dc_arena_alloc(arena, points, sizeof *body->gradient);
  body->velocity = dc_arena_alloc(arena, points, sizeof *body->velocity);
  body->product = dc_arena_alloc(arena, points, sizeof *body->product);
  surface->x = surface->soft ? dc_arena_alloc(arena, vertices, sizeof *surface->x) : NULL;
  surface->center = surface->soft ? surface->tree.center : dc_arena_alloc(arena, nodes, sizeof *surface->center);
  body->arm = surface->soft ? NULL : (const double(*)[3])surface->tree.center;
  return surface->rates && surface->by && surface->by_rates && body->gradient && body->velocity && body->product &&
         surface->center && (surface->x || !surface->soft);
}

// A rigid body's tree is in its axes, about its centre.
static enum dc_status add_surface(struct dc_far_field *field, int index, double reference, struct dc_error *error)
{
  const struct dc_bodies *bodies = field->arrangement;
  const struct dc_body *rigid = &bodies->bodies[index];
  const struct dc_soft *soft = dc_soft_of(bodies, index);
  const struct dc_mesh *mesh = soft ? NULL : &rigid->shape->mesh;
  struct dc_far_surface *surface = &field->surfaces[field->body_count];
  struct dc_far_body *body = &field->bodies[field->body_count++];
  body->body = index;
  surface->soft = soft;
  surface->vertex_count = soft ? soft->node_count : mesh->vertex_count;
  enum dc_status status =
      soft ? list_triangles(surface, soft->mesh.triangle_count, (const int(*)[3])soft->mesh.triangles, field->arena,
                            error)
           : list_triangles(surface, mesh->triangle_count, (const int(*)[3])mesh->triangles, field->arena, error);
  if (status)
    return status;
  double(*vertices)[3] = dc_alloc((size_t)surface->vertex_count, sizeof *vertices);
  double *weights = dc_alloc((size_t)surface->triangle_count, sizeof *weights);
  if (!vertices || !weights)
    status = dc_out_of_memory_for(error, "a far field");
  const double nowhere[3] = {0};
  for (int v = 0; v < surface->vertex_count && !status; v++)
    dc_vec_sub(vertices[v], soft ? soft->mesh.nodes[v] : mesh->vertices[v], soft ? nowhere : rigid->center);
  if (!status) {
    const double(*at)[3] = (const double(*)[3])vertices;
    weigh(surface, at, is_fixed(bodies, index) ? area_of(bodies, index) / reference : 1, weights);
    status = dc_sphere_tree_build(&surface->tree, at, surface->vertex_count, surface->triangles,
                                  surface->triangle_count, weights, DC_CENTER_WEIGHTED, field->arena, error);
    if (!status)
      status = dc_sphere_tree_follow(&surface->tree, at, surface->triangles, field->arena, error);
  }
  free(vertices);
  free(weights);
  if (!status && !allocate(surface, body, field->arena))
    return dc_out_of_memory_for(error, "a far field");
  return status;
}

// Where a body of the field stands in its lists.
static int place_of(const struct dc_far_field *field, int body)
{
  int at = 0;
  while (field->bodies[at].body != body)
    at++;
  return at;
}

// The softening delta^2 is the sum of the mean spreads of triangles, m^2: what a point at each centroid leaves out.
static void add_pair(struct dc_far_field *field, const struct dc_soft *soft, int body)
{
  const struct dc_soft *other = dc_soft_of(field->arrangement, body);
  int a = place_of(field, soft->body), b = place_of(field, body);
  double stiffness = other ? 0.5 * (soft->far_field + other->far_field) : soft->far_field;
  field->pairs[field->pair_count++] =
      (struct dc_far_pair){.a = a,
                           .b = b,
                           .given = stiffness,
                           .stiffness = stiffness,
                           .softening = field->surfaces[a].spread + field->surfaces[b].spread};
}

// A surface for every body in the field, then a pair for every two that meet.
static enum dc_status add_all(struct dc_far_field *field, double reference, const bool *member, struct dc_error *error)
{
  const struct dc_bodies *bodies = field->arrangement;
  size_t count = (size_t)bodies->count;
  field->surfaces = dc_arena_alloc(field->arena, count, sizeof *field->surfaces);
  field->bodies = dc_arena_alloc(field->arena, count, sizeof *field->bodies);
  field->pairs = dc_arena_alloc(field->arena, (size_t)bodies->soft_count * count, sizeof *field->pairs);
  if (!field->surfaces || !field->bodies || !field->pairs)
    return dc_out_of_memory_for(error, "a far field");
  reference = reference_area(bodies, reference, member);
  for (int b = 0; b < bodies->count; b++) {
    enum dc_status status = member[b] ? add_surface(field, b, reference, error) : DC_OK;
    if (status)
      return status;
  }
  for (int s = 0; s < bodies->soft_count; s++)
    for (int b = 0; b < bodies->count; b++)
      if (is_pair(bodies, &bodies->soft[s], b))
        add_pair(field, &bodies->soft[s], b);
  return DC_OK;
}

// Creates the far field of soft bodies with all bodies they meet; *field stays NULL when there is none.
enum dc_status dc_far_field_create(const struct dc_bodies *bodies, const struct dc_contact_settings *settings,
                                   bool hierarchical, struct dc_far_field **field, struct dc_error *error)
{
  bool *member = dc_alloc((size_t)bodies->count, sizeof *member), any = false;
  *field = NULL;
  for (int s = 0; s < bodies->soft_count && member; s++)
    for (int b = 0; b < bodies->count; b++)
      if (is_pair(bodies, &bodies->soft[s], b))
        any = member[bodies->soft[s].body] = member[b] = true;
  struct dc_arena *arena = any ? dc_arena_create() : NULL;
  struct dc_far_field *made = arena ? dc_arena_alloc(arena, 1, sizeof *made) : NULL;
  enum dc_status status = member && (made || !any) ? DC_OK : dc_out_of_memory_for(error, "a far field");
  if (made) {
    made->arrangement = bodies;
    made->arena = arena;
    made->rule = (struct dc_far_rule){settings->length, settings->blend, hierarchical};
    status = add_all(made, settings->reference_area, member, error);
    if (!status)
      *field = made;
    else
      dc_far_field_destroy(made);
  } else {
    dc_arena_destroy(arena);
  }
  free(member);
  return status;
}

void dc_far_field_destroy(struct dc_far_field *field)
{
  if (!field)
    return;
  for (int p = 0; p < field->pair_count; p++) {
    free(field->pairs[p].terms);
    free(field->pairs[p].blends);
    free(field->pairs[p].sums);
  }
  dc_arena_destroy(field->arena);
}

// Factors do not add up: each is on the stiffness that the scene gives.
void dc_far_field_scale(struct dc_far_field *field, double factor)
{
  for (int p = 0; p < field->pair_count; p++)
    field->pairs[p].stiffness = factor * field->pairs[p].given;
}

// Evaluation.

// Centres of nodes follow the vertices of a soft body, whose tree is fitted anew, or turn with a rigid one.
static void place_surface(const struct dc_far_field *field, int index, const double *q, const struct dc_pose *poses)
{
  struct dc_far_surface *surface = &field->surfaces[index];
  const struct dc_pose *pose = &poses[field->bodies[index].body];
  if (surface->soft) {
    memcpy(surface->x, q + surface->soft->q_offset, (size_t)surface->vertex_count * sizeof *surface->x);
    dc_sphere_tree_refit(&surface->tree, (const double(*)[3])surface->x, surface->triangles);
    return;
  }
  for (int i = 0; i < surface->tree.node_count; i++) {
    dc_mat_apply(surface->center[i], pose->rotation, surface->tree.center[i]);
    dc_vec_add(surface->center[i], surface->center[i], pose->position);
  }
}

// Derivatives by nodes become those by points.
static void take_gradient(struct dc_far_surface *surface, struct dc_far_body *body)
{
  memset(body->gradient, 0, (size_t)body->point_count * sizeof *body->gradient);
  if (surface->soft) {
    dc_sphere_tree_pull_back(&surface->tree, (const double(*)[3])surface->x, surface->triangles, 1, surface->by,
                             body->gradient);
    return;
  }
  for (int i = 0; i < body->point_count; i++)
    dc_vec_copy(body->gradient[i], surface->by[i].center);
  memset(surface->by, 0, (size_t)body->point_count * sizeof *surface->by);
}

// Energy and gradient at q: place the surfaces, list and add each pair, then hand the gradients to the bodies' points.
int dc_far_field_evaluate(struct dc_far_field *field, const double *q, const struct dc_pose *poses, double *energy)
{
  for (int s = 0; s < field->body_count; s++)
    place_surface(field, s, q, poses);
  double sum = 0;
  for (int p = 0; p < field->pair_count; p++) {
    struct dc_far_pair *pair = &field->pairs[p];
    const struct dc_far_surface *a = &field->surfaces[pair->a], *b = &field->surfaces[pair->b];
    if (dc_far_pair_list(pair, a, b, &field->rule))
      return -1;
    sum += dc_far_pair_gradient(pair, a, b, &field->rule);
  }
  for (int s = 0; s < field->body_count; s++)
    take_gradient(&field->surfaces[s], &field->bodies[s]);
  if (energy)
    *energy = sum;
  return 0;
}

struct dc_far_body *dc_far_field_bodies(struct dc_far_field *field, int *count)
{
  *count = field->body_count;
  return field->bodies;
}

// Centres move with a body; spreads and radii do not change by that.
static void move_forces(struct dc_far_surface *surface, double force[3])
{
  for (int i = 0; i < surface->tree.node_count; i++)
    dc_vec_sub(force, force, surface->by[i].center);
  memset(surface->by, 0, (size_t)surface->tree.node_count * sizeof *surface->by);
}

void dc_far_field_add_forces(struct dc_far_field *field, bool between, double (*forces)[3])
{
  for (int p = 0; p < field->pair_count; p++) {
    struct dc_far_pair *pair = &field->pairs[p];
    const int body[2] = {field->bodies[pair->a].body, field->bodies[pair->b].body};
    if (between && (is_fixed(field->arrangement, body[0]) || is_fixed(field->arrangement, body[1])))
      continue;
    dc_far_pair_gradient(pair, &field->surfaces[pair->a], &field->surfaces[pair->b], &field->rule);
    move_forces(&field->surfaces[pair->a], forces[body[0]]);
    move_forces(&field->surfaces[pair->b], forces[body[1]]);
  }
}

// Rates of the nodes' centres, spreads and radii when the points have their velocities.
static void set_rates(struct dc_far_surface *surface, const struct dc_far_body *body)
{
  if (surface->soft) {
    dc_sphere_tree_rates(&surface->tree, (const double(*)[3])surface->x, surface->triangles,
                         (const double(*)[3])body->velocity, surface->rates);
    return;
  }
  for (int i = 0; i < body->point_count; i++)
    dc_vec_copy(surface->rates[i].center, body->velocity[i]);
}

// The transposed way: products by nodes become those by points.
static void take_product(struct dc_far_surface *surface, struct dc_far_body *body)
{
  memset(body->product, 0, (size_t)body->point_count * sizeof *body->product);
  if (surface->soft) {
    dc_sphere_tree_pull_back_rate(&surface->tree, (const double(*)[3])surface->x, surface->triangles,
                                  (const double(*)[3])body->velocity, surface->rates, surface->by, surface->by_rates,
                                  body->product);
    return;
  }
  for (int i = 0; i < body->point_count; i++)
    dc_vec_copy(body->product[i], surface->by_rates[i].center);
  memset(surface->by, 0, (size_t)body->point_count * sizeof *surface->by);
  memset(surface->by_rates, 0, (size_t)body->point_count * sizeof *surface->by_rates);
}

// The Hessian times the velocities of all points, as products of the same points.
void dc_far_field_multiply(struct dc_far_field *field)
{
  for (int s = 0; s < field->body_count; s++)
    set_rates(&field->surfaces[s], &field->bodies[s]);
  for (int p = 0; p < field->pair_count; p++) {
    struct dc_far_pair *pair = &field->pairs[p];
    dc_far_pair_multiply(pair, &field->surfaces[pair->a], &field->surfaces[pair->b], &field->rule);
  }
  for (int s = 0; s < field->body_count; s++)
    take_product(&field->surfaces[s], &field->bodies[s]);
}
