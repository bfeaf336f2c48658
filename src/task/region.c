// SPDX-License-Identifier: Apache-2.0
// Objective "region": the centres of mass x of bodies move into a box or a disc,
//
//     f = weight * sum |o|^2,   df/dx = 2 weight o,
//
// with o the vector from the nearest point of the region, scaled by "inside", to x, zero there.  Along each chosen
// axis of a box it is max(|x_i - c_i| - size_i / 2, 0) with the sign of x_i - c_i.  For a disc (a ball, an interval)
// it is (|x - c| - radius) (x - c) / |x - c|, so that the loss is once continuously differentiable.  With "rest" a
// body adds the term of task/rest.h with u = |o|^2 / extent^2, the extent being the radius or half the largest edge.
#include <math.h>

#include "task/rest.h"

static const struct dc_option options_table[] = {
    DC_BODY_LIST_OPTION(struct dc_region_options, bodies, NULL, DC_OBJECTIVE_BODIES_MOST,
                        "names of the bodies that shall come into the region"),
    DC_VECTOR_OPTION(struct dc_region_options, center, "m", NULL, 1e6, "middle of the region"),
    DC_REALS_OPTION(struct dc_region_options, size, "m", "null", 3, 0, 1e6, "edge lengths of a box along x, y and z"),
    DC_REAL_OPTION(struct dc_region_options, radius, "m", "null", 0, 1e6,
                   "radius of a disc (of a ball when all axes count), instead of size"),
    DC_TOLERANCE_OPTION(struct dc_region_options, tolerance, "m", "0",
                        "distance from the region that counts as reached"),
    DC_INSIDE_OPTION(struct dc_region_options, rest.inside),
    DC_WEIGHT_OPTION(struct dc_region_options, weight, "1/m^2", "factor on the squared distance"),
    DC_WHEN_OPTION(struct dc_region_options, when, "\"end\"", DC_WHEN_FRAMES),
    DC_AXES_OPTION(struct dc_region_options, "\"xy\""),
    DC_REST_OPTIONS(struct dc_region_options, rest),
    DC_OPTIONS_END,
};

// Half its largest extent along the axes, m.
static double extent(const struct dc_region_options *region)
{
  double largest = isnan(region->radius) ? 0 : region->radius;
  for (int i = 0; i < 3 && isnan(region->radius); i++)
    if (strchr(region->axes, "xyz"[i]))
      largest = fmax(largest, region->size[i] / 2);
  return largest;
}

// Refuses both or none of "size" and "radius", and rest in a region without an extent.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_region_options *region = options;
  enum dc_status status = dc_objective_check_bodies(&region->bodies, model, error);
  if (!status && isnan(region->radius) == isnan(region->size[0]))
    status = dc_fail(error, DC_BAD_INPUT, "size: must be given, or radius, and not both");
  if (!status)
    status = dc_objective_check_axes(region->axes, error);
  if (!status && dc_rest_asked(&region->rest) && !(extent(region) > 0))
    status = dc_fail(error, DC_BAD_INPUT, "rest: needs a region with an extent, within which a body rests");
  return status;
}

// The vector way [3] from a part of the region (NAN: all of it) to a point; returns its length.
static double way_out(const struct dc_region_options *region, double part, const double *point, double *way)
{
  double radius = dc_objective_rim(part, region->radius);
  dc_objective_offset(way, point, region->center, region->axes);
  if (isnan(region->radius)) {
    for (int i = 0; i < 3; i++) {
      double half = dc_objective_rim(part, region->size[i] / 2);
      way[i] = fabs(way[i]) <= half ? 0 : copysign(fabs(way[i]) - half, way[i]);
    }
    return dc_vec_norm(way);
  }
  double distance = dc_vec_norm(way), outside = distance <= radius ? 0 : distance - radius;
  dc_vec_scale(way, way, distance > 0 ? outside / distance : 0);
  return outside;
}

// u of the term for rest, with du/dx in by_place [3]; 0 where rest is not requested.
static double outside(const struct dc_region_options *region, const double *way, double *by_place)
{
  if (!dc_rest_asked(&region->rest))
    return 0;
  double size = extent(region);
  dc_vec_scale(by_place, way, 2 / (size * size));
  return dc_vec_dot(way, way) / (size * size);
}

// How many motions before a frame rest is asked for; 0 without "rest".
static int motions_of(const struct dc_region_options *region, const struct dc_trajectory *trajectory)
{
  return dc_rest_motions(&region->rest, region->when, trajectory);
}

// The term for rest of one body at a frame.
static double motion_value(const struct dc_region_options *region, const struct dc_model *model,
                           const struct dc_trajectory *trajectory, int frame, int body, const double *way, double share,
                           struct dc_loss_cotangent *cotangent)
{
  double by_place[3] = {0}, u = outside(region, way, by_place);
  return region->weight * dc_rest_value(&region->rest, model, trajectory, frame, motions_of(region, trajectory), body,
                                        region->axes, u, by_place, share * region->weight, cotangent);
}

// Adds weight d^2 and the term for rest over frames and bodies, times the frames' share; d: distance from the region.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_region_options *region = options;
  struct dc_frame_range frames = dc_objective_frames(region->when, trajectory);
  double sum = 0;
  for (int frame = frames.first; frame <= frames.last; frame++) {
    for (int i = 0; i < region->bodies.count; i++) {
      double way[3];
      int body = region->bodies.indices[i];
      double distance = way_out(region, region->rest.inside, dc_objective_center(trajectory, frame, body), way);
      sum += region->weight * distance * distance +
             motion_value(region, model, trajectory, frame, body, way, frames.share, cotangent);
      dc_objective_add(cotangent, model, trajectory, frame, body, 2 * region->weight * frames.share, way);
    }
    dc_trajectory_release(trajectory, frame);
  }
  return frames.share * sum;
}

// For each frame and body a group of its place, and those of the term for rest.
static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  const struct dc_region_options *region = options;
  struct dc_frame_range frames = dc_objective_frames(region->when, trajectory);
  return dc_rest_groups(&frames, motions_of(region, trajectory), region->bodies.count);
}

// Groups of rows x - c with the region as target set, and those of the term for rest.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)model, (void)input;
  const struct dc_region_options *region = options;
  int frame, axes[3], body;
  struct dc_frame_range frames = dc_objective_frames(region->when, trajectory);
  int motion = dc_rest_place(&frames, region->bodies.count, index, &frame, &body);
  body = region->bodies.indices[body];
  const double *place = dc_objective_center(trajectory, frame, body);
  double offset[3], by_place[3] = {0}, way[3], distance = way_out(region, region->rest.inside, place, way);
  dc_rest_span(motion, frame, first, last);
  double u = outside(region, way, by_place);
  if (motion) {
    dc_rest_group(&region->rest, trajectory, frame, motion, motions_of(region, trajectory), body, region->axes, u,
                  frames.share * region->weight, group);
    return;
  }
  dc_objective_offset(offset, place, region->center, region->axes);
  dc_rest_add_to_place(&region->rest, trajectory, frame, motions_of(region, trajectory), body, region->axes, u,
                       by_place, way);
  dc_objective_group(group, region->axes, offset, way);
  group->weight = frames.share * region->weight;
  group->value = group->weight * distance * distance;
  group->radius = dc_objective_rim(region->rest.inside, region->radius);
  dc_objective_axes(region->axes, axes);
  for (int k = 0; k < group->axes; k++)
    group->half[k] = dc_objective_rim(region->rest.inside, region->size[axes[k]] / 2);
}

// Places and motions are pulled back by the same function, which tells them apart by `motion`.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_region_options *region = options;
  int frame, body;
  struct dc_frame_range frames = dc_objective_frames(region->when, trajectory);
  int motion = dc_rest_place(&frames, region->bodies.count, index, &frame, &body);
  dc_rest_group_pull_back(&region->rest, model, trajectory, motion, frame, region->bodies.indices[body], region->axes,
                          weights, cotangent);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

// The body farthest outside, its distance from the region, and whether all are within the tolerance (and at rest,
// where that is asked).
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  (void)model, (void)input;
  const struct dc_region_options *region = options;
  *body = -1, *distance = -1, *reached = true;
  for (int i = 0; i < region->bodies.count; i++) {
    double way[3];
    double own = way_out(region, 1, dc_objective_center(trajectory, frame, region->bodies.indices[i]), way);
    *reached = *reached && own <= region->tolerance &&
               dc_rest_holds(&region->rest, trajectory, frame, region->bodies.indices[i], region->axes);
    if (!(own <= *distance))
      *body = region->bodies.indices[i], *distance = own;
  }
}

// The distance, and with "rest" the speed: both of the body for which it is largest.
static int conditions(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int frame,
                      struct dc_condition conditions[DC_CONDITIONS_MOST])
{
  const struct dc_region_options *region = options;
  bool reached;
  conditions[0] = (struct dc_condition){.name = "position", .unit = "m", .allowed = region->tolerance, .frame = frame};
  report(options, model, input, trajectory, frame, &conditions[0].body, &conditions[0].value, &reached);
  conditions[0].holds = conditions[0].value <= region->tolerance;
  conditions[1] = (struct dc_condition){
      .name = "speed", .unit = "m/s", .body = -1, .value = -1, .allowed = region->rest.speed, .frame = frame};
  for (int i = 0; i < region->bodies.count && dc_rest_asked(&region->rest); i++)
    dc_rest_condition(&region->rest, trajectory, frame, region->bodies.indices[i], region->axes, &conditions[1]);
  conditions[1].holds = conditions[1].value <= region->rest.speed;
  return dc_rest_asked(&region->rest) ? 2 : 1;
}

// The nearest place in the region, as seen from where the body is.
static bool goal(const void *options, int i, const struct dc_pose *poses, int *body, double place[3], double *radius)
{
  const struct dc_region_options *region = options;
  double way[3];
  if (i >= region->bodies.count)
    return false;
  *body = region->bodies.indices[i];
  way_out(region, 1, poses[*body].position, way);
  dc_vec_sub(place, poses[*body].position, way);
  *radius = region->tolerance;
  return true;
}

// Marks one circle for pictures: the disc, or the largest one inside the box.
static bool mark(const void *options, int i, int *body, double target[3], double *radius)
{
  const struct dc_region_options *region = options;
  if (i > 0)
    return false;
  *body = -1;
  dc_vec_copy(target, region->center);
  *radius = region->radius;
  for (int k = 0; k < 3; k++)
    if (strchr(region->axes, "xyz"[k]))
      *radius = fmin(*radius, region->size[k] / 2);  // fmin of a number and NaN is the number
  return true;
}

const struct dc_objective_type dc_objective_region = {
    .name = "region",
    .summary = "weight * squared distance of the centres of mass of bodies from a box or disc",
    .reference = "paper 000, section 6, Gather: cubes are pushed into a target region",
    .options = options_table,
    .options_size = sizeof(struct dc_region_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
    .conditions = conditions,
    .goal = goal,
    .mark = mark,
};
