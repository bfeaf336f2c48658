// SPDX-License-Identifier: Apache-2.0
// MPI ranks of an optimization: start, identity, and the loop of ranks other than 0 (plan/crew.h).
#include "api/ranks.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/transport.h"
#include "contact/kernels/lane_kernels.h"
#include "io/run/checkpoint.h"
#include "math/libraries.h"

struct dcsim_ranks {
  struct dc_transport transport;
  bool served;
};

enum { IDENTITY = 200 };

// Identity of a rank: everything that must be equal for the same bits everywhere, as for resuming a run.
static enum dc_status identify(const dcsim_scene *scene, char text[IDENTITY], struct dc_error *error)
{
  struct dc_checkpoint_identity identity;
  enum dc_status status =
      dc_checkpoint_identify(scene->scene, dcsim_version(), dc_lane_kernels()->name, dc_blas_core(), &identity, error);
  if (!status)
    snprintf(text, IDENTITY, "%.40s, scene %016" PRIx64 ", meshes %016" PRIx64 ", kernels %.30s and %.30s",
             identity.version, identity.scene_hash, identity.mesh_hash, identity.vector_width, identity.blas_core);
  return status;
}

// Divides the cores of a machine among its ranks.
// Ranks on one machine get equal shares of its processors, at least one thread each, and never more than OpenMP had.
static void share_cores(const struct dc_transport *transport)
{
  long cores = sysconf(_SC_NPROCESSORS_ONLN) / transport->local_ranks, threads = omp_get_max_threads();
  omp_set_num_threads((int)(cores < 1 ? 1 : cores < threads ? cores : threads));
}

// Starts MPI where the program runs under it or `asked` says so; *ranks is NULL where there is one rank alone,
// which needs no crew.
// A rank alone leaves *ranks NULL, which all other functions accept.
int dcsim_ranks_start(const char *program, int asked, dcsim_ranks **ranks, dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_ranks *made = calloc(1, sizeof *made);
  *ranks = NULL;
  enum dc_status status = made ? dc_transport_open(program, asked != 0, &made->transport, &local)
                               : dc_out_of_memory_for(&local, "the ranks");
  if (status || made->transport.ranks == 1) {
    free(made);
    return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
  }
  share_cores(&made->transport);
  *ranks = made;
  return DCSIM_OK;
}

int dcsim_ranks_number(const dcsim_ranks *ranks)
{
  return ranks ? ranks->transport.rank : 0;
}

// Parts from the other ranks, telling them status and reason, and ends MPI.  It must be called on every rank,
// also after a failure, or the others wait.
void dcsim_ranks_finish(dcsim_ranks *ranks, int status, const char *why)
{
  if (!ranks)
    return;
  dc_plan_crew_part(&ranks->transport, ranks->served, (enum dc_status)status, why);
  ranks->transport.finish();
  free(ranks);
}

// Gathers the crew on rank 0.  All ranks must have the same version, scene, meshes and kernels, or results
// would depend on which of them computed what.
enum dc_status dc_api_gather_ranks(const dcsim_scene *scene, dcsim_ranks *ranks, struct dc_plan_crew **crew,
                                   struct dc_error *error)
{
  char identity[IDENTITY];
  *crew = NULL;
  if (!ranks)
    return DC_OK;
  enum dc_status status = identify(scene, identity, error);
  return status ? status : dc_plan_crew_gather(&ranks->transport, identity, crew, error);
}

// Rolls out for rank 0 until it dismisses this rank.
static enum dc_status serve(const struct dc_scene *scene, dcsim_ranks *ranks, const char *identity,
                            struct dc_error *error)
{
  const struct dc_search_scene search = {.model = &scene->model,
                                         .task = &scene->task,
                                         .steps = (int)scene->definition.time.steps,
                                         .settings = &scene->search,
                                         .optimizer = scene->optimizer,
                                         .options = scene->optimizer_options,
                                         .gradient = &scene->gradient,
                                         .first_guess = &scene->first_guess};
  struct dc_search_helper *helper = dc_search_helper_create(&search);
  enum dc_status status =
      helper ? dc_plan_crew_serve(&ranks->transport, identity, search.model, search.task, dc_search_help, helper, error)
             : dc_out_of_memory_for(error, "a rank");
  dc_search_helper_destroy(helper);
  return status;
}

// Serves rank 0 until it ends.  Ranks that opened another scene are found by its identity before the first roll-out;
// one that has failed has not served, which its end tells rank 0.
int dc_api_serve_rank(const dcsim_scene *scene, dcsim_ranks *ranks, dcsim_error *error)
{
  struct dc_error local = {0};
  char identity[IDENTITY];
  enum dc_status status = identify(scene, identity, &local);
  if (!status)
    status = serve(scene->scene, ranks, identity, &local);
  ranks->served = status == DC_OK;
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}
