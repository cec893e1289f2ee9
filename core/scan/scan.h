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
** A scan reads a set of ranges of rowids; the default is everything.  A single row
** is a range of one: the reader jumps to its page.
**
** Consumers pull batches one by one.  SQLite's cursor is one consumer; a
** function that counts or verifies is another.
*/
#ifndef PQ_SCAN_H
#define PQ_SCAN_H

#include "core/base/row_range.h"
#include "core/column/leaf_read.h"
#include "core/scan/row_filter.h"
#include "core/scan/row_proof.h"
#include "core/files/table.h"
#include "core/nested/path_rows.h"

enum { PQ_BATCH_ROWS = 2048, PQ_ROWID_SHIFT = 40 };

typedef struct PqLookup PqLookup;    /* lookup.h */

typedef struct PqScanOptions {
    size_t memory;
    PqLookup *lookup;                /* shared with other scans of the
                                     ** listing, outlives them; or NULL     */
    bool   checksum;
    unsigned threads;                /* for decoding ahead; 0: none         */
    bool   if_faster;                /* they are used where that is measured to
                                     ** be faster, and not whatever it costs */
    unsigned distrust;               /* a bit per PqProofKind that must not
                                     ** be used                             */
    bool   rows_only;                /* no column will be asked for: batches
                                     ** may be as long as a row group       */
    uint64_t columns;                /* that will be read, a bit each; bit 63:
                                     ** all from there on; 0: not known     */
    const bool *late;                /* ... of these, one each; NULL: all   */
    PqStop stop;
    const char *name, *plan;         /* for the statistics                  */
    bool   unlisted;                 /* not listed in the statistics        */
} PqScanOptions;

/* Counted by the consumer of the batches.  ns_inside: time from a request for
** rows until there are some.  ns_outside: time from then until the next
** request. */
typedef struct PqScanUse {
    uint64_t passes, rows;           /* rows taken from the batches         */
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
    const int64_t *rowids;           /* of picked rows, which may lie in    */
                                     /* several row groups; NULL: the rows  */
                                     /* are consecutive                     */
    /* What the filters left: a bit per row, and the rows whose bit is set.
    ** NULL without filters. */
    const uint64_t *keep;
    const uint32_t *kept;
    uint32_t n_kept;                 /* n_rows without filters              */
} PqBatch;

/* table, listing and options->stop have to outlive the scan. */
PqRc pq_scan_new(const PqTable *table, const PqListing *listing,
                 const PqScanOptions *options, PqScan **out, PqErr *e);
void pq_scan_free(PqScan *s);

/* Starts again with these ranges, sorted and disjoint (NULL: everything).
** They are copied.  skip_file, if not NULL, is asked before a file is
** opened. */
PqRc pq_scan_start(PqScan *s, const PqRowRange *ranges, uint32_t n_ranges,
                   PqSkipFile skip_file, void *arg, PqErr *e);

/* Adds a proof until the next start; p is borrowed. */
PqRc pq_scan_add_proof(PqScan *s, const PqProof *p, PqErr *e);

/* Until the next start, rows are read of the columns that proofs are about, and of no
** others that were named to pq_scan_new. */
void pq_scan_reads_few_columns(PqScan *s);

/* Adds a filter until the next start; f is borrowed. */
PqRc pq_scan_add_filter(PqScan *s, PqFilter *f, PqErr *e);

/* Removes all proofs and filters, and what skips files, before rows are picked. */
void pq_scan_drop_terms(PqScan *s);

/* The next batch; *more is false at the end.  A batch in which the filters
** leave no row is not handed out. */
PqRc pq_scan_next(PqScan *s, bool *more, PqErr *e);
const PqBatch *pq_scan_batch(const PqScan *s);

/* Makes a batch of these rows: all of one file, at most PQ_BATCH_ROWS, in any
** order; a row may come twice.  What pq_scan_next returns afterwards does not
** change.  Filters are not asked.  Decoded rows are kept for later picks; see
** scan_pick.c. */
PqRc pq_scan_pick(PqScan *s, const int64_t *rowids, uint32_t n, PqErr *e);

/* Makes a batch of rows that the caller has put aside; the caller sets their
** vectors.  rowids is borrowed.  Other leaves are read as if these rows were
** picked: then all rows have to be in that file. */
PqRc pq_scan_give(PqScan *s, uint32_t file, const int64_t *rowids, uint32_t n,
                  PqErr *e);

/* Sets the vector of a leaf for the rows of that batch; it has def levels if
** they are wanted.  What *v points to has to outlive the batch. */
bool pq_scan_wants_levels(const PqScan *s, uint32_t leaf);
void pq_scan_set_vector(PqScan *s, uint32_t leaf, const PqVector *v);

/* Asks the filters about the batch, which may then have no row left.
** pq_scan_next calls this; pq_scan_pick does not. */
PqRc pq_scan_filter(PqScan *s, PqErr *e);

/* The rowid, file row and row group of a row of the batch. */
static inline int64_t pq_batch_rowid(const PqBatch *b, uint32_t row)
{
    return b->rowids ? b->rowids[row] : b->rowid + row;
}
int64_t  pq_scan_row_in_file(const PqScan *s, uint32_t row);
uint32_t pq_scan_row_group(const PqScan *s, uint32_t row);

/* ---- lanes: scan_lane.c ---- */

/* The next rows, of one row group, that the proofs leave.  The scan passes them,
** for others to read, and asks no filter.  *more false: there are none. */
PqRc pq_scan_next_rows(PqScan *s, PqRowRange *out, bool *more, PqErr *e);

/* When n more rows have been read, whether filters leave any or not,
** pq_scan_next makes a batch without rows, once.  If at most n rows of a row
** group are then left, they are read first, so that nobody has to unpack its
** pages again.  All rows before the batch have been handed out, and others may
** read the rows after it. */
void pq_scan_pause_after(PqScan *s, uint64_t n);

/* Goes on with these rows, all of one file; filters stay.  Only this opens
** files: another thread can then read the rows. */
PqRc pq_scan_go_to(PqScan *s, const PqRowRange *ranges, uint32_t n, PqErr *e);

/* Lanes have ended: their files are closed, and rows that they read count as
** read by s.  It took them ns together; s has waited for `waited`. */
void pq_scan_add_lanes(PqScan *s, PqScan *const *lanes, uint32_t n, int64_t ns,
                       int64_t waited);

/* The file that the batch is from. */
const PqFooter *pq_scan_footer(const PqScan *s);
const char     *pq_scan_path(const PqScan *s);

/* Says where an error in a column of the batch would be. */
void            pq_scan_at_column(const PqScan *s, uint32_t column, PqErr *e);
uint64_t        pq_scan_file_serial(const PqScan *s);   /* differs by file */

/* The node of a column in that file; NULL: all NULL.  A path is a leaf or has
** the kind PQ_NODE_PATH. */
const PqNode   *pq_scan_node(const PqScan *s, uint32_t column);

/* Is the column a field of files? */
bool            pq_scan_is_field(const PqScan *s, uint32_t column);

/* Is it a path whose values are cast in that file, and may such a cast fail? */
bool            pq_scan_casts(const PqScan *s, uint32_t column);

/* From now on the casts of paths are made in this row of the batch only, and
** its vectors have no other values; -1: in all rows that the filters leave. */
void            pq_scan_cast_only(PqScan *s, int32_t row);

/* The values of a leaf of that file, for the rows of the batch; with levels
** where the leaf is part of a nested column.  Rows that the filters have
** already dropped may look like nulls.  If few rows are left, they have values,
** not ids, even if their pages use a dictionary. */
PqRc pq_scan_vector(PqScan *s, uint32_t leaf, const PqVector **out, PqErr *e);

/* The values of a path without a type, one per row, for the rows of the batch
** that the filters leave; a bit per row that is not NULL. */
PqRc pq_scan_path_items(PqScan *s, uint32_t leaf, const PqPathValue **out,
                        const uint64_t **valid, PqErr *e);

/* Sets the vector of a leaf for the rows of the batch, so that it is not read.
** What *v points to has to outlive the batch.  False: the vector needs levels,
** like every leaf in a nested column, and is read all the same. */
bool pq_scan_preset(PqScan *s, uint32_t leaf, const PqVector *v);

/* The dictionary of a leaf in the batch's row group.  NULL unless the metadata
** says that all values are in it, and it is small.  No data page is read.
** *nulls: there may be rows without a value. */
PqRc pq_scan_dictionary(PqScan *s, uint32_t leaf, const PqDict **out,
                        bool *nulls, PqErr *e);

/* Visits the pages of a column in the row group of a row, with their rowids
** and bounds.  Nothing is visited where no bounds of pages are known.  For
** callers that order the pages themselves, before pq_scan_start. */
typedef PqRc (*PqPageVisit)(void *arg, PqRowRange rows, const PqLeafBounds *b,
                            PqErr *e);
PqRc pq_scan_visit_pages(PqScan *s, uint32_t column, int64_t rowid,
                         PqPageVisit visit, void *arg, PqErr *e);

/* After a start: the row group of these rows was visited before and is not
** counted again. */
void pq_scan_revisit(PqScan *s);

/* Counts n row groups as skipped by statistics, or n pages as skipped by their
** bounds; `rows` is their total.  The caller found that it need not read
** them. */
void pq_scan_passed_groups(PqScan *s, uint64_t n, int64_t rows);
void pq_scan_passed_pages(PqScan *s, uint64_t n, int64_t rows);

/* Counts n files as skipped: the caller asked about them itself. */
void pq_scan_passed_files(PqScan *s, uint32_t n);

/* Hands out these rows of the batch instead of the current ones; NULL: the
** first n. rows is borrowed. */
void pq_scan_keep(PqScan *s, const uint32_t *rows, uint32_t n);

/* Rows that the filters dropped are handed out after all.  Vectors of the batch
** are loaded again: they may have nulls in place of such rows. */
void pq_scan_keep_all(PqScan *s);

/* Until the next file, vectors of the leaf have levels even if it is not part
** of a nested column.  Its earlier vectors become invalid. */
void pq_scan_keep_levels(PqScan *s, uint32_t leaf);

/* Adds to the scan's statistics. */
void pq_scan_used(PqScan *s, const PqScanUse *use);

/* A note about the scan for parquet_scan_stats(); see engine.h. */
void pq_scan_note(PqScan *s, const char *note);

PqMem *pq_scan_mem(const PqScan *s);

/* Rows of all batches so far. */
uint64_t pq_scan_rows_read(const PqScan *s);

/* For polling during long work on values; lives as long as the scan. */
const PqStop *pq_scan_stop(const PqScan *s);

#endif
