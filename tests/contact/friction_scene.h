// SPDX-License-Identifier: Apache-2.0
// Two bodies that slide on each other: scenes, poses at t and t+1, energies and derivatives.
#ifndef DC_TESTS_FRICTION_SCENE_H
#define DC_TESTS_FRICTION_SCENE_H

#include "contact/friction/friction_internal.h"
#include "contact_scene.h"

static const double time_step = 0.01, smoothing = 1e-3, stiffness = 2e-3;

// Scenes of two bodies, a above b: b is fixed, movable or a half space.
static const struct sliding_scene {
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

struct sliding {
  struct scene scene;
  struct dc_contact *contact;
  bool both;
  double coefficient[2];
  struct dc_friction_law law;
  struct dc_pose now[2], next[2];
};

static inline void sliding_start(struct sliding *sliding, const struct sliding_scene *of, const char *model,
                                 const char *settings)
{
  scene_start(&sliding->scene);
  scene_body(&sliding->scene, false, of->a);
  scene_body(&sliding->scene, of->fixed, of->b);
  scene_finish(&sliding->scene);
  sliding->contact = scene_contact(&sliding->scene, model, settings);
  sliding->both = !of->fixed;
  sliding->coefficient[0] = 0.5;
  sliding->coefficient[1] = 0.8;
  sliding->law = (struct dc_friction_law){
      .stiffness = stiffness, .time_step = time_step, .smoothing = smoothing, .coefficient = sliding->coefficient};
}

// a at a gap above b, slightly askew; b anywhere when it moves.
static inline void place(struct sliding *sliding, const struct sliding_scene *of, struct dc_random *random, double gap,
                         double askew)
{
  struct dc_pose *poses = sliding->now;
  double turn[4] = {1, 0, 0, 0}, up[3] = {0.02, -0.03, 1}, push[3] = {0.13, 0.07, 0};
  memcpy(poses, sliding->scene.poses, 2 * sizeof *poses);
  turn[2] = of->edge ? tan(acos(-1) / 8) : 0;
  for (int k = 1; k < 4; k++)
    turn[k] += askew * (dc_random_uniform(random) - 0.5);
  pose_turn_to(&poses[0], turn);
  dc_vec_scale(up, up, 1 / dc_vec_norm(up));
  if (sliding->contact->colliders[1].primitive.type) {
    double lowest = INFINITY;
    for (int v = 0; v < sliding->contact->colliders[0].vertex_count; v++) {
      double x[3];
      dc_mat_apply(x, poses[0].rotation, sliding->contact->colliders[0].vertices[v]);
      lowest = fmin(lowest, x[2]);
    }
    poses[0].position[2] = poses[1].position[2] + gap - lowest;
    return;
  }
  double touching = touching_distance(sliding->contact, poses, up);
  for (int k = 0; k < 3; k++)
    poses[0].position[k] = poses[1].position[k] + (touching + gap) * up[k] + gap * push[k];
  if (!sliding->both)
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
static inline void move_on(struct sliding *sliding, struct dc_random *random, double speed)
{
  for (int i = 0; i < 2; i++) {
    double twist[6];
    sliding->next[i] = sliding->now[i];
    for (int k = 0; k < 6; k++)
      twist[k] = dc_random_normal(random) * speed * time_step * (k < 3 ? 3 : 1);
    if (i == 0 || sliding->both)
      pose_move(&sliding->now[i], 1, twist, &sliding->next[i]);
  }
}

static inline void begin_at(struct sliding *sliding, const struct dc_pose *now)
{
  struct dc_pair_derivatives pair;
  struct dc_error error;
  double energy = dc_contact_evaluate(sliding->contact, now, 2, &pair);
  scene_need(&sliding->scene, isfinite(energy), "bodies overlap");
  scene_need(&sliding->scene, !dc_contact_friction_begin(sliding->contact, now, &sliding->law, &error), "friction");
}

struct derivatives {
  double energy, gradient[12], hessian[12][12];
};

// Energies and derivatives of the only pair at next.
static inline void evaluate(struct sliding *sliding, const struct dc_pose *next, int order, bool exact,
                            struct derivatives *d)
{
  struct dc_friction_derivatives pair = {0};
  d->energy = dc_contact_friction_evaluate(sliding->contact, next, order, exact, &pair);
  CHECK(dc_contact_friction_solved(sliding->contact), "solved");
  CHECK(d->energy == pair.energy, "%g, %g", d->energy, pair.energy);
  memcpy(d->gradient, pair.gradient, sizeof d->gradient);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      d->hessian[i][k] = pair.h_aa[i][k];
      d->hessian[i][6 + k] = d->hessian[6 + k][i] = pair.h_ab[i][k];
      d->hessian[6 + i][6 + k] = pair.h_bb[i][k];
    }
}

// L L^T of H with a shift; false when it is not positive definite.
static inline bool positive_definite(const double hessian[12][12], int count, double shift)
{
  double l[12][12];
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++) {
      double sum = hessian[i][j] + (i == j ? shift : 0);
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0))
        return false;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  return true;
}

struct errors {
  double gradient, hessian;
};

static const double difference_point[4] = {-2, -1, 1, 2},
                    difference_weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

// Five-point differences at t+1 along direction with step h.
static inline struct errors difference_errors(struct sliding *sliding, const double direction[12], double h)
{
  struct derivatives at, moved;
  double slope = 0, curvature[12] = {0}, along = 0, size = 0, most = 0, error = 0;
  evaluate(sliding, sliding->next, 2, true, &at);
  for (int p = 0; p < 4; p++) {
    struct dc_pose shifted[2] = {sliding->next[0], sliding->next[1]};
    for (int i = 0; i < 1 + sliding->both; i++)
      pose_move(&sliding->next[i], difference_point[p] * h, direction + 6 * i, &shifted[i]);
    evaluate(sliding, shifted, 1, true, &moved);
    slope += difference_weight[p] / h * (moved.energy - at.energy);
    for (int i = 0; i < 12; i++)
      curvature[i] += difference_weight[p] / h * (moved.gradient[i] - at.gradient[i]);
  }
  for (int i = 0; i < 12; i++) {
    along += at.gradient[i] * direction[i];
    size += fabs(at.gradient[i] * direction[i]);
  }
  for (int i = 0; i < 2; i++) {
    double turn[3];
    dc_vec_cross(turn, direction + 6 * i, at.gradient + 6 * i);  // a moved pose has its own chart
    for (int k = 0; k < 6; k++) {
      double expected = k < 3 ? 0.5 * turn[k] : 0, row = 0;
      for (int j = 0; j < 12; j++) {
        expected += at.hessian[6 * i + k][j] * direction[j];
        row += fabs(at.hessian[6 * i + k][j] * direction[j]);
      }
      most = larger(most, row);
      error = larger(error, fabs(expected - curvature[6 * i + k]));
    }
  }
  return (struct errors){fabs(slope - along) / size, error / most};
}

static inline void random_motion(struct dc_random *random, double direction[12])
{
  for (int i = 0; i < 12; i++)
    direction[i] = dc_random_normal(random) * (i % 6 < 3 ? 3 : 1);
}

// The errors of gradient and Hessian along a random direction, each with the best of the steps from `first`, in units
// of a slow slip, to 1e-4; worst [2] becomes the larger.
static inline void add_worst_errors(struct sliding *sliding, struct dc_random *random, double first, double worst[2])
{
  double direction[12];
  random_motion(random, direction);
  struct errors best = {INFINITY, INFINITY};
  for (double h = first; h > 1e-4; h *= 0.1) {
    struct errors e = difference_errors(sliding, direction, h * smoothing * time_step);
    best = (struct errors){fmin(best.gradient, e.gradient), fmin(best.hessian, e.hessian)};
  }
  worst[0] = larger(worst[0], best.gradient);
  worst[1] = larger(worst[1], best.hessian);
}

// The derivative of D along twists at fixed next, for a pose at t, coefficients and stiffness of its own.
static inline double along_twists(struct sliding *sliding, const struct dc_pose *now, const double (*twists)[6])
{
  struct derivatives d;
  double sum = 0;
  begin_at(sliding, now);
  evaluate(sliding, sliding->next, 1, true, &d);
  for (int i = 0; i < 12; i++)
    sum += d.gradient[i] * twists[i / 6][i % 6];
  return sum;
}

// The error against five-point differences of step relative * gap or e h, whichever is smaller.
static inline double pull_back_error(struct sliding *sliding, struct dc_random *random, double gap, double relative)
{
  double motion[12], twists[2][6], direction[12], wrenches[2][6] = {{0}}, by_coefficient[2] = {0}, by_stiffness = 0;
  double difference = 0, along = 0, size = 0, terms = 0, h = relative * fmin(gap, smoothing * time_step);
  struct derivatives d;
  random_motion(random, motion);
  memcpy(twists, motion, sizeof twists);
  random_motion(random, direction);
  if (!sliding->both)
    memset(twists[1], 0, sizeof twists[1]);
  double at = along_twists(sliding, sliding->now, (const double(*)[6])twists);
  evaluate(sliding, sliding->next, 1, true, &d);
  dc_contact_friction_pull_back(sliding->contact, sliding->next, (const double(*)[6])twists, wrenches, by_coefficient,
                                &by_stiffness, NULL);
  for (int i = 0; i < 12; i++) {
    along += direction[i] * wrenches[i / 6][i % 6];
    size += fabs(direction[i] * wrenches[i / 6][i % 6]);
    terms += fabs(d.gradient[i] * motion[i]);
  }
  // Linear in the stiffness, square roots of the coefficients.  2e-12 observed: the tolerance of the plane's motion.
  CHECK(fabs(by_stiffness * stiffness - at) <= 1e-10 * terms, "%g, %g", by_stiffness * stiffness, at);
  for (int i = 0; i < 2; i++)
    CHECK(fabs(2 * by_coefficient[i] - at) <= 1e-10 * terms, "%g, %g", by_coefficient[i], at);
  for (int p = 0; p < 4; p++) {
    struct dc_pose shifted[2] = {sliding->now[0], sliding->now[1]};
    for (int i = 0; i < 1 + sliding->both; i++)
      pose_move(&sliding->now[i], difference_point[p] * h, direction + 6 * i, &shifted[i]);
    difference += difference_weight[p] / h * (along_twists(sliding, shifted, (const double(*)[6])twists) - at);
  }
  CHECK(sliding->both || dc_vec_norm(wrenches[1]) + dc_vec_norm(wrenches[1] + 3) == 0,
        "nothing for what does not move");
  return fabs(difference - along) / size;
}

#endif
