// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: the ground that all models of contact stand on.  Colliders are the geometry of bodies, a pair
// is what everyone sees of two of them, methods are how a model does its work, and struct dc_contact holds it all.
#ifndef DC_CONTACT_CONTACT_INTERNAL_H
#define DC_CONTACT_CONTACT_INTERNAL_H

#include <stdint.h>

#include "base/threads.h"
#include "contact/common/near_list.h"
#include "contact/contact.h"
#include "contact/kernels/lane_kernels.h"
#include "contact/common/primitive.h"
#include "geometry/bounding/sphere_tree.h"

// Sums of several terms at a vertex, world axes: of dc_contact_point_rates (force alone) or of dc_friction_add_point.
struct dc_vertex_sum {
  double force[3], slip[3], pulled[3];
};

// Geometry fixed in a body's frame (origin at the centre of mass), and the same turned into world axes for the pose
// at hand.
struct dc_collider {
  struct dc_primitive primitive;  // at the pose at hand; without a type: a mesh
  int vertex_count, triangle_count;
  double (*vertices)[3];      // [vertex_count] about the centre of mass, the body's axes, m
  const int (*triangles)[3];  // [triangle_count]
  double *vertex_weight;   // [vertex_count], sum 1 (of round leaves less): a third of the adjacent area over the body's
  double *leaf_weight;     // [triangle_count]
  int part_count, *parts;  // a vertex of every connected part of the surface
  // Arrays of a body whose surface is convex leaves, else NULL; triangles is NULL then and triangle_count the number of
  // leaves.  Leaf i is all within leaf_radius[i] of the hull of the vertices leaf_first[i] ... leaf_first[i + 1] - 1.
  const int *leaf_first;                      // [triangle_count + 1]
  const double *leaf_radius, *vertex_radius;  // [triangle_count], [vertex_count], m
  const struct dc_body *body;                 // whose mesh is the solid
  struct dc_sphere_tree tree;
  bool ball;             // a single round leaf of one vertex, the origin
  double radius;         // farthest vertex from the origin
  double position[3];    // of the frame's origin, m
  double (*turned)[3];   // R x of the vertices
  double (*spheres)[4];  // R x of the node centres, and the radii
  // Arrays of a body that follows a design, else NULL: by_node [nodes] derivatives in the body's axes, until they are
  // taken; node_sums [nodes] and vertex_sums [vertex_count] workspace, zeros between evaluations.
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

// A leaf of a collider, a triangle or a convex leaf: the indices of its vertices are corners[0] ..., or, with corners
// NULL, first, first + 1, ...
struct dc_leaf {
  int count, first;
  const int *corners;
  double radius;
};

static inline struct dc_leaf dc_leaf_of(const struct dc_collider *collider, int i)
{
  if (!collider->leaf_first)
    return (struct dc_leaf){.count = 3, .corners = collider->triangles[i]};
  int first = collider->leaf_first[i];
  return (struct dc_leaf){
      .count = collider->leaf_first[i + 1] - first, .first = first, .radius = collider->leaf_radius[i]};
}

static inline int dc_leaf_vertex(const struct dc_leaf *leaf, int v)
{
  return leaf->corners ? leaf->corners[v] : leaf->first + v;
}

static inline double dc_vertex_radius(const struct dc_collider *collider, int vertex)
{
  return collider->vertex_radius ? collider->vertex_radius[vertex] : 0;
}

// Whether terms of the pair are leaves that are no triangles, with a kernel of their own.
static inline bool dc_has_leaves(const struct dc_collider *a, const struct dc_collider *b)
{
  return a->leaf_first || b->leaf_first;
}

// Terms that a model evaluated or visited for a pair: triangles or whatever it has in their place, centred terms,
// blends, node pairs on the way to them.
struct dc_pair_counts {
  long exact, centred, blends, visited;
};

// One body pair, as everyone sees it, at its last evaluation.  What a model keeps of it besides is in contact->own.
struct dc_pair {
  int a, b;
  bool near_only;  // node pairs farther apart than near_range do not act (docs/theory.md, "Pairs without a far field")
  double gap;      // lower bound of the distance of the bodies, m
  struct dc_near_list near;
  struct dc_pair_counts counts;
  bool crossing;  // surfaces meet
  bool failed;    // memory ran out
  bool unsolved;  // a plane did not reach its tolerance: its Hessian is missing
  bool large;     // so much is near that threads may share the work on this pair alone
};

// Width of the zone beyond inner = R_I + R_J in which a node pair is blended: with its centred term; of a pair without
// a far field, with nothing.
static inline double dc_pair_zone(const struct dc_contact_settings *settings, const struct dc_pair *pair, double inner)
{
  return pair->near_only ? settings->near_range : settings->blend * inner;
}

// The functions that tell contact models apart.  Colliders, their turning, overlap at the start and continuous
// collision detection are common to all.
struct dc_contact_methods {
  // Memory of the model's own in contact->own, made after the colliders, and its release, also when create failed or
  // was not reached (own NULL); create and destroy NULL: none.
  enum dc_status (*create)(struct dc_contact *contact, struct dc_error *error);
  void (*destroy)(struct dc_contact *contact);
  // Forgets warm starts; NULL: there are none.
  void (*reset)(struct dc_contact *contact);
  // Derivatives of pair p's potential at poses, whose colliders have been turned, into *result (zeroed, arm set), with
  // pair->gap, counts, crossing, failed and unsolved, and the near list where the model has one.  Called by several
  // threads for different pairs.
  void (*evaluate_pair)(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                        struct dc_pair_derivatives *result);
  // The same of a pair whose body b is a primitive.
  void (*evaluate_primitive)(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                             struct dc_pair_derivatives *result);
  // Does what evaluate_pair has left undone of the pairs from begin to end, for loops of most_threads (as of
  // dc_loop_run); NULL: nothing.
  void (*finish)(struct dc_contact *contact, int begin, int end, int most_threads, const struct dc_pose *poses,
                 int order, struct dc_pair_derivatives *results);
  const struct dc_friction_methods *friction;
  const struct dc_point_methods *points;  // NULL: none
  bool takes_leaves;                      // sees convex leaves as such; others refuse surfaces of them
  bool sums_planes;                       // its near list is of barriers on planes, as barriers.c takes them
};

extern const struct dc_contact_methods dc_bsh_methods;  // bsh.c
extern const struct dc_contact_model dc_contact_bsh, dc_contact_exact, dc_contact_mujoco;
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
  int (*pair_bodies)[2];  // [pair_count]
  struct dc_pair *pairs;  // [pair_count]
  int *order;             // [pair_count]: threads take pairs in this order, those that cost much first
  double *costs, cost;    // [pair_count] of the last evaluation, roughly, s; their sum
  struct {
    struct dc_loop_history turns, pairs, fractions[2], chunks, bounds;
  } loops;
  struct dc_point_rows *rows;    // workspace of dc_contact_point_rates, of models with products only; NULL until then
  double *fractions;             // [pair_count] workspace of dc_contact_safe_fraction_within
  struct dc_gap_bound *bounds;   // [pair_count] workspace of dc_contact_gap_bounds
  bool *bounded;                 // [pair_count] likewise
  bool shared;                   // several threads may take part in the evaluation under way
  bool fixed_turned;             // fixed bodies have been turned once
  struct dc_friction *friction;  // NULL until something slides
  void *own;                     // memory of the model
};

// The size that the descent rule compares.
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

// The options that each model reads of struct dc_contact_settings (model_options.c).
extern const struct dc_option dc_bsh_options[], dc_exact_options[], dc_ipc_options[], dc_ipc_global_options[],
    dc_sdrs_options[], dc_manifold_options[], dc_mujoco_contact_options[];

#endif
