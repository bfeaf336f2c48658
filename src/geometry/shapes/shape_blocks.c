// SPDX-License-Identifier: Apache-2.0
// Blocks: a box as a lattice of convex blocks, each a part with its own 8 corners.  Neighbours share one vertex, in the
// middle of the face between them, or the three corners of a spoke, an equilateral triangle about it that moves as one.
// Where the vertices are parameters, corners may part, so that holes can open, and what is shared holds the blocks
// together (docs/theory.md, "Shapes as parameters").
#include <math.h>

#include "geometry/shapes/constants.h"
#include "geometry/shapes/shape_options.h"

struct blocks_options {
  double size[3];
  double divisions[3];
  double spoke;  // NAN (or 0): none
  int surface;
};

enum { MOST_BLOCKS = 4096, CORNERS = 8, FACES = 6, SPOKE = 3 };

static const struct dc_option blocks_option_table[] = {
    DC_SIZE_OPTION(struct blocks_options, "edge lengths of all blocks together along x, y and z"),
    DC_DIVISIONS_OPTION(struct blocks_options, "blocks along x, y and z (whole numbers)"),
    DC_POSITIVE_OPTION(
        struct blocks_options, spoke, "m", "null", DC_SHAPE_LENGTH_MAX,
        "neighbours share three vertices so far apart, which move as one, instead of one: there they hold "
        "together in print, too; at most 0.8 of the shortest edge of a block"),
    DC_SURFACE_OPTION(struct blocks_options), DC_OPTIONS_END};

// The lattice while its blocks are made, in the order x, y, z (x fastest).
struct lattice {
  int n[3];               // divisions along the axes
  const double *size;     // [3] of the whole lattice, m
  double spoke;           // 0: none
  double (*vertices)[3];  // of all blocks, block after block
  int *twin;              // of every vertex the first one that it moves with
  int count;              // of vertices
  int *upper[3];          // per block: the first vertex that it shares with the next block along an axis
};

// Place of lattice line `half` / 2, exactly symmetric about 0.
static double place(const struct lattice *lattice, int axis, int half)
{
  return lattice->size[axis] * ((half - lattice->n[axis]) / (2.0 * lattice->n[axis]));
}

// A vertex at lattice lines half/2 of the three axes; it moves alone until it is given a twin.
static void add_vertex(struct lattice *lattice, const int half[3])
{
  for (int axis = 0; axis < 3; axis++)
    lattice->vertices[lattice->count][axis] = place(lattice, axis, half[axis]);
  lattice->twin[lattice->count] = lattice->count;
  lattice->count++;
}

// The vertices shared in the middle of a face, which is normal to an axis.  The triangle points along z, or x where z
// is normal, and away from the middle of the lattice: so its mirror image is one of another lattice, along y always,
// along the others unless a face is in the middle.
static void add_shared(struct lattice *lattice, int axis, const int half[3], int twin)
{
  int first = lattice->count, along = axis == 2 ? 0 : 2, across = 3 - axis - along;
  double reach = (place(lattice, along, half[along]) < 0 ? -1 : 1) * lattice->spoke / sqrt(3);
  for (int k = 0; k < (lattice->spoke > 0 ? SPOKE : 1); k++) {
    add_vertex(lattice, half);
    lattice->twin[first + k] = twin < 0 ? first : twin;
    lattice->vertices[first + k][along] += k == 0 ? reach : -0.5 * reach;
    lattice->vertices[first + k][across] += k == 0 ? 0 : (k == 1 ? -0.5 : 0.5) * lattice->spoke;
  }
}

// Corners, then the vertices shared with the blocks below along x, y, z, then with those above.
static void add_block(struct lattice *lattice, int block, const int at[3])
{
  const int step[3] = {1, lattice->n[0], lattice->n[0] * lattice->n[1]};
  for (int corner = 0; corner < CORNERS; corner++)
    add_vertex(lattice,
               (const int[]){2 * (at[0] + (corner & 1)), 2 * (at[1] + (corner >> 1 & 1)), 2 * (at[2] + (corner >> 2))});
  for (int face = 0; face < FACES; face++) {
    int axis = face % 3, above = face / 3, half[3] = {2 * at[0] + 1, 2 * at[1] + 1, 2 * at[2] + 1};
    if (above ? at[axis] == lattice->n[axis] - 1 : at[axis] == 0)
      continue;
    half[axis] += above ? 1 : -1;
    if (above)
      lattice->upper[axis][block] = lattice->count;
    add_shared(lattice, axis, half, above ? -1 : lattice->upper[axis][block - step[axis]]);
  }
}

// Checks divisions and the width of spokes.
static enum dc_status read_options(const struct blocks_options *options, struct lattice *lattice,
                                   struct dc_error *error)
{
  enum dc_status status = dc_shape_read_divisions(options->divisions, lattice->n, error);
  if (status)
    return status;
  double blocks = options->divisions[0] * options->divisions[1] * options->divisions[2];
  if (blocks > MOST_BLOCKS)
    return dc_fail(error, DC_BAD_INPUT, "divisions: must make at most %d blocks (make %.0f)", MOST_BLOCKS, blocks);
  double edge = INFINITY;
  for (int k = 0; k < 3; k++)
    edge = fmin(edge, options->size[k] / options->divisions[k]);
  if (options->spoke > DC_SPOKE_WIDEST * edge)
    return dc_fail(error, DC_BAD_INPUT, "spoke: must be at most %g m, %g of the shortest edge of a block (is %g)",
                   DC_SPOKE_WIDEST * edge, DC_SPOKE_WIDEST, options->spoke);
  lattice->spoke = options->spoke > 0 ? options->spoke : 0;
  return DC_OK;
}

// Every block has at most a corner for each of eight places and shared vertices on all six faces.
static bool allocate(struct lattice *lattice, size_t blocks, struct dc_mesh **parts, struct dc_arena *arena)
{
  size_t most = blocks * (CORNERS + FACES * (lattice->spoke > 0 ? SPOKE : 1));
  lattice->vertices = dc_arena_alloc(arena, most, sizeof *lattice->vertices);
  lattice->twin = dc_arena_alloc(arena, most, sizeof *lattice->twin);
  bool enough = lattice->vertices && lattice->twin;
  for (int axis = 0; axis < 3; axis++)
    enough = (lattice->upper[axis] = dc_arena_alloc(arena, blocks, sizeof(int))) && enough;
  *parts = dc_arena_alloc(arena, blocks, sizeof **parts);
  return enough && *parts;
}

// One convex part for each block of the lattice, joined to a shape.
static enum dc_status unite(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                            struct dc_error *error)
{
  (void)count, (void)shapes;
  const struct blocks_options *options = shape->options;
  struct lattice lattice = {.size = options->size};
  struct dc_mesh *parts;
  enum dc_status status = read_options(options, &lattice, error);
  if (status)
    return status;
  const int *n = lattice.n;
  int blocks = n[0] * n[1] * n[2];
  if (!allocate(&lattice, (size_t)blocks, &parts, arena))
    return dc_out_of_memory_for(error, "%d blocks", blocks);
  for (int block = 0; block < blocks; block++) {
    int first = lattice.count;
    add_block(&lattice, block, (const int[]){block % n[0], block / n[0] % n[1], block / (n[0] * n[1])});
    parts[block] = (struct dc_mesh){.vertex_count = lattice.count - first, .vertices = lattice.vertices + first};
  }
  shape->twins = lattice.twin;
  return dc_shape_set_hulls(shape, blocks, parts, arena, error);
}

const struct dc_shape_type dc_shape_blocks = {
    .name = "blocks",
    .summary = "box made of convex blocks that share one vertex with each neighbour, or three",
    .options = blocks_option_table,
    .options_size = sizeof(struct blocks_options),
    .unite = unite,
};
