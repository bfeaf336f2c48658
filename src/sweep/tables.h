// SPDX-License-Identifier: Apache-2.0
// The columns of a sweep's tables.
#ifndef DC_SWEEP_TABLES_H
#define DC_SWEEP_TABLES_H

#include "sweep/sweep.h"

// Columns after the number of the point and the varying values; seconds, the only time, come last.
enum dc_result {
  DC_RESULT_SUCCESS,
  DC_RESULT_LOSS,
  DC_RESULT_INITIAL_LOSS,
  DC_RESULT_ITERATIONS,
  DC_RESULT_STEPS,
  DC_RESULT_ROLLOUTS,
  DC_RESULT_MIN_GAP,
  DC_RESULT_STOPPED,
  DC_RESULT_STATUS,
  DC_RESULT_VERDICTS,                                    // of certificates, in studies that request them
  DC_RESULT_MESSAGE = DC_RESULT_VERDICTS + DC_VERDICTS,  // the only text
  DC_RESULT_SECONDS,
  DC_RESULTS
};
const char *dc_result_name(enum dc_result result);
// The column after `result` (-1: the first) in the tables of a study; DC_RESULTS at the end.
int dc_result_next(const struct dc_study *study, int result);
// Number in a column, except the message; NAN when there is none.
double dc_result_number(const struct dc_sweep_row *row, enum dc_result result);

// Writes sweep.html; DC_IO, DC_MEMORY.
enum dc_status dc_sweep_write_page(const struct dc_sweep *sweep, struct dc_error *error);

#endif
