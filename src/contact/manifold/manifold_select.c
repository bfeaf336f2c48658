// SPDX-License-Identifier: Apache-2.0
// Soft top-K (NeuralSort; docs/theory.md, "Contact manifolds", "Selection").  Of n candidates with metrics m_i and
// softness t, row k (from 0) weighs candidate i by
//     w_ki = softmax_i(L_ki SHARP/t),   L_ki = (n - 1 - 2k) m_i - sum_j phi(m_i - m_j),
// phi an absolute value that is four times differentiable: with u = (m_i - m_j)/t, phi(u t) = |u| t beyond |u| = 1, and
// within, phi/t is 1 at |u| = 1 and has the slope (35 u - 35 u^3 + 21 u^5 - 5 u^7)/16.  A row that follows the k-th
// largest metric itself (SoftSort) has a kink where another candidate takes that place.
//
// In descending order, with phi = |.| + e, differences of the first part are sums over the gaps between neighbours,
//     L_k,i+1 - L_ki = -(2 (i - k) + 1) (m_i - m_i+1)   for i >= k,   and likewise upwards,
// which need no candidate that is far away, and e is 0 beyond t.  Each part has a kink where metrics are equal, their
// sum has none: both parts take the order for the sign of a difference of 0.
//
// A row is a mixture of candidates, and moves by their distance from each other while a metric changes by t: a thousand
// times faster than the bodies do.  With shares (the contact model) candidates are not mixed.  A step s(u) = (1 +
// phi'(u t))/2 from 0 to 1 within [-1, 1] gives ranks r_i = sum_j s((m_j - m_i)/t) over the others, and the share of i
// is
//     s(2 (K - r_i) - 1),
// 1 for the first K where no metrics are within t of each other, 1/2 for two that are equal in places K and K + 1, and
// 0 for more than 2 K that are equal.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/manifold/manifold_internal.h"

static const double SHARP = 2;
static const double REACH = 37;                // -log of the least weight that counts: 1e-16
static const double MOST_EXCESS = 4.375 / 16;  // e(0)

// Room for the selection of `rows` among the candidates by a soft ranking; with enough rows for all of them nothing is
// ranked.
int dc_selection_create(struct dc_selection *selection, int candidates, int rows, bool shares, struct dc_arena *arena)
{
  size_t room = (size_t)candidates + 1;
  selection->candidates = candidates;
  selection->all = rows <= 0 || rows >= candidates;
  selection->shares = shares && !selection->all;
  selection->rows = selection->wanted = selection->all ? candidates : rows;
  selection->most = !selection->shares ? selection->rows : 2 * rows < candidates ? 2 * rows : candidates;
  selection->room = selection->all ? 1 : selection->shares ? (size_t)selection->most : (size_t)rows * room;
  size_t most = (size_t)selection->most + 1;
  if (!(selection->order = dc_arena_alloc(arena, room, sizeof *selection->order)) ||
      !(selection->metric = dc_arena_alloc(arena, room, sizeof *selection->metric)) ||
      !(selection->excess = dc_arena_alloc(arena, room, sizeof *selection->excess)) ||
      !(selection->by_excess = dc_arena_alloc(arena, room, sizeof *selection->by_excess)) ||
      !(selection->first = dc_arena_alloc(arena, most, sizeof *selection->first)) ||
      !(selection->start = dc_arena_alloc(arena, most, sizeof *selection->start)) ||
      !(selection->index = dc_arena_alloc(arena, selection->room, sizeof *selection->index)) ||
      !(selection->weight = dc_arena_alloc(arena, selection->room, sizeof *selection->weight)) ||
      !(selection->share = dc_arena_alloc(arena, most, sizeof *selection->share)) ||
      !(selection->by_share = dc_arena_alloc(arena, most, sizeof *selection->by_share)) ||
      !(selection->rank = dc_arena_alloc(arena, most, sizeof *selection->rank)))
    return -1;
  for (size_t i = 0; i < most; i++)
    selection->share[i] = 1;
  return 0;
}

// Whether i comes before j: larger metric, then smaller index.
static bool before(const struct dc_selection *s, int i, int j)
{
  return s->metric[i] > s->metric[j] || (s->metric[i] == s->metric[j] && i < j);
}

static double metric_at(const struct dc_selection *s, int place)
{
  return s->metric[s->order[place]];
}

// Lets the entry at a place of a heap sink to where it belongs; all others are in place.  In the heap each
// entry comes before both below it (sign 1), or after them (-1).
static void sift(const struct dc_selection *s, int sign, int *heap, int count, int at)
{
  for (int child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && before(s, heap[child + 1], heap[child]) == (sign > 0))
      child++;
    if (before(s, heap[child], heap[at]) != (sign > 0))
      return;
    int swap = heap[at];
    heap[at] = heap[child];
    heap[child] = swap;
  }
}

static void make_heap(const struct dc_selection *s, int sign, int *heap, int count)
{
  for (int i = count / 2 - 1; i >= 0; i--)
    sift(s, sign, heap, count, i);
}

// The metric of the last candidate that is wanted: most candidates are compared with the least of a heap of that many
// and nothing else.  At least one is wanted.
static double last_wanted(struct dc_selection *s)
{
  int *heap = s->order, wanted = s->wanted;
  for (int i = 0; i < wanted; i++)
    heap[i] = i;
  make_heap(s, -1, heap, wanted);
  double least = s->metric[heap[0]];
  for (int i = wanted; i < s->candidates; i++)
    if (s->metric[i] > least) {
      heap[0] = i;
      sift(s, -1, heap, wanted, 0);
      least = s->metric[heap[0]];
    }
  return least;
}

// All candidates whose metrics are within reach + more n of the last one that is wanted, n their number, into the
// order.
static int gather(struct dc_selection *s, double reach, double more)
{
  double last = last_wanted(s);
  for (int count, taken = s->wanted;; taken = count) {
    double bar = last - (reach + more * taken);
    count = 0;
    for (int i = 0; i < s->candidates; i++) {
      s->order[count] = i;
      count += s->metric[i] >= bar;
    }
    if (count <= taken)
      return count;
  }
}

// Sorts the first of these gathered candidates; how many.  For mixtures it is enough to go on until the weights of the
// last row are 0, as those of rows before it are by then, and further over the softness, where excesses come from.
static int sort(struct dc_selection *s, int count, double softness)
{
  int *heap = s->order, taken = 0;
  double fall = 0, last = INFINITY, end = -INFINITY;
  make_heap(s, 1, heap, count);
  for (int left = count; left > 0 && s->metric[heap[0]] >= end; taken++) {
    int best = heap[0];
    if (!s->shares && taken >= s->wanted && fall <= REACH / SHARP + MOST_EXCESS * taken) {
      fall += (2 * (taken - s->wanted) + 1) * (last - s->metric[best]) / softness;
      if (fall > REACH / SHARP + MOST_EXCESS * taken)
        end = s->metric[best] - softness;
    }
    last = s->metric[best];
    heap[0] = heap[--left];
    heap[left] = best;
    sift(s, 1, heap, left, 0);
  }
  for (int i = 0, j = count - 1; i < j; i++, j--) {
    int swap = heap[i];
    heap[i] = heap[j];
    heap[j] = swap;
  }
  return taken;
}

// s and its derivative 35 (1 - u^2)^3/32.  In this form small values keep their relative precision.
static double step_of(double u, double *slope)
{
  double rest = 1 - u * u, from = 1 + u;
  *slope = 0;
  if (!(fabs(u) < 1))
    return u < 0 ? 0 : 1;
  *slope = 35. / 32 * rest * rest * rest;
  return from * from * from * from * (16 - u * (29 - u * (20 - 5 * u))) / 32;
}

// e = phi - |.| and its derivative at u in [0, 1], in units of t.
static double excess_of(double u, double *slope)
{
  double square = u * u;
  *slope = u * (35 - square * (35 - square * (21 - 5 * square))) / 16 - 1;
  return (4.375 + square * (17.5 - square * (8.75 - square * (3.5 - 0.625 * square)))) / 16 - u;
}

// sum_j e(m_i - m_j) over all candidates, i itself among them, for every candidate i in order, in units of t.
static void sum_excess(struct dc_selection *s, double softness)
{
  double slope;
  for (int i = 0; i < s->sorted; i++)
    s->excess[i] = excess_of(0, &slope);
  for (int i = 0; i < s->sorted; i++)
    for (int j = i + 1; j < s->sorted; j++) {
      double u = (metric_at(s, i) - metric_at(s, j)) / softness;
      if (u >= 1)
        break;
      double e = excess_of(u, &slope);
      s->excess[i] += e;
      s->excess[j] += e;
    }
}

// Row k: candidates from the first place to the last one that counts, their logarithms, then weights.
static int weigh_row(struct dc_selection *s, int row, double softness, int count)
{
  double fall = 0, least = -REACH / SHARP - s->excess[row], most = -INFINITY, sum = 0;
  int first = row, last = row, start = count;
  for (; first > 0; first--) {
    double next = fall - (2 * (row - first) + 1) * (metric_at(s, first - 1) - metric_at(s, first)) / softness;
    if (next < least)
      break;
    fall = next;
  }
  for (int place = first; place <= row; place++) {  // the same sums the other way
    if (place > first)
      fall += (2 * (row - place) + 1) * (metric_at(s, place - 1) - metric_at(s, place)) / softness;
    s->weight[count++] = (place == row ? 0 : fall) - s->excess[place];
  }
  for (fall = 0; last + 1 < s->sorted; last++) {
    fall -= (2 * (last - row) + 1) * (metric_at(s, last) - metric_at(s, last + 1)) / softness;
    if (fall < least)
      break;
    s->weight[count++] = fall - s->excess[last + 1];
  }
  for (int i = start; i < count; i++)
    most = fmax(most, s->weight[i]);
  for (int i = start; i < count; i++) {
    s->index[i] = s->order[first + i - start];
    sum += s->weight[i] = exp(SHARP * (s->weight[i] - most));
  }
  for (int i = start; i < count; i++)
    s->weight[i] /= sum;
  s->first[row] = first;
  return count;
}

// The share of a candidate: 1 up to rank K - 1, 0 from rank K on.
static double share_of(double rank, int wanted, double *slope)
{
  double share = step_of(2 * (wanted - rank) - 1, slope);
  *slope *= -2;
  return share;
}

// At most 2 K have a share: each of the p candidates before place p adds 1/2 or more to its rank.
static void weigh_shares(struct dc_selection *s, double softness)
{
  s->sorted = sort(s, gather(s, 2 * softness, 0), softness);
  s->rows = 0;
  for (int place = 0; place < s->sorted && s->rows < s->most; place++) {
    double rank = 0, slope;
    for (int j = 0; j < s->sorted; j++)
      rank += j == place ? 0 : step_of((metric_at(s, j) - metric_at(s, place)) / softness, &slope);
    double share = share_of(rank, s->wanted, &slope);
    if (!(share > 0))
      break;
    s->start[s->rows] = s->rows;
    s->index[s->rows] = s->order[place];
    s->weight[s->rows] = 1;
    s->rank[s->rows] = rank;
    s->share[s->rows++] = share;
  }
  s->start[s->rows] = s->rows;
}

// Finds the weights of the candidates in every row: sort those near enough, sum their excess over others, weigh row by
// row.
void dc_selection_weigh(struct dc_selection *s, double softness)
{
  int count = 0;
  if (s->all)
    return;
  if (s->shares) {
    weigh_shares(s, softness);
    return;
  }
  s->sorted = sort(s, gather(s, softness * REACH / SHARP, softness * MOST_EXCESS), softness);
  sum_excess(s, softness);
  for (int row = 0; row < s->rows; row++) {
    s->start[row] = count;
    count = weigh_row(s, row, softness, count);
  }
  s->start[s->rows] = count;
}

// From cotangents of a row's weights to those of the gaps between metrics; those of the excesses are summed in
// by_excess.
static void pull_row(const struct dc_selection *s, int row, double scale, const double *by_weight, double *by_metric)
{
  int first = s->first[row], start = s->start[row], end = s->start[row + 1], own = start + row - first;
  double mean = 0, beyond = 0;
  for (int i = start; i < end; i++)
    mean += s->weight[i] * by_weight[i];
  for (int i = start; i < end; i++)
    s->by_excess[first + i - start] -= SHARP * s->weight[i] * (by_weight[i] - mean);
  for (int i = start; i < own; i++) {  // the gap between i and the next one
    beyond += SHARP * s->weight[i] * (by_weight[i] - mean);
    double by_gap = -(2 * (own - i) - 1) * scale * beyond;
    by_metric[s->index[i]] += by_gap;
    by_metric[s->index[i + 1]] -= by_gap;
  }
  beyond = 0;
  for (int i = end - 1; i > own; i--) {
    beyond += SHARP * s->weight[i] * (by_weight[i] - mean);
    double by_gap = -(2 * (i - own) - 1) * scale * beyond;
    by_metric[s->index[i - 1]] += by_gap;
    by_metric[s->index[i]] -= by_gap;
  }
}

static void pull_shares(const struct dc_selection *s, double scale, double *by_metric)
{
  for (int row = 0; row < s->rows; row++) {
    double slope, change;
    share_of(s->rank[row], s->wanted, &slope);
    for (int j = 0; j < s->sorted; j++) {
      step_of((metric_at(s, j) - metric_at(s, row)) * scale, &change);
      change *= scale * slope * s->by_share[row];
      by_metric[s->order[j]] += change;
      by_metric[s->order[row]] -= change;
    }
  }
}

// Adjoint of the weights: by_metric gets what by_weight gives, through the excess of one candidate over another.
void dc_selection_pull_back(const struct dc_selection *s, double softness, const double *by_weight, double *by_metric)
{
  double scale = 1 / softness;
  if (s->shares) {
    pull_shares(s, scale, by_metric);
    return;
  }
  memset(s->by_excess, 0, (size_t)s->sorted * sizeof *s->by_excess);
  for (int row = 0; row < s->rows; row++)
    pull_row(s, row, scale, by_weight, by_metric);
  for (int i = 0; i < s->sorted; i++)
    for (int j = i + 1; j < s->sorted; j++) {
      double slope, u = (metric_at(s, i) - metric_at(s, j)) * scale;
      if (u >= 1)
        break;
      excess_of(u, &slope);
      slope *= scale * (s->by_excess[i] + s->by_excess[j]);
      by_metric[s->order[i]] += slope;
      by_metric[s->order[j]] -= slope;
    }
}
