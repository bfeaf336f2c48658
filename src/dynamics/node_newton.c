// SPDX-License-Identifier: Apache-2.0
// Solids are mildly nonlinear, contact is not: a node that comes to rest on a plane, or begins to slide, sees its
// stiffness change by many orders.  Newton's method on all of it takes an iteration, with all elements, for every few
// of those changes.  Here only the smooth part of the potential is made quadratic, and
//     m(d) = g.d + d^T H d/2 + sum over nodes at planes of phi(x + d)
// with barrier and friction phi as they are (terms_node_contact.c) is minimized to a part of the residual, in turns of
//   1. a sweep over the nodes at planes: each goes to the minimum of m along the normal, in closed form, and along the
//   plane,
//      by one scalar equation, with the others held: states of contact are found without any stiffness;
//   2. a Newton step of m with the curvature of phi there, by conjugate gradients, halved until m falls.
// Both lower m.  (Truncated nonsmooth Newton methods are built like this: Graeser and Kornhuber 2009.)
#include "dynamics/node_newton.h"

#include <string.h>

#include "dynamics/node_law.h"
#include "math/linear_iterative.h"
#include "math/vector.h"

static const double INNER_PART = 1e-3;   // of the residual, that is left
static const double ENOUGH = 0.1;        // of what is allowed
static const double LINEAR_PART = 0.05;  // of the residual, that conjugate gradients leave
// The same beside rigid bodies, whose friction and touches the next iteration finds anew anyway.
static const double MIXED_INNER_PART = 1e-2, MIXED_LINEAR_PART = 0.02;
static const double GAP_KEPT = 0.05;     // by a linear step; the sweep finds the rest
static const double HOLD = 1e4;          // times a node's own stiffness, of the spring that stands for a plane
static const double NEAR = 0.5;          // of a gap, that a node would use up by itself: the plane counts
static const double STIFF = 1e-6;        // of a node's own stiffness: less of the barrier does not count
static const double SUFFICIENT_DECREASE = 1e-4, ROUNDING = 1e-13;
static const double STALL = 0.9;  // of the best residual, that an iteration should get below
static const double ANSWER_PART = 1e-13, ANSWER_RESIDUAL = 1e-9;  // of systems of the adjoint
enum { DIRECT_AT_MOST = 50000 };                                  // nodes: more take minutes and gigabytes to factor
// A factorization costs as many operations as some hundred products with 1,000 nodes, and more with more.
enum { ITERATIVE_NODES = 1000, NODES_PER_VECTOR = 1000 };
// Where sweeps take more iterations in so many nodes, two levels take their place until the interval ends.
enum { TWO_LEVEL_NODES = 5000, MOST_SWEEPS = 50 };
enum { LEAST_ITERATIONS = 100, MOST_ITERATIONS = 3000, NODES_PER_ITERATION = 10 };  // of conjugate gradients
enum { ITERATIONS = 40, PATIENCE = 4, HALVINGS = 12, ROUNDS = 5, LOCAL_ROUNDS = 2, REFINEMENTS = 3 };

struct dc_node_newton {
  int size;
  bool mixed;  // rigid bodies move beside the nodes, as blocks of 3 unknowns without laws
  enum dc_linear_choice choice;
  struct dc_block_method method;
  bool apart;                // systems of the adjoint have contact in curvature, not in the matrix
  long solutions, products;  // by iterations
  long law_count;
  struct dc_block_solver *solver;
  struct dc_block_solver *two_level;  // NULL: not by itself
  bool stiff;                         // two_level is used
  const double *places;               // of the last renewal, or NULL
  struct dc_node_law *laws;           // [law_count] at x+ + d
  long *first, *other;  // [nodes] a law of the node, -1: none; [law_count] the next law of the same node, in a circle
  double *curvature;    // [nodes][9] of phi
  double *diagonal;     // [nodes][9] of H, while the matrix holds that of phi too
  double *smooth;       // [size] g + H d
  double *slope;        // [size] of m
  double *push, *held;  // [size] right-hand side of a linear step; the part of it that is given
  double *move, *product;  // [size] a linear step and H times it
};

// Automatic choices may change to two levels where sweeps do badly, from a size on; both solvers exist then.
static enum dc_status create_solvers(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix)
{
  const struct dc_block_method two_level = {DC_CONJUGATE_GRADIENTS, DC_PRECONDITION_TWO_LEVEL};
  bool both = newton->choice == DC_LINEAR_AUTOMATIC && !newton->mixed && dc_block_method_sweeps(newton->method) &&
              newton->size / 3 >= TWO_LEVEL_NODES;
  newton->solver = dc_block_solver_create(matrix, newton->method);
  if (newton->solver && both)
    newton->two_level = dc_block_solver_create(matrix, two_level);
  return newton->solver && (newton->two_level || !both) ? DC_OK : DC_MEMORY;
}

static void renew_solvers(struct dc_node_newton *newton)
{
  dc_block_solver_renew(newton->solver, newton->places);
  if (newton->two_level)
    dc_block_solver_renew(newton->two_level, newton->places);
}

// Whether rigid bodies beside so many nodes that factorizations take long are part of the same iterations: each of them
// moves by 3 numbers, or a multiple of it.
static bool can_mix(const struct dc_model *model)
{
  const struct dc_bodies *bodies = &model->bodies;
  const struct dc_step_settings *settings = &model->definition.solver;
  bool can = bodies->node_count >= ITERATIVE_NODES && !bodies->mount_count && settings->linear == DC_LINEAR_AUTOMATIC &&
             settings->preconditioner == DC_PRECONDITION_GAUSS_SEIDEL;
  for (int m = 0; m < bodies->mechanism_count; m++)
    can &= bodies->mechanisms[m].nv % 3 == 0;
  return can;
}

// Room for the inner iteration over nodes, with v coordinates: curvature and diagonal blocks [v / 3][3][3], vectors
// [v], a list of laws by node.
enum dc_status dc_node_newton_create(const struct dc_model *model, struct dc_symmetric_matrix *matrix,
                                     struct dc_arena *arena, struct dc_node_newton **node_newton)
{
  const struct dc_bodies *bodies = &model->bodies;
  const struct dc_step_settings *settings = &model->definition.solver;
  *node_newton = NULL;
  bool mixed = !dc_model_only_nodes(model);
  if (mixed && !can_mix(model))
    return DC_OK;
  struct dc_node_newton *newton = dc_arena_alloc(arena, 1, sizeof *newton);
  if (!newton)
    return DC_MEMORY;
  size_t size = (size_t)bodies->nv;
  newton->size = bodies->nv;
  newton->mixed = mixed;
  newton->choice = (enum dc_linear_choice)settings->linear;
  newton->method = (struct dc_block_method){newton->choice == DC_LINEAR_GMRES ? DC_GMRES : DC_CONJUGATE_GRADIENTS,
                                            (enum dc_preconditioner)settings->preconditioner};
  newton->law_count = dc_node_touch_count(model);
  newton->laws = dc_arena_alloc(arena, (size_t)newton->law_count, sizeof *newton->laws);
  newton->first = dc_arena_alloc(arena, size / 3, sizeof *newton->first);
  newton->other = dc_arena_alloc(arena, (size_t)newton->law_count, sizeof *newton->other);
  newton->curvature = dc_arena_alloc(arena, 3 * size, sizeof(double));
  newton->diagonal = dc_arena_alloc(arena, 3 * size, sizeof(double));
  newton->smooth = dc_arena_alloc(arena, size, sizeof(double));
  newton->slope = dc_arena_alloc(arena, size, sizeof(double));
  newton->push = dc_arena_alloc(arena, size, sizeof(double));
  newton->held = dc_arena_alloc(arena, size, sizeof(double));
  newton->move = dc_arena_alloc(arena, size, sizeof(double));
  newton->product = dc_arena_alloc(arena, size, sizeof(double));
  if (!newton->laws || !newton->first || !newton->other || !newton->curvature || !newton->diagonal || !newton->smooth ||
      !newton->slope || !newton->push || !newton->held || !newton->move || !newton->product)
    return DC_MEMORY;
  *node_newton = newton;
  return create_solvers(newton, matrix);
}

enum dc_status dc_node_newton_follow(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix)
{
  dc_node_newton_destroy(newton);
  enum dc_status status = create_solvers(newton, matrix);
  if (!status)
    renew_solvers(newton);
  return status;
}

void dc_node_newton_destroy(struct dc_node_newton *node_newton)
{
  if (!node_newton)
    return;
  dc_block_solver_destroy(node_newton->solver);
  dc_block_solver_destroy(node_newton->two_level);
  node_newton->solver = node_newton->two_level = NULL;
}

// Whether a law bends what its node does; g, a: gradient of the rest of m by the node, and its second derivative along
// n.
static bool counts(const struct dc_node_law *law, double g, double a)
{
  return g > NEAR * a * law->gap || law->slip.e > STIFF * 2 * a * law->gap * law->gap;
}

// The minimum of m by one node, at one plane, with its other planes as their tangents and curvatures: total is the
// move.
static void settle(const struct dc_node_newton *newton, struct dc_node_law *law, double total[3])
{
  double block[9], g[3], response[3];
  dc_vec_copy(g, newton->smooth + law->at);
  dc_block_diagonal(newton->solver, law->at / 3, block);
  for (long o = newton->other[law - newton->laws]; &newton->laws[o] != law; o = newton->other[o]) {
    dc_node_law_add_slope(&newton->laws[o], 1, g);
    dc_node_law_add_curvature(&newton->laws[o], block);
  }
  dc_mat_apply(response, block, law->normal);
  double a = dc_vec_dot(law->normal, response);
  if (!counts(law, dc_vec_dot(law->normal, g), a))
    return;
  for (int round = 0; round < LOCAL_ROUNDS; round++) {
    double move[3], pushed[3], gap = dc_node_law_rest_gap(a, dc_vec_dot(law->normal, g), law->gap, law->slip.e);
    dc_vec_add_scaled(total, total, gap - law->gap, law->normal);
    dc_vec_add_scaled(g, g, gap - law->gap, response);
    law->gap = gap;
    if (!(law->slip.c > 0))
      return;
    dc_node_law_slide(law, block, g, move);
    dc_mat_apply(pushed, block, move);
    dc_vec_add(g, g, pushed);
    dc_vec_add(total, total, move);
    dc_vec_add(law->way, law->way, move);
  }
}

// One sweep of Gauss-Seidel over the nodes at planes: each moves to the minimum of its own law, and the smooth gradient
// of its neighbours and its other laws follow the move.
static void sweep(struct dc_node_newton *newton, double *step)
{
  for (long l = 0; l < newton->law_count; l++) {
    struct dc_node_law *law = &newton->laws[l];
    double move[3] = {0}, block[9], pushed[3];
    settle(newton, law, move);
    if (move[0] == 0 && move[1] == 0 && move[2] == 0)
      continue;
    dc_block_diagonal(newton->solver, law->at / 3, block);
    dc_mat_apply(pushed, block, move);
    dc_vec_add(newton->smooth + law->at, newton->smooth + law->at, pushed);
    dc_block_add_row(newton->solver, law->at / 3, move, newton->smooth);
    dc_vec_add(step + law->at, step + law->at, move);
    for (long o = newton->other[l]; o != l; o = newton->other[o])
      dc_node_law_move(&newton->laws[o], move);
  }
}

static void bend(struct dc_node_newton *newton)
{
  memset(newton->curvature, 0, 3 * (size_t)newton->size * sizeof *newton->curvature);
  for (long l = 0; l < newton->law_count; l++)
    dc_node_law_add_curvature(&newton->laws[l], newton->curvature + 3 * (size_t)newton->laws[l].at);
}

// The gradient of m and the curvature of phi.
static void linearize(struct dc_node_newton *newton)
{
  memcpy(newton->slope, newton->smooth, (size_t)newton->size * sizeof *newton->slope);
  for (long l = 0; l < newton->law_count; l++)
    dc_node_law_add_slope(&newton->laws[l], 1, newton->slope + newton->laws[l].at);
  bend(newton);
}

// The largest entry of the slope relative to what is allowed of it.
static double residual_of(const struct dc_node_newton *newton, const double *allowed)
{
  double largest = 0;
  for (int i = 0; i < newton->size; i++)
    largest = fmax(largest, fabs(newton->slope[i]) / allowed[i]);
  return largest;
}

static void set_diagonals(const struct dc_node_newton *newton, const double *added)
{
  for (int node = 0; node < newton->size / 3; node++) {
    double block[9];
    for (size_t k = 0, at = 9 * (size_t)node; k < 9; k++, at++)
      block[k] = newton->diagonal[at] + (added ? added[at] : 0);
    dc_block_set_diagonal(newton->solver, node, block);
  }
}

// The linear step by a factorization of H and the curvature of phi; false: not positive definite.
static bool factored_move(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix)
{
  for (int node = 0; node < newton->size / 3; node++)
    dc_block_diagonal(newton->solver, node, newton->diagonal + 9 * (size_t)node);
  set_diagonals(newton, newton->curvature);
  bool positive = dc_symmetric_factor_positive(matrix) == DC_OK;
  if (positive)
    dc_symmetric_solve(matrix, newton->push, newton->move, NULL);
  set_diagonals(newton, NULL);
  return positive;
}

static int most_iterations(const struct dc_node_newton *newton)
{
  int most = newton->choice == DC_LINEAR_AUTOMATIC ? newton->size / 3 / NODES_PER_ITERATION : MOST_ITERATIONS;
  return most < LEAST_ITERATIONS ? LEAST_ITERATIONS : most > MOST_ITERATIONS ? MOST_ITERATIONS : most;
}

static void count_solution(struct dc_node_newton *newton, struct dc_iterations done)
{
  newton->solutions++;
  newton->products += done.count;
}

static struct dc_iterations iterate(struct dc_node_newton *newton, struct dc_block_solver *solver, int most)
{
  struct dc_iterations done = dc_block_solve(solver, newton->curvature, newton->push,
                                             newton->mixed ? MIXED_LINEAR_PART : LINEAR_PART, most, newton->move);
  count_solution(newton, done);
  return done;
}

// The linear step by conjugate gradients, with sweeps, then on two levels, or, where they take longer than that, by a
// factorization; *direct: from now on.
static bool linear_move(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix, bool *direct)
{
  if (*direct)
    return factored_move(newton, matrix);
  struct dc_iterations done = {.positive = true};
  int most = most_iterations(newton);
  if (!newton->stiff) {
    done = iterate(newton, newton->solver, newton->two_level ? MOST_SWEEPS : most);
    newton->stiff = newton->two_level && done.positive && !done.converged;
  }
  if (newton->stiff)
    done = iterate(newton, newton->two_level, most);
  *direct =
      newton->choice == DC_LINEAR_AUTOMATIC && done.positive && !done.converged && newton->size / 3 < DIRECT_AT_MOST;
  return *direct ? factored_move(newton, matrix) : done.positive;
}

// Nodes that the linear step would take through a plane go most of the way to it instead, and are held there by a
// spring, for another linear step of all others; true where there are any.
static bool hold_back(struct dc_node_newton *newton)
{
  bool any = false;
  for (long l = 0; l < newton->law_count; l++) {
    const struct dc_node_law *law = &newton->laws[l];
    const double *n = law->normal;
    double block[9], response[3], change[3], *curvature = newton->curvature + 3 * (size_t)law->at;
    if (-dc_vec_dot(n, newton->move + law->at) <= (1 - GAP_KEPT) * law->gap)
      continue;
    dc_block_diagonal(newton->solver, law->at / 3, block);
    dc_mat_apply(response, block, n);
    double stiffness = HOLD * dc_vec_dot(n, response);
    dc_vec_scale(change, n, -(1 - 2 * GAP_KEPT) * law->gap - dc_vec_dot(n, newton->held + law->at));
    long other = l;
    do {
      dc_node_law_add_curvature(&newton->laws[other], block);
      other = newton->other[other];
    } while (other != l);
    dc_mat_apply(response, block, change);
    dc_vec_sub(newton->push + law->at, newton->push + law->at, response);
    dc_vec_add(newton->held + law->at, newton->held + law->at, change);
    dc_vec_scale(change, change, -1);
    dc_block_add_row(newton->solver, law->at / 3, change, newton->push);
    for (int i = 0; i < 9; i++)
      curvature[i] += stiffness * n[i / 3] * n[i % 3];
    any = true;
  }
  return any;
}

// A linear step that takes no node through a plane but where rounds run out.
static bool bounded_move(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix, bool *direct)
{
  memset(newton->held, 0, (size_t)newton->size * sizeof *newton->held);
  for (int i = 0; i < newton->size; i++)
    newton->push[i] = -newton->slope[i];
  for (int round = 0; round == 0 || (round < ROUNDS && hold_back(newton)); round++) {
    if (!linear_move(newton, matrix, direct))
      return false;
    for (int i = 0; i < newton->size; i++)
      newton->move[i] += newton->held[i];
  }
  return true;
}

// The part of the linear step that leaves every node a part of its gap.
static double safe_part(const struct dc_node_newton *newton)
{
  double part = 1;
  for (long l = 0; l < newton->law_count; l++) {
    const struct dc_node_law *law = &newton->laws[l];
    double closing = -dc_vec_dot(law->normal, newton->move + law->at), room = (1 - GAP_KEPT) * law->gap;
    if (closing * part > room)
      part = room / closing;
  }
  return part;
}

// A part of the linear step that leaves every node a part of its gap for itself, and lowers m; false: none does.
static bool advance(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix, double *step)
{
  double *move = newton->move;
  dc_symmetric_multiply(matrix, move, newton->product);
  double slope = dc_dot(newton->slope, move, newton->size), along = dc_dot(newton->smooth, move, newton->size),
         square = dc_dot(newton->product, move, newton->size), part = safe_part(newton);
  if (!(slope < 0))
    return false;
  for (int halving = 0; halving < HALVINGS; halving++, part *= 0.5) {
    double quadratic = part * along + 0.5 * part * part * square, contact = 0;
    for (long l = 0; l < newton->law_count; l++) {
      struct dc_node_law after = newton->laws[l];
      double moved[3];
      dc_vec_scale(moved, move + after.at, part);
      dc_node_law_move(&after, moved);
      contact += dc_node_law_energy_change(&newton->laws[l], &after);
    }
    if (!(quadratic + contact <= SUFFICIENT_DECREASE * part * slope + ROUNDING * (fabs(quadratic) + fabs(contact))))
      continue;
    for (int i = 0; i < newton->size; i++) {
      move[i] *= part;
      step[i] += move[i];
      newton->smooth[i] += part * newton->product[i];
    }
    for (long l = 0; l < newton->law_count; l++)
      dc_node_law_move(&newton->laws[l], move + newton->laws[l].at);
    return true;
  }
  return false;
}

// The laws at x+, and for every node the circle of its own.
static void list_laws(struct dc_node_newton *newton, const struct dc_step_state *state)
{
  dc_node_list_laws(state, newton->laws);
  for (int i = 0; i < newton->size / 3; i++)
    newton->first[i] = -1;
  for (long l = 0; l < newton->law_count; l++) {
    long *first = &newton->first[newton->laws[l].at / 3];
    newton->other[l] = *first < 0 ? l : newton->other[*first];
    if (*first < 0)
      *first = l;
    else
      newton->other[*first] = l;
  }
}

// The turns of the head:
// 1. take the slopes of all laws out of the gradient;
// 2. sweep over the nodes at planes, each with its own laws and the others held;
// 3. linearize the laws where the sweep ended;
// 4. stop when the residual is a part of the one allowed, or does not fall any more;
// 5. move all nodes by the linear system, halved until m falls, and go on at 2.
struct dc_node_step dc_node_newton_step(struct dc_node_newton *newton, const struct dc_step_state *state,
                                        struct dc_symmetric_matrix *matrix, const double *gradient,
                                        const double *allowed, double *step)
{
  struct dc_node_step done = {.positive = true};
  bool direct = newton->choice == DC_LINEAR_DIRECT;
  size_t bytes = (size_t)newton->size * sizeof *step;
  memset(step, 0, bytes);
  memcpy(newton->smooth, gradient, bytes);
  list_laws(newton, state);
  for (long l = 0; l < newton->law_count; l++)
    dc_node_law_add_slope(&newton->laws[l], -1, newton->smooth + newton->laws[l].at);
  memcpy(newton->slope, gradient, bytes);
  double part = newton->mixed ? MIXED_INNER_PART : INNER_PART,
         wanted = fmax(ENOUGH, part * residual_of(newton, allowed)), best = INFINITY;
  for (int stalls = 0; done.iterations < ITERATIONS && stalls < PATIENCE; done.iterations++) {
    sweep(newton, step);
    linearize(newton);
    double residual = residual_of(newton, allowed);
    if (residual <= wanted)
      break;
    stalls = residual > STALL * best ? stalls + 1 : 0;
    best = fmin(best, residual);
    done.positive = bounded_move(newton, matrix, &direct);
    if (!done.positive)
      return done;
    if (!advance(newton, matrix, step))
      stalls++;
  }
  return done;
}

struct dc_linear_work dc_node_newton_work(const struct dc_node_newton *newton)
{
  struct dc_linear_work work = {.solutions = newton->solutions, .iterations = newton->products};
  if (newton->choice == DC_LINEAR_DIRECT)
    return work;
  work.method = dc_linear_names[newton->method.krylov == DC_GMRES ? DC_LINEAR_GMRES : DC_LINEAR_CONJUGATE_GRADIENTS];
  work.preconditioner = dc_preconditioner_names[newton->method.preconditioner];
  return work;
}

void dc_node_newton_renew(struct dc_node_newton *newton, const double *q)
{
  newton->places = q;
  newton->stiff = false;
  renew_solvers(newton);
}

// One factorization answers all right-hand sides, iterations each of them anew: these pay for few vectors only.
bool dc_node_newton_prefers_iterations(const struct dc_node_newton *newton, int count)
{
  int nodes = newton->size / 3;
  if (newton->choice != DC_LINEAR_AUTOMATIC)
    return newton->choice != DC_LINEAR_DIRECT;
  return nodes >= ITERATIVE_NODES && count <= nodes / NODES_PER_VECTOR;
}

bool dc_node_newton_keeps_apart(const struct dc_node_newton *newton)
{
  return newton->method.preconditioner == DC_PRECONDITION_WOODBURY;
}

// Laws of half-spaces may be many orders stiffer than elements: kept apart they do not enter the matrix.
void dc_node_newton_prepare(struct dc_node_newton *newton, const struct dc_step_state *state)
{
  dc_node_newton_renew(newton, state->q_next);
  newton->apart = state->laws_apart;
  if (!newton->apart)
    return;
  list_laws(newton, state);
  bend(newton);
}

void dc_node_newton_join(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix)
{
  for (int node = 0; node < newton->size / 3 && newton->apart; node++)
    dc_symmetric_add_block(matrix, node, node, 1, newton->curvature + 9 * (size_t)node, 3);
  newton->apart = false;
}

// left = b - H x
static void find_residual(const struct dc_node_newton *newton, const struct dc_symmetric_matrix *matrix,
                          const double *b, const double *x, double *left)
{
  dc_symmetric_multiply(matrix, x, left);
  for (int i = 0; i < newton->size && newton->apart; i += 3) {
    double pushed[3];
    dc_mat_apply(pushed, newton->curvature + 3 * (size_t)i, x + i);
    dc_vec_add(left + i, left + i, pushed);
  }
  for (int i = 0; i < newton->size; i++)
    left[i] = b[i] - left[i];
}

static double largest(const double *x, int size)
{
  double most = 0;
  for (int i = 0; i < size; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

// A residual that is small beside stiff contact may still be all of what is soft: unless sweeps measure it in their own
// norm, what is left is solved for again.
bool dc_node_newton_answer(struct dc_node_newton *newton, const struct dc_symmetric_matrix *matrix, double *x)
{
  double *sum = newton->move, *left = newton->product, *change = newton->held;
  int rounds = dc_block_method_sweeps(newton->method) ? 1 : REFINEMENTS;
  for (int round = 0, most = MOST_ITERATIONS; round < rounds; round++) {
    struct dc_iterations done = dc_block_solve(newton->solver, newton->apart ? newton->curvature : NULL,
                                               round ? left : x, ANSWER_PART, most, round ? change : sum);
    count_solution(newton, done);
    most = round ? most : done.count;
    if (round == 0 && (!done.positive || !done.converged))
      return false;
    for (int i = 0; i < newton->size && round && done.positive; i++)
      sum[i] += change[i];
    find_residual(newton, matrix, x, sum, left);
  }
  if (!(largest(left, newton->size) <= ANSWER_RESIDUAL * largest(x, newton->size)))
    return false;
  for (int i = 0; i < newton->size; i++)
    x[i] = -sum[i];
  return true;
}
