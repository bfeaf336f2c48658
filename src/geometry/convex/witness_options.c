// SPDX-License-Identifier: Apache-2.0
// Options of witness points and their derivatives, and default settings.
#include "geometry/convex/witness_derivative.h"

static const char *const methods[] = {"smoothed", "rs1-direction", "analytical", "finite-difference", "rs0", NULL};
static const char *const scores[] = {"squared", "distance", NULL};
static const char *const samplings[] = {"adaptive", "fixed", "neighbor", NULL};

const struct dc_option dc_witness_options[] = {
    DC_CHOICE_OPTION(
        struct dc_witness_settings, method, "\"smoothed\"", methods,
        "how witness points are differentiated: smoothed by distance or (rs1-direction) by direction, analytical: as "
        "closest points of faces, edges and vertices, finite-difference, rs0: by Gaussian differences"),
    DC_CHOICE_OPTION(struct dc_witness_settings, score, "\"squared\"", scores,
                     "weights of samples by their squared distance from the other point, or by their distance"),
    DC_CHOICE_OPTION(
        struct dc_witness_settings, sampling, "\"adaptive\"", samplings,
        "where samples are taken from: as far from the witness point as its target is, a fixed radius, or vertices up "
        "to 5 edges away"),
    DC_INTEGER_OPTION(struct dc_witness_settings, samples, "16", 2, DC_WITNESS_SAMPLES_MOST,
                      "samples drawn per solid and query; of rs0: pairs of queries per body"),
    DC_REAL_OPTION(struct dc_witness_settings, radius, "m", "0.01", 0, 1e6, "least radius of adaptive sampling"),
    DC_REAL_OPTION(struct dc_witness_settings, radius_scale, "", "1", 0, 1e6,
                   "radius of adaptive sampling per distance of a witness point from its target"),
    DC_REAL_OPTION(struct dc_witness_settings, fixed_radius, "", "1", 0, 1e6,
                   "radius of fixed sampling per size of the solid (diagonal of its bounding box)"),
    DC_BOOLEAN_OPTION(
        struct dc_witness_settings, coupled, "false",
        "whether the equations of both points are solved together instead of each with the other point held"),
    DC_BOOLEAN_OPTION(struct dc_witness_settings, smoothed_point, "true",
                      "whether velocities are those at the smoothed point instead of those at the witness point"),
    DC_BOOLEAN_OPTION(struct dc_witness_settings, temperature, "true",
                      "whether the temperature of the weights is differentiated as well"),
    DC_OPTIONS_END,
};
