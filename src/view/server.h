// SPDX-License-Identifier: Apache-2.0
// A web server for one person on this machine: it listens on 127.0.0.1 only, and every address begins with a secret
// token.
//
// Requests without the token get 404, whatever they ask for.  So do requests with another Host than this machine's, as
// a page of another site would send after its name was made to resolve to this machine (DNS rebinding).  One thread
// answers requests one by one.
#ifndef DC_VIEW_SERVER_H
#define DC_VIEW_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct dc_server;

struct dc_server_request {
  bool post;         // POST, which asks for something to be done; otherwise GET
  const char *path;  // after the token and its slash; "" is the page
  long number[2];    // of the query "a=...&b=..."; -1: not given
};

// Zero-initialized before the call.
struct dc_server_reply {
  int status;        // of HTTP; 0: 404
  const char *type;  // MIME
  char *body;        // from malloc, the server's then
  size_t size;
};

// Called by the server's thread.
typedef void dc_server_answer(void *context, const struct dc_server_request *request, struct dc_server_reply *reply);

// Version of libmicrohttpd, NULL when built without.
const char *dc_server_library(void);
// Listens on a port, 0: any free one.  NULL and *error: DC_USAGE when built without, DC_IO, DC_MEMORY.
struct dc_server *dc_server_start(int port, dc_server_answer *answer, void *context, struct dc_error *error);
// "http://127.0.0.1:PORT/TOKEN/"; belongs to the server.
const char *dc_server_address(const struct dc_server *server);
// Waits for a reply in progress; NULL is allowed.
void dc_server_stop(struct dc_server *server);

#endif
