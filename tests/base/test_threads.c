// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"

#include "base/cores.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

enum { MOST = 1000, MOST_THREADS = 6 };

static void set_threads(int count)
{
#ifdef _OPENMP
  omp_set_num_threads(count);
#else
  (void)count;
#endif
}

struct tally {
  atomic_int runs[MOST], busy[MOST_THREADS];
  int threads;
  bool shared;
  atomic_bool broken;
};

// A thread's number is its own while it is in a pass, and what is begun inside runs there.
static void inner_pass(void *context, int index, int thread)
{
  (void)index;
  *(int *)context += thread == 0;
}

static void tally_pass(void *context, int index, int thread)
{
  struct tally *tally = context;
  int inner = 0;
  if (thread < 0 || thread >= tally->threads || atomic_fetch_add(&tally->busy[thread], 1) != 0)
    tally->broken = true;
  atomic_fetch_add(&tally->runs[index], 1);
  if (tally->shared) {
    dc_loop_run(inner_pass, &inner, 3, 0, NULL);
    if (inner != 3 || dc_threads() != 1)
      tally->broken = true;
  }
  atomic_fetch_sub(&tally->busy[thread], 1);
}

static void test_every_pass_once(void)
{
  static const int counts[] = {0, 1, 2, 3, 17, MOST};
  for (int threads = 1; threads < MOST_THREADS; threads++)
    for (int most = 0; most < 3; most++)
      for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        static struct tally tally;
        struct dc_loop_history history = {0};
        memset(&tally, 0, sizeof tally);
        set_threads(threads);
        tally.threads = most && most < threads ? most : threads;
        tally.shared = tally.threads > 1 && counts[c] > 1;
        long helped = dc_loop_counts().helped;
        dc_loops_always_shared(true);
        for (int k = 0; k < 5; k++)
          dc_loop_run(tally_pass, &tally, counts[c], most, k & 1 ? &history : NULL);
        dc_loops_always_shared(false);
        CHECK(!tally.broken, "%d threads, %d passes", threads, counts[c]);
        for (int i = 0; i < MOST; i++)
          CHECK(tally.runs[i] == (i < counts[c] ? 5 : 0), "%d threads: pass %d of %d ran %d times", threads, i,
                counts[c], tally.runs[i]);
        if (dc_threads() > 1)
          CHECK((dc_loop_counts().helped == helped + 5) == (tally.threads > 1 && counts[c] > 1),
                "%d threads, %d passes", tally.threads, counts[c]);
      }
}

static double processor_seconds(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void rest(double seconds)
{
  struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
  nanosleep(&time, NULL);
}

static void work_pass(void *context, int index, int thread)
{
  (void)thread;
  double x = index;
  for (int k = 0; k < 100000; k++)
    x += 1e-9 * x * x;
  ((double *)context)[index] = x;
}

// Processor time of loops with pauses between them.
static double processor_of(int threads)
{
  double results[8], start = processor_seconds();
  set_threads(threads);
  for (int k = 0; k < 60; k++) {
    dc_loop_run(work_pass, results, 8, 0, NULL);
    rest(4e-3);
  }
  return processor_seconds() - start;
}

// Helpers sleep between loops: one that spun for 4 ms after each would double the processor time.
static void test_waiting_is_free(void)
{
  double one = INFINITY, two = INFINITY;
  long helped = dc_loop_counts().helped;
  dc_loops_always_shared(true);
  for (int k = 0; k < 3; k++) {
    one = fmin(one, processor_of(1));
    two = fmin(two, processor_of(2));
  }
  printf("# processor time %.3f s with one thread, %.3f s with two\n", one, two);
  dc_loops_always_shared(false);
  if (dc_threads() > 1)
    CHECK(dc_loop_counts().helped == helped + 180, "%ld loops were helped", dc_loop_counts().helped - helped);
  CHECK(two < 1.3 * one, "%g s with one thread, %g s with two", one, two);  // 1.00 to 1.05 observed
}

// As if another process held the core of the helper.
static void held_up_pass(void *context, int index, int thread)
{
  (void)context;
  (void)index;
  rest(thread ? 5e-3 : 1e-3);
}

// Helpers that are held up inside passes again and again are left alone most of the time.
static void test_helpers_that_do_not_pay(void)
{
  struct dc_loop_history history = {0};
  set_threads(2);
  long shared = dc_loop_counts().shared;
  for (int k = 0; k < 200; k++)
    dc_loop_run(held_up_pass, NULL, 4, 0, &history);
  shared = dc_loop_counts().shared - shared;
  printf("# %ld of 200 loops were shared\n", shared);
  CHECK(history.seconds > 1e-3, "%g s a loop", history.seconds);
  CHECK(shared < 60, "%ld of 200 loops", shared);  // 11 to 14 observed
}

static void test_small_loops_stay(void)
{
  struct dc_loop_history history = {0};
  int inner = 0;
  set_threads(2);
  long shared = dc_loop_counts().shared;
  for (int k = 0; k < 100; k++)
    dc_loop_run(inner_pass, &inner, 3, 0, &history);
  CHECK(inner == 300 && dc_loop_counts().shared - shared < 10, "%ld shared", dc_loop_counts().shared - shared);
}

// Programs that keep all cores busy, for a minute at most.
static int start_others(pid_t *others, int most)
{
  int count = dc_core_count() < most ? dc_core_count() : most;
  fflush(stdout);
  for (int k = 0; k < count; k++) {
    others[k] = fork();
    if (others[k] == 0) {
      alarm(60);
      for (volatile unsigned n = 0;; n++)
        continue;
    }
  }
  return count;
}

// Where all cores are taken no helper is called, whatever a loop costs.
static void test_no_core_left(void)
{
  static pid_t others[256];
  struct dc_loop_history history = {.seconds = 1};
  double results[8];
  set_threads(2);
  int count = start_others(others, 256), threads = dc_threads_with_cores();
  for (int k = 0; k < 20 && threads > 1; k++) {
    rest(0.15);
    threads = dc_threads_with_cores();
  }
  long shared = dc_loop_counts().shared;
  for (int k = 0; k < 20; k++)
    dc_loop_run(work_pass, results, 8, 0, &history);
  shared = dc_loop_counts().shared - shared;
  for (int k = 0; k < count; k++) {
    kill(others[k], SIGKILL);
    waitpid(others[k], NULL, 0);
  }
  if (access("/proc/stat", R_OK) != 0 || count < dc_core_count())
    return;
  CHECK(threads == 1, "%d threads beside %d programs", threads, count);
  CHECK(shared == 0, "%ld of 20 loops were shared", shared);
}

// A child of fork has no helpers but gets them anew.
static void test_fork(void)
{
  static struct tally tally;
  set_threads(3);
  tally.threads = 3;
  tally.shared = true;
  dc_loops_always_shared(true);
  dc_loop_run(tally_pass, &tally, 10, 0, NULL);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    dc_loop_run(tally_pass, &tally, 10, 0, NULL);
    _exit(tally.runs[0] == 2 && tally.runs[9] == 2 && !tally.broken ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "status %d", status);
  dc_loop_run(tally_pass, &tally, 10, 0, NULL);
  CHECK(tally.runs[0] == 2 && !tally.broken, "the parent goes on");
  dc_loops_always_shared(false);
}

RUN_TESTS({"every pass once", test_every_pass_once}, {"waiting is free", test_waiting_is_free},
          {"helpers that do not pay", test_helpers_that_do_not_pay}, {"small loops stay", test_small_loops_stay},
          {"no core left", test_no_core_left}, {"fork", test_fork})
