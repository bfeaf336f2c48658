// SPDX-License-Identifier: Apache-2.0
// Drawings over pictures: contact forces, trails and text.  Private to src/commands.
#ifndef DC_COMMANDS_OVERLAY_H
#define DC_COMMANDS_OVERLAY_H

#include "io/run/run.h"
#include "render/overlay.h"

// A frame that has been drawn.
struct dc_api_picture {
  const struct dc_renderer *renderer;
  const struct dc_overlay *overlay;
  const struct dc_bodies *bodies;
  const struct dc_pose *poses;  // [bodies], of the frame
  double size;                  // half the height of the picture at its target, m
};

// The length of the longest arrow of force, of a picture's size, and the force that it stands for: the largest of all
// frames.
double dc_api_largest_force(const struct dc_stored_contacts *contacts);

// Contacts of a frame: a dot where the two bodies face each other, and the force with friction on the one that moves
// (the first, if both do) as an arrow.  The place is not stored: it is the middle of what the vertices of both that are
// foremost along the force have in common across it.
void dc_api_draw_contacts(const struct dc_api_picture *picture, const struct dc_stored_contacts *contacts, int frame,
                          double largest);

// A contact of a manifold: its normal as a short line and a dot, coloured by its activity 0 .. 1.
void dc_api_draw_activity(const struct dc_api_picture *picture, const double point[3], const double normal[3],
                          double activity);

// The ways of the centres of movable bodies through space up to a frame, the older the fainter, where no body hides
// them.
void dc_api_draw_trails(const struct dc_api_picture *picture, const struct dc_stored_trajectory *stored, int frame);

// Lines of text [count] in the lower left corner, the last one lowest.
void dc_api_draw_words(const struct dc_overlay *overlay, int count, const char *const *lines);

#endif
