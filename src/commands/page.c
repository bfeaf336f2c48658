// SPDX-License-Identifier: Apache-2.0
// Writes shapes, bodies, marks, camera and poses of a page; arrays of numbers are base64.
//
// Things that do not change over time come once: meshes in the frames of shapes, and for each body the number of its
// shape.  Poses follow for the bodies that move, in the order of the scene.  The viewer (viewer/) reads the same
// names.
#include "commands/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/stage.h"
#include "geometry/shapes/shape_smooth.h"
#include "math/vector.h"
#include "render/report.h"

// Whether a body of the model is drawn with its shape i.
static bool is_seen(const struct dc_model *model, int i)
{
  bool seen = false;
  for (int b = 0; b < model->bodies.count; b++)
    seen |= dc_body_look(&model->bodies.bodies[b]) == &model->definition.shapes[i];
  return seen;
}

// Writes a shape's mesh, rounded to single precision, with indices of 2 bytes where they suffice.  Shapes that
// no body is drawn with, and half-spaces, have a name only, so that numbers of shapes stay those of the list.
// An error makes the whole text invalid (text.failed), which the last dc_json_finish reports as NULL: functions that
// only write need no status of their own.
static void put_shape(struct dc_page *page, const struct dc_shape *shape, bool seen)
{
  struct dc_mesh look = shape->mesh, *mesh = &look;
  struct dc_arena *arena = dc_arena_create();
  if (!arena || (seen && dc_shape_smooth_mesh(shape, arena, mesh, &page->error)))
    page->json.text.failed = true;
  int index_bytes = mesh->vertex_count > 65535 ? 4 : 2;
  dc_json_begin(&page->json, NULL, '{');
  dc_json_put_string(&page->json, "name", shape->name);
  dc_json_put_integer(&page->json, "index_bytes", index_bytes);
  if (seen && !shape->type->half_space) {
    dc_json_put_owned(&page->json, "vertices", dc_report_floats(3 * (size_t)mesh->vertex_count, mesh->vertices[0]));
    dc_json_put_owned(&page->json, "triangles",
                      dc_report_integers(3 * (size_t)mesh->triangle_count, mesh->triangles[0], index_bytes));
  }
  dc_json_end(&page->json, "}");
  dc_arena_destroy(arena);
}

// Lists the scene's shapes, those of the best design, and those of the first.
static void put_shapes(struct dc_page *page)
{
  const struct dc_model_definition *best = &page->best_model->definition, *first = &page->first_model->definition;
  int given = page->scene->definition.shape_count;
  dc_json_begin(&page->json, "shapes", '[');
  for (int i = 0; i < best->shape_count; i++)
    put_shape(page, &best->shapes[i], is_seen(page->best_model, i) || (i < given && is_seen(page->first_model, i)));
  for (int i = given; i < first->shape_count && page->first_model != page->best_model; i++)
    put_shape(page, &first->shapes[i], is_seen(page->first_model, i));
  dc_json_end(&page->json, "]");
}

// The index of a body's drawn shape in the list of put_shapes; -1: none.  The first design's own shapes stand
// behind those of the best.
static long look_index(const struct dc_page *page, const struct dc_model *model, const struct dc_shape *look)
{
  int given = page->scene->definition.shape_count, designed = page->best_model->definition.shape_count - given;
  long index = look == &dc_shape_nothing ? -1 : look - model->definition.shapes;
  return model != page->best_model && index >= given ? index + designed : index;
}

// Everything that does not change from frame to frame: shape, mass, color and whether the body moves at all.
void dc_page_put_bodies(struct dc_page *page, const struct dc_model *model)
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
    const struct dc_soft *soft = dc_soft_of(bodies, i);
    dc_json_put_boolean(&page->json, "moves", dc_frame_moves(bodies, i));
    dc_json_put_number(&page->json, "mass", body->mass);
    dc_json_put_number(&page->json, "radius", soft ? soft->radius : body->radius);
    dc_json_put_numbers(&page->json, "center", body->center, 3);
    dc_json_put_numbers(&page->json, "color", body->appearance.color, 3);
    dc_json_put_numbers(&page->json, "position", page->best.position + 3 * i, 3);
    dc_json_put_numbers(&page->json, "rotation", page->best.quaternion + 4 * i, 4);
    dc_json_end(&page->json, "}");
  }
  dc_json_end(&page->json, "]");
}

// Targets of objectives as balls: centre and radius, m, and colour, for the page's 3D view.
static void put_marks(struct dc_page *page)
{
  dc_json_begin(&page->json, "marks", '[');
  for (int i = 0; i < page->mark_count; i++) {
    const struct dc_render_mark *mark = &page->marks[i];
    dc_json_begin(&page->json, NULL, '{');
    dc_json_put_numbers(&page->json, "center", mark->center, 3);
    dc_json_put_number(&page->json, "radius", mark->radius);
    dc_json_put_numbers(&page->json, "color", mark->color, 3);
    dc_json_end(&page->json, "}");
  }
  dc_json_end(&page->json, "]");
}

// The camera of pictures, by a picture of 16 by 9: the page begins with the view that `dcsim render` would draw.
static enum dc_status put_camera(struct dc_page *page)
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
  dc_json_end(&page->json, "}");
  return DC_OK;
}

// The number of columns of positions and rotations on the page.
int dc_page_count_moving(const struct dc_bodies *bodies)
{
  int moving = 0;
  for (int i = 0; i < bodies->count; i++)
    moving += dc_frame_moves(bodies, i);
  return moving;
}

// Poses of the moving bodies at `kept` frames at equal distances: positions [kept][moving][3], rotations
// [kept][moving][4].
// Positions are single-precision floats, m; rotations are 16-bit fractions, since components of a unit quaternion lie
// between -1 and 1.  The three arrays make up most of a page.
enum dc_status dc_page_put_poses(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  size_t rows = (size_t)kept * (size_t)dc_page_count_moving(bodies), row = 0;
  double *time = dc_alloc((size_t)kept, sizeof *time);
  double *positions = dc_alloc(rows, 3 * sizeof *positions), *rotations = dc_alloc(rows, 4 * sizeof *rotations);
  bool allocated = time && positions && rotations;
  for (int k = 0; k < kept && allocated; k++) {
    size_t frame = (size_t)dc_evenly_spaced(k, kept, stored->frames);
    time[k] = stored->time[frame];
    for (int i = 0; i < bodies->count; i++) {
      size_t from = frame * (size_t)bodies->count + (size_t)i;
      if (!dc_frame_moves(bodies, i))
        continue;
      dc_vec_copy(positions + 3 * row, stored->position + 3 * from);
      memcpy(rotations + 4 * row, stored->quaternion + 4 * from, 4 * sizeof *rotations);
      row++;
    }
  }
  if (allocated) {
    dc_json_put_owned(&page->json, "time", dc_report_floats((size_t)kept, time));
    dc_json_put_owned(&page->json, "positions", dc_report_floats(3 * rows, positions));
    dc_json_put_owned(&page->json, "rotations", dc_report_fractions(4 * rows, rotations));
  }
  free(time);
  free(positions);
  free(rotations);
  return allocated ? dc_page_put_nodes(page, stored, kept) : dc_page_fail_memory(page);
}

// Everything but the trajectories.
enum dc_status dc_page_put_world(struct dc_page *page)
{
  put_shapes(page);
  dc_page_put_bodies(page, page->best_model);
  dc_page_put_surfaces(page);
  put_marks(page);
  return put_camera(page);
}
