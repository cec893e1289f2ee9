/*
** value_inside.h - inside value.h: the recipe of a column.
**
**   value.c        makes the recipe, loads batches
**   value_make.c   whole arrays of computed values (texts, REALs), by type
**   value_get.c    one value into a sqlite3_context
**   value_item.c   the values of a path into a Variant, of any class
**   value_wkb.c    native geometries as WKB
*/
#ifndef PQSQL_VALUE_INSIDE_H
#define PQSQL_VALUE_INSIDE_H

#include "sql/value/value.h"

typedef struct PqsqlRecipe PqsqlRecipe;

/* What is wrong with a text, for invalid_utf8=error. */
#define PQSQL_NOT_UTF8                                                       \
    "bytes that are not UTF-8; invalid_utf8=text or invalid_utf8=blob reads " \
    "them"

/* The getters for one form of value: [has ids | has nulls * 2]. */
typedef struct PqsqlFamily {
    PqsqlGet get[4];
} PqsqlFamily;

/* Computes out[i] from in[i] for each of the n slots whose valid bit is set. in
** is an array of the physical type.  The bytes of texts go to texts. */
typedef PqRc PqsqlMake(PqsqlRecipe *r, const void *in, const uint64_t *valid,
                       uint32_t n, void *out, PqArena *texts, PqErr *e);

/* An array that was computed from another one, kept while it is valid. */
typedef struct PqsqlMade {
    char     *values;
    size_t    room;                  /* bytes                               */
    PqArena   texts;
    uint64_t *without;               /* a bit for each entry of a dictionary
                                     ** that has no value; NULL: none       */
} PqsqlMade;

/* The form of a dictionary's entries, for copying them into rows. */
typedef enum PqsqlEntry {
    PQSQL_ENTRY_OTHER, PQSQL_ENTRY_4, PQSQL_ENTRY_8, PQSQL_ENTRY_TEXT
} PqsqlEntry;

struct PqsqlRecipe {
    PqMem        *mem;
    const PqNode *node;
    PqType        from, to;          /* of the file, as declared           */
    PqsqlOptions  options;
    PqsqlMake    *make;              /* NULL: values are used as they are  */
    size_t        made_width;
    const PqsqlFamily *family;
    PqsqlEntry    entry;
    PqsqlMade     batch, dict;
    char         *rows;              /* of a dictionary batch, see in_rows */
    size_t        rows_room;         /* bytes                              */
    uint64_t      dict_serial;       /* dictionary of dict; 0: none        */
    uint64_t      clean_serial;      /* dictionary whose texts were looked at */
    bool          clean;             /* ... and have no NUL                */
    PqBuf         scratch;
    char          room[PQ_NUMBER_TEXT_ROOM];     /* of a cell's text        */
    const char   *path;              /* of the batch's file, for errors    */
    uint32_t      group;
    const PqStop *stop;              /* of the scan; NULL: nobody is asked  */
    /* For nested columns, and others that become JSON text first. */
    PqJsonRows   *json;
    const PqVector **vectors;
    bool          unquote;           /* a scalar: quotes are taken off     */
    PqsqlColumn  *twin;              /* the Variants of these texts, or NULL */
    const uint32_t *entry_of_row;    /* rows of an unnested list share them: */
                                     /* PqScanEntries; NULL: each has its own */
    uint32_t      n_entries, text_first, text_n, text_ahead;
    const PqStr  *texts;             /* of entries                          */
    struct PqsqlItems *items;        /* of a path without a type, or NULL  */
    PqGeoRows    *geo;               /* WKB of a native geometry, or NULL  */
    PqStr         wkb;               /* ... of the row that was last made  */
};

static inline uint32_t pqsql_entry_of(const PqsqlRecipe *r, uint32_t row)
{
    return r->entry_of_row ? r->entry_of_row[row] : row;
}

/* The text that pqsql_column_text_row made for a row; p NULL: none. */
PqStr pqsql_row_text(const PqsqlRecipe *r, uint32_t row);

/* Loads a batch of one value of the physical type, for value_plain.c. */
PqRc pqsql_column_load_one(PqsqlColumn *c, const void *value, PqErr *e);

/* value_item.c: a path without a type is made row by row.  pqsql_item is the
** row that was made last. */
typedef struct PqsqlItem {
    PqCell   cell;
    unsigned subtype;                /* of JSON or a Variant, else 0         */
} PqsqlItem;

PqRc pqsql_use_items(PqsqlColumn *c, PqErr *e);
PqRc pqsql_load_items(PqsqlColumn *c, PqScan *scan, PqErr *e);
PqRc pqsql_item_of_row(PqsqlColumn *c, uint32_t row, PqErr *e);
const PqsqlItem *pqsql_item(const PqsqlRecipe *r);
void pqsql_free_items(struct PqsqlItems *x);         /* x may be NULL */

/* value_wkb.c: a native geometry is made row by row. */
PqRc pqsql_use_wkb(PqsqlColumn *c, PqErr *e);
PqRc pqsql_load_wkb(PqsqlColumn *c, PqScan *scan, PqErr *e);
PqRc pqsql_wkb_of_entry(PqsqlColumn *c, uint32_t entry, PqErr *e);

/* One per form of value; value_get.c. */
extern const PqsqlFamily
    pqsql_null, pqsql_boolean, pqsql_i32, pqsql_u32, pqsql_i64, pqsql_u64,
    pqsql_f32, pqsql_f64, pqsql_f32_nan, pqsql_f64_nan, pqsql_text,
    pqsql_clean_text, pqsql_entry_text, pqsql_text_len, pqsql_text_subtype,
    pqsql_blob, pqsql_utf8_blob, pqsql_json, pqsql_unquoted, pqsql_row_blob,
    pqsql_row_wkb, pqsql_number, pqsql_item_family;

/* value_make.c: sets the family and the make of a leaf's values. */
void pqsql_choose_form(PqsqlRecipe *r);

#endif
