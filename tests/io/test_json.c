// SPDX-License-Identifier: Apache-2.0
// The JSON scanner, places of values, and the writer.
#include <math.h>

#include "base/random.h"
#include "harness.h"
#include "io/json/json_value.h"
#include "io/json/json_edit.h"
#include "io/json/json_write.h"
#include "scene_files.h"

struct text_case {
  const char *text, *message;  // NULL: accepted
};

static const struct text_case texts[] = {
    // accepted
    {"{}", NULL},
    {" \t\r\n[ ] ", NULL},
    {"[0, -0, 1, 10, 1.5, -1e3, 1E+3, 1e-3, 0.1e1, 0e0]", NULL},
    {"[true, false, null, \"\", {\"\": 1}]", NULL},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", NULL},
    {"// a\n{/* b\n*/\"a\"/**/:/***/1 // c\n} // end", NULL},
    {"\"// no comment /* neither */\"", NULL},
    {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"", NULL},
    {"\xef\xbb\xbf{}", NULL},
    {"1e-999", NULL},
    {"1.7976931348623157e308", NULL},
    {"123456789012345678901234567890123456789012345678901234567890123", NULL},
    // grammar
    {"", "a.json:1:1: unexpected end of file, expected a value; the file is empty"},
    {"  \n ", "a.json:2:2: unexpected end of file, expected a value"},
    {"{", "a.json:1:2: expected a key in double quotes; the file ends inside of an object: '}' is missing"},
    {"{\"a\"", "a.json:1:5: expected ':' after the key"},
    {"{\"a\":", "a.json:1:6: unexpected end of file, expected a value"},
    {"{\"a\": 1", "a.json:1:8: expected ',' or '}'; the file ends inside of an object: '}' is missing"},
    {"{\"a\": 1,}", "a.json:1:9: expected a key in double quotes; the comma before is one too many"},
    {"{a: 1}", "a.json:1:2: expected a key in double quotes"},
    {"{\"a\" 1}", "a.json:1:6: expected ':' after the key"},
    {"[1, 2", "a.json:1:6: expected ',' or ']'; the file ends inside of an array: ']' is missing"},
    {"[1 2]", "a.json:1:4: expected ',' or ']': a comma is missing before this"},
    {"[1,]", "a.json:1:4: expected a value; the comma before is one too many"},
    {"[,]", "a.json:1:2: expected a value"},
    {"[1}", "a.json:1:3: expected ',' or ']'"},
    {"{} x", "a.json:1:4: text after the end of the scene"},
    {"{}{}", "a.json:1:3: text after the end of the scene"},
    {"[True]", "a.json:1:2: expected a value; true, false and null are written in small letters"},
    {"[NaN]", "a.json:1:2: expected a value; NaN and Infinity are none"},
    {"[Infinity]", "a.json:1:2: expected a value; NaN and Infinity are none"},
    {"[nul]", "a.json:1:2: expected a value"},
    {"[truee]", "a.json:1:6: expected ',' or ']'"},
    {"['a']", "a.json:1:2: expected a value; texts stand in double quotes"},
    // numbers
    {"[01]", "a.json:1:2: number with a leading zero; leave it out"},
    {"[-01]", "a.json:1:2: number with a leading zero; leave it out"},
    {"[+1]", "a.json:1:2: expected a value; a number begins with a digit or '-', as 0.5"},
    {"[.5]", "a.json:1:2: expected a value; a number begins with a digit or '-', as 0.5"},
    {"[5.]", "a.json:1:4: expected a digit after the decimal point"},
    {"[-]", "a.json:1:3: expected a digit"},
    {"[1e]", "a.json:1:4: expected a digit in the exponent"},
    {"[1e+]", "a.json:1:5: expected a digit in the exponent"},
    {"[0x10]", "a.json:1:3: expected ',' or ']'"},
    {"[1,\n 1e999]", "a.json:2:2: [1]: number too large for double precision"},
    {"{\"a\": [-1e400]}", "a.json:1:8: a[0]: number too large for double precision"},
    {"[1234567890123456789012345678901234567890123456789012345678901234]",
     "a.json:1:2: number longer than 63 characters"},
    // strings
    {"[\"a", "a.json:1:2: string without end"},
    {"[\"a\\", "a.json:1:5: invalid escape in a string"},
    {"[\"\\x41\"]", "a.json:1:4: invalid escape in a string"},
    {"[\"\\u12g4\"]", "a.json:1:4: \\u must be followed by four hexadecimal digits"},
    {"[\"\\u12", "a.json:1:4: \\u must be followed by four hexadecimal digits"},
    {"[\"\\u0000\"]", "a.json:1:4: \\u0000 is not allowed"},
    {"[\"\\ud83d\"]", "a.json:1:9: high surrogate without a low one after it"},
    {"[\"\\ud83d\\u0041\"]", "a.json:1:9: high surrogate without a low one after it"},
    {"[\"\\ude00\"]", "a.json:1:4: low surrogate without a high one before it"},
    {"[\"a\nb\"]", "a.json:1:4: control character in a string"},
    {"[\"\t\"]", "a.json:1:3: control character in a string"},
    // UTF-8, also in comments; columns count characters
    {"[\"\xc3\xa9\", \"\xff\"]", "a.json:1:8: invalid UTF-8"},
    {"[\"\xc0\x80\"]", "a.json:1:3: invalid UTF-8"},
    {"[\"\xed\xa0\x80\"]", "a.json:1:3: invalid UTF-8"},
    {"[\"\xf4\x90\x80\x80\"]", "a.json:1:3: invalid UTF-8"},
    {"[\"\xe2\x82\"]", "a.json:1:3: invalid UTF-8"},
    {"// \x80\n[]", "a.json:1:4: invalid UTF-8"},
    // comments
    {"{ /* never closed }", "a.json:1:3: comment without end"},
    {"{ /*/ }", "a.json:1:3: comment without end"},
    {"{ / }", "a.json:1:3: unexpected character '/'; comments begin with // or /*"},
    {"/* \xc3\xa9\xc3\xa9 */ [01]", "a.json:1:11: number with a leading zero; leave it out"},
    // duplicate keys
    {"{\"a\": 1, \"b\": 2,\n  \"a\": 3}", "a.json:2:3: a: duplicate key"},
    {"{\"a\": 1, \"\\u0061\": 3}", "a.json:1:10: a: duplicate key"},
    {"[{\"x y\": {\"b\": 1, \"a\": 2, \"b\": 3}}]", "a.json:1:27: [0][\"x y\"].b: duplicate key"},
    {"{\"a\": 1, \"A\": 3}", NULL},
};

static enum dc_status load(const char *text, size_t length, struct dc_json_document *document, struct dc_arena *arena,
                           struct dc_error *error)
{
  write_bytes("a.json", text, length);
  *document = (struct dc_json_document){0};
  return dc_json_load(document, "a.json", arena, error);
}

static void test_texts(void)
{
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const struct text_case *test = &texts[i];
    struct dc_arena *arena = dc_arena_create();
    struct dc_json_document document;
    struct dc_error error = {0};
    enum dc_status status = load(test->text, strlen(test->text), &document, arena, &error);
    CHECK(status == (test->message ? DC_BAD_INPUT : DC_OK), "%s: status %d, %s", test->text, status, error.text);
    CHECK(strcmp(error.text, test->message ? test->message : "") == 0, "%s: \"%s\"", test->text, error.text);
    dc_json_release(&document);
    dc_arena_destroy(arena);
  }
}

static void test_nul_byte(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_json_document document;
  struct dc_error error = {0};
  CHECK(load("{}\0{}", 5, &document, arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, "a.json:1:3: text after the end of the scene") == 0, "%s", error.text);
  CHECK(load("[\"a\0b\"]", 7, &document, arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, "a.json:1:4: control character in a string") == 0, "%s", error.text);
  dc_arena_destroy(arena);
}

static void test_depth(void)
{
  enum { BOMB = 4000000 };
  char *text = malloc(BOMB);
  struct dc_arena *arena = dc_arena_create();
  struct dc_json_document document;
  struct dc_error error = {0};
  memset(text, '[', 64);
  memset(text + 64, ']', 64);
  CHECK(load(text, 128, &document, arena, &error) == DC_OK, "%s", error.text);
  dc_json_release(&document);
  memset(text, '[', BOMB);
  CHECK(load(text, BOMB, &document, arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, "a.json:1:65: nested deeper than 64 levels") == 0, "%s", error.text);
  dc_arena_destroy(arena);
  free(text);
}

// More values than a tree may hold are refused before cJSON allocates anything for them.
static void test_value_count(void)
{
  enum { COUNT = 3000001 };
  char *text = malloc(2 * COUNT + 2);
  struct dc_arena *arena = dc_arena_create();
  struct dc_json_document document;
  struct dc_error error = {0};
  text[0] = '[';
  for (int i = 0; i < COUNT; i++)
    memcpy(text + 1 + 2 * i, "1,", 2);
  text[2 * COUNT] = ']';
  CHECK(load(text, 2 * COUNT + 1, &document, arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, "a.json:1:6000000: more than 3000000 values") == 0, "%s", error.text);
  dc_arena_destroy(arena);
  free(text);
}

static void test_files(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_json_document document = {0};
  struct dc_error error = {0};
  CHECK(dc_json_load(&document, "missing.json", arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, "missing.json: No such file or directory") == 0, "%s", error.text);
  CHECK(dc_json_load(&document, ".", arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, ".: is a directory") == 0, "%s", error.text);
  CHECK(mkfifo("fifo.json", 0600) == 0);
  CHECK(dc_json_load(&document, "fifo.json", arena, &error) == DC_BAD_INPUT);  // without a writer: must not block
  CHECK(strcmp(error.text, "fifo.json: is not a regular file") == 0, "%s", error.text);
  CHECK(dc_json_load(&document, "/dev/zero", arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, "/dev/zero: is not a regular file") == 0, "%s", error.text);
  write_bytes("large.json", "{}", 2);
  CHECK(truncate("large.json", 64 * 1024 * 1024 + 1) == 0);
  CHECK(dc_json_load(&document, "large.json", arena, &error) == DC_BAD_INPUT);
  CHECK(strcmp(error.text, "large.json: must be at most 64 MB (is 67108865 bytes)") == 0, "%s", error.text);
  dc_arena_destroy(arena);
}

static void test_places(void)
{
  static const char text[] = "{ // comment\n  \"a\": [10,\n    {\"b\": \"\xc3\xa9\", /* x */ \"c\": 3}]\n}\n";
  struct dc_arena *arena = dc_arena_create();
  struct dc_json_document document;
  struct dc_error error = {0};
  CHECK(load(text, strlen(text), &document, arena, &error) == DC_OK, "%s", error.text);
  struct dc_json root = dc_json_root(&document), a = dc_json_member(&root, "a");
  struct dc_json element = dc_json_element(&a, cJSON_GetArrayItem(a.node, 1), 1), c = dc_json_member(&element, "c");
  dc_json_fail(&root, &error, DC_BAD_INPUT, "rule");
  CHECK(strcmp(error.text, "a.json:1:1: rule") == 0, "%s", error.text);
  dc_json_fail(&c, &error, DC_BAD_INPUT, "rule %d", 7);
  CHECK(strcmp(error.text, "a.json:3:29: a[1].c: rule 7") == 0, "%s", error.text);
  dc_json_fail_key(&c, &error, DC_BAD_INPUT, "rule");
  CHECK(strcmp(error.text, "a.json:3:24: a[1].c: rule") == 0, "%s", error.text);
  CHECK(dc_json_member(&root, "A").node == NULL, "case matters");
  // a message that names a path gets the place the path leads to
  dc_fail(&error, DC_MEMORY, "a[1].c: too much: really");
  CHECK(dc_json_wrap(&root, &error) == DC_MEMORY);
  CHECK(strcmp(error.text, "a.json:3:29: a[1].c: too much: really") == 0, "%s", error.text);
  dc_fail(&error, DC_BAD_INPUT, "a[1].nothing: wrong");
  dc_json_wrap(&root, &error);
  CHECK(strcmp(error.text, "a.json:3:5: a[1]: nothing: wrong") == 0, "%s", error.text);
  dc_fail(&error, DC_BAD_INPUT, "free text");
  dc_json_wrap(&element, &error);
  CHECK(strcmp(error.text, "a.json:3:5: a[1]: free text") == 0, "%s", error.text);
  dc_json_release(&document);
  dc_arena_destroy(arena);
}

static void test_quote(void)
{
  char quoted[DC_JSON_QUOTED], text[300];
  CHECK(strcmp(dc_json_quote(quoted, "a\x1b[31mb\x7f\n"), "\"a?[31mb??\"") == 0, "%s", quoted);
  CHECK(strcmp(dc_json_quote(quoted, "a\xc2\x9b"
                                     "31m\xe2\x80\xae\xc3\xa9\x9b"),
               "\"a?31m?\xc3\xa9?\"") == 0,
        "%s", quoted);
  for (int i = 0; i < 298; i += 2)
    memcpy(text + i, "\xc3\xa9", 2);
  text[298] = '\0';
  dc_json_quote(quoted, text);
  CHECK(strlen(quoted) == 85 && strcmp(quoted + 81, "...\"") == 0, "%s", quoted);
  CHECK(dc_json_is_utf8(quoted, strlen(quoted)));
}

// Every finite double comes back with the same bits.
static void test_numbers_round_trip(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  struct dc_json_writer writer = {0};
  double numbers[2000];
  int count = 0;
  while (count < 2000) {
    uint64_t bits = dc_random_bits(&random);
    memcpy(&numbers[count], &bits, sizeof bits);
    count += isfinite(numbers[count]) != 0;
  }
  dc_json_put_numbers(&writer, NULL, numbers, count);
  char *text = dc_json_finish(&writer);
  struct dc_arena *arena = dc_arena_create();
  struct dc_json_document document;
  struct dc_error error = {0};
  CHECK(load(text, strlen(text), &document, arena, &error) == DC_OK, "%s", error.text);
  int i = 0, different = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, document.root) {
    different += memcmp(&node->valuedouble, &numbers[i], sizeof(double)) != 0;
    i++;
  }
  CHECK(i == count && different == 0, "%d of %d differ", different, i);
  dc_json_release(&document);
  dc_arena_destroy(arena);
  free(text);
}

static void test_writer(void)
{
  struct dc_json_writer writer = {0};
  static const double numbers[] = {0.1, -1, 1e300};
  dc_json_begin(&writer, NULL, '{');
  dc_json_put_string(&writer, "a\"\\\n", "\x01\xc3\xa9");
  dc_json_put_numbers(&writer, "n", numbers, 3);
  dc_json_put_numbers(&writer, "none", numbers, 0);
  dc_json_begin(&writer, "o", '{');
  dc_json_end(&writer, "}");
  dc_json_begin(&writer, "l", '[');
  dc_json_put_integer(&writer, NULL, -3);
  dc_json_put_boolean(&writer, NULL, true);
  dc_json_end(&writer, "]}");
  char *text = dc_json_finish(&writer);
  CHECK(strcmp(text, "{\n  \"a\\\"\\\\\\n\": \"\\u0001\xc3\xa9\",\n"
                     "  \"n\": [0.10000000000000001, -1, 1.0000000000000001e+300],\n"
                     "  \"none\": [],\n  \"o\": {},\n  \"l\": [\n    -3,\n    true\n  ]\n}\n") == 0,
        "%s", text);
  free(text);
}

// Values change where they stand; brackets and quotes in strings and comments are no ends.
static void test_edit(void)
{
  static const char before[] =
      "{ // {\n  \"a\": [1, [2], \"]\\\"\"] /* ] */, \"b\": {\"x\": -1.5e3},\n  \"c\": \"d\" }\n";
  static const char after[] = "{ // {\n  \"a\": [9] /* ] */, \"b\": {\"y\": true, \"x\": 2},\n  \"c\": {\"d\": 0} }\n";
  struct dc_arena *arena = dc_arena_create();
  struct dc_json_document document = {0};
  struct dc_error error = {0};
  struct dc_text text = {0};
  CHECK(!dc_json_load_text(&document, "text", before, arena, &error), "%s", error.text);
  const cJSON *b = cJSON_GetObjectItem(document.root, "b"), *c = cJSON_GetObjectItem(document.root, "c");
  const struct dc_json_change changes[] = {
      {c, NULL, "{\"d\": 0}"}, {b, "x", "2"}, {document.root, "a", "[9]"}, {b, "y", "true"}};
  dc_json_edit(&document, 4, changes, &text);
  CHECK(!text.failed && strcmp(text.bytes, after) == 0, "%s", text.bytes);
  dc_text_free(&text);
  dc_json_edit(&document, 0, changes, &text);
  CHECK(strcmp(text.bytes, before) == 0, "%s", text.bytes);
  dc_text_free(&text);
  dc_json_release(&document);
  dc_arena_destroy(arena);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"accepts and refuses texts", test_texts}, {"refuses NUL bytes", test_nul_byte},
                              {"limits the depth", test_depth}, {"limits the number of values", test_value_count},
                              {"reads regular files only, never blocks", test_files},
                              {"knows where values stand", test_places}, {"quotes text for messages", test_quote},
                              {"writes doubles that come back the same", test_numbers_round_trip},
                              {"writes JSON", test_writer}, {"changes values in a text", test_edit})
