// SPDX-License-Identifier: Apache-2.0
// Random placements, and two solids with a witness made by hand.
#ifndef DC_TESTS_GEOMETRY_WITNESS_QUERY_H
#define DC_TESTS_GEOMETRY_WITNESS_QUERY_H

#include "base/random.h"
#include "geometry/solid_fixture.h"
#include "geometry/convex/witness_local.h"
#include "math/rotation.h"
#include "math/vector.h"

static struct dc_random generator;

static inline double between(double low, double high)
{
  return low + (high - low) * dc_random_uniform(&generator);
}

static inline void random_vector(double v[3], double size)
{
  for (int k = 0; k < 3; k++)
    v[k] = size * dc_random_normal(&generator);
}

static inline void random_placement(struct dc_placement *placement, double distance)
{
  double q[4];
  for (int k = 0; k < 4; k++)
    q[k] = dc_random_normal(&generator);
  dc_rotation_normalize(q);
  dc_rotation_matrix(placement->rotation, q);
  random_vector(placement->position, distance);
}

// The settings of a scene that gives none.  They hold numbers only, so that the arena of strings and lists may go.
static inline void default_settings(struct dc_witness_settings *settings)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error;
  *settings = (struct dc_witness_settings){0};
  CHECK(dc_options_set_defaults(dc_witness_options, settings, arena, &error) == DC_OK, "%s", error.text);
  dc_arena_destroy(arena);
}

static inline double largest(const double *a, int count)
{
  double most = 0;
  for (int k = 0; k < count; k++)
    most = larger(most, fabs(a[k]));
  return most;
}

static inline double difference(const double *a, const double *b, int count)
{
  double most = 0;
  for (int k = 0; k < count; k++)
    most = larger(most, fabs(a[k] - b[k]));
  return most;
}

struct query {
  struct dc_witness_solid solids[2];
  struct dc_placement placements[2];
  struct dc_witness witness;
  double target[2][3];
  struct dc_witness_draw draw;
};

// Point of solid 0 in its frame with outward normal; the other point above it at a signed distance.
static inline void place(struct query *query, const struct fixture *fixture, const double point[3],
                         const double normal[3], double distance)
{
  for (int i = 0; i < 2; i++) {
    query->solids[i] = (struct dc_witness_solid){&fixture->solid, &fixture->samples};
    random_placement(&query->placements[i], 0.3);
  }
  const struct dc_placement *placement = &query->placements[0];
  dc_mat_apply(query->witness.point[0], placement->rotation, point);
  dc_vec_add(query->witness.point[0], query->witness.point[0], placement->position);
  dc_mat_apply(query->witness.normal, placement->rotation, normal);
  dc_vec_add_scaled(query->witness.point[1], query->witness.point[0], distance, query->witness.normal);
  query->witness.distance = distance;
  query->witness.part[0] = query->witness.part[1] = 0;
  memcpy(query->target, query->witness.point, sizeof query->target);
  query->draw = (struct dc_witness_draw){.key = 1, .radius_scale = 1};
}

static inline void derive(const struct dc_witness_settings *settings, const struct query *query,
                          struct dc_witness_side sides[2])
{
  dc_witness_derivative(settings, query->solids, query->placements, &query->witness, query->target, &query->draw,
                        sides);
}

// The matrix of a side in the frame of solid 0.
static inline void in_frame(const struct query *query, const double follow[9], double local[9])
{
  double turned[9], transposed[9];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      transposed[3 * r + c] = query->placements[0].rotation[3 * c + r];
  dc_mat_multiply(turned, transposed, follow);
  dc_mat_multiply_transposed(local, turned, transposed);
}

#endif
