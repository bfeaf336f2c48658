// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of the scene reader: files in a temporary folder that is the working folder.
#ifndef DC_TESTS_IO_SCENE_FILES_H
#define DC_TESTS_IO_SCENE_FILES_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char temporary_folder[] = "/tmp/dcsim-test-XXXXXX";

static inline int remove_entry(const char *path, const struct stat *properties, int type, struct FTW *position)
{
  (void)properties, (void)type, (void)position;
  return remove(path);
}

static inline void remove_temporary_folder(void)
{
  if (chdir("/") == 0)
    nftw(temporary_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void enter_temporary_folder(void)
{
  if (!mkdtemp(temporary_folder) || chdir(temporary_folder)) {
    perror(temporary_folder);
    exit(99);
  }
  atexit(remove_temporary_folder);
}

// RUN_TESTS for tests that write files.
#define RUN_TESTS_IN_TEMPORARY_FOLDER(...)                                                                             \
  TEST_MAIN                                                                                                            \
  {                                                                                                                    \
    enter_temporary_folder();                                                                                          \
    static const struct test tests[] = {__VA_ARGS__};                                                                  \
    return run_tests(tests, (int)(sizeof tests / sizeof tests[0]));                                                    \
  }

// A new file each time: ext4 flushes a file to the disk when it is closed after being cut to nothing and written
// again.
static inline void write_bytes(const char *path, const void *bytes, size_t count)
{
  unlink(path);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, count, file) != count || fclose(file)) {
    perror(path);
    exit(99);
  }
}

// Writes text with every ' turned into ".
static inline void write_scene(const char *path, const char *text)
{
  char *copy = strdup(text);
  for (char *c = copy; c && *c; c++)
    if (*c == '\'')
      *c = '"';
  if (copy)
    write_bytes(path, copy, strlen(copy));
  free(copy);
}

// A tetrahedron with its faces seen counter-clockwise from outside.
#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"

#endif
