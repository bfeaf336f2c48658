// SPDX-License-Identifier: Apache-2.0
// What the pages of reports and of the live view show of a world and its trajectories, as JSON (viewer/src/bytes.js reads
// it).  Private to src/api.
#ifndef DC_API_PAGE_H
#define DC_API_PAGE_H

#include "api/internal.h"
#include "io/json/json_write.h"
#include "io/run/run.h"
#include "render/render.h"

enum { DC_PAGE_FRAMES = 2000 };  // of a trajectory on a page

struct dc_page {
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

enum dc_status dc_page_fail_memory(struct dc_page *page);
// Puts base64 text that was just made, and releases it.
void dc_page_put_encoded(struct dc_page *page, const char *key, char *text);
// "bodies" of a model, where they stand in the first frame of page->best.
void dc_page_put_bodies(struct dc_page *page, const struct dc_model *model);
int dc_page_count_moving(const struct dc_bodies *bodies);
// Shapes, bodies, marks and the camera.
enum dc_status dc_page_put_world(struct dc_page *page);
// Times and poses of the bodies that move in kept frames, evenly spread.
enum dc_status dc_page_put_poses(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept);

#endif
