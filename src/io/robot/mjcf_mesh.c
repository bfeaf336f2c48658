// SPDX-License-Identifier: Apache-2.0
// Meshes of an MJCF file: assets, which are read when a geometry needs them, and the mass properties that MuJoCo gives
// them.
//
// A vertex x of the file becomes scale (R(refquat)^T (x - refpos)).  The volume is a sum of tetrahedra over the
// triangles from a point c: their absolute volumes (inertia "legacy", the default), with their signs ("exact"), or
// those of the hull ("convex").  c is first the mean of the triangles weighted by their areas.  That gives the centre
// of mass, which is c of the volume and the inertia.  MuJoCo before 2.3 took the volume of the box with the same
// inertia for "legacy". A tetrahedron (c, a, b, d) of volume V at the origin c has the second moment
//     V/20 (sum of v v^T over a, b, d, + (a + b + d)(a + b + d)^T).
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "geometry/convex/hull.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/mesh_read.h"
#include "io/json/json_value.h"
#include "io/robot/mjcf_mass.h"
#include "io/robot/mjcf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

// A mesh while its defaults and its own attributes are applied; vertices and faces are flat lists in the arena.
struct mesh_state {
  struct dc_mjcf_mesh mesh;
  double *vertices, *faces;
  int vertex_numbers, face_numbers;
  bool built_in;
};

// Takes over the attributes that an element or a default gives.  The quaternion is normalized at once, a zero
// one refused.
static void apply_mesh(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  static const char *const inertias[] = {"legacy", "exact", "convex", "shell", NULL};
  struct mesh_state *state = target;
  struct dc_mjcf_mesh *mesh = &state->mesh;
  const char *file = dc_mjcf_text(reader, node, "file");
  double quat[4], *numbers;
  mesh->file = file ? file : mesh->file;
  dc_mjcf_numbers(reader, node, "scale", 3, 3, mesh->scale);
  dc_mjcf_numbers(reader, node, "refpos", 3, 3, mesh->refpos);
  if (dc_mjcf_numbers(reader, node, "refquat", 4, 4, quat)) {
    if (!(fabs(quat[0]) + fabs(quat[1]) + fabs(quat[2]) + fabs(quat[3]) > 1e-14))
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "refquat must not be zero");
    else
      dc_rotation_normalize(quat);
    memcpy(mesh->refquat, quat, sizeof quat);
  }
  dc_mjcf_choose(reader, node, "inertia", inertias, &mesh->inertia);
  state->built_in |= dc_mjcf_text(reader, node, "builtin") != NULL;
  int count = dc_mjcf_list(reader, node, "vertex", 3 * DC_HULL_VERTICES_MAX, &numbers);
  if (count) {
    state->vertices = numbers;
    state->vertex_numbers = count;
  }
  if ((count = dc_mjcf_list(reader, node, "face", 3 * DC_MESH_TRIANGLES_MAX, &numbers))) {
    state->faces = numbers;
    state->face_numbers = count;
  }
}

// "dir/part.stl" is called "part" where it has no name.
const char *dc_mjcf_name_after(struct dc_mjcf_reader *reader, const char *file)
{
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
  return dc_arena_printf(reader->arena, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
}

// A path as the compiler sees it: "strippath" drops folders, and "meshdir" or "assetdir" stands before relative
// ones.  NULL: out of memory.
const char *dc_mjcf_asset_path(struct dc_mjcf_reader *reader, const char *file)
{
  const char *slash = reader->strip_path ? strrchr(file, '/') : NULL;
  file = slash ? slash + 1 : file;
  return reader->mesh_folder && file[0] != '/' ? dc_arena_printf(reader->arena, "%s/%s", reader->mesh_folder, file)
                                               : file;
}

// Vertices and triangles of the element itself.  Indices are read as numbers, so each must be whole and within
// the vertices.
static void take_numbers(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct mesh_state *state)
{
  struct dc_mjcf_mesh *mesh = &state->mesh;
  mesh->vertex_count = state->vertex_numbers / 3;
  mesh->triangle_count = state->face_numbers / 3;
  if (state->vertex_numbers % 3 || state->face_numbers % 3 || mesh->vertex_count < 4)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT,
                   "vertex and face must hold three numbers each, of four vertices at least");
  mesh->vertices = dc_arena_alloc(reader->arena, (size_t)mesh->vertex_count, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(reader->arena, (size_t)mesh->triangle_count, sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles)
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  if (reader->status)
    return;
  memcpy(mesh->vertices, state->vertices, (size_t)state->vertex_numbers * sizeof(double));
  for (int i = 0; i < 3 * mesh->triangle_count; i++) {
    double index = state->faces[i];
    if (!(index >= 0 && index < mesh->vertex_count && index == floor(index))) {
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "face: %.10g is no vertex (there are %d)", index, mesh->vertex_count);
      return;
    }
    mesh->triangles[i / 3][i % 3] = (int)index;
  }
}

// A mesh of the assets.  Its file is only named here and read when a geometry asks for it, as files have many
// meshes that are only seen.  A name that is missing is that of the file without its folder and ending.
void dc_mjcf_read_mesh(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  struct dc_mjcf *model = reader->model;
  struct mesh_state state = {.mesh = {.node = node,
                                      .scale = {1, 1, 1},
                                      .refquat = {1, 0, 0, 0},
                                      .inertia = reader->exact_meshes ? DC_MJCF_EXACT : DC_MJCF_LEGACY}};
  dc_mjcf_apply_all(reader, node, NULL, NULL, apply_mesh, &state);
  struct dc_mjcf_mesh *mesh = &state.mesh;
  mesh->name = dc_mjcf_copy(reader, dc_mjcf_text(reader, node, "name"));
  if (!mesh->name && mesh->file)
    mesh->name = dc_mjcf_name_after(reader, mesh->file);
  if (mesh->file && !(mesh->file = dc_mjcf_asset_path(reader, mesh->file)))
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  if (state.built_in)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "built-in meshes are not read: give vertices or a file");
  if (!mesh->file && !state.vertices)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "needs a file or vertices");
  if (!mesh->file && !reader->status)
    take_numbers(reader, node, &state);
  for (int k = 0; k < 3; k++)
    if (mesh->scale[k] == 0)
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "scale must not be zero");
  if (reader->status)
    return;
  if (model->assets.mesh_count >= DC_MJCF_MOST)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d meshes", DC_MJCF_MOST);
  else if (dc_grow(&model->assets.meshes, &model->room.meshes, model->assets.mesh_count + 1,
                   sizeof *model->assets.meshes))
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  else
    model->assets.meshes[model->assets.mesh_count++] = *mesh;
}

// Sums over the triangles from c: volume and its first moment.
static void first_moments(const struct dc_mjcf_mesh *mesh, const double c[3], bool sign, double *volume, double sum[3])
{
  *volume = 0;
  memset(sum, 0, 3 * sizeof *sum);
  for (int t = 0; t < mesh->triangle_count; t++) {
    double v[3][3], cross[3], part;
    for (int k = 0; k < 3; k++)
      dc_vec_sub(v[k], mesh->vertices[mesh->triangles[t][k]], c);
    dc_vec_cross(cross, v[0], v[1]);
    part = dc_vec_dot(cross, v[2]) / 6;
    part = sign ? part : fabs(part);
    *volume += part;
    for (int k = 0; k < 3; k++)
      sum[k] += part * (c[k] + (v[0][k] + v[1][k] + v[2][k]) / 4);
  }
}

// Volume and second moment from c.
static void second_moments(const struct dc_mjcf_mesh *mesh, const double c[3], bool sign, double *volume,
                           double second[9])
{
  *volume = 0;
  memset(second, 0, 9 * sizeof *second);
  for (int t = 0; t < mesh->triangle_count; t++) {
    double v[3][3], cross[3], part;
    for (int k = 0; k < 3; k++)
      dc_vec_sub(v[k], mesh->vertices[mesh->triangles[t][k]], c);
    dc_vec_cross(cross, v[0], v[1]);
    part = dc_vec_dot(cross, v[2]) / 6;
    part = sign ? part : fabs(part);
    *volume += part;
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        second[3 * i + k] += part / 20 *
                             (v[0][i] * v[0][k] + v[1][i] * v[1][k] + v[2][i] * v[2][k] +
                              (v[0][i] + v[1][i] + v[2][i]) * (v[0][k] + v[1][k] + v[2][k]));
  }
}

// The mean of the triangles' centres, weighted by their areas.
static void area_mean(const struct dc_mjcf_mesh *mesh, double mean[3])
{
  double area = 0, sum[3] = {0, 0, 0};
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *corners = mesh->triangles[t];
    double a[3], b[3], cross[3];
    dc_vec_sub(a, mesh->vertices[corners[1]], mesh->vertices[corners[0]]);
    dc_vec_sub(b, mesh->vertices[corners[2]], mesh->vertices[corners[0]]);
    dc_vec_cross(cross, a, b);
    double part = 0.5 * dc_vec_norm(cross);
    area += part;
    for (int k = 0; k < 3; k++)
      sum[k] +=
          part / 3 * (mesh->vertices[corners[0]][k] + mesh->vertices[corners[1]][k] + mesh->vertices[corners[2]][k]);
  }
  dc_vec_scale(mean, sum, area > 0 ? 1 / area : 0);
}

// Volume, centre and inertia about the centre, of density 1.  The inertia follows of the second moment S by
// tr(S) 1 - S.  A mesh without volume keeps zeros, about which those who need a mass complain.
static void find_moments(struct dc_mjcf_mesh *mesh)
{
  bool sign = mesh->inertia != DC_MJCF_LEGACY;
  double start[3], sum[3], volume, second[9];
  area_mean(mesh, start);
  first_moments(mesh, start, sign, &volume, sum);
  if (!(fabs(volume) > 1e-300))
    return;
  dc_vec_scale(mesh->center, sum, 1 / volume);
  second_moments(mesh, mesh->center, sign, &mesh->volume, second);
  double trace = second[0] + second[4] + second[8];
  memcpy(mesh->moment,
         (double[6]){trace - second[0], trace - second[4], trace - second[8], -second[1], -second[2], -second[5]},
         sizeof mesh->moment);
}

// The counts must fit the size of the file exactly, which makes all offsets safe.  Numbers are copied with
// memcpy, as they need not be aligned; vertices that are not finite and indices out of range are refused.
static enum dc_status parse_msh(const char *bytes, size_t size, struct dc_arena *arena, struct dc_mesh *mesh,
                                struct dc_error *error)
{
  int32_t counts[4];
  if (size < sizeof counts)
    return dc_fail(error, DC_BAD_INPUT, "ends within its header");
  memcpy(counts, bytes, sizeof counts);
  for (int k = 0; k < 4; k++)
    if (counts[k] < 0 || counts[k] > DC_MESH_TRIANGLES_MAX)
      return dc_fail(error, DC_BAD_INPUT, "its header holds the count %d", (int)counts[k]);
  size_t points = (size_t)counts[0], corners = 3 * (size_t)counts[3];
  size_t before = sizeof counts + 4 * (3 * points + 3 * (size_t)counts[1] + 2 * (size_t)counts[2]);
  if (size != before + 4 * corners)
    return dc_fail(error, DC_BAD_INPUT, "has %zu bytes instead of %zu", size, before + 4 * corners);
  mesh->vertices = dc_arena_alloc(arena, points, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(arena, corners / 3, sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles)
    return dc_out_of_memory(error);
  for (size_t i = 0; i < 3 * points; i++) {
    float number;
    memcpy(&number, bytes + sizeof counts + 4 * i, sizeof number);
    if (!(fabsf(number) <= 1e9f))
      return dc_fail(error, DC_BAD_INPUT, "a vertex is not finite or beyond 1e9 m");
    mesh->vertices[i / 3][i % 3] = (double)number;
  }
  for (size_t i = 0; i < corners; i++) {
    int32_t index;
    memcpy(&index, bytes + before + 4 * i, sizeof index);
    if (index < 0 || index >= counts[0])
      return dc_fail(error, DC_BAD_INPUT, "a triangle has the vertex %d of %d", (int)index, (int)counts[0]);
    mesh->triangles[i / 3][i % 3] = index;
  }
  mesh->vertex_count = counts[0];
  mesh->triangle_count = counts[3];
  return DC_OK;
}

static enum dc_status read_msh(const char *path, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error)
{
  char *bytes = NULL;
  size_t size = 0;
  enum dc_status status = dc_mesh_load(path, &bytes, &size, error);
  if (!status && (status = parse_msh(bytes, size, arena, mesh, error)))
    dc_error_prefix(error, "%.300s", path);
  free(bytes);
  return status;
}

// Reads the file that the asset names, by its ending; the opener decides where files may lie.  Of an OBJ file with
// several groups MuJoCo (3.14, seen) takes all vertices, for hulls, and the first group's triangles, for masses.
static enum dc_status read_file(const struct dc_mjcf *model, struct dc_mjcf_mesh *mesh, struct dc_error *error)
{
  struct dc_mesh read = {0};
  enum dc_status status = model->opener->find(model->opener->context, mesh->file, &mesh->path, error);
  const char *ending = strrchr(mesh->file, '.');
  if (!status && ending && strcasecmp(ending, ".msh") == 0)
    status = read_msh(mesh->path, model->arena, &read, error);
  else if (!status)
    status = dc_mesh_read(mesh->path, model->arena, &read, error);
  mesh->vertex_count = read.vertex_count;
  mesh->partial = read.group_count > 1;
  mesh->triangle_count = mesh->partial ? read.group_start[1] : read.triangle_count;
  mesh->vertices = read.vertices;
  mesh->triangles = read.triangles;
  return status;
}

// Moves, turns and scales the vertices in place, in that order.  A mirroring scale turns the triangles inside
// out, so two corners of each are swapped.
static void place_vertices(struct dc_mjcf_mesh *mesh)
{
  double rotation[9];
  dc_rotation_matrix(rotation, mesh->refquat);
  for (int v = 0; v < mesh->vertex_count; v++) {
    double offset[3], turned[3];
    dc_vec_sub(offset, mesh->vertices[v], mesh->refpos);
    dc_mat_apply_transposed(turned, rotation, offset);
    for (int k = 0; k < 3; k++)
      mesh->vertices[v][k] = turned[k] * mesh->scale[k];
  }
  if (mesh->scale[0] * mesh->scale[1] * mesh->scale[2] < 0)  // triangles turn the other way round
    for (int t = 0; t < mesh->triangle_count; t++) {
      int first = mesh->triangles[t][0];
      mesh->triangles[t][0] = mesh->triangles[t][1];
      mesh->triangles[t][1] = first;
    }
}

// The mass properties of a surface become those of the mesh.
static void find_shell(const struct dc_mjcf_mesh *surface, struct dc_mjcf_mesh *mesh)
{
  struct dc_solid shell;
  dc_mjcf_mesh_shell(surface, &shell);
  mesh->volume = shell.volume;
  dc_vec_copy(mesh->center, shell.center);
  memcpy(mesh->moment, shell.inertia, sizeof mesh->moment);
}

// Vertices alone are those of their hull; a hull's mass is asked for by name.
static enum dc_status take_hull(const struct dc_mjcf *model, struct dc_mjcf_mesh *mesh, struct dc_error *error)
{
  struct dc_mesh hull = {0};
  enum dc_status status = dc_hull((const double(*)[3])mesh->vertices, mesh->vertex_count, model->arena, &hull, error);
  if (status)
    return status;
  struct dc_mjcf_mesh made = *mesh;
  made.vertices = hull.vertices;
  made.vertex_count = hull.vertex_count;
  made.triangles = hull.triangles;
  made.triangle_count = hull.triangle_count;
  made.inertia = DC_MJCF_EXACT;
  find_moments(&made);
  if (mesh->inertia == DC_MJCF_SHELL)
    find_shell(&made, mesh);
  else {
    mesh->volume = made.volume;
    dc_vec_copy(mesh->center, made.center);
    memcpy(mesh->moment, made.moment, sizeof mesh->moment);
  }
  return DC_OK;
}

// Reads a mesh once; every later call returns the same status, and the message stays with the mesh.  Vertices
// come first, then the mass properties that its kind of inertia asks for.
enum dc_status dc_mjcf_need_mesh(const struct dc_mjcf *model, struct dc_mjcf_mesh *mesh)
{
  struct dc_error error = {0};
  if (mesh->read)
    return mesh->status;
  mesh->read = true;
  if (mesh->file)
    mesh->status = read_file(model, mesh, &error);
  if (!mesh->status) {
    place_vertices(mesh);
    if (mesh->triangle_count == 0 || mesh->inertia == DC_MJCF_CONVEX)
      mesh->status = take_hull(model, mesh, &error);
    else if (mesh->inertia == DC_MJCF_SHELL)
      find_shell(mesh, mesh);
    else
      find_moments(mesh);
  }
  if (mesh->status)
    mesh->message = dc_arena_strdup(model->arena, error.text);
  return mesh->status;
}
