// SPDX-License-Identifier: Apache-2.0
// Loads the MPI module when the program was started by an MPI launcher, which environment variables show, or when MPI
// is asked for.  Without a launcher nothing is loaded, and there is one rank.
#include "base/transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "dcsim-mpi.so"

// Variables set by Open MPI, PMIx (also Slurm), PMI-1 and -2, and Intel MPI.
static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "MPI_LOCALRANKID", NULL};

// One variable of any launcher is enough.
static bool was_launched(void)
{
  for (int i = 0; marks[i]; i++)
    if (getenv(marks[i]))
      return true;
  return false;
}

// Child processes would otherwise take themselves for ranks of the same job.
void dc_transport_forget_launcher(void)
{
  for (int i = 0; marks[i]; i++)
    unsetenv(marks[i]);
}

// Looks for the module where it is installed, beside the program's folder, and in the build tree.
static void *load_module(const char *program)
{
  const char *slash = program ? strrchr(program, '/') : NULL;
  int length = slash ? (int)(slash - program) : 0;
  static const char *const places[] = {"%.*s/lib/" MODULE, "%.*s/../lib/dcsim/" MODULE, NULL};
  void *module = dlopen(DC_LIBDIR "/" MODULE, RTLD_NOW | RTLD_GLOBAL);
  for (int i = 0; !module && length && places[i]; i++) {
    char path[4096];
    snprintf(path, sizeof path, places[i], length, program);
    module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  }
  return module;
}

// A single rank needs no messages: MPI is ended again at once, and the transport stays one of one rank.
enum dc_status dc_transport_open(const char *program, bool asked, struct dc_transport *transport,
                                 struct dc_error *error)
{
  *transport = (struct dc_transport){.ranks = 1, .local_ranks = 1};
  if (!asked && !was_launched())
    return DC_OK;
  dc_transport_start *start = NULL;
  void *module = load_module(program);
  if (module)
    *(void **)&start = dlsym(module, "dcsim_transport_start");
  if (!start || start(DC_TRANSPORT_VERSION, transport))
    return dc_fail(error, DC_USAGE, "%s MPI, but %s: build with --with-mpi (Debian: libopenmpi-dev)%s",
                   asked ? "asked for" : "started by a launcher of",
                   start ? "it does not start" : "its module " MODULE " is not there",
                   asked ? "" : ", or start without it");
  if (transport->ranks == 1)
    transport->finish();
  return DC_OK;
}
