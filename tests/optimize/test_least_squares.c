// SPDX-License-Identifier: Apache-2.0
// Methods of least squares on problems with known minima, and the rules about draws, restarts, bounds, observers and
// failures.
#include "least_squares_fixture.h"

static void test_registry(void)
{
  for (int k = 0; k < 2; k++) {
    const struct dc_optimizer_type *type = least_squares_types[k];
    CHECK(type->name && type->summary && type->reference && type->iterate && type->manifold, "%d", k);
    set_defaults(type);
    const struct dc_optimizer_common *common = (const void *)options;
    CHECK(common->iterations == 2000 && common->target == (k ? 0 : 1e-13), "%s", type->name);
    for (const struct dc_option *option = type->options; option->name; option++)
      CHECK(option->help && option->unit && option->fallback && option->offset < type->options_size, "%s.%s",
            type->name, option->name);
  }
}

static void test_linear(void)
{
  struct function f;
  set_up(&f, linear, 3, 4);
  set_defaults(marquardt);
  set(marquardt, "damping", 1e-12);
  set(marquardt, "longest_step", 100);
  set(marquardt, "target", 4 + 1e-9);
  double x[3] = {-5, 7, 0};
  CHECK(run(marquardt, &f, 1, x) == DC_OK, "%s", error.text);
  CHECK(result.iterations == 1 && result.evaluations == 2 && f.calls == 2 && f.jacobians == 1, "%d %d %d",
        result.iterations, result.evaluations, f.calls);
  CHECK_NEAR(result.best_value, 4, 1e-14);  // 0 observed
  for (int i = 0; i < 3; i++)
    CHECK_NEAR(x[i], i + 1, 1e-11);  // 2e-12 observed: the damping
  // the gradient that the first guess is told with: 2 |A^T r| at (-5, 7, 0)
  double r[4], jacobian[4][MOST] = {{0}}, start[3] = {-5, 7, 0}, sum = 0;
  linear(start, r, jacobian);
  for (int j = 0; j < 3; j++) {
    double g = 0;
    for (int i = 0; i < 4; i++)
      g += 2 * jacobian[i][j] * r[i];
    sum += g * g;
  }
  CHECK_NEAR(history.seen[0].gradient_norm, sqrt(sum), 1e-12);  // 0 observed
}

// The longest step is one in the metric.
static void test_longest_step(void)
{
  struct function f;
  set_up(&f, linear, 3, 4);
  set_defaults(marquardt);
  set(marquardt, "damping", 1e-12);
  set(marquardt, "longest_step", 0.5);
  set(marquardt, "iterations", 1);
  f.metric[0] = 4, f.metric[1] = 0.25;
  double x[3] = {-5, 7, 0};
  CHECK(run(marquardt, &f, 1, x) == DC_OK, "%s", error.text);
  CHECK_NEAR(4 * (x[0] + 5) * (x[0] + 5) + 0.25 * (x[1] - 7) * (x[1] - 7) + x[2] * x[2], 0.25,
             1e-14);  // 3e-16 observed
  CHECK(result.best_value < result.first_value && f.jacobians == 1, "%g", result.best_value);
}

static void test_minima(void)
{
  static const struct {
    void (*residual)(const double *, double *, double (*)[MOST]);
    int n, m;
    double start[4], minimum[4], tolerance;
    int most;  // iterations; 19, 14, 6 observed
  } cases[] = {{rosenbrock, 2, 2, {-1.2, 1}, {1, 1}, 1e-7, 25},
               {powell, 4, 4, {3, -1, 0, 1}, {0}, 1e-3, 30},
               {curve, 3, 30, {1, 0.2, 0}, {2, 1.5, 0.5}, 1e-6, 12}};
  for (int k = 0; k < 3; k++) {
    struct function f;
    set_up(&f, cases[k].residual, cases[k].n, cases[k].m);
    set_defaults(marquardt);
    double x[4];
    memcpy(x, cases[k].start, sizeof x);
    CHECK(run(marquardt, &f, 1, x) == DC_OK, "%s", error.text);
    CHECK(result.best_value <= 1e-13 && result.iterations <= cases[k].most, "%d: %g in %d", k, result.best_value,
          result.iterations);
    for (int i = 0; i < cases[k].n; i++)
      CHECK_NEAR(x[i], cases[k].minimum[i], cases[k].tolerance);
    CHECK(history.count == result.iterations + 1 && result.evaluations == result.iterations + 1, "%d", k);
    CHECK(f.jacobians == result.iterations && f.calls == f.jacobians + result.evaluations - 1, "%d %d", f.calls,
          f.jacobians);

    // normalized descent ends within about its last steps' length, 1e-4, of where that is what decides
    set_defaults(descent);
    memcpy(x, cases[k].start, sizeof x);
    CHECK(run(descent, &f, 1, x) == DC_OK, "%s", error.text);
    CHECK(result.best_value < 0.2 * result.first_value && history.count == 2001, "%d: %g", k, result.best_value);
  }
}

// Minimum of (x - 3)^2 + (y - 3)^2 + (x + y - 2 z)^2 with x <= 1, y >= 4, starting outside: x = 1, y = 4, z = 2.5.
static void bowl(const double *x, double *r, double (*jacobian)[MOST])
{
  r[0] = x[0] - 3, r[1] = x[1] - 3, r[2] = x[0] + x[1] - 2 * x[2];
  jacobian[0][0] = jacobian[1][1] = jacobian[2][0] = jacobian[2][1] = 1, jacobian[2][2] = -2;
}

static void test_bounds(void)
{
  for (int k = 0; k < 2; k++) {
    const struct dc_optimizer_type *type = least_squares_types[k];
    struct function f;
    set_up(&f, bowl, 3, 3);
    f.problem.hold = hold;
    f.upper[0] = 1, f.lower[1] = 4;
    set_defaults(type);
    double x[3] = {0, 5, 1};
    CHECK(run(type, &f, 1, x) == DC_OK, "%s", error.text);
    CHECK_NEAR(result.best_value, 5, k ? 1e-7 : 1e-12);  // 0 and 5e-9 observed
    CHECK(x[0] == 1 && x[1] == 4, "%.17g %.17g", x[0], x[1]);
    CHECK_NEAR(x[2], 2.5, k ? 1e-4 : 1e-8);  // 7e-10 and 4e-5 observed
    if (k)
      continue;
    CHECK(result.iterations < 60, "%d", result.iterations);
    // what holds two coordinates leaves the gradient of the third
    CHECK(history.seen[history.count - 1].gradient_norm < 1e-6, "%g", history.seen[history.count - 1].gradient_norm);
  }
}

// Held coordinates do not use up the length of a normalized step.
static void test_held_direction(void)
{
  struct function f;
  set_up(&f, bowl, 3, 3);
  f.problem.hold = hold;
  f.upper[0] = 1, f.lower[1] = 4;
  set_defaults(descent);
  set(descent, "iterations", 1);
  double x[3] = {1, 4, 2};
  CHECK(run(descent, &f, 1, x) == DC_OK, "%s", error.text);
  CHECK(x[0] == 1 && x[1] == 4, " ");
  CHECK_NEAR(x[2], 2.01, 1e-15);  // 0 observed
}

// Two groups, directions (3, 4) and (12): together of norm 13, each of norms 5 and 12.
static void slopes(const double *x, double *r, double (*jacobian)[MOST])
{
  r[0] = 100 - 0.015 * x[0] - 0.02 * x[1] - 0.06 * x[2];
  jacobian[0][0] = -0.015, jacobian[0][1] = -0.02, jacobian[0][2] = -0.06;
}

static void test_schedule(void)
{
  for (int each = 0; each < 2; each++) {
    struct function f;
    set_up(&f, slopes, 3, 1);
    f.group[0] = f.group[1] = ROTATION, f.group[2] = JOINT;
    set_defaults(descent);
    set(descent, "rotation_step", 1e-3);
    set(descent, "joint_step", 1e-2);
    set(descent, "iterations", 10);
    set(descent, "normalize", each);
    double x[3] = {0};
    CHECK(run(descent, &f, 1, x) == DC_OK, "%s", error.text);
    CHECK(f.calls == 11 && history.count == 11, "%d", f.calls);
    // phases of 1, 8 and 1 steps with factors 1, 0.1, 0.01; 4e-18 observed
    double length = 1 + 0.8 + 0.01;
    CHECK_NEAR(x[0], length * 1e-3 * (each ? 3.0 / 5 : 3.0 / 13), 1e-16);
    CHECK_NEAR(x[1], length * 1e-3 * (each ? 4.0 / 5 : 4.0 / 13), 1e-16);
    CHECK_NEAR(x[2], length * 1e-2 * (each ? 1 : 12.0 / 13), 1e-16);
    for (int i = 0; i < 11; i++)
      for (int j = 0; j < i; j++)
        CHECK(f.draw_seen[i] != f.draw_seen[j], "%d %d", i, j);
  }
}

// Pose (position, unit quaternion) that brings 5 points onto where another pose brought them.  Steps are (rotation,
// translation), applied from the left.
static const double cloud[5][3] = {{0.3, 0, 0.1}, {0, 0.2, 0}, {-0.1, 0, 0.4}, {0.2, -0.3, 0}, {0, 0.1, -0.2}};
static const double true_pose[7] = {0.4, -0.2, 0.7, 0.1, -0.7, 0.5, 0.5};

static void put(const double *pose, const double *point, double *arm, double *put_point)
{
  double matrix[9], q[4] = {pose[3], pose[4], pose[5], pose[6]};
  dc_rotation_normalize(q);
  dc_rotation_matrix(matrix, q);
  dc_mat_apply(arm, matrix, point);
  dc_vec_add(put_point, arm, pose);
}

static void align(const double *x, double *r, double (*jacobian)[MOST])
{
  for (int k = 0; k < 5; k++) {
    double arm[3], at[3], wanted[3], cross[9];
    put(true_pose, cloud[k], arm, wanted);
    put(x, cloud[k], arm, at);
    dc_mat_cross(cross, arm);
    for (int i = 0; i < 3; i++) {
      r[3 * k + i] = at[i] - wanted[i];
      for (int j = 0; j < 3; j++) {
        jacobian[3 * k + i][j] = -cross[3 * i + j];
        jacobian[3 * k + i][3 + j] = i == j;
      }
    }
  }
}

static void retract_pose(void *context, const double *point, const double *step, double *moved)
{
  (void)context;
  double turn[4];
  dc_rotation_exp(turn, step);
  dc_vec_add(moved, point, step + 3);
  dc_rotation_multiply(moved + 3, turn, point + 3);
}

static void test_rotation(void)
{
  for (int k = 0; k < 2; k++) {
    const struct dc_optimizer_type *type = least_squares_types[k];
    struct function f;
    set_up(&f, align, 6, 15);
    f.problem.point_size = 7;
    f.problem.retract = retract_pose;
    for (int i = 0; i < 3; i++)
      f.metric[i] = 0.09, f.group[i] = ROTATION;
    set_defaults(type);
    set(type, "target", 0);
    set(type, "iterations", k ? 2000 : 40);
    if (k)
      set(type, "rotation_step", 0.1);
    double x[7] = {0, 0, 0, 1, 0, 0, 0}, q[4], wanted[4], between[4], w[3];
    CHECK(run(type, &f, 1, x) == DC_OK, "%s", error.text);
    memcpy(wanted, true_pose + 3, sizeof wanted);
    dc_rotation_normalize(wanted);
    dc_rotation_conjugate(q, x + 3);
    dc_rotation_multiply(between, wanted, q);
    dc_rotation_log(w, between);
    // 1e-16 and 8e-5 rad, 0 and 4e-5 m observed; the start is 2.1 rad off
    CHECK_NEAR(dc_vec_norm(w), 0, k ? 2e-3 : 1e-13);
    CHECK_NEAR(dc_vec_distance(x, true_pose), 0, k ? 1e-3 : 1e-13);
    CHECK_NEAR(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6], 1, 1e-14);  // 2e-16 observed
  }
}

static void test_ends(void)
{
  for (int k = 0; k < 2; k++) {
    const struct dc_optimizer_type *type = least_squares_types[k];
    struct function f;
    set_up(&f, rosenbrock, 2, 2);
    set_defaults(type);
    double x[2] = {1, 1};
    CHECK(run(type, &f, 1, x) == DC_OK && result.best_value == 0 && f.calls == 1 && history.count == 1,
          "%s: zero at the start", type->name);
    CHECK(x[0] == 1 && x[1] == 1 && result.first_value == 0, " ");

    x[0] = -1.2;
    set(type, "iterations", 0);
    CHECK(run(type, &f, 1, x) == DC_OK && result.iterations == 0 && history.count == 1 && x[0] == -1.2, "%s",
          type->name);
    set(type, "iterations", 2000);

    history.stop_at = 9;
    CHECK(run(type, &f, 1, x) == DC_STOPPED && history.count == 9 && result.iterations == 8, "%s: %d", type->name,
          result.iterations);
    history.stop_at = 0;
    double r[2], jacobian[2][MOST] = {{0}};
    rosenbrock(x, r, jacobian);
    CHECK(r[0] * r[0] + r[1] * r[1] == result.best_value && result.best_value < result.first_value,
          "%s: the best point is kept: %g %g", type->name, result.best_value, result.first_value);

    struct dc_optimizer_result *none = NULL;
    CHECK(dc_minimize(type, options, &f.problem, x, NULL, NULL, none, NULL) == DC_OK, "%s", type->name);
  }
}

static void nothing(const double *x, double *r, double (*jacobian)[MOST])
{
  (void)x, (void)jacobian;
  r[0] = 3;
}

static void test_dimension_zero(void)
{
  for (int k = 0; k < 2; k++) {
    const struct dc_optimizer_type *type = least_squares_types[k];
    struct function f;
    set_up(&f, nothing, 0, 1);
    set_defaults(type);
    double x[1] = {5};
    CHECK(run(type, &f, 1, x) == DC_OK && result.best_value == 9 && f.calls == 1 && x[0] == 5, "%s: %g", type->name,
          result.best_value);
  }
}

static void test_passed_on(void)
{
  static const enum dc_status statuses[] = {DC_NUMERICAL, DC_MEMORY, DC_STOPPED};
  for (int k = 0; k < 6; k++)
    for (int at = 1; at < 6; at++) {
      const struct dc_optimizer_type *type = least_squares_types[k / 3];
      struct function f;
      set_up(&f, rosenbrock, 2, 2);
      set_defaults(type);
      f.fail_at = at, f.failure = statuses[k % 3];
      double x[2] = {-1.2, 1}, r[2], jacobian[2][MOST] = {{0}};
      CHECK(run(type, &f, 1, x) == f.failure && strcmp(error.text, "failed on purpose") == 0, "%s", error.text);
      CHECK(f.calls == at, "%d", f.calls);
      rosenbrock(x, r, jacobian);
      CHECK(at == 1 || r[0] * r[0] + r[1] * r[1] == result.best_value, "the best point is kept");
    }
}

// exp(50 x) - 1 beside a residual that pulls at x: long steps overflow.
static void steep(const double *x, double *r, double (*jacobian)[MOST])
{
  r[0] = exp(50 * x[0]) - 1, r[1] = 1e-6 * x[0];
  jacobian[0][0] = 50 * exp(50 * x[0]), jacobian[1][0] = 1e-6;
}

static void test_not_finite(void)
{
  struct function f;
  set_up(&f, steep, 1, 2);
  set_defaults(marquardt);
  set(marquardt, "longest_step", 1000);
  set(marquardt, "failures", 100);
  set(marquardt, "damping", 1e-20);
  double x[1] = {-0.15};
  CHECK(run(marquardt, &f, 1, x) == DC_OK && result.best_value <= 1e-13, "%s %g", error.text, result.best_value);
  int dropped = 0;
  for (int i = 1; i < history.count; i++)
    dropped += !history.seen[i].accepted;
  CHECK(dropped > 2, "%d", dropped);  // the first step, 36, gives exp(1800)

  for (int k = 0; k < 2; k++)
    for (int at = 1; at < 4; at++) {
      const struct dc_optimizer_type *type = least_squares_types[k];
      set_up(&f, rosenbrock, 2, 2);
      set_defaults(type);
      f.not_finite_at = at;
      double y[2] = {-1.2, 1};
      bool trial = k == 0 && at == 2;  // a trial step is not taken; everything else ends the minimization
      CHECK(run(type, &f, 1, y) == (trial ? DC_OK : DC_NUMERICAL), "%s %d", type->name, at);
      CHECK(isfinite(y[0]) && isfinite(y[1]) && isfinite(result.best_value), "%s %d", type->name, at);
    }

  // a Jacobian that cannot be squared
  set_up(&f, rosenbrock, 2, 2);
  set_defaults(marquardt);
  double y[2] = {-1.2, 1};
  f.noise = 1e160;
  CHECK(run(marquardt, &f, 1, y) == DC_NUMERICAL && y[0] == -1.2, "%s", error.text);
}

// One of two unknowns does nothing: the damping alone keeps the system solvable, however small it is.
static void flat(const double *x, double *r, double (*jacobian)[MOST])
{
  r[0] = x[0] + x[1] - 1, r[1] = 1e-3 * (x[0] + x[1]);
  jacobian[0][0] = jacobian[0][1] = 1, jacobian[1][0] = jacobian[1][1] = 1e-3;
}

static void test_singular(void)
{
  struct function f;
  set_up(&f, flat, 2, 2);
  set_defaults(marquardt);
  set(marquardt, "damping", 1e-25);
  double x[2] = {-5, 3};
  CHECK(run(marquardt, &f, 1, x) == DC_OK, "%s", error.text);
  CHECK_NEAR(x[0] + x[1], 1 / (1 + 1e-6), 1e-9);  // 6e-16 observed
  CHECK_NEAR(x[0] - x[1], -8, 1);                 // 0.08 observed: along the valley it stays
}

static enum dc_status linearize_nothing(void *context, const double *point, const struct dc_draw *draw,
                                        struct dc_rows *rows, struct dc_error *failure)
{
  (void)point, (void)draw, (void)rows;
  ++*(int *)context;
  return dc_fail(failure, DC_NUMERICAL, "asked");
}

// Jacobians that no memory holds are refused before anything is asked.
static void test_too_large(void)
{
  int calls = 0;
  double point = 0;
  struct dc_problem problem = {
      .point_size = 1, .dimension = 60000, .row_count = 50000, .context = &calls, .linearize = linearize_nothing};
  struct dc_arena *arena = dc_arena_create();
  void *defaults = dc_arena_alloc(arena, 1, dc_levenberg_marquardt.options_size);
  CHECK(dc_options_set_defaults(dc_levenberg_marquardt.options, defaults, arena, &error) == DC_OK, "%s", error.text);
  CHECK(dc_minimize(marquardt, defaults, &problem, &point, NULL, NULL, NULL, &error) == DC_MEMORY, " ");
  CHECK(strstr(error.text, "24000000000 bytes") && calls == 0, "%s", error.text);
  dc_arena_destroy(arena);
}

RUN_TESTS({"registry", test_registry}, {"linear in one step", test_linear}, {"the longest step", test_longest_step},
          {"known minima", test_minima}, {"bounds", test_bounds}, {"held coordinates", test_held_direction},
          {"schedule of normalized descent", test_schedule}, {"rotations", test_rotation}, {"ends", test_ends},
          {"nothing to move", test_dimension_zero}, {"failures are passed on", test_passed_on},
          {"what is not finite gets nowhere", test_not_finite}, {"singular systems", test_singular},
          {"too large", test_too_large})
