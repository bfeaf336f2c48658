// SPDX-License-Identifier: Apache-2.0
// FNV-1a: for every byte, hash = (hash xor byte) * 0x100000001b3 modulo 2^64 (Fowler, Noll and Vo).
#include "base/hash.h"

uint64_t dc_hash(uint64_t seed, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++)
    seed = (seed ^ byte[i]) * UINT64_C(0x100000001b3);
  return seed;
}
