// SPDX-License-Identifier: Apache-2.0
// The certificate in a run directory, and which trajectory it is of.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/json/json_value.h"
#include "io/run/run.h"
#include "io/run/seal.h"

const char dc_certificate_name[] = "certificate.json";

enum dc_status dc_run_hash_trajectory(const char *directory, uint64_t *hash, struct dc_error *error)
{
  char seal[DC_SEAL_SIZE];
  char *path = dc_path_join(directory, "trajectory.h5");
  FILE *file = path ? fopen(path, "rb") : NULL;
  size_t size = file ? fread(seal, 1, sizeof seal, file) : 0;
  if (file)
    fclose(file);
  free(path);
  if (size < sizeof seal)
    return dc_fail(error, DC_IO, "%.800s: trajectory.h5 cannot be read", directory);
  *hash = dc_hash(DC_HASH_SEED, seal, size);
  return DC_OK;
}

// Reads the certificate; NULL when there is none or it belongs to another trajectory, whose hash it names.
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
