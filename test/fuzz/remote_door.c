/*
** remote_door.c - fuzz door to core/remote: what servers answer, what files of AWS say,
** URLs out of schemas and redirects, secrets.
**
**   0  mode      what the rest is
**
**   answer       XML of S3, read as a page, as trouble, as an upload
**   aws          2  bytes of ~/.aws/credentials
**                   ~/.aws/config
**   url          a URL, and after a NUL what a redirect from there says
**   secret       1  whether it is for S3
**                   the JSON object of a secret
*/
#define _GNU_SOURCE                  /* unsetenv */
#include "core/remote/access.h"
#include "core/remote/aws_config.h"
#include "core/remote/held.h"
#include "core/remote/s3_answer.h"
#include "core/remote/target.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

enum { ANSWER, AWS, URL, SECRET, MODES };

static bool is_line(const char *text)
{
    for (; *text; text++) {
        if ((uint8_t)*text < ' ' || *text == 0x7f) {
            return false;
        }
    }
    return true;
}

static PqRc see(void *xml, const char *key, bool is_folder, PqErr *e)
{
    (void)is_folder, (void)e;
    DOOR_CHECK(strlen(key) <= ((const PqSlice *)xml)->n);
    return PQ_OK;
}

static void read_answer(PqSlice xml, PqArena *a, PqErr *e)
{
    static const char *const elements[] = {"/Error/Code", "/Error/Message", "/UploadId"};
    const char *next;
    PqErr own = *e;

    if (pq_s3_page_read(a, xml, see, &xml, &next, e) == PQ_OK) {
        DOOR_CHECK(!next || *next);
    }
    for (size_t i = 0; i < PQ_COUNT(elements); i++) {
        const char *text = pq_s3_element(a, xml, elements[i], &own);

        DOOR_CHECK(!text || strlen(text) <= xml.n);
        door_check_error(&own, DOOR_FILE);
        pq_err_clear(&own);
    }
}

static void read_aws(PqSlice in, PqArena *a, PqErr *e)
{
    static const char *const profiles[] = {"", "default", "a"};
    PqSlice credentials = door_take(&in, door_u16(&in));
    PqAwsFiles files = {credentials, in};
    PqSecret found = PQ_NO_SECRET;

    for (size_t i = 0; i < PQ_COUNT(profiles); i++) {
        pq_err_clear(e);
        if (pq_aws_config_find_in(a, &files, profiles[i], &found, e) == PQ_OK) {
            DOOR_CHECK(*found.key_id && *found.secret);
        }
        door_check_error(e, DOOR_FILE);
    }
}

/* A URL that was taken has one spelling, and lies below itself. */
static void check_url(const PqUrl *u, PqArena *a, PqErr *e)
{
    const char *shown = pq_url_shown(a, u, e);
    PqUrl again;

    DOOR_CHECK(shown && pq_url_parse(a, shown, &again, e) == PQ_OK);
    DOOR_CHECK(again.scheme == u->scheme && again.port == u->port && !again.user &&
               !*again.query && strcmp(again.host, u->host) == 0 &&
               strcmp(again.path, u->path) == 0);
    DOOR_CHECK(pq_url_below(u, &again) && pq_url_below(&again, u));
    DOOR_CHECK(pq_url_link_local(u) == pq_url_link_local(&again));
    DOOR_CHECK(*u->host && !strpbrk(u->host, "/\\@?#% \t\r\n"));
    if (u->scheme != PQ_SCHEME_S3) {
        DOOR_CHECK(*u->path == '/' && is_line(u->path) && is_line(u->query));
        DOOR_CHECK(!strstr(u->path, "/../") && !strpbrk(u->path, " \\?#"));
    }
}

static void read_url(PqSlice in, PqArena *a, PqErr *e)
{
    const char *text = pq_arena_text(a, in.p, in.n, e);
    PqUrl u;

    DOOR_CHECK(text && pq_url_encode(a, in, true, e));
    if (pq_url_parse(a, text, &u, e) == PQ_OK) {
        check_url(&u, a, e);
    }
}

/* What is granted can be sent. */
static void check_grant(PqAccess *x, const char *url, PqArena *a, PqErr *e)
{
    PqTarget target;
    PqGrant g;
    PqUrl u;

    DOOR_CHECK(pq_url_parse(a, url, &u, e) == PQ_OK);
    DOOR_CHECK(pq_access_check(x, &u, false, e) == PQ_OK);
    if (pq_access_grant(x, &u, &g, e) == PQ_OK) {      /* not with provider env */
        const char *const texts[] = {
            g.s.key_id, g.s.secret, g.s.session_token, g.s.region, g.s.endpoint,
            g.s.bearer_token, g.s.user, g.s.password, g.s.ca_file, g.s.proxy,
        };

        DOOR_CHECK(g.held);
        for (size_t i = 0; i < PQ_COUNT(texts); i++) {
            DOOR_CHECK(is_line(texts[i]));
        }
        for (uint32_t i = 0; i < g.s.n_headers; i++) {
            DOOR_CHECK(is_line(g.s.headers[i]) && strstr(g.s.headers[i], ": "));
        }
        if (pq_target_make(a, &u, &g.s, "", NULL, &target, e) == PQ_OK) {
            PqUrl sent;

            DOOR_CHECK(!strpbrk(target.host, "/@?# \\"));
            DOOR_CHECK(pq_url_parse(a, target.url, &sent, e) == PQ_OK && !sent.user);
        }
        pq_access_release(&g);
    }
}

static void read_secret(PqSlice json, PqMem *mem, PqArena *a, PqErr *e)
{
    const char *prefix = door_u8(&json) & 1 ? "s3://b/" : "https://b/";
    const char *url = *prefix == 's' ? "s3://b/x" : "https://b/x";
    PqAccess *x;
    PqUrl u;

    DOOR_CHECK(pq_access_new(mem, &x, e) == PQ_OK);
    if (pq_access_put(x, prefix, &json, e) == PQ_OK) {
        check_grant(x, url, a, e);
    } else {
        PqErr own = *e;

        pq_err_clear(&own);
        DOOR_CHECK(pq_url_parse(a, url, &u, &own) == PQ_OK &&
                   pq_access_check(x, &u, false, &own) == PQ_USAGE);
    }
    pq_access_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e;
    PqMem *mem = door_open(&e);
    uint8_t *own = door_copy(pq_slice(bytes, n));
    PqSlice in = {own, n};
    PqArena a;

    unsetenv("AWS_ACCESS_KEY_ID");
    unsetenv("AWS_PROFILE");
    unsetenv("PARQUET_NO_NETWORK");
    e.where.file = DOOR_FILE;
    pq_arena_init(&a, mem);
    switch (door_u8(&in) % MODES) {
    case ANSWER: read_answer(in, &a, &e); break;
    case AWS:    read_aws(in, &a, &e); break;
    case URL:    read_url(in, &a, &e); break;
    default:     read_secret(in, mem, &a, &e); break;
    }
    door_check_error(&e, DOOR_FILE);
    pq_arena_free(&a);
    free(own);
    door_close(mem);
    return 0;
}
