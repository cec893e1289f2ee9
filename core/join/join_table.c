/*
** join_table.c - builds the table in one pass, and chooses its form at the end.
**
** Keys are first kept in order, in blocks, which is the SORTED form.  The first
** key out of order makes the table HASHED or DIRECT: a sum over the number of
** rows per start says where each start's rows go.  What is hard is the memory
** limit: the blocks shrink when keys are folded, and a table that is too large
** even then is given up.  In large tables the rows are sorted into drawers
** first, because placing them at random would miss the cache each time.
*/
#include "core/join/join_table.h"

enum {
    KEYS_PER_BLOCK = 4096,
    DIRECT_SPAN = 2,                 /* numbers per row, at most            */
    ROWS_PER_START = 2,
    MOST_BITS = 31,
    FOLDED_BYTES = 5                 /* a folded key takes a bit less       */
};

PqRc pq_join_table_new(PqReadCtx *ctx, PqMem *mem, size_t limit,
                       PqJoinTable **out, PqErr *e)
{
    PqJoinTable *t;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, t, 1, e));
    t->ctx = ctx;
    t->mem = mem;
    t->limit = limit;
    t->least = INT64_MAX;
    t->most = t->last = INT64_MIN;
    t->pending = pq_mem_array(mem, KEYS_PER_BLOCK, sizeof *t->pending, e);
    if (!t->pending) {
        pq_join_table_free(t);
        return e->rc;
    }
    *out = t;
    return PQ_OK;
}

static void free_blocks(PqJoinTable *t)
{
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        pq_mem_free(t->blocks[i].at);
    }
    pq_mem_free(t->blocks);
    t->blocks = NULL;
    t->n_blocks = t->block_room = 0;
}

static void free_pending(PqJoinTable *t)
{
    pq_mem_free(t->pending);
    pq_mem_free(t->valid);
    t->pending = NULL;
    t->valid = NULL;
}

void pq_join_table_free(PqJoinTable *t)
{
    if (t) {
        free_blocks(t);
        free_pending(t);
        pq_mem_free(t->starts);
        pq_mem_free(t->rows);
        pq_mem_free(t);
    }
}

/* ---- keys, side by side ------------------------------------------------- */

static int64_t fold(int64_t key)
{
    uint64_t h = (uint64_t)key;

    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (int64_t)(h >> 32);
}

static size_t block_bytes(const PqNarrow *b)
{
    return sizeof *b + (size_t)b->width * KEYS_PER_BLOCK;
}

static void fold_keys(int64_t *keys, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = fold(keys[i]);
    }
}

/* The number of rows in block i; only the last block may not be full. */
static uint32_t rows_of(const PqJoinTable *t, uint32_t i)
{
    uint32_t before = i * KEYS_PER_BLOCK;

    return t->n_rows - before < KEYS_PER_BLOCK ? t->n_rows - before
                                               : KEYS_PER_BLOCK;
}

static void read_block(const PqJoinTable *t, uint32_t i, int64_t *keys)
{
    pq_narrow_read(&t->blocks[i], rows_of(t, i), keys);
}

/* Folds all keys: the keys of the blocks now, and later ones as they come.  No
** block is pending. */
static PqRc fold_all(PqJoinTable *t, PqErr *e)
{
    t->folded = true;
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        PqNarrow *b = &t->blocks[i];
        uint32_t n = rows_of(t, i);

        read_block(t, i, t->pending);
        fold_keys(t->pending, n);
        t->bytes -= block_bytes(b);
        pq_mem_free(b->at);
        *b = (PqNarrow){0};
        PQ_TRY(pq_narrow_make(b, t->pending, n, t->mem, e));
        t->bytes += block_bytes(b);
    }
    return PQ_OK;
}

/* The table is larger than its limit: folds the keys if that helps, or gives
** up. */
static PqRc shrink(PqJoinTable *t, PqErr *e)
{
    if (t->form == PQ_JOIN_HASHED && !t->folded &&
        t->bytes / FOLDED_BYTES > t->n_rows) {
        PQ_TRY(fold_all(t, e));
    }
    t->too_large = t->bytes > t->limit;
    return PQ_OK;
}

static PqRc end_block(PqJoinTable *t, PqErr *e)
{
    PqNarrow *b;

    if (t->n_pending == 0) {
        return PQ_OK;
    }
    PQ_TRY(PQ_GROW(t->mem, t->blocks, t->n_blocks, t->block_room, e));
    if (t->folded) {
        fold_keys(t->pending, t->n_pending);
    }
    b = &t->blocks[t->n_blocks];
    PQ_TRY(pq_narrow_make(b, t->pending, t->n_pending, t->mem, e));
    t->n_blocks++;
    t->n_pending = 0;
    t->bytes += block_bytes(b);
    return t->bytes > t->limit ? shrink(t, e) : PQ_OK;
}

/* ---- adding -------------------------------------------------------------- */

/* Makes room for the valid bits of rows up to n; new bits are set. */
static PqRc room_for_valid(PqJoinTable *t, uint64_t n, PqErr *e)
{
    size_t words = (size_t)(n / 64 + 1), room = t->valid_room;

    if (words <= room) {
        return PQ_OK;
    }
    words = words > room * 2 ? words : room * 2;
    PQ_TRY(PQ_RESIZE(t->mem, t->valid, words, e));
    memset(t->valid + room, 0xff, (words - room) * sizeof *t->valid);
    t->valid_room = words;
    return PQ_OK;
}

/* A row without a key stores the previous key, which keeps the block narrow. */
static PqRc add_null(PqJoinTable *t, PqErr *e)
{
    PQ_TRY(room_for_valid(t, t->n_rows, e));
    pq_bit_clear(t->valid, t->n_rows);
    t->form = PQ_JOIN_HASHED;
    t->pending[t->n_pending++] = t->last == INT64_MIN ? 0 : t->last;
    t->n_rows++;
    return PQ_OK;
}

/* Adds n keys, none of them NULL; the block has room for them. */
static void add_valid(PqJoinTable *t, const int64_t *keys, uint32_t n)
{
    int64_t *to = t->pending + t->n_pending;
    int64_t least = t->least, most = t->most, last = t->last;
    bool ascending = true;

    for (uint32_t i = 0; i < n; i++) {
        int64_t key = keys[i];

        ascending &= key >= last;
        least = key < least ? key : least;
        most = key > most ? key : most;
        last = key;
        to[i] = key;
    }
    t->least = least;
    t->most = most;
    t->last = last;
    t->n_pending += n;
    t->n_rows += n;
    if (!ascending) {
        t->form = PQ_JOIN_HASHED;
    }
}

PqRc pq_join_table_add(PqJoinTable *t, const int64_t *keys,
                       const uint64_t *valid, uint32_t n, PqErr *e)
{
    uint32_t i = 0;

    if (t->n_rows >= UINT32_MAX - n) {
        t->too_large = true;
    }
    PQ_TRY(pq_read_ctx_step(t->ctx, n * sizeof *keys, e));
    while (i < n && !t->too_large) {
        uint32_t room = KEYS_PER_BLOCK - t->n_pending, k = 0;

        if (room == 0) {
            PQ_TRY(end_block(t, e));
            continue;
        }
        while (k < room && i + k < n &&
               (!valid || valid[(i + k) >> 6] >> ((i + k) & 63) & 1)) {
            k++;
        }
        if (k > 0) {
            add_valid(t, keys + i, k);
        } else {
            PQ_TRY(add_null(t, e));
            k = 1;
        }
        i += k;
    }
    return PQ_OK;
}

/* ---- starts and rows ----------------------------------------------------- */

enum { NO_START = UINT32_MAX };      /* of a row without a key              */

static uint32_t start_of(const PqJoinTable *t, int64_t key)
{
    if (t->form == PQ_JOIN_DIRECT) {
        return (uint32_t)((uint64_t)key - (uint64_t)t->least);
    }
    return (uint32_t)((uint64_t)(t->folded ? key : fold(key)) >>
                      (32 - t->bits));
}

static bool has_key(const PqJoinTable *t, uint32_t row)
{
    return !t->valid || row / 64 >= t->valid_room ||
           t->valid[row >> 6] >> (row & 63) & 1;
}

/* The starts of the rows of block i.  Returns how many rows there are. */
static uint32_t starts_of(PqJoinTable *t, uint32_t i, uint32_t *start)
{
    const int64_t *keys = t->pending;
    uint32_t n = rows_of(t, i), k;
    uint64_t least = (uint64_t)t->least;

    read_block(t, i, t->pending);
    if (t->form == PQ_JOIN_DIRECT) {
        for (k = 0; k < n; k++) {
            start[k] = (uint32_t)((uint64_t)keys[k] - least);
        }
    } else {
        for (k = 0; k < n; k++) {
            start[k] = start_of(t, keys[k]);
        }
    }
    for (k = 0; t->valid && k < n; k++) {
        start[k] = has_key(t, i * KEYS_PER_BLOCK + k) ? start[k] : NO_START;
    }
    return n;
}

/* Called for each block, from the last to the first, with the starts of its n
** rows.  Rows of one start are placed from its end backwards, so they end up
** ascending. */
typedef void (*TakeRows)(PqJoinTable *t, void *arg, const uint32_t *start,
                         uint32_t n, uint32_t first_row);

static PqRc each_block(PqJoinTable *t, TakeRows take, void *arg, PqErr *e)
{
    uint32_t start[KEYS_PER_BLOCK];

    for (uint32_t i = t->n_blocks; i-- > 0;) {
        PQ_TRY(pq_read_ctx_step(t->ctx, KEYS_PER_BLOCK * sizeof(int64_t), e));
        take(t, arg, start, starts_of(t, i, start), i * KEYS_PER_BLOCK);
    }
    return PQ_OK;
}

static void count_rows(PqJoinTable *t, void *arg, const uint32_t *start,
                       uint32_t n, uint32_t first_row)
{
    for (uint32_t k = 0; k < n; k++) {
        if (start[k] != NO_START) {
            t->starts[start[k]]++;
        }
    }
}

static void place_rows(PqJoinTable *t, void *arg, const uint32_t *start,
                       uint32_t n, uint32_t first_row)
{
    for (uint32_t k = n; k-- > 0;) {
        if (start[k] != NO_START) {
            t->rows[--t->starts[start[k]]] = first_row + k;
        }
    }
}

/* Turns counts into end positions. */
static void sum_up(uint32_t *v, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += v[i];
        v[i] = sum;
    }
}

/* ---- starts and rows of large tables ---- */

/* Placing many rows at random misses the cache each time.  So they are first
** put into drawers, each for a range of starts. */
enum { DRAWERS = 256, MANY_ROWS = 1 << 17 };

typedef struct Entry {
    uint32_t start, row;
} Entry;

typedef struct Drawers {
    unsigned shift;                  /* from a start to its drawer          */
    uint32_t at[DRAWERS + 1];
    Entry   *v;
} Drawers;

static void count_entries(PqJoinTable *t, void *arg, const uint32_t *start,
                          uint32_t n, uint32_t first_row)
{
    Drawers *d = arg;

    for (uint32_t k = 0; k < n; k++) {
        if (start[k] != NO_START) {
            d->at[start[k] >> d->shift]++;
        }
    }
}

static void put_entries(PqJoinTable *t, void *arg, const uint32_t *start,
                        uint32_t n, uint32_t first_row)
{
    Drawers *d = arg;

    for (uint32_t k = n; k-- > 0;) {
        if (start[k] != NO_START) {
            d->v[--d->at[start[k] >> d->shift]] =
                (Entry){start[k], first_row + k};
        }
    }
}

/* Places the rows of a drawer, which are ascending. */
static PqRc empty_drawer(PqJoinTable *t, const Entry *v, uint32_t n,
                         uint32_t *sum, uint32_t first, size_t n_starts,
                         PqErr *e)
{
    PQ_TRY(pq_read_ctx_step(t->ctx, n * sizeof *v, e));
    for (uint32_t i = 0; i < n; i++) {
        t->starts[v[i].start]++;
    }
    for (uint32_t i = 0; i < n_starts; i++) {
        *sum += t->starts[first + i];
        t->starts[first + i] = *sum;
    }
    for (uint32_t i = n; i-- > 0;) {
        t->rows[--t->starts[v[i].start]] = v[i].row;
    }
    return PQ_OK;
}

static PqRc make_rows_by_drawers(PqJoinTable *t, size_t n_starts, Drawers *d,
                                 PqErr *e)
{
    uint32_t sum = 0;

    while (n_starts >> d->shift >= DRAWERS) {
        d->shift++;
    }
    PQ_TRY(each_block(t, count_entries, d, e));
    sum_up(d->at, DRAWERS + 1);
    PQ_TRY(each_block(t, put_entries, d, e));
    for (uint32_t i = 0; i < DRAWERS; i++) {
        size_t first = (size_t)i << d->shift, n = (size_t)1 << d->shift;

        if (first <= n_starts) {
            n = n < n_starts + 1 - first ? n : n_starts + 1 - first;
            PQ_TRY(empty_drawer(t, d->v + d->at[i], d->at[i + 1] - d->at[i],
                                &sum, (uint32_t)first, n, e));
        }
    }
    return PQ_OK;
}

static PqRc make_rows(PqJoinTable *t, size_t n_starts, PqErr *e)
{
    Drawers d = {0};
    PqRc rc;

    PQ_TRY(PQ_NEW(t->mem, t->starts, n_starts + 1, e));
    PQ_TRY(PQ_ARRAY(t->mem, t->rows, t->n_rows, e));
    if (t->n_rows > MANY_ROWS) {     /* no memory: then without drawers */
        d.v = pq_mem_lib_alloc(t->mem, t->n_rows * sizeof *d.v);
    }
    if (d.v) {
        rc = make_rows_by_drawers(t, n_starts, &d, e);
        pq_mem_free(d.v);
        return rc;
    }
    PQ_TRY(each_block(t, count_rows, NULL, e));
    sum_up(t->starts, n_starts + 1);
    return each_block(t, place_rows, NULL, e);
}

/* Chooses DIRECT or HASHED, and returns the number of starts. */
static size_t choose_form(PqJoinTable *t)
{
    uint64_t span = (uint64_t)t->most - (uint64_t)t->least;

    if (!t->folded && t->least <= t->most && span < NO_START &&
        span / DIRECT_SPAN < (uint64_t)t->n_rows + 1) {
        t->form = PQ_JOIN_DIRECT;
        return (size_t)span + 1;
    }
    t->form = PQ_JOIN_HASHED;
    t->bits = 1;
    while (t->bits < MOST_BITS && t->n_rows >> t->bits > ROWS_PER_START) {
        t->bits++;
    }
    return (size_t)1 << t->bits;
}

PqRc pq_join_table_end(PqJoinTable *t, PqErr *e)
{
    size_t n_starts, more;

    PQ_TRY(end_block(t, e));
    if (t->form != PQ_JOIN_SORTED && !t->too_large) {
        n_starts = choose_form(t);
        more = (n_starts + 1 + t->n_rows) * sizeof *t->rows;
        if (t->form == PQ_JOIN_DIRECT && t->bytes + more <= t->limit) {
            t->bytes = more;
        } else if (t->form == PQ_JOIN_DIRECT) {
            t->too_large = true;
        } else {
            t->bytes += more;
            if (t->bytes > t->limit) {
                PQ_TRY(shrink(t, e));
            }
        }
        if (!t->too_large) {
            PQ_TRY(make_rows(t, n_starts, e));
        }
        if (t->form == PQ_JOIN_DIRECT) {
            free_blocks(t);
        }
    }
    free_pending(t);
    return PQ_OK;
}

/* ---- finding ------------------------------------------------------------- */

static bool is_less(const PqNarrow *b, uint32_t i, int64_t key)
{
    return (int64_t)pq_narrow_at(b, i) < key;
}

/* The first of n rows in the block whose key is not less than key.  `next` is
** the first key of the next block.  Keys mostly lie evenly in between, so the
** search starts where the key would then be, and widens from there.  That takes
** fewer steps than a binary search, and each step is an access to memory. */
static uint32_t seek(const PqNarrow *b, uint32_t n, int64_t next, int64_t key)
{
    uint64_t span = (uint64_t)next - b->base, at = (uint64_t)key - b->base;
    uint32_t low = 0, high = n, step = 0, i = 0;

    /* Rows before low are less; rows from high on are not. */
    if (key > (int64_t)b->base) {
        i = at < span ? (uint32_t)((double)at / (double)span * n) : n - 1;
        i = i < n ? i : n - 1;
    }
    if (is_less(b, i, key)) {
        low = i + 1;
        for (; high - low > step && is_less(b, low + step, key);
             step += step + 1) {
            low += step + 1;
        }
        high = high - low > step ? low + step : high;
    } else {
        high = i;
        for (; high > step && !is_less(b, high - 1 - step, key);
             step += step + 1) {
            high -= step + 1;
        }
        low = high > step ? high - step : 0;
    }
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (is_less(b, mid, key)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static void find_sorted(const PqJoinTable *t, int64_t key, PqJoinHit hit,
                        void *arg)
{
    uint32_t low = 0, high = t->n_blocks, i, k, n;

    while (low < high) {             /* first block with no first key less  */
        uint32_t mid = low + (high - low) / 2;

        if ((int64_t)t->blocks[mid].base < key) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    i = low > 0 ? low - 1 : 0;       /* the block before may have it too    */
    for (; i < t->n_blocks && (int64_t)t->blocks[i].base <= key; i++) {
        int64_t next = i + 1 < t->n_blocks ? (int64_t)t->blocks[i + 1].base
                                           : t->most;
        n = rows_of(t, i);
        for (k = seek(&t->blocks[i], n, next, key);
             k < n && (int64_t)pq_narrow_at(&t->blocks[i], k) == key; k++) {
            if (!hit(arg, i * KEYS_PER_BLOCK + k)) {
                return;
            }
        }
    }
}

void pq_join_table_find(const PqJoinTable *t, int64_t key, PqJoinHit hit,
                        void *arg)
{
    uint32_t end, start;

    if (t->least > t->most ||
        (!t->folded && (key < t->least || key > t->most))) {
        return;
    }
    if (t->form == PQ_JOIN_SORTED) {
        find_sorted(t, key, hit, arg);
        return;
    }
    key = t->folded ? fold(key) : key;
    start = start_of(t, key);
    end = t->starts[start + 1];
    for (uint32_t at = t->starts[start]; at < end; at++) {
        uint32_t row = t->rows[at];

        if ((t->form == PQ_JOIN_DIRECT ||
             (int64_t)pq_narrow_at(&t->blocks[row / KEYS_PER_BLOCK],
                                   row % KEYS_PER_BLOCK) == key) &&
            !hit(arg, row)) {
            return;
        }
    }
}
