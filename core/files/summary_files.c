/*
** summary_files.c - replaces a summary in a listing by the files it names.
**
** A file must not come twice, so a summary that returns to an earlier file is
** left as it is.  No writer is known to make one.
*/
#include "core/files/summary_files.h"

#include "core/files/chunk_files.h"
#include "core/files/hive.h"
#include "core/files/ignore_errors.h"

typedef struct Parts {
    PqListing    *l;
    const char   *summary;
    PqListedFile *files;
    uint32_t      n, n_base;
} Parts;

static bool is_summary(const char *path)
{
    return strcmp(pq_path_name(path), "_metadata") == 0;
}

/* Adds the file of a row group, unless it was the last one added. */
static PqRc add_part(Parts *p, PqSlice name, PqErr *e)
{
    PqArena *a = &p->l->arena;
    char *path;

    PQ_TRY(pq_chunk_files_path(p->summary, name, a->mem, &path, e));
    if ((!p->n || strcmp(p->files[p->n - 1].path, path) != 0) &&
        PQ_ARENA_GROW(a, p->files, p->n, e) == PQ_OK) {
        p->files[p->n++] = (PqListedFile){.path = pq_arena_text(a, path, strlen(path), e),
                                          .n_base = p->n_base};
    }
    pq_mem_free(path);
    return e->rc;
}

static PqRc find_parts(Parts *p, const PqFooter *f, const PqStop *stop,
                       PqErr *e)
{
    PqArena scratch;
    PqRc rc = PQ_OK;

    pq_arena_init(&scratch, f->mem);
    for (uint32_t i = 0; f->schema.n_leaves > 0 && i < f->n_groups; i++) {
        PqColumnChunk chunk;

        PQ_GO(pq_stop_poll(stop, e));
        PQ_GO(pq_footer_chunk(f, i, 0, &scratch, &chunk, e));
        PQ_GO(add_part(p, chunk.file_path, e));
        pq_arena_reset(&scratch);
    }
done:
    pq_arena_free(&scratch);
    return rc;
}

/* Takes the files of the summary, if their folders are columns. */
static PqRc take_parts(PqListing *l, const Parts *p, const PqStop *stop,
                       PqErr *e)
{
    PqListedFile *summary = l->files;

    l->files = p->files;
    l->n_files = p->n;
    PQ_TRY(pq_hive_fill(l, stop, e));
    if (l->n_folder_columns == 0) {
        l->files = summary;
        l->n_files = 1;
    }
    return PQ_OK;
}

PqRc pq_listing_unfold(PqListing *l, PqEngine *g, const PqStop *stop, PqErr *e)
{
    Parts parts = {.l = l};
    PqFooter *f = NULL;
    const char *repeat = NULL;

    if (l->n_files != 1 || l->n_skipped > 0 || !is_summary(l->files[0].path)) {
        return PQ_OK;
    }
    parts.summary = l->files[0].path;
    parts.n_base = (uint32_t)(pq_path_name(parts.summary) - parts.summary);
    if (pq_engine_footer(g, l, parts.summary, &f, e) == PQ_OK &&
        find_parts(&parts, f, stop, e) == PQ_OK && parts.n > 0 &&
        pq_listing_repeat(parts.files, parts.n, l->arena.mem, stop, &repeat,
                          e) == PQ_OK && !repeat) {
        take_parts(l, &parts, stop, e);
    }
    pq_footer_release(f);
    if (pq_is_left_out(e->rc)) {
        pq_err_clear(e);
    }
    return e->rc;
}
