// SPDX-License-Identifier: Apache-2.0
// Body pairs so far apart that their roots count as one centred term: eight pairs at a time, each with its own twist.
#include <math.h>
#include <string.h>

#include "contact/bsh/bsh_pair.h"
#include "math/vector.h"

static const double OFFSET = 12;  // paper 000, Eq. 7

// R_I + R_J of the roots, m: all of either body is within its root's sphere.
static double inner_radius(const struct dc_contact *contact, const struct bsh_pair *pair)
{
  return contact->colliders[pair->face->a].tree.radius[0] + contact->colliders[pair->face->b].tree.radius[0];
}

// Whether the centres of the roots are at least outer apart; the pair lists nothing then.  inner: sum of their radii.
static bool roots_beyond(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3], double inner,
                         double outer)
{
  const struct dc_collider *a = &contact->colliders[pair->face->a], *b = &contact->colliders[pair->face->b];
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = a->spheres[0][k] - b->spheres[0][k] + arm[k];
  double square = dc_vec_dot(d, d);
  if (square < outer * outer)
    return false;
  pair->now.count = pair->blend_count = pair->centred_count = 0;
  pair->visited = 1;
  pair->face->gap = sqrt(square) - inner;
  pair->face->crossing = false;
  return true;
}

// Beyond (1 + epsilon)(R_I + R_J) the whole pair is one centred term (paper 000, Eq. 7), which needs no walk.
bool dc_bsh_is_far(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3])
{
  if (!contact->model->hierarchical || contact->model->local || pair->face->near_only)
    return false;
  double inner = inner_radius(contact, pair);
  if (!roots_beyond(contact, pair, arm, inner, (1 + contact->settings.blend) * inner))
    return false;
  pair->centred_count = 1;
  return true;
}

// Pairs without a far field end where the range beyond the spheres ends: there nothing acts at all.
bool dc_bsh_is_apart(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3])
{
  double inner = inner_radius(contact, pair);
  return pair->face->near_only && roots_beyond(contact, pair, arm, inner, inner + contact->settings.near_range);
}

// Evaluates a batch of pairs that are so far apart that one centred term stands for each.
void dc_bsh_evaluate_far(const struct dc_contact *contact, const int *indices, int count, int order,
                         struct dc_pair_derivatives *results)
{
  struct dc_centred_batch batch = {.length = contact->settings.length};
  double hessian[DC_HESSIAN][DC_BATCH] __attribute__((aligned(64)));
  memset(hessian, 0, sizeof hessian);
  for (int l = 0; l < DC_BATCH; l++) {
    int p = indices[l < count ? l : count - 1];
    const struct dc_collider *a = &contact->colliders[contact->pairs[p].a],
                             *b = &contact->colliders[contact->pairs[p].b];
    for (int k = 0; k < 3; k++) {
      batch.center_a[k][l] = a->spheres[0][k];
      batch.center_b[k][l] = b->spheres[0][k] - results[p].arm[k];
    }
    batch.spread[l] = a->tree.spread[0] + b->tree.spread[0];
    batch.scale[l] = a->tree.weight[0] * b->tree.weight[0];
    batch.weight[l] = 1;
  }
  contact->kernels->centred_terms(&batch, order, hessian);
  for (int l = 0; l < count; l++) {
    struct dc_pair_derivatives *result = &results[indices[l]];
    result->radial = true;
    result->energy = batch.energy[l] + (contact->settings.offset ? OFFSET * batch.scale[l] : 0);
    for (int k = 0; k < 6 && order > 0; k++)
      result->gradient[k] = batch.gradient[k][l];
    for (int e = 0; e < DC_HESSIAN && order > 1; e++)
      result->hessian[e] = hessian[e][l];
  }
}
