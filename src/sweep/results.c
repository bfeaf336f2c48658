// SPDX-License-Identifier: Apache-2.0
// The results of a point as named columns.
#include <math.h>

#include "sweep/tables.h"

// Columns in the order of enum dc_result: the run's, then, of studies that verify, a verdict for each world, then
// message and seconds.
const char *dc_result_name(enum dc_result result)
{
  static const char *const names[] = {"success",  "loss",    "initial_loss", "iterations", "steps",
                                      "rollouts", "min_gap", "stopped",      "status"};
  if (result < DC_RESULT_VERDICTS)
    return names[result];
  if (result < DC_RESULT_MESSAGE)
    return dc_verdict_name((int)result - DC_RESULT_VERDICTS);
  return result == DC_RESULT_MESSAGE ? "message" : "seconds";
}

// The next column that the table has: studies without `verify` skip the verdicts.
int dc_result_next(const struct dc_study *study, int result)
{
  return result + 1 == DC_RESULT_VERDICTS && !study->verify ? DC_RESULT_MESSAGE : result + 1;
}

// Converts a count, -1 if absent, to a number or NAN.
static double count_or_nothing(long count)
{
  return count < 0 ? NAN : (double)count;
}

// Every result but the message as a number; NAN where the run had none.
double dc_result_number(const struct dc_sweep_row *row, enum dc_result result)
{
  if (result >= DC_RESULT_VERDICTS && result < DC_RESULT_MESSAGE)
    return row->verdicts[result - DC_RESULT_VERDICTS];
  switch (result) {
  case DC_RESULT_SUCCESS: return row->success;
  case DC_RESULT_LOSS: return row->loss;
  case DC_RESULT_INITIAL_LOSS: return row->initial_loss;
  case DC_RESULT_ITERATIONS: return count_or_nothing(row->iterations);
  case DC_RESULT_STEPS: return count_or_nothing(row->steps);
  case DC_RESULT_ROLLOUTS: return count_or_nothing(row->rollouts);
  case DC_RESULT_MIN_GAP: return row->min_gap;
  case DC_RESULT_STOPPED: return row->stopped;
  case DC_RESULT_STATUS: return row->status;
  default: return row->seconds;
  }
}
