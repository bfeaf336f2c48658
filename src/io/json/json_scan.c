// SPDX-License-Identifier: Apache-2.0
// A recursive-descent scanner of RFC 8259.  dc_json_scan checks UTF-8 once over the whole text and then scans one
// value: scan_value notes where the value and its key stand, scans its string, number or word, or, for an object or
// array, its members in turn.  Places are added in the order in which the text has the values, so that json_value.c can
// hand them out to the nodes of cJSON's tree in a walk of the same order.
//
// Comments (// to the end of the line and /* */) are allowed between tokens.  They are overwritten with blanks (line
// ends stay), which keeps every offset, as cJSON does not know comments.
#include "io/json/json_scan.h"

#include <stdbool.h>
#include <string.h>

#include "base/characters.h"
#include "base/memory.h"

// The text while it is scanned.  It is writable, because comments in it are blanked, and ends with a NUL, so
// that peek() and comparisons of a few characters may look beyond its length.  The byte `at` is the next one to
// be read; after a failure it is the place of the error, which dc_json_scan hands to its caller.
struct scanner {
  char *text;
  size_t length, at;
  uint32_t source;
  struct dc_json_places *places;
  struct dc_error *error;
};

// The place of the error is scanner->at, which the caller has left there.
static enum dc_status bad(struct scanner *scanner, const char *message)
{
  return dc_fail(scanner->error, DC_BAD_INPUT, "%s", message);
}

// The next byte; NUL behind the end, which no token begins with.
static char peek(const struct scanner *scanner)
{
  return scanner->at < scanner->length ? scanner->text[scanner->at] : '\0';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

// The mark with which programs begin a text in UTF-16.
static bool begins_as_utf16(const struct scanner *scanner)
{
  return scanner->length > 1 &&
         (memcmp(scanner->text, "\xff\xfe", 2) == 0 || memcmp(scanner->text, "\xfe\xff", 2) == 0);
}

// The whole text, before anything else looks at it.
static enum dc_status check_utf8(struct scanner *scanner)
{
  while (scanner->at < scanner->length) {
    size_t count = dc_utf8_length(scanner->text + scanner->at, scanner->length - scanner->at);
    if (count == 0)
      return bad(scanner,
                 begins_as_utf16(scanner) ? "invalid UTF-8: this is UTF-16, save it as UTF-8" : "invalid UTF-8");
    scanner->at += count;
  }
  scanner->at = 0;
  return DC_OK;
}

// Blanks the comment that begins at scanner->at and moves behind it.  "//" reaches to the end of its line or of
// the text, "/*" to the first "*/": comments do not nest, as in C.  Line ends are kept, so that lines and
// columns of later errors are those of the file.
static enum dc_status blank_comment(struct scanner *scanner)
{
  char *begin = scanner->text + scanner->at, *end;
  if (begin[1] == '/') {
    end = memchr(begin, '\n', scanner->length - scanner->at);
    if (!end)
      end = scanner->text + scanner->length;
  } else if (begin[1] == '*') {
    end = memmem(begin + 2, scanner->length - scanner->at - 2, "*/", 2);
    if (!end)
      return bad(scanner, "comment without end");
    end += 2;
  } else {
    return bad(scanner, "unexpected character '/'; comments begin with // or /*");
  }
  for (char *c = begin; c < end; c++)
    if (*c != '\n' && *c != '\r')
      *c = ' ';
  scanner->at = (size_t)(end - scanner->text);
  return DC_OK;
}

// Moves to the next byte that is neither white space of RFC 8259 (space, tab, line feed, carriage return) nor
// part of a comment.  Every token is reached through here, which makes comments possible wherever JSON allows
// white space.
static enum dc_status skip_blanks(struct scanner *scanner)
{
  for (;;) {
    char c = peek(scanner);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      scanner->at++;
    } else if (c == '/') {
      enum dc_status status = blank_comment(scanner);
      if (status)
        return status;
    } else {
      return DC_OK;
    }
  }
}

// The four digits of \uXXXX at text, or -1.
static int hexadecimal(const char *text)
{
  int code = 0;
  for (int i = 0; i < 4; i++) {
    char c = text[i];
    int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0)
      return -1;
    code = 16 * code + digit;
  }
  return code;
}

// Passes over an escape; scanner->at is behind the backslash.  Code points above U+FFFF are written as two
// escapes, a high surrogate (d800 to dbff) and a low one (dc00 to dfff): either without the other is refused,
// as it stands for no character.  U+0000 is refused because strings end with a NUL in C.
//
// The text is terminated by a NUL, so that hexadecimal() cannot run beyond it.
static enum dc_status scan_escape(struct scanner *scanner)
{
  char c = peek(scanner);
  if (c != 'u') {
    if (c == '\0' || !strchr("\"\\/bfnrt", c))
      return bad(scanner, "invalid escape in a string");
    scanner->at++;
    return DC_OK;
  }
  int code = hexadecimal(scanner->text + scanner->at + 1);
  if (code < 0)
    return bad(scanner, "\\u must be followed by four hexadecimal digits");
  if (code == 0)
    return bad(scanner, "\\u0000 is not allowed");
  if (code >= 0xdc00 && code < 0xe000)
    return bad(scanner, "low surrogate without a high one before it");
  scanner->at += 5;
  if (code < 0xd800 || code >= 0xdc00)
    return DC_OK;
  const char *next = scanner->text + scanner->at;
  int low = next[0] == '\\' && next[1] == 'u' ? hexadecimal(next + 2) : -1;
  if (low < 0xdc00 || low >= 0xe000)
    return bad(scanner, "high surrogate without a low one after it");
  scanner->at += 6;
  return DC_OK;
}

// Passes over a string, from its opening quote to behind the closing one, and checks its escapes.  UTF-8 was
// checked over the whole text before; control characters, line ends among them, must be escaped by RFC 8259,
// section 7.  A string without end is reported at its opening quote, as the end of the file says nothing about
// where a quote is missing.
static enum dc_status scan_string(struct scanner *scanner)
{
  size_t begin = scanner->at++;
  for (;;) {
    if (scanner->at >= scanner->length) {
      scanner->at = begin;
      return bad(scanner, "string without end");
    }
    unsigned char c = (unsigned char)scanner->text[scanner->at];
    if (c < 0x20)
      return bad(scanner, "control character in a string");
    scanner->at++;
    if (c == '"')
      return DC_OK;
    if (c == '\\') {
      enum dc_status status = scan_escape(scanner);
      if (status)
        return status;
    }
  }
}

// Whether there was a digit at all.
static bool skip_digits(struct scanner *scanner)
{
  size_t begin = scanner->at;
  while (is_digit(peek(scanner)))
    scanner->at++;
  return scanner->at > begin;
}

// Passes over a number by the grammar of RFC 8259, section 6: minus, integer part without leading zeros,
// fraction, exponent.  It has at most DC_JSON_MOST_DIGITS characters, because cJSON copies no more of a number
// into its buffer and would read a longer one as another value without a word.
static enum dc_status scan_number(struct scanner *scanner)
{
  size_t begin = scanner->at;
  if (peek(scanner) == '-')
    scanner->at++;
  bool zero = peek(scanner) == '0';
  size_t digits = scanner->at;
  if (!skip_digits(scanner))
    return bad(scanner, "expected a digit");
  if (zero && scanner->at > digits + 1) {
    scanner->at = begin;
    return bad(scanner, "number with a leading zero; leave it out");
  }
  if (peek(scanner) == '.') {
    scanner->at++;
    if (!skip_digits(scanner))
      return bad(scanner, "expected a digit after the decimal point");
  }
  if (peek(scanner) == 'e' || peek(scanner) == 'E') {
    scanner->at++;
    if (peek(scanner) == '+' || peek(scanner) == '-')
      scanner->at++;
    if (!skip_digits(scanner))
      return bad(scanner, "expected a digit in the exponent");
  }
  if (scanner->at - begin > DC_JSON_MOST_DIGITS) {
    scanner->at = begin;
    return bad(scanner, "number longer than 63 characters");
  }
  return DC_OK;
}

// Whether a comma stands before this place, beyond blanks.
static bool follows_comma(const struct scanner *scanner)
{
  size_t at = scanner->at;
  while (at > 0 && strchr(" \t\r\n", scanner->text[at - 1]))
    at--;
  return at > 0 && scanner->text[at - 1] == ',';
}

// Passes over true, false or null.  Anything else that stands where a value should be ends here, and the
// message names the habit of another language that it looks like: ".5", "+1", None, True, NaN, texts in single
// quotes, comments with "#", XML, a comma before a closing bracket.
static enum dc_status scan_word(struct scanner *scanner)
{
  static const char *const words[] = {"true", "false", "null"};
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(words[i]);
    if (strncmp(scanner->text + scanner->at, words[i], length) == 0) {
      scanner->at += length;
      return DC_OK;
    }
  }
  char first = peek(scanner);
  if (first == '.' || first == '+')  // as other languages write numbers
    return bad(scanner, "expected a value; a number begins with a digit or '-', as 0.5");
  if (strncmp(scanner->text + scanner->at, "None", 4) == 0 || first == 'T' || first == 'F')
    return bad(scanner, "expected a value; true, false and null are written in small letters");
  if (first == 'N' || first == 'I')
    return bad(scanner, "expected a value; NaN and Infinity are none");
  if (first == '\'')
    return bad(scanner, "expected a value; texts stand in double quotes");
  if (first == '#')
    return bad(scanner, "expected a value; comments begin with //");
  if (first == '<' && scanner->at == 0)
    return bad(scanner, "expected a value; this is XML: \"include\" of a scene reads a robot's file, and dcsim import "
                        "-o FILE makes a scene of it");
  if ((first == ']' || first == '}' || first == ',') && follows_comma(scanner))
    return bad(scanner, "expected a value; the comma before is one too many");
  if (scanner->at == 0)
    return bad(scanner, scanner->length > 0 ? "expected a value; the file is no JSON, which begins with {"
                                            : "unexpected end of file, expected a value; the file is empty");
  return bad(scanner, scanner->at < scanner->length ? "expected a value" : "unexpected end of file, expected a value");
}

// Appends the place of the value that begins at scanner->at.  The count is limited before the tree is built:
// cJSON needs about 80 bytes for each value, so that a small file of "[[[],[],..." could otherwise take all
// memory.
static enum dc_status add_place(struct scanner *scanner, size_t key)
{
  struct dc_json_places *places = scanner->places;
  if (places->count == DC_JSON_MOST_VALUES)
    return bad(scanner, "more than 3000000 values");
  if (dc_grow(&places->places, &places->capacity, places->count + 1, sizeof *places->places))
    return dc_out_of_memory(scanner->error);
  places->places[places->count++] =
      (struct dc_json_place){.value = (uint32_t)scanner->at, .key = (uint32_t)key, .source = scanner->source};
  return DC_OK;
}

// Passes over a key in quotes, the colon and the blanks around it, up to the value.  What commonly stands there
// instead is named in the message: a comma too many, a comment with "#", the end of the file.
static enum dc_status scan_key(struct scanner *scanner)
{
  char first = peek(scanner);
  if (first == '}' && follows_comma(scanner))
    return bad(scanner, "expected a key in double quotes; the comma before is one too many");
  if (first == '#')
    return bad(scanner, "expected a key in double quotes; comments begin with //");
  if (scanner->at == scanner->length)
    return bad(scanner, "expected a key in double quotes; the file ends inside of an object: '}' is missing");
  if (first != '"')
    return bad(scanner, "expected a key in double quotes");
  enum dc_status status = scan_string(scanner);
  if (!status)
    status = skip_blanks(scanner);
  if (status)
    return status;
  if (peek(scanner) != ':')
    return bad(scanner, "expected ':' after the key");
  scanner->at++;
  return skip_blanks(scanner);
}

// Refuses what stands after a value where neither a comma nor the closing bracket does.  If it could begin a
// key or value, a comma is missing; at the end of the file, the bracket is.
static enum dc_status refuse_separator(struct scanner *scanner, bool object)
{
  if (scanner->at == scanner->length)
    return bad(scanner, object ? "expected ',' or '}'; the file ends inside of an object: '}' is missing"
                               : "expected ',' or ']'; the file ends inside of an array: ']' is missing");
  char c = peek(scanner);
  bool next = c == '"' || c == '{' || c == '[' || c == '-' || is_digit(c);
  if (next)
    return bad(scanner, object ? "expected ',' or '}': a comma is missing before this"
                               : "expected ',' or ']': a comma is missing before this");
  return bad(scanner, object ? "expected ',' or '}'" : "expected ',' or ']'");
}

// Scans the value that begins here and, for an object or array, all values within it.  `key` is the byte offset
// of its key, or of the value itself in an array; `depth` is the number of brackets around it.
//
// The place of an object or array is added before those of its members: this is the order of visit() in
// json_value.c, which counts nodes and places side by side.  The recursion is bounded by DC_JSON_MOST_DEPTH,
// which also bounds that of cJSON, of visit() and of everything that prints or copies a tree.
static enum dc_status scan_value(struct scanner *scanner, size_t key, int depth)
{
  enum dc_status status = add_place(scanner, key);
  if (status)
    return status;
  char c = peek(scanner);
  if (c == '"')
    return scan_string(scanner);
  if (c == '-' || is_digit(c))
    return scan_number(scanner);
  if (c != '{' && c != '[')
    return scan_word(scanner);
  if (depth == DC_JSON_MOST_DEPTH)
    return bad(scanner, "nested deeper than 64 levels");
  bool object = c == '{';
  char close = object ? '}' : ']';
  scanner->at++;
  if ((status = skip_blanks(scanner)))
    return status;
  if (peek(scanner) == close) {
    scanner->at++;
    return DC_OK;
  }
  for (;;) {
    size_t begin = scanner->at;
    if (object && (status = scan_key(scanner)))
      return status;
    if ((status = scan_value(scanner, begin, depth + 1)) || (status = skip_blanks(scanner)))
      return status;
    c = peek(scanner);
    if (c != ',' && c != close)
      return refuse_separator(scanner, object);
    scanner->at++;
    if (c == close)
      return DC_OK;
    if ((status = skip_blanks(scanner)))
      return status;
  }
}

bool dc_json_is_utf8(const char *text, size_t length)
{
  for (size_t at = 0, count; at < length; at += count)
    if ((count = dc_utf8_length(text + at, length - at)) == 0)
      return false;
  return true;
}

// Checks UTF-8 of the whole text first, so that no later rule has to look at more than bytes; then blanks, one
// value, blanks again and the end.  *offset is set in any case: the place of the error, or `length`.
enum dc_status dc_json_scan(char *text, size_t length, uint32_t source, struct dc_json_places *places, size_t *offset,
                            struct dc_error *error)
{
  struct scanner scanner = {.text = text, .length = length, .source = source, .places = places, .error = error};
  enum dc_status status = check_utf8(&scanner);
  if (!status)
    status = skip_blanks(&scanner);
  if (!status)
    status = scan_value(&scanner, scanner.at, 0);
  if (!status)
    status = skip_blanks(&scanner);
  if (!status && scanner.at < length)
    status = bad(&scanner, "text after the end of the scene");
  *offset = scanner.at;
  return status;
}

// The byte behind the closing quote of a string that has been scanned; an escaped quote does not close it.
const char *dc_json_after_string(const char *text)
{
  for (text++; *text != '"'; text++)
    text += *text == '\\';
  return text + 1;
}
