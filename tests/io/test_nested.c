// SPDX-License-Identifier: Apache-2.0
// Nested options: reading, places of mistakes, short forms, --set, resolved text, schema and catalogue.
#include <math.h>

#include "api/internal.h"
#include "base/nested_options.h"
#include "harness.h"
#include "io/scene/overrides.h"
#include "io/scene/scene_format.h"
#include "scene_files.h"

static struct dc_name body_names[] = {{"arm", 1}, {"base", 0}, {"hand", 2}};
static struct dc_body_definition bodies[] = {{.name = "base"}, {.name = "arm"}, {.name = "hand"}};

struct reading {
  struct dc_arena *arena;
  struct dc_json_document document;
  struct robot robot;
  struct dc_error error;
  enum dc_status status;
};

// Reads robot.json as a robot after the changes of --set arguments.
static void read_robot(struct reading *reading, int override_count, const char *const *overrides)
{
  static const char *const no_sections[] = {NULL};
  *reading = (struct reading){.arena = dc_arena_create()};
  struct dc_json_document *document = &reading->document;
  struct dc_options_reader reader = {
      .arena = reading->arena, .error = &reading->error, .bodies = {.count = 3, .sorted = body_names}};
  reading->status = dc_json_load(document, "robot.json", reading->arena, &reading->error);
  const char *sources[4];
  document->sources = sources;
  document->source_count = override_count;
  for (int i = 0; i < override_count && !reading->status; i++) {
    sources[i] = "--set";
    reading->status =
        dc_override(document, document->root, overrides[i], (uint32_t)i + 1, no_sections, &reading->error);
  }
  struct dc_json root = dc_json_root(document);
  if (!reading->status)
    reading->status = dc_read_options(&reader, &root, robot_options, NULL, &reading->robot);
  document->sources = NULL;
}

static void read_text(struct reading *reading, const char *text)
{
  write_scene("robot.json", text);
  read_robot(reading, 0, NULL);
}

static void release(struct reading *reading)
{
  dc_json_release(&reading->document);
  dc_arena_destroy(reading->arena);
}

#define ARM                                                                                                            \
  "{'joint': ['free', {'type': 'hinge', 'axis': [0, 1, 0], 'range': [-1, 0.1], 'other': 'hand',\n"                     \
  "   'pd': {'kp': 100, 'kd': 2}, 'actuators': [{'kp': 1}, {'kp': 2, 'kd': 0}]}, {'type': 'slide'}],\n"                \
  " 'waypoints': {'time': 0.3}, 'brake': {'kp': 1e-3}, 'mount': 'slide', 'bodies': ['hand', 'base'], 'tags': []}"

static void check_arm(const struct robot *robot)
{
  const struct joint *joints = robot->joints.objects;
  const struct gains *more;
  CHECK(robot->joints.count == 3, "%d", robot->joints.count);
  CHECK(joints[0].type == 0 && joints[1].type == 1 && joints[2].type == 2, " ");
  CHECK(joints[0].axis[2] == 1 && isnan(joints[0].range[0]) && isnan(joints[0].range[1]), " ");
  CHECK(joints[0].other == -1 && !joints[0].pd && joints[0].actuators.count == 0, " ");
  CHECK(joints[1].axis[1] == 1 && joints[1].range[0] == -1 && joints[1].range[1] == 0.1, " ");
  CHECK(joints[1].other == 2 && joints[1].pd && joints[1].pd->kp == 100 && joints[1].pd->kd == 2, " ");
  CHECK(joints[1].actuators.count == 2, " ");
  more = joints[1].actuators.objects;
  CHECK(more[0].kp == 1 && more[0].kd == 0.5 && more[1].kp == 2 && more[1].kd == 0, " ");
  CHECK(isnan(joints[2].range[1]) && !joints[2].pd, " ");
  const struct waypoint *waypoint = robot->waypoints.objects;
  CHECK(robot->waypoints.count == 1 && waypoint->time == 0.3 && strcmp(waypoint->name, "way") == 0, " ");
  CHECK(robot->brake && robot->brake->kp == 1e-3 && robot->brake->kd == 0.5, " ");
  CHECK(robot->mount && robot->mount->type == 2 && isnan(robot->mount->range[0]), " ");
  CHECK(robot->bodies.count == 2 && robot->bodies.indices[0] == 2 && robot->bodies.indices[1] == 0, " ");
  CHECK(robot->tags.count == 0, "an empty list is not the default");
}

static void test_values(void)
{
  struct reading reading;
  read_text(&reading, ARM);
  CHECK(reading.status == DC_OK, "%s", reading.error.text);
  if (!reading.status)
    check_arm(&reading.robot);
  release(&reading);
}

// What stands alone is a list of one.
static void test_lists_of_one(void)
{
  static const char *const texts[] = {
      "{'joint': ['slide'], 'bodies': ['arm'], 'tags': ['a']}",
      "{'joint': 'slide', 'bodies': 'arm', 'tags': 'a'}",
      "{'joint': {'type': 'slide'}, 'bodies': 'arm', 'tags': 'a'}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct reading reading;
    read_text(&reading, texts[i]);
    const struct robot *robot = &reading.robot;
    CHECK(reading.status == DC_OK, "%s", reading.error.text);
    CHECK(robot->joints.count == 1 && ((const struct joint *)robot->joints.objects)->type == 2, "%s", texts[i]);
    CHECK(robot->bodies.count == 1 && robot->bodies.indices[0] == 1, "%s", texts[i]);
    CHECK(robot->tags.count == 1 && strcmp(robot->tags.strings[0], "a") == 0, "%s", texts[i]);
    release(&reading);
  }
}

static const struct {
  const char *text, *message;  // ' stands for "
} mistakes[] = {
    {"{'joint': 7}", "robot.json:1:11: joint: must be an object, a string or an array of them (is a number)"},
    {"{'joint': null}", "robot.json:1:11: joint: must be an object, a string or an array of them (is null)"},
    {"{'joint': 'hinhe'}", "robot.json:1:11: joint: must be one of \"free\", \"hinge\", \"slide\" (is \"hinhe\"; did "
                           "you mean \"hinge\"?)"},
    {"{'joint': ['free',\n 'hinhe']}",
     "robot.json:2:2: joint[1]: must be one of \"free\", \"hinge\", \"slide\" (is \"hinhe\"; did you mean \"hinge\"?)"},
    {"{'joint': [['free']]}", "robot.json:1:12: joint[0]: must be an object or a string (is an array)"},
    {"{'joint': [{'type': 'hinge',\n  'range': [0, 11]}]}",
     "robot.json:2:16: joint[0].range[1]: must be <= 10 rad (is 11)"},
    {"{'joint': [{'type': 'hinge',\n  'range': [0]}]}",
     "robot.json:2:12: joint[0].range: must be an array of 2 numbers (has 1)"},
    {"{'joint': {'type': 'hinge',\n  'range': null}}",
     "robot.json:2:12: joint.range: must be an array of 2 numbers (is null)"},
    {"{'joint': ['free', {'type': 'hinge',\n  'rangs': [0, 1]}]}",
     "robot.json:2:3: joint[1].rangs: unknown key (did you mean \"range\"?)"},
    {"{'joint': [{'axis': [0, 0, 1]}]}", "robot.json:1:12: joint[0]: missing key \"type\" (kind of joint)"},
    {"{'joint': ['free', 'free', 'free', 'free']}",
     "robot.json:1:11: joint: must be an array of at most 3 objects (has 4)"},
    {"{'joint': [{'type': 'hinge',\n 'pd': {'kp': 0}}]}", "robot.json:2:15: joint[0].pd.kp: must be > 0 N/m (is 0)"},
    {"{'joint': [{'type': 'hinge',\n 'pd': {'kd': 1}}]}",
     "robot.json:2:8: joint[0].pd: missing key \"kp\" (stiffness, in N/m)"},
    {"{'joint': [{'type': 'hinge',\n 'pd': 'stiff'}]}", "robot.json:2:8: joint[0].pd: must be an object (is a string)"},
    {"{'joint': [{'type': 'hinge',\n 'pd': {'kp': 1, 'joint': {}}}]}",
     "robot.json:2:18: joint[0].pd.joint: unknown key (there are \"kp\", \"kd\")"},
    {"{'joint': [{'type': 'hinge',\n 'actuators': [{'kp': 1}, {'kp': -1}]}]}",
     "robot.json:2:34: joint[0].actuators[1].kp: must be > 0 N/m (is -1)"},
    {"{'joint': [{'type': 'hinge',\n 'actuators': 'stiff'}]}",
     "robot.json:2:15: joint[0].actuators: must be an object or an array of objects (is a string)"},
    {"{'joint': [{'type': 'hinge',\n 'other': 'hnd'}]}",
     "robot.json:2:11: joint[0].other: no body is called \"hnd\" (did you mean \"hand\"?)"},
    {"{'waypoints': ['there']}",
     "robot.json:1:16: waypoints[0]: missing key \"time\" (the string stands for {\"name\": \"there\"})"},
    {"{'mount': []}", "robot.json:1:11: mount: must be an object or a string (is an array)"},
    {"{'mount': {'type': 'hinge', 'pd': {'kp': 1, 'kp': 2}}}", "robot.json:1:45: mount.pd.kp: duplicate key"},
    {"{'bodies': 7}", "robot.json:1:12: bodies: must be the name of a body or an array of names (is a number)"},
    {"{'bodies': 'leg'}", "robot.json:1:12: bodies: no body is called \"leg\" (there are \"arm\", \"base\", \"hand\")"},
    {"{'bodies': ['arm', 7]}", "robot.json:1:20: bodies[1]: must be the name of a body (is a number)"},
    {"{'bodies': ['hand',\n 'arm', 'hand']}", "robot.json:2:9: bodies[2]: body \"hand\" stands in the list twice"},
    {"{'bodies': ['hand', 'arm', 'base', 'hand']}",
     "robot.json:1:12: bodies: must be an array of at most 3 bodies (has 4)"},
    {"{'tags': ['a', {}]}", "robot.json:1:16: tags[1]: must be a string (is an object)"},
    {"{'tags': {}}", "robot.json:1:10: tags: must be a string or an array of strings (is an object)"},
    {"{'tags': ['a', 'b', 'c']}", "robot.json:1:10: tags: must be an array of at most 2 strings (has 3)"},
};

static void test_mistakes(void)
{
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    struct reading reading;
    read_text(&reading, mistakes[i].text);
    CHECK(reading.status == DC_BAD_INPUT, "%s: status %d", mistakes[i].text, reading.status);
    CHECK(strcmp(reading.error.text, mistakes[i].message) == 0, "%s:\n#   %s", mistakes[i].text, reading.error.text);
    release(&reading);
  }
}

// Messages of code behind the tables, which names places by indices, get the place too.
static void test_wrap(void)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"{'joint': {'axis': [0, 0, 0]}}", "robot.json:1:20: joint.axis: is wrong"},
      {"{'joint': {'type': 'hinge'}}", "robot.json:1:11: joint: axis: is wrong"},
      {"{'joint': 'hinge'}", "robot.json:1:11: joint: axis: is wrong"},
      {"{'joint': [{'axis': [0, 0, 0]}]}", "robot.json:1:21: joint[0].axis: is wrong"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct reading reading;
    read_text(&reading, cases[i].text);
    struct dc_json root = dc_json_root(&reading.document);
    dc_fail(&reading.error, DC_BAD_INPUT, "joint[0].axis: is wrong");
    CHECK(dc_json_wrap(&root, &reading.error) == DC_BAD_INPUT, " ");
    CHECK(strcmp(reading.error.text, cases[i].message) == 0, "%s:\n#   %s", cases[i].text, reading.error.text);
    release(&reading);
  }
}

static const struct {
  const char *argument, *message;
} overrides[] = {
    {"joint[1].range=[-2,2]", NULL},
    {"joint.1.pd.kp=7", NULL},
    {"joint[1].actuators[0]={\"kp\":9}", NULL},
    {"joint[2].pd={\"kp\":1}", NULL},
    {"joint[2]=hinge", NULL},
    {"joint=free", NULL},
    {"bodies=arm", NULL},
    {"bodies[1]=arm", NULL},
    {"tags=[\"x\",\"y\"]", NULL},
    {"joint[1].pd.kp=-7", "--set: joint[1].pd.kp: must be > 0 N/m (is -7)"},
    {"joint[1].range[1]=77", "--set: joint[1].range[1]: must be <= 10 rad (is 77)"},
    {"joint[3].range=[-2,2]", "--set: robot.json:1:11: joint: no element 3 (has 3)"},
    {"joint[0].range=[-2,2]", "--set: robot.json:1:12: joint[0]: is a string, it has no members"},
    {"joint[2].pd.kp=7", "--set: robot.json:2:79: joint[2]: no member is called \"pd\""},
    {"bodies[1]=hand", "--set: bodies[1]: body \"hand\" stands in the list twice"},
};

static void test_overrides(void)
{
  struct reading reading;
  write_scene("robot.json", ARM);
  for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
    read_robot(&reading, 1, &overrides[i].argument);
    CHECK((reading.status == DC_OK) == !overrides[i].message, "%s: %s", overrides[i].argument, reading.error.text);
    CHECK(strcmp(reading.error.text, overrides[i].message ? overrides[i].message : "") == 0, "%s:\n#   %s",
          overrides[i].argument, reading.error.text);
    release(&reading);
  }
  static const char *const list[] = {"joint[1].range=[-2,2]", "joint.1.pd.kp=7", "joint[2].pd={\"kp\":1}"};
  read_robot(&reading, 3, list);
  const struct joint *joints = reading.robot.joints.objects;
  CHECK(reading.status == DC_OK && joints[1].range[0] == -2 && joints[1].pd->kp == 7 && joints[2].pd->kp == 1, "%s",
        reading.error.text);
  release(&reading);
}

// Sections of sections may be new as well, wherever their path says and nowhere else.
static void test_new_sections(void)
{
  static const char *const sections[] = {"joints", "joints.arm", "other.part", NULL};
  static const struct {
    const char *argument, *tree, *message;
  } cases[] = {
      {"joints.arm.kp=1", "{\"joints\":{\"arm\":{\"kp\":1}}}", ""},
      {"joints[\"arm\"].kp=1", "{\"joints\":{\"arm\":{\"kp\":1}}}", ""},
      {"joints.kp=1", "{\"joints\":{\"kp\":1}}", ""},
      {"joints.leg.kp=1", "{\"joints\":{}}", "--set: joints: no member is called \"leg\""},
      {"arm.kp=1", "{}", "--set: robot.json:1:1: no member is called \"arm\""},
      {"other.part.kp=1", "{}", "--set: robot.json:1:1: no member is called \"other\""},
      {"joints.arm.arm.kp=1", "{\"joints\":{\"arm\":{}}}", "--set: joints.arm: no member is called \"arm\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_json_document document = {0};
    struct dc_error error = {0};
    const char *sources[] = {"--set"};
    write_scene("robot.json", "{}");
    CHECK(dc_json_load(&document, "robot.json", arena, &error) == DC_OK, "%s", error.text);
    document.sources = sources;
    document.source_count = 1;
    enum dc_status status = dc_override(&document, document.root, cases[i].argument, 1, sections, &error);
    char *tree = cJSON_PrintUnformatted(document.root);
    CHECK((status == DC_OK) == !cases[i].message[0] && strcmp(error.text, cases[i].message) == 0, "%s: %s",
          cases[i].argument, error.text);
    CHECK(tree && strcmp(tree, cases[i].tree) == 0, "%s: %s", cases[i].argument, tree);
    free(tree);
    document.sources = NULL;
    dc_json_release(&document);
    dc_arena_destroy(arena);
  }
}

static char *resolve(const struct robot *robot)
{
  struct dc_scene scene = {.bodies = bodies};
  struct dc_json_writer writer = {0};
  dc_json_begin(&writer, NULL, '{');
  dc_put_options(&writer, &scene, robot_options, robot);
  dc_json_end(&writer, "}");
  return dc_json_finish(&writer);
}

// Reading the resolved text gives the same options and the same text.
static void test_resolved(void)
{
  static const char *const texts[] = {ARM, "{}", "{'joint': []}", "{'joint': 'slide', 'mount': 'free'}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct reading first, second;
    read_text(&first, texts[i]);
    CHECK(first.status == DC_OK, "%s", first.error.text);
    char *text = first.status ? NULL : resolve(&first.robot), *again;
    if (text) {
      write_bytes("robot.json", text, strlen(text));
      read_robot(&second, 0, NULL);
      again = second.status ? NULL : resolve(&second.robot);
      CHECK(again && strcmp(text, again) == 0, "%s: %s\n%s", texts[i], second.error.text, text);
      CHECK(second.robot.joints.count == first.robot.joints.count, "%s", text);
      CHECK(second.robot.tags.count == first.robot.tags.count, "%s", text);
      CHECK(!second.robot.mount == !first.robot.mount && !second.robot.brake == !first.robot.brake, "%s", text);
      CHECK(!strstr(text, "null") && !strstr(text, "nan"), "%s", text);
      if (i == 0 && again)
        check_arm(&second.robot);
      free(again);
      release(&second);
    }
    free(text);
    release(&first);
  }
}

// A text of count elements, one of which is `element`, in "{key: [...]}".
static void write_long_list(const char *key, const char *element, int count)
{
  size_t length = strlen(element), at;
  char *text = malloc((length + 1) * (size_t)count + 64);
  if (!text)
    exit(99);
  at = (size_t)sprintf(text, "{\"%s\": [", key);
  for (int i = 0; i < count; i++) {
    memcpy(text + at, element, length);
    at += length;
    text[at++] = ',';
  }
  at += (size_t)sprintf(text + at - 1, "]}") - 1;
  write_bytes("robot.json", text, at);
  free(text);
}

// Long lists and deep ones are refused before anything is made of them.
static void test_hostile(void)
{
  static const char *const lists[][3] = {
      {"joint", "{}", "robot.json:1:11: joint: must be an array of at most 3 objects (has 1000000)"},
      {"joint", "\"free\"", "robot.json:1:11: joint: must be an array of at most 3 objects (has 1000000)"},
      {"bodies", "\"arm\"", "robot.json:1:12: bodies: must be an array of at most 3 bodies (has 1000000)"},
      {"tags", "\"\"", "robot.json:1:10: tags: must be an array of at most 2 strings (has 1000000)"},
  };
  struct reading reading;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    write_long_list(lists[i][0], lists[i][1], 1000000);
    read_robot(&reading, 0, NULL);
    CHECK(reading.status == DC_BAD_INPUT && strcmp(reading.error.text, lists[i][2]) == 0, "%s", reading.error.text);
    release(&reading);
  }
  // as deep as the scanner allows: nothing is read below the first level that does not fit the table
  char deep[1024] = "{";
  for (int i = 0; i < 60; i++)
    strcat(deep, "'joint': {");
  for (int i = 0; i < 61; i++)
    strcat(deep, "}");
  read_text(&reading, deep);
  CHECK(reading.status == DC_BAD_INPUT, " ");
  CHECK(strcmp(reading.error.text, "robot.json:1:12: joint.joint: unknown key (there are \"type\", \"axis\", "
                                   "\"range\", \"other\", \"pd\", \"actuators\")") == 0,
        "%s", reading.error.text);
  release(&reading);
}

// The schema of one option of the robot, parsed.
static cJSON *parse_schema(const char *name)
{
  struct dc_json_writer writer = {0};
  dc_json_begin(&writer, NULL, '{');
  dc_put_option_schema(&writer, &robot_options[dc_option_find(robot_options, name)]);
  dc_json_end(&writer, "}");
  char *text = dc_json_finish(&writer);
  write_bytes("schema.json", text, strlen(text));
  free(text);
  struct dc_json_document document = {0};
  struct dc_error error = {0};
  struct dc_arena *arena = dc_arena_create();
  CHECK(dc_json_load(&document, "schema.json", arena, &error) == DC_OK, "%s", error.text);
  cJSON *root = document.root ? cJSON_Duplicate(document.root, true) : NULL;
  dc_json_release(&document);
  dc_arena_destroy(arena);
  return root;
}

// The node that path, with '/' between its parts, leads to; NULL when there is none.
static const cJSON *follow(const cJSON *node, const char *path)
{
  char copy[256], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", path);
  for (char *part = strtok_r(copy, "/", &rest); part && node; part = strtok_r(NULL, "/", &rest))
    node = cJSON_IsArray(node) ? cJSON_GetArrayItem(node, atoi(part)) : cJSON_GetObjectItemCaseSensitive(node, part);
  return node;
}

static bool says(const cJSON *schema, const char *path, const char *string)
{
  const cJSON *node = follow(schema, path);
  return cJSON_IsString(node) && strcmp(node->valuestring, string) == 0;
}

static void test_schema(void)
{
  cJSON *joint = parse_schema("joint"), *tags = parse_schema("tags"), *names = parse_schema("bodies");
  cJSON *waypoints = parse_schema("waypoints"), *mount = parse_schema("mount");
  CHECK(says(joint, "joint/default", "hinge"), " ");
  CHECK(says(joint, "joint/anyOf/0/enum/1", "hinge"), "a string that stands for an object");
  CHECK(says(joint, "joint/anyOf/1/type", "object") && says(joint, "joint/anyOf/1/required/0", "type"), " ");
  CHECK(cJSON_IsFalse(follow(joint, "joint/anyOf/1/additionalProperties")), " ");
  CHECK(says(joint, "joint/anyOf/1/properties/pd/anyOf/0/properties/kp/type", "number"), " ");
  CHECK(says(joint, "joint/anyOf/1/properties/pd/anyOf/0/required/0", "kp"), " ");
  CHECK(!follow(joint, "joint/anyOf/1/properties/pd/anyOf/1"), "no string stands for gains");
  CHECK(says(joint, "joint/anyOf/2/type", "array"), " ");
  const cJSON *most = follow(joint, "joint/anyOf/2/maxItems");
  CHECK(most && most->valuedouble == MOST_JOINTS, " ");
  CHECK(says(joint, "joint/anyOf/2/items/anyOf/0/enum/2", "slide"), " ");
  CHECK(says(joint, "joint/anyOf/2/items/anyOf/1/properties/range/type", "array"), " ");
  CHECK(!follow(joint, "joint/anyOf/3"), " ");
  CHECK(says(waypoints, "waypoints/anyOf/0/type", "object"), "no string stands for an object that needs a time");
  CHECK(says(mount, "mount/anyOf/0/enum/0", "free") && says(mount, "mount/anyOf/1/type", "object"), " ");
  CHECK(!follow(mount, "mount/anyOf/2") && !follow(mount, "mount/default"), " ");
  CHECK(says(tags, "tags/anyOf/0/type", "string") && says(tags, "tags/anyOf/1/items/type", "string"), " ");
  CHECK(says(tags, "tags/default", "robot") && !follow(tags, "tags/anyOf/1/uniqueItems"), " ");
  CHECK(cJSON_IsTrue(follow(names, "bodies/anyOf/1/uniqueItems")), " ");
  cJSON_Delete(joint);
  cJSON_Delete(tags);
  cJSON_Delete(names);
  cJSON_Delete(waypoints);
  cJSON_Delete(mount);
}

static void test_catalogue(void)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dc_json_begin(&json, NULL, '{');
  dc_api_describe_options(robot_options, 4, &text, &json);
  dc_json_end(&json, "}");
  char *described = dc_json_finish(&json);
  CHECK(text.bytes && strstr(text.bytes, "\n    bodies             what it consists of; default null\n"), "%s",
        text.bytes);
  CHECK(strstr(text.bytes, "    joint              joint or joints to the parent; default \"hinge\"\n"
                           "      type               kind of joint; default none: must be given\n"),
        "%s", text.bytes);
  CHECK(strstr(text.bytes, "\n      pd                 gains of an actuator; default null\n"
                           "        kp                 stiffness [N/m]; default none: must be given\n"),
        "%s", text.bytes);
  cJSON *root = described ? cJSON_Parse(described) : NULL;
  CHECK(says(root, "options/0/type", "list of objects") && says(root, "options/0/short_key", "type"), " ");
  CHECK(says(root, "options/0/options/4/name", "pd") && says(root, "options/0/options/4/options/0/name", "kp"), " ");
  CHECK(says(root, "options/0/options/4/type", "object") && !follow(root, "options/0/options/4/short_key"), " ");
  CHECK(says(root, "options/4/type", "list of bodies") && says(root, "options/5/type", "list of strings"), " ");
  CHECK(!follow(root, "options/4/options"), " ");
  cJSON_Delete(root);
  free(described);
  dc_text_free(&text);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"values", test_values}, {"what stands alone is a list of one", test_lists_of_one},
                              {"mistakes and their places", test_mistakes},
                              {"places of messages from behind the tables", test_wrap}, {"--set", test_overrides},
                              {"sections that are new", test_new_sections}, {"resolved text", test_resolved},
                              {"long and deep lists", test_hostile}, {"schema", test_schema},
                              {"catalogue", test_catalogue})
