// SPDX-License-Identifier: Apache-2.0
// Steps that hold the promise that nothing passes through anything (docs/theory.md, "Divided steps").
//
// The minimization of a step moves bodies along paths that cross nothing, but these are not the motion.  Newton's
// iterates may walk around an obstacle and come to rest behind it, where the potential is lower, and the straight
// motion from frame to frame goes through it.  So the straight motion itself is checked, from the solution back to the
// beginning; where it is not clear free bodies may have gone along arcs to the same end.  The interval is halved and
// solved again, down to 2^-divisions of the step, where the motion may cross something, where an element is inverted at
// the end, or where there is no solution.  It is halved, too, where soft bodies of second order hit something faster
// than it resolves.  Intervals grow again by a factor of two at a time, at places that are multiples of their length:
//
//     |---------------| solved, but crosses: halved        |-------|-------| ... |---|-|-|---|-------|
//
// A collision therefore costs a number of solutions in proportion to the logarithm of the division it needs.
//
// A body on joints that tips over an edge goes along an arc, from which a straight motion departs by the square of its
// length.  As long as it tips, longer intervals would fail: an interval does not grow where the motion over the last
// one and as long before it, whose ends are known, would cross something.
#include <math.h>
#include <string.h>

#include "dynamics/stepper.h"

// A scene that accepts what does not converge gets it at this division; until then dividing mostly helps.  A step that
// fails more often than this would take minutes.
enum { LEAST_ACCEPTED = 6, MOST_FAILURES = 10000 };

// Nodes that forces of second order have thrown so many radii of their body a step, which no division takes back, end
// the run after so many divisions.
static const double MOST_THROWN = 10;
enum { SURELY_DIVIDED = 14 };

// Where a step has come to, in units of 2^-DC_MOST_DIVISIONS of it.
struct progress {
  long begin, size;
  bool continuation;
  int failures;
};
static const long WHOLE = 1L << DC_MOST_DIVISIONS;

static double part_of_step(long units)
{
  return (double)units / (double)WHOLE;
}

static int divisions(long size)
{
  int count = 0;
  while (size << count < WHOLE)
    count++;
  return count;
}

// Sizes are whole numbers of the smallest part, so that parts add up to the step without rounding.
static struct dc_step_interval interval_of(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                           int step, struct progress progress)
{
  double h = rollout->model->definition.time.step, length = h * part_of_step(progress.size);
  return (struct dc_step_interval){.step = step,
                                   .length = length,
                                   .ratio = length / rollout->before_length,
                                   .remaining = h * part_of_step(WHOLE - progress.begin - progress.size),
                                   .starts = step == 0 && progress.begin == 0 && !input->q_before,
                                   .continuation = progress.continuation};
}

// Whether a motion between the ends of an interval crosses nothing; contact was evaluated last at q_next, so
// that it is followed backwards.
static enum dc_status check_motion(struct dc_rollout *rollout, const double *q, const double *q_next,
                                   struct dc_error *error)
{
  dc_state_difference(&rollout->model->bodies, q_next, q, rollout->newton.step);
  dc_path_begin(&rollout->path, q_next, rollout->newton.step, &rollout->next);
  return dc_step_check_path(rollout, error);
}

// Solves an interval; DC_NUMERICAL when the solution cannot be used.
static enum dc_status try_interval(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                   struct progress progress, int step, const double *q, double *q_next,
                                   struct dc_pair_derivatives *pairs, struct dc_step_report *report,
                                   struct dc_error *error)
{
  const struct dc_step_settings *solver = &rollout->model->definition.solver;
  struct dc_step_interval interval = interval_of(rollout, input, step, progress);
  enum dc_status status = dc_step_solve(rollout, input, &interval, q, q_next, pairs, report, error);
  if (status)
    return status;
  int division = divisions(progress.size);
  bool last = division >= LEAST_ACCEPTED || division >= solver->divisions;
  if (!report->converged && !(solver->accept_unconverged && last))
    return dc_fail(error, DC_NUMERICAL, "no convergence within %d Newton iterations (%.3g times the tolerance is left)",
                   report->iterations, report->residual);
  if (rollout->nodes.past && division < solver->divisions) {
    struct dc_step_state state = dc_step_state_of(rollout, input, interval, rollout->q_before, q, q_next);
    if (!dc_nodes_resolved(&state))
      return dc_fail(error, DC_NUMERICAL, "an impact of a soft body is not resolved");
  }
  status = dc_soft_check_elements(&rollout->model->bodies, q_next, error);
  return status ? status : check_motion(rollout, q, q_next, error);
}

// Adds the report of an interval to that of its step.
static void add_report(struct dc_step_report *sum, const struct dc_step_report *part, bool accepted)
{
  sum->iterations += part->iterations;
  sum->evaluations += part->evaluations;
  sum->regularized |= part->regularized;
  if (!accepted)
    return;
  sum->converged &= part->converged;
  sum->residual = fmax(sum->residual, part->residual);
  sum->min_gap = fmin(sum->min_gap, part->min_gap);
}

// Whether a motion over the last interval of a step, to q, and as long before it would cross something: one
// interval in their place would fail.  Contact was evaluated last at q.
static bool longer_would_cross(struct dc_rollout *rollout, const struct dc_trajectory *trajectory, int step,
                               const struct progress *last, const double *q)
{
  double begin = part_of_step(last->begin - last->size), at;
  for (int k = 0; k < dc_trajectory_substeps(trajectory, step); k++) {
    struct dc_error ignored = {0};
    const double *state = dc_trajectory_state(trajectory, step, k, &at);
    if (at != begin)
      continue;
    dc_kinematics_update(&rollout->model->bodies, q, &rollout->next);
    return check_motion(rollout, state, q, &ignored) == DC_NUMERICAL;
  }
  return false;
}

// The next interval begins where the last one ended.
static void advance(struct progress *progress, bool grow)
{
  progress->begin += progress->size;
  if (grow && progress->begin % (2 * progress->size) == 0)
    progress->size *= 2;
}

// Decides how to go on after an interval whose solution cannot be used.  Where Newton's method does not converge it
// gets a second chance by continuation, which then stays for the rest of the step; otherwise the interval is halved.
static enum dc_status divide(struct dc_rollout *rollout, int step, const struct dc_step_report *part,
                             struct progress *progress, struct dc_error *error)
{
  int division = divisions(progress->size);
  bool again = !part->converged && !progress->continuation;
  if (++progress->failures > MOST_FAILURES) {
    dc_error_append(error, ", %.0f %% into the step, where %d parts had failed", 100 * part_of_step(progress->begin),
                    progress->failures);
    return DC_NUMERICAL;
  }
  if (!again && division >= rollout->model->definition.solver.divisions) {
    double gap = dc_contact_min_gap(rollout->rigid.contact);
    if (division)
      dc_error_append(error, ", even in 1/2^%d of the step", division);
    if (division && isfinite(gap))
      dc_error_append(error, ", at a gap of %.2g m", gap);
    return DC_NUMERICAL;
  }
  double length = rollout->model->definition.time.step * part_of_step(progress->size),
         thrown = !again && division >= SURELY_DIVIDED ? dc_past_throw(rollout, length) : 0;
  if (thrown > MOST_THROWN) {
    dc_error_append(error,
                    ": elastic forces at the end of the interval before throw nodes %.2g radii of their body far in a "
                    "step (second_order); remedy: a shorter time.step, or \"integrator\": \"euler\"",
                    thrown);
    return DC_NUMERICAL;
  }
  if (!again && rollout->asked.alike && dc_trajectory_substeps(rollout->asked.alike, step) == 1)
    return dc_fail(error, DC_STOPPED, "is divided, unlike that of another trajectory");
  progress->continuation |= again;
  if (!again)
    progress->size /= 2;
  // Contact must be as it was at the beginning of the interval.
  return dc_rigid_evaluate(&rollout->rigid, rollout->now.poses, 0, rollout->rigid.spare, error);
}

// DC_NUMERICAL when a step, or the steps so far, have taken more iterations than the caller allows.
static enum dc_status check_work(const struct dc_rollout *rollout, const struct dc_step_report *report,
                                 const struct progress *progress, struct dc_error *error)
{
  const struct dc_rollout_requests *asked = &rollout->asked;
  long iterations = report->iterations;
  bool all = asked->most_in_all && asked->spent + iterations > asked->most_in_all;
  if (!all && !(asked->most_iterations && iterations > asked->most_iterations))
    return DC_OK;
  return dc_fail(error, DC_NUMERICAL, "took %ld Newton iterations, %.2g %% into the step%s", iterations,
                 100 * part_of_step(progress->begin),
                 all ? ", and with the steps before more than is allowed beside the best rollout" : "");
}

// Solves one interval after the other until the step is over.  An interval that fails is divided and tried again; one
// that is solved becomes a state of the trajectory, and the next one begins there, twice as long where that fits.
enum dc_status dc_implicit_step(struct dc_rollout *rollout, const struct dc_rollout_input *input, int step,
                                struct dc_trajectory *trajectory, struct dc_step_report *report, struct dc_error *error)
{
  size_t nq = (size_t)trajectory->nq, bytes = nq * sizeof *trajectory->q;
  const double *q = trajectory->q + (size_t)step * nq;
  double *q_next = trajectory->q + (size_t)(step + 1) * nq;
  struct dc_pair_derivatives *pairs = dc_trajectory_pairs(trajectory, step);
  struct progress progress = {.size = WHOLE};
  *report = (struct dc_step_report){.converged = true, .min_gap = INFINITY};
  while (progress.begin < WHOLE) {
    struct dc_step_report part;
    enum dc_status status = try_interval(rollout, input, progress, step, q, q_next, pairs, &part, error);
    add_report(report, &part, status == DC_OK);
    enum dc_status allowed = check_work(rollout, report, &progress, error);
    if (allowed)
      return allowed;
    if (status == DC_NUMERICAL) {
      status = divide(rollout, step, &part, &progress, error);
      report->evaluations++;
      if (status)
        return status;
      continue;
    }
    if (status)
      return status;
    if (rollout->rigid.memory)
      dc_impact_go_on(rollout, input, interval_of(rollout, input, step, progress), q, q_next);
    memcpy(rollout->q_before, q, bytes);
    rollout->before_length = interval_of(rollout, input, step, progress).length;
    bool ends = progress.begin + progress.size == WHOLE;
    advance(&progress, ends || !longer_would_cross(rollout, trajectory, step, &progress, q_next));
    if (progress.begin == WHOLE)
      break;
    if (dc_trajectory_add_between(trajectory, step, part_of_step(progress.begin), q_next, pairs,
                                  (const double *)rollout->rigid.memory))
      return dc_out_of_memory_for(error, "a divided step");
    q = memcpy(rollout->q_now, q_next, bytes);
  }
  if (dc_trajectory_remember(trajectory, step, (const double *)rollout->rigid.memory))
    return dc_out_of_memory_for(error, "a step");
  return DC_OK;
}
