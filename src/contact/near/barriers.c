// SPDX-License-Identifier: Apache-2.0
// Potentials of single gaps, which a motion changes strongly (dynamics/barrier_step.c):
// * of a triangle pair or leaf pair on its plane, w (P - 12) with P(S) and S = sum k / h over its corners, whose
//   gradient is w P' F_xi, F_xi = -(a x n; Q n), a = sum_A k r / h^2, Q = sum_A k / h^2 (docs/theory.md, "Triangle
//   pairs");
// * of a vertex above a primitive, 12 l w / h.
#include <math.h>

#include "contact/common/contact_internal.h"
#include "math/vector.h"

// How the frames of a pair move, and how far points of them do at most.
struct twists {
  const double *a, *b;
  double relative[6];  // of a against b about the centre of a
  double arm[3], reach;
};

// Relative twist of a pair about the first body's origin, and how far any point of the first body can move by it:
// pairs farther apart change by less.
static struct twists twists_of(const struct dc_contact *contact, const struct dc_pair *pair,
                               const struct dc_pose *poses, const double (*twists)[6])
{
  struct twists t = {.a = twists[pair->a], .b = twists[pair->b]};
  double carried[3];
  dc_vec_sub(t.arm, poses[pair->a].position, poses[pair->b].position);
  dc_vec_cross(carried, t.b, t.arm);
  for (int k = 0; k < 3; k++) {
    t.relative[k] = t.a[k] - t.b[k];
    t.relative[3 + k] = t.a[3 + k] - t.b[3 + k] - carried[k];
  }
  t.reach = dc_vec_norm(t.relative + 3) + dc_vec_norm(t.relative) * contact->colliders[pair->a].radius;
  return t;
}

// How much the fraction differs from its parabola, over the energy: beyond the pole by more than anything else.
static double bending(double u)
{
  return u < 1 ? fabs(u * u * u / (1 - u)) : INFINITY;
}

// The barriers that a motion changes most, so far.
struct list {
  struct dc_contact_barrier *barriers;
  int count, capacity;
  double least;
};

// Adds a barrier by its energy and the gradient for a motion of a against b.
static void add(struct list *list, const struct twists *t, int p, double energy, const double gradient[6])
{
  double change = dc_dot(gradient, t->relative, 6) / energy, cross[3], size = energy * bending(change);
  int at = list->count < list->capacity ? list->count : 0;
  if (!(energy > 0) || !(fabs(change) > list->least))
    return;
  if (list->count < list->capacity) {
    list->count++;
  } else {
    for (int k = 1; k < list->capacity; k++)
      at = list->barriers[k].size < list->barriers[at].size ? k : at;
    if (size <= list->barriers[at].size)
      return;
  }
  struct dc_contact_barrier *barrier = &list->barriers[at];
  *barrier = (struct dc_contact_barrier){.pair = p, .energy = energy, .change = change, .size = size};
  dc_vec_cross(cross, t->arm, gradient + 3);
  for (int k = 0; k < 3; k++) {
    barrier->gradient[k] = gradient[k];
    barrier->gradient[3 + k] = gradient[3 + k];
    barrier->gradient[6 + k] = -(gradient[k] + cross[k]);
    barrier->gradient[9 + k] = -gradient[3 + k];
  }
}

// Barriers against a primitive: phi = 12 L w/z of each vertex at height z, with its gradient -phi/z times (r x n, n).
static void add_vertices(const struct dc_contact *contact, int p, const struct dc_pose *poses, const struct twists *t,
                         struct list *list)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a];
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[pair->b].primitive, &poses[pair->a]);
  for (int v = 0; v < a->vertex_count; v++) {
    double normal[3], gradient[6], height = dc_primitive_gap(&seen, a->turned[v], normal) - dc_vertex_radius(a, v);
    if (!(height > 0) || height * list->least > t->reach)
      continue;
    double energy = 12 * contact->settings.length * a->vertex_weight[v] / height;
    dc_vec_cross(gradient, a->turned[v], normal);
    dc_vec_copy(gradient + 3, normal);
    for (int k = 0; k < 6; k++)
      gradient[k] *= -energy / height;
    add(list, t, p, energy, gradient);
  }
}

// Adds k / h of the corners of one leaf to *sum, and k / h^2 and k r / h^2 to *q and q_arm where these are wanted.
static void add_corners(const struct dc_collider *collider, int index, const double n[3], double offset, double sign,
                        double *sum, double *q, double q_arm[3])
{
  struct dc_leaf leaf = dc_leaf_of(collider, index);
  double share = 3.0 / leaf.count;
  for (int v = 0; v < leaf.count; v++) {
    const double *r = collider->turned[dc_leaf_vertex(&leaf, v)];
    double inverse = 1 / (sign * (dc_vec_dot(n, r) + offset) - leaf.radius);
    *sum += share * inverse;
    if (!q)
      continue;
    *q += share * inverse * inverse;
    dc_vec_add_scaled(q_arm, q_arm, share * inverse * inverse, r);
  }
}

// The barrier of one pair of triangles or leaves, P = W root (root + 2 sqrt 12) with root^2 = L sum s/u over the
// corners at heights u above and below the held plane. The plane is at its optimum, so that its own motion does not
// enter the gradient.
static void add_term(const struct dc_contact *contact, int p, size_t t, const struct dc_pose *poses,
                     const struct twists *twists, struct list *list)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_term *term = &pair->near.terms[t];
  const double *plane = dc_near_plane_of(&pair->near, t);
  double n[3], sum = 0, q = 0, q_arm[3] = {0, 0, 0}, gradient[6], length = contact->settings.length;
  if (!plane || dc_vec_dot(plane, plane) < 0.5)
    return;
  dc_mat_apply(n, poses[pair->b].rotation, plane);
  add_corners(a, term->i, n, plane[3] + dc_vec_dot(n, twists->arm), 1, &sum, &q, q_arm);
  add_corners(b, term->j, n, plane[3], -1, &sum, NULL, NULL);
  if (!(sum > 0))
    return;
  double root = sqrt(length * sum),
         weight = a->leaf_weight[term->i] * b->leaf_weight[term->j] * pair->near.weights[term->blend];
  dc_vec_cross(gradient, q_arm, n);
  dc_vec_scale(gradient + 3, n, q);
  for (int k = 0; k < 6; k++)
    gradient[k] *= -weight * length * (1 + sqrt(12) / root);
  add(list, twists, p, weight * root * (root + 2 * sqrt(12)), gradient);
}

// Candidates are left out early, pair by pair and term by term, where the motion is too short to use up `least` of
// their gap.
int dc_contact_barriers(const struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6],
                        double least, struct dc_contact_barrier *barriers, int capacity)
{
  struct list list = {.barriers = barriers, .capacity = capacity, .least = least};
  if (!contact->model->methods->sums_planes)
    return 0;
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *pair = &contact->pairs[p];
    const struct twists t = twists_of(contact, pair, poses, twists);
    if (pair->gap * least > t.reach)
      continue;
    if (contact->colliders[pair->b].primitive.type)
      add_vertices(contact, p, poses, &t, &list);
    else
      for (size_t k = 0; k < pair->near.count; k++)
        if (pair->near.gaps[k] * least < t.reach)
          add_term(contact, p, k, poses, &t, &list);
  }
  return list.count;
}
