// SPDX-License-Identifier: Apache-2.0
// Friction: derivatives at t+1 and t against differences, Coulomb's law where it must hold, what slides and what does
// not, and what must not change results: threads and instruction sets.
#include "friction_scene.h"

static const double gaps[] = {1e-2, 1e-3, 1e-4, 1e-5}, speeds[] = {1e-5, 1e-3, 0.1, 3};
static const char *const models[] = {"bsh", "exact"};

static void test_differences(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  for (int s = 0; s < SCENES; s++) {
    double worst[2] = {0, 0};
    for (int m = 0; m < 2; m++) {
      struct sliding sliding;
      sliding_start(&sliding, &scenes[s], models[m], "");
      for (int i = 0; i < 16; i++) {
        place(&sliding, &scenes[s], &random, gaps[i % 4], 0.2 * gaps[i % 4]);
        move_on(&sliding, &random, speeds[i / 4]);
        begin_at(&sliding, sliding.now);
        CHECK(dc_contact_slides(sliding.contact), "%s", scenes[s].name);
        add_worst_errors(&sliding, &random, 1e-1, worst);
      }
      scene_end(&sliding.scene);
    }
    printf("# %s: gradient %.1e, Hessian %.1e\n", scenes[s].name, worst[0], worst[1]);
    CHECK(worst[0] < 3e-8, "%s: %.2g", scenes[s].name, worst[0]);  // 3e-9 observed, rounding of the energy
    CHECK(worst[1] < 3e-8, "%s: %.2g", scenes[s].name, worst[1]);  // 4e-9 observed
  }
}

// 4 gaps and 4 speeds on every scene; settings of the contact.
static void check_pull_back(const char *settings)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  for (int s = 0; s < SCENES; s++) {
    double worst = 0;
    for (int m = 0; m < 2; m++) {
      struct sliding sliding;
      sliding_start(&sliding, &scenes[s], models[m], settings);
      for (int i = 0; i < 16; i++) {
        double best = INFINITY;
        place(&sliding, &scenes[s], &random, gaps[i % 4], 0.2 * gaps[i % 4]);
        move_on(&sliding, &random, speeds[i / 4]);
        for (double h = 1e-1; h > 1e-4; h *= 0.1)
          best = fmin(best, pull_back_error(&sliding, &random, gaps[i % 4], h));
        worst = larger(worst, best);
      }
      scene_end(&sliding.scene);
    }
    printf("# %s: %.1e\n", scenes[s].name, worst);
    CHECK(worst < 3e-7, "%s: %.2g", scenes[s].name, worst);  // 3e-8 observed
  }
}

static void test_pull_back(void)
{
  check_pull_back("");
}

// Derivatives by the vertices of a design along twists, times a factor, of the evaluation at hand.
static void pull_back_points(struct sliding *sliding, const double twists[2][6], double factor, double (*points[2])[3])
{
  double scaled[2][6], wrenches[2][6] = {{0}}, by_coefficient[2] = {0}, by_stiffness = 0;
  for (int i = 0; i < 12; i++)
    scaled[i / 6][i % 6] = factor * twists[i / 6][i % 6];
  dc_contact_friction_pull_back(sliding->contact, sliding->next, (const double(*)[6])scaled, wrenches, by_coefficient,
                                &by_stiffness, points);
  dc_contact_take_sizes(sliding->contact, points);
}

// A pull-back along twists of zero, as of bodies that a row does not depend on, adds nothing, and leaves nothing in the
// sums over nodes and vertices for the next one.
static void test_points_of_rows(void)
{
  static double points[2][2][200][3], nothing[2][200][3];
  struct dc_random random;
  dc_random_seed(&random, 8);
  for (int s = 0; s < SCENES; s++) {
    struct sliding sliding;
    double twists[2][6] = {{0}}, size = 0;
    sliding_start(&sliding, &scenes[s], "bsh", "");
    sliding.contact =
        dc_contact_create_following(sliding.contact->model, &sliding.contact->settings, &sliding.scene.bodies,
                                    &sliding.scene.bodies, NULL, NULL, &sliding.scene.error);
    scene_need(&sliding.scene, sliding.contact, scenes[s].name);
    for (int i = 0; i < 6 * (1 + sliding.both); i++)
      twists[i / 6][i % 6] = dc_random_normal(&random);
    place(&sliding, &scenes[s], &random, 1e-3, 1e-3);
    move_on(&sliding, &random, 0.1);
    struct derivatives d;
    begin_at(&sliding, sliding.now);
    evaluate(&sliding, sliding.next, 1, true, &d);
    memset(points, 0, sizeof points);
    pull_back_points(&sliding, (const double(*)[6])twists, 1, (double(*[2])[3]){points[0][0], points[0][1]});
    pull_back_points(&sliding, (const double(*)[6])twists, 0, (double(*[2])[3]){nothing[0], nothing[1]});
    pull_back_points(&sliding, (const double(*)[6])twists, 1, (double(*[2])[3]){points[1][0], points[1][1]});
    for (int i = 0; i < 1200; i++) {
      size += fabs(points[0][i / 600][i / 3 % 200][i % 3]);
      CHECK(nothing[i / 600][i / 3 % 200][i % 3] == 0, "%s", scenes[s].name);
    }
    CHECK(size > 0 && memcmp(points[0], points[1], sizeof points[0]) == 0, "%s", scenes[s].name);
    dc_contact_destroy(sliding.contact);
    scene_end(&sliding.scene);
  }
}

// Ranges at which pairs at the gaps of the test are inside, in between and outside.
static void test_range(void)
{
  struct dc_random random;
  double forces[3] = {0, 0, 0};
  check_pull_back("friction_range=0.02");
  for (int k = 0; k < 3; k++) {
    static const char *const ranges[] = {"", "friction_range=2e-3", "friction_range=1e-5"};
    struct sliding sliding;
    struct derivatives d;
    dc_random_seed(&random, 5);
    sliding_start(&sliding, &scenes[0], "bsh", ranges[k]);
    place(&sliding, &scenes[0], &random, 1e-3, 0);
    move_on(&sliding, &random, 0.1);
    begin_at(&sliding, sliding.now);
    evaluate(&sliding, sliding.next, 1, true, &d);
    forces[k] = dc_vec_norm(d.gradient + 3);
    scene_end(&sliding.scene);
  }
  printf("# %g, %g, %g\n", forces[0], forces[1], forces[2]);
  CHECK(forces[1] < forces[0] && forces[1] > 0.9 * forces[0], "%g of %g", forces[1], forces[0]);
  CHECK(forces[2] == 0, "%g beyond the range", forces[2]);
}

// Least dissipation of one triangle pair by weighted least squares, again and again (Weiszfeld): slow and simple.
static double least_dissipation(const double x[6][3], const double velocity[6][3], const double force[6],
                                const double n[3])
{
  double z[3] = {0, 0, 0}, b[2][3], up[3] = {fabs(n[0]) < 0.5, fabs(n[0]) >= 0.5, 0}, o[3] = {0, 0, 0}, total = 0,
         d = 0;
  dc_vec_cross(b[0], up, n);
  dc_vec_scale(b[0], b[0], 1 / dc_vec_norm(b[0]));
  dc_vec_cross(b[1], n, b[0]);
  for (int v = 0; v < 6; v++) {
    dc_vec_add_scaled(o, o, force[v], x[v]);
    total += force[v];
  }
  dc_vec_scale(o, o, 1 / total);
  for (int iteration = 0; iteration <= 5000; iteration++) {
    double m[3][4] = {{0}};
    d = 0;
    for (int v = 0; v < 6; v++) {
      double arm[3], spin[3], e[2][4], square = 0;
      dc_vec_sub(arm, x[v], o);
      dc_vec_cross(spin, n, arm);
      for (int k = 0; k < 2; k++) {
        e[k][0] = k == 0, e[k][1] = k == 1, e[k][2] = dc_vec_dot(b[k], spin), e[k][3] = dc_vec_dot(b[k], velocity[v]);
        double r = e[k][3] - z[k] - z[2] * e[k][2];
        square += r * r;
      }
      double s = sqrt(square + smoothing * smoothing);
      d += force[v] * square / (s + smoothing);
      for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 4; j++)
            m[i][j] += force[v] / s * e[k][i] * e[k][j];
    }
    for (int i = 0; i < 3; i++)
      for (int row = 0; row < 3; row++) {
        double factor = row == i ? 0 : m[row][i] / m[i][i];
        for (int j = 0; j < 4 && row != i; j++)
          m[row][j] -= factor * m[i][j];
      }
    for (int i = 0; i < 3; i++)
      z[i] = m[i][3] / m[i][i];
  }
  return d;
}

// h sum D of all triangle pairs from the terms of the last evaluation of contact, at sliding->now.
static double defined_energy(const struct sliding *sliding)
{
  const struct dc_contact *contact = sliding->contact;
  const struct dc_pair *pair = &contact->pairs[0];
  const struct dc_collider *colliders = contact->colliders;
  double sum = 0, length = contact->settings.length, lambda = sqrt(sliding->coefficient[0] * sliding->coefficient[1]);
  for (size_t t = 0; t < pair->near.count; t++) {
    const struct dc_term *term = &pair->near.terms[t];
    const double *plane = pair->near.planes[t];
    double x[6][3], moved[6][3], velocity[6][3], n[3], height[6], force[6], s = 0,
                                                                            support = pair->near.weights[term->blend];
    dc_mat_apply(n, sliding->now[1].rotation, plane);
    for (int v = 0; v < 6; v++) {
      int body = v / 3, vertex = colliders[body].triangles[body ? term->j : term->i][v % 3];
      dc_mat_apply(x[v], sliding->now[body].rotation, colliders[body].vertices[vertex]);
      dc_vec_add(x[v], x[v], sliding->now[body].position);
      dc_mat_apply(moved[v], sliding->next[body].rotation, colliders[body].vertices[vertex]);
      dc_vec_add(moved[v], moved[v], sliding->next[body].position);
      for (int k = 0; k < 3; k++)
        velocity[v][k] = (moved[v][k] - x[v][k]) / time_step;
      height[v] = (body ? -1 : 1) * (dc_vec_dot(n, x[v]) - dc_vec_dot(n, sliding->now[1].position) + plane[3]);
      s += 1 / height[v];
    }
    if (!contact->model->hierarchical) {  // paper 000, Eq. 12
      double center[2][3] = {{0}}, radius[2] = {0, 0};
      for (int v = 0; v < 6; v++)
        dc_vec_add_scaled(center[v / 3], center[v / 3], 1.0 / 3, x[v]);
      for (int v = 0; v < 6; v++)
        radius[v / 3] = fmax(radius[v / 3], dc_vec_distance(center[v / 3], x[v]));
      double d1 = radius[0] + radius[1],
             tau = (dc_vec_distance(center[0], center[1]) - d1) / (contact->settings.blend * d1);
      tau = fmin(fmax(tau, 0), 1);
      support = 1 - (6 * pow(tau, 5) - 15 * pow(tau, 4) + 10 * pow(tau, 3));
    }
    if (!(support > 0))
      continue;
    double scale = stiffness * support * colliders[0].leaf_weight[term->i] * colliders[1].leaf_weight[term->j];
    for (int v = 0; v < 6; v++)
      force[v] = scale * length * (1 + sqrt(12 / (length * s))) / (height[v] * height[v]);
    sum += lambda * time_step * least_dissipation((const double(*)[3])x, (const double(*)[3])velocity, force, n);
  }
  return sum;
}

static void test_definition(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  double worst = 0;
  for (int i = 0; i < 8; i++) {
    struct sliding sliding;
    struct derivatives d;
    const struct sliding_scene *of = &scenes[i % 2 ? 2 : 1];
    sliding_start(&sliding, of, models[i / 4], i % 4 == 3 ? "length=0.1 blend=0.5" : "");
    place(&sliding, of, &random, gaps[i % 3], 0);
    move_on(&sliding, &random, speeds[i % 2] * (1 + i));
    begin_at(&sliding, sliding.now);
    evaluate(&sliding, sliding.next, 0, false, &d);
    worst = larger(worst, fabs(d.energy / defined_energy(&sliding) - 1));
    scene_end(&sliding.scene);
  }
  printf("# relative %.1e\n", worst);
  CHECK(worst < 1e-8, "%.2g", worst);
}

// Momentum, definiteness, and the same answer from another start.
static void test_invariants(void)
{
  struct dc_random random;
  dc_random_seed(&random, 4);
  double worst_momentum = 0, worst_start = 0;
  for (int s = 0; s < SCENES; s++) {
    struct sliding sliding;
    sliding_start(&sliding, &scenes[s], "bsh", "");
    for (int i = 0; i < 16; i++) {
      struct derivatives d, exact, again;
      struct dc_pose elsewhere[2];
      double trace = 0, sum = 0, size = 0;
      place(&sliding, &scenes[s], &random, gaps[i % 4], 0.2 * gaps[i % 4]);
      move_on(&sliding, &random, speeds[i / 4]);
      begin_at(&sliding, sliding.now);
      evaluate(&sliding, sliding.next, 2, false, &d);
      int count = sliding.both ? 12 : 6;
      for (int k = 0; k < count; k++)
        trace += d.hessian[k][k];
      CHECK(positive_definite((const double(*)[12])d.hessian, count, 1e-13 * trace), "%s", scenes[s].name);
      for (int k = 0; k < 3 && sliding.both; k++) {
        sum += fabs(d.gradient[3 + k] + d.gradient[9 + k]);
        size += fabs(d.gradient[3 + k]);
      }
      if (sliding.both)
        worst_momentum = larger(worst_momentum, sum / size);
      else
        CHECK(dc_vec_norm(d.gradient + 6) + dc_vec_norm(d.gradient + 9) == 0, "nothing for what does not move");
      memcpy(elsewhere, sliding.next, sizeof elsewhere);
      move_on(&sliding, &random, 10);
      evaluate(&sliding, sliding.next, 1, false, &exact);
      evaluate(&sliding, elsewhere, 2, false, &again);
      sum = size = 0;
      for (int k = 0; k < 12; k++) {
        sum += fabs(again.gradient[k] - d.gradient[k]);
        size += fabs(d.gradient[k]);
      }
      worst_start = larger(worst_start, sum / size);
    }
    scene_end(&sliding.scene);
  }
  printf("# momentum %.1e, start %.1e\n", worst_momentum, worst_start);
  CHECK(worst_momentum < 1e-9, "%.2g", worst_momentum);
  CHECK(worst_start < 1e-9, "%.2g", worst_start);
}

// A box that slides fast: the force is lambda times the normal force, against the motion; at rest and when both move
// alike there is none.
static void test_coulomb(void)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  for (int s = 0; s < 4; s++) {
    struct sliding sliding;
    struct derivatives d;
    struct dc_pair_derivatives contact;
    double slide[6] = {0, 0, 0, 0, 0, 0}, lambda;
    sliding_start(&sliding, &scenes[s], "bsh", "");
    lambda = sqrt(sliding.coefficient[0] * sliding.coefficient[1]);
    place(&sliding, &scenes[s], &random, 1e-5, 0);
    begin_at(&sliding, sliding.now);
    dc_contact_evaluate(sliding.contact, sliding.now, 1, &contact);
    double normal = stiffness * dc_vec_norm(contact.gradient + 3);
    double axes[2][3], along[3];
    for (int k = 0; k < 2; k++)
      dc_mat_apply(axes[k], sliding.now[1].rotation, (double[3]){k == 0, k == 1, 0});
    for (int k = 0; k < 3; k++)
      along[k] = 0.6 * axes[0][k] + 0.8 * axes[1][k];
    for (double speed = 0.1; speed < 2; speed *= 10) {
      dc_vec_scale(slide + 3, along, speed * time_step);
      memcpy(sliding.next, sliding.now, sizeof sliding.next);
      pose_move(&sliding.now[0], 1, slide, &sliding.next[0]);
      evaluate(&sliding, sliding.next, 1, false, &d);
      double force = dc_vec_dot(d.gradient + 3, along) / (lambda * normal);
      printf("# %s, %g m/s: %.6f\n", scenes[s].name, speed, force);
      CHECK(fabs(force - 1) < 2e-3, "%s: %g", scenes[s].name, force);
    }
    evaluate(&sliding, sliding.now, 2, false, &d);
    // Rounding of R R^T against e: 3e-10 observed.
    CHECK(dc_vec_norm(d.gradient + 3) <= 1e-8 * lambda * normal, "%s at rest: %g", scenes[s].name,
          dc_vec_norm(d.gradient + 3) / (lambda * normal));
    if (sliding.both) {
      double forces[3];
      pose_move(&sliding.now[1], 1, slide, &sliding.next[1]);
      evaluate(&sliding, sliding.next, 1, false, &d);
      dc_vec_scale(forces, d.gradient + 3, 1 / (lambda * normal));
      CHECK(dc_vec_norm(forces) < 1e-9, "%s together: %g", scenes[s].name, dc_vec_norm(forces));
    }
    scene_end(&sliding.scene);
  }
}

static void test_what_slides(void)
{
  struct dc_random random;
  struct dc_friction_derivatives pair = {0};
  dc_random_seed(&random, 6);
  for (int m = 0; m < 2; m++) {
    struct sliding sliding;
    struct derivatives d;
    sliding_start(&sliding, &scenes[4], models[m], "");
    place(&sliding, &scenes[4], &random, 1e-3, 0);
    move_on(&sliding, &random, 1);
    sliding.coefficient[1] = 0;
    begin_at(&sliding, sliding.now);
    CHECK(!dc_contact_slides(sliding.contact) && !sliding.contact->friction, "nothing slides and nothing is stored");
    CHECK(dc_contact_friction_evaluate(sliding.contact, sliding.next, 2, true, &pair) == 0 && pair.gradient[3] == 0,
          "no energy");
    sliding.coefficient[1] = 0.8;
    begin_at(&sliding, sliding.now);
    evaluate(&sliding, sliding.next, 1, false, &d);
    CHECK(dc_contact_slides(sliding.contact) && d.energy > 0, "%g", d.energy);
    sliding.coefficient[0] = 0;
    begin_at(&sliding, sliding.now);
    CHECK(!dc_contact_slides(sliding.contact), "coefficient 0");
    CHECK(dc_contact_friction_evaluate(sliding.contact, sliding.next, 2, true, &pair) == 0, "no energy");
    // Apart along a line: friction fades to nothing at (1 + blend) (R_i + R_j) of the last two leaves.
    sliding.coefficient[0] = 0.5;
    double energy = INFINITY;
    struct dc_pose start = sliding.now[0];
    for (double gap = 0.01; gap < 1; gap += 0.01) {
      double away[3];
      dc_vec_sub(away, start.position, sliding.now[1].position);
      dc_vec_add_scaled(sliding.now[0].position, start.position, gap / dc_vec_norm(away), away);
      memcpy(sliding.next, sliding.now, sizeof sliding.next);
      sliding.next[0].position[0] += 0.01;
      begin_at(&sliding, sliding.now);
      evaluate(&sliding, sliding.next, 0, false, &d);
      CHECK(d.energy < energy || (d.energy == 0 && !dc_contact_slides(sliding.contact)), "%s, gap %g: %g after %g",
            models[m], gap, d.energy, energy);
      energy = d.energy;
    }
    CHECK(energy == 0, "%s: %g", models[m], energy);
    scene_end(&sliding.scene);
  }
}

// Far above and far below the smoothing, tiny and huge weights, two corners that nearly touch.
// Two iterates, evaluated at once or with Hessians that follow where they are accepted before they have any.
static void two_iterates(struct sliding *sliding, bool follow, struct dc_friction_derivatives results[2])
{
  struct dc_error error;
  const struct dc_pose *const at[2] = {sliding->now, sliding->next};
  scene_need(&sliding->scene, !dc_contact_friction_begin(sliding->contact, sliding->now, &sliding->law, &error),
             "friction");
  memset(results, 0, 2 * sizeof *results);
  for (int k = 0; k < 2; k++) {
    dc_contact_friction_evaluate(sliding->contact, at[k], follow ? 1 : 2, DC_FRICTION_HELD, &results[k]);
    dc_contact_friction_accept(sliding->contact);
    if (follow)
      dc_contact_friction_complete(sliding->contact, at[k], &results[k]);
    dc_contact_friction_complete(sliding->contact, at[k], &results[k]);  // nothing
  }
}

static void test_hessians_follow(void)
{
  struct dc_random random;
  dc_random_seed(&random, 11);
  for (int s = 0; s < SCENES; s++)
    for (int m = 0; m < 2; m++) {
      struct sliding sliding;
      struct dc_friction_derivatives once[2], late[2];
      sliding_start(&sliding, &scenes[s], models[m], "");
      place(&sliding, &scenes[s], &random, 1e-3, 0);
      move_on(&sliding, &random, 0.1);
      begin_at(&sliding, sliding.now);
      two_iterates(&sliding, false, once);
      two_iterates(&sliding, true, late);
      CHECK(once[1].h_aa[3][3] > 0 && memcmp(once, late, sizeof once) == 0, "%s: the same bits", scenes[s].name);
      scene_end(&sliding.scene);
    }
}

static void test_extremes(void)
{
  static const double smoothings[] = {1e-7, 1e-3, 10}, fast[] = {1e-9, 1e-2, 300};
  static const struct sliding_scene corners = {"corners", "sphere radius=0.2 level=0", "sphere radius=0.2 level=0",
                                               false, false};
  struct dc_random random;
  dc_random_seed(&random, 7);
  long most = 0;
  for (int i = 0; i < 54; i++) {
    struct sliding sliding;
    struct derivatives d;
    const struct sliding_scene *of = i % 3 == 0 ? &corners : &scenes[i % 3];
    sliding_start(&sliding, of, "bsh", "");
    place(&sliding, of, &random, pow(10, -2 - i % 5), 0);
    if (i % 3 == 0) {  // corner above corner
      double up[3];
      dc_mat_apply(up, sliding.now[1].rotation, sliding.contact->colliders[1].vertices[0]);
      memcpy(&sliding.now[0], &sliding.now[1], sizeof sliding.now[0]);
      dc_vec_add_scaled(sliding.now[0].position, sliding.now[1].position, 2 * (1 + pow(10, -2 - i % 5)), up);
    }
    sliding.law.smoothing = smoothings[i / 3 % 3];
    sliding.law.stiffness = i % 2 ? 1e-30 : 1e6;
    move_on(&sliding, &random, fast[i / 9 % 3]);
    begin_at(&sliding, sliding.now);
    evaluate(&sliding, sliding.next, 2, true, &d);
    CHECK(d.energy > 0 && isfinite(d.energy), "%g", d.energy);
    for (int k = 0; k < 144; k++)
      CHECK(isfinite(d.hessian[k / 12][k % 12]), "%d", k);
    for (size_t u = 0; u < sliding.contact->friction->unit_count; u++)
      most =
          most > sliding.contact->friction->units[u].iterations ? most : sliding.contact->friction->units[u].iterations;
    scene_end(&sliding.scene);
  }
  printf("# at most %ld iterations of a pair of bodies\n", most);
}

// Enough pairs of triangles for several units, twice over: the bits must not depend on the number of threads, the
// numbers hardly on the width of the vectors.
static void test_threads_and_widths(void)
{
  static const struct sliding_scene plates = {"plates", "box size=0.5,0.5,0.2 divisions=6,6,1",
                                              "box size=0.6,0.6,0.2 divisions=6,6,1", false, false};
  struct dc_random random;
  struct sliding sliding;
  struct derivatives first, d;
  dc_random_seed(&random, 8);
  sliding_start(&sliding, &plates, "bsh", "");
  place(&sliding, &plates, &random, 1e-3, 0);
  move_on(&sliding, &random, 0.1);
  begin_at(&sliding, sliding.now);
  evaluate(&sliding, sliding.next, 2, true, &first);
  CHECK(sliding.contact->friction->unit_count > 4 && dc_friction_worth_threads(sliding.contact->friction), "%zu units",
        sliding.contact->friction->unit_count);
  for (int threads = 2; threads < 6; threads++) {
    struct dc_error error;
    scene_threads(threads);
    scene_need(&sliding.scene, !dc_contact_friction_begin(sliding.contact, sliding.now, &sliding.law, &error),
               "friction");
    evaluate(&sliding, sliding.next, 2, true, &d);
    CHECK(memcmp(&first, &d, sizeof d) == 0, "%d threads", threads);
  }
  scene_threads(1);
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  double worst[2] = {0, 0};
  for (int i = 0; all[i]; i++) {
    struct dc_error error;
    double sum[2] = {0, 0}, size[2] = {0, 0};
    sliding.contact->kernels = all[i];
    scene_need(&sliding.scene, !dc_contact_friction_begin(sliding.contact, sliding.now, &sliding.law, &error),
               "friction");
    evaluate(&sliding, sliding.next, 2, true, &d);
    CHECK(fabs(d.energy / first.energy - 1) < 1e-12, "%s: %g, %g", all[i]->name, d.energy, first.energy);
    for (int k = 0; k < 12; k++)
      for (int j = -1; j < 12; j++) {
        sum[j >= 0] += fabs(j < 0 ? d.gradient[k] - first.gradient[k] : d.hessian[k][j] - first.hessian[k][j]);
        size[j >= 0] += fabs(j < 0 ? first.gradient[k] : first.hessian[k][j]);
      }
    for (int k = 0; k < 2; k++)
      worst[k] = larger(worst[k], sum[k] / size[k]);
  }
  printf("# widths: gradient %.1e, Hessian %.1e\n", worst[0], worst[1]);
  CHECK(worst[0] < 1e-10, "%.2g", worst[0]);
  CHECK(worst[1] < 1e-9, "%.2g", worst[1]);
  scene_end(&sliding.scene);
}

RUN_TESTS({"derivatives at t+1 against differences", test_differences},
          {"derivatives at t against differences", test_pull_back},
          {"rows of zeros leave nothing", test_points_of_rows}, {"range", test_range}, {"definition", test_definition},
          {"invariants", test_invariants}, {"Coulomb's law", test_coulomb}, {"what slides", test_what_slides},
          {"Hessians that follow", test_hessians_follow}, {"extremes", test_extremes}, {"threads and vector widths", test_threads_and_widths})
