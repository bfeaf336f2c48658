// SPDX-License-Identifier: Apache-2.0
// Walls between bodies that are unions of convex hulls: one barrier per pair of hulls within reach of each other (paper
// 003, IV.B; docs/theory.md, "SDRS").
//
// The trees of hulls of both bodies are descended to the pairs within reach.  Each has a separating plane, found from
// that of the evaluation before (solve_warm) or from the nearest points (solve_cold); its barrier is solved for in
// sdrs_pair.c.
#include <stdlib.h>

#include "contact/leaf/walls.h"
#include "contact/leaf/constants.h"
#include "geometry/convex/hull_distance.h"
#include "math/vector.h"

enum { STACK = 256 };

// The distance from which on the barrier of two hulls is 0 (paper 003, Theorem VII.8), in units of length.
static double reach_of(const struct dc_contact *contact)
{
  return 2 * contact->settings.support / (1 - contact->settings.support);
}

// Makes the hulls of all bodies: convex parts if the settings ask for them, else triangles with the collider's own
// tree.
enum dc_status dc_sdrs_make_hulls(const struct dc_contact *contact, struct dc_sdrs *own, struct dc_error *error)
{
  struct dc_arena *arena = contact->arena;
  if (!(own->bodies = dc_arena_alloc(arena, (size_t)contact->bodies->count, sizeof *own->bodies)) ||
      !(own->pairs = dc_arena_alloc(arena, (size_t)contact->pair_count, sizeof *own->pairs)))
    return dc_out_of_memory_for(error, "convex hulls");
  for (int i = 0; i < contact->bodies->count; i++) {
    const struct dc_body *body = &contact->bodies->bodies[i];
    const struct dc_collider *collider = &contact->colliders[i];
    if (collider->triangle_count == 0)
      continue;
    if (contact->settings.hulls == DC_HULLS_PARTS && body->shape->part_count > 0) {
      if (dc_sdrs_parts_of(body, &own->bodies[i], arena))
        return dc_out_of_memory_for(error, "the convex hulls of %s", body->name);
      continue;
    }
    own->bodies[i] = (struct dc_sdrs_body){.hull_count = collider->triangle_count,
                                           .vertices = (const double(*)[3])collider->vertices,
                                           .corners = &collider->triangles[0][0],
                                           .tree = collider->tree};
  }
  return DC_OK;
}

void dc_sdrs_destroy(struct dc_contact *contact)
{
  struct dc_sdrs *own = contact->own;
  if (!own)
    return;
  for (int p = 0; own->pairs && p < contact->pair_count; p++) {
    free(own->pairs[p].planes.entries);
    free(own->pairs[p].contacts);
    dc_sdrs_free_workspace(&own->pairs[p].hulls);
  }
}

void dc_sdrs_reset(struct dc_contact *contact)
{
  const struct dc_sdrs *own = contact->own;
  for (int p = 0; p < contact->pair_count; p++)
    dc_plane_cache_clear(&own->pairs[p].planes);
}

// The inverse of dc_sdrs_plane_at.
static void store_plane(const struct dc_sdrs_plane *plane, const double rotation_b[9], const double arm[3],
                        double length, double stored[4])
{
  dc_mat_apply_transposed(stored, rotation_b, plane->normal);
  dc_vec_scale(stored, stored, 1 - plane->slack);
  stored[3] = (1 - plane->slack) * (plane->offset - dc_vec_dot(plane->normal, arm) / length);
}

// Lowest height of a and highest of b along an axis.
static void heights_along(const struct dc_sdrs_hulls *hulls, const double axis[3], double *low_a, double *high_b)
{
  *low_a = INFINITY;
  *high_b = -INFINITY;
  for (int v = 0; v < hulls->count; v++) {
    double height = dc_vec_dot(axis, hulls->x[v]);
    if (v < hulls->count_a)
      *low_a = fmin(*low_a, height);
    else
      *high_b = fmax(*high_b, height);
  }
}

// Half-way between the hulls, and as far from both as its slack is large: within the support if they are within reach.
static void middle_plane(const struct dc_sdrs_hulls *hulls, struct dc_sdrs_plane *plane)
{
  double low_a, high_b;
  heights_along(hulls, plane->normal, &low_a, &high_b);
  double half = 0.5 * (low_a - high_b);
  plane->offset = -0.5 * (low_a + high_b);
  plane->slack = half / (1 + half);
}

// One evaluation of one pair of bodies; reach: of the barrier, in units of length.
struct evaluation {
  struct dc_contact *contact;
  int pair, order;
  const struct dc_pose *poses;
  double reach;
  struct dc_pair_derivatives *result;
};

// From the remembered plane.  APART when its normal shows it, UNSOLVED also when it is no start.
static enum dc_sdrs_outcome solve_warm(const struct evaluation *e, struct dc_sdrs_hulls *hulls, const double stored[4],
                                       struct dc_sdrs_solution *solution)
{
  const struct dc_contact *contact = e->contact;
  struct dc_sdrs_plane plane;
  double low_a, high_b;
  dc_sdrs_plane_at(stored, e->poses[contact->pairs[e->pair].b].rotation, e->result->arm, contact->settings.length,
                   &plane);
  heights_along(hulls, plane.normal, &low_a, &high_b);
  solution->gap = low_a - high_b;
  solution->iterations = 1;
  solution->plane = plane;
  if (solution->gap >= e->reach)
    return DC_SDRS_APART;
  double a = low_a + plane.offset, b = -(high_b + plane.offset), least = fmin(a, b), most = fmax(a, b);
  if (!(least > DC_WALL_BALANCE * most) || solution->gap > DC_WALL_NEAR_REACH * e->reach || !(plane.slack > 0) ||
      !(plane.slack < hulls->support) || !(most * (1 - plane.slack) < hulls->support))
    return DC_SDRS_UNSOLVED;
  return dc_sdrs_solve(hulls, &plane, e->order, DC_WALL_WARM_LIMIT, solution);
}

// From the nearest points.  *crossing: there are none.
static enum dc_sdrs_outcome solve_cold(const struct evaluation *e, struct dc_sdrs_hulls *hulls,
                                       struct dc_sdrs_solution *solution, bool *crossing)
{
  struct dc_sdrs_plane plane = {.slack = hulls->support};
  double gap =
      dc_hull_distance((const double(*)[3])hulls->x, hulls->count_a, (const double(*)[3])(hulls->x + hulls->count_a),
                       hulls->count - hulls->count_a, plane.normal);
  *crossing = !(gap > 0);
  solution->iterations = 1;
  solution->gap = gap;
  solution->plane = plane;
  if (*crossing || gap >= (1 - DC_WALL_ROUNDING) * e->reach)
    return DC_SDRS_APART;
  middle_plane(hulls, &plane);
  return dc_sdrs_solve(hulls, &plane, e->order, DC_WALL_COLD_LIMIT, solution);
}

// Adds derivatives in units of length.
static void add_solution(const struct evaluation *e, const struct dc_sdrs_solution *solution)
{
  double unit = 1 / e->contact->settings.length;
  struct dc_pair_derivatives *result = e->result;
  result->energy += solution->energy;
  for (int i = 0, k = 0; i < 6 && e->order > 0; i++) {
    double row = i < 3 ? 1 : unit;
    result->gradient[i] += row * solution->gradient[i];
    for (int j = 0; j <= i && e->order > 1; j++, k++)
      result->hessian[k] += row * (j < 3 ? 1 : unit) * solution->hessian[k];
  }
}

// apart: a lower bound of their distance, m.  -1 when out of memory.
// One pair of hulls: the plane from the last evaluation where that is a start, else from the nearest points.  Out of
// reach it leaves a bound of the gap, crossing it ends the walk, unsolved it has a value but no derivatives.
static int add_hulls(const struct evaluation *e, int i, int j, double apart)
{
  struct dc_contact *contact = e->contact;
  struct dc_pair *pair = &contact->pairs[e->pair];
  struct dc_sdrs_pair *own = &((struct dc_sdrs *)contact->own)->pairs[e->pair];
  const double *rotation_b = e->poses[pair->b].rotation;
  double length = contact->settings.length;
  struct dc_sdrs_solution solution;
  bool crossing = false;
  if (dc_sdrs_load(contact, e->pair, i, j, e->poses) || dc_plane_cache_reserve(&own->planes, 1) ||
      dc_grow(&own->contacts, &own->contact_capacity, own->contact_count + 1, sizeof *own->contacts))
    return -1;
  const double *remembered = dc_plane_cache_find(&own->planes, i, j);
  enum dc_sdrs_outcome outcome = DC_SDRS_UNSOLVED;
  if (remembered)
    outcome = solve_warm(e, &own->hulls, remembered, &solution);
  if (outcome == DC_SDRS_UNSOLVED)
    outcome = solve_cold(e, &own->hulls, &solution, &crossing);
  pair->counts.visited += (long)own->hulls.count * (solution.iterations + 1);
  pair->crossing |= crossing;
  if (crossing)
    return 0;
  // The plane at hand of hulls out of reach depends on earlier evaluations, on which results must not.
  pair->gap = fmin(pair->gap, outcome == DC_SDRS_APART ? fmax(apart, length * e->reach) : length * solution.gap);
  uint32_t index = dc_plane_cache_index(&own->planes, i, j);
  store_plane(&solution.plane, rotation_b, e->result->arm, length, own->planes.entries[index].plane);
  if (outcome == DC_SDRS_APART)
    return 0;
  pair->counts.exact++;
  if (outcome == DC_SDRS_UNSOLVED) {
    pair->unsolved = true;
    e->result->energy += solution.energy;
    return 0;
  }
  own->contacts[own->contact_count++] = (struct dc_sdrs_contact){i, j};
  add_solution(e, &solution);
  return 0;
}

// Descends both trees of hulls with a stack, and solves the plane of every pair of hulls within reach.
static int descend(const struct evaluation *e)
{
  struct dc_contact *contact = e->contact;
  const struct dc_sdrs *own = contact->own;
  struct dc_pair *pair = &contact->pairs[e->pair];
  const struct dc_sphere_tree *a = &own->bodies[pair->a].tree, *b = &own->bodies[pair->b].tree;
  double reach = e->reach * contact->settings.length;
  int stack[STACK][2], top = 1;
  stack[0][0] = stack[0][1] = 0;
  while (top && !pair->crossing) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    double x[3], y[3], d[3];
    dc_mat_apply(x, e->poses[pair->a].rotation, a->center[i]);
    dc_mat_apply(y, e->poses[pair->b].rotation, b->center[j]);
    for (int k = 0; k < 3; k++)
      d[k] = x[k] - y[k] + e->result->arm[k];
    double apart = DC_WALL_CLOSED * dc_vec_norm(d) - (a->radius[i] + b->radius[j]);
    pair->counts.visited++;
    if (apart >= reach) {
      pair->gap = fmin(pair->gap, apart);
      continue;
    }
    if (a->right[i] >= 0 || b->right[j] >= 0)
      top = dc_push_children(a, i, b, j, stack, top);
    else if (add_hulls(e, a->triangle[i], b->triangle[j], apart))
      return -1;
  }
  return 0;
}

// Clears what an evaluation accumulates in the pair; planes stay as initial guesses.
void dc_sdrs_begin_pair(struct dc_contact *contact, int p)
{
  struct dc_pair *pair = &contact->pairs[p];
  pair->gap = INFINITY;
  pair->crossing = false;
  pair->counts.visited = 0;
  pair->counts.exact = 0;
  ((struct dc_sdrs *)contact->own)->pairs[p].contact_count = 0;
}

void dc_sdrs_finish_pair(struct dc_pair *pair, struct dc_pair_derivatives *result)
{
  if (!pair->crossing)
    return;
  pair->gap = 0;
  result->energy = INFINITY;
}

void dc_sdrs_evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *result)
{
  struct evaluation e = {
      .contact = contact, .pair = p, .order = order, .poses = poses, .reach = reach_of(contact), .result = result};
  dc_sdrs_begin_pair(contact, p);
  contact->pairs[p].failed = descend(&e) != 0;
  dc_sdrs_finish_pair(&contact->pairs[p], result);
}
