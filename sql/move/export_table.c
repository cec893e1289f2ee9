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

typedef struct PqsqlMoveSeen {
    uint64_t ints, reals, texts, blobs, nulls;
    bool     not_bool, is_big, not_date, not_stamp;
    bool     is_odd;                 /* a text would not be the same in a file */
    bool     required;               /* declared so                          */
    bool     says_bool, says_date, says_stamp;
    bool     says_int, says_real;
    PqsqlMoveAffinity affinity;
} Seen;

/* ---- what is declared ------------------------------------------------------------ */

static bool has_word(const char *declared, const char *word)
{
    size_t n = strlen(word);

    for (; *declared; declared++) {
        if (sqlite3_strnicmp(declared, word, (int)n) == 0) {
            return true;
        }
    }
    return false;
}

/* By SQLite's own rules, which look for parts of words. */
static PqsqlMoveAffinity affinity_of(const Seen *seen, const char *type, bool is_strict)
{
    if (seen->says_int) {
        return PQSQL_MOVE_NUMBERS;
    }
    if (has_word(type, "CHAR") || has_word(type, "CLOB") || has_word(type, "TEXT")) {
        return PQSQL_MOVE_TEXTS;
    }
    if (!*type || has_word(type, "BLOB") || (is_strict && sqlite3_stricmp(type, "ANY") == 0)) {
        return PQSQL_MOVE_KEEPS;
    }
    return seen->says_real ? PQSQL_MOVE_REALS : PQSQL_MOVE_NUMBERS;
}

static void see_declared(Seen *seen, const char *type, bool is_strict, bool is_virtual)
{
    seen->says_int = has_word(type, "INT");
    seen->says_real = has_word(type, "REAL") || has_word(type, "FLOA") || has_word(type, "DOUB");
    seen->affinity = is_virtual ? PQSQL_MOVE_KEEPS : affinity_of(seen, type, is_strict);
    seen->says_bool = sqlite3_strnicmp(type, "BOOL", 4) == 0;
    seen->says_date = sqlite3_stricmp(type, "DATE") == 0;
    seen->says_stamp = sqlite3_stricmp(type, "DATETIME") == 0 ||
                       sqlite3_strnicmp(type, "TIMESTAMP", 9) == 0;
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

static void see_text(Seen *seen, PqSlice text)
{
    enum { DATE = 10, STAMP = 19 };  /* 2024-03-01 13:45:00                  */
    unsigned kinds;

    seen->texts++;
    if ((seen->says_date && !seen->not_date) || (seen->says_stamp && !seen->not_stamp)) {
        kinds = text.n <= STAMP ? pq_text_kinds(text) : 0;
        seen->not_date = seen->not_date || text.n != DATE || !(kinds & PQ_KIND_DATE);
        seen->not_stamp = seen->not_stamp || text.n != STAMP || text.p[DATE] != ' ' ||
                          !(kinds & PQ_KIND_STAMP_MICROS);
    }
}

static void see_value(Seen *seen, sqlite3_value *value)
{
    const int64_t exact = 1LL << 53;
    const void *text;
    int64_t v;

    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        v = sqlite3_value_int64(value);
        seen->ints++;
        seen->not_bool = seen->not_bool || (v != 0 && v != 1);
        seen->is_big = seen->is_big || v > exact || v < -exact;
        break;
    case SQLITE_FLOAT:
        seen->reals++;
        break;
    case SQLITE_TEXT:
        seen->is_odd = seen->is_odd || !pqsql_move_comes_back(value);
        text = sqlite3_value_text(value);           /* before its length */
        see_text(seen, pq_slice(text, (size_t)sqlite3_value_bytes(value)));
        break;
    case SQLITE_BLOB:
        seen->blobs++;
        break;
    default:
        seen->nulls++;
    }
}

static PqsqlMoveKind kind_of_numbers(const Seen *seen)
{
    if (!seen->reals) {
        return seen->says_bool && !seen->not_bool ? PQSQL_MOVE_BOOLEAN : PQSQL_MOVE_BIGINT;
    }
    return !seen->ints || (seen->affinity >= PQSQL_MOVE_NUMBERS && !seen->is_big)
               ? PQSQL_MOVE_DOUBLE : PQSQL_MOVE_VARIANT;
}

static PqsqlMoveKind kind_of(const Seen *seen)
{
    bool numbers = seen->ints || seen->reals;

    if (seen->is_odd) {
        return PQSQL_MOVE_HEX;
    }
    if (numbers + (seen->texts > 0) + (seen->blobs > 0) > 1) {
        return PQSQL_MOVE_VARIANT;
    }
    return numbers       ? kind_of_numbers(seen)
           : seen->blobs ? PQSQL_MOVE_BLOB
           : seen->texts ? (seen->says_date && !seen->not_date     ? PQSQL_MOVE_DATE
                            : seen->says_stamp && !seen->not_stamp ? PQSQL_MOVE_TIMESTAMP
                                                                   : PQSQL_MOVE_TEXT)
           : seen->says_int  ? PQSQL_MOVE_BIGINT
           : seen->says_real ? PQSQL_MOVE_DOUBLE
                             : PQSQL_MOVE_TEXT;
}

/* ---- the table --------------------------------------------------------------------- */

/* Is a column of the table another name of its rowid? */
static bool has_alias(PqsqlMove *m, const PqsqlMoveTable *t)
{
    return pqsql_move_int(m, "SELECT count(*) = 1 AND max(upper(type) = 'INTEGER') AND NOT "
        "EXISTS (SELECT 1 FROM pragma_index_list(%Q, %Q) WHERE origin = 'pk') "
        "FROM pragma_table_info(%Q, %Q) WHERE pk", t->name, m->schema, t->name, m->schema);
}

/* A name of the rowid that no column has; NULL: the rows have none, or it cannot be
** named. */
static const char *rowid_name(PqsqlMove *m, const PqsqlMoveTable *t)
{
    for (size_t i = 0; t->has_rowid && i < PQSQL_MOVE_ROWIDS; i++) {
        if (!pqsql_move_int(m, "SELECT count(*) FROM pragma_table_xinfo(%Q, %Q) "
                               "WHERE name = %Q COLLATE NOCASE", t->name, m->schema,
                            pqsql_move_rowids[i])) {
            return pqsql_move_rowids[i];
        }
    }
    return NULL;
}

/* Columns that are stored: generated ones are made again, and hidden ones are
** not part of a row. */
static PqRc find_columns(PqsqlMove *m, PqsqlMoveTable *t)
{
    int others = t->wants_generated ? 2 : 0;         /* 2 and 3: generated       */
    bool strict = pqsql_move_int(m, "SELECT strict FROM pragma_table_list(%Q) WHERE "
                                    "schema = %Q COLLATE NOCASE", t->name, m->schema);
    sqlite3_stmt *s = pqsql_move_prepare(
        m, "SELECT name, type, \"notnull\", hidden FROM pragma_table_xinfo(%Q, %Q) "
           "WHERE hidden IN (0, %d, %d) ORDER BY cid", t->name, m->schema, others,
        others + (others > 0));

    while (pqsql_move_next(m, &s)) {
        Seen seen = {.required = sqlite3_column_int(s, 2) != 0};
        const char *name = pqsql_move_text(m, s, 0);

        see_declared(&seen, pqsql_move_text(m, s, 1), strict, t->is_virtual);
        if (!pq_utf8_valid(pq_slice_text(name))) {
            pq_fail(&m->e, PQ_USAGE, "the name of column %.200s is not UTF-8", name);
        } else if (PQ_ARENA_GROW(&m->arena, t->columns, t->n_columns, &m->e) == PQ_OK &&
                   PQ_ARENA_GROW(&m->arena, t->seen, t->n_columns, &m->e) == PQ_OK) {
            t->seen[t->n_columns] = seen;
            t->columns[t->n_columns++] = (PqsqlMoveColumn){
                .name = name, .affinity = seen.affinity, .is_integer = seen.says_int,
                .is_generated = sqlite3_column_int(s, 3) > 0};
        }
    }
    return m->e.rc;
}

/* All rows in their own order, and not in the order of an index; or what the source says. */
static void from(PqsqlMove *m, const PqsqlMoveTable *t, PqBuf *b)
{
    if (t->source) {
        pqsql_move_sql(m, b, " %s", t->source);
    } else {
        pqsql_move_sql(m, b, " FROM \"%w\".\"%w\"%s", m->schema, t->name,
                       t->is_virtual ? "" : " NOT INDEXED");
    }
}

PqRc pqsql_move_see(PqsqlMove *m, PqsqlMoveTable *t)
{
    Seen *seen = t->seen;
    PqsqlRowValues row;
    sqlite3_stmt *s;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    pq_buf_text(&b, "SELECT ");
    for (uint32_t i = 0; i < t->n_columns; i++) {
        pqsql_move_sql(m, &b, "%s\"%w\"", i ? ", " : "", t->columns[i].name);
    }
    from(m, t, &b);
    s = pqsql_move_prepare(m, "%s", pqsql_move_take(m, &b));
    pqsql_row_values_init(&row, s);
    t->n_rows = 0;
    while (pqsql_move_step(m, s)) {
        t->n_rows++;
        pqsql_row_values_begin(&row);
        for (uint32_t i = 0; i < t->n_columns; i++) {
            see_value(&seen[i], pqsql_row_value(&row, i));
        }
        if (pqsql_copy_progress_is_due(&m->progress)) {
            pqsql_copy_progress_tell(&m->progress, 0, 0, &m->e);
        }
    }
    sqlite3_finalize(s);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        t->columns[i].kind = kind_of(&seen[i]);
        t->columns[i].required = seen[i].required && !seen[i].nulls;
        t->columns[i].is_big = seen[i].is_big;
        t->columns[i].is_empty = !seen[i].ints && !seen[i].reals && !seen[i].texts &&
                                 !seen[i].blobs;
    }
    return m->e.rc;
}

/* The columns of the query, each under its own name. */
static void select_column(PqsqlMove *m, PqBuf *b, const PqsqlMoveColumn *c)
{
    const char *name = c->name;

    if (c->kind == PQSQL_MOVE_VARIANT) {
        pqsql_move_sql(m, b, "to_variant(\"%w\") AS \"%w\"", name, name);
    } else if (c->kind == PQSQL_MOVE_HEX) {
        pqsql_move_sql(m, b, "CASE typeof(\"%w\") WHEN 'text' THEN parse_json(json_object("
                             "'hex', hex(\"%w\"))) ELSE to_variant(\"%w\") END AS \"%w\"",
                       name, name, name, name);
    } else {
        pqsql_move_sql(m, b, "\"%w\" AS \"%w\"", name, name);
    }
}

static const char *its_query(PqsqlMove *m, const PqsqlMoveTable *t)
{
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    pq_buf_text(&b, "SELECT ");
    for (uint32_t i = 0; i < t->n_columns; i++) {
        pq_buf_text(&b, i ? ", " : "");
        select_column(m, &b, &t->columns[i]);
    }
    if (t->rowid) {
        pq_buf_printf(&b, "%s%s AS %s", t->n_columns ? ", " : "", t->rowid, t->rowid);
    }
    from(m, t, &b);
    return pqsql_move_take(m, &b);
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
    t->has_alias = has_alias(m, t);
    t->rowid = t->has_alias ? NULL : rowid_name(m, t);
    return m->e.rc;
}

PqRc pqsql_move_copy(PqsqlMove *m, PqsqlMoveTable *t, const char *options)
{
    t->query = its_query(m, t);
    t->options = options_of(m, t, options);
    return m->e.rc;
}
