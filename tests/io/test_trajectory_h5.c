// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <hdf5.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/hash.h"
#include "io/run/h5_file.h"
#include "io/run/trajectory_h5.h"
#include "run_fixture.h"

static void test_trajectory_keeps_bits(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture, "run");
  CHECK(write_best(run, &fixture, &error) == DC_OK, "%s", error.text);
  close_run(run);
  struct dc_stored_trajectory stored;
  CHECK(dc_run_read_trajectory(in(&fixture, "run"), &fixture.scene, &stored, &error) == DC_OK, "%s", error.text);
  CHECK(stored.frames == STEPS + 1 && stored.bodies == 2 && stored.control_count == PARAMETERS);
  for (int f = 0; f < stored.frames; f++) {
    const double *position = stored.position + 6 * f, *quaternion = stored.quaternion + 8 * f;
    CHECK(stored.time[f] == f * 0.1);
    CHECK(same_bits(position, fixture.bodies[0].start.position, 24) &&
          same_bits(quaternion, fixture.bodies[0].start.quaternion, 32));
    CHECK(same_bits(position + 3, fixture.q + 7 * f, 24) && same_bits(quaternion + 4, fixture.q + 7 * f + 3, 32));
  }
  CHECK(stored.control && same_bits(stored.control, fixture.parameters, sizeof fixture.parameters));
  dc_arena_destroy(stored.arena);
  teardown(&fixture);
}

static void test_first_trajectory(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_stored_trajectory stored;
  struct dc_run *run = create(&fixture, "run");
  CHECK(dc_run_write_trajectory(run, &fixture.scene, &fixture.trajectory, fixture.parameters, NULL, NULL, NULL, NULL,
                                &error) == DC_OK);
  CHECK(dc_run_read_first_trajectory(in(&fixture, "run"), &fixture.scene, &stored, &error) == DC_OK, "%s", error.text);
  CHECK(stored.frames == 0 && !stored.position);
  dc_arena_destroy(stored.arena);
  // The first trajectory is the best one turned around in time, of fewer steps.
  struct dc_pose poses[2 * STEPS];
  for (int f = 0; f < STEPS; f++)
    memcpy(poses + 2 * f, fixture.poses + 2 * (STEPS - f), 2 * sizeof *poses);
  struct dc_trajectory first = fixture.trajectory;
  first.steps = STEPS - 1;
  first.poses = poses;
  CHECK(dc_run_write_trajectory(run, &fixture.scene, &fixture.trajectory, fixture.parameters, &first,
                                fixture.parameters, NULL, NULL, &error) == DC_OK);
  close_run(run);
  CHECK(dc_run_read_first_trajectory(in(&fixture, "run"), &fixture.scene, &stored, &error) == DC_OK, "%s", error.text);
  CHECK(stored.frames == STEPS && stored.bodies == 2 && stored.control_count == PARAMETERS);
  for (int f = 0; f < stored.frames; f++)
    CHECK(same_bits(stored.position + 6 * f + 3, fixture.q + 7 * (STEPS - f), 24));
  dc_arena_destroy(stored.arena);
  CHECK(dc_run_read_trajectory(in(&fixture, "run"), &fixture.scene, &stored, &error) == DC_OK);
  CHECK(stored.frames == STEPS + 1 && same_bits(stored.position + 3, fixture.q, 24));
  dc_arena_destroy(stored.arena);
  teardown(&fixture);
}

static void test_thinned_rows(void)
{
  const char *five = "head\n0\n1\n2\n3\n4\n";
  const struct {
    const char *text, *expected;
    long most, rows, kept;
  } cases[] = {{"", "", 3, 0, 0},     {"head\n", "head\n", 3, 0, 0},      {"head\n0\n1\npart", "head\n0\n1\n", 3, 2, 2},
               {five, five, 5, 5, 5}, {five, "head\n0\n2\n4\n", 3, 5, 3}, {five, "head\n0\n4\n", 2, 5, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[64];
    long rows, kept;
    snprintf(text, sizeof text, "%s", cases[i].text);
    dc_run_thin_rows(text, cases[i].most, &rows, &kept);
    CHECK(strcmp(text, cases[i].expected) == 0 && rows == cases[i].rows && kept == cases[i].kept, "%zu: %s", i, text);
  }
}

static void test_same_data_same_bytes(void)
{
  struct fixture fixture;
  setup(&fixture);
  size_t sizes[2];
  char *bytes[2];
  struct dc_run *runs[2] = {create(&fixture, "one-run"), create(&fixture, "another")};
  for (int i = 0; i < 2; i++) {
    if (i)
      sleep(1);  // a stored time would have seconds
    CHECK(dc_run_write_trajectory(runs[i], &fixture.scene, &fixture.trajectory, fixture.parameters, &fixture.trajectory,
                                  fixture.parameters, NULL, NULL, NULL) == DC_OK);
    bytes[i] = slurp(in(&fixture, i ? "another/trajectory.h5" : "one-run/trajectory.h5"), &sizes[i]);
    close_run(runs[i]);
  }
  CHECK(sizes[0] == sizes[1] && sizes[0] > 2000 && same_bits(bytes[0], bytes[1], sizes[0]));
  free(bytes[0]);
  free(bytes[1]);
  teardown(&fixture);
}

// A file made in place has the bytes of one made in memory; where it cannot be made it is not there, and nothing else
// is.
static void test_in_place(void)
{
  struct fixture fixture;
  struct dc_error error = {0};
  setup(&fixture);
  size_t sizes[2], most = dc_run_most_in_memory;
  char *bytes[2];
  struct dc_run *run = create(&fixture, "run");
  for (int i = 0; i < 2; i++) {
    dc_run_most_in_memory = i ? 0 : most;
    CHECK(dc_run_write_trajectory(run, &fixture.scene, &fixture.trajectory, fixture.parameters, &fixture.trajectory,
                                  fixture.parameters, NULL, NULL, &error) == DC_OK,
          "%s", error.text);
    bytes[i] = slurp(in(&fixture, "run/trajectory.h5"), &sizes[i]);
    CHECK(unlink(in(&fixture, "run/trajectory.h5")) == 0, "written");
  }
  CHECK(sizes[0] == sizes[1] && sizes[0] > 2000 && same_bits(bytes[0], bytes[1], sizes[0]), "%zu and %zu bytes",
        sizes[0], sizes[1]);
  free(bytes[0]);
  free(bytes[1]);
  struct rlimit old, low;
  CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0, "no limits");
  low = old;
  low.rlim_cur = 1 << 16;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &low);
  CHECK(write_best(run, &fixture, &error) == DC_IO && strstr(error.text, "trajectory.h5: cannot take"), "%s",
        error.text);
  struct dc_mapped_file spool;
  CHECK(dc_run_spool(run, 1 << 20, &spool, &error) == DC_IO && !spool.bytes, "%s", error.text);
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK(!exists(&fixture, "run/trajectory.h5"), "not there");
  CHECK(dc_run_spool(run, 1 << 20, &spool, &error) == DC_OK, "%s", error.text);
  spool.bytes[12345] = 67;
  dc_mapped_file_release(&spool);
  CHECK(spool.bytes[12345] == 67 && spool.bytes[spool.size - 1] == 0, "what was written stays");
  dc_mapped_file_destroy(&spool);
  dc_run_most_in_memory = most;
  DIR *folder = opendir(in(&fixture, "run"));
  for (const struct dirent *entry; (entry = readdir(folder));)
    CHECK(strncmp(entry->d_name, ".tmp", 4) != 0, "%s is left", entry->d_name);
  closedir(folder);
  close_run(run);
  teardown(&fixture);
}

// Some frames of all, evenly spread.
static void test_some_frames(void)
{
  struct fixture fixture;
  struct dc_error error = {0};
  setup(&fixture);
  struct dc_run *run = create(&fixture, "run");
  CHECK(write_best(run, &fixture, &error) == DC_OK, "%s", error.text);
  close_run(run);
  for (int most = 2; most <= STEPS + 2; most++) {
    struct dc_stored_trajectory stored;
    CHECK(dc_run_read_thinned(in(&fixture, "run"), &fixture.scene, false, most, &stored, &error) == DC_OK, "%s",
          error.text);
    CHECK(stored.all_frames == STEPS + 1 && stored.frames == (most < STEPS + 1 ? most : STEPS + 1), "%d frames of %d",
          stored.frames, stored.all_frames);
    for (int k = 0; k < stored.frames; k++) {
      int f = dc_evenly_spaced(k, stored.frames, STEPS + 1);
      CHECK((k > 0 || f == 0) && (k + 1 < stored.frames || f == STEPS), "frame %d is number %d", f, k);
      CHECK(stored.time[k] == f * 0.1 && same_bits(stored.position + 6 * k + 3, fixture.q + 7 * f, 24) &&
                same_bits(stored.quaternion + 8 * k + 4, fixture.q + 7 * f + 3, 32) &&
                same_bits(stored.min_gap + k, fixture.min_gap + f, 8),
            "frame %d", f);
    }
    CHECK(stored.control && same_bits(stored.control, fixture.parameters, sizeof fixture.parameters));
    dc_arena_destroy(stored.arena);
  }
  teardown(&fixture);
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
  CHECK(dc_file_write(path, bytes, size, NULL) == DC_OK);
}

static enum dc_status read_back(struct fixture *fixture, struct dc_error *error)
{
  struct dc_stored_trajectory stored;
  enum dc_status status = dc_run_read_trajectory(in(fixture, "run"), &fixture->scene, &stored, error);
  CHECK(status == DC_OK || (!stored.arena && !stored.time && !stored.frames));
  dc_arena_destroy(stored.arena);
  return status;
}

static void test_damaged_files(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_run *run = create(&fixture, "run");
  CHECK(write_best(run, &fixture, NULL) == DC_OK);
  close_run(run);
  size_t size;
  struct dc_random random;
  dc_random_seed(&random, 11);
  char path[PATH_SIZE];
  strcpy(path, in(&fixture, "run/trajectory.h5"));
  char *good = slurp(path, &size), *bad = malloc(size);
  int accepted = 0;
  FILE *file;
  for (int i = 0; i < 300; i++) {
    memcpy(bad, good, size);
    size_t length = i % 3 == 2 ? dc_random_bits(&random) % size : size;
    for (uint64_t flips = i % 3 == 2 ? 0 : 1 + dc_random_bits(&random) % (i % 3 ? 40 : 1); flips; flips--)
      bad[dc_random_bits(&random) % size] ^= (char)(1 + dc_random_bits(&random) % 255);
    file = fopen(path, "w");
    fwrite(bad, 1, length, file);
    fclose(file);
    accepted += read_back(&fixture, NULL) != DC_IO;
  }
  CHECK(accepted == 0, "%d", accepted);
  struct dc_error error = {0};
  unlink(path);
  CHECK(read_back(&fixture, &error) == DC_IO && strstr(error.text, "trajectory.h5: cannot open"), "%s", error.text);
  mkdir(path, 0777);
  CHECK(read_back(&fixture, &error) == DC_IO);
  rmdir(path);
  write_bytes(path, good, size);
  CHECK(read_back(&fixture, &error) == DC_OK, "%s", error.text);
  free(good);
  free(bad);
  teardown(&fixture);
}

// Puts the size and hash of changed bytes where the reader looks for them.
static void seal(char *bytes, size_t size)
{
  memset(bytes, 0, 512);
  snprintf(bytes, 512, "dcsim trajectory 1\nsize %zu\nfnv1a %016" PRIx64 "\n", size,
           dc_hash(DC_HASH_SEED, bytes + 512, size - 512));
}

// Replaces the stored number from by to in a copy of the file, and expects the reader to say DC_BAD_INPUT and text.
static void expect_refusal(struct fixture *fixture, const char *good, size_t size, double from, double to,
                           const char *text)
{
  struct dc_error error = {0};
  char *bytes = malloc(size);
  memcpy(bytes, good, size);
  char *place = memmem(bytes, size, &from, sizeof from);
  CHECK(place);
  if (place) {
    memcpy(place, &to, sizeof to);
    seal(bytes, size);
    write_bytes(in(fixture, "run/trajectory.h5"), bytes, size);
    CHECK(read_back(fixture, &error) == DC_BAD_INPUT && strstr(error.text, text), "%s", error.text);
  }
  free(bytes);
}

static void test_misfits(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture, "run");
  CHECK(write_best(run, &fixture, NULL) == DC_OK);
  close_run(run);
  fixture.bodies[1].name = "eight";
  CHECK(read_back(&fixture, &error) == DC_BAD_INPUT && strstr(error.text, "bodies/eight/position"), "%s", error.text);
  fixture.bodies[1].name = "cue";
  fixture.scene.model.bodies.count = 1;
  CHECK(read_back(&fixture, &error) == DC_BAD_INPUT && strstr(error.text, "number of bodies"), "%s", error.text);
  fixture.scene.model.bodies.count = 2;
  fixture.scene.task.control_count = 0;
  CHECK(read_back(&fixture, &error) == DC_BAD_INPUT && strstr(error.text, "/control: has another shape"), "%s",
        error.text);
  fixture.scene.task.control_count = 1;
  CHECK(read_back(&fixture, &error) == DC_OK, "%s", error.text);
  size_t size;
  char *good = slurp(in(&fixture, "run/trajectory.h5"), &size);
  expect_refusal(&fixture, good, size, fixture.q[9], NAN, "cue/position: holds a number that is not finite");
  expect_refusal(&fixture, good, size, fixture.q[10], 3, "cue/rotation: holds a quaternion");
  expect_refusal(&fixture, good, size, fixture.parameters[1], INFINITY, "control: holds a number that is not finite");
  expect_refusal(&fixture, good, size, 2 * 0.1, 5, "time: must increase");
  free(good);
  teardown(&fixture);
}

static void test_not_finite_is_not_written(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture, "run");
  double good = fixture.q[9];
  fixture.q[9] = NAN;
  CHECK(write_best(run, &fixture, &error) == DC_NUMERICAL && strstr(error.text, "frame 1"), "%s", error.text);
  fixture.q[9] = good;
  fixture.min_gap[3] = INFINITY;
  CHECK(write_best(run, &fixture, &error) == DC_NUMERICAL);
  CHECK(!exists(&fixture, "run/trajectory.h5"));
  // Without pairs every gap is infinite: /contact is left out.
  for (int f = 0; f <= STEPS; f++)
    fixture.min_gap[f] = INFINITY;
  CHECK(write_best(run, &fixture, &error) == DC_OK, "%s", error.text);
  CHECK(read_back(&fixture, &error) == DC_OK, "%s", error.text);
  hid_t file = H5Fopen(in(&fixture, "run/trajectory.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK(file >= 0 && H5Lexists(file, "contact", H5P_DEFAULT) == 0 && H5Lexists(file, "bodies", H5P_DEFAULT) > 0);
  H5Fclose(file);
  close_run(run);
  teardown(&fixture);
}

static void test_h5py_reads_it(void)
{
  static const char script[] =
      "import h5py, numpy, sys\n"
      "f = h5py.File(sys.argv[1], 'r')\n"
      "assert f.attrs['format'] == 'dcsim trajectory 1', f.attrs['format']\n"
      "assert f.attrs['name'] == 'two \"bodies\"'\n"
      "for g in f, f['first']:\n"
      "    assert g['time'].shape == (7,) and g['time'].attrs['unit'] == 's' and g['time'][3] == 3 * 0.1\n"
      "    assert sorted(g['bodies']) == ['cue', 'floor%2F50%25.x'], list(g['bodies'])\n"
      "    for b in g['bodies'].values():\n"
      "        assert b['position'].shape == (7, 3) and b['position'].attrs['unit'] == 'm'\n"
      "        assert b['rotation'].shape == (7, 4) and b['rotation'].attrs['unit'] == '1'\n"
      "    assert list(g['control'].attrs['names']) == ['cue.velocity.' + c for c in 'xyz']\n"
      "    assert g['contact/min_gap'].shape == (7,) and g['contact/min_gap'].attrs['unit'] == 'm'\n"
      "assert f['bodies/cue/position'].dtype == '<f8' and f['first/bodies/cue/position'][2, 1] == 42\n"
      "numpy.testing.assert_array_equal(f['bodies/cue/position'][2], [float.fromhex(a) for a in sys.argv[2:5]])\n"
      "numpy.testing.assert_array_equal(f['first/control'][:], f['control'][:] + 1)\n";
  if (system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0)
    SKIP("python3 with h5py is not installed");
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture, "run");
  double first_q[(STEPS + 1) * 7], first_parameters[PARAMETERS];
  memcpy(first_q, fixture.q, sizeof first_q);
  first_q[2 * 7 + 1] = 42;
  for (int i = 0; i < PARAMETERS; i++)
    first_parameters[i] = fixture.parameters[i] + 1;
  struct dc_pose first_poses[(STEPS + 1) * 2];
  memcpy(first_poses, fixture.poses, sizeof first_poses);
  first_poses[2 * 2 + 1].position[1] = 42;
  struct dc_trajectory first = fixture.trajectory;
  first.q = first_q;
  first.poses = first_poses;
  CHECK(dc_run_write_trajectory(run, &fixture.scene, &fixture.trajectory, fixture.parameters, &first, first_parameters,
                                NULL, NULL, &error) == DC_OK,
        "%s", error.text);
  close_run(run);
  write_text(in(&fixture, "check.py"), script);
  char command[4 * PATH_SIZE];
  snprintf(command, sizeof command, "/usr/bin/python3 %s %s %a %a %a", in(&fixture, "check.py"),
           in(&fixture, "run/trajectory.h5"), fixture.q[14], fixture.q[15], fixture.q[16]);
  fflush(stdout);
  CHECK(system(command) == 0);
  teardown(&fixture);
}

// A file that keeps numbers elsewhere or leads to other files: nothing is opened but what it holds itself.
static void test_nothing_outside_is_opened(void)
{
  struct writer writer = {0};
  hsize_t rows = 4;
  double numbers[4] = {1, 2, 3, 4};
  dc_h5_writer_open(&writer, NULL);
  hid_t space = H5Screate_simple(1, &rows, NULL), outside = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_external(outside, "/etc/hostname", 0, 32) >= 0);
  hid_t inside = H5Dcreate2(writer.file, "inside", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t external = H5Dcreate2(writer.file, "external", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, outside, H5P_DEFAULT);
  CHECK(inside >= 0 && external >= 0);
  CHECK(H5Dwrite(inside, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_chunk(chunks, 1, &rows) >= 0 && H5Pset_deflate(chunks, 9) >= 0);
  hid_t packed = H5Dcreate2(writer.file, "packed", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, chunks, H5P_DEFAULT);
  CHECK(packed >= 0 && H5Dwrite(packed, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  close_object(packed);
  close_object(chunks);
  CHECK(H5Lcreate_external("/dev/null", "/", writer.file, "link", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  close_object(inside);
  close_object(external);
  close_object(outside);
  close_object(space);
  size_t size = 0;
  char *image = dc_h5_writer_image(&writer, DC_TRAJECTORY_FORMAT, &size);
  dc_h5_writer_close(&writer);
  CHECK(image != NULL);
  struct dc_mapped_file mapped = {.bytes = image, .size = size};
  hid_t file = image ? dc_h5_open_image(&mapped) : -1;
  CHECK(file >= 0);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  inside = dc_h5_open_dataset(file, "inside");
  CHECK(inside >= 0);
  CHECK(dc_h5_open_dataset(file, "external") < 0);
  CHECK(dc_h5_open_dataset(file, "packed") < 0);  // a megabyte may unfold to gigabytes
  CHECK(dc_h5_open_dataset(file, "link") < 0 && H5Gopen2(file, "link", H5P_DEFAULT) < 0);
  close_object(inside);
  if (file >= 0)
    H5Fclose(file);
  free(image);
}

RUN_TESTS({"a trajectory is read back bit for bit", test_trajectory_keeps_bits},
          {"the first trajectory is read back", test_first_trajectory}, {"rows are thinned evenly", test_thinned_rows},
          {"the same data give the same bytes", test_same_data_same_bytes},
          {"large files are made in place", test_in_place}, {"some frames are read", test_some_frames},
          {"damaged files are recognized", test_damaged_files},
          {"files that do not fit the scene or hold impossible numbers are refused", test_misfits},
          {"nothing outside of the file is opened", test_nothing_outside_is_opened},
          {"numbers that are not finite are not written", test_not_finite_is_not_written},
          {"h5py reads the file and its attributes", test_h5py_reads_it})
