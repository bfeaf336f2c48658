// SPDX-License-Identifier: Apache-2.0
// Looks at what stands where a file is to be written; links are followed, since /dev/stdout is one.
#include "base/replaceable.h"

#include <sys/stat.h>

enum dc_status dc_check_replaceable(int folder, const char *name, const char *path, struct dc_error *error)
{
  struct stat info;
  if (fstatat(folder, name, &info, 0) == 0 && !S_ISREG(info.st_mode))
    return dc_fail(error, DC_IO, "%.800s: is not a regular file, and would be replaced by one", path);
  return DC_OK;
}
