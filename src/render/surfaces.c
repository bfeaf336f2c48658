// SPDX-License-Identifier: Apache-2.0
// Surfaces in Embree: one tree per shape, an instance per body in a scene of all bodies, deformable meshes of skins,
// and packets of rays.
//
// 1. dc_surfaces_create builds meshes, trees and instances once for a run.
// 2. For every frame dc_surfaces_deform moves nodes of skins and dc_surfaces_pose sets the instances'
// transformations; only the small tree over the bodies is built anew.
// 3. Packets of 16 rays find the nearest triangle, which dc_surfaces_locate evaluates again in double precision.
//
// Corner normals are smoothed over faces that meet at less than 40 degrees, weighted by angle.  Trees are built on
// one thread, so that the order of equally near triangles does not depend on the machine.
#include "render/surfaces.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/shapes/shape_smooth.h"
#include "math/vector.h"
#include "render/constants.h"

static const struct dc_pose in_the_world = {.quaternion = {1}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

struct dc_surface_mesh {
  const struct dc_shape *shape;  // to find it again while building
  RTCScene scene;
  RTCGeometry geometry;  // owned by the scene
  int triangle_count, vertex_count;
  float (*vertices)[3];            // in Embree's buffer
  const unsigned (*triangles)[3];  // in Embree's buffer
  float (*corner_normals)[3][3];   // [triangle_count][corner][3], unit
};

// Embree keeps the first error of a device until it is asked, so that one question after several calls is enough.
enum dc_status dc_surfaces_check(RTCDevice device, const char *what, struct dc_error *error)
{
  enum RTCError code = rtcGetDeviceError(device);
  if (code == RTC_ERROR_NONE)
    return DC_OK;
  if (code == RTC_ERROR_OUT_OF_MEMORY)
    return dc_fail(error, DC_MEMORY, "%s: Embree is out of memory", what);
  return dc_fail(error, DC_NUMERICAL, "%s: Embree error %d", what, (int)code);
}

// Unit normals [triangle_count][3] of the faces (zero for degenerate ones).
static void face_normals(const struct dc_mesh *mesh, double (*normals)[3])
{
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *v = mesh->triangles[t];
    double a[3], b[3];
    dc_vec_sub(a, mesh->vertices[v[1]], mesh->vertices[v[0]]);
    dc_vec_sub(b, mesh->vertices[v[2]], mesh->vertices[v[0]]);
    dc_vec_cross(normals[t], a, b);
    double length = dc_vec_norm(normals[t]);
    dc_vec_scale(normals[t], normals[t], length > 0 ? 1 / length : 0);
  }
}

// Angle of triangle t at its corner: the weight of its normal, so that the smoothed normal does not depend on how faces
// are split (Thuermer and Wuethrich 1998).
static double corner_angle(const struct dc_mesh *mesh, int t, int corner)
{
  const int *v = mesh->triangles[t];
  double a[3], b[3], c[3];
  dc_vec_sub(a, mesh->vertices[v[(corner + 1) % 3]], mesh->vertices[v[corner]]);
  dc_vec_sub(b, mesh->vertices[v[(corner + 2) % 3]], mesh->vertices[v[corner]]);
  dc_vec_cross(c, a, b);
  return atan2(dc_vec_norm(c), dc_vec_dot(a, b));
}

// Normal at a corner: the angle-weighted mean over faces at its vertex within 40 degrees of this face.  first
// [vertex_count + 1] and corners (3 t + corner) list the corners at every vertex.
static void smooth_corner(const struct dc_mesh *mesh, const double (*normals)[3], const int *first, const int *corners,
                          int t, int corner, float result[3])
{
  double sum[3] = {0, 0, 0};
  int vertex = mesh->triangles[t][corner];
  for (int k = first[vertex]; k < first[vertex + 1]; k++) {
    int other = corners[k] / 3;
    if (other == t || dc_vec_dot(normals[other], normals[t]) > DC_SMOOTH_COSINE)
      dc_vec_add_scaled(sum, sum, corner_angle(mesh, other, corners[k] % 3), normals[other]);
  }
  double length = dc_vec_norm(sum);
  for (int i = 0; i < 3; i++)
    result[i] = (float)(length > 0 ? sum[i] / length : normals[t][i]);
}

// Normals at corners: the mean of the neighbouring faces that differ by less than a crease, by their angles there.
static enum dc_status compute_corner_normals(struct dc_surface_mesh *surface, const struct dc_mesh *mesh,
                                             struct dc_error *error)
{
  size_t triangles = (size_t)mesh->triangle_count, vertices = (size_t)mesh->vertex_count;
  double(*normals)[3] = dc_alloc(triangles, sizeof *normals);
  int *first = dc_alloc(vertices + 2, sizeof *first), *corners = dc_alloc(3 * triangles, sizeof *corners);
  if (!surface->corner_normals)
    surface->corner_normals = dc_alloc(triangles, sizeof *surface->corner_normals);
  bool allocated = normals && first && corners && surface->corner_normals;
  if (allocated) {
    face_normals(mesh, normals);
    // Counting sort of the corners by vertex; counts are stored two places up, so that filling leaves first[v] at the
    // start of v.
    for (int c = 0; c < 3 * mesh->triangle_count; c++)
      first[mesh->triangles[c / 3][c % 3] + 2]++;
    for (int v = 0; v < mesh->vertex_count; v++)
      first[v + 2] += first[v + 1];
    for (int c = 0; c < 3 * mesh->triangle_count; c++)
      corners[first[mesh->triangles[c / 3][c % 3] + 1]++] = c;
    for (int c = 0; c < 3 * mesh->triangle_count; c++)
      smooth_corner(mesh, (const double(*)[3])normals, first, corners, c / 3, c % 3,
                    surface->corner_normals[c / 3][c % 3]);
  }
  free(normals);
  free(first);
  free(corners);
  if (!allocated)
    return dc_out_of_memory_for(error, "the normals of %d triangles", mesh->triangle_count);
  return DC_OK;
}

// Embree reads indices without a check; corners are numbered by an int.
static enum dc_status check_mesh(const struct dc_shape *shape, struct dc_error *error)
{
  const struct dc_mesh *mesh = &shape->mesh;
  if (mesh->triangle_count < 1 || mesh->vertex_count < 3 || mesh->triangle_count > INT_MAX / 3 - 1)
    return dc_fail(error, DC_BAD_INPUT, "shape %s: cannot draw %d triangles on %d vertices", shape->name,
                   mesh->triangle_count, mesh->vertex_count);
  for (int c = 0; c < 3 * mesh->triangle_count; c++) {
    int v = mesh->triangles[c / 3][c % 3];
    if (v < 0 || v >= mesh->vertex_count)
      return dc_fail(error, DC_BAD_INPUT, "shape %s: triangle %d: vertex %d is not in 0 .. %d", shape->name, c / 3, v,
                     mesh->vertex_count - 1);
  }
  return DC_OK;
}

// Creates the tree of a mesh, of which everything needed is copied.  Vertices and triangles live in Embree's buffers,
// in single precision; later frames of a skin overwrite them there.  Embree's own errors are collected and asked for
// once at the end.
static enum dc_status fill_mesh(RTCDevice device, struct dc_surface_mesh *surface, const struct dc_shape *shape,
                                const struct dc_mesh *mesh, struct dc_error *error)
{
  enum dc_status status;
  surface->shape = shape;
  surface->triangle_count = mesh->triangle_count;
  surface->vertex_count = mesh->vertex_count;
  status = compute_corner_normals(surface, mesh, error);
  if (status)
    return status;
  surface->scene = rtcNewScene(device);
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  float(*vertices)[3] = NULL;
  unsigned(*triangles)[3] = NULL;
  if (surface->scene && geometry) {
    vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof *vertices,
                                       (size_t)mesh->vertex_count);
    triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof *triangles,
                                        (size_t)mesh->triangle_count);
  }
  if (vertices && triangles) {
    for (int v = 0; v < mesh->vertex_count; v++)
      for (int i = 0; i < 3; i++)
        vertices[v][i] = (float)mesh->vertices[v][i];
    for (int t = 0; t < mesh->triangle_count; t++)
      for (int i = 0; i < 3; i++)
        triangles[t][i] = (unsigned)mesh->triangles[t][i];
    surface->vertices = vertices;
    surface->geometry = geometry;
    surface->triangles = (const unsigned(*)[3])triangles;
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(surface->scene, geometry, 0);
    rtcSetSceneFlags(surface->scene, RTC_SCENE_FLAG_ROBUST);
    rtcCommitScene(surface->scene);
  }
  if (geometry)
    rtcReleaseGeometry(geometry);
  return dc_surfaces_check(device, shape->name, error);
}

// The mesh for pictures may be finer than that of the physics (dc_shape_smooth_mesh).  It lives until the tree has a
// copy of it.
static enum dc_status build_mesh(RTCDevice device, struct dc_surface_mesh *surface, const struct dc_shape *shape,
                                 struct dc_error *error)
{
  struct dc_mesh mesh;
  enum dc_status status = check_mesh(shape, error);
  if (status)
    return status;
  struct dc_arena *arena = dc_arena_create();
  if (!arena)
    return dc_out_of_memory_for(error, "the look of %s", shape->name);
  status = dc_shape_smooth_mesh(shape, arena, &mesh, error);
  if (!status)
    status = fill_mesh(device, surface, shape, &mesh, error);
  dc_arena_destroy(arena);
  return status;
}

// Creates the mesh of a skin for nodes and frames as in dc_skin_points; free_skin releases both arrays.
static enum dc_status make_skin(const struct dc_skin *skin, const double *nodes, const double (*positions)[3],
                                struct dc_mesh *mesh, struct dc_error *error)
{
  *mesh = (struct dc_mesh){.vertex_count = dc_skin_vertex_count(skin), .triangle_count = dc_skin_triangle_count(skin)};
  double(*points)[3] = dc_alloc((size_t)skin->point_count, sizeof *points);
  mesh->vertices = dc_alloc((size_t)mesh->vertex_count, sizeof *mesh->vertices);
  mesh->triangles = dc_alloc((size_t)mesh->triangle_count, sizeof *mesh->triangles);
  bool allocated = points && mesh->vertices && mesh->triangles;
  if (allocated) {
    dc_skin_triangles(skin, mesh->triangles);
    dc_skin_points(skin, nodes, positions, points);
    dc_skin_place(skin, (const double(*)[3])points, mesh->vertices);
  }
  free(points);
  return allocated ? DC_OK : dc_out_of_memory_for(error, "the surface of a soft body");
}

static void free_skin(struct dc_mesh *mesh)
{
  free(mesh->vertices);
  free(mesh->triangles);
}

// An instance has the number of its body, by which hits name bodies.
static enum dc_status add_instance(struct dc_surfaces *surfaces, int index, struct dc_surface_mesh *mesh,
                                   const char *name, struct dc_error *error)
{
  struct dc_surface_body *drawn = &surfaces->bodies[index];
  RTCGeometry instance = rtcNewGeometry(surfaces->device, RTC_GEOMETRY_TYPE_INSTANCE);
  drawn->mesh = mesh;
  if (instance) {
    rtcSetGeometryInstancedScene(instance, mesh->scene);
    rtcSetGeometryTimeStepCount(instance, 1);
    rtcAttachGeometryByID(surfaces->scene, instance, (unsigned)index);
    rtcReleaseGeometry(instance);
  }
  drawn->instance = instance;
  return dc_surfaces_check(surfaces->device, name, error);
}

// Builds the mesh of a body's skin at the start.
static enum dc_status build_skin(struct dc_surfaces *surfaces, int index, const struct dc_bodies *bodies,
                                 struct dc_error *error)
{
  struct dc_shape own = {.name = bodies->bodies[index].name};
  double(*positions)[3] = dc_alloc((size_t)bodies->count, sizeof *positions);
  if (!positions)
    return dc_out_of_memory_for(error, "%d bodies", bodies->count);
  for (int b = 0; b < bodies->count; b++)
    dc_vec_copy(positions[b], bodies->bodies[b].start.position);
  enum dc_status status =
      make_skin(&surfaces->bodies[index].skin, NULL, (const double(*)[3])positions, &own.mesh, error);
  if (!status)
    status = build_mesh(surfaces->device, &surfaces->meshes[surfaces->mesh_count++], &own, error);
  free_skin(&own.mesh);
  free(positions);
  return status ? status : add_instance(surfaces, index, &surfaces->meshes[surfaces->mesh_count - 1], own.name, error);
}

// Makes what is drawn of a body: a surface that deforms, or an instance of a mesh that bodies of one shape share.
// Bodies without a surface, such as half-spaces and markers, have no instance; the number of an instance is that of
// its body.
static enum dc_status build_body(struct dc_surfaces *surfaces, int index, const struct dc_bodies *bodies,
                                 struct dc_error *error)
{
  struct dc_surface_body *drawn = &surfaces->bodies[index];
  const struct dc_body *body = &bodies->bodies[index];
  drawn->skinned = dc_skin_of(bodies, index, &drawn->skin);
  if (!drawn->skinned)
    dc_vec_copy(drawn->center, body->center);
  dc_vec_copy(drawn->color, body->appearance.color);
  drawn->fixed = !drawn->skinned && !dc_body_moves(body);
  if (drawn->skinned)
    return build_skin(surfaces, index, bodies, error);
  const struct dc_shape *shape = dc_body_look(body);
  if (!dc_shape_has_surface(shape))
    return DC_OK;
  int m = 0;
  while (m < surfaces->mesh_count && surfaces->meshes[m].shape != shape)
    m++;
  if (m == surfaces->mesh_count) {
    surfaces->mesh_count++;
    enum dc_status status = build_mesh(surfaces->device, &surfaces->meshes[m], shape, error);
    if (status)
      return status;
  }
  surfaces->meshes[m].shape = shape;
  return add_instance(surfaces, index, &surfaces->meshes[m], body->name, error);
}

// Makes the ray tracer's scene of all bodies.
enum dc_status dc_surfaces_create(struct dc_surfaces *surfaces, const struct dc_bodies *bodies, struct dc_error *error)
{
  memset(surfaces, 0, sizeof *surfaces);
  surfaces->meshes = dc_alloc((size_t)bodies->count, sizeof *surfaces->meshes);
  surfaces->bodies = dc_alloc((size_t)bodies->count, sizeof *surfaces->bodies);
  if (!surfaces->meshes || !surfaces->bodies)
    return dc_out_of_memory_for(error, "%d bodies", bodies->count);
  // Trees are built on one thread: the order in which equally near triangles are met must not depend on the machine.
  surfaces->device = rtcNewDevice("threads=1");
  if (!surfaces->device) {
    // error of the thread, as there is no device yet
    enum dc_status status = dc_surfaces_check(NULL, "renderer", error);
    return status ? status : dc_fail(error, DC_NUMERICAL, "renderer: Embree made no device");
  }
  surfaces->scene = rtcNewScene(surfaces->device);
  if (!surfaces->scene)
    return dc_fail(error, DC_MEMORY, "renderer: Embree made no scene");
  rtcSetSceneFlags(surfaces->scene, RTC_SCENE_FLAG_ROBUST);
  for (int b = 0; b < bodies->count; b++) {
    enum dc_status status = build_body(surfaces, b, bodies, error);
    if (status)
      return status;
    surfaces->body_count++;
  }
  return DC_OK;
}

void dc_surfaces_destroy(struct dc_surfaces *surfaces)
{
  if (surfaces->scene)
    rtcReleaseScene(surfaces->scene);
  for (int m = 0; m < surfaces->mesh_count; m++) {
    if (surfaces->meshes[m].scene)
      rtcReleaseScene(surfaces->meshes[m].scene);
    free(surfaces->meshes[m].corner_normals);
  }
  if (surfaces->device)
    rtcReleaseDevice(surfaces->device);
  free(surfaces->meshes);
  free(surfaces->bodies);
  memset(surfaces, 0, sizeof *surfaces);
}

// Embree takes single precision, in which numbers from 1e18 on overflow once they are squared.
static bool pose_finite(const struct dc_pose *pose)
{
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum += fabs(pose->position[i]);
  for (int i = 0; i < 9; i++)
    sum += fabs(pose->rotation[i]);
  return isfinite(sum) && sum < 1e18;
}

// Places of the vertices as the numbers of single precision that are drawn; normals are those of these.
static enum dc_status deform_mesh(struct dc_surfaces *surfaces, const struct dc_surface_body *body, const double *nodes,
                                  const double (*positions)[3], struct dc_error *error)
{
  struct dc_surface_mesh *mesh = body->mesh;
  struct dc_mesh moved;
  enum dc_status status = make_skin(&body->skin, nodes, positions, &moved, error);
  for (int v = 0; v < mesh->vertex_count && !status; v++)
    for (int i = 0; i < 3; i++)
      mesh->vertices[v][i] = (float)moved.vertices[v][i];
  if (!status)
    status = compute_corner_normals(mesh, &moved, error);
  free_skin(&moved);
  if (status)
    return status;
  rtcUpdateGeometryBuffer(mesh->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(mesh->geometry);
  rtcCommitScene(mesh->scene);
  return dc_surfaces_check(surfaces->device, "soft body", error);
}

// Soft bodies only: cables follow frames and are moved with the poses.
enum dc_status dc_surfaces_deform(struct dc_surfaces *surfaces, const double *nodes, struct dc_error *error)
{
  for (int b = 0; b < surfaces->body_count; b++) {
    const struct dc_surface_body *body = &surfaces->bodies[b];
    enum dc_status status = body->skinned && body->skin.soft ? deform_mesh(surfaces, body, nodes, NULL, error) : DC_OK;
    if (status)
      return status;
  }
  return DC_OK;
}

// Cables to where the frames are that they run through.
static enum dc_status draw_cables(struct dc_surfaces *surfaces, const struct dc_pose *poses, struct dc_error *error)
{
  double(*positions)[3] = NULL;
  enum dc_status status = DC_OK;
  for (int b = 0; b < surfaces->body_count && !status; b++) {
    if (!surfaces->bodies[b].skin.cable)
      continue;
    if (!positions) {
      positions = dc_alloc((size_t)surfaces->body_count, sizeof *positions);
      for (int other = 0; other < surfaces->body_count && positions; other++)
        dc_vec_copy(positions[other], poses[other].position);
    }
    status = positions ? deform_mesh(surfaces, &surfaces->bodies[b], NULL, (const double(*)[3])positions, error)
                       : dc_out_of_memory_for(error, "%d bodies", surfaces->body_count);
  }
  free(positions);
  return status;
}

// Places all bodies for one frame and rebuilds the tree over them.
enum dc_status dc_surfaces_pose(struct dc_surfaces *surfaces, const struct dc_pose *poses, struct dc_error *error)
{
  for (int b = 0; b < surfaces->body_count; b++)
    if (!pose_finite(&poses[b]))
      return dc_fail(error, DC_BAD_INPUT, "pose of body %d is not finite", b);
  enum dc_status status = draw_cables(surfaces, poses, error);
  if (status)
    return status;
  for (int b = 0; b < surfaces->body_count; b++) {
    struct dc_surface_body *body = &surfaces->bodies[b];
    body->pose = body->skinned ? in_the_world : poses[b];
    if (!body->mesh)
      continue;
    // x -> p + R (x - c) as the rows of [R | p - R c]
    double shift[3];
    float rows[12];
    dc_mat_apply(shift, body->pose.rotation, body->center);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        rows[4 * i + j] = (float)body->pose.rotation[3 * i + j];
      rows[4 * i + 3] = (float)(body->pose.position[i] - shift[i]);
    }
    rtcSetGeometryTransform(body->instance, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, rows);
    rtcCommitGeometry(body->instance);
  }
  rtcCommitScene(surfaces->scene);
  return dc_surfaces_check(surfaces->device, "bodies", error);
}

// World place of a point in the shape's frame: p + R (x - c).
static void place_point(const struct dc_surface_body *body, const double local[3], double world[3])
{
  double offset[3];
  dc_vec_sub(offset, local, body->center);
  dc_mat_apply(world, body->pose.rotation, offset);
  dc_vec_add(world, world, body->pose.position);
}

// Corners of the box of the shape's own axes in the world, bit k of the number choosing the upper end of axis k.
void dc_surfaces_box(const struct dc_surfaces *surfaces, int body, double corners[8][3])
{
  struct RTCBounds bounds;
  rtcGetSceneBounds(surfaces->bodies[body].mesh->scene, &bounds);
  const double low[3] = {(double)bounds.lower_x, (double)bounds.lower_y, (double)bounds.lower_z};
  const double high[3] = {(double)bounds.upper_x, (double)bounds.upper_y, (double)bounds.upper_z};
  for (int c = 0; c < 8; c++) {
    const double local[3] = {c & 1 ? high[0] : low[0], c & 2 ? high[1] : low[1], c & 4 ? high[2] : low[2]};
    place_point(&surfaces->bodies[body], local, corners[c]);
  }
}

void dc_packet_clear(struct dc_ray_packet *packet)
{
  memset(packet, 0, sizeof *packet);  // Embree looks at rays that are not set, too
}

// Sets ray k of a packet of 16.
void dc_packet_set(struct dc_ray_packet *packet, int k, const double origin[3], const double direction[3])
{
  struct RTCRay16 *ray = &packet->rays.ray;
  packet->valid[k] = -1;
  ray->org_x[k] = (float)origin[0];
  ray->org_y[k] = (float)origin[1];
  ray->org_z[k] = (float)origin[2];
  ray->dir_x[k] = (float)direction[0];
  ray->dir_y[k] = (float)direction[1];
  ray->dir_z[k] = (float)direction[2];
  ray->tnear[k] = ray->time[k] = 0;
  ray->tfar[k] = INFINITY;
  ray->mask[k] = ~0u;
  ray->id[k] = ray->flags[k] = 0;
  packet->rays.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
  packet->rays.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
}

void dc_surfaces_intersect(const struct dc_surfaces *surfaces, struct dc_ray_packet *packet, bool coherent)
{
  dc_embree_intersect(surfaces->scene, coherent, packet->valid, &packet->rays);
}

void dc_surfaces_occlude(const struct dc_surfaces *surfaces, struct dc_ray_packet *packet)
{
  dc_embree_occlude(surfaces->scene, packet->valid, &packet->rays.ray);
}

// The normal of the triangle itself, without smoothing, turned towards the viewer; true: the face was seen from inside.
bool dc_surfaces_face(const struct dc_surfaces *surfaces, const struct dc_ray_packet *packet, int k,
                      const double direction[3], double normal[3])
{
  const struct RTCHit16 *hit = &packet->rays.hit;
  const struct dc_surface_body *body = &surfaces->bodies[hit->instID[0][k]];
  const double local[3] = {(double)hit->Ng_x[k], (double)hit->Ng_y[k], (double)hit->Ng_z[k]};
  dc_mat_apply(normal, body->pose.rotation, local);
  bool inside = dc_vec_dot(normal, direction) > 0;
  dc_vec_scale(normal, normal, (inside ? -1 : 1) / fmax(dc_vec_norm(normal), 1e-30));
  return inside;
}

// Place and normal of a hit in double precision, from the triangle and the barycentric coordinates (1 - u - v, u, v)
// that were found. origin is the place from which light rays start: raised and off the face.  Seen from inside,
// normals point to the viewer and the place is not raised.
void dc_surfaces_locate(const struct dc_surfaces *surfaces, const struct dc_ray_packet *packet, int k,
                        const double origin[3], const double direction[3], struct dc_surface_hit *hit)
{
  const struct RTCHit16 *query = &packet->rays.hit;
  hit->body = (int)query->instID[0][k];
  const struct dc_surface_body *body = &surfaces->bodies[hit->body];
  const struct dc_surface_mesh *mesh = body->mesh;
  unsigned number = query->primID[k];
  const unsigned *triangle = mesh->triangles[number];
  double u = (double)query->u[k], v = (double)query->v[k], weight[3] = {1 - u - v, u, v};
  double local[3] = {0, 0, 0}, normal[3] = {0, 0, 0}, corner[3][3], corner_normal[3][3];
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < 3; i++) {
      corner[c][i] = (double)mesh->vertices[triangle[c]][i];
      corner_normal[c][i] = (double)mesh->corner_normals[number][c][i];
    }
    dc_vec_add_scaled(local, local, weight[c], corner[c]);
    dc_vec_add_scaled(normal, normal, weight[c], corner_normal[c]);
  }
  // The point raised onto the tangent planes at the corners, without which the smooth shading of a coarse ball shows
  // the triangles' own shadows near the terminator (Hanika 2021, Hacking the Shadow Terminator).
  double raised[3];
  dc_vec_copy(raised, local);
  for (int c = 0; c < 3; c++) {
    double from_corner[3];
    dc_vec_sub(from_corner, local, corner[c]);
    double height = dc_vec_dot(from_corner, corner_normal[c]);
    if (height < 0)
      dc_vec_add_scaled(raised, raised, -weight[c] * height, corner_normal[c]);
  }
  dc_vec_scale(normal, normal, 1 / fmax(dc_vec_norm(normal), 1e-30));
  dc_mat_apply(hit->normal, body->pose.rotation, normal);
  bool inside = dc_surfaces_face(surfaces, packet, k, direction, hit->face_normal);
  place_point(body, local, hit->position);
  place_point(body, raised, hit->origin);
  hit->distance = dc_vec_distance(hit->position, origin);
  if (inside) {
    dc_vec_scale(hit->normal, hit->normal, -1);
    dc_vec_copy(hit->origin, hit->position);
  }
  // Light rays must not meet the face that they start from.  They begin above it by more than the rounding of
  // Embree's single precision at this place.
  double largest = fmax(fabs(hit->position[0]), fmax(fabs(hit->position[1]), fabs(hit->position[2])));
  dc_vec_add_scaled(hit->origin, hit->origin, 2e-6 * (largest + hit->distance), hit->face_normal);
}
