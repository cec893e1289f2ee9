/*
** server_door.c - fuzz door to what is made of the answers of servers: files by ranges,
** several at once, and whole, listings, uploads, redirects, other regions, what is sent again.
**
**   0  mode      what is done
**   1  3         bytes of the file that is right
**   4  1         how many steps, at most 15: what they are says each mode
**      4 each
**      rest      the answers (fake_curl.h)
*/
#include "core/remote/object.h"
#include "core/remote/upload.h"
#include "test/fuzz/fake_curl.h"

#include <stdlib.h>

enum { READ, READ_TWICE, WALK, OBJECTS, UPLOAD, PUT, READ_PARTS, MODES, STEPS_MOST = 15,
       STEP = 400, READ_MOST = 255 * STEP };

typedef struct Step {
    uint32_t at;
    uint8_t  what;
} Step;

typedef struct Steps {
    Step     v[STEPS_MOST];
    uint32_t n;
    uint64_t size;
} Steps;

static const PqRemoteTerms usual = {
    .own = true, .patience = {.retries = 2, .timeout = 1, .spool = 1 << 20}};

static const char *url_of(const Steps *s)
{
    return s->size % 5 == 1 ? "s3://b/k=1/x.parquet" : "https://h.example/x.parquet";
}

/* What a server that is right sends has to come as it is. */
static void read_bytes(PqSource *source, uint64_t at, uint64_t n, PqErr *e)
{
    uint8_t *bytes = malloc(READ_MOST);

    DOOR_CHECK(bytes != NULL && n <= READ_MOST);
    if (pq_source_read(source, at, (size_t)n, bytes, e) == PQ_OK && fake_curl_was_right()) {
        for (uint64_t k = 0; k < n; k++) {
            DOOR_CHECK(bytes[k] == fake_byte(at + k));
        }
    }
    free(bytes);
}

static void end_reading(PqSource *source, PqErr *e)
{
    DOOR_CHECK(!fake_curl_was_right() || e->rc == PQ_OK);
    door_check_error(e, "x.parquet");
    pq_source_close(source);
}

/* What was read is what the file has, if every answer was right. */
static void read_file(PqRemote *r, PqMem *mem, const Steps *s, PqErr *e)
{
    PqRemoteTerms terms = {.own = true, .optional = s->size % 3 == 1,
                           .one_of_many = s->size % 2, .patience = usual.patience};
    PqSource *source;

    pq_remote_open(r, mem, url_of(s), &terms, &source, e);
    for (uint32_t i = 0; i < s->n && source && e->rc == PQ_OK; i++) {
        uint64_t size = pq_source_size(source), at = s->v[i].at, n = s->v[i].what * (uint64_t)STEP;

        at = at < size ? at : size;
        n = n < size - at ? n : size - at;
        if (i % 3 == 1) {
            pq_source_will_need(source, (PqExtent){at, at + n});
        } else {
            read_bytes(source, at, n, e);
        }
    }
    end_reading(source, e);
}

/* All is announced before the first read, so several ranges are asked for at once. */
static void read_parts(PqRemote *r, PqMem *mem, const Steps *s, PqErr *e)
{
    PqSource *source;

    pq_remote_open(r, mem, url_of(s), &usual, &source, e);
    for (uint32_t i = 0; i < 2 * s->n && source && e->rc == PQ_OK; i++) {
        const Step *step = &s->v[i % s->n];
        uint64_t size = pq_source_size(source), at = step->at < size ? step->at : size;
        uint64_t n = step->what * (uint64_t)(s->size % 2 ? STEP : 1);

        n = n < size - at ? n : size - at;
        if (i < s->n) {
            pq_source_will_need(source, (PqExtent){at, at + n});
        } else {
            read_bytes(source, at, n, e);
        }
    }
    end_reading(source, e);
}

static PqRc see(void *arg, const char *key, bool folder, PqArena *a, PqErr *e)
{
    (void)a;
    DOOR_CHECK(strncmp(key, arg, strlen(arg)) == 0);
    return folder && *key == 0 ? pq_fail(e, PQ_IO, "a folder without a name") : PQ_OK;
}

static void walk(PqRemote *r, const PqUrl *u, const Steps *s, PqErr *e)
{
    char prefix[] = "a/";
    PqUrl below = *u;
    const PqObjectWalk w = {.remote = r, .terms = &usual, .below = &below,
                            .folders = s->size % 2, .see = see, .arg = prefix};

    prefix[s->size % 3] = 0;
    below.path = prefix;
    pq_objects_walk(&w, e);
}

static void ask_for_objects(PqRemote *r, const PqUrl *u, const Steps *s, PqErr *e)
{
    PqUrl urls[STEPS_MOST];
    PqObject found;

    pq_object_look(r, u, &usual, &found, e);
    door_check_error(e, NULL);
    pq_err_clear(e);
    for (uint32_t i = 0; i < s->n; i++) {
        urls[i] = *u;
    }
    pq_objects_delete(r, urls, s->n, s->size % 2, e);
}

/* Objects of few bytes; with parts, unless one is alone. */
static void upload(PqRemote *r, const PqUrl *u, const Steps *s, PqErr *e)
{
    bool alone = s->size % 4 == 1;
    PqUploads *all;
    PqSink *sink;

    DOOR_CHECK(pq_uploads_new(r, PQ_UPLOAD_LEAST, s->size % 2, &usual, &all, e) == PQ_OK);
    for (uint32_t i = 0; i < s->n && e->rc == PQ_OK && (i == 0 || !alone); i++) {
        uint64_t bytes[32] = {s->v[i].at};

        if (pq_upload_new(all, u, "s3://b/x.parquet", alone, &sink, e) == PQ_OK &&
            pq_sink_write(sink, bytes, s->v[i].what % sizeof bytes, e) == PQ_OK &&
            (s->v[i].at % 2 == 0 || pq_sink_pause(sink, e) == PQ_OK)) {
            pq_upload_end(sink, e);
        }
    }
    if (e->rc == PQ_OK) {
        pq_uploads_finish(all, e);
    }
    pq_uploads_free(all, e->rc != PQ_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e;
    PqMem *mem = door_open(&e);
    uint8_t *own = door_copy(pq_slice(bytes, n));
    PqSlice in = {own, n};
    uint8_t mode = door_u8(&in) % MODES;
    Steps s = {.size = door_u24(&in)};
    PqRemote *r;
    PqArena a;
    PqUrl u;

    s.n = door_u8(&in) % (STEPS_MOST + 1);
    for (uint32_t i = 0; i < s.n; i++) {
        s.v[i].at = door_u24(&in);
        s.v[i].what = door_u8(&in);
    }
    fake_curl_begin(in, s.size);
    pq_arena_init(&a, mem);
    DOOR_CHECK(pq_remote_new(&r, &e) == PQ_OK);
    DOOR_CHECK(pq_url_parse(&a, mode == PUT ? "https://h.example/x" : "s3://b/x", &u, &e) ==
               PQ_OK);
    switch (mode) {
    case READ: read_file(r, mem, &s, &e); break;
    case READ_TWICE:                 /* what the first one learned, the second uses */
        read_file(r, mem, &s, &e);
        pq_err_clear(&e);
        read_file(r, mem, &s, &e);
        break;
    case READ_PARTS:
        read_parts(r, mem, &s, &e);
        pq_err_clear(&e);
        read_parts(r, mem, &s, &e);
        break;
    case WALK: walk(r, &u, &s, &e); break;
    case OBJECTS: ask_for_objects(r, &u, &s, &e); break;
    default: upload(r, &u, &s, &e); break;
    }
    door_check_error(&e, NULL);
    pq_remote_free(r);
    pq_arena_free(&a);
    free(own);
    door_close(mem);
    return 0;
}
