/*
** footer.h - the end of a Parquet file, opened once and kept.
**
**   ... row groups ... | FileMetaData | length (4) | "PAR1"
**
** A footer of 2,000 row groups of 20 columns has 40,000 ColumnChunk structs,
** and a query needs a few.  So pq_footer_read only notes where each one lies,
** and pq_footer_chunk parses one on request.
**
** After pq_footer_read a PqFooter does not change, except that pq_footer_forget
** takes away keys that nobody uses.  Several threads may use it.  It holds no
** open file.  Errors name row group and column; after pq_footer_read, naming
** the file is up to the caller.
*/
#ifndef PQ_FOOTER_H
#define PQ_FOOTER_H

#include "core/meta/file_locks.h"
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
    uint8_t         bounds_doubts;       /* of the writer: see order.c      */
    uint8_t         nulls_doubts;
    const struct PqGeoParquet *geo;      /* its key "geo"; NULL: it has none that can be read */
    PqFileLocks    *locks;               /* NULL: the file is not encrypted */
    PqBuf           opened_with;         /* pq_key_choice_text of its keys; for
                                         ** files that are encrypted        */
    _Atomic uint32_t holders;            /* see pq_footer_hold              */
    uint32_t    n_tables;                /* of them, PqTables: they can do
                                         ** without keys                    */
} PqFooter;

/* Reads and checks; the result has one holder.  keys may be NULL: then only
** what is in the clear can be read.  If the user names keys, a file that is not
** encrypted fails. */
PqRc pq_footer_read(PqInput *in, const PqKeyChoice *keys, PqMem *mem,
                    PqFooter **out, PqErr *e);

/* The footer of a file without rows, of the schema that was made. */
struct PqSchemaMake;
PqRc pq_footer_of_schema(struct PqSchemaMake *make, PqMem *mem, PqFooter **out, PqErr *e);

/* What an element of another schema of the same file is: a leaf of the file, or one
** that it lacks. */
typedef struct PqLeafOrigin {
    const PqLeaf *leaf;
    const PqMade *made;
} PqLeafOrigin;

/* Shows the file with other fields: from has what each of the elements is. */
PqRc pq_footer_show_as(PqFooter *f, const PqSchemaElementList *elements,
                       const PqLeafOrigin *from, PqErr *e);

/* Would pq_footer_read with these keys have given the same footer? */
bool pq_footer_is_for(const PqFooter *f, const PqKeyChoice *keys);
void pq_footer_hold(PqFooter *f);
void pq_footer_release(PqFooter *f);                     /* f may be NULL */

/* If only tables hold it, lets go of the keys that ring does not have any more.
** A scan that runs needs its keys until it ends. */
void pq_footer_forget(PqFooter *f, const PqKeyRing *ring);

/* The first one with the key; NULL: there is none. */
const PqKeyValue *pq_key_value_find(const PqKeyValueList *list, PqSlice key);

/* Its value in the file's metadata. */
bool pq_footer_key_value(const PqFooter *f, const char *key, PqSlice *out);

/* The ColumnChunk of a leaf, checked.  Its type agrees with the schema, counts
** and sizes are not negative, and the pages begin before the footer, unless
** file_path says that they are in another file.  What it points to lies in the
** footer's bytes and in a.  Encrypted metadata is opened; if its key or the
** metadata is missing, that is PQ_UNSUPPORTED.  out->lock is the lock of its
** modules.  A dictionary page offset of 0 counts as absent.  Of a leaf that the file
** lacks, there are a type and a number of values. */
PqRc pq_footer_chunk(const PqFooter *f, uint32_t group, uint32_t leaf,
                     PqArena *a, PqColumnChunk *out, PqErr *e);

/* The same for a leaf that may be one of the schema as it is in the file. */
PqRc pq_footer_chunk_of(const PqFooter *f, uint32_t group, const PqLeaf *leaf,
                        PqArena *a, PqColumnChunk *out, PqErr *e);

#endif
