// SPDX-License-Identifier: Apache-2.0
// Messages between ranks.  The implementation by MPI is a separate module (mpi_transport.c), loaded when an MPI
// launcher has started the program or when it is asked for: the program itself needs no MPI to be built or to run.
#ifndef DC_BASE_TRANSPORT_H
#define DC_BASE_TRANSPORT_H

#include <stdbool.h>

#include "base/status.h"

enum { DC_TRANSPORT_VERSION = 2 };

struct dc_transport {
  int rank, ranks;
  int local_ranks;  // ranks on this machine
  // Sends size bytes to a rank; 0, or a status of MPI.
  int (*send)(int to, const void *bytes, int size);
  // Size of a message that has arrived, if any, and its sender; -1: none.  Never waits.
  int (*look)(int *from);
  // Takes the next message of a rank, which has arrived, of at most `most` bytes; returns its size.
  int (*receive)(int from, void *bytes, int most);
  // Every rank must call this at its end.
  void (*finish)(void);
};

// The function that the module exports as dcsim_transport_start: starts MPI and fills in all members; 0, or a status.
// version is DC_TRANSPORT_VERSION.
typedef int dc_transport_start(int version, struct dc_transport *transport);

// Starts MPI when asked, or when an MPI launcher has started the program.  transport->ranks is 1 where there is one
// process only, and then MPI is finished at once.  program: path of this program, beside which the module is looked
// for, or NULL.  DC_USAGE when this build or machine has no MPI.
enum dc_status dc_transport_open(const char *program, bool asked, struct dc_transport *transport,
                                 struct dc_error *error);

// Removes the launcher's variables, so that a process started from here does not take itself for an MPI rank.
void dc_transport_forget_launcher(void);

#endif
