// SPDX-License-Identifier: Apache-2.0
// Soft top-K (SoftSort): row k weighs candidates by exp(-(m_(k) - m_i)^2/t^2), m_(k) the k-th largest metric.  The squares
// make it once differentiable where metrics meet.  Weights below 1e-14 of the largest are left out.
#include <math.h>
#include <stdlib.h>

#include "contact/manifold/manifold_internal.h"

static const double REACH = 32.24;  // -log 1e-14

int dc_selection_create(struct dc_selection *selection, int candidates, int rows, struct dc_arena *arena)
{
  selection->all = rows <= 0 || rows >= candidates;
  selection->rows = selection->all ? candidates : rows;
  selection->candidates = candidates;
  size_t entries = selection->all ? 1 : (size_t)rows * DC_SELECTION_MOST;
  selection->order = dc_arena_alloc(arena, (size_t)candidates, sizeof *selection->order);
  selection->metric = dc_arena_alloc(arena, (size_t)candidates, sizeof *selection->metric);
  selection->start = dc_arena_alloc(arena, (size_t)selection->rows + 1, sizeof *selection->start);
  selection->index = dc_arena_alloc(arena, entries, sizeof *selection->index);
  selection->weight = dc_arena_alloc(arena, entries, sizeof *selection->weight);
  return selection->order && selection->metric && selection->start && selection->index && selection->weight ? 0 : -1;
}

// Whether i comes before j: larger metric, then smaller index.
static bool before(const struct dc_selection *s, int i, int j)
{
  return s->metric[i] > s->metric[j] || (s->metric[i] == s->metric[j] && i < j);
}

static void sift(const struct dc_selection *s, int *heap, int count, int at)
{
  for (int child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && before(s, heap[child + 1], heap[child]))
      child++;
    if (!before(s, heap[child], heap[at]))
      return;
    int swap = heap[at];
    heap[at] = heap[child];
    heap[child] = swap;
  }
}

// The first `wanted` of the order, by a heap: the rest is not sorted.
static void sort(struct dc_selection *s, int wanted)
{
  int *heap = s->order, count = s->candidates;
  for (int i = 0; i < count; i++)
    heap[i] = i;
  for (int i = count / 2 - 1; i >= 0; i--)
    sift(s, heap, count, i);
  // the largest move to the end one after the other, then the end is turned round
  int taken = 0;
  for (; taken < wanted && count > 0; taken++) {
    int swap = heap[0];
    heap[0] = heap[--count];
    heap[count] = swap;
    sift(s, heap, count, 0);
  }
  for (int i = 0, j = s->candidates - 1; i < j; i++, j--) {
    int swap = heap[i];
    heap[i] = heap[j];
    heap[j] = swap;
  }
}

void dc_selection_weigh(struct dc_selection *s, double softness)
{
  int count = 0, sorted = s->rows + DC_SELECTION_MOST / 2;
  if (s->all)
    return;
  sorted = sorted < s->candidates ? sorted : s->candidates;
  sort(s, sorted);
  for (int row = 0; row < s->rows; row++) {
    double at = s->metric[s->order[row]], sum = 0;
    int low = row - DC_SELECTION_MOST / 2, high = row + DC_SELECTION_MOST / 2;
    s->start[row] = count;
    for (int i = low > 0 ? low : 0; i < high && i < sorted; i++) {
      double u = (at - s->metric[s->order[i]]) / softness;
      if (u * u > REACH)
        continue;
      s->index[count] = s->order[i];
      sum += s->weight[count++] = exp(-u * u);
    }
    for (int i = s->start[row]; i < count; i++)
      s->weight[i] /= sum;
  }
  s->start[s->rows] = count;
}

void dc_selection_pull_back(const struct dc_selection *s, double softness, const double *by_weight, double *by_metric)
{
  double scale = 2 / (softness * softness);
  for (int row = 0; row < s->rows; row++) {
    double mean = 0, at = s->metric[s->order[row]];
    for (int i = s->start[row]; i < s->start[row + 1]; i++)
      mean += s->weight[i] * by_weight[i];
    for (int i = s->start[row]; i < s->start[row + 1]; i++) {
      double change = -s->weight[i] * (by_weight[i] - mean) * scale * (at - s->metric[s->index[i]]);
      by_metric[s->order[row]] += change;
      by_metric[s->index[i]] -= change;
    }
  }
}
