/*
** top.h - rows in the order of a query, without sorting them all.
**
** A host takes rows in order until it has enough.  They come in rounds.  Each
** round finds the rowids of the next best rows (top_set.h), a few at first and
** then more.  Then it picks these rows one by one:
**
**   row groups by their bounds of ts, best first, DESC
**   group 8   [...........95]     read, rows 95 94 94 91 kept
**   group 7        [....90]       cannot beat 91: this one and all that follow
**   group 6      [...88]          are not read
**
** Within a row group the same is done with pages, if an index has their bounds.
** The same bounds rule out rows that earlier rounds have given.  So memory is
** bounded, whatever the number of rows, and what is read depends on how much
** the row groups overlap.  Whether that pays is for the host to decide.
**
** A round over row groups that overlap reads nearly all of them again.  If values repeat,
** it takes less to hash the rows and to sort the values: so once the first rows were not
** enough, the others come from such a source, if the host has one (PqTopSpec.all).
**
** The order is right whatever the files turn out to be when they are read, as
** long as their bounds are right.
**
** The order is the host's: ascending, values come as cell.h says.  For
** most columns that is the order of what is stored.  The host says so as data
** (PqTopColumn), and the engine compares stored values.  Other columns are
** cells: the host is asked what each value is.
*/
#ifndef PQ_TOP_H
#define PQ_TOP_H

#include "core/scan/row_source.h"
#include "core/scan/wanted.h"
#include "core/text/time_text.h"
#include "core/top/top_set.h"

/* Where the sort values of a column come from. */
typedef enum PqTopForm {
    PQ_TOP_CELLS,                    /* from the host                       */
    PQ_TOP_INTS, PQ_TOP_REALS, PQ_TOP_BYTES,     /* as they are stored      */
    PQ_TOP_ROWIDS
} PqTopForm;

enum { PQ_TOP_ROWID = -1 };

typedef struct PqTopColumn {
    int          column;             /* of the table, or PQ_TOP_ROWID       */
    bool         desc;
    /* Set by the host: how values of the column's type compare. */
    PqWantedForm order;              /* CELLS: no order is known            */
    bool         coarse;             /* values at different places may be   */
                                     /* equal                               */
    bool         bounded;            /* places outside of these have        */
    PqPlace      least, most;        /* another order                       */
    /* Inside: chosen by pq_top_sections. */
    PqTopForm    form;
} PqTopColumn;

/* What rows are sorted by. */
typedef struct PqTopBy {
    PqTopColumn v[PQ_TOP_COLUMNS];
    uint32_t    n;
    uint32_t    first;               /* rows wanted, 0: not known           */
    bool        only_sorted;         /* no other column is used             */
    bool        repeats;             /* most values have several rows       */
} PqTopBy;

/* A value of a bound may have its text here. */
enum { PQ_TOP_BOUND_ROOM = PQ_TIME_TEXT_ROOM };

/* The rows, and the questions to the host about them. */
typedef struct PqTopSpec {
    const PqTable   *table;
    PqRowHost        host;           /* pq_top_sections uses its listing    */
                                     /* and its skip_file                   */
    PqStop           stop;
    /* For a column of cells: the value that a bound of the column's type stands
    ** for; false: it is not known.  Greater bounds must not have smaller
    ** values.  Bytes are borrowed, or made in room. */
    bool (*bound)(const void *arg, uint32_t column, PqSlice bound,
                  char room[PQ_TOP_BOUND_ROOM], PqCell *out);
    const void      *bound_arg;
    bool             no_nulls;       /* a NULL in the first column is not wanted; such
                                     ** rows are left out, or dropped later */
    bool             filtered;       /* nor is every other row              */
    /* All rows, over the same scan and in the same order, those of equal values as they
    ** lie in the files; or NULL.  It is asked for once. */
    PqRc (*all)(void *arg, PqRowSource **out, PqErr *e);
    void            *all_arg;
    bool             only_bound;     /* they follow the first row if that is a bound, and
                                     ** else all rows come from there       */
} PqTopSpec;

/* ---- row groups by their bounds: top_sections.c ---- */

/* A row group or a page.  Its best row is not better than `best`, and its worst
** is not worse than `worst`. */
typedef struct PqTopSection {
    int64_t     begin, end;          /* rowids                              */
    bool        known;               /* best and worst are known            */
    bool        occurs;              /* the best is the value of some row   */
    PqCell best, worst;         /* of the first column                 */
} PqTopSection;

typedef struct PqTopSections {
    PqArena       arena;
    PqTopSection *v;
    uint32_t      n, room;
    int64_t       bytes;             /* of the columns looked at, unpacked  */
    bool          declared;          /* all row groups are declared sorted  */
                                     /* by the first column, in its order   */
    int64_t       pageless;          /* unpacked bytes of the largest row   */
                                     /* group whose pages are not known     */
} PqTopSections;

/* The row groups of the files that are not skipped, best first.  Chooses the
** forms of by's columns.  The caller initialises out->arena, and frees out even
** after an error. */
PqRc pq_top_sections(const PqTopSpec *s, PqTopBy *by, PqTopSections *out,
                     PqErr *e);
void pq_top_sections_free(PqTopSections *l);

/* Of sorted sections, the most that overlap at one value, counted up to one more than
** PQ_TOP_OVERLAP; UINT32_MAX: bounds are not known. */
enum { PQ_TOP_OVERLAP = 3 };

uint32_t pq_top_overlap(const PqTopSections *l, bool desc);

/* ---- rows in order: top_rounds.c ---- */

/* Rows come as batches of the scan.  spec and by are copied; what they point to
** stays.
**
** The best value may be the bound that the best row group has for it.  Then it
** is not known which row has it.  If rows are to be told apart, that row is
** searched. */
PqRc pq_top_new(PqScan *scan, const PqTopSpec *spec, const PqTopBy *by,
                PqRowSource **out, PqErr *e);

#endif
