// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, lets one of its calls fail: with DCSIM_FAIL_MALLOC=k the k-th request for memory gets NULL
// and ENOMEM, with DCSIM_FAIL_MALLOC=k- all from the k-th on; with DCSIM_FAIL_READ=k the k-th read() or pread() gives
// EIO, with DCSIM_FAIL_OPEN=k the k-th open() or openat().  Calls are counted from the start of main, those of threads
// and forked processes with them: what libraries do while they are loaded is not the program's.  DCSIM_FAIL_COUNT=PATH:
// the numbers of calls of each kind are written there when the program exits.  For glibc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

struct fault {
  unsigned long from, to;  // the calls that fail, 0: none
  atomic_ulong calls;
};

// Shared with forked processes; NULL before the first call.
static struct shared {
  struct fault memory, reading, opening;
} * _Atomic shared;

static void parse(struct fault *fault, const char *text)
{
  char *end;
  if (!text)
    return;
  fault->from = strtoul(text, &end, 10);
  fault->to = *end == '-' ? (unsigned long)-1 : fault->from;
}

static struct shared *state(void)
{
  struct shared *found = atomic_load(&shared);
  if (found)
    return found;
  struct shared *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED)
    abort();
  parse(&made->memory, getenv("DCSIM_FAIL_MALLOC"));
  parse(&made->reading, getenv("DCSIM_FAIL_READ"));
  parse(&made->opening, getenv("DCSIM_FAIL_OPEN"));
  if (atomic_compare_exchange_strong(&shared, &found, made))
    return made;
  munmap(made, sizeof *made);
  return found;
}

static atomic_bool begun;

static bool fails(struct fault *fault)
{
  if (!atomic_load(&begun))
    return false;
  unsigned long call = atomic_fetch_add(&fault->calls, 1) + 1;
  return fault->from && call >= fault->from && call <= fault->to;
}

static bool memory_fails(void)
{
  if (!fails(&state()->memory))
    return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size)
{
  return memory_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return memory_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
  return memory_fails() ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
  return memory_fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

static bool fails_with_eio(struct fault *fault)
{
  if (!fails(fault))
    return false;
  errno = EIO;
  return true;
}

// The system ignores the mode of what is there already.
static int open_with(int folder, const char *path, int flags, va_list arguments)
{
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
  return fails_with_eio(&state()->opening) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  int fd = open_with(AT_FDCWD, path, flags, arguments);
  va_end(arguments);
  return fd;
}

int openat(int folder, const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  int fd = open_with(folder, path, flags, arguments);
  va_end(arguments);
  return fd;
}

ssize_t read(int fd, void *bytes, size_t count)
{
  if (fails_with_eio(&state()->reading))
    return -1;
  return syscall(SYS_read, fd, bytes, count);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t offset)
{
  if (fails_with_eio(&state()->reading))
    return -1;
  return syscall(SYS_pread64, fd, bytes, count, offset);
}

// What programs with 64-bit file offsets call; the same here.
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));
ssize_t pread64(int fd, void *bytes, size_t count, off_t offset) __attribute__((alias("pread")));

typedef int main_function(int argc, char **argv, char **environment);

// Called by the program's start, after the constructors of its libraries.
int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
  int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  atomic_store(&begun, true);
  return start(program, argc, argv, init, fini, loader_fini, stack_end);
}

__attribute__((destructor)) static void report(void)
{
  const char *path = getenv("DCSIM_FAIL_COUNT");
  char text[64];
  int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (fd < 0)
    return;
  const struct shared *found = state();
  int length = snprintf(text, sizeof text, "%lu %lu %lu\n", atomic_load(&found->memory.calls),
                        atomic_load(&found->reading.calls), atomic_load(&found->opening.calls));
  if (write(fd, text, (size_t)length) < length)
    perror(path);
  close(fd);
}
