/*
** wkt_door.c - fuzz door to core/geo: well-known text and GeoJSON.
**
**   0  mode      bit 0: the rest is WKB, else text
**   1  decimals  for a text that is rounded
**
** What is read is valid WKB.  Printed, it is read again as the same bytes, but
** that -0 is 0 then.  GeoJSON and a rounded text are valid.
**
** WKB may hold what text cannot: parts with dimensions of their own, and a
** POLYGON whose first ring is empty.  So it is printed twice before it is
** compared.  A text can be WKB too, in hex digits.
*/
#include "core/geo/wkt.h"
#include "core/text/json_read.h"
#include "core/text/parse.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

typedef struct Texts {
    PqBuf wkb, again, text, other;
    PqMem *mem;
} Texts;

/* Are they the same doubles? */
static bool same_but_zeros(PqSlice a, PqSlice b)
{
    size_t i;

    for (i = 0; i < a.n && i < b.n; i++) {
        if (a.p[i] != b.p[i] && (a.p[i] != 0x80 || b.p[i] != 0)) {
            return false;
        }
    }
    return a.n == b.n;
}

static void check_json(PqSlice json, PqMem *mem, PqErr *e)
{
    PqJsonToken t;
    PqJsonRead r;
    PqArena a;

    pq_arena_init(&a, mem);
    pq_json_read_begin(&r, json, &a);
    DOOR_CHECK(pq_json_read_next(&r, &t, e) == PQ_OK);
    DOOR_CHECK(t.kind == PQ_JSON_OBJECT);
    DOOR_CHECK(pq_json_read_skip(&r, &t, NULL, e) == PQ_OK);
    DOOR_CHECK(pq_json_read_next(&r, &t, e) == PQ_OK);
    pq_arena_free(&a);
}

static void print(PqSlice wkb, int decimals, PqBuf *out, PqErr *e)
{
    out->n = 0;
    DOOR_CHECK(pq_wkt_write(wkb, decimals, out, e) == PQ_OK);
}

static void read(PqSlice text, PqBuf *out, PqErr *e)
{
    out->n = 0;
    DOOR_CHECK(pq_wkt_read(text, out, e) == PQ_OK);
    DOOR_CHECK(pq_wkb_check(pq_buf_view(out), e) == PQ_OK);
}

/* wkb was read from a text. */
static void check_text(Texts *t, int decimals, PqErr *e)
{
    print(pq_buf_view(&t->wkb), PQ_GEO_ALL_DIGITS, &t->text, e);
    read(pq_buf_view(&t->text), &t->again, e);
    DOOR_CHECK(same_but_zeros(pq_buf_view(&t->wkb), pq_buf_view(&t->again)));
    print(pq_buf_view(&t->again), PQ_GEO_ALL_DIGITS, &t->other, e);
    DOOR_CHECK(pq_slice_equal(pq_buf_view(&t->text), pq_buf_view(&t->other)));
    print(pq_buf_view(&t->wkb), decimals, &t->text, e);
    read(pq_buf_view(&t->text), &t->again, e);
}

static void check_wkb(PqSlice wkb, Texts *t, int decimals, PqErr *e)
{
    bool good = pq_wkb_check(wkb, e) == PQ_OK;

    door_check_error(e, NULL);
    pq_err_clear(e);
    DOOR_CHECK((pq_geojson_write(wkb, decimals, &t->other, e) == PQ_OK) <= good);
    if (e->rc == PQ_OK) {
        check_json(pq_buf_view(&t->other), t->mem, e);
    } else {
        DOOR_CHECK(t->other.n == 0);
    }
    door_check_error(e, NULL);
    pq_err_clear(e);
    if (!good) {
        DOOR_CHECK(pq_wkt_write(wkb, decimals, &t->text, e) != PQ_OK);
        DOOR_CHECK(t->text.n == 0);
        return;
    }
    print(wkb, PQ_GEO_ALL_DIGITS, &t->text, e);
    if (pq_wkt_read(pq_buf_view(&t->text), &t->wkb, e) == PQ_OK) {
        check_text(t, decimals, e);
    } else {
        DOOR_CHECK(strstr(e->text, "dimensions") || strstr(e->text, "numbers"));
    }
}

/* WKT does not begin so. */
static bool is_hex(PqSlice text)
{
    size_t i = 0;

    while (i < text.n && pq_ascii_is_blank(text.p[i])) i++;
    return i < text.n && (text.p[i] == '0' || text.p[i] == '\\');
}

/* t->wkb was read from hex digits. */
static void check_hex(Texts *t, int decimals, PqErr *e)
{
    PqSlice wkb = pq_buf_view(&t->wkb);
    uint8_t *own = door_copy(wkb);

    wkb.p = own;
    t->wkb.n = 0;
    check_wkb(wkb, t, decimals, e);
    pq_err_clear(e);
    free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqSlice in = {bytes, n};
    PqErr e;
    PqMem *mem = door_open(&e);
    Texts t = {.mem = mem};
    uint8_t mode = door_u8(&in), decimals = door_u8(&in), *own;

    e.where.file = DOOR_FILE;
    pq_buf_init(&t.wkb, mem, &e);
    pq_buf_init(&t.again, mem, &e);
    pq_buf_init(&t.text, mem, &e);
    pq_buf_init(&t.other, mem, &e);
    own = door_copy(in);
    in.p = own;
    if (mode & 1) {
        check_wkb(in, &t, decimals, &e);
    } else if (pq_wkt_read(in, &t.wkb, &e) == PQ_OK) {
        DOOR_CHECK(pq_wkb_check(pq_buf_view(&t.wkb), &e) == PQ_OK);
        is_hex(in) ? check_hex(&t, decimals, &e) : check_text(&t, decimals, &e);
    } else {
        DOOR_CHECK(e.rc == PQ_USAGE && t.wkb.n == 0);
    }
    door_check_error(&e, DOOR_FILE);
    pq_buf_free(&t.wkb);
    pq_buf_free(&t.again);
    pq_buf_free(&t.text);
    pq_buf_free(&t.other);
    free(own);
    door_close(mem);
    return 0;
}
