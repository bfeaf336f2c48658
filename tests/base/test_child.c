// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own: what it makes arrives, and nothing that it does ends this one.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "harness.h"

static enum dc_status make_bytes(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)error;
  *size = *(size_t *)context;
  *bytes = malloc(*size + 1);
  for (size_t i = 0; *bytes && i < *size; i++)
    (*bytes)[i] = (char)(i * 7 + i / 251);
  return *bytes ? DC_OK : DC_MEMORY;
}

static void test_bytes(void)
{
  static const size_t sizes[] = {0, 1, 65536, 10000019};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    struct dc_error error = {0};
    size_t asked = sizes[k], size = 77, wrong = 0;
    char *bytes;
    CHECK(dc_child_run(make_bytes, &asked, 60, &bytes, &size, &error) == DC_OK && size == asked, "%s", error.text);
    for (size_t i = 0; bytes && i < size; i++)
      wrong += bytes[i] != (char)(i * 7 + i / 251);
    CHECK(bytes && wrong == 0, "%zu of %zu bytes", wrong, size);
    free(bytes);
  }
}

static enum dc_status refuse(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context, (void)bytes, (void)size;
  return dc_fail(error, DC_BAD_INPUT, "file: rule");
}

static enum dc_status crash(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)bytes, (void)size, (void)error;
  raise(*(int *)context);
  return DC_OK;
}

static enum dc_status leave(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context, (void)bytes, (void)size, (void)error;
  _exit(255);
}

static enum dc_status never_end(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context, (void)bytes, (void)size, (void)error;
  for (volatile long i = 0;; i = (i + 1) % 1000)
    if (i < 0)
      return DC_OK;
}

// Waits for what never comes.
static enum dc_status hang(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context, (void)bytes, (void)size, (void)error;
  while (pause() < 0)
    continue;
  return DC_OK;
}

static void check_failure(dc_child_work *work, void *context, enum dc_status status, const char *says)
{
  struct dc_error error = {0};
  size_t size = 77;
  char *bytes;
  CHECK(dc_child_run(work, context, 1, &bytes, &size, &error) == status && error.status == status, "%s", error.text);
  CHECK(strstr(error.text, says) != NULL && !bytes && size == 0, "%s", error.text);
  CHECK(dc_child_run(work, context, 1, &bytes, &size, NULL) == status, "without a place for the message");
}

static void test_bad_ends(void)
{
  int killed = SIGKILL;
  check_failure(refuse, NULL, DC_BAD_INPUT, "file: rule");
  check_failure(crash, &killed, DC_MEMORY, "ended with signal 9");
  check_failure(leave, NULL, DC_MEMORY, "ended with status 255");
  check_failure(never_end, NULL, DC_MEMORY, "out of memory or time");
}

// A child that uses no processor time is ended, too.
static void test_hangs(void)
{
  struct dc_error error = {0};
  size_t size = 77;
  char *bytes;
  CHECK(dc_child_run_wary(hang, NULL, 1, 100, &bytes, &size, &error) == DC_BAD_INPUT, "%s", error.text);
  CHECK(strstr(error.text, "takes more than 1 s") && !bytes && !size, "%s", error.text);
}

static volatile sig_atomic_t alarms;
static void count_alarm(int signal)
{
  (void)signal;
  alarms++;
}

// Sleeps for a second and answers whether its parent has seen a signal by then: the count is the child's own copy.
static enum dc_status sleep_a_second(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context, (void)error;
  sleep(1);
  *bytes = malloc(1);
  *size = *bytes ? 1 : 0;
  return *bytes ? DC_OK : DC_MEMORY;
}

// Signals reach the parent while it waits, and not the child.
static void test_signals(void)
{
  struct dc_error error = {0};
  size_t size;
  char *bytes;
  void (*handler)(int) = signal(SIGALRM, count_alarm);
  ualarm(200000, 0);
  CHECK(dc_child_run(sleep_a_second, NULL, 60, &bytes, &size, &error) == DC_OK && size == 1, "%s", error.text);
  CHECK(alarms == 1, "%d signals", (int)alarms);
  free(bytes);
  signal(SIGALRM, handler);
}

// Takes memory until there is none, and then what a library that does not look does.
static enum dc_status take_all(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context, (void)bytes, (void)size, (void)error;
  for (int i = 0; i < 1 << 20; i++) {
    char *more = malloc(16 << 20);
    fprintf(stderr, "not to be seen\n");
    if (!more)
      abort();
    memset(more, 1, 16 << 20);
  }
  return DC_OK;
}

static enum dc_status give_up(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context, (void)bytes, (void)size, (void)error;
  abort();
}

static void test_wary(void)
{
  static const struct {
    dc_child_work *work;
    const char *says;
  } cases[] = {{refuse, "file: rule"},
               {give_up, "broke down (signal 6)"},
               {leave, "broke down (status 255)"},
               {never_end, "takes more than 1 s or 100 MB"},
               {take_all, "broke down (signal 6)"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct dc_error error = {0};
    size_t size = 77;
    char *bytes;
    enum dc_status status = dc_child_run_wary(cases[i].work, NULL, 1, 100, &bytes, &size, &error);
    CHECK(status == DC_BAD_INPUT && error.status == status, "%zu: %s", i, error.text);
    CHECK(strstr(error.text, cases[i].says) && !bytes && !size, "%zu: %s", i, error.text);
  }
}

// How many of the first descriptors beyond the answer's are open there.
static enum dc_status count_open(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  (void)context;
  long open = 0;
  for (int fd = STDERR_FILENO + 2; fd < 256; fd++)
    open += fcntl(fd, F_GETFD) >= 0;
  *size = 1;
  *bytes = calloc(1, 1);
  return open ? dc_fail(error, DC_IO, "%ld are open", open) : DC_OK;
}

// A run's lock must not be held by anything that outlives the run.
static void test_descriptors(void)
{
  struct dc_error error = {0};
  size_t size;
  char *bytes;
  int fds[20];
  for (int i = 0; i < 20; i++)
    fds[i] = open("/dev/null", O_RDONLY);
  CHECK(fds[19] >= 20, "%d", fds[19]);
  CHECK(dc_child_run(count_open, NULL, 60, &bytes, &size, &error) == DC_OK, "%s", error.text);
  free(bytes);
  for (int i = 0; i < 20; i++)
    close(fds[i]);
}

// A program that lets the system collect its children.
static void test_collected_elsewhere(void)
{
  size_t asked = 1000;
  void (*handler)(int) = signal(SIGCHLD, SIG_IGN);
  struct dc_error error = {0};
  size_t size;
  char *bytes;
  CHECK(dc_child_run(make_bytes, &asked, 60, &bytes, &size, &error) == DC_OK && size == asked, "%s", error.text);
  free(bytes);
  check_failure(leave, NULL, DC_MEMORY, "out of memory");
  signal(SIGCHLD, handler);
}

TEST_MAIN
{
  static const struct test tests[] = {{"bytes arrive, none to many", test_bytes},
                                      {"failures, signals, exits and endless work are errors", test_bad_ends},
                                      {"input that work breaks down over", test_wary},
                                      {"a child that waits is ended", test_hangs},
                                      {"signals while a child works", test_signals},
                                      {"no file is open there", test_descriptors},
                                      {"where children are collected elsewhere", test_collected_elsewhere}};
  return run_tests(tests, (int)(sizeof tests / sizeof tests[0]));
}
