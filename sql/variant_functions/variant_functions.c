/*
** variant_functions.c - variant_get and the other functions of one value.
**
** The rules are Spark's:
**
**   SQL NULL in any argument    NULL (is_variant_null: 0)
**   a path that leads nowhere   NULL
**   a null of the Variant       NULL; as variant, a Variant that is null
**   a cast that fails           an error; NULL with try_
**   a malformed path, a type that does not exist, a blob that is not a Variant,
**   a text that is not JSON      an error, with try_variant_get too; NULL of
**                               try_parse_json
**
** A path and a type that are constants are read once per statement.
*/
#include "sql/variant_functions/variant_functions.h"

#include "sql/argument.h"
#include "sql/value/value.h"

/* SQLite 3.45 wants to know which functions give a subtype; older ones ignore
** the bit. */
enum {
    GIVES_SUBTYPE = 0x001000000,
    USUAL = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
};

void pqsql_variant_failed(sqlite3_context *ctx, const PqsqlVariantCall *call)
{
    pqsql_result_message(ctx, pqsql_variants_message(call->state, call->name));
}

/* ---- paths and types ----------------------------------------------------- */

typedef struct Path {
    PqArena       arena;
    PqVariantPath path;
} Path;

static void free_path(void *p)
{
    pq_arena_free(&((Path *)p)->arena);
    sqlite3_free(p);
}

/* The path of argument 1.  The caller has to keep or free *made. */
static PqRc path_of(sqlite3_context *ctx, PqsqlVariants *s, sqlite3_value *v,
                    Path **made, const PqVariantPath **out)
{
    Path *p = sqlite3_get_auxdata(ctx, 1);
    PqSlice text;

    if (p) {
        *out = &p->path;
        return PQ_OK;
    }
    PQ_TRY(pqsql_text_of(v, &text, &s->e));
    p = sqlite3_malloc(sizeof *p);
    if (!p) {
        return pq_fail(&s->e, PQ_NOMEM, "out of memory");
    }
    pq_arena_init(&p->arena, s->mem);
    *made = p;
    *out = &p->path;
    return pq_variant_path_parse(text, &p->arena, &p->path, &s->e);
}

static PqRc target_of(sqlite3_context *ctx, const PqsqlVariantCall *call,
                      sqlite3_value *v, PqVariantTarget *out)
{
    PqVariantTarget *kept = sqlite3_get_auxdata(ctx, 2);
    PqErr *e = &call->state->e;
    PqSlice name;

    if (kept) {
        *out = *kept;
        return PQ_OK;
    }
    PQ_TRY(pqsql_text_of(v, &name, e));
    PQ_TRY(pqsql_variant_target(name, out, e));
    out->try_ = call->try_;
    kept = sqlite3_malloc(sizeof *kept);
    if (!kept) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    *kept = *out;
    sqlite3_set_auxdata(ctx, 2, kept, sqlite3_free);
    return PQ_OK;
}

/* ---- variant_get --------------------------------------------------------- */

static PqRc give(sqlite3_context *ctx, PqsqlVariants *s,
                 const PqVariantMeta *m, PqSlice value,
                 const PqVariantTarget *to)
{
    PqVariantValue v, cast;
    bool is_null;

    if (to && to->is_variant) {
        return pqsql_variant_result_part(ctx, s, m, value);
    }
    PQ_TRY(pq_variant_value_read(value, &v, &s->e));
    if (to) {
        PqRc rc = pq_variant_cast(m, &v, to, &s->text, &cast, &is_null, &s->e);

        if (rc == PQ_USAGE) {
            pq_err_hint(&s->e, "try_variant_get gives NULL instead");
        }
        PQ_TRY(rc);
        if (is_null) {
            sqlite3_result_null(ctx);
            return PQ_OK;
        }
        v = cast;
    }
    return pqsql_result_variant(ctx, m, &v, &s->text, &s->e);
}

static PqRc get(sqlite3_context *ctx, const PqsqlVariantCall *call, int argc,
                sqlite3_value **argv, Path **made)
{
    PqsqlVariants *s = call->state;
    const PqVariantPath *path = NULL;
    PqVariantTarget to;
    PqsqlVariant v;
    PqSlice value;
    bool found;

    PQ_TRY(path_of(ctx, s, argv[1], made, &path));
    if (argc > 2) {
        PQ_TRY(target_of(ctx, call, argv[2], &to));
    }
    PQ_TRY(pqsql_variant_take(s, argv[0], &v));
    PQ_TRY(pq_variant_path_find(&v.m, v.value, path->step, path->n, &value,
                                &found, &s->e));
    if (!found) {
        sqlite3_result_null(ctx);
        return PQ_OK;
    }
    return give(ctx, s, &v.m, value, argc > 2 ? &to : NULL);
}

static PqRc variant_get(sqlite3_context *ctx, const PqsqlVariantCall *call,
                        int argc, sqlite3_value **argv)
{
    Path *made = NULL;
    PqRc rc = get(ctx, call, argc, argv, &made);

    if (made && rc == PQ_OK) {
        sqlite3_set_auxdata(ctx, 1, made, free_path);
    } else if (made) {
        free_path(made);
    }
    return rc;
}

/* ---- JSON ---------------------------------------------------------------- */

/* A number counts as its JSON text.  A blob has to be a Variant already. */
static PqRc parse(sqlite3_context *ctx, PqsqlVariants *s, sqlite3_value *arg)
{
    PqsqlVariant v;
    PqSlice text;

    if (sqlite3_value_type(arg) == SQLITE_BLOB) {
        PQ_TRY(pqsql_variant_take(s, arg, &v));
        PQ_TRY(pq_variant_check(&v.m, v.value, &s->e));
        pqsql_variant_result_blob(ctx, v.metadata, v.value);
        return PQ_OK;
    }
    PQ_TRY(pqsql_text_of(arg, &text, &s->e));
    pq_arena_reset(&s->scratch);
    PQ_TRY(pqsql_variants_begin(s, &s->built));
    PQ_TRY(pq_variant_parse(text, s->built, &s->scratch, &s->e));
    return pqsql_variant_result_built(ctx, s);
}

static PqRc parse_json(sqlite3_context *ctx, const PqsqlVariantCall *call,
                       int argc, sqlite3_value **argv)
{
    PqRc rc = parse(ctx, call->state, argv[0]);

    if (rc == PQ_OK || !call->try_ || rc == PQ_NOMEM || rc == PQ_BUDGET) {
        return rc;
    }
    pq_err_clear(&call->state->e);
    sqlite3_result_null(ctx);
    return PQ_OK;
}

static PqRc variant_to_json(sqlite3_context *ctx, const PqsqlVariantCall *call,
                            int argc, sqlite3_value **argv)
{
    PqsqlVariant v;

    PQ_TRY(pqsql_variant_take(call->state, argv[0], &v));
    return pqsql_variant_result_json(ctx, call->state, &v.m, v.value);
}

/* ---- types --------------------------------------------------------------- */

static PqRc read_value(PqsqlVariants *s, sqlite3_value *arg,
                       PqVariantValue *out)
{
    PqsqlVariant v;

    PQ_TRY(pqsql_variant_take(s, arg, &v));
    return pq_variant_value_read(v.value, out, &s->e);
}

static PqRc is_variant_null(sqlite3_context *ctx, const PqsqlVariantCall *call,
                            int argc, sqlite3_value **argv)
{
    PqVariantValue v = {.kind = PQ_VARIANT_UNKNOWN};

    if (!pqsql_any_null(argc, argv)) {
        PQ_TRY(read_value(call->state, argv[0], &v));
    }
    sqlite3_result_int(ctx, v.kind == PQ_VARIANT_NULL);
    return PQ_OK;
}

static PqRc variant_typeof(sqlite3_context *ctx, const PqsqlVariantCall *call,
                           int argc, sqlite3_value **argv)
{
    PqsqlVariants *s = call->state;
    PqVariantValue v;

    PQ_TRY(read_value(s, argv[0], &v));
    s->text.n = 0;
    pq_variant_typeof(&v, &s->text);
    return pqsql_variant_result_text(ctx, s);
}

/* ---- to_variant ---------------------------------------------------------- */

static PqRc of_value(sqlite3_context *ctx, PqsqlVariants *s,
                     sqlite3_value *arg)
{
    unsigned subtype = sqlite3_value_subtype(arg);
    int type = sqlite3_value_type(arg);
    PqVariantValue plain = {.kind = PQ_VARIANT_STRING};
    PqsqlVariant v;
    PqSlice twin;

    if (type == SQLITE_BLOB && subtype != PQSQL_SUBTYPE_VARIANT) {
        plain.kind = PQ_VARIANT_BINARY;
        PQ_TRY(pqsql_blob_of(arg, &plain.bytes, &s->e));
    } else if (type == SQLITE_TEXT && subtype != PQSQL_SUBTYPE_JSON &&
               !(s->twins && pqsql_twin_of(s->twins, arg, &twin))) {
        PQ_TRY(pqsql_text_of(arg, &plain.bytes, &s->e));
    } else {
        PQ_TRY(pqsql_variant_take(s, arg, &v));
        pqsql_variant_result_blob(ctx, v.metadata, v.value);
        return PQ_OK;
    }
    PQ_TRY(pqsql_variants_begin(s, &s->built));
    pq_variant_build_value(s->built, &plain);
    return pqsql_variant_result_built(ctx, s);
}

/* The two leaves of a struct become one blob, whose value is checked. */
static PqRc of_pair(sqlite3_context *ctx, PqsqlVariants *s,
                    sqlite3_value **argv)
{
    PqSlice pair[2];
    PqsqlVariant v;

    for (int i = 0; i < 2; i++) {
        if (sqlite3_value_type(argv[i]) != SQLITE_BLOB) {
            return pq_fail(&s->e, PQ_USAGE, "metadata and value are two blobs");
        }
        PQ_TRY(pqsql_blob_of(argv[i], &pair[i], &s->e));
    }
    PQ_TRY(pqsql_variant_of(pair[0], pair[1], &v, &s->e));
    PQ_TRY(pq_variant_check(&v.m, v.value, &s->e));
    s->text.n = 0;
    PQ_TRY(pq_variant_join(v.metadata, v.value, &s->text, &s->e));
    pqsql_variant_result_blob(ctx, pq_buf_view(&s->text), pq_slice(NULL, 0));
    return PQ_OK;
}

static PqRc to_variant(sqlite3_context *ctx, const PqsqlVariantCall *call,
                       int argc, sqlite3_value **argv)
{
    return argc == 1 ? of_value(ctx, call->state, argv[0])
                     : of_pair(ctx, call->state, argv);
}

/* ---- registration -------------------------------------------------------- */

static const struct {
    const char *name, *shape;
    int         n_args;
    int         flags;
    bool        try_;
    PqsqlVariantRun *run;            /* NULL: schema_of_variant_agg         */
} functions[] = {
    {"variant_get", "variant_get(v, '$.path', 'type')", 2, GIVES_SUBTYPE,
     false, variant_get},
    {"variant_get", NULL, 3, GIVES_SUBTYPE, false, variant_get},
    {"try_variant_get", "try_variant_get(v, '$.path', 'type')", 2,
     GIVES_SUBTYPE, true, variant_get},
    {"try_variant_get", NULL, 3, GIVES_SUBTYPE, true, variant_get},
    {"parse_json", "parse_json('{...}')", 1, GIVES_SUBTYPE, false, parse_json},
    {"try_parse_json", "try_parse_json('{...}')", 1, GIVES_SUBTYPE, true,
     parse_json},
    {"variant_to_json", "variant_to_json(v)", 1, GIVES_SUBTYPE, false,
     variant_to_json},
    {"is_variant_null", "is_variant_null(v)", 1, 0, false, is_variant_null},
    {"variant_typeof", "variant_typeof(v)", 1, 0, false, variant_typeof},
    {"schema_of_variant", "schema_of_variant(v)", 1, 0, false,
     pqsql_schema_of_variant},
    {"schema_of_variant_agg", "schema_of_variant_agg(v)", 1, 0, false, NULL},
    {"to_variant", "to_variant(value)", 1, SQLITE_SUBTYPE | GIVES_SUBTYPE,
     false, to_variant},
    {"to_variant", NULL, 2, GIVES_SUBTYPE, false, to_variant},
};

static void scalar(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);

    if (call->run != is_variant_null && pqsql_any_null(argc, argv)) {
        return;
    }
    if (call->run(ctx, call, argc, argv) != PQ_OK) {
        pqsql_variant_failed(ctx, call);
    }
    pqsql_variants_tidy(call->state);
}

const char *pqsql_variant_function(uint32_t i, const char **shape)
{
    for (size_t k = 0; k < PQ_COUNT(functions); k++) {
        if (functions[k].shape && i-- == 0) {
            *shape = functions[k].shape;
            return functions[k].name;
        }
    }
    return NULL;
}

static void release_call(void *p)
{
    pqsql_variants_release(((PqsqlVariantCall *)p)->state);
    sqlite3_free(p);
}

int pqsql_register_variants(sqlite3 *db, const PqsqlTwins *twins)
{
    PqsqlVariants *s = pqsql_variants_new(db, twins);
    int rc = s ? SQLITE_OK : SQLITE_NOMEM;

    for (size_t i = 0; i < PQ_COUNT(functions) && rc == SQLITE_OK; i++) {
        PqsqlVariantCall *call = sqlite3_malloc(sizeof *call);
        PqsqlVariantRun *run = functions[i].run;

        if (!call) {
            rc = SQLITE_NOMEM;
            break;
        }
        *call = (PqsqlVariantCall){s, functions[i].name, functions[i].try_,
                                   run};
        s->holders++;
        rc = sqlite3_create_function_v2(
            db, functions[i].name, functions[i].n_args,
            USUAL | functions[i].flags, call, run ? scalar : NULL,
            run ? NULL : pqsql_schema_agg_step,
            run ? NULL : pqsql_schema_agg_final, release_call);
    }
    if (s) {
        pqsql_variants_release(s);
    }
    return rc;
}
