// SPDX-License-Identifier: Apache-2.0
// A certificate in words and as JSON, and whether what the scene demands holds.
//
// Every finding is one line and one JSON entry with an answer: yes, no, or none where nothing could be found out.  The
// scene's "certify" makes findings demands; a demand holds with a yes only, so that a check that was left out never
// passes.  The command's exit status follows from the demands alone: bad news that nobody demanded is told and no more.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "commands/verify.h"

// Findings go to text and json at once, so that the two say the same.
struct sayer {
  const struct dc_verification *v;
  struct dc_text *text;
  struct dc_json_writer *json;
  struct dc_text unmet;  // names of what is demanded and does not hold
  bool holds;
};

static const double USUAL_ERROR = 1e-6;  // relative, of gradients, where the scene demands no other
enum {
  LABEL = 20,  // width of the first column
  LINE = 700   // longest finding in words, with names of bodies
};

static enum dc_answer yes_or_no(bool holds)
{
  return holds ? DC_ANSWER_YES : DC_ANSWER_NO;
}

// An answer as JSON: true, false, or null where nothing could be found out.
static void put_answer(struct dc_json_writer *json, const char *key, enum dc_answer answer)
{
  if (answer == DC_ANSWER_NONE)
    dc_json_put_raw(json, key, "null");
  else
    dc_json_put_boolean(json, key, answer == DC_ANSWER_YES);
}

// One verdict: what it is of, whether it is good news, in words.  What the scene demands holds with a yes only.
static void say(struct sayer *sayer, const char *item, bool demanded, enum dc_answer answer, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// One line of a certificate: a promise, what was found, and whether it was demanded. Demands that do not hold are
// collected, because they decide the exit status and end the summary.
static void say(struct sayer *sayer, const char *item, bool demanded, enum dc_answer answer, const char *format, ...)
{
  char line[LINE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  bool unmet = demanded && answer != DC_ANSWER_YES;
  dc_text_add(sayer->text, "%-*s %s%s\n", LABEL, item, line,
              unmet      ? " (demanded: DOES NOT HOLD)"
              : demanded ? " (demanded)"
                         : "");
  dc_json_begin(sayer->json, NULL, '{');
  dc_json_put_string(sayer->json, "item", item);
  dc_json_put_string(sayer->json, "words", line);
  put_answer(sayer->json, "holds", answer);
  dc_json_put_boolean(sayer->json, "demanded", demanded);
  dc_json_end(sayer->json, "}");
  if (!unmet)
    return;
  dc_text_add(&sayer->unmet, "%s%s", sayer->holds ? "" : ", ", item);
  sayer->holds = false;
}

// Findings of no body in particular have index -1.
static const char *body_name(const struct sayer *sayer, int body)
{
  return body < 0 ? "?" : sayer->v->scene->model.bodies.bodies[body].name;
}

// Whether the stored controls give the stored frames again; if not, where the two part first.
static void say_reproduction(struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  bool asked = sayer->v->scene->certify.reproduced;
  if (found->reproduced)
    say(sayer, "reproduced", asked, DC_ANSWER_YES, "yes: the controls reproduce %d frames bit for bit", found->frames);
  else if (found->reproduction_note[0])
    say(sayer, "reproduced", asked, DC_ANSWER_NO, "no: %s", found->reproduction_note);
  else if (found->body < 0)
    say(sayer, "reproduced", asked, DC_ANSWER_NO, "no: the gap of frame %d differs", found->frame);
  else
    say(sayer, "reproduced", asked, DC_ANSWER_NO,
        "no: from frame %d on bodies are elsewhere, first %s, up to %.3g m away", found->frame,
        body_name(sayer, found->body), found->deviation);
}

// Certainly apart everywhere: nothing overlaps, and no state and no way between two is in doubt.
static bool is_clear(const struct dc_geometry_check *check)
{
  return !check->overlapping && !check->undecided && !check->uncertain;
}

// Whether bodies are certainly apart at all states and between them.  Overlap is told before doubt: a separation
// below zero is a fact, an undecided one is not.
static void say_geometry(struct sayer *sayer)
{
  const struct dc_geometry_check *check = &sayer->v->found.geometry;
  bool asked = sayer->v->scene->certify.geometry;
  if (is_clear(check))
    say(sayer, "geometry", asked, DC_ANSWER_YES, "clear: certainly apart at %d states and on the %d ways between them",
        check->states, check->intervals);
  else if (!isnan(check->separation) && check->separation <= 0)
    say(sayer, "geometry", asked, DC_ANSWER_NO,
        "bodies meet at %d of %d states, first at step %d: %s and %s, %.3g m deep; %d of %d ways are not certain",
        check->overlapping, check->states, check->step, body_name(sayer, check->a), body_name(sayer, check->b),
        -check->separation, check->uncertain, check->intervals);
  else
    say(sayer, "geometry", asked, DC_ANSWER_NO,
        "not certain at %d of %d states and on %d of %d ways, first at step %d: %s and %s", check->undecided,
        check->states, check->uncertain, check->intervals, check->step, body_name(sayer, check->a),
        body_name(sayer, check->b));
}

// Whether each step is a minimum to the tolerance; residuals are told in units of it.
static void say_residuals(struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  bool asked = sayer->v->scene->certify.converged;
  if (found->residual_note[0])
    say(sayer, "residuals", asked, DC_ANSWER_NONE, "not known: %s", found->residual_note);
  else if (found->unconverged)
    say(sayer, "residuals", asked, DC_ANSWER_NO,
        "%d of %d steps are not solved; the largest residual, of step %d, is %.3g times the tolerance",
        found->unconverged, sayer->v->judged->steps, found->residual_step, found->residual);
  else
    say(sayer, "residuals", asked, DC_ANSWER_YES,
        "every step is solved; the largest residual, of step %d, is %.2g of what is allowed", found->residual_step,
        found->residual);
}

// How well the adjoint agrees with differences.  Directions along which no smooth neighbourhood was found (straddling)
// are left out: steps divide in another way nearby, and a difference across that means nothing.
static void say_gradient(struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  double most = sayer->v->scene->certify.gradient;
  bool asked = !isnan(most);
  if (found->gradient_note[0])
    say(sayer, "gradient", asked, DC_ANSWER_NONE, "not checked: %s", found->gradient_note);
  else
    say(sayer, "gradient", asked, yes_or_no(found->gradient_error <= (asked ? most : USUAL_ERROR)),
        "the adjoint agrees with differences to %.1e along %d of %d random directions%s", found->gradient_error,
        found->directions - found->straddling, found->directions,
        found->gradient_at_first_guess ? ", at the first guess: at the controls it is zero" : "");
}

// The body with the largest share, of those that get a notable part of all impulses.
// Bodies with less than 1 % of all impulses are left out: a body that is hardly touched easily has a share of 100 %.
// Returns the body's index, or -1 if none gets a notable part from afar; *share lies between 0 and 1.
static int worst_body(const struct dc_findings *found, const struct dc_bodies *bodies, double *share)
{
  double all = 0;
  int worst = -1;
  *share = 0;
  for (int i = 0; i < bodies->count; i++)
    all += dc_gains_impulses(bodies, i) ? found->near[i] + found->far[i] : 0;
  for (int i = 0; i < bodies->count; i++) {
    double sum = found->near[i] + found->far[i];
    if (!dc_gains_impulses(bodies, i) || sum <= 0.01 * all || found->far[i] / sum <= *share)
      continue;
    *share = found->far[i] / sum;
    worst = i;
  }
  return worst;
}

// Impulses from beyond 1 % of a body's size: the price of a far field, as a share of all impulses.
static void say_phantom(struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  double most = sayer->v->scene->certify.phantom, share;
  bool asked = !isnan(most);
  if (found->phantom_note[0]) {
    say(sayer, "phantom impulses", asked, DC_ANSWER_NONE, "not known: %s", found->phantom_note);
    return;
  }
  enum dc_answer answer = asked ? yes_or_no(found->phantom <= most) : DC_ANSWER_NONE;
  int worst = worst_body(found, &sayer->v->scene->model.bodies, &share);
  char most_of_them[350] = "";
  if (worst >= 0)
    snprintf(most_of_them, sizeof most_of_them, "; most on %s, %.3g %%", body_name(sayer, worst), 100 * share);
  say(sayer, "phantom impulses", asked, answer,
      "%.3g %% of all impulses come from farther than 1 %% of a body's size, %.3g %% of those between bodies that "
      "move%s",
      100 * found->phantom, 100 * found->phantom_between, most_of_them);
}

// How often the task is reached open loop from starts that differ a little.
static void say_perturbed(struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  double least = sayer->v->scene->certify.perturbed;
  bool asked = !isnan(least), tried = found->reachable && found->draws > 0;
  if (!tried)
    say(sayer, "perturbed starts", asked, DC_ANSWER_NONE, "not tried: %s",
        found->reachable ? "no draws were asked for" : "there is nothing to reach");
  else
    say(sayer, "perturbed starts", asked, asked ? yes_or_no(found->hits >= least * found->draws) : DC_ANSWER_NONE,
        "reached from %d of %d starts (1 mm, 0.01 rad; 1 %% of velocities, masses and friction), open loop%s",
        found->hits, found->draws, found->failed ? "; some could not be rolled out to the end" : "");
}

// Told only when tried; nothing demands it.
static void say_perturbed_loops(struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  if (found->closed_draws)
    say(sayer, "perturbed loops", false, DC_ANSWER_NONE, "reached from %d of %d of these starts, closed loop",
        found->closed_hits, found->closed_draws);
}

static const char *answer_words(enum dc_answer answer)
{
  return answer == DC_ANSWER_YES ? "reached" : answer == DC_ANSWER_NO ? "not reached" : "not tried";
}

// Whether the scene demands that the plan works in this world; the worlds' table has the place of the answer in
// certify.
static bool is_asked(const struct sayer *sayer, int world)
{
  return *(const bool *)((const char *)&sayer->v->scene->certify + dc_worlds[world].asked);
}

// One line for each world, with the better of both answers: closed loop may reach what open loop does not.
// The comparison of enum values relies on their order: none < no < yes.
static void say_worlds(struct sayer *sayer)
{
  for (int i = 0; dc_worlds[i].name; i++) {
    const struct dc_world_finding *finding = &sayer->v->found.worlds[i];
    enum dc_answer answer = finding->open > finding->closed ? finding->open : finding->closed;
    char closed[64] = "", note[300] = "";
    if (finding->closed != DC_ANSWER_NONE)
      snprintf(closed, sizeof closed, ", closed loop %s", answer_words(finding->closed));
    if (finding->note[0])
      snprintf(note, sizeof note, " (%s)", finding->note);
    if (!sayer->v->found.reachable)
      snprintf(note, sizeof note, " (there is nothing to reach)");
    bool plant = i == 0 && sayer->v->resolved->scene->plant_given;
    say(sayer, dc_worlds[i].name, is_asked(sayer, i), answer, "%s: open loop %s%s%s",
        plant ? "in its plant" : dc_worlds[i].about, answer_words(finding->open), closed, note);
  }
}

// The judgement of the motion: states that overlap, intervals that may cross, and the first place where one does.
static void put_geometry(const struct sayer *sayer)
{
  const struct dc_geometry_check *check = &sayer->v->found.geometry;
  struct dc_json_writer *json = sayer->json;
  dc_json_begin(json, "geometry", '{');
  DC_JSON_NUMBERS(json, {"states", check->states}, {"overlapping", check->overlapping}, {"undecided", check->undecided},
                  {"intervals", check->intervals}, {"uncertain", check->uncertain});
  if (check->step >= 0) {
    dc_json_put_integer(json, "step", check->step);
    if (check->a >= 0) {
      dc_json_begin(json, "bodies", '[');
      dc_json_put_string(json, NULL, body_name(sayer, check->a));
      dc_json_put_string(json, NULL, body_name(sayer, check->b));
      dc_json_end(json, "]");
    }
    dc_json_put_number(json, "separation", check->separation);
  }
  dc_json_end(json, "}");
}

// Adjoint and differences along each direction.  A difference that straddles a kink has no slope to compare with.
static void put_gradient(const struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  struct dc_json_writer *json = sayer->json;
  dc_json_begin(json, "gradient", '[');
  for (int d = 0; d < found->directions; d++) {
    const struct dc_gradient_difference *slope = &found->slopes[d];
    dc_json_begin(json, NULL, '{');
    DC_JSON_NUMBERS(json, {"adjoint", slope->adjoint}, {"finite_difference", slope->difference},
                    {"relative_error", slope->relative_error}, {"step", slope->step}, {"spread", slope->spread});
    dc_json_put_boolean(json, "straddles", slope->straddles);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// For each body the part of its impulses that came from bodies that did not touch it; 0 where it got none at all.
static void put_phantom(const struct sayer *sayer)
{
  const struct dc_findings *found = &sayer->v->found;
  const struct dc_bodies *bodies = &sayer->v->scene->model.bodies;
  dc_json_begin(sayer->json, "phantom", '{');
  for (int i = 0; i < bodies->count && !found->phantom_note[0]; i++) {
    double sum = found->near[i] + found->far[i];
    if (dc_gains_impulses(bodies, i))
      dc_json_put_number(sayer->json, bodies->bodies[i].name, sum > 0 ? found->far[i] / sum : 0);
  }
  dc_json_end(sayer->json, "}");
}

// Each world in open and in closed loop, with a note where it was not asked or could not be.
static void put_worlds(const struct sayer *sayer)
{
  struct dc_json_writer *json = sayer->json;
  dc_json_begin(json, "worlds", '{');
  for (int i = 0; dc_worlds[i].name; i++) {
    const struct dc_world_finding *finding = &sayer->v->found.worlds[i];
    dc_json_begin(json, dc_worlds[i].name, '{');
    put_answer(json, "open", finding->open);
    put_answer(json, "closed", finding->closed);
    if (finding->note[0])
      dc_json_put_string(json, "note", finding->note);
    if (finding->closed_note[0])
      dc_json_put_string(json, "closed_note", finding->closed_note);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "}");
}

// All findings as numbers, whether demanded or not, for programs that judge certificates themselves.
// The trajectory's hash ties the certificate to the file that it judges: a certificate whose hash is another one
// belongs to an older trajectory and is not shown.  Numbers that are not known are written as null.
static void put_numbers(const struct sayer *sayer)
{
  const struct dc_verification *v = sayer->v;
  const struct dc_findings *found = &v->found;
  struct dc_json_writer *json = sayer->json;
  char hash[32];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)v->hash);
  dc_json_put_string(json, "format", "dcsim certificate 1");
  dc_json_put_string(json, "version", dcsim_version());
  dc_json_put_string(json, "trajectory", hash);
  dc_json_put_integer(json, "seed", (long)v->options->seed);
  dc_json_put_boolean(json, "quick", v->options->quick != 0);
  dc_json_put_boolean(json, "reproduced", found->reproduced);
  dc_json_put_number(json, "deviation", found->reproduction_note[0] ? NAN : found->deviation);
  dc_json_put_integer(json, "crossings",
                      found->geometry.overlapping + found->geometry.undecided + found->geometry.uncertain);
  put_geometry(sayer);
  dc_json_put_number(json, "gradient_error", found->gradient_error);
  put_gradient(sayer);
  DC_JSON_NUMBERS(json, {"largest_residual", found->residual}, {"largest_residual_step", found->residual_step},
                  {"unconverged_steps", found->unconverged}, {"phantom_share", found->phantom},
                  {"phantom_share_between", found->phantom_between});
  put_phantom(sayer);
  dc_json_begin(json, "perturbed", '{');
  DC_JSON_NUMBERS(json, {"draws", found->draws}, {"reached", found->hits}, {"failed", found->failed},
                  {"closed_draws", found->closed_draws}, {"closed_reached", found->closed_hits});
  dc_json_end(json, "}");
  put_worlds(sayer);
}

// Numbers first, then the lines, then the verdict; true: all demands hold.
bool dc_verify_describe(const struct dc_verification *v, struct dc_text *text, struct dc_json_writer *json)
{
  struct sayer sayer = {.v = v, .text = text, .json = json, .holds = true};
  dc_json_begin(json, NULL, '{');
  put_numbers(&sayer);
  dc_json_begin(json, "lines", '[');
  say_reproduction(&sayer);
  say_geometry(&sayer);
  say_residuals(&sayer);
  say_gradient(&sayer);
  say_phantom(&sayer);
  say_perturbed(&sayer);
  say_perturbed_loops(&sayer);
  say_worlds(&sayer);
  dc_json_end(json, "]");
  char verdict[LINE] = "the requirements of the scene are met";
  if (!sayer.holds)
    snprintf(verdict, sizeof verdict, "requirements of the scene that are not met: %s",
             sayer.unmet.bytes ? sayer.unmet.bytes : "");
  dc_text_add(text, "%s\n", verdict);
  dc_json_put_string(json, "verdict", verdict);
  dc_json_put_boolean(json, "holds", sayer.holds);
  dc_json_end(json, "}");
  dc_text_free(&sayer.unmet);
  return sayer.holds;
}
