// SPDX-License-Identifier: Apache-2.0
// trajectory.h5 is read.  The file may come from others, so that nothing in it is believed:
// 1. its seal is checked, and it is mapped (dc_sealed_file_map);
// 2. a child process with limits of time and memory opens it with HDF5, since damaged files make that library
//    hang;
// 3. every data set must have the type, shape and number of rows that the scene asks for, and all its numbers
//    in the file itself (check_shape), before memory is asked for;
// 4. numbers must be finite, times increase, quaternions have length 1, indices exist;
// 5. the child hands the arrays over in one piece (trajectory_pack.c).
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "io/run/h5_file.h"
#include "io/run/run_files.h"
#include "io/run/seal.h"
#include "io/run/trajectory_h5.h"

enum { MOST_APPLIED = 1000000 };  // steps of a window

// A file that is being read, in the child process.
struct reader {
  hid_t root;         // the file or the group /first
  const char *below;  // "" or "first/", for messages
  const char *path;
  size_t file_size;
  int most_frames;
  bool poses_only;  // of the bodies asked for, whatever else there is
  struct dc_mapped_file *image;
  struct dc_error *error;
};

static const char wrong_shape[] = "has another shape than the scene asks for";

// DC_BAD_INPUT with file, object and the rule that it breaks.
static enum dc_status misfit(const struct reader *reader, const char *object, const char *rule)
{
  return dc_fail(reader->error, DC_BAD_INPUT, "%.500s: /%s%.200s: %s", reader->path, reader->below, object, rule);
}

// The row that is the k-th of `kept` rows spread evenly over `count`, the first and the last among them.
// Rounding to the nearest row keeps both ends, and no row is more than half a row off equal distances.
int dc_evenly_spaced(int k, int kept, int count)
{
  return kept > 1 ? (int)lrint((double)k * (count - 1) / (kept - 1)) : 0;
}

// Checks that a data set has 64-bit numbers, the rank and columns asked for, and that all its numbers are in
// the file; *rows is how many rows it has.  Memory that is asked for thereby stays in proportion to the file.
static enum dc_status check_shape(const struct reader *reader, const char *name, hid_t dataset, int columns,
                                  size_t *rows)
{
  enum dc_status status = DC_OK;
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  hsize_t shape[2] = {0, 0};
  int rank = columns ? 2 : 1;
  size_t width = columns ? (size_t)columns : 1;
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != sizeof(double))
    status = misfit(reader, name, "must hold 64-bit numbers");
  else if (H5Sget_simple_extent_ndims(space) != rank || H5Sget_simple_extent_dims(space, shape, NULL) < 0 ||
           (columns && shape[1] != (hsize_t)columns))
    status = misfit(reader, name, wrong_shape);
  // All numbers must be in the file itself, so that memory stays in proportion to it.
  else if (shape[0] > reader->file_size / (width * sizeof(double)) || shape[0] > (hsize_t)1 << 30 ||
           (shape[0] && H5Dget_storage_size(dataset) != shape[0] * width * sizeof(double)))
    status = misfit(reader, name, "claims more numbers than the file holds");
  *rows = (size_t)shape[0];
  close_object(type);
  close_object(space);
  return status;
}

// Rows begin ... begin + count - 1 of a dataset.
static herr_t read_rows(hid_t dataset, size_t begin, size_t count, int columns, double *values)
{
  hsize_t start[2] = {begin, 0}, shape[2] = {count, (hsize_t)columns};
  hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(columns ? 2 : 1, shape, NULL);
  herr_t result = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL);
  if (result >= 0)
    result = H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
  close_object(memory);
  close_object(space);
  return result;
}

// Reads `kept` rows, evenly spread over all rows of the data set, the first and the last among them.  The file
// is read in blocks whose pages are released at once, so that memory is in proportion to the rows kept.
// Block by block, the rows that lie in the block are copied; k runs over the rows kept, which increase with k.
static enum dc_status read_spread(const struct reader *reader, hid_t dataset, int all, int kept, int columns,
                                  double *values)
{
  size_t width = columns ? (size_t)columns : 1;
  int most = dc_h5_block_rows(all, width);
  double *block = dc_alloc((size_t)most * width, sizeof *block);
  enum dc_status status = block ? DC_OK : DC_MEMORY;
  for (int begin = 0, k = 0; begin < all && !status; begin += most) {
    int count = all - begin < most ? all - begin : most;
    if (read_rows(dataset, (size_t)begin, (size_t)count, columns, block) < 0)
      status = DC_IO;
    for (int row; !status && k < kept && (row = dc_evenly_spaced(k, kept, all)) < begin + count; k++)
      memcpy(values + (size_t)k * width, block + (size_t)(row - begin) * width, width * sizeof *values);
    dc_mapped_file_release(reader->image);
  }
  free(block);
  return status;
}

// Reads a data set [rows][columns] ([rows] for 0 columns) of finite numbers.  *all is the number of rows it
// must have; when negative any number is taken and stored there.  At most `most` rows are kept, evenly spread.
// *values is owned by arena.
static enum dc_status get_some(const struct reader *reader, const char *name, int *all, int columns, int most,
                               struct dc_arena *arena, double **values)
{
  hid_t dataset = dc_h5_open_dataset(reader->root, name);
  if (dataset < 0)
    return misfit(reader, name, "is not there, is kept in another file, or is compressed");
  size_t rows, width = columns ? (size_t)columns : 1;
  int kept = 0;
  enum dc_status status = check_shape(reader, name, dataset, columns, &rows);
  *values = NULL;
  if (!status && *all >= 0 && rows != (size_t)*all)
    status = misfit(reader, name, wrong_shape);
  if (!status) {
    *all = (int)rows;
    kept = *all < most ? *all : most;
    *values = dc_arena_alloc(arena, (size_t)kept * width, sizeof(double));
    if (*values && kept)
      status = read_spread(reader, dataset, *all, kept, columns, *values);
    if (!*values || status == DC_MEMORY)
      status = dc_out_of_memory_in(reader->error, reader->path);
    else if (status)
      status = dc_fail(reader->error, DC_IO, "%.500s: /%s%.200s: cannot be read", reader->path, reader->below, name);
  }
  for (size_t i = 0; !status && i < (size_t)kept * width; i++)
    if (!isfinite((*values)[i]))
      status = misfit(reader, name, "holds a number that is not finite");
  close_object(dataset);
  return status;
}

// All rows.
static enum dc_status get_reals(const struct reader *reader, const char *name, int *rows, int columns,
                                struct dc_arena *arena, double **values)
{
  return get_some(reader, name, rows, columns, INT_MAX, arena, values);
}

// A row for each frame that is kept.
static enum dc_status get_frames(const struct reader *reader, const char *name, int columns, struct dc_arena *arena,
                                 struct dc_stored_trajectory *trajectory, double **values)
{
  return get_some(reader, name, &trajectory->all_frames, columns, reader->most_frames, arena, values);
}

// Reads position and rotation of one body and interleaves them with those of the others: the file has an array
// for each body, the trajectory [frames][bodies].
static enum dc_status get_body(const struct reader *reader, const char *name, int body,
                               struct dc_stored_trajectory *trajectory)
{
  char *link = dc_h5_link_name(name), *position_name = NULL, *rotation_name = NULL;
  double *position, *rotation;
  struct dc_arena *scratch = dc_arena_create();
  enum dc_status status = DC_OK;
  if (link && scratch) {
    position_name = dc_arena_printf(scratch, "bodies/%s/position", link);
    rotation_name = dc_arena_printf(scratch, "bodies/%s/rotation", link);
  }
  if (!position_name || !rotation_name)
    status = dc_out_of_memory_in(reader->error, reader->path);
  if (!status)
    status = get_frames(reader, position_name, 3, scratch, trajectory, &position);
  if (!status)
    status = get_frames(reader, rotation_name, 4, scratch, trajectory, &rotation);
  for (int f = 0; !status && f < trajectory->frames; f++) {
    const double *q = rotation + 4 * (size_t)f;
    size_t row = (size_t)f * (size_t)trajectory->bodies + (size_t)body;
    memcpy(trajectory->position + 3 * row, position + 3 * (size_t)f, 3 * sizeof(double));
    memcpy(trajectory->quaternion + 4 * row, q, 4 * sizeof(double));
    // The same bound as for rotations in a scene.
    if (!(fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1) <= 1e-3))
      status = misfit(reader, rotation_name, "holds a quaternion that is not of length 1");
  }
  dc_arena_destroy(scratch);
  free(link);
  return status;
}

// Checks that the file has the bodies of the scene, and that it can hold as many numbers, before memory is
// asked for; then reads them one by one.
static enum dc_status get_bodies(const struct reader *reader, const struct dc_bodies *bodies,
                                 struct dc_stored_trajectory *trajectory)
{
  H5G_info_t info = {0};
  hid_t group = H5Gopen2(reader->root, "bodies", H5P_DEFAULT);
  bool same_count = group >= 0 && H5Gget_info(group, &info) >= 0 && info.nlinks == (hsize_t)bodies->count;
  close_object(group);
  if (!same_count && !reader->poses_only)
    return misfit(reader, "bodies", "has another number of bodies than the scene");
  size_t rows = (size_t)trajectory->frames * (size_t)bodies->count;
  // Each body needs 56 bytes a frame in the file.
  if (rows > reader->file_size / (7 * sizeof(double)))
    return misfit(reader, "bodies", "claims more numbers than the file holds");
  trajectory->bodies = bodies->count;
  trajectory->position = dc_arena_alloc(trajectory->arena, rows, 3 * sizeof(double));
  trajectory->quaternion = dc_arena_alloc(trajectory->arena, rows, 4 * sizeof(double));
  if (!trajectory->position || !trajectory->quaternion)
    return dc_out_of_memory_in(reader->error, reader->path);
  enum dc_status status = DC_OK;
  for (int b = 0; b < bodies->count && !status; b++)
    status = get_body(reader, bodies->bodies[b].name, b, trajectory);
  return status;
}

// Coordinates of every joint by the name of its body, [frames][width], as the model describes them; files of another
// model are refused.
static enum dc_status get_joints(const struct reader *reader, const struct dc_bodies *bodies,
                                 struct dc_stored_trajectory *trajectory)
{
  enum dc_status status = dc_h5_describe_joints(bodies, trajectory);
  if (status)
    return dc_fail(reader->error, status, "%.800s: out of memory", reader->path);
  for (int j = 0; j < trajectory->joint_count && !status; j++) {
    struct dc_stored_joint *joint = &trajectory->joints[j];
    const char *name = dc_arena_printf(trajectory->arena, "joints/%s", joint->link);
    status = name ? get_frames(reader, name, joint->width, trajectory->arena, trajectory, &joint->values)
                  : dc_out_of_memory_in(reader->error, reader->path);
  }
  return status;
}

// Reads the places of the nodes of soft bodies into [frames][nodes][3]; a file may be without.
static enum dc_status get_nodes(const struct reader *reader, const struct dc_bodies *bodies,
                                struct dc_stored_trajectory *trajectory)
{
  size_t width = 3 * (size_t)bodies->node_count, frames = (size_t)trajectory->frames;
  enum dc_status status = DC_OK;
  if (!bodies->soft_count || H5Lexists(reader->root, "nodes", H5P_DEFAULT) <= 0)
    return DC_OK;
  if (frames * width > reader->file_size / sizeof(double))
    return misfit(reader, "nodes", "claims more numbers than the file holds");
  trajectory->nodes = dc_arena_alloc(trajectory->arena, frames * width, sizeof(double));
  for (int s = 0; s < bodies->soft_count && trajectory->nodes && !status; s++) {
    const struct dc_soft *soft = &bodies->soft[s];
    size_t own = 3 * (size_t)soft->node_count, first = (size_t)(soft->q_offset - bodies->first_node_q);
    char *link = dc_h5_link_name(bodies->bodies[soft->body].name);
    const char *name = link ? dc_arena_printf(trajectory->arena, "nodes/%s", link) : NULL;
    double *values = NULL;
    status = name ? get_frames(reader, name, (int)own, trajectory->arena, trajectory, &values) : DC_MEMORY;
    for (size_t f = 0; f < frames && !status; f++)
      memcpy(trajectory->nodes + f * width + first, values + f * own, own * sizeof *values);
    free(link);
  }
  return trajectory->nodes && status != DC_MEMORY ? status : dc_out_of_memory_in(reader->error, reader->path);
}

// The number of columns of a dataset, 0 when it is not there or has none.
static hsize_t get_width(const struct reader *reader, const char *name)
{
  hsize_t shape[2] = {0, 0};
  hid_t dataset = dc_h5_open_dataset(reader->root, name);
  hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
  if (space < 0 || H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, shape, NULL) < 0)
    shape[1] = 0;
  close_object(space);
  close_object(dataset);
  return shape[1];
}

// Reads the targets that a receding horizon applied, and how many steps of each window were.  Targets for other
// actuators than the scene has are left alone.
static enum dc_status get_targets(const struct reader *reader, int actuators, struct dc_stored_trajectory *trajectory)
{
  double *position, *velocity, *apply;
  int steps = trajectory->all_frames - 1, one = 1;
  if (H5Lexists(reader->root, "targets", H5P_DEFAULT) <= 0 || actuators == 0 ||
      get_width(reader, "targets/position") != (hsize_t)actuators)
    return DC_OK;
  enum dc_status status = get_reals(reader, "targets/position", &steps, actuators, trajectory->arena, &position);
  if (!status)
    status = get_reals(reader, "targets/velocity", &steps, actuators, trajectory->arena, &velocity);
  if (!status)
    status = get_reals(reader, "targets/apply", &one, 0, trajectory->arena, &apply);
  if (status)
    return status;
  if (!(apply[0] >= 1 && apply[0] <= MOST_APPLIED && apply[0] == floor(apply[0])))
    return misfit(reader, "targets/apply", "must be a number of steps");
  trajectory->targets =
      (struct dc_applied_targets){.steps = steps, .apply = (int)apply[0], .position = position, .velocity = velocity};
  return DC_OK;
}

// Positions, velocities, forces: each is read where the file has it, as older files have fewer.
static enum dc_status get_motion(const struct reader *reader, const struct dc_bodies *bodies,
                                 struct dc_stored_trajectory *trajectory)
{
  enum dc_status status = DC_OK;
  for (enum dc_motion m = 0; m < DC_MOTIONS && !status; m++) {
    char name[64];
    int columns = dc_motion_columns(bodies, m, NULL);
    snprintf(name, sizeof name, "coordinates/%s", dc_motion_name(m));
    if (columns && H5Lexists(reader->root, name, H5P_DEFAULT) > 0)
      status = get_frames(reader, name, columns, trajectory->arena, trajectory, &trajectory->motion[m]);
  }
  return status;
}

// Whether a number of the file is a whole number 0 to count - 1; NAN is none.
static bool is_index(double number, int count)
{
  return number >= 0 && number < count && number == floor(number);
}

// Reads the data sets of /contacts, whose lengths must agree.  Frames must be in order and numbers of bodies
// exist, as both become indices.
static enum dc_status get_contacts(const struct reader *reader, struct dc_stored_trajectory *trajectory)
{
  struct dc_stored_contacts *contacts = &trajectory->contacts;
  enum dc_status status = DC_OK;
  contacts->count = -1;
  for (int i = 0; i < DC_H5_CONTACT_SETS && !status; i++) {
    char name[64];
    snprintf(name, sizeof name, "contacts/%s", dc_h5_contact_sets[i].name);
    status = get_reals(reader, name, &contacts->count, dc_h5_contact_sets[i].columns, trajectory->arena,
                       dc_h5_contact_array(contacts, i));
  }
  for (int c = 0; c < contacts->count && !status; c++) {
    if (!is_index(contacts->frame[c], trajectory->all_frames) || (c && contacts->frame[c] < contacts->frame[c - 1]))
      status = misfit(reader, "contacts/frame", "must hold numbers of frames in their order");
    else if (!is_index(contacts->bodies[2 * c], trajectory->bodies) ||
             !is_index(contacts->bodies[2 * c + 1], trajectory->bodies))
      status = misfit(reader, "contacts/bodies", "must hold numbers of bodies");
  }
  return status;
}

// Reads all parts in turn.  Times come first: they say how many frames there are, and every later part must
// have as many.
// The number of parameters follows from the number of frames and the scene's task; a file with another number was
// written for another scene.
static enum dc_status get_trajectory(const struct reader *reader, const struct dc_scene *scene,
                                     struct dc_stored_trajectory *trajectory)
{
  trajectory->all_frames = -1;
  enum dc_status status = get_frames(reader, "time", 0, trajectory->arena, trajectory, &trajectory->time);
  trajectory->frames = trajectory->all_frames < reader->most_frames ? trajectory->all_frames : reader->most_frames;
  if (!status && trajectory->frames == 0)
    status = misfit(reader, "time", "has no frames");
  for (int f = 1; !status && f < trajectory->frames; f++)
    if (trajectory->time[f] <= trajectory->time[f - 1])
      status = misfit(reader, "time", "must increase");
  if (!status)
    status = get_bodies(reader, &scene->model.bodies, trajectory);
  if (status || reader->poses_only)
    return status;
  status = get_joints(reader, &scene->model.bodies, trajectory);
  if (!status)
    status = get_nodes(reader, &scene->model.bodies, trajectory);
  trajectory->control_count = dc_task_parameter_count(&scene->task, &scene->model, trajectory->all_frames - 1);
  if (!status)
    status = get_reals(reader, "control", &trajectory->control_count, 0, trajectory->arena, &trajectory->control);
  if (!status && H5Lexists(reader->root, "contact", H5P_DEFAULT) > 0)
    status = get_frames(reader, "contact/min_gap", 0, trajectory->arena, trajectory, &trajectory->min_gap);
  if (!status && H5Lexists(reader->root, "coordinates", H5P_DEFAULT) > 0)
    status = get_motion(reader, &scene->model.bodies, trajectory);
  if (!status && H5Lexists(reader->root, "contacts", H5P_DEFAULT) > 0)
    status = get_contacts(reader, trajectory);
  return status ? status : get_targets(reader, scene->model.bodies.actuator_count, trajectory);
}

// Reads the best trajectory of an open file, or the first; without a first one trajectory is left alone.
static enum dc_status read_root(hid_t file, bool first, struct reader *reader, const struct dc_scene *scene,
                                struct dc_stored_trajectory *trajectory)
{
  char format[64];
  if (!dc_h5_get_string(file, "format", format, sizeof format) || strcmp(format, DC_TRAJECTORY_FORMAT) != 0)
    return dc_fail(reader->error, DC_IO, "%.800s: is not of the format \"%s\"", reader->path, DC_TRAJECTORY_FORMAT);
  reader->root = file;
  if (!first)
    return get_trajectory(reader, scene, trajectory);
  if (H5Lexists(file, "first", H5P_DEFAULT) <= 0)
    return DC_OK;
  reader->root = H5Gopen2(file, "first", H5P_DEFAULT);
  if (reader->root < 0)
    return misfit(reader, "", "is not a group");
  enum dc_status status = get_trajectory(reader, scene, trajectory);
  close_object(reader->root);
  return status;
}

// A reading to be done in a process of its own: the file, the parts wanted, and where they go.
// The scene is only read.  The child process works on copies of everything and hands the arrays back through a pipe.
struct request {
  const char *path;
  bool first, poses_only;
  const struct dc_scene *scene;
  int most_frames;
  struct dc_mapped_file image;
  struct dc_stored_trajectory *trajectory;
};

// In a process of its own.
static enum dc_status read_image(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  struct request *request = context;
  struct reader reader = {.root = -1,
                          .below = request->first ? "first/" : "",
                          .path = request->path,
                          .file_size = request->image.size,
                          .most_frames = request->most_frames,
                          .poses_only = request->poses_only,
                          .image = &request->image,
                          .error = error};
  bool out_of_memory;
  dc_h5_watch(&out_of_memory);
  hid_t file = dc_h5_open_image(&request->image);
  enum dc_status status = file < 0 ? dc_fail(error, DC_IO, "%.800s: HDF5 cannot open it", request->path)
                                   : read_root(file, request->first, &reader, request->scene, request->trajectory);
  // without memory HDF5 may be unable to say why
  void *some = status ? malloc(1 << 16) : NULL;
  if (out_of_memory || (status && !some))
    status = DC_MEMORY;
  free(some);
  if (status == DC_MEMORY)
    return dc_out_of_memory_in(error, request->path);
  return status ? status
                : dc_h5_pack(request->trajectory, &request->scene->model.bodies, request->path, bytes, size, error);
}

// Maps the file and reads it in a child process.  HDF5 does not end on some files that were made to harm it, or
// takes all memory.  It gets 20 s of the processor, and more for large files.  Its memory is 256 MB and four
// times the file, which holds what is kept, what is handed over and their blocks.
static enum dc_status read_file(struct request *request, struct dc_error *error)
{
  enum { SECONDS = 20, BYTES_PER_SECOND = 1 << 24, MEGABYTES = 256, TIMES = 4 };
  struct dc_error why = {0};
  char *bytes = NULL;
  size_t size;
  enum dc_status status = dc_sealed_file_map(request->path, DC_TRAJECTORY_FORMAT, &request->image, &why);
  if (status) {
    status = status == DC_CHECKPOINT ? DC_IO : status;
    return dc_fail(error, status, "%s", why.text);
  }
  const struct dc_child_limits limits = {.seconds = SECONDS + (unsigned)(request->image.size / BYTES_PER_SECOND),
                                         .megabytes = MEGABYTES + TIMES * (unsigned)(request->image.size >> 20)};
  status = dc_child_run_within(&limits, read_image, request, &bytes, &size, &why);
  // HDF5 does not always say that memory was out: what is wrong with a sealed file is so again
  if (status == DC_BAD_INPUT || status == DC_IO)
    status = dc_child_run_within(&limits, read_image, request, &bytes, &size, &why);
  dc_mapped_file_destroy(&request->image);
  if (status && strncmp(why.text, request->path, strlen(request->path)) != 0)
    dc_error_prefix(&why, "%.500s", request->path);
  if (!status)
    status = dc_h5_unpack(request->trajectory, &request->scene->model.bodies, request->path, bytes, size, &why);
  free(bytes);
  return status ? dc_fail(error, status, "%s", why.text) : DC_OK;
}

// Reads what is asked for into a new arena; on failure the trajectory is left empty.
static enum dc_status read_new(struct request *request, struct dc_error *error)
{
  struct dc_stored_trajectory *trajectory = request->trajectory;
  *trajectory = (struct dc_stored_trajectory){.arena = dc_arena_create()};
  enum dc_status status = trajectory->arena ? read_file(request, error) : dc_out_of_memory_in(error, request->path);
  if (!status)
    return DC_OK;
  dc_arena_destroy(trajectory->arena);
  *trajectory = (struct dc_stored_trajectory){0};
  return status;
}

// At most most_frames frames are kept, evenly spread; parameters and contacts are read whole.  DC_BAD_INPUT: the file
// does not fit the scene; DC_IO: it is damaged or cannot be read; DC_MEMORY.  The arena is the caller's to destroy.
enum dc_status dc_run_read_thinned(const char *directory, const struct dc_scene *scene, bool first, int most_frames,
                                   struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  char *path = dc_path_join(directory, "trajectory.h5");
  struct request request = {
      .path = path, .first = first, .scene = scene, .most_frames = most_frames, .trajectory = trajectory};
  *trajectory = (struct dc_stored_trajectory){0};
  enum dc_status status = path ? read_new(&request, error) : dc_out_of_memory_in(error, directory);
  free(path);
  return status;
}

enum dc_status dc_run_read_trajectory(const char *directory, const struct dc_scene *scene,
                                      struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  return dc_run_read_thinned(directory, scene, false, INT_MAX, trajectory, error);
}

enum dc_status dc_run_read_first_trajectory(const char *directory, const struct dc_scene *scene,
                                            struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  return dc_run_read_thinned(directory, scene, true, INT_MAX, trajectory, error);
}

// Reads times and poses of the bodies called names [count] from any trajectory.h5, without its scene; bodies of the
// file that are not named are passed over.
enum dc_status dc_run_read_poses(const char *path, int count, const char *const *names,
                                 struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  struct dc_body *bodies = dc_alloc((size_t)count, sizeof *bodies);
  struct dc_scene scene = {.model.bodies = {.count = count, .bodies = bodies}};  // names of bodies are read only
  struct request request = {
      .path = path, .poses_only = true, .scene = &scene, .most_frames = INT_MAX, .trajectory = trajectory};
  *trajectory = (struct dc_stored_trajectory){0};
  for (int b = 0; b < count && bodies; b++)
    bodies[b].name = names[b];
  enum dc_status status = bodies ? read_new(&request, error) : dc_out_of_memory_in(error, path);
  free(bodies);
  return status;
}
