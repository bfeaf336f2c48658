// SPDX-License-Identifier: Apache-2.0
// The certificate in a run directory, and which trajectory it is of.  A certificate names the hash of the seal
// of trajectory.h5; the seal itself holds a hash of all the file's bytes, so that a few bytes tell whether the
// trajectory is still the one that was verified.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/open.h"
#include "io/json/json_value.h"
#include "io/run/run.h"
#include "io/run/seal.h"

const char dc_certificate_name[] = "certificate.json";

// Hashes the seal of trajectory.h5.  Only DC_SEAL_SIZE bytes are read, however long the file is.
enum dc_status dc_run_hash_trajectory(const char *directory, uint64_t *hash, struct dc_error *error)
{
  char seal[DC_SEAL_SIZE];
  char *path = dc_path_join(directory, "trajectory.h5");
  struct dc_opened file = {.fd = -1};
  if (path)
    dc_open_read(dc_open_here, path, DC_LINKS_FOLLOWED, DC_SEALED_MOST_BYTES, &file);
  ssize_t size = file.fd >= 0 ? pread(file.fd, seal, sizeof seal, 0) : 0;
  if (file.fd >= 0)
    close(file.fd);
  free(path);
  if (size < (ssize_t)sizeof seal)
    return dc_fail(error, DC_IO, "%.800s: trajectory.h5 cannot be read", directory);
  *hash = dc_hash(DC_HASH_SEED, seal, size);
  return DC_OK;
}

// Reads the certificate into *text, which the caller frees; NULL when there is none or it belongs to another
// trajectory, as after a run that was resumed.
enum dc_status dc_run_read_certificate(const char *directory, char **text, struct dc_error *error)
{
  uint64_t hash;
  char hex[32];
  *text = NULL;
  if (!dc_run_has(directory, dc_certificate_name))
    return DC_OK;
  enum dc_status status = dc_run_hash_trajectory(directory, &hash, error);
  if (!status)
    status = dc_run_read_text(directory, dc_certificate_name, text, error);
  if (status)
    return status;
  snprintf(hex, sizeof hex, "%016llx", (unsigned long long)hash);
  cJSON *tree = cJSON_Parse(*text);
  const cJSON *of = cJSON_GetObjectItemCaseSensitive(tree, "trajectory");
  if (!cJSON_IsString(of) || strcmp(of->valuestring, hex) != 0) {
    free(*text);
    *text = NULL;
  }
  cJSON_Delete(tree);
  return DC_OK;
}
