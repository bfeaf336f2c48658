// SPDX-License-Identifier: Apache-2.0
// Damages text at random, for tests that feed it to a reader.  DCSIM_SEED=K draws other damages than the usual ones,
// and DCSIM_ROUNDS=N other numbers of them, for a long test under sanitizers.
#ifndef DC_TESTS_FUZZ_DAMAGE_H
#define DC_TESTS_FUZZ_DAMAGE_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

// Seeds with the usual seed, or with that of DCSIM_SEED added to a thousand times of it.
static inline void seed_damage(struct dc_random *random, uint64_t usual)
{
  const char *given = getenv("DCSIM_SEED");
  dc_random_seed(random, usual + 1000 * (given ? (uint64_t)atoi(given) : 0));
}

// The usual number of rounds, or that of DCSIM_ROUNDS.
static inline int damage_rounds(int usual)
{
  const char *given = getenv("DCSIM_ROUNDS");
  return given ? atoi(given) : usual;
}

// Copies a seed with every ' turned into "; its size.
static inline size_t seed_text(char *text, const char *seed)
{
  size_t size = strlen(seed);
  for (size_t k = 0; k <= size; k++)
    text[k] = seed[k] == '\'' ? '"' : seed[k];
  return size;
}

// One or two changes: a byte, a digit, a stretch cut out or doubled, one of the pieces put in.  text [size] is
// terminated by a NUL before and after, and gets no longer than most.  The new size.
static inline size_t damage_text(struct dc_random *random, char *text, size_t size, size_t most,
                                 const char *const *pieces, size_t piece_count)
{
  for (int changes = 1 + (int)(dc_random_bits(random) % 2); changes > 0; changes--) {
    size_t at = dc_random_bits(random) % (size + 1), length = 1 + dc_random_bits(random) % 24;
    const char *piece = pieces[dc_random_bits(random) % piece_count];
    if (length > size - at)
      length = size - at;
    switch (dc_random_bits(random) % 5) {
    case 0:
      if (at < size)
        text[at] = (char)(dc_random_bits(random) & 0xff);
      break;
    case 1:
      at += strcspn(text + at, "0123456789");
      if (at < size)
        text[at] = (char)('0' + dc_random_bits(random) % 10);
      break;
    case 2:
      memmove(text + at, text + at + length, size - at - length);
      size -= length;
      break;
    case 3: length = strlen(piece); /* fall through */
    default:
      if (size + length > most)
        break;
      memmove(text + at + length, text + at, size - at);
      if (length == strlen(piece))
        memcpy(text + at, piece, length);
      size += length;
      break;
    }
    text[size] = '\0';
  }
  return size;
}

#endif
