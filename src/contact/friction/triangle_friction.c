// SPDX-License-Identifier: Apache-2.0
// Friction of triangle pairs on their separating planes and of vertices on half-spaces: bsh and exact (docs/theory.md,
// "Friction").
//
// 1. list: the terms of the near list that exert a force become sliding pairs.  Their strength is lambda h mu w_i w_j
//    times the support 1 - phi of the blends above them (paper 000, Eq. 12 and A.3).  Pairs of leaves go to
//    leaf_friction.c, pairs of triangles into batches of eight lanes, and above a half-space all vertices of the mesh.
// 2. run: kernels of the processor's vector width evaluate the batches of a unit; their lanes are summed in a fixed
//    order.
// 3. pull_back (friction_pull_back.c): the same batches again, with the derivatives by planes, forces and blends.
//
// The last lanes of a batch that is not full repeat its last pair with strength 0, so that kernels need no branches.
#include "contact/friction/triangle_friction.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

enum { UNIT = 32 };  // batches per unit of parallel work

// Node of every triangle, for models that do not descend the trees.
static enum dc_status make_leaves(struct dc_contact *contact, struct dc_triangle_friction *own)
{
  own->leaf = dc_arena_alloc(contact->arena, (size_t)contact->bodies->count, sizeof *own->leaf);
  if (!own->leaf)
    return DC_MEMORY;
  for (int i = 0; i < contact->bodies->count; i++) {
    const struct dc_collider *collider = &contact->colliders[i];
    if (collider->triangle_count == 0)
      continue;
    own->leaf[i] = dc_arena_alloc(contact->arena, (size_t)collider->triangle_count, sizeof **own->leaf);
    if (!own->leaf[i])
      return DC_MEMORY;
    for (int node = 0; node < collider->tree.node_count; node++)
      if (collider->tree.right[node] < 0)
        own->leaf[i][collider->tree.triangle[node]] = node;
  }
  return DC_OK;
}

static enum dc_status create(struct dc_contact *contact)
{
  struct dc_triangle_friction *own = dc_arena_alloc(contact->arena, 1, sizeof *own);
  if (!own || !(own->pairs = dc_arena_alloc(contact->arena, (size_t)contact->pair_count, sizeof *own->pairs)))
    return DC_MEMORY;
  if (!contact->model->hierarchical && make_leaves(contact, own))
    return DC_MEMORY;
  contact->friction->own = own;
  return DC_OK;
}

static void destroy(struct dc_friction *friction)
{
  struct dc_triangle_friction *own = friction->own;
  free(own->batches);
  free(own->blend);
  free(own->triangles);
  free(own->floors);
  free(own->blends);
  free(own->by_support);
  dc_leaf_friction_release(&own->leaves);
}

static void clear(struct dc_contact *contact)
{
  struct dc_triangle_friction *own = contact->friction->own;
  own->batch_count = own->floor_count = own->blend_count = 0;
  dc_leaf_friction_clear(contact, &own->leaves);
}

// Notes a pair of nodes (i, j) that is blended; parent: the blend around it, counted from the pair's first one.  Entry
// 0 of a pair stands for "not blended".  0 or -1: out of memory.
static int add_blend(struct dc_triangle_friction *own, int i, int j, int parent)
{
  if (dc_grow(&own->blends, &own->blend_capacity, own->blend_count + 1, sizeof *own->blends))
    return -1;
  own->blends[own->blend_count++] = (struct dc_friction_blend){.i = i, .j = j, .parent = parent};
  return 0;
}

// A sliding triangle pair: term, its support, its innermost blend.
struct sliding_term {
  size_t term;
  double support;
  int blend;
};

// 1 - phi of a triangle pair that no hierarchy has blended (paper 000, Eq. 12); -1 when out of memory.
static int leaf_support(const struct dc_contact *contact, const struct dc_friction_pair *list,
                        const struct dc_pair *pair, const double arm[3], struct sliding_term *sliding)
{
  struct dc_triangle_friction *own = contact->friction->own;
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_term *term = &pair->near.terms[sliding->term];
  int i = own->leaf[pair->a][term->i], j = own->leaf[pair->b][term->j];
  double d[3], rate;
  for (int k = 0; k < 3; k++)
    d[k] = a->spheres[i][k] - b->spheres[j][k] + arm[k];
  double inner = a->tree.radius[i] + b->tree.radius[j];
  sliding->support = dc_friction_support(dc_vec_norm(d), inner, dc_pair_zone(&contact->settings, pair, inner), &rate);
  sliding->blend = 0;
  if (rate > 0) {
    if (add_blend(own, i, j, 0))
      return -1;
    sliding->blend = (int)(own->blend_count - list->first_blend) - 1;
  }
  return 0;
}

// The factor of the end of range (dc_friction_within_range) for an exact term of the last evaluation: P - 12 = s (s + 2
// sqrt(12)), s = sqrt(l S).
static double term_within_range(const struct dc_contact *contact, const struct dc_pair *pair, size_t term)
{
  const struct dc_contact_settings *settings = &contact->settings;
  if (isnan(settings->friction_range))
    return 1;
  double energy = pair->near.energies[term] - (settings->offset ? 12 : 0);
  double root = energy / (sqrt(12) + sqrt(12 + energy)), rate;
  return dc_friction_within_range(root * root / settings->length, settings->friction_range, &rate);
}

// Vertices, plane and strength, times w_i w_j, of exact term t of the last evaluation, for friction_setup.
static void fill_lane(const struct dc_contact *contact, const struct dc_pair *pair, size_t t, double strength,
                      struct dc_friction_batch *batch, int lane)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_term *term = &pair->near.terms[t];
  const int *s = a->triangles[term->i], *r = b->triangles[term->j];
  for (int v = 0; v < 3; v++)
    for (int k = 0; k < 3; k++) {
      batch->arms[3 * v + k][lane] = a->turned[s[v]][k];
      batch->arms[9 + 3 * v + k][lane] = b->turned[r[v]][k];
    }
  for (int k = 0; k < 4; k++)
    batch->plane[k][lane] = pair->near.planes[t][k];
  batch->strength[lane] = strength * a->leaf_weight[term->i] * b->leaf_weight[term->j];
}

// Eight exact terms from `first` on, with strength w_i w_j alone, for the pull-back; returns how many of them are real.
int dc_triangle_fill_batch(const struct dc_contact *contact, const struct dc_pair *pair, size_t first,
                           const struct dc_friction_place *place, struct dc_friction_batch *batch)
{
  size_t left = pair->near.count - first, count = left < DC_BATCH ? left : DC_BATCH;
  for (size_t l = 0; l < DC_BATCH; l++)
    fill_lane(contact, pair, first + (l < count ? l : count - 1), 1, batch, (int)l);
  contact->kernels->friction_setup(batch, place);
  return (int)count;
}

// Arms of a batch are turned into world axes about the origin of a; b's origin lies at -arm from there.
struct dc_friction_place dc_triangle_place(const struct dc_contact *contact, const struct dc_pair *pair,
                                           const struct dc_pose *poses)
{
  struct dc_friction_place place = {.length = contact->settings.length};
  dc_vec_sub(place.arm, poses[pair->a].position, poses[pair->b].position);
  memcpy(place.rotation_b, poses[pair->b].rotation, sizeof place.rotation_b);
  return place;
}

// Adds a batch of up to eight triangle pairs; the kernel places them on their planes.
static int add_batch(struct dc_contact *contact, struct dc_friction_pair *list, const struct dc_pair *pair,
                     const struct dc_friction_place *place, const struct sliding_term *sliding, int count)
{
  const struct dc_friction *friction = contact->friction;
  struct dc_triangle_friction *own = friction->own;
  size_t index = own->batch_count;
  if (dc_grow(&own->batches, &own->batch_capacity, index + 1, sizeof *own->batches) ||
      dc_grow(&own->blend, &own->blend_of_capacity, index + 1, sizeof *own->blend) ||
      dc_grow(&own->triangles, &own->triangle_capacity, index + 1, sizeof *own->triangles))
    return -1;
  double strength = list->coefficient * friction->time_step * friction->stiffness;
  for (int l = 0; l < DC_BATCH; l++) {
    const struct sliding_term *term = &sliding[l < count ? l : count - 1];
    fill_lane(contact, pair, term->term, l < count ? strength : 0, &own->batches[index], l);
    own->batches[index].strength[l] *= term->support;
    own->blend[index][l] = l < count ? sliding[l].blend : -1;
    own->triangles[index][l][0] = pair->near.terms[term->term].i;
    own->triangles[index][l][1] = pair->near.terms[term->term].j;
  }
  contact->kernels->friction_setup(&own->batches[index], place);
  own->batch_count++;
  list->batch_count++;
  return 0;
}

// Lists the exact terms that exert a force as sliding, with the blends that they belong to.
static int list_triangles(struct dc_contact *contact, int p)
{
  const struct dc_friction *friction = contact->friction;
  struct dc_triangle_friction *own = friction->own;
  const struct dc_pair *pair = &contact->pairs[p];
  struct dc_friction_pair *list = &own->pairs[p];
  const struct dc_friction_place place = dc_triangle_place(contact, pair, friction->now);
  struct sliding_term sliding[DC_BATCH];
  bool leaves = dc_has_leaves(&contact->colliders[pair->a], &contact->colliders[pair->b]);
  int filled = 0;
  list->first_blend = own->blend_count;
  if (add_blend(own, 0, 0, 0))
    return -1;
  for (size_t k = 1; k < pair->near.blend_count; k++)
    if (add_blend(own, pair->near.blends[k].i, pair->near.blends[k].j, pair->near.blends[k].blend))
      return -1;
  for (size_t t = 0; t < pair->near.count; t++) {
    struct sliding_term *next = &sliding[filled];
    *next = (struct sliding_term){t, pair->near.weights[pair->near.terms[t].blend], pair->near.terms[t].blend};
    double within = term_within_range(contact, pair, t);
    if (!(within > 0))
      continue;
    if (!contact->model->hierarchical && leaf_support(contact, list, pair, place.arm, next))
      return -1;
    next->support *= within;
    if (leaves && next->support > 0) {
      double strength = list->coefficient * friction->time_step * friction->stiffness * next->support;
      if (dc_leaf_friction_add(contact, &own->leaves, p, t, strength, next->blend))
        return -1;
      continue;
    }
    if (!(next->support > 0) || ++filled < DC_BATCH)
      continue;
    if (add_batch(contact, list, pair, &place, sliding, filled))
      return -1;
    filled = 0;
  }
  list->blend_count = own->blend_count - list->first_blend;
  if (dc_grow(&own->by_support, &own->support_capacity, list->blend_count, sizeof *own->by_support))
    return -1;
  return filled ? add_batch(contact, list, pair, &place, sliding, filled) : 0;
}

// Two axes orthogonal to n, and n.
static void complete_axes(const double n[3], double axes[9])
{
  int smallest = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
  smallest = fabs(n[2]) < fabs(n[smallest]) ? 2 : smallest;
  double along[3] = {0, 0, 0};
  along[smallest] = 1;
  dc_vec_cross(axes + 3, n, along);
  dc_vec_scale(axes + 3, axes + 3, 1 / dc_vec_norm(axes + 3));
  dc_vec_cross(axes, axes + 3, n);
  dc_vec_copy(axes + 6, n);
}

// Lists all vertices above a half-space, in batches of eight.
static int list_vertices(struct dc_contact *contact, int p)
{
  const struct dc_friction *friction = contact->friction;
  struct dc_triangle_friction *own = friction->own;
  const struct dc_pair *pair = &contact->pairs[p];
  struct dc_friction_pair *list = &own->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a];
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[pair->b].primitive, &friction->now[pair->a]);
  double normal[3];
  size_t count = ((size_t)a->vertex_count + DC_BATCH - 1) / DC_BATCH;
  if (dc_grow(&own->floors, &own->floor_capacity, own->floor_count + count, sizeof *own->floors))
    return -1;
  dc_primitive_gap(&seen, (const double[3]){0, 0, 0}, normal);  // the same for all points
  complete_axes(normal, list->axes);
  double strength = 12 * contact->settings.length * list->coefficient * friction->time_step * friction->stiffness;
  for (size_t k = 0; k < count * DC_BATCH; k++) {
    int v = k < (size_t)a->vertex_count ? (int)k : a->vertex_count - 1;
    struct dc_floor_batch *batch = &own->floors[own->floor_count + k / DC_BATCH];
    size_t lane = k % DC_BATCH;
    double radius = dc_vertex_radius(a, v), height = dc_primitive_gap(&seen, a->turned[v], NULL) - radius;
    for (int i = 0; i < 3; i++)
      batch->arm[i][lane] = a->turned[v][i] - radius * normal[i];
    batch->height[lane] = height;
    batch->weight[lane] = k < (size_t)a->vertex_count ? strength * a->vertex_weight[v] / (height * height) : 0;
  }
  own->floor_count += count;
  list->floor_count = count;
  return 0;
}

// Units of a pair, and what they cost, roughly.
static int list_units(struct dc_contact *contact, int p)
{
  struct dc_friction *friction = contact->friction;
  const struct dc_friction_pair *list = &((const struct dc_triangle_friction *)friction->own)->pairs[p];
  friction->cost += 0.8e-6 * (double)list->batch_count + 0.05e-6 * (double)list->floor_count;
  for (size_t done = 0; done < list->batch_count; done += UNIT) {
    size_t left = list->batch_count - done;
    struct dc_friction_unit unit = {
        .pair = p, .group = p, .first = list->first_batch + done, .count = left < UNIT ? left : UNIT};
    if (dc_friction_add_unit(friction, &unit))
      return -1;
  }
  struct dc_friction_unit floor = {
      .pair = p, .group = p, .first = list->first_floor, .count = list->floor_count, .primitive = true};
  return list->floor_count > 0 ? dc_friction_add_unit(friction, &floor) : 0;
}

// The method of bsh and exact (dc_friction_methods): 0, or -1 when out of memory.
static int list(struct dc_contact *contact, int p, double coefficient)
{
  struct dc_triangle_friction *own = contact->friction->own;
  const struct dc_pair *pair = &contact->pairs[p];
  own->pairs[p] = (struct dc_friction_pair){
      .coefficient = coefficient, .first_batch = own->batch_count, .first_floor = own->floor_count};
  bool primitive = contact->colliders[pair->b].primitive.type != NULL;
  if (!primitive && pair->near.count == 0)
    return 0;
  if (primitive ? list_vertices(contact, p) : list_triangles(contact, p))
    return -1;
  return list_units(contact, p);
}

typedef double two __attribute__((vector_size(16)));
typedef double two_in_memory __attribute__((vector_size(16), aligned(8), may_alias));

// Lanes 0, 4, 2 and 6, beside them 1, 5, 3 and 7, in pairs that do not wait for each other.
static double sum_lanes(const double lanes[DC_BATCH])
{
  const two_in_memory *pairs = (const two_in_memory *)lanes;
  two sum = (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]);
  return sum[0] + sum[1];
}

static void sum_all(double (*lanes)[DC_BATCH], int count, double *sums)
{
  for (int i = 0; i < count; i++)
    sums[i] = sum_lanes(lanes[i]);
}

// Evaluates a unit with the kernels and copies their sums.
static void run(struct dc_contact *contact, struct dc_friction_unit *unit, const struct dc_friction_motion *motion)
{
  struct dc_triangle_friction *own = contact->friction->own;
  struct dc_friction_sums sums;
  if (unit->leaves) {
    dc_hull_slips_run(&own->leaves.slips, contact->kernels, unit, motion);
    return;
  }
  memset(&sums, 0, motion->both ? sizeof sums : offsetof(struct dc_friction_sums, h_ab));
  if (unit->primitive)
    contact->kernels->friction_floor(own->floors + unit->first, (int)unit->count, own->pairs[unit->pair].axes, motion,
                                     &sums);
  else
    for (size_t k = 0; k < unit->count; k++)
      contact->kernels->friction_terms(&own->batches[unit->first + k], motion, &sums);
  unit->unconverged = sums.unconverged;
  unit->iterations = sums.iterations;
  unit->energy = sum_lanes(sums.energy);
  if (motion->order > 0)
    sum_all(sums.gradient, motion->both ? 12 : 6, unit->gradient);
  if (motion->order < 2)
    return;
  sum_all(sums.h_aa, DC_HESSIAN, unit->h_aa);
  sum_all(sums.turn, motion->both ? 12 : 6, unit->turn);
  if (!motion->both)
    return;
  sum_all(sums.h_ab, 36, unit->h_ab);
  sum_all(sums.h_bb, DC_HESSIAN, unit->h_bb);
}

const struct dc_friction_methods dc_plane_friction = {.create = create,
                                                      .destroy = destroy,
                                                      .clear = clear,
                                                      .list = list,
                                                      .run = run,
                                                      .pull_back = dc_triangle_friction_pull_back};
