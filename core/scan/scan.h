/*
** scan.h - files in, batches out.
**
** A scan walks the files of a listing in order and hands out batches: a few
** thousand rows of one row group.  A batch has no values yet; each column is
** decoded when it is first asked for (pq_scan_vector), and pages of columns
** that nobody asks for are never read.
**
**   rowid = file << 40 | row in the file
**
** What is to be read is a set of rowid ranges, all of them by default.  One
** row by its rowid is a range of one: the reader jumps to its page.
**
** This pull interface is how batches are consumed: SQLite's cursor is one
** consumer, a function that counts or verifies another; an aggregate inside
** the engine would be a third.
*/
#ifndef PQ_SCAN_H
#define PQ_SCAN_H

#include "core/column/leaf_read.h"
#include "core/scan/row_filter.h"
#include "core/scan/proof.h"
#include "core/files/table.h"

enum { PQ_BATCH_ROWS = 2048, PQ_ROWID_SHIFT = 40 };

typedef struct PqRowRange {
    int64_t begin, end;              /* rowids, end exclusive */
} PqRowRange;

typedef struct PqScanOptions {
    size_t memory;
    bool   checksum;
    unsigned threads;                /* that decode ahead; 0: none          */
    unsigned distrust;               /* a bit per PqProofKind that is not
                                     ** to rule anything out                */
    bool   rows_only;                /* no column will be asked for: batches
                                     ** may be as long as a row group       */
    PqStop stop;
    const char *name, *plan;         /* for the statistics                  */
    bool   unlisted;                 /* not a part of them                  */
} PqScanOptions;

/* What whoever takes the batches knows of a scan.  Inside: from being asked for
** rows until there are some; outside: from there until the next are wanted. */
typedef struct PqScanUse {
    uint64_t passes, rows;           /* rows: of the batches, those taken   */
    int64_t  ns_inside, ns_outside;
} PqScanUse;

typedef struct PqBatch {
    uint64_t serial;                 /* differs from the batch before       */
    uint32_t file;                   /* index in the listing                */
    uint32_t group;
    int64_t  group_row;              /* of the first row, in its row group  */
    int64_t  file_row;               /* ... in its file                     */
    int64_t  rowid;
    uint32_t n_rows;
    const int64_t *rowids;           /* of picked rows, which may be of     */
                                     /* several row groups; NULL: the rows  */
                                     /* follow upon each other              */
    /* What filters left: a bit per row, and the rows that have one; NULL
    ** where there are no filters. */
    const uint64_t *keep;
    const uint32_t *kept;
    uint32_t n_kept;                 /* n_rows where there are none         */
} PqBatch;

/* table, listing and options->stop stay while the scan does. */
PqRc pq_scan_new(const PqTable *table, const PqListing *listing,
                 const PqScanOptions *options, PqScan **out, PqErr *e);
void pq_scan_free(PqScan *s);

/* Begins anew with these ranges, sorted and disjoint (NULL: everything);
** copied.  skip_file, if not NULL, is asked before a file is opened. */
typedef bool (*PqSkipFile)(void *arg, const PqListedFile *file);
PqRc pq_scan_start(PqScan *s, const PqRowRange *ranges, uint32_t n_ranges,
                   PqSkipFile skip_file, void *arg, PqErr *e);

/* Proofs hold for the scan until the next start; p is borrowed. */
PqRc pq_scan_add_proof(PqScan *s, const PqProof *p, PqErr *e);

/* ... and so does a filter. */
PqRc pq_scan_add_filter(PqScan *s, PqFilter *f, PqErr *e);

/* No proofs and filters: for rows that are picked. */
void pq_scan_drop_terms(PqScan *s);

/* The next batch, or *more false.  With filters, none in which they leave no
** row. */
PqRc pq_scan_next(PqScan *s, bool *more, PqErr *e);
const PqBatch *pq_scan_batch(const PqScan *s);

/* Instead of what comes next, a batch of these rows: all of one file, at most
** PQ_BATCH_ROWS, in any order, and the same one may come twice.  What is next
** stays next.  Filters are not asked.  Decoded rows are
** kept for further picks; see scan_pick.c. */
PqRc pq_scan_pick(PqScan *s, const int64_t *rowids, uint32_t n, PqErr *e);

/* Asks the filters about the batch, which may then have no row left.
** pq_scan_next does; pq_scan_pick does not. */
PqRc pq_scan_filter(PqScan *s, PqErr *e);

/* How many bytes decoded rows may take. */
PqRc pq_scan_pick_memory(PqScan *s, size_t limit, PqErr *e);

/* Of a row of the batch. */
static inline int64_t pq_batch_rowid(const PqBatch *b, uint32_t row)
{
    return b->rowids ? b->rowids[row] : b->rowid + row;
}
int64_t  pq_scan_row_in_file(const PqScan *s, uint32_t row);
uint32_t pq_scan_row_group(const PqScan *s, uint32_t row);

/* The file that the batch is from. */
const PqFooter *pq_scan_footer(const PqScan *s);
const char     *pq_scan_path(const PqScan *s);
uint64_t        pq_scan_file_serial(const PqScan *s);   /* differs by file */
const PqNode   *pq_scan_node(const PqScan *s, uint32_t column);

/* The values of a leaf of that file, for the rows of the batch; with levels
** where the leaf is part of a nested column. */
PqRc pq_scan_vector(PqScan *s, uint32_t leaf, const PqVector **out, PqErr *e);

/* The vector of a leaf for the rows of the batch is known: *v, which has to
** stay as long as the batch does.  False: the leaf is also part of a nested
** column, and is read nevertheless. */
bool pq_scan_preset(PqScan *s, uint32_t leaf, const PqVector *v);

/* The dictionary of a leaf in the row group of the batch, if the file says that
** all its pages consist of entries, else NULL; without reading a page.  *nulls:
** there may be rows without a value. */
PqRc pq_scan_dictionary(PqScan *s, uint32_t leaf, const PqDict **out,
                        bool *nulls, PqErr *e);

/* The pages of a column in the row group of a row, as rowids and bounds; nothing
** is visited where no indexes hold.  For who wants pages in an order of his own:
** before pq_scan_start. */
typedef PqRc (*PqPageVisit)(void *arg, PqRowRange rows, const PqLeafBounds *b,
                            PqErr *e);
PqRc pq_scan_visit_pages(PqScan *s, uint32_t column, int64_t rowid,
                         PqPageVisit visit, void *arg, PqErr *e);

/* After a start: the row group that its rows lie in was come to before, and is
** not counted again. */
void pq_scan_come_back(PqScan *s);

/* Counts n row groups of so many rows as skipped by statistics, or n pages as
** skipped by an index: whoever uses the scan found no need to go to them. */
void pq_scan_passed_groups(PqScan *s, uint64_t n, int64_t rows);
void pq_scan_passed_pages(PqScan *s, uint64_t n, int64_t rows);

/* From now on, until the next file, vectors of the leaf have levels even if it
** is not part of a nested column; what was handed out of it is gone. */
void pq_scan_keep_levels(PqScan *s, uint32_t leaf);

/* Adds to the scan's statistics. */
void pq_scan_used(PqScan *s, const PqScanUse *use);

/* A note about the scan for parquet_scan_stats(); see engine.h. */
void pq_scan_note(PqScan *s, const char *note);

PqMem *pq_scan_mem(const PqScan *s);

/* Rows of all batches so far. */
uint64_t pq_scan_rows_read(const PqScan *s);

/* For whoever works on the values; stays as long as the scan. */
const PqStop *pq_scan_stop(const PqScan *s);

#endif
