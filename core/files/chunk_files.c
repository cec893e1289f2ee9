/*
** chunk_files.c - opens the files that a summary file names.
**
** The open parts are a list with the last used one in front: neighbouring
** chunks lie in the same file.  What is hard is that the names come from the
** file and may be hostile, so none may lead out of the summary's folder.
*/
#include "core/files/chunk_files.h"

#include "core/base/system.h"

void pq_chunk_files_init(PqChunkFiles *p, PqMem *mem, PqInput *own)
{
    *p = (PqChunkFiles){.mem = mem, .own = own};
}

void pq_chunk_files_close(PqChunkFiles *p)
{
    while (p->first) {
        PqPart *next = p->first->next;

        pq_source_close(p->first->in.source);
        pq_mem_free(p->first);
        p->first = next;
    }
}

/* Is it absolute, or does it go up with ".."? */
static bool leads_out(PqSlice name)
{
    bool climbs = name.n == 0 || name.p[0] == '/' ||
                  (PQ_SYSTEM_HAS_DRIVES && (memchr(name.p, ':', name.n) ||
                                            memchr(name.p, '\\', name.n))) ||
                  memchr(name.p, 0, name.n) != NULL;

    for (size_t i = 0; i + 1 < name.n; i++) {
        climbs = climbs || (name.p[i] == '.' && name.p[i + 1] == '.' &&
                            (i == 0 || name.p[i - 1] == '/') &&
                            (i + 2 == name.n || name.p[i + 2] == '/'));
    }
    return climbs;
}

/* Bytes and BLOBs lie in none. */
static bool has_folder(const char *own)
{
    return strcmp(own, pq_path_of_bytes) != 0 &&
           !pq_places_is_blob(own);
}

PqRc pq_chunk_files_path(const char *own, PqSlice name, PqMem *mem, char **out,
                         PqErr *e)
{
    size_t n = (size_t)(pq_path_name(own) - own);

    *out = NULL;
    if (!leads_out(name) && has_folder(own)) {
        *out = pq_mem_alloc(mem, n + name.n + 1, e);
        PQ_TRY(*out ? PQ_OK : e->rc);
        memcpy(*out, own, n);
        memcpy(*out + n, name.p, name.n);
        (*out)[n + name.n] = 0;
    }
    /* Of a file in the current folder, a name that is a URL would be its path. */
    if (!*out || (pq_places_is_file(NULL, *out) && !pq_url_is(own))) {
        pq_mem_free(*out);
        return pq_fail(e, PQ_CORRUPT,
                       "points to a file outside its folder: %.*s",
                       (int)name.n, (const char *)name.p);
    }
    return PQ_OK;
}

/* Takes the part out of the list; NULL when it is not open. */
static PqPart *take_part(PqChunkFiles *p, const char *path)
{
    PqPart **at, *found;

    for (at = &p->first; *at; at = &(*at)->next) {
        if (strcmp(pq_source_path((*at)->in.source), path) == 0) {
            found = *at;
            *at = found->next;
            return found;
        }
    }
    return NULL;
}

static PqRc open_part(PqChunkFiles *p, const char *path, PqPart **out, PqErr *e)
{
    PQ_TRY(PQ_NEW(p->mem, *out, 1, e));
    if ((p->versions ? pq_versions_open(p->versions, p->mem, path, &(*out)->in.source, e)
                     : pq_source_beside(p->own->source, p->mem, path, false,
                                        &(*out)->in.source, e)) != PQ_OK) {
        pq_mem_free(*out);
        return e->rc;
    }
    return PQ_OK;
}

PqRc pq_chunk_files_input(PqChunkFiles *p, const PqColumnChunk *chunk, uint32_t group,
                    PqInput **out, PqErr *e)
{
    PqPart *part;
    char *path;
    PqRc rc = PQ_OK;

    *out = p->own;
    if (chunk->file_path.n == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_chunk_files_path(pq_source_path(p->own->source),
                               chunk->file_path, p->mem, &path, e));
    part = take_part(p, path);
    if (!part) {
        rc = open_part(p, path, &part, e);
    }
    pq_mem_free(path);
    if (rc == PQ_OK) {
        part->group = group;
        part->next = p->first;
        p->first = part;
        *out = &part->in;
    }
    return rc;
}

PqRc pq_chunk_files_check(const PqChunkFiles *p, uint32_t group, PqErr *e)
{
    const PqPart *part;

    for (part = p->first; part; part = part->next) {
        if (part->group == group || part->group == group + 1) {
            PQ_TRY(pq_source_check(part->in.source, e));
        }
    }
    return PQ_OK;
}
