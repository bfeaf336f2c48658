// SPDX-License-Identifier: Apache-2.0
// Continuous collision detection of surfaces: nodes on straight lines, rigid bodies on screws and chains
// (docs/theory.md, "No tunnelling").  Two features at x_u and x_v are apart at s by at least their separation along the
// axis n between their closest points.  Along a fixed n every two vertices approach as
//     n.(x_u - x_v)(s + d) >= n.(x_u - x_v) + d n.(x_u' - x_v') - d^2/2 (bend_u + bend_v),
// bends 0 of nodes, so that sliding along costs nothing; where that ends a new axis is taken.
#include <math.h>

#include "contact/common/motion.h"
#include "contact/surface/constants.h"
#include "contact/surface/surface_internal.h"
#include "geometry/mesh/triangle.h"

// One question about a path: which part of every gap must be left (keep), how much of the path is safe so far, and how
// many advances a feature pair may take.
struct query {
  const struct dc_path *path;
  struct dc_surface_contact *contact;
  const struct dc_surface_pair *pair;
  struct dc_motion motions[2];  // of a pair's bodies, where they are rigid
  double keep, safe;
  int advances;
};

// Nodes go along straight lines: their velocity over the path is the tangent itself, m per whole path.
static void velocity_of(const struct dc_path *path, const struct dc_surface *surface, int vertex, double *velocity)
{
  dc_vec_copy(velocity, path->tangent + surface->soft->v_offset + 3 * vertex);
}

// Boxes of the elements' ways.
static void sweep(struct dc_surface *surface, const struct dc_path *path)
{
  struct dc_box_tree *tree = &surface->tree;
  const struct dc_frame_path *frame = &path->frames[surface->body];
  dc_surface_refit(surface);
  for (int n = 0; n < tree->node_count; n++) {
    if (tree->right[n] >= 0)
      continue;
    const int *v = surface->elements[tree->item[n]];
    struct dc_box *box = &tree->boxes[n];
    for (int c = 0; c < dc_element_corners(v); c++)
      for (int k = 0; k < 3; k++) {
        double x = surface->x[v[c]][k], low = x, high = x, way[3];
        if (surface->soft) {
          velocity_of(path, surface, v[c], way);
          low = fmin(x, x + way[k]), high = fmax(x, x + way[k]);
        } else {
          double reach = frame->shift + frame->turn * dc_vec_norm(surface->arm[v[c]]);
          low = x - reach, high = x + reach;
        }
        box->low[k] = fmin(box->low[k], low - DC_SURFACE_BOX_SLACK * (1 + fabs(low)));
        box->high[k] = fmax(box->high[k], high + DC_SURFACE_BOX_SLACK * (1 + fabs(high)));
      }
  }
  dc_box_tree_refit(tree);
}

// A vertex at a fraction s of the path.
struct moving {
  double x[3], velocity[3], bend;
};

// Place, velocity and bend (bound of the acceleration) of a vertex after a share s of the motion.
static void move(const struct query *query, const struct dc_surface *surface, int side, int vertex, double s,
                 struct moving *moved)
{
  double r[3];
  if (surface->soft) {
    velocity_of(query->path, surface, vertex, moved->velocity);
    dc_vec_add_scaled(moved->x, surface->x[vertex], s, moved->velocity);
    moved->bend = 0;
    return;
  }
  struct dc_motion *motion = (struct dc_motion *)&query->motions[side];
  const struct dc_instant *now = dc_motion_at(motion, s);
  if (now == &motion->start)
    dc_vec_copy(r, surface->arm[vertex]);
  else
    dc_mat_apply(r, now->rotation, surface->fixed[vertex]);
  dc_point_velocity(now, r, moved->velocity);
  dc_vec_add(moved->x, now->center, r);
  moved->bend = dc_point_bend(motion, r, moved->velocity);
}

// How far along the axis n the vertices of either side stay more than `kept` apart.
static double stretch_along(const struct moving moved[4], int first, const double n[3], double kept)
{
  double stretch = INFINITY;
  for (int u = 0; u < first; u++)
    for (int v = first; v < 4; v++) {
      double d[3], relative[3];
      dc_vec_sub(d, moved[u].x, moved[v].x);
      dc_vec_sub(relative, moved[u].velocity, moved[v].velocity);
      stretch =
          fmin(stretch, dc_first_zero(dc_vec_dot(n, d) - kept, dc_vec_dot(n, relative), moved[u].bend + moved[v].bend));
    }
  return stretch;
}

// Bounds the share of a motion that one feature (vertex and triangle, or two edges) allows: conservative advancement,
// every advance as long as the gap along one axis keeps a part of what it was.
static int bound_feature(void *context, const struct dc_surface *const sides[2], const struct dc_feature *feature)
{
  struct query *query = context;
  double kept = 0, s = 0, ends[2][4][3];
  bool straight = true;
  for (int v = 0; v < 4; v++) {
    const struct dc_surface *surface = sides[v >= feature->first];
    dc_vec_copy(ends[0][v], surface->x[feature->vertex[v]]);
    dc_vec_copy(ends[1][v], ends[0][v]);
    if (surface->soft)
      dc_vec_add(ends[1][v], ends[1][v], query->path->tangent + surface->soft->v_offset + 3 * feature->vertex[v]);
    straight &= surface->soft || !query->motions[surface == &query->contact->surfaces[query->pair->b]].moves;
  }
  if (straight && dc_feature_apart(feature->first, 2, (const double(*)[4][3])ends,
                                   query->keep * query->pair->range + DC_SURFACE_BOX_SLACK * (1 + dc_vec_norm(ends[0][0]))))
    return 0;
  for (int advance = 0; advance < query->advances; advance++) {
    struct moving moved[4];
    struct dc_closest closest;
    double x[4][3], n[3];
    for (int v = 0; v < 4; v++) {
      int side = v >= feature->first;
      move(query, sides[side], feature->side ? !side : side, feature->vertex[v], s, &moved[v]);
      dc_vec_copy(x[v], moved[v].x);
    }
    dc_feature_closest(feature->first, (const double(*)[3])x, &closest);
    double gap = sqrt(closest.square);
    if (advance == 0)
      kept = query->keep * fmin(gap, query->pair->range);
    if (!(gap > DC_SURFACE_CLOSED * kept))
      break;
    dc_vec_scale(n, closest.r, 1 / gap);
    s += stretch_along((const struct moving *)moved, feature->first, n, kept);
    if (s >= query->safe)
      return 0;
  }
  query->safe = s;
  return s == 0;  // no further
}

// The features that two elements own, once their swept boxes have come within what must be kept.
static int bound_elements(void *context, int i, int j)
{
  const struct query *query = context;
  const struct dc_surface *surfaces = query->contact->surfaces;
  return dc_surface_features(&surfaces[query->pair->a], i, &surfaces[query->pair->b], j, bound_feature, context);
}

// How far vertices go at most, beyond `common`.
static double farthest_way(const struct dc_surface *surface, const struct dc_path *path, const double common[3])
{
  const struct dc_frame_path *frame = &path->frames[surface->body];
  double most = 0;
  for (int v = 0; v < surface->vertex_count && surface->soft; v++) {
    double way[3];
    velocity_of(path, surface, v, way);
    dc_vec_sub(way, way, common);
    most = fmax(most, dc_vec_dot(way, way));
  }
  return surface->soft ? sqrt(most) : frame->shift + frame->turn * surface->radius;
}

// Whether a pair cannot come closer than `keep` of its gap: common moves of a body against itself do not count.
static bool hardly_moves(const struct dc_surface_contact *contact, const struct dc_surface_pair *pair,
                         const struct dc_path *path, double keep)
{
  const struct dc_surface *a = &contact->surfaces[pair->a], *b = &contact->surfaces[pair->b];
  double common[3] = {0, 0, 0};
  if (a == b)
    velocity_of(path, a, a->elements[0][0], common);
  return farthest_way(a, path, common) + farthest_way(b, path, common) < (1 - 2 * keep) * pair->gap;
}

// The safe fraction of the pairs up to the first that may not go all the way; *pair: which, or -1.
static double fraction(struct dc_surface_contact *contact, const struct dc_path *path, double keep, int advances,
                       int *pair)
{
  struct query query = {.path = path, .contact = contact, .keep = keep, .safe = 1, .advances = advances};
  *pair = -1;
  bool swept = false;
  for (int p = 0; p < contact->pair_count && query.safe > 0; p++) {
    if (hardly_moves(contact, &contact->pairs[p], path, keep))
      continue;
    for (int s = 0; s < contact->surface_count && !swept; s++)
      sweep(&contact->surfaces[s], path);
    swept = true;
    struct dc_surface *a = &contact->surfaces[contact->pairs[p].a], *b = &contact->surfaces[contact->pairs[p].b];
    double before = query.safe;
    query.pair = &contact->pairs[p];
    for (int side = 0; side < 2; side++)
      query.motions[side] = dc_motion_of(path, side ? b->body : a->body);
    double kept = keep * query.pair->range;
    if (a == b)
      dc_surface_fit_ways(a, path->tangent + a->soft->v_offset);
    if (a == b)
      dc_box_tree_own_pairs(&a->tree, a->ways.boxes, a->clear - kept, kept, bound_elements, &query);
    else
      dc_box_tree_pairs(&a->tree, &b->tree, kept, bound_elements, &query);
    if (query.safe < before)
      *pair = p;
  }
  return query.safe;
}

// For iterates of Newton's method: a good part of every gap is left, so that the next iterate has room.
double dc_surface_safe_fraction(struct dc_surface_contact *contact, const struct dc_path *path)
{
  int pair;
  return fraction(contact, path, DC_SURFACE_KEPT_GAP, DC_SURFACE_ADVANCES, &pair);
}

// For the whole motion of a solved interval: almost all of a gap may be used up, but nothing may cross.
bool dc_surface_path_clear(struct dc_surface_contact *contact, const struct dc_path *path, int bodies[2])
{
  int pair;
  if (!(fraction(contact, path, DC_SURFACE_CLEAR_GAP, DC_SURFACE_CLEAR_ADVANCES, &pair) < 1))
    return true;
  bodies[0] = contact->surfaces[contact->pairs[pair].a].body;
  bodies[1] = contact->surfaces[contact->pairs[pair].b].body;
  return false;
}

// Overlap.

// The two surfaces that test_triangles compares.
struct crossing {
  const struct dc_surface *a, *b;
};

// Whether two triangles cross; those that share a vertex do not count.
static int test_triangles(void *context, int i, int j)
{
  const struct crossing *crossing = context;
  const struct dc_surface *a = crossing->a, *b = crossing->b;
  double x[2][3][3], normal[3];
  const int *s = a->elements[i], *t = b->elements[j];
  if (dc_element_corners(s) < 3 || dc_element_corners(t) < 3)
    return 0;
  for (int k = 0; k < 9; k++)
    if (a == b && s[k / 3] == t[k % 3])
      return 0;
  for (int k = 0; k < 3; k++) {
    dc_vec_copy(x[0][k], a->x[s[k]]);
    dc_vec_copy(x[1][k], b->x[t[k]]);
  }
  return !(dc_triangle_separation((const double(*)[3])x[0], (const double(*)[3])x[1], 0, normal) > 0);
}

// Winding number of a closed surface about a point (van Oosterom and Strackee 1983): 1 inside, 0 outside.
static bool is_inside(const struct dc_surface *surface, const double point[3])
{
  double sum = 0;
  for (int t = 0; t < surface->element_count; t++) {
    double d[3][3], length[3], cross[3];
    for (int k = 0; k < 3; k++) {
      dc_vec_sub(d[k], surface->x[surface->elements[t][k]], point);
      length[k] = dc_vec_norm(d[k]);
    }
    dc_vec_cross(cross, d[1], d[2]);
    sum +=
        2 * atan2(dc_vec_dot(d[0], cross), length[0] * length[1] * length[2] + dc_vec_dot(d[0], d[1]) * length[2] +
                                               dc_vec_dot(d[1], d[2]) * length[0] + dc_vec_dot(d[2], d[0]) * length[1]);
  }
  return sum > 2 * M_PI;
}

// One vertex decides, as the surfaces are known not to cross.  The box about the outer surface answers most cases.
static bool contains(const struct dc_surface *outer, const struct dc_surface *inner)
{
  const double *point = inner->x[inner->elements[0][0]];
  const struct dc_box *box = &outer->tree.boxes[0];
  for (int k = 0; k < 3; k++)
    if (!(point[k] >= box->low[k] && point[k] <= box->high[k]))
      return false;
  return outer->closed && is_inside(outer, point);
}

// Triangles that cross, found by the box trees, or a closed surface inside of another one, which crosses nothing.
bool dc_surface_overlap(struct dc_surface_contact *contact, int bodies[2])
{
  for (int p = 0; p < contact->pair_count; p++) {
    struct dc_surface *a = &contact->surfaces[contact->pairs[p].a], *b = &contact->surfaces[contact->pairs[p].b];
    struct crossing crossing = {a, b};
    bodies[0] = a->body;
    bodies[1] = b->body;
    dc_surface_refit(a);
    dc_surface_refit(b);
    if (dc_box_tree_pairs(&a->tree, &b->tree, 0, test_triangles, &crossing) ||
        (a != b && (contains(a, b) || contains(b, a))))
      return true;
  }
  return false;
}
