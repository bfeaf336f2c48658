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
  double first = dc_cores_left();
  CHECK(isinf(first), "at first nothing is known: %g", first);
  CHECK(isinf(dc_cores_left()), "and for a tenth of a second");
  usleep(150000);
  double left = dc_cores_left();
  CHECK(left >= 1, "%g", left);
}

RUN_TESTS({"the system's account", test_account}, {"none", test_no_account}, {"cores left", test_left})
