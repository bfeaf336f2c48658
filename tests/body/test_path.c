// SPDX-License-Identifier: Apache-2.0
// Paths of frames against 4x4 matrices put together independently, and their bounds against what is sampled.
#include "base/random.h"
#include "body/path.h"
#include "harness.h"
#include "math/vector.h"

enum { BODIES = 12, PARTS = 4, FREEDOMS = 48 };

// Bodies built by hand: a free one, three links on hinges, a composite joint on a body that never moves with two ball
// joints and a rigid part behind it, and an arm on the free body whose parent comes after it.
struct tree {
  struct dc_arena *arena;
  struct dc_bodies bodies;
  struct dc_body list[BODIES];
  struct dc_joint_part parts[BODIES][PARTS];
  int chains[BODIES][FREEDOMS], order[BODIES];
  double q[2 * FREEDOMS], tangent[FREEDOMS];
  struct dc_kinematics kinematics;
  struct dc_path path;
};

static double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

static void random_unit(struct dc_random *random, double *v, int count)
{
  double square = 0;
  for (int i = 0; i < count; i++) {
    v[i] = dc_random_normal(random);
    square += v[i] * v[i];
  }
  for (int i = 0; i < count; i++)
    v[i] /= sqrt(square);
}

// Adds a body at index i, kinds as letters: t, b, s, h; numbers its coordinates.
static void add_body(struct tree *tree, struct dc_random *random, int i, int parent, const char *kinds)
{
  static const char letters[] = "tbsh";
  struct dc_bodies *bodies = &tree->bodies;
  struct dc_body *body = &tree->list[i];
  body->parent = parent;
  body->part_count = (int)strlen(kinds);
  body->parts = tree->parts[i];
  body->free = strcmp(kinds, "tb") == 0;
  body->mechanism = 0;
  body->q_offset = bodies->nq;
  body->v_offset = bodies->nv;
  body->rest_quaternion[0] = 1;
  if (!body->free) {
    random_unit(random, body->rest_quaternion, 4);
    for (int k = 0; k < 3; k++)
      body->rest_position[k] = between(random, -0.6, 0.6);
  }
  for (int k = 0; k < body->part_count; k++) {
    struct dc_joint_part *part = &tree->parts[i][k];
    part->kind = (enum dc_part_kind)(strchr(letters, kinds[k]) - letters);
    random_unit(random, part->axis, 3);
    for (int c = 0; c < 3; c++)
      part->anchor[c] = body->free ? 0 : between(random, -0.4, 0.4);
    part->range[0] = -INFINITY, part->range[1] = INFINITY;
    part->q = body->q_offset + body->nq;
    part->v = body->free ? body->v_offset + 3 * (k == 0) : body->v_offset + body->nv;
    body->nq += dc_part_nq(part);
    body->nv += dc_part_nv(part);
  }
  bodies->nq += body->nq;
  bodies->nv += body->nv;
  body->chain = tree->chains[i];
  for (int k = 0; parent >= 0 && k < tree->list[parent].chain_count; k++)
    tree->chains[i][body->chain_count++] = tree->list[parent].chain[k];
  for (int k = 0; k < body->nv; k++)
    tree->chains[i][body->chain_count++] = body->v_offset + k;
  body->first_column = bodies->column_count;
  bodies->column_count += body->chain_count;
  tree->order[bodies->count++] = i;
}

static void need(bool holds, const char *what)
{
  if (holds)
    return;
  printf("Bail out! %s\n", what);
  exit(99);
}

static void start_tree(struct tree *tree)
{
  memset(tree, 0, sizeof *tree);
  tree->arena = dc_arena_create();
  need(tree->arena, "memory");
  tree->bodies.bodies = tree->list;
  tree->bodies.order = tree->order;
}

static void finish_tree(struct tree *tree)
{
  struct dc_error error;
  need(!dc_kinematics_create(&tree->bodies, tree->arena, &tree->kinematics, &error) &&
           !dc_path_create(&tree->bodies, tree->arena, &tree->path, &error),
       "memory");
}

static void begin(struct tree *tree)
{
  dc_kinematics_update(&tree->bodies, tree->q, &tree->kinematics);
  dc_path_begin(&tree->path, tree->q, tree->tangent, &tree->kinematics);
}

enum { FIXED_BODY = 4, COUNT = 11 };

static void make_tree(struct tree *tree, struct dc_random *random)
{
  start_tree(tree);
  add_body(tree, random, 0, -1, "tb");
  add_body(tree, random, 1, -1, "h");
  add_body(tree, random, 2, 1, "h");
  add_body(tree, random, 3, 2, "h");
  add_body(tree, random, FIXED_BODY, -1, "");
  tree->list[FIXED_BODY].mechanism = -1;
  memcpy(tree->list[FIXED_BODY].start.position, tree->list[FIXED_BODY].rest_position, sizeof(double[3]));
  memcpy(tree->list[FIXED_BODY].start.quaternion, tree->list[FIXED_BODY].rest_quaternion, sizeof(double[4]));
  add_body(tree, random, 5, FIXED_BODY, "shs");
  add_body(tree, random, 6, 5, "b");
  add_body(tree, random, 7, 6, "b");
  add_body(tree, random, 8, 7, "");
  add_body(tree, random, 10, 0, "ssh");
  add_body(tree, random, 9, 10, "ht");
  finish_tree(tree);
}

// A random state and tangent; rates up to size rad and size m.
static void random_state(struct tree *tree, struct dc_random *random, double size)
{
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < tree->list[i].part_count; k++) {
      const struct dc_joint_part *part = &tree->parts[i][k];
      for (int c = 0; c < dc_part_nq(part); c++)
        tree->q[part->q + c] = between(random, -1, 1) * (part->kind == DC_PART_HINGE ? 3 : 0.5);
      if (part->kind == DC_PART_BALL)
        random_unit(random, &tree->q[part->q], 4);
      for (int c = 0; c < dc_part_nv(part); c++)
        tree->tangent[part->v + c] = between(random, -size, size);
    }
  begin(tree);
}

// A motion as rotation and translation, x -> R x + b.
struct matrix {
  double r[3][3], b[3];
};

static const struct matrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

static struct matrix times(struct matrix m, struct matrix n)
{
  struct matrix product = {.b = {m.b[0], m.b[1], m.b[2]}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++)
        product.r[i][j] += m.r[i][k] * n.r[k][j];
      product.b[i] += m.r[i][j] * n.b[j];
    }
  return product;
}

// Rotation by an angle about a unit axis (Rodrigues).
static struct matrix turned(const double axis[3], double angle)
{
  struct matrix m = identity;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int k = 3 - i - j;
      double cross = i == j ? 0 : (j == (i + 1) % 3 ? -axis[k] : axis[k]);
      m.r[i][j] = cos(angle) * (i == j) + sin(angle) * cross + (1 - cos(angle)) * axis[i] * axis[j];
    }
  return m;
}

static struct matrix turned_by_vector(const double w[3])
{
  double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  double axis[3] = {w[0] / angle, w[1] / angle, w[2] / angle};
  return angle > 0 ? turned(axis, angle) : identity;
}

static struct matrix from_quaternion(const double *q)
{
  double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double axis[3] = {q[1] / sine, q[2] / sine, q[3] / sine};
  return sine > 0 ? turned(axis, 2 * atan2(sine, q[0])) : identity;
}

static struct matrix shifted(const double b[3], double scale)
{
  struct matrix m = identity;
  for (int k = 0; k < 3; k++)
    m.b[k] = scale * b[k];
  return m;
}

static struct matrix part_matrix(const struct dc_joint_part *part, const double *q, const double *v, double s)
{
  double number = q[part->q] + s * v[part->v], w[3];
  if (part->kind == DC_PART_SLIDE)
    return shifted(part->axis, number);
  if (part->kind == DC_PART_TRANSLATION)
    return times(shifted(q + part->q, 1), shifted(v + part->v, s));
  struct matrix turn = turned(part->axis, number);
  if (part->kind == DC_PART_BALL) {
    for (int k = 0; k < 3; k++)
      w[k] = s * v[part->v + k];
    turn = times(turned_by_vector(w), from_quaternion(q + part->q));
  }
  return times(times(shifted(part->anchor, 1), turn), shifted(part->anchor, -1));
}

static struct matrix reference(const struct tree *tree, int i, double s)
{
  const struct dc_body *body = &tree->list[i];
  struct matrix m = body->parent < 0 ? identity : reference(tree, body->parent, s);
  m = times(m, times(shifted(body->rest_position, 1), from_quaternion(body->rest_quaternion)));
  for (int k = 0; k < body->part_count; k++)
    m = times(m, part_matrix(&body->parts[k], tree->q, tree->tangent, s));
  return m;
}

static void test_poses(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  double worst = 0, worst_velocity = 0, worst_start = 0, worst_state = 0;
  for (int trial = 0; trial < 60; trial++) {
    struct tree tree;
    make_tree(&tree, &random);
    random_state(&tree, &random, trial % 3 ? 2 : 0.05);
    double s = trial % 4 ? dc_random_uniform(&random) : 0, h = 1e-5, q[2 * FREEDOMS];
    struct dc_pose moved[BODIES];
    dc_state_move(&tree.bodies, tree.q, s, tree.tangent, q);
    dc_poses(&tree.bodies, q, moved);
    for (int i = 0; i < COUNT; i++) {
      struct dc_pose pose;
      double twist[6], start[6];
      struct matrix at = reference(&tree, i, s), after = reference(&tree, i, s + h),
                    before = reference(&tree, i, s - h);
      dc_path_at(&tree.path, i, s, &pose, twist);
      for (int k = 0; k < 3; k++) {
        worst = larger(worst, fabs(pose.position[k] - at.b[k]));
        worst_velocity = larger(worst_velocity, fabs(twist[3 + k] - (after.b[k] - before.b[k]) / (2 * h)));
        // w = the vector of the antisymmetric matrix R' R^T
        int a = (k + 2) % 3, b = (k + 1) % 3;
        double w = 0;
        for (int c = 0; c < 3; c++) {
          w += (after.r[a][c] - before.r[a][c]) / (2 * h) * at.r[b][c];
          worst = larger(worst, fabs(pose.rotation[3 * k + c] - at.r[k][c]));
          worst_state = larger(worst_state, fabs(pose.rotation[3 * k + c] - moved[i].rotation[3 * k + c]));
        }
        worst_velocity = larger(worst_velocity, fabs(twist[k] - w));
        worst_state = larger(worst_state, fabs(pose.position[k] - moved[i].position[k]));
      }
      for (int k = 0; k < 4; k++)
        worst_state = larger(worst_state, fabs(pose.quaternion[k] - moved[i].quaternion[k]));
      dc_path_at(&tree.path, i, 0, &pose, start);
      for (int k = 0; k < 6; k++)
        worst_start = larger(worst_start, fabs(start[k] - tree.path.frames[i].twist[k]));
    }
    dc_arena_destroy(tree.arena);
  }
  printf("# against matrices %.2g, states %.2g, velocities %.2g, twists at the start %.2g\n", worst, worst_state,
         worst_velocity, worst_start);
  CHECK(worst < 2e-14, "%g", worst);                   // observed 2.7e-15
  CHECK(worst_state < 2e-14, "%g", worst_state);       // observed 2.7e-15
  CHECK(worst_velocity < 5e-8, "%g", worst_velocity);  // observed 4e-9: the differences
  CHECK(worst_start < 5e-14, "%g", worst_start);       // observed 4.4e-15
}

// Position and velocity of the point of body i at arm r of the start.
static void point_at(const struct tree *tree, int i, double s, const double r[3], double x[3], double velocity[3])
{
  struct dc_pose pose;
  double twist[6], local[3], arm[3];
  dc_path_at(&tree->path, i, s, &pose, twist);
  dc_mat_apply_transposed(local, tree->path.poses[i].rotation, r);
  dc_mat_apply(arm, pose.rotation, local);
  dc_vec_add(x, pose.position, arm);
  dc_vec_cross(velocity, twist, arm);
  dc_vec_add(velocity, velocity, twist + 3);
}

// The bounds hold at samples: of the velocities, and of how far a point leaves its tangent, which is what they are for.
static void check_bounds(const struct tree *tree, struct dc_random *random, int i, double *tightest)
{
  const struct dc_frame_path *frame = &tree->path.frames[i];
  for (int sample = 0; sample < 40; sample++) {
    struct dc_pose pose;
    double twist[6], r[3], from[3], to[3], velocity[3], other[3];
    double s = sample % 4 ? dc_random_uniform(random) : 0, d = between(random, 0, sample % 3 ? 1 - s : 0.1 * (1 - s));
    dc_path_at(&tree->path, i, s, &pose, twist);
    CHECK(dc_vec_norm(twist) <= frame->turn, "body %d: %.17g, bound %.17g", i, dc_vec_norm(twist), frame->turn);
    CHECK(dc_vec_norm(twist + 3) <= frame->shift, "body %d: %.17g, bound %.17g", i, dc_vec_norm(twist + 3),
          frame->shift);
    random_unit(random, r, 3);
    dc_vec_scale(r, r, sample % 2 ? between(random, 0, 1) : 0);
    double bend = frame->bend + frame->turn * frame->turn * dc_vec_norm(r);
    for (int k = 0; k < 6 && frame->steady; k++)
      CHECK(twist[k] == frame->twist[k], "body %d: %.17g, at the start %.17g", i, twist[k], frame->twist[k]);
    point_at(tree, i, s, r, from, velocity);
    point_at(tree, i, s + d, r, to, other);
    dc_vec_sub(to, to, from);
    dc_vec_add_scaled(to, to, -d, velocity);
    double away = dc_vec_norm(to);
    // Rounding of the positions
    CHECK(away <= 0.5 * d * d * bend + 2e-15, "body %d: %.17g, bound %.17g", i, away, 0.5 * d * d * bend);
    if (d > 1e-3 && bend > 0)
      *tightest = larger(*tightest, away / (0.5 * d * d * bend));
  }
}

static void test_bounds(void)
{
  static const int ends[] = {0, 1, 3, 5, 8, 9};
  struct dc_random random;
  dc_random_seed(&random, 2);
  for (int large = 0; large < 2; large++)
    for (int e = 0; e < (int)(sizeof ends / sizeof *ends); e++) {
      double sum = 0, least = INFINITY;
      enum { TRIALS = 100 };
      for (int trial = 0; trial < TRIALS; trial++) {
        struct tree tree;
        double tightest = 0;
        make_tree(&tree, &random);
        random_state(&tree, &random, large ? 2 : 0.05);
        check_bounds(&tree, &random, ends[e], &tightest);
        sum += 1 / tightest;
        least = fmin(least, 1 / tightest);
        dc_arena_destroy(tree.arena);
      }
      printf("# body %d, %s steps: bends %.1f times what was sampled, at least %.2f\n", ends[e],
             large ? "large" : "small", sum / TRIALS, least);
      CHECK(sum / TRIALS < 7, "body %d: %g", ends[e], sum / TRIALS);  // observed 1.0 .. 4.4
    }
}

// A path of one mechanism of the given bodies in a row, axes z, sliding along x, each anchored 0.3 m before its origin,
// 0.8 m from body to body.
static void straight_arm(struct tree *tree, int count, const char *const *kinds)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  start_tree(tree);
  for (int i = 0; i < count; i++) {
    add_body(tree, &random, i, i - 1, kinds[i]);
    struct dc_body *body = &tree->list[i];
    memcpy(body->rest_quaternion, (const double[4]){1, 0, 0, 0}, sizeof body->rest_quaternion);
    dc_vec_copy(body->rest_position, (const double[3]){0.8, 0, 0});
    for (int k = 0; k < body->part_count; k++) {
      struct dc_joint_part *part = &tree->parts[i][k];
      bool slide = part->kind == DC_PART_SLIDE;
      dc_vec_copy(part->axis, (const double[3]){slide, 0, !slide});
      dc_vec_copy(part->anchor, (const double[3]){-0.3, 0, 0});
    }
  }
  finish_tree(tree);
}

// The bounds are 1e-12 larger than their sums.
static const double BOUND = 3e-12;

// Where everything adds up the bounds are what happens.
static void test_exact_bounds(void)
{
  struct tree tree;
  straight_arm(&tree, 2, (const char *const[]){"h", "h"});
  tree.tangent[0] = 0.2, tree.tangent[1] = 0.5;
  begin(&tree);
  const struct dc_frame_path *frame = tree.path.frames;
  // Origins at 0.3 m from the first anchor and 0.8 + 0.3 m; the second anchor at 0.8 m.
  CHECK_NEAR(frame[0].turn, 0.2, BOUND);
  CHECK_NEAR(frame[0].shift, 0.2 * 0.3, BOUND);
  CHECK_NEAR(frame[0].bend, 0.2 * 0.2 * 0.3, BOUND);
  CHECK_NEAR(frame[1].turn, 0.7, BOUND);
  CHECK_NEAR(frame[1].shift, 0.2 * 0.8 + 0.7 * 0.3, BOUND);
  CHECK_NEAR(frame[1].bend, 0.2 * 0.2 * 0.8 + 0.7 * 0.7 * 0.3, BOUND);
  // Folded: 0.8 - 0.3 m from the first anchor, and never more than what the second link then moves.
  tree.q[1] = M_PI;
  tree.tangent[1] = 0.01;
  begin(&tree);
  CHECK_NEAR(frame[1].shift, 0.2 * (0.5 + 0.003) + 0.003, BOUND);
  dc_arena_destroy(tree.arena);

  // A telescope: 0.3 m + 0.8 m + 0.3 m away, sliding out by 0.1 m and 0.2 m while it turns; Coriolis 2 w u.
  straight_arm(&tree, 2, (const char *const[]){"hs", "s"});
  tree.tangent[0] = 0.5, tree.tangent[1] = 0.1, tree.tangent[2] = 0.2;
  begin(&tree);
  frame = tree.path.frames;
  CHECK_NEAR(frame[0].bend, 0.25 * 0.4 + 2 * 0.5 * 0.1, BOUND);
  CHECK_NEAR(frame[1].shift, 0.5 * (1.1 + 0.3) + 0.3, BOUND);
  CHECK_NEAR(frame[1].bend, 0.25 * 1.4 + 2 * 0.5 * 0.3, BOUND);
  // Sliding in: the start is the farthest.
  tree.tangent[1] = -0.1, tree.tangent[2] = -0.2;
  begin(&tree);
  CHECK_NEAR(frame[1].bend, 0.25 * 1.1 + 2 * 0.5 * 0.3, BOUND);
  // Slides that cancel
  tree.tangent[1] = 0.2;
  begin(&tree);
  CHECK_NEAR(frame[1].shift, 0.5 * 1.1, BOUND);
  // A hinge that rests takes no part.
  tree.tangent[0] = 0;
  begin(&tree);
  CHECK(frame[1].turn == 0 && frame[1].bend == 0 && frame[1].shift < 1e-16, "%g %g %g", frame[1].turn, frame[1].bend,
        frame[1].shift);
  dc_arena_destroy(tree.arena);
}

static void test_ranges(void)
{
  struct tree tree;
  straight_arm(&tree, 3, (const char *const[]){"h", "s", "b"});
  double *q = tree.q, *v = tree.tangent, still[8] = {0}, lower[8] = {0}, upper[8] = {0};
  CHECK(dc_path_within_ranges(&tree.bodies, still, still, q, v) == 1, "at rest");
  v[0] = 100, v[1] = -100;
  CHECK(dc_path_within_ranges(&tree.bodies, still, still, q, v) == 1, "without ranges");
  tree.parts[0][0].range[0] = -1, tree.parts[0][0].range[1] = 2;
  tree.parts[1][0].range[0] = -0.5;
  v[1] = 0;
  q[0] = 1.5;
  CHECK_NEAR(dc_path_within_ranges(&tree.bodies, still, still, q, v), 0.9 * 0.5 / 100, 1e-15);
  v[0] = 0.44;
  CHECK(dc_path_within_ranges(&tree.bodies, still, still, q, v) == 1, "short of the end");
  v[0] = -5;
  CHECK_NEAR(dc_path_within_ranges(&tree.bodies, still, still, q, v), 0.9 * 2.5 / 5, 1e-15);
  v[1] = -3;
  CHECK_NEAR(dc_path_within_ranges(&tree.bodies, still, still, q, v), 0.9 * 0.5 / 3, 1e-15);
  v[1] = 3;
  CHECK_NEAR(dc_path_within_ranges(&tree.bodies, still, still, q, v), 0.9 * 2.5 / 5, 1e-15);
  q[0] = 2, v[0] = 1e-9;
  CHECK(dc_path_within_ranges(&tree.bodies, still, still, q, v) == 0, "at the end");
  v[0] = -1;
  CHECK(dc_path_within_ranges(&tree.bodies, still, still, q, v) == 1, "back from the end");
  lower[0] = 2.5, upper[0] = 0.25;
  CHECK_NEAR(dc_path_within_ranges(&tree.bodies, lower, upper, q, v), 0.9 * 0.5, 1e-15);
  v[0] = 1;
  CHECK_NEAR(dc_path_within_ranges(&tree.bodies, lower, upper, q, v), 0.9 * 0.25, 1e-15);
  v[0] = NAN;
  CHECK(dc_path_within_ranges(&tree.bodies, still, still, q, v) == 0, "no number");
  dc_arena_destroy(tree.arena);
}

RUN_TESTS({"poses and velocities", test_poses}, {"bounds", test_bounds}, {"bounds that are reached", test_exact_bounds},
          {"ranges", test_ranges})
