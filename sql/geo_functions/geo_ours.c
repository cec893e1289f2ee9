/*
** geo_ours.c - registers the predicates, and notes which are still there.
**
** A program, or SpatiaLite, may register a function of the same name.  Then a
** table must not compute our predicate instead.  SQLite calls the destructor of
** a function that it drops, so we notice.
**
** What is hard is that the extension may be loaded twice on a connection: by
** ~/.sqliterc, and once more by a script.  The second load finds that the ST_
** names are taken, and has to know that they are ours.  So it calls a function
** of the first load with a pointer, and gets the list of the first load.
*/
#include "sql/geo_functions/geo_call.h"

enum { MOST = 16 };

/* The name of that pointer's type, PqsqlGeoOurs **.  A version of this file
** with another PqsqlGeoOurs or Registered must use another name. */
static const char question[] = "pq_geo_ours 1";

struct PqsqlGeoOurs {
    uint32_t holders;
    const PqsqlGeoPredicate *v[MOST];    /* NULL: a free place               */
};

/* The user data of a function. */
typedef struct Registered {
    PqsqlGeoPredicate        predicate;  /* what the function looks at: first */
    const PqsqlGeoPredicate *of;
    PqsqlGeoOurs            *ours;
} Registered;

/* NULL: the function does not belong to the first load. */
static PqsqlGeoOurs *of_first_load(sqlite3 *db)
{
    static const char sql[] = "SELECT " PQSQL_GEO_OF_FIRST_LOAD "(?, NULL)";
    sqlite3_stmt *stmt = NULL;
    PqsqlGeoOurs *o = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_bind_pointer(stmt, 1, &o, question, NULL) == SQLITE_OK) {
        (void)sqlite3_step(stmt);
    }
    sqlite3_finalize(stmt);
    return o;
}

void pqsql_geo_ours_asked(sqlite3_context *ctx, sqlite3_value *v)
{
    PqsqlGeoOurs **answer = sqlite3_value_pointer(v, question);

    if (answer) {
        *answer = ((Registered *)sqlite3_user_data(ctx))->ours;
    }
}

PqsqlGeoOurs *pqsql_geo_ours_of(sqlite3 *db, bool is_loaded)
{
    PqsqlGeoOurs *o = is_loaded ? of_first_load(db) : NULL;

    if (o) {
        o->holders++;
    } else if ((o = sqlite3_malloc(sizeof *o)) != NULL) {
        *o = (PqsqlGeoOurs){.holders = 1};
    }
    return o;
}

void pqsql_geo_ours_release(PqsqlGeoOurs *o)
{
    if (o && --o->holders == 0) {
        sqlite3_free(o);
    }
}

bool pqsql_geo_ours_has(const PqsqlGeoOurs *o, const PqsqlGeoPredicate *p)
{
    for (size_t i = 0; i < MOST; i++) {
        if (o->v[i] == p) {
            return true;
        }
    }
    return false;
}

/* Replaces the first `from` by `to`. */
static void replace(PqsqlGeoOurs *o, const PqsqlGeoPredicate *from,
                    const PqsqlGeoPredicate *to)
{
    for (size_t i = 0; i < MOST; i++) {
        if (o->v[i] == from) {
            o->v[i] = to;
            return;
        }
    }
}

static void dropped(void *p)
{
    Registered *r = p;

    replace(r->ours, r->of, NULL);
    pqsql_geo_ours_release(r->ours);
    sqlite3_free(r);
}

int pqsql_geo_ours_register(PqsqlGeoOurs *ours, sqlite3 *db,
                            const PqsqlGeoPredicate *p)
{
    Registered *r = sqlite3_malloc(sizeof *r);

    if (!r) {
        return SQLITE_NOMEM;
    }
    *r = (Registered){*p, p, ours};
    ours->holders++;
    replace(ours, NULL, p);
    return sqlite3_create_function_v2(
        db, p->name, 2,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, r, p->function,
        NULL, NULL, dropped);
}
