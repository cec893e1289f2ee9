/*
** key_functions.h - parquet_key and parquet_key_file: they give a connection
** its keys.  And the argument keys of other functions, which names them.  And
** parquet_secret and parquet_allow: which servers it may ask, with what secrets.
**
**   SELECT parquet_key('kf', readfile('kf.key'))          256
**   SELECT parquet_key('kf', NULL)                        NULL: it is forgotten
**   SELECT parquet_key_file('kf', 'kf.key')               256
**   SELECT parquet_key_file('keys.json')                  3
**   SELECT parquet_secret('s3://bucket/', json)           its prefix; NULL forgets
**   SELECT parquet_allow('https://data.example.org/')     its prefix
**
** The keys are in the ring of the engine, by name.  No function gives a key
** back.  SQLite may keep an argument: a literal stays in the text of the
** statement, and a parameter in the program's memory.
*/
#ifndef PQSQL_KEY_FUNCTIONS_H
#define PQSQL_KEY_FUNCTIONS_H

#include "core/for_host.h"
#include "sql/sqlite.h"

typedef struct PqsqlKeyHost {
    PqEngine *engine;
    void    (*changed)(void *arg, bool given);   /* there are other keys now:
                                     ** one more, or one was forgotten       */
    void     *arg;
} PqsqlKeyHost;

/* The keys that argument v of a function names, out of those in the ring, and the
** options of patience.h beside them; v may be NULL. */
PqRc pqsql_keys_of(PqKeyRing *ring, sqlite3_value *v, PqArena *a,
                   PqKeyChoice *out, PqPatience *patience, PqErr *e);

/* Fails if a column of l->keys is in no file of the listing.  Opens files until
** each column was found: mostly the first one.  A file that does not open may
** have any column; reading it later says why. */
PqRc pqsql_keys_fit(PqEngine *g, const PqListing *l, PqErr *e);

/* ---- secret_functions.c ---- */

void pqsql_secret(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void pqsql_allow(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* All four.  host must live as long as the connection's modules. */
int pqsql_register_keys(sqlite3 *db, PqsqlKeyHost *host);

#endif
