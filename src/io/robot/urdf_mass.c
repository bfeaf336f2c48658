// SPDX-License-Identifier: Apache-2.0
// Mass, centre and inertia of a link's body: those of the file, repaired where no body has them; else those of its
// collision geometry.
//
// Boxes, cylinders, capsules, balls and ellipsoids have the masses of the solids that the file means (solids.h), not of
// the prisms and polyhedra that stand for them in contact.  Each has the density that it, its link or the include
// gives, else 1000 kg/m^3.  With a mesh among them the scene finds the mass, by the volume of the shape.
#include <math.h>
#include <stdio.h>

#include "base/notes.h"
#include "io/robot/solids.h"
#include "io/robot/urdf_build.h"

static const double USUAL_DENSITY = 1000;  // kg/m^3, of bodies of a scene

// Mass, its centre and the inertia as the policy wants it.  Without an inertia the body has that of its solid.
static void put_inertia(struct dc_urdf_builder *builder, cJSON *body, const struct dc_urdf_link *link, bool solid,
                        int place)
{
  struct dc_urdf_remarks *remarks = &builder->remarks;
  double inertia[6], change = 0;
  dc_urdf_link_inertia(link, inertia);
  bool repair = builder->use->inertia == DC_URDF_INERTIA_REPAIR, by_shape = false;
  if (builder->use->inertia == DC_URDF_INERTIA_SHAPE && solid)
    by_shape = true;
  else if (repair && !dc_urdf_repair_inertia(inertia, &change)) {
    by_shape = solid;
    dc_urdf_remember(builder, solid ? &remarks->solid : &remarks->tiny, link->name);
    for (int k = 0; k < 6; k++)  // a ball of 1 cm where there is no solid
      inertia[k] = k < 3 ? 0.4e-4 * link->mass : 0;
  } else if (change > 0) {
    dc_urdf_remember(builder, &remarks->repaired, link->name);
    remarks->most_change = fmax(remarks->most_change, change);
  }
  dc_urdf_put_number(builder, body, "mass", link->mass, place);
  dc_urdf_put_numbers(builder, body, "center_of_mass", link->inertial.position, 3, place);
  if (!by_shape)
    dc_urdf_put_numbers(builder, body, "inertia", inertia, 6, place);
}

// The solid of a geometry; false for a mesh.
static bool solid_of(const struct dc_urdf_geometry *geometry, struct dc_solid *solid)
{
  const double *size = geometry->size;
  switch (geometry->type) {
  case DC_URDF_BOX: dc_solid_box((double[3]){size[0] / 2, size[1] / 2, size[2] / 2}, solid); return true;
  case DC_URDF_ELLIPSOID: dc_solid_ellipsoid(size, solid); return true;
  case DC_URDF_CYLINDER: dc_solid_cylinder(geometry->radius, geometry->length / 2, solid); return true;
  case DC_URDF_CAPSULE: dc_solid_capsule(geometry->radius, geometry->length / 2, solid); return true;
  case DC_URDF_SPHERE: dc_solid_capsule(geometry->radius, 0, solid); return true;
  default: return false;
  }
}

// Sums the collisions of a link; false with a mesh among them, or without any.  density: that of the sum, NAN for
// several.
static bool sum_solids(const struct dc_urdf_builder *builder, const struct dc_urdf_link *link, double usual,
                       struct dc_solid_sum *sum, double *density)
{
  bool first = true;
  for (int i = link->first_geometry; i < link->first_geometry + link->geometries; i++) {
    const struct dc_urdf_geometry *geometry = &builder->urdf->geometries[i];
    double own = geometry->density > 0 ? geometry->density : usual;
    struct dc_solid solid;
    if (geometry->visual)
      continue;
    if (!solid_of(geometry, &solid))
      return false;
    dc_solid_add(sum, &solid, own * solid.volume, geometry->origin.position, geometry->origin.rotation);
    *density = first || own == *density ? own : NAN;
    first = false;
  }
  return sum->mass > 0;
}

// Whether a joint moves the link, or one that it is fixed to.
static bool is_moved(const struct dc_urdf_builder *builder, int link)
{
  const struct dc_urdf_joint *joint;
  for (; (joint = dc_urdf_joint_to(builder->urdf, link)); link = joint->parent)
    if (!dc_urdf_joint_is_fixed(joint))
      return true;
  return builder->use->base != NULL;
}

// The words are those of scene_notes.c, which tells of the bodies whose mass the scene finds.
static enum dc_status note_mass(struct dc_urdf_builder *builder, const cJSON *body, double mass, double density)
{
  char densities[64] = "their densities";
  if (!isnan(density))
    snprintf(densities, sizeof densities, "%g kg/m^3", density);
  return dc_notes_add(builder->use->notes,
                      "\"%s\": the file gives no mass: it has %.4g kg, those of its collision geometry at %s "
                      "(\"density\" of the include)",
                      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "name")), mass, densities);
}

// The cases in order: a mass of the file, with inertia by the include's policy; a link that moves and has solids
// alone, whose mass is their sum; a density, by which the scene finds the mass of the shape.  Links that stand still
// need none.
enum dc_status dc_urdf_put_mass(struct dc_urdf_builder *builder, cJSON *body, int index, int place)
{
  const struct dc_urdf_link *link = &builder->urdf->links[index];
  double density = isnan(link->density) ? builder->use->density : link->density, center[3], inertia[6];
  double usual = isnan(link->usual_density) ? builder->use->density : link->usual_density;
  struct dc_solid_sum sum = {0};
  if (link->weightless)
    dc_urdf_put_number(builder, body, "buoyancy", 1, place);
  if (link->mass > 0) {
    put_inertia(builder, body, link, cJSON_HasObjectItem(body, "shape"), place);
  } else if (is_moved(builder, index) &&
             sum_solids(builder, link, isnan(usual) ? USUAL_DENSITY : usual, &sum, &density)) {
    dc_solid_finish(&sum, center, inertia);
    dc_urdf_put_number(builder, body, "mass", sum.mass, place);
    dc_urdf_put_numbers(builder, body, "center_of_mass", center, 3, place);
    dc_urdf_put_numbers(builder, body, "inertia", inertia, 6, place);
    return note_mass(builder, body, sum.mass, density);
  } else if (!isnan(density)) {
    dc_urdf_put_number(builder, body, "density", density, place);
  }
  if (link->densities)
    dc_urdf_remember(builder, &builder->remarks.densities, link->name);
  return DC_OK;
}
