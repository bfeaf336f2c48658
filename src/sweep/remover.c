// SPDX-License-Identifier: Apache-2.0
// A thread with a ring of directories to remove.  When the ring is full, the caller removes the directory itself, so
// that a slow disk holds up the runs instead of filling.
#include "sweep/remover.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/open.h"
#include "io/run/run.h"

enum { ROOM = 64 };  // directories that wait; a disk that is slower than the runs holds them up

struct dc_remover {
  pthread_t thread;
  bool runs, ends;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char *waiting[ROOM];  // a ring
  int first, count;
};

// Removes files relative to the open directory: path look-ups from the root would cost half as much as the removal
// itself.  Folders within are left; whoever finds the directory not empty removes them by the slower way.
static void remove_files(DIR *directory)
{
  for (const struct dirent *entry; (entry = readdir(directory));)
    if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
      unlinkat(dirfd(directory), entry->d_name, 0);
}

// Files first, by the open folder, so that a name that is changed meanwhile leads nowhere else; a folder with more in
// it is taken away by the slower way.
void dc_remove_directory(const char *path)
{
  int fd = dc_open_listing(dc_open_here, path, false);
  DIR *directory = fd < 0 ? NULL : fdopendir(fd);
  if (directory) {
    remove_files(directory);
    closedir(directory);
  } else if (fd >= 0) {
    close(fd);
  }
  if (fd >= 0 && rmdir(path) < 0)
    dc_run_discard(path);
}

// The thread that removes directories of runs, one after the other, without the lock.  A slot of the ring is free
// only when its directory is gone; at the end the ring is emptied before the thread ends.
static void *work(void *context)
{
  struct dc_remover *remover = context;
  pthread_mutex_lock(&remover->lock);
  for (;;) {
    while (remover->count == 0 && !remover->ends)
      pthread_cond_wait(&remover->changed, &remover->lock);
    if (remover->count == 0)
      break;
    char *directory = remover->waiting[remover->first];
    pthread_mutex_unlock(&remover->lock);
    dc_remove_directory(directory);
    free(directory);
    pthread_mutex_lock(&remover->lock);
    remover->first = (remover->first + 1) % ROOM;
    remover->count--;
  }
  pthread_mutex_unlock(&remover->lock);
  return NULL;
}

// Starts the thread with all signals blocked: they are for the sweep.
struct dc_remover *dc_remover_create(void)
{
  struct dc_remover *remover = calloc(1, sizeof *remover);
  sigset_t all, before;
  if (!remover)
    return NULL;
  pthread_mutex_init(&remover->lock, NULL);
  pthread_cond_init(&remover->changed, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  remover->runs = pthread_create(&remover->thread, NULL, work, remover) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return remover;
}

// Gives a directory to the thread; when its ring is full, or no thread runs, the caller removes the directory itself.
// Frees the path in either case.
void dc_remover_remove(struct dc_remover *remover, char *directory)
{
  bool taken = false;
  if (remover && remover->runs) {
    pthread_mutex_lock(&remover->lock);
    taken = remover->count < ROOM;
    if (taken)
      remover->waiting[(remover->first + remover->count++) % ROOM] = directory;
    pthread_cond_signal(&remover->changed);
    pthread_mutex_unlock(&remover->lock);
  }
  if (taken)
    return;
  dc_remove_directory(directory);
  free(directory);
}

// Waits until everything that was handed over is removed.
void dc_remover_destroy(struct dc_remover *remover)
{
  if (!remover)
    return;
  if (remover->runs) {
    pthread_mutex_lock(&remover->lock);
    remover->ends = true;
    pthread_cond_signal(&remover->changed);
    pthread_mutex_unlock(&remover->lock);
    pthread_join(remover->thread, NULL);
  }
  pthread_cond_destroy(&remover->changed);
  pthread_mutex_destroy(&remover->lock);
  free(remover);
}
