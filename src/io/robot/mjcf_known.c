// SPDX-License-Identifier: Apache-2.0
// The attributes of MJCF (https://mujoco.readthedocs.io/en/stable/XMLreference.html) and what each is here.  The reader
// gets nothing that this list does not say to act; notes, docs/robots.md and its test are made of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_tree.h"

#define ACTS(element, attribute)                                                                                       \
  {                                                                                                                    \
    element, attribute, DC_MJCF_ACTS, NULL, NULL                                                                       \
  }
#define HARMLESS(element, attribute)                                                                                   \
  {                                                                                                                    \
    element, attribute, DC_MJCF_HARMLESS, NULL, NULL                                                                   \
  }
#define ABSENT(element, attribute, neutral, text)                                                                      \
  {                                                                                                                    \
    element, attribute, DC_MJCF_ABSENT, neutral, text                                                                  \
  }

#define PLACED(element)                                                                                                \
  ACTS(element, "pos"), ACTS(element, "quat"), ACTS(element, "axisangle"), ACTS(element, "xyaxes"),                    \
      ACTS(element, "zaxis"), ACTS(element, "euler")
#define CALLED(element) ACTS(element, "name"), ACTS(element, "class")
#define SOFT_CONTACT(element)                                                                                          \
  ABSENT(element, "solref", NULL, "its contacts' time constant and damping (here: \"contact\" of the scene)"),         \
      ABSENT(element, "solimp", NULL, "its contacts' impedance (here: \"contact\" of the scene)")
// Springs, ranges and the like of tendons are read so that they can be named.
#define TENDON(element)                                                                                                \
  HARMLESS(element, "group"), HARMLESS(element, "user"), HARMLESS(element, "width"), HARMLESS(element, "material"),    \
      HARMLESS(element, "rgba"), ACTS(element, "limited"), ACTS(element, "range"), ACTS(element, "stiffness"),         \
      ACTS(element, "damping"), ACTS(element, "frictionloss"), ACTS(element, "armature"),                              \
      ACTS(element, "springlength"), ABSENT(element, "solreflimit", NULL, "how soft the ends of its range are"),       \
      ABSENT(element, "solimplimit", NULL, "how soft the ends of its range are"),                                      \
      ABSENT(element, "solreffriction", NULL, "how soft its friction is"),                                             \
      ABSENT(element, "solimpfriction", NULL, "how soft its friction is"), ACTS(element, "margin"),                    \
      ABSENT(element, "actuatorfrcrange", NULL, "a limit of all forces along it"),                                     \
      ABSENT(element, "actuatorfrclimited", "false", "a limit of all forces along it")
#define HELD(element)                                                                                                  \
  CALLED(element), ACTS(element, "active"), ACTS(element, "body1"), ACTS(element, "body2"), ACTS(element, "site1"),    \
      ACTS(element, "site2"), ACTS(element, "anchor"), ABSENT(element, "solref", NULL, "how soft it is"),              \
      ABSENT(element, "solimp", NULL, "how soft it is")
#define DRIVEN(element)                                                                                                \
  ACTS(element, "*"), CALLED(element), ACTS(element, "group"), HARMLESS(element, "user"), ACTS(element, "joint"),      \
      ACTS(element, "jointinparent"), ACTS(element, "tendon"), ACTS(element, "site"), ACTS(element, "body"),           \
      ACTS(element, "refsite"), ACTS(element, "cranksite"), ACTS(element, "slidersite"),                               \
      ABSENT(element, "cranklength", "0", "the length of a crank"), HARMLESS(element, "lengthrange"),                  \
      ACTS(element, "gear"), ACTS(element, "ctrllimited"), ACTS(element, "ctrlrange"), ACTS(element, "forcelimited"),  \
      ACTS(element, "forcerange"), ABSENT(element, "delay", "0", "controls would act later"),                          \
      HARMLESS(element, "interp"), HARMLESS(element, "nsample"),                                                       \
      ABSENT(element, "damping", "0", "damping of the actuator's own"),                                                \
      ABSENT(element, "armature", "0", "inertia of the actuator's own")

const struct dc_mjcf_known dc_mjcf_known[] = {
    ACTS("mujoco", "*"),
    HARMLESS("mujoco", "model"),
    ACTS("mujocoinclude", "*"),
    HARMLESS("mujocoinclude", "model"),

    ACTS("compiler", "*"),
    ACTS("compiler", "autolimits"),
    ACTS("compiler", "boundmass"),
    ACTS("compiler", "boundinertia"),
    ACTS("compiler", "settotalmass"),
    ACTS("compiler", "balanceinertia"),
    ACTS("compiler", "strippath"),
    ACTS("compiler", "coordinate"),
    ACTS("compiler", "angle"),
    ACTS("compiler", "fitaabb"),
    ACTS("compiler", "eulerseq"),
    ACTS("compiler", "meshdir"),
    HARMLESS("compiler", "texturedir"),
    ACTS("compiler", "assetdir"),
    HARMLESS("compiler", "discardvisual"),
    ABSENT("compiler", "convexhull", "true", "meshes would touch without hulls"),
    HARMLESS("compiler", "usethread"),
    HARMLESS("compiler", "fusestatic"),
    ACTS("compiler", "inertiafromgeom"),
    ACTS("compiler", "inertiagrouprange"),
    ACTS("compiler", "exactmeshinertia"),
    ACTS("compiler", "alignfree"),
    HARMLESS("compiler", "saveinertial"),
    HARMLESS("compiler", "assetcheck"),
    HARMLESS("compiler", "conflict"),
    HARMLESS("lengthrange", "*"),

    ACTS("option", "*"),
    ABSENT("option", "timestep", NULL, "the time step; the scene's \"time\" says it here"),
    HARMLESS("option", "apirate"),
    ABSENT("option", "impratio", "1", "how much stiffer friction is than normal forces"),
    ACTS("option", "gravity"),
    ABSENT("option", "wind", "0 0 0", "moves the medium that drags bodies"),
    HARMLESS("option", "magnetic"),
    ABSENT("option", "density", "0", "drag of the medium on every body, by its density"),
    ABSENT("option", "viscosity", "0", "drag of the medium on every body, by its viscosity"),
    ABSENT("option", "o_margin", NULL, "margin of all contacts with the flag override"),
    ABSENT("option", "o_solref", NULL, "time constants of all contacts with the flag override"),
    ABSENT("option", "o_solimp", NULL, "impedances of all contacts with the flag override"),
    ABSENT("option", "o_friction", NULL, "friction of all contacts with the flag override"),
    HARMLESS("option", "integrator"),
    HARMLESS("option", "cone"),
    HARMLESS("option", "jacobian"),
    HARMLESS("option", "solver"),
    HARMLESS("option", "iterations"),
    HARMLESS("option", "tolerance"),
    HARMLESS("option", "ls_iterations"),
    HARMLESS("option", "ls_tolerance"),
    HARMLESS("option", "noslip_iterations"),
    HARMLESS("option", "noslip_tolerance"),
    HARMLESS("option", "mpr_iterations"),
    HARMLESS("option", "mpr_tolerance"),
    HARMLESS("option", "ccd_iterations"),
    HARMLESS("option", "ccd_tolerance"),
    HARMLESS("option", "sdf_iterations"),
    HARMLESS("option", "sdf_initpoints"),
    HARMLESS("option", "sleep_tolerance"),
    ACTS("option", "collision"),
    ACTS("option", "actuatorgroupdisable"),
    ACTS("flag", "*"),
    ACTS("flag", "constraint"),
    ACTS("flag", "equality"),
    ACTS("flag", "frictionloss"),
    ACTS("flag", "limit"),
    ACTS("flag", "contact"),
    ACTS("flag", "passive"),
    ACTS("flag", "spring"),
    ACTS("flag", "damper"),
    ACTS("flag", "gravity"),
    ACTS("flag", "clampctrl"),
    HARMLESS("flag", "warmstart"),
    ACTS("flag", "filterparent"),
    ACTS("flag", "actuation"),
    HARMLESS("flag", "refsafe"),
    HARMLESS("flag", "sensor"),
    HARMLESS("flag", "midphase"),
    HARMLESS("flag", "nativeccd"),
    HARMLESS("flag", "eulerdamp"),
    HARMLESS("flag", "autoreset"),
    HARMLESS("flag", "island"),
    HARMLESS("flag", "invdiscrete"),
    HARMLESS("flag", "multiccd"),
    HARMLESS("flag", "energy"),
    HARMLESS("flag", "fwdinv"),
    HARMLESS("flag", "sensornoise"),
    HARMLESS("flag", "sleep"),
    ABSENT("flag", "override", "disable", "parameters of all contacts would be those of <option o_...>"),

    HARMLESS("size", "*"),
    HARMLESS("visual", "*"),
    HARMLESS("statistic", "*"),
    HARMLESS("sensor", "*"),
    HARMLESS("custom", "*"),
    ABSENT("extension", "*", NULL, "plug-ins"),
    ABSENT("deformable", "*", NULL, "soft bodies and skins (here: \"soft\" of a body)"),

    ACTS("asset", "*"),
    HARMLESS("texture", "*"),
    ACTS("material", "*"),
    CALLED("material"),
    ACTS("material", "rgba"),
    HARMLESS("material", "texture"),
    HARMLESS("material", "texrepeat"),
    HARMLESS("material", "texuniform"),
    HARMLESS("material", "emission"),
    HARMLESS("material", "specular"),
    HARMLESS("material", "shininess"),
    HARMLESS("material", "reflectance"),
    HARMLESS("material", "metallic"),
    HARMLESS("material", "roughness"),
    HARMLESS("layer", "*"),
    ACTS("mesh", "*"),
    CALLED("mesh"),
    HARMLESS("mesh", "content_type"),
    ACTS("mesh", "file"),
    ACTS("mesh", "vertex"),
    ACTS("mesh", "face"),
    HARMLESS("mesh", "normal"),
    HARMLESS("mesh", "texcoord"),
    ACTS("mesh", "scale"),
    HARMLESS("mesh", "smoothnormal"),
    ABSENT("mesh", "maxhullvert", "-1", "its hull would have fewer corners"),
    HARMLESS("mesh", "material"),
    HARMLESS("mesh", "octree_maxdepth"),
    ACTS("mesh", "inertia"),
    ACTS("mesh", "refpos"),
    ACTS("mesh", "refquat"),
    ACTS("mesh", "builtin"),
    ABSENT("mesh", "params", NULL, "the shape of a built-in mesh"),
    ACTS("hfield", "*"),
    CALLED("hfield"),
    ACTS("hfield", "file"),
    ACTS("hfield", "nrow"),
    ACTS("hfield", "ncol"),
    ACTS("hfield", "size"),
    ACTS("hfield", "elevation"),
    HARMLESS("hfield", "content_type"),
    HARMLESS("skin", "*"),
    ABSENT("model", "*", NULL, "another model to be attached"),

    ACTS("default", "*"),
    ACTS("default", "class"),

    ACTS("worldbody", "*"),
    HARMLESS("worldbody", "name"),
    HARMLESS("worldbody", "user"),
    ACTS("worldbody", "childclass"),
    ACTS("body", "*"),
    ACTS("body", "name"),
    ACTS("body", "childclass"),
    ACTS("body", "mocap"),
    PLACED("body"),
    ACTS("body", "gravcomp"),
    HARMLESS("body", "user"),
    HARMLESS("body", "sleep"),
    ACTS("frame", "*"),
    HARMLESS("frame", "name"),
    ACTS("frame", "childclass"),
    PLACED("frame"),
    ACTS("replicate", "*"),
    ACTS("replicate", "count"),
    ACTS("replicate", "sep"),
    ACTS("replicate", "offset"),
    ACTS("replicate", "euler"),
    ACTS("replicate", "childclass"),
    ACTS("inertial", "*"),
    PLACED("inertial"),
    ACTS("inertial", "mass"),
    ACTS("inertial", "diaginertia"),
    ACTS("inertial", "fullinertia"),
    ACTS("joint", "*"),
    CALLED("joint"),
    ACTS("joint", "type"),
    HARMLESS("joint", "group"),
    ACTS("joint", "pos"),
    ACTS("joint", "axis"),
    ACTS("joint", "springdamper"),
    ABSENT("joint", "solreflimit", NULL, "how soft the ends of its range are"),
    ABSENT("joint", "solimplimit", NULL, "how soft the ends of its range are"),
    ABSENT("joint", "solreffriction", NULL, "how soft its friction is"),
    ABSENT("joint", "solimpfriction", NULL, "how soft its friction is"),
    ACTS("joint", "stiffness"),
    ACTS("joint", "range"),
    ACTS("joint", "limited"),
    ACTS("joint", "margin"),
    ACTS("joint", "ref"),
    ACTS("joint", "springref"),
    ACTS("joint", "armature"),
    ACTS("joint", "damping"),
    ACTS("joint", "frictionloss"),
    ACTS("joint", "actuatorfrcrange"),
    ACTS("joint", "actuatorfrclimited"),
    ABSENT("joint", "actuatorgravcomp", "false", "forces against weights would count as the actuator's"),
    HARMLESS("joint", "user"),
    ACTS("freejoint", "*"),
    ACTS("freejoint", "name"),
    HARMLESS("freejoint", "group"),
    ACTS("freejoint", "align"),
    ACTS("geom", "*"),
    CALLED("geom"),
    ACTS("geom", "type"),
    ACTS("geom", "contype"),
    ACTS("geom", "conaffinity"),
    ACTS("geom", "condim"),
    ACTS("geom", "group"),
    ACTS("geom", "priority"),
    ACTS("geom", "size"),
    ACTS("geom", "material"),
    ACTS("geom", "rgba"),
    ACTS("geom", "friction"),
    ACTS("geom", "mass"),
    ACTS("geom", "density"),
    ACTS("geom", "shellinertia"),
    ABSENT("geom", "solmix", "1", "its weight where parameters of contacts are mixed"),
    SOFT_CONTACT("geom"),
    ABSENT("geom", "margin", "0", "how far from others it rests: MuJoCo adds the margins of both (here: none)"),
    ABSENT("geom", "gap", "0", "how much nearer its contacts are without force (it moves nothing in MuJoCo 3.14)"),
    ACTS("geom", "fromto"),
    PLACED("geom"),
    ACTS("geom", "hfield"),
    ACTS("geom", "mesh"),
    ACTS("geom", "fitscale"),
    ABSENT("geom", "fluidshape", "none", "drag of the medium by an ellipsoid"),
    ABSENT("geom", "fluidcoef", NULL, "drag of the medium by an ellipsoid"),
    HARMLESS("geom", "user"),
    ABSENT("attach", "*", NULL, "another model would be attached"),
    HARMLESS("site", "*"),
    CALLED("site"),
    ACTS("site", "fromto"),
    PLACED("site"),
    HARMLESS("camera", "*"),
    HARMLESS("light", "*"),
    ABSENT("plugin", "*", NULL, "a plug-in"),
    ABSENT("composite", "*", NULL, "a body composed of many"),
    ABSENT("flexcomp", "*", NULL, "a soft body"),

    ACTS("contact", "*"),
    ACTS("pair", "*"),
    CALLED("pair"),
    ACTS("pair", "geom1"),
    ACTS("pair", "geom2"),
    ACTS("pair", "condim"),
    ACTS("pair", "friction"),
    SOFT_CONTACT("pair"),
    ABSENT("pair", "solreffriction", NULL, "how soft its friction is"),
    ABSENT("pair", "margin", "0", "how far apart both rest (here: none)"),
    ABSENT("pair", "gap", "0", "how much nearer its contacts are without force (it moves nothing in MuJoCo 3.14)"),
    ACTS("exclude", "*"),
    HARMLESS("exclude", "name"),
    ACTS("exclude", "body1"),
    ACTS("exclude", "body2"),

    ACTS("equality", "*"),
    ABSENT("equality", "solref", NULL, "how soft equalities are"),
    ABSENT("equality", "solimp", NULL, "how soft equalities are"),
    ACTS("equality", "active"),
    ACTS("equality/joint", "*"),
    CALLED("equality/joint"),
    ACTS("equality/joint", "active"),
    ACTS("equality/joint", "joint1"),
    ACTS("equality/joint", "joint2"),
    ACTS("equality/joint", "polycoef"),
    ABSENT("equality/joint", "solref", NULL, "how soft it is (here: \"stiffness\" of a coupling)"),
    ABSENT("equality/joint", "solimp", NULL, "how soft it is (here: \"stiffness\" of a coupling)"),
    ACTS("equality/connect", "*"),
    HELD("equality/connect"),
    ACTS("equality/weld", "*"),
    HELD("equality/weld"),
    ACTS("equality/weld", "relpose"),
    ACTS("equality/weld", "torquescale"),
    ACTS("equality/tendon", "*"),
    CALLED("equality/tendon"),
    ACTS("equality/tendon", "active"),
    ACTS("equality/tendon", "tendon1"),
    ACTS("equality/tendon", "tendon2"),
    ACTS("equality/tendon", "polycoef"),
    ABSENT("equality/tendon", "solref", NULL, "how soft it is (here: \"stiffness\" of a coupling)"),
    ABSENT("equality/tendon", "solimp", NULL, "how soft it is (here: \"stiffness\" of a coupling)"),
    ABSENT("equality/distance", "*", NULL, "the distance of two geometries is held"),
    ABSENT("equality/flex", "*", NULL, "a soft body is held"),
    ABSENT("equality/flexvert", "*", NULL, "a soft body is held"),
    ABSENT("equality/flexstrain", "*", NULL, "a soft body is held"),

    ACTS("tendon", "*"),
    TENDON("tendon"),
    ACTS("tendon/spatial", "*"),
    CALLED("tendon/spatial"),
    TENDON("tendon/spatial"),
    HARMLESS("spatial/site", "*"),
    HARMLESS("spatial/geom", "*"),
    HARMLESS("spatial/pulley", "*"),
    ACTS("tendon/fixed", "*"),
    CALLED("tendon/fixed"),
    TENDON("tendon/fixed"),
    ACTS("fixed/joint", "*"),
    ACTS("fixed/joint", "joint"),
    ACTS("fixed/joint", "coef"),

    ACTS("actuator", "*"),
    DRIVEN("general"),
    ACTS("general", "dyntype"),
    ACTS("general", "gaintype"),
    ACTS("general", "biastype"),
    ABSENT("general", "dynprm", NULL, "how fast the actuator follows its control"),
    ACTS("general", "gainprm"),
    ACTS("general", "biasprm"),
    HARMLESS("general", "actdim"),
    HARMLESS("general", "actearly"),
    ABSENT("general", "actlimited", "false", "a limit of the actuator's own state"),
    ABSENT("general", "actrange", NULL, "a limit of the actuator's own state"),
    DRIVEN("motor"),
    DRIVEN("position"),
    ACTS("position", "kp"),
    ACTS("position", "kv"),
    ACTS("position", "dampratio"),
    ABSENT("position", "timeconst", "0", "how fast the actuator follows its control"),
    ACTS("position", "inheritrange"),
    DRIVEN("velocity"),
    ACTS("velocity", "kv"),
    DRIVEN("intvelocity"),
    ACTS("intvelocity", "kp"),
    ACTS("intvelocity", "kv"),
    ACTS("intvelocity", "dampratio"),
    ABSENT("intvelocity", "actrange", NULL, "a limit of the actuator's own state"),
    ACTS("intvelocity", "inheritrange"),
    DRIVEN("damper"),
    ACTS("damper", "kv"),
    DRIVEN("cylinder"),
    ABSENT("cylinder", "timeconst", NULL, "how fast the cylinder fills"),
    ABSENT("cylinder", "area", NULL, "the area of a cylinder"),
    ABSENT("cylinder", "diameter", NULL, "the diameter of a cylinder"),
    ABSENT("cylinder", "bias", NULL, "a cylinder's own force"),
    DRIVEN("muscle"),
    HARMLESS("muscle", "timeconst"),
    HARMLESS("muscle", "range"),
    HARMLESS("muscle", "force"),
    HARMLESS("muscle", "scale"),
    HARMLESS("muscle", "lmin"),
    HARMLESS("muscle", "lmax"),
    HARMLESS("muscle", "vmax"),
    HARMLESS("muscle", "fpmax"),
    HARMLESS("muscle", "fvmax"),
    HARMLESS("muscle", "tausmooth"),
    DRIVEN("adhesion"),
    HARMLESS("adhesion", "gain"),

    ACTS("keyframe", "*"),
    ACTS("key", "*"),
    ACTS("key", "name"),
    HARMLESS("key", "time"),
    ACTS("key", "qpos"),
    ACTS("key", "qvel"),
    ABSENT("key", "act", NULL, "states of actuators at the start"),
    ACTS("key", "ctrl"),
    ABSENT("key", "mpos", NULL, "where mocap bodies start"),
    ABSENT("key", "mquat", NULL, "how mocap bodies start turned"),
    {NULL, NULL, DC_MJCF_HARMLESS, NULL, NULL},
};

// Elements whose names stand for something else in other sections or elements.
static const char *prefix_of(const struct dc_mjcf_node *node)
{
  static const char *const prefixes[] = {"equality/", "tendon/", "fixed/", "spatial/"};
  const char *parent = node->parent ? node->parent->name : "";
  size_t length = strlen(parent);
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
    if (strncmp(prefixes[k], parent, length) == 0 && strcmp(prefixes[k] + length, "/") == 0)
      return prefixes[k];
  return "";
}

// The rows of an element stand together.
static const struct dc_mjcf_known *first_row(const struct dc_mjcf_node *node)
{
  const char *prefix = prefix_of(node);
  size_t length = strlen(prefix);
  for (const struct dc_mjcf_known *row = dc_mjcf_known; row->element; row++)
    if (strncmp(row->element, prefix, length) == 0 && strcmp(row->element + length, node->name) == 0)
      return row;
  return NULL;
}

// An attribute of an element, by the element's rows.  Rows of an element follow each other, so the search ends
// with the first row of another.
const struct dc_mjcf_known *dc_mjcf_find_known(const struct dc_mjcf_node *node, const char *attribute)
{
  const struct dc_mjcf_known *first = first_row(node);
  for (const struct dc_mjcf_known *row = first; row && row->element && strcmp(row->element, first->element) == 0; row++)
    if (strcmp(row->attribute, attribute) == 0)
      return row;
  return NULL;
}

// Something to be told once: what, its first place, how often.
struct finding {
  const struct dc_mjcf_known *row;  // NULL: unknown
  const struct dc_mjcf_node *node;
  const char *attribute;  // NULL: the element
  bool idle;              // it acts elsewhere
  int count;
};

struct findings {
  struct finding *all;
  size_t count, capacity;
  bool failed;
};

// Adds a finding, or counts it up where the same has been found already.  More than 2,000 different ones are
// not told.
static void remember(struct findings *findings, const struct finding *found)
{
  for (size_t i = 0; i < findings->count; i++) {
    struct finding *known = &findings->all[i];
    const char *a = known->attribute ? known->attribute : "*", *b = found->attribute ? found->attribute : "*";
    if (known->row == found->row && known->idle == found->idle && strcmp(known->node->name, found->node->name) == 0 &&
        strcmp(a, b) == 0) {
      known->count++;
      return;
    }
  }
  if (findings->count >= 2000 ||
      dc_grow(&findings->all, &findings->capacity, findings->count + 1, sizeof *findings->all)) {
    findings->failed |= findings->count < 2000;
    return;
  }
  findings->all[findings->count++] = *found;
}

// Whether two values are the same numbers or the same word.
static bool same_value(const char *value, const char *neutral)
{
  for (;;) {
    value += strspn(value, " \t\r\n");
    neutral += strspn(neutral, " ");
    if (!*value || !*neutral)
      return !*value;
    char *end, *other;
    double a = strtod(value, &end), b = strtod(neutral, &other);
    if (end != value && other != neutral ? a != b : strcmp(value, neutral) != 0)
      return false;
    if (end == value || other == neutral)
      return true;
    value = end;
    neutral = other;
  }
}

// Walks the tree and gathers three kinds of findings: elements and attributes that the list does not know; ones
// that it calls absent, unless their value is neutral; ones that act but that nobody has asked for.  The last
// kind is not looked for below <default>, where a class may well serve nobody.  Below an element that does not
// act nothing is looked at.
static void look_at(struct findings *findings, const struct dc_mjcf_node *node, bool defaults)
{
  const struct dc_mjcf_known *own = dc_mjcf_find_known(node, "*");
  if (!own || own->role == DC_MJCF_ABSENT)
    remember(findings, &(struct finding){.row = own, .node = node, .count = 1});
  if (!own || own->role != DC_MJCF_ACTS)
    return;
  for (int i = 0; i < node->attribute_count; i++) {
    const struct dc_mjcf_attribute *attribute = &node->attributes[i];
    const struct dc_mjcf_known *row = dc_mjcf_find_known(node, attribute->name);
    bool told = !row || row->role == DC_MJCF_ABSENT, idle = !told && row->role == DC_MJCF_ACTS && !attribute->used;
    if (told && row && row->neutral && same_value(attribute->value, row->neutral))
      continue;
    if (told || (idle && !defaults))
      remember(findings, &(struct finding){row, node, attribute->name, idle, 1});
  }
  for (const struct dc_mjcf_node *child = node->first; child; child = child->next)
    look_at(findings, child, defaults || strcmp(node->name, "default") == 0);
}

// One finding as a note: file, line, element, attribute, how often, and the effect that is missing.
static enum dc_status note(const struct finding *found, struct dc_notes *notes)
{
  char more[40] = "";
  const char *attribute = found->attribute;
  if (found->count > 1)
    snprintf(more, sizeof more, " (and %d more)", found->count - 1);
  return dc_notes_add(notes, "%s:%ld: <%.60s%s%.60s>%s: %s%s", found->node->file->name, dc_mjcf_line(found->node),
                      found->node->name, attribute ? " " : "", attribute ? attribute : "", more,
                      !found->row   ? "is not known and not read"
                      : found->idle ? "does nothing here"
                                    : "does not act: ",
                      found->row && !found->idle ? found->row->text : "");
}

// Must run after everything has been read, since "used" of the attributes is what tells those that do nothing.
enum dc_status dc_mjcf_note_attributes(const struct dc_mjcf_node *root, struct dc_notes *notes)
{
  struct findings findings = {0};
  enum dc_status status = DC_OK;
  look_at(&findings, root, false);
  for (size_t i = 0; i < findings.count && !status; i++)
    status = note(&findings.all[i], notes);
  if (findings.failed)
    status = DC_MEMORY;
  free(findings.all);
  return status;
}
