/*
** folder_hint.c - the first names of a folder, sorted by their bytes.
**
**   it holds 1204 other names: a.csv, b.csv, c.csv, ...
**
** A listing leaves out names that begin with "." or "_".  The hint mentions
** them only when there are no others.  A folder may hold millions of names, so
** only SEEN_AT_MOST are read and only SHOWN are kept.
*/
#define _GNU_SOURCE
#include "core/files/folder_hint.h"

#include "core/base/folder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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
