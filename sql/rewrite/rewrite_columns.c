/*
** rewrite_columns.c - the columns of a file that is made of others, as union_by_name has
** them: those of the first file, then those that only later ones have.
**
**   a.parquet   id INT64 not null, name
**   b.parquet   id INT64,          note
**
**   output      id INT64, name, note      each may be null, because it is null or missing
**                                         in one of them
*/
#include "sql/rewrite/rewriting.h"

#include "sql/did_you_mean.h"
#include "sql/keys/key_names.h"

static PqsqlRewriteColumn *find(const PqsqlRewriteFile *f, const char *name)
{
    PqsqlRewriteColumn *found = NULL;

    for (uint32_t i = 0; i < f->n_columns; i++) {
        PqsqlRewriteColumn *c = &f->columns[i];

        if (strcmp(c->c.name, name) == 0) {
            return c;
        }
        found = !found && pq_ascii_same(c->c.name, name) ? c : found;
    }
    return found;
}

static void hint_column(const PqsqlRewriteFile *f, const char *name)
{
    PqsqlNearest near = {.word = name};

    for (uint32_t i = 0; i < f->n_columns; i++) {
        pqsql_nearest_look(&near, f->columns[i].c.name);
    }
    pqsql_nearest_hint(&near, &f->w->m.e);
}

/* A column that an option names. */
static PqsqlRewriteColumn *named(PqsqlRewriteFile *f, const char *option, const char *name)
{
    PqsqlRewriteColumn *c = find(f, name);
    PqsqlMove *m = &f->w->m;

    if (!c) {
        pqsql_move_refuse(m, "option %s: there is no column %.200s in %.300s", option, name,
                          f->w->inputs);
        hint_column(f, name);
    }
    return c;
}

PqRc pqsql_rewrite_in_option(const PqsqlRewriteFile *f, const char *option)
{
    static const char no_column[] = "no such column: ";
    PqsqlMove *m = &f->w->m;
    PqErr why = m->e;

    if (why.rc == PQ_USAGE) {
        pq_err_clear(&m->e);
        pqsql_move_refuse(m, "option %s, for %.300s: %s", option, f->w->inputs, why.text);
        if (strncmp(why.text, no_column, sizeof no_column - 1) == 0) {
            hint_column(f, why.text + sizeof no_column - 1);
        }
    }
    return m->e.rc;
}

/* ---- what the files have ------------------------------------------------------------ */

static PqRc add_column(PqsqlRewriteFile *f, const char *name, PqsqlRewriteColumn **out)
{
    PqsqlMove *m = &f->w->m;

    PQ_TRY(PQ_ARENA_GROW(&m->arena, f->columns, f->n_columns, &m->e));
    *out = &f->columns[f->n_columns++];
    **out = (PqsqlRewriteColumn){0};
    (*out)->c.name = pq_arena_text(&m->arena, name, strlen(name), &m->e);
    return m->e.rc;
}

static PqRc see_field(PqsqlRewriteFile *f, PqFooter *footer, const PqNode *node, uint32_t file)
{
    PqsqlMove *m = &f->w->m;
    PqsqlRewriteColumn *c = find(f, node->name);

    c = c && strcmp(c->c.name, node->name) == 0 ? c : NULL;
    if (c && c->n_files > file) {
        f->why = pq_arena_printf(&m->arena, &m->e, "%s has two columns %s",
                                 f->files[file].path, node->name);
        return m->e.rc;
    }
    if (!c) {
        PQ_TRY(add_column(f, node->name, &c));
        c->c.like = footer;
        pq_footer_hold(footer);
        f->is_as_first = f->is_as_first && file == 0;
    }
    c->c.optional = c->c.optional || !node->required || c->n_files < file;
    c->n_files = file + 1;           /* fewer than before: it was missing      */
    return PQ_OK;
}

/* A key of the metadata; the first value of a key stays. */
static PqRc add_key(PqsqlRewriteFile *f, const PqKeyValue *kv)
{
    PqsqlMove *m = &f->w->m;
    PqKeyValue *to;

    if (pq_key_value_find(&f->keys, kv->key)) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_GROW(&m->arena, f->keys.v, f->keys.n, &m->e));
    to = &f->keys.v[f->keys.n++];
    *to = *kv;
    to->key.p = (uint8_t *)pq_arena_text(&m->arena, kv->key.p, kv->key.n, &m->e);
    to->value.p = !kv->value.p ? NULL
        : (uint8_t *)pq_arena_text(&m->arena, kv->value.p, kv->value.n, &m->e);
    return m->e.rc;
}

static PqRc see_keys(PqsqlRewriteFile *f, const PqFooter *footer, uint32_t file)
{
    uint32_t of = f->w->keys_of;
    const PqKeyValueList *list = &footer->file.key_value_metadata;

    if (of == PQSQL_KEYS_GIVEN) {
        list = &f->w->m.o.key_values;
    }
    if (of == PQSQL_KEYS_LAST) {
        f->keys = (PqKeyValueList){0};
    }
    for (uint32_t i = 0; i < list->n && (of != PQSQL_KEYS_FIRST || !file); i++) {
        if (of == PQSQL_KEYS_GIVEN || !pq_geometry_is_key(footer, list->v[i].key)) {
            PQ_TRY(add_key(f, &list->v[i]));
        }
    }
    return PQ_OK;
}

/* Rows that are encrypted do not get into the clear by an option that was forgotten. */
static PqRc check_seal(PqsqlRewriteFile *f, const PqFooter *footer, const char *path)
{
    const PqsqlCopyOptions *o = &f->w->m.o;
    PqErr *e = &f->w->m.e;

    if (footer->locks && !o->encryption && !o->is_clear) {
        pq_fail(e, PQ_USAGE, "%s is encrypted, and the option encryption does not say how the "
                "output is", path);
        pq_err_hint(e, "{\"encryption\": \"none\"} writes its rows in the clear");
    }
    return e->rc;
}

static PqRc see_file(PqsqlRewriteFile *f, uint32_t file, uint32_t *most)
{
    PqsqlMove *m = &f->w->m;
    const char *path = f->files[file].path;
    const PqNode *root;
    PqFooter *footer;

    PQ_TRY(pq_stop_poll(&m->host->stop, &m->e));
    PQ_TRY(pq_engine_footer(m->host->engine, &f->w->listing, path, &footer, &m->e));
    root = footer->schema.root;
    f->n_rows += (uint64_t)footer->n_rows;
    check_seal(f, footer, path);
    f->is_as_first = f->is_as_first && (!file || root->n_children == f->n_columns);
    *most = root->n_children > *most ? root->n_children : *most;
    for (uint32_t i = 0; i < root->n_children && m->e.rc == PQ_OK; i++) {
        see_field(f, footer, root->child[i], file);
    }
    if (m->e.rc == PQ_OK) {
        see_keys(f, footer, file);
    }
    pq_footer_release(footer);
    return m->e.rc;
}

/* ---- what the options choose --------------------------------------------------------- */

static void take(PqsqlRewriteFile *f, PqsqlRewriteColumn *c)
{
    if (!c->chosen) {
        c->chosen = true;
        f->chosen[f->n_chosen++] = c->c;
    }
}

static PqRc rename_column(PqsqlRewriteFile *f, PqsqlRewriteColumn *c, const char *as)
{
    c->c.as = as;
    f->is_as_first = false;
    return *as ? PQ_OK : pqsql_move_refuse(&f->w->m, "option rename: column %.200s gets no name",
                                           c->c.name);
}

/* {"name": "null"}, also null, or {"name": {"hash": "the name of a key"}} */
static PqRc mask_column(PqsqlRewriteFile *f, PqsqlRewriteColumn *c, const char *word,
                        const char *key)
{
    PqsqlMove *m = &f->w->m;

    if (!*key && strcmp(word, "null")) {
        return pqsql_move_refuse(m, "option mask: column %.200s takes \"null\", or {\"hash\": "
                                 "\"the name of a key\"}", c->c.name);
    }
    f->is_as_first = false;
    c->c.mask = *key ? PQ_MASK_HASH : PQ_MASK_NULL;
    c->c.mask_key = *key ? pq_key_ring_find(m->host->keys, pq_slice_text(key)) : NULL;
    if (*key && !c->c.mask_key) {
        PQ_TRY(pqsql_key_name_check("mask", key, m->host->keys, &m->e));
        pqsql_move_refuse(m, "option mask: there is no key %.200s", key);
        pq_err_hint(&m->e, "SELECT parquet_key(name, key) gives one a name");
    }
    return m->e.rc;
}

static PqRc check_names(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;

    for (uint32_t i = 0; i < f->n_chosen; i++) {
        const char *name = pq_rewrite_name(&f->chosen[i]);

        for (uint32_t k = 0; k < i; k++) {
            if (sqlite3_stricmp(name, pq_rewrite_name(&f->chosen[k])) == 0) {
                return pqsql_move_refuse(m, "two columns would be called %.200s", name);
            }
        }
    }
    return PQ_OK;
}

/* In the order of the option columns, or without those of exclude.  A column has its other name
** and its mask before it is taken: "rename" comes first here. */
static PqRc choose(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    bool some = pqsql_move_int(m, "SELECT json_type(%Q, '$.columns') IN ('array', 'text')",
                               m->options);
    sqlite3_stmt *s;

    PQ_TRY(PQ_ARENA_NEW(&m->arena, f->chosen, f->n_columns + 1u, &m->e));
    s = pqsql_move_prepare(
        m, "SELECT o.key, iif(o.type = 'object', j.key, j.value), coalesce(j.value, iif(o.key = "
           "'mask', 'null', '')), iif(j.type = 'object' AND json_type(j.value, '$.hash') = 'text', "
           "j.value ->> 'hash', NULL) FROM json_each(%Q) AS o JOIN json_each(%Q, '$.' || o.key) AS "
           "j WHERE o.type <> 'null' AND (o.key IN ('rename', 'mask', 'exclude') OR o.key = "
           "'columns' AND o.type <> 'object') ORDER BY o.key DESC, j.id", m->options, m->options);
    while (pqsql_move_next(m, &s)) {
        const char *option = pqsql_move_text(m, s, 0), *value = pqsql_move_text(m, s, 2);
        PqsqlRewriteColumn *c = named(f, option, pqsql_move_text(m, s, 1));

        switch (c ? *option : 0) {
        case 'r':
            rename_column(f, c, value);
            break;
        case 'm':
            mask_column(f, c, value, pqsql_move_text(m, s, 3));
            break;
        case 'e':                    /* so that it is not taken with the others */
            c->chosen = true;
            break;
        case 'c':
            take(f, c);
        }
    }
    for (uint32_t i = 0; !some && i < f->n_columns; i++) {
        take(f, &f->columns[i]);
    }
    f->is_as_first = f->is_as_first && f->n_chosen == f->n_columns && !some;
    return f->n_chosen || m->e.rc != PQ_OK ? m->e.rc
                                           : pqsql_move_refuse(m, "no column is left");
}

/* ---- all of it -------------------------------------------------------------------------- */

/* Arrow's and pandas' descriptions are of all fields, in their order. */
static void drop_keys(PqsqlRewriteFile *f)
{
    bool all = f->is_as_first || f->w->keys_of == PQSQL_KEYS_GIVEN;
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->keys.n; i++) {
        PqSlice key = f->keys.v[i].key;

        if (all || !(pq_slice_is(key, "ARROW:schema") || pq_slice_is(key, "pandas") ||
                     pq_slice_is(key, "org.apache.spark.sql.parquet.row.metadata"))) {
            f->keys.v[n++] = f->keys.v[i];
        }
    }
    f->keys.n = n;
}

PqRc pqsql_rewrite_columns(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    const PqListing *l = &f->w->listing;
    PqsqlRewriteColumn *added;
    uint32_t most = 0;               /* columns of a file */

    f->is_as_first = true;
    for (uint32_t i = 0; i < f->n_files; i++) {
        PQ_TRY(see_file(f, i, &most));
    }
    f->differs = most < f->n_columns;
    for (uint32_t i = 0; i < f->n_columns; i++) {
        f->columns[i].c.optional |= f->columns[i].n_files < f->n_files;
    }
    for (uint32_t i = 0; i < l->n_folder_columns; i++) {
        if (!find(f, l->folder_columns[i])) {    /* no file has it */
            PQ_TRY(add_column(f, l->folder_columns[i], &added));
        }
    }
    PQ_TRY(choose(f));
    PQ_TRY(check_names(f));
    for (uint32_t i = 0; i < f->n_chosen; i++) {
        PqRewriteColumn *c = &f->chosen[i];

        if (!c->like && !f->why) {
            f->why = pq_arena_printf(&m->arena, &m->e, "column %s is in the names of folders",
                                     c->name);
        }
        c->options = pqsql_copy_options_named(&f->w->m.o, c->name);
    }
    drop_keys(f);
    return m->e.rc;
}

void pqsql_rewrite_free(PqsqlRewriteFile *f)
{
    pq_rewrite_free(f->rewrite);
    sqlite3_finalize(f->left_out);
    pq_mem_free(f->spans);
    for (uint32_t i = 0; i < f->n_columns; i++) {
        pq_footer_release(f->columns[i].c.like);
    }
    f->n_columns = 0;
}
