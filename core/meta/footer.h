/*
** footer.h - the end of a Parquet file, opened once and kept.
**
**   ... row groups ... | FileMetaData | length (4) | "PAR1"
**
** A footer of 2,000 row groups of 20 columns has 40,000 ColumnChunk structs,
** and a query needs a few.  So pq_footer_read only notes where each one lies,
** and pq_footer_chunk parses one on request.
**
** A PqFooter does not change after pq_footer_read and may be used from several
** threads.  It holds no open file.  Errors name row group and column; after
** pq_footer_read, naming the file is up to the caller.
*/
#ifndef PQ_FOOTER_H
#define PQ_FOOTER_H

#include "core/crypto/module.h"
#include "core/meta/schema.h"

typedef struct PqGroup {                 /* a row group, the cheap part */
    int64_t num_rows;
    int64_t first_row;                   /* in the file                 */
    int64_t total_byte_size;             /* 0 when the file does not say */
} PqGroup;

typedef struct PqFooter {
    PqMem          *mem;
    PqArena         arena;
    PqBuf           bytes;               /* the FileMetaData struct         */
    uint64_t        offset;              /* where it lies in the file       */
    PqFileMetaData  file;                /* row_groups have as many columns
                                         ** as the schema has leaves;
                                         ** column_orders as many, or none  */
    PqSchema        schema;
    PqGroup        *groups;
    uint32_t        n_groups;
    int64_t         n_rows;              /* the sum over the groups         */
    _Atomic uint32_t holders;            /* see pq_footer_hold              */
} PqFooter;

/* Reads and checks; the result has one holder. */
PqRc pq_footer_read(PqInput *in, PqMem *mem, PqFooter **out, PqErr *e);
void pq_footer_hold(PqFooter *f);
void pq_footer_release(PqFooter *f);                     /* f may be NULL */

/* The ColumnChunk of a leaf, checked: its type agrees with the schema, counts
** and sizes are not negative, and the pages begin before the footer (unless
** file_path says that they are in another file).  What it points to lies in the
** footer's bytes and in a.  A chunk whose metadata is encrypted or absent is
** PQ_UNSUPPORTED.  A dictionary page offset of 0 counts as absent. */
PqRc pq_footer_chunk(const PqFooter *f, uint32_t group, uint32_t leaf,
                     PqArena *a, PqColumnChunk *out, PqErr *e);

#endif
