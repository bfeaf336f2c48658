// SPDX-License-Identifier: Apache-2.0
// How stiff contact has to be follows from what rests on it.  The force of a pair is the stiffness mu times the slope
// of a potential that only shapes decide, whatever the contact model; so the slope is measured, and
//     mu = N / (-dP/ds at the gap g)
// lets a body that weighs N rest at the gap g.  Of all bodies and what they can rest on the smallest mu counts.
//  1. g is a thousandth of the body's size.  A body that starts nearer to what is below it than that is taken to rest
//     there: g is that distance, but at least a tenth of a thousandth of the size.
//     A body that nothing fixed bears leans with its weight on the fixed bodies beside it.
//  2. Bodies that can turn also rest on their other sides, for which 2.5 thousandths are enough.  Of sides that are
//     alike one is measured.
//  3. The far field at the start may accelerate no body by more than a hundredth of the gravity.
// Without gravity the acceleration that takes a body over ten times its size within the duration, or stops the fastest
// approach at the start within its size, stands for it.  Links of a mechanism with actuators bear the weight of all of
// it, those of one without that of the mass which moves with them (link_scale.c).
#include "dynamics/contact_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/approach.h"
#include "dynamics/link_scale.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_KINDS = 24, SIDES = 6 };
static const double GAP = 1e-3, LEAST_GAP = 1e-4;  // at rest, over the size of the body
static const double SIDE_GAP = 2.5e-3;             // the same on its other sides
static const double FAR_BUDGET = 1e-2;             // acceleration by the far field over gravity
static const double NEAR = 2e-2;                   // gap over the size below which a force is no far field's
static const double SIZES = 10;                    // distance that counts as a motion without gravity
static const double CREEP = 1e-2;                  // of the smallest body's size in a second, while friction holds
static const double REACH = 2e-2, DHAT = 4e-3;     // of sdrs and of ipc, over the smallest size
static const double NEAR_RANGE = 5e-2;             // over the smallest size
static const double LEAST_NEAR_RANGE = 1e-6, MOST_NEAR_RANGE = 1e3;  // m, bounds of the option
static const double SAME_PLACE = 1e-3;                               // of a gap
static const double SAME_SIDE = 2e-3;                                // of what tells sides apart
// The fixed values: for scenes that give their stiffness, and for those without bodies to choose by.
static const double STIFFNESS = 1e-6, SMOOTHING = 1e-3, FIXED_NEAR_RANGE = 5e-3, LENGTH = 1, FIXED_DHAT = 1e-3;

struct scale {
  const struct dc_model *model;
  struct dc_arena *arena;
  struct dc_pose *poses;              // [bodies] at the start
  struct dc_pair_derivatives *pairs;  // [pair_count] at the start
  double *gaps;                       // [pair_count] at the start
  double *sizes;                      // [bodies] m, 0: has no say
  double *masses;                     // [bodies] kg, that contact feels
  double *loads;                      // [bodies] N
  bool *borne;                        // [bodies] something fixed is below it
  struct dc_approach approach;
  struct dc_contact_choice *choice;
  double stiffness, up[3];  // the smallest so far; against gravity, zero without
};

double dc_contact_size(const struct dc_body *body)
{
  const struct dc_mass_properties *solid = &body->shape->properties;
  double size = dc_solid_size(solid->volume, solid->surface_area);
  return size > 0 ? size : body->radius;
}

// Three digits: what is chosen is legible, and rounding elsewhere does not show in it.
static double legible(double value)
{
  double power = pow(10, 2 - floor(log10(value)));
  return nearbyint(value * power) / power;
}

static void set_open(double *value, double chosen)
{
  if (isnan(*value))
    *value = chosen;
}

// The smallest size of the bodies that count; NAN without any.
static enum dc_status find_least_size(const struct dc_bodies *bodies, double *least, struct dc_error *error)
{
  double *sizes = dc_alloc((size_t)bodies->count + 1, sizeof *sizes);
  enum dc_status status = sizes ? dc_link_sizes(bodies, sizes, error)
                                : dc_out_of_memory_for(error, "the sizes of %d bodies", bodies->count);
  *least = NAN;
  for (int i = 0; i < bodies->count && !status; i++)
    if (sizes[i] > 0)
      *least = fmin(*least, sizes[i]);
  free(sizes);
  return status;
}

// Lengths that a scene leaves open follow the least size of a body where the stiffness is chosen as well; beside a
// given stiffness they are fixed numbers.
enum dc_status dc_contact_choose_lengths(struct dc_model *model, struct dc_contact_choice *choice,
                                         struct dc_error *error)
{
  struct dc_contact_settings *settings = &model->definition.contact;
  *choice = (struct dc_contact_choice){.automatic = isnan(settings->stiffness), .body = -1, .other = -1};
  enum dc_status status = find_least_size(&model->bodies, &choice->least_size, error);
  if (status)
    return status;
  double size = choice->least_size;
  bool short_range = !(model->definition.contact_model->flags & DC_CONTACT_LONG_RANGE);
  if (choice->automatic && size > 0) {
    double s = settings->support;
    set_open(&settings->friction_smoothing, fmin(SMOOTHING, legible(0.5 * CREEP * size)));
    set_open(&settings->near_range, fmin(fmax(legible(NEAR_RANGE * size), LEAST_NEAR_RANGE), MOST_NEAR_RANGE));
    if (short_range) {
      set_open(&settings->dhat, legible(DHAT * size));
      set_open(&settings->length, legible(REACH * size * (1 - s) / (2 * s)));
    }
  }
  // Barriers without an end use dhat for the reach of friction alone, which gaps at rest must not exceed.
  if (!short_range && size > 0)
    set_open(&settings->dhat, legible(NEAR_RANGE * size));
  if (settings->weights == DC_WEIGHTS_AUTOMATIC)
    settings->weights =
        choice->automatic && isnan(settings->reference_area) ? DC_WEIGHTS_CONTACT : DC_WEIGHTS_CONSISTENT;
  set_open(&settings->friction_smoothing, SMOOTHING);
  set_open(&settings->near_range, FIXED_NEAR_RANGE);
  set_open(&settings->dhat, FIXED_DHAT);
  set_open(&settings->length, LENGTH);
  return DC_OK;
}

// Gravity, or without it the acceleration that stops a speed within a size.
static double stopping(const struct dc_model *model, double size, double speed)
{
  const struct dc_time_settings *time = &model->definition.time;
  double gravity = dc_vec_norm(model->definition.gravity), duration = time->step * fmax(1, (double)time->steps);
  speed = fmax(speed, SIZES * size / duration);
  return gravity > 0 ? gravity : speed * speed / size;
}

double dc_contact_acceleration(const struct dc_model *model, double size)
{
  double speed = 0;
  for (int i = 0; i < model->bodies.count; i++)
    speed = fmax(speed, dc_vec_norm(model->bodies.bodies[i].start.velocity));
  return stopping(model, size, speed);
}

// The largest speed at which two bodies come together at the start, along the force between them or, without one, the
// line of centres.  Speeds along a floor are none to stop.
static double closing_speed(const struct scale *scale)
{
  const struct dc_bodies *bodies = &scale->model->bodies;
  double largest = 0;
  for (int p = 0; p < dc_contact_pair_count(scale->approach.contact); p++) {
    const int *pair = dc_contact_pairs(scale->approach.contact)[p];
    double along[3], speed[3];
    dc_vec_copy(along, scale->pairs[p].gradient + 3);
    if (!(dc_vec_norm(along) > 0) || !isfinite(scale->pairs[p].energy))
      dc_vec_sub(along, scale->poses[pair[1]].position, scale->poses[pair[0]].position);
    dc_vec_sub(speed, bodies->bodies[pair[0]].start.velocity, bodies->bodies[pair[1]].start.velocity);
    if (dc_vec_norm(along) > 0)
      largest = fmax(largest, dc_vec_dot(speed, along) / dc_vec_norm(along));
  }
  return largest;
}

// loads [bodies]: the weight of what a body moves with, of links that of the mechanism when something drives it.
static void set_loads(struct scale *scale)
{
  const struct dc_bodies *bodies = &scale->model->bodies;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double mass = 0;
    bool driven = false;
    for (int k = 0; k < bodies->count && dc_body_moves(body); k++)
      if (bodies->bodies[k].mechanism == body->mechanism) {
        mass += bodies->bodies[k].mass;
        driven |= bodies->bodies[k].pd != NULL;
      }
    scale->loads[i] = scale->choice->acceleration * (driven ? mass : scale->masses[i]);
  }
}

// Keeps the least stiffness of all bounds, and which bound by which bodies it was, for reports.
static void bound_stiffness(struct scale *scale, double stiffness, int bound, int body, int other, double gap)
{
  if (!(stiffness > 0) || !(stiffness < scale->stiffness))
    return;
  struct dc_contact_choice *choice = scale->choice;
  scale->stiffness = stiffness;
  choice->bound = bound;
  choice->body = body;
  choice->other = other;
  choice->gap = gap;
  choice->load = scale->loads[body];
  choice->size = scale->sizes[body];
}

// A side of a body as what it rests on sees it: how far it is from the centre, and sums over triangles of areas over
// squared heights above the lowest vertex, of vertices and of what faces down.
struct side {
  double depth, vertices, faces;
};

// Sums that give the force of a side on a half-space `gap` below its deepest point. With heights z over that plane,
// `vertices` is the sum of area/z^2 over the corners of all triangles; `faces` has the area that faces the plane
// instead, at the height of each triangle's middle. Sides 0 ... 2 look along minus the axes, 3 ... 5 along them.
static struct side side_of(const struct dc_body *body, int side, double gap)
{
  const struct dc_mesh *mesh = &body->shape->mesh;
  double sign = side < 3 ? 1 : -1;
  int axis = side % 3;
  struct side seen = {-INFINITY, 0, 0};
  for (int v = 0; v < mesh->vertex_count; v++)
    seen.depth = fmax(seen.depth, sign * (body->center[axis] - mesh->vertices[v][axis]));
  for (int t = 0; t < mesh->triangle_count; t++) {
    double heights[3], e[3], f[3], normal[3];
    const double *corners[3];
    for (int k = 0; k < 3; k++) {
      corners[k] = mesh->vertices[mesh->triangles[t][k]];
      heights[k] = seen.depth - sign * (body->center[axis] - corners[k][axis]) + gap;
    }
    dc_vec_sub(e, corners[1], corners[0]);
    dc_vec_sub(f, corners[2], corners[0]);
    dc_vec_cross(normal, e, f);
    double area = 0.5 * dc_vec_norm(normal), faces = -0.5 * sign * normal[axis];
    double height = (heights[0] + heights[1] + heights[2]) / 3;
    for (int k = 0; k < 3; k++)
      seen.vertices += area / (heights[k] * heights[k]);
    seen.faces += fmax(faces, 0) / (height * height);
  }
  return seen;
}

static bool same_side(const struct side *one, const struct side *other)
{
  return fabs(one->depth - other->depth) <= SAME_SIDE * one->depth &&
         fabs(one->vertices - other->vertices) <= SAME_SIDE * one->vertices &&
         fabs(one->faces - other->faces) <= SAME_SIDE * one->faces;
}

// Turns the first body of the pair so that the given side of it is above; side 0 ... 5: the axes of its frame and their
// opposites.  It is lifted by what it may now be higher.
static void turn_up(struct scale *scale, int body, int side)
{
  struct dc_pose *pose = &scale->approach.poses[body];
  const struct dc_pose *start = &scale->poses[body];
  const double *up = scale->approach.direction;
  double axis[3], turn[3], q[4];
  for (int k = 0; k < 3; k++)
    axis[k] = (side < 3 ? 1 : -1) * start->rotation[3 * k + side % 3];
  dc_vec_cross(turn, axis, up);
  double sine = dc_vec_norm(turn), angle = atan2(sine, dc_vec_dot(axis, up));
  if (sine > 1e-6) {
    dc_vec_scale(turn, turn, angle / sine);
  } else {  // about any axis of the frame that is not this one
    for (int k = 0; k < 3; k++)
      turn[k] = angle * start->rotation[3 * k + (side + 1) % 3];
  }
  dc_rotation_exp(q, turn);
  dc_rotation_multiply(pose->quaternion, q, start->quaternion);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
  dc_vec_add_scaled(scale->approach.start, start->position, 2 * scale->model->bodies.bodies[body].radius, up);
}

// The force of the pair at a gap for a stiffness of 1 J, N, with the body where it was turned to; 0 where the two never
// meet or do so already.  start: the body stands where the scene puts it.  If it is nearer to the other one than *gap
// then, *gap becomes that distance.
static double force_at(struct scale *scale, double size, bool start, double *gap)
{
  struct dc_approach *approach = &scale->approach;
  if (dc_approach_meets(approach, 0))
    return 0;
  double touch = dc_approach_estimate(approach, size, *gap);
  if (isnan(touch))
    return 0;
  if (start)
    *gap = fmin(*gap, fmax(-touch, LEAST_GAP * size));
  double place = touch + *gap;
  if (fabs(approach->at - place) > SAME_PLACE * *gap && dc_approach_meets(approach, place))
    return 0;
  return -dc_vec_dot(approach->pairs[approach->pair].gradient + 3, approach->direction);
}

// Rounds of measuring: what rests on fixed bodies, what no fixed body bears but one may stop, and what rests on bodies
// that move.
enum round { ON_FIXED, BESIDE_FIXED, ON_MOVING };

// The size of the smaller body; of two without a say in it that of the first.
static double size_of_pair(const struct scale *scale, const int *pair)
{
  double size = scale->sizes[pair[0]], other = scale->sizes[pair[1]];
  return other > 0 ? fmin(size, other) : size;
}

// Bounds the stiffness by the rest of the first body of a pair on the second one, above it or, where no fixed body
// bears it, leaning on it with its weight.
static void measure(struct scale *scale, int p, enum round round)
{
  const struct dc_body *bodies = scale->model->bodies.bodies;
  const int *pair = dc_contact_pairs(scale->approach.contact)[p];
  struct dc_approach *approach = &scale->approach;
  bool moves = dc_body_moves(&bodies[pair[1]]);
  int lighter = moves && scale->loads[pair[1]] < scale->loads[pair[0]] ? pair[1] : pair[0];
  double size = size_of_pair(scale, pair), gap;
  memcpy(approach->poses, scale->poses, (size_t)scale->model->bodies.count * sizeof *scale->poses);
  approach->pair = p;
  approach->body = pair[0];
  dc_vec_copy(approach->start, scale->poses[pair[0]].position);
  dc_vec_copy(approach->direction, scale->up);
  if (round != ON_FIXED || !(dc_vec_norm(scale->up) > 0))
    dc_vec_scale(approach->direction, scale->pairs[p].gradient + 3, -1);
  if (!(dc_vec_norm(approach->direction) > 0))
    dc_vec_sub(approach->direction, scale->poses[pair[0]].position, scale->poses[pair[1]].position);
  dc_vec_scale(approach->direction, approach->direction, 1 / dc_vec_norm(approach->direction));
  gap = GAP * size;
  double force = force_at(scale, size, true, &gap);
  bound_stiffness(scale, scale->loads[lighter] / force, DC_BOUND_REST, lighter, lighter == pair[0] ? pair[1] : pair[0],
                  gap);
  scale->borne[pair[0]] |= round == ON_FIXED && force > 0;
  struct side sides[SIDES];
  for (int side = 0; side < SIDES && bodies[pair[0]].free && round == ON_FIXED; side++) {
    sides[side] = side_of(&bodies[pair[0]], side, SIDE_GAP * size);
    bool seen = false;
    for (int k = 0; k < side && !seen; k++)
      seen = same_side(&sides[k], &sides[side]);
    if (seen)
      continue;
    turn_up(scale, pair[0], side);
    gap = SIDE_GAP * size;
    force = force_at(scale, size, false, &gap);
    bound_stiffness(scale, scale->loads[lighter] / force, DC_BOUND_REST, pair[0], pair[1], gap);
  }
}

// Pairs whose bounds are the same but for where they start.
static bool same_kind(const struct scale *scale, const int *one, const int *other)
{
  const struct dc_body *bodies = scale->model->bodies.bodies;
  bool same = bodies[one[0]].shape == bodies[other[0]].shape && scale->loads[one[0]] == scale->loads[other[0]];
  if (!dc_body_moves(&bodies[one[1]]) || !dc_body_moves(&bodies[other[1]]))
    return same && one[1] == other[1];
  return same && bodies[one[1]].shape == bodies[other[1]].shape && scale->loads[one[1]] == scale->loads[other[1]];
}

// How small a stiffness a pair asks for: N g^2, up to a factor.
static double demand(const struct scale *scale, int p)
{
  const int *pair = dc_contact_pairs(scale->approach.contact)[p];
  const struct dc_body *bodies = scale->model->bodies.bodies;
  double size = size_of_pair(scale, pair), load = scale->loads[pair[0]];
  if (dc_body_moves(&bodies[pair[1]]))
    load = fmin(load, scale->loads[pair[1]]);
  return load * size * size;
}

// Whether the bodies of a pair can be measured in a round; those that move are of different mechanisms of which one at
// least rests on nothing fixed.
static bool takes_part(const struct scale *scale, int p, enum round round)
{
  const int *pair = dc_contact_pairs(scale->approach.contact)[p];
  const struct dc_body *a = &scale->model->bodies.bodies[pair[0]], *b = &scale->model->bodies.bodies[pair[1]];
  if (!(scale->sizes[pair[0]] > 0) || !isfinite(scale->pairs[p].energy) || dc_body_moves(b) != (round == ON_MOVING))
    return false;
  if (round != ON_MOVING)
    return round == ON_FIXED || !scale->borne[pair[0]];
  return scale->sizes[pair[1]] > 0 && a->mechanism != b->mechanism && !(scale->borne[pair[0]] && scale->borne[pair[1]]);
}

// One of every kind, the most demanding first.
static void measure_kinds(struct scale *scale, enum round round)
{
  const int(*all)[2] = dc_contact_pairs(scale->approach.contact);
  int kinds[MOST_KINDS], count = 0, pairs = dc_contact_pair_count(scale->approach.contact);
  for (int p = 0; p < pairs; p++) {
    if (!takes_part(scale, p, round))
      continue;
    int at = count;
    bool seen = false;
    for (int k = 0; k < count && !seen; k++)
      seen = same_kind(scale, all[kinds[k]], all[p]);
    if (seen || (count == MOST_KINDS && demand(scale, p) >= demand(scale, kinds[count - 1])))
      continue;
    at = count < MOST_KINDS ? count++ : count - 1;
    for (; at > 0 && demand(scale, kinds[at - 1]) > demand(scale, p); at--)
      kinds[at] = kinds[at - 1];
    kinds[at] = p;
  }
  for (int k = 0; k < count; k++)
    measure(scale, kinds[k], round);
}

// far [bodies][3]: what pairs that are not in contact at the start do to each body, for a stiffness of 1 J.
static void find_far_field(const struct scale *scale, double (*far)[3])
{
  int count = dc_contact_pair_count(scale->approach.contact);
  for (int p = 0; p < count; p++) {
    const int *pair = dc_contact_pairs(scale->approach.contact)[p];
    double gradient[12];
    if (!(scale->sizes[pair[0]] > 0) || !isfinite(scale->pairs[p].energy) ||
        scale->gaps[p] < NEAR * size_of_pair(scale, pair))
      continue;
    dc_contact_expand_gradient(&scale->pairs[p], gradient);
    for (int side = 0; side < 2; side++)
      dc_vec_add(far[pair[side]], far[pair[side]], gradient + 6 * side + 3);
  }
}

// accelerations [bodies]: of the centres of mass by the far field.
static void bound_far_field(struct scale *scale, const double *accelerations)
{
  const struct dc_bodies *bodies = &scale->model->bodies;
  double largest = 0;
  for (int i = 0; i < bodies->count; i++)
    if (scale->sizes[i] > 0) {
      largest = fmax(largest, accelerations[i]);
      bound_stiffness(scale, FAR_BUDGET * scale->choice->acceleration / accelerations[i], DC_BOUND_FAR_FIELD, i, -1,
                      NAN);
    }
  scale->choice->far_acceleration = largest;
}

// One number for each body or pair; two sets of poses, at the start and where a gap is measured.
static enum dc_status allocate(struct scale *scale, struct dc_error *error)
{
  size_t count = (size_t)scale->model->bodies.count, pairs = (size_t)dc_contact_pair_count(scale->approach.contact);
  scale->poses = dc_arena_alloc(scale->arena, count, sizeof *scale->poses);
  scale->approach.poses = dc_arena_alloc(scale->arena, count, sizeof *scale->poses);
  scale->sizes = dc_arena_alloc(scale->arena, count, sizeof *scale->sizes);
  scale->masses = dc_arena_alloc(scale->arena, count, sizeof *scale->masses);
  scale->loads = dc_arena_alloc(scale->arena, count, sizeof *scale->loads);
  scale->borne = dc_arena_alloc(scale->arena, count, sizeof *scale->borne);
  scale->pairs = dc_arena_alloc(scale->arena, pairs + 1, sizeof *scale->pairs);
  scale->approach.pairs = dc_arena_alloc(scale->arena, pairs + 1, sizeof *scale->pairs);
  scale->gaps = dc_arena_alloc(scale->arena, pairs + 1, sizeof *scale->gaps);
  bool enough = scale->poses && scale->approach.poses && scale->sizes && scale->masses && scale->loads &&
                scale->borne && scale->pairs && scale->approach.pairs && scale->gaps;
  return enough ? DC_OK : dc_out_of_memory_for(error, "the stiffness of contact");
}

// Each part wants those before it:
// 1. sizes of bodies, contact at the start, its gaps and the far field;
// 2. masses that contact sees, those of links with what hangs on them;
// 3. the acceleration that stops the fastest body, and the load that every body bears;
// 4. stiffnesses by kinds of touches, on fixed bodies before those between moving ones;
// 5. the bound that the far field sets.
static enum dc_status choose(struct scale *scale, struct dc_error *error)
{
  const struct dc_bodies *bodies = &scale->model->bodies;
  double(*far)[3] = dc_arena_alloc(scale->arena, (size_t)bodies->count, sizeof *far);
  double *accelerations = dc_arena_alloc(scale->arena, (size_t)bodies->count, sizeof *accelerations);
  if (!far || !accelerations)
    return dc_out_of_memory_for(error, "the stiffness of contact");
  enum dc_status status = allocate(scale, error);
  if (!status)
    status = dc_link_sizes(bodies, scale->sizes, error);
  if (status)
    return status;
  dc_poses(bodies, bodies->initial_q, scale->poses);
  dc_contact_evaluate(scale->approach.contact, scale->poses, 1, scale->pairs);
  for (int p = 0; p < dc_contact_pair_count(scale->approach.contact); p++)
    scale->gaps[p] = dc_contact_pair_gap(scale->approach.contact, p);
  find_far_field(scale, far);
  status = dc_link_masses(bodies, scale->arena, (const double(*)[3])far, scale->masses, accelerations, error);
  if (status)
    return status;
  double gravity = dc_vec_norm(scale->model->definition.gravity);
  if (gravity > 0)
    dc_vec_scale(scale->up, scale->model->definition.gravity, -1 / gravity);
  scale->choice->acceleration = stopping(scale->model, scale->choice->least_size, closing_speed(scale));
  set_loads(scale);
  for (enum round round = ON_FIXED; round <= ON_MOVING; round++)
    measure_kinds(scale, round);
  bound_far_field(scale, accelerations);
  return DC_OK;
}

// The lengths must be chosen before.  A foreign stepper has no stiffness of ours.
enum dc_status dc_contact_choose_stiffness(struct dc_model *model, struct dc_contact_choice *choice,
                                           struct dc_error *error)
{
  struct dc_contact_settings *settings = &model->definition.contact;
  if (!choice->automatic)
    return DC_OK;
  settings->stiffness = STIFFNESS;
  if (!(choice->least_size > 0) || model->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return DC_OK;
  struct scale scale = {.model = model, .choice = choice, .stiffness = INFINITY, .arena = dc_arena_create()};
  if (scale.arena)
    scale.approach.contact = dc_contact_create(model->definition.contact_model, settings, &model->bodies, error);
  enum dc_status status = !scale.arena             ? dc_out_of_memory_for(error, "the stiffness of contact")
                          : scale.approach.contact ? choose(&scale, error)
                                                   : error->status;
  dc_contact_destroy(scale.approach.contact);
  if (scale.arena)
    dc_arena_destroy(scale.arena);
  if (!status && isfinite(scale.stiffness))
    settings->stiffness = legible(scale.stiffness);
  choice->far_acceleration *= settings->stiffness;
  return status;
}
