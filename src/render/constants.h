// SPDX-License-Identifier: Apache-2.0
// Values that the look of pictures depends on: shading, shadows, edges, drawings on the ground and over the
// picture.  Colours stay beside their use.  They were chosen by eye on the shipped scenes, so that changing one
// changes every picture of the gallery (scripts/gallery.sh); those that bound work or divide by an angle say
// so.
#ifndef DC_RENDER_CONSTANTS_H
#define DC_RENDER_CONSTANTS_H

// Light (shading.c, shade.c).
static const double DC_GROUND_ALBEDO = 0.50;      // of the ground, for light that bodies receive from below
static const double DC_BODY_BOUNCE = 0.45;        // light that a lit body passes on, relative to its colour
static const double DC_BELOW_HORIZON = 0.75;      // brightness of the sky below the horizon where there is no ground
static const double DC_GLOSS_REFLECTANCE = 0.04;  // of a dielectric seen along its normal
static const double DC_TONE_SHOULDER = 0.72;      // tone curve: straight below, rolls off to 1 above
static const float DC_TONE_RANGE = 4;             // square root of the brightest light that the table of tones has
static const double DC_MARK_UPWARD = 0.7;         // marks lie on fixed surfaces whose normal has at least this z

// Shadows of the sky and of the key light, gathered in blocks of pixels (gather.c).  Fewer rays are noise, wider
// blocks blur edges.
static const float DC_GATHER_LEAST_COSINE = 0.8f;  // of normals, for a weight above 0
// of the way to another place on a surface above the tangent plane, at most
static const float DC_GATHER_PLANE_SLOPE = 0.4f;
static const float DC_WIDE_SKY = 20;         // the sky's harmonic distance, in pixels, from which on blocks are enough
static const float DC_LEAST_SKY_RAYS = 28;   // of the sky, in a block's mean, or its pixels get their own
static const double DC_NARROW_PENUMBRA = 5;  // pixels; wider ones are averaged over 3 x 3 of them
static const double DC_WIDE_PENUMBRA = 24;   // pixels; wider ones are averaged over blocks
// least fraction of the sky's light blocked, at a tile's centre, for which rays are cast
static const double DC_LEAST_SKY_TAKEN = 1e-3;

// Patches of pixels and edges between them (pixels.c, compose.c, samples.c, surfaces.c).
static const double DC_SAME_PATCH = 0.9;  // cosine between normals within a patch, at least
// sine of the viewing angle, bounded from below where it divides; paint on the ground fades below it
static const double DC_LEAST_INCIDENCE = 0.05;
static const float DC_COMPOSE_LEAST_COSINE = 0.8f;  // between normals, for a positive weight
static const float DC_EDGE_COSINE = 0.9f;           // between neighbours' normals, below which there is an edge
// height of a neighbour above the tangent plane, relative to its distance, above which there is an edge
static const float DC_EDGE_SLOPE = 0.5f;
static const float DC_EDGE_WIDTH = 3;  // least such height, in widths of a pixel
// of the tent over a pixel, pixels; smaller ones show steps, larger ones blur
static const double DC_FILTER_RADIUS = 0.85;
static const double DC_FILTER_SLACK = 2;  // pixels around visible things: the filter's reach and rounding
// of 40 degrees: flatter edges of meshes are shaded smoothly
static const double DC_SMOOTH_COSINE = 0.76604444311897803520;

// Camera (camera.c).
static const double DC_DEFAULT_FOV = 22;    // degrees; a long lens keeps balls round
static const double DC_VIEW_MARGIN = 0.84;  // part of the half width and height that points may fill

// Marks, grid and traces on the ground (decals.c, renderer.c).
static const double DC_DISC_OPACITY = 0.20;       // of a mark's disc
static const double DC_RING_OPACITY = 0.95;       // of its ring
static const double DC_RING_WIDTH = 0.16;         // relative to the radius
static const double DC_LEAST_RING_PIXELS = 2;     // small rings stay visible
static const double DC_GRID_OPACITY = 0.24;       // of the lines of the grid
static const double DC_GRID_BOLD_OPACITY = 0.45;  // of every tenth line
static const double DC_GRID_PIXELS = 1.1;         // width of lines, pixels
// distance from the target at which lines have faded, in half heights of the picture
static const double DC_GRID_REACH = 3.4;
static const double DC_OLDEST_OPACITY = 0.40;     // of a trace at its beginning
static const double DC_NEWEST_OPACITY = 0.90;     // of a trace at its end
static const double DC_TRACE_PIXELS = 1.9 / 720;  // width of traces, relative to the picture's height

// Texts over the picture (overlay.c), units of the grid of their strokes.
static const double DC_LETTER_ADVANCE = 5.6;  // from one letter to the next
static const double DC_STROKE_WIDTH = 0.75;   // of the ink
static const double DC_RIM_WIDTH = 2.0;       // of the light rim around it
static const double DC_RIM_OPACITY = 0.8;     // of the rim

// Films (film.c) and glTF (gltf.c, gltf_meshes.c, skin.c).
static const double DC_LEAST_RATE = 0.001;           // frames per second
static const double DC_LARGEST_RATE = 1000;          // frames per second
static const double DC_NEAR_PLANE = 1e-3;            // relative to the distance from eye to target
static const double DC_ROUGHNESS = 0.7;              // of all materials: between plastic and paper
static const double DC_LEAST_HALF_SIDE = 1.0;        // m, of the squares that represent half-spaces
static const double DC_CABLE_THICKNESS = 1.0 / 200;  // radius over length at the start

#endif
