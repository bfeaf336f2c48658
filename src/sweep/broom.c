// SPDX-License-Identifier: Apache-2.0
#include "sweep/broom.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROOM = 64 };  // directories that wait; a disk that is slower than the runs holds them up

struct dc_broom {
  pthread_t thread;
  bool runs, ends;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char *waiting[ROOM];  // a ring
  int first, count;
};

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
  (void)info, (void)type, (void)walk;
  return remove(path);
}

// Files first, below the open directory: names looked up from the root cost as much as half of their removal.
static void remove_files(DIR *directory)
{
  for (const struct dirent *entry; (entry = readdir(directory));)
    if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
      unlinkat(dirfd(directory), entry->d_name, 0);
}

void dc_remove_directory(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *directory = fd < 0 ? NULL : fdopendir(fd);
  if (directory) {
    remove_files(directory);
    closedir(directory);
  } else if (fd >= 0) {
    close(fd);
  }
  if (fd >= 0 && rmdir(path) < 0)
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void *work(void *context)
{
  struct dc_broom *broom = context;
  pthread_mutex_lock(&broom->lock);
  for (;;) {
    while (broom->count == 0 && !broom->ends)
      pthread_cond_wait(&broom->changed, &broom->lock);
    if (broom->count == 0)
      break;
    char *directory = broom->waiting[broom->first];
    pthread_mutex_unlock(&broom->lock);
    dc_remove_directory(directory);
    free(directory);
    pthread_mutex_lock(&broom->lock);
    broom->first = (broom->first + 1) % ROOM;
    broom->count--;
  }
  pthread_mutex_unlock(&broom->lock);
  return NULL;
}

// Signals are for the sweep.
struct dc_broom *dc_broom_create(void)
{
  struct dc_broom *broom = calloc(1, sizeof *broom);
  sigset_t all, before;
  if (!broom)
    return NULL;
  pthread_mutex_init(&broom->lock, NULL);
  pthread_cond_init(&broom->changed, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  broom->runs = pthread_create(&broom->thread, NULL, work, broom) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return broom;
}

void dc_broom_remove(struct dc_broom *broom, char *directory)
{
  bool taken = false;
  if (broom && broom->runs) {
    pthread_mutex_lock(&broom->lock);
    taken = broom->count < ROOM;
    if (taken)
      broom->waiting[(broom->first + broom->count++) % ROOM] = directory;
    pthread_cond_signal(&broom->changed);
    pthread_mutex_unlock(&broom->lock);
  }
  if (taken)
    return;
  dc_remove_directory(directory);
  free(directory);
}

void dc_broom_destroy(struct dc_broom *broom)
{
  if (!broom)
    return;
  if (broom->runs) {
    pthread_mutex_lock(&broom->lock);
    broom->ends = true;
    pthread_cond_signal(&broom->changed);
    pthread_mutex_unlock(&broom->lock);
    pthread_join(broom->thread, NULL);
  }
  pthread_cond_destroy(&broom->changed);
  pthread_mutex_destroy(&broom->lock);
  free(broom);
}
