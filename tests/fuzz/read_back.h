// SPDX-License-Identifier: Apache-2.0
// What readers of damaged text have in common: complaints, and that an accepted scene reads back the same.
#ifndef DC_TESTS_FUZZ_READ_BACK_H
#define DC_TESTS_FUZZ_READ_BACK_H

#include "harness.h"
#include "io/scene/scene.h"
#include "io/scene_files.h"

static const char *complaint;

static void complain(const char *text)
{
#ifdef DC_LIBFUZZER
  fprintf(stderr, "%s\n", text);
  abort();
#endif
  complaint = text;
}

// Reads the scene's resolved text from the working folder; destroys the scene.
static inline void check_read_back(struct dc_scene *scene)
{
  struct dc_scene *again;
  struct dc_error error = {0};
  write_bytes("resolved.json", scene->resolved, strlen(scene->resolved));
  if (dc_scene_read("resolved.json", NULL, &again, &error))
    complain("the resolved text of an accepted scene is refused");
  else if (strcmp(scene->resolved, again->resolved) != 0 || scene->source.scene_hash != again->source.scene_hash)
    complain("the resolved text reads back differently");
  dc_scene_destroy(again);
  dc_scene_destroy(scene);
}

#endif
