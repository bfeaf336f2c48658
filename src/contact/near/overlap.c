// SPDX-License-Identifier: Apache-2.0
// Whether bodies overlap at the start, crossing surfaces or one inside the other, and how deep.
#include <float.h>
#include <math.h>

#include "contact/common/contact_internal.h"
#include "contact/near/constants.h"
#include "contact/common/leaf_pair.h"
#include "geometry/convex/distance.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/triangle.h"
#include "math/vector.h"

enum { STACK = 256 };

// The vertices of a triangle or a convex leaf in world axes about c_a.
static struct dc_leaf place(const struct dc_collider *collider, int index, const double shift[3], double (*x)[3])
{
  struct dc_leaf leaf = dc_leaf_of(collider, index);
  for (int v = 0; v < leaf.count; v++)
    dc_vec_add(x[v], collider->turned[dc_leaf_vertex(&leaf, v)], shift);
  return leaf;
}

// The separation of two leaves, as dc_triangle_separation gives it for triangles.
static double separation(const struct dc_collider *a, int i, const struct dc_collider *b, int j, const double shift[3],
                         double margin)
{
  static const double none[3] = {0, 0, 0};
  double x[DC_LEAF_CORNERS][3], y[DC_LEAF_CORNERS][3], normal[3];
  struct dc_leaf p = place(a, i, none, x), q = place(b, j, shift, y);
  if (p.corners && q.corners)
    return dc_triangle_separation((const double(*)[3])x, (const double(*)[3])y, margin, normal);
  return dc_leaf_separation((const double(*)[3])x, p.count, p.radius, (const double(*)[3])y, q.count, q.radius, normal);
}

// The least separation of two triangles of two surfaces where it is at most the margin, negative when they cross;
// otherwise a number above it.  A separation that is at most `enough` ends the search.
static double least_separation(const struct dc_collider *a, const struct dc_collider *b, const double shift[3],
                               double margin, double enough)
{
  int stack[STACK][2], top = 0;
  double least = INFINITY;
  stack[top][0] = stack[top][1] = 0;
  top++;
  while (top && !(least <= enough)) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    double d[3];
    for (int k = 0; k < 3; k++)
      d[k] = a->spheres[i][k] - b->spheres[j][k] - shift[k];
    if (dc_vec_norm(d) > a->tree.radius[i] + b->tree.radius[j] + margin)
      continue;
    if (a->tree.right[i] < 0 && b->tree.right[j] < 0) {
      least = fmin(least, separation(a, a->tree.triangle[i], b, b->tree.triangle[j], shift, margin));
      continue;
    }
    top = dc_push_children(&a->tree, i, &b->tree, j, stack, top);
  }
  return least;
}

// The solid of a collider: of convex leaves its shape's mesh, whose origin is at -center.
static struct dc_mesh mesh_of(const struct dc_collider *collider)
{
  if (collider->leaf_first)
    return collider->body->shape->mesh;
  return (struct dc_mesh){.vertex_count = collider->vertex_count,
                          .triangle_count = collider->triangle_count,
                          .vertices = collider->vertices,
                          .triangles = (int(*)[3])collider->triangles};
}

static bool solid_holds(const struct dc_collider *collider, const struct dc_mesh *mesh, const double local[3])
{
  double point[3] = {local[0], local[1], local[2]};
  if (collider->leaf_first)
    dc_vec_add(point, point, collider->body->center);
  return dc_vec_norm(local) <= collider->radius && dc_mesh_contains(mesh, point);
}

// True when a connected part of the surface of inner lies inside the solid of outer: one vertex of it does, as
// surfaces do not meet.  Nothing in a cavity is inside the solid.
static bool contains(const struct dc_contact *contact, int outer, int inner, const struct dc_pose *poses)
{
  const struct dc_collider *collider = &contact->colliders[outer], *within = &contact->colliders[inner];
  struct dc_mesh mesh = mesh_of(collider);
  double shift[3];
  dc_vec_sub(shift, poses[inner].position, poses[outer].position);
  for (int part = 0; part < within->part_count; part++) {
    double d[3], local[3];
    dc_vec_add(d, shift, within->turned[within->parts[part]]);
    dc_mat_apply_transposed(local, poses[outer].rotation, d);
    if (solid_holds(collider, &mesh, local))
      return true;
  }
  return false;
}

// The least separation of the bodies of a pair where it is at most the margin: how deep they overlap at least,
// negative, or 0 where one is inside of the other; otherwise a number above the margin.  Of separations that are at
// most `enough` any may be returned.
static double pair_separation(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_pose *poses,
                              double margin, double enough)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  double least = INFINITY, shift[3];
  if (b->primitive.type) {
    struct dc_primitive seen = dc_primitive_about(&b->primitive, &poses[pair->a]);
    for (int v = 0; v < a->vertex_count; v++)
      least = fmin(least, dc_primitive_gap(&seen, a->turned[v], NULL) - dc_vertex_radius(a, v));
    return least;
  }
  dc_vec_sub(shift, poses[pair->b].position, poses[pair->a].position);
  if (dc_vec_norm(shift) > a->radius + b->radius + margin)
    return INFINITY;
  least = least_separation(a, b, shift, margin, enough);
  if (least <= margin)
    return least;
  return contains(contact, pair->b, pair->a, poses) || contains(contact, pair->a, pair->b, poses) ? 0 : INFINITY;
}

static void turn_all(struct dc_contact *contact, const struct dc_pose *poses)
{
  for (int i = 0; i < contact->bodies->count; i++)
    dc_collider_turn(&contact->colliders[i], &poses[i]);
  contact->fixed_turned = true;
}

void dc_contact_overlaps(struct dc_contact *contact, const struct dc_pose *poses, bool *overlaps)
{
  turn_all(contact, poses);
  for (int p = 0; p < contact->pair_count; p++)
    overlaps[p] = pair_separation(contact, &contact->pairs[p], poses, 0, 0) <= 0;
}

// The first pair counts, because one is enough for an error, and all pairs would be the dearest part of opening a
// scene.
bool dc_contact_overlap(struct dc_contact *contact, const struct dc_pose *poses, int *pair, double *depth)
{
  turn_all(contact, poses);
  for (int p = 0; p < contact->pair_count; p++) {
    double separation = pair_separation(contact, &contact->pairs[p], poses, 0, -INFINITY);
    if (separation <= 0) {
      *pair = p;
      *depth = -separation;
      return true;
    }
  }
  return false;
}

// Proves that no pair overlaps: every separation must exceed its rounding error; else *pair is the first that may
// overlap.
bool dc_contact_certainly_apart(struct dc_contact *contact, const struct dc_pose *poses, int *pair, double *separation)
{
  turn_all(contact, poses);
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *own = &contact->pairs[p];
    const struct dc_pose *a = &poses[own->a], *b = &poses[own->b];
    double size = dc_vec_distance(a->position, b->position) + contact->colliders[own->a].radius;
    size += contact->colliders[own->b].primitive.type ? dc_vec_norm(a->position) : contact->colliders[own->b].radius;
    double margin = DC_NEAR_SEPARATION_NOISE * size, least = pair_separation(contact, own, poses, margin, -INFINITY);
    if (least > margin)
      continue;
    *pair = p;
    *separation = least;
    return false;
  }
  return true;
}

// How deep: two balls about one point, one in either solid, of radii r and s, are parted by a motion of r + s at
// least, and so are the solids.  Points are tried on the line between the centres of mass, on the surfaces, and below
// them; for balls, for convex bodies that meet at faces, and for what lies inside a ball, the greatest sum is the
// depth.

// Distance of a point of the world from the surface of the solid that holds it; 0 outside.
static double distance_inside(const struct dc_collider *collider, const struct dc_pose *pose, const double point[3])
{
  struct dc_mesh mesh = mesh_of(collider);
  double d[3], x[4][3], least = INFINITY;
  dc_vec_sub(d, point, pose->position);
  dc_mat_apply_transposed(x[0], pose->rotation, d);
  if (!solid_holds(collider, &mesh, x[0]))
    return 0;
  if (collider->leaf_first)
    dc_vec_add(x[0], x[0], collider->body->center);
  for (int t = 0; t < mesh.triangle_count; t++) {
    struct dc_closest closest;
    for (int v = 0; v < 3; v++)
      dc_vec_copy(x[1 + v], mesh.vertices[mesh.triangles[t][v]]);
    dc_closest_point_triangle((const double(*)[3])x, &closest);
    least = fmin(least, closest.square);
  }
  return sqrt(least);
}

struct overlap {
  const struct dc_collider *collider[2];
  const struct dc_pose *pose[2];
};

// The bound from one point; own: the side on whose surface it lies, or -1.
static double depth_at(const struct overlap *overlap, const double point[3], int own)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    double distance = side == own ? 0 : distance_inside(overlap->collider[side], overlap->pose[side], point);
    if (side != own && distance == 0)
      return 0;
    sum += distance;
  }
  return sum;
}

// A vertex of the mesh of a body, from its centre of mass in world axes.
static void turned_corner(const struct dc_collider *collider, const struct dc_pose *pose, const struct dc_mesh *mesh,
                          int vertex, double corner[3])
{
  double local[3];
  if (!collider->leaf_first) {
    dc_vec_copy(corner, collider->turned[vertex]);
    return;
  }
  dc_vec_sub(local, mesh->vertices[vertex], collider->body->center);
  dc_mat_apply(corner, pose->rotation, local);
}

// The greatest bound from points on and below some triangles of one side.
static double depth_below(const struct overlap *overlap, int side, int samples)
{
  enum { LEVELS = 5 };  // depths of 1/2, 1/4, ... of the radius
  const struct dc_collider *collider = overlap->collider[side];
  struct dc_mesh mesh = mesh_of(collider);
  double depth = 0;
  for (int i = 0; i < samples; i++) {
    const int *triangle = mesh.triangles[(int)((double)i * mesh.triangle_count / samples)];
    double a[3], u[3], v[3], normal[3], point[3];
    turned_corner(collider, overlap->pose[side], &mesh, triangle[0], a);
    turned_corner(collider, overlap->pose[side], &mesh, triangle[1], u);
    turned_corner(collider, overlap->pose[side], &mesh, triangle[2], v);
    dc_vec_sub(u, u, a);
    dc_vec_sub(v, v, a);
    dc_vec_cross(normal, u, v);
    double below = collider->radius * pow(0.5, 1 + i % LEVELS) / dc_vec_norm(normal);
    for (int k = 0; k < 3; k++)
      point[k] = overlap->pose[side]->position[k] + a[k] + (u[k] + v[k]) / 3;
    depth = fmax(depth, depth_at(overlap, point, side));
    dc_vec_add_scaled(point, point, -below, normal);
    depth = fmax(depth, depth_at(overlap, point, -1));
  }
  return depth;
}

// The depth is at least the separation found before, the depth at points on the line between the centres, and that at
// sampled points of either surface; the largest of these is kept.
double dc_contact_overlap_depth(const struct dc_contact *contact, const struct dc_pose *poses, int pair)
{
  enum { MOST_SAMPLES = 64, ON_LINE = 8 };
  const double most_work = 1e6;  // triangles looked at by the samples of one side: half a second
  const struct dc_pair *bodies = &contact->pairs[pair];
  const struct overlap overlap = {{&contact->colliders[bodies->a], &contact->colliders[bodies->b]},
                                  {&poses[bodies->a], &poses[bodies->b]}};
  double depth = fmax(0, -pair_separation(contact, bodies, poses, 0, -INFINITY));
  if (overlap.collider[1]->primitive.type)
    return depth;
  for (int i = 0; i <= ON_LINE; i++) {
    double point[3];
    for (int k = 0; k < 3; k++)
      point[k] = poses[bodies->a].position[k] +
                 (double)i / ON_LINE * (poses[bodies->b].position[k] - poses[bodies->a].position[k]);
    depth = fmax(depth, depth_at(&overlap, point, -1));
  }
  double triangles = overlap.collider[0]->triangle_count + (double)overlap.collider[1]->triangle_count;
  int samples = (int)fmin(MOST_SAMPLES, most_work / triangles);
  for (int side = 0; side < 2; side++)
    depth = fmax(depth, depth_below(&overlap, side, samples));
  double rounding = 1e-12 * (overlap.collider[0]->radius + overlap.collider[1]->radius);
  return depth > rounding ? depth : 0;
}
