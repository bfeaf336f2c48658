// SPDX-License-Identifier: Apache-2.0
// Commands that advice on a run gives (advise_run.c), and trials of those that change how to search.
//
// A command is that of the run with a few values changed: another rate, a portfolio, other windows, or a race.  Where
// the run was cheap the change is tried in this process before it is given, others after it, and a race of methods
// last.
#include "commands/advise_try.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "commands/constants.h"

enum { USUAL_WINDOW = 20 };  // steps that see contact pay

// The number of the optimizer's option, or NAN when it has none of that name.
static double optimizer_number(const struct dc_scene *scene, const char *name)
{
  const struct dc_option *table = scene->optimizer->options;
  int option = dc_option_find(table, name);
  if (option < 0 || table[option].type != DC_REAL || table[option].count)
    return NAN;
  return *(const double *)((const char *)scene->optimizer_options + table[option].offset);
}

// Puts a command line to try into the advice: dcsim optimize with the session's scene, its options and the changes.
void dc_try_it(const struct session *session, struct dc_advice *advice, const struct dc_attempt *attempt)
{
  dc_advice_try(advice, "optimize", session->scene, session->options, attempt);
}

// Advises one change of a number, with three digits.
void dc_try_number(const struct session *session, struct dc_advice *advice, const char *path, double value)
{
  struct dc_attempt attempt = {0};
  dc_attempt_set(&attempt, "%s=%.3g", path, value);
  dc_try_it(session, advice, &attempt);
}

// The same for a whole number.
void dc_try_whole(const struct session *session, struct dc_advice *advice, const char *path, long value)
{
  struct dc_attempt attempt = {0};
  dc_attempt_set(&attempt, "%s=%ld", path, value);
  dc_try_it(session, advice, &attempt);
}

// Advises a race of methods in one piece, in the place of optimizer and windows.
static void try_race(const struct session *session, struct dc_advice *advice)
{
  struct dc_attempt attempt = {0};
  dc_attempt_set(&attempt, "optimizer=null");
  if (session->horizon)
    dc_attempt_set(&attempt, "horizon=null");
  if (!session->search && session->scene->scene->task.control_count)
    dc_try_it(session, advice, &attempt);
}

// Whether the length of the optimizer's steps is its rate times that of the gradient, but could be the rate alone.
static bool scales_gradient(const struct dc_scene *scene)
{
  const struct dc_option *table = scene->optimizer->options;
  int option = dc_option_find(table, "normalize");
  return option >= 0 && !*(const bool *)((const char *)scene->optimizer_options + table[option].offset);
}

// Advises steps of a length that does not depend on the gradient: the default rate for each parameter.
// A normalized step has the length of the rate over all n parameters together, so that rate √n moves each of them by
// about the rate.
static void try_normalized(const struct session *session, struct dc_advice *advice, double rate)
{
  struct dc_attempt attempt = {0};
  dc_attempt_set(&attempt, "optimizer.normalize=true");
  dc_attempt_set(&attempt, "optimizer.learning_rate=%.3g", rate * sqrt(session->plan->parameter_count));
  dc_try_it(session, advice, &attempt);
}

// Advises a rate multiplied by factor, of an optimizer that has none a race.  A rate that is to be raised becomes at
// least the optimizer's default, and where it is a factor on the gradient the length of the steps.
void dc_try_rate(const struct session *session, struct dc_advice *advice, double factor)
{
  const struct dc_option *table = session->scene->scene->optimizer->options;
  double rate = optimizer_number(session->scene->scene, "learning_rate") * factor;
  double usual = isnan(rate) ? NAN : strtod(table[dc_option_find(table, "learning_rate")].fallback, NULL);
  if (factor > 1 && !isnan(rate))
    rate = fmax(rate, usual);
  if (factor > 1 && scales_gradient(session->scene->scene))
    try_normalized(session, advice, usual);
  else if (!isnan(rate))
    dc_try_number(session, advice, "optimizer.learning_rate", rate);
  else
    try_race(session, advice);
}

// Advises the optimizer's default rate in the place of a larger one, else a tenth of it.
void dc_try_default_rate(const struct session *session, struct dc_advice *advice)
{
  const struct dc_option *table = session->scene->scene->optimizer->options;
  double rate = optimizer_number(session->scene->scene, "learning_rate"),
         usual = isnan(rate) ? NAN : strtod(table[dc_option_find(table, "learning_rate")].fallback, NULL);
  dc_try_rate(session, advice, rate > usual ? usual / rate : 0.1);
}

// Advises windows long enough to see contact pay, that explore; where they are and do, twice as long, or none.
void dc_try_windows(const struct session *session, struct dc_advice *advice)
{
  const struct dc_scene *scene = session->scene->scene;
  struct dc_attempt attempt = {0};
  long steps = scene->definition.time.steps, length = scene->horizon.length;
  long usual = steps < USUAL_WINDOW ? steps : USUAL_WINDOW;
  if (length < usual)
    dc_attempt_set(&attempt, "horizon.length=%ld", usual);
  if (scene->horizon.explore == 0)
    dc_attempt_set(&attempt, "horizon.explore=1");
  if (attempt.count == 0 && 2 * length < steps)
    dc_attempt_set(&attempt, "horizon.length=%ld", 2 * length);
  if (attempt.count > 0)
    dc_try_it(session, advice, &attempt);
  else
    try_race(session, advice);
}

// Advises a portfolio: initial guesses from elsewhere.  Runs that search already, or have no controls to draw,
// get no command.
void dc_try_search(const struct session *session, struct dc_advice *advice)
{
  struct dc_attempt attempt = {0};
  dc_attempt_set(&attempt, "portfolio={}");
  if (!session->horizon && !session->search && session->scene->scene->task.control_count)
    dc_try_it(session, advice, &attempt);
}

// Whether an attempt reaches the task within so many seconds, or a loss below DC_TRIED_HELPFUL times what the run ended
// with.
static bool helps(const struct session *session, const struct dc_attempt *attempt, double seconds, double before,
                  double *loss, bool *reached)
{
  return dc_advice_run(session, attempt, seconds, loss, reached) && (*reached || *loss < DC_TRIED_HELPFUL * before);
}

// Other attempts, by what often helps: rates and a portfolio, or longer windows, then a race of methods.
enum { MOST_OTHERS = 7 };
// Settings to be tried for a run that did not get there, the most likely first: other rates by powers of ten, a
// portfolio, a longer window where a horizon is short, and last the scene without an optimizer, which then chooses one
// itself.
static int list_others(const struct session *session, struct dc_attempt others[MOST_OTHERS])
{
  static const double factors[] = {10, 0.1, 100, 0.01, 1000};
  const struct dc_scene *scene = session->scene->scene;
  double rate = optimizer_number(scene, "learning_rate"), steps = (double)scene->definition.time.steps;
  int count = 0;
  memset(others, 0, MOST_OTHERS * sizeof *others);
  if (session->search || !scene->task.control_count)
    return 0;
  for (size_t k = 0; k < sizeof factors / sizeof *factors && !session->horizon && !isnan(rate); k++)
    dc_attempt_set(&others[count++], "optimizer.learning_rate=%.3g", factors[k] * rate);
  if (!session->horizon)
    dc_attempt_set(&others[count++], "portfolio={}");
  else if ((double)scene->horizon.length < fmin(USUAL_WINDOW, steps))
    dc_attempt_set(&others[count++], "horizon.length=%.0f", fmin(USUAL_WINDOW, steps));
  dc_attempt_set(&others[count], "optimizer=null");
  if (session->horizon)
    dc_attempt_set(&others[count], "horizon=null");
  return count + 1;
}

// Whether an attempt changes settings of how to search, and no more.
static bool is_setting(const struct dc_attempt *attempt)
{
  static const char *const paths[] = {"optimizer.", "horizon.", "portfolio="};
  bool all = attempt->count > 0 && !attempt->control;
  for (int i = 0; i < attempt->count; i++) {
    bool setting = false;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
      setting = setting || strncmp(attempt->changes[i], paths[k], strlen(paths[k])) == 0;
    all = all && setting;
  }
  return all;
}

// Tries a setting that is advised where a run takes a second at most, and others in its place where it does not help.
// A trial may take twice as long as the run did, and after twice that no other one begins but the last, a race of
// methods: who waits for a run of a tenth of a second does not wait for ten seconds of advice.
// A setting that does not help is not advised, but a race, which may need longer than that.  A race is advised, too,
// where the loss is flat and nothing can be tried: a longer step alone may be as flat.  Changes of the world are not
// tried: they change the task, or the cost of a run.
void dc_try_advice(struct session *session, const dcsim_result *result, struct dc_advice_list *list)
{
  struct dc_advice *advice = &list->items[list->count - 1];
  struct dc_attempt others[MOST_OTHERS];
  const struct dc_attempt *best = &advice->changes;
  double loss, before = session->horizon ? result->loss : session->best_loss;
  bool reached;
  if (!advice->attempt[0] || !is_setting(&advice->changes))
    return;
  if (result->seconds > DC_TRIED_SECONDS || session->options->ranks || !session->scene->words) {
    if (strcmp(advice->symptom, "flat") == 0 && !session->horizon)
      try_race(session, advice);
    return;
  }
  double began = dc_seconds(), seconds = fmax(DC_TRIED_LEAST, 2 * result->seconds);
  bool found = helps(session, best, seconds, before, &loss, &reached);
  int count = list_others(session, others);
  for (int k = 0; k < count && !found; k++) {
    if (k < count - 1 && dc_seconds() - began > 2 * seconds)
      continue;
    found = helps(session, &others[k], seconds, before, &loss, &reached);
    best = &others[k];
  }
  char *cause = strstr(advice->says, ": steps are too");
  if (cause && best != &advice->changes)  // what helped, or did not, is not the remedy of that
    *cause = '\0';
  size_t used = strlen(advice->says);
  if (found) {
    snprintf(advice->says + used, sizeof advice->says - used, "; tried below: %s, loss %.3g",
             reached ? "reached" : "not reached yet", loss);
    dc_try_it(session, advice, best);
  } else {
    snprintf(advice->says + used, sizeof advice->says - used,
             "; tried for a moment, and of no help: other settings; a race of methods may need longer");
    advice->attempt[0] = '\0';
    try_race(session, advice);
  }
}
