// SPDX-License-Identifier: Apache-2.0
#define DC_KERNELS dc_lane_kernels_baseline
#define DC_KERNELS_NAME "baseline"
#include "contact/kernels/lane_kernels_template.h"
