/*
** rollup_made.h - groups that are made once for many calls of a statement.
**
** A join or a correlated subquery calls with one key after the other.  Reading
** the files for each key would take long.  So the first calls read the rows
** with their key.  When they have read a good part of the table, all groups are
** made, and further calls are answered from a hash of the key:
**
**   call 1    rows by country = 'FI'        a scan
**   call 2    a row per country             a scan, a hash
**   call 3    'SE' -> groups 4, 9           no scan
**
** Other comparisons whose operand changes are tested for each group, or for those
** that a key leaves.  If no operand changes, all calls get the same groups.
**
** They belong to the listing.  So all cursors of the statement share them, and
** another statement does not see them.
**
** The hash may give groups with other keys.  Where SQLite does not test a term again,
** their keys are compared here (pq_cell_compare).
*/
#ifndef PQEXT_ROLLUP_MADE_H
#define PQEXT_ROLLUP_MADE_H

#include "ext/rollup/rollup_table.h"

typedef struct PqextMade {
    struct PqextMade *next;
    uint8_t  *about;                 /* what is asked, without the keys     */
    size_t    n_about;
    uint32_t  holders;               /* cursors that give rows of it        */
    uint64_t  read;                  /* rows, by calls before it was made   */
    bool      too_large;
    PqRollup *groups;                /* NULL: not made                      */
    uint32_t  n;
    uint32_t *heads, *nexts;         /* the hash of a key; NULL: none       */
    uint32_t  mask;
} PqextMade;

/* The entry for a call; NULL: its groups cannot be shared. */
PqRc pqext_made_find(PqextRollupRun *r, sqlite3_value **argv, PqextMade **out);

/* Were some terms left out when all groups were made?  Then groups have rows
** that a single call does not want. */
bool pqext_made_leaves_out(const PqextRollupPlan *p);

/* Is it time to make all groups? */
bool pqext_made_pays(const PqextRollupRun *r, const PqextMade *m);

/* The entry takes the groups of the run, or finds that they are too large. */
PqRc pqext_made_take(PqextRollupRun *r, PqextMade *m);

/* The bytes of the groups of all entries, and of their hashes. */
size_t pqext_made_bytes(const PqextMade *m);

/* Lists the groups with the keys of the call, in the arena; *list NULL: all. */
PqRc pqext_made_list(PqextRollupRun *r, PqextMade *m, sqlite3_value **argv,
                     PqArena *a, uint32_t **list, uint32_t *n);

void pqext_made_free(PqextMade *m);                      /* and all after it */

#endif
