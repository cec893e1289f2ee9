/*
** lookup_kept.c - indexes of keys that outlive their statement.
**
** An index costs as much as reading its column, which is most of the cost of a
** query with some hundred keys.  So the table keeps the indexes of the last
** statement, and the next one has them if nothing has changed:
**
**   statement 1   a.parquet inode 7, 12:00:00.004    index of k    kept
**   statement 2   a.parquet inode 7, 12:00:00.004    the same      adopted
**   statement 3   a.parquet inode 9, 12:00:03.250    another       dropped
**
** The hard part is that an index of other files gives wrong rows.  Its files
** must have the same paths, in the same order, because the index has their
** numbers.  Each file that was opened must have the same version.  The listing
** of the new statement opens it for this (versions.h), and from then on reads
** that version or fails.
*/
#include "core/files/engine.h"
#include "core/scan/scan_inside.h"

enum {
    MOST_FILES = 64,                 /* files that are opened to compare    */
    KEPT_SHARE = 8                   /* of memory, for what is kept         */
};

typedef struct KeptFile {
    char    *path;
    bool     opened;
    PqFileId id;
} KeptFile;

struct PqKeptIndexes {
    PqJoinIndex *indexes;
    KeptFile   *files;
    uint32_t    n_files;
};

void pq_lookup_keep_free(PqKeptIndexes *k)
{
    if (!k) {
        return;
    }
    pq_join_index_free(k->indexes);
    for (uint32_t i = 0; i < k->n_files; i++) {
        pq_mem_free(k->files[i].path);
    }
    pq_mem_free(k->files);
    pq_mem_free(k);
}

/* Values of encrypted files must not outlive their keys, so the connection must
** have none.  Another version of a lake table may have other rows of the same files. */
static bool may_be_kept(const PqListing *of, const PqEngine *engine)
{
    return of->n_files <= MOST_FILES && of->versions && !of->lake &&
           !pq_key_ring_at(engine->keys, 0);
}

static PqRc note_files(PqKeptIndexes *k, const PqListing *of, PqMem *mem,
                       PqErr *e)
{
    PQ_TRY(PQ_NEW(mem, k->files, of->n_files, e));
    for (; k->n_files < of->n_files; k->n_files++) {
        KeptFile *f = &k->files[k->n_files];
        const char *path = of->files[k->n_files].path;

        f->path = pq_mem_text(mem, path, strlen(path), e);
        if (!f->path) {
            return e->rc;
        }
        f->opened = pq_versions_id(of->versions, path, &f->id);
    }
    return PQ_OK;
}

static void take_indexes(PqKeptIndexes *k, PqLookup *l)
{
    PqJoinIndex *x = l->indexes, *next;
    size_t bytes = 0;

    l->indexes = NULL;
    for (; x; x = next) {
        next = x->next;
        x->next = NULL;
        if (!x->ready || bytes + x->bytes > l->memory / KEPT_SHARE) {
            pq_join_index_free(x);
            continue;
        }
        bytes += x->bytes;
        x->lookup = NULL;
        x->next = k->indexes;
        k->indexes = x;
    }
}

PqKeptIndexes *pq_lookup_keep(PqLookup *l, const PqListing *of,
                              const PqEngine *engine)
{
    PqKeptIndexes *k;
    PqErr e;

    if (!l->indexes || !may_be_kept(of, engine) ||
        l->keys_version != pq_key_ring_version(engine->keys)) {
        return NULL;
    }
    pq_err_init(&e);
    k = pq_mem_zeros(l->mem, 1, sizeof *k, &e);
    if (k && note_files(k, of, l->mem, &e) == PQ_OK) {
        take_indexes(k, l);
    }
    pq_err_clear(&e);
    if (k && !k->indexes) {
        pq_lookup_keep_free(k);
        k = NULL;
    }
    return k;
}

/* Is it still the same file?  A file that was not opened does not matter. */
static bool is_same(const KeptFile *f, const PqListing *of, uint32_t i,
                    PqMem *mem)
{
    PqSource *source = NULL;
    bool same = strcmp(f->path, of->files[i].path) == 0;
    PqErr e;

    if (same && f->opened) {
        pq_err_init(&e);
        same = pq_listing_open(of, mem, f->path, &source, &e) ==
                   PQ_OK &&
               pq_file_id_equal(pq_source_id(source), f->id);
        pq_source_close(source);
        pq_err_clear(&e);
    }
    return same;
}

void pq_lookup_adopt(PqLookup *l, PqKeptIndexes *k, const PqListing *of,
                     const PqEngine *engine)
{
    bool same;

    if (!k) {
        return;
    }
    same = may_be_kept(of, engine) && k->n_files == of->n_files;
    for (uint32_t i = 0; same && i < k->n_files; i++) {
        same = is_same(&k->files[i], of, i, l->mem);
    }
    while (same && k->indexes) {
        PqJoinIndex *x = k->indexes;

        k->indexes = x->next;
        x->lookup = l;
        x->next = l->indexes;
        l->indexes = x;
        l->indexed += x->bytes;
        l->adopted += x->bytes;
    }
    pq_lookup_keep_free(k);
}
