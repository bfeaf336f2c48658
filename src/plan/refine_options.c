// SPDX-License-Identifier: Apache-2.0
// Option tables of "refine" and its "pairs".
#include "plan/refine.h"

const struct dc_option dc_refine_pair_options[] = {
    {.name = "object",
     .type = DC_BODY,
     .unit = "",
     .help = "the first body",
     .offset = offsetof(struct dc_refine_pair, body)},
    {.name = "object_point",
     .type = DC_REALS,
     .unit = "m",
     .minimum = -1e6,
     .maximum = 1e6,
     .count = 3,
     .help = "where it should be touched, in the frame of its shape",
     .offset = offsetof(struct dc_refine_pair, point)},
    {.name = "link",
     .type = DC_BODY,
     .unit = "",
     .help = "the second body",
     .offset = offsetof(struct dc_refine_pair, body) + sizeof(int)},
    {.name = "link_point",
     .type = DC_REALS,
     .unit = "m",
     .minimum = -1e6,
     .maximum = 1e6,
     .count = 3,
     .help = "where it should touch, in the frame of its shape",
     .offset = offsetof(struct dc_refine_pair, point) + 3 * sizeof(double)},
    DC_OPTIONS_END,
};

// In the order of the enumeration of restarts.
static const char *const restarts[] = {"opposed", "turned", NULL};

const struct dc_option dc_refine_options[] = {
    DC_REAL_OPTION(struct dc_refine_settings, margin, "m", "0", 0, 1e3,
                   "distance that the bodies of a pair should keep at the witness points (beta)"),
    DC_REAL_OPTION(
        struct dc_refine_settings, tolerance, "m", "1e-4", 0, 1e3,
        "a pair is reached when its witness points are this near to its targets and its distance to the margin"),
    DC_REAL_OPTION(struct dc_refine_settings, penetration, "", "1", 0, 1e9,
                   "weight of squared overlaps of bodies that are no pair; 0: these may overlap"),
    DC_REAL_OPTION(struct dc_refine_settings, clearance, "m", "5e-4", 0, 1e3,
                   "distance below which bodies that are no pair count as overlapping"),
    DC_BOOLEAN_OPTION(
        struct dc_refine_settings, transport, "true",
        "descent: let the gradient of a body that stands act on the one that moves (equivalent gradient)"),
    DC_CHOICE_OPTION(
        struct dc_refine_settings, restart, "\"opposed\"", restarts,
        "how a body that alone moves begins anew: its side opposed to the other's at the targets, or any way turned"),
    DC_INTEGER_OPTION(struct dc_refine_settings, candidates, "1024", 16, DC_SURFACE_SAMPLES_MOST,
                      "points on the surface of each body that derivatives are smoothed over"),
    DC_SEED_OPTION(struct dc_refine_settings, "seed of the samples and of restarts"),
    {.name = "derivative",
     .type = DC_OBJECT,
     .unit = "",
     .fallback = "{}",
     .help = "how witness points are differentiated",
     .offset = offsetof(struct dc_refine_settings, witness),
     .table = dc_witness_options,
     .object_size = sizeof(struct dc_witness_settings),
     .short_key = "method"},
    DC_OPTIONS_END,
};
