// SPDX-License-Identifier: Apache-2.0
// Transport by MPI, compiled into the module dcsim-mpi.so: blocking sends, a probe that never waits, and receives of
// messages that have arrived.  Only this file includes mpi.h.
#include <mpi.h>

#include "base/transport.h"

int dcsim_transport_start(int version, struct dc_transport *transport);

// Blocking, with tag 0: kinds of messages are told apart by their content.
static int send_message(int to, const void *bytes, int size)
{
  return MPI_Send(bytes, size, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

// Size of the first message that has arrived, from any rank; -1 when there is none.
static int look_for_message(int *from)
{
  int there = 0, size = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) || !there)
    return -1;
  MPI_Get_count(&status, MPI_BYTE, &size);
  *from = status.MPI_SOURCE;
  return size;
}

static int receive_message(int from, void *bytes, int most)
{
  int size = 0;
  MPI_Status status;
  MPI_Recv(bytes, most, MPI_BYTE, from, 0, MPI_COMM_WORLD, &status);  // ends the program where there are more
  MPI_Get_count(&status, MPI_BYTE, &size);
  return size;
}

// Ranks that share this machine's memory, and therefore its cores.
static int count_local_ranks(void)
{
  int count = 1;
  MPI_Comm local;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local))
    return count;
  MPI_Comm_size(local, &count);
  MPI_Comm_free(&local);
  return count;
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
  *transport = (struct dc_transport){
      .send = send_message, .look = look_for_message, .receive = receive_message, .finish = finish};
  transport->local_ranks = count_local_ranks();
  MPI_Comm_rank(MPI_COMM_WORLD, &transport->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &transport->ranks);
  return 0;
}
