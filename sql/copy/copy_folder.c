/*
** copy_folder.c - reads the columns of a folder, and fits the columns of a
** query to them.
**
** The hard part is to say what "fits" means.  Nobody named a type, so a value
** has to come back as it went in: the folder's type must hand out its class,
** and nothing of it may be lost.  If the user names the folder's own type in
** "types", values are converted to it as usual.
*/
#define _GNU_SOURCE
#include "sql/copy/copy_folder.h"

#include "core/base/system.h"

#include <errno.h>
#include <stdio.h>

struct PqsqlCopyFolder {
    PqListing   listing;
    PqTable    *table;
    const char *first;               /* the file that its columns are from */
    bool        is_file;             /* a single file, which gets the rows   */
    bool        is_fixed;            /* ... or a lake table: no new columns  */
};

static const PqsqlOptions usual = {0};

static bool adds(const PqsqlCopyInto *into)
{
    return into->to_file || into->o->overwrite == PQ_OVERWRITE_APPEND ||
           into->o->overwrite == PQ_OVERWRITE_PARTITIONS;
}

/* ---- the table that the query reads --------------------------------------- */

/* The path of a file that the copy may make: out/country=x/data_0.parquet. */
static PqRc name_file(const PqsqlCopyInto *into, PqBuf *out, PqErr *e)
{
    pq_buf_text(out, into->path);
    if (pqsql_copy_makes_folder(into->o, into->path)) {
        pq_buf_byte(out, '/');
        for (uint32_t i = 0; i < into->o->partition_by.n; i++) {
            pq_buf_printf(out, "%s=x/", into->o->partition_by.v[i].name);
        }
        pq_buf_text(out, "data_0.parquet");
    }
    pq_buf_byte(out, 0);
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}

static PQ_COLD PqRc refuse_reading(const PqsqlCopyInto *into, const char *table,
                                   PqErr *e)
{
    bool folder = pqsql_copy_makes_folder(into->o, into->path);

    pq_fail(e, PQ_USAGE, "%s: the query reads the table %s, which would have %s "
            "from then on, beside the rows that it has already", into->path,
            table, folder ? "the files in this folder too" : "this file too");
    pq_err_hint(e, "copy to a place outside of it.  To put the rows in the place "
                "of its files, copy to its folder with {\"overwrite\": "
                "\"replace\"}; to add them, with {\"overwrite\": \"append\"}");
    return e->rc;
}

static PqRc refuse_lake(const PqsqlCopyInto *into, PqErr *e)
{
    return pq_url_is(into->path) ||  /* it is seen in the listing            */
                   pqsql_copy_lake_adds(into->o) ||
                   (into->o->lake == PQ_LAKE_CREATE && pq_delta_is_unborn(into->path))
               ? PQ_OK : pq_lake_refuse_copy(into->path, into->a->mem, e);
}

bool pqsql_copy_folder_has_object(const PqsqlCopyInto *into)
{
    PqPlaces places = pq_engine_places(into->host->engine, true, &into->o->patience);
    PqSource *s = NULL;
    PqErr why = PQ_NO_ERR;

    pq_places_open(&places, into->a->mem, into->path, &s, &why);
    pq_source_close(s);
    return why.rc == PQ_OK;
}

/* Is there something that is replaced, or an error? */
static PqRc is_there(const PqsqlCopyInto *into, bool *there, PqErr *e)
{
    PqPlaces places = pq_engine_places(into->host->engine, true, &into->o->patience);
    PqListing l;

    if (pqsql_copy_makes_folder(into->o, into->path)) {
        PQ_TRY(pq_listing_make(into->path, PQ_LIST_FOLDER, &places, into->a->mem,
                               &into->host->stop, &l, e));
        *there = l.n_files > 0;
        pq_listing_free(&l);
        return PQ_OK;
    }
    *there = pq_url_is(into->path) ? pqsql_copy_folder_has_object(into)
                                   : access(into->path, F_OK) == 0;
    return PQ_OK;
}

PqRc pqsql_copy_folder_check(const PqsqlCopyInto *into, PqErr *e)
{
    const PqsqlCopyHost *host = into->host;
    const char *table = NULL;
    bool there = false;
    PqBuf name;

    if (adds(into) || pqsql_copy_lake_adds(into->o)) {
        return PQ_OK;
    }
    if (pqsql_copy_makes_folder(into->o, into->path)) {
        PQ_TRY(refuse_lake(into, e));
    }
    pq_buf_init(&name, into->a->mem, e);
    if (name_file(into, &name, e) == PQ_OK) {
        host->reads(host->arg, (const char *)name.p, &table, e);
    }
    pq_buf_free(&name);
    PQ_TRY(e->rc);
    if (table) {                     /* a server is asked only if it matters */
        PQ_TRY(is_there(into, &there, e));
    }
    return table && !there ? refuse_reading(into, table, e) : PQ_OK;
}

/* ---- opening ------------------------------------------------------------- */

/* Leaves the first Parquet file, and those after it, in the listing.  A database
** that has the name of a data file must not be opened: see copy_keep.h. */
static bool find_first(const PqPublishHost *keep, const PqsqlCopyOptions *o,
                       PqListing *l)
{
    PqFileEnds ends = {0};
    bool sealed;

    if (l->n_files && pq_url_is(l->files->path)) {
        return true;                 /* there are no databases on a server   */
    }
    while (l->n_files &&
           (keep->look(keep->arg, l->files->path, l->files->path, &ends) ||
            memcmp(ends.first, "PAR", 3) != 0 ||
            memcmp(ends.last, "PAR", 3) != 0)) {
        l->files++;
        l->n_files--;
    }
    sealed = ends.last[3] == 'E';
    return l->n_files > 0 && !(sealed && !o->encryption && !o->is_clear);
}

/* Opens the first file, which may need the keys that the copy names. */
static PqRc open_first(const PqsqlCopyHost *host, const PqsqlCopyOptions *o,
                       PqsqlCopyFolder *f, PqErr *e)
{
    const PqTableOptions options = {.stop = host->stop};
    PqKeyChoice named = {.ring = host->keys};
    PqErr why = PQ_NO_ERR;

    f->first = f->listing.files[0].path;
    if (pq_table_new(host->engine, &f->listing, &options, &f->table, &why) ==
        PQ_OK) {
        return PQ_OK;
    }
    if (o->encryption && why.rc != PQ_NOMEM && why.rc != PQ_STOPPED) {
        named = o->encryption->keys;
        named.ring = host->keys;
        f->listing.keys = &named;
        pq_err_clear(&why);
        pq_table_new(host->engine, &f->listing, &options, &f->table, &why);
        f->listing.keys = NULL;
    }
    if (why.rc == PQ_OK) {
        return PQ_OK;
    }
    pq_err_hint(&why, "the copy has to see the columns of the first file of the "
                      "folder");
    return pq_fail(e, why.rc, "%s", why.text);
}

/* The newest version of the lake table. */
static PqRc look_into_lake(const PqsqlCopyInto *into, const PqPlaces *places,
                           PqsqlCopyFolder *f, PqErr *e)
{
    const PqsqlCopyHost *host = into->host;
    const PqTableOptions options = {.stop = host->stop};
    const char *path = into->table ? into->table : into->path;

    if (pq_url_is(path) && path[strlen(path) - 1] != '/') {
        path = pq_arena_printf(into->a, e, "%s/", path);
        PQ_TRY(path ? PQ_OK : e->rc);
    }
    PQ_TRY(pq_listing_make(path, into->catalogs ? PQ_LIST_CATALOG : PQ_LIST_TABLES, places,
                           host->engine->mem, &host->stop, &f->listing, e));
    if (f->listing.lake_kind != (into->catalogs ? pq_lake_ducklake
                                 : into->table  ? pq_lake_iceberg : pq_lake_delta)) {
        pq_fail(e, PQ_USAGE, "%s is not a Delta table", into->path);
        pq_err_hint(e, "{\"lake\": \"delta\"} makes a new one");
        return e->rc;
    }
    f->is_fixed = true;
    f->first = f->listing.lake;
    PQ_TRY(pq_lake_read(&f->listing, host->engine, -1, NULL, into->catalogs, &host->stop, e));
    if (into->table) {               /* files have its partition columns too */
        f->listing.n_folder_columns = 0;
    }
    return pq_table_new(host->engine, &f->listing, &options, &f->table, e);
}

const PqListing *pqsql_copy_folder_listing(const PqsqlCopyFolder *f)
{
    return &f->listing;
}

static PqRc look_into(const PqsqlCopyInto *into, PqsqlCopyFolder *f, PqErr *e)
{
    const PqsqlCopyHost *host = into->host;
    PqPlaces places = pq_engine_places(host->engine, true, &into->o->patience);
    PqMem *mem = host->engine->mem;

    *f = (PqsqlCopyFolder){.is_file = into->to_file, .is_fixed = into->to_file};
    if (pqsql_copy_lake_adds(into->o)) {
        return look_into_lake(into, &places, f, e);
    }
    PQ_TRY(pq_listing_make(into->path, f->is_file ? 0 : PQ_LIST_FOLDER | PQ_LIST_HIVE,
                           &places, mem, &host->stop, &f->listing, e));
    f->first = f->listing.n_files ? f->listing.files->path : NULL;
    if (find_first(into->keep, into->o, &f->listing)) {
        PQ_TRY(pq_listing_keep_versions(&f->listing, mem, e));
        return open_first(host, into->o, f, e);
    }
    return PQ_OK;
}

/* A compaction removes files after they were listed. */
static bool first_went(const PqsqlCopyFolder *f, const PqErr *e)
{
    struct stat st;

    return !f->table && !f->is_fixed && (e->rc == PQ_OK || e->rc == PQ_IO) && f->first &&
           !pq_url_is(f->first) && lstat(f->first, &st) != 0 && errno == ENOENT;
}

PqRc pqsql_copy_folder_open(const PqsqlCopyInto *into, PqsqlCopyFolder **out,
                            PqErr *e)
{
    enum { MOST_LOOKS = 100 };
    PqsqlCopyFolder *f;

    *out = NULL;
    PQ_TRY(refuse_lake(into, e));
    if (!adds(into)) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(into->a, f, 1, e));
    look_into(into, f, e);
    for (int i = 1; i < MOST_LOOKS && first_went(f, e); i++) {
        pqsql_copy_folder_close(f);
        pq_err_clear(e);
        look_into(into, f, e);
    }
    if (f->table) {
        *out = f;
    } else {
        pqsql_copy_folder_close(f);
    }
    return e->rc;
}

PqRc pqsql_copy_folder_first(const PqsqlCopyInto *into, PqsqlCopyFolder *f,
                             PqSource **source, PqFooter **footer, PqErr *e)
{
    PqKeyChoice named = {.ring = into->host->keys};
    PqErr why = *e;

    if (pq_engine_open(into->host->engine, &f->listing, f->first, source, footer, &why) !=
            PQ_OK && into->o->encryption) {
        named = into->o->encryption->keys;
        named.ring = into->host->keys;
        f->listing.keys = &named;
        why = *e;
        pq_engine_open(into->host->engine, &f->listing, f->first, source, footer, &why);
        f->listing.keys = NULL;
    }
    *e = why;
    return e->rc;
}

void pqsql_copy_folder_close(PqsqlCopyFolder *f)
{
    if (f) {
        pq_table_free(f->table);
        pq_listing_free(&f->listing);
        f->table = NULL;
    }
}

/* ---- types --------------------------------------------------------------- */

/* Recursion is as deep as the types.  Each file may shred a VARIANT in its own
** way. */
static bool is_same(const PqsqlType *a, const PqsqlType *b)
{
    bool same = a->kind == b->kind &&
                (a->kind != PQ_NODE_LEAF || pq_type_equal(&a->type, &b->type));

    if (a->kind == PQ_NODE_VARIANT || a->kind == PQ_NODE_LEAF) {
        return same;
    }
    same = same && a->n_children == b->n_children;
    for (uint32_t i = 0; same && i < a->n_children; i++) {
        same = (a->kind != PQ_NODE_STRUCT ||
                strcmp(a->child[i]->name, b->child[i]->name) == 0) &&
               is_same(a->child[i], b->child[i]);
    }
    return same;
}

/* Of the same type: the ids are those of the folder too, by which readers of Iceberg tables find
** a column.  Those of another table, or none, would be other columns there. */
static void take_ids(PqsqlType *to, const PqsqlType *of)
{
    to->field_id = of->field_id;
    for (uint32_t i = 0; to->kind != PQ_NODE_VARIANT && i < to->n_children; i++) {
        take_ids(to->child[i], of->child[i]);
    }
}

/* A column of the folder, as a query of it would give it. */
static PqRc origin_of(const PqColumn *column, PqArena *a, PqsqlOrigin *out,
                      PqErr *e)
{
    const PqsqlSource source = {column, usual, false};

    *out = (PqsqlOrigin){0};
    return pqsql_copy_origin_of_source(&source, true, a, out, e);
}

static bool is_top(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_NODE && !c->hidden && !c->as_blob &&
           !c->node->parent;
}

/* The type of a column of the folder in a message. */
static const char *text_of(const PqsqlType *t, PqArena *a)
{
    static const char *const kinds[] = {
        [PQ_NODE_STRUCT] = "STRUCT", [PQ_NODE_LIST] = "LIST",
        [PQ_NODE_MAP] = "MAP", [PQ_NODE_VARIANT] = "VARIANT"};
    const char *text;
    PqErr ignored = PQ_NO_ERR;
    PqBuf b;

    if (t->kind != PQ_NODE_LEAF) {
        return kinds[t->kind];
    }
    pq_buf_init(&b, a->mem, &ignored);
    pq_type_text(&t->type, &b);
    text = pq_arena_take(a, &b);
    return text && *text ? text : "another type";
}

static PqRc fit(const PqsqlCopyFolder *f, const PqsqlOrigin *of, PqArena *a,
                PqsqlCopyColumn *c, PqErr *e)
{
    bool is_known = c->type && !c->is_hint, is_auto = c->is_auto;

    c->folder_file = f->first;
    c->folder_type = text_of(of->type, a);
    if (is_known && is_same(c->type, of->type)) {
        take_ids(c->type, of->type);
        return PQ_OK;
    }
    if (c->is_explicit) {
        pq_fail(e, PQ_USAGE, "types: column %s is %s in %s, and a table has one "
                "type for all files", c->name, c->folder_type, f->first);
        pq_err_hint(e, "leave it out of types, or copy the whole folder with the "
                    "new type and {\"overwrite\": \"replace\"}");
        return e->rc;
    }
    pqsql_copy_types_become(c, of->type);
    c->is_auto = false;
    c->rules.exact_numbers = true;
    /* Numbers become texts in a STRING only where the copy itself decided on
    ** the type. */
    c->rules.classes = is_auto                          ? 0
                       : pqsql_type_is_string(of->type) ? PQ_CLASS(PQ_CELL_TEXT)
                                                        : of->classes;
    if (c->rules.classes && c->rules.number_time == PQ_NUMBER_TIME_RAW &&
        pqsql_type_is_time(c->type)) {
        c->rules.classes |= PQ_CLASS(PQ_CELL_INT) | PQ_CLASS(PQ_CELL_REAL);
    }
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------- */

static PqRc check_partitions(const PqsqlCopyFolder *f, const PqsqlNamedList *by,
                             PqErr *e)
{
    const PqListing *l = &f->listing;
    uint32_t n = l->n_folder_columns, i = 0;
    char text[200] = "";
    size_t used = 0;

    while (i < n && i < by->n &&
           pq_ascii_same(l->folder_columns[i], by->v[i].name)) {
        i++;
    }
    if (i == n && i == by->n) {
        return PQ_OK;
    }
    for (i = 0; i < n && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\"",
                                 i ? ", " : "", l->folder_columns[i]);
    }
    pq_fail(e, PQ_USAGE, "partition_by is not that of the folder, whose first "
            "file is %s", f->first);
    pq_err_hint(e, n ? "write {\"partition_by\": [%s]}, or copy into another "
                       "folder" : "leave partition_by out, or copy into another "
                       "folder", text);
    return e->rc;
}

/* The column of the query with the name, or with the name in another case. */
static PqsqlCopyColumn *find(const PqsqlCopyColumns *columns, const char *name)
{
    PqsqlCopyColumn *found = NULL;

    for (uint32_t i = 0; i < columns->n; i++) {
        PqsqlCopyColumn *c = &columns->v[i];

        if (!c->is_partition && pq_ascii_same(c->name, name)) {
            found = !found || strcmp(c->name, name) == 0 ? c : found;
        }
    }
    return found;
}

/* Does it have the boxes of a geometry?  If such a column is wanted, the copy
** makes it itself. */
static bool is_covering(const PqTable *t, const PqColumn *c)
{
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const char *cover = is_top(&t->columns[i])
                                ? pqsql_copy_origin_covering(&t->columns[i])
                                : NULL;

        if (cover && strcmp(cover, c->name) == 0) {
            return true;
        }
    }
    return false;
}

/* Is it never NULL?  The first file of a lake table may be stricter than the table, or
** less so. */
static bool is_required(const PqsqlCopyFolder *f, const PqColumn *column)
{
    const PqFooter *schema = pq_listing_schema(&f->listing);
    const PqNode *node = schema ? pq_node_field_any_case(schema->schema.root,
                                                         pq_slice_text(column->name)) : NULL;

    return node ? node->required : column->node->required;
}

/* A column that the query lacks is NULL. */
static PqRc add_absent(const PqsqlCopyFolder *f, const PqColumn *column,
                       PqsqlType *type, PqsqlCopyColumns *to, PqErr *e)
{
    PqsqlCopyColumn *c = &to->v[to->n++];

    if (is_required(f, column)) {
        return pq_fail(e, PQ_USAGE, "the query has no column %s, which is never "
                       "NULL in %s", column->name, f->first);
    }
    if (f->is_file) {
        return pq_fail(e, PQ_USAGE, "the query has no column %s, which %s has: SELECT NULL AS "
                       "\"%s\" gives it none", column->name, f->first, column->name);
    }
    *c = (PqsqlCopyColumn){.type = type, .folder_file = f->first};
    c->name = pq_arena_text(to->a, column->name, strlen(column->name), e);
    return c->name ? pqsql_copy_types_quote(c->name, to->a, &c->quoted, e)
                   : e->rc;
}

static PqRc take_column(const PqsqlCopyFolder *f, const PqColumn *column,
                        PqsqlCopyColumns *from, PqsqlCopyColumns *to, PqErr *e)
{
    PqsqlCopyColumn *c = find(from, column->name);
    PqsqlOrigin of;

    PQ_TRY(origin_of(column, to->a, &of, e));
    if (!c) {
        return is_covering(f->table, column)
                   ? PQ_OK : add_absent(f, column, of.type, to, e);
    }
    c->name = pq_arena_text(to->a, column->name, strlen(column->name), e);
    if (!c->name) {
        return e->rc;
    }
    PQ_TRY(fit(f, &of, to->a, c, e));
    if (f->is_fixed) {               /* its schema stays as it is            */
        c->required = is_required(f, column);
        c->may_undo = false;
    }
    to->v[to->n++] = *c;
    return PQ_OK;
}

/* The rest: columns of partitions, and new ones. */
static PqRc take_new(const PqsqlCopyFolder *f, PqsqlCopyColumns *from,
                     PqsqlCopyColumns *to, PqErr *e)
{
    for (uint32_t i = 0; i < from->n; i++) {
        const PqsqlCopyColumn *c = &from->v[i];

        if (c->folder_file) {
            continue;
        }
        if (f->is_fixed && !c->is_partition) {
            return pq_fail(e, PQ_USAGE, "the query has a column %s, and %s does not, so its "
                           "rows cannot be appended: leave the column out", c->name, f->first);
        }
        if (!c->is_partition && !c->is_explicit) {
            pq_fail(e, PQ_USAGE, "there is no column %s in %s, from which tables "
                    "take their columns", c->name, f->first);
            pq_err_hint(e, "leave it out, or write {\"types\": {%s: \"...\"}} to "
                        "add it: tables with union_by_name=on have it", c->quoted);
            return e->rc;
        }
        to->v[to->n++] = *c;
    }
    return PQ_OK;
}

PqRc pqsql_copy_folder_take(const PqsqlCopyFolder *f, PqsqlCopyColumns *columns,
                            PqErr *e)
{
    PqsqlCopyColumns all = *columns;

    if (!f) {
        return PQ_OK;
    }
    PQ_TRY(check_partitions(f, &columns->o->partition_by, e));
    all.n = 0;
    PQ_TRY(PQ_ARENA_NEW(all.a, all.v,
                        (size_t)columns->n + f->table->n_columns, e));
    for (uint32_t i = 0; i < f->table->n_columns; i++) {
        if (is_top(&f->table->columns[i])) {
            PQ_TRY(take_column(f, &f->table->columns[i], columns, &all, e));
        }
    }
    PQ_TRY(take_new(f, columns, &all, e));
    *columns = all;
    return PQ_OK;
}

/* ---- once more ----------------------------------------------------------- */

static PqRc compare(const PqsqlCopyFolder *f, const PqsqlCopyColumns *columns,
                    PqErr *e)
{
    for (uint32_t i = 0; i < f->table->n_columns; i++) {
        const PqColumn *column = &f->table->columns[i];
        const PqsqlCopyColumn *c = is_top(column) ? find(columns, column->name)
                                                  : NULL;
        PqsqlOrigin of;

        if (!c) {
            continue;
        }
        PQ_TRY(origin_of(column, columns->a, &of, e));
        if (!is_same(c->type, of.type)) {
            return pq_fail(e, PQ_USAGE, "another copy has written %s meanwhile, "
                           "where column %s is %s: run this copy again",
                           f->first, c->name, text_of(of.type, columns->a));
        }
    }
    return PQ_OK;
}

PqRc pqsql_copy_folder_again(const PqsqlCopyFolder *f,
                             const PqsqlCopyInto *into,
                             const PqsqlCopyColumns *columns, PqErr *e)
{
    PqsqlCopyFolder *now;
    PqRc rc = PQ_OK;

    if (into->o->lake != PQSQL_UNSAID) {
        return PQ_OK;                /* the commit looks                     */
    }
    PQ_TRY(pqsql_copy_folder_open(into, &now, e));
    if (now && !(f && strcmp(f->first, now->first) == 0)) {
        rc = compare(now, columns, e);
    }
    pqsql_copy_folder_close(now);
    return rc;
}
