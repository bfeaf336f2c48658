// SPDX-License-Identifier: Apache-2.0
// The public interface: scenes, versions, reports.
#include <dcsim.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/characters.h"
#include "dynamics/mujoco.h"
#include "optimize/nlopt.h"
#include "geometry/hull.h"
#include "io/libraries.h"
#include "math/libraries.h"
#include "render/render.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

const char *dcsim_version(void)
{
  return PACKAGE_VERSION;
}

const char *dcsim_libraries(void)
{
  static char text[512];
  const char *mujoco = dc_mujoco_version(), *nlopt = dc_nlopt_version();
  snprintf(text, sizeof text,
           "%s\nCHOLMOD %s\ncJSON %s\nHDF5 %s\nExpat %s\nEmbree %s\nlibpng %s\nQhull %s\nMuJoCo %s\n"
           "NLopt %s\n",
           dc_blas_version(), dc_cholmod_version(), dc_cjson_version(), dc_hdf5_version(), dc_expat_version(),
           dc_embree_version(), dc_png_version(), dc_qhull_version(), mujoco ? mujoco : "none", nlopt ? nlopt : "none");
  return text;
}

void dcsim_set_threads(int threads)
{
  if (threads > 0)
    omp_set_num_threads(threads);
}

int dc_api_fail(dcsim_error *error, const struct dc_error *local, enum dc_status status)
{
  // Bodies that overlap at the start are an error of the scene.
  int outside = status == DC_INFEASIBLE ? DCSIM_BAD_INPUT : (int)status;
  if (error) {
    error->status = outside;
    snprintf(error->text, sizeof error->text, "%s", local->text[0] ? local->text : "failed without a message");
  }
  return outside;
}

int dc_api_report(dcsim_report *report, struct dc_text *text, struct dc_json_writer *json, dcsim_error *error)
{
  char *written = dc_json_finish(json);
  if (text->failed || !written) {
    free(written);
    dc_text_free(text);
    return dc_api_fail(error, &(struct dc_error){.text = "out of memory for a report"}, DC_MEMORY);
  }
  size_t length = strlen(written);
  if (length && written[length - 1] == '\n')
    written[length - 1] = '\0';
  if (report) {
    *report = (dcsim_report){.text = text->bytes, .json = written};
  } else {
    free(written);
    dc_text_free(text);
  }
  return DCSIM_OK;
}

char *dcsim_make_printable(char *text)
{
  if (text)
    dc_replace_controls(text, '?', "\n");
  return text;
}

void dcsim_report_free(dcsim_report *report)
{
  if (!report)
    return;
  free(report->text);
  free(report->json);
  *report = (dcsim_report){0};
}

// Draws the scene's random shot; the bodies that get a target are green from then on, or pictures would not show which.
static enum dc_status draw_shot(struct dc_scene *scene, struct dc_error *error)
{
  static const double green[3] = {0.03, 0.42, 0.07};
  int drawn = scene->task.objective_count;
  enum dc_status status = dc_api_check_memory(scene, dc_api_run_bytes(scene, false, true), error);
  if (status)
    return status;
  status = dc_shot_draw(&scene->shot, (uint64_t)scene->shot.reference_seed, &scene->model, &scene->task, scene->arena,
                        error);
  if (status == DC_BAD_INPUT)
    dc_scene_wrap(scene, DC_PART_SHOT, 0, error);
  for (; !status && drawn < scene->task.objective_count; drawn++) {
    const struct dc_reach_options *reach = scene->task.objectives[drawn].options;
    memcpy(scene->model.bodies.bodies[reach->body].color, green, sizeof green);
  }
  return status;
}

int dcsim_scene_open(const char *path, const dcsim_scene_options *options, dcsim_scene **scene, dcsim_error *error)
{
  struct dc_error local = {0};
  struct dc_scene_settings settings = {0};
  if (options)
    settings = (struct dc_scene_settings){.model = options->model,
                                          .gradient = options->gradient,
                                          .override_count = options->override_count,
                                          .overrides = options->overrides,
                                          .allowed_path_count = options->allowed_path_count,
                                          .allowed_paths = options->allowed_paths,
                                          .package_path_count = options->package_path_count,
                                          .package_paths = options->package_paths,
                                          .seed_given = options->seed_given != 0,
                                          .seed = options->seed};
  *scene = NULL;
  dcsim_scene *made = calloc(1, sizeof *made);
  if (!made)
    return dc_api_fail(error, &(struct dc_error){.text = "out of memory"}, DC_MEMORY);
  made->seed = settings.seed;
  enum dc_status status = dc_scene_read(path, &settings, &made->scene, &local);
  if (!status && made->scene->shot.given)
    status = draw_shot(made->scene, &local);
  if (status) {
    dcsim_scene_close(made);
    return dc_api_fail(error, &local, status);
  }
  *scene = made;
  return DCSIM_OK;
}

void dcsim_scene_close(dcsim_scene *scene)
{
  if (!scene)
    return;
  dc_scene_destroy(scene->scene);
  free(scene);
}

const char *dcsim_scene_name(const dcsim_scene *scene)
{
  return scene->scene->name;
}
