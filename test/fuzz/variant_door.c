/*
** variant_door.c - fuzz door to core/variant: a Variant from a stranger.
**
**   0  mode      bit 0: the rest is one blob
**                else    u16 length of the metadata, metadata, value
**                the rest: to which type it is cast
**
** The value is checked, printed, taken apart, searched by name, cast, and
** copied.  All of them have to agree: what can be printed passes the check, an
** item that is found is one of the items, what was cast can be stored and comes
** back, and a copy is valid and copied to itself.
*/
#include "core/variant/variant_cast.h"
#include "core/variant/variant_layout.h"
#include "core/variant/variant_build.h"
#include "core/variant/variant_path.h"
#include "core/variant/variant_type.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

enum { MOST_ITEMS = 64 };

typedef struct Stranger {
    PqMem        *mem;
    PqErr        *e;
    PqSlice       metadata, value;
    PqVariantMeta m;
    bool          printed;
    uint8_t       mode;
} Stranger;

/* An error of its own, so that one failure does not hide the others. */
static PqErr fresh(void)
{
    PqErr e;

    pq_err_init(&e);
    e.where.file = DOOR_FILE;
    return e;
}

static bool fine(PqErr *e)
{
    door_check_error(e, DOOR_FILE);
    return e->rc == PQ_OK;
}

/* What can be printed is valid, but for the bytes after it. */
static void print(Stranger *s)
{
    PqErr e = fresh(), e2 = fresh();
    PqSlice rest = s->value;
    PqBuf out;

    pq_buf_init(&out, s->mem, &e);
    pq_variant_json_take(&s->m, &rest, 0, &out, &e);
    if (fine(&e)) {
        size_t n = s->value.n - rest.n;
        DOOR_CHECK(out.n > 0 && !memchr(out.p, 0, out.n));
        pq_variant_check(&s->m, pq_slice(s->value.p, n), &e2);
        DOOR_CHECK(fine(&e2));
        s->printed = true;
    } else if (e.rc != PQ_BUDGET) {
        DOOR_CHECK(pq_variant_check(&s->m, s->value, &e2) != PQ_OK);
    }
    pq_buf_free(&out);
}

static bool same_place(PqSlice a, PqSlice b)
{
    return a.p == b.p && a.n == b.n;
}

/* The field found by its name is one that has this name. */
static void find_field(Stranger *s, const PqVariantItems *items, PqSlice name)
{
    PqVariantStep step = {.name = name};
    PqSlice found, stepped, item, other = {NULL, 0};
    PqErr e = fresh(), e2 = fresh();
    bool is, is2, seen = false;
    uint32_t i;

    pq_variant_items_find(&s->m, items, name, &found, &is, &e);
    pq_variant_path_find(&s->m, s->value, &step, 1, &stepped, &is2, &e2);
    DOOR_CHECK(e.rc == e2.rc);
    if (!fine(&e) || !fine(&e2)) {
        return;
    }
    DOOR_CHECK(is == is2 && (!is || same_place(found, stepped)));
    for (i = 0; is && i < items->n && !seen; i++) {
        uint32_t id = pq_variant_number(items->ids, items->id_size, i);
        e = fresh();
        seen = pq_variant_meta_name(&s->m, id, &other, &e) == PQ_OK &&
               pq_slice_equal(other, name) &&
               pq_variant_items_at(items, i, &item, &e) == PQ_OK &&
               same_place(item, found);
    }
    DOOR_CHECK(seen == is);
    DOOR_CHECK(is || !s->printed || items->n > 16);
}

static void take_apart(Stranger *s)
{
    PqErr e = fresh();
    PqVariantItems items, again;
    PqSlice rest = s->value, item, same, name = {NULL, 0};
    uint32_t i;

    if (s->value.n == 0 ||
        (s->value.p[0] & 3) <= PQ_VARIANT_SHORT_STRING ||
        (pq_variant_items_open(&rest, &items, &e), !fine(&e))) {
        return;
    }
    again = items;
    for (i = 0; i < items.n && i < MOST_ITEMS; i++) {
        PqErr e2 = fresh(), e3 = fresh();
        pq_variant_items_take(&again, i, &item, &e2);
        pq_variant_items_at(&items, i, &same, &e3);
        DOOR_CHECK(e2.rc != PQ_OK ||
                   (e3.rc == PQ_OK && same_place(item, same)));
        e3 = fresh();
        if (items.is_object &&
            pq_variant_items_name(&s->m, &items, i, &name, &e3) == PQ_OK) {
            find_field(s, &items, name);
        }
        if (!fine(&e2) || !fine(&e3)) {
            return;
        }
    }
}

static const char *const types[] = {
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double",
    "decimal(9,2)", "decimal(18,18)", "decimal(38,10)", "string", "binary",
    "date", "time", "timestamp", "timestamp_ntz", "uuid", "variant",
};

/* A cast value in the form of its column, and back. */
static void store(const PqVariantValue *v, const PqVariantTarget *to,
                  PqMem *mem)
{
    _Alignas(16) uint8_t slot[16] = {0};
    PqErr e = fresh();
    PqVariantValue back;
    PqArena a;

    pq_arena_init(&a, mem);
    if (!to->is_variant &&
        pq_variant_store(v, &to->type, &a, slot, &e) == PQ_OK &&
        pq_variant_of_stored(&to->type, slot, &back)) {
        DOOR_CHECK(back.kind == v->kind);
        DOOR_CHECK(v->kind != PQ_VARIANT_STRING ||
                   pq_slice_equal(back.bytes, v->bytes));
    }
    fine(&e);
    pq_arena_free(&a);
}

static void cast(Stranger *s)
{
    const char *name = types[(s->mode >> 1) % PQ_COUNT(types)];
    PqErr e = fresh(), e2 = fresh();
    bool is_null, is_null2;
    PqVariantValue v, out;
    PqVariantTarget to;
    PqBuf text;

    pq_buf_init(&text, s->mem, &e2);
    DOOR_CHECK(pq_variant_target_parse(pq_slice_text(name), &to, &e) == PQ_OK);
    if (s->printed && pq_variant_value_read(s->value, &v, &e) == PQ_OK) {
        pq_variant_typeof(&v, &text);
        text.n = 0;
        pq_variant_cast(&s->m, &v, &to, &text, &out, &is_null, &e);
        if (fine(&e) && !is_null) {
            store(&out, &to, s->mem);
        }
        to.try_ = true;
        pq_variant_cast(&s->m, &v, &to, &text, &out, &is_null2, &e2);
        DOOR_CHECK(fine(&e2) && is_null2 == (e.rc != PQ_OK || is_null));
    }
    pq_buf_free(&text);
}

static void describe(Stranger *s)
{
    PqVariantShape shape = {0};
    PqErr e = fresh();
    PqArena a;
    PqBuf text;

    pq_arena_init(&a, s->mem);
    pq_buf_init(&text, s->mem, &e);
    if (pq_variant_shape_add(&shape, &s->m, s->value, &a, &e) == PQ_OK &&
        pq_variant_shape_add(&shape, &s->m, s->value, &a, &e) == PQ_OK) {
        pq_variant_shape_text(&shape, &text);
        DOOR_CHECK(e.rc != PQ_OK || text.n > 0);
    }
    fine(&e);
    pq_buf_free(&text);
    pq_arena_free(&a);
}

/* Copies a value, and the copy. */
static void copy(Stranger *s, bool under)
{
    PqSlice metadata, value, metadata2, value2;
    PqVariantBuild *b = NULL, *b2 = NULL;
    PqErr e = fresh();
    PqVariantMeta m;

    if (pq_variant_build_new(s->mem, &b, &e) != PQ_OK ||
        pq_variant_build_new(s->mem, &b2, &e) != PQ_OK) {
        goto done;
    }
    if (under) {
        pq_variant_build_begin_under(b, s->metadata, &e);
    }
    pq_variant_build_copy(b, &s->m, s->value);
    if (pq_variant_build_finish(b, &metadata, &value, &e) == PQ_OK) {
        DOOR_CHECK(s->printed);
        DOOR_CHECK(pq_variant_meta_open(metadata, &m, &e) == PQ_OK);
        DOOR_CHECK(pq_variant_check(&m, value, &e) == PQ_OK);
        pq_variant_build_copy(b2, &m, value);
        pq_variant_build_finish(b2, &metadata2, &value2, &e);
        DOOR_CHECK(under || (pq_slice_equal(metadata, metadata2) &&
                             value.n == value2.n));
    }
done:
    fine(&e);
    pq_variant_build_free(b);
    pq_variant_build_free(b2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqSlice in = {bytes, n};
    PqErr e;
    Stranger s = {.mem = door_open(&e), .e = &e};
    uint8_t *blob, *metadata = NULL;
    bool is_blob;

    e.where.file = DOOR_FILE;
    s.mode = door_u8(&in);
    is_blob = s.mode & 1;
    if (!is_blob) {
        s.metadata = door_take(&in, door_u16(&in));
        s.metadata.p = metadata = door_copy(s.metadata);
    }
    blob = door_copy(in);
    s.value = pq_slice(blob, in.n);
    if ((is_blob ? pq_variant_split(s.value, &s.metadata, &s.value, &e)
                 : PQ_OK) == PQ_OK &&
        pq_variant_meta_open(s.metadata, &s.m, &e) == PQ_OK) {
        print(&s);
        take_apart(&s);
        cast(&s);
        describe(&s);
        copy(&s, false);
        copy(&s, true);
    }
    door_check_error(&e, DOOR_FILE);
    free(blob);
    free(metadata);
    door_close(s.mem);
    return 0;
}
