// SPDX-License-Identifier: Apache-2.0
// The registry of contact models: one line each.  A model is a folder with a descriptor; nothing else names it.
#include <stddef.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "contact/common/contact_internal.h"

// clang-format off
const struct dc_contact_model *const dc_contact_models[] = {
    &dc_contact_bsh,
    &dc_contact_exact,
    &dc_contact_ipc,
    &dc_contact_ipc_global,
    &dc_contact_sdrs,
    &dc_contact_manifold,
#ifdef DC_MUJOCO
    &dc_contact_mujoco,
#endif
    NULL};
// clang-format on

const char *const dc_contact_models_not_built[] = {
#ifndef DC_MUJOCO
    "mujoco",
#endif
    NULL};

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
