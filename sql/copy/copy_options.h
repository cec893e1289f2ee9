/*
** copy_options.h - the third argument of parquet_copy_to.
**
**   {"compression": "zstd", "types": {"price": "DECIMAL(10,2)"},
**    "columns": {"id": {"bloom": {"ndv": 1e6}, "dictionary": false}}}
**
** A JSON object, as json_object() makes it: true may be 1, sizes may be texts
** ("64MB"), and a member that is null is ignored.  Names of columns are not
** checked here.
*/
#ifndef PQSQL_COPY_OPTIONS_H
#define PQSQL_COPY_OPTIONS_H

#include "core/for_host.h"

/* A setting that was not given; -1 may have a meaning. */
enum { PQSQL_UNSAID = -2 };

/* Sizes that were not given and are not the engine's (copy.h).
**
** Types are decided by more rows than a row group has, as far as memory allows.
**
** If neighbouring rows are near each other on a map, a query for a small box
** reads few of them: small row groups and pages skip more, and cost little.
** Measured with two million points and boxes of 0.01 %; ten million points want
** the same sizes:
**
**   rows of a row group     1048576   100000    20000     without a covering
**   time of a box             35 ms     6 ms     2 ms
**   rows of a page            20000     5000     2000     1000     with one
**   time of a box            1.3 ms   0.7 ms   0.5 ms   0.4 ms
**   file                    59.5 MB  59.2 MB  59.2 MB  60.2 MB */
enum {
    PQSQL_NEAR_GROUP_ROWS = 100000, PQSQL_FIRST_ROWS = 1 << 20,
    PQSQL_NEAR_PAGE_ROWS = 2000
};

typedef enum PqsqlCompatibility {
    PQSQL_STANDARD, PQSQL_MODERN, PQSQL_LEGACY
} PqsqlCompatibility;

/* The key "geo" of a file. */
typedef enum PqsqlGeoparquet {
    PQSQL_GEOPARQUET_NONE, PQSQL_GEOPARQUET_1, PQSQL_GEOPARQUET_2
} PqsqlGeoparquet;

typedef enum PqsqlCovering {
    PQSQL_COVERING_NONE, PQSQL_COVERING_FLOAT, PQSQL_COVERING_DOUBLE
} PqsqlCovering;

/* The settings of all columns, or of one. */
typedef struct PqsqlChunkSettings {
    int     codec, encoding;         /* encoding -1: chosen automatically    */
    int64_t level;
    int     dictionary;              /* PqDictionaryUse                      */
    int     bloom;                   /* PqBloomUse                           */
    double  bloom_fpp;
    int64_t bloom_values;
    int     statistics;
    int64_t page_version;
    int64_t page_rows, page_bytes;
    int     float_order;             /* 1: IEEE 754 total order              */
    int     timestamp;               /* of numbers: 0 unixepoch, 1 raw       */
} PqsqlChunkSettings;

typedef struct PqsqlColumnSettings {
    const char        *column;
    PqsqlChunkSettings chunk;
} PqsqlColumnSettings;

typedef struct PqsqlNamed {          /* types: value is text                 */
    const char *name, *value;
    int64_t     number;              /* field_ids                            */
} PqsqlNamed;

typedef struct PqsqlNamedList {
    PqsqlNamed *v;
    uint32_t    n;
} PqsqlNamedList;

/* How a VARIANT is shredded. */
typedef struct PqsqlShredSetting {
    const char    *column;           /* NULL: every VARIANT                  */
    const char    *type;             /* a type, auto or none; NULL: by path  */
    PqsqlNamedList paths;            /* $.user.id: BIGINT                    */
} PqsqlShredSetting;

typedef struct PqsqlSortName {
    const char *column;
    bool        descending, nulls_first;
} PqsqlSortName;

typedef struct PqsqlCopyOptions {
    int      compatibility;          /* PqsqlCompatibility                   */
    PqsqlChunkSettings chunk;
    PqsqlColumnSettings *columns;
    uint32_t n_columns;
    int64_t  row_group_rows, row_group_bytes;
    int64_t  first_rows;             /* that types are found by              */
    int64_t  file_rows, file_bytes;  /* 0: no rolling                        */
    int64_t  memory;
    int64_t  threads;                /* -1: as many as help                  */
    PqPatience patience;
    PqsqlNamedList types;            /* a value may be auto                  */
    bool     types_auto;             /* columns that are not in types have
                                     ** auto                                 */
    bool     has_field_ids;          /* the list may be empty                */
    PqsqlNamedList field_ids;
    int      null_misfits;
    bool     has_not_null;           /* the list may be empty                */
    PqsqlNamedList not_null;
    bool     sorting_said;           /* sorting_columns was given as a list  */
    int      sorting_none;
    PqsqlSortName *sorting;
    uint32_t n_sorting;
    PqsqlNamedList variant;
    PqsqlShredSetting *shred;
    uint32_t n_shred;
    int      geoparquet;             /* PqsqlGeoparquet                      */
    int      covering;               /* PqsqlCovering or UNSAID              */
    const char *primary_column;
    const char *hilbert;             /* the column to sort by, or NULL       */
    PqsqlNamedList partition_by;
    const char *filename_pattern;
    int      overwrite;              /* PqOverwrite or UNSAID                */
    int      lake;                   /* PqLakeHow or UNSAID                  */
    const char *table;               /* of a DuckLake, whose catalog is the path; or NULL */
    PqSlice  params;                 /* JSON; empty: none                    */
    bool     params_are_named;
    PqKeyValueList key_values;
    const char *created_by;
    const char *progress;            /* copy_progress.h; NULL: none          */
    bool     is_clear;               /* encryption is "none"                 */
    PqEncryption *encryption;        /* NULL: none; names are checked, and the
                                     ** ring added, in copy_seal.c           */
} PqsqlCopyOptions;

/* json may be NULL: all options have their defaults.  PQ_USAGE names the option
** and what it takes.  out points into a and into json. */
PqRc pqsql_copy_options_parse(const char *json, PqArena *a,
                              PqsqlCopyOptions *out, PqErr *e);

/* How to write the chunks of a column.  NULL: a column without settings of its
** own. */
PqChunkOptions pqsql_copy_options_chunk(const PqsqlCopyOptions *o,
                                        const PqsqlColumnSettings *column);

/* Those of the column of a file. */
PqChunkOptions pqsql_copy_options_named(const PqsqlCopyOptions *o, const char *column);

#endif
