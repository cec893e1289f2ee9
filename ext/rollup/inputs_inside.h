/*
** inputs_inside.h - inside the inputs of rollup_table.h: what is shared by
** these files.
**
**   inputs.c            the vectors of keys and inputs
**   key_numbers.c       keys that are made of stored values
**   measure_numbers.c   the numbers of a column
**   measure_values.c    the values of a measure's expression
*/
#ifndef PQEXT_INPUTS_INSIDE_H
#define PQEXT_INPUTS_INSIDE_H

#include "ext/rollup/dimension_ask.h"
#include "ext/rollup/rollup_table.h"
#include "ext/rollup/time_format.h"

typedef struct PqextInputKey {
    const PqextDimension *dimension;
    uint32_t  column;
    PqextAsk  ask;                   /* EXPRESSION, TIME                    */
    /* TIME: the keys of the batch, by entry where there are ids. */
    const int64_t  *periods;
    const uint32_t *ids;
    bool      null_known, makes_of_null;         /* NULL becomes a value    */
    PqArena   entries;               /* of a dictionary: see serial */
    const int64_t *of_entries;
    uint64_t  serial;
    char      room[PQEXT_TIME_ROOM];
} PqextInputKey;

/* The numbers of a column in a batch. */
typedef struct PqextNumberColumn {
    uint32_t           column;
    uint64_t           batch;        /* the batch that it is loaded for     */
    PqNumbers          numbers;
    const uint64_t    *summed;       /* like numbers.reals, but for sum();
                                     ** NULL: numbers.reals serves          */
    /* The entries of a dictionary, if all are numbers; serial 0: there is
    ** none. */
    uint64_t           serial;
    const void        *entries;      /* NULL: an entry is NaN               */
    uint64_t           bound;        /* of entries that are integers        */
    PqArena            made;         /* entries that are not as stored      */
} PqextNumberColumn;

typedef struct PqextInputMeasure {
    const PqextMeasure *measure;
    uint32_t  root;                  /* of its program                      */
    /* Its expression: the values of the entries of a dictionary, or of the stored numbers
    ** that came first, and of NULL, as far as they were asked for. */
    PqextAsk  ask;
    PqArena   made;
    uint64_t  serial;                /* of the dictionary; 0: none          */
    PqCell   *values;
    uint64_t *known;
    const uint32_t *ids;             /* of the batch                        */
    const uint64_t *valid;
    PqWordNumbers words;             /* stored numbers -> values            */
    uint32_t  most_words;            /* 0: values are of a dictionary       */
    uint64_t  meaning;               /* of the stored numbers               */
    uint32_t  asked, missed;         /* look-ups for the batch              */
    bool      in_vain;               /* most of them, before                */
    const void *stored;              /* those of the batch; NULL: none      */
    uint8_t   width;
    bool      null_known;
    PqCell    null;
} PqextInputMeasure;

struct PqextInputs {
    PqMem                 *mem;
    const PqextDefinition *definition;
    PqextScan           *source;
    PqextInputKey         *keys;
    PqextInputMeasure     *inputs;
    uint32_t               n_keys, n_inputs;
    PqextNumberColumn     *columns;  /* one for each that measures use      */
    uint32_t               n_columns;
    PqNumberGraph          graph;    /* of all programs                     */
    PqNumbers             *results;  /* of each node                        */
    PqRollupKeyVector     *key_vectors;
    PqRollupInputVector   *input_vectors;
    PqArena                always;   /* the graph                           */
    PqArena                batch;    /* what the vectors point to           */
};

/* ---- inputs.c ---- */

/* Two types with one meaning show a stored value alike. */
uint64_t pqext_stored_meaning(const PqType *t);

/* ---- key_numbers.c ---- */

/* out has the stored values of a key, of a leaf that is node.  Makes numbers of them,
** if the key is made of them without SQLite. */
PqRc pqext_key_numbers(PqextInputs *in, PqextInputKey *k, const PqNode *node,
                       PqRollupKeyVector *out, PqErr *e);

/* ---- measure_numbers.c ---- */

/* The leaf of a column in the file of the batch.  *leaf: its stored values mean
** the same as values of the column's type.  NULL with *leaf: the file does not
** have the column, so all rows are NULL. */
const PqNode *pqext_plain_leaf(PqextScan *source, uint32_t column,
                               bool *leaf);

/* Loads the numbers of a numeric column for the rows of the batch.  A row that
** is not valid has 0, or an id.  The numbers lie in the arena or in c.  A
** decimal of bytes is WIDE even with scale 0. */
PqRc pqext_numbers_load(PqextNumberColumn *c, PqextScan *source, PqArena *a,
                        PqErr *e);

/* ---- measure_values.c ---- */

void pqext_values_init(PqextInputMeasure *m, const PqextMeasure *of, sqlite3 *db,
                       PqMem *mem);
void pqext_values_free(PqextInputMeasure *m);

/* Asks for the value for NULL now.  SQLite is not asked afterwards. */
PqRc pqext_values_leave_host(PqextInputs *in, PqextInputMeasure *m, PqErr *e);

/* The input of a batch: the numbers that sum() adds, or cells. */
PqRc pqext_values_load(PqextInputs *in, PqextInputMeasure *m,
                       PqRollupInputVector *out, PqErr *e);

/* The value in a row of that batch.  Its bytes stay until the next call. */
PqRc pqext_values_cell(PqextInputs *in, PqextInputMeasure *m, uint32_t row,
                       PqCell *out, PqErr *e);

#endif
