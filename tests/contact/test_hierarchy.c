// SPDX-License-Identifier: Apache-2.0
// The hierarchical potential against an independent recursion over the sphere trees with the paper's own pair solver,
// the inequality it rests on, and the four properties of paper 000, section 3.2.
#include "bench/pairs.h"
#include "contact/contact_scene.h"
#include "geometry/mesh/triangle.h"

static const char *const ball = "sphere radius=0.2 level=1", *const coarse_ball = "sphere radius=0.2 level=0";
static const char *const rod = "box size=0.1,0.08,0.7 divisions=1,1,5", *const cube =
                                                                            "box size=0.3,0.25,0.2 divisions=2,2,2";
static const char *const floor_plate = "box size=3,3,0.2 divisions=8,8,1";
static const char *const slivers = "cylinder radius=0.1 height=1 sides=5",
                         *const pill = "capsule radius=0.1 height=0.3 sides=6 rings=2";

// One body pair seen by the recursion below.
struct recursion {
  const struct dc_contact *contact;
  const struct dc_collider *a, *b;
  double arm[3], epsilon, length, offset;
  bool paper;
  int checked, violations;  // node pairs whose children's sum was held against the centred term
  double worst;             // smallest (sum - centred) / centred
};

static struct recursion recursion_of(const struct dc_contact *contact, const struct dc_pose *poses)
{
  struct recursion r = {.contact = contact,
                        .a = &contact->colliders[0],
                        .b = &contact->colliders[1],
                        .epsilon = contact->settings.blend,
                        .length = contact->settings.length,
                        .offset = contact->settings.offset ? 12 : 0,
                        .paper = contact->settings.weights == DC_WEIGHTS_PAPER,
                        .worst = INFINITY};
  dc_vec_sub(r.arm, poses[0].position, poses[1].position);
  return r;
}

static void turn_both(struct dc_contact *contact, const struct dc_pose *poses)
{
  for (int i = 0; i < 2; i++)
    dc_collider_turn(&contact->colliders[i], &poses[i]);
}

static double node_distance(const struct recursion *r, int i, int j)
{
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = r->a->spheres[i][k] + r->arm[k] - r->b->spheres[j][k];
  return dc_vec_norm(d);
}

// 12 (1 + sqrt(l / rho))^2 - 12, weighted
static double centred_term(const struct recursion *r, int i, int j)
{
  double distance = node_distance(r, i, j);
  double rho = sqrt(distance * distance + r->a->tree.spread[i] + r->b->tree.spread[j]),
         root = 1 + sqrt(r->length / rho);
  return r->a->tree.weight[i] * r->b->tree.weight[j] * (12 * root * root - 12 + r->offset);
}

static double exact_term(const struct recursion *r, int i, int j)
{
  const int *s = r->a->triangles[r->a->tree.triangle[i]], *t = r->b->triangles[r->b->tree.triangle[j]];
  double x[6][3], plane[4] = {0, 0, 0, 0}, energy;
  for (int v = 0; v < 3; v++) {
    dc_vec_copy(x[v], r->a->turned[s[v]]);
    dc_vec_sub(x[3 + v], r->b->turned[t[v]], r->arm);
  }
  scene_need(&(struct scene){.arena = NULL},
             dc_paper_pair((const double(*)[3])x, r->length, 0, plane, &energy, NULL, NULL) >= 0,
             "the paper's solver did not converge");
  return r->a->tree.weight[i] * r->b->tree.weight[j] * (energy + r->offset);
}

static double blended(struct recursion *r, int i, int j);

// The sum over the children of the larger node, or the exact potential of two leaves; held against the centred term.
static double finer(struct recursion *r, int i, int j)
{
  int right_i = r->a->tree.right[i], right_j = r->b->tree.right[j];
  double sum;
  if (right_i < 0 && right_j < 0)
    sum = exact_term(r, i, j);
  else if (right_j < 0 || (right_i >= 0 && r->a->tree.radius[i] >= r->b->tree.radius[j]))
    sum = blended(r, i + 1, j) + blended(r, right_i, j);
  else
    sum = blended(r, i, j + 1) + blended(r, i, right_j);
  if (r->paper && node_distance(r, i, j) < r->a->tree.radius[i] + r->b->tree.radius[j])
    return sum;
  double relative = sum / centred_term(r, i, j) - 1;
  r->checked++;
  r->violations += relative < -1e-12;
  r->worst = fmin(r->worst, relative);
  return sum;
}

// (1 - phi) A + phi C, phi = Phi((r - d1) / (d2 - d1)), Phi = 6t^5 - 15t^4 + 10t^3
static double blended(struct recursion *r, int i, int j)
{
  double d1 = r->a->tree.radius[i] + r->b->tree.radius[j], d2 = (1 + r->epsilon) * d1,
         distance = node_distance(r, i, j);
  if (distance >= d2)
    return centred_term(r, i, j);
  double sum = finer(r, i, j), t = (distance - d1) / (d2 - d1);
  if (distance <= d1)
    return sum;
  double phi = 6 * pow(t, 5) - 15 * pow(t, 4) + 10 * pow(t, 3);
  return (1 - phi) * sum + phi * centred_term(r, i, j);
}

// Random rotations; the origins apart by a distance spread over 0.01 .. most of the sum of the radii.
static void random_poses(struct dc_random *random, const struct dc_contact *contact, double least, double most,
                         struct dc_pose poses[2])
{
  double direction[3];
  random_direction(random, direction);
  pose_random_rotation(random, &poses[0]);
  pose_random_rotation(random, &poses[1]);
  for (int k = 0; k < 3; k++)
    poses[1].position[k] = between(random, -1, 1);
  double reach = contact->colliders[0].radius + contact->colliders[1].radius;
  dc_vec_add_scaled(poses[0].position, poses[1].position, reach * exp(between(random, log(least), log(most))),
                    direction);
}

static const char *const pairs_of_shapes[][2] = {
    {"sphere radius=0.2 level=1", "sphere radius=0.2 level=0"},
    {"sphere radius=0.05 level=1", "box size=3,3,0.2 divisions=8,8,1"},
    {"box size=0.1,0.08,0.7 divisions=1,1,5", "box size=0.3,0.25,0.2 divisions=2,2,2"},
    {"cylinder radius=0.1 height=1 sides=5", "capsule radius=0.1 height=0.3 sides=6 rings=2"}};
enum { SHAPE_PAIRS = sizeof pairs_of_shapes / sizeof *pairs_of_shapes };

static const char *const settings_of[] = {"weights=consistent blend=0.2",
                                          "weights=consistent blend=1 offset=true length=0.1",
                                          "weights=paper blend=0.2", "weights=paper blend=0.5 offset=true"};
enum { SETTINGS = sizeof settings_of / sizeof *settings_of };

// The energy is the recursion's, and lies between the root's centred term and the sum of all pairs (the inequality at
// every node, consistent weights).
static void test_energy(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  double worst = 0;
  int finite = 0;
  for (int s = 0; s < SHAPE_PAIRS; s++) {
    struct scene scene;
    scene_pair(&scene, pairs_of_shapes[s][0], pairs_of_shapes[s][1]);
    for (int k = 0; k < SETTINGS; k++) {
      struct dc_contact *bsh = scene_contact(&scene, "bsh", settings_of[k]),
                        *exact = scene_contact(&scene, "exact", settings_of[k]);
      for (int i = 0; i < 12; i++) {
        struct dc_pair_derivatives result, all;
        random_poses(&random, bsh, 0.4, 3, scene.poses);
        double energy = dc_contact_evaluate(bsh, scene.poses, 0, &result),
               sum = dc_contact_evaluate(exact, scene.poses, 0, &all);
        struct recursion r = recursion_of(bsh, scene.poses);
        double expected = blended(&r, 0, 0);
        CHECK(isinf(energy) == isinf(expected) && isinf(energy) == isinf(sum), "%g %g %g", energy, expected, sum);
        if (isinf(energy) || isinf(expected))
          continue;
        finite++;
        worst = larger(worst, fabs(energy / expected - 1));
        CHECK(r.violations == 0, "%s %s %s: worst %g", pairs_of_shapes[s][0], pairs_of_shapes[s][1], settings_of[k],
              r.worst);
        if (!r.paper)
          CHECK(energy <= sum * (1 + 1e-12) && energy >= centred_term(&r, 0, 0) * (1 - 1e-12), "%g of %g", energy, sum);
      }
    }
    scene_end(&scene);
  }
  CHECK(finite > 100, "%d", finite);
  CHECK(worst < 1e-11, "%g", worst);  // observed 3e-13: the paper's solver
  printf("# energy against the recursion: %.1e over %d poses\n", worst, finite);
}

// The children's sum is nowhere below the centred term: at any distance, overlapping bodies included, with consistent
// weights; from d1 on with the paper's.
static void test_inequality(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  const char *bodies[] = {ball, coarse_ball, rod, cube, floor_plate, slivers, pill};
  enum { BODIES = sizeof bodies / sizeof *bodies };
  double worst = INFINITY;
  int checked = 0;
  for (int s = 0; s < 12; s++) {
    struct scene scene;
    int first = s % BODIES, second = s < BODIES ? 4 : (int)(dc_random_bits(&random) % BODIES);
    scene_pair(&scene, bodies[first], bodies[second]);
    for (int k = 0; k < SETTINGS; k++) {
      struct dc_contact *bsh = scene_contact(&scene, "bsh", settings_of[k]);
      for (int i = 0; i < 60; i++) {
        random_poses(&random, bsh, 0.01, 3, scene.poses);
        turn_both(bsh, scene.poses);
        struct recursion r = recursion_of(bsh, scene.poses);
        finer(&r, (int)(dc_random_bits(&random) % (uint64_t)r.a->tree.node_count),
              (int)(dc_random_bits(&random) % (uint64_t)r.b->tree.node_count));
        CHECK(r.violations == 0, "%s %s %s: %d of %d, worst %g", bodies[first], bodies[second], settings_of[k],
              r.violations, r.checked, r.worst);
        checked += r.checked;
        worst = fmin(worst, r.worst);
      }
    }
    scene_end(&scene);
  }
  CHECK(checked > 10000, "%d", checked);
  printf("# children's sum over centred term - 1: at least %.1e in %d node pairs\n", worst, checked);
}

// Every node's sphere encloses its triangles and its children's spheres; weight, centre and spread are those of its
// leaves.
static void check_nodes(const struct dc_collider *c, bool paper, int node, int *leaves, int *count)
{
  const struct dc_sphere_tree *tree = &c->tree;
  int own = *count;
  if (tree->right[node] < 0) {
    leaves[(*count)++] = tree->triangle[node];
  } else {
    check_nodes(c, paper, node + 1, leaves, count);
    check_nodes(c, paper, tree->right[node], leaves, count);
    double least = 0;
    int children[2] = {node + 1, tree->right[node]};
    for (int k = 0; k < 2; k++)
      least = larger(least, dc_vec_distance(tree->center[node], tree->center[children[k]]) + tree->radius[children[k]]);
    CHECK_NEAR(tree->radius[node], least, 1e-15);
  }
  double weight = 0, mean[3] = {0, 0, 0}, square = 0;
  for (int i = own; i < *count; i++)
    weight += c->leaf_weight[leaves[i]];
  for (int i = own; i < *count; i++)
    for (int v = 0; v < 3; v++) {
      const double *x = c->vertices[c->triangles[leaves[i]][v]];
      dc_vec_add_scaled(mean, mean, c->leaf_weight[leaves[i]] / (3 * weight), x);
      CHECK(dc_vec_distance(x, tree->center[node]) <= tree->radius[node] * (1 + 1e-12), "node %d", node);
    }
  for (int i = own; i < *count; i++) {
    double centroid[3] = {0, 0, 0};
    for (int v = 0; v < 3; v++)
      dc_vec_add_scaled(centroid, centroid, 1.0 / 3, c->vertices[c->triangles[leaves[i]][v]]);
    square += c->leaf_weight[leaves[i]] * pow(dc_vec_distance(centroid, mean), 2) / weight;
  }
  CHECK_NEAR(tree->weight[node], paper ? 1 : weight, 1e-13);
  CHECK_NEAR(tree->spread[node], paper ? 0 : square, 1e-14);
  if (!paper)
    CHECK(dc_vec_distance(mean, tree->center[node]) < 1e-14, "node %d", node);
}

static void test_trees(void)
{
  const char *bodies[] = {ball, rod, floor_plate, slivers, pill};
  for (size_t s = 0; s < sizeof bodies / sizeof *bodies; s++)
    for (int paper = 0; paper < 2; paper++) {
      struct scene scene;
      int leaves[2000], count = 0;
      scene_pair(&scene, bodies[s], cube);
      struct dc_contact *contact = scene_contact(&scene, "bsh", paper ? "weights=paper" : "");
      const struct dc_collider *c = &contact->colliders[0];
      check_nodes(c, paper, 0, leaves, &count);
      CHECK(count == c->triangle_count && c->tree.node_count == 2 * count - 1, "%d", count);
      if (!paper)
        CHECK_NEAR(c->tree.weight[0], 1, 1e-12);
      scene_end(&scene);
    }
}

// Fixed bodies weigh by the mean surface of the movable ones, or by the area that is set.
static void test_reference_area(void)
{
  struct scene scene;
  scene_start(&scene);
  scene_body(&scene, false, "box size=1,1,1");
  scene_body(&scene, false, "box size=2,1,1");
  scene_body(&scene, true, "box size=4,4,4 divisions=3,3,3");
  scene_finish(&scene);
  struct dc_contact *mean = scene_contact(&scene, "bsh", ""), *set = scene_contact(&scene, "bsh", "reference_area=24");
  CHECK_NEAR(mean->colliders[0].tree.weight[0], 1, 1e-14);
  CHECK_NEAR(mean->colliders[1].tree.weight[0], 1, 1e-14);
  CHECK_NEAR(mean->colliders[2].tree.weight[0], 96 / 8.0, 1e-13);
  CHECK_NEAR(set->colliders[2].tree.weight[0], 4, 1e-13);
  scene_end(&scene);
}

static bool surfaces_meet(const struct dc_contact *contact, const struct dc_pose *poses)
{
  const struct dc_collider *a = &contact->colliders[0], *b = &contact->colliders[1];
  double x[3][3], y[3][3], normal[3], arm[3];
  dc_vec_sub(arm, poses[0].position, poses[1].position);
  for (int i = 0; i < a->triangle_count; i++)
    for (int j = 0; j < b->triangle_count; j++) {
      for (int v = 0; v < 3; v++) {
        dc_vec_add(x[v], a->turned[a->triangles[i][v]], arm);
        dc_vec_copy(y[v], b->turned[b->triangles[j][v]]);
      }
      if (dc_triangle_separation((const double(*)[3])x, (const double(*)[3])y, 0, normal) <= 0)
        return true;
    }
  return false;
}

static void test_barrier(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  int meeting = 0, apart = 0, inside = 0;
  const char *shapes[][2] = {{ball, cube}, {rod, slivers}, {"sphere radius=0.05", "box size=1,1,1"}};
  for (int s = 0; s < 3; s++) {
    struct scene scene;
    scene_pair(&scene, shapes[s][0], shapes[s][1]);
    struct dc_contact *contacts[] = {scene_contact(&scene, "bsh", ""), scene_contact(&scene, "exact", ""),
                                     scene_contact(&scene, "bsh", "weights=paper blend=1")};
    for (int i = 0; i < 100; i++) {
      struct dc_pair_derivatives result;
      int pair;
      double depth;
      random_poses(&random, contacts[0], s == 2 ? 0.05 : 0.3, 1.1, scene.poses);
      turn_both(contacts[0], scene.poses);
      bool meet = surfaces_meet(contacts[0], scene.poses), overlap;
      for (int k = 0; k < 3; k++) {
        double energy = dc_contact_evaluate(contacts[k], scene.poses, 2, &result);
        CHECK(isinf(energy) == meet && energy > 0 && isinf(result.energy) == meet, "%g", energy);
        CHECK((dc_contact_min_gap(contacts[k]) == 0) == meet, "%g", dc_contact_min_gap(contacts[k]));
      }
      overlap = dc_contact_overlap(contacts[0], scene.poses, &pair, &depth);
      double d[3], local[3];
      dc_vec_sub(d, scene.poses[0].position, scene.poses[1].position);
      dc_mat_apply_transposed(local, scene.poses[1].rotation, d);
      bool contained = s == 2 && !meet && fmax(fabs(local[0]), fmax(fabs(local[1]), fabs(local[2]))) < 0.5;
      CHECK(overlap == (meet || contained), "overlap %d, surfaces meet %d", overlap, meet);
      CHECK(!overlap || (pair == 0 && depth >= 0), "pair %d, depth %g", pair, depth);
      meeting += meet;
      apart += !overlap;
      inside += contained;
    }
    scene_end(&scene);
  }
  CHECK(meeting > 50 && apart > 30 && inside > 20, "%d %d %d", meeting, apart, inside);
}

static double hessian_jump(struct dc_contact *contact, const struct dc_pose poses[2], const double direction[3],
                           double step, int blends[2])
{
  struct dc_pair_derivatives sides[2];
  for (int side = 0; side < 2; side++) {
    struct dc_pose moved[2] = {poses[0], poses[1]};
    dc_vec_add_scaled(moved[0].position, poses[0].position, side ? step : -step, direction);
    if (isinf(dc_contact_evaluate(contact, moved, 2, &sides[side])))
      return NAN;
    blends[side] = (int)contact->pairs[0].counts.blends;
  }
  double most = 0, jump = 0;
  for (int e = 0; e < DC_HESSIAN; e++) {
    jump = larger(jump, fabs(sides[1].hessian[e] - sides[0].hessian[e]));
    most = larger(most, fabs(sides[1].hessian[e]));
  }
  return jump / most;
}

// The Hessian at both sides of r = d1 and r = d2 of node pairs that count: its jump falls with the distance between
// the two.
static void test_smoothness(void)
{
  struct dc_random random;
  dc_random_seed(&random, 4);
  int crossed[2] = {0, 0};
  double worst = 0;
  for (int s = 0; s < SHAPE_PAIRS; s++) {
    struct scene scene;
    scene_pair(&scene, pairs_of_shapes[s][0], pairs_of_shapes[s][1]);
    for (int k = 0; k < SETTINGS; k++) {
      struct dc_contact *bsh = scene_contact(&scene, "bsh", settings_of[k]);
      const struct dc_sphere_tree *a = &bsh->colliders[0].tree, *b = &bsh->colliders[1].tree;
      for (int sample = 0; sample < 120; sample++) {
        random_poses(&random, bsh, 0.5, 2, scene.poses);
        turn_both(bsh, scene.poses);
        int i = 0, j = 0, depth = (int)(dc_random_bits(&random) % 10), outer = sample & 1, blends[2];
        for (int level = 0; level < depth; level++) {
          if (b->right[j] < 0 || (a->right[i] >= 0 && a->radius[i] >= b->radius[j]))
            i = a->right[i] < 0 ? i : (dc_random_bits(&random) & 1 ? i + 1 : a->right[i]);
          else
            j = dc_random_bits(&random) & 1 ? j + 1 : b->right[j];
        }
        double d[3], e[3], size = a->radius[i] + b->radius[j], r = size * (outer ? 1 + bsh->settings.blend : 1);
        for (int m = 0; m < 3; m++)
          d[m] = bsh->colliders[0].spheres[i][m] - bsh->colliders[1].spheres[j][m];
        random_direction(&random, e);
        for (int m = 0; m < 3; m++)
          scene.poses[0].position[m] = scene.poses[1].position[m] - d[m] + r * e[m];
        int coarse_blends[2];
        double coarse = hessian_jump(bsh, scene.poses, e, 1e-4 * size, coarse_blends);
        double fine = hessian_jump(bsh, scene.poses, e, 1e-7 * size, blends);
        if (!isfinite(coarse) || blends[0] == blends[1] || dc_contact_min_gap(bsh) < 1e-2 * size)
          continue;  // touching, or a pair that an ancestor already covers
        crossed[outer]++;
        worst = larger(worst, fine);
        // A jump would not fall with the distance; rounding of positions leaves 1e-15 / 1e-7.
        CHECK(fine < 1e-2 * coarse + 1e-7, "%s r = d%d: %g at 1e-4, %g at 1e-7", settings_of[k], 1 + outer, coarse,
              fine);
      }
    }
    scene_end(&scene);
  }
  CHECK(crossed[0] > 100 && crossed[1] > 100, "%d %d", crossed[0], crossed[1]);
  printf("# jump of the Hessian 1e-7 from a boundary: %.1e (%d + %d boundaries)\n", worst, crossed[0], crossed[1]);
}

// Paper 000, Eq. 2 for convex bodies: the force on a is in the cone of hull(a) - hull(b), that is f.v >= 0 for every
// v that separates a from b.
static void test_cone(void)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  const char *shapes[][2] = {{ball, cube}, {rod, cube}, {rod, slivers}, {coarse_ball, floor_plate}};
  int separating = 0;
  double least = INFINITY;
  for (int s = 0; s < 4; s++) {
    struct scene scene;
    scene_pair(&scene, shapes[s][0], shapes[s][1]);
    struct dc_contact *contacts[] = {scene_contact(&scene, "bsh", ""), scene_contact(&scene, "exact", ""),
                                     scene_contact(&scene, "bsh", "weights=paper"),
                                     scene_contact(&scene, "bsh", "weights=paper offset=true blend=0.05")};
    for (int i = 0; i < 25; i++) {
      struct dc_pair_derivatives results[4];
      double direction[3];
      pose_random_rotation(&random, &scene.poses[0]);
      pose_random_rotation(&random, &scene.poses[1]);
      random_direction(&random, direction);
      double touch = touching_distance(contacts[0], scene.poses, direction);
      dc_vec_add_scaled(scene.poses[0].position, scene.poses[1].position,
                        touch + exp(between(&random, log(1e-3), log(0.5))), direction);
      for (int k = 0; k < 4; k++)
        CHECK(isfinite(dc_contact_evaluate(contacts[k], scene.poses, 1, &results[k])), "%s", shapes[s][0]);
      for (int sample = 0; sample < 200; sample++) {
        double v[3], low = INFINITY, high = -INFINITY;
        const struct dc_collider *a = &contacts[0]->colliders[0], *b = &contacts[0]->colliders[1];
        random_direction(&random, v);
        dc_vec_add_scaled(v, direction, between(&random, 0, 1.5), v);
        dc_vec_scale(v, v, 1 / dc_vec_norm(v));
        for (int n = 0; n < a->vertex_count; n++)
          low = fmin(low, dc_vec_dot(v, a->turned[n]) + dc_vec_dot(v, results[0].arm));
        for (int n = 0; n < b->vertex_count; n++)
          high = larger(high, dc_vec_dot(v, b->turned[n]));
        if (low <= high)
          continue;
        separating++;
        for (int k = 0; k < 4; k++) {
          double along = -dc_vec_dot(v, results[k].gradient + 3) / dc_vec_norm(results[k].gradient + 3);
          least = fmin(least, along);
          CHECK(along > 0, "%s: force %g along a separating normal", shapes[s][0], along);
        }
      }
    }
    scene_end(&scene);
  }
  CHECK(separating > 1000, "%d", separating);
  printf("# force along %d separating normals: at least %.1e of its size\n", separating, least);
}

// At 500 radii the force is that of one centred term about the roots: 12 (sqrt(l) / r^(3/2) + l / r^2) with the
// paper's weights, nearly with the others.
static void test_far_force(void)
{
  struct scene scene;
  scene_pair(&scene, ball, rod);
  for (int k = 0; k < SETTINGS; k++)
    for (int exact = 0; exact < 2; exact++) {
      struct dc_contact *contact = scene_contact(&scene, exact ? "exact" : "bsh", settings_of[k]);
      struct dc_pair_derivatives result;
      double r = 500 * contact->colliders[1].radius, length = contact->settings.length;
      scene.poses[0].position[0] = r;
      dc_contact_evaluate(contact, scene.poses, 1, &result);
      double expected = 12 * (sqrt(length / r) + length / r) / r;
      if (contact->settings.weights == DC_WEIGHTS_PAPER && exact)
        expected *= contact->colliders[0].triangle_count * contact->colliders[1].triangle_count;
      CHECK_NEAR(-result.gradient[3] / expected, 1, 1e-5);  // observed 3e-6: the spread
      CHECK_NEAR(result.gradient[4] / expected, 0, 1e-5);
      CHECK(result.radial == !exact, "%d", result.radial);
    }
  scene_end(&scene);
}

// Plates so close that every pair of nodes is within the sum of its radii: no term is centred or blended, bsh is the
// sum of all pairs.
static void test_no_blending(void)
{
  struct scene scene;
  scene_pair(&scene, "box size=1,1,0.01", "box size=1,1,0.01");
  scene.poses[0].position[2] = 0.02;
  for (int k = 0; k < SETTINGS; k++) {
    struct dc_contact *bsh = scene_contact(&scene, "bsh", settings_of[k]),
                      *exact = scene_contact(&scene, "exact", settings_of[k]);
    struct dc_pair_derivatives result, all;
    dc_contact_evaluate(bsh, scene.poses, 2, &result);
    dc_contact_evaluate(exact, scene.poses, 2, &all);
    struct dc_contact_counts counts = dc_contact_last_counts(bsh);
    CHECK(counts.exact == 144 && counts.centred == 0 && bsh->pairs[0].counts.blends == 1, "%ld %ld", counts.exact,
          counts.centred);
    CHECK_NEAR(result.energy / all.energy, 1, 1e-14);
    for (int i = 0; i < 6; i++)
      CHECK_NEAR(result.gradient[i], all.gradient[i], 1e-13 * dc_vec_norm(all.gradient + 3));
    for (int e = 0; e < DC_HESSIAN; e++)
      CHECK_NEAR(result.hessian[e], all.hessian[e], 1e-12 * all.hessian[20]);
    // A lower bound: the planes of pairs that face each other askance are tilted.  Observed 0.0083.
    CHECK(dc_contact_min_gap(bsh) > 0.005 && dc_contact_min_gap(bsh) <= 0.01, "%g", dc_contact_min_gap(bsh));
  }
  scene_end(&scene);
}

// A contact of the scene's bodies whose vertices come from those of start (NULL: they do not), made with a former one.
static struct dc_contact *contact_after(struct scene *scene, const struct dc_contact *like,
                                        const struct dc_bodies *start, const struct dc_contact *former)
{
  struct dc_contact *contact =
      dc_contact_create_following(like->model, &like->settings, &scene->bodies, start, NULL, former, &scene->error);
  scene_need(scene, contact, "contact");
  scene->contacts[scene->contact_count++] = contact;
  return contact;
}

static void check_same_bits(const struct scene *scene, struct dc_contact *one, struct dc_contact *other,
                            const char *what)
{
  struct dc_pair_derivatives results[2];
  double energy = dc_contact_evaluate(one, scene->poses, 2, &results[0]);
  CHECK(dc_contact_last_counts(one).centred > 0, "%s: trees are used", what);
  CHECK(dc_contact_evaluate(other, scene->poses, 2, &results[1]) == energy, "%s: energy", what);
  CHECK(memcmp(results[0].gradient, results[1].gradient, sizeof results[0].gradient) == 0 &&
            memcmp(results[0].hessian, results[1].hessian, sizeof results[0].hessian) == 0,
        "%s: derivatives", what);
}

// Trees that a contact takes from the body or the contact before are those that it would have made: of bodies with one
// shape and different centres of mass, of bodies that were others, of vertices that moved.
static void test_known_trees(void)
{
  struct scene scene;
  struct dc_body start_bodies[2];
  const char *box = "box size=0.5,0.5,0.5 divisions=4,4,4";  // shifts are exact: weights stay the same
  scene_pair(&scene, box, box);
  struct dc_body *bodies = scene.bodies.bodies;
  struct dc_bodies start = scene.bodies;
  scene.poses[0].position[0] = 0.75;
  bodies[1].center[1] += 0.0625;
  struct dc_contact *own = scene_contact(&scene, "bsh", "");
  const struct dc_shape *shape = bodies[1].shape;
  bodies[1].shape = bodies[0].shape;
  check_same_bits(&scene, own, scene_contact(&scene, "bsh", ""), "one shape");
  bodies[1].shape = shape;
  bodies[0].center[2] -= 0.03125;
  check_same_bits(&scene, contact_after(&scene, own, NULL, NULL), contact_after(&scene, own, NULL, own),
                  "another centre");

  memcpy(start_bodies, bodies, sizeof start_bodies);
  start.bodies = start_bodies;
  struct dc_contact *former = contact_after(&scene, own, &start, NULL);
  struct dc_shape grown = *bodies[0].shape;
  double(*vertices)[3] = dc_arena_alloc(scene.arena, (size_t)grown.mesh.vertex_count, sizeof *vertices);
  for (int v = 0; v < grown.mesh.vertex_count; v++)
    dc_vec_scale(vertices[v], grown.mesh.vertices[v], 1 + 0.1 * (v % 3));
  grown.mesh.vertices = vertices;
  bodies[0].shape = &grown;
  struct dc_contact *made = contact_after(&scene, own, &start, NULL);
  check_same_bits(&scene, made, contact_after(&scene, own, &start, former), "moved vertices");
  bodies[0].shape = start_bodies[0].shape;
  check_same_bits(&scene, former, contact_after(&scene, own, &start, made), "moved back");
  scene_end(&scene);
}

RUN_TESTS({"sphere trees", test_trees}, {"known trees", test_known_trees}, {"reference area", test_reference_area},
          {"energy is the recursion's", test_energy}, {"children's sum >= centred term", test_inequality},
          {"infinite exactly when surfaces meet", test_barrier}, {"Hessian continuous across blends", test_smoothness},
          {"force in the cone", test_cone}, {"force far away", test_far_force},
          {"near bodies: all pairs", test_no_blending})
