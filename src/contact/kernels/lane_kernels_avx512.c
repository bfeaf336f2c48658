// SPDX-License-Identifier: Apache-2.0
#define DC_KERNELS dc_lane_kernels_avx512
#define DC_KERNELS_NAME "avx512"
#include "contact/kernels/lane_kernels_template.h"
