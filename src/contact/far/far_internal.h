// SPDX-License-Identifier: Apache-2.0
// Private to src/contact/far.
#ifndef DC_CONTACT_FAR_INTERNAL_H
#define DC_CONTACT_FAR_INTERNAL_H

#include "contact/far/far_field.h"
#include "geometry/bounding/sphere_tree.h"

// A surface: its tree, and where that is.
struct dc_far_surface {
  const struct dc_soft *soft;  // NULL: rigid
  int vertex_count, triangle_count;
  const int (*triangles)[3];  // a segment of a rod is two, with one corner twice
  struct dc_sphere_tree tree;
  double (*x)[3];       // [vertices] of a soft body at the last evaluation
  double (*center)[3];  // [nodes] of the tree in the world; of a soft body the tree's own
  double spread;        // of its triangles about their centroids at rest, mean, m^2
  // [nodes] rates of the numbers of nodes, derivatives by them and their rates; derivatives are zeros between calls
  struct dc_node_cotangent *rates, *by, *by_rates;
};

// A term, or a blend, and the blend it belongs to.  Blend 0 is the root sum, no blend.
struct dc_far_term {
  int i, j, blend;
};

// Sums of a blend: A of the terms below it, its weight, and the rates of both.
struct dc_far_sum {
  double energy, weight, energy_rate, weight_rate;
};

struct dc_far_pair {
  int a, b;
  double given, stiffness, softening;  // J as given and times the field's factor, delta^2 in m^2
  struct dc_far_term *terms, *blends;  // [term_count], [blend_count]
  struct dc_far_sum *sums;             // [blends]
  size_t term_count, blend_count, term_capacity, blend_capacity, sum_capacity;
};

struct dc_far_rule {
  double length, blend;  // m, epsilon
  bool hierarchical;
};

// Lists what counts where the trees are; -1 when out of memory.
int dc_far_pair_list(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                     const struct dc_far_rule *rule);
// Adds derivatives by the nodes of both trees to `by`; returns the energy.
double dc_far_pair_gradient(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                            const struct dc_far_rule *rule);
// The same, and their rates along the rates of the nodes to `by_rates`.
void dc_far_pair_multiply(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                          const struct dc_far_rule *rule);

#endif
