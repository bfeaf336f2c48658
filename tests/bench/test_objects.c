// SPDX-License-Identifier: Apache-2.0
// Objects and tasks made at random: sizes, convexity, seeds, targets on surfaces, and that these can come to touch.
#include "harness.h"

#include "geometry/convex/hull.h"
#include "geometry/convex/witness.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "bench/objects.h"

enum { OBJECTS = 40, TASKS = 150 };

static struct dc_error error;

static bool same_mesh(const struct dc_mesh *a, const struct dc_mesh *b)
{
  return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
         memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
         memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles) == 0;
}

// Greatest height of point above the planes of a convex part, m: 0 on its surface.
static double height(const struct dc_mesh *part, const double *point)
{
  double most = -INFINITY;
  for (int t = 0; t < part->triangle_count; t++) {
    const double *corner = part->vertices[part->triangles[t][0]];
    double a[3], b[3], normal[3], offset[3];
    dc_vec_sub(a, part->vertices[part->triangles[t][1]], corner);
    dc_vec_sub(b, part->vertices[part->triangles[t][2]], corner);
    dc_vec_cross(normal, a, b);
    dc_vec_sub(offset, point, corner);
    most = larger(most, dc_vec_dot(normal, offset) / dc_vec_norm(normal));
  }
  return most;
}

// Height above the union: below 0 inside a part.
static double union_height(const struct dc_shape *shape, const double *point)
{
  double least = INFINITY;
  for (int i = 0; i < shape->part_count; i++)
    least = fmin(least, height(&shape->parts[i], point));
  return least;
}

// Whether the midpoint of two vertices is well outside of all parts.
static bool has_notch(const struct dc_shape *shape)
{
  const struct dc_mesh *mesh = &shape->mesh;
  for (int i = 0; i < mesh->vertex_count; i++)
    for (int j = 0; j < i; j++) {
      double middle[3];
      dc_vec_add(middle, mesh->vertices[i], mesh->vertices[j]);
      dc_vec_scale(middle, middle, 0.5);
      if (union_height(shape, middle) > 1e-3 * dc_mesh_size(mesh))
        return true;
    }
  return false;
}

static void check_object(int set, const struct dc_shape *shape)
{
  const struct dc_mesh *mesh = &shape->mesh;
  int vertices = 0;
  CHECK(dc_mesh_validate(mesh, &error) == DC_OK, "%s: %s", shape->name, error.text);
  double size = dc_mesh_size(mesh), lower[3] = {1, 1, 1}, upper[3] = {-1, -1, -1};
  CHECK(size > 0.01 * (1 - 1e-6) && size < 0.2 * (1 + 1e-12), "%s: %g m", shape->name, size);
  for (int i = 0; i < mesh->vertex_count; i++)
    for (int k = 0; k < 3; k++) {
      lower[k] = fmin(lower[k], mesh->vertices[i][k]);
      upper[k] = larger(upper[k], mesh->vertices[i][k]);
    }
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(lower[k] + upper[k], 0, 2e-6 * size);  // hulls leave out what is within 5e-7; 7e-18 m observed
  for (int i = 0; i < shape->part_count; i++) {
    bool convex;
    CHECK(dc_mesh_validate(&shape->parts[i], &error) == DC_OK, "%s: %s", shape->name, error.text);
    CHECK(dc_mesh_is_convex(&shape->parts[i], 1e-6, &convex, &error) == DC_OK && convex, "%s, part %d", shape->name, i);
    vertices += shape->parts[i].vertex_count;
  }
  CHECK(vertices == mesh->vertex_count && shape->properties.volume > 0, "%s: %d", shape->name, vertices);
  if (set == DC_BENCH_CONCAVE)
    CHECK(shape->part_count >= 2 && shape->part_count <= 17, "%s: %d", shape->name, shape->part_count);
  else
    CHECK(shape->part_count == 1, "%s: %d", shape->name, shape->part_count);
  if (set == DC_BENCH_CONVEX)
    CHECK(vertices >= 30 && vertices <= 210, "%s: %d", shape->name, vertices);
  if (set == DC_BENCH_HARD)
    CHECK(vertices >= 4 && vertices <= 40, "%s: %d", shape->name, vertices);
}

static void test_objects(void)
{
  for (int set = 0; set < DC_BENCH_SETS; set++) {
    struct dc_arena *arena = dc_arena_create();
    int notched = 0;
    double smallest = 1, largest = 0;
    struct dc_shape shapes[OBJECTS], again;
    for (int i = 0; i < OBJECTS; i++) {
      CHECK(dc_bench_object(set, (uint64_t)i, arena, &shapes[i], &error) == DC_OK, "%s", error.text);
      check_object(set, &shapes[i]);
      CHECK(dc_bench_object(set, (uint64_t)i, arena, &again, &error) == DC_OK, "%s", error.text);
      CHECK(same_mesh(&shapes[i].mesh, &again.mesh), "%s: the same seed, the same bits", again.name);
      CHECK(i == 0 || !same_mesh(&shapes[i].mesh, &shapes[i - 1].mesh), "%s: another seed", again.name);
      notched += has_notch(&shapes[i]);
      smallest = fmin(smallest, dc_mesh_size(&again.mesh)), largest = larger(largest, dc_mesh_size(&again.mesh));
    }
    CHECK(smallest < 0.04 && largest > 0.16, "%s: %g ... %g", dc_bench_set_name(set), smallest, largest);
    CHECK(set == DC_BENCH_CONCAVE ? notched >= OBJECTS - 3 : notched == 0, "%s: %d", dc_bench_set_name(set), notched);
    dc_arena_destroy(arena);
  }
}

static struct dc_witness_tasks make(struct dc_arena *arena, int set, int count, double relative_slack)
{
  struct dc_witness_tasks_settings settings;
  struct dc_witness_tasks tasks;
  dc_witness_tasks_settings_default(&settings);
  CHECK(settings.count == 1000 && settings.slack == 1e-2 && settings.relative_slack == 0 && settings.gap == 0, " ");
  settings.set = set, settings.count = count, settings.relative_slack = relative_slack;
  if (relative_slack > 0)
    settings.gap = 1e-3;
  enum dc_status status = dc_witness_tasks_create(&settings, arena, &tasks, &error);
  CHECK(status == DC_OK && tasks.count == count && tasks.drawn >= count, "%s", error.text);
  return tasks;
}

static bool is_vertex(const struct dc_shape *shape, const double *point)
{
  for (int i = 0; i < shape->mesh.vertex_count; i++)
    if (memcmp(shape->mesh.vertices[i], point, sizeof shape->mesh.vertices[i]) == 0)
      return true;
  return false;
}

static void test_targets(void)
{
  for (int set = 0; set < DC_BENCH_SETS; set++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_witness_tasks tasks = make(arena, set, TASKS, 0);
    int types[DC_TASK_TYPES] = {0};
    double square = 0;
    for (int i = 0; i < tasks.count; i++) {
      const struct dc_witness_task *task = &tasks.tasks[i];
      CHECK(task->object[0] != task->object[1], "%d", task->object[0]);
      for (int k = 0; k < 2; k++) {
        CHECK(task->object[k] >= 0 && task->object[k] < DC_BENCH_OBJECTS, "%d", task->object[k]);
        const struct dc_shape *shape = &tasks.shapes[task->object[k]];
        CHECK_NEAR(union_height(shape, task->target[k]), 0, 1e-7 * dc_mesh_size(&shape->mesh));  // 8e-17 m observed
        if (set != DC_BENCH_CONCAVE) {
          double most = -INFINITY;
          for (int v = 0; v < shape->mesh.vertex_count; v++) {
            double offset[3];
            dc_vec_sub(offset, shape->mesh.vertices[v], task->target[k]);
            most = larger(most, dc_vec_dot(offset, task->normal[k]));
          }
          CHECK_NEAR(most, 0, 1e-12);  // m, all is below the plane of the normal; 2e-17 observed
        }
        bool vertex = task->type == DC_TASK_VERTEX_VERTEX || (task->type == DC_TASK_VERTEX_FACE) == (k == 0);
        CHECK(is_vertex(shape, task->target[k]) == vertex, "%s: task %d", shape->name, i);
      }
      types[task->type]++;
      square += dc_vec_dot(task->position, task->position);
      double norm = 0;
      for (int k = 0; k < 4; k++)
        norm += task->quaternion[k] * task->quaternion[k];
      CHECK_NEAR(norm, 1, 1e-14);  // 4e-16 observed
    }
    CHECK_NEAR(sqrt(square / (3 * TASKS)), 0.1, 0.01);  // 0.005 observed; standard deviation 0.0033
    for (int k = 0; k < DC_TASK_TYPES; k++)
      CHECK(types[k] > TASKS / 5, "%s: %d of type %d", dc_bench_set_name(set), types[k], k);
    dc_arena_destroy(arena);
  }
}

// The witness points are near the targets where these face each other with opposed normals.
static void test_acceptance(void)
{
  static const struct dc_placement here = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int set = 0; set < DC_BENCH_SETS; set++)
    for (int strict = 0; strict < 2; strict++) {
      struct dc_arena *arena = dc_arena_create();
      struct dc_witness_tasks tasks = make(arena, set, TASKS, strict ? 1e-3 : 0);
      double worst = 0;
      for (int i = 0; i < tasks.count; i++) {
        const struct dc_witness_task *task = &tasks.tasks[i];
        const struct dc_solid *first = &tasks.solids[task->object[0]], *second = &tasks.solids[task->object[1]];
        struct dc_witness_search *search = dc_witness_search_create(first, second);
        struct dc_witness witness;
        dc_witness_query(search, &here, &task->touching, &witness);
        dc_witness_search_destroy(search);
        double moved[3], identity[9];
        dc_mat_multiply_transposed(identity, task->touching.rotation, task->touching.rotation);
        for (int k = 0; k < 9; k++)
          CHECK_NEAR(identity[k], k % 4 == 0, 1e-14);  // 1e-15 observed
        dc_mat_apply(moved, task->touching.rotation, task->target[1]);
        dc_vec_add(moved, moved, task->touching.position);
        double turned[3];
        dc_mat_apply(turned, task->touching.rotation, task->normal[1]);
        CHECK_NEAR(dc_vec_dot(turned, task->normal[0]), -1, 1e-14);                     // 8e-16 observed
        CHECK_NEAR(dc_vec_norm(task->normal[0]), 1, 1e-14);                             // 2e-16 observed
        CHECK_NEAR(dc_vec_distance(moved, task->target[0]), strict ? 1e-3 : 0, 1e-15);  // 1e-17 observed
        double off = dc_vec_distance(witness.point[0], task->target[0]) + dc_vec_distance(witness.point[1], moved);
        CHECK_NEAR(off, task->off, 1e-15);  // 0 observed
        worst = larger(worst, off / (strict ? 1e-3 * fmin(first->size, second->size) : 1e-2));
        if (strict)
          CHECK_NEAR(witness.distance, 1e-3, 2e-4);  // off is at most a thousandth of 0.2 m; 9e-7 observed
      }
      CHECK(worst <= 1, "%s: %g", dc_bench_set_name(set), worst);
      // what touches with opposed normals is in contact when both are convex
      CHECK(set == DC_BENCH_CONCAVE || tasks.drawn == TASKS, "%s: %ld drawn", dc_bench_set_name(set), tasks.drawn);
      CHECK(set != DC_BENCH_CONCAVE || tasks.drawn > 1.5 * TASKS, "%s: %ld drawn", dc_bench_set_name(set), tasks.drawn);
      dc_arena_destroy(arena);
    }
}

static void test_seeds(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_witness_tasks few = make(arena, DC_BENCH_HARD, 10, 0), many = make(arena, DC_BENCH_HARD, 30, 0);
  CHECK(memcmp(few.tasks, many.tasks, 10 * sizeof *few.tasks) == 0, "the first tasks are the same");
  CHECK(memcmp(&many.tasks[10], &many.tasks[11], sizeof *many.tasks) != 0, " ");
  struct dc_witness_tasks_settings settings;
  dc_witness_tasks_settings_default(&settings);
  settings.set = DC_BENCH_HARD, settings.count = 10, settings.seed = 2;
  struct dc_witness_tasks other;
  CHECK(dc_witness_tasks_create(&settings, arena, &other, &error) == DC_OK, "%s", error.text);
  CHECK(memcmp(&few.tasks[0].target, &other.tasks[0].target, sizeof few.tasks[0].target) != 0, "another seed");
  settings.slack = -1;
  CHECK(dc_witness_tasks_create(&settings, arena, &other, &error) == DC_NUMERICAL && other.count == 0, "%s",
        error.text);
  dc_arena_destroy(arena);
}

RUN_TESTS({"objects", test_objects}, {"targets", test_targets}, {"acceptance", test_acceptance}, {"seeds", test_seeds})
