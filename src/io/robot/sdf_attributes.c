// SPDX-License-Identifier: Apache-2.0
// Elements and attributes of SDF that are not read.  The reader marks every element and attribute that it uses; all
// others are looked up here, attributes with "@" before their names.  Harmless ones are passed over, known ones are
// noted with their effect, unknown ones as unknown.  There is one note for each kind of element, with the place of the
// first.
#include "io/robot/attribute_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/notes.h"
#include "io/robot/sdf_reader.h"

// Rows for elements (attribute NULL), inside of any parent where parent is NULL; the first row that fits counts.
const struct dc_attribute_row dc_sdf_rows[] = {
    {NULL, "@name", DC_ATTRIBUTE_HARMLESS, ""},
    {"sdf", "@version", DC_ATTRIBUTE_HARMLESS, ""},
    {"joint", "@type", DC_ATTRIBUTE_HARMLESS, "of a static model"},
    {"mesh", "@optimization", DC_ATTRIBUTE_ABSENT, "\"convex\" of the include says what becomes of meshes"},
    {"sdf", "actor", DC_ATTRIBUTE_ABSENT, "an animated figure is left out"},
    {"sdf", "light", DC_ATTRIBUTE_HARMLESS, "pictures have lights of their own"},
    {"world", "light", DC_ATTRIBUTE_HARMLESS, "pictures have lights of their own"},
    {"world", "scene", DC_ATTRIBUTE_HARMLESS, "looks of pictures"},
    {"world", "gui", DC_ATTRIBUTE_HARMLESS, "the window of a simulator"},
    {"world", "state", DC_ATTRIBUTE_ABSENT, "a saved state is left out: bodies start where their models stand"},
    {"world", "actor", DC_ATTRIBUTE_ABSENT, "an animated figure is left out"},
    {"world", "wind", DC_ATTRIBUTE_ABSENT, "wind does not blow"},
    {"world", "atmosphere", DC_ATTRIBUTE_ABSENT, "there is no air"},
    {"world", "magnetic_field", DC_ATTRIBUTE_HARMLESS, "is felt by sensors only"},
    {"world", "spherical_coordinates", DC_ATTRIBUTE_HARMLESS, "is felt by sensors only"},
    {"world", "physics", DC_ATTRIBUTE_HARMLESS, "settings of another simulator's steps"},
    {"physics", NULL, DC_ATTRIBUTE_HARMLESS, "settings of another simulator's steps"},
    {"world", "population", DC_ATTRIBUTE_ABSENT, "repeated models are left out"},
    {"world", "road", DC_ATTRIBUTE_HARMLESS, "is painted"},
    {"world", "audio", DC_ATTRIBUTE_HARMLESS, "is heard"},
    {"model", "allow_auto_disable", DC_ATTRIBUTE_HARMLESS, "bodies at rest are not put to sleep"},
    {"model", "enable_wind", DC_ATTRIBUTE_ABSENT, "wind does not blow"},
    {"model", "gripper", DC_ATTRIBUTE_ABSENT, "a gripper that welds what it holds is left out"},
    {"model", "drake:joint", DC_ATTRIBUTE_ABSENT, "the joint is left out: what it holds moves freely"},
    {"model", "drake:linear_bushing_rpy", DC_ATTRIBUTE_ABSENT, "springs between frames are left out"},
    {"model", "drake:ball_constraint", DC_ATTRIBUTE_ABSENT, "the loop is not closed"},
    {"model", "drake:collision_filter_group", DC_ATTRIBUTE_ABSENT, "its links touch each other all the same"},
    {"link", "kinematic", DC_ATTRIBUTE_ABSENT, "forces move the link all the same"},
    {"link", "must_be_base_link", DC_ATTRIBUTE_ABSENT, "the link hangs on its joint all the same"},
    {"link", "velocity_decay", DC_ATTRIBUTE_ABSENT, "velocities do not decay"},
    {"link", "enable_wind", DC_ATTRIBUTE_ABSENT, "wind does not blow"},
    {"link", "light", DC_ATTRIBUTE_HARMLESS, "pictures have lights of their own"},
    {"link", "projector", DC_ATTRIBUTE_HARMLESS, "is seen by sensors only"},
    {"link", "battery", DC_ATTRIBUTE_HARMLESS, ""},
    {"link", "audio_source", DC_ATTRIBUTE_HARMLESS, "is heard"},
    {"link", "audio_sink", DC_ATTRIBUTE_HARMLESS, "hears"},
    {"link", "particle_emitter", DC_ATTRIBUTE_HARMLESS, "is seen only"},
    {"link", "sensor", DC_ATTRIBUTE_HARMLESS, "measures"},
    {"joint", "sensor", DC_ATTRIBUTE_HARMLESS, "measures"},
    {"inertial", "fluid_added_mass", DC_ATTRIBUTE_ABSENT, "water adds no mass"},
    {"inertial", "density", DC_ATTRIBUTE_HARMLESS, "of an inertia that is not that of the geometry"},
    {"inertial", "auto_inertia_params", DC_ATTRIBUTE_HARMLESS, "of a calculator of inertias"},
    {"inertial", "pose", DC_ATTRIBUTE_HARMLESS, "of an inertia that is that of the geometry"},
    {"inertial", "inertia", DC_ATTRIBUTE_HARMLESS, "of an inertia that is that of the geometry"},
    {"collision", "pose", DC_ATTRIBUTE_HARMLESS, "of a collision without geometry"},
    {"geometry", "empty", DC_ATTRIBUTE_HARMLESS, ""},
    {"collision", "laser_retro", DC_ATTRIBUTE_HARMLESS, "is seen by sensors only"},
    {"collision", "max_contacts", DC_ATTRIBUTE_HARMLESS, "contacts are not counted"},
    {"collision", "density", DC_ATTRIBUTE_HARMLESS, "of an inertia that is not that of the geometry"},
    {"collision", "auto_inertia_params", DC_ATTRIBUTE_HARMLESS, "of a calculator of inertias"},
    {"surface", "bounce", DC_ATTRIBUTE_ABSENT, "restitution is that of \"contact\" or of the body"},
    {"contact", NULL, DC_ATTRIBUTE_ABSENT, "stiffness and depths of contacts are not those of the file"},
    {"surface", "soft_contact", DC_ATTRIBUTE_ABSENT, "the surface is not soft"},
    {"friction", "torsional", DC_ATTRIBUTE_ABSENT, "there is no torsional friction"},
    {"friction", "bullet", DC_ATTRIBUTE_ABSENT, "friction is that of <ode> or of \"contact\""},
    {"ode", "mu2", DC_ATTRIBUTE_ABSENT, "friction is the same in all directions"},
    {"ode", "fdir1", DC_ATTRIBUTE_ABSENT, "friction is the same in all directions"},
    {"ode", "slip1", DC_ATTRIBUTE_ABSENT, "nothing creeps under friction"},
    {"ode", "slip2", DC_ATTRIBUTE_ABSENT, "nothing creeps under friction"},
    {"drake:proximity_properties", "drake:mu_static", DC_ATTRIBUTE_ABSENT, "friction at rest is that of sliding"},
    {"drake:proximity_properties", NULL, DC_ATTRIBUTE_ABSENT,
     "stiffness, dissipation and meshes of Drake's contact are not those here"},
    {"visual", NULL, DC_ATTRIBUTE_HARMLESS, "looks"},
    {"material", NULL, DC_ATTRIBUTE_HARMLESS, "looks"},
    {"mesh", "submesh", DC_ATTRIBUTE_ABSENT, "the whole mesh is taken, not a part of it"},
    {"mesh", "convex_decomposition", DC_ATTRIBUTE_ABSENT, "\"convex\" of the include says what becomes of meshes"},
    {"mesh", "drake:declare_convex", DC_ATTRIBUTE_HARMLESS, "collision meshes are convex unless the include says not"},
    {"plane", NULL, DC_ATTRIBUTE_HARMLESS, "planes have no end"},
    {"joint", "parent", DC_ATTRIBUTE_HARMLESS, "of a static model"},
    {"joint", "child", DC_ATTRIBUTE_HARMLESS, "of a static model"},
    {"joint", "axis", DC_ATTRIBUTE_HARMLESS, "a joint without axes"},
    {"joint", "axis2", DC_ATTRIBUTE_HARMLESS, "a joint without axes"},
    {"joint", "physics", DC_ATTRIBUTE_HARMLESS, "settings of another simulator's steps"},
    {"joint", "thread_pitch", DC_ATTRIBUTE_HARMLESS, "of screws, which are refused"},
    {"joint", "gearbox_ratio", DC_ATTRIBUTE_HARMLESS, "of gearboxes, which are refused"},
    {"joint", "drake:controller_gains", DC_ATTRIBUTE_ABSENT, "\"pd\" of the include gives gains"},
    {"axis", "limit", DC_ATTRIBUTE_ABSENT, "ball joints have no range"},
    {"axis", "use_parent_model_frame", DC_ATTRIBUTE_HARMLESS, "of versions below 1.7"},
    {"axis2", "use_parent_model_frame", DC_ATTRIBUTE_HARMLESS, "of versions below 1.7"},
    {"limit", "lower", DC_ATTRIBUTE_ABSENT, "continuous joints have no range"},
    {"limit", "upper", DC_ATTRIBUTE_ABSENT, "continuous joints have no range"},
    {"dynamics", "friction", DC_ATTRIBUTE_ABSENT, "ball joints have no dry friction"},
    {"dynamics", "spring_stiffness", DC_ATTRIBUTE_ABSENT, "ball joints have no spring"},
    {"dynamics", "spring_reference", DC_ATTRIBUTE_ABSENT, "ball joints have no spring"},
    {"limit", "stiffness", DC_ATTRIBUTE_ABSENT, "the ends of ranges have the stiffness of limit_stiffness"},
    {"limit", "dissipation", DC_ATTRIBUTE_ABSENT, "the ends of ranges do not dissipate"},
    {"limit", "drake:acceleration", DC_ATTRIBUTE_ABSENT, "accelerations have no limits"},
    {"limit", "drake:effort", DC_ATTRIBUTE_ABSENT, "the limit of effort is that of <effort>"},
    {"axis", "drake:rotor_inertia", DC_ATTRIBUTE_ABSENT, "the inertia of the rotor is left out"},
    {"axis", "drake:gear_ratio", DC_ATTRIBUTE_ABSENT, "the inertia of the rotor is left out"},
    {"joint", "drake:rotor_inertia", DC_ATTRIBUTE_ABSENT, "the inertia of the rotor is left out"},
    {"joint", "drake:gear_ratio", DC_ATTRIBUTE_ABSENT, "the inertia of the rotor is left out"},
    {NULL, "plugin", DC_ATTRIBUTE_ABSENT, "programs of other simulators do not run"},
    {NULL, "sensor", DC_ATTRIBUTE_HARMLESS, "measures"},
    {NULL, "description", DC_ATTRIBUTE_HARMLESS, ""},
    {NULL, "author", DC_ATTRIBUTE_HARMLESS, ""},
    {NULL, NULL, DC_ATTRIBUTE_ABSENT, NULL}};

// The first row that fits; the last one: none.
const struct dc_attribute_row *dc_attribute_find(const struct dc_attribute_row *rows, const char *parent,
                                                 const char *name)
{
  while ((rows->parent || rows->name) &&
         ((rows->parent && strcmp(rows->parent, parent) != 0) || (rows->name && strcmp(rows->name, name) != 0)))
    rows++;
  return rows;
}

// A kind of element that does not act.
struct kind {
  const char *parent, *name, *effect;
  const struct dc_xml_element *first;
  bool attribute;  // of first, whose name is parent
  int count;
};

// Kinds that have been met, in the order of their first elements; failed: out of memory.
struct kinds {
  struct kind *list;
  size_t count, capacity;
  bool failed;
};

// attribute: its name; NULL: the element itself.
static void remember(struct kinds *kinds, const struct dc_xml_element *element, const char *attribute,
                     const char *effect)
{
  const char *parent = attribute ? element->name : element->parent ? element->parent->name : "";
  const char *name = attribute ? attribute : element->name;
  for (size_t i = 0; i < kinds->count; i++)
    if (strcmp(kinds->list[i].name, name) == 0 && strcmp(kinds->list[i].parent, parent) == 0 &&
        kinds->list[i].attribute == (attribute != NULL)) {
      kinds->list[i].count++;
      return;
    }
  if (dc_grow(&kinds->list, &kinds->capacity, kinds->count + 1, sizeof *kinds->list)) {
    kinds->failed = true;
    return;
  }
  kinds->list[kinds->count++] = (struct kind){parent, name, effect, element, attribute != NULL, 1};
}

// Attributes that are not asked for, but for names and namespaces; known ones have a row "@name".
static void walk_attributes(struct kinds *kinds, const struct dc_xml_element *element)
{
  for (int i = 0; i < element->attribute_count; i++) {
    const struct dc_xml_attribute *own = &element->attributes[i];
    char name[80];
    snprintf(name, sizeof name, "@%.70s", own->name);
    const struct dc_attribute_row *row = dc_attribute_find(dc_sdf_rows, element->name, name);
    bool known = row->parent || row->name;
    if (!own->used && strncmp(own->name, "xmlns", 5) != 0 && !(known && row->kind == DC_ATTRIBUTE_HARMLESS))
      remember(kinds, element, own->name, known ? row->effect : "is not known and left out");
  }
}

// Whether an element says nothing by its value: of these kinds, and false or zeros throughout.
static bool is_idle(const struct dc_xml_element *element)
{
  static const char *const kinds[] = {"kinematic", "enable_wind", "velocity_decay", "linear",           "angular",
                                      "fdir1",     "slip1",       "slip2",          "must_be_base_link"};
  bool known = false;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    known |= strcmp(element->name, kinds[k]) == 0;
  for (const struct dc_xml_element *one = element->first; one && known; one = one->next)
    known = is_idle(one);
  const char *text = element->text ? element->text : "";
  return known && (strcmp(text, "false") == 0 || strspn(text, "0.+-eE \t\r\n") == strlen(text));
}

// Whether an element stands where one of its name has been read already; only the first siblings are looked at, so that
// large files take no longer.
static bool is_again(const struct dc_xml_element *element, const struct dc_xml_element *one)
{
  enum { LOOKED_AT = 1000 };
  const struct dc_xml_element *other = element->first;
  for (int k = 0; k < LOOKED_AT && other && other != one; k++, other = other->next)
    if (other->used && strcmp(other->name, one->name) == 0)
      return true;
  return false;
}

// Used elements are entered, unused ones are judged as a whole: nothing below one can have been used.
static void walk(struct kinds *kinds, const struct dc_xml_element *element)
{
  walk_attributes(kinds, element);
  for (const struct dc_xml_element *one = element->first; one; one = one->next) {
    if (one->used) {
      walk(kinds, one);
      continue;
    }
    const struct dc_attribute_row *row = dc_attribute_find(dc_sdf_rows, element->name, one->name);
    if (is_idle(one))
      continue;
    if (is_again(element, one))
      remember(kinds, one, NULL, "stands here twice: the first holds");
    else if (!row->parent && !row->name)
      remember(kinds, one, NULL, "is not known and left out");
    else if (row->kind != DC_ATTRIBUTE_HARMLESS)
      remember(kinds, one, NULL, row->effect);
  }
}

// Runs last, when everything that acts has been marked as used.  All files are walked, those of includes too.
enum dc_status dc_sdf_tell_unused(struct dc_sdf_reader *reader)
{
  struct kinds kinds = {0};
  enum dc_status status = DC_OK;
  for (size_t f = 0; f < reader->file_count; f++)
    walk(&kinds, reader->files[f]->root);
  for (size_t i = 0; i < kinds.count && !status; i++) {
    const struct kind *kind = &kinds.list[i];
    char more[40] = "";
    long line, column;
    dc_xml_place(kind->first, &line, &column);
    if (kind->count > 1)
      snprintf(more, sizeof more, " and %d more", kind->count - 1);
    status = dc_notes_add(reader->options->notes,
                          kind->attribute ? "%s:%ld: \"%s\" of <%s>%s: %s" : "%s:%ld: <%s> in <%s>%s: %s",
                          kind->first->file->name, line, kind->name, kind->parent, more, kind->effect);
  }
  free(kinds.list);
  return status || kinds.failed ? dc_sdf_no_memory(reader) : DC_OK;
}
