// SPDX-License-Identifier: Apache-2.0
// The table of a race's recipes, and their optimizers' options.
#include "plan/race_recipes.h"

#include <math.h>
#include <string.h>

#include "plan/constants.h"
#include "plan/linearize.h"

const char *const dc_recipe_worlds[DC_RECIPE_WINDOWS + 1] = {[DC_RECIPE_SMOOTH_FAN] = "smoother friction",
                                                             [DC_RECIPE_APPROACH_FAN] = "hands brought near",
                                                             [DC_RECIPE_SOFT_FAN] = "softer contact",
                                                             [DC_RECIPE_JUDGED_FAN] = "more weight on what is judged"};

// Kind, rate (learning rate or radius), quick (small betas, shared moments), and turns to wait in the first round.
// The numbers of race_recipes.h name places of this table, and checkpoints hold them.
const struct dc_recipe dc_recipes[DC_RECIPES] = {
    {DC_RECIPE_FAN, 0.3, false, 0},          {DC_RECIPE_WALK, 0.03, false, 0},      {DC_RECIPE_WALK, 0.01, false, 0},
    {DC_RECIPE_WINDOWS, 0.02, true, 8},      {DC_RECIPE_SMOOTH_FAN, 0.3, false, 8}, {DC_RECIPE_WALK, 0.1, false, 0},
    {DC_RECIPE_APPROACH_FAN, 0.3, false, 8}, {DC_RECIPE_SOFT_FAN, 0.3, false, 8},   {DC_RECIPE_WALK, 0.003, false, 0},
    {DC_RECIPE_WALK, 0.001, false, 0},       {DC_RECIPE_WALK, 3e-4, false, 0},      {DC_RECIPE_FAN, 0.03, false, 0},
    {DC_RECIPE_JUDGED_FAN, 0.3, false, 8},   {DC_RECIPE_FAN, 0.3, false, 0},
};

bool dc_recipe_is_fan(const struct dc_recipe *recipe)
{
  return recipe->kind != DC_RECIPE_WALK && recipe->kind != DC_RECIPE_WINDOWS;
}

const struct dc_optimizer_type *dc_recipe_type(const struct dc_recipe *recipe)
{
  return dc_recipe_is_fan(recipe) ? &dc_gauss_newton : &dc_optimizer_adam;
}

// Copies a value to where the table's option of that name keeps it.
static void set(const struct dc_option *table, void *options, const char *name, const void *value, size_t size)
{
  memcpy((char *)options + table[dc_option_find(table, name)].offset, value, size);
}

// The defaults of the optimizer with what a recipe changes; *options is in the arena.
enum dc_status dc_recipe_options(int recipe, double target, long turns, struct dc_arena *arena, void **options,
                                 struct dc_error *error)
{
  static const double betas[] = {0.3, 0.5};
  static const bool yes = true;
  const struct dc_recipe *own = &dc_recipes[recipe];
  const struct dc_optimizer_type *type = dc_recipe_type(own);
  struct dc_optimizer_common *common = *options = dc_arena_alloc(arena, 1, type->options_size);
  if (!common)
    return dc_out_of_memory_for(error, "a search");
  enum dc_status status = dc_options_set_defaults(type->options, common, arena, error);
  if (recipe != DC_RECIPE_DEFAULT_WALK)
    common->iterations = DC_WALK_PACE * turns;
  common->target = target;
  set(type->options, common, dc_recipe_is_fan(own) ? "radius" : "learning_rate", &own->rate, sizeof own->rate);
  if (dc_recipe_is_fan(own))
    set(type->options, common, "sufficient", &DC_RACE_SUFFICIENT, sizeof DC_RACE_SUFFICIENT);
  if (recipe == DC_RECIPE_SMALL_FAN) {
    set(type->options, common, "least", &DC_RACE_LEAST_LENGTH, sizeof DC_RACE_LEAST_LENGTH);
    set(type->options, common, "monotone", &yes, sizeof yes);
  }
  if (own->quick) {
    set(type->options, common, "betas", betas, sizeof betas);
    set(type->options, common, "shared", &yes, sizeof yes);
  }
  return status;
}

// The walk whose rate is nearest to this one in ratio.
int dc_recipe_walk(double rate)
{
  int best = -1;
  for (int k = 0; k < DC_RECIPES; k++)
    if (dc_recipes[k].kind == DC_RECIPE_WALK &&
        (best < 0 || fabs(log(dc_recipes[k].rate / rate)) < fabs(log(dc_recipes[best].rate / rate))))
      best = k;
  return best;
}
