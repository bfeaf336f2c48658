// SPDX-License-Identifier: Apache-2.0
// Drawings over pictures: arrows of contact forces, dots at contacts, activities, trails, and text.
//
// A force is drawn where two bodies face each other: the overlap, across the force's direction, of the foremost
// vertices of both.
#include "commands/overlay.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

static const double longest_arrow = 0.4;  // relative to the picture's size
static const double normal_length = 0.06;
static const double arrow_pixels = 3.0 / 720, dot_pixels = 9.0 / 720, trail_pixels = 2.2 / 720;  // of the height
static const double text_pixels = 17.0 / 720, least_text = 8, least_line = 1;
static const double oldest_trail = 0.15, newest_trail = 0.9;  // opacity
// relative to a body's size: vertices this close to the foremost one count as foremost
static const double foremost = 0.02;
static const unsigned char force_color[3] = {222, 92, 20}, dot_color[3] = {150, 30, 30};
static const unsigned char quiet_color[3] = {60, 90, 200}, active_color[3] = {230, 40, 30};

// A width in pixels that grows with the picture, so that pictures of any size look alike.
static double line_width(const struct dc_overlay *overlay, double part)
{
  return fmax(least_line, part * overlay->height);
}

// The length of the longest arrow: normal force and friction together, N. Arrows are scaled by it.
double dc_api_largest_force(const struct dc_stored_contacts *contacts)
{
  double largest = 0;
  for (int c = 0; c < contacts->count; c++) {
    double force[3];
    dc_vec_add(force, contacts->force + 3 * c, contacts->friction + 3 * c);
    largest = fmax(largest, dc_vec_norm(force));
  }
  return largest;
}

// The foremost vertices of a body along a direction: intervals on two axes across it, and how far it reaches,
// m.
struct face {
  bool any;
  double front, low[2], high[2];
};

// The coordinate of a vertex of the body's mesh along a world axis, m.
// Vertices are in the frame of the shape, whose origin is not the centre of mass that a pose is about.
static double along(const struct dc_body *body, const struct dc_pose *pose, const double vertex[3],
                    const double axis[3])
{
  double local[3], world[3];
  dc_vec_sub(local, vertex, body->center);
  dc_mat_apply(world, pose->rotation, local);
  dc_vec_add(world, world, pose->position);
  return dc_vec_dot(world, axis);
}

// axes: [0] the direction of the force, [1] and [2] across it, unit vectors; sign: which way the body looks.
// Two passes over the vertices: the first finds how far the body reaches, the second the intervals of those within
// `foremost` radii of that. Lengths are in m.
static struct face find_face(const struct dc_body *body, const struct dc_pose *pose, const double axes[3][3],
                             double sign)
{
  const struct dc_mesh *mesh = &body->shape->mesh;
  struct face face = {.front = -INFINITY, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  for (int v = 0; v < mesh->vertex_count; v++)
    face.front = fmax(face.front, sign * along(body, pose, mesh->vertices[v], axes[0]));
  for (int v = 0; v < mesh->vertex_count; v++) {
    if (sign * along(body, pose, mesh->vertices[v], axes[0]) < face.front - foremost * body->radius)
      continue;
    face.any = true;
    for (int i = 0; i < 2; i++) {
      double place = along(body, pose, mesh->vertices[v], axes[1 + i]);
      face.low[i] = fmin(face.low[i], place);
      face.high[i] = fmax(face.high[i], place);
    }
  }
  return face;
}

// Finds where two bodies face each other; push: the direction of the force on the first.  It is the middle
// between both foremost planes along that direction and, across it, of the overlap of both faces, or of the
// smaller face where they do not overlap.  false: neither has vertices.
// The helper is the coordinate axis that the direction has least of, so that the cross product is well away from
// zero. place: in the world, m.
static bool find_place(const struct dc_api_picture *picture, const int pair[2], const double push[3], double place[3])
{
  double axes[3][3], length = dc_vec_norm(push);
  int least = fabs(push[0]) < fabs(push[1]) ? 0 : 1;
  least = fabs(push[2]) < fabs(push[least]) ? 2 : least;
  const double helper[3] = {least == 0, least == 1, least == 2};
  if (!(length > 0))
    return false;
  dc_vec_scale(axes[0], push, 1 / length);
  dc_vec_cross(axes[1], axes[0], helper);
  dc_vec_scale(axes[1], axes[1], 1 / dc_vec_norm(axes[1]));
  dc_vec_cross(axes[2], axes[0], axes[1]);
  struct face faces[2];
  for (int s = 0; s < 2; s++)
    faces[s] =
        find_face(&picture->bodies->bodies[pair[s]], &picture->poses[pair[s]], (const double(*)[3])axes, s ? 1 : -1);
  if (!faces[0].any && !faces[1].any)
    return false;
  double front = 0;
  int sides = 0;
  for (int s = 0; s < 2; s++)
    if (faces[s].any)
      front += (s ? 1 : -1) * faces[s].front, sides++;
  dc_vec_scale(place, axes[0], front / sides);
  for (int i = 0; i < 2; i++) {
    double extent[2] = {faces[0].high[i] - faces[0].low[i], faces[1].high[i] - faces[1].low[i]};
    const struct face *smaller = &faces[faces[1].any && (!faces[0].any || extent[1] < extent[0])];
    double low = smaller->low[i], high = smaller->high[i];
    if (faces[0].any && faces[1].any &&
        fmax(faces[0].low[i], faces[1].low[i]) < fmin(faces[0].high[i], faces[1].high[i])) {
      low = fmax(faces[0].low[i], faces[1].low[i]);
      high = fmin(faces[0].high[i], faces[1].high[i]);
    }
    dc_vec_add_scaled(place, place, 0.5 * (low + high), axes[1 + i]);
  }
  return true;
}

// Draws the contacts of a frame as arrows of the whole force on the movable body; the largest force of the run has the
// longest arrow.
// The stored force acts on the first body of the pair; it is turned round where that one is fixed. Contacts behind
// the camera, and pairs without vertices, are left out.
void dc_api_draw_contacts(const struct dc_api_picture *picture, const struct dc_stored_contacts *contacts, int frame,
                          double largest)
{
  for (int c = 0; c < contacts->count; c++) {
    if ((int)contacts->frame[c] != frame)
      continue;
    const int pair[2] = {(int)contacts->bodies[2 * c], (int)contacts->bodies[2 * c + 1]};
    double place[3], force[3], tip[3], from[2], to[2];
    bool hidden;
    if (!find_place(picture, pair, contacts->force + 3 * c, place))
      continue;
    dc_vec_add(force, contacts->force + 3 * c, contacts->friction + 3 * c);
    double sign = dc_body_moves(&picture->bodies->bodies[pair[0]]) ? 1 : -1;
    dc_vec_add_scaled(tip, place, sign * longest_arrow * picture->size / largest, force);
    if (!dc_render_project(picture->renderer, place, &hidden, from) ||
        !dc_render_project(picture->renderer, tip, &hidden, to))
      continue;
    dc_overlay_arrow(picture->overlay, from, to, line_width(picture->overlay, arrow_pixels), force_color);
    dc_overlay_line(picture->overlay, from, from, line_width(picture->overlay, dot_pixels), dot_color, 1);
  }
}

// The normal at a point of a surface, in a colour from quiet (0) to active (1); others are clamped.
// point and normal: in the world; the line's length is `normal_length` of the picture's size.
void dc_api_draw_activity(const struct dc_api_picture *picture, const double point[3], const double normal[3],
                          double activity)
{
  unsigned char color[3];
  double tip[3], from[2], to[2];
  bool hidden;
  for (int i = 0; i < 3; i++)
    color[i] = (unsigned char)lrint(quiet_color[i] + fmin(1, fmax(0, activity)) * (active_color[i] - quiet_color[i]));
  dc_vec_add_scaled(tip, point, normal_length * picture->size, normal);
  if (!dc_render_project(picture->renderer, point, &hidden, from) ||
      !dc_render_project(picture->renderer, tip, &hidden, to))
    return;
  dc_overlay_line(picture->overlay, from, to, line_width(picture->overlay, trail_pixels), color, 1);
  dc_overlay_line(picture->overlay, from, from, line_width(picture->overlay, dot_pixels), color, 1);
}

// Draws the ways of the centres of mass up to a frame; older parts are fainter.  Points hidden behind bodies
// break the line, and points less than a pixel apart are left out.
void dc_api_draw_trails(const struct dc_api_picture *picture, const struct dc_stored_trajectory *stored, int frame)
{
  double width = line_width(picture->overlay, trail_pixels);
  for (int b = 0; b < stored->bodies; b++) {
    const struct dc_body *body = &picture->bodies->bodies[b];
    unsigned char color[3];
    double before[2];
    bool begun = false;
    if (!dc_body_moves(body))
      continue;
    for (int i = 0; i < 3; i++)  // darker than the body, so that both are visible
      color[i] = (unsigned char)lrint(200 * pow(fmin(1, fmax(0, body->appearance.color[i])), 1 / 2.2));
    for (int f = 0; f <= frame; f++) {
      const double *place = stored->position + 3 * ((size_t)f * (size_t)stored->bodies + (size_t)b);
      double now[2], age = frame ? (double)(frame - f) / frame : 0;
      bool hidden;
      bool seen = dc_render_project(picture->renderer, place, &hidden, now) && !hidden;
      if (seen && begun && hypot(now[0] - before[0], now[1] - before[1]) < 1)
        continue;  // it has not moved by a pixel
      if (seen && begun)
        dc_overlay_line(picture->overlay, before, now, width, color,
                        newest_trail + age * (oldest_trail - newest_trail));
      begun = seen;
      memcpy(before, now, sizeof before);
    }
  }
}

// Lines from the bottom left corner upwards, the last one lowest.
void dc_api_draw_words(const struct dc_overlay *overlay, int count, const char *const *lines)
{
  double height = fmax(least_text, text_pixels * overlay->height);
  for (int i = 0; i < count; i++) {
    const double place[2] = {1.2 * height, overlay->height - height * (1.2 + 1.9 * (count - 1 - i))};
    dc_overlay_text(overlay, place, height, lines[i]);
  }
}
