// SPDX-License-Identifier: Apache-2.0
// The module dcsim-mpi.so.
#include <mpi.h>

#include "sweep/transport.h"

int dcsim_transport_start(int version, struct dc_transport *transport);

static int send_message(int to, const void *bytes, int size)
{
  return MPI_Send(bytes, size, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static int receive_message(int *from, void *bytes, int most)
{
  int there = 0, size = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) || !there)
    return -1;
  MPI_Get_count(&status, MPI_BYTE, &size);
  *from = status.MPI_SOURCE;
  if (size > most)
    MPI_Abort(MPI_COMM_WORLD, 1);  // nobody sends that much
  MPI_Recv(bytes, size, MPI_BYTE, *from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return size;
}

static void finish(void)
{
  MPI_Finalize();
}

int dcsim_transport_start(int version, struct dc_transport *transport)
{
  if (version != DC_TRANSPORT_VERSION)
    return -1;
  int status = MPI_Init(NULL, NULL);
  if (status)
    return status;
  *transport = (struct dc_transport){.send = send_message, .receive = receive_message, .finish = finish};
  MPI_Comm_rank(MPI_COMM_WORLD, &transport->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &transport->ranks);
  return 0;
}
