// SPDX-License-Identifier: Apache-2.0
// The forces of a pair are tabulated over the gap, then bodies meet by steps of one coordinate x, the gap:
//     m (x+ - 2 x + x-) / h^2 = F(x+) - c N(x) rho'(x+ - x),
// F the whole force, N that of the near field, m the reduced mass, c and rho of restitution (docs/theory.md).
#include "api/rebound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/friction/impact.h"
#include "math/vector.h"

enum { KINDS = 8, GAPS = 80, HALVINGS = 60, MOST_STEPS = 20000, SPEEDS = 3 };
static const double speeds[SPEEDS] = {0.1, 1, 10};     // m/s
static const double LEAST_GAP = 1e-9, MOST_GAP = 1.0;  // of the table, over the size of the smaller body

struct profile {
  double mass, loss, load;  // kg; 1 - e^2; N that presses the bodies together at rest
  double first, ratio;      // gaps of the table: first * ratio^i, m
  double log_force[GAPS], near_part[GAPS];
};

struct rebound {
  struct dc_contact *contact;
  struct dc_pose *poses;              // [bodies]
  struct dc_pair_derivatives *pairs;  // [pair_count]
  struct dc_friction_derivatives *near;
  double *coefficient, *restitution;  // [bodies] zeros
  struct dc_resting *resting;
  int pair, body;
  double direction[3], start[3];
};

// Moves the first body of the pair by s from its start along the direction; whether it then meets the other.
static bool meets(struct rebound *r, double s)
{
  dc_vec_add_scaled(r->poses[r->body].position, r->start, s, r->direction);
  return !isfinite(dc_contact_evaluate_pair(r->contact, r->poses, r->pair, 1, r->pairs));
}

// The displacement at which they touch, from a start at which they do not; NAN when they do not meet.
static double touching(struct rebound *r, double size)
{
  double apart = 0, together = 0, step = 0.1 * size;
  do {
    apart = together;
    together -= step;
    if (together < -1e3 * size)
      return NAN;
    step = fmax(0.1 * size, 0.5 * dc_contact_pair_gap(r->contact, r->pair));
  } while (!meets(r, together));
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (apart + together);
    *(meets(r, middle) ? &together : &apart) = middle;
  }
  return apart;
}

// The near-field force along the direction at the poses of the last evaluation: what restitution 0 takes of it.
static double near_force(struct rebound *r, double stiffness, struct dc_error *error)
{
  struct dc_friction_law law = {.stiffness = stiffness,
                                .time_step = 1,
                                .smoothing = 1,
                                .coefficient = r->coefficient,
                                .restitution = r->restitution,
                                .opening_speed = 1e-12};
  if (dc_contact_friction_begin(r->contact, r->poses, &law, error))
    return NAN;
  dc_vec_add_scaled(r->poses[r->body].position, r->poses[r->body].position, 1, r->direction);
  dc_contact_impact_evaluate(r->contact, r->poses, 1, false, r->near);
  return dc_vec_dot(r->near[r->pair].gradient + 3, r->direction);
}

// Tables of the force over the gap, at GAPS gaps in geometric order: log of the force [N] and the share that the near
// field has of it.  Overlap and forces that do not push count as none.
static enum dc_status tabulate(struct rebound *r, double touch, double size, double stiffness, struct profile *profile,
                               struct dc_error *error)
{
  profile->first = LEAST_GAP * size;
  profile->ratio = pow(MOST_GAP / LEAST_GAP, 1.0 / (GAPS - 1));
  for (int i = 0; i < GAPS; i++) {
    bool crosses = meets(r, touch + profile->first * pow(profile->ratio, i));
    double force = -stiffness * dc_vec_dot(r->pairs[r->pair].gradient + 3, r->direction), near = 0;
    if (!crosses && profile->loss > 0 && isnan(near = near_force(r, stiffness, error)))
      return error->status;
    profile->log_force[i] = crosses || !(force > 0) ? -INFINITY : log(force);
    profile->near_part[i] = force > 0 ? near / force : 0;
  }
  return DC_OK;
}

// F at a gap, by powers between the entries of the table, and in *near N.
static double force_at(const struct profile *p, double gap, double *near)
{
  double at = log(gap / p->first) / log(p->ratio);
  int i = at < 0 ? 0 : at > GAPS - 2 ? GAPS - 2 : (int)at;
  double t = at - i, low = p->log_force[i], high = p->log_force[i + 1];
  double force = isfinite(low) && isfinite(high) ? exp(low + t * (high - low)) : 0;
  t = fmin(fmax(t, 0), 1);
  *near = force * (p->near_part[i] + t * (p->near_part[i + 1] - p->near_part[i]));
  return force;
}

// The ratio of the speeds at a gap on the way back and on the way in; what is left when it does not come back so far.
static double rebound_at(const struct profile *p, double speed, double h, double opening_speed)
{
  double start = fmax(0.2 * MOST_GAP / LEAST_GAP * p->first, 2 * speed * h), x = start, before = start + speed * h;
  double width = opening_speed * h, near;
  int steps = (int)fmin(MOST_STEPS, 4 * start / (speed * h) + 20);
  for (int k = 0; k < steps && !(x > start && x > before); k++) {
    double free_x = 2 * x - before, low = 1e-6 * fmin(x, p->first), high = fmax(free_x, x);
    force_at(p, x, &near);
    double lost = p->loss * near, push = force_at(p, high, &near) * h * h / p->mass;
    high += push + low;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = low > 0.5 * high ? 0.5 * (low + high) : sqrt(low * high);
      double t = fmin(fmax((middle - x) / width, 0), 1), slope = t * t * t * (10 + t * (6 * t - 15));
      double left = p->mass * (middle - free_x) / (h * h) - force_at(p, middle, &near) + lost * slope;
      *(left < 0 ? &low : &high) = middle;
    }
    before = x;
    x = high;
  }
  return fmax(0, (x - before) / (h * speed));
}

// Where the force falls to the load; NAN when there is none or it is never borne, INFINITY when the force is larger
// everywhere in the table.
static double resting_gap(const struct profile *p)
{
  double low = p->first, high = p->first * pow(p->ratio, GAPS - 1), near;
  if (!(p->load > 0) || force_at(p, low, &near) < p->load)
    return NAN;
  if (force_at(p, high, &near) > p->load)
    return INFINITY;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = sqrt(low * high);
    *(force_at(p, middle, &near) > p->load ? &low : &high) = middle;
  }
  return low;
}

static bool same_kind(const struct dc_scene *scene, const int *one, const int *other)
{
  const struct dc_body *bodies = scene->model.bodies.bodies;
  bool same = true;
  for (int side = 0; side < 2; side++) {
    const struct dc_body *a = &bodies[one[side]], *b = &bodies[other[side]];
    double ea = dc_model_restitution(&scene->model, one[side]), eb = dc_model_restitution(&scene->model, other[side]);
    same &= a->shape == b->shape && dc_body_moves(a) == dc_body_moves(b) && (!dc_body_moves(a) || a->mass == b->mass) &&
            (ea == eb || (isnan(ea) && isnan(eb)));
  }
  return same;
}

// Along the force on body a; where there is none against gravity from what is fixed, or along the line of centres.
static void find_direction(const struct dc_scene *scene, const struct dc_pair_derivatives *derivatives,
                           const struct dc_pose *poses, const int *pair, double direction[3])
{
  dc_vec_scale(direction, derivatives->gradient + 3, -1);
  if (!(dc_vec_norm(direction) > 0) && !dc_body_moves(&scene->model.bodies.bodies[pair[1]]))
    dc_vec_scale(direction, scene->definition.gravity, -1);
  if (!(dc_vec_norm(direction) > 0))
    dc_vec_sub(direction, poses[pair[0]].position, poses[pair[1]].position);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(direction));
}

// Writes what a kind of impact does: the ratio of speeds at three speeds, the gap at rest; the lowest resting height of
// all kinds goes to *resting.
static void describe(const struct dc_scene *scene, const struct profile *p, const int *pair, struct dc_resting *resting,
                     struct dc_text *text, struct dc_json_writer *json)
{
  const struct dc_body *bodies = scene->model.bodies.bodies;
  double gap = resting_gap(p), e = dc_model_pair_restitution(&scene->model, pair[0], pair[1]);
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "a", bodies[pair[0]].name);
  dc_json_put_string(json, "b", bodies[pair[1]].name);
  dc_json_put_number(json, "restitution", e);
  dc_json_put_number(json, "resting_gap", isfinite(gap) ? gap : NAN);
  dc_json_begin(json, "rebounds", '[');
  dc_text_add(text, "  impact %s on %s: leaves with", bodies[pair[0]].name, bodies[pair[1]].name);
  for (int i = 0; i < SPEEDS; i++) {
    double ratio = rebound_at(p, speeds[i], scene->definition.time.step, scene->definition.contact.opening_speed);
    dc_json_begin(json, NULL, '{');
    dc_json_put_number(json, "speed", speeds[i]);
    dc_json_put_number(json, "ratio", ratio);
    dc_json_end(json, "}");
    dc_text_add(text, "%s %.2g", i ? "," : "", ratio);
  }
  dc_json_end(json, "]}");
  dc_text_add(text, " of its speed at 0.1, 1, 10 m/s");
  if (isfinite(gap))
    dc_text_add(text, ", rests at a gap of %.2g m", gap);
  double height = gap / (2 * bodies[pair[0]].radius);
  if (!isnan(height) && !(height <= resting->height))
    *resting = (struct dc_resting){height, pair[0]};
  dc_text_add(text, "\n");
}

// One kind of impact: put body a where it just touches b along the direction, tabulate the force, let the two collide.
static enum dc_status describe_kind(const struct dc_scene *scene, struct rebound *r, int p, const struct dc_pose *poses,
                                    const struct dc_pair_derivatives *pairs, struct dc_text *text,
                                    struct dc_json_writer *json, struct dc_error *error)
{
  const int *pair = dc_contact_pairs(r->contact)[p];
  const struct dc_body *a = &scene->model.bodies.bodies[pair[0]], *b = &scene->model.bodies.bodies[pair[1]];
  const struct dc_model_definition *definition = &scene->definition;
  struct profile profile = {.mass = dc_body_moves(b) ? a->mass * b->mass / (a->mass + b->mass) : a->mass};
  double e = dc_model_pair_restitution(&scene->model, pair[0], pair[1]);
  double size = dc_body_moves(b) ? fmin(a->radius, b->radius) : a->radius;
  profile.loss = isnan(e) ? 0 : 1 - e * e;
  memcpy(r->poses, poses, (size_t)scene->model.bodies.count * sizeof *poses);
  r->pair = p;
  r->body = pair[0];
  find_direction(scene, &pairs[p], poses, pair, r->direction);
  dc_vec_copy(r->start, poses[pair[0]].position);
  if (!dc_body_moves(b))
    profile.load = -a->mass * dc_vec_dot(definition->gravity, r->direction);
  meets(r, 0);
  double touch = touching(r, size);
  if (isnan(touch))
    return DC_OK;
  enum dc_status status = tabulate(r, touch, size, definition->contact.stiffness, &profile, error);
  if (!status)
    describe(scene, &profile, pair, r->resting, text, json);
  return status;
}

// Describes the first pair of every kind, at most KINDS: pairs of the same shapes, masses and restitutions collide
// alike.
static enum dc_status describe_kinds(const struct dc_scene *scene, struct rebound *r, const struct dc_pose *poses,
                                     const struct dc_pair_derivatives *pairs, struct dc_text *text,
                                     struct dc_json_writer *json, struct dc_error *error)
{
  const int(*all)[2] = dc_contact_pairs(r->contact);
  int kinds[KINDS], count = 0;
  for (int p = 0; p < dc_contact_pair_count(r->contact) && count < KINDS; p++) {
    bool seen = false;
    for (int k = 0; k < count; k++)
      seen |= same_kind(scene, all[kinds[k]], all[p]);
    if (seen)
      continue;
    kinds[count++] = p;
    enum dc_status status = describe_kind(scene, r, p, poses, pairs, text, json, error);
    if (status)
      return status;
  }
  return DC_OK;
}

// Predicts impacts of the scene's pairs from forces of contact along one direction, without a rollout.
enum dc_status dc_api_describe_impacts(const struct dc_scene *scene, struct dc_contact *contact,
                                       const struct dc_pose *poses, const struct dc_pair_derivatives *pairs,
                                       struct dc_resting *resting, struct dc_text *text, struct dc_json_writer *json,
                                       struct dc_error *error)
{
  size_t bodies = (size_t)scene->model.bodies.count, count = (size_t)dc_contact_pair_count(contact);
  struct dc_arena *arena = dc_arena_create();
  struct rebound r = {.contact = contact, .resting = resting};
  *resting = (struct dc_resting){NAN, -1};
  enum dc_status status = DC_MEMORY;
  if (arena && (r.poses = dc_arena_alloc(arena, bodies, sizeof *r.poses)) &&
      (r.pairs = dc_arena_alloc(arena, count, sizeof *r.pairs)) &&
      (r.near = dc_arena_alloc(arena, count, sizeof *r.near)) &&
      (r.coefficient = dc_arena_alloc(arena, bodies, sizeof *r.coefficient)) &&
      (r.restitution = dc_arena_alloc(arena, bodies, sizeof *r.restitution))) {
    dc_json_begin(json, "impacts", '[');
    status = describe_kinds(scene, &r, poses, pairs, text, json, error);
    dc_json_end(json, "]");
  } else {
    dc_fail(error, DC_MEMORY, "out of memory for impacts");
  }
  if (arena)
    dc_arena_destroy(arena);
  return status;
}
