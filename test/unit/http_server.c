/*
** http_server.c - see http_server.h.  The table at its end has the paths.
*/
#define _GNU_SOURCE
#include "test/unit/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 256, URLS = 64, HEAD = 1 << 16 };

typedef struct Connection {
    HttpServer *server;
    pthread_t   thread;
    int         fd;
    size_t      n_head, n_body;      /* of the request that is answered */
    char        head[HEAD];
} Connection;

struct HttpServer {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    pthread_t       thread;
    int             listener, full, full_clients[4], port;
    bool            stop;
    Connection     *connection[CONNECTIONS];
    int             n_connections, n_meeting, n_to_meet, n_urls;
    char            url[URLS][100], last_path[100];
};

/* ---- what paths do ------------------------------------------------------------- */

/* False: the other side has gone. */
static bool put_bytes(Connection *c, const char *p, size_t n)
{
    while (n) {
        ssize_t k = send(c->fd, p, n, MSG_NOSIGNAL);

        if (k <= 0) {
            return false;
        }
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static bool put(Connection *c, const char *text)
{
    return put_bytes(c, text, strlen(text));
}

/* Each returns whether the connection stays. */

static bool hello(Connection *c)
{
    return put(c, "HTTP/1.1 200 OK\r\nETag:  \"v1\" \r\nX-Other: 1\r\n"
                  "LAST-MODIFIED: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                  "Content-Length: 5\r\n\r\n") &&
           put(c, strncmp(c->head, "HEAD", 4) == 0 ? "" : "hello");
}

/* All of a file of five bytes, as its end. */
static bool five(Connection *c)
{
    return put(c, "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: 5\r\n"
                  "Content-Range: bytes 0-4/5\r\n\r\nhello");
}

static bool in_chunks(Connection *c)
{
    return put(c, "HTTP/1.1 206 Partial\r\nTransfer-Encoding: chunked\r\n"
                  "Content-Range: bytes 0-10/99\r\n\r\n5\r\nhello\r\n") &&
           put(c, "6;x=y\r\n world\r\n0\r\nETag: \"late\"\r\n\r\n");
}

static bool after_continue(Connection *c)
{
    return put(c, "HTTP/1.1 100 Continue\r\nETag: \"early\"\r\n\r\n"
                  "HTTP/1.1 102 Processing\r\nLocation: /early\r\n\r\n") &&
           hello(c);
}

/* The request itself is the answer. */
static bool echo(Connection *c)
{
    size_t n = c->n_head + c->n_body;
    char head[80];

    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
    return put(c, head) && put_bytes(c, c->head, n);
}

/* How many bytes were sent, and a sum to which each adds by its place. */
static bool weighed(Connection *c)
{
    unsigned long long sum = 0;
    char text[80], answer[200];
    int n;

    for (size_t i = 0; i < c->n_body; i++) {
        sum += (i + 1) * (unsigned char)c->head[c->n_head + i];
    }
    n = snprintf(text, sizeof text, "%.8s %zu %llu", c->head, c->n_body, sum);
    snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", n,
             text);
    return put(c, answer);
}

static bool redirect(Connection *c)
{
    return put(c, "HTTP/1.1 302 Found\r\nLocation: /hello\r\n"
                  "Content-Length: 0\r\n\r\n");
}

/* To a name that http_test.c resolves. */
static bool lan(Connection *c)
{
    return put(c, "HTTP/1.1 302 Found\r\nLocation: http://lan.test/x\r\n"
                  "Content-Length: 0\r\n\r\n");
}

static bool zipped(Connection *c)
{
    return put(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                  "Content-Length: 4\r\n\r\n\x1f\x8b\x08x");
}

static bool refused(Connection *c)
{
    return put(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 300\r\n\r\n") &&
           put(c, "<Error><Code>AccessDenied</Code>") &&
           put_bytes(c, (char[268]){0}, 268);
}

static bool cut(Connection *c)
{
    put(c, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello");
    return false;
}

static bool claims_little(Connection *c)
{
    put(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhello");
    return false;
}

static bool claims_all(Connection *c)
{
    put(c, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello");
    return false;
}

static bool endless_headers(Connection *c)
{
    bool there = put(c, "HTTP/1.1 200 OK\r\n");

    while (there) {
        there = put(c, "X-Header: and one more header, and one more header\r\n");
    }
    return false;
}

static bool endless_line(Connection *c)
{
    bool there = put(c, "HTTP/1.1 200 OK\r\nX-Header: ");

    while (there) {
        there = put(c, "and more of the same header, and more of it, ");
    }
    return false;
}

static bool endless_body(Connection *c)
{
    bool there = put(c, "HTTP/1.1 200 OK\r\n\r\n");

    while (there) {
        there = put(c, "and more of the same body, and more of it, and more");
    }
    return false;
}

static bool not_http(Connection *c)
{
    put(c, "220 mail.example.org ESMTP\r\n");
    return false;
}

static bool reset(Connection *c)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return false;
}

/* Until the other side goes. */
static bool silent(Connection *c)
{
    char byte;

    while (recv(c->fd, &byte, 1, 0) > 0) {
    }
    return false;
}

static bool stalled(Connection *c)
{
    return put(c, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello") && silent(c);
}

/* Answers when so many have come. */
static bool meet(Connection *c)
{
    HttpServer *s = c->server;

    pthread_mutex_lock(&s->lock);
    s->n_meeting++;
    pthread_cond_broadcast(&s->changed);
    while (s->n_meeting < s->n_to_meet && !s->stop) {
        pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return hello(c);
}

static const struct {
    const char *path;
    bool      (*answer)(Connection *c);
} paths[] = {
    {"/hello", hello}, {"/five", five}, {"/chunks", in_chunks}, {"/continue", after_continue},
    {"/echo", echo}, {"/weighed", weighed}, {"/redirect", redirect}, {"/lan", lan},
    {"/zipped", zipped},
    {"/refused", refused}, {"/cut", cut}, {"/claims-little", claims_little},
    {"/claims-all", claims_all}, {"/endless-headers", endless_headers},
    {"/endless-line", endless_line}, {"/endless-body", endless_body},
    {"/not-http", not_http}, {"/reset", reset}, {"/silent", silent},
    {"/stalled", stalled}, {"/meet", meet},
};

/* ---- connections ------------------------------------------------------------------ */

static void note_path(HttpServer *s, const char *path)
{
    pthread_mutex_lock(&s->lock);
    snprintf(s->last_path, sizeof s->last_path, "%s", path);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* The path may be a whole URL: a proxy is asked so. */
static bool answer(Connection *c)
{
    char path[100] = "";
    const char *at = path;

    sscanf(c->head, "%*s %99s", path);
    if (strncmp(at, "http://", 7) == 0) {
        at = strchr(at + 7, '/');
    }
    for (size_t i = 0; i < PQ_COUNT(paths) && at; i++) {
        if (strcmp(at, paths[i].path) == 0) {
            note_path(c->server, at);
            return paths[i].answer(c);
        }
    }
    return put(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
}

static size_t body_of(const char *head)
{
    const char *at = strcasestr(head, "\r\ncontent-length:");

    return at ? strtoul(at + 17, NULL, 10) : 0;
}

/* A head, and as much of the body as there is room for. */
static bool read_request(Connection *c)
{
    size_t n = 0, want = SIZE_MAX;

    while (n < want && n < HEAD - 1) {
        ssize_t k = recv(c->fd, c->head + n, HEAD - 1 - n, 0);
        const char *end;

        if (k <= 0) {
            return false;
        }
        n += (size_t)k;
        c->head[n] = 0;
        end = strstr(c->head, "\r\n\r\n");
        if (end) {
            c->n_head = (size_t)(end - c->head) + 4;
            c->n_body = body_of(c->head);
            want = c->n_head + c->n_body;
        }
        if (end && strstr(c->head, " /silent ")) {
            return true;             /* does not take the body */
        }
    }
    return n == want;
}

static void *serve(void *connection)
{
    Connection *c = connection;

    while (read_request(c) && answer(c)) {
    }
    pthread_mutex_lock(&c->server->lock);
    close(c->fd);
    c->fd = -1;
    pthread_mutex_unlock(&c->server->lock);
    return NULL;
}

static void *take_connections(void *server)
{
    HttpServer *s = server;
    int fd;

    while ((fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        Connection *c = calloc(1, sizeof *c);

        if (!c || s->n_connections == CONNECTIONS) {
            abort();
        }
        c->server = s;
        c->fd = fd;
        pthread_mutex_lock(&s->lock);
        s->connection[s->n_connections++] = c;
        pthread_create(&c->thread, NULL, serve, c);
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

/* ---- the test's side --------------------------------------------------------------- */

static int listen_on(int *port, int backlog)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;

    if (fd < 0 || bind(fd, (void *)&a, sizeof a) != 0 || listen(fd, backlog) != 0 ||
        getsockname(fd, (void *)&a, &n) != 0) {
        abort();
    }
    *port = ntohs(a.sin_port);
    return fd;
}

HttpServer *http_server_start(void)
{
    HttpServer *s = calloc(1, sizeof *s);

    if (!s) {
        abort();
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->full = -1;
    s->listener = listen_on(&s->port, CONNECTIONS);
    pthread_create(&s->thread, NULL, take_connections, s);
    return s;
}

void http_server_stop(HttpServer *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    for (int i = 0; i < s->n_connections; i++) {
        if (s->connection[i]->fd >= 0) {
            shutdown(s->connection[i]->fd, SHUT_RDWR);
        }
    }
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->n_connections; i++) {
        pthread_join(s->connection[i]->thread, NULL);
        free(s->connection[i]);
    }
    if (s->full >= 0) {
        close(s->full);
        for (size_t i = 0; i < PQ_COUNT(s->full_clients); i++) {
            close(s->full_clients[i]);
        }
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

const char *http_server_url(HttpServer *s, const char *path)
{
    char *url = s->url[s->n_urls++ % URLS];

    snprintf(url, sizeof s->url[0], "http://127.0.0.1:%d%s", s->port, path);
    return url;
}

int http_server_connections(HttpServer *s)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->n_connections;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void http_server_meet(HttpServer *s, int n)
{
    pthread_mutex_lock(&s->lock);
    s->n_to_meet = n;
    pthread_mutex_unlock(&s->lock);
}

void http_server_await(HttpServer *s, const char *path)
{
    pthread_mutex_lock(&s->lock);
    while (strcmp(s->last_path, path) != 0) {
        pthread_cond_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Nobody accepts, and the queue is full: further clients get no answer. */
int http_server_full_port(HttpServer *s)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int port;

    s->full = listen_on(&port, 0);
    a.sin_port = htons((uint16_t)port);
    for (size_t i = 0; i < PQ_COUNT(s->full_clients); i++) {
        s->full_clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK |
                                                 SOCK_CLOEXEC, 0);
        (void)connect(s->full_clients[i], (void *)&a, sizeof a);
    }
    return port;
}
