// SPDX-License-Identifier: Apache-2.0
// Contact between bodies: energies, wrenches and Hessian blocks of all body pairs of one pose.
//
// A contact model sees colliders (geometry fixed in a frame) and the poses of the frames, never joints.  Each pair
// of bodies (a, b) has an energy that depends on the relative pose only.  It is differentiated with respect to the
// twist (w, t) of body a about its frame's origin c_a,
//     x -> c_a + exp([w]x) (x - c_a) + t,
// 6 gradient and 21 Hessian numbers per pair; dc_contact_expand_* turn them into twists of both frames (method of
// paper 000 in the scale-free form of docs/theory.md, "Pairs of bodies").
#ifndef DC_CONTACT_CONTACT_H
#define DC_CONTACT_CONTACT_H

#include <stdbool.h>

#include "base/options.h"
#include "body/path.h"

// CONTACT: as CONSISTENT, but triangles of fixed bodies count by the contact that they bear (docs/theory/contact.md,
// "Scale").  AUTOMATIC: not chosen yet (dynamics/contact_scale.h).
enum dc_contact_weights { DC_WEIGHTS_CONSISTENT, DC_WEIGHTS_PAPER, DC_WEIGHTS_CONTACT, DC_WEIGHTS_AUTOMATIC };
// The convex parts of a body for sdrs.  PARTS: those of its shape (dc_shape's parts; a convex mesh is one), and every
// triangle of a shape without parts for itself.  TRIANGLES: every triangle of any shape.
enum dc_contact_hulls { DC_HULLS_PARTS, DC_HULLS_TRIANGLES };

// Settings of all models, each of which reads what its option table has; dc_contact_options has all rows.
struct dc_contact_settings {
  double stiffness;           // mu (ipc: kappa), J
  double blend;               // epsilon of the hierarchy
  double near_range;          // reach of pairs of bodies without a far field beyond the spheres of their nodes, m
  double length;              // length unit of the potential, m
  int weights;                // enum dc_contact_weights
  bool offset;                // the paper's constant 12 per term
  double reference_area;      // m^2 that weighs 1 on fixed bodies; NAN: mean surface of the movable bodies
  double friction;            // coefficient of bodies that do not set their own
  double friction_smoothing;  // e, m/s
  double restitution;         // of bodies that do not set their own, in [0, 1]; NAN: 1
  double opening_speed;       // that counts as none to restitution, m/s
  bool on_time;               // bounces are given the way back that they lost (docs/theory.md, "Restitution")
  double friction_range;  // friction of triangle pairs is full up to this gap and ends at twice it, m; NAN: no limit
  double dhat;            // ipc: distance at which its barrier begins, m
  double support;         // sdrs: s of its barrier, in units of length
  int hulls;              // sdrs: enum dc_contact_hulls
  double smoothing;       // manifold: of edges of polyhedra and of 1/distance, m; NAN: 2e-3 of the size of the body
  double wall;            // manifold: where its barrier begins, m; NAN: 2e-2 of the least size of a body
  long edges;             // manifold: edges of each body that meet those of others; 0: vertices only
  struct dc_string_list automatic;  // settings that were chosen, not given, as "model.setting"
};

extern const struct dc_option dc_contact_options[];

// SHAPES: derivatives by the places of contact's points in their bodies, of friction too.
// SURFACES: contact sees the triangles, which keep their corners when vertices move; models without see convex parts.
// LEANING: forces may leave the cone of the directions between points of two bodies (paper 000, Eq. 2): normals are
// those of smoothed distances.
// LEVELS: bodies have signed distances, which follow vertices that move (geometry/shapes/shape_follow.h).
// FOREIGN: no potential of ours but a stepper that brings its own contact (dynamics/stepper.h).
enum dc_contact_flags {
  DC_CONTACT_TWICE_DIFFERENTIABLE = 1,
  DC_CONTACT_LONG_RANGE = 2,
  DC_CONTACT_FRICTION = 4,
  DC_CONTACT_FOREIGN = 8,
  DC_CONTACT_SHAPES = 16,
  DC_CONTACT_SURFACES = 32,
  DC_CONTACT_LEANING = 64,
  DC_CONTACT_LEVELS = 128
};

struct dc_contact_methods;  // private to src/contact

struct dc_contact_model {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  unsigned flags;
  bool hierarchical;  // sum over the sphere trees with blending; false: all triangle pairs
  bool local;         // no terms from afar, as near_only has it for single pairs; tests set it in a copy of bsh
  const struct dc_contact_methods *methods;
};

extern const struct dc_contact_model *const dc_contact_models[];  // NULL-terminated
const struct dc_contact_model *dc_contact_model_find(const char *name);
// Names of models that only other builds have, NULL-terminated: scenes may hold overlays for them.
extern const char *const dc_contact_models_not_built[];
bool dc_contact_model_not_built(const char *name);

// Derivatives of one body pair's potential P (not yet multiplied by the stiffness) for a twist of body a.
struct dc_pair_derivatives {
  double energy;
  double gradient[6];  // dP/d(w, t)
  double hessian[21];  // lower triangle, row by row
  double arm[3];       // c_a - c_b at the pose of evaluation, m
  bool radial;         // one centred term only: hessian projection has a closed form
  bool central;        // of two balls about their origins: P depends on |arm| alone, so that no torque acts
  bool idle;           // nothing acts: no force and no Hessian
};

struct dc_contact_counts {
  long exact, centred, visited;  // triangle pairs solved, centred terms, node pairs visited in the last evaluation
};

// One contact problem: colliders of a set of bodies and a workspace for one caller at a time.
struct dc_contact;

// Colliders are built once from the bodies' meshes; everything is owned by the result.  NULL and *error on failure.
struct dc_contact *dc_contact_create(const struct dc_contact_model *model, const struct dc_contact_settings *settings,
                                     const struct dc_bodies *bodies, struct dc_error *error);
// The same for a design.  The bodies' shapes have the triangles of those of start; the vertices are elsewhere where
// follow [bodies] says so (NULL: of all bodies).  Trees, weights and the descent are those of start.  Radii of bodies
// that follow are smooth (geometry/bounding/sphere_tree.h), also where nothing has moved.  Of models with
// DC_CONTACT_SURFACES; for others, and with start NULL, it is dc_contact_create.  former: NULL, or a contact of the
// same model, settings, start and follow for another design of the same bodies.  What has not changed is copied from
// it; results are the same to the bit.
struct dc_contact *dc_contact_create_following(const struct dc_contact_model *model,
                                               const struct dc_contact_settings *settings,
                                               const struct dc_bodies *bodies, const struct dc_bodies *start,
                                               const bool *follow, const struct dc_contact *former,
                                               struct dc_error *error);
void dc_contact_destroy(struct dc_contact *contact);

// The body pairs that interact: pairs with at least one movable body, in fixed order; pairs [count][2], body a is
// always movable.
int dc_contact_pair_count(const struct dc_contact *contact);
const int (*dc_contact_pairs(const struct dc_contact *contact))[2];
// How many convex leaves contact sees a body as; 0: as triangles, a half-space or nothing.
int dc_contact_leaves(const struct dc_contact *contact, int body);
// Whether contact of a model with these settings sees the leaves of shapes that have some, unless shapes follow a
// design.
bool dc_contact_sees_leaves(const struct dc_contact_model *model, const struct dc_contact_settings *settings);

// Forgets warm starts, so that the next evaluations do not depend on earlier ones.
void dc_contact_reset(struct dc_contact *contact);

// Evaluates all pairs at poses [bodies]: order 0 energy, 1 and gradient, 2 and Hessian, into pairs [pair_count].
// Returns the sum of the energies (without stiffness; INFINITY when anything intersects).  Same bits for any number
// of threads.
double dc_contact_evaluate(struct dc_contact *contact, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *pairs);
// Evaluates one pair alone, on one thread: returns its energy and sets its entry of pairs.  Other pairs keep what the
// last evaluation left.
double dc_contact_evaluate_pair(struct dc_contact *contact, const struct dc_pose *poses, int pair, int order,
                                struct dc_pair_derivatives *pairs);

// A lower bound of the smallest distance between any two bodies at the poses of the last evaluation, m: the sum of
// the smallest distances of two triangles to their plane for exact pairs, from the spheres for the others.  0 when
// anything intersects.
double dc_contact_min_gap(const struct dc_contact *contact);
double dc_contact_pair_gap(const struct dc_contact *contact, int pair);
// The distances themselves, m: of the surfaces of a pair, and the smallest of any two bodies; 0 when anything
// intersects.  Models whose surfaces are level sets do not know them and return the bounds.
double dc_contact_pair_distance(const struct dc_contact *contact, int pair);
double dc_contact_distance(const struct dc_contact *contact);
// The distance where it is cheap, between convex bodies of few vertices, else the lower bound.
double dc_contact_pair_near_distance(const struct dc_contact *contact, int pair);
double dc_contact_near_distance(const struct dc_contact *contact);
// Whether every separating plane of the last evaluation reached its tolerance; otherwise Hessians lack the pairs that
// did not, and no gradient may rest on them.
bool dc_contact_solved(const struct dc_contact *contact);
struct dc_contact_counts dc_contact_last_counts(const struct dc_contact *contact);

// The largest fraction of the path, in [0, 1], on which certainly no two surfaces meet; 1 when all of it is safe.  Two
// calls find it: the first gives an upper bound from the closest triangles, at a fraction of the cost, the second
// the fraction itself, which needs that bound.  The path must start at the poses of the last evaluation.
double dc_contact_nearest_fraction(struct dc_contact *contact, const struct dc_path *path);
double dc_contact_safe_fraction_within(struct dc_contact *contact, const struct dc_path *path, double nearest);
// Whether certainly no two surfaces meet on the whole path; gaps may shrink to a billionth of those at its beginning.
// Otherwise *pair is the first pair (index into dc_contact_pairs) for which that is not certain, -1 when the path is
// not finite.  The path must start at the poses of the last evaluation, at which nothing
// meets.
bool dc_contact_path_clear(struct dc_contact *contact, const struct dc_path *path, int *pair);
// The same of a motion whose ends alone are given: where the path is not clear free bodies go to its end along helices.
// The path is left as it was judged.
bool dc_contact_motion_clear(struct dc_contact *contact, struct dc_path *path, int *pair);

// A bound on a motion.  A point of body a (at arm_a from its frame's origin, world axes) and one of body b may approach
// each other along normal, which points from b to a, by at most room (m):
//     normal . ((t_a + w_a x arm_a) - (t_b + w_b x arm_b)) >= -room,      (w, t): motions of the frames.
// Where the normal turns with one of the bodies, both points are at the place of the other body's point.
enum dc_axis_motion { DC_AXIS_STAYS, DC_AXIS_OF_A, DC_AXIS_OF_B, DC_AXIS_MOTIONS };
struct dc_gap_bound {
  int a, b;
  enum dc_axis_motion axis;
  double normal[3], arm_a[3], arm_b[3];
  double straight, room;  // > 0, m: the room on a straight way, and on the path, whose curve adds to it or takes from it
  double missed;          // part of the gap by which the motion at hand misses the bound
};
// Sets the room anew for another path from the same poses.
void dc_gap_bound_bend(struct dc_gap_bound *bound, const struct dc_path *path);
// Bounds that a motion along the path violates.  Each pair of near triangles shall keep the part `keep` of its gap
// along the normal of its separating plane, which stays or turns with one of them, whichever leaves most.  Each vertex
// above a half space shall keep that part of its height.  Of every pair of bodies only the bound that is violated most
// is returned; of more than `capacity` such bounds those violated most.  Returns their number.  The path must start at
// the poses of the last evaluation.  Contact models without separating planes of triangles bound motions above half
// spaces only.
int dc_contact_gap_bounds(struct dc_contact *contact, const struct dc_path *path, double keep,
                          struct dc_gap_bound *bounds, int capacity);

// The potential of one gap that a motion changes strongly (docs/theory/steps.md, "Bent steps"), over the stiffness: E.
// The gradient of E is for the twists of both frames, three turns, 1/rad, and shifts, 1/m, of a, then of b.  The change
// is that of E by the motion to first order, over E.
struct dc_contact_barrier {
  int pair;
  double energy, change, size;  // size: what the choice goes by
  double gradient[12];
};
// Lists the barriers that a motion of the frames along twists [bodies] changes by more than `least`; of more than
// `capacity` those that a parabola misses by most.  poses must be those of the last evaluation.  Returns their number;
// 0 for models other than bsh and exact, which sum no planes.
int dc_contact_barriers(const struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6],
                        double least, struct dc_contact_barrier *barriers, int capacity);

// Derivatives by points: the same potential as a function of all points of the bodies, instead of the poses that place
// them.  Points are the vertices of the meshes, for sdrs those of its hulls, hull by hull.  Weights of the terms,
// sphere trees, radii and spreads of their nodes stay as they are; the centres of nodes move with their triangles.  A
// rigid body's derivatives are 6 + 21 numbers; here they are a force for every point and a product with the velocities
// of all points (docs/theory.md, "Points").  All functions below take all pairs at the poses of the last evaluation, in
// world axes, without stiffness.
//
// Whether the model has them: all but manifold and bsh with the weights of the paper do.
bool dc_contact_has_points(const struct dc_contact *contact);
// Whether the model has dc_contact_point_rates.  manifold does, too: its points also place the level sets of signed
// distances.
bool dc_contact_has_point_rates(const struct dc_contact *contact);
// How many points a body has, and their places about the origin of its frame, in its axes, m (owned by contact).
int dc_contact_point_count(const struct dc_contact *contact, int body);
const double (*dc_contact_point_places(const struct dc_contact *contact, int body))[3];
// -dP/dx_v, 1/m, added to forces[body][point_count], of those terms alone whose gap is at most reaches[pair], m;
// reaches NULL: of all.  A term's gap is a lower bound of the distance of two triangles, of two hulls, of a vertex from
// a primitive, of the spheres around two groups of triangles.  DC_OK, DC_MEMORY, or DC_NUMERICAL when something
// crosses.
enum dc_status dc_contact_near_forces(struct dc_contact *contact, const struct dc_pose *poses, const double *reaches,
                                      double (*const *forces)[3], struct dc_error *error);
// Derivatives of scale dP/dt by the places of the points in their bodies' axes, dP/dt the rate of P along twists
// [bodies] of the frames, each about its origin.  Added to by_point[body][point_count], 1/m per unit; by_point[body]
// NULL: not wanted.  Of bsh and exact only bodies that follow a design (dc_contact_create_following) get theirs, and
// derivatives by radii and spreads of nodes are noted for dc_contact_take_sizes.  DC_OK, DC_MEMORY, or DC_NUMERICAL
// when something crosses.
enum dc_status dc_contact_point_rates(struct dc_contact *contact, const struct dc_pose *poses,
                                      const double (*twists)[6], double scale, double (*const *by_point)[3],
                                      struct dc_error *error);
// Adds what dc_contact_point_rates and dc_contact_friction_pull_back have noted to points[body][point_count], as
// derivatives by the places of the points in their bodies' axes.  NULL: drops it; points[body] NULL: not wanted.
void dc_contact_take_sizes(struct dc_contact *contact, double (*const *points)[3]);

// Whether bodies touch, overlap or contain each other at poses: the first offending pair in *pair (index into
// dc_contact_pairs), in *depth a lower bound, m, of the shortest translation that parts them; 0 when none is at hand.
bool dc_contact_overlap(struct dc_contact *contact, const struct dc_pose *poses, int *pair, double *depth);
// Sets overlaps [pair_count]: whether the bodies of a pair touch, overlap or contain each other at poses.
void dc_contact_overlaps(struct dc_contact *contact, const struct dc_pose *poses, bool *overlaps);
// Whether all bodies are certainly apart at poses, rounding counted in: between every two near triangles stands a plane
// that leaves more than the rounding of their places on either side.  Otherwise the first pair of which that is not
// certain, and its least separation, m: negative when it crosses, 0 when one is inside of the other.
bool dc_contact_certainly_apart(struct dc_contact *contact, const struct dc_pose *poses, int *pair, double *separation);
// A better bound for the pair that dc_contact_overlap has found at the same poses, often the depth itself; takes up to
// a second.  0 when they only touch or nothing is known.
double dc_contact_overlap_depth(const struct dc_contact *contact, const struct dc_pose *poses, int pair);

// Gradient [12] for the twists (w_a, t_a, w_b, t_b) of both frames, each about its own origin.
void dc_contact_expand_gradient(const struct dc_pair_derivatives *pair, double gradient[12]);
// Hessian blocks [6][6] in the same coordinates: h_aa, h_ab (rows a, columns b; h_ba is its transpose), h_bb; h_ab
// and h_bb NULL when b does not move.  exact: the true one; otherwise a positive semidefinite one: the relative 6x6
// projected, the second-order part of the expansion dropped.
void dc_contact_expand_hessian(const struct dc_pair_derivatives *pair, bool exact, double h_aa[6][6], double h_ab[6][6],
                               double h_bb[6][6]);
// The same of a pair that is central: h_aa and h_bb are h for shifts and zero for turns, h_ab is -h.
void dc_contact_central_hessian(const struct dc_pair_derivatives *pair, bool exact, double h[3][3]);

#endif
