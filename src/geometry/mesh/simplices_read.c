// SPDX-License-Identifier: Apache-2.0
// Files of meshes of simplices: which format, and from what the file names to what a mesh holds.
//
// 1. The parser of the format (Gmsh, VTK, Medit, TetGen) lists nodes by the file's numbers, and elements by their
//    corners.
// 2. Numbers become indices; nodes between the corners of quadratic elements are dropped.
// 3. Tetrahedra that are all turned inside out are turned back.
#include "geometry/mesh/simplices_read.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/tetrahedra.h"

// From numbers of the file to indices.
struct named {
  int64_t number;
  int index;
};

// By the file's number, for qsort and bsearch.
static int compare_named(const void *p, const void *q)
{
  const struct named *a = p, *b = q;
  return a->number < b->number ? -1 : a->number > b->number;
}

// Elements name nodes by the file's numbers, which need not begin at 0 or be without gaps: each is found in a
// sorted list.
static enum dc_status number_elements(const struct dc_simplices_parts *parts, const struct named *sorted,
                                      const char *name, struct dc_simplices *mesh, struct dc_error *error)
{
  for (size_t i = 1; i < parts->node_count; i++)
    if (sorted[i].number == sorted[i - 1].number)
      return dc_fail(error, DC_BAD_INPUT, "%.700s: there are two nodes %lld", name, (long long)sorted[i].number);
  for (size_t e = 0; e < parts->element_count; e++)
    for (int k = 0; k < 4; k++) {
      struct named key = {.number = parts->elements[e][k]};
      const struct named *found =
          k < parts->corners ? bsearch(&key, sorted, parts->node_count, sizeof key, compare_named) : NULL;
      if (k < parts->corners && !found)
        return dc_fail(error, DC_BAD_INPUT, "%.700s: element %zu: there is no node %lld", name, e,
                       (long long)key.number);
      mesh->elements[e][k] = found ? found->index : -1;
    }
  return DC_OK;
}

// Corners are all that is taken of quadratic elements: the nodes that no element has go.
static void drop_others(struct dc_simplices *mesh, int *place)
{
  int kept = 0;
  memset(place, 0, (size_t)mesh->node_count * sizeof *place);
  for (int e = 0; e < mesh->element_count; e++)
    for (int k = 0; k < mesh->corners; k++)
      place[mesh->elements[e][k]] = 1;
  for (int i = 0; i < mesh->node_count; i++) {
    if (!place[i])
      continue;
    memmove(mesh->nodes[kept], mesh->nodes[i], sizeof mesh->nodes[i]);
    place[i] = kept++;
  }
  for (int e = 0; e < mesh->element_count; e++)
    for (int k = 0; k < mesh->corners; k++)
      mesh->elements[e][k] = place[mesh->elements[e][k]];
  mesh->node_count = kept;
}

// Turns all tetrahedra if all are turned; a mixture is left alone and refused by the checks that follow.
static void turn(struct dc_simplices *mesh)
{
  for (int e = 0; e < mesh->element_count; e++)
    if (!(dc_tetrahedron_volume6((const double(*)[3])mesh->nodes, mesh->elements[e]) < 0))
      return;
  for (int e = 0; e < mesh->element_count; e++) {
    int swapped = mesh->elements[e][0];
    mesh->elements[e][0] = mesh->elements[e][1];
    mesh->elements[e][1] = swapped;
  }
}

// From what the file names to indices; nodes of the middle of edges are dropped, and tetrahedra turned.
static enum dc_status make_mesh(const struct dc_simplices_parts *parts, const char *name, struct dc_arena *arena,
                                struct dc_simplices *mesh, struct dc_error *error)
{
  if (parts->element_count == 0)
    return dc_fail(error, DC_BAD_INPUT, "%.700s: there are no %s in it", name,
                   parts->corners == 4 ? "tetrahedra" : "triangles");
  mesh->node_count = (int)parts->node_count;
  mesh->element_count = (int)parts->element_count;
  mesh->nodes = dc_arena_alloc(arena, parts->node_count, sizeof *mesh->nodes);
  mesh->elements = dc_arena_alloc(arena, parts->element_count, sizeof *mesh->elements);
  struct named *sorted = dc_alloc(parts->node_count, sizeof *sorted);
  enum dc_status status = DC_OK;
  if (!mesh->nodes || !mesh->elements || !sorted)
    status = dc_out_of_memory_in(error, name);
  for (size_t i = 0; i < parts->node_count && !status; i++) {
    memcpy(mesh->nodes[i], parts->nodes[i], sizeof mesh->nodes[i]);
    sorted[i] = (struct named){parts->numbers[i], (int)i};
  }
  if (!status) {
    qsort(sorted, parts->node_count, sizeof *sorted, compare_named);
    status = number_elements(parts, sorted, name, mesh, error);
  }
  free(sorted);
  if (!status && parts->quadratic) {
    int *place = dc_alloc(parts->node_count, sizeof *place);
    if (place)
      drop_others(mesh, place);
    status = place ? DC_OK : dc_out_of_memory_in(error, name);
    free(place);
  }
  if (!status && parts->corners == 4 && parts->element_count > 1)
    turn(mesh);
  return status;
}

static bool begins_with(const struct dc_mesh_file *file, const char *text)
{
  size_t length = strlen(text);
  return file->size >= length && memcmp(file->bytes, text, length) == 0;
}

static bool ends_with(const char *path, const char *ending)
{
  size_t length = strlen(path), end = strlen(ending);
  return length > end && strcmp(path + length - end, ending) == 0;
}

// One of the two files of TetGen; the places are beside the tetrahedra.
static enum dc_status parse_tetgen(const struct dc_mesh_file *file, struct dc_simplices_parts *parts,
                                   struct dc_error *error)
{
  char path[PATH_MAX], *bytes = NULL;
  struct dc_mesh_file nodes = {.name = path};
  int stem = (int)strlen(file->name) - (int)strlen(".ele");
  if (snprintf(path, sizeof path, "%.*s.node", stem, file->name) >= (int)sizeof path)
    return dc_fail(error, DC_BAD_INPUT, "%.700s: the name is too long", file->name);
  enum dc_status status = dc_mesh_load(path, &bytes, &nodes.size, error);
  nodes.bytes = bytes;
  struct dc_mesh_cursor of_nodes = {.file = &nodes, .line = 1, .error = error},
                        of_elements = {.file = file, .line = 1, .error = error};
  if (!status)
    status = dc_simplices_parse_node(&of_nodes, parts);
  if (!status)
    status = dc_simplices_parse_ele(&of_elements, parts);
  free(bytes);
  return status;
}

// The mesh in a file in memory, before its elements are checked; unknown numbers and formats are refused.
static enum dc_status parse(const struct dc_mesh_file *file, int corners, struct dc_arena *arena,
                            struct dc_simplices *mesh, struct dc_error *error)
{
  struct dc_simplices_parts parts = {.corners = corners};
  struct dc_mesh_cursor cursor = {.file = file, .line = 1, .error = error};
  *mesh = (struct dc_simplices){.corners = corners};
  if (ends_with(file->name, ".ele"))
    cursor.status = parse_tetgen(file, &parts, error);
  else if (ends_with(file->name, ".mesh") || begins_with(file, "MeshVersionFormatted"))
    dc_simplices_parse_medit(&cursor, &parts);
  else if (begins_with(file, "$"))
    dc_simplices_parse_msh(&cursor, &parts);
  else if (begins_with(file, "# vtk DataFile"))
    dc_simplices_parse_vtk(&cursor, &parts);
  else if (begins_with(file, "<"))
    dc_simplices_parse_vtu(&cursor, &parts);
  else
    dc_cursor_fail(&cursor, "must begin as a mesh of Gmsh (\"$MeshFormat\"), of VTK (\"# vtk DataFile\", \"<VTKFile\") or "
                            "of Medit (\"MeshVersionFormatted\"), or be the file .ele of TetGen");
  enum dc_status status = cursor.status ? cursor.status : make_mesh(&parts, file->name, arena, mesh, error);
  free(parts.nodes);
  free(parts.numbers);
  free(parts.elements);
  return status;
}

// The triangles of an OBJ or STL file; nodes that none of them uses are dropped.
static enum dc_status take_triangles(const char *path, struct dc_arena *arena, struct dc_simplices *mesh,
                                     struct dc_error *error)
{
  struct dc_mesh surface;
  enum dc_status status = dc_mesh_read(path, arena, &surface, error);
  if (status)
    return status;
  if (surface.fault)
    return dc_fail(error, DC_BAD_INPUT, "%.700s%s: a surface of triangles is needed", path, surface.fault);
  *mesh =
      (struct dc_simplices){.corners = 3,
                            .node_count = surface.vertex_count,
                            .element_count = surface.triangle_count,
                            .nodes = surface.vertices,
                            .elements = dc_arena_alloc(arena, (size_t)surface.triangle_count, sizeof *mesh->elements)};
  for (int t = 0; t < surface.triangle_count && mesh->elements; t++)
    memcpy(mesh->elements[t], surface.triangles[t], sizeof surface.triangles[t]);
  return mesh->elements ? DC_OK : dc_out_of_memory_in(error, path);
}

static bool is_surface(const char *path)
{
  size_t length = strlen(path);
  return length > 4 && (strcmp(path + length - 4, ".obj") == 0 || strcmp(path + length - 4, ".stl") == 0);
}

// Reads a file, whatever its format, and checks the mesh.  Surfaces of OBJ and STL are taken as sheets.
enum dc_status dc_simplices_read(const char *path, int corners, struct dc_arena *arena, struct dc_simplices *mesh,
                                 struct dc_error *error)
{
  struct dc_mesh_file file = {.name = path};
  char *bytes = NULL;
  enum dc_status status;
  if (corners == 3 && is_surface(path)) {
    status = take_triangles(path, arena, mesh, error);
  } else {
    status = dc_mesh_load(path, &bytes, &file.size, error);
    file.bytes = bytes;
    if (!status)
      status = parse(&file, corners, arena, mesh, error);
    free(bytes);
  }
  if (status)
    return status;
  status = corners == 4 ? dc_tetrahedra_finish(mesh, arena, error) : dc_sheet_finish(mesh, arena, error);
  if (status == DC_BAD_INPUT)
    dc_error_prefix(error, "%.700s", path);
  return status;
}
