/*
** group_notes.c - which group each row is of.
*/
#include "core/group/group_notes.h"

#include "core/simd/kernels.h"

#include <assert.h>

void pq_group_notes_init(PqGroupNotes *g, PqMem *mem)
{
    *g = (PqGroupNotes){.mem = mem};
    pq_buf_init(&g->codes, mem, NULL);
    pq_buf_init(&g->notes, mem, NULL);
}

void pq_group_notes_free(PqGroupNotes *g)
{
    pq_buf_free(&g->codes);
    pq_buf_free(&g->notes);
    g->n = 0;
}

bool pq_group_notes_fit(const PqGroupNotes *g, const PqBatch *b, unsigned share)
{
    return g->codes.n + b->n_rows + g->notes.n + sizeof(PqGroupNote) <=
           pq_mem_limit(g->mem) / share;
}

static PqGroupNote *notes_of(const PqGroupNotes *g)
{
    return (PqGroupNote *)(void *)g->notes.p;
}

PqRc pq_group_notes_add(PqGroupNotes *g, const PqBatch *b, uint8_t **codes,
                        uint64_t **there, PqErr *e)
{
    PqGroupNote *note;
    size_t at = g->codes.n;

    PQ_TRY(pq_buf_resize(&g->notes, (g->n + 1) * sizeof *note, e));
    PQ_TRY(pq_buf_resize(&g->codes, at + b->n_rows, e));
    note = &notes_of(g)[g->n++];
    *note = (PqGroupNote){.rowid = b->rowid, .n_rows = b->n_rows, .at = at};
    *codes = g->codes.p + at;
    *there = note->there;
    memset(*codes, PQ_NO_GROUP, b->n_rows);
    return PQ_OK;
}

void pq_group_notes_begin(PqGroupNotes *g)
{
    g->next = g->n_here = g->next_here = 0;
}

static bool has(const PqGroupNote *note, uint8_t code)
{
    return note->there[code / 64] >> code % 64 & 1;
}

/* The first note that ends after the batch begins. */
static uint32_t find(PqGroupNotes *g, const PqBatch *b)
{
    const PqGroupNote *notes = notes_of(g);

    while (g->next < g->n &&
           notes[g->next].rowid + notes[g->next].n_rows <= b->rowid) {
        g->next++;
    }
    return g->next;
}

/* The same for a batch that begins or ends elsewhere than the noted batch.
** Batches end where page indexes say, and those are loaded only if memory is
** left. */
static void rows_of_code_at(const PqGroupNotes *g, const PqGroupNote *note, uint8_t code,
                            const PqBatch *b, uint64_t *keep)
{
    for (uint32_t i = 0; i < note->n_rows; i++) {
        int64_t row = note->rowid + i - b->rowid;

        if (g->codes.p[note->at + i] == code && row >= 0 && row < b->n_rows) {
            keep[row / 64] |= (uint64_t)1 << row % 64;
        }
    }
}

void pq_group_notes_keep(PqGroupNotes *g, const PqBatch *b, uint8_t code, uint64_t *keep)
{
    const PqGroupNote *notes = notes_of(g);
    uint32_t i = find(g, b);

    memset(keep, 0, (b->n_rows + 63) / 64 * sizeof *keep);
    for (; i < g->n && notes[i].rowid < b->rowid + b->n_rows; i++) {
        if (!has(&notes[i], code)) {
            continue;
        }
        if (notes[i].rowid == b->rowid && notes[i].n_rows == b->n_rows) {
            pq_kernels()->equal8(g->codes.p + notes[i].at, notes[i].n_rows, code, keep);
        } else {
            rows_of_code_at(g, &notes[i], code, b, keep);
        }
    }
}

void pq_group_notes_codes(PqGroupNotes *g, const PqBatch *b, const bool *wanted,
                          uint8_t *codes, uint64_t *keep)
{
    const PqGroupNote *notes = notes_of(g);
    int64_t end = b->rowid + b->n_rows;

    memset(codes, PQ_NO_GROUP, b->n_rows);
    for (uint32_t i = find(g, b); i < g->n && notes[i].rowid < end; i++) {
        int64_t from = notes[i].rowid, to = from + notes[i].n_rows;
        const uint8_t *noted = g->codes.p + notes[i].at;

        if (from < b->rowid) {
            noted += b->rowid - from;
            from = b->rowid;
        }
        to = to < end ? to : end;
        memcpy(codes + (from - b->rowid), noted, (size_t)(to - from));
    }
    for (uint32_t row = 0; row < b->n_rows; row += 64) {
        uint32_t n = b->n_rows - row < 64 ? b->n_rows - row : 64;
        uint64_t bits = 0;

        for (uint32_t i = 0; i < n; i++) {
            bits |= (uint64_t)wanted[codes[row + i]] << i;
        }
        keep[row / 64] = bits;
    }
}

/* Lists the rows of the group in the next note that has any. */
static void next_here(PqGroupNotes *g, uint8_t code)
{
    const PqGroupNote *note = &notes_of(g)[g->next];
    uint64_t bits[PQ_BATCH_ROWS / 64] = {0};

    while (!has(note, code)) {
        note++;
        g->next++;
        assert(g->next < g->n);
    }
    g->next++;
    pq_kernels()->equal8(g->codes.p + note->at, note->n_rows, code, bits);
    g->n_here = pq_kernels()->list_bits(bits, (note->n_rows + 63) / 64, g->here);
    g->next_here = 0;
}

void pq_group_notes_rowids(PqGroupNotes *g, uint8_t code, uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n;) {
        if (g->next_here == g->n_here) {
            next_here(g, code);
        }
        for (; i < n && g->next_here < g->n_here; i++) {
            out[i] = notes_of(g)[g->next - 1].rowid + g->here[g->next_here++];
        }
    }
}
