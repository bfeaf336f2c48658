// SPDX-License-Identifier: Apache-2.0
// Pins: nodes of soft bodies that springs hold, where they start in the world or on a body that moves. Boxes in the
// mesh's frame choose nodes while the mesh is built; what holds them is found when joints have their starts (mounts.c).
#include <math.h>

#include "body/body_build.h"

// Whether a point of the mesh's frame, in m, lies in the box of a pin.
static bool is_inside(const struct dc_pin_definition *pin, const double *x)
{
  for (int k = 0; k < 3; k++) {
    double slack = 1e-9 * (fabs(pin->high[k]) + fabs(pin->low[k]));  // allows for rounding of nodes on the faces
    if (!(x[k] >= pin->low[k] - slack && x[k] <= pin->high[k] + slack))
      return false;
  }
  return true;
}

// A node in several boxes is held once, by the first pin of the list: springs of two pins would add.  Pins never
// outnumber nodes, for which there is memory.
enum dc_status dc_pins_collect(const struct dc_soft_definition *definition, struct dc_soft *soft,
                               struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_pin_definition *pins = definition->pins.objects;
  soft->pins = dc_arena_alloc(arena, (size_t)soft->node_count, sizeof *soft->pins);
  if (!soft->pins)
    return dc_out_of_memory_for(error, "pins");
  for (int i = 0; i < definition->pins.count; i++) {
    int before = soft->pin_count;
    for (int n = 0; n < soft->node_count; n++) {
      bool held = false;
      for (int p = 0; p < soft->pin_count; p++)
        held |= soft->pins[p].node == n;
      if (!held && is_inside(&pins[i], soft->mesh.nodes[n]))
        soft->pins[soft->pin_count++] =
            (struct dc_pin){.node = n, .stiffness = pins[i].stiffness, .body = pins[i].body, .stands_on = -1};
    }
    if (soft->pin_count == before)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.pins[%d]: there is no node in the box", soft->body, i);
  }
  return DC_OK;
}

// Pairs of matrix blocks that pins couple: the node's and that of the mechanism that holds it.  Blocks of mechanisms
// come first, then one for each node.
long dc_pins_list_pairs(const struct dc_bodies *bodies, int (*pairs)[2])
{
  long count = 0;
  for (int s = 0; s < bodies->soft_count && bodies->mount_count; s++)
    for (int p = 0; p < bodies->soft[s].pin_count; p++) {
      const struct dc_pin *pin = &bodies->soft[s].pins[p];
      if (pin->body < 0)
        continue;
      if (pairs) {
        pairs[count][0] = bodies->mechanism_count + (bodies->soft[s].v_offset - bodies->first_node_v) / 3 + pin->node;
        pairs[count][1] = bodies->bodies[pin->body].mechanism;
      }
      count++;
    }
  return count;
}

// Whether pins of the soft body stand on the rigid group of a body. `stands_on` keeps the holder that never moves,
// since pins on such a body are held in the world.
bool dc_soft_is_held(const struct dc_bodies *bodies, const struct dc_soft *soft, int body)
{
  for (int p = 0; p < soft->pin_count; p++) {
    int holder = soft->pins[p].body >= 0 ? soft->pins[p].body : soft->pins[p].stands_on;
    if (holder >= 0 && bodies->group[holder] == bodies->group[body])
      return true;
  }
  return false;
}

// Walks from every holder of a pin to the root, since a soft body is carried by all ancestors of its holder.
const struct dc_soft *dc_soft_carried(const struct dc_bodies *bodies, int body)
{
  for (int s = 0; s < bodies->soft_count && bodies->mount_count; s++)
    for (int p = 0; p < bodies->soft[s].pin_count; p++)
      for (int above = bodies->soft[s].pins[p].body; above >= 0; above = bodies->bodies[above].parent)
        if (above == body)
          return &bodies->soft[s];
  return NULL;
}
