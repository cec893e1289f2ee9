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

#include "sql/did_you_mean.h"

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
    PqsqlGeoRun *run;                /* NULL: ST_Extent                      */
    int          what;
    PqsqlGeoGives gives;
} functions[] = {
    {"pq_ST_X", 1, 1, EDGE(X, OF_POINT), PQSQL_GEO_SCALAR},
    {"pq_ST_Y", 1, 1, EDGE(Y, OF_POINT), PQSQL_GEO_SCALAR},
    {"pq_ST_Z", 1, 1, EDGE(Z, OF_POINT), PQSQL_GEO_SCALAR},
    {"pq_ST_M", 1, 1, EDGE(M, OF_POINT), PQSQL_GEO_SCALAR},
    {"pq_ST_XMin", 1, 1, pqsql_geo_edge, PQ_GEO_X, PQSQL_GEO_SCALAR},
    {"pq_ST_XMax", 1, 1, EDGE(X, MAX), PQSQL_GEO_SCALAR},
    {"pq_ST_YMin", 1, 1, pqsql_geo_edge, PQ_GEO_Y, PQSQL_GEO_SCALAR},
    {"pq_ST_YMax", 1, 1, EDGE(Y, MAX), PQSQL_GEO_SCALAR},
    {"pq_ST_ZMin", 1, 1, pqsql_geo_edge, PQ_GEO_Z, PQSQL_GEO_SCALAR},
    {"pq_ST_ZMax", 1, 1, EDGE(Z, MAX), PQSQL_GEO_SCALAR},
    {"pq_ST_MMin", 1, 1, pqsql_geo_edge, PQ_GEO_M, PQSQL_GEO_SCALAR},
    {"pq_ST_MMax", 1, 1, EDGE(M, MAX), PQSQL_GEO_SCALAR},
    {"pq_ST_MakeEnvelope", 4, 5, pqsql_geo_make_envelope, 0,
     PQSQL_GEO_GEOMETRY},
    {"pq_ST_Envelope", 1, 1, pqsql_geo_envelope, 0, PQSQL_GEO_GEOMETRY},
    {"pq_ST_Expand", 2, 5, pqsql_geo_expand, 0, PQSQL_GEO_GEOMETRY},
    {"pq_ST_Extent", 1, 1, NULL, 0, PQSQL_GEO_GEOMETRY},
    {"pq_ST_Hilbert", 1, 2, pqsql_geo_hilbert, 0, PQSQL_GEO_SCALAR},
    {"pq_ST_GeometryType", 1, 1, pqsql_geo_type_name, PQSQL_TYPE_ST,
     PQSQL_GEO_TEXT},
    {"pq_GeometryType", 1, 1, pqsql_geo_type_name, PQSQL_TYPE_PLAIN,
     PQSQL_GEO_TEXT},
    {"pq_ST_NPoints", 1, 1, pqsql_geo_n_points, 0, PQSQL_GEO_SCALAR},
    {"pq_ST_IsEmpty", 1, 1, pqsql_geo_is_empty, 0, PQSQL_GEO_SCALAR},
    {"pq_ST_Point", 2, 3, pqsql_geo_point, 0, PQSQL_GEO_GEOMETRY},
    {"pq_ST_AsText", 1, 2, pqsql_geo_as_text, 0, PQSQL_GEO_TEXT},
    {"pq_ST_AsGeoJSON", 1, 2, pqsql_geo_as_json, 0, PQSQL_GEO_JSON},
    {"pq_ST_AsBinary", 1, 1, pqsql_geo_as_binary, 0, PQSQL_GEO_BINARY},
    {"pq_ST_GeomFromText", 1, 2, pqsql_geo_from_text, 0, PQSQL_GEO_GEOMETRY},
    {"pq_ST_GeomFromWKB", 1, 2, pqsql_geo_from_wkb, 0, PQSQL_GEO_GEOMETRY},
};

static const char *const predicates[] = {
    "pq_ST_Intersects_Extent", "pq_ST_Contains_Extent", "pq_ST_Within_Extent",
};

bool pqsql_geo_gives_geometry(const char *name, size_t n)
{
    for (size_t i = 0; i < PQ_COUNT(functions); i++) {
        const char *full = functions[i].name, *ours = full + PREFIX;

        if (functions[i].gives == PQSQL_GEO_GEOMETRY &&
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
            t->function[i] |= !functions[i].run || n_args == ANY_NUMBER;
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

static void scalar(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    uint32_t i = call->row;

    if (argc < functions[i].least || argc > functions[i].most) {
        pqsql_result_message(ctx, sqlite3_mprintf(
            "wrong number of arguments to function %s()", call->name));
    } else if (!pqsql_any_null(argc, argv)) {
        PqsqlGeoArgs a = pqsql_geo_begin(ctx, call, functions[i].gives, argc,
                                         argv);

        pqsql_geo_end(&a, functions[i].run(&a), functions[i].gives);
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
    bool is_json = functions[i].gives == PQSQL_GEO_JSON;

    if (!call) {
        return SQLITE_NOMEM;
    }
    *call = (PqsqlGeoCall){g, name, functions[i].what, (uint32_t)i};
    g->holders++;
    if (functions[i].run) {
        return sqlite3_create_function_v2(
            g->db, name, n_args, USUAL | (is_json ? GIVES_SUBTYPE : 0), call,
            scalar, NULL, NULL, release_call);
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
