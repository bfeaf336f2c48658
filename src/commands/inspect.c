// SPDX-License-Identifier: Apache-2.0
// Looking into a scene without running it: dcsim_probe tells the contact at the start as numbers, dcsim_check tells in
// words what was read, what looks wrong, and what a run will cost.
//
// Both open the start (open_start) and describe it.  The start is a plan of no steps: its rollout holds the contact,
// which is evaluated once.  A check adds shapes, bodies, memory, design (inspect_design.c), predicted rebounds
// (rebound.c), bodies inside the barrier (start_inside.c) and advice (advise_scene.c).  No step is taken, so that a
// check is quick and a scene whose first step fails can be looked into.
#include <math.h>
#include <stdlib.h>

#include "api/internal.h"
#include "base/memory_limit.h"
#include "body/soft.h"
#include "commands/advice.h"
#include "commands/inspect_design.h"
#include "commands/rebound.h"
#include "commands/refine.h"
#include "commands/start_inside.h"
#include "contact/far/far_field.h"
#include "contact/surface/surface.h"
#include "dynamics/step.h"
#include "math/vector.h"
#include "plan/certify.h"

// Pairs that a check lists; there are more of them in scenes of hundreds of bodies.
enum { MOST_PAIRS = 2000 };  // in the JSON

// The contact at the start, which probe and check share: one evaluation at the initial state.
struct start {
  const dcsim_scene *handle;
  struct dc_plan *plan;
  struct dc_contact *contact;
  struct dc_pose *poses;
  struct dc_pair_derivatives *pairs;
  double energy;
  double (*wrenches)[6];  // force N and torque N m about the centre of mass, minus the gradient of stiffness * P
  double *far;            // force from movable bodies only, N [bodies]
  bool *touched;          // [bodies] by a movable body, as near as contact is
  double gap;             // smallest, m
  bool gap_is_range;      // surfaces of soft bodies are farther apart, of which no more is known
};

// Frees all but the scene, which is the caller's.
static void close_start(struct start *start)
{
  dc_plan_destroy(start->plan);
  free(start->poses);
  free(start->pairs);
  free(start->wrenches);
  free(start->far);
  free(start->touched);
}

// The least distance of surfaces of soft bodies, or their range; INFINITY without.
static double surface_gap(const struct dc_bodies *bodies, const struct start *start, double *range)
{
  struct dc_surface_contact *surfaces;
  double gap = INFINITY;
  if (!dc_surface_contact_create(bodies, &surfaces, NULL) && surfaces &&
      !dc_surface_evaluate(surfaces, start->plan->input->q, start->poses))
    gap = dc_surface_gap(surfaces);
  *range = surfaces ? dc_surface_range(surfaces) : INFINITY;
  dc_surface_contact_destroy(surfaces);
  return gap;
}

// Adds the far-field forces between soft bodies and others, as a sum on each body.
static enum dc_status add_far_field(const struct dc_scene *scene, struct start *start, struct dc_error *error)
{
  struct dc_far_field *field = dc_rollout_far_field(start->plan->rollout);
  int count = 0;
  if (field && dc_far_field_evaluate(field, start->plan->input->q, start->poses, NULL))
    return dc_out_of_memory_for(error, "a far field");
  const struct dc_far_body *bodies = field ? dc_far_field_bodies(field, &count) : NULL;
  for (int b = 0; b < count; b++) {
    int body = bodies[b].body;
    double force[3] = {0};
    for (int p = 0; p < bodies[b].point_count; p++)
      dc_vec_sub(force, force, bodies[b].gradient[p]);
    if (dc_soft_of(&scene->model.bodies, body) || dc_body_moves(&scene->model.bodies.bodies[body]))
      start->far[body] += dc_vec_norm(force);
  }
  return DC_OK;
}

// Sums over the pairs of bodies at the start, for each body:
// * wrenches: force (N) and torque (N m) of contact, minus the gradient of the energy times the stiffness;
// * touched: the second body moves and is within the phantom reach, so that the force is one of contact;
// * far: the norm of the force (N) by pairs whose second body moves, to report what acts at a distance.
//
// A stepper with contacts of its own has no field between distant bodies.
static void sum_wrenches(const struct dc_scene *scene, struct start *start)
{
  if (scene->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return;  // no field between distant bodies
  const struct dc_bodies *bodies = &scene->model.bodies;
  double mu = scene->definition.contact.stiffness;
  double(*far)[3] = dc_alloc((size_t)bodies->count, sizeof *far);
  for (int p = 0; p < start->plan->sizes.pairs; p++) {
    const int *pair = dc_contact_pairs(start->contact)[p];
    const struct dc_body *a = &bodies->bodies[pair[0]], *b = &bodies->bodies[pair[1]];
    bool movable = dc_body_moves(b);
    if (movable && dc_contact_pair_gap(start->contact, p) <= DC_PHANTOM_REACH * 2 * fmin(a->radius, b->radius))
      start->touched[pair[0]] = start->touched[pair[1]] = true;
    double gradient[12];
    dc_contact_expand_gradient(&start->pairs[p], gradient);
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 3; k++) {
        double *wrench = start->wrenches[pair[side]];
        wrench[k] -= mu * gradient[6 * side + 3 + k];
        wrench[3 + k] -= mu * gradient[6 * side + k];
        if (movable && far)
          far[pair[side]][k] -= mu * gradient[6 * side + 3 + k];
      }
  }
  for (int i = 0; i < bodies->count && far; i++)
    start->far[i] = dc_vec_norm(far[i]);
  free(far);
}

// Evaluates contact at the start of the scene: a plan of no steps, whose roll-out holds the contact, the checks
// of a run, poses, energies of pairs, smallest gap, wrenches and far field.  A refinement has none of these: it
// has no forces, and its bodies may overlap.
// All arrays are [bodies] but pairs [pairs], and are freed by close_start, also after a failure.  DC_BAD_INPUT where
// bodies overlap; DC_MEMORY where the potential is not a number, which is how contact reports a lack of memory.
static enum dc_status open_start(const struct dc_scene *scene, struct start *start, struct dc_error *error)
{
  size_t bodies = (size_t)scene->model.bodies.count;
  start->plan = dc_plan_create(&scene->model, &scene->task, 0, error);
  if (!start->plan)
    return error->status;
  start->contact = dc_rollout_contact(start->plan->rollout);
  start->poses = dc_alloc(bodies, sizeof *start->poses);
  start->pairs = dc_alloc((size_t)start->plan->sizes.pairs, sizeof *start->pairs);
  start->wrenches = dc_alloc(bodies, sizeof *start->wrenches);
  start->far = dc_alloc(bodies, sizeof *start->far);
  start->touched = dc_alloc(bodies, sizeof *start->touched);
  if (!start->poses || !start->pairs || !start->wrenches || !start->far || !start->touched)
    return dc_out_of_memory_for(error, "contact");
  start->gap = INFINITY;
  if (scene->refinement.given)
    return DC_OK;  // no forces, and bodies may overlap
  enum dc_status status = dc_api_check_start(scene, start->plan, error);
  if (!status)
    status = dc_api_check_gradient(scene, start->plan, error);
  if (status)
    return status;
  dc_poses(&scene->model.bodies, start->plan->input->q, start->poses);
  start->energy = dc_contact_evaluate(start->contact, start->poses, 1, start->pairs);
  if (isnan(start->energy))
    return dc_out_of_memory_for(error, "contact pairs");
  double range, surfaces = surface_gap(&scene->model.bodies, start, &range);
  start->gap =
      fmin(dc_contact_distance(start->contact), dc_node_contact_term.gap(start->plan->rollout, start->plan->input->q));
  start->gap_is_range = surfaces < start->gap && surfaces >= range;
  start->gap = fmin(start->gap, surfaces);
  sum_wrenches(scene, start);
  return add_far_field(scene, start, error);
}

enum { MOST_TESTED = 5000 };  // nodes of a body that is bent for a test

// Tells how much of the bending of its material a solid's elements allow, where that is clearly less than all,
// and the remedy.  Thin bodies of few linear elements lock.
static void describe_bending(const struct dc_soft *soft, struct dc_text *text, struct dc_json_writer *json)
{
  static const double ENOUGH = 0.97;
  double share = soft->mesh.corners == 4 && soft->node_count <= MOST_TESTED
                     ? dc_elastic_flexibility(&soft->elastic, soft->poisson)
                     : NAN;
  if (isnan(share))
    return;
  dc_json_put_number(json, "bending", share);
  if (share < ENOUGH)
    dc_text_add(text, ", bends by %.0f %% of what its material would (%s)", 100 * share,
                soft->elastic.quadratic ? "remedy: more elements over its thickness"
                                        : "remedy: \"element\": \"quadratic\", or more elements over its thickness");
}

// Tells an element that is as good as flat: it is as stiff as a spring of its height's length, and a small motion turns
// it inside out, so that steps are divided.
static void describe_flattest(const struct dc_soft *soft, struct dc_text *text)
{
  static const double FLAT = 0.01;
  int element;
  double flat = dc_simplices_flattest(&soft->mesh, &element);
  if (flat < FLAT)
    dc_text_add(
        text,
        ", element %d is flat: %.1g of its longest edge high, which makes steps slow (remedy: a mesh without slivers)",
        element, flat);
}

// Names of chambers and muscles, which controls drive.
static void describe_drives(const struct dc_soft_drives *drives, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "drives", '[');
  for (int d = 0; d < dc_soft_drive_count(drives); d++) {
    const char *name = dc_soft_drive_name(drives, d);
    dc_json_put_string(json, NULL, name);
    if (d >= dc_soft_first_chamber(drives))
      dc_text_add(text, ", %s \"%s\"", d < dc_soft_first_muscle(drives) ? "chamber" : "muscle", name);
  }
  dc_json_end(json, "]");
}

// Describes a soft body; acceleration: that of its far field, m/s^2.
static void describe_soft(const struct dc_bodies *bodies, const struct dc_body *body, const struct dc_soft *soft,
                          double acceleration, struct dc_text *text, struct dc_json_writer *json)
{
  static const char *const elements[] = {"segments", "triangles", "tetrahedra", "quadratic tetrahedra"};
  double volume = soft->elastic.volume, mass = soft->density * volume;
  dc_text_add(text, "  body  %-14s %-9s mass %.4g kg, volume %.4g m^3, %d nodes, %d %s, %d pins", body->name, "soft",
              mass, volume, soft->node_count, soft->elastic.element_count,
              elements[soft->elastic.quadratic ? 3 : soft->mesh.corners - 2], soft->pin_count);
  if (soft->held_by >= 0)
    dc_text_add(text, " on \"%s\"", bodies->bodies[soft->held_by].name);
  describe_bending(soft, text, json);
  describe_flattest(soft, text);
  describe_drives(&soft->drives, text, json);
  if (soft->far_field > 0)
    dc_text_add(text, ", acceleration by the far field %.2e m/s^2", acceleration);
  dc_json_put_string(json, "material", dc_material_names[soft->material]);
  DC_JSON_NUMBERS(json, {"volume", volume}, {"nodes", soft->node_count}, {"elements", soft->elastic.element_count},
                  {"pins", soft->pin_count});
}

// A body fixed to a soft one: a point of it, with or without mass.
static void describe_marker(const struct dc_bodies *bodies, const struct dc_body *body, struct dc_text *text)
{
  const char *on = bodies->bodies[body->parent].name;
  if (body->mass > 0)
    dc_text_add(text, "  body  %-14s %-9s mass %.4g kg, a point of \"%s\"", body->name, body->shape->name, body->mass,
                on);
  else
    dc_text_add(text, "  body  %-14s %-9s marker on \"%s\"", body->name, body->shape->name, on);
}

// Points, the length of all stretches between them, m, and the length that the cable wants to have, m.
static void describe_cable(const struct dc_bodies *bodies, const struct dc_cable *cable, const struct dc_pose *poses,
                           struct dc_text *text, struct dc_json_writer *json)
{
  double along[DC_CABLE_POINTS][3], lengths[DC_CABLE_POINTS], length = dc_cable_stretches(cable, poses, along, lengths);
  dc_text_add(text, "  body  %-14s %-9s %d points, %.4g m long, let to be %.4g m", bodies->bodies[cable->body].name,
              "cable", cable->count, length, cable->length);
  DC_JSON_NUMBERS(json, {"points", cable->count}, {"length", length}, {"rest_length", cable->length});
}

// Lists pairs of bodies with the lower bound of the distance that contact has, the distance itself (m), and the
// energy (J).
// The energy is the potential times the stiffness mu.
static void put_pairs(const struct dc_bodies *bodies, const struct start *start, double mu, struct dc_json_writer *json)
{
  dc_json_begin(json, "pairs", '[');
  for (int p = 0; p < start->plan->sizes.pairs; p++) {
    const int *pair = dc_contact_pairs(start->contact)[p];
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "a", bodies->bodies[pair[0]].name);
    dc_json_put_string(json, "b", bodies->bodies[pair[1]].name);
    dc_json_put_number(json, "gap", dc_contact_pair_gap(start->contact, p));
    dc_json_put_number(json, "distance", dc_contact_pair_distance(start->contact, p));
    dc_json_put_number(json, "energy", mu * start->pairs[p].energy);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// Contact at the start in numbers: the energy, J, the smallest gap, m, and for every body the force, N, and torque, N
// m, that contact exerts on it; then the pairs, and how many terms the model evaluated for them.
static enum dc_status describe_probe(const struct dc_scene *scene, const struct start *start, struct dc_text *text,
                                     struct dc_json_writer *json, struct dc_error *error)
{
  (void)error;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double mu = scene->definition.contact.stiffness, gap = start->gap;
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "model", scene->definition.contact_model->name);
  dc_json_put_number(json, "energy", mu * start->energy);
  dc_json_put_number(json, "min_gap", gap);
  dc_text_add(text, "model %s: energy %.6g J, ", scene->definition.contact_model->name, mu * start->energy);
  dc_api_add_gap(text, "gap", 4, gap);
  dc_text_add(text, "\n");
  dc_json_begin(json, "bodies", '{');
  for (int i = 0; i < bodies->count; i++) {
    const double *w = start->wrenches[i];
    dc_json_begin(json, bodies->bodies[i].name, '{');
    dc_json_put_numbers(json, "force", w, 3);
    dc_json_put_numbers(json, "torque", w + 3, 3);
    dc_json_end(json, "}");
    dc_text_add(text, "  %-16s force %11.4e %11.4e %11.4e N   torque %11.4e %11.4e %11.4e N m\n",
                bodies->bodies[i].name, w[0], w[1], w[2], w[3], w[4], w[5]);
  }
  dc_json_end(json, "}");
  put_pairs(bodies, start, mu, json);
  struct dc_contact_counts counts = dc_contact_last_counts(start->contact);
  dc_json_begin(json, "counts", '{');
  DC_JSON_NUMBERS(json, {"exact", counts.exact}, {"centred", counts.centred}, {"visited", counts.visited});
  dc_json_end(json, "}}");
  dc_text_add(text, "  %d body pairs: %ld exact triangle pairs, %ld centred terms, %ld node pairs visited\n",
              start->plan->sizes.pairs, counts.exact, counts.centred, counts.visited);
  return DC_OK;
}

// One line a shape, by what contact will see of it: triangles, volume and surface. Notes say what reading changed:
// hulls that simplified a mesh, and flat groups that were left out.
static void describe_shapes(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "shapes", '{');
  for (int i = 0; i < scene->definition.shape_count; i++) {
    const struct dc_shape *shape = &scene->shapes[i];
    dc_json_begin(json, shape->name, '{');
    dc_json_put_string(json, "type", shape->type->name);
    DC_JSON_NUMBERS(json, {"vertices", shape->mesh.vertex_count}, {"triangles", shape->mesh.triangle_count},
                    {"volume", shape->properties.volume}, {"surface_area", shape->properties.surface_area},
                    {"deviation", shape->mesh.deviation}, {"flat_groups", shape->mesh.flat_groups});
    dc_json_end(json, "}");
    dc_text_add(text, "  shape %-14s %-9s %6d triangles, volume %.4g m^3, surface %.4g m^2\n", shape->name,
                shape->type->name, shape->mesh.triangle_count, shape->properties.volume,
                shape->properties.surface_area);
    if (shape->mesh.deviation > 0)
      dc_text_add(text, "  note: \"%s\" is simplified: its hulls stand out of it by at most %.3g m\n", shape->name,
                  shape->mesh.deviation);
    if (shape->mesh.flat_groups)
      dc_text_add(text, "  note: \"%s\": groups of the file that are flat, left out: %d\n", shape->name,
                  shape->mesh.flat_groups);
  }
  dc_json_end(json, "}");
}

// Tells how many convex hulls the body is made of, of how many vertices, and whether contact sees these
// (leaves) or triangles.
static void describe_hulls(const struct start *start, int body, struct dc_text *text, struct dc_json_writer *json)
{
  const struct dc_shape *shape = start->plan->model->bodies.bodies[body].shape;
  int least = 0, most = 0, leaves = dc_contact_leaves(start->contact, body);
  dc_json_begin(json, "hulls", '[');
  for (int i = 0; i < shape->part_count; i++) {
    int count = shape->parts[i].vertex_count;
    dc_json_put_integer(json, NULL, count);
    least = i == 0 || count < least ? count : least;
    most = count > most ? count : most;
  }
  dc_json_end(json, "]");
  dc_json_put_integer(json, "leaves", leaves);
  if (dc_shape_has_surface(shape))
    dc_json_put_string(json, "surface", leaves ? "leaves" : "mesh");
  if (dc_shape_has_surface(shape) && shape->part_count == 0)
    dc_text_add(text, ", not convex");
  else if (dc_shape_has_surface(shape) && least == most)
    dc_text_add(text, ", %d convex hull%s of %d vertices", shape->part_count, dc_plural(shape->part_count), most);
  else if (dc_shape_has_surface(shape))
    dc_text_add(text, ", %d convex hulls of %d to %d vertices", shape->part_count, least, most);
  if (leaves == 1)
    dc_text_add(text, ", seen as a leaf");
  else if (leaves > 1)
    dc_text_add(text, ", seen as %d leaves", leaves);
  dc_text_add(text, "\n");
}

// Lists bodies that a refinement lets others pass through: those that are no unions of convex parts, such as
// half-spaces.
static void note_passed_through(const struct dc_scene *scene, struct dc_text *text)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (int i = 0; i < bodies->count && scene->refinement.settings.penetration > 0; i++)
    if (bodies->collide[i] && bodies->bodies[i].shape->part_count == 0)
      dc_text_add(text, "  note: overlaps with \"%s\" do not count, as it is no union of convex parts\n",
                  bodies->bodies[i].name);
}

// Describes the memory of a run of the scene; nothing for a refinement, whose memory is that of its bodies.
static void describe_memory(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json)
{
  struct dc_memory_limit limit = dc_memory_limit();
  double simulate = dc_api_run_bytes(scene, false, false), optimize = dc_api_run_bytes(scene, true, false);
  dc_json_begin(json, "memory", '{');
  DC_JSON_NUMBERS(json, {"simulate", simulate}, {"optimize", optimize}, {"limit", limit.bytes});
  dc_json_put_string(json, "limited_by", limit.name);
  dc_json_end(json, "}");
  char one[32], other[32];
  dc_text_add(text, "  memory for a run: about %s to simulate, %s to optimize\n", dc_api_format_bytes(simulate, one),
              dc_api_format_bytes(optimize, other));
}

// Writes a line for every body and returns the largest acceleration by other bodies that move, m/s^2.
// The acceleration is the norm of the far force over the mass: a long-range potential moves a body although nothing
// touches it, and this number says how fast.  It is 0 for bodies that do not move or have no mass.
static double describe_bodies(const struct dc_scene *scene, const struct start *start, struct dc_text *text,
                              struct dc_json_writer *json)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double largest = 0;
  dc_json_begin(json, "bodies", '{');
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    const struct dc_soft *soft = dc_soft_of(bodies, i);
    const struct dc_cable *cable = dc_cable_of(bodies, i);
    bool movable = dc_body_moves(body);
    double mass = soft ? soft->density * soft->elastic.volume : body->mass;
    double acceleration = (movable || soft) && mass > 0 ? start->far[i] / mass : 0;
    largest = fmax(largest, acceleration);
    dc_json_begin(json, body->name, '{');
    dc_json_put_string(json, "joint", body->joint_name);
    dc_json_put_number(json, "mass", mass);
    dc_json_put_number(json, "far_field_acceleration", acceleration);
    if (soft)
      describe_soft(&scene->model.bodies, body, soft, acceleration, text, json);
    else if (cable)
      describe_cable(bodies, cable, start->poses, text, json);
    else if (dc_support_of(bodies, i))
      describe_marker(bodies, body, text);
    else if (movable && body->mass == 0)
      dc_text_add(text, "  body  %-14s %-9s marker on \"%s\"", body->name, body->shape->name,
                  bodies->bodies[body->parent].name);
    else if (movable)
      dc_text_add(text,
                  "  body  %-14s %-9s mass %.4g kg, radius %.4g m, acceleration by the other bodies' field %.2e m/s^2",
                  body->name, body->shape->name, body->mass, body->radius, acceleration);
    else
      dc_text_add(text, "  body  %-14s %-9s fixed", body->name, body->shape->name);
    describe_hulls(start, i, text, json);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "}");
  return largest;
}

// Writes the stiffness and, where it was chosen, what bounded it: the gap at which a body rests, or the
// acceleration by far fields.
// The stiffness is an energy, J, because the potential that it multiplies has no unit.
static void describe_contact(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json)
{
  static const char *const bounds[] = {"none", "rest", "far_field"};
  const struct dc_contact_settings *settings = &scene->definition.contact;
  const struct dc_contact_choice *choice = &scene->contact_choice;
  const struct dc_body *bodies = scene->model.bodies.bodies;
  dc_json_begin(json, "contact", '{');
  dc_json_put_string(json, "model", scene->definition.contact_model->name);
  DC_JSON_NUMBERS(json, {"stiffness", settings->stiffness}, {"friction_smoothing", settings->friction_smoothing});
  dc_json_put_boolean(json, "automatic", choice->automatic);
  if (choice->automatic) {
    dc_json_put_string(json, "bound", bounds[choice->bound]);
    if (choice->body >= 0)
      dc_json_put_string(json, "body", bodies[choice->body].name);
    if (choice->other >= 0)
      dc_json_put_string(json, "other", bodies[choice->other].name);
    DC_JSON_NUMBERS(json, {"size", choice->size}, {"load", choice->load}, {"gap", choice->gap},
                    {"far_field_acceleration", choice->far_acceleration});
    dc_text_add(text, "  contact stiffness %.3g J, chosen ", settings->stiffness);
    if (choice->bound == DC_BOUND_REST)
      dc_text_add(text, "so that \"%s\" (size %.3g m, %.3g N) rests at most %.3g m from \"%s\"",
                  bodies[choice->body].name, choice->size, choice->load, choice->gap, bodies[choice->other].name);
    else if (choice->bound == DC_BOUND_FAR_FIELD)
      dc_text_add(text, "so that the field of distant bodies accelerates \"%s\" by at most %.3g m/s^2",
                  bodies[choice->body].name, choice->far_acceleration);
    else
      dc_text_add(text, "without bodies to go by");
    dc_text_add(text, "; friction over %.3g m/s\n", settings->friction_smoothing);
  }
  dc_json_end(json, "}");
}

// The report of dcsim_check, in the order: shapes, bodies, gaps, parameters, design, memory, contact, predicted
// rebounds, bodies inside the barrier, notes of the reader, advice.  A refinement has only the first two and
// its notes.
static enum dc_status describe_scene(const struct dc_scene *scene, const struct start *start, struct dc_text *text,
                                     struct dc_json_writer *json, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double gap = start->gap;
  struct dc_resting resting = {NAN, -1, INFINITY, {-1, -1}, NAN, NAN};
  int parameters = dc_task_parameter_count(&scene->task, &scene->model, dc_api_optimized_steps(scene));
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", scene->name);
  dc_text_add(text, "%s: %d bod%s, %d degree%s of freedom, ", scene->name, bodies->count,
              bodies->count == 1 ? "y" : "ies", bodies->nv, dc_plural(bodies->nv));
  if (scene->refinement.given)
    dc_text_add(text, "a refinement of %d pair%s\n", scene->refinement.pairs.count,
                dc_plural(scene->refinement.pairs.count));
  else
    dc_text_add(text, "%ld step%s of %g s, model %s\n", scene->definition.time.steps,
                dc_plural(scene->definition.time.steps), scene->definition.time.step,
                scene->definition.contact_model->name);
  describe_shapes(scene, text, json);
  double largest = describe_bodies(scene, start, text, json);
  DC_JSON_NUMBERS(json, {"min_gap", gap}, {"far_field_acceleration", largest}, {"parameters", parameters},
                  {"objectives", scene->task.objective_count});
  if (scene->refinement.given) {
    note_passed_through(scene, text);
  } else {
    if (start->plan->sizes.pairs <= MOST_PAIRS)
      put_pairs(bodies, start, scene->definition.contact.stiffness, json);
    dc_text_add(text, "  ");
    dc_api_add_gap(text, start->gap_is_range ? "initial gap at least" : "initial gap", 4, gap);
    dc_text_add(text, "; largest acceleration by distant bodies %.2e m/s^2\n  %d parameter%s, %d objective%s\n",
                largest, parameters, dc_plural(parameters), scene->task.objective_count,
                dc_plural(scene->task.objective_count));
    dc_api_describe_parameters(scene, dc_api_optimized_steps(scene), text, json);
    if (scene->task.design_count)
      status = dc_api_describe_design(scene, text, json, error);
    describe_memory(scene, text, json);
    if (!(scene->definition.contact_model->flags & DC_CONTACT_FOREIGN))
      describe_contact(scene, text, json);
    if (!status && !(scene->definition.contact_model->flags & DC_CONTACT_FOREIGN))
      status = dc_api_describe_impacts(scene, start->contact, start->poses, start->pairs, &resting, text, json, error);
  }
  if (!scene->refinement.given) {
    struct dc_inside_list inside;
    if (!status)
      status = dc_api_find_inside(start->plan, &inside, error);
    if (!status)
      dc_api_put_inside(bodies, &inside, text, json);
  }
  dc_api_describe_notes(scene, text, json);
  struct dc_advice_list advice = {0};
  if (!scene->refinement.given)
    dc_advise_task(start->handle, "check", NULL, &advice);
  dc_advise_scene(start->handle, &(struct dc_scene_facts){start->far, start->touched, &resting}, &advice);
  dc_advice_put(&advice, text, json);
  dc_json_end(json, "}");
  if (bodies->nv == 0)
    dc_text_add(text, "  note: nothing in this scene can move\n");
  return status;
}

typedef enum dc_status describe(const struct dc_scene *scene, const struct start *start, struct dc_text *text,
                                struct dc_json_writer *json, struct dc_error *error);

// Opens the start, lets describe_it write text and JSON, and closes it.
// The report is the caller's on success; on failure it is freed here.
static int inspect(const dcsim_scene *scene, describe *describe_it, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  struct start start = {.handle = scene};
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  enum dc_status status = open_start(scene->scene, &start, &local);
  if (!status)
    status = describe_it(scene->scene, &start, &text, &json, &local);
  close_start(&start);
  return dc_api_answer(status, &local, report, &text, &json, error);
}

// A refinement has distances instead of contact; a stepper with contacts of its own has no potential to evaluate.
int dcsim_probe(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  const struct dc_contact_model *model = scene->scene->definition.contact_model;
  struct dc_error local = {0};
  if (scene->scene->refinement.given)
    return dc_api_probe_refinement(scene, report, error);
  if (model->flags & DC_CONTACT_FOREIGN) {
    dc_fail(&local, DC_BAD_INPUT, "model %s has no contact potential to probe", model->name);
    return dc_api_fail(error, &local, DC_BAD_INPUT);
  }
  return inspect(scene, describe_probe, report, error);
}

// Checks a scene.  The report is made first; a scene that could not run for lack of memory is refused with its
// report at hand.
int dcsim_check(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  int outside = inspect(scene, describe_scene, report, error);
  if (outside || scene->scene->refinement.given)
    return outside;
  double bytes = fmin(dc_api_run_bytes(scene->scene, false, false), dc_api_run_bytes(scene->scene, true, false));
  enum dc_status status = dc_api_check_memory(scene->scene, bytes, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}
