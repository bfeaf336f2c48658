// SPDX-License-Identifier: Apache-2.0
// The model sdrs (paper 003; docs/theory.md, "SDRS").
//
// The idea: a body is a union of convex hulls.  Between two hulls stands the plane that minimizes the sum of a barrier
// of the distances of their vertices from it, and the least value is the energy of the pair.  The barrier ends, so that
// only hulls within reach of each other act, and it is smooth: so is the energy.  Planes, energies, friction and points
// of hulls are those of contact/leaf, which other models use too.  Above a primitive, which needs no plane, the
// vertices of all hulls have the same barrier.
#include "contact/common/points.h"
#include "contact/leaf/walls.h"
#include "math/vector.h"

static enum dc_status create(struct dc_contact *contact, struct dc_error *error)
{
  if (!(contact->own = dc_arena_alloc(contact->arena, 1, sizeof(struct dc_sdrs))))
    return dc_out_of_memory_for(error, "convex hulls");
  return dc_sdrs_make_hulls(contact, contact->own, error);
}

// One pair above a primitive.
struct evaluation {
  struct dc_contact *contact;
  int pair, order;
  const struct dc_pose *poses;
  struct dc_pair_derivatives *result;
};

// Adds P_s of the gap of a vertex x of body a, in the frame of a: with n the gradient of the gap and z = (r x n; n)/l
//     P_xi = P_s' z,   P_xixi = P_s'' z z^T + rotation block P_s'/l [(n r^T + r n^T)/2 - (n.r) I].
// about: the primitive about the centre of a, world axes.
static void add_vertex(const struct evaluation *e, const struct dc_primitive *about, const double x[3], double height)
{
  struct dc_contact *contact = e->contact;
  struct dc_pair_derivatives *result = e->result;
  double unit = 1 / contact->settings.length, r[3], n[3], z[6], p[3];
  contact->pairs[e->pair].counts.exact++;
  dc_sdrs_barrier(contact->settings.support, height * unit, p);
  result->energy += p[0];
  if (e->order < 1)
    return;
  dc_mat_apply(r, e->poses[contact->pairs[e->pair].a].rotation, x);
  dc_primitive_gap(about, r, n);
  dc_vec_cross(z, r, n);
  dc_vec_copy(z + 3, n);
  double along = dc_vec_dot(n, r);
  for (int k = 0, entry = 0; k < 6; k++) {
    result->gradient[k] += p[1] * unit * z[k];
    for (int l = 0; l <= k && e->order > 1; l++, entry++) {
      result->hessian[entry] += p[2] * unit * unit * z[k] * z[l];
      if (k < 3)
        result->hessian[entry] += p[1] * unit * (0.5 * (n[k] * r[l] + n[l] * r[k]) - (k == l ? along : 0));
    }
  }
}

// A body above a primitive, which stands still: the sum of P_s(h_v/l) over the vertices of all hulls.
static void evaluate_primitive(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                               struct dc_pair_derivatives *result)
{
  const struct evaluation e = {.contact = contact, .pair = p, .order = order, .poses = poses, .result = result};
  struct dc_pair *pair = &contact->pairs[p];
  const struct dc_sdrs_body *body = &((const struct dc_sdrs *)contact->own)->bodies[pair->a];
  const struct dc_primitive *primitive = &contact->colliders[pair->b].primitive;
  const struct dc_pose *pose = &poses[pair->a];
  double unit = 1 / contact->settings.length;
  struct dc_primitive seen, about = dc_primitive_about(primitive, pose);
  primitive->type->see(primitive, pose->position, pose->rotation, &seen);
  dc_sdrs_begin_pair(contact, p);
  for (int i = 0; i < body->hull_count && !pair->crossing; i++)
    for (int v = 0; v < dc_sdrs_hull_size(body, i) && !pair->crossing; v++) {
      const double *x = dc_sdrs_hull_vertex(body, i, v);
      double height = dc_primitive_gap(&seen, x, NULL);
      pair->counts.visited++;
      pair->gap = fmin(pair->gap, height);
      pair->crossing = !(height > 0);
      if (pair->crossing || height * unit >= contact->settings.support)
        continue;
      add_vertex(&e, &about, x, height);
    }
  dc_sdrs_finish_pair(pair, result);
}

static const struct dc_contact_methods methods = {.create = create,
                                                  .destroy = dc_sdrs_destroy,
                                                  .reset = dc_sdrs_reset,
                                                  .evaluate_pair = dc_sdrs_evaluate_pair,
                                                  .evaluate_primitive = evaluate_primitive,
                                                  .friction = &dc_sdrs_friction_methods,
                                                  .points = &dc_sdrs_points};

const struct dc_contact_model dc_contact_sdrs = {
    .name = "sdrs",
    .summary = "locally supported barrier between convex hulls on a separating plane",
    .reference = "paper 003, IV.B, IV.C, VII and VIII",
    .options = dc_sdrs_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_FRICTION | DC_CONTACT_SHAPES,
    .methods = &methods,
};
