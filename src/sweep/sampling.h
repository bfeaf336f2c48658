// SPDX-License-Identifier: Apache-2.0
// The values of a study's points.  They follow from the number of a point and the seed alone, so that any process can
// ask for them in any order, and a factor keeps its values when another one is added.
#ifndef DC_SWEEP_SAMPLING_H
#define DC_SWEEP_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "io/json/json_text.h"

enum dc_sampling {
  DC_SAMPLE_GRID,    // all combinations of levels, the first factor slowest; distributions are drawn for every point
  DC_SAMPLE_ZIP,     // level k of every factor; they have equally many
  DC_SAMPLE_RANDOM,  // levels and numbers drawn independently
  DC_SAMPLE_LATIN_HYPERCUBE  // one number in each of as many strata of equal probability; levels equally often
};

enum dc_distribution { DC_DRAW_LEVELS, DC_DRAW_UNIFORM, DC_DRAW_LOG_UNIFORM, DC_DRAW_NORMAL };

// A factor: one path with its values, or the columns of a file of points, which vary together.
struct dc_factor {
  enum dc_distribution distribution;
  double low, high;          // of a normal distribution: mean and standard deviation
  long levels;               // of DC_DRAW_LEVELS
  int columns;               // 1, except for files
  const char *const *names;  // [columns] paths
  const char *const *texts;  // [levels][columns] JSON texts of DC_DRAW_LEVELS
};

struct dc_points {
  enum dc_sampling sampling;
  uint64_t seed;
  long samples;  // grid and zip: repetitions of each combination, one after the other; else the number of points
  int factor_count;
  const struct dc_factor *factors;
  long count;           // of points, by dc_points_prepare
  long *const *strata;  // [factor_count][count] of a Latin hypercube
};

enum { DC_MOST_POINTS = 1000000 };

// Counts the points and draws the strata, in memory of arena.  DC_BAD_INPUT when factors do not fit each other or there
// are more than DC_MOST_POINTS; DC_MEMORY.
enum dc_status dc_points_prepare(struct dc_points *points, struct dc_arena *arena, struct dc_error *error);

// Appends the value of a factor's column at a point [0, count) as JSON.
void dc_points_value(const struct dc_points *points, long point, int factor, int column, struct dc_text *text);

#endif
