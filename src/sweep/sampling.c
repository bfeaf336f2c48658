// SPDX-License-Identifier: Apache-2.0
// Values of the points of a study.
//
// Latin hypercubes (McKay, Beckman and Conover 1979): with n points, each of a factor's n strata of equal probability
// is visited once, in a random permutation of its own.  Distributions are sampled by their quantile functions, with a
// random stream for each factor and point.
#include "sweep/sampling.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"

// The random stream of a factor at a point; point -1: of the factor as a whole.
static struct dc_random stream(const struct dc_points *points, int factor, long point)
{
  struct dc_random random;
  const char *name = points->factors[factor].names[0];
  uint64_t key[2] = {points->seed, (uint64_t)point};
  dc_random_seed(&random, dc_hash(dc_hash(DC_HASH_SEED, name, strlen(name)), key, sizeof key));
  return random;
}

// Callers compare before they multiply, so that no number of points overflows.
static enum dc_status fail_count(struct dc_error *error)
{
  return dc_fail(error, DC_BAD_INPUT, "the study has more than %d points", DC_MOST_POINTS);
}

// Counts the combinations of levels, without samples: the product of all lists (grid), or the common length of
// all (zip).  The product is checked before each multiplication.
static enum dc_status count_combinations(const struct dc_points *points, long *count, struct dc_error *error)
{
  int first = -1;
  *count = 1;
  for (int i = 0; i < points->factor_count; i++) {
    const struct dc_factor *factor = &points->factors[i];
    if (factor->distribution != DC_DRAW_LEVELS)
      continue;
    if (points->sampling == DC_SAMPLE_GRID) {
      if (*count > DC_MOST_POINTS / factor->levels)
        return fail_count(error);
      *count *= factor->levels;
    } else if (first < 0) {
      first = i;
      *count = factor->levels;
    } else if (factor->levels != *count) {
      return dc_fail(error, DC_BAD_INPUT,
                     "with \"zip\" all lists must be equally long: \"%.200s\" has %ld, \"%.200s\" %ld",
                     points->factors[first].names[0], *count, factor->names[0], factor->levels);
    }
  }
  return DC_OK;
}

// A random permutation of the points for a factor, by the inside-out shuffle of Fisher and Yates.
static long *draw_permutation(const struct dc_points *points, int factor, struct dc_arena *arena)
{
  struct dc_random random = stream(points, factor, -1);
  long *order = dc_arena_alloc(arena, (size_t)points->count, sizeof *order);
  for (long i = 0; order && i < points->count; i++) {
    long j = (long)(dc_random_uniform(&random) * (double)(i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

// Counts the points and, for Latin hypercubes, draws the permutation of each factor.
enum dc_status dc_points_prepare(struct dc_points *points, struct dc_arena *arena, struct dc_error *error)
{
  bool combined = points->sampling == DC_SAMPLE_GRID || points->sampling == DC_SAMPLE_ZIP;
  long combinations = 1;
  enum dc_status status = combined ? count_combinations(points, &combinations, error) : DC_OK;
  if (status)
    return status;
  if (points->samples > DC_MOST_POINTS / combinations)
    return fail_count(error);
  points->count = combinations * points->samples;
  if (points->sampling != DC_SAMPLE_LATIN_HYPERCUBE)
    return DC_OK;
  long **strata = dc_arena_alloc(arena, (size_t)points->factor_count, sizeof *strata);
  for (int i = 0; strata && i < points->factor_count; i++)
    if (!(strata[i] = draw_permutation(points, i, arena)))
      strata = NULL;
  points->strata = strata;
  return strata || points->factor_count == 0 ? DC_OK : dc_out_of_memory_for(error, "the points");
}

// The level of a factor in the grid: digits of the point's number, the last factor varying fastest; `samples`
// points in a row share a combination.
static long level_in_grid(const struct dc_points *points, long point, int factor)
{
  long rest = point / points->samples;
  for (int i = points->factor_count - 1; i > factor; i--)
    if (points->factors[i].distribution == DC_DRAW_LEVELS)
      rest /= points->factors[i].levels;
  return rest % points->factors[factor].levels;
}

// The level of a factor at a point.  In Latin hypercubes strata are distributed over the levels as evenly as
// possible.
static long level_at(const struct dc_points *points, long point, int factor)
{
  long levels = points->factors[factor].levels;
  struct dc_random random;
  switch (points->sampling) {
  case DC_SAMPLE_GRID: return level_in_grid(points, point, factor);
  case DC_SAMPLE_ZIP: return point / points->samples;
  case DC_SAMPLE_LATIN_HYPERCUBE:
    return (long)((double)points->strata[factor][point] * (double)levels / (double)points->count);
  case DC_SAMPLE_RANDOM: break;
  }
  random = stream(points, factor, point);
  return (long)(dc_random_uniform(&random) * (double)levels);
}

// Quantile of the standard normal distribution, x with P(X <= x) = p, by bisection down to neighbouring doubles.
static double normal_quantile(double p)
{
  double low = -40, high = 40;
  for (;;) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high)
      return middle;
    *(0.5 * erfc(-middle * M_SQRT1_2) < p ? &low : &high) = middle;
  }
}

// The probability in (0, 1) at which the distribution's quantile is taken: uniform, or uniform within the
// point's stratum.  2^-54 keeps it away from 0, where quantiles are infinite.
static double probability_at(const struct dc_points *points, long point, int factor)
{
  struct dc_random random = stream(points, factor, point);
  double within = dc_random_uniform(&random) + 0x1p-54;
  if (points->sampling != DC_SAMPLE_LATIN_HYPERCUBE)
    return within;
  return ((double)points->strata[factor][point] + within) / (double)points->count;
}

// The quantile of the factor's distribution at the point's probability p: a stratum of p is one of equal probability,
// whatever the distribution is.
static double number_at(const struct dc_points *points, long point, int factor)
{
  const struct dc_factor *f = &points->factors[factor];
  double p = probability_at(points, point, factor);
  switch (f->distribution) {
  case DC_DRAW_LOG_UNIFORM: return exp(log(f->low) + p * (log(f->high) - log(f->low)));
  case DC_DRAW_NORMAL: return f->low + f->high * normal_quantile(p);
  default: return f->low + p * (f->high - f->low);
  }
}

// The value for an overlay: numbers with as many digits as they need to read back, levels as the text of the study has
// them.
void dc_points_value(const struct dc_points *points, long point, int factor, int column, struct dc_text *text)
{
  const struct dc_factor *f = &points->factors[factor];
  if (f->distribution != DC_DRAW_LEVELS) {
    dc_text_short_real(text, number_at(points, point, factor), "null");
    return;
  }
  const char *value = f->texts[level_at(points, point, factor) * f->columns + column];
  dc_text_append(text, value, strlen(value));
}
