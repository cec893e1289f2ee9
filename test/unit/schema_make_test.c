/*
** schema_make_test.c - a schema that was made reads back the same; and what is
** refused.
*/
#include "core/meta/schema_make.h"
#include "core/meta/footer.h"
#include "test/unit/made_schema.h"

static const PqType int64 = {.physical = PQ_INT64};
static const PqType string = {.physical = PQ_BYTE_ARRAY,
                              .logical = PQ_TYPE_STRING};

static PqSchemaMake *begin_make(Test *t)
{
    PqSchemaMake *make = NULL;

    begin(t, m);
    pq_schema_make_new(t->mem, &make, t->e);
    return make;
}

static void end_make(PqSchemaMake *make)
{
    pq_schema_make_free(make);
    end(m);
}

/* Ends the schema, writes it, reads it and builds the tree. */
static PqRc there_and_back(Test *t, PqSchemaMake *make)
{
    PqFileMetaData file = {.has = HAS(PQ_FILE_VERSION) |
                                  HAS(PQ_FILE_SCHEMA) |
                                  HAS(PQ_FILE_NUM_ROWS) |
                                  HAS(PQ_FILE_ROW_GROUPS)};
    PqSlice bytes;
    PqBuf out;
    PqRc rc;

    pq_buf_init(&out, t->mem, t->e);
    PQ_GO(pq_schema_make_end(make, &m->arena, &file.schema, t->e));
    pq_format_write_file(&file, &out);
    bytes = pq_slice(pq_arena_text(&m->arena, out.p, out.n, t->e), out.n);
    PQ_GO(pq_format_read_file(&bytes, &m->arena, &file, t->e));
    m->list = file.schema;
    PQ_GO(build(t, m));
done:
    pq_buf_free(&out);
    return rc;
}

TEST(schema_make, groups_come_back_as_what_they_were)
{
    PqSchemaMake *make = begin_make(t);

    pq_schema_make_leaf(make, "id", &int64, true, 1);
    pq_schema_make_group(make, PQ_NODE_LIST, "tags", false, 2);
    pq_schema_make_leaf(make, NULL, &string, false, 3);
    pq_schema_make_close(make);
    pq_schema_make_group(make, PQ_NODE_MAP, "m", true, -1);
    pq_schema_make_leaf(make, NULL, &string, false, -1);
    pq_schema_make_group(make, PQ_NODE_STRUCT, NULL, false, -1);
    pq_schema_make_leaf(make, "a", &int64, false, -1);
    pq_schema_make_group(make, PQ_NODE_LIST, "", true, -1);
    pq_schema_make_group(make, PQ_NODE_LIST, "item", true, -1);
    pq_schema_make_leaf(make, NULL, &int64, true, -1);
    pq_schema_make_close(make);
    pq_schema_make_close(make);
    pq_schema_make_close(make);
    pq_schema_make_close(make);
    pq_schema_make_group(make, PQ_NODE_MAP, "keys", false, -1);
    pq_schema_make_leaf(make, "k", &int64, false, -1);
    pq_schema_make_close(make);
    CHECK_OK(there_and_back(t, make));
    CHECK_TEXT(tree(m),
               "id:LEAF p0 r0 #0; "
               "tags:LIST p1 r0 [2 1](element:LEAF p3 r1 #1); "
               "m:MAP p0 r0 [1 1](key:LEAF p1 r1 #2, "
               "value:STRUCT p2 r1(a:LEAF p3 r1 #3, "
               ":LIST p2 r1 [3 2](item:LIST p3 r2 [4 3]("
               "element:LEAF p4 r3 #4)))); "
               "keys:MAP p1 r0 [2 1](k:LEAF p2 r1 #5)");
    CHECK_TEXT(m->schema.leaves[1].path, "tags.list.element");
    CHECK_TEXT(m->schema.leaves[2].path, "m.key_value.key");
    end_make(make);
}

TEST(schema_make, elements_say_what_readers_of_all_ages_look_for)
{
    PqSchemaMake *make = begin_make(t);
    const PqSchemaElement *el;

    pq_schema_make_group(make, PQ_NODE_LIST, "l", false, 7);
    pq_schema_make_leaf(make, NULL, &string, true, 8);
    pq_schema_make_close(make);
    pq_schema_make_group(make, PQ_NODE_MAP, "m", true, -1);
    pq_schema_make_leaf(make, NULL, &string, false, -1);
    pq_schema_make_leaf(make, NULL, &int64, false, -1);
    pq_schema_make_close(make);
    CHECK_OK(there_and_back(t, make));
    el = m->list.v;
    CHECK_INT(m->list.n, 8);
    CHECK_INT(el[0].has, HAS(PQ_SCHEMA_NAME) | HAS(PQ_SCHEMA_NUM_CHILDREN));
    CHECK(pq_slice_is(el[0].name, "schema"));
    CHECK_INT(el[0].num_children, 2);
    CHECK_INT(el[1].converted_type, PQ_CONVERTED_LIST);
    CHECK_INT(el[1].logical_type.has, HAS(PQ_LOGICAL_LIST));
    CHECK_INT(el[1].repetition_type, PQ_OPTIONAL);
    CHECK_INT(el[1].num_children, 1);
    CHECK_INT(el[1].field_id, 7);
    CHECK(pq_slice_is(el[2].name, "list"));
    CHECK_INT(el[2].has, HAS(PQ_SCHEMA_NAME) | HAS(PQ_SCHEMA_REPETITION) |
                             HAS(PQ_SCHEMA_NUM_CHILDREN));
    CHECK_INT(el[2].repetition_type, PQ_REPEATED);
    CHECK_INT(el[3].repetition_type, PQ_REQUIRED);
    CHECK_INT(el[3].field_id, 8);
    CHECK(!PQ_HAS(&el[3], PQ_SCHEMA_NUM_CHILDREN));
    CHECK_INT(el[4].converted_type, PQ_CONVERTED_MAP);
    CHECK_INT(el[4].logical_type.has, HAS(PQ_LOGICAL_MAP));
    CHECK(!PQ_HAS(&el[4], PQ_SCHEMA_FIELD_ID));
    CHECK(pq_slice_is(el[5].name, "key_value"));
    CHECK(!PQ_HAS(&el[5], PQ_SCHEMA_CONVERTED));
    CHECK_INT(el[6].repetition_type, PQ_REQUIRED);   /* a key always is */
    CHECK_INT(el[7].repetition_type, PQ_OPTIONAL);
    end_make(make);
}

/* Every meaning with its parameters, and the ConvertedType the specification
** has for it, -1 for none. */
static const struct {
    PqType      type;
    int         converted;
    const char *text;
} each[] = {
    {{.physical = PQ_BOOLEAN}, -1, "BOOLEAN"},
    {{.physical = PQ_INT32}, -1, "INT32"},
    {{.physical = PQ_INT64}, -1, "INT64"},
    {{.physical = PQ_INT96}, -1, "INT96"},
    {{.physical = PQ_FLOAT}, -1, "FLOAT"},
    {{.physical = PQ_DOUBLE}, -1, "DOUBLE"},
    {{.physical = PQ_BYTE_ARRAY}, -1, "BYTE_ARRAY"},
    {{.physical = PQ_FIXED, .fixed_length = 5}, -1, "FIXED_LEN_BYTE_ARRAY(5)"},
    {{.logical = PQ_TYPE_STRING}, PQ_CONVERTED_UTF8, "STRING"},
    {{.logical = PQ_TYPE_ENUM}, PQ_CONVERTED_ENUM, "ENUM"},
    {{.logical = PQ_TYPE_JSON}, PQ_CONVERTED_JSON, "JSON"},
    {{.logical = PQ_TYPE_BSON}, PQ_CONVERTED_BSON, "BSON"},
    {{.logical = PQ_TYPE_UUID}, -1, "UUID"},
    {{.logical = PQ_TYPE_INT, .bit_width = 8, .is_signed = true},
     PQ_CONVERTED_INT_8, "INT8"},
    {{.logical = PQ_TYPE_INT, .bit_width = 16, .is_signed = true},
     PQ_CONVERTED_INT_16, "INT16"},
    {{.logical = PQ_TYPE_INT, .bit_width = 32, .is_signed = true},
     PQ_CONVERTED_INT_32, "INT32"},
    {{.logical = PQ_TYPE_INT, .bit_width = 64, .is_signed = true},
     PQ_CONVERTED_INT_64, "INT64"},
    {{.logical = PQ_TYPE_INT, .bit_width = 8}, PQ_CONVERTED_UINT_8, "UINT8"},
    {{.logical = PQ_TYPE_INT, .bit_width = 16}, PQ_CONVERTED_UINT_16,
     "UINT16"},
    {{.logical = PQ_TYPE_INT, .bit_width = 32}, PQ_CONVERTED_UINT_32,
     "UINT32"},
    {{.logical = PQ_TYPE_INT, .bit_width = 64}, PQ_CONVERTED_UINT_64,
     "UINT64"},
    {{.logical = PQ_TYPE_DECIMAL, .precision = 9, .scale = 2},
     PQ_CONVERTED_DECIMAL, "DECIMAL(9,2)"},
    {{.logical = PQ_TYPE_DECIMAL, .precision = 18, .scale = 18},
     PQ_CONVERTED_DECIMAL, "DECIMAL(18,18)"},
    {{.logical = PQ_TYPE_DECIMAL, .precision = 38}, PQ_CONVERTED_DECIMAL,
     "DECIMAL(38,0)"},
    {{.logical = PQ_TYPE_DATE}, PQ_CONVERTED_DATE, "DATE"},
    {{.logical = PQ_TYPE_TIME, .unit = PQ_MILLIS, .utc = true},
     PQ_CONVERTED_TIME_MILLIS, "TIME(MILLIS,UTC)"},
    {{.logical = PQ_TYPE_TIME, .unit = PQ_MILLIS}, PQ_CONVERTED_TIME_MILLIS,
     "TIME(MILLIS)"},
    {{.logical = PQ_TYPE_TIME, .unit = PQ_MICROS, .utc = true},
     PQ_CONVERTED_TIME_MICROS, "TIME(MICROS,UTC)"},
    {{.logical = PQ_TYPE_TIME, .unit = PQ_NANOS}, -1, "TIME(NANOS)"},
    {{.logical = PQ_TYPE_TIMESTAMP, .unit = PQ_MILLIS, .utc = true},
     PQ_CONVERTED_TIMESTAMP_MILLIS, "TIMESTAMP(MILLIS,UTC)"},
    {{.logical = PQ_TYPE_TIMESTAMP, .unit = PQ_MICROS},
     PQ_CONVERTED_TIMESTAMP_MICROS, "TIMESTAMP(MICROS)"},
    {{.logical = PQ_TYPE_TIMESTAMP, .unit = PQ_NANOS, .utc = true}, -1,
     "TIMESTAMP(NANOS,UTC)"},
    {{.logical = PQ_TYPE_INTERVAL}, PQ_CONVERTED_INTERVAL, "INTERVAL"},
    {{.logical = PQ_TYPE_FLOAT16}, -1, "FLOAT16"},
    {{.logical = PQ_TYPE_UNKNOWN}, -1, "UNKNOWN"},
    {{.logical = PQ_TYPE_GEOMETRY}, -1, "GEOMETRY(OGC:CRS84)"},
    {{.logical = PQ_TYPE_GEOMETRY, .crs = "EPSG:3857"}, -1,
     "GEOMETRY(EPSG:3857)"},
    {{.logical = PQ_TYPE_GEOGRAPHY}, -1, "GEOGRAPHY(OGC:CRS84,SPHERICAL)"},
    {{.logical = PQ_TYPE_GEOGRAPHY, .crs = "OGC:CRS83", .algorithm = 4}, -1,
     "GEOGRAPHY(OGC:CRS83,KARNEY)"},
};

/* A leaf of each, with different names. */
static void make_each(PqSchemaMake *make, size_t i, bool required)
{
    PqType type = each[i].type;
    char name[16];

    snprintf(name, sizeof name, "c%zu", i);
    pq_type_store(&type);
    pq_schema_make_leaf(make, name, &type, required, (int32_t)i);
}

TEST(schema_make, every_type_comes_back_with_its_parameters)
{
    PqSchemaMake *make = begin_make(t);
    uint32_t seen = 0;

    for (size_t i = 0; i < PQ_COUNT(each); i++) {
        seen |= 1u << each[i].type.logical;
        make_each(make, i, i % 2);
    }
    CHECK_INT(seen, (1u << PQ_TYPE_COUNT) - 1);
    CHECK_OK(there_and_back(t, make));
    CHECK_INT(m->schema.n_leaves, PQ_COUNT(each));
    for (size_t i = 0; i < PQ_COUNT(each); i++) {
        const PqSchemaElement *el = &m->list.v[i + 1];
        const PqLeaf *l = &m->schema.leaves[i];
        PqType type = each[i].type;

        pq_type_store(&type);
        CHECK(pq_type_equal(&l->type, &type));
        CHECK_INT(l->node->required, i % 2);
        CHECK_INT(el->field_id, i);
        CHECK_INT(PQ_HAS(el, PQ_SCHEMA_CONVERTED) ? el->converted_type : -1,
                  each[i].converted);
        CHECK_INT(PQ_HAS(el, PQ_SCHEMA_LOGICAL),
                  type.logical && type.logical != PQ_TYPE_INTERVAL);
        CHECK_INT(PQ_HAS(el, PQ_SCHEMA_PRECISION),
                  type.logical == PQ_TYPE_DECIMAL);
        m->text.n = 0;
        pq_type_text(&type, &m->text);
        pq_buf_byte(&m->text, 0);
        CHECK_TEXT((const char *)m->text.p, each[i].text);
    }
    end_make(make);
}

/* A reader that does not know LogicalType sees the ConvertedType. */
TEST(schema_make, the_older_annotation_alone_says_the_same)
{
    PqSchemaMake *make = begin_make(t);

    for (size_t i = 0; i < PQ_COUNT(each); i++) {
        make_each(make, i, false);
    }
    CHECK_OK(there_and_back(t, make));
    for (size_t i = 0; i < PQ_COUNT(each); i++) {
        PqSchemaElement el = m->list.v[i + 1];
        PqType want = m->schema.leaves[i].type, got;

        el.has &= ~HAS(PQ_SCHEMA_LOGICAL);
        got = pq_type_of_element(&el, &m->arena, t->e);
        if (each[i].converted < 0) {
            CHECK_INT(got.logical, PQ_TYPE_NONE);
            continue;
        }
        want.utc = want.logical == PQ_TYPE_TIME ||
                   want.logical == PQ_TYPE_TIMESTAMP;
        CHECK(pq_type_equal(&got, &want));
    }
    end_make(make);
}

/* LogicalTypes.md: n bytes hold floor(log10(2^(8n - 1) - 1)) digits.  Lengths
** beyond 16 bytes are multiples of eight, for DuckDB. */
TEST(schema_make, a_decimal_takes_the_fewest_bytes)
{
    static const int digits[] = {0,  2,  4,  6,  9,  11, 14, 16, 18, 21, 23,
                                 26, 28, 31, 33, 35, 38};

    for (int p = 1; p < 100; p++) {
        PqType type = {.logical = PQ_TYPE_DECIMAL, .precision = p};

        pq_type_store(&type);
        CHECK_INT(type.physical, p <= 9 ? PQ_INT32
                                 : p <= 18 ? PQ_INT64 : PQ_FIXED);
        if (p > 38) {
            CHECK_INT(type.fixed_length, p <= 57 ? 24 : p <= 76 ? 32 : p <= 96 ? 40
                                                                            : 48);
        } else if (type.physical == PQ_FIXED) {
            CHECK(digits[type.fixed_length] >= p);
            CHECK(digits[type.fixed_length - 1] < p);
        } else {
            CHECK_INT(type.fixed_length, 0);
        }
    }
}

static PqRc of_leaf(Test *t, PqSchemaMake *make, PqType type)
{
    PqSchemaElementList list;

    pq_schema_make_leaf(make, "c", &type, false, -1);
    return pq_schema_make_end(make, &m->arena, &list, t->e);
}

TEST(schema_make, a_type_needs_the_physical_type_the_specification_has)
{
    PqSchemaMake *make = begin_make(t);
    PqType type = {.physical = PQ_INT32, .logical = PQ_TYPE_STRING};

    CHECK_FAILS(of_leaf(t, make, type), PQ_USAGE,
                "c: STRING is not stored as INT32");
    type = (PqType){.physical = PQ_FIXED, .fixed_length = 3,
                    .logical = PQ_TYPE_STRING};
    CHECK_FAILS(of_leaf(t, make, type), PQ_USAGE,
                "STRING is not stored as FIXED_LEN_BYTE_ARRAY(3)");
    type = (PqType){.physical = PQ_INT64, .logical = PQ_TYPE_DECIMAL,
                    .precision = 19};
    CHECK_FAILS(of_leaf(t, make, type), PQ_USAGE,
                "DECIMAL(19,0) is not stored as INT64");
    type.precision = 18;
    CHECK_OK(of_leaf(t, make, type));
    type.scale = 19;
    CHECK_FAILS(of_leaf(t, make, type), PQ_USAGE, "DECIMAL(18,19)");
    type = (PqType){.physical = PQ_FIXED, .fixed_length = 8,
                    .logical = PQ_TYPE_DECIMAL, .precision = 19};
    CHECK_FAILS(of_leaf(t, make, type), PQ_USAGE, "DECIMAL(19,0)");
    type.physical = PQ_BYTE_ARRAY;
    type.fixed_length = 0;
    CHECK_OK(of_leaf(t, make, type));
    type = (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_INT,
                    .bit_width = 64};
    CHECK_FAILS(of_leaf(t, make, type), PQ_USAGE,
                "UINT64 is not stored as INT32");
    type = (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_COUNT};
    CHECK_FAILS(of_leaf(t, make, type), PQ_USAGE, "does not exist");
    end_make(make);
}

static PqRc ended(Test *t, PqSchemaMake *make)
{
    PqSchemaElementList list;

    return pq_schema_make_end(make, &m->arena, &list, t->e);
}

TEST(schema_make, groups_of_the_wrong_shape_are_refused)
{
    PqSchemaMake *make = begin_make(t);

    CHECK_FAILS(ended(t, make), PQ_USAGE, "a schema without columns");
    pq_schema_make_group(make, PQ_NODE_STRUCT, "s", false, -1);
    pq_schema_make_close(make);
    pq_schema_make_leaf(make, "x", &int64, false, -1);   /* sticky */
    CHECK_FAILS(ended(t, make), PQ_USAGE, "s: a group without fields");
    pq_schema_make_group(make, PQ_NODE_LIST, "l", false, -1);
    CHECK_FAILS(ended(t, make), PQ_USAGE, "l: a group that is not closed");
    pq_schema_make_group(make, PQ_NODE_LIST, "l", false, -1);
    pq_schema_make_leaf(make, NULL, &int64, false, -1);
    pq_schema_make_leaf(make, NULL, &int64, false, -1);
    pq_schema_make_close(make);
    CHECK_FAILS(ended(t, make), PQ_USAGE, "l: a list of 2 kinds");
    pq_schema_make_group(make, PQ_NODE_MAP, "m", false, -1);
    for (int i = 0; i < 3; i++) {
        pq_schema_make_leaf(make, "x", &int64, false, -1);
    }
    pq_schema_make_close(make);
    CHECK_FAILS(ended(t, make), PQ_USAGE, "m: a map of 3 fields");
    pq_schema_make_leaf(make, "x", &int64, false, -1);
    pq_schema_make_close(make);
    CHECK_FAILS(ended(t, make), PQ_USAGE, "more schema groups");
    for (int i = 0; i < 2 * PQ_SCHEMA_MAX_DEPTH; i++) {
        pq_schema_make_group(make, PQ_NODE_STRUCT, "s", false, -1);
    }
    CHECK_FAILS(ended(t, make), PQ_USAGE, "nested deeper than 1000");
    pq_schema_make_leaf(make, "x", &int64, false, -1);   /* as new again */
    CHECK_OK(ended(t, make));
    end_make(make);
}

/* Many fields, and the name of the last. */
static void make_fields(PqSchemaMake *make, int n, const char *last)
{
    char name[16];

    pq_schema_make_group(make, PQ_NODE_STRUCT, "s", true, -1);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        if (i % 3) {
            pq_schema_make_leaf(make, name, &int64, true, -1);
        } else {
            pq_schema_make_group(make, PQ_NODE_LIST, name, true, -1);
            pq_schema_make_leaf(make, "f7", &int64, true, -1);
            pq_schema_make_close(make);
        }
    }
    pq_schema_make_leaf(make, last, &int64, true, -1);
    pq_schema_make_close(make);
}

TEST(schema_make, names_are_utf8_and_occur_once_in_a_struct)
{
    PqSchemaMake *make = begin_make(t);

    pq_schema_make_leaf(make, "caf\xc3", &int64, true, -1);
    CHECK_INT(there_and_back(t, make), PQ_USAGE);
    CHECK_TEXT(t->e->text, "the name \"caf\\xc3\" is not UTF-8");
    pq_err_clear(t->e);
    for (int n = 1; n < 100; n += 7) {
        char last[16];

        make_fields(make, n, "f");
        CHECK_OK(there_and_back(t, make));
        snprintf(last, sizeof last, "f%d", n / 2);
        make_fields(make, n, last);
        CHECK_INT(there_and_back(t, make), PQ_USAGE);
        CHECK(strstr(t->e->text, "s: a second field of the name f"));
        pq_err_clear(t->e);
    }
    pq_schema_make_leaf(make, "s", &int64, true, -1);
    make_fields(make, 3, "f");
    CHECK_INT(there_and_back(t, make), PQ_USAGE);
    CHECK_TEXT(t->e->text, "schema: a second field of the name s");
    end_make(make);
}

TEST(schema_make, each_allocation_may_fail)
{
    int64_t points = 1;

    for (int64_t nth = 0; nth <= points; nth++) {
        PqSchemaMake *make = NULL;
        PqSchemaElementList list;
        PqType geo = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_GEOMETRY,
                      .crs = "EPSG:3857"};
        PqRc rc;

        begin(t, m);
        pq_fault_set(nth);
        rc = pq_schema_make_new(t->mem, &make, t->e);
        if (rc == PQ_OK) {
            for (int i = 0; i < 40; i++) {
                char name[48];

                snprintf(name, sizeof name, "a list of a long enough name %d",
                         i);
                pq_schema_make_group(make, PQ_NODE_LIST, name, true, -1);
                pq_schema_make_leaf(make, NULL, &geo, true, -1);
                pq_schema_make_close(make);
            }
            rc = pq_schema_make_end(make, &m->arena, &list, t->e);
        }
        points = nth == 0 ? 40 : points;
        pq_fault_set(0);
        CHECK(rc == PQ_OK || rc == PQ_NOMEM);
        CHECK(nth != 1 || rc == PQ_NOMEM);
        pq_err_clear(t->e);
        end_make(make);
    }
}
