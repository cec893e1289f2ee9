/*
** hive.c - finds the folder columns of a listing, their values and types.
**
** Two passes over the paths: the first finds the columns, the second the
** values, a row of them per file in one table.  The type of a column needs all
** values of all files.  Listings may have millions of files, so every loop over
** files can be stopped.
*/
#include "core/files/hive.h"

#include "core/base/ascii.h"
#include "core/remote/url.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "core/text/time_parse.h"

/* The rest of a path, and the key=value folder that was taken from its
** front. */
typedef struct Folders {
    const char *rest;
    PqSlice     name, value;
} Folders;

/* Takes the next key=value folder.  What follows the last slash is the
** file. */
static bool next_folder(Folders *f)
{
    const char *slash;

    while ((slash = strchr(f->rest, '/')) != NULL) {
        const char *name = f->rest;
        size_t n = (size_t)(slash - name);
        const char *equals = memchr(name, '=', n);

        f->rest = slash + 1;
        if (equals && equals > name) {
            f->name = pq_slice(name, (size_t)(equals - name));
            f->value = pq_slice(equals + 1, (size_t)(slash - equals - 1));
            return true;
        }
    }
    return false;
}

static bool decodes_to(PqSlice s, const char *text)
{
    size_t used;

    for (; s.n && *text; pq_slice_cut(&s, used), text++) {
        if (pq_ascii_decoded(s.p, s.n, &used) != (uint8_t)*text) {
            return false;
        }
    }
    return !s.n && !*text;
}

/* The index of the column; n_folder_columns for a new one. */
static uint32_t find_column(const PqListing *l, PqSlice name)
{
    uint32_t i = 0;

    while (i < l->n_folder_columns && !decodes_to(name, l->folder_columns[i])) {
        i++;
    }
    return i;
}

static PqRc add_column(PqListing *l, PqSlice name, PqErr *e)
{
    if (l->n_folder_columns == PQ_HIVE_COLUMNS) {
        pq_fail(e, PQ_USAGE,
                "key=value folders with more than %d different keys",
                PQ_HIVE_COLUMNS);
        pq_err_hint(e, "hive=off reads the files without them");
        return e->rc;
    }
    PQ_TRY(PQ_ARENA_GROW(&l->arena, l->folder_columns, l->n_folder_columns, e));
    l->folder_columns[l->n_folder_columns] = pq_url_decode(&l->arena, name, e);
    l->n_folder_columns += e->rc == PQ_OK;
    return e->rc;
}

/* Files between two polls of stop. */
enum { AT_ONCE = 1024 };

static Folders folders_of(const PqListedFile *f)
{
    return (Folders){.rest = f->path + f->n_base};
}

static PqRc find_columns(PqListing *l, const PqStop *stop, PqErr *e)
{
    for (uint32_t i = 0; i < l->n_files; i++) {
        if (i % AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(stop, e));
        }
        Folders f = folders_of(&l->files[i]);
        while (next_folder(&f)) {
            if (find_column(l, f.name) == l->n_folder_columns) {
                PQ_TRY(add_column(l, f.name, e));
            }
        }
    }
    return PQ_OK;
}

/* Accepts an integer or a date only as it is printed, in no other spelling. */
static bool is_printed(PqSlice s, const char *text, size_t n)
{
    return s.n == n && memcmp(s.p, text, n) == 0;
}

static bool to_integer(PqSlice s, int64_t *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    int64_t v;

    if (pq_number_parse_i64(s, &v) != PQ_PARSE_OK ||
        !is_printed(s, text, pq_number_text_i64(v, text))) {
        return false;
    }
    *out = v;
    return true;
}

/* Each text says whether it is an integer, because a table may have been declared when
** all texts were. */
static PqRc read_value(PqArena *a, PqSlice value, PqHiveValue *v, PqErr *e)
{
    v->is_there = true;
    if (!pq_slice_is(value, "__HIVE_DEFAULT_PARTITION__")) {
        v->text = pq_url_decode(a, value, e);
        PQ_TRY(v->text ? PQ_OK : e->rc);
        v->is_integer = to_integer(pq_slice_text(v->text), &v->integer);
    }
    return PQ_OK;
}

static PqRc fill_file(PqListing *l, Folders f, PqHiveValue *row, PqErr *e)
{
    while (next_folder(&f)) {
        PqHiveValue *v = &row[find_column(l, f.name)];

        PQ_TRY(v->is_there ? PQ_OK : read_value(&l->arena, f.value, v, e));
    }
    return PQ_OK;
}

PqRc pq_hive_test(const PqFolderTest *t, const char *folders, PqArena *a, bool *passes,
                  bool *asks, PqErr *e)
{
    PqHiveValue values[PQ_FOLDER_TESTS] = {{.text = NULL}};
    Folders f = {.rest = folders};
    uint32_t n_known = 0;

    *passes = true;
    while (*passes && next_folder(&f)) {
        uint32_t k = 0;

        while (k < t->n && !decodes_to(f.name, t->column[k])) {
            k++;
        }
        if (k < t->n && !values[k].is_there) {
            PQ_TRY(read_value(a, f.value, &values[k], e));
            *passes = t->passes(t->arg, k, &values[k]);
            n_known++;
        }
    }
    *asks = n_known < t->n;
    return PQ_OK;
}

/* Is it a yyyy-mm-dd of the calendar? */
static bool is_date(PqSlice s)
{
    char text[PQ_TIME_TEXT_ROOM];
    int32_t days;

    return s.n == strlen("yyyy-mm-dd") &&
           pq_time_parse_date(s, &days) == PQ_PARSE_OK &&
           is_printed(s, text, pq_time_text_date(days, text));
}

/* The type of column k over the rows of the table. */
static PqHiveType type_column(const PqHiveValue *table, uint32_t n_rows,
                              uint32_t n_columns, uint32_t k)
{
    bool integer = true, date = true, any = false;

    for (size_t i = 0; i < n_rows; i++) {
        const PqHiveValue *v = &table[i * n_columns + k];
        if (v->text) {
            any = true;
            integer = integer && v->is_integer;
            date = date && is_date(pq_slice_text(v->text));
        }
    }
    return !any ? PQ_HIVE_TEXT
           : integer ? PQ_HIVE_INTEGER
           : date ? PQ_HIVE_DATE : PQ_HIVE_TEXT;
}

PqRc pq_hive_fill(PqListing *l, const PqStop *stop, PqErr *e)
{
    PqHiveValue *table;

    PQ_TRY(find_columns(l, stop, e));
    if (!l->n_folder_columns) {
        return PQ_OK;
    }
    table = pq_arena_zeros(&l->arena, l->n_files,
                           l->n_folder_columns * sizeof *table, e);
    PQ_TRY(table ? PQ_ARENA_NEW(&l->arena, l->folder_types, l->n_folder_columns, e) : e->rc);
    for (uint32_t i = 0; i < l->n_files; i++) {
        PqHiveValue *row = table + (size_t)i * l->n_folder_columns;
        if (i % AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(stop, e));
        }
        PQ_TRY(fill_file(l, folders_of(&l->files[i]), row, e));
        l->files[i].hive = row;
    }
    for (uint32_t k = 0; k < l->n_folder_columns; k++) {
        PQ_TRY(pq_stop_poll(stop, e));
        l->folder_types[k] = type_column(table, l->n_files,
                                         l->n_folder_columns, k);
    }
    return PQ_OK;
}
