// SPDX-License-Identifier: Apache-2.0
// The pattern of the Hessian of a step.  Mechanisms and nodes are its blocks; those that touch or follow each other or
// share an element are always in it.  Touches of soft bodies come and go: at the beginning of an interval the pattern
// is that of the touches at hand, later ones add to it.  So it is a function of the interval's states alone, and where
// touches stay the matrix stays, with its order of elimination.
#include <stdlib.h>
#include <string.h>

#include "base/index_pairs.h"
#include "dynamics/node_newton.h"
#include "dynamics/step.h"

enum { SMALL_SOLID = 200 };  // nodes whose matrix is dense
enum { MANY = 40 };          // mechanisms of which few are near to each other

// The mechanisms of two bodies, if they are two; 1 then, else 0.
static size_t list_pair(const struct dc_bodies *bodies, int body, int other, int (*pairs)[2], size_t place)
{
  int a = bodies->bodies[body].mechanism, b = bodies->bodies[other].mechanism;
  if (a < 0 || b < 0 || a == b)
    return 0;
  if (pairs) {
    pairs[place][0] = a;
    pairs[place][1] = b;
  }
  return 1;
}

// Pairs of mechanisms that touch, follow, are tied to each other or have a tendon in common, and nodes that share an
// element; into pairs [.][2], unless it is NULL.
static size_t list_fixed(const struct dc_rollout *rollout, int (*pairs)[2])
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  const struct dc_model_definition *definition = &rollout->model->definition;
  size_t count = 0;
  for (int p = 0; p < rollout->rigid.pair_count; p++)
    count += list_pair(bodies, rollout->rigid.pair_bodies[p][0], rollout->rigid.pair_bodies[p][1], pairs, count);
  for (int k = 0; k < definition->coupling_count; k++)
    count += list_pair(bodies, definition->couplings[k].body, definition->couplings[k].to, pairs, count);
  for (int k = 0; k < definition->tie_count; k++)
    count += list_pair(bodies, definition->ties[k].body, definition->ties[k].to, pairs, count);
  for (int k = 0; k < definition->tendon_count; k++) {
    const struct dc_tendon_joint *joints = definition->tendons[k].joints.objects;
    for (int i = 0; i < definition->tendons[k].joints.count; i++)
      for (int j = 0; j < i; j++)
        count += list_pair(bodies, joints[i].body, joints[j].body, pairs, count);
  }
  return count + (size_t)dc_soft_list_edges(bodies, pairs ? pairs + count : NULL);
}

// Nodes change their diagonals after a factorization, which STRONG does not allow.
static enum dc_solver_backend backend_for(const struct dc_bodies *bodies)
{
  if (bodies->node_count > SMALL_SOLID)
    return DC_SOLVER_SUPERNODAL;
  return bodies->node_count == 0 && bodies->mechanism_count >= MANY ? DC_SOLVER_STRONG : DC_SOLVER_AUTOMATIC;
}

// The pattern: a block for each mechanism and 3 x 3 for each node; couplings that are always there and those of
// touches.
struct dc_symmetric_matrix *dc_step_matrix_create(const struct dc_rollout *rollout)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  const struct dc_step_pattern *pattern = &rollout->pattern;
  int blocks = bodies->mechanism_count + bodies->node_count;
  size_t fixed = list_fixed(rollout, NULL), touching = pattern->extra_count;
  int *sizes = dc_alloc((size_t)blocks, sizeof *sizes);
  int(*pairs)[2] = dc_alloc(fixed + touching, sizeof *pairs);
  struct dc_symmetric_matrix *matrix = NULL;
  if (sizes && pairs) {
    for (int m = 0; m < bodies->mechanism_count; m++)
      sizes[m] = bodies->mechanisms[m].nv;
    for (int n = bodies->mechanism_count; n < blocks; n++)
      sizes[n] = 3;
    list_fixed(rollout, pairs);
    if (touching)
      memcpy(pairs + fixed, pattern->extra, touching * sizeof *pairs);
    matrix = dc_symmetric_create(blocks, sizes, (int)(fixed + touching), (const int(*)[2])pairs, backend_for(bodies));
  }
  free(sizes);
  free(pairs);
  return matrix;
}

static int block_of(const struct dc_bodies *bodies, const struct dc_touch *touch, int vertex)
{
  int body = dc_touch_body(touch, vertex);
  const struct dc_soft *soft = dc_soft_of(bodies, body);
  return soft ? dc_node_block(bodies, soft, touch->vertex[vertex]) : bodies->bodies[body].mechanism;
}

// The pairs of blocks of a touch that are not always in the pattern.
static int add_touch(struct dc_rollout *rollout, const struct dc_touch *touch)
{
  struct dc_step_pattern *pattern = &rollout->pattern;
  const struct dc_bodies *bodies = &rollout->model->bodies;
  if (dc_grow(&pattern->wanted, &pattern->wanted_capacity, pattern->wanted_count + 6, sizeof *pattern->wanted))
    return -1;
  for (int v = 0; v < 4; v++)
    for (int u = 0; u < v; u++) {
      int a = block_of(bodies, touch, v), b = block_of(bodies, touch, u), key[2] = {a < b ? a : b, a < b ? b : a};
      if (a < 0 || b < 0 || a == b ||
          bsearch(key, pattern->fixed, pattern->fixed_count, sizeof *pattern->fixed, dc_index_pair_compare))
        continue;
      memcpy(pattern->wanted[pattern->wanted_count++], key, sizeof key);
    }
  return 0;
}

// Lists the pairs of blocks that the touches and sliding contacts of the last evaluation couple, sorted.
static int list_wanted(struct dc_rollout *rollout)
{
  struct dc_step_pattern *pattern = &rollout->pattern;
  size_t count;
  const struct dc_touch *touches = dc_surface_touches(rollout->surface, &count);
  pattern->wanted_count = 0;
  for (size_t t = 0; t < count; t++)
    if (add_touch(rollout, &touches[t]))
      return -1;
  const struct dc_sliding_contact *sliding_contacts = dc_surface_sliding_contacts(rollout->surface, &count);
  for (size_t r = 0; r < count; r++)
    if (add_touch(rollout, &sliding_contacts[r].touch))
      return -1;
  pattern->wanted_count = dc_index_pairs_sort(pattern->wanted, pattern->wanted_count);
  return 0;
}

static bool holds_all(const struct dc_step_pattern *pattern)
{
  for (size_t w = 0; w < pattern->wanted_count; w++)
    if (!pattern->extra_count || !bsearch(pattern->wanted[w], pattern->extra, pattern->extra_count,
                                          sizeof *pattern->extra, dc_index_pair_compare))
      return false;
  return true;
}

// Lists the pairs of blocks that are always in the matrix, sorted.
static int list_sorted(struct dc_rollout *rollout)
{
  struct dc_step_pattern *pattern = &rollout->pattern;
  size_t count = list_fixed(rollout, NULL);
  pattern->fixed = dc_arena_alloc(rollout->arena, count ? count : 1, sizeof *pattern->fixed);
  if (!pattern->fixed)
    return -1;
  list_fixed(rollout, pattern->fixed);
  for (size_t i = 0; i < count; i++)
    if (pattern->fixed[i][0] > pattern->fixed[i][1]) {
      int first = pattern->fixed[i][0];
      pattern->fixed[i][0] = pattern->fixed[i][1];
      pattern->fixed[i][1] = first;
    }
  pattern->fixed_count = dc_index_pairs_sort(pattern->fixed, count);
  return 0;
}

// The pattern only grows within an interval, and loses at the beginning of one what is not touched any more: a matrix
// with another pattern must be analysed anew.
enum dc_status dc_step_fit_pattern(struct dc_rollout *rollout, struct dc_error *error)
{
  struct dc_step_pattern *pattern = &rollout->pattern;
  const struct dc_bodies *bodies = &rollout->model->bodies;
  if (!rollout->surface)
    return DC_OK;
  bool fresh = pattern->fresh, failed = (!pattern->fixed && list_sorted(rollout)) || list_wanted(rollout);
  pattern->fresh = false;
  if (!failed && holds_all(pattern) && !(fresh && pattern->wanted_count < pattern->extra_count))
    return DC_OK;
  size_t kept = fresh ? 0 : pattern->extra_count, needed = kept + pattern->wanted_count;
  failed = failed || dc_grow(&pattern->extra, &pattern->extra_capacity, needed + 1, sizeof *pattern->extra);
  if (!failed) {
    if (pattern->wanted_count)
      memcpy(pattern->extra + kept, pattern->wanted, pattern->wanted_count * sizeof *pattern->extra);
    pattern->extra_count = dc_index_pairs_sort(pattern->extra, needed);
    struct dc_symmetric_matrix *matrix = dc_step_matrix_create(rollout);
    failed = !matrix;
    if (matrix) {
      failed = rollout->nodes.newton && dc_node_newton_follow(rollout->nodes.newton, matrix);
      rollout->factored_before += dc_symmetric_factor_count(rollout->matrix);
      dc_symmetric_destroy(rollout->matrix);
      rollout->matrix = matrix;
      failed = !dc_elastic_list_places(bodies, matrix, rollout->nodes.element_places) || failed;
    }
  }
  return failed ? dc_out_of_memory_for(error, "the pattern of touches") : DC_OK;
}
