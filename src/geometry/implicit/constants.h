// SPDX-License-Identifier: Apache-2.0
// Tolerances of signed distances and of the meshes made from them.
#ifndef DC_GEOMETRY_IMPLICIT_CONSTANTS_H
#define DC_GEOMETRY_IMPLICIT_CONSTANTS_H

// Meshes of level sets (sdf_mesh.c).
// of the shape's extent: the lattice must reach beyond the surface, or it is not closed
static const double DC_LATTICE_MARGIN = 1.05;
// of a cell: values are moved away from 0 by this, or slivers remain that no edge collapse removes
static const double DC_LATTICE_AWAY = 0.2;

// Points and polyhedra.
// range of a point, in mean distances of its neighbours: smaller ones leave holes, larger ones blur
static const double DC_POINTS_RANGE = 1.5;
// difference of normals, and of offsets relative to the size, of one plane.  Both triangles of a side differ by
// 1e-16 where corners are exact, and by up to 2e-8 in files with nine digits (scenes/hands, scenes/objects);
// those above the tolerance count as two planes
static const double DC_PLANES_SAME = 1e-9;
static const double DC_POLYHEDRON_CONVEX = 1e-7;  // of the size: how far a vertex may stand out

// Squares that keep gradients finite on axes.  They shift the surface by as much, which must stay far below the
// tolerance of contact.
// of 1, squared lengths in half-axes: keeps logarithms finite on the planes of the axes
static const double DC_SUPERQUADRIC_LEAST = 1e-12;
// of the radius: keeps the axis finite, where the distance is off by that much
static const double DC_CAPSULE_LEAST = 1e-12;

#endif
