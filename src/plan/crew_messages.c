// SPDX-License-Identifier: Apache-2.0
// Sending and receiving of the messages between ranks (see crew_messages.h), with a wait that yields the core.
#include "plan/crew_messages.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

void dc_crew_add_reals(struct dc_buffer *buffer, const double *reals, size_t count)
{
  dc_buffer_add(buffer, reals, count * sizeof *reals);
}

// A head and a text that ends with a zero byte; longer texts are cut.  Errors and ends of work have no more to say.
void dc_crew_send_text(const struct dc_transport *transport, int to, enum dc_crew_kind kind, enum dc_status status,
                       const char *text)
{
  char bytes[sizeof(struct dc_crew_head) + DC_CREW_TEXT];
  struct dc_crew_head head = {.kind = kind, .status = status};
  size_t length = text ? strnlen(text, DC_CREW_TEXT - 1) : 0;
  memcpy(bytes, &head, sizeof head);
  memcpy(bytes + sizeof head, text ? text : "", length);
  bytes[sizeof head + length] = '\0';
  transport->send(to, bytes, (int)(sizeof head + length + 1));
}

// Sleeps while waiting, the longer the more: a rank that has the core to itself loses some tens of microseconds.
static void rest(double since)
{
  double waited = dc_seconds() - since;
  long pause = (long)(1e9 * waited / 50);
  nanosleep(&(struct timespec){.tv_nsec = pause < 20000 ? 20000 : pause > 2000000 ? 2000000 : pause}, NULL);
}

// Waits for the next message by looking and resting in turn, since MPI's own waiting would spin on a core that a rank
// beside this one wants. false: no memory for the message, which then stays where it is.
bool dc_crew_receive(const struct dc_transport *transport, struct dc_buffer *in, int *from, struct dc_crew_head *head)
{
  double since = dc_seconds();
  int size;
  while ((size = transport->look(from)) < 0)
    rest(since);
  if (!dc_buffer_reserve(in, (size_t)size + sizeof *head + 1))
    return false;
  in->size = (size_t)transport->receive(*from, in->bytes, size);
  in->bytes[in->size] = '\0';
  *head = (struct dc_crew_head){0};
  if (in->size >= sizeof *head)
    memcpy(head, in->bytes, sizeof *head);
  return true;
}

const char *dc_crew_text(const struct dc_buffer *in, size_t at)
{
  return at < in->size ? in->bytes + at : "";
}
