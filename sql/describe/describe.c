/*
** describe.c - parquet_describe: composes the page.
**
** First comes what the file is, then its columns as a tree, then what a query
** can use to skip data, and what is missing for that.  For several files (a
** glob, a folder) there is a line for each, and the page of the first.
**
** Only footers and one page header are read.  The page header tells whether
** there are checksums, and nothing else does.
**
** What is hard is to fit the lines: all but paths have at most PQSQL_PAGE_WIDTH
** characters, because the sqlite3 shell breaks longer ones in its modes column
** and box.
*/
#include "sql/describe/describe.h"

#include "sql/describe/describe_inside.h"
#include "sql/keys/key_functions.h"
#include "sql/argument.h"
#include "sql/statement_text.h"

enum { MEMORY = 256 << 20, LISTED_FILES = 50, LABEL = 18 };

typedef struct Page {
    PqEngine      *engine;
    PqMem         *mem;
    PqArena        arena;
    PqListing      listing;
    const PqKeyChoice *keys;
    PqInput        in;
    PqFooter      *f;
    PqsqlFileSum   sum;
    PqBuf          out;
    PqBuf          missing;          /* texts, each with a NUL              */
    uint32_t       shown;            /* the file that the page is about     */
    PqErr         *e;
} Page;

static void write_count(PqBuf *b, int64_t n, const char *one, const char *many)
{
    pqsql_text_count(b, n);
    pq_buf_printf(b, " %s", n == 1 ? one : many);
}

/* ---- what the file is --------------------------------------------------------- */

/* "metadata: pandas (1.2 kB), geo (2.0 kB)", in lines of the page. */
static void write_keys(Page *p)
{
    const PqKeyValueList *list = &p->f->file.key_value_metadata;
    uint32_t i, width = PQSQL_PAGE_WIDTH;
    PqBuf key;

    pq_buf_init(&key, p->mem, p->e);
    for (i = 0; i < list->n; i++) {
        uint32_t n;

        key.n = 0;
        pqsql_text_cut(&key, list->v[i].key, 40);
        pq_buf_text(&key, " (");
        pqsql_text_bytes(&key, (int64_t)list->v[i].value.n);
        pq_buf_text(&key, i + 1 < list->n ? ")," : ")");
        n = pqsql_text_width(&key, 0) + 1;
        if (width + n > PQSQL_PAGE_WIDTH) {
            pq_buf_text(&p->out, i ? "\n         " : "metadata:");
            width = 9;
        }
        pq_buf_byte(&p->out, ' ');
        pq_buf_add(&p->out, key.p, key.n);
        width += n;
    }
    pq_buf_free(&key);
    pq_buf_text(&p->out, list->n ? "\n" : "");
}

static void write_head(Page *p, const char *path)
{
    const PqFileMetaData *m = &p->f->file;
    PqBuf *b = &p->out;

    pqsql_text_cut(b, pq_slice_text(path), 1000);
    pq_buf_byte(b, '\n');
    write_count(b, p->f->n_rows, "row", "rows");
    pq_buf_text(b, " in ");
    write_count(b, p->f->n_groups, "row group", "row groups");
    pq_buf_text(b, ", ");
    write_count(b, p->f->schema.root->n_children, "column", "columns");
    if (p->f->schema.n_leaves != p->f->schema.root->n_children) {
        pq_buf_text(b, " (");
        write_count(b, p->f->schema.n_leaves, "leaf", "leaves");
        pq_buf_byte(b, ')');
    }
    pq_buf_byte(b, '\n');
    pqsql_text_bytes(b, (int64_t)pq_source_size(p->in.source));
    if (p->sum.n_encrypted == 0) {
        pq_buf_text(b, ", ");
        pqsql_text_bytes(b, p->sum.unpacked);
        pq_buf_text(b, " unpacked");
    }
    pq_buf_text(b, "\nwritten by ");
    if (PQ_HAS(m, PQ_FILE_CREATED_BY) && m->created_by.n > 0) {
        pqsql_text_cut(b, m->created_by, PQSQL_PAGE_WIDTH - 12);
    } else {
        pq_buf_text(b, "an unknown writer");
    }
    pq_buf_byte(b, '\n');
    write_keys(p);
}

/* ---- what a query can use ------------------------------------------------------- */

typedef enum Use { KNOWN, BOUNDS, INDEX, PAGE_BOUNDS, BLOOM, DICTIONARY } Use;

static bool has(const Page *p, const PqsqlLeafSum *s, Use use)
{
    uint32_t all = p->f->n_groups;

    switch (use) {
    case KNOWN:
        return s->n_chunks > 0;
    case BOUNDS:
        return all > 0 && s->n_bounded == all;
    case INDEX:
        return all > 0 && s->n_offset_index == all;
    case PAGE_BOUNDS:
        return all > 0 && s->n_column_index == all;
    case BLOOM:
        return s->n_bloom > 0;
    default:
        return s->n_dictionary > 0;
    }
}

static uint32_t count_leaves(const Page *p, Use use)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->f->schema.n_leaves; i++) {
        n += has(p, &p->sum.leaves[i], use);
    }
    return n;
}

/* Lists the leaves that have it (or lack it), as many as fit into the line. */
static void write_names(Page *p, Use use, bool want, size_t line)
{
    uint32_t n = p->f->schema.n_leaves, i, left = 0, named = 0;

    for (i = 0; i < n; i++) {
        left += has(p, &p->sum.leaves[i], use) == want;
    }
    for (i = 0; i < n && left; i++) {
        const char *path = p->f->schema.leaves[i].path;
        uint32_t used = pqsql_text_width(&p->out, line);

        if (has(p, &p->sum.leaves[i], use) != want) {
            continue;
        }
        if (used + strlen(path) + 16 > PQSQL_PAGE_WIDTH) {
            pq_buf_printf(&p->out, named       ? ", %u more"
                                   : left == 1 ? "%u column" : "%u columns", left);
            return;
        }
        pq_buf_text(&p->out, named ? ", " : "");
        pqsql_text_cut(&p->out, pq_slice_text(path), PQSQL_PAGE_WIDTH);
        named++;
        left--;
    }
}

static size_t write_label(Page *p, const char *label)
{
    size_t line = p->out.n;

    pq_buf_printf(&p->out, "  %s", label);
    pqsql_text_pad(&p->out, line, LABEL + 2);
    return line;
}

static void write_share(Page *p, const char *label, Use use)
{
    uint32_t n = p->f->schema.n_leaves, with = count_leaves(p, use);
    size_t line;

    if (with == 0) {
        return;
    }
    line = write_label(p, label);
    if (with == n) {
        pq_buf_text(&p->out, n == 1 ? "the column" : "all columns");
    } else if (with <= n - with) {
        write_names(p, use, true, line);
    } else {
        pq_buf_text(&p->out, "all but ");
        write_names(p, use, false, line);
    }
    pq_buf_byte(&p->out, '\n');
}

/* How many row groups declare the same order as the first group that declares
** one. */
static uint32_t same_order(const Page *p, const PqSortingColumnList **out)
{
    const PqSortingColumnList *first = NULL, *list;
    uint32_t i, k, n = 0;

    for (i = 0; i < p->f->n_groups; i++) {
        bool same;

        list = &p->f->file.row_groups.v[i].sorting_columns;
        if (list->n == 0) {
            continue;
        }
        first = first ? first : list;
        same = list->n == first->n;
        for (k = 0; same && k < list->n; k++) {
            same = list->v[k].column_idx == first->v[k].column_idx &&
                   list->v[k].descending == first->v[k].descending;
        }
        n += same;
    }
    *out = first;
    return n;
}

static void write_order(Page *p)
{
    const PqSortingColumnList *list;
    uint32_t n = same_order(p, &list), i;
    size_t line;

    if (n == 0) {
        return;
    }
    line = write_label(p, "order of rows");
    for (i = 0; i < list->n; i++) {
        int32_t leaf = list->v[i].column_idx;

        if (pqsql_text_width(&p->out, line) > PQSQL_PAGE_WIDTH - 30) {
            pq_buf_text(&p->out, ", \u2026");
            break;
        }
        pq_buf_text(&p->out, i ? ", " : "");
        if (leaf >= 0 && (uint32_t)leaf < p->f->schema.n_leaves) {
            pqsql_text_cut(&p->out,
                           pq_slice_text(p->f->schema.leaves[leaf].path), 30);
        } else {
            pq_buf_printf(&p->out, "column %d", leaf);
        }
        pq_buf_text(&p->out, list->v[i].descending ? " DESC" : "");
    }
    if (n < p->f->n_groups) {
        pq_buf_printf(&p->out, " (%u of %u row groups)", n, p->f->n_groups);
    }
    pq_buf_byte(&p->out, '\n');
}

/* The first column that is read and whose pages only a checksum can guard,
** because they are not sealed by AES-GCM.  n_leaves: there is none. */
static uint32_t unguarded_leaf(const Page *p)
{
    const PqFileLocks *locks = p->f->locks;
    uint32_t leaf;

    for (leaf = 0; locks && leaf < locks->n_leaves; leaf++) {
        const PqLock *lock = locks->of_leaf[leaf];

        if (!lock || (lock->key && lock->ctr)) {
            return leaf;
        }
    }
    return leaf;
}

/* Does the first page of the column have a checksum?  False if the page is
** damaged, or has to be opened with a key that is not at hand. */
static PqRc has_checksums(Page *p, uint32_t leaf, bool *out)
{
    PqChunkReader r;
    PqReadCtx ctx;
    bool more;
    PqRc rc;

    *out = false;
    if (p->f->n_groups == 0 || leaf >= p->f->schema.n_leaves) {
        return PQ_OK;
    }
    PQ_GO(pq_read_ctx_init(&ctx, p->mem, p->e));
    pq_chunk_init(&r, &ctx);
    if (pq_footer_chunk(p->f, 0, leaf, &r.arena, &r.chunk, p->e) == PQ_OK &&
        r.chunk.file_path.n == 0 &&
        pq_chunk_open(&r, &p->in, &p->f->schema.leaves[leaf], 0,
                      p->f->groups[0].num_rows, p->f->file.created_by,
                      p->e) == PQ_OK &&
        pq_chunk_next(&r, &more, p->e) == PQ_OK && more) {
        *out = pq_page_says_crc(&r);
    }
    pq_chunk_reset(&r);
    rc = p->e->rc == PQ_CORRUPT || p->e->rc == PQ_UNSUPPORTED ? PQ_OK
                                                              : p->e->rc;
    if (rc == PQ_OK) {
        pq_err_clear(p->e);
    }
done:
    pq_read_ctx_reset(&ctx);
    return rc;
}

/* ---- what is missing ------------------------------------------------------------- */

/* Writes an entry of the list, in as many lines as its words need. */
static void miss(Page *p, const char *what)
{
    size_t line = p->out.n;

    pq_buf_text(&p->out, " ");
    while (*what) {
        size_t n = strcspn(what, " ");
        uint32_t used = pqsql_text_width(&p->out, line);

        if (used > 1 && used + 1 + n > PQSQL_PAGE_WIDTH) {
            pq_buf_byte(&p->out, '\n');
            line = p->out.n;
            pq_buf_text(&p->out, "   ");
        }
        pq_buf_byte(&p->out, ' ');
        pq_buf_add(&p->out, what, n);
        what += n + (what[n] == ' ');
    }
    pq_buf_byte(&p->out, '\n');
}

/* Writes an entry that has a number in it. */
static void miss_counted(Page *p, const char *before, int64_t n,
                         const char *after)
{
    PqBuf b;

    pq_buf_init(&b, p->mem, p->e);
    pq_buf_text(&b, before);
    pqsql_text_count(&b, n);
    pq_buf_text(&b, after);
    pq_buf_byte(&b, 0);
    if (pq_buf_ok(&b)) {
        miss(p, (const char *)b.p);
    }
    pq_buf_free(&b);
}

enum { SMALL_GROUP = 5000, LARGE_GROUP = 10000000 };

static void write_group_sizes(Page *p)
{
    int64_t mean = p->f->n_groups ? p->f->n_rows / p->f->n_groups : 0;

    if (p->f->n_groups > 1 && mean < SMALL_GROUP) {
        miss_counted(p, "row groups of ", mean,
                     mean == 1 ? " row on average: much is read to skip little"
                               : " rows on average: much is read to skip "
                                 "little");
    } else if (mean > LARGE_GROUP) {
        miss_counted(p, "row groups of ", mean,
                     " rows on average: bounds of row groups skip little");
    }
}

/* Writes what columns lack, so that a query has to read more. */
static void write_lacks(Page *p)
{
    uint32_t n = count_leaves(p, KNOWN);

    if (n == 0 && p->sum.n_encrypted) {
        return;
    }
    if (count_leaves(p, BOUNDS) == 0) {
        miss(p, "no bounds: no row group can be skipped by its values");
    }
    if (count_leaves(p, INDEX) == 0) {
        miss(p, "no page index: a point lookup reads whole chunks");
    } else if (count_leaves(p, PAGE_BOUNDS) == 0) {
        miss(p, "no bounds of pages: a range reads all pages of its row "
                "groups");
    } else if (count_leaves(p, INDEX) < n) {
        miss(p, "no page index for some columns: there a point lookup reads "
                "whole chunks");
    }
    if (count_leaves(p, BLOOM) == 0) {
        miss(p, "no Bloom filters: equality on scattered values reads every "
                "row group");
    }
}

/* lacks_checksums: pages may change unnoticed. */
static void write_missing(Page *p, bool lacks_checksums)
{
    pq_buf_text(&p->out, "\nwhat is missing\n");
    write_lacks(p);
    if (p->f->n_groups > 0) {
        const PqSortingColumnList *list;

        if (same_order(p, &list) == 0) {
            miss(p, "no order of rows is declared");
        }
        if (lacks_checksums) {
            miss(p, "no checksums: damage to pages may go unnoticed");
        }
    }
    if (p->sum.n_encrypted) {
        miss_counted(p, "", p->sum.n_encrypted,
                     p->sum.n_encrypted == 1
                         ? " column chunk cannot be read without its key"
                         : " column chunks cannot be read without their keys");
    }
    if (p->sum.n_damaged) {
        miss_counted(p, "", p->sum.n_damaged,
                     p->f->locks ? " damaged column chunks, or encrypted with "
                                   "another key"
                                 : " damaged column chunks");
    }
    if (p->sum.n_elsewhere) {
        miss_counted(p, "", p->sum.n_elsewhere,
                     " column chunks are in other files");
    }
    write_group_sizes(p);
    for (size_t i = 0; pq_buf_ok(&p->missing) && i < p->missing.n;
         i += strlen((const char *)p->missing.p + i) + 1) {
        miss(p, (const char *)p->missing.p + i);
    }
}

static PqRc write_use(Page *p)
{
    uint32_t leaf = unguarded_leaf(p);
    bool checksums;
    size_t mark;

    PQ_TRY(has_checksums(p, leaf, &checksums));
    pq_buf_text(&p->out, "\nwhat a query can use\n");
    mark = p->out.n;
    write_share(p, "bounds", BOUNDS);
    write_share(p, "page index", INDEX);
    write_share(p, "bounds of pages", PAGE_BOUNDS);
    write_share(p, "dictionaries", DICTIONARY);
    write_share(p, "Bloom filters", BLOOM);
    write_order(p);
    if (checksums) {
        write_label(p, "checksums");
        pq_buf_text(&p->out, "of pages\n");
    }
    if (p->out.n == mark) {
        pq_buf_text(&p->out, "  nothing\n");
    }
    write_missing(p, !checksums && leaf < p->f->schema.n_leaves);
    return PQ_OK;
}

/* ---- files ----------------------------------------------------------------------- */

static void close_file(Page *p)
{
    pq_footer_release(p->f);
    pq_source_close(p->in.source);
    p->f = NULL;
    p->in = (PqInput){0};
}

static PqRc open_file(Page *p, uint32_t i)
{
    return pq_engine_open(p->engine, &p->listing, p->listing.files[i].path,
                          &p->in.source, &p->f, p->e);
}

static PqRc write_file(Page *p)
{
    const char *path = p->listing.files[p->shown].path;

    PQ_TRY(open_file(p, p->shown));
    p->e->where.file = path;
    PQ_TRY(pqsql_describe_sum(p->f, &p->arena, &p->sum, p->e));
    write_head(p, path);
    pq_buf_byte(&p->out, '\n');
    PQ_TRY(pqsql_describe_tree(&p->sum, &p->out, p->e));
    PQ_TRY(pqsql_describe_geo(&p->sum, &p->out, &p->missing, p->e));
    PQ_TRY(pqsql_describe_keys(p->f, &p->out, p->e));
    if (p->f->n_rows > 0) {          /* no rows: nothing to be skipped */
        PQ_TRY(write_use(p));
    }
    return pq_buf_ok(&p->out) ? PQ_OK : p->e->rc;
}

/* Writes the line of a file that cannot be read, if the others can still be
** described. */
static PqRc write_unreadable(Page *p, uint32_t i)
{
    size_t mark = p->out.n;

    if (!pq_is_left_out(p->e->rc)) {
        return p->e->rc;
    }
    pq_err_clear(p->e);
    pq_buf_text(&p->out, "cannot be read");
    pqsql_text_right(&p->out, mark, 30);
    pq_buf_text(&p->out, "  ");
    pqsql_text_cut(&p->out, pq_slice_text(p->listing.files[i].path), 1000);
    pq_buf_byte(&p->out, '\n');
    return PQ_OK;
}

/* A line per file, the first LISTED_FILES of them. */
static PqRc write_listing(Page *p)
{
    uint32_t n = p->listing.n_files, i;

    write_count(&p->out, n, "file", "files");
    pq_buf_byte(&p->out, '\n');
    for (i = 0; i < n && i < LISTED_FILES; i++) {
        size_t mark = p->out.n;

        if (open_file(p, i) != PQ_OK) {
            PQ_TRY(write_unreadable(p, i));
            continue;
        }
        p->shown = p->shown < i ? p->shown : i;
        pqsql_text_count(&p->out, p->f->n_rows);
        pqsql_text_right(&p->out, mark, 13);
        pq_buf_text(&p->out, " rows ");
        mark = p->out.n;
        pqsql_text_bytes(&p->out, (int64_t)pq_source_size(p->in.source));
        pqsql_text_right(&p->out, mark, 9);
        pq_buf_text(&p->out, "  ");
        pqsql_text_cut(&p->out, pq_slice_text(p->listing.files[i].path), 1000);
        pq_buf_byte(&p->out, '\n');
        close_file(p);
    }
    if (n > LISTED_FILES) {
        pq_buf_printf(&p->out, "%13s ", "");
        pqsql_text_count(&p->out, n - LISTED_FILES);
        pq_buf_text(&p->out, " more\n");
    }
    if (p->shown == UINT32_MAX) {    /* none opens: the first gives the error */
        p->shown = 0;
    }
    pq_buf_text(&p->out, "\nthe first of them\n");
    return PQ_OK;
}

/* The first line about a folder whose files are not a table by themselves. */
static PqRc write_lake(Page *p, const char *folder)
{
    const char *kind;
    char *table;

    PQ_TRY(pq_lake_around(folder, p->mem, &kind, &table, p->e));
    if (kind && table) {
        pqsql_text_cut(&p->out, pq_slice_text(table), 1000);
        pq_buf_printf(&p->out, " is %s: its log says which rows of these files "
                               "count\n\n", kind);
    }
    pq_mem_free(table);
    return PQ_OK;
}

static PqRc write_page(Page *p, const char *pattern, const PqPlaces *places)
{
    PQ_TRY(pq_listing_make(pattern, PQ_LIST_LAKES, places, p->mem, NULL,
                           &p->listing, p->e));
    p->listing.keys = p->keys;
    PQ_TRY(pqsql_keys_fit(p->engine, &p->listing, p->e));
    PQ_TRY(write_lake(p, pq_path_list_is(pattern) ? p->listing.files->path
                                                  : pattern));
    if (p->listing.n_files > 1) {
        p->shown = UINT32_MAX;
        PQ_TRY(write_listing(p));
    }
    return write_file(p);
}

/* ---- the function ------------------------------------------------------------------ */

PqRc pqsql_describe(sqlite3 *db, PqEngine *engine, PqMem *mem,
                    sqlite3_value *path, const PqKeyChoice *keys,
                    const PqPatience *patience, PqBuf *out, PqErr *e)
{
    Page p = {.engine = engine, .mem = mem, .keys = keys, .e = e};
    PqPlaces places = pq_engine_places(engine, true, patience);
    const char *pattern = pqsql_file_of(path, &places, e);
    PqRc rc;

    pq_arena_init(&p.arena, mem);
    pq_buf_init(&p.out, mem, e);
    pq_buf_init(&p.missing, mem, e);
    rc = pattern ? write_page(&p, pattern, &places) : e->rc;
    if (pattern && rc == PQ_IO) {
        pqsql_path_hint_table(db, "parquet_describe", pattern, e);
    }
    pq_buf_free(&p.missing);
    close_file(&p);
    pq_where_reset(e);               /* it borrows a path from the listing */
    pq_listing_free(&p.listing);
    pq_arena_free(&p.arena);
    if (rc != PQ_OK) {
        pq_buf_free(&p.out);
    }
    *out = p.out;
    return rc;
}

static void describe(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqEngine *engine = sqlite3_user_data(ctx);
    PqPatience patience;
    PqKeyChoice keys;
    PqArena names;
    PqMem *mem;
    PqBuf out;
    PqErr e;
    PqRc rc;

    if (!pqsql_direct_or_temp(ctx, "parquet_describe") ||
        sqlite3_value_type(argv[0]) == SQLITE_NULL) {
        return;
    }
    pq_err_init(&e);
    mem = pq_mem_new(MEMORY);
    pq_arena_init(&names, mem);
    rc = mem ? pqsql_keys_of(engine->keys, argc > 1 ? argv[1] : NULL, &names,
                             &keys, &patience, &e)
             : PQ_NOMEM;
    if (rc == PQ_OK) {
        rc = pqsql_describe(sqlite3_context_db_handle(ctx), engine, mem,
                            argv[0], &keys, &patience, &out, &e);
    }
    if (!mem) {
        sqlite3_result_error_nomem(ctx);
    } else if (rc != PQ_OK) {
        pqsql_result_error(ctx, &e);
    } else {
        sqlite3_result_text64(ctx, (const char *)out.p, out.n,
                              SQLITE_TRANSIENT, SQLITE_UTF8);
        pq_buf_free(&out);
    }
    pq_arena_free(&names);
    pq_mem_release(mem);
}

int pqsql_register_describe(sqlite3 *db, PqEngine *engine)
{
    int rc = SQLITE_OK, n;

    for (n = 1; n <= 2 && rc == SQLITE_OK; n++) {
        rc = sqlite3_create_function_v2(db, "parquet_describe", n,
                                        SQLITE_UTF8 | SQLITE_DIRECTONLY, engine,
                                        describe, NULL, NULL, NULL);
    }
    return rc;
}
