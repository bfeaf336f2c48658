// SPDX-License-Identifier: Apache-2.0
// Friction as all models have it: what slides at time t and the energy that it dissipates up to t+1 (docs/theory.md,
// "Friction").
//
// 1. Begin, once an interval: each pair of bodies whose coefficient is above 0 hands its sliding contacts to the
//    model's list (struct dc_friction_methods), which cuts them into units of about equal work.
// 2. Evaluate, once for each iterate of Newton's method: units run side by side and are gathered in their order, so
//    that sums have the same bits at any number of threads.  Hessians may follow where they turn out to be needed
//    (complete).
// 3. Accept: the motions of the planes at this iterate become those that the next evaluations start from.
// 4. Pull back, once an interval in the adjoint: cotangents of the poses at t, of coefficients, stiffness and points.
#include "contact/friction/friction.h"

#include <stdlib.h>
#include <string.h>

#include "contact/friction/friction_internal.h"
#include "math/vector.h"

static const double LEAST_PARALLEL_COST = 150e-6;  // of an evaluation by its units' estimates, s

// t falls from 1 at inner to 0 at inner + zone; 1 - phi = t^3 (10 - 15 t + 6 t^2), whose derivative by t is 30 t^2 (1
// - t)^2.
double dc_friction_support(double r, double inner, double zone, double *rate)
{
  double t = 1 - (r - inner) / zone;
  *rate = 0;
  if (!(t > 0))
    return 0;
  if (t >= 1)
    return 1;
  double support = t * t * t * (10 + t * (6 * t - 15));
  *rate = 30 * t * t * (1 - t) * (1 - t) / (zone * support);
  return support;
}

// A contact of sum S has the gap at which 12/S equals it; friction is full up to `range` and fades out up to twice
// that.
double dc_friction_within_range(double sum, double range, double *rate)
{
  double gap = 12 / sum;
  *rate = 0;
  if (isnan(range))
    return 1;
  double within = dc_friction_support(gap, range, range, rate);
  *rate *= gap / sum;
  return within;
}

// How the model lists, runs and pulls back its contacts: triangles of bsh and exact, points of ipc, planes of sdrs.
static const struct dc_friction_methods *methods_of(const struct dc_contact *contact)
{
  return contact->model->methods->friction;
}

bool dc_friction_law_acts(const struct dc_friction_law *law, const struct dc_bodies *bodies)
{
  bool any = false;
  for (int i = 0; i < bodies->count; i++)
    any |= law->coefficient[i] > 0;
  for (int p = 0; p < bodies->friction_pair_count; p++)
    any |= bodies->friction_pairs[p].friction > 0;
  return any && !law->none;
}

double dc_friction_law_coefficient(const struct dc_friction_law *law, const struct dc_contact *contact, int a, int b)
{
  const double of[2] = {law->coefficient[a], law->coefficient[b]};
  const double scale[2] = {law->scale ? law->scale[a] : 1, law->scale ? law->scale[b] : 1};
  return law->none ? 0 : dc_bodies_pair_friction(contact->bodies, a, b, of, scale);
}

// Whether any pair has friction: coefficients of bodies alone do not say, as pairs may have their own.
// Scenes without friction never make the workspace of friction.
static bool anything_acts(const struct dc_contact *contact, const struct dc_friction_law *law)
{
  for (int p = 0; p < contact->pair_count; p++)
    if (dc_friction_law_coefficient(law, contact, contact->pairs[p].a, contact->pairs[p].b) > 0)
      return true;
  return false;
}

// Made when something slides for the first time; the arrays of fixed size belong to the contact's arena.
static enum dc_status create(struct dc_contact *contact)
{
  size_t bodies = (size_t)contact->bodies->count;
  struct dc_friction *friction = dc_arena_alloc(contact->arena, 1, sizeof *friction);
  if (!friction)
    return DC_MEMORY;
  friction->now = dc_arena_alloc(contact->arena, bodies, sizeof *friction->now);
  if (!friction->now)
    return DC_MEMORY;
  contact->friction = friction;
  enum dc_status status = methods_of(contact)->create ? methods_of(contact)->create(contact) : DC_OK;
  if (status)
    contact->friction = NULL;
  return status;
}

// Arrays that grow are on the heap; those of fixed size go with the arena of the contact.
void dc_friction_destroy(struct dc_contact *contact)
{
  if (!contact->friction)
    return;
  if (methods_of(contact)->destroy)
    methods_of(contact)->destroy(contact->friction);
  free(contact->friction->units);
}

int dc_friction_add_unit(struct dc_friction *friction, const struct dc_friction_unit *unit)
{
  if (dc_grow(&friction->units, &friction->unit_capacity, friction->unit_count + 1, sizeof *friction->units))
    return -1;
  friction->units[friction->unit_count++] = *unit;
  return 0;
}

// Waking threads costs more than a small sum of friction.
bool dc_friction_worth_threads(const struct dc_friction *friction)
{
  return friction->cost > LEAST_PARALLEL_COST;
}

// Coefficients, poses and law of the interval are kept here, and the model lists the contacts of each pair that rubs.
// A pair that crosses or failed has no normal force to rub with.
enum dc_status dc_contact_friction_begin(struct dc_contact *contact, const struct dc_pose *now,
                                         const struct dc_friction_law *law, struct dc_error *error)
{
  if (contact->friction)
    contact->friction->unit_count = 0;
  if (!anything_acts(contact, law))
    return DC_OK;
  if (!contact->friction && create(contact))
    return dc_out_of_memory_for(error, "friction");
  struct dc_friction *friction = contact->friction;
  friction->stiffness = law->stiffness;
  friction->time_step = law->time_step;
  friction->smoothing = law->smoothing;
  memcpy(friction->now, now, (size_t)contact->bodies->count * sizeof *now);
  friction->cost = 0;
  friction->solved = true;
  friction->accepted = friction->incomplete = friction->late = false;
  methods_of(contact)->clear(contact);
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *pair = &contact->pairs[p];
    double coefficient = dc_friction_law_coefficient(law, contact, pair->a, pair->b) * (law->lag_factor ? law->lag_factor[p] : 1);
    if (!(coefficient > 0) || pair->crossing || pair->failed)
      continue;
    if (methods_of(contact)->list(contact, p, coefficient)) {
      friction->unit_count = 0;
      return dc_out_of_memory_for(error, "friction");
    }
  }
  return DC_OK;
}

bool dc_contact_slides(const struct dc_contact *contact)
{
  return contact->friction && contact->friction->unit_count > 0;
}

// The motion of one body from one pose to another; false, with identity and zeros, for a body that does not move.
static bool body_motion(const struct dc_body *body, const struct dc_pose *from, const struct dc_pose *to, double rate,
                        double turn[9], double drift[9], double velocity[3])
{
  for (int i = 0; i < 9; i++) {
    turn[i] = i % 4 == 0;
    drift[i] = 0;
  }
  memset(velocity, 0, 3 * sizeof *velocity);
  if (!dc_body_moves(body))
    return false;
  dc_mat_multiply_transposed(turn, to->rotation, from->rotation);
  for (int i = 0; i < 9; i++)
    drift[i] = (turn[i] - (i % 4 == 0)) * rate;
  for (int i = 0; i < 3; i++)
    velocity[i] = (to->position[i] - from->position[i]) * rate;
  return true;
}

// The motion of the frames of a pair from time t to next, at order 0: rate 1/h makes velocities, 1 displacements.
static void frames_motion(const struct dc_contact *contact, int pair, const struct dc_pose *next, double rate,
                          struct dc_friction_motion *motion)
{
  const struct dc_friction *friction = contact->friction;
  memset(motion, 0, sizeof *motion);
  for (int x = 0; x < 2; x++) {
    int body = x ? contact->pairs[pair].b : contact->pairs[pair].a;
    motion->both =  // b is the last
        body_motion(&contact->bodies->bodies[body], &friction->now[body], &next[body], rate, motion->turn[x],
                    motion->drift[x], motion->velocity[x]);
  }
}

// With a rate that the model wants: displacements over the step, or mean velocities in it.
static void motion_of(const struct dc_contact *contact, int pair, const struct dc_pose *next,
                      struct dc_friction_motion *motion)
{
  const struct dc_friction *friction = contact->friction;
  frames_motion(contact, pair, next, methods_of(contact)->displacements ? 1 : 1 / friction->time_step, motion);
  motion->time_step = friction->time_step;
  motion->smoothing = friction->smoothing;
}

// Adds the Hessians of a unit to its pair, whole matrices from lower triangles.
static void gather_hessians(const struct dc_friction_unit *unit, struct dc_friction_derivatives *result)
{
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++) {
      result->h_aa[i][j] += unit->h_aa[e];
      result->h_bb[i][j] += unit->h_bb[e];
      result->h_aa[j][i] = result->h_aa[i][j];
      result->h_bb[j][i] = result->h_bb[i][j];
    }
  for (int e = 0; e < 12; e++)
    (&result->turn[0][0])[e] += unit->turn[e];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      result->h_ab[i][j] += unit->h_ab[6 * i + j];
}

// Adds energy and gradient of a unit to its pair.
static void gather_unit(const struct dc_friction_unit *unit, int order, struct dc_friction_derivatives *result)
{
  result->acts = true;
  result->energy += unit->energy;
  for (int i = 0; i < 12 && order > 0; i++)
    result->gradient[i] += unit->gradient[i];
}

// Makes Hessians exact: adds turn and clears it.
static void add_turn(struct dc_friction_derivatives *derivatives)
{
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++) {
      derivatives->h_aa[i][j] += derivatives->turn[0][e];
      derivatives->h_bb[i][j] += derivatives->turn[1][e];
      derivatives->h_aa[j][i] = derivatives->h_aa[i][j];
      derivatives->h_bb[j][i] = derivatives->h_bb[i][j];
    }
  memset(derivatives->turn, 0, sizeof derivatives->turn);
}

struct evaluation {
  struct dc_contact *contact;
  const struct dc_pose *next;
  int order;
  bool solved;
  enum dc_friction_curvature curvature;
};

// One unit of an evaluation, on any thread.  HELD curvature lies between the iterate that was accepted last, in slot
// `slot`, and this one, which is written to the other slot; MAJORANT forgets what was accepted.  On a primitive there
// is no plane to be solved for: Hessians come with the gradients, for less than a second pass.
static void unit_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct evaluation *e = context;
  struct dc_friction *friction = e->contact->friction;
  struct dc_friction_unit *unit = &friction->units[k];
  struct dc_friction_motion motion;
  bool hold = e->curvature == DC_FRICTION_HELD || e->curvature == DC_FRICTION_MAJORANT, at_once = unit->primitive && hold;
  if (e->solved && at_once)
    return;
  motion_of(e->contact, unit->pair, e->next, &motion);
  motion.order = at_once && e->order == 1 ? 2 : e->order;
  motion.solved = e->solved;
  motion.hold = hold;
  motion.fresh = !friction->accepted || e->curvature == DC_FRICTION_MAJORANT;
  motion.start = e->curvature == DC_FRICTION_MAJORANT ? 0 : 1;
  motion.to = 1 - friction->slot;
  methods_of(e->contact)->run(e->contact, unit, &motion);
}

// Runs all units, in parallel where that pays.
static void run_units(struct evaluation *e)
{
  struct dc_friction *friction = e->contact->friction;
  dc_loop_run(unit_pass, e, (int)friction->unit_count, dc_friction_worth_threads(friction) ? 0 : 1, &friction->loop);
}

// Hessians of all units, in their order, to their pairs.
static void gather_all_hessians(const struct dc_friction *friction, enum dc_friction_curvature curvature,
                                struct dc_friction_derivatives *results)
{
  size_t count = friction->unit_count;
  for (size_t k = 0; k < count; k++) {
    const struct dc_friction_unit *unit = &friction->units[k];
    gather_hessians(unit, &results[unit->pair]);
    if (curvature == DC_FRICTION_EXACT && (k + 1 == count || unit[1].group != unit->group))
      add_turn(&results[unit->pair]);
  }
}

void dc_friction_clear(struct dc_friction_derivatives *results, int count)
{
  for (int p = 0; p < count; p++)
    if (results[p].acts)
      memset(&results[p], 0, sizeof *results);
}

// Energy of friction at the next poses with derivatives by the pairs: units in parallel, then gathered in their order,
// so that the sum does not depend on threads.
double dc_contact_friction_evaluate(struct dc_contact *contact, const struct dc_pose *next, int order,
                                    enum dc_friction_curvature curvature, struct dc_friction_derivatives *results)
{
  struct dc_friction *friction = contact->friction;
  double energy = 0;
  dc_friction_clear(results, contact->pair_count);
  if (!dc_contact_slides(contact))
    return 0;
  size_t count = friction->unit_count;
  struct evaluation e = {.contact = contact, .next = next, .order = order, .curvature = curvature};
  run_units(&e);
  friction->solved = true;
  friction->curvature = curvature;
  friction->incomplete = order == 1;
  friction->late = false;
  for (size_t k = 0; k < count; k++) {
    const struct dc_friction_unit *unit = &friction->units[k];
    gather_unit(unit, order, &results[unit->pair]);
    friction->solved &= unit->unconverged == 0;
  }
  if (order > 1)
    gather_all_hessians(friction, curvature, results);
  for (int p = 0; p < contact->pair_count; p++)
    if (results[p].acts)
      energy += results[p].energy;
  return energy;
}

// Two slots take turns, so that an iterate which the line search rejects leaves the accepted one as it was.
static void take_slot(struct dc_friction *friction)
{
  friction->slot = 1 - friction->slot;
  friction->accepted = true;
  friction->late = false;
}

// Slots are written with the Hessians: where these follow the slot is taken then.
void dc_contact_friction_accept(struct dc_contact *contact)
{
  if (!dc_contact_slides(contact))
    return;
  if (contact->friction->incomplete)
    contact->friction->late = true;
  else
    take_slot(contact->friction);
}

// The motions of the planes are those that the evaluation has found, so that all bits are as if it had been of order 2.
void dc_contact_friction_complete(struct dc_contact *contact, const struct dc_pose *next,
                                  struct dc_friction_derivatives *results)
{
  struct dc_friction *friction = contact->friction;
  if (!dc_contact_slides(contact) || !friction->incomplete)
    return;
  struct evaluation e = {
      .contact = contact, .next = next, .order = 2, .curvature = friction->curvature, .solved = true};
  run_units(&e);
  gather_all_hessians(friction, friction->curvature, results);
  friction->incomplete = false;
  if (friction->late)
    take_slot(friction);
}

// A plane whose motion (u, omega) was not found to its tolerance has no derivative by the implicit function theorem.
bool dc_contact_friction_solved(const struct dc_contact *contact)
{
  return !dc_contact_slides(contact) || contact->friction->solved;
}

// The units first ... end - 1, group by group.
// The coefficient of a pair is the geometric mean of its bodies', so that either logarithm gets half of the total.
static void pull_back_units(struct dc_contact *contact, size_t first, size_t units, const struct dc_pose *next,
                            const double (*twists)[6], double (*wrenches)[6], double *coefficient, double *stiffness,
                            double (*const *points)[3])
{
  static const double none[6] = {0, 0, 0, 0, 0, 0};
  const struct dc_friction *friction = contact->friction;
  for (size_t end; first < units; first = end) {
    const struct dc_friction_unit *unit = &friction->units[first];
    for (end = first + 1; end < units && friction->units[end].group == unit->group;)
      end++;
    int a = contact->pairs[unit->pair].a, b = contact->pairs[unit->pair].b;
    struct dc_friction_motion motion;
    motion_of(contact, unit->pair, next, &motion);
    struct dc_friction_sides sides = {.twist = {twists[a], motion.both ? twists[b] : none}};
    for (int x = 0; x < 2 && points; x++) {
      sides.points[x] = points[x ? b : a];
      sides.now[x] = friction->now[x ? b : a].rotation;
      sides.next[x] = next[x ? b : a].rotation;
    }
    double total = methods_of(contact)->pull_back(contact, unit, end - first, &motion, &sides);
    for (int i = 0; i < 6; i++) {
      wrenches[a][i] += sides.wrench[0][i];
      wrenches[b][i] += motion.both ? sides.wrench[1][i] : 0;
    }
    coefficient[a] += 0.5 * total;
    coefficient[b] += 0.5 * total;
    *stiffness += total / friction->stiffness;
  }
}

void dc_contact_friction_pull_back(struct dc_contact *contact, const struct dc_pose *next, const double (*twists)[6],
                                   double (*wrenches)[6], double *coefficient, double *stiffness,
                                   double (*const *points)[3])
{
  pull_back_units(contact, 0, contact->friction ? contact->friction->unit_count : 0, next, twists, wrenches,
                  coefficient, stiffness, points);
}

// The first unit, which are sorted by pair, of this pair or a later one.
static size_t first_unit(const struct dc_friction *friction, int pair)
{
  size_t low = 0, high = friction->unit_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (friction->units[middle].pair < pair)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Row by row: the derivative of D along a unit twist at t+1, pulled back.
// Twelve pull-backs per pair give all of its mixed Hessian; the tangent asks for it once an interval.
bool dc_contact_friction_mixed(struct dc_contact *contact, const struct dc_pose *next, int pair, double (*twists)[6],
                               double (*wrenches)[6], double *coefficient, double mixed[12][12])
{
  if (!dc_contact_slides(contact))
    return false;
  const int *bodies = contact->pair_bodies[pair];
  size_t first = first_unit(contact->friction, pair), end = first_unit(contact->friction, pair + 1);
  size_t row_bytes = sizeof *wrenches;
  double stiffness = 0;
  for (int i = 0; i < 12; i++) {
    if (i >= 6 && !dc_body_moves(&contact->bodies->bodies[bodies[1]])) {
      memset(mixed[i], 0, 12 * sizeof(double));
      continue;
    }
    memset(wrenches[bodies[0]], 0, row_bytes);
    memset(wrenches[bodies[1]], 0, row_bytes);
    twists[bodies[i / 6]][i % 6] = 1;
    pull_back_units(contact, first, end, next, (const double(*)[6])twists, wrenches, coefficient, &stiffness, NULL);
    twists[bodies[i / 6]][i % 6] = 0;
    memcpy(mixed[i], wrenches[bodies[0]], row_bytes);
    memcpy(mixed[i] + 6, wrenches[bodies[1]], row_bytes);
  }
  return true;
}
