// SPDX-License-Identifier: Apache-2.0
// Jacobians of refinements for every joint: by differences, through chains, couplings, frames off the centre of mass,
// two bodies that move, and several pairs on one link.
#include "plan/refine.h"

#include "math/vector.h"
#include "plan_scene.h"

enum { MOST = 96 };

static const struct dc_draw draw = {.number = 1, .trust = 1};

static enum dc_status linearize(const struct dc_problem *problem, const double *q, double *residual, double *jacobian)
{
  struct dc_rows rows = {.residual = residual, .jacobian = jacobian};
  return problem->linearize(problem->context, q, &draw, &rows, NULL);
}

// A plate that stands or moves by `plate`; before it the corner of a box that hangs by `finger` on an arm that `arm`
// moves.  Nothing has its centre of mass at its frame's origin.  Where corners are before faces the analytical
// derivative is exact.
static struct dc_scene *make_scene(const char *plate, const char *arm, const char *finger, const char *more)
{
  char text[8192];
  snprintf(
      text, sizeof text,
      "{'problem': 'refine', 'refine': {'derivative': 'analytical', 'transport': false, 'penetration': 3, 'clearance': "
      "0.2},"
      " 'shapes': {'plate': {'type': 'box', 'size': [0.5, 0.4, 0.05]}, 'box': {'type': 'box', 'size': [0.06, 0.05, "
      "0.04]}},"
      " 'bodies': [{'name': 'plate', 'shape': 'plate', 'mass': 2, 'center_of_mass': [0.03, -0.02, 0.01], "
      "   'inertia': [0.02, 0.03, 0.04, 0.001, 0, 0], 'rotation': [0.96, 0.28, 0, 0], %s},"
      "  {'name': 'arm', 'shape': 'box', 'mass': 1, 'center_of_mass': [-0.04, 0.03, 0.05], 'inertia': [0.01, 0.01, "
      "0.01, 0, 0, 0],"
      "   'position': [0.1, 0.1, 0.4], 'rotation': [0.8, 0, 0.6, 0], %s},"
      "  {'name': 'tip', 'shape': 'box', 'mass': 1, 'center_of_mass': [0.02, 0.01, -0.01], 'inertia': [0.01, 0.01, "
      "0.01, 0, 0, 0],"
      "   'position': [0.02, -0.05, 0.13], 'rotation': [0.8, 0.36, 0.48, 0], %s}],"
      " 'pairs': [{'object': 'plate', 'object_point': [0.05, 0.02, 0.025], 'link': 'tip', 'link_point': [0.03, 0.02, "
      "-0.02]},"
      "  {'object': 'tip', 'object_point': [-0.03, 0.02, -0.02], 'link': 'plate', 'link_point': [0.01, 0.02, 0.025]}"
      "  %s]}",
      plate, arm, finger, more);
  return read_scene(text);
}

// Residual, its Jacobian against central differences along every coordinate, and the direction of descent.
static void check_derivatives(const char *name, const struct dc_scene *scene, int dimension)
{
  struct dc_refine *refine = refine_of(scene);
  const struct dc_problem *problem = dc_refine_problem(refine);
  const double h = 1e-6, sizes[DC_REFINE_GROUPS] = {1, 1, 1};
  double q[MOST], moved[MOST], residual[MOST], ahead[MOST], behind[MOST], jacobian[MOST * MOST], direction[MOST];
  double step[MOST] = {0}, largest[MOST] = {0}, worst = 0, slope = 0, value;
  int n = problem->dimension;
  CHECK(n == dimension, "%s: %d coordinates, not %d", name, n, dimension);
  dc_initial_state(&scene->model.bodies, q);
  CHECK(linearize(problem, q, residual, jacobian) == DC_OK, "evaluates");
  CHECK(problem->descend(problem->context, q, &draw, sizes, &value, direction, NULL) == DC_OK, "descends");
  for (int u = 0; u < n; u++) {
    double gradient = 0;
    step[u] = h;
    problem->retract(problem->context, q, step, moved);
    linearize(problem, moved, ahead, NULL);
    step[u] = -h;
    problem->retract(problem->context, q, step, moved);
    linearize(problem, moved, behind, NULL);
    step[u] = 0;
    for (int r = 0; r < problem->row_count; r++) {
      double derivative = jacobian[r * n + u];
      worst = larger(worst, fabs(derivative - (ahead[r] - behind[r]) / (2 * h)));
      largest[u] = larger(largest[u], fabs(derivative));
      gradient += 2 * residual[r] * derivative;
    }
    slope = larger(slope, fabs(direction[u] + gradient));
    CHECK(largest[u] > 1e-3, "%s: coordinate %d moves nothing", name, u);
  }
  printf("# %.40s: %d coordinates, Jacobian off by %.2e, direction by %.2e\n", name, n, worst, slope);
  CHECK(worst < 1e-9, "%s: off by %g", name, worst);  // seen: at most 6e-11
  CHECK(slope < 1e-13, "%s: direction off by %g", name, slope);
  dc_refine_destroy(refine);
}

static void check(const char *plate, const char *arm, const char *finger, int dimension)
{
  struct dc_scene *scene = make_scene(plate, arm, finger, "");
  check_derivatives(arm, scene, dimension);
  dc_scene_destroy(scene);
}

static const char fixed[] = "'joint': 'fixed'";
static const char hanging[] = "'parent': 'arm', 'joint': 'fixed'";

static void test_joints(void)
{
  check(fixed, "'joint': 'free'", hanging, 6);
  check(fixed, "'joint': 'hinge', 'axis': [0.1, 1, 0.3], 'anchor': [0, 0.3, 0.5], 'joint_position': [0.3]", hanging, 1);
  check(fixed, "'joint': 'slide', 'axis': [0.2, 1, -0.5], 'joint_position': [0.02]", hanging, 1);
  check(fixed, "'joint': {'type': 'universal', 'axis': [0, 1, 0], 'axis2': [1, 0, 0]}, 'anchor': [0.2, 0.3, 0.5]",
        hanging, 2);
  check(fixed, "'joint': 'ball', 'anchor': [0.2, 0.3, 0.5]", hanging, 3);
  check(fixed, "'joint': 'planar', 'axis': [0.3, 0.4, 1], 'anchor': [0.2, 0.3, 0.5]", hanging, 3);
  check(
      fixed,
      "'joint': [{'type': 'slide', 'axis': [0, 1, 1]}, {'type': 'ball', 'anchor': [0.2, 0.3, 0.5]}, {'type': 'hinge', "
      "'axis': [1, 0.2, 0], 'anchor': [0, 0.1, 0.3]}]",
      hanging, 5);
  check(fixed, "'joint': [{'type': 'planar', 'axis': [0, 0, 1]}, {'type': 'slide', 'axis': [0, 0, 1]}]",
        "'parent': 'arm', 'joint': 'ball', 'anchor': [0.05, 0, 0.2]", 7);
}

// A free root with a chain below it, and a plate that moves too: freely, or on a joint of its own.
static void test_both_move(void)
{
  static const char hinge[] = "'parent': 'arm', 'joint': 'hinge', 'axis': [1, 0.3, 0], 'anchor': [0, 0.1, 0.2]";
  check("'joint': 'free'", "'joint': 'free'", hinge, 13);
  check("'joint': 'ball', 'anchor': [0.3, 0, 0]", "'joint': 'free'", hinge, 10);
  check("'joint': 'hinge', 'axis': [0, 0.1, 1]", "'parent': 'plate', 'joint': 'fixed'", "'joint': 'free'", 7);
}

// Followers with offsets and negative factors, one of which follows a follower, on one chain and on another.
static void test_couplings(void)
{
  struct dc_scene *scene = read_scene(
      "{'problem': 'refine', 'refine': {'derivative': 'analytical', 'transport': false, 'clearance': 0.1},"
      " 'shapes': {'plate': {'type': 'box', 'size': [0.5, 0.4, 0.05]}, 'box': {'type': 'box', 'size': [0.06, 0.05, "
      "0.04]}},"
      " 'bodies': [{'name': 'plate', 'shape': 'plate', 'density': 500, 'rotation': [0.96, 0.28, 0, 0], 'joint': "
      "'slide',"
      "   'axis': [0, 0, 1], 'range': [-0.2, 0.1]},"
      "  {'name': 'root', 'shape': 'box', 'density': 500, 'joint': 'slide', 'axis': [1, 0, 0], 'position': [0, 0, "
      "0.5]},"
      "  {'name': 'middle', 'shape': 'box', 'density': 500, 'parent': 'root', 'position': [0, 0, 0.35], 'joint': "
      "'hinge',"
      "   'axis': [0.1, 1, 0.3], 'anchor': [0, 0, 0.4], 'range': [-0.7, 0.1]},"
      "  {'name': 'tip', 'shape': 'box', 'density': 500, 'parent': 'middle', 'position': [0.02, -0.05, 0.17],"
      "   'rotation': [0.8, 0.36, 0.48, 0], 'joint': 'hinge', 'axis': [1, 0, 0.2], 'anchor': [0, 0, 0.25]}],"
      " 'couplings': [{'body': 'plate', 'to': 'tip', 'multiplier': 0.25, 'offset': -0.01},"
      "  {'body': 'tip', 'to': 'middle', 'multiplier': -1.5, 'offset': 0.2}],"
      " 'pairs': [{'object': 'plate', 'object_point': [0.05, 0.02, 0.025], 'link': 'tip', 'link_point': [0.03, 0.02, "
      "-0.02]}]}");
  struct dc_refine *refine = refine_of(scene);
  const struct dc_problem *problem = dc_refine_problem(refine);
  const struct dc_bodies *bodies = &scene->model.bodies;
  const int plate = bodies->bodies[0].q_offset, middle = bodies->bodies[2].q_offset, tip = bodies->bodies[3].q_offset;
  double q[MOST], step[2] = {0}, gradient[2] = {0};
  bool held[2];
  check_derivatives("couplings", scene, 2);
  // plate = 0.25 tip - 0.01 = -0.375 middle + 0.04: its range lets middle go from -0.16 to 0.64, its own to 0.1
  for (int side = -1; side <= 1; side += 2) {
    double bound = side < 0 ? -0.16 : 0.1;
    dc_initial_state(bodies, q);
    step[1] = 5 * side;
    problem->retract(problem->context, q, step, q);
    CHECK_NEAR(q[middle], bound, 1e-15);
    CHECK_NEAR(q[tip], 0.2 - 1.5 * bound, 1e-15);
    CHECK_NEAR(q[plate], 0.04 - 0.375 * bound, 1e-15);
    gradient[1] = -side;
    problem->hold(problem->context, q, gradient, held);
    CHECK(held[1] && !held[0], "held at %g", bound);
    gradient[1] = side;
    problem->hold(problem->context, q, gradient, held);
    CHECK(!held[1], "free to leave %g", bound);
  }
  struct dc_random random;
  dc_random_seed(&random, 3);
  for (int attempt = 1; attempt < 20; attempt++) {
    double moved[MOST];
    problem->restart(problem->context, q, attempt, &random, moved);
    CHECK_NEAR(moved[tip], 0.2 - 1.5 * moved[middle], 1e-15);
    CHECK_NEAR(moved[plate], 0.04 - 0.375 * moved[middle], 1e-15);
    CHECK(moved[middle] >= -0.16 - 1e-15 && moved[middle] <= 0.1, "%g", moved[middle]);
  }
  dc_refine_destroy(refine);
  dc_scene_destroy(scene);
}

// Two links of one hand, and one pair twice: as good as any.
static void test_two_links(void)
{
  struct dc_scene *scene = make_scene(
      "'parent': 'arm', 'joint': 'hinge', 'axis': [0, 1, 0.2], 'anchor': [0, 0, 0.3]", "'joint': {'type': 'free'}",
      "'parent': 'arm', 'joint': 'slide', 'axis': [0, 0, 1]",
      ", {'object': 'plate', 'object_point': [0.05, 0.02, 0.025], 'link': 'tip', 'link_point': [0.03, 0.02, -0.02]}");
  struct dc_refine *refine = refine_of(scene);
  const struct dc_problem *problem = dc_refine_problem(refine);
  double q[MOST], residual[MOST], jacobian[MOST * MOST], together = 0, apart = 0;
  dc_initial_state(&scene->model.bodies, q);
  linearize(problem, q, residual, jacobian);
  CHECK(problem->dimension == 8 && problem->row_count >= 27, "%d by %d", problem->row_count, problem->dimension);
  // distances do not change where the whole hand moves: nor does what the residuals' lengths follow from
  for (int pair = 0; pair < 3; pair++)
    for (int part = 0; part < 3; part++)
      for (int u = 0; u < 8; u++) {
        double change = 0;
        for (int i = 0; i < 3; i++) {
          int row = 9 * pair + 3 * part + i;
          change += residual[row] * jacobian[row * 8 + u];
        }
        *(u < 6 ? &together : &apart) = larger(u < 6 ? together : apart, fabs(change));
      }
  printf("# the whole hand changes distances by %.1e, its joints by %.1e\n", together, apart);
  CHECK(together < 1e-16 && apart > 1e-4, "%g %g", together, apart);  // seen: 2e-17
  for (int row = 0; row < 9; row++)
    CHECK(residual[row] == residual[18 + row], "row %d", row);
  dc_refine_destroy(refine);
  dc_scene_destroy(scene);
}

// A hand that begins anew does so, the first time, where the corner of its finger stands on the plate, which is then
// the witness point: without a single query.
static void test_aligned(void)
{
  static const char *const margins[] = {"0", "0.01"};
  for (int i = 0; i < 2; i++) {
    char text[4096];
    snprintf(text, sizeof text,
             "{'problem': 'refine', 'refine': {'margin': %s}, 'shapes': {'plate': {'type': 'box', 'size': [0.5, 0.4, "
             "0.05]}, 'box': {'type': 'box', 'size': [0.06, 0.05, 0.04]}}, 'bodies': [{'name': 'plate', 'shape': "
             "'plate', 'joint': 'fixed', 'rotation': [0.96, 0.28, 0, 0]}, {'name': 'arm', 'shape': 'box', 'density': "
             "500, 'position': [0.1, 0.1, 0.4], 'rotation': [0.8, 0, 0.6, 0]}, {'name': 'tip', 'shape': 'box', "
             "'density': 500, 'parent': 'arm', 'joint': 'hinge', 'axis': [0, 1, 0.2], 'anchor': [0, 0, 0.05], "
             "'position': [0, 0, 0.1]}], 'pairs': [{'object': 'plate', 'object_point': [0.05, 0.02, 0.025], 'link': "
             "'tip', 'link_point': [0.03, 0.025, -0.02]}]}",
             margins[i]);
    struct dc_scene *scene = read_scene(text);
    struct dc_refine *refine = refine_of(scene);
    const struct dc_problem *problem = dc_refine_problem(refine);
    struct dc_refine_contact_state contacts[3];
    struct dc_refine_state before, after;
    struct dc_random random;
    double q[MOST], aligned[MOST];
    dc_random_seed(&random, 1);
    dc_initial_state(&scene->model.bodies, q);
    CHECK(problem->dimension == 7 && dc_refine_contact_count(refine) <= 3, "%d coordinates", problem->dimension);
    problem->restart(problem->context, q, 1, &random, aligned);
    CHECK(dc_refine_counts(refine).derivatives == 0 && dc_refine_counts(refine).restarts == 1,
          "asks for no derivatives");
    dc_refine_inspect(refine, q, &before, contacts);
    dc_refine_inspect(refine, aligned, &after, contacts);
    printf("# off by %.2e m before, by %.1e m after\n", before.largest_error, after.largest_error);
    CHECK(before.largest_error > 0.05 && after.largest_error < 1e-6, "%g", after.largest_error);
    CHECK(after.success, "nothing overlaps");
    dc_refine_destroy(refine);
    dc_scene_destroy(scene);
  }
}

// Two boxes whose corners belong on a plate begin in each other: the first time that it begins anew the targets are on
// each other and nothing overlaps.
static void test_begin_apart(void)
{
  struct dc_scene *scene = read_scene(
      "{'problem': 'refine', 'refine': {'penetration': 1, 'clearance': 0.001},"
      " 'shapes': {'plate': {'type': 'box', 'size': [0.5, 0.4, 0.05]}, 'box': {'type': 'box', 'size': [0.06, 0.05, "
      "0.04]}},"
      " 'bodies': [{'name': 'plate', 'shape': 'plate', 'joint': 'fixed'},"
      "  {'name': 'left', 'shape': 'box', 'position': [-0.02, 0, 0.07], 'rotation': [0.969, -0.175, 0.175, 0]},"
      "  {'name': 'right', 'shape': 'box', 'position': [0, 0.02, 0.07], 'rotation': [0.969, -0.175, 0.175, 0]}],"
      " 'pairs': [{'object': 'plate', 'object_point': [-0.005, 0, 0.025], 'link': 'left', 'link_point': [0.03, 0.025, "
      "-0.02]},"
      "  {'object': 'plate', 'object_point': [0.005, 0, 0.025], 'link': 'right', 'link_point': [0.03, 0.025, "
      "-0.02]}]}");
  struct dc_refine *refine = refine_of(scene);
  const struct dc_problem *problem = dc_refine_problem(refine);
  struct dc_refine_contact_state contacts[3];
  struct dc_refine_state before, after;
  double q[MOST], point[MOST];
  struct dc_random random;
  dc_initial_state(&scene->model.bodies, q);
  dc_refine_inspect(refine, q, &before, contacts);
  CHECK(before.overlap > 1e-3, "they begin in each other: %g", before.overlap);
  dc_random_seed(&random, 1);
  problem->restart(problem->context, q, 1, &random, point);
  dc_refine_inspect(refine, point, &after, contacts);
  for (int c = 0; c < 2; c++) {
    double off = dc_vec_distance(contacts[c].target[0], contacts[c].target[1]), depth = -contacts[c].witness.distance;
    printf("# targets off by %.1e, plate entered by %.1e\n", off, depth);
    CHECK(off < 1e-6 && depth < 1e-6, "target %d is off by %g, the plate entered by %g", c, off, depth);
  }
  CHECK(after.overlap == 0, "they overlap by %g", after.overlap);
  dc_refine_destroy(refine);
  dc_scene_destroy(scene);
}

RUN_TESTS({"Jacobians of every joint", test_joints}, {"two bodies that move", test_both_move},
          {"couplings: Jacobian, bounds, restarts", test_couplings}, {"pairs of two links", test_two_links},
          {"targets laid on each other", test_aligned}, {"bodies that begin in each other", test_begin_apart})
