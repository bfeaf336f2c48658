// SPDX-License-Identifier: Apache-2.0
// Messages between ranks.  MPI stands behind this in a module of its own (mpi_transport.c), which is loaded when a launcher
// of MPI has started the program, or when it is asked for: the program itself needs no MPI, neither to be built nor to run.
#ifndef DC_SWEEP_TRANSPORT_H
#define DC_SWEEP_TRANSPORT_H

enum { DC_TRANSPORT_VERSION = 1 };

struct dc_transport {
  int rank, ranks;
  // Sends size bytes to a rank; 0, or a status of MPI.
  int (*send)(int to, const void *bytes, int size);
  // Takes a message that has come, if any: its size, cut off at most, and who sent it; -1: none.  Never waits.
  int (*receive)(int *from, void *bytes, int most);
  // Every rank must, at its end.
  void (*finish)(void);
};

// What the module exports as dcsim_transport_start: starts MPI, fills in the rest; 0, or a status.  version is
// DC_TRANSPORT_VERSION.
typedef int dc_transport_start(int version, struct dc_transport *transport);

#endif
