/*
** sign_lines.c - signs requests that are written one a line, for sign.py.
**
**   method url query secret unix_time headers body
**
** Each field is in hexadecimal, and a tab follows it.  secret is the JSON object that
** parquet_secret takes.  query, which is sorted, and headers are lists, of name NUL value
** NUL.  For each line the URL and the headers of the signature come back, a line each, or
** an error, and an empty line.
*/
#include "core/remote/sign.h"
#include "core/remote/target.h"
#include "core/text/parse.h"

#include <stdio.h>
#include <stdlib.h>

enum { METHOD, URL, QUERY, SECRET, TIME, HEADERS, BODY, FIELDS, LINE_MOST = 1 << 20,
       PAIRS_MOST = 32, SIGNATURE = 5 };

typedef struct Line {
    PqSlice field[FIELDS];           /* decoded; a NUL follows                   */
    const char *text[FIELDS];
} Line;

static void read_fields(char *line, PqArena *a, Line *out, PqErr *e)
{
    for (int i = 0; i < FIELDS; i++) {
        size_t n = strcspn(line, "\t");
        uint8_t *bytes = pq_arena_bytes(a, n / 2 + 1, e);

        if (line[n] != '\t' || !bytes ||
            pq_hex_parse(pq_slice(line, n), bytes) != PQ_PARSE_OK) {
            fprintf(stderr, "field %d is not hexadecimal\n", i);
            exit(1);
        }
        bytes[n / 2] = 0;
        out->field[i] = pq_slice(bytes, n / 2);
        out->text[i] = (const char *)bytes;
        line += n + 1;
    }
}

/* "name" between "value" after, as one text, or a text for each pair. */
static uint32_t read_pairs(PqSlice list, bool encode, PqArena *a,
                           const char *out[PAIRS_MOST], PqErr *e)
{
    uint32_t n = 0;

    while (list.n && n < PAIRS_MOST) {
        const char *name = (const char *)list.p, *value = name + strlen(name) + 1;

        pq_slice_cut(&list, strlen(name) + strlen(value) + 2);
        out[n++] = encode ? pq_arena_printf(a, e, "%s=%s", pq_url_encode(
                                a, pq_slice_text(name), false, e), pq_url_encode(
                                a, pq_slice_text(value), false, e))
                          : pq_arena_printf(a, e, "%s: %s", name, value);
    }
    return n;
}

static PqRc sign(const Line *line, const PqSecret *s, PqArena *a, PqHeaders *h,
                 uint32_t *n_given, PqErr *e)
{
    static const char *const methods[] = {"GET", "HEAD", "PUT", "POST", "DELETE"};
    const char *pairs[PAIRS_MOST], *query = "";
    PqSignable q = {.body = line->field[BODY]};
    uint32_t n = read_pairs(line->field[QUERY], true, a, pairs, e);
    PqTarget target;
    PqUrl u;

    for (uint32_t i = 0; i < n; i++) {
        query = pq_arena_printf(a, e, "%s%s%s", query, i ? "&" : "", pairs[i]);
    }
    while (strcmp(methods[q.method], line->text[METHOD]) != 0) {
        q.method++;
    }
    PQ_TRY(pq_url_parse(a, line->text[URL], &u, e));
    PQ_TRY(pq_target_make(a, &u, s, "", *query ? query : NULL, &target, e));
    printf("%s\n", target.url);
    *n_given = h->n = read_pairs(line->field[HEADERS], false, a, pairs, e);
    if (h->n + SIGNATURE > PQ_COUNT(h->line)) {
        return pq_fail(e, PQ_USAGE, "%u headers", h->n);
    }
    memcpy(h->line, pairs, h->n * sizeof *pairs);
    q.host = target.host;
    q.path = target.path;
    q.query = target.query;
    return pq_sign(&q, s, target.region, strtoll(line->text[TIME], NULL, 10), h, e);
}

static void answer(PqAccess *x, const Line *line, PqArena *a, PqErr *e)
{
    const PqUrl any = {.scheme = PQ_SCHEME_S3, .host = "", .path = "", .query = ""};
    PqGrant g = {.held = NULL};
    PqHeaders h = {.arena = a};
    uint32_t n_given = 0;

    if (pq_access_put(x, "s3://", &line->field[SECRET], e) == PQ_OK &&
        pq_access_grant(x, &any, &g, e) == PQ_OK) {
        sign(line, &g.s, a, &h, &n_given, e);
    }
    for (uint32_t i = n_given; i < h.n; i++) {
        printf("%s\n", h.line[i]);
    }
    if (e->rc != PQ_OK) {
        printf("%s\n", e->text);
    }
    printf("\n");
    fflush(stdout);
    pq_access_release(&g);
}

int main(void)
{
    static char line[LINE_MOST];
    PqMem *mem = pq_mem_new(64 << 20);
    PqAccess *x;
    PqArena a;
    PqErr e;

    pq_err_init(&e);
    pq_arena_init(&a, mem);
    if (pq_access_new(mem, &x, &e) != PQ_OK) {
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        Line fields;

        pq_err_init(&e);
        read_fields(line, &a, &fields, &e);
        answer(x, &fields, &a, &e);
        pq_arena_reset(&a);
    }
    pq_access_free(x);
    pq_arena_free(&a);
    pq_mem_release(mem);
    return 0;
}
