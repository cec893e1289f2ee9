/*
** copy_types.h - the columns of a copy: their types, and what options say of
** them.
**
**   1. what "types" says            a command
**   2. the Parquet table's type     a command
**   3. the declared type            a hint: for the first rows it has to fit
**   4. the values                   INTEGER INT64, with REAL DOUBLE, TEXT
**                                   STRING, BLOB BYTE_ARRAY
**
** 1 and 2 are known when the query is prepared.  For 3 and 4, rows are gathered
** before the first file is begun.  Then the types are settled, once for the
** whole copy.
*/
#ifndef PQSQL_COPY_TYPES_H
#define PQSQL_COPY_TYPES_H

#include "sql/copy/copy_options.h"
#include "sql/copy/copy_origin.h"

typedef struct PqsqlCopyColumn {
    const char    *name;
    const char    *quoted;           /* the name as JSON, for messages       */
    uint32_t       from;             /* column of the query, from 1; 0: none,
                                     ** and it is NULL                       */
    const char    *folder_file;      /* the file whose column it continues, in
                                     ** the folder that is added to; or NULL */
    const char    *folder_type;      /* ... and its type there               */
    bool           is_partition;     /* a folder's name has it; no type      */
    const PqsqlType *partition_type; /* ... but in its Parquet table; or NULL */
    PqsqlType     *type;             /* NULL: to be settled                  */
    bool           is_hint;          /* type is a hint, to be settled        */
    bool           is_explicit;      /* "types" gave it                      */
    bool           is_auto;          /* kinds of texts decide the type       */
    bool           all_are_auto;     /* so do columns that are not named     */
    bool           empty_is_null;
    bool           shreds_auto;      /* a VARIANT: its values decide how it is
                                     ** shredded                             */
    PqsqlTwins    *twins;            /* of a VARIANT: see variant_of_text.h; or NULL    */
    PqsqlPassed    passed;
    bool           required;
    bool           may_undo;         /* the user did not ask for required    */
    const char    *remedy;           /* advice for misfits, or NULL          */
    bool           unit_is_unknown;  /* of raw numbers, unless it is given   */
    PqFillRules    rules;
    PqChunkOptions chunk;
    const char    *crs;              /* the CRS in its table; its JSON is    */
    PqSlice        crs_json;         /* known: see copy_geo.c; n 0: it is not */
    const char    *covered_by, *struct_id;       /* as in PqsqlOrigin        */
    const struct PqsqlCopyColumn *old_cover;     /* of a geometry: the column
                                     ** that its new covering replaces       */
    bool           is_replaced;      /* ... which is not in the files        */
} PqsqlCopyColumn;

static inline bool pqsql_copy_is_in_files(const PqsqlCopyColumn *c)
{
    return !c->is_partition && !c->is_replaced;
}

/* A column that is not in the query: the boxes of a column of geometries. */
typedef struct PqsqlCopyCover {
    const char *name;
    uint32_t    of;                  /* column of the query                  */
    PqPhysical  physical;            /* FLOAT or DOUBLE                      */
} PqsqlCopyCover;

typedef struct PqsqlCopyColumns {
    const PqsqlCopyOptions *o;       /* of the copy                          */
    PqArena *a;                      /* that all of this is allocated in     */
    PqsqlCopyColumn *v;
    uint32_t n;
    PqsqlCopyCover *covers;          /* after all columns; see copy_geo.c    */
    uint32_t n_covers;
    bool     settled;                /* all columns except partitions        */
} PqsqlCopyColumns;

/* The columns of the folder that a copy adds files to: copy_folder.h. */
typedef struct PqsqlCopyFolder PqsqlCopyFolder;

/* Finds the columns of a prepared query, with everything that is known before
** it runs.  Every name in the options must be one of them.  The caller has set
** o and a; folder may be NULL. */
PqRc pqsql_copy_types_find(const PqsqlCopyHost *host, sqlite3_stmt *query,
                           const PqsqlCopyFolder *folder, PqsqlCopyColumns *out,
                           PqErr *e);

/* Gives a column another type: values are converted. */
void pqsql_copy_types_become(PqsqlCopyColumn *c, PqsqlType *type);

/* The name as JSON. */
PqRc pqsql_copy_types_quote(const char *name, PqArena *a, const char **out,
                            PqErr *e);

/* The column that has the name, or has it in another case.  If there is none,
** the error suggests a near name. */
PqRc pqsql_copy_types_column(const PqsqlCopyColumns *columns,
                             const char *option, const char *name,
                             PqsqlCopyColumn **out, PqErr *e);

/* The same for an option about written columns. */
PqRc pqsql_copy_types_written(const PqsqlCopyColumns *columns,
                              const char *option, const char *name,
                              PqsqlCopyColumn **out, PqErr *e);

/* Changes the column's type to fit the level of compatibility. */
PqRc pqsql_copy_types_adapt(const PqsqlCopyOptions *o, PqsqlCopyColumn *c,
                            PqErr *e);

/* copy_types_schema.c: makes the elements of the file's schema, without the
** columns of partitions, and with covering columns after all others. */
PqRc pqsql_copy_types_schema(const PqsqlCopyColumns *columns,
                             PqSchemaElementList *out, PqErr *e);

/* copy_values.c: settles the column's type from the cells that were
** gathered. */
PqRc pqsql_copy_values_settle(PqsqlCopyColumn *c, const PqCells *cells,
                              const PqsqlCopyOptions *o, const PqStop *stop,
                              PqArena *a, PqErr *e);

/* copy_misfit.c: e says what is wrong with a value that does not fit its
** column.  Adds its place and what to do. */
void pqsql_copy_misfit_explain(const PqsqlCopyColumn *c,
                               const PqCopyMisfit *misfit, PqErr *e);

/* ---- VARIANTs (copy_shred.c, copy_shred_auto.c) -------------------------- */

/* Applies the option "shred" to the types of the columns. */
PqRc pqsql_copy_shred_take(PqsqlCopyColumns *columns, PqErr *e);

/* Gives a VARIANT the type that it is shredded as. */
PqRc pqsql_copy_shred_set(PqsqlCopyColumn *c, PqsqlType *type, PqArena *a,
                          PqErr *e);

/* Decides by the gathered cells how a VARIANT is shredded. */
PqRc pqsql_copy_shred_settle(PqsqlCopyColumn *c, const PqCells *cells,
                             const PqStop *stop, PqArena *a, PqErr *e);

/* ---- geometries (copy_geo.c) --------------------------------------------- */

/* Before the query runs: a covering that comes along with its geometry will be
** replaced by the new one. */
void pqsql_copy_geo_replace(PqsqlCopyColumns *columns);

/* After all types are settled: changes the columns to what the version wants,
** adds the covering columns, and makes the description, NULL without
** GeoParquet. */
PqRc pqsql_copy_geo(PqsqlCopyColumns *columns, const PqGeoParquet **out,
                    PqErr *e);

/* ---- the plan of core/write/copy.h (copy_plan.c) ------------------------- */

/* Does the copy make a folder of files? */
bool pqsql_copy_makes_folder(const PqsqlCopyOptions *o, const char *path);

/* Opens the publication before the query runs: fails if the path cannot be
** written, or if overwrite or host forbid it. */
PqRc pqsql_copy_plan_publish(const PqsqlCopyColumns *columns, const char *path,
                             const PqPublishHost *host, PqRemote *remote,
                             const PqStop *stop, const PqPublishLog *log,
                             PqPublish **out, PqErr *e);

/* Makes the plan, after it has added to the columns what GeoParquet needs.  It
** points into the columns' arena, except for path and stop; the caller fills in
** publish. */
PqRc pqsql_copy_plan(PqsqlCopyColumns *columns, const char *path,
                     const PqStop *stop, PqCopyPlan *out, PqErr *e);

/* ---- encryption (copy_seal.c) -------------------------------------------- */

/* Called before the query runs: keys must be in the ring, and columns in the
** query and not in partition_by.  Names that differ only in case are
** corrected. */
PqRc pqsql_copy_seal_check(const PqsqlCopyColumns *columns, PqKeyRing *ring,
                           PqErr *e);

/* Called when the types are known: paths into nested columns must lead to
** leaves. */
PqRc pqsql_copy_seal_fit(const PqsqlCopyColumns *columns,
                         const PqSchemaElementList *schema, PqErr *e);

#endif
