/*
** loadable.c - the name that SQLite looks for first in a library that it loads.  A
** program that links the extension in does without it, because others have it, too.
*/
#include <sqlite3ext.h>

__attribute__((visibility("default"))) int
sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);
int sqlite3_parquet_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    return sqlite3_parquet_init(db, error, api);
}
