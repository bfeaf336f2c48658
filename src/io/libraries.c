// SPDX-License-Identifier: Apache-2.0
// Versions of the libraries that this folder is linked with: cJSON, HDF5 and expat, for run.json and the version text
// of the program.
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
  // The version that the program was compiled against, from the headers.  HDF5 does not work with a library of another
  // version, and asking the library would start it in this process.
  static char text[40];
  snprintf(text, sizeof text, "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
  return text;
}

const char *dc_expat_version(void)
{
  const char *version = XML_ExpatVersion(), *number = strchr(version, '_');  // "expat_2.5.0"
  return number ? number + 1 : version;
}
