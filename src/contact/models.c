// SPDX-License-Identifier: Apache-2.0
// The contact models and their options.
#include <stddef.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "contact/contact_internal.h"

static const char *const weight_names[] = {"consistent", "paper", NULL};
static const char *const hull_names[] = {"parts", "triangles", NULL};

const struct dc_option dc_contact_options[] = {
    {.name = "stiffness",
     .type = DC_REAL,
     .unit = "J",
     .fallback = "1e-6",
     .minimum = 0,
     .maximum = 1e6,
     .minimum_excluded = true,
     .help = "contact stiffness mu: factor on the potential; the gap at rest grows as its square root",
     .offset = offsetof(struct dc_contact_settings, stiffness)},
    {.name = "blend",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.3",
     .minimum = 1e-3,
     .maximum = 10,
     .help = "epsilon of the hierarchy: node pairs are blended between d and (1 + blend) d, d the sum of their radii",
     .offset = offsetof(struct dc_contact_settings, blend)},
    {.name = "length",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e9,
     .minimum_excluded = true,
     .help = "length unit of the potential; 1 m is the paper's",
     .offset = offsetof(struct dc_contact_settings, length)},
    {.name = "weights",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"consistent\"",
     .choices = weight_names,
     .help = "consistent: triangles count by area and node pairs by weight; paper: every term counts 1 (Eq. 7)",
     .offset = offsetof(struct dc_contact_settings, weights)},
    {.name = "offset",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "keep the constant 12 of every term, as the paper does; it turns into force while terms blend",
     .offset = offsetof(struct dc_contact_settings, offset)},
    {.name = "reference_area",
     .type = DC_REAL,
     .unit = "m^2",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1e12,
     .minimum_excluded = true,
     .help = "area that weighs 1 on fixed bodies (consistent weights); default: mean surface of the movable bodies",
     .offset = offsetof(struct dc_contact_settings, reference_area)},
    {.name = "friction",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0",
     .minimum = 0,
     .maximum = 100,
     .help = "Coulomb coefficient of bodies that do not set their own; a pair has the geometric mean of its two",
     .offset = offsetof(struct dc_contact_settings, friction)},
    {.name = "friction_smoothing",
     .type = DC_REAL,
     .unit = "m/s",
     .fallback = "1e-3",
     .minimum = 0,
     .maximum = 1e3,
     .minimum_excluded = true,
     .help = "speed e over which friction sets in, as v/sqrt(v^2 + e^2); held bodies creep at a part of it",
     .offset = offsetof(struct dc_contact_settings, friction_smoothing)},
    {.name = "friction_range",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1e9,
     .minimum_excluded = true,
     .help = "bsh and exact: triangle pairs rub in full up to this gap and not beyond twice it; default: no limit",
     .offset = offsetof(struct dc_contact_settings, friction_range)},
    {.name = "dhat",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "1e-3",
     .minimum = 0,
     .maximum = 1e3,
     .minimum_excluded = true,
     .help = "ipc: distance at which the barrier begins",
     .offset = offsetof(struct dc_contact_settings, dhat)},
    {.name = "support",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.1",
     .minimum = 0,
     .maximum = 0.99,
     .minimum_excluded = true,
     .help = "sdrs: s of its barrier (x - s)^4 / x^5, x in units of length; hulls 2 s/(1 - s) lengths apart do not act",
     .offset = offsetof(struct dc_contact_settings, support)},
    {.name = "hulls",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"parts\"",
     .choices = hull_names,
     .help = "sdrs: convex parts of the shapes, and triangles of shapes without any; or triangles of all shapes",
     .offset = offsetof(struct dc_contact_settings, hulls)},
    DC_OPTIONS_END};

static const struct dc_contact_model bsh = {
    .name = "bsh",
    .summary = "long-range smooth barrier summed over bounding-sphere hierarchies",
    .reference = "paper 000, sections 4 and 5",
    .options = dc_contact_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION,
    .hierarchical = true,
    .methods = &dc_plane_methods,
};

static const struct dc_contact_model exact = {
    .name = "exact",
    .summary = "the same barrier summed over all triangle pairs (reference; quadratic cost)",
    .reference = "paper 000, Eq. 3",
    .options = dc_contact_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION,
    .methods = &dc_plane_methods,
};

#ifdef DC_MUJOCO
// Its gaps and overlaps are those of bsh's geometry; there is no potential to evaluate.
static const struct dc_contact_model mujoco = {
    .name = "mujoco",
    .summary =
        "the library MuJoCo: its soft contacts, joints and integration, without gradients; options in \"mujoco\"",
    .reference = "Todorov, Erez and Tassa, IROS 2012; docs/theory.md, \"MuJoCo\"",
    .options = dc_contact_options,
    .flags = DC_CONTACT_FRICTION | DC_CONTACT_FOREIGN,
    .hierarchical = true,
    .methods = &dc_plane_methods,
};

const struct dc_contact_model *const dc_contact_models[] = {
    &bsh, &exact, &dc_contact_ipc, &dc_contact_ipc_global, &dc_contact_sdrs, &mujoco, NULL};
const char *const dc_contact_models_not_built[] = {NULL};
#else
const struct dc_contact_model *const dc_contact_models[] = {
    &bsh, &exact, &dc_contact_ipc, &dc_contact_ipc_global, &dc_contact_sdrs, NULL};
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
