// SPDX-License-Identifier: Apache-2.0
// The server of live views, on libmicrohttpd (built with it; otherwise starting fails with DC_USAGE).
//
// Every request must have the token in its path, compared in constant time, and a Host of this machine; everything else
// is answered by 404.  Replies forbid caching, framing and referrers.
//
// Connections that have asked nothing yet must not keep others out: where many are open, a new one ends the oldest of
// them.
#include "view/server.h"

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#ifndef DC_MICROHTTPD

const char *dc_server_library(void)
{
  return NULL;
}

struct dc_server *dc_server_start(int port, dc_server_answer *answer, void *context, struct dc_error *error)
{
  (void)port, (void)answer, (void)context;
  dc_fail(error, DC_USAGE, "this build has no live view (libmicrohttpd was not there at configure)");
  return NULL;
}

const char *dc_server_address(const struct dc_server *server)
{
  (void)server;
  return "";
}

void dc_server_stop(struct dc_server *server)
{
  (void)server;
}

#else

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/memory.h"

enum {
  SECRET = 16,         // random bytes of a token: 128 bits are not guessed
  TOKEN = 2 * SECRET,  // its digits
  MOST_CONNECTIONS = 128,
  COMFORTABLE = 64,  // connections beyond which silent ones are ended
  PATIENCE = 30      // seconds for a connection that says nothing
};

// A connection; libmicrohttpd's one thread alone sees it.
struct line {
  int socket;            // -1: free
  unsigned long number;  // larger for later ones
  bool asked;            // a request has come, or it is being ended
};

// One view.  The daemon answers on a thread of its own, whatever the program does meanwhile; the caller's function is
// called there and has to know how to share what it reads.
struct dc_server {
  struct MHD_Daemon *daemon;
  dc_server_answer *answer;
  void *context;
  struct line lines[MOST_CONNECTIONS];
  unsigned long accepted;
  char token[TOKEN + 1];
  char address[TOKEN + 64], hosts[2][32];  // what "Host" of a request may be
};

const char *dc_server_library(void)
{
  return MHD_get_version();
}

// Compares in a time that depends only on the length of the text.
static bool is_token(const struct dc_server *server, const char *text)
{
  unsigned difference = 0;
  if (strlen(text) < TOKEN)
    return false;
  for (int i = 0; i < TOKEN; i++)
    difference |= (unsigned char)text[i] ^ (unsigned char)server->token[i];
  return difference == 0;
}

// Either 127.0.0.1 or localhost, with the port.
static bool is_host(const struct dc_server *server, const char *host)
{
  return host && (strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0);
}

// A number of the query, -1: absent or not digits alone.
static long query_number(struct MHD_Connection *connection, const char *name)
{
  const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
  char *end;
  if (!text || *text < '0' || *text > '9')
    return -1;
  errno = 0;
  long number = strtol(text, &end, 10);
  return errno || *end ? -1 : number;
}

// Sends a reply that browsers neither store nor disclose to other sites.
static enum MHD_Result send_reply(struct MHD_Connection *connection, const struct dc_server_reply *reply)
{
  static const char nothing[] = "not found\n";
  struct MHD_Response *response =
      reply->body ? MHD_create_response_from_buffer(reply->size, reply->body, MHD_RESPMEM_MUST_FREE)
                  : MHD_create_response_from_buffer(sizeof nothing - 1, (void *)nothing, MHD_RESPMEM_PERSISTENT);
  if (!response) {
    free(reply->body);
    return MHD_NO;
  }
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->body ? reply->type : "text/plain");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(response, "X-Frame-Options", "DENY");
  enum MHD_Result sent =
      MHD_queue_response(connection, reply->body ? (unsigned)reply->status : MHD_HTTP_NOT_FOUND, response);
  MHD_destroy_response(response);
  return sent;
}

// Called by libmicrohttpd once for the headers, again for the body of a request, which is discarded, and at the end.
// *seen is NULL the first time only.  A wrong method, host, token or path gets the same 404, so that probing learns
// nothing.  Host is compared because a page elsewhere may resolve its own name to this machine (DNS rebinding).
static enum MHD_Result respond(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                               const char *version, const char *upload, size_t *upload_size, void **seen)
{
  struct dc_server *server = context;
  static char headers_read;
  (void)version, (void)upload;
  if (!*seen) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info && info->socket_context)
      ((struct line *)info->socket_context)->asked = true;
    *seen = &headers_read;
    return MHD_YES;
  }
  if (*upload_size) {
    *upload_size = 0;
    return MHD_YES;
  }
  struct dc_server_reply reply = {0};
  bool get = strcmp(method, MHD_HTTP_METHOD_GET) == 0, post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
  const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  if ((get || post) && url[0] == '/' && is_host(server, host) && is_token(server, url + 1) && url[1 + TOKEN] == '/') {
    struct dc_server_request request = {.post = post,
                                        .path = url + 2 + TOKEN,
                                        .number = {query_number(connection, "a"), query_number(connection, "b")}};
    server->answer(server->context, &request, &reply);
  }
  return send_reply(connection, &reply);
}

// Ends the oldest connection that has asked nothing; libmicrohttpd closes it when it finds the end.
static void end_oldest_silent(struct dc_server *server)
{
  struct line *oldest = NULL;
  for (int i = 0; i < MOST_CONNECTIONS; i++) {
    struct line *line = &server->lines[i];
    if (line->socket >= 0 && !line->asked && (!oldest || line->number < oldest->number))
      oldest = line;
  }
  if (oldest) {
    oldest->asked = true;
    shutdown(oldest->socket, SHUT_RDWR);
  }
}

// Called by libmicrohttpd when a connection begins and ends; *place is the connection's own.  It runs on the one
// thread of the server, which is why lines need no lock.
static void follow(void *context, struct MHD_Connection *connection, void **place,
                   enum MHD_ConnectionNotificationCode code)
{
  struct dc_server *server = context;
  struct line *line = *place, *unused = NULL;
  int open = 0;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    if (line)
      line->socket = -1;
    return;
  }
  for (int i = 0; i < MOST_CONNECTIONS; i++) {
    open += server->lines[i].socket >= 0;
    if (server->lines[i].socket < 0)
      unused = &server->lines[i];
  }
  if (open >= COMFORTABLE)
    end_oldest_silent(server);
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (unused && info)
    *unused = (struct line){.socket = info->connect_fd, .number = server->accepted++};
  *place = unused;
}

// A token from the system's random numbers, as hexadecimal digits, which go into addresses unchanged.
static bool make_token(struct dc_server *server)
{
  unsigned char secret[SECRET];
  if (getrandom(secret, sizeof secret, 0) != sizeof secret)
    return false;
  for (int i = 0; i < SECRET; i++)
    snprintf(server->token + 2 * i, 3, "%02x", secret[i]);
  return true;
}

// The server's thread blocks all signals: they are for the program.
static struct MHD_Daemon *start_daemon(struct dc_server *server, int port)
{
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  sigset_t all, before;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, respond, server, MHD_OPTION_SOCK_ADDR, &place,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE,
      MHD_OPTION_NOTIFY_CONNECTION, follow, server, MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return daemon;
}

// The port is asked for again after the daemon has started: 0 lets the system choose one, and the address has to name
// it.
struct dc_server *dc_server_start(int port, dc_server_answer *answer, void *context, struct dc_error *error)
{
  struct dc_server *server = dc_alloc(1, sizeof *server);
  if (!server || !make_token(server)) {
    dc_fail(error, DC_MEMORY, "out of memory or random numbers for the live view");
    free(server);
    return NULL;
  }
  for (int i = 0; i < MOST_CONNECTIONS; i++)
    server->lines[i].socket = -1;
  server->answer = answer;
  server->context = context;
  server->daemon = start_daemon(server, port);
  const union MHD_DaemonInfo *info =
      server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
  if (!info) {
    dc_fail(error, DC_IO, "the live view cannot listen on 127.0.0.1, port %d: %s", port, strerror(errno));
    dc_server_stop(server);
    return NULL;
  }
  snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1:%d", info->port);
  snprintf(server->hosts[1], sizeof server->hosts[1], "localhost:%d", info->port);
  snprintf(server->address, sizeof server->address, "http://%s/%s/", server->hosts[0], server->token);
  return server;
}

const char *dc_server_address(const struct dc_server *server)
{
  return server->address;
}

void dc_server_stop(struct dc_server *server)
{
  if (!server)
    return;
  if (server->daemon)
    MHD_stop_daemon(server->daemon);
  free(server);
}

#endif
