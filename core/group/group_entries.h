/*
** group_entries.h - gathers the entries of dictionaries that rows have, each
** once.
**
** A column of countries has a dictionary in each row group, and these are much
** the same.  Rows keep four bytes instead of a text, the number of an entry:
**
**   row group 0   AR DE US      entries   AR DE US FR
**   row group 1   DE FR US      its ids   1  3  2
**
** An entry is hashed and compared when the first row of a row group has it, not
** once per row.  Two rows are equal if their entries are.
**
** Dictionaries of many entries are not worth it: their texts stay in the rows.
*/
#ifndef PQ_GROUP_ENTRIES_H
#define PQ_GROUP_ENTRIES_H

#include "core/column/vector.h"
#include "core/numbering/memo.h"
#include "core/numbering/text_numbers.h"

enum { PQ_GROUP_NO_ENTRY = 0 };

typedef struct PqGroupEntries {
    PqMem        *mem;
    PqTextNumbers texts;
    uint64_t     *hashes;            /* of the texts, pq_hash_bytes         */
    uint32_t      n_hashes, room;
    size_t        most_bytes;        /* of all this                         */
    const PqDict *dict;
    PqMemo        known;             /* uint32_t: id -> entry + 1           */
} PqGroupEntries;

void pq_group_entries_init(PqGroupEntries *g, PqMem *mem, size_t most_bytes);
void pq_group_entries_free(PqGroupEntries *g);

/* Goes on with this dictionary of texts.  *worth false: it is not worth it, so
** use its texts as they are. */
PqRc pq_group_entries_enter(PqGroupEntries *g, const PqDict *d, bool *worth,
                            PqErr *e);

/* Adds the entry of an id that is not known.  *out is its number + 1, or
** PQ_GROUP_NO_ENTRY where there is no room. */
PqRc pq_group_entries_add(PqGroupEntries *g, uint32_t id, uint32_t *out,
                          PqErr *e);

/* The number + 1 of the entry of an id. */
static inline PqRc pq_group_entry(PqGroupEntries *g, uint32_t id,
                                  uint32_t *out, PqErr *e)
{
    *out = ((const uint32_t *)g->known.v)[id];
    return PQ_LIKELY(*out) ? PQ_OK : pq_group_entries_add(g, id, out, e);
}

#endif
