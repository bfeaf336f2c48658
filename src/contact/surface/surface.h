// SPDX-License-Identifier: Apache-2.0
// Contact of the surfaces of soft bodies with those of rigid and of soft bodies, themselves included (docs/theory.md,
// "Soft bodies").
//
// Every vertex against every triangle and every edge against every edge, within a range, has the barrier of incremental
// potential contact (Li et al. 2020, Eq. 6 and 24) of the distance of the two,
//     kappa m(c) b(d).
// Such a pair is a touch: four vertices x_v, of a node or of a rigid body each, energy, force and Hessian by their
// places; who owns the vertices takes these to coordinates.  Friction acts on what touched at time t, at the points
// that were closest then.
#ifndef DC_CONTACT_SURFACE_H
#define DC_CONTACT_SURFACE_H

#include "body/path.h"
#include "geometry/convex/distance.h"

struct dc_surface_contact;

// The first `first` vertices belong to body[0], the others to body[1]: a point and a triangle (1), or two edges (2).
struct dc_touch {
  int body[2], first;
  int pair;       // of surfaces: touches of one stand together
  int vertex[4];  // nodes of soft bodies, vertices of the mesh of rigid ones
  double stiffness, range;
  double threshold;           // of the mollifier of edges, m^4
  double x[4][3], arm[4][3];  // places, and arms about the centre of a rigid body, world axes, m
  struct dc_closest closest;  // r from body[1] to body[0]
};

static inline int dc_touch_body(const struct dc_touch *touch, int vertex)
{
  return touch->body[vertex >= touch->first];
}

// A sliding contact from t to t+1: a touch at t with its friction.
struct dc_sliding_contact {
  struct dc_touch touch;  // at t
  double normal[3];       // from body[1] to body[0]
  double force;           // normal, N
  double strength;        // coefficient times what friction gets of it, N
  double width;           // way over which friction sets in, m
  double direction[3];    // of the force, y <= 1, as Newton's iterates follow it (sliding.c)
  bool followed;          // false: not yet, and it is that of the slip
  double by_distance,
      by_parallel;  // derivatives of the logarithm of the normal force by distance, 1/m, and by c, 1/m^4
};

// *contact is NULL where no surface touches another.  DC_BAD_INPUT where the range of a soft body is not below the
// least distance of parts of its own surface; DC_MEMORY.
enum dc_status dc_surface_contact_create(const struct dc_bodies *bodies, struct dc_surface_contact **contact,
                                         struct dc_error *error);
void dc_surface_contact_destroy(struct dc_surface_contact *contact);

// Finds what touches at q, where frames are at poses; -1 when out of memory, else 0.
int dc_surface_evaluate(struct dc_surface_contact *contact, const double *q, const struct dc_pose *poses);
// Results of the last evaluation: touches; their energy, J, INFINITY where surfaces meet; the least distance, m, or the
// least range where none is below it.
const struct dc_touch *dc_surface_touches(const struct dc_surface_contact *contact, size_t *count);
double dc_surface_energy(const struct dc_surface_contact *contact);
double dc_surface_gap(const struct dc_surface_contact *contact);
// The least distance below which surfaces are looked at, m.
double dc_surface_range(const struct dc_surface_contact *contact);

// Keeps the touches of the last evaluation until the next call; -1 when out of memory.  They are dc_surface_held.
int dc_surface_hold(struct dc_surface_contact *contact);
const struct dc_touch *dc_surface_held(const struct dc_surface_contact *contact, size_t *count);

// Gradient [4][3] of the energy of a touch by its vertices and, unless it is NULL, Hessian [12][12].
void dc_touch_derivatives(const struct dc_touch *touch, double (*gradient)[3], double (*hessian)[12]);

// Makes sliding contacts of the touches of the last evaluation, with coefficients [bodies], until the next call;
// smoothing m/s, time_step s.  -1 when out of memory.
int dc_surface_friction_begin(struct dc_surface_contact *contact, const double *coefficients, double smoothing,
                              double time_step);
// Force of a touch from body[1] to body[0], N.
void dc_touch_force(const struct dc_touch *touch, double force[3]);
// How many pairs of surfaces there may be between bodies.
int dc_surface_pair_count(const struct dc_bodies *bodies);
// Multiplies the strength of sliding contact number k.
void dc_surface_friction_scale(struct dc_surface_contact *contact, size_t k, double factor);
const struct dc_sliding_contact *dc_surface_sliding_contacts(const struct dc_surface_contact *contact, size_t *count);
// Places [4][3] at the last evaluation of the vertices of a touch, and arms [4][3] of those of rigid bodies.
void dc_surface_places(const struct dc_surface_contact *contact, const struct dc_touch *touch, double (*x)[3],
                       double (*arm)[3]);
// Energy, J, dissipated by a sliding contact whose vertices are at x [4][3] now, and its gradient [4][3] and Hessian
// [12][12] by x; either may be NULL.  iterate: the Hessian with the direction of Newton's iterates instead.
double dc_sliding_derivatives(const struct dc_sliding_contact *sliding, const double (*x)[3], bool iterate,
                              double (*gradient)[3], double (*hessian)[12]);
// Moves the direction that Newton's iterates have for the friction of the k-th sliding contact, for a move of its
// vertices from x [4][3] by varied [4][3].
void dc_surface_friction_move(struct dc_surface_contact *contact, size_t k, const double (*x)[3],
                              const double (*varied)[3]);
// The derivative of (gradient . varied), varied [4][3], by the places at t at fixed x, added to out [4][3]; returns
// gradient . varied.
double dc_sliding_pull_back(const struct dc_sliding_contact *sliding, const double (*x)[3], const double (*varied)[3],
                            double (*out)[3]);
// The derivative of weight times the normal force by the places at t, added to out [4][3].
void dc_sliding_force_pull_back(const struct dc_sliding_contact *sliding, double weight, double (*out)[3]);

// Motion, from where contact was evaluated last along a path: nodes on straight lines, frames as path says.

// How far surfaces may certainly go without any two meeting, leaving a tenth of gaps within range; at most 1.
double dc_surface_safe_fraction(struct dc_surface_contact *contact, const struct dc_path *path);
// Whether nothing meets all along the path; else two bodies for which that is not certain.
bool dc_surface_path_clear(struct dc_surface_contact *contact, const struct dc_path *path, int bodies[2]);
// Whether surfaces cross, or one is inside of another, at the last evaluation; then of which bodies.
bool dc_surface_overlap(struct dc_surface_contact *contact, int bodies[2]);

#endif
