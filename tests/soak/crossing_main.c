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

static bool wind(struct body *body)
{
  double square = 0;
  for (int v = 0; v < body->mesh.vertex_count && body->kind == FREE; v++) {
    const double *x = body->mesh.vertices[v];
    square = fmax(square, x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  }
  return body->kind == FREE && crossing_wind(&body->motion, sqrt(square));
}

// One motion of all bodies must be clear: where a pair is not its free bodies go about axes, and all pairs are looked
// at anew.  What is left of a pair counts, a crossing more than what is undecided in a step before.
static void judge(struct body *bodies, int body_count, struct pair *pairs, int pair_count, int step, double tolerance)
{
  struct crossing_result *found = allocate(pair_count, sizeof *found);
  for (int k = 0; k < body_count; k++)
    bodies[k].motion = motion_of(&bodies[k], step);
  for (bool wound = true; wound;) {
    wound = false;
    for (int k = 0; k < pair_count && !wound; k++) {
      struct body *a = &bodies[pairs[k].i], *b = &bodies[pairs[k].j];
      found[k] = crossing_between(&a->mesh, &a->motion, &b->mesh, &b->motion, tolerance);
      if (found[k].verdict == CROSSING_CLEAR)
        continue;
      wound = wind(a);
      wound = wind(b) || wound;
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
