/*
** entry.c - what .load calls: registers everything the extension has.
**
** SQLite looks for sqlite3_extension_init, and if there is none, for
** sqlite3_NAME_init with NAME taken from the name of the file.  The first works if the
** file was renamed, and is in loadable.c; the second is for a program that links the
** extension in, next to others that also have the first name.
**
** The hard part is ownership: each module and function that is registered holds
** the host (host.h), and this function lets go of it at the end.  So a
** registration that fails midway frees what was made.
*/
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT1

#include "ext/functions/table_function.h"
#include "ext/table/vtable.h"
#include "sql/timestamp.h"
#include "sql/variant_functions/variant_functions.h"
#include "sql/version.h"

#define PQEXT_EXPORT __attribute__((visibility("default")))

enum { OLDEST_SQLITE = 3040000 };

PQEXT_EXPORT int sqlite3_parquet_init(sqlite3 *db, char **error,
                                      const sqlite3_api_routines *api);

/* The functions that return a value. */
static int register_scalars(sqlite3 *db, PqextHost *host)
{
    int rc = pqsql_register_version(db);

    rc = rc == SQLITE_OK ? pqsql_register_timestamp(db) : rc;
    rc = rc == SQLITE_OK ? pqsql_register_variants(db, host->twins) : rc;
    return rc == SQLITE_OK ? pqsql_register_geo(db, &host->geo) : rc;
}

int sqlite3_parquet_init(sqlite3 *db, char **error,
                         const sqlite3_api_routines *api)
{
    static int (*const parts[])(sqlite3 *, PqextHost *) = {
        register_scalars,    pqext_register_table,
        pqext_register_copy, pqext_register_keys,
        pqext_register_table_functions,
    };
    PqextHost *host;
    int rc;

    SQLITE_EXTENSION_INIT2(api);
    if (sqlite3_libversion_number() < OLDEST_SQLITE) {
        *error = sqlite3_mprintf("parquet needs SQLite 3.40 or newer, this is "
                                 "%s", sqlite3_libversion());
        return SQLITE_ERROR;
    }
    rc = pqext_host_new(db, &host, error);
    if (rc != SQLITE_OK) {
        return rc;
    }
    for (size_t i = 0; i < PQ_COUNT(parts) && rc == SQLITE_OK; i++) {
        rc = parts[i](db, host);
    }
    pqext_host_release(host);
    if (rc != SQLITE_OK && !*error) {
        *error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    }
    return rc;
}
