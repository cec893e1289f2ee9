/*
** measure.c - measures out of their text, and arithmetic into programs.
**
** Arithmetic is parsed by precedence, as SQLite does: unary signs bind closest,
** then * / %, then + -.
*/
#include "ext/rollup/definition_inside.h"

enum { DEEPEST = 200 };

static const struct {
    const char *name;
    PqRollupOp  op;
} ops[] = {
    {"count", PQ_ROLLUP_COUNT}, {"sum", PQ_ROLLUP_SUM}, {"min", PQ_ROLLUP_MIN},
    {"max", PQ_ROLLUP_MAX},
};

/* Other aggregate functions of SQLite, and what to write instead. */
static const struct {
    const char *name, *instead;
} others[] = {
    {"avg", "write sum(x) AS s, count(x) AS n, and ask for sum(s) * 1.0 / "
            "sum(n)"},
    {"mean", "write sum(x) AS s, count(x) AS n, and ask for sum(s) * 1.0 / "
             "sum(n)"},
    {"total", "write sum(x) AS s, and ask for total(s)"},
    {"group_concat", "a measure is count, sum, min or max"},
    {"string_agg", "a measure is count, sum, min or max"},
    {"median", "a measure is count, sum, min or max"},
};

static int op_of(const PqextToken *t)
{
    for (size_t i = 0; i < PQ_COUNT(ops); i++) {
        if (pqsql_is_word(t->sql, ops[i].name)) {
            return (int)i;
        }
    }
    return -1;
}

/* The token after the bracket that closes the one at `at`. */
static uint32_t after_brackets(const PqextToken *body, uint32_t at)
{
    int depth = 0;

    do {
        depth += pqsql_is_sign(body[at].sql, '(') -
                 pqsql_is_sign(body[at].sql, ')');
        at++;
    } while (depth > 0);
    return at;
}

/* Has the call several arguments? */
static bool has_comma(const PqextToken *body, uint32_t from, uint32_t to)
{
    int depth = 0;

    for (; from < to; from++) {
        depth += pqsql_is_sign(body[from].sql, '(') -
                 pqsql_is_sign(body[from].sql, ')');
        if (depth == 0 && pqsql_is_sign(body[from].sql, ',')) {
            return true;
        }
    }
    return false;
}

bool pqext_is_measure(const PqextItem *item)
{
    const PqextToken *b = item->body;
    int op = op_of(&b[0]);

    return op >= 0 && pqsql_is_sign(b[1].sql, '(') &&
           after_brackets(b, 1) == item->n &&
           (ops[op].op == PQ_ROLLUP_COUNT || ops[op].op == PQ_ROLLUP_SUM ||
            !has_comma(b, 2, item->n - 1));
}

static const char *instead_of(const PqextToken *t)
{
    for (size_t i = 0; i < PQ_COUNT(others); i++) {
        if (pqsql_is_word(t->sql, others[i].name)) {
            return others[i].instead;
        }
    }
    return NULL;
}

/* The error for a measure that begins at `at` and has something around it. */
static PqRc not_alone(const PqextItem *item, uint32_t at, PqErr *e)
{
    const PqextToken *b = item->body;
    uint32_t after = after_brackets(b, at + 1);
    const PqextToken *next = &b[after];
    const char *call = b[at].sql.at;
    int n = (int)(b[after - 1].sql.at + b[after - 1].sql.n - call);

    if (at > 0 && b[at - 1].sql.kind == PQSQL_TOKEN_WORD) {
        return pqext_item_error(e, item, "a comma is missing before %.*s", n,
                                call);
    }
    if (at == 0 && after + 1 == item->n &&
        (next->sql.kind == PQSQL_TOKEN_WORD || next->sql.kind == PQSQL_TOKEN_TEXT)) {
        return pqext_item_error(e, item, "AS is missing before the name; write "
                                "%.*s AS %.*s", n, call,
                                (int)next->sql.n, next->sql.at);
    }
    if (pqsql_is_word(next->sql, "filter")) {
        return pqext_item_error(e, item, "a measure has no FILTER; make the "
                                "condition a dimension, x > 1 AS large, and "
                                "write WHERE large in the query");
    }
    if (pqsql_is_word(next->sql, "as")) {
        return pqext_item_error(e, item, "a name of several words is in double "
                                "quotes");
    }
    return pqext_item_error(e, item, "a measure is one call of %s, and nothing "
                            "around it; write %.*s AS m, and compute with m in "
                            "the query", b[at].text, n, call);
}

PqRc pqext_no_measure(const PqextItem *item, PqErr *e)
{
    const PqextToken *b = item->body;

    for (uint32_t i = 0; i < item->n; i++) {
        int op = op_of(&b[i]);
        const char *instead = instead_of(&b[i]);

        if (!pqsql_is_sign(b[i + 1].sql, '(')) {
            continue;
        }
        if (instead) {
            return pqext_item_error(e, item, "there is no measure %s; %s",
                                    b[i].text, instead);
        }
        if (op >= 0 && !(op >= 2 && has_comma(b, i + 2,
                                              after_brackets(b, i + 1) - 1))) {
            return not_alone(item, i, e);
        }
    }
    return PQ_OK;
}

/* ---- columns --------------------------------------------------------------- */

static bool is_numeric_leaf(const PqextTable *t, const PqType *type)
{
    switch (type->logical) {
    case PQ_TYPE_INT:
    case PQ_TYPE_DECIMAL:
    case PQ_TYPE_FLOAT16:
    case PQ_TYPE_UNKNOWN:            /* NULL in all rows */
        return true;
    case PQ_TYPE_TIMESTAMP:
        return t->values.timestamp != PQSQL_TIME_TEXT;
    case PQ_TYPE_NONE:
        return type->physical == PQ_INT96
                   ? t->values.timestamp != PQSQL_TIME_TEXT
                   : type->physical != PQ_BYTE_ARRAY &&
                         type->physical != PQ_FIXED;
    default:
        return false;
    }
}

bool pqext_is_numeric(const PqextTable *t, uint32_t column)
{
    const PqColumn *c = &t->table->columns[column];

    switch (c->kind) {
    case PQ_COLUMN_NODE:
    case PQ_COLUMN_VARIANT_PATH:
        return pq_column_is_leaf(c) && !pq_column_is_untyped(c) &&
               is_numeric_leaf(t, &c->type);
    case PQ_COLUMN_HIVE:
        return !pq_column_is_text_of_file(c);
    case PQ_COLUMN_FILENAME:
        return false;
    default:
        return true;
    }
}

const char *pqext_declared(const PqextTable *t, uint32_t column, bool hidden,
                           PqArena *a, PqErr *e)
{
    PqBuf b;

    pq_buf_init(&b, a->mem, e);
    pqext_declare_column(&t->table->columns[column], &t->values, hidden, &b);
    return pq_arena_take(a, &b);
}

static PqRc not_numeric(const PqextTable *t, const PqextItem *item,
                        const char *why, uint32_t column, PqArena *a, PqErr *e)
{
    const char *type = pqext_declared(t, column, false, a, e);
    bool nested = pqext_is_nested(&t->table->columns[column]);

    return !type ? e->rc
                 : pqext_item_error(
                       e, item, "%s, and %s is %s%s; %s", why,
                       t->table->columns[column].name,
                       *type ? "of type " : "of any type", type,
                       nested ? "count takes every column"
                              : "count, min and max take it");
}

/* ---- arithmetic ------------------------------------------------------------ */

typedef struct Parser {
    const PqextTable *source;
    const PqextItem  *item;
    const PqextToken *body;
    uint32_t          at, end, depth;
    PqNumberProgram  *program;
    bool              exact;         /* no part is surely REAL              */
    bool              is_int;
    PqArena          *a;
    PqErr            *e;
} Parser;

static PqRc add_step(Parser *p, PqNumberStep step)
{
    PqNumberProgram *g = p->program;

    PQ_TRY(PQ_ARENA_GROW(p->a, g->steps, g->n_steps, p->e));
    g->steps[g->n_steps++] = step;
    return PQ_OK;
}

static PqRc parse_number(Parser *p)
{
    const PqextToken *t = &p->body[p->at++];
    char *text = pq_arena_text(p->a, t->sql.at, t->sql.n,
                               p->e);
    PqNumberStep s = {.op = PQ_NUMBER_CONSTANT, .kind = PQ_NUMBER_INT};
    bool hex = t->sql.n > 1 && (t->sql.at[1] | 32) == 'x';
    const char *z;
    PqParse read;

    if (!text) {
        return p->e->rc;
    }
    for (z = text + (hex ? 2 : 0); *z; z++) {
        uint64_t digit = (uint64_t)(*z <= '9' ? *z - '0' : (*z | 32) - 'a' + 10);

        if (*z == '_' || (!hex && (*z < '0' || *z > '9'))) {
            break;
        }
        if (hex ? (uint64_t)s.i >> 60 != 0
                : (uint64_t)s.i > (INT64_MAX - digit) / 10) {
            break;
        }
        s.i = (int64_t)((uint64_t)s.i * (hex ? 16 : 10) + digit);
    }
    read = hex ? (*z || text[2] == 0 ? PQ_PARSE_NOT : PQ_PARSE_OK)
               : pq_number_parse_double(pq_slice_text(text), &s.r);
    if (read == PQ_PARSE_NOT) {
        return pqext_item_error(p->e, p->item, "%s is not a number", text);
    }
    if (*z == '.') {                 /* 0.05: the digits, and their scale */
        for (z++; *z >= '0' && *z <= '9' && s.i < INT64_MAX / 10 - 1; z++) {
            s.i = s.i * 10 + (*z - '0');
            s.scale++;
        }
        s.kind = *z ? PQ_NUMBER_REAL : PQ_NUMBER_DECIMAL;
    } else if (*z) {
        s.kind = PQ_NUMBER_REAL;
    }
    p->is_int = p->is_int && s.kind == PQ_NUMBER_INT;
    return add_step(p, s);
}

static PqRc parse_column(Parser *p)
{
    const PqTable *t = p->source->table;
    PqNumberProgram *g = p->program;
    const PqType *type;
    const char *name;
    uint32_t k = 0;
    int column;

    if (pqsql_is_sign(p->body[p->at + 1].sql, '(')) {
        return pqext_item_error(p->e, p->item, "a measure inside of a measure: "
                                "%s", p->body[p->at].text);
    }
    column = pqext_token_column(t, p->body, &p->at, p->a, &name, p->e);
    if (column < 0) {
        return name ? pqext_no_column(t, p->item, name, p->e) : p->e->rc;
    }
    if (!pqext_is_numeric(p->source, (uint32_t)column)) {
        return not_numeric(p->source, p->item, "arithmetic is about numbers",
                           (uint32_t)column, p->a, p->e);
    }
    type = &t->columns[column].type;
    p->is_int = p->is_int && !pq_type_is_float(type) &&
                !(type->logical == PQ_TYPE_DECIMAL && type->scale > 0);
    while (k < g->n_columns && g->columns[k] != (uint32_t)column) {
        k++;
    }
    if (k == g->n_columns) {
        PQ_TRY(PQ_ARENA_GROW(p->a, g->columns, k, p->e));
        g->columns[g->n_columns++] = (uint32_t)column;
    }
    return add_step(p, (PqNumberStep){.op = PQ_NUMBER_COLUMN, .column = k});
}

static PqRc parse_sum(Parser *p);

static PqRc unexpected(Parser *p)
{
    const PqextToken *t = &p->body[p->at];

    return p->at == p->end
               ? pqext_item_error(p->e, p->item, "something is missing at its "
                                  "end; an example: sum(price * (1 - "
                                  "discount))")
               : pqext_item_error(p->e, p->item, "%.*s is not expected there; "
                                  "an example: sum(price * (1 - discount))",
                                  (int)t->sql.n, t->sql.at);
}

/* Is it 9223372036854775808?  After a minus this is an integer, even in
** brackets. */
static bool is_least(const PqextToken *t)
{
    static const char digits[] = "9223372036854775808";
    const char *z = t->sql.at + strspn(t->sql.at, "0");
    size_t n = sizeof digits - 1;

    return t->sql.kind == PQSQL_TOKEN_NUMBER && t->sql.at + t->sql.n == z + n &&
           memcmp(z, digits, n) == 0;
}

/* The end of 9223372036854775808, with or without brackets around it; NULL: the
** operand is something else. */
static const PqextToken *after_least(const PqextToken *t)
{
    uint32_t open = 0;

    for (; pqsql_is_sign(t->sql, '('); t++) {
        open++;
    }
    if (!is_least(t)) {
        return NULL;
    }
    for (t++; open > 0 && pqsql_is_sign(t->sql, ')'); t++) {
        open--;
    }
    return open == 0 ? t : NULL;
}

/* -x is 0 - x, as in SQLite. */
static PqRc parse_operand(Parser *p)
{
    static const PqNumberStep zero = {.op = PQ_NUMBER_CONSTANT};
    static const PqNumberStep least = {.op = PQ_NUMBER_CONSTANT, .i = INT64_MIN};
    const PqextToken *t = &p->body[p->at];
    PqRc rc;

    if (p->at == p->end) {
        return unexpected(p);
    }
    if (++p->depth > DEEPEST) {
        return pqext_item_error(p->e, p->item, "it is nested too deep: at most "
                                "%d brackets and signs can be inside of each "
                                "other", DEEPEST);
    }
    if (pqsql_is_sign(t->sql, '-') && after_least(t + 1)) {
        p->at = (uint32_t)(after_least(t + 1) - p->body);
        rc = add_step(p, least);
    } else if (pqsql_is_sign(t->sql, '-')) {
        p->at++;
        PQ_TRY(add_step(p, zero));
        PQ_TRY(parse_operand(p));
        rc = add_step(p, (PqNumberStep){.op = PQ_NUMBER_SUBTRACT});
    } else if (pqsql_is_sign(t->sql, '+')) {
        p->at++;
        rc = parse_operand(p);
    } else if (pqsql_is_sign(t->sql, '(')) {
        p->at++;
        PQ_TRY(parse_sum(p));
        rc = pqsql_is_sign(p->body[p->at++].sql, ')') ? PQ_OK
                                                         : (p->at--, unexpected(p));
    } else {
        rc = t->sql.kind == PQSQL_TOKEN_NUMBER ? parse_number(p)
             : t->sql.kind == PQSQL_TOKEN_WORD ? parse_column(p)
                                           : unexpected(p);
    }
    p->depth--;
    return rc;
}

static int binary_op(const Parser *p, const char *signs)
{
    static const struct {
        char       sign;
        PqNumberOp op;
    } of[] = {{'+', PQ_NUMBER_ADD}, {'-', PQ_NUMBER_SUBTRACT},
              {'*', PQ_NUMBER_MULTIPLY}, {'/', PQ_NUMBER_DIVIDE},
              {'%', PQ_NUMBER_REMAINDER}};
    const PqextToken *t = &p->body[p->at];

    for (size_t i = 0; i < PQ_COUNT(of) && p->at < p->end; i++) {
        if (pqsql_is_sign(t->sql, of[i].sign) && strchr(signs, of[i].sign)) {
            return (int)of[i].op;
        }
    }
    return -1;
}

static PqRc parse_product(Parser *p)
{
    int op;

    PQ_TRY(parse_operand(p));
    while ((op = binary_op(p, "*/%")) >= 0) {
        p->at++;
        PQ_TRY(parse_operand(p));
        PQ_TRY(add_step(p, (PqNumberStep){.op = (PqNumberOp)op}));
    }
    return PQ_OK;
}

static PqRc parse_sum(Parser *p)
{
    int op;

    PQ_TRY(parse_product(p));
    while ((op = binary_op(p, "+-")) >= 0) {
        p->at++;
        PQ_TRY(parse_product(p));
        PQ_TRY(add_step(p, (PqNumberStep){.op = (PqNumberOp)op}));
    }
    return PQ_OK;
}

static PqRc parse_arithmetic(Parser *p, PqextMeasure *out)
{
    p->program = pq_arena_zeros(p->a, 1, sizeof *p->program, p->e);
    if (!p->program) {
        return p->e->rc;
    }
    p->is_int = true;
    PQ_TRY(parse_sum(p));
    if (p->at != p->end) {
        return unexpected(p);
    }
    out->program = p->program;
    out->declared = p->is_int || out->op == PQ_ROLLUP_COUNT ? "BIGINT"
                                                            : "DOUBLE";
    return PQ_OK;
}

/* ---- expressions ----------------------------------------------------------- */

/* Is it more than arithmetic: a function that is not a measure, an operator with
** a name, a comparison, or a text? */
static bool is_expression(const PqextToken *body, uint32_t at, uint32_t end)
{
    static const char *const words[] = {"and", "or", "not", "is", "in", "between",
                                        "like", "glob", "regexp", "match", "case",
                                        "isnull", "notnull", "null", "collate"};

    for (; at < end; at++) {
        const PqextToken *t = &body[at];
        bool call = t->sql.kind == PQSQL_TOKEN_WORD &&
                    pqsql_is_sign(t[1].sql, '(');

        if (t->sql.kind == PQSQL_TOKEN_TEXT || t->sql.kind == PQSQL_TOKEN_BLOB ||
            (t->sql.kind == PQSQL_TOKEN_SIGN && strchr("<>=!|&~", *t->sql.at)) ||
            pqsql_is_one_of(t->sql, words, PQ_COUNT(words)) ||
            (call && (op_of(t) < 0 || (ops[op_of(t)].op != PQ_ROLLUP_COUNT &&
                                       has_comma(body, at + 2,
                                                 after_brackets(body, at + 1) -
                                                     1))))) {
            return true;
        }
    }
    return false;
}

/* Has SQLite add up each value alone, so that a text counts for as much as in
** sum(). */
static PqRc ask_for_summand(PqextDimension *of, PqArena *a, PqErr *e)
{
    of->part_from = 0;               /* the summand is asked for           */
    of->asked = pq_arena_printf(a, e, "sum(%s)", of->asked);
    return of->asked ? PQ_OK : e->rc;
}

static PqRc parse_expression(const PqextTable *source, const PqextItem *item,
                             PqArena *a, PqextMeasure *out, PqErr *e)
{
    PqextItem inside = {.n = item->n - 3, .name = item->name, .text = item->text};
    PqextDimension *of = pq_arena_zeros(a, 1, sizeof *of, e);

    inside.body = pq_arena_zeros(a, inside.n + 1u, sizeof *inside.body, e);
    PQ_TRY(of && inside.body ? PQ_OK : e->rc);
    memcpy(inside.body, item->body + 2, inside.n * sizeof *inside.body);
    inside.body[inside.n].sql.at = item->body[item->n - 1].sql.at;
    PQ_TRY(pqext_dimension_parse(source, &inside, a, of, e));
    of->kind = PQEXT_DIM_EXPRESSION;
    out->expression = of;
    out->column = (int)of->column;
    out->declared = out->op == PQ_ROLLUP_COUNT ? "BIGINT" : "";
    if (out->op == PQ_ROLLUP_SUM) {
        return ask_for_summand(of, a, e);
    }
    return of->collates && out->op != PQ_ROLLUP_COUNT
               ? pqext_item_error(e, item, "COLLATE cannot be in min or max; "
                                  "lower(x) makes texts equal that differ in "
                                  "case")
               : PQ_OK;
}

/* ---- measures -------------------------------------------------------------- */

/* A sum has the type of its argument, so SQLite compares it in the same way. */
static PqRc declare_sum(const PqextTable *t, PqextMeasure *m, PqArena *a,
                        PqErr *e)
{
    const PqType *type = &t->table->columns[m->column].type;
    bool of_pages = pq_column_is_of_pages(&t->table->columns[m->column]);

    if (of_pages && type->logical == PQ_TYPE_DECIMAL) {
        m->declared = pq_arena_printf(a, e, "\"DECIMAL(%d,%d)%s\"",
                                      PQ_NUMBER_DIGITS, type->scale,
                                      type->scale ? " REAL" : "");
    } else if (of_pages && (pq_type_is_float(type) ||
                            pq_type_is_instant(type))) {
        m->declared = pq_type_is_float(type) ? "DOUBLE" : "NUMERIC";
    } else {
        m->declared = "BIGINT";
    }
    return m->declared ? PQ_OK : e->rc;
}

static PqRc of_column(const PqextTable *source, const PqextItem *item,
                      PqArena *a, PqextMeasure *out, PqErr *e)
{
    const PqColumn *c = &source->table->columns[out->column];
    bool nested = c->kind == PQ_COLUMN_NODE && c->node->kind != PQ_NODE_LEAF &&
                  !c->as_wkb;

    if (out->op == PQ_ROLLUP_COUNT) {
        out->declared = "BIGINT";
        return PQ_OK;
    }
    if (out->op == PQ_ROLLUP_SUM) {
        if (!pqext_is_numeric(source, (uint32_t)out->column)) {
            return not_numeric(source, item, "a sum is of numbers",
                               (uint32_t)out->column, a, e);
        }
        return declare_sum(source, out, a, e);
    }
    if (nested) {
        return pqext_item_error(e, item, "%s is nested; min and max are of "
                                "columns that are not", c->name);
    }
    out->declared = pqext_declared(source, (uint32_t)out->column, false, a, e);
    return out->declared ? PQ_OK : e->rc;
}

/* The column, if the tokens from `at` to end are a column with nothing but
** brackets and + around it, which do nothing; else -1. */
static int only_column(const PqextTable *source, const PqextToken *body,
                       uint32_t at, uint32_t end, PqArena *a, PqErr *e)
{
    uint32_t open = 0;
    const char *name;
    int column;

    for (; pqsql_is_sign(body[at].sql, '+') ||
           pqsql_is_sign(body[at].sql, '('); at++) {
        open += pqsql_is_sign(body[at].sql, '(');
    }
    if (body[at].sql.kind != PQSQL_TOKEN_WORD) {
        return -1;
    }
    column = pqext_token_column(source->table, body, &at, a, &name, e);
    for (; open > 0 && pqsql_is_sign(body[at].sql, ')'); at++) {
        open--;
    }
    return open == 0 && at == end ? column : -1;
}

PqRc pqext_measure_parse(const PqextTable *source, const PqextItem *item,
                         PqArena *a, PqextMeasure *out, PqErr *e)
{
    const PqextToken *b = item->body;
    uint32_t end = item->n - 1;
    Parser p = {.source = source, .item = item, .body = b, .at = 2, .end = end,
                .a = a, .e = e};

    PQ_TRY(pqext_item_check(item, e));
    *out = (PqextMeasure){.name = item->name ? item->name : item->text,
                          .text = item->text, .op = ops[op_of(&b[0])].op,
                          .column = -1};
    if (out->op == PQ_ROLLUP_COUNT &&
        (end == 2 || (end == 3 && pqsql_is_sign(b[2].sql, '*')))) {
        out->op = PQ_ROLLUP_COUNT_ROWS;
        out->declared = "BIGINT";
        return PQ_OK;
    }
    if (end == 2) {
        return pqext_item_error(e, item, "of what? An example: %s(price)",
                                b[0].text);
    }
    if (pqsql_is_word(b[2].sql, "distinct")) {
        return pqext_item_error(e, item, "a rollup has no DISTINCT; make %.*s a "
                                "dimension, and count its rows in the query",
                                (int)(b[end].sql.at - b[3].sql.at),
                                b[3].sql.at);
    }
    out->column = only_column(source, b, 2, end, a, e);
    if (e->rc != PQ_OK) {
        return e->rc;
    }
    return out->column >= 0 ? of_column(source, item, a, out, e)
           : is_expression(b, 2, end)
               ? parse_expression(source, item, a, out, e)
               : parse_arithmetic(&p, out);
}
