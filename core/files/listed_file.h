/*
** listed_file.h - a file of a listing, and what is known of it before it is opened.
*/
#ifndef PQ_LISTED_FILE_H
#define PQ_LISTED_FILE_H

#include "core/base/row_range.h"
#include "core/meta/stats.h"

/* REAL: only in lake tables. */
typedef enum PqHiveType { PQ_HIVE_INTEGER, PQ_HIVE_DATE, PQ_HIVE_TEXT, PQ_HIVE_REAL }
    PqHiveType;

typedef struct PqHiveValue {
    const char *text;                /* NULL: null */
    union {
        int64_t integer;             /* of the text, else 0           */
        double  real;                /* REAL                          */
    };
    bool        is_integer;          /* as it is printed: see hive.h  */
    bool        is_there;            /* a folder of the path has it   */
} PqHiveValue;

/* What the log of a lake table claims of a leaf in all rows of a file. */
typedef struct PqLogBounds {
    uint32_t leaf;                   /* of the table's schema                */
    PqBounds bounds;                 /* values as that schema has them       */
} PqLogBounds;

typedef struct PqListedFile {
    const char        *path;
    const PqHiveValue *hive;         /* PqListing.n_folder_columns of them */
    uint32_t           n_base;       /* bytes before the folders that count */
    uint32_t           n_deleted;
    const PqRowRange  *deleted;      /* rows of the file that do not count: sorted,
                                     ** disjoint                            */
    int64_t            size, n_rows; /* as a log claims; -1: it does not     */
    const PqLogBounds *bounds;       /* n_bounds of them                     */
    uint32_t           n_bounds;
    int64_t            first_row;    /* of Iceberg: the id of its first row ... */
    int64_t            sequence;     /* ... and the number of the commit that added it; -1:
                                     ** none                                 */
} PqListedFile;

#endif
