// SPDX-License-Identifier: Apache-2.0
// The recipes of a race: ways to minimize, each an optimizer with its rate, and the world that it begins in.  Private
// to src/plan.
#ifndef DC_PLAN_RACE_RECIPES_H
#define DC_PLAN_RACE_RECIPES_H

#include "base/memory.h"
#include "base/status.h"
#include "optimize/optimizer.h"

// A walk is Adam, a fan Gauss-Newton steps of several lengths from one Jacobian, and windows are Adam in a receding
// horizon.  The other fans begin in another world.
enum dc_recipe_kind {
  DC_RECIPE_WALK,
  DC_RECIPE_FAN,
  DC_RECIPE_SMOOTH_FAN,
  DC_RECIPE_APPROACH_FAN,
  DC_RECIPE_SOFT_FAN,
  DC_RECIPE_JUDGED_FAN,
  DC_RECIPE_WINDOWS
};
struct dc_recipe {
  enum dc_recipe_kind kind;
  double rate;  // learning rate of Adam, or the fan's first radius
  bool quick;   // small betas and shared second moments, for windows
  int wait;     // turns of the first round before it starts: cheaper members may reach the goal alone
};

// Those of the first round come first.  Checkpoints hold indices: another order is another version of the race.
enum {
  DC_RECIPE_FIRST_FAN,
  DC_RECIPE_DEFAULT_WALK,
  DC_RECIPE_APPROACH = 6,
  DC_RECIPE_SOFT,
  DC_RECIPES_FIRST_ROUND,  // their number
  DC_RECIPE_SMALL_FAN = 11,
  DC_RECIPE_JUDGED,
  DC_RECIPE_GRASP,
  DC_RECIPES
};
extern const struct dc_recipe dc_recipes[DC_RECIPES];
// The worlds of kinds that begin in another one, in words; NULL for the others.
extern const char *const dc_recipe_worlds[DC_RECIPE_WINDOWS + 1];

bool dc_recipe_is_fan(const struct dc_recipe *recipe);
const struct dc_optimizer_type *dc_recipe_type(const struct dc_recipe *recipe);
// Options of a recipe in arena: the defaults but for its rate, the loss to reach, and as many iterations as so many
// turns have.  The default walk keeps the default number.
enum dc_status dc_recipe_options(int recipe, double target, long turns, struct dc_arena *arena, void **options,
                                 struct dc_error *error);
// The walk whose rate is nearest to a rate.
int dc_recipe_walk(double rate);

#endif
