/*
** export_table.c - what a table holds, and so what its columns are written as.
**
** The table is read once before it is copied, because a type that its first rows fit
** may not fit its last one.  Both readings are of one snapshot.  What is chosen gives
** each cell back with its class: with the help of the column's affinity, when it is
** inserted again, where that always makes the same of a value.
*/
#include "sql/move/move.h"

#include "sql/copy/row_values.h"

/* ---- what is declared ------------------------------------------------------------ */

/* By SQLite's own rules, which look for parts of words: the first one that fits. */
static const struct {
    const char       *like;
    PqsqlMoveAffinity affinity;
    PqsqlMoveKind     kind;
} declarations[] = {
    {"%INT%", PQSQL_MOVE_INTEGERS, PQSQL_MOVE_BIGINT},
    {"%CHAR%", PQSQL_MOVE_TEXTS, PQSQL_MOVE_TEXT},
    {"%CLOB%", PQSQL_MOVE_TEXTS, PQSQL_MOVE_TEXT},
    {"%TEXT%", PQSQL_MOVE_TEXTS, PQSQL_MOVE_TEXT},
    {"%BLOB%", PQSQL_MOVE_KEEPS, PQSQL_MOVE_TEXT},
    {"", PQSQL_MOVE_KEEPS, PQSQL_MOVE_TEXT},
    {"%REAL%", PQSQL_MOVE_REALS, PQSQL_MOVE_DOUBLE},
    {"%FLOA%", PQSQL_MOVE_REALS, PQSQL_MOVE_DOUBLE},
    {"%DOUB%", PQSQL_MOVE_REALS, PQSQL_MOVE_DOUBLE},
    {"BOOL%", PQSQL_MOVE_NUMBERS, PQSQL_MOVE_BOOLEAN},
    {"DATE", PQSQL_MOVE_NUMBERS, PQSQL_MOVE_DATE},
    {"DATETIME", PQSQL_MOVE_NUMBERS, PQSQL_MOVE_TIMESTAMP},
    {"TIMESTAMP%", PQSQL_MOVE_NUMBERS, PQSQL_MOVE_TIMESTAMP},
    {"%", PQSQL_MOVE_NUMBERS, PQSQL_MOVE_TEXT}};

static void see_declared(PqsqlMoveColumn *c, const char *type, bool is_virtual)
{
    size_t i = 0;

    while (sqlite3_strlike(declarations[i].like, type, 0) != 0) {
        i++;
    }
    c->affinity = is_virtual ? PQSQL_MOVE_KEEPS : declarations[i].affinity;
    c->declared = declarations[i].kind;
}

/* ---- what is there ----------------------------------------------------------------- */

/* Is a text of a UTF-16 database the same when SQLite has made UTF-8 of it, and UTF-16 again?
** It makes another character of half a pair and what follows, and U+FFFD of U+FFFE and
** U+FFFF. */
static bool is_utf16(sqlite3_value *value)
{
    enum { HIGH = 0xD800, LOW = 0xDC00, AFTER = 0xE000, NONE = 0xFFFE };
    const uint8_t *text = sqlite3_value_text16(value);
    int n = sqlite3_value_bytes16(value);
    uint16_t unit, before = 0;
    bool good = text != NULL;

    for (int i = 0; good && i + 1 < n; i += (int)sizeof unit, before = unit) {
        bool in_pair = before >= HIGH && before < LOW;

        memcpy(&unit, text + i, sizeof unit);
        good = in_pair == (unit >= LOW && unit < AFTER) && unit < NONE;
    }
    return good && !(before >= HIGH && before < LOW);
}

bool pqsql_move_comes_back(sqlite3_value *value)
{
    bool good = sqlite3_value_encoding(value) == SQLITE_UTF8 || is_utf16(value);
    const void *text = sqlite3_value_text(value);   /* before its length */

    return good && pq_utf8_valid(pq_slice(text, (size_t)sqlite3_value_bytes(value)));
}

static unsigned see_int(int64_t v)
{
    const int64_t exact = 1LL << 53;

    return PQSQL_HAS_INTS | (v != 0 && v != 1 ? PQSQL_HAS_OTHERS : 0) |
           (v > exact || v < -exact ? PQSQL_HAS_BIG : 0);
}

static unsigned see_text(const PqsqlMoveColumn *c, sqlite3_value *value)
{
    enum { DATE = 10, STAMP = 19 };  /* 2024-03-01 13:45:00                  */
    unsigned has = PQSQL_HAS_TEXTS | (pqsql_move_comes_back(value) ? 0 : PQSQL_HAS_ODD), kinds;
    const void *bytes = sqlite3_value_text(value);  /* before its length */
    PqSlice text = pq_slice(bytes, (size_t)sqlite3_value_bytes(value));
    bool is_date = c->declared == PQSQL_MOVE_DATE;

    if ((c->has & PQSQL_HAS_OTHERS) || (!is_date && c->declared != PQSQL_MOVE_TIMESTAMP)) {
        return has;
    }
    kinds = text.n == (is_date ? DATE : STAMP) ? pq_text_kinds(text) : 0;
    if (!(is_date ? kinds & PQ_KIND_DATE : kinds & PQ_KIND_STAMP_MICROS && text.p[DATE] == ' ')) {
        has |= PQSQL_HAS_OTHERS;
    }
    return has;
}

static unsigned see_value(const PqsqlMoveColumn *c, sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return see_int(sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return PQSQL_HAS_REALS;
    case SQLITE_TEXT:
        return see_text(c, value);
    case SQLITE_BLOB:
        return PQSQL_HAS_BLOBS;
    default:
        return PQSQL_HAS_NULLS;
    }
}

static PqsqlMoveKind kind_of(const PqsqlMoveColumn *c)
{
    bool is_declared = !(c->has & PQSQL_HAS_OTHERS);

    if (c->has & PQSQL_HAS_ODD) {
        return PQSQL_MOVE_HEX;
    }
    switch (c->has & PQSQL_HAS_VALUES) {
    case 0:
        return c->declared == PQSQL_MOVE_BIGINT || c->declared == PQSQL_MOVE_DOUBLE
                   ? c->declared : PQSQL_MOVE_TEXT;
    case PQSQL_HAS_INTS:
        return is_declared && c->declared == PQSQL_MOVE_BOOLEAN ? PQSQL_MOVE_BOOLEAN
                                                                : PQSQL_MOVE_BIGINT;
    case PQSQL_HAS_INTS | PQSQL_HAS_REALS:
        return c->affinity >= PQSQL_MOVE_REALS && !(c->has & PQSQL_HAS_BIG) ? PQSQL_MOVE_DOUBLE
                                                                            : PQSQL_MOVE_VARIANT;
    case PQSQL_HAS_REALS:
        return PQSQL_MOVE_DOUBLE;
    case PQSQL_HAS_TEXTS:
        return is_declared && (c->declared == PQSQL_MOVE_DATE ||
                               c->declared == PQSQL_MOVE_TIMESTAMP) ? c->declared : PQSQL_MOVE_TEXT;
    case PQSQL_HAS_BLOBS:
        return PQSQL_MOVE_BLOB;
    default:
        return PQSQL_MOVE_VARIANT;
    }
}

/* ---- the table --------------------------------------------------------------------- */

/* Is a column of the table another name of its rowid?  If not, a name of it that no column has;
** NULL: the rows have none, or it cannot be named. */
static PqRc find_rowid(PqsqlMove *m, PqsqlMoveTable *t)
{
    t->has_alias = pqsql_move_int(
        m, "SELECT count(*) = 1 AND max(upper(type) = 'INTEGER') AND NOT EXISTS (SELECT 1 FROM "
           "pragma_index_list(%Q, %Q) WHERE origin = 'pk') FROM pragma_table_info(%Q, %Q) WHERE pk",
        t->name, m->schema, t->name, m->schema);
    for (uint32_t i = 0; t->has_rowid && !t->has_alias && !t->rowid && i < PQSQL_MOVE_ROWIDS; i++) {
        t->rowid = pqsql_move_word(m, "SELECT %Q WHERE NOT EXISTS (SELECT 1 FROM "
                                      "pragma_table_xinfo(%Q, %Q) WHERE name = %Q COLLATE NOCASE)",
                                   pqsql_move_rowids[i], t->name, m->schema, pqsql_move_rowids[i]);
    }
    return m->e.rc;
}

/* Columns that are stored: generated ones are made again, unless they are wanted, and hidden ones
** are not part of a row. */
static PqRc find_columns(PqsqlMove *m, PqsqlMoveTable *t)
{
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT name, iif(type = 'ANY' COLLATE NOCASE AND (SELECT strict FROM "
           "pragma_table_list(%Q) WHERE schema = %Q COLLATE NOCASE), '', type), \"notnull\", "
           "hidden FROM pragma_table_xinfo(%Q, %Q) WHERE hidden = 0 OR %d AND hidden IN (2, 3) "
           "ORDER BY cid", t->name, m->schema, t->name, m->schema, t->wants_generated);

    while (pqsql_move_next(m, &s)) {
        PqsqlMoveColumn c = {.name = pqsql_move_text(m, s, 0),
                             .required = sqlite3_column_int(s, 2) != 0,
                             .is_generated = sqlite3_column_int(s, 3) > 0};

        see_declared(&c, pqsql_move_text(m, s, 1), t->is_virtual);
        sqlite3_table_column_metadata(m->db, m->schema, t->name, c.name, NULL, &c.collation, NULL,
                                      NULL, NULL);
        c.collation = !c.collation || sqlite3_stricmp(c.collation, "BINARY") == 0
                          ? NULL : pqsql_move_print(m, "%s", c.collation);
        if (!pq_utf8_valid(pq_slice_text(c.name))) {
            pq_fail(&m->e, PQ_USAGE, "the name of column %.200s is not UTF-8", c.name);
        } else if (PQ_ARENA_GROW(&m->arena, t->columns, t->n_columns, &m->e) == PQ_OK) {
            t->columns[t->n_columns++] = c;
        }
    }
    return m->e.rc;
}

/* All rows in their own order, and not in the order of an index; or what the source says.  The
** values as they are, or as they are written, each column under its own name. */
static const char *select_all(PqsqlMove *m, const PqsqlMoveTable *t, bool as_is)
{
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    pq_buf_text(&b, "SELECT ");
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const char *name = t->columns[i].name;
        PqsqlMoveKind kind = as_is ? PQSQL_MOVE_TEXT : t->columns[i].kind;

        pqsql_move_sql(m, &b,
                       kind == PQSQL_MOVE_HEX
                           ? "%sCASE typeof(\"%w\") WHEN 'text' THEN parse_json(json_object('hex', "
                             "hex(\"%w\"))) ELSE to_variant(\"%w\") END AS \"%w\""
                       : kind == PQSQL_MOVE_VARIANT ? "%sto_variant(\"%w\") AS \"%w\""
                                                    : "%s\"%w\" AS \"%w\"",
                       i ? ", " : "", name, name, name, name);
    }
    if (t->rowid) {
        pq_buf_printf(&b, "%s%s AS %s", t->n_columns ? ", " : "", t->rowid, t->rowid);
    }
    if (t->source) {
        pqsql_move_sql(m, &b, " %s", t->source);
    } else {
        pqsql_move_sql(m, &b, " FROM \"%w\".\"%w\"%s", m->schema, t->name,
                       t->is_virtual ? "" : " NOT INDEXED");
    }
    return pqsql_move_take(m, &b);
}

PqRc pqsql_move_see(PqsqlMove *m, PqsqlMoveTable *t)
{
    PqsqlRowValues row;
    sqlite3_stmt *s = pqsql_move_prepare(m, "%s", select_all(m, t, true));

    pqsql_row_values_init(&row, s);
    t->n_rows = 0;
    while (pqsql_move_step(m, s)) {
        t->n_rows++;
        pqsql_row_values_begin(&row);
        for (uint32_t i = 0; i < t->n_columns; i++) {
            t->columns[i].has |= see_value(&t->columns[i], pqsql_row_value(&row, i));
        }
        if (pqsql_copy_progress_is_due(&m->progress)) {
            pqsql_copy_progress_tell(&m->progress, 0, 0, &m->e);
        }
    }
    sqlite3_finalize(s);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        PqsqlMoveColumn *c = &t->columns[i];

        c->kind = kind_of(c);
        c->required = c->required && !(c->has & PQSQL_HAS_NULLS);
    }
    return m->e.rc;
}

const char *pqsql_move_names(PqsqlMove *m, const PqsqlMoveTable *t)
{
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (!t->columns[i].is_generated) {
            pqsql_move_sql(m, &b, "%s\"%w\"", b.n ? ", " : "", t->columns[i].name);
        }
    }
    if (t->rowid) {
        pq_buf_printf(&b, "%s%s", b.n ? ", " : "", t->rowid);
    }
    return pqsql_move_take(m, &b);
}

const char *pqsql_move_types(PqsqlMove *m, const PqsqlMoveTable *t)
{
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        PqsqlMoveKind kind = t->columns[i].kind;

        pqsql_move_item(&b, '{', pq_slice_text(t->columns[i].name));
        pq_buf_printf(&b, ":\"%s\"",
                      pqsql_move_kinds[kind == PQSQL_MOVE_HEX ? PQSQL_MOVE_VARIANT : kind]);
    }
    if (t->rowid) {
        pqsql_move_item(&b, '{', pq_slice_text(t->rowid));
        pq_buf_text(&b, ":\"BIGINT\"");
    }
    return pqsql_move_close(m, &b, "{}");
}

/* The options of all, and the types. */
static const char *options_of(PqsqlMove *m, const PqsqlMoveTable *t, const char *options)
{
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (t->columns[i].required) {
            pqsql_move_item(&b, '[', pq_slice_text(t->columns[i].name));
        }
    }
    if (t->rowid) {
        pqsql_move_item(&b, '[', pq_slice_text(t->rowid));
    }
    return pqsql_move_word(m, "SELECT json_set(%Q, '$.types', json(%Q), '$.not_null', json(%Q))",
                           options, pqsql_move_types(m, t), pqsql_move_close(m, &b, "[]"));
}

PqRc pqsql_move_columns(PqsqlMove *m, PqsqlMoveTable *t)
{
    PQ_TRY(find_columns(m, t));
    return find_rowid(m, t);
}

PqRc pqsql_move_copy(PqsqlMove *m, PqsqlMoveTable *t, const char *options)
{
    t->query = select_all(m, t, false);
    t->options = options_of(m, t, options);
    return m->e.rc;
}
