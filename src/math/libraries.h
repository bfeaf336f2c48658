// SPDX-License-Identifier: Apache-2.0
// Versions of the linear algebra libraries at run time.
#ifndef DC_MATH_LIBRARIES_H
#define DC_MATH_LIBRARIES_H

#include "base/status.h"

// Makes OpenBLAS's working memory for so many threads now, where the address space of this process is limited: it asks
// for it again and again, without an end, when there is none.  DC_MEMORY.
enum dc_status dc_blas_reserve(int threads, struct dc_error *error);

const char *dc_blas_version(void);
const char *dc_blas_core(void);  // whose kernels OpenBLAS uses, such as "Haswell"; results change with it
const char *dc_cholmod_version(void);

#endif
