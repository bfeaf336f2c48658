// SPDX-License-Identifier: Apache-2.0
// The report of a run: one page that holds scene, trajectories, contact forces, rows and provenance.
//
// The page is the viewer (viewer/) with the data of the run in it and asks for nothing else, so that it works offline
// and can be sent.  Its size is bounded whatever the run: frames, forces and rows are thinned to the numbers below,
// evenly over the run.  Forces are not stored with a run; they are computed again from the stored poses.  A comparison
// of runs and a run with cases put the data of each run or world behind each other into one page.
#include "render/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "commands/glb.h"
#include "commands/page.h"
#include "commands/run_scene.h"
#include "commands/stage.h"
#include "io/run/run_files.h"
#include "math/vector.h"

enum {
  MOST_FORCE_FRAMES = 500,  // with contact forces, each of which costs an evaluation of contact
  MOST_ROWS = 4000,         // of loss.csv: more points than a screen has columns
  MOST_WORLDS = 24          // of a run with cases on its page
};

// Releases what open_page has made so far; the models of the designs are the scene's or live in the arenas of the
// trajectories.
static void close_page(struct dc_page *page)
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
  free(page->terms);
}

static int least(int a, int b)
{
  return a < b ? a : b;
}

// Forces of contact at some of the kept frames; all arrays are freed by free_forces.
struct force_frames {
  struct dc_contact *contact;
  int count, pairs;
  struct dc_pose *poses;              // [bodies]
  struct dc_pair_derivatives *terms;  // [pairs]
  double (*on_body)[3];               // [bodies]
  double *values;                     // [count][moving bodies][3]
  int *frames;                        // [count] kept frames
};

static void free_forces(struct force_frames *f)
{
  free(f->poses);
  free(f->terms);
  free(f->on_body);
  free(f->values);
  free(f->frames);
}

// Force of normal contact on every body at a stored frame, N: minus the gradient of the energy; not a number where
// bodies overlap.
// A pair's gradient [12] is by rotation and translation of its first body, then of its second; the translations give
// the forces.  The potential has no unit; times the stiffness μ, J, it is an energy.
static enum dc_status contact_forces(struct dc_page *page, struct force_frames *f, int frame)
{
  double mu = page->scene->definition.contact.stiffness * page->design->design.stiffness_scale;
  dc_api_place_bodies(&page->best, frame, f->poses);
  memset(f->on_body, 0, (size_t)page->best.bodies * sizeof *f->on_body);
  double energy = dc_contact_evaluate(f->contact, f->poses, 1, f->terms);
  if (isnan(energy))
    return dc_page_fail_memory(page);
  for (int p = 0; p < f->pairs; p++) {
    double gradient[12];
    dc_contact_expand_gradient(&f->terms[p], gradient);
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < 3; i++)
        f->on_body[dc_contact_pairs(f->contact)[p][side]][i] -=
            isfinite(energy) ? mu * gradient[6 * side + 3 + i] : NAN;
  }
  return DC_OK;
}

// Writes the contact forces on moving bodies at up to MOST_FORCE_FRAMES of the frames kept: values[frame][moving
// body][3], N.  They are evaluated from the stored poses, not read from the run.
// Frames are thinned twice: `kept` of the stored ones are on the page, and `count` of these have forces.  f.frames
// holds numbers among the kept ones, as the viewer knows no others.
static enum dc_status put_force_frames(struct dc_page *page, struct dc_contact *contact, int kept)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  int count = least(kept, MOST_FORCE_FRAMES), moving = dc_page_count_moving(bodies);
  struct force_frames f = {.contact = contact, .count = count, .pairs = dc_contact_pair_count(contact)};
  size_t row = 0;
  f.poses = dc_alloc((size_t)bodies->count, sizeof *f.poses);
  f.terms = dc_alloc((size_t)f.pairs, sizeof *f.terms);
  f.on_body = dc_alloc((size_t)bodies->count, sizeof *f.on_body);
  f.values = dc_alloc((size_t)count * (size_t)moving, 3 * sizeof *f.values);
  f.frames = dc_alloc((size_t)count, sizeof *f.frames);
  bool allocated = f.poses && f.terms && f.on_body && f.values && f.frames;
  enum dc_status status = allocated ? DC_OK : dc_page_fail_memory(page);
  for (int k = 0; k < count && !status; k++) {
    f.frames[k] = dc_evenly_spaced(k, count, kept);
    status = contact_forces(page, &f, dc_evenly_spaced(f.frames[k], kept, page->best.frames));
    for (int i = 0; i < bodies->count; i++)
      if (dc_frame_moves(bodies, i))
        dc_vec_copy(f.values + 3 * row++, f.on_body[i]);
  }
  if (!status) {
    dc_json_put_owned(&page->json, "frames", dc_report_integers((size_t)count, f.frames, 2));
    dc_json_put_owned(&page->json, "values", dc_report_floats(3 * (size_t)count * (size_t)moving, f.values));
  }
  free_forces(&f);
  return status;
}

// Writes the forces, for contact models of our own only.  A plan of no steps lends its contact, and takes the
// design of the run, so that shapes and stiffness are those of the trajectory.
static enum dc_status put_forces(struct dc_page *page, int kept)
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
    if (plan->sizes.pairs > 0 && !dc_rollout_adopt(plan->rollout, page->design, &page->error))
      status = page->error.status;
    else if (plan->sizes.pairs > 0)
      status = put_force_frames(page, dc_rollout_contact(plan->rollout), kept);
    dc_plan_destroy(plan);
  }
  dc_json_end(&page->json, "}");
  return status;
}

// Writes a trajectory for the page, at most DC_PAGE_FRAMES frames of it; forces for the best one, and bodies for the
// first if its design differs.
static enum dc_status put_trajectory(struct dc_page *page, const char *key, const struct dc_stored_trajectory *stored)
{
  int kept = least(stored->frames, DC_PAGE_FRAMES);
  if (kept == 0)
    return DC_OK;
  dc_json_begin(&page->json, key, '{');
  dc_json_put_integer(&page->json, "frames", stored->all_frames);
  dc_json_put_integer(&page->json, "kept", kept);
  enum dc_status status = dc_page_put_poses(page, stored, kept);
  if (!status)
    status = dc_page_put_curves(page, stored, kept);
  if (!status && stored == &page->best)
    status = put_forces(page, kept);
  else if (!status && page->first_model != page->best_model)
    dc_page_put_bodies(page, page->first_model);
  dc_json_end(&page->json, "}");
  return status;
}

// Whether the first trajectory shows anything that the best one does not; that of a simulation is the same.
static bool first_differs(const struct dc_page *page)
{
  size_t rows = (size_t)page->best.frames * (size_t)page->best.bodies;
  return page->first.frames != page->best.frames ||
         memcmp(page->first.position, page->best.position, 3 * rows * sizeof(double)) != 0 ||
         memcmp(page->first.quaternion, page->best.quaternion, 4 * rows * sizeof(double)) != 0;
}

// The models and numbers that the designs of the two trajectories made.
static enum dc_status take_designs(struct dc_page *page)
{
  const struct dc_scene *scene = page->scene;
  page->design = dc_task_design_input(&scene->task, &scene->model, page->best.all_frames - 1, page->best.control);
  if (!page->design)
    return dc_page_fail_memory(page);
  enum dc_status status = dc_api_designed(scene, &page->best, &page->best_model, &page->error);
  if (!status)
    status = dc_api_designed(scene, &page->first, &page->first_model, &page->error);
  return status;
}

// Reads all that a page shows: scene, thinned trajectories, summary, resolved scene, losses and their terms,
// certificate, and the models that the designs made.
// Files that every ended run has are required (DC_IO); loss.csv, terms and certificate are shown where they are
// there. The error of the scene is in *error, all later ones are in page->error, which the caller hands on.
static enum dc_status open_page(struct dc_page *page, dcsim_error *error)
{
  int opened = dc_api_open_run_scene(page->directory, "resolved.json", NULL, &page->opened, error);
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
    status = dc_run_read_terms(page->directory, &page->terms, &page->error);
  if (!status)
    status = dc_run_read_certificate(page->directory, &page->certificate, &page->error);
  if (!status)
    status = take_designs(page);
  if (status)
    return status;
  page->mark_count = dc_api_marks(page->scene, NULL);
  page->marks = dc_alloc((size_t)page->mark_count, sizeof *page->marks);
  if (!page->marks)
    return dc_page_fail_memory(page);
  dc_api_marks(page->scene, page->marks);
  return DC_OK;
}

// "loss": rows of loss.csv, and "terms": what they are sums of.
static void put_rows(struct dc_page *page)
{
  long rows = 0, kept = 0;
  struct dc_json_writer *json = &page->json;
  if (page->rows)
    dc_run_thin_rows(page->rows, MOST_ROWS, &rows, &kept);
  dc_json_begin(json, "loss", '{');
  dc_json_put_integer(json, "rows", rows);
  dc_json_put_string(json, "csv", page->rows ? page->rows : "");
  if (page->terms) {
    dc_run_thin_rows(page->terms, MOST_ROWS, &rows, &kept);
    dc_json_put_string(json, "terms", page->terms);
  }
  dc_json_end(json, "}");
}

// Writes all about a run as members of the object that is open.
static enum dc_status put_page(struct dc_page *page)
{
  struct dc_json_writer *json = &page->json;
  dc_json_put_string(json, "format", "dcsim report 1");
  dc_json_put_string(json, "directory", page->directory);
  dc_json_put_string(json, "name", page->scene->name);
  dc_json_put_string(json, "run", page->run);
  dc_json_put_string(json, "scene", page->resolved);
  if (page->certificate)
    dc_json_put_string(json, "certificate", page->certificate);
  put_rows(page);
  enum dc_status status = dc_page_put_world(page);
  if (!status)
    status = put_trajectory(page, "best", &page->best);
  if (!status && first_differs(page))
    status = put_trajectory(page, "first", &page->first);
  return status;
}

// The page goes to path.
static enum dc_status write_page(struct dc_page *page, const char *path, size_t *size)
{
  char *data = dc_json_finish(&page->json);
  page->json = (struct dc_json_writer){0};
  char *text = data ? dc_report_page(dc_report_template, data, size) : NULL;
  enum dc_status status = text ? dc_file_write(path, text, *size, &page->error) : dc_page_fail_memory(page);
  free(text);
  free(data);
  return status;
}

// Writes another run as an object of its own, with the same writer, which is moved there and back.
// The writer is a value: both pages write to one text in turn, and never at once.
static int put_other(struct dc_page *page, const char *directory, dcsim_error *error)
{
  struct dc_page other = {.directory = directory};
  enum dc_status status = open_page(&other, error);
  if (status && !other.scene)  // error says why
    return (int)status;
  if (!status) {
    other.json = page->json;
    dc_json_begin(&other.json, NULL, '{');
    status = put_page(&other);
    dc_json_end(&other.json, "}");
    page->json = other.json;
  }
  int failed = status ? dc_api_fail(error, &other.error, status) : DCSIM_OK;
  close_page(&other);
  return failed;
}

static int put_others(struct dc_page *page, int count, const char *const *directories, dcsim_error *error)
{
  int failed = DCSIM_OK;
  dc_json_begin(&page->json, "others", '[');
  for (int i = 0; i < count && !failed; i++)
    failed = put_other(page, directories[i], error);
  dc_json_end(&page->json, "]");
  return failed;
}

// Writes the other worlds of a run with cases, which it has left as runs of their own, at most MOST_WORLDS of
// them.
static int put_cases(struct dc_page *page, dcsim_error *error)
{
  const struct dc_scene *scene = page->scene;
  int failed = DCSIM_OK, there = 0;
  dc_json_begin(&page->json, "others", '[');
  for (int k = 0; k < scene->cases.count && !failed; k++) {
    struct dc_text directory = {0};
    dc_text_add(&directory, "%s/cases/%s", page->directory, scene->cases.scenes[k]->name);
    if (directory.failed)
      failed = dc_api_fail(error, &page->error, dc_page_fail_memory(page));
    else if (dc_run_has(directory.bytes, "trajectory.h5") && there++ < MOST_WORLDS)
      failed = put_other(page, directory.bytes, error);
    dc_text_free(&directory);
  }
  dc_json_end(&page->json, "]");
  dc_json_put_integer(&page->json, "worlds", scene->cases.count + 1);
  return failed;
}

// The command prints where the page is and how many bytes it has.
static int report_path(const char *path, size_t size, dcsim_report *report, dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dc_text_add(&text, "%s\n", path);
  dc_json_begin(&json, NULL, '{');
  dc_json_put_string(&json, "report", path);
  dc_json_put_integer(&json, "bytes", (long)size);
  dc_json_end(&json, "}");
  return dc_api_report(report, &text, &json, error);
}

// Writes the page of the first run, with the others beside it if there are any; else with the runs of its cases.
// The page is DIR/report.html, or DIR/comparison.html with several runs, in the first run's directory.  A failure
// while it is put together leaves no file, because the page is written as a whole at the end.
int dcsim_write_comparison(int count, const char *const *directories, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  if (count < 1)
    return dc_api_fail(error, &local, dc_fail(&local, DC_USAGE, "a comparison of %d runs: there must be one", count));
  if (dc_api_need(directories, "directories", error))
    return DCSIM_USAGE;
  for (int i = 0; i < count; i++)
    if (dc_api_need(directories[i], "directories", error))
      return DCSIM_USAGE;
  struct dc_page page = {.directory = directories[0]};
  enum dc_status status = open_page(&page, error);
  if (status && !page.scene)  // error says why
    return (int)status;
  dc_json_begin(&page.json, NULL, '{');
  if (!status)
    status = put_page(&page);
  int outside = status ? dc_api_fail(error, &page.error, status) : DCSIM_OK;
  if (!outside && count > 1)
    outside = put_others(&page, count - 1, directories + 1, error);
  else if (!outside && page.scene->cases.count)
    outside = put_cases(&page, error);
  dc_json_end(&page.json, "}");
  size_t size = 0;
  char *path = outside ? NULL : dc_path_join(directories[0], count > 1 ? "comparison.html" : "report.html");
  if (!outside) {
    status = path ? write_page(&page, path, &size) : dc_page_fail_memory(&page);
    outside = status ? dc_api_fail(error, &page.error, status) : report_path(path, size, report, error);
  }
  free(dc_json_finish(&page.json));  // nothing, unless something failed
  close_page(&page);
  free(path);
  return outside;
}

int dcsim_write_report(const char *directory, dcsim_report *report, dcsim_error *error)
{
  return dcsim_write_comparison(1, &directory, report, error);
}
