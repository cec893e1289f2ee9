/*
** points.c - runs one scenario and fails one point after another.
**
**   open, before     nothing fails
**   sql              the n-th point fails
**   after, sql       nothing fails: the right rows
**   close            everything is given back
**
** The n-th point is not always the same allocation, because other threads read
** pages ahead.  Whichever it is, it fails.
*/
#define _GNU_SOURCE
#include "test/fault/fault.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first points are all tried, half of them all at most; the others evenly. */
enum { ALL_OF = 30, MOST_WRONG = 5, MOST_SECONDS = 600 };

/* What is allocated and open; must be the same before and after. */
typedef struct Out {
    sqlite3_int64 sqlite;
    int64_t       blocks;
    int           descriptor;        /* the lowest that is free */
    int           uploads;           /* that are open           */
} Out;

static Out look_out(void)
{
    Out o = {.sqlite = sqlite3_memory_used(), .blocks = fault_blocks_out(),
             .uploads = beside_count_uploads()};

    o.descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(o.descriptor);
    return o;
}

/* ---- rows ---------------------------------------------------------------- */

void rows_reset(Rows *r)
{
    r->n = 0;
    r->rc = SQLITE_OK;
    r->message[0] = 0;
}

void rows_free(Rows *r)
{
    free(r->chain);
    *r = (Rows){0};
}

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t i;

    for (i = 0; i < n; i++) {
        h = (h ^ p[i]) * 0x100000001b3u;
    }
    return h;
}

static uint64_t mix_value(uint64_t h, sqlite3_stmt *s, int i)
{
    int type = sqlite3_column_type(s, i);
    sqlite3_int64 integer;
    double real;

    h = mix(h, &type, sizeof type);
    switch (type) {
    case SQLITE_INTEGER:
        integer = sqlite3_column_int64(s, i);
        return mix(h, &integer, sizeof integer);
    case SQLITE_FLOAT:
        real = sqlite3_column_double(s, i);
        return mix(h, &real, sizeof real);
    case SQLITE_NULL:
        return h;
    default:
        return mix(h, sqlite3_column_blob(s, i),
                   (size_t)sqlite3_column_bytes(s, i));
    }
}

static void add_row(Rows *r, sqlite3_stmt *s)
{
    uint64_t h = r->n ? r->chain[r->n - 1] : 0xcbf29ce484222325u;
    int i, n = sqlite3_column_count(s);

    if (r->n == r->room) {
        r->room = r->room ? r->room * 2 : 1024;
        r->chain = realloc(r->chain, r->room * sizeof *r->chain);
        if (!r->chain) {
            abort();
        }
    }
    for (i = 0; i < n; i++) {
        h = mix_value(h, s, i);
    }
    r->chain[r->n++] = h;
}

/* When SQLite has no memory to convert a value, it returns another value, and
** only sqlite3_errcode tells.  Such a row does not count. */
static int step_all(sqlite3_stmt *s, Rows *r)
{
    int rc;

    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        add_row(r, s);
        if (sqlite3_errcode(sqlite3_db_handle(s)) == SQLITE_NOMEM) {
            r->n--;
            return SQLITE_NOMEM;
        }
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Runs all statements of sql, up to one that fails. */
int rows_run(sqlite3 *db, const char *sql, bool twice, Rows *r)
{
    while (r->rc == SQLITE_OK && *sql) {
        sqlite3_stmt *s = NULL;

        r->rc = sqlite3_prepare_v2(db, sql, -1, &s, &sql);
        if (r->rc == SQLITE_OK && s) {
            r->rc = step_all(s, r);
        }
        if (r->rc == SQLITE_OK && s && twice) {
            r->rc = sqlite3_reset(s);
            r->rc = r->rc ? r->rc : step_all(s, r);
        }
        if (r->rc != SQLITE_OK) {
            snprintf(r->message, sizeof r->message, "%s", sqlite3_errmsg(db));
        }
        sqlite3_finalize(s);
    }
    return r->rc;
}

bool rows_begin_like(const Rows *part, const Rows *whole)
{
    return part->n <= whole->n &&
           (part->n == 0 ||
            part->chain[part->n - 1] == whole->chain[part->n - 1]);
}

static bool same_rows(const Rows *a, const Rows *b)
{
    return a->n == b->n && rows_begin_like(a, b) &&
           strcmp(a->message, b->message) == 0;
}

/* ---- one point ----------------------------------------------------------- */

typedef struct Attempt {
    const Scenario *s;
    FaultKind       kind;
    int64_t         nth;             /* 0: nothing fails                    */
    char           *before, *sql, *after;
    const char     *each;            /* of before, what runs for each point */
    char            path[500];       /* of the database                     */
    Rows            right, got;
    Result          result;
} Attempt;

static void wrong(Attempt *a, const char *what, const char *detail)
{
    a->result.wrong++;
    printf("WRONG %s, %s %lld: %s%s%s\n", a->s->name, fault_names[a->kind],
           (long long)a->nth, what, detail && *detail ? ": " : "",
           detail ? detail : "");
}

static bool may_leave_out(const Attempt *a)
{
    return a->s->flags & LEAVES_OUT && a->kind == FAULT_ENGINE;
}

/* When SQLite has no memory for the text of an error, it keeps the code alone. */
static bool may_lose_text(const Attempt *a)
{
    return a->s->flags & REFUSED &&
           (a->kind == FAULT_SQLITE || a->kind == FAULT_SQLITE_ON);
}

/* Checks that an error has a fitting code and a message of its own.  Without memory for
** the question whether a statement is interrupted, it is. */
static void check_error(Attempt *a)
{
    const Rows *r = &a->got;
    int code = r->rc & 0xff;
    bool fits = code == SQLITE_NOMEM ||
                (code == SQLITE_IOERR && a->kind >= FAULT_SQLITE) ||
                (code == SQLITE_CANTOPEN && a->kind >= FAULT_SQLITE) ||
                (code == SQLITE_INTERRUPT &&
                 (a->kind == FAULT_SQLITE || a->kind == FAULT_SQLITE_ON)) ||
                (code == SQLITE_ERROR && r->message[0] &&
                 (strcmp(r->message, "SQL logic error") != 0 ||
                  may_lose_text(a)) &&
                 strcmp(r->message, "not an error") != 0);

    if (!fits) {
        char text[700];
        snprintf(text, sizeof text, "%d, %s", r->rc, r->message);
        wrong(a, "an error that says nothing", text);
    }
    if (!rows_begin_like(r, &a->right) && !may_leave_out(a)) {
        wrong(a, "other rows before the error", r->message);
    }
}

static bool run_quietly(Attempt *a, sqlite3 *db, const char *sql,
                        const char *what)
{
    Rows r = {0};
    bool well = rows_run(db, sql, false, &r) == SQLITE_OK;

    if (!well) {
        wrong(a, what, r.message);
    }
    rows_free(&r);
    return well;
}

/* Opens a connection and runs before; points fail if the scenario says so. */
static int open_database(Attempt *a, sqlite3 **db)
{
    int rc = sqlite3_open(a->s->flags & IN_A_FILE ? a->path : ":memory:", db);

    if (rc != SQLITE_OK) {
        a->got.rc = rc;
        snprintf(a->got.message, sizeof a->got.message, "%s",
                 *db ? sqlite3_errmsg(*db) : "out of memory");
        sqlite3_close(*db);
        *db = NULL;
    } else {
        beside_add_readfile(*db);
    }
    return rc;
}

static void prepare_beside(const Attempt *a)
{
    if (a->s->flags & UPLOADS) {
        beside_remove_objects();
    }
    if (a->s->flags & PIPED) {
        beside_fill_pipe();
    }
}

/* The error that a scenario is about is a right answer, if all of its text is the
** right one. */
static void run_sql(Attempt *a, sqlite3 *db)
{
    Rows *r = &a->got;

    rows_run(db, a->sql, (a->s->flags & TWICE) != 0, r);
    if (!(a->s->flags & REFUSED)) {
        return;
    }
    if (r->rc == SQLITE_OK) {
        wrong(a, "is not refused", NULL);
    } else if (strncmp(r->message, a->after, strlen(a->after)) == 0) {
        r->rc = SQLITE_OK;
    }
}

/* Returns how many points were passed.  What was sent is taken back within a second, for
** which the server may be too slow: so an object that stays is looked at again. */
static int64_t fail_once(Attempt *a, sqlite3 **db, bool again)
{
    bool from_open = (a->s->flags & FROM_OPEN) != 0;
    int64_t passed;

    *db = NULL;
    rows_reset(&a->got);
    prepare_beside(a);
    if (from_open) {
        fault_arm(a->kind, a->nth);
    }
    if (open_database(a, db) == SQLITE_OK) {
        if (!from_open) {
            if (!(a->s->flags & IN_A_FILE)) {
                run_quietly(a, *db, a->each, "what comes before");
            }
            fault_arm(a->kind, a->nth);
        }
        run_sql(a, *db);
    }
    passed = fault_disarm();
    /* Whether the log of a lake has the files may not be known; then they stay.
    ** QUIRK: libcurl 7.88 without memory for the query of a URL sends the request without
    ** it: a part becomes an object, if the server does not look at the signature. */
    if (a->s->flags & UPLOADS && a->got.n == 0 && a->kind != FAULT_LIBRARY &&
        !strstr(a->got.message, "the table has the rows, or will have them, or not") &&
        beside_count_objects()) {
        if (!again) {
            sqlite3_close(*db);
            return fail_once(a, db, true);
        }
        wrong(a, "an object is there after an error", a->got.message);
    }
    if (passed < a->nth && a->got.rc != SQLITE_OK) {
        wrong(a, "an error though nothing failed", a->got.message);
    }
    return passed;
}

static void run_again(Attempt *a, sqlite3 **db)
{
    if (a->got.rc == SQLITE_ERROR && a->s->flags & NEEDS_NEW_CONNECTION) {
        sqlite3_close(*db);
        *db = NULL;
    }
    if (!*db) {
        rows_reset(&a->got);
        if (open_database(a, db) != SQLITE_OK) {
            wrong(a, "cannot be opened afterwards", a->got.message);
            return;
        }
    }
    if (!sqlite3_get_autocommit(*db)) {
        run_quietly(a, *db, "ROLLBACK", "rolling back");
    }
    if (!(a->s->flags & REFUSED)) {
        run_quietly(a, *db, a->after, "what comes after");
    }
    rows_reset(&a->got);
    prepare_beside(a);
    run_sql(a, *db);
    if (a->got.rc != SQLITE_OK) {
        wrong(a, "does not work afterwards", a->got.message);
    } else if (!same_rows(&a->got, &a->right)) {
        wrong(a, "other rows afterwards", NULL);
    }
}

/* Fails one point and checks the rows after it.  Returns how many points were
** passed. */
static int64_t attempt(Attempt *a)
{
    sqlite3 *db;
    int64_t passed = fail_once(a, &db, false);

    if (passed >= a->nth && a->got.rc == SQLITE_OK) {
        a->result.absorbed++;
    }
    if (a->got.rc != SQLITE_OK) {
        check_error(a);
    } else if (!same_rows(&a->got, &a->right) && !may_leave_out(a)) {
        wrong(a, "other rows", NULL);
    }
    run_again(a, &db);
    if (sqlite3_close(db) != SQLITE_OK) {
        wrong(a, "does not close", sqlite3_errmsg(db));
    }
    return passed;
}

static void check_out(Attempt *a, const Out *before)
{
    Out now = look_out();
    char text[160];

    if (now.sqlite != before->sqlite || now.blocks != before->blocks ||
        now.descriptor != before->descriptor || now.uploads != before->uploads) {
        snprintf(text, sizeof text,
                 "%lld bytes of SQLite, %lld blocks, %d descriptors, %d uploads",
                 (long long)(now.sqlite - before->sqlite),
                 (long long)(now.blocks - before->blocks),
                 now.descriptor - before->descriptor, now.uploads - before->uploads);
        wrong(a, "not given back", text);
    }
}

/* ---- all points ---------------------------------------------------------- */

static bool make_database(Attempt *a)
{
    sqlite3 *db;
    bool well;

    snprintf(a->path, sizeof a->path, "%s/%s.db", folder_work, a->s->name);
    unlink(a->path);
    db = fault_open(a->path);
    well = run_quietly(a, db, a->each, "what comes before");
    sqlite3_close(db);
    return well;
}

/* Runs the first statement of before, and leaves the others for each point. */
static bool make_files(Attempt *a)
{
    sqlite3 *db = fault_open(":memory:");
    sqlite3_stmt *s = NULL;
    bool well = sqlite3_prepare_v2(db, a->before, -1, &s, &a->each) ==
                    SQLITE_OK &&
                sqlite3_step(s) == SQLITE_ROW;

    if (!well) {
        wrong(a, "the file is not made", sqlite3_errmsg(db));
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    return well;
}

/* Learns the right rows.  Runs twice, because libraries allocate memory at the
** first run that they keep.  Returns how many points there are. */
static int64_t rehearse(Attempt *a)
{
    Rows first;
    sqlite3 *db;

    a->nth = INT64_MAX;
    fail_once(a, &db, false);
    sqlite3_close(db);
    first = a->right;
    a->right = a->got;
    a->got = first;
    return attempt(a);
}

Result fault_run(const Scenario *s, FaultKind kind, int64_t most)
{
    Attempt a = {.s = s, .kind = kind};
    int64_t total, step, first;

    a.before = fault_expand(s->before);
    a.sql = fault_expand(s->sql);
    a.after = fault_expand(s->after);
    a.each = a.before;
    if ((!(s->flags & MAKES_FILE) || make_files(&a)) &&
        (!(s->flags & IN_A_FILE) || make_database(&a))) {
        total = rehearse(&a);
        most = most > 1 ? most : 2;
        first = most / 2 < ALL_OF ? most / 2 : ALL_OF;
        step = total > most ? (total - first) / (most - first) + 1 : 1;
        for (a.nth = 1; a.result.wrong < MOST_WRONG;
             a.nth += a.nth < first ? 1 : step) {
            Out before = look_out();
            int64_t passed;

            alarm(MOST_SECONDS);
            passed = attempt(&a);
            alarm(0);
            check_out(&a, &before);
            if (passed < a.nth) {
                break;
            }
            a.result.points++;
        }
    }
    sqlite3_free(a.before);
    sqlite3_free(a.sql);
    sqlite3_free(a.after);
    rows_free(&a.right);
    rows_free(&a.got);
    return a.result;
}
