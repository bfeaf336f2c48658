// SPDX-License-Identifier: Apache-2.0
// Which of two guesses a step begins with, and that it costs iterations and nothing else.
#include "harness.h"

#include "dynamics/guess.h"
#include "dynamics/mechanisms.h"

enum { COUNT = 2 };

// A guess for two coordinates, a length and an angle whose body reaches far.
static struct dc_guess guess_for(double memory[2][COUNT])
{
  struct dc_guess guess = {.straight = memory[0], .bent = memory[1]};
  dc_guess_reset(&guess);
  return guess;
}

static void test_steady_change(void)
{
  double reach[COUNT] = {1, 3}, memory[2][COUNT];
  const struct dc_bodies bodies = {.nv = COUNT, .reach = reach};
  struct dc_guess guess = guess_for(memory);
  for (int step = 0; step < 6; step++) {
    double way[COUNT] = {1 + 0.5 * step, -0.25 * step};
    dc_guess_way(&guess, &bodies, step > 0, way);
    int ahead = step < 2 ? step : step + 1;  // a guess has to be judged first
    CHECK_NEAR(way[0], 1 + 0.5 * ahead, 1e-15);
    CHECK_NEAR(way[1], -0.25 * ahead, 1e-15);
  }
}

static void test_sudden_change(void)
{
  double reach[COUNT] = {1, 1}, memory[2][COUNT];
  const struct dc_bodies bodies = {.nv = COUNT, .reach = reach};
  struct dc_guess guess = guess_for(memory);
  for (int step = 0; step < 8; step++) {
    double way[COUNT] = {step % 2 ? 1 : 0, 0};
    dc_guess_way(&guess, &bodies, step > 0, way);
    CHECK(way[0] == step % 2, "to and fro: the last way, step %d", step);
  }
}

static void test_other_lengths(void)
{
  double reach[COUNT] = {1, 1}, memory[2][COUNT];
  const struct dc_bodies bodies = {.nv = COUNT, .reach = reach};
  struct dc_guess guess = guess_for(memory);
  for (int step = 0; step < 12; step++) {
    double way[COUNT] = {step, 0};
    bool equal = step % 2 == 1;  // never three intervals of one length in a row
    dc_guess_way(&guess, &bodies, equal, way);
    CHECK(way[0] == step, "the last way, step %d: %g", step, way[0]);
  }
}

RUN_TESTS({"steady change", test_steady_change}, {"sudden change", test_sudden_change},
          {"other lengths", test_other_lengths})
