/*
** host.c - the engine of a connection, its interrupts, and errors for SQLite.
**
** The hard part is to notice an interrupt.  sqlite3_is_interrupted is new
** (3.41), and a progress handler, which many programs use for a time limit, is
** called only while SQLite runs operations of its own.  So a statement is
** stepped, and fails if SQLite wants to stop.  pqext_host_stop decides how
** often, and how long that statement is.
*/
#include "ext/host/host.h"

#include "ext/host/blob_source.h"

int pqext_host_new(sqlite3 *db, PqextHost **out, char **error)
{
    PqextHost *h = sqlite3_malloc(sizeof *h);
    PqErr e = PQ_NO_ERR;

    *out = NULL;
    if (!h) {
        return SQLITE_NOMEM;
    }
    memset(h, 0, sizeof *h);
    h->db = db;
    h->holders = 1;
    h->twins = pqsql_twins_new();
    if (!h->twins || pq_engine_new(&h->engine, &e) != PQ_OK) {
        int rc = h->twins ? pqext_error(&e, error) : SQLITE_NOMEM;

        pqext_host_release(h);
        return rc;
    }
    h->engine->remote->stop = (PqStop){pqext_host_stop, h};
    h->engine->blobs = (PqPlaces){.open_blob = pqext_blob_open, .arg = db};
    *out = h;
    return SQLITE_OK;
}

void pqext_host_release(void *host)
{
    PqextHost *h = host;

    if (--h->holders == 0) {
        if (h->engine) {
            pq_remote_close(h->engine->remote);
        }
        pq_cleanup_wait(h->copies.cleanup);
        pq_engine_free(h->engine);
        if (h->variants) {
            pqsql_variants_release(h->variants);
        }
        pqsql_twins_free(h->twins);
        pqsql_geo_ours_release(h->geo);
        sqlite3_free(h);
    }
}

/* Without memory for the question SQLite ends the statement too, as soon as it is its
** turn: then nothing may be published any more. */
static bool says_stop(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *question = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &question, NULL);

    if (rc == SQLITE_OK) {
        rc = sqlite3_step(question);
    }
    sqlite3_finalize(question);
    return rc == SQLITE_INTERRUPT || rc == SQLITE_NOMEM;
}

void pqext_host_sqlite_ran(void *host)
{
    ((PqextHost *)host)->quiet_since = 0;
}

void pqext_host_gave_row(PqextHost *h)
{
    enum { MANY = 500 };             /* SQLite's operations are 20 a row      */

    if (++h->slow_rows >= MANY) {
        h->slow_rows = 0;
        h->quiet_since = 0;
    }
}

/* The statement is prepared each time.  If it were kept, sqlite3_close would
** fail, because it runs before the modules are destroyed.  Preparing costs 2
** us.  Pages and batches ask often, so SQLite is asked every ASK_MS.
**
** An interrupt stops any statement.  A progress handler stops only a statement
** that runs for as many operations as it was registered with.  While rows are
** returned, SQLite's own operations count for that.  If there were no rows for
** QUIET_MS, the statement is one of 10,000 operations, which takes 0.3 ms. */
enum { ASK_MS = 4, QUIET_MS = 50 };

static const char long_question[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n LIMIT 700) "
    "SELECT count(*) FROM n";

bool pqext_host_stop(void *host)
{
    PqextHost *h = host;
    int64_t now = pq_clock_ms();
    bool quiet;

    if (h->quiet_since == 0) {
        h->quiet_since = now;
    }
    if (now - h->asked < ASK_MS) {
        return false;
    }
    h->asked = now;
    quiet = now - h->quiet_since >= QUIET_MS;
    if (quiet) {
        h->quiet_since = now;
    }
    return says_stop(h->db, quiet ? long_question : "SELECT 1");
}

sqlite3_stmt *pqext_host_listen(PqextHost *h)
{
    sqlite3_stmt *listening = NULL;

    if (sqlite3_prepare_v2(h->db, "SELECT 1", -1, &listening, NULL) ==
        SQLITE_OK) {
        sqlite3_step(listening);
    }
    return listening;
}

bool pqext_ask_int(sqlite3 *db, const char *sql, int *out)
{
    sqlite3_stmt *s = NULL;
    bool answered = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
                    sqlite3_step(s) == SQLITE_ROW;

    if (answered) {
        *out = sqlite3_column_int(s, 0);
    }
    sqlite3_finalize(s);
    return answered;
}

int pqext_fail(char **message, const char *fmt, ...)
{
    va_list ap;

    sqlite3_free(*message);
    va_start(ap, fmt);
    *message = sqlite3_vmprintf(fmt, ap);
    va_end(ap);
    return *message ? SQLITE_ERROR : SQLITE_NOMEM;
}

int pqext_error(const PqErr *e, char **message)
{
    int rc = e->rc == PQ_NOMEM ? SQLITE_NOMEM
                               : pqext_fail(message, "%s", e->text);

    return rc == SQLITE_ERROR && e->rc == PQ_STOPPED ? SQLITE_INTERRUPT : rc;
}

int pqext_refuse_null_path(sqlite3_vtab *vtab, sqlite3_index_info *info, int i,
                           const char *function)
{
    sqlite3_value *v = NULL;

    if (sqlite3_vtab_rhs_value(info, i, &v) != SQLITE_OK || !v ||
        sqlite3_value_type(v) != SQLITE_NULL) {
        return SQLITE_OK;
    }
    return pqext_fail(&vtab->zErrMsg, "%s: the path is NULL", function);
}

void pqext_path_was_null(const char *function)
{
    sqlite3_log(SQLITE_WARNING, "%s: the path is NULL, so there are no rows; a "
                                "parameter that is not bound is NULL",
                function);
}
