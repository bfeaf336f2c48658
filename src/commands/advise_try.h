// SPDX-License-Identifier: Apache-2.0
// Commands that advice on a run gives, and trials of them (advise_try.c).  Private to src/commands.
#ifndef DC_COMMANDS_ADVISE_TRY_H
#define DC_COMMANDS_ADVISE_TRY_H

#include "commands/advice.h"

// Puts a command line to try into the advice: dcsim optimize with the session's scene, its options and the changes.
void dc_try_it(const struct session *session, struct dc_advice *advice, const struct dc_attempt *attempt);
// Advises one change of a number, with three digits.
void dc_try_number(const struct session *session, struct dc_advice *advice, const char *path, double value);
// The same for a whole number.
void dc_try_whole(const struct session *session, struct dc_advice *advice, const char *path, long value);
// Advises a rate multiplied by factor, of an optimizer that has none a race.  A rate that is to be raised becomes at
// least the optimizer's default, and where it is a factor on the gradient the length of the steps.
void dc_try_rate(const struct session *session, struct dc_advice *advice, double factor);
// Advises the optimizer's default rate in the place of a larger one, else a tenth of it.
void dc_try_default_rate(const struct session *session, struct dc_advice *advice);
// Advises windows long enough to see contact pay, that explore; where they are and do, twice as long, or none.
void dc_try_windows(const struct session *session, struct dc_advice *advice);
// Advises a portfolio: initial guesses from elsewhere.  Runs that search already, or have no controls to draw,
// get no command.
void dc_try_search(const struct session *session, struct dc_advice *advice);
// Tries a setting that is advised where a run takes a second at most, and others in its place where it does not help.
// A trial may take twice as long as the run did, and after twice that no other one begins but the last, a race of
// methods: who waits for a run of a tenth of a second does not wait for ten seconds of advice.
// A setting that does not help is not advised, but a race, which may need longer than that.  A race is advised, too,
// where the loss is flat and nothing can be tried: a longer step alone may be as flat.  Changes of the world are not
// tried: they change the task, or the cost of a run.
void dc_try_advice(struct session *session, const dcsim_result *result, struct dc_advice_list *list);

#endif
