/*
** ignore_errors.c - tries every file of a listing, and keeps those that open.
**
** What is hard is how far to look.  The footer is always read.  Columns are
** looked up when there is a table.  Only encrypted files and summaries need
** each chunk looked at: one column may be encrypted, one part may be missing.
*/
#include "core/files/ignore_errors.h"

#include "core/files/chunk_files.h"

#include <stdio.h>

bool pq_is_left_out(PqRc rc)
{
    return rc == PQ_IO || rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED ||
           rc == PQ_CHANGED;
}

void pq_left_out_hint(const PqTable *t, const PqListing *l, PqErr *e)
{
    if (t->left_out_hint && l->n_files > 1 && !l->lake && pq_is_left_out(e->rc)) {
        pq_err_hint(e, "%s", t->left_out_hint);
    }
}

static const char *copy_text(PqArena *a, const char *text)
{
    PqErr forgiven = PQ_NO_ERR;
    const char *copy = pq_arena_text(a, text, strlen(text), &forgiven);

    return copy ? copy : "";
}

void pq_left_out_add(PqLeftOut *out, PqArena *a, const char *path,
                     const char *why)
{
    if (out->n < PQ_LEFT_OUT_SHOWN) {
        out->v[out->n].path = copy_text(a, path);
        out->v[out->n].why = copy_text(a, why);
    }
    out->n++;
}

void pq_left_out_notes(const PqListing *l, PqScanNotes *notes)
{
    enum { SHOWN = 3, ROOM = PQ_NOTES_ROOM / 4 };
    char note[ROOM];

    if (l->left_out.n == 0) {
        return;
    }
    snprintf(note, sizeof note, "%u left out by ignore_errors", l->left_out.n);
    pq_notes_add(notes, note);
    for (uint32_t i = 0; i < l->left_out.n && i < SHOWN; i++) {
        snprintf(note, sizeof note, "%s", l->left_out.v[i].why);
        pq_notes_add(notes, note);
    }
}

/* ---- one file ---------------------------------------------------------------- */

typedef struct Trial {
    PqEngine        *engine;
    const PqListing *listing;
    const PqTable   *table;          /* NULL: opening is enough             */
    const PqNode   **nodes;          /* of the table's columns              */
    PqInput          in;
    PqFooter        *footer;
} Trial;

/* One part is open at a time. */
static PqRc part_opens(Trial *x, const PqColumnChunk *chunk, uint32_t group,
                       PqErr *e)
{
    PqChunkFiles parts;
    PqInput *in;
    PqRc rc;

    pq_chunk_files_init(&parts, x->engine->mem, &x->in);
    rc = pq_chunk_files_input(&parts, chunk, group, &in, e);
    pq_chunk_files_close(&parts);
    return rc;
}

/* Looks at each chunk that the table wants.  pq_footer_chunk fails if the chunk
** has no key at hand. */
static PqRc try_chunks(Trial *x, bool in_parts, PqErr *e)
{
    const PqFooter *f = x->footer;
    PqArena scratch;
    PqRc rc = PQ_OK;

    pq_arena_init(&scratch, x->engine->mem);
    for (uint32_t g = 0; g < f->n_groups; g++) {
        for (uint32_t i = 0; i < x->table->n_columns; i++) {
            const PqNode *n = x->nodes[i];

            for (uint32_t leaf = 0; n && leaf < n->n_leaves; leaf++) {
                PqColumnChunk chunk;

                PQ_GO(pq_footer_chunk(f, g, n->first_leaf + leaf, &scratch,
                                      &chunk, e));
                PQ_GO(in_parts ? part_opens(x, &chunk, g, e) : PQ_OK);
            }
        }
        pq_arena_reset(&scratch);
    }
done:
    pq_arena_free(&scratch);
    return rc;
}

/* All chunks of a summary lie in other files, so the first one tells. */
static bool is_summary(const Trial *x)
{
    PqColumnChunk chunk;
    PqArena scratch;
    bool yes;
    PqErr e = PQ_NO_ERR;

    if (x->footer->n_groups == 0 || x->footer->schema.n_leaves == 0) {
        return false;
    }
    pq_arena_init(&scratch, x->engine->mem);
    yes = pq_footer_chunk(x->footer, 0, 0, &scratch, &chunk, &e) == PQ_OK &&
          chunk.file_path.n > 0;
    pq_arena_free(&scratch);
    return yes;
}

static PqRc try_columns(Trial *x, const char *path, PqErr *e)
{
    PQ_TRY(pq_table_map(x->table, x->footer, path, false, x->nodes, e));
    if (x->footer->locks) {
        return try_chunks(x, false, e);
    }
    return is_summary(x) ? try_chunks(x, true, e) : PQ_OK;
}

static PqRc try_file(Trial *x, const char *path, PqErr *e)
{
    PqRc rc;

    PQ_TRY(pq_engine_open(x->engine, x->listing, path, &x->in.source,
                          &x->footer, e));
    e->where.file = path;
    rc = x->table ? try_columns(x, path, e) : PQ_OK;
    pq_where_reset(e);
    pq_footer_release(x->footer);
    pq_source_close(x->in.source);
    x->in = (PqInput){0};
    return rc;
}

/* ---- all of them ------------------------------------------------------------- */

static PqRc none_left(const PqListing *l, uint32_t n, PqErr *e)
{
    return pq_fail(e, PQ_IO, "none of %u files can be read: ignore_errors=on "
                             "leaves all of them out; the first: %s", n,
                   l->left_out.v[0].why);
}

PqRc pq_leave_out(PqListing *l, PqEngine *g, const PqTable *t,
                  const PqStop *stop, PqErr *e)
{
    uint32_t n = l->n_files, kept = 0;
    Trial x = {.engine = g, .listing = l, .table = t};
    PqRc rc = PQ_OK;

    if (t) {
        PQ_TRY(PQ_NEW(g->mem, x.nodes, t->n_columns + 1u, e));
    }
    for (uint32_t i = 0; i < n; i++) {
        PQ_GO(pq_stop_poll(stop, e));
        pq_listing_expect(l, i, NULL, NULL);
        rc = try_file(&x, l->files[i].path, e);
        if (rc == PQ_OK) {
            l->files[kept++] = l->files[i];
            continue;
        }
        if (n == 1 || !pq_is_left_out(rc)) {
            goto done;
        }
        pq_left_out_add(&l->left_out, &l->arena, l->files[i].path, e->text);
        pq_err_clear(e);
    }
    l->n_files = kept;
    rc = kept ? PQ_OK : none_left(l, n, e);
done:
    pq_mem_free(x.nodes);
    return rc;
}
