/*
** variant_functions.c - variant_get and the other functions of one value.
**
** The rules are Spark's:
**
**   SQL NULL in any argument    NULL (is_variant_null: 0)
**   a path that leads nowhere   NULL
**   a null of the Variant       NULL; as variant, a Variant that is null
**   a cast that fails           an error; NULL with try_
**   a malformed path, a type that does not exist, a blob that is no Variant,
**   a text that is no JSON      an error, with try_variant_get too; NULL of
**                               try_parse_json
**
** A path and a type that are constants are read once per statement.
*/
#include "sql/variant_functions/variant_functions.h"

#include "sql/value/value.h"

/* SQLite 3.45 wants to know which functions give a subtype; older ones ignore
** the bit. */
enum {
    GIVES_SUBTYPE = 0x001000000,
    USUAL = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
};

void pqsql_variant_failed(sqlite3_context *ctx, const PqsqlVariantCall *call)
{
    char *text = pqsql_variants_message(call->state, call->name);

    if (text) {
        sqlite3_result_error(ctx, text, -1);
    } else {
        sqlite3_result_error_nomem(ctx);
    }
    sqlite3_free(text);
}

/* A text argument; false if it is NULL or there is no memory. */
static bool text_of(sqlite3_value *v, PqSlice *out)
{
    const unsigned char *text = sqlite3_value_text(v);

    *out = text ? pq_slice(text, (size_t)sqlite3_value_bytes(v))
                : pq_slice(NULL, 0);
    return text != NULL;
}

static bool any_null(int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
            return true;
        }
    }
    return false;
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
    p = text_of(v, &text) ? sqlite3_malloc(sizeof *p) : NULL;
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
    if (!text_of(v, &name)) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
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

static void variant_get(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);
    Path *made = NULL;

    if (any_null(argc, argv)) {
        return;
    }
    if (get(ctx, call, argc, argv, &made) != PQ_OK) {
        pqsql_variant_failed(ctx, call);
        if (made) {
            free_path(made);
        }
    } else if (made) {
        sqlite3_set_auxdata(ctx, 1, made, free_path);
    }
    pqsql_variants_tidy(call->state);
}

/* ---- JSON ---------------------------------------------------------------- */

/* A number counts as its JSON text.  A blob has to be a Variant already. */
static PqRc parse(sqlite3_context *ctx, PqsqlVariants *s, sqlite3_value *arg)
{
    PqSlice text, metadata, value;
    PqsqlVariant v;

    if (sqlite3_value_type(arg) == SQLITE_BLOB) {
        PQ_TRY(pqsql_variant_take(s, arg, &v));
        PQ_TRY(pq_variant_check(&v.m, v.value, &s->e));
        pqsql_variant_result_blob(ctx, v.metadata, v.value);
        return PQ_OK;
    }
    if (!text_of(arg, &text)) {
        return pq_fail(&s->e, PQ_NOMEM, "out of memory");
    }
    pq_arena_reset(&s->scratch);
    PQ_TRY(pqsql_variants_begin(s, &s->built));
    PQ_TRY(pq_variant_parse(text, s->built, &s->scratch, &s->e));
    PQ_TRY(pq_variant_build_finish(s->built, &metadata, &value, &s->e));
    pqsql_variant_result_blob(ctx, metadata, value);
    return PQ_OK;
}

static void parse_json(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);
    PqsqlVariants *s = call->state;
    PqRc rc;

    if (any_null(argc, argv)) {
        return;
    }
    rc = parse(ctx, s, argv[0]);
    if (rc != PQ_OK && call->try_ && rc != PQ_NOMEM && rc != PQ_BUDGET) {
        pq_err_clear(&s->e);
        sqlite3_result_null(ctx);
    } else if (rc != PQ_OK) {
        pqsql_variant_failed(ctx, call);
    }
    pqsql_variants_tidy(s);
}

static void variant_to_json(sqlite3_context *ctx, int argc,
                            sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);
    PqsqlVariants *s = call->state;
    PqsqlVariant v;

    if (any_null(argc, argv)) {
        return;
    }
    if (pqsql_variant_take(s, argv[0], &v) != PQ_OK ||
        pqsql_variant_result_json(ctx, s, &v.m, v.value) != PQ_OK) {
        pqsql_variant_failed(ctx, call);
    }
    pqsql_variants_tidy(s);
}

/* ---- types --------------------------------------------------------------- */

static void is_variant_null(sqlite3_context *ctx, int argc,
                            sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);
    PqsqlVariants *s = call->state;
    PqVariantValue value;
    PqsqlVariant v;

    if (any_null(argc, argv)) {
        sqlite3_result_int(ctx, 0);
    } else if (pqsql_variant_take(s, argv[0], &v) != PQ_OK ||
               pq_variant_value_read(v.value, &value, &s->e) != PQ_OK) {
        pqsql_variant_failed(ctx, call);
    } else {
        sqlite3_result_int(ctx, value.kind == PQ_VARIANT_NULL);
    }
    pqsql_variants_tidy(s);
}

static void variant_typeof(sqlite3_context *ctx, int argc,
                           sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);
    PqsqlVariants *s = call->state;
    PqVariantValue value;
    PqsqlVariant v;

    if (any_null(argc, argv)) {
        return;
    }
    s->text.n = 0;
    if (pqsql_variant_take(s, argv[0], &v) != PQ_OK ||
        pq_variant_value_read(v.value, &value, &s->e) != PQ_OK) {
        pqsql_variant_failed(ctx, call);
    } else {
        pq_variant_typeof(&value, &s->text);
        if (pq_buf_ok(&s->text)) {
            pqsql_result_text(ctx, s->text.p, s->text.n);
        } else {
            pqsql_variant_failed(ctx, call);
        }
    }
    pqsql_variants_tidy(s);
}

/* ---- to_variant ---------------------------------------------------------- */

static PqRc of_scalar(sqlite3_context *ctx, PqsqlVariants *s,
                      sqlite3_value *arg, PqVariantKind kind)
{
    PqVariantValue v = {.kind = kind};
    PqSlice metadata, value;

    if (kind == PQ_VARIANT_BINARY) {
        PQ_TRY(pqsql_blob_of(arg, &v.bytes, &s->e));
    } else if (!text_of(arg, &v.bytes)) {
        return pq_fail(&s->e, PQ_NOMEM, "out of memory");
    }
    PQ_TRY(pqsql_variants_begin(s, &s->built));
    pq_variant_build_value(s->built, &v);
    PQ_TRY(pq_variant_build_finish(s->built, &metadata, &value, &s->e));
    pqsql_variant_result_blob(ctx, metadata, value);
    return PQ_OK;
}

static PqRc of_value(sqlite3_context *ctx, PqsqlVariants *s,
                     sqlite3_value *arg)
{
    unsigned subtype = sqlite3_value_subtype(arg);
    int type = sqlite3_value_type(arg);
    PqsqlVariant v;
    PqSlice blob;
    bool twin = type == SQLITE_TEXT && s->twins &&
                pqsql_twin_of(s->twins, arg, &blob);

    if (type == SQLITE_BLOB && subtype != PQSQL_SUBTYPE_VARIANT) {
        return of_scalar(ctx, s, arg, PQ_VARIANT_BINARY);
    }
    if (type == SQLITE_TEXT && subtype != PQSQL_SUBTYPE_JSON && !twin) {
        return of_scalar(ctx, s, arg, PQ_VARIANT_STRING);
    }
    PQ_TRY(pqsql_variant_take(s, arg, &v));
    pqsql_variant_result_blob(ctx, v.metadata, v.value);
    return PQ_OK;
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

static void to_variant(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);

    if (any_null(argc, argv)) {
        return;
    }
    if ((argc == 1 ? of_value(ctx, call->state, argv[0])
                   : of_pair(ctx, call->state, argv)) != PQ_OK) {
        pqsql_variant_failed(ctx, call);
    }
    pqsql_variants_tidy(call->state);
}

/* ---- registration -------------------------------------------------------- */

typedef void Scalar(sqlite3_context *, int, sqlite3_value **);

static const struct {
    const char *name, *shape;
    int         n_args;
    int         flags;
    bool        try_;
    Scalar     *call;                /* NULL: schema_of_variant_agg         */
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
        Scalar *scalar = functions[i].call;

        if (!call) {
            rc = SQLITE_NOMEM;
            break;
        }
        *call = (PqsqlVariantCall){s, functions[i].name, functions[i].try_};
        pqsql_variants_hold(s);
        rc = sqlite3_create_function_v2(
            db, functions[i].name, functions[i].n_args,
            USUAL | functions[i].flags, call, scalar,
            scalar ? NULL : pqsql_schema_agg_step,
            scalar ? NULL : pqsql_schema_agg_final, release_call);
    }
    if (s) {
        pqsql_variants_release(s);
    }
    return rc;
}
