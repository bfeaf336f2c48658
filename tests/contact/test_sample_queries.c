// SPDX-License-Identifier: Apache-2.0
// Continuous collision detection of surfaces against queries of others whose answers are exact: motions on straight
// lines of a point and a triangle, or of two edges, taken from simulations (Wang et al. 2021, "A Large-scale Benchmark
// and an Inclusion-based Algorithm for Continuous Collision Detection"; tests/contact/queries).
//
// A rod of one segment and a sheet of one triangle, or two rods, move as the query says.  A motion on which features
// meet is never clear; one on which they do not is refused only where they come within NEAR of each other, since a path
// that is clear keeps a part of the gap.  DCSIM_QUERIES names another file of queries (scripts/sample-queries).
#include <float.h>

#include "contact/surface/surface.h"
#include "contact_scene.h"

static const double NEAR = 1e-6;   // m; coordinates of the queries are of size 1
static const double ASIDE = 1e-7;  // m, of the second node of the rod whose first one is the point
enum { SAMPLES = 20000 };          // of a motion that was refused

// Vertices at both ends of a motion: of the first edge and the second one, or the point and the triangle.
struct query {
  bool edges, meets;
  double x[2][4][3];
};

struct answers {
  int meeting, parting, missed, refused, refused_far;
};

static bool read_query(FILE *file, struct query *query)
{
  char kind;
  int meets;
  if (fscanf(file, " %c %d", &kind, &meets) != 2)
    return false;
  query->edges = kind == 'e';
  query->meets = meets;
  for (int k = 0; k < 24; k++)
    if (fscanf(file, "%lf", &query->x[0][0][0] + k) != 1)
      return false;
  return true;
}

// Off the point by ASIDE, away from the triangle: its rod then meets what the point meets.
static void beside_point(const struct query *query, double away[3])
{
  const double(*x)[3] = query->x[0];
  double u[3], v[3], d[3];
  dc_vec_sub(u, x[2], x[1]);
  dc_vec_sub(v, x[3], x[1]);
  dc_vec_sub(d, x[0], x[1]);
  dc_vec_cross(away, u, v);
  double length = dc_vec_norm(away), side = dc_vec_dot(away, d) > 0 ? ASIDE : -ASIDE;
  dc_vec_scale(away, away, length > 0 ? side / length : 0);
}

static struct dc_soft_definition soft_of(struct scene *scene, const char *options)
{
  struct dc_soft_definition soft;
  memset(&soft, 0, sizeof soft);
  scene_soft(scene, &soft, options, 0, 0, 0);
  return soft;
}

// Nodes of both bodies at an end of the motion.
static void place(const struct query *query, int end, double *first, double *second)
{
  const double(*x)[3] = query->x[end];
  dc_vec_copy(first, x[0]);
  if (query->edges) {
    dc_vec_copy(first + 3, x[1]);
  } else {
    double away[3];
    beside_point(query, away);
    dc_vec_add(first + 3, x[0], away);
  }
  for (int k = query->edges ? 2 : 1; k < 4; k++, second += 3)
    dc_vec_copy(second, x[k]);
}

// Whether the program calls the motion clear.
static bool is_clear(const struct query *query)
{
  struct scene scene = {0};
  struct dc_surface_contact *contact;
  double q[2][18], tangent[18];
  int bodies[2];
  scene_start(&scene);
  const char *rod = "type=rod size=1 cells=1 young=1e4 contact_range=1e-4";
  struct dc_soft_definition first = soft_of(&scene, rod),
                            second = soft_of(&scene, query->edges ? rod : "type=cloth young=1e4 contact_range=1e-4");
  scene.definitions[0].soft = &first;
  scene.definitions[1].soft = &second;
  if (!query->edges)
    second.file = "test_sample_queries.obj";
  scene_finish(&scene);
  CHECK(!dc_surface_contact_create(&scene.bodies, &contact, &scene.error), "%s", scene.error.text);
  for (int end = 0; end < 2; end++)
    place(query, end, q[end] + scene.bodies.soft[0].q_offset, q[end] + scene.bodies.soft[1].q_offset);
  for (int k = 0; k < scene.bodies.nq; k++)
    tangent[k] = q[1][k] - q[0][k];
  dc_kinematics_update(&scene.bodies, q[0], &scene.kinematics);
  dc_path_begin(&scene.path, q[0], tangent, &scene.kinematics);
  dc_poses(&scene.bodies, q[0], scene.poses);
  CHECK(!dc_surface_evaluate(contact, q[0], scene.poses), "memory");
  bool clear = dc_surface_path_clear(contact, &scene.path, bodies);
  dc_surface_contact_destroy(contact);
  dc_arena_destroy(scene.arena);
  return clear;
}

// The least distance of the features at samples of the motion.
static double least_distance(const struct query *query)
{
  double least = INFINITY;
  for (int s = 0; s <= SAMPLES; s++) {
    double x[4][3];
    struct dc_closest closest;
    for (int k = 0; k < 12; k++) {
      double from = query->x[0][k / 3][k % 3], to = query->x[1][k / 3][k % 3];
      x[k / 3][k % 3] = from + (to - from) * s / SAMPLES;
    }
    if (query->edges)
      dc_closest_edges((const double(*)[3])x, &closest);
    else
      dc_closest_point_triangle((const double(*)[3])x, &closest);
    least = fmin(least, sqrt(closest.square));
  }
  return least;
}

// How far the features may go between two samples.
static double sampled_way(const struct query *query)
{
  double most = 0;
  for (int k = 0; k < 4; k++) {
    double way[3];
    dc_vec_sub(way, query->x[1][k], query->x[0][k]);
    most = fmax(most, dc_vec_norm(way));
  }
  return 2 * most / SAMPLES;
}

static void judge(const struct query *query, struct answers *answers)
{
  bool clear = is_clear(query);
  *(query->meets ? &answers->meeting : &answers->parting) += 1;
  answers->missed += query->meets && clear;
  if (query->meets || clear)
    return;
  answers->refused++;
  answers->refused_far += least_distance(query) > NEAR + sampled_way(query);
}

static void test_queries(void)
{
  const char *name = getenv("DCSIM_QUERIES");
  FILE *triangle = fopen("test_sample_queries.obj", "w"), *file = fopen(name ? name : DC_TEST_QUERIES, "r");
  CHECK(triangle && file, "files");
  if (!triangle || !file)
    return;
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", triangle);
  fclose(triangle);
  struct answers answers = {0};
  struct query query;
  while (read_query(file, &query))
    judge(&query, &answers);
  fclose(file);
  remove("test_sample_queries.obj");
  printf("# %d meet, %d of them missed; %d do not, %d of them refused, %d that come no closer than %g m\n",
         answers.meeting, answers.missed, answers.parting, answers.refused, answers.refused_far, NEAR);
  CHECK(answers.meeting >= 100 && answers.parting >= 100, "%d and %d", answers.meeting, answers.parting);
  CHECK(answers.missed == 0, "%d missed", answers.missed);
  CHECK(answers.refused_far == 0, "%d refused", answers.refused_far);
}

RUN_TESTS({"queries with exact answers", test_queries})
