// SPDX-License-Identifier: Apache-2.0
// Linear solvers for a soft cube with contact: the Hessian A + C of a step is assembled, then solved directly and by
// every iterative method, with counts and times.
#include "bench/solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench/bodies.h"
#include "dynamics/linearization.h"
#include "math/vector.h"

enum { STEPS = 8, MOST = 1000, SEED = 1 };
static const double PART = 1e-10, LOOSE[2] = {1e-4, 1e-6}, COUNTS = 1e-6, CELL = 0.01, VISCOSITY = 10, DENSITY = 1000;
enum { FEW_NODES = 5000 };

struct soft_scene {
  struct dc_arena *arena;
  struct dc_shape ground;
  struct dc_body_definition bodies[2];
  double size[3], cells[3];
  struct dc_soft_definition soft;
  struct dc_model_definition definition;
  struct dc_model model;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;
  struct dc_trajectory *trajectory;
};

// The linear system: A in the rollout's matrix, C beside it.
struct linear_system {
  struct dc_symmetric_matrix *matrix;
  int size;
  double *c, *b, *x, *direct, *product;  // [nodes][9], [size]
};

static enum dc_status define(struct soft_scene *scene, long cells, double young, double friction, double step,
                             struct dc_error *error)
{
  static const struct dc_bench_shape plane = {"plane", {{.name = NULL}}};
  struct dc_model_definition *definition = &scene->definition;
  enum dc_status status = dc_bench_shape_build(&plane, "ground", scene->arena, &scene->ground, error);
  if (!status)
    status = dc_options_set_defaults(dc_step_options, &definition->solver, scene->arena, error);
  if (!status)
    status = dc_options_set_defaults(dc_contact_options, &definition->contact, scene->arena, error);
  for (int i = 0; i < 2 && !status; i++)
    status = dc_options_set_defaults(dc_body_options, &scene->bodies[i], scene->arena, error);
  if (!status)
    status = dc_options_set_defaults(dc_soft_options, &scene->soft, scene->arena, error);
  struct dc_joint_definition *joint = dc_arena_alloc(scene->arena, 1, sizeof *joint);
  double *velocity = dc_arena_alloc(scene->arena, 3, sizeof *velocity);
  if (status || !joint || !velocity)
    return status ? status : dc_out_of_memory_for(error, "a benchmark's scene");
  status = dc_options_set_defaults(dc_joint_options, joint, scene->arena, error);
  while (dc_joint_types[joint->type] && strcmp(dc_joint_types[joint->type]->name, "fixed") != 0)
    joint->type++;
  for (int k = 0; k < 3; k++) {
    scene->size[k] = CELL * (double)cells;
    scene->cells[k] = (double)cells;
  }
  struct dc_body_definition *ground = &scene->bodies[0], *block = &scene->bodies[1];
  ground->name = "ground";
  ground->shape = 0;
  ground->mass = NAN;
  ground->joint = (struct dc_object_list){.count = 1, .objects = joint};
  block->name = "block";
  block->shape = -1;
  block->mass = NAN;
  block->density = DENSITY;
  block->position[2] = 0.5 * scene->size[2] + 0.002;
  block->velocity[0] = 0.5;
  block->velocity[2] = -0.5;
  block->soft = &scene->soft;
  scene->soft.size = (struct dc_real_list){3, scene->size};
  scene->soft.cells = (struct dc_real_list){3, scene->cells};
  scene->soft.young = young;
  scene->soft.viscosity = VISCOSITY;
  scene->soft.self_contact = false;
  definition->time = (struct dc_time_settings){.step = step, .steps = STEPS};
  definition->gravity[2] = -9.81;
  definition->contact.friction = friction;
  definition->contact_model = dc_contact_model_find("bsh");
  definition->shape_count = 1;
  definition->shapes = &scene->ground;
  definition->body_count = 2;
  definition->bodies = scene->bodies;
  return status;
}

static void destroy(struct soft_scene *scene)
{
  dc_trajectory_destroy(scene->trajectory);
  dc_rollout_input_destroy(scene->input);
  dc_rollout_destroy(scene->rollout);
  dc_arena_destroy(scene->arena);
}

static enum dc_status roll(struct soft_scene *scene, long cells, double young, double friction, double step,
                           struct dc_error *error)
{
  scene->arena = dc_arena_create();
  enum dc_status status = scene->arena ? define(scene, cells, young, friction, step, error) : DC_MEMORY;
  if (!status)
    status = dc_model_create(&scene->model, &scene->definition, scene->arena, error);
  if (status)
    return status;
  scene->rollout = dc_rollout_create(&scene->model, error);
  scene->input = dc_rollout_input_create(&scene->model, STEPS);
  scene->trajectory = dc_trajectory_create(&scene->model, STEPS);
  if (!scene->rollout || !scene->input || !scene->trajectory)
    return DC_MEMORY;
  return dc_rollout_forward(scene->rollout, scene->input, scene->trajectory, error);
}

static void free_system(struct linear_system *system)
{
  free(system->c);
  free(system->b);
  free(system->x);
  free(system->direct);
  free(system->product);
}

static void assemble(struct soft_scene *scene, struct dc_step_state state, bool apart)
{
  struct dc_rollout *rollout = scene->rollout;
  struct dc_step_hessian hessian = {.blocks = rollout->frames.blocks,
                                    .assembler = rollout->assembler,
                                    .kinematics = &rollout->next,
                                    .matrix = rollout->matrix};
  state.laws_apart = apart;
  memset(rollout->frames.wrenches, 0, (size_t)scene->model.bodies.count * sizeof *rollout->frames.wrenches);
  dc_step_assemble(&state, true, (const double(*)[6])rollout->frames.wrenches, &hessian);
}

// Adds the diagonal blocks of the matrix, times sign, to C.
static void add_diagonals(const struct linear_system *system, double sign)
{
  double *values = dc_symmetric_values(system->matrix);
  struct dc_block_place place;
  for (int node = 0; node < system->size / 3; node++) {
    dc_symmetric_place(system->matrix, node, node, &place);
    for (int j = 0; j < 3; j++)
      for (int i = j; i < 3; i++) {
        double *c = system->c + 9 * (size_t)node, value = sign * values[place.at[j] + i - j];
        c[3 * i + j] += value;
        if (i != j)
          c[3 * j + i] += value;
      }
  }
}

static int count_contacts(const struct linear_system *system)
{
  double *values = dc_symmetric_values(system->matrix);
  struct dc_block_place place;
  int count = 0;
  for (int node = 0; node < system->size / 3; node++) {
    const double *c = system->c + 9 * (size_t)node;
    dc_symmetric_place(system->matrix, node, node, &place);
    double own = values[place.at[0]] + values[place.at[1]] + values[place.at[2]];
    count += c[0] + c[4] + c[8] > COUNTS * own;
  }
  return count;
}

// Takes the last interval of the trajectory: A, and C = the Hessian with contact, minus A.
static enum dc_status make_system(struct soft_scene *scene, struct linear_system *system, struct dc_error *error)
{
  struct dc_rollout *rollout = scene->rollout;
  size_t size = (size_t)scene->model.bodies.nv;
  struct dc_random random;
  dc_random_seed(&random, SEED);
  *system = (struct linear_system){.size = (int)size,
                                   .c = dc_alloc(3 * size, sizeof(double)),
                                   .b = dc_alloc(size, sizeof(double)),
                                   .x = dc_alloc(size, sizeof(double)),
                                   .direct = dc_alloc(size, sizeof(double)),
                                   .product = dc_alloc(size, sizeof(double))};
  if (!system->c || !system->b || !system->x || !system->direct || !system->product)
    return dc_out_of_memory_for(error, "a benchmark's system");
  struct dc_state_place end = {STEPS - 1, dc_trajectory_substeps(scene->trajectory, STEPS - 1)};
  struct dc_step_state state = dc_interval_state(rollout, scene->input, scene->trajectory, end);
  enum dc_status status = dc_step_restore(rollout, &state, false, error);
  if (status)
    return status;
  system->matrix = rollout->matrix;
  for (size_t i = 0; i < size; i++)
    system->b[i] = 2 * dc_random_uniform(&random) - 1;
  assemble(scene, state, false);
  add_diagonals(system, 1);
  assemble(scene, state, true);
  add_diagonals(system, -1);
  return DC_OK;
}

// Solves A + C directly; leaves A in the matrix.
static enum dc_status solve_directly(struct linear_system *system, struct dc_solver_case *result,
                                     struct dc_error *error)
{
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int node = 0; node < system->size / 3; node++)
      dc_symmetric_add_block(system->matrix, node, node, sign, system->c + 9 * (size_t)node, 3);
    if (sign < 0)
      break;
    if (dc_symmetric_factor_positive(system->matrix))  // finds its order, too
      return dc_fail(error, DC_NUMERICAL, "the system is not positive definite");
    double begin = dc_process_seconds();
    dc_symmetric_factor_positive(system->matrix);
    double middle = dc_process_seconds();
    dc_symmetric_solve(system->matrix, system->b, system->direct, NULL);
    result->factor = middle - begin;
    result->solve = dc_process_seconds() - middle;
  }
  return DC_OK;
}

static double largest(const double *x, int count)
{
  double most = 0;
  for (int i = 0; i < count; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

static enum dc_status solve_by(const struct soft_scene *scene, struct linear_system *system, struct dc_solver_row *row,
                               struct dc_error *error)
{
  struct dc_block_solver *solver = dc_block_solver_create(system->matrix, row->method);
  double *product = system->product;
  if (!solver)
    return dc_out_of_memory_for(error, "a benchmark's solver");
  dc_block_solve(solver, system->c, system->b, PART, 1, system->x);  // finds orders of factorizations, too
  dc_block_solver_renew(solver, scene->trajectory->q + (size_t)STEPS * (size_t)scene->trajectory->nq);
  double begin = dc_process_seconds();
  row->done = dc_block_solve(solver, system->c, system->b, PART, MOST, system->x);
  double middle = dc_process_seconds();
  dc_block_solve(solver, system->c, system->b, PART, MOST, system->x);
  row->first = middle - begin;
  row->again = dc_process_seconds() - middle;
  for (int k = 0; k < 2; k++) {
    struct dc_iterations done = dc_block_solve(solver, system->c, system->b, LOOSE[k], MOST, system->product);
    row->loose[k] = done.converged ? done.count : -1;
  }
  dc_symmetric_multiply(system->matrix, system->x, product);
  for (int node = 0; node < system->size / 3; node++) {
    double pushed[3];
    dc_mat_apply(pushed, system->c + 9 * (size_t)node, system->x + 3 * (size_t)node);
    dc_vec_add(product + 3 * (size_t)node, product + 3 * (size_t)node, pushed);
  }
  for (int i = 0; i < system->size; i++) {
    product[i] -= system->b[i];
    system->x[i] -= system->direct[i];
  }
  row->residual = sqrt(dc_dot(product, product, system->size) / dc_dot(system->b, system->b, system->size));
  row->apart = largest(system->x, system->size) / largest(system->direct, system->size);
  dc_block_solver_destroy(solver);
  return DC_OK;
}

enum dc_status dc_bench_solvers(long cells, double young, double friction, double step, struct dc_solver_case *result,
                                struct dc_error *error)
{
  static const enum dc_preconditioner order[] = {DC_PRECONDITION_JACOBI,    DC_PRECONDITION_GAUSS_SEIDEL,
                                                 DC_PRECONDITION_TWO_LEVEL, DC_PRECONDITION_WOODBURY,
                                                 DC_PRECONDITION_NONE,      DC_PRECONDITION_PROJECTIVE};
  struct soft_scene scene = {0};
  struct linear_system system = {0};
  enum dc_status status = roll(&scene, cells, young, friction, step, error);
  int nodes = scene.model.bodies.node_count;
  *result = (struct dc_solver_case){.young = young,
                                    .friction = friction,
                                    .step = step,
                                    .stiffness = (young + VISCOSITY / step) * step * step / (DENSITY * CELL * CELL),
                                    .nodes = nodes,
                                    .row_count = nodes > FEW_NODES ? DC_SOLVER_ROWS - 4 : DC_SOLVER_ROWS};
  if (!status)
    status = make_system(&scene, &system, error);
  if (!status)
    status = solve_directly(&system, result, error);
  if (!status)
    result->contacts = count_contacts(&system);
  for (int i = 0; i < result->row_count && !status; i++) {
    result->rows[i].method = (struct dc_block_method){i % 2 ? DC_GMRES : DC_CONJUGATE_GRADIENTS, order[i / 2]};
    status = solve_by(&scene, &system, &result->rows[i], error);
  }
  free_system(&system);
  destroy(&scene);
  return status;
}
