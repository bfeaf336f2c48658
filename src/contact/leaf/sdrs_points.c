// SPDX-License-Identifier: Apache-2.0
// The potential of sdrs by the vertices of its hulls (docs/theory.md, "Points").
//
// In units of length, with the plane (n, o) and u_v = s_v (n.x_v + o) of docs/theory.md, "SDRS": by the envelope
// theorem dU/dx_v = s_v P_s'(u_v) n.  With velocities x_v' the plane answers by
//     H (o', n') = -sum_v s_v [P_s'' (s_v n.x_v') (1, x_v) + P_s' (0, x_v')],
//     u_v' = s_v (n.x_v' + n'.x_v + o'),     rate of dU/dx_v:  s_v (P_s'' u_v' n + P_s' n').
// Everything of a plane is in its frame.  Above a primitive: dc_points_add_primitive.
#include <math.h>
#include <string.h>

#include "contact/common/points.h"
#include "contact/leaf/walls.h"

static const struct dc_sdrs_body *body_of(const struct dc_contact *contact, int body)
{
  return &((const struct dc_sdrs *)contact->own)->bodies[body];
}

static int count(const struct dc_contact *contact, int body)
{
  const struct dc_sdrs_body *hulls = body_of(contact, body);
  if (hulls->hull_count == 0)
    return 0;
  return hulls->corners ? contact->colliders[body].vertex_count : hulls->first[hulls->hull_count];
}

static const double (*places(const struct dc_contact *contact, int body))[3]
{
  return body_of(contact, body)->vertices;
}

// A pair of hulls on its plane.
struct facing {
  const struct dc_sdrs_hulls *hulls;
  const struct dc_points *points;
  const struct dc_sdrs_contact *pair;
  struct dc_sdrs_frame frame;
  double slack, unit;
};

static void locate(const struct facing *f, int v, int *body, int *index)
{
  bool first = v < f->hulls->count_a;
  *body = first ? f->points->pair->a : f->points->pair->b;
  *index = dc_sdrs_hull_index(body_of(f->points->contact, *body), first ? f->pair->i : f->pair->j,
                              first ? v : v - f->hulls->count_a);
}

static double side(const struct facing *f, int v)
{
  return v < f->hulls->count_a ? 1 : -1;
}

// Velocity of a vertex in the frame of the plane, in units of length.
static void local_velocity(const struct facing *f, int v, double x[3])
{
  double velocity[3];
  int body, index;
  locate(f, v, &body, &index);
  dc_points_velocity(f->points, body, index, velocity);
  dc_mat_apply(x, f->frame.axes, velocity);
  dc_vec_scale(x, x, f->unit);
}

// The rate of the plane that the velocities of the vertices bring about: -H^-1 times the mixed derivatives.
static void plane_answer(const struct facing *f, double answer[4])
{
  double h[4][4] = {{0}}, rhs[4] = {0, 0, 0, 0}, p[3], x[3], size = 1 - f->slack;
  for (int v = 0; v < f->hulls->count; v++) {
    const double *place = f->hulls->local[v];
    dc_sdrs_barrier(f->hulls->support, f->hulls->distance[v], p);
    if (p[1] == 0 && p[2] == 0)
      continue;
    dc_sdrs_add_to_plane(p[2], place, h);
    local_velocity(f, v, x);
    rhs[0] -= p[2] * size * x[2];
    for (int k = 0; k < 3; k++)
      rhs[1 + k] -= p[2] * size * x[2] * place[k] + side(f, v) * p[1] * x[k];
  }
  dc_sdrs_add_slack_to_plane(f->hulls->support, f->slack, h);
  memset(answer, 0, 4 * sizeof *answer);
  if (dc_sdrs_factor_plane(h) < INFINITY)  // else rounding alone brings the hulls within the support
    dc_sdrs_solve_plane((const double(*)[4])h, rhs, answer);
}

// A vector in the frame of the plane.
static void add_to(const struct facing *f, int v, const double local[3], double (*const *results)[3])
{
  double world[3];
  int body, index;
  locate(f, v, &body, &index);
  dc_mat_apply_transposed(world, f->frame.axes, local);
  dc_vec_add_scaled(results[body][index], results[body][index], f->unit, world);
}

// Forces and products of a pair of hulls.
static void add_hulls(const struct facing *f)
{
  double answer[4], p[3], size = 1 - f->slack;
  if (f->points->products)
    plane_answer(f, answer);
  for (int v = 0; v < f->hulls->count; v++) {
    const double *place = f->hulls->local[v];
    double x[3], local[3] = {0, 0, 0};
    dc_sdrs_barrier(f->hulls->support, f->hulls->distance[v], p);
    if (p[1] == 0 && p[2] == 0)
      continue;
    local[2] = -side(f, v) * p[1] * size;
    if (f->points->forces)
      add_to(f, v, local, f->points->forces);
    if (!f->points->products)
      continue;
    local_velocity(f, v, x);
    double rate = side(f, v) * (size * x[2] + dc_vec_dot(answer + 1, place) + answer[0]);
    dc_vec_scale(local, answer + 1, side(f, v) * p[1]);
    local[2] += side(f, v) * p[2] * rate * size;
    add_to(f, v, local, f->points->products);
  }
}

// Distance of the hulls along the normal of their plane, m.
static double gap_of(const struct facing *f)
{
  double least[2] = {INFINITY, INFINITY};
  for (int v = 0; v < f->hulls->count; v++)
    least[v >= f->hulls->count_a] = fmin(least[v >= f->hulls->count_a], f->hulls->distance[v]);
  return (least[0] + least[1]) / (f->unit * (1 - f->slack));
}

// Forces and products of the vertices of hulls above a primitive.
static void add_primitive(const struct dc_points *points)
{
  const struct dc_contact *contact = points->contact;
  const struct dc_pair *pair = points->pair;
  const struct dc_sdrs_body *body = body_of(contact, pair->a);
  const struct dc_pose *pose = &points->poses[pair->a];
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[pair->b].primitive, pose);
  double unit = 1 / contact->settings.length;
  for (int i = 0; i < body->hull_count; i++)
    for (int v = 0; v < dc_sdrs_hull_size(body, i); v++) {
      double arm[3], value[3];
      dc_mat_apply(arm, pose->rotation, dc_sdrs_hull_vertex(body, i, v));
      double gap = dc_primitive_gap(&seen, arm, NULL);
      if (gap > points->reach || gap * unit >= contact->settings.support)
        continue;
      dc_sdrs_barrier(contact->settings.support, gap * unit, value);
      value[1] *= unit;
      value[2] *= unit * unit;
      dc_points_add_primitive(points, &seen, arm, dc_sdrs_hull_index(body, i, v), value);
    }
}

// All pairs of hulls within reach at the last evaluation, whose planes are at hand.
static int add_pair(struct dc_points *points)
{
  const struct dc_contact *contact = points->contact;
  int p = (int)(points->pair - contact->pairs);
  struct dc_sdrs_pair *own = &((struct dc_sdrs *)contact->own)->pairs[p];
  if (contact->colliders[points->pair->b].primitive.type) {
    add_primitive(points);
    return 0;
  }
  for (size_t k = 0; k < own->contact_count; k++) {
    struct facing f = {
        .hulls = &own->hulls, .points = points, .pair = &own->contacts[k], .unit = 1 / contact->settings.length};
    struct dc_sdrs_plane plane;
    if (dc_sdrs_load(contact, p, f.pair->i, f.pair->j, points->poses))
      return -1;
    dc_sdrs_plane_at(dc_plane_cache_find(&own->planes, f.pair->i, f.pair->j), points->poses[points->pair->b].rotation,
                     points->arm, contact->settings.length, &plane);
    f.slack = plane.slack;
    if (dc_sdrs_make_frame(&own->hulls, &plane, 2, &f.frame) && gap_of(&f) <= points->reach)
      add_hulls(&f);
  }
  return 0;
}

const struct dc_point_methods dc_sdrs_points = {.count = count, .places = places, .add_pair = add_pair};
