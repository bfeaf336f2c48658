// SPDX-License-Identifier: Apache-2.0
// One implicit step: q+ = argmin L(q+; q, q-, design) (paper 000, Eq. 1) by Newton's method, every step of which is
// bounded by continuous collision detection.  dc_step_solve:
// 1. contact at q fixes friction and restitution of the interval (begin_interval);
// 2. the first guess goes on with the last velocity or to the integrator's prediction, as far as nothing is in the way
//    (first_guess);
// 3. where an earlier try did not converge, minima for falling stiffnesses lead towards the solution (follow_path);
// 4. Newton's method (minimize).
//
// Models of nodes, alone or many beside free bodies, take their Newton steps from node_newton.c, which solves the
// problem with contact of nodes against half-spaces and its friction exactly; the others from one factorization
// (factored_step), bent where they change gaps strongly (barrier_step.c).
#include "dynamics/node_newton.h"

#include <string.h>

#include "dynamics/barrier_step.h"
#include "dynamics/constants.h"
#include "math/vector.h"

// The step potential at one trial state.
struct trial {
  double value, magnitude;  // J; magnitude: sum of the terms' absolute values and of what makes noise in them
  struct dc_step_state state;
};

// The arguments of all evaluations of a step.
struct step_input {
  const struct dc_rollout_input *input;
  struct dc_step_interval interval;
  const double *q;   // at t
  bool careful;      // friction counts with its majorant in Hessians
  double hardening;  // factor on the stiffness
};

// Poses on joints are products whose rounding the forces on the frames turn into noise of the value: the sum over
// bodies of force times size of the numbers that a position is made of, and torque.  A free body's pose is its state.
static double pose_magnitude(const struct dc_rollout *rollout)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double sum = 0;
  for (int i = 0; i < bodies->count; i++) {
    double size = 0;
    if (!dc_body_moves(&bodies->bodies[i]) || bodies->bodies[i].free)
      continue;
    for (int above = i; above >= 0; above = bodies->bodies[above].parent)
      size += dc_vec_norm(rollout->next.poses[above].position) + dc_vec_norm(bodies->bodies[above].rest_position);
    sum += dc_vec_norm(rollout->frames.wrenches[i]) + size * dc_vec_norm(rollout->frames.wrenches[i] + 3);
  }
  return sum;
}

// Value, gradient [nv] and the parts of the derivatives at state q; rollout->next has its kinematics afterwards.
static enum dc_status evaluate(struct dc_rollout *rollout, const struct step_input *given, const double *q,
                               double *gradient, struct trial *trial, struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  size_t nv = (size_t)model->bodies.nv;
  dc_kinematics_update(&model->bodies, q, &rollout->next);
  trial->state = dc_step_state_of(rollout, given->input, given->interval, rollout->q_before, given->q, q);
  trial->state.hardening = given->hardening;
  trial->state.duals = rollout->nodes.duals;
  enum dc_status status = dc_step_evaluate(rollout, &trial->state, given->careful, error);
  if (status)
    return status;
  trial->value = trial->magnitude = 0;
  memset(gradient, 0, nv * sizeof *gradient);
  memset(rollout->frames.wrenches, 0, (size_t)model->bodies.count * sizeof *rollout->frames.wrenches);
  struct dc_step_forces forces = {.wrenches = rollout->frames.wrenches, .joints = gradient};
  for (int i = 0; dc_step_terms[i]; i++) {
    const struct dc_step_term *term = dc_step_terms[i];
    double value =
        term->value_and_gradient ? term->value_and_gradient(&trial->state, &forces) : term->value(&trial->state);
    trial->value += value;
    trial->magnitude += fabs(value);
  }
  for (int i = 0; dc_step_terms[i] && isfinite(trial->value); i++)
    if (!dc_step_terms[i]->value_and_gradient)
      dc_step_terms[i]->add_gradient(&trial->state, &forces);
  dc_pull_back(&model->bodies, &rollout->next, (const double(*)[6])rollout->frames.wrenches, gradient);
  trial->magnitude += pose_magnitude(rollout);
  return DC_OK;
}

// The force that moves the lightest body by a part of its size in a step.
static double least_force(const struct trial *trial, double part)
{
  const struct dc_bodies *bodies = &trial->state.model->bodies;
  double h = trial->state.interval.length, least = dc_node_signal(&trial->state, part);
  for (int i = 0; i < bodies->count; i++)
    if (dc_body_moves(&bodies->bodies[i]) && bodies->bodies[i].mass > 0)
      least = fmin(least, part * bodies->bodies[i].mass * bodies->bodies[i].radius / (h * h));
  return least;
}

// The smallest contact force between two movable bodies: what a gradient between distant bodies rests on.  Without
// such a pair, or with a force that ends somewhere, what moves the lightest body by a millionth of its size in a whole
// step: a part of a divided one changes velocities by no more than a whole step may.
static double smallest_signal(const struct trial *trial)
{
  const struct dc_bodies *bodies = &trial->state.model->bodies;
  double mu = trial->state.model->definition.contact.stiffness * trial->state.input->design.stiffness_scale *
              trial->state.hardening,
         least = INFINITY;
  bool long_range = trial->state.model->definition.contact_model->flags & DC_CONTACT_LONG_RANGE;
  for (int p = 0; p < trial->state.rigid->pair_count && long_range; p++) {
    double force = mu * dc_vec_norm(trial->state.pairs[p].gradient + 3);
    if (force > 0 && dc_body_moves(&bodies->bodies[trial->state.rigid->pair_bodies[p][1]]))
      least = fmin(least, force);
  }
  double share = trial->state.interval.length / trial->state.model->definition.time.step;
  return least < INFINITY ? least : least_force(trial, DC_STEP_LEAST_MOVE * share);
}

// Largest component of the gradient relative to what is asked for (tolerance; torques: times the reach of what they
// turn) or to the noise where that is larger.
static double relative_residual(const struct dc_rollout *rollout, const double *gradient, double tolerance,
                                const double *floor, double *noise_ratio)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double largest = 0;
  *noise_ratio = 0;
  for (int v = 0; v < bodies->nv; v++) {
    double asked = tolerance * bodies->reach[v];
    if (!isfinite(gradient[v]))  // fmax passes over NaN
      return *noise_ratio = INFINITY;
    largest = fmax(largest, fabs(gradient[v]) / fmax(asked, floor[v]));
    *noise_ratio = fmax(*noise_ratio, fabs(gradient[v]) / fmax(asked, DC_STEP_ROUNDING_LIMITED * floor[v]));
  }
  return largest;
}

// Adds damping times the positive part of the inertia to the matrix.
static void add_damping(struct dc_rollout *rollout, const struct dc_step_state *state,
                        const struct dc_kinematics *kinematics, double damping)
{
  struct dc_step_hessian hessian = {.blocks = rollout->frames.blocks, .matrix = rollout->matrix};
  memset(rollout->frames.blocks, 0, (size_t)state->model->bodies.count * sizeof *rollout->frames.blocks);
  dc_inertia_add_damping(state, damping, &hessian);
  dc_node_add_damping(state, damping, &hessian);
  dc_assemble_bodies(rollout->assembler, kinematics, (const double(*)[36])rollout->frames.blocks, NULL,
                     rollout->matrix);
}

// damping > 0 adds that many times the positive part of the inertia: a step gets shorter in all that only inertia
// resists.
static void assemble(struct dc_rollout *rollout, const struct dc_step_state *state, bool exact, double damping)
{
  struct dc_step_hessian hessian = {.blocks = rollout->frames.blocks,
                                    .assembler = rollout->assembler,
                                    .kinematics = &rollout->next,
                                    .matrix = rollout->matrix,
                                    .element_places = rollout->nodes.element_places};
  dc_step_assemble(state, exact, (const double(*)[6])rollout->frames.wrenches, &hessian);
  if (damping > 0)
    add_damping(rollout, state, &rollout->next, damping);
}

static bool factor_exact(struct dc_rollout *rollout, const struct dc_step_state *state, double damping)
{
  assemble(rollout, state, true, damping);
  return dc_symmetric_factor_positive(rollout->matrix) == DC_OK;
}

// Factors the Hessian of an iterate, and counts in *indefinite the iterations in a row that could not use the exact
// one:
// 1. the exact Hessian, if it is positive definite;
// 2. after DC_STEP_PATIENCE failures in a row the exact one with as little more damping as makes it positive definite.
//    The iterate is then leaving a saddle, where a turn may go either way: the projected Hessian, blind to negative
//    curvature, only crawls, whereas these steps grow along it;
// 3. the projected Hessian, with shifts of the diagonal as a last resort.
//
// Damping (Levenberg 1944) shortens steps where only inertia resists them.  Without it a turn that closes a small gap
// would cut the whole step, also the part that opens the gap, and iterates would crawl along the barrier.
static enum dc_status factor(struct dc_rollout *rollout, const struct dc_step_state *state, double damping,
                             int *indefinite, struct dc_error *error)
{
  enum dc_status status = dc_step_fit_pattern(rollout, error);
  if (status)
    return status;
  if (factor_exact(rollout, state, damping)) {
    *indefinite = 0;
    return DC_OK;
  }
  if (++*indefinite > DC_STEP_PATIENCE)
    for (double more = fmax(DC_STEP_LEAST_DAMPING, DC_STEP_DAMPING_FACTOR * damping); more <= DC_STEP_MOST_DAMPING;
         more *= DC_STEP_DAMPING_FACTOR)
      if (factor_exact(rollout, state, more))
        return DC_OK;
  assemble(rollout, state, false, damping);
  double shift = 1e-10 * dc_symmetric_norm(rollout->matrix);
  for (int i = 0; i < DC_STEP_SHIFTS; i++, shift *= 10) {
    if (dc_symmetric_factor_positive(rollout->matrix) == DC_OK)
      return DC_OK;
    dc_symmetric_add_diagonal(rollout->matrix, shift);
  }
  return dc_fail(error, DC_NUMERICAL, "the Hessian of a step is not finite or cannot be made positive definite");
}

// The part of the move that is safe from the poses of the last evaluation.
static double safe_part(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                        const struct dc_kinematics *kinematics, const double *tangent)
{
  dc_path_begin(&rollout->path, q, tangent, kinematics);
  rollout->nearest = dc_contact_nearest_fraction(rollout->rigid.contact, &rollout->path);
  return dc_step_safe_part(rollout, design, q, tangent);
}

// Whether less than the whole move is safe; that the closest triangles cut it is cheap to see.
static bool is_cut(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                   const struct dc_kinematics *kinematics, const double *tangent)
{
  dc_path_begin(&rollout->path, q, tangent, kinematics);
  rollout->nearest = dc_contact_nearest_fraction(rollout->rigid.contact, &rollout->path);
  return rollout->nearest < 1 || dc_step_safe_part(rollout, design, q, tangent) < 1;
}

// Bounds a move from q, where contact was evaluated last, by the matrix that was factored last, with what bent the move
// (NULL: nothing); the square of its change.
static double bound_move(struct dc_rollout *rollout, const double *q, const struct dc_kinematics *kinematics,
                         const struct dc_barrier_step *barrier, double *move)
{
  const struct dc_move_start start = {.contact = rollout->rigid.contact,
                                      .q = q,
                                      .kinematics = kinematics,
                                      .metric = rollout->matrix,
                                      .barrier = barrier};
  return dc_bound_move(rollout->bounded, &start, &rollout->path, move);
}

// Whether the potential fell enough over a move with the given slopes (gradient times move) at its ends.  Where the
// expected change drowns in the rounding of the values the slopes decide (Hager and Zhang 2005, section 4).
static bool sufficient(const struct trial *from, const struct trial *to, double slope, double end_slope)
{
  double magnitude = from->magnitude + to->magnitude;
  double tiny = DC_STEP_TINY_CHANGE * magnitude;
  if (!isfinite(to->value))  // its magnitude is not either
    return false;
  if (to->value <= from->value + DC_STEP_SUFFICIENT_DECREASE * slope + DC_STEP_VALUE_NOISE * magnitude)
    return true;
  return -slope <= tiny && to->value <= from->value + tiny && fabs(end_slope) <= DC_STEP_SLOPE_DECREASE * fabs(slope);
}

// The part of the Newton step m that is safe; a step that would be cut is bounded first and becomes d.  *gain: the
// decrease that d promises by the quadratic model over that of m, 1 - |d - m|^2 / |m|^2 in the norm of the Hessian.
static double safe_step(struct dc_rollout *rollout, const struct dc_design *design, const double *q_next, double *gain)
{
  int nv = rollout->model->bodies.nv;
  *gain = 1;
  if (!is_cut(rollout, design, q_next, &rollout->next, rollout->newton.step))
    return 1;
  memcpy(rollout->newton.unbounded_step, rollout->newton.step, (size_t)nv * sizeof *rollout->newton.step);
  double change = bound_move(rollout, q_next, &rollout->next, rollout->newton.barrier, rollout->newton.step);
  *gain = 1 - change / -dc_dot(rollout->newton.gradient, rollout->newton.unbounded_step, nv);
  if (!(*gain > 0)) {  // multipliers that did not converge
    memcpy(rollout->newton.step, rollout->newton.unbounded_step, (size_t)nv * sizeof *rollout->newton.step);
    *gain = 1;
  }
  return safe_part(rollout, design, q_next, &rollout->next, rollout->newton.step);
}

// Halves the step from the safe fraction until the potential falls; *fraction is the part taken, 0 when none was:
// q_next, the gradient, the trial and the pairs are those of the new state.
static enum dc_status line_search(struct dc_rollout *rollout, struct step_input *given, double *q_next,
                                  struct trial *current, struct dc_step_report *report, double *fraction, double *gain,
                                  struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double alpha = safe_step(rollout, &given->input->design, q_next, gain),
         slope = dc_dot(rollout->newton.gradient, rollout->newton.step, bodies->nv);
  struct trial trial;
  *fraction = 0;
  for (int halving = 0; halving < DC_STEP_HALVINGS; halving++, alpha *= 0.5) {
    dc_state_move(bodies, q_next, alpha, rollout->newton.step, rollout->newton.q_trial);
    given->careful = halving > 0;
    rollout->newton.late = report->iterations + 1 >= rollout->newton.usual && !given->interval.continuation;
    enum dc_status status =
        evaluate(rollout, given, rollout->newton.q_trial, rollout->newton.trial_gradient, &trial, error);
    rollout->newton.late = false;
    report->evaluations++;
    if (status)
      return status;
    if (!sufficient(current, &trial, alpha * slope,
                    alpha * dc_dot(rollout->newton.trial_gradient, rollout->newton.step, bodies->nv)))
      continue;
    memcpy(q_next, rollout->newton.q_trial, (size_t)bodies->nq * sizeof *q_next);
    double *gradient = rollout->newton.gradient;
    rollout->newton.gradient = rollout->newton.trial_gradient;
    rollout->newton.trial_gradient = gradient;
    *current = trial;
    dc_step_accept(rollout);
    current->state.q_next = q_next;
    *fraction = alpha;
    return DC_OK;
  }
  return DC_OK;
}

// The inertia at t, factored; false when it is not positive.
static bool factor_inertia(struct dc_rollout *rollout, const struct step_input *given)
{
  struct dc_step_state state = dc_step_state_of(rollout, given->input, given->interval, given->q, given->q, given->q);
  state.before = state.next = state.now;
  dc_symmetric_clear(rollout->matrix);
  add_damping(rollout, &state, &rollout->now, 1);
  return dc_symmetric_factor_positive(rollout->matrix) == DC_OK;
}

// First guess: the last velocity again, or the state that the integrator predicts, bounded when something is in the
// way, as far as it is safe.
static void first_guess(struct dc_rollout *rollout, const struct step_input *given, double *q_next)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  const struct dc_design *design = &given->input->design;
  if (rollout->prediction)
    dc_state_difference(bodies, given->q, dc_predicted_state(rollout->prediction), rollout->newton.step);
  else
    dc_state_difference(bodies, rollout->q_before, given->q, rollout->newton.step);
  for (int v = 0; v < bodies->nv && !rollout->prediction; v++)
    rollout->newton.step[v] *= given->interval.ratio;
  dc_node_bound_each(rollout->model, given->q, rollout->newton.step);
  double fraction = 1;
  if (is_cut(rollout, design, given->q, &rollout->now, rollout->newton.step)) {
    const struct dc_move_start start = {.contact = rollout->rigid.contact, .q = given->q, .kinematics = &rollout->now};
    if (dc_move_meets_bound(&start, &rollout->path, rollout->newton.step) && factor_inertia(rollout, given))
      bound_move(rollout, given->q, &rollout->now, NULL, rollout->newton.step);
    fraction = safe_part(rollout, design, given->q, &rollout->now, rollout->newton.step);
  }
  dc_state_move(bodies, given->q, fraction, rollout->newton.step, q_next);
}

// Contact was evaluated last at given->q.
static enum dc_status begin_interval(struct dc_rollout *rollout, const struct step_input *given, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  dc_poses(bodies, rollout->q_before, rollout->before.poses);
  dc_kinematics_update(bodies, given->q, &rollout->now);
  struct dc_step_state state =
      dc_step_state_of(rollout, given->input, given->interval, rollout->q_before, given->q, given->q);
  enum dc_status status = dc_step_begin(rollout, &state, error);
  return status ? status : dc_step_fit_pattern(rollout, error);
}

// The step of a scene of nodes (node_newton.c); same: with the matrix as it is.
static enum dc_status node_step(struct dc_rollout *rollout, const struct trial *current, double asked, bool same,
                                int *indefinite, struct dc_error *error)
{
  struct dc_step_state state = current->state;
  const double *reach = rollout->model->bodies.reach;
  state.laws_apart = true;
  for (int v = 0; v < rollout->model->bodies.nv; v++)
    rollout->newton.allowed[v] = fmax(asked * reach[v], rollout->newton.magnitude[v]);
  for (int exact = 1; exact >= 0; exact--, same = false) {
    enum dc_status status = same ? DC_OK : dc_step_fit_pattern(rollout, error);
    if (status)
      return status;
    if (!same)
      assemble(rollout, &state, exact, 0);
    struct dc_node_step done =
        dc_node_newton_step(rollout->nodes.newton, &state, rollout->matrix, rollout->newton.gradient,
                            rollout->newton.allowed, rollout->newton.step);
    *indefinite = done.positive ? 0 : *indefinite + 1;
    if (done.positive)
      return DC_OK;
  }
  return dc_fail(error, DC_NUMERICAL, "the Hessian of a step is not finite or cannot be made positive definite");
}

// The Newton step, by one factorization.
static enum dc_status factored_step(struct dc_rollout *rollout, const struct trial *current, double damping,
                                    int *indefinite, struct dc_error *error)
{
  enum dc_status status = factor(rollout, &current->state, damping, indefinite, error);
  if (status)
    return status;
  dc_symmetric_solve(rollout->matrix, rollout->newton.gradient, rollout->newton.step, NULL);
  for (int i = 0; i < rollout->model->bodies.nv; i++)
    rollout->newton.step[i] = -rollout->newton.step[i];
  if (!rollout->model->bodies.node_count)
    dc_barrier_step_bend(rollout->newton.barrier, rollout, &current->state, rollout->newton.step);
  dc_node_move_duals(&current->state, rollout->newton.step, rollout->nodes.duals);
  return DC_OK;
}

// Nodes have multipliers and factorizations from now on, until the interval ends.
static void leave_nodes(struct dc_rollout *rollout, const struct trial *current)
{
  rollout->nodes.exactly = false;
  dc_node_set_duals(&current->state, rollout->nodes.duals);
}

// Whether rigid bodies beside the nodes would come too near to others by the step: only a factored matrix bounds it.
static bool runs_into(struct dc_rollout *rollout, const double *q_next)
{
  const struct dc_move_start start = {.contact = rollout->rigid.contact, .q = q_next, .kinematics = &rollout->next};
  return !dc_model_only_nodes(rollout->model) && dc_move_meets_bound(&start, &rollout->path, rollout->newton.step);
}

// The Newton step of the nodes, where it is found and rigid bodies do not run into others by it, else the factored one.
static enum dc_status find_step(struct dc_rollout *rollout, const struct trial *current, double asked, bool same,
                                  double damping, const double *q_next, int *indefinite, struct dc_error *error)
{
  if (rollout->nodes.exactly) {
    enum dc_status status = node_step(rollout, current, asked, same, indefinite, error);
    bool fails = status == DC_NUMERICAL && !dc_model_only_nodes(rollout->model);
    if (!fails && (status || !runs_into(rollout, q_next)))
      return status;
    leave_nodes(rollout, current);
  }
  return factored_step(rollout, current, damping, indefinite, error);
}

// The same, and along it the directions of the friction of touching surfaces.
static enum dc_status newton_step(struct dc_rollout *rollout, const struct trial *current, double asked, bool same,
                                  double damping, const double *q_next, int *indefinite, struct dc_error *error)
{
  enum dc_status status = find_step(rollout, current, asked, same, damping, q_next, indefinite, error);
  if (status || !rollout->surface)
    return status;
  dc_twists(&rollout->model->bodies, &rollout->next, rollout->newton.step, rollout->adjoint.twists);
  const struct dc_step_direction step = {.joints = rollout->newton.step,
                                         .twists = (const double(*)[6])rollout->adjoint.twists};
  dc_surface_move_duals(&current->state, &step, rollout->surface);
  return DC_OK;
}

// Whether the first guess of a step, whose residual is within the tolerance, may stay.  A force that is left out of one
// step is left out of all that follow as long as it lasts, and its effect grows with the square of the time.  So a
// guess stays only if over DC_STEP_LONG_RUN steps the effect is at most the tolerance times a body's size
// (docs/theory.md, "Convergence").  The number of steps of this run does not count: the first frames of a longer one
// are the same. Otherwise one iteration is made, to the tolerance *asked.
static bool is_guess_enough(const struct dc_rollout *rollout, const struct trial *trial, double *asked)
{
  const struct dc_model_definition *definition = &rollout->model->definition;
  double run = DC_STEP_LONG_RUN * definition->time.step / trial->state.interval.length, noise_ratio;
  *asked = fmin(*asked, definition->solver.tolerance * least_force(trial, 1 / (run * run)));
  return relative_residual(rollout, rollout->newton.gradient, *asked, rollout->newton.magnitude, &noise_ratio) <= 1;
}

// Newton's method from q_next, where current was evaluated, for at most so many iterations:
// 1. the residual of the gradient, relative to the tolerance times the smallest contact force, or to rounding;
// 2. converged when it is at most 1, or when it stalls within DC_STEP_ROUNDING_LIMITED times the noise;
// 3. a Newton step: of node_newton.c for models of nodes, until it stalls for some iterations, else by
//    factoring H plus damping (factor);
// 4. the part of the step that crosses nothing, halved until L falls (line_search);
// 5. more damping after a step that was cut or bounded strongly, less after a whole one.
//
// It ends early when nothing lower is found along a step.  report->converged tells whether it ended at the minimum; the
// last evaluation of contact is at q_next.
static enum dc_status minimize(struct dc_rollout *rollout, struct step_input *given, long iterations, double *q_next,
                               struct trial *current, struct dc_step_report *report, struct dc_error *error)
{
  int stalls = 0, indefinite = 0,
      patience = dc_model_only_nodes(rollout->model) ? DC_STEP_NODE_PATIENCE : DC_STEP_MIXED_PATIENCE;
  double damping = 0;
  double tolerance = rollout->asked.tight ? 0 : rollout->model->definition.solver.tolerance, previous = INFINITY,
         noise_ratio;
  for (long end = report->iterations + iterations;; report->iterations++) {
    dc_step_floor(rollout, &current->state, rollout->newton.magnitude);
    double asked = tolerance * smallest_signal(current);
    report->residual =
        relative_residual(rollout, rollout->newton.gradient, asked, rollout->newton.magnitude, &noise_ratio);
    stalls = report->residual > 0.5 * previous ? stalls + 1 : 0;
    // Elements that a step predicted so well will not be stiffer after the next one.
    bool same = report->residual <= DC_STEP_SAME_HESSIAN * previous && previous < INFINITY;
    previous = report->residual;
    report->converged = report->residual <= 1 || (stalls > 0 && noise_ratio <= 1);
    if (report->converged && report->iterations == 0)
      report->converged = is_guess_enough(rollout, current, &asked);
    if (report->converged || report->iterations >= end)
      return DC_OK;
    if (rollout->nodes.exactly && stalls > patience)
      leave_nodes(rollout, current);
    enum dc_status status = newton_step(rollout, current, asked, same, damping, q_next, &indefinite, error);
    report->regularized |= damping > 0 || indefinite > 0;
    if (status)
      return status;
    double fraction, gain;
    status = line_search(rollout, given, q_next, current, report, &fraction, &gain, error);
    if (status)
      return status;
    // Barriers of nodes have multipliers instead: with damping every node would wait for the one that was cut.
    if (!rollout->model->bodies.node_count && (fraction < DC_STEP_SHORT_STEP || gain < DC_STEP_SMALL_GAIN))
      damping = fmax(1, DC_STEP_DAMPING_FACTOR * damping);
    else if (fraction == 1)
      damping = damping > 1 ? damping / DC_STEP_DAMPING_FACTOR : 0;
    if (fraction == 0) {
      // Nothing lower along the step: converged as far as rounding allows, or not at all.
      report->converged = noise_ratio <= 1;
      report->evaluations++;
      return evaluate(rollout, given, q_next, rollout->newton.gradient, current, error);
    }
  }
}

// How much stiffer contact would have to be to stand against the other forces at the first guess, and at a gap not much
// smaller than what bodies move by: at least 1.
static double first_hardening(const struct dc_rollout *rollout, const struct step_input *given)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double forces = 0, contact = 0, way = 0,
         mu = rollout->model->definition.contact.stiffness * given->input->design.stiffness_scale;
  for (int p = 0; p < rollout->rigid.pair_count; p++)
    contact = fmax(contact, mu * dc_vec_norm(rollout->rigid.pairs[p].gradient + 3));
  for (int i = 0; i < bodies->count; i++) {
    if (!dc_body_moves(&bodies->bodies[i]))
      continue;
    forces = fmax(forces, dc_vec_norm(rollout->frames.wrenches[i] + 3));
    way = fmax(way, dc_vec_distance(rollout->now.poses[i].position, rollout->before.poses[i].position));
  }
  double gap = dc_contact_min_gap(rollout->rigid.contact),
         closing = fmax(1, DC_STEP_OPENED * given->interval.ratio * way / gap),
         hardening = forces / contact * closing * closing;
  return hardening > 1 ? fmin(hardening, DC_STEP_MOST_HARDENING) : 1;  // also when it is no number
}

// Continuation for violent contacts.  These end at gaps so small that Newton's iterates, which cannot cross the
// barrier, crawl along it: the way to the solution bends at the scale of the gap.  The minima for stiffnesses that fall
// to the true one form a smooth path there, along which gaps shrink together, as in interior-point methods (Fiacco and
// McCormick 1968).
static enum dc_status follow_path(struct dc_rollout *rollout, struct step_input *given, double *q_next,
                                  struct trial *current, struct dc_step_report *report, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (double hardening = first_hardening(rollout, given); hardening > 1 && !status;) {
    given->hardening = hardening;
    status = evaluate(rollout, given, q_next, rollout->newton.gradient, current, error);
    report->evaluations++;
    if (!status)
      status = minimize(rollout, given, DC_STEP_PATH_ITERATIONS, q_next, current, report, error);
    hardening *= DC_STEP_SOFTER;
  }
  given->hardening = 1;
  report->evaluations++;
  return status ? status : evaluate(rollout, given, q_next, rollout->newton.gradient, current, error);
}

enum dc_status dc_step_solve(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                             const struct dc_step_interval *interval, const double *q, double *q_next,
                             struct dc_pair_derivatives *pairs, struct dc_step_report *report, struct dc_error *error)
{
  struct step_input given = {.input = input, .interval = *interval, .q = q, .hardening = 1};
  struct trial current;
  *report = (struct dc_step_report){.evaluations = 1};
  enum dc_status status = begin_interval(rollout, &given, error);
  if (status)
    return status;
  rollout->nodes.exactly = rollout->nodes.newton != NULL;
  if (rollout->nodes.newton)
    dc_node_newton_renew(rollout->nodes.newton, q);
  first_guess(rollout, &given, q_next);
  status = evaluate(rollout, &given, q_next, rollout->newton.gradient, &current, error);
  if (status)
    return status;
  dc_step_accept(rollout);
  if (!isfinite(current.value) && rollout->model->bodies.node_count) {  // elements inverted by the last velocity
    memcpy(q_next, q, (size_t)rollout->model->bodies.nq * sizeof *q_next);
    status = evaluate(rollout, &given, q_next, rollout->newton.gradient, &current, error);
    if (status)
      return status;
  }
  if (!isfinite(current.value))
    return dc_fail(error, DC_NUMERICAL, "bodies touch at the first guess of a step");
  dc_node_set_duals(&current.state, rollout->nodes.duals);
  if (interval->continuation)
    status = follow_path(rollout, &given, q_next, &current, report, error);
  if (!status)
    status =
        minimize(rollout, &given, rollout->model->definition.solver.max_iterations, q_next, &current, report, error);
  if (status)
    return status;
  if (pairs)
    memcpy(pairs, rollout->rigid.pairs, (size_t)rollout->rigid.pair_count * sizeof *pairs);
  rollout->newton.usual = report->iterations;
  report->converged &= dc_step_solved(rollout);
  report->min_gap = dc_step_gap(rollout, q_next);
  return status;
}

// Evaluates an interval at its given end and compares the gradient with the tolerance, as minimize does.
enum dc_status dc_step_judge(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                             const struct dc_step_interval *interval, const double *q, const double *q_next,
                             struct dc_step_residual *residual, struct dc_error *error)
{
  struct step_input given = {.input = input, .interval = *interval, .q = q, .careful = true, .hardening = 1};
  struct trial trial;
  double noise_ratio;
  enum dc_status status = begin_interval(rollout, &given, error);
  if (!status)
    status = evaluate(rollout, &given, q_next, rollout->newton.gradient, &trial, error);
  if (status)
    return status;
  residual->relative = INFINITY;
  residual->converged = false;
  if (!isfinite(trial.value))
    return DC_OK;
  dc_step_floor(rollout, &trial.state, rollout->newton.magnitude);
  residual->relative = relative_residual(rollout, rollout->newton.gradient,
                                         rollout->model->definition.solver.tolerance * smallest_signal(&trial),
                                         rollout->newton.magnitude, &noise_ratio);
  residual->converged = residual->relative <= 1 || noise_ratio <= 1;
  return DC_OK;
}
