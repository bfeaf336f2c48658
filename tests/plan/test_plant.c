// SPDX-License-Identifier: Apache-2.0
// A rod that pushes a box over the ground: planned in a soft world, executed in another one.
#include <omp.h>

#include "base/threads.h"
#include "contact/contact.h"
#include "plan/horizon_internal.h"
#include "plan_scene.h"

// Plants by what stands in the scene.
#define SCENE_WITH(plant, more)                                                                                        \
  "{'name': 'push', 'time': {'step': 0.04, 'steps': 10}, 'contact': {'stiffness': 1e-4, 'friction': 0.6},\n"           \
  " 'shapes': {'box': {'type': 'box', 'size': [0.5, 0.5, 0.5]}, 'rod': {'type': 'box', 'size': [0.1, 0.6, 0.1]},\n"    \
  "            'ground': {'type': 'plane'}},\n"                                                                        \
  " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"                                             \
  "            {'name': 'box', 'shape': 'box', 'mass': 2.5, 'position': [-0.33, 0, 0.255]},\n"                         \
  "            {'name': 'rod', 'shape': 'rod', 'mass': 1, 'position': [0, 0.1, 0.25],\n"                               \
  "             'pd': {'kp': 1000, 'kd': 10}}],\n"                                                                     \
  " 'control': [{'type': 'pd_velocity', 'body': 'rod', 'coordinates': 'x y z rz', 'initial': [-0.3, 0, 0, 0]}],\n"     \
  " 'objective': [{'type': 'reach', 'body': 'box', 'target': [-2, 0, 0.255], 'axes': 'xy', 'tolerance': 0.1}],\n"      \
  " 'optimizer': {'type': 'adam', 'learning_rate': 0.1, 'betas': [0.3, 0.5]},\n" plant                                 \
  " 'horizon': {'length': 4, 'iterations': 3, 'apply': 2" more "}}\n"
#define SCENE(plant) SCENE_WITH(plant, "")
#define TRIALS(plant) SCENE_WITH(plant, ", 'explore': 1, 'trials': true")
static const char without[] = SCENE(""), same_world[] = SCENE("'plant': {},\n"),
                  harder[] = SCENE("'plant': {'contact': {'stiffness': 1e-7}, 'time': {'step': 0.01}},\n"),
                  ipc[] = SCENE("'plant': {'contact': {'model': 'ipc', 'dhat': 0.01, 'stiffness': 0.01}},\n"),
                  soft[] = SCENE("'plant': {'contact': {'model': 'mujoco'}},\n"),
                  tried[] = TRIALS("'plant': {'contact': {'stiffness': 1e-7}, 'time': {'step': 0.01}},\n"),
                  tried_softly[] = TRIALS("'plant': {'contact': {'model': 'mujoco'}},\n"), tried_alone[] = TRIALS("");
// Factors on the plant's friction: it is not told that the second one is its own.
static const char unsure[] = SCENE_WITH("'plant': {'contact': {'stiffness': 1e-7}, 'time': {'step': 0.01}},\n",
                                        ", 'explore': 1, 'trials': true, 'trial_friction': [0.4, 1, 2]");
enum { STEPS = 10, BOX = 1, ROD = 2 };
static const double mass[3] = {[BOX] = 2.5, [ROD] = 1};

static struct dc_receding_horizon *create(const struct dc_scene *scene)
{
  struct dc_error error = {0};
  struct dc_receding_horizon *horizon = dc_horizon_create(&scene->model, &scene->task, &scene->horizon,
                                                          scene->optimizer, scene->optimizer_options, &error);
  if (!horizon) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return horizon;
}

// Stops at the call with the number stop_at (from 1; 0: never) and saves.
struct recorder {
  struct dc_receding_horizon *horizon;
  int calls, stop_at;
  struct dc_snapshot *snapshot;
  void (*look)(const struct dc_receding_horizon *horizon);  // after every window; may be NULL
};

static bool count_call(struct recorder *recorder)
{
  if (++recorder->calls != recorder->stop_at)
    return true;
  CHECK(!recorder->snapshot || dc_horizon_save(recorder->horizon, recorder->snapshot) == DC_OK);
  return false;
}

static bool note_iteration(void *context, const struct dc_plan_iteration *iteration)
{
  (void)iteration;
  return count_call(context);
}

static bool note_row(void *context, const struct dc_plan_iteration *row)
{
  struct recorder *recorder = context;
  if (recorder->look && row->iteration > 0 && row->iteration < STEPS)
    recorder->look(recorder->horizon);
  return count_call(context);
}

static void run(struct recorder *recorder, enum dc_status expected)
{
  struct dc_horizon_observer observer = {.context = recorder, .iterated = note_iteration, .applied = note_row};
  struct dc_error error = {0};
  CHECK(dc_horizon_run(recorder->horizon, &observer, &error) == expected, "%s", error.text);
}

static bool same_executed(const struct dc_receding_horizon *a, const struct dc_receding_horizon *b)
{
  const struct dc_trajectory *s = a->executed, *t = b->executed;
  size_t frames = (size_t)s->steps + 1, targets = (size_t)s->steps * (size_t)a->model->bodies.actuator_count;
  return s->steps == t->steps && memcmp(s->q, t->q, frames * (size_t)s->nq * sizeof *s->q) == 0 &&
         memcmp(s->min_gap, t->min_gap, frames * sizeof *s->min_gap) == 0 &&
         memcmp(a->target_position, b->target_position, targets * sizeof(double)) == 0 &&
         memcmp(a->target_velocity, b->target_velocity, targets * sizeof(double)) == 0 && a->loss == b->loss;
}

// A plant that is the planning world changes nothing, bit for bit; another one does.
static void test_same_world(void)
{
  struct dc_scene *none = read_scene(without), *same = read_scene(same_world), *other = read_scene(harder);
  CHECK(!none->plant_given && same->plant_given && same->plant.substeps == 1 && other->plant.substeps == 4);
  CHECK_NEAR(other->plant.model.definition.contact.friction, 0.6, 0);  // the scene's
  struct recorder a = {.horizon = create(none)}, b = {.horizon = create(same)}, c = {.horizon = create(other)};
  run(&a, DC_OK);
  run(&b, DC_OK);
  run(&c, DC_OK);
  CHECK(same_executed(a.horizon, b.horizon) && !same_executed(a.horizon, c.horizon));
  const struct dc_trajectory *first = a.horizon->first, *again = b.horizon->first, *elsewhere = c.horizon->first;
  size_t bytes = (size_t)(STEPS + 1) * (size_t)first->nq * sizeof *first->q;
  CHECK(memcmp(first->q, again->q, bytes) == 0 && memcmp(first->q, elsewhere->q, bytes) != 0);
  dc_horizon_destroy(a.horizon);
  dc_horizon_destroy(b.horizon);
  dc_horizon_destroy(c.horizon);
  dc_scene_destroy(none);
  dc_scene_destroy(same);
  dc_scene_destroy(other);
}

// Stopped and saved at any call and loaded into a new horizon the run goes on bit for bit, and so does a replay.
static void check_resume(const char *text)
{
  struct dc_scene *scene = read_scene(text);
  struct dc_error error = {0};
  struct recorder whole = {.horizon = create(scene)};
  run(&whole, DC_OK);
  for (int stop = 1; stop <= whole.calls; stop += stop < 6 ? 1 : 5) {
    struct recorder first = {.horizon = create(scene), .stop_at = stop, .snapshot = dc_snapshot_create()};
    run(&first, DC_STOPPED);
    struct recorder second = {.horizon = create(scene)};
    CHECK(dc_horizon_load(second.horizon, first.snapshot, &error) == DC_OK, "call %d: %s", stop, error.text);
    run(&second, DC_OK);
    CHECK(first.calls + second.calls == whole.calls, "call %d", stop);
    CHECK(same_executed(whole.horizon, second.horizon), "call %d", stop);
    dc_horizon_destroy(first.horizon);
    dc_horizon_destroy(second.horizon);
    dc_snapshot_destroy(first.snapshot);
  }
  struct dc_applied_targets targets = dc_horizon_targets(whole.horizon);
  double *parameters =
      dc_alloc((size_t)dc_task_parameter_count(&scene->task, &scene->model, targets.steps), sizeof *parameters);
  dc_horizon_applied(whole.horizon, parameters);
  struct recorder replay = {.horizon = dc_horizon_create_replay(&scene->model, &scene->task, &targets, parameters,
                                                                scene->horizon.plant, &error)};
  CHECK(replay.horizon, "%s", error.text);
  run(&replay, DC_OK);
  CHECK(same_executed(whole.horizon, replay.horizon));
  free(parameters);
  dc_horizon_destroy(replay.horizon);
  dc_horizon_destroy(whole.horizon);
  dc_scene_destroy(scene);
}

// A copy in which the first number of an array is another one.
static struct dc_snapshot *damaged(const struct dc_snapshot *snapshot, const char *name, double number)
{
  struct dc_snapshot *copy = dc_snapshot_create();
  struct dc_snapshot_entry entry;
  for (size_t i = 0; dc_snapshot_entry(snapshot, i, &entry); i++) {
    double *reals = entry.reals ? dc_alloc(entry.count, sizeof *reals) : NULL;
    if (reals && entry.count)
      memcpy(reals, entry.reals, entry.count * sizeof *reals);
    if (reals && strcmp(entry.name, name) == 0)
      reals[0] = number;
    CHECK((reals ? dc_snapshot_put_reals(copy, entry.name, entry.count, reals)
                 : dc_snapshot_put_integers(copy, entry.name, entry.count, entry.integers)) == DC_OK);
    free(reals);
  }
  return copy;
}

// A number of a checkpoint that cannot be is refused.
static void test_damage(void)
{
  static const struct {
    const char *name;
    double number;
    enum dc_status status;
  } cases[] = {{"horizon/plant/numbers", 0, DC_CHECKPOINT},      {"horizon/plant/numbers", -0.01, DC_CHECKPOINT},
               {"horizon/plant/numbers", NAN, DC_CHECKPOINT},    {"horizon/plant/numbers", 1, DC_CHECKPOINT},
               {"horizon/plant/numbers", 0.01, DC_OK},           {"horizon/plant/q_before", INFINITY, DC_CHECKPOINT},
               {"horizon/plant/q_before", 1e200, DC_CHECKPOINT}, {"horizon/plant/start", NAN, DC_CHECKPOINT}};
  struct dc_scene *scene = read_scene(harder);
  struct recorder first = {.horizon = create(scene), .stop_at = 7, .snapshot = dc_snapshot_create()};
  run(&first, DC_STOPPED);
  CHECK(first.horizon->executed->steps > 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct dc_error error = {0};
    struct dc_receding_horizon *second = create(scene);
    struct dc_snapshot *snapshot = damaged(first.snapshot, cases[i].name, cases[i].number);
    CHECK(dc_horizon_load(second, snapshot, &error) == cases[i].status, "%s %g: %s", cases[i].name, cases[i].number,
          error.text);
    dc_snapshot_destroy(snapshot);
    dc_horizon_destroy(second);
  }
  dc_horizon_destroy(first.horizon);
  dc_snapshot_destroy(first.snapshot);
  dc_scene_destroy(scene);
}

static double farthest_moved, smallest_start_gap;

// The start of a window is feasible; neither gravity nor friction nor actuators led there: contact moves box and rod
// along the ground by opposite impulses, and it lies between the plant's frame and the one that was foreseen.
static void look_at_start(const struct dc_receding_horizon *horizon)
{
  const struct dc_trajectory *executed = horizon->executed;
  const struct dc_bodies *bodies = &horizon->model->bodies;
  struct dc_plan_start start = dc_horizon_plant_start(horizon);
  struct dc_contact *contact = dc_rollout_contact(horizon->plan->rollout);
  struct dc_pose poses[3];
  const struct dc_pose *plant = executed->poses + (size_t)executed->steps * 3;
  dc_poses(bodies, start.q, poses);
  int pair;
  double depth, shift[2] = {0};
  CHECK(!dc_contact_overlap(contact, poses, &pair, &depth), "step %d", executed->steps);
  struct dc_pair_derivatives derivatives[3];
  CHECK(dc_contact_pair_count(contact) == 3);
  dc_contact_reset(contact);
  CHECK(isfinite(dc_contact_evaluate(contact, poses, 0, derivatives)));
  smallest_start_gap = fmin(smallest_start_gap, dc_contact_min_gap(contact));
  for (int axis = 0; axis < 2; axis++)
    for (int b = BOX; b <= ROD; b++) {
      shift[axis] += mass[b] * (poses[b].position[axis] - plant[b].position[axis]);
      farthest_moved = larger(farthest_moved, fabs(poses[b].position[axis] - plant[b].position[axis]));
    }
  // 2e-16 observed; 1e-3 and more where friction acts
  CHECK(fabs(shift[0]) < 1e-9 && fabs(shift[1]) < 1e-9, "step %d: %g, %g kg m", executed->steps, shift[0], shift[1]);
  CHECK(poses[ROD].position[2] > plant[ROD].position[2] - 1e-9, "the rod sank by %g m",
        plant[ROD].position[2] - poses[ROD].position[2]);
  CHECK(start.q_before == NULL &&
        memcmp(start.velocity, executed->velocity + (size_t)executed->steps * (size_t)bodies->nv,
               (size_t)bodies->nv * sizeof(double)) == 0);
}

static void check_start(const char *text)
{
  struct dc_scene *scene = read_scene(text);
  struct recorder recorder = {.horizon = create(scene), .look = look_at_start};
  farthest_moved = 0;
  smallest_start_gap = INFINITY;
  run(&recorder, DC_OK);
  CHECK(farthest_moved > 1e-6, "%g m", farthest_moved);  // the bodies met
  CHECK(smallest_start_gap > 1e-5, "%g m", smallest_start_gap);
  dc_horizon_destroy(recorder.horizon);
  dc_scene_destroy(scene);
}

// Targets are on the way from one step's to the next, velocities held; what is executed is the rollout of the plant's
// own model with these, bit for bit, and its velocity that of the last of the plant's steps.
static void test_targets(void)
{
  struct dc_scene *scene = read_scene(harder);
  struct dc_error error = {0};
  const struct dc_model *plant = &scene->plant.model;
  int actuators = scene->model.bodies.actuator_count, nv = scene->model.bodies.nv, nq = scene->model.bodies.nq;
  enum { COARSE = 3, FINE = 4 * COARSE };
  struct dc_rollout_input *input = dc_rollout_input_create(&scene->model, COARSE),
                          *fine = dc_rollout_input_create(plant, FINE);
  struct dc_trajectory *executed = dc_record_create(&scene->model, COARSE), *expected = dc_record_create(plant, FINE);
  struct dc_rollout *rollout = dc_rollout_create(plant, &error);
  CHECK(dc_record_add_velocity(executed, COARSE) == DC_OK);
  for (int t = 0; t < COARSE; t++)
    for (int i = 0; i < actuators; i++) {
      double before = t ? input->target_position[(t - 1) * actuators + i] : 0;
      input->target_position[t * actuators + i] = before + 0.01 * (i - 2) * (t + 1);
      input->target_velocity[t * actuators + i] = 0.1 * (i - 2);
      for (int s = 0; s < 4; s++) {
        double end = input->target_position[t * actuators + i], part = (s + 1) / 4.0;
        fine->target_position[(4 * t + s) * actuators + i] = s == 3 ? end : (1 - part) * before + part * end;
        fine->target_velocity[(4 * t + s) * actuators + i] = 0.1 * (i - 2);
      }
    }
  struct dc_execution *execution = dc_execution_create(&scene->plant, COARSE, &error);
  CHECK(execution && dc_execution_begin(execution, input, COARSE, executed, &error) == DC_OK, "%s", error.text);
  CHECK(dc_rollout_forward(rollout, fine, expected, &error) == DC_OK, "%s", error.text);
  for (int t = 0; t <= COARSE; t++)
    CHECK(memcmp(executed->q + t * nq, expected->q + 4 * t * nq, (size_t)nq * sizeof(double)) == 0, "step %d", t);
  double gap = dc_trajectory_gap(expected, 5, 8), velocity[12];
  CHECK(nv == 12 && executed->min_gap[2] == gap && executed->newton_iterations[0] > expected->newton_iterations[0]);
  dc_state_difference(&plant->bodies, expected->q + 7 * nq, expected->q + 8 * nq, velocity);
  for (int i = 0; i < nv; i++)
    CHECK_NEAR(executed->velocity[2 * nv + i], velocity[i] / 0.01, 1e-12);  // 0 observed

  // In two pieces: the targets before go on, and so does the plant.
  struct dc_trajectory *pieces = dc_record_create(&scene->model, COARSE);
  CHECK(dc_record_add_velocity(pieces, COARSE) == DC_OK);
  CHECK(dc_execution_begin(execution, input, 1, pieces, &error) == DC_OK, "%s", error.text);
  double q_before[14];
  struct dc_plan_start start = dc_execution_end(execution);
  CHECK(nq == 14);
  memcpy(q_before, start.q_before, sizeof q_before);
  start = (struct dc_plan_start){pieces->q + nq, pieces->velocity + nv, q_before, start.before_length, NULL};
  CHECK_NEAR(start.before_length, 0.01, 1e-15);
  double first_targets[12];
  memcpy(first_targets, input->target_position, (size_t)actuators * sizeof(double));
  memmove(input->target_position, input->target_position + actuators, 2 * (size_t)actuators * sizeof(double));
  CHECK(dc_execution_run(execution, input, &start, first_targets, 2, pieces, &error) == DC_OK, "%s", error.text);
  for (int i = 0; i < nq; i++)
    CHECK_NEAR(pieces->q[COARSE * nq + i], executed->q[COARSE * nq + i], 1e-9);  // 6e-20 observed
  dc_trajectory_destroy(pieces);
  dc_execution_destroy(execution);
  dc_rollout_destroy(rollout);
  dc_rollout_input_destroy(input);
  dc_rollout_input_destroy(fine);
  dc_trajectory_destroy(executed);
  dc_trajectory_destroy(expected);
  dc_scene_destroy(scene);
}

// Foreseen by a trial is what then happens: of a run of one window that is applied whole.
static void check_trial(const char *text)
{
  struct dc_scene *scene = read_scene(text);
  scene->horizon.apply = scene->horizon.length;
  scene->model.definition.time.steps = scene->horizon.length;
  struct recorder recorder = {.horizon = create(scene)};
  struct dc_receding_horizon *asked = create(scene);
  bool reached;
  dc_horizon_set_start(asked);
  double first = dc_horizon_trial(asked, asked->parameters, INFINITY, &reached);
  CHECK(isfinite(first) && !reached);
  CHECK_NEAR(dc_horizon_trial(asked, asked->parameters, INFINITY, &reached), first,
             1e-12);  // trials leave nothing behind
  run(&recorder, DC_OK);
  CHECK(recorder.horizon->loss < first * (1 + 1e-9), "%g, %g", recorder.horizon->loss, first);
  double again = dc_horizon_trial(asked, recorder.horizon->applied, INFINITY, &reached);
  CHECK_NEAR(again, recorder.horizon->loss, 1e-9);
  CHECK(fabs(again - first) > 1e-6, "%g", again - first);
  dc_horizon_destroy(asked);
  dc_horizon_destroy(recorder.horizon);
  dc_scene_destroy(scene);
}

// What is tried first is worse on purpose: a plan that moves nothing is not kept beside one that pushes.
static void test_choice(void)
{
  struct dc_scene *scene = read_scene(tried);
  struct dc_receding_horizon *horizon = create(scene);
  struct dc_error error = {0};
  dc_horizon_set_start(horizon);
  size_t count = (size_t)horizon->plan->parameter_count;
  double *kept = dc_alloc(count, sizeof *kept);
  bool reached;
  double still = dc_horizon_trial(horizon, kept, INFINITY, &reached);
  CHECK(dc_horizon_try(horizon, kept, &error) == DC_OK, "%s", error.text);
  double chosen = dc_horizon_trial(horizon, kept, INFINITY, &reached);
  CHECK(chosen < still * (1 - 1e-3), "%g, %g", chosen, still);
  CHECK(chosen <= dc_horizon_trial(horizon, horizon->parameters, INFINITY, &reached) * (1 + 1e-3) &&
        !horizon->foreseen);
  // Of first guesses the one that is best in the plant.
  memset(horizon->parameters, 0, count * sizeof *kept);
  CHECK(dc_horizon_explore(horizon, &error) == DC_OK, "%s", error.text);
  double after = dc_horizon_trial(horizon, horizon->parameters, INFINITY, &reached);
  CHECK(after < still * (1 - 1e-3), "%g, %g", after, still);
  free(kept);
  dc_horizon_destroy(horizon);
  dc_scene_destroy(scene);
}

// Rollouts of the planning world that looking for a first guess takes.
static long guesses_planned(const char *text)
{
  struct dc_scene *scene = read_scene(text);
  struct dc_receding_horizon *horizon = create(scene);
  struct dc_error error = {0};
  dc_horizon_set_start(horizon);
  long before = horizon->plan->work.rollouts;
  CHECK(dc_horizon_explore(horizon, &error) == DC_OK, "%s", error.text);
  long count = horizon->plan->work.rollouts - before;
  dc_horizon_destroy(horizon);
  dc_scene_destroy(scene);
  return count;
}

static void test_trials(void)
{
  CHECK(guesses_planned(tried) > 1);  // a plant of ours is no cheaper
  check_trial(tried);
  check_resume(tried);
  // Without a plant nothing is tried.
  struct dc_scene *alone = read_scene(tried_alone), *none = read_scene(tried_alone);
  none->horizon.trials = false;
  CHECK(alone->horizon.trials);
  struct recorder a = {.horizon = create(alone)}, b = {.horizon = create(none)};
  run(&a, DC_OK);
  run(&b, DC_OK);
  CHECK(same_executed(a.horizon, b.horizon));
  dc_horizon_destroy(a.horizon);
  dc_horizon_destroy(b.horizon);
  dc_scene_destroy(alone);
  dc_scene_destroy(none);
}

// A trial with several factors is the worst of those with one; of them the plant's own is found.
static void test_friction(void)
{
  struct dc_scene *scene = read_scene(unsure);
  struct dc_real_list *factors = &scene->horizon.trial_friction;
  double *given = factors->values, worst = 0, losses[3];
  bool reached;
  struct recorder recorder = {.horizon = create(scene)};
  for (int f = 0; f < 3; f++) {
    scene->horizon.trial_friction = (struct dc_real_list){1, given + f};
    struct dc_receding_horizon *one = create(scene);
    dc_horizon_set_start(one);
    losses[f] = dc_horizon_trial(one, one->parameters, INFINITY, &reached);
    worst = larger(worst, losses[f]);
    dc_horizon_destroy(one);
    CHECK(dc_horizon_factor_counts(recorder.horizon, f), "%d", f);
  }
  CHECK(fabs(losses[0] - losses[1]) > 1e-4 && fabs(losses[1] - losses[2]) > 1e-4, "%g, %g, %g", losses[0], losses[1],
        losses[2]);
  dc_horizon_set_start(recorder.horizon);
  CHECK_NEAR(dc_horizon_trial(recorder.horizon, recorder.horizon->parameters, INFINITY, &reached), worst, 1e-12);
  CHECK(dc_horizon_trial(recorder.horizon, recorder.horizon->parameters, 0, &reached) >= losses[0] * (1 - 1e-12));
  run(&recorder, DC_OK);
  for (int f = 0; f < 3; f++)
    CHECK(dc_horizon_factor_counts(recorder.horizon, f) == (f == 1), "%d", f);
  dc_horizon_destroy(recorder.horizon);
  dc_scene_destroy(scene);
  check_resume(unsure);
}

static void test_starts(void)
{
  check_start(harder);
}

static void test_resume(void)
{
  check_resume(harder);
  check_resume(ipc);
}

static void test_soft_plant(void)
{
  if (!dc_mujoco_version())
    SKIP("built without MuJoCo");
  CHECK(guesses_planned(tried_softly) == 1);
  check_start(soft);
  check_resume(soft);
  check_trial(tried_softly);
  check_resume(tried_softly);
}

RUN_TESTS({"a plant that is the planning world changes nothing", test_same_world},
          {"targets are interpolated over the plant's steps", test_targets},
          {"windows start beside the plant, where nothing overlaps", test_starts},
          {"stopped, resumed and replayed bit for bit", test_resume},
          {"a trial foresees what the plant does", test_trials}, {"the best of what was tried is applied", test_choice},
          {"of friction that is not known the worst counts", test_friction},
          {"the same where contact is soft", test_soft_plant}, {"damaged checkpoints are refused", test_damage})
