// SPDX-License-Identifier: Apache-2.0
// Films by an ffmpeg process, which reads raw pixels from a pipe and writes to a temporary file that is renamed at
// the end.
//
// 1. dc_film_open checks, reserves the temporary file and starts ffmpeg, before anything is drawn.
// 2. dc_film_add writes pictures [height][width][3]; if ffmpeg has died, its last words are the error.
// 3. dc_film_finish closes the pipe, waits and renames; dc_film_abandon kills ffmpeg and removes the file.
//
// The process runs in a group of its own, so that an interrupt at the terminal reaches the caller only.  Its standard
// error goes to a file, from which the last line becomes the message of a failure.  SIGPIPE is blocked while pixels
// are written.
#include "render/film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/open.h"
#include "base/replaceable.h"
#include "render/constants.h"
#include "render/render.h"

enum { NAME_ATTEMPTS = 100, LAST_WORDS = 2048 };

static const struct container {
  const char *suffix, *format;
  bool index_first;  // the index can be moved to the front, for playback during download
} containers[] = {
    {".mp4", "mp4", true}, {".m4v", "mp4", true}, {".mov", "mov", true}, {".mkv", "matroska", false}, {0}};

struct dc_film {
  const char *path;       // path of the finished film
  const char *temporary;  // "file:" and the name to which ffmpeg writes
  const struct container *container;
  int width, height;
  double frames_per_second;
  struct dc_arena *arena;
  pid_t process;  // of ffmpeg, 0 when there is none
  int input;      // ffmpeg's standard input, or -1
  FILE *words;    // ffmpeg's standard error: a file, so that reading it can wait until the end
};

static const char file_protocol[] = "file:";  // nothing in a name is taken for a network address by ffmpeg

static const char *temporary_name(const struct dc_film *film)
{
  return film->temporary + sizeof file_protocol - 1;
}

// By the ending of the name, in any case; NULL for endings that ffmpeg is not asked to write here.
static const struct container *find_container(const char *path)
{
  const char *suffix = strrchr(path, '.');
  for (const struct container *container = containers; suffix && container->suffix; container++)
    if (strcasecmp(suffix, container->suffix) == 0)
      return container;
  return NULL;
}

enum dc_status dc_film_check(const char *path, int width, int height, struct dc_error *error)
{
  if (!find_container(path))
    return dc_fail(error, DC_USAGE, "%.800s: a film's name must end in .mp4, .m4v, .mov or .mkv", path);
  if (width < 2 || width > DC_LARGEST_SIDE || height < 2 || height > DC_LARGEST_SIDE || width % 2 || height % 2)
    return dc_fail(error, DC_USAGE, "a film's width and height must be even, 2 .. %d pixels (is %dx%d)",
                   DC_LARGEST_SIDE, width, height);
  return DC_OK;
}

// Reserves a new file beside film->path, so that a folder that cannot be written is known before anything is drawn.
static enum dc_status reserve_file(struct dc_film *film, struct dc_error *error)
{
  const char *slash = strrchr(film->path, '/');
  int folder = slash ? (int)(slash - film->path) + 1 : 0;
  enum dc_status status = dc_check_replaceable(AT_FDCWD, film->path, film->path, error);
  if (status)
    return status;
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    film->temporary = dc_arena_printf(film->arena, "%s%.*s.tmp-%ld-%d%s", file_protocol, folder, film->path,
                                      (long)getpid(), attempt, film->container->suffix);
    if (!film->temporary)
      return dc_out_of_memory_for(error, "a film");
    int descriptor = dc_open_new(dc_open_here, temporary_name(film));
    if (descriptor >= 0) {
      close(descriptor);
      return DC_OK;
    }
    if (errno != EEXIST)
      break;
  }
  film->temporary = NULL;
  return dc_fail(error, DC_IO, "%.800s: %s", film->path, strerror(errno));
}

// Starts ffmpeg with the reading end of a pipe as standard input.  Returns 0 or an errno.
static int spawn(struct dc_film *film, const char *const *arguments, int reading_end)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed)
    return failed;
  failed = posix_spawnattr_init(&attributes);
  if (failed) {
    posix_spawn_file_actions_destroy(&actions);
    return failed;
  }
  // SIGXFSZ stays ignored if it is: ffmpeg then reports a full quota instead of dying.
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  failed = posix_spawn_file_actions_adddup2(&actions, reading_end, STDIN_FILENO);
  if (!failed)
    failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!failed)
    failed = posix_spawn_file_actions_adddup2(&actions, fileno(film->words), STDERR_FILENO);
  if (!failed)
    failed = posix_spawnattr_setsigdefault(&attributes, &defaults);
  if (!failed)
    failed = posix_spawnattr_setpgroup(&attributes, 0);
  if (!failed)
    failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  // posix_spawnp does not change the strings, though its type does not say so.
  if (!failed)
    failed =
        posix_spawnp(&film->process, "ffmpeg", &actions, &attributes, (char *const *)(uintptr_t)arguments, environ);
  if (failed)
    film->process = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// A missing program is by far the most common reason and names the package to install.
static enum dc_status fail_start(int number, struct dc_error *error)
{
  if (number == ENOENT)
    return dc_fail(error, DC_IO, "ffmpeg: not found in PATH; it writes the films (Debian package: ffmpeg)");
  return dc_fail(error, DC_IO, "ffmpeg: cannot be started: %s", strerror(number));
}

// Starts ffmpeg, which reads raw pictures from a pipe and writes the film.
static enum dc_status start(struct dc_film *film, struct dc_error *error)
{
  char size[32], rate[32];
  snprintf(size, sizeof size, "%dx%d", film->width, film->height);
  snprintf(rate, sizeof rate, "%.17g", film->frames_per_second);
  const char *arguments[] = {
      "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-nostats", "-xerror",
      // ffmpeg ends at the first error (-xerror) and never reads the terminal (-nostdin).
      // what comes in
      "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", size, "-framerate", rate, "-i", "pipe:0",
      // colours as players expect them of films of today
      "-vf", "scale=out_color_matrix=bt709:out_range=limited:flags=accurate_rnd+full_chroma_int", "-pix_fmt", "yuv420p",
      "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", "-color_range", "tv",
      // what goes out; the list ends where there is no option
      "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-f", film->container->format, "-y", film->temporary,
      film->container->index_first ? "-movflags" : NULL, "+faststart", NULL};
  int ends[2];
  film->words = tmpfile();
  if (!film->words)
    return dc_fail(error, DC_IO, "a temporary file for ffmpeg: %s", strerror(errno));
  if (pipe2(ends, O_CLOEXEC))
    return dc_fail(error, DC_IO, "a pipe to ffmpeg: %s", strerror(errno));
  film->input = ends[1];
  int failed = spawn(film, arguments, ends[0]);
  close(ends[0]);
  return failed ? fail_start(failed, error) : DC_OK;
}

// Checks the settings, reserves a temporary file, and starts ffmpeg, which reads frames from a pipe.
struct dc_film *dc_film_open(const char *path, int width, int height, double frames_per_second, struct dc_error *error)
{
  if (dc_film_check(path, width, height, error))
    return NULL;
  if (!(frames_per_second >= DC_LEAST_RATE && frames_per_second <= DC_LARGEST_RATE)) {
    dc_fail(error, DC_USAGE, "a film has %g .. %g frames per second (%.4g here: choose another --every)", DC_LEAST_RATE,
            DC_LARGEST_RATE, frames_per_second);
    return NULL;
  }
  struct dc_film *film = dc_alloc(1, sizeof *film);
  struct dc_arena *arena = dc_arena_create();
  if (!film || !arena) {
    free(film);
    dc_arena_destroy(arena);
    dc_out_of_memory_for(error, "a film");
    return NULL;
  }
  *film = (struct dc_film){.path = dc_arena_strdup(arena, path),
                           .container = find_container(path),
                           .width = width,
                           .height = height,
                           .frames_per_second = frames_per_second,
                           .arena = arena,
                           .input = -1};
  enum dc_status status = film->path ? reserve_file(film, error) : dc_out_of_memory_for(error, "a film");
  if (!status)
    status = start(film, error);
  if (status) {
    dc_film_abandon(film);
    return NULL;
  }
  return film;
}

// Reads the last line that ffmpeg wrote, except one without information; "" when there is none.
static void last_words(FILE *file, char *text, size_t size)
{
  char words[LAST_WORDS + 1];
  text[0] = '\0';
  if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > LAST_WORDS)
    fseek(file, -LAST_WORDS, SEEK_END);
  else
    rewind(file);
  words[fread(words, 1, LAST_WORDS, file)] = '\0';
  char *rest;
  for (char *line = strtok_r(words, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
    if (strcmp(line, "Conversion failed!") != 0)
      snprintf(text, size, "%s", line);
}

// Waits for the end of ffmpeg, whose input is closed.
static enum dc_status wait_for_end(struct dc_film *film, struct dc_error *error)
{
  int ending;
  pid_t ended;
  if (film->input >= 0)
    close(film->input);
  film->input = -1;
  do
    ended = waitpid(film->process, &ending, 0);
  while (ended < 0 && errno == EINTR);
  film->process = 0;
  if (ended < 0)
    return dc_fail(error, DC_IO, "%.500s: how ffmpeg ended is unknown: %s", film->path, strerror(errno));
  if (WIFEXITED(ending) && WEXITSTATUS(ending) == 0)
    return DC_OK;
  char words[400], how[64];
  last_words(film->words, words, sizeof words);
  if (WIFSIGNALED(ending))
    snprintf(how, sizeof how, "was killed by signal %d", WTERMSIG(ending));
  else
    snprintf(how, sizeof how, "failed with exit status %d", WEXITSTATUS(ending));
  return dc_fail(error, DC_IO, "%.500s: ffmpeg %s%s%s", film->path, how, words[0] ? ": " : "", words);
}

// Writes all bytes; returns 0 or an errno.  SIGPIPE is blocked in this thread and, if it came, consumed, so that
// callers that do not ignore it survive the end of ffmpeg.
static int write_all(int descriptor, const unsigned char *bytes, size_t size)
{
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigemptyset(&pending);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  int failed = 0;
  while (size > 0 && !failed) {
    ssize_t written = write(descriptor, bytes, size);
    if (written >= 0) {
      bytes += written;
      size -= (size_t)written;
    } else if (errno != EINTR) {
      failed = errno;
    }
  }
  if (failed == EPIPE && !sigismember(&pending, SIGPIPE))
    sigtimedwait(&pipe_signal, NULL, &(struct timespec){0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

// A broken pipe means that ffmpeg has ended: its exit status and last words tell why.
enum dc_status dc_film_add(struct dc_film *film, const unsigned char *pixels, struct dc_error *error)
{
  if (!film->process)
    return dc_fail(error, DC_IO, "%.800s: ffmpeg has ended", film->path);
  int failed = write_all(film->input, pixels, 3 * (size_t)film->width * (size_t)film->height);
  if (failed != EPIPE)
    return failed ? dc_fail(error, DC_IO, "%.800s: writing to ffmpeg: %s", film->path, strerror(failed)) : DC_OK;
  enum dc_status status = wait_for_end(film, error);
  return status ? status : dc_fail(error, DC_IO, "%.800s: ffmpeg ended before the film did", film->path);
}

// The end of the pipe ends the film; only a file that ffmpeg has finished well takes the place of an older one.
enum dc_status dc_film_finish(struct dc_film *film, struct dc_error *error)
{
  enum dc_status status = film->process ? wait_for_end(film, error)
                                        : dc_fail(error, DC_IO, "%.800s: ffmpeg ended before the film did", film->path);
  if (!status && rename(temporary_name(film), film->path))
    status = dc_fail(error, DC_IO, "%.800s: %s", film->path, strerror(errno));
  if (!status)
    film->temporary = NULL;
  dc_film_abandon(film);
  return status;
}

// Stops ffmpeg and removes the temporary file.
void dc_film_abandon(struct dc_film *film)
{
  if (!film)
    return;
  // The output is discarded, so that ffmpeg need not finish; waiting for it leaves no zombie.
  if (film->process)
    kill(film->process, SIGKILL);
  if (film->process)
    wait_for_end(film, NULL);
  if (film->input >= 0)
    close(film->input);
  if (film->temporary)
    unlink(temporary_name(film));
  if (film->words)
    fclose(film->words);
  dc_arena_destroy(film->arena);
  free(film);
}
