// SPDX-License-Identifier: Apache-2.0
// Other formats of meshes by the library Assimp: COLLADA, PLY, glTF, OFF.  It runs in a process of its own, as it
// crashes on some damaged files and does not come back from others.
#include "geometry/mesh/mesh_assimp.h"

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <string.h>
#include <strings.h>

#include "base/child.h"
#include "geometry/mesh/mesh_read.h"

static const char *const endings[] = {"dae", "ply", "glb", "gltf", "off", NULL};

// The ending of a name that Assimp is asked about, or NULL.
static const char *ending_of(const char *name)
{
  const char *point = strrchr(name, '.');
  for (int i = 0; point && endings[i]; i++)
    if (strcasecmp(point + 1, endings[i]) == 0)
      return endings[i];
  return NULL;
}

bool dc_mesh_is_foreign(const char *name)
{
  return ending_of(name) != NULL;
}

#ifdef DC_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <stdio.h>
#include <stdlib.h>

const char *dc_assimp_version(void)
{
  static char text[32];
  snprintf(text, sizeof text, "%u.%u.%u", aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch());
  return text;
}

// All triangles of all meshes, which stand in the frame of the file; NULL: out of memory.
static double (*collect_corners(const struct aiScene *scene, size_t *count))[3]
{
  *count = 0;
  for (unsigned m = 0; m < scene->mNumMeshes; m++)
    for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; f++)
      *count += scene->mMeshes[m]->mFaces[f].mNumIndices >= 3 ? scene->mMeshes[m]->mFaces[f].mNumIndices - 2 : 0;
  double(*corners)[3] = dc_alloc(3 * *count + 1, sizeof *corners), (*next)[3] = corners;
  for (unsigned m = 0; m < scene->mNumMeshes && corners; m++) {
    const struct aiMesh *mesh = scene->mMeshes[m];
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
      for (unsigned k = 0; k + 2 < mesh->mFaces[f].mNumIndices; k++)
        for (unsigned c = 0; c < 3; c++, next++) {  // a fan from the first corner
          const struct aiVector3D *vertex = &mesh->mVertices[mesh->mFaces[f].mIndices[c ? k + c : 0]];
          (*next)[0] = vertex->x, (*next)[1] = vertex->y, (*next)[2] = vertex->z;
        }
  }
  return corners;
}

// Whether the header of a PLY file has no end, or counts more elements than the file has bytes: Assimp never comes back
// from the first and goes through all of the second.
static bool is_endless(const struct dc_mesh_file *file)
{
  static const char word[] = "\nelement ", end[] = "\nend_header";
  if (strcasecmp(ending_of(file->name), "ply") != 0)
    return false;
  for (const char *c = file->bytes, *last = c + file->size; c < last; c++) {
    size_t left = (size_t)(last - c);
    if (left > sizeof end && memcmp(c, end, sizeof end - 1) == 0 && strchr("\r\n", c[sizeof end - 1]))
      return false;
    if (left < sizeof word || memcmp(c, word, sizeof word - 1) != 0)
      continue;
    double count = 0;
    for (c += sizeof word - 1; c < last && *c != ' ' && *c != '\n';)  // its name
      c++;
    for (; c < last && *c == ' ';)
      c++;
    for (; c < last && *c >= '0' && *c <= '9'; c++)
      count = 10 * count + (*c - '0');
    if (count > (double)file->size)
      return true;
    c--;
  }
  return true;
}

// In a process of its own: the corners of all triangles, double [3][3] each, become its answer.
static enum dc_status import(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  const struct dc_mesh_file *file = context;
  // Indices are checked.  Nodes' transformations are applied, units too; which axis points up is what robots' tools do
  // not look at.
  const unsigned flags = aiProcess_ValidateDataStructure | aiProcess_PreTransformVertices;
  struct aiPropertyStore *store = aiCreatePropertyStore();
  if (!store)
    return dc_fail(error, DC_MEMORY, "out of memory");
  aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  const struct aiScene *scene =
      aiImportFileFromMemoryWithProperties(file->bytes, (unsigned)file->size, flags, ending_of(file->name), store);
  if (!scene)
    return dc_fail(error, DC_BAD_INPUT, "%.200s", aiGetErrorString());
  size_t count;
  *bytes = (char *)collect_corners(scene, &count);
  *size = 3 * count * sizeof(double[3]);
  if (!*bytes)
    return dc_fail(error, DC_MEMORY, "out of memory");
  if (!count || count > DC_MESH_FILE_BYTES_MAX / 50)
    return dc_fail(error, DC_BAD_INPUT, "has %s triangles", count ? "too many" : "no");
  return DC_OK;
}

enum dc_status dc_mesh_parse_foreign(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                     struct dc_error *error)
{
  enum { SECONDS = 20, MEGABYTES = 512, BYTES_PER_SECOND = 1 << 20, PER_BYTE = 64 };
  if (is_endless(file))
    return dc_fail(error, DC_BAD_INPUT,
                   "%.700s: its header has no end, or counts more elements than the file has bytes", file->name);
  struct dc_error why = {0};
  struct dc_mesh_file asked = *file;
  char *corners;
  size_t size;
  enum dc_status status =
      dc_child_run_wary(import, &asked, SECONDS + (unsigned)(file->size / BYTES_PER_SECOND),
                        MEGABYTES + (unsigned)((file->size * PER_BYTE) >> 20), &corners, &size, &why);
  if (status)
    return dc_fail(error, status, "%.500s: cannot be read: %.300s", file->name, why.text);
  status = dc_mesh_weld((double(*)[3])corners, (int)(size / sizeof(double[3][3])), arena, mesh, error);
  free(corners);
  return status;
}
#else
const char *dc_assimp_version(void)
{
  return NULL;
}

enum dc_status dc_mesh_parse_foreign(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                     struct dc_error *error)
{
  (void)arena, (void)mesh;
  return dc_fail(error, DC_BAD_INPUT,
                 "%.700s: this build reads OBJ and STL only; others need Assimp (Debian: libassimp-dev, then configure "
                 "and build again)",
                 file->name);
}
#endif
