// SPDX-License-Identifier: Apache-2.0
// Step by step: states, contact, and the derivatives of a step.
#include "api/api_scenes.h"

enum { MOST = 64 };

struct run {
  dcsim_scene *scene;
  dcsim_scene_sizes sizes;
  dcsim_simulation *simulation;
  dcsim_error error;
};

static struct run open_run(const char *text)
{
  struct run run = {.scene = open_text(text), .sizes = DCSIM_SIZED(dcsim_scene_sizes)};
  CHECK(dcsim_scene_get_sizes(run.scene, &run.sizes, &run.error) == DCSIM_OK, "%s", run.error.text);
  CHECK(dcsim_simulation_create(run.scene, &run.simulation, &run.error) == DCSIM_OK, "%s", run.error.text);
  return run;
}

static void close_run(struct run *run)
{
  dcsim_simulation_destroy(run->simulation);
  dcsim_scene_close(run->scene);
}

static void step(struct run *run, const double *target, const double *velocity, const double *force)
{
  CHECK(dcsim_simulation_step(run->simulation, target, velocity, force, &run->error) == DCSIM_OK, "%s",
        run->error.text);
}

// Steps from states are a rollout in one piece, but for rounding: states are kept as velocities in between.
static void test_same_as_rollout(void)
{
  struct run run = open_run(two_balls);
  dcsim_problem *problem;
  dcsim_trajectory trajectory = DCSIM_SIZED(dcsim_trajectory);
  double x[MOST], loss, q[MOST], qd[MOST], worst = 0, worst_velocity = 0;
  CHECK(dcsim_problem_create(run.scene, NULL, &problem, &run.error) == DCSIM_OK, "%s", run.error.text);
  dcsim_problem_initial(problem, x);
  CHECK(dcsim_problem_evaluate(problem, x, &loss, NULL, &run.error) == DCSIM_OK, "%s", run.error.text);
  CHECK(dcsim_problem_get_trajectory(problem, &trajectory, &run.error) == DCSIM_OK, "%s", run.error.text);
  CHECK(trajectory.steps == 30 && trajectory.nq == 14 && trajectory.nv == 12, "sizes");
  for (int t = 1; t <= trajectory.steps; t++) {
    step(&run, NULL, NULL, NULL);
    dcsim_simulation_get_state(run.simulation, q, qd);
    for (int i = 0; i < 14; i++)
      worst = larger(worst, fabs(q[i] - trajectory.q[14 * t + i]));
    for (int i = 0; i < 12; i++)
      worst_velocity = larger(worst_velocity, fabs(qd[i] - trajectory.qd[12 * t + i]));
  }
  printf("# states differ by %.2g, velocities by %.2g\n", worst, worst_velocity);
  CHECK_NEAR(worst, 0, 1e-8);
  CHECK_NEAR(worst_velocity, 0, 1e-6);
  dcsim_problem_destroy(problem);
  close_run(&run);
}

// The tangent of q2 - q1 with small differences: enough where both are near.
static void tangent_difference(const struct run *run, const double *q1, const double *q2, double *d)
{
  for (int i = 0; i < run->sizes.bodies; i++) {
    dcsim_scene_body body = DCSIM_SIZED(dcsim_scene_body);
    CHECK(dcsim_scene_get_body(run->scene, i, &body, NULL) == DCSIM_OK, "body");
    if (!body.nq)
      continue;
    int turn = body.nq == 7 ? body.q + 3 : body.nq == 4 ? body.q : -1;
    if (turn >= 0) {  // 2 q2 q1^-1, vector part
      const double *a = q2 + turn, *b = q1 + turn;
      d[body.v] = 2 * (-a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2]);
      d[body.v + 1] = 2 * (-a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3]);
      d[body.v + 2] = 2 * (-a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1]);
    }
    for (int k = 0; k < (body.nq == 7 ? 3 : turn < 0 ? body.nq : 0); k++)
      d[body.v + (turn < 0 ? k : 3 + k)] = q2[body.q + k] - q1[body.q + k];
  }
}

// q moved along h e_v.
static void move(const struct run *run, const double *q, int v, double h, double *moved)
{
  memcpy(moved, q, (size_t)run->sizes.nq * sizeof *q);
  for (int i = 0; i < run->sizes.bodies; i++) {
    dcsim_scene_body body = DCSIM_SIZED(dcsim_scene_body);
    dcsim_scene_get_body(run->scene, i, &body, NULL);
    int k = v - body.v, turn = body.nq == 7 ? body.q + 3 : body.nq == 4 ? body.q : -1;
    if (!body.nq || k < 0 || k >= body.nv)
      continue;
    if (turn < 0 || k >= 3) {
      moved[body.q + (turn < 0 ? k : k - 3)] += h;
      continue;
    }
    double w[4] = {cos(h / 2), 0, 0, 0}, *r = moved + turn;
    const double *p = q + turn;
    w[1 + k] = sin(h / 2);
    r[0] = w[0] * p[0] - w[1] * p[1] - w[2] * p[2] - w[3] * p[3];
    r[1] = w[0] * p[1] + w[1] * p[0] + w[2] * p[3] - w[3] * p[2];
    r[2] = w[0] * p[2] + w[2] * p[0] + w[3] * p[1] - w[1] * p[3];
    r[3] = w[0] * p[3] + w[3] * p[0] + w[1] * p[2] - w[2] * p[1];
  }
}

struct point {
  double q[MOST], qd[MOST], u[MOST];
};

static void step_from(struct run *run, const struct point *point, double *q, double *qd)
{
  CHECK(dcsim_simulation_set_state(run->simulation, point->q, point->qd, &run->error) == DCSIM_OK, "%s",
        run->error.text);
  step(run, point->u, point->u + run->sizes.actuators, point->u + 2 * run->sizes.actuators);
  dcsim_simulation_get_state(run->simulation, q, qd);
}

// The change of (q, qd) after the step when entry j of (q, qd, u) moves by -h and by h: into change [2 nv].
static void change_between(struct run *run, const struct point *point, int j, double h, double *change)
{
  int nv = run->sizes.nv;
  double q[2][MOST], qd[2][MOST];
  for (int side = 0; side < 2; side++) {
    struct point moved = *point;
    double by = side ? h : -h;
    if (j < nv)
      move(run, point->q, j, by, moved.q);
    else if (j < 2 * nv)
      moved.qd[j - nv] += by;
    else
      moved.u[j - 2 * nv] += by;
    step_from(run, &moved, q[side], qd[side]);
  }
  tangent_difference(run, q[0], q[1], change);
  for (int i = 0; i < nv; i++)
    change[nv + i] = qd[1][i] - qd[0][i];
}

// Column j of both matrices by differences of fourth order.
static void difference_column(struct run *run, const struct point *point, int j, double h, double *column)
{
  double wide[2 * MOST];
  change_between(run, point, j, h, column);
  change_between(run, point, j, 2 * h, wide);
  for (int i = 0; i < 2 * run->sizes.nv; i++)
    column[i] = (8 * column[i] - wide[i]) / (12 * h);
}

// Largest difference of a row over the largest entry of its row, at the best of some steps of the differences, or at
// the first that is good enough.
static double check_linearization(struct run *run, const struct point *point, double enough)
{
  static const double steps[] = {1e-5, 1e-6, 1e-7, 1e-8};
  int nv = run->sizes.nv, nu = 2 * run->sizes.actuators + nv;
  double *a = calloc((size_t)(4 * nv * nv), sizeof *a), *b = calloc((size_t)(2 * nv * nu + 1), sizeof *b);
  double q[MOST], qd[MOST], column[2 * MOST], scale[2 * MOST] = {0}, worst = 0;
  step_from(run, point, q, qd);
  CHECK(dcsim_simulation_linearize(run->simulation, a, b, &run->error) == DCSIM_OK, "%s", run->error.text);
  for (int i = 0; i < 2 * nv; i++)
    for (int j = 0; j < 2 * nv; j++)
      scale[i] = larger(scale[i], fabs(a[2 * nv * i + j]));
  for (int j = 0; j < 2 * nv + nu; j++) {
    double best = INFINITY;
    for (int s = 0; s < 4 && best > enough; s++) {
      double off = 0;
      difference_column(run, point, j, steps[s], column);
      for (int i = 0; i < 2 * nv; i++)
        off = larger(off, fabs(column[i] - (j < 2 * nv ? a[2 * nv * i + j] : b[nu * i + j - 2 * nv])) / scale[i]);
      best = fmin(best, off);
    }
    worst = larger(worst, best);
  }
  free(a);
  free(b);
  return worst;
}

// At several steps of the rollout, so that some are in contact.
static void check_scene(const char *text, int steps, const double *target, double force, double tolerance, bool divided)
{
  dcsim_trajectory trajectory = DCSIM_SIZED(dcsim_trajectory);
  int found = 0;
  struct run run = open_run(text);
  double worst = 0;
  for (int t = 0; t < steps; t++) {
    struct point point = {.u = {0}};
    dcsim_simulation_get_state(run.simulation, point.q, point.qd);
    memcpy(point.u, target, (size_t)(2 * run.sizes.actuators) * sizeof *target);
    for (int i = 0; i < run.sizes.nv; i++)
      point.u[2 * run.sizes.actuators + i] = force * sin(1 + i);
    struct point next = point;
    step_from(&run, &point, next.q, next.qd);
    CHECK(dcsim_simulation_get_trajectory(run.simulation, &trajectory, &run.error) == DCSIM_OK, "%s", run.error.text);
    bool wanted = divided ? trajectory.divided_steps > 0 : t % 3 == 0;
    found += wanted;
    if (wanted)
      worst = larger(worst, check_linearization(&run, &point, 0.1 * tolerance));
    CHECK(dcsim_simulation_set_state(run.simulation, next.q, next.qd, &run.error) == DCSIM_OK, "%s", run.error.text);
  }
  printf("# largest relative error of A and B at %d steps: %.2g\n", found, worst);
  CHECK(found > 0, "no step to check");
  CHECK_NEAR(worst, 0, tolerance);
  close_run(&run);
}

static void test_linearization_free(void)
{
  check_scene(two_balls, 19, (double[1]){0}, 0, 1e-6, false);  // 2e-9 observed
}

static void test_linearization_actuated(void)
{
  check_scene(arm_and_box, 12, (double[8]){0.1, 0.2, 0.3, 0.5, 0, 0.1, 1, 2}, 0, 1e-6, false);  // 2e-9 observed
}

static void test_linearization_divided(void)
{
  check_scene(fast_ball, 4, (double[1]){0}, 0, 1e-5, true);  // 4e-10 observed
}

// Forces on free bodies, on an arm, and in parts of a divided step.
static void test_linearization_forced(void)
{
  check_scene(two_balls, 19, (double[1]){0}, 0.02, 1e-6, false);
  check_scene(arm_and_box, 12, (double[8]){0.1, 0.2, 0.3, 0.5, 0, 0.1, 1, 2}, 0.3, 1e-6, false);
}

// Far from everything a force changes the momentum by its impulse, whole or divided; NULL is zeros, to the bit.
static void test_impulse(void)
{
  // The ball is an icosahedron: edge a = R / sin(2 pi/5), moment m a^2 phi^2 / 10 with phi the golden ratio.
  static const double h = 0.02, mass = 0.05, edge = 0.1 / 0.95105651629515357, golden = 1.6180339887498949;
  double inertia = mass * edge * edge * golden * golden / 10;
  double before[12], after[12], again[12], force[12] = {0}, zeros[12] = {0}, q[14];
  struct run run = open_run(fast_ball);
  dcsim_simulation_get_state(run.simulation, q, NULL);
  q[1] = 5;  // aside
  for (int i = 0; i < 12; i++)
    force[i] = i % 6 < 3 ? 0 : 0.1 * (i + 1);
  force[2] = 1e-3;  // about z, from rest
  CHECK(dcsim_simulation_set_state(run.simulation, q, zeros, &run.error) == DCSIM_OK, "%s", run.error.text);
  step(&run, NULL, NULL, NULL);
  dcsim_simulation_get_state(run.simulation, NULL, before);
  CHECK(dcsim_simulation_set_state(run.simulation, q, zeros, &run.error) == DCSIM_OK, "%s", run.error.text);
  step(&run, NULL, NULL, zeros);
  dcsim_simulation_get_state(run.simulation, NULL, again);
  CHECK(memcmp(before, again, sizeof again) == 0, "zero forces");
  CHECK(dcsim_simulation_set_state(run.simulation, q, zeros, &run.error) == DCSIM_OK, "%s", run.error.text);
  step(&run, NULL, NULL, force);
  dcsim_simulation_get_state(run.simulation, NULL, after);
  for (int i = 0; i < 12; i++)
    if (i % 6 >= 3)
      CHECK_NEAR(mass * (after[i] - before[i]), h * force[i], 1e-8);
  printf("# turns at %.9g rad/s, %.9g expected\n", after[2], h * force[2] / inertia);
  CHECK_NEAR(after[2] / (h * force[2] / inertia), 1, 1e-5);  // 2.5e-6 observed: the other ball is felt, and sin(t) < t
  // Forces that no step can follow are told at once, and not as a lack of memory.
  for (double size = 1e15; size < 1e308; size *= 1e40) {
    memset(force, 0, sizeof force);
    force[4] = -size;
    CHECK(dcsim_simulation_step(run.simulation, NULL, NULL, force, &run.error) == DCSIM_NUMERICAL, "%g", size);
    CHECK(strstr(run.error.text, "force[4]") && !strstr(run.error.text, "memory"), "%s", run.error.text);
    CHECK(dcsim_simulation_set_state(run.simulation, q, force, &run.error) == DCSIM_OK, "%s", run.error.text);
    CHECK(dcsim_simulation_step(run.simulation, NULL, NULL, NULL, &run.error) == DCSIM_NUMERICAL, "%g", size);
    CHECK(strstr(run.error.text, "qd[4]") != NULL, "%s", run.error.text);
  }
  force[4] = NAN;
  CHECK(dcsim_simulation_step(run.simulation, NULL, NULL, force, &run.error) == DCSIM_USAGE, "NAN");
  close_run(&run);
}

// A force that moves nothing in one step adds up: f/m h^2 n (n + 1)/2.
static void test_small_force(void)
{
  static const char one_box[] =
      "{\"time\": {\"step\": 1e-4, \"steps\": 0}, \"gravity\": [0, 0, 0], "
      "\"shapes\": {\"block\": {\"type\": \"box\", \"surface\": \"mesh\", \"size\": [0.2, 0.2, 0.2]}}, "
      "\"bodies\": [{\"name\": \"block\", \"shape\": \"block\", \"mass\": 1, \"position\": [0, 0, 1]}]}";
  struct run run = open_run(one_box);
  double force[6] = {0, 0, 0, 0.005}, q[7];
  for (int t = 0; t < 100; t++)
    step(&run, NULL, NULL, force);
  dcsim_simulation_get_state(run.simulation, q, NULL);
  CHECK_NEAR(q[0], 0.005 * 1e-8 * 5050, 1e-10);
  close_run(&run);
}

// What contact, friction and gravity do to a free body is what its momentum gains: m (v' - v) / h.
static void test_contact_forces(void)
{
  static const double h = 0.02, mass = 0.05, gravity[] = {0, 0, -9.81};
  struct run run = open_run(two_balls);
  double before[12], after[12], worst = 0, most = 0, sliding = 0;
  for (int t = 0; t < 20; t++) {
    dcsim_contacts contacts = DCSIM_SIZED(dcsim_contacts);
    dcsim_simulation_get_state(run.simulation, NULL, before);
    step(&run, NULL, NULL, NULL);
    dcsim_simulation_get_state(run.simulation, NULL, after);
    CHECK(dcsim_simulation_get_contacts(run.simulation, &contacts, &run.error) == DCSIM_OK, "%s", run.error.text);
    CHECK(contacts.frames == 2 && contacts.pairs == 3, "%d frames, %d pairs", contacts.frames, contacts.pairs);
    double forces[3][3] = {{0}};
    for (int p = 0; p < contacts.pairs; p++) {
      CHECK(contacts.gaps[contacts.pairs + p] > 0, "gap");
      for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
          double f = contacts.friction[contacts.pairs + p][side][3 + k];
          forces[contacts.bodies[p][side]][k] += contacts.wrenches[contacts.pairs + p][side][3 + k] + f;
          sliding = larger(sliding, fabs(f));
        }
    }
    for (int body = 1; body < 3; body++)
      for (int k = 0; k < 3; k++) {
        int v = 6 * (body - 1) + 3 + k;
        double gained = mass * (after[v] - before[v]) / h;
        worst = larger(worst, fabs(gained - forces[body][k] - mass * gravity[k]));
        most = larger(most, fabs(gained));
      }
  }
  printf("# momentum and forces up to %.3g N, friction up to %.3g N, differ by %.2g N\n", most, sliding, worst);
  CHECK(most > 1 && sliding > 0.01, "forces of %g N, friction of %g N", most, sliding);
  CHECK_NEAR(worst, 0, 1e-7);
  close_run(&run);
}

// What is wrong is refused and changes nothing.
static void test_refusals(void)
{
  struct run run = open_run(two_balls);
  double q[14], qd[12], a[576], again[14], bad[14];
  dcsim_trajectory trajectory = DCSIM_SIZED(dcsim_trajectory);
  dcsim_simulation_get_state(run.simulation, q, qd);
  CHECK(dcsim_simulation_linearize(run.simulation, a, NULL, &run.error) == DCSIM_USAGE, "no step yet");
  CHECK(dcsim_simulation_get_trajectory(run.simulation, &trajectory, &run.error) == DCSIM_USAGE, "no step yet");
  memcpy(bad, q, sizeof q);
  bad[2] = NAN;
  CHECK(dcsim_simulation_set_state(run.simulation, bad, NULL, &run.error) == DCSIM_USAGE, "NAN");
  memcpy(bad, q, sizeof q);
  bad[3] = 2;
  CHECK(dcsim_simulation_set_state(run.simulation, bad, NULL, &run.error) == DCSIM_USAGE, "no rotation");
  CHECK(strstr(run.error.text, "cue") != NULL, "%s", run.error.text);
  memcpy(bad, q, sizeof q);
  bad[0] = -0.05;  // in the other ball
  CHECK(dcsim_simulation_set_state(run.simulation, bad, NULL, &run.error) == DCSIM_OK, "%s", run.error.text);
  CHECK(dcsim_simulation_step(run.simulation, NULL, NULL, NULL, &run.error) == DCSIM_INFEASIBLE, "overlap");
  dcsim_simulation_get_state(run.simulation, again, NULL);
  CHECK(memcmp(again, bad, sizeof again) == 0, "a failed step changed the state");
  CHECK(dcsim_simulation_set_state(run.simulation, q, qd, &run.error) == DCSIM_OK, "%s", run.error.text);
  step(&run, NULL, NULL, NULL);
  trajectory.size = 0;
  CHECK(dcsim_simulation_get_trajectory(run.simulation, &trajectory, &run.error) == DCSIM_USAGE,
        "a struct without size");
  close_run(&run);
}

RUN_TESTS({"steps are the rollout", test_same_as_rollout}, {"a small force that lasts", test_small_force},
          {"A of free bodies in contact, with friction", test_linearization_free},
          {"A and B of an actuated arm", test_linearization_actuated}, {"A and B of forces", test_linearization_forced},
          {"impulses of forces", test_impulse}, {"A and B of steps that are divided", test_linearization_divided},
          {"forces of contact", test_contact_forces}, {"refusals", test_refusals})
