// SPDX-License-Identifier: Apache-2.0
// Private to src/body: the steps of building bodies.
#ifndef DC_BODY_BODY_BUILD_H
#define DC_BODY_BODY_BUILD_H

#include "body/body.h"

// Rules of one definition; of its motion once it is known whether the body moves at all; of all names.
enum dc_status dc_body_check(const struct dc_body_definition *definition, int index, int count, struct dc_error *error);
enum dc_status dc_body_check_motion(const struct dc_body_definition *definition, int index, bool moves,
                                    const struct dc_shape *shape, struct dc_error *error);
enum dc_status dc_body_check_names(int count, const struct dc_body_definition *definitions, struct dc_error *error);

// What touches, from joints and filters.
enum dc_status dc_body_filter(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                              struct dc_arena *arena, struct dc_error *error);

#endif
