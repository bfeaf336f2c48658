// SPDX-License-Identifier: Apache-2.0
// Tasks of witness points: targets on the surfaces of two objects that can come to touch.
#include <math.h>

#include "base/random.h"
#include "geometry/convex/witness.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "bench/objects.h"

enum { MOST_DRAWS = 10000, MOST_POINTS_TRIED = 200 };
static const double START_SPREAD = 0.1;  // m

// Relative to an object's size: distance outside of a surface at which other parts are tested, distance below which
// points are equal, and distance along a triangle at which a corner's surroundings are tested.
static const double OUTSIDE = 1e-6, SAME = 1e-9, AROUND = 1e-3;

void dc_witness_tasks_settings_default(struct dc_witness_tasks_settings *settings)
{
  *settings = (struct dc_witness_tasks_settings){.set = DC_BENCH_CONVEX, .count = 1000, .seed = 1, .slack = 1e-2};
}

// Area vector of a triangle: twice its area along the outward normal.
static void area_vector(const struct dc_mesh *part, int triangle, double vector[3])
{
  const int *corner = part->triangles[triangle];
  double a[3], b[3];
  dc_vec_sub(a, part->vertices[corner[1]], part->vertices[corner[0]]);
  dc_vec_sub(b, part->vertices[corner[2]], part->vertices[corner[0]]);
  dc_vec_cross(vector, a, b);
}

// Whether point is inside the convex part, below every plane.
static bool inside(const struct dc_mesh *part, const double point[3])
{
  for (int t = 0; t < part->triangle_count; t++) {
    double normal[3], offset[3];
    area_vector(part, t, normal);
    dc_vec_sub(offset, point, part->vertices[part->triangles[t][0]]);
    if (dc_vec_dot(normal, offset) >= 0)
      return false;
  }
  return true;
}

// Whether what lies a little outside of point, along normal, is outside every other part.
static bool exposed(const struct dc_shape *shape, int own, const double point[3], const double normal[3])
{
  double outside[3];
  dc_vec_add_scaled(outside, point, OUTSIDE * dc_mesh_size(&shape->mesh), normal);
  for (int i = 0; i < shape->part_count; i++)
    if (i != own && inside(&shape->parts[i], outside))
      return false;
  return true;
}

static bool normalize(double vector[3])
{
  double length = dc_vec_norm(vector);
  if (!(length > 0))
    return false;
  dc_vec_scale(vector, vector, 1 / length);
  return true;
}

// A point uniform by area, and its triangle's normal; false when it is not on the surface of the union.
static bool face_point(const struct dc_shape *shape, struct dc_random *random, double point[3], double normal[3])
{
  double total = 0, vector[3];
  for (int i = 0; i < shape->part_count; i++)
    for (int t = 0; t < shape->parts[i].triangle_count; t++) {
      area_vector(&shape->parts[i], t, vector);
      total += dc_vec_norm(vector);
    }
  double rest = total * dc_random_uniform(random), root = sqrt(dc_random_uniform(random));
  double share = dc_random_uniform(random), weights[3] = {1 - root, root * (1 - share), root * share};
  for (int i = 0; i < shape->part_count; i++)
    for (int t = 0; t < shape->parts[i].triangle_count; t++) {
      const struct dc_mesh *part = &shape->parts[i];
      area_vector(part, t, normal);
      rest -= dc_vec_norm(normal);
      if (rest > 0)
        continue;
      for (int k = 0; k < 3; k++)
        point[k] = 0;
      for (int k = 0; k < 3; k++)
        dc_vec_add_scaled(point, point, weights[k], part->vertices[part->triangles[t][k]]);
      return normalize(normal) && exposed(shape, i, point, normal);
    }
  return false;
}

// Adds the area vectors of the triangles of a part that meet at point and are on the surface of the union there.
static void add_normals(const struct dc_shape *shape, int own, const double point[3], double sum[3])
{
  const struct dc_mesh *part = &shape->parts[own];
  double same = SAME * dc_mesh_size(&shape->mesh);
  for (int t = 0; t < part->triangle_count; t++) {
    double middle[3] = {0}, vector[3], unit[3], beside[3];
    bool meets = false;
    for (int k = 0; k < 3; k++) {
      const double *corner = part->vertices[part->triangles[t][k]];
      meets = meets || dc_vec_distance(corner, point) <= same;
      dc_vec_add_scaled(middle, middle, 1.0 / 3, corner);
    }
    if (!meets)
      continue;
    area_vector(part, t, vector);
    dc_vec_copy(unit, vector);
    dc_vec_sub(beside, middle, point);
    dc_vec_add_scaled(beside, point, AROUND, beside);
    if (normalize(unit) && exposed(shape, own, beside, unit))
      dc_vec_add(sum, sum, vector);
  }
}

// Any vertex, and the area-weighted mean of the normals around it; false when other parts cover it.
static bool vertex_point(const struct dc_shape *shape, struct dc_random *random, double point[3], double normal[3])
{
  int part = 0, which = (int)(shape->mesh.vertex_count * dc_random_uniform(random));
  while (part < shape->part_count - 1 && which >= shape->parts[part].vertex_count)
    which -= shape->parts[part++].vertex_count;
  dc_vec_copy(point, shape->parts[part].vertices[which]);
  for (int i = 0; i < shape->part_count; i++)
    if (i != part && inside(&shape->parts[i], point))
      return false;
  for (int k = 0; k < 3; k++)
    normal[k] = 0;
  for (int i = 0; i < shape->part_count; i++)
    add_normals(shape, i, point, normal);
  return normalize(normal);
}

static bool any_point(const struct dc_shape *shape, bool vertex, struct dc_random *random, double point[3],
                      double normal[3])
{
  for (int i = 0; i < MOST_POINTS_TRIED; i++)
    if (vertex ? vertex_point(shape, random, point, normal) : face_point(shape, random, point, normal))
      return true;
  return false;
}

// The matrix whose columns are normal, a perpendicular one and their cross product.
static void basis(const double normal[3], double matrix[9])
{
  int least = 0;
  double across[3] = {0}, third[3];
  for (int k = 1; k < 3; k++)
    if (fabs(normal[k]) < fabs(normal[least]))
      least = k;
  across[least] = 1;
  dc_vec_add_scaled(across, across, -normal[least], normal);
  dc_vec_scale(across, across, 1 / dc_vec_norm(across));
  dc_vec_cross(third, normal, across);
  for (int k = 0; k < 3; k++)
    matrix[3 * k] = normal[k], matrix[3 * k + 1] = across[k], matrix[3 * k + 2] = third[k];
}

// Where the second object has its target before the first's at a gap, its normal opposed and turned about it by spin.
static void place(struct dc_witness_task *task, double gap, double spin)
{
  struct dc_placement *placement = &task->touching;
  double opposed[3], first[9], second[9], turned[9], moved[3];
  double turn[9] = {1, 0, 0, 0, cos(spin), -sin(spin), 0, sin(spin), cos(spin)};
  dc_vec_scale(opposed, task->normal[0], -1);
  basis(opposed, first);
  basis(task->normal[1], second);
  dc_mat_multiply(turned, first, turn);
  dc_mat_multiply_transposed(placement->rotation, turned, second);
  dc_mat_apply(moved, placement->rotation, task->target[1]);
  dc_vec_sub(placement->position, task->target[0], moved);
  dc_vec_add_scaled(placement->position, placement->position, gap, task->normal[0]);
}

// Sets off: how far the witness points are from the targets where these face each other.
static enum dc_status look(const struct dc_witness_tasks *tasks, struct dc_witness_task *task, struct dc_error *error)
{
  static const struct dc_placement here = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  struct dc_witness_search *search =
      dc_witness_search_create(&tasks->solids[task->object[0]], &tasks->solids[task->object[1]]);
  if (!search)
    return dc_out_of_memory_for(error, "a task");
  struct dc_witness witness;
  dc_witness_query(search, &here, &task->touching, &witness);
  dc_witness_search_destroy(search);
  double second[3];
  dc_mat_apply(second, task->touching.rotation, task->target[1]);
  dc_vec_add(second, second, task->touching.position);
  task->off = dc_vec_distance(witness.point[0], task->target[0]) + dc_vec_distance(witness.point[1], second);
  return DC_OK;
}

static bool near_enough(const struct dc_witness_tasks_settings *settings, const struct dc_witness_tasks *tasks,
                        const struct dc_witness_task *task)
{
  double smaller = fmin(tasks->solids[task->object[0]].size, tasks->solids[task->object[1]].size);
  return task->off <= settings->slack &&
         (settings->relative_slack <= 0 || task->off <= settings->relative_slack * smaller);
}

// Pair, then type, then targets.
static enum dc_status make_task(const struct dc_witness_tasks_settings *settings, struct dc_random *random,
                                struct dc_witness_tasks *tasks, struct dc_witness_task *task, struct dc_error *error)
{
  bool taken = false;
  for (int draw = 0; draw < MOST_DRAWS && !taken; draw++) {
    task->object[0] = (int)(DC_BENCH_OBJECTS * dc_random_uniform(random));
    task->object[1] = (int)((DC_BENCH_OBJECTS - 1) * dc_random_uniform(random));
    task->object[1] += task->object[1] >= task->object[0];
    task->type = (int)(DC_TASK_TYPES * dc_random_uniform(random));
    double spin = 2 * M_PI * dc_random_uniform(random);
    bool vertex[2] = {task->type != DC_TASK_FACE_VERTEX, task->type != DC_TASK_VERTEX_FACE}, found = true;
    for (int i = 0; i < 2; i++)
      found = found && any_point(&tasks->shapes[task->object[i]], vertex[i], random, task->target[i], task->normal[i]);
    if (!found)
      continue;
    tasks->drawn++;
    place(task, settings->gap, spin);
    enum dc_status status = look(tasks, task, error);
    if (status)
      return status;
    taken = near_enough(settings, tasks, task);
  }
  if (!taken)
    return dc_fail(error, DC_NUMERICAL, "no pair of targets can be reached in %d draws", MOST_DRAWS);
  for (int k = 0; k < 3; k++)
    task->position[k] = START_SPREAD * dc_random_normal(random);
  for (int k = 0; k < 4; k++)
    task->quaternion[k] = dc_random_normal(random);
  dc_rotation_normalize(task->quaternion);
  return DC_OK;
}

enum dc_status dc_witness_tasks_create(const struct dc_witness_tasks_settings *settings, struct dc_arena *arena,
                                       struct dc_witness_tasks *tasks, struct dc_error *error)
{
  struct dc_shape *shapes = dc_arena_alloc(arena, DC_BENCH_OBJECTS, sizeof *shapes);
  struct dc_solid *solids = dc_arena_alloc(arena, DC_BENCH_OBJECTS, sizeof *solids);
  struct dc_witness_task *list = dc_arena_alloc(arena, (size_t)settings->count, sizeof *list);
  *tasks = (struct dc_witness_tasks){.shapes = shapes, .solids = solids, .tasks = list};
  if (!shapes || !solids || !list)
    return dc_out_of_memory_for(error, "%d tasks", settings->count);
  struct dc_random random;
  dc_random_seed(&random, settings->seed);
  for (int i = 0; i < DC_BENCH_OBJECTS; i++) {
    enum dc_status status = dc_bench_object(settings->set, dc_random_bits(&random), arena, &shapes[i], error);
    if (!status)
      status = dc_solid_create(&shapes[i], arena, &solids[i], error);
    if (status)
      return status;
  }
  for (int i = 0; i < settings->count; i++) {
    enum dc_status status = make_task(settings, &random, tasks, &list[i], error);
    if (status)
      return status;
    tasks->count++;
  }
  return DC_OK;
}
