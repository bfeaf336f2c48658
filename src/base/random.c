// SPDX-License-Identifier: Apache-2.0
// xoshiro256** with its state filled by splitmix64 from one seed (Blackman and Vigna 2018, reference algorithm).
// Uniform numbers take the upper 53 bits, so that every double k 2^-53 is equally likely.
#include "base/random.h"

#include <math.h>

// Any seed is good, 0 included: splitmix64 never yields the four zeros that xoshiro could not leave.
void dc_random_seed(struct dc_random *random, uint64_t seed)
{
  for (int i = 0; i < 4; i++) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    random->state[i] = z ^ (z >> 31);
  }
}

static uint64_t rotate_left(uint64_t x, int k)
{
  return (x << k) | (x >> (64 - k));
}

// The scrambler "**" of the second word, then the linear step of the state: shifts, exclusive ors and one rotation.
uint64_t dc_random_bits(struct dc_random *random)
{
  uint64_t *s = random->state;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

// The upper bits are the better ones of this generator.
double dc_random_uniform(struct dc_random *random)
{
  return (double)(dc_random_bits(random) >> 11) * 0x1p-53;
}

// Transform of Box and Muller: z = sqrt(-2 log u) cos(2 pi v).  The second number of the pair is discarded, so that the
// state stays four words.
double dc_random_normal(struct dc_random *random)
{
  double u = 1 - dc_random_uniform(random), v = dc_random_uniform(random);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}
