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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soak/crossing.h"

struct body {
  struct crossing_mesh mesh;
  struct crossing_chain chain;
  struct crossing_joint *joints;
  enum { FIXED, FREE, CHAIN } kind;
  int width;       // numbers of a state
  double *states;  // [states][width]
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

// The first step in which a pair is not clear; a crossing counts more than what is undecided before it.
static struct crossing_result judge(const struct body *a, const struct body *b, int states, double tolerance, int *step)
{
  struct crossing_result worst = {CROSSING_CLEAR, 0, 0};
  for (int k = 0; k + 1 < states && worst.verdict != CROSSING_FOUND; k++) {
    struct crossing_motion move_a = motion_of(a, k), move_b = motion_of(b, k);
    struct crossing_result found = crossing_between(&a->mesh, &move_a, &b->mesh, &move_b, tolerance);
    if (found.verdict > worst.verdict) {
      worst = found;
      *step = k;
    }
  }
  return worst;
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
  for (int k = 0; k < pairs; k++) {
    int i = integer(0, bodies - 1), j = integer(0, bodies - 1), step = 0;
    struct crossing_result found = judge(&body[i], &body[j], states, tolerance, &step);
    printf("%d %d %s", i, j, verdicts[found.verdict]);
    if (found.verdict != CROSSING_CLEAR) {
      printf(" %d %.17g %.3g", step, found.at, found.depth);
      status = 1;
    }
    printf("\n");
  }
  for (int k = 0; k < bodies; k++)
    free_body(&body[k]);
  free(body);
  return status;
}
