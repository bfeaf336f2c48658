// SPDX-License-Identifier: Apache-2.0
// Contact of an MJCF model: who touches whom, and with which friction.
//
// Masks, priorities and coefficients belong to geometries there, to bodies here.  The geometries of a body that touch
// the same with the same friction are one side.  The first side is the body's own shape, the others are bodies fixed to
// it. Two geometries touch when a <pair> names them.  They also touch when a mask of one meets that of the other, no
// <exclude> names their bodies, and these are neither fixed to each other nor joined by a joint.  A joint that hangs a
// body on the world does not count. Friction of a pair is its own, or that of the geometry with more priority, or the
// greater one.  condim 1 is none.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_build.h"

static const double MOST_FRICTION = 100;

// Bodies that touch, and pairs of them about which there is something to say.
enum { MOST_SIDES = 6000, MOST_PAIRS = 200000 };

// Whether a geometry touches anything.
static bool collides(const struct dc_mjcf_builder *builder, int geom)
{
  const struct dc_mjcf_geom *g = &builder->mjcf->geoms[geom];
  bool masked = (g->contype || g->conaffinity) && !builder->mjcf->option.pairs_only;
  return (builder->in_pairs[geom] || masked) && g->type != DC_MJCF_SDF;
}

static bool are_excluded(const struct dc_mjcf *mjcf, int a, int b)
{
  for (size_t e = 0; e < mjcf->excluded_count; e++) {
    const int *pair = mjcf->excluded[e];
    if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a))
      return true;
  }
  return false;
}

// The <pair> that names both geometries, in any order; NULL without.  The flags of geometries in pairs spare
// most searches.
static const struct dc_mjcf_pair *pair_of(const struct dc_mjcf_builder *builder, int a, int b)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  for (size_t p = 0; p < mjcf->pair_count && builder->in_pairs[a] && builder->in_pairs[b]; p++) {
    const int *pair = mjcf->pairs[p].geoms;
    if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a))
      return &mjcf->pairs[p];
  }
  return NULL;
}

// Joined by a joint, and what it hangs on moves.
static bool are_neighbours(const struct dc_mjcf *mjcf, int a, int b)
{
  int first = mjcf->bodies[a].group, second = mjcf->bodies[b].group;
  if (mjcf->option.touch_parents || first == 0 || second == 0)
    return false;
  return mjcf->bodies[a].above == second || mjcf->bodies[b].above == first;
}

// The rules of the head comment, for two geometries.  An explicit pair comes first: it beats masks and
// exclusions, but not the option that only dynamic contacts count.  Then come the masks, and last bodies that
// are fixed to each other, excluded, or joined.
static bool geoms_touch(const struct dc_mjcf_builder *builder, int a, int b)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const struct dc_mjcf_geom *g = &mjcf->geoms[a], *h = &mjcf->geoms[b];
  if (pair_of(builder, a, b))
    return !mjcf->option.no_dynamic_pairs;
  if (mjcf->option.pairs_only || (!(g->contype & h->conaffinity) && !(h->contype & g->conaffinity)))
    return false;
  return mjcf->bodies[g->body].group != mjcf->bodies[h->body].group && !are_excluded(mjcf, g->body, h->body) &&
         !are_neighbours(mjcf, g->body, h->body);
}

// The coefficient that MuJoCo uses between two geometries, with its order of precedence: the pair's own; that
// of the geometry with the higher priority; the greater of both.  The number of dimensions of the contact is
// chosen alike, and one dimension means no friction.
static double friction_of(const struct dc_mjcf_builder *builder, int a, int b)
{
  const struct dc_mjcf_geom *g = &builder->mjcf->geoms[a], *h = &builder->mjcf->geoms[b];
  const struct dc_mjcf_pair *pair = pair_of(builder, a, b);
  const struct dc_mjcf_geom *first = g->priority > h->priority ? g : h->priority > g->priority ? h : NULL;
  int condim = pair ? pair->condim : first ? first->condim : g->condim > h->condim ? g->condim : h->condim;
  double friction = pair ? pair->friction : first ? first->friction[0] : fmax(g->friction[0], h->friction[0]);
  return condim == 1 ? 0 : fmin(friction, MOST_FRICTION);
}

// Whether two geometries of one carrier touch the same with the same friction.
static bool are_alike(const struct dc_mjcf_builder *builder, int a, int b)
{
  const struct dc_mjcf_geom *g = &builder->mjcf->geoms[a], *h = &builder->mjcf->geoms[b];
  if (!builder->use->common.collide || builder->mjcf->option.no_contact)
    return true;
  bool masks = g->contype == h->contype && g->conaffinity == h->conaffinity;
  bool rubs = g->condim == h->condim && g->friction[0] == h->friction[0] && g->priority == h->priority;
  bool body = g->body == h->body || (!builder->in_exclusions[g->body] && !builder->in_exclusions[h->body]);
  return masks && rubs && body && !builder->in_pairs[a] && !builder->in_pairs[b];
}

// The side of a carrier to which a geometry can be added, or -1.  It is compared with the first geometry of
// each side only, as those of a side are all alike.  first: the carrier has no side yet.
static int find_side(const struct dc_mjcf_builder *builder, int geom, int carrier, bool *first)
{
  *first = true;
  for (int s = 0; s < builder->side_count; s++) {
    const struct dc_mjcf_side *side = &builder->sides[s];
    if (side->plane || side->carrier != carrier)
      continue;
    if (are_alike(builder, side->geom, geom))
      return s;
    *first = false;
  }
  return -1;
}

// The name of a plane's body: that of the geometry, or, where it has none and is the only one, of its body.
static const char *plane_name(struct dc_mjcf_builder *builder, const struct dc_mjcf_geom *geom)
{
  const struct dc_mjcf_body *body = &builder->mjcf->bodies[geom->body];
  if (!geom->name && geom->body > 0 && body->geoms == 1 && body->name)
    return dc_mjcf_take_name(builder, body->name);
  return dc_mjcf_take_name(builder, geom->name ? geom->name : geom->type == DC_MJCF_HFIELD ? "ground" : "plane");
}

// A new side of one geometry.  The first side of a carrier becomes the carrier's own body; planes and height
// fields never do, because they are bodies of their own.
static void add_side(struct dc_mjcf_builder *builder, int g, int carrier, bool first)
{
  const struct dc_mjcf_geom *geom = &builder->mjcf->geoms[g];
  struct dc_mjcf_side *side = &builder->sides[builder->side_count];
  bool plane = dc_mjcf_is_ground(geom);
  *side = (struct dc_mjcf_side){.carrier = carrier, .geom = g, .plane = plane, .first = !plane && first};
  side->friction = geom->condim == 1 ? 0 : fmin(geom->friction[0], MOST_FRICTION);
  builder->side_of[g] = builder->side_count++;
}

// Planes get their names before other sides, so that those of the file stay.
static void name_sides(struct dc_mjcf_builder *builder)
{
  for (int s = 0; s < builder->side_count; s++)
    if (builder->sides[s].plane)
      builder->sides[s].name = plane_name(builder, &builder->mjcf->geoms[builder->sides[s].geom]);
  builder->links[0].name = dc_mjcf_take_name(builder, "world");
  for (int s = 0; s < builder->side_count; s++) {
    struct dc_mjcf_side *side = &builder->sides[s];
    const struct dc_mjcf_geom *geom = &builder->mjcf->geoms[side->geom];
    if (side->first)
      side->name = builder->links[side->carrier].name;
    else if (!side->plane)
      side->name = dc_mjcf_take_name(builder, geom->name ? geom->name : "part");
  }
}

// A joint's body touches what that hangs on where MuJoCo says so of any two of their geometries.
static void find_parents_that_touch(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  for (int a = 0; a < builder->side_count; a++)
    for (int b = 0; b < builder->side_count; b++) {
      int first = mjcf->bodies[builder->sides[a].carrier].weld, above = builder->links[first].parent;
      if (first == 0 || above == first)
        continue;
      if (mjcf->bodies[above].weld == mjcf->bodies[builder->sides[b].carrier].weld && above > 0 &&
          !builder->links[first].collide_parent && geoms_touch(builder, builder->sides[a].geom, builder->sides[b].geom))
        builder->links[first].collide_parent = true;
    }
}

// Sorts the geometries that touch anything into sides, in the order of the file, and names them.  A plane or a
// height field on a body that moves has no counterpart and is remembered as refused.  Which parents are touched
// is found last, as it needs all sides.
enum dc_status dc_mjcf_find_sides(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  for (int g = 0; g < (int)mjcf->geom_count; g++) {
    const struct dc_mjcf_geom *geom = &mjcf->geoms[g];
    int carrier = builder->links[geom->body].carrier;
    bool first = true;
    builder->side_of[g] = -1;
    if (!collides(builder, g))
      continue;
    if (dc_mjcf_is_ground(geom) && mjcf->bodies[geom->body].weld != 0) {
      dc_mjcf_remember(builder, &builder->refused,
                       geom->type == DC_MJCF_PLANE ? "plane that moves" : "height field that moves",
                       dc_mjcf_called(builder, geom->name, geom->node), geom->node);
      continue;
    }
    if (!dc_mjcf_is_ground(geom) && (builder->side_of[g] = find_side(builder, g, carrier, &first)) >= 0)
      continue;
    if (builder->side_count >= MOST_SIDES)
      return dc_mjcf_fail(geom->node, builder->base.error, DC_BAD_INPUT, "more than %d parts that touch", MOST_SIDES);
    add_side(builder, g, carrier, first);
  }
  name_sides(builder);
  if (builder->use->common.collide && !mjcf->option.no_contact)
    find_parents_that_touch(builder);
  return DC_OK;
}

// Whether a side belongs to the fixed world.
static bool is_still(const struct dc_mjcf_builder *builder, const struct dc_mjcf_side *side)
{
  return side->plane || builder->mjcf->bodies[side->carrier].weld == 0;
}

// The scene itself lets these not touch.
static bool are_apart(const struct dc_mjcf_builder *builder, const struct dc_mjcf_side *a, const struct dc_mjcf_side *b)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  int first = mjcf->bodies[a->carrier].weld, second = mjcf->bodies[b->carrier].weld;
  if ((is_still(builder, a) && is_still(builder, b)) || (first == second && first != 0))
    return true;
  for (int k = 0; k < 2; k++) {
    int own = k ? second : first, other = k ? first : second, above = own ? builder->links[own].parent : -1;
    const struct dc_mjcf_side *beside = k ? a : b;
    if (above > 0 && mjcf->bodies[above].weld == other && (other > 0 || beside->carrier == above) && !beside->plane &&
        !builder->links[own].collide_parent)
      return true;
  }
  return false;
}

// "collide_except" of body a gets the name of b.  One entry on one of the two is enough for the scene.
static int put_exception(struct dc_mjcf_builder *builder, const struct dc_mjcf_side *a, const struct dc_mjcf_side *b)
{
  cJSON *list = cJSON_GetObjectItemCaseSensitive(a->node, "collide_except");
  int place = a->node->valueint;
  if (!list)
    list = dc_urdf_put(&builder->base, a->node, "collide_except", cJSON_CreateArray(), place);
  dc_urdf_put_string(&builder->base, list, NULL, b->name, place);
  return 1;
}

// Where the geometric mean of the two is not the pair's coefficient; the number of pairs.
static int put_friction(struct dc_mjcf_builder *builder, const struct dc_mjcf_side *a, const struct dc_mjcf_side *b)
{
  double wanted = friction_of(builder, a->geom, b->geom), mean = sqrt(a->friction * b->friction);
  if (fabs(wanted - mean) <= 1e-12 * (1 + wanted))
    return 0;
  cJSON *list = cJSON_GetObjectItemCaseSensitive(a->node, "friction_with"), *entry;
  int place = a->node->valueint;
  if (!list)
    list = dc_urdf_put(&builder->base, a->node, "friction_with", cJSON_CreateArray(), place);
  entry = dc_urdf_put(&builder->base, list, NULL, cJSON_CreateObject(), place);
  dc_urdf_put_string(&builder->base, entry, "body", b->name, place);
  dc_urdf_put_number(&builder->base, entry, "friction", wanted, place);
  return 1;
}

// The bodies of sides, and their coefficients.
static bool find_nodes(struct dc_mjcf_builder *builder)
{
  for (int s = 0; s < builder->side_count; s++) {
    struct dc_mjcf_side *side = &builder->sides[s];
    cJSON *node;
    cJSON_ArrayForEach (node, builder->base.bodies) {
      const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(node, "name"));
      if (name && strcmp(name, side->name) == 0 && cJSON_GetObjectItemCaseSensitive(node, "shape"))
        side->node = node;
    }
  }
  for (int s = 0; s < builder->side_count; s++)
    if (builder->sides[s].node)
      dc_urdf_put_number(&builder->base, builder->sides[s].node, "friction", builder->sides[s].friction,
                         builder->sides[s].node->valueint);
  return !builder->base.failed;
}

// Goes over all pairs of sides and writes where the file differs from what the scene would do by itself: an
// exception where they do not touch, a coefficient where the geometric mean of the two bodies' is another one.
enum dc_status dc_mjcf_put_filters(struct dc_mjcf_builder *builder)
{
  bool touch = builder->use->common.collide && !builder->mjcf->option.no_contact;
  int told = 0;
  if (!find_nodes(builder))
    return DC_OK;
  for (int a = 0; a < builder->side_count && touch; a++)
    for (int b = 0; b < a; b++) {
      const struct dc_mjcf_side *one = &builder->sides[a], *other = &builder->sides[b];
      if (!one->node || !other->node || are_apart(builder, one, other))
        continue;
      if (geoms_touch(builder, one->geom, other->geom))
        told += put_friction(builder, one, other);
      else
        told += put_exception(builder, one, other);
      if (told > MOST_PAIRS)
        return dc_mjcf_fail(builder->mjcf->geoms[one->geom].node, builder->base.error, DC_BAD_INPUT,
                            "more than %d pairs that do not touch or have friction of their own", MOST_PAIRS);
    }
  return DC_OK;
}
