// SPDX-License-Identifier: Apache-2.0
// Builds chambers and muscles of soft bodies (soft_drives.h).
//
// 1. Of a grid, cells whose middles lie in the box of a chamber are left out, and with them nodes that nothing else
//    has.
// 2. The walls of a chamber are the triangles of the surface with all nodes in its box; of a grid, in that of the cells
//    that were left out.
// 3. A muscle takes the elements whose middles lie in its box; fibres get the factors f_a = g_a.d of their samples, for
//    sheets and rods along the part of d within the element.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/body_build.h"
#include "elastic/sample.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/vector.h"

enum { CELL_ELEMENTS = 6 };              // of a cell of a grid of a solid
static const double LEAST_PART = 1e-3;   // of a direction within an element: fibres that stand on it are left out
static const char *const kind_choices[] = {"fibre", "growth", NULL};

const struct dc_option dc_chamber_options[] = {
    DC_STRING_OPTION(struct dc_chamber_definition, name, NULL, "name of its pressure among the coordinates of controls"),
    DC_VECTOR_OPTION(struct dc_chamber_definition, low, "m", NULL, 1e6,
                     "lowest corner of a box in the frame of the mesh: cells of a grid with their middle in it are left "
                     "out; the surface of the mesh in it is the wall, on which the pressure acts"),
    DC_VECTOR_OPTION(struct dc_chamber_definition, high, "m", NULL, 1e6, "highest corner of the box"),
    DC_OPTIONS_END,
};

const struct dc_option dc_muscle_options[] = {
    DC_STRING_OPTION(struct dc_muscle_definition, name, NULL, "name of its coordinate in controls"),
    DC_CHOICE_OPTION(struct dc_muscle_definition, kind, "\"fibre\"", kind_choices,
                     "fibre: springs that a coordinate c shortens to exp(-c) of their length; growth: the rest shape of "
                     "the solid itself stretches by exp(c)"),
    DC_VECTOR_OPTION(struct dc_muscle_definition, low, "m", NULL, 1e6,
                     "lowest corner of a box in the frame of the mesh: elements with their middle in it belong to the "
                     "muscle"),
    DC_VECTOR_OPTION(struct dc_muscle_definition, high, "m", NULL, 1e6, "highest corner of the box"),
    DC_VECTOR_OPTION(struct dc_muscle_definition, direction, "", "null", 1e6,
                     "of fibres, or of growth, in the frame of the mesh; growth without one is in all directions"),
    DC_POSITIVE_OPTION(struct dc_muscle_definition, stiffness, "Pa", "null", 1e13,
                       "of fibres: stress for a stretch of 1; default: young"),
    DC_OPTIONS_END,
};

// Coordinates of the drives of one body stand in this order: the pressure on its surface, chambers, muscles.
const char *dc_soft_drive_name(const struct dc_soft_drives *drives, int index)
{
  if (index < dc_soft_first_chamber(drives))
    return "pressure";
  if (index < dc_soft_first_muscle(drives))
    return drives->chamber_names[index - dc_soft_first_chamber(drives)];
  return drives->muscles[index - dc_soft_first_muscle(drives)].name;
}

// Pressures are in Pa; a muscle's coordinate is the logarithm of a stretch, which fibres take the other way round.
const char *dc_soft_drive_unit(const struct dc_soft_drives *drives, int index)
{
  return index < dc_soft_first_muscle(drives) ? "Pa" : "1";
}

const char *dc_soft_drive_rate_unit(const struct dc_soft_drives *drives, int index)
{
  return index < dc_soft_first_muscle(drives) ? "Pa/s" : "1/s";
}

// Names of coordinates stand beside each other in a text, and are no numbers.
static enum dc_status check_name(const struct dc_soft_definition *definition, int index, const char *list, int i,
                                 const char *name, struct dc_error *error)
{
  const struct dc_chamber_definition *chambers = definition->chambers.objects;
  const struct dc_muscle_definition *muscles = definition->muscles.objects;
  int same = 0;
  for (int k = 0; k < definition->chambers.count; k++)
    same += strcmp(chambers[k].name, name) == 0;
  for (int k = 0; k < definition->muscles.count; k++)
    same += strcmp(muscles[k].name, name) == 0;
  if (!*name || strchr(name, ' ') || (*name >= '0' && *name <= '9') || strcmp(name, "all") == 0 ||
      strcmp(name, "pressure") == 0)
    return dc_fail(error, DC_BAD_INPUT,
                   "bodies[%d].soft.%s[%d].name: must begin with a letter, have no spaces and not be \"all\" or "
                   "\"pressure\" (is \"%.64s\")",
                   index, list, i, name);
  return same > 1 ? dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.%s[%d].name: must be the only one (\"%.64s\" is used twice)",
                            index, list, i, name)
                  : DC_OK;
}

// Corners in order along each axis; a box without extent is allowed, as a plane of nodes may be meant.
static enum dc_status check_box(const double low[3], const double high[3], int index, const char *list, int i,
                                struct dc_error *error)
{
  for (int k = 0; k < 3; k++)
    if (!(low[k] <= high[k]))
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.%s[%d].low: must not be above high", index, list, i);
  return DC_OK;
}

// Rules between the options of one muscle.
static enum dc_status check_muscle(const struct dc_muscle_definition *muscle, int type, int index, int i,
                                   struct dc_error *error)
{
  bool directed = !isnan(muscle->direction[0]);
  if (muscle->kind == DC_MUSCLE_GROWTH && type != DC_SOFT_SOLID)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.muscles[%d].kind: growth is of solids; sheets and rods have fibres",
                   index, i);
  if (muscle->kind == DC_MUSCLE_GROWTH && !isnan(muscle->stiffness))
    return dc_fail(error, DC_BAD_INPUT,
                   "bodies[%d].soft.muscles[%d].stiffness: must not be given for growth: the solid's own acts", index, i);
  if (muscle->kind == DC_MUSCLE_FIBRE && !directed)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.muscles[%d].direction: must be given for fibres", index, i);
  return directed && !(dc_vec_norm(muscle->direction) > 0)
             ? dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.muscles[%d].direction: must not be zero", index, i)
             : DC_OK;
}

// Names must be unique over chambers and muscles together, since controls name both in one list.
enum dc_status dc_soft_drives_check(const struct dc_soft_definition *definition, int index, struct dc_error *error)
{
  const struct dc_chamber_definition *chambers = definition->chambers.objects;
  const struct dc_muscle_definition *muscles = definition->muscles.objects;
  enum dc_status status = DC_OK;
  if (definition->chambers.count && definition->type != DC_SOFT_SOLID)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.chambers: must be of a solid; a closed sheet has its pressure", index);
  for (int i = 0; i < definition->chambers.count && !status; i++) {
    status = check_name(definition, index, "chambers", i, chambers[i].name, error);
    if (!status)
      status = check_box(chambers[i].low, chambers[i].high, index, "chambers", i, error);
  }
  for (int i = 0; i < definition->muscles.count && !status; i++) {
    status = check_name(definition, index, "muscles", i, muscles[i].name, error);
    if (!status)
      status = check_box(muscles[i].low, muscles[i].high, index, "muscles", i, error);
    if (!status)
      status = check_muscle(&muscles[i], definition->type, index, i, error);
  }
  return status;
}

// Whether x lies in a box.  Grids place nodes on the faces of boxes that users write with the same numbers; the slack
// of 1e-9 of these numbers lets rounding decide nothing.
static bool in_box(const double low[3], const double high[3], const double x[3])
{
  for (int k = 0; k < 3; k++) {
    double slack = 1e-9 * (fabs(low[k]) + fabs(high[k]));
    if (!(x[k] >= low[k] - slack && x[k] <= high[k] + slack))
      return false;
  }
  return true;
}

// The mean of the corners of count elements; for all elements of a cell it is the cell's middle, by symmetry.
static void middle_of(const struct dc_simplices *mesh, int element, int count, double middle[3])
{
  memset(middle, 0, 3 * sizeof *middle);
  for (int e = element; e < element + count; e++)
    for (int k = 0; k < mesh->corners; k++)
      dc_vec_add_scaled(middle, middle, 1.0 / (count * mesh->corners), mesh->nodes[mesh->elements[e][k]]);
}

// Grows a box, empty where low > high, so that it holds the nodes of an element.
static void enclose(const struct dc_simplices *mesh, int element, double box[2][3])
{
  for (int c = 0; c < mesh->corners; c++)
    for (int k = 0; k < 3; k++) {
      double x = mesh->nodes[mesh->elements[element][c]][k];
      box[0][k] = fmin(box[0][k], x);
      box[1][k] = fmax(box[1][k], x);
    }
}

// Renumbers the nodes that elements have, in order, and drops the others.
static enum dc_status drop_nodes(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_error *error)
{
  int *number = dc_arena_alloc(arena, (size_t)mesh->node_count, sizeof *number), kept = 0;
  if (!number)
    return dc_out_of_memory_for(error, "%d nodes", mesh->node_count);
  for (int e = 0; e < mesh->element_count; e++)
    for (int c = 0; c < mesh->corners; c++)
      number[mesh->elements[e][c]] = 1;
  for (int n = 0; n < mesh->node_count; n++)
    if (number[n]) {
      dc_vec_copy(mesh->nodes[kept], mesh->nodes[n]);
      number[n] = kept++;
    }
  for (int e = 0; e < mesh->element_count; e++)
    for (int c = 0; c < mesh->corners; c++)
      mesh->elements[e][c] = number[mesh->elements[e][c]];
  mesh->node_count = kept;
  return dc_tetrahedra_finish(mesh, arena, error);
}

// Takes cells out of a grid, and fills boxes [chambers] with the places whose surface becomes a wall: around the
// cells that were taken out, or the given box where the mesh is a file's, whose cavity is there already.  All
// tetrahedra of a cell go or stay together, so that the wall is made of faces of cells.  Where chambers overlap the
// first one takes the cell.
enum dc_status dc_soft_drives_hollow(const struct dc_soft_definition *definition, struct dc_simplices *mesh,
                                     double (*boxes)[2][3], struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_chamber_definition *chambers = definition->chambers.objects;
  int kept = 0;
  for (int i = 0; i < definition->chambers.count; i++)
    for (int k = 0; k < 3; k++) {
      boxes[i][0][k] = definition->file ? chambers[i].low[k] : INFINITY;
      boxes[i][1][k] = definition->file ? chambers[i].high[k] : -INFINITY;
    }
  if (definition->file || !definition->chambers.count)
    return DC_OK;
  for (int e = 0; e < mesh->element_count; e += CELL_ELEMENTS) {
    double middle[3];
    int chamber = -1;
    middle_of(mesh, e, CELL_ELEMENTS, middle);
    for (int i = definition->chambers.count - 1; i >= 0; i--)
      if (in_box(chambers[i].low, chambers[i].high, middle))
        chamber = i;
    for (int k = 0; k < CELL_ELEMENTS; k++)
      if (chamber >= 0)
        enclose(mesh, e + k, boxes[chamber]);
      else
        memmove(mesh->elements[kept++], mesh->elements[e + k], sizeof *mesh->elements);
  }
  mesh->element_count = kept;
  return drop_nodes(mesh, arena, error);
}

// Whether a box holds all nodes of a triangle, or of the quadratic face that the triangle is a quarter of.
static bool holds_face(const double box[2][3], const struct dc_soft *soft, int triangle)
{
  const int *nodes = soft->drives.faces ? soft->drives.faces[triangle / DC_FACE_QUARTERS] : soft->mesh.triangles[triangle];
  for (int k = 0; k < (soft->drives.faces ? 6 : 3); k++)
    if (!in_box(box[0], box[1], soft->mesh.nodes[nodes[k]]))
      return false;
  return true;
}

// Lists the walls of chambers: chamber_of [triangles], -1 elsewhere.  A face belongs to the first chamber whose box
// holds its nodes, as pressures of two chambers do not add on one wall.
static enum dc_status collect_walls(const struct dc_soft_definition *definition, const double (*boxes)[2][3],
                                    struct dc_soft *soft, struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_chamber_definition *chambers = definition->chambers.objects;
  struct dc_soft_drives *drives = &soft->drives;
  int count = definition->chambers.count;
  if (!count)
    return DC_OK;
  drives->chamber_count = count;
  drives->chamber_names = dc_arena_alloc(arena, (size_t)count, sizeof *drives->chamber_names);
  drives->chamber_of = dc_arena_alloc(arena, (size_t)soft->mesh.triangle_count, sizeof *drives->chamber_of);
  if (!drives->chamber_names || !drives->chamber_of)
    return dc_out_of_memory_for(error, "chambers");
  for (int t = 0; t < soft->mesh.triangle_count; t++)
    drives->chamber_of[t] = -1;
  for (int i = 0; i < count; i++) {
    int walls = 0;
    if (!(drives->chamber_names[i] = dc_arena_strdup(arena, chambers[i].name)))
      return dc_out_of_memory_for(error, "chambers");
    for (int t = 0; t < soft->mesh.triangle_count; t++) {
      if (drives->chamber_of[t] < 0 && holds_face(boxes[i], soft, t))
        drives->chamber_of[t] = i, walls++;
    }
    if (!walls)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.chambers[%d]: no part of the surface is in the box", soft->body, i);
  }
  return DC_OK;
}

// The middle of the element of a sample.
static void sample_middle(const struct dc_soft *soft, int sample, double middle[3])
{
  const int *nodes = dc_sample_nodes(&soft->elastic, sample);
  int corners = soft->mesh.corners;  // those of a quadratic element come first
  memset(middle, 0, 3 * sizeof *middle);
  for (int k = 0; k < corners; k++)
    dc_vec_add_scaled(middle, middle, 1.0 / corners, soft->mesh.nodes[nodes[k]]);
}

// An edge a < b of a triangle that goes from a to b (1) or back (-1).
struct side {
  int a, b, sign;
};

static int compare_sides(const void *left, const void *right)
{
  const struct side *one = left, *other = right;
  return one->a != other->a ? (one->a < other->a ? -1 : 1) : (one->b > other->b) - (one->b < other->b);
}

// Whether every edge of the wall of a chamber, -1: of the whole surface, is gone along as often in one direction as in
// the other.  Room is for 3 sides a triangle.
static bool has_no_edge(const struct dc_soft *soft, int chamber, struct side *room)
{
  int count = 0;
  for (int t = 0; t < soft->mesh.triangle_count; t++)
    for (int k = 0; k < 3 && (chamber < 0 || soft->drives.chamber_of[t] == chamber); k++) {
      int from = soft->mesh.triangles[t][k], to = soft->mesh.triangles[t][(k + 1) % 3];
      room[count++] = from < to ? (struct side){from, to, 1} : (struct side){to, from, -1};
    }
  qsort(room, (size_t)count, sizeof *room, compare_sides);
  for (int i = 0, sum = 0; i < count; i++) {
    sum += room[i].sign;
    if (i + 1 < count && !compare_sides(&room[i], &room[i + 1]))
      continue;
    if (sum)
      return false;
  }
  return true;
}

static enum dc_status find_edges(struct dc_soft *soft, struct dc_error *error)
{
  struct side *room = dc_alloc(3 * (size_t)soft->mesh.triangle_count, sizeof *room);
  if (!room)
    return dc_out_of_memory_for(error, "%d triangles", soft->mesh.triangle_count);
  soft->drives.closed = true;
  for (int chamber = -1; chamber < soft->drives.chamber_count; chamber++)
    soft->drives.closed &= has_no_edge(soft, chamber, room);
  free(room);
  return DC_OK;
}

// Rods have no surface for a pressure to act on; muscles follow once the elastic energy is there (finish).
enum dc_status dc_soft_drives_collect(const struct dc_soft_definition *definition, const double (*boxes)[2][3],
                                      struct dc_soft *soft, struct dc_arena *arena, struct dc_error *error)
{
  soft->drives.pressure = soft->mesh.corners > 2;
  enum dc_status status = collect_walls(definition, boxes, soft, arena, error);
  return status || !soft->drives.pressure ? status : find_edges(soft, error);
}

// The direction in the axes in which the gradients of an element are given, made a unit vector.  Solids use the axes
// of the world.  Sheets use two axes in their plane: b along the first edge, and c perpendicular to it; rods use b
// alone.  Returns false where the direction stands on the element, so that no fibre lies in it.
static bool local_direction(const struct dc_soft *soft, int sample, const double direction[3], double local[3])
{
  const int *nodes = dc_sample_nodes(&soft->elastic, sample);
  double b[3], c[3], normal[3];
  int corners = soft->mesh.corners;
  memcpy(local, direction, 3 * sizeof *local);
  if (corners == 4)
    return true;
  dc_vec_sub(b, soft->mesh.nodes[nodes[1]], soft->mesh.nodes[nodes[0]]);
  dc_vec_scale(b, b, 1 / dc_vec_norm(b));
  local[0] = dc_vec_dot(b, direction);
  local[1] = local[2] = 0;
  if (corners == 3) {
    dc_vec_sub(c, soft->mesh.nodes[nodes[2]], soft->mesh.nodes[nodes[0]]);
    dc_vec_cross(normal, b, c);
    dc_vec_cross(c, normal, b);
    local[1] = dc_vec_dot(c, direction) / dc_vec_norm(c);
  }
  double part = dc_vec_norm(local);
  if (part < LEAST_PART)
    return false;
  dc_vec_scale(local, local, 1 / part);
  return true;
}

// factors [corners] f_a = g_a.d, with g_a the gradient of node a's shape function, 1/m: w = sum_a f_a x_a is the
// stretched fibre.
static void set_fibre(const struct dc_soft *soft, int sample, const double local[3], double *factors)
{
  const double(*gradients)[3] = dc_sample_gradients(&soft->elastic, sample);
  for (int a = 0; a < soft->elastic.corners; a++)
    factors[a] = dc_vec_dot(gradients[a], local);
}

// Fills the samples of one muscle, those whose middles lie in its box.  Low and high are in the mesh's frame, into
// which middles are taken by the inverse of the body's pose (rotation, origin).
static enum dc_status fill_muscle(const struct dc_muscle_definition *given, const double rotation[9],
                                  const double origin[3], struct dc_soft *soft, struct dc_muscle *muscle,
                                  struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_elastic *elastic = &soft->elastic;
  size_t samples = (size_t)elastic->sample_count, corners = (size_t)elastic->corners;
  bool fibres = muscle->kind == DC_MUSCLE_FIBRE;
  muscle->samples = dc_arena_alloc(arena, samples, sizeof *muscle->samples);
  if (fibres)
    muscle->factors = dc_arena_alloc(arena, samples * corners, sizeof *muscle->factors);
  if (!muscle->samples || (fibres && !muscle->factors))
    return dc_out_of_memory_for(error, "muscles");
  for (int e = 0; e < elastic->sample_count; e++) {
    double middle[3], place[3], local[3];
    sample_middle(soft, e, middle);
    dc_vec_sub(middle, middle, origin);
    dc_mat_apply_transposed(place, rotation, middle);
    if (!in_box(given->low, given->high, place) || (fibres && !local_direction(soft, e, muscle->direction, local)))
      continue;
    if (fibres)
      set_fibre(soft, e, local, muscle->factors + (size_t)muscle->sample_count * corners);
    muscle->samples[muscle->sample_count++] = e;
  }
  return DC_OK;
}

// A sample has one growth at most, so that the order of muscles does not matter.
static enum dc_status claim_growth(struct dc_soft *soft, int index, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_soft_drives *drives = &soft->drives;
  const struct dc_muscle *muscle = &drives->muscles[index];
  if (!drives->growth_of) {
    drives->growth_of = dc_arena_alloc(arena, (size_t)soft->elastic.sample_count, sizeof *drives->growth_of);
    if (!drives->growth_of)
      return dc_out_of_memory_for(error, "growth");
    for (int e = 0; e < soft->elastic.sample_count; e++)
      drives->growth_of[e] = -1;
  }
  for (int k = 0; k < muscle->sample_count; k++) {
    int *owner = &drives->growth_of[muscle->samples[k]];
    if (*owner >= 0)
      return dc_fail(error, DC_BAD_INPUT,
                     "bodies[%d].soft.muscles[%d]: an element grows by one muscle only (\"%s\" has one of these)",
                     soft->body, index, drives->muscles[*owner].name);
    *owner = index;
  }
  return DC_OK;
}

// Boxes of muscles are in the mesh's frame, while nodes and elastic energy are in the world already: directions are
// rotated into the world, middles of elements back.
enum dc_status dc_soft_drives_finish(const struct dc_soft_definition *definition, const double rotation[9],
                                     const double origin[3], struct dc_soft *soft, struct dc_arena *arena,
                                     struct dc_error *error)
{
  const struct dc_muscle_definition *given = definition->muscles.objects;
  struct dc_soft_drives *drives = &soft->drives;
  enum dc_status status = DC_OK;
  int count = definition->muscles.count;
  drives->muscles = count ? dc_arena_alloc(arena, (size_t)count, sizeof *drives->muscles) : NULL;
  if (count && !drives->muscles)
    return dc_out_of_memory_for(error, "muscles");
  for (int i = 0; i < count && !status; i++) {
    struct dc_muscle *muscle = &drives->muscles[drives->muscle_count++];
    *muscle = (struct dc_muscle){.name = dc_arena_strdup(arena, given[i].name),
                                 .kind = (enum dc_muscle_kind)given[i].kind,
                                 .stiffness = isnan(given[i].stiffness) ? soft->young : given[i].stiffness};
    if (!muscle->name)
      return dc_out_of_memory_for(error, "muscles");
    if (!isnan(given[i].direction[0])) {
      dc_mat_apply(muscle->direction, rotation, given[i].direction);
      dc_vec_scale(muscle->direction, muscle->direction, 1 / dc_vec_norm(muscle->direction));
    }
    status = fill_muscle(&given[i], rotation, origin, soft, muscle, arena, error);
    if (!status && !muscle->sample_count)
      status = dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.muscles[%d]: there is no element in the box", soft->body, i);
    if (!status && muscle->kind == DC_MUSCLE_GROWTH)
      status = claim_growth(soft, i, arena, error);
  }
  return status;
}
