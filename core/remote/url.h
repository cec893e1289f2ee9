/*
** url.h - http, https and s3 URLs, taken apart and put together.
**
**   https://me:pw@data.example.org:8443/a b/x.parquet?sig=1
**   scheme  user     host          port path          query
**   s3://bucket/year=2024/x.parquet
**        host   path
**
** What is shown of a URL, in messages, plans and statistics, has neither user nor
** query: both may be secrets.
**
** A path of http is sent as it was written, but for bytes that no URL may have, which
** become %XX.  A key of S3 is not percent-encoded where it is written: each of its bytes
** stands for itself, also '?' and '#', and is encoded when it is sent.
*/
#ifndef PQ_URL_H
#define PQ_URL_H

#include "core/base/arena.h"
#include "core/base/bytes.h"

typedef enum PqScheme { PQ_SCHEME_HTTP, PQ_SCHEME_HTTPS, PQ_SCHEME_S3 } PqScheme;

/* Texts live in the arena.  None of them is NULL but user and password. */
typedef struct PqUrl {
    PqScheme    scheme;
    const char *user, *password;     /* percent-decoded; NULL: none          */
    const char *host;                /* lower case, without brackets, addresses
                                     ** in their usual spelling; of s3 the
                                     ** bucket, as written                   */
    uint16_t    port;                /* 0: the scheme's own                  */
    const char *path;                /* as it is sent, at least "/"; of s3 the
                                     ** key, without the slash               */
    const char *query;               /* after the '?'; "": none              */
} PqUrl;

/* Does the text begin with http://, https:// or s3://, in any case? */
bool pq_url_is(const char *text);

/* PQ_USAGE if it is not a URL, or one that two readers may understand differently: no
** host, a port that is not a number, a character in the host that DNS does not have (a blank,
** '%', a backslash, a second '@', UTF-8), a fragment, dots between slashes, a bucket with
** other characters than letters, digits and "-_.".  Messages show nothing of its text. */
PqRc pq_url_parse(PqArena *a, const char *text, PqUrl *out, PqErr *e);

/* PQ_USAGE for a path, decoded, or a key with "." or ".." between slashes, or backslashes. */
PqRc pq_url_check_path(const char *path, PqErr *e);

/* "host", "host:8443", "[::1]:8443": as it is in the header Host. */
const char *pq_url_host(PqArena *a, const PqUrl *u, PqErr *e);

/* The URL without user and query, for eyes. */
const char *pq_url_shown(PqArena *a, const PqUrl *u, PqErr *e);

/* Does a URL lie at or below a prefix?  Scheme, host and port are equal, and the
** prefix ends at a boundary: its path is "" or ends with a slash, or the URL's path
** is equal or goes on with a slash.  https://a.org is not a prefix of
** https://a.org.evil, nor /data of /database.  A prefix of S3 without a host, "s3://",
** has every URL of S3 below it. */
bool pq_url_below(const PqUrl *prefix, const PqUrl *u);

/* Is the host a link-local address (169.254.0.0/16, fe80::/10, what the same services
** have at Amazon in IPv6), however it is spelled (decimal, hexadecimal, octal, within
** IPv6)?  A name that leads to one is not: see PqHttpRequest.may_connect. */
bool pq_url_link_local(const PqUrl *u);

/* The address that the host is, as it is sent: 4 or 16 bytes; 0: it is a name. */
size_t pq_url_address(const PqUrl *u, uint8_t out[16]);

/* The same for an address of n bytes: 4 or 16, or 0 for a name, which is not one. */
bool pq_address_is_link_local(const uint8_t *p, size_t n);

/* Bytes but for A-Z a-z 0-9 - _ . ~ as %XX; with keep_slash '/' stays as well.
** As AWS encodes keys and the parts of a query. */
const char *pq_url_encode(PqArena *a, PqSlice bytes, bool keep_slash, PqErr *e);

/* %XX as bytes, but for %00. */
const char *pq_url_decode(PqArena *a, PqSlice text, PqErr *e);

/* user:password as basic auth sends it; password NULL: "".  Whoever wipes the arena wipes
** all of it. */
const char *pq_url_login(PqArena *a, const char *user, const char *password, PqErr *e);

#endif
