// SPDX-License-Identifier: Apache-2.0
// Messages between ranks.  MPI stands behind this in a module of its own (mpi_transport.c), which is loaded when a
// launcher of MPI has started the program, or when it is asked for: the program itself needs no MPI, neither to be
// built nor to run.
#ifndef DC_BASE_TRANSPORT_H
#define DC_BASE_TRANSPORT_H

#include <stdbool.h>

#include "base/status.h"

enum { DC_TRANSPORT_VERSION = 2 };

struct dc_transport {
  int rank, ranks;
  int local_ranks;  // of this machine
  // Sends size bytes to a rank; 0, or a status of MPI.
  int (*send)(int to, const void *bytes, int size);
  // The size of a message that has come, if any, and who sent it; -1: none.  Never waits.
  int (*look)(int *from);
  // Takes the next message of a rank, which has come, of at most so many bytes: its size.
  int (*receive)(int from, void *bytes, int most);
  // Every rank must, at its end.
  void (*finish)(void);
};

// What the module exports as dcsim_transport_start: starts MPI, fills in the rest; 0, or a status.  version is
// DC_TRANSPORT_VERSION.
typedef int dc_transport_start(int version, struct dc_transport *transport);

// Starts MPI when asked, or when a launcher of MPI has started the program; transport->ranks is 1 where there is one
// process only, and then MPI is finished.  program: path of this program, beside which the module is looked for, or
// NULL.  DC_USAGE when this build or machine has no MPI.
enum dc_status dc_transport_open(const char *program, bool asked, struct dc_transport *transport,
                                 struct dc_error *error);

// Makes a process that will be started from here one that no launcher of MPI has started.
void dc_transport_forget_launcher(void);

#endif
