// SPDX-License-Identifier: Apache-2.0
// The gradient of a smooth loss of a rollout, by the adjoint and by differences in every slice of the input.
#ifndef DC_TESTS_DYNAMICS_GRADIENTS_H
#define DC_TESTS_DYNAMICS_GRADIENTS_H

#include "scenes.h"

static inline double coordinate_loss(const struct dc_body *body, const double *q, double factor, double *forces)
{
  double loss = 0;
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
      continue;
    loss += sin(factor * q[part->q]);
    if (forces)
      forces[part->v] += factor * cos(factor * q[part->q]);
  }
  return loss;
}

// A smooth loss of several frames: over movable bodies sin(c.x + phase) + <C, R>, over coordinates of slides and hinges
// sin(c q), other coefficients for each frame, body and coordinate.  Derivative into frames (may be NULL).
static inline double smooth_loss(const struct dc_model *model, const struct dc_trajectory *trajectory,
                                 struct dc_trajectory_cotangent *frames)
{
  struct dc_random random;
  struct dc_pose poses[SCENE_BODIES];
  int nv = model->bodies.nv, stride = trajectory->steps < 3 ? 1 : trajectory->steps / 3;
  double loss = 0;
  dc_random_seed(&random, 21);
  if (frames)
    scene_clear_frames(model, trajectory->steps, frames);
  for (int frame = trajectory->steps; frame >= 0; frame -= stride) {
    dc_poses(&model->bodies, frame_of(trajectory, frame), poses);
    for (int i = 0; i < model->bodies.count; i++) {
      const struct dc_body *body = &model->bodies.bodies[i];
      double c[3], phase, turn[9];
      random_vector(&random, 3, 2, c);
      random_vector(&random, 1, 3, &phase);
      random_vector(&random, 9, 0.5, turn);
      if (!dc_body_moves(body))
        continue;
      double angle = dc_vec_dot(c, poses[i].position) + phase, product[9];
      loss += sin(angle);
      for (int k = 0; k < 9; k++)
        loss += turn[k] * poses[i].rotation[k];
      loss += coordinate_loss(body, frame_of(trajectory, frame), c[0], frames ? frames->forces + frame * nv : NULL);
      if (!frames)
        continue;
      double *at = frames->wrenches[frame * model->bodies.count + i];
      dc_vec_add_scaled(at + 3, at + 3, cos(angle), c);
      dc_mat_multiply_transposed(product, turn, poses[i].rotation);  // w . sum_j R_j x C_j
      at[0] += product[7] - product[5];
      at[1] += product[2] - product[6];
      at[2] += product[3] - product[1];
    }
  }
  return loss;
}

// All numbers an input has, as one vector of tangents: the start, factors of the design, gravity, targets.
enum slice {
  STATE_ROTATION,
  STATE_POSITION,
  VELOCITY_ROTATION,
  VELOCITY_POSITION,
  MASS,
  FRICTION,
  KP,
  KD,
  STIFFNESS,
  GRAVITY,
  TARGET_POSITION,
  TARGET_VELOCITY,
  SLICES
};
static const char *const slice_names[SLICES] = {
    "rotation", "position",  "angular velocity", "velocity",        "mass",           "friction", "kp",
    "kd",       "stiffness", "gravity",          "target position", "target velocity"};

static inline int input_size(const struct dc_model *model, int steps)
{
  return 2 * model->bodies.nv + 4 * model->bodies.count + 4 + 2 * steps * model->bodies.actuator_count;
}

static inline bool turns(const struct dc_model *model, int v)
{
  for (int i = 0; i < model->bodies.count; i++)
    for (int p = 0; p < model->bodies.bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &model->bodies.bodies[i].parts[p];
      if (v >= part->v && v < part->v + dc_part_nv(part))
        return part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
    }
  return false;
}

static inline enum slice slice_of(const struct dc_model *model, int steps, int i)
{
  int nv = model->bodies.nv, count = model->bodies.count;
  if (i < 2 * nv)
    return (enum slice)(2 * (i >= nv) + !turns(model, i % nv));
  i -= 2 * nv;
  if (i < 4 * count)
    return (enum slice)(MASS + i / count);
  i -= 4 * count;
  if (i < 4)
    return i == 0 ? STIFFNESS : GRAVITY;
  return i - 4 < steps * model->bodies.actuator_count ? TARGET_POSITION : TARGET_VELOCITY;
}

// Numbers with an array of their own: of the design of a body, then targets.
struct array {
  double *numbers;
  int count;
};

static inline void arrays_of(const struct dc_model *model, int steps, const struct dc_design *design, double *position,
                             double *velocity, struct array arrays[6])
{
  int count = model->bodies.count, targets = steps * model->bodies.actuator_count;
  const struct array all[6] = {{design->body_mass_scale, count},
                               {design->friction_scale, count},
                               {design->kp_scale, count},
                               {design->kd_scale, count},
                               {position, targets},
                               {velocity, targets}};
  memcpy(arrays, all, sizeof all);
}

static inline void move_input(const struct dc_model *model, const struct dc_rollout_input *from, double step,
                              const double *direction, struct dc_rollout_input *to)
{
  struct array sources[6], targets[6];
  arrays_of(model, from->steps, &from->design, from->target_position, from->target_velocity, sources);
  arrays_of(model, from->steps, &to->design, to->target_position, to->target_velocity, targets);
  dc_state_move(&model->bodies, from->q, step, direction, to->q);
  direction += model->bodies.nv;
  for (int i = 0; i < model->bodies.nv; i++)
    to->velocity[i] = from->velocity[i] + step * *direction++;
  for (int k = 0; k < 6; k++) {
    if (k == 4) {
      to->design.stiffness_scale = from->design.stiffness_scale + step * *direction++;
      for (int i = 0; i < 3; i++)
        to->design.gravity[i] = from->design.gravity[i] + step * *direction++;
    }
    for (int i = 0; i < sources[k].count; i++)
      targets[k].numbers[i] = sources[k].numbers[i] + step * *direction++;
  }
}

static inline void flatten(const struct dc_model *model, const struct dc_rollout_cotangent *cotangent, double *gradient)
{
  struct array arrays[6];
  arrays_of(model, cotangent->steps, &cotangent->design, cotangent->target_position, cotangent->target_velocity,
            arrays);
  memcpy(gradient, cotangent->q, (size_t)model->bodies.nv * sizeof *gradient);
  gradient += model->bodies.nv;
  memcpy(gradient, cotangent->velocity, (size_t)model->bodies.nv * sizeof *gradient);
  gradient += model->bodies.nv;
  for (int k = 0; k < 6; k++) {
    if (k == 4) {
      *gradient++ = cotangent->design.stiffness_scale;
      for (int i = 0; i < 3; i++)
        *gradient++ = cotangent->design.gravity[i];
    }
    for (int i = 0; i < arrays[k].count; i++)
      *gradient++ = arrays[k].numbers[i];
  }
}

struct gradient_problem {
  struct scene *scene;
  struct dc_trajectory *trajectory;
  struct dc_rollout_input *input, *moved;
  struct dc_rollout_cotangent *cotangent;
  struct dc_trajectory_cotangent frames;
  double *gradient, *direction;
  double loss;
};

// Loss and gradient at the model's own start, every step converged to rounding; prepare (or NULL) sets targets.
static inline void start_gradient(struct gradient_problem *problem, struct scene *scene, int steps,
                                  void (*prepare)(const struct dc_model *model, struct dc_rollout_input *input))
{
  const struct dc_model *model = &scene->model;
  size_t size = (size_t)input_size(model, steps);
  *problem = (struct gradient_problem){.scene = scene,
                                       .trajectory = dc_trajectory_create(model, steps),
                                       .input = dc_rollout_input_create(model, steps),
                                       .moved = dc_rollout_input_create(model, steps),
                                       .cotangent = dc_rollout_cotangent_create(model, steps),
                                       .frames = scene_frames(model, steps),
                                       .gradient = dc_alloc(size, sizeof(double)),
                                       .direction = dc_alloc(size, sizeof(double))};
  if (prepare)
    prepare(model, problem->input);
  dc_rollout_set_tight(scene->rollout, true);
  enum dc_status status = dc_rollout_forward(scene->rollout, problem->input, problem->trajectory, &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  problem->loss = smooth_loss(model, problem->trajectory, &problem->frames);
  dc_rollout_cotangent_clear(model, problem->cotangent);
  status = dc_rollout_adjoint(scene->rollout, problem->input, problem->trajectory, &problem->frames, problem->cotangent,
                              &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  flatten(model, problem->cotangent, problem->gradient);
}

static inline void end_gradient(struct gradient_problem *problem)
{
  dc_trajectory_destroy(problem->trajectory);
  dc_rollout_input_destroy(problem->input);
  dc_rollout_input_destroy(problem->moved);
  dc_rollout_cotangent_destroy(problem->cotangent);
  scene_free_frames(&problem->frames);
  free(problem->gradient);
  free(problem->direction);
}

static inline double loss_at(struct gradient_problem *problem, double step)
{
  struct scene *scene = problem->scene;
  move_input(&scene->model, problem->input, step, problem->direction, problem->moved);
  enum dc_status status = dc_rollout_forward(scene->rollout, problem->moved, problem->trajectory, &scene->error);
  CHECK(status == DC_OK && problem->trajectory->unconverged_steps == 0, "%s", scene->error.text);
  return smooth_loss(&scene->model, problem->trajectory, NULL);
}

static inline double central(struct gradient_problem *problem, double step)
{
  return (loss_at(problem, step) - loss_at(problem, -step)) / (2 * step);
}

// Fourth-order differences along the direction.
static inline double difference(struct gradient_problem *problem, double step)
{
  return (4 * central(problem, step) - central(problem, 2 * step)) / 3;
}

// Every component against differences, each slice relative to its own largest derivative: below 5e-8 observed.
// Rounding of the loss over the step is most of it: stiffness, whose derivative is small and which moves nothing at
// once, is varied by more.
static inline void check_components(struct gradient_problem *problem, const char *name, double step, double tolerance)
{
  const struct dc_model *model = &problem->scene->model;
  int steps = problem->input->steps, size = input_size(model, steps);
  double off[SLICES] = {0}, largest[SLICES] = {0};
  for (int i = 0; i < size; i++) {
    enum slice slice = slice_of(model, steps, i);
    bool fixed = slice == MASS && !dc_body_moves(&model->bodies.bodies[i - 2 * model->bodies.nv]);
    if (fixed) {
      CHECK_NEAR(problem->gradient[i], 0, 0);
      continue;
    }
    memset(problem->direction, 0, (size_t)size * sizeof(double));
    problem->direction[i] = 1;
    double change = slice == STIFFNESS ? 10 * step : step;
    off[slice] = larger(off[slice], fabs(difference(problem, change) - problem->gradient[i]));
    largest[slice] = larger(largest[slice], fabs(problem->gradient[i]));
  }
  for (int slice = 0; slice < SLICES; slice++) {
    CHECK(off[slice] <= tolerance * largest[slice], "%s, %s: off by %g of %g", name, slice_names[slice], off[slice],
          largest[slice]);
  }
}

// Random directions through all slices; then the remainder of the first-order expansion over a decade of steps, which
// falls with the square.
static inline void check_directions(struct gradient_problem *problem, const char *name, double step, double tolerance,
                                    double taylor)
{
  struct dc_random random;
  int size = input_size(&problem->scene->model, problem->input->steps);
  double norm = 0, slope = 0;
  dc_random_seed(&random, 31);
  for (int i = 0; i < size; i++)
    norm += problem->gradient[i] * problem->gradient[i];
  for (int trial = 0; trial < 2; trial++) {
    slope = 0;
    for (int i = 0; i < size; i++) {
      problem->direction[i] = dc_random_normal(&random);
      slope += problem->direction[i] * problem->gradient[i];
    }
    double off = fabs(difference(problem, step) - slope) / sqrt(norm);
    CHECK(off <= tolerance, "%s: off by %g of the gradient", name, off);
  }
  double large = fabs(loss_at(problem, taylor) - problem->loss - taylor * slope);
  double small = fabs(loss_at(problem, 0.1 * taylor) - problem->loss - 0.1 * taylor * slope);
  CHECK_NEAR(log10(large / small), 2, 0.1);  // 1.99 ... 2.001 observed
}

// The inverse of flatten.
static inline void unflatten(const struct dc_model *model, const double *direction,
                             struct dc_rollout_cotangent *cotangent)
{
  struct array arrays[6];
  arrays_of(model, cotangent->steps, &cotangent->design, cotangent->target_position, cotangent->target_velocity,
            arrays);
  memcpy(cotangent->q, direction, (size_t)model->bodies.nv * sizeof *direction);
  direction += model->bodies.nv;
  memcpy(cotangent->velocity, direction, (size_t)model->bodies.nv * sizeof *direction);
  direction += model->bodies.nv;
  for (int k = 0; k < 6; k++) {
    if (k == 4) {
      cotangent->design.stiffness_scale = *direction++;
      for (int i = 0; i < 3; i++)
        cotangent->design.gravity[i] = *direction++;
    }
    for (int i = 0; i < arrays[k].count; i++)
      arrays[k].numbers[i] = *direction++;
  }
}

// The derivative of the loss along random directions, a slice of the input each and one through all of them: by the
// tangent, all at once, and by the gradient, which is the adjoint.  Returns the largest difference relative to the sum
// of the magnitudes.
static inline double products_apart(struct gradient_problem *problem, const struct dc_trajectory *trajectory)
{
  struct scene *scene = problem->scene;
  const struct dc_model *model = &scene->model;
  int steps = problem->input->steps, size = input_size(model, steps);
  size_t count = SLICES + 1, nv = (size_t)model->bodies.nv;
  struct dc_rollout_cotangent *directions[SLICES + 1], *none = dc_rollout_cotangent_create(model, steps);
  double *numbers = dc_alloc(count * (size_t)size, sizeof *numbers), products[SLICES + 1], apart = 0;
  double *tangents = dc_alloc((size_t)(steps + 1) * count * nv, sizeof *tangents);
  struct dc_random random;
  dc_random_seed(&random, 41);
  for (int k = 0; k <= SLICES; k++) {
    directions[k] = dc_rollout_cotangent_create(model, steps);
    for (int i = 0; i < size; i++)
      if (k == SLICES || (int)slice_of(model, steps, i) == k)
        numbers[k * size + i] = dc_random_normal(&random);
    unflatten(model, numbers + k * size, directions[k]);
  }
  enum dc_status status =
      dc_rollout_tangent(scene->rollout, problem->input, trajectory, SLICES + 1,
                         (const struct dc_rollout_cotangent *const *)directions, tangents, &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  smooth_loss(model, trajectory, &problem->frames);
  struct dc_adjoint_row row = {.last = steps, .frames = problem->frames, .input = none};
  dc_rollout_contract(scene->rollout, trajectory, &row, SLICES + 1,
                      (const struct dc_rollout_cotangent *const *)directions, tangents, products, NULL);
  for (int k = 0; k <= SLICES; k++) {
    double sum = 0, magnitude = 0;
    for (int i = 0; i < size; i++) {
      sum += problem->gradient[i] * numbers[k * size + i];
      magnitude += fabs(problem->gradient[i] * numbers[k * size + i]);
    }
    CHECK((magnitude == 0 && products[k] == 0) || magnitude > 0, "%s: %g", slice_names[k], products[k]);
    apart = larger(apart, magnitude > 0 ? fabs(products[k] - sum) / magnitude : 0);
    dc_rollout_cotangent_destroy(directions[k]);
  }
  dc_rollout_cotangent_destroy(none);
  free(numbers);
  free(tangents);
  return apart;
}

// What a row sees of the input directly, in one slice of it at a time, along random directions: without tangents all of
// the product, and that only.  Returns the largest difference relative to the sum of the magnitudes.
static inline double direct_products_apart(struct gradient_problem *problem, const struct dc_trajectory *trajectory)
{
  const struct dc_model *model = &problem->scene->model;
  int steps = problem->input->steps, size = input_size(model, steps);
  struct dc_rollout_cotangent *direction = dc_rollout_cotangent_create(model, steps),
                              *input = dc_rollout_cotangent_create(model, steps);
  double *numbers = dc_alloc(2 * (size_t)size, sizeof *numbers), apart = 0;
  double *tangents = dc_alloc((size_t)(steps + 1) * (size_t)model->bodies.nv, sizeof *tangents);
  struct dc_adjoint_row row = {.last = steps, .frames = problem->frames, .input = input};
  struct dc_random random;
  dc_random_seed(&random, 43);
  for (int i = 0; i < size; i++)
    numbers[size + i] = dc_random_normal(&random);
  unflatten(model, numbers + size, direction);
  for (int k = 0; k < SLICES; k++) {
    double sum = 0, magnitude = 0, product;
    for (int i = 0; i < size; i++) {
      numbers[i] = (int)slice_of(model, steps, i) == k ? dc_random_normal(&random) : 0;
      sum += numbers[i] * numbers[size + i];
      magnitude += fabs(numbers[i] * numbers[size + i]);
    }
    unflatten(model, numbers, input);
    dc_rollout_contract(problem->scene->rollout, trajectory, &row, 1,
                        (const struct dc_rollout_cotangent *const[]){direction}, tangents, &product, NULL);
    CHECK(magnitude > 0, "%s", slice_names[k]);
    apart = larger(apart, fabs(product - sum) / magnitude);
  }
  dc_rollout_cotangent_destroy(direction);
  dc_rollout_cotangent_destroy(input);
  free(numbers);
  free(tangents);
  return apart;
}

// Two rows at once: the loss, which has the same bits as alone, and its part from the middle frame on, which with that
// of the frames before makes up the whole: 3e-16 observed.
static inline void check_block(struct gradient_problem *problem, const char *name, double tolerance)
{
  struct scene *scene = problem->scene;
  const struct dc_model *model = &scene->model;
  int steps = problem->input->steps, size = input_size(model, steps), half = steps / 2;
  double *late = dc_alloc((size_t)size, sizeof *late), off = 0, largest = 0;
  struct dc_trajectory_cotangent part = problem->frames;
  struct dc_rollout_cotangent *inputs[2] = {dc_rollout_cotangent_create(model, steps),
                                            dc_rollout_cotangent_create(model, steps)};
  smooth_loss(model, problem->trajectory, &problem->frames);
  part.wrenches += half * model->bodies.count;
  part.forces += half * model->bodies.nv;
  struct dc_adjoint_row rows[2] = {{half, steps, part, inputs[0]}, {0, steps, problem->frames, inputs[1]}};
  for (int call = 0; call < 2; call++) {
    enum dc_status status = dc_rollout_adjoint_block(scene->rollout, problem->input, problem->trajectory, 2 - call,
                                                     rows + call, &scene->error);
    CHECK(status == DC_OK, "%s: %s", name, scene->error.text);
    flatten(model, inputs[1], problem->direction);
    if (call == 0)
      CHECK(memcmp(problem->direction, problem->gradient, (size_t)size * sizeof(double)) == 0, "%s: same bits", name);
    dc_rollout_cotangent_clear(model, inputs[1]);
    rows[1].last = half - 1;
  }
  flatten(model, inputs[0], late);
  for (int i = 0; i < size; i++) {
    off = larger(off, fabs(problem->direction[i] + late[i] - problem->gradient[i]));
    largest = larger(largest, fabs(problem->gradient[i]));
  }
  CHECK(off <= tolerance * largest, "%s: off by %g of %g", name, off, largest);
  for (int i = 0; i < 2; i++)
    dc_rollout_cotangent_destroy(inputs[i]);
  free(late);
}

// The adjoint without a tape against the gradient with one: of a copy of the states, and rolled out that way.  They
// differ by the rounding of planes: up to 1.4e-11 observed, with ipc by nothing.
static inline void check_recomputed(struct gradient_problem *problem, const char *name, double tolerance)
{
  struct scene *scene = problem->scene;
  const struct dc_model *model = &scene->model;
  int steps = problem->input->steps, size = input_size(model, steps);
  struct dc_trajectory *record = dc_record_create(model, steps);
  CHECK(problem->trajectory->pair_count > 0 && record->pair_count == 0, "%s: one tape", name);
  for (int again = 0; again < 2; again++) {
    if (again)
      CHECK(dc_rollout_forward(scene->rollout, problem->input, record, &scene->error) == DC_OK, "%s",
            scene->error.text);
    else
      dc_trajectory_copy(record, problem->trajectory);
    smooth_loss(model, record, &problem->frames);
    dc_rollout_cotangent_clear(model, problem->cotangent);
    CHECK(dc_rollout_adjoint(scene->rollout, problem->input, record, &problem->frames, problem->cotangent,
                             &scene->error) == DC_OK,
          "%s: %s", name, scene->error.text);
    flatten(model, problem->cotangent, problem->direction);
    double off = 0, largest = 0;
    for (int i = 0; i < size; i++) {
      off = larger(off, fabs(problem->direction[i] - problem->gradient[i]));
      largest = larger(largest, fabs(problem->gradient[i]));
    }
    CHECK(largest > 0 && off <= tolerance * largest, "%s: off by %g of %g", name, off, largest);
  }
  dc_trajectory_destroy(record);
}

#endif
