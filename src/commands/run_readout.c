// SPDX-License-Identifier: Apache-2.0
// Forces, speeds and contacts of a run's best trajectory, from its states and the input that drove it: of a plan its
// own input, of a receding horizon one that is joined of the targets that its windows applied.
#include <stdlib.h>
#include <string.h>

#include "commands/session.h"

// Makes the input of a whole run of windows: the start and the controls that were applied.  The plan's own
// input is that of the last window.
static enum dc_status whole_input(struct session *session, const struct outcome *outcome,
                                  struct dc_rollout_input **input)
{
  const struct dc_receding_horizon *h = session->horizon;
  struct dc_window whole = {.steps = outcome->best->steps, .time_step = h->model->definition.time.step};
  double *state = dc_alloc((size_t)dc_task_state_size(h->task, h->model), sizeof *state);
  *input = dc_rollout_input_create(h->model, whole.steps);
  if (state && *input) {
    dc_task_start(h->task, h->model, state);
    dc_rollout_input_reset(h->model, *input);
    dc_task_apply(h->task, h->model, &whole, state, outcome->best_parameters, *input);
  }
  bool done = state && *input;
  free(state);
  return done ? DC_OK : dc_out_of_memory_for(&session->error, "the controls of a run");
}

// Whether two worlds have the same settings of contact, bit for bit; the list of what was chosen automatically does
// not count.
static bool same_contact(const struct dc_contact_settings *one, const struct dc_contact_settings *other)
{
  struct dc_contact_settings a = *one, b = *other;
  a.automatic = b.automatic = (struct dc_string_list){0};
  return memcmp(&a, &b, sizeof a) == 0;
}

// Whether frames come from another potential than that of the plan: from a plant that differs from the plan's
// world, or from a stepper with contacts of its own.
static bool frames_are_foreign(const struct session *session, const struct outcome *outcome)
{
  const struct dc_model_definition *mine = &outcome->model->definition;
  const struct dc_plant *plant = session->horizon ? session->horizon->horizon.plant : NULL;
  if (outcome->plan->execution || (mine->contact_model->flags & DC_CONTACT_FOREIGN))
    return true;
  return plant &&
         (plant->substeps != 1 || plant->instead || plant->model.definition.contact_model != mine->contact_model ||
          !same_contact(&plant->model.definition.contact, &mine->contact));
}

// A zeroed readout may be freed, too.
void dc_session_free_readout(struct readout *readout)
{
  dc_extremes_free(&readout->extremes);
  dc_contact_list_free(&readout->contacts);
  dc_rollout_input_destroy(readout->whole);
}

// Computes the drives of the best trajectory and the contacts in it.  Contacts come from our own potential:
// they are unknown for foreign frames, and not computed where nobody asks.  Too many, or a failure but for
// memory, leave them out.
enum dc_status dc_session_read_out(struct session *session, struct outcome *outcome, bool asked,
                                  struct readout *readout)
{
  enum { MOST_CONTACTS = 200000 };
  struct dc_error why = {0};
  enum dc_status status = session->horizon ? whole_input(session, outcome, &readout->whole) : DC_OK;
  if (status)
    return status;
  readout->input = readout->whole ? *readout->whole : *outcome->input;
  if (outcome->targets.position) {  // of all windows
    readout->input.target_position = (double *)outcome->targets.position;
    readout->input.target_velocity = (double *)outcome->targets.velocity;
  }
  status = dc_extremes_find(&readout->extremes, outcome->model, &readout->input, outcome->best, &session->error);
  if (status)
    return status;
  outcome->extremes = &readout->extremes;
  if (!asked || frames_are_foreign(session, outcome))
    return DC_OK;
  status = dc_trajectory_list_contacts(outcome->plan->rollout, &readout->input, outcome->best, MOST_CONTACTS,
                                       &readout->contacts, &why);
  if (status == DC_MEMORY)
    return dc_fail(&session->error, status, "%s", why.text);
  outcome->contacts = status ? NULL : &readout->contacts;
  return DC_OK;
}
