// SPDX-License-Identifier: Apache-2.0
// The kernels compiled with AVX-512 (F, DQ, VL): eight doubles in a vector.
#define DC_KERNELS dc_lane_kernels_avx512
#define DC_KERNELS_NAME "avx512"
#include "contact/kernels/lane_kernels_template.h"
