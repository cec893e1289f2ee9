/*
** written_chunk.h - a column of one leaf: made, written to a file by the chunk
** writer, read back by the engine's reader, and everything compared.
**
**   WrittenColumn c;
**
**   written_make(t, &c, &type, WRITTEN_LIST, WRITTEN_FEW, 300, &random);
**   CHECK_OK(written_write(t, &c, &options, 100, "x.parquet"));
**   written_check(t, &c, "x.parquet");              and verify finds nothing
**   written_free(&c);
**
** Levels and values are arrays of the whole column; batches are cut from them.
*/
#ifndef WRITTEN_CHUNK_H
#define WRITTEN_CHUNK_H

#include "core/column/chunk_write.h"
#include "core/meta/footer.h"
#include "test/unit/made_values.h"

typedef enum WrittenShape {
    WRITTEN_REQUIRED, WRITTEN_OPTIONAL,
    WRITTEN_STRUCT,                  /* optional in an optional struct       */
    WRITTEN_LIST,                    /* optional elements of an optional list */
    WRITTEN_SHAPES
} WrittenShape;

typedef enum WrittenContents {
    WRITTEN_FEW,                     /* eight values                         */
    WRITTEN_SPECIAL,                 /* where orders and cuts go wrong       */
    WRITTEN_MANY,                    /* hardly any twice                     */
    WRITTEN_RISING,
    WRITTEN_NULLS,                   /* nothing but NULL, where that may be  */
    WRITTEN_NULLS_FIRST,             /* two thirds NULL, and then MANY       */
    WRITTEN_NULLS_LAST,              /* a third MANY, and then NULL          */
    WRITTEN_FEW_NULLS_LAST,          /* a third FEW, and then NULL           */
    WRITTEN_CONTENTS
} WrittenContents;

typedef struct WrittenColumn {
    PqArena     arena;
    PqSchemaElementList elements;
    PqSchema    schema;
    const PqLeaf *leaf;
    uint32_t    n_rows, n_entries, n_values;
    uint16_t   *def, *rep;           /* of each entry                        */
    uint8_t    *values;              /* in the layout of decoder.h           */
    uint8_t    *bytes;               /* of texts                             */
} WrittenColumn;

void written_make(Test *t, WrittenColumn *c, const PqType *type,
                  WrittenShape shape, WrittenContents contents,
                  uint32_t n_rows, Random *r);

/* The same for a required column of n_rows values, all zero, which the caller
** then fills in. */
void written_empty(Test *t, WrittenColumn *c, const PqType *type,
                   WrittenShape shape, uint32_t n_rows);
void written_free(WrittenColumn *c);

/* One row group of all rows, in batches of batch_rows.  No batch finds anything
** that another left in a thread's context: any thread may get it. */
PqRc written_write(Test *t, const WrittenColumn *c, const PqChunkOptions *o,
                   uint32_t batch_rows, const char *path);

/* Reads every row, in steps that do not fit the batches. */
void written_check(Test *t, const WrittenColumn *c, const char *path);

/* The metadata of the only chunk, in the arena of c. */
PqColumnMetaData written_meta(Test *t, WrittenColumn *c, const char *path);

/* Does the metadata name the encoding? */
bool written_has(const PqColumnMetaData *m, int encoding);

/* Rows, entries and bytes of each page, of at most `most` pages; returns their
** number. */
typedef struct WrittenPage {
    int     type, encoding;
    int64_t n_entries, n_raw, n_packed;
} WrittenPage;
uint32_t written_pages(Test *t, const char *path, WrittenPage *pages,
                       uint32_t most);

/* For any file: the first finding of pq_verify fails the test. */
void written_verify(Test *t, const char *path, const PqKeyChoice *keys);

#endif
