/*
** parse_door.c - fuzz door to core/variant: JSON texts and paths.
**
**   0  mode      bit 0: the rest is a path, else a JSON text
**
** A text that becomes a Variant is printed.  What was printed becomes the same
** Variant, byte by byte, as soon as names are in order, and is printed the same.
** But a DOUBLE of -0.0 is a DECIMAL the second time, and has lost its sign.
*/
#include "core/variant/variant_build.h"
#include "core/variant/variant_path.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

/* A Variant that outlives the builder. */
typedef struct Whole { PqBuf bytes, json; } Whole;

static void whole_open(Whole *w, PqMem *mem, PqErr *e)
{
    pq_buf_init(&w->bytes, mem, e);
    pq_buf_init(&w->json, mem, e);
}

static void whole_close(Whole *w)
{
    pq_buf_free(&w->bytes);
    pq_buf_free(&w->json);
}

static PqRc parse(PqSlice json, PqVariantBuild *b, PqArena *a, Whole *out,
                  PqErr *e)
{
    PqSlice metadata, value;
    PqVariantMeta m;

    pq_arena_reset(a);
    pq_variant_build_begin(b);
    PQ_TRY(pq_variant_parse(json, b, a, e));
    PQ_TRY(pq_variant_build_finish(b, &metadata, &value, e));
    PQ_TRY(pq_variant_join(metadata, value, &out->bytes, e));
    PQ_TRY(pq_variant_split(pq_buf_view(&out->bytes), &metadata, &value, e));
    PQ_TRY(pq_variant_meta_open(metadata, &m, e));
    DOOR_CHECK(pq_variant_check(&m, value, e) == PQ_OK);
    return pq_variant_json_take(&m, &value, 0, &out->json, e);
}

static bool has(PqSlice text, const char *what)
{
    size_t n = strlen(what), i;

    for (i = 0; i + n <= text.n; i++) {
        if (memcmp(text.p + i, what, n) == 0) {
            return true;
        }
    }
    return false;
}

static void read_text(PqSlice json, PqMem *mem, PqArena *a, PqErr *e)
{
    PqVariantBuild *b = NULL;
    Whole one, two, three;

    whole_open(&one, mem, e);
    whole_open(&two, mem, e);
    whole_open(&three, mem, e);
    if (pq_variant_build_new(mem, &b, e) == PQ_OK &&
        parse(json, b, a, &one, e) == PQ_OK) {
        DOOR_CHECK(parse(pq_buf_view(&one.json), b, a, &two, e) == PQ_OK);
        DOOR_CHECK(pq_slice_equal(pq_buf_view(&one.json),
                                  pq_buf_view(&two.json)) ||
                   has(pq_buf_view(&one.json), "-0.0"));
        pq_variant_build_free(b);
        b = NULL;
        DOOR_CHECK(pq_variant_build_new(mem, &b, e) == PQ_OK);
        DOOR_CHECK(parse(pq_buf_view(&two.json), b, a, &three, e) == PQ_OK);
        DOOR_CHECK(pq_slice_equal(pq_buf_view(&two.bytes),
                                  pq_buf_view(&three.bytes)));
    }
    pq_variant_build_free(b);
    whole_close(&one);
    whole_close(&two);
    whole_close(&three);
}

/* {"a":[{"b":1}]} */
static void follow(const PqVariantPath *path, PqErr *e)
{
    static const char names[] = "\x11\x02\x00\x01\x02" "ab";
    static const char bytes[] = "\x02\x01\x00\x00\x0b"
                                "\x03\x01\x00\x07"
                                "\x02\x01\x01\x00\x02\x0c\x01";
    PqVariantMeta m;
    PqSlice out;
    bool found;

    DOOR_CHECK(pq_variant_meta_open(pq_slice(names, sizeof names - 1), &m,
                                    e) == PQ_OK);
    DOOR_CHECK(pq_variant_path_find(&m, pq_slice(bytes, sizeof bytes - 1),
                                    path->step, path->n, &out, &found, e) ==
               PQ_OK);
    DOOR_CHECK(!found || path->n <= 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqSlice in = {bytes, n};
    PqErr e;
    PqMem *mem = door_open(&e);
    PqVariantPath path;
    uint8_t mode, *own;
    PqArena a;

    e.where.file = DOOR_FILE;
    pq_arena_init(&a, mem);
    mode = door_u8(&in);
    own = door_copy(in);
    in.p = own;
    if (mode & 1) {
        if (pq_variant_path_parse(in, &a, &path, &e) == PQ_OK) {
            follow(&path, &e);
        }
    } else {
        read_text(in, mem, &a, &e);
    }
    door_check_error(&e, DOOR_FILE);
    pq_arena_free(&a);
    free(own);
    door_close(mem);
    return 0;
}
