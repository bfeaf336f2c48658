// SPDX-License-Identifier: Apache-2.0
// Contact manifolds of convex hulls as physics engines compute them: nearest points or depth, clipping of one face by
// the sides of another, and a choice of four corners.
#include "bench/hull_manifold.h"

#include <math.h>
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/convex/hull_excess.h"
#include "geometry/mesh/mesh.h"
#include "math/vector.h"

enum {
  CELLS = 16,
  TRIANGLES = 2 * DC_HULL_VERTICES_OF_PAPER - 4,
  MOST_VERTICES = 64,
  MOST_CORNERS = 2 * MOST_VERTICES
};
static const double COPLANAR = 1e-9;   // of 1: sine of the angle of two triangles of one face
static const double TOUCHING = 1e-12;  // of the size

// Faces

static bool in_plane(const struct dc_mesh *mesh, const struct dc_bench_hull *hull, int face, const double n[3], int t,
                     double size)
{
  double arm[3];
  dc_vec_sub(arm, mesh->vertices[mesh->triangles[t][0]], mesh->vertices[hull->corners[hull->first[face]]]);
  return dc_vec_distance(hull->normals[face], n) < COPLANAR && fabs(dc_vec_dot(arm, n)) < COPLANAR * size;
}

// Sorts the corners of a face by their angle about its middle.
static void order_corners(const double (*vertices)[3], const double n[3], int *corners, int count)
{
  double middle[3] = {0, 0, 0}, u[3], v[3], angle[MOST_CORNERS];
  for (int i = 0; i < count; i++)
    dc_vec_add_scaled(middle, middle, 1.0 / count, vertices[corners[i]]);
  dc_vec_sub(u, vertices[corners[0]], middle);
  dc_vec_cross(v, n, u);
  for (int i = 0; i < count; i++) {
    double arm[3];
    dc_vec_sub(arm, vertices[corners[i]], middle);
    double own = atan2(dc_vec_dot(arm, v), dc_vec_dot(arm, u));
    int corner = corners[i], place = i;
    for (; place > 0 && angle[place - 1] > own; place--) {
      angle[place] = angle[place - 1];
      corners[place] = corners[place - 1];
    }
    angle[place] = own;
    corners[place] = corner;
  }
}

static void add_corner(int *corners, int *count, int vertex)
{
  for (int i = 0; i < *count; i++)
    if (corners[i] == vertex)
      return;
  corners[(*count)++] = vertex;
}

static void find_faces(const struct dc_mesh *mesh, struct dc_bench_hull *hull, int *first, int *corners, bool *taken)
{
  double size = dc_mesh_size(mesh);
  for (int t = 0; t < mesh->triangle_count; t++) {
    int face = hull->face_count, *own = corners + first[face], count = 0;
    if (taken[t])
      continue;
    dc_unit_normal(mesh, t, hull->normals[face]);
    own[0] = mesh->triangles[t][0];
    for (int other = t; other < mesh->triangle_count; other++) {
      double n[3];
      dc_unit_normal(mesh, other, n);
      if (taken[other] || !in_plane(mesh, hull, face, n, other, size))
        continue;
      taken[other] = true;
      for (int k = 0; k < 3; k++)
        add_corner(own, &count, mesh->triangles[other][k]);
    }
    order_corners(hull->vertices, hull->normals[face], own, count);
    first[++hull->face_count] = first[face] + count;
  }
}

enum dc_status dc_bench_make_hull(const double (*points)[3], int count, struct dc_arena *arena,
                                  struct dc_bench_hull *hull, struct dc_error *error)
{
  struct dc_mesh mesh;
  enum dc_status status = dc_hull(points, count, arena, &mesh, error);
  if (status)
    return status;
  if (mesh.vertex_count > MOST_VERTICES)
    return dc_fail(error, DC_BAD_INPUT, "a hull of %d corners (at most %d)", mesh.vertex_count, MOST_VERTICES);
  size_t triangles = (size_t)mesh.triangle_count;
  int *first = dc_arena_alloc(arena, triangles + 1, sizeof *first),
      *corners = dc_arena_alloc(arena, 3 * triangles, sizeof *corners);
  bool *taken = dc_arena_alloc(arena, triangles, sizeof *taken);
  *hull = (struct dc_bench_hull){.vertex_count = mesh.vertex_count,
                                 .vertices = (const double(*)[3])mesh.vertices,
                                 .first = first,
                                 .corners = corners,
                                 .normals = dc_arena_alloc(arena, triangles, sizeof *hull->normals)};
  if (!first || !corners || !taken || !hull->normals)
    return dc_out_of_memory_for(error, "a hull");
  find_faces(&mesh, hull, first, corners, taken);
  for (int v = 0; v < mesh.vertex_count; v++)
    dc_vec_add_scaled(hull->center, hull->center, 1.0 / mesh.vertex_count, mesh.vertices[v]);
  for (int v = 0; v < mesh.vertex_count; v++)
    hull->radius = fmax(hull->radius, dc_vec_distance(hull->center, mesh.vertices[v]));
  return DC_OK;
}

enum dc_status dc_bench_make_hulls(const struct dc_sdf *sdf, struct dc_arena *arena, struct dc_bench_hull *hulls,
                                   struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (int i = 0; i < sdf->child_count && !status; i++) {
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct dc_sdf part = sdf->children[i];
    struct dc_mesh mesh;
    memset(part.position, 0, sizeof part.position);
    memcpy(part.rotation, still, sizeof part.rotation);
    status = dc_sdf_mesh(&part, CELLS, TRIANGLES, 0, arena, &mesh, error);
    for (int v = 0; !status && v < mesh.vertex_count; v++) {
      double turned[3];
      dc_mat_apply(turned, sdf->children[i].rotation, mesh.vertices[v]);
      dc_vec_add(mesh.vertices[v], turned, sdf->children[i].position);
    }
    if (!status)
      status = dc_bench_make_hull((const double(*)[3])mesh.vertices, mesh.vertex_count, arena, &hulls[i], error);
  }
  return status;
}

// Nearest points

// Everything is in the frame of the first hull.
struct relation {
  double rotation[9], shift[3];
};

static void relate(const struct dc_pose *a, const struct dc_pose *b, struct relation *r)
{
  double apart[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      r->rotation[3 * i + j] = a->rotation[i] * b->rotation[j] + a->rotation[3 + i] * b->rotation[3 + j] +
                               a->rotation[6 + i] * b->rotation[6 + j];
  dc_vec_sub(apart, b->position, a->position);
  dc_mat_apply_transposed(r->shift, a->rotation, apart);
}

static void place(const struct relation *r, const double x[3], double out[3])
{
  dc_mat_apply(out, r->rotation, x);
  dc_vec_add(out, out, r->shift);
}

static double nearest(struct dc_epa *epa, const struct dc_bench_hull *a, const struct dc_bench_hull *b,
                      const struct relation *r, double normal[3], double points[2][3])
{
  struct dc_difference difference = {
      .corners = {{a->vertex_count, a->vertices, NULL, NULL}, {b->vertex_count, b->vertices, NULL, NULL}},
      .rotation = r->rotation};
  struct dc_simplex simplex = {.count = 1};
  struct dc_penetration penetration;
  const struct dc_simplex *found = &simplex;
  double distance, sum[2][3] = {{0}};
  long supports = 0;
  dc_vec_copy(difference.shift, r->shift);
  difference.scale =
      2 * (a->radius + b->radius) + dc_vec_norm(a->center) + dc_vec_norm(b->center) + dc_vec_norm(r->shift);
  difference.touching = TOUCHING * difference.scale;
  dc_difference_at(&difference, &simplex.points[0]);
  if (dc_gjk(&difference, INFINITY, &simplex, &supports) == DC_GJK_APART) {
    distance = dc_vec_norm(simplex.nearest);
    dc_vec_scale(normal, simplex.nearest, -1 / distance);
  } else {
    dc_epa(epa, &difference, &simplex, NULL, &penetration, &supports);
    distance = -penetration.depth;
    dc_vec_copy(normal, penetration.normal);
    found = &penetration.simplex;
  }
  for (int k = 0; k < found->count; k++) {
    const int *index = found->points[k].index;
    dc_vec_add_scaled(sum[0], sum[0], found->weight[k], a->vertices[index[0]]);
    dc_vec_add_scaled(sum[1], sum[1], found->weight[k], b->vertices[index[1]]);
  }
  dc_vec_copy(points[0], sum[0]);
  place(r, sum[1], points[1]);
  return distance;
}

static void to_world(const struct dc_pose *pose, double x[3])
{
  double turned[3];
  dc_mat_apply(turned, pose->rotation, x);
  dc_vec_add(x, turned, pose->position);
}

double dc_bench_hull_distance(struct dc_epa *epa, const struct dc_bench_hull *a, const struct dc_pose *pose_a,
                              const struct dc_bench_hull *b, const struct dc_pose *pose_b, double normal[3],
                              double points[2][3])
{
  struct relation r;
  double local[3];
  relate(pose_a, pose_b, &r);
  double distance = nearest(epa, a, b, &r, local, points);
  dc_mat_apply(normal, pose_a->rotation, local);
  to_world(pose_a, points[0]);
  to_world(pose_a, points[1]);
  return distance;
}

// Clipping

struct polygon {
  int count;
  double x[MOST_CORNERS][3];
};

// Finds the face whose normal is nearest to a direction, in the hull's axes.
static int facing(const struct dc_bench_hull *hull, const double direction[3], double *along)
{
  int best = 0;
  *along = -INFINITY;
  for (int f = 0; f < hull->face_count; f++) {
    double product = dc_vec_dot(hull->normals[f], direction);
    if (product > *along) {
      *along = product;
      best = f;
    }
  }
  return best;
}

static void load_face(const struct dc_bench_hull *hull, int face, const struct relation *r, struct polygon *polygon)
{
  polygon->count = hull->first[face + 1] - hull->first[face];
  for (int i = 0; i < polygon->count; i++) {
    const double *x = hull->vertices[hull->corners[hull->first[face] + i]];
    if (r)
      place(r, x, polygon->x[i]);
    else
      dc_vec_copy(polygon->x[i], x);
  }
}

// Keeps the part of the polygon on the inner side of the plane n.(x - o) = 0.
static void clip(struct polygon *polygon, const double n[3], const double o[3])
{
  struct polygon kept = {.count = 0};
  for (int i = 0; i < polygon->count; i++) {
    const double *a = polygon->x[i], *b = polygon->x[(i + 1) % polygon->count];
    double arm_a[3], arm_b[3];
    dc_vec_sub(arm_a, a, o);
    dc_vec_sub(arm_b, b, o);
    double out_a = dc_vec_dot(n, arm_a), out_b = dc_vec_dot(n, arm_b);
    if (out_a <= 0 && kept.count < MOST_CORNERS)
      dc_vec_copy(kept.x[kept.count++], a);
    if ((out_a < 0 && out_b > 0) || (out_a > 0 && out_b < 0)) {
      double part = out_a / (out_a - out_b);
      for (int k = 0; k < 3 && kept.count < MOST_CORNERS; k++)
        kept.x[kept.count][k] = a[k] + part * (b[k] - a[k]);
      kept.count += kept.count < MOST_CORNERS;
    }
  }
  *polygon = kept;
}

static void clip_by_sides(struct polygon *polygon, const struct polygon *face, const double normal[3])
{
  for (int i = 0; i < face->count; i++) {
    double side[3], out[3];
    dc_vec_sub(side, face->x[(i + 1) % face->count], face->x[i]);
    dc_vec_cross(out, side, normal);
    clip(polygon, out, face->x[i]);
  }
}

// Which corner is farthest by a measure: from a point, from a line, outside of either line of an angle.
static int farthest(const struct polygon *p, const double *measures)
{
  int best = 0;
  for (int i = 1; i < p->count; i++)
    if (measures[i] > measures[best])
      best = i;
  return best;
}

static double off_line(const double x[3], const double a[3], const double b[3], const double normal[3], bool either)
{
  double along[3], arm[3], across[3];
  dc_vec_sub(along, b, a);
  dc_vec_cross(across, along, normal);
  dc_vec_sub(arm, x, a);
  double off = dc_vec_dot(arm, across);
  return either ? fabs(off) : off;
}

// Chooses corners as MJX does: the deepest, the farthest from it, the farthest from their line, and the farthest
// outside of the triangle of these.
static int choose(const struct polygon *p, const double *distances, const double normal[3], int chosen[DC_HULL_POINTS])
{
  double measures[MOST_CORNERS];
  if (p->count <= DC_HULL_POINTS) {
    for (int i = 0; i < p->count; i++)
      chosen[i] = i;
    return p->count;
  }
  for (int i = 0; i < p->count; i++)
    measures[i] = -distances[i];
  chosen[0] = farthest(p, measures);
  for (int i = 0; i < p->count; i++)
    measures[i] = dc_vec_distance(p->x[i], p->x[chosen[0]]);
  chosen[1] = farthest(p, measures);
  const double *a = p->x[chosen[0]], *b = p->x[chosen[1]];
  for (int i = 0; i < p->count; i++)
    measures[i] = off_line(p->x[i], a, b, normal, true);
  chosen[2] = farthest(p, measures);
  const double *c = p->x[chosen[2]];
  double sense = off_line(c, a, b, normal, false) > 0 ? 1 : -1;
  for (int i = 0; i < p->count; i++)  // outside of the triangle's three sides
    measures[i] =
        fmax(-sense * off_line(p->x[i], a, b, normal, false),
             fmax(-sense * off_line(p->x[i], b, c, normal, false), -sense * off_line(p->x[i], c, a, normal, false)));
  chosen[3] = farthest(p, measures);
  return DC_HULL_POINTS;
}

int dc_bench_hull_contacts(struct dc_epa *epa, const struct dc_bench_hull *a, const struct dc_pose *pose_a,
                           const struct dc_bench_hull *b, const struct dc_pose *pose_b,
                           struct dc_hull_contact contacts[DC_HULL_POINTS])
{
  struct relation r;
  struct polygon reference, polygon;
  double n[3], back[3], points[2][3], along[2], heights[MOST_CORNERS], plane[3], normal[3];
  int chosen[DC_HULL_POINTS];
  relate(pose_a, pose_b, &r);
  double distance = nearest(epa, a, b, &r, n, points);
  dc_mat_apply(normal, pose_a->rotation, n);
  dc_mat_apply_transposed(back, r.rotation, n);
  dc_vec_scale(back, back, -1);
  int face_a = facing(a, n, &along[0]), face_b = facing(b, back, &along[1]);
  bool first = along[0] >= along[1];  // the reference face is the one nearer to the direction
  load_face(a, face_a, NULL, first ? &reference : &polygon);
  load_face(b, face_b, &r, first ? &polygon : &reference);
  if (first)
    dc_vec_copy(plane, a->normals[face_a]);
  else
    dc_mat_apply(plane, r.rotation, b->normals[face_b]);
  clip_by_sides(&polygon, &reference, plane);
  for (int i = 0; i < polygon.count; i++) {
    double arm[3];
    dc_vec_sub(arm, polygon.x[i], reference.x[0]);
    heights[i] = dc_vec_dot(plane, arm);
    dc_vec_add_scaled(polygon.x[i], polygon.x[i], -0.5 * heights[i], plane);
  }
  int count = choose(&polygon, heights, plane, chosen);
  for (int i = 0; i < count; i++) {
    contacts[i].distance = heights[chosen[i]];
    dc_vec_copy(contacts[i].point, polygon.x[chosen[i]]);
  }
  if (count == 0) {  // edges or corners past each other: the nearest points
    count = 1;
    contacts[0].distance = distance;
    for (int k = 0; k < 3; k++)
      contacts[0].point[k] = 0.5 * (points[0][k] + points[1][k]);
  }
  for (int i = 0; i < count; i++) {
    to_world(pose_a, contacts[i].point);
    dc_vec_copy(contacts[i].normal, normal);
  }
  return count;
}

int dc_bench_hulls_contacts(struct dc_epa *epa, const struct dc_bench_hull *a, int count_a,
                            const struct dc_bench_hull *b, int count_b, const struct dc_pose poses[2], bool near,
                            struct dc_hull_contact *contacts)
{
  int count = 0;
  for (int i = 0; i < count_a; i++)
    for (int j = 0; j < count_b; j++) {
      double from[3], to[3];
      dc_vec_copy(from, a[i].center);
      dc_vec_copy(to, b[j].center);
      to_world(&poses[0], from);
      to_world(&poses[1], to);
      if (!near || dc_vec_distance(from, to) < a[i].radius + b[j].radius)
        count += dc_bench_hull_contacts(epa, &a[i], &poses[0], &b[j], &poses[1], contacts + count);
    }
  return count;
}
