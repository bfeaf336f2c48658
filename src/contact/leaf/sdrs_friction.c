// SPDX-License-Identifier: Apache-2.0
// Friction of the hulls of sdrs: which pairs slide, on which planes and with which normal forces f_v = -mu |n| P_s'(u_v)
// / l (paper 003, IV.C and VIII; docs/theory.md, "SDRS").  What follows of it is in friction/hull_slip.c.
#include <stdlib.h>
#include <string.h>

#include "contact/leaf/walls.h"
#include "math/vector.h"

static const double SPIN_RADIUS = 1e-6;  // rho, in units of length

static enum dc_status create(struct dc_contact *contact)
{
  contact->friction->own = dc_arena_alloc(contact->arena, 1, sizeof(struct dc_hull_slips));
  return contact->friction->own ? DC_OK : DC_MEMORY;
}

static void destroy(struct dc_friction *friction)
{
  dc_hull_slips_release(friction->own);
}

// The drag rho^2/e holds the spin of a plane whose vertices are near one point (hull_slip_template.h).
static void clear(struct dc_contact *contact)
{
  struct dc_hull_slips *own = contact->friction->own;
  double radius = SPIN_RADIUS * contact->settings.length;
  own->drag = radius * radius / contact->friction->smoothing;
  dc_hull_slips_clear(own);
}

// The last one becomes a unit, a group of its own; -1 when out of memory.
static int finish_sliding(struct dc_friction *friction, int pair, bool primitive)
{
  struct dc_friction_unit like = {.pair = pair, .group = (int)friction->unit_count, .primitive = primitive};
  return dc_hull_slips_finish(friction->own, friction, &like);
}

// Index in its body of vertex v of a pair of hulls, those of a first.
static int index_of(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_sdrs_contact *of,
                    int count_a, int v)
{
  const struct dc_sdrs_body *bodies = ((const struct dc_sdrs *)contact->own)->bodies;
  return v < count_a ? dc_sdrs_hull_index(&bodies[pair->a], of->i, v)
                     : dc_sdrs_hull_index(&bodies[pair->b], of->j, v - count_a);
}

// Lists the pairs of hulls within reach, each with its plane, axes and weighted vertices.
static int list_hulls(struct dc_contact *contact, int p, double scale)
{
  struct dc_friction *common = contact->friction;
  struct dc_hull_slips *friction = common->own;
  struct dc_sdrs_pair *own = &((struct dc_sdrs *)contact->own)->pairs[p];
  struct dc_sdrs_hulls *hulls = &own->hulls;
  const struct dc_pair *pair = &contact->pairs[p];
  double length = contact->settings.length, difference[3];
  dc_vec_sub(difference, common->now[pair->a].position, common->now[pair->b].position);
  for (size_t k = 0; k < own->contact_count; k++) {
    const struct dc_sdrs_contact *of = &own->contacts[k];
    struct dc_sdrs_plane plane;
    struct dc_sdrs_frame frame;
    if (dc_sdrs_load(contact, p, of->i, of->j, common->now))
      return -1;
    struct dc_sliding_hulls *sliding = dc_hull_slips_add(friction);
    if (!sliding || dc_hull_slips_reserve(friction, (size_t)hulls->count))
      return -1;
    dc_sdrs_plane_at(dc_plane_cache_find(&own->planes, of->i, of->j), common->now[pair->b].rotation, difference, length,
                     &plane);
    bool found = dc_sdrs_make_frame(hulls, &plane, 1, &frame);
    if (found)
      memcpy(sliding->axes, frame.axes, sizeof sliding->axes);
    sliding->slack = plane.slack;
    for (int v = 0; v < hulls->count && found; v++) {
      double arm[3], local[3], barrier[3];
      if (hulls->distance[v] >= hulls->support)
        continue;
      dc_sdrs_barrier(hulls->support, hulls->distance[v], barrier);
      if (!(barrier[1] < 0))
        continue;
      dc_vec_scale(arm, hulls->x[v], length);
      if (v >= hulls->count_a)
        dc_vec_add(arm, arm, difference);
      dc_vec_scale(local, hulls->local[v], length);
      dc_hull_slips_add_vertex(friction, sliding, index_of(contact, pair, of, hulls->count_a, v), arm, local,
                               hulls->distance[v], -scale * (1 - plane.slack) * barrier[1]);
      sliding->count_a += v < hulls->count_a;
    }
    if (finish_sliding(common, p, false))
      return -1;
  }
  return 0;
}

// Lists the vertices of hulls above a primitive as one sliding pair.
static int list_vertices(struct dc_contact *contact, int p, double scale)
{
  struct dc_friction *common = contact->friction;
  struct dc_hull_slips *friction = common->own;
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_sdrs_body *body = &((const struct dc_sdrs *)contact->own)->bodies[pair->a];
  const struct dc_primitive *primitive = &contact->colliders[pair->b].primitive;
  const struct dc_pose *pose = &common->now[pair->a];
  double unit = 1 / contact->settings.length, normal[3];
  struct dc_primitive seen, about = dc_primitive_about(primitive, pose);
  struct dc_sliding_hulls *sliding = dc_hull_slips_add(friction);
  if (!sliding)
    return -1;
  dc_primitive_gap(&about, (const double[3]){0, 0, 0}, normal);
  dc_sdrs_complete_axes(normal, sliding->axes);
  primitive->type->see(primitive, pose->position, pose->rotation, &seen);
  for (int i = 0; i < body->hull_count; i++)
    for (int v = 0; v < dc_sdrs_hull_size(body, i); v++) {
      const double *x = dc_sdrs_hull_vertex(body, i, v), none[3] = {0, 0, 0};
      double distance = dc_primitive_gap(&seen, x, NULL) * unit, arm[3], barrier[3];
      if (distance >= contact->settings.support)
        continue;
      if (dc_hull_slips_reserve(friction, 1))
        return -1;
      dc_sdrs_barrier(contact->settings.support, distance, barrier);
      dc_mat_apply(arm, pose->rotation, x);
      dc_hull_slips_add_vertex(friction, sliding, dc_sdrs_hull_index(body, i, v), arm, none, distance,
                               -scale * barrier[1]);
      sliding->count_a++;
    }
  return finish_sliding(common, p, true);
}

// scale is lambda h mu/l: times |n| and the slope of the barrier, which is in units of the length l, it weighs the
// slip of a vertex.
static int list(struct dc_contact *contact, int p, double coefficient)
{
  double scale = coefficient * contact->friction->time_step * contact->friction->stiffness / contact->settings.length;
  if (!(scale > 0))
    return 0;
  return contact->colliders[contact->pairs[p].b].primitive.type ? list_vertices(contact, p, scale)
                                                                : list_hulls(contact, p, scale);
}

// One unit, on any thread.
static void run(struct dc_contact *contact, struct dc_friction_unit *unit, const struct dc_friction_motion *motion)
{
  dc_hull_slips_run(contact->friction->own, contact->kernels, unit, motion);
}

const struct dc_friction_methods dc_sdrs_friction_methods = {
    .create = create, .destroy = destroy, .clear = clear, .list = list, .run = run, .pull_back = dc_sdrs_pull_back};
