// SPDX-License-Identifier: Apache-2.0
// dcsim_query: the contact manifold of all bodies that may touch, at the initial state.  For each pair:
// 1. both shapes become signed distances with vertices and edges (make_surface), once per body and softness;
// 2. the meshes are checked against their own level sets, where edges take part (check_fit);
// 3. the manifold gives contacts of vertices and of pairs of edges: point, normal, distance, activity, and the
//    derivative of the distance by the twists of both bodies (put_contacts).
//
// Values and derivatives may have softnesses of their own: a softer manifold has smoother derivatives.  The
// result is a report, and a file of arrays (NPZ) or a picture (PNG) by the name of the file.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/internal.h"
#include "commands/constants.h"
#include "commands/output.h"
#include "commands/overlay.h"
#include "commands/stage.h"
#include "contact/manifold/manifold.h"
#include "io/run/npz.h"
#include "math/vector.h"

// Evaluations with separate softnesses: values, and derivatives.
enum { VALUES, GRADIENTS, SETS };

// The state of one query.  Arrays live in the arena, but `told`, which grows and is freed by dcsim_query.
struct query {
  const struct dc_scene *scene;
  struct dc_arena *arena;
  struct dc_pose *poses;
  double softness[SETS];                 // factors
  struct dc_manifold_surface *surfaces;  // [bodies][SETS], of their shapes' frames moved to the centres of mass
  struct dc_manifold_fit *fits;          // [bodies] of the meshes to their level sets, once they are `fitted`
  bool *fitted;
  struct dc_text *text;
  struct dc_json_writer *json;
  struct dc_npz *npz;                // NULL: not wanted
  struct dc_manifold_contact *told;  // [told_count], for a picture
  size_t told_count, told_capacity;
};

// With one softness for both, one manifold serves for values and derivatives.
static bool one_set(const struct query *query)
{
  return query->softness[VALUES] == query->softness[GRADIENTS];
}

// Makes the level set of a body's shape for one softness, once: smoothed over the softness times 1 % of the body's
// diameter, and moved so that the centre of mass is the origin, as the vertices and edges are.
static enum dc_status make_surface(struct query *query, int body, int set, struct dc_error *error)
{
  const struct dc_body *b = &query->scene->model.bodies.bodies[body];
  const struct dc_mesh *mesh = &b->shape->mesh;
  struct dc_manifold_surface *surface = &query->surfaces[SETS * body + set];
  double smoothing = DC_QUERY_SMOOTHING * query->softness[set] * 2 * b->radius;
  const struct dc_sdf *sdf;
  if (surface->sdf)
    return DC_OK;
  enum dc_status status = dc_shape_sdf(b->shape, smoothing, query->arena, &sdf, error);
  struct dc_sdf *moved = dc_arena_alloc(query->arena, 1, sizeof *moved);
  double(*vertices)[3] = dc_arena_alloc(query->arena, (size_t)mesh->vertex_count, sizeof *vertices);
  int(*edges)[2] = dc_arena_alloc(query->arena, 3 * (size_t)mesh->triangle_count, sizeof *edges);
  if (status)
    return status;
  if (!moved || !vertices || !edges)
    return dc_out_of_memory_for(error, "the surface of %s", b->name);
  *moved = *sdf;
  dc_vec_sub(moved->position, sdf->position, b->center);
  for (int v = 0; v < mesh->vertex_count; v++)
    dc_vec_sub(vertices[v], mesh->vertices[v], b->center);
  *surface = (struct dc_manifold_surface){.sdf = moved,
                                          .vertex_count = mesh->vertex_count,
                                          .edge_count = dc_manifold_edges_of(mesh, edges),
                                          .vertices = (const double(*)[3])vertices,
                                          .edges = (const int(*)[2])edges};
  return DC_OK;
}

// Refuses a body whose edges stand out of its own level set by more than allowed (m): they would count as apart
// where they penetrate.
static enum dc_status check_fit(struct query *query, int body, double allowed, struct dc_error *error)
{
  const struct dc_body *b = &query->scene->model.bodies.bodies[body];
  if (!query->fitted[body])
    dc_manifold_check(&query->surfaces[SETS * body + VALUES], &query->fits[body]);
  query->fitted[body] = true;
  const struct dc_manifold_fit fit = query->fits[body];
  dc_text_add(query->text, "  %-16s vertices within %.2g m of the level set, edges up to %.2g m outside\n", b->name,
              fit.vertices, fmax(fit.edges, 0));
  dc_json_begin(query->json, b->name, '{');
  dc_json_put_number(query->json, "vertices", fit.vertices);
  dc_json_put_number(query->json, "edges", fmax(fit.edges, 0));
  dc_json_end(query->json, "}");
  if (!(fit.edges > allowed))
    return DC_OK;
  return dc_fail(
      error, DC_BAD_INPUT,
      "body %s: edge %d of its mesh lies up to %.3g m outside of its level set, more than %.3g m: contacts of "
      "edges would be missed (give its shape an \"inset\" of %.2g or more triangles)",
      b->name, fit.edge, fit.edges, allowed, fit.edges);
}

// A contact in the world: point, m, normal, distance, m, activity 0 to 1, and the derivative of the distance by both
// twists, rotations first.
static void put_contact(struct query *query, const struct dc_manifold_contact *contact, const int bodies[2],
                        const double jacobian[12])
{
  struct dc_json_writer *json = query->json;
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "body", query->scene->model.bodies.bodies[bodies[contact->body]].name);
  dc_json_put_string(json, "type", contact->vertex < 0 ? "edges" : "vertex");
  dc_json_put_numbers(json, "point", contact->point, 3);
  dc_json_put_numbers(json, "normal", contact->normal, 3);
  dc_json_put_number(json, "distance", contact->distance);
  dc_json_put_number(json, "activity", contact->activity);
  dc_json_put_numbers(json, "jacobian", jacobian, 12);
  dc_json_end(json, "}");
}

enum { COLUMNS = 3 + 3 + 2 + 12 };  // point, normal, distance, activity, Jacobian

// NPZ has all contacts, [count][COLUMNS]; the report only those that are active.
static void put_arrays(struct query *query, const char *name, int count, const double *rows)
{
  if (query->npz)
    dc_npz_put_reals(query->npz, name, 2, (const size_t[2]){(size_t)count, COLUMNS}, rows);
}

// Evaluates the contacts and writes them as rows [count][COLUMNS].  Both sets have the same contacts in the
// same order; they may be one manifold.  Contacts of an activity below DC_QUERY_LEAST_ACTIVITY have no Jacobian: it
// would cost a pull-back each and is nearly zero.
// The Jacobian row is dd/d(w, t) of both bodies, rotations first: m/rad and 1.  A contact of one vertex alone has a
// closed form (dc_manifold_vertex_rate); for all others the unit cotangent of the distance is pulled back.
static enum dc_status put_contacts(struct query *query, struct dc_manifold *const sets[SETS], const int bodies[2],
                                   struct dc_error *error)
{
  struct dc_manifold *manifold = sets[VALUES];
  int count = dc_manifold_count(manifold), told = 0;
  double deepest = INFINITY;
  struct dc_manifold_contact *contacts = dc_arena_alloc(query->arena, (size_t)count, sizeof *contacts);
  struct dc_manifold_cotangent *by = dc_arena_alloc(query->arena, (size_t)count, sizeof *by);
  double *rows = dc_arena_alloc(query->arena, (size_t)count * COLUMNS, sizeof *rows);
  char *name = dc_arena_printf(query->arena, "%s %s", query->scene->model.bodies.bodies[bodies[0]].name,
                               query->scene->model.bodies.bodies[bodies[1]].name);
  struct dc_pose poses[2] = {query->poses[bodies[0]], query->poses[bodies[1]]};
  if (!contacts || !by || !rows || !name)
    return dc_out_of_memory_for(error, "%d contacts", count);
  if (sets[GRADIENTS] != manifold)
    dc_manifold_evaluate(sets[GRADIENTS], poses, contacts);
  dc_manifold_evaluate(manifold, poses, contacts);
  dc_json_begin(query->json, "contacts", '[');
  for (int i = 0; i < count; i++) {
    double *row = rows + (size_t)COLUMNS * (size_t)i, twists[2][6] = {{0}};
    dc_vec_copy(row, contacts[i].point);
    dc_vec_copy(row + 3, contacts[i].normal);
    row[6] = contacts[i].distance;
    row[7] = contacts[i].activity;
    if (contacts[i].activity < DC_QUERY_LEAST_ACTIVITY)
      continue;  // its Jacobian stays 0
    if (!dc_manifold_vertex_rate(sets[GRADIENTS], i, twists)) {
      by[i].distance = 1;
      dc_manifold_pull_back(sets[GRADIENTS], by, twists, NULL);
      by[i].distance = 0;
    }
    memcpy(row + 8, twists, sizeof twists);
    put_contact(query, &contacts[i], bodies, row + 8);
    if (dc_grow(&query->told, &query->told_capacity, query->told_count + 1, sizeof *query->told))
      return dc_out_of_memory_for(error, "%zu contacts", query->told_count + 1);
    query->told[query->told_count++] = contacts[i];
    deepest = contacts[i].vertex < 0 ? deepest : fmin(deepest, contacts[i].distance);
    told++;
  }
  dc_json_end(query->json, "]");
  put_arrays(query, name, count, rows);
  dc_text_add(
      query->text,
      "  %s: %d contacts of vertices, %d of edges, %d of activity %g or more; least distance of a vertex %.6g m\n",
      name, dc_manifold_vertex_contacts(manifold), count - dc_manifold_vertex_contacts(manifold), told,
      DC_QUERY_LEAST_ACTIVITY, deepest);
  return DC_OK;
}

// Multiplies all lengths over which the manifold's decisions are smoothed by a factor.
static void soften(struct dc_manifold_settings *settings, double factor)
{
  double *softnesses[] = {&settings->edge.softness, &settings->edge.regularization,
                          &settings->sign,          &settings->clash,
                          &settings->penetration,   &settings->nearest,
                          &settings->core,          &settings->selection};
  for (size_t i = 0; i < sizeof softnesses / sizeof *softnesses; i++)
    *softnesses[i] *= factor;
}

// Makes the manifold of a pair for one softness; NULL: *error says why.  A half-space has no vertices, so that
// contacts are those of the other body's vertices alone.
static struct dc_manifold *make_manifold(struct query *query, const int bodies[2], int set,
                                         struct dc_manifold_settings *settings, struct dc_error *error)
{
  struct dc_manifold_surface surfaces[2];
  for (int s = 0; s < 2; s++) {
    if (make_surface(query, bodies[s], set, error))
      return NULL;
    surfaces[s] = query->surfaces[SETS * bodies[s] + set];
  }
  dc_manifold_defaults(surfaces, settings);
  soften(settings, query->softness[set]);
  if (surfaces[1].vertex_count == 0) {  // a half-space
    settings->one_sided = true;
    settings->edge_edge = false;
  }
  return dc_manifold_create(surfaces, settings, error);
}

// Writes the manifold of one pair.  Values and gradients may have softnesses of their own; with one softness both come
// from the same manifold.  The meshes are checked against their level sets first, where edges take part.
static enum dc_status query_pair(struct query *query, const int bodies[2], struct dc_error *error)
{
  struct dc_manifold_settings settings = {.edge_edge = false}, other;
  struct dc_manifold *sets[SETS] = {NULL};
  enum dc_status status = DC_OK;
  sets[VALUES] = make_manifold(query, bodies, VALUES, &settings, error);
  if (sets[VALUES])
    sets[GRADIENTS] = one_set(query) ? sets[VALUES] : make_manifold(query, bodies, GRADIENTS, &other, error);
  if (!sets[VALUES] || !sets[GRADIENTS])
    status = error->status;
  dc_json_begin(query->json, NULL, '{');
  dc_json_put_string(query->json, "a", query->scene->model.bodies.bodies[bodies[0]].name);
  dc_json_put_string(query->json, "b", query->scene->model.bodies.bodies[bodies[1]].name);
  dc_json_begin(query->json, "fit", '{');
  double allowed = settings.penetration / query->softness[VALUES];
  for (int s = 0; s < 2 && !status && settings.edge_edge; s++)
    status = check_fit(query, bodies[s], allowed, error);
  dc_json_end(query->json, "}");
  if (!status)
    status = put_contacts(query, sets, bodies, error);
  dc_manifold_destroy(sets[VALUES]);
  if (sets[GRADIENTS] != sets[VALUES])
    dc_manifold_destroy(sets[GRADIENTS]);
  dc_json_end(query->json, "}");
  return status;
}

// Queries all pairs whose bodies may touch and have surfaces.  The first body of a pair moves; of two that
// move, the first in the scene comes first.
static enum dc_status query_pairs(struct query *query, struct dc_error *error)
{
  const struct dc_bodies *bodies = &query->scene->model.bodies;
  enum dc_status status = DC_OK;
  dc_json_begin(query->json, NULL, '{');
  dc_json_begin(query->json, "pairs", '[');
  for (int a = 0; a < bodies->count && !status; a++)
    for (int b = 0; b < bodies->count && !status; b++) {
      const struct dc_body *first = &bodies->bodies[a], *second = &bodies->bodies[b];
      bool ordered = dc_body_moves(first) && (b > a || !dc_body_moves(second));
      bool solid = dc_shape_has_surface(first->shape) &&
                   (dc_shape_has_surface(second->shape) || second->shape->type->half_space);
      if (ordered && solid && dc_bodies_touch(bodies, a, b))
        status = query_pair(query, (const int[2]){a, b}, error);
    }
  dc_json_end(query->json, "]}");
  return status;
}

// Poses at the start come from a plan of no steps, so that controls of the initial state count.
static enum dc_status run(struct query *query, struct dc_error *error)
{
  const struct dc_scene *scene = query->scene;
  size_t bodies = (size_t)scene->model.bodies.count;
  query->arena = dc_arena_create();
  query->poses = query->arena ? dc_arena_alloc(query->arena, bodies, sizeof *query->poses) : NULL;
  query->surfaces = query->arena ? dc_arena_alloc(query->arena, SETS * bodies, sizeof *query->surfaces) : NULL;
  query->fits = query->arena ? dc_arena_alloc(query->arena, bodies, sizeof *query->fits) : NULL;
  query->fitted = query->arena ? dc_arena_alloc(query->arena, bodies, sizeof *query->fitted) : NULL;
  if (!query->poses || !query->surfaces || !query->fits || !query->fitted)
    return dc_out_of_memory_for(error, "contact manifolds");
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, 0, error);
  if (!plan)
    return error->status;
  dc_poses(&scene->model.bodies, plan->input->q, query->poses);
  dc_plan_destroy(plan);
  dc_text_add(query->text, "contact manifolds at the initial state\n");
  return query_pairs(query, error);
}

// The picture's size in pixels, and rays per pixel.
enum { PICTURE_WIDTH = 1280, PICTURE_HEIGHT = 720, PICTURE_SAMPLES = 16 };

// The scene at its initial state with its contacts.
static enum dc_status draw(struct query *query, const char *path, struct dc_error *error)
{
  const struct dc_bodies *bodies = &query->scene->model.bodies;
  struct dc_render_settings settings = {.width = PICTURE_WIDTH,
                                        .height = PICTURE_HEIGHT,
                                        .samples = PICTURE_SAMPLES,
                                        .floor_height = dc_api_floor_height(bodies)};
  unsigned char *pixels = dc_arena_alloc(query->arena, PICTURE_WIDTH * PICTURE_HEIGHT, 3);
  double *places = dc_arena_alloc(query->arena, (size_t)bodies->count, 3 * sizeof *places);
  if (!pixels || !places)
    return dc_out_of_memory_for(error, "a picture");
  for (int b = 0; b < bodies->count; b++)
    dc_vec_copy(places + 3 * b, query->poses[b].position);
  const struct dc_stored_trajectory still = {.frames = 1, .bodies = bodies->count, .position = places};
  enum dc_status status = dc_api_camera(query->scene, bodies, &still, 0, NULL, NULL, &settings, error);
  struct dc_renderer *renderer = status ? NULL : dc_renderer_create(bodies, 0, NULL, &settings, error);
  if (!status)
    status = renderer ? dc_render_frame(renderer, query->poses, 0, NULL, pixels, error) : error->status;
  const struct dc_overlay overlay = {settings.width, settings.height, pixels};
  const struct dc_api_picture picture = {renderer, &overlay, bodies, query->poses, dc_api_picture_size(&settings)};
  for (size_t c = 0; c < query->told_count && !status; c++)
    dc_api_draw_activity(&picture, query->told[c].point, query->told[c].normal, query->told[c].activity);
  dc_renderer_destroy(renderer);
  return status ? status : dc_png_write(path, settings.width, settings.height, pixels, error);
}

// The name's ending decides, in capital or small letters.
static bool is_picture(const char *path)
{
  const char *suffix = path ? strrchr(path, '.') : NULL;
  return suffix && strcasecmp(suffix, ".png") == 0;
}

// Factors of the options, defaults filled in.
static enum dc_status read_softness(const dcsim_query_options *given, double softness[SETS], struct dc_error *error)
{
  dcsim_query_options own = DCSIM_SIZED(dcsim_query_options);
  enum dc_status status = dc_api_read_sized(&own, sizeof own, given, error);
  if (status)
    return status;
  softness[VALUES] = own.softness == 0 ? 1 : own.softness;
  softness[GRADIENTS] = own.gradient_softness == 0 ? softness[VALUES] : own.gradient_softness;
  for (int set = 0; set < SETS; set++)
    if (!(softness[set] >= DC_QUERY_LEAST_SOFTNESS && softness[set] <= DC_QUERY_MOST_SOFTNESS))
      return dc_fail(error, DC_USAGE, "a softness of %g: it must be from %g to %g", softness[set],
                     DC_QUERY_LEAST_SOFTNESS, DC_QUERY_MOST_SOFTNESS);
  return DC_OK;
}

// The result goes to the report, to an archive of arrays or to a picture, by the ending of path. The archive is
// written last, when everything in it is complete.
// DCSIM_USAGE: a softness out of range; DCSIM_BAD_INPUT: a mesh that does not fit its level set; statuses of writing
// files.
int dcsim_query(const dcsim_scene *scene, const char *path, const dcsim_query_options *options, dcsim_report *report,
                dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  struct dc_npz npz = {0};
  struct query query = {
      .scene = scene->scene, .text = &text, .json = &json, .npz = path && !is_picture(path) ? &npz : NULL};
  enum dc_status status = read_softness(options, query.softness, &local);
  if (!status && path)
    status = dc_api_check_output(scene->scene, scene->scene->path, path, &local);
  if (!status)
    status = run(&query, &local);
  if (!status && is_picture(path))
    status = draw(&query, path, &local);
  dc_arena_destroy(query.arena);
  free(query.told);
  if (!status && query.npz)
    status = dc_npz_write(&npz, path, &local);
  else
    dc_npz_free(&npz);
  return dc_api_answer(status, &local, report, &text, &json, error);
}
