// SPDX-License-Identifier: Apache-2.0
// Teams of plans that roll out samples side by side (worker.h), with an early end.
//
// The caller's plan is worker 0.  Samples are dealt by index; with `enough`, samples behind the first good one are left
// out or broken off, and whatever was computed for them is ignored, so that nothing depends on the number of threads.
#include "plan/plan_cases.h"
#include "plan/worker.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "plan/crew.h"

struct dc_plan *dc_plan_hire(const struct dc_plan *plan, struct dc_error *error)
{
  return dc_plan_create(plan->model, plan->task, plan->sizes.steps, error);
}

// A worker for losses alone, with a fraction of the memory.
static struct dc_plan *hire_forward(const struct dc_plan *plan, struct dc_error *error)
{
  return dc_plan_create_forward(plan->model, plan->task, plan->sizes.steps, false, error);
}

// Gives a worker the present window, start, state, scales and request to stop of a plan.  Pointers of the start stay
// the plan's.
void dc_plan_follow(struct dc_plan *worker, const struct dc_plan *plan)
{
  dc_plan_set_window(worker, plan->window.first, plan->window.steps);
  worker->start = plan->start;
  worker->scaled.stiffness = plan->scaled.stiffness;
  worker->scaled.far_field = plan->scaled.far_field;
  worker->descent.most_iterations = plan->descent.most_iterations;
  memcpy(worker->state, plan->state, (size_t)plan->sizes.state * sizeof *plan->state);
  worker->work = (struct dc_plan_work){0};
  dc_plan_set_cancel(worker, plan->cancel);
}

// Hires plans for threads, as many as wanted and memory allows; the first one is the plan itself.
static enum dc_status create(struct dc_plan *plan, int wanted,
                             struct dc_plan *(*hire)(const struct dc_plan *, struct dc_error *),
                             struct dc_plan_team *team, struct dc_error *error)
{
  struct dc_error none = {0};
  *team = (struct dc_plan_team){.plans = dc_alloc((size_t)wanted, sizeof(struct dc_plan *))};
  if (!team->plans)
    return dc_out_of_memory_for(error, "plans");
  team->plans[team->count++] = plan;
  while (team->count < wanted) {
    struct dc_plan *worker = hire(plan, &none);
    if (!worker)
      break;
    dc_plan_follow(worker, plan);
    team->plans[team->count++] = worker;
  }
  return DC_OK;
}

enum dc_status dc_plan_team_create(struct dc_plan *plan, int wanted, struct dc_plan_team *team, struct dc_error *error)
{
  return create(plan, wanted, dc_plan_hire, team, error);
}

enum dc_status dc_plan_team_create_forward(struct dc_plan *plan, int wanted, struct dc_plan_team *team,
                                           struct dc_error *error)
{
  return create(plan, wanted, hire_forward, team, error);
}

void dc_plan_team_release(struct dc_plan_team *team)
{
  for (int i = 1; i < team->count; i++)
    dc_plan_destroy(team->plans[i]);
  free(team->plans);
  *team = (struct dc_plan_team){0};
}

// One call of dc_plan_team_sample.
struct sampling {
  struct dc_plan_team *team;
  struct dc_plan_sample *samples;
  int stride;  // every stride-th sample is rolled out here, the others by other ranks
  double enough;
  bool keep;  // every plan keeps the lowest of its rollouts
  atomic_int reached;  // index of a sample whose loss is at most enough: later ones are skipped or broken off
};

static bool is_enough(const struct dc_plan_sample *sample, double enough)
{
  return !sample->status && sample->loss <= enough;
}

// A sample under rollout; it becomes needless when an earlier one is good enough.
struct rolled {
  const struct sampling *sampling;
  int number;
};

static bool is_needed(void *context)
{
  const struct rolled *rolled = context;
  return rolled->number <= atomic_load(&rolled->sampling->reached);
}

// One sample on this thread's plan; samples beyond the first that reached `enough` are passed over.  The loop at the
// end lowers `reached` to this number, unless another thread has lowered it further.
static void sample_pass(void *context, int index, int thread)
{
  struct sampling *sampling = context;
  struct dc_plan *plan = sampling->team->plans[thread];
  int number = index * sampling->stride;
  struct dc_plan_sample *sample = &sampling->samples[number];
  int first = atomic_load(&sampling->reached);
  plan->work = (struct dc_plan_work){0};
  if (number > first)
    return;
  struct rolled rolled = {sampling, number};
  dc_rollout_set_proceed(plan->rollout, is_needed, &rolled);
  sample->status = dc_plan_evaluate(plan, sample->parameters, &sample->loss, sample->gradient, &sample->error);
  dc_rollout_set_proceed(plan->rollout, NULL, NULL);
  if (sample->status == DC_STOPPED)  // the trajectory ends where it was stopped
    plan->trajectory->steps = plan->window.steps;
  sample->work = plan->work;
  if (sampling->keep && !sample->status)
    dc_plan_keep(plan, number, sample->loss);
  while (number < first && is_enough(sample, sampling->enough) &&
         !atomic_compare_exchange_weak(&sampling->reached, &first, number))
    ;
}

// Number of samples rolled out at a time.  With `enough`, samples after the first may turn out to be needless: they
// only get cores that no other program uses.
static int most_threads(const struct dc_plan_team *team, int threads, double enough)
{
  int most = threads > 0 && threads < team->count ? threads : team->count, free = dc_threads_with_cores();
  return isfinite(enough) && free < most ? free : most;
}

// Rolls out samples up to the first that is good enough; returns their number.  Every thread has rolled out at least
// these; the rest is discarded, so that nothing depends on the number of threads.
static int sample_until(struct dc_plan_team *team, int count, struct dc_plan_sample *samples, int threads,
                        double enough, bool keep)
{
  struct dc_plan *plan = team->plans[0];
  struct dc_plan_work work = plan->work;
  double start = dc_seconds();
  struct sampling sampling = {
      team,   samples, plan->helpers.crew ? dc_plan_crew_deal(plan->helpers.crew, plan, count, samples) : 1,
      enough, keep,    count};
  int here = (count + sampling.stride - 1) / sampling.stride, until = 0;
  dc_loop_run(sample_pass, &sampling, here, most_threads(team, threads, enough), NULL);
  if (sampling.stride > 1)
    dc_plan_crew_collect(plan->helpers.crew, plan, count, samples);
  while (until < count && !is_enough(&samples[until], enough))
    until++;
  plan->work = work;
  plan->work.seconds += dc_seconds() - start;
  return until < count ? until + 1 : count;
}

void dc_plan_team_sample(struct dc_plan_team *team, int count, struct dc_plan_sample *samples, int threads)
{
  sample_until(team, count, samples, threads, -INFINITY, false);
}

static void destroy_team(void *team)
{
  dc_plan_team_release(team);
  free(team);
}

// Creates the plan's own team, in its present window.
static enum dc_status gather(struct dc_plan *plan, int count, struct dc_error *error)
{
  int threads = dc_threads();
  struct dc_plan_team *team = plan->helpers.team.object;
  if (!team || team->count < (count < threads ? count : threads)) {
    dc_plan_drop(&plan->helpers.team);
    if (!(team = dc_alloc(1, sizeof *team)))
      return dc_out_of_memory_for(error, "plans");
    int wanted = count < threads ? count : threads;
    enum dc_status status = plan->descent.problem.linearize ? dc_plan_team_create(plan, wanted, team, error)
                                                            : dc_plan_team_create_forward(plan, wanted, team, error);
    plan->helpers.team = (struct dc_plan_property){team, destroy_team};
    if (status)
      return status;
  }
  for (int i = 1; i < team->count; i++)
    dc_plan_follow(team->plans[i], plan);
  return DC_OK;
}

// Takes over the rollout that another plan of the team has kept, by exchanging trajectories.
static void take_kept(struct dc_plan *plan, struct dc_plan *from)
{
  struct dc_trajectory *trajectory = plan->kept.trajectory;
  plan->kept.trajectory = from->kept.trajectory;
  from->kept.trajectory = trajectory;
  plan->kept.sample = from->kept.sample;
}

// Rolls out for losses alone; only the trajectory of the lowest may be kept.
static int sample_losses(struct dc_plan_team *team, int count, struct dc_plan_sample *samples, double enough)
{
  struct dc_plan *plan = team->plans[0];
  bool keep = plan->descent.problem.linearize != NULL;
  for (int i = 0; i < team->count; i++) {
    if (keep)
      dc_plan_keep_none(team->plans[i]);
    dc_plan_set_gapless(team->plans[i], true);
  }
  int until = sample_until(team, count, samples, 0, enough, keep), lowest = -1;
  dc_plan_set_gapless(plan, false);  // the other plans do nothing else
  for (int i = 0; i < until && keep; i++)
    if (!samples[i].status && (lowest < 0 || samples[i].loss < samples[lowest].loss))
      lowest = i;
  if (lowest >= 0) {
    plan->kept.known = true;
    memcpy(plan->kept.parameters, samples[lowest].parameters,
           (size_t)plan->parameter_count * sizeof *plan->kept.parameters);
  }
  for (int i = 1; i < team->count && lowest >= 0; i++)
    if (team->plans[i]->kept.sample == lowest)
      take_kept(plan, team->plans[i]);
  if (plan->kept.sample != lowest)
    plan->kept.sample = -1;
  return until;
}

// Losses of `*count` points, by threads; *count becomes the number up to the first that is good enough.
enum dc_status dc_plan_values_until(struct dc_plan *plan, int *count, const double *xs, double enough, double *losses,
                                    enum dc_status *statuses, struct dc_error *error)
{
  struct dc_plan_sample *samples = dc_alloc((size_t)*count, sizeof *samples);
  enum dc_status status = samples ? gather(plan, *count, error) : dc_out_of_memory_for(error, "rollouts");
  for (int i = 0; i < *count && !status; i++)
    samples[i].parameters = xs + (size_t)i * (size_t)plan->parameter_count;
  if (!status)
    *count = sample_losses(plan->helpers.team.object, *count, samples, enough);
  plan->succeeded = false;  // which sample it holds depends on the threads; what is counted later must not
  for (int i = 0; i < *count && !status; i++) {
    losses[i] = samples[i].loss;
    statuses[i] = samples[i].status;
    dc_plan_add_work(&plan->work, &samples[i].work);
    if (statuses[i] && !dc_point_has_no_value(statuses[i]))
      status = dc_fail(error, statuses[i], "%s", samples[i].error.text);
  }
  free(samples);
  return status;
}

enum dc_status dc_plan_values(struct dc_plan *plan, int count, const double *xs, double *losses,
                              enum dc_status *statuses, struct dc_error *error)
{
  return dc_plan_values_until(plan, &count, xs, -INFINITY, losses, statuses, error);
}
