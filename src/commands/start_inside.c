// SPDX-License-Identifier: Apache-2.0
// Bodies that start so near to others that contact throws them off.
//
// A body that rests is pushed by contact as strongly as gravity pulls.  Forces of near pairs are summed over
// mechanisms: for C the force of contact on one of them, M its mass and g gravity it starts inside the barrier when
//    |C| > 2 M a   and   C.(C + M g) > 0,
// a the gravity or what stands for it (dc_contact_acceleration).  Therefore a body that is clamped or stacked in
// balance is left alone.  The gap at rest is that at which the strongest pair pushes with M a.  Nodes of soft bodies
// have the barrier e/(2 gap) at half-spaces; there the rest is that of the body shifted as a whole.
#include "commands/start_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/constants.h"
#include "dynamics/approach.h"
#include "dynamics/contact_scale.h"
#include "dynamics/step.h"
#include "math/vector.h"

// Halvings of the interval: 40 leave 1e-12 of it.
enum { HALVINGS = 40 };

// A search for bodies that start inside barriers.  Everything is owned by the arena; the contact is the plan's.
struct search {
  const struct dc_plan *plan;
  struct dc_arena *arena;
  struct dc_approach approach;
  struct dc_pose *poses;              // [bodies] at the start
  struct dc_pair_derivatives *pairs;  // [pair_count]
  double *gaps;                       // [pair_count]
  double (*forces)[3], *masses;       // [mechanisms] of contact, N; kg
  double *strongest;                  // [mechanisms] force of the pair, N
  int *worst;                         // [mechanisms] that pair, or -1
  double stiffness;
};

// With the factor of the first guess, kg.
static double mass_of(const struct dc_plan *plan, int body)
{
  return plan->model->bodies.bodies[body].mass * plan->input->design.body_mass_scale[body];
}

// The size that gaps of a pair are compared with, m: that of the smaller body, of those that move and have one.
static double pair_size(const struct dc_bodies *bodies, const int *pair)
{
  const struct dc_body *a = &bodies->bodies[pair[0]], *b = &bodies->bodies[pair[1]];
  double size = dc_contact_size(a);
  return dc_body_moves(b) && b->radius > 0 ? fmin(size, dc_contact_size(b)) : size;
}

// Sums the forces of near pairs over mechanisms and remembers each one's strongest pair.  Pairs within a
// mechanism push nothing off; those beyond DC_INSIDE_NEAR of their size are no contact.
static void sum_forces(struct search *s)
{
  const struct dc_bodies *bodies = &s->plan->model->bodies;
  for (int i = 0; i < bodies->mechanism_count; i++)
    s->worst[i] = -1;
  for (int i = 0; i < bodies->count; i++)
    if (dc_body_moves(&bodies->bodies[i]))
      s->masses[bodies->bodies[i].mechanism] += mass_of(s->plan, i);
  for (int p = 0; p < dc_contact_pair_count(s->approach.contact); p++) {
    const int *pair = dc_contact_pairs(s->approach.contact)[p];
    int mechanisms[2] = {bodies->bodies[pair[0]].mechanism, bodies->bodies[pair[1]].mechanism};
    double gradient[12];
    if (!isfinite(s->pairs[p].energy) || mechanisms[0] == mechanisms[1] ||
        s->gaps[p] > DC_INSIDE_NEAR * pair_size(bodies, pair))
      continue;
    dc_contact_expand_gradient(&s->pairs[p], gradient);
    for (int side = 0; side < 2; side++) {
      int m = mechanisms[side];
      if (m < 0)
        continue;
      double strength = s->stiffness * dc_vec_norm(gradient + 6 * side + 3);
      dc_vec_add_scaled(s->forces[m], s->forces[m], -s->stiffness, gradient + 6 * side + 3);
      if (strength > s->strongest[m]) {
        s->strongest[m] = strength;
        s->worst[m] = p;
      }
    }
  }
}

// The gap (m) along the force of pair p at which it pushes with a load, by bisection over orders of magnitude
// between the gap now and the body's size; NAN: it pushes harder everywhere.  *gap becomes the gap now along
// that direction.
// The interval's lower end is today's gap, where the force is too large, and its upper end the body's size.  The
// middle is the geometric mean, since forces of a barrier fall by orders of magnitude over orders of the gap.
static double find_rest(struct search *s, int p, double load, double *gap)
{
  const struct dc_bodies *bodies = &s->plan->model->bodies;
  const int *pair = dc_contact_pairs(s->approach.contact)[p];
  struct dc_approach *approach = &s->approach;
  double size = pair_size(bodies, pair);
  memcpy(approach->poses, s->poses, (size_t)bodies->count * sizeof *s->poses);
  approach->pair = p;
  approach->body = pair[0];
  dc_vec_copy(approach->start, s->poses[pair[0]].position);
  dc_vec_scale(approach->direction, s->pairs[p].gradient + 3, -1 / dc_vec_norm(s->pairs[p].gradient + 3));
  dc_approach_meets(approach, 0);
  double touch = dc_approach_touching(approach, size, DC_INSIDE_PRECISION * size), low, high = size;
  if (isnan(touch))
    return NAN;
  *gap = low = -touch;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = i == 0 ? high : sqrt(low * high);
    dc_approach_meets(approach, touch + middle);
    double force = -s->stiffness * dc_vec_dot(approach->pairs[p].gradient + 3, approach->direction);
    if (i == 0 && force > load)
      return NAN;
    *(force > load ? &low : &high) = middle;
  }
  return low;
}

// A list that is full counts the rest.
static void add(struct dc_inside_list *list, struct dc_inside inside)
{
  if (list->count < DC_MOST_INSIDE)
    list->items[list->count++] = inside;
  else
    list->left_out++;
}

// Whether a force of contact throws off a mass: it is more than DC_INSIDE_THROWN times the weight and not balanced by
// gravity.  *acceleration: what remains, m/s^2.
static bool throws(const struct dc_plan *plan, const double force[3], double mass, double weight, double *acceleration)
{
  double net[3];
  dc_vec_add_scaled(net, force, mass, plan->input->design.gravity);
  *acceleration = dc_vec_norm(net) / mass;
  return dc_vec_norm(force) > DC_INSIDE_THROWN * weight && dc_vec_dot(net, force) > 0;
}

// Lists mechanisms that are thrown off, each by its strongest pair.
static void list_mechanisms(struct search *s, double weight, struct dc_inside_list *list)
{
  const struct dc_bodies *bodies = &s->plan->model->bodies;
  for (int m = 0; m < bodies->mechanism_count; m++) {
    struct dc_inside inside = {0};
    double load = s->masses[m] * weight;
    if (s->worst[m] < 0 || !(s->masses[m] > 0) ||
        !throws(s->plan, s->forces[m], s->masses[m], load, &inside.acceleration))
      continue;
    const int *pair = dc_contact_pairs(s->approach.contact)[s->worst[m]];
    bool first = bodies->bodies[pair[0]].mechanism == m;
    inside.body = first ? pair[0] : pair[1];
    inside.other = first ? pair[1] : pair[0];
    inside.gap = s->gaps[s->worst[m]];
    inside.resting_gap = find_rest(s, s->worst[m], load, &inside.gap);
    add(list, inside);
  }
}

// The force of a half-space on the nodes of a soft body that is shifted away from it, N; *least: the least gap.
// The barrier of a node at the distance d from the plane is -e/2 ln d, hence the force e/(2 d) along the plane's
// normal.
static double node_force(const struct dc_plan *plan, const struct dc_soft *soft, const struct dc_pose *plane,
                         double shift, double *least, double normal[3])
{
  double e = dc_node_barrier(plan->model, soft), sum = 0;
  *least = INFINITY;
  for (int i = 0; i < soft->node_count; i++) {
    double gap = shift + dc_node_gap(plane, plan->input->q + soft->q_offset + 3 * (size_t)i, normal);
    *least = fmin(*least, gap);
    sum += e / (2 * gap);
  }
  return sum;
}

// Lists soft bodies that half-spaces throw off, except those that are pinned.  The shift at which they would
// rest is doubled until the force is too small, then bisected.
// Each half-space is looked at alone.  After 40 halvings the shift is exact to 1e-12 of its interval.
static void list_nodes(const struct search *s, double weight, struct dc_inside_list *list)
{
  const struct dc_bodies *bodies = &s->plan->model->bodies;
  for (int i = 0; i < bodies->soft_count; i++)
    for (int plane = 0; plane < bodies->count; plane++) {
      const struct dc_soft *soft = &bodies->soft[i];
      if (!dc_soft_touches(bodies, soft, plane))
        continue;
      double mass = soft->density * soft->elastic.volume, normal[3], force[3], shift = 0, step, gap;
      struct dc_inside inside = {.body = soft->body, .other = plane};
      double pushed = node_force(s->plan, soft, &s->poses[plane], 0, &inside.gap, normal);
      dc_vec_scale(force, normal, pushed);
      if (soft->pin_count || !(mass > 0) || !(inside.gap > 0) ||
          !throws(s->plan, force, mass, mass * weight, &inside.acceleration))
        continue;
      step = inside.gap;
      while (node_force(s->plan, soft, &s->poses[plane], step, &gap, normal) > mass * weight)
        step *= 2;
      for (int k = 0; k < HALVINGS; k++) {
        step *= 0.5;
        if (node_force(s->plan, soft, &s->poses[plane], shift + step, &gap, normal) > mass * weight)
          shift += step;
      }
      inside.resting_gap = inside.gap + shift;
      add(list, inside);
    }
}

// Makes room, evaluates contact at the start and lists both.  The weight per mass is gravity or, without any,
// the acceleration that stands for it (dc_contact_acceleration).
static enum dc_status find(struct search *s, struct dc_inside_list *list, struct dc_error *error)
{
  const struct dc_model *model = s->plan->model;
  size_t bodies = (size_t)model->bodies.count, mechanisms = (size_t)model->bodies.mechanism_count + 1;
  size_t pairs = (size_t)dc_contact_pair_count(s->approach.contact) + 1;
  s->poses = dc_arena_alloc(s->arena, bodies, sizeof *s->poses);
  s->approach.poses = dc_arena_alloc(s->arena, bodies, sizeof *s->poses);
  s->pairs = dc_arena_alloc(s->arena, pairs, sizeof *s->pairs);
  s->approach.pairs = dc_arena_alloc(s->arena, pairs, sizeof *s->pairs);
  s->gaps = dc_arena_alloc(s->arena, pairs, sizeof *s->gaps);
  s->forces = dc_arena_alloc(s->arena, mechanisms, sizeof *s->forces);
  s->masses = dc_arena_alloc(s->arena, mechanisms, sizeof *s->masses);
  s->strongest = dc_arena_alloc(s->arena, mechanisms, sizeof *s->strongest);
  s->worst = dc_arena_alloc(s->arena, mechanisms, sizeof *s->worst);
  if (!s->poses || !s->approach.poses || !s->pairs || !s->approach.pairs || !s->gaps || !s->forces || !s->masses ||
      !s->strongest || !s->worst)
    return dc_out_of_memory_for(error, "bodies that start near others");
  double size = INFINITY, gravity = dc_vec_norm(s->plan->input->design.gravity);
  for (int i = 0; i < model->bodies.count; i++)
    if (dc_body_moves(&model->bodies.bodies[i]) && model->bodies.bodies[i].radius > 0)
      size = fmin(size, dc_contact_size(&model->bodies.bodies[i]));
  double weight = gravity > 0 || !isfinite(size) ? gravity : dc_contact_acceleration(model, size);
  dc_poses(&model->bodies, s->plan->input->q, s->poses);
  s->stiffness = model->definition.contact.stiffness * s->plan->input->design.stiffness_scale;
  if (isnan(dc_contact_evaluate(s->approach.contact, s->poses, 1, s->pairs)))
    return dc_out_of_memory_for(error, "contact pairs");
  for (int p = 0; p < dc_contact_pair_count(s->approach.contact); p++)
    s->gaps[p] = dc_contact_pair_gap(s->approach.contact, p);
  sum_forces(s);
  list_mechanisms(s, weight, list);
  if (gravity > 0)
    list_nodes(s, weight, list);
  return DC_OK;
}

// Fills the list for the start in plan->input.  The contact is the plan's own: its last evaluation is overwritten.
// Foreign contact models have no barrier, so that their list is empty.  DC_MEMORY.
enum dc_status dc_api_find_inside(struct dc_plan *plan, struct dc_inside_list *list, struct dc_error *error)
{
  *list = (struct dc_inside_list){0};
  if (plan->model->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return DC_OK;
  struct search search = {
      .plan = plan, .arena = dc_arena_create(), .approach.contact = dc_rollout_contact(plan->rollout)};
  enum dc_status status =
      search.arena ? find(&search, list, error) : dc_out_of_memory_for(error, "bodies that start near others");
  if (search.arena)
    dc_arena_destroy(search.arena);
  return status;
}

// One sentence with the remedy: where the body would rest, and how fast contact throws it off where it is.
void dc_api_say_inside(const struct dc_bodies *bodies, const struct dc_inside *inside, char *text, size_t size)
{
  char rest[64] = "nowhere within its size";
  if (!isnan(inside->resting_gap))
    snprintf(rest, sizeof rest, "at %.3g m", inside->resting_gap);
  snprintf(text, size,
           "\"%.100s\" starts inside the barrier of \"%.100s\": at a gap of %.3g m, where it would rest %s; contact "
           "throws it off with %.3g m/s^2 (start it there, or take a smaller contact.stiffness)",
           bodies->bodies[inside->body].name, bodies->bodies[inside->other].name, inside->gap, rest,
           inside->acceleration);
}

// Bodies that start where contact pushes harder than their weight, as warnings and JSON. The list is bounded; those
// left out are counted.
void dc_api_put_inside(const struct dc_bodies *bodies, const struct dc_inside_list *list, struct dc_text *text,
                       struct dc_json_writer *json)
{
  dc_json_begin(json, "starts_inside", '[');
  for (int i = 0; i < list->count; i++) {
    const struct dc_inside *inside = &list->items[i];
    char says[512];
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "body", bodies->bodies[inside->body].name);
    dc_json_put_string(json, "other", bodies->bodies[inside->other].name);
    DC_JSON_NUMBERS(json, {"gap", inside->gap}, {"resting_gap", inside->resting_gap},
                    {"acceleration", inside->acceleration});
    dc_json_end(json, "}");
    dc_api_say_inside(bodies, inside, says, sizeof says);
    if (text)
      dc_text_add(text, "  warning: %s\n", says);
  }
  if (text && list->left_out)
    dc_text_add(text, "  warning: so do %d more\n", list->left_out);
  dc_json_end(json, "]");
}
