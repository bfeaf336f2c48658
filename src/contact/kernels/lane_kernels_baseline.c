// SPDX-License-Identifier: Apache-2.0
// The kernels compiled for the baseline of the architecture.
#define DC_KERNELS dc_lane_kernels_baseline
#define DC_KERNELS_NAME "baseline"
#include "contact/kernels/lane_kernels_template.h"
