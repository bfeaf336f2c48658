// SPDX-License-Identifier: Apache-2.0
// The task that brings hands to bodies with goals (race_approach.h).
//
// 1. A control acts at all times.  The body is the first one that moves, has convex parts and a goal, and that no
//    control moves.
// 2. Hands are links that touch it, that a control moves, and that carry no other link of this kind; the nearest ones.
// 3. With two hands or more: "com" draws their common centre of mass to the body's centre in every frame.
//    "clearance" draws every hand to the body's surface.  Each of the two kinds has half of the first guess's loss.
#include "plan/race_approach.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vector.h"
#include "task/drives.h"

// The first body with a goal that a control moves, or that none does.
static int find_body(const struct dc_model *model, const struct dc_task *task, bool driven)
{
  const struct dc_bodies *bodies = &model->bodies;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (dc_body_moves(body) && body->shape->part_count > 0 && dc_task_has_goal(task, i) &&
        dc_task_drives(task, bodies, i) == driven)
      return i;
  }
  return -1;
}

// Whether a link can take hold of the body.
static bool can_touch(const struct dc_model *model, const struct dc_task *task, int body, int link)
{
  const struct dc_bodies *bodies = &model->bodies;
  return link != body && dc_body_moves(&bodies->bodies[link]) && bodies->bodies[link].shape->part_count > 0 &&
         dc_bodies_touch(bodies, body, link) && dc_task_drives(task, bodies, link);
}

static double distance_to(const struct dc_bodies *bodies, int a, int b)
{
  return dc_vec_distance(bodies->bodies[a].start.position, bodies->bodies[b].start.position);
}

// Adds a hand in the order of distances, and drops the farthest where there are too many.
static void add_hand(struct dc_approach *approach, const struct dc_bodies *bodies, int hand)
{
  int place = approach->hand_count;
  while (place > 0 &&
         distance_to(bodies, hand, approach->body) < distance_to(bodies, approach->hands[place - 1], approach->body))
    place--;
  if (place >= DC_APPROACH_HANDS)
    return;
  approach->hand_count += approach->hand_count < DC_APPROACH_HANDS;
  for (int i = approach->hand_count - 1; i > place; i--)
    approach->hands[i] = approach->hands[i - 1];
  approach->hands[place] = hand;
}

// A hand is the last link of its kind in its chain: no other link that can touch hangs on it.
static void find_hands(struct dc_approach *approach, const struct dc_model *model, const struct dc_task *task)
{
  const struct dc_bodies *bodies = &model->bodies;
  for (int i = 0; i < bodies->count; i++) {
    bool last = can_touch(model, task, approach->body, i);
    for (int k = 0; k < bodies->count && last; k++)
      for (int up = bodies->bodies[k].parent; up >= 0 && last && can_touch(model, task, approach->body, k);
           up = bodies->bodies[up].parent)
        last = up != i;
    if (last)
      add_hand(approach, bodies, i);
  }
}

// A weight that makes a squared distance, of no less than the body's size, this part of the loss.
static double weigh(double part, double distance, double size)
{
  return part / fmax(distance * distance, size * size);
}

// Objectives of the world that draws hands to the body, half of the loss for each of two kinds. Every hand is asked to
// come near the body, and all of them together to surround it, with their centre of mass at the body's. Weights make
// both as large as the loss at the start, so that neither is nothing beside it.
static void set_terms(struct dc_approach *approach, const struct dc_bodies *bodies, double loss)
{
  const struct dc_body *body = &bodies->bodies[approach->body];
  double middle[3] = {0}, mass = 0;
  int count = approach->hand_count;
  for (int i = 0; i < count; i++) {
    const struct dc_body *hand = &bodies->bodies[approach->hands[i]];
    double away = distance_to(bodies, approach->hands[i], approach->body);
    approach->near[i] = (struct dc_clearance_options){
        .goal = {.inside = 1, .weight = weigh(loss / 2 / count, away, body->radius), .when = DC_WHEN_EVERY},
        .body = approach->hands[i],
        .to = approach->body,
        .keep = DC_CLEARANCE_AT_MOST};
    for (int k = 0; k < 3; k++)
      middle[k] += hand->mass * hand->start.position[k];
    mass += hand->mass;
  }
  dc_vec_scale(middle, middle, 1 / fmax(mass, 1e-300));
  approach->middle =
      (struct dc_com_options){.bodies = {count, approach->hands},
                              .weight = weigh(loss / 2, dc_vec_distance(middle, body->start.position), body->radius),
                              .when = DC_WHEN_EVERY,
                              .axes = "xyz"};
  dc_vec_copy(approach->middle.target, body->start.position);
}

// A task with more objectives than the scene's: see set_terms. false where it makes no sense: nothing to be moved, no
// hands, a loss of 0, or cases.
bool dc_approach_create(struct dc_approach *approach, const struct dc_model *model, const struct dc_task *task,
                        double loss, struct dc_arena *arena)
{
  *approach = (struct dc_approach){.task = *task, .body = find_body(model, task, false)};
  if (approach->body < 0 || !(loss > 0 && isfinite(loss)) || task->case_count > 0 || !dc_task_acts_in_time(task, model))
    return false;
  find_hands(approach, model, task);
  int own = task->objective_count, most = own + approach->hand_count + 1;
  struct dc_objective *objectives = dc_arena_alloc(arena, (size_t)most, sizeof *objectives);
  if (!objectives || approach->hand_count == 0)
    return false;
  memcpy(objectives, task->objectives, (size_t)own * sizeof *objectives);
  set_terms(approach, &model->bodies, loss);
  for (int i = 0; i < approach->hand_count; i++)
    objectives[own++] = (struct dc_objective){&dc_objective_clearance, &approach->near[i]};
  if (approach->hand_count > 1)
    objectives[own++] = (struct dc_objective){&dc_objective_com, &approach->middle};
  approach->task.objectives = objectives;
  approach->task.objective_count = own;
  return true;
}

bool dc_approach_itself(struct dc_approach *approach, const struct dc_model *model, const struct dc_task *task)
{
  *approach = (struct dc_approach){.task = *task, .body = find_body(model, task, true), .hand_count = 1};
  approach->hands[0] = approach->body;
  return approach->body >= 0 && task->case_count == 0 && dc_task_acts_in_time(task, model);
}
