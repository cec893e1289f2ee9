/*
** type_name_test.c - the types that names mean, as people and tables write
** them.
*/
#include "sql/value/type_name.h"
#include "test/unit/test.h"

static void write_type(const PqsqlType *t, PqBuf *out)
{
    static const char *const kinds[] = {
        [PQ_NODE_STRUCT] = "STRUCT", [PQ_NODE_LIST] = "LIST",
        [PQ_NODE_MAP] = "MAP", [PQ_NODE_VARIANT] = "VARIANT",
    };
    uint32_t i;

    if (t->kind == PQ_NODE_LEAF) {
        pq_type_text(&t->type, out);
    } else {
        pq_buf_text(out, kinds[t->kind]);
        for (i = 0; i < t->n_children; i++) {
            pq_buf_text(out, i ? ", " : "<");
            if (t->child[i]->name) {
                pq_buf_printf(out, "[%s] ", t->child[i]->name);
            }
            write_type(t->child[i], out);
        }
        pq_buf_text(out, i ? ">" : "");
    }
    pq_buf_text(out, t->required ? "!" : "");
}

/* The type as the engine writes it, or "-" for a hint without a meaning. */
static const char *read_type(Test *t, PqArena *a, const char *text, bool hint)
{
    PqsqlType *type = NULL;
    PqBuf out;
    const char *copy;
    PqRc rc = hint ? pqsql_type_hint(text, a, &type, t->e)
                   : pqsql_type_parse(text, a, &type, t->e);

    if (rc != PQ_OK) {
        return t->e->text;
    }
    if (!type) {
        return "-";
    }
    pq_buf_init(&out, t->mem, t->e);
    write_type(type, &out);
    copy = pq_arena_text(a, out.p, out.n, t->e);
    pq_buf_free(&out);
    return copy ? copy : "";
}

static void check_all(Test *t, const char *const (*pairs)[2], size_t n,
                      bool hint)
{
    PqArena a;
    size_t i;

    pq_arena_init(&a, t->mem);
    for (i = 0; i < n && !t->failed; i++) {
        const char *got = read_type(t, &a, pairs[i][0], hint);

        if (strcmp(got, pairs[i][1]) != 0) {
            test_fail(t, __FILE__, __LINE__, "%s is %s, not %s", pairs[i][0],
                      got, pairs[i][1]);
        }
        pq_err_clear(t->e);
    }
    pq_arena_free(&a);
}

TEST(type_name, declared_types_are_what_they_were)
{
    static const char *const pairs[][2] = {
        {"BOOLEAN", "BOOLEAN"}, {"TINYINT", "INT8"}, {"SMALLINT", "INT16"},
        {"INTEGER", "INT32"}, {"BIGINT", "INT64"}, {"UTINYINT", "UINT8"},
        {"USMALLINT", "UINT16"}, {"UINTEGER", "UINT32"}, {"U64 BLOB", "UINT64"},
        {"FLOAT", "FLOAT"}, {"DOUBLE", "DOUBLE"}, {"FLOAT16 REAL", "FLOAT16"},
        {"DECIMAL(9,0)", "DECIMAL(9,0)"}, {"DECIMAL(9,2) REAL", "DECIMAL(9,2)"},
        {"DECIMAL(38,10) TEXT", "DECIMAL(38,10)"}, {"DATE TEXT", "DATE"},
        {"TIME TEXT", "TIME(MICROS)"}, {"TIME_MS TEXT", "TIME(MILLIS)"},
        {"TIMETZ_NS TEXT", "TIME(NANOS,UTC)"},
        {"TIMESTAMP TEXT", "TIMESTAMP(MICROS)"},
        {"TIMESTAMP_NS", "TIMESTAMP(NANOS)"},
        {"TIMESTAMP(NANOS, UTC, FIXED)", "TIMESTAMP(NANOS,UTC,FIXED)"},
        {"TIMESTAMPTZ_MS TEXT", "TIMESTAMP(MILLIS,UTC)"},
        {"TIMESTAMP_96 TEXT", "INT96"}, {"INTERVAL", "INTERVAL"},
        {"TEXT", "STRING"}, {"ENUM TEXT", "ENUM"}, {"JSON TEXT", "JSON"},
        {"UUID TEXT", "UUID"}, {"BLOB", "BYTE_ARRAY"},
        {"BLOB(16)", "FIXED_LEN_BYTE_ARRAY(16)"}, {"BSON BLOB", "BSON"},
        {"GEOMETRY BLOB", "GEOMETRY(OGC:CRS84)"},
        {"GEOMETRY(srid:4326) BLOB", "GEOMETRY(srid:4326)"},
        {"GEOMETRY({\"name\": \"a ) b\", \"x\": (1)}) BLOB",
         "GEOMETRY({\"name\": \"a ) b\", \"x\": (1)})"},
        {"GEOGRAPHY(OGC:CRS84, karney) BLOB", "GEOGRAPHY(OGC:CRS84,KARNEY)"},
        {"GEOGRAPHY(a,b, spherical) BLOB", "GEOGRAPHY(a,b,SPHERICAL)"},
        {"VARIANT TEXT", "VARIANT"}, {"NULL", "UNKNOWN"},
        {"LIST<TEXT>", "LIST<STRING>"},
        {"MAP<TEXT>", "MAP<STRING>"},
        {"MAP<TEXT, LIST<DECIMAL(5,1)>>", "MAP<STRING, LIST<DECIMAL(5,1)>>"},
        {"STRUCT<a INTEGER, \"b c\" LIST<TEXT>, \"hidden\" U64>",
         "STRUCT<[a] INT32, [b c] LIST<STRING>, [hidden] UINT64>"},
        {"STRUCT<\"a\thidden b\" TIMESTAMP_NS, \"q\"\"q\" BLOB(2)>",
         "STRUCT<[a hidden b] TIMESTAMP(NANOS), [q\"q] FIXED_LEN_BYTE_ARRAY(2)>"},
        {"LIST<LIST<STRUCT<x GEOMETRY(a)>>>",
         "LIST<LIST<STRUCT<[x] GEOMETRY(a)>>>"},
    };
    check_all(t, pairs, PQ_COUNT(pairs), false);
}

TEST(type_name, names_of_other_databases_are_known)
{
    static const char *const pairs[][2] = {
        {"int", "INT32"}, {"int8", "INT64"}, {"Int2", "INT16"},
        {"INT(11)", "INT32"},
        {"UBIGINT", "UINT64"}, {"uint8", "UINT8"},
        {"UNSIGNED BIG INT", "UINT64"},
        {"INT UNSIGNED", "UINT32"}, {"VARCHAR(255)", "STRING"},
        {"char (3)", "STRING"},
        {"CHARACTER VARYING(20)", "STRING"}, {"string", "STRING"},
        {"real", "DOUBLE"}, {"FLOAT4", "FLOAT"},
        {"double  precision", "DOUBLE"},
        {"NUMERIC(10)", "DECIMAL(10,0)"},
        {"numeric( 10 , 2 )", "DECIMAL(10,2)"},
        {"BOOL", "BOOLEAN"}, {"BYTEA", "BYTE_ARRAY"},
        {"VARBINARY(10)", "BYTE_ARRAY"},
        {"BINARY(16)", "FIXED_LEN_BYTE_ARRAY(16)"},
        {"DATETIME", "TIMESTAMP(MICROS)"},
        {"TIMESTAMP(NANOS, UTC)", "TIMESTAMP(NANOS,UTC)"},
        {"TIMESTAMP(3)", "TIMESTAMP(MILLIS)"},
        {"TIMESTAMP(9, local)", "TIMESTAMP(NANOS)"},
        {"TIMESTAMP(0) WITH TIME ZONE", "TIMESTAMP(MILLIS,UTC)"},
        {"timestamp with time zone", "TIMESTAMP(MICROS,UTC)"},
        {"time without time zone", "TIME(MICROS)"},
        {"TIME(MILLIS)", "TIME(MILLIS)"},
        {"BIGINT NOT NULL", "INT64!"},
        {"struct<a: int not null, `b``c`: string>", "STRUCT<[a] INT32!, [b`c] STRING>"},
        {"STRUCT(a INT, b DOUBLE)", "STRUCT<[a] INT32, [b] DOUBLE>"},
        {"INTEGER[][]", "LIST<LIST<INT32>>"},
        {"MAP(TEXT, INT[])", "MAP<STRING, LIST<INT32>>"},
        {"ARRAY<DOUBLE NOT NULL> NOT NULL", "LIST<DOUBLE!>!"},
    };
    check_all(t, pairs, PQ_COUNT(pairs), false);
}

TEST(type_name, what_is_not_understood_is_said_with_its_place)
{
    static const char *const pairs[][2] = {
        {"", "type : the name of a type is missing"},
        {"INTEGR", "type INTEGR: there is no type INTEGR; did you mean INTEGER?"},
        {"xyzzy", "type xyzzy: there is no type xyzzy; BIGINT, DOUBLE, "
                  "DECIMAL(10,2), TEXT, DATE and TIMESTAMP are some"},
        {"LIST<TIMSTAMP>", "type LIST<TIMSTAMP>, at character 6: there is no type "
                           "TIMSTAMP; did you mean TIMESTAMP?"},
        {"INTEGER foo", "type INTEGER foo, at character 9: this is not understood"},
        {"DATE REAL", "type DATE REAL, at character 6: this is not understood"},
        {"DECIMAL", "type DECIMAL: DECIMAL needs the number of digits, and how "
                    "many of them are after the point: DECIMAL(10,2)"},
        {"DECIMAL(0,0)", "type DECIMAL(0,0): DECIMAL has from 1 to 76 digits"},
        {"DECIMAL(3,4)", "type DECIMAL(3,4): DECIMAL has more digits after the "
                         "point than in total"},
        {"DATE(3)", "type DATE(3): DATE takes nothing in parentheses"},
        {"TIME(10)", "type TIME(10): TIME takes MILLIS, MICROS, NANOS or a number "
                     "of digits, and UTC or LOCAL"},
        {"BLOB(0)", "type BLOB(0): BLOB takes a number of bytes: BLOB(16)"},
        {"LIST", "type LIST, at character 5: LIST takes types: LIST<INTEGER>"},
        {"LIST<>", "type LIST<>, at character 6: the name of a type is missing"},
        {"LIST<INT", "type LIST<INT, at character 9: a comma or > is missing"},
        {"LIST<INT, INT>", "type LIST<INT, INT>, at character 5: a LIST has one "
                           "type of elements"},
        {"MAP<INT, INT, INT>", "type MAP<INT, INT, INT>, at character 4: a MAP "
                               "has a type of keys and one of values"},
        {"STRUCT<a>", "type STRUCT<a>, at character 8: the field a has no type"},
        {"STRUCT<a INT, a INT>", "type STRUCT<a INT, a INT>, at character 15: a "
                                 "second field with the name a"},
        {"STRUCT<\"a INT>", "type STRUCT<\"a INT>, at character 8: the quote is "
                            "not closed"},
        {"GEOMETRY(a(b BLOB", "type GEOMETRY(a(b BLOB, at character 9: the "
                              "parenthesis is not closed"},
        {"INT[", "type INT[, at character 5: ] is missing"},
    };
    check_all(t, pairs, PQ_COUNT(pairs), false);
}

TEST(type_name, a_hint_that_is_not_understood_says_nothing)
{
    static const char *const pairs[][2] = {
        {"", "-"}, {"xyzzy", "-"}, {"DECIMAL", "-"}, {"LIST<", "-"},
        {"INTEGER PRIMARY KEY", "-"}, {"DATE TEXT", "DATE"},
        {"VARIANT", "-"}, {"STRUCT<a INT, b LIST<VARIANT>>", "-"},
    };
    check_all(t, pairs, PQ_COUNT(pairs), true);
}

TEST(type_name, a_hint_of_a_number_is_as_wide_as_sqlites)
{
    static const char *const pairs[][2] = {
        {"INTEGER", "INT64"}, {"INT", "INT64"}, {"FLOAT", "DOUBLE"},
        {"REAL", "DOUBLE"}, {"SMALLINT", "INT16"},
        {"LIST<INTEGER>", "LIST<INT32>"},
    };
    check_all(t, pairs, PQ_COUNT(pairs), true);
}

TEST(type_name, types_inside_each_other_have_a_limit)
{
    enum { MANY = 100000 };
    char *text = pq_mem_alloc(t->mem, 5 * MANY + 10, t->e);
    PqsqlType *type;
    PqArena a;
    size_t i;

    CHECK(text);
    pq_arena_init(&a, t->mem);
    text[0] = 0;
    for (i = 0; i < MANY; i++) {
        memcpy(text + 5 * i, "LIST<", 6);
    }
    CHECK_FAILS(pqsql_type_parse(text, &a, &type, t->e), PQ_USAGE,
                "more than 300 types inside each other");
    memcpy(text, "INT", 3);
    for (i = 0; i < MANY; i++) {
        memcpy(text + 3 + 2 * i, "[]", 3);
    }
    CHECK_FAILS(pqsql_type_parse(text, &a, &type, t->e), PQ_USAGE,
                "more than 300 types inside each other");
    pq_arena_free(&a);
    pq_mem_free(text);
}

TEST(type_name, any_failed_allocation_is_no_memory)
{
    static const char text[] = "STRUCT<a GEOMETRY(x), \"b\" MAP<TEXT, INT[]>>";
    int64_t n;

    for (n = 1; !t->failed; n++) {
        PqsqlType *type;
        PqArena a;
        PqRc rc;

        pq_arena_init(&a, t->mem);
        pq_fault_set(n);
        rc = pqsql_type_parse(text, &a, &type, t->e);
        pq_fault_set(0);
        pq_arena_free(&a);
        pq_err_clear(t->e);
        if (rc == PQ_OK) {
            break;
        }
        CHECK_INT(rc, PQ_NOMEM);
    }
    CHECK(n > 1);
}

TEST(type_name, a_type_becomes_the_elements_of_a_schema)
{
    static const char text[] =
        "STRUCT<a INT NOT NULL, l LIST<TEXT NOT NULL>, m MAP<TEXT, DECIMAL(20,2)>>";
    static const struct { const char *name; int repetition, type; } want[] = {
        {"schema", -1, -1}, {"s", PQ_REQUIRED, -1},
        {"a", PQ_REQUIRED, PQ_INT32}, {"l", PQ_OPTIONAL, -1},
        {"list", PQ_REPEATED, -1}, {"element", PQ_REQUIRED, PQ_BYTE_ARRAY},
        {"m", PQ_OPTIONAL, -1}, {"key_value", PQ_REPEATED, -1},
        {"key", PQ_REQUIRED, PQ_BYTE_ARRAY}, {"value", PQ_OPTIONAL, PQ_FIXED},
    };
    PqSchemaElementList made = {0};
    PqSchemaMake *m = NULL;
    PqsqlType *type;
    PqArena a;
    size_t i;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_schema_make_new(t->mem, &m, t->e));
    CHECK_OK(pqsql_type_parse(text, &a, &type, t->e));
    type->child[0]->field_id = 7;
    pqsql_type_make(type, "s", true, m);
    CHECK_OK(pq_schema_make_end(m, &a, &made, t->e));
    CHECK_INT(made.n, PQ_COUNT(want));
    for (i = 0; i < made.n; i++) {
        const PqSchemaElement *el = &made.v[i];

        CHECK(pq_slice_is(el->name, want[i].name));
        CHECK_INT(PQ_HAS(el, PQ_SCHEMA_REPETITION) ? el->repetition_type : -1,
                  want[i].repetition);
        CHECK_INT(PQ_HAS(el, PQ_SCHEMA_TYPE) ? el->type : -1, want[i].type);
    }
    CHECK_INT(made.v[2].field_id, 7);
    pq_schema_make_free(m);
    pq_arena_free(&a);
}
