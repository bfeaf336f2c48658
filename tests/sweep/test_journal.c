// SPDX-License-Identifier: Apache-2.0
// Lines of journals: what is printed is what is parsed, and a line whose checksum is right but whose numbers no run has
// is none.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "sweep/journal.h"

static void test_round_trip(void)
{
  char message[] = "a \"word\"";
  const struct dc_sweep_row row = {.status = 139,
                                   .success = true,
                                   .loss = 0.1,
                                   .initial_loss = NAN,
                                   .min_gap = 1e-300,
                                   .seconds = 3,
                                   .iterations = 7,
                                   .steps = 1000000,
                                   .rollouts = -1,
                                   .message = message};
  struct dc_text text = {0};
  struct dc_sweep_row parsed;
  dc_sweep_row_print(12345, &row, &text);
  CHECK(dc_sweep_row_parse(text.bytes, text.length, &parsed) == 12345, "%s", text.bytes);
  CHECK(parsed.status == 139 && parsed.success && !parsed.stopped && parsed.loss == 0.1 && isnan(parsed.initial_loss) &&
            parsed.min_gap == 1e-300 && parsed.iterations == 7 && parsed.steps == 1000000 && parsed.rollouts == -1 &&
            strcmp(dc_sweep_row_message(&parsed), message) == 0,
        "%s", text.bytes);
  dc_sweep_row_clear(&parsed);
  for (size_t cut = 0; cut < text.length - 1; cut++) {
    CHECK(dc_sweep_row_parse(text.bytes, cut, &parsed) == -1, "cut to %zu bytes", cut);
    dc_sweep_row_clear(&parsed);
  }
  dc_text_free(&text);
}

static void test_forged(void)
{
  static const char *const lines[] = {
      "{\"point\": 1, \"status\": 1e300, \"message\": \"\"",
      "{\"point\": 1, \"status\": -5e9, \"message\": \"\"",
      "{\"point\": 1, \"status\": null, \"message\": \"\"",
      "{\"point\": 1, \"status\": \"0\", \"message\": \"\"",
      "{\"point\": 1, \"message\": \"\"",
      "{\"point\": -1, \"status\": 0, \"message\": \"\"",
      "{\"point\": 1e17, \"status\": 0, \"message\": \"\"",
      "{\"point\": 1, \"status\": 0, \"message\": null",
      "[1",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct dc_text text = {0};
    struct dc_sweep_row parsed;
    dc_text_add(&text, "%s", lines[i]);
    dc_journal_seal(&text, 0);
    long point = dc_sweep_row_parse(text.bytes, text.length, &parsed);
    CHECK(point == -1, "%s: point %ld, status %d", lines[i], point, parsed.status);
    dc_sweep_row_clear(&parsed);
    dc_text_free(&text);
  }
  struct dc_text text = {0};
  struct dc_sweep_row parsed;
  dc_text_add(&text, "{\"point\": 1, \"status\": 0, \"iterations\": -1e300, \"steps\": 1e300, \"message\": \"\"");
  dc_journal_seal(&text, 0);
  CHECK(dc_sweep_row_parse(text.bytes, text.length, &parsed) == 1 && parsed.iterations == -1 && parsed.steps == -1,
        "counts");
  dc_sweep_row_clear(&parsed);
  dc_text_free(&text);
}

RUN_TESTS({"what is printed is parsed", test_round_trip}, {"forged lines", test_forged})
