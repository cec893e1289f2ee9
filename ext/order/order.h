/*
** order.h - rows in the order of a query, without sorting them all.
**
** A plan may promise an order ("in order of ts desc"); SQLite then takes rows
** until it has enough.  The rows come in rounds.  Each round finds the keys
** (order_keys.h) of the next best rows, a few at first and then more, and their
** rows are then picked one by one:
**
**   row groups by their bounds of ts, best first, DESC
**   group 8   [...........95]     read, keys 95 94 94 91 kept
**   group 7        [....90]       cannot beat 91: this one and all behind it
**   group 6      [...88]          are not read
**
** Within a row group its pages are gone to likewise, if an index has their
** bounds.  The same bounds rule out what earlier rounds have given.  So memory
** is bounded, whatever the number of rows, and what is read depends on how much
** the row groups overlap; whether that pays is decided when the statement is
** prepared (order_plan.c):
**
**   the row groups hardly overlap       a file sorted by the column, or nearly
**   a LIMIT of not too many rows        one round finds them
**   nothing but these columns is used   max(), and sorting a column
**
** Right whatever the file turns out to be when it is read, as long as its
** bounds are; with wrong bounds the order is wrong.
*/
#ifndef PQEXT_ORDER_H
#define PQEXT_ORDER_H

#include "ext/cursor/cursor.h"
#include "ext/order/order_keys.h"

/* How the values of a column become those of keys. */
typedef enum PqextKeyForm {
    PQEXT_FORM_OF_CELLS,             /* as SQLite would be given them       */
    PQEXT_FORM_OF_INTS, PQEXT_FORM_OF_REALS,
    PQEXT_FORM_OF_TEXTS, PQEXT_FORM_OF_BLOBS,    /* as they are stored      */
    PQEXT_FORM_OF_ROWIDS
} PqextKeyForm;

typedef struct PqextOrderColumn {
    int          column;             /* of the table, or PQEXT_ROWID        */
    bool         desc;
    PqextKeyForm form;
} PqextOrderColumn;

typedef struct PqextOrderBy {
    PqextOrderColumn v[PQEXT_ORDER_COLUMNS];
    uint32_t         n;
    uint32_t         first;          /* rows wanted, 0: not known           */
    bool             only_keys;      /* no other column is used             */
} PqextOrderBy;

/* ---- order_plan.c ---- */

/* Is the ORDER BY (GROUP BY) of this call to be promised?  all_exact: SQLite is
** given no row that it may throw away by a term it told of; guarded: some term
** may compare with another table's column. */
bool pqext_order_plan(const PqextTable *t, sqlite3_index_info *info,
                      bool all_exact, bool guarded, PqextOrderBy *out);

void pqext_order_write(const PqextTable *t, const PqextOrderBy *o,
                       sqlite3_str *plan);

/* ... and back; false: the plan promises none. */
bool pqext_order_parse(PqextTable *t, const char *shape,
                       PqextOrderBy *out);

/* ---- order_groups.c ---- */

typedef struct PqextOrderGroup {
    int64_t       begin, end;        /* rowids                              */
    bool          known;             /* best and worst are                  */
    bool          occurs;            /* the best is the value of some row   */
    PqextKeyValue best, worst;       /* of the first column                 */
} PqextOrderGroup;

typedef struct PqextOrderGroups {
    PqArena          arena;
    PqextOrderGroup *v;
    uint32_t         n, room;
    int64_t          key_bytes;      /* of columns looked at, unpacked       */
} PqextOrderGroups;

/* The row groups of the files that are not skipped, best first; chooses the
** forms of o's columns. */
PqRc pqext_order_groups(const PqextTable *t, const PqListing *l,
                        PqSkipFile skip, void *arg, PqextOrderBy *o,
                        PqextOrderGroups *out, PqErr *e);
void pqext_order_groups_free(PqextOrderGroups *g);

/* The value of the first column that a bound is; false: it tells nothing.
** Bytes are borrowed, or made in room. */
bool pqext_order_bound(const PqextTable *t, const PqextOrderColumn *c,
                       const PqType *type, PqSlice bound, char *room,
                       PqextKeyValue *out);

/* The best and the worst that rows with these bounds can be; false: not
** known. */
bool pqext_order_ends(const PqextTable *t, const PqextOrderColumn *c,
                      const PqLeafBounds *b, char *best_room, char *worst_room,
                      PqextKeyValue *best, PqextKeyValue *worst);

/* ... as the ends of g, which lie in a. */
PqRc pqext_order_group_ends(const PqextTable *t, const PqextOrderColumn *c,
                            const PqLeafBounds *b, PqArena *a,
                            PqextOrderGroup *g, PqErr *e);

/* Best first; those of which nothing is known before them. */
void pqext_order_groups_sort(PqextOrderGroups *g, bool desc);

/* One more, which is all zero; NULL: no memory. */
PqextOrderGroup *pqext_order_groups_more(PqextOrderGroups *g, PqErr *e);

/* ---- order_rounds.c ---- */

typedef struct PqextOrder PqextOrder;

PqRc pqext_order_new(PqextCursor *c, const PqextOrderBy *by, PqextOrder **out,
                     PqErr *e);
void pqext_order_free(PqextOrder *o);                    /* o may be NULL */

/* Makes the next rows the batch of the cursor's scan. */
PqRc pqext_order_next(PqextOrder *o, bool *more, PqErr *e);

/* max(x) may be the bound that the best row group has for it: then it is not
** known which row that is, until someone asks and the batch becomes that row. */
bool pqext_order_is_bound(const PqextOrder *o);
PqRc pqext_order_find_row(PqextOrder *o, PqErr *e);

#endif
