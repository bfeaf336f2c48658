// SPDX-License-Identifier: Apache-2.0
// Numbers of a scene that are probably in another unit than those of the SI.
//
// Each is compared with what bodies of this world have: gravity with the Earth's, speeds with DC_ADVISE_FAST, masses
// with those of a ball of osmium about the body and of the lightest solids in its volume, angles with two turns.  What
// is said names the unit that would make the number a usual one, and the number in the unit of the scene.  Where
// gravity and all densities together fit another system, that is said in their place: such a scene is right as it is.
// Thresholds are rules of thumb (docs/advice.md).
#include <math.h>
#include <string.h>

#include "commands/advise_task.h"
#include "commands/constants.h"
#include "math/vector.h"
#include "task/drives.h"

// Whether the body is free and nothing is joined to it: its mass is then that of one thing.
static bool is_alone(const struct dc_bodies *bodies, int body)
{
  bool alone = bodies->bodies[body].free;
  for (int k = 0; k < bodies->count; k++)
    alone = alone && (k == body || !dc_bodies_are_joined(bodies, k, body));
  return alone;
}

// The Earth's gravity in other units of length, and masses in kg or g beside them, with the unit of forces.
static const struct dc_unit_system systems[] = {{"mm", "kg", "mN", 1e3, 1},
                                                {"mm", "g", "uN", 1e3, 1e-3},
                                                {"cm", "kg", "cN", 100, 1},
                                                {"cm", "g", "10 uN", 100, 1e-3}};

// The system in which gravity is about the Earth's and every free body has the density of a solid; NULL: none.
const struct dc_unit_system *dc_advice_unit_system(const struct dc_scene *scene)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double gravity = dc_vec_norm(scene->definition.gravity);
  for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
    const struct dc_unit_system *system = &systems[k];
    int count = 0, fits = 0;
    for (int i = 0; i < bodies->count; i++) {
      const struct dc_body *body = &bodies->bodies[i];
      double volume = body->shape->properties.volume / pow(system->lengths, 3);
      if (!is_alone(bodies, i) || !(volume > 0) || !(body->mass > 0))
        continue;
      double density = body->mass * system->masses / volume;
      count++;
      fits += density > DC_ADVISE_SOLID && density < DC_ADVISE_DENSITY;
    }
    if (count > 0 && fits == count && fabs(gravity / (9.81 * system->lengths) - 1) < DC_ADVISE_EARTH)
      return system;
  }
  return NULL;
}

// Notes a scene whose lengths, masses and gravity are together in another system: nothing has to change.
static bool advise_system(struct dc_task_site *site)
{
  const struct dc_unit_system *system = dc_advice_unit_system(site->scene);
  if (system)
    dc_advice_add(site->list, "units",
                  "lengths seem to be in %s and masses in %s, as gravity is: that is consistent and nothing has to change, "
                  "but for m, kg and N, of which messages speak, read %s, %s and %s",
                  system->length, system->mass, system->length, system->mass, system->force);
  return system != NULL;
}

// Notes gravity of a size that no planet has: it was probably given in cm/s^2 or mm/s^2.
static void advise_gravity_size(struct dc_task_site *site)
{
  const double *g = site->scene->definition.gravity;
  double size = dc_vec_norm(g), earth = 9.81 / size;
  struct dc_attempt attempt = {0};
  if (size <= DC_ADVISE_GRAVITY)
    return;
  struct dc_advice *advice =
      dc_advice_add(site->list, "units", "gravity is %.4g m/s^2, %.3g times the Earth's: is it given in %s/s^2?", size,
                    1 / earth, size > 3e3 ? "mm" : "cm");
  dc_attempt_set(&attempt, "gravity=[%.4g, %.4g, %.4g]", g[0] * earth, g[1] * earth, g[2] * earth);
  if (strcmp(site->command, "check") == 0)
    dc_advice_try(advice, site->command, site->handle, site->options, &attempt);
}

// Notes a velocity beyond DC_ADVISE_FAST that is asked for.
static void advise_velocities(struct dc_task_site *site)
{
  const struct dc_task *task = &site->scene->task;
  for (int i = 0; i < task->objective_count; i++) {
    if (task->objectives[i].type != &dc_objective_velocity)
      continue;
    const struct dc_velocity_options *velocity = task->objectives[i].options;
    double speed = dc_vec_norm(velocity->target);
    if (!(speed > DC_ADVISE_FAST))
      continue;
    dc_advice_add(site->list, "units",
                  "objective[%d] asks for %.4g m/s: is its target given in %s/s? Then it is %.4g m/s", i, speed,
                  speed > 1e3 ? "mm" : "cm", speed > 1e3 ? speed / 1e3 : speed / 100);
    return;
  }
}

// Notes an angular velocity that is asked for and that turns a body by more than half a turn in a step.
static void advise_turns(struct dc_task_site *site)
{
  const struct dc_task *task = &site->scene->task;
  double step = site->scene->definition.time.step;
  for (int i = 0; i < task->objective_count; i++) {
    if (task->objectives[i].type != &dc_objective_velocity)
      continue;
    const struct dc_velocity_options *velocity = task->objectives[i].options;
    double speed = dc_vec_norm(velocity->angular);
    if (!(speed * step > DC_ADVISE_ANGLE / 2))
      continue;
    dc_advice_add(
        site->list, "units",
        "objective[%d] asks for %.4g rad/s, %.2g turns in a step of %g s: is it given in turns per minute? Then it "
        "is %.4g rad/s",
        i, speed, speed * step / DC_ADVISE_ANGLE, step, speed * DC_ADVISE_ANGLE / 60);
    return;
  }
}

// Notes a free body that begins faster than DC_ADVISE_FAST.
static void advise_starts(struct dc_task_site *site)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  for (int i = 0; i < bodies->count; i++) {
    double speed = dc_vec_norm(bodies->bodies[i].start.velocity);
    if (!bodies->bodies[i].free || !(speed > DC_ADVISE_FAST))
      continue;
    dc_advice_add(site->list, "units",
                  "\"%.80s\" begins with %.4g m/s: is its velocity given in %s/s? Then it is %.4g m/s",
                  bodies->bodies[i].name, speed, speed > 1e3 ? "mm" : "cm", speed > 1e3 ? speed / 1e3 : speed / 100);
    return;
  }
}

// Notes a free body, alone, that is heavier than a ball of osmium about it: its mass was probably given in grams.
static void advise_density(struct dc_task_site *site)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double radius = body->radius, ball = DC_ADVISE_DENSITY * DC_ADVISE_ANGLE * 2 / 3 * radius * radius * radius;
    if (!is_alone(bodies, i) || !(radius > 0) || !(body->mass > ball))
      continue;
    dc_advice_add(
        site->list, "units",
        "\"%.80s\" weighs %.4g kg, %.2g times as much as a ball of osmium about it: is its mass given in grams? "
        "Then it is %.4g kg",
        body->name, body->mass, body->mass / ball, body->mass / 1000);
    return;
  }
}

// Notes a free body, alone, that is lighter than the lightest solid of its volume.  Lengths in centimetres make a
// volume of 10^6 times what it is, so that the density tells which unit was meant.  A size that is told already says as
// much.
static void advise_lightness(struct dc_task_site *site)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double volume = body->shape->properties.volume, density = body->mass / volume;
    if (!is_alone(bodies, i) || !(volume > 0) || !(body->mass > 0) || !(density < DC_ADVISE_LIGHT) ||
        body->radius > DC_HUGE_RADIUS)
      continue;
    dc_advice_add(
        site->list, "units",
        "\"%.80s\" weighs %.4g kg and has a volume of %.4g m^3, %.2g times the density of air: are its lengths "
        "given in %s?",
        body->name, body->mass, volume, density / 1.2, density > DC_ADVISE_MILLIMETRES ? "cm" : "mm");
    return;
  }
}

// Whether an angle (rad) is probably one in degrees: beyond two turns, and a multiple of 5.  Motors that turn more
// often than that have ranges that are no such numbers, or no range.
static bool in_degrees(double angle)
{
  return isfinite(angle) && fabs(angle) > 2 * DC_ADVISE_ANGLE && fabs(angle) <= 720 && fmod(angle, 5) == 0;
}

bool dc_advice_may_be_degrees(double angle)
{
  double turn = DC_ADVISE_ANGLE, turns = fabs(angle) / turn;
  bool few = turns <= DC_ADVISE_MOST_TURNS, whole = angle == nearbyint(angle);
  bool round = (few && fabs(remainder(angle, turn / 12)) < DC_ADVISE_ROUND) ||
               (!whole && fabs(remainder(angle, few ? turn / 4 : turn)) < DC_ADVISE_WRITTEN);
  return isfinite(angle) && turns > 1 && !round && (turns > 2 || whole);
}

// Notes a hinge whose range, or whose start, is probably in degrees.
static void advise_hinges(struct dc_task_site *site)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  double rad = DC_ADVISE_ANGLE / 360;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      double start = part->kind == DC_PART_HINGE ? bodies->initial_q[part->q] : 0;
      if (part->kind == DC_PART_HINGE && (in_degrees(part->range[0]) || in_degrees(part->range[1])))
        dc_advice_add(site->list, "degrees",
                      "the range of \"%.80s\" is from %.4g to %.4g rad: in degrees that would be [%.4g, %.4g] rad",
                      bodies->bodies[i].name, part->range[0], part->range[1], part->range[0] * rad,
                      part->range[1] * rad);
      else if (in_degrees(start))
        dc_advice_add(site->list, "degrees", "\"%.80s\" begins turned by %.4g rad: in degrees that would be %.4g rad",
                      bodies->bodies[i].name, start, start * rad);
      else
        continue;
      return;
    }
}

void dc_advise_units(struct dc_task_site *site)
{
  bool consistent = advise_system(site);
  if (!consistent) {
    advise_gravity_size(site);
    advise_velocities(site);
    advise_starts(site);
    advise_density(site);
    advise_lightness(site);
  }
  advise_turns(site);
  advise_hinges(site);
}
