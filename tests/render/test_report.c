// SPDX-License-Identifier: Apache-2.0
// What a report's page is made of: numbers as base64, and data that cannot leave its place.
#include "render/report.h"

#include "harness.h"

static void check_text(char *text, const char *expected)
{
  CHECK(text && strcmp(text, expected) == 0, "%s, not %s", text ? text : "nothing", expected);
  free(text);
}

// The expected texts were made with Python's struct and base64.
static void test_numbers(void)
{
  const double floats[] = {1, -2.5, 1e-3}, huge[] = {1e300, NAN}, fractions[] = {1, -1, 0.5, 2};
  const int integers[] = {0, 1, 258, 65535};
  check_text(dc_report_floats(3, floats), "AACAPwAAIMBvEoM6");
  check_text(dc_report_floats(1, floats), "AACAPw==");
  check_text(dc_report_floats(2, floats), "AACAPwAAIMA=");
  check_text(dc_report_floats(0, floats), "");
  check_text(dc_report_floats(2, huge), "AADAfwAAwH8=");
  check_text(dc_report_fractions(4, fractions), "/38BgABA/38=");
  check_text(dc_report_integers(4, integers, 2), "AAABAAIB//8=");
  check_text(dc_report_integers(4, integers, 4), "AAAAAAEAAAACAQAA//8AAA==");
}

static int count(const char *page, const char *what)
{
  int found = 0;
  for (const char *at = page; (at = strstr(at, what)); at += strlen(what))
    found++;
  return found;
}

static void test_page(void)
{
  size_t empty_size, size;
  char *empty = dc_report_page(dc_report_template, "", &empty_size);
  const char *data = "{\"a\": \"</script><!--<script>@DCSIM_DATA@\"}";
  char *page = dc_report_page(dc_report_template, data, &size);
  CHECK(empty && strlen(empty) == empty_size && empty_size > 100000);
  CHECK(page && strlen(page) == size && size == empty_size + strlen(data) + 3 * 5, "%zu, %zu", size, empty_size);
  CHECK(count(empty, "DCSIM_DATA") == 0 && count(page, "@DCSIM_DATA@") == 1);
  CHECK(count(page, "{\"a\": \"\\u003c/script>\\u003c!--\\u003cscript>@DCSIM_DATA@\"}") == 1);
  CHECK(count(page, "</script>") == count(empty, "</script>") && count(page, "<!--") == count(empty, "<!--"));
  // nothing to be loaded; the names of XML's own spaces are no addresses
  CHECK(count(empty, " src=\"http") == 0 && count(empty, "<link rel=\"stylesheet\"") == 0 &&
        count(empty, "url(http") == 0);
  CHECK(count(empty, "default-src 'none'") == 1);
  CHECK(count(empty, "three.js authors") >= 1 && count(empty, "Leon Sorokin") >= 1, "the licences are missing");
  free(empty);
  free(page);
}

RUN_TESTS({"numbers become base64", test_numbers}, {"data stay in their place of the page", test_page})
