/*
** type_name.c - the parser of type names.
**
** Two things are hard.  Names have several words (DOUBLE PRECISION) that may be
** followed by words of a suffix, so the longest name wins.  And the text comes
** from a user or a file, so recursion is limited and errors say where.
*/
#include "sql/value/type_name.h"

#include "sql/did_you_mean.h"
#include "sql/token.h"
#include "sql/value/type_words.h"

#include <stdio.h>

enum { NAME_WORDS = 3, WORD_ROOM = 48, SHOWN = 200 };

typedef struct Parse {
    const char *text;
    const char *at;
    uint32_t    depth;
    PqArena    *a;
    PqErr      *e;
} Parse;

static PqRc wrong(Parse *p, const char *at, const char *fmt, ...)
    PQ_PRINTF(3, 4);

static PqRc wrong(Parse *p, const char *at, const char *fmt, ...)
{
    char why[SHOWN + 200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    if (at == p->text) {
        return pq_fail(p->e, PQ_USAGE, "type %.*s: %s", (int)SHOWN, p->text,
                       why);
    }
    return pq_fail(p->e, PQ_USAGE, "type %.*s, at character %zu: %s",
                   (int)SHOWN, p->text, (size_t)(at - p->text) + 1, why);
}

/* ---- words --------------------------------------------------------------- */

static void skip_blanks(Parse *p)
{
    while (*p->at && (unsigned char)*p->at <= ' ') {
        p->at++;
    }
}

static bool take(Parse *p, char c)
{
    skip_blanks(p);
    if (*p->at != c) {
        return false;
    }
    p->at++;
    return true;
}

static bool in_word(char c)
{
    return pq_ascii_in_name(c) && c != '$';
}

/* Copies the word at z, after blanks, into out (cut if it is too long).
** Returns its end, or z if there is none. */
static const char *peek_word(const char *z, char out[WORD_ROOM])
{
    const char *begin = z;
    size_t n;

    while (*begin && (unsigned char)*begin <= ' ') {
        begin++;
    }
    for (n = 0; in_word(begin[n]); n++) {
        if (n < WORD_ROOM - 1) {
            out[n] = begin[n];
        }
    }
    out[n < WORD_ROOM ? n : WORD_ROOM - 1] = 0;
    return n ? begin + n : z;
}

static bool take_word(Parse *p, const char *word)
{
    char next[WORD_ROOM];
    const char *end = peek_word(p->at, next);

    if (!pq_ascii_same(next, word)) {
        return false;
    }
    p->at = end;
    return true;
}

static bool take_words(Parse *p, const char *a, const char *b, const char *c)
{
    const char *begin = p->at;

    if (take_word(p, a) && take_word(p, b) && (!c || take_word(p, c))) {
        return true;
    }
    p->at = begin;
    return false;
}

/* Takes the longest name of a type, of up to NAME_WORDS words.  NULL if there
** is none. */
static const PqsqlTypeWord *take_name(Parse *p, const char **own)
{
    char name[NAME_WORDS * WORD_ROOM] = "", next[WORD_ROOM];
    const PqsqlTypeWord *found = NULL;
    const char *z = p->at, *end;
    size_t n = 0;

    for (int i = 0; i < NAME_WORDS; i++) {
        const PqsqlTypeWord *longer;

        end = peek_word(z, next);
        if (end == z) {
            break;
        }
        n += (size_t)snprintf(name + n, sizeof name - n, "%s%s", i ? " " : "",
                              next);
        longer = pqsql_type_word(name, own);
        if (longer) {
            found = longer;
            p->at = end;
        }
        z = end;
    }
    return found;
}

static PqRc no_such_type(Parse *p)
{
    char word[WORD_ROOM];
    const char *near;

    skip_blanks(p);
    peek_word(p->at, word);
    if (!word[0]) {
        return wrong(p, p->at, "the name of a type is missing");
    }
    near = pqsql_type_word_near(word);
    return near ? wrong(p, p->at, "there is no type %s; did you mean %s?", word,
                        near)
                : wrong(p, p->at, "there is no type %s; BIGINT, DOUBLE, "
                        "DECIMAL(10,2), TEXT, DATE and TIMESTAMP are some", word);
}

/* ---- quoted names and arguments ------------------------------------------ */

/* A declared type has "\thidden" in place of " hidden", because SQLite acts on
** the latter (ext/table/declare.c). */
static void restore_hidden(char *z)
{
    char *at;

    for (at = strchr(z, '\t'); at; at = strchr(at + 1, '\t')) {
        char next[WORD_ROOM];
        const char *end = peek_word(at, next);

        if (pq_ascii_same(next, "hidden") && (*end == ' ' || *end == 0)) {
            *at = ' ';
        }
    }
}

/* Takes a quoted name; p is at the quote. */
static PqRc quoted_name(Parse *p, const char **out)
{
    const char *begin = p->at, *end = pqsql_end_of_quoted(begin);
    PqSlice quoted;
    char *name;

    if (!end) {
        return wrong(p, begin, "the quote is not closed");
    }
    quoted = pq_slice(begin, (size_t)(end - begin));
    name = pq_arena_text(p->a, quoted.p, quoted.n, p->e);
    if (!name) {
        return p->e->rc;
    }
    pqsql_unquote(quoted, name);
    restore_hidden(name);
    *out = name;
    p->at = end;
    return PQ_OK;
}

static PqRc field_name(Parse *p, const char **out)
{
    const char *end;

    skip_blanks(p);
    if (*p->at == '"' || *p->at == '`') {
        return quoted_name(p, out);
    }
    for (end = p->at; in_word(*end); end++) {
    }
    if (end == p->at) {
        return wrong(p, p->at, "the name of a field is missing");
    }
    *out = pq_arena_text(p->a, p->at, (size_t)(end - p->at), p->e);
    p->at = end;
    return *out ? PQ_OK : p->e->rc;
}

/* The end of the string at z, which may be a JSON string: a coordinate
** system. */
static const char *string_end(const char *z)
{
    for (z++; *z && *z != '"'; z++) {
        z += *z == '\\' && z[1];
    }
    return *z ? z + 1 : z;
}

/* Takes (...), up to the matching parenthesis. */
static PqRc arguments(Parse *p, PqSlice *out)
{
    const char *begin = p->at, *z = p->at;
    int open = 0;

    while (*z) {
        if (*z == '"') {
            z = string_end(z);
            continue;
        }
        open += *z == '(';
        open -= *z == ')';
        z++;
        if (open == 0) {
            *out = pq_slice(begin + 1, (size_t)(z - begin) - 2);
            p->at = z;
            return PQ_OK;
        }
    }
    return wrong(p, begin, "the parenthesis is not closed");
}

/* ---- types --------------------------------------------------------------- */

static PqRc any_type(Parse *p, PqsqlType **out);

PqRc pqsql_type_new(PqArena *a, PqNodeKind kind, PqsqlType **out, PqErr *e)
{
    PQ_TRY(PQ_ARENA_NEW(a, *out, 1, e));
    **out = (PqsqlType){.kind = kind, .field_id = -1, .height = 1};
    return PQ_OK;
}

PqRc pqsql_type_add(PqsqlType *t, PqsqlType *child, PqArena *a, PqErr *e)
{
    PQ_TRY(PQ_ARENA_GROW(a, t->child, t->n_children, e));
    t->child[t->n_children++] = child;
    t->height = child->height >= t->height ? child->height + 1 : t->height;
    return PQ_OK;
}

static PqRc field(Parse *p, PqsqlType *t)
{
    const char *begin, *name = NULL;
    PqsqlType *child = NULL;

    skip_blanks(p);
    begin = p->at;
    PQ_TRY(field_name(p, &name));
    for (uint32_t i = 0; i < t->n_children; i++) {
        if (strcmp(t->child[i]->name, name) == 0) {
            return wrong(p, begin, "a second field with the name %s", name);
        }
    }
    take(p, ':');
    skip_blanks(p);
    if (*p->at == 0 || strchr(",>)", *p->at)) {
        return wrong(p, begin, "the field %s has no type", name);
    }
    PQ_TRY(any_type(p, &child));
    child->name = name;
    return pqsql_type_add(t, child, p->a, p->e);
}

static PqRc check_file(Parse *p, const char *at, const PqsqlType *t)
{
    for (uint32_t i = 0; i < t->n_children; i++) {
        const PqsqlType *c = t->child[i];

        if (c->kind != PQ_NODE_LEAF || c->required ||
            !pq_schema_is_file_field(pq_slice_text(c->name), &c->type)) {
            return wrong(p, at, "the fields of a FILE are some of uri TEXT, "
                         "offset BIGINT, size BIGINT, content_type TEXT, "
                         "checksum TEXT, inline BLOB");
        }
    }
    return PQ_OK;
}

static PqRc parts(Parse *p, const char *name, PqsqlType *t)
{
    const char *begin;
    char close;

    skip_blanks(p);
    begin = p->at;
    if (*begin != '<' && *begin != '(') {
        return wrong(p, begin, "%s takes types: %s", name,
                     t->kind == PQ_NODE_LIST  ? "LIST<INTEGER>"
                     : t->kind == PQ_NODE_MAP ? "MAP<TEXT, INTEGER>"
                     : t->is_file             ? "FILE<uri TEXT, size BIGINT>"
                                              : "STRUCT<a INTEGER, b TEXT>");
    }
    close = *begin == '<' ? '>' : ')';
    p->at++;
    do {
        PqsqlType *child = NULL;

        if (t->kind == PQ_NODE_STRUCT) {
            PQ_TRY(field(p, t));
        } else {
            PQ_TRY(any_type(p, &child));
            PQ_TRY(pqsql_type_add(t, child, p->a, p->e));
        }
    } while (take(p, ','));
    if (!take(p, close)) {
        return wrong(p, p->at, "a comma or %c is missing", close);
    }
    if (t->kind == PQ_NODE_LIST && t->n_children != 1) {
        return wrong(p, begin, "a LIST has one type of elements");
    }
    if (t->kind == PQ_NODE_MAP && t->n_children > 2) {
        return wrong(p, begin, "a MAP has a type of keys and one of values");
    }
    return t->is_file ? check_file(p, begin, t) : PQ_OK;
}

static void take_suffix(Parse *p, const PqsqlTypeWord *word, PqsqlType *t)
{
    bool timed = t->type.logical == PQ_TYPE_TIME ||
                 t->type.logical == PQ_TYPE_TIMESTAMP;

    if (timed && take_words(p, "WITH", "TIME", "ZONE")) {
        t->type.utc = true;
    } else if (timed) {
        take_words(p, "WITHOUT", "TIME", "ZONE");
    }
    if (word->suffixes & PQSQL_SUFFIX_TEXT && take_word(p, "TEXT")) {
        return;
    }
    if (word->suffixes & PQSQL_SUFFIX_REAL && take_word(p, "REAL")) {
        return;
    }
    if (word->suffixes & PQSQL_SUFFIX_BLOB) {
        take_word(p, "BLOB");
    }
}

static PqRc leaf(Parse *p, const char *begin, const char *name,
                 const PqsqlTypeWord *word, PqsqlType *t)
{
    PqSlice args = {0};
    bool has;
    PqErr why;

    t->type = word->type;
    skip_blanks(p);
    has = *p->at == '(';
    if (has) {
        PQ_TRY(arguments(p, &args));
    }
    pq_err_init(&why);
    if (pqsql_type_arguments(word, args, has, p->a, &t->type, &why) != PQ_OK) {
        return why.rc == PQ_USAGE
                   ? wrong(p, begin, "%s %s", name, why.text)
                   : pq_fail(p->e, why.rc, "%s", why.text);
    }
    if (t->type.crs) {
        restore_hidden((char *)(uintptr_t)t->type.crs);
    }
    pq_type_store(&t->type);
    take_suffix(p, word, t);
    return PQ_OK;
}

/* Takes the [] of INTEGER[][], a list of lists. */
static PqRc lists_of(Parse *p, PqsqlType **out)
{
    while (take(p, '[')) {
        PqsqlType *element = *out;

        if (!take(p, ']')) {
            return wrong(p, p->at, "] is missing");
        }
        PQ_TRY(pqsql_type_new(p->a, PQ_NODE_LIST, out, p->e));
        PQ_TRY(pqsql_type_add(*out, element, p->a, p->e));
    }
    return PQ_OK;
}

/* Recurses through parts, to a depth of at most PQSQL_TYPE_DEPTH. */
static PqRc any_type(Parse *p, PqsqlType **out)
{
    const PqsqlTypeWord *word;
    const char *begin, *name = NULL;

    skip_blanks(p);
    begin = p->at;
    word = take_name(p, &name);
    if (!word) {
        return no_such_type(p);
    }
    if (p->depth == PQSQL_TYPE_DEPTH) {
        return wrong(p, begin, "more than %d types inside each other",
                     PQSQL_TYPE_DEPTH);
    }
    p->depth++;
    PQ_TRY(pqsql_type_new(p->a, word->kind, out, p->e));
    (*out)->is_file = word->is_file;
    PQ_TRY(word->args == PQSQL_ARGS_TYPES ? parts(p, name, *out)
                                          : leaf(p, begin, name, word, *out));
    PQ_TRY(lists_of(p, out));
    p->depth--;
    if ((*out)->height > PQSQL_TYPE_DEPTH) {
        return wrong(p, begin, "more than %d types inside each other",
                     PQSQL_TYPE_DEPTH);
    }
    (*out)->required = take_words(p, "NOT", "NULL", NULL);
    return PQ_OK;
}

PqRc pqsql_type_parse(const char *text, PqArena *a, PqsqlType **out, PqErr *e)
{
    Parse p = {text, text, 0, a, e};

    *out = NULL;
    PQ_TRY(any_type(&p, out));
    skip_blanks(&p);
    return *p.at ? wrong(&p, p.at, "this is not understood") : PQ_OK;
}

/* Makes INTEGER and FLOAT as wide as they are in a table that does not enforce
** types. */
static void widen(PqType *t)
{
    if (t->logical == PQ_TYPE_NONE && t->physical == PQ_INT32) {
        t->physical = PQ_INT64;
    } else if (t->logical == PQ_TYPE_NONE && t->physical == PQ_FLOAT) {
        t->physical = PQ_DOUBLE;
    }
}

static bool holds_variant(const PqsqlType *t)
{
    uint32_t i;

    for (i = 0; i < t->n_children && !holds_variant(t->child[i]); i++) {
    }
    return t->kind == PQ_NODE_VARIANT || i < t->n_children;
}

PqRc pqsql_type_hint(const char *text, PqArena *a, PqsqlType **out, PqErr *e)
{
    PqErr why;
    PqRc rc;

    pq_err_init(&why);
    rc = pqsql_type_parse(text, a, out, &why);
    if (rc == PQ_USAGE) {
        *out = NULL;
        return PQ_OK;
    }
    if (rc != PQ_OK) {
        return pq_fail(e, rc, "%s", why.text);
    }
    if (holds_variant(*out)) {
        *out = NULL;
    } else if ((*out)->kind == PQ_NODE_LEAF) {
        widen(&(*out)->type);
    }
    return PQ_OK;
}

bool pqsql_type_is_auto(const char *text)
{
    return pq_ascii_same(text, "auto");
}

bool pqsql_type_is_string(const PqsqlType *t)
{
    return t->kind == PQ_NODE_LEAF && t->type.logical == PQ_TYPE_STRING;
}

bool pqsql_type_is_time(const PqsqlType *t)
{
    return t->kind == PQ_NODE_LEAF &&
           (t->type.logical == PQ_TYPE_DATE || t->type.logical == PQ_TYPE_TIME ||
            pq_type_is_instant(&t->type));
}

/* ---- into a schema ------------------------------------------------------- */

static void make_bytes(const char *name, bool required, PqSchemaMake *m)
{
    pq_schema_make_leaf(m, name, &(PqType){.physical = PQ_BYTE_ARRAY}, required,
                        -1);
}

/* Adds the typed_value of a VARIANT or of a part of it, which is shredded as t.
** A VARIANT as t means that it has none.  Recursion is as deep as the type. */
static void make_shredded(const PqsqlType *t, PqSchemaMake *m)
{
    if (t->kind == PQ_NODE_VARIANT) {
        return;
    }
    if (t->kind == PQ_NODE_LEAF) {
        pq_schema_make_leaf(m, "typed_value", &t->type, false, -1);
        return;
    }
    pq_schema_make_group(m, t->kind, "typed_value", false, -1);
    for (uint32_t i = 0; i < t->n_children; i++) {
        pq_schema_make_group(m, PQ_NODE_STRUCT, t->child[i]->name, true, -1);
        make_bytes("value", false, m);
        make_shredded(t->child[i], m);
        pq_schema_make_close(m);
    }
    pq_schema_make_close(m);
}

static void make_variant(const PqsqlType *t, const char *name, bool required,
                         PqSchemaMake *m)
{
    pq_schema_make_group(m, PQ_NODE_VARIANT, name, required, t->field_id);
    make_bytes("metadata", true, m);
    make_bytes("value", t->n_children == 0, m);
    if (t->n_children > 0) {
        make_shredded(t->child[0], m);
    }
    pq_schema_make_close(m);
}

/* Recursion is as deep as the type. */
void pqsql_type_make(const PqsqlType *t, const char *name, bool required,
                     PqSchemaMake *m)
{
    switch (t->kind) {
    case PQ_NODE_STRUCT:
    case PQ_NODE_LIST:
    case PQ_NODE_MAP:
        pq_schema_make_group(m, t->kind, name, required, t->field_id);
        if (t->is_file) {
            pq_schema_make_file(m);
        }
        break;
    case PQ_NODE_VARIANT:
        make_variant(t, name, required, m);
        return;
    default:
        pq_schema_make_leaf(m, name, &t->type, required, t->field_id);
        return;
    }
    for (uint32_t i = 0; i < t->n_children; i++) {
        pqsql_type_make(t->child[i], t->child[i]->name, t->child[i]->required,
                        m);
    }
    pq_schema_make_close(m);
}
