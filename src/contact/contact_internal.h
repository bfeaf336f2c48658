// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: colliders, the terms of a body pair, the evaluation's workspace.
#ifndef DC_CONTACT_CONTACT_INTERNAL_H
#define DC_CONTACT_CONTACT_INTERNAL_H

#include <stdint.h>

#include "base/threads.h"
#include "contact/contact.h"
#include "contact/kernels/lane_kernels.h"
#include "contact/models/primitive.h"
#include "geometry/bounding/sphere_tree.h"

// What several terms add to a vertex, world axes: of dc_contact_point_rates (force alone) or of dc_friction_add_point.
struct dc_vertex_sum {
  double force[3], slip[3], pulled[3];
};

// Geometry fixed in a body's frame (origin at the centre of mass), and the same turned into world axes for the pose
// at hand.
struct dc_collider {
  struct dc_primitive primitive;  // at the pose at hand; without a type: a mesh
  int vertex_count, triangle_count;
  double (*vertices)[3];
  const int (*triangles)[3];
  double *vertex_weight;   // [vertex_count], sum 1: a third of the adjacent area over the body's
  double *leaf_weight;     // [triangle_count]
  int part_count, *parts;  // a vertex of every connected part of the surface
  struct dc_sphere_tree tree;
  double radius;         // farthest vertex from the origin
  double (*turned)[3];   // R x of the vertices
  double (*spheres)[4];  // R x of the node centres, and the radii
  // Of a body that follows a design, else NULL: by_node [nodes] derivatives in the body's axes, until they are taken;
  // node_sums [nodes] and vertex_sums [vertex_count] workspace, zeros between evaluations.
  struct dc_node_cotangent *by_node, *node_sums;
  struct dc_vertex_sum *vertex_sums;
};

// Arm of a vertex, world axes; at the start it has been turned already.
static inline void dc_vertex_arm(const struct dc_collider *collider, int vertex, const struct dc_motion *motion,
                                 const struct dc_instant *instant, double r[3])
{
  if (instant == &motion->start)
    dc_vec_copy(r, collider->turned[vertex]);
  else
    dc_mat_apply(r, instant->rotation, collider->vertices[vertex]);
}

// Triangles (i, j) of an exact term and the blend it belongs to.  code: 1 for the roots, 2 c and 2 c + 1 for the node
// pairs below c; terms are listed by rising code.
struct dc_term {
  uint64_t code;
  int i, j, blend;
};

// Nodes (i, j) of a centred term, or of a blend, between d1 and d2, and the blend it belongs to.  Blend 0 is the root
// sum, no blend.
struct dc_node_term {
  int i, j, blend;
};

// The sum over what lies below a blend, and the product of its 1 - phi and of those above it.
struct dc_blend_sum {
  double energy, gradient[6], weight;
};

// Rates along twists: of the distance of a blend's nodes, m per unit, of its weight and of the energy below it.
struct dc_blend_rate {
  double along, weight, energy;
};

// What a unit of work leaves.
struct dc_unit_sum {
  double hessian[DC_HESSIAN], gap;
  bool crossing, unsolved;
};

struct dc_term_value {
  double energy, gradient[6];
  int blend;
};

// Remembered separating planes of a body pair, by triangle pair: open addressing, key 0 empty.
struct dc_plane_entry {
  uint64_t key;
  double plane[4];
};

struct dc_plane_cache {
  struct dc_plane_entry *entries;
  size_t capacity, count;  // capacity a power of two
};

// A far node pair: square of the distance of its centres, sum of its radii.
struct dc_close {
  double square, inner;
};

static inline double dc_closer(double gap, double square, double inner)
{
  return square < (gap + inner) * (gap + inner) ? sqrt(square) - inner : gap;
}

// Numbers of entries after a level.
struct dc_walk_ends {
  size_t exact, centred, blend, close;
};

// Parts: four for each of four threads, so that what they differ by evens out; no result depends on it.  A level of a
// walk has a bit of the codes.
enum { DC_PARTS = 16, DC_LEVELS = 64 };

// A walk through the node pairs of two trees, level by level (pair_list.c).
struct dc_walk {
  struct dc_term *exact, *level[2];  // level: node pairs at two depths
  struct dc_node_term *centred, *blends;
  size_t exact_count, centred_count, blend_count, count;  // count: node pairs of the level that was reached
  size_t exact_capacity, centred_capacity, blend_capacity, level_capacity[2];
  long visited;
  double gap;
  int last;  // index of that level
  // Of a part of a walk: its first blend's index, below which blends are those above all parts, and far node pairs that
  // may be closer than all before them.
  bool part;
  int first_blend;
  struct dc_close *close;
  size_t close_count, close_capacity;
};

// What lies below a part of the node pairs of a level (pair_parts.c).
struct dc_walk_part {
  struct dc_walk walk;
  bool failed;
  int levels;
  size_t begin, end;                      // its node pairs among those of the level
  double place;                           // where they begin, in [0, 1] of the level's codes
  struct dc_walk_ends ends[DC_LEVELS];    // what each level ended with
  struct dc_walk_ends places[DC_LEVELS];  // where what it added begins in the lists of the pair
  int *global;                            // [blend_count] indices of the blends there
  size_t global_capacity;
};

// One body pair and the terms of its last evaluation.  Models without lists of their own here only count in
// exact_count.
struct dc_pair {
  int a, b;
  struct dc_term *exact;
  double (*planes)[4];  // of the exact terms, in the coordinates of b's frame; normal 0: none
  struct dc_node_term *centred, *blends;
  double *gaps;      // of the exact terms: lower bounds of the distance of their triangles, m
  double *energies;  // of the exact terms, neither scaled nor weighted
  size_t exact_count, centred_count, blend_count;
  struct dc_blend_sum *sums;             // [blend_count]
  struct dc_blend_batch *blend_batches;  // of the blends from 1 on
  struct dc_term_value *values;          // of a large pair: of the exact terms, then of the centred ones
  struct dc_unit_sum *units;             // of the units of work
  struct dc_term *level[2];              // node pairs at two depths
  struct dc_walk_part *parts;            // [DC_PARTS] of a parted pair; NULL until there is one
  // Exact terms and planes of the evaluation before.
  struct dc_term *last_exact;
  double (*last_planes)[4];
  size_t last_count;
  size_t exact_capacity, plane_capacity, last_exact_capacity, last_plane_capacity;
  size_t centred_capacity, blend_capacity, gap_capacity, energy_capacity, sum_capacity, batch_capacity;
  size_t value_capacity, unit_capacity, level_capacity[2];
  size_t cut_count, top_exact, top_centred,
      top_blends;         // of a parted pair: node pairs of the level that is cut, entries above
  double cuts[DC_PARTS];  // where each part ends, in [0, 1] of the level's codes
  int cut;                // index of that level
  long visited, last_visited;
  double gap;
  double far_gap;  // lower bound of the distance of triangles that are no exact terms
  bool near_only;  // node pairs farther apart than near_range do not act (docs/theory.md, "Pairs without a far field")
  bool all;        // exact lists all triangle pairs, with code 1 + i triangles + j
  bool listed;     // exact, planes, gaps and far_gap are those of the last evaluation; other models leave it false
  int nearest[2];  // triangles at the distance of the bodies, of models without lists
  bool has_nearest;  // they are known from the last evaluation
  bool crossing, large, far, failed;
  bool apart;     // of a pair without a far field: the roots do not act on each other, and nothing is listed
  bool parted;    // a large pair whose walk went on in parts
  bool unsolved;  // a plane did not reach its tolerance: its Hessian is missing
};

// Width of the zone beyond inner = R_I + R_J in which a node pair is blended: with its centred term; of a pair without
// a far field, with nothing.
static inline double dc_pair_zone(const struct dc_contact_settings *settings, const struct dc_pair *pair, double inner)
{
  return pair->near_only ? settings->near_range : settings->blend * inner;
}

// Batches of eight that the blends fill; the root sum is none.
static inline int dc_pair_blend_batches(const struct dc_pair *pair)
{
  return (int)((pair->blend_count - 1 + DC_BATCH - 1) / DC_BATCH);
}

enum { DC_EXACT_UNIT = 512, DC_CENTRED_UNIT = 2048 };  // terms per unit of parallel work

struct dc_unit {
  int pair, index;
};

// What tells contact models apart.  Colliders, their turning, overlap at the start and continuous collision detection
// are common to all.
struct dc_contact_methods {
  // Memory of the model's own in contact->own, made after the colliders, and its release, also when create failed or
  // was not reached (own NULL); create and destroy NULL: none.
  enum dc_status (*create)(struct dc_contact *contact, struct dc_error *error);
  void (*destroy)(struct dc_contact *contact);
  // Forgets warm starts other than the planes of the pairs; NULL: there are none.
  void (*reset)(struct dc_contact *contact);
  // Derivatives of pair p's potential at poses, whose colliders have been turned, into *result (zeroed, arm set), with
  // pair->gap, crossing, failed and unsolved.  Called by several threads for different pairs.  A pair left `large` or
  // `far` is finished by dc_pair_run_unit and dc_pair_gather or by dc_far_pairs_evaluate.
  void (*evaluate_pair)(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                        struct dc_pair_derivatives *result);
  // The same of a pair whose body b is a primitive.
  void (*evaluate_primitive)(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                             struct dc_pair_derivatives *result);
  const struct dc_friction_methods *friction;
  const struct dc_point_methods *points;  // NULL: none
};

extern const struct dc_contact_methods dc_plane_methods;   // bsh and exact: pair_terms.c, triangle_friction.c
extern const struct dc_contact_model dc_contact_sdrs;      // sdrs.c
extern const struct dc_contact_model dc_contact_manifold;  // manifold_model.c

struct dc_contact {
  const struct dc_contact_model *model;
  struct dc_contact_settings settings;
  const struct dc_bodies *bodies;
  const struct dc_bodies *start;  // of a design: the bodies as they are before vertices move; else NULL
  const bool *follow;             // [bodies] whose vertices move, NULL: all of them
  const struct dc_lane_kernels *kernels;
  struct dc_arena *arena;
  struct dc_collider *colliders;  // [bodies]
  int pair_count;
  int (*pair_bodies)[2];
  struct dc_pair *pairs;
  struct dc_unit *units;
  int *far_pairs;       // [pair_count], those whose roots count as one centred term
  int *order;           // [pair_count]: threads take pairs in this order, those that cost much first
  double *costs, cost;  // [pair_count] of the last evaluation, roughly, s; their sum
  size_t unit_capacity;
  struct {
    struct dc_loop_history turns, pairs, far_pairs, walks, joins, blends, units, sums, gathers, fractions[2], chunks,
        bounds;
  } loops;
  struct dc_blend_rate *blend_rates;  // [most blends of a pair] workspace of dc_contact_point_rates
  size_t blend_rate_capacity;
  struct dc_point_rows *rows;    // workspace likewise, of models that have products only; NULL until then
  double *fractions;             // [pair_count] workspace of dc_contact_safe_fraction
  struct dc_gap_bound *bounds;   // [pair_count] workspace of dc_contact_gap_bounds
  bool *bounded;                 // [pair_count] likewise
  bool shared;                   // several threads may take part in the evaluation under way
  bool fixed_turned;             // fixed bodies have been turned once
  struct dc_friction *friction;  // NULL until something slides
  void *own;                     // memory of other models
};

// What the descent rule compares.
static inline double dc_node_size(const struct dc_sphere_tree *tree, int node)
{
  return tree->size ? tree->size[node] : tree->radius[node];
}

// The descent rule: of two nodes, not both leaves, the larger is replaced by its children, the first of two equal ones.
static inline bool dc_descends_first(const struct dc_sphere_tree *a, int i, const struct dc_sphere_tree *b, int j)
{
  return b->right[j] < 0 || (a->right[i] >= 0 && dc_node_size(a, i) >= dc_node_size(b, j));
}

// Puts the two node pairs below (i, j), not both leaves, on a stack of node pairs; the new top.
static inline int dc_push_children(const struct dc_sphere_tree *a, int i, const struct dc_sphere_tree *b, int j,
                                   int (*stack)[2], int top)
{
  bool first = dc_descends_first(a, i, b, j);
  stack[top][0] = first ? a->right[i] : i;
  stack[top][1] = first ? j : b->right[j];
  stack[top + 1][0] = first ? i + 1 : i;
  stack[top + 1][1] = first ? j : j + 1;
  return top + 2;
}

// Whether the vertices of a body move by a design.
static inline bool dc_contact_follows(const struct dc_contact *contact, int body)
{
  return contact->start && (!contact->follow || contact->follow[body]);
}

// For dc_loop_run: 0, any number, where threads may pay, else 1.
static inline int dc_contact_most_threads(const struct dc_contact *contact)
{
  const double least_cost = 50e-6;  // s: below it not even the clock is asked
  return contact->cost > least_cost ? 0 : 1;
}

// collider.c
enum dc_status dc_colliders_create(struct dc_contact *contact, const struct dc_contact *former, struct dc_error *error);
// Takes what by_node of all bodies holds to points [bodies], which may be NULL: then it is dropped.
void dc_colliders_pull_back_nodes(struct dc_contact *contact, double (*const *points)[3]);
void dc_collider_turn(struct dc_collider *collider, const struct dc_pose *pose);

// pair_list.c
// Lists the terms and blends of a pair; -1 when out of memory, which leaves empty lists, else 0.  The walk of a pair
// that is left `parted` has only begun: pair_parts.c.
int dc_pair_collect(struct dc_contact *contact, struct dc_pair *pair, const double arm[3]);
void dc_pair_drop_lists(struct dc_pair *pair);
// What collecting does in turn, for parts of a pair.  The walk below a part of the node pairs of the last level; -1
// when out of memory, also of the others.
int dc_walk_part(const struct dc_contact *contact, const struct dc_pair *pair, int part, const double arm[3]);
// Room for planes, blends and all that is found out about the terms.
int dc_pair_reserve(struct dc_pair *pair);
// Planes of the last evaluation for those terms from begin to end that stayed.
void dc_pair_hand_on_planes(struct dc_pair *pair, size_t begin, size_t end);
// Geometry and factors of the blends in some batches of eight; their sums are cleared.
void dc_pair_set_blends(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3], int begin,
                        int end);
// Weights of all blends; a blend comes after the one that it belongs to.
void dc_pair_set_weights(struct dc_pair *pair);
// The plane remembered for the exact term of a code of a listed pair; NULL: none.
const double *dc_pair_plane(const struct dc_pair *pair, uint64_t code);
void dc_pair_release(struct dc_pair *pair);

// pair_parts.c
// What is left of the evaluation of large pairs.  The loops of one pair are shared by threads, most_threads as of
// dc_loop_run.
void dc_large_pairs_evaluate(struct dc_contact *contact, int most_threads, const struct dc_pose *poses, int order,
                             struct dc_pair_derivatives *results);

// pair_terms.c
int dc_pair_unit_count(const struct dc_pair *pair);
void dc_pair_run_unit(const struct dc_contact *contact, struct dc_pair *pair, int unit, const struct dc_pose *poses,
                      const double arm[3], int order);
// Of a parted pair, before it is gathered: sums of the blends above all parts, and of those of a part.
void dc_pair_sum_top(struct dc_pair *pair);
void dc_pair_sum_part(struct dc_pair *pair, const struct dc_walk_part *part, int order);
void dc_pair_gather(const struct dc_contact *contact, struct dc_pair *pair, int order,
                    struct dc_pair_derivatives *result);

// far_pairs.c
// Whether the roots are beyond (1 + epsilon) (R_I + R_J): sets the pair's counts and gap.
bool dc_pair_is_far(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3]);
// Whether the roots of a pair without a far field are so far apart that nothing acts: sets the pair's counts and gap.
bool dc_pair_is_apart(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3]);
// Up to 8 far pairs by index into results, whose arms are set.
void dc_far_pairs_evaluate(const struct dc_contact *contact, const int *indices, int count, int order,
                           struct dc_pair_derivatives *results);

// plane_cache.c, for models other than those of the triangle planes
int dc_plane_cache_reserve(struct dc_plane_cache *cache, size_t more);
// The plane remembered for two triangles; NULL: none.
const double *dc_plane_cache_find(const struct dc_plane_cache *cache, int i, int j);
uint32_t dc_plane_cache_index(struct dc_plane_cache *cache, int i, int j);
void dc_plane_cache_clear(struct dc_plane_cache *cache);

// safe_step.c
// How far any point of a body of a pair can move along the path relative to the other body's, m.
double dc_pair_reach(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_path *path);

// primitive.c
// Derivatives of a pair whose body b is a primitive, with gap and crossing: the sum of a barrier over the vertices of
// a.
void dc_primitive_pair(const struct dc_contact *contact, struct dc_pair *pair, const struct dc_pose *pose_a, int order,
                       dc_primitive_barrier *barrier, struct dc_pair_derivatives *result);
// 12 l w/h with the weights w of the vertices: the barrier of bsh, exact and ipc-global.
dc_primitive_barrier dc_primitive_far_barrier;

// ipc.c
extern const struct dc_contact_model dc_contact_ipc, dc_contact_ipc_global;

// What each model reads of struct dc_contact_settings (model_options.c).
extern const struct dc_option dc_bsh_options[], dc_exact_options[], dc_ipc_options[], dc_ipc_global_options[],
    dc_sdrs_options[], dc_manifold_options[], dc_mujoco_contact_options[];

#endif
