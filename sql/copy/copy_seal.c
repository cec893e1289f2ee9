/*
** copy_seal.c - checks the keys and columns of the option "encryption".
**
** The first check comes before the query, which may run for hours.  Fields of
** nested columns may be known only after its first rows.
*/
#include "sql/copy/copy_types.h"

#include "sql/keys/key_names.h"
#include "sql/did_you_mean.h"

#include <stdlib.h>

#define OPTION "parquet_copy_to: option encryption"

/* ---- keys ---------------------------------------------------------------------- */

static PqRc find_key(const char *option, const char *name,
                     const PqKeyRing *ring, PqErr *e)
{
    PqsqlNearest near = {.word = name};
    char words[PQ_KEY_WORDS];
    const PqKey *k;

    if (pq_key_ring_find(ring, pq_slice_text(name))) {
        return PQ_OK;
    }
    PQ_TRY(pqsql_key_name_check(option, name, ring, e));
    for (uint32_t i = 0; (k = pq_key_ring_at(ring, i)) != NULL; i++) {
        pqsql_nearest_look(&near, pq_key_name(k));
    }
    if (pqsql_nearest(&near)) {
        return pq_fail(e, PQ_USAGE, "%s: there is no key %s; did you mean %s?",
                       option, name, pqsql_nearest(&near));
    }
    pq_key_words(pq_slice_text(name), words);
    pq_fail(e, PQ_USAGE, "%s: %s is not at hand", option, words);
    pq_key_hint(words, e);
    return e->rc;
}

static PqRc find_keys(const PqEncryption *x, const PqKeyRing *ring, PqErr *e)
{
    PQ_TRY(find_key(OPTION ".footer_key", x->keys.footer_key, ring, e));
    for (uint32_t i = 0; i < x->keys.n_columns; i++) {
        PQ_TRY(find_key(OPTION ".column_keys", x->keys.columns[i].key, ring,
                        e));
    }
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------------- */

/* The bytes of path that are the name of a column of the query; 0: none. */
static size_t column_end(const PqsqlCopyColumns *columns, const char *path,
                         uint32_t *column)
{
    size_t best = 0;

    for (uint32_t i = 0; i < columns->n; i++) {
        const char *name = columns->v[i].name;
        size_t n = strlen(name);

        if (n > best && strlen(path) >= n && (!path[n] || path[n] == '.') &&
            sqlite3_strnicmp(path, name, (int)n) == 0) {
            best = n;
            *column = i;
        }
    }
    return best;
}

/* A partition column that is to be clear is clear already. */
static PqRc find_column(const char *option, const char **path, bool is_clear,
                        const PqsqlCopyColumns *columns, PqErr *e)
{
    uint32_t column = 0;
    size_t n = column_end(columns, *path, &column);
    PqsqlCopyColumn *none;

    if (n == 0) {
        pqsql_copy_types_column(columns, option, *path, &none, e);
        pqsql_key_hide(e->text);     /* some write "key": "column"          */
        return e->rc;
    }
    if (columns->v[column].is_partition && !is_clear) {
        return pq_fail(e, PQ_USAGE, "%s: %s is in partition_by: its values are "
                       "names of folders, which anybody can read", option,
                       *path);
    }
    *path = pq_arena_printf(columns->a, e, "%s%s", columns->v[column].name,
                            *path + n);
    return *path ? PQ_OK : e->rc;
}

PqRc pqsql_copy_seal_check(const PqsqlCopyColumns *columns, PqKeyRing *ring,
                           PqErr *e)
{
    PqEncryption *x = columns->o->encryption;
    PqColumnKeyName *v;
    const char **clear;

    if (!x) {
        return PQ_OK;
    }
    x->keys.ring = ring;
    PQ_TRY(find_keys(x, ring, e));
    PQ_TRY(PQ_ARENA_NEW(columns->a, v, x->keys.n_columns + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(columns->a, clear, x->n_clear + 1u, e));
    for (uint32_t i = 0; i < x->keys.n_columns; i++) {
        v[i] = x->keys.columns[i];
        PQ_TRY(find_column(OPTION ".column_keys", &v[i].column, false, columns,
                           e));
    }
    for (uint32_t i = 0; i < x->n_clear; i++) {
        clear[i] = x->clear[i];
        PQ_TRY(find_column(OPTION ".clear_columns", &clear[i], true, columns,
                           e));
    }
    x->keys.columns = v;
    x->clear = clear;
    return PQ_OK;
}

/* ---- fields --------------------------------------------------------------------- */

/* The paths of the elements of a schema, which are in the order of the tree. */
typedef struct Paths {
    const PqSchemaElementList *schema;
    uint32_t      next;
    const char  **v;                 /* sorted at last                       */
    uint32_t      n;
    PqArena      *a;
    PqErr        *e;
} Paths;

enum { DEEPEST = 200 };

static PqRc walk(Paths *w, const char *above, uint32_t depth)
{
    const PqSchemaElement *el = &w->schema->v[w->next++];
    const char *path;
    int32_t i;

    path = pq_arena_printf(w->a, w->e, "%s%s%.*s", above, *above ? "." : "",
                           (int)el->name.n, (const char *)el->name.p);
    if (!path) {
        return w->e->rc;
    }
    w->v[w->n++] = path;
    for (i = 0; PQ_HAS(el, PQ_SCHEMA_NUM_CHILDREN) && i < el->num_children &&
                depth < DEEPEST && w->next < w->schema->n; i++) {
        PQ_TRY(walk(w, path, depth + 1));
    }
    return PQ_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static PqRc list_paths(Paths *w)
{
    PQ_TRY(PQ_ARENA_NEW(w->a, w->v, w->schema->n + 1u, w->e));
    while (w->next < w->schema->n) { /* the columns: children of the root */
        PQ_TRY(walk(w, "", 0));
    }
    qsort(w->v, w->n, sizeof *w->v, by_text);
    return PQ_OK;
}

static PqRc find_field(const char *option, const char *path, const Paths *in)
{
    PqsqlNearest near = {.word = path};

    if (bsearch(&path, in->v, in->n, sizeof *in->v, by_text)) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        pqsql_nearest_look(&near, in->v[i]);
    }
    return pqsql_nearest(&near)
               ? pq_fail(in->e, PQ_USAGE, "%s: there is no column %s; did you "
                         "mean %s?", option, path, pqsql_nearest(&near))
               : pq_fail(in->e, PQ_USAGE, "%s: there is no column %s", option,
                         path);
}

PqRc pqsql_copy_seal_fit(const PqsqlCopyColumns *columns,
                         const PqSchemaElementList *schema, PqErr *e)
{
    const PqEncryption *x = columns->o->encryption;
    Paths paths = {.schema = schema, .next = 1, .a = columns->a, .e = e};
    uint32_t i, k;

    if (!x) {
        return PQ_OK;
    }
    PQ_TRY(list_paths(&paths));
    for (i = 0; i < x->keys.n_columns; i++) {
        PQ_TRY(find_field(OPTION ".column_keys", x->keys.columns[i].column,
                          &paths));
    }
    for (i = 0; i < x->n_clear; i++) {
        if (!column_end(columns, x->clear[i], &k) ||
            !columns->v[k].is_partition) {
            PQ_TRY(find_field(OPTION ".clear_columns", x->clear[i], &paths));
        }
    }
    return PQ_OK;
}
