// SPDX-License-Identifier: Apache-2.0
// The main function of the tests of one folder: runs the file of tests whose name it was started under.
//
// Every test is a link to this program, so that a folder is linked once and each of its tests still runs, is timed and
// is reported alone.
#include "harness.h"

static struct test_program *programs;

void test_register(struct test_program *program)
{
  program->next = programs;
  programs = program;
}

static const char *after_slash(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
  (void)argc;
  const char *name = after_slash(argv[0]);
  size_t length = strlen(name);
  for (const struct test_program *program = programs; program; program = program->next) {
    const char *file = after_slash(program->file);
    if (strncmp(file, name, length) == 0 && strcmp(file + length, ".c") == 0)
      return program->run();
  }
  fprintf(stderr, "%s: start it by the name of one of its tests:\n", name);
  for (const struct test_program *program = programs; program; program = program->next)
    fprintf(stderr, "  %s\n", after_slash(program->file));
  return 2;
}
