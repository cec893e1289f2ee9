/*
** key_index.c
*/
#include "core/scan/key_index.h"

#include "core/scan/block.h"

#include <xxhash.h>

enum { KEYS_PER_BLOCK = 4096 };

/* Where the rows of a file begin among all. */
typedef struct FileStart {
    uint32_t first;
    int64_t  rowid;
} FileStart;

typedef struct KeyBlock {
    PqNarrow keys;                   /* base: the first                     */
    uint32_t n;
} KeyBlock;

struct PqKeyIndex {
    PqMem     *mem;
    PqKeySpec  spec;
    size_t     bytes;
    uint32_t   n_rows;
    FileStart *files;
    uint32_t   n_files, file_room;
    /* Ascending integers. */
    bool       sorted;
    int64_t    pending[KEYS_PER_BLOCK];
    uint32_t   n_pending;
    KeyBlock  *blocks;
    uint32_t   n_blocks, block_room;
    /* Hashes; 0: NULL. */
    uint32_t  *heads, *hash, *next;
    uint32_t   row_room;
    unsigned   bits;                 /* of the number of heads              */
    bool       too_large;
};

uint32_t pq_key_hash_bytes(PqSlice key)
{
    return (uint32_t)(XXH3_64bits(key.p, key.n) >> 32) | 1;
}

static uint32_t hash_integer(int64_t v)
{
    return pq_key_hash_bytes(pq_slice(&v, sizeof v));
}

static uint32_t head_of(const PqKeyIndex *x, uint32_t hash)
{
    return hash >> (32 - x->bits);
}

int64_t pq_key_integer(const PqType *type, const void *stored)
{
    int64_t wide;
    int32_t half;

    if (type->physical == PQ_INT64) {
        memcpy(&wide, stored, sizeof wide);
        return wide;
    }
    memcpy(&half, stored, sizeof half);
    return pq_type_is_unsigned(type) ? (int64_t)(uint32_t)half : half;
}

void pq_key_index_free(PqKeyIndex *x)
{
    uint32_t i;

    if (!x) {
        return;
    }
    for (i = 0; i < x->n_blocks; i++) {
        pq_mem_free(x->blocks[i].keys.at);
    }
    pq_mem_free(x->blocks);
    pq_mem_free(x->files);
    pq_mem_free(x->heads);
    pq_mem_free(x->hash);
    pq_mem_free(x->next);
    pq_mem_free(x);
}

size_t pq_key_index_bytes(const PqKeyIndex *x)
{
    return x->bytes;
}

/* ---- the hash table ----------------------------------------------------- */

static void link_row(PqKeyIndex *x, uint32_t row)
{
    uint32_t *head;

    if (x->hash[row]) {
        head = &x->heads[head_of(x, x->hash[row])];
        x->next[row] = *head;
        *head = row + 1;
    }
}

/* Room for n rows, with about one head for two of them. */
static PqRc room_for_rows(PqKeyIndex *x, uint64_t n, PqErr *e)
{
    unsigned bits = 8;
    uint32_t row;
    void *p;

    if (n <= x->row_room) {
        return PQ_OK;
    }
    if (x->row_room > 0 && n < x->row_room + (uint64_t)x->row_room / 2) {
        n = x->row_room + (uint64_t)x->row_room / 2;
    }
    while (bits < 31 && n >> bits > 2) {
        bits++;
    }
    x->bytes = (size_t)n * 8 + ((size_t)4 << bits);
    x->too_large = n >= UINT32_MAX || x->bytes > x->spec.limit;
    if (x->too_large) {
        return PQ_OK;
    }
    if (!(p = pq_mem_resize(x->mem, x->hash, n * sizeof *x->hash, e))) {
        return e->rc;
    }
    x->hash = p;
    if (!(p = pq_mem_resize(x->mem, x->next, n * sizeof *x->next, e))) {
        return e->rc;
    }
    x->next = p;
    pq_mem_free(x->heads);
    x->heads = pq_mem_zeros(x->mem, (size_t)1 << bits, sizeof *x->heads, e);
    if (!x->heads) {
        return e->rc;
    }
    x->bits = bits;
    x->row_room = (uint32_t)n;
    for (row = 0; row < x->n_rows; row++) {
        link_row(x, row);
    }
    return PQ_OK;
}

static PqRc add_hash(PqKeyIndex *x, uint32_t hash, PqErr *e)
{
    if (x->n_rows == x->row_room) {
        PQ_TRY(room_for_rows(x, (uint64_t)x->n_rows + 1, e));
        if (x->too_large) {
            return PQ_OK;
        }
    }
    x->hash[x->n_rows] = hash;
    x->next[x->n_rows] = 0;
    link_row(x, x->n_rows++);
    return PQ_OK;
}

/* ---- ascending integers ------------------------------------------------- */

static PqRc end_block(PqKeyIndex *x, PqErr *e)
{
    KeyBlock *b;

    if (x->n_pending == 0) {
        return PQ_OK;
    }
    if (x->n_blocks == x->block_room) {
        uint32_t room = x->block_room ? x->block_room * 2 : 64;
        void *p = pq_mem_resize(x->mem, x->blocks, room * sizeof *b, e);

        if (!p) {
            return e->rc;
        }
        x->blocks = p;
        x->block_room = room;
    }
    b = &x->blocks[x->n_blocks];
    PQ_TRY(pq_narrow_make(&b->keys, x->pending, x->n_pending, x->mem, e));
    b->n = x->n_pending;
    x->n_blocks++;
    x->bytes += sizeof *b + (size_t)b->n * b->keys.width;
    x->too_large = x->bytes > x->spec.limit;
    x->n_pending = 0;
    return PQ_OK;
}

/* They do not ascend after all: what there is moves to the hash table, for
** n_rows rows at least. */
static PqRc give_up_order(PqKeyIndex *x, uint64_t n_rows, PqErr *e)
{
    uint32_t n = x->n_rows, i, k;

    PQ_TRY(end_block(x, e));
    x->sorted = false;
    x->n_rows = 0;
    PQ_TRY(room_for_rows(x, n_rows > n ? n_rows : n + 1, e));
    for (i = 0; i < x->n_blocks && !x->too_large; i++) {
        for (k = 0; k < x->blocks[i].n; k++) {
            PQ_TRY(add_hash(x, hash_integer((int64_t)pq_narrow_at(
                                   &x->blocks[i].keys, k)), e));
        }
    }
    for (i = 0; i < x->n_blocks; i++) {
        pq_mem_free(x->blocks[i].keys.at);
    }
    x->n_blocks = 0;
    return PQ_OK;
}

static int64_t last_key(const PqKeyIndex *x)
{
    const KeyBlock *b = &x->blocks[x->n_blocks - 1];

    return x->n_pending ? x->pending[x->n_pending - 1]
                        : (int64_t)pq_narrow_at(&b->keys, b->n - 1);
}

static PqRc add_ascending(PqKeyIndex *x, int64_t key, PqErr *e)
{
    if (x->n_pending == KEYS_PER_BLOCK) {
        PQ_TRY(end_block(x, e));
    }
    if (x->n_rows == UINT32_MAX - 1) {
        x->too_large = true;
        return PQ_OK;
    }
    x->pending[x->n_pending++] = key;
    x->n_rows++;
    return PQ_OK;
}

/* ---- building ----------------------------------------------------------- */

static PqRc add_integers(PqKeyIndex *x, const PqVector *v, uint64_t n_rows,
                         PqErr *e)
{
    size_t width = pq_physical_width(v->leaf->type.physical);
    uint32_t i;

    for (i = 0; i < v->n_rows && !x->too_large; i++) {
        bool valid = pq_vector_is_valid(v, i);
        int64_t key = valid ? pq_key_integer(&v->leaf->type,
                                             pq_vector_at(v, width, i)) : 0;

        if (x->sorted && (!valid || (x->n_rows > 0 && key < last_key(x)))) {
            PQ_TRY(give_up_order(x, n_rows, e));
            if (x->too_large) {
                return PQ_OK;
            }
        }
        PQ_TRY(x->sorted ? add_ascending(x, key, e)
                         : add_hash(x, valid ? hash_integer(key) : 0, e));
    }
    return PQ_OK;
}

static PqRc add_bytes(PqKeyIndex *x, const PqVector *v, PqErr *e)
{
    uint32_t i;

    for (i = 0; i < v->n_rows && !x->too_large; i++) {
        uint32_t hash = 0;

        if (pq_vector_is_valid(v, i)) {
            const PqStr *s = pq_vector_at(v, sizeof *s, i);
            hash = x->spec.hash(pq_slice(s->p, s->n)) | 1;
        }
        PQ_TRY(add_hash(x, hash, e));
    }
    return PQ_OK;
}

static PqRc add_nulls(PqKeyIndex *x, uint32_t n, uint64_t n_rows, PqErr *e)
{
    if (x->sorted) {
        PQ_TRY(give_up_order(x, n_rows, e));
    }
    for (; n > 0 && !x->too_large; n--) {
        PQ_TRY(add_hash(x, 0, e));
    }
    return PQ_OK;
}

/* INT32 and INT64 without a meaning but their number. */
static bool is_plain_integer(const PqType *t)
{
    return (t->physical == PQ_INT32 || t->physical == PQ_INT64) &&
           (t->logical == PQ_TYPE_NONE ||
            (t->logical == PQ_TYPE_INT && !pq_type_is_u64(t)));
}

static bool is_comparable(const PqNode *node, const PqType *type)
{
    return node->kind == PQ_NODE_LEAF && node->rep == 0 &&
           (pq_type_equal(&node->type, type) ||
            (is_plain_integer(&node->type) && is_plain_integer(type)));
}

static PqRc begin_file(PqKeyIndex *x, const PqBatch *b, uint64_t n_rows,
                       PqErr *e)
{
    if (x->n_files > 0 &&
        x->files[x->n_files - 1].rowid >> PQ_ROWID_SHIFT == b->file) {
        return PQ_OK;
    }
    if (x->n_files == x->file_room) {
        uint32_t room = x->file_room ? x->file_room * 2 : 4;
        void *p = pq_mem_resize(x->mem, x->files, room * sizeof *x->files, e);

        if (!p) {
            return e->rc;
        }
        x->files = p;
        x->file_room = room;
    }
    x->files[x->n_files++] = (FileStart){x->n_rows, b->rowid};
    return x->sorted ? PQ_OK : room_for_rows(x, n_rows, e);
}

static PqRc add_batch(PqKeyIndex *x, PqScan *s, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(s);
    const PqNode *node = pq_scan_node(s, x->spec.column);
    uint64_t n_rows = x->n_rows + (uint64_t)pq_scan_footer(s)->n_rows;
    const PqVector *v;

    PQ_TRY(begin_file(x, b, n_rows, e));
    if (x->too_large) {
        return PQ_OK;
    }
    if (!node) {
        return add_nulls(x, b->n_rows, n_rows, e);
    }
    if (!is_comparable(node, x->spec.type)) {
        x->too_large = true;
        return PQ_OK;
    }
    PQ_TRY(pq_scan_vector(s, (uint32_t)node->leaf, &v, e));
    return x->spec.hash ? add_bytes(x, v, e) : add_integers(x, v, n_rows, e);
}

PqRc pq_key_index_build(PqScan *s, const PqKeySpec *spec, PqKeyIndex **out,
                        PqErr *e)
{
    PqKeyIndex *x = pq_mem_zeros(pq_scan_mem(s), 1, sizeof *x, e);
    bool more = true;
    PqRc rc = PQ_OK;

    *out = NULL;
    if (!x) {
        return e->rc;
    }
    x->mem = pq_scan_mem(s);
    x->spec = *spec;
    x->sorted = spec->hash == NULL;
    while (more && rc == PQ_OK && !x->too_large) {
        rc = pq_scan_next(s, &more, e);
        if (rc == PQ_OK && more) {
            rc = add_batch(x, s, e);
        }
    }
    if (rc == PQ_OK && x->sorted && !x->too_large) {
        rc = end_block(x, e);
    }
    if (rc != PQ_OK || x->too_large) {
        pq_key_index_free(x);
        return rc;
    }
    *out = x;
    return PQ_OK;
}

/* ---- finding ------------------------------------------------------------ */

static int64_t rowid_of(const PqKeyIndex *x, uint32_t row)
{
    uint32_t low = 0, high = x->n_files;

    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        *(x->files[mid].first <= row ? &low : &high) = mid;
    }
    return x->files[low].rowid + (row - x->files[low].first);
}

static PqRc add_row(const PqKeyIndex *x, uint32_t row, PqKeyRows *rows,
                    PqErr *e)
{
    if (rows->n == rows->room) {
        uint32_t room = rows->room ? rows->room * 2 : 64;
        void *p = pq_mem_resize(rows->mem, rows->rowid,
                                room * sizeof *rows->rowid, e);
        if (!p) {
            return e->rc;
        }
        rows->rowid = p;
        rows->room = room;
    }
    rows->rowid[rows->n++] = rowid_of(x, row);
    return PQ_OK;
}

static PqRc find_sorted(const PqKeyIndex *x, int64_t key, uint32_t most,
                        PqKeyRows *rows, PqErr *e)
{
    uint32_t low = 0, high = x->n_blocks, i, k, end;

    while (low < high) {             /* the first block that begins at key  */
        uint32_t mid = low + (high - low) / 2;

        if ((int64_t)x->blocks[mid].keys.base < key) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    i = low > 0 ? low - 1 : 0;       /* ... but the one before may have it  */
    for (; i < x->n_blocks && (int64_t)x->blocks[i].keys.base <= key; i++) {
        const KeyBlock *b = &x->blocks[i];

        for (k = 0, end = b->n; k < end;) {
            uint32_t mid = k + (end - k) / 2;

            if ((int64_t)pq_narrow_at(&b->keys, mid) < key) {
                k = mid + 1;
            } else {
                end = mid;
            }
        }
        for (; k < b->n && (int64_t)pq_narrow_at(&b->keys, k) == key; k++) {
            if (rows->n > most) {
                return PQ_OK;
            }
            PQ_TRY(add_row(x, i * KEYS_PER_BLOCK + k, rows, e));
        }
    }
    return PQ_OK;
}

PqRc pq_key_index_find_hash(const PqKeyIndex *x, uint32_t hash, uint32_t most,
                            PqKeyRows *rows, PqErr *e)
{
    uint32_t row, first = rows->n, i, n;

    hash |= 1;
    if (x->row_room == 0) {
        return PQ_OK;
    }
    for (row = x->heads[head_of(x, hash)]; row > 0; row = x->next[row - 1]) {
        if (x->hash[row - 1] == hash) {
            if (rows->n > most) {
                return PQ_OK;
            }
            PQ_TRY(add_row(x, row - 1, rows, e));
        }
    }
    n = rows->n - first;             /* the last came first */
    for (i = 0; i < n / 2; i++) {
        int64_t swap = rows->rowid[first + i];

        rows->rowid[first + i] = rows->rowid[first + n - 1 - i];
        rows->rowid[first + n - 1 - i] = swap;
    }
    return PQ_OK;
}

PqRc pq_key_index_find_integer(const PqKeyIndex *x, int64_t key, uint32_t most,
                               PqKeyRows *rows, PqErr *e)
{
    return x->sorted ? find_sorted(x, key, most, rows, e)
                     : pq_key_index_find_hash(x, hash_integer(key), most, rows,
                                              e);
}
