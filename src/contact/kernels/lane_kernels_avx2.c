// SPDX-License-Identifier: Apache-2.0
// The kernels compiled with AVX2 and FMA: four doubles in a vector.
#define DC_KERNELS dc_lane_kernels_avx2
#define DC_KERNELS_NAME "avx2"
#include "contact/kernels/lane_kernels_template.h"
