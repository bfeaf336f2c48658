// SPDX-License-Identifier: Apache-2.0
// Soft bodies on pages: their surfaces once, and the places of the surfaces' nodes in some of the kept frames, as 16-bit
// parts of the box that holds them all.  Nodes inside are not seen and left out.
#include <math.h>
#include <stdlib.h>

#include "api/page.h"
#include "base/memory.h"
#include "render/report.h"

enum { MOST_PLACES = 1 << 20, PARTS = 65535 };

// Numbers the nodes of surfaces, soft body after soft body: index [node_count], -1 inside.  How many there are.
static int number_nodes(const struct dc_bodies *bodies, int *index)
{
  int count = 0;
  for (int n = 0; n < bodies->node_count; n++)
    index[n] = -1;
  for (int s = 0; s < bodies->soft_count; s++) {
    const struct dc_soft *soft = &bodies->soft[s];
    int *own = index + (soft->q_offset - bodies->first_node_q) / 3;
    for (int i = 0; i < 3 * soft->mesh.triangle_count; i++)
      own[soft->mesh.triangles[i / 3][i % 3]] = 0;
    for (int n = 0; n < soft->node_count; n++)
      own[n] = own[n] < 0 ? -1 : count++;
  }
  return count;
}

// Triangles by numbers of the page's nodes.
static void put_surface(struct dc_page *page, const struct dc_bodies *bodies, const struct dc_soft *soft,
                        const int *index, int nodes)
{
  int count = 3 * soft->mesh.triangle_count, bytes = nodes > PARTS ? 4 : 2;
  const int *own = index + (soft->q_offset - bodies->first_node_q) / 3;
  int *corners = dc_alloc((size_t)count, sizeof *corners);
  for (int i = 0; i < count && corners; i++)
    corners[i] = own[soft->mesh.triangles[i / 3][i % 3]];
  dc_json_begin(&page->json, NULL, '{');
  dc_json_put_string(&page->json, "body", bodies->bodies[soft->body].name);
  dc_json_put_integer(&page->json, "index_bytes", bytes);
  dc_json_put_owned(&page->json, "triangles", corners ? dc_report_integers((size_t)count, corners, bytes) : NULL);
  dc_json_end(&page->json, '}');
  free(corners);
}

void dc_page_put_surfaces(struct dc_page *page)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  if (!bodies->soft_count)
    return;
  int *index = dc_alloc((size_t)bodies->node_count, sizeof *index);
  int nodes = index ? number_nodes(bodies, index) : 0;
  page->json.text.failed |= !index;
  dc_json_begin(&page->json, "surfaces", '[');
  for (int s = 0; s < bodies->soft_count && index; s++)
    put_surface(page, bodies, &bodies->soft[s], index, nodes);
  dc_json_end(&page->json, ']');
  free(index);
}

// Frames of nodes that a page holds, evenly spread over those of a stored trajectory.
struct node_frames {
  const int *index;        // [all] numbers of nodes
  int all, nodes;          // of the scene, of surfaces
  int count, *frames;      // [count] kept frames
  const double **rows;     // [count] places of all nodes
  double low[3], size[3];  // the box, m
  int *parts;              // [count][nodes][3]
};

static void find_box(struct node_frames *f)
{
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++)
    f->low[i] = INFINITY;
  for (int k = 0; k < f->count; k++)
    for (int n = 0; n < 3 * f->all; n++)
      if (f->index[n / 3] >= 0) {
        f->low[n % 3] = fmin(f->low[n % 3], f->rows[k][n]);
        high[n % 3] = fmax(high[n % 3], f->rows[k][n]);
      }
  for (int i = 0; i < 3; i++)
    f->size[i] = high[i] > f->low[i] ? high[i] - f->low[i] : 1;
}

static void put_parts(struct dc_page *page, struct node_frames *f)
{
  size_t count = (size_t)f->count * (size_t)f->nodes * 3;
  for (int k = 0; k < f->count; k++) {
    int *row = f->parts + (size_t)k * (size_t)f->nodes * 3;
    for (int n = 0; n < 3 * f->all; n++)
      if (f->index[n / 3] >= 0)
        row[3 * f->index[n / 3] + n % 3] = (int)lrint(PARTS * (f->rows[k][n] - f->low[n % 3]) / f->size[n % 3]);
  }
  dc_json_begin(&page->json, "nodes", '{');
  dc_json_put_integer(&page->json, "count", f->nodes);
  dc_json_put_numbers(&page->json, "low", f->low, 3);
  dc_json_put_numbers(&page->json, "size", f->size, 3);
  dc_json_put_owned(&page->json, "frames", dc_report_integers((size_t)f->count, f->frames, 2));
  dc_json_put_owned(&page->json, "places", dc_report_integers(count, f->parts, 2));
  dc_json_end(&page->json, '}');
}

enum dc_status dc_page_put_nodes(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  if (!stored->nodes || kept == 0)
    return DC_OK;
  int *index = dc_alloc((size_t)bodies->node_count, sizeof *index);
  if (!index)
    return dc_page_fail_memory(page);
  struct node_frames f = {.index = index, .all = bodies->node_count, .nodes = number_nodes(bodies, index)};
  int most = MOST_PLACES / f.nodes > 2 ? MOST_PLACES / f.nodes : 2;
  f.count = kept < most ? kept : most;
  f.frames = dc_alloc((size_t)f.count, sizeof *f.frames);
  f.rows = dc_alloc((size_t)f.count, sizeof *f.rows);
  f.parts = dc_alloc((size_t)f.count * (size_t)f.nodes, 3 * sizeof *f.parts);
  bool allocated = f.frames && f.rows && f.parts;
  for (int k = 0; k < f.count && allocated; k++) {
    f.frames[k] = dc_spread(k, f.count, kept);
    f.rows[k] = stored->nodes + (size_t)dc_spread(f.frames[k], kept, stored->frames) * (size_t)f.all * 3;
  }
  if (allocated) {
    find_box(&f);
    put_parts(page, &f);
  }
  free(index);
  free(f.frames);
  free(f.rows);
  free(f.parts);
  return allocated ? DC_OK : dc_page_fail_memory(page);
}
