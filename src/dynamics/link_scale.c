// SPDX-License-Identifier: Apache-2.0
// A link of a mechanism is no free body: what pushes it pushes all that hangs together with it.  With the inertia M of
// the coordinates (masses, moments and armatures) and the Jacobian J of the centre of mass of a link,
//     Lambda^-1 = J M^-1 J^T                                             (Khatib 1987, the operational-space inertia)
// is its acceleration for a force of 1 N.  The mass that contact feels is the least there is in any direction,
//     m = 1 / (largest eigenvalue of Lambda^-1),
// at least the link's own, as its centre does not move without it, and at most that of the mechanism, so that a link
// whose centre a joint holds in place counts with a finite one.  A free body with nothing on it has its own mass for m.
// Forces F on all bodies at once accelerate the centres by J M^-1 sum J^T F.
//
// Ties hold two frames a and b together.  With J of a less b the same m is the least mass that parts them, and M all
// that hangs at both ends.  A tie of stiffness S gives by M g/S under a weight, and rounding of places x, eps x S, is
// an acceleration of eps x S/m.  The default weighs both (docs/theory/bodies.md, "Ties"):
//     S = HOLD sqrt(m M)/h^2,   h the step.
// Couplings hold a coordinate b where that of t has it by e = q_b - p(q_t), J = (1, -p'): m = 1/(J M^-1 J^T), and with
// the inertias that each meets alone, M = 1/(M^-1)_bb + 1/(p'^2 (M^-1)_tt).
//
// Bodies fixed to each other are one solid: their size is that of their volumes and surfaces together.  Some links have
// a grain for a shape, which stands for nothing: no link counts as smaller than a tenth of the mean one.
#include "dynamics/link_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/kinematics.h"
#include "math/eigen6.h"
#include "math/vector.h"

static const double LEAST_PART = 0.1;  // of the size of the mean link
// How many times stiffer than inertia over a step a tie is: less gives way, more takes digits and Newton steps.
static const double HOLD = 1e4;
static const double MOST_PARTS = 100;  // of all that hangs at a tie: where joints let nothing move m has no bound

// How many times the mass that meets a coupling all that it holds may be, which the noise of places grows with the root
// of.
static const double MOST_SPREAD = 1e6;
static const double MOST_STIFFNESS = 1e12;  // J/m^2 or J/rad^2, as for given ones

// Whether a body has a say in how contact is scaled: it moves, has mass and a surface, and collides.
static bool link_counts(const struct dc_bodies *bodies, int i)
{
  const struct dc_body *body = &bodies->bodies[i];
  return dc_body_moves(body) && body->mass > 0 && dc_shape_has_surface(body->shape) && bodies->collide[i];
}

double dc_solid_size(double volume, double area)
{
  return volume > 0 ? fmin(cbrt(volume), 12 * volume / area) : 0;
}

// size [bodies], m: that of the solid of all bodies fixed to each other; 0 of bodies that do not count.
enum dc_status dc_link_sizes(const struct dc_bodies *bodies, double *size, struct dc_error *error)
{
  int links = 0;
  double(*solids)[2] = dc_alloc((size_t)bodies->count + 1, sizeof *solids);  // of groups: volume, surface
  double sum = 0;
  bool enough = solids;
  for (int i = 0; i < bodies->count && enough; i++)
    if (link_counts(bodies, i)) {
      const struct dc_mass_properties *solid = &bodies->bodies[i].shape->properties;
      solids[bodies->group[i]][0] += solid->volume;
      solids[bodies->group[i]][1] += solid->surface_area;
    }
  for (int i = 0; i < bodies->count && enough; i++) {
    const double *solid = solids[bodies->group[i]];
    size[i] = link_counts(bodies, i) ? dc_solid_size(solid[0], solid[1]) : 0;
    if (link_counts(bodies, i) && !(size[i] > 0))
      size[i] = bodies->bodies[i].radius;
    if (size[i] > 0 && !dc_body_is_alone(bodies, i))
      links++, sum += size[i] * size[i] * size[i];
  }
  for (int i = 0; i < bodies->count && enough; i++)
    if (size[i] > 0 && !dc_body_is_alone(bodies, i))
      size[i] = fmax(size[i], LEAST_PART * cbrt(sum / links));
  free(solids);
  return enough ? DC_OK : dc_out_of_memory_for(error, "the sizes of %d bodies", bodies->count);
}

// The inertia of the coordinates at the start and what belongs to it.
struct inertia {
  const struct dc_bodies *bodies;
  struct dc_kinematics kinematics;
  struct dc_symmetric_matrix *matrix;
  double *vector;  // [nv]
  double (*twists)[6];
};

// Adds masses and moments tr(S) I - S, S the second moment in world axes, and armatures.
static enum dc_status assemble(struct inertia *inertia, struct dc_arena *arena)
{
  const struct dc_bodies *bodies = inertia->bodies;
  struct dc_assembler *assembler = dc_assembler_create(bodies, arena);
  double(*blocks)[36] = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *blocks);
  if (!assembler || !blocks)
    return DC_MEMORY;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    const double *rotation = inertia->kinematics.poses[i].rotation;
    double turned[9], moment[9];
    if (!dc_body_moves(body))
      continue;
    dc_mat_multiply(turned, rotation, body->second_moment);
    dc_mat_multiply_transposed(moment, turned, rotation);
    double trace = moment[0] + moment[4] + moment[8];
    for (int k = 0; k < 9; k++)
      blocks[i][6 * (k / 3) + k % 3] = (k % 4 == 0 ? trace : 0) - moment[k];
    for (int k = 3; k < 6; k++)
      blocks[i][7 * k] = body->mass;
  }
  dc_assemble_bodies(assembler, &inertia->kinematics, (const double(*)[36])blocks, NULL, inertia->matrix);
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      if (part->passive.armature > 0 && dc_part_nv(part) == 1)
        dc_assemble_joint(assembler, i, part->v, 1, &part->passive.armature, inertia->matrix);
    }
  return dc_symmetric_factor_positive(inertia->matrix);
}

// Factors M at the initial state; all memory but that of the matrix is in the arena.
static enum dc_status create(struct inertia *inertia, struct dc_arena *arena)
{
  const struct dc_bodies *bodies = inertia->bodies;
  struct dc_error unused;
  int *sizes = dc_arena_alloc(arena, (size_t)bodies->mechanism_count + 1, sizeof *sizes);
  inertia->vector = dc_arena_alloc(arena, (size_t)bodies->nv + 1, sizeof *inertia->vector);
  inertia->twists = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *inertia->twists);
  if (!sizes || !inertia->vector || !inertia->twists ||
      dc_kinematics_create(bodies, arena, &inertia->kinematics, &unused))
    return DC_MEMORY;
  for (int m = 0; m < bodies->mechanism_count; m++)
    sizes[m] = bodies->mechanisms[m].nv;
  dc_kinematics_update(bodies, bodies->initial_q, &inertia->kinematics);
  inertia->matrix = dc_symmetric_create(bodies->mechanism_count, sizes, 0, NULL, DC_SOLVER_AUTOMATIC);
  return inertia->matrix ? assemble(inertia, arena) : DC_MEMORY;
}

// The eigenvalue of Lambda^-1 of a body.
static double largest_mobility(struct inertia *inertia, int i)
{
  const struct dc_bodies *bodies = inertia->bodies;
  double mobility[9], values[3], vectors[9];
  for (int k = 0; k < 3; k++) {
    double force[6] = {0};
    force[3 + k] = 1;
    memset(inertia->vector, 0, (size_t)bodies->nv * sizeof *inertia->vector);
    dc_pull_back_body(bodies, &inertia->kinematics, i, force, inertia->vector);
    dc_symmetric_solve(inertia->matrix, inertia->vector, inertia->vector, NULL);
    dc_twists(bodies, &inertia->kinematics, inertia->vector, inertia->twists);
    for (int row = 0; row < 3; row++)
      mobility[3 * row + k] = inertia->twists[i][3 + row];
  }
  dc_eigen3(mobility, values, vectors);
  return fmax(values[0], fmax(values[1], values[2]));
}

// The eigenvalue of Lambda^-1 of the ends of a tie against each other.
static double largest_parting(struct inertia *inertia, const struct dc_tie *tie)
{
  const struct dc_bodies *bodies = inertia->bodies;
  const int ends[2] = {tie->body, tie->to};
  double mobility[9], values[3], vectors[9];
  for (int k = 0; k < 3; k++) {
    memset(inertia->vector, 0, (size_t)bodies->nv * sizeof *inertia->vector);
    for (int side = 0; side < 2; side++) {
      double force[6] = {0};
      force[3 + k] = side ? -1 : 1;
      if (dc_body_moves(&bodies->bodies[ends[side]]))
        dc_pull_back_body(bodies, &inertia->kinematics, ends[side], force, inertia->vector);
    }
    dc_symmetric_solve(inertia->matrix, inertia->vector, inertia->vector, NULL);
    dc_twists(bodies, &inertia->kinematics, inertia->vector, inertia->twists);
    for (int row = 0; row < 3; row++)
      mobility[3 * row + k] = inertia->twists[ends[0]][3 + row] - inertia->twists[ends[1]][3 + row];
  }
  dc_eigen3(mobility, values, vectors);
  return fmax(values[0], fmax(values[1], values[2]));
}

// acceleration [bodies], m/s^2: of every centre, by forces [bodies][3], N, on all of them at once.
static void accelerate(struct inertia *inertia, const double (*forces)[3], double *acceleration)
{
  const struct dc_bodies *bodies = inertia->bodies;
  memset(inertia->vector, 0, (size_t)bodies->nv * sizeof *inertia->vector);
  for (int i = 0; i < bodies->count; i++) {
    double wrench[6] = {0};
    dc_vec_copy(wrench + 3, forces[i]);
    if (dc_body_moves(&bodies->bodies[i]))
      dc_pull_back_body(bodies, &inertia->kinematics, i, wrench, inertia->vector);
  }
  dc_symmetric_solve(inertia->matrix, inertia->vector, inertia->vector, NULL);
  dc_twists(bodies, &inertia->kinematics, inertia->vector, inertia->twists);
  for (int i = 0; i < bodies->count; i++)
    acceleration[i] = dc_vec_norm(inertia->twists[i] + 3);
}

enum dc_status dc_link_masses(const struct dc_bodies *bodies, struct dc_arena *arena, const double (*forces)[3],
                              double *mass, double *acceleration, struct dc_error *error)
{
  struct inertia inertia = {.bodies = bodies};
  int links = 0;
  double *whole = dc_arena_alloc(arena, (size_t)bodies->mechanism_count + 1, sizeof *whole);
  enum dc_status status = whole ? DC_OK : DC_MEMORY;
  for (int i = 0; i < bodies->count && !status; i++) {
    mass[i] = bodies->bodies[i].mass;
    acceleration[i] = mass[i] > 0 ? dc_vec_norm(forces[i]) / mass[i] : 0;
    if (dc_body_moves(&bodies->bodies[i]))
      whole[bodies->bodies[i].mechanism] += mass[i];
    links += link_counts(bodies, i) && !dc_body_is_alone(bodies, i);
  }
  if (links && !status)
    status = create(&inertia, arena);
  // Where rounding makes the inertia singular each body counts with its own mass.
  if (links && !status) {
    double *all = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *all);
    status = all ? DC_OK : DC_MEMORY;
    if (all)
      accelerate(&inertia, forces, all);
    for (int i = 0; i < bodies->count && !status; i++)
      if (link_counts(bodies, i) && !dc_body_is_alone(bodies, i)) {
        double most = fmax(whole[bodies->bodies[i].mechanism], mass[i]);
        acceleration[i] = all[i];
        mass[i] = fmin(most, fmax(mass[i], 1 / largest_mobility(&inertia, i)));
      }
  }
  dc_symmetric_destroy(inertia.matrix);
  return status == DC_MEMORY ? dc_out_of_memory_for(error, "the inertia of links") : DC_OK;
}

// All that moves with the ends of a tie, kg.
static double mass_at(const struct dc_bodies *bodies, const struct dc_tie *tie)
{
  int one = bodies->bodies[tie->body].mechanism, other = bodies->bodies[tie->to].mechanism;
  double sum = 0;
  for (int i = 0; i < bodies->count; i++)
    if (dc_body_moves(&bodies->bodies[i]) &&
        (bodies->bodies[i].mechanism == one || bodies->bodies[i].mechanism == other))
      sum += bodies->bodies[i].mass;
  return sum;
}

// Ends that nothing parts would have an infinite mass: MOST_PARTS times all that hangs there stands for it.
enum dc_status dc_link_ties(const struct dc_bodies *bodies, double step, int count, struct dc_tie *ties,
                            struct dc_arena *arena, struct dc_error *error)
{
  struct inertia inertia = {.bodies = bodies};
  enum dc_status status = count ? create(&inertia, arena) : DC_OK;
  for (int k = 0; k < count && status != DC_MEMORY; k++) {
    double whole = mass_at(bodies, &ties[k]), mobility = status ? 0 : largest_parting(&inertia, &ties[k]);
    ties[k].mass = mobility * MOST_PARTS * whole > 1 ? 1 / mobility : status ? whole : MOST_PARTS * whole;
    if (isnan(ties[k].stiffness))
      ties[k].stiffness = HOLD * sqrt(ties[k].mass * fmax(whole, ties[k].mass)) / (step * step);
  }
  dc_symmetric_destroy(inertia.matrix);
  return status == DC_MEMORY ? dc_out_of_memory_for(error, "the inertia of links") : DC_OK;
}

// The component along part a of M^-1 times a unit force along part b.
static double response(struct inertia *inertia, const struct dc_joint_part *a, const struct dc_joint_part *b)
{
  memset(inertia->vector, 0, (size_t)inertia->bodies->nv * sizeof *inertia->vector);
  inertia->vector[b->v] = 1;
  dc_symmetric_solve(inertia->matrix, inertia->vector, inertia->vector, NULL);
  return inertia->vector[a->v];
}

// m and M of a coupling, where the inertia of the coordinates is regular; false: it is not.
static bool weigh_coupling(struct inertia *inertia, const struct dc_coupling *coupling, double *mass, double *whole)
{
  const struct dc_bodies *bodies = inertia->bodies;
  const struct dc_joint_part *b = &bodies->bodies[coupling->body].parts[0], *t = &bodies->bodies[coupling->to].parts[0];
  double slope, unused;
  dc_coupling_value(coupling, bodies->initial_q[t->q], &slope, &unused);
  double own = response(inertia, b, b), mixed = response(inertia, b, t), other = response(inertia, t, t);
  double mobility = own - 2 * slope * mixed + slope * slope * other;
  *whole = 1 / own + (slope != 0 ? 1 / (slope * slope * other) : 0);
  *mass = fmin(1 / mobility, MOST_PARTS * *whole);
  *whole = fmin(fmax(*whole, *mass), MOST_SPREAD * *mass);
  return own > 0 && other > 0 && mobility > 0 && isfinite(*mass) && isfinite(*whole);
}

// The default stiffness of a coupling weighs the masses it joins as that of a tie does, up to MOST_STIFFNESS.
enum dc_status dc_link_couplings(const struct dc_bodies *bodies, double step, int count, struct dc_coupling *couplings,
                                 struct dc_arena *arena, struct dc_error *error)
{
  struct inertia inertia = {.bodies = bodies};
  enum dc_status status = count ? create(&inertia, arena) : DC_OK;
  for (int k = 0; k < count && status != DC_MEMORY; k++) {
    double mass = 1, whole = 1;
    if (status || !weigh_coupling(&inertia, &couplings[k], &mass, &whole))
      mass = whole = 1;
    couplings[k].mass = mass;
    if (isnan(couplings[k].stiffness))
      couplings[k].stiffness = fmin(HOLD * sqrt(mass * whole) / (step * step), MOST_STIFFNESS);
  }
  dc_symmetric_destroy(inertia.matrix);
  return status == DC_MEMORY ? dc_out_of_memory_for(error, "the inertia of links") : DC_OK;
}

// The length of a tendon with factors a has the inertia m = 1/(a M^-1 a^T), and its ends HOLD m/h^2.
enum dc_status dc_link_tendons(const struct dc_bodies *bodies, double step, int count, struct dc_tendon *tendons,
                               struct dc_arena *arena, struct dc_error *error)
{
  struct inertia inertia = {.bodies = bodies};
  enum dc_status status = count ? create(&inertia, arena) : DC_OK;
  for (int k = 0; k < count && status != DC_MEMORY; k++) {
    const struct dc_tendon_joint *joints = tendons[k].joints.objects;
    double mobility = 0;
    for (int i = 0; i < tendons[k].joints.count && !status; i++)
      for (int j = 0; j < tendons[k].joints.count; j++)
        mobility += joints[i].factor * joints[j].factor *
                    response(&inertia, dc_tendon_part(bodies, &joints[i]), dc_tendon_part(bodies, &joints[j]));
    double mass = mobility > 0 && isfinite(1 / mobility) ? 1 / mobility : 1;
    tendons[k].range_stiffness = fmin(HOLD * mass / (step * step), MOST_STIFFNESS);
  }
  dc_symmetric_destroy(inertia.matrix);
  return status == DC_MEMORY ? dc_out_of_memory_for(error, "the inertia of links") : DC_OK;
}
