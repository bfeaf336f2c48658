// SPDX-License-Identifier: Apache-2.0
// Sample points that integrate over pixels and light: in every block of 16 x 16 pixels, walked along Morton's curve,
// consecutive pixels take consecutive pieces of one scrambled (0, 2)-sequence.  A pixel's points are stratified, and so
// are those of 2 x 2, 4 x 4, ... pixels together, which makes what error remains fine-grained (Ahmed and Wonka 2020,
// Screen-Space Blue-Noise Diffusion of Monte Carlo Sampling Error via Hierarchical Ordering of Pixels).
#ifndef DC_RENDER_SAMPLER_H
#define DC_RENDER_SAMPLER_H

#include <stdint.h>

#include "base/status.h"

enum { DC_SAMPLER_BLOCK = 16 };  // pixels

struct dc_sampler {
  int count;           // per pixel
  uint32_t stride;     // least power of two >= count
  uint32_t *reversed;  // [256 stride]: second coordinate of the sequence, bits reversed
};

struct dc_pixel_points {
  uint32_t seed;   // of the block
  uint32_t first;  // place in the block's sequence
};

enum dc_status dc_sampler_create(struct dc_sampler *sampler, int count, struct dc_error *error);
void dc_sampler_destroy(struct dc_sampler *sampler);
struct dc_pixel_points dc_sampler_pixel(const struct dc_sampler *sampler, int column, int row);

// Reverses the bits of both halves, which change places.
static inline uint64_t dc_reverse_bits(uint64_t x)
{
  x = __builtin_bswap64(x);
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  return (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
}

// Owen scrambling of a number whose bits are reversed: every step moves information upwards only (Laine and Karras
// 2011; constants of Burley 2020, Practical Hash-based Owen Scrambling).
static inline uint32_t dc_scramble(uint32_t x, uint32_t seed)
{
  x += seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  return x ^ x * 0x8d22f6e6u;
}

// Point u in [0, 1)^2 of the given sample; pair tells uses within a sample apart.  A pure function.
static inline void dc_sample(const struct dc_sampler *sampler, struct dc_pixel_points pixel, int sample, uint32_t pair,
                             double u[2])
{
  uint32_t seed = pixel.seed + 0x9e3779b9u * (pair + 1),
           mask = DC_SAMPLER_BLOCK * DC_SAMPLER_BLOCK * sampler->stride - 1;
  seed = (seed ^ seed >> 16) * 0x85ebca6bu;
  // The order of the points is shuffled, so that the pairs of dimensions are independent of each other; aligned
  // pieces of the sequence stay together.
  uint32_t reversed = (uint32_t)(dc_reverse_bits(pixel.first + (uint32_t)sample) >> 32);
  uint32_t index = (uint32_t)(dc_reverse_bits(dc_scramble(reversed, seed)) >> 32) & mask;
  // The first coordinate is the index with its bits reversed, so that reversing it gives the index itself.
  uint64_t first = dc_scramble(index, seed ^ 0x68bc21ebu),
           second = dc_scramble(sampler->reversed[index], seed ^ 0x02e5be93u);
  uint64_t both = dc_reverse_bits(first << 32 | second);
  u[0] = (double)(int64_t)(both & 0xffffffffu) * 0x1p-32;
  u[1] = (double)(int64_t)(both >> 32) * 0x1p-32;
}

#endif
