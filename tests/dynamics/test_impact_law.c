// SPDX-License-Identifier: Apache-2.0
// The law of impact: derivatives against differences, what it leaves alone, what it never does.
#include "dynamics/impact_pair.h"

#include <math.h>
#include <string.h>

#include "harness.h"
#include "base/random.h"
#include "math/vector.h"

static const double still = 1e-3;

// Approaches, openings, loads and impacts under way as they may be.
static void draw(struct dc_random *random, double given[DC_IMPACT_GIVEN])
{
  for (int i = 0; i < DC_IMPACT_GIVEN; i++)
    given[i] = dc_random_uniform(random);
  given[DC_IMPACT_BEFORE] -= 0.7;
  given[DC_IMPACT_OPENING] -= 0.5;
  given[DC_IMPACT_LOAD] *= 0.1;
  // Half of the contacts push for another time than the interval.
  given[DC_IMPACT_MORE] = fmax(0, 4 * given[DC_IMPACT_MORE] - 2) - (given[DC_IMPACT_MORE] < 0.25 ? 0.5 : 0);
  // Free bodies have the first of both, bodies on joints the second (impact_law.h).
  bool alone = dc_random_uniform(random) < 0.5;
  given[DC_IMPACT_MOBILITY] = alone ? 0.5 + given[DC_IMPACT_MOBILITY] : 0;
  given[DC_IMPACT_LIGHTEST] = alone ? 0 : 0.5 + given[DC_IMPACT_LIGHTEST];
  if (given[DC_IMPACT_MEMORY] < 0.3)
    for (int i = DC_IMPACT_MEMORY; i < DC_IMPACT_GIVEN; i++)
      given[i] = 0;
}

static void test_derivatives(void)
{
  static double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN];
  struct dc_random random;
  double given[DC_IMPACT_GIVEN], left[DC_IMPACT_LAW], above[DC_IMPACT_LAW], below[DC_IMPACT_LAW];
  int far = 0, count = 0;
  dc_random_seed(&random, 3);
  for (int n = 0; n < 300; n++) {
    draw(&random, given);
    dc_impact_law(given, still, left, slopes);
    for (int k = 0; k < DC_IMPACT_GIVEN; k++) {
      if (k == DC_IMPACT_MORE)
        continue;
      double at = given[k], h = 1e-7;
      given[k] = at + h;
      dc_impact_law(given, still, above, NULL);
      given[k] = at - h;
      dc_impact_law(given, still, below, NULL);
      given[k] = at;
      for (int i = 0; i < DC_IMPACT_LAW; i++, count++)
        far += fabs((above[i] - below[i]) / (2 * h) - slopes[i][k]) > 1e-4 * (1 + fabs(slopes[i][k]));
    }
  }
  CHECK(far <= count / 200, "%d of %d", far, count);  // differences across corners and short steps
}

static void test_rest(void)
{
  double given[DC_IMPACT_GIVEN] = {[DC_IMPACT_PUSH] = 0.1,
                                   [DC_IMPACT_NEARNESS] = 1,
                                   [DC_IMPACT_LOAD] = 0.1,
                                   [DC_IMPACT_MOBILITY] = 1,
                                   [DC_IMPACT_RESTITUTION] = 0.9};
  double left[DC_IMPACT_LAW];
  dc_impact_law(given, still, left, NULL);
  CHECK(dc_all_zero(left, DC_IMPACT_LAW), "what rests is left alone");
}

static void test_bounds(void)
{
  struct dc_random random;
  double given[DC_IMPACT_GIVEN], left[DC_IMPACT_LAW], lag[DC_IMPACT_LAW];
  dc_random_seed(&random, 4);
  for (int n = 0; n < 3000; n++) {
    draw(&random, given);
    dc_impact_law(given, still, left, NULL);
    // All net normal impulses are in the budget of friction or owed to it (observed 9e-16).
    double push = given[DC_IMPACT_PUSH] * (1 + given[DC_IMPACT_MORE]);
    double all = push - left[DC_IMPACT_HOLD] + given[DC_IMPACT_KICKED] +
                 given[DC_IMPACT_MEMORY + DC_IMPACT_OWED] + given[DC_IMPACT_UNUSED] * given[DC_IMPACT_PUSHED];
    double used = given[DC_IMPACT_PUSH] * (1 + left[DC_IMPACT_BESIDE]);
    CHECK_NEAR(used + left[DC_IMPACT_OWED], all, 1e-13);
    dc_impact_lag(given, lag, NULL);
    CHECK(lag[DC_IMPACT_BESIDE] >= -1, "friction is of pushes: %g", lag[DC_IMPACT_BESIDE]);
    all += left[DC_IMPACT_HOLD];
    CHECK_NEAR(given[DC_IMPACT_PUSH] * (1 + lag[DC_IMPACT_BESIDE]) + lag[DC_IMPACT_OWED], all, 1e-13);
    CHECK(left[DC_IMPACT_HOLD] >= 0 && left[DC_IMPACT_HOLD] <= push, "never attracts");
    CHECK(left[DC_IMPACT_BESIDE] >= -1 && left[DC_IMPACT_KICK] >= 0, "friction and kicks are of pushes");
    CHECK(left[DC_IMPACT_TARGET] <= given[DC_IMPACT_RESTITUTION] * fmax(given[DC_IMPACT_MEMORY], 1), "%g",
          left[DC_IMPACT_TARGET]);
    // Friction of bodies on joints has three times the impulse of the interval ahead, or what both would need without
    // these, but for rounded corners.
    given[DC_IMPACT_MOBILITY] = 0;
    for (int light = 0; light < 2; light++) {
      given[DC_IMPACT_LIGHTEST] = light ? 0.7 : 0;
      dc_impact_law(given, still, left, NULL);
      used = given[DC_IMPACT_PUSH] * (1 + left[DC_IMPACT_BESIDE]);
      double most = 3 * push, speed = fmax(left[DC_IMPACT_TARGET] - given[DC_IMPACT_OPENING], 0);
      most = light ? fmax(most, speed / given[DC_IMPACT_LIGHTEST]) : most;
      CHECK(used <= fmax(all, 0) + 1.07 * most + 1e-3, "%g of %g, and %g", used, all, most);
    }
  }
}

// Where less than nothing is left for friction of a short interval, as a share below 1 has taken away more than it
// pushes, friction has nothing, the rest is owed, and both have the derivatives of differences (observed 2e-8).
static void test_taken_away(void)
{
  static const double owed[] = {-0.05, -0.0052, -0.004, 0.02};  // the second one in the rounded corner
  for (size_t n = 0; n < sizeof owed / sizeof *owed; n++) {
    double given[DC_IMPACT_GIVEN] = {[DC_IMPACT_PUSH] = 0.01, [DC_IMPACT_NEARNESS] = 0.7, [DC_IMPACT_MORE] = -0.5};
    double left[DC_IMPACT_LAW], up[DC_IMPACT_LAW], down[DC_IMPACT_LAW], slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN];
    double *number = &given[DC_IMPACT_MEMORY + DC_IMPACT_OWED], step = 1e-8;
    *number = owed[n];
    dc_impact_lag(given, left, slopes);
    CHECK(left[DC_IMPACT_BESIDE] >= -0.7 - 1e-15, "%g", left[DC_IMPACT_BESIDE]);
    CHECK_NEAR(0.01 * (1 + left[DC_IMPACT_BESIDE]) + left[DC_IMPACT_OWED], 0.01 - 0.005 + owed[n], 1e-17);
    *number = owed[n] + step;
    dc_impact_lag(given, up, NULL);
    *number = owed[n] - step;
    dc_impact_lag(given, down, NULL);
    for (int i = DC_IMPACT_BESIDE; i <= DC_IMPACT_OWED; i++)
      CHECK_NEAR((up[i] - down[i]) / (2 * step), slopes[i][DC_IMPACT_MEMORY + DC_IMPACT_OWED], 1e-6);
  }
}

// The force of points at a gap, mu = 1, contact length 1 m; its integral from there to infinity.
static double point_force(double gap)
{
  return 12 * (1 / (gap * gap) + 1 / (gap * sqrt(gap)));
}

static double point_energy(double gap)
{
  return 12 * (1 / gap + 2 / sqrt(gap));
}

// A mass meets a wall by implicit steps of the gap: the largest speed of opening over that of approach, until the gap
// is again what it was.
static double collide(double mass, double stiffness, double h, double speed, double restitution, double start)
{
  static const double near_gap = 0.06;
  double left[DC_IMPACT_LAW] = {0}, gap = start, before = start + speed * h, most = 0;
  for (int step = 0; step < 20000; step++) {
    double low = log(1e-14), high = log(2 * gap + fabs(gap - before) * 2 + 1), bend;
    for (int i = 0; i < 80; i++) {
      double x = exp(0.5 * (low + high));
      double rest = mass * (x - 2 * gap + before) / (h * h) - stiffness * point_force(x) +
                    dc_impact_force(left, x - gap, h, still, &bend);
      *(rest > 0 ? &high : &low) = log(x);
    }
    double next = exp(0.5 * (low + high)), strength = point_force(next) / point_force(near_gap);
    double given[DC_IMPACT_GIVEN] = {[DC_IMPACT_BEFORE] = (gap - before) / h,
                                     [DC_IMPACT_OPENING] = (next - gap) / h,
                                     [DC_IMPACT_PUSH] = h * stiffness * point_force(next),
                                     [DC_IMPACT_NEARNESS] = dc_impact_nearness(strength),
                                     [DC_IMPACT_MOBILITY] = 1 / mass,
                                     [DC_IMPACT_RESTITUTION] = restitution,
                                     [DC_IMPACT_KICKED] = dc_impact_kick(left, next - gap, h, still).impulse};
    memcpy(given + DC_IMPACT_MEMORY, left, DC_IMPACT_REMEMBERED * sizeof *given);
    if (strength > 0.1)
      dc_impact_law(given, still, left, NULL);
    else
      dc_impact_part(given, left, NULL);
    most = fmax(most, (next - gap) / (h * speed));
    before = gap;
    gap = next;
    if (most > 0 && gap >= start)
      break;
  }
  return most;
}

static double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

// The rebound is what the material says, at any step and stiffness, wherever in a step the bodies meet; where the far
// field at the start has more than a fiftieth of the energy it has its part.
static void test_rebounds(void)
{
  static const double restitutions[4] = {0.3, 0.5, 0.9, 1};
  struct dc_random random;
  int count = 0, within = 0;
  double worst = 0;
  dc_random_seed(&random, 6);
  for (int n = 0; n < 2500; n++) {
    double stiffness = pow(10, between(&random, -8.3, -3.7)), h = 0.0025 * pow(16, dc_random_uniform(&random));
    double speed = 0.3 * pow(33, dc_random_uniform(&random)), mass = between(&random, 0.5, 1);
    double start = fmax(0.2, 2 * speed * h) * between(&random, 1, 1.5), e = restitutions[n % 4];
    if (stiffness * point_energy(start) > 0.01 * mass * speed * speed)
      continue;
    double off = fabs(collide(mass, stiffness, h, speed, e, start) - e);
    count++;
    within += off <= 0.05;
    worst = fmax(worst, off);
  }
  printf("# %d collisions, %d within 0.05, worst %.3f\n", count, within, worst);
  CHECK(within >= 0.99 * count && worst < 0.15, "%d of %d within 0.05, worst %g", within, count, worst);
}

RUN_TESTS({"derivatives", test_derivatives}, {"rest", test_rest}, {"bounds", test_bounds},
          {"more is taken away than pushed", test_taken_away}, {"rebounds", test_rebounds})
