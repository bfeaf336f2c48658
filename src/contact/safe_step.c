// SPDX-License-Identifier: Apache-2.0
// Continuous collision detection: how far a step may go before two surfaces could meet (docs/theory.md, "No
// tunnelling").
//
// Along the step a point r of a body moves as x(s) = c + s t + exp(s [w]x) r, so over a stretch d from s it is
// within d^2/2 |w|^2 |r| of its tangent.  Node spheres move with their centres; at leaves the separation along a
// fixed axis is a lower bound that only motion towards each other lowers.
#include <math.h>

#include "contact/contact_internal.h"
#include "geometry/triangle.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { STACK = 256, ADVANCES = 48 };
static const double KEPT_GAP = 0.1;        // part of the gap that a step may not use up
static const double CLOSED = 1e-6;         // a gap this much below that is not passed through
static const double ROUNDING = 1 + 1e-12;  // on sums of radii

// The first s >= 0 with room + slope s - bend s^2 / 2 <= 0; INFINITY when there is none.  Of the two forms of the
// root the one without cancellation: what the other is too large by, times the slope, may exceed the room.
static double first_zero(double room, double slope, double bend)
{
  if (!(room > 0))
    return 0;
  double root = sqrt(slope * slope + 2 * bend * room);
  if (slope < 0)
    return 2 * room / (root - slope);
  return bend > 0 ? (slope + root) / bend : INFINITY;
}

struct motion {
  const double *center, *w, *t;
  double spin;  // |w|^2
};

static struct motion motion_of(const struct dc_pose *pose, const double twist[6])
{
  return (struct motion){.center = pose->position, .w = twist, .t = twist + 3, .spin = dc_vec_dot(twist, twist)};
}

// Velocity of the point at arm r from the centre.
static void point_velocity(const struct motion *motion, const double r[3], double velocity[3])
{
  dc_vec_cross(velocity, motion->w, r);
  dc_vec_add(velocity, velocity, motion->t);
}

static double half_space_fraction(const struct dc_collider *a, const struct dc_collider *b, const struct motion *motion)
{
  double safe = 1;
  for (int v = 0; v < a->vertex_count; v++) {
    const double *r = a->turned[v];
    double velocity[3], height = dc_vec_dot(b->normal, motion->center) + dc_vec_dot(b->normal, r) - b->height;
    point_velocity(motion, r, velocity);
    safe =
        fmin(safe, first_zero((1 - KEPT_GAP) * height, dc_vec_dot(b->normal, velocity), motion->spin * dc_vec_norm(r)));
  }
  return safe;
}

// Vertices of a triangle at fraction s of the step, their velocities there and the bends of their paths.
struct moving_triangle {
  double x[3][3], velocity[3][3], bend[3];
};

static void move_triangle(const struct dc_collider *collider, int triangle, const struct motion *motion, double s,
                          struct moving_triangle *moved)
{
  double q[4], rotation[9], turn[3];
  dc_vec_scale(turn, motion->w, s);
  dc_rotation_exp(q, turn);
  dc_rotation_matrix(rotation, q);
  for (int v = 0; v < 3; v++) {
    double r[3];
    dc_mat_apply(r, rotation, collider->turned[collider->triangles[triangle][v]]);
    point_velocity(motion, r, moved->velocity[v]);
    moved->bend[v] = motion->spin * dc_vec_norm(r);
    for (int k = 0; k < 3; k++)
      moved->x[v][k] = motion->center[k] + s * motion->t[k] + r[k];
  }
}

// How far the triangles may go from p and q before their gap along normal (from q to p) could fall below kept.
static double safe_stretch(const struct moving_triangle *p, const struct moving_triangle *q, const double normal[3],
                           double kept)
{
  double stretch = INFINITY;
  for (int u = 0; u < 3; u++)
    for (int v = 0; v < 3; v++) {
      double d[3], relative[3];
      dc_vec_sub(d, p->x[u], q->x[v]);
      dc_vec_sub(relative, p->velocity[u], q->velocity[v]);
      double room = dc_vec_dot(normal, d) - kept, slope = dc_vec_dot(normal, relative);
      stretch = fmin(stretch, first_zero(room, slope, p->bend[u] + q->bend[v]));
    }
  return stretch;
}

// Advances to where the gap may have fallen to the part that is kept, and beyond as long as a gap remains: triangles
// that pass each other closely end with a gap again that is large enough.  pair_gap: of the bodies; what slides along
// at that distance meets triangles that were far away.
static double triangle_fraction(const struct dc_collider *a, int i, const struct motion *motion_a,
                                const struct dc_collider *b, int j, const struct motion *motion_b, double pair_gap,
                                double limit)
{
  double s = 0, reached = INFINITY, kept = 0, normal[3];
  for (int advance = 0; advance < ADVANCES; advance++) {
    struct moving_triangle p, q;
    move_triangle(a, i, motion_a, s, &p);
    move_triangle(b, j, motion_b, s, &q);
    double gap = dc_triangle_separation((const double(*)[3])p.x, (const double(*)[3])q.x, normal);
    if (advance == 0)
      kept = KEPT_GAP * fmin(gap, pair_gap);
    bool enough = gap > 1.01 * kept;
    if (s == limit && enough)
      return limit;
    if (!enough)
      reached = fmin(reached, s);
    if (s == limit || gap <= CLOSED * kept)
      break;
    s += safe_stretch(&p, &q, normal, enough && reached == INFINITY ? kept : KEPT_GAP * gap);
    if (s >= limit && reached == INFINITY)
      return limit;
    s = fmin(s, limit);
  }
  return fmin(reached, s);
}

// Least |d + s v| for s in [0, limit].
static double nearest_approach(const double d[3], const double v[3], double limit)
{
  double square = dc_vec_dot(v, v), s = square > 0 ? fmin(limit, fmax(0, -dc_vec_dot(d, v) / square)) : 0, x[3];
  dc_vec_add_scaled(x, d, s, v);
  return dc_vec_norm(x);
}

static bool nodes_apart(const struct dc_collider *a, int i, const struct motion *motion_a, const struct dc_collider *b,
                        int j, const struct motion *motion_b, double limit)
{
  const double *r_a = a->turned_center[i], *r_b = b->turned_center[j];
  double d[3], velocity[3], other[3];
  point_velocity(motion_a, r_a, velocity);
  point_velocity(motion_b, r_b, other);
  dc_vec_sub(velocity, velocity, other);
  for (int k = 0; k < 3; k++)
    d[k] = (motion_a->center[k] - motion_b->center[k]) + (r_a[k] - r_b[k]);
  double bend = 0.5 * limit * limit * (motion_a->spin * dc_vec_norm(r_a) + motion_b->spin * dc_vec_norm(r_b));
  return nearest_approach(d, velocity, limit) > (a->tree.radius[i] + b->tree.radius[j]) * ROUNDING + bend;
}

static double mesh_fraction(const struct dc_collider *a, const struct motion *motion_a, const struct dc_collider *b,
                            const struct motion *motion_b, double gap)
{
  int stack[STACK][2], top = 0;
  double safe = 1;
  stack[top][0] = stack[top][1] = 0;
  top++;
  while (top) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    if (nodes_apart(a, i, motion_a, b, j, motion_b, safe))
      continue;
    if (a->tree.right[i] < 0 && b->tree.right[j] < 0) {
      safe = triangle_fraction(a, a->tree.triangle[i], motion_a, b, b->tree.triangle[j], motion_b, gap, safe);
      continue;
    }
    top = dc_push_children(&a->tree, i, &b->tree, j, stack, top);
  }
  return safe;
}

// How far any point of a body can move relative to the other's.
static double relative_reach(const struct dc_collider *a, const double twist_a[6], const struct dc_collider *b,
                             const double twist_b[6])
{
  double d[3];
  dc_vec_sub(d, twist_a + 3, twist_b + 3);
  return dc_vec_norm(d) + dc_vec_norm(twist_a) * a->radius + dc_vec_norm(twist_b) * b->radius;
}

double dc_contact_safe_fraction(struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6])
{
  double safe = 1;
#pragma omp parallel for schedule(dynamic, 8) reduction(min : safe) if (dc_contact_worth_threads(contact))
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *pair = &contact->pairs[p];
    const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
    // The gap of the last evaluation is a lower bound of the distance.
    if (relative_reach(a, twists[pair->a], b, twists[pair->b]) < (1 - KEPT_GAP) * pair->gap)
      continue;
    struct motion motion_a = motion_of(&poses[pair->a], twists[pair->a]);
    struct motion motion_b = motion_of(&poses[pair->b], twists[pair->b]);
    safe = fmin(safe, b->half_space ? half_space_fraction(a, b, &motion_a)
                                    : mesh_fraction(a, &motion_a, b, &motion_b, pair->gap));
  }
  return safe;
}
