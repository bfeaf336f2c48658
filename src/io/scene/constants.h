// SPDX-License-Identifier: Apache-2.0
// Rules of thumb of reading a scene: defaults that a scene leaves open, tolerances, and thresholds above which
// something is noted.  Nothing here refuses a scene; changing one changes which notes are written or where
// bodies start.
#ifndef DC_IO_SCENE_CONSTANTS_H
#define DC_IO_SCENE_CONSTANTS_H

// Times.
static const double DC_REFINE_FRAME = 0.04;  // s between recorded iterates of a refinement in films and trajectories
// of the number of the plant's steps in one of the scene's; decimal steps divide to about 1e-15
static const double DC_PLANT_ROUNDING = 1e-9;

// Objectives.
// part of what is allowed that a race aims at: at the rims themselves losses are flat, and a search ends just
// outside of them
static const double DC_AIM_INSIDE = 0.8;

// Notes about units (scene_notes.c).
// reach over radius of gyration from which on units are asked about: thin and hollow bodies are far below
static const double DC_MOST_REACH = 30;
static const double DC_LARGE_MESH = 20;  // m: a larger mesh is asked about

// Links that never meet (scene_overlaps.c).
// of the sum of their radii: links that come nearer in a sample of positions may meet.  Smaller ones exclude
// pairs that meet between two samples
static const double DC_MEETING_MARGIN = 0.02;

// Starts that are moved apart (scene_separate.c).
// of the smaller radius: gap that is left; contact throws off bodies that start much nearer
static const double DC_PARTING_GAP = 2e-3;
static const double DC_PARTING_MOST_GAP = 1e-3;  // m: the largest such gap
// of the size of what is moved: a start that would have to be moved farther is a mistake, and stays
static const double DC_PARTING_FARTHEST = 20;

#endif
