/*
** rollup_register.h - the values of one key, numbered.
**
**   codes   0 "FI"   1 "SE"   2 NULL   3 "NO"
**
** Values are cells.  An integer and an equal real have one code, and show the
** value that came first.  With several keys 5 and 5.0 may stand beside
** different values of another key.  Then each has a code, and the later one is
** the twin of the first: groups are told apart by first codes, and show their
** own code.
**
** Rows have stored values, from which there are short ways to a code:
**
**   ids of a dictionary   an array by id, for the current dictionary (memo.h)
**   numbers               their words (int_numbers.h)
**   texts                 a table of hashes (text_numbers.h)
**
** The host is asked (spec.cell) only for a value that is not found there, and
** its cell is looked up.  Where the host shows integers as they are, one set of
** numbers serves cells and stored values.
*/
#ifndef PQ_ROLLUP_REGISTER_H
#define PQ_ROLLUP_REGISTER_H

#include "core/numbering/int_numbers.h"
#include "core/numbering/memo.h"
#include "core/numbering/text_numbers.h"
#include "core/rollup/rollup.h"

typedef struct PqRollupRegister {
    PqMem        *mem;
    uint64_t      seed;
    PqCell       *cells;             /* by code                             */
    uint32_t      n, room;
    PqArena       bytes;             /* of cells                            */
    uint32_t      null_code;
    PqIntNumbers  ints;              /* cells that are whole numbers        */
    bool          has_reals;         /* ... and some are not integers       */
    PqNumberTable others;            /* all other cells, except NULL        */
    bool          has_twins;         /* set after init: for several keys    */
    PqWordNumbers twins;             /* whole numbers that have a twin      */
    uint32_t     *firsts;            /* by code: the first code, which is
                                     ** the code itself unless it is a twin;
                                     ** from n_firsts on, none is           */
    uint32_t      n_firsts, firsts_room;
    /* stored values */
    bool          entered, as_is;
    PqGroupForm   form;
    uint64_t      meaning;
    PqIntNumbers  stored;            /* numbers, unless ints serves         */
    bool          fresh;             /* most integers of the last rows were
                                     ** new                                 */
    PqTextNumbers texts;             /* unless others serves                */
    uint32_t     *text_codes;        /* by their numbers; or PQ_NO_NUMBER   */
    uint32_t      n_texts, text_room;
    PqMemo        entries;           /* of the dictionary: uint32_t codes   */
} PqRollupRegister;

/* Which rows of a batch are looked at. */
typedef struct PqRollupRows {
    uint32_t        n;
    const uint32_t *rows;            /* NULL: the first n                   */
} PqRollupRows;

static inline uint32_t pq_rollup_row(const PqRollupRows *w, uint32_t i)
{
    /* The analyzer does not see that select_rows has written the rows below
    ** n. */
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn)
    return w->rows ? w->rows[i] : i;
}

void pq_rollup_register_init(PqRollupRegister *g, PqMem *mem, uint64_t seed,
                             size_t memory, const PqStop *stop);
void pq_rollup_register_free(PqRollupRegister *g);
size_t pq_rollup_register_bytes(const PqRollupRegister *g);

/* About n values will come, integers that lie apart.  None has come yet. */
static inline PqRc pq_rollup_register_expect(PqRollupRegister *g, uint32_t n, PqErr *e)
{
    PQ_TRY(n > g->room ? PQ_RESIZE(g->mem, g->cells, n, e) : PQ_OK);
    g->room = n > g->room ? n : g->room;
    return pq_int_numbers_expect(&g->ints, n, e);
}

static inline uint32_t pq_rollup_register_first(const PqRollupRegister *g,
                                                uint32_t code)
{
    return code < g->n_firsts ? g->firsts[code] : code;
}

/* Finds the codes of the rows of a batch. */
PqRc pq_rollup_register_codes(PqRollupRegister *g, const PqRollupSpec *spec,
                              uint32_t key, const PqRollupKeyVector *v,
                              const PqRollupRows *w, uint32_t *codes,
                              PqErr *e);

/* The codes of a dictionary's ids as far as they are known, otherwise
** PQ_NO_NUMBER.  NULL: the last rows had another dictionary. */
const uint32_t *pq_rollup_register_entries(const PqRollupRegister *g,
                                           const PqRollupKeyVector *v);

/* Finds the code of one cell. */
PqRc pq_rollup_register_cell(PqRollupRegister *g, const PqCell *cell,
                             uint32_t *code, PqErr *e);

#endif
