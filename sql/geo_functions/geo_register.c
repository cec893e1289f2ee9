/*
** geo_register.c - the table of the functions of geometries, and their names.
**
** What is hard is to be a good neighbour.  SpatiaLite has functions of the same
** names that take and give its own binary form, and users who load SpatiaLite
** want those.  But SQLite replaces no function while a statement runs, and
** "SELECT load_extension('mod_spatialite')" is one: SpatiaLite would not get
** the names that we have, and would not even notice.
**
** So an ST_ name is registered for any number of arguments.  SQLite prefers a
** function for the exact number, like SpatiaLite's, whichever came first.
** Functions that SpatiaLite does not have, the predicates and ST_Extent, are
** registered for their number.
*/
#include "sql/geo_functions/geo_call.h"

#include "sql/nearest.h"

/* SQLite 3.45 wants to know which functions give a subtype; older ones ignore
** the bit. */
enum {
    GIVES_SUBTYPE = 0x001000000,
    USUAL = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
    PREFIX = sizeof "pq_" - 1
};

#define EDGE(axis, which) pqsql_geo_edge, PQ_GEO_##axis | PQSQL_EDGE_##which

static const struct {
    const char  *name;               /* after "pq_" comes the other name     */
    int          least, most;        /* arguments                            */
    PqsqlScalar *call;               /* NULL: ST_Extent                      */
    int          what;
    int          flags;
    bool         gives_geometry;
} functions[] = {
    {"pq_ST_X", 1, 1, EDGE(X, OF_POINT), 0, false},
    {"pq_ST_Y", 1, 1, EDGE(Y, OF_POINT), 0, false},
    {"pq_ST_Z", 1, 1, EDGE(Z, OF_POINT), 0, false},
    {"pq_ST_M", 1, 1, EDGE(M, OF_POINT), 0, false},
    {"pq_ST_XMin", 1, 1, pqsql_geo_edge, PQ_GEO_X, 0, false},
    {"pq_ST_XMax", 1, 1, EDGE(X, MAX), 0, false},
    {"pq_ST_YMin", 1, 1, pqsql_geo_edge, PQ_GEO_Y, 0, false},
    {"pq_ST_YMax", 1, 1, EDGE(Y, MAX), 0, false},
    {"pq_ST_ZMin", 1, 1, pqsql_geo_edge, PQ_GEO_Z, 0, false},
    {"pq_ST_ZMax", 1, 1, EDGE(Z, MAX), 0, false},
    {"pq_ST_MMin", 1, 1, pqsql_geo_edge, PQ_GEO_M, 0, false},
    {"pq_ST_MMax", 1, 1, EDGE(M, MAX), 0, false},
    {"pq_ST_MakeEnvelope", 4, 5, pqsql_geo_make_envelope, 0, 0, true},
    {"pq_ST_Envelope", 1, 1, pqsql_geo_envelope, 0, 0, true},
    {"pq_ST_Expand", 2, 5, pqsql_geo_expand, 0, 0, true},
    {"pq_ST_Extent", 1, 1, NULL, 0, 0, true},
    {"pq_ST_Hilbert", 1, 2, pqsql_geo_hilbert, 0, 0, false},
    {"pq_ST_GeometryType", 1, 1, pqsql_geo_type_name, PQSQL_TYPE_ST, 0, false},
    {"pq_GeometryType", 1, 1, pqsql_geo_type_name, PQSQL_TYPE_PLAIN, 0, false},
    {"pq_ST_NPoints", 1, 1, pqsql_geo_n_points, 0, 0, false},
    {"pq_ST_IsEmpty", 1, 1, pqsql_geo_is_empty, 0, 0, false},
    {"pq_ST_Point", 2, 3, pqsql_geo_point, 0, 0, true},
    {"pq_ST_AsText", 1, 2, pqsql_geo_as_text, 0, 0, false},
    {"pq_ST_AsGeoJSON", 1, 2, pqsql_geo_as_json, 0, GIVES_SUBTYPE, false},
    {"pq_ST_AsBinary", 1, 1, pqsql_geo_as_binary, 0, 0, false},
    {"pq_ST_GeomFromText", 1, 2, pqsql_geo_from_text, 0, 0, true},
    {"pq_ST_GeomFromWKB", 1, 2, pqsql_geo_from_wkb, 0, 0, true},
};

static const char *const predicates[] = {
    "pq_ST_Intersects_Extent", "pq_ST_Contains_Extent", "pq_ST_Within_Extent",
};

bool pqsql_geo_gives_geometry(const char *name, size_t n)
{
    for (size_t i = 0; i < PQ_COUNT(functions); i++) {
        const char *full = functions[i].name, *ours = full + PREFIX;

        if (functions[i].gives_geometry &&
            ((strlen(full) == n && pq_ascii_same_n(full, name, n)) ||
             (strlen(ours) == n && pq_ascii_same_n(ours, name, n)))) {
            return true;
        }
    }
    return false;
}

/* ---- which names are there ----------------------------------------------- */

/* By the place in the tables above. */
typedef struct Taken {
    bool function[PQ_COUNT(functions)], predicate[PQ_COUNT(predicates)];
    bool is_loaded;                  /* the extension, once before           */
} Taken;

enum { ANY_NUMBER = -1 };            /* of arguments                         */

/* A function for any number of arguments takes the name only from another
** function for any number. */
static void take(Taken *t, const char *name, int n_args)
{
    for (size_t i = 0; i < PQ_COUNT(functions); i++) {
        if (pq_ascii_same(functions[i].name + PREFIX, name)) {
            t->function[i] |= !functions[i].call || n_args == ANY_NUMBER;
        }
    }
    for (size_t i = 0; i < PQ_COUNT(predicates); i++) {
        t->predicate[i] |= pq_ascii_same(predicates[i] + PREFIX, name);
    }
    t->is_loaded |= pq_ascii_same(PQSQL_GEO_OF_FIRST_LOAD, name);
}

/* An SQLite without this pragma, or a host that forbids it, lists nothing. */
static void list_taken(sqlite3 *db, Taken *t)
{
    static const char sql[] =
        "SELECT name, narg FROM pragma_function_list "
        "WHERE name LIKE 'st\\_%' ESCAPE '\\' OR name LIKE 'geometrytype' "
        "OR name = '" PQSQL_GEO_OF_FIRST_LOAD "'";
    sqlite3_stmt *stmt = NULL;

    memset(t, 0, sizeof *t);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        return;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);

        if (name) {
            take(t, name, sqlite3_column_int(stmt, 1));
        }
    }
    sqlite3_finalize(stmt);
}

/* ---- registration -------------------------------------------------------- */

/* Checks the arguments of a function for any number. */
static void checked(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);

    if (argc >= functions[call->row].least &&
        argc <= functions[call->row].most) {
        functions[call->row].call(ctx, argc, argv);
    } else {
        pqsql_result_message(ctx, sqlite3_mprintf(
            "wrong number of arguments to function %s()", call->name));
    }
}

static void release_call(void *p)
{
    pqsql_geo_release(((PqsqlGeoCall *)p)->geo);
    sqlite3_free(p);
}

static int register_as(PqsqlGeo *g, size_t i, const char *name, int n_args)
{
    PqsqlGeoCall *call = sqlite3_malloc(sizeof *call);
    PqsqlScalar *scalar = n_args == ANY_NUMBER ? checked : functions[i].call;

    if (!call) {
        return SQLITE_NOMEM;
    }
    *call = (PqsqlGeoCall){g, name, functions[i].what, (uint32_t)i};
    g->holders++;
    if (functions[i].call) {
        return sqlite3_create_function_v2(
            g->db, name, n_args, USUAL | functions[i].flags, call, scalar,
            NULL, NULL, release_call);
    }
    return sqlite3_create_window_function(
        g->db, name, 1, USUAL, call, pqsql_geo_extent_step,
        pqsql_geo_extent_final, pqsql_geo_extent_value,
        pqsql_geo_extent_inverse, release_call);
}

static int register_functions(PqsqlGeo *g, const Taken *taken)
{
    int rc = SQLITE_OK;

    for (size_t i = 0; i < PQ_COUNT(functions) && rc == SQLITE_OK; i++) {
        const char *name = functions[i].name;

        for (int n = functions[i].least;
             n <= functions[i].most && rc == SQLITE_OK; n++) {
            rc = register_as(g, i, name, n);
        }
        if (rc == SQLITE_OK && !taken->function[i]) {
            rc = register_as(g, i, name + PREFIX, ANY_NUMBER);
        }
    }
    return rc;
}

static int register_predicates(sqlite3 *db, PqsqlGeoOurs *ours,
                               const Taken *taken)
{
    int rc = SQLITE_OK;

    for (size_t i = 0; i < PQ_COUNT(predicates) && rc == SQLITE_OK; i++) {
        const char *name = predicates[i];

        rc = pqsql_geo_ours_register(ours, db, pqsql_geo_predicate(name));
        if (rc == SQLITE_OK && !taken->predicate[i]) {
            rc = pqsql_geo_ours_register(ours, db,
                                         pqsql_geo_predicate(name + PREFIX));
        }
    }
    return rc;
}

int pqsql_register_geo(sqlite3 *db, PqsqlGeoOurs **ours)
{
    PqsqlGeo *g = pqsql_geo_new(db);
    int rc = SQLITE_NOMEM;
    Taken taken;

    list_taken(db, &taken);
    *ours = pqsql_geo_ours_of(db, taken.is_loaded);
    if (g && *ours) {
        rc = register_functions(g, &taken);
        if (rc == SQLITE_OK) {
            rc = register_predicates(db, *ours, &taken);
        }
    }
    if (g) {
        pqsql_geo_release(g);
    }
    return rc;
}
