// SPDX-License-Identifier: Apache-2.0
// Parallel loops: the helper threads, the gate through which they enter a loop, and the account of whether they pay.
//
// Every thread has a range of passes of its own, takes them from its front, and when none is left from the back of the
// others' ranges.  So a pass mostly runs where it ran in the loop before, and where its neighbours run: what it reads
// and writes is in that core's cache.
//
// The gate is one word: OPEN while there may be passes to take, WAITED when the caller sleeps, and the number of
// helpers inside.  A helper enters by adding one while it is open, so that what describes the loop stays valid until it
// leaves; the caller closes the gate and waits for those inside.  Helpers outside never hold it up.
#include "base/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/cores.h"

static const double LEAST_WORK = 40e-6;     // s: a loop of less is not worth waking helpers
static const double LEAST_AWAKE = 8e-6;     // s: of less, not worth telling one that is awake
static const double HELPER_SPIN = 50e-6;    // s that a helper looks for the next loop before it sleeps
static const double HELPER_YIELD = 250e-6;  // s that it looks on after that, behind all others that want the core
static const double CALLER_SPIN = 20e-6;    // s that the caller looks for the last pass before it sleeps
static const double SMOOTHING = 0.5;        // of a loop's history
static const double FIRST_CREDIT = 1e-3;    // s that may be lost before helpers have gained anything
static const double CREDIT = 0.02;          // part of the time since the first loop that may be lost besides
static const double NEW_CREDIT = 100e-6;    // s: what may be lost before helpers have to have paid, after a pause
static const double PROMPT = 200e-6;        // s in which a helper comes when called, where a core is free for it
static const double REPAYMENT = 40;         // times what was lost, the time without helpers
// Cores that other programs may use in total without counting as taken.  The system's account has a resolution of a
// hundredth of a second, a tenth of a look, for every core.
static const double TAKEN = 0.3;
static const double LONGEST_TAKE = 10;      // s that tests wait for a helper
static const int LOOKS = 32;                // at the gate, between looks at the clock

enum { MOST_HELPERS = 255, OPEN = 1 << 30, WAITED = 1 << 29, INSIDE = WAITED - 1 };

struct helper {
  sem_t wake;
  atomic_int asleep;
  double called;  // time, before wake was posted last
  int thread;
};

// Passes that nobody has taken yet: first and end, 32 bits each in one word, in a cache line of its own.
struct range {
  _Alignas(64) _Atomic uint64_t word;
};

static struct {
  struct range ranges[MOST_HELPERS + 1];  // of the threads
  atomic_flag taken;                      // by the caller of the loop under way
  atomic_int gate;
  sem_t empty;  // posted by the last helper inside when the caller sleeps
  dc_loop_pass *pass;
  void *context;
  int count;
  atomic_int threads;   // that may take passes, the caller's included
  atomic_llong helped;  // ns of processor time of helpers in passes of this loop
  atomic_int takers;    // helpers that took a pass of this loop
  atomic_llong late;    // ns that helpers took to come beyond what is prompt, not yet settled
  // The following members are written only by the caller that holds `taken`.
  int helper_count;
  bool started, always;
  struct helper *helpers[MOST_HELPERS];
  double balance, begin;  // begin: time of the first loop that was shared
  _Atomic double paused_until, cores_left;
  struct dc_loop_counts counts;
} pool = {.taken = ATOMIC_FLAG_INIT, .cores_left = INFINITY};

static _Thread_local bool inside_pass;

int dc_threads(void)
{
#ifdef _OPENMP
  return inside_pass || omp_in_parallel() ? 1 : omp_get_max_threads();
#else
  return 1;
#endif
}

// Tells the processor that this is a waiting loop, which saves power and lets a sibling thread run.
static void relax(void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

// Polls a condition for at most so many seconds, without giving up the core.
static bool looks_until(bool (*is_true)(int), int argument, double seconds)
{
  double end = dc_seconds() + seconds;
  do
    for (int k = 0; k < LOOKS; k++) {
      if (is_true(argument))
        return true;
      relax();
    }
  while (dc_seconds() < end);
  return false;
}

// Polls a condition, but yields the core to any other thread between the looks.
static bool yields_until(bool (*is_true)(int), int argument, double seconds)
{
  double end = dc_seconds() + seconds;
  while (!is_true(argument)) {
    if (dc_seconds() > end)
      return false;
    sched_yield();
  }
  return true;
}

// Both ends of a range in one word: a single compare-and-exchange changes them together.
static uint64_t range_of(uint32_t first, uint32_t end)
{
  return (uint64_t)first << 32 | end;
}

static bool is_used_up(uint64_t range)
{
  return (uint32_t)(range >> 32) >= (uint32_t)range;
}

// Takes a pass: the owner of a range takes its first, others its last; -1: none is left.
static int take(struct range *range, bool own)
{
  uint64_t word = atomic_load(&range->word);
  while (!is_used_up(word)) {
    uint32_t first = (uint32_t)(word >> 32), end = (uint32_t)word;
    if (atomic_compare_exchange_weak(&range->word, &word, own ? range_of(first + 1, end) : range_of(first, end - 1)))
      return (int)(own ? first : end - 1);
  }
  return -1;
}

// Works through the thread's own range, then steals from the others' ranges.
static void run_passes(int thread)
{
  int threads = atomic_load(&pool.threads);
  inside_pass = true;
  for (int k = 0; k < threads; k++)
    for (int index; (index = take(&pool.ranges[(thread + k) % threads], k == 0)) >= 0;)
      pool.pass(pool.context, index, thread);
  inside_pass = false;
}

// A momentary answer; a pass that is seen here may be taken by another thread before this one asks for it.
static bool has_passes(int threads)
{
  for (int k = 0; k < threads; k++)
    if (!is_used_up(atomic_load(&pool.ranges[k].word)))
      return true;
  return false;
}

// Whether the gate is open, the loop has a place for this thread, and passes are left.
static bool has_work(int thread)
{
  int threads = atomic_load(&pool.threads);
  return (atomic_load(&pool.gate) & OPEN) && thread < threads && has_passes(threads);
}

// Divides the passes into contiguous ranges of about the same length.
static void deal_passes(int threads)
{
  for (int64_t k = 0; k < threads; k++)
    atomic_store(&pool.ranges[k].word,
                 range_of((uint32_t)(k * pool.count / threads), (uint32_t)((k + 1) * pool.count / threads)));
}

// Enters the loop while its gate is open, by one atomic increment.
static bool enter(void)
{
  int gate = atomic_load(&pool.gate);
  while (gate & OPEN)
    if (atomic_compare_exchange_weak(&pool.gate, &gate, gate + 1))
      return true;
  return false;
}

// Leaves the loop; the last helper wakes a caller that sleeps.
static void leave(void)
{
  if (atomic_fetch_sub(&pool.gate, 1) == (WAITED | 1))
    sem_post(&pool.empty);
}

// Takes passes of the loop under way, if there are any, and records the processor time they took.
static void help(const struct helper *helper)
{
  if (!enter())
    return;
  if (has_work(helper->thread)) {
    double start = dc_thread_seconds();
    atomic_fetch_add(&pool.takers, 1);
    run_passes(helper->thread);
    atomic_fetch_add(&pool.helped, (long long)(1e9 * (dc_thread_seconds() - start)));
  }
  leave();
}

// Waits on a semaphore; a signal's handler may interrupt the wait, which is then begun again.
static void sleep_on(sem_t *semaphore)
{
  while (sem_wait(semaphore))
    ;  // interrupted by a signal
}

// A helper's life: it helps, polls for the next loop, yields for a while, then sleeps until a caller wakes it.
static void *serve(void *argument)
{
  struct helper *helper = argument;
#ifdef SCHED_BATCH
  // Under SCHED_BATCH a helper that wakes on the caller's core does not preempt the caller; without it, it may.
  sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
#endif
  for (;;) {
    help(helper);
    if (looks_until(has_work, helper->thread, HELPER_SPIN) || yields_until(has_work, helper->thread, HELPER_YIELD))
      continue;
    atomic_store(&helper->asleep, 1);
    // Whoever resets `asleep` is responsible for the wake-up: if a caller did, it has posted the semaphore.
    if (!has_work(helper->thread) || !atomic_exchange(&helper->asleep, 0)) {
      sleep_on(&helper->wake);
      double late = dc_seconds() - helper->called - PROMPT;
      if (late > 0)
        atomic_fetch_add(&pool.late, (long long)(1e9 * late));
    }
  }
  return NULL;
}

// Starts a helper with all signals blocked: signals are for the threads of the program.
static bool start_helper(int index)
{
  struct helper *helper = calloc(1, sizeof *helper);
  pthread_t thread;
  sigset_t all, before;
  if (!helper)
    return false;
  *helper = (struct helper){.thread = index + 1};
  sem_init(&helper->wake, 0, 0);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool made = pthread_create(&thread, NULL, serve, helper) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!made) {
    sem_destroy(&helper->wake);
    free(helper);
    return false;
  }
  pthread_detach(thread);
  pool.helpers[index] = helper;
  return true;
}

// Runs in the child of a fork, which has no helpers: the parent's are forgotten.
static void forget_helpers(void)
{
  pool.helper_count = 0;
  atomic_store(&pool.gate, 0);
  atomic_flag_clear(&pool.taken);
}

// Starts helpers until there are `wanted`; with fewer, loops are only slower.
static void start_helpers(int wanted)
{
  if (!pool.started) {
    sem_init(&pool.empty, 0, 0);
    pthread_atfork(NULL, NULL, forget_helpers);
    pool.started = true;
  }
  while (pool.helper_count < wanted && pool.helper_count < MOST_HELPERS && start_helper(pool.helper_count))
    pool.helper_count++;
}

static bool is_empty(int unused)
{
  (void)unused;
  return (atomic_load(&pool.gate) & INSIDE) == 0;
}

// Waits, in tests only, until a helper has taken a pass.
static void wait_for_taker(void)
{
  double end = dc_seconds() + LONGEST_TAKE;
  while (atomic_load(&pool.takers) == 0 && dc_seconds() < end)
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

// The exchange decides which of caller and helper resets `asleep`, so that each sleep is ended by exactly one post.
static void wake_helpers(int count, double now)
{
  for (int k = 0; k < count; k++)
    if (atomic_exchange(&pool.helpers[k]->asleep, 0)) {
      pool.helpers[k]->called = now;
      sem_post(&pool.helpers[k]->wake);
    }
}

// Closes the gate and waits for helpers inside: polls first, then sleeps.
static void close_gate(void)
{
  if ((atomic_fetch_and(&pool.gate, ~OPEN) & INSIDE) != 0 && !looks_until(is_empty, 0, CALLER_SPIN) &&
      (atomic_fetch_or(&pool.gate, WAITED) & INSIDE) != 0)
    sleep_on(&pool.empty);
  atomic_store(&pool.gate, 0);
}

// Balances the account of help.  Gained: the processor time of helpers in passes.  Lost: the time that the caller spent
// on calling helpers and waiting for them, and the time that helpers stood in line for a core, since schedulers that
// give shares to groups of threads charge it to the caller.  On a negative balance helpers pause for REPAYMENT times
// the loss.
static void settle(double gained, double lost, double now)
{
  double most = FIRST_CREDIT + CREDIT * (now - pool.begin);
  pool.balance = fmin(pool.balance + gained - lost, most);
  if (pool.balance >= 0)
    return;
  pool.paused_until = now + REPAYMENT * (NEW_CREDIT - pool.balance);
  pool.balance = NEW_CREDIT;
}

// Runs one loop with helpers:
// 1. deal the passes, open the gate, wake sleeping helpers;
// 2. run passes on this thread until none is left;
// 3. close the gate and wait for passes that helpers have begun;
// 4. update the loop's measured time and the account of help.
static void share(int helpers, struct dc_loop_history *history)
{
  double start = dc_seconds();
  if (pool.begin == 0) {
    pool.begin = start;
    pool.balance = FIRST_CREDIT;
  }
  atomic_store(&pool.helped, 0);
  atomic_store(&pool.takers, 0);
  deal_passes(atomic_load(&pool.threads));
  atomic_store(&pool.gate, OPEN);
  wake_helpers(helpers, start);
  double called = dc_seconds();
  if (pool.always)
    wait_for_taker();
  run_passes(0);
  double done = dc_seconds();
  close_gate();
  double end = dc_seconds(), helped = 1e-9 * (double)atomic_load(&pool.helped);
  pool.counts.shared++;
  pool.counts.helped += atomic_load(&pool.takers) > 0;
  pool.counts.helpers += helped;
  pool.counts.waited += end - done;
  double late = 1e-9 * (double)atomic_exchange(&pool.late, 0);
  if (!history)
    return;
  history->seconds += SMOOTHING * (done - called + helped - history->seconds);
  settle(helped, end - done + called - start + late, end);
}

// Runs all passes on the caller and measures the loop for later decisions.
static void run_alone(struct dc_loop_history *history)
{
  double start = history ? dc_seconds() : 0;
  inside_pass = true;
  for (int k = 0; k < pool.count; k++)
    pool.pass(pool.context, k, 0);
  inside_pass = false;
  if (history)
    history->seconds += SMOOTHING * (dc_seconds() - start - history->seconds);
}

// After losses, helpers are left asleep until the time that settle() has set.
static bool is_paused(void)
{
  return !pool.always && dc_seconds() <= pool.paused_until;
}

// Limits threads to those that find a core of their own; more would only take from the caller's share.
static int with_cores(int threads)
{
  double left = pool.always ? threads : atomic_load(&pool.cores_left) + TAKEN;
  return left < threads ? (int)left : threads;
}

// The account of cores is not for several threads at a time: `taken` guards it, too.
int dc_threads_with_cores(void)
{
  if (!atomic_flag_test_and_set(&pool.taken)) {
    atomic_store(&pool.cores_left, dc_cores_left());
    atomic_flag_clear(&pool.taken);
  }
  return with_cores(dc_threads());
}

bool dc_threads_pay(void)
{
  return with_cores(dc_threads()) > 1 && !is_paused();
}

// Whether calling helpers pays, by the loop's measured time.  The first helper is the first to be called and the last
// to sleep, so that its state tells whether a wake-up is needed.
static bool pays(const struct dc_loop_history *history)
{
  if (!history || pool.always)
    return true;
  bool awake = pool.helper_count > 0 && !atomic_load(&pool.helpers[0]->asleep);
  return history->seconds > (awake ? LEAST_AWAKE : LEAST_WORK) && !is_paused();
}

// Nested loops, and loops of other threads while one is shared, run on their caller alone.  A loop without a history is
// always shared, as nothing is known of its length.
void dc_loop_run(dc_loop_pass *pass, void *context, int count, int most_threads, struct dc_loop_history *history)
{
  int threads = dc_threads();
  if (most_threads > 0 && threads > most_threads)
    threads = most_threads;
  if (threads > count)
    threads = count;
  if (threads < 2 || atomic_flag_test_and_set(&pool.taken)) {
    for (int k = 0; k < count; k++)
      pass(context, k, 0);
    return;
  }
  atomic_store(&pool.cores_left, dc_cores_left());
  if (history)
    threads = with_cores(threads);
  pool.pass = pass;
  pool.context = context;
  pool.count = count;
  atomic_store(&pool.threads, threads);
  start_helpers(threads - 1);
  int helpers = threads - 1 < pool.helper_count ? threads - 1 : pool.helper_count;
  if (helpers > 0 && pays(history))
    share(helpers, history);
  else
    run_alone(history);
  atomic_flag_clear(&pool.taken);
}

void dc_loops_always_shared(bool always)
{
  pool.always = always;
}

struct dc_loop_counts dc_loop_counts(void)
{
  return pool.counts;
}
