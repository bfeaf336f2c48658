// SPDX-License-Identifier: Apache-2.0
// The contact models.
#include <stddef.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "contact/contact_internal.h"

static const struct dc_contact_model bsh = {
    .name = "bsh",
    .summary = "long-range smooth barrier summed over bounding-sphere hierarchies",
    .reference = "paper 000, sections 4 and 5",
    .options = dc_bsh_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION | DC_CONTACT_SHAPES |
             DC_CONTACT_SURFACES,
    .hierarchical = true,
    .methods = &dc_plane_methods,
};

static const struct dc_contact_model exact = {
    .name = "exact",
    .summary = "the same barrier summed over all triangle pairs (reference; quadratic cost)",
    .reference = "paper 000, Eq. 3",
    .options = dc_exact_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION | DC_CONTACT_SHAPES |
             DC_CONTACT_SURFACES,
    .methods = &dc_plane_methods,
};

#ifdef DC_MUJOCO
// Its gaps and overlaps are those of bsh's geometry; there is no potential to evaluate.
static const struct dc_contact_model mujoco = {
    .name = "mujoco",
    .summary =
        "the library MuJoCo: its soft contacts, joints and integration, without gradients; options in \"mujoco\"",
    .reference = "Todorov, Erez and Tassa, IROS 2012; docs/theory.md, \"MuJoCo\"",
    .options = dc_mujoco_contact_options,
    .flags = DC_CONTACT_FRICTION | DC_CONTACT_FOREIGN,
    .hierarchical = true,
    .methods = &dc_plane_methods,
};

const struct dc_contact_model *const dc_contact_models[] = {
    &bsh, &exact, &dc_contact_ipc, &dc_contact_ipc_global, &dc_contact_sdrs, &dc_contact_manifold, &mujoco, NULL};
const char *const dc_contact_models_not_built[] = {NULL};
#else
const struct dc_contact_model *const dc_contact_models[] = {
    &bsh, &exact, &dc_contact_ipc, &dc_contact_ipc_global, &dc_contact_sdrs, &dc_contact_manifold, NULL};
const char *const dc_contact_models_not_built[] = {"mujoco", NULL};
#endif

const struct dc_contact_model *dc_contact_model_find(const char *name)
{
  for (int i = 0; dc_contact_models[i]; i++)
    if (strcmp(dc_contact_models[i]->name, name) == 0)
      return dc_contact_models[i];
  return NULL;
}

bool dc_contact_model_not_built(const char *name)
{
  for (int i = 0; dc_contact_models_not_built[i]; i++)
    if (strcmp(dc_contact_models_not_built[i], name) == 0)
      return true;
  return false;
}
