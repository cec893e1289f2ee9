/*
** format_test.c - the tables of the format's structs.
*/
#include "test/unit/small_file.h"

static const PqThriftStruct *const roots[] = {
    &pq_format_file,         &pq_format_row_group,    &pq_format_chunk,
    &pq_format_column_meta,  &pq_format_page_header,  &pq_format_offset_index,
    &pq_format_column_index, &pq_format_bloom_header, &pq_format_file_crypto,
};

/* What is wrong with the rows of a table, or of one below it; NULL: nothing. */
static const char *table_error(const PqThriftStruct *s, char *text, size_t n)
{
    size_t end = sizeof(uint32_t);
    const char *below;
    unsigned i, k;

    for (i = 0; i < s->n_fields; i++) {
        const PqThriftField *f = &s->fields[i];
        bool list = f->kind & PQ_THRIFT_LIST;
        int kind = f->kind & ~PQ_THRIFT_LIST;
        size_t size = list ? sizeof(PqI64List) : f->size;
        const char *what =
            f->id < 1 || f->id > 30                    ? "number"
            : i > 0 && f->id <= s->fields[i - 1].id    ? "order"
            : f->offset < sizeof(uint32_t)             ? "offset"
            : f->offset + size > s->size               ? "end"
            : kind == PQ_THRIFT_BOOL && f->size != 1   ? "size"
            : kind == PQ_THRIFT_DOUBLE && f->size != 8 ? "size"
            : kind == PQ_THRIFT_INT && f->size != 1 && f->size != 2 &&
                    f->size != 4 && f->size != 8
                ? "size"
            : (kind == PQ_THRIFT_TEXT || kind == PQ_THRIFT_BINARY ||
               kind == PQ_THRIFT_RAW) &&
                    f->size != sizeof(PqSlice)
                ? "size"
            : kind == PQ_THRIFT_STRUCT && f->size != f->of->size ? "of"
            : (kind >= PQ_THRIFT_STRUCT) != (f->of != NULL)      ? "of"
                                                                 : NULL;
        for (k = 0; k < i && !what; k++) {
            const PqThriftField *g = &s->fields[k];
            size_t g_size = g->kind & PQ_THRIFT_LIST ? sizeof(PqI64List)
                                                     : g->size;
            what = f->offset < g->offset + g_size &&
                           g->offset < f->offset + size
                       ? "overlap"
                       : NULL;
        }
        if (what) {
            snprintf(text, n, "%s.%s: %s", s->name, f->name, what);
            return text;
        }
        below = f->of ? table_error(f->of, text, n) : NULL;
        if (below) {
            return below;
        }
        end = end > f->offset + size ? end : f->offset + size;
    }
    if (s == &pq_format_chunk) {
        end += sizeof(struct PqLock *);      /* PqColumnChunk.lock */
    }
    if (s->size > end + 7) {                 /* more than padding is left */
        snprintf(text, n, "%s: members without a row", s->name);
        return text;
    }
    return NULL;
}

TEST(format, every_row_fits_its_struct)
{
    char text[200];
    size_t i;

    for (i = 0; i < PQ_COUNT(roots); i++) {
        const char *error = table_error(roots[i], text, sizeof text);
        /* GeometryType shares a C struct with GeographyType, without its
        ** algorithm. */
        if (error && !strstr(error, "GeometryType: members")) {
            test_fail(t, __FILE__, __LINE__, "%s", error);
            return;
        }
    }
}

/* Fills each field of the struct with something different, and lists with two
** elements.  Of a union only member number `which` is filled. */
static void fill(const PqThriftStruct *s, uint8_t *out, PqArena *a,
                 unsigned *which, PqErr *e)
{
    uint32_t has = 0;
    unsigned i, k, only = s->is_union ? (*which)++ % s->n_fields : 0;

    for (i = 0; i < s->n_fields; i++) {
        const PqThriftField *f = &s->fields[i];
        int kind = f->kind & ~PQ_THRIFT_LIST;
        bool list = f->kind & PQ_THRIFT_LIST;
        uint8_t *to = out + f->offset;
        uint32_t n = 2;

        if (s->is_union && i != only) {
            continue;
        }
        if (list) {
            to = pq_arena_zeros(a, n, f->size, e);
            memcpy(out + f->offset, &to, sizeof to);
            memcpy(out + f->offset + sizeof to, &n, sizeof n);
        }
        for (k = 0; k < (list ? n : 1); k++, to += f->size) {
            int64_t v = ++*which % 2 ? -(int64_t)*which : (int64_t)*which;
            double d = (double)v / 4;
            PqBuf raw;
            PqSlice text;
            char *words = pq_arena_printf(a, e, "text %u", *which);
            uint8_t *inside;

            switch (kind) {
            case PQ_THRIFT_BOOL:
                *to = *which & 1;
                break;
            case PQ_THRIFT_INT:
                memcpy(to, &v, f->size);
                break;
            case PQ_THRIFT_DOUBLE:
                memcpy(to, &d, 8);
                break;
            case PQ_THRIFT_STRUCT:
                fill(f->of, to, a, which, e);
                break;
            case PQ_THRIFT_RAW:
                inside = pq_arena_zeros(a, 1, f->of->size, e);
                fill(f->of, inside, a, which, e);
                pq_buf_init(&raw, a->mem, e);
                pq_compact_write(f->of, inside, &raw);
                text = pq_slice(pq_arena_text(a, raw.p, raw.n, e), raw.n);
                memcpy(to, &text, sizeof text);
                pq_buf_free(&raw);
                break;
            default:
                text = pq_slice_text(words);
                memcpy(to, &text, sizeof text);
            }
        }
        has |= 1u << f->id;
    }
    memcpy(out, &has, sizeof has);
}

static bool same_struct(const PqThriftStruct *s, const uint8_t *a,
                        const uint8_t *b);

static bool same_value(const PqThriftField *f, const uint8_t *a,
                       const uint8_t *b)
{
    PqSlice x, y;

    switch (f->kind & ~PQ_THRIFT_LIST) {
    case PQ_THRIFT_BOOL:
    case PQ_THRIFT_INT:
    case PQ_THRIFT_DOUBLE:
        return memcmp(a, b, f->size) == 0;
    case PQ_THRIFT_STRUCT:
        return same_struct(f->of, a, b);
    default:
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return pq_slice_equal(x, y);
    }
}

static bool same_list(const PqThriftField *f, const uint8_t *a,
                      const uint8_t *b)
{
    struct { const uint8_t *v; uint32_t n; } x, y;
    bool same;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    same = x.n == y.n;
    for (size_t i = 0; i < x.n && same; i++) {
        same = same_value(f, x.v + i * f->size, y.v + i * f->size);
    }
    return same;
}

/* The same fields with the same values. */
static bool same_struct(const PqThriftStruct *s, const uint8_t *a,
                        const uint8_t *b)
{
    uint32_t has, other;
    bool same;

    memcpy(&has, a, sizeof has);
    memcpy(&other, b, sizeof other);
    same = has == other;
    for (unsigned i = 0; i < s->n_fields && same; i++) {
        const PqThriftField *f = &s->fields[i];

        if (has >> f->id & 1) {
            same = (f->kind & PQ_THRIFT_LIST ? same_list : same_value)(
                f, a + f->offset, b + f->offset);
        }
    }
    return same;
}

/* Written and read, it is the same; written again, the bytes are the same. */
static bool round_trips(const PqThriftStruct *s, unsigned which, PqArena *a,
                        PqErr *e)
{
    uint8_t *first = pq_arena_zeros(a, 1, s->size, e);
    uint8_t *second = pq_arena_zeros(a, 1, s->size, e);
    PqBuf once, twice;
    PqSlice bytes;
    bool same = false;

    pq_buf_init(&once, a->mem, e);
    pq_buf_init(&twice, a->mem, e);
    fill(s, first, a, &which, e);
    pq_compact_write(s, first, &once);
    bytes = pq_buf_view(&once);
    if (pq_compact_read(s, &bytes, a, second, e) == PQ_OK && bytes.n == 0) {
        pq_compact_write(s, second, &twice);
        same = pq_slice_equal(pq_buf_view(&once), pq_buf_view(&twice)) &&
               same_struct(s, first, second) && once.n > s->n_fields;
    }
    pq_buf_free(&once);
    pq_buf_free(&twice);
    return same;
}

TEST(format, every_field_of_every_struct_round_trips)
{
    unsigned which;
    PqArena a;
    size_t i;

    pq_arena_init(&a, t->mem);
    for (i = 0; i < PQ_COUNT(roots); i++) {
        for (which = 0; which < 40; which++) {
            if (!round_trips(roots[i], which, &a, t->e)) {
                test_fail(t, __FILE__, __LINE__, "%s, %u: %s", roots[i]->name,
                          which, t->e->text);
                pq_arena_free(&a);
                return;
            }
        }
    }
    pq_arena_free(&a);
}

TEST(format, the_page_header_of_the_walkthrough_reads)
{
    PqSlice bytes = test_hex(t, WALKTHROUGH);
    size_t before;
    PqPageHeader h;
    PqArena a;

    bytes.p += 4;
    bytes.n -= 4;
    before = bytes.n;
    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_format_read_page_header(&bytes, &a, &h, t->e));
    CHECK_INT(before - bytes.n, 28);
    CHECK_INT(h.type, PQ_PAGE_DATA_V2);
    CHECK_INT(h.uncompressed_page_size, 45);
    CHECK_INT(h.compressed_page_size, 45);
    CHECK_INT(h.crc, -457214166);
    CHECK(PQ_HAS(&h, PQ_PAGE_HEADER_DATA_V2));
    CHECK(!PQ_HAS(&h, PQ_PAGE_HEADER_DATA));
    CHECK_INT(h.data_page_v2.num_values, 5);
    CHECK_INT(h.data_page_v2.num_rows, 5);
    CHECK_INT(h.data_page_v2.is_compressed, false);
}

TEST(format, a_v2_page_is_compressed_unless_it_says_otherwise)
{
    /* type 3, sizes 0; v2: 1 value, 0 nulls, 1 row, PLAIN, no levels */
    PqSlice bytes = test_hex(t, "1506 1500 1500 5c 1502 1500 1502 1500 1500 "
                                "1500 00 00");
    PqPageHeader h;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_format_read_page_header(&bytes, &a, &h, t->e));
    CHECK_INT(h.data_page_v2.is_compressed, true);
    CHECK(!PQ_HAS(&h.data_page_v2, PQ_DATA_PAGE_V2_IS_COMPRESSED));
}

TEST(format, a_page_header_without_a_size_is_refused_by_name)
{
    PqSlice bytes = test_hex(t, "1500 1502 00");
    PqPageHeader h;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_FAILS(pq_format_read_page_header(&bytes, &a, &h, t->e), PQ_CORRUPT,
                "PageHeader.compressed_page_size is missing");
}

TEST(format, the_last_logical_type_takes_the_long_form)
{
    PqSchemaElement el[1];
    PqFileMetaData f, back;
    PqSlice bytes;
    PqArena a;
    PqBuf b;
    uint32_t has = 0;
    PqRc rc;

    memset(el, 0, sizeof el);
    memset(&f, 0, sizeof f);
    el[0].has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_LOGICAL;
    el[0].name = pq_slice_text("f");
    el[0].logical_type.has = 1u << PQ_LOGICAL_FILE;
    f.has = 1u << PQ_FILE_SCHEMA | 1u << PQ_FILE_ROW_GROUPS;
    f.schema = (PqSchemaElementList){el, 1};
    pq_buf_init(&b, t->mem, t->e);
    pq_arena_init(&a, t->mem);
    pq_format_write_file(&f, &b);
    bytes = pq_buf_view(&b);
    rc = pq_format_read_file(&bytes, &a, &back, t->e);
    if (rc == PQ_OK) {
        has = back.schema.v[0].logical_type.has;
    }
    pq_arena_free(&a);
    pq_buf_free(&b);
    CHECK_OK(rc);
    CHECK_INT(has, 1u << PQ_LOGICAL_FILE);
}

TEST(format, an_unknown_logical_type_leaves_the_element_readable)
{
    /* schema: one element, name "a", logicalType with member 30; no groups */
    PqSlice bytes = test_hex(t, "291c 480161 6c 0c3c1502 00 00 00 290c 00");
    PqFileMetaData f;
    PqArena a;
    uint32_t has = 0;
    PqRc rc;

    pq_arena_init(&a, t->mem);
    rc = pq_format_read_file(&bytes, &a, &f, t->e);
    if (rc == PQ_OK) {
        has = f.schema.v[0].logical_type.has;
    }
    pq_arena_free(&a);
    CHECK_OK(rc);
    CHECK_INT(has, 1u << PQ_HAS_UNKNOWN);
}

TEST(format, names_of_numbers_outside_the_format_are_null)
{
    CHECK_TEXT(pq_format_converted_name(PQ_CONVERTED_INTERVAL), "INTERVAL");
    CHECK_TEXT(pq_format_repetition_name(2), "REPEATED");
    CHECK_TEXT(pq_format_page_type_name(3), "DATA_PAGE_V2");
    CHECK_TEXT(pq_format_boundary_name(1), "ASCENDING");
    CHECK_TEXT(pq_format_edges_name(4), "KARNEY");
    CHECK(!pq_format_converted_name(22) && !pq_format_converted_name(-1));
    CHECK(!pq_format_repetition_name(3) && !pq_format_page_type_name(4));
    CHECK(!pq_format_boundary_name(3) && !pq_format_edges_name(5));
}
