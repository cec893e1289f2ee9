/*
** path_hint.c - what to write instead of a path where nothing was found.
**
** What is hard is to tell a URL from a path, because "a:b" is a valid name: a
** scheme has at least two letters and ":/" after it.  Texts are built in fixed
** buffers, so a very long path is cut.  A folder may hold millions of names, so
** only SEEN_AT_MOST are read and only SHOWN are kept.
*/
#define _GNU_SOURCE
#include "core/base/path_hint.h"

#include "core/base/ascii.h"
#include "core/base/folder.h"
#include "core/base/system.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t pq_path_scheme(const char *path)
{
    size_t n = 0;

    while (pq_ascii_is_letter(path[n]) || pq_ascii_is_digit(path[n]) ||
           (n > 0 && strchr("+-.", path[n]) && path[n])) {
        n++;
    }
    return n > 1 && pq_ascii_is_letter(path[0]) &&
                   strncmp(path + n, ":/", 2) == 0
               ? n : 0;
}

/* Schemes of stores that are reached by another one. */
static const struct {
    const char *scheme, *instead;
} stores[] = {
#define GOOGLE "write s3://: parquet_secret gives HMAC keys and the endpoint " \
    "storage.googleapis.com"
#define AZURE "https://ACCOUNT.blob.core.windows.net/CONTAINER/PATH?SAS reads it"
    {"s3a", "write s3://"}, {"s3n", "write s3://"},
    {"gs", GOOGLE}, {"gcs", GOOGLE},
    {"abfss", AZURE}, {"abfs", AZURE}, {"az", AZURE},
    {"hf", "https://huggingface.co/datasets/OWNER/NAME/resolve/main/PATH reads it"},
};

static void hint_scheme(const char *path, size_t n, bool to, PqErr *e)
{
    for (size_t i = 0; i < PQ_COUNT(stores); i++) {
        if (strlen(stores[i].scheme) == n &&
            pq_ascii_same_n(path, stores[i].scheme, n)) {
            pq_err_hint(e, "%s", stores[i].instead);
            return;
        }
    }
    if (to) {
        pq_err_hint(e, "only local files, s3:// and https:// are written: write to a "
                       "local path, then copy the file to %.*s://", (int)n, path);
    } else {
        pq_err_hint(e, "only local files, s3:// and https:// are read: download or mount "
                       "what %.*s:// names, and give its local path", (int)n, path);
    }
}

/* A shell expands ~ at the start of a word; here nobody does. */
static void hint_home(const char *path, PqErr *e)
{
    const char *home = getenv("HOME");

    if (path[1] == 0 || path[1] == '/') {
        pq_err_hint(e, "only a shell expands ~: write '%s%s'",
                    home && *home ? home : "/home/...", path + 1);
    } else {
        pq_err_hint(e, "only a shell expands ~: write the whole path");
    }
}

bool pq_path_is_of_others(const char *path)
{
    return pq_path_scheme(path) > 0 || path[0] == '~';
}

/* Adds what is wrong with the path itself; false if nothing is. */
static bool hint_path(const char *path, bool to, PqErr *e)
{
    size_t n = pq_path_scheme(path);

    if (n > 0) {
        hint_scheme(path, n, to, e);
    } else if (path[0] == '~') {
        hint_home(path, e);
    }
    return pq_path_is_of_others(path);
}

/* A shell makes two words of {a,b}. */
static bool has_braces(const char *path)
{
    const char *open = strchr(path, '{');
    const char *comma = open ? strchr(open, ',') : NULL;

    return comma && strchr(comma, '}');
}

void pq_path_hint(const char *path, PqErr *e)
{
    char here[PQ_ERR_TEXT / 2];

    if (has_braces(path)) {
        pq_err_hint(e, "only a shell expands {a,b}: a glob has * ? [..] "
                       "and **");
    }
    if (!hint_path(path, false, e) && !pq_system_is_absolute(path) &&
        getcwd(here, sizeof here)) {
        pq_err_hint(e, "relative paths start at %s", here);
    }
}

void pq_path_hint_to(const char *path, PqErr *e)
{
    char here[PQ_ERR_TEXT / 2] = "";

    if (!hint_path(path, true, e)) {
        bool relative = !pq_system_is_absolute(path) && getcwd(here, sizeof here);

        pq_err_hint(e, "create it first%s%s", relative
                        ? "; relative paths start at " : "", here);
    }
}

/* ---- a folder without Parquet files ---- */

enum { SHOWN = 3, SEEN_AT_MOST = 10000 };

typedef struct Names {
    char     first[SHOWN][NAME_MAX + 1];     /* sorted                      */
    unsigned n, n_hidden;
} Names;

static void add(Names *names, const char *name)
{
    unsigned n = names->n < SHOWN ? names->n : SHOWN, i = n;

    names->n++;
    while (i > 0 && strcmp(name, names->first[i - 1]) < 0) {
        i--;
    }
    if (i == SHOWN) {
        return;
    }
    n = n < SHOWN ? n : SHOWN - 1;
    memmove(names->first[i + 1], names->first[i],
            (n - i) * sizeof names->first[0]);
    snprintf(names->first[i], sizeof names->first[i], "%s", name);
}

/* Reads up to SEEN_AT_MOST names; false when the folder cannot be read. */
static bool read_names(const char *folder, Names *names)
{
    DIR *d = pq_folder_open(folder);
    struct dirent *entry;

    if (!d) {
        return false;
    }
    while (names->n + names->n_hidden < SEEN_AT_MOST &&
           (entry = pq_folder_next(d)) != NULL) {
        const char *name = entry->d_name;

        if (*name == '.' || *name == '_') {
            names->n_hidden++;
        } else {
            add(names, name);
        }
    }
    closedir(d);
    return true;
}

void pq_folder_hint(const char *folder, PqErr *e)
{
    Names names = {.n = 0};

    if (!read_names(folder, &names)) {
        return;
    }
    if (names.n == 0) {
        pq_err_hint(e, names.n_hidden ? "it holds only names that begin with "
                                        "\".\" or \"_\", which are left out"
                                      : "it is empty");
        return;
    }
    pq_err_hint(e, "it holds %s%u other name%s: %.60s%s%.60s%s%.60s%s",
                names.n >= SEEN_AT_MOST ? "at least " : "", names.n,
                names.n > 1 ? "s" : "", names.first[0], names.n > 1 ? ", " : "",
                names.first[1], names.n > 2 ? ", " : "", names.first[2],
                names.n > SHOWN ? ", ..." : "");
    pq_err_hint(e, "to read Parquet files with other names, use a glob: "
                   "'%.200s%s*'", folder,
                folder[strlen(folder) - 1] == '/' ? "" : "/");
}
