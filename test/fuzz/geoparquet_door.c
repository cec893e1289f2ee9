/*
** geoparquet_door.c - fuzz door to core/geo: the JSON of GeoParquet.
**
** All bytes are the text.  What is read is written as version 1.1 and 2.0, and
** that is read as the same columns and written as the same bytes.  The text is
** read as GeoArrow's metadata too.
*/
#include "core/geo/geoparquet.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

static void check_column(const PqGeoColumn *c)
{
    DOOR_CHECK((uint32_t)c->encoding < PQ_GEO_ENCODINGS);
    DOOR_CHECK(c->algorithm >= PQ_GEO_PLANAR && c->algorithm <= 4);
    DOOR_CHECK(c->n_codes <= PQ_COUNT(c->codes));
    for (uint32_t i = 0; i < c->n_codes; i++) {
        DOOR_CHECK(c->codes[i] / 1000 <= 3 && c->codes[i] % 1000 - 1 < 7);
    }
    for (int i = 0; i < 4; i++) {
        DOOR_CHECK(c->cover[i].n <= 2 && !c->cover[i].n == !c->cover[0].n);
    }
    DOOR_CHECK(!c->has_box || (pq_geo_box_is_whole(&c->box) &&
                               c->box.min[PQ_GEO_Y] <= c->box.max[PQ_GEO_Y]));
}

static void check_again(PqGeoParquet g, const char *version, PqArena *a,
                        PqMem *mem, PqErr *e)
{
    PqBuf text, other;
    PqGeoParquet back;

    pq_buf_init(&text, mem, e);
    pq_buf_init(&other, mem, e);
    g.version = version;
    pq_geoparquet_write(&g, &text);
    DOOR_CHECK(pq_geoparquet_read(pq_buf_view(&text), a, &back, e));
    DOOR_CHECK(back.n_columns == g.n_columns);
    DOOR_CHECK(strcmp(back.primary, g.primary) == 0);
    for (uint32_t i = 0; i < g.n_columns; i++) {
        DOOR_CHECK(strcmp(back.columns[i].name, g.columns[i].name) == 0);
        DOOR_CHECK(back.columns[i].algorithm == g.columns[i].algorithm);
    }
    pq_geoparquet_write(&back, &other);
    DOOR_CHECK(pq_slice_equal(pq_buf_view(&text), pq_buf_view(&other)));
    pq_buf_free(&text);
    pq_buf_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqSlice in = {bytes, n};
    PqErr e;
    PqMem *mem = door_open(&e);
    uint8_t *own = door_copy(in);
    PqGeoColumn arrow;
    PqGeoParquet g;
    PqArena a;

    in.p = own;
    pq_arena_init(&a, mem);
    if (pq_geoparquet_read(in, &a, &g, &e)) {
        for (uint32_t i = 0; i < g.n_columns; i++) {
            check_column(&g.columns[i]);
        }
        check_again(g, "1.1.0", &a, mem, &e);
        check_again(g, "2.0.0", &a, mem, &e);
    }
    pq_geoarrow_read(in, &a, &arrow, &e);
    DOOR_CHECK(e.rc == PQ_OK);
    pq_arena_free(&a);
    free(own);
    door_close(mem);
    return 0;
}
