// SPDX-License-Identifier: Apache-2.0
// Asks OpenBLAS and CHOLMOD for their versions; runs record them, because other versions round differently.
#include "math/libraries.h"

#include <cblas.h>
#include <stdio.h>
#include <suitesparse/cholmod.h>

const char *dc_blas_version(void)
{
  return openblas_get_config();
}

const char *dc_blas_core(void)
{
  return openblas_get_corename();
}

const char *dc_cholmod_version(void)
{
  static char text[32];
  int version[3];
  cholmod_version(version);
  snprintf(text, sizeof text, "%d.%d.%d", version[0], version[1], version[2]);
  return text;
}
