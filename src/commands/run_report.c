// SPDX-License-Identifier: Apache-2.0
// The report of a run at its end: the summary that a terminal shows and the object that --json prints, which is also
// "result" of run.json.
//
// Both are written side by side, so that they cannot disagree: functions called put_... write JSON, and words where
// they are given a text; functions called add_... and describe_... write words that JSON has in another form.
// Trajectories are those of the outcome (session.h): `best` is the one that is stored, `judged` what the loss and the
// verdicts are of: the same, or of a receding horizon its last applied frame.  Numbers have SI units; what a goal
// measures has the unit of its objective (dc_task_distance_unit).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "commands/advice.h"
#include "commands/extremes.h"
#include "commands/inspect_design.h"
#include "commands/session.h"
#include "io/scene/scene_format.h"
#include "plan/race_grasp.h"

enum { DESIGN_LINES = 40 };  // that a summary has

// The conditions of an objective as JSON.  Each has the value that was measured, the one that is allowed (in `unit`,
// NAN where none is) and the frame at which it was looked at; `holds` is the verdict.
static void put_conditions(const struct session *session, const struct dc_condition *conditions, int count,
                           struct dc_json_writer *json)
{
  const struct dc_body *bodies = session->scene->scene->model.bodies.bodies;
  dc_json_begin(json, "conditions", '[');
  for (int k = 0; k < count; k++) {
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", conditions[k].name);
    if (conditions[k].body >= 0)
      dc_json_put_string(json, "body", bodies[conditions[k].body].name);
    DC_JSON_NUMBERS(json, {"value", conditions[k].value}, {"allowed", conditions[k].allowed},
                    {"frame", conditions[k].frame});
    dc_json_put_string(json, "unit", conditions[k].unit);
    dc_json_put_boolean(json, "holds", conditions[k].holds);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// Value, distance and conditions of every objective of the outcome's judged trajectory.
// Called for the session's own trajectory and again for the plant's, with a copy of the outcome in which only
// `judged` is another. The value of one objective is the loss of a task that holds nothing else, its weight included.
static void put_objectives(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json,
                           struct dc_text *text)
{
  const struct dc_scene *scene = session->scene->scene;
  dc_json_begin(json, "objectives", '[');
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    int body = -1;
    double distance = NAN;
    bool reached = false, reachable = dc_task_reachable(objective);
    struct dc_condition conditions[DC_CONDITIONS_MOST];
    struct dc_task single = {.objective_count = 1, .objectives = &scene->task.objectives[i]};
    int last = outcome->judged.steps,
        count = dc_task_conditions(objective, outcome->model, outcome->input, &outcome->judged, last, conditions);
    if (reachable)
      objective->type->report(objective->options, outcome->model, outcome->input, &outcome->judged, last, &body,
                              &distance, &reached);
    double value = dc_task_loss(&single, outcome->model, outcome->input, &outcome->judged, NULL);
    const char *name = body >= 0 ? scene->model.bodies.bodies[body].name : NULL,
               *unit = dc_task_distance_unit(objective->type);
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "type", objective->type->name);
    if (name)
      dc_json_put_string(json, "body", name);
    dc_json_put_number(json, "value", value);
    if (reachable) {
      dc_json_put_number(json, "distance", distance);
      dc_json_put_string(json, "unit", unit);
      dc_json_put_boolean(json, "reached", reached);
      put_conditions(session, conditions, count, json);
    }
    dc_json_end(json, "}");
    if (reachable)
      dc_text_add(text, "  %s%s%s: %.4g%s%s from its target%s\n", objective->type->name, name ? " " : "",
                  name ? name : "", distance, unit[0] ? " " : "", unit, reached ? ", reached" : "");
    else
      dc_text_add(text, "  %s: %.6g\n", objective->type->name, value);
  }
  dc_json_end(json, "]");
}

// The conditions of an objective that fails, as words: "reach ball: position 0.005 of 0.01 m: yes; speed 0.13 of
// 0.05 m/s: no, at 1.9 s (step 95)".  Nothing where all hold.
// text: an own, empty one, which the caller frees. Frames of a receding horizon are counted from the start of the
// run, to which the `earlier` frames are added.
static void add_failed(const struct session *session, const struct outcome *outcome,
                       const struct dc_objective *objective, struct dc_text *text)
{
  const struct dc_body *bodies = session->scene->scene->model.bodies.bodies;
  struct dc_condition conditions[DC_CONDITIONS_MOST];
  int count = dc_task_conditions(objective, outcome->model, outcome->input, &outcome->judged, outcome->judged.steps,
                                 conditions);
  bool all = true;
  for (int k = 0; k < count; k++)
    all = all && conditions[k].holds;
  for (int k = 0; k < count && !all; k++) {
    const struct dc_condition *one = &conditions[k];
    int step = one->frame + outcome->judged.earlier;
    if (k)
      dc_text_add(text, "; ");
    else
      dc_text_add(text, "%s%s%.100s: ", objective->type->name, one->body >= 0 ? " " : "",
                  one->body >= 0 ? bodies[one->body].name : "");
    dc_text_add(text, "%s %.3g", one->name, one->value);
    if (!isnan(one->allowed))
      dc_text_add(text, " of %.3g", one->allowed);
    dc_text_add(text, "%s%s: %s", one->unit[0] ? " " : "", one->unit, one->holds ? "yes" : "no");
    if (!one->holds)
      dc_text_add(text, ", at %.4g s (step %d)", step * outcome->judged.time_step, step);
  }
}

// The top of a report on what was not reached: one line for every objective that fails, with each condition and its
// numbers.
// Cases of a design that failed follow the objectives, by name. An optimization without any verdict says how to get
// one.
static void put_not_reached(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json,
                            struct dc_text *text)
{
  const struct dc_task *task = &session->scene->scene->task;
  bool reachable = false;
  dc_json_begin(json, "not_reached", '[');
  for (int i = 0; i < task->objective_count; i++) {
    struct dc_text line = {0};
    reachable |= dc_task_reachable(&task->objectives[i]);
    add_failed(session, outcome, &task->objectives[i], &line);
    if (line.length && !line.failed) {
      dc_json_put_string(json, NULL, line.bytes);
      dc_text_add(text, "  not reached: %s\n", line.bytes);
    }
    dc_text_free(&line);
  }
  for (int k = 0; k < outcome->case_count; k++)
    if (!outcome->cases[k].success) {
      char line[300];
      snprintf(line, sizeof line, "case %.200s", outcome->cases[k].name);
      dc_json_put_string(json, NULL, line);
      dc_text_add(text, "  not reached: %s\n", line);
    }
  dc_json_end(json, "]");
  if (!reachable && task->objective_count && session->optimizing)
    dc_text_add(text, "  no objective says when it counts as reached: \"tolerance\" of one does\n");
}

// Loss, distance and verdict of each case of a design that was found for several.  A case has a scene of its own,
// so that bodies are named by that one.
static void put_cases(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json,
                      struct dc_text *text)
{
  if (outcome->case_count == 0)
    return;
  dc_json_begin(json, "cases", '[');
  for (int k = 0; k < outcome->case_count; k++) {
    const struct case_outcome *judged = &outcome->cases[k];
    const struct dc_body *bodies = session->scene->scene->cases.scenes[k]->model.bodies.bodies;
    const char *body = judged->body >= 0 ? bodies[judged->body].name : NULL;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", judged->name);
    dc_json_put_number(json, "loss", judged->loss);
    dc_json_put_boolean(json, "success", judged->success);
    dc_json_put_number(json, "distance", judged->distance);
    if (body)
      dc_json_put_string(json, "body", body);
    dc_json_end(json, "}");
    dc_text_add(text, "  case %s: loss %.6g", judged->name, judged->loss);
    if (body)
      dc_text_add(text, ", %s %.4g m from its target", body, judged->distance);
    dc_text_add(text, "%s\n", judged->success ? ", reached" : "");
  }
  dc_json_end(json, "]");
}

// How the loop was closed, if it was.
// One window is a task that is aimed once, several plan anew from where the plant really is (closed_loop.h). Without a
// record no loop came to its end, and there is nothing to tell.
static void put_loop(const struct dc_loop_result *loop, struct dc_text *text, struct dc_json_writer *json)
{
  if (!loop->record)
    return;
  if (loop->windows > 1)
    dc_text_add(text, ", in closed loop of %ld windows, try %d of %d", loop->windows, loop->tries, DC_LOOP_TRIES);
  else
    dc_text_add(text, ", aimed there, try %d of %d", loop->tries, DC_LOOP_TRIES);
  dc_json_begin(json, "loop", '{');
  dc_json_put_integer(json, "tries", loop->tries);
  dc_json_put_integer(json, "windows", loop->windows);
  dc_json_put_integer(json, "apply", loop->apply);
  dc_json_end(json, "}");
}

// Describes the plant; nothing without one.  A session that is transferred planned in another world and executed the
// plan in the plant afterwards: loss and objectives of both are told.  Otherwise every step ran in the plant already,
// and the numbers of the report are its own.
static void describe_plant(const struct session *session, const struct transfer *transfer,
                           const struct outcome *outcome, struct dc_text *text, struct dc_json_writer *json)
{
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_model_definition *plant = &scene->plant.model.definition;
  if (!scene->plant_given)
    return;
  dc_json_begin(json, "plant", '{');
  dc_json_put_string(json, "model", plant->contact_model->name);
  dc_json_put_number(json, "time_step", plant->time.step);
  if (dc_session_is_transferred(session)) {
    dc_json_put_boolean(json, "success", transfer->success);
    dc_text_add(text, "  executed in the plant (%s, steps of %.9g s", plant->contact_model->name, plant->time.step);
    put_loop(&transfer->loop, text, json);
    dc_text_add(text, "): ");
  } else {
    dc_text_add(text, "  this is in the plant (%s, steps of %.9g s)\n", plant->contact_model->name, plant->time.step);
  }
  if (transfer->executed) {
    // The same report on what happened there: only the judged trajectory is another one.
    struct outcome there = *outcome;
    double gap = dc_trajectory_gap(transfer->record, 0, transfer->record->steps);
    there.judged = *transfer->record;
    dc_json_put_number(json, "loss", transfer->loss);
    dc_json_put_number(json, "min_gap", gap);
    dc_text_add(text, "loss %.6g, task %sreached\n", transfer->loss, transfer->success ? "" : "not ");
    put_objectives(session, &there, json, text);
  } else if (dc_session_is_transferred(session)) {
    dc_json_put_string(json, "failure", transfer->failure.text);
    dc_text_add(text, "task not reached: %s\n", transfer->failure.text);
  }
  dc_json_end(json, "}");
}

// Best parameters by name, as JSON only: a summary cannot show thousands.
// Names are those of dc_task_parameter_name, such as "rod.3.x" for step 3. Values are the optimizer's own; put_design
// has physical ones.
static void put_parameters(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json)
{
  const struct dc_scene *scene = session->scene->scene;
  int steps = outcome->best->steps, count = dc_task_parameter_count(&scene->task, &scene->model, steps);
  dc_json_begin(json, "parameters", '{');
  for (int i = 0; i < count; i++) {
    char name[320];
    dc_task_parameter_name(&scene->task, &scene->model, steps, i, name, sizeof name);
    dc_json_put_number(json, name, outcome->best_parameters[i]);
  }
  dc_json_end(json, "}");
}

// The numbers that the design changed, in physical units.
// The summary of a large design shows its first DESIGN_LINES numbers, and JSON all of them.
static void put_design(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json,
                       struct dc_text *text)
{
  const struct dc_scene *scene = session->scene->scene;
  struct dc_design_value value;
  if (!scene->task.design_count)
    return;
  dc_json_begin(json, "design", '[');
  for (int i = 0;
       dc_task_design_value(&scene->task, &scene->model, outcome->best->steps, outcome->best_parameters, i, &value);
       i++) {
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", value.name);
    dc_json_put_string(json, "unit", value.unit);
    dc_json_put_number(json, "initial", value.initial);
    dc_json_put_number(json, "value", value.value);
    dc_json_end(json, "}");
    if (i < DESIGN_LINES)
      dc_text_add(text, "  %s: %.6g%s%s (in the scene %.6g)\n", value.name, value.value,
                  strcmp(value.unit, "1") == 0 ? "" : " ", strcmp(value.unit, "1") == 0 ? "" : value.unit,
                  value.initial);
    else if (i == DESIGN_LINES)
      dc_text_add(text, "  and further numbers of the design\n");
  }
  dc_json_end(json, "]");
  if (scene->model.shapes_change)
    dc_api_describe_designed(outcome->model, outcome->input, scene->model.vertices_move, text, json);
}

// The numbers that callers of the library get.  Those of work are means over all rollouts of all threads, of which
// failed ones count in seconds only; those of steps and gaps are of the best trajectory.  A receding horizon reports
// the loss of its last applied frame, as no rollout has the whole way. Times are in s, the gap in m. Without a step or
// an evaluation the quotients are 0 rather than NAN, since callers print them.
void dc_session_fill_result(const struct session *session, const struct outcome *outcome, dcsim_result *result)
{
  const struct dc_plan_work *work = &outcome->plan->work;
  const struct dc_receding_horizon *horizon = session->horizon;
  double steps = (double)work->steps;
  result->success = outcome->success;
  result->loss = horizon ? horizon->loss : session->best_loss;
  result->initial_loss = session->first_loss;
  result->iterations = outcome->iterations;
  result->steps = outcome->best->steps;
  result->unconverged_steps = outcome->best->unconverged_steps;
  result->divided_steps = dc_trajectory_divided_steps(outcome->best);
  result->seconds = dc_seconds() - session->times.start;
  result->seconds_per_step = steps > 0 ? work->seconds / steps : 0;
  result->newton_iterations_per_step = steps > 0 ? (double)work->newton_iterations / steps : 0;
  result->evaluations_per_step = steps > 0 ? (double)work->evaluations / steps : 0;
  result->seconds_per_evaluation = work->evaluations ? work->contact_seconds / (double)work->evaluations : 0;
  result->min_gap = dc_trajectory_gap(outcome->best, 0, outcome->best->steps);
  result->rollouts = work->rollouts;
}

// How linear systems are solved, and of a simulation how many: of an optimization that would depend on which thread
// rolled out what.
static void put_linear_work(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json,
                            struct dc_text *text)
{
  struct dc_linear_work work = dc_rollout_linear_work(outcome->plan->rollout);
  if (!work.matrix)
    return;
  dc_json_begin(json, "linear", '{');
  dc_json_put_string(json, "matrix", work.matrix);
  if (work.method) {
    dc_json_put_string(json, "method", work.method);
    dc_json_put_string(json, "preconditioner", work.preconditioner);
    dc_text_add(text, "  linear systems: %s with %s", work.method, work.preconditioner);
  }
  if (!session->optimizing) {
    DC_JSON_NUMBERS(json, {"factorizations", work.factorizations});
    if (work.method) {
      long each = work.solutions ? lround((double)work.iterations / (double)work.solutions) : 0;
      DC_JSON_NUMBERS(json, {"solutions", work.solutions}, {"iterations", work.iterations});
      dc_text_add(text, ", %ld time%s with %ld iteration%s; %ld factorization%s", work.solutions,
                  dc_plural(work.solutions), each, dc_plural(each), work.factorizations,
                  dc_plural(work.factorizations));
    }
  }
  if (work.method)
    dc_text_add(text, "\n");
  dc_json_end(json, "}");
}

// How an optimization came by its gradients and its first guess.
// "estimates" counts estimated gradients, 0 with the adjoint; "one_sided" and "dropped" count their components
// (plan/gradient.h). "vanished" tells of first guesses from which no gradient led away.
static void put_sampling(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json)
{
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_plan *plan = outcome->plan;
  if (!session->optimizing)
    return;
  dc_json_begin(json, "gradient", '{');
  dc_json_put_string(json, "type", dc_gradient_options[0].choices[plan->estimate.settings.type]);
  DC_JSON_NUMBERS(json, {"estimates", plan->estimate.counts.estimates}, {"one_sided", plan->estimate.counts.one_sided},
                  {"dropped", plan->estimate.counts.dropped}, {"rollouts", plan->work.rollouts});
  dc_json_end(json, "}");
  if (!scene->first_guess_given)
    return;
  dc_json_begin(json, "init", '{');
  dc_json_put_integer(json, "draws", plan->guess.counts.draws);
  dc_json_put_boolean(json, "vanished", plan->guess.counts.vanished > 0);
  dc_json_end(json, "}");
}

// Notes on gradients that were estimated from samples and on first guesses.  A component is one-sided where rollouts
// fail on the other side, and missing where they fail on both.
static void add_sampling_notes(const struct session *session, const struct outcome *outcome, struct dc_text *text)
{
  const struct dc_gradient_counts *gradient = &outcome->plan->estimate.counts;
  const struct dc_first_guess_counts *guess = &outcome->plan->guess.counts;
  if (!session->optimizing)
    return;
  if (gradient->one_sided || gradient->dropped)
    dc_text_add(
        text,
        "  note: of %ld estimated gradients %ld components are one-sided, %ld components or samples are missing\n",
        gradient->estimates, gradient->one_sided, gradient->dropped);
  if (guess->draws)
    dc_text_add(text, "  %ld first guesses drawn\n", guess->draws);
  if (guess->vanished)
    dc_text_add(text, "  warning: all gradients vanished for %ld first guesses and their draws\n", guess->vanished);
}

// The points from which members of a race begin; a grasp is told as the world is in which others begin.
static const char *const origins[DC_SEARCH_ORIGINS] = {[DC_FROM_FIRST_GUESS] = "first guess",
                                                       [DC_FROM_BEST] = "best point so far",
                                                       [DC_FROM_DRAW] = "drawn first guess",
                                                       [DC_FROM_GRASP] = "first guess"};

static const char *begun_with(const struct dc_search_found *found)
{
  return !found->grasp ? found->begun : found->grasp->itself ? "a way over what stands between" : "a grasp";
}

// Whether the settings alone lead from the scene's first guess to where the race ended.
static bool begins_as_scene(const struct session *session, const struct dc_search_found *found)
{
  bool first = found->grasp || found->origin == DC_FROM_FIRST_GUESS;
  return first && !found->begun && !found->horizon && !session->options->control_run && !session->given;
}

// The settings of a race's best member, ready to be put into the scene.
static void put_found(const struct session *session, struct dc_json_writer *json)
{
  const struct dc_scene *scene = session->scene->scene;
  struct dc_search_found found;
  if (!session->search || !dc_search_found(session->search, &found))
    return;
  dc_json_begin(json, "settings_found", '{');
  dc_json_begin(json, "optimizer", '{');
  dc_json_put_string(json, "type", found.optimizer->name);
  dc_put_options(json, scene, found.optimizer->options, found.options);
  dc_json_end(json, "}");
  if (found.horizon) {
    dc_json_begin(json, "horizon", '{');
    dc_put_options(json, scene, dc_horizon_options, found.horizon);
    dc_json_end(json, "}");
  }
  if (found.grasp) {
    dc_json_begin(json, "init", '{');
    dc_json_put_string(json, "type", "grasp");
    DC_JSON_NUMBERS(json, {"squeeze", found.grasp->squeeze}, {"clearance", found.grasp->clearance});
    dc_json_end(json, "}");
  }
  dc_json_end(json, "}");
  dc_json_put_string(json, "found_from",
                     begun_with(&found) ? begun_with(&found) : origins[found.origin]);
  dc_json_put_boolean(json, "found_alone", begins_as_scene(session, &found));
}

// Why the minimization is over, and of a search each stage with its numbers.
static void put_end(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json)
{
  if (!session->optimizing)
    return;
  if (outcome->end)
    dc_json_put_string(json, "end", outcome->end);
  else
    dc_json_put_raw(json, "end", "null");
  dc_json_put_integer(json, "retreats", outcome->retreats);
  if (!session->search)
    return;
  const struct dc_search_stage *stages;
  int count = dc_search_stages(session->search, &stages);
  dc_json_begin(json, "stages", '[');
  for (int k = 0; k < count; k++) {
    dc_json_begin(json, NULL, '{');
    dc_json_put_number(json, "stiffness", stages[k].stiffness);
    dc_json_put_number(json, "far_field", stages[k].far_field);
    dc_json_put_integer(json, "step", stages[k].step);
    dc_json_put_boolean(json, "reached", stages[k].reached);
    DC_JSON_NUMBERS(json, {"loss", stages[k].loss}, {"turns", stages[k].turns}, {"rounds", stages[k].rounds},
                    {"rollouts", stages[k].rollouts});
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
  put_found(session, json);
}

// One line tells what a race did, another the settings that it found, with the values that are not the defaults, as
// JSON to be copied into the scene.  Where the member began elsewhere than a scene can, a third line tells how to have
// the result again.
static void add_found(const struct session *session, struct dc_text *text)
{
  struct dc_search_found found;
  const struct dc_search_stage *stages;
  if (!session->search || !dc_search_found(session->search, &found))
    return;
  dc_search_stages(session->search, &stages);
  const char *begun = begun_with(&found);
  dc_text_add(text, "  automatic: %d round%s, %ld rollout%s; best by %s from %s %s%s%s%s\n", stages[0].rounds,
              dc_plural(stages[0].rounds), session->plan->work.rollouts, dc_plural(session->plan->work.rollouts),
              found.optimizer->name, found.origin == DC_FROM_DRAW ? "a" : "the", origins[found.origin],
              found.horizon ? ", after windows of a receding horizon" : "", begun ? ", begun with " : "",
              begun ? begun : "");
  dc_text_add(text, "  settings found: \"optimizer\": {\"type\": \"%s\", \"%s\": %.3g%s}", found.optimizer->name,
              found.rate_name, found.rate, found.quick ? ", \"betas\": [0.3, 0.5], \"shared\": true" : "");
  if (found.horizon)
    dc_text_add(text,
                ", \"horizon\": {\"length\": %ld, \"iterations\": %ld, \"apply\": %ld, \"keep\": \"best\", "
                "\"explore\": %ld, \"draws\": %ld, \"spread\": %.3g}",
                found.horizon->length, found.horizon->iterations, found.horizon->apply, found.horizon->explore,
                found.horizon->draws, found.horizon->spread);
  if (found.grasp)
    dc_text_add(text, ", \"init\": {\"type\": \"grasp\", \"squeeze\": %.3g, \"clearance\": %.3g}",
                found.grasp->squeeze, found.grasp->clearance);
  dc_text_add(text, "\n");
  const char *run = session->run ? dc_run_directory(session->run) : "RUN";
  if (!begins_as_scene(session, &found))
    dc_text_add(text,
                "  they alone do not lead here from the scene's first guess: dcsim simulate SCENE --control %s replays "
                "this%s, dcsim optimize SCENE --control %s goes on from it\n",
                run, session->run ? "" : " (-o RUN keeps it)", run);
}

// A line for every stage that was begun.
// Numbers are factors on those of the scene (plan/search.h), which the last stage leaves at 1.
static void add_stages(const struct session *session, struct dc_text *text)
{
  const struct dc_search_stage *stages;
  int count = session->search ? dc_search_stages(session->search, &stages) : 0;
  if (session->scene->scene->search.automatic) {
    add_found(session, text);
    return;
  }
  for (int k = 0; k < count; k++)
    if (stages[k].begun) {
      dc_text_add(text, "  stage %d: stiffness x %.4g, ", k + 1, stages[k].stiffness);
      if (stages[k].far_field != 1)
        dc_text_add(text, "far fields x %.4g, ", stages[k].far_field);
      dc_text_add(text, "time step x %d: loss %.6g after %d turn%s and %ld rollout%s%s\n", stages[k].step,
                  stages[k].loss, stages[k].turns, dc_plural(stages[k].turns), stages[k].rollouts,
                  dc_plural(stages[k].rollouts), stages[k].reached ? ", reached" : "");
    }
}

// Headlines.  A session has one kind of run and with it one of the four functions (session.h, `headline`).
static const char *reached(const dcsim_result *result)
{
  return result->success ? "task reached" : "task not reached";
}

// A replay of the targets of another run, whose steps may be fewer than the scene's.
void dc_session_say_replayed(const struct session *session, const dcsim_result *result, struct dc_text *text)
{
  dc_text_add(text, "%s: %d step%s as %s applied them, loss %.6g%s\n", session->scene->scene->name, result->steps,
              dc_plural(result->steps), session->options->control_run, result->loss,
              result->success ? ", task reached" : "");
}

// A receding horizon, which may end before the last step.
void dc_session_say_applied(const struct session *session, const dcsim_result *result, struct dc_text *text)
{
  dc_text_add(text, "%s: loss %.6g -> %.6g after %d of %ld steps and %d iteration%s, %s\n", session->scene->scene->name,
              result->initial_loss, result->loss, result->steps, session->scene->scene->definition.time.steps,
              result->iterations, dc_plural(result->iterations), reached(result));
}

// An optimization over the whole run.
void dc_session_say_optimized(const struct session *session, const dcsim_result *result, struct dc_text *text)
{
  dc_text_add(text, "%s: loss %.6g -> %.6g in %d iteration%s, %s\n", session->scene->scene->name, result->initial_loss,
              result->loss, result->iterations, dc_plural(result->iterations), reached(result));
}

// A simulation with the first guess of the controls.
void dc_session_say_simulated(const struct session *session, const dcsim_result *result, struct dc_text *text)
{
  dc_text_add(text, "%s: %d step%s, loss %.6g%s\n", session->scene->scene->name, result->steps,
              dc_plural(result->steps), result->loss, result->success ? ", task reached" : "");
}

// Report of a run, in words and as JSON at once.  Words begin with the headline of the run's kind and with what
// was not reached; details follow, then notes and warnings, and the run directory is last.
void dc_session_describe(const struct session *session, const struct outcome *outcome, const struct transfer *transfer,
                         const struct dc_advice_list *advice, const dcsim_result *result, struct dc_text *text,
                         struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  if (session->run)
    dc_json_put_string(json, "run", result->directory);
  else
    dc_json_put_raw(json, "run", "null");
  dc_json_put_boolean(json, "success", result->success != 0);
  DC_JSON_NUMBERS(json, {"loss", result->loss}, {"initial_loss", result->initial_loss},
                  {"iterations", result->iterations}, {"steps", result->steps}, {"seconds", result->seconds},
                  {"seconds_per_step", result->seconds_per_step},
                  {"newton_iterations_per_step", result->newton_iterations_per_step},
                  {"newton_iterations_median", dc_trajectory_iterations(outcome->best, 0.5)},
                  {"newton_iterations_most", dc_trajectory_iterations(outcome->best, 1)},
                  {"evaluations_per_step", result->evaluations_per_step},
                  {"seconds_per_evaluation", result->seconds_per_evaluation}, {"min_gap", result->min_gap},
                  {"unconverged_steps", result->unconverged_steps}, {"divided_steps", result->divided_steps});
  put_sampling(session, outcome, json);
  put_end(session, outcome, json);
  session->kind->headline(session, result, text);
  put_not_reached(session, outcome, json, text);
  put_parameters(session, outcome, json);
  put_design(session, outcome, json, text);
  put_objectives(session, outcome, json, text);
  put_cases(session, outcome, json, text);
  dc_extremes_put(outcome->extremes, outcome->contacts, outcome->model, outcome->best, text, json);
  describe_plant(session, transfer, outcome, text, json);
  dc_api_put_inside(&session->scene->scene->model.bodies, &session->inside, NULL, json);
  if (session->optimizing)
    dc_advice_put(advice, text, json);
  dc_text_add(text, "  %.3g s, %.3g ms per step, %.2f Newton iterations per step, ", result->seconds,
              1e3 * result->seconds_per_step, result->newton_iterations_per_step);
  dc_api_add_gap(text, "gap", 3, result->min_gap);
  dc_text_add(text, "\n");
  put_linear_work(session, outcome, json, text);
  dc_json_end(json, "}");
  if (outcome->retreats)
    dc_text_add(text, "  note: begun again near the best point %d time%s, where nothing could be rolled out\n",
                outcome->retreats, dc_plural(outcome->retreats));
  add_stages(session, text);
  add_sampling_notes(session, outcome, text);
  if (result->divided_steps)
    dc_text_add(text, "  %d of %d steps were divided\n", result->divided_steps, result->steps);
  if (result->unconverged_steps)
    dc_text_add(text, "  warning: %d of %d steps did not converge, as \"accept_unconverged\" allows\n",
                result->unconverged_steps, result->steps);
  if (session->run)
    dc_text_add(text, "  run directory: %s\n", result->directory);
}
