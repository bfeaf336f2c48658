// SPDX-License-Identifier: Apache-2.0
// Soft bodies: their state is the positions of their nodes, three numbers each, whose tangents are plain differences.
//
// In q and in tangent vectors nodes follow the coordinates of all joints, node by node; each is a block of its own in
// Hessians, behind the mechanisms.  A soft body has no joint, so that rigid code passes over it.  Its frame is a point
// of the material, a weighted mean of nodes without rotation,
//
//     c = sum_k w_k x_k,   J = [0; w_k I].
//
// The frame of a soft body is its centre of mass; a body fixed to a soft one is a marker, a point of one element.  Thus
// objectives, recordings and tables, which speak of bodies, apply to soft ones, too.
#ifndef DC_BODY_SOFT_H
#define DC_BODY_SOFT_H

#include "base/options.h"
#include "body/soft_drives.h"
#include "elastic/elastic.h"

struct dc_bodies;
struct dc_body_definition;
struct dc_pose;

// Nodes held at their places at the start by springs, in the world or on a body; the option table is dc_pin_options.
struct dc_pin_definition {
  double low[3], high[3];  // box of the mesh's frame, m
  double stiffness;        // of every node, N/m
  int body;                // that holds them; -1: the parent, or the world
};
#define DC_PIN_STIFFNESS 1e6  // N/m, where none is given
#define DC_SOFT_THICKNESS 1e-3  // m, and Poisson's ratio
#define DC_SOFT_POISSON 0.3

// Law of friction against half-spaces (dynamics/slip.c).
enum dc_node_friction { DC_NODE_FRICTION_SMOOTH, DC_NODE_FRICTION_FISCHER_BURMEISTER };

// Shape functions of a solid's elements: 4 nodes, or 10.
enum dc_soft_element { DC_ELEMENT_LINEAR, DC_ELEMENT_QUADRATIC };

enum dc_soft_type { DC_SOFT_SOLID, DC_SOFT_CLOTH, DC_SOFT_ROD };

// kg/m^3, of bodies, soft or not, that are given neither density nor mass
#define DC_DEFAULT_DENSITY 1000.0

// "soft" of a body; the option table is dc_soft_options.
struct dc_soft_definition {
  int type;                         // enum dc_soft_type
  int form;                         // enum dc_grid_form
  int element;                      // enum dc_soft_element
  const char *file;                 // a mesh instead of a form, or NULL
  double scale;                     // of the file's lengths
  struct dc_real_list size, cells;  // 3, 2 or 1 numbers by type
  double taper, thickness;          // thickness: of cloth, diameter of rods, m
  double bending;                   // N m or N m^2; NAN: by the material
  int material;                     // enum dc_material
  double young, poisson, viscosity;
  double drag, pressure;                    // Pa s/m, Pa
  double barrier;                           // m
  int friction_law;                         // enum dc_node_friction
  double contact_range, contact_stiffness;  // m, J; NAN: by the mesh
  bool self_contact;
  double far_field;            // J
  struct dc_object_list pins;  // struct dc_pin_definition
  struct dc_object_list chambers, muscles;  // soft_drives.h
};
extern const struct dc_option dc_soft_options[];

struct dc_pin {
  int node, body;              // -1: held in the world
  int stands_on;               // a body that never moves and holds it, or -1
  double place[3], stiffness;  // in the frame of the body, or in the world, m; N/m
};

struct dc_soft {
  int body;  // index among the bodies
  int node_count, q_offset, v_offset;
  int first_element;         // among those of all soft bodies
  struct dc_simplices mesh;  // in the world, at the start
  struct dc_elastic elastic;
  enum dc_material material;
  double young, poisson, viscosity;  // Pa, 1, Pa s
  double bending;                    // N m of cloth, N m^2 of rods, 0 of solids
  double drag, pressure;             // Pa s/m, Pa
  double density;                    // kg/m^3
  double radius;                     // farthest node from the centre of mass, m
  double barrier_inertia;            // barrier^2 times the least mass of a node, kg m^2
  enum dc_node_friction friction_law;
  double range, contact_stiffness;  // of its surface's barrier, m and J
  // distance from its surface within which contact is reported: a tenth of an edge, the thickness of sheets, m
  double skin;
  bool self_contact;
  double far_field;  // stiffness of the far field that its surface feels, J
  double *velocity;  // [3 nodes] at the start
  bool collide;      // false: touches nothing
  int pin_count;
  struct dc_pin *pins;  // [pin_count]
  int held_by;          // a body that moves and holds nodes, -1: none
  bool touches_holder;  // has contact with what holds it
  struct dc_soft_drives drives;
};

// A frame on nodes: c = sum of weights times positions.
struct dc_support {
  int body, count;
  const int *places;      // [count] first coordinate of each node, counted from the first node's
  const double *weights;  // [count]
  double mass;            // of a point there, kg: of a body fixed to a soft one; 0 of soft bodies, whose nodes have it
};

static inline double dc_soft_node_mass(const struct dc_soft *soft, int node)
{
  return soft->density * soft->elastic.node_volumes[node];
}

// Refuses soft bodies and cables on behalf of code that knows rigid bodies only: DC_BAD_INPUT names the first one and
// who ("URDF") cannot hold it.
enum dc_status dc_bodies_check_rigid(const struct dc_bodies *bodies, const char *who, struct dc_error *error);
// The soft body of a body, or NULL.
const struct dc_soft *dc_soft_of(const struct dc_bodies *bodies, int body);
// Number of degrees of freedom of a body, of its joint or of its nodes; the entry of the first one in tangent vectors.
int dc_body_freedoms(const struct dc_bodies *bodies, int body);
int dc_body_first_freedom(const struct dc_bodies *bodies, int body);
// Whether the frame of a body moves, with a joint or with nodes.
bool dc_frame_moves(const struct dc_bodies *bodies, int body);
// Whether it can turn: frames on nodes are points.  DC_BAD_INPUT names the option and the body that cannot.
enum dc_status dc_frame_check_turns(const struct dc_bodies *bodies, int body, const char *option,
                                    struct dc_error *error);

// Whether the nodes of a soft body feel a body: a half-space that no filter excludes.
bool dc_soft_touches(const struct dc_bodies *bodies, const struct dc_soft *soft, int body);
// Whether its surface has contact with that of a body: a rigid one, a soft one later in order, or itself.
bool dc_soft_meets(const struct dc_bodies *bodies, const struct dc_soft *soft, int body);

// DC_NUMERICAL when an element of a solid is inverted at q; the message names it.  Only arap and corotated can be:
// their energy is finite there, and pulls back.
enum dc_status dc_soft_check_elements(const struct dc_bodies *bodies, const double *q, struct dc_error *error);

// Block of a Hessian that belongs to a node.
int dc_node_block(const struct dc_bodies *bodies, const struct dc_soft *soft, int node);
// Lists the pairs of nodes that share an element, a bend or a cable, as blocks, with repetitions, into pairs [.][2]
// unless it is NULL.  Returns their number.
long dc_soft_list_edges(const struct dc_bodies *bodies, int (*pairs)[2]);

// Pins (pins.c).  Whether a body, or one fixed to it, holds nodes of a soft body; the soft body that a body carries,
// held by it or by what hangs on it, or NULL.
bool dc_soft_is_held(const struct dc_bodies *bodies, const struct dc_soft *soft, int body);
const struct dc_soft *dc_soft_carried(const struct dc_bodies *bodies, int body);
// Steps of building: chooses the nodes in the mesh's frame; places them and the nodes of bodies with a parent, after
// the starts of joints; lists the pairs of blocks of mechanisms and nodes, in the form of dc_soft_list_edges.
enum dc_status dc_pins_collect(const struct dc_soft_definition *definition, struct dc_soft *soft,
                               struct dc_arena *arena, struct dc_error *error);
enum dc_status dc_pins_start(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                             struct dc_arena *arena, struct dc_error *error);
long dc_pins_list_pairs(const struct dc_bodies *bodies, int (*pairs)[2]);

// Steps of building (body_build.h): meshes and places in q and tangents, behind those of joints; then starts, frames
// and markers.
enum dc_status dc_soft_build(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                             struct dc_arena *arena, struct dc_error *error);
enum dc_status dc_soft_start(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                             struct dc_arena *arena, struct dc_error *error);
// Rules of the definition of a soft body, and of one that hangs on a soft body.
enum dc_status dc_soft_check(const struct dc_body_definition *definition, int index, struct dc_error *error);
enum dc_status dc_marker_check(const struct dc_body_definition *definition, int index, struct dc_error *error);

// Poses, twists and pull-backs of the frames on nodes.
void dc_support_poses(const struct dc_bodies *bodies, const double *q, struct dc_pose *poses);
void dc_support_twists(const struct dc_bodies *bodies, const double *tangent, double (*twists)[6]);
void dc_support_pull_back(const struct dc_bodies *bodies, const double (*wrenches)[6], double *gradient);

#endif
