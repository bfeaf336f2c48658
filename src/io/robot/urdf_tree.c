// SPDX-License-Identifier: Apache-2.0
// The links and joints of a robot as a tree, and poses in it.
//
// dc_urdf_connect() makes the tree: names are sorted and resolved, roots beside a link "world" get floating joints,
// one root remains, and links are ordered with parents before children.  Joints that follow others get their leaders:
// first by name, then the leader at the end of each chain, then only ranges that can be met.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/options_reader.h"
#include "io/robot/urdf.h"
#include "math/rotation.h"
#include "math/vector.h"

const struct dc_urdf_pose dc_urdf_identity = {{0, 0, 0}, {1, 0, 0, 0}};

// r = a b: a pose b that is given in the frame a. r may be a or b.
void dc_urdf_pose_compose(struct dc_urdf_pose *r, const struct dc_urdf_pose *a, const struct dc_urdf_pose *b)
{
  double matrix[9], moved[3];
  struct dc_urdf_pose result;
  dc_rotation_matrix(matrix, a->rotation);
  dc_mat_apply(moved, matrix, b->position);
  dc_vec_add(result.position, a->position, moved);
  dc_rotation_multiply(result.rotation, a->rotation, b->rotation);
  *r = result;
}

// r = a^-1; r may be a.  Subtracting from 0 avoids negative zeros, which would be written to files.
void dc_urdf_pose_invert(struct dc_urdf_pose *r, const struct dc_urdf_pose *a)
{
  double matrix[9], back[3];
  struct dc_urdf_pose result;
  dc_rotation_matrix(matrix, a->rotation);
  dc_mat_apply_transposed(back, matrix, a->position);
  for (int i = 0; i < 3; i++)
    result.position[i] = 0 - back[i];
  dc_rotation_conjugate(result.rotation, a->rotation);
  *r = result;
}

// Puts "file:line:column" of the byte at offset before the message. error NULL: the status alone.
enum dc_status dc_urdf_fail(const struct dc_urdf *urdf, size_t offset, struct dc_error *error, enum dc_status status,
                            const char *format, ...)
{
  if (!error)
    return status;
  long line, column;
  va_list arguments;
  va_start(arguments, format);
  error->status = status;
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  dc_json_find_line(urdf->text, offset < urdf->length ? offset : urdf->length, &line, &column);
  dc_error_prefix(error, "%.300s:%ld:%ld", urdf->name, line, column);
  return status;
}

// Frees what grows while a file is parsed; names and lists in the arena stay until that is destroyed.
void dc_urdf_release(struct dc_urdf *urdf)
{
  free(urdf->links);
  free(urdf->joints);
  free(urdf->geometries);
  urdf->links = NULL;
  free(urdf->unread);
  free(urdf->ties.list);
  urdf->unread = NULL;
  urdf->unread_count = 0;
  urdf->joints = NULL;
  urdf->geometries = NULL;
  urdf->link_count = urdf->joint_count = urdf->geometry_count = 0;
}

// A link without mass, geometry and joint.  NAN stands for numbers that the file does not give; all bits of the
// collision filters are set, so that it touches everything.
struct dc_urdf_link dc_urdf_new_link(const char *name, size_t offset)
{
  return (struct dc_urdf_link){.name = name,
                               .offset = offset,
                               .inertial = dc_urdf_identity,
                               .joint = -1,
                               .friction = NAN,
                               .density = NAN,
                               .usual_density = NAN,
                               .category = DC_URDF_ALL_BITS,
                               .mask = DC_URDF_ALL_BITS};
}

// The axis is x where a file gives none, as the specification of URDF says.
struct dc_urdf_joint dc_urdf_new_joint(const char *name, size_t offset)
{
  return (struct dc_urdf_joint){.name = name,
                                .offset = offset,
                                .origin = dc_urdf_identity,
                                .axis = {1, 0, 0},
                                .effort = NAN,
                                .velocity = NAN,
                                .mimic = -1,
                                .multiplier = 1};
}

// Turns the ends of a range into one that scenes allow.  Both infinite: the joint has no range.  One infinite:
// it is put far beyond the other end and 0, but not so far that the barrier of a wide range acts on the near
// end.
void dc_urdf_set_range(struct dc_urdf_joint *joint, double lower, double upper)
{
  static const double farthest = 1e6;  // the largest range of a scene
  static const double wide = 100;      // barriers of wider ranges would be felt far from the end that there is
  if (fabs(lower) > farthest)
    lower = copysign(INFINITY, lower);
  if (fabs(upper) > farthest)
    upper = copysign(INFINITY, upper);
  joint->boundless = isinf(lower) && isinf(upper);
  if (isinf(lower) && !joint->boundless)
    lower = fmin(upper, 0) - wide;
  if (isinf(upper) && !joint->boundless)
    upper = fmax(lower, 0) + wide;
  joint->lower = lower;
  joint->upper = upper;
  joint->limited = !joint->boundless;
}

// A joint whose range is one value does not move and is fixed at this value.
bool dc_urdf_joint_is_fixed(const struct dc_urdf_joint *joint)
{
  return joint->type == DC_URDF_FIXED || (joint->limited && joint->lower == joint->upper);
}

// Whether the joint has exactly one coordinate, m or rad.
bool dc_urdf_joint_is_scalar(const struct dc_urdf_joint *joint)
{
  return (joint->type == DC_URDF_REVOLUTE || joint->type == DC_URDF_CONTINUOUS || joint->type == DC_URDF_PRISMATIC) &&
         !dc_urdf_joint_is_fixed(joint);
}

// Names in their order, by name(urdf, order[i]).
typedef const char *name_of(const struct dc_urdf *urdf, int index);

static const char *link_name(const struct dc_urdf *urdf, int index)
{
  return urdf->links[index].name;
}

static const char *joint_name(const struct dc_urdf *urdf, int index)
{
  return urdf->joints[index].name;
}

// Binary search in an array of indices that is sorted by name.
static int find_name(const struct dc_urdf *urdf, const int *order, size_t count, name_of *name_at, const char *name)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(name_at(urdf, order[middle]), name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && strcmp(name_at(urdf, order[low]), name) == 0 ? order[low] : -1;
}

// The link's index, -1: there is none; the names must have been sorted by dc_urdf_connect.
int dc_urdf_find_link(const struct dc_urdf *urdf, const char *name)
{
  return find_name(urdf, urdf->link_names, urdf->link_count, link_name, name);
}

int dc_urdf_find_joint(const struct dc_urdf *urdf, const char *name)
{
  return find_name(urdf, urdf->joint_names, urdf->joint_count, joint_name, name);
}

static enum dc_status out_of_memory(const struct dc_urdf *urdf, struct dc_error *error)
{
  return dc_out_of_memory_in(error, urdf->name);
}

// DC_BAD_INPUT: "joint NAME: rule OTHER", with the place of the joint in the file.
static enum dc_status fail_joint(const struct dc_urdf *urdf, const struct dc_urdf_joint *joint, struct dc_error *error,
                                 const char *rule, const char *other)
{
  char quoted[DC_JSON_QUOTED], again[DC_JSON_QUOTED];
  return dc_urdf_fail(urdf, joint->offset, error, DC_BAD_INPUT, "joint %s: %s %s", dc_json_quote(quoted, joint->name),
                      rule, dc_json_quote(again, other));
}

static enum dc_status fail_link(const struct dc_urdf *urdf, int index, struct dc_error *error, const char *rule)
{
  char quoted[DC_JSON_QUOTED];
  const struct dc_urdf_link *link = &urdf->links[index];
  return dc_urdf_fail(urdf, link->offset, error, DC_BAD_INPUT, "link %s: %s", dc_json_quote(quoted, link->name), rule);
}

// Sorts names [list->count]; the later of the first two that are the same is *twice, -1 without.
static void sort_names(struct dc_name_list *list, int *twice)
{
  dc_name_list_sort(list);
  *twice = -1;
  for (int i = 1; i < list->count && *twice < 0; i++)
    if (strcmp(list->sorted[i - 1].name, list->sorted[i].name) == 0)
      *twice = list->sorted[i].index;
}

// Resolves the names of each joint's links.  A link with two joints to it would close a loop, which URDF does
// not have.
static enum dc_status find_links(struct dc_urdf *urdf, const struct dc_name_list *links, struct dc_error *error)
{
  for (size_t j = 0; j < urdf->joint_count; j++) {
    struct dc_urdf_joint *joint = &urdf->joints[j];
    joint->parent = dc_name_list_find(links, joint->parent_name);
    joint->child = dc_name_list_find(links, joint->child_name);
    if (joint->parent < 0 || joint->child < 0)
      return fail_joint(urdf, joint, error, "no link is called",
                        joint->parent < 0 ? joint->parent_name : joint->child_name);
    struct dc_urdf_link *child = &urdf->links[joint->child];
    if (child->joint >= 0)
      return fail_joint(urdf, joint, error, "its child has another parent already, by the joint",
                        urdf->joints[child->joint].name);
    child->joint = (int)j;
  }
  return DC_OK;
}

// Sorted lists of the names of links and joints, which find twins at once, and later every name.
static enum dc_status sort_all_names(struct dc_urdf *urdf, struct dc_error *error)
{
  struct dc_name_list links = {.count = (int)urdf->link_count}, joints = {.count = (int)urdf->joint_count};
  links.sorted = dc_arena_alloc(urdf->arena, urdf->link_count, sizeof *links.sorted);
  joints.sorted = dc_arena_alloc(urdf->arena, urdf->joint_count, sizeof *joints.sorted);
  urdf->link_names = dc_arena_alloc(urdf->arena, urdf->link_count, sizeof *urdf->link_names);
  urdf->joint_names = dc_arena_alloc(urdf->arena, urdf->joint_count, sizeof *urdf->joint_names);
  if (!links.sorted || !joints.sorted || !urdf->link_names || !urdf->joint_names)
    return out_of_memory(urdf, error);
  int twice;
  for (int i = 0; i < links.count; i++)
    links.sorted[i] = (struct dc_name){urdf->links[i].name, i};
  sort_names(&links, &twice);
  if (twice >= 0)
    return fail_link(urdf, twice, error, "another link has this name");
  for (int j = 0; j < joints.count; j++)
    joints.sorted[j] = (struct dc_name){urdf->joints[j].name, j};
  sort_names(&joints, &twice);
  if (twice >= 0)
    return fail_joint(urdf, &urdf->joints[twice], error, "another joint has this name:", urdf->joints[twice].name);
  for (int i = 0; i < links.count; i++)
    urdf->link_names[i] = links.sorted[i].index;
  for (int j = 0; j < joints.count; j++)
    urdf->joint_names[j] = joints.sorted[j].index;
  return find_links(urdf, &links, error);
}

// The only link without a parent.
static enum dc_status find_root(const struct dc_urdf *urdf, int *root, struct dc_error *error)
{
  char quoted[DC_JSON_QUOTED], again[DC_JSON_QUOTED];
  *root = -1;
  for (int i = 0; i < (int)urdf->link_count; i++) {
    if (urdf->links[i].joint >= 0)
      continue;
    if (*root >= 0)
      return dc_urdf_fail(urdf, urdf->links[i].offset, error, DC_BAD_INPUT,
                          "link %s: no joint leads to it, nor to %s: a robot has one root",
                          dc_json_quote(quoted, urdf->links[i].name), dc_json_quote(again, urdf->links[*root].name));
    *root = i;
  }
  return DC_OK;
}

// Breadth first from the root.  Every link has one parent at most: those that are not reached are in or below loops.
// Children of a link are listed in the order of the file: the lists are built from the last joint to the first.  Time
// and memory are linear in links and joints.
static enum dc_status sort_links(struct dc_urdf *urdf, int root, struct dc_error *error)
{
  int count = (int)urdf->link_count, done = 0, *order = dc_arena_alloc(urdf->arena, urdf->link_count, sizeof *order);
  // first joint below each link, next joint below the same link, whether a link is reached
  int *first = dc_alloc(urdf->link_count + urdf->joint_count, sizeof *first), *next = first + urdf->link_count;
  bool *reached = dc_alloc(urdf->link_count, sizeof *reached);
  enum dc_status status = order && first && reached ? DC_OK : out_of_memory(urdf, error);
  for (int i = 0; i < count && !status; i++)
    first[i] = -1;
  for (int j = (int)urdf->joint_count - 1; j >= 0 && !status; j--) {
    next[j] = first[urdf->joints[j].parent];
    first[urdf->joints[j].parent] = j;
  }
  if (!status && root >= 0)
    order[done++] = root;
  for (int i = 0; i < done; i++) {
    reached[order[i]] = true;
    for (int j = first[order[i]]; j >= 0; j = next[j])
      order[done++] = urdf->joints[j].child;
  }
  for (int i = 0; i < count && !status; i++)
    if (!reached[i])
      status = fail_link(urdf, i, error, "its parents form a loop");
  free(first);
  free(reached);
  urdf->order = order;
  return status;
}

// Resolves leaders.  Followers that cannot move need none; others must have one coordinate, and so must their
// leaders, unless those are fixed.
static enum dc_status find_mimics(struct dc_urdf *urdf, struct dc_error *error)
{
  for (size_t j = 0; j < urdf->joint_count; j++) {
    struct dc_urdf_joint *joint = &urdf->joints[j];
    if (!joint->mimic_name)
      continue;
    int leader = dc_urdf_find_joint(urdf, joint->mimic_name);
    if (leader < 0)
      return fail_joint(urdf, joint, error, "<mimic>: no joint is called", joint->mimic_name);
    if (dc_urdf_joint_is_fixed(joint))  // whoever leads it
      continue;
    joint->mimic = leader;
    if (!dc_urdf_joint_is_scalar(joint))
      return fail_joint(urdf, joint, error, "has not one coordinate, so that it cannot follow", joint->mimic_name);
    if (!dc_urdf_joint_is_scalar(&urdf->joints[leader]) && !dc_urdf_joint_is_fixed(&urdf->joints[leader]))
      return fail_joint(urdf, joint, error,
                        "<mimic>: has not one coordinate that could be followed:", joint->mimic_name);
  }
  return DC_OK;
}

// A joint that follows a follower follows its leader: q = m (m' q' + s') + s.
// A loop is found because a chain without one has fewer hops than there are joints.
static enum dc_status shorten_mimics(struct dc_urdf *urdf, struct dc_error *error)
{
  for (size_t j = 0; j < urdf->joint_count; j++) {
    struct dc_urdf_joint *joint = &urdf->joints[j];
    for (size_t hops = 0; joint->mimic >= 0 && urdf->joints[joint->mimic].mimic >= 0; hops++) {
      const struct dc_urdf_joint *leader = &urdf->joints[joint->mimic];
      if (hops > urdf->joint_count || joint->mimic == (int)j)
        return fail_joint(urdf, joint, error, "joints follow each other in a loop, from", joint->mimic_name);
      joint->shift += joint->multiplier * leader->shift;
      joint->multiplier *= leader->multiplier;
      joint->mimic = leader->mimic;
    }
  }
  for (size_t j = 0; j < urdf->joint_count; j++) {  // behind a joint that does not move
    struct dc_urdf_joint *joint = &urdf->joints[j];
    const struct dc_urdf_joint *leader = joint->mimic < 0 ? NULL : &urdf->joints[joint->mimic];
    if (!leader || !dc_urdf_joint_is_fixed(leader))
      continue;
    double stays = leader->type == DC_URDF_FIXED ? 0 : leader->lower;
    joint->lower = joint->upper = joint->multiplier * stays + joint->shift;
    joint->limited = true;
    joint->mimic = -1;
  }
  return DC_OK;
}

// A follower's range is one of its leader's too.  Files hold ranges that no coordinate of the leader meets, as other
// programs look at those of leaders only: such followers lose theirs.
// With q = m p + s for a leader at p, the follower's range [l, u] bounds p by (l - s) / m and (u - s) / m.  The
// ranges of all followers are intersected with the leader's in turn; one that would leave less than a millionth of
// its own is dropped.
static enum dc_status free_followers(struct dc_urdf *urdf, struct dc_error *error)
{
  double(*ranges)[2] = dc_alloc(urdf->joint_count + 1, sizeof *ranges);
  if (!ranges)
    return out_of_memory(urdf, error);
  for (size_t j = 0; j < urdf->joint_count; j++) {
    const struct dc_urdf_joint *joint = &urdf->joints[j];
    ranges[j][0] = joint->limited ? joint->lower : -INFINITY;
    ranges[j][1] = joint->limited ? joint->upper : INFINITY;
  }
  for (size_t j = 0; j < urdf->joint_count; j++) {
    struct dc_urdf_joint *joint = &urdf->joints[j];
    if (joint->mimic < 0 || !joint->limited)
      continue;
    double *range = ranges[joint->mimic], a = (joint->lower - joint->shift) / joint->multiplier,
           b = (joint->upper - joint->shift) / joint->multiplier;
    if (joint->multiplier == 0) {
      a = joint->lower <= joint->shift && joint->shift <= joint->upper ? -INFINITY : INFINITY;
      b = -a;
    }
    double low = fmax(range[0], fmin(a, b)), high = fmin(range[1], fmax(a, b));
    if (joint->multiplier == 0 ? a < b : high - low > 1e-6 * (joint->upper - joint->lower) / fabs(joint->multiplier)) {
      range[0] = low;
      range[1] = high;
    } else {
      joint->limited = false;
      joint->freed = true;
    }
  }
  free(ranges);
  return DC_OK;
}

// Drake's files hang joints on a link "world" that they do not have.
static enum dc_status add_world(struct dc_urdf *urdf, struct dc_error *error)
{
  bool wanted = false, there = false;
  for (size_t j = 0; j < urdf->joint_count; j++)
    wanted |= strcmp(urdf->joints[j].parent_name, "world") == 0;
  for (size_t i = 0; i < urdf->link_count; i++)
    there |= strcmp(urdf->links[i].name, "world") == 0;
  if (!wanted || there)
    return DC_OK;
  if (dc_grow(&urdf->links, &urdf->link_capacity, urdf->link_count + 1, sizeof *urdf->links))
    return out_of_memory(urdf, error);
  struct dc_urdf_link world = dc_urdf_new_link("world", 0);
  world.first_geometry = (int)urdf->geometry_count;
  urdf->links[urdf->link_count++] = world;
  return DC_OK;
}

// Roots beside a link "world", which in Drake's files is the world itself, float freely.
static enum dc_status hold_roots(struct dc_urdf *urdf, struct dc_error *error)
{
  size_t joints = urdf->joint_count;
  bool world = false;
  int roots = 0;
  for (size_t i = 0; i < urdf->link_count; i++) {
    roots += urdf->links[i].joint < 0;
    world |= urdf->links[i].joint < 0 && strcmp(urdf->links[i].name, "world") == 0;
  }
  if (!world || roots < 2)
    return DC_OK;
  for (size_t i = 0; i < urdf->link_count; i++) {
    const struct dc_urdf_link *link = &urdf->links[i];
    if (link->joint >= 0 || strcmp(link->name, "world") == 0)
      continue;
    struct dc_urdf_joint joint = dc_urdf_new_joint(dc_arena_printf(urdf->arena, "%s:base", link->name), link->offset);
    if (!joint.name || dc_grow(&urdf->joints, &urdf->joint_capacity, urdf->joint_count + 1, sizeof *urdf->joints))
      return out_of_memory(urdf, error);
    joint.type = DC_URDF_FLOATING;
    joint.parent_name = "world";
    joint.child_name = link->name;
    joint.invented = true;
    urdf->joints[urdf->joint_count++] = joint;
  }
  if (urdf->joint_count == joints)
    return DC_OK;
  for (size_t i = 0; i < urdf->link_count; i++)
    urdf->links[i].joint = -1;
  return sort_all_names(urdf, error);
}

// Makes a tree of the links and joints, checks it, and simplifies who follows whom.  The order of the steps
// matters: the world is added before names are sorted, and chains of followers are shortened before ranges are
// compared.
enum dc_status dc_urdf_connect(struct dc_urdf *urdf, struct dc_error *error)
{
  int root;
  if (!urdf->link_count)
    return dc_urdf_fail(urdf, 0, error, DC_BAD_INPUT, "the robot has no links");
  enum dc_status status = add_world(urdf, error);
  if (!status)
    status = sort_all_names(urdf, error);
  if (!status)
    status = hold_roots(urdf, error);
  if (status || (status = find_root(urdf, &root, error)) || (status = sort_links(urdf, root, error)) ||
      (status = find_mimics(urdf, error)))
    return status;
  status = shorten_mimics(urdf, error);
  return status ? status : free_followers(urdf, error);
}
