// SPDX-License-Identifier: Apache-2.0
// Transmissions of a URDF file: which joints have actuators, and Drake's rotors.  The inertia of a rotor counts for
// the joint times the square of the ratio of its gear: power is the same on both sides, 1/2 I (n qdot)^2.
//
// A transmission may name joints before or after its actuator, and joints may stand behind it in the file.  The
// parser therefore collects names in driven; those of the open transmission begin at first_driven and get their
// armature when it ends.  At the end of the file names meet joints.
#include <math.h>
#include <string.h>

#include "io/robot/urdf_parser.h"

void dc_urdf_begin_transmission(struct dc_urdf_parser *parser)
{
  parser->first_driven = parser->driven_count;
  parser->rotor = 0;
  parser->ratio = 1;
}

// The rotor's moment of inertia, kg m², or the ratio of the gear, rotor turns for one of the joint.
void dc_urdf_read_actuator(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes)
{
  if (strcmp(name, "drake:rotor_inertia") == 0)
    dc_urdf_read_numbers(parser, name, attributes, "value", 1, &parser->rotor);
  else
    dc_urdf_read_numbers(parser, name, attributes, "value", 1, &parser->ratio);
}

// Names of joints of a transmission; their rotors are known when the transmission ends.
enum element dc_urdf_in_transmission(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes)
{
  if (strcmp(name, "actuator") == 0)
    return ACTUATOR;
  if (strcmp(name, "joint") != 0)
    return ELEMENTS;
  const char *joint = dc_urdf_copy(parser, dc_urdf_attribute(parser, name, attributes, "name"));
  if (!joint)
    return DETAIL;
  if (dc_grow(&parser->driven, &parser->driven_capacity, parser->driven_count + 1, sizeof *parser->driven))
    dc_urdf_out_of_memory(parser);
  else
    parser->driven[parser->driven_count++] = (struct driven){joint, 0};
  return DETAIL;
}

// Every joint of the transmission gets I n²; negative inertias of faulty files count as none.
void dc_urdf_end_transmission(struct dc_urdf_parser *parser)
{
  for (size_t i = parser->first_driven; i < parser->driven_count; i++)
    parser->driven[i].armature = fmax(0, parser->rotor * parser->ratio * parser->ratio);
}

// Marks joints that are driven.  A file without transmissions says nothing: then every joint may have an actuator.
void dc_urdf_apply_transmissions(struct dc_urdf_parser *parser)
{
  struct dc_urdf *urdf = parser->urdf;
  urdf->actuators = parser->driven_count > 0;
  if (!parser->driven_count)
    return;
  for (size_t j = 0; j < urdf->joint_count; j++)
    for (size_t i = 0; i < parser->driven_count; i++)
      if (strcmp(urdf->joints[j].name, parser->driven[i].joint) == 0) {
        urdf->joints[j].actuated = true;
        urdf->joints[j].armature = fmin(parser->driven[i].armature, DC_URDF_MOST_NUMBER);
      }
}
