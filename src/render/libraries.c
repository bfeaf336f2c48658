// SPDX-License-Identifier: Apache-2.0
// Versions of Embree and libpng.
#include "render/embree.h"
#include "render/render.h"

#include <png.h>

const char *dc_embree_version(void)
{
  return RTC_VERSION_STRING;
}

const char *dc_png_version(void)
{
  return png_get_libpng_ver(NULL);
}
