/*
** listing.c - tells whether the argument is a list, a file, a folder or a glob,
** and lists its files.
**
** Only an argument that does not exist is taken as a glob.  A folder is a glob
** of no parts, so one walk serves both.  What is hard is size: a listing may
** have millions of paths, and qsort cannot be stopped, so they are merged here.
*/
#define _GNU_SOURCE
#include "core/files/listing.h"

#include "core/base/folder.h"
#include "core/base/lake_tables.h"
#include "core/base/path_hint.h"
#include "core/base/system.h"
#include "core/files/glob.h"
#include "core/files/hive.h"
#include "core/files/ignore_errors.h"
#include "core/files/path_list.h"
#include "core/files/s3_walk.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

typedef enum Target {
    TARGET_FILE, TARGET_PIPE, TARGET_FOLDER, TARGET_GLOB, TARGET_ABSENT
} Target;

static int examine(const char *path, struct stat *st)
{
    if (pq_fault_io()) {
        return -1;
    }
    return stat(path, st);
}

/* ENAMETOOLONG: a glob may be longer than any name that it matches. */
static PqRc target_of(const char *pattern, Target *out, PqErr *e)
{
    struct stat st;
    bool absent;

    *out = TARGET_GLOB;
    if (!*pattern) {
        return pq_fail(e, PQ_USAGE, "no file, folder or glob is given");
    }
    if (examine(pattern, &st) == 0) {
        *out = S_ISDIR(st.st_mode)                            ? TARGET_FOLDER
               : S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ? TARGET_PIPE
                                                              : TARGET_FILE;
        return PQ_OK;
    }
    if ((errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) &&
        pq_glob_is(pattern)) {
        return PQ_OK;
    }
    absent = errno == ENOENT;
    *out = absent || errno == ENOTDIR ? TARGET_ABSENT : *out;
    pq_fail_system(e, "cannot open", errno);
    if (absent) {
        pq_path_hint(pattern, e);
    }
    return e->rc;
}

/* Merges a and b, which are sorted, into out, which has room for both. */
static void merge(const char **a, uint32_t n_a, const char **b, uint32_t n_b,
                  const char **out)
{
    uint32_t i = 0, k = 0;

    while (i < n_a && k < n_b) {
        bool first = strcmp(a[i], b[k]) <= 0;

        *out++ = first ? a[i++] : b[k++];
    }
    memcpy(out, a + i, (n_a - i) * sizeof *out);
    memcpy(out + (n_a - i), b + k, (n_b - k) * sizeof *out);
}

/* Merges neighbours, which are sorted by themselves, until there is one. */
static PqRc sort_paths(PqPaths *found, PqMem *mem, const PqStop *stop, PqErr *e)
{
    enum { AT_ONCE = 1 << 16 };      /* between two polls of stop            */
    const char **other = pq_mem_array(mem, found->n, sizeof *other, e);
    uint32_t n = found->n;

    PQ_TRY(other ? PQ_OK : e->rc);
    for (size_t width = 1; width < n; width *= 2) {
        const char **from = found->path;

        for (size_t at = 0; at < n; at += 2 * width) {
            size_t mid = at + width < n ? at + width : n;
            size_t end = mid + width < n ? mid + width : n;

            merge(from + at, (uint32_t)(mid - at), from + mid,
                  (uint32_t)(end - mid), other + at);
            if (at % AT_ONCE == 0 && pq_stop_poll(stop, e) != PQ_OK) {
                pq_mem_free(other);
                return e->rc;
            }
        }
        found->path = other;
        found->room = n;
        other = from;
    }
    pq_mem_free(other);
    return PQ_OK;
}

/* A folder that changes while it is read may return a name twice. */
static void drop_repeats(PqPaths *found)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < found->n; i++) {
        if (!n || strcmp(found->path[n - 1], found->path[i]) != 0) {
            found->path[n++] = found->path[i];
        }
    }
    found->n = n;
}

PqRc pq_listing_repeat(const PqListedFile *files, uint32_t n, PqMem *mem,
                       const PqStop *stop, const char **repeat, PqErr *e)
{
    PqPaths all = {.path = pq_mem_array(mem, n + 1u, sizeof *all.path, e),
                   .n = n, .room = n + 1u};
    PqRc rc;

    *repeat = NULL;
    PQ_TRY(all.path ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n; i++) {
        all.path[i] = files[i].path;
    }
    rc = sort_paths(&all, mem, stop, e);
    for (uint32_t i = 1; rc == PQ_OK && i < n && !*repeat; i++) {
        *repeat = strcmp(all.path[i - 1], all.path[i]) ? NULL : all.path[i];
    }
    pq_mem_free(all.path);
    return rc;
}

/* A pattern without parts is a folder. */
static PqRc nothing_found(const PqGlob *g, const char *pattern, PqErr *e)
{
    bool is_folder = g->n_parts == 0 && !g->only_folders;

    pq_fail(e, PQ_IO, is_folder ? "no *.parquet or *.parq file in this folder or below it"
                                : "no file matches this glob");
    if (!pq_s3_is_pattern(pattern)) {
        is_folder ? pq_folder_hint(pattern, e) : pq_path_hint(pattern, e);
    }
    return e->rc;
}

/* Which listing is wanted. */
typedef struct Order {
    unsigned      how;               /* bits of PQ_LIST_                    */
    const PqStop *stop;
    size_t        common;            /* bytes that all elements have before
                                     ** the component in which they differ  */
    uint32_t      room;              /* of the files                        */
    const PqFolderTest *test;
    const PqListing *part;
} Order;

/* Adds files.  Folders count after the first n_base bytes. */
static PqRc take_paths(Order *o, PqListing *l, const PqPaths *found,
                       size_t n_base, PqErr *e)
{
    uint64_t n = (uint64_t)l->n_files + found->n, room = 2 * (uint64_t)o->room;

    if (n > o->room) {
        PqListedFile *more;

        room = room > n ? room : n;
        more = room <= UINT32_MAX
                   ? pq_arena_zeros(&l->arena, room, sizeof *more, e) : NULL;
        if (!more) {
            return pq_fail(e, PQ_BUDGET, "more files than a table can have");
        }
        if (l->n_files) {
            memcpy(more, l->files, l->n_files * sizeof *more);
        }
        l->files = more;
        o->room = (uint32_t)room;
    }
    n_base = n_base < o->common ? n_base : o->common;
    for (uint32_t i = 0; i < found->n; i++) {
        l->files[l->n_files++] = (PqListedFile){
            .path = found->path[i], .size = -1, .n_rows = -1, .n_base = (uint32_t)n_base};
    }
    return PQ_OK;
}

static PqRc list_file(Order *o, const char *path, PqListing *l, PqErr *e)
{
    PqPaths one = {.path = &path, .n = 1};

    return take_paths(o, l, &one, strlen(path), e);
}

/* The walk looks for lake tables below the base of the pattern. */
static PqRc refuse_lake_around(const PqGlob *g, PqMem *mem, PqErr *e)
{
    const char *kind = NULL;
    char *base = pq_mem_text(mem, g->base.p, g->base.n, e), *table = NULL;

    if (base && pq_lake_around(base, mem, &kind, &table, e) == PQ_OK && kind) {
        pq_lake_refuse(table, kind, e);
    }
    pq_mem_free(base);
    pq_mem_free(table);
    return e->rc;
}

static PqRc take_skipped(PqPaths *skipped, const PqStop *stop, PqListing *l, PqErr *e)
{
    if (skipped->n) {
        PQ_TRY(sort_paths(skipped, l->arena.mem, stop, e));
        PQ_TRY(PQ_ARENA_NEW(&l->arena, l->skipped, skipped->n, e));
        memcpy(l->skipped, skipped->path, skipped->n * sizeof *l->skipped);
        l->n_skipped = skipped->n;
    }
    return PQ_OK;
}

static PqRc list_matches(const PqGlob *g, const char *pattern, Order *o,
                         PqListing *l, PqErr *e)
{
    PqPaths found = {.arena = &l->arena,
                     .left_out = o->how & PQ_LIST_READABLE ? &l->left_out
                                                           : NULL,
                     .lakes = o->how & PQ_LIST_LAKES,
                     .tables = o->how & PQ_LIST_TABLES && o->common == SIZE_MAX &&
                               g->n_parts == 0};
    const PqStop *stop = o->stop;
    uint32_t n_left_out = l->left_out.n;
    PqPaths skipped = {.arena = &l->arena};
    PqRc rc;

    if (o->common == SIZE_MAX) {
        found.test = o->test;
        found.part = o->part;
        found.skipped = &skipped;
    }
    if (pq_s3_is_pattern(pattern)) {
        l->n_requests = 0;           /* of the last element                  */
        PQ_GO(pq_s3_walk(l, g, stop, &found, e));
        PQ_GO(l->lake ? PQ_OK : take_skipped(&skipped, stop, l, e));
    } else {
        PQ_GO(found.lakes ? PQ_OK : refuse_lake_around(g, l->arena.mem, e));
        PQ_GO(pq_glob_walk(g, l->arena.mem, stop, &found, e));
    }
    PQ_GO(sort_paths(&found, l->arena.mem, stop, e));
    drop_repeats(&found);
    rc = found.n || l->lake || l->n_skipped || l->left_out.n > n_left_out ||
                 o->how & PQ_LIST_FOLDER
             ? take_paths(o, l, &found, g->base.n, e)
             : nothing_found(g, pattern, e);
done:
    pq_mem_free(skipped.path);
    pq_mem_free(found.path);
    return rc;
}

/* A folder is what its path says, whatever characters it has. */
static PqRc list_folder(const char *folder, Order *o, PqListing *l, PqErr *e)
{
    size_t n = strlen(folder);
    struct stat st;
    PqGlob g;

    if (pq_url_is(folder) && folder[n - 1] != '/') {
        folder = pq_arena_printf(&l->arena, e, "%s/", folder);
        PQ_TRY(folder ? PQ_OK : e->rc);
    }
    if (pq_url_is(folder) ? !pq_s3_is_pattern(folder)
                          : stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return PQ_OK;
    }
    pq_glob_folder(folder, &g);
    return list_matches(&g, folder, o, l, e);
}

/* Is it the folder of a lake table that can be read?  Then its log says which files
** the table has. */
static PqRc is_table(const char *folder, const Order *o, PqListing *l, bool *is, PqErr *e)
{
    const char *kind = NULL;

    *is = false;
    if (o->how & PQ_LIST_TABLES && o->common == SIZE_MAX) {
        PQ_TRY(pq_lake_of(folder, &kind, e));
        *is = pq_lake_is_read(kind);
        l->lake = *is ? folder : NULL;
        l->lake_kind = kind;
    }
    return PQ_OK;
}

/* ... or the metadata of one, or a folder of a server, which can be nothing else. */
static bool is_metadata(const PqListing *l, const char *pattern)
{
    return pq_url_is(pattern) ? pq_lake_is_metadata(pattern) || pattern[strlen(pattern) - 1] == '/'
                              : !pq_places_is_file(&l->places, pattern) &&
                                    pq_lake_is_metadata(pattern);
}

/* pattern is in the arena of the listing. */
static PqRc list_pattern(const char *pattern, Order *o, PqListing *l, PqErr *e)
{
    Target target = pq_s3_is_pattern(pattern) ? TARGET_GLOB : TARGET_FILE;
    PqGlob g;

    if (o->how & PQ_LIST_FOLDER) {
        return list_folder(pattern, o, l, e);
    }
    if (o->how & PQ_LIST_CATALOG) {
        if (o->common != SIZE_MAX || pq_places_is_file(&l->places, pattern)) {
            return pq_fail(e, PQ_USAGE, "the catalog of a DuckLake is one file on a disk");
        }
        l->lake = pattern;
        l->lake_kind = pq_lake_ducklake;
        return PQ_OK;
    }
    if (target == TARGET_FILE && !pq_places_is_file(&l->places, pattern)) {
        PQ_TRY(target_of(pattern, &target, e));
    }
    if (target == TARGET_PIPE) {
        PQ_TRY(pq_places_read_pipe(&l->places, pattern, e));
    }
    if (target == TARGET_FILE && o->how & PQ_LIST_TABLES && o->common == SIZE_MAX &&
        is_metadata(l, pattern)) {
        l->lake = pattern;
        l->lake_kind = pq_lake_iceberg;
        return PQ_OK;
    }
    if (target == TARGET_FILE || target == TARGET_PIPE) {
        return list_file(o, pattern, l, e);
    }
    if (target == TARGET_FOLDER) {
        bool is;

        PQ_TRY(is_table(pattern, o, l, &is, e));
        if (is) {
            return PQ_OK;
        }
        pq_glob_folder(pattern, &g);
    } else {
        PQ_TRY(pq_glob_parse(pattern, &g, e));
    }
    return list_matches(&g, pattern, o, l, e);
}

/* ---- lists ---------------------------------------------------------------- */

/* A file or a folder may have any name. */
static bool is_list(const char *text)
{
    struct stat st;

    return pq_path_list_is(text) && stat(text, &st) != 0;
}

/* The elements of a list; any other text is one element. */
static PqRc read_elements(const char *text, PqPaths *out, PqErr *e)
{
    return is_list(text) ? pq_path_list_read(text, out, e)
                         : pq_paths_add(out, text, strlen(text), e);
}

/* The bytes before the first component in which the paths differ. */
static size_t common_folders(const PqPaths *p)
{
    size_t common = p->n > 1 ? strlen(p->path[0]) : SIZE_MAX;

    for (uint32_t i = 1; i < p->n; i++) {
        size_t n = 0;

        while (n < common && p->path[i][n] == p->path[0][n]) {
            n++;
        }
        common = n;
    }
    while (p->n > 1 && common && p->path[0][common - 1] != '/') {
        common--;
    }
    return common;
}

/* What it is called from here on. */
static PqRc name_element(const Order *o, PqListing *l, const char **path, PqErr *e)
{
    PQ_TRY(PQ_ARENA_GROW(&l->arena, l->named, l->n_named, e));
    if (strcmp(*path, "-") == 0 && !(o->how & PQ_LIST_FOLDER)) {
        *path = pq_path_of_stdin;
    }
    PQ_TRY(pq_places_name(&l->places, &l->arena, *path, path, e));
    l->named[l->n_named++] = *path;
    l->on_one_thread |= pq_places_is_blob(*path);
    return PQ_OK;
}

/* An element without files is left out if unreadable folders are. */
static PqRc list_element(const char *path, bool alone, Order *o, PqListing *l,
                         PqErr *e)
{
    const char *outer = e->where.file;
    PqRc rc;

    PQ_TRY(pq_stop_poll(o->stop, e));
    e->where.file = *path ? path : outer;
    rc = list_pattern(path, o, l, e);
    if (!alone && o->how & PQ_LIST_READABLE && pq_is_left_out(rc)) {
        pq_left_out_add(&l->left_out, &l->arena, path, e->text);
        pq_err_clear(e);
        rc = PQ_OK;
    }
    e->where.file = outer;
    return rc;
}

static PqRc list(const char *text, Order *o, PqListing *l, PqErr *e)
{
    PqPaths paths = {.arena = &l->arena};
    const char *repeat = NULL, *outer = e->where.file;
    PqRc rc;

    PQ_GO(o->how & PQ_LIST_FOLDER ? pq_paths_add(&paths, text, strlen(text), e)
                                  : read_elements(text, &paths, e));
    for (uint32_t i = 0; i < paths.n; i++) {
        PQ_GO(name_element(o, l, &paths.path[i], e));
    }
    o->common = common_folders(&paths);
    for (uint32_t i = 0; i < paths.n; i++) {
        PQ_GO(list_element(paths.path[i], paths.n == 1, o, l, e));
    }
    e->where.file = paths.n == 1 ? paths.path[0] : outer;
    if (!l->n_files && !(o->how & PQ_LIST_FOLDER) && !l->lake && !l->n_skipped) {
        rc = pq_fail(e, PQ_IO, "%s", l->left_out.v[0].why);
        goto done;
    }
    if (paths.n > 1) {
        PQ_GO(pq_listing_repeat(l->files, l->n_files, l->arena.mem, o->stop,
                                &repeat, e));
    }
    if (repeat) {
        rc = pq_fail(e, PQ_USAGE, "the list of paths has %s twice", repeat);
        goto done;
    }
    l->places.terms.one_of_many = l->n_files > 1;
    rc = o->how & PQ_LIST_HIVE ? pq_hive_fill(l, o->stop, e) : PQ_OK;
done:
    e->where.file = outer;
    pq_mem_free(paths.path);
    return rc;
}

PqRc pq_listing_keep_versions(PqListing *l, PqMem *mem, PqErr *e)
{
    return pq_versions_new(mem, &l->places, &l->versions, e);
}

PqRc pq_listing_open(const PqListing *l, PqMem *mem, const char *path,
                     PqSource **out, PqErr *e)
{
    return l->versions ? pq_versions_open(l->versions, mem, path, out, e)
                       : pq_places_open(&l->places, mem, path, out, e);
}

/* Among so many files the next ones are looked for. */
enum { EXPECTED_MOST = 16, LOOKED_AT_MOST = 1000 };

/* At first few, because a LIMIT may end a statement early. */
static uint32_t most_expected(const PqListing *l)
{
    uint32_t n = pq_versions_count(l->versions);

    return n < 3 ? 3u << n : EXPECTED_MOST;
}

bool pq_listing_is_far(const PqListing *l, uint32_t i)
{
    return l->versions && l->places.remote && i < l->n_files &&
           pq_url_is(l->files[i].path);
}

void pq_listing_expect(const PqListing *l, uint32_t i, PqSkipFile skip, void *arg)
{
    uint32_t n, end;

    if (!pq_listing_is_far(l, i) || l->n_files == 1) {
        return;
    }
    n = most_expected(l);
    end = l->n_files - i > LOOKED_AT_MOST ? i + LOOKED_AT_MOST : l->n_files;
    for (; i < end && n > 0; i++) {
        if (pq_listing_is_far(l, i) && !(skip && skip(arg, &l->files[i]))) {
            n = pq_versions_expect(l->versions, l->files[i].path) ? n - 1 : 0;
        }
    }
}

bool pq_listing_has_come(const PqListing *l, uint32_t i)
{
    return pq_listing_is_far(l, i) && pq_versions_has_come(l->versions, l->files[i].path);
}

PqRc pq_listing_make(const char *pattern, unsigned how, const PqPlaces *places,
                     PqMem *mem, const PqStop *stop, PqListing *out, PqErr *e)
{
    return pq_listing_make_part(pattern, how, places, mem, stop, NULL, NULL, out, e);
}

PqRc pq_listing_make_part(const char *pattern, unsigned how, const PqPlaces *places,
                          PqMem *mem, const PqStop *stop, const PqFolderTest *test,
                          const PqListing *part, PqListing *out, PqErr *e)
{
    Order order = {.how = how, .stop = stop, .test = test, .part = part};
    PqRc rc;

    *out = (PqListing){.places = places ? *places : (PqPlaces){0}};
    pq_arena_init(&out->arena, mem);
    rc = list(pattern, &order, out, e);
    if (rc != PQ_OK) {
        pq_listing_free(out);
    }
    return rc;
}

/* The path without links, as far as it exists, of PATH_MAX bytes. */
static bool real_path(const char *path, char *out)
{
    size_t n = strlen(path), at, used;

    if (!pq_folder_real(path, out, &at)) {
        return false;
    }
    used = strlen(out);
    while (path[at] == '/') {
        at++;
    }
    if (used + 1 + (n - at) >= PATH_MAX) {
        return false;
    }
    while (n > at && path[n - 1] == '/') {
        n--;
    }
    if (at < n) {
        out[used] = '/';
        memcpy(out + used + 1, path + at, n - at);
        out[used + 1 + (n - at)] = 0;
    }
    return true;
}

/* No links lead to another name of a key. */
static PqRc url_would_have(const char *pattern, const char *path, bool *has, PqErr *e)
{
    PqGlob g;

    if (pq_s3_is_pattern(pattern)) {
        PQ_TRY(pq_glob_parse(pattern, &g, e));
        *has = !strncmp(path, (const char *)g.base.p, g.base.n) &&
               pq_glob_leads_to_file(&g, pq_glob_start(&g), path + g.base.n);
    }
    return PQ_OK;
}

/* A path that does not exist has no files; a path that cannot be looked at may
** have some. */
static PqRc pattern_would_have(const char *pattern, const char *path, bool *has,
                               PqErr *e)
{
    char base[PATH_MAX], real_base[PATH_MAX], real[PATH_MAX];
    Target target;
    size_t n;
    PqErr why = PQ_NO_ERR;
    PqGlob g;

    if (pq_url_is(pattern)) {
        return url_would_have(pattern, path, has, e);
    }
    if (target_of(pattern, &target, &why) != PQ_OK) {
        return target == TARGET_ABSENT
                   ? PQ_OK : pq_fail(e, why.rc, "%s: %s", pattern, why.text);
    }
    pq_glob_folder(pattern, &g);
    if (target == TARGET_FILE ||
        (target == TARGET_GLOB && pq_glob_parse(pattern, &g, &why) != PQ_OK) ||
        g.base.n >= sizeof base) {
        return PQ_OK;
    }
    memcpy(base, g.base.p, g.base.n);
    base[g.base.n] = 0;
    if (!real_path(base, real_base) || !real_path(path, real)) {
        return PQ_OK;
    }
    n = strcmp(real_base, "/") ? strlen(real_base) : 0;
    *has = !strncmp(real, real_base, n) && real[n] == '/' &&
           pq_glob_leads_to_file(&g, pq_glob_start(&g), real + n);
    return PQ_OK;
}

PqRc pq_listing_would_have(const char *pattern, PqMem *mem, const char *path,
                           bool *has, PqErr *e)
{
    PqArena a;
    PqPaths paths = {.arena = &a};
    PqRc rc;

    *has = false;
    pq_arena_init(&a, mem);
    rc = read_elements(pattern, &paths, e);
    for (uint32_t i = 0; rc == PQ_OK && i < paths.n && !*has; i++) {
        rc = pattern_would_have(paths.path[i], path, has, e);
    }
    pq_mem_free(paths.path);
    pq_arena_free(&a);
    return rc;
}

void pq_listing_free(PqListing *l)
{
    for (uint32_t i = 0; i < l->n_named; i++) {
        pq_places_let_go(&l->places, l->named[i]);
    }
    pq_versions_free(l->versions);
    pq_lake_snapshot_release(l->snapshot);
    pq_arena_free(&l->arena);
    *l = (PqListing){0};
}
