// SPDX-License-Identifier: Apache-2.0
// Parts of glTF files that change the geometry and that Assimp passes over: skins, morph targets with weights, and
// extensions that the file requires.  A reader that does not know one of these must not read the file (section
// "Specifying Extensions" of the specification of glTF 2.0).
//
// The text of a .glb file is its first chunk.  Keys are found in the text as it stands; a string of a file that looks
// like one of them at most refuses the file.
#include "geometry/mesh/gltf_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char blanks[] = " \t\r\n";

// The value of the next key of that name behind at, NULL without.
static const char *find_value(const char *at, const char *key)
{
  size_t length = strlen(key);
  while ((at = strstr(at, key)) != NULL) {
    at += length;
    const char *behind = at + strspn(at, blanks);
    if (*behind == ':')
      return behind + 1 + strspn(behind + 1, blanks);
  }
  return NULL;
}

// Whether an extension says something about looks or about nothing that stands there.
static bool is_harmless(const char *name)
{
  static const char *const beginnings[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",  "MSFT_texture_",
                                           "KHR_lights_",    "KHR_xmp",      "KHR_animation_"};
  for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
    if (strncmp(name, beginnings[k], strlen(beginnings[k])) == 0)
      return true;
  return false;
}

// Refuses the first extension of a list of strings that is required and acts.
static enum dc_status check_extensions(const char *list, struct dc_error *error)
{
  const char *end = strchr(list, ']');
  for (const char *name = strchr(list, '"'); name && end && name < end; name = strchr(name, '"')) {
    size_t length = strcspn(++name, "\"");
    if (!is_harmless(name))
      return dc_fail(error, DC_BAD_INPUT, "it requires the extension %.*s, which is not read",
                     (int)(length < 80 ? length : 80), name);
    name += length;
    name += *name == '"';
  }
  return DC_OK;
}

// Whether a list holds a number other than 0.
static bool has_weight(const char *list)
{
  for (const char *at = list + 1; *list == '[' && *at && *at != ']';) {
    char *end;
    if (strtod(at, &end) != 0)
      return true;
    at = end == at ? at + 1 : end;
  }
  return false;
}

static enum dc_status check_text(const char *text, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  const char *value = text;
  while (!status && (value = find_value(value, "\"extensionsRequired\"")) != NULL)
    status = *value == '[' ? check_extensions(value, error) : DC_OK;
  for (value = text; !status && (value = find_value(value, "\"skin\"")) != NULL;)
    if (*value >= '0' && *value <= '9')
      status = dc_fail(error, DC_BAD_INPUT, "a node has a skin, which is not read");
  for (value = text; !status && (value = find_value(value, "\"weights\"")) != NULL;)
    if (has_weight(value))
      status = dc_fail(error, DC_BAD_INPUT, "it has morph targets with weights, which are not read");
  return status;
}

// A .glb file begins with 12 bytes, the length of the text and its kind.
enum dc_status dc_gltf_check(const struct dc_mesh_file *file, struct dc_error *error)
{
  enum { HEAD = 12, CHUNK = 8 };
  const char *bytes = file->bytes;
  size_t size = file->size;
  if (size >= HEAD + CHUNK && memcmp(bytes, "glTF", 4) == 0) {
    const unsigned char *length = (const unsigned char *)bytes + HEAD;
    size_t told = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    bytes += HEAD + CHUNK;
    size -= HEAD + CHUNK;
    size = told < size ? told : size;
  }
  char *text = dc_alloc(size + 1, 1);  // with a zero behind it
  if (!text)
    return dc_out_of_memory(error);
  memcpy(text, bytes, size);
  enum dc_status status = check_text(text, error);
  free(text);
  return status;
}
