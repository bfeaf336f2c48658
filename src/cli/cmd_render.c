// SPDX-License-Identifier: Apache-2.0
// dcsim render: pictures or a film of a run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/signals.h"

static const char *const sides[] = {"corner", "front", "back", "left", "right", "top", NULL};

static const struct cli_option own_options[] = {
    CLI_TEXT_OPTION("size", render.size, "WxH", CLI_VALUE_ANY, "width and height in pixels; default: 1280x720"),
    CLI_INTEGER_OPTION("every", render.every, "N", 1, 1e7,
                       "draw every Nth frame; default: about 12 pictures in all, every frame of a film"),
    CLI_INTEGER_OPTION("samples", render.samples, "N", 1, 4096, "samples per pixel; default: 16, of a film 4"),
    CLI_CHOICE_OPTION("camera", render.camera, "SIDE", sides,
                      "show everything from corner, front, back, left, right or top"),
    CLI_VECTOR_OPTION("eye", render.eye, 1e9, "where the camera stands, m; default: the scene's camera"),
    CLI_VECTOR_OPTION("target", render.target, 1e9, "where the camera of --eye looks; default: 0,0,0"),
    CLI_TEXT_OPTION("follow", render.follow, "BODY", CLI_VALUE_ANY, "the camera goes with this body"),
    CLI_REAL_OPTION("orbit", render.orbit, "DEGREES", -36000, 36000,
                    "the camera turns about its target by so much from the first to the last picture"),
    CLI_FLAG_OPTION("contacts", render.contacts, "draw contacts and their forces"),
    CLI_FLAG_OPTION("trails", render.trails, "draw the ways of bodies through space"),
    CLI_FLAG_OPTION("grid", render.grid, "draw a grid on the ground"),
    CLI_FLAG_OPTION("annotate", render.annotate,
                    "write name, time and loss into the picture, and a legend of arrows and grid"),
    CLI_TEXT_OPTION("video", render.video, "FILE", CLI_VALUE_FILE,
                    "write a film (.mp4, .m4v, .mov, .mkv) in real time by ffmpeg, instead of pictures"),
    CLI_OPTIONS_END,
};

// Reads "WIDTHxHEIGHT"; NULL leaves the default.
static int set_size(const char *text, dcsim_render_options *options)
{
  enum { MOST = 16384 };
  if (!text)
    return 0;
  int numbers[2], read = 0;
  // %5d takes blanks and signs, too.
  bool plain =
      strspn(text, "0123456789x") == strlen(text) && sscanf(text, "%5dx%5d%n", &numbers[0], &numbers[1], &read) == 2;
  if (!plain || text[read] || numbers[0] < 1 || numbers[0] > MOST || numbers[1] < 1 || numbers[1] > MOST)
    return cli_fail(DCSIM_USAGE, "--size: must be WIDTHxHEIGHT, each from 1 to %d (is \"%.200s\")", MOST, text);
  options->width = numbers[0];
  options->height = numbers[1];
  return 0;
}

// A camera is either a side, from which everything is seen, or an eye with a target.
// DCSIM_USAGE where the options exclude each other; eye and target are in the scene's coordinates, m.
static int set_camera(const struct cli_arguments *arguments, dcsim_render_options *options)
{
  bool eye = !isnan(arguments->render.eye[0]), target = !isnan(arguments->render.target[0]);
  if (target && !eye)
    return cli_fail(DCSIM_USAGE, "--target: needs --eye too");
  if (eye && arguments->render.camera)
    return cli_fail(DCSIM_USAGE, "--camera: cannot be given with --eye");
  options->side = arguments->render.camera;
  if (!eye)
    return 0;
  options->camera_given = 1;
  memcpy(options->eye, arguments->render.eye, sizeof options->eye);
  if (target)
    memcpy(options->target, arguments->render.target, sizeof options->target);
  // A camera at its own target looks nowhere.
  if (memcmp(options->eye, options->target, sizeof options->eye) == 0)
    return cli_fail(DCSIM_USAGE, "--eye: must differ from --target");
  return 0;
}

// A film that a signal stops is not written, and pictures drawn so far stay; the status says which signal it
// was.
static int run(const struct cli_arguments *arguments)
{
  struct cli_progress progress;
  dcsim_render_options options = {
      .size = sizeof options,
      .samples = arguments->render.samples > 0 ? (int)arguments->render.samples : 0,
      .every = arguments->render.every > 0 ? (int)arguments->render.every : 0,
      .video = arguments->render.video,
      .grid = arguments->render.grid,
      .contacts = arguments->render.contacts,
      .trails = arguments->render.trails,
      .annotate = arguments->render.annotate,
      .follow = arguments->render.follow,
      .orbit_deg = arguments->render.orbit,
      .progress = cli_progress_report,
      .progress_context = &progress,
  };
  int status = set_size(arguments->render.size, &options);
  if (!status)
    status = set_camera(arguments, &options);
  if (status)
    return status;
  if (arguments->threads > 0)
    dcsim_set_threads((int)arguments->threads);
  cli_signals_defer(arguments->quiet);
  cli_progress_start(&progress, "frame", false, 0, arguments->quiet);
  dcsim_report report = {0};
  dcsim_error error = {0};
  status = dcsim_render(arguments->operand, &options, &report, &error);
  cli_progress_finish(&progress);
  int signal_number = cli_signals_received();
  // Pictures that are complete when the signal comes are a success that ends with the signal's status.
  bool stopped = signal_number && (status == DCSIM_OK || status == DCSIM_STOPPED);
  if (stopped && arguments->render.video && status == DCSIM_STOPPED)
    snprintf(error.text, sizeof error.text, "stopped by a signal; %.900s is not written", arguments->render.video);
  else if (stopped)
    error.text[0] = '\0';
  status = cli_finish(arguments, status, &report, &error);
  return stopped ? 128 + signal_number : status;
}

static const struct cli_option *const options[] = {own_options, cli_thread_options, cli_quiet_options,
                                                   cli_common_options, NULL};

const struct cli_command cli_command_render = {
    .name = "render",
    .summary = "Draw pictures of a run directory into RUN/frames, or a film.",
    .operand = "RUN",
    .operand_value = CLI_VALUE_RUN,
    .operand_required = true,
    .options = options,
    .run = run,
};
