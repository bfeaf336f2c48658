// SPDX-License-Identifier: Apache-2.0
// Curves of a trajectory beside its poses: what moves and drives joints, and the forces of contact.  The page draws a
// chart for every group and unit.
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "commands/page.h"
#include "math/vector.h"
#include "render/report.h"

enum { MOST_PAIRS = 8 };  // of bodies whose forces have curves

// One number of every stored frame.
struct curve {
  const char *group, *name, *unit;
  int number;     // of the body's, -1: the only one
  bool target;    // where the coordinate of the same name is pulled
  bool of_steps;  // holds during the step that leads to its frame
  double limit;   // of its size, in its unit; 0: none
  const double *first;
  size_t stride;
};

// Writes one curve at `kept` of the `frames` stored frames; values [kept] is workspace.
static void put_curve(struct dc_page *page, const struct curve *curve, int frames, int kept, double *values)
{
  struct dc_json_writer *json = &page->json;
  for (int k = 0; k < kept; k++)
    values[k] = curve->first[(size_t)dc_evenly_spaced(k, kept, frames) * curve->stride];
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "group", curve->group);
  dc_json_put_string(json, "name", curve->name);
  dc_json_put_integer(json, "number", curve->number);
  dc_json_put_string(json, "unit", curve->unit);
  if (curve->target)
    dc_json_put_boolean(json, "target", true);
  if (curve->of_steps)
    dc_json_put_boolean(json, "steps", true);
  if (curve->limit > 0)
    dc_json_put_number(json, "limit", curve->limit);
  dc_json_put_owned(&page->json, "values", dc_report_floats((size_t)kept, values));
  dc_json_end(json, "}");
}

// The bound on a speed, or on the force of an actuator or of controls, of a body's joint; 0: none.
// Gains with an effort of their own bound the torque before the joint's limits do. The unit is that of the motion: N
// or N m, m/s or rad/s.
static double limit_of(const struct dc_body *body, enum dc_motion motion)
{
  double limit = motion == DC_MOTION_TORQUE && body->pd && body->pd->effort > 0 ? body->pd->effort
                 : motion == DC_MOTION_TORQUE                                   ? body->limits.effort
                 : motion == DC_MOTION_QD                                       ? body->limits.velocity
                                                                                : 0;
  return limit > 0 ? limit : 0;
}

// Motion of the best trajectory, with drives of mechanisms.
// Columns of all bodies stand side by side in a row of each frame, hence the stride. Targets join the group of
// coordinates, so that both are in one chart. values [kept] is workspace; DC_MEMORY is the only failure.
static enum dc_status put_motion(struct dc_page *page, const struct dc_stored_trajectory *stored, enum dc_motion motion,
                                 int kept, double *values)
{
  static const char *const groups[DC_MOTIONS] = {"Joint coordinates", "Joint velocities", "Joint forces and torques",
                                                 "Joint coordinates"};
  const struct dc_bodies *bodies = &page->scene->model.bodies;
  int count = dc_motion_columns(bodies, motion, NULL);
  struct dc_motion_column *columns = dc_alloc((size_t)count, sizeof *columns);
  if (!columns)
    return dc_page_fail_memory(page);
  dc_motion_columns(bodies, motion, columns);
  for (int c = 0; c < count; c++)
    put_curve(page,
              &(struct curve){.group = groups[motion],
                              .name = bodies->bodies[columns[c].body].name,
                              .unit = columns[c].unit,
                              .number = columns[c].count > 1 ? columns[c].number : -1,
                              .target = motion == DC_MOTION_TARGET,
                              .of_steps = motion == DC_MOTION_TARGET || motion == DC_MOTION_TORQUE,
                              .limit = limit_of(&bodies->bodies[columns[c].body], motion),
                              .first = stored->motion[motion] + c,
                              .stride = (size_t)count},
              stored->frames, kept, values);
  free(columns);
  return DC_OK;
}

// Joints of a trajectory without stored motion.
// Older runs, and those that store no motion, have the coordinates of joints only: [frames][width] for each joint.
static void put_joints(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept, double *values)
{
  for (int j = 0; j < stored->joint_count; j++) {
    const struct dc_stored_joint *joint = &stored->joints[j];
    for (int n = 0; n < joint->width; n++)
      put_curve(page,
                &(struct curve){.group = "Joint coordinates",
                                .name = page->scene->model.bodies.bodies[joint->body].name,
                                .unit = joint->units[n],
                                .number = joint->width > 1 ? n : -1,
                                .first = joint->values + n,
                                .stride = (size_t)joint->width},
                stored->frames, kept, values);
  }
}

// Sizes of the forces between two bodies; of the frames of the file between two kept ones the later one has the
// largest, so that no impact is lost.
struct pair_curves {
  int bodies[2];
  double largest;
  double *normal, *friction;  // [kept] N
  double *gap;                // [kept] the least one, m; NAN where the two do not touch
};

// The entry of a pair, a new one at the end if it has none.  Pairs that touch are few.
// pairs: room for as many as there are contacts, so that a new one always fits. bodies [2]: numbers as doubles, as
// files store them.
static struct pair_curves *find_pair(struct pair_curves *pairs, int *count, const double *bodies)
{
  for (int p = 0; p < *count; p++)
    if (pairs[p].bodies[0] == (int)bodies[0] && pairs[p].bodies[1] == (int)bodies[1])
      return &pairs[p];
  pairs[*count] = (struct pair_curves){.bodies = {(int)bodies[0], (int)bodies[1]}};
  return &pairs[(*count)++];
}

// The largest first.
static int by_size(const void *one, const void *other)
{
  double a = ((const struct pair_curves *)one)->largest, b = ((const struct pair_curves *)other)->largest;
  return (a < b) - (a > b);
}

// Lists the pairs of bodies that touch in any frame, the largest normal force first, at most MOST_PAIRS of them.
static int list_pairs(const struct dc_stored_contacts *contacts, struct pair_curves *pairs)
{
  int count = 0;
  for (int c = 0; c < contacts->count; c++) {
    struct pair_curves *pair = find_pair(pairs, &count, contacts->bodies + 2 * c);
    pair->largest = fmax(pair->largest, dc_vec_norm(contacts->force + 3 * c));
  }
  qsort(pairs, (size_t)count, sizeof *pairs, by_size);
  return count < MOST_PAIRS ? count : MOST_PAIRS;
}

// Puts the contacts into curves of `kept` points: a point shows the largest force and the least gap of the
// frames since the point before, so that short impacts stay visible.
// Contacts are sorted by frame, so that one pass with a moving point k is enough. Of the file's `all_frames` frames
// `frames` were loaded and `kept` are drawn, so that a point's frame is found by spacing twice.
static void fill_pairs(const struct dc_stored_trajectory *stored, int kept, struct pair_curves *pairs, int count)
{
  const struct dc_stored_contacts *contacts = &stored->contacts;
  for (int c = 0, k = 0; c < contacts->count; c++) {
    while (k + 1 < kept && dc_evenly_spaced(dc_evenly_spaced(k, kept, stored->frames), stored->frames,
                                            stored->all_frames) < contacts->frame[c])
      k++;
    for (int p = 0; p < count; p++) {
      struct pair_curves *pair = &pairs[p];
      if (pair->bodies[0] != (int)contacts->bodies[2 * c] || pair->bodies[1] != (int)contacts->bodies[2 * c + 1])
        continue;
      pair->gap[k] = fmin(pair->gap[k], contacts->gap[c]);
      pair->normal[k] = fmax(pair->normal[k], dc_vec_norm(contacts->force + 3 * c));
      pair->friction[k] = fmax(pair->friction[k], dc_vec_norm(contacts->friction + 3 * c));
    }
  }
}

// Curves of the pairs with the largest forces. values holds [3][kept] numbers for each.
static enum dc_status put_contacts(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept)
{
  const struct dc_body *bodies = page->scene->model.bodies.bodies;
  size_t most = (size_t)stored->contacts.count;
  struct pair_curves *pairs = dc_alloc(most, sizeof *pairs);
  double *values = dc_alloc(3 * MOST_PAIRS * (size_t)kept, sizeof *values);
  bool allocated = pairs && values;
  int count = allocated ? list_pairs(&stored->contacts, pairs) : 0;
  for (int p = 0; p < count; p++) {
    pairs[p].normal = values + 3 * (size_t)p * (size_t)kept;
    pairs[p].friction = pairs[p].normal + kept;
    pairs[p].gap = pairs[p].friction + kept;
    for (int k = 0; k < kept; k++)
      pairs[p].gap[k] = NAN;
  }
  fill_pairs(stored, kept, pairs, count);
  dc_json_begin(&page->json, "contacts", '[');
  for (int p = 0; p < count; p++) {
    dc_json_begin(&page->json, NULL, '{');
    dc_json_put_string(&page->json, "a", bodies[pairs[p].bodies[0]].name);
    dc_json_put_string(&page->json, "b", bodies[pairs[p].bodies[1]].name);
    dc_json_put_owned(&page->json, "normal", dc_report_floats((size_t)kept, pairs[p].normal));
    dc_json_put_owned(&page->json, "friction", dc_report_floats((size_t)kept, pairs[p].friction));
    dc_json_put_owned(&page->json, "gap", dc_report_floats((size_t)kept, pairs[p].gap));
    dc_json_end(&page->json, "}");
  }
  dc_json_end(&page->json, "]");
  free(pairs);
  free(values);
  return allocated ? DC_OK : dc_page_fail_memory(page);
}

// Curves of the page over time: motion (or the joints, in runs without stored motion), the smallest gap, and forces of
// the pairs.
enum dc_status dc_page_put_curves(struct dc_page *page, const struct dc_stored_trajectory *stored, int kept)
{
  enum dc_status status = DC_OK;
  double *values = dc_alloc((size_t)kept, sizeof *values);
  if (!values)
    return dc_page_fail_memory(page);
  dc_json_begin(&page->json, "curves", '[');
  if (!stored->motion[DC_MOTION_Q])
    put_joints(page, stored, kept, values);
  for (enum dc_motion m = 0; m < DC_MOTIONS && !status; m++)
    if (stored->motion[m])
      status = put_motion(page, stored, m, kept, values);
  dc_json_end(&page->json, "]");
  if (stored->min_gap) {
    for (int k = 0; k < kept; k++)
      values[k] = stored->min_gap[dc_evenly_spaced(k, kept, stored->frames)];
    dc_json_put_owned(&page->json, "gaps", dc_report_floats((size_t)kept, values));
  }
  free(values);
  return status || !stored->contacts.count ? status : put_contacts(page, stored, kept);
}
