// SPDX-License-Identifier: Apache-2.0
// A small test harness that prints TAP.  A test is a function of no arguments; CHECK records failures and goes on.
#ifndef DC_TESTS_HARNESS_H
#define DC_TESTS_HARNESS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
  const char *name;
  void (*run)(void);
};

static int test_failures;
static const char *test_skip_reason;

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      test_failures++;                                                                                                 \
      printf("# %s:%d: %s: ", __FILE__, __LINE__, #condition);                                                         \
      printf(" " __VA_ARGS__);                                                                                         \
      printf("\n");                                                                                                    \
    }                                                                                                                  \
  } while (0)

// |value - expected| <= tolerance
#define CHECK_NEAR(value, expected, tolerance)                                                                         \
  do {                                                                                                                 \
    double check_value = (value), check_expected = (expected), check_tolerance = (tolerance);                          \
    if (!(fabs(check_value - check_expected) <= check_tolerance)) {                                                    \
      test_failures++;                                                                                                 \
      printf("# %s:%d: %s = %.17g, expected %.17g within %.3g (off by %.3g)\n", __FILE__, __LINE__, #value,            \
             check_value, check_expected, check_tolerance, fabs(check_value - check_expected));                        \
    }                                                                                                                  \
  } while (0)

#define SKIP(reason)                                                                                                   \
  do {                                                                                                                 \
    test_skip_reason = (reason);                                                                                       \
    return;                                                                                                            \
  } while (0)

// As fmax, but not a number where either is none: fmax leaves those out, and the worst error of a result that is not a
// number would be that of the others.
static inline double larger(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

static inline double largest_of(const double *numbers, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++)
    largest = larger(largest, fabs(numbers[i]));
  return largest;
}

static inline int run_tests(const struct test *tests, int count)
{
  int failed = 0;
  printf("1..%d\n", count);
  for (int i = 0; i < count; i++) {
    test_failures = 0;
    test_skip_reason = NULL;
    tests[i].run();
    failed += test_failures > 0;
    printf("%s %d - %s", test_failures ? "not ok" : "ok", i + 1, tests[i].name);
    if (test_skip_reason && !test_failures)
      printf(" # SKIP %s", test_skip_reason);
    printf("\n");
    fflush(stdout);
  }
  return failed > 0;
}

// The main function of a file of tests.  All files of a folder are linked into one program, its runner
// (tests/runner.c), where each file registers itself before main begins and is called by its name; a file that stands
// alone has a main function of its own.
#ifdef DC_TEST_RUNNER
struct test_program {
  const char *file;
  int (*run)(void);
  struct test_program *next;
};
void test_register(struct test_program *program);
#define TEST_MAIN                                                                                                      \
  static int test_main(void);                                                                                          \
  __attribute__((constructor)) static void register_test_main(void)                                                    \
  {                                                                                                                    \
    static struct test_program program = {.file = __FILE__, .run = test_main};                                         \
    test_register(&program);                                                                                           \
  }                                                                                                                    \
  static int test_main(void)
#else
#define TEST_MAIN int main(void)
#endif

#define RUN_TESTS(...)                                                                                                 \
  TEST_MAIN                                                                                                            \
  {                                                                                                                    \
    static const struct test tests[] = {__VA_ARGS__};                                                                  \
    return run_tests(tests, (int)(sizeof tests / sizeof tests[0]));                                                    \
  }

#endif
