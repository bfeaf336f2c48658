// SPDX-License-Identifier: Apache-2.0
// The report of a run: one page that holds scene, trajectories, contact forces, rows and provenance.
#include "render/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/glb.h"
#include "api/internal.h"
#include "api/stage.h"
#include "io/run/run_files.h"
#include "math/rotation.h"
#include "math/vector.h"

enum {
  MOST_FRAMES = 2000,       // of a trajectory on the page
  MOST_FORCE_FRAMES = 500,  // with contact forces
  MOST_ROWS = 4000          // of loss.csv
};

struct page {
  const char *directory;
  dcsim_scene *opened;
  const struct dc_scene *scene;
  struct dc_stored_trajectory best, first;
  const struct dc_model *best_model, *first_model;  // as their designs made them
  struct dc_rollout_input *design;                  // of the best
  int mark_count;
  struct dc_render_mark *marks;
  char *run, *resolved, *rows;  // texts of the run directory; rows may be NULL
  char *certificate;            // of the trajectory; NULL: there is none
  struct dc_json_writer json;
  struct dc_error error;
};

static void close_page(struct page *page)
{
  dc_rollout_input_destroy(page->design);
  dc_arena_destroy(page->best.arena);
  dc_arena_destroy(page->first.arena);
  dcsim_scene_close(page->opened);
  free(page->marks);
  free(page->run);
  free(page->resolved);
  free(page->rows);
  free(page->certificate);
}

static enum dc_status fail_memory(struct page *page)
{
  return dc_fail(&page->error, DC_MEMORY, "%.800s: out of memory for its report", page->directory);
}

static int least(int a, int b)
{
  return a < b ? a : b;
}

// Puts base64 text that was just made, and releases it.
static void put_encoded(struct page *page, const char *key, char *text)
{
  if (text)
    dc_json_put_string(&page->json, key, text);
  else
    page->json.text.failed = true;
  free(text);
}

// Whether a body of the model looks like its shape i.
static bool is_seen(const struct dc_model *model, int i)
{
  bool seen = false;
  for (int b = 0; b < model->bodies.count; b++)
    seen |= dc_body_look(&model->bodies.bodies[b]) == &model->definition.shapes[i];
  return seen;
}

static void put_shape(struct page *page, const struct dc_shape *shape, bool seen)
{
  const struct dc_mesh *mesh = &shape->mesh;
  int index_bytes = mesh->vertex_count > 65535 ? 4 : 2;
  dc_json_begin(&page->json, NULL, '{');
  dc_json_put_string(&page->json, "name", shape->name);
  dc_json_put_integer(&page->json, "index_bytes", index_bytes);
  if (seen && !shape->type->half_space) {
    put_encoded(page, "vertices", dc_report_floats(3 * (size_t)mesh->vertex_count, mesh->vertices[0]));
    put_encoded(page, "triangles",
                dc_report_integers(3 * (size_t)mesh->triangle_count, mesh->triangles[0], index_bytes));
  }
  dc_json_end(&page->json, '}');
}

// The scene's shapes, those of the best design, and those of the first.
static void put_shapes(struct page *page)
{
  const struct dc_model_definition *best = &page->best_model->definition, *first = &page->first_model->definition;
  int given = page->scene->definition.shape_count;
  dc_json_begin(&page->json, "shapes", '[');
  for (int i = 0; i < best->shape_count; i++)
    put_shape(page, &best->shapes[i], is_seen(page->best_model, i) || (i < given && is_seen(page->first_model, i)));
  for (int i = given; i < first->shape_count && page->first_model != page->best_model; i++)
    put_shape(page, &first->shapes[i], is_seen(page->first_model, i));
  dc_json_end(&page->json, ']');
}

// Number of what a body looks like among those that put_shapes lists; -1: nothing.
static long look_index(const struct page *page, const struct dc_model *model, const struct dc_shape *look)
{
  int given = page->scene->definition.shape_count, designed = page->best_model->definition.shape_count - given;
  long index = look == &dc_shape_nothing ? -1 : look - model->definition.shapes;
  return model != page->best_model && index >= given ? index + designed : index;
}

static void put_bodies(struct page *page, const struct dc_model *model)
{
  const struct dc_bodies *bodies = &model->bodies;
  dc_json_begin(&page->json, "bodies", '[');
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    dc_json_begin(&page->json, NULL, '{');
    dc_json_put_string(&page->json, "name", body->name);
    const struct dc_shape *look = dc_body_look(body);
    dc_json_put_integer(&page->json, "shape", look_index(page, model, look));
    dc_json_put_boolean(&page->json, "plane", look->type->half_space);
    dc_json_put_boolean(&page->json, "moves", dc_body_moves(body));
    dc_json_put_number(&page->json, "mass", body->mass);
    dc_json_put_number(&page->json, "radius", body->radius);
    dc_json_put_numbers(&page->json, "center", body->center, 3);
    dc_json_put_numbers(&page->json, "color", body->color, 3);
    dc_json_put_numbers(&page->json, "position", page->best.position + 3 * i, 3);
    dc_json_put_numbers(&page->json, "rotation", page->best.quaternion + 4 * i, 4);
    dc_json_end(&page->json, '}');
  }
  dc_json_end(&page->json, ']');
}

static void put_marks(struct page *page)
{
  dc_json_begin(&page->json, "marks", '[');
  for (int i = 0; i < page->mark_count; i++) {
    const struct dc_render_mark *mark = &page->marks[i];
    dc_json_begin(&page->json, NULL, '{');
    dc_json_put_numbers(&page->json, "center", mark->center, 3);
    dc_json_put_number(&page->json, "radius", mark->radius);
    dc_json_put_numbers(&page->json, "color", mark->color, 3);
    dc_json_end(&page->json, '}');
  }
  dc_json_end(&page->json, ']');
}

static enum dc_status put_camera(struct page *page)
{
  struct dc_render_settings settings = {.width = 16, .height = 9};
  enum dc_status status = dc_api_camera(page->scene, &page->best_model->bodies, &page->best, page->mark_count,
                                        page->marks, NULL, &settings, &page->error);
  if (status)
    return status;
  dc_json_begin(&page->json, "camera", '{');
  dc_json_put_numbers(&page->json, "eye", settings.eye, 3);
  dc_json_put_numbers(&page->json, "target", settings.target, 3);
  dc_json_put_numbers(&page->json, "up", settings.up, 3);
  dc_json_put_number(&page->json, "fov_deg", settings.fov_deg);
  dc_json_end(&page->json, '}');
  return DC_OK;
}

static int count_moving(const struct dc_bodies *bodies)
{
  int moving = 0;
  for (int i = 0; i < bodies->count; i++)
    moving += dc_body_moves(&bodies->bodies[i]);
  return moving;
}

// Poses of the bodies that move in the frames that are kept.
static enum dc_status put_poses(struct page *page, const struct dc_stored_trajectory *stored, int kept)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  size_t rows = (size_t)kept * (size_t)count_moving(bodies), row = 0;
  double *time = dc_alloc((size_t)kept, sizeof *time);
  double *positions = dc_alloc(rows, 3 * sizeof *positions), *rotations = dc_alloc(rows, 4 * sizeof *rotations);
  bool allocated = time && positions && rotations;
  for (int k = 0; k < kept && allocated; k++) {
    size_t frame = (size_t)dc_spread(k, kept, stored->frames);
    time[k] = stored->time[frame];
    for (int i = 0; i < bodies->count; i++) {
      size_t from = frame * (size_t)bodies->count + (size_t)i;
      if (!dc_body_moves(&bodies->bodies[i]))
        continue;
      dc_vec_copy(positions + 3 * row, stored->position + 3 * from);
      memcpy(rotations + 4 * row, stored->quaternion + 4 * from, 4 * sizeof *rotations);
      row++;
    }
  }
  if (allocated) {
    put_encoded(page, "time", dc_report_floats((size_t)kept, time));
    put_encoded(page, "positions", dc_report_floats(3 * rows, positions));
    put_encoded(page, "rotations", dc_report_fractions(4 * rows, rotations));
  }
  free(time);
  free(positions);
  free(rotations);
  return allocated ? DC_OK : fail_memory(page);
}

// Force of normal contact on every body at a stored frame, N [bodies][3]: minus the gradient of the energy; not a
// number where bodies overlap.
static enum dc_status contact_forces(struct page *page, struct dc_contact *contact, int frame, struct dc_pose *poses,
                                     struct dc_pair_derivatives *pairs, double (*forces)[3])
{
  int count = page->best.bodies;
  double mu = page->scene->definition.contact.stiffness * page->design->design.stiffness_scale;
  for (int i = 0; i < count; i++) {
    size_t row = (size_t)frame * (size_t)count + (size_t)i;
    dc_vec_copy(poses[i].position, page->best.position + 3 * row);
    memcpy(poses[i].quaternion, page->best.quaternion + 4 * row, sizeof poses[i].quaternion);
    dc_rotation_matrix(poses[i].rotation, poses[i].quaternion);
    for (int k = 0; k < 3; k++)
      forces[i][k] = 0;
  }
  double energy = dc_contact_evaluate(contact, poses, 1, pairs);
  if (isnan(energy))
    return fail_memory(page);
  for (int p = 0; p < dc_contact_pair_count(contact); p++) {
    double gradient[12];
    dc_contact_expand_gradient(&pairs[p], gradient);
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 3; k++)
        forces[dc_contact_pairs(contact)[p][side]][k] -= isfinite(energy) ? mu * gradient[6 * side + 3 + k] : NAN;
  }
  return DC_OK;
}

// Forces on the bodies that move at some of the kept frames.
static enum dc_status put_force_frames(struct page *page, struct dc_contact *contact, int kept)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  int count = least(kept, MOST_FORCE_FRAMES), moving = count_moving(bodies);
  size_t row = 0;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  struct dc_pair_derivatives *pairs = dc_alloc((size_t)dc_contact_pair_count(contact), sizeof *pairs);
  double(*forces)[3] = dc_alloc((size_t)bodies->count, sizeof *forces);
  double *values = dc_alloc((size_t)count * (size_t)moving, 3 * sizeof *values);
  int *frames = dc_alloc((size_t)count, sizeof *frames);
  enum dc_status status = poses && pairs && forces && values && frames ? DC_OK : fail_memory(page);
  for (int k = 0; k < count && !status; k++) {
    frames[k] = dc_spread(k, count, kept);
    status = contact_forces(page, contact, dc_spread(frames[k], kept, page->best.frames), poses, pairs, forces);
    for (int i = 0; i < bodies->count; i++)
      if (dc_body_moves(&bodies->bodies[i]))
        dc_vec_copy(values + 3 * row++, forces[i]);
  }
  if (!status) {
    put_encoded(page, "frames", dc_report_integers((size_t)count, frames, 2));
    put_encoded(page, "values", dc_report_floats(3 * (size_t)count * (size_t)moving, values));
  }
  free(poses);
  free(pairs);
  free(forces);
  free(values);
  free(frames);
  return status;
}

static enum dc_status put_forces(struct page *page, int kept)
{
  const struct dc_scene *scene = page->scene;
  const struct dc_contact_model *model = scene->definition.contact_model;
  dc_json_begin(&page->json, "forces", '{');
  dc_json_put_string(&page->json, "model", model->name);
  enum dc_status status = DC_OK;
  if (!(model->flags & DC_CONTACT_FOREIGN) && !scene->refinement.given) {
    struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, 0, &page->error);
    if (!plan)
      return page->error.status;
    if (plan->pair_count > 0 && !dc_rollout_adopt(plan->rollout, page->design, &page->error))
      status = page->error.status;
    else if (plan->pair_count > 0)
      status = put_force_frames(page, dc_rollout_contact(plan->rollout), kept);
    dc_plan_destroy(plan);
  }
  dc_json_end(&page->json, '}');
  return status;
}

static enum dc_status put_trajectory(struct page *page, const char *key, const struct dc_stored_trajectory *stored)
{
  int kept = least(stored->frames, MOST_FRAMES);
  if (kept == 0)
    return DC_OK;
  dc_json_begin(&page->json, key, '{');
  dc_json_put_integer(&page->json, "frames", stored->all_frames);
  dc_json_put_integer(&page->json, "kept", kept);
  enum dc_status status = put_poses(page, stored, kept);
  if (!status && stored == &page->best)
    status = put_forces(page, kept);
  else if (!status && page->first_model != page->best_model)
    put_bodies(page, page->first_model);
  dc_json_end(&page->json, '}');
  return status;
}

// Whether the first trajectory shows anything that the best one does not: that of a simulation is the same.
static bool first_differs(const struct page *page)
{
  size_t rows = (size_t)page->best.frames * (size_t)page->best.bodies;
  return page->first.frames != page->best.frames ||
         memcmp(page->first.position, page->best.position, 3 * rows * sizeof(double)) != 0 ||
         memcmp(page->first.quaternion, page->best.quaternion, 4 * rows * sizeof(double)) != 0;
}

// The models and numbers that the designs of the two trajectories made.
static enum dc_status take_designs(struct page *page)
{
  const struct dc_scene *scene = page->scene;
  page->design = dc_task_design_input(&scene->task, &scene->model, page->best.all_frames - 1, page->best.control);
  if (!page->design)
    return fail_memory(page);
  enum dc_status status = dc_api_designed(scene, &page->best, &page->best_model, &page->error);
  if (!status)
    status = dc_api_designed(scene, &page->first, &page->first_model, &page->error);
  return status;
}

static enum dc_status open_page(struct page *page, dcsim_error *error)
{
  char path[2048];
  snprintf(path, sizeof path, "%s/resolved.json", page->directory);
  int opened = dcsim_scene_open(path, NULL, &page->opened, error);
  if (opened)
    return (enum dc_status)opened;
  page->scene = page->opened->scene;
  const char *needed[] = {"trajectory.h5", "run.json"};
  for (int i = 0; i < 2; i++)
    if (!dc_run_has(page->directory, needed[i]))
      return dc_fail(&page->error, DC_IO, "%.800s: has no %s: the run has not ended%s", page->directory, needed[i],
                     dc_run_has(page->directory, "checkpoint.bin") ? " (dcsim optimize --resume goes on with it)" : "");
  int most = dc_api_most_frames(page->scene->model.bodies.count);
  enum dc_status status = dc_run_read_thinned(page->directory, page->scene, false, most, &page->best, &page->error);
  if (!status)
    status = dc_run_read_thinned(page->directory, page->scene, true, most, &page->first, &page->error);
  if (!status)
    status = dc_run_read_text(page->directory, "run.json", &page->run, &page->error);
  if (!status)
    status = dc_run_read_text(page->directory, "resolved.json", &page->resolved, &page->error);
  if (!status && dc_run_has(page->directory, "loss.csv"))
    status = dc_run_read_text(page->directory, "loss.csv", &page->rows, &page->error);
  if (!status)
    status = dc_run_read_certificate(page->directory, &page->certificate, &page->error);
  if (!status)
    status = take_designs(page);
  if (status)
    return status;
  page->mark_count = dc_api_marks(page->scene, NULL);
  page->marks = dc_alloc((size_t)page->mark_count, sizeof *page->marks);
  if (!page->marks)
    return fail_memory(page);
  dc_api_marks(page->scene, page->marks);
  return DC_OK;
}

static enum dc_status put_page(struct page *page)
{
  long rows = 0, kept = 0;
  struct dc_json_writer *json = &page->json;
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "format", "dcsim report 1");
  dc_json_put_string(json, "name", page->scene->name);
  dc_json_put_string(json, "run", page->run);
  dc_json_put_string(json, "scene", page->resolved);
  if (page->certificate)
    dc_json_put_string(json, "certificate", page->certificate);
  if (page->rows)
    dc_run_thin_rows(page->rows, MOST_ROWS, &rows, &kept);
  dc_json_begin(json, "loss", '{');
  dc_json_put_integer(json, "rows", rows);
  dc_json_put_string(json, "csv", page->rows ? page->rows : "");
  dc_json_end(json, '}');
  put_shapes(page);
  put_bodies(page, page->best_model);
  put_marks(page);
  enum dc_status status = put_camera(page);
  if (!status)
    status = put_trajectory(page, "best", &page->best);
  if (!status && first_differs(page))
    status = put_trajectory(page, "first", &page->first);
  dc_json_end(json, '}');
  return status;
}

// Makes the page and writes it to path.
static enum dc_status write_page(struct page *page, const char *path, size_t *size)
{
  enum dc_status status = put_page(page);
  char *data = dc_json_finish(&page->json);
  char *text = data && !status ? dc_report_page(dc_report_template, data, size) : NULL;
  if (!status)
    status = text ? dc_file_write(path, text, *size, &page->error) : fail_memory(page);
  free(text);
  free(data);
  return status;
}

int dcsim_write_report(const char *directory, dcsim_report *report, dcsim_error *error)
{
  struct page page = {.directory = directory};
  enum dc_status status = open_page(&page, error);
  if (status && !page.scene)  // error says why
    return (int)status;
  size_t size = 0;
  char *path = dc_path_join(directory, "report.html");
  if (!status)
    status = path ? write_page(&page, path, &size) : fail_memory(&page);
  close_page(&page);
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  int outside;
  if (status) {
    outside = dc_api_fail(error, &page.error, status);
  } else {
    dc_text_add(&text, "%s\n", path);
    dc_json_begin(&json, NULL, '{');
    dc_json_put_string(&json, "report", path);
    dc_json_put_integer(&json, "bytes", (long)size);
    dc_json_end(&json, '}');
    outside = dc_api_report(report, &text, &json, error);
  }
  free(path);
  return outside;
}
