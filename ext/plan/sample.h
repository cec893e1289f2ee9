/*
** sample.h - what footers tell for planning, looked at once per table.
**
** All guesses of a plan are made from some row groups of the first file: all of
** them, or evenly chosen ones, the last among them.
**
**   row group      0          7          14         ...   693
**   rows           100000     100000     100000           41234
**   ts     min     01-01      01-09      01-17            12-31
**          max     01-02      01-10      01-18            12-31
**          nulls   0          0          0.1              0
**          kinds   900        1200       1100             40
**
** A column is looked at when it is first asked about.  estimate.c asks for
** shares of rows, join_cost.c for bounds and bytes, group_plan.c for the number of
** different values.  Only speed depends on the answers.
*/
#ifndef PQEXT_SAMPLE_H
#define PQEXT_SAMPLE_H

#include "ext/condition/meaning.h"

enum { PQEXT_SAMPLE_MOST = 500, PQEXT_SAMPLE_ROOM = PQEXT_SAMPLE_MOST + 1 };

/* A column in one of the row groups. */
typedef struct PqextSummary {
    bool       bounded;              /* as SQLite sees its values:          */
    PqCell min, max;             /* of texts, the beginning             */
    const PqType *type;              /* as they are stored:                 */
    bool       placed;               /* the bounds have places (place.h)    */
    PqPlace    low, high;
    double     nulls;                /* share of its rows                   */
    double     kinds;                /* different values                    */
} PqextSummary;

/* A geometry in one of the row groups. */
typedef struct PqextBox {
    PqGeoBox box;
    bool     none;                   /* no geometry has a box               */
    bool     paged;                  /* pages have boxes too                */
} PqextBox;

typedef struct PqextSample {
    PqArena    arena;
    uint32_t   n;                    /* row groups                          */
    uint32_t   each;                 /* one in `each` was taken             */
    uint32_t   group[PQEXT_SAMPLE_ROOM];
    double     rows[PQEXT_SAMPLE_ROOM];
    double     all_rows;             /* of the sample                       */
    double     between;              /* what lies unseen between two of the
                                     ** groups, as a share of all           */
    PqextSummary **columns;          /* n each, NULL: not looked at yet     */
    PqextBox     **boxes;            /* likewise                            */
    uint32_t  *entries;              /* 0: not looked at yet                */
} PqextSample;

/* NULL: the file has no row groups, or there is no memory. */
PqextSample *pqext_sample(PqextTable *t);
void pqext_sample_free(PqextSample *s);                  /* s may be NULL */

/* The column in each group of the sample.  NULL: it is not a leaf of the first
** file, its bounds are not trusted, or the footer cannot be read. */
const PqextSummary *pqext_sample_column(PqextTable *t, uint32_t column);

/* Bytes of a leaf per row, unpacked, by a few groups; 0: not known. */
double pqext_sample_bytes(PqextTable *t, uint32_t leaf);

/* Bytes of a page of the leaf, unpacked, at most about: without an index of its pages a
** chunk may be one page, as DuckDB writes it; 0: not known. */
double pqext_sample_page(PqextTable *t, uint32_t leaf);

/* The few: the first, the middle and the last group of the sample.  Returns
** their number. */
enum { PQEXT_SAMPLE_FEW = 3 };
uint32_t pqext_sample_few(const PqextSample *s, uint32_t few[PQEXT_SAMPLE_FEW]);

/* sample_boxes.c: what a predicate of a geometry leaves of each group: the rows
** given, the rows read for them, and whether there are none.  operand NULL: it
** is not known.  False: nothing is known. */
bool pqext_sample_cut_boxes(PqextTable *t, uint32_t column, PqGeoRelation r,
                            sqlite3_value *operand, double *given,
                            double *read, bool *none);

/* sample_entries.c: about how many values the column has in all files;
** PQEXT_MANY_ENTRIES where it is not known.  guess: by the footer alone. */
enum { PQEXT_MANY_ENTRIES = 1 << 20 };
uint32_t pqext_sample_entries(PqextTable *t, uint32_t column, bool guess);

/* ... and by the bounds, if dictionaries do not tell: a column of days has at
** most as many values as there are days.  INFINITY where it is not known. */
double pqext_sample_values(PqextTable *t, uint32_t column, bool guess);

#endif
