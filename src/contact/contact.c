// SPDX-License-Identifier: Apache-2.0
#include "contact/contact.h"

#include <stdlib.h>
#include <string.h>

#include "contact/contact_internal.h"
#include "contact/friction/friction_internal.h"
#include "contact/models/points.h"
#include "math/vector.h"

// The reference sums all triangle pairs and stores every one of them; beyond this it would take gigabytes.
static const double MOST_EXACT_PAIRS = 8e6;

static const double SHARES = 64;  // of the whole cost: a pair that costs more is taken early

// Whether (a, b) is a pair: body a moves; of two that move the first comes first.
static bool is_pair(const struct dc_bodies *bodies, int a, int b)
{
  if (!dc_body_moves(&bodies->bodies[a]) || (b <= a && dc_body_moves(&bodies->bodies[b])))
    return false;
  return dc_bodies_touch(bodies, a, b);
}

static size_t count_pairs(const struct dc_bodies *bodies)
{
  size_t count = 0;
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < bodies->count; b++)
      count += is_pair(bodies, a, b);
  return count;
}

static void make_pairs(struct dc_contact *contact)
{
  const struct dc_bodies *bodies = contact->bodies;
  contact->pair_count = 0;
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < bodies->count; b++) {
      if (!is_pair(bodies, a, b))
        continue;
      struct dc_pair *pair = &contact->pairs[contact->pair_count];
      *pair = (struct dc_pair){
          .a = a, .b = b, .near_only = contact->model->hierarchical && dc_bodies_near_only(bodies, a, b)};
      contact->order[contact->pair_count] = contact->pair_count;
      contact->pair_bodies[contact->pair_count][0] = a;
      contact->pair_bodies[contact->pair_count++][1] = b;
    }
}

static enum dc_status check_size(const struct dc_contact *contact, struct dc_error *error)
{
  double triangle_pairs = 0;
  for (int p = 0; p < contact->pair_count; p++)
    triangle_pairs += (double)contact->colliders[contact->pairs[p].a].triangle_count *
                      contact->colliders[contact->pairs[p].b].triangle_count;
  if (contact->model->methods != &dc_plane_methods || contact->model->hierarchical ||
      triangle_pairs <= MOST_EXACT_PAIRS)
    return DC_OK;
  return dc_fail(
      error, DC_MEMORY,
      "contact model %s would sum %.3g triangle pairs, about %.3g bytes (limit: %.3g pairs); use bsh or coarser meshes",
      contact->model->name, triangle_pairs,
      triangle_pairs * (double)(2 * sizeof(struct dc_term) + sizeof(struct dc_term_value) + 10 * sizeof(double)),
      MOST_EXACT_PAIRS);
}

struct dc_contact *dc_contact_create(const struct dc_contact_model *model, const struct dc_contact_settings *settings,
                                     const struct dc_bodies *bodies, struct dc_error *error)
{
  return dc_contact_create_following(model, settings, bodies, NULL, NULL, NULL, error);
}

struct dc_contact *dc_contact_create_following(const struct dc_contact_model *model,
                                               const struct dc_contact_settings *settings,
                                               const struct dc_bodies *bodies, const struct dc_bodies *start,
                                               const bool *follow, const struct dc_contact *former,
                                               struct dc_error *error)
{
  struct dc_contact *contact = dc_alloc(1, sizeof *contact);
  if (!contact || !(contact->arena = dc_arena_create())) {
    free(contact);
    dc_fail(error, DC_MEMORY, "out of memory for contact");
    return NULL;
  }
  contact->model = model;
  contact->settings = *settings;
  contact->bodies = bodies;
  contact->start = model->flags & DC_CONTACT_SURFACES ? start : NULL;
  contact->follow = follow;
  contact->kernels = dc_lane_kernels();
  size_t pairs = count_pairs(bodies);
  contact->pairs = dc_arena_alloc(contact->arena, pairs, sizeof *contact->pairs);
  contact->pair_bodies = dc_arena_alloc(contact->arena, pairs, sizeof *contact->pair_bodies);
  contact->far_pairs = dc_arena_alloc(contact->arena, pairs, sizeof *contact->far_pairs);
  contact->order = dc_arena_alloc(contact->arena, pairs, sizeof *contact->order);
  contact->costs = dc_arena_alloc(contact->arena, pairs, sizeof *contact->costs);
  contact->fractions = dc_arena_alloc(contact->arena, pairs, sizeof *contact->fractions);
  contact->bounds = dc_arena_alloc(contact->arena, pairs, sizeof *contact->bounds);
  contact->bounded = dc_arena_alloc(contact->arena, pairs, sizeof *contact->bounded);
  if (!contact->pairs || !contact->pair_bodies || !contact->far_pairs || !contact->order || !contact->costs ||
      !contact->fractions || !contact->bounds || !contact->bounded) {
    dc_fail(error, DC_MEMORY, "out of memory for %zu body pairs", pairs);
    dc_contact_destroy(contact);
    return NULL;
  }
  make_pairs(contact);
  const struct dc_contact_methods *methods = model->methods;
  if (dc_colliders_create(contact, former, error) || check_size(contact, error) ||
      (methods->create && methods->create(contact, error))) {
    dc_contact_destroy(contact);
    return NULL;
  }
  return contact;
}

void dc_contact_destroy(struct dc_contact *contact)
{
  if (!contact)
    return;
  for (int p = 0; p < contact->pair_count; p++)
    dc_pair_release(&contact->pairs[p]);
  free(contact->units);
  free(contact->blend_rates);
  if (contact->model->methods->destroy)
    contact->model->methods->destroy(contact);
  dc_friction_destroy(contact);
  dc_arena_destroy(contact->arena);
  free(contact);
}

int dc_contact_pair_count(const struct dc_contact *contact)
{
  return contact->pair_count;
}

const int (*dc_contact_pairs(const struct dc_contact *contact))[2]
{
  return (const int(*)[2])contact->pair_bodies;
}

void dc_contact_reset(struct dc_contact *contact)
{
  for (int p = 0; p < contact->pair_count; p++) {
    struct dc_pair *pair = &contact->pairs[p];
    if (pair->planes)  // lists, gaps and counts stay those of the last evaluation
      memset(pair->planes, 0, pair->plane_capacity * sizeof *pair->planes);
  }
  if (contact->model->methods->reset)
    contact->model->methods->reset(contact);
}

// Small pairs are finished at once; of large ones the terms are collected, to be shared out; far ones are left for
// batches of eight, and of those apart nothing acts.
static void evaluate_plane_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                                struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  pair->far = dc_pair_is_far(contact, pair, result->arm);
  pair->apart = dc_pair_is_apart(contact, pair, result->arm);
  if (pair->far || pair->apart)
    return;
  if (dc_pair_collect(contact, pair, result->arm)) {
    pair->failed = true;
    return;
  }
  if (pair->large || pair->parted)
    return;
  for (int unit = 0; unit < dc_pair_unit_count(pair); unit++)
    dc_pair_run_unit(contact, pair, unit, poses, result->arm, order);
  dc_pair_gather(contact, pair, order, result);
}

static void evaluate_plane_primitive(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                                     struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_primitive_pair(contact, pair, &poses[pair->a], order, dc_primitive_far_barrier, result);
}

const struct dc_contact_methods dc_plane_methods = {.evaluate_pair = evaluate_plane_pair,
                                                    .evaluate_primitive = evaluate_plane_primitive,
                                                    .friction = &dc_plane_friction,
                                                    .points = &dc_plane_points};

static void evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                          struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  memset(result, 0, sizeof *result);
  dc_vec_sub(result->arm, poses[pair->a].position, poses[pair->b].position);
  pair->failed = pair->large = pair->parted = pair->far = pair->apart = pair->unsolved = pair->listed = false;
  pair->has_nearest = false;
  const struct dc_contact_methods *methods = contact->model->methods;
  (contact->colliders[pair->b].primitive.type ? methods->evaluate_primitive : methods->evaluate_pair)(contact, p, poses,
                                                                                                      order, result);
}

// Rough costs of the evaluation: enough to tell whether threads pay for being woken.  Never change a result.
static void note_costs(struct dc_contact *contact)
{
  contact->cost = 0;
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *pair = &contact->pairs[p];
    contact->costs[p] = 100e-9 * (double)pair->exact_count + 15e-9 * (double)(pair->centred_count + pair->blend_count) +
                        10e-9 * (double)pair->visited;
    contact->cost += contact->costs[p];
  }
}

// Pairs that cost more than a small part of the whole come first, the dearest at the beginning, so that no thread
// begins with one at the end.
static void order_pairs(struct dc_contact *contact)
{
  double much = contact->cost / SHARES;
  int count = 0;
  for (int p = 0; p < contact->pair_count; p++) {
    if (!(contact->costs[p] > much))
      continue;
    int place = count++;
    for (; place > 0 && contact->costs[contact->order[place - 1]] < contact->costs[p]; place--)
      contact->order[place] = contact->order[place - 1];
    contact->order[place] = p;
  }
  for (int p = 0; p < contact->pair_count; p++)
    if (!(contact->costs[p] > much))
      contact->order[count++] = p;
}

static int list_far_pairs(struct dc_contact *contact)
{
  int count = 0;
  for (int p = 0; p < contact->pair_count; p++)
    if (contact->pairs[p].far)
      contact->far_pairs[count++] = p;
  return count;
}

// One evaluation, as its loops see it.
struct evaluation {
  struct dc_contact *contact;
  const struct dc_pose *poses;
  int order, far_count;
  struct dc_pair_derivatives *results;
};

static void turn_pass(void *context, int body, int thread)
{
  (void)thread;
  const struct evaluation *e = context;
  if (!e->contact->fixed_turned || dc_body_moves(&e->contact->bodies->bodies[body]))
    dc_collider_turn(&e->contact->colliders[body], &e->poses[body]);
}

static void pair_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct evaluation *e = context;
  int p = e->contact->order[k];
  evaluate_pair(e->contact, p, e->poses, e->order, &e->results[p]);
}

static void far_pass(void *context, int batch, int thread)
{
  (void)thread;
  const struct evaluation *e = context;
  int first = batch * DC_BATCH, rest = e->far_count - first;
  dc_far_pairs_evaluate(e->contact, e->contact->far_pairs + first, rest < DC_BATCH ? rest : DC_BATCH, e->order,
                        e->results);
}

double dc_contact_evaluate(struct dc_contact *contact, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *results)
{
  struct evaluation e = {.contact = contact, .poses = poses, .order = order, .results = results};
  int threads = dc_contact_most_threads(contact), pairs = contact->pair_count;
  order_pairs(contact);
  contact->shared = dc_threads_pay();
  dc_loop_run(turn_pass, &e, contact->bodies->count, threads, &contact->loops.turns);
  dc_loop_run(pair_pass, &e, pairs, threads, &contact->loops.pairs);
  e.far_count = list_far_pairs(contact);
  dc_loop_run(far_pass, &e, (e.far_count + DC_BATCH - 1) / DC_BATCH, threads, &contact->loops.far_pairs);
  dc_large_pairs_evaluate(contact, threads, poses, order, results);
  contact->fixed_turned = true;
  note_costs(contact);
  double energy = 0;
  bool failed = false;
  for (int p = 0; p < contact->pair_count; p++) {
    struct dc_pair *pair = &contact->pairs[p];
    energy += results[p].energy;
    pair->listed &= !pair->failed;
    failed |= pair->failed;
  }
  return failed ? NAN : energy;
}

double dc_contact_evaluate_pair(struct dc_contact *contact, const struct dc_pose *poses, int p, int order,
                                struct dc_pair_derivatives *results)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_collider_turn(&contact->colliders[pair->a], &poses[pair->a]);
  dc_collider_turn(&contact->colliders[pair->b], &poses[pair->b]);
  evaluate_pair(contact, p, poses, order, &results[p]);
  if (pair->far)
    dc_far_pairs_evaluate(contact, &p, 1, order, results);
  if (!pair->large || pair->failed)
    return pair->failed ? NAN : results[p].energy;
  for (int unit = 0; unit < dc_pair_unit_count(pair); unit++)
    dc_pair_run_unit(contact, pair, unit, poses, results[p].arm, order);
  dc_pair_gather(contact, pair, order, &results[p]);
  return results[p].energy;
}

double dc_contact_pair_gap(const struct dc_contact *contact, int pair)
{
  return contact->pairs[pair].crossing ? 0 : contact->pairs[pair].gap;
}

double dc_contact_min_gap(const struct dc_contact *contact)
{
  double gap = INFINITY;
  for (int p = 0; p < contact->pair_count; p++)
    gap = fmin(gap, dc_contact_pair_gap(contact, p));
  return gap;
}

bool dc_contact_solved(const struct dc_contact *contact)
{
  for (int p = 0; p < contact->pair_count; p++)
    if (contact->pairs[p].unsolved)
      return false;
  return true;
}

struct dc_contact_counts dc_contact_last_counts(const struct dc_contact *contact)
{
  struct dc_contact_counts counts = {0};
  for (int p = 0; p < contact->pair_count; p++) {
    counts.exact += (long)contact->pairs[p].exact_count;
    counts.centred += (long)contact->pairs[p].centred_count;
    counts.visited += contact->pairs[p].visited;
  }
  return counts;
}
