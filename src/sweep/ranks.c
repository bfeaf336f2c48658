// SPDX-License-Identifier: Apache-2.0
// The protocol between ranks: messages of a kind, a number and a text.  A free rank asks for a point; rank 0 answers
// with a point, with "nothing more", or with "stop", which it also sends unasked.  A rank that ends says so, and rank
// 0 ends last.
//
//    other rank: HELLO, then waits;  ASK, runs the point, ROW, and so on;  BROKEN if it cannot go on;  LEFT
//    rank 0:     BEGIN;              POINT or NOTHING;                     STOP to all;                waits for all LEFT
//
// Nobody waits for an answer while processes of points are running: messages are looked at between other work.
#include "sweep/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/transport.h"

enum { LONGEST = 16384 };  // bytes of a message

enum kind {
  HELLO,    // to rank 0: version and study
  BEGIN,    // from rank 0: the directory
  ASK,      // to rank 0
  POINT,    // from rank 0
  NOTHING,  // from rank 0: there is no point more
  STOP,     // from rank 0: write checkpoints and end
  ROW,      // to rank 0: a line of the journal
  BROKEN,   // to rank 0: the sweep cannot go on; number is the status
  LEFT      // to rank 0: the last message
};

struct message {
  int64_t kind, number;
  char text[LONGEST];
};

// Rank 0 uses left, told_to_stop and identity; other ranks use asked, nothing_more, said_broken, said_left and point.
struct dc_ranks {
  struct dc_transport transport;
  int left;           // rank 0: number of other ranks that have left
  bool told_to_stop;  // rank 0: the others have been told
  bool asked, nothing_more, said_broken, said_left;
  char identity[64];
  long point;  // given to this rank, or -1
  struct message in;
};

// Sends a message; texts are cut at LONGEST, and only as many bytes as there are go out.
static void send_message(struct dc_ranks *ranks, int to, enum kind kind, long number, const char *text)
{
  struct message out = {.kind = kind, .number = number};
  size_t length = text ? strnlen(text, LONGEST - 1) : 0;
  if (length)
    memcpy(out.text, text, length);
  ranks->transport.send(to, &out, (int)(offsetof(struct message, text) + length + 1));
}

// Takes the next message and its sender; false when there is none.
static bool receive(struct dc_ranks *ranks, int *from)
{
  if (ranks->transport.look(from) < 0)
    return false;
  int size = ranks->transport.receive(*from, &ranks->in, sizeof ranks->in);
  return size > (int)offsetof(struct message, text);
}

// One rank alone is a sweep without ranks: *ranks stays NULL.
enum dc_status dc_ranks_start(const char *program, bool asked, struct dc_ranks **ranks, struct dc_error *error)
{
  *ranks = NULL;
  struct dc_ranks *made = calloc(1, sizeof *made);
  if (!made)
    return dc_out_of_memory_for(error, "the ranks");
  made->point = -1;
  enum dc_status status = dc_transport_open(program, asked, &made->transport, error);
  if (status || made->transport.ranks == 1) {
    free(made);
    return status;
  }
  *ranks = made;
  return DC_OK;
}

// Called by every rank when all have said LEFT, as MPI ends for all together.
void dc_ranks_finish(struct dc_ranks *ranks)
{
  if (!ranks)
    return;
  ranks->transport.finish();
  free(ranks);
}

// Rank 0 leads, and runs points, too.
bool dc_ranks_is_worker(const struct dc_ranks *ranks)
{
  return ranks->transport.rank > 0;
}

// Version and hash of the study: ranks that differ in one of them would fill one table with two studies.
static void print_identity(char identity[64], uint64_t study)
{
  snprintf(identity, 64, "%.30s %016" PRIx64, dcsim_version(), study);
}

// A rank other than 0 says which study it has read and waits until rank 0 lets it start.
bool dc_ranks_wait_for_start(struct dc_sweep *sweep, uint64_t study)
{
  struct dc_ranks *ranks = sweep->ranks;
  char identity[64];
  int from;
  print_identity(identity, study);
  send_message(ranks, 0, HELLO, 0, identity);
  // Polls, since libraries of MPI spin in a receive that waits, on a core that rank 0 may need for its checks.
  for (;; usleep(2000)) {
    if (!receive(ranks, &from))
      continue;
    if (ranks->in.kind == STOP) {
      send_message(ranks, 0, LEFT, 0, NULL);
      return false;
    }
    if (ranks->in.kind != BEGIN || !sweep->study)
      continue;
    sweep->directory = strdup(ranks->in.text);
    sweep->place.directory = sweep->directory;
    return sweep->directory != NULL;
  }
}

// From rank 0 to every other one, in their order.
static void tell_all(struct dc_ranks *ranks, enum kind kind, const char *text)
{
  for (int i = 1; i < ranks->transport.ranks; i++)
    send_message(ranks, i, kind, 0, text);
}

// The identity is kept, since the others' greetings may still be under way.
void dc_ranks_begin(struct dc_sweep *sweep, uint64_t study)
{
  print_identity(sweep->ranks->identity, study);
  tell_all(sweep->ranks, BEGIN, sweep->directory);
}

// Tells all ranks to stop before anything has begun, and waits until they have left.
void dc_ranks_dismiss(struct dc_ranks *ranks)
{
  int from;
  tell_all(ranks, STOP, NULL);
  while (ranks->left < ranks->transport.ranks - 1)
    if (!receive(ranks, &from))
      usleep(1000);
    else if (ranks->in.kind == LEFT)
      ranks->left++;
}

// Rank 0 answers a rank that asks for work: the next point, NOTHING when none is left, STOP when the sweep is stopping.
static void give_point(struct dc_sweep *sweep, int to)
{
  long point;
  if (sweep->stopping) {
    send_message(sweep->ranks, to, STOP, 0, NULL);
  } else if (dc_sweep_take(sweep, &point)) {
    sweep->running_there++;
    send_message(sweep->ranks, to, POINT, point, NULL);
  } else {
    send_message(sweep->ranks, to, NOTHING, 0, NULL);
  }
}

// Rank 0 puts the row that another rank has sent into the journal.
static void take_row(struct dc_sweep *sweep)
{
  struct dc_sweep_row row;
  struct dc_error error = {0};
  const char *text = sweep->ranks->in.text;
  long point = dc_sweep_row_parse(text, strlen(text), &row);
  sweep->running_there--;
  if (point < 0 || point >= sweep->study->points.count) {
    free(row.message);
    return;
  }
  enum dc_status status = dc_sweep_add_row(sweep, point, &row, &error);
  if (status)
    dc_sweep_break(sweep, status, &error);
}

// Rank 0 compares version and study of another rank with its own; the sweep breaks off when they differ.
static void greet(struct dc_sweep *sweep, int from)
{
  struct dc_error error = {0};
  if (strcmp(sweep->ranks->in.text, sweep->ranks->identity) == 0)
    return;
  dc_fail(&error, DC_USAGE, "rank %d runs another version or reads another study: %.60s, rank 0 has %.60s", from,
          sweep->ranks->in.text, sweep->ranks->identity);
  dc_sweep_break(sweep, DC_USAGE, &error);
}

// Answers one message as rank 0.
static void serve_as_first(struct dc_sweep *sweep, int from)
{
  const struct message *in = &sweep->ranks->in;
  struct dc_error error = {0};
  switch ((enum kind)in->kind) {
  case HELLO: greet(sweep, from); break;
  case ASK: give_point(sweep, from); break;
  case ROW: take_row(sweep); break;
  case BROKEN:
    dc_fail(&error, (enum dc_status)in->number, "%.1000s", in->text);
    dc_sweep_break(sweep, (enum dc_status)in->number, &error);
    break;
  case LEFT: sweep->ranks->left++; break;
  default: break;
  }
}

// Another rank notes the answer of rank 0 to its question.
static void serve_as_other(struct dc_sweep *sweep)
{
  struct dc_ranks *ranks = sweep->ranks;
  switch ((enum kind)ranks->in.kind) {
  case POINT:
    ranks->asked = false;
    ranks->point = ranks->in.number;
    break;
  case NOTHING: ranks->nothing_more = true; break;
  case STOP: sweep->stopping = true; break;
  default: break;
  }
}

// A rank asks rank 0 for a point once and goes on serving its processes until the answer is here (DC_TAKE_LATER).
enum dc_take dc_ranks_take(struct dc_sweep *sweep, long *point)
{
  struct dc_ranks *ranks = sweep->ranks;
  if (ranks->point >= 0) {
    *point = ranks->point;
    ranks->point = -1;
    return DC_TAKE_POINT;
  }
  if (ranks->nothing_more)
    return DC_TAKE_NONE;
  if (!ranks->asked)
    send_message(ranks, 0, ASK, 0, NULL);
  ranks->asked = true;
  return DC_TAKE_LATER;
}

// The line of the journal is the message: rank 0 reads it as it reads its own journals.
enum dc_status dc_ranks_send_row(struct dc_sweep *sweep, long point, const struct dc_sweep_row *row,
                                 struct dc_error *error)
{
  struct dc_text line = {0};
  dc_sweep_row_print(point, row, &line);
  enum dc_status status = DC_OK;
  if (line.failed || line.length >= LONGEST)
    status = dc_out_of_memory_for(error, "the result of point %ld", point);
  else
    send_message(sweep->ranks, 0, ROW, point, line.bytes);
  dc_text_free(&line);
  return status;
}

// Handles all messages that have arrived, then passes on a stop (rank 0 to all) or a failure (another rank to rank 0),
// each once.
void dc_ranks_serve(struct dc_sweep *sweep)
{
  struct dc_ranks *ranks = sweep->ranks;
  bool first = !dc_ranks_is_worker(ranks);
  int from;
  while (receive(ranks, &from))
    if (first)
      serve_as_first(sweep, from);
    else
      serve_as_other(sweep);
  if (first && sweep->stopping && !ranks->told_to_stop) {
    ranks->told_to_stop = true;
    tell_all(ranks, STOP, NULL);
  }
  if (!first && sweep->broken && !ranks->said_broken) {
    ranks->said_broken = true;
    send_message(ranks, 0, BROKEN, sweep->broken, sweep->error.text);
  }
}

// Rank 0 has finished when all others have left; another rank says once that it leaves.
bool dc_ranks_have_finished(struct dc_sweep *sweep)
{
  struct dc_ranks *ranks = sweep->ranks;
  if (!dc_ranks_is_worker(ranks))
    return ranks->left == ranks->transport.ranks - 1;
  if (!ranks->said_left)
    send_message(ranks, 0, LEFT, 0, NULL);
  ranks->said_left = true;
  return true;
}
