// SPDX-License-Identifier: Apache-2.0
// MJCF models drawn at random: trees of bodies with everything about joints, frames, masses and actuators that a file
// of MuJoCo 2.2 can say and that acts here.
#ifndef DC_TESTS_IO_MJCF_TREES_H
#define DC_TESTS_IO_MJCF_TREES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/vector.h"

struct mjcf_tree {
  struct dc_random random;
  char text[40000], actuators[8000], controls[4000], positions[4000], velocities[4000];
  int bodies, joints;
  bool plain;  // what URDF can say: no balls, free roots, springs, rotors, actuators; one tree
};

static inline double draw(struct mjcf_tree *tree, double low, double high)
{
  return low + (high - low) * dc_random_uniform(&tree->random);
}
static inline int pick(struct mjcf_tree *tree, int count)
{
  return (int)draw(tree, 0, count);
}

#define APPEND(buffer, ...) snprintf((buffer) + strlen(buffer), sizeof(buffer) - strlen(buffer), __VA_ARGS__)

static inline void add_frame(struct mjcf_tree *tree, double far)
{
  APPEND(tree->text, " pos='%.6g %.6g %.6g'", draw(tree, -far, far), draw(tree, -far, far), draw(tree, -far, far));
  double a = draw(tree, -1, 1), b = draw(tree, -1, 1), c = draw(tree, 0.2, 1);
  switch (pick(tree, 6)) {
  case 0: APPEND(tree->text, " quat='%.6g %.6g %.6g %.6g'", c, a, b, draw(tree, -1, 1)); break;
  case 1: APPEND(tree->text, " euler='%.6g %.6g %.6g'", 3 * a, 2 * b, 3 * c); break;
  case 2: APPEND(tree->text, " axisangle='%.6g %.6g %.6g %.6g'", a, b, c, 3 * b); break;
  case 3: APPEND(tree->text, " xyaxes='1 %.6g %.6g %.6g 1 0'", a, b, c); break;
  case 4: APPEND(tree->text, " zaxis='%.6g %.6g %.6g'", a, b, c); break;
  default: break;
  }
}

static inline void add_geom(struct mjcf_tree *tree)
{
  double a = draw(tree, 0.03, 0.1), b = draw(tree, 0.05, 0.15), c = draw(tree, 0.03, 0.1);
  switch (pick(tree, 6)) {
  case 0: APPEND(tree->text, "<geom type='box' size='%.6g %.6g %.6g'", a, b, c); break;
  case 1: APPEND(tree->text, "<geom type='capsule' size='%.6g %.6g'", a, b); break;
  case 2: APPEND(tree->text, "<geom type='cylinder' size='%.6g %.6g'", a, b); break;
  case 3: APPEND(tree->text, "<geom type='ellipsoid' size='%.6g %.6g %.6g'", a, b, c); break;
  case 4:
    APPEND(tree->text, "<geom type='capsule' fromto='0 0 0 %.6g %.6g %.6g' size='%.6g' density='500'/>", b, a, c, a);
    return;
  default: APPEND(tree->text, "<geom size='%.6g' mass='%.6g'", a, draw(tree, 0.5, 3)); break;
  }
  add_frame(tree, 0.1);
  APPEND(tree->text, "/>");
}

// An actuator of each kind in turn, with a control in the keyframe.
static inline void add_actuator(struct mjcf_tree *tree, int joint)
{
  static const char *const kinds[] = {
      "<position joint='j%d' kp='%.6g' gear='%.6g'/>", "<velocity joint='j%d' kv='%.6g' gear='%.6g'/>",
      "<motor joint='j%d' ctrlrange='-%.6g 1' ctrllimited='true' gear='%.6g'/>",
      "<general joint='j%d' gainprm='%.6g' gear='%.6g' biastype='affine' biasprm='.3 -4 -.5'/>"};
  APPEND(tree->actuators, kinds[pick(tree, 4)], joint, draw(tree, 1, 5), draw(tree, 0.5, 1.5));
  APPEND(tree->controls, " %.6g", draw(tree, -0.4, 0.4));
}

static inline void add_joint(struct mjcf_tree *tree, bool ball)
{
  int joint = tree->joints++;
  APPEND(tree->text, "<joint name='j%d' pos='%.6g %.6g %.6g'", joint, draw(tree, -0.1, 0.1), draw(tree, -0.1, 0.1),
         draw(tree, -0.1, 0.1));
  if (pick(tree, 3) == 0)
    APPEND(tree->text, " damping='%.6g'", draw(tree, 0.05, 0.5));
  if (ball) {
    APPEND(tree->text, " type='ball'/>");
    APPEND(tree->positions, " 1 0 0 0");
    for (int k = 0; k < 3; k++)
      APPEND(tree->velocities, " %.6g", draw(tree, -1, 1));
    return;
  }
  double ref = !tree->plain && pick(tree, 3) == 0 ? draw(tree, -0.5, 0.5) : 0;
  bool slides = pick(tree, 3) == 0;
  APPEND(tree->text, " type='%s' axis='%.6g %.6g %.6g'", slides ? "slide" : "hinge", draw(tree, -1, 1),
         draw(tree, -1, 1), draw(tree, 0.2, 1));
  if (ref != 0)
    APPEND(tree->text, " ref='%.6g'", ref);
  if (!tree->plain && (slides || pick(tree, 3) == 0))
    APPEND(tree->text, " stiffness='%.6g' springref='%.6g'", draw(tree, 5, 40), draw(tree, -0.2, 0.2));
  if (!tree->plain && pick(tree, 3) == 0)
    APPEND(tree->text, " armature='%.6g'", draw(tree, 0.05, 0.5));
  if (pick(tree, 3) == 0)
    APPEND(tree->text, " limited='true' range='-40 50'");
  APPEND(tree->text, "/>");
  APPEND(tree->positions, " %.6g", ref + draw(tree, -0.5, 0.5));
  APPEND(tree->velocities, " %.6g", tree->plain ? 0 : draw(tree, -1, 1));
  if (!tree->plain && pick(tree, 2) == 0)
    add_actuator(tree, joint);
}

static inline void add_body(struct mjcf_tree *tree, int depth)
{
  int kind = tree->plain ? (depth ? 2 : 4) + pick(tree, 4) : pick(tree, 8);
  if (tree->plain && kind == 3)
    kind = 2;
  APPEND(tree->text, "<body name='b%d'", tree->bodies++);
  if (depth == 0)
    APPEND(tree->text, " pos='%d 0 0'>", 10 * tree->bodies);
  else {
    add_frame(tree, 0.3);
    APPEND(tree->text, ">");
  }
  if (depth == 0 && kind < 3) {
    APPEND(tree->text, "<joint type='free'%s/>", pick(tree, 2) ? " damping='.5'" : "");
    APPEND(tree->positions, " %d .1 .2 .9 .1 .2 -.3", 10 * tree->bodies);
    for (int k = 0; k < 6; k++)
      APPEND(tree->velocities, " %.6g", draw(tree, -1, 1));
  } else if (kind == 3) {
    add_joint(tree, true);
  } else if (kind > 3 || depth == 0) {
    add_joint(tree, false);
    if (kind == 7)
      add_joint(tree, false);
  }
  if (pick(tree, 4) == 0) {
    APPEND(tree->text, "<inertial mass='%.6g' diaginertia='%.6g %.6g .02'", draw(tree, 0.5, 3), draw(tree, 0.011, 0.02),
           draw(tree, 0.011, 0.02));
    add_frame(tree, 0.1);
    APPEND(tree->text, "/>");
  }
  for (int k = 1 + pick(tree, 2); k > 0; k--)
    add_geom(tree);
  for (int k = pick(tree, 3); k > 0 && depth < 3; k--)
    add_body(tree, depth + 1);
  APPEND(tree->text, "</body>");
}

// A model of one to three trees, without contact, with the keyframe "k"; step: of MuJoCo, s.
static inline void draw_tree(struct mjcf_tree *tree, unsigned long seed, double step, bool plain)
{
  memset(tree, 0, sizeof *tree);
  tree->plain = plain;
  dc_random_seed(&tree->random, seed);
  APPEND(tree->text,
         "<mujoco><compiler angle='radian' eulerseq='%s' inertiafromgeom='auto'/><option timestep='%g' gravity='%.6g "
         "%.6g %.6g' integrator='RK4'><flag contact='disable'/></option><worldbody>",
         pick(tree, 2) ? "zYx" : "xyz", step, draw(tree, -3, 3), draw(tree, -3, 3), draw(tree, -9, 3));
  for (int k = tree->plain ? 1 : 1 + pick(tree, 3); k > 0; k--)
    add_body(tree, 0);
  APPEND(tree->text, "</worldbody><actuator>%s</actuator><keyframe><key name='k' qpos='%s' qvel='%s'%s%s%s/></keyframe>",
         tree->actuators, tree->positions, tree->velocities, tree->controls[0] ? " ctrl='" : "", tree->controls,
         tree->controls[0] ? "'" : "");
  APPEND(tree->text, "</mujoco>");
}

#endif
