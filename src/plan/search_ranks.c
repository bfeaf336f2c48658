// SPDX-License-Identifier: Apache-2.0
// Turns of members on other ranks.
//
// Rank 0 keeps every member as the numbers of a checkpoint.  For a turn it sends these to a rank, which creates the
// member from them, takes the turn, and answers with the numbers after it.  Thus a turn has the same bits wherever it
// is taken, and rank 0 alone can save the search or continue with other ranks.  A rank keeps its members: one that
// returns with the numbers it left with is not created anew, which would take up to three rollouts.  On rank 0 such a
// member has no trajectories; they are rolled out when it takes a turn there again.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/crew.h"
#include "plan/search_internal.h"
#include "plan/worker.h"

// A message: the place of the search, then for every member its description, first guess and snapshot.
struct place {
  int64_t stage, round, count;
};
struct errand {
  int64_t index, own, pace, stiffer, fresh, kept;  // kept: its first linearization needs no rollout of its own
};
// An answer: for every member, in the same order, this, the parameters of its last row, and its snapshot.
struct outcome {
  int64_t status, moved, fresh, iteration, newton_iterations, best, backed_off;
  double loss, gradient_norm, min_gap, best_loss;
};
static const char PREFIX[] = "member/";

struct dc_search_helper {
  struct dc_search_scene scene;
  struct dc_plan *plan;
  struct dc_search *search;
  // the message that rank 0 will send for a member whose next turn is taken here
  struct dc_buffer left[DC_SEARCH_MEMBERS];
};

static enum dc_status no_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "members of a search on ranks");
}

// Whether the next linearization finds its rollout done.
static bool is_fresh(const struct dc_plan *plan)
{
  return plan->succeeded && plan->descent.running &&
         memcmp(plan->evaluated, dc_minimization_current(plan->descent.running),
                (size_t)plan->parameter_count * sizeof *plan->evaluated) == 0;
}

static enum dc_status write_plan(const struct dc_plan *plan, struct dc_buffer *message)
{
  struct dc_snapshot *snapshot = dc_snapshot_create();
  enum dc_status status = snapshot ? dc_plan_save_as(plan, PREFIX, snapshot) : DC_MEMORY;
  if (!status)
    status = dc_snapshot_write(snapshot, message);
  dc_snapshot_destroy(snapshot);
  return status;
}

// Loads a plan with its trajectories, or only its numbers.
static enum dc_status read_plan(struct dc_plan *plan, const struct dc_buffer *message, size_t *at, bool trajectories,
                                struct dc_error *error)
{
  struct dc_snapshot *snapshot = dc_snapshot_create();
  enum dc_status status = snapshot ? dc_snapshot_read(snapshot, message, at) : DC_MEMORY;
  if (status)
    dc_fail(error, status, status == DC_MEMORY ? "out of memory for a member" : "a member that is cut off");
  else
    status = (trajectories ? dc_plan_load_as : dc_plan_load_numbers_as)(plan, PREFIX, snapshot, error);
  dc_snapshot_destroy(snapshot);
  return status;
}

// Resets counts between turns, as the search does, except those on which the following depends.
void dc_search_clear_counts(struct dc_plan *member)
{
  member->work = (struct dc_plan_work){0};
  member->guess.counts = (struct dc_first_guess_counts){0};
  member->estimate.counts.one_sided = member->estimate.counts.dropped = 0;
}

// The description of a member, its first guess [parameters], and its numbers.  Its plan may be on this rank or away;
// numbers are here in either case.
static enum dc_status write_errand(const struct dc_search *search, int index, struct dc_buffer *message)
{
  const struct dc_search_member *member = &search->members[index];
  const struct dc_plan *plan = member->plan;
  const struct errand errand = {.index = index,
                                .own = member->own,
                                .pace = member->pace,
                                .stiffer = member->stiffer,
                                .fresh = member->away ? member->fresh : is_fresh(plan),
                                .kept = plan->kept.known && plan->descent.running &&
                                        !dc_minimization_begun(plan->descent.running)};
  bool added = dc_buffer_append(message, &errand, sizeof errand) &&
               dc_buffer_append(message, plan->parameters, (size_t)plan->parameter_count * sizeof *plan->parameters);
  return added ? write_plan(plan, message) : DC_MEMORY;
}

// Sends the turns of live members rank, rank + ranks, ...
static enum dc_status send_turns(const struct dc_search *search, const int *live, int count, int rank, int ranks,
                                 struct dc_buffer *message, struct dc_error *error)
{
  const struct place place = {search->stage, search->round, (count - rank - 1) / ranks + 1};
  message->size = 0;
  enum dc_status status = dc_buffer_append(message, &place, sizeof place) ? DC_OK : DC_MEMORY;
  for (int k = rank; k < count && !status; k += ranks)
    status = write_errand(search, live[k], message);
  return status ? no_memory(error) : dc_plan_crew_send(search->plan->helpers.crew, rank, message, error);
}

// Reads the outcome of a member's turn from another rank.
static enum dc_status read_outcome(struct dc_search_member *member, const struct dc_buffer *answer, size_t *at,
                                   struct dc_error *error)
{
  struct outcome outcome;
  struct dc_plan *plan = member->plan;
  size_t bytes = (size_t)plan->parameter_count * sizeof *member->row;
  const void *part = dc_buffer_take(answer, at, sizeof outcome), *row = dc_buffer_take(answer, at, bytes);
  if (!part || !row)
    return dc_fail(error, DC_USAGE, "an answer that is cut off");
  memcpy(&outcome, part, sizeof outcome);
  memcpy(member->row, row, bytes);
  enum dc_status status = read_plan(plan, answer, at, false, error);
  plan->descent.best_loss = outcome.best_loss;
  member->away = true;
  member->fresh = outcome.fresh != 0;
  member->status = (enum dc_status)outcome.status;
  member->moved = outcome.moved != 0;
  member->last = (struct dc_plan_iteration){.iteration = (int)outcome.iteration,
                                            .loss = outcome.loss,
                                            .gradient_norm = outcome.gradient_norm,
                                            .min_gap = outcome.min_gap,
                                            .newton_iterations = (long)outcome.newton_iterations,
                                            .best = outcome.best != 0,
                                            .backed_off = (int)outcome.backed_off,
                                            .parameter_count = plan->parameter_count,
                                            .parameters = member->row};
  return status;
}

// Waits for all ranks, even after a failure.
static enum dc_status collect_turns(struct dc_search *search, const int *live, int count, int ranks,
                                    struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (int missing = ranks - 1; missing > 0; missing--) {
    struct dc_error local = {0};
    const struct dc_buffer *answer;
    int rank;
    size_t at;
    enum dc_status found = dc_plan_crew_answer(search->plan->helpers.crew, &rank, &answer, &at, &local);
    for (int k = rank; k < count && !found; k += ranks)
      found = read_outcome(&search->members[live[k]], answer, &at, &local);
    if (found && !status)
      status = dc_fail(error, found, "%s", local.text);
    if (found == DC_MEMORY)
      break;
  }
  return status;
}

// Restores the trajectories of a member that was on another rank.
static enum dc_status bring_home(struct dc_search_member *member, struct dc_error *error)
{
  struct dc_buffer message = {0};
  size_t at = 0;
  if (!member->away)
    return DC_OK;
  enum dc_status status = write_plan(member->plan, &message);
  status = status ? no_memory(error) : read_plan(member->plan, &message, &at, true, error);
  member->plan->succeeded &= member->fresh;
  member->away = false;
  dc_buffer_release(&message);
  return status;
}

// Chooses between dealing whole members to ranks and sharing the candidates of each.  A turn of a fan is a
// linearization, which one rank computes alone (about three rollouts), and some eight candidates, which can be shared.
// Members are dealt where that takes less time than all ranks working on one member after the other.  The results are
// the same.
enum { ALONE = 3, TOGETHER = 8 };
// Turns side by side or one by one on all ranks, whichever takes less by rough times of a turn.
static int ranks_for(const struct dc_search *search, int count)
{
  int ranks = dc_plan_crew_ranks(search->plan->helpers.crew), shared = count < ranks ? count : ranks;
  int most = (count + shared - 1) / shared;  // members per rank
  double side_by_side = most * (ALONE + TOGETHER), one_by_one = count * (ALONE + (double)TOGETHER / ranks);
  return shared > 1 && side_by_side < one_by_one ? shared : 1;
}

// One turn of all members: those of other ranks are sent, own ones taken, then outcomes are read in the order of
// members.
enum dc_status dc_search_take_turns(struct dc_search *search, const int *live, int count, struct dc_error *error)
{
  struct dc_plan_crew *crew = search->plan->helpers.crew;
  struct dc_buffer message = {0};
  // members of a race share their rollouts, one after the other
  int ranks = search->race ? 1 : ranks_for(search, count), own[DC_SEARCH_MEMBERS], here = 0, sent = 1;
  enum dc_status status = DC_OK;
  for (int rank = 1; rank < ranks && !status; rank++) {
    status = send_turns(search, live, count, rank, ranks, &message, error);
    sent += !status;
  }
  dc_buffer_release(&message);
  for (int k = 0; k < count && !status; k += ranks) {
    struct dc_search_member *member = &search->members[live[k]];
    status = bring_home(member, error);
    member->plan->helpers.crew = ranks > 1 || member->elsewhere ? NULL : crew;
    own[here++] = live[k];
  }
  if (!status)
    dc_search_run_turns(search, own, here);
  struct dc_error local = {0};
  enum dc_status collected = collect_turns(search, live, count, sent, &local);
  return status || !collected ? status : dc_fail(error, collected, "%s", local.text);
}

// A rank other than 0 creates the search from the scene, so that messages need not hold it.
static enum dc_status make_search(struct dc_search_helper *helper, struct dc_error *error)
{
  const struct dc_search_scene *scene = &helper->scene;
  helper->plan = dc_plan_create(scene->model, scene->task, scene->steps, error);
  if (!helper->plan)
    return error->status;
  dc_plan_set_gradient(helper->plan, scene->gradient);
  helper->plan->guess.settings = *scene->first_guess;
  helper->search = dc_search_create(helper->plan, scene->settings, scene->optimizer, scene->options,
                                    helper->plan->parameters, error);
  return helper->search ? DC_OK : error->status;
}

// Sets stage and round of the search; members of another one are released.
static enum dc_status set_place(struct dc_search_helper *helper, const struct place *place, struct dc_error *error)
{
  enum dc_status status = helper->search ? DC_OK : make_search(helper, error);
  struct dc_search *search = helper->search;
  if (status)
    return status;
  if (place->stage < 0 || place->stage >= search->stage_count || place->count < 1 || place->count > DC_SEARCH_MEMBERS)
    return dc_fail(error, DC_USAGE, "members of another search");
  search->round = (int)place->round;
  if (search->world && search->stage == place->stage)
    return DC_OK;
  for (int i = 0; i < DC_SEARCH_MEMBERS; i++)
    helper->left[i].size = 0;
  dc_search_close_world(search);
  search->stage = (int)place->stage;
  search->stages[search->stage].begun = true;
  return dc_search_open_stage(search, error);
}

// Reads a member to be continued.  If its bytes are those that this rank wrote after the member's last turn, its plan
// is here and as it should be.  Otherwise it is created from the message, with its trajectories rolled out.
static enum dc_status read_errand(struct dc_search_helper *helper, const struct dc_buffer *message, size_t *at,
                                  int *index, struct dc_error *error)
{
  struct dc_search *search = helper->search;
  struct errand errand;
  size_t begin = *at, bytes = (size_t)search->world->parameter_count * sizeof(double);
  const void *part = dc_buffer_take(message, at, sizeof errand);
  const double *first_guess = dc_buffer_take(message, at, bytes);
  if (part)
    memcpy(&errand, part, sizeof errand);
  if (!part || !first_guess || errand.index < 0 || errand.index >= DC_SEARCH_MEMBERS)
    return dc_fail(error, DC_USAGE, "members that are cut off");
  *index = (int)errand.index;
  struct dc_search_member *member = &search->members[*index];
  const struct dc_buffer *left = &helper->left[*index];
  if (member->plan && left->size && left->size <= message->size - begin &&
      memcmp(left->bytes, message->bytes + begin, left->size) == 0) {
    *at = begin + left->size;
    return DC_OK;
  }
  dc_search_release_member(member);
  enum dc_status status =
      dc_search_make_member(search, *index, errand.own != 0, (int)errand.pace, errand.stiffer != 0, first_guess, error);
  if (!status)
    status = read_plan(member->plan, message, at, true, error);
  if (!status)
    member->plan->succeeded &= errand.fresh != 0;
  if (!status && errand.kept)
    dc_plan_keep_of(member->plan, helper->plan, first_guess);
  return status;
}

// Writes the outcome of a turn for rank 0, and notes in `left` the message that will bring the member back here, if
// nothing happens to it meanwhile.
static enum dc_status write_outcome(struct dc_search_helper *helper, int index, struct dc_buffer *answer)
{
  struct dc_search *search = helper->search;
  struct dc_search_member *member = &search->members[index];
  struct dc_plan *plan = member->plan;
  const struct dc_plan_iteration *last = &member->last;
  const struct outcome outcome = {.status = member->status,
                                  .moved = member->moved,
                                  .fresh = is_fresh(plan),
                                  .iteration = last->iteration,
                                  .newton_iterations = last->newton_iterations,
                                  .best = last->best,
                                  .backed_off = last->backed_off,
                                  .loss = last->loss,
                                  .gradient_norm = last->gradient_norm,
                                  .min_gap = last->min_gap,
                                  .best_loss = plan->descent.best_loss};
  const double *row = member->moved ? last->parameters : plan->parameters;
  struct dc_buffer *left = &helper->left[index];
  bool added = dc_buffer_append(answer, &outcome, sizeof outcome) &&
               dc_buffer_append(answer, row, (size_t)plan->parameter_count * sizeof *row);
  enum dc_status status = added ? write_plan(plan, answer) : DC_MEMORY;
  if (status)
    return status;
  dc_search_clear_counts(plan);
  left->size = 0;
  return write_errand(search, index, left);
}

// Answers a message of rank 0: takes the turns of its members and writes their outcomes.
enum dc_status dc_search_help(void *context, const struct dc_buffer *message, size_t at, struct dc_buffer *answer,
                              struct dc_error *error)
{
  struct dc_search_helper *helper = context;
  struct place place;
  int live[DC_SEARCH_MEMBERS];
  const void *part = dc_buffer_take(message, &at, sizeof place);
  if (!part)
    return dc_fail(error, DC_USAGE, "members that are cut off");
  memcpy(&place, part, sizeof place);
  enum dc_status status = set_place(helper, &place, error);
  for (int k = 0; k < place.count && !status; k++)
    status = read_errand(helper, message, &at, &live[k], error);
  if (status)
    return status;
  struct dc_search *search = helper->search;
  dc_search_run_turns(search, live, (int)place.count);
  for (int k = 0; k < place.count && !status; k++) {
    const struct dc_search_member *member = &search->members[live[k]];
    if (member->status && !dc_point_has_no_value(member->status))
      return dc_fail(error, member->status, "%s", member->error.text);
    status = write_outcome(helper, live[k], answer);
  }
  return status ? no_memory(error) : DC_OK;
}

struct dc_search_helper *dc_search_helper_create(const struct dc_search_scene *scene)
{
  struct dc_search_helper *helper = calloc(1, sizeof *helper);
  if (helper)
    helper->scene = *scene;
  return helper;
}

void dc_search_helper_destroy(struct dc_search_helper *helper)
{
  if (!helper)
    return;
  dc_search_destroy(helper->search);
  dc_plan_destroy(helper->plan);
  for (int i = 0; i < DC_SEARCH_MEMBERS; i++)
    dc_buffer_release(&helper->left[i]);
  free(helper);
}
