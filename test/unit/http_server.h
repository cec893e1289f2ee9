/*
** http_server.h - a server inside a test, which answers as a path asks: rightly, late,
** wrongly, or not at all.
**
**   GET /hello        what http_server.c says of it
**   GET /anything     404
**
** Each connection has a thread.  http_server_stop ends them all, whatever they wait
** for.
*/
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "test/unit/test.h"

typedef struct HttpServer HttpServer;

HttpServer *http_server_start(void);
void http_server_stop(HttpServer *s);

/* http://127.0.0.1:PORT and the path; lives as long as the server. */
const char *http_server_url(HttpServer *s, const char *path);

/* Connections so far; those that wait at /meet go on when there are n of them. */
int  http_server_connections(HttpServer *s);
void http_server_meet(HttpServer *s, int n);

/* Waits until a request for a path has come. */
void http_server_await(HttpServer *s, const char *path);

/* A port where connecting does not end. */
int http_server_full_port(HttpServer *s);

#endif
