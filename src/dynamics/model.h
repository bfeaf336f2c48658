// SPDX-License-Identifier: Apache-2.0
// The immutable model: bodies, contact, time and gravity.  Built from a definition; shared by threads.
#ifndef DC_DYNAMICS_MODEL_H
#define DC_DYNAMICS_MODEL_H

#include "body/body.h"
#include "contact/contact.h"
#include "dynamics/mujoco/mujoco.h"

// The order of the time integration: of inertia and gravity, which is what there is without contact and actuators.
enum dc_integrator { DC_EULER, DC_SECOND_ORDER };

struct dc_time_settings {
  double step;     // s
  long steps;      // number of time steps
  int integrator;  // enum dc_integrator
};
extern const struct dc_option dc_time_options[];

// Whether the derivatives of contact at every step are stored for the adjoint, or computed again by it.
enum dc_tape { DC_TAPE_AUTO, DC_TAPE_STORED, DC_TAPE_RECOMPUTED };

// How linear systems are solved in scenes in which only nodes move: AUTOMATIC by conjugate gradients and, where they
// take long or many are solved at once, by a factorization.
enum dc_linear_choice { DC_LINEAR_AUTOMATIC, DC_LINEAR_DIRECT, DC_LINEAR_CONJUGATE_GRADIENTS, DC_LINEAR_GMRES };
// Their names in scenes, and those of enum dc_preconditioner; NULL ends them.
extern const char *const dc_linear_names[], *const dc_preconditioner_names[];

// Tolerances of the step; the option table is dc_step_options ("solver" in a scene).
struct dc_step_settings {
  // On the largest generalized force, relative to the smallest force that carries signal (docs/theory.md,
  // "Convergence").
  double tolerance;
  long max_iterations;  // Newton iterations per interval of time
  // Intervals are halved up to this often where bodies would pass through each other or Newton's method does not
  // converge (docs/theory.md, "Divided steps").
  long divisions;
  bool accept_unconverged;  // go on with steps that do not converge
  int tape;                 // enum dc_tape
  int linear;               // enum dc_linear_choice
  int preconditioner;       // 0 ... 2 of enum dc_preconditioner, of what is solved by iterations
};
enum { DC_MOST_DIVISIONS = 30 };
extern const struct dc_option dc_step_options[];

struct dc_model_definition {
  struct dc_time_settings time;
  struct dc_step_settings solver;
  double gravity[3];  // m/s^2
  double wind[3];     // m/s
  const struct dc_contact_model *contact_model;
  struct dc_contact_settings contact;
  struct dc_mujoco_settings mujoco;  // read by that contact model only
  int shape_count;
  const struct dc_shape *shapes;  // built
  int body_count;
  const struct dc_body_definition *bodies;
  int coupling_count;
  const struct dc_coupling *couplings;
  int tie_count;
  const struct dc_tie *ties;
  int tendon_count;
  const struct dc_tendon *tendons;
};

struct dc_model {
  struct dc_model_definition definition;
  struct dc_bodies bodies;
  // Inputs of its rollouts hold a shape design (dynamics/shape_design.h); set by who adds design parameters that need
  // it.
  bool shapes_change;
  bool designed;              // made by dc_model_redesign
  const bool *vertices_move;  // [bodies] whether it may change vertices of theirs, likewise; NULL: of all of them
  // Inputs of its rollouts hold forces; set by who adds controls that give them.
  bool forced;
};

// Builds the model; shapes, couplings, ties, tendons and strings of the definition must live as long as the model.
// Owned by arena.
enum dc_status dc_model_create(struct dc_model *model, const struct dc_model_definition *definition,
                               struct dc_arena *arena, struct dc_error *error);
// Whether nodes of soft bodies move and nothing else does.
bool dc_model_only_nodes(const struct dc_model *model);

// Whether gradients of rollouts can be had by dc_rollout_adjoint, and whether trajectories have velocities: a foreign
// stepper has no adjoint, and its velocities are not the differences of its states.
bool dc_model_has_adjoint(const struct dc_model *model);
bool dc_model_keeps_velocity(const struct dc_model *model);

// Whether the tape of so many steps is stored.  A function of the scene and the steps alone, not of the machine:
// gradients with and without differ by rounding, and a run that is resumed elsewhere must go on with the same bits.
bool dc_model_stores_tape(const struct dc_model *model, double steps);

// Number of body pairs that touch (dc_bodies_touch).
int dc_model_pair_count(const struct dc_model *model);

// The numbers of a model that a parameter vector may change: a gradient has the same layout.
struct dc_design {
  double stiffness_scale;       // factor on the contact stiffness
  double gravity[3];            // m/s^2
  double wind[3];               // m/s
  double *body_mass_scale;      // [bodies] factors on mass and second moment of each body that moves
  double *friction_scale;       // [bodies] factors on the friction coefficient of each body
  double *kp_scale, *kd_scale;  // [bodies] factors on the gains of each body's actuator
  double *limit_scale;          // [bodies] factors on the stiffness of each joint's limits
  double *young_scale;          // [bodies] factors on Young's modulus of each soft body
  double *poisson;              // [bodies] Poisson's ratio of each soft body
  double *young_element;        // [elements of soft bodies] factors on Young's modulus of each
  double *pressure;             // [bodies] Pa, on the surface of each soft body in air
  double *bending_scale;        // [bodies] factors on the bending stiffness of each sheet and rod
  double *restitution_shift;    // [bodies] added to the restitution of each body that has one
  // [nv] added to the ends of the ranges of slides and hinges that have one, m or rad
  double *lower_shift, *upper_shift;
};

// Restitution of a body with its design; NAN where nothing sets one, which means 1.
double dc_design_restitution(const struct dc_model *model, const struct dc_design *design, int body);
// Restitution of a pair of bodies with their design: the smaller of those that are set, NAN when none is.
double dc_design_pair_restitution(const struct dc_model *model, const struct dc_design *design, int a, int b);
// The range of a slide or hinge with its design; what has none keeps -INFINITY, INFINITY.
static inline void dc_design_range(const struct dc_design *design, const struct dc_joint_part *part, double range[2])
{
  range[0] = part->range[0] + design->lower_shift[part->v];
  range[1] = part->range[1] + design->upper_shift[part->v];
}

// Coefficient of friction of a body: its own or that of the contact settings.
double dc_model_friction(const struct dc_model *model, int body);
// Whether any body, or any pair by a coefficient of its own, has friction.
bool dc_model_rubs(const struct dc_model *model);
// Restitution of a body, likewise; NAN where nothing sets one, which means 1.
double dc_model_restitution(const struct dc_model *model, int body);
// Whether intervals leave something to the next one beside states (dynamics/impact_law.h): where something may have a
// restitution, and where there is friction, but for designs that change shapes, by which that has no derivatives.
bool dc_model_remembers(const struct dc_model *model);
// Restitution of a pair of bodies, as dc_design_pair_restitution.
double dc_model_pair_restitution(const struct dc_model *model, int a, int b);

#endif
