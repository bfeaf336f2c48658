// SPDX-License-Identifier: Apache-2.0
// Two bodies that rub: scenes, poses at t and t+1, energies and derivatives.
#ifndef DC_TESTS_FRICTION_SCENE_H
#define DC_TESTS_FRICTION_SCENE_H

#include "contact/friction_internal.h"
#include "contact_scene.h"

static const double time_step = 0.01, smoothing = 1e-3, stiffness = 2e-3;

// Scenes of two bodies, a above b: b is fixed, movable or a half space.
static const struct rubbing_scene {
  const char *name, *a, *b;
  bool fixed, edge;  // a stands on an edge
} scenes[] = {
    {"box on box", "box size=0.3,0.25,0.2 divisions=1,1,1", "box size=0.5,0.4,0.2 divisions=1,1,1", false, false},
    {"box on fixed box", "box size=0.3,0.25,0.2 divisions=1,1,1", "box size=0.5,0.4,0.2 divisions=2,2,1", true, false},
    {"rod's edge on box", "box size=0.1,0.6,0.1 divisions=1,2,1", "box size=0.4,0.4,0.3 divisions=1,1,1", false, true},
    {"box on half space", "box size=0.3,0.25,0.2 divisions=2,2,1", "plane", true, false},
    {"ball on ball", "sphere radius=0.2 level=0", "sphere radius=0.3 level=1", false, false},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

struct rub {
  struct scene scene;
  struct dc_contact *contact;
  bool both;
  double coefficient[2];
  struct dc_friction_law law;
  struct dc_pose now[2], next[2];
};

static inline void rub_start(struct rub *rub, const struct rubbing_scene *of, const char *model, const char *settings)
{
  scene_start(&rub->scene);
  scene_body(&rub->scene, false, of->a);
  scene_body(&rub->scene, of->fixed, of->b);
  scene_finish(&rub->scene);
  rub->contact = scene_contact(&rub->scene, model, settings);
  rub->both = !of->fixed;
  rub->coefficient[0] = 0.5;
  rub->coefficient[1] = 0.8;
  rub->law = (struct dc_friction_law){
      .stiffness = stiffness, .time_step = time_step, .smoothing = smoothing, .coefficient = rub->coefficient};
}

// a at a gap above b, slightly askew; b anywhere when it moves.
static inline void place(struct rub *rub, const struct rubbing_scene *of, struct dc_random *random, double gap,
                         double askew)
{
  struct dc_pose *poses = rub->now;
  double turn[4] = {1, 0, 0, 0}, up[3] = {0.02, -0.03, 1}, push[3] = {0.13, 0.07, 0};
  memcpy(poses, rub->scene.poses, 2 * sizeof *poses);
  turn[2] = of->edge ? tan(acos(-1) / 8) : 0;
  for (int k = 1; k < 4; k++)
    turn[k] += askew * (dc_random_uniform(random) - 0.5);
  pose_turn_to(&poses[0], turn);
  dc_vec_scale(up, up, 1 / dc_vec_norm(up));
  if (rub->contact->colliders[1].half_space) {
    double lowest = INFINITY;
    for (int v = 0; v < rub->contact->colliders[0].vertex_count; v++) {
      double x[3];
      dc_mat_apply(x, poses[0].rotation, rub->contact->colliders[0].vertices[v]);
      lowest = fmin(lowest, x[2]);
    }
    poses[0].position[2] = poses[1].position[2] + gap - lowest;
    return;
  }
  double touching = touching_distance(rub->contact, poses, up);
  for (int k = 0; k < 3; k++)
    poses[0].position[k] = poses[1].position[k] + (touching + gap) * up[k] + gap * push[k];
  if (!rub->both)
    return;
  // Both turned and shifted together
  struct dc_pose turned;
  double q[4], product[4], d[3], moved[3];
  dc_vec_sub(d, poses[0].position, poses[1].position);
  turned = poses[1];
  pose_random_rotation(random, &turned);
  memcpy(q, turned.quaternion, sizeof q);
  for (int i = 0; i < 2; i++) {
    dc_rotation_multiply(product, q, poses[i].quaternion);
    pose_turn_to(&poses[i], product);
  }
  dc_mat_apply(moved, turned.rotation, d);
  dc_vec_add(poses[0].position, poses[1].position, moved);
}

// next = now moved at about that speed, m/s
static inline void move_on(struct rub *rub, struct dc_random *random, double speed)
{
  for (int i = 0; i < 2; i++) {
    double twist[6];
    rub->next[i] = rub->now[i];
    for (int k = 0; k < 6; k++)
      twist[k] = dc_random_normal(random) * speed * time_step * (k < 3 ? 3 : 1);
    if (i == 0 || rub->both)
      pose_move(&rub->now[i], 1, twist, &rub->next[i]);
  }
}

static inline void begin_at(struct rub *rub, const struct dc_pose *now)
{
  struct dc_pair_derivatives pair;
  struct dc_error error;
  double energy = dc_contact_evaluate(rub->contact, now, 2, &pair);
  scene_need(&rub->scene, isfinite(energy), "bodies overlap");
  scene_need(&rub->scene, !dc_contact_friction_begin(rub->contact, now, &rub->law, &error), "friction");
}

struct derivatives {
  double energy, gradient[12], hessian[12][12];
};

// Energies and derivatives of the only pair at next.
static inline void evaluate(struct rub *rub, const struct dc_pose *next, int order, bool exact, struct derivatives *d)
{
  struct dc_friction_derivatives pair;
  d->energy = dc_contact_friction_evaluate(rub->contact, next, order, exact, &pair);
  CHECK(dc_contact_friction_solved(rub->contact), "solved");
  CHECK(d->energy == pair.energy, "%g, %g", d->energy, pair.energy);
  memcpy(d->gradient, pair.gradient, sizeof d->gradient);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      d->hessian[i][k] = pair.h_aa[i][k];
      d->hessian[i][6 + k] = d->hessian[6 + k][i] = pair.h_ab[i][k];
      d->hessian[6 + i][6 + k] = pair.h_bb[i][k];
    }
}

#endif
