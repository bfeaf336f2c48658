// SPDX-License-Identifier: Apache-2.0
// Versions of the linear algebra libraries at run time.
#ifndef DC_MATH_LIBRARIES_H
#define DC_MATH_LIBRARIES_H

const char *dc_blas_version(void);
const char *dc_blas_core(void);  // whose kernels OpenBLAS uses, such as "Haswell"; results change with it
const char *dc_cholmod_version(void);

#endif
