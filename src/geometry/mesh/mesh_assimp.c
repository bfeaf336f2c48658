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
#include "geometry/mesh/polygon.h"

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

// By the ending of the name alone, in capitals or not.
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

#include "geometry/mesh/assimp_files.h"
#include "geometry/mesh/collada_text.h"
#include "geometry/mesh/gltf_text.h"

const char *dc_assimp_version(void)
{
  static char text[32];
  snprintf(text, sizeof text, "%u.%u.%u", aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch());
  return text;
}

// The answer of the process: a record with the corners of the first polygon whose border crosses itself (0: none), then
// the corners of all triangles.
struct collected {
  double (*corners)[3];    // [count], three for each triangle
  size_t count, capacity;  // of corners
  double crossed;
  double (*points)[3];  // room for a polygon
  int (*triangles)[3];
  size_t point_capacity, triangle_capacity;
  bool failed;  // out of memory, or too many
};

// A frame of the file seen from its root: x -> matrix x + shift.
struct placement {
  double matrix[3][3], shift[3];
};

// Assimp's matrices are row by row, with the shift as their fourth column.
static struct placement placement_of(const struct aiMatrix4x4 *m)
{
  return (struct placement){{{m->a1, m->a2, m->a3}, {m->b1, m->b2, m->b3}, {m->c1, m->c2, m->c3}},
                            {m->a4, m->b4, m->c4}};
}

// out = a b.
static void compose(const struct placement *a, const struct placement *b, struct placement *out)
{
  for (int i = 0; i < 3; i++) {
    out->shift[i] = a->shift[i];
    for (int j = 0; j < 3; j++) {
      out->matrix[i][j] = 0;
      out->shift[i] += a->matrix[i][j] * b->shift[j];
      for (int k = 0; k < 3; k++)
        out->matrix[i][j] += a->matrix[i][k] * b->matrix[k][j];
    }
  }
}

// Whether it mirrors: what goes round counter-clockwise then goes round clockwise.
static bool mirrors(const struct placement *place)
{
  const double(*m)[3] = place->matrix;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
         0;
}

// Corners in the scene's axes, cut into triangles; a placement that mirrors turns their order around, so that normals
// still point out.
static void collect_face(struct collected *all, const struct aiMesh *mesh, const struct aiFace *face,
                         const struct placement *place, bool mirrored)
{
  size_t count = face->mNumIndices;
  if (count < 3 || all->failed)
    return;
  all->failed = all->count / 3 + count > DC_MESH_FILE_BYTES_MAX / 50 ||
                dc_grow(&all->points, &all->point_capacity, count, sizeof *all->points) ||
                dc_grow(&all->triangles, &all->triangle_capacity, count, sizeof *all->triangles) ||
                dc_grow(&all->corners, &all->capacity, all->count + 3 * count, sizeof *all->corners);
  if (all->failed)
    return;
  for (size_t k = 0; k < count; k++) {
    const struct aiVector3D *v = &mesh->mVertices[face->mIndices[k]];
    for (int i = 0; i < 3; i++)
      all->points[k][i] = place->matrix[i][0] * (double)v->x + place->matrix[i][1] * (double)v->y +
                          place->matrix[i][2] * (double)v->z + place->shift[i];
  }
  enum dc_polygon_result result = dc_polygon_cut((const double(*)[3])all->points, (int)count, all->triangles);
  all->failed = result == DC_POLYGON_NO_MEMORY;
  if (result == DC_POLYGON_CROSSES && !(all->crossed > 0))
    all->crossed = (double)count;
  for (size_t t = 0; t + 2 < count; t++)
    for (int c = 0; c < 3; c++)
      memcpy(all->corners[all->count++], all->points[all->triangles[t][mirrored && c ? 3 - c : c]],
             sizeof *all->corners);
}

// A node's meshes and those of the nodes below, each in the frame of the file.
static void collect_node(struct collected *all, const struct aiScene *scene, const struct aiNode *node,
                         const struct placement *above)
{
  struct placement own = placement_of(&node->mTransformation), place;
  compose(above, &own, &place);
  bool mirrored = mirrors(&place);
  for (unsigned m = 0; m < node->mNumMeshes; m++) {
    const struct aiMesh *mesh = scene->mMeshes[node->mMeshes[m]];
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
      collect_face(all, mesh, &mesh->mFaces[f], &place, mirrored);
  }
  for (unsigned c = 0; c < node->mNumChildren; c++)
    collect_node(all, scene, node->mChildren[c], &place);
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

// In a process of its own: *bytes becomes the answer.
static enum dc_status import(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  struct dc_mesh_file *file = context;
  static const struct placement still = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  struct collected all = {.count = 1};
  // Indices are checked.  Units are in the nodes' transformations; which axis points up is what robots' tools do not
  // look at.
  const unsigned flags = aiProcess_ValidateDataStructure;
  char *text = NULL;
  if (strcmp(ending_of(file->name), "dae") == 0) {
    enum dc_status status = dc_collada_prepare(file, &text, &file->size, error);
    if (status)
      return status;
    file->bytes = text;
  }
  if (ending_of(file->name)[0] == 'g') {
    enum dc_status status = dc_gltf_check(file, error);
    if (status)
      return status;
  }
  struct aiPropertyStore *store = aiCreatePropertyStore();
  if (!store || dc_grow(&all.corners, &all.capacity, 1, sizeof *all.corners))
    return dc_out_of_memory(error);
  aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  struct dc_assimp_files files;
  char name[32];
  snprintf(name, sizeof name, "mesh.%s", ending_of(file->name));
  dc_assimp_files_init(&files, file, name);
  const struct aiScene *scene = aiImportFileExWithProperties(name, flags, &files.io, store);
  if (!scene && files.refused.status)
    return dc_fail(error, files.refused.status, "%s", files.refused.text);
  if (!scene)
    return dc_fail(error, DC_BAD_INPUT, "%.200s", aiGetErrorString());
  if (scene->mRootNode)
    collect_node(&all, scene, scene->mRootNode, &still);
  if (all.failed || all.count == 1)
    return dc_fail(error, DC_BAD_INPUT, "has %s triangles", all.failed ? "too many" : "no");
  all.corners[0][0] = all.crossed;
  all.corners[0][1] = all.corners[0][2] = 0;
  *bytes = (char *)all.corners;
  *size = all.count * sizeof *all.corners;
  return DC_OK;
}

enum dc_status dc_mesh_parse_foreign(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                     struct dc_error *error)
{
  enum { SECONDS = 20, MEGABYTES = 512, BYTES_PER_SECOND = 1 << 20, PER_BYTE = 64, WITH_FILES = 2048 };
  bool has_files = file->in_folder && strcmp(ending_of(file->name), "gltf") == 0;
  if (is_endless(file))
    return dc_fail(error, DC_BAD_INPUT,
                   "%.700s: its header has no end, or counts more elements than the file has bytes", file->name);
  struct dc_error why = {0};
  struct dc_mesh_file asked = *file;
  char *answer;
  size_t size;
  enum dc_status status = dc_child_run_wary(
      import, &asked, SECONDS + (unsigned)(file->size / BYTES_PER_SECOND),
      (has_files ? WITH_FILES : MEGABYTES) + (unsigned)((file->size * PER_BYTE) >> 20), &answer, &size, &why);
  if (status)
    return dc_fail(error, status, "%.500s: cannot be read: %.300s", file->name, why.text);
  double(*corners)[3] = (double(*)[3])answer, crossed = corners[0][0];
  status = dc_mesh_weld(corners + 1, (int)((size / sizeof *corners - 1) / 3), arena, mesh, error);
  if (!status && crossed > 0 &&
      !(mesh->fault = dc_arena_printf(arena, ": the border of a face of %g corners crosses itself", crossed)))
    status = dc_out_of_memory(error);
  free(answer);
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
