/*
** geo_ours.c - registers the predicates, and notes which are still there.
*/
#include "sql/geo/geo_ours.h"

enum { MOST = 16 };

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

PqsqlGeoOurs *pqsql_geo_ours_new(void)
{
    PqsqlGeoOurs *o = sqlite3_malloc(sizeof *o);

    if (o) {
        memset(o, 0, sizeof *o);
        o->holders = 1;
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
