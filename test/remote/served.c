/*
** served.c - makes every local file that is read a file on a server, for served.sh.
**
**   a.parquet              http://127.0.0.1:PORT/cwd/a.parquet
**   ./a.parquet            http://127.0.0.1:PORT/dot/a.parquet
**   /tmp/a b.parquet       http://127.0.0.1:PORT/root/tmp/a%20b.parquet
**   sales                  s3://cwd/sales/
**   sales/y=?               s3://cwd/sales/y=?
**   ["a.parquet", "b"]     ["s3://cwd/a.parquet", "s3://cwd/b/"]
**
** It is linked into an extension that is like any other but for four calls, which the
** linker leads here (--wrap).  A copy looks at its target where it is, because it writes
** there; so does a compaction, and an archive at its files.  PARQUET_SERVED is the URL of proxy.mjs, which serves the
** same files; PARQUET_SERVED_LOG a file that gets a line for each argument: how it is
** read, or why it stays a local one.
*/
#include "core/files/path_list.h"
#include "core/files/places.h"
#include "core/write/run_folder.h"
#include "sql/copy/copy_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

PqRc __real_pq_listing_make_part(const char *pattern, unsigned how, const PqPlaces *places,
                                 PqMem *mem, const PqStop *stop, const PqFolderTest *test,
                                 const PqListing *part, PqListing *out, PqErr *e);
PqRc __wrap_pq_listing_make_part(const char *pattern, unsigned how, const PqPlaces *places,
                                 PqMem *mem, const PqStop *stop, const PqFolderTest *test,
                                 const PqListing *part, PqListing *out, PqErr *e);
PqRc __wrap_pq_listing_make(const char *pattern, unsigned how, const PqPlaces *places,
                            PqMem *mem, const PqStop *stop, PqListing *out, PqErr *e);
PqRc __real_pq_access_new(PqMem *mem, PqAccess **out, PqErr *e);
PqRc __wrap_pq_access_new(PqMem *mem, PqAccess **out, PqErr *e);

PqRc __real_pqsql_copy_folder_open(const PqsqlCopyInto *into, PqsqlCopyFolder **out,
                                   PqErr *e);
PqRc __wrap_pqsql_copy_folder_open(const PqsqlCopyInto *into, PqsqlCopyFolder **out,
                                   PqErr *e);

PqRc __real_pqsql_copy_folder_again(const PqsqlCopyFolder *f, const PqsqlCopyInto *into,
                                    const PqsqlCopyColumns *columns, PqErr *e);
PqRc __wrap_pqsql_copy_folder_again(const PqsqlCopyFolder *f, const PqsqlCopyInto *into,
                                    const PqsqlCopyColumns *columns, PqErr *e);

static _Thread_local bool is_target;

static const char *served(void)
{
    const char *url = getenv("PARQUET_SERVED");

    return url && *url ? url : NULL;
}

static void note(const char *kind, const char *path)
{
    const char *name = getenv("PARQUET_SERVED_LOG");
    FILE *f = name ? fopen(name, "a") : NULL;

    if (f) {
        fprintf(f, "%s\t%s\n", kind, path);
        fclose(f);
    }
}

/* ---- what may be asked ------------------------------------------------------------ */

PqRc __wrap_pq_access_new(PqMem *mem, PqAccess **out, PqErr *e)
{
    const char *url = served();
    char json[256];
    PqSlice text;

    PQ_TRY(__real_pq_access_new(mem, out, e));
    if (!url) {
        return PQ_OK;
    }
    snprintf(json, sizeof json, "{\"endpoint\": \"%s\", \"use_ssl\": false, "
             "\"url_style\": \"path\", \"key_id\": \"test\", \"secret\": \"test\"}",
             url + strlen("http://"));
    text = pq_slice_text(json);
    PQ_TRY(pq_access_put(*out, "s3://", &text, e));
    snprintf(json, sizeof json, "%s/", url);
    return pq_access_allow(*out, json, e);
}

/* ---- what stays ------------------------------------------------------------------- */

typedef enum Kind { FILE_OF_ITS_OWN, FOLDER, GLOB, STAYS } Kind;

/* Is a component "." or "..", but for the first?  A URL would lose it. */
static bool has_dots(const char *path)
{
    path += path[0] == '.' && (path[1] == '/' || !path[1]);
    for (const char *at = path; at; at = strchr(at, '/')) {
        size_t n;

        at += *at == '/';
        n = strcspn(at, "/");
        if ((n == 1 && *at == '.') || (n == 2 && at[0] == '.' && at[1] == '.')) {
            return true;
        }
    }
    return false;
}

static Kind stays(const char *why, const char *path)
{
    note(why, path);
    return STAYS;
}

static Kind kind_of(const PqPlaces *places, const char *path)
{
    struct stat st;

    if (pq_places_is_file(places, path) || strncmp(path, "file:", 5) == 0 ||
        strstr(path, ":/")) {
        return stays("local: has a scheme", path);
    }
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) {
        return stays("local: of this process", path);
    }
    if (has_dots(path)) {
        return stays("local: has dots", path);
    }
    if (pq_run_folder_in(path)) {
        return stays("local: of an archive", path);
    }
    if (!*path || stat(path, &st) != 0) {
        return *path && pq_glob_is(path) ? GLOB : stays("local: absent", path);
    }
    if (S_ISDIR(st.st_mode)) {
        return pq_glob_is(path) ? stays("local: a folder like a glob", path) : FOLDER;
    }
    return S_ISREG(st.st_mode) ? FILE_OF_ITS_OWN
                               : stays("local: not a regular file", path);
}

/* ---- texts ------------------------------------------------------------------------ */

/* Folders like k=1 are columns, as they are written. */
static const char *with_equals(const char *encoded)
{
    for (char *at; (at = strstr(encoded, "%3D")) != NULL;) {
        *at = '=';
        memmove(at + 1, at + 3, strlen(at + 3) + 1);
    }
    return encoded;
}

/* s3: listings, and what stands beside them in a list. */
static const char *url_of(PqArena *a, Kind kind, bool s3, const char *path, PqErr *e)
{
    bool dot = path[0] == '.' && (path[1] == '/' || !path[1]);
    const char *place = *path == '/' ? "root" : dot ? "dot" : "cwd", *encoded;
    const char *key = path + dot, *slash;

    key += *key == '/';
    slash = kind == FOLDER && *key && key[strlen(key) - 1] != '/' ? "/" : "";
    if (s3) {
        return pq_arena_printf(a, e, "s3://%s/%s%s", place, key, slash);
    }
    encoded = pq_url_encode(a, pq_slice_text(key), true, e);
    return encoded ? pq_arena_printf(a, e, "%s/%s/%s", served(), place,
                                     with_equals(encoded)) : NULL;
}

/* An element of a JSON array. */
static const char *quoted(PqArena *a, const char *before, const char *text, PqErr *e)
{
    char *out = pq_arena_alloc(a, strlen(before) + 6 * strlen(text) + 4, e), *to;

    if (!out) {
        return NULL;
    }
    to = out + sprintf(out, "%s%s\"", before, *before ? ", " : "[");
    for (; *text; text++) {
        to += sprintf(to, (uint8_t)*text < ' ' || *text == '"' || *text == '\\'
                              ? "\\u%04x" : "%c", (uint8_t)*text);
    }
    sprintf(to, "\"");
    return out;
}

/* The pattern, or one of URLs in its place. */
static PqRc rewrite(const PqPlaces *places, PqArena *a, const char **pattern, PqErr *e)
{
    PqPaths paths = {.arena = a};
    bool is_list, s3 = false;
    const char *list = "";
    struct stat st;
    PqRc rc;

    is_list = pq_path_list_is(*pattern) && stat(*pattern, &st) != 0;
    PQ_GO(is_list ? pq_path_list_read(*pattern, &paths, e)
                  : pq_paths_add(&paths, *pattern, strlen(*pattern), e));
    for (uint32_t i = 0; i < paths.n; i++) {
        Kind kind = kind_of(places, paths.path[i]);

        if (kind == STAYS) {         /* a list stays whole                  */
            goto done;
        }
        s3 |= kind != FILE_OF_ITS_OWN;
    }
    for (uint32_t i = 0; i < paths.n; i++) {
        Kind kind = kind_of(places, paths.path[i]);

        if (s3 && kind == FILE_OF_ITS_OWN && pq_glob_is(paths.path[i])) {
            stays("local: a file like a glob", paths.path[i]);
            goto done;
        }
        paths.path[i] = url_of(a, kind, s3, paths.path[i], e);
        PQ_GO(paths.path[i] ? PQ_OK : e->rc);
        list = is_list ? quoted(a, list, paths.path[i], e) : list;
        PQ_GO(list ? PQ_OK : e->rc);
    }
    *pattern = is_list ? pq_arena_printf(a, e, "%s]", list) : paths.path[0];
    note(s3 ? "by s3" : "by http", *pattern ? *pattern : "");
    rc = *pattern ? PQ_OK : e->rc;
done:
    pq_mem_free(paths.path);
    return rc;
}

PqRc __wrap_pq_listing_make_part(const char *pattern, unsigned how, const PqPlaces *places,
                                 PqMem *mem, const PqStop *stop, const PqFolderTest *test,
                                 const PqListing *part, PqListing *out, PqErr *e)
{
    const char *as = pattern;
    bool stays = is_target || how & (PQ_LIST_FOLDER | PQ_LIST_CATALOG);
    PqArena a;
    PqErr why;
    PqRc rc;

    if (!served() || stays || !places || !places->remote) {
        return __real_pq_listing_make_part(pattern, how, places, mem, stop, test, part, out, e);
    }
    pq_arena_init(&a, mem);
    pq_err_init(&why);
    if (rewrite(places, &a, &as, &why) != PQ_OK) {
        note("local: not a list", pattern);
        as = pattern;
    }
    pq_err_clear(&why);
    rc = __real_pq_listing_make_part(as, how, places, mem, stop, test, part, out, e);
    pq_arena_free(&a);
    return rc;
}

PqRc __wrap_pq_listing_make(const char *pattern, unsigned how, const PqPlaces *places,
                            PqMem *mem, const PqStop *stop, PqListing *out, PqErr *e)
{
    return __wrap_pq_listing_make_part(pattern, how, places, mem, stop, NULL, NULL, out, e);
}

PqRc __wrap_pqsql_copy_folder_open(const PqsqlCopyInto *into, PqsqlCopyFolder **out,
                                   PqErr *e)
{
    is_target = true;
    __real_pqsql_copy_folder_open(into, out, e);
    is_target = false;
    return e->rc;
}

PqRc __wrap_pqsql_copy_folder_again(const PqsqlCopyFolder *f, const PqsqlCopyInto *into,
                                    const PqsqlCopyColumns *columns, PqErr *e)
{
    is_target = true;
    __real_pqsql_copy_folder_again(f, into, columns, e);
    is_target = false;
    return e->rc;
}
