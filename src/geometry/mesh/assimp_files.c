// SPDX-License-Identifier: Apache-2.0
// Assimp opens what a mesh file names: buffers of glTF.  Its own file system would take any file of this machine,
// relative to the working directory, and wait for pipes.  Here
//   1. the mesh itself comes from memory;
//   2. a glTF file that was read from a folder may name regular files in this folder or below, of at most as many bytes
//      together as a mesh file may have, which are read whole when they are opened;
//   3. nothing else is there, and nothing can be written.
// The first name that is refused is kept for the message.
#include "geometry/mesh/mesh_read.h"

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef DC_ASSIMP
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/characters.h"
#include "base/memory.h"
#include "base/open.h"
#include "geometry/mesh/assimp_files.h"

// A file that Assimp has open: all of its bytes are in memory, at <= size is the place of the next read.
struct open_file {
  struct aiFile file;
  const char *bytes;
  char *own;  // released at the end; NULL: bytes of the mesh
  size_t size, at;
};

// Assimp hands back its own struct, whose user data is ours.
static struct open_file *of(const struct aiFile *file)
{
  return (struct open_file *)(void *)file->UserData;
}

// Whole items only, like fread().
static size_t read_items(struct aiFile *file, char *to, size_t size, size_t count)
{
  struct open_file *open = of(file);
  size_t items = size ? (open->size - open->at) / size : 0;
  items = items < count ? items : count;
  if (items)
    memcpy(to, open->bytes + open->at, items * size);
  open->at += items * size;
  return items;
}

static size_t write_nothing(struct aiFile *file, const char *from, size_t size, size_t count)
{
  (void)file, (void)from, (void)size, (void)count;
  return 0;
}

static size_t tell(struct aiFile *file)
{
  return of(file)->at;
}

static size_t size_of(struct aiFile *file)
{
  return of(file)->size;
}

// Positions outside of the file are refused, as reading relies on at <= size.
static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
  struct open_file *open = of(file);
  size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? open->at : open->size;
  if (origin == aiOrigin_END ? offset > open->size : offset > open->size - from)
    return aiReturn_FAILURE;
  open->at = origin == aiOrigin_END ? open->size - offset : from + offset;
  return aiReturn_SUCCESS;
}

static void flush_nothing(struct aiFile *file)
{
  (void)file;
}

// Keeps the first refusal; answers NULL, so that the file counts as not there.
static char *refuse(struct dc_assimp_files *files, const char *name, enum dc_status status, const char *why)
{
  if (!files->refused.status)
    dc_fail(&files->refused, status, "it names the file \"%.200s\", which %s", name, why);
  return NULL;
}

// Reads until the size that fstat told is there: a file that is cut while it is read is refused.
static char *read_whole(struct dc_assimp_files *files, const char *name, int fd, size_t size)
{
  char *bytes = dc_alloc(size + 1, 1);
  if (!bytes)
    return refuse(files, name, DC_MEMORY, "needs more memory than there is");
  for (size_t done = 0; done < size;) {
    ssize_t got = read(fd, bytes + done, size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      free(bytes);
      return refuse(files, name, DC_IO, "cannot be read to its end");
    }
    done += (size_t)got;
  }
  return bytes;
}

// The folder of the mesh file, which messages call by the name that the user gave.
static int open_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int fd = folder ? dc_open_folder(dc_open_here, folder, true) : -1;
  free(folder);
  return fd;
}

// A file that a glTF file names, under the limits of the head comment.  Links may lead only to places below the
// folder.
static char *read_beside(struct dc_assimp_files *files, const char *name, size_t *size)
{
  const char *ending = strrchr(files->mesh->name, '.');
  if (!files->mesh->in_folder || !ending || strcasecmp(ending, ".gltf") != 0)
    return refuse(files, name, DC_BAD_INPUT, "is not read");
  if (files->count >= DC_ASSIMP_FILES_MOST)
    return refuse(files, name, DC_BAD_INPUT, "is one too many");
  struct dc_opened opened = {.fd = -1};
  int folder = open_folder(files->mesh->name);
  enum dc_open_result result =
      folder < 0 ? DC_OPEN_FAILED : dc_open_read(folder, name, DC_LINKS_BELOW, files->left, &opened);
  int reason = errno;
  char *plain = folder >= 0 && result == DC_OPEN_FAILED && strchr(name, '%') ? dc_percent_decode(name) : NULL;
  if (plain)
    result = dc_open_read(folder, plain, DC_LINKS_BELOW, files->left, &opened);
  free(plain);
  if (folder >= 0)
    close(folder);
  if (result == DC_OPEN_SPECIAL)
    return refuse(files, name, DC_BAD_INPUT, "is not a regular file");
  if (result == DC_OPEN_LARGE)
    return refuse(files, name, DC_BAD_INPUT, "is too large");
  if (result == DC_OPEN_FAILED)
    return refuse(files, name, DC_BAD_INPUT,
                  reason == EXDEV || reason == ELOOP ? "lies outside its folder" : "cannot be opened");
  char *bytes = read_whole(files, name, opened.fd, opened.size);
  close(opened.fd);
  *size = opened.size;
  files->left -= bytes ? opened.size : 0;
  files->count++;
  return bytes;
}

// Called by Assimp.  Anything but reading fails; the mesh itself is known by the name that Assimp was given for
// it.
static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode)
{
  struct dc_assimp_files *files = (struct dc_assimp_files *)(void *)io->UserData;
  bool is_mesh = strcmp(name, files->name) == 0;
  struct open_file *open = mode[0] == 'r' ? dc_alloc(1, sizeof *open) : NULL;
  if (!open)
    return NULL;
  open->bytes = files->mesh->bytes;
  open->size = files->mesh->size;
  if (!is_mesh)
    open->bytes = open->own = read_beside(files, name, &open->size);
  if (!open->bytes) {
    free(open);
    return NULL;
  }
  open->file = (struct aiFile){.ReadProc = read_items,
                               .WriteProc = write_nothing,
                               .TellProc = tell,
                               .FileSizeProc = size_of,
                               .SeekProc = seek,
                               .FlushProc = flush_nothing,
                               .UserData = (char *)open};
  return &open->file;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
  (void)io;
  struct open_file *open = of(file);
  free(open->own);
  free(open);
}

// The bytes of all files beside the mesh are bounded together (left), so that many small ones count like a large one.
void dc_assimp_files_init(struct dc_assimp_files *files, const struct dc_mesh_file *mesh, const char *name)
{
  *files = (struct dc_assimp_files){.mesh = mesh, .name = name, .left = DC_MESH_FILE_BYTES_MAX};
  files->io = (struct aiFileIO){.OpenProc = open_file, .CloseProc = close_file, .UserData = (char *)files};
}
#endif
