// SPDX-License-Identifier: Apache-2.0
// The point of the surface of A - B nearest to the origin: a polyhedron within A - B that holds the origin grows by the
// vertex farthest along the normal of its nearest face, until there is none beyond that face.
#include "geometry/convex/witness_epa.h"

#include <math.h>
#include <string.h>

#include "geometry/convex/constants.h"
#include "math/vector.h"

// The plane of a face, with the normal away from the inside.
static void set_plane(const struct dc_epa *epa, struct dc_epa_face *face)
{
  const double *a = epa->points[face->corner[0]].w, *b = epa->points[face->corner[1]].w,
               *c = epa->points[face->corner[2]].w;
  double e1[3], e2[3], e3[3];
  dc_vec_sub(e1, b, a);
  dc_vec_sub(e2, c, b);
  dc_vec_sub(e3, a, c);
  // From the two shorter edges, whose product rounds least.
  double s1 = dc_vec_dot(e1, e1), s2 = dc_vec_dot(e2, e2), s3 = dc_vec_dot(e3, e3), product;
  if (s1 >= s2 && s1 >= s3) {
    dc_vec_cross(face->normal, e2, e3);
    product = s2 * s3;
  } else if (s2 >= s3) {
    dc_vec_cross(face->normal, e3, e1);
    product = s3 * s1;
  } else {
    dc_vec_cross(face->normal, e1, e2);
    product = s1 * s2;
  }
  double square = dc_vec_dot(face->normal, face->normal);
  if (!(square > DC_EPA_FLAT * DC_EPA_FLAT * product) || !(product > 0)) {
    memset(face->normal, 0, sizeof face->normal);
    face->offset = INFINITY;
    return;
  }
  dc_vec_scale(face->normal, face->normal, 1 / sqrt(square));
  face->offset = (dc_vec_dot(face->normal, a) + dc_vec_dot(face->normal, b) + dc_vec_dot(face->normal, c)) / 3;
}

// Height of a point above the plane of a face; 0 for a face without area, whose normal is 0.
static double height_above(const struct dc_epa *epa, const struct dc_epa_face *face, const double w[3])
{
  double from[3];
  dc_vec_sub(from, w, epa->points[face->corner[0]].w);
  return dc_vec_dot(face->normal, from);
}

// Whether a point sees a face, which it does from `threshold` above the plane on.  A little below 0 it also
// sees faces in whose plane it lies, so that no face without area is made beside them.  A face without area has
// the normal 0: all points see it then.
static bool sees(const struct dc_epa *epa, const struct dc_epa_face *face, const double w[3], double threshold)
{
  return height_above(epa, face, w) >= threshold;
}

// Marks the faces that w sees from face on, around its edges from `edge` on, and lists the edges around them in order.
static void find_horizon(struct dc_epa *epa, int face, int edge, int edges, const double w[3], double threshold)
{
  struct dc_epa_face *here = &epa->faces[face];
  here->seen = true;
  for (int k = 0; k < edges; k++) {
    int at = (edge + k) % 3, next = here->neighbor[at], back = 0;
    struct dc_epa_face *beyond = &epa->faces[next];
    if (beyond->seen)
      continue;
    while (beyond->neighbor[back] != face || beyond->corner[back] != here->corner[(at + 1) % 3])
      back++;
    if (sees(epa, beyond, w, threshold)) {
      find_horizon(epa, next, (back + 1) % 3, 2, w, threshold);
    } else {
      epa->horizon[epa->horizon_count][0] = next;
      epa->horizon[epa->horizon_count++][1] = back;
    }
  }
}

// Whether the edges are one loop that meets no corner twice.
static bool is_loop(const struct dc_epa *epa)
{
  unsigned char met[DC_EPA_POINTS] = {0};
  for (int i = 0; i < epa->horizon_count; i++) {
    const int *edge = epa->horizon[i], *next = epa->horizon[(i + 1) % epa->horizon_count];
    int end = epa->faces[edge[0]].corner[edge[1]];
    if (end != epa->faces[next[0]].corner[(next[1] + 1) % 3] || met[end]++)
      return false;
  }
  return epa->horizon_count >= 3;
}

// Horizon searches leave marks behind when they fail; the next one must start without any.
static void clear_marks(struct dc_epa *epa)
{
  for (int f = 0; f < epa->face_count; f++)
    epa->faces[f].seen = false;
}

// Makes the polyhedron that of its corners and point, which sees face.  False, with nothing changed, when rounding or
// room do not allow it.
static bool insert(struct dc_epa *epa, const struct dc_difference_point *point, int face, double scale)
{
  if (epa->point_count == DC_EPA_POINTS)
    return false;
  bool loop = false;
  for (int attempt = 0; attempt < 2 && !loop; attempt++) {
    clear_marks(epa);
    epa->horizon_count = 0;
    find_horizon(epa, face, 0, 3, point->w, attempt ? DC_EPA_COPLANAR * scale : -DC_EPA_COPLANAR * scale);
    loop = is_loop(epa);
  }
  if (!loop)
    return false;
  int tip = epa->point_count, first = -1, previous = -1;
  for (int f = 0; f < epa->face_count; f++)
    if (epa->faces[f].seen) {
      epa->faces[f].used = epa->faces[f].seen = false;
      epa->vacant[epa->vacant_count++] = f;
    }
  epa->points[epa->point_count++] = *point;
  // There is room for as many faces as the corners allow: a closed surface of n corners has 2 n - 4.
  for (int i = 0; i < epa->horizon_count; i++) {
    int beyond = epa->horizon[i][0], edge = epa->horizon[i][1];
    int added = epa->vacant_count > 0 ? epa->vacant[--epa->vacant_count] : epa->face_count++;
    struct dc_epa_face *fresh = &epa->faces[added], *old = &epa->faces[beyond];
    *fresh = (struct dc_epa_face){.corner = {old->corner[(edge + 1) % 3], old->corner[edge], tip},
                                  .neighbor = {beyond, -1, previous},
                                  .used = true};
    old->neighbor[edge] = added;
    set_plane(epa, fresh);
    if (previous >= 0)
      epa->faces[previous].neighbor[1] = added;
    else
      first = added;
    previous = added;
  }
  epa->faces[first].neighbor[2] = previous;
  epa->faces[previous].neighbor[1] = first;
  return true;
}

// |(b - a) x (x - a)| / |b - a|, m; a and b must differ, which find_corners() guarantees.
static double distance_from_line(const double a[3], const double b[3], const double x[3])
{
  double edge[3], from[3], across[3];
  dc_vec_sub(edge, b, a);
  dc_vec_sub(from, x, a);
  dc_vec_cross(across, edge, from);
  return dc_vec_norm(across) / dc_vec_norm(edge);
}

// How far x is from the hull of the first count points' point, line or plane.
static double spread(const struct dc_epa *epa, int count, const double x[3])
{
  const struct dc_difference_point *p = epa->points;
  if (count == 0)
    return INFINITY;
  if (count == 1)
    return dc_vec_distance(x, p[0].w);
  if (count == 2)
    return distance_from_line(p[0].w, p[1].w, x);
  double e1[3], e2[3], normal[3], from[3];
  dc_vec_sub(e1, p[1].w, p[0].w);
  dc_vec_sub(e2, p[2].w, p[0].w);
  dc_vec_cross(normal, e1, e2);
  dc_vec_sub(from, x, p[0].w);
  return fabs(dc_vec_dot(normal, from)) / dc_vec_norm(normal);
}

// Directions across the first count points: six for a point, four for a line, two for a plane.
static int directions_across(const struct dc_epa *epa, int count, double directions[6][3])
{
  const struct dc_difference_point *p = epa->points;
  double edge[3], other[3];
  int pairs = 0;
  memset(directions, 0, 6 * sizeof *directions);
  if (count < 2) {
    for (; pairs < 3; pairs++)
      directions[2 * pairs][pairs] = 1;
  } else {
    dc_vec_sub(edge, p[1].w, p[0].w);
    if (count == 2) {
      int axis = 0;
      for (int k = 1; k < 3; k++)
        axis = fabs(edge[k]) < fabs(edge[axis]) ? k : axis;
      double unit[3] = {axis == 0, axis == 1, axis == 2};
      dc_vec_cross(directions[0], edge, unit);
      dc_vec_cross(directions[2], edge, directions[0]);
      pairs = 2;
    } else {
      dc_vec_sub(other, p[2].w, p[0].w);
      dc_vec_cross(directions[0], edge, other);
      pairs = 1;
    }
  }
  for (int i = 0; i < pairs; i++)
    dc_vec_scale(directions[2 * i + 1], directions[2 * i], -1);
  return 2 * pairs;
}

// Fills points with four that span a volume: those of simplex as far as they do, then supports across them.
static bool find_corners(struct dc_epa *epa, struct dc_difference *difference, const struct dc_simplex *simplex,
                         long *supports)
{
  double least = DC_EPA_DEGENERATE * difference->scale;
  epa->point_count = 0;
  for (int i = 0; i < simplex->count && epa->point_count < 4; i++)
    if (spread(epa, epa->point_count, simplex->points[i].w) > least)
      epa->points[epa->point_count++] = simplex->points[i];
  while (epa->point_count < 4) {
    double directions[6][3], most = 0;
    struct dc_difference_point support, best = {{0}, {0}};
    int count = directions_across(epa, epa->point_count, directions);
    for (int i = 0; i < count; i++) {
      dc_difference_support(difference, directions[i], &support);
      ++*supports;
      double far = spread(epa, epa->point_count, support.w);
      if (far > most) {
        most = far;
        best = support;
      }
    }
    if (!(most > 0))
      return false;
    epa->points[epa->point_count++] = best;
  }
  return true;
}

// The first polytope: four faces that look outwards.
static void make_tetrahedron(struct dc_epa *epa)
{
  static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int neighbors[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  double e1[3], e2[3], e3[3], normal[3];
  dc_vec_sub(e1, epa->points[1].w, epa->points[0].w);
  dc_vec_sub(e2, epa->points[2].w, epa->points[0].w);
  dc_vec_sub(e3, epa->points[3].w, epa->points[0].w);
  dc_vec_cross(normal, e1, e2);
  if (dc_vec_dot(normal, e3) > 0) {  // the first face looks away from the last point
    struct dc_difference_point swap = epa->points[1];
    epa->points[1] = epa->points[2];
    epa->points[2] = swap;
  }
  epa->face_count = 4;
  epa->vacant_count = 0;
  for (int f = 0; f < 4; f++) {
    struct dc_epa_face *face = &epa->faces[f];
    *face = (struct dc_epa_face){.used = true};
    memcpy(face->corner, corners[f], sizeof face->corner);
    memcpy(face->neighbor, neighbors[f], sizeof face->neighbor);
    set_plane(epa, face);
  }
}

// The face whose plane is nearest to the origin; -1: none is left.  A scan, as there are few faces.
static int nearest_face(const struct dc_epa *epa)
{
  int best = -1;
  for (int f = 0; f < epa->face_count; f++)
    if (epa->faces[f].used && epa->faces[f].offset < (best < 0 ? INFINITY : epa->faces[best].offset))
      best = f;
  return best;
}

// Inserts the points of the last answer, which are near the new one as a rule, into the highest faces that they rise
// above.
static void insert_guess(struct dc_epa *epa, const struct dc_difference_point *guess, double scale)
{
  for (int i = 0; i < 3; i++) {
    int highest = -1;
    double most = DC_EPA_GAIN * scale;
    for (int f = 0; f < epa->face_count; f++) {
      const struct dc_epa_face *face = &epa->faces[f];
      double height = face->used ? height_above(epa, face, guess[i].w) : 0;
      if (height > most) {
        most = height;
        highest = f;
      }
    }
    if (highest >= 0)
      insert(epa, &guess[i], highest, scale);
  }
}

// Whether the polyhedron has a support point already: then it cannot grow there.
static bool is_corner(const struct dc_epa *epa, const struct dc_difference_point *point)
{
  for (int i = 0; i < epa->point_count; i++)
    if (epa->points[i].index[0] == point->index[0] && epa->points[i].index[1] == point->index[1])
      return true;
  return false;
}

// The distance of x from a face; sets the weights of the nearest point.
static double distance_from_face(const struct dc_epa *epa, const struct dc_epa_face *face, const double x[3],
                                 struct dc_simplex *simplex)
{
  simplex->count = 3;
  for (int k = 0; k < 3; k++) {
    simplex->points[k] = epa->points[face->corner[k]];
    dc_vec_sub(simplex->points[k].w, simplex->points[k].w, x);
  }
  dc_simplex_reduce(simplex);
  return dc_vec_norm(simplex->nearest);
}

// The points whose difference x is, which lies in the plane of face `found`.  A side of A - B may be made of several
// faces: the one that was found need not be the one that holds x.
static void find_weights(const struct dc_epa *epa, int found, const double x[3], struct dc_simplex *simplex)
{
  double least = distance_from_face(epa, &epa->faces[found], x, simplex);
  for (int f = 0; f < epa->face_count && least > 0; f++) {
    const struct dc_epa_face *face = &epa->faces[f];
    struct dc_simplex candidate;
    if (!face->used || !(fabs(dc_vec_dot(face->normal, x) - face->offset) < least))
      continue;
    double distance = distance_from_face(epa, face, x, &candidate);
    if (distance < least) {
      least = distance;
      *simplex = candidate;
    }
  }
}

// Expanding polytope: the face nearest to the origin is pushed out to the support point along its normal, until this
// brings it no farther.
void dc_epa(struct dc_epa *epa, struct dc_difference *difference, const struct dc_simplex *simplex,
            const struct dc_difference_point *guess, struct dc_penetration *penetration, long *supports)
{
  double scale = difference->scale, least = INFINITY;
  bool exact = false;
  struct dc_epa_face *nearest;
  *penetration = (struct dc_penetration){.normal = {0, 0, 1}, .simplex = {.count = 1, .weight = {1}}};
  dc_difference_at(difference, &penetration->simplex.points[0]);
  if (!find_corners(epa, difference, simplex, supports))
    return;
  make_tetrahedron(epa);
  if (guess)
    insert_guess(epa, guess, scale);
  // The least height of A - B over the origin along a face's normal bounds the depth from above, the least offset of a
  // face from below.  Faces whose normals are of rounding only may have offsets too small: they are passed over.
  for (int face; !exact && (face = nearest_face(epa)) >= 0 &&
                 (nearest = &epa->faces[face])->offset <= least + DC_EPA_GAIN * scale;) {
    struct dc_difference_point support;
    dc_difference_support(difference, nearest->normal, &support);
    ++*supports;
    double height = dc_vec_dot(support.w, nearest->normal);
    exact = height - nearest->offset <= DC_EPA_GAIN * scale + DC_EPA_RELATIVE_GAIN * fabs(nearest->offset);
    if (height < least || exact) {
      double point[3];
      least = height;
      penetration->depth = exact ? nearest->offset : height;
      dc_vec_copy(penetration->normal, nearest->normal);
      penetration->face_count = 3;
      for (int k = 0; k < 3; k++)
        memcpy(penetration->face[k], epa->points[nearest->corner[k]].index, sizeof penetration->face[k]);
      if (exact) {
        dc_vec_scale(point, nearest->normal, nearest->offset);
        find_weights(epa, face, point, &penetration->simplex);
      } else {
        for (int k = 0; k < 3; k++)
          penetration->simplex.points[k] = epa->points[nearest->corner[k]];
      }
    }
    if (exact)
      break;
    if (is_corner(epa, &support))
      nearest->offset = INFINITY;
    else if (!insert(epa, &support, face, scale))
      break;
  }
  if (!exact && least < INFINITY) {
    penetration->simplex.count = 3;
    dc_simplex_reduce(&penetration->simplex);
  }
}
