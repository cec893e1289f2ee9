/*
** group_store.c - adds records to partitions, writes these, reads them back and
** cuts them.
*/
#include "core/group/group_store.h"

#include "core/base/folder.h"
#include "core/base/random.h"
#include "core/crypto/sealed_scratch.h"

enum {
    FIRST_CHUNK = 2 << 10, MOST_CHUNK = 64 << 10, LEAST_MOST = 4 << 10,
    CUT_BITS = 5,
    POLL_ROWS = 1 << 14
};

void pq_group_store_init(PqGroupStore *s, PqMem *mem,
                         const PqGroupShape *shape, const PqStop *stop)
{
    *s = (PqGroupStore){.mem = mem, .shape = shape, .stop = stop,
                        .most = MOST_CHUNK};
}

static void free_chunk(PqGroupStore *s, PqGroupChunk *c)
{
    s->used -= c->room + sizeof *c;
    pq_mem_free(c);
}

void pq_group_store_drop(PqGroupStore *s, PqGroupPart *p)
{
    while (p->first) {
        PqGroupChunk *c = p->first;

        p->first = c->next;
        free_chunk(s, c);
    }
    p->last = NULL;
}

void pq_group_store_drop_spare(PqGroupStore *s)
{
    PqGroupPart spare = {.first = s->spare};

    for (PqGroupChunk *c = s->spare; c; c = c->next) {
        s->used += c->room + sizeof *c;
    }
    s->spare = NULL;
    s->keeps = false;
    pq_group_store_drop(s, &spare);
}

void pq_group_store_free(PqGroupStore *s)
{
    pq_group_store_drop_spare(s);
    for (uint32_t i = 0; i < s->n_parts; i++) {
        pq_group_store_drop(s, &s->parts[i]);
    }
    pq_mem_free(s->parts);
    pq_mem_free(s->pieces);
    pq_sink_close(s->file);
    s->parts = NULL;
    s->pieces = NULL;
    s->file = NULL;
    s->n_parts = s->room = s->n_pieces = s->pieces_room = 0;
}

PqRc pq_group_store_add(PqGroupStore *s, unsigned before, unsigned bits,
                        PqErr *e)
{
    return pq_group_store_add_parts(s, 1u << bits, before + bits, e);
}

PqRc pq_group_store_add_parts(PqGroupStore *s, uint32_t n, unsigned bits, PqErr *e)
{
    size_t share = s->limit / 4 / n;

    if (s->n_parts + n > s->room) {
        PQ_TRY(PQ_RESIZE(s->mem, s->parts, s->n_parts + n, e));
        s->room = s->n_parts + n;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->parts[s->n_parts++] = (PqGroupPart){.bits = bits};
    }
    s->most = share < LEAST_MOST ? LEAST_MOST
              : share > MOST_CHUNK ? MOST_CHUNK : share;
    return PQ_OK;
}

/* ---- records ------------------------------------------------------------- */

static PqRc add_chunk(PqGroupStore *s, PqGroupPart *p, size_t n, PqErr *e)
{
    size_t room = p->last ? 2 * p->last->room : p->in_file ? s->most
                                                           : FIRST_CHUNK;
    PqGroupChunk *c = s->spare;

    room = room > s->most ? s->most : room;
    room = room < n ? n : room;
    if (c && c->room >= room) {
        s->spare = c->next;
        room = c->room;
    } else {
        c = pq_mem_alloc(s->mem, sizeof *c + room, e);
        PQ_TRY(c ? PQ_OK : e->rc);
    }
    *c = (PqGroupChunk){.room = room};
    s->used += room + sizeof *c;
    *(p->last ? &p->last->next : &p->first) = c;
    p->last = c;
    return PQ_OK;
}

PqRc pq_group_store_room(PqGroupStore *s, PqGroupPart *p, uint64_t hash,
                         size_t n, uint8_t **out, PqErr *e)
{
    PqGroupChunk *c = p->last;

    if (PQ_UNLIKELY(!c || c->room - c->n < n)) {
        PQ_TRY(add_chunk(s, p, n, e));
        c = p->last;
    }
    *out = c->bytes + c->n;
    c->n += n;
    c->n_rows++;
    p->mixed = p->mixed || (p->n_rows > 0 && p->hash != hash);
    p->hash = hash;
    p->n_rows++;
    return PQ_OK;
}

/* ---- the file ------------------------------------------------------------ */

PqRc pq_group_store_need_file(PqGroupStore *s, PqErr *e)
{
    const char *folder = pq_folder_of_scratch();

    return s->file     ? PQ_OK
           : s->sealed ? pq_sealed_scratch(s->mem, folder, &s->file, e)
                       : pq_sink_scratch(s->mem, folder, &s->file, e);
}

static PqRc write_chunk(PqGroupStore *s, PqGroupPart *p, const PqGroupChunk *c,
                        PqErr *e)
{
    PqGroupPiece piece = {pq_sink_offset(s->file), c->n, c->n_rows, 0};

    PQ_TRY(pq_stop_poll(s->stop, e));
    PQ_TRY(PQ_GROW(s->mem, s->pieces, s->n_pieces, s->pieces_room, e));
    PQ_TRY(pq_sink_write(s->file, c->bytes, c->n, e));
    s->pieces[s->n_pieces++] = piece;
    *(p->last_piece ? &s->pieces[p->last_piece - 1].next : &p->first_piece) =
        s->n_pieces;
    p->last_piece = s->n_pieces;
    p->in_file += c->n;
    return PQ_OK;
}

static PqRc write_part(PqGroupStore *s, PqGroupPart *p, PqErr *e)
{
    while (p->first) {
        PqGroupChunk *c = p->first;

        PQ_TRY(write_chunk(s, p, c, e));
        p->first = c->next;
        if (s->keeps && c->room == s->most) {
            s->used -= c->room + sizeof *c;
            c->next = s->spare;
            s->spare = c;
        } else {
            free_chunk(s, c);
        }
    }
    p->last = NULL;
    return PQ_OK;
}

PqRc pq_group_store_write(PqGroupStore *s, PqErr *e)
{
    PqRc rc = pq_group_store_need_file(s, e);

    for (uint32_t i = 0; i < s->n_parts && rc == PQ_OK; i++) {
        rc = write_part(s, &s->parts[i], e);
    }
    if (rc == PQ_IO) {
        pq_err_hint(e, "%s", s->hint ? s->hint :
                    "rows of a GROUP BY that memory= does not hold go to a "
                    "temporary file; GROUP BY +column has SQLite sort them");
    }
    return rc;
}

PqRc pq_group_store_put(PqGroupStore *s, PqGroupPart *p, uint64_t hash,
                        const uint8_t *record, size_t n, PqErr *e)
{
    uint8_t *to;
    PqRc rc = pq_group_store_is_full(s)
                  ? PQ_BUDGET : pq_group_store_room(s, p, hash, n, &to, e);

    if (rc == PQ_BUDGET) {
        pq_err_clear(e);
        PQ_TRY(pq_group_store_write(s, e));
        rc = pq_group_store_room(s, p, hash, n, &to, e);
    }
    PQ_TRY(rc);
    memcpy(to, record, n);
    return PQ_OK;
}

PqRc pq_group_store_read(PqGroupStore *s, const PqGroupPiece *piece,
                         PqGroupChunk **out, PqErr *e)
{
    PqGroupChunk *c = pq_mem_alloc(s->mem, sizeof *c + piece->n, e);

    *out = NULL;
    PQ_TRY(c ? PQ_OK : e->rc);
    *c = (PqGroupChunk){.n = piece->n, .room = piece->n,
                        .n_rows = piece->n_rows};
    if (pq_stop_poll(s->stop, e) != PQ_OK ||
        pq_sink_read(s->file, piece->at, piece->n, c->bytes, e) != PQ_OK) {
        pq_mem_free(c);
        return e->rc;
    }
    s->used += c->room + sizeof *c;
    *out = c;
    return PQ_OK;
}

/* ---- hashes -------------------------------------------------------------- */

PqRc pq_group_store_reseed(PqGroupStore *s, PqGroupPart *p, PqErr *e)
{
    if (s->seed == 0) {
        PQ_TRY(pq_random_fill(&s->seed, sizeof s->seed, e));
        s->seed |= 1;
    }
    p->seeded = p->mixed = true;
    p->bits = 0;
    return PQ_OK;
}

uint64_t pq_group_store_hash(const PqGroupStore *s, const PqGroupPart *p,
                             const uint8_t *record)
{
    return p->seeded ? pq_group_seeded_hash(s->shape, record, s->seed)
                     : pq_group_record_hash(s->shape, record);
}

/* ---- cutting ------------------------------------------------------------- */

/* Copies the records of a chunk into the partitions from number `first` on. */
static PqRc cut_chunk(PqGroupStore *s, const PqGroupPart *old,
                      const PqGroupChunk *c, uint32_t first, PqErr *e)
{
    const uint8_t *at = c->bytes, *end = at + c->n;

    for (uint64_t i = 0; at < end; i++) {
        size_t n = pq_group_size(s->shape, at);
        uint64_t hash = pq_group_store_hash(s, old, at);
        uint32_t part = (uint32_t)(hash << old->bits >> (64 - CUT_BITS));

        if (i % POLL_ROWS == 0) {
            PQ_TRY(pq_stop_poll(s->stop, e));
        }
        PQ_TRY(pq_group_store_put(s, &s->parts[first + part], hash, at, n, e));
        at += n;
    }
    return PQ_OK;
}

/* Copies the rows of a partition that was taken off the stack.  Each chunk is
** freed once it is copied, so that hardly more memory is taken than before. */
static PqRc cut(PqGroupStore *s, PqGroupPart *old, uint32_t first, PqErr *e)
{
    PqGroupChunk *c;
    PqRc rc;

    for (uint32_t i = old->first_piece; i > 0; i = s->pieces[i - 1].next) {
        PQ_TRY(pq_group_store_read(s, &s->pieces[i - 1], &c, e));
        rc = cut_chunk(s, old, c, first, e);
        free_chunk(s, c);
        PQ_TRY(rc);
    }
    while (old->first) {
        c = old->first;
        PQ_TRY(cut_chunk(s, old, c, first, e));
        old->first = c->next;
        free_chunk(s, c);
    }
    return PQ_OK;
}

PqRc pq_group_store_cut(PqGroupStore *s, PqErr *e)
{
    PqGroupPart old = s->parts[--s->n_parts];
    uint32_t first = s->n_parts;
    PqRc rc = pq_group_store_add(s, old.bits, CUT_BITS, e);

    if (rc == PQ_OK) {
        for (uint32_t i = first; i < s->n_parts; i++) {
            s->parts[i].seeded = old.seeded;
            s->parts[i].one_key = old.one_key;
        }
        rc = cut(s, &old, first, e);
    }
    pq_group_store_drop(s, &old);
    return rc;
}
