// SPDX-License-Identifier: Apache-2.0
// MJCF models, several of each kind of thing that a file can say, which MuJoCo reads, too: with other values, in
// another order and otherwise nested than those which the reader was written by.  same: the model in the words of
// MuJoCo 2.2, where it has others; NULL: as it is.
#ifndef DC_TESTS_IO_MJCF_KINDS_H
#define DC_TESTS_IO_MJCF_KINDS_H

#include <stddef.h>

#define FREE "<flag contact='disable'/>"
#define OPTION "<option timestep='0.0001'>" FREE "</option>"
#define ARM                                                                                                            \
  "<body name='a' pos='0 0 1' euler='20 -30 40'><joint name='j' axis='0 1 0'/><geom type='capsule' size='.03 .2' "     \
  "mass='.7'/><body name='b' pos='.1 .2 .3' euler='50 10 -60'><joint name='l' type='slide' axis='1 0 1' "              \
  "damping='2'/><geom type='box' size='.1 .05 .02' pos='.05 0 0'/></body></body>"
#define BARS(turned)                                                                                                   \
  "<body name='a' pos='0 0 1' euler='0 " turned " 0'><joint axis='0 1 0'/><geom type='capsule' size='.03' "           \
  "fromto='0 0 0 .3 0 0' mass='.7'/><body name='b' pos='.3 0 0' euler='0 -" turned " 0'><joint axis='0 1 0'/><geom "   \
  "type='capsule' size='.03' fromto='0 0 0 .3 0 0' mass='.5'/><body name='c' pos='.3 0 0' euler='0 -" turned           \
  " 0'><joint axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0' mass='.4'/></body></body></body>"
#define KEY(text) "<keyframe><key name='k' " text "/></keyframe>"
#define MESH "<mesh name='m' vertex='0 0 0 .1 0 0 0 .2 0 0 0 .3 .1 .1 .1' "

static const struct mjcf_kind {
  const char *name, *text, *same;
} mjcf_kinds[] = {
    // compiler
    {"extrinsic angles in radians after the world",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1' euler='.3 .5 -1.2'><joint axis='1 2 0' ref='.2' "
     "range='-1 2' limited='false'/><geom type='box' size='.2 .1 .05' euler='1 -.4 .2' pos='.1 0 0'/></body></worldbody>"
     "<compiler angle='radian' eulerseq='ZYX'/></mujoco>",
     NULL},
    {"mixed sequence of angles, two compilers, the later one wins",
     "<mujoco><compiler eulerseq='xyz' angle='radian'/><compiler eulerseq='zXy' angle='degree'/>" OPTION
     "<worldbody>" ARM "</worldbody></mujoco>",
     NULL},
    {"inertias of geometries instead of those that are given",
     "<mujoco><compiler inertiafromgeom='true'/>" OPTION "<worldbody><body name='a' pos='0 0 1'><inertial mass='9' "
     "pos='1 1 1' diaginertia='1 1 1'/><joint axis='0 1 0'/><geom type='cylinder' size='.1 .3' pos='.2 0 0' "
     "euler='0 30 0' density='300'/><geom type='ellipsoid' size='.1 .2 .3' mass='2'/></body></worldbody></mujoco>",
     NULL},
    {"inertias as given, beside geometries; by groups",
     "<mujoco><compiler inertiafromgeom='auto' inertiagrouprange='1 2'/>" OPTION "<worldbody><body name='a' pos='0 0 1'>"
     "<joint axis='0 1 0'/><geom size='.1' group='0' mass='5'/><geom size='.2' group='2' pos='.3 0 0' mass='1'/></body>"
     "<body name='b' pos='1 0 1'><inertial mass='2' pos='.1 0 .2' quat='1 2 0 0' diaginertia='.3 .2 .15'/>"
     "<joint axis='1 0 0'/><geom size='.1'/></body><body name='c' pos='2 0 1'><inertial mass='2' pos='.1 0 .2' "
     "fullinertia='.3 .2 .25 .01 .02 -.03'/><joint axis='1 0 0'/></body></worldbody></mujoco>",
     NULL},
    {"least masses, moments that balance, a mass of the whole",
     "<mujoco><compiler boundmass='.5' boundinertia='.01' balanceinertia='true' settotalmass='7'/>" OPTION
     "<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/><geom size='.01' pos='.1 0 0'/><body name='b' "
     "pos='.3 0 0'><inertial mass='1' pos='.1 0 0' diaginertia='.5 .1 .1'/><joint axis='1 0 1'/></body></body>"
     "</worldbody></mujoco>",
     NULL},
    // defaults
    {"classes within classes, after what uses them",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1' childclass='q'><joint class='r' axis='0 1 0'/><geom/>"
     "<body name='b' pos='.4 0 0'><joint/><geom class='main' size='.05'/><body name='c' pos='.2 0 0' childclass='r'>"
     "<joint axis='1 1 0'/><geom type='sphere'/></body></body></body></worldbody><default><geom density='500'/>"
     "<joint damping='.2'/><default class='q'><geom type='box' size='.1 .05 .02'/><joint type='slide' "
     "stiffness='3' axis='1 0 0'/><default class='r'><joint type='hinge' armature='.02'/><geom density='200'/></default>"
     "</default></default></mujoco>",
     NULL},
    {"defaults of positions and axes, of free joints nothing",
     "<mujoco><default><joint pos='.1 0 0' axis='0 0 1' damping='.3' armature='.1'/><geom type='capsule' "
     "size='.05 .2'/></default>" OPTION "<worldbody><body name='a' pos='0 0 1'>"
     "<freejoint/><geom/><body name='b' pos='.4 .1 0'><joint/><geom fromto='0 0 0 .1 .2 .3'/></body></body></worldbody>"
     KEY("qpos='0 0 1 1 0 0 0 .4' qvel='.1 .2 .3 1 2 3 -2'") "</mujoco>",
     NULL},
    {"classes of actuators and of equalities",
     "<mujoco><default><motor gear='3'/><default class='s'><motor ctrlrange='-.2 .2' ctrllimited='true'/><position "
     "kp='7'/><equality solref='.005 1'/></default></default>" OPTION "<worldbody>" ARM "</worldbody><actuator><motor "
     "class='s' joint='j'/><position class='s' joint='l' gear='2'/></actuator>" KEY("qpos='.2 .1' ctrl='1 .3'")
     "</mujoco>",
     NULL},
    // frames and copies
    {"frames within frames around bodies and geometries",
     "<mujoco>" OPTION "<worldbody><frame pos='1 0 0' euler='0 0 90'><frame pos='0 .5 1'><body name='a' pos='.1 0 0' "
     "euler='0 90 0'><joint axis='0 1 0'/><frame pos='0 0 .2'><geom type='capsule' size='.02' "
     "fromto='0 0 0 .1 0 0'/></frame></body></frame></frame></worldbody></mujoco>",
     "<mujoco>" OPTION "<worldbody><body name='p' pos='1 0 0' euler='0 0 90'><body name='a' pos='.1 .5 1' "
     "euler='0 90 0'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 .2 .1 0 .2'/></body></body>"
     "</worldbody></mujoco>"},
    // geometries
    {"segments of every kind and turned",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/><geom type='cylinder' size='.04' "
     "fromto='0 0 0 .3 .2 -.1'/><geom type='box' size='.03' fromto='.1 .2 0 .1 .2 .5'/><geom type='ellipsoid' size='.05' "
     "fromto='0 .3 0 .3 0 .1'/></body><body name='b' pos='2 0 1'><joint type='ball'/><geom type='capsule' size='.02 .3' "
     "pos='.1 0 0' zaxis='1 1 0'/><geom type='box' size='.1 .2 .3' xyaxes='0 1 0 0 0 1'/><geom type='cylinder' "
     "size='.1 .2' axisangle='1 0 1 35'/></body></worldbody>" KEY("qvel='.5 1 -2 .3'") "</mujoco>",
     NULL},
    {"masses, densities and both",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/><geom size='.1' density='10' "
     "mass='3' pos='.2 0 0'/><geom size='.1' density='0' pos='9 0 0'/><geom type='box' size='.1 .1 .1' "
     "density='250'/></body></worldbody></mujoco>",
     NULL},
    // meshes
    {"a mesh by a scale of its own for every axis",
     "<mujoco><compiler exactmeshinertia='true'/><asset>" MESH "scale='2 .5 1.5'/></asset>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint "
     "axis='0 1 0'/><geom type='mesh' mesh='m' pos='.1 .2 .3' euler='10 20 30'/></body></worldbody></mujoco>",
     NULL},
    {"a mesh moved and turned in its file, twice on a body",
     "<mujoco><compiler exactmeshinertia='true'/><asset>" MESH "refpos='.1 .2 -.3' refquat='1 .2 .3 .4'/></asset>" OPTION "<worldbody><body name='a' "
     "pos='0 0 1'><joint axis='1 1 0'/><geom type='mesh' mesh='m'/><geom type='mesh' mesh='m' pos='.5 0 0' "
     "quat='0 1 0 0' density='70'/></body></worldbody></mujoco>",
     NULL},
    {"a mirrored mesh of given mass",
     "<mujoco><asset>" MESH "scale='-1 1 1'/></asset>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint "
     "axis='0 0 1'/><joint axis='0 1 0'/><geom type='mesh' mesh='m' mass='.4' pos='.2 0 0'/></body></worldbody>"
     KEY("qpos='.3 .4' qvel='2 -1'") "</mujoco>",
     NULL},
    // joints
    {"several joints of a body, with references, springs and rotors",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint type='slide' axis='1 0 1' ref='.2' "
     "springref='.5' stiffness='20'/><joint axis='0 1 0' pos='.1 0 0' ref='30' springref='-40' stiffness='1' "
     "damping='.1'/><joint type='ball' pos='0 .1 .1' damping='.02'/><geom type='box' size='.1 .2 .05' mass='1.5'/></body>"
     "</worldbody>" KEY("qpos='.3 .6 1 0 0 0' qvel='.1 1 .5 -1 .3'") "</mujoco>",
     NULL},
    {"a free body that carries a hinge and a slide",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 3' euler='30 0 0'><joint type='free' damping='.4'/><geom "
     "type='box' size='.2 .1 .3' pos='.1 0 0'/><body name='b' pos='0 .3 0'><joint axis='1 0 0' pos='0 -.1 0' "
     "frictionloss='0' armature='.05'/><geom size='.1'/><body name='c' pos='0 .2 0'><joint type='slide' axis='0 1 1' "
     "damping='3'/><geom size='.05'/></body></body></body></worldbody>"
     KEY("qpos='0 0 3 .9 .1 .2 .3 .5 .1' qvel='1 0 2 .5 1 -1 3 .2'") "</mujoco>",
     NULL},
    {"gravity aside and flags without springs and dampers",
     "<mujoco><option timestep='0.0001' gravity='3 -2 1'><flag contact='disable' passive='disable'/></option>"
     "<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0' stiffness='50' damping='5'/><geom type='capsule' "
     "fromto='0 0 0 .3 0 0' size='.05'/></body></worldbody></mujoco>",
     NULL},
    // actuators
    {"motors on a ball and a free body do what their gears say",
     "<mujoco>" OPTION "<worldbody><body name='c' pos='0 0 1'><joint name='s' type='slide' axis='0 0 1'/><geom "
     "size='.1'/></body>" ARM "</worldbody><actuator><motor joint='s' gear='-4' ctrlrange='-1 2' ctrllimited='true'/>"
     "<motor joint='j' gear='.6'/></actuator>" KEY("qpos='.1 .2 -.1' ctrl='5 -.7'") "</mujoco>",
     "<mujoco>" OPTION "<worldbody><body name='c' pos='0 0 1'><joint name='s' type='slide' axis='0 0 1'/><geom "
     "size='.1'/></body>" ARM "</worldbody><actuator><motor joint='s' gear='-4' ctrlrange='-1 2' ctrllimited='true'/>"
     "<motor joint='j' gear='.6'/></actuator>" KEY("qpos='.1 .2 -.1' ctrl='2 -.7'") "</mujoco>"},
    {"servos of place and speed on one joint, gears, a damper",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><actuator><position joint='j' kp='4' gear='1.5'/><velocity "
     "joint='j' kv='.3'/><velocity joint='l' kv='2' gear='-1'/><general joint='l' gainprm='6' biastype='affine' "
     "biasprm='.5 -6 -.4'/></actuator>" KEY("qpos='.2 .1' qvel='.5 -.3' ctrl='.4 .3 -.2 .25'") "</mujoco>",
     NULL},
    {"a damper by its name and a servo with damping",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><actuator><position joint='l' kp='9' kv='1.5'/></actuator>"
     KEY("qpos='.2 .1' ctrl='.2'") "</mujoco>",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><actuator><general joint='l' gainprm='9' biastype='affine' "
     "biasprm='0 -9 -1.5'/></actuator>" KEY("qpos='.2 .1' ctrl='.2'") "</mujoco>"},
    {"a tendon of two joints with a motor",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><tendon><fixed name='t'><joint joint='j' coef='.7'/><joint "
     "joint='l' coef='-1.5'/></fixed></tendon><actuator><motor tendon='t' gear='2'/></actuator>"
     KEY("qpos='.2 .1' ctrl='.8'") "</mujoco>",
     NULL},
    {"a spring, a damper and dry friction of tendons of one joint, beside those of the joint",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><tendon><fixed name='t' stiffness='6' springlength='.3' "
     "damping='.4' frictionloss='.2'><joint joint='l' coef='-1.5'/></fixed><fixed name='u' stiffness='2' damping='.1'>"
     "<joint joint='j' coef='.7'/></fixed></tendon>"
     KEY("qpos='.2 .1'") "</mujoco>",
     NULL},
    {"a rotor of a tendon of one joint",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><tendon><fixed name='t' armature='.05'><joint joint='l' "
     "coef='-2'/></fixed></tendon>" KEY("qpos='.2 .1'") "</mujoco>",
     "<mujoco><default><joint/></default>" OPTION "<worldbody><body name='a' pos='0 0 1' euler='20 -30 40'><joint "
     "name='j' axis='0 1 0'/><geom type='capsule' size='.03 .2' mass='.7'/><body name='b' pos='.1 .2 .3' "
     "euler='50 10 -60'><joint name='l' type='slide' axis='1 0 1' damping='2' armature='.2'/><geom type='box' "
     "size='.1 .05 .02' pos='.05 0 0'/></body></body></worldbody>" KEY("qpos='.2 .1'") "</mujoco>"},
    {"a control beyond a range that does not bind",
     "<mujoco><option timestep='0.0001'><flag contact='disable' clampctrl='disable'/></option><worldbody>" ARM
     "</worldbody><actuator><motor joint='j' ctrllimited='true' ctrlrange='-.2 .2'/><position joint='l' kp='9' "
     "ctrllimited='true' ctrlrange='0 .1'/></actuator>" KEY("qpos='.2 .1' ctrl='.9 .4'") "</mujoco>",
     NULL},
    {"a loop of four bars that is closed by a connection",
     "<mujoco>" OPTION "<worldbody>" BARS("50") "</worldbody><equality><connect body1='c' anchor='.3 0 0' solref='.001 1'/>"
     "</equality>" KEY("qvel='1 0 0'") "</mujoco>",
     NULL},
    {"an arm whose forearm is welded to what only slides",
     "<mujoco>" OPTION "<worldbody>" BARS("0") "<body name='d' pos='1 0 1'><joint type='slide' axis='1 0 0'/><joint "
     "type='slide' axis='0 0 1'/><geom type='capsule' "
     "size='.03' fromto='0 0 0 -.3 0 0' mass='.6'/></body></worldbody><equality><weld body1='b' body2='d' "
     "relpose='.7 0 0 1 0 0 0' solref='.001 1' solimp='.9999 .9999 .001 .5 2'/></equality>" KEY("qvel='.2 0 0 0 0'") "</mujoco>",
     NULL},
    {"a connection of two trees of ball joints",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint type='ball'/><geom type='capsule' size='.03' "
     "fromto='0 0 0 .3 .1 0' mass='.4'/></body><body name='b' pos='.6 0 1'><joint type='ball'/><geom type='capsule' "
     "size='.03' fromto='0 0 0 -.3 .1 0' mass='.5'/></body></worldbody><equality><connect body1='a' body2='b' "
     "anchor='.3 .1 0' solref='.001 1'/></equality></mujoco>",
     NULL},
    {"a hinge that an equality holds off its place",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><equality><joint joint1='j' polycoef='.3 0 0 0 0' solref='.001 1' "
     "solimp='.9999 .9999 .001 .5 2'/></equality>" KEY("qpos='.3 .1'") "</mujoco>",
     NULL},
    {"a slide that an equality holds where its reference is",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/><geom size='.1' pos='.2 0 0'/>"
     "<body name='b' pos='.3 0 0'><joint name='k' type='slide' axis='1 0 1' ref='.1'/><geom size='.05'/></body></body>"
     "</worldbody><equality><joint joint1='k' solref='.001 1' solimp='.9999 .9999 .001 .5 2'/></equality>"
     KEY("qpos='.3 .1' qvel='1 0'") "</mujoco>",
     NULL},
    {"motors within limits of their own forces and of their joint's",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><actuator><motor joint='j' gear='2' forcelimited='true' "
     "forcerange='-.1 .2'/><general joint='l' gear='3' gainprm='4' biastype='affine' biasprm='-9' forcelimited='true' "
     "forcerange='-.3 .2'/></actuator>" KEY("qpos='.2 .1' ctrl='1.5 1'") "</mujoco>",
     NULL},
    {"a motor within the limit of its joint",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint name='j' axis='0 1 0' actuatorfrcrange='-.1 .3'/>"
     "<geom type='capsule' size='.03 .2' pos='.1 0 0'/></body></worldbody><actuator><motor joint='j' gear='-2'/>"
     "</actuator>" KEY("qpos='.2' ctrl='1.5'") "</mujoco>",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint name='j' axis='0 1 0'/><geom type='capsule' "
     "size='.03 .2' pos='.1 0 0'/></body></worldbody><actuator><motor joint='j' gear='-1'/></actuator>"
     KEY("qpos='.2' ctrl='.1'") "</mujoco>"},
    {"a servo on a tendon of a joint and of one that follows it, as of a gripper",
     "<mujoco>" OPTION "<worldbody>" ARM "</worldbody><tendon><fixed name='t'><joint joint='j' coef='.5'/><joint "
     "joint='l' coef='2'/></fixed></tendon><equality><joint joint1='l' joint2='j' polycoef='0 -.4 0 0 0' "
     "solref='.001 1' solimp='.9999 .9999 .001 .5 2'/></equality><actuator><general tendon='t' gear='2' gainprm='3' "
     "biastype='affine' biasprm='0 -9 -2'/></actuator>" KEY("ctrl='.6'") "</mujoco>",
     NULL},
    {"rotors on a free joint and on a ball of the world",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint type='free' armature='.4'/><geom type='box' "
     "size='.1 .2 .3' pos='.2 .1 0'/></body><body name='b' pos='3 0 1'><joint type='ball' armature='2' pos='0 0 .2'/>"
     "<geom type='box' size='.1 .2 .3' pos='.2 .1 0'/></body></worldbody>"
     KEY("qpos='0 0 1 1 0 0 0 1 0 0 0' qvel='1 0 2 3 1 -2 1 2 -1'") "</mujoco>",
     NULL},
    // weight
    {"weight that is held in part, of a link and of a free body",
     "<mujoco>" OPTION "<worldbody>" ARM "<body name='f' pos='3 0 1' gravcomp='1'><freejoint/><geom size='.1'/></body>"
     "<body name='g' pos='6 0 1' gravcomp='-.5'><joint type='slide' axis='0 0 1'/><geom size='.1'/></body></worldbody>"
     KEY("qpos='.2 .1 3 0 1 1 0 0 0 0' qvel='0 0 1 0 0 0 0 0 0'") "</mujoco>",
     "<mujoco>" OPTION "<worldbody>" ARM "<body name='f' pos='3 0 1'><joint type='slide' axis='1 0 0'/><geom size='.1'/>"
     "</body><body name='g' pos='6 0 1'><joint name='s' type='slide' axis='0 0 1'/><geom size='.1'/></body></worldbody>"
     "<actuator><motor joint='s' gear='-20.545'/></actuator>" KEY("qpos='.2 .1 0 0' qvel='0 0 1 0' ctrl='1'") "</mujoco>"},
    // copies
    {"copies that turn and stand one offset from another",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/><geom size='.05' pos='0 .1 0'/>"
     "<replicate count='3' offset='.1 0 .02' euler='0 0 90'><geom type='box' size='.04 .02 .01' pos='.05 0 0'/>"
     "</replicate></body></worldbody></mujoco>",
     "<mujoco>" OPTION "<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/><geom size='.05' pos='0 .1 0'/>"
     "<geom type='box' size='.04 .02 .01' pos='.05 0 0'/><geom type='box' size='.04 .02 .01' pos='.1 .05 .02' "
     "euler='0 0 90'/><geom type='box' size='.04 .02 .01' pos='.05 .1 .04' euler='0 0 180'/></body></worldbody></mujoco>"},
    // names and order
    {"elements in another order, bodies and geometries of one name",
     "<mujoco><keyframe><key name='k' qpos='.2 .1' qvel='1 -.5'/></keyframe><actuator><motor name='a' joint='j'/>"
     "</actuator><worldbody><geom name='b' type='box' size='.1 .1 .1' pos='5 5 0'/>" ARM "<body name='j' pos='0 3 0'>"
     "<geom name='a' size='.2'/></body></worldbody>" OPTION "</mujoco>",
     NULL},
};

#endif
