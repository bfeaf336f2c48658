// SPDX-License-Identifier: Apache-2.0
// Chooses the compiled copy of the kernels: the widest instruction set that the processor has, or the one that the
// environment variable DCSIM_VECTOR names.
#include "contact/kernels/lane_kernels.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

extern const struct dc_lane_kernels dc_lane_kernels_baseline;
#ifdef DC_X86_64
extern const struct dc_lane_kernels dc_lane_kernels_avx2, dc_lane_kernels_avx512;
#endif

// Lists the kernels that this processor can run, the widest first.
const struct dc_lane_kernels *const *dc_lane_kernels_all(void)
{
  static const struct dc_lane_kernels *const kernels[] = {
#ifdef DC_X86_64
      &dc_lane_kernels_avx512, &dc_lane_kernels_avx2,
#endif
      &dc_lane_kernels_baseline, NULL};
#ifdef DC_X86_64
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return kernels;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return kernels + 1;
  return kernels + 2;
#else
  return kernels;
#endif
}

const struct dc_lane_kernels *dc_lane_kernels(void)
{
  const struct dc_lane_kernels *const *kernels = dc_lane_kernels_all();
  const char *wanted = getenv("DCSIM_VECTOR");
  for (int i = 0; wanted && kernels[i]; i++)
    if (strcmp(kernels[i]->name, wanted) == 0)
      return kernels[i];
  return kernels[0];
}
