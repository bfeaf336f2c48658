// SPDX-License-Identifier: Apache-2.0
// Masses of the bodies of an MJCF model: those of <inertial>, or the sums over their geometries (volumes and inertias
// of solids in closed form), and what the compiler does to them.
#include <math.h>
#include <string.h>

#include "io/robot/mjcf_mass.h"
#include "io/robot/mjcf_reader.h"
#include "math/eigen6.h"
#include "math/rotation.h"
#include "math/vector.h"

// Volume and inertia of density 1 about the centre, in the primitive's axes.  Sizes are half lengths, as in the file.
static void primitive(const struct dc_mjcf_geom *geom, struct dc_solid *solid)
{
  const double *size = geom->size;
  switch (geom->type) {
  case DC_MJCF_SPHERE: dc_solid_capsule(size[0], 0, solid); break;
  case DC_MJCF_CAPSULE: dc_solid_capsule(size[0], size[1], solid); break;
  case DC_MJCF_CYLINDER: dc_solid_cylinder(size[0], size[1], solid); break;
  case DC_MJCF_ELLIPSOID: dc_solid_ellipsoid(size, solid); break;
  case DC_MJCF_BOX: dc_solid_box(size, solid); break;
  default: break;
  }
}

// The solid of a geometry.  A mesh is read here if it has not been yet; one without volume cannot have a mass
// by its density and is refused, unless its mass is on its surface.
static struct dc_solid solid_of(struct dc_mjcf_reader *reader, const struct dc_mjcf_geom *geom)
{
  struct dc_solid solid = {0};
  if (geom->type != DC_MJCF_MESH && geom->shell)
    dc_mjcf_shell(geom, &solid);
  else if (geom->type != DC_MJCF_MESH)
    primitive(geom, &solid);
  if (geom->type != DC_MJCF_MESH)
    return solid;
  struct dc_mjcf_mesh *mesh = &reader->model->assets.meshes[geom->mesh];
  enum dc_status status = dc_mjcf_need_mesh(reader->model, mesh);
  if (status)
    dc_mjcf_refuse(reader, mesh->node, status, "%.500s", mesh->message ? mesh->message : "out of memory");
  mesh->weighed |= mesh->inertia != DC_MJCF_CONVEX || geom->shell;
  if (status)
    return solid;
  if (geom->shell && mesh->inertia != DC_MJCF_SHELL) {
    dc_mjcf_mesh_shell(mesh, &solid);
    return solid;
  } else if (!(mesh->volume > 0))
    dc_mjcf_refuse(reader, mesh->node, DC_BAD_INPUT, "has no volume to take the mass of geometry from");
  solid.volume = mesh->volume;
  dc_vec_copy(solid.center, mesh->center);
  memcpy(solid.inertia, mesh->moment, sizeof solid.inertia);
  return solid;
}

// Whether a geometry adds to the mass of its body: its group is within the compiler's range, it has a finite
// extent, and its mass or density is not zero.
static bool counts(const struct dc_mjcf_reader *reader, const struct dc_mjcf_geom *geom)
{
  return geom->group >= reader->groups[0] && geom->group <= reader->groups[1] && geom->type != DC_MJCF_PLANE &&
         geom->type != DC_MJCF_HFIELD && geom->type != DC_MJCF_SDF &&
         (isnan(geom->mass) ? geom->density > 0 : geom->mass > 0);
}

// Mass, centre and inertia of a body by its geometries.  A given mass scales the geometry's density; otherwise density
// says the mass.
static void add_geometries(struct dc_mjcf_reader *reader, struct dc_mjcf_body *body)
{
  const struct dc_mjcf_geom *geoms = reader->model->geoms + body->first_geom;
  struct dc_solid_sum sum = {0};
  for (int g = 0; g < body->geoms && !reader->status; g++) {
    if (!counts(reader, &geoms[g]))
      continue;
    struct dc_solid solid = solid_of(reader, &geoms[g]);
    double mass = isnan(geoms[g].mass) ? geoms[g].density * solid.volume : geoms[g].mass;
    dc_solid_add(&sum, &solid, mass, geoms[g].pose.position, geoms[g].pose.rotation);
  }
  body->mass = sum.mass;
  if (body->mass > 0)
    dc_solid_finish(&sum, body->center, body->inertia);
}

// The moments in principal axes: each at least the bound, then all their mean where no body has them and balance is
// asked for.
static void bound_moments(const struct dc_mjcf_reader *reader, struct dc_mjcf_body *body)
{
  const double *own = body->inertia;
  const double matrix[9] = {own[0], own[3], own[4], own[3], own[1], own[5], own[4], own[5], own[2]};
  double values[3], vectors[9], sum[9] = {0}, total = 0, most = 0;
  bool low = false;
  dc_eigen3(matrix, values, vectors);
  for (int k = 0; k < 3; k++) {
    low |= values[k] < reader->bound_inertia;
    values[k] = fmax(values[k], reader->bound_inertia);
    total += values[k];
    most = fmax(most, values[k]);
  }
  bool odd = reader->balance && 2 * most > total * (1 + 1e-12);
  if (!low && !odd)
    return;
  for (int k = 0; k < 9; k++)
    for (int e = 0; e < 3; e++)
      sum[k] += (odd ? total / 3 : values[e]) * vectors[3 * (k / 3) + e] * vectors[3 * (k % 3) + e];
  memcpy(body->inertia, (double[6]){sum[0], sum[4], sum[8], sum[1], sum[2], sum[5]}, sizeof body->inertia);
}

// The compiler's steps in MuJoCo's order: sums over geometries where asked for; bounds of mass and moments;
// last the scale to "settotalmass", which includes what the bounds have added.  Fixed bodies are left out where
// masses are only filled in and no total counts them, so that meshes without volume are no error there.
void dc_mjcf_find_masses(struct dc_mjcf_reader *reader)
{
  struct dc_mjcf *model = reader->model;
  double total = 0;
  for (size_t b = 1; b < model->body_count && !reader->status; b++) {
    struct dc_mjcf_body *body = &model->bodies[b];
    if (reader->from_geoms == 1 || (reader->from_geoms == 2 && !body->inertial)) {
      if (body->still && reader->from_geoms == 2 && !(reader->total_mass > 0))
        continue;  // its mass never matters
      add_geometries(reader, body);
    }
    body->mass = fmax(body->mass, reader->bound_mass);
    if (reader->bound_inertia > 0 || reader->balance)
      bound_moments(reader, body);
    total += body->mass;
  }
  double scale = reader->total_mass > 0 && total > 0 ? reader->total_mass / total : 1;
  for (size_t b = 1; b < model->body_count && scale != 1; b++) {
    model->bodies[b].mass *= scale;
    for (int k = 0; k < 6; k++)
      model->bodies[b].inertia[k] *= scale;
  }
}
