// SPDX-License-Identifier: Apache-2.0
// Drawn cases.  All are feasible by construction: what is to be brought lies where the pusher can get behind it,
// targets are on the table, nothing stands in the way at the start; billiards takes its targets from a random shot.
#include "bench/task_draws.h"

#include <dcsim.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct dc_task_case *drawn, const char **list, int *count, int most, const char *format,
                   va_list arguments)
{
  char text[1024];
  int length = vsnprintf(text, sizeof text, format, arguments);
  char *kept = length < (int)sizeof text ? dc_arena_strdup(drawn->arena, text) : NULL;
  if (!kept || *count == most)
    drawn->failed = true;
  else
    list[(*count)++] = kept;
}

// Adds one argument, made as by printf.
__attribute__((format(printf, 2, 3))) static void add(struct dc_task_case *drawn, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  append(drawn, drawn->overrides, &drawn->count, DC_TASK_OVERRIDES, format, arguments);
  va_end(arguments);
}

// The same to those for the plane.
__attribute__((format(printf, 2, 3))) static void add_plane(struct dc_task_case *drawn, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  append(drawn, drawn->plane, &drawn->plane_count, DC_TASK_PLANE, format, arguments);
  va_end(arguments);
}

static double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

// Uniform in the logarithm: half and twice are as likely.
static double scaled(struct dc_random *random, double low, double high)
{
  return low * pow(high / low, dc_random_uniform(random));
}

static void add_yaw(struct dc_task_case *drawn, const char *body, double yaw)
{
  add(drawn, "bodies.%s.rotation=[%.6f, 0, 0, %.6f]", body, cos(0.5 * yaw), sin(0.5 * yaw));
}

// Push.  Box and target anywhere in x -1.2 .. 2.2 m, y -2 .. 2 m, 1 to 3.5 m apart; the rod anywhere in x
// -1.5 .. 2.5 m, y -2 .. 2 m, at least 0.75 m from the box (they do not touch, whatever their yaw); both yawed; box
// 1.25 .. 5 kg; friction 0.4 .. 0.8.  The rod's targets have the table x -2 .. 3 m, y -6 .. 6 m, which leaves 0.8 m
// behind box and target.
static enum dc_status draw_push(struct dc_random *random, const char *scene, struct dc_task_case *drawn,
                                struct dc_error *error)
{
  static const double pi = 3.14159265358979323846;
  double box[2], target[2], rod[2], way;
  (void)scene, (void)error;
  do {
    for (int k = 0; k < 2; k++) {
      box[k] = k ? between(random, -2, 2) : between(random, -1.2, 2.2);
      target[k] = k ? between(random, -2, 2) : between(random, -1.2, 2.2);
    }
    way = hypot(target[0] - box[0], target[1] - box[1]);
  } while (way < 1 || way > 3.5);
  do {
    rod[0] = between(random, -1.5, 2.5);
    rod[1] = between(random, -2, 2);
    way = hypot(rod[0] - box[0], rod[1] - box[1]);
  } while (way < 0.75);
  add(drawn, "bodies.box.position=[%.4f, %.4f, 0.259]", box[0], box[1]);
  add_yaw(drawn, "box", between(random, -pi / 4, pi / 4));
  add(drawn, "bodies.box.mass=%.4f", scaled(random, 1.25, 5));
  add(drawn, "bodies.rod.position=[%.4f, %.4f, 0.25]", rod[0], rod[1]);
  add_yaw(drawn, "rod", between(random, -pi / 2, pi / 2));
  add(drawn, "contact.friction=%.4f", between(random, 0.4, 0.8));
  add(drawn, "objective.0.target=[%.4f, %.4f, 0.259]", target[0], target[1]);
  add(drawn, "control.0.low=[%.4f, %.4f, -0.05, -0.2, -0.2, -1.6]", -2 - rod[0], -6 - rod[1]);
  add(drawn, "control.0.high=[%.4f, %.4f, 0.05, 0.2, 0.2, 1.6]", 3 - rod[0], 6 - rod[1]);
  // a slight motion towards the box, as in the shipped scene
  add(drawn, "control.0.initial=[%.4f, %.4f, 0, 0, 0, 0]", 0.05 * (box[0] - rod[0]) / way,
      0.05 * (box[1] - rod[1]) / way);
  add_plane(drawn, "control.0.coordinates=x y rz");
  add_plane(drawn, "control.0.low=[%.4f, %.4f, -1.6]", -2 - rod[0], -6 - rod[1]);
  add_plane(drawn, "control.0.high=[%.4f, %.4f, 1.6]", 3 - rod[0], 6 - rod[1]);
  add_plane(drawn, "control.0.initial=[0, 0, 0]");
  return DC_OK;
}

// Billiards.  The fan of fifteen balls with each ball moved by up to 0.06 m along x and y, masses 0.04 .. 0.06 kg, the
// cue up to 0.3 m nearer or farther and 0.4 m aside; two targets where two balls of a random shot end that moved by at
// least 0.4 m.  The shot: position within 0.2 m, 1 to 2.5 m/s within 0.2 rad of the direction to one of the balls.
enum { BALLS = 15, SHOTS = 50, SHOT_TARGETS = 2 };
static const double MOVED = 0.4;
// m above the ground at which a ball stands on a face, and at which a round one rests.
static const double FACE_HEIGHT = 0.083836, ROUND_HEIGHT = 0.10422;

// Which balls [SHOT_TARGETS] become targets, out of those that moved; false: too few did.
static bool choose_balls(struct dc_random *random, const dcsim_trajectory *trajectory, const int *body, int *chosen)
{
  int moved[BALLS], count = 0;
  const double *first = trajectory->poses;
  const double *last = first + (size_t)trajectory->steps * (size_t)trajectory->bodies * DCSIM_POSE;
  for (int i = 0; i < BALLS; i++) {
    size_t at = (size_t)body[i] * DCSIM_POSE;
    if (hypot(last[at] - first[at], last[at + 1] - first[at + 1]) >= MOVED)
      moved[count++] = i;
  }
  for (int k = 0; k < SHOT_TARGETS && k < count; k++) {
    int at = k + (int)(dc_random_uniform(random) * (count - k)), ball = moved[at];
    moved[at] = moved[k];
    moved[k] = chosen[k] = ball;
  }
  return count >= SHOT_TARGETS;
}

static void add_targets(const dcsim_trajectory *trajectory, const int *body, const int *chosen, double height,
                        struct dc_task_case *drawn)
{
  char text[SHOT_TARGETS][200];
  const double *last = trajectory->poses + (size_t)trajectory->steps * (size_t)trajectory->bodies * DCSIM_POSE;
  for (int k = 0; k < SHOT_TARGETS; k++) {
    const double *place = last + (size_t)body[chosen[k]] * DCSIM_POSE;
    snprintf(text[k], sizeof text[k],
             "{\"type\": \"reach\", \"body\": \"ball%d\", \"target\": [%.6f, %.6f, %.6f], \"tolerance\": 0.1, "
             "\"when\": \"end\"}",
             chosen[k] + 1, place[0], place[1], height);
  }
  add(drawn, "objective=[%s, %s]", text[0], text[1]);
}

// Random shots at the balls at places until one of them moves enough of them.
static int shoot(struct dc_random *random, dcsim_problem *problem, const double *cue, double (*places)[2],
                 const int *body, double height, struct dc_task_case *drawn, dcsim_error *error)
{
  dcsim_trajectory trajectory = DCSIM_SIZED(dcsim_trajectory);
  int chosen[SHOT_TARGETS], status;
  double shot[4], loss;
  for (int attempt = 0; attempt < SHOTS; attempt++) {
    const double *aim = places[(int)(BALLS * dc_random_uniform(random))];
    for (int k = 0; k < 2; k++)
      shot[k] = between(random, -0.2, 0.2);
    double angle = atan2(aim[1] - cue[1] - shot[1], aim[0] - cue[0] - shot[0]) + between(random, -0.2, 0.2);
    double speed = between(random, 1, 2.5);
    shot[2] = speed * cos(angle);
    shot[3] = speed * sin(angle);
    status = dcsim_problem_evaluate(problem, shot, &loss, NULL, error);
    if (status == DCSIM_INFEASIBLE || status == DCSIM_NUMERICAL)
      continue;
    if (!status)
      status = dcsim_problem_get_trajectory(problem, &trajectory, error);
    if (status)
      return status;
    if (choose_balls(random, &trajectory, body, chosen)) {
      add_targets(&trajectory, body, chosen, height, drawn);
      memcpy(drawn->known, shot, sizeof shot);
      drawn->known_count = 4;
      return DCSIM_OK;
    }
  }
  snprintf(error->text, sizeof error->text, "no shot of %d moved %d balls by %g m", SHOTS, SHOT_TARGETS, MOVED);
  return DCSIM_NUMERICAL;
}

// The bodies of ball1, ball2, ...
static void find_balls(const dcsim_scene *opened, int *body)
{
  dcsim_scene_sizes sizes = DCSIM_SIZED(dcsim_scene_sizes);
  int ball;
  dcsim_scene_get_sizes(opened, &sizes, NULL);
  for (int i = 0; i < sizes.bodies; i++) {
    dcsim_scene_body about = DCSIM_SIZED(dcsim_scene_body);
    dcsim_scene_get_body(opened, i, &about, NULL);
    if (sscanf(about.name, "ball%d", &ball) == 1 && ball >= 1 && ball <= BALLS)
      body[ball - 1] = i;
  }
}

static enum dc_status draw_balls(struct dc_random *random, const char *scene, double height, struct dc_task_case *drawn,
                                 struct dc_error *error)
{
  dcsim_error outside = {0};
  dcsim_scene *opened = NULL;
  dcsim_problem *problem = NULL;
  double places[BALLS][2], cue[2] = {between(random, -1.8, -1.2), between(random, -0.4, 0.4)};
  int body[BALLS] = {0};
  add(drawn, "bodies.cue.position=[%.4f, %.4f, %.6f]", cue[0], cue[1], height);
  for (int i = 0, row = 0, column = 0; i < BALLS; i++) {
    places[i][0] = row * 0.5 * sqrt(0.75) + between(random, -0.06, 0.06);
    places[i][1] = 0.5 * (column - 0.5 * row) + between(random, -0.06, 0.06);
    add(drawn, "bodies.ball%d.position=[%.4f, %.4f, %.6f]", i + 1, places[i][0], places[i][1], height);
    add(drawn, "bodies.ball%d.mass=%.5f", i + 1, between(random, 0.04, 0.06));
    if (column++ == row)
      row++, column = 0;
  }
  dcsim_scene_options options = {.size = sizeof options, .override_count = drawn->count, .overrides = drawn->overrides};
  int status = dcsim_scene_open(scene, &options, &opened, &outside);
  if (!status)
    status = dcsim_problem_create(opened, NULL, &problem, &outside);
  if (!status) {
    find_balls(opened, body);
    status = shoot(random, problem, cue, places, body, height, drawn, &outside);
  }
  dcsim_problem_destroy(problem);
  dcsim_scene_close(opened);
  return status ? dc_fail(error, (enum dc_status)status, "%.900s", outside.text) : DC_OK;
}

static enum dc_status draw_billiards(struct dc_random *random, const char *scene, struct dc_task_case *drawn,
                                     struct dc_error *error)
{
  return draw_balls(random, scene, FACE_HEIGHT, drawn, error);
}

// The same of round balls.
static enum dc_status draw_round_billiards(struct dc_random *random, const char *scene, struct dc_task_case *drawn,
                                           struct dc_error *error)
{
  add(drawn, "shapes.ball.surface=leaves");
  return draw_balls(random, scene, ROUND_HEIGHT, drawn, error);
}

// Ten cubes in a disc about the origin, their centres at least 0.16 m apart (they do not touch).
enum { CUBES = 10 };
static void draw_cubes(struct dc_random *random, double radius, struct dc_task_case *drawn)
{
  static const double APART = 0.16;
  double places[CUBES][2];
  for (int i = 0; i < CUBES;) {
    bool free = true;
    for (int k = 0; k < 2; k++)
      places[i][k] = between(random, -radius, radius);
    free = hypot(places[i][0], places[i][1]) <= radius;
    for (int j = 0; j < i && free; j++)
      free = hypot(places[i][0] - places[j][0], places[i][1] - places[j][1]) >= APART;
    if (!free)
      continue;
    add(drawn, "bodies.cube%d.position=[%.4f, %.4f, 0.058]", i, places[i][0], places[i][1]);
    add(drawn, "bodies.cube%d.mass=%.4f", i, scaled(random, 0.07, 0.14));
    i++;
  }
}

// Gather.  Cubes of 0.07 .. 0.14 kg within 0.5 m of the origin; the region of 0.45 m around x 1 .. 1.2 m, y
// -0.5 .. 0.5 m; the rod at x -0.9 m, y -0.5 .. 0.5 m, on the shipped scene's table of x -1.5 .. 1.5 m, y
// -3.5 .. 3.5 m; friction 0.4 .. 0.6.
static enum dc_status draw_gather(struct dc_random *random, const char *scene, struct dc_task_case *drawn,
                                  struct dc_error *error)
{
  (void)scene, (void)error;
  double rod = between(random, -0.5, 0.5), region = between(random, 1, 1.2);
  draw_cubes(random, 0.5, drawn);
  add(drawn, "bodies.rod.position=[-0.9, %.4f, 0.07]", rod);
  add(drawn, "control.0.low=[-0.6, %.4f, 0, -1.6]", -3.5 - rod);
  add(drawn, "control.0.high=[2.4, %.4f, 0.2, 1.6]", 3.5 - rod);
  add(drawn, "objective.0.target=[%.4f, %.4f, 0.058]", region, between(random, -0.5, 0.5));
  add(drawn, "contact.friction=%.4f", between(random, 0.4, 0.6));
  return DC_OK;
}

// Sort.  Cubes of 0.07 .. 0.14 kg within 0.6 m of the origin, labels in turn; the two regions of 0.5 m at x 1.1 and
// -1.1 m, each at its own y -0.2 .. 0.2 m, so that half of each is on the post's table; friction 0.4 .. 0.6.
static enum dc_status draw_sort(struct dc_random *random, const char *scene, struct dc_task_case *drawn,
                                struct dc_error *error)
{
  (void)scene, (void)error;
  draw_cubes(random, 0.6, drawn);
  add(drawn, "objective.0.target=[1.1, %.4f, 0.0535]", between(random, -0.2, 0.2));
  add(drawn, "objective.1.target=[-1.1, %.4f, 0.0535]", between(random, -0.2, 0.2));
  add(drawn, "contact.friction=%.4f", between(random, 0.4, 0.6));
  return DC_OK;
}

// Ant-Push.  The box at x 1.05 .. 1.25 m, y -0.1 .. 0.1 m (the shipped ant has it 1.1 m ahead), 0.35 .. 0.7 kg; the
// target 0.3 .. 0.6 m from it, within 0.3 rad of straight ahead; friction 0.6 .. 1; another seed of the first guess.
static enum dc_status draw_ant_push(struct dc_random *random, const char *scene, struct dc_task_case *drawn,
                                    struct dc_error *error)
{
  (void)scene, (void)error;
  double box[2] = {between(random, 1.05, 1.25), between(random, -0.1, 0.1)};
  double way = between(random, 0.3, 0.6), angle = between(random, -0.3, 0.3);
  add(drawn, "bodies.box.position=[%.4f, %.4f, 0.203]", box[0], box[1]);
  add(drawn, "bodies.box.mass=%.4f", scaled(random, 0.35, 0.7));
  add(drawn, "objective.0.target=[%.4f, %.4f, 0.203]", box[0] + way * cos(angle), box[1] + way * sin(angle));
  add(drawn, "contact.friction=%.4f", between(random, 0.6, 1));
  add(drawn, "control.0.seed=%d", 1 + (int)between(random, 0, 1000));
  return DC_OK;
}

#define ADAM                                                                                                           \
  "optimizer={\"type\": \"adam\", \"learning_rate\": 0.03, \"betas\": [0.3, 0.5], \"shared\": true, \"iterations\": "  \
  "100}"

const struct dc_task_kind dc_task_kinds[] = {
    {"billiards", "billiards.json", "ball", false, {NULL}, draw_billiards},
    {"billiards_round", "billiards.json", "ball", false, {NULL}, draw_round_billiards},
    {"push", "push.json", "box", true, {NULL}, draw_push},
    {"gather", "gather.json", "cube", true, {NULL}, draw_gather},
    {"sort", "sort.json", "cube", true, {NULL}, draw_sort},
    {"ant_push", "ant_push.json", "box", false, {"portfolio=null", ADAM}, draw_ant_push},
    {NULL, NULL, NULL, false, {NULL}, NULL},
};

enum dc_status dc_task_draw(const struct dc_task_kind *kind, const char *scene, uint64_t seed, int draw,
                            struct dc_task_case *drawn, struct dc_error *error)
{
  struct dc_random random;
  dc_random_seed(&random, seed * UINT64_C(1000003) + (uint64_t)draw);
  drawn->arena = dc_arena_create();
  if (!drawn->arena)
    return dc_out_of_memory_for(error, "a case");
  enum dc_status status = kind->draw(&random, scene, drawn, error);
  if (!status && drawn->failed)
    status = dc_out_of_memory_for(error, "a case");
  return status;
}

void dc_task_case_release(struct dc_task_case *drawn)
{
  dc_arena_destroy(drawn->arena);
  *drawn = (struct dc_task_case){0};
}
