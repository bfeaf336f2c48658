// SPDX-License-Identifier: Apache-2.0
// Primitives that an MJCF file fits to meshes, in the frame of the mesh's principal axes (z along the longest).
//
// By default a primitive has the half sides of the box with the mesh's inertia,
//     a_k = sqrt(6 (I_i + I_j - I_k) / (4 V)),
// about its centre of mass: the mean of the three for a sphere, of the first two for the radius of a capsule or a
// cylinder; a capsule's half length is less by half its radius.  With "fitaabb" it is the box around the vertices
// instead, about the middle of that, as MuJoCo 3 has it.  A sphere has its longest half side, a capsule or a cylinder
// the longer of the first two as radius, and a capsule is no longer than the box.  Sizes are multiplied by "fitscale".
#include <math.h>
#include <string.h>

#include "io/robot/mjcf_reader.h"
#include "math/eigen6.h"
#include "math/rotation.h"
#include "math/vector.h"

// Principal axes as columns of matrix [9], moments from the largest on.
static void principal(const struct dc_mjcf_mesh *mesh, double moments[3], double matrix[9])
{
  const double *own = mesh->moment;
  const double tensor[9] = {own[0], own[3], own[4], own[3], own[1], own[5], own[4], own[5], own[2]};
  double values[3], vectors[9], z[3];
  int order[3] = {0, 1, 2};
  dc_eigen3(tensor, values, vectors);
  for (int k = 0; k < 2; k++)
    for (int e = 0; e < 2 - k; e++)
      if (values[order[e]] < values[order[e + 1]]) {
        int swapped = order[e];
        order[e] = order[e + 1];
        order[e + 1] = swapped;
      }
  for (int k = 0; k < 3; k++) {
    moments[k] = values[order[k]];
    for (int i = 0; i < 3; i++)
      matrix[3 * i + k] = vectors[3 * i + order[k]];
  }
  dc_vec_cross(z, (double[3]){matrix[0], matrix[3], matrix[6]}, (double[3]){matrix[1], matrix[4], matrix[7]});
  for (int i = 0; i < 3; i++)
    matrix[3 * i + 2] = z[i];
}

// A vertex in the principal frame about the mesh's centre.
static void local(const struct dc_mjcf_mesh *mesh, const double matrix[9], int v, double x[3])
{
  double offset[3];
  dc_vec_sub(offset, mesh->vertices[v], mesh->center);
  dc_mat_apply_transposed(x, matrix, offset);
}

// The box around the vertices: half sides and middle.
static void surround(const struct dc_mjcf_mesh *mesh, const double matrix[9], double half[3], double middle[3])
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, x[3];
  for (int v = 0; v < mesh->vertex_count; v++) {
    local(mesh, matrix, v, x);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], x[k]);
      high[k] = fmax(high[k], x[k]);
    }
  }
  for (int k = 0; k < 3; k++) {
    half[k] = 0.5 * (high[k] - low[k]);
    middle[k] = 0.5 * (high[k] + low[k]);
  }
}

// Sizes and middle of the primitive by the box around the vertices, in the principal frame ("fitaabb").
static void fit_box_around(const struct dc_mjcf_mesh *mesh, const double matrix[9], struct dc_mjcf_geom *geom,
                           double middle[3])
{
  double half[3];
  surround(mesh, matrix, half, middle);
  memcpy(geom->size, half, sizeof half);
  if (geom->type == DC_MJCF_SPHERE)
    geom->size[0] = fmax(half[0], fmax(half[1], half[2]));
  if (geom->type == DC_MJCF_CAPSULE || geom->type == DC_MJCF_CYLINDER) {
    geom->size[0] = fmax(half[0], half[1]);
    geom->size[1] = geom->type == DC_MJCF_CYLINDER ? half[2] : fmax(0, half[2] - geom->size[0]);
  }
}

// Sizes of the primitive with the mesh's inertia.  The moments are those of density 1, so the mesh's volume
// stands for the mass.  sqrt of less than 0, which thin shells give by rounding, counts as 0.
static void fit_inertia(const struct dc_mjcf_mesh *mesh, const double moments[3], struct dc_mjcf_geom *geom)
{
  double half[3], sum = moments[0] + moments[1] + moments[2];
  for (int k = 0; k < 3; k++)
    half[k] = sqrt(fmax(0, 1.5 * (sum - 2 * moments[k]) / mesh->volume));
  memcpy(geom->size, half, sizeof half);
  if (geom->type == DC_MJCF_SPHERE)
    geom->size[0] = (half[0] + half[1] + half[2]) / 3;
  if (geom->type == DC_MJCF_CAPSULE || geom->type == DC_MJCF_CYLINDER) {
    geom->size[0] = 0.5 * (half[0] + half[1]);
    geom->size[1] = geom->type == DC_MJCF_CYLINDER ? half[2] : fmax(0, half[2] - 0.5 * geom->size[0]);
  }
}

// Gives a primitive its size and composes its pose with that of the fitted frame: principal axes, and their
// origin at the middle found above.
void dc_mjcf_fit(struct dc_mjcf_reader *reader, const struct dc_mjcf_mesh *mesh, struct dc_mjcf_geom *geom)
{
  double moments[3], matrix[9], middle[3] = {0, 0, 0};
  struct dc_urdf_pose place;
  if (!(mesh->volume > 0)) {
    dc_mjcf_refuse(reader, geom->node, DC_BAD_INPUT, "a primitive is fitted to a mesh without volume");
    return;
  }
  principal(mesh, moments, matrix);
  if (reader->fit_boxes)
    fit_box_around(mesh, matrix, geom, middle);
  else
    fit_inertia(mesh, moments, geom);
  for (int k = 0; k < 3; k++)
    geom->size[k] *= geom->fit;
  double axes[6] = {matrix[0], matrix[3], matrix[6], matrix[1], matrix[4], matrix[7]};
  dc_mjcf_axes(reader, geom->node, axes, place.rotation);
  dc_mat_apply(place.position, matrix, middle);
  dc_vec_add(place.position, place.position, mesh->center);
  dc_urdf_pose_compose(&geom->pose, &geom->pose, &place);
}
