// SPDX-License-Identifier: Apache-2.0
// Private to src/contact/bsh: the state of the model and of its pairs of bodies.
//
// A pair goes through these files in turn.  First far_pairs.c asks whether the roots are so far apart that one term
// stands for all.  Then pair_list.c lists the triangles and nodes that count, and how they are blended; pair_parts.c
// does so in parts that threads share.  At last pair_terms.c evaluates the terms and sums them.  Two files read the
// result for the points of the bodies: point_forces.c, point_rates.c.  Exact terms of convex leaves wait for those of
// other pairs: leaf_terms.c.
#ifndef DC_CONTACT_BSH_PAIR_H
#define DC_CONTACT_BSH_PAIR_H

#include "contact/common/contact_internal.h"
#include "contact/common/leaf_pair.h"
#include "contact/common/points.h"
#include "math/vector.h"

// Numbers of entries after a level.
struct dc_walk_ends {
  size_t exact, centred, blend, close;
};

// Parts: four for each of four threads, so that what they differ by evens out; no result depends on it.  A level of a
// walk has a bit of the codes.
enum { DC_PARTS = 16, DC_LEVELS = 64 };

// A far node pair: square of the distance of its centres, sum of its radii.
struct dc_close {
  double square, inner;
};

static inline double dc_closer(double gap, double square, double inner)
{
  return square < (gap + inner) * (gap + inner) ? sqrt(square) - inner : gap;
}

// A walk through the node pairs of two trees, level by level (pair_list.c).
struct dc_walk {
  struct dc_term *exact, *level[2];                       // level: node pairs at two depths
  struct dc_node_term *centred, *blends;                  // [centred_count], [blend_count]
  size_t exact_count, centred_count, blend_count, count;  // count: node pairs of the level that was reached
  size_t exact_capacity, centred_capacity, blend_capacity, level_capacity[2];
  long visited;
  double gap;
  int last;  // index of that level
  // A part of a walk has the index of its first blend, below which blends are those above all parts, and far node pairs
  // that may be closer than all before them.
  bool part;
  int first_blend;
  struct dc_close *close;  // [close_count]
  size_t close_count, close_capacity;
};

// One part of the node pairs of a level, and the walk below it (pair_parts.c).
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

// The sum over what lies below a blend.
struct dc_blend_sum {
  double energy, gradient[6];
};

// Rates along twists: of the distance of a blend's nodes, m per unit, of its weight and of the energy below it.
struct dc_blend_rate {
  double along, weight, energy;
};

// The sums of a unit of work.
struct dc_unit_sum {
  double hessian[DC_HESSIAN], gap;
  bool crossing, unsolved;
};

struct dc_term_value {
  double energy, gradient[6];
  int blend;
};

static const double DC_BSH_OFFSET = 12;  // paper 000, Eq. 7: the potential of a pair at infinity

static inline void dc_bsh_add_value(struct dc_blend_sum *sum, const struct dc_term_value *value)
{
  sum->energy += value->energy;
  for (int k = 0; k < 6; k++)
    sum->gradient[k] += value->gradient[k];
}

enum { DC_EXACT_UNIT = 512, DC_CENTRED_UNIT = 2048 };  // terms per unit of parallel work

struct dc_unit {
  int pair, index;
};

// Triangle pairs that count exactly, and their planes, in the coordinates of b's frame (normal 0: none).
struct bsh_terms {
  struct dc_term *terms;  // [count]
  double (*planes)[4];    // [count] normal and offset
  size_t count, term_capacity, plane_capacity;
};

// Where the walk of a parted pair was cut: the level (index into pair->level), its node pairs, entries of the lists
// above it, and where each part ends, in [0, 1] of the level's codes.
struct bsh_cut {
  int index;
  size_t count, exact, centred, blends;
  double ends[DC_PARTS];
};

// The terms of a pair of bodies at its last evaluation.
struct bsh_pair {
  struct dc_pair *face;                   // the bodies, and what everyone sees of the pair
  struct bsh_terms now, last;             // exact terms of this evaluation and of the one before
  struct dc_node_term *centred, *blends;  // blend 0: the root sum, no blend
  size_t centred_count, blend_count;
  double *gaps;                          // of the exact terms: lower bounds of the distance of their triangles, m
  double *energies;                      // of the exact terms, neither scaled nor weighted
  struct dc_blend_sum *sums;             // [blend_count]
  double *weights;                       // [blend_count] product of 1 - phi of a blend and of those above it
  struct dc_blend_batch *blend_batches;  // of the blends from 1 on
  struct dc_term_value *values;          // of a large pair: of the exact terms, then of the centred ones
  struct dc_unit_sum *units;             // of the units of work
  struct dc_term *level[2];              // node pairs at two depths
  struct dc_walk_part *parts;            // [DC_PARTS] of a parted pair; NULL until there is one
  struct bsh_cut cut;
  struct {
    size_t centred, blends, gaps, energies, sums, weights, batches, values, units, level[2];
  } capacity;
  long visited, last_visited;
  double far_gap;  // lower bound of the distance of triangles that are no exact terms
  bool all;        // the exact terms are all triangle pairs, with code 1 + i triangles + j
  bool listed;     // exact terms, planes, gaps and far_gap are those of the last evaluation
  bool far;        // the roots act as one centred term
  bool apart;      // of a pair without a far field: the roots do not act on each other, and nothing is listed
  bool large;      // more terms than one unit of work
  bool parted;     // a large pair whose walk went on in parts
  bool waits;      // its exact terms are those of leaves and wait for those of other pairs
};

// An exact term of a pair that waits, and what it is found to be.
struct bsh_leaf {
  int pair, term;
  double weight;  // times P in the energy of its blend
  struct dc_term_value value;
  double hessian[DC_HESSIAN];  // with all weights
  bool unsolved;
};

struct bsh {
  struct bsh_pair *pairs;  // [pair_count]
  int *far_pairs;          // [pair_count], those whose roots count as one centred term
  struct dc_unit *units;   // passes over large pairs
  size_t unit_capacity;
  struct bsh_leaf *leaves;  // terms that wait, pair by pair
  int *leaf_order;          // in which they are put into batches
  size_t leaf_capacity, leaf_order_capacity;
  struct dc_blend_rate *blend_rates;  // [most blends of a pair] workspace of point_rates.c
  size_t blend_rate_capacity;
  struct {
    struct dc_loop_history far_pairs, leaves, leaf_pairs, walks, joins, blends, units, sums, gathers;
  } loops;
};

static inline struct bsh *dc_bsh_of(const struct dc_contact *contact)
{
  return contact->own;
}

static inline struct bsh_pair *dc_bsh_pair(const struct dc_contact *contact, int pair)
{
  return &dc_bsh_of(contact)->pairs[pair];
}

// Batches of eight that the blends fill; the root sum is none.
static inline int dc_bsh_blend_batches(const struct bsh_pair *pair)
{
  return (int)((pair->blend_count - 1 + DC_BATCH - 1) / DC_BATCH);
}

// psi' and psi'' of a centred term at distance r of its centres, by r (docs/theory.md, "Centred terms").
static inline void dc_centred_slopes(double r, double spread, double scale, double length, double *first,
                                     double *second)
{
  double inverse = 1 / sqrt(r * r + spread), root = sqrt(length * inverse), ratio = r * inverse;
  double slope = -12 * (root + length * inverse) * inverse, square = inverse * inverse;
  *first = scale * slope * ratio;
  *second = scale * ((18 * root + 24 * length * inverse) * square * ratio * ratio + slope * spread * square * inverse);
}

// P' and P'' of a triangle pair with weights w_i w_j = scale, by S (docs/theory.md, "Triangle pairs").
static inline void dc_triangle_slopes(double sum, double scale, double length, double *first, double *second)
{
  double root = sqrt(length * sum);
  *first = scale * length * (1 + DC_SQRT12 / root);
  *second = -0.5 * scale * DC_SQRT12 * root / (sum * sum);
}

// far_pairs.c
// Whether the roots are beyond (1 + epsilon) (R_I + R_J): sets the pair's counts and gap.
bool dc_bsh_is_far(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3]);
// Whether the roots of a pair without a far field are so far apart that nothing acts: sets the pair's counts and gap.
bool dc_bsh_is_apart(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3]);
// Up to 8 far pairs by index into results, whose arms are set.
void dc_bsh_evaluate_far(const struct dc_contact *contact, const int *indices, int count, int order,
                         struct dc_pair_derivatives *results);

// pair_list.c
// Lists the terms and blends of a pair; -1 when out of memory, which leaves empty lists, else 0.  The walk of a pair
// that is left `parted` has only begun: pair_parts.c.
int dc_bsh_collect(struct dc_contact *contact, struct bsh_pair *pair, const double arm[3]);
// Marks a pair that there was no memory for: its lists are empty.
void dc_bsh_fail(struct bsh_pair *pair);
// The steps of collecting, for parts of a pair.  The first walks below a part of the node pairs of the last level; -1
// when out of memory, also from the others.
int dc_bsh_walk_part(const struct dc_contact *contact, const struct bsh_pair *pair, int part, const double arm[3]);
// Room for planes, blends and all that is found out about the terms.
int dc_bsh_reserve(struct bsh_pair *pair);
// Planes of the last evaluation for those terms from begin to end that stayed.
void dc_bsh_hand_on_planes(struct bsh_pair *pair, size_t begin, size_t end);
// Geometry and factors of the blends in some batches of eight; their sums are cleared.
void dc_bsh_set_blends(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3], int begin,
                       int end);
// Weights of all blends; a blend comes after the one that it belongs to.
void dc_bsh_set_weights(struct bsh_pair *pair);
void dc_bsh_release(struct bsh_pair *pair);

// pair_parts.c
// Finishes those of the pairs from begin to end that are large or parted.  The loops of one pair are shared by threads,
// most_threads as of dc_loop_run.
void dc_bsh_evaluate_large(struct dc_contact *contact, int begin, int end, int most_threads,
                           const struct dc_pose *poses, int order, struct dc_pair_derivatives *results);

// leaf_terms.c
// Finishes those of the pairs from begin to end that wait.
void dc_bsh_evaluate_leaves(struct dc_contact *contact, int begin, int end, int most_threads,
                            const struct dc_pose *poses, int order, struct dc_pair_derivatives *results);

// pair_terms.c
// A term of a pair as a lane of leaves.
struct dc_leaf_lane dc_bsh_leaf_lane(const struct dc_contact *contact, const struct bsh_pair *pair, size_t term,
                                     const double *rotation_b, const double *arm);
int dc_bsh_unit_count(const struct bsh_pair *pair);
void dc_bsh_run_unit(const struct dc_contact *contact, struct bsh_pair *pair, int unit, const struct dc_pose *poses,
                     const double arm[3], int order);
// Before a parted pair is gathered: sums of the blends above all parts, and of those of a part.
void dc_bsh_sum_top(struct bsh_pair *pair);
void dc_bsh_sum_part(struct bsh_pair *pair, const struct dc_walk_part *part, int order);
void dc_bsh_gather(const struct dc_contact *contact, struct bsh_pair *pair, int order,
                   struct dc_pair_derivatives *result);

// point_rates.c: dc_contact_point_rates; -1 when out of memory.
int dc_bsh_point_rates(struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6], double scale,
                       double (*const *by_point)[3]);

// point_forces.c
extern const struct dc_point_methods dc_bsh_points;

#endif
