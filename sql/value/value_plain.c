/*
** value_plain.c - returns a single value, such as a bound or a dictionary
** entry.
**
** It makes a column of one row, so that a bound looks exactly like a value of
** the table.  Bounds come from the file.  If a bound has the wrong size for its
** type, or is huge, it is returned as a BLOB.
*/
#include "sql/value/value_inside.h"

enum { ROOM_FOR_ONE = 1 << 24 };

/* Converts PLAIN bytes to the physical type; false for a wrong size. */
static bool unpack(const PqType *type, PqSlice v, void *out, PqMem *mem,
                   PqErr *e)
{
    PqStr *s = out;

    switch (type->physical) {
    case PQ_BYTE_ARRAY:
        s->p = (uint8_t *)pq_mem_text(mem, v.p, v.n, e);
        s->n = (uint32_t)v.n;
        return s->p != NULL;
    case PQ_FIXED:
        *s = (PqStr){v.p, (uint32_t)v.n};
        return v.n == type->fixed_length;
    default:
        if (v.n == pq_physical_width(type->physical)) {
            memcpy(out, v.p, v.n);
            return true;
        }
        return false;
    }
}

static PqRc give(sqlite3_context *ctx, PqMem *mem, const PqType *type,
                 const PqsqlOptions *options, const void *value, PqErr *e)
{
    PqNode node = {.name = "", .path = "", .kind = PQ_NODE_LEAF,
                   .type = *type};
    PqsqlColumn *c;

    PQ_TRY(pqsql_column_new(mem, &node, type, options, &c, e));
    if (pqsql_column_load_one(c, value, e) == PQ_OK) {
        c->get(ctx, c, 0);
    }
    pqsql_column_free(c);
    return e->rc;
}

void pqsql_result_plain(sqlite3_context *ctx, const PqType *type, PqSlice v)
{
    static const PqsqlOptions usual = {.decimal_text = true, .nan_text = true};
    union { PqStr s; int64_t i; double d; uint8_t b[16]; } value = {{0}};
    bool is_short = v.n < ROOM_FOR_ONE / 4;
    PqMem *mem = is_short ? pq_mem_new(ROOM_FOR_ONE) : NULL;
    PqErr e;

    pq_err_init(&e);
    if (!mem || !unpack(type, v, &value, mem, &e) ||
        give(ctx, mem, type, &usual, &value, &e) != PQ_OK) {
        if (e.rc == PQ_NOMEM || (!mem && is_short)) {
            sqlite3_result_error_nomem(ctx);
        } else {
            sqlite3_result_blob64(ctx, v.n ? (const void *)v.p : "", v.n,
                                  SQLITE_TRANSIENT);
        }
    }
    if (type->physical == PQ_BYTE_ARRAY) {
        pq_mem_free((void *)(uintptr_t)value.s.p);
    }
    pq_mem_release(mem);
}

PqRc pqsql_result_stored(sqlite3_context *ctx, PqMem *mem, const PqType *type,
                         const void *value, PqErr *e)
{
    static const PqsqlOptions usual = {0};

    return give(ctx, mem, type, &usual, value, e);
}
