// SPDX-License-Identifier: Apache-2.0
// Whether a motion of which both ends are known can be made without a meeting (docs/theory/steps.md, "Divided steps").
//
// Free bodies may go from one end to the other as they like, near the straight way.  Those of a pair that is not clear
// 1. are wound: a body that tips over an edge goes along an arc, whose chord goes through what it stands on;
// 2. go on a bow: what slides over a corner, or turns while it leans on something that turns, leaves any helix by little,
//    and yet by more than the gap.  In the middle of the way the pair is opened by o along its normals n at both ends,
//
//        n.(b_a - b_b) >= o,
//
//    with o twice as large as long as its motion is not clear.
//
// Bodies lie on others, which a bow would go into: the openings of all pairs are kept together, by shifts along n of
// half of what is missing, pair by pair (Kaczmarz 1937).  The bows are small beside the bodies, so that nothing goes
// around anything.
#include <math.h>

#include "contact/common/contact_internal.h"
#include "contact/near/constants.h"
#include "contact/near/triangle_path.h"
#include "math/vector.h"

// A pair that bows open along one of its normals.
struct opening {
  int pair;
  double normal[3], size;  // from b to a; m
  bool moves_a, moves_b;   // on bows
};

struct openings {
  int count;
  struct opening all[DC_NEAR_MOST_OPENINGS];
};

// The direction from b to a in which a pair is nearest at s; false where none of its triangles is near.
static bool nearest_direction(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_path *path,
                              double s, double n[3])
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_near_list *near = &pair->near;
  if (b->primitive.type) {
    dc_primitive_gap(&b->primitive, path->poses[pair->a].position, n);
    return true;
  }
  struct dc_motion motion_a = dc_motion_of(path, pair->a), motion_b = dc_motion_of(path, pair->b);
  double enough = pair->gap + dc_pair_reach(contact, pair, path), least = INFINITY, normal[3];
  for (size_t t = 0; t < near->count; t++) {
    if (near->gaps[t] > enough)
      continue;
    double apart = dc_triangles_apart(a, near->terms[t].i, &motion_a, b, near->terms[t].j, &motion_b, s, normal);
    if (!(apart > 0 && apart < least))
      continue;
    least = apart;
    dc_vec_copy(n, normal);
  }
  return least < INFINITY;
}

// By how much the bows of now open a pair in the middle.
static double opened_by(const struct dc_contact *contact, const struct dc_path *path, const struct opening *opening)
{
  const struct dc_pair *pair = &contact->pairs[opening->pair];
  double apart[3];
  dc_vec_sub(apart, path->frames[pair->a].bow, path->frames[pair->b].bow);
  return dc_vec_dot(opening->normal, apart);
}

static bool knows(const struct openings *openings, int p)
{
  for (int k = 0; k < openings->count; k++)
    if (openings->all[k].pair == p)
      return true;
  return false;
}

// Notes the openings of a pair with nothing asked yet; false where it cannot have any.
static bool add_openings(const struct dc_contact *contact, struct dc_path *path, int p, struct openings *openings)
{
  const struct dc_pair *pair = &contact->pairs[p];
  struct opening opening = {.pair = p};
  opening.moves_a = dc_path_bow(path, pair->a, path->frames[pair->a].bow);
  opening.moves_b = dc_path_bow(path, pair->b, path->frames[pair->b].bow);
  if (!opening.moves_a && !opening.moves_b)
    return false;
  for (int end = 0; end < 2; end++) {
    if (openings->count == DC_NEAR_MOST_OPENINGS || !nearest_direction(contact, pair, path, end, opening.normal))
      return false;
    if (end == 0 || dc_vec_dot(opening.normal, openings->all[openings->count - 1].normal) < DC_NEAR_ALIGNED)
      openings->all[openings->count++] = opening;
  }
  return true;
}

static void shift_bow(struct dc_path *path, int body, const double normal[3], double by)
{
  double bow[3];
  dc_vec_add_scaled(bow, path->frames[body].bow, by, normal);
  dc_path_bow(path, body, bow);
}

// Opens all pairs as far as is asked, or as sweeps over them come.
static void open_all(const struct dc_contact *contact, struct dc_path *path, const struct openings *openings)
{
  bool missing = true;
  for (int sweep = 0; sweep < DC_NEAR_MOST_SWEEPS && missing; sweep++) {
    missing = false;
    for (int k = 0; k < openings->count; k++) {
      const struct opening *opening = &openings->all[k];
      const struct dc_pair *pair = &contact->pairs[opening->pair];
      double lack = opening->size - opened_by(contact, path, opening);
      if (!(lack > DC_NEAR_BOW_MISSED * opening->size))
        continue;
      missing = true;
      double share = lack / (opening->moves_a + opening->moves_b);
      if (opening->moves_a)
        shift_bow(path, pair->a, opening->normal, share);
      if (opening->moves_b)
        shift_bow(path, pair->b, opening->normal, -share);
    }
  }
}

// Opens a pair, and with it all that were opened, until its motion is clear.  A pair that is far apart at the end does
// not slide on each other.
static bool bow_pair(const struct dc_contact *contact, struct dc_path *path, int p, struct openings *openings)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  double most = DC_NEAR_MOST_BOW * (b->primitive.type ? a->radius : fmin(a->radius, b->radius));
  if (!(pair->gap < most) || (!knows(openings, p) && !add_openings(contact, path, p, openings)))
    return false;
  do {
    for (int k = 0; k < openings->count; k++) {
      struct opening *opening = &openings->all[k];
      if (opening->pair != p)
        continue;
      opening->size = fmax(2 * opening->size, opened_by(contact, path, opening) + pair->gap);
      if (!(opening->size <= most))
        return false;
    }
    open_all(contact, path, openings);
  } while (!dc_pair_is_clear(contact, pair, path));
  return true;
}

static bool bows_are_small(const struct dc_contact *contact, const struct dc_path *path)
{
  for (int i = 0; i < contact->bodies->count; i++)
    if (path->frames[i].bowed && dc_vec_norm(path->frames[i].bow) > DC_NEAR_MOST_BOW * contact->colliders[i].radius)
      return false;
  return true;
}

// Each body is wound once, where the axis is not outside of it.  (Balls that hit each other would go around.)
bool dc_contact_motion_clear(struct dc_contact *contact, struct dc_path *path, int *pair)
{
  struct openings openings = {.count = 0};
  for (int look = 0; !dc_contact_path_clear(contact, path, pair); look++) {
    if (*pair < 0)
      return false;
    const struct dc_pair *crossing = &contact->pairs[*pair];
    bool wound_a = dc_path_wind(path, crossing->a, contact->colliders[crossing->a].radius),
         wound_b = dc_path_wind(path, crossing->b, contact->colliders[crossing->b].radius);
    if ((wound_a || wound_b) && dc_pair_is_clear(contact, crossing, path))
      continue;
    if (look >= DC_NEAR_MOST_LOOKS || !bow_pair(contact, path, *pair, &openings) || !bows_are_small(contact, path))
      return false;
  }
  return true;
}
