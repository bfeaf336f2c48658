// SPDX-License-Identifier: Apache-2.0
// Lanes: a few doubles side by side, as wide as the instruction set this file is compiled for.
//
// DC_LANE_WIDTH is 8 (AVX-512), 4 (AVX2) or 2 (SSE2, NEON and everything else, by GCC's generic vectors).
#ifndef DC_CONTACT_LANES_H
#define DC_CONTACT_LANES_H

#include <math.h>
#include <stdint.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define DC_LANE_WIDTH 8
#elif defined(__AVX2__)
#define DC_LANE_WIDTH 4
#else
#define DC_LANE_WIDTH 2
#endif

#if DC_LANE_WIDTH > 2
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef double lanes __attribute__((vector_size(8 * DC_LANE_WIDTH)));
typedef int64_t lane_mask __attribute__((vector_size(8 * DC_LANE_WIDTH)));  // all bits of a lane set or none

// The same number in all lanes.
static inline lanes splat(double a)
{
  return (lanes){0} + a;
}

// Comparisons set all bits of a lane or none; with NAN they are false.
static inline lane_mask greater(lanes a, lanes b)
{
  return (lane_mask)(a > b);
}

static inline lane_mask at_most(lanes a, lanes b)
{
  return (lane_mask)(a <= b);
}

// Memory need not be aligned: that costs nothing where it is.
typedef double lanes_in_memory __attribute__((vector_size(8 * DC_LANE_WIDTH), aligned(8), may_alias));

static inline lanes load(const double *memory)
{
  return *(const lanes_in_memory *)memory;
}

static inline void store(double *memory, lanes a)
{
  *(lanes_in_memory *)memory = a;
}

#if DC_LANE_WIDTH == 8
// choose takes a where the mask is set and b elsewhere, by the sign bits or by all bits of a lane.  smaller and larger
// return b where either is NAN, in all three widths.
static inline lanes choose(lane_mask mask, lanes a, lanes b)
{
  return (lanes)_mm512_mask_mov_pd((__m512d)b, _mm512_movepi64_mask((__m512i)mask), (__m512d)a);
}
static inline int any(lane_mask mask)
{
  return _mm512_movepi64_mask((__m512i)mask) != 0;
}
static inline lanes square_root(lanes a)
{
  return (lanes)_mm512_sqrt_pd((__m512d)a);
}
static inline lanes smaller(lanes a, lanes b)
{
  return (lanes)_mm512_min_pd((__m512d)a, (__m512d)b);
}
static inline lanes larger(lanes a, lanes b)
{
  return (lanes)_mm512_max_pd((__m512d)a, (__m512d)b);
}
// The sum of all lanes.
static inline double sum_across(lanes a)
{
  __m256d four = _mm512_castpd512_pd256((__m512d)a) + _mm512_extractf64x4_pd((__m512d)a, 1);
  __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
  return two[0] + two[1];
}
#elif DC_LANE_WIDTH == 4
static inline lanes choose(lane_mask mask, lanes a, lanes b)
{
  return (lanes)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
}
static inline int any(lane_mask mask)
{
  return _mm256_movemask_pd((__m256d)mask) != 0;
}
static inline lanes square_root(lanes a)
{
  return (lanes)_mm256_sqrt_pd((__m256d)a);
}
static inline lanes smaller(lanes a, lanes b)
{
  return (lanes)_mm256_min_pd((__m256d)a, (__m256d)b);
}
static inline lanes larger(lanes a, lanes b)
{
  return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
}
static inline double sum_across(lanes a)
{
  __m128d two = _mm256_castpd256_pd128((__m256d)a) + _mm256_extractf128_pd((__m256d)a, 1);
  return two[0] + two[1];
}
#else
static inline lanes choose(lane_mask mask, lanes a, lanes b)
{
  return (lanes)((mask & (lane_mask)a) | (~mask & (lane_mask)b));
}
static inline int any(lane_mask mask)
{
  return (mask[0] | mask[1]) != 0;
}
static inline lanes square_root(lanes a)
{
#ifdef __SSE2__
  return (lanes)_mm_sqrt_pd((__m128d)a);
#else
  return (lanes){sqrt(a[0]), sqrt(a[1])};
#endif
}
static inline lanes smaller(lanes a, lanes b)
{
  return choose(greater(b, a), a, b);
}
static inline lanes larger(lanes a, lanes b)
{
  return choose(greater(a, b), a, b);
}
static inline double sum_across(lanes a)
{
  return a[0] + a[1];
}
#endif

// a where the mask is set, 0 elsewhere
static inline lanes only(lane_mask mask, lanes a)
{
  return (lanes)((lane_mask)a & mask);
}

static inline lanes absolute(lanes a)
{
  return (lanes)((lane_mask)a & ((lane_mask){0} + INT64_MAX));
}

// b with the sign of a
static inline lanes with_sign_of(lanes a, lanes b)
{
  lane_mask sign = (lane_mask){0} + INT64_MIN;
  return (lanes)(((lane_mask)a & sign) | ((lane_mask)b & ~sign));
}

static inline void lane_cross(lanes r[3], const lanes a[3], const lanes b[3])
{
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}

static inline lanes lane_dot(const lanes a[3], const lanes b[3])
{
  return a[0] * b[0] + (a[1] * b[1] + a[2] * b[2]);
}

#endif
