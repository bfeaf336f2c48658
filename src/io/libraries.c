// SPDX-License-Identifier: Apache-2.0
#include "io/libraries.h"

#include <cjson/cJSON.h>
#include <expat.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

const char *dc_cjson_version(void)
{
  return cJSON_Version();
}

const char *dc_hdf5_version(void)
{
  static char text[40];
  unsigned major, minor, release;
  H5get_libversion(&major, &minor, &release);
  snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
  return text;
}

const char *dc_expat_version(void)
{
  const char *version = XML_ExpatVersion(), *number = strchr(version, '_');  // "expat_2.5.0"
  return number ? number + 1 : version;
}
