// SPDX-License-Identifier: Apache-2.0
// Samples joint positions and tests which pairs of bodies come near each other, for self_contact of imported robots.
//
// For every draw: positions from the ranges, followers from their leaders, poses, then for each pair that has not met a
// test by bounding radii and by distances of the convex parts.
#include "body/meeting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "geometry/convex/hull_distance.h"
#include "math/vector.h"

// Computes vertices of one part of a body, in world axes about its pose; returns their number.
static int place_part(const struct dc_body *body, int part, const struct dc_pose *pose, double (*places)[3])
{
  const struct dc_mesh *mesh = &body->shape->parts[part];
  for (int v = 0; v < mesh->vertex_count; v++) {
    double local[3];
    dc_vec_sub(local, mesh->vertices[v], body->center);
    dc_mat_apply(places[v], pose->rotation, local);
    dc_vec_add(places[v], places[v], pose->position);
  }
  return mesh->vertex_count;
}

// Whether two bodies are within the margin of each other; room [2] holds the vertices of one part of each.
static bool are_near(const struct dc_body *a, const struct dc_pose *at_a, const struct dc_body *b,
                     const struct dc_pose *at_b, double margin, double (*room[2])[3])
{
  if (dc_vec_distance(at_a->position, at_b->position) > a->radius + b->radius + margin)
    return false;
  for (int i = 0; i < a->shape->part_count; i++) {
    int count = place_part(a, i, at_a, room[0]);
    for (int j = 0; j < b->shape->part_count; j++) {
      double normal[3];
      int other = place_part(b, j, at_b, room[1]);
      if (dc_hull_distance((const double(*)[3])room[0], count, (const double(*)[3])room[1], other, normal) <= margin)
        return true;
    }
  }
  return false;
}

// Draws a position of every slide and hinge, uniformly within its range.
static void draw(const struct dc_bodies *bodies, const struct dc_meeting_sample *sample, double reach,
                 struct dc_random *random, double *q)
{
  memcpy(q, bodies->initial_q, (size_t)bodies->nq * sizeof *q);
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
        continue;
      // Without a range a hinge turns all the way, and a slide moves by the size of the whole robot to either side.
      double around = part->kind == DC_PART_HINGE ? M_PI : reach, u = dc_random_uniform(random);
      double low = isfinite(part->range[0]) ? part->range[0] : bodies->initial_q[part->q] - around;
      double high = isfinite(part->range[1]) ? part->range[1] : bodies->initial_q[part->q] + around;
      q[part->q] = low + u * (high - low);
    }
  for (int k = 0; k < sample->coupling_count; k++) {
    int body = sample->couplings[k].body;
    int leader = dc_coupling_resolve(sample->coupling_count, sample->couplings, body).leader;
    double slope;
    q[bodies->bodies[body].parts[0].q] = dc_coupling_follow(sample->coupling_count, sample->couplings, body,
                                                            q[bodies->bodies[leader].parts[0].q], &slope);
  }
}

// Vertices of the largest convex part of any body, at least 1: the room for one placed part.
static int most_vertices(const struct dc_bodies *bodies)
{
  int most = 1;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; bodies->bodies[i].shape && p < bodies->bodies[i].shape->part_count; p++)
      if (bodies->bodies[i].shape->parts[p].vertex_count > most)
        most = bodies->bodies[i].shape->parts[p].vertex_count;
  return most;
}

// Draws positions of all joints and notes the pairs that come near each other in any of them.  Bodies without convex
// parts cannot be tested and count as meeting, so that their contact is never switched off by mistake.  Pairs that
// have met are not tested again.  Samples find frequent meetings only: a pair that meets in a small part of the
// ranges may be missed.
enum dc_status dc_bodies_sample_meetings(const struct dc_bodies *bodies, const struct dc_meeting_sample *sample,
                                         int pair_count, const int (*pairs)[2], bool *meet, struct dc_error *error)
{
  size_t vertices = (size_t)most_vertices(bodies);
  double reach = 0, *q = dc_alloc((size_t)bodies->nq + 1, sizeof *q);
  double(*places)[3] = dc_alloc(2 * vertices, sizeof *places), (*room[2])[3] = {places, places + vertices};
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  struct dc_random random;
  enum dc_status status = q && places && poses ? DC_OK : dc_out_of_memory_for(error, "positions");
  for (int i = 0; i < bodies->count; i++)
    reach += bodies->bodies[i].radius;
  for (int p = 0; p < pair_count; p++) {
    const struct dc_shape *a = bodies->bodies[pairs[p][0]].shape, *b = bodies->bodies[pairs[p][1]].shape;
    meet[p] = !a || !b || a->part_count == 0 || b->part_count == 0;
  }
  dc_random_seed(&random, sample->seed);
  for (int s = 0; s < sample->samples && !status; s++) {
    draw(bodies, sample, reach, &random, q);
    dc_poses(bodies, q, poses);
    for (int p = 0; p < pair_count; p++) {
      const struct dc_body *a = &bodies->bodies[pairs[p][0]], *b = &bodies->bodies[pairs[p][1]];
      if (!meet[p])
        meet[p] =
            are_near(a, &poses[pairs[p][0]], b, &poses[pairs[p][1]], sample->margin * (a->radius + b->radius), room);
    }
  }
  free(q);
  free(places);
  free(poses);
  return status;
}
