/*
** group_text.c - reads the SELECTs over a rollup.
**
** A block is such a SELECT, from this word to its end.  The text is cut into tokens,
** blocks are found by the name after their FROM, and each block is read clause by
** clause.  Whatever is not known here ends the reading: the text is not understood.
*/
#include "sql/group_text_inside.h"

enum { MOST_TOKENS = 20000, DEEPEST = 200, MOST_BLOCKS = 8 };

/* ---- tokens ---------------------------------------------------------------- */

/* Words after which a bracket opens no arguments. */
static bool is_operator(PqsqlToken t)
{
    static const char *const words[] = {
        "and", "or", "not", "in", "is", "between", "like", "glob", "case", "when",
        "then", "else", "end", "by", "having", "where", "filter", "limit", "offset",
        "select", "distinct", "all", "as", "asc", "desc", "null", "isnull",
        "notnull", "escape", "collate", "group", "order", "from", "nulls"};

    return pqsql_is_one_of(t, words, PQ_COUNT(words));
}

/* Words that no block has. */
static bool is_foreign(PqsqlToken t)
{
    static const char *const words[] = {
        "join", "natural", "using", "on", "over", "window", "union", "except",
        "intersect", "exists", "values", "with", "returning", "raise", "indexed",
        "match", "regexp"};

    return pqsql_is_one_of(t, words, PQ_COUNT(words));
}

/* In quotes, too. */
static bool is_rowid(PqsqlToken t)
{
    return pqsql_names(t, pq_slice_text("rowid")) ||
           pqsql_names(t, pq_slice_text("_rowid_")) ||
           pqsql_names(t, pq_slice_text("oid"));
}

/* ---- names ----------------------------------------------------------------- */

/* A word, or the 'q' of 'q'.x: in '', a name is a text unless it is beside a dot. */
static bool begins_name(const PqsqlBlock *r, uint32_t i)
{
    return is_a_word(r, i) ||
           (i < r->n && pqsql_is_name(r->t[i]) && is_sign(r, i + 1, '.'));
}

/* The end of a name that may be qualified, and its last word. */
static uint32_t end_of_name(const PqsqlBlock *r, uint32_t i, uint32_t *last)
{
    *last = i;
    while (is_sign(r, *last + 1, '.') && *last + 2 < r->n &&
           pqsql_is_name(r->t[*last + 2])) {
        *last += 2;
    }
    return *last + 1;
}

static int find(PqsqlToken t, const PqSlice *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (pqsql_names(t, names[i])) {
            return (int)i;
        }
    }
    return -1;
}

/* The column that begins at i: a dimension, or a measure; -1: none. */
int pqsql_group_dimension(const PqsqlBlock *r, uint32_t i, uint32_t *end)
{
    uint32_t last;

    if (!begins_name(r, i)) {
        return -1;
    }
    *end = end_of_name(r, i, &last);
    return is_sign(r, *end, '(') ? -1 : find(r->t[last], r->names->dimensions,
                                             r->names->n_dimensions);
}

int pqsql_group_measure(const PqsqlBlock *r, uint32_t i, uint32_t *end)
{
    uint32_t last;

    if (!begins_name(r, i)) {
        return -1;
    }
    *end = end_of_name(r, i, &last);
    return find(r->t[last], r->names->measures, r->names->n_measures);
}

/* ---- aggregate functions --------------------------------------------------- */

/* sum(m), total(m), min(m), max(m): the measure, and the end after it; -1: it is
** something else. */
static int added_up_at(const PqsqlBlock *r, uint32_t i, uint32_t *end)
{
    static const struct {
        const char *function;
        PqsqlAdds   adds;
    } of[] = {{"sum", PQSQL_ADDS_SUM}, {"total", PQSQL_ADDS_SUM},
              {"min", PQSQL_ADDS_MIN}, {"max", PQSQL_ADDS_MAX}};
    int m = is_sign(r, i + 1, '(') ? pqsql_group_measure(r, i + 2, end) : -1;

    if (m < 0 || !is_sign(r, (*end)++, ')')) {
        return -1;
    }
    for (size_t k = 0; k < PQ_COUNT(of); k++) {
        if (is_word(r, i, of[k].function) && of[k].adds == r->names->adds[m]) {
            return m;
        }
    }
    return -1;
}

/* count(d), count(DISTINCT d), count(*): the dimension, and the end after it; ANY: it
** is something else. */
static PqsqlTopOf counted_at(const PqsqlBlock *r, uint32_t i, int *d, uint32_t *end)
{
    bool distinct = is_word(r, i + 2, "distinct"), all = is_sign(r, i + 2, '*');

    if (!is_word(r, i, "count") || !is_sign(r, i + 1, '(')) {
        return PQSQL_TOP_ANY;
    }
    *end = i + 3;
    *d = all ? 0 : pqsql_group_dimension(r, i + 2 + distinct, end);
    return *d < 0 || !is_sign(r, (*end)++, ')') ? PQSQL_TOP_ANY
           : all                                ? PQSQL_TOP_GROUPS
           : distinct                           ? PQSQL_TOP_VALUES : PQSQL_TOP_COUNT;
}

/* Notes what the function at i adds up or counts; its end, or 0: it is another one. */
static uint32_t end_of_added_up(PqsqlBlock *r, uint32_t i)
{
    uint32_t end;
    int d;
    PqsqlTopOf of = counted_at(r, i, &d, &end);

    if (of == PQSQL_TOP_ANY && added_up_at(r, i, &end) < 0) {
        return 0;
    }
    r->adds_up = true;
    r->block.counts |= of == PQSQL_TOP_COUNT || of == PQSQL_TOP_GROUPS;
    if (of == PQSQL_TOP_COUNT || of == PQSQL_TOP_VALUES) {
        r->block.read |= (uint64_t)1 << d;
    }
    return end;
}

/* Has the call at i one argument? */
static bool has_one_argument(const PqsqlBlock *r, uint32_t i)
{
    int depth = 0;

    do {
        depth = depth_after(r, ++i, depth);
        if (depth == 1 && is_sign(r, i, ',')) {
            return false;
        }
    } while (depth > 0 && i < r->n);
    return true;
}

/* Another call at i: may it be there?  With several arguments,
** min and max add up nothing. */
static bool may_call(PqsqlBlock *r, uint32_t i)
{
    bool extreme = is_word(r, i, "min") || is_word(r, i, "max");

    r->adds_up = r->adds_up || (extreme && has_one_argument(r, i));
    return extreme || pqsql_group_is_scalar(r->t[i]);
}

/* ---- expressions ----------------------------------------------------------- */

static bool is_star(const PqsqlBlock *r, uint32_t i)
{
    return is_sign(r, i, '*') &&
           (is_sign(r, i - 1, ',') || is_sign(r, i - 1, '.') ||
            is_sign(r, i - 1, '(') || is_word(r, i - 1, "select") ||
            is_word(r, i - 1, "distinct") || is_word(r, i - 1, "all"));
}

/* Any expression: its dimensions are read. */
bool pqsql_group_expression(PqsqlBlock *r, uint32_t i, uint32_t to)
{
    while (i < to) {
        uint32_t end = i + 1, added;
        int d;

        if (r->t[i].kind == PQSQL_TOKEN_WRONG || is_star(r, i)) {
            return false;
        }
        if (!begins_name(r, i)) {
            i++;
            continue;
        }
        added = end_of_added_up(r, i);
        if (added > 0) {
            i = added;
            continue;
        }
        d = pqsql_group_dimension(r, i, &end);
        if (d >= 0) {
            r->block.read |= (uint64_t)1 << d;
            i = end;
            continue;
        }
        if (pqsql_group_measure(r, i, &end) >= 0 || is_foreign(r->t[i]) ||
            is_foreign(r->t[end - 1]) || is_rowid(r->t[end - 1]) ||
            (is_word(r, i, "select") && i > r->begin) ||
            (is_sign(r, i + 1, '(') && !is_operator(r->t[i]) && !may_call(r, i))) {
            return false;
        }
        i = end;
    }
    return true;
}

/* The end of the list item that begins at i: the comma, or `to`. */
static uint32_t end_of_item(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    int depth = 0;

    while (i < to && !(depth == 0 && is_sign(r, i, ','))) {
        depth = depth_after(r, i++, depth);
    }
    return i;
}

/* ---- results --------------------------------------------------------------- */

/* The alias of the result in [i, *to), whose expression ends at *to afterwards. */
static PqSlice take_alias(const PqsqlBlock *r, uint32_t i, uint32_t *to)
{
    uint32_t last = *to - 1;

    if (*to < i + 2 || !pqsql_is_name(r->t[last])) {
        return pq_slice("", 0);
    }
    if (is_word(r, last - 1, "as")) {
        *to -= 2;
    } else if (is_a_word(r, last) && !is_operator(r->t[last]) &&
               (is_sign(r, last - 1, ')') ||
                (last - 1 == i && is_a_word(r, i) && !is_operator(r->t[i])))) {
        *to -= 1;
    } else {
        return pq_slice("", 0);
    }
    return pqsql_bare(r->t[last]);
}

/* What all of [i, to) is. */
static PqsqlGroupResult what_is(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    PqsqlGroupResult out = {.dimension = -1, .constant = to == i + 1 &&
                            r->t[i].kind == PQSQL_TOKEN_NUMBER};
    uint32_t end = 0;
    int d = pqsql_group_dimension(r, i, &end);

    if (d >= 0 && end == to) {
        out.dimension = d;
        return out;
    }
    out.top_of = counted_at(r, i, &d, &end);
    if (out.top_of == PQSQL_TOP_ANY && is_a_word(r, i)) {
        d = added_up_at(r, i, &end);
        /* total(m) may make two sums equal that are not. */
        out.top_of = d >= 0 && !is_word(r, i, "total") ? PQSQL_TOP_MEASURE
                                                       : PQSQL_TOP_ANY;
    }
    out.top_of = end == to ? out.top_of : PQSQL_TOP_ANY;
    out.top_column = (uint32_t)d;
    return out;
}

static bool read_results(PqsqlBlock *r)
{
    uint32_t i = r->clause[PQSQL_IN_RESULTS], to = r->clause[PQSQL_IN_RESULTS + 1];

    i += is_word(r, i, "all") || is_word(r, i, "distinct");
    for (; i < to; i++) {
        uint32_t comma = end_of_item(r, i, to), end = comma;
        PqSlice alias = take_alias(r, i, &end);

        if (r->n_results == PQSQL_GROUP_RESULTS || end <= i ||
            !pqsql_group_expression(r, i, end)) {
            return false;
        }
        r->results[r->n_results] = what_is(r, i, end);
        r->results[r->n_results++].alias = alias;
        i = comma;
    }
    return r->n_results > 0;
}

/* The result that a whole term of GROUP BY or ORDER BY means by its number, or by
** its alias; NULL: it is an expression. */
static const PqsqlGroupResult *result_of(const PqsqlBlock *r, uint32_t i, uint32_t to)
{
    uint32_t number = 0;

    if (to != i + 1) {
        return NULL;
    }
    if (r->t[i].kind == PQSQL_TOKEN_NUMBER) {
        for (size_t k = 0; k < r->t[i].n && number <= PQSQL_GROUP_RESULTS; k++) {
            number = number * 10 + (uint32_t)(r->t[i].at[k] - '0');
        }
        return number >= 1 && number <= r->n_results ? &r->results[number - 1]
                                                     : NULL;
    }
    for (uint32_t k = 0; k < r->n_results; k++) {
        if (r->results[k].alias.n > 0 && pqsql_is_name(r->t[i]) &&
            pqsql_names(r->t[i], r->results[k].alias)) {
            return &r->results[k];
        }
    }
    return NULL;
}

/* ---- the other clauses ----------------------------------------------------- */

/* *plain: all terms are dimensions, or results that are numbers. */
static bool read_group_by(PqsqlBlock *r, bool *plain)
{
    uint32_t i = r->clause[PQSQL_IN_GROUP] + 2, to = r->clause[PQSQL_IN_GROUP + 1];

    *plain = true;
    for (; i < to && r->has[PQSQL_IN_GROUP]; i++) {
        uint32_t end = end_of_item(r, i, to);
        const PqsqlGroupResult *result = result_of(r, i, end);
        PqsqlGroupResult is = what_is(r, i, end);

        /* The name of a column comes before an alias. */
        if (!pqsql_group_expression(r, i, end)) {
            return false;
        }
        if (is.dimension < 0 && result) {
            is = *result;
        }
        if (is.dimension >= 0) {
            r->block.grouped |= (uint64_t)1 << is.dimension;
        }
        *plain = *plain && (is.dimension >= 0 || (result && is.constant));
        i = end;
    }
    return true;
}

static bool read_order_by(PqsqlBlock *r)
{
    uint32_t first = r->clause[PQSQL_IN_ORDER] + 2, to = r->clause[PQSQL_IN_ORDER + 1];

    r->block.has_top = !r->has[PQSQL_IN_ORDER];
    for (uint32_t i = first; i < to && r->has[PQSQL_IN_ORDER]; i++) {
        uint32_t comma = end_of_item(r, i, to), end = comma;
        bool nulls = end > i + 2 && is_word(r, end - 2, "nulls"), desc;
        const PqsqlGroupResult *result;
        PqsqlGroupResult is;

        end -= nulls ? 2 : 0;
        desc = end > i + 1 && is_word(r, end - 1, "desc");
        end -= desc || (end > i + 1 && is_word(r, end - 1, "asc"));
        result = result_of(r, i, end);
        is = result ? *result : what_is(r, i, end);
        if (i == first && is.top_of != PQSQL_TOP_ANY && !nulls) {
            r->block.has_top = true;
            r->block.alone = comma == to;
            r->block.top_of = is.top_of;
            r->block.top_column = is.top_column;
            r->block.desc = desc;
        }
        if (!result && !pqsql_group_expression(r, i, end)) {
            return false;
        }
        i = comma;
    }
    return true;
}

/* A number of at most nine digits. */
static bool read_count(const PqsqlBlock *r, uint32_t i, uint64_t *out)
{
    uint64_t n = 0;

    if (i >= r->n || r->t[i].kind != PQSQL_TOKEN_NUMBER || r->t[i].n > 9) {
        return false;
    }
    for (size_t k = 0; k < r->t[i].n; k++) {
        if (r->t[i].at[k] < '0' || r->t[i].at[k] > '9') {
            return false;
        }
        n = n * 10 + (uint64_t)(r->t[i].at[k] - '0');
    }
    *out += n;
    return true;
}

/* *known: LIMIT n, or LIMIT n OFFSET m. */
static bool read_limit(PqsqlBlock *r, bool *known)
{
    uint32_t i = r->clause[PQSQL_IN_LIMIT] + 1, to = r->clause[PQSQL_IN_LIMIT + 1];

    *known = r->has[PQSQL_IN_LIMIT] && read_count(r, i, &r->block.top) &&
             (i + 1 == to || (i + 3 == to && is_word(r, i + 1, "offset") &&
                              read_count(r, i + 2, &r->block.top)));
    return !r->has[PQSQL_IN_LIMIT] || pqsql_group_expression(r, i, to);
}

/* ---- blocks ---------------------------------------------------------------- */

/* Finds where the clauses begin. */
static bool find_clauses(PqsqlBlock *r, uint32_t from, uint32_t after_from)
{
    static const char *const words[PQSQL_CLAUSES] = {
        [PQSQL_IN_WHERE] = "where",   [PQSQL_IN_GROUP] = "group",
        [PQSQL_IN_HAVING] = "having",
        [PQSQL_IN_ORDER] = "order", [PQSQL_IN_LIMIT] = "limit"};
    int depth = 0, at = PQSQL_IN_WHERE;
    uint32_t i = after_from;

    r->clause[PQSQL_IN_RESULTS] = r->begin + 1;
    r->clause[PQSQL_IN_FROM] = from;
    for (; i < r->n && r->t[i].kind != PQSQL_TOKEN_END; i++) {
        if (depth == 0 && (is_sign(r, i, ')') || is_sign(r, i, ';'))) {
            break;
        }
        for (int k = at; depth == 0 && k < PQSQL_CLAUSES; k++) {
            if (is_word(r, i, words[k])) {
                for (; at < k; at++) {
                    r->clause[at] = i;
                }
                r->clause[at] = i;
                r->has[at++] = true;
                break;
            }
        }
        if (at == PQSQL_IN_WHERE) {
            return false;            /* something else follows the table */
        }
        depth = depth_after(r, i, depth);
    }
    r->end = i;
    for (; at <= PQSQL_CLAUSES; at++) {
        r->clause[at] = i;
    }
    return depth == 0;
}

/* The SELECT of the FROM at i. */
static bool find_select(PqsqlBlock *r, uint32_t i)
{
    int depth = 0;

    while (i-- > 0) {
        depth -= is_sign(r, i, '(') - is_sign(r, i, ')');
        if (depth < 0 || (depth == 0 && (is_word(r, i, "from") ||
                                         is_sign(r, i, ';')))) {
            return false;
        }
        if (depth == 0 && is_word(r, i, "select")) {
            r->begin = i;
            return i == 0 || !(is_word(r, i - 1, "union") ||
                               is_word(r, i - 1, "all") ||
                               is_word(r, i - 1, "except") ||
                               is_word(r, i - 1, "intersect"));
        }
    }
    return false;
}

/* The end of the table at i with its alias. */
static uint32_t end_of_table(const PqsqlBlock *r, uint32_t i)
{
    i++;
    if (is_word(r, i, "as")) {
        return i + 2;
    }
    return is_a_word(r, i) && !is_operator(r->t[i]) && !is_foreign(r->t[i]) ? i + 1
                                                                           : i;
}

/* LIMIT 1 OFFSET 1, and whatever is longer than LIMIT 1.
**
** In (SELECT max(o.x) FROM cube LIMIT 1 OFFSET 1), max belongs to the outer SELECT,
** and adds up no rows of the table.  Without an OFFSET such a SELECT has one value,
** however many rows there are. */
static bool has_offset(const PqsqlBlock *r)
{
    return r->clause[PQSQL_IN_LIMIT + 1] > r->clause[PQSQL_IN_LIMIT] + 2;
}

/* An OR that joins whole terms. */
static bool has_or(const PqsqlBlock *r)
{
    int depth = 0;

    for (uint32_t i = r->clause[PQSQL_IN_WHERE]; i < r->clause[PQSQL_IN_WHERE + 1];
         i++) {
        depth = depth_after(r, i, depth);
        if (depth == 0 && is_word(r, i, "or")) {
            return true;
        }
    }
    return false;
}

static bool read_clauses(PqsqlBlock *r)
{
    bool plain, limited, known = pqsql_group_where(r);

    r->adds_up = false;
    if (!known || !read_results(r) ||
        !(r->has[PQSQL_IN_GROUP] || (r->adds_up && !has_offset(r))) ||
        !read_group_by(r, &plain) ||
        (r->has[PQSQL_IN_HAVING] &&
         !pqsql_group_expression(r, r->clause[PQSQL_IN_HAVING] + 1,
                                 r->clause[PQSQL_IN_HAVING + 1])) ||
        !read_order_by(r) || !read_limit(r, &limited)) {
        return false;
    }
    r->block.has_top = r->block.has_top && plain && limited && r->block.simple &&
                       !r->has[PQSQL_IN_HAVING] &&
                       !is_word(r, r->begin + 1, "distinct");
    return true;
}

/* The block of the table's name at i. */
static bool read_block(PqsqlBlock *r, uint32_t i)
{
    uint32_t from = i >= 3 && is_sign(r, i - 1, '.') ? i - 3 : i - 1;

    if (i == 0 || !is_word(r, from, "from") || !find_select(r, from) ||
        !find_clauses(r, from, end_of_table(r, i)) || has_or(r)) {
        return false;
    }
    r->block.unknown = !read_clauses(r);
    pqsql_group_mistake(r);
    return true;
}

/* Can it be the statement's block?  Terms that are not known to be constraints read
** their dimensions. */
static bool can_be(const PqsqlGroupText *block, const PqsqlGroupNames *names)
{
    for (uint32_t i = 0; i < names->n_dimensions; i++) {
        bool read = block->read >> i & 1, used = names->used >> i & 1;

        if (!read && (block->constraints[i] != names->offered[i] ||
                      (used && block->constraints[i] == 0))) {
            return false;
        }
    }
    return true;
}

/* Adds a block to others. */
static void merge(const PqsqlGroupText *block, PqsqlGroupText *out)
{
    bool first = out->n_blocks == 0;

    out->unknown |= block->unknown;
    if (out->mistake == PQSQL_NO_MISTAKE) {
        out->mistake = block->mistake;
        out->written = block->written;
    }
    memcpy(out->constraints, block->constraints, sizeof out->constraints);
    out->n_blocks++;
    out->counts |= block->counts;
    out->read |= block->counts ? UINT64_MAX : block->read;
    out->is_true = first ? block->is_true : 0;
    out->is_false = first ? block->is_false : 0;
    out->simple = first && block->simple;
    out->has_top = first && block->has_top;
    out->top_of = block->top_of;
    out->top_column = block->top_column;
    out->alone = block->alone;
    out->desc = block->desc;
    out->top = block->top;
    out->grouped = block->grouped;
}

/* ---- texts ----------------------------------------------------------------- */

static const PqsqlToken *cut(const char *sql, PqArena *a, uint32_t *n)
{
    PqsqlToken *out, next;
    const char *at = sql;
    int depth = 0;
    PqErr e;

    pq_err_init(&e);
    for (*n = 1; (next = pqsql_next_token(&at)).n > 0; ++*n) {
        depth += pqsql_is_sign(next, '(') - pqsql_is_sign(next, ')');
        if (*n > MOST_TOKENS || depth > DEEPEST) {
            return NULL;
        }
    }
    out = pq_arena_zeros(a, *n, sizeof *out, &e);
    for (uint32_t i = 0; out && i < *n; i++) {
        out[i] = pqsql_next_token(&sql);
    }
    return out;
}

bool pqsql_group_text(const char *sql, const PqsqlGroupNames *names, PqArena *a,
                      PqsqlGroupText *out)
{
    PqsqlBlock r = {.names = names};
    uint32_t begins[MOST_BLOCKS], ends[MOST_BLOCKS], n_blocks = 0, inside = 0;
    const PqsqlToken *t = cut(sql, a, &r.n);

    for (uint32_t i = 0; t && i < r.n; i++) {
        bool known = false;

        if (!pqsql_is_name(t[i]) || !pqsql_names(t[i], names->table)) {
            continue;
        }
        for (uint32_t k = 0; k < n_blocks; k++) {
            known = known || (begins[k] < i && i < ends[k]);
        }
        if (known && !pqsql_is_sign(t[i + 1], '.')) {
            return false;            /* another SELECT inside, perhaps */
        }
        if (known) {
            continue;
        }
        r = (PqsqlBlock){.names = names, .t = t, .n = r.n};
        if (n_blocks == MOST_BLOCKS || !read_block(&r, i)) {
            /* A qualifier stands before its block's FROM. */
            inside = inside == 0 ? i + 1 : inside;
            continue;
        }
        if (inside > 0 && inside - 1 < r.begin) {
            return false;
        }
        inside = 0;
        begins[n_blocks] = r.begin;
        ends[n_blocks++] = r.end;
        if (r.block.unknown || can_be(&r.block, names)) {
            merge(&r.block, out);
        }
    }
    return t && inside == 0;
}
