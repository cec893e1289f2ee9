/*
** declare.c - makes the text of CREATE TABLE that SQLite is given from the
** columns.
**
** A declared type has two readers.  A person sees the Parquet type in it.
** SQLite looks for the words that decide its affinity: INT, then CHAR, CLOB and
** TEXT, then BLOB, then REAL, FLOA and DOUB.  So a word is added where the name
** alone would give a wrong affinity: "DATE TEXT", "DECIMAL(9,2) REAL".  U64 is
** not called UBIGINT, because INT in the name would make it an INTEGER.
**
** The hard part is that names come from files.  A field may be called "hidden",
** or hold quotes, commas and brackets, and none of that may change what SQLite
** reads.
*/
#include "ext/table/declare.h"

enum { MOST_CRS = 80 };              /* bytes of a CRS that are declared */

void pqext_declare_name(const char *name, PqBuf *out)
{
    pq_buf_byte(out, '"');
    for (; *name; name++) {
        if (*name == '"') {
            pq_buf_byte(out, '"');
        }
        pq_buf_byte(out, (uint8_t)*name);
    }
    pq_buf_byte(out, '"');
}

static const char *unit_suffix(PqUnit unit)
{
    return unit == PQ_MILLIS ? "_MS" : unit == PQ_NANOS ? "_NS" : "";
}

/* Is a CRS short, and without the words INT, CHAR, CLOB and TEXT?  They would
** decide the affinity: BLOB comes after the CRS, and REAL counts less.
** "projjson:point_crs" has INT. */
static bool is_declarable(const char *crs)
{
    static const char *const words[] = {"INT", "CHAR", "CLOB", "TEXT"};
    size_t n = strlen(crs);

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < PQ_COUNT(words); k++) {
            if (sqlite3_strnicmp(crs + i, words[k], (int)strlen(words[k])) ==
                0) {
                return false;
            }
        }
    }
    return n <= MOST_CRS && *crs != '{';
}

/* parquet_schema shows a CRS that is not declared. */
static void geo_crs(const char *crs, PqBuf *out)
{
    PqArena a;

    pq_arena_init(&a, out->mem);
    crs = pq_geometry_crs(crs, &a, out->sink);
    pq_buf_printf(out, "(%s", crs && is_declarable(crs) ? crs : "...");
    pq_arena_free(&a);
}

static void geo_type(const PqType *t, PqBuf *out)
{
    bool geography = t->logical == PQ_TYPE_GEOGRAPHY;

    pq_buf_text(out, geography ? "GEOGRAPHY" : "GEOMETRY");
    if (t->crs || geography) {
        geo_crs(t->crs, out);
        if (geography) {
            pq_buf_printf(out, ", %s", pq_geo_algorithm(t->algorithm));
        }
        pq_buf_byte(out, ')');
    }
}

static void int_type(const PqType *t, PqBuf *out)
{
    int bits = t->logical == PQ_TYPE_INT ? t->bit_width
               : t->physical == PQ_INT32 ? 32 : 64;

    if (pq_type_is_u64(t)) {
        pq_buf_text(out, "U64");
        return;
    }
    pq_buf_text(out, pq_type_is_unsigned(t) ? "U" : "");
    pq_buf_text(out, bits == 8    ? "TINYINT"
                     : bits == 16 ? "SMALLINT"
                     : bits == 32 ? "INTEGER"
                                  : "BIGINT");
}

static void physical_type(const PqType *t, PqBuf *out)
{
    switch (t->physical) {
    case PQ_BOOLEAN: pq_buf_text(out, "BOOLEAN"); break;
    case PQ_INT96:   pq_buf_text(out, "TIMESTAMP_96"); break;
    case PQ_FLOAT:   pq_buf_text(out, "FLOAT"); break;
    case PQ_DOUBLE:  pq_buf_text(out, "DOUBLE"); break;
    case PQ_FIXED:
        pq_buf_text(out, "BLOB");
        if (t->fixed_length != PQ_NO_LENGTH) {
            pq_buf_printf(out, "(%u)", t->fixed_length);
        }
        break;
    case PQ_BYTE_ARRAY: pq_buf_text(out, "BLOB"); break;
    default:         int_type(t, out); break;
    }
}

/* The type's name, which is also used inside LIST<...>. */
static void bare_type(const PqType *t, PqBuf *out)
{
    switch (t->logical) {
    case PQ_TYPE_STRING:    pq_buf_text(out, "TEXT"); break;
    case PQ_TYPE_ENUM:      pq_buf_text(out, "ENUM"); break;
    case PQ_TYPE_JSON:      pq_buf_text(out, "JSON"); break;
    case PQ_TYPE_BSON:      pq_buf_text(out, "BSON"); break;
    case PQ_TYPE_UUID:      pq_buf_text(out, "UUID"); break;
    case PQ_TYPE_INT:       int_type(t, out); break;
    case PQ_TYPE_DECIMAL:
        pq_buf_printf(out, "DECIMAL(%d,%d)", t->precision, t->scale);
        break;
    case PQ_TYPE_DATE:      pq_buf_text(out, "DATE"); break;
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        pq_buf_printf(out, "%s%s%s",
                      t->logical == PQ_TYPE_TIME ? "TIME" : "TIMESTAMP",
                      t->utc ? "TZ" : "", unit_suffix(t->unit));
        break;
    case PQ_TYPE_INTERVAL:  pq_buf_text(out, "INTERVAL"); break;
    case PQ_TYPE_FLOAT16:   pq_buf_text(out, "FLOAT16"); break;
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY: geo_type(t, out); break;
    case PQ_TYPE_UNKNOWN:   pq_buf_text(out, "NULL"); break;
    default:                physical_type(t, out); break;
    }
}

/* The word that makes the affinity right, after the name. */
static const char *suffix(const PqType *t, const PqsqlOptions *o)
{
    bool instant = t->logical == PQ_TYPE_TIMESTAMP ||
                   (t->logical == PQ_TYPE_NONE && t->physical == PQ_INT96);

    switch (t->logical) {
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:
    case PQ_TYPE_UUID:
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
        return " TEXT";
    case PQ_TYPE_BSON:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return " BLOB";
    case PQ_TYPE_FLOAT16:
        return " REAL";
    case PQ_TYPE_DECIMAL:
        return o->decimal_text ? " TEXT" : t->scale ? " REAL" : "";
    case PQ_TYPE_INT:
        return pq_type_is_u64(t) ? " BLOB" : "";
    default:
        return instant && o->timestamp == PQSQL_TIME_TEXT ? " TEXT" : "";
    }
}

static void declare_leaf(const PqType *t, const PqsqlOptions *o, PqBuf *out)
{
    if (t->logical == PQ_TYPE_UNKNOWN) {
        return;
    }
    if (t->logical == PQ_TYPE_NONE && t->physical == PQ_BYTE_ARRAY &&
        o->binary_as_string) {
        pq_buf_text(out, "TEXT");
        return;
    }
    bare_type(t, out);
    pq_buf_text(out, suffix(t, o));
}

/* In a type of a virtual table, SQLite looks for the word "hidden" between
** blanks, or at an end, and removes it.  The name of a field or of a coordinate
** system may contain it.  SQLite does not count a tab as a blank there, so the
** blank before the word becomes a tab. */
static void part_hidden(PqBuf *type)
{
    static const char word[] = " hidden";
    const size_t n = sizeof word - 1;
    char *p = (char *)type->p;

    for (size_t i = 0; i + n <= type->n; i++) {
        if (sqlite3_strnicmp(p + i, word, (int)n) == 0 &&
            (i + n == type->n || p[i + n] == ' ')) {
            p[i] = '\t';
        }
    }
}

/* A field's name inside STRUCT<...>.  "hidden" must be in quotes. */
static void field_name(const char *name, PqBuf *out)
{
    const char *z = name;

    while (pq_ascii_is_letter(*z) || pq_ascii_is_digit(*z) || *z == '_') {
        z++;
    }
    if (*z || z == name || pq_ascii_is_digit(name[0]) ||
        sqlite3_stricmp(name, "hidden") == 0) {
        pqext_declare_name(name, out);
    } else {
        pq_buf_text(out, name);
    }
}

/* Recursion is as deep as the schema: PQ_SCHEMA_MAX_DEPTH. */
static void nested_type(const PqNode *n, PqBuf *out)
{
    switch (n->kind) {
    case PQ_NODE_LEAF:
    case PQ_NODE_PATH:
        bare_type(&n->type, out);
        return;
    case PQ_NODE_VARIANT:
        pq_buf_text(out, "VARIANT");
        return;
    case PQ_NODE_LIST:
        pq_buf_text(out, "LIST<");
        break;
    case PQ_NODE_MAP:
        pq_buf_text(out, "MAP<");
        break;
    case PQ_NODE_STRUCT:
        pq_buf_text(out, n->is_file ? "FILE<" : "STRUCT<");
        break;
    }
    for (uint32_t i = 0; i < n->n_children; i++) {
        pq_buf_text(out, i ? ", " : "");
        if (n->kind == PQ_NODE_STRUCT) {
            field_name(n->child[i]->name, out);
            pq_buf_byte(out, ' ');
        }
        nested_type(n->child[i], out);
    }
    pq_buf_byte(out, '>');
}

/* Without a type the values are of any class, and no affinity may change them.
** There has to be a word, because HIDDEN alone would be a type of numbers. */
static void path_type(const PqColumn *c, const PqsqlOptions *o, PqBuf *out)
{
    if (c->path->node.is_variant) {
        pq_buf_text(out, "VARIANT BLOB");
    } else if (!c->path->want.typed) {
        pq_buf_text(out, "ANY BLOB");
    } else {
        declare_leaf(&c->type, o, out);
    }
}

void pqext_declare_column_type(const PqColumn *c, const PqsqlOptions *o,
                               PqBuf *out)
{
    static const char *const hive_types[] = {
        [PQ_HIVE_INTEGER] = "BIGINT", [PQ_HIVE_DATE] = "DATE TEXT",
        [PQ_HIVE_TEXT] = "TEXT", [PQ_HIVE_REAL] = "DOUBLE",
    };

    switch (c->kind) {
    case PQ_COLUMN_HIVE:
        pq_buf_text(out, hive_types[c->hive_type]);
        return;
    case PQ_COLUMN_FILENAME:
        pq_buf_text(out, "TEXT");
        return;
    case PQ_COLUMN_NODE:
        break;
    case PQ_COLUMN_VARIANT_PATH:
        path_type(c, o, out);
        return;
    default:
        pq_buf_text(out, "BIGINT");
        return;
    }
    if (c->node->kind == PQ_NODE_VARIANT) {
        pq_buf_text(out, o->variant_blob || c->as_blob ? "VARIANT BLOB"
                                                      : "VARIANT TEXT");
        return;
    }
    if (c->node->kind != PQ_NODE_LEAF && !c->as_wkb) {
        nested_type(c->node, out);
    } else {
        declare_leaf(&c->type, o, out);
    }
}

/* In quotes if it has brackets, which the parser would not take.  HIDDEN is
** inside the quotes, because SQLite drops what follows them. */
static void column_type(const PqColumn *c, const PqsqlOptions *o, bool hidden,
                        PqBuf *scratch, PqBuf *out)
{
    scratch->n = 0;
    pqext_declare_column_type(c, o, scratch);
    part_hidden(scratch);
    pq_buf_text(scratch, hidden ? " HIDDEN" : "");
    pq_buf_byte(scratch, 0);
    if (!pq_buf_ok(scratch)) {
        return;
    }
    if (strcspn((const char *)scratch->p, "(<") + 1 == scratch->n) {
        pq_buf_text(out, (const char *)scratch->p);
    } else {
        pqext_declare_name((const char *)scratch->p, out);
    }
}

void pqext_declare_column(const PqColumn *c, const PqsqlOptions *o, bool hidden,
                          PqBuf *out)
{
    PqBuf scratch;

    pq_buf_init(&scratch, out->mem, out->sink);
    column_type(c, o, hidden, &scratch, out);
    pq_buf_free(&scratch);
}

static int too_many(const PqTable *t, uint32_t n, int limit, char **error)
{
    *error = sqlite3_mprintf(
        "%s has %u columns, this SQLite takes at most %d in a table; name "
        "those you want: columns='%s,...'", t->first_path, n, limit,
        t->columns[0].name);
    return SQLITE_ERROR;
}

/* SQLite's parser returns SQLITE_ERROR for every error. */
static int not_declared(sqlite3 *db, const PqTable *t, char **error)
{
    const char *why = sqlite3_errmsg(db);

    if (sqlite3_errcode(db) == SQLITE_NOMEM) {
        return SQLITE_NOMEM;
    }
    if (strcmp(why, sqlite3_errstr(SQLITE_INTERRUPT)) == 0) {
        return SQLITE_INTERRUPT;
    }
    *error = sqlite3_mprintf("%s: its columns cannot be declared: %s",
                             t->first_path, why);
    return SQLITE_ERROR;
}

int pqext_declare(sqlite3 *db, const PqTable *t, const PqsqlOptions *o,
                  const PqextDeclared *affinities, uint32_t *n_declared,
                  char **error)
{
    uint32_t limit = (uint32_t)sqlite3_limit(db, SQLITE_LIMIT_COLUMN, -1);
    uint32_t i, n_visible = 0;
    PqBuf sql, scratch;
    PqErr e = PQ_NO_ERR;
    int rc;

    for (i = 0; i < t->n_columns; i++) {
        n_visible += !t->columns[i].hidden;
    }
    if (n_visible > limit) {
        return too_many(t, n_visible, (int)limit, error);
    }
    *n_declared = t->n_columns < limit ? t->n_columns : limit;
    pq_buf_init(&sql, t->engine->mem, &e);
    pq_buf_init(&scratch, t->engine->mem, &e);
    pq_buf_text(&sql, "CREATE TABLE x(");
    for (i = 0; i < *n_declared; i++) {
        const PqColumn *c = &t->columns[i];

        pq_buf_text(&sql, i ? ", " : "");
        pqext_declare_name(c->name, &sql);
        pq_buf_byte(&sql, ' ');
        if (affinities && affinities[i]) {
            pq_buf_printf(&sql, "%s%s", pqext_affinity_word(affinities[i]),
                          c->hidden ? " HIDDEN" : "");
        } else {
            column_type(c, o, c->hidden, &scratch, &sql);
        }
        pq_buf_text(&sql, c->not_null ? " NOT NULL" : "");
    }
    pq_buf_add(&sql, ")", 2);        /* and a NUL */
    if (!pq_buf_ok(&sql)) {
        rc = pqext_error(&e, error);
    } else if ((rc = sqlite3_declare_vtab(db, (char *)sql.p)) != SQLITE_OK) {
        rc = not_declared(db, t, error);
    }
    pq_buf_free(&sql);
    pq_buf_free(&scratch);
    return rc;
}
