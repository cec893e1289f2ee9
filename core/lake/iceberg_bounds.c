/*
** iceberg_bounds.c - what a manifest says of the values in a data file.
**
**   null_value_counts {1: 0, 2: 3}
**   lower_bounds      {1: 07 00 00 00, 2: "ab"}      by the ids of columns; values as in
**   upper_bounds      {1: 09 00 00 00, 2: "b"}       spec.md, "Binary single-value"
**
** A bound has the type that its column had when the file was written: an int whose table has
** a long since is four bytes.  Texts may be cut; file_stats.h says how they become wide enough.
** Bounds of binary, fixed and uuid columns are not used: writers disagree on their order.
*/
#include "core/lake/file_stats.h"
#include "core/lake/iceberg.h"

enum { NULLS = 110, LOWER = 125, UPPER = 128 };

/* The numbers of a map's key and value. */
static int32_t key_of(int32_t map)
{
    return map == NULLS ? 121 : map + 1;
}

/* ---- values ------------------------------------------------------------------------------ */

/* The big-endian bytes of a decimal, as a file of its type has it. */
static bool store_decimal(const PqType *t, PqSlice v, uint8_t *out)
{
    bool fixed = t->physical == PQ_FIXED;
    size_t n = fixed ? t->fixed_length : pq_physical_width(t->physical);

    if (v.n < 1 || v.n > n) {
        return false;
    }
    memset(out, v.p[0] & 0x80 ? 0xff : 0, n);
    for (size_t i = 0; i < v.n; i++) {
        out[fixed ? n - v.n + i : v.n - 1 - i] = v.p[i];
    }
    return true;
}

static bool store_number(const PqType *t, PqSlice v, uint8_t *out)
{
    size_t n = pq_physical_width(t->physical);
    float f;

    if (v.n == n) {
        memcpy(out, v.p, n);
        *out = n == 1 ? *out != 0 : *out;
    } else if (v.n == 4 && t->physical == PQ_INT64 && t->logical == PQ_TYPE_NONE) {
        pq_store_u64(out, (uint64_t)(int64_t)(int32_t)pq_load_u32(v.p));
    } else if (v.n == 4 && t->physical == PQ_DOUBLE) {
        double d;

        memcpy(&f, v.p, sizeof f);
        d = (double)f;
        memcpy(out, &d, sizeof d);
    } else {
        return false;
    }
    return true;
}

/* The bytes of a bound as the table's type has it; false: it says nothing. */
static bool store(PqArena *a, const PqType *t, PqSlice v, bool is_max, PqSlice *out, PqErr *e)
{
    enum { MOST = 16 };              /* of a decimal of 38 digits            */
    uint8_t *to;

    if (t->logical == PQ_TYPE_STRING) {
        return pq_file_text_bound(a, v, is_max, out);
    }
    if (t->logical != PQ_TYPE_DECIMAL &&
        (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED || t->physical == PQ_INT96)) {
        return false;
    }
    to = pq_arena_bytes(a, MOST, e);
    if (!to || !(t->logical == PQ_TYPE_DECIMAL ? store_decimal(t, v, to)
                                               : store_number(t, v, to))) {
        return false;
    }
    *out = pq_slice(to, t->physical == PQ_FIXED ? t->fixed_length
                                                : pq_physical_width(t->physical));
    return pq_stats_fits(t, *out) && !pq_order_is_nan(t, *out);
}

/* ---- columns ----------------------------------------------------------------------------- */

static PqRc take_map(PqIceberg *t, const PqAvroValue *file, int32_t map, PqIcebergFile *f,
                     PqErr *e)
{
    const PqAvroValue *pairs = pq_avro_field(file, map);
    uint32_t n = pairs && pairs->type->kind == PQ_AVRO_ARRAY ? pairs->n : 0, at = 0;
    int64_t id, nulls;
    PqSlice value;

    for (uint32_t i = 0; i < n; i++) {
        const PqAvroValue *pair = pairs->v[i].type ? &pairs->v[i] : NULL;
        const PqNode *node = pq_avro_int(pair, key_of(map), &id)
                                 ? pq_lake_leaf_by_id(t->r->s, id, &at) : NULL;
        PqBounds *b = node ? pq_file_bounds_of(f->bounds, &f->n_bounds, (uint32_t)node->leaf)
                           : NULL;

        if (b && map == NULLS) {
            b->n_nulls = pq_avro_int(pair, key_of(map) + 1, &nulls) ? nulls : -1;
        } else if (b && pq_avro_bytes(pair, key_of(map) + 1, &value)) {
            bool is_max = map == UPPER, has;
            PqSlice bound = {0};

            has = store(t->arena, &node->type, value, is_max, &bound, e);
            *(is_max ? &b->has_max : &b->has_min) = has;
            *(is_max ? &b->max : &b->min) = bound;
        }
        PQ_TRY(e->rc);
    }
    return PQ_OK;
}

PqRc pq_iceberg_bounds(PqIceberg *t, const PqAvroValue *file, PqIcebergFile *f, PqErr *e)
{
    PqLogBounds v[PQ_FILE_BOUNDS_MOST];

    f->bounds = v;
    PQ_TRY(take_map(t, file, LOWER, f, e));
    PQ_TRY(take_map(t, file, UPPER, f, e));
    PQ_TRY(take_map(t, file, NULLS, f, e));
    PQ_TRY(PQ_ARENA_NEW(&t->scratch, f->bounds, f->n_bounds + 1u, e));
    pq_bytes_copy(f->bounds, v, f->n_bounds * sizeof *v);
    return PQ_OK;
}
