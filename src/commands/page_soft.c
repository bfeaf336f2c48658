// SPDX-License-Identifier: Apache-2.0
// Soft bodies and cables on pages: their skins once, and the places of the skins' vertices in some of the kept frames,
// as 16-bit parts of the box that holds them all.  Vertices of no triangle, nodes inside, are not seen and left out.
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "commands/page.h"
#include "render/report.h"
#include "render/skin.h"

enum { MOST_PLACES = 1 << 20, PARTS = 65535 };

// All skins of the bodies, one after the other.
struct skins {
  const struct dc_bodies *bodies;
  int count, *body;       // [count] whose they are
  struct dc_skin *skins;  // [count]
  int *first;             // [count + 1] vertex of a skin among those of all
  int *index;             // [first[count]] number of a vertex among those that are seen, or -1
  int seen, most_points, most_vertices;
};

// The skins themselves own nothing: they refer to their bodies.
static void free_skins(struct skins *skins)
{
  free(skins->body);
  free(skins->skins);
  free(skins->first);
  free(skins->index);
}

// Triangles of a skin [count][3], by its own vertices (malloc); NULL: out of memory.
static int (*make_triangles(const struct dc_skin *skin))[3]
{
  int(*triangles)[3] = dc_alloc((size_t)dc_skin_triangle_count(skin), sizeof *triangles);
  if (triangles)
    dc_skin_triangles(skin, triangles);
  return triangles;
}

// Numbers the vertices that triangles have, over all skins; false: out of memory.
// The array marks vertices with 1 at first and is then overwritten by running numbers; -1 marks vertices that no
// triangle has.
static bool number_vertices(struct skins *skins)
{
  int total = skins->first[skins->count];
  skins->index = dc_alloc((size_t)total, sizeof *skins->index);
  for (int s = 0; s < skins->count && skins->index; s++) {
    int(*triangles)[3] = make_triangles(&skins->skins[s]);
    if (!triangles)
      return false;
    for (int i = 0; i < 3 * dc_skin_triangle_count(&skins->skins[s]); i++)
      skins->index[skins->first[s] + triangles[i / 3][i % 3]] = 1;
    free(triangles);
  }
  for (int v = 0; v < total && skins->index; v++)
    skins->index[v] = skins->index[v] ? skins->seen++ : -1;
  return skins->index != NULL;
}

// Lists the skins of soft bodies and cables; released with free_skins, also after a failure.  False: out of
// memory.
static bool list_skins(const struct dc_bodies *bodies, struct skins *skins)
{
  size_t count = (size_t)bodies->count;
  *skins = (struct skins){.bodies = bodies};
  skins->body = dc_alloc(count, sizeof *skins->body);
  skins->skins = dc_alloc(count, sizeof *skins->skins);
  skins->first = dc_alloc(count + 1, sizeof *skins->first);
  if (!skins->body || !skins->skins || !skins->first)
    return false;
  for (int b = 0; b < bodies->count; b++) {
    struct dc_skin *skin = &skins->skins[skins->count];
    if (!dc_skin_of(bodies, b, skin))
      continue;
    int vertices = dc_skin_vertex_count(skin);
    skins->body[skins->count++] = b;
    skins->first[skins->count] = skins->first[skins->count - 1] + vertices;
    skins->most_points = skin->point_count > skins->most_points ? skin->point_count : skins->most_points;
    skins->most_vertices = vertices > skins->most_vertices ? vertices : skins->most_vertices;
  }
  return number_vertices(skins);
}

// Triangles by numbers of the page's vertices.
static void put_surface(struct dc_page *page, const struct skins *skins, int s)
{
  const struct dc_skin *skin = &skins->skins[s];
  int(*triangles)[3] = make_triangles(skin), count = 3 * dc_skin_triangle_count(skin),
  bytes = skins->seen > PARTS ? 4 : 2;
  for (int i = 0; i < count && triangles; i++)
    triangles[i / 3][i % 3] = skins->index[skins->first[s] + triangles[i / 3][i % 3]];
  dc_json_begin(&page->json, NULL, '{');
  dc_json_put_string(&page->json, "body", skins->bodies->bodies[skins->body[s]].name);
  dc_json_put_integer(&page->json, "index_bytes", bytes);
  dc_json_put_owned(&page->json, "triangles",
                    triangles ? dc_report_integers((size_t)count, triangles[0], bytes) : NULL);
  dc_json_end(&page->json, "}");
  free(triangles);
}

// Skins have no rigid shape that a pose could move: their triangles are written here, their vertices with each
// trajectory.
void dc_page_put_surfaces(struct dc_page *page)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  struct skins skins;
  if (!bodies->soft_count && !bodies->cable_count)
    return;
  bool listed = list_skins(bodies, &skins);
  page->json.text.failed |= !listed;
  dc_json_begin(&page->json, "surfaces", '[');
  for (int s = 0; s < skins.count && listed; s++)
    put_surface(page, &skins, s);
  dc_json_end(&page->json, "]");
  free_skins(&skins);
}

// Frames that a page holds the vertices of, evenly spread over those of a stored trajectory.
struct vertex_frames {
  int count, *frames;      // [count] kept frames
  double (*places)[3];     // [count][seen], m
  double low[3], size[3];  // the box, m
  int *parts;              // [count][seen][3]
};

// The places of seen vertices in a frame of the trajectory; points and vertices are workspace.
static void place_vertices(const struct skins *skins, const struct dc_stored_trajectory *stored, size_t frame,
                           double (*points)[3], double (*vertices)[3], double (*places)[3])
{
  const double *nodes = stored->nodes ? stored->nodes + frame * (size_t)skins->bodies->node_count * 3 : NULL;
  const double(*positions)[3] = (const double(*)[3])(stored->position + 3 * frame * (size_t)stored->bodies);
  for (int s = 0; s < skins->count; s++) {
    dc_skin_points(&skins->skins[s], nodes, positions, points);
    dc_skin_place(&skins->skins[s], (const double(*)[3])points, vertices);
    for (int v = 0; v < skins->first[s + 1] - skins->first[s]; v++) {
      int at = skins->index[skins->first[s] + v];
      for (int i = 0; i < 3 && at >= 0; i++)
        places[at][i] = vertices[v][i];
    }
  }
}

// The box that holds all places of all frames, m; an axis without extent gets 1, as parts are divided by it.
static void find_box(struct vertex_frames *f, int seen)
{
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++)
    f->low[i] = INFINITY;
  for (size_t k = 0; k < (size_t)f->count * (size_t)seen; k++)
    for (int i = 0; i < 3; i++) {
      f->low[i] = fmin(f->low[i], f->places[k][i]);
      high[i] = fmax(high[i], f->places[k][i]);
    }
  for (int i = 0; i < 3; i++)
    f->size[i] = high[i] > f->low[i] ? high[i] - f->low[i] : 1;
}

// Writes places as 16-bit parts of the box: a resolution of its size over 65535.
// A part p stands for low + p × size / 65535.  For a scene of 2 m this is 30 µm, finer than a screen shows.
static void put_parts(struct dc_page *page, struct vertex_frames *f, int seen)
{
  size_t count = (size_t)f->count * (size_t)seen * 3;
  for (size_t k = 0; k < count; k++)
    f->parts[k] = (int)lrint(PARTS * (f->places[k / 3][k % 3] - f->low[k % 3]) / f->size[k % 3]);
  dc_json_begin(&page->json, "nodes", '{');
  dc_json_put_integer(&page->json, "count", seen);
  dc_json_put_numbers(&page->json, "low", f->low, 3);
  dc_json_put_numbers(&page->json, "size", f->size, 3);
  dc_json_put_owned(&page->json, "frames", dc_report_integers((size_t)f->count, f->frames, 2));
  dc_json_put_owned(&page->json, "places", dc_report_integers(count, f->parts, 2));
  dc_json_end(&page->json, "}");
}

// Places the seen vertices in as many of the kept frames as MOST_PLACES allows, at least two, and writes them.
// False: out of memory.
static bool put_frames(struct dc_page *page, const struct skins *skins, const struct dc_stored_trajectory *stored,
                       int kept)
{
  int most = MOST_PLACES / skins->seen > 2 ? MOST_PLACES / skins->seen : 2;
  struct vertex_frames f = {.count = kept < most ? kept : most};
  size_t seen = (size_t)skins->seen;
  double(*points)[3] = dc_alloc((size_t)skins->most_points, sizeof *points),
  (*vertices)[3] = dc_alloc((size_t)skins->most_vertices, sizeof *vertices);
  f.frames = dc_alloc((size_t)f.count, sizeof *f.frames);
  f.places = dc_alloc((size_t)f.count * seen, sizeof *f.places);
  f.parts = dc_alloc((size_t)f.count * seen, 3 * sizeof *f.parts);
  bool allocated = points && vertices && f.frames && f.places && f.parts;
  for (int k = 0; k < f.count && allocated; k++) {
    f.frames[k] = dc_evenly_spaced(k, f.count, kept);
    place_vertices(skins, stored, (size_t)dc_evenly_spaced(f.frames[k], kept, stored->frames), points, vertices,
                   f.places + (size_t)k * seen);
  }
  if (allocated) {
    find_box(&f, skins->seen);
    put_parts(page, &f, skins->seen);
  }
  free(points);
  free(vertices);
  free(f.frames);
  free(f.places);
  free(f.parts);
  return allocated;
}

// Soft bodies without stored nodes have no vertices to show.  Cables need none: their points follow from the poses of
// their links.
enum dc_status dc_page_put_nodes(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept)
{
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  struct skins skins;
  if ((bodies->soft_count ? !stored->nodes : !bodies->cable_count) || kept == 0)
    return DC_OK;
  bool done = list_skins(bodies, &skins) && put_frames(page, &skins, stored, kept);
  free_skins(&skins);
  return done ? DC_OK : dc_page_fail_memory(page);
}
