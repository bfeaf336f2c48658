// SPDX-License-Identifier: Apache-2.0
// Contact manifolds with known properties: boxes on boxes (edges, vertices), and nearly parallel edges.
#include "bench/manifold_cases.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "bench/sort.h"
#include "contact/kernels/lane_kernels.h"
#include "contact/manifold/manifold.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { CORNERS = 8, EDGES = 12, LATTICE = 5, VERTICES = 98, PAIR_CONTACTS = 2 * EDGES * EDGES };
static const double EXPONENT = 0.1, HALF = 0.5, DEPTH = 0.02, ACTIVE = 0.1, DEGREE = 180 / M_PI, AWAY = 0.1;
static const int box_edges[EDGES][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                        {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

struct boxes {
  struct dc_arena *arena;
  struct dc_sdf *sdf;
  double vertices[VERTICES][3];  // of either box
  struct dc_pose poses[2];       // the upper one, the lower one
  struct dc_random random;
  struct dc_manifold *manifold;
  int count;
  struct dc_manifold_contact *contacts;
};

static void destroy(struct boxes *boxes)
{
  dc_manifold_destroy(boxes->manifold);
  dc_arena_destroy(boxes->arena);
}

static enum dc_status create(struct boxes *boxes, int vertex_count, int edge_count, double softness, unsigned seed,
                             struct dc_error *error)
{
  struct dc_manifold_settings settings;
  dc_random_seed(&boxes->random, seed);
  boxes->arena = dc_arena_create();
  boxes->sdf = boxes->arena
                   ? dc_sdf_make_superquadric((const double[3]){HALF, HALF, HALF}, EXPONENT, EXPONENT, boxes->arena)
                   : NULL;
  if (!boxes->sdf)
    return dc_out_of_memory_for(error, "boxes");
  struct dc_manifold_surface surface = {boxes->sdf, vertex_count, edge_count, (const double(*)[3])boxes->vertices,
                                        box_edges};
  struct dc_manifold_surface surfaces[2] = {surface, surface};
  dc_manifold_defaults(surfaces, &settings);
  settings.edges = 0;
  settings.edge_edge = edge_count > 0;
  settings.one_sided = edge_count == 0;
  settings.own_surface = false;
  settings.edge = (struct dc_edge_smoothing){softness, 0.1 * softness};
  boxes->manifold = dc_manifold_create(surfaces, &settings, error);
  if (!boxes->manifold)
    return error->status;
  boxes->count = dc_manifold_count(boxes->manifold);
  boxes->contacts = dc_arena_alloc(boxes->arena, (size_t)boxes->count, sizeof *boxes->contacts);
  return boxes->contacts ? DC_OK : dc_out_of_memory_for(error, "boxes");
}

static double uniform(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

// Draws a pose of the upper box at a height, rotated about z.
static void draw_pose(struct boxes *boxes, double height)
{
  double turn[3] = {0, 0, uniform(&boxes->random, 0.1, 1.4)}, none[3] = {0, 0, 0};
  for (int s = 0; s < 2; s++) {
    struct dc_pose *pose = &boxes->poses[s];
    for (int k = 0; k < 3; k++)
      pose->position[k] = s ? 0 : k == 2 ? height : uniform(&boxes->random, -0.3, 0.3);
    dc_rotation_exp(pose->quaternion, s ? none : turn);
    dc_rotation_matrix(pose->rotation, pose->quaternion);
  }
  dc_manifold_evaluate(boxes->manifold, boxes->poses, boxes->contacts);
}

static void place_edge(const struct boxes *boxes, int s, int e, double out[2][3])
{
  for (int end = 0; end < 2; end++) {
    dc_mat_apply(out[end], boxes->poses[s].rotation, boxes->vertices[box_edges[e][end]]);
    dc_vec_add(out[end], out[end], boxes->poses[s].position);
  }
}

// Whether edge a, of the upper box's lower face, and edge b, of the lower box's upper face, cross when seen along z.
static bool crosses(const struct boxes *boxes, const int edges[2])
{
  double a[2][3], b[2][3];
  place_edge(boxes, 0, edges[0], a);
  place_edge(boxes, 1, edges[1], b);
  if (fabs(a[0][2] - a[1][2]) > 1e-9 || fabs(b[0][2] - b[1][2]) > 1e-9 || a[0][2] > boxes->poses[0].position[2] ||
      b[0][2] < 0)
    return false;
  double d[2] = {a[1][0] - a[0][0], a[1][1] - a[0][1]}, f[2] = {b[1][0] - b[0][0], b[1][1] - b[0][1]};
  double det = d[1] * f[0] - d[0] * f[1], r[2] = {b[0][0] - a[0][0], b[0][1] - a[0][1]};
  double s = (r[1] * f[0] - r[0] * f[1]) / det, t = (d[0] * r[1] - d[1] * r[0]) / det;
  return fabs(det) > 1e-9 && s > 0 && s < 1 && t > 0 && t < 1;
}

static double angle_of(const struct dc_manifold_contact *contact)
{
  double up = (contact->body ? -1 : 1) * contact->normal[2] / dc_vec_norm(contact->normal);
  return acos(fmin(1, up)) * DEGREE;
}

struct lists {
  double *active, *angles, *others;
};

// Counts the contacts of edges at one pose.
static void count_edges(const struct boxes *boxes, struct dc_box_edges *figures, const struct lists *lists)
{
  double other = 0;
  int wrong = figures->missed + figures->extra;
  for (int i = dc_manifold_vertex_contacts(boxes->manifold); i < boxes->count; i++) {
    const struct dc_manifold_contact *contact = &boxes->contacts[i];
    bool active = contact->activity >= ACTIVE, crossing = crosses(boxes, contact->edges);
    figures->missed += crossing && !active;
    figures->extra += active && !crossing;
    if (!crossing) {
      other = fmax(other, contact->activity);
      continue;
    }
    double angle = angle_of(contact);
    lists->active[figures->crossings] = contact->activity;
    lists->angles[figures->crossings++] = angle;
    figures->within += angle <= 1;
  }
  figures->same += figures->missed + figures->extra == wrong;
  lists->others[figures->poses++] = other;
}

enum dc_status dc_bench_box_edges(double softness, int poses, unsigned seed, struct dc_box_edges *figures,
                                  struct dc_error *error)
{
  struct boxes boxes = {.manifold = NULL};
  double inscribed = pow(3, -0.5 * EXPONENT);  // corners of the cube on its superquadric
  for (int i = 0; i < CORNERS; i++)
    for (int k = 0; k < 3; k++)
      boxes.vertices[i][k] = inscribed * HALF * (i >> k & 1 ? 1 : -1);
  enum dc_status status = create(&boxes, CORNERS, EDGES, softness, seed, error);
  struct lists lists = {.active = NULL};
  if (!status) {
    size_t most = (size_t)poses * PAIR_CONTACTS;
    lists.active = dc_arena_alloc(boxes.arena, most, sizeof(double));
    lists.angles = dc_arena_alloc(boxes.arena, most, sizeof(double));
    lists.others = dc_arena_alloc(boxes.arena, (size_t)poses, sizeof(double));
    if (!lists.active || !lists.angles || !lists.others)
      status = dc_out_of_memory_for(error, "boxes");
  }
  *figures = (struct dc_box_edges){.softness = softness};
  for (int i = 0; i < poses && !status; i++) {
    draw_pose(&boxes, 2 * HALF * inscribed - DEPTH);
    count_edges(&boxes, figures, &lists);
  }
  if (!status && figures->crossings > 0) {
    int count = figures->crossings;
    dc_bench_sort(lists.active, count);
    dc_bench_sort(lists.angles, count);
    dc_bench_sort(lists.others, poses);
    figures->least = lists.active[0];
    figures->low = lists.active[count / 100];
    figures->others = lists.others[poses / 2];
    figures->median = lists.angles[count / 2];
    figures->p90 = lists.angles[count * 9 / 10];
    figures->most = lists.angles[count - 1];
    figures->within /= count;
  }
  destroy(&boxes);
  return status;
}

// Points on the surface of a lattice of LATTICE^3 points on the cube.
static void make_lattice(double (*vertices)[3])
{
  int count = 0;
  for (int i = 0; i < LATTICE * LATTICE * LATTICE; i++) {
    int at[3] = {i % LATTICE, i / LATTICE % LATTICE, i / (LATTICE * LATTICE)};
    bool surface = false;
    for (int k = 0; k < 3; k++)
      surface = surface || at[k] == 0 || at[k] == LATTICE - 1;
    for (int k = 0; k < 3 && surface; k++)
      vertices[count][k] = HALF * (2.0 * at[k] / (LATTICE - 1) - 1);
    count += surface;
  }
}

enum dc_status dc_bench_box_vertices(int poses, unsigned seed, struct dc_box_vertices *figures, struct dc_error *error)
{
  struct boxes boxes = {.manifold = NULL};
  make_lattice(boxes.vertices);
  enum dc_status status = create(&boxes, VERTICES, 0, 0.02, seed, error);
  *figures = (struct dc_box_vertices){.poses = poses};
  for (int n = 0; n < poses && !status; n++) {
    draw_pose(&boxes, 2 * HALF - DEPTH);
    for (int i = 0; i < boxes.count; i++) {
      const struct dc_manifold_contact *contact = &boxes.contacts[i];
      double side = HALF - fmax(fabs(contact->point[0]), fabs(contact->point[1])),
             depth = fmin(side, HALF - fabs(contact->point[2]));
      bool inside = depth > 0, active = contact->distance < 0;
      figures->inside += inside;
      figures->active += active;
      figures->differ += inside != active;
      if (inside != active)
        figures->deepest = fmax(figures->deepest, fabs(depth));
      if (!active)
        continue;
      double *most = side >= AWAY ? &figures->away_most : &figures->near_most;
      figures->away += side >= AWAY;
      *most = fmax(*most, angle_of(contact));
    }
  }
  destroy(&boxes);
  return status;
}

// Edge 2 along x at y = -1.2, edge 1 about the origin at the angle of cosine and sine, both of length 1.
static void turn_edge(double cosine, double sine, double ends[DC_EDGE_ENDS])
{
  const double all[DC_EDGE_ENDS] = {-0.5 * cosine, -0.5 * sine, 0, 0.5 * cosine, 0.5 * sine, 0,
                                    -0.5,          -1.2,        0, 0.5,          -1.2,       0};
  for (int k = 0; k < DC_EDGE_ENDS; k++)
    ends[k] = all[k];
}

// Nearest points at DC_BATCH angles, and their derivatives by the angle.
static void turn_through(const struct dc_edge_smoothing *smoothing, const double *angles, double *alpha, double *slopes)
{
  double ends[DC_EDGE_ENDS][DC_BATCH] DC_LINE, results[DC_EDGE_RESULTS][DC_BATCH] DC_LINE,
      by[DC_EDGE_RESULTS][DC_BATCH] DC_LINE = {{0}}, by_ends[DC_EDGE_ENDS][DC_BATCH] DC_LINE = {{0}};
  const double *in[DC_EDGE_ENDS], *ones[DC_EDGE_RESULTS] = {by[0], by[1], by[2]};
  double *out[DC_EDGE_RESULTS] = {results[0], results[1], results[2]}, *back[DC_EDGE_ENDS];
  for (int k = 0; k < DC_EDGE_ENDS; k++) {
    in[k] = ends[k];
    back[k] = by_ends[k];
  }
  for (int j = 0; j < DC_BATCH; j++) {
    double at[DC_EDGE_ENDS];
    by[0][j] = 1;
    turn_edge(cos(angles[j]), sin(angles[j]), at);
    for (int k = 0; k < DC_EDGE_ENDS; k++)
      ends[k][j] = at[k];
  }
  dc_lane_kernels()->edge_witness(smoothing, DC_BATCH, in, out);
  dc_lane_kernels()->edge_witness_back(smoothing, DC_BATCH, in, ones, back);
  for (int j = 0; j < DC_BATCH; j++) {
    double x = ends[3][j], y = ends[4][j];  // the second end moves by (-y, x), the first against it
    alpha[j] = results[0][j];
    slopes[j] = x * (by_ends[4][j] - by_ends[1][j]) - y * (by_ends[3][j] - by_ends[0][j]);
  }
}

void dc_bench_parallel(double softness, double regularization, struct dc_parallel_sweep *sweep)
{
  const struct dc_edge_smoothing smoothing = {softness, regularization};
  const double step = 1e-4, h = 1e-5;
  double last = NAN, largest = 0, error = 0;
  *sweep = (struct dc_parallel_sweep){.softness = softness, .regularization = regularization};
  for (int i = 0; step * i < M_PI; i++) {
    double angles[DC_BATCH], alpha[DC_BATCH], slopes[DC_BATCH];
    static const double places[DC_BATCH] = {0, -2, -1, 1, 2};
    for (int j = 0; j < DC_BATCH; j++)
      angles[j] = step * i - 0.5 * M_PI + places[j] * h;
    turn_through(&smoothing, angles, alpha, slopes);
    if (i > 0)
      sweep->step = fmax(sweep->step, fabs(alpha[0] - last));
    last = alpha[0];
    largest = fmax(largest, fabs(slopes[0]));
    error = fmax(error, fabs((8 * (alpha[3] - alpha[2]) - (alpha[4] - alpha[1])) / (12 * h) - slopes[0]));
  }
  sweep->slope_error = error / largest;
}
