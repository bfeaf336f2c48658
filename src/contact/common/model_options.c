// SPDX-License-Identifier: Apache-2.0
// The options of contact models: each model's table has the rows that it reads, so that a scene, the command line and
// the lists know what means something to which.
#include <stddef.h>

#include "contact/common/contact_internal.h"

static const char *const weight_names[] = {"consistent", "paper", NULL};
static const char *const hull_names[] = {"parts", "triangles", NULL};

#define STIFFNESS_OPTION                                                                                               \
  {                                                                                                                    \
    .name = "stiffness", .type = DC_REAL, .unit = "J", .fallback = "1e-6", .minimum = 0, .maximum = 1e6,               \
    .minimum_excluded = true,                                                                                          \
    .help = "contact stiffness mu: factor on the potential; the gap at rest grows as its square root",                 \
    .offset = offsetof(struct dc_contact_settings, stiffness)                                                          \
  }

#define BLEND_OPTION                                                                                                   \
  {                                                                                                                    \
    .name = "blend", .type = DC_REAL, .unit = "", .fallback = "0.3", .minimum = 1e-3, .maximum = 10,                   \
    .help = "epsilon of the hierarchy: node pairs are blended between d and (1 + blend) d, d the sum of their radii",  \
    .offset = offsetof(struct dc_contact_settings, blend)                                                              \
  }

#define NEAR_RANGE_OPTION                                                                                              \
  {                                                                                                                    \
    .name = "near_range", .type = DC_REAL, .unit = "m", .fallback = "0.005", .minimum = 1e-6, .maximum = 1e3,          \
    .help = "bodies under near_only: node pairs whose spheres are farther apart do not act, blended in between",       \
    .offset = offsetof(struct dc_contact_settings, near_range)                                                         \
  }

#define LENGTH_OPTION                                                                                                  \
  {                                                                                                                    \
    .name = "length", .type = DC_REAL, .unit = "m", .fallback = "1", .minimum = 0, .maximum = 1e9,                     \
    .minimum_excluded = true, .help = "length unit of the potential; 1 m is the paper's",                              \
    .offset = offsetof(struct dc_contact_settings, length)                                                             \
  }

#define WEIGHTS_OPTION                                                                                                 \
  {                                                                                                                    \
    .name = "weights", .type = DC_CHOICE, .unit = "", .fallback = "\"consistent\"", .choices = weight_names,           \
    .help = "consistent: triangles count by area and node pairs by weight; paper: every term counts 1 (Eq. 7)",        \
    .offset = offsetof(struct dc_contact_settings, weights)                                                            \
  }

#define OFFSET_OPTION                                                                                                  \
  {                                                                                                                    \
    .name = "offset", .type = DC_BOOLEAN, .unit = "", .fallback = "false",                                             \
    .help = "keep the constant 12 of every term, as the paper does; it turns into force while terms blend",            \
    .offset = offsetof(struct dc_contact_settings, offset)                                                             \
  }

#define REFERENCE_AREA_OPTION                                                                                          \
  {                                                                                                                    \
    .name = "reference_area", .type = DC_REAL, .unit = "m^2", .fallback = "null", .minimum = 0, .maximum = 1e12,       \
    .minimum_excluded = true,                                                                                          \
    .help = "area that weighs 1 on fixed bodies (consistent weights); default: mean surface of the movable bodies",    \
    .offset = offsetof(struct dc_contact_settings, reference_area)                                                     \
  }

#define FRICTION_OPTION                                                                                                \
  {                                                                                                                    \
    .name = "friction", .type = DC_REAL, .unit = "", .fallback = "0", .minimum = 0, .maximum = 100,                    \
    .help = "Coulomb coefficient of bodies that do not set their own; a pair has the geometric mean of its two",       \
    .offset = offsetof(struct dc_contact_settings, friction)                                                           \
  }

#define FRICTION_SMOOTHING_OPTION                                                                                      \
  {                                                                                                                    \
    .name = "friction_smoothing", .type = DC_REAL, .unit = "m/s", .fallback = "1e-3", .minimum = 0, .maximum = 1e3,    \
    .minimum_excluded = true,                                                                                          \
    .help = "speed e over which friction sets in, as v/sqrt(v^2 + e^2); held bodies creep at a part of it",            \
    .offset = offsetof(struct dc_contact_settings, friction_smoothing)                                                 \
  }

#define FRICTION_RANGE_OPTION                                                                                          \
  {                                                                                                                    \
    .name = "friction_range", .type = DC_REAL, .unit = "m", .fallback = "null", .minimum = 0, .maximum = 1e9,          \
    .minimum_excluded = true,                                                                                          \
    .help = "friction of triangle pairs is full up to this gap and ends at twice it; default: no limit",               \
    .offset = offsetof(struct dc_contact_settings, friction_range)                                                     \
  }

#define RESTITUTION_OPTION                                                                                             \
  {                                                                                                                    \
    .name = "restitution", .type = DC_REAL, .unit = "", .fallback = "null", .minimum = 0, .maximum = 1,                \
    .help = "ratio of speeds after and before an impact, for bodies that set none; default: that of the steps",        \
    .offset = offsetof(struct dc_contact_settings, restitution)                                                        \
  }

#define OPENING_SPEED_OPTION                                                                                           \
  {                                                                                                                    \
    .name = "opening_speed", .type = DC_REAL, .unit = "m/s", .fallback = "1e-3", .minimum = 0, .maximum = 1e3,         \
    .minimum_excluded = true, .help = "speed that counts as none to restitution",                       \
    .offset = offsetof(struct dc_contact_settings, opening_speed)                                                      \
  }

#define DHAT_OPTION                                                                                                    \
  {                                                                                                                    \
    .name = "dhat", .type = DC_REAL, .unit = "m", .fallback = "1e-3", .minimum = 0, .maximum = 1e3,                    \
    .minimum_excluded = true, .help = "distance at which the barrier begins; of ipc-global: friction",                 \
    .offset = offsetof(struct dc_contact_settings, dhat)                                                               \
  }

#define SUPPORT_OPTION                                                                                                 \
  {                                                                                                                    \
    .name = "support", .type = DC_REAL, .unit = "", .fallback = "0.1", .minimum = 0, .maximum = 0.99,                  \
    .minimum_excluded = true,                                                                                          \
    .help = "s of the barrier (x - s)^4 / x^5, x in units of length; hulls 2 s/(1 - s) lengths apart do not act",      \
    .offset = offsetof(struct dc_contact_settings, support)                                                            \
  }

#define WALL_OPTION                                                                                                    \
  {                                                                                                                    \
    .name = "wall", .type = DC_REAL, .unit = "m", .fallback = "null", .minimum = 0, .maximum = 1e3,                    \
    .minimum_excluded = true,                                                                                          \
    .help = "distance of convex hulls from which on a barrier keeps them apart; default: 2e-2 of the least size",      \
    .offset = offsetof(struct dc_contact_settings, wall)                                                               \
  }

#define HULLS_OPTION                                                                                                   \
  {                                                                                                                    \
    .name = "hulls", .type = DC_CHOICE, .unit = "", .fallback = "\"parts\"", .choices = hull_names,                    \
    .help = "convex parts of the shapes, and triangles of shapes without any; or triangles of all shapes",             \
    .offset = offsetof(struct dc_contact_settings, hulls)                                                              \
  }

#define SMOOTHING_OPTION                                                                                               \
  {                                                                                                                    \
    .name = "smoothing", .type = DC_REAL, .unit = "m", .fallback = "null", .minimum = 0, .maximum = 1e3,               \
    .minimum_excluded = true,                                                                                          \
    .help = "over which edges of polyhedra are blended and 1/distance ends inside; default: 2e-3 of a body's size",    \
    .offset = offsetof(struct dc_contact_settings, smoothing)                                                          \
  }

#define EDGES_OPTION                                                                                                   \
  {                                                                                                                    \
    .name = "edges", .type = DC_INTEGER, .unit = "", .fallback = "0", .minimum = 0, .maximum = 64,                     \
    .help = "edges of each body, those deepest in the other, that meet the other's; 0: vertices only",                 \
    .offset = offsetof(struct dc_contact_settings, edges)                                                              \
  }

// All of them, for settings that no scene has made.
const struct dc_option dc_contact_options[] = {
    STIFFNESS_OPTION,   BLEND_OPTION,          LENGTH_OPTION,         WEIGHTS_OPTION,
    OFFSET_OPTION,      REFERENCE_AREA_OPTION, FRICTION_OPTION,       FRICTION_SMOOTHING_OPTION,
    RESTITUTION_OPTION, OPENING_SPEED_OPTION,  FRICTION_RANGE_OPTION, DHAT_OPTION,
    SUPPORT_OPTION,     HULLS_OPTION,          NEAR_RANGE_OPTION,     SMOOTHING_OPTION,
    EDGES_OPTION,       WALL_OPTION,           DC_OPTIONS_END};

const struct dc_option dc_bsh_options[] = {
    STIFFNESS_OPTION,   BLEND_OPTION,          LENGTH_OPTION,         WEIGHTS_OPTION,
    OFFSET_OPTION,      REFERENCE_AREA_OPTION, FRICTION_OPTION,       FRICTION_SMOOTHING_OPTION,
    RESTITUTION_OPTION, OPENING_SPEED_OPTION,  FRICTION_RANGE_OPTION, NEAR_RANGE_OPTION,
    DC_OPTIONS_END};
const struct dc_option dc_exact_options[] = {STIFFNESS_OPTION,
                                             LENGTH_OPTION,
                                             WEIGHTS_OPTION,
                                             OFFSET_OPTION,
                                             REFERENCE_AREA_OPTION,
                                             FRICTION_OPTION,
                                             FRICTION_SMOOTHING_OPTION,
                                             RESTITUTION_OPTION,
                                             OPENING_SPEED_OPTION,
                                             FRICTION_RANGE_OPTION,
                                             DC_OPTIONS_END};
const struct dc_option dc_ipc_options[] = {
    STIFFNESS_OPTION,   DHAT_OPTION,          FRICTION_OPTION, FRICTION_SMOOTHING_OPTION,
    RESTITUTION_OPTION, OPENING_SPEED_OPTION, DC_OPTIONS_END};
const struct dc_option dc_ipc_global_options[] = {STIFFNESS_OPTION,
                                                  LENGTH_OPTION,
                                                  WEIGHTS_OPTION,
                                                  REFERENCE_AREA_OPTION,
                                                  DHAT_OPTION,
                                                  FRICTION_OPTION,
                                                  FRICTION_SMOOTHING_OPTION,
                                                  RESTITUTION_OPTION,
                                                  OPENING_SPEED_OPTION,
                                                  DC_OPTIONS_END};
const struct dc_option dc_sdrs_options[] = {STIFFNESS_OPTION,   LENGTH_OPTION,        SUPPORT_OPTION,
                                            HULLS_OPTION,       FRICTION_OPTION,      FRICTION_SMOOTHING_OPTION,
                                            RESTITUTION_OPTION, OPENING_SPEED_OPTION, DC_OPTIONS_END};
const struct dc_option dc_manifold_options[] = {
    STIFFNESS_OPTION,   LENGTH_OPTION,        SMOOTHING_OPTION, EDGES_OPTION,
    WALL_OPTION,        HULLS_OPTION,         FRICTION_OPTION,  FRICTION_SMOOTHING_OPTION,
    RESTITUTION_OPTION, OPENING_SPEED_OPTION, DC_OPTIONS_END};
const struct dc_option dc_mujoco_contact_options[] = {FRICTION_OPTION, RESTITUTION_OPTION, DC_OPTIONS_END};
