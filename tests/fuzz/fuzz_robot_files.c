// SPDX-License-Identifier: Apache-2.0
// Files beside a robot, damaged: disabled collisions (SRDF), meshes that Assimp reads (COLLADA, PLY, glTF), models in
// MuJoCo's format.  A scene with them must be refused with a place or accepted, and an accepted one must read back the
// same. With -fsanitize=fuzzer and -DDC_LIBFUZZER a libFuzzer target, whose first byte chooses the kind of file;
// otherwise a test that damages files in a fixed random order.
#include <config.h>
#include <stdint.h>
#include <stdlib.h>

#include "damage.h"
#include "geometry/mesh/mesh_assimp.h"
#include "harness.h"
#include "io/scene/scene.h"
#include "read_back.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TIME "{'time': {'step': 0.01, 'steps': 2}, 'contact': {'model': 'bsh'}, "
#define MESH(file)                                                                                                     \
  TIME "'shapes': {'m': {'type': 'mesh', 'file': '" file "'}}, 'bodies': [{'name': 'b', 'shape': 'm'}]}"

static const struct kind {
  const char *file, *scene, *seed;
} kinds[] = {
    {"robot.srdf", TIME "'include': {'file': 'robot.urdf', 'srdf': 'robot.srdf'}}",
     "<?xml version='1.0'?>\n<robot name='r'><group name='g'><link name='a'/></group>\n"
     "<disable_collisions link1='a' link2='c' reason='Never'/><disable_collisions link1='b' link2='a'/></robot>\n"},
    {"robot.sdf", TIME "'include': {'file': 'robot.sdf', 'pd': {'kp': 2, 'm::j': {'kp': 3}}}}",
     "<sdf version='1.9'><world name='w'><gravity>0 0 -9</gravity><model name='m'><pose>0 0 1 0 0 1</pose>\n"
     "<frame name='f' attached_to='a'><pose degrees='true'>1 0 0 0 0 90</pose></frame><link name='a'><inertial>\n"
     "<mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial><collision name='c'><geometry>\n"
     "<box><size>1 1 1</size></box></geometry></collision></link><link name='b'><pose relative_to='f'>2 0 0 0 0 0\n"
     "</pose><collision name='c'><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>\n"
     "</link><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz expressed_in='f'>0 1 "
     "0</xyz>\n"
     "<limit><lower>-1</lower><upper>2</upper></limit><dynamics><damping>1</damping></dynamics></axis></joint></"
     "model>\n"
     "<model name='n'><static>1</static><link name='g'><collision name='c'><geometry><plane/></geometry></collision>\n"
     "</link></model></world></sdf>\n"},
    {"mesh.obj", MESH("mesh.obj"),
     "v 0 0 0\nv 3 0 0\nv 3 0 3\nv 2 0 3\nv 2 0 1\nv 1 0 1\nv 1 0 3\nv 0 0 3\nv 0 2 0\nv 3 2 0\nv 3 2 3\nv 2 2 3\n"
     "v 2 2 1\nv 1 2 1\nv 1 2 3\nv 0 2 3\nf 1 2 3 4 5 6 7 8\nf 16 15 14 13 12 11 10 9\nf 1 9 10 2\nf 2 10 11 3\n"
     "f 3 11 12 4\nf 4 12 13 5\nf 5 13 14 6\nf 6 14 15 7\nf 7 15 16 8\nf 8 16 9 1\n"},
    {"mesh.off", MESH("mesh.off"), "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"},
    {"mesh.ply", MESH("mesh.ply"),
     "ply\nformat ascii 1.0\ncomment a\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
     "element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
     "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"},
    {"mesh.dae", MESH("mesh.dae"),
     "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n"
     "<asset><unit meter='0.01'/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>\n"
     "<source id='p'><float_array id='a' count='12'>0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>\n"
     "<accessor source='#a' count='4' stride='3'><param name='X' type='float'/><param name='Y' type='float'/>\n"
     "<param name='Z' type='float'/></accessor></technique_common></source><vertices id='v'>\n"
     "<input semantic='POSITION' source='#p'/></vertices><triangles count='4'>\n"
     "<input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles></mesh></geometry>\n"
     "</library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'><matrix>1 0 0 0 0 1 0 0 0 0 1 0\n"
     "0 0 0 1</matrix><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>\n"
     "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n"},
    {"robot.xml", TIME "'include': {'file': 'robot.xml', 'unsupported': 'skip'}}",
     "<mujoco><compiler angle='degree'/><default><geom friction='0.5'/></default><asset>\n"
     "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom name='f' type='plane' size='1 1 1'/>\n"
     "<body name='a' pos='0 0 2'><freejoint/><geom type='mesh' mesh='m'/><body name='b' pos='2 0 0'>\n"
     "<joint name='j' axis='0 1 0' range='-9 9' limited='true'/><geom size='0.1 0.2' type='capsule'/></body>\n"
     "<body name='c' pos='-1 0 0'><joint name='k' type='slide'/><geom type='ellipsoid' size='0.1 0.2 0.3'/></body>\n"
     "<frame euler='0 0 9'><replicate count='2' offset='0 3 0'><body name='d'><joint damping='1' springref='2'/>\n"
     "<geom size='.1' condim='1'/></body></replicate></frame></body></worldbody><contact><exclude body1='a' "
     "body2='c'/></contact><equality>\n"
     "<joint joint1='j' joint2='k' polycoef='0 2 0 0 0'/></equality><tendon><fixed name='t' range='0 1'><joint "
     "joint='j' "
     "coef='2'/><joint joint='k' coef='-1'/></fixed></tendon><actuator><position joint='k' kp='3'/><motor tendon='t' "
     "ctrlrange='-1 1'/></actuator>\n"
     "</mujoco>\n"},
    {"robot.xml", TIME "'include': {'file': 'robot.xml', 'unsupported': 'skip', 'keyframe': 'k'}}",
     "<mujoco><compiler fitaabb='true' balanceinertia='true'/><asset><hfield name='h' nrow='2' ncol='3' size='1 2 3 "
     ".1' "
     "elevation='0 1 2 3 4 5'/>\n<mesh name='m' inertia='shell' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>\n"
     "<geom type='hfield' hfield='h' pos='0 0 -9'/><body name='p' mocap='true' pos='0 0 1'/><body name='a' pos='0 0 "
     "2'>\n"
     "<freejoint/><geom type='mesh' mesh='m' shellinertia='true'/><body name='b' pos='2 0 0'><joint name='j' "
     "springdamper='.1 1'/>\n<geom type='capsule' mesh='m' fitscale='.5'/></body></body><body name='c' pos='5 0 0'>"
     "<freejoint/><geom size='.1 .2' type='cylinder' shellinertia='true'/></body>\n<body name='d' pos='9 0 "
     "0'><freejoint/>"
     "<geom size='.1'/></body></worldbody><equality><weld body1='p' body2='a' relpose='0 0 1 1 0 0 0'/>\n<connect "
     "body1='b' body2='c' anchor='1 0 0'/><weld body1='d' body2='b'/></equality><actuator><position joint='j' kp='3' "
     "dampratio='1'/></actuator>\n<keyframe><key name='k' qpos='0 0 0 1 0 0 0 .1 0 0 0 1 0 0 0 0 0 0 1 0 0 "
     "0'/></keyframe>"
     "</mujoco>\n"},
    {"mesh.gltf", MESH("mesh.gltf"),
     "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0, "
     "\"scale\": [1, 2, 1], \"rotation\": [0, 0, 0, 1]}],\n"
     "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1, \"mode\": 4}]}],\n"
     "\"buffers\": [{\"uri\": \"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"
     "AAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAQACAAMAAgAAAAMA\", \"byteLength\": 72}],\n"
     "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48}, {\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": "
     "24}],\n"
     "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\", \"min\": [0, 0, "
     "0], "
     "\"max\": [1, 1, 1]},\n{\"bufferView\": 1, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\"}]}\n"},
    {"mesh.stl", MESH("mesh.stl"),
     "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
     "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet\n"
     "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet\n"
     "facet normal 0 0 0 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet\nendsolid a\n"},
    {"mesh.vtk", MESH("mesh.vtk"),
     "# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n.2 .3 .4\n0 0 0\n1 0 0\n0 2 0\n"
     "0 0 3\nCELLS 4 20\n4 0 1 3 2\n4 0 1 2 4\n4 0 1 4 3\n4 0 2 3 4\nCELL_TYPES 4\n10\n10\n10\n10\n"},
    {"robot.sdf", TIME "'include': {'file': 'robot.sdf'}}",
     "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>1</mass></inertial></link><link name='b'>\n"
     "<pose>1 0 0 0 0 0</pose></link><link name='c'><pose>2 0 0 0 0 1</pose></link><joint name='i' type='revolute'>\n"
     "<parent>world</parent><child>a</child></joint><joint name='j' "
     "type='revolute'><parent>a</parent><child>b</child>\n"
     "</joint><joint name='k' type='ball'><parent>b</parent><child>c</child></joint><joint name='l' type='revolute'>\n"
     "<pose>0 1 0 0 0 0</pose><parent>a</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint><joint name='n' \n"
     "type='fixed'><parent>world</parent><child>c</child></joint></model></sdf>\n"},
    {"robot.xml", TIME "'include': {'file': 'robot.xml', 'unsupported': 'skip', 'keyframe': 'k'}}",
     "<mujoco><option><flag clampctrl='disable'/></option><worldbody><body name='a'><joint name='i'/><geom size='.1' \n"
     "pos='1 0 0'/><body name='b' pos='2 0 0'><joint name='j' stiffness='1 2 3'/><geom size='.1' pos='1 0 0'/></body>\n"
     "</body><body name='c' pos='2 2 0'><joint name='l' type='slide'/><geom size='.1'/></body></worldbody><equality>\n"
     "<connect body1='b' body2='c' anchor='0 1 0'/><weld body1='b' body2='world' relpose='1 0 0 1 0 0 1' \n"
     "torquescale='.5'/><joint joint1='l' polycoef='.1 0 0 0 0'/></equality><tendon><fixed name='t' stiffness='2' \n"
     "springlength='.1' damping='1' range='-1 1' armature='.1' frictionloss='.2'><joint joint='i' coef='-2'/></fixed>\n"
     "</tendon><actuator><motor joint='i' ctrlrange='-1 1'/></actuator><keyframe><key name='k' ctrl='3' qvel='1 0 "
     "0'/>\n"
     "</keyframe></mujoco>\n"},
    {"robot.sdf", TIME "'include': {'file': 'robot.sdf', 'self_contact': 'file'}}",
     "<sdf version='1.10'><world name='w'><frame name='f'><pose>0 0 1 0 0 0</pose></frame><model name='r' \n"
     "canonical_link='b' placement_frame='b'><pose relative_to='f' degrees='1'>0 0 0 0 0 90</pose><model name='n'>\n"
     "<link name='a'><gravity>0</gravity><inertial auto='true'><density>300</density></inertial><collision name='c'>\n"
     "<density>20</density><geometry><sphere><radius>.1</radius></sphere></geometry><surface><friction><ode><mu>.2</"
     "mu>\n"
     "</ode></friction><contact><collide_bitmask>3</collide_bitmask></contact></surface></collision></link>\n"
     "<frame name='g' attached_to='a'><pose>0 1 0 0 0 0</pose></frame></model><link name='b'><pose \n"
     "rotation_format='quat_xyzw'>3 0 0 0 0 0 1</pose><inertial><mass>1</mass></inertial><collision "
     "name='c'><geometry>\n"
     "<cylinder><radius>.1</radius><length>.2</length></cylinder></geometry><drake:proximity_properties>\n"
     "<drake:mu_static>.5</drake:mu_static></drake:proximity_properties></collision></link><link name='c'><pose>6 0 0\n"
     " 0 0 0</pose><inertial><mass>1</mass></inertial></link><joint name='j' "
     "type='universal'><parent>b</parent><child>\n"
     "n::g</child><axis><xyz expressed_in='n::g'>1 0 "
     "0</xyz><initial_position>.1</initial_position></axis><axis2><xyz>0 \n"
     "1 0</xyz></axis2></joint><joint name='k' type='prismatic'><parent>b</parent><child>c</child><axis><xyz>1 0 0\n"
     "</xyz></axis></joint></model><model name='s'><static>1</static><link name='c'><collision name='c'><geometry>\n"
     "<box><size>1 1 1</size></box></geometry></collision></link></model></world></sdf>\n"},
    {"robot.xml", TIME "'include': {'file': 'robot.xml', 'unsupported': 'skip', 'prefix': 'p_'}}",
     "<mujoco><compiler angle='radian' eulerseq='zXy'/><default><joint damping='.1'/><default class='c'><geom "
     "type='box'\n"
     " size='.1 .2 .3'/><motor gear='2'/></default></default><worldbody><body name='a'><joint type='free' "
     "armature='.2'/>\n"
     "<geom class='c'/><site name='s' fromto='0 0 0 1 0 0'/><frame zaxis='1 0 0' childclass='c'><replicate count='3' \n"
     "sep='-' offset='.1 0 0' euler='0 1 0'><body name='b' pos='2 0 0' axisangle='1 0 0 2'><joint name='j' ref='.1'/>\n"
     "<geom/></body></replicate></frame></body><body name='d' pos='0 5 0' gravcomp='.5'><joint type='ball' \n"
     "armature='.3' stiffness='1'/><geom type='ellipsoid' size='.1 .2 .3' mass='2'/><site "
     "name='t'/></body></worldbody>\n"
     "<tendon><spatial name='u' stiffness='3'><site site='s'/><site \n"
     "site='t'/></spatial></tendon><actuator><motor joint='j-1' class='c'/><general tendon='u' biastype='affine'/>\n"
     "</actuator></mujoco>\n"},
    {"mesh.dae", MESH("mesh.dae"),
     "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n"
     "<asset/><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='12'>0 0 0 1 0 0 0 "
     "1\n"
     " 0 0 0 1</float_array><technique_common><accessor source='#a' count='4' stride='3'><param name='X' "
     "type='float'/>\n"
     "<param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source><vertices "
     "id=\n"
     "'v'><input semantic='POSITION' source='#p'/></vertices><polylist count='4'><input semantic='VERTEX' source='#v' "
     "\n"
     "offset='0'/><vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 1 2 3 2 0 3</p></polylist></mesh></geometry>\n"
     "</library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'><rotate>0 0 3 40</rotate><rotate \n"
     "sid='x'>1 0 0 20</rotate><scale>1 -1 2</scale><rotate>.1 .2 .3 -10</rotate><instance_geometry url='#g'/></node>\n"
     "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>\n"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], MOST = 4096 };

static long accepted[KINDS], refused[KINDS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static int entered;
  struct dc_scene *scene;
  struct dc_error error = {0};
  if (!size)
    return 0;
#ifdef DC_LIBFUZZER
  if (!entered)
    enter_temporary_folder();
#endif
  if (!entered++)
    write_scene(
        "robot.urdf",
        "<robot name='r'><link name='a'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        "<link name='b'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin xyz='1 0 0'/></joint></robot>");
  const struct kind *kind = &kinds[data[0] % KINDS];
  write_bytes(kind->file, data + 1, size - 1);
  write_scene("scene.json", kind->scene);
  enum dc_status status = dc_scene_read("scene.json", NULL, &scene, &error);
  if (!status) {
    accepted[data[0] % KINDS]++;
    check_read_back(scene);
    return 0;
  }
  refused[data[0] % KINDS]++;
  if (scene || error.status != status || !(strstr(error.text, "robot.") || strstr(error.text, "scene.json:")))
    complain("a refused file needs a message with its place");
  return 0;
}

#ifndef DC_LIBFUZZER

static const char *const pieces[] = {"<", ">", "/>", "&amp;", "&#0;", "'",      "<!--", "nan",  "1e999",       "-1",
                                     "0", "a", "\n", "99999", "#",    "1e-300", " ",    "\xff", "<!DOCTYPE a>"};

static void damage_kind(int kind, int rounds)
{
  struct dc_random random;
  seed_damage(&random, (uint64_t)kind + 5);
  for (int i = 0; i < rounds; i++) {
    char text[MOST + 2];
    size_t size = strlen(kinds[kind].seed);
    memcpy(text + 1, kinds[kind].seed, size + 1);
    if (i)
      size = damage_text(&random, text + 1, size, MOST, pieces, sizeof pieces / sizeof pieces[0]);
    text[0] = (char)kind;
    LLVMFuzzerTestOneInput((const uint8_t *)text, size + 1);
    CHECK(!complaint, "%s, round %d: %s\n#   %.*s", kinds[kind].file, i, complaint, (int)size, text + 1);
    complaint = NULL;
    CHECK(i || accepted[kind] == 1, "the undamaged %s is refused", kinds[kind].file);
  }
  CHECK(accepted[kind] > rounds / 100 && refused[kind] > rounds / 20, " ");
  printf("# %s: %ld accepted, %ld refused\n", kinds[kind].file, accepted[kind], refused[kind]);
}

static void test_damaged_files(void)
{
  int rounds = damage_rounds(120);
  for (int kind = 0; kind < KINDS; kind++)
    if (!dc_mesh_is_foreign(kinds[kind].file) || dc_assimp_version())
      damage_kind(kind, rounds);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"damaged files of robots", test_damaged_files})

#endif
