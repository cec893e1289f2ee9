/*
** lake_tables.c - looks for the logs of lake tables.
**
** The search goes up the real path, so that "." inside a partition is found to
** be in the table.  A file that does not exist is not a log.  A file that
** cannot be looked at may be one, so that is an error.
**
** A path has at most PATH_MAX bytes, to the system too.  If the real path of a folder
** has more, which a shorter path from the current folder can lead to, the folders above
** it are not searched.
*/
#define _GNU_SOURCE
#include "core/base/lake_tables.h"

#include "core/base/ascii.h"
#include "core/base/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

static bool is_any(const char *name)
{
    return *name != 0;
}

/* 00002-f3.metadata.json, v3.gz.metadata.json */
static bool is_metadata(const char *name)
{
    return pq_ascii_is_digit(name[*name == 'v']) &&
           strstr(name, ".metadata.json") != NULL;
}

static bool is_properties(const char *name)
{
    return strcmp(name, "hoodie.properties") == 0;
}

const char pq_lake_delta[] = "a Delta table", pq_lake_iceberg[] = "an Iceberg table";
const char pq_lake_ducklake[] = "a DuckLake table";

bool pq_lake_is_read(const char *kind)
{
    return kind == pq_lake_delta || kind == pq_lake_iceberg;
}

bool pq_lake_is_metadata(const char *path)
{
    return strstr(pq_path_name(path), ".metadata.json") != NULL;
}

/* A folder in the folder of a table, and what is in it. */
static const struct {
    const char *mark, *kind;
    bool      (*holds)(const char *name);
} lakes[] = {
    {"_delta_log", pq_lake_delta, is_any},
    {"metadata", pq_lake_iceberg, is_metadata},
    {".hoodie", "a Hudi table", is_properties},
};

static PqRc holds(const char *folder, bool (*is)(const char *name), bool *out,
                  PqErr *e)
{
    DIR *d = pq_folder_open(folder);
    struct dirent *entry = NULL;
    char buf[128];
    int err;

    *out = false;
    if (!d && (errno == ENOENT || errno == ENOTDIR)) {
        return PQ_OK;
    }
    while (d && !*out && (entry = pq_folder_next(d)) != NULL) {
        *out = is(entry->d_name);
    }
    err = *out ? 0 : errno;
    if (d) {
        closedir(d);
    }
    return err ? pq_fail(e, PQ_IO, "%s: cannot read this folder: %s", folder,
                         pq_system_words(err, buf, sizeof buf))
               : PQ_OK;
}

bool pq_lake_mark(const char *name)
{
    size_t i = 0;

    while (i < PQ_COUNT(lakes) && strcmp(lakes[i].mark, name) != 0) {
        i++;
    }
    return i < PQ_COUNT(lakes);
}

PqRc pq_lake_of(const char *folder, const char **kind, PqErr *e)
{
    char path[PATH_MAX];

    *kind = NULL;
    for (size_t i = 0; i < PQ_COUNT(lakes) && !*kind; i++) {
        int n = snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".",
                         lakes[i].mark);
        bool is = false;

        if (n < (int)sizeof path) {
            PQ_TRY(holds(path, lakes[i].holds, &is, e));
        }
        *kind = is ? lakes[i].kind : NULL;
    }
    return PQ_OK;
}

const char *pq_lake_of_key(const char *key, size_t *n)
{
    const char *at = key, *slash;

    for (; (slash = strchr(at, '/')) != NULL; at = slash + 1) {
        for (size_t i = 0; i < PQ_COUNT(lakes); i++) {
            if (pq_slice_is(pq_slice(at, (size_t)(slash - at)), lakes[i].mark) &&
                (lakes[i].holds == is_any || lakes[i].holds(slash + 1))) {
                *n = (size_t)(at - key);
                return lakes[i].kind;
            }
        }
    }
    return NULL;
}

/* A path goes on with this entry of the table's folder.  Does it leave the
** data? */
static bool is_beside(const char *entry)
{
    char name[NAME_MAX + 1];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "/"), entry);
    return pq_lake_mark(name) || pq_folder_is_hidden(name);
}

PqRc pq_lake_around(const char *folder, PqMem *mem, const char **kind,
                    char **table, PqErr *e)
{
    char path[PATH_MAX], *slash;
    size_t used;
    bool is_real = pq_folder_real(folder, path, &used);

    *table = NULL;
    PQ_TRY(pq_lake_of(folder, kind, e));
    if (*kind) {
        *table = pq_mem_text(mem, folder, strlen(folder), e);
    }
    for (bool beside = false; !*kind && is_real;) {
        if (!beside) {
            PQ_TRY(pq_lake_of(*path ? path : "/", kind, e));
        }
        if (*kind) {
            *table = pq_mem_text(mem, path, strlen(path), e);
        }
        if (!(slash = strrchr(path, '/'))) {
            break;
        }
        beside = is_beside(slash + 1);
        *slash = 0;
    }
    return e->rc;
}

PqRc pq_lake_refuse(const char *table, const char *kind, PqErr *e)
{
    bool is_read = pq_lake_is_read(kind);
    const PqWhere outer = pq_where_enter(e, NULL);

    pq_fail(e, PQ_IO, "%.300s is %s, not a pile of files: its log says which "
            "rows of its files count, and is %s", table, kind,
            is_read ? "read if that folder is named alone" : "not read");
    pq_err_hint(e, "for all rows of all files, also those that were removed: "
                "SELECT parquet_attach('t', '%.300s', 'format=files')", table);
    e->where = outer;
    return e->rc;
}

PqRc pq_lake_refuse_copy(const char *folder, PqMem *mem, PqErr *e)
{
    const char *kind = NULL;
    char *table = NULL;

    if (pq_lake_around(folder, mem, &kind, &table, e) == PQ_OK && kind && table) {
        pq_fail(e, PQ_USAGE, "%.300s is %s: a file that its log does not know "
                "would not be one of its files; write to a folder outside of it",
                table, kind);
    }
    pq_mem_free(table);
    return e->rc;
}
