// SPDX-License-Identifier: Apache-2.0
// Contacts of edges (paper 001, IV.D.3 and IV.D.4).  With the nearest points e_1, e_2 of a pair, D = e_1 - e_2 and the
// core size c,
//     length = sqrt(|D|^2 + c^2) - c,   n_1 = D/(length + c),   n_2 = -n_1,
//     s_1 = tanh(m_2.n_1/t_s),   s_2 = tanh(m_1.n_2/t_s),   m_b the normal of body b's signed distance at its own point;
// the contact at e_b has distance s_b length and normal s_b n_b.  (D must change its sign for the second body: else
// that one gets the wrong sign whenever the bodies are apart.)  Its activity is the product of
//     gamma (both points inside their edges), sigma(-phi_other(e_b)/t_p), sigma((l - m_1.m_2)/t_l), its nearness among
//     the pairs of its own edge, and sigma(-phi_own(e_b)/t_p) where own_surface is set.
// With E = exp(-length/t_n), w = (gamma + 1e-3) E and sums over the other pairs of the same edge,
//     nearness_i = E_i S_i^(-1/4),   S_i = E_i^4 + sum w_j^4,
//     d ln nearness_i = (1 - E_i^4/S_i) d ln E_i - sum (w_j^4/S_i) d ln w_j.
// With levels the nearness is E_i itself, the second factor is left out and the shares of both edges
// (manifold_select.c) are further factors.  Pairs come and go with their shares, so a comparison of pairs would need
// the fourth roots of the shares within it.  Those still count where a share is 1e-16, and change over thousandths of
// the length over which metrics select.
// The paper has a softmax and l = 0 (docs/theory.md, "Contact manifolds", tells what these miss).
#include <math.h>
#include <string.h>

#include "contact/manifold/manifold_internal.h"
#include "math/vector.h"

// Ends of all pairs of selected edges, coordinate by coordinate for the lanes; the last pair fills up the batch.
static void fill_ends(struct dc_manifold *m)
{
  int rows = m->sides[0].edge_selection.rows, columns = m->sides[1].edge_selection.rows;
  for (int c = 0; c < 6; c++)
    for (int k = 0, p = 0; k < rows; k++)
      for (int l = 0; l < columns; l++, p++) {
        m->pair_ends[c][p] = m->sides[0].ends[c][k];
        m->pair_ends[6 + c][p] = m->sides[1].ends[c][l];
      }
  for (int c = 0; c < DC_EDGE_ENDS; c++)
    for (int p = m->pairs; p < m->pair_room; p++)
      m->pair_ends[c][p] = m->pair_ends[c][m->pairs - 1];
}

// Point of edge b of pair p.
static void witness_of(const struct dc_manifold *m, int p, int b, double x[3])
{
  for (int k = 0; k < 3; k++) {
    double start = m->pair_ends[6 * b + k][p];
    x[k] = start + m->results[b][p] * (m->pair_ends[6 * b + 3 + k][p] - start);
  }
}

// Place of e_b of pair p in the fields: points on the same edge follow each other, so that those of a batch are near
// the same parts of a body.
static int in_field(const struct dc_manifold *m, int p, int b)
{
  int rows = m->sides[0].edge_selection.rows, columns = m->sides[1].edge_selection.rows;
  return b ? m->pairs + p % columns * rows + p / columns : p;
}

// Witness points of all pairs in the field of the other body, and their smoothed distance.
static void place_witnesses(struct dc_manifold *m)
{
  for (int p = 0; p < m->pairs; p++) {
    double e[2][3];
    for (int b = 0; b < 2; b++) {
      witness_of(m, p, b, e[b]);
      for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++)
          m->sides[s].witness.x[k][in_field(m, p, b)] = e[b][k];
    }
    struct dc_edge_contact *c = &m->edges[p];
    dc_vec_sub(c->delta, e[0], e[1]);
    double root = sqrt(dc_vec_dot(c->delta, c->delta) + m->settings.core * m->settings.core);
    c->length = root - m->settings.core;
    c->inverse = 1 / root;
  }
  for (int s = 0; s < 2; s++)
    dc_field_evaluate(&m->sides[s], &m->sides[s].witness, m->kernels);
}

static const double IDLE = 1e-3;  // gamma of pairs that do not collide, among the nearest ones

static double fourth_power(double a)
{
  return a * a * (a * a);
}

// The logarithms of E for pairs first, first + stride, ..., which have an edge of body b in common.
static void place_lengths(struct dc_manifold *m, int b, int first, int stride, int count)
{
  double least = INFINITY, sharp = 1 / m->settings.nearest;
  for (int i = 0, p = first; i < count; i++, p += stride)
    least = m->edges[p].length < least ? m->edges[p].length : least;  // a factor of all E and w: it cancels
  for (int i = 0, p = first; i < count; i++, p += stride)
    m->near[b][p] = (least - m->edges[p].length) * sharp;
}

// Nearness b of these pairs from their E.
static void compare_lengths(struct dc_manifold *m, int b, int first, int stride, int count)
{
  double sum = 0;
  for (int i = 0, p = first; i < count; i++, p += stride) {
    struct dc_edge_contact *c = &m->edges[p];
    double e = m->near[b][p];
    c->own_power[b] = fourth_power(e);
    c->power[b] = fourth_power((m->results[2][p] + IDLE) * e);
    sum += c->power[b];
  }
  for (int i = 0, p = first; i < count; i++, p += stride) {
    struct dc_edge_contact *c = &m->edges[p];
    c->powers[b] = c->own_power[b] + (sum - c->power[b]);
    c->near[b] = m->near[b][p] / sqrt(sqrt(c->powers[b]));
  }
}

static void compare_lengths_back(struct dc_manifold *m, int b, int first, int stride, int count)
{
  double sum = 0;
  for (int i = 0, p = first; i < count; i++, p += stride)
    sum += m->edges[p].near[b] * m->edges[p].by_near[b] / m->edges[p].powers[b];
  for (int i = 0, p = first; i < count; i++, p += stride) {
    struct dc_edge_contact *c = &m->edges[p];
    double own = c->near[b] * c->by_near[b], of_others = c->power[b] * (sum - own / c->powers[b]);
    c->by_length -= (own * (1 - c->own_power[b] / c->powers[b]) - of_others) / m->settings.nearest;
    m->by_results[2][p] -= of_others / (m->results[2][p] + IDLE);
  }
}

static void for_all_edges(struct dc_manifold *m, void (*run)(struct dc_manifold *, int, int, int, int))
{
  int rows = m->sides[0].edge_selection.rows, columns = m->sides[1].edge_selection.rows;
  for (int k = 0; k < rows; k++)
    run(m, 0, k * columns, 1, columns);
  for (int l = 0; l < columns; l++)
    run(m, 1, l, columns, rows);
}

// With levels a pair is near by its own length, for the contacts of both bodies.
static void take_own_lengths_back(struct dc_manifold *m)
{
  for (int p = 0; p < m->pairs; p++)
    for (int b = 0; b < 2; b++)
      m->edges[p].by_length -= m->edges[p].near[b] * m->edges[p].by_near[b] / m->settings.nearest;
}

// The nearness of each pair among those of its edges, by exponentials of their lengths.
static void set_nearness(struct dc_manifold *m)
{
  int lists = m->settings.levels ? 1 : 2;
  if (!m->settings.levels)
    for_all_edges(m, place_lengths);
  for (int p = 0; m->settings.levels && p < m->pairs; p++)
    m->near[0][p] = -m->edges[p].length / m->settings.nearest;
  for (int b = 0; b < lists; b++) {
    for (int p = m->pairs; p < m->pair_room; p++)
      m->near[b][p] = 0;
    m->kernels->exponentials(m->pair_room, m->near[b]);
  }
  if (!m->settings.levels)
    for_all_edges(m, compare_lengths);
  for (int p = 0; m->settings.levels && p < m->pairs; p++)
    m->edges[p].near[0] = m->edges[p].near[1] = m->near[0][p];
}

static void set_nearness_back(struct dc_manifold *m)
{
  if (m->settings.levels)
    take_own_lengths_back(m);
  else
    for_all_edges(m, compare_lengths_back);
}

static void field_gradient(const struct dc_field *field, int i, double g[3])
{
  for (int k = 0; k < 3; k++)
    g[k] = field->g[k][i];
}

// Arguments of the sigmoids of a pair.
static void place_pair(struct dc_manifold *m, int p)
{
  struct dc_edge_contact *c = &m->edges[p];
  double sharp = 1 / m->settings.penetration;
  for (int b = 0; b < 2; b++) {
    double g[3];
    field_gradient(&m->sides[b].witness, in_field(m, p, b), g);
    dc_sdf_normal(g, c->normal[b]);
  }
  for (int b = 0; b < 2; b++) {
    int i = in_field(m, p, b);
    double along = dc_vec_dot(c->normal[1 - b], c->delta) * c->inverse * (b ? -1 : 1);
    m->soft[DC_EDGE_SIGN + b][p] = 2 * along / m->settings.sign;
    m->soft[DC_EDGE_INSIDE + b][p] = -sharp * m->sides[1 - b].witness.value[i];
    m->soft[DC_EDGE_OWN + b][p] = -sharp * m->sides[b].witness.value[i];
  }
  m->soft[DC_EDGE_CLASH][p] = (m->settings.clash_limit - dc_vec_dot(c->normal[0], c->normal[1])) / m->settings.clash;
}

// Evaluates the sigmoids of all pairs of which activities are products: signs, being inside, own surface, clash.
static void measure(struct dc_manifold *m)
{
  for (int p = 0; p < m->pairs; p++)
    place_pair(m, p);
  for (int k = 0; k < DC_EDGE_SOFT; k++) {
    for (int p = m->pairs; p < m->pair_room; p++)
      m->soft[k][p] = 0;
    m->kernels->sigmoids(m->pair_room, m->soft[k]);
  }
  for (int p = 0; p < m->pairs; p++) {
    struct dc_edge_contact *c = &m->edges[p];
    for (int b = 0; b < 2; b++) {
      c->sign[b] = 2 * m->soft[DC_EDGE_SIGN + b][p] - 1;
      c->inside[b] = m->settings.levels ? 1 : m->soft[DC_EDGE_INSIDE + b][p];
      c->own[b] = m->settings.own_surface ? m->soft[DC_EDGE_OWN + b][p] : 1;
    }
    c->clash = m->soft[DC_EDGE_CLASH][p];
  }
}

// Row of the edge of body s of pair p in the selection of that body.
static int row_of(const struct dc_manifold *m, int p, int s)
{
  int columns = m->sides[1].edge_selection.rows;
  return s ? p % columns : p / columns;
}

static double share_of(const struct dc_manifold *m, int p, int s)
{
  return m->sides[s].edge_selection.share[row_of(m, p, s)];
}

static double activity_of(const struct dc_manifold *m, int p, int b)
{
  const struct dc_edge_contact *c = &m->edges[p];
  return m->results[2][p] * c->inside[b] * c->near[b] * c->clash * c->own[b] * share_of(m, p, 0) * share_of(m, p, 1);
}

// Contacts of edges: ends of the selected edges, witness points by the kernels, their level sets and nearness, then two
// contacts for each pair, one on each body.
void dc_edges_evaluate(struct dc_manifold *m, struct dc_manifold_contact *contacts)
{
  int columns = m->sides[1].edge_selection.rows;
  m->pairs = m->sides[0].edge_selection.rows * columns;
  m->pair_room = dc_whole_batches(m->pairs);
  for (int s = 0; s < 2; s++)
    m->sides[s].witness.count = 2 * m->pairs;
  fill_ends(m);
  m->kernels->edge_witness(&m->settings.edge, m->pair_room, (const double *const *)m->pair_ends, m->results);
  place_witnesses(m);
  set_nearness(m);
  measure(m);
  for (int p = 0; p < m->pairs; p++) {
    const struct dc_edge_contact *c = &m->edges[p];
    const int rows[2] = {p / columns, p % columns};
    for (int b = 0; b < 2; b++) {
      struct dc_manifold_contact *contact = &contacts[2 * p + b];
      double factor = c->sign[b] * (b ? -c->inverse : c->inverse), e[3];
      *contact = (struct dc_manifold_contact){.body = b, .vertex = -1, .edges = {rows[0], rows[1]}};
      witness_of(m, p, b, e);
      dc_vec_add(contact->point, e, m->origin);
      contact->distance = c->sign[b] * c->length;
      dc_vec_scale(contact->normal, c->delta, factor);
      if (m->settings.levels) {
        const struct dc_field *field = &m->sides[1 - b].witness;
        for (int s = 0; s < 2; s++)
          contact->edges[s] = m->sides[s].edge_selection.all ? rows[s] : m->sides[s].edge_selection.index[rows[s]];
        contact->distance = field->value[in_field(m, p, b)];
        field_gradient(field, in_field(m, p, b), contact->normal);
      }
      contact->activity = activity_of(m, p, b);
    }
  }
}

// Cotangents of the factors of an activity: gamma, inside, near, clash, own and the shares of both edges.
static void take_activity(struct dc_manifold *m, int p, int b, double by, double *by_clash)
{
  struct dc_edge_contact *c = &m->edges[p];
  double gamma = m->results[2][p], t = m->settings.penetration, shares[2] = {share_of(m, p, 0), share_of(m, p, 1)};
  double but_gamma = c->inside[b] * c->near[b] * c->clash * c->own[b];
  int i = in_field(m, p, b);
  for (int s = 0; s < 2; s++)
    m->sides[s].edge_selection.by_share[row_of(m, p, s)] += by * gamma * but_gamma * shares[1 - s];
  by *= shares[0] * shares[1];
  m->by_results[2][p] += by * but_gamma;
  c->by_near[b] = by * gamma * c->inside[b] * c->clash * c->own[b];
  *by_clash += by * gamma * c->inside[b] * c->near[b] * c->own[b];
  m->sides[1 - b].witness.v[i] -= by * gamma * but_gamma * (1 - c->inside[b]) / t;
  if (m->settings.own_surface)
    m->sides[b].witness.v[i] -= by * gamma * but_gamma * (1 - c->own[b]) / t;
}

static void take_level(struct dc_field *field, int i, const struct dc_manifold_cotangent *by)
{
  field->v[i] += by->distance;
  for (int k = 0; k < 3; k++)
    field->u[k][i] += by->normal[k];
}

// Cotangents of a pair but for those by its length: by_delta, of the normals of the fields and of the activity's
// factors.
static void take_pair(struct dc_manifold *m, int p, const struct dc_manifold_cotangent *by, double by_delta[3])
{
  struct dc_edge_contact *c = &m->edges[p];
  double by_normal[2][3] = {{0}}, by_clash = 0;
  memset(by_delta, 0, 3 * sizeof *by_delta);
  c->by_length = 0;
  for (int b = 0; b < 2; b++) {
    double n[3], by_n[3], side = b ? -1 : 1;
    take_activity(m, p, b, by[b].activity, &by_clash);
    if (m->settings.levels) {
      take_level(&m->sides[1 - b].witness, in_field(m, p, b), &by[b]);
      continue;
    }
    dc_vec_scale(n, c->delta, side * c->inverse);
    double by_sign = by[b].distance * c->length + dc_vec_dot(by[b].normal, n);
    double by_along = by_sign * (1 - c->sign[b] * c->sign[b]) / m->settings.sign;
    c->by_length += by[b].distance * c->sign[b];
    dc_vec_scale(by_n, by[b].normal, c->sign[b]);
    dc_vec_add_scaled(by_n, by_n, by_along, c->normal[1 - b]);
    dc_vec_add_scaled(by_normal[1 - b], by_normal[1 - b], by_along, n);
    double along = dc_vec_dot(n, by_n);
    for (int k = 0; k < 3; k++)
      by_delta[k] += side * c->inverse * (by_n[k] - along * n[k]);
  }
  double by_cosine = -by_clash * c->clash * (1 - c->clash) / m->settings.clash;
  for (int b = 0; b < 2; b++) {
    int i = in_field(m, p, b);
    double g[3], by_g[3] = {0, 0, 0};
    struct dc_field *field = &m->sides[b].witness;
    dc_vec_add_scaled(by_normal[b], by_normal[b], by_cosine, c->normal[1 - b]);
    if (by_normal[b][0] == 0 && by_normal[b][1] == 0 && by_normal[b][2] == 0)
      continue;
    field_gradient(field, i, g);
    dc_sdf_normal_pull_back(g, by_normal[b], by_g);
    for (int k = 0; k < 3; k++)
      field->u[k][i] += by_g[k];
  }
}

// Cotangents of the points of a pair to those of its edges and of alpha.
static void take_points(struct dc_manifold *m, int p, const struct dc_manifold_cotangent *by, const double by_delta[3])
{
  const struct dc_edge_contact *c = &m->edges[p];
  for (int b = 0; b < 2; b++) {
    int i = in_field(m, p, b);
    double alpha = m->results[b][p], by_alpha = 0;
    for (int k = 0; k < 3; k++) {
      double whole = by_delta[k] + c->by_length * c->inverse * c->delta[k];
      double by_e =
          by[b].point[k] + (b ? -whole : whole) + m->sides[0].witness.by_x[k][i] + m->sides[1].witness.by_x[k][i];
      by_alpha += by_e * (m->pair_ends[6 * b + 3 + k][p] - m->pair_ends[6 * b + k][p]);
      m->by_pair_ends[6 * b + k][p] = (1 - alpha) * by_e;
      m->by_pair_ends[6 * b + 3 + k][p] = alpha * by_e;
    }
    m->by_results[b][p] = by_alpha;
  }
}

// The transposed of fill_ends.
static void gather_ends(struct dc_manifold *m)
{
  int rows = m->sides[0].edge_selection.rows, columns = m->sides[1].edge_selection.rows;
  for (int c = 0; c < 6; c++) {
    memset(m->sides[0].by_ends[c], 0, (size_t)rows * sizeof(double));
    memset(m->sides[1].by_ends[c], 0, (size_t)columns * sizeof(double));
    for (int k = 0, p = 0; k < rows; k++)
      for (int l = 0; l < columns; l++, p++) {
        m->sides[0].by_ends[c][k] += m->by_pair_ends[c][p];
        m->sides[1].by_ends[c][l] += m->by_pair_ends[6 + c][p];
      }
  }
}

// Adjoint of dc_edges_evaluate, its steps in reverse order.
void dc_edges_pull_back(struct dc_manifold *m, const struct dc_manifold_cotangent *by, double twists[2][6],
                        double *const parameters[2])
{
  for (int s = 0; s < 2; s++) {
    struct dc_selection *selection = &m->sides[s].edge_selection;
    dc_field_clear(&m->sides[s].witness);
    memset(selection->by_share, 0, (size_t)selection->rows * sizeof *selection->by_share);
  }
  for (int c = 0; c < DC_EDGE_RESULTS; c++)
    memset(m->by_results[c], 0, (size_t)m->pair_room * sizeof(double));
  for (int c = 0; c < DC_EDGE_ENDS; c++)
    memset(m->by_pair_ends[c], 0, (size_t)m->pair_room * sizeof(double));
  for (int p = 0; p < m->pairs; p++)
    take_pair(m, p, &by[2 * p], m->edges[p].by_delta);
  set_nearness_back(m);
  for (int s = 0; s < 2; s++)
    dc_field_pull_back(&m->sides[s], &m->sides[s].witness, m->kernels, twists[s], parameters ? parameters[s] : NULL);
  for (int p = 0; p < m->pairs; p++)
    take_points(m, p, &by[2 * p], m->edges[p].by_delta);
  m->kernels->edge_witness_back(&m->settings.edge, m->pair_room, (const double *const *)m->pair_ends,
                                (const double *const *)m->by_results, m->by_pair_ends);
  gather_ends(m);
}
