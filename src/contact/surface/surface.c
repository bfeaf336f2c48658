// SPDX-License-Identifier: Apache-2.0
// The surfaces of a world of soft bodies, and what touches.
#include "contact/surface/surface.h"
#include "contact/surface/constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/surface/surface_internal.h"
#include "geometry/mesh/surface_owners.h"

// Creation.

// Marks the vertices and edges that each element owns.
static bool find_owned(struct dc_surface *surface)
{
  int *vertex_owner = dc_alloc((size_t)surface->vertex_count, sizeof *vertex_owner);
  int *edge_owner = dc_alloc(3 * (size_t)surface->element_count, sizeof *edge_owner);
  bool complete =
      vertex_owner && edge_owner &&
      !dc_surface_owners(surface->element_count, surface->elements, surface->vertex_count, vertex_owner, edge_owner);
  for (int t = 0; t < surface->element_count && complete; t++)
    for (int k = 0; k < 3; k++) {
      bool vertex = k < dc_element_corners(surface->elements[t]) && vertex_owner[surface->elements[t][k]] == 3 * t + k,
           edge = edge_owner[3 * t + k] == 3 * t + k;
      surface->owned[t] |= (unsigned char)((vertex ? 1u << k : 0) | (edge ? 8u << k : 0));
    }
  free(vertex_owner);
  free(edge_owner);
  return complete;
}

// Places at rest: of nodes in the world, of rigid bodies about their centres.
static enum dc_status finish_surface(struct dc_surface *surface, const double (*rest)[3], struct dc_arena *arena,
                                     struct dc_error *error)
{
  size_t elements = (size_t)surface->element_count;
  double(*centers)[3] = dc_alloc(elements, sizeof *centers);
  enum dc_status status = centers && find_owned(surface) ? DC_OK : dc_out_of_memory(error);
  for (size_t t = 0; t < elements && !status; t++) {
    const int *v = surface->elements[t];
    int corners = dc_element_corners(v);
    for (int k = 0; k < corners; k++) {
      double edge = dc_vec_distance(rest[v[k]], rest[v[(k + 1) % corners]]);
      surface->square[t][k] = edge * edge;
      dc_vec_add_scaled(centers[t], centers[t], 1.0 / corners, rest[v[k]]);
    }
  }
  if (!status)
    status = dc_box_tree_create(&surface->tree, surface->element_count, (const double(*)[3])centers, arena, error);
  free(centers);
  return status;
}

// The surface of a body: elements, owners, lengths at rest, box tree.
static enum dc_status add_surface(struct dc_surface_contact *contact, int body, const struct dc_soft *soft,
                                  struct dc_error *error)
{
  const struct dc_body *rigid = &contact->bodies->bodies[body];
  const struct dc_mesh *mesh = &rigid->shape->mesh;
  struct dc_surface *surface = &contact->surfaces[contact->surface_count++];
  *surface = (struct dc_surface){.body = body, .soft = soft, .closed = !soft || soft->mesh.corners == 4};
  surface->vertex_count = soft ? soft->node_count : mesh->vertex_count;
  surface->element_count = soft ? soft->mesh.triangle_count : mesh->triangle_count;
  surface->elements = soft ? (const int(*)[3])soft->mesh.triangles : (const int(*)[3])mesh->triangles;
  size_t vertices = (size_t)surface->vertex_count, elements = (size_t)surface->element_count;
  surface->owned = dc_arena_alloc(contact->arena, elements, sizeof *surface->owned);
  surface->square = dc_arena_alloc(contact->arena, elements, sizeof *surface->square);
  surface->x = dc_arena_alloc(contact->arena, vertices, sizeof *surface->x);
  bool complete = surface->owned && surface->square && surface->x;
  if (!soft) {
    surface->fixed = dc_arena_alloc(contact->arena, vertices, sizeof *surface->fixed);
    surface->arm = dc_arena_alloc(contact->arena, vertices, sizeof *surface->arm);
    complete &= surface->fixed && surface->arm;
    for (size_t v = 0; v < vertices && complete; v++) {
      dc_vec_sub(surface->fixed[v], mesh->vertices[v], rigid->center);
      surface->radius = fmax(surface->radius, dc_vec_norm(surface->fixed[v]));
    }
  }
  if (!complete)
    return dc_out_of_memory_for(error, "the surface of \"%.255s\"", rigid->name);
  return finish_surface(surface, soft ? (const double(*)[3])soft->mesh.nodes : (const double(*)[3])surface->fixed,
                        contact->arena, error);
}

// Number of the body's surface; -1: it has none yet.
// A linear search: surfaces are few, and this is asked at creation and for each vertex of a touch.
static int surface_of(const struct dc_surface_contact *contact, int body)
{
  for (int s = 0; s < contact->surface_count; s++)
    if (contact->surfaces[s].body == body)
      return s;
  return -1;
}

// Room for a surface that may touch itself: boxes around the ways of its elements, and where these ways begin.
// A surface that may touch itself is close to itself everywhere along its edges.  Boxes of motions since a reference
// tell which parts can have come closer.
static bool add_ways(struct dc_surface *surface, struct dc_arena *arena)
{
  surface->ways = surface->tree;
  surface->ways.boxes = dc_arena_alloc(arena, (size_t)surface->tree.node_count, sizeof *surface->ways.boxes);
  surface->reference = dc_arena_alloc(arena, (size_t)surface->vertex_count, sizeof *surface->reference);
  return surface->ways.boxes && surface->reference;
}

// Adds the pair of a soft body and another body, and the surfaces that are new.
static enum dc_status add_pair(struct dc_surface_contact *contact, const struct dc_soft *soft, int body,
                               struct dc_error *error)
{
  const struct dc_soft *other = dc_soft_of(contact->bodies, body);
  enum dc_status status = DC_OK;
  if (surface_of(contact, soft->body) < 0)
    status = add_surface(contact, soft->body, soft, error);
  if (!status && surface_of(contact, body) < 0)
    status = add_surface(contact, body, other, error);
  if (status)
    return status;
  double range = other ? 0.5 * (soft->range + other->range) : soft->range;
  double stiffness = other ? 0.5 * (soft->contact_stiffness + other->contact_stiffness) : soft->contact_stiffness;
  if (other == soft && !add_ways(&contact->surfaces[surface_of(contact, body)], contact->arena))
    return dc_out_of_memory_for(error, "surfaces");
  contact->least_range = fmin(contact->least_range, range);
  contact->pairs[contact->pair_count++] = (struct dc_surface_pair){
      .a = surface_of(contact, soft->body), .b = surface_of(contact, body), .stiffness = stiffness, .range = range};
  return DC_OK;
}

int dc_surface_pair_count(const struct dc_bodies *bodies)
{
  int count = 0;
  for (int s = 0; s < bodies->soft_count; s++)
    for (int b = 0; b < bodies->count; b++)
      count += dc_soft_meets(bodies, &bodies->soft[s], b);
  return count;
}

// A pair for every soft body and every body that it may meet.
static enum dc_status add_all(struct dc_surface_contact *contact, struct dc_error *error)
{
  const struct dc_bodies *bodies = contact->bodies;
  size_t pairs = (size_t)bodies->soft_count * (size_t)bodies->count;
  contact->surfaces = dc_arena_alloc(contact->arena, (size_t)bodies->count, sizeof *contact->surfaces);
  contact->pairs = dc_arena_alloc(contact->arena, pairs, sizeof *contact->pairs);
  if (!contact->surfaces || !contact->pairs)
    return dc_out_of_memory_for(error, "surfaces");
  for (int s = 0; s < bodies->soft_count; s++)
    for (int b = 0; b < bodies->count; b++) {
      enum dc_status status =
          dc_soft_meets(bodies, &bodies->soft[s], b) ? add_pair(contact, &bodies->soft[s], b, error) : DC_OK;
      if (status)
        return status;
    }
  return DC_OK;
}

// The least distance of parts of a soft body's own surface at rest must be beyond its range, or it would push itself
// apart.
static int measure_self(void *context, const struct dc_surface *const sides[2], const struct dc_feature *feature)
{
  double x[4][3], *least = context;
  struct dc_closest closest;
  for (int v = 0; v < 4; v++)
    dc_vec_copy(x[v], sides[0]->soft->mesh.nodes[feature->vertex[v]]);
  dc_feature_closest(feature->first, (const double(*)[3])x, &closest);
  *least = fmin(*least, closest.square);
  return 0;
}

struct self {
  const struct dc_surface *surface;
  double least;
};

// Two elements of one surface whose boxes are within the range of the pair.
static int visit_self(void *context, int i, int j)
{
  struct self *self = context;
  return dc_surface_features(self->surface, i, self->surface, j, measure_self, &self->least);
}

// Refuses a range that is not below the least distance of parts of the same surface at rest.
static enum dc_status check_ranges(struct dc_surface_contact *contact, struct dc_error *error)
{
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_surface_pair *pair = &contact->pairs[p];
    struct dc_surface *surface = &contact->surfaces[pair->a];
    if (pair->a != pair->b)
      continue;
    struct self self = {surface, INFINITY};
    memcpy(surface->x, surface->soft->mesh.nodes, (size_t)surface->vertex_count * sizeof *surface->x);
    dc_surface_refit(surface);
    dc_box_tree_pairs(&surface->tree, &surface->tree, pair->range, visit_self, &self);
    if (self.least == 0)
      return dc_fail(
          error, DC_BAD_INPUT,
          "bodies[%d].soft: parts of its surface touch or cross at rest (nodes that lie on each other must be "
          "one, and pieces apart; with \"self_contact\": false they do not feel each other)",
          surface->body);
    if (!(sqrt(self.least) > pair->range))
      return dc_fail(error, DC_BAD_INPUT,
                     "bodies[%d].soft.contact_range: must be below %.3g m, the least distance of parts of its own "
                     "surface (or self_contact false)",
                     surface->body, sqrt(self.least));
  }
  return DC_OK;
}

// Creates the contact of soft surfaces; *result stays NULL when no pair can touch.
enum dc_status dc_surface_contact_create(const struct dc_bodies *bodies, struct dc_surface_contact **result,
                                         struct dc_error *error)
{
  *result = NULL;
  if (!bodies->soft_count)
    return DC_OK;
  struct dc_surface_contact *contact = dc_alloc(1, sizeof *contact);
  if (!contact || !(contact->arena = dc_arena_create())) {
    dc_surface_contact_destroy(contact);
    return dc_out_of_memory_for(error, "surfaces");
  }
  contact->bodies = bodies;
  contact->least_range = INFINITY;
  enum dc_status status = add_all(contact, error);
  if (!status)
    status = check_ranges(contact, error);
  if (status || !contact->pair_count)
    dc_surface_contact_destroy(contact);
  else
    *result = contact;
  return status;
}

void dc_surface_contact_destroy(struct dc_surface_contact *contact)
{
  if (!contact)
    return;
  free(contact->touches);
  free(contact->sliding_contacts);
  free(contact->held);
  dc_arena_destroy(contact->arena);
  free(contact);
}

// Features.

// Whether two elements have a vertex in common; such parts of one surface always touch.
static bool shares(const int *u, int count, const int *v, int others)
{
  for (int i = 0; i < count; i++)
    for (int j = 0; j < others; j++)
      if (u[i] == v[j])
        return true;
  return false;
}

// Two elements that face each other, and what is called for each pair of their features.
struct facing {
  const struct dc_surface *sides[2];
  int element[2];
  dc_feature_visit *visit;
  void *context;
};

// The points of one side against the triangle of the other.
static int visit_points(const struct facing *facing, int side)
{
  const struct dc_surface *of = facing->sides[side], *other = facing->sides[!side];
  const int *points = of->elements[facing->element[side]], *triangle = other->elements[facing->element[!side]];
  const struct dc_surface *const sides[2] = {of, other};
  int status = 0;
  if (dc_element_corners(triangle) < 3)
    return 0;
  for (int k = 0; k < dc_element_corners(points) && !status; k++) {
    if (!(of->owned[facing->element[side]] & 1u << k) || (of == other && shares(points + k, 1, triangle, 3)))
      continue;
    const struct dc_feature feature = {
        .side = side, .first = 1, .vertex = {points[k], triangle[0], triangle[1], triangle[2]}};
    status = facing->visit(facing->context, sides, &feature);
  }
  return status;
}

// Visits the pairs of edges that both elements own.
static int visit_edges(const struct facing *facing)
{
  const struct dc_surface *a = facing->sides[0], *b = facing->sides[1];
  int i = facing->element[0], j = facing->element[1], status = 0;
  const int *s = a->elements[i], *t = b->elements[j];
  for (int k = 0; k < dc_element_edges(s); k++)
    for (int l = 0; l < dc_element_edges(t) && a->owned[i] & 8u << k && !status; l++) {
      if (!(b->owned[j] & 8u << l))
        continue;
      struct dc_feature feature = {
          .first = 2,
          .vertex = {s[k], s[(k + 1) % dc_element_corners(s)], t[l], t[(l + 1) % dc_element_corners(t)]},
          .threshold = DC_SURFACE_MOLLIFIED * a->square[i][k] * b->square[j][l]};
      if (a != b || !shares(feature.vertex, 2, feature.vertex + 2, 2))
        status = facing->visit(facing->context, facing->sides, &feature);
    }
  return status;
}

int dc_surface_features(const struct dc_surface *a, int i, const struct dc_surface *b, int j, dc_feature_visit *visit,
                        void *context)
{
  const struct facing facing = {{a, b}, {i, j}, visit, context};
  int status = visit_points(&facing, 0);
  if (!status)
    status = visit_points(&facing, 1);
  return status ? status : visit_edges(&facing);
}

// Evaluation.

// Fits the boxes of the tree to the places of the vertices.
void dc_surface_refit(struct dc_surface *surface)
{
  struct dc_box_tree *tree = &surface->tree;
  for (int n = 0; n < tree->node_count; n++) {
    if (tree->right[n] >= 0)
      continue;
    const int *v = surface->elements[tree->item[n]];
    struct dc_box *box = &tree->boxes[n];
    dc_vec_copy(box->low, surface->x[v[0]]);
    dc_vec_copy(box->high, surface->x[v[0]]);
    for (int c = 1; c < dc_element_corners(v); c++)
      for (int k = 0; k < 3; k++) {
        double x = surface->x[v[c]][k];
        box->low[k] = x < box->low[k] ? x : box->low[k];
        box->high[k] = x > box->high[k] ? x : box->high[k];
      }
  }
  dc_box_tree_refit(tree);
}

// Puts the vertices where nodes or pose have them, arms from the centre in the world, and fits the boxes.
static void place(struct dc_surface *surface, const double *q, const struct dc_pose *poses)
{
  const struct dc_pose *pose = &poses[surface->body];
  if (surface->soft)
    memcpy(surface->x, q + surface->soft->q_offset, (size_t)surface->vertex_count * sizeof *surface->x);
  else
    for (int v = 0; v < surface->vertex_count; v++) {
      dc_mat_apply(surface->arm[v], pose->rotation, surface->fixed[v]);
      dc_vec_add(surface->x[v], surface->arm[v], pose->position);
    }
  dc_surface_refit(surface);
}

struct search {
  struct dc_surface_contact *contact;
  struct dc_surface_pair *pair;
  double reach, least;  // how far is looked; the least distance there, at most that
  long visits;          // of pairs of elements
};

// Measures a feature pair and adds it as a touch when it is within range.
static int add_touch(void *context, const struct dc_surface *const sides[2], const struct dc_feature *feature)
{
  struct search *search = context;
  struct dc_surface_contact *contact = search->contact;
  struct dc_touch touch = {.first = feature->first,
                           .stiffness = search->pair->stiffness,
                           .range = search->pair->range,
                           .threshold = feature->threshold};
  for (int v = 0; v < 4; v++)
    dc_vec_copy(touch.x[v], sides[v >= feature->first]->x[feature->vertex[v]]);
  if (dc_feature_apart(touch.first, 1, (const double(*)[4][3])touch.x, search->reach))
    return 0;
  dc_feature_closest(touch.first, (const double(*)[3])touch.x, &touch.closest);
  if (touch.closest.square < search->least * search->least)
    search->least = sqrt(touch.closest.square);
  if (!(touch.closest.square < touch.range * touch.range))
    return 0;
  search->pair->gap = fmin(search->pair->gap, sqrt(touch.closest.square));
  memcpy(touch.vertex, feature->vertex, sizeof touch.vertex);
  for (int side = 0; side < 2; side++)
    touch.body[side] = sides[side]->body;
  touch.pair = (int)(search->pair - contact->pairs);
  for (int v = 0; v < 4; v++)
    if (sides[v >= feature->first]->arm)
      dc_vec_copy(touch.arm[v], sides[v >= feature->first]->arm[feature->vertex[v]]);
  if (dc_grow(&contact->touches, &contact->touch_capacity, contact->touch_count + 1, sizeof touch))
    return -1;
  contact->touches[contact->touch_count++] = touch;
  return 0;
}

// A pair of elements whose boxes are within reach.
static int visit_elements(void *context, int i, int j)
{
  struct search *search = context;
  search->visits++;
  const struct dc_surface *surfaces = search->contact->surfaces;
  return dc_surface_features(&surfaces[search->pair->a], i, &surfaces[search->pair->b], j, add_touch, context);
}

// Search of a surface that may touch itself.  Neighbours are close everywhere, though most surfaces do not touch
// themselves.  At the reference no two parts were closer than `clear`.  Now they are not closer than that less their
// vertices' relative motion since, which the diagonal of a box around their ways bounds.  While that is beyond the
// range the parts need not be looked at.  A surface that touches itself has no such reference and is searched within
// its range only.

// Fits boxes to the ways of the vertices from the reference to x and, with a tangent, on to its end.
void dc_surface_fit_ways(struct dc_surface *surface, const double *tangent)
{
  struct dc_box_tree *tree = &surface->ways;
  for (int n = 0; n < tree->node_count; n++) {
    struct dc_box *box = &tree->boxes[n];
    if (tree->right[n] >= 0)
      continue;
    const int *v = surface->elements[tree->item[n]];
    for (int c = 0; c < dc_element_corners(v); c++)
      for (int k = 0; k < 3; k++) {
        double way = surface->x[v[c]][k] - surface->reference[v[c]][k],
               end = tangent ? way + tangent[3 * v[c] + k] : way;
        double low = way < end ? way : end, high = way < end ? end : way;
        box->low[k] = c == 0 || low < box->low[k] ? low : box->low[k];
        box->high[k] = c == 0 || high > box->high[k] ? high : box->high[k];
      }
  }
  dc_box_tree_refit(tree);
}

// Searches a surface for touches with itself: by the reference as long as it holds, else within a longer reach, which
// makes a new reference.
static int search_itself(struct search *search, struct dc_surface *surface, bool near)
{
  if (surface->clear > 0) {
    dc_surface_fit_ways(surface, NULL);
    int status = dc_box_tree_own_pairs(&surface->tree, surface->ways.boxes, surface->clear - search->reach,
                                       search->reach, visit_elements, search);
    if (search->visits > surface->element_count || search->least < search->reach)
      surface->clear = 0;  // a new one next time
    return status;
  }
  search->reach = search->least = near ? search->reach : DC_SURFACE_SEARCH_REACH * search->reach;
  if (dc_box_tree_pairs(&surface->tree, &surface->tree, search->reach, visit_elements, search))
    return -1;
  surface->clear = near ? 0 : search->least * (1 - DC_SURFACE_ROUNDED);
  memcpy(surface->reference, surface->x, (size_t)surface->vertex_count * sizeof *surface->x);
  return 0;
}

// All touches of a pair within its range.  A surface that touched itself at the last evaluation is searched within its
// range only, as it can have no reference.
static int search_pair(struct dc_surface_contact *contact, struct dc_surface_pair *pair)
{
  struct dc_surface *a = &contact->surfaces[pair->a], *b = &contact->surfaces[pair->b];
  struct search search = {contact, pair, .reach = pair->range, .least = pair->range};
  bool near = pair->gap < pair->range;  // at the last evaluation
  pair->gap = pair->range;
  return a == b ? search_itself(&search, a, near)
                : dc_box_tree_pairs(&a->tree, &b->tree, pair->range, visit_elements, &search);
}

// Places the surfaces, searches touches pair by pair, and adds up their barrier; INFINITY when surfaces cross.
int dc_surface_evaluate(struct dc_surface_contact *contact, const double *q, const struct dc_pose *poses)
{
  contact->touch_count = 0;
  contact->gap = contact->least_range;
  contact->energy = 0;
  for (int s = 0; s < contact->surface_count; s++)
    place(&contact->surfaces[s], q, poses);
  for (int p = 0; p < contact->pair_count; p++) {
    if (search_pair(contact, &contact->pairs[p]))
      return -1;
    contact->gap = fmin(contact->gap, contact->pairs[p].gap);
  }
  for (size_t t = 0; t < contact->touch_count; t++) {
    const struct dc_touch *touch = &contact->touches[t];
    double p[3], m[3];
    if (!(touch->closest.square > 0)) {
      contact->energy = INFINITY;
      break;
    }
    dc_touch_profile(touch, p);
    dc_touch_mollifier(touch, m);
    contact->energy += touch->stiffness * m[0] * p[0];
  }
  return 0;
}

const struct dc_touch *dc_surface_touches(const struct dc_surface_contact *contact, size_t *count)
{
  *count = contact->touch_count;
  return contact->touches;
}

double dc_surface_energy(const struct dc_surface_contact *contact)
{
  return contact->energy;
}

double dc_surface_gap(const struct dc_surface_contact *contact)
{
  return contact->gap;
}

double dc_surface_range(const struct dc_surface_contact *contact)
{
  return contact->least_range;
}

// Places x [4][3] of a touch's vertices at the last evaluation, m, and their arms [4][3] from the centres of rigid
// bodies (0 for nodes).
void dc_surface_places(const struct dc_surface_contact *contact, const struct dc_touch *touch, double (*x)[3],
                       double (*arm)[3])
{
  for (int v = 0; v < 4; v++) {
    const struct dc_surface *surface = &contact->surfaces[surface_of(contact, dc_touch_body(touch, v))];
    dc_vec_copy(x[v], surface->x[touch->vertex[v]]);
    if (surface->arm)
      dc_vec_copy(arm[v], surface->arm[touch->vertex[v]]);
    else
      memset(arm[v], 0, sizeof arm[v]);
  }
}
