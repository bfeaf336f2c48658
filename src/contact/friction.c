// SPDX-License-Identifier: Apache-2.0
// What rubs at time t and the energy that it dissipates up to t+1 (docs/theory.md, "Friction").
#include "contact/friction.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "contact/friction_internal.h"
#include "math/vector.h"

double dc_friction_support(double r, double inner, double epsilon, double *rate)
{
  double t = 1 - (r - inner) / (epsilon * inner);
  *rate = 0;
  if (!(t > 0))
    return 0;
  if (t >= 1)
    return 1;
  double support = t * t * t * (10 + t * (6 * t - 15));
  *rate = 30 * t * t * (1 - t) * (1 - t) / (epsilon * inner * support);
  return support;
}

double dc_friction_within_range(double sum, double range, double *rate)
{
  double gap = 12 / sum;
  *rate = 0;
  if (isnan(range))
    return 1;
  double within = dc_friction_support(gap, range, 1, rate);
  *rate *= gap / sum;
  return within;
}

double dc_friction_pair_coefficient(const double *coefficient, const struct dc_pair *pair)
{
  return sqrt(coefficient[pair->a]) * sqrt(coefficient[pair->b]);
}

bool dc_friction_anything_rubs(const struct dc_contact *contact, const double *coefficient)
{
  for (int p = 0; p < contact->pair_count; p++)
    if (dc_friction_pair_coefficient(coefficient, &contact->pairs[p]) > 0)
      return true;
  return false;
}

// Node of every triangle, for models that do not descend the trees.
static enum dc_status make_leaves(struct dc_contact *contact, struct dc_friction *friction)
{
  friction->leaf = dc_arena_alloc(contact->arena, (size_t)contact->bodies->count, sizeof *friction->leaf);
  if (!friction->leaf)
    return DC_MEMORY;
  for (int i = 0; i < contact->bodies->count; i++) {
    const struct dc_collider *collider = &contact->colliders[i];
    if (collider->triangle_count == 0)
      continue;
    friction->leaf[i] = dc_arena_alloc(contact->arena, (size_t)collider->triangle_count, sizeof **friction->leaf);
    if (!friction->leaf[i])
      return DC_MEMORY;
    for (int node = 0; node < collider->tree.node_count; node++)
      if (collider->tree.right[node] < 0)
        friction->leaf[i][collider->tree.triangle[node]] = node;
  }
  return DC_OK;
}

// Made when something rubs for the first time; the arrays of fixed size belong to the contact's arena.
static enum dc_status create(struct dc_contact *contact)
{
  size_t bodies = (size_t)contact->bodies->count;
  struct dc_friction *friction = dc_arena_alloc(contact->arena, 1, sizeof *friction);
  if (!friction)
    return DC_MEMORY;
  friction->coefficient = dc_arena_alloc(contact->arena, bodies, sizeof *friction->coefficient);
  friction->now = dc_arena_alloc(contact->arena, bodies, sizeof *friction->now);
  friction->pairs = dc_arena_alloc(contact->arena, (size_t)contact->pair_count, sizeof *friction->pairs);
  if (!friction->coefficient || !friction->now || !friction->pairs)
    return DC_MEMORY;
  if (!contact->model->hierarchical && make_leaves(contact, friction))
    return DC_MEMORY;
  contact->friction = friction;
  return DC_OK;
}

void dc_friction_destroy(struct dc_friction *friction)
{
  if (!friction)
    return;
  free(friction->batches);
  free(friction->blend);
  free(friction->floors);
  free(friction->blends);
  free(friction->by_support);
  free(friction->units);
}

static int add_blend(struct dc_friction *friction, int i, int j, int parent)
{
  if (dc_grow(&friction->blends, &friction->blend_capacity, friction->blend_count + 1, sizeof *friction->blends))
    return -1;
  friction->blends[friction->blend_count++] = (struct dc_friction_blend){.i = i, .j = j, .parent = parent};
  return 0;
}

// A triangle pair that rubs: term, its support, its innermost blend.
struct rubbing_term {
  size_t term;
  double support;
  int blend;
};

// 1 - phi of a triangle pair that no hierarchy has blended (paper 000, Eq. 12); -1 when out of memory.
static int leaf_support(const struct dc_contact *contact, const struct dc_friction_pair *list,
                        const struct dc_pair *pair, const double arm[3], struct rubbing_term *rubbing)
{
  struct dc_friction *friction = contact->friction;
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_term *term = &pair->exact[rubbing->term];
  int i = friction->leaf[pair->a][term->i], j = friction->leaf[pair->b][term->j];
  double d[3], rate;
  for (int k = 0; k < 3; k++)
    d[k] = a->spheres[i][k] - b->spheres[j][k] + arm[k];
  rubbing->support =
      dc_friction_support(dc_vec_norm(d), a->tree.radius[i] + b->tree.radius[j], contact->settings.blend, &rate);
  rubbing->blend = 0;
  if (rate > 0) {
    if (add_blend(friction, i, j, 0))
      return -1;
    rubbing->blend = (int)(friction->blend_count - list->first_blend) - 1;
  }
  return 0;
}

// That factor for an exact term of the last evaluation: P - 12 = s (s + 2 sqrt(12)), s = sqrt(l S).
static double term_within_range(const struct dc_contact *contact, const struct dc_pair *pair, size_t term)
{
  const struct dc_contact_settings *settings = &contact->settings;
  if (isnan(settings->friction_range))
    return 1;
  double energy = pair->energies[term] - (settings->offset ? 12 : 0);
  double root = energy / (sqrt(12) + sqrt(12 + energy)), rate;
  return dc_friction_within_range(root * root / settings->length, settings->friction_range, &rate);
}

static void fill_lane(const struct dc_contact *contact, const struct dc_pair *pair, const struct rubbing_term *rubbing,
                      double strength, struct dc_friction_batch *batch, int lane)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_term *term = &pair->exact[rubbing->term];
  const int *s = a->triangles[term->i], *t = b->triangles[term->j];
  for (int v = 0; v < 3; v++)
    for (int k = 0; k < 3; k++) {
      batch->arms[3 * v + k][lane] = a->turned[s[v]][k];
      batch->arms[9 + 3 * v + k][lane] = b->turned[t[v]][k];
    }
  for (int k = 0; k < 4; k++)
    batch->plane[k][lane] = pair->planes[rubbing->term][k];
  batch->strength[lane] = strength * a->leaf_weight[term->i] * b->leaf_weight[term->j] * rubbing->support;
}

static int add_batch(struct dc_contact *contact, struct dc_friction_pair *list, const struct dc_pair *pair,
                     const struct dc_friction_place *place, const struct rubbing_term *rubbing, int count)
{
  struct dc_friction *friction = contact->friction;
  size_t index = friction->batch_count;
  if (dc_grow(&friction->batches, &friction->batch_capacity, index + 1, sizeof *friction->batches) ||
      dc_grow(&friction->blend, &friction->blend_of_capacity, index + 1, sizeof *friction->blend))
    return -1;
  double strength = list->coefficient * friction->time_step * friction->stiffness;
  for (int l = 0; l < DC_BATCH; l++) {
    fill_lane(contact, pair, &rubbing[l < count ? l : count - 1], l < count ? strength : 0, &friction->batches[index],
              l);
    friction->blend[index][l] = l < count ? rubbing[l].blend : -1;
  }
  contact->kernels->friction_setup(&friction->batches[index], place);
  friction->batch_count++;
  list->batch_count++;
  return 0;
}

static int list_triangles(struct dc_contact *contact, int p)
{
  struct dc_friction *friction = contact->friction;
  const struct dc_pair *pair = &contact->pairs[p];
  struct dc_friction_pair *list = &friction->pairs[p];
  const struct dc_pose *a = &friction->now[pair->a], *b = &friction->now[pair->b];
  struct dc_friction_place place = {.length = contact->settings.length};
  struct rubbing_term rubbing[DC_BATCH];
  int filled = 0;
  dc_vec_sub(place.arm, a->position, b->position);
  memcpy(place.rotation_b, b->rotation, sizeof place.rotation_b);
  list->first_blend = friction->blend_count;
  if (add_blend(friction, 0, 0, 0))
    return -1;
  for (size_t k = 1; k < pair->blend_count; k++)
    if (add_blend(friction, pair->blends[k].i, pair->blends[k].j, pair->blends[k].blend))
      return -1;
  for (size_t t = 0; t < pair->exact_count; t++) {
    struct rubbing_term *next = &rubbing[filled];
    *next = (struct rubbing_term){t, pair->sums[pair->exact[t].blend].weight, pair->exact[t].blend};
    double within = term_within_range(contact, pair, t);
    if (!(within > 0))
      continue;
    if (!contact->model->hierarchical && leaf_support(contact, list, pair, place.arm, next))
      return -1;
    next->support *= within;
    if (!(next->support > 0) || ++filled < DC_BATCH)
      continue;
    if (add_batch(contact, list, pair, &place, rubbing, filled))
      return -1;
    filled = 0;
  }
  list->blend_count = friction->blend_count - list->first_blend;
  if (dc_grow(&friction->by_support, &friction->support_capacity, list->blend_count, sizeof *friction->by_support))
    return -1;
  return filled ? add_batch(contact, list, pair, &place, rubbing, filled) : 0;
}

// Two axes orthogonal to n, and n.
static void floor_axes(const double n[3], double axes[9])
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

static int list_vertices(struct dc_contact *contact, int p)
{
  struct dc_friction *friction = contact->friction;
  const struct dc_pair *pair = &contact->pairs[p];
  struct dc_friction_pair *list = &friction->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  size_t count = ((size_t)a->vertex_count + DC_BATCH - 1) / DC_BATCH;
  if (dc_grow(&friction->floors, &friction->floor_capacity, friction->floor_count + count, sizeof *friction->floors))
    return -1;
  floor_axes(b->normal, list->floor_axes);
  double base = dc_vec_dot(b->normal, friction->now[pair->a].position) - b->height;
  double strength = 12 * contact->settings.length * list->coefficient * friction->time_step * friction->stiffness;
  for (size_t k = 0; k < count * DC_BATCH; k++) {
    int v = k < (size_t)a->vertex_count ? (int)k : a->vertex_count - 1;
    struct dc_floor_batch *batch = &friction->floors[friction->floor_count + k / DC_BATCH];
    size_t lane = k % DC_BATCH;
    double height = base + dc_vec_dot(b->normal, a->turned[v]);
    for (int i = 0; i < 3; i++)
      batch->arm[i][lane] = a->turned[v][i];
    batch->height[lane] = height;
    batch->weight[lane] = k < (size_t)a->vertex_count ? strength * a->vertex_weight[v] / (height * height) : 0;
  }
  friction->floor_count += count;
  list->floor_count = count;
  return 0;
}

static int add_unit(struct dc_friction *friction, const struct dc_friction_unit *unit)
{
  if (dc_grow(&friction->units, &friction->unit_capacity, friction->unit_count + 1, sizeof *friction->units))
    return -1;
  friction->units[friction->unit_count++] = *unit;
  return 0;
}

static int list_units(struct dc_contact *contact, int p)
{
  struct dc_friction *friction = contact->friction;
  const struct dc_friction_pair *list = &friction->pairs[p];
  for (size_t done = 0; done < list->batch_count; done += DC_FRICTION_UNIT) {
    size_t left = list->batch_count - done;
    struct dc_friction_unit unit = {
        .pair = p, .first = list->first_batch + done, .count = left < DC_FRICTION_UNIT ? left : DC_FRICTION_UNIT};
    if (add_unit(friction, &unit))
      return -1;
  }
  struct dc_friction_unit floor = {.pair = p, .first = list->first_floor, .count = list->floor_count, .floor = true};
  return list->floor_count > 0 ? add_unit(friction, &floor) : 0;
}

static enum dc_status begin(struct dc_contact *contact, const struct dc_pose *now, const struct dc_friction_law *law,
                            struct dc_error *error)
{
  if (contact->friction)
    contact->friction->unit_count = 0;
  if (!dc_friction_anything_rubs(contact, law->coefficient))
    return DC_OK;
  if (!contact->friction && create(contact))
    return dc_fail(error, DC_MEMORY, "out of memory for friction");
  struct dc_friction *friction = contact->friction;
  friction->stiffness = law->stiffness;
  friction->time_step = law->time_step;
  friction->smoothing = law->smoothing;
  memcpy(friction->coefficient, law->coefficient, (size_t)contact->bodies->count * sizeof *law->coefficient);
  memcpy(friction->now, now, (size_t)contact->bodies->count * sizeof *now);
  friction->batch_count = friction->floor_count = friction->blend_count = friction->unit_count = 0;
  friction->solved = true;
  friction->accepted = false;
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *pair = &contact->pairs[p];
    struct dc_friction_pair *list = &friction->pairs[p];
    *list = (struct dc_friction_pair){.coefficient = dc_friction_pair_coefficient(law->coefficient, pair),
                                      .first_batch = friction->batch_count,
                                      .first_floor = friction->floor_count};
    if (!(list->coefficient > 0) || pair->far || pair->crossing || pair->failed)
      continue;
    int status = contact->colliders[pair->b].half_space ? list_vertices(contact, p) : list_triangles(contact, p);
    if (status || list_units(contact, p)) {
      friction->unit_count = 0;
      return dc_fail(error, DC_MEMORY, "out of memory for friction");
    }
  }
  return DC_OK;
}

static bool rubs(const struct dc_contact *contact)
{
  return contact->friction && contact->friction->unit_count > 0;
}

static bool solved(const struct dc_contact *contact)
{
  return contact->friction->solved;
}

bool dc_friction_body_motion(const struct dc_body *body, const struct dc_pose *from, const struct dc_pose *to,
                             double rate, double turn[9], double drift[9], double velocity[3])
{
  for (int i = 0; i < 9; i++) {
    turn[i] = i % 4 == 0;
    drift[i] = 0;
  }
  memset(velocity, 0, 3 * sizeof *velocity);
  if (!dc_body_moves(body))
    return false;
  dc_mat_multiply_transposed(turn, to->rotation, from->rotation);
  for (int i = 0; i < 9; i++)
    drift[i] = (turn[i] - (i % 4 == 0)) * rate;
  for (int i = 0; i < 3; i++)
    velocity[i] = (to->position[i] - from->position[i]) * rate;
  return true;
}

void dc_friction_motion_of(const struct dc_contact *contact, int pair, const struct dc_pose *next,
                           struct dc_friction_motion *motion)
{
  const struct dc_friction *friction = contact->friction;
  memset(motion, 0, sizeof *motion);
  motion->time_step = friction->time_step;
  motion->smoothing = friction->smoothing;
  memcpy(motion->floor_axes, friction->pairs[pair].floor_axes, sizeof motion->floor_axes);
  for (int x = 0; x < 2; x++) {
    int body = x ? contact->pairs[pair].b : contact->pairs[pair].a;
    motion->both =  // b is the last
        dc_friction_body_motion(&contact->bodies->bodies[body], &friction->now[body], &next[body],
                                1 / friction->time_step, motion->turn[x], motion->drift[x], motion->velocity[x]);
  }
}

static double sum_lanes(const double lanes[DC_BATCH])
{
  double sum = 0;
  for (int l = 0; l < DC_BATCH; l++)
    sum += lanes[l];
  return sum;
}

static void sum_all(double (*lanes)[DC_BATCH], int count, double *sums)
{
  for (int i = 0; i < count; i++)
    sums[i] = sum_lanes(lanes[i]);
}

// What concerns b stays zero where b does not move.
static void run_unit(struct dc_contact *contact, struct dc_friction_unit *unit, const struct dc_pose *next, int order,
                     enum dc_friction_curvature curvature)
{
  struct dc_friction *friction = contact->friction;
  struct dc_friction_motion motion;
  struct dc_friction_sums sums;
  dc_friction_motion_of(contact, unit->pair, next, &motion);
  motion.order = order;
  motion.hold = curvature == DC_FRICTION_HELD || curvature == DC_FRICTION_MAJORANT;
  motion.fresh = !friction->accepted || curvature == DC_FRICTION_MAJORANT;
  motion.start = curvature == DC_FRICTION_MAJORANT ? 0 : 1;
  motion.to = 1 - friction->slot;
  memset(&sums, 0, motion.both ? sizeof sums : offsetof(struct dc_friction_sums, h_ab));
  if (unit->floor)
    contact->kernels->friction_floor(friction->floors + unit->first, (int)unit->count, &motion, &sums);
  else
    for (size_t k = 0; k < unit->count; k++)
      contact->kernels->friction_terms(&friction->batches[unit->first + k], &motion, &sums);
  unit->unconverged = sums.unconverged;
  unit->iterations = sums.iterations;
  unit->energy = sum_lanes(sums.energy);
  if (order > 0)
    sum_all(sums.gradient, motion.both ? 12 : 6, unit->gradient);
  if (order < 2)
    return;
  sum_all(sums.h_aa, DC_HESSIAN, unit->h_aa);
  sum_all(sums.turn, motion.both ? 12 : 6, unit->turn);
  if (!motion.both)
    return;
  sum_all(sums.h_ab, 36, unit->h_ab);
  sum_all(sums.h_bb, DC_HESSIAN, unit->h_bb);
}

static void gather_unit(const struct dc_friction_unit *unit, int order, struct dc_friction_derivatives *result)
{
  result->energy += unit->energy;
  for (int i = 0; i < 12 && order > 0; i++)
    result->gradient[i] += unit->gradient[i];
  if (order < 2)
    return;
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++) {
      result->h_aa[i][j] += unit->h_aa[e];
      result->h_bb[i][j] += unit->h_bb[e];
      result->h_aa[j][i] = result->h_aa[i][j];
      result->h_bb[j][i] = result->h_bb[i][j];
    }
  for (int e = 0; e < 12; e++)
    (&result->turn[0][0])[e] += unit->turn[e];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      result->h_ab[i][j] += unit->h_ab[6 * i + j];
}

static void add_turn(struct dc_friction_derivatives *derivatives)
{
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++) {
      derivatives->h_aa[i][j] += derivatives->turn[0][e];
      derivatives->h_bb[i][j] += derivatives->turn[1][e];
      derivatives->h_aa[j][i] = derivatives->h_aa[i][j];
      derivatives->h_bb[j][i] = derivatives->h_bb[i][j];
    }
  memset(derivatives->turn, 0, sizeof derivatives->turn);
}

struct evaluation {
  struct dc_contact *contact;
  const struct dc_pose *next;
  int order;
  enum dc_friction_curvature curvature;
};

static void unit_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct evaluation *e = context;
  run_unit(e->contact, &e->contact->friction->units[k], e->next, e->order, e->curvature);
}

static double evaluate(struct dc_contact *contact, const struct dc_pose *next, int order,
                       enum dc_friction_curvature curvature, struct dc_friction_derivatives *results)
{
  struct dc_friction *friction = contact->friction;
  double energy = 0;
  int count = (int)friction->unit_count;
  struct evaluation e = {.contact = contact, .next = next, .order = order, .curvature = curvature};
  dc_loop_run(unit_pass, &e, count, dc_friction_worth_threads(friction) ? 0 : 1, &friction->loop);
  friction->solved = true;
  for (int k = 0; k < count; k++) {
    gather_unit(&friction->units[k], order, &results[friction->units[k].pair]);
    friction->solved &= friction->units[k].unconverged == 0;
  }
  for (int p = 0; p < contact->pair_count; p++) {
    energy += results[p].energy;
    if (curvature == DC_FRICTION_EXACT && order > 1)
      add_turn(&results[p]);
  }
  return energy;
}

static void accept(struct dc_contact *contact)
{
  contact->friction->slot = 1 - contact->friction->slot;
  contact->friction->accepted = true;
}

const struct dc_friction_methods dc_plane_friction = {.begin = begin,
                                                      .rubs = rubs,
                                                      .evaluate = evaluate,
                                                      .accept = accept,
                                                      .solved = solved,
                                                      .pull_back = dc_plane_friction_pull_back};

// ---- friction.h: what the contact's model does.

enum dc_status dc_contact_friction_begin(struct dc_contact *contact, const struct dc_pose *now,
                                         const struct dc_friction_law *law, struct dc_error *error)
{
  return contact->model->methods->friction->begin(contact, now, law, error);
}

bool dc_contact_rubs(const struct dc_contact *contact)
{
  return contact->model->methods->friction->rubs(contact);
}

double dc_contact_friction_evaluate(struct dc_contact *contact, const struct dc_pose *next, int order,
                                    enum dc_friction_curvature curvature, struct dc_friction_derivatives *results)
{
  memset(results, 0, (size_t)contact->pair_count * sizeof *results);
  return dc_contact_rubs(contact)
             ? contact->model->methods->friction->evaluate(contact, next, order, curvature, results)
             : 0;
}

void dc_contact_friction_accept(struct dc_contact *contact)
{
  if (contact->model->methods->friction->accept && dc_contact_rubs(contact))
    contact->model->methods->friction->accept(contact);
}

bool dc_contact_friction_solved(const struct dc_contact *contact)
{
  const struct dc_friction_methods *methods = contact->model->methods->friction;
  return !methods->solved || !dc_contact_rubs(contact) || methods->solved(contact);
}

void dc_contact_friction_pull_back(struct dc_contact *contact, const struct dc_pose *next, const double (*twists)[6],
                                   double (*wrenches)[6], double *coefficient, double *stiffness)
{
  if (dc_contact_rubs(contact))
    contact->model->methods->friction->pull_back(contact, 0, contact->pair_count, next, twists, wrenches, coefficient,
                                                 stiffness);
}

// Row by row: the derivative of D along a unit twist at t+1, pulled back.
bool dc_contact_friction_mixed(struct dc_contact *contact, const struct dc_pose *next, int pair, double (*twists)[6],
                               double (*wrenches)[6], double *coefficient, double mixed[12][12])
{
  if (!dc_contact_rubs(contact))
    return false;
  const int *bodies = contact->pair_bodies[pair];
  size_t row_bytes = sizeof *wrenches;
  double stiffness = 0;
  for (int i = 0; i < 12; i++) {
    if (i >= 6 && !dc_body_moves(&contact->bodies->bodies[bodies[1]])) {
      memset(mixed[i], 0, 12 * sizeof(double));
      continue;
    }
    memset(wrenches[bodies[0]], 0, row_bytes);
    memset(wrenches[bodies[1]], 0, row_bytes);
    twists[bodies[i / 6]][i % 6] = 1;
    contact->model->methods->friction->pull_back(contact, pair, pair + 1, next, (const double(*)[6])twists, wrenches,
                                                 coefficient, &stiffness);
    twists[bodies[i / 6]][i % 6] = 0;
    memcpy(mixed[i], wrenches[bodies[0]], row_bytes);
    memcpy(mixed[i] + 6, wrenches[bodies[1]], row_bytes);
  }
  return true;
}
