/*
** rollup_register.h - the values of one key, numbered.
**
**   codes   0 "FI"   1 "SE"   2 NULL   3 "NO"
**
** Values are cells: an integer and an equal real have one code, and show what came
** first.  Of several keys, where 5 and 5.0 may stand beside different values of
** another one, each has a code, and the later one is the twin of the first: groups
** are told apart by first codes, and show their own.
**
** Rows have stored values, from which there are short ways to a code:
**
**   ids of a dictionary   an array by id, for the current dictionary
**   integers, narrow      a window: an array by the value
**   integers, wide; reals a map of words (rollup_map.h)
**   texts                 a table of hashes (core/group/group_table.h)
**
** Only what is not found there is asked for (spec.cell) and looked for among the
** cells.  Where the host shows integers as they are, a window or a map of cells is
** also one of stored values.
**
** A window begins with 1024 values, and grows with what it meets.  It is given up
** where it would be much larger than a map, or could grow by little only, and comes
** back when enough values of its range are known.
*/
#ifndef PQ_ROLLUP_REGISTER_H
#define PQ_ROLLUP_REGISTER_H

#include "core/base/arena.h"
#include "core/numbering/hash.h"
#include "core/group/group_table.h"
#include "core/rollup/rollup.h"
#include "core/rollup/rollup_map.h"

typedef struct PqRollupTexts {       /* a table of hashes, with their codes */
    PqGroupTable table;
    uint32_t    *codes;
    uint32_t     room;
} PqRollupTexts;

typedef struct PqRollupRegister {
    PqMem        *mem;
    uint64_t      seed;
    const PqStop *stop;              /* may be NULL                         */
    /* the cells, by code */
    uint8_t      *kinds;
    uint64_t     *words;             /* a number's bits, or where the bytes
                                     ** are: their count, 4 bytes, first    */
    uint32_t      n, kinds_room, words_room;
    PqArena       bytes;
    uint32_t      null_code;
    bool          has_twins;         /* set after init: for several keys    */
    PqRollupMap   twins;             /* whole numbers that have a twin      */
    uint32_t     *firsts;            /* by code: itself, or what it is a twin
                                     ** of; those beyond are themselves     */
    uint32_t      n_firsts, firsts_room;
    PqRollupMap   ints;              /* cells that are whole numbers ...    */
    uint32_t      n_ints;            /* ... among those with lower codes    */
    PqRollupTexts others;            /* cells that are not                  */
    /* stored values */
    bool          entered, as_is;
    PqGroupForm   form;
    uint64_t      meaning;
    PqRollupMap   stored;            /* numbers, unless as_is serves        */
    PqRollupTexts texts;
    PqStr        *text;              /* stored texts, by number             */
    uint32_t      text_room;
    PqArena       text_bytes;
    uint32_t     *window;            /* NULL: off                           */
    int64_t       base;
    uint64_t      span, floor_span;
    bool          ranged;
    int64_t       least, most;       /* stored integers, if ranged          */
    /* the dictionary */
    uint64_t      serial;
    uint32_t     *entries;           /* id -> code                          */
    uint32_t      n_entries, entries_room;
} PqRollupRegister;

/* Which rows of a batch are looked at. */
typedef struct PqRollupRows {
    uint32_t        n;
    const uint32_t *rows;            /* NULL: the first n                   */
} PqRollupRows;

static inline uint32_t pq_rollup_row(const PqRollupRows *w, uint32_t i)
{
    /* The analyzer loses that select_rows has written those below n. */
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn)
    return w->rows ? w->rows[i] : i;
}

void pq_rollup_register_init(PqRollupRegister *g, PqMem *mem, uint64_t seed,
                             size_t memory, const PqStop *stop);
void pq_rollup_register_free(PqRollupRegister *g);
size_t pq_rollup_register_bytes(const PqRollupRegister *g);

static inline uint32_t pq_rollup_register_first(const PqRollupRegister *g,
                                                uint32_t code)
{
    return code < g->n_firsts ? g->firsts[code] : code;
}

/* The codes of the rows of a batch. */
PqRc pq_rollup_register_codes(PqRollupRegister *g, const PqRollupSpec *spec,
                              uint32_t key, const PqRollupKeyVector *v,
                              const PqRollupRows *w, uint32_t *codes,
                              PqErr *e);

/* ... of the ids of a dictionary, as far as they are known, or PQ_ROLLUP_NO_CODE.
** NULL: the dictionary is another one than that of the last rows. */
const uint32_t *pq_rollup_register_entries(const PqRollupRegister *g,
                                           const PqRollupKeyVector *v);

/* ... of one cell. */
PqRc pq_rollup_register_cell(PqRollupRegister *g, const PqCell *cell,
                             uint32_t *code, PqErr *e);

/* Inside: puts whole numbers into the window; brings g->ints up to date; adds an
** integer that is not there; finds up to PQ_ROLLUP_TEXTS texts by their hashes. */
enum { PQ_ROLLUP_TEXTS = 256 };
PqRc pq_rollup_register_show(PqRollupRegister *g, PqErr *e);
PqRc pq_rollup_register_sync(PqRollupRegister *g, PqErr *e);
PqRc pq_rollup_register_int(PqRollupRegister *g, int64_t i, uint32_t *code,
                            PqErr *e);
PqRc pq_rollup_register_texts(PqRollupRegister *g, const PqStr *texts,
                              const uint64_t *hashes, uint32_t n,
                              uint32_t *codes, PqErr *e);

/* The cell of a code; its bytes stay as long as the register. */
void pq_rollup_register_give(const PqRollupRegister *g, uint32_t code,
                             PqCell *out);

#endif
