// SPDX-License-Identifier: Apache-2.0
// Predicts, without a roll-out, with what part of its speed a body leaves another and at what gap it rests.
// For each kind of pair (describe_kind):
// 1. the force is tabulated over the gap, along the direction in which the pair pushes now (tabulate);
// 2. bodies meet at SPEEDS speeds by implicit steps of one coordinate x, the gap (rebound_at);
// 3. the gap at rest is where the force equals the load (resting_gap).
//
// The steps of 2. are
//
//     m (x+ - 2 x + x-) / h^2 = F(x+) + R(x+ - x),
//
// F the force of contact, m the reduced mass, R what restitution makes of the step before
// (dynamics/terms_impact.c).  The scene's own time step h is used, since the law of impact acts on steps.
#include "commands/rebound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/constants.h"
#include "dynamics/approach.h"
#include "dynamics/impact_pair.h"
#include "math/vector.h"

enum { KINDS = 8, GAPS = 80, HALVINGS = 60, MOST_STEPS = 20000, SPEEDS = 3 };
static const double speeds[SPEEDS] = {0.1, 1, 10};  // m/s

// One kind of impact as a problem of one coordinate: the force over the gap, and the numbers of its law of impact.
struct profile {
  double mass, restitution, load;  // kg; NAN: none is set; N that presses the bodies together at rest
  double near_force;               // N, of what is near (dc_impact_near_force)
  double first, ratio;             // gaps of the table: first * ratio^i, m
  double log_force[GAPS];
};

// The approach of one body to another (dynamics/approach.h) and where the findings about all kinds go.
struct rebound {
  struct dc_approach approach;
  struct dc_resting *resting;
};

// Tabulates the force over the gap, at GAPS gaps in geometric order, as log of the force in N.  Overlap and
// forces that do not push count as none.  touch: the shift along the direction at which the bodies just touch,
// m.
static void tabulate(struct rebound *r, double touch, double size, double stiffness, struct profile *profile)
{
  profile->first = DC_REBOUND_LEAST_GAP * size;
  profile->ratio = pow(DC_REBOUND_MOST_GAP / DC_REBOUND_LEAST_GAP, 1.0 / (GAPS - 1));
  for (int i = 0; i < GAPS; i++) {
    bool crosses = dc_approach_meets(&r->approach, touch + profile->first * pow(profile->ratio, i));
    double force = -stiffness * dc_vec_dot(r->approach.pairs[r->approach.pair].gradient + 3, r->approach.direction);
    profile->log_force[i] = crosses || !(force > 0) ? -INFINITY : log(force);
  }
}

// F at a gap in N, by powers between the entries of the table (linear in log F over log gap); 0 beyond it.
static double force_at(const struct profile *p, double gap)
{
  double at = log(gap / p->first) / log(p->ratio);
  int i = at < 0 ? 0 : at > GAPS - 2 ? GAPS - 2 : (int)at;
  double t = at - i, low = p->log_force[i], high = p->log_force[i + 1];
  return isfinite(low) && isfinite(high) ? exp(low + t * (high - low)) : 0;
}

// Updates the numbers that a step of h leaves to the next one, by the law of impact that roll-outs use.  Speeds
// of the gap in the step before and in this one are opening_before and opening, m/s.  Below the speed `still`
// nothing rebounds.
static void leave(const struct profile *p, double gap, double opening_before, double opening, double h, double still,
                  double left[DC_IMPACT_LAW])
{
  double force = force_at(p, gap);
  double given[DC_IMPACT_GIVEN] = {[DC_IMPACT_BEFORE] = opening_before,
                                   [DC_IMPACT_OPENING] = opening,
                                   [DC_IMPACT_PUSH] = h * force,
                                   [DC_IMPACT_NEARNESS] = dc_impact_nearness(force / p->near_force),
                                   [DC_IMPACT_MOBILITY] = 1 / p->mass,
                                   [DC_IMPACT_RESTITUTION] = p->restitution,
                                   [DC_IMPACT_KICKED] = dc_impact_kick(left, opening * h, h, still).impulse};
  memcpy(given + DC_IMPACT_MEMORY, left, DC_IMPACT_REMEMBERED * sizeof *left);
  if (given[DC_IMPACT_NEARNESS] > 0)
    dc_impact_law(given, still, left, NULL);
  else
    dc_impact_part(given, left, NULL);
}

// The gap after a step from x that inertia alone would end at free_x: the root of m (x+ - free_x)/h^2 - F(x+) +
// R(x+ - x), which increases with x+.  It is found by bisection, geometric while the bracket spans orders of
// magnitude.
static double next_gap(const struct profile *p, double x, double free_x, double h, double still,
                       const double left[DC_IMPACT_LAW])
{
  double low = 1e-6 * fmin(x, p->first), high = fmax(free_x, x);
  high += (force_at(p, high) + left[DC_IMPACT_KICK] / h) * h * h / p->mass + low;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = low > 0.5 * high ? 0.5 * (low + high) : sqrt(low * high), bend;
    double pull = dc_impact_force(left, middle - x, h, still, &bend);
    *(p->mass * (middle - free_x) / (h * h) - force_at(p, middle) + pull < 0 ? &low : &high) = middle;
  }
  return high;
}

// The ratio of the speeds at a gap on the way back and on the way in.  The body starts far enough for F to be
// weak and comes in at `speed`.  When it does not come back so far within four times the way there, the last
// speed counts.
static double rebound_at(const struct profile *p, double speed, double h, double still)
{
  double start = fmax(0.2 * DC_REBOUND_MOST_GAP / DC_REBOUND_LEAST_GAP * p->first, 2 * speed * h), x = start,
         before = start + speed * h;
  double left[DC_IMPACT_LAW] = {0};
  int steps = (int)fmin(MOST_STEPS, 4 * start / (speed * h) + 20);
  for (int k = 0; k < steps && !(x > start && x > before); k++) {
    double next = next_gap(p, x, 2 * x - before, h, still, left);
    if (!isnan(p->restitution))
      leave(p, next, (x - before) / h, (next - x) / h, h, still, left);
    before = x;
    x = next;
  }
  return fmax(0, (x - before) / (h * speed));
}

// The gap at which the force falls to the load, m.  NAN when there is no load or it is never borne; INFINITY
// when the force is larger everywhere in the table.
static double resting_gap(const struct profile *p)
{
  double low = p->first, high = p->first * pow(p->ratio, GAPS - 1);
  if (!(p->load > 0) || force_at(p, low) < p->load)
    return NAN;
  if (force_at(p, high) > p->load)
    return INFINITY;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = sqrt(low * high);
    *(force_at(p, middle) > p->load ? &low : &high) = middle;
  }
  return low;
}

// Whether two pairs collide alike: same shapes, masses and restitutions, side by side.
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

// The direction of approach: along the force on body a; where there is none, against gravity from what is
// fixed, or along the line of centres.
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
  double middle = NAN;
  for (int i = 0; i < SPEEDS; i++) {
    double ratio = rebound_at(p, speeds[i], scene->definition.time.step, scene->definition.contact.opening_speed);
    middle = speeds[i] == 1 ? ratio : middle;
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
  // A wall that leans against a body is no support.
  bool support = p->load > DC_REBOUND_SUPPORT * p->mass * dc_vec_norm(scene->definition.gravity);
  double height = support ? gap / (2 * bodies[pair[0]].radius) : NAN;
  if (!isnan(height) && !(height <= resting->height)) {
    resting->height = height;
    resting->body = pair[0];
  }
  double wanted = force_at(p, DC_RESTING_GAP * 2 * bodies[pair[0]].radius);
  if (!isnan(height) && wanted > 0)  // forces are proportional to the stiffness
    resting->stiffness = fmin(resting->stiffness, scene->definition.contact.stiffness * p->load / wanted);
  if (!isnan(e) && !(fabs(middle - e) <= fabs(resting->got - resting->asked))) {
    resting->unlike[0] = pair[0], resting->unlike[1] = pair[1];
    resting->asked = e, resting->got = middle;
  }
  dc_text_add(text, "\n");
}

// One kind of impact: put body a where it just touches b along the direction, tabulate the force, let the two collide.
static void describe_kind(const struct dc_scene *scene, struct rebound *r, int p, const struct dc_pose *poses,
                          const struct dc_pair_derivatives *pairs, struct dc_text *text, struct dc_json_writer *json)
{
  const int *pair = dc_contact_pairs(r->approach.contact)[p];
  const struct dc_body *a = &scene->model.bodies.bodies[pair[0]], *b = &scene->model.bodies.bodies[pair[1]];
  const struct dc_model_definition *definition = &scene->definition;
  struct profile profile = {.mass = dc_body_moves(b) ? a->mass * b->mass / (a->mass + b->mass) : a->mass};
  double size = dc_body_moves(b) ? fmin(a->radius, b->radius) : a->radius;
  profile.restitution = dc_model_pair_restitution(&scene->model, pair[0], pair[1]);
  profile.near_force = definition->contact.stiffness * dc_impact_near_force(definition);
  memcpy(r->approach.poses, poses, (size_t)scene->model.bodies.count * sizeof *poses);
  r->approach.pair = p;
  r->approach.body = pair[0];
  find_direction(scene, &pairs[p], poses, pair, r->approach.direction);
  dc_vec_copy(r->approach.start, poses[pair[0]].position);
  if (!dc_body_moves(b))
    profile.load = -a->mass * dc_vec_dot(definition->gravity, r->approach.direction);
  dc_approach_meets(&r->approach, 0);
  double touch = dc_approach_touching(&r->approach, size, 0);
  if (isnan(touch))
    return;
  tabulate(r, touch, size, definition->contact.stiffness, &profile);
  describe(scene, &profile, pair, r->resting, text, json);
}

// Describes the first pair of every kind, at most KINDS of them.
static void describe_kinds(const struct dc_scene *scene, struct rebound *r, const struct dc_pose *poses,
                           const struct dc_pair_derivatives *pairs, struct dc_text *text, struct dc_json_writer *json)
{
  const int(*all)[2] = dc_contact_pairs(r->approach.contact);
  int kinds[KINDS], count = 0;
  for (int p = 0; p < dc_contact_pair_count(r->approach.contact) && count < KINDS; p++) {
    bool seen = false;
    for (int k = 0; k < count; k++)
      seen |= same_kind(scene, all[kinds[k]], all[p]);
    if (seen)
      continue;
    kinds[count++] = p;
    describe_kind(scene, r, p, poses, pairs, text, json);
  }
}

// Predicts impacts of the scene's pairs from forces of contact along one direction, without a rollout.
enum dc_status dc_api_describe_impacts(const struct dc_scene *scene, struct dc_contact *contact,
                                       const struct dc_pose *poses, const struct dc_pair_derivatives *pairs,
                                       struct dc_resting *resting, struct dc_text *text, struct dc_json_writer *json,
                                       struct dc_error *error)
{
  size_t bodies = (size_t)scene->model.bodies.count, count = (size_t)dc_contact_pair_count(contact);
  struct dc_arena *arena = dc_arena_create();
  struct rebound r = {.approach.contact = contact, .resting = resting};
  *resting = (struct dc_resting){NAN, -1, INFINITY, {-1, -1}, NAN, NAN};
  enum dc_status status = DC_MEMORY;
  if (arena && (r.approach.poses = dc_arena_alloc(arena, bodies, sizeof *r.approach.poses)) &&
      (r.approach.pairs = dc_arena_alloc(arena, count, sizeof *r.approach.pairs))) {
    dc_json_begin(json, "impacts", '[');
    describe_kinds(scene, &r, poses, pairs, text, json);
    status = DC_OK;
    dc_json_end(json, "]");
  } else {
    dc_out_of_memory_for(error, "impacts");
  }
  if (arena)
    dc_arena_destroy(arena);
  return status;
}
