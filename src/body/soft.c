// SPDX-License-Identifier: Apache-2.0
// Builds soft bodies and their frames: meshes placed in the world, pins, material, barriers; then starts, centres of
// mass and markers as weighted means of nodes; last the queries that the rest of the program asks.
#include "body/soft.h"

#include <limits.h>
#include <string.h>

#include "body/body_build.h"
#include "geometry/mesh/simplices_read.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/rotation.h"
#include "math/vector.h"

static const double OFF_SHEET = 1e-6;  // relative to a body's size: a marker farther from cloth or a rod is refused
enum { DEFAULT_CELLS = 4 };

// Moves the nodes from the mesh's frame to the world, where the body starts.
static void place_nodes(const struct dc_body_definition *definition, struct dc_simplices *mesh, double rotation[9])
{
  double quaternion[4], turned[3];
  memcpy(quaternion, definition->rotation, sizeof quaternion);
  dc_rotation_normalize(quaternion);
  dc_rotation_matrix(rotation, quaternion);
  for (int i = 0; i < mesh->node_count; i++) {
    dc_mat_apply(turned, rotation, mesh->nodes[i]);
    dc_vec_add(mesh->nodes[i], turned, definition->position);
  }
}

// Converts the option barrier, a length eps, to the inertia that contact uses.  The gap solves phi_eps(gap, r force) =
// 0 with r = step^2 / least mass of a node (paper 004, Eq. 4 and 14), so that gap times force is eps^2/(2 r).
static void set_barrier(struct dc_soft *soft, double length)
{
  double least = INFINITY;
  for (int i = 0; i < soft->node_count; i++)
    least = fmin(least, dc_soft_node_mass(soft, i));
  soft->barrier_inertia = length * length * least;
}

// The section argument of dc_elastic_create: 1, the thickness, or the area of a round bar.
static double section_of(const struct dc_soft_definition *given)
{
  double d = given->thickness;
  return given->type == DC_SOFT_SOLID ? 1 : given->type == DC_SOFT_CLOTH ? d : M_PI / 4 * d * d;
}

// Bending stiffness, unless given: E t^3/(12 (1 - nu^2)) of a plate, E pi d^4/64 of a round bar.
static double bending_of(const struct dc_soft_definition *given)
{
  double d = given->thickness;
  if (given->type == DC_SOFT_SOLID)
    return 0;
  if (!isnan(given->bending))
    return given->bending;
  return given->type == DC_SOFT_CLOTH ? given->young * d * d * d / (12 * (1 - given->poisson * given->poisson))
                                      : given->young * M_PI / 64 * d * d * d * d;
}

// The mesh of a body in its own frame, m: that of a file times the scale, or a grid: tetrahedra of a block, triangles
// of a sheet, pieces of a straight rod.
static enum dc_status make_mesh(const struct dc_soft_definition *given, struct dc_simplices *mesh,
                                struct dc_arena *arena, struct dc_error *error)
{
  long cells[3] = {DEFAULT_CELLS, DEFAULT_CELLS, DEFAULT_CELLS};
  if (given->file) {
    enum dc_status status = dc_simplices_read(given->file, given->type == DC_SOFT_SOLID ? 4 : 3, arena, mesh, error);
    for (int i = 0; i < mesh->node_count && !status; i++)
      dc_vec_scale(mesh->nodes[i], mesh->nodes[i], given->scale);
    return status;
  }
  for (int k = 0; k < given->cells.count; k++)
    cells[k] = lround(given->cells.values[k]);
  switch ((enum dc_soft_type)given->type) {
  case DC_SOFT_CLOTH: return dc_sheet_grid(mesh, given->size.values, cells, arena, error);
  case DC_SOFT_ROD: return dc_rod_grid(mesh, given->size.values[0], cells[0], arena, error);
  default:
    return dc_tetrahedra_grid(mesh, (enum dc_grid_form)given->form, given->size.values, cells, given->taper, arena,
                              error);
  }
}

// Puts a node in the middle of every edge: the mesh becomes that of eighths, and the elements have ten nodes.
static enum dc_status make_quadratic(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_quadratic *quadratic,
                                     struct dc_error *error)
{
  struct dc_simplices coarse = *mesh;
  return dc_tetrahedra_refine(&coarse, arena, mesh, quadratic, error);
}

// Default barrier of the surface: its range is a tenth of the shortest edge.  Its stiffness makes it resist, at about
// half of the range, a tenth of Young's modulus on the square of the mean edge, for cloth on the edge's section, for a
// rod on its own section.
static void set_surface_barrier(const struct dc_soft_definition *given, struct dc_soft *soft)
{
  double least = INFINITY, sum = 0;
  int corners = soft->mesh.corners == 2 ? 2 : 3;
  for (int t = 0; t < soft->mesh.triangle_count; t++)
    for (int k = 0; k < corners; k++) {
      const int *v = soft->mesh.triangles[t];
      double edge = dc_vec_distance(soft->mesh.nodes[v[k]], soft->mesh.nodes[v[(k + 1) % corners]]);
      least = fmin(least, edge);
      sum += edge;
    }
  double mean = sum / (corners * soft->mesh.triangle_count), section = soft->mesh.corners == 4 ? mean * mean
                                                                       : soft->mesh.corners == 3
                                                                           ? mean * given->thickness
                                                                           : section_of(given);
  soft->skin = 0.1 * least;
  soft->range = isnan(given->contact_range) ? soft->skin : given->contact_range;
  if (soft->mesh.corners < 4)
    soft->skin = fmax(soft->skin, given->thickness);
  soft->contact_stiffness =
      isnan(given->contact_stiffness) ? 0.1 * soft->young * section * soft->range : given->contact_stiffness;
  soft->self_contact = given->self_contact;
  soft->far_field = given->far_field;
}

// One soft body: its mesh; its pins, whose boxes are in the mesh's frame; nodes moved to the world, where pins hold
// them; the elastic energy of that rest shape; material and density; the barriers, which need masses of nodes.
static enum dc_status build_one(const struct dc_body_definition *definition, struct dc_soft *soft,
                                struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_soft_definition *given = definition->soft;
  struct dc_quadratic quadratic = {0};
  // Quadratic elements are made after the hollows and before pins and walls, which count the new nodes in the middles
  // of edges.
  double rotation[9], boxes[DC_DRIVES_MOST][2][3];
  enum dc_status status = make_mesh(given, &soft->mesh, arena, error);
  if (!status)
    status = dc_soft_drives_hollow(given, &soft->mesh, boxes, arena, error);
  if (!status && given->element == DC_ELEMENT_QUADRATIC)
    status = make_quadratic(&soft->mesh, arena, &quadratic, error);
  soft->drives.faces = (const int(*)[6])quadratic.faces;
  soft->node_count = soft->mesh.node_count;
  if (status) {
    dc_error_prefix(error, "bodies[%d].soft", soft->body);
    return status;
  }
  if ((status = dc_pins_collect(given, soft, arena, error)) ||
      (status = dc_soft_drives_collect(given, (const double(*)[2][3])boxes, soft, arena, error)))
    return status;
  place_nodes(definition, &soft->mesh, rotation);
  for (int p = 0; p < soft->pin_count; p++)
    dc_vec_copy(soft->pins[p].place, soft->mesh.nodes[soft->pins[p].node]);
  soft->held_by = -1;
  soft->touches_holder = definition->filter.parent;
  status = quadratic.elements
               ? dc_elastic_create_quadratic(&soft->elastic, &soft->mesh, quadratic.element_count,
                                             (const int(*)[DC_ELEMENT_NODES])quadratic.elements, arena, error)
               : dc_elastic_create(&soft->elastic, &soft->mesh, section_of(given), arena, error);
  if (status)
    return status;
  soft->material = (enum dc_material)given->material;
  soft->young = given->young;
  soft->poisson = given->poisson;
  soft->viscosity = given->viscosity;
  soft->bending = bending_of(given);
  soft->drag = given->drag;
  soft->pressure = given->pressure;
  soft->collide = definition->filter.collide;
  // A given mass is spread evenly over the rest volume, whatever a chamber has taken out of it.
  soft->density = !isnan(definition->mass)      ? definition->mass / soft->elastic.volume
                  : !isnan(definition->density) ? definition->density
                                                : DC_DEFAULT_DENSITY;
  set_barrier(soft, given->barrier);
  soft->friction_law = (enum dc_node_friction)given->friction_law;
  set_surface_barrier(given, soft);
  soft->velocity = dc_arena_alloc(arena, 3 * (size_t)soft->node_count, sizeof *soft->velocity);
  return soft->velocity ? dc_soft_drives_finish(given, rotation, definition->position, soft, arena, error)
                        : dc_out_of_memory_for(error, "a soft body");
}

// Only models whose energy stays finite can turn an element inside out; neo_hookean cannot, so its bodies are
// not looked at.
enum dc_status dc_soft_check_elements(const struct dc_bodies *bodies, const double *q, struct dc_error *error)
{
  for (int s = 0; s < bodies->soft_count; s++) {
    const struct dc_soft *soft = &bodies->soft[s];
    if (soft->mesh.corners < 4 || soft->material == DC_MATERIAL_NEO_HOOKEAN)
      continue;
    // Six times the signed volume is positive for the orientation of the rest mesh.
    const double(*nodes)[3] = (const double(*)[3])(q + soft->q_offset);
    for (int e = 0; e < soft->mesh.element_count; e++)
      if (!(dc_tetrahedron_volume6(nodes, soft->mesh.elements[e]) > 0))
        return dc_fail(error, DC_NUMERICAL,
                       "element %d of the soft body \"%.200s\" is inverted (those of neo_hookean never are)", e,
                       bodies->bodies[soft->body].name);
  }
  return DC_OK;
}

// For commands and files that know rigid bodies only; who names them in the message.
enum dc_status dc_bodies_check_rigid(const struct dc_bodies *bodies, const char *who, struct dc_error *error)
{
  if (bodies->soft_count)
    return dc_fail(error, DC_BAD_INPUT, "body \"%.255s\" is soft: %s here is of rigid bodies",
                   bodies->bodies[bodies->soft[0].body].name, who);
  if (bodies->cable_count)
    return dc_fail(error, DC_BAD_INPUT, "body \"%.255s\" is a cable: %s here is of rigid bodies",
                   bodies->bodies[bodies->cables[0].body].name, who);
  return DC_OK;
}

// Coordinates of nodes stand behind those of all joints, body by body, three each.
enum dc_status dc_soft_build(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                             struct dc_arena *arena, struct dc_error *error)
{
  int count = 0;
  bodies->first_node_q = bodies->nq;
  bodies->first_node_v = bodies->nv;
  for (int i = 0; i < bodies->count; i++)
    count += definitions[i].soft != NULL;
  if (!count)
    return DC_OK;
  bodies->soft = dc_arena_alloc(arena, (size_t)count, sizeof *bodies->soft);
  if (!bodies->soft)
    return dc_out_of_memory_for(error, "%d soft bodies", count);
  for (int i = 0; i < bodies->count; i++) {
    if (!definitions[i].soft)
      continue;
    struct dc_soft *soft = &bodies->soft[bodies->soft_count++];
    soft->body = i;
    enum dc_status status = build_one(&definitions[i], soft, arena, error);
    if (status)
      return status;
    if (soft->node_count > (INT_MAX - bodies->nq) / 3)
      return dc_fail(error, DC_MEMORY, "bodies: too many nodes");
    soft->first_element = bodies->element_count;
    bodies->element_count += soft->mesh.element_count;
    soft->q_offset = bodies->nq;
    soft->v_offset = bodies->nv;
    bodies->nq += 3 * soft->node_count;
    bodies->nv += 3 * soft->node_count;
    bodies->node_count += soft->node_count;
  }
  return DC_OK;
}

// Start and frames.

// Appends a support, and returns its arrays for the caller to fill: the point sum_k weights[k] x(places[k]) of count
// nodes, where places count numbers of coordinates from the first node on.
static enum dc_status add_support(struct dc_bodies *bodies, int body, int count, struct dc_arena *arena, int **places,
                                  double **weights, struct dc_error *error)
{
  *places = dc_arena_alloc(arena, (size_t)count, sizeof **places);
  *weights = dc_arena_alloc(arena, (size_t)count, sizeof **weights);
  if (!*places || !*weights)
    return dc_out_of_memory_for(error, "the frame of a soft body");
  bodies->supports[bodies->support_count++] = (struct dc_support){body, count, *places, *weights, 0};
  return DC_OK;
}

// Start of one soft body: its nodes and their velocities, which are those of a rigid motion about the centre of
// mass.  The body's frame is the mean of its nodes weighted by their volumes, and never turns.
static enum dc_status start_one(struct dc_bodies *bodies, const struct dc_body_definition *definition,
                                struct dc_soft *soft, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_body *body = &bodies->bodies[soft->body];
  double *weights, center[3] = {0}, spin[3], arm[3];
  int *places;
  enum dc_status status = add_support(bodies, soft->body, soft->node_count, arena, &places, &weights, error);
  if (status)
    return status;
  for (int i = 0; i < soft->node_count; i++) {
    weights[i] = soft->elastic.node_volumes[i] / soft->elastic.volume;
    places[i] = soft->v_offset - bodies->first_node_v + 3 * i;
    dc_vec_add_scaled(center, center, weights[i], soft->mesh.nodes[i]);
    dc_vec_copy(bodies->initial_q + soft->q_offset + 3 * i, soft->mesh.nodes[i]);
  }
  for (int i = 0; i < soft->node_count; i++) {
    dc_vec_sub(arm, soft->mesh.nodes[i], center);
    soft->radius = fmax(soft->radius, dc_vec_norm(arm));
    dc_vec_cross(spin, definition->angular_velocity, arm);
    dc_vec_add(soft->velocity + 3 * i, definition->velocity, spin);
  }
  if (dc_soft_drive_count(&soft->drives)) {
    body->actuator = bodies->actuator_count;
    bodies->actuator_count += dc_soft_drive_count(&soft->drives);
  }
  dc_vec_copy(body->start.position, center);
  memcpy(body->start.quaternion, (double[4]){1, 0, 0, 0}, sizeof body->start.quaternion);
  body->appearance.radius = soft->radius;
  return DC_OK;
}

// Places a marker: a point of the element that contains it, or of the one nearest to containing it.  Barycentric
// coordinates in the rest mesh become weights; the element is the one whose least coordinate is largest, which is
// negative outside by 1e-6 at most.  Points off a sheet or rod have coordinates too, those of their foot, and are
// left out by their distance.
static enum dc_status start_marker(struct dc_bodies *bodies, int index, const struct dc_soft *soft,
                                   struct dc_arena *arena, struct dc_error *error)
{
  const double *x = bodies->bodies[index].start.position;
  double *weights, best = -INFINITY;
  int *places, inside = 0, corners = soft->mesh.corners;
  enum dc_status status = add_support(bodies, index, corners, arena, &places, &weights, error);
  for (int e = 0; e < soft->mesh.element_count && !status; e++) {
    double coordinates[4], apart = dc_simplices_coordinates(&soft->mesh, e, x, coordinates), least = INFINITY;
    if (corners < 4 && apart > OFF_SHEET * soft->radius)
      continue;
    for (int k = 0; k < corners; k++)
      least = fmin(least, coordinates[k]);
    if (least > best)
      best = least, inside = e;
  }
  if (!status && best < -1e-6)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].position: must lie in the soft body \"%.255s\"", index,
                   bodies->bodies[soft->body].name);
  if (!status)
    dc_simplices_coordinates(&soft->mesh, inside, x, weights);
  for (int k = 0; k < corners && !status; k++)
    places[k] = soft->v_offset - bodies->first_node_v + 3 * soft->mesh.elements[inside][k];
  return status;
}

// The soft body that a body hangs on, by itself or by way of others; NULL: none.
static const struct dc_soft *soft_below(const struct dc_bodies *bodies, int body)
{
  const struct dc_soft *soft = NULL;
  for (int above = bodies->bodies[body].parent; above >= 0 && !soft; above = bodies->bodies[above].parent)
    soft = dc_soft_of(bodies, above);
  return soft;
}

// Gives a marker the mass that its definition asks for by mass or density.  A shape alone is there to be seen.
static void load_marker(struct dc_bodies *bodies, const struct dc_body_definition *definition)
{
  struct dc_support *support = &bodies->supports[bodies->support_count - 1];
  struct dc_body *body = &bodies->bodies[support->body];
  if (!isnan(definition->mass))
    support->mass = definition->mass;
  else if (!isnan(definition->density))
    support->mass = definition->density * body->shape->properties.volume;
  body->mass = support->mass;
}

// Soft bodies come before markers, whose places are found among the elements of the body they hang on.
enum dc_status dc_soft_start(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                             struct dc_arena *arena, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  if (!bodies->soft_count)
    return DC_OK;
  bodies->supports = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *bodies->supports);
  if (!bodies->supports)
    return dc_out_of_memory_for(error, "soft bodies");
  for (int s = 0; s < bodies->soft_count && !status; s++)
    status = start_one(bodies, &definitions[bodies->soft[s].body], &bodies->soft[s], arena, error);
  for (int i = 0; i < bodies->count && !status; i++) {
    const struct dc_soft *soft = soft_below(bodies, i);
    if (soft && !(status = dc_marker_check(&definitions[i], i, error)) &&
        !(status = start_marker(bodies, i, soft, arena, error)))
      load_marker(bodies, &definitions[i]);
  }
  return status;
}

// Queries.

// A scan over the soft bodies: scenes have few.
const struct dc_soft *dc_soft_of(const struct dc_bodies *bodies, int body)
{
  for (int s = 0; s < bodies->soft_count; s++)
    if (bodies->soft[s].body == body)
      return &bodies->soft[s];
  return NULL;
}

// A soft body moves by three numbers a node, a rigid one by the coordinates of its own joint.
int dc_body_freedoms(const struct dc_bodies *bodies, int body)
{
  const struct dc_soft *soft = dc_soft_of(bodies, body);
  return soft ? 3 * soft->node_count : bodies->bodies[body].nv;
}

int dc_body_first_freedom(const struct dc_bodies *bodies, int body)
{
  const struct dc_soft *soft = dc_soft_of(bodies, body);
  return soft ? soft->v_offset : bodies->bodies[body].v_offset;
}

// Frames on nodes move although their bodies belong to no mechanism.
bool dc_frame_moves(const struct dc_bodies *bodies, int body)
{
  return dc_body_moves(&bodies->bodies[body]) || dc_support_of(bodies, body);
}

// A frame on nodes has the Jacobian (0; w_k I), so that a target of its rotation would have no gradient.
enum dc_status dc_frame_check_turns(const struct dc_bodies *bodies, int body, const char *option,
                                    struct dc_error *error)
{
  const char *name = bodies->bodies[body].name;
  if (!dc_support_of(bodies, body))
    return DC_OK;
  return dc_fail(error, DC_BAD_INPUT,
                 dc_soft_of(bodies, body)
                     ? "%s: must turn (\"%.255s\" is soft: its frame is its centre of mass, which has no rotation)"
                     : "%s: must turn (\"%.255s\" is a point of a soft body, which has no rotation; two such points "
                       "tell of a direction)",
                 option, name);
}

// Whether a pair of a soft body and another one is ruled out by either side's options, or because the soft body
// is pinned to what holds it.
static bool excluded(const struct dc_bodies *bodies, const struct dc_soft *soft, int body)
{
  return !soft->collide || dc_index_list_holds(&bodies->except[soft->body], body) ||
         dc_index_list_holds(&bodies->except[body], soft->body) ||
         (!soft->touches_holder && soft->pin_count && dc_soft_is_held(bodies, soft, body));
}

// Nodes meet half-spaces only; all other surfaces are met by the triangles of the surface (dc_soft_meets).
bool dc_soft_touches(const struct dc_bodies *bodies, const struct dc_soft *soft, int body)
{
  return bodies->collide[body] && bodies->bodies[body].shape->type->half_space && !excluded(bodies, soft, body);
}

// Whether the surfaces of both can touch.  Of two soft bodies only the first of the pair says so, to count each
// pair once.
bool dc_soft_meets(const struct dc_bodies *bodies, const struct dc_soft *soft, int body)
{
  const struct dc_soft *other = dc_soft_of(bodies, body);
  if (other == soft)
    return soft->collide && soft->self_contact;
  if (excluded(bodies, soft, body))
    return false;
  return other ? other > soft && other->collide
               : bodies->collide[body] && dc_shape_has_surface(bodies->bodies[body].shape);
}

// Blocks of the Hessian: mechanisms first, then one of 3 for each node, in the order of v.
int dc_node_block(const struct dc_bodies *bodies, const struct dc_soft *soft, int node)
{
  return bodies->mechanism_count + (soft->v_offset - bodies->first_node_v) / 3 + node;
}

// Every two nodes of an element, or of a bending stencil, are coupled; pairs repeat between neighbours, and the
// matrix keeps each once.  With pairs NULL only their number is counted, for the memory of the second call.
long dc_soft_list_edges(const struct dc_bodies *bodies, int (*pairs)[2])
{
  long count = 0;
  for (int s = 0; s < bodies->soft_count; s++) {
    const struct dc_soft *soft = &bodies->soft[s];
    for (int e = 0; e < dc_elastic_stencil_count(&soft->elastic); e++) {
      int corners;
      const int *nodes = dc_elastic_stencil(&soft->elastic, e, &corners);
      for (int a = 0; a < corners; a++)
        for (int b = 0; b < a; b++, count++)
          if (pairs) {
            pairs[count][0] = dc_node_block(bodies, soft, nodes[a]);
            pairs[count][1] = dc_node_block(bodies, soft, nodes[b]);
          }
    }
  }
  count += dc_pins_list_pairs(bodies, pairs ? pairs + count : NULL);
  return count + dc_cables_list_pairs(bodies, pairs ? pairs + count : NULL);
}

// Position of each support, the weighted mean of its nodes; its rotation stays as it is.
void dc_support_poses(const struct dc_bodies *bodies, const double *q, struct dc_pose *poses)
{
  const double *nodes = q + bodies->first_node_q;
  for (int s = 0; s < bodies->support_count; s++) {
    const struct dc_support *support = &bodies->supports[s];
    double *position = poses[support->body].position;
    memset(position, 0, 3 * sizeof *position);
    for (int k = 0; k < support->count; k++)
      dc_vec_add_scaled(position, position, support->weights[k], nodes + support->places[k]);
  }
}

// The velocity of a frame is the weighted mean of those of its nodes; its angular velocity is 0.
void dc_support_twists(const struct dc_bodies *bodies, const double *tangent, double (*twists)[6])
{
  const double *nodes = tangent + bodies->first_node_v;
  for (int s = 0; s < bodies->support_count; s++) {
    const struct dc_support *support = &bodies->supports[s];
    double *twist = twists[support->body];
    memset(twist, 0, 6 * sizeof *twist);
    for (int k = 0; k < support->count; k++)
      dc_vec_add_scaled(twist + 3, twist + 3, support->weights[k], nodes + support->places[k]);
  }
}

// A force on the frame acts on its nodes by their weights; moments have nothing to act on.
void dc_support_pull_back(const struct dc_bodies *bodies, const double (*wrenches)[6], double *gradient)
{
  double *nodes = gradient + bodies->first_node_v;
  for (int s = 0; s < bodies->support_count; s++) {
    const struct dc_support *support = &bodies->supports[s];
    const double *force = wrenches[support->body] + 3;
    if (force[0] == 0 && force[1] == 0 && force[2] == 0)
      continue;
    for (int k = 0; k < support->count; k++) {
      double *at = nodes + support->places[k];
      dc_vec_add_scaled(at, at, support->weights[k], force);
    }
  }
}
