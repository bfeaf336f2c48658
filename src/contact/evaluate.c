// SPDX-License-Identifier: Apache-2.0
// The contact problem of a set of bodies: it is made, evaluated pair by pair, and asked for its gaps.  An evaluation
// 1. turns the colliders of what moves into world axes (fixed bodies only the first time);
// 2. lets the model evaluate every pair; threads take those first that cost much in the last evaluation;
// 3. lets the model finish what it left undone (far and large pairs of bsh);
// 4. notes costs, and adds the energies up in the order of the pairs.
//
// Each pair writes its own results only, so that they are the same for any number of threads.
#include <stdlib.h>
#include <string.h>

#include "contact/common/contact_internal.h"
#include "contact/friction/friction_internal.h"
#include "math/vector.h"

static const double SHARES = 64;  // of the whole cost: a pair that costs more is taken early

// Whether (a, b) is a pair: body a moves; of two that move the first comes first.
static bool is_pair(const struct dc_bodies *bodies, int a, int b)
{
  if (!dc_body_moves(&bodies->bodies[a]) || (b <= a && dc_body_moves(&bodies->bodies[b])))
    return false;
  return dc_bodies_touch(bodies, a, b);
}

// How many pairs make_pairs will list, so that arrays are allocated once.
static size_t count_pairs(const struct dc_bodies *bodies)
{
  size_t count = 0;
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < bodies->count && dc_body_moves(&bodies->bodies[a]); b++)
      count += is_pair(bodies, a, b);
  return count;
}

// Lists all pairs of bodies, in the order in which energies are summed.
static void make_pairs(struct dc_contact *contact)
{
  const struct dc_bodies *bodies = contact->bodies;
  contact->pair_count = 0;
  for (int a = 0; a < bodies->count; a++)
    for (int b = 0; b < bodies->count && dc_body_moves(&bodies->bodies[a]); b++) {
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

struct dc_contact *dc_contact_create(const struct dc_contact_model *model, const struct dc_contact_settings *settings,
                                     const struct dc_bodies *bodies, struct dc_error *error)
{
  return dc_contact_create_following(model, settings, bodies, NULL, NULL, NULL, error);
}

// Creates the contact of bodies: pairs, arrays [pairs], colliders, and the model's own data.  Colliders of bodies that
// do not change are taken from `former`.
struct dc_contact *dc_contact_create_following(const struct dc_contact_model *model,
                                               const struct dc_contact_settings *settings,
                                               const struct dc_bodies *bodies, const struct dc_bodies *start,
                                               const bool *follow, const struct dc_contact *former,
                                               struct dc_error *error)
{
  struct dc_contact *contact = dc_alloc(1, sizeof *contact);
  if (!contact || !(contact->arena = dc_arena_create())) {
    free(contact);
    dc_out_of_memory_for(error, "contact");
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
  contact->order = dc_arena_alloc(contact->arena, pairs, sizeof *contact->order);
  contact->costs = dc_arena_alloc(contact->arena, pairs, sizeof *contact->costs);
  contact->fractions = dc_arena_alloc(contact->arena, pairs, sizeof *contact->fractions);
  contact->bounds = dc_arena_alloc(contact->arena, pairs, sizeof *contact->bounds);
  contact->bounded = dc_arena_alloc(contact->arena, pairs, sizeof *contact->bounded);
  if (!contact->pairs || !contact->pair_bodies || !contact->order || !contact->costs || !contact->fractions ||
      !contact->bounds || !contact->bounded) {
    dc_out_of_memory_for(error, "%zu body pairs", pairs);
    dc_contact_destroy(contact);
    return NULL;
  }
  make_pairs(contact);
  const struct dc_contact_methods *methods = model->methods;
  if (dc_colliders_create(contact, former, error) || (methods->create && methods->create(contact, error))) {
    dc_contact_destroy(contact);
    return NULL;
  }
  return contact;
}

void dc_contact_destroy(struct dc_contact *contact)
{
  if (!contact)
    return;
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

// Weights of the paper count triangles, of which a convex leaf has none.
bool dc_contact_sees_leaves(const struct dc_contact_model *model, const struct dc_contact_settings *settings)
{
  return model->methods->takes_leaves && settings->weights != DC_WEIGHTS_PAPER;
}

int dc_contact_leaves(const struct dc_contact *contact, int body)
{
  const struct dc_collider *collider = &contact->colliders[body];
  return collider->leaf_first ? collider->body->shape->leaf_count : 0;
}

// Only models with inner iterations remember anything, such as separating planes.
void dc_contact_reset(struct dc_contact *contact)
{
  if (contact->model->methods->reset)
    contact->model->methods->reset(contact);
}

// Clears the result and the state of the pair that an evaluation sets, then asks the model: a primitive (half-space,
// sphere in closed form) is always the second body of its pair. Two balls of one leaf act along their centres
// (central), which makes the expansion to two frames exact.
static void evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                          struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  memset(result, 0, sizeof *result);
  dc_vec_sub(result->arm, poses[pair->a].position, poses[pair->b].position);
  result->central = contact->colliders[pair->a].ball && contact->colliders[pair->b].ball;
  pair->failed = pair->large = pair->unsolved = false;
  pair->near = (struct dc_near_list){0};
  const struct dc_contact_methods *methods = contact->model->methods;
  (contact->colliders[pair->b].primitive.type ? methods->evaluate_primitive : methods->evaluate_pair)(contact, p, poses,
                                                                                                      order, result);
}

// Rough costs of the evaluation: enough to tell whether threads pay for being woken.  Never change a result.
// Seconds by rough unit costs: 100 ns for an exact pair, 15 ns for a centred term or a blend, 10 ns for a node pair
// that was visited.
static void note_costs(struct dc_contact *contact)
{
  contact->cost = 0;
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair_counts *counts = &contact->pairs[p].counts;
    contact->costs[p] = 100e-9 * (double)counts->exact + 15e-9 * (double)(counts->centred + counts->blends) +
                        10e-9 * (double)counts->visited;
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

// One evaluation, as its loops see it.
struct evaluation {
  struct dc_contact *contact;
  const struct dc_pose *poses;
  int order;
  struct dc_pair_derivatives *results;
};

// Fixed bodies keep their place for the life of a contact, so that they are turned by the first evaluation only.
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

// Whether nothing of a pair acts.  Those that act mostly push; of the others all numbers are asked at once, without a
// branch for each.
static bool is_idle(const struct dc_pair_derivatives *pair)
{
  uint64_t numbers[6 + 21], bits = 0;
  if (pair->gradient[3] != 0)
    return false;
  memcpy(numbers, pair->gradient, sizeof pair->gradient);
  memcpy(numbers + 6, pair->hessian, sizeof pair->hessian);
  for (int i = 0; i < 6 + 21; i++)
    bits |= numbers[i];
  return bits << 1 == 0;  // the sign does not count
}

// One evaluation: turn the vertices and spheres of all bodies, evaluate the pairs in parallel (the dearest first),
// finish what a pair has left to all threads, add up the energies.  NAN: out of memory.
double dc_contact_evaluate(struct dc_contact *contact, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *results)
{
  struct evaluation e = {.contact = contact, .poses = poses, .order = order, .results = results};
  int threads = dc_contact_most_threads(contact), pairs = contact->pair_count;
  order_pairs(contact);
  contact->shared = dc_threads_pay();
  dc_loop_run(turn_pass, &e, contact->bodies->count, threads, &contact->loops.turns);
  dc_loop_run(pair_pass, &e, pairs, threads, &contact->loops.pairs);
  if (contact->model->methods->finish)
    contact->model->methods->finish(contact, 0, pairs, threads, poses, order, results);
  contact->fixed_turned = true;
  note_costs(contact);
  double energy = 0;
  bool failed = false;
  for (int p = 0; p < contact->pair_count; p++) {
    results[p].idle = is_idle(&results[p]);
    energy += results[p].energy;
    failed |= contact->pairs[p].failed;
  }
  return failed ? NAN : energy;
}

// Costs and the order of pairs are left alone: they belong to evaluations of all pairs.
double dc_contact_evaluate_pair(struct dc_contact *contact, const struct dc_pose *poses, int p, int order,
                                struct dc_pair_derivatives *results)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_collider_turn(&contact->colliders[pair->a], &poses[pair->a]);
  dc_collider_turn(&contact->colliders[pair->b], &poses[pair->b]);
  evaluate_pair(contact, p, poses, order, &results[p]);
  if (contact->model->methods->finish)
    contact->model->methods->finish(contact, p, p + 1, 1, poses, order, results);
  results[p].idle = is_idle(&results[p]);
  return pair->failed ? NAN : results[p].energy;
}

// A crossing pair has no gap; its lower bound would be whatever the walk had seen before it met the crossing.
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
    counts.exact += contact->pairs[p].counts.exact;
    counts.centred += contact->pairs[p].counts.centred;
    counts.visited += contact->pairs[p].counts.visited;
  }
  return counts;
}
