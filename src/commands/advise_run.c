// SPDX-License-Identifier: Apache-2.0
// Advice on an optimization that has ended.  The course of its losses and the ways of its bodies name a
// symptom; each symptom has one thing to try.  Thresholds are rules of thumb, listed in docs/advice.md.
//
// The first of these questions that finds something gives the advice (dc_advise_run):
// 1. Is the task itself impossible?
// 2. Was the search stopped, or blocked by starts that overlap?
// 3. Does a soft body feel nothing, and how did the losses run?
// 4. Was a body never touched?
// 5. Did the run use up its iterations, or come to rest?
//
// Advice that changes a rate or adds a search is tried before it is given, where the run took a second at most.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/soft.h"
#include "commands/advise_try.h"
#include "commands/constants.h"
#include "math/vector.h"
#include "plan/certify.h"
#include "task/drives.h"

enum { LEAST_ROWS = 8, FEWEST_ROWS = 4 };  // losses that show a course; fewer than these show nothing
enum { USUAL_ROLLOUTS = 4000 };            // of a race: those that it takes by itself
enum { FIRST_ITERATIONS = 100 };           // of an optimization that is given too few to tell
enum { FLOATING = 3 };                     // coordinates of a joint that does not hold its body

// The last losses in their order; how many.
static int recent_losses(const struct session *session, double losses[SESSION_RECENT])
{
  int count = session->rows < SESSION_RECENT ? (int)session->rows : SESSION_RECENT;
  for (int i = 0; i < count; i++)
    losses[i] = session->recent[(session->rows - count + i) % SESSION_RECENT];
  return count;
}

// The last losses of a run: how many, how often the direction of change turned, the lowest and highest of all,
// and the lowest of their first and second half.
struct course {
  int count, reversals;
  double low, high, best_before, best_after;  // of the losses; the lowest of their first and second half
};

// The last losses in two halves: their range, the best of each half (has it still been falling?), and how often the
// direction turned (is the rate too large?).
static struct course course_of(const struct session *session)
{
  double losses[SESSION_RECENT];
  struct course course = {recent_losses(session, losses), 0, INFINITY, -INFINITY, INFINITY, INFINITY};
  for (int i = 0; i < course.count; i++) {
    course.low = fmin(course.low, losses[i]);
    course.high = fmax(course.high, losses[i]);
    double *best = i < course.count / 2 ? &course.best_before : &course.best_after;
    *best = fmin(*best, losses[i]);
    if (i > 1)
      course.reversals += (losses[i] - losses[i - 1]) * (losses[i - 1] - losses[i - 2]) < 0;
  }
  return course;
}

// The body that an objective names and no control drives, and whether the outcome reaches the objective; -1:
// there is none.
static int wanted_body(const struct dc_scene *scene, const struct outcome *outcome, int i, bool *reached)
{
  const struct dc_objective *objective = &scene->task.objectives[i];
  int body = -1;
  double distance;
  if (dc_task_reachable(objective))
    objective->type->report(objective->options, outcome->model, outcome->input, &outcome->judged, outcome->judged.steps,
                            &body, &distance, reached);
  return body < 0 || dc_task_drives(&scene->task, &scene->model.bodies, body) ? -1 : body;
}

// A soft body of an objective that feels nothing beyond the range of its barrier, though something that moves could
// meet it; -1.
static int numb_body(const struct dc_scene *scene, const struct outcome *outcome)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (int i = 0; i < scene->task.objective_count; i++) {
    bool reached;
    int body = wanted_body(scene, outcome, i, &reached);
    const struct dc_soft *soft = body >= 0 ? dc_soft_of(bodies, body) : NULL;
    if (!soft || reached || soft->far_field > 0)
      continue;
    for (int other = 0; other < bodies->count; other++) {
      const struct dc_soft *others = dc_soft_of(bodies, other);
      if (other != body && (others || dc_body_moves(&bodies->bodies[other])) &&
          (dc_soft_meets(bodies, soft, other) || (others && dc_soft_meets(bodies, others, body))))
        return body;
    }
  }
  return -1;
}

// Whether the field of other bodies that move may have brought the body to where it is: its impulse J on mass m
// over the time T moves it by at most J T / m.  If that is less than DC_MOVED_BY_FIELD of its way, the body fell,
// rolled or was thrown.  Impulses and masses are summed over bodies that are joined to it.  DC_MEMORY is the
// only failure.
// The sum of far impulses has no direction and therefore bounds J from above.  Masses of soft bodies are density ×
// volume.
static enum dc_status find_moved_by_field(struct session *session, const struct outcome *outcome, int body, bool *moved)
{
  const struct dc_bodies *bodies = &outcome->model->bodies;
  const struct dc_trajectory *best = outcome->best;
  double *near = dc_alloc(2 * (size_t)bodies->count, sizeof *near), *far = near + bodies->count, impulse = 0, mass = 0;
  if (!near)
    return dc_fail(&session->error, DC_MEMORY, "out of memory for impulses");
  const double *from = best->poses[body].position,
               *to = best->poses[(size_t)best->steps * (size_t)best->bodies + (size_t)body].position;
  double way = dc_vec_distance(from, to), time = best->steps * best->time_step;
  enum dc_status status = dc_check_phantom(outcome->plan->rollout, outcome->model, outcome->input, best, true, near,
                                           far, &(struct dc_error){0});
  for (int i = 0; i < bodies->count; i++)
    if (dc_bodies_are_joined(bodies, i, body)) {
      const struct dc_soft *soft = dc_soft_of(bodies, i);
      impulse += far[i];
      mass += soft ? soft->density * soft->elastic.volume : bodies->bodies[i].mass;
    }
  *moved = status || impulse * time > DC_MOVED_BY_FIELD * way * mass;  // true where the model does not tell
  free(near);
  return status == DC_MEMORY ? dc_fail(&session->error, status, "out of memory for impulses") : DC_OK;
}

// Whether the objective held at the start already: what its body came to is not of its motion.
static bool held_at_start(const struct dc_scene *scene, const struct outcome *outcome, int i)
{
  const struct dc_objective *objective = &scene->task.objectives[i];
  int body;
  double distance;
  bool holds = false;
  objective->type->report(objective->options, outcome->model, outcome->input, &outcome->judged, 0, &body, &distance,
                          &holds);
  return holds;
}

// Looks for an objective whose body nothing has touched.  Without success the way to it was not found, and a
// search is advised; with success it got there by the field of distant bodies, which softer contact would hide
// and stiffer contact weakens.
static enum dc_status advise_contact(struct session *session, const struct outcome *outcome, bool success,
                                     struct dc_advice_list *list)
{
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_body *bodies = scene->model.bodies.bodies;
  for (int i = 0; i < scene->task.objective_count; i++) {
    struct dc_nearness nearness;
    bool reached;
    int body = wanted_body(scene, outcome, i, &reached);
    if (body < 0 || reached != success || (success && held_at_start(scene, outcome, i)))
      continue;
    enum dc_status status = dc_advice_nearness(scene, outcome->best, body, &nearness, &session->error);
    if (status)
      return status;
    if (nearness.touched || nearness.other < 0)
      continue;
    bool moved = true;
    if (success && (status = find_moved_by_field(session, outcome, body, &moved)))
      return status;
    if (!moved)
      continue;
    if (success) {
      struct dc_advice *advice = dc_advice_add(
          list, "no contact", "\"%.100s\" was moved from afar: nothing came nearer to it than %.3g m, \"%.100s\"",
          bodies[body].name, nearness.gap, bodies[nearness.other].name);
      dc_try_number(session, advice, "contact.stiffness", scene->definition.contact.stiffness / 100);
    } else {
      struct dc_advice *advice =
          dc_advice_add(list, "never touched", "nothing came nearer to \"%.100s\" than %.3g m, \"%.100s\"",
                        bodies[body].name, nearness.gap, bodies[nearness.other].name);
      if (session->horizon)
        dc_try_windows(session, advice);
      else
        dc_try_search(session, advice);
    }
    return DC_OK;
  }
  return DC_OK;
}

static bool is_used_up(const struct outcome *outcome)
{
  return outcome->end && strcmp(outcome->end, "iterations") == 0;
}

// Advises from the losses of an optimization in one piece: flat without forces at a distance, too long steps
// (no iterate is better than the first guess), oscillation, or too short steps.
// The first symptom that fits is told, in this order:
// * the loss did not fall and contact has no force at a distance: another contact model;
// * it did not fall within very few iterations: more iterations;
// * it did not fall and rollouts failed on the way, or every iterate is worse: a smaller rate;
// * it oscillates: a rate of a third;
// * it did not fall until the iterations were used up: a larger rate.
static void advise_course(const struct session *session, const struct outcome *outcome, struct dc_advice_list *list)
{
  const struct dc_scene *scene = session->scene->scene;
  struct course course = course_of(session);
  double first = session->first_loss, best = session->best_loss;
  bool fell = first - best > DC_ADVISE_FLAT * fabs(first);
  bool used_up = is_used_up(outcome);
  bool turns = course.count >= LEAST_ROWS && course.reversals >= DC_ADVISE_REVERSALS * (course.count - 2);
  if (!fell && !(scene->definition.contact_model->flags & DC_CONTACT_LONG_RANGE)) {
    struct dc_advice *advice = dc_advice_add(
        list, "flat", "the loss stayed at %.4g; the contact model %s has no force between bodies that are apart", best,
        scene->definition.contact_model->name);
    dc_try_it(session, advice, &(struct dc_attempt){.model = "bsh"});
  } else if (!fell && used_up && course.count < FEWEST_ROWS) {
    const struct dc_optimizer_common *common = scene->optimizer_options;
    struct dc_advice *advice =
        dc_advice_add(list, "few iterations", "after %ld iteration%s the loss is still %.4g: too few to tell",
                      common->iterations, dc_plural(common->iterations), best);
    dc_try_whole(session, advice, "optimizer.iterations", FIRST_ITERATIONS);
  } else if (!fell && outcome->retreats > 0) {
    struct dc_advice *advice =
        dc_advice_add(list, "overshooting",
                      "where the optimizer went nothing could be rolled out, %d time%s: steps are "
                      "too long",
                      (int)outcome->retreats, dc_plural(outcome->retreats));
    dc_try_default_rate(session, advice);
  } else if (!fell && course.high > first && (best >= first || turns)) {
    struct dc_advice *advice =
        dc_advice_add(list, "overshooting",
                      "no iterate is better than the first guess, the loss rose from %.4g: steps are too long", first);
    dc_try_rate(session, advice, 0.1);
  } else if (turns && course.high - course.low > DC_ADVISE_SWING * fabs(course.high)) {
    struct dc_advice *advice =
        dc_advice_add(list, "oscillating", "the loss goes up and down between %.4g and %.4g", course.low, course.high);
    dc_try_rate(session, advice, 0.3);
  } else if (!fell && used_up) {
    struct dc_advice *advice = dc_advice_add(list, "flat", "the loss stayed at %.4g: steps are too short", best);
    dc_try_rate(session, advice, 10);
  }
}

// A soft body without a far field, where the loss did not fall; whether that is so.
static bool advise_far_field(const struct session *session, const struct outcome *outcome, struct dc_advice_list *list)
{
  const struct dc_scene *scene = session->scene->scene;
  int body = session->first_loss - session->best_loss > DC_ADVISE_FLAT * fabs(session->first_loss)
                 ? -1
                 : numb_body(scene, outcome);
  if (body < 0 || session->horizon || session->search ||
      !(scene->definition.contact_model->flags & DC_CONTACT_LONG_RANGE))
    return false;
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_advice *advice = dc_advice_add(
      list, "flat", "the loss stayed at %.4g; the soft body \"%.100s\" feels nothing beyond the range of its contact",
      session->best_loss, bodies->bodies[body].name);
  struct dc_attempt attempt = {0};
  for (int s = 0; s < bodies->soft_count; s++) {  // two soft bodies feel each other where both have one
    const struct dc_body *soft = &bodies->bodies[bodies->soft[s].body];
    if (bodies->soft[s].collide && bodies->soft[s].far_field == 0)
      dc_attempt_set(&attempt, "bodies.%.100s.soft.far_field=%.1g", soft->name,
                     DC_ADVISE_FAR_FIELD * bodies->soft[s].density * bodies->soft[s].elastic.volume);
  }
  if (attempt.count)
    dc_try_it(session, advice, &attempt);
  return true;
}

// Advice when neither losses nor motions show a fault.
static void advise_end(const struct session *session, const struct outcome *outcome, struct dc_advice_list *list)
{
  const struct dc_scene *scene = session->scene->scene;
  struct course course = course_of(session);
  bool used_up = is_used_up(outcome);
  if (used_up && course.best_before - course.best_after > DC_ADVISE_FALLING * fabs(course.best_before)) {
    const struct dc_optimizer_common *common = scene->optimizer_options;
    struct dc_advice *advice =
        dc_advice_add(list, "still falling", "the iterations were used up while the loss fell, last from %.4g to %.4g",
                      course.best_before, course.best_after);
    struct dc_attempt attempt = {.control = session->run ? dc_run_directory(session->run) : NULL};
    dc_attempt_set(&attempt, "optimizer.iterations=%ld", 2 * common->iterations);
    dc_try_it(session, advice, &attempt);
  } else {
    struct dc_advice *advice = dc_advice_add(list, "stationary", "the loss does not fall any more, from %.4g to %.4g",
                                             session->first_loss, session->best_loss);
    dc_try_search(session, advice);
  }
}

// Advice on a search, from its rollouts or the iterations of its stages.
static void advise_search(const struct session *session, const struct outcome *outcome, struct dc_advice_list *list)
{
  const struct dc_portfolio *portfolio = &session->scene->scene->search.portfolio;
  if (!outcome->end || strcmp(outcome->end, "rollouts") != 0 || portfolio->rollouts == 0)
    return;
  struct dc_advice *advice =
      dc_advice_add(list, "out of rollouts", "the search used up its %ld rollouts", portfolio->rollouts);
  if (session->scene->scene->search.automatic)
    dc_try_whole(session, advice, "automatic.rollouts",
                 4 * portfolio->rollouts > USUAL_ROLLOUTS ? 4 * portfolio->rollouts : USUAL_ROLLOUTS);
  else
    dc_try_whole(session, advice, "portfolio.rollouts", 4 * portfolio->rollouts);
}

// A race that was stopped, by its time or from outside: its checkpoint goes on, or the same command without a limit.
static void advise_stopped(const struct session *session, struct dc_advice_list *list)
{
  struct dc_advice *advice =
      dc_advice_add(list, "stopped", "the search was stopped after %ld of its %ld rollouts, at a loss of %.4g",
                    session->plan->work.rollouts, session->scene->scene->search.portfolio.rollouts, session->best_loss);
  if (session->run)
    dc_advice_resume(advice, "optimize", dc_run_directory(session->run));
  else
    dc_try_it(session, advice, &(struct dc_attempt){0});
}

// Notes that friction is 0 everywhere: then no hand holds and no foot finds a hold.  It is said of goals of
// what floats, and without a command to try, because friction belongs to the task.
static void advise_friction(const struct session *session, const struct outcome *outcome, struct dc_advice_list *list)
{
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_body *bodies = scene->model.bodies.bodies;
  bool heavy = dc_vec_norm(scene->definition.gravity) > 0;
  if (dc_model_rubs(&scene->model) || !heavy || !dc_task_acts_in_time(&scene->task, &scene->model))
    return;
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    int body = -1;
    double distance;
    bool reached = true;
    if (dc_task_reachable(objective))
      objective->type->report(objective->options, outcome->model, outcome->input, &outcome->judged,
                              outcome->judged.steps, &body, &distance, &reached);
    int root = reached || body < 0 ? -1 : dc_body_root(bodies, body);
    if (root < 0 || bodies[root].nv < FLOATING || bodies[root].pd)
      continue;
    dc_advice_add(list, "no friction",
                  "friction is 0, as nothing gives it: \"%.100s\" can be pushed, but no hand holds and no foot finds a "
                  "hold; \"contact\": {\"friction\": 0.5} is wood on wood",
                  bodies[body].name);
    return;
  }
}

// Advises from the losses of the windows of a receding horizon: exploration or longer windows.  More time would be
// another task.
static void advise_horizon(const struct session *session, struct dc_advice_list *list)
{
  const struct dc_receding_horizon *horizon = session->horizon;
  struct course course = course_of(session);
  bool falls = course.best_before - course.best_after > DC_ADVISE_FALLING * fabs(course.best_before);
  if (course.count < LEAST_ROWS)
    return;
  if (falls && horizon->executed->steps == horizon->steps) {
    struct dc_advice *advice =
        dc_advice_add(list, "out of time",
                      "the loss still fell when %d steps were over, last from %.4g to %.4g (more \"steps\" are another "
                      "task)",
                      horizon->steps, course.best_before, course.best_after);
    dc_try_windows(session, advice);
  } else if (!falls) {
    struct dc_advice *advice =
        dc_advice_add(list, "stalled", "the loss of the last windows does not fall below %.4g", session->best_loss);
    dc_try_windows(session, advice);
  }
}

// Advises on a run that has ended, in the order of this file's head; *list already has what was said of the task.
// Nothing is said of simulations, of tasks that cannot be reached, of foreign contact models and where options ask
// for silence. A search that was stopped is judged by contact alone, and only after FIRST_ITERATIONS rollouts.  The
// attempts by which advice is tested cost up to a few seconds.  DC_MEMORY is the only failure that is not told as a
// lack of advice.
enum dc_status dc_advise_run(struct session *session, const struct outcome *outcome, const dcsim_result *result,
                             struct dc_advice_list *list)
{
  const struct dc_scene *scene = session->scene->scene;
  bool reachable = false;
  for (int i = 0; i < scene->task.objective_count; i++)
    reachable |= dc_task_reachable(&scene->task.objectives[i]);
  bool success = result->success != 0, race = session->search && scene->search.automatic;
  if (!session->optimizing || (session->stopped && (!race || success)) || !reachable || session->options->unadvised ||
      (scene->definition.contact_model->flags & DC_CONTACT_FOREIGN))
    return DC_OK;
  if (!success && dc_advise_task(session->scene, "optimize", session->options, list))
    return DC_OK;
  if (success)
    list->count = 0;
  int said = list->count;  // what was said when the run began may explain that it failed
  if (session->stopped) {
    bool told = session->plan->work.rollouts >= FIRST_ITERATIONS;
    enum dc_status status = told ? advise_contact(session, outcome, false, list) : DC_OK;
    if (status)
      return status;
    advise_stopped(session, list);
    advise_friction(session, outcome, list);
    return DC_OK;
  }
  if (!success && outcome->end && strcmp(outcome->end, "blocked") == 0) {
    struct dc_advice *advice = dc_advice_add(list, "blocked",
                                             "it ended against parameters with which bodies overlap at the start: "
                                             "bounds or a start elsewhere would leave a way");
    dc_try_search(session, advice);
    return DC_OK;
  }
  if (!success && !advise_far_field(session, outcome, list) && !session->horizon && !session->search)
    advise_course(session, outcome, list);
  enum dc_status status = list->count > said ? DC_OK : advise_contact(session, outcome, success, list);
  if (status || success)
    return status;
  if (session->search)
    advise_search(session, outcome, list);
  else if (list->count == said && session->horizon)
    advise_horizon(session, list);
  else if (list->count == said)
    advise_end(session, outcome, list);
  if (list->count > said)
    dc_try_advice(session, result, list);
  advise_friction(session, outcome, list);
  return DC_OK;
}
