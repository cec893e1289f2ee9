/*
** dimension.c - dimensions out of their text.
*/
#include "ext/rollup/definition_inside.h"

#include "ext/rollup/dimension_ask.h"
#include "ext/rollup/time_format.h"
#include "sql/did_you_mean.h"

bool pqext_is_nested(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_NODE ? c->node->kind != PQ_NODE_LEAF && !c->as_wkb
                                     : pq_column_is_variant_path(c);
}

PqRc pqext_dimension_of_column(const PqextTable *source, uint32_t column,
                               PqArena *a, PqextDimension *out, PqErr *e)
{
    *out = (PqextDimension){.kind = PQEXT_DIM_COLUMN, .column = column};
    out->name = out->text = pq_arena_printf(
        a, e, "%s", source->table->columns[column].name);
    out->declared = pqext_declared(source, column,
                                   source->table->columns[column].hidden, a, e);
    return out->name && out->declared ? PQ_OK : e->rc;
}

static PqRc nested(const PqextTable *source, const PqextItem *item,
                   uint32_t column, PqErr *e)
{
    const PqColumn *c = &source->table->columns[column];
    bool list = c->kind == PQ_COLUMN_NODE &&
                (c->node->kind == PQ_NODE_LIST || c->node->kind == PQ_NODE_MAP);
    bool fields = c->kind == PQ_COLUMN_NODE &&
                  c->node->kind == PQ_NODE_STRUCT && c->node->n_children > 0;

    pqext_item_error(e, item, "%s is nested, and cannot be a dimension",
                     c->name);
    if (c->kind == PQ_COLUMN_NODE && c->node->kind == PQ_NODE_VARIANT) {
        pq_err_hint(e, "a path of it can: k=variant_get(%s, '$.k', 'string'), "
                       "rollup='k, count(*)'", c->name);
    } else if (list) {
        pq_err_hint(e, "unnest='%s' makes a row of each element", c->name);
    } else if (fields) {
        pq_err_hint(e, "a field of it can: \"%s.%s\"", c->name,
                    c->node->child[0]->name);
    }
    return e->rc;
}

static PqRc of_column(const PqextTable *source, const PqextItem *item,
                      uint32_t column, PqArena *a, PqextDimension *out,
                      PqErr *e)
{
    if (pqext_is_nested(&source->table->columns[column])) {
        return nested(source, item, column, e);
    }
    PQ_TRY(pqext_dimension_of_column(source, column, a, out, e));
    out->name = item->name ? item->name : out->name;
    out->declared = pqext_declared(source, column, false, a, e);
    return out->declared ? PQ_OK : e->rc;
}

/* ---- expressions --------------------------------------------------------------- */

typedef struct Reader {
    const PqextTable *source;
    const PqextItem  *item;
    const PqextToken *body;
    uint32_t          at;
    int               column;        /* -1: none so far                     */
    const char       *name;          /* of it                               */
    const char       *clock;         /* a function of dates that was called */
    bool              now;           /* 'now' is there, or a word for it    */
    bool              collates;      /* COLLATE, but not BINARY, is there   */
    bool              own;           /* the program made one of its
                                     ** functions                           */
    PqBuf             out;
    PqArena          *a;
    PqErr            *e;
} Reader;

/* Words that do not name a column. */
typedef enum Words {
    KEYWORD,                         /* SQLite reads it as a part of an     */
                                     /* expression, not as a name           */
    OPERATOR,                        /* LIKE and the like, which call the   */
                                     /* function of that name               */
    QUERY, NOW, CLOCK
} Words;

static bool is(Words what, const PqextToken *t)
{
    static const char *const words[][25] = {
        [KEYWORD] = {"and", "or", "not", "null", "is", "in", "between", "like",
                     "glob", "regexp", "match", "escape", "case", "when",
                     "then", "else", "end", "isnull", "notnull", "from",
                     "distinct", "cast", "true", "false"},
        [OPERATOR] = {"like", "glob", "regexp", "match"},
        [QUERY] = {"select", "exists", "values", "with", "over", "filter",
                   "raise"},
        [NOW] = {"current_date", "current_time", "current_timestamp"},
        [CLOCK] = {"date", "time", "datetime", "julianday", "unixepoch",
                   "strftime", "timediff"},
    };
    size_t n = 0;

    while (words[what][n]) {
        n++;
    }
    return pqsql_is_one_of(t->sql, words[what], n);
}

/* Functions of other engines, and what to write here.  If the connection has a
** function of that name, it is called all the same. */
static const struct {
    const char *name, *instead;
} elsewhere[] = {
    {"date_trunc", "write date(x), or strftime('%Y-%m', x) for months"},
    {"datetrunc", "write date(x), or strftime('%Y-%m', x) for months"},
    {"extract", "write strftime('%Y', x), with %m for months and %H for hours"},
    {"date_part", "write strftime('%Y', x), with %m for months and %H for hours"},
    {"to_char", "write strftime('%Y-%m', x)"},
    {"date_format", "write strftime('%Y-%m', x)"},
    {"year", "write strftime('%Y', x)"},
    {"month", "write strftime('%m', x)"},
    {"day", "write strftime('%d', x)"},
    {"dayofweek", "write strftime('%w', x)"},
    {"week", "write strftime('%W', x)"},
    {"hour", "write strftime('%H', x)"},
    {"minute", "write strftime('%M', x)"},
    {"to_date", "write date(x)"},
    {"left", "write substr(x, 1, n)"},
    {"first", "min(x) is one of the values"},
    {"any_value", "min(x) is one of the values"},
    {"count_if", "make the condition a dimension: x > 1 AS large"},
    {"countif", "make the condition a dimension: x > 1 AS large"},
    {"count_distinct", "make x a dimension, and count its rows in the query"},
    {"approx_count_distinct",
     "make x a dimension, and count its rows in the query"},
    {"stddev", "a measure is count, sum, min or max, and sum(x * x) is one"},
    {"stddev_samp", "a measure is count, sum, min or max, and sum(x * x) is one"},
    {"variance", "a measure is count, sum, min or max, and sum(x * x) is one"},
    {"mode", "a measure is count, sum, min or max"},
    {"quantile", "a measure is count, sum, min or max"},
};

static PqRc no_function(Reader *r, const char *name, const char *near)
{
    pqext_item_error(r->e, r->item, "there is no function %s", name);
    for (size_t i = 0; i < PQ_COUNT(elsewhere); i++) {
        if (pq_ascii_same(elsewhere[i].name, name)) {
            pq_err_hint(r->e, "%s", elsewhere[i].instead);
            return r->e->rc;
        }
    }
    if (near) {
        pq_err_hint(r->e, "did you mean %s?", near);
    } else {
        pq_err_hint(r->e, "write a function of SQLite, or a measure: count, sum, "
                    "min or max, as in sum(price) AS total");
    }
    return r->e->rc;
}

/* The time value that a function of dates is called with; NULL: there is
** none. */
static const PqextToken *time_value(const PqextToken *call)
{
    const PqextToken *t = call + 1;
    int depth = 1;

    if (!pqsql_is_word(call->sql, "strftime")) {
        return pqsql_is_sign(t[1].sql, ')') ? NULL : t + 1;
    }
    do {                             /* all parentheses are closed */
        t++;
        depth += pqsql_is_sign(t->sql, '(') - pqsql_is_sign(t->sql, ')');
    } while (depth > 1 || (depth == 1 && !pqsql_is_sign(t->sql, ',')));
    return depth == 0 ? NULL : t + 1;
}

/* Without a time value these functions take the time at which they are called, as
** they do with 'now' (read_token) and, in newer versions, 'subsec'. */
static bool asks_the_clock(const PqextToken *call)
{
    const PqextToken *t = time_value(call);

    return !t || (t->sql.kind == PQSQL_TOKEN_TEXT &&
                  (sqlite3_stricmp(t->text, "subsec") == 0 ||
                   sqlite3_stricmp(t->text, "subsecond") == 0));
}

static PqRc read_function(Reader *r, const PqextToken *t)
{
    PqextFunctionKind kind;
    const char *near;

    PQ_TRY(pqext_ask_function(r->source->host->db, t->text, r->a, &kind, &near,
                              r->e));
    switch (kind) {
    case PQEXT_FUNCTION_UNKNOWN:
        return no_function(r, t->text, near);
    case PQEXT_FUNCTION_CHANGES:
        return pqext_item_error(r->e, r->item, "%s() does not always give the "
                                "same value of one argument, as a dimension "
                                "has to; call it in the query", t->text);
    case PQEXT_FUNCTION_AGGREGATE:
        return pqext_item_error(r->e, r->item, "%s() adds up rows, and cannot "
                                "be in a dimension; a measure is count, sum, "
                                "min or max", t->text);
    case PQEXT_FUNCTION_DIRECT:
        return pqext_item_error(r->e, r->item, "%s() may not be called by a "
                                "schema, and so by no rollup", t->text);
    case PQEXT_FUNCTION_UNSURE:
        return pqext_item_error(r->e, r->item, "SQLite does not tell what %s() "
                                "is; PRAGMA function_list is not allowed",
                                t->text);
    default:
        r->own = r->own || kind == PQEXT_FUNCTION_OWN;
        break;
    }
    if (is(CLOCK, t)) {
        r->clock = t->text;
        r->now = r->now || asks_the_clock(t);
    }
    return PQ_OK;
}

static PqRc read_column(Reader *r)
{
    const PqTable *t = r->source->table;
    bool quoted = r->body[r->at].sql.quoted;
    const char *name;
    int column = pqext_token_column(t, r->body, &r->at, r->a, &name, r->e);

    if (column < 0) {
        if (name) {
            pqext_no_column(t, r->item, name, r->e);
        }
        if (name && quoted) {
            pq_err_hint(r->e, "a text is in single quotes");
        }
        return r->e->rc;
    }
    if (r->column >= 0 && r->column != column) {
        return pqext_item_error(r->e, r->item, "it is about two columns, %s and "
                                "%s; a dimension is about one: make two of it",
                                t->columns[r->column].name,
                                t->columns[column].name);
    }
    if (pqext_is_nested(&t->columns[column])) {
        return nested(r->source, r->item, (uint32_t)column, r->e);
    }
    r->column = column;
    pq_buf_byte(&r->out, '"');
    for (const char *z = t->columns[column].name; *z; z++) {
        if (*z == '"') {
            pq_buf_byte(&r->out, '"');
        }
        pq_buf_byte(&r->out, (uint8_t)*z);
    }
    pq_buf_byte(&r->out, '"');
    return PQ_OK;
}

/* The words after AS in a CAST, and the word after COLLATE, do not name a
** column. */
static void copy_words(Reader *r, uint32_t most)
{
    const PqextToken *t = &r->body[r->at];

    pq_buf_add(&r->out, t->sql.at, t->sql.n);
    for (t++; most > 0 && t->sql.kind == PQSQL_TOKEN_WORD; most--, t++) {
        pq_buf_byte(&r->out, ' ');
        pq_buf_add(&r->out, t->sql.at, t->sql.n);
    }
    r->at = (uint32_t)(t - r->body);
}

/* date(ts) day: the last word can only be a name. */
static bool lacks_as(const Reader *r)
{
    const PqextToken *before = &r->body[r->at] - 1;

    return r->at > 0 && r->at + 1 == r->item->n &&
           (pqsql_is_sign(before->sql, ')') ||
            (before->sql.kind == PQSQL_TOKEN_WORD &&
             (before->sql.quoted || !is(KEYWORD, before)) && !is(OPERATOR, before)));
}

static PqRc read_token(Reader *r)
{
    enum { WORDS_OF_A_TYPE = 10 };
    const PqextToken *t = &r->body[r->at];
    bool call = pqsql_is_sign(t[1].sql, '(');

    if (is(QUERY, t) && (call || !pqsql_is_word(t->sql, "filter"))) {
        return pqext_item_error(r->e, r->item, "%s cannot be in a dimension, "
                                "which is an expression of one column", t->text);
    }
    if (is(NOW, t)) {
        r->now = true;
        r->clock = t->text;
    }
    r->collates = r->collates || (pqsql_is_word(t->sql, "collate") &&
                                  !pqsql_is_word(t[1].sql, "binary"));
    if (pqsql_is_word(t->sql, "as") || pqsql_is_word(t->sql, "collate")) {
        copy_words(r, pqsql_is_word(t->sql, "as") ? WORDS_OF_A_TYPE : 1);
        return PQ_OK;
    }
    if (is(OPERATOR, t)) {
        PQ_TRY(read_function(r, t));
    }
    if (t->sql.kind == PQSQL_TOKEN_WORD && !is(KEYWORD, t) && !is(NOW, t)) {
        if (!call && lacks_as(r)) {
            return pqext_item_error(r->e, r->item, "AS is missing before %.*s",
                                    (int)t->sql.n, t->sql.at);
        }
        if (!call) {
            return read_column(r);
        }
        PQ_TRY(read_function(r, t));
    }
    r->now = r->now || (t->sql.kind == PQSQL_TOKEN_TEXT &&
                        sqlite3_stricmp(t->text, "now") == 0);
    copy_words(r, 0);
    return PQ_OK;
}

static PqRc read_expression(Reader *r)
{
    while (r->at < r->item->n) {
        const PqextToken *t = &r->body[r->at];

        if (r->at > 0 && pqext_token_is_apart(t)) {
            pq_buf_byte(&r->out, ' ');
        }
        PQ_TRY(read_token(r));
    }
    if (r->clock && r->now) {
        return pqext_item_error(r->e, r->item, "it depends on the time at which "
                                "it is asked; make the date a dimension, and "
                                "compare it in the query: WHERE day >= "
                                "date('now')");
    }
    return r->column >= 0
               ? PQ_OK
               : pqext_item_error(r->e, r->item, "it names no column; a "
                                  "dimension is a column, or an expression of "
                                  "one: date(ts)");
}

/* date(x), strftime('%Y-%m', x): one call, whose only value is a column. */
static PqRc find_format(const PqextTable *source, const PqextItem *item,
                        uint32_t column, PqArena *a, PqextDimension *out,
                        PqErr *e)
{
    const PqextToken *b = item->body;
    bool strftime = pqsql_is_word(b[0].sql, "strftime") &&
                    pqsql_is_sign(b[1].sql, '(') &&
                    b[2].sql.kind == PQSQL_TOKEN_TEXT &&
                    pqsql_is_sign(b[3].sql, ',');
    const char *text = strftime ? b[2].text
                       : b[0].sql.kind == PQSQL_TOKEN_WORD && !b[0].sql.quoted
                           ? pqext_time_format_of(b[0].text) : NULL;
    const PqColumn *c = &source->table->columns[column];
    uint32_t at = strftime ? 4 : 2;
    PqextTimeFormat f;
    const char *name;
    char unknown;
    bool native;

    if (!text) {
        return PQ_OK;
    }
    native = pqext_time_format(text, &f, &unknown);
    if (unknown == '%') {
        return pqext_item_error(e, item, "nothing follows the last %% of the "
                                "format; an example: strftime('%%Y-%%m', %s)",
                                c->name);
    }
    if (unknown) {
        return pqext_item_error(e, item, "strftime has no %%%c; an example: "
                                "strftime('%%Y-%%m', %s)", unknown, c->name);
    }
    if (!native || b[at].sql.kind != PQSQL_TOKEN_WORD ||
        pqext_token_column(source->table, b, &at, a, &name, e) < 0 ||
        at + 1 != item->n || !pq_column_is_of_pages(c) || !pq_column_is_leaf(c) ||
        !pqext_time_is_stored(&c->type) ||
        (c->type.logical == PQ_TYPE_TIMESTAMP &&
         source->values.timestamp != PQSQL_TIME_TEXT)) {
        return e->rc;
    }
    out->format = pq_arena_zeros(a, 1, sizeof *out->format, e);
    if (out->format) {
        *out->format = f;
        out->kind = PQEXT_DIM_TIME;
    }
    return e->rc;
}

/* A number of characters, of digits alone. */
static bool take_count(const PqextItem *item, uint32_t *at, uint32_t *out)
{
    enum { MOST_DIGITS = 9 };
    const PqextToken *t = &item->body[*at];
    int64_t n = 0;

    if (*at >= item->n || t->sql.kind != PQSQL_TOKEN_NUMBER || t->sql.n > MOST_DIGITS ||
        pq_number_parse_i64(pq_slice(t->sql.at, t->sql.n), &n) != PQ_PARSE_OK) {
        return false;
    }
    ++*at;
    *out = (uint32_t)n;
    return true;
}

/* length(x), substr(x, 1) and substr(x, 1, 3) of a column of texts.  In a UTF-16 database
** SQLite may change a text first. */
static void find_text_function(const PqextTable *source, const PqextItem *item, PqArena *a,
                               PqextDimension *out, PqErr *e)
{
    const PqColumn *c = &source->table->columns[out->column];
    const PqextToken *b = item->body;
    bool is_part = pqsql_is_word(b[0].sql, "substr") || pqsql_is_word(b[0].sql, "substring");
    uint32_t at = 2, from = 0, n = UINT32_MAX;
    const char *name;

    if ((!is_part && !pqsql_is_word(b[0].sql, "length")) || !pqsql_is_sign(b[1].sql, '(') ||
        b[2].sql.kind != PQSQL_TOKEN_WORD || source->utf16 ||
        pqext_token_column(source->table, b, &at, a, &name, e) < 0 ||
        !pq_column_is_of_pages(c) || !pq_column_is_leaf(c) || pq_column_is_untyped(c) ||
        !pqext_is_string(source, &c->type)) {
        return;
    }
    if (!is_part) {
        out->is_length = at + 1 == item->n;
        return;
    }
    if (!pqsql_is_sign(b[at++].sql, ',') || !take_count(item, &at, &from)) {
        return;
    }
    if (pqsql_is_sign(b[at].sql, ',')) {
        at++;
        if (!take_count(item, &at, &n)) {
            return;
        }
    }
    if (at + 1 == item->n) {
        out->part_from = from;
        out->part_n = n;
    }
}

bool pqext_token_compares(PqsqlToken t, PqextOp *out)
{
    static const struct {
        const char *sign;
        PqextOp     op;
    } of[] = {{"=", PQEXT_EQ},  {"==", PQEXT_EQ}, {"<>", PQEXT_NE}, {"!=", PQEXT_NE},
              {"<", PQEXT_LT},  {"<=", PQEXT_LE}, {">", PQEXT_GT},  {">=", PQEXT_GE}};

    for (size_t i = 0; t.kind == PQSQL_TOKEN_SIGN && i < PQ_COUNT(of); i++) {
        if (t.n == strlen(of[i].sign) && memcmp(t.at, of[i].sign, t.n) == 0) {
            *out = of[i].op;
            return true;
        }
    }
    return false;
}

static bool find_op(const PqextToken *t, PqextOp *out, uint32_t *n)
{
    *n = 1;
    if (pqext_token_compares(t->sql, out)) {
        return true;
    }
    *out = pqsql_is_word(t->sql, "like")   ? PQEXT_LIKE
           : pqsql_is_word(t->sql, "glob") ? PQEXT_GLOB
           : pqsql_is_word(t->sql, "isnull") ? PQEXT_IS_NULL : PQEXT_NOT_NULL;
    if (pqsql_is_word(t->sql, "is")) {
        bool not = pqsql_is_word(t[1].sql, "not");

        *n = not ? 3 : 2;
        *out = not ? PQEXT_NOT_NULL : PQEXT_IS_NULL;
        return pqsql_is_word(t[*n - 1].sql, "null");
    }
    return *out != PQEXT_NOT_NULL || pqsql_is_word(t->sql, "notnull");
}

/* A text of a column of texts, or a number of a column of numbers. */
static bool find_literal(const PqextTable *source, uint32_t column, const PqextToken *t,
                         uint32_t n, PqCell *out)
{
    bool minus = n == 2 && pqsql_is_sign(t->sql, '-');
    const PqextToken *last = t + minus;
    PqextAffinity affinity = pqext_affinity(source, column);
    PqSlice text = pq_slice(last->sql.at, last->sql.n);

    if (n != 1u + minus) {
        return false;
    }
    if (last->sql.kind == PQSQL_TOKEN_TEXT && !minus) {
        *out = pq_cell_text(pq_slice_text(last->text));
        return affinity == PQEXT_AFF_TEXT;
    }
    if (last->sql.kind != PQSQL_TOKEN_NUMBER || affinity != PQEXT_AFF_NUMERIC ||
        memchr(text.p, '_', text.n) || memchr(text.p, 'x', text.n) ||
        memchr(text.p, 'X', text.n)) {
        return false;
    }
    if (pq_number_parse_i64(text, &out->i) == PQ_PARSE_OK) {
        *out = pq_cell_int(minus ? -out->i : out->i);
        return true;
    }
    if (pq_number_parse_double(text, &out->r) != PQ_PARSE_OK) {
        return false;
    }
    *out = pq_cell_real(minus ? -out->r : out->r);
    return true;
}

/* One column, one comparison, one literal.  In a UTF-16 database texts have another
** order. */
static void find_test(const PqextTable *source, const PqextItem *item, PqArena *a,
                      PqextDimension *out, PqErr *e)
{
    const PqextToken *b = item->body;
    const PqColumn *c = &source->table->columns[out->column];
    uint32_t at = 0, n;
    const char *name;

    if (b[0].sql.kind != PQSQL_TOKEN_WORD || source->utf16 ||
        !pq_column_is_of_pages(c) || !pq_column_is_leaf(c) || pq_column_is_untyped(c) ||
        pqext_token_column(source->table, b, &at, a, &name, e) < 0 ||
        !find_op(&b[at], &out->test, &n)) {
        return;
    }
    at += n;
    out->is_test = out->test == PQEXT_IS_NULL || out->test == PQEXT_NOT_NULL
                       ? at == item->n
                       : find_literal(source, out->column, &b[at], item->n - at,
                                      &out->operand);
}

/* The word that SQLite finds first in a declared type decides the affinity. */
static const char *affinity_of(const char *type)
{
    static const struct {
        const char *word, *affinity;
    } of[] = {{"INT", "INTEGER"}, {"CHAR", "TEXT"}, {"CLOB", "TEXT"},
              {"TEXT", "TEXT"}, {"BLOB", NULL}, {"REAL", "REAL"},
              {"FLOA", "REAL"}, {"DOUB", "REAL"}};

    for (size_t i = 0; i < PQ_COUNT(of); i++) {
        if (strstr(type, of[i].word)) {
            return of[i].affinity;
        }
    }
    return *type ? "NUMERIC" : NULL;
}

/* The cast that gives the column's affinity; NULL: none, or e says why not. */
static const char *cast_of(const PqextTable *t, uint32_t column, PqArena *a,
                           PqErr *e)
{
    const PqColumn *c = &t->table->columns[column];
    const char *type = pqext_declared(t, column, false, a, e);

    return type && !pq_column_is_untyped(c) &&
                   (pq_column_is_leaf(c) || !pq_column_is_of_pages(c))
               ? affinity_of(type) : NULL;
}

static PqRc of_expression(const PqextTable *source, const PqextItem *item,
                          PqArena *a, PqextDimension *out, PqErr *e)
{
    Reader r = {.source = source, .item = item, .body = item->body,
                .column = -1, .a = a, .e = e};

    pq_buf_init(&r.out, a->mem, e);
    if (read_expression(&r) == PQ_OK) {
        pq_buf_byte(&r.out, 0);
    }
    if (e->rc == PQ_OK && pq_buf_ok(&r.out)) {
        *out = (PqextDimension){
            .name = item->name ? item->name : item->text, .text = item->text,
            .kind = PQEXT_DIM_EXPRESSION, .column = (uint32_t)r.column,
            .asked = pq_arena_text(a, r.out.p, r.out.n - 1, e),
            .cast = cast_of(source, (uint32_t)r.column, a, e),
            .declared = "", .collates = r.collates};
    }
    pq_buf_free(&r.out);
    if (e->rc != PQ_OK || r.own) {
        return e->rc;
    }
    out->gives_truth = pqext_dimension_gives_truth(item);
    find_text_function(source, item, a, out, e);
    find_test(source, item, a, out, e);
    return find_format(source, item, out->column, a, out, e);
}

PqRc pqext_dimension_parse(const PqextTable *source, const PqextItem *item,
                           PqArena *a, PqextDimension *out, PqErr *e)
{
    const PqextToken *b = item->body;
    uint32_t at = 0;
    const char *name;
    int column;

    PQ_TRY(pqext_item_check(item, e));
    PQ_TRY(pqext_no_measure(item, e));
    if (b[0].sql.kind == PQSQL_TOKEN_WORD && !pqsql_is_sign(b[1].sql, '(')) {
        column = pqext_token_column(source->table, b, &at, a, &name, e);
        if (at == item->n) {
            return !name        ? e->rc
                   : column < 0 ? pqext_no_column(source->table, item, name, e)
                                : of_column(source, item, (uint32_t)column, a,
                                            out, e);
        }
    }
    return of_expression(source, item, a, out, e);
}
