// SPDX-License-Identifier: Apache-2.0
// One copy of a function for processors with registers of four doubles, one for others; AVX2 without FMA, so that both
// have the same bits.
#ifndef DC_MATH_WIDE_H
#define DC_MATH_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define DC_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define DC_WIDE
#endif

#endif
