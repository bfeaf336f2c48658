// SPDX-License-Identifier: Apache-2.0
// Judges recorded motions: crossing [TOLERANCE] < MOTION; the tolerance is 1e-9 m unless it is said.
//
// The motion is text, numbers decimal or hexadecimal as strtod() reads them:
//
//     STATES BODIES PAIRS
//     for each body    mesh VERTICES TRIANGLES, its vertices about the centre of mass, m, its triangles (indices from 0)   or   half_space
//                      then   fixed POSE   or   free and a POSE for every state   or
//                      chain JOINTS POSE (where all coordinates are zero), for each joint, outermost first, "hinge" or "slide", its axis and
//                      its anchor there, and for every state the coordinates
//     for each pair    the numbers of two bodies, from 0; a half-space must be fixed
//
// with a POSE x y z w x y z.  For every pair there is a line "A B clear", or "A B crossing STEP PART DEPTH" or "A B
// undecided STEP PART DEPTH" for the first step in which it is not: the step from state STEP to the next, the part of
// it that had passed, and the depth, m.  Exit status: 0 when all pairs are clear, 1 when one is not, 2 for bad input.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soak/crossing.h"

struct body {
  struct crossing_mesh mesh;
  struct crossing_chain chain;
  struct crossing_joint *joints;
  enum { FIXED, FREE, CHAIN } kind;
  int width;                      // numbers of a state
  double *states;                 // [states][width]
  struct crossing_motion motion;  // of the step that is looked at
};

struct pair {
  int i, j, step;  // the first step in which it is not clear
  struct crossing_result worst;
};

static void *allocate(long count, size_t size)
{
  void *memory = calloc((size_t)count + 1, size);
  if (!memory) {
    fprintf(stderr, "crossing: out of memory\n");
    exit(2);
  }
  return memory;
}

static void bad_input(const char *what)
{
  fprintf(stderr, "crossing: bad input: %s expected\n", what);
  exit(2);
}

static const char *word(void)
{
  static char text[64];
  if (scanf("%63s", text) != 1)
    bad_input("a word");
  return text;
}

static double number(void)
{
  double value;
  if (scanf("%lf", &value) != 1)
    bad_input("a number");
  return value;
}

static int integer(long least, long most)
{
  long value;
  if (scanf("%ld", &value) != 1 || value < least || value > most)
    bad_input("an integer in its range");
  return (int)value;
}

static void numbers(double *values, long count)
{
  for (long k = 0; k < count; k++)
    values[k] = number();
}

static void read_mesh(struct crossing_mesh *mesh)
{
  mesh->half_space = strcmp(word(), "half_space") == 0;
  if (mesh->half_space)
    return;
  mesh->vertex_count = integer(3, 10000000);
  mesh->triangle_count = integer(1, 10000000);
  mesh->vertices = allocate(mesh->vertex_count, sizeof *mesh->vertices);
  mesh->triangles = allocate(mesh->triangle_count, sizeof *mesh->triangles);
  numbers(mesh->vertices[0], 3L * mesh->vertex_count);
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int corner = 0; corner < 3; corner++)
      mesh->triangles[t][corner] = integer(0, mesh->vertex_count - 1);
  if (!crossing_mesh_prepare(mesh)) {
    fprintf(stderr, "crossing: out of memory\n");
    exit(2);
  }
}

static void read_chain(struct body *body)
{
  double rest[7];
  body->kind = CHAIN;
  body->width = integer(1, 1000);
  numbers(rest, 7);
  body->joints = allocate(body->width, sizeof *body->joints);
  for (int k = 0; k < body->width; k++) {
    body->joints[k].slide = strcmp(word(), "slide") == 0;
    numbers(body->joints[k].axis, 3);
    numbers(body->joints[k].anchor, 3);
  }
  body->chain =
      (struct crossing_chain){.joint_count = body->width, .joints = body->joints, .rest = crossing_pose_of(rest)};
}

static void read_body(struct body *body, int states)
{
  read_mesh(&body->mesh);
  const char *kind = word();
  body->width = 7;
  body->kind = strcmp(kind, "fixed") == 0 ? FIXED : FREE;
  if (strcmp(kind, "chain") == 0)
    read_chain(body);
  long count = (body->kind == FIXED ? 1L : states) * body->width;
  body->states = allocate(count, sizeof *body->states);
  numbers(body->states, count);
}

static struct crossing_motion motion_of(const struct body *body, int step)
{
  const double *from = body->kind == FIXED ? body->states : body->states + (long)step * body->width;
  const double *to = body->kind == FIXED ? from : from + body->width;
  return body->kind == CHAIN ? crossing_chain_motion(&body->chain, from, to) : crossing_free_motion(from, to);
}

static double radius_of(const struct body *body)
{
  double square = 0;
  for (int v = 0; v < body->mesh.vertex_count && body->kind == FREE; v++) {
    const double *x = body->mesh.vertices[v];
    square = fmax(square, x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  }
  return sqrt(square);
}

static bool wind(struct body *body)
{
  return body->kind == FREE && crossing_wind(&body->motion, radius_of(body));
}

// A pair that bows of its bodies open along an axis, in the middle of the way.
struct opening {
  struct body *a, *b;
  double axis[3], size;
};

enum { MOST_OPENINGS = 256, MOST_SWEEPS = 1000 };
static const double MOST_BOW = 1.0 / 256 * (1 + 1e-9), LEAST_OPENING = 1e-9;

struct openings {
  int count;
  struct opening all[MOST_OPENINGS];
};

static void shift(struct body *body, const double *axis, double by)
{
  const double bow[3] = {by * axis[0], by * axis[1], by * axis[2]};
  crossing_bow(&body->motion, bow);
}

// Sweeps over all openings until they are there, as far as sweeps come; false where a bow becomes too large.
static bool open_all(const struct openings *openings)
{
  bool missing = true;
  for (int sweep = 0; sweep < MOST_SWEEPS && missing; sweep++) {
    missing = false;
    for (int k = 0; k < openings->count; k++) {
      const struct opening *opening = &openings->all[k];
      struct body *a = opening->a, *b = opening->b;
      double lack = opening->size;
      for (int i = 0; i < 3; i++)
        lack -= opening->axis[i] * (a->motion.bow[i] - b->motion.bow[i]);
      if (lack < 1e-3 * opening->size)
        continue;
      missing = true;
      lack /= (a->kind == FREE) + (b->kind == FREE);
      if (a->kind == FREE)
        shift(a, opening->axis, lack);
      if (b->kind == FREE)
        shift(b, opening->axis, -lack);
    }
  }
  for (int k = 0; k < openings->count; k++)
    for (int side = 0; side < 2; side++) {
      const struct body *body = side ? openings->all[k].b : openings->all[k].a;
      const double *bow = body->motion.bow;
      if (body->kind == FREE && sqrt(bow[0] * bow[0] + bow[1] * bow[1] + bow[2] * bow[2]) > MOST_BOW * radius_of(body))
        return false;
    }
  return true;
}

static bool add_opening(struct body *a, struct body *b, const double *axis, double size, struct openings *openings)
{
  if (openings->count == MOST_OPENINGS)
    return false;
  struct opening *opening = &openings->all[openings->count++];
  *opening = (struct opening){.a = a, .b = b, .size = size};
  memcpy(opening->axis, axis, sizeof opening->axis);
  return true;
}

// Opens a pair along the axes where it is nearest at both ends, and along those of later crossings, twice as far as
// the time before, at last as far as may be.
static bool bow(struct body *a, struct body *b, const double *axis_found, struct openings *openings)
{
  double most = INFINITY, axis[3];
  if (a->kind != FREE && b->kind != FREE)
    return false;
  double size = LEAST_OPENING / 2;
  bool known = false, aligned = false;
  for (int k = 0; k < openings->count; k++)
    if (openings->all[k].a == a && openings->all[k].b == b) {
      const double *old = openings->all[k].axis;
      known = true;
      size = openings->all[k].size;
      aligned |= old[0] * axis_found[0] + old[1] * axis_found[1] + old[2] * axis_found[2] > 0.99;
    }
  for (int end = 0; end < 2 && !known; end++)
    if (!crossing_axis_at(&a->mesh, &a->motion, &b->mesh, &b->motion, end, axis) || !add_opening(a, b, axis, size, openings))
      return false;
  bool none = axis_found[0] == 0 && axis_found[1] == 0 && axis_found[2] == 0;
  if (known && !aligned && !none && !add_opening(a, b, axis_found, size, openings))
    return false;
  if (a->kind == FREE)
    most = MOST_BOW * radius_of(a);
  if (b->kind == FREE)
    most = fmin(most, MOST_BOW * radius_of(b));
  for (int k = 0; k < openings->count; k++)
    if (openings->all[k].a == a && openings->all[k].b == b) {
      if (!(openings->all[k].size < most))
        return false;
      openings->all[k].size = fmin(2 * openings->all[k].size, most);
    }
  return open_all(openings);
}

// One motion of all bodies must be clear: where a pair is not its free bodies go about axes, then on small bows, and all
// pairs are looked at anew.  What is left of a pair counts, a crossing more than what is undecided in a step before.
static void judge(struct body *bodies, int body_count, struct pair *pairs, int pair_count, int step, double tolerance)
{
  struct crossing_result *found = allocate(pair_count, sizeof *found);
  struct openings openings = {.count = 0};
  for (int k = 0; k < body_count; k++)
    bodies[k].motion = motion_of(&bodies[k], step);
  for (bool moved = true; moved;) {
    moved = false;
    for (int k = 0; k < pair_count && !moved; k++) {
      struct body *a = &bodies[pairs[k].i], *b = &bodies[pairs[k].j];
      found[k] = crossing_between(&a->mesh, &a->motion, &b->mesh, &b->motion, tolerance);
      if (found[k].verdict == CROSSING_CLEAR)
        continue;
      moved = wind(a);
      moved = wind(b) || moved;
      moved = moved || bow(a, b, found[k].axis, &openings);
    }
  }
  for (int k = 0; k < pair_count; k++)
    if (found[k].verdict > pairs[k].worst.verdict) {
      pairs[k].worst = found[k];
      pairs[k].step = step;
    }
  free(found);
}

static void free_body(struct body *body)
{
  free(body->mesh.vertices);
  free(body->mesh.triangles);
  free(body->mesh.nodes);
  free(body->joints);
  free(body->states);
}

int main(int argc, char **argv)
{
  static const char *const verdicts[] = {"clear", "undecided", "crossing"};
  double tolerance = argc > 1 ? strtod(argv[1], NULL) : 1e-9;
  int states = integer(1, 100000000), bodies = integer(0, 100000), pairs = integer(0, 100000000), status = 0;
  struct body *body = allocate(bodies, sizeof *body);
  for (int k = 0; k < bodies; k++)
    read_body(&body[k], states);
  struct pair *pair = allocate(pairs, sizeof *pair);
  for (int k = 0; k < pairs; k++) {
    pair[k].i = integer(0, bodies - 1);
    pair[k].j = integer(0, bodies - 1);
  }
  for (int k = 0; k + 1 < states; k++)
    judge(body, bodies, pair, pairs, k, tolerance);
  for (int k = 0; k < pairs; k++) {
    const struct crossing_result *found = &pair[k].worst;
    printf("%d %d %s", pair[k].i, pair[k].j, verdicts[found->verdict]);
    if (found->verdict != CROSSING_CLEAR) {
      printf(" %d %.17g %.3g", pair[k].step, found->at, found->depth);
      status = 1;
    }
    printf("\n");
  }
  for (int k = 0; k < bodies; k++)
    free_body(&body[k]);
  free(body);
  free(pair);
  return status;
}
