// SPDX-License-Identifier: Apache-2.0
// Points of the scrambled (0, 2)-sequence for pixels: tables of Sobol's second dimension, and Morton order within
// blocks.
#include "render/sampler.h"

#include <stdlib.h>

#include "base/memory.h"

// Finalizer of MurmurHash3 (Appleby): every bit of x reaches every bit of the result.
static uint32_t mix(uint32_t x)
{
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

// The second dimension of Sobol's sequence for all indices of a block of pixels, with its bits reversed.
enum dc_status dc_sampler_create(struct dc_sampler *sampler, int count, struct dc_error *error)
{
  sampler->count = count;
  sampler->stride = 1;
  while (sampler->stride < (uint32_t)count)
    sampler->stride *= 2;
  uint32_t total = DC_SAMPLER_BLOCK * DC_SAMPLER_BLOCK * sampler->stride;
  sampler->reversed = dc_alloc(total, sizeof *sampler->reversed);
  if (!sampler->reversed)
    return dc_out_of_memory_for(error, "%d samples", count);
  // Second dimension of Sobol's sequence: direction numbers of the polynomial 1 + x.
  for (uint32_t index = 0; index < total; index++) {
    uint32_t result = 0, direction = 1u << 31;
    for (uint32_t bits = index; bits; bits >>= 1, direction ^= direction >> 1)
      result ^= bits & 1 ? direction : 0;
    sampler->reversed[index] = (uint32_t)(dc_reverse_bits(result) >> 32);
  }
  return DC_OK;
}

void dc_sampler_destroy(struct dc_sampler *sampler)
{
  free(sampler->reversed);
  sampler->reversed = NULL;
}

// Bits of column and row are interleaved (Morton order): pixels that are neighbours get consecutive parts of the
// sequence, so that their samples complement each other.  Blocks differ by a hashed scramble.
struct dc_pixel_points dc_sampler_pixel(const struct dc_sampler *sampler, int column, int row)
{
  uint32_t x = (uint32_t)column, y = (uint32_t)row, place = 0;
  for (uint32_t bit = 1; bit < DC_SAMPLER_BLOCK; bit *= 2)
    place += bit * ((x & bit) + 2 * (y & bit));
  return (struct dc_pixel_points){mix(x / DC_SAMPLER_BLOCK + 0x9e3779b9u * (y / DC_SAMPLER_BLOCK)),
                                  place * sampler->stride};
}
