// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna 2018).  The state is a plain value.
#ifndef DC_BASE_RANDOM_H
#define DC_BASE_RANDOM_H

#include <stdint.h>

struct dc_random {
  uint64_t state[4];
};

void dc_random_seed(struct dc_random *random, uint64_t seed);
uint64_t dc_random_bits(struct dc_random *random);
double dc_random_uniform(struct dc_random *random);  // in [0, 1), 53 bits
double dc_random_normal(struct dc_random *random);   // mean 0, variance 1

#endif
