// SPDX-License-Identifier: Apache-2.0
// The options of contact models: each model's table has the rows that it reads, so that a scene, the command line and
// the lists know what means something to which.  Where a scene leaves a row with the default "null" open, its number is
// chosen by masses, sizes and gravity (dynamics/contact_scale.h); settings that no scene has made have fixed numbers.
#include <stddef.h>

#include "contact/common/contact_internal.h"

#define AUTOMATIC "null"

static const char *const weight_names[] = {"consistent", "paper", "contact", "automatic", NULL};
static const char *const hull_names[] = {"parts", "triangles", NULL};

#define STIFFNESS_OPTION(standard)                                                                                     \
  {                                                                                                                    \
    .name = "stiffness", .type = DC_REAL, .unit = "J", .fallback = standard, .absent = "automatic", .minimum = 0,      \
    .maximum = 1e6, .minimum_excluded = true,                                                                          \
    .help = "contact stiffness mu: factor on the potential; automatic: bodies rest within 0.1 % of their size",        \
    .offset = offsetof(struct dc_contact_settings, stiffness)                                                          \
  }

#define BLEND_OPTION                                                                                                   \
  {                                                                                                                    \
    .name = "blend", .type = DC_REAL, .unit = "", .fallback = "0.3", .minimum = 1e-3, .maximum = 10,                   \
    .help = "epsilon of the hierarchy: node pairs are blended between d and (1 + blend) d, d the sum of their radii",  \
    .offset = offsetof(struct dc_contact_settings, blend)                                                              \
  }

#define NEAR_RANGE_OPTION(standard)                                                                                    \
  {                                                                                                                    \
    .name = "near_range", .type = DC_REAL, .unit = "m", .fallback = standard, .absent = "automatic", .minimum = 1e-6,  \
    .maximum = 1e3,                                                                                                    \
    .help = "bodies under near_only: node pairs whose spheres are farther apart do not act, blended in between; "      \
            "automatic: 5 % of the least size",                                                                        \
    .offset = offsetof(struct dc_contact_settings, near_range)                                                         \
  }

#define LENGTH_OPTION(standard)                                                                                        \
  {                                                                                                                    \
    .name = "length", .type = DC_REAL, .unit = "m", .fallback = standard, .absent = "automatic", .minimum = 0,         \
    .maximum = 1e9, .minimum_excluded = true,                                                                          \
    .help = "length unit of the potential; automatic: 1 m, the paper's, of sdrs such that it acts within 2 % of the "  \
            "least size",                                                                                              \
    .offset = offsetof(struct dc_contact_settings, length)                                                             \
  }

#define WEIGHTS_OPTION(standard)                                                                                       \
  {                                                                                                                    \
    .name = "weights", .type = DC_CHOICE, .unit = "", .fallback = standard, .choices = weight_names,                   \
    .help = "consistent: triangles count by area and node pairs by weight; contact: those of fixed bodies hold alike " \
            "however large; paper: every term counts 1 (Eq. 7); automatic: contact where the stiffness is chosen",     \
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

#define FRICTION_SMOOTHING_OPTION(standard)                                                                            \
  {                                                                                                                    \
    .name = "friction_smoothing", .type = DC_REAL, .unit = "m/s", .fallback = standard, .absent = "automatic",         \
    .minimum = 0, .maximum = 1e3, .minimum_excluded = true,                                                            \
    .help = "speed e over which friction sets in, as v/sqrt(v^2 + e^2); automatic: held bodies creep below 1 % of "    \
            "the least size per s",                                                                                    \
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
    .minimum_excluded = true, .help = "speed that counts as none to restitution",                                      \
    .offset = offsetof(struct dc_contact_settings, opening_speed)                                                      \
  }

#define ON_TIME_OPTION                                                                                                 \
  {                                                                                                                    \
    .name = "on_time", .type = DC_BOOLEAN, .unit = "", .fallback = "false",                                            \
    .help = "true: what restitution pushes apart goes on from where it would be had it bounced within the step",       \
    .offset = offsetof(struct dc_contact_settings, on_time)                                                            \
  }

#define DHAT_OPTION(standard)                                                                                          \
  {                                                                                                                    \
    .name = "dhat", .type = DC_REAL, .unit = "m", .fallback = standard, .absent = "automatic", .minimum = 0,           \
    .maximum = 1e3, .minimum_excluded = true,                                                                          \
    .help = "distance at which the barrier begins; of ipc-global: friction; automatic: 0.4 % of the least size",       \
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

#define CHOSEN_OPTION                                                                                                  \
  {                                                                                                                    \
    .name = "automatic", .type = DC_STRING_LIST, .unit = "", .fallback = "null", .count = 64,                          \
    .help = "in resolved scenes: settings that were chosen, as model.setting; another model chooses them anew",        \
    .offset = offsetof(struct dc_contact_settings, automatic)                                                          \
  }

// The slip law and the impact law, for every model that has them.
#define SLIP_AND_IMPACT_OPTIONS(smoothing)                                                                             \
  FRICTION_OPTION, FRICTION_SMOOTHING_OPTION(smoothing), RESTITUTION_OPTION, OPENING_SPEED_OPTION, ON_TIME_OPTION

// All of them, for settings that no scene has made.
const struct dc_option dc_contact_options[] = {STIFFNESS_OPTION("1e-6"),
                                               BLEND_OPTION,
                                               LENGTH_OPTION("1"),
                                               WEIGHTS_OPTION("\"consistent\""),
                                               OFFSET_OPTION,
                                               REFERENCE_AREA_OPTION,
                                               SLIP_AND_IMPACT_OPTIONS("1e-3"),
                                               FRICTION_RANGE_OPTION,
                                               DHAT_OPTION("1e-3"),
                                               SUPPORT_OPTION,
                                               HULLS_OPTION,
                                               NEAR_RANGE_OPTION("0.005"),
                                               SMOOTHING_OPTION,
                                               EDGES_OPTION,
                                               WALL_OPTION,
                                               CHOSEN_OPTION,
                                               DC_OPTIONS_END};

const struct dc_option dc_bsh_options[] = {STIFFNESS_OPTION(AUTOMATIC),
                                           BLEND_OPTION,
                                           LENGTH_OPTION(AUTOMATIC),
                                           WEIGHTS_OPTION("\"automatic\""),
                                           OFFSET_OPTION,
                                           REFERENCE_AREA_OPTION,
                                           SLIP_AND_IMPACT_OPTIONS(AUTOMATIC),
                                           FRICTION_RANGE_OPTION,
                                           NEAR_RANGE_OPTION(AUTOMATIC),
                                           CHOSEN_OPTION,
                                           DC_OPTIONS_END};
const struct dc_option dc_exact_options[] = {STIFFNESS_OPTION(AUTOMATIC),
                                             LENGTH_OPTION(AUTOMATIC),
                                             WEIGHTS_OPTION("\"automatic\""),
                                             OFFSET_OPTION,
                                             REFERENCE_AREA_OPTION,
                                             SLIP_AND_IMPACT_OPTIONS(AUTOMATIC),
                                             FRICTION_RANGE_OPTION,
                                             CHOSEN_OPTION,
                                             DC_OPTIONS_END};
const struct dc_option dc_ipc_options[] = {STIFFNESS_OPTION(AUTOMATIC),
                                           DHAT_OPTION(AUTOMATIC),
                                           SLIP_AND_IMPACT_OPTIONS(AUTOMATIC),
                                           CHOSEN_OPTION,
                                           DC_OPTIONS_END};
const struct dc_option dc_ipc_global_options[] = {STIFFNESS_OPTION(AUTOMATIC),
                                                  LENGTH_OPTION(AUTOMATIC),
                                                  WEIGHTS_OPTION("\"automatic\""),
                                                  REFERENCE_AREA_OPTION,
                                                  DHAT_OPTION(AUTOMATIC),
                                                  SLIP_AND_IMPACT_OPTIONS(AUTOMATIC),
                                                  CHOSEN_OPTION,
                                                  DC_OPTIONS_END};
const struct dc_option dc_sdrs_options[] = {STIFFNESS_OPTION(AUTOMATIC),
                                            LENGTH_OPTION(AUTOMATIC),
                                            SUPPORT_OPTION,
                                            HULLS_OPTION,
                                            SLIP_AND_IMPACT_OPTIONS(AUTOMATIC),
                                            CHOSEN_OPTION,
                                            DC_OPTIONS_END};
const struct dc_option dc_manifold_options[] = {STIFFNESS_OPTION(AUTOMATIC),
                                                LENGTH_OPTION(AUTOMATIC),
                                                SMOOTHING_OPTION,
                                                EDGES_OPTION,
                                                WALL_OPTION,
                                                HULLS_OPTION,
                                                SLIP_AND_IMPACT_OPTIONS(AUTOMATIC),
                                                CHOSEN_OPTION,
                                                DC_OPTIONS_END};
const struct dc_option dc_mujoco_contact_options[] = {FRICTION_OPTION, RESTITUTION_OPTION, DC_OPTIONS_END};
