/*
** host.h - what the extension keeps for one connection.
**
** One PqextHost is made when the extension is loaded.  Its modules and
** functions share it, and the last of them to be destroyed frees it.  It has
** the engine, which remembers footers.  It also tells a long scan that the user
** interrupted it: stepping any statement shows that, in every version of
** SQLite.
*/
#ifndef PQEXT_HOST_H
#define PQEXT_HOST_H

#include "core/for_host.h"
#include "sql/argument.h"
#include "sql/copy/copy_origin.h"
#include "sql/geo_functions/geo_functions.h"
#include "sql/keys/key_functions.h"
#include "sql/variant_functions/variants.h"

struct PqextTable;
struct PqextCursor;

typedef struct PqextHost {
    sqlite3      *db;
    PqEngine     *engine;
    uint32_t      holders;           /* the last one that lets go frees it  */
    int64_t       asked;             /* when SQLite was asked last, in ms   */
    int64_t       quiet_since;       /* no rows since then; 0: there were   */
    uint32_t      slow_rows;         /* by pqext_host_gave_row              */
    struct PqextTable *tables;       /* the connected ones: table_list.c    */
    struct PqextCursor *opened;      /* by the last xOpen, or NULL          */
    const void   *compiled;          /* the statement compiled last: see    */
    uint64_t      n_compiled;        /* plan_idxstr.c; its number           */
    uint64_t      n_plans;           /* that were made: likewise            */
    PqsqlTwins   *twins;
    PqsqlVariants *variants;         /* of variant_explode.c; NULL: none yet */
    PqsqlGeoOurs *geo;
    PqsqlCopyHost copies;
    uint64_t      watch;             /* number of the copy whose query was
                                     ** compiled last: table_list.c         */
    PqsqlKeyHost  keys;
} PqextHost;

int  pqext_host_new(sqlite3 *db, PqextHost **out, char **error);
void pqext_host_release(void *host);     /* fits SQLite's destructors */

/* For PqScanOptions.stop; arg is the host. */
bool pqext_host_stop(void *host);

/* While a statement is being prepared, often no other is running.  SQLite then
** forgets an interrupt when the next statement begins, and that would be the
** statement that pqext_host_stop steps first.  So one statement is begun here
** and left running until sqlite3_finalize.  NULL: out of memory. */
sqlite3_stmt *pqext_host_listen(PqextHost *h);

/* The integer that a statement answers; false: it has no row, or fails. */
bool pqext_ask_int(sqlite3 *db, const char *sql, int *out);

/* A call begins, or rows were returned: SQLite itself has run. */
void pqext_host_sqlite_ran(void *host);

/* One row was returned, which may have taken long to find.  Only after many
** rows it counts as SQLite having run. */
void pqext_host_gave_row(PqextHost *h);

/* SQLITE_ERROR, and a text into *message; SQLITE_NOMEM: there is none. */
int pqext_fail(char **message, const char *fmt, ...);

/* SQLite's code for an error, and its text into *message (sqlite3_malloc). */
int pqext_error(const PqErr *e, char **message);

/* For xBestIndex of a function whose path is constraint i.  The literal NULL is
** a mistake: SQLITE_ERROR and a message.  A NULL from elsewhere, as in a join,
** gives no rows; pqext_path_was_null tells the error log. */
int  pqext_refuse_null_path(sqlite3_vtab *vtab, sqlite3_index_info *info, int i,
                            const char *function);
void pqext_path_was_null(const char *function);

#endif
