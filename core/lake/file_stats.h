/*
** file_stats.h - what a log says of the values in a file.
**
**   {"numRecords":3,"minValues":{"n":1,"s":"a","at":"2024-01-02T03:04:05.123Z"},
**    "maxValues":{"n":7,"s":"b","at":"2024-01-02T03:04:06.000Z"},"nullCount":{"n":0}}
**
** They become bounds that are not narrower than the values, although a writer may have cut
** what it wrote:
**
**   texts        a maximum may be a prefix, and may be by UTF-16; all longer texts are below
**                its bound
**   timestamps   a second more at both ends, and a day if no zone is given
**   numbers      a float is printed shorter than its value: a few units of a float more
**   NaN          says nothing, and bounds say nothing of NaN
**   decimals     are not used: a file may have another scale
**   nulls        only none and all are believed.  Where rows are deleted, writers need not
**                count them again; under a struct, they may count the nulls of that or not
**
** Names are those in files.  What cannot be read is left out.
*/
#ifndef PQ_FILE_STATS_H
#define PQ_FILE_STATS_H

#include "core/files/lake_snapshot.h"
#include "core/files/places.h"

/* Of a file; what more columns have is not kept. */
enum { PQ_FILE_BOUNDS_MOST = 64 };

/* Sets n_rows (-1: not known) and bounds, whose values are in the arena of the snapshot, which
** has its schema.  Their orders are found here; what contradicts itself says nothing. */
PqRc pq_file_bounds(PqLakeSnapshot *s, const PqLogBounds *v, uint32_t n, int64_t n_rows,
                    PqListedFile *to, PqErr *e);

/* The bounds of a leaf among those of a file, which gets a place there.  NULL: there are enough. */
PqBounds *pq_file_bounds_of(PqLogBounds *v, uint32_t *n, uint32_t leaf);

/* The bytes of a bound that a log has as a text, and is_number, as JSON knows it.  False: it says
** nothing, or memory runs out. */
bool pq_file_bound(PqArena *a, const PqType *t, PqSlice text, bool is_number, bool is_max,
                   PqSlice *out);

/* ... of a text: it is widened, as described above. */
bool pq_file_text_bound(PqArena *a, PqSlice text, bool is_max, PqSlice *out);

/* The same of such JSON. */
PqRc pq_file_stats(PqLakeSnapshot *s, PqSlice stats, PqListedFile *to, PqErr *e);

/* ---- of a new file ----------------------------------------------------------------------- */

/* Its footer.  places may be NULL: it is on a disk.  *n_bytes: of the footer in the file; may be
** NULL. */
PqRc pq_file_footer(const PqPlaces *places, const PqKeyChoice *keys, PqMem *mem, const char *path,
                    PqFooter **out, uint32_t *n_bytes, PqErr *e);

/* What a footer says of a leaf, over all row groups. */
typedef struct PqLeafSums {
    const PqNode *node;
    bool    has_min, has_max;
    PqSlice min, max;                /* of values that are not NaN           */
    int64_t nulls, nans;             /* -1: not known                        */
    int64_t values, bytes;           /* NULLs too; bytes: compressed         */
} PqLeafSums;

PqRc pq_leaf_sums(const PqFooter *f, const PqNode *node, PqArena *a, PqLeafSums *out,
                    PqErr *e);

/* Those of the first leaves, by their numbers.  Of a repeated leaf, which has no bounds in a log,
** all is 0, and node is NULL. */
PqRc pq_file_sums(const PqFooter *f, uint32_t most, PqArena *a, PqLeafSums **out, PqErr *e);

/* At most so many characters of a text, as a bound of it: an upper one then ends with the
** greatest character, so that what was cut off is below it.  False: there is no bound. */
#define PQ_LAKE_CUT_ROOM(most) (((most) + 1) * 4)
bool pq_lake_cut_text(PqSlice v, int most, bool is_max, uint8_t *text, size_t *n);

#endif
