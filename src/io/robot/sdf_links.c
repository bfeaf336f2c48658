// SPDX-License-Identifier: Apache-2.0
// Links of SDF: mass, collisions and visuals.  By the specification a link without <inertial> has 1 kg and an inertia
// of 1 kg m^2; planes become links of their own, as they are no part of a solid.
#include <math.h>
#include <string.h>

#include "io/robot/sdf_reader.h"
#include "io/scene/scene_format.h"
#include "math/rotation.h"
#include "math/vector.h"

// Numbers that are missing are those of the unit matrix, kg m^2, as the specification has it.
// inertia [6]: in the order xx, yy, zz, xy, xz, yz; about the centre of mass, in the axes of <inertial>'s pose.
static enum dc_status read_inertia(struct dc_sdf_reader *reader, struct dc_xml_element *inertial,
                                   struct dc_urdf_link *link)
{
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  struct dc_xml_element *inertia = dc_xml_child(inertial, "inertia");
  enum dc_status status = DC_OK;
  for (int i = 0; i < 6; i++) {
    link->inertia[i] = i < 3 ? 1 : 0;
    if (!status && inertia)
      status = dc_sdf_child_numbers(reader, inertia, names[i], 1, &link->inertia[i]);
    if (!status && !isfinite(link->inertia[i]))
      status = dc_xml_fail(inertia, reader->error, DC_BAD_INPUT, "must be finite");
  }
  return status;
}

// The density of a collision, kg/m^3: its own, else that of the link's <inertial>.  The first collision speaks for
// links with meshes; another one of a later collision is remembered in `densities`, for a warning.
static enum dc_status read_density(struct dc_sdf_reader *reader, struct dc_xml_element *collision,
                                   struct dc_urdf_link *link)
{
  double density = link->usual_density;
  enum dc_status status = dc_sdf_child_numbers(reader, collision, "density", 1, &density);
  if (status)
    return status;
  if (!isnan(density) && !(density > 0 && density <= 1e6))
    return dc_xml_fail(collision, reader->error, DC_BAD_INPUT, "density must be above 0 and at most 1e6 (is %.10g)",
                       density);
  bool first = collision == dc_xml_child(collision->parent, "collision");
  link->densities |= !first && density != link->density && !(isnan(density) && isnan(link->density));
  if (first)
    link->density = density;
  return DC_OK;
}

// Mass, pose and inertia.  auto="true" leaves the mass at 0, so that densities apply: that of the collision, else that
// given here, else the include's.  With a mass of its own the inertia stays 0, for which that of the geometry is taken.
static enum dc_status read_inertial(struct dc_sdf_reader *reader, struct dc_xml_element *element,
                                    const struct dc_sdf_frame *frame, int index, struct dc_urdf_link *link)
{
  struct dc_xml_element *inertial = dc_xml_child(element, "inertial");
  bool own = !dc_sdf_is_true(dc_xml_attribute(inertial, "auto")), massive = dc_xml_child(inertial, "mass");
  enum dc_status status = DC_OK;
  if (!own) {
    status = dc_sdf_child_numbers(reader, inertial, "density", 1, &link->usual_density);
    for (struct dc_xml_element *one = dc_xml_child(element, "collision"); one && !status; one = dc_xml_again(one))
      status = read_density(reader, one, link);
  }
  if (status || (!own && !massive))
    return status;  // no mass: that of the collision geometry
  link->mass = 1;
  link->supposed = !massive || (own && !dc_xml_child(inertial, "inertia"));
  if (inertial)
    status = dc_sdf_child_numbers(reader, inertial, "mass", 1, &link->mass);
  if (!status && !(link->mass >= 0 && link->mass <= DC_URDF_MOST_NUMBER))
    status = dc_xml_fail(inertial, reader->error, DC_BAD_INPUT, "mass must be >= 0 kg (is %.10g)", link->mass);
  if (!status && inertial)
    status = dc_sdf_pose_in_link(reader, inertial, frame->scope, index, &link->inertial);
  return status || !own ? status : read_inertia(reader, inertial, link);
}

// NULL: too many, or out of memory; error says which.
static struct dc_urdf_geometry *begin_geometry(struct dc_sdf_reader *reader, size_t offset, bool visual)
{
  struct dc_urdf *urdf = reader->urdf;
  if (urdf->geometry_count == DC_URDF_MOST_SHAPES) {
    dc_fail(reader->error, DC_BAD_INPUT, "%.300s: more than %d <collision> and <visual>", urdf->name,
            DC_URDF_MOST_SHAPES);
    return NULL;
  }
  if (dc_grow(&urdf->geometries, &urdf->geometry_capacity, urdf->geometry_count + 1, sizeof *urdf->geometries)) {
    dc_sdf_no_memory(reader);
    return NULL;
  }
  struct dc_urdf_geometry *geometry = &urdf->geometries[urdf->geometry_count++];
  *geometry =
      (struct dc_urdf_geometry){.offset = offset, .visual = visual, .origin = dc_urdf_identity, .scale = {1, 1, 1}};
  return geometry;
}

// Relative paths are relative to the folder of the file that names them; others, as model://, are resolved
// later.
static enum dc_status read_mesh(struct dc_sdf_reader *reader, struct dc_xml_element *mesh, const char *folder,
                                struct dc_urdf_geometry *geometry)
{
  const char *uri = dc_sdf_text(mesh, "uri");
  geometry->type = DC_URDF_MESH;
  if (!uri || !*uri)
    return dc_xml_fail(mesh, reader->error, DC_BAD_INPUT, "missing <uri>");
  bool plain = uri[0] == '/' || strstr(uri, "://");
  geometry->file = plain ? uri : dc_arena_printf(reader->arena, "%s/%s", folder, uri);
  if (!geometry->file)
    return dc_sdf_no_memory(reader);
  enum dc_status status = dc_sdf_child_numbers(reader, mesh, "scale", 3, geometry->scale);
  for (int i = 0; i < 3 && !status; i++)
    if (!(isfinite(geometry->scale[i]) && geometry->scale[i] != 0))
      status = dc_xml_fail(mesh, reader->error, DC_BAD_INPUT, "scale must be finite and not zero");
  return status;
}

// Lengths in metres, NAN: not given.  One of zero leaves no surface: the geometry is empty, which is no error.
static enum dc_status check_lengths(struct dc_sdf_reader *reader, const struct dc_xml_element *element,
                                    struct dc_urdf_geometry *geometry, const double *lengths, int count)
{
  for (int i = 0; i < count; i++) {
    geometry->empty |= lengths[i] == 0;
    if (!(lengths[i] >= 0 && isfinite(lengths[i])))
      return dc_xml_fail(element, reader->error, DC_BAD_INPUT, "lengths must be given and >= 0 (is %.10g)", lengths[i]);
  }
  return DC_OK;
}

// A plane is turned so that its normal is z.
// The turn about z is free, as planes have no other direction. (1 + n.z, -n.y, n.x, 0) is the shortest one and
// vanishes for n = -z only.
static enum dc_status read_plane(struct dc_sdf_reader *reader, struct dc_xml_element *plane,
                                 struct dc_urdf_geometry *geometry)
{
  double n[3] = {0, 0, 1}, turn[4];
  geometry->type = DC_URDF_PLANE;
  enum dc_status status = dc_sdf_child_numbers(reader, plane, "normal", 3, n);
  dc_xml_child(plane, "size");
  if (status)
    return status;
  double norm = dc_vec_norm(n);
  if (!(norm > 0 && isfinite(norm)))
    return dc_xml_fail(plane, reader->error, DC_BAD_INPUT, "normal must not be zero");
  dc_vec_scale(n, n, 1 / norm);
  // The half-way quaternion from z to n; upside down: half a turn about x.
  turn[0] = 1 + n[2], turn[1] = -n[1], turn[2] = n[0], turn[3] = 0;
  if (turn[0] < 1e-12)
    turn[0] = 0, turn[1] = 1, turn[2] = 0;
  dc_rotation_normalize(turn);
  dc_rotation_multiply(geometry->origin.rotation, geometry->origin.rotation, turn);
  return DC_OK;
}

// The shape of a <geometry>: the first of the kinds in this order, with Drake's names for two of them.  Lengths
// that are not given stay NAN and are refused.
static enum dc_status read_surface(struct dc_sdf_reader *reader, struct dc_xml_element *given, const char *folder,
                                   struct dc_urdf_geometry *geometry)
{
  struct dc_xml_element *one;
  enum dc_status status = DC_OK;
  geometry->radius = geometry->length = geometry->size[0] = geometry->size[1] = geometry->size[2] = NAN;
  if ((one = dc_xml_child(given, "mesh")))
    return read_mesh(reader, one, folder, geometry);
  if ((one = dc_xml_child(given, "plane")))
    return read_plane(reader, one, geometry);
  if ((one = dc_xml_child(given, "box")) || (one = dc_xml_child(given, "ellipsoid")) ||
      (one = dc_xml_child(given, "drake:ellipsoid"))) {
    bool box = strcmp(one->name, "box") == 0, drake = one->name[0] == 'd';
    geometry->type = box ? DC_URDF_BOX : DC_URDF_ELLIPSOID;
    if (!drake)
      status = dc_sdf_child_numbers(reader, one, box ? "size" : "radii", 3, geometry->size);
    for (int k = 0; k < 3 && drake && !status; k++)
      status = dc_sdf_child_numbers(reader, one, (const char *[]){"a", "b", "c"}[k], 1, &geometry->size[k]);
    return status ? status : check_lengths(reader, one, geometry, geometry->size, 3);
  }
  bool sphere = (one = dc_xml_child(given, "sphere")) != NULL;
  geometry->type = sphere ? DC_URDF_SPHERE : DC_URDF_CYLINDER;
  if (!one)
    one = dc_xml_child(given, "cylinder");
  if (!one) {
    geometry->type = DC_URDF_CAPSULE;
    if (!(one = dc_xml_child(given, "capsule")))
      one = dc_xml_child(given, "drake:capsule");
  }
  if (!one)
    return dc_xml_fail(given, reader->error, DC_BAD_INPUT,
                       "must hold a box, sphere, cylinder, capsule, ellipsoid, plane or mesh (holds <%.40s>)",
                       given->first ? given->first->name : "nothing");
  status = dc_sdf_child_numbers(reader, one, "radius", 1, &geometry->radius);
  if (!status && !sphere)
    status = dc_sdf_child_numbers(reader, one, "length", 1, &geometry->length);
  if (!status)
    status = check_lengths(reader, one, geometry, &geometry->radius, 1);
  return status || sphere ? status : check_lengths(reader, one, geometry, &geometry->length, 1);
}

// The diffuse colour, else the ambient one.  Files give three or four numbers, so that the first try is made
// quietly.
// Components are clamped to 0 to 1, and opacity is not kept. A failure is reported
// by the try with four numbers.
static enum dc_status read_color(struct dc_sdf_reader *reader, struct dc_xml_element *visual,
                                 struct dc_urdf_geometry *geometry)
{
  struct dc_xml_element *material = dc_xml_child(visual, "material"), *color = dc_xml_child(material, "diffuse");
  double rgba[4];
  if (!color && !(color = dc_xml_child(material, "ambient")))
    return DC_OK;
  struct dc_error ignored = {0};
  struct dc_sdf_reader quiet = *reader;
  quiet.error = &ignored;
  if (dc_sdf_numbers(&quiet, color, 4, rgba) && dc_sdf_numbers(&quiet, color, 3, rgba))
    return dc_sdf_numbers(reader, color, 4, rgba);
  for (int i = 0; i < 3; i++)
    geometry->rgb[i] = fmin(fmax(rgba[i], 0), 1);
  geometry->colored = true;
  return DC_OK;
}

// Coulomb's coefficient of a collision, NAN without: Drake's, or that of ODE along the first direction.  Another one
// along the second is named. ODE's default is 1 where <ode> stands without <mu>. Infinite friction becomes 100, steeper
// than any slope that matters. What differs (a second direction, a static coefficient) is left unmarked, so that it is
// named among what was not used.
static enum dc_status read_friction(struct dc_sdf_reader *reader, struct dc_xml_element *collision, double *mu)
{
  struct dc_xml_element *drake = dc_xml_child(collision, "drake:proximity_properties");
  struct dc_xml_element *ode = dc_xml_child(dc_xml_child(dc_xml_child(collision, "surface"), "friction"), "ode");
  struct dc_xml_element *across = dc_xml_child(ode, "mu2"), *rest = dc_xml_child(drake, "drake:mu_static");
  double second = NAN, still = NAN;
  *mu = NAN;
  enum dc_status status = drake ? dc_sdf_child_numbers(reader, drake, "drake:mu_dynamic", 1, mu) : DC_OK;
  if (!status && rest && !(status = dc_sdf_numbers(reader, rest, 1, &still))) {
    *mu = isnan(*mu) ? still : *mu;
    rest->used = still == *mu;
  }
  if (!status && *mu < 0)
    return dc_xml_fail(drake, reader->error, DC_BAD_INPUT, "friction must be >= 0 (is %.10g)", *mu);
  if (!status && ode && isnan(*mu)) {
    *mu = 1;  // by the specification
    status = dc_sdf_child_numbers(reader, ode, "mu", 1, mu);
  }
  if (!status && across && !(status = dc_sdf_child_numbers(reader, ode, "mu2", 1, &second)))
    across->used = second == *mu;
  // below 0 it is infinite, as Gazebo reads it
  if (!status && (*mu < 0 || isinf(*mu)))
    *mu = 100;
  return status;
}

// Files write all bits as 32 ones, too.
static bool is_mask(double number)
{
  return number >= 0 && number <= 4294967295.0 && number == floor(number);
}

// Whom a collision touches, in bit masks of 16 bits, all by default; one without contact forces touches nothing unless
// it has a mask.  The first collision of a link speaks for it. Masks of up to 32 bits are taken, of which the lower 16
// are kept. Without a category the mask is both.
static enum dc_status read_masks(struct dc_sdf_reader *reader, struct dc_xml_element *collision,
                                 struct dc_urdf_link *link)
{
  struct dc_xml_element *contact = dc_xml_child(dc_xml_child(collision, "surface"), "contact");
  const char *sensed = contact ? dc_sdf_text(contact, "collide_without_contact") : NULL;
  double mask = dc_sdf_is_true(sensed) ? 0 : DC_URDF_ALL_BITS, category = NAN;
  enum dc_status status = contact ? dc_sdf_child_numbers(reader, contact, "collide_bitmask", 1, &mask) : DC_OK;
  if (contact && !status)
    status = dc_sdf_child_numbers(reader, contact, "category_bitmask", 1, &category);
  if (status)
    return status;
  if (isnan(category))
    category = mask;
  if (!is_mask(mask) || !is_mask(category))
    return dc_xml_fail(contact, reader->error, DC_BAD_INPUT,
                       "bit masks must be whole numbers from 0 to 4294967295, of which the lowest 16 bits act");
  unsigned own = (unsigned)mask & DC_URDF_ALL_BITS, is = (unsigned)category & DC_URDF_ALL_BITS;
  bool first = collision == dc_xml_child(collision->parent, "collision");
  link->masks |= !first && (own != link->mask || is != link->category);
  if (first)
    link->mask = own, link->category = is;
  return DC_OK;
}

// A plane stands on a link of its own, fixed to this one.
// It takes the last geometry from the link, with the pose that it had there, which becomes the fixed joint's origin.
// Friction, masks and model are inherited, so that contacts are those of the link.
static enum dc_status move_plane(struct dc_sdf_reader *reader, int link)
{
  struct dc_urdf *urdf = reader->urdf;
  struct dc_urdf_geometry *geometry = &urdf->geometries[urdf->geometry_count - 1];
  char *name = dc_arena_printf(reader->arena, "%s:plane%zu", urdf->links[link].name, urdf->link_count);
  if (!name || dc_grow(&urdf->links, &urdf->link_capacity, urdf->link_count + 1, sizeof *urdf->links) ||
      dc_grow(&urdf->joints, &urdf->joint_capacity, urdf->joint_count + 1, sizeof *urdf->joints))
    return dc_sdf_no_memory(reader);
  struct dc_urdf_link own = dc_urdf_new_link(name, geometry->offset);
  own.first_geometry = (int)urdf->geometry_count - 1;
  own.geometries = 1;
  own.friction = urdf->links[link].friction;
  own.drakes_friction = urdf->links[link].drakes_friction;
  own.model = urdf->links[link].model;
  own.still = urdf->links[link].still;
  own.self_collide = urdf->links[link].self_collide;
  own.category = urdf->links[link].category;
  own.mask = urdf->links[link].mask;
  struct dc_urdf_joint joint = dc_urdf_new_joint(name, geometry->offset);
  joint.type = DC_URDF_FIXED;
  joint.origin = geometry->origin;
  joint.parent_name = urdf->links[link].name;
  joint.child_name = name;
  geometry->origin = dc_urdf_identity;
  urdf->links[urdf->link_count++] = own;
  urdf->joints[urdf->joint_count++] = joint;
  return DC_OK;
}

// One <collision> or <visual>; planes: whether this pass wants planes or everything else.  Planes come last,
// since they open new links, and geometries of one link must follow each other.  A visual that cannot be read
// is left out, a collision is an error.
static enum dc_status read_geometry(struct dc_sdf_reader *reader, struct dc_xml_element *element, int frame, int link,
                                    bool visual, bool planes)
{
  const struct dc_sdf_scope *scope = reader->frames[frame].scope;
  struct dc_urdf *urdf = reader->urdf;
  struct dc_xml_element *given = dc_xml_child(element, "geometry");
  struct dc_urdf_pose pose;
  double mu = NAN;
  if (!given && visual)  // shows nothing
    return DC_OK;
  if (!given)
    return dc_xml_fail(element, reader->error, DC_BAD_INPUT, "missing <geometry>");
  bool plane = dc_xml_child(given, "plane") != NULL;
  if (plane != planes || (plane && visual) || dc_xml_child(given, "empty"))
    return DC_OK;
  enum dc_status status = dc_sdf_pose_in_link(reader, element, scope, frame, &pose);
  struct dc_urdf_geometry *geometry = status ? NULL : begin_geometry(reader, dc_sdf_offset(scope, element), visual);
  if (!geometry)
    return reader->error->status;
  geometry->origin = pose;
  geometry->scenery = scope->is_static;
  status = read_surface(reader, given, scope->folder, geometry);
  if (status && visual) {  // what only is to be seen is left out
    status = DC_OK;
    geometry->empty = true;
  }
  if (!status)
    status = visual ? read_color(reader, element, geometry) : read_friction(reader, element, &mu);
  if (!status && !visual)
    status = dc_sdf_child_numbers(reader, element, "density", 1, &geometry->density);
  if (!status && !visual)
    status = read_masks(reader, element, &urdf->links[link]);
  if (status)
    return status;
  struct dc_urdf_link *owner = &urdf->links[link];
  if (!isnan(mu) && !isnan(owner->friction) && owner->friction != mu)
    owner->frictions = true;
  if (!isnan(mu) && isnan(owner->friction)) {
    owner->friction = mu;
    owner->drakes_friction = dc_xml_child(element, "drake:proximity_properties") != NULL;
  }
  if (plane)
    return move_plane(reader, link);
  if (geometry->empty)
    urdf->geometry_count--;
  else
    owner->geometries++;
  owner->emptied |= geometry->empty && !visual;
  return DC_OK;
}

// A link of the model with its inertia and geometry.  Planes may append further links on the way, so the link
// is found by its index, not by a pointer.
enum dc_status dc_sdf_read_link(struct dc_sdf_reader *reader, int index)
{
  struct dc_urdf *urdf = reader->urdf;
  struct dc_sdf_frame frame = reader->frames[index];
  char quoted[DC_JSON_QUOTED];
  if (urdf->link_count == DC_URDF_MOST_LINKS)
    return dc_xml_fail(frame.element, reader->error, DC_BAD_INPUT, "more than %d links", DC_URDF_MOST_LINKS);
  if (!dc_is_name(frame.name) || strcmp(frame.name, "world") == 0)
    return dc_xml_fail(frame.element, reader->error, DC_BAD_INPUT, "name " DC_NAME_RULE ", nor \"world\" (is %s)",
                       dc_json_quote(quoted, frame.name));
  if (dc_grow(&urdf->links, &urdf->link_capacity, urdf->link_count + 1, sizeof *urdf->links))
    return dc_sdf_no_memory(reader);
  int link = (int)urdf->link_count++;
  reader->frames[index].link = link;
  struct dc_urdf_link made = dc_urdf_new_link(frame.name, dc_sdf_offset(frame.scope, frame.element));
  made.first_geometry = (int)urdf->geometry_count;
  const char *collides = dc_sdf_text(frame.element, "self_collide");
  made.model = frame.scope->model;
  made.still = frame.scope->is_static;
  made.self_collide = collides ? dc_sdf_is_true(collides) : frame.scope->self_collide;
  const char *gravity = dc_sdf_text(frame.element, "gravity");
  made.weightless = gravity && !dc_sdf_is_true(gravity);
  enum dc_status status = read_inertial(reader, frame.element, &frame, index, &made);
  urdf->links[link] = made;
  for (int planes = 0; planes < 2 && !status; planes++)
    for (int visual = 0; visual < 2 && !status; visual++)
      for (struct dc_xml_element *one = dc_xml_child(frame.element, visual ? "visual" : "collision"); one && !status;
           one = dc_xml_again(one))
        status = read_geometry(reader, one, index, link, visual, planes);
  return status;
}
