/*
** publish_replace.c - what may be replaced, and what replace removes.
**
** What is hard is to remove a whole dataset, but nothing else.  For example
** with the folder column country and the pattern data_{i}:
**
**   _metadata                       goes if it is Parquet
**   a.parquet                       an error: not in a folder country=...
**   country=DE/data_0.parquet       goes, whatever it contains
**   country=DE/part-7.parquet       goes if the host's writer wrote it
**   country=DE/.data_0.parquet.crc  goes
**   country=DE/_KEY_MATERIAL_FOR_data_0.parquet.json   goes, after that file
**   country=DE/notes.txt            stays: no reader takes it for data
**   country=DE/year=1/x.parquet     an error
**   .git/ _temporary/               not entered, like in readers
**
** Folders that are then empty go too.  The writer of an encrypted file is known only
** with the key of its footer.
**
** Everything is checked before the first row, and again after the last.  Only
** after the last row is it known which partitions get new files, so
** "partitions" looks at their old files then:
**
**   new    country=a%2Fb/data_0.parquet
**   goes   country=a%2Fb/x.parquet  country=a%2fb/y.parquet    the same value
**          _metadata                                           of a folder above
**   stays  country=DE/data_0.parquet
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include "core/base/folder.h"
#include "core/meta/footer.h"
#include "core/write/file_name.h"
#include "core/write/hive_name.h"

#include <errno.h>
#include <stdio.h>

/* --- what a file is ---------------------------------------------------------- */

/* NULL: it has no footer that can be read. */
static PqRc open_footer(PqPublish *p, const char *at,
                        const PqKeyChoice *keys, PqFooter **out, PqErr *e)
{
    PqInput in = {0};
    PqErr why = PQ_NO_ERR;

    *out = NULL;
    if (p->place->source(p, at, true, &in.source, &why) == PQ_OK) {
        pq_footer_read(&in, keys, p->mem, out, &why);
    }
    pq_source_close(in.source);
    return why.rc == PQ_NOMEM ? pq_fail(e, PQ_NOMEM, "out of memory") : PQ_OK;
}

/* Is anything in it encrypted?  A sealed footer has a magic of its own.  Under
** a plaintext footer there may be sealed columns, and only the footer says so.
** A folder may have many files, so only some of these footers are read, and on a
** server, where each takes a request, only some files are looked at. */
static PqRc is_sealed(PqPublish *p, const char *path, const char *at, bool *is,
                      PqErr *e)
{
    enum { MOST_FOOTERS = 1000, MOST_FAR = 100 };
    PqFooter *footer = NULL;
    PqFileEnds ends = {0};
    bool gone;

    *is = false;
    if ((p->place->is_far && p->n_footers >= MOST_FAR) ||
        pub_look(p, path, at, &ends, &gone) || gone || !pub_is_parquet(&ends)) {
        return PQ_OK;
    }
    *is = !memcmp(ends.last, "PARE", 4);
    if (*is || p->n_footers >= MOST_FOOTERS) {
        return PQ_OK;
    }
    p->n_footers += p->is_folder;
    PQ_TRY(open_footer(p, at, NULL, &footer, e));
    *is = footer && footer->locks;
    pq_footer_release(footer);
    return PQ_OK;
}

/* --- one file -------------------------------------------------------------------- */

/* If the user forgets an option, encrypted rows must not be replaced by rows in
** the clear. */
static PqRc check_seal(PqPublish *p, const char *path, const char *at,
                       const char *shown, PqErr *e)
{
    bool is = false;

    if (p->is_clear && at) {
        PQ_TRY(is_sealed(p, path, at, &is, e));
    }
    return is ? pub_wrong(shown, "is encrypted, and this copy would not be", "name "
                          "the keys with the option encryption, or write "
                          "{\"encryption\": \"none\"} to have its rows in the "
                          "clear", e)
              : PQ_OK;
}

static PqRc check_content(PqPublish *p, const char *path, const char *at,
                          const char *shown, PqErr *e)
{
    PqFileEnds ends = {0};
    bool gone;
    const char *why = pub_look(p, path, at, &ends, &gone);

    if (gone) {
        return PQ_OK;
    }
    if (p->is_folder) {
        return why ? pub_wrong(shown, why, "move it away, or copy into another "
                                           "folder", e) : PQ_OK;
    }
    if (!why && ends.size && !pub_is_parquet(&ends)) {
        why = ends.size >= 4 && pub_is_magic(ends.first)
                  ? "exists and is a Parquet file without its end"
                  : "exists and is not a Parquet file";
    }
    return why ? pub_wrong(shown, why, "a copy replaces only Parquet files and "
                           "empty ones: name another file, or write "
                           "{\"overwrite\": \"replace\"} to lose this one", e)
               : PQ_OK;
}

PqRc pub_check_replaced(PqPublish *p, const char *path, const char *at,
                        const char *shown, PqErr *e)
{
    const char *why = pub_keeps(p, path, at);
    struct stat st;

    if (why) {
        return pub_wrong(shown, why, "name another file", e);
    }
    at = at && (p->place->is_far || lstat(at, &st) == 0) ? at : NULL;
    if (at && !p->place->is_far && !S_ISREG(st.st_mode) && !(p->is_folder && S_ISLNK(st.st_mode))) {
        return pub_wrong(shown, "exists and is not a regular file",
                         "name another file", e);
    }
    if (p->is_folder || p->overwrite != PQ_OVERWRITE_REPLACE) {
        PQ_TRY(check_content(p, path, at, shown, e));
    }
    return check_seal(p, path, at, shown, e);
}

PqRc pub_has_beside(PqPublish *p, const char *path, bool *has, PqErr *e)
{
    const char *beside = pq_key_material_path(path, &p->arena, e);

    *has = beside && p->place->is_there(p, beside);
    return beside ? PQ_OK : e->rc;
}

/* --- what belongs to the dataset --------------------------------------------------- */

/* The part of a path that is below the root. */
static const char *below_root(const PqPublish *p, const char *path)
{
    size_t n = strcmp(p->root, ".") ? strlen(p->root) : 0;

    while (path[n] == '/') {
        n++;
    }
    return path + n;
}

/* Do the folders on the path belong to the folder columns, in order?  *all:
** every column has a folder. */
static bool is_in_layout(const PqPublish *p, const char *path, bool *all)
{
    const char *part = below_root(p, path), *slash;
    uint32_t i = 0;

    for (; (slash = strchr(part, '/')) != NULL; part = slash + 1, i++) {
        if (i == p->n_folder_columns ||
            !pq_hive_name_is(pq_slice(part, (size_t)(slash - part)),
                             pq_slice_text(p->folder_columns[i]))) {
            return false;
        }
    }
    *all = i == p->n_folder_columns;
    return true;
}

/* Is a new file in the folder of the path, or below it?  Folders are compared
** by what they say and not by how they spell it. */
static PqRc has_new(PqPublish *p, const char *path, bool *has, PqErr *e)
{
    const char *part = below_root(p, path), *slash;
    const PubFolder *f;
    PqBuf b;

    if (!strchr(part, '/')) {
        *has = p->files.n > 0;       /* it is in the root */
        return PQ_OK;
    }
    pq_buf_init(&b, p->mem, e);
    pq_buf_add(&b, path, (size_t)(part - path));
    for (; (slash = strchr(part, '/')) != NULL; part = slash + 1) {
        pq_hive_name_respell(&b, pq_slice(part, (size_t)(slash - part)));
    }
    if (pq_buf_ok(&b)) {
        b.p[b.n - 1] = 0;            /* the last slash */
        f = pub_folder_find(p, (const char *)b.p);
        *has = f && f->has_new;
    }
    pq_buf_free(&b);
    return e->rc;
}

/* Did the host's writer write it?  False also if it has no readable footer. */
static PqRc is_written_here(PqPublish *p, const char *path, bool *is, PqErr *e)
{
    const char *writer = p->host ? p->host->writer : NULL;
    const PqKeyChoice keys = {.ring = p->host ? p->host->keys : NULL};
    PqFooter *footer = NULL;
    PqFileEnds ends = {0};
    bool gone;

    *is = false;
    if (!writer || pub_look(p, path, path, &ends, &gone) || !pub_is_parquet(&ends)) {
        return PQ_OK;
    }
    PQ_TRY(open_footer(p, path, keys.ring ? &keys : NULL, &footer, e));
    if (footer) {
        PqSlice by = footer->file.created_by;
        size_t n = strlen(writer);

        *is = by.n >= n && !memcmp(by.p, writer, n);
    } else if (!memcmp(ends.last, "PARE", 4)) {
        p->saw_closed = true;
    }
    pq_footer_release(footer);
    return PQ_OK;
}

/* Does it belong to the dataset, by its folder and its name or its writer?  In
** a partition that is replaced alone, every data file does. */
static PqRc is_of_dataset(PqPublish *p, const char *path,
                          const char *name, bool *is, PqErr *e)
{
    bool all = false;

    *is = is_in_layout(p, path, &all) && all;
    return *is && p->overwrite != PQ_OVERWRITE_PARTITIONS &&
                   !pq_file_name_is_of(p->pattern, name, NULL)
               ? is_written_here(p, path, is, e) : PQ_OK;
}

/* A data file goes, unless its contents are something else, like a database, which
** none on a server are. */
static PqRc goes_as_data(PqPublish *p, const char *path,
                         const char *name, bool *goes, PqErr *e)
{
    PqFileEnds ends;
    bool gone;

    PQ_TRY(is_of_dataset(p, path, name, goes, e));
    *goes = *goes && (p->overwrite == PQ_OVERWRITE_PARTITIONS || p->place->is_far ||
                      !pub_look(p, path, path, &ends, &gone));
    return PQ_OK;
}

static bool is_data(const char *name)
{
    return *name != '.' && *name != '_' &&
           pq_folder_is_parquet(pq_slice_text(name));
}

/* Does it describe files that go?  _common_metadata is about the columns. */
static bool is_summary(const PqPublish *p, const char *name)
{
    return !strcmp(name, "_metadata") ||
           (p->overwrite == PQ_OVERWRITE_REPLACE &&
            !strcmp(name, "_common_metadata"));
}

/* The name of the file whose checksum this is; NULL for other files.  Hadoop keeps them on
** a local disk: with the checksum of the old file, it could not read the new one. */
static char *file_of_checksum(PqPublish *p, const char *path, const char *name,
                              PqErr *e)
{
    size_t n = strlen(name), n_end = strlen(".crc");

    return *name == '.' && n > n_end + 1 && !strcmp(name + n - n_end, ".crc")
               ? pq_arena_printf(&p->arena, e, "%.*s%.*s", (int)(name - path),
                                 path, (int)(n - n_end - 1), name + 1)
               : NULL;
}

/* Files that go together with data files. */
typedef enum Kind { SUMMARY, CHECKSUM, BESIDE } Kind;

static bool looks_like(Kind kind, const PqFileEnds *ends)
{
    return kind == CHECKSUM ? !memcmp(ends->first, "crc", 3)
           : kind == BESIDE ? ends->first[0] == '{'
                            : !ends->size || pub_is_parquet(ends);
}

/* Is the file what its name says?  A file that cannot be read is an error: left
** there, it would describe files that are gone. */
static PqRc is_as_named(PqPublish *p, const char *path, Kind kind, bool *is,
                        PqErr *e)
{
    PqFileEnds ends = {0};
    struct stat st;
    const char *why;
    bool gone;

    *is = false;
    if ((p->place->is_far ? !p->place->is_there(p, path)
                          : lstat(path, &st) != 0 || S_ISDIR(st.st_mode)) ||
        pub_keeps(p, path, path)) {
        return PQ_OK;
    }
    if ((why = pub_look(p, path, path, &ends, &gone)) != NULL) {
        return pub_wrong(path, why, "move it away", e);
    }
    *is = !gone && looks_like(kind, &ends);
    return PQ_OK;
}

/* Does a file that is not data go together with the data files? */
static PqRc goes_with_data(PqPublish *p, const char *path, const char *name,
                           bool *goes, PqErr *e)
{
    const char *of, *of_name;
    bool all, all_go = true;
    Kind kind;

    *goes = false;
    if (p->overwrite == PQ_OVERWRITE_PARTITIONS) {
        PQ_TRY(has_new(p, path, &all_go, e));
    }
    if (!all_go || !is_in_layout(p, path, &all)) {
        return PQ_OK;
    }
    if (is_summary(p, name)) {
        return is_as_named(p, path, SUMMARY, goes, e);
    }
    of = pq_key_material_of(path, &p->arena, e);
    kind = of ? BESIDE : CHECKSUM;
    of = of || e->rc != PQ_OK ? of : file_of_checksum(p, path, name, e);
    if (!of) {                       /* neither */
        return e->rc;
    }
    of_name = pq_path_name(of);
    if (is_summary(p, of_name)) {
        *goes = kind == CHECKSUM;
    } else if (is_data(of_name) && (kind == CHECKSUM || p->place->is_there(p, of))) {
        PQ_TRY(is_of_dataset(p, of, of_name, goes, e));
    }
    return *goes ? is_as_named(p, path, kind, goes, e) : PQ_OK;
}

/* --- a folder --------------------------------------------------------------------- */

enum { SHOWN = 3 };

typedef struct Look {
    PqPublish *p;
    bool       lists;                /* files that go, into p->old           */
    uint32_t   n_foreign;
    char      *foreign[SHOWN];       /* the first ones by name               */
} Look;

PqRc pq_publish_keep(PqPublish *p, const char *name, PqErr *e)
{
    char *path = pub_join(p, p->root, name, e);

    return path ? pub_list_add(p, &p->kept, path, e) : e->rc;
}

static PqRc is_kept(PqPublish *p, const char *path, bool *is, PqErr *e)
{
    const char *of = pq_key_material_of(path, &p->arena, e);

    *is = false;
    for (uint32_t i = 0; i < p->kept.n && !*is; i++) {
        const char *kept = p->kept.item[i];

        *is = strcmp(kept, path) == 0 || (of && strcmp(kept, of) == 0);
    }
    return e->rc;
}

static PqRc add_old(PqPublish *p, const char *path, PqErr *e)
{
    PubOld *o = pq_arena_zeros(&p->arena, 1, sizeof *o, e);
    char *folder;
    bool kept;

    PQ_TRY(is_kept(p, path, &kept, e));
    if (kept) {
        return PQ_OK;
    }
    if (!o || !(o->path = pq_arena_text(&p->arena, path, strlen(path), e)) ||
        !(o->temp = pub_temp_name(p, path, e)) ||
        !(folder = pub_folder_of(p, path, e))) {
        return e->rc;
    }
    if (p->place->is_far ? pub_far_has(p, path)
                         : lstat(path, &o->st) != 0 || pub_is_there(o->temp)) {
        return PQ_OK;                /* it is gone; or a new file will take
                                     ** its name and change places          */
    }
    o->is_beside = pq_key_material_of(path, &p->arena, e) != NULL;
    PQ_TRY(e->rc);
    PQ_TRY(pub_folder_note(p, folder, &o->folder, e));
    return pub_list_add(p, &p->old, o, e);
}

/* Counts a partition that loses its files and gets none. */
static void add_lost(PqPublish *p, PubFolder *in)
{
    if (p->n_folder_columns && !in->is_lost) {
        in->is_lost = true;
        p->lost.n_partitions++;
        p->lost.first = p->lost.first ? p->lost.first : in->path;
    }
}

/* A data file of the dataset goes.  With "partitions" it does if its partition
** has a new file. */
static PqRc add_data(PqPublish *p, const char *path, const char *name, PqErr *e)
{
    PqFileEnds ends = {0};
    uint32_t n = p->old.n;
    bool replaced, gone;
    const char *why;

    PQ_TRY(has_new(p, path, &replaced, e));
    if (p->overwrite != PQ_OVERWRITE_PARTITIONS) {
        PQ_TRY(add_old(p, path, e));
        if (!replaced && p->old.n > n) {
            add_lost(p, ((PubOld *)p->old.item[n])->folder);
        }
        return PQ_OK;
    }
    if (!replaced) {
        return PQ_OK;
    }
    why = pub_look(p, path, path, &ends, &gone);
    if (!why && !gone && ends.size && !pub_is_parquet(&ends) &&
        !pq_file_name_is_of(p->pattern, name, NULL)) {
        why = "is not a Parquet file, and lies in a partition that is replaced";
    }
    return why ? pub_wrong(path, why, "move it away", e)
               : add_old(p, path, e);
}

static PqRc add_foreign(Look *l, const char *path, PqErr *e)
{
    uint32_t n = l->n_foreign < SHOWN ? l->n_foreign : SHOWN, i = n;
    char *copy;

    l->n_foreign++;
    while (i && strcmp(path, l->foreign[i - 1]) < 0) {
        i--;
    }
    if (i == SHOWN) {
        return PQ_OK;
    }
    if (!(copy = pq_arena_text(&l->p->arena, path, strlen(path), e))) {
        return e->rc;
    }
    n = n < SHOWN ? n : SHOWN - 1;
    memmove(l->foreign + i + 1, l->foreign + i, (n - i) * sizeof copy);
    l->foreign[i] = copy;
    return PQ_OK;
}

static PqRc see_old(void *arg, PqEntryKind kind, const char *path,
                    const char *name, PqErr *e)
{
    Look *l = arg;
    const char *why;
    bool goes = false;

    if (kind == PQ_ENTRY_LINK) {
        return pq_fail(e, PQ_USAGE, "%s: cannot be replaced, because %s is a "
                       "link to another folder", l->p->shown, path);
    }
    if (kind == PQ_ENTRY_FOLDER) {
        return PQ_OK;
    }
    if (!is_data(name)) {
        PQ_TRY(goes_with_data(l->p, path, name, &goes, e));
        return goes && l->lists ? add_old(l->p, path, e) : PQ_OK;
    }
    if ((why = pub_keeps(l->p, path, path)) != NULL) {
        return pub_wrong(path, why, "copy into another folder", e);
    }
    PQ_TRY(check_seal(l->p, path, path, path, e));
    PQ_TRY(goes_as_data(l->p, path, name, &goes, e));
    if (!goes) {
        return l->p->place->is_there(l->p, path) ? add_foreign(l, path, e) : PQ_OK;
    }
    return l->lists ? add_data(l->p, path, name, e) : PQ_OK;
}

/* A pattern of the files that replace removes:
** country=<...>/data_{i}.parquet. */
static const char *describe(PqPublish *p, PqErr *e)
{
    bool of_any = p->overwrite == PQ_OVERWRITE_PARTITIONS;
    PqBuf b;

    pq_buf_init(&b, p->mem, e);
    for (uint32_t i = 0; i < p->n_folder_columns; i++) {
        pq_buf_printf(&b, "%.60s=*/", p->folder_columns[i]);
    }
    if (of_any) {
        pq_buf_text(&b, "*.parquet, *.parq");
    } else {
        pq_file_name_describe(&b, p->pattern);
    }
    if (!of_any && p->host && p->host->writer) {
        pq_buf_printf(&b, ", other files that were written by \"%s\"%s",
                      p->host->writer, p->n_folder_columns ? " in such folders"
                                                 : " directly in it");
    }
    pq_buf_text(&b, " and _metadata");
    return pq_arena_take(&p->arena, &b);
}

static PQ_COLD PqRc tell_foreign(const Look *l, PqErr *e)
{
    const char *goes = describe(l->p, e), *const *f = (void *)l->foreign;
    uint32_t n = l->n_foreign;
    char more[40] = "";
    PqWhere outer;

    PQ_TRY(goes ? PQ_OK : e->rc);
    if (n > SHOWN) {
        snprintf(more, sizeof more, " and %u more", n - SHOWN);
    }
    outer = pq_where_enter(e, l->p->shown);
    pq_fail(e, PQ_USAGE, "is not replaced, because of %.120s%s%.120s%s%.120s%s: "
            "readers of the folder would take %s for data, but %s removes "
            "only %s", f[0], n > 1 ? ", " : "", n > 1 ? f[1] : "",
            n > 2 ? ", " : "", n > 2 ? f[2] : "", more,
            n > 1 ? "these files" : "this file",
            l->p->overwrite == PQ_OVERWRITE_PARTITIONS ? "partitions"
                                                       : "replace", goes);
    pq_err_hint(e, "%smove the rest away, or copy into another folder",
                l->p->saw_closed ? "who wrote an encrypted file is seen with its "
                                   "footer's key only; give the key, " : "");
    e->where = outer;
    return e->rc;
}

/* Fails for a data file below the folder, or a link that may lead to some. */
static PqRc see_none(void *arg, PqEntryKind kind, const char *path,
                     const char *name, PqErr *e)
{
    Look *l = arg;
    const char *goes;

    if (kind == PQ_ENTRY_FOLDER || (kind == PQ_ENTRY_FILE && !is_data(name))) {
        return PQ_OK;
    }
    if ((goes = describe(l->p, e)) != NULL) {
        const PqWhere outer = pq_where_enter(e, l->p->shown);

        pq_fail(e, PQ_USAGE, "the folder is not empty");
        pq_err_hint(e, "there is %.200s: {\"overwrite\": \"append\"} writes new "
                    "files beside what is there, %s{\"overwrite\": \"replace\"} "
                    "removes %s, and nothing else", path,
                    l->p->n_folder_columns
                        ? "{\"overwrite\": \"partitions\"} replaces the "
                          "partitions that the query has rows of, " : "",
                    goes);
        e->where = outer;
    }
    return e->rc;
}

/* Fails for an encrypted file that would get a file in the clear beside it. */
static PqRc see_sealed(void *arg, PqEntryKind kind, const char *path,
                       const char *name, PqErr *e)
{
    Look *l = arg;

    return kind == PQ_ENTRY_FILE && is_data(name) && !pub_keeps(l->p, path, path)
               ? check_seal(l->p, path, path, path, e) : PQ_OK;
}

static PqRc look_through(PqPublish *p, bool lists, PqErr *e)
{
    Look l = {.p = p, .lists = lists};
    PqFolderWalk walk = {p->overwrite == PQ_OVERWRITE_ERROR    ? see_none
                         : p->overwrite == PQ_OVERWRITE_APPEND ? see_sealed
                                                               : see_old,
                         &l, true, p->stop};

    PQ_TRY(p->place->walk(p, &walk, e));
    return l.n_foreign ? tell_foreign(&l, e) : PQ_OK;
}

PqRc pub_check_folder(PqPublish *p, PqErr *e)
{
    return p->overwrite == PQ_OVERWRITE_APPEND && (!p->is_clear || p->log)
               ? PQ_OK : look_through(p, false, e);
}

/* Key material goes after its file, and comes back before it. */
static void put_beside_last(PqPublish *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->old.n; i++) {
        PubOld *o = p->old.item[i];

        if (!o->is_beside) {
            p->old.item[i] = p->old.item[n];
            p->old.item[n++] = o;
        }
    }
}

/* Lists a file that lies beside the single target and goes with it. */
static PqRc list_beside(PqPublish *p, char *path, Kind kind, PqErr *e)
{
    bool goes = false;

    PQ_TRY(path ? PQ_OK : e->rc);
    PQ_TRY(is_as_named(p, path, kind, &goes, e));
    return goes ? add_old(p, path, e) : PQ_OK;
}

/* What describes a file that was read goes with it. */
static PqRc add_read(PqPublish *p, PubOld *o, PqErr *e)
{
    const char *name = pq_path_name(o->path);
    char *folder = pub_folder_of(p, o->path, e);

    PQ_TRY(pub_list_add(p, &p->old, o, e));
    PQ_TRY(folder ? pub_folder_note(p, folder, &o->folder, e) : e->rc);
    name = pq_arena_printf(&p->arena, e, ".%s.crc", name);
    PQ_TRY(list_beside(p, name ? pub_join(p, folder, name, e) : NULL, CHECKSUM, e));
    PQ_TRY(list_beside(p, pq_key_material_path(o->path, &p->arena, e), BESIDE, e));
    while (strlen(folder) > strlen(p->root)) {
        PQ_TRY(list_beside(p, pub_join(p, folder, "_metadata", e), SUMMARY, e));
        folder = pub_folder_of(p, folder, e);
        PQ_TRY(folder ? PQ_OK : e->rc);
    }
    return PQ_OK;
}

PqRc pub_list_old(PqPublish *p, PqErr *e)
{
    const char *name;

    pub_step("list");
    if (p->overwrite == PQ_OVERWRITE_ERROR) {
        return PQ_OK;
    }
    for (uint32_t i = 0; p->is_folder && i < p->read.n; i++) {
        PQ_TRY(add_read(p, p->read.item[i], e));
    }
    if (p->is_folder && p->overwrite == PQ_OVERWRITE_APPEND) {
        put_beside_last(p);
        return list_beside(p, pub_join(p, p->root, "_metadata", e), SUMMARY, e);
    }
    if (p->is_folder) {
        PQ_TRY(look_through(p, true, e));
        put_beside_last(p);
        return PQ_OK;
    }
    if (p->place->is_far) {          /* has no such files beside it          */
        return PQ_OK;
    }
    name = pq_arena_printf(&p->arena, e, ".%s.crc", pq_path_name(p->target));
    PQ_TRY(list_beside(p, name ? pub_join(p, p->root, name, e) : NULL, CHECKSUM,
                       e));
    return !pub_is_there(p->target)
               ? PQ_OK
               : list_beside(p, pq_key_material_path(p->target, &p->arena, e),
                             BESIDE, e);
}
