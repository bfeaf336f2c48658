// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"

#include <unistd.h>

#include "harness.h"

static const char account[] = "cpu  1100 20 300 9000 50 6 7 8 0 0\n"
                              "cpu0 500 10 100 4000 25 3 3 4 0 0\n"
                              "cpu1 600 10 200 5000 25 3 4 4 0 0\n"
                              "cpu10 7 0 0 1 0 0 0 0 0 0\n"
                              "intr 12345 1 2 3\n"
                              "ctxt 99\n";

// All but idling and waiting for files, of the cores that are asked for; the sum over all cores is none of them.
static void test_account(void)
{
  unsigned char allowed[16] = {1, 1};
  double tick = 1 / (double)sysconf(_SC_CLK_TCK);
  CHECK_NEAR(dc_cores_busy_seconds(account, 16, allowed), (620 + 821) * tick, 1e-12);
  allowed[0] = 0;
  CHECK_NEAR(dc_cores_busy_seconds(account, 16, allowed), 821 * tick, 1e-12);
  allowed[10] = 1;
  CHECK_NEAR(dc_cores_busy_seconds(account, 16, allowed), 828 * tick, 1e-12);
  CHECK_NEAR(dc_cores_busy_seconds(account, 2, allowed), 821 * tick, 1e-12);
}

static void test_no_account(void)
{
  static const unsigned char allowed[4] = {1, 1, 1, 1};
  static const char *const texts[] = {"",         "cpu  1 2 3 4\n", "cpux 1 2\n", "cpu9 1 2 3 4 5 6 7 8\n",
                                      "intr 1\n", "cpu-1 5 5\n"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    CHECK(isnan(dc_cores_busy_seconds(texts[k], 4, allowed)), "%s", texts[k]);
  CHECK(dc_cores_busy_seconds("cpu0 1", 4, allowed) > 0, "a line cut off counts as far as it goes");
}

static void test_left(void)
{
  struct dc_core_look first = {.cores = 4, .time = 10, .busy = 100, .own = 7}, next = first;
  next.time += 2, next.busy += 5, next.own += 2;
  CHECK_NEAR(dc_cores_left_between(&first, &next), 4 - 1.5, 1e-12);
  next.own = first.own + 6;  // more than the account has, which is coarse
  CHECK_NEAR(dc_cores_left_between(&first, &next), 4, 1e-12);
  next.busy += 20;
  CHECK_NEAR(dc_cores_left_between(&first, &next), 1, 1e-12);
  next.own = 1;  // a child's
  CHECK(isinf(dc_cores_left_between(&first, &next)), "looks of two programs");
  next.own = first.own, next.busy = NAN;
  CHECK(isinf(dc_cores_left_between(&first, &next)), "no account");
  CHECK(isinf(dc_cores_left_between(&first, &first)), "no time between");
}

static void test_now(void)
{
  CHECK(isinf(dc_cores_left()), "the first look tells nothing");
  usleep(150000);
  double left = dc_cores_left();
  CHECK(left >= 1 && (left <= dc_core_count() || isinf(left)), "%g of %d", left, dc_core_count());
  CHECK(dc_cores_left() == left, "the same for a tenth of a second");
}

RUN_TESTS({"the system's account", test_account}, {"none", test_no_account}, {"cores left", test_left},
          {"cores left now", test_now})
