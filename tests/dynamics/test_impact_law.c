// SPDX-License-Identifier: Apache-2.0
// The law of impact: derivatives against differences, what it leaves alone, what it never does.
#include "dynamics/impact_law.h"

#include <math.h>

#include "harness.h"
#include "base/random.h"

static const double still = 1e-3;

// Approaches, openings, loads and impacts under way as they may be.
static void draw(struct dc_random *random, double given[DC_IMPACT_GIVEN])
{
  for (int i = 0; i < DC_IMPACT_GIVEN; i++)
    given[i] = dc_random_uniform(random);
  given[DC_IMPACT_BEFORE] -= 0.7;
  given[DC_IMPACT_OPENING] -= 0.5;
  given[DC_IMPACT_LOAD] *= 0.1;
  given[DC_IMPACT_MOBILITY] = 0.5 + given[DC_IMPACT_MOBILITY];
  if (given[DC_IMPACT_MEMORY] < 0.3)
    for (int i = DC_IMPACT_MEMORY; i < DC_IMPACT_GIVEN; i++)
      given[i] = 0;
}

static void test_derivatives(void)
{
  static double slopes[DC_IMPACT_NUMBERS][DC_IMPACT_GIVEN];
  struct dc_random random;
  double given[DC_IMPACT_GIVEN], left[DC_IMPACT_NUMBERS], above[DC_IMPACT_NUMBERS], below[DC_IMPACT_NUMBERS];
  int far = 0, count = 0;
  dc_random_seed(&random, 3);
  for (int n = 0; n < 300; n++) {
    draw(&random, given);
    dc_impact_law(given, still, left, slopes);
    for (int k = 0; k < DC_IMPACT_GIVEN; k++) {
      double at = given[k], h = 1e-7;
      given[k] = at + h;
      dc_impact_law(given, still, above, NULL);
      given[k] = at - h;
      dc_impact_law(given, still, below, NULL);
      given[k] = at;
      for (int i = 0; i < DC_IMPACT_NUMBERS; i++, count++)
        far += fabs((above[i] - below[i]) / (2 * h) - slopes[i][k]) > 1e-4 * (1 + fabs(slopes[i][k]));
    }
  }
  CHECK(far <= count / 200, "%d of %d", far, count);  // differences across corners and short steps
}

static void test_rest(void)
{
  double given[DC_IMPACT_GIVEN] = {[DC_IMPACT_PUSH] = 0.1,     [DC_IMPACT_NEARNESS] = 1,
                                   [DC_IMPACT_LOAD] = 0.1,     [DC_IMPACT_MOBILITY] = 1,
                                   [DC_IMPACT_RESTITUTION] = 0.9};
  double left[DC_IMPACT_NUMBERS];
  dc_impact_law(given, still, left, NULL);
  CHECK(dc_impact_is_idle(left), "what rests is left alone");
  dc_impact_forget(left);
  CHECK(dc_impact_is_idle(left), "nothing is left");
}

static void test_bounds(void)
{
  struct dc_random random;
  double given[DC_IMPACT_GIVEN], left[DC_IMPACT_NUMBERS];
  dc_random_seed(&random, 4);
  for (int n = 0; n < 3000; n++) {
    draw(&random, given);
    dc_impact_law(given, still, left, NULL);
    CHECK(left[DC_IMPACT_HOLD] >= 0 && left[DC_IMPACT_HOLD] <= given[DC_IMPACT_PUSH], "never attracts");
    CHECK(left[DC_IMPACT_SLIP] >= 0 && left[DC_IMPACT_KICK] >= 0, "friction and kicks are of pushes");
    CHECK(left[DC_IMPACT_TARGET] <= given[DC_IMPACT_RESTITUTION] * fmax(given[DC_IMPACT_MEMORY], 1), "%g",
          left[DC_IMPACT_TARGET]);
  }
}

RUN_TESTS({"derivatives", test_derivatives}, {"rest", test_rest}, {"bounds", test_bounds})
