// SPDX-License-Identifier: Apache-2.0
// World and trajectories for the pages of reports and of the live view, as JSON (read by viewer/src/bytes.js).  Private
// to src/commands.
#ifndef DC_COMMANDS_PAGE_H
#define DC_COMMANDS_PAGE_H

#include "api/internal.h"
#include "io/json/json_write.h"
#include "io/run/run.h"
#include "render/render.h"

enum { DC_PAGE_FRAMES = 2000 };  // of a trajectory on a page

// A page while it is written.  Scene, trajectories and texts are owned by the page and released by the command that
// made it; texts are the files as they stand in the run's directory.
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
  char *terms;                  // a table of the terms of the loss, as of dc_run_read_terms; NULL: there are none
  char *certificate;            // of the trajectory; NULL: there is none
  struct dc_json_writer json;
  struct dc_error error;
};

static inline enum dc_status dc_page_fail_memory(struct dc_page *page)
{
  return dc_out_of_memory_in(&page->error, page->directory);
}

// "bodies" of a model, where they stand in the first frame of page->best.
void dc_page_put_bodies(struct dc_page *page, const struct dc_model *model);
// Bodies that move, soft ones and what hangs on them among them.
int dc_page_count_moving(const struct dc_bodies *bodies);
// Shapes, bodies, surfaces of soft bodies, marks and the camera.
enum dc_status dc_page_put_world(struct dc_page *page);
// Times, poses of the bodies that move and places of nodes in kept frames, evenly spread.
enum dc_status dc_page_put_poses(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept);

// A page that its server tells more, released with free(): world and trajectory, a member `kind` that is true, and what
// put adds (NULL: nothing).  NULL: out of memory.
char *dc_page_served(const struct dc_scene *scene, const struct dc_stored_trajectory *best, const char *kind,
                     void (*put)(void *context, struct dc_json_writer *json), void *context);

// page_soft.c, page_curves.c: what the functions above and reports are made of.
// "surfaces" of soft bodies, unless there are none.
void dc_page_put_surfaces(struct dc_page *page);
// "nodes" of surfaces, unless the trajectory has none.
enum dc_status dc_page_put_nodes(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept);
// "curves" of joints and "gaps" in kept frames, and "contacts": the pairs of bodies with the largest forces.
enum dc_status dc_page_put_curves(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept);

#endif
