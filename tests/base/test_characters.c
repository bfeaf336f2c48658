// SPDX-License-Identifier: Apache-2.0
#include "base/characters.h"

#include "harness.h"

static void test_lengths(void)
{
  static const struct {
    const char *text;
    size_t length;
    unsigned code;
  } cases[] = {{"a", 1, 'a'},
               {"\xc3\xa9", 2, 0xe9},
               {"\xc2\x9b", 2, 0x9b},
               {"\xe2\x80\xae", 3, 0x202e},
               {"\xf0\x9f\x8e\xb1", 4, 0x1f3b1},
               {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
               {"\x9b", 0, 0},              // a lone continuation
               {"\xc0\x80", 0, 0},          // overlong
               {"\xe0\x9f\xbf", 0, 0},      // overlong
               {"\xed\xa0\x80", 0, 0},      // surrogate
               {"\xf4\x90\x80\x80", 0, 0},  // over U+10FFFF
               {"\xe2\x80", 0, 0}};         // cut off
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length = dc_utf8_length(cases[i].text, strlen(cases[i].text));
    CHECK(length == cases[i].length, "case %zu: %zu", i, length);
    if (length)
      CHECK(dc_utf8_code_point(cases[i].text, length) == cases[i].code, "case %zu", i);
  }
  CHECK(dc_utf8_length("\xe2\x80\xae", 2) == 0, "only two of its three bytes may be read");
}

static void test_controls(void)
{
  for (unsigned code = 0; code < 0x11000; code++) {
    bool c0 = code < 0x20 || code == 0x7f, c1 = code >= 0x80 && code <= 0x9f;
    bool bidi = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                (code >= 0x2066 && code <= 0x2069);
    bool separator = code == 0x2028 || code == 0x2029;
    CHECK(dc_is_control(code) == (c0 || c1 || bidi || separator), "U+%04X", code);
  }
}

static void test_replacement(void)
{
  char text[] = "a\x1b[31m\n\xc3\xa9\xc2\x9b"
                "31m \xe2\x80\xae"
                "x\x9b\xf0\x9f\x8e\xb1\x7f\xe2\x81";
  char name[] = "a\nb\xe2\x80\x8f";
  dc_replace_controls(text, '?', "\n");
  CHECK(strcmp(text, "a?[31m\n\xc3\xa9?31m ?x?\xf0\x9f\x8e\xb1???") == 0, "%s", text);
  dc_replace_controls(name, '_', "");
  CHECK(strcmp(name, "a_b_") == 0, "%s", name);
}

RUN_TESTS({"lengths and code points of UTF-8", test_lengths},
          {"controls: C0, C1, delete, directions, separators", test_controls},
          {"controls are replaced", test_replacement})
