/*
** copy_types.c - the types of columns, as far as they are known before the
** query runs.
**
** Several sources may speak about a column: the options by name and for all,
** the Parquet table that it comes from, its declared type.  The order in which
** they are applied here is the rule of copy_types.h.
*/
#include "sql/copy/copy_types.h"

#include "sql/copy/copy_folder.h"
#include "sql/did_you_mean.h"

#include <stdio.h>

/* ---- names ------------------------------------------------------------------------ */

/* Adds the names of the columns to an error about an unknown one. */
static void hint_names(const PqsqlCopyColumns *columns, PqErr *e)
{
    enum { AT_MOST = 12, ROOM = 300 };
    char text[ROOM];
    size_t n = 0;
    uint32_t i;

    for (i = 0; i < columns->n && i < AT_MOST; i++) {
        const char *name = columns->v[i].name;
        size_t length = strlen(name);

        if (n + length + 3 > ROOM) {
            break;
        }
        n += (size_t)snprintf(text + n, ROOM - n, "%s%s", i ? ", " : "", name);
    }
    if (i > 0) {
        pq_err_hint(e, "it has %s%s", text, i < columns->n ? ", ..." : "");
    }
}

PqRc pqsql_copy_types_column(const PqsqlCopyColumns *columns,
                             const char *option, const char *name,
                             PqsqlCopyColumn **out, PqErr *e)
{
    PqsqlNearest near = {.word = name};

    *out = NULL;
    for (uint32_t i = 0; i < columns->n; i++) {
        PqsqlCopyColumn *c = &columns->v[i];

        if (strcmp(c->name, name) == 0) {
            *out = c;
            return PQ_OK;
        }
        if (!*out && pq_ascii_same(c->name, name)) {
            *out = c;
        }
        pqsql_nearest_look(&near, c->name);
    }
    if (*out) {
        return PQ_OK;
    }
    if (pqsql_nearest(&near)) {
        return pq_fail(e, PQ_USAGE, "%s: the query has no column %s; did you "
                       "mean %s?", option, name, pqsql_nearest(&near));
    }
    pq_fail(e, PQ_USAGE, "%s: the query has no column %s", option, name);
    hint_names(columns, e);
    return e->rc;
}

PqRc pqsql_copy_types_written(const PqsqlCopyColumns *columns,
                              const char *option, const char *name,
                              PqsqlCopyColumn **out, PqErr *e)
{
    PQ_TRY(pqsql_copy_types_column(columns, option, name, out, e));
    return (*out)->is_partition
               ? pq_fail(e, PQ_USAGE, "%s: %s is in partition_by: it is a "
                         "folder's name, and not in the files", option, name)
               : PQ_OK;
}

/* Many readers do not tell a from A either, and refuse the file. */
static PqRc same_names(const char *a, const char *b, PqErr *e)
{
    return strcmp(a, b) == 0
               ? pq_fail(e, PQ_USAGE, "two columns of the query are called "
                         "\"%s\": give one another name with AS", a)
               : pq_fail(e, PQ_USAGE, "two columns of the query are called "
                         "\"%s\" and \"%s\", which is one name to many readers: "
                         "give one another name with AS", a, b);
}

PqRc pqsql_copy_types_quote(const char *name, PqArena *a, const char **out,
                            PqErr *e)
{
    PqBuf text;

    pq_buf_init(&text, a->mem, e);
    pq_json_text_string(pq_slice_text(name), &text);
    *out = pq_arena_take(a, &text);
    return e->rc;
}

static PqRc find_names(sqlite3_stmt *query, PqsqlCopyColumns *out, PqErr *e)
{
    out->n = (uint32_t)sqlite3_column_count(query);
    PQ_TRY(PQ_ARENA_NEW(out->a, out->v, out->n, e));
    for (uint32_t i = 0; i < out->n; i++) {
        const char *name = sqlite3_column_name(query, (int)i);

        if (!name) {
            return pq_fail(e, PQ_NOMEM, "out of memory");
        }
        out->v[i].name = pq_arena_text(out->a, name, strlen(name), e);
        if (!out->v[i].name) {
            return e->rc;
        }
        out->v[i].from = i + 1;
        PQ_TRY(pqsql_copy_types_quote(name, out->a, &out->v[i].quoted, e));
        for (uint32_t k = 0; k < i; k++) {
            if (pq_ascii_same(out->v[k].name, name)) {
                return same_names(out->v[k].name, name, e);
            }
        }
    }
    return PQ_OK;
}

/* ---- what is known before the query runs ------------------------------------------ */

static PqRc find_partition(PqsqlCopyColumns *out, PqErr *e)
{
    const PqsqlNamedList *by = &out->o->partition_by;

    for (uint32_t i = 0; i < by->n; i++) {
        const char *name = by->v[i].name;
        PqsqlCopyColumn *c;

        PQ_TRY(pqsql_copy_types_column(out, "partition_by", name, &c, e));
        if (c->is_partition) {
            return pq_fail(e, PQ_USAGE, "partition_by: %s twice", name);
        }
        c->is_partition = true;
    }
    return by->n < out->n
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "partition_by: no column is left for the "
                         "files");
}

static void take_origin(const PqsqlOrigin *origin, PqsqlCopyColumn *c)
{
    c->passed = origin->passed;
    if (c->is_partition) {
        c->partition_type = origin->is_hint ? NULL : origin->type;
        return;
    }
    c->type = origin->type;
    c->is_hint = origin->is_hint;
    c->required = c->may_undo = origin->required;
    c->rules.number_time = origin->number_time;
    c->rules.classes = origin->classes;
    c->remedy = origin->remedy;
    c->unit_is_unknown = origin->unit_is_unknown;
    c->crs_json = origin->crs_json;
    c->covered_by = origin->covered_by;
    c->struct_id = origin->struct_id;
    c->crs = c->crs_json.n && c->type ? c->type->type.crs : NULL;
}

/* Readers of legacy files do not know GEOMETRY, but they know GeoParquet's
** BLOBs. */
static bool takes_geometries(const PqsqlCopyOptions *o)
{
    return o->compatibility != PQSQL_LEGACY ||
           o->geoparquet == PQSQL_GEOPARQUET_1;
}

static PqRc find_origins(const PqsqlCopyHost *host, sqlite3_stmt *query,
                         PqsqlCopyColumns *out, PqErr *e)
{
    bool is_plain = pqsql_copy_origin_is_plain(sqlite3_sql(query));
    PqsqlOrigin *origins;

    PQ_TRY(PQ_ARENA_NEW(out->a, origins, out->n, e));
    for (uint32_t i = 0; i < out->n; i++) {
        PQ_TRY(pqsql_copy_origin(host, query, (int)i, is_plain, out->a,
                                 &origins[i], e));
    }
    PQ_TRY(pqsql_copy_calls_find(host, query, takes_geometries(out->o), origins,
                                 out->n, out->a, e));
    for (uint32_t i = 0; i < out->n; i++) {
        take_origin(&origins[i], &out->v[i]);
    }
    return PQ_OK;
}

/* The units of the times in a type, a bit each.  Raw numbers of an INT96 are
** nanoseconds.  Recursion is as deep as the type. */
static unsigned units_of(const PqsqlType *t)
{
    unsigned units = 0;

    for (uint32_t i = 0; i < t->n_children && t->kind != PQ_NODE_VARIANT; i++) {
        units |= units_of(t->child[i]);
    }
    if (t->kind != PQ_NODE_LEAF) {
        return units;
    }
    return t->type.logical == PQ_TYPE_TIME || t->type.logical == PQ_TYPE_TIMESTAMP
               ? 1u << t->type.unit
           : t->type.physical == PQ_INT96 ? 1u << PQ_NANOS : 0;
}

/* PqFillRules.stored_unit for values that have the unit of one type and are
** written as another type. */
static int64_t stored_unit(unsigned were, unsigned are)
{
    unsigned unit;

    if (were == 0) {
        return 0;
    }
    for (unit = 0; were != 1u << unit; unit++) {
        if (were < 1u << unit) {
            return PQ_STORED_UNIT_UNKNOWN;
        }
    }
    return were == are ? 0 : pq_unit_per_second((PqUnit)unit);
}

/* Applies "auto".  A column of a Parquet table that has a type other than
** STRING keeps it. */
static void take_auto(PqsqlCopyColumn *c)
{
    c->empty_is_null = true;
    if (c->is_explicit ||
        (c->type && !c->is_hint && !pqsql_type_is_string(c->type))) {
        return;
    }
    c->is_auto = true;
    c->is_hint = true;
    c->remedy = NULL;
}

void pqsql_copy_types_become(PqsqlCopyColumn *c, PqsqlType *type)
{
    unsigned units = c->type && !c->is_hint ? units_of(c->type) : 0;

    c->type = type;
    c->is_hint = false;
    c->rules.stored_unit = stored_unit(units, units_of(type));
    c->rules.classes = 0;
    if (units == 0) {
        c->rules.number_time = PQ_NUMBER_TIME_EPOCH;
    }
    c->remedy = NULL;
}

/* Gives a column the type that the text names. */
static PqRc give_type(PqsqlCopyColumn *c, const char *text, PqArena *a,
                      PqErr *e)
{
    PqsqlType *type;
    PqErr why = PQ_NO_ERR;

    if (pqsql_type_parse(text, a, &type, &why) != PQ_OK) {
        return pq_fail(e, why.rc, "types, column %s: %s", c->name, why.text);
    }
    type->field_id = c->type ? c->type->field_id : -1;
    pqsql_copy_types_become(c, type);
    c->is_explicit = true;
    c->required = c->required || c->type->required;
    c->may_undo = c->may_undo && !c->type->required;
    return PQ_OK;
}

static PqRc take_types(PqsqlCopyColumns *out, PqErr *e)
{
    for (uint32_t i = 0; i < out->o->types.n; i++) {
        const PqsqlNamed *one = &out->o->types.v[i];
        PqsqlCopyColumn *c;

        PQ_TRY(pqsql_copy_types_written(out, "types", one->name, &c, e));
        if (pqsql_type_is_auto(one->value)) {
            take_auto(c);
        } else {
            PQ_TRY(give_type(c, one->value, out->a, e));
        }
    }
    return PQ_OK;
}

/* The option variant: a type for some columns. */
static PqRc take_variants(PqsqlCopyColumns *out, PqErr *e)
{
    for (uint32_t i = 0; i < out->o->variant.n; i++) {
        const char *name = out->o->variant.v[i].name;
        PqsqlCopyColumn *c;

        PQ_TRY(pqsql_copy_types_written(out, "variant", name, &c, e));
        if (c->is_explicit && c->type->kind != PQ_NODE_VARIANT) {
            return pq_fail(e, PQ_USAGE, "variant: in types, column %s is not "
                           "a VARIANT", c->name);
        }
        PQ_TRY(give_type(c, "VARIANT", out->a, e));
        c->is_auto = false;
    }
    return PQ_OK;
}

static bool is_blob(const PqsqlType *t)
{
    return t->kind == PQ_NODE_LEAF && t->type.logical == PQ_TYPE_NONE &&
           t->type.physical == PQ_BYTE_ARRAY;
}

/* The column that an option takes for geometries, if its BLOBs are all WKB. */
static PqRc take_geometry(const char *name, PqsqlCopyColumns *out, PqErr *e)
{
    for (uint32_t i = 0; i < out->n && name; i++) {
        PqsqlCopyColumn *c = &out->v[i];

        if (pq_ascii_same(c->name, name) && !c->is_partition &&
            !c->is_explicit && (!c->type || is_blob(c->type))) {
            PQ_TRY(pqsql_copy_origin_geometry(out->a, &c->type, e));
            c->is_hint = true;
        }
    }
    return PQ_OK;
}

static void take_types_auto(PqsqlCopyColumns *out)
{
    for (uint32_t i = 0; i < out->n && out->o->types_auto; i++) {
        if (!out->v[i].is_partition) {
            take_auto(&out->v[i]);
            out->v[i].all_are_auto = true;
        }
    }
}

static PqRc take_not_null(PqsqlCopyColumns *out, PqErr *e)
{
    const PqsqlCopyOptions *o = out->o;

    for (uint32_t i = 0; i < out->n && o->has_not_null; i++) {
        PqsqlCopyColumn *c = &out->v[i];

        c->required = c->required && !c->may_undo;
    }
    for (uint32_t i = 0; i < o->not_null.n; i++) {
        const char *name = o->not_null.v[i].name;
        PqsqlCopyColumn *c;

        PQ_TRY(pqsql_copy_types_written(out, "not_null", name, &c, e));
        c->required = true;
        c->may_undo = false;
    }
    return PQ_OK;
}

static void set_time(int setting, PqsqlCopyColumn *c)
{
    if (setting != PQSQL_UNSAID) {
        c->rules.number_time = setting ? PQ_NUMBER_TIME_RAW
                                       : PQ_NUMBER_TIME_EPOCH;
        c->rules.stored_unit = c->unit_is_unknown ? 0 : c->rules.stored_unit;
        c->unit_is_unknown = false;
        if (c->rules.classes && pqsql_type_is_time(c->type)) {
            c->rules.classes |= PQ_CLASS(PQ_CELL_INT) | PQ_CLASS(PQ_CELL_REAL);
        }
    }
}

static PqRc take_settings(PqsqlCopyColumns *out, PqErr *e)
{
    const PqsqlCopyOptions *o = out->o;

    for (uint32_t i = 0; i < out->n; i++) {
        out->v[i].chunk = pqsql_copy_options_chunk(o, NULL);
        out->v[i].rules.null_misfits = o->null_misfits != 0;
        set_time(o->chunk.timestamp, &out->v[i]);
    }
    for (uint32_t i = 0; i < o->n_columns; i++) {
        const PqsqlColumnSettings *s = &o->columns[i];
        PqsqlCopyColumn *c;

        PQ_TRY(pqsql_copy_types_written(out, "columns", s->column, &c, e));
        c->chunk = pqsql_copy_options_chunk(o, s);
        set_time(s->chunk.timestamp, c);
    }
    return PQ_OK;
}

/* Numbers for times have the unit of their Parquet table, whatever unit is
** written. */
static PqRc adapt_source(const PqsqlCopyOptions *o, PqsqlCopyColumn *c,
                         PqErr *e)
{
    unsigned units = units_of(c->type);

    if (!c->folder_file) {
        PQ_TRY(pqsql_copy_types_adapt(o, c, e));
    }
    if (units_of(c->type) != units) {
        c->rules.stored_unit = stored_unit(units, units_of(c->type));
    }
    if (c->unit_is_unknown && units) {
        c->rules.stored_unit = PQ_STORED_UNIT_UNKNOWN;
        c->remedy = "its rows come from several SELECTs: write {\"timestamp\": "
                    "\"raw\"} where all numbers are in the unit of the type";
    }
    return PQ_OK;
}

PqRc pqsql_copy_types_find(const PqsqlCopyHost *host, sqlite3_stmt *query,
                           const PqsqlCopyFolder *folder, PqsqlCopyColumns *out,
                           PqErr *e)
{
    PQ_TRY(find_names(query, out, e));
    PQ_TRY(find_partition(out, e));
    PQ_TRY(find_origins(host, query, out, e));
    PQ_TRY(take_types(out, e));
    PQ_TRY(take_variants(out, e));
    if (takes_geometries(out->o)) {
        PQ_TRY(take_geometry(out->o->hilbert, out, e));
        PQ_TRY(take_geometry(out->o->primary_column, out, e));
    }
    take_types_auto(out);
    PQ_TRY(pqsql_copy_folder_take(folder, out, e));
    PQ_TRY(pqsql_copy_shred_take(out, e));
    PQ_TRY(take_not_null(out, e));
    PQ_TRY(take_settings(out, e));
    pqsql_copy_geo_replace(out);
    out->settled = true;
    for (uint32_t i = 0; i < out->n; i++) {
        PqsqlCopyColumn *c = &out->v[i];

        if (c->type && !c->is_hint) {
            PQ_TRY(adapt_source(out->o, c, e));
        }
        out->settled = out->settled &&
                       (c->is_partition ||
                        (c->type && !c->is_hint && !c->shreds_auto));
    }
    return PQ_OK;
}

/* ---- levels of compatibility ------------------------------------------------------ */

static void legacy_integer(PqType *t)
{
    if (t->bit_width == 64) {
        *t = (PqType){.logical = PQ_TYPE_DECIMAL, .precision = 20};
    } else {
        t->bit_width = (uint8_t)(t->bit_width * 2);
        t->is_signed = true;
    }
}

static PqRc legacy_leaf(const PqsqlCopyOptions *o, const PqsqlCopyColumn *c,
                        PqType *t, PqErr *e)
{
    switch (t->logical) {
    case PQ_TYPE_TIMESTAMP:
        t->physical = PQ_INT64;
        t->unit = t->unit == PQ_NANOS ? PQ_MICROS : t->unit;
        break;
    case PQ_TYPE_TIME:
        t->unit = t->unit == PQ_NANOS ? PQ_MICROS : t->unit;
        break;
    case PQ_TYPE_INT:
        if (!t->is_signed) {
            legacy_integer(t);
        }
        break;
    case PQ_TYPE_UUID:
        *t = (PqType){.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING};
        break;
    case PQ_TYPE_FLOAT16:
        *t = (PqType){.physical = PQ_FLOAT};
        break;
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        if (t == &c->type->type && o->geoparquet == PQSQL_GEOPARQUET_1) {
            break;                   /* it will be a BYTE_ARRAY */
        }
        return pq_fail(e, PQ_USAGE, "column %s: readers of legacy files do not "
                       "know geometries; write {\"geoparquet\": \"1.1\"}, or "
                       "{\"types\": {%s: \"BLOB\"}}", c->name, c->quoted);
    default:
        break;
    }
    pq_type_store(t);
    return PQ_OK;
}

/* Recursion is as deep as the type. */
static PqRc adapt(const PqsqlCopyOptions *o, const PqsqlCopyColumn *c,
                  PqsqlType *type, PqErr *e)
{
    if (type->kind == PQ_NODE_VARIANT) {
        return o->compatibility == PQSQL_LEGACY && !c->is_explicit
                   ? pq_fail(e, PQ_USAGE, "column %s: readers of legacy files "
                             "do not know VARIANT; write {\"types\": {%s: "
                             "\"JSON\"}}", c->name, c->quoted)
                   : PQ_OK;
    }
    for (uint32_t i = 0; i < type->n_children; i++) {
        PQ_TRY(adapt(o, c, type->child[i], e));
    }
    if (type->kind != PQ_NODE_LEAF || c->is_explicit) {
        return PQ_OK;
    }
    if (type->type.logical == PQ_TYPE_UNKNOWN &&
        o->compatibility != PQSQL_MODERN) {
        type->type = (PqType){.physical = PQ_BYTE_ARRAY,
                              .logical = PQ_TYPE_STRING};
    }
    return o->compatibility == PQSQL_LEGACY
               ? legacy_leaf(o, c, &type->type, e) : PQ_OK;
}

PqRc pqsql_copy_types_adapt(const PqsqlCopyOptions *o, PqsqlCopyColumn *c,
                            PqErr *e)
{
    return adapt(o, c, c->type, e);
}
