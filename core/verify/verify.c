/*
** verify.c - the walk over a file, and its findings.
**
**   file | group 0: chunk chunk chunk, group | group 1: chunk ...
**
** Each step collects its findings, which are returned before the next step.
** What is hard is to go on after damage: an error that the file caused becomes
** a finding, and only other errors end the walk.
*/
#include "core/verify/verify_inside.h"

#include "core/meta/plain_text.h"

#include <stdio.h>

/* ---- findings ---------------------------------------------------------------- */

static PqRc add_finding(PqVerify *v, PqSeverity severity, const char *what,
                        const char *expected, const char *found,
                        const char *message, PqErr *e)
{
    bool in_chunk = v->begun && v->leaf < v->f->schema.n_leaves;

    PQ_TRY(PQ_GROW(v->mem, v->findings, v->n, v->room, e));
    v->findings[v->n++] = (PqFinding){
        .severity = severity,
        .row_group = v->begun ? (int)v->group : -1,
        .leaf = in_chunk ? (int)v->leaf : -1,
        .column = in_chunk ? v->f->schema.leaves[v->leaf].path : NULL,
        .page = v->page,
        .offset = v->offset,
        .what = what,
        .expected = expected,
        .found = found,
        .message = message,
    };
    return PQ_OK;
}

PqRc pq_verify_find(PqVerify *v, PqSeverity severity, const char *what,
                    const char *expected, const char *found, PqErr *e,
                    const char *fmt, ...)
{
    char text[PQ_ERR_TEXT];
    const char *message;
    va_list ap;

    PQ_TRY(e->rc);
    if (v->n == PQ_FINDINGS_SHOWN) {
        v->left_out++;
        return PQ_OK;
    }
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    message = pq_arena_text(&v->arena, text, strlen(text), e);
    return message ? add_finding(v, severity, what, expected, found, message, e)
                   : e->rc;
}

PqRc pq_verify_count(PqVerify *v, PqSeverity severity, const char *what,
                     int64_t expected, int64_t found, const char *message,
                     PqErr *e)
{
    if (expected == found) {
        return PQ_OK;
    }
    return pq_verify_find(v, severity, what, pq_verify_number(v, expected, e),
                          pq_verify_number(v, found, e), e, "%s", message);
}

/* Is it an error that the file did not cause?  It ends the verification. */
static bool is_fatal(PqRc rc)
{
    return rc == PQ_NOMEM || rc == PQ_STOPPED || rc == PQ_IO ||
           rc == PQ_CHANGED || rc == PQ_USAGE;
}

PqRc pq_verify_failure(PqVerify *v, const char *what, PqErr *e)
{
    char text[PQ_ERR_TEXT];
    bool corrupt = e->rc == PQ_CORRUPT;

    if (is_fatal(e->rc)) {
        return e->rc;
    }
    memcpy(text, e->text, sizeof text);
    pq_err_clear(e);
    return pq_verify_find(v, corrupt ? PQ_FINDING_ERROR : PQ_FINDING_WARNING,
                          what, NULL, NULL, e, "%s%s",
                          corrupt ? "" : "not verified: ", text);
}

/* Bounds may be long; the beginning is enough for a person. */
enum { LONGEST = 200 };

const char *pq_verify_value(PqVerify *v, const PqType *type, PqSlice value,
                            PqErr *e)
{
    PqBuf text;

    pq_buf_init(&text, v->mem, e);
    if (value.n > LONGEST) {
        pq_plain_text_bytes(pq_slice(value.p, LONGEST), &text);
        pq_buf_text(&text, "...");
    } else {
        pq_plain_text(type, value, &text);
    }
    return pq_arena_take(&v->arena, &text);
}

const char *pq_verify_number(PqVerify *v, int64_t n, PqErr *e)
{
    return pq_arena_printf(&v->arena, e, "%lld", (long long)n);
}

/* ---- the file ------------------------------------------------------------------ */

static PqRc check_file(PqVerify *v, PqErr *e)
{
    const PqFileMetaData *m = &v->f->file;

    PQ_TRY(pq_verify_count(v, PQ_FINDING_ERROR, "num_rows", v->f->n_rows,
                           m->num_rows, "the row groups together have a "
                           "different number of rows", e));
    if (PQ_HAS(m, PQ_FILE_COLUMN_ORDERS) &&
        m->column_orders.n != v->f->schema.n_leaves) {
        return pq_verify_find(v, PQ_FINDING_WARNING, "column_orders", NULL,
                              NULL, e, "there is not one for each column, so "
                              "bounds cannot be used");
    }
    return PQ_OK;
}

/* ---- a row group ----------------------------------------------------------------- */

typedef struct Sums {
    int64_t uncompressed, compressed, begin;
    bool    known;                   /* for all chunks                      */
    bool    here;                    /* all chunks are in this file         */
} Sums;

static PqRc add_chunk(PqVerify *v, uint32_t leaf, PqArena *a, Sums *sums,
                      PqErr *e)
{
    PqColumnChunk c;
    const PqColumnMetaData *m = &c.meta_data;

    if (pq_footer_chunk(v->f, v->group, leaf, a, &c, e) != PQ_OK) {
        sums->known = false;
        if (is_fatal(e->rc)) {
            return e->rc;
        }
        pq_err_clear(e);             /* verifying the chunk reported it */
        return PQ_OK;
    }
    sums->here = sums->here && c.file_path.n == 0;
    if (m->total_uncompressed_size > INT64_MAX - sums->uncompressed) {
        sums->known = false;
        return PQ_OK;
    }
    sums->uncompressed += m->total_uncompressed_size;
    sums->compressed += m->total_compressed_size;
    if (m->num_values > 0) {
        int64_t at = PQ_HAS(m, PQ_COLUMN_DICTIONARY_PAGE_OFFSET) &&
                             m->dictionary_page_offset < m->data_page_offset
                         ? m->dictionary_page_offset : m->data_page_offset;
        sums->begin = at < sums->begin ? at : sums->begin;
    }
    return PQ_OK;
}

static PqRc add_chunks(PqVerify *v, Sums *sums, PqErr *e)
{
    PqArena arena;
    PqRc rc = PQ_OK;
    uint32_t leaf;

    *sums = (Sums){.begin = INT64_MAX, .known = true, .here = true};
    pq_arena_init(&arena, v->mem);
    for (leaf = 0; leaf < v->f->schema.n_leaves && sums->known; leaf++) {
        PQ_GO(add_chunk(v, leaf, &arena, sums, e));
        pq_arena_reset(&arena);
    }
done:
    pq_arena_free(&arena);
    return rc;
}

static PqRc check_group(PqVerify *v, PqErr *e)
{
    const PqRowGroup *g = &v->f->file.row_groups.v[v->group];
    Sums sums;

    PQ_TRY(add_chunks(v, &sums, e));
    if (sums.known && PQ_HAS(g, PQ_ROW_GROUP_BYTES)) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "total_byte_size",
                               sums.uncompressed, g->total_byte_size,
                               "not the sum of the chunks' "
                               "total_uncompressed_size", e));
    }
    if (sums.known && PQ_HAS(g, PQ_ROW_GROUP_COMPRESSED)) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "total_compressed_size",
                               sums.compressed, g->total_compressed_size,
                               "not the sum of the chunks' "
                               "total_compressed_size", e));
    }
    if (sums.known && sums.here && PQ_HAS(g, PQ_ROW_GROUP_FILE_OFFSET) &&
        sums.begin < INT64_MAX) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "file_offset",
                               sums.begin, g->file_offset,
                               "the first page of the row group is at "
                               "another offset", e));
    }
    if (PQ_HAS(g, PQ_ROW_GROUP_ORDINAL)) {
        PQ_TRY(pq_verify_count(v, PQ_FINDING_WARNING, "ordinal",
                               (int16_t)v->group, g->ordinal,
                               "this is not the number of the row group", e));
    }
    return v->group_whole ? pq_verify_sorting(v, e) : PQ_OK;
}

/* ---- the walk -------------------------------------------------------------------- */

/* Moves to the next place; false after the last one. */
static bool move(PqVerify *v)
{
    if (!v->begun) {
        v->begun = true;
    } else if (v->leaf < v->f->schema.n_leaves) {
        v->leaf++;
    } else {
        v->leaf = 0;
        v->group++;
    }
    if (v->leaf == 0) {
        v->group_whole = true;
        pq_chunk_files_close(&v->parts);
    }
    return v->group < v->f->n_groups;
}

static PqRc check_here(PqVerify *v, PqErr *e)
{
    PqWhere outer = e->where;
    PqRc rc;

    rc = v->leaf < v->f->schema.n_leaves ? pq_verify_chunk(v, e)
                                         : check_group(v, e);
    e->where = outer;
    return rc;
}

/* The finding that counts the others.  There is always room for it. */
static PqRc say_left_out(PqVerify *v, PqErr *e)
{
    const char *message;

    v->page = -1;
    v->offset = -1;
    message = pq_arena_printf(&v->arena, e, "%lld more findings are not shown",
                              (long long)v->left_out);
    v->left_out = 0;
    return message ? add_finding(v, PQ_FINDING_WARNING, "findings", NULL, NULL,
                                 message, e)
                   : e->rc;
}

/* The last finding: even verified pages may differ from what was written. */
static PqRc say_unguarded(PqVerify *v, PqErr *e)
{
    if (v->n_unguarded == 0) {
        return PQ_OK;
    }
    v->begun = false;                /* it is about the whole file */
    return pq_verify_find(v, PQ_FINDING_NOTE, "checksums", NULL, NULL, e,
                          "%lld of %lld pages have no checksum and are not "
                          "encrypted: a value that was changed in them may go "
                          "unnoticed", (long long)v->n_unguarded,
                          (long long)v->n_pages);
}

PqRc pq_verify_next(PqVerify *v, const PqFinding **out, PqErr *e)
{
    *out = NULL;
    while (v->shown == v->n) {
        v->shown = v->n = 0;
        pq_arena_reset(&v->arena);
        v->page = -1;
        v->offset = -1;
        if (v->done) {
            return PQ_OK;
        }
        v->done = !move(v);
        if (v->done) {
            PQ_TRY(say_unguarded(v, e));
            continue;
        }
        PQ_TRY(pq_stop_poll(&v->ctx.stop, e));
        PQ_TRY(check_here(v, e));
        if (v->left_out) {
            PQ_TRY(say_left_out(v, e));
        }
    }
    *out = &v->findings[v->shown++];
    return PQ_OK;
}

PqRc pq_verify_new(PqMem *mem, PqInput *in, const PqFooter *f, PqStop stop,
                   PqVerify **out, PqErr *e)
{
    PqVerify *v;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, v, 1, e));
    v->mem = mem;
    v->in = in;
    pq_chunk_files_init(&v->parts, mem, in);
    v->f = f;
    v->page = -1;
    v->offset = -1;
    pq_arena_init(&v->arena, mem);
    if (pq_read_ctx_init(&v->ctx, mem, e) != PQ_OK ||
        check_file(v, e) != PQ_OK) {
        pq_verify_free(v);
        return e->rc;
    }
    v->ctx.stop = stop;
    v->ctx.verify_crc = false;       /* it is checked here, as a finding */
    *out = v;
    return PQ_OK;
}

void pq_verify_free(PqVerify *v)
{
    if (v) {
        pq_read_ctx_reset(&v->ctx);
        pq_chunk_files_close(&v->parts);
        pq_arena_free(&v->arena);
        pq_mem_free(v->findings);
        pq_mem_free(v);
    }
}
