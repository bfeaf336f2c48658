// SPDX-License-Identifier: Apache-2.0
// Option tables: defaults of every type, nested ones included, and defaults that do not fit.
#include "base/nested_options.h"
#include "harness.h"

static void test_defaults(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  struct robot robot;
  memset(&robot, 0x55, sizeof robot);
  CHECK(dc_options_set_defaults(robot_options, &robot, arena, &error) == DC_OK, "%s", error.text);
  CHECK(robot.joints.count == 1, "%d", robot.joints.count);
  const struct joint *joint = robot.joints.objects;
  CHECK(strcmp(joint_types[joint->type], "hinge") == 0, "%d", joint->type);
  CHECK(joint->axis[0] == 0 && joint->axis[2] == 1, " ");
  CHECK(isnan(joint->range[0]) && isnan(joint->range[1]), "absent reals are NAN in nested objects too");
  CHECK(joint->other == -1 && !joint->pd && joint->actuators.count == 0, " ");
  CHECK(robot.waypoints.count == 0 && !robot.brake && !robot.mount && robot.bodies.count == 0, " ");
  CHECK(robot.tags.count == 1 && strcmp(robot.tags.strings[0], "robot") == 0, " ");
  dc_arena_destroy(arena);
}

struct plain {
  bool boolean;
  long integer;
  double real, reals[2];
  struct dc_real_list list;
  const char *string;
  int choice, body, shape;
  struct dc_string_list strings;
  struct waypoint *object;
  struct dc_index_list bodies;
};

static const struct dc_option optional_options[] = {
    {.name = "name", .type = DC_STRING, .unit = "", .fallback = "\"way\"", .offset = offsetof(struct waypoint, name)},
    DC_OPTIONS_END,
};

#define OPTION(member, option_type, text)                                                                              \
  {                                                                                                                    \
    .name = #member, .type = option_type, .unit = "", .fallback = text, .count = 2, .choices = joint_types,            \
    .offset = offsetof(struct plain, member), .table = optional_options, .object_size = sizeof(struct waypoint)        \
  }

static void test_types(void)
{
  static const struct dc_option table[] = {
      OPTION(boolean, DC_BOOLEAN, "true"),
      OPTION(integer, DC_INTEGER, "-7"),
      OPTION(real, DC_REAL, "0.25"),
      OPTION(reals, DC_REALS, "[1, 2]"),
      OPTION(list, DC_REAL_LIST, "[3]"),
      OPTION(string, DC_STRING, "\"\""),
      OPTION(choice, DC_CHOICE, "\"slide\""),
      OPTION(body, DC_BODY, "null"),
      OPTION(shape, DC_SHAPE, "null"),
      OPTION(strings, DC_STRING_LIST, "[\"a b\", \"\"]"),
      OPTION(object, DC_OBJECT, "{}"),
      OPTION(bodies, DC_BODY_LIST, "null"),
      DC_OPTIONS_END,
  };
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  struct plain plain = {0};
  CHECK(dc_options_set_defaults(table, &plain, arena, &error) == DC_OK, "%s", error.text);
  CHECK(plain.boolean && plain.integer == -7 && plain.real == 0.25 && plain.reals[1] == 2, " ");
  CHECK(plain.list.count == 1 && plain.list.values[0] == 3, " ");
  CHECK(plain.string && !plain.string[0] && plain.choice == 2 && plain.body == -1 && plain.shape == -1, " ");
  CHECK(plain.strings.count == 2 && strcmp(plain.strings.strings[0], "a b") == 0 && !plain.strings.strings[1][0], " ");
  CHECK(plain.object && strcmp(plain.object->name, "way") == 0, " ");
  CHECK(plain.bodies.count == 0, " ");
  dc_arena_destroy(arena);
}

// Defaults that would leave an option wrong are refused, in nested tables too.
static void test_bad_defaults(void)
{
  static const struct dc_option wrong_inside[] = {
      OPTION(choice, DC_CHOICE, "\"wheel\""),
      DC_OPTIONS_END,
  };
  static const struct {
    struct dc_option table[2];
    const char *message;
  } cases[] = {
      {{OPTION(real, DC_REAL, "x")}, "option real: bad default x"},
      {{OPTION(integer, DC_INTEGER, "\"1\"")}, "option integer: bad default \"1\""},
      {{OPTION(string, DC_STRING, "word")}, "option string: bad default word"},
      {{OPTION(string, DC_STRING, "[\"a\", \"b\"]")}, "option string: bad default [\"a\", \"b\"]"},
      {{OPTION(choice, DC_CHOICE, "\"wheel\"")}, "option choice: bad default \"wheel\""},
      {{OPTION(body, DC_BODY, "\"cue\"")}, "option body: bad default \"cue\""},
      {{OPTION(bodies, DC_BODY_LIST, "\"cue\"")}, "option bodies: bad default \"cue\""},
      {{OPTION(strings, DC_STRING_LIST, "[\"a]")}, "option strings: bad default [\"a]"},
      {{OPTION(object, DC_OBJECT, "\"way\"")}, "option object: bad default \"way\""},  // no short key
      {{OPTION(object, DC_OBJECT, "7")}, "option object: bad default 7"},
      {{{.name = "object",
         .type = DC_OBJECT,
         .unit = "",
         .fallback = "{}",
         .table = gains_options,
         .object_size = sizeof(struct gains)}},
       "option object: bad default {}"},  // kp must be given
      {{{.name = "object",
         .type = DC_OBJECT,
         .unit = "",
         .fallback = "\"w\"",
         .table = waypoint_options,
         .object_size = sizeof(struct waypoint),
         .short_key = "name"}},
       "option object: bad default \"w\""},  // so must the time
      {{{.name = "object",
         .type = DC_OBJECT,
         .unit = "",
         .fallback = "{}",
         .table = wrong_inside,
         .object_size = sizeof(struct plain)}},
       "option choice: bad default \"wheel\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_error error = {0};
    struct plain plain = {0};
    CHECK(dc_options_set_defaults(cases[i].table, &plain, arena, &error) == DC_USAGE, "%s", cases[i].message);
    CHECK(strcmp(error.text, cases[i].message) == 0, "%s", error.text);
    dc_arena_destroy(arena);
  }
}

static void test_short_form(void)
{
  CHECK(dc_option_has_short_form(&robot_options[dc_option_find(robot_options, "joint")]), " ");
  CHECK(dc_option_has_short_form(&robot_options[dc_option_find(robot_options, "mount")]), " ");
  CHECK(!dc_option_has_short_form(&robot_options[dc_option_find(robot_options, "waypoints")]), "time must be given");
  CHECK(!dc_option_has_short_form(&robot_options[dc_option_find(robot_options, "brake")]), "no short key");
}

static void test_check(void)
{
  char text[160];
  CHECK(!dc_option_check(&gains_options[0], 1, text, sizeof text), " ");
  const char *rule = dc_option_check(&gains_options[0], 0, text, sizeof text);
  CHECK(rule && strcmp(rule, "must be > 0 N/m (is 0)") == 0, "%s", rule ? rule : "accepted");
  CHECK(dc_option_check(&joint_options[1], NAN, text, sizeof text), "without bounds too");
}

static void test_suggest(void)
{
  const char *near = dc_suggest("hinhe", joint_types);
  CHECK(near && strcmp(near, "hinge") == 0, " ");
  CHECK(!dc_suggest("ball", joint_types), " ");
  // The beginning of a name is near, however much is missing.
  static const char *const names[] = {"iterations", "tolerance", NULL};
  near = dc_suggest("iter", names);
  CHECK(near && strcmp(near, "iterations") == 0, " ");
  CHECK(!dc_suggest("it", names), " ");
}

RUN_TESTS({"defaults of nested options", test_defaults}, {"defaults of every type", test_types},
          {"bad defaults are refused", test_bad_defaults}, {"short forms", test_short_form}, {"bounds", test_check},
          {"suggestions", test_suggest})
