// SPDX-License-Identifier: Apache-2.0
// Gradients and Hessians of body pairs against differences, their invariances, the projected Hessian, and what must
// not change results: the number of threads, remembered planes, a reset.
#include "contact/bsh/bsh_pair.h"
#include "contact/contact_scene.h"
#include "math/eigen6.h"

struct derivatives {
  double energy, gradient[12], hessian[12][12];
};

static void expand(const struct dc_pair_derivatives *pair, bool exact, bool both, struct derivatives *d)
{
  double aa[6][6], ab[6][6], bb[6][6];
  memset(d, 0, sizeof *d);
  d->energy = pair->energy;
  dc_contact_expand_gradient(pair, d->gradient);
  dc_contact_expand_hessian(pair, exact, aa, both ? ab : NULL, both ? bb : NULL);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      d->hessian[i][k] = aa[i][k];
      if (!both)
        continue;
      d->hessian[i][6 + k] = d->hessian[6 + k][i] = ab[i][k];
      d->hessian[6 + i][6 + k] = bb[i][k];
    }
  for (int k = 6; k < 12 && !both; k++)
    d->gradient[k] = 0;
}

static void evaluate(struct dc_contact *contact, const struct dc_pose *poses, bool both, struct derivatives *d)
{
  struct dc_pair_derivatives pair;
  dc_contact_evaluate(contact, poses, 2, &pair);
  expand(&pair, true, both, d);
}

struct errors {
  double gradient, hessian;
};

// Five-point differences along direction [12] with step h; rotations in rad, translations in m.
static struct errors difference_errors(struct dc_contact *contact, const struct dc_pose poses[2],
                                       const double direction[12], bool both, double h)
{
  static const double point[4] = {-2, -1, 1, 2}, coefficient[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  struct derivatives at, moved;
  double slope = 0, curvature[12] = {0}, along = 0, size = 0, most = 0, error = 0;
  evaluate(contact, poses, both, &at);
  for (int p = 0; p < 4; p++) {
    struct dc_pose shifted[2] = {poses[0], poses[1]};
    for (int side = 0; side < 1 + both; side++)
      pose_move(&poses[side], point[p] * h, direction + 6 * side, &shifted[side]);
    evaluate(contact, shifted, both, &moved);
    slope += coefficient[p] / h * (moved.energy - at.energy);
    for (int i = 0; i < 12; i++)
      curvature[i] += coefficient[p] / h * (moved.gradient[i] - at.gradient[i]);
  }
  for (int i = 0; i < 12; i++) {
    along += at.gradient[i] * direction[i];
    size += fabs(at.gradient[i] * direction[i]);
  }
  for (int side = 0; side < 2; side++) {
    // The gradient at a moved pose is in the chart of that pose: its derivative is H d + (d x g)/2 in the rotation
    // rows.
    double turn[3];
    dc_vec_cross(turn, direction + 6 * side, at.gradient + 6 * side);
    for (int i = 0; i < 6; i++) {
      double expected = i < 3 ? 0.5 * turn[i] : 0, row = 0;
      for (int k = 0; k < 12; k++) {
        expected += at.hessian[6 * side + i][k] * direction[k];
        row += fabs(at.hessian[6 * side + i][k] * direction[k]);
      }
      most = larger(most, row);
      error = larger(error, fabs(expected - curvature[6 * side + i]));
    }
  }
  return (struct errors){fabs(slope - along) / size, error / most};
}

static const char *const pairs_of_shapes[][2] = {
    {"sphere radius=0.2 level=1", "sphere radius=0.2 level=0"},
    {"box size=0.1,0.08,0.9 divisions=1,1,6", "box size=0.3,0.25,0.2 divisions=2,2,2"},
    {"box size=0.1,0.08,0.9 divisions=1,1,6", "cylinder radius=0.05 height=0.8 sides=6 rings=3"},
    {"capsule radius=0.1 height=0.4 sides=6 rings=2", "box size=2,2,0.2 divisions=6,6,1"},
    {"sphere radius=0.2 surface=auto", "sphere radius=0.15 surface=auto"}};
enum { SHAPE_PAIRS = sizeof pairs_of_shapes / sizeof *pairs_of_shapes };

static const struct {
  const char *model, *settings;
  bool near_only;
} models[] = {{"bsh", "", false},
              {"bsh", "near_range=0.02", true},
              {"bsh", "near_range=0.3 weights=paper offset=true", true},
              {"bsh", "blend=1 offset=true length=0.05", false},
              {"bsh", "weights=paper", false},
              {"bsh", "weights=paper offset=true blend=0.5", false},
              {"exact", "", false},
              {"exact", "weights=paper offset=true", false}};
enum { MODELS = sizeof models / sizeof *models };

// A random direction of motion [12]; translations of the bodies' size.
static void random_motion(struct dc_random *random, double direction[12])
{
  for (int i = 0; i < 12; i++)
    direction[i] = dc_random_normal(random) * (i % 6 < 3 ? 1 : 0.3);
}

// Random rotations, a at a random gap from b; positions are multiples of 2^-30 m, so that a shift of the scene is
// exact.
static double random_approach(struct dc_random *random, struct dc_contact *contact, struct dc_pose poses[2],
                              double least, double most)
{
  double direction[3], gap = exp(between(random, log(least), log(most)));
  pose_random_rotation(random, &poses[0]);
  pose_random_rotation(random, &poses[1]);
  random_direction(random, direction);
  memset(poses[1].position, 0, sizeof poses[1].position);
  double touch = touching_distance(contact, poses, direction);
  for (int k = 0; k < 3; k++)
    poses[0].position[k] = ldexp(rint(ldexp(poses[1].position[k] + (touch + gap) * direction[k], 30)), -30);
  return gap;
}

static void test_differences(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  double worst[2] = {0, 0};
  long blended = 0;
  for (int s = 0; s < SHAPE_PAIRS; s++) {
    struct scene scene;
    scene_pair(&scene, pairs_of_shapes[s][0], pairs_of_shapes[s][1]);
    struct dc_index_list second = {1, (int[]){1}}, lists[2] = {{0, NULL}, {0, NULL}};
    for (int m = 0; m < MODELS; m++) {
      lists[0] = models[m].near_only ? second : (struct dc_index_list){0, NULL};
      scene.bodies.near_only = lists;
      struct dc_contact *contact = scene_contact(&scene, models[m].model, models[m].settings);
      for (int i = 0; i < 4; i++) {
        double direction[12],
            gap = random_approach(&random, contact, scene.poses, 1e-3, models[m].near_only ? 0.03 : 1);
        random_motion(&random, direction);
        // The third derivative jumps where a blend begins or ends: of two steps one may suffer from that, the other
        // from rounding.
        struct errors e = difference_errors(contact, scene.poses, direction, i > 0, 5e-4 * fmin(gap, 0.02));
        struct errors f = difference_errors(contact, scene.poses, direction, i > 0, 5e-5 * fmin(gap, 0.02));
        e = (struct errors){fmin(e.gradient, f.gradient), fmin(e.hessian, f.hessian)};
        blended += contact->pairs[0].counts.blends - 1;
        worst[0] = larger(worst[0], e.gradient);
        worst[1] = larger(worst[1], e.hessian);
        CHECK(e.gradient < 1e-8 && e.hessian < 1e-6, "%s - %s, %s %s, gap %.1e: gradient %.1e, Hessian %.1e",
              pairs_of_shapes[s][0], pairs_of_shapes[s][1], models[m].model, models[m].settings, gap, e.gradient,
              e.hessian);
      }
    }
    scene_end(&scene);
  }
  CHECK(blended > 1000, "%ld", blended);
  printf("# against differences: gradient %.1e, Hessian %.1e\n", worst[0], worst[1]);
}

// Bodies without a far field: where the spheres of all leaves are farther apart than the range nothing acts, and no
// term is left; touching, the barrier is that of the whole potential (its leading term is that of the nearest
// triangles).
static void test_near_only(void)
{
  struct scene scene;
  struct dc_pair_derivatives near_pair, far_pair;
  scene_pair(&scene, "box size=0.4,0.4,0.4 divisions=4,4,4", "box size=0.4,0.4,0.4 divisions=4,4,4");
  struct dc_contact *full = scene_contact(&scene, "bsh", "");
  struct dc_index_list lists[2] = {{1, (int[]){1}}, {0, NULL}};
  scene.bodies.near_only = lists;
  struct dc_contact *cut = scene_contact(&scene, "bsh", "near_range=0.01");
  scene.poses[0].position[2] = 0.6;  // leaves are 0.1 m wide: their spheres end 0.07 m beyond them at most
  CHECK(dc_contact_evaluate(cut, scene.poses, 2, &near_pair) == 0 &&
            dc_contact_evaluate(full, scene.poses, 2, &far_pair) > 0,
        "far away");
  CHECK(dc_contact_last_counts(cut).exact == 0 && dc_contact_last_counts(cut).centred == 0, "terms far away");
  CHECK(dc_contact_min_gap(cut) > 0.01 && dc_contact_min_gap(cut) <= 0.2, "%g", dc_contact_min_gap(cut));
  scene.poses[0].position[2] = 0.4 + 1e-6;
  dc_contact_evaluate(cut, scene.poses, 2, &near_pair);
  dc_contact_evaluate(full, scene.poses, 2, &far_pair);
  CHECK(near_pair.gradient[5] < 0 && fabs(near_pair.gradient[5] / far_pair.gradient[5] - 1) < 0.01, "%g of %g",
        near_pair.gradient[5], far_pair.gradient[5]);
  CHECK(dc_contact_last_counts(cut).visited < dc_contact_last_counts(full).visited, "no less to visit");
  scene.poses[0].position[2] = 0.3;
  CHECK(isinf(dc_contact_evaluate(cut, scene.poses, 0, &near_pair)), "overlap");
  scene_end(&scene);
}

// Pairs without a far field whose roots are apart by less than the range may act, by leaves that are near; those
// farther apart never do, and are not walked through.
static void test_reach(void)
{
  struct scene scene;
  struct dc_random random;
  struct dc_index_list lists[2] = {{1, (int[]){1}}, {0, NULL}};
  double farthest = 0;
  dc_random_seed(&random, 7);
  scene_pair(&scene, "box size=0.2,0.2,0.2 divisions=1,1,1", "box size=0.2,0.2,0.2 divisions=1,1,1");
  scene.bodies.near_only = lists;
  struct dc_contact *contact = scene_contact(&scene, "bsh", "near_range=0.3");
  double roots = contact->colliders[0].tree.radius[0] + contact->colliders[1].tree.radius[0];
  for (int i = 0; i < 10; i++) {
    struct dc_pair_derivatives pair;
    pose_random_rotation(&random, &scene.poses[0]);
    pose_random_rotation(&random, &scene.poses[1]);
    for (int k = 5; k < 120; k += 5) {
      scene.poses[0].position[0] = roots + 0.3 * k / 100;
      double energy = dc_contact_evaluate(contact, scene.poses, 0, &pair);
      CHECK(k < 100 ? energy >= 0 : energy == 0, "%g at %d %% of the range", energy, k);
      farthest = energy > 0 ? fmax(farthest, k) : farthest;
    }
  }
  printf("# acts up to %g %% of the range\n", farthest);
  CHECK(farthest >= 20, "%g %%", farthest);  // 30 observed
  scene_end(&scene);
}

static void test_half_space(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  struct scene scene;
  double worst[2] = {0, 0}, normal[3];
  scene_start(&scene);
  scene_body(&scene, false, "box size=0.1,0.2,0.6 divisions=1,2,3");
  int ground = scene_body(&scene, true, "plane");
  for (int k = 0; k < 3; k++)
    scene.definitions[ground].position[k] = between(&random, -1, 1);
  for (int k = 0; k < 4; k++)
    scene.definitions[ground].rotation[k] = 0.5 * (k == 2 ? -1 : 1);
  scene_finish(&scene);
  for (int k = 0; k < 3; k++)
    normal[k] = scene.poses[1].rotation[3 * k + 2];
  struct dc_contact *contact = scene_contact(&scene, "bsh", "length=0.5");
  const struct dc_collider *box = &contact->colliders[0];
  for (int i = 0; i < 20; i++) {
    double direction[12], low = INFINITY, gap = exp(between(&random, log(1e-3), log(3))), sum = 0, weights = 0;
    pose_random_rotation(&random, &scene.poses[0]);
    for (int v = 0; v < box->vertex_count; v++) {
      double r[3];
      dc_mat_apply(r, scene.poses[0].rotation, box->vertices[v]);
      low = fmin(low, dc_vec_dot(normal, r));
    }
    for (int k = 0; k < 3; k++)
      scene.poses[0].position[k] = scene.poses[1].position[k] + (gap - low) * normal[k] + (normal[k] == 0 ? 0.7 : 0);
    random_motion(&random, direction);
    struct errors e = difference_errors(contact, scene.poses, direction, false, 1e-3 * gap);
    worst[0] = larger(worst[0], e.gradient);
    worst[1] = larger(worst[1], e.hessian);
    struct dc_pair_derivatives pair;
    double energy = dc_contact_evaluate(contact, scene.poses, 2, &pair);
    for (int v = 0; v < box->vertex_count; v++) {
      weights += box->vertex_weight[v];
      sum += box->vertex_weight[v] * 12 * 0.5 / (gap - low + dc_vec_dot(normal, box->turned[v]));
    }
    CHECK_NEAR(weights, 1, 1e-14);
    CHECK_NEAR(energy / sum, 1, 1e-12);  // observed 4e-14
    CHECK_NEAR(dc_contact_min_gap(contact), gap, 1e-14);
    dc_vec_add_scaled(scene.poses[0].position, scene.poses[0].position, -1.001 * gap, normal);
    CHECK(isinf(dc_contact_evaluate(contact, scene.poses, 2, &pair)), "below the plane");
    CHECK(dc_contact_min_gap(contact) == 0, "below the plane");
  }
  CHECK(worst[0] < 3e-9 && worst[1] < 3e-9, "gradient %.1e, Hessian %.1e", worst[0], worst[1]);  // observed 4e-10
  printf("# half space against differences: gradient %.1e, Hessian %.1e\n", worst[0], worst[1]);
  scene_end(&scene);
}

static bool same_bits(const struct dc_pair_derivatives *a, const struct dc_pair_derivatives *b)
{
  return memcmp(&a->energy, &b->energy, sizeof a->energy) == 0 &&
         memcmp(a->gradient, b->gradient, sizeof a->gradient) == 0 &&
         memcmp(a->hessian, b->hessian, sizeof a->hessian) == 0;
}

static double relative_difference(const double *a, const double *b, int count)
{
  double most = 0, difference = 0;
  for (int i = 0; i < count; i++) {
    most = larger(most, fabs(a[i]));
    difference = larger(difference, fabs(a[i] - b[i]));
  }
  return most > 0 ? difference / most : difference;
}

// The scene moved as a whole: 128 m away the same bits; turned, the same energy and the turned gradient.  Forces and
// torques about one point cancel.
static void test_invariance(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  double worst = 0, momentum = 0;
  for (int s = 0; s < SHAPE_PAIRS; s++) {
    struct scene scene;
    scene_pair(&scene, pairs_of_shapes[s][0], pairs_of_shapes[s][1]);
    for (int m = 0; m < MODELS; m++) {
      struct dc_contact *contact = scene_contact(&scene, models[m].model, models[m].settings);
      for (int i = 0; i < 4; i++) {
        struct dc_pose moved[2], turn = {.quaternion = {1, 0, 0, 0}};
        struct dc_pair_derivatives here, there;
        double gap = random_approach(&random, contact, scene.poses, 1e-2, 1), g[12], h[12], sum[3], cross[3], size = 0;
        dc_contact_reset(contact);
        dc_contact_evaluate(contact, scene.poses, 2, &here);
        memcpy(moved, scene.poses, sizeof moved);
        for (int side = 0; side < 2; side++)
          for (int k = 0; k < 3; k++)
            moved[side].position[k] += 128 - 192 * k;
        dc_contact_reset(contact);
        dc_contact_evaluate(contact, moved, 2, &there);
        CHECK(same_bits(&here, &there), "%s %s: %.17g, %.17g at 128 m", models[m].model, models[m].settings,
              here.energy, there.energy);
        pose_random_rotation(&random, &turn);
        for (int side = 0; side < 2; side++) {
          double q[4];
          dc_rotation_multiply(q, turn.quaternion, scene.poses[side].quaternion);
          pose_turn_to(&moved[side], q);
          dc_mat_apply(moved[side].position, turn.rotation, scene.poses[side].position);
        }
        dc_contact_evaluate(contact, moved, 2, &there);
        dc_contact_expand_gradient(&here, g);
        dc_contact_expand_gradient(&there, h);
        worst = larger(worst, gap * fabs(there.energy / here.energy - 1));
        for (int k = 0; k < 12; k += 3) {
          double turned[3];
          dc_mat_apply(turned, turn.rotation, g + k);
          size = dc_vec_norm(k % 6 ? here.gradient + 3 : here.gradient) + 1e-3 * dc_vec_norm(here.gradient + 3);
          worst = larger(worst, gap * dc_vec_distance(turned, h + k) / size);
        }
        // Total torque about the origin of b: w_a + w_b + D x f_a
        dc_vec_add(sum, g, g + 6);
        dc_vec_cross(cross, here.arm, g + 3);
        dc_vec_add(sum, sum, cross);
        momentum = larger(momentum, dc_vec_norm(sum) / (dc_vec_norm(g) + dc_vec_norm(cross)));
        dc_vec_add(sum, g + 3, g + 9);
        momentum = larger(momentum, dc_vec_norm(sum) / dc_vec_norm(g + 3));
      }
    }
    scene_end(&scene);
  }
  CHECK(worst < 1e-10, "%.1e", worst);  // observed 6e-12 m: rounding of the turned positions over the gap
  CHECK(momentum < 1e-14, "%.1e", momentum);
  printf("# turned scene: relative change times gap %.1e m; total force and torque %.1e\n", worst, momentum);
}

// Whether the matrix plus a shift has a Cholesky factor.
static bool positive(const double *matrix, int n, double shift)
{
  double l[12][12];
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++) {
      double sum = matrix[n * i + k] + (i == k ? shift : 0);
      for (int j = 0; j < k; j++)
        sum -= l[i][j] * l[k][j];
      if (i == k && !(sum > 0))
        return false;
      l[i][k] = i == k ? sqrt(sum) : sum / l[k][k];
    }
  return true;
}

static void test_projection(void)
{
  struct dc_random random;
  dc_random_seed(&random, 4);
  int indefinite = 0, radial = 0;
  for (int s = 0; s < SHAPE_PAIRS; s++) {
    struct scene scene;
    scene_pair(&scene, pairs_of_shapes[s][0], pairs_of_shapes[s][1]);
    for (int m = 0; m < MODELS; m++) {
      struct dc_contact *contact = scene_contact(&scene, models[m].model, models[m].settings);
      for (int i = 0; i < 3; i++) {
        struct dc_pair_derivatives pair;
        struct derivatives exact, projected;
        random_approach(&random, contact, scene.poses, 1e-3, 5);
        dc_contact_evaluate(contact, scene.poses, 2, &pair);
        expand(&pair, true, true, &exact);
        expand(&pair, false, true, &projected);
        double most = 0, work[6][6], values[6], vectors[6][6];
        for (int k = 0; k < 12; k++)
          most = larger(most, projected.hessian[k][k]);
        CHECK(positive(&projected.hessian[0][0], 12, 1e-13 * most), "%s %s", models[m].model, models[m].settings);
        indefinite += !positive(&exact.hessian[0][0], 12, 1e-13 * most);
        radial += pair.radial;
        // Along every eigenvector of the relative Hessian the projected one is its eigenvalue or zero.
        for (int r = 0; r < 6; r++)
          memcpy(work[r], exact.hessian[r], sizeof work[r]);
        dc_eigen6(work, values, vectors);
        for (int l = 0; l < 6 && !pair.radial; l++)
          for (int r = 0; r < 6; r++) {
            double product = 0;
            for (int c = 0; c < 6; c++)
              product += projected.hessian[r][c] * vectors[c][l];
            CHECK_NEAR(product, fmax(values[l], 0) * vectors[r][l], 1e-12 * most);
          }
      }
    }
    scene_end(&scene);
  }
  CHECK(indefinite > 30 && radial > 3, "%d indefinite, %d radial", indefinite, radial);
}

// A positive relative Hessian is left alone: both expansions then differ by the second-order part only.
static void test_projection_of_positive(void)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  double a[6][6];
  struct dc_pair_derivatives pair = {.energy = 1, .arm = {0.3, -2, 0.7}};
  struct derivatives exact, projected;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      a[i][k] = dc_random_normal(&random);
  for (int i = 0, e = 0; i < 6; i++)
    for (int k = 0; k <= i; k++, e++)
      for (int j = 0; j < 6; j++)
        pair.hessian[e] += a[i][j] * a[k][j];
  expand(&pair, true, true, &exact);  // without a gradient there is no second-order part
  expand(&pair, false, true, &projected);
  CHECK(relative_difference(&exact.hessian[0][0], &projected.hessian[0][0], 144) < 1e-14, "positive Hessian changed");
  CHECK(positive(&exact.hessian[0][0], 12, 1e-12), "J^T H J not positive");
}

enum { CROWD = 7, CROWD_PAIRS = 21 };

// Boxes of many triangles almost touching, so that one pair is shared out among the threads, balls, a rod.
static struct dc_contact *crowd(struct scene *scene, const char *model)
{
  scene_start(scene);
  bool small = strcmp(model, "exact") == 0;
  scene_body(scene, false, small ? "box size=0.4,0.4,0.4 divisions=3,3,3" : "box size=0.4,0.4,0.4 divisions=14,14,14");
  scene_body(scene, false, small ? "box size=0.4,0.4,0.4 divisions=3,3,3" : "box size=0.4,0.4,0.4 divisions=14,14,14");
  for (int i = 2; i < CROWD - 1; i++)
    scene_body(scene, i == 4, "sphere radius=0.1 level=1");
  scene_body(scene, false, "cylinder radius=0.05 height=0.6 sides=8 rings=4");
  static const double positions[CROWD][3] = {{0, 0, 0.2},   {0.07, 0.03, 0.602}, {0.4, 0, 0.1}, {-0.4, 0.02, 0.1},
                                             {0, 0.4, 0.2}, {0.7, 0.3, 0.9},     {3, -0.4, 0.5}};
  for (int i = 0; i < CROWD; i++)
    dc_vec_copy(scene->definitions[i].position, positions[i]);
  scene_finish(scene);
  return scene_contact(scene, model, "");
}

static void test_threads(void)
{
  static const int threads[] = {1, 2, 3, 5};
  for (int m = 0; m < 2; m++) {
    struct dc_pair_derivatives first[CROWD_PAIRS], again[CROWD_PAIRS];
    double twists[CROWD][6], fraction = 0, energy = 0, gap = 0;
    memset(first, 0, sizeof first);
    for (int i = 0; i < CROWD; i++)
      for (int k = 0; k < 6; k++)
        twists[i][k] = 0.1 * sin(3 * i + k) * (i != 4);
    for (int t = 0; t < 4; t++) {
      struct scene scene;
      struct dc_contact *contact = crowd(&scene, m ? "exact" : "bsh");
      scene_threads(threads[t]);
      CHECK(dc_contact_pair_count(contact) == CROWD_PAIRS, "%d", dc_contact_pair_count(contact));
      dc_contact_evaluate(contact, scene.poses, 0, again);  // only what has cost much wakes threads
      dc_contact_reset(contact);
      CHECK(dc_contact_most_threads(contact) != 1, "%s is worth threads", m ? "exact" : "bsh");
      double sum = dc_contact_evaluate(contact, scene.poses, 2, again);
      double safe = safe_fraction_of(contact, scene_path(&scene, (const double(*)[6])twists));
      const struct dc_pair *pair = &contact->pairs[0];
      CHECK(isfinite(sum) && pair->counts.exact > 2 * DC_EXACT_UNIT, "%ld", pair->counts.exact);
      CHECK(pair->large == (m == 0 && threads[t] > 1), "%ld visited", pair->counts.visited);
      if (t == 0) {
        memcpy(first, again, sizeof first);
        energy = sum;
        fraction = safe;
        gap = dc_contact_min_gap(contact);
      }
      CHECK(sum == energy && safe == fraction && gap == dc_contact_min_gap(contact), "%d threads: %.17g %.17g",
            threads[t], sum, safe);
      for (int p = 0; p < CROWD_PAIRS; p++)
        CHECK(same_bits(&first[p], &again[p]), "pair %d with %d threads", p, threads[t]);
      dc_contact_reset(contact);
      for (int p = CROWD_PAIRS; p-- > 0 && t == 0;) {
        CHECK(dc_contact_evaluate_pair(contact, scene.poses, p, 2, again) == first[p].energy, "pair %d alone", p);
        CHECK(same_bits(&first[p], &again[p]), "pair %d alone", p);
      }
      scene_end(&scene);
    }
  }
}

// Two balls: what is left out of their expansion is zero but for rounding, and projections are the nearest ones.
static void test_balls(void)
{
  struct scene scene;
  struct dc_random random;
  dc_random_seed(&random, 8);
  scene_pair(&scene, "sphere radius=0.2 surface=leaves", "sphere radius=0.15 surface=leaves");
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  for (int i = 0; i < 20; i++) {
    struct dc_pair_derivatives pair;
    struct derivatives central, general;
    random_approach(&random, contact, scene.poses, 1e-4, 1);
    dc_contact_evaluate(contact, scene.poses, 2, &pair);
    CHECK(pair.central, "two balls");
    for (int exact = 0; exact < 2; exact++) {
      double worst = 0, size = 0;
      pair.central = true;
      expand(&pair, exact, true, &central);
      pair.central = false;
      expand(&pair, exact, true, &general);
      for (int k = 0; k < 144; k++) {
        bool turned = k / 12 % 6 < 3 || k % 6 < 3;
        if (turned)
          CHECK((&central.hessian[0][0])[k] == 0, "%d", k);
        if (exact || !turned)
          worst = larger(worst, fabs((&central.hessian[0][0])[k] - (&general.hessian[0][0])[k]));
        size = larger(size, fabs((&central.hessian[0][0])[k]));
      }
      CHECK(worst < 1e-12 * size, "%d, %s: %g of %g", i, exact ? "exact" : "projected", worst, size);
    }
    for (int k = 0; k < 12; k++)
      CHECK(fabs(central.gradient[k] - general.gradient[k]) < 1e-13 * dc_vec_norm(central.gradient + 3), "%d", k);
  }
  scene_end(&scene);
}

static void test_warm_starts(void)
{
  struct scene scene;
  struct dc_contact *contact = crowd(&scene, "bsh");
  struct dc_pair_derivatives first[CROWD_PAIRS], cold[CROWD_PAIRS], warm[CROWD_PAIRS], again[CROWD_PAIRS];
  struct dc_pose moved[CROWD];
  double worst[3] = {0, 0, 0};
  dc_contact_evaluate(contact, scene.poses, 2, first);
  for (int i = 0; i < CROWD; i++) {
    double twist[6];
    for (int k = 0; k < 6; k++)
      twist[k] = (k < 3 ? 1e-3 : 5e-4) * sin(5 * i + k) * (i != 4);
    pose_move(&scene.poses[i], 1, twist, &moved[i]);
  }
  dc_contact_evaluate(contact, moved, 2, warm);
  dc_contact_reset(contact);
  dc_contact_evaluate(contact, moved, 2, cold);
  dc_contact_reset(contact);
  dc_contact_evaluate(contact, scene.poses, 2, again);
  for (int p = 0; p < CROWD_PAIRS; p++) {
    CHECK(same_bits(&first[p], &again[p]), "pair %d after a reset", p);
    worst[0] = larger(worst[0], relative_difference(&cold[p].energy, &warm[p].energy, 1));
    worst[1] = larger(worst[1], relative_difference(cold[p].gradient, warm[p].gradient, 6));
    worst[2] = larger(worst[2], relative_difference(cold[p].hessian, warm[p].hessian, DC_HESSIAN));
  }
  CHECK(worst[0] < 1e-12 && worst[1] < 1e-12 && worst[2] < 1e-10, "%.1e %.1e %.1e", worst[0], worst[1], worst[2]);
  printf("# warm against cold: energy %.1e, gradient %.1e, Hessian %.1e\n", worst[0], worst[1], worst[2]);
  // Lower orders give the same numbers.
  for (int order = 0; order < 2; order++) {
    dc_contact_reset(contact);
    dc_contact_evaluate(contact, scene.poses, order, again);
    for (int p = 0; p < CROWD_PAIRS; p++)
      CHECK(again[p].energy == first[p].energy &&
                (order == 0 || memcmp(again[p].gradient, first[p].gradient, sizeof first[p].gradient) == 0),
            "pair %d, order %d", p, order);
  }
  scene_end(&scene);
}

RUN_TESTS({"derivatives against differences", test_differences}, {"pairs without a far field", test_near_only},
          {"the reach of such pairs", test_reach}, {"half space", test_half_space},
          {"invariance and momentum", test_invariance}, {"projected Hessian", test_projection},
          {"projection keeps positive Hessians", test_projection_of_positive},
          {"same bits for any number of threads", test_threads}, {"two balls", test_balls},
          {"warm and cold starts", test_warm_starts})
