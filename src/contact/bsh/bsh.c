// SPDX-License-Identifier: Apache-2.0
// The model bsh: a smooth barrier between all triangles of two bodies, at any distance, summed over trees of bounding
// spheres (paper 000, sections 4 and 5; docs/theory.md, "Pairs of bodies").
//
// The idea: two triangles have a potential P(S) of the plane that keeps farthest from both.  It grows without bound
// where they meet, and it never ends, so that a gradient knows of a body that nothing touches yet.  All triangles
// against all would be quadratic work (the model `exact` does it, as a reference).  Far from each other two groups of
// triangles act like two points with a spread, which is one closed form: the *centred term* of two nodes.  So the trees
// are descended only where nodes are near:
//     beyond (1 + epsilon) d, d = R_I + R_J, two nodes count as their centred term C,
//     within d they count as the sum A over their children,
//     between the two as the *blend* (1 - phi) A + phi C with a smooth phi of the distance (Eq. 8);
// two leaves that are not far count exactly.  Energy, 6 gradient and 21 Hessian numbers for the relative twist are sums
// over these terms.  A separating plane is found by Newton's method from that of the evaluation before.
//
// One evaluation of a pair: are the roots far (far_pairs.c)?  Else list the terms (pair_list.c), evaluate them eight
// side by side, sum them up and blend from the leaves to the roots (pair_terms.c).  Far pairs wait for seven others,
// terms of convex leaves for those of other pairs (leaf_terms.c), and large pairs for threads to share (pair_parts.c):
// these are finished when all pairs have been begun.
#include "contact/bsh/bsh_pair.h"

#include <stdlib.h>
#include <string.h>

#include "contact/friction/friction_internal.h"

// The reference sums all triangle pairs and stores every one of them; beyond this it would take gigabytes.
static const double MOST_EXACT_PAIRS = 8e6;

// The model exact keeps terms, planes and sums of every two triangles, bsh those of near ones only: a limit before
// memory runs out.
static enum dc_status check_size(const struct dc_contact *contact, struct dc_error *error)
{
  double triangle_pairs = 0;
  for (int p = 0; p < contact->pair_count; p++)
    triangle_pairs += (double)contact->colliders[contact->pairs[p].a].triangle_count *
                      contact->colliders[contact->pairs[p].b].triangle_count;
  if (contact->model->hierarchical || triangle_pairs <= MOST_EXACT_PAIRS)
    return DC_OK;
  return dc_fail(
      error, DC_MEMORY,
      "contact model %s would sum %.3g triangle pairs, about %.3g bytes (limit: %.3g pairs); use bsh or coarser meshes",
      contact->model->name, triangle_pairs,
      triangle_pairs * (double)(2 * sizeof(struct dc_term) + sizeof(struct dc_term_value) + 10 * sizeof(double)),
      MOST_EXACT_PAIRS);
}

// Pairs begin with empty lists, which grow when a pair is first near.
static enum dc_status create(struct dc_contact *contact, struct dc_error *error)
{
  enum dc_status status = check_size(contact, error);
  if (status)
    return status;
  size_t pairs = (size_t)contact->pair_count;
  struct bsh *bsh = dc_arena_alloc(contact->arena, 1, sizeof *bsh);
  if (!bsh || !(bsh->far_pairs = dc_arena_alloc(contact->arena, pairs, sizeof *bsh->far_pairs)) ||
      !(bsh->pairs = dc_arena_alloc(contact->arena, pairs, sizeof *bsh->pairs)))
    return dc_out_of_memory_for(error, "%zu body pairs", pairs);
  for (size_t p = 0; p < pairs; p++)
    bsh->pairs[p].face = &contact->pairs[p];
  contact->own = bsh;
  return DC_OK;
}

static void destroy(struct dc_contact *contact)
{
  struct bsh *bsh = dc_bsh_of(contact);
  if (!bsh)
    return;
  for (int p = 0; p < contact->pair_count; p++)
    dc_bsh_release(&bsh->pairs[p]);
  free(bsh->units);
  free(bsh->leaves);
  free(bsh->leaf_order);
  free(bsh->blend_rates);
}

// Lists, gaps and counts stay those of the last evaluation.
static void reset(struct dc_contact *contact)
{
  for (int p = 0; p < contact->pair_count; p++) {
    struct bsh_terms *now = &dc_bsh_pair(contact, p)->now;
    if (now->planes)
      memset(now->planes, 0, now->plane_capacity * sizeof *now->planes);
  }
}

// Counts and the near list: all that others read of a pair.
static void hand_over(const struct dc_contact *contact, const struct bsh_pair *pair)
{
  struct dc_pair *face = pair->face;
  face->large = pair->parted;
  face->counts = (struct dc_pair_counts){.exact = (long)pair->now.count,
                                         .centred = (long)pair->centred_count,
                                         .blends = (long)pair->blend_count,
                                         .visited = pair->visited};
  face->near = (struct dc_near_list){0};
  if (!pair->listed)
    return;
  face->near = (struct dc_near_list){.count = pair->now.count,
                                     .terms = pair->now.terms,
                                     .gaps = pair->gaps,
                                     .planes = (const double(*)[4])pair->now.planes,
                                     .energies = pair->energies,
                                     .beyond = pair->far_gap,
                                     .columns = pair->all ? contact->colliders[face->b].triangle_count : 0,
                                     .blend_count = pair->blend_count,
                                     .blends = pair->blends,
                                     .weights = pair->weights};
}

// Small pairs of triangles are finished at once; of large ones and of leaves the terms are collected, to be shared out;
// far ones are left for batches of eight, and of those apart nothing acts.
static void begin_pair(struct dc_contact *contact, struct bsh_pair *pair, const struct dc_pose *poses, int order,
                       struct dc_pair_derivatives *result)
{
  pair->large = pair->parted = pair->listed = pair->waits = false;
  pair->far = dc_bsh_is_far(contact, pair, result->arm);
  pair->apart = dc_bsh_is_apart(contact, pair, result->arm);
  if (pair->far || pair->apart)
    return;
  if (dc_bsh_collect(contact, pair, result->arm)) {
    pair->face->failed = true;
    return;
  }
  pair->waits = !pair->large && !pair->parted && pair->now.count > 0 &&
                dc_has_leaves(&contact->colliders[pair->face->a], &contact->colliders[pair->face->b]);
  if (pair->large || pair->parted || pair->waits)
    return;
  for (int unit = 0; unit < dc_bsh_unit_count(pair); unit++)
    dc_bsh_run_unit(contact, pair, unit, poses, result->arm, order);
  dc_bsh_gather(contact, pair, order, result);
}

static void evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                          struct dc_pair_derivatives *result)
{
  struct bsh_pair *pair = dc_bsh_pair(contact, p);
  begin_pair(contact, pair, poses, order, result);
  hand_over(contact, pair);
}

static void evaluate_primitive(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                               struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_primitive_pair(contact, pair, &poses[pair->a], order, dc_primitive_far_barrier, result);
}

// Far pairs, eight at a time, as their loop sees them.
struct far_loop {
  struct dc_contact *contact;
  int order, count;
  struct dc_pair_derivatives *results;
};

static void far_pass(void *context, int batch, int thread)
{
  (void)thread;
  const struct far_loop *loop = context;
  int first = batch * DC_BATCH, rest = loop->count - first;
  dc_bsh_evaluate_far(loop->contact, dc_bsh_of(loop->contact)->far_pairs + first, rest < DC_BATCH ? rest : DC_BATCH,
                      loop->order, loop->results);
}

// The work behind the loop over pairs: far pairs, which are single centred terms, eight at a time in vector lanes;
// pairs so dear that threads share each of them; then the near lists of the pairs that were finished here.
static void finish(struct dc_contact *contact, int begin, int end, int most_threads, const struct dc_pose *poses,
                   int order, struct dc_pair_derivatives *results)
{
  struct bsh *bsh = dc_bsh_of(contact);
  struct far_loop far = {.contact = contact, .order = order, .results = results};
  for (int p = begin; p < end; p++)
    if (bsh->pairs[p].far)
      bsh->far_pairs[far.count++] = p;
  dc_loop_run(far_pass, &far, (far.count + DC_BATCH - 1) / DC_BATCH, most_threads, &bsh->loops.far_pairs);
  dc_bsh_evaluate_leaves(contact, begin, end, most_threads, poses, order, results);
  dc_bsh_evaluate_large(contact, begin, end, most_threads, poses, order, results);
  for (int p = begin; p < end; p++)
    if (bsh->pairs[p].large || bsh->pairs[p].parted || bsh->pairs[p].waits || contact->pairs[p].failed)
      hand_over(contact, &bsh->pairs[p]);
}

const struct dc_contact_methods dc_bsh_methods = {.create = create,
                                                  .destroy = destroy,
                                                  .reset = reset,
                                                  .evaluate_pair = evaluate_pair,
                                                  .evaluate_primitive = evaluate_primitive,
                                                  .finish = finish,
                                                  .friction = &dc_plane_friction,
                                                  .points = &dc_bsh_points,
                                                  .takes_leaves = true,
                                                  .sums_planes = true};

const struct dc_contact_model dc_contact_bsh = {
    .name = "bsh",
    .summary = "long-range smooth barrier summed over bounding-sphere hierarchies",
    .reference = "paper 000, sections 4 and 5",
    .options = dc_bsh_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION | DC_CONTACT_SHAPES |
             DC_CONTACT_SURFACES,
    .hierarchical = true,
    .methods = &dc_bsh_methods,
};

const struct dc_contact_model dc_contact_exact = {
    .name = "exact",
    .summary = "the same barrier summed over all triangle pairs (reference; quadratic cost)",
    .reference = "paper 000, Eq. 3",
    .options = dc_exact_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION | DC_CONTACT_SHAPES |
             DC_CONTACT_SURFACES,
    .methods = &dc_bsh_methods,
};

// Gaps and overlaps of MuJoCo's bodies are those of bsh's geometry; there is no potential to evaluate.
const struct dc_contact_model dc_contact_mujoco = {
    .name = "mujoco",
    .summary =
        "the library MuJoCo: its soft contacts, joints and integration, without gradients; options in \"mujoco\"",
    .reference = "Todorov, Erez and Tassa, IROS 2012; docs/theory.md, \"MuJoCo\"",
    .options = dc_mujoco_contact_options,
    .flags = DC_CONTACT_FRICTION | DC_CONTACT_FOREIGN,
    .hierarchical = true,
    .methods = &dc_bsh_methods,
};
