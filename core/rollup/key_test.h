/*
** key_test.h - rows are dropped by the value of a key, before there are groups.
**
**   WHERE len > 20, with the dimension length(url) AS len
**
**   stored value     code    value    passes
**   id 7             0       12       no
**   id 3             1       31       yes
**   id 9             0
**
** The values are numbered as those of a rollup's key (rollup_register.h).  So the host
** makes a value once for each entry of a dictionary, or each stored value, and is
** asked once for each value whether it passes.  Rows that come by ids are then tested
** by a byte for each entry.
*/
#ifndef PQ_KEY_TEST_H
#define PQ_KEY_TEST_H

#include "core/rollup/rollup_register.h"

/* What an entry of a dictionary is marked with. */
typedef enum PqKeyMark { PQ_KEY_KNOWN, PQ_KEY_PASSES, PQ_KEY_MARKS } PqKeyMark;

enum { PQ_KEY_FEW = 256 };           /* entries whose marks are bits, too   */

typedef struct PqKeyTest {
    PqRollupSpec     spec;           /* arg, cell and stop are used         */
    PqRollupRegister values;
    uint8_t         *passes;         /* by code: 1 or 0                     */
    uint32_t         n, room;
    PqMemo           entries;        /* bytes by mark, then by entry        */
    uint32_t         few[PQ_KEY_MARKS][PQ_KEY_FEW / 32];
    uint32_t         n_known, n_passing;         /* entries                 */
    /* Does the value pass? */
    bool           (*holds)(const void *of, const PqCell *v);
    const void      *of;
} PqKeyTest;

/* Afterwards the caller sets holds and of.  Values are forgotten when they take more
** than spec.memory. */
void pq_key_test_init(PqKeyTest *t, PqMem *mem, const PqRollupSpec *spec);
void pq_key_test_free(PqKeyTest *t);

/* Drops from keep, a bit for each of at most PQ_ROLLUP_ROWS rows, those whose value
** does not pass.  v is the key spec.cell is asked about as key 0. */
PqRc pq_key_test_rows(PqKeyTest *t, const PqRollupKeyVector *v, uint32_t n_rows,
                      uint64_t *keep, PqErr *e);

#endif
