// SPDX-License-Identifier: Apache-2.0
// Opening what others name: regular files below a folder, without waiting.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "harness.h"

static void write_file(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  if (file) {
    fputs(text, file);
    fclose(file);
  }
}

// The result for a name below the folder "in", or from here when it is followed.
static enum dc_open_result result_of(const char *name, enum dc_open_links links, size_t most)
{
  struct dc_opened opened;
  int folder = links == DC_LINKS_BELOW ? dc_open_folder(dc_open_here, "in", true) : dc_open_here;
  enum dc_open_result result = dc_open_read(folder, name, links, most, &opened);
  CHECK((result == DC_OPENED) == (opened.fd >= 0), "%s: descriptor %d", name, opened.fd);
  CHECK((result == DC_OPEN_SPECIAL) == (opened.kind != NULL), "%s: kind", name);
  int reason = errno;
  if (opened.fd >= 0)
    close(opened.fd);
  if (folder >= 0)
    close(folder);
  errno = reason;
  return result;
}

static void test_reading(void)
{
  const struct {
    const char *name;
    enum dc_open_links links;
    enum dc_open_result result;
  } cases[] = {
      {"in/file", DC_LINKS_FOLLOWED, DC_OPENED},      {"in/out", DC_LINKS_FOLLOWED, DC_OPENED},
      {"in/pipe", DC_LINKS_FOLLOWED, DC_OPEN_SPECIAL}, {"in", DC_LINKS_FOLLOWED, DC_OPEN_SPECIAL},
      {"in/none", DC_LINKS_FOLLOWED, DC_OPEN_FAILED}, {"/dev/zero", DC_LINKS_FOLLOWED, DC_OPEN_SPECIAL},
      {"file", DC_LINKS_BELOW, DC_OPENED},            {"./file", DC_LINKS_BELOW, DC_OPENED},
      {"deep/file", DC_LINKS_BELOW, DC_OPENED},       {"deep/pipe", DC_LINKS_BELOW, DC_OPEN_SPECIAL},
      {"out", DC_LINKS_BELOW, DC_OPEN_FAILED},        {"../outside", DC_LINKS_BELOW, DC_OPEN_FAILED},
      {"deep/../../outside", DC_LINKS_BELOW, DC_OPEN_FAILED}, {"/etc/passwd", DC_LINKS_BELOW, DC_OPEN_FAILED},
      {"away/outside", DC_LINKS_BELOW, DC_OPEN_FAILED}, {"", DC_LINKS_BELOW, DC_OPEN_FAILED},
      {"deep", DC_LINKS_BELOW, DC_OPEN_SPECIAL},      {"around", DC_LINKS_BELOW, DC_OPEN_FAILED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    enum dc_open_result result = result_of(cases[i].name, cases[i].links, 100);
    CHECK(result == cases[i].result, "%s: %d, not %d", cases[i].name, (int)result, (int)cases[i].result);
  }
  CHECK(result_of("in/file", DC_LINKS_FOLLOWED, 3) == DC_OPEN_LARGE, "a file of four bytes where three are wanted");
  CHECK(result_of("file", DC_LINKS_BELOW, 4) == DC_OPENED, "a file of four bytes where four are wanted");
}

static void test_writing(void)
{
  int fd = dc_open_append(dc_open_here, "in/link", DC_MAY_EXIST);
  CHECK(fd < 0 && errno == ELOOP, "a link is not written through (%d, %s)", fd, strerror(errno));
  fd = dc_open_append(dc_open_here, "in/pipe", DC_MUST_EXIST);
  CHECK(fd < 0 && errno == EINVAL, "a pipe holds no rows (%d, %s)", fd, strerror(errno));
  fd = dc_open_append(dc_open_here, "in/made", DC_MUST_EXIST);
  CHECK(fd < 0 && errno == ENOENT, "nothing is made");
  fd = dc_open_append(dc_open_here, "in/made", DC_MAY_EXIST);
  CHECK(fd >= 0, "%s", strerror(errno));
  close(fd);
  fd = dc_open_append(dc_open_here, "in/made", DC_MUST_BE_NEW);
  CHECK(fd < 0 && errno == EEXIST, "nothing is replaced");
  fd = dc_open_new(dc_open_here, "in/dangling");
  CHECK(fd < 0 && errno == EEXIST, "nothing is made behind a link");
  CHECK(access("nowhere", F_OK) != 0, "a file was made behind a link");
  fd = dc_open_folder(dc_open_here, "in/away", false);
  CHECK(fd < 0, "a link is no folder");
  CHECK(dc_make_folder(dc_open_here, "in/away") < 0 && errno == EEXIST, "a link is no folder to be made");
}

static void prepare(void)
{
  static char folder[] = "/tmp/dcsim-open-XXXXXX";
  CHECK(mkdtemp(folder) && chdir(folder) == 0, "%s", strerror(errno));
  mkdir("in", 0777);
  mkdir("in/deep", 0777);
  write_file("outside", "secret");
  write_file("in/file", "four");
  write_file("in/deep/file", "deep");
  mkfifo("in/pipe", 0666);
  mkfifo("in/deep/pipe", 0666);
  bool linked = symlink("../outside", "in/out") == 0 && symlink("..", "in/away") == 0 &&
                symlink("file", "in/link") == 0 && symlink("../nowhere", "in/dangling") == 0 &&
                symlink("around", "in/around") == 0;
  CHECK(linked, "links");
  alarm(60);  // for the case that a pipe is waited for
}

static void clean_up(void)
{
  static const char *const names[] = {"in/deep/file", "in/deep/pipe", "in/deep",   "in/file",     "in/pipe",   "in/out",
                                      "in/away",      "in/link",      "in/around", "in/dangling", "in/made",   "in",
                                      "outside"};
  char folder[64];
  alarm(0);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    remove(names[i]);
  CHECK(getcwd(folder, sizeof folder) && chdir("/") == 0 && rmdir(folder) == 0, "%s", strerror(errno));
}

RUN_TESTS({"files, pipes and links", prepare}, {"reading", test_reading}, {"writing", test_writing},
          {"nothing is left", clean_up})
