// SPDX-License-Identifier: Apache-2.0
// How the slips of hulls on a plane depend on the poses at time t (plane_slip.h): the answer of the plane's motion,
// then what each vertex's slip and its variation pass on.
#include "contact/friction/hull_pull.h"

// All that pulling one sliding pair back needs, before the answer of its plane is known.
struct dc_hull_pull dc_hull_pull_of(const struct dc_hull_slips *slips, size_t index,
                                    const struct dc_friction_motion *motion, struct dc_friction_sides *sides)
{
  const struct dc_sliding_hulls *sliding = &slips->sliding_pairs[index];
  struct dc_hull_pull pull = {.sliding = sliding,
                              .vertices = slips->vertices + sliding->first,
                              .motion = motion,
                              .sides = sides,
                              .plane = {.e2 = motion->smoothing * motion->smoothing, .time_step = motion->time_step},
                              .drag = slips->drag};
  dc_vec_copy(pull.plane.z, sliding->motion);
  return pull;
}

// Place in the plane, velocity over the interval and variation of vertex v by the twists of its body.
static void read_vertex(const struct dc_hull_pull *pull, int v, struct dc_plane_vertex *vertex)
{
  int x = dc_hull_pull_side(pull, v);
  dc_vec_copy(vertex->place, pull->vertices[v].local);
  dc_plane_vertex_velocity(pull->motion, x, pull->sliding->axes, pull->vertices[v].arm, pull->sides->twist[x],
                           vertex->velocity, vertex->variation);
}

// The plane's motion z is a minimum of D.  Its answer to variations x' of the vertices is zeta = Z^-1 sum E^T K x'
// (plane_slip.h), Z with the drag on the spin.
void dc_hull_pull_answer(struct dc_hull_pull *pull)
{
  double matrix[3][3] = {[2][2] = pull->drag}, g[3] = {0, 0, 0};
  for (int v = 0; v < pull->sliding->count; v++) {
    struct dc_plane_vertex vertex;
    read_vertex(pull, v, &vertex);
    dc_plane_add_answer(&vertex, &pull->plane, pull->vertices[v].weight, matrix, g);
  }
  dc_hull_factor_motion(matrix);
  dc_hull_solve_motion((const double(*)[3])matrix, g, pull->plane.zeta);
}

// Derivatives by the slip of one vertex: a = dG/dr and b = dG/dr', and those by its place x and by the normal n.
double dc_hull_pull_slip(const struct dc_hull_pull *pull, int v, double x[2], double n[2], double a[2], double b[2])
{
  double size, weight = pull->sliding->strength * pull->vertices[v].weight;
  struct dc_plane_vertex vertex;
  read_vertex(pull, v, &vertex);
  double product = dc_plane_through_slips(&vertex, &pull->plane, weight, x, n, a, b, &size);
  return weight * (product / size + pull->drag * pull->plane.z[2] * pull->plane.zeta[2]);
}
